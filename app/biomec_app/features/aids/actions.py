"""Menu Dynamics: what crutches and orthoses do, and what if they were others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomec.pipeline.analysis import run_first
from biomec_app.session.action import Action, needs_recording
from biomec_app.session.context import Context
from biomec_app.session.side_window import open_beside

if TYPE_CHECKING:
    from biomec_app.features.aids.what_if_window import AidWindow

STEP = "loads"


def needs_aids(context: Context) -> str | None:
    """Reason for items that need joint loads of somebody with aids."""
    reason = needs_recording(context)
    if reason is not None:
        return reason
    analysis = context.document.analysis
    if not analysis.is_current(STEP):
        return run_first(STEP)
    person = analysis.body.person
    if not person.devices and not person.springs:
        return "The body model has no crutch, orthosis or other device. Choose a model with one."
    return None


def open_aids(context: Context) -> AidWindow:
    """Ask what other aids would change, in a window of its own."""
    from biomec_app.features.aids.what_if_window import AidWindow

    return open_beside(context, AidWindow)


ACTIONS: tuple[Action, ...] = (
    Action(
        "aids.what-if",
        "Dynamics",
        "What If for &Aids…",
        open_aids,
        "Joint loads without the orthosis, with softer or stiffer locks, longer crutches or weaker arms",
        blocked=needs_aids,
    ),
)
