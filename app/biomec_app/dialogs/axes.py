"""Which way the axes of the laboratory point and how large everything is: what was found, why, and another choice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from biomec.io.evidence import redescribed
from biomec.pipeline.replay import python_text
from biomec.recording import Authority, LabAxes, Session
from biomec.recording.axes import DIRECTIONS as VECTORS
from biomec_app.dialogs.import_plan import about_axes, all_notices, axes_reasons, size_sentence
from biomec_app.kit.dialog_parts import NoticeText, explanation, opened, with_buttons
from biomec_app.kit.painted import Painted, draw_frame
from biomec_app.kit.theme import Theme
from biomec_app.session.context import Context

DIRECTIONS = tuple(VECTORS)
SIZES = {
    "as recorded": 1.0,
    "1000 times smaller (millimetres were taken for metres)": 0.001,
    "100 times smaller (centimetres were taken for metres)": 0.01,
    "1000 times larger (metres were taken for millimetres)": 1000.0,
}


def shown(direction: str) -> str:
    """A direction with a true minus sign and a capital."""
    return direction.replace("-", "−").upper()


class AxesForm(QWidget):
    """Axes and units of the recording. ``changed`` when the user decides otherwise than the data."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.up, self.forward = QComboBox(), QComboBox()
        self.up_why, self.forward_why = explanation(), explanation()
        self.size_words = QLabel()
        self.size_words.setWordWrap(True)
        self.expected = explanation("")
        self.size_ = QComboBox()
        self.reverse = QCheckBox("&Plates hold the force of the subject on the ground: reverse its sign")
        self.reverse.setObjectName("axes.reverse")
        self.notices = NoticeText("axes.notices")
        self.picture = AxesPicture(theme)
        grid = QGridLayout()
        grid.setColumnStretch(2, 1)
        for row, (text, combo, why, name) in enumerate(
            (("&Up is", self.up, self.up_why, "up"), ("&Forward is", self.forward, self.forward_why, "forward"))
        ):
            combo.setObjectName(f"axes.{name}")
            combo.setAccessibleName(f"Direction of {name}")
            for direction in DIRECTIONS:
                combo.addItem(shown(direction), direction)
            label = QLabel(text)
            label.setBuddy(combo)
            grid.addWidget(label, row, 0)
            grid.addWidget(combo, row, 1)
            grid.addWidget(why, row, 2)
            combo.activated.connect(self._chosen)
        self.size_.setObjectName("axes.size")
        self.size_.setAccessibleName("Size of the markers' positions")
        for words, factor in SIZES.items():
            self.size_.addItem(words, factor)
        size = QLabel("&Size of the body")
        size.setBuddy(self.size_)
        line = QHBoxLayout()
        line.addWidget(size)
        line.addWidget(self.size_)
        line.addStretch(1)
        self.size_.activated.connect(lambda _: self.changed.emit())
        self.reverse.clicked.connect(lambda _: self.changed.emit())
        column = QVBoxLayout()
        column.addLayout(grid)
        column.addSpacing(8)
        column.addWidget(self.size_words)
        column.addWidget(self.expected)
        column.addLayout(line)
        column.addSpacing(8)
        column.addWidget(self.reverse)
        column.addStretch(1)
        top = QHBoxLayout()
        top.addLayout(column, 1)
        top.addWidget(self.picture)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(top, 1)
        layout.addWidget(self.notices, 1)

    def show_session(self, session: Session, reversed_: bool = False, factor: float = 1.0) -> None:
        """Show what a session says.

        reversed_ : the force of its plates was turned round already
        factor    : its positions were multiplied by this already
        """
        trial = session.dynamic
        for combo, direction in ((self.up, trial.axes.up), (self.forward, trial.axes.forward)):
            combo.setCurrentIndex(DIRECTIONS.index(direction))
        for label, why in zip((self.up_why, self.forward_why), axes_reasons(trial), strict=True):
            label.setText(why)
        self.picture.show_axes(trial.axes)
        self.size_words.setText(size_sentence(session.static or trial))
        height = session.subject.height_m
        spans = (
            "An adult who stands spans 1.5 to 2 m"
            if height is None
            else (
                f"The stated height of the subject is {height:.2f} m, and markers of the whole body span nearly as much"
            )
        )
        self.expected.setText(f"{spans}; otherwise choose another size.")
        self.size_.setCurrentIndex(self.size_.findData(factor))
        self.reverse.setVisible(bool(trial.plates))
        self.reverse.setChecked(reversed_)
        self.notices.show_notices(about_axes(all_notices(session)), "Nothing contradicts these axes and units.")

    def axes(self) -> LabAxes:
        """Return the axes as the user says."""
        return LabAxes(str(self.up.currentData()), str(self.forward.currentData()), Authority.USER, Authority.USER)

    def factor(self) -> float:
        """By what the user multiplies all positions."""
        return float(self.size_.currentData())

    def _chosen(self, _: int) -> None:
        """Keep up and forward apart: the one that was not touched gives way."""
        up, forward = str(self.up.currentData()), str(self.forward.currentData())
        if up[1] == forward[1]:
            other = self.forward if self.sender() is self.up else self.up
            axis = next(one for one in "xyz" if one != up[1])
            other.setCurrentIndex(DIRECTIONS.index(f"+{axis}"))
        self.changed.emit()


class AxesDialog(QDialog):
    """Change the axes of the open recording, the size of its markers, and the sign of its plates."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.setObjectName("axes")
        self.setWindowTitle("Axes and Units")
        self.form = AxesForm(context.theme)
        session = context.document.analysis.session
        self.form.show_session(session)
        self.resize(760, 460 if about_axes(all_notices(session)) else 320)
        self.form.reverse.setText("&Reverse the force of the plates")
        about = explanation(
            "How the laboratory's axes point. Biomec computes with X forward, Y up and Z to the right; nothing is "
            "turned in the recording itself."
        )
        self.buttons = with_buttons(self, about, self.form, grows=self.form)
        self.form.changed.connect(lambda: self.form.picture.show_axes(self.form.axes()))

    def accept(self) -> None:
        """Change the recording, if anything was changed."""
        analysis = self.context.document.analysis
        session, wanted, factor = analysis.session, self.form.axes(), self.form.factor()
        now = session.dynamic.axes
        axes = wanted if (wanted.up, wanted.forward) != (now.up, now.forward) else None
        reverse = self.form.reverse.isChecked()
        if axes is not None or reverse or factor != 1.0:
            given = [f"axes={python_text(axes)}"] * (axes is not None) + [f"factor={factor:g}"] * (factor != 1.0)
            given += ["reverse_plates=True"] * reverse
            line = f"analysis = replace(analysis, session=redescribed(analysis.session, {', '.join(given)}))"
            changed = redescribed(session, axes, factor, reverse)
            self.context.document.change("Change Axes and Units", replace(analysis, session=changed), line)
        super().accept()


def edit_axes(context: Context) -> AxesDialog:
    """Show the dialog."""
    return opened(AxesDialog(context, context.window))


class AxesPicture(Painted, QWidget):
    """The laboratory's axes as arrows beside somebody who stands and looks forward."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._axes = theme, LabAxes()
        self.setFixedSize(190, 170)
        self.setAccessibleName("Picture of the axes")

    def show_axes(self, axes: LabAxes) -> None:
        """Draw other axes."""
        self._axes = axes
        self.setToolTip(f"Up is {shown(axes.up)}, forward is {shown(axes.forward)}.")
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw a person and three arrows."""
        theme = self._theme
        draw_frame(painter, self, theme)
        body = QColor(theme.faint)
        painter.setPen(QPen(body, 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.setBrush(body)
        painter.drawEllipse(QPointF(60, 38), 9, 10)
        for line in (((60, 52), (60, 92)), ((60, 60), (67, 86)), ((60, 92), (56, 132)), ((60, 92), (66, 132)),
                     ((56, 132), (66, 134)), ((66, 132), (76, 134))):  # fmt: skip
            painter.drawLine(QPointF(*line[0]), QPointF(*line[1]))
        origin = QPointF(104, 128)
        for direction, tip, colour in (
            (self._axes.up, QPointF(104, 56), theme.middle), (self._axes.forward, QPointF(168, 128), theme.left),
            (right_of(self._axes), QPointF(80, 148), theme.right),
        ):  # fmt: skip
            _arrow(painter, origin, tip, QColor(colour), shown(direction))


def right_of(axes: LabAxes) -> str:
    """Direction of the subject's right: forward × up."""
    right = np.cross(axes.forward_vector, axes.up_vector)
    return next(name for name, vector in VECTORS.items() if np.array_equal(vector, right))


def _arrow(painter: QPainter, start: QPointF, tip: QPointF, colour: QColor, text: str) -> None:
    painter.setPen(QPen(colour, 3))
    painter.setBrush(colour)
    along = tip - start
    length = (along.x() ** 2 + along.y() ** 2) ** 0.5
    unit = along / length
    across = QPointF(-unit.y(), unit.x())
    painter.drawLine(start, tip - unit * 6)
    painter.drawPolygon(QPolygonF([tip, tip - unit * 10 + across * 4, tip - unit * 10 - across * 4]))
    beside = QPointF(6, 6) if abs(unit.x()) < 0.5 else QPointF(-14, -8) if unit.x() > 0 else QPointF(-20, 6)
    place = tip + unit * 4 + beside
    painter.drawText(place, text)
