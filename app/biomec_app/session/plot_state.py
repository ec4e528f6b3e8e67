"""What the plots show, for the menus and for the panel alike; it knows no widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from biomec_app.session.plot_view import FIT, GROUPINGS, PlotView

Window = tuple[float, float]
LASTING: dict[str, tuple[object, ...]] = {
    "grouping": tuple(GROUPINGS),
    "columns": (FIT, 1, 2, 3),
    **dict.fromkeys(("grid", "spots", "cycles", "events", "norm", "linked"), (True, False)),
}
"""Fields of a view that are remembered, and the values they may have."""


class PlotState(QObject):
    """The view of the plots, and what they show just now.

    changed         : another `PlotView`, apart from its window
    window_changed  : another stretch of time; the plots follow it, and tell it when the user zooms
    points_cleared  : measured points are to go
    choose_asked    : the user wants to choose signals
    look_asked      : the user plotted something elsewhere, and wants to see it
    """

    changed = Signal()
    window_changed = Signal()
    points_cleared = Signal()
    choose_asked = Signal()
    look_asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = PlotView()
        self.shown: tuple[Window, ...] = ()
        self.whole: Window | None = None

    @property
    def view(self) -> PlotView:
        """The choices of the user."""
        return self._view

    def set(self, **changes: object) -> None:
        """Change the view, such as ``set(grid=False)``."""
        view = replace(self._view, **changes)  # type: ignore[arg-type]
        if view == self._view:
            return
        only_window = replace(self._view, window_s=view.window_s) == view
        self._view = view
        if only_window:
            self.window_changed.emit()
        else:
            self.changed.emit()

    @property
    def lasting(self) -> dict[str, object]:
        """What of the view is the user's taste, and not about one recording: it is remembered between two runs."""
        return {name: getattr(self._view, name) for name in LASTING}

    def take(self, remembered: Mapping[str, object]) -> None:
        """Show plots as they were shown last; what no longer fits is left as it is."""
        plain = PlotView()
        known = {
            name: value
            for name, value in remembered.items()
            if name in LASTING and type(value) is type(getattr(plain, name)) and value in LASTING[name]
        }
        self.set(**known)

    def told(self, shown: Sequence[Window], whole: Window | None) -> None:
        """Note what the plots show now, each by itself, and what there is to show (the panel says so)."""
        self.shown, self.whole = tuple(shown), whole

    @property
    def window(self) -> Window | None:
        """The stretch of time that is visible: the chosen one, or everything."""
        return self._view.window_s or self.whole

    # ------------------------------------------------------------------ what the menu asks for

    def match(self) -> None:
        """Bring every plot to the shortest stretch of time that one of them shows."""
        if self.shown:
            self._view = replace(self._view, window_s=None)
            self.set(window_s=min(self.shown, key=lambda window: window[1] - window[0]))

    def restore(self) -> None:
        """Show everything again."""
        self._view = replace(self._view, window_s=None, range_y=None)
        self.changed.emit()
        self.window_changed.emit()

    def shift(self, windows: int) -> None:
        """Move all plots by whole windows, and no farther than the recording reaches."""
        if self.window is None or self.whole is None:
            return
        first, last = self.window
        length = last - first
        move = max(self.whole[0] - first, min(windows * length, self.whole[1] - last))
        self.set(window_s=(first + move, last + move))

    def zoom(self, factor: float) -> None:
        """Make the visible stretch of time shorter (factor < 1) or longer about its middle."""
        if self.window is None or self.whole is None:
            return
        first, last = self.window
        middle, half = 0.5 * (first + last), 0.5 * factor * (last - first)
        first, last = max(self.whole[0], middle - half), min(self.whole[1], middle + half)
        self.set(window_s=(first, last) if (first, last) != self.whole else None)
