"""The page of the panel about torques: which muscles make them, and what work these do."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from biomec.base.plain_text import html
from biomec.pipeline.analysis import Analysis
from biomec.reporting.tables import number
from biomec_app.curves.curve import capital
from biomec_app.features.muscles.curves import share_key
from biomec_app.features.muscles.heat_content import CYCLE, TIME, has_cycles
from biomec_app.features.muscles.moment_content import MomentPage, moment_page, peak_sentences, usual_row, work_rows
from biomec_app.features.muscles.readings import has_muscles, readings_of
from biomec_app.features.muscles.stacked_plot import StackedPlot, layer_colour
from biomec_app.kit.rich_text import rich_label
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.session.context import Context

COLUMNS = ("Muscle", "Given", "Taken", "Least", "Most")
TIPS = (
    "Whole muscles that turn about this axis", "Work while shortening [J]", "Work while being stretched [J]",
    "Least power [W]; below 0 it takes energy", "Greatest power [W]",
)  # fmt: skip
LISTED, ROW = 8, 21  # muscles of the table, pixels of a row


class MomentTab(QWidget):
    """A torque as layers of muscles, who makes its peaks, and their work."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._theme: Theme = LIGHT
        self._known: Analysis | None = None
        self.page: MomentPage | None = None
        self.setObjectName("muscles.moments.page")
        self.row, self.over = QComboBox(), QComboBox()
        for combo, name, words in ((self.row, "row", "Torque of a joint"),
                                   (self.over, "over", "Over time, or mean over the cycle")):  # fmt: skip
            combo.setObjectName(f"muscles.moments.{name}")
            combo.setAccessibleName(words)
            combo.setToolTip(words)
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(8)
            combo.activated.connect(lambda _: self._show())
        self.curves = QPushButton("P&lot")
        self.curves.setObjectName("muscles.moments.plot")
        self.curves.setToolTip("Plot the named muscles' shares as curves")
        self.curves.clicked.connect(lambda _=False: self._plot())
        head = QHBoxLayout()
        head.addWidget(self.row, 2)
        head.addWidget(self.over, 1)
        head.addWidget(self.curves)
        self.plot = StackedPlot()
        self.legend = rich_label("muscles.moments.legend", "Colours of the muscles")
        self.words = rich_label("muscles.moments.words", "Who makes the torque")
        self.table = self._table()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 4)
        layout.setSpacing(5)
        layout.addLayout(head)
        layout.addWidget(self.legend)
        layout.addWidget(self.plot, 3)
        layout.addWidget(self.words)
        layout.addWidget(self.table, 2)

    def _table(self) -> QTableWidget:
        table = QTableWidget(0, len(COLUMNS))
        table.setObjectName("muscles.moments.work")
        table.setAccessibleName("Work and power of the muscles")
        table.setHorizontalHeaderLabels(COLUMNS)
        for k, tip in enumerate(TIPS):
            item = table.horizontalHeaderItem(k)
            assert item is not None  # the labels were set
            item.setToolTip(tip)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW)
        table.setShowGrid(False)
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        table.setTabKeyNavigation(False)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setMinimumHeight(90)
        head = table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        return table

    # ------------------------------------------------------------------ content

    def set_analysis(self, analysis: Analysis) -> None:
        """Show the muscle forces of an analysis."""
        before = self.row.currentData() or usual_row(analysis)
        self._known = analysis
        rows = readings_of(analysis).forces.rows
        self.row.clear()
        for row in rows:
            self.row.addItem(capital(row), row)
        self.row.setCurrentIndex(max(0, self.row.findData(before)))
        over = self.over.currentData() or (CYCLE if has_cycles(analysis) else TIME)
        self.over.clear()
        self.over.addItem("Over time", TIME)
        if has_cycles(analysis):
            self.over.addItem("Mean cycle", CYCLE)
        self.over.setCurrentIndex(max(0, self.over.findData(over)))
        self._show()

    def _show(self) -> None:
        known, theme = self._known, self._theme
        if known is None or not has_muscles(known) or self.row.currentData() is None:
            return
        row = str(self.row.currentData())
        self.page = page = moment_page(known, row, str(self.over.currentData()))
        self.plot.set_page(page)
        self.plot.setVisible(page.known)
        squares = [
            f'<span style="color:{layer_colour(layer, theme)}">■</span>&nbsp;{html(layer.name).replace(" ", "&nbsp;")}'
            for layer in page.layers
        ]
        note = f'<span style="color:{theme.faint}">{html(page.note)}</span>' if page.note else ""
        self.legend.setText(" ".join(squares) + (f"<br>{note}" if note else "") if page.known else note)
        self.words.setText("<br>".join(html(one) for one in peak_sentences(known, row)))
        self._fill(work_rows(known, row)[:LISTED])
        self.set_frame(self._context.document.frame)

    def _fill(self, rows: tuple[tuple[str, tuple[float, float, float, float]], ...]) -> None:
        self.table.setRowCount(len(rows))
        shown: tuple[Callable[[float], str], ...] = (
            lambda value: number(value, 1, "J"), lambda value: number(value, 1, "J"),
            lambda value: number(value, 0, "W"), lambda value: number(value, 0, "W"),
        )  # fmt: skip
        for k, (group, values) in enumerate(rows):
            texts = (capital(group), *(text(value) for text, value in zip(shown, values, strict=True)))
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                if column:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.table.setItem(k, column, item)

    def set_frame(self, frame: int) -> None:
        """Mark the current moment."""
        page = self.page
        there = page is not None and page.over == TIME and frame < len(page.x)
        self.plot.set_hand(float(page.x[frame]) if there and page is not None else None)

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.plot.set_theme(theme)
        self._show()

    def _plot(self) -> None:
        """Plot the torque and the shares of the named muscles."""
        if self.page is not None:
            keys = [share_key(self.page.row, one.name) for one in self.page.layers if one.number >= 0]
            self._context.document.select(curves=tuple(keys))
            self._context.plots.look_asked.emit()
