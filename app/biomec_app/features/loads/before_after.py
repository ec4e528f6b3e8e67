"""Curves before and after a change, one at a time, chosen from a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.plain_text import html
from biomec.signals.stretches import stretches
from biomec_app.kit import theme as themes


@dataclass(frozen=True, eq=False)
class Pair:
    """A curve (T,) before and after."""

    title: str
    unit: str
    before: FloatArray
    after: FloatArray


class BeforeAfter(QWidget):
    """A list of curves, and the chosen one over time: dashed before, solid after; frames that do not count are grey."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pairs: tuple[Pair, ...] = ()
        self._counted: BoolArray = np.zeros(0, dtype=np.bool_)
        self._rate = 1.0
        self.choice = QComboBox()
        self.choice.setObjectName(f"{name}.curve")
        self.choice.setAccessibleName("Curve to show before and after")
        self.choice.currentIndexChanged.connect(self._draw)
        self.view = pg.GraphicsLayoutWidget()
        self.view.setObjectName(f"{name}.plot")
        self.view.setAccessibleName("The curve before and after")
        self.plot = self.view.addPlot(enableMenu=False)
        self.plot.hideButtons()
        self.plot.setMouseEnabled(x=False, y=False)
        for side in ("left", "bottom"):
            self.plot.getAxis(side).enableAutoSIPrefix(False)
        layout = QVBoxLayout(self)
        layout.addWidget(self.choice)
        layout.addWidget(self.view, 1)

    def set_pairs(self, pairs: Sequence[Pair], counted: BoolArray, rate_hz: float) -> None:
        """Show the first of some curves; counted (T,) says which frames count."""
        self.pairs, self._counted, self._rate = tuple(pairs), counted, rate_hz
        self.choice.clear()
        self.choice.addItems([one.title for one in pairs])

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colours of the window."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        theme, plot = themes.of_palette(self), self.plot
        self.view.setBackground(QColor(theme.window))
        plot.clear()
        for side in ("left", "bottom"):
            plot.getAxis(side).setPen(QColor(theme.line))
            plot.getAxis(side).setTextPen(QColor(theme.faint))
        k = self.choice.currentIndex()
        if not 0 <= k < len(self.pairs):
            return
        pair = self.pairs[k]
        time = np.arange(len(pair.before)) / self._rate
        shade = QColor(theme.faint)
        shade.setAlphaF(0.16)
        for first, stop in stretches(~self._counted).tolist():
            ends = (first / self._rate, stop / self._rate)
            region = pg.LinearRegionItem(ends, movable=False, brush=shade, pen=pg.mkPen(None))
            region.setZValue(-10)
            plot.addItem(region, ignoreBounds=True)
        dashed = pg.mkPen(theme.faint, width=1.6, style=Qt.PenStyle.DashLine)
        plot.plot(time, pair.before, pen=dashed, connect="finite")
        plot.plot(time, pair.after, pen=pg.mkPen(theme.right, width=1.8), connect="finite")
        words = (
            f'<span style="color:{theme.faint}">- - before</span> &nbsp; '
            f'<span style="color:{theme.right}">— after</span> &nbsp; '
            f'<span style="color:{theme.faint}">grey: frames that do not count</span>'
        )
        plot.setTitle(f"{html(pair.title)} &nbsp; {words}", color=theme.text, size="9pt", justify="left")
        plot.getAxis("left").setLabel(pair.unit, color=theme.faint)
        plot.getAxis("bottom").setLabel("time [s]", color=theme.faint)
        known = np.concatenate([one[self._counted] for one in (pair.before, pair.after)])
        known = known[np.isfinite(known)]
        if known.size:
            low, high = float(known.min()), float(known.max())
            margin = max(0.06 * (high - low), 1e-6)
            plot.setYRange(low - margin, high + margin, padding=0.0)
        counted = np.flatnonzero(self._counted)
        if counted.size:
            room = 0.1 * (counted[-1] - counted[0] + 1) / self._rate
            plot.setXRange(
                max(0.0, counted[0] / self._rate - room), min(float(time[-1]), counted[-1] / self._rate + room),
                padding=0.0,
            )  # fmt: skip
