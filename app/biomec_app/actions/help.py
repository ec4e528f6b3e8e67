"""Menu Help."""

from __future__ import annotations

from biomec_app.actions.action import Action

MENU = "Help"

ACTIONS: tuple[Action, ...] = ()
