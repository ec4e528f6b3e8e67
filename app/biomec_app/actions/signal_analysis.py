"""Menu Signal Analysis."""

from __future__ import annotations

from biomec_app.actions.action import Action

MENU = "Signal Analysis"

ACTIONS: tuple[Action, ...] = ()
