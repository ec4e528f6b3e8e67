"""What if aids were others: variants on the left; what person, device and joints then bear on the right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListWidget,
    QPushButton,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.plain_text import html
from biomec.base.progress import Progress
from biomec.body.loads.aid_what_if import AidComparison, AidResult, AidVariant, JointBurden, usual_variants
from biomec.pipeline.aids import aids_as_recorded, what_if_aids
from biomec.pipeline.analysis import Analysis
from biomec.reporting.files.aid_files import what_if_files
from biomec_app.curves.curve import capital
from biomec_app.features.aids.changes import LIMITS, UNITS, targets_of, with_title_of_its_own
from biomec_app.kit.dialog_parts import Fault, explanation, heading
from biomec_app.kit.rich_text import rich_label
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.session.context import Context
from biomec_app.session.jobs import Jobs
from biomec_app.session.side_window import SideWindow

TITLE, ASK = "What If for Aids", "Loads with other aids"
ABOUT = (
    "Change locks, cuffs and crutches, and compare the loads on the person, the device and the joints. The movement "
    "stays as recorded; below the curves you find what else each variant assumes. The first variants are the questions "
    "asked most often."
)
MOST = 8
SIZE = (1120, 720)
QUANTITIES: dict[str, tuple[str, Callable[[JointBurden], float]]] = {
    "Largest torque of the person [N·m]": ("torque", lambda one: one.torque_Nm),
    "RMS torque of the person [N·m]": ("torque", lambda one: one.torque_rms_Nm),
    "Largest torque of the device [N·m]": ("device", lambda one: one.device_Nm),
    "Largest force in the joint [N]": ("force", lambda one: one.force_N),
}
TINTS = ("text", "measured", "rebuilt", "interpolated", "contact", "left", "faint", "failed")
CHANGED = 0.005  # share by which a value differs from the recorded one to stand out
FIRST = "right shoulder"
ORDER = ("shoulder", "glenohumeral", "elbow", "wrist", "hip", "knee", "ankle")  # of the table; others follow


class AidWindow(SideWindow):
    """Variants, a table of what joints bear, and the course at the joint that is chosen there."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, "aids", TITLE, parent)
        self.variants: list[AidVariant] = []
        self.found = AidComparison(())
        self._known: Analysis | None = None
        self._asked: tuple[Analysis, tuple[AidVariant, ...]] | None = None
        self._theme: Theme = LIGHT
        self.jobs = Jobs(self)
        self._build()
        self.jobs.failed.connect(self._failed)
        self.jobs.finished.connect(lambda _: self._show_buttons())
        self.jobs.cancelled.connect(lambda _: self._show_buttons())
        context.document.opened.connect(self.refresh)
        context.document.analysis_changed.connect(self.refresh)
        context.closing.append(self.jobs.cancel)
        self.resize(*SIZE)
        self.set_theme(context.theme)
        self.refresh()

    # ------------------------------------------------------------------ building

    def _build(self) -> None:
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self._asking())
        split.addWidget(self._answering())
        split.setStretchFactor(1, 1)
        split.setSizes([300, SIZE[0] - 300])
        self.wrong = Fault("aids.fault")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 8)
        layout.addWidget(explanation(ABOUT))
        layout.addWidget(split, 1)
        layout.addWidget(self.wrong)

    def _asking(self) -> QWidget:
        self.target = QComboBox()
        self.target.setObjectName("aids.target")
        self.target.setAccessibleName("What is changed")
        self.target.currentIndexChanged.connect(lambda _: self._show_unit())
        self.value = QDoubleSpinBox()
        self.value.setObjectName("aids.value")
        self.value.setAccessibleName("How it is changed")
        self.value.setDecimals(1)
        self.add = self._button(
            "add", "&Add Variant", f"Compare it with the others; {MOST} variants at most", self.add_entered
        )
        self.list = QListWidget()
        self.list.setObjectName("aids.variants")
        self.list.setAccessibleName("Variants")
        self.list.setWordWrap(True)
        self.list.currentRowChanged.connect(lambda _: self._show_buttons())
        self.remove = self._button("remove", "&Remove", "Remove the selected variant", self.remove_chosen)
        self.export = self._button(
            "export", "&Export Tables…", "Save the table and the curves of all variants", self.write
        )
        part = QWidget()
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 6, 0)
        column.addWidget(heading("Variants"))
        column.addWidget(self.target)
        row = QHBoxLayout()
        row.addWidget(self.value, 1)
        row.addWidget(self.add)
        column.addLayout(row)
        column.addWidget(self.list, 1)
        row = QHBoxLayout()
        row.addWidget(self.remove)
        row.addWidget(self.export, 1)
        column.addLayout(row)
        return part

    def _answering(self) -> QWidget:
        self.quantity = QComboBox()
        self.quantity.setObjectName("aids.quantity")
        self.quantity.setAccessibleName("What the table shows")
        self.quantity.addItems(list(QUANTITIES))
        self.quantity.currentIndexChanged.connect(lambda _: self._show_table())
        self.table = QTableWidget()
        self.table.setObjectName("aids.table")
        self.table.setAccessibleName("Loads of the joints in every variant")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.currentCellChanged.connect(lambda *_: self._show_course())
        self.plot = pg.PlotWidget()
        self.plot.setObjectName("aids.course")
        self.plot.setAccessibleName("Curves at the selected joint")
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.hideButtons()
        self.plot.setMenuEnabled(False)
        self.said = rich_label("aids.said", "What each variant assumes")
        top = QHBoxLayout()
        top.addWidget(heading("Answers"))
        top.addStretch(1)
        top.addWidget(QLabel("Show"))
        top.addWidget(self.quantity)
        part = QWidget()
        layout = QVBoxLayout(part)
        layout.setContentsMargins(6, 0, 0, 0)
        layout.addLayout(top)
        layout.addWidget(self.table, 3)
        layout.addWidget(self.plot, 2)
        layout.addWidget(self.said)
        return part

    def _button(self, name: str, text: str, tip: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(f"aids.{name}")
        button.setToolTip(tip)
        button.clicked.connect(lambda _=False: act())
        return button

    # ------------------------------------------------------------------ what is asked

    def showEvent(self, event: QShowEvent) -> None:
        """Begin to answer."""
        super().showEvent(event)
        self._answer()

    def refresh(self) -> None:
        """Ask about the recording that is open now."""
        document = self.context.document
        known = document.analysis if document.is_open and document.analysis.is_current("loads") else None
        if known is not None and self._known is not None and known.loads is self._known.loads:
            self._known = known
            return
        self._known, self.found, self.variants = None, AidComparison(()), []
        self.target.clear()
        fault = "There are no joint loads. Compute them first."
        if known is not None:
            try:
                given = aids_as_recorded(known)
            except BiomecError as error:
                fault = str(error)
            else:
                self._known, fault = known, ""
                self.variants = list(usual_variants(given.person, given.tips))
                for target in targets_of(given.person, given.tips):
                    self.target.addItem(capital(target.title), target)
        self.wrong.say(fault)
        self._show_unit()
        self._fill_list()
        self._answer()

    def add_entered(self) -> None:
        """Put what is entered beside the other variants."""
        target = self.target.currentData()
        if self._known is None or target is None:
            return
        variant = target.variant(self.value.value())
        if not with_title_of_its_own(variant, self.variants):
            self.wrong.say(f"“{variant.title}” is already in the list.")
            return
        if len(self.variants) >= MOST:
            self.wrong.say(f"The list holds {MOST} variants at most. Remove one first.")
            return
        self.wrong.say("")
        self.variants.append(variant)
        self._fill_list(len(self.variants) - 1)
        self._answer()

    @property
    def results(self) -> tuple[AidResult, ...]:
        """Of all variants that could be computed, also those that were removed since."""
        return self.found.results

    def remove_chosen(self) -> None:
        """Take the chosen variant away; what was recorded stays."""
        row = self.list.currentRow()
        if 0 < row < len(self.variants) and not self.jobs.busy:
            del self.variants[row]
            self._fill_list(min(row, len(self.variants) - 1))
            self._answer()

    def _fill_list(self, row: int = 0) -> None:
        self.list.clear()
        self.list.addItems([one.title for one in self.variants])
        self._show_unanswered()
        self.list.setCurrentRow(row if self.variants else -1)
        self._show_buttons()
        self._show_table()

    def _show_unanswered(self) -> None:
        """Below the title of a variant that cannot be computed, say why."""
        reasons = {one.variant.title: one.sentence for one in self.found.unanswered}
        for row, variant in enumerate(self.variants):
            reason = reasons.get(variant.title)
            self.list.item(row).setText(variant.title if reason is None else f"{variant.title}\n{reason}")

    def _show_unit(self) -> None:
        target = self.target.currentData()
        if target is None:
            return
        least, most, usual = LIMITS[target.kind]
        self.value.setRange(least, most)
        self.value.setSuffix(UNITS[target.kind])
        self.value.setSingleStep(10.0 if most > 50.0 else 1.0)
        self.value.setValue(usual)

    # ------------------------------------------------------------------ answering

    def _answer(self) -> None:
        """Compute all variants in the background."""
        known, asked = self._known, tuple(self.variants)
        if known is None or not asked or not self.isVisible() or self.jobs.busy:
            return

        def work(progress: Progress) -> AidComparison:
            progress(0.0)
            return what_if_aids(known, asked)

        def finished(found: AidComparison) -> None:
            if self.closed or self._asked_anew():
                return
            self.found = found
            self._show_unanswered()
            self._show_table()
            if asked != tuple(self.variants):
                self._answer()

        self._asked = known, asked
        self.jobs.start(ASK, work, finished)
        self._show_buttons()

    def _asked_anew(self) -> bool:
        """Whether what was computed belongs to other loads than those shown now, which are then asked about."""
        if self._asked is not None and self._known is not None and self._asked[0].loads is self._known.loads:
            return False
        self._answer()
        return True

    def _failed(self, title: str, sentence: str) -> None:
        """Say why no variant could be computed."""
        if self.closed or self._asked_anew():
            return
        self.wrong.say(sentence[0].upper() + sentence[1:])
        if self._asked is not None and self._asked[1] != tuple(self.variants):
            self._answer()
        self._show_buttons()

    def write(self) -> None:
        """Write the tables of all variants into a folder."""
        known, found, context = self._known, self.found, self.context
        if known is None or not found.results:
            return
        folder = context.user.ask_folder("Folder for the tables of aids", context.preferences.folder)
        if folder is None:
            return
        there = [name for name in ("aids_what_if.csv", "aids_what_if_curves.csv", "aids_what_if.json")
                 if (folder / name).exists()]  # fmt: skip
        if there:
            question = f"{folder.name} holds {', '.join(there)} already. Overwrite them?"
            if context.user.confirm("Export tables of aids", question, ("Overwrite",)) is None:
                return
        from biomec.base.together import replaced_together

        files = what_if_files(known, found)
        with replaced_together(folder, "aids_what_if.json", tuple(files)) as stage:
            for name, text in files.items():
                (stage / name).write_text(text, encoding="utf-8")
        context.user.show_written("Export tables of aids", tuple(folder / name for name in files), ())

    def _show_buttons(self) -> None:
        self.remove.setEnabled(self.list.currentRow() > 0 and not self.jobs.busy)
        self.add.setEnabled(self._known is not None)
        self.export.setEnabled(bool(self.results))

    # ------------------------------------------------------------------ answers

    def _shown(self) -> tuple[AidResult, ...]:
        return tuple(one for one in self.results if one.variant in self.variants)

    def _show_table(self) -> None:
        results, before = self._shown(), self.joint
        what = QUANTITIES[self.quantity.currentText()][1]
        self.table.clear()
        joints = [one.joint for one in results[0].burdens] if results else []
        if results and what(results[0].burdens[0]) == 0.0:  # devices help few joints
            joints = [joint for joint in joints if any(what(one.burden(joint)) for one in results)]
        joints.sort(key=lambda joint: next((k for k, word in enumerate(ORDER) if word in joint), len(ORDER)))
        self.table.setRowCount(len(joints))
        self.table.setColumnCount(len(results))
        self.table.setVerticalHeaderLabels([capital(joint) for joint in joints])
        self.table.setHorizontalHeaderLabels([one.variant.title for one in results])
        for k, result in enumerate(results):
            for j, joint in enumerate(joints):
                value, recorded = what(result.burden(joint)), what(results[0].burden(joint))
                item = QTableWidgetItem(f"{value:.1f}")
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                if abs(value - recorded) > CHANGED * max(abs(recorded), 1.0):
                    item.setForeground(QColor(self._theme.failed if value > recorded else self._theme.contact))
                    item.setToolTip(f"{value - recorded:+.1f} compared with the recording".replace("-", "−"))
                self.table.setItem(j, k, item)
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setMinimumHeight(round(2.6 * header.fontMetrics().height()))  # two lines
        wanted = before if before in joints else FIRST
        if joints:
            self.table.setCurrentCell(joints.index(wanted) if wanted in joints else 0, 0)
        self._show_said(results)
        self._show_course()

    @property
    def joint(self) -> str:
        """The joint that is chosen in the table; empty if none is."""
        results, row = self._shown(), self.table.currentRow()
        item = self.table.verticalHeaderItem(row) if results and row >= 0 else None
        names = {capital(one.joint): one.joint for one in results[0].burdens} if results else {}
        return "" if item is None else names.get(item.text(), "")

    def _show_said(self, results: tuple[AidResult, ...]) -> None:
        names: list[str] = []
        said: dict[str, list[str]] = {}  # sentence -> variants
        for k, one in enumerate(results):
            tint = getattr(self._theme, TINTS[k % len(TINTS)])
            whole = html(one.variant.title).replace(" ", "&nbsp;")
            names.append(f'<span style="color:{tint}">■</span>&nbsp;<b>{whole}</b>')
            for notice in one.notices:
                said.setdefault(notice.sentence, []).append(one.variant.title)
        lines = ["&nbsp; ".join(names)]
        lines += [f"<b>{html(', '.join(titles))}:</b> {html(sentence)}" for sentence, titles in said.items()]
        self.said.setText("<br>".join(lines))

    def _show_course(self) -> None:
        """The person's torque over time at the chosen joint, or the device's, or the force."""
        self.plot.clear()
        joint, known = self.joint, self._known
        if not joint or known is None:
            return
        kind = QUANTITIES[self.quantity.currentText()][0]
        time = known.session.dynamic.time_s
        for k, one in enumerate(self._shown()):
            values = course(one, joint, kind)
            if values is not None:
                pen = pg.mkPen(getattr(self._theme, TINTS[k % len(TINTS)]), width=2.4 if k == 0 else 1.4)
                self.plot.plot(time, values, pen=pen, connect="finite")
        unit = "N" if kind == "force" else "N·m"
        self.plot.setTitle(f"{html(capital(joint))}: {kind if kind != 'torque' else 'torque of the person'} [{unit}]",
                           color=self._theme.text, size="9pt")  # fmt: skip
        self.plot.setLabel("bottom", "time [s]", color=self._theme.faint)

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.plot.setBackground(QColor(theme.window))
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(QColor(theme.line))
            axis.setTextPen(QColor(theme.faint))
            axis.enableAutoSIPrefix(False)
        self._show_table()


def course(result: AidResult, joint: str, kind: str) -> FloatArray | None:
    """(T,) of the person's torque, the device's, or the force at a joint; None where no device helps it."""
    k = result.loads.index(joint)
    if kind == "torque":
        return result.person_torque[:, k]
    if kind == "force":
        return np.asarray(np.linalg.norm(result.loads.force[:, k], axis=1))
    shares = [one.device for one in result.devices.shares if one.joint == joint]
    return np.asarray(np.sum(shares, axis=0)) if shares else None
