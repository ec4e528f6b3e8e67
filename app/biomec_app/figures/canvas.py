"""Shows a drawn figure as a picture: values under the mouse, wheel zooms, dragging moves, double click restores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ZOOM = 1.25  # of one notch of the wheel

Limits = dict[int, tuple[tuple[float, float], tuple[float, float]]]
"""Number of the axes -> what they show in x and y."""


@dataclass(frozen=True, eq=False)
class DrawnAxes:
    """Where axes are in a picture, and what they show there.

    box      : left, lower, right, upper edge [pixels of the figure, from its lower left corner]
    limits   : what they show in x and in y
    labels   : what x and y are, with their units
    to_data  : pixels (n, 2) -> values (n, 2)
    readable : whether values can be read from them
    """

    box: tuple[float, float, float, float]
    limits: tuple[tuple[float, float], tuple[float, float]]
    labels: tuple[str, str]
    to_data: Callable[[Any], np.ndarray]
    readable: bool

    def contains(self, x: float, y: float) -> bool:
        """Whether a pixel lies in them."""
        left, lower, right, upper = self.box
        return left <= x <= right and lower <= y <= upper


@dataclass(frozen=True, eq=False)
class Drawn:
    """The pixels (height, width, 4) of a drawn figure, its axes and its words.

    The figure itself is let go: it has tens of thousands of parts, and the search for garbage stops the window.
    """

    axes: tuple[DrawnAxes, ...]
    words: str
    pixels: np.ndarray
    image: QImage
    ratio: float


def rendered(make: Callable[[tuple[float, float], float], Figure], size: QSize, ratio: float, dpi: float) -> Drawn:
    """Draw ``make(inches, dpi)`` for a widget of a size and a device-pixel ratio; not in the window's thread.

    Matplotlib is loaded here, when the first figure is drawn: it takes longer than the window may wait.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    inches = max(size.width(), 320) / dpi, max(size.height(), 240) / dpi
    figure = make(inches, dpi * ratio)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba()).copy()
    height, width = pixels.shape[:2]
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888)
    image.setDevicePixelRatio(ratio)
    words = (text.get_text() for text in (*figure.texts, *(axes.title for axes in figure.axes)))
    return Drawn(tuple(map(_seen, figure.axes)), " ".join(filter(None, words)), pixels, image, ratio)


def _seen(axes: Axes) -> DrawnAxes:
    """What is left of axes when they are drawn."""
    return DrawnAxes(
        box=axes.bbox.extents,
        limits=(axes.get_xlim(), axes.get_ylim()),
        labels=(axes.get_xlabel().replace("\n", " ") or "x", axes.get_ylabel().replace("\n", " ") or "y"),
        to_data=axes.transData.inverted().transform,
        readable=axes.axison,
    )


class FigureCanvas(QWidget):
    """The picture of a figure.

    wanted    : the picture must be drawn again (size or limits changed)
    read_out  : text for the values under the mouse
    """

    wanted = Signal()
    read_out = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("figure-canvas")
        self.setAccessibleName("Figure")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(640, 400)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.limits: Limits = {}
        self.drawn: Drawn | None = None
        self.sentence = ""
        self.colours = QColor("white"), QColor("gray")
        self._held: tuple[int, QPointF] | None = None

    def sizeHint(self) -> QSize:
        """A comfortable size."""
        return QSize(1020, 620)

    def show_drawn(self, drawn: Drawn) -> None:
        """Show a new picture."""
        self.drawn, self.sentence = drawn, ""
        self.setAccessibleDescription(drawn.words)
        self.update()

    def say(self, sentence: str) -> None:
        """Show a sentence instead of a picture."""
        self.drawn, self.sentence = None, sentence
        self.update()

    def restore(self) -> None:
        """Show everything again."""
        if self.limits:
            self.limits = {}
            self.wanted.emit()

    # ------------------------------------------------------------------ Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the picture, stretched while a sharper one is under way."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.colours[0])
        if self.drawn is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            fits = self.drawn.image.size() == self.size() * self.drawn.ratio
            if fits:
                painter.drawImage(0, 0, self.drawn.image)
            else:
                painter.drawImage(QRectF(self.rect()), self.drawn.image)
        elif self.sentence:
            painter.setPen(self.colours[1])
            room = self.rect().adjusted(40, 20, -40, -20)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.sentence)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for a picture of the new size."""
        self.wanted.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom the axes under the mouse."""
        self.zoom(event.position(), ZOOM ** (-event.angleDelta().y() / 120.0))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the axes under the mouse."""
        found = self.axes_at(event.position())
        if found is not None and event.button() == Qt.MouseButton.LeftButton:
            self._held = found[0], event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell the values under the mouse."""
        self.read_out.emit(self.values_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go: the axes have moved by as much as the mouse."""
        held, self._held = self._held, None
        if held is not None and (event.position() - held[1]).manhattanLength() > 4:
            self.move_axes(held[0], held[1], event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show everything again."""
        self.restore()

    # ------------------------------------------------------------------ axes

    def axes_at(self, place: QPointF) -> tuple[int, DrawnAxes] | None:
        """Number and axes under a place of the widget."""
        if self.drawn is None:
            return None
        x, y = self._pixel(place)
        for number, axes in enumerate(self.drawn.axes):
            if axes.readable and axes.contains(x, y):
                return number, axes
        return None

    def values_at(self, place: QPointF) -> str:
        """Values of both axes at a place of the widget, as text; empty outside the axes."""
        found = self.axes_at(place)
        if found is None:
            return ""
        axes = found[1]
        x, y = axes.to_data(self._pixel(place))
        return f"{axes.labels[0]}: {x:.4g}    {axes.labels[1]}: {y:.4g}".replace("-", "−")

    def zoom(self, place: QPointF, factor: float) -> None:
        """Show ``factor`` times as much of the axes under a place, which stays where it is."""
        found = self.axes_at(place)
        if found is None:
            return
        number, axes = found
        x, y = self._pixel(place)
        left, lower, right, upper = axes.box
        corners = [
            (x + factor * (left - x), y + factor * (lower - y)),
            (x + factor * (right - x), y + factor * (upper - y)),
        ]
        self._limit(number, axes, corners)

    def move_axes(self, number: int, start: QPointF, stop: QPointF) -> None:
        """Move what axes show by the way of the mouse."""
        assert self.drawn is not None
        axes = self.drawn.axes[number]
        (x0, y0), (x1, y1) = self._pixel(start), self._pixel(stop)
        left, lower, right, upper = axes.box
        across, up = x1 - x0, y1 - y0
        self._limit(number, axes, [(left - across, lower - up), (right - across, upper - up)])

    def _limit(self, number: int, axes: DrawnAxes, corners: list[tuple[float, float]]) -> None:
        low, high = axes.to_data(corners)
        if np.isfinite([low, high]).all():
            self.limits[number] = (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))
            self.wanted.emit()

    def _pixel(self, place: QPointF) -> tuple[float, float]:
        """Place of the widget in pixels of the figure, from its lower left corner."""
        assert self.drawn is not None
        height, width = self.drawn.pixels.shape[:2]
        return place.x() / self.width() * width, (1.0 - place.y() / self.height()) * height


def apply_limits(figure: Figure, limits: Limits) -> None:
    """Show in a new figure what the user has zoomed to."""
    for number, (x, y) in limits.items():
        if number < len(figure.axes):
            figure.axes[number].set(xlim=x, ylim=y)
