"""Menu Utilities."""

from __future__ import annotations

from biomec_app.actions.action import Action

MENU = "Utilities"

ACTIONS: tuple[Action, ...] = ()
