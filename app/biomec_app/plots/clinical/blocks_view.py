"""Pages of a report on screen: sentences, tables, bars and paths one below the other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from biomec.reporting.clinical.blocks import Bars, Block, Grid, PathOfPressure, Words
from biomec.reporting.tables import Table
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.painted import Painted
from biomec_app.kit.sections import PageOfTables, TableView, caption_label, words_label
from biomec_app.plots.clinical.bar_painter import bars_height, paint_bars
from biomec_app.plots.clinical.grid_painter import paint_grid
from biomec_app.plots.clinical.look import Look
from biomec_app.plots.clinical.pressure_painter import paint_path

WIDEST = 1100  # pixels of a table or a chart
GRID_HEIGHT = 170  # pixels of a row of panels
POINTS_PER_INCH = 72.0


class BlockPicture(Painted, QWidget):
    """A chart of a report, drawn by the same painter as on paper."""

    def __init__(self, block: Bars | Grid | PathOfPressure, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.block, self.look = block, look
        self.setAccessibleName(block.caption)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(policy)
        self.setMaximumWidth(WIDEST)
        self._fit(700.0)

    def _fit(self, width: float) -> None:
        if isinstance(self.block, Bars):
            height = bars_height(self.block, self.look, width)
        elif isinstance(self.block, Grid):
            height = GRID_HEIGHT * max(1, len(self.block.rows))
        else:
            height = 320.0
        if round(height) != self.height():
            self.setFixedHeight(round(height))

    def sizeHint(self) -> QSize:
        """As high as it is drawn."""
        return QSize(700, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Notes that need more lines need more height."""
        super().resizeEvent(event)
        self._fit(float(self.width()))

    def draw(self, painter: QPainter) -> None:
        """Draw the chart."""
        place = QRectF(self.rect())
        painter.fillRect(place, QColor(self.look.theme.panel))
        if isinstance(self.block, Bars):
            paint_bars(painter, place, self.block, self.look)
        elif isinstance(self.block, Grid):
            paint_grid(painter, place, self.block, self.look)
        else:
            paint_path(painter, place, self.block, self.look)


class BlocksView(PageOfTables):
    """Blocks one below the other; what stays the same is not made again."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.blocks: tuple[Block, ...] = ()
        self.look = Look()
        self.tables: list[TableView] = []

    def show_blocks(self, blocks: Sequence[Block], look: Look, nothing: str = "") -> None:
        """Show blocks, or a sentence if there are none."""
        if tuple(blocks) == self.blocks and look == self.look and self.widget() is not None and blocks:
            return
        self.blocks = tuple(blocks)
        self.look = look
        at = self.verticalScrollBar().value()
        inside = QWidget()
        inside.setObjectName(f"{self.objectName()}.content")
        inside.setAutoFillBackground(True)
        palette = inside.palette()
        palette.setColor(palette.ColorRole.Window, QColor(look.theme.panel))
        inside.setPalette(palette)
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(8)
        self.tables = []
        for block in self.blocks:
            self._add(layout, block)
        if not self.blocks:
            layout.addWidget(explanation(nothing))
        layout.addStretch(1)
        self.setWidget(inside)
        self.verticalScrollBar().setValue(at)

    def _add(self, layout: QVBoxLayout, block: Block) -> None:
        if isinstance(block, Words):
            if block.title:
                layout.addWidget(caption_label(block.title))
            for sentence in block.sentences:
                layout.addWidget(words_label(sentence))
        elif isinstance(block, Table):
            if block.caption:
                layout.addWidget(caption_label(block.caption))
            view = TableView(block)
            view.setMaximumWidth(WIDEST)
            view.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # keys move the page until a table is clicked
            self.tables.append(view)
            self.add_table(layout, view)
            if block.note:
                layout.addWidget(explanation(block.note))
        elif isinstance(block, (Bars, Grid, PathOfPressure)):
            if block.caption:
                layout.addWidget(caption_label(block.caption))
            screen = Look(
                self.look.theme, self.look.colours, self.logicalDpiY() / POINTS_PER_INCH, 8.0, self.look.strips
            )
            layout.addWidget(BlockPicture(block, screen))
