"""The drawing of the machine in the window: wheel to come nearer, drag to move or, in space, to turn."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from biomec_app.features.workbench.drawing import Drawing
from biomec_app.features.workbench.sketch import Sketch
from biomec_app.kit.theme import Theme

ZOOM = 1.2  # a notch of the wheel
TURNED = 0.01  # rad a pixel
STEEPEST = 1.5  # rad
STILL = 4  # pixels that a click may move


class Stage(QWidget):
    """Shows a drawing.

    surface_asked : the head was clicked: where (`Touched`), and the keys that were held
    trail_asked : a point was clicked whose trail is to be drawn or not
    play_asked  : Space was pressed;  step_asked : an arrow was, so many moments forward or back
    """

    surface_asked = Signal(object, object)
    trail_asked = Signal(str)
    play_asked = Signal()
    step_asked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("workbench.stage")
        self.setAccessibleName("Drawing of the machine")
        self.setToolTip("Wheel: nearer or farther. Drag: move. Double-click: all. Click a point: its trail.")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 150)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.drawing = Drawing(font=self.font())
        self._held: QPointF | None = None
        self._moved = False

    def sizeHint(self) -> QSize:
        """A comfortable size."""
        return QSize(560, 380)

    # ------------------------------------------------------------------ content

    def show_sketch(self, sketch: Sketch, ghosts: tuple[Sketch, ...] = (), words: str = "") -> None:
        """Draw another machine or motion now; what the user has zoomed to stays."""
        drawing = self.drawing
        if (drawing.sketch, drawing.ghosts, drawing.words) == (sketch, ghosts, words):
            return
        drawing.sketch, drawing.ghosts, drawing.words = sketch, ghosts, words
        self.repaint()

    def set_time(self, time_s: float) -> None:
        """Draw another moment."""
        self.drawing.time_s = time_s
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self.drawing.theme = theme
        self.update()

    def draw_with(self, drawing: Drawing) -> None:
        """Draw in another way, with the same look."""
        before, self.drawing = self.drawing, drawing
        for name in ("sketch", "ghosts", "names", "words", "time_s", "size", "theme", "font"):
            setattr(drawing, name, getattr(before, name))
        self.update()

    def fit(self) -> None:
        """Show the whole motion."""
        self.drawing.fit()
        self.update()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Come nearer by a factor."""
        self.drawing.zoom(factor, at)
        self.update()

    # ------------------------------------------------------------------ Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw."""
        painter = QPainter(self)
        self.drawing.paint(painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw in the new size."""
        self.drawing.size = float(self.width()), float(self.height())
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Come nearer."""
        self.zoom(ZOOM ** (event.angleDelta().y() / 120.0), event.position())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space plays, arrows step."""
        if event.key() == Qt.Key.Key_Space:
            self.play_asked.emit()
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.step_asked.emit(1 if event.key() == Qt.Key.Key_Right else -1)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold."""
        self._held, self._moved = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the machine with the mouse; in space, turn it."""
        if self._held is None:
            return
        way = event.position() - self._held
        if not self._moved and way.manhattanLength() < STILL:
            return
        self._moved, self._held = True, event.position()
        drawing = self.drawing
        if drawing.turns:
            drawing.azimuth += TURNED * way.x()
            drawing.elevation = min(max(drawing.elevation + TURNED * way.y(), -STEEPEST), STEEPEST)
        else:
            drawing.move(way)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go; a click on a point asks for its trail."""
        held, self._held = self._held, None
        if held is not None and not self._moved:
            touched = self.drawing.surface_at(event.position())
            if touched is not None:
                self.surface_asked.emit(touched, event.modifiers())
            name = self.drawing.point_at(event.position())
            if name is not None:
                self.trail_asked.emit(name)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show everything."""
        self.fit()
