"""Visualize ▸ Biomechanical Signals: which signals are plotted, in which way, in how many columns."""

from __future__ import annotations

from biomec.pipeline.analysis import run_first
from biomec_app.session.action import SEPARATOR, Action, needs_recording
from biomec_app.session.context import Context
from biomec_app.session.plot_view import CYCLES, FIT, MEAN, SEPARATE, SIDES, TIME, TOGETHER

MENU = "Visualize/Biomechanical Signals"


def _needs_cycles(context: Context) -> str | None:
    reason = needs_recording(context)
    if reason is None and "cycles" not in context.document.analysis.done:
        reason = run_first("cycles")
    return reason


def _choice(text: str, help: str, field: str, value: object, needs_cycles: bool = False) -> Action:
    """Item that is checked while the plots are like that."""
    return Action(
        f"signals.{field}.{value}", MENU, text, lambda context: context.plots.set(**{field: value}), help,
        blocked=_needs_cycles if needs_cycles else needs_recording,
        checked=lambda context: bool(getattr(context.plots.view, field) == value), group=field,
    )  # fmt: skip


ACTIONS: tuple[Action, ...] = (
    Action("signals.choose", MENU, "&Choose Signals…", lambda context: context.plots.choose_asked.emit(),
           "Choose what is plotted, by kind, joint, side and component", "Ctrl+K", needs_recording),
    Action("signals.separator.grouping", MENU, SEPARATOR, None),
    _choice("&Separate", "A plot for every curve", "grouping", SEPARATE),
    _choice("Si&des Together", "Right and left of a signal in one plot", "grouping", SIDES),
    _choice("&All Together", "All curves of the same unit in one plot", "grouping", TOGETHER),
    Action("signals.separator.over", MENU, SEPARATOR, None),
    _choice("Over &Time", "The whole recording", "over", TIME),
    _choice("&Mean Cycle", "The mean of the valid cycles and its standard deviation", "over", MEAN, True),
    _choice("&Every Cycle", "All valid cycles laid over each other", "over", CYCLES, True),
    Action("signals.separator.columns", MENU, SEPARATOR, None),
    _choice("As Many Columns as &Fit", "Columns by the width of the panel", "columns", FIT),
    *(_choice(f"&{n} Column{'s' * (n > 1)}", "Plots side by side", "columns", n) for n in (1, 2, 3)),
)  # fmt: skip
