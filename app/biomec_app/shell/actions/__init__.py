"""What the menus offer: one module a menu, each a table of `Action`."""

from __future__ import annotations

from biomec_app.session.action import Action


def all_actions() -> tuple[Action, ...]:
    """All items in the order of their menus, those of features after the items of the shell in the same menu."""
    from biomec_app.features.table import FEATURES
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
    features = (feature.actions for feature in FEATURES)
    last = (module.ACTIONS for module in (appearance, utilities, help))
    return tuple(
        action for table in (*first, *features, signal_analysis.actions(), visualize.actions(), *last) for action in table
    )
