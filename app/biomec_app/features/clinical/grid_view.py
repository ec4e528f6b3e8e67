"""A grid of clinical curves on screen: a click goes to that instant, and a cursor follows the frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from biomec.reporting.clinical.blocks import Course, CycleOrigin, Grid, Panel
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.plots.clinical.blocks_view import POINTS_PER_INCH
from biomec_app.plots.clinical.grid_layout import GridLayout, Hit, PanelPlace, grid_layout, value_at
from biomec_app.plots.clinical.grid_painter import draw_curve, paint_grid
from biomec_app.plots.clinical.look import Look

REACH = 14.0  # pixels above or below a curve within which a click means it
CHOSEN_WIDTH = 2.4  # points
LEAST = QSize(360, 260)
EMPTY = Grid("", ())
BOTH = "both"


@dataclass(frozen=True)
class Instant:
    """A place in a cycle of the visit: the cycle, and how far in it [%]."""

    side: str
    origin: CycleOrigin
    percent: float

    @property
    def frame(self) -> int:
        """The nearest frame, from 0."""
        return round(self.origin.first + 0.01 * self.percent * (self.origin.last - self.origin.first))


class GridView(QWidget):
    """Draws a `Grid` once for each size and theme, and what moves over it: cursor, chosen cycle, chosen panel.

    picked(Instant)  : somebody wants to be there
    chosen(object)   : side and origin of the cycle that is marked, or None
    told(str)        : what is under the mouse, or where the keys have gone
    exclude_asked()  : the marked cycle shall not count
    stepped(int)     : so many frames on or back
    """

    picked = Signal(object)
    chosen = Signal(object)
    told = Signal(str)
    exclude_asked = Signal()
    stepped = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Clinical curves")
        self.setAccessibleDescription(
            "Arrows choose a panel, Enter enlarges it, comma and point choose a cycle, Space goes to its beginning, "
            "Shift and arrows move the frame, Delete excludes the cycle."
        )
        self.grid = EMPTY
        self.look = Look()
        self.layout_: GridLayout | None = None
        self._picture: QPixmap | None = None
        self._enlarged = ""
        self._panel = ""  # name of the panel that the keys have chosen
        self._marked: tuple[str, CycleOrigin] | None = None
        self._now: tuple[int, int] | None = None  # trial and frame of the document
        self._names: tuple[str, ...] = ()
        self._sided = True

    # ------------------------------------------------------------------ content

    def show_grid(self, grid: Grid, names: Sequence[str] = (), sided: bool = True) -> None:
        """Show a grid.

        names : of the trials, for the words about a curve
        sided : whether each side has cycles of its own; otherwise right and left curves are of the same cycles
        """
        self.grid, self._names, self._sided = grid, tuple(names), sided
        if self._enlarged and self._named(self._enlarged) is None:
            self._enlarged = ""
        if self._marked is not None and self._course_of_marked() is None:
            self._marked = None
        self.redraw()

    def set_look(self, look: Look) -> None:
        """Draw in other colours."""
        self.look = replace(look, point=self.logicalDpiY() / POINTS_PER_INCH)
        self.redraw()

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self.set_look(replace(self.look, theme=theme))

    def show_frame(self, trial: int, frame: int) -> None:
        """Put the cursor at a frame of a trial of the visit."""
        if self._now != (trial, frame):
            self._now = trial, frame
            self.update()

    def mark(self, marked: tuple[str, CycleOrigin] | None) -> None:
        """Mark a cycle in all panels."""
        if marked != self._marked:
            self._marked = marked
            self.update()

    @property
    def marked(self) -> tuple[str, CycleOrigin] | None:
        """Side and origin of the marked cycle."""
        return self._marked

    @property
    def shown(self) -> Grid:
        """What is drawn: the grid, or the one panel that is enlarged."""
        panel = self._named(self._enlarged) if self._enlarged else None
        return self.grid if panel is None else replace(self.grid, rows=((panel,),))

    @property
    def enlarged(self) -> str:
        """Name of the panel that fills the view; "" for all."""
        return self._enlarged

    def enlarge(self, name: str) -> None:
        """Let a panel fill the view; all are seen again with ""."""
        if name != self._enlarged:
            self._enlarged = name
            self.redraw()

    def panels(self) -> list[Panel]:
        """All panels of what is drawn, row by row."""
        return [panel for row in self.shown.rows for panel in row if panel is not None]

    def _named(self, name: str) -> Panel | None:
        return next((one for row in self.grid.rows for one in row if one is not None and one.name == name), None)

    # ------------------------------------------------------------------ drawing

    def sizeHint(self) -> QSize:
        """Room for a page."""
        return QSize(900, 640)

    def minimumSizeHint(self) -> QSize:
        """Below it words would not fit."""
        return LEAST

    def redraw(self) -> None:
        """Draw the curves anew."""
        self._picture = None
        self.update()

    @property
    def _field(self) -> QRectF:
        return QRectF(self.rect()).adjusted(8.0, 6.0, -8.0, -6.0)

    def place_of(self, name: str) -> PanelPlace | None:
        """Where a panel is drawn."""
        return self._laid_out().place_of(name)

    def _laid_out(self) -> GridLayout:
        if self.layout_ is None or self._picture is None:
            self.layout_ = grid_layout(self._field, self.shown, self.look)
        return self.layout_

    def paintEvent(self, event: QPaintEvent) -> None:
        """The curves from a picture that is kept, and over it what moves."""
        if self._picture is None or self._picture.deviceIndependentSize().toSize() != self.size():
            ratio = self.devicePixelRatioF()
            picture = QPixmap(self.size() * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(QColor(self.look.theme.panel))
            inside = QPainter(picture)
            self.layout_, _ = paint_grid(inside, self._field, self.shown, self.look)
            inside.end()
            self._picture = picture
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPixmap(0, 0, self._picture)
        assert self.layout_ is not None
        for place in self.layout_.places:
            if not place.panel.missing:
                painter.save()
                painter.setClipRect(place.plot)
                self._draw_marked(painter, place)
                self._draw_cursor(painter, place)
                painter.restore()
            if self.hasFocus() and place.panel.name == self._panel:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(self.look.theme.accent), 1.6))
                painter.drawRect(place.plot)
        painter.end()

    def _draw_marked(self, painter: QPainter, place: PanelPlace) -> None:
        if self._marked is None:
            return
        for course in place.panel.courses:
            number = self._number(course, self._marked)
            if number is not None:
                painter.setPen(self.look.pen(course.side, 0, CHOSEN_WIDTH))
                draw_curve(painter, place, course.percent, course.curves[number])

    def _draw_cursor(self, painter: QPainter, place: PanelPlace) -> None:
        """A line where the frame is in the cycle of each side, and a dot on the curve."""
        for course, number, percent in self._current(place.panel):
            colour = QColor(self.look.colour(course.side))
            x = place.x(percent)
            painter.setPen(QPen(colour, 1.0))
            painter.drawLine(QPointF(x, place.plot.top()), QPointF(x, place.plot.bottom()))
            value = value_at(course.percent, course.curves[number], percent)
            if np.isfinite(value):
                painter.setPen(QPen(QColor(self.look.theme.panel), 1.0))
                painter.setBrush(colour)
                painter.drawEllipse(QPointF(x, place.y(value)), 3.5, 3.5)

    def _current(self, panel: Panel) -> list[tuple[Course, int, float]]:
        """Courses whose cycles hold the frame of the document, the number of that cycle, and the percent in it."""
        if self._now is None:
            return []
        trial, frame = self._now
        found = []
        for course in panel.courses:
            for number, origin in enumerate(course.origins if course.visit == 0 else ()):
                if origin.trial == trial and origin.first <= frame <= origin.last:
                    percent = 100.0 * (frame - origin.first) / (origin.last - origin.first)
                    found.append((course, number, percent))
                    break
        return found

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw anew."""
        super().resizeEvent(event)
        self._picture = None

    def changeEvent(self, event: QEvent) -> None:
        """Draw anew with another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self.redraw()

    # ------------------------------------------------------------------ mouse

    def hit(self, point: QPointF) -> Hit | None:
        """The curve at a point of the widget."""
        return self._laid_out().hit(point, REACH)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what is under the mouse."""
        hit = self.hit(event.position())
        can = hit is not None and hit.course.visit == 0
        self.setCursor(Qt.CursorShape.PointingHandCursor if can else Qt.CursorShape.ArrowCursor)
        self.told.emit("" if hit is None else self._words(hit))

    def leaveEvent(self, event: QEvent) -> None:
        """Say nothing."""
        self.told.emit("")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the instant of the curve that was clicked, and mark its cycle; beside all curves, mark none."""
        place = self._laid_out().place_at(event.position())
        if place is not None:
            self._panel = place.panel.name
        hit = self.hit(event.position())
        self._mark(None if hit is None else self._cycle_of(hit))
        if hit is not None and event.button() == Qt.MouseButton.LeftButton:
            cycle = self._cycle_of(hit)
            if cycle is not None:
                self.picked.emit(Instant(*cycle, hit.percent))
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Let a panel fill the view, or show all again."""
        place = self._laid_out().place_at(event.position())
        self.enlarge("" if self._enlarged or place is None else place.panel.name)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to exclude the cycle under the mouse."""
        from PySide6.QtWidgets import QMenu

        place = self._laid_out().place_at(QPointF(event.pos()))
        menu = QMenu(self)
        exclude = menu.addAction("&Exclude This Cycle…")
        exclude.setEnabled(self._marked is not None)
        exclude.triggered.connect(lambda _=False: self.exclude_asked.emit())
        if place is not None:
            name = "" if self._enlarged else place.panel.name
            words = "&Show All Panels" if self._enlarged else "En&large This Panel"
            menu.addAction(words).triggered.connect(lambda _=False: self.enlarge(name))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def _cycle_of(self, hit: Hit) -> tuple[str, CycleOrigin] | None:
        """Side and origin of a cycle that was hit; None for one of a visit that is only compared with."""
        origins = hit.course.origins if hit.course.visit == 0 else ()
        return (self._side_of(hit.course), origins[hit.cycle]) if hit.cycle < len(origins) else None

    def _side_of(self, course: Course) -> str:
        """The side whose cycles a course has."""
        return course.side if self._sided and course.side else BOTH

    def _mark(self, cycle: tuple[str, CycleOrigin] | None) -> None:
        if cycle != self._marked:
            self.mark(cycle)
            self.chosen.emit(cycle)

    def _words(self, hit: Hit) -> str:
        course, panel = hit.course, hit.panel
        what = f"{panel.title.partition(' [')[0]}, {course.label}"
        if hit.on_mean:
            what += f", mean of {len(course.curves)} cycles"
        cycle = self._cycle_of(hit)
        if cycle is not None:
            what += f", {'nearest ' if hit.on_mean else ''}cycle {self._cycle_words(cycle[1])}"
        return f"{what}: {hit.value:.4g} {panel.unit} at {hit.percent:.0f} %".replace("-", "−")

    def _cycle_words(self, origin: CycleOrigin) -> str:
        trial = f" of {self._names[origin.trial]}" if len(self._names) > 1 else ""
        return f"{origin.number + 1}{trial}"

    # ------------------------------------------------------------------ keyboard

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Mark the panel that the keys act on."""
        panels = self.panels()
        if panels and all(panel.name != self._panel for panel in panels):
            self._panel = panels[0].name
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the mark away."""
        super().focusOutEvent(event)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows choose a panel, Enter enlarges it, comma and point choose a cycle, Space goes there."""
        key, keys = event.key(), Qt.Key
        moves = {keys.Key_Left: (0, -1), keys.Key_Right: (0, 1), keys.Key_Up: (-1, 0), keys.Key_Down: (1, 0)}
        if key in (keys.Key_Left, keys.Key_Right) and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.stepped.emit(-1 if key == keys.Key_Left else 1)
        elif key in moves:
            self._move(*moves[keys(key)])
        elif key in (keys.Key_Return, keys.Key_Enter):
            self.enlarge("" if self._enlarged else self._panel)
        elif key == keys.Key_Escape and (self._enlarged or self._marked is not None):
            if self._enlarged:
                self.enlarge("")
            else:
                self._mark(None)
        elif key in (keys.Key_Comma, keys.Key_Period):
            self._next_cycle(-1 if key == keys.Key_Comma else 1)
        elif key == keys.Key_Space and self._marked is not None:
            self.picked.emit(Instant(*self._marked, 0.0))
        elif key == keys.Key_Delete and self._marked is not None:
            self.exclude_asked.emit()
        else:
            super().keyPressEvent(event)

    def _move(self, down: int, right: int) -> None:
        """Choose the panel beside the chosen one."""
        places = {(one.row, one.column): one.panel for one in self._laid_out().places}
        here = next((at for at, panel in places.items() if panel.name == self._panel), None)
        there = (0, 0) if here is None else (here[0] + down, here[1] + right)
        if there in places:
            self._panel = places[there].name
            self.told.emit(places[there].title)
            self.update()

    def _next_cycle(self, step: int) -> None:
        """Mark the next or the last cycle of the chosen panel."""
        panel = self._named(self._panel)
        own = [course for course in panel.courses if course.visit == 0] if panel is not None else []
        cycles = list(dict.fromkeys((self._side_of(course), origin) for course in own for origin in course.origins))
        if not cycles:
            return
        at = cycles.index(self._marked) + step if self._marked in cycles else (0 if step > 0 else -1)
        side, origin = cycles[at % len(cycles)]
        self._mark((side, origin))
        self.told.emit(f"{side.capitalize()} cycle {self._cycle_words(origin)}")

    def _course_of_marked(self) -> Course | None:
        marked = self._marked
        every = (course for row in self.grid.rows for panel in row if panel is not None for course in panel.courses)
        return next((one for one in every if marked is not None and self._number(one, marked) is not None), None)

    def _number(self, course: Course, cycle: tuple[str, CycleOrigin]) -> int | None:
        """Number of a cycle among those of a course."""
        side, origin = cycle
        if self._side_of(course) != side or course.visit != 0:
            return None
        return next((k for k, one in enumerate(course.origins) if one == origin), None)


def screen_look(theme: Theme = LIGHT, colours: str = Look.colours, strips: bool = False) -> Look:
    """How grids look in a window."""
    return Look(theme=theme, colours=colours, size=7.5, strips=strips)
