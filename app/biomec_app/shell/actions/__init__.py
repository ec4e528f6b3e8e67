"""What the menus offer: one module a menu, each a table of `Action`."""

from __future__ import annotations

from biomec_app.session.action import Action


def all_actions() -> tuple[Action, ...]:
    """All items in the order of their menus."""
    from biomec_app.shell.actions import (
        appearance,
        dynamics,
        edit,
        file,
        help,
        kinematics,
        signal_analysis,
        utilities,
        visualize,
    )

    first = (module.ACTIONS for module in (file, edit, kinematics, dynamics))
    last = (module.ACTIONS for module in (appearance, utilities, help))
    return tuple(
        action for table in (*first, signal_analysis.actions(), visualize.actions(), *last) for action in table
    )
