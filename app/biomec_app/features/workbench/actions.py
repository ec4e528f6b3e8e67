"""Menu Dynamics: the workbench of machines. Its libraries are loaded in the background: the window never waits."""

from __future__ import annotations

from typing import Any

from biomec_app.session.action import Action
from biomec_app.session.context import Context

TITLE = "Mechanism Workbench"
HEAD_NECK = "head-neck"


def open_when_loaded(context: Context, machine: str = "") -> None:
    """Open the workbench as soon as what it needs is loaded; with a machine that comes with Biomec if one is named."""
    if context.aside.busy:  # something else is loaded or drawn there; then the wait is the shorter way
        _open(context, machine, _loaded(machine))
        return
    context.aside.start(TITLE, lambda progress: _loaded(machine), lambda draft: _open(context, machine, draft))


def open_head_neck(context: Context) -> None:
    """Open the workbench with the head and neck."""
    open_when_loaded(context, HEAD_NECK)


def _loaded(machine: str) -> Any:
    """The machine to begin with. Loads the engine, and what the window is made of."""
    from biomec_app.features.workbench.draft import catalogued
    from biomec_app.features.workbench.window import FIRST

    return catalogued(machine or FIRST)


def _open(context: Context, machine: str, draft: Any) -> None:
    from biomec_app.features.workbench.window import open_workbench

    window = open_workbench(context, draft)
    if machine and window.bench.machine.name != machine:  # it was open already
        window.open_draft(draft)
        window.header.refresh()


ACTIONS: tuple[Action, ...] = (
    Action(
        "dynamics.workbench",
        "Dynamics",
        "Mechanism &Workbench…",
        open_when_loaded,
        "Describe a machine, move it, and ask for its forces, motion, equations and optimal control",
        "Ctrl+Shift+W",
    ),
    Action(
        "dynamics.head-neck",
        "Dynamics",
        "Head and Nec&k under Impact…",
        open_head_neck,
        "Hit the head of a neck with discs, ligaments, muscles and facets, and map the risk by direction",
        "Ctrl+Shift+H",
    ),
)
