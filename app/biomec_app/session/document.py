"""The open recording and everything the user sees of it: one object that all views listen to. It knows no widgets.

A view changes the document and listens to it; a view never calls another view. What can be undone is an older,
immutable `Analysis`: undoing an edit means showing that one again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from biomec.base.errors import BiomecError
from biomec.base.plain_text import comment
from biomec.pipeline.analysis import Analysis
from biomec_app.session.view_options import View

__all__ = ["Document", "Selection"]


@dataclass(frozen=True)
class Selection:
    """What the user has chosen: names of curves to plot, and what was picked in the 3-D view.

    curves   : keys of `curves.catalogue.Curve`, in the order of the plots
    segment  : picked segment, or None
    point    : picked point (``segment.landmark`` or a marker), or None
    muscle   : picked muscle, by its name in the set, or None
    """

    curves: tuple[str, ...] = ()
    segment: str | None = None
    point: str | None = None
    muscle: str | None = None


class _Edit(QUndoCommand):
    """A change from one analysis to another."""

    def __init__(self, document: Document, label: str, before: Analysis, after: Analysis, line: str) -> None:
        super().__init__(label)
        self._document, self._before, self._after, self._line = document, before, after, line

    def redo(self) -> None:
        self._document._show(self._after, [*self._document.history, self._line])

    def undo(self) -> None:
        self._document._show(self._before, self._document.history[:-1])


@dataclass
class _State:
    """What the document holds; replaced as a whole when another recording is opened."""

    analysis: Analysis | None = None
    path: Path | None = None
    seen: str | None = None
    frame: int = 0
    selection: Selection = field(default_factory=Selection)
    history: list[str] = field(default_factory=list)


class Document(QObject):
    """The open session, its undo stack, the current frame, the view and the selection.

    opened            : another recording is open, or none
    analysis_changed  : settings, results or the session changed
    frame_changed     : the current frame; the one thing that moves time
    view_changed, selection_changed, title_changed : what their names say
    undo_changed      : what can be undone or done again
    camera_asked      : the 3-D view is asked to look from a side (``frontal`` …), or at everything (``fit``)
    """

    opened = Signal()
    analysis_changed = Signal()
    frame_changed = Signal(int)
    view_changed = Signal()
    selection_changed = Signal()
    title_changed = Signal()
    undo_changed = Signal()
    camera_asked = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = _State()
        self._view = View()
        self.undo_stack = QUndoStack(self)
        self.undo_stack.cleanChanged.connect(self.title_changed)
        self.undo_stack.indexChanged.connect(self.undo_changed)

    # ------------------------------------------------------------------ what is open

    @property
    def analysis(self) -> Analysis:
        """The analysis of the open recording."""
        if self._state.analysis is None:
            raise BiomecError("Open or import a recording first.")
        return self._state.analysis

    @property
    def is_open(self) -> bool:
        """Whether a recording is open."""
        return self._state.analysis is not None

    @property
    def path(self) -> Path | None:
        """Project file of the recording; None until it was saved."""
        return self._state.path

    @property
    def seen(self) -> str | None:
        """Hash of the project file when it was read or saved here; None if it was neither."""
        return self._state.seen

    @property
    def history(self) -> list[str]:
        """What was done since the recording was opened, as lines of Python."""
        return list(self._state.history)

    @property
    def is_modified(self) -> bool:
        """Whether there is work that is not saved."""
        return self.is_open and not self.undo_stack.isClean()

    @property
    def title(self) -> str:
        """Name of the recording, with a star if it is not saved."""
        if not self.is_open:
            return ""
        name = self.path.name if self.path else self.analysis.session.dynamic.source.name
        return f"{name}{' *' if self.is_modified else ''}"

    def open(
        self, analysis: Analysis, path: Path | None = None, history: Iterable[str] = (), seen: str | None = None
    ) -> None:
        """Show another recording; there is nothing to undo then. Without a path it counts as not saved.

        seen : hash of the project file as it was read
        """
        self._state = _State(analysis, path, seen, history=list(history))
        self.undo_stack.clear()
        if path is None:
            self.undo_stack.resetClean()
        self.opened.emit()
        self.analysis_changed.emit()
        self.frame_changed.emit(0)
        self.title_changed.emit()

    def close(self) -> None:
        """Show nothing."""
        self._state = _State()
        self.undo_stack.clear()
        self.opened.emit()
        self.title_changed.emit()

    def saved_as(self, path: Path, seen: str | None = None) -> None:
        """Note that the recording as it is now lies in this project file, which has the hash ``seen``."""
        self._state.path, self._state.seen = path, seen
        self.undo_stack.setClean()
        self.title_changed.emit()

    # ------------------------------------------------------------------ changes

    def change(self, label: str, analysis: Analysis, line: str = "") -> None:
        """Show a changed analysis; the change can be undone. ``line``: what does the same in Python."""
        self.undo_stack.push(_Edit(self, label, self.analysis, analysis, line or f"# {comment(label)}"))

    def _show(self, analysis: Analysis, history: list[str]) -> None:
        self._state.analysis, self._state.history = analysis, history
        self.analysis_changed.emit()

    # ------------------------------------------------------------------ time, view, selection

    @property
    def frames(self) -> int:
        """Number of frames of the movement."""
        return self.analysis.session.dynamic.frames if self.is_open else 0

    @property
    def rate_hz(self) -> float:
        """Frames a second."""
        return self.analysis.session.dynamic.rate_hz

    @property
    def frame(self) -> int:
        """The current frame, counted from 0."""
        return self._state.frame

    def set_frame(self, frame: int) -> None:
        """Go to a frame; beyond the ends it is the first or the last."""
        frame = max(0, min(int(frame), self.frames - 1))
        if self.is_open and frame != self._state.frame:
            self._state.frame = frame
            self.frame_changed.emit(frame)

    @property
    def view(self) -> View:
        """What the 3-D view shows."""
        return self._view

    def set_view(self, **changes: object) -> None:
        """Change what the 3-D view shows, such as ``set_view(coloured=True)``."""
        view = replace(self._view, **changes)  # type: ignore[arg-type]
        if view != self._view:
            self._view = view
            self.view_changed.emit()

    @property
    def selection(self) -> Selection:
        """What is chosen."""
        return self._state.selection

    def select(self, **changes: object) -> None:
        """Change the selection, such as ``select(curves=(...))``."""
        selection = replace(self._state.selection, **changes)  # type: ignore[arg-type]
        if selection != self._state.selection:
            self._state.selection = selection
            self.selection_changed.emit()
