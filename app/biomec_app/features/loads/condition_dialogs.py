"""Dialogs that compare the open recording with those beside it: two with statistics, or all in order of joint load.

The numbers are those of the command line: the same functions of the library, with the same options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from biomec.base.fields import entries
from biomec.base.progress import Progress, part_of
from biomec.body.loads.load_components import AXES_WORDS, LoadReading
from biomec.pipeline.analysis import Analysis
from biomec.reporting.statistics.load_comparison import ComparisonOptions, LoadComparison, compare_conditions
from biomec.reporting.statistics.load_condition import exercise_of, loads_over_cycles, refuse_unlike
from biomec.reporting.statistics.load_ranking import ExerciseRanking, rank_exercises
from biomec.reporting.tables import Section, Table
from biomec_app.curves.curve import capital
from biomec_app.features.loads.choice import UNITS, important_joints
from biomec_app.features.loads.readings import stem
from biomec_app.kit.dialog_parts import Fault, explanation
from biomec_app.session.context import Context

Recordings = Mapping[str, Analysis]
"""What a recording is called -> its analysis."""
CURVES = 6  # columns of a comparison that are about a measure; those after it are about whole curves
COMPARE, RANK = "Compare Conditions", "Rank Exercises"


class _ConditionDialog(QDialog):
    """What both share: the recordings, the joints that count, and a job with its result in a window of tables."""

    def __init__(self, context: Context, title: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.setWindowTitle(title)
        self.setObjectName(title.lower().replace(" ", "-"))
        comparison = context.comparison
        self.own = comparison.own_name
        self.recordings: dict[str, Analysis] = {self.own: context.document.analysis}
        self.recordings |= {one.name: one.analysis for one in comparison.conditions}
        self.form = QFormLayout()
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        self.joints = QListWidget()
        self.joints.setObjectName(f"{self.objectName()}.joints")
        self.joints.setAccessibleName("Joints that count")
        self.joints.setMinimumHeight(150)
        first = important_joints(context.document.analysis)
        for joint in shared_joints(self.recordings):
            item = QListWidgetItem(capital(joint))
            item.setData(Qt.ItemDataRole.UserRole, joint)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if stem(joint) in first else Qt.CheckState.Unchecked)
            self.joints.addItem(item)
        self.wrong = Fault(f"{self.objectName()}.fault")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText("&Compute")
        self.buttons.accepted.connect(self.compute)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(explanation(words))
        layout.addLayout(self.form)
        layout.addWidget(self.joints, 1)
        layout.addLayout(self._all_or_none())
        layout.addWidget(self.wrong)
        layout.addWidget(self.buttons)
        self.resize(460, 520)

    def _all_or_none(self) -> QHBoxLayout:
        row = QHBoxLayout()
        for text, state in (("&All Joints", Qt.CheckState.Checked), ("&No Joint", Qt.CheckState.Unchecked)):
            button = QPushButton(text)
            button.setObjectName(f"{self.objectName()}.{text.lower().replace('&', '').replace(' ', '-')}")
            button.setAutoDefault(False)
            button.clicked.connect(lambda _, state=state: self._check_all(state))
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _check_all(self, state: Qt.CheckState) -> None:
        for k in range(self.joints.count()):
            self.joints.item(k).setCheckState(state)

    @property
    def chosen_joints(self) -> tuple[str, ...]:
        """Joints that are ticked."""
        items = [self.joints.item(k) for k in range(self.joints.count())]
        return tuple(
            str(item.data(Qt.ItemDataRole.UserRole)) for item in items if item.checkState() is Qt.CheckState.Checked
        )

    def combo(self, name: str, label: str, options: dict[str, str] | Sequence[str]) -> QComboBox:
        """A choice of the form."""
        box = QComboBox()
        box.setObjectName(f"{self.objectName()}.{name}")
        box.setAccessibleName(label)
        for value in options:
            box.addItem(options[value] if isinstance(options, dict) else value, value)
        self.form.addRow(label, box)
        return box

    def compute(self) -> None:
        """Compute in the background; the tables open when it is done."""
        if not self.chosen_joints:
            self.wrong.say("Tick at least one joint.")
            return
        if self.context.jobs.busy:
            self.wrong.say(f'"{self.context.jobs.title}" is running. Wait until it is done, or cancel it.')
            return
        self.start(self.chosen_joints)
        self.accept()

    def start(self, joints: tuple[str, ...]) -> None:
        """Start the job."""
        raise NotImplementedError


class ComparisonDialog(_ConditionDialog):
    """Loads of another recording against those of the open one."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        words = (
            "Every load of the ticked joints is compared over the valid cycles: mean ± SD of a measure, its difference "
            "with statistics, how alike the mean curves are, and where they differ."
        )
        super().__init__(context, COMPARE, words, parent)
        self.other = self.combo("other", "Other recording", [one for one in self.recordings if one != self.own])
        self.reading = self.recordings[self.own].settings.load_reading
        self.axes = self.combo("axes", "Axes", AXES_WORDS)
        self.axes.setCurrentIndex(self.axes.findData(self.reading.axes))
        self.unit = self.combo("unit", "Unit", UNITS)
        self.unit.setCurrentIndex(self.unit.findData(self.reading.normalisation))
        self.measure, self.test = (
            self.combo(entry.name, entry.setting.label, {str(one.value): one.label for one in entry.choices})
            for entry in entries(ComparisonOptions())
        )

    def start(self, joints: tuple[str, ...]) -> None:
        """Compare."""
        context, other = self.context, str(self.other.currentData())
        reading = replace(self.reading, axes=str(self.axes.currentData()), normalisation=str(self.unit.currentData()))
        options = ComparisonOptions(measure=str(self.measure.currentData()), test=str(self.test.currentData()))
        pair = (self.own, self.recordings[self.own]), (other, self.recordings[other])

        def work(progress: Progress) -> LoadComparison:
            return compared(*pair, reading, options, joints, progress)

        def done(found: LoadComparison) -> None:
            _open(context, f"{other} against {self.own}", comparison_sections(found, reading))

        context.jobs.start(COMPARE, work, done)


class RankingDialog(_ConditionDialog):
    """All recordings in order of joint load."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        words = (
            "The open recording and those beside it are put in order by what they ask of the ticked joints: force that "
            "soft tissue holds, torque off the axis of hinges, and the moment that works. Tick the joints that matter "
            "for this person."
        )
        super().__init__(context, RANK, words, parent)

    def start(self, joints: tuple[str, ...]) -> None:
        """Put in order."""
        context, recordings = self.context, self.recordings

        def work(progress: Progress) -> ExerciseRanking:
            return ranked(recordings, joints, progress)

        def done(found: ExerciseRanking) -> None:
            _open(context, RANK, ranking_sections(found))

        context.jobs.start(RANK, work, done)


def _open(context: Context, title: str, sections: Any) -> None:
    from biomec_app.figures.tables import open_tables

    open_tables(context, title, sections)


def with_loads(recordings: Recordings, progress: Progress | None = None) -> dict[str, Analysis]:
    """Compute the loads of those that have none, or old ones; refuse those that cannot stand beside each other."""
    found, count = {}, len(recordings)
    for k, (name, analysis) in enumerate(recordings.items()):
        found[name] = analysis.run_until("loads", part_of(progress, k / count, (k + 1) / count))
    refuse_unlike(found)
    return found


def shared_joints(recordings: Recordings) -> tuple[str, ...]:
    """Joints of the models of all recordings, in the order of the first."""
    names = [
        [joint.name for joint in one.body.person.model.joints
         if joint.name in {c.name for c in one.body.person.system.constraints}]
        for one in recordings.values()
    ]  # fmt: skip
    return tuple(name for name in names[0] if all(name in other for other in names[1:])) if names else ()


def compared(
    first: tuple[str, Analysis],
    second: tuple[str, Analysis],
    reading: LoadReading,
    options: ComparisonOptions,
    joints: Sequence[str] = (),
    progress: Progress | None = None,
) -> LoadComparison:
    """The second recording against the first, over their valid cycles."""
    both = with_loads(dict([first, second]), part_of(progress, 0.0, 0.7))
    conditions = [loads_over_cycles(analysis, name, reading, joints) for name, analysis in both.items()]
    return compare_conditions(conditions[0], conditions[1], options)


def comparison_sections(found: LoadComparison, reading: LoadReading) -> tuple[Section, ...]:
    """The table, divided where it would be too wide, with what is to be said about it."""
    whole = found.table()
    measure, curves = (
        Table(whole.caption, tuple(whole.columns[k] for k in columns),
              tuple(tuple(row[k] for k in columns) for row in whole.rows), whole.note)
        for columns in ((*range(CURVES),), (0, *range(CURVES, len(whole.columns))))
    )  # fmt: skip
    sentences = (f"Joint loads: {reading.words}.", *(notice.sentence for notice in found.notices))
    return Section(found.options.measure.capitalize(), sentences, (measure,)), Section("Whole curves", (), (curves,))


def ranked(
    recordings: Recordings, joints: Sequence[str] | None = None, progress: Progress | None = None
) -> ExerciseRanking:
    """All recordings in order of joint load."""
    known = with_loads(recordings, progress)
    return rank_exercises([exercise_of(analysis, name) for name, analysis in known.items()], joints or None)


def ranking_sections(found: ExerciseRanking) -> tuple[Section, ...]:
    """The order, and the joints behind it."""
    return Section("Order", found.sentences, (found.table(),)), Section("Joints", (), (found.joint_table(),))
