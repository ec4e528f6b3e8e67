"""Menu Dynamics: the workbench of machines."""

from __future__ import annotations

from biomec_app.session.action import Action
from biomec_app.session.context import Context


def _workbench(context: Context) -> None:
    """Open the workbench; what it needs is loaded beside, the first time, because that takes a while."""
    from biomec_app.features.workbench.opening import open_when_loaded

    open_when_loaded(context)


ACTIONS: tuple[Action, ...] = (
    Action(
        "dynamics.workbench",
        "Dynamics",
        "Mechanism &Workbench…",
        _workbench,
        "Describe a machine, move it, and ask for its forces, motion, equations and optimal control",
        "Ctrl+Shift+W",
    ),
)
