"""Computed activations beside measured EMG and beside usual timing: courses, agreement, and which channel is which."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QScrollArea,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.base.plain_text import html
from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec_app.features.muscles.emg_content import EmgLine, EmgPage, emg_page
from biomec_app.features.muscles.plotted import keys_of
from biomec_app.features.muscles.readings import has_muscles, readings_of
from biomec_app.features.muscles.timing_chart import TimingChart
from biomec_app.kit.dialog_parts import Fault, explanation
from biomec_app.kit.rich_text import rich_label
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.session.context import Context
from biomec_app.session.jobs import Jobs
from biomec_app.session.side_window import SideWindow

TITLE = "EMG beside Muscles"
COLUMNS = ("Channel", "Muscle", "r", "Later", "RMS", "On/off")
TIPS = (
    "Name of the channel in the file", "Muscle that it measures, by its name or as chosen by hand",
    "Greatest correlation of both courses", "By how much the computed course comes later [ms]",
    "Root mean square of the difference, both over their own maximum",
    "Share of the frames in which both are active, or both are not",
)  # fmt: skip
TIME, CYCLE = "time", "cycle"
ABOUT = (
    "Green is the envelope of the EMG, the line is the computed activation, both over their own maximum. Sharing "
    "knows nothing of the EMG unless the settings say so: that both agree is evidence, that they do not is a question."
)
COMPARING = "Comparing the EMG with the computed activations …"
PLOT = 96  # pixels of a channel
SIZE = (1080, 720)


class MuscleEmgWindow(SideWindow):
    """Channels and their agreement on the left, courses on the right; usual timing on a page of its own."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, "muscle-emg", TITLE, parent)
        self.page: EmgPage | None = None
        self._known: Analysis | None = None
        self._compared: Analysis | None = None
        self._theme: Theme = LIGHT
        self.jobs = Jobs(self)
        self._build()
        self.jobs.failed.connect(lambda title, sentence: self._tell(sentence))
        for ended in (self.jobs.finished, self.jobs.failed, self.jobs.cancelled):
            ended.connect(lambda *_: self._find())
        context.document.opened.connect(self.refresh)
        context.document.analysis_changed.connect(self.refresh)
        context.closing.append(self.jobs.cancel)
        self.resize(*SIZE)
        self.set_theme(context.theme)
        self.refresh()

    def _build(self) -> None:
        self.table = QTableWidget(0, len(COLUMNS))
        self.table.setObjectName("muscle-emg.channels")
        self.table.setAccessibleName("Channels and how far they agree")
        self.table.setHorizontalHeaderLabels(COLUMNS)
        for k, tip in enumerate(TIPS):
            item = self.table.horizontalHeaderItem(k)
            assert item is not None  # the labels were set
            item.setToolTip(tip)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.table.itemSelectionChanged.connect(self._chosen)
        self.over = QComboBox()
        self.over.setObjectName("muscle-emg.over")
        self.over.setAccessibleName("Over time, or mean over the cycle")
        for value, words in ((TIME, "Over time"), (CYCLE, "Over the cycle")):
            self.over.addItem(words, value)
        self.over.currentIndexChanged.connect(lambda _: self._draw())
        self.channels = QPushButton("EMG &Channels…")
        self.channels.setObjectName("muscle-emg.assign")
        self.channels.setToolTip("Say which channel is which muscle, and give maximal contractions")
        self.channels.clicked.connect(self._assign)
        self.said = rich_label("muscle-emg.said", "About the EMG")
        self.plots = pg.GraphicsLayoutWidget()
        self.plots.setObjectName("muscle-emg.plots")
        self.plots.setAccessibleName("Envelopes of the EMG and computed activations")
        area = QScrollArea()
        area.setWidget(self.plots)
        area.setWidgetResizable(True)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table, 1)
        column.addWidget(self.said)
        row = QHBoxLayout()
        row.addWidget(self.channels)
        row.addWidget(self.over, 1)
        column.addLayout(row)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(left)
        split.addWidget(area)
        split.setStretchFactor(1, 1)
        split.setSizes([430, SIZE[0] - 430])
        self.timing = TimingChart()
        self.timing.chosen.connect(self._pick)
        self.timing_said = rich_label("muscle-emg.timing.said", "About usual timing")
        second = QWidget()
        below = QVBoxLayout(second)
        below.addWidget(self.timing_said)
        scroll = QScrollArea()
        scroll.setWidget(self.timing)
        scroll.setWidgetResizable(True)
        below.addWidget(scroll, 1)
        self.tabs = QTabWidget()
        self.tabs.setObjectName("muscle-emg.tabs")
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(split, "&Envelopes")
        self.tabs.addTab(second, "Usual &Timing")
        self.wrong = Fault("muscle-emg.fault")
        layout = QVBoxLayout(self)
        layout.addWidget(explanation(ABOUT))
        layout.addWidget(self.tabs, 1)
        layout.addWidget(self.wrong)

    # ------------------------------------------------------------------ content

    def refresh(self) -> None:
        """Compare what is open now, in the background."""
        document = self.context.document
        known = document.analysis if document.is_open and has_muscles(document.analysis) else None
        if known is self._known and known is not None:
            return
        self._known = known
        if known is None:
            self.page = None
            self._show()
            self._tell("There are no muscle forces. Compute them first.")
            return
        self._tell("")
        self._find()

    def _find(self) -> None:
        """Compare what is open now, unless that is done, or was tried; a comparison that is running goes first."""
        known = self._known
        if self.closed or self.jobs.busy or known is None or known is self._compared:
            return
        self._compared = known

        def work(progress: Progress) -> EmgPage:
            return emg_page(known)

        def done(found: EmgPage) -> None:
            if self._known is known and not self.closed:
                self.page = found
                self._show()

        if self.page is None:
            self.said.setText(COMPARING)
        self.jobs.start(TITLE, work, done)

    def _tell(self, sentence: str) -> None:
        if not self.closed:
            self.wrong.say(sentence)

    def _show(self) -> None:
        page = self.page
        lines = () if page is None else page.lines
        self.table.setRowCount(len(lines))
        for row, line in enumerate(lines):
            for column, text in enumerate(cells(line)):
                item = QTableWidgetItem(text)
                if column >= 2:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                    item.setForeground(QColor(getattr(self._theme, line.grade)))
                words = line.agreement.sentence if line.agreement is not None else "Too few common frames."
                item.setToolTip(f"{words} EMG over {line.reference}.")
                self.table.setItem(row, column, item)
        self.said.setText(html(about(page)))
        self.channels.setEnabled(page is None or page.has_emg)
        rows = () if page is None else page.timing
        self.timing.set_rows(rows)
        self.tabs.setTabVisible(1, bool(rows))
        if page is not None:
            self.timing_said.setText(
                f"Grey: usually active ({html(page.note)}); colour: computed activation above a fifth of its greatest. "
                "The number is the share of the cycle in which both agree. Click a row to see the muscle."
            )
            if not lines and rows:
                self.tabs.setCurrentIndex(1)
        self._draw()

    def _draw(self) -> None:
        theme = self._theme
        self.plots.setBackground(QColor(theme.window))
        self.plots.clear()
        lines = () if self.page is None else self.page.lines
        self.plots.setMinimumHeight(PLOT * max(len(lines), 1) + 24)
        first: pg.PlotItem | None = None
        for row, line in enumerate(lines):
            plot = self._plot(row, line)
            if first is None:
                first = plot
            else:
                plot.setXLink(first)
            last = row == len(lines) - 1
            plot.getAxis("bottom").setStyle(showValues=last)

    def _plot(self, row: int, line: EmgLine) -> pg.PlotItem:
        theme, page = self._theme, self.page
        assert page is not None
        cycle = self.over.currentData() == CYCLE
        measured, computed = (line.cycle_measured, line.cycle_computed) if cycle else (line.measured, line.computed)
        x = np.linspace(0.0, 100.0, len(measured)) if cycle else page.time_s[: len(measured)]
        plot = self.plots.addPlot(row=row, col=0, enableMenu=False)
        plot.hideButtons()
        plot.setMouseEnabled(x=False, y=False)
        side = f"{line.channel.side} {line.channel.muscle}"
        plot.setTitle(f"{html(side)} ({html(line.channel.channel)})", color=theme.text, size="8pt", justify="left")
        plot.setYRange(0.0, 1.05, padding=0.0)
        for axis in ("left", "bottom"):
            plot.getAxis(axis).setPen(QColor(theme.line))
            plot.getAxis(axis).setTextPen(QColor(theme.faint))
        plot.getAxis("left").setTicks([[(0.0, "0"), (1.0, "1")]])
        green = QColor(theme.contact)
        green.setAlphaF(0.35)
        filled = np.nan_to_num(measured)
        plot.plot(x, filled, pen=pg.mkPen(theme.contact, width=1.0), fillLevel=0.0, brush=green)
        tint = theme.right if line.channel.side == "right" else theme.left
        plot.plot(x, computed, pen=pg.mkPen(tint, width=1.8), connect="finite")
        if cycle:
            for a, b in line.expected:
                bar = pg.QtWidgets.QGraphicsRectItem(a, 0.97, b - a, 0.06)
                bar.setPen(pg.mkPen(None))
                bar.setBrush(QColor(theme.faint))
                plot.addItem(bar, ignoreBounds=True)
        return plot

    # ------------------------------------------------------------------ what the user does

    def _assign(self) -> None:
        from biomec_app.dialogs.emg_channels import EmgChannelsDialog
        from biomec_app.kit.dialog_parts import opened

        if self._known is not None and self._known.session.dynamic.emg is not None:
            opened(EmgChannelsDialog(self.context, self))

    def _chosen(self) -> None:
        """Let the first element of the chosen channel stand out, and plot them all."""
        row = self.table.currentRow()
        if self.page is not None and 0 <= row < len(self.page.lines):
            self._pick(self.page.lines[row].elements)

    def _pick(self, elements: tuple[str, ...]) -> None:
        document = self.context.document
        if self._known is not None and elements:
            document.select(muscle=elements[0], segment=None, point=None)
            document.select(curves=keys_of(readings_of(self._known), elements, ("activation",)))

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.timing.set_theme(theme)
        self._show()


def cells(line: EmgLine) -> tuple[str, ...]:
    """A row of the table."""
    found = line.agreement
    words = f"{line.channel.side} {line.channel.muscle}"
    if found is None:
        return line.channel.channel, words, "–", "–", "–", "–"
    numbers = (f"{round(found.r, 2) + 0.0:.2f}", f"{1000.0 * found.lag_s:+.0f} ms", f"{found.rms:.2f}")
    signed = (number.replace("-", "−") for number in numbers)
    return line.channel.channel, words, *signed, f"{100.0 * found.agreement:.0f} %"


def about(page: EmgPage | None) -> str:
    """What is to be said about the EMG."""
    if page is None:
        return ""
    if not page.has_emg:
        missing = "The recording has no EMG."
        need = "Usual timing needs a gait cycle whose ground reaction was measured."
        return missing if page.timing else f"{missing} {need}"
    words = ["Compared where the loads of the joints can be relied on."] if page.lines else []
    if page.unknown:
        words.append(f"No muscle of the set: {', '.join(page.unknown)}. EMG Channels… says which muscle a channel is.")
    if page.own_maximum:
        who = "" if len(page.own_maximum) == len(page.lines) else f" of {', '.join(page.own_maximum)}"
        words.append(
            f"Without a maximal contraction{who}, sizes cannot be compared, only courses; enter one in EMG Channels…"
        )
    return " ".join(words)
