"""Menu Visualize."""

from __future__ import annotations

from biomec_app.actions.action import Action

MENU = "Visualize"

ACTIONS: tuple[Action, ...] = ()
