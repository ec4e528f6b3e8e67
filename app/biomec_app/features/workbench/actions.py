"""Menu Dynamics: the workbench of machines. Its libraries are loaded in the background: the window never waits."""

from __future__ import annotations

from typing import Any

from biomec_app.session.action import Action
from biomec_app.session.context import Context

TITLE = "Mechanism Workbench"


def open_when_loaded(context: Context) -> None:
    """Open the workbench as soon as what it needs is loaded."""
    if context.aside.busy:  # something else is loaded or drawn there; then the wait is the shorter way
        _open(context, _loaded())
        return
    context.aside.start(TITLE, lambda progress: _loaded(), lambda draft: _open(context, draft))


def _loaded() -> Any:
    """The machine to begin with. Loads the engine, and what the window is made of."""
    from biomec_app.features.workbench.draft import catalogued
    from biomec_app.features.workbench.window import FIRST

    return catalogued(FIRST)


def _open(context: Context, draft: Any) -> None:
    from biomec_app.features.workbench.window import open_workbench

    open_workbench(context, draft)


ACTIONS: tuple[Action, ...] = (
    Action(
        "dynamics.workbench",
        "Dynamics",
        "Mechanism &Workbench…",
        open_when_loaded,
        "Describe a machine, move it, and ask for its forces, motion, equations and optimal control",
        "Ctrl+Shift+W",
    ),
)
