"""What the menus offer: one module a menu, each a table of `Action`; features bring their own."""

from __future__ import annotations

from biomec_app.session.action import Action


def all_actions() -> tuple[Action, ...]:
    """All items in the order of their menus."""
    from biomec_app.features.table import FEATURES
    from biomec_app.shell.actions import (
        appearance,
        edit,
        file,
        help,
        kinematics,
        signal_analysis,
        utilities,
        visualize,
    )

    tables = (
        *(module.ACTIONS for module in (file, edit, kinematics)),
        *(feature.actions for feature in FEATURES),
        signal_analysis.actions(),
        visualize.actions(),
        appearance.ACTIONS,
        utilities.ACTIONS,
        help.actions(all_actions),
    )
    return tuple(action for table in tables for action in table)
