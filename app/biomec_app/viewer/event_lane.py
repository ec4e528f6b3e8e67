"""The events of the recording under the time slider, to be dragged, added, changed and taken away beside the person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from biomec.pipeline.replay import python_text
from biomec.recording import Event, Trial
from biomec.signals.event_editing import OFF, STRIKE, edited
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.kit.words import moment_told
from biomec_app.session.document import Document
from biomec_app.viewer.quality_strip import QualityStrip

HEIGHT, HALF = 17, 5.0  # pixels: of the lane, and half the width of a mark
NEAR = 6.0  # pixels from a mark that still take hold of it
MARK = "Mark"
KINDS = {"Foot &Strike": (STRIKE, Qt.Key.Key_S), "Foot &Off": (OFF, Qt.Key.Key_O)}
SIDES = {"&Right": ("Right", Qt.Key.Key_R), "&Left": ("Left", Qt.Key.Key_L), "&Neither side": ("General", Qt.Key.Key_G)}
ORIGINS = {
    "file": "in the file", "plates": "by the plates", "kinematics": "by the markers", "signal": "by a signal",
    "manual": "by hand",
}  # fmt: skip
"""How an event is known, in words."""
HINT = "Double-click here to add an event at that moment"


def event_words(event: Event) -> str:
    """Kind and side: "Foot Strike, right"."""
    return event.label if event.context == "General" else f"{event.label}, {event.context.lower()}"


def change_events(document: Document, label: str, trial: Trial) -> None:
    """Show the recording with the events of ``trial``; the change can be undone."""
    analysis = document.analysis
    session = replace(analysis.session, dynamic=trial)
    what = f"events={python_text(trial.events)}, dismissed_events={python_text(trial.dismissed_events)}"
    line = (
        "analysis = replace(analysis, session=replace(analysis.session, "
        f"dynamic=replace(analysis.session.dynamic, {what})))"
    )
    document.change(label, replace(analysis, session=session), line)


class EventLane(QWidget):
    """Marks of all events along the slider above it. The chosen one is framed; the keyboard changes it.

    chosen : the event that keys change, or None
    """

    def __init__(self, document: Document, strip: QualityStrip, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._strip = document, strip
        self._theme = LIGHT
        self._events: tuple[Event, ...] = ()
        self.chosen: Event | None = None
        self._held: Event | None = None  # under the pressed mouse
        self._dragged_to: int | None = None  # frame
        self.setObjectName("timeline.events")
        self.setAccessibleName("Events")
        self.setAccessibleDescription(
            "Arrow keys choose an event, with Ctrl they move it; S strike, O off, R right, L left, G neither side; "
            "Insert adds one at the shown frame, Delete takes the chosen one away"
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """A line of marks."""
        return QSize(300, HEIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.update()

    def set_events(self, events: tuple[Event, ...]) -> None:
        """Show the events of a recording."""
        self._events = events
        if self.chosen not in events:
            self.chosen = None
        self._held = self._dragged_to = None
        self.update()

    # ------------------------------------------------------------------ places

    def x_of(self, event: Event) -> float:
        """Place of an event."""
        if event is self._held and self._dragged_to is not None:
            return self._strip.x_of(self._dragged_to)
        return self._strip.x_of(event.time_s * self._document.rate_hz)

    def event_at(self, x: float) -> Event | None:
        """The event whose mark is at a place; the chosen one first where several are."""
        near = [event for event in self._events if abs(self.x_of(event) - x) <= NEAR]
        return min(near, key=lambda event: (event != self.chosen, abs(self.x_of(event) - x)), default=None)

    # ------------------------------------------------------------------ drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the marks, those of one side over those of the other."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(self._theme.line))
        painter.drawLine(self._strip.band.left(), HEIGHT - 2, self._strip.band.right(), HEIGHT - 2)
        if not self._events and self._document.is_open:
            painter.setPen(QColor(self._theme.faint))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, HINT)
        for mark in self._events:
            self._draw(painter, mark)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.accent), 1.0, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 0, -2, -1))
        painter.end()

    def _draw(self, painter: QPainter, event: Event) -> None:
        x, top, bottom = self.x_of(event), 3.5, HEIGHT - 4.0
        shapes = {
            STRIKE: ((x - HALF, top), (x + HALF, top), (x, bottom)),
            OFF: ((x - HALF, bottom), (x + HALF, bottom), (x, top)),
        }
        middle = 0.5 * (top + bottom)
        corners = shapes.get(event.label, ((x, top), (x + HALF, middle), (x, bottom), (x - HALF, middle)))
        sides = {"Right": self._theme.right, "Left": self._theme.left}
        colour = QColor(sides.get(event.context, self._theme.text))
        painter.setPen(QPen(QColor(self._theme.text), 1.6) if event == self.chosen else QPen(colour, 1.0))
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))

    # ------------------------------------------------------------------ changes

    def _edit(self, label: str, before: Event | None, after: Event | None) -> None:
        trial = edited(self._document.analysis.session.dynamic, before, after)
        self.chosen = None if after is None else replace(after, origin="manual")
        change_events(self._document, label, trial)

    def _frame_of(self, event: Event) -> int:
        return round(event.time_s * self._document.rate_hz)

    def choose(self, event: Event | None) -> None:
        """Choose an event and show its frame."""
        self.chosen = event
        if event is not None:
            self._document.set_frame(self._frame_of(event))
        self.update()

    def add(self, frame: int, label: str = STRIKE, context: str = "Right") -> None:
        """Add an event at a frame."""
        self._edit(f"Add {label}", None, Event(frame / self._document.rate_hz, label, context, "manual"))

    def add_likely(self, frame: int) -> None:
        """Add the event that is likely missing at a frame: a foot that struck leaves the ground next."""
        before = [event for event in self._events if self._frame_of(event) <= frame and event.label in (STRIKE, OFF)]
        last = {event.context: event for event in before if event.context in ("Right", "Left")}
        side = min(last, key=lambda context: last[context].time_s, default="Right")
        kind = OFF if side in last and last[side].label == STRIKE else STRIKE
        self.add(frame, kind, side)

    def move_to(self, event: Event, frame: int) -> None:
        """Move an event to a frame."""
        frame = max(0, min(frame, self._document.frames - 1))
        if frame != self._frame_of(event):
            self._edit("Move Event", event, replace(event, time_s=frame / self._document.rate_hz))
            self._document.set_frame(frame)

    def change(self, event: Event, *, label: str | None = None, context: str | None = None) -> None:
        """Make an event one of another kind or side."""
        after = replace(event, label=label or event.label, context=context or event.context)
        if after != event:
            self._edit("Change Event", event, after)

    def remove(self, event: Event) -> None:
        """Take an event away."""
        self._edit("Remove Event", event, None)

    # ------------------------------------------------------------------ mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the event under the mouse, or go to that frame."""
        if event.button() != Qt.MouseButton.LeftButton or not self._document.is_open:
            return
        x = event.position().x()
        self._held = self.event_at(x)
        self.choose(self._held)
        if self._held is None:
            self._document.set_frame(self._strip.frame_at(x))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the event, and the person with it; without one, drag the frame."""
        x = event.position().x()
        if not event.buttons() & Qt.MouseButton.LeftButton or not self._document.is_open:
            self.setCursor(Qt.CursorShape.SizeHorCursor if self.event_at(x) else Qt.CursorShape.ArrowCursor)
            return
        frame = self._strip.frame_at(x)
        self._document.set_frame(frame)
        if self._held is not None:
            self._dragged_to = frame
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Leave the event where it was dragged to."""
        held, frame = self._held, self._dragged_to
        self._held = self._dragged_to = None
        if held is not None and frame is not None:
            self.move_to(held, frame)
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Add an event where there is none."""
        x = event.position().x()
        if event.button() == Qt.MouseButton.LeftButton and self._document.is_open and self.event_at(x) is None:
            self.add_likely(self._strip.frame_at(x))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the event, or what can be added."""
        if not self._document.is_open:
            return
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        chosen = self.event_at(event.pos().x()) if by_mouse else self.chosen
        frame = self._strip.frame_at(event.pos().x()) if by_mouse else self._document.frame
        menu = self.menu_for(chosen, frame)
        at = event.globalPos() if by_mouse else self.mapToGlobal(QPoint(round(self._strip.x_of(frame)), HEIGHT))
        menu.popup(at)

    def menu_for(self, chosen: Event | None, frame: int) -> QMenu:
        """The menu over an event, or over a frame without one."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if chosen is None:
            self._document.set_frame(frame)
            for kind, (label, _) in KINDS.items():
                for side in ("Right", "Left"):
                    words = f"Add {kind.replace('&', '')}, {side.lower()}"
                    self._item(menu, words, lambda *_, k=label, s=side: self.add(frame, k, s))
            self._item(menu, "Add another &mark", lambda *_: self.add(frame, MARK, "General"))
            return menu
        self.choose(chosen)
        for words, (label, key) in KINDS.items():
            item = self._item(menu, words, lambda *_, k=label: self.change(chosen, label=k), key)
            item.setCheckable(True)
            item.setChecked(chosen.label == label)
        menu.addSeparator()
        for words, (side, key) in SIDES.items():
            item = self._item(menu, words, lambda *_, s=side: self.change(chosen, context=s), key)
            item.setCheckable(True)
            item.setChecked(chosen.context == side)
        menu.addSeparator()
        self._item(menu, "Re&move", lambda *_: self.remove(chosen), Qt.Key.Key_Delete)
        return menu

    def _item(self, menu: QMenu, words: str, run: Callable[..., None], key: Qt.Key | None = None) -> QAction:
        item = menu.addAction(words)
        if key is not None:
            item.setShortcut(QKeySequence(key))
            item.setShortcutVisibleInContextMenu(True)
        item.triggered.connect(run)
        return item

    # ------------------------------------------------------------------ keyboard

    def event(self, event: QEvent) -> bool:
        """Keep the keys that change events from the window's shortcuts; describe the event under the mouse."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._job(event):
            event.accept()
            return True
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.told_at(event.pos().x()), self)
            return True
        return bool(super().event(event))

    def told_at(self, x: float) -> str:
        """Text of the tooltip: the event, how it is known, and what can be done."""
        if not self._document.is_open:
            return ""
        event = self.event_at(x)
        if event is None:
            return "Double-click to add an event here; right-click to choose which."
        moment = moment_told(self._document.analysis.session.dynamic, event.time_s)
        known = ORIGINS.get(event.origin, event.origin)
        return f"{event_words(event)}: {moment}; known {known}. Drag to move it, right-click to change it."

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose, move, change, add or remove an event."""
        job = self._job(event)
        if job is None:
            super().keyPressEvent(event)
        else:
            job()

    def _job(self, event: QKeyEvent) -> Callable[[], None] | None:
        """What a key does here; None if it belongs to the window."""
        if not self._document.is_open:
            return None
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            return self._jobs_with_ctrl().get(event.key())
        if event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier):
            return self._jobs().get(event.key())
        return None

    def _jobs_with_ctrl(self) -> dict[int, Callable[[], None]]:
        chosen = self.chosen
        if chosen is None:
            return {}
        frame = self._frame_of(chosen)
        return {
            Qt.Key.Key_Left: lambda: self.move_to(chosen, frame - 1),
            Qt.Key.Key_Right: lambda: self.move_to(chosen, frame + 1),
        }

    def _jobs(self) -> dict[int, Callable[[], None]]:
        jobs: dict[int, Callable[[], None]] = {Qt.Key.Key_Insert: lambda: self.add_likely(self._document.frame)}
        if self._events:
            jobs |= {Qt.Key.Key_Left: lambda: self._choose_next(-1), Qt.Key.Key_Right: lambda: self._choose_next(1)}
        chosen = self.chosen
        if chosen is not None:
            jobs[Qt.Key.Key_Delete] = lambda: self.remove(chosen)
            jobs |= {key: partial(self.change, chosen, label=label) for label, key in KINDS.values()}
            jobs |= {key: partial(self.change, chosen, context=context) for context, key in SIDES.values()}
        return jobs

    def _choose_next(self, step: int) -> None:
        """Choose the next or previous event, or the one nearest to the shown frame if none is chosen."""
        if self.chosen is None:
            self.choose(min(self._events, key=lambda event: abs(self._frame_of(event) - self._document.frame)))
            return
        index = self._events.index(self.chosen) + step
        self.choose(self._events[max(0, min(index, len(self._events) - 1))])

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that keys change events now."""
        super().focusInEvent(event)
        self.update()
