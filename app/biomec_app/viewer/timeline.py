"""The timeline under the 3-D view: the slider with the quality of every frame, play buttons, speed, loop and legend."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from biomec.base.notices import Grade
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.frame_map import FrameMap, frame_map
from biomec.reporting.tables import percent
from biomec_app.kit.media_icons import SIZE, media_icon
from biomec_app.kit.rich_text import rich
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.kit.words import FROM_START, zero_told
from biomec_app.session.context import Context
from biomec_app.viewer.event_lane import EventLane
from biomec_app.viewer.playback import SPEEDS, Loop, Playback
from biomec_app.viewer.quality_strip import QualityStrip, StripMark, contact_colours, state_colours

LEAP = 10  # frames of a step with Shift
LOOPS = {Loop.ONCE: "Once", Loop.WHOLE: "Loop all", Loop.CYCLE: "Loop cycle"}
TYPING = (QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit)
"""Widgets that use arrows and Space themselves; while one has the focus, they do not move time."""


class Timeline(QWidget):
    """Moves the frame of the document, and shows where it is."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self._document = context, context.document
        self._theme = LIGHT
        self.setObjectName("timeline")
        self.playback = Playback(self._document, self)
        self.strip = QualityStrip()
        self.events = EventLane(self._document, self.strip)
        self.map: FrameMap | None = None
        self._known: Analysis | None = None
        self._build()
        self._build_shortcuts()
        self.strip.picked.connect(self._document.set_frame)
        self.playback.changed.connect(self._show_playing)
        self._document.opened.connect(self.refresh)
        self._document.analysis_changed.connect(self.refresh)
        self._document.frame_changed.connect(self._show_frame)
        context.closing.append(self.playback.pause)
        self.set_theme(LIGHT)
        self.refresh()

    # ------------------------------------------------------------------ parts

    def _build(self) -> None:
        play = self.playback
        self.first = self._button("first", "First frame (Home)", lambda: play.go(0))
        self.back = self._button("back", "One frame back (←; ten with Shift)", lambda: play.step(-1))
        self.play = self._button("play", "Play or pause (Space)", play.toggle)
        self.forward = self._button("forward", "One frame forward (→; ten with Shift)", lambda: play.step(1))
        self.last = self._button("last", "Last frame (End)", lambda: play.go(self._document.frames - 1))
        for button in (self.back, self.forward):
            button.setAutoRepeat(True)
        self.speed = QComboBox()
        self._name(
            self.speed,
            "timeline.speed",
            "Speed",
            "How fast it plays; 1× is as recorded (keys , and .)",
        )
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g}×", speed)
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.speed.currentIndexChanged.connect(lambda _: play.set_speed(self.speed.currentData()))
        self.loop = QComboBox()
        self._name(self.loop, "timeline.loop", "Loop", "At the end: stop, repeat all, or repeat the cycle (L)")
        for loop, words in LOOPS.items():
            self.loop.addItem(words, loop)
        self.loop.setCurrentIndex(list(LOOPS).index(play.loop))
        self.loop.currentIndexChanged.connect(lambda _: play.set_loop(Loop(self.loop.currentData())))
        self.frame = QSpinBox()
        self._name(self.frame, "timeline.frame", "Frame number", "Current frame, by the numbers of the file")
        self.frame.setKeyboardTracking(False)
        self.frame.valueChanged.connect(lambda value: self._document.set_frame(value - self._first_frame))
        self.time = QDoubleSpinBox()
        self._name(self.time, "timeline.time", "Time from the start, in seconds", "")
        self.time.setKeyboardTracking(False)
        self.time.setSuffix(" s")
        self.time.setButtonSymbols(
            QAbstractSpinBox.ButtonSymbols.NoButtons
        )  # a step of time is one of frames, beside it
        self.time.valueChanged.connect(lambda value: self._document.set_frame(round(value * self._document.rate_hz)))
        self.legend = rich(QLabel())
        self.legend.setObjectName("timeline.legend")
        self.legend.setMinimumWidth(1)  # the legend may be cut rather than widen the window
        self.legend.setToolTip("What the colours of the time slider mean. Point at the slider to learn why.")

        controls = QHBoxLayout()
        controls.setContentsMargins(8, 0, 8, 0)
        controls.setSpacing(2)
        for button in (self.first, self.back, self.play, self.forward, self.last):
            controls.addWidget(button)
        controls.addSpacing(6)
        for box in (self.speed, self.loop):
            controls.addWidget(box)
            controls.addSpacing(4)
        controls.addStretch(1)
        numbers: tuple[tuple[str, QWidget], ...] = (("Frame", self.frame), (FROM_START.capitalize(), self.time))
        for words, widget in numbers:
            label = QLabel(words)
            label.setBuddy(widget)
            controls.addWidget(label)
            controls.addSpacing(2)
            controls.addWidget(widget)
            controls.addSpacing(6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 5)
        layout.setSpacing(3)
        layout.addWidget(self.strip)
        layout.addWidget(self.events)
        layout.addLayout(controls)
        row = QHBoxLayout()
        row.setContentsMargins(10, 0, 10, 0)
        row.addWidget(self.legend, 1)
        layout.addLayout(row)

    def _button(self, icon: str, help_: str, run: object) -> QToolButton:
        button = QToolButton()
        self._name(button, f"timeline.{icon}", help_.partition(" (")[0], help_)
        button.setProperty("icon_name", icon)
        button.setAutoRaise(True)
        button.setIconSize(SIZE)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(run)
        return button

    def _name(self, widget: QWidget, key: str, name: str, help_: str) -> None:
        widget.setObjectName(key)
        widget.setAccessibleName(name)
        widget.setToolTip(help_)

    def _build_shortcuts(self) -> None:
        play = self.playback
        keys = {
            "Space": play.toggle,
            "Left": lambda: play.step(-1),
            "Right": lambda: play.step(1),
            "Shift+Left": lambda: play.step(-LEAP),
            "Shift+Right": lambda: play.step(LEAP),
            "Home": lambda: play.go(0),
            "End": lambda: play.go(self._document.frames - 1),
            ",": lambda: self._choose(self.speed, -1),
            ".": lambda: self._choose(self.speed, 1),
            "L": lambda: self._choose(self.loop, 1, around=True),
        }
        self._shortcuts: dict[str, QShortcut] = {}
        for key, run in keys.items():
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
            shortcut.activated.connect(run)
            self._shortcuts[key] = shortcut
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_changed)

    def _choose(self, box: QComboBox, step: int, *, around: bool = False) -> None:
        """Choose the next or previous item that can be chosen; ``around``: after the last comes the first."""
        model, index = box.model(), box.currentIndex()
        for _ in range(box.count()):
            index += step
            if around:
                index %= box.count()
            if not 0 <= index < box.count():
                return
            if model.flags(model.index(index, 0)) & Qt.ItemFlag.ItemIsEnabled:
                box.setCurrentIndex(index)
                return

    def _focus_changed(self, _: QWidget | None, now: QWidget | None) -> None:
        """Leave the keys to widgets that use them themselves."""
        typing = isinstance(now, TYPING)
        for key, shortcut in self._shortcuts.items():
            pressing = key == "Space" and isinstance(now, QAbstractButton)
            shortcut.setEnabled(not typing and not pressing)

    # ------------------------------------------------------------------ following the document

    @property
    def _first_frame(self) -> int:
        return self.map.first_frame if self.map is not None else 0

    def refresh(self) -> None:
        """Show another recording, or what has become of it."""
        is_open = self._document.is_open
        analysis = self._document.analysis if is_open else None
        if analysis is not None and analysis is self._known:
            return
        self._known = analysis
        self.map = None if analysis is None else frame_map(analysis)
        self.strip.set_content(self.map, () if analysis is None else marks(analysis))
        self.events.set_events(() if analysis is None else analysis.events)
        buttons = self.first, self.back, self.play, self.forward, self.last
        for widget in (self.strip, self.events, *buttons, self.frame, self.time):
            widget.setEnabled(is_open)
        has_cycles = bool(self.playback.cycles)
        item = self.loop.model().item(list(LOOPS).index(Loop.CYCLE))  # type: ignore[attr-defined]
        item.setEnabled(has_cycles)
        item.setToolTip("" if has_cycles else "No cycles were found yet: run Kinematics ▸ Cycles.")
        if not has_cycles and self.playback.loop is Loop.CYCLE:
            self.loop.setCurrentIndex(list(LOOPS).index(Loop.WHOLE))
        self._show_legend()
        if self.map is None or analysis is None:
            return
        zero = zero_told(analysis.session.dynamic)
        self.time.setToolTip(f"Time of the current frame. {zero}")
        self.frame.setToolTip(f"Current frame, by the numbers of the file. {zero}")
        for box, low, high in (
            (self.frame, self.map.first_frame, self.map.first_frame + self.map.frames - 1),
            (self.time, 0.0, (self.map.frames - 1) / self.map.rate_hz),
        ):
            box.blockSignals(True)
            box.setRange(low, high)  # type: ignore[arg-type]
            box.blockSignals(False)
        self.time.setDecimals(2 if self.map.rate_hz <= 100.0 else 3)
        self.time.setSingleStep(1.0 / self.map.rate_hz)
        self._show_frame(self._document.frame)

    def _show_frame(self, frame: int) -> None:
        if self.map is None:
            return
        for widget, value in (
            (self.strip, frame), (self.frame, frame + self.map.first_frame), (self.time, frame / self.map.rate_hz),
        ):  # fmt: skip
            widget.blockSignals(True)
            widget.setValue(value)  # type: ignore[arg-type]
            widget.blockSignals(False)
        self.strip.update()

    def _show_playing(self) -> None:
        name = "pause" if self.playback.playing else "play"
        self.play.setIcon(media_icon(name, self._theme.text, self._theme.faint))
        self.play.setAccessibleName("Pause" if self.playback.playing else "Play")
        index = min(range(len(SPEEDS)), key=lambda k: abs(SPEEDS[k] - self.playback.speed))
        self.speed.blockSignals(True)
        self.speed.setCurrentIndex(index)
        self.speed.blockSignals(False)

    def _show_legend(self) -> None:
        if self.map is None:
            self.legend.clear()
            return
        colours = state_colours(self._theme)
        parts = [(colours[state], f"{state.words} {percent(self.map.share(state), 1)}") for state in self.map.states]
        grades, tints = self.map.found_grades, contact_colours(self._theme, self.map)
        alone = grades in ((Grade.NOT_JUDGED,), (Grade.GOOD,))
        parts += [(tints[grade], "contact" if alone else f"contact: {grade.value}") for grade in grades]
        words = (f'<span style="color:{tint}">■</span>&nbsp;{text.replace(" ", "&nbsp;")}' for tint, text in parts)
        self.legend.setText(f'<span style="color:{self._theme.faint}; font-size:small">{" &nbsp; ".join(words)}</span>')

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.strip.set_theme(theme)
        self.events.set_theme(theme)
        for button in (self.first, self.back, self.forward, self.last):
            button.setIcon(media_icon(str(button.property("icon_name")), theme.text, theme.faint))
        self._show_playing()
        self._show_legend()


def marks(analysis: Analysis) -> list[StripMark]:
    """Borders of the cycles of a recording."""
    found: list[StripMark] = []
    if "cycles" in analysis.done:
        for name, cycles in analysis.cycles.groups.items():
            side = name.lower() if name in ("Right", "Left") else ""
            for k, frame in enumerate(cycles.borders):
                of = f"{side} cycle" if side else "cycle"
                begins = k < len(cycles.borders) - 1
                found.append(StripMark(frame, f"{of} {k + 1} begins" if begins else f"{of} {k} ends", side))
    return found
