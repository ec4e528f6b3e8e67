"""Sheets of a report one below the other, each drawn in the background as soon as it can be."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from biomec_app.features.clinical.report_making import MadeReport
from biomec_app.figures.report.pdf import sheet_images, sheet_kinds
from biomec_app.kit.painter import Painter

DOTS = 110.0  # points in an inch of a sheet, as it is drawn; it is shown as wide as there is room
WIDEST = 900  # pixels


class ReportPreview(QScrollArea):
    """Shows what is on paper. `busy` until all sheets are drawn."""

    def __init__(self, painter: Painter, failed: Callable[[Exception], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("report.preview")
        self.setAccessibleName("Preview of the report")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._painter, self._failed = painter, failed
        self._made: MadeReport | None = None
        self._images: dict[int, QImage] = {}
        self.sheets: list[QLabel] = []
        self._inside = QWidget()
        self._layout = QVBoxLayout(self._inside)
        self._layout.setSpacing(12)
        self._layout.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.setWidget(self._inside)

    def show_report(self, made: MadeReport) -> None:
        """Draw the sheets of a report."""
        self._made = made
        self._painter.paint(
            "sheets",
            lambda: len(sheet_kinds(made.report, made.options)),
            lambda count, fault: self._lay(made, count, fault),
        )

    def _lay(self, made: MadeReport, count: int | None, fault: Exception | None) -> None:
        if count is None:
            if fault is not None:
                self._failed(fault)
            return
        if made is not self._made:
            return
        while len(self.sheets) > count:
            self.sheets.pop().deleteLater()
        while len(self.sheets) < count:
            sheet = QLabel()
            sheet.setAlignment(Qt.AlignmentFlag.AlignCenter)
            sheet.setMinimumSize(QSize(200, 120))
            self._layout.addWidget(sheet)
            self.sheets.append(sheet)
        self._images = {k: image for k, image in self._images.items() if k < count}
        for k, sheet in enumerate(self.sheets):
            sheet.setAccessibleName(f"Sheet {k + 1} of {count}")
            self._painter.paint(f"sheet {k}", self._drawing(made, k), self._drawn(made, k))

    def _drawing(self, made: MadeReport, k: int) -> Callable[[], QImage]:
        return lambda: next(sheet_images(made.report, made.options, DOTS, k))

    def _drawn(self, made: MadeReport, k: int) -> Callable[[QImage | None, Exception | None], None]:
        def done(image: QImage | None, fault: Exception | None) -> None:
            if made is not self._made or k >= len(self.sheets):
                return
            if image is None:
                if fault is not None:
                    self._failed(fault)
                return
            self._images[k] = image
            self._show(k)

        return done

    def _show(self, k: int) -> None:
        image, ratio = self._images[k], self.devicePixelRatioF()
        width = max(200, min(WIDEST, self.viewport().width() - 30))
        picture = QPixmap.fromImage(
            image.scaledToWidth(round(width * ratio), Qt.TransformationMode.SmoothTransformation)
        )
        picture.setDevicePixelRatio(ratio)
        self.sheets[k].setPixmap(picture)
        self.sheets[k].setFixedHeight(round(picture.height() / ratio))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Sheets as wide as there is room."""
        super().resizeEvent(event)
        for k in self._images:
            self._show(k)

    @property
    def complete(self) -> bool:
        """Whether every sheet is drawn."""
        return bool(self.sheets) and len(self._images) == len(self.sheets)
