"""A menu item as data: where it stands, what it does, and why it cannot run now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biomec.pipeline.outlook import obstacle_of_loads

if TYPE_CHECKING:
    from biomec_app.session.context import Context

SEPARATOR = "-"


@dataclass(frozen=True)
class Action:
    """One item of a menu.

    key      : unique name, such as ``file.save``; the name of the QAction too
    menu     : path of the menu, such as ``File`` or ``Visualize/Overlays``
    text     : what the item says, ``&`` before its letter
    run      : what it does; None for a separator
    help     : one sentence for the status bar
    shortcut : such as ``Ctrl+S``; further ones behind ``, ``
    blocked  : why it cannot run now, as a sentence; None if it can
    checked  : for an item that is on or off: whether it is on
    title    : for an item whose text changes: what it says now, None to hide it
    group    : items of a menu of which only one can be on have the same name here
    """

    key: str
    menu: str
    text: str
    run: Callable[[Context], object] | None
    help: str = ""
    shortcut: str = ""
    blocked: Callable[[Context], str | None] = lambda context: None
    checked: Callable[[Context], bool] | None = None
    title: Callable[[Context], str | None] | None = None
    group: str = ""


def needs_recording(context: Context) -> str | None:
    """Reason for items that need an open recording."""
    return None if context.document.is_open else "Open or import a recording first."


def needs_idle_recording(context: Context) -> str | None:
    """Reason for items that change the recording: it must be open, and nothing may be at work on it."""
    reason = needs_recording(context)
    if reason is None and context.jobs.busy:
        reason = f'"{context.jobs.title}" is running. Wait until it is done, or cancel it.'
    return reason


def needs_joints(context: Context) -> str | None:
    """Reason for items that compute loads: joints must lead to every segment of the model, once it is loaded."""
    reason = needs_idle_recording(context)
    if reason is None:
        reason = obstacle_of_loads(context.document.analysis) or None
    return reason


def not_yet(reason: str) -> Callable[[Context], str | None]:
    """Reason for items of parts that are still to come."""
    return lambda context: reason
