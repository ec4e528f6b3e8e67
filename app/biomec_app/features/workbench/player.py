"""Play, pause, step, scrub, speed and loop of the moment that the workbench shows."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSlider, QToolButton, QWidget

from biomec.base.arrays import FloatArray
from biomec_app.features.workbench.bench import Bench
from biomec_app.kit.media_icons import SIZE, media_icon
from biomec_app.kit.theme import LIGHT, Theme

SLOW = (1e-6, 1e-5, 1e-4, 1e-3, 0.01)  # of what is over within a moment; 1e-6 shows a microsecond in a second
SHORT_S = 0.5
SPEEDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0)
INTERVAL_MS = 16
LEAP = 10  # moments of a step with Shift


class Player(QWidget):
    """Moves the time of the bench over the moments of the motion that is shown."""

    def __init__(self, bench: Bench, parent: QWidget | None = None, clock: Callable[[], float] = perf_counter) -> None:
        super().__init__(parent)
        self.bench, self._clock = bench, clock
        self.times: FloatArray = np.zeros(1)
        self._began, self._from = 0.0, 0.0
        self._theme: Theme = LIGHT
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.tick)
        self._build()
        bench.time_changed.connect(self._show_time)
        self.set_theme(LIGHT)

    def _build(self) -> None:
        self.first = self._button("first", "First moment (Home)", lambda: self.go(0))
        self.back = self._button("back", "One moment back (Ctrl+Left)", lambda: self.step(-1))
        self.play_button = self._button("play", "Play or pause (Ctrl+Space)", self.toggle)
        self.forward = self._button("forward", "One moment forward (Ctrl+Right)", lambda: self.step(1))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("workbench.time")
        self.slider.setAccessibleName("Moment that is shown")
        self.slider.setToolTip("Moment that is shown; drag it")
        self.slider.setMinimumWidth(80)
        self.slider.valueChanged.connect(self.go)
        self.told = QLabel()
        self.told.setObjectName("workbench.told-time")
        self.told.setAccessibleName("Time")
        self.told.setMinimumWidth(self.told.fontMetrics().horizontalAdvance("00.0000 s") + 4)
        self.speed = QComboBox()
        self.speed.setObjectName("workbench.speed")
        self.speed.setAccessibleName("Speed")
        self.speed.setToolTip("How fast it plays; 1× is real time")
        self._offer(SPEEDS, 1.0)
        self.speed.currentIndexChanged.connect(lambda _: self._rebase())
        self.loop = QToolButton()
        self.loop.setObjectName("workbench.loop")
        self.loop.setText("Loop")
        self.loop.setCheckable(True)
        self.loop.setChecked(True)
        self.loop.setToolTip("Begin again at the end")
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 2, 6, 2)
        row.setSpacing(2)
        for widget in (self.first, self.back, self.play_button, self.forward):
            row.addWidget(widget)
        row.addWidget(self.slider, 1)
        row.addWidget(self.told)
        row.addWidget(self.speed)
        row.addWidget(self.loop)

    def _button(self, name: str, tip: str, act: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setObjectName(f"workbench.{name}")
        button.setAccessibleName(tip)
        button.setToolTip(tip)
        button.setAutoRaise(True)
        button.setIconSize(SIZE)
        button.clicked.connect(lambda checked=False: act())
        return button

    # ------------------------------------------------------------------ moments

    @property
    def playing(self) -> bool:
        """Whether time runs."""
        return self._timer.isActive()

    @property
    def moment(self) -> int:
        """Number of the moment that is shown."""
        return int(np.abs(self.times - self.bench.time_s).argmin())

    def set_times(self, times: FloatArray) -> None:
        """Play over other moments (T,) [s]."""
        self.times = times if len(times) else np.zeros(1)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(self.times) - 1)
        for widget in (self.first, self.back, self.play_button, self.forward, self.slider):
            widget.setEnabled(len(self.times) > 1)
        if len(self.times) < 2:
            self.pause()
        short = len(self.times) > 1 and float(self.times[-1] - self.times[0]) <= SHORT_S
        if short != (self.speed.count() > len(SPEEDS)):
            self._offer((*SLOW, *SPEEDS) if short else SPEEDS, 0.01 if short else 1.0)
        self._rebase()
        self._show_time(self.bench.time_s)

    def _offer(self, speeds: tuple[float, ...], chosen: float) -> None:
        with QSignalBlocker(self.speed):
            self.speed.clear()
            for speed in speeds:
                self.speed.addItem(f"{speed:.6f}".rstrip("0").rstrip(".") + "×", speed)
            self.speed.setCurrentIndex(speeds.index(chosen))

    def go(self, moment: int) -> None:
        """Show a moment; playing goes on from there."""
        self.bench.set_time(float(self.times[min(max(moment, 0), len(self.times) - 1)]))
        self._rebase()

    def step(self, moments: int) -> None:
        """Pause, and go some moments forward or back."""
        self.pause()
        self.go(self.moment + moments)

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        elif len(self.times) > 1:
            if self.bench.time_s >= self.times[-1]:
                self.bench.set_time(float(self.times[0]))
            self._rebase()
            self._timer.start()
            self._show_playing()

    def pause(self) -> None:
        """Stay."""
        self._timer.stop()
        self._show_playing()

    def tick(self) -> None:
        """Show the moment of now."""
        first, last = float(self.times[0]), float(self.times[-1])
        now = self._from + (self._clock() - self._began) * float(self.speed.currentData())
        if now > last and not self.loop.isChecked():
            self.bench.set_time(last)
            self.pause()
            return
        if now > last:
            now = first + (now - first) % max(last - first, 1e-9)
        self.bench.set_time(now)

    def _rebase(self) -> None:
        self._began, self._from = self._clock(), self.bench.time_s

    # ------------------------------------------------------------------ looks

    def _show_time(self, time_s: float) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(self.moment)
        if self.speed.count() > len(SPEEDS):
            self.told.setText(f"{1e3 * time_s:.3f} ms")
        else:
            self.told.setText(f"{time_s:.4g} s" if abs(time_s) < 1e-3 else f"{time_s:.3f} s")

    def _show_playing(self) -> None:
        name = "pause" if self.playing else "play"
        self.play_button.setIcon(media_icon(name, self._theme.text, self._theme.faint))

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self._theme = theme
        for name, button in (("first", self.first), ("back", self.back), ("forward", self.forward)):
            button.setIcon(media_icon(name, theme.text, theme.faint))
        self._show_playing()
