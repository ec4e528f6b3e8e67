"""The 3-D view: a picture that VTK draws off the screen, with words over it, mouse and keys."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from biomec.pipeline.analysis import Analysis
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.session.action import Action
from biomec_app.session.camera import SIDES, Camera
from biomec_app.session.context import Context
from biomec_app.session.ready import PREPARERS
from biomec_app.viewer.annotations import Annotations, SceneWords
from biomec_app.viewer.canvas import Canvas
from biomec_app.viewer.legend import SceneLegend
from biomec_app.viewer.measuring import Measurement
from biomec_app.viewer.person import person_of
from biomec_app.viewer.picking import Picked, pick
from biomec_app.viewer.poses import ScenePoses
from biomec_app.viewer.quality import FinePicture, Quality
from biomec_app.viewer.scene import Scene
from biomec_app.viewer.view_bar import BarMenus, ViewBar

SETTLE_MS = 160  # after the last change the picture is drawn again with smooth edges
KEYS = {"1": "frontal", "2": "lateral right", "3": "lateral left", "4": "posterior", "5": "superior", "0": "oblique"}
TAKEN = 46  # pixels of the height, for buttons
LARGE = 4_000_000  # pixels of the screen; so many are not smoothed while things move
CLICK = 4  # pixels; a mouse that moved less was not dragged


def prepare_body(analysis: Analysis) -> None:
    """Find the poses of a recording and the shape of its body, before they are shown."""
    analysis.derived(ScenePoses)
    if "body" in analysis.done:
        analysis.derived(person_of)


PREPARERS.append(prepare_body)


class BodyView(QWidget):
    """Shows the document's recording at its current frame; drag turns, right or middle drag shifts, wheel zooms.

    menus : what the button "Show" offers;  tools : items of the menus that have a button beside it
    """

    def __init__(
        self, context: Context, menus: BarMenus = (), parent: QWidget | None = None, tools: Sequence[Action] = ()
    ) -> None:
        super().__init__(parent)
        self.context = context
        self.theme: Theme = LIGHT
        self.camera = Camera()
        context.camera = self.camera
        self.scene: Scene | None = None
        self.measurement: Measurement | None = None
        self.failure = ""
        self._canvas: Canvas | None = None
        self._image: QImage | None = None
        self._stale = True
        self._quality = Quality()
        self._fine: FinePicture | None = None  # the picture that is being drawn while nothing moves
        self._words = SceneWords()
        self._middle: np.ndarray | None = None
        self._grabbed: QPoint | None = None
        self._moved = 0
        self._fitted = True  # the user has not moved the camera since it was fitted
        self.bar = ViewBar(context, menus, self, tools)
        self.bar.hide()
        self.legend = SceneLegend(self)
        self.legend.resized.connect(self._arrange)
        self._new = False  # a recording that was opened in this turn of the event loop; its first picture takes another
        self._first_picture = QTimer(self, singleShot=True, interval=0)
        self._first_picture.timeout.connect(self.update)
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self._settled)
        self._next_band = QTimer(self, singleShot=True, interval=0)
        self._next_band.timeout.connect(lambda: self._guard(self._draw_band))
        self.setObjectName("bodyView")
        self.setAccessibleName("3-D view of the body")
        self.setAccessibleDescription("Drag to turn, wheel to zoom, keys 1 to 5 for the sides, F to fit")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 180)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        document = context.document
        document.opened.connect(self._opened)
        document.analysis_changed.connect(self._analysis_changed)
        document.frame_changed.connect(self._frame_changed)
        document.view_changed.connect(self._view_changed)
        document.selection_changed.connect(self._selection_changed)
        document.camera_asked.connect(self.look)
        context.closing.append(self.release)
        self._opened()

    # ------------------------------------------------------------------ following the document

    def _opened(self) -> None:
        self._rebuild()
        self._new = self.scene is not None
        if self.scene is not None:
            self.camera.heading = self.scene.poses.heading()
            self.camera.look("oblique")
            self.fit()
            self.context.document.set_view(follow=self.scene.poses.travels())

    def _analysis_changed(self) -> None:
        """Build another scene, unless it shows this analysis already: opening it said so before."""
        document = self.context.document
        if self.scene is None or not document.is_open or self.scene.poses.analysis is not document.analysis:
            self._rebuild()

    def _rebuild(self) -> None:
        document = self.context.document
        self.scene = None
        if document.is_open:
            self.scene = Scene(document.analysis, self.theme, document.view)
            self.scene.mark(document.selection.muscle)
            self.scene.update(document.frame)
            self._middle = self._centre()
        self.bar.setVisible(self.scene is not None)
        self._explain()
        self._changed()

    def _explain(self) -> None:
        self.legend.set_entries(self.scene.legend() if self.scene is not None else ())

    def _selection_changed(self) -> None:
        if self.scene is not None and self.scene.mark(self.context.document.selection.muscle):
            self._changed()
        self.update()

    def _frame_changed(self, frame: int) -> None:
        if self.scene is None:
            return
        self.scene.update(frame)
        self._follow()
        self._changed()

    def _follow(self) -> None:
        middle = self._centre()
        if self.context.document.view.follow and middle is not None and self._middle is not None:
            self.camera.target = self.camera.target + (middle - self._middle)
        self._middle = middle if middle is not None else self._middle

    def _centre(self) -> np.ndarray | None:
        points = self.scene.body_points() if self.scene is not None else np.zeros((0, 3))
        return points.mean(axis=0) * (1.0, 0.0, 1.0) if len(points) else None

    def _view_changed(self) -> None:
        view = self.context.document.view
        if view.measure != (self.measurement.kind if self.measurement else ""):
            self.measurement = Measurement(view.measure) if view.measure else None
            self.setCursor(Qt.CursorShape.CrossCursor if view.measure else Qt.CursorShape.ArrowCursor)
        if self.scene is not None:
            self.scene.show(view)
        self._explain()
        self._changed()

    def set_theme(self, theme: Theme) -> None:
        """Show everything in a theme."""
        self.theme = theme
        self.bar.set_theme(theme)
        self.legend.set_theme(theme)
        self._rebuild()

    # ------------------------------------------------------------------ camera

    def look(self, side: str) -> None:
        """Look from a side, one of `SIDES`, or at everything ("fit")."""
        if side in SIDES:
            self.camera.look(side)
        self.fit()

    def fit(self) -> None:
        """See the whole person."""
        if self.scene is not None:
            points = self.scene.body_points()
            if len(points):
                floor = points * (1.0, 0.0, 1.0) + np.array([0.0, self.scene.floor, 0.0])
                width, height = self.picture_size
                room = max(0.5 * height, height - TAKEN)
                self.camera.fit(np.concatenate([points, floor]), width / room)
                self.camera.zoom(room / height)
                self.camera.target = self.camera.target + self.camera.half_height() * (
                    (height - room) / height * self.camera.basis[1]
                )
        self._fitted = True
        self._changed()

    def _moved_by_hand(self) -> None:
        self._fitted = False
        self._changed()

    # ------------------------------------------------------------------ drawing

    @property
    def picture_size(self) -> tuple[int, int]:
        """Width and height of the picture, without the legend below it; never nothing."""
        return max(1, self.width()), max(1, self.height() - self.legend.height_for(self.width()))

    def _changed(self) -> None:
        self._stale, self._fine = True, None
        self._settle.start()
        self.update(QRect(0, 0, *self.picture_size))

    def _settled(self) -> None:
        """Nothing moves any more: draw with smooth edges."""
        if self.scene is not None and not self.failure and self.isVisible():
            self._fine = FinePicture(self._pixels_shown(), self._quality.smooth)
            self._next_band.start()

    def _draw_band(self) -> None:
        """Draw a part of the picture with smooth edges; show it once all of it is there."""
        if self._fine is None or self.scene is None or self._canvas is None:
            return
        self._fine.draw_band(self._shown_canvas(), self.camera)
        if not self._fine.complete:
            self._next_band.start()
            return
        self._show_fine(self._fine)
        self.update(QRect(0, 0, *self.picture_size))

    def _show_fine(self, fine: FinePicture) -> None:
        width, height = fine.size
        self._image = QImage(fine.pixels.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
        self._pixels, self._stale, self._fine = fine.pixels, False, None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Show the picture; it is drawn anew only if something changed."""
        self._guard(self._paint)

    def _paint(self) -> None:
        painter = QPainter(self)
        try:
            if self.scene is None or self.failure:
                painter.fillRect(self.rect(), QColor(self.theme.sky_bottom))
                if self.failure:
                    painter.setPen(QColor(self.theme.text))
                    painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.failure)
                return
            if self._new and not self._quality.patient:
                self._new = False
                painter.fillRect(self.rect(), QColor(self.theme.sky_bottom))
                self._first_picture.start()
                return
            began = perf_counter()
            drawn = self._stale or self._image is None
            if drawn:
                self._render()
            notes = Annotations(painter, self.scene, self.camera, self.picture_size, self.theme, self._words)
            if drawn and self._stale:
                self._show_quick()
            assert self._image is not None
            width, height = self._pixels_shown()
            if width * height < LARGE:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(QRect(0, 0, *self.picture_size), self._image)
            painter.setClipRect(QRect(0, 0, *self.picture_size))
            selected = self.context.document.selection
            notes.draw(self.measurement, selected.point or selected.segment)
            if drawn:
                self._quality.took(perf_counter() - began, self._image.width() / width)
        finally:
            painter.end()

    def _pixels_shown(self) -> tuple[int, int]:
        """Width and height of the picture in pixels of the screen."""
        ratio = self.devicePixelRatioF()
        width, height = self.picture_size
        return max(1, round(ratio * width)), max(1, round(ratio * height))

    def prepare(self) -> None:
        """Get ready to draw, so that the first recording is shown without a pause."""
        self._guard(lambda: self._made_canvas().prepare())

    def _made_canvas(self) -> Canvas:
        if self._canvas is None:
            self._canvas = Canvas()
        return self._canvas

    def _shown_canvas(self) -> Canvas:
        """What the scene is drawn on."""
        canvas = self._made_canvas()
        canvas.show(self.scene)
        return canvas

    def _render(self) -> None:
        """Draw a picture, or begin to draw one of something that moves; `_show_quick` takes that."""
        canvas = self._shown_canvas()
        if self._quality.patient:
            fine = FinePicture(self._pixels_shown(), self._quality.smooth)
            while not fine.complete:
                fine.draw_band(canvas, self.camera)
            self._show_fine(fine)
            return
        scale = self._quality.scale(self.devicePixelRatioF())
        width, height = (max(1, round(scale * length)) for length in self.picture_size)
        canvas.draw(self.camera, (width, height), quick=True)

    def _show_quick(self) -> None:
        pixels = self._shown_canvas().drawn()
        height, width, _ = pixels.shape
        image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
        image.flip(Qt.Orientation.Vertical)  # in place: VTK's rows begin at the bottom
        image.convertTo(QImage.Format.Format_RGB32)  # which Qt enlarges in half the time
        self._image, self._pixels, self._stale = image, pixels, False

    def take_time(self) -> None:
        """Draw as finely as can be from now on, so that a picture of the window does not depend on the machine."""
        self._quality.patient = True
        self._changed()

    def picture(self, size: tuple[int, int]) -> QImage:
        """The picture as it is shown, at another size."""
        from biomec_app.viewer.export import draw_picture

        assert self.scene is not None
        return draw_picture(self.scene, self.camera, size, self.theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw at the new size."""
        self._arrange()

    def _arrange(self) -> None:
        """Put the buttons over the picture and the legend under it."""
        width, height = self.picture_size
        self.camera.size = self._pixels_shown()
        self.bar.adjustSize()
        self.bar.move(self.width() - self.bar.width() - 8, 8)
        self.legend.setGeometry(0, height, width, max(0, self.height() - height))
        if self._fitted:
            self._guard(self.fit)
        self._changed()

    def release(self) -> None:
        """Free the graphics library; nothing is drawn after that."""
        for timer in (self._first_picture, self._settle, self._next_band):
            timer.stop()
        self.scene = self._fine = None
        if self._canvas is not None:
            self._canvas.close()
            self._canvas = None

    def _guard(self, work: Callable[[], None]) -> None:
        """Run what an event asks for; an error must not escape from Qt's events, where it could end the program."""
        try:
            work()
        except Exception as error:
            logging.getLogger(__name__).exception("The 3-D view failed")
            self.failure = f"The 3-D view failed: {error}"

    # ------------------------------------------------------------------ mouse

    def pick_at(self, x: float, y: float) -> Picked | None:
        """What lies under a pixel."""
        if self.scene is None:
            return None
        return pick(self.scene, self.camera, x, y, self.picture_size, points_only=self.measurement is not None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the scene."""
        self._grabbed, self._moved = event.position().toPoint(), 0

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Turn or shift the scene, or say what is under the mouse."""
        self._guard(lambda: self._mouse_moved(event))

    def _mouse_moved(self, event: QMouseEvent) -> None:
        here = event.position().toPoint()
        if self._grabbed is None or not event.buttons():
            self._hover(event.position())
            return
        step = here - self._grabbed
        self._moved += abs(step.x()) + abs(step.y())
        self._grabbed = here
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.buttons() & Qt.MouseButton.LeftButton and not shifted:
            self.camera.orbit(-0.4 * step.x(), 0.4 * step.y())
        else:
            self.camera.pan(step.x() / self.picture_size[1], -step.y() / self.picture_size[1])
        self._moved_by_hand()

    def _hover(self, at: QPointF) -> None:
        found = self.pick_at(at.x(), at.y())
        if found is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(self.mapToGlobal(at.toPoint()), found.words, self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click picks what is under the mouse."""
        clicked = self._moved <= CLICK and event.button() == Qt.MouseButton.LeftButton
        self._grabbed = None
        if clicked:
            self._guard(lambda: self._clicked(event.position()))

    def _clicked(self, at: QPointF) -> None:
        found = self.pick_at(at.x(), at.y())
        if self.measurement is not None:
            if found is not None and found.point is not None:
                self.measurement = self.measurement.with_point(found.point)
                self.update()
            return
        self.context.document.select(
            point=None if found is None else found.point,
            segment=None if found is None else found.segment,
            muscle=None if found is None else found.muscle,
        )

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """See the whole person again."""
        self._guard(self.fit)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom."""
        self.camera.zoom(1.0015 ** event.angleDelta().y())
        self._moved_by_hand()
        event.accept()

    # ------------------------------------------------------------------ keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Sides, fit, zoom, follow; Ctrl with arrows turns, Ctrl+Shift shifts, Esc ends measuring."""
        if not self.press(event.key(), event.text(), event.modifiers()):
            event.ignore()

    def press(self, key: int, text: str, modifiers: Qt.KeyboardModifier) -> bool:
        """Do what a key means; False if it means nothing here."""
        turn = {Qt.Key.Key_Left: (-6.0, 0.0), Qt.Key.Key_Right: (6.0, 0.0), Qt.Key.Key_Up: (0.0, 6.0),
                Qt.Key.Key_Down: (0.0, -6.0)}  # fmt: skip
        control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        if control and key in turn:
            right, up = turn[Qt.Key(key)]
            if modifiers & Qt.KeyboardModifier.ShiftModifier:
                self.camera.pan(0.01 * right, 0.01 * up)
            else:
                self.camera.orbit(right, up)
            self._moved_by_hand()
        elif text in KEYS:
            self.look(KEYS[text])
        elif text in ("+", "="):
            self.camera.zoom(1.15)
            self._moved_by_hand()
        elif text == "-":
            self.camera.zoom(1.0 / 1.15)
            self._moved_by_hand()
        elif text.lower() == "f":
            self.fit()
        elif text.lower() == "c":
            self.context.document.set_view(follow=not self.context.document.view.follow)
        elif key == Qt.Key.Key_Escape and self.measurement is not None:
            self.context.document.set_view(measure="")
        elif key == Qt.Key.Key_Escape:
            self.context.document.select(point=None, segment=None, muscle=None)
        else:
            return False
        return True

    def changeEvent(self, event: QEvent) -> None:
        """Draw anew where the screen's resolution changed."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._changed()
        super().changeEvent(event)
