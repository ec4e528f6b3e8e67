"""What if muscles were weaker, stronger, gone or moved: variants beside each other, and the loss that can be borne."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QSlider,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.plain_text import html
from biomec.base.progress import Progress, part_of
from biomec.body.muscles.what_if import LossCurve, VariantResult
from biomec.pipeline.analysis import Analysis
from biomec_app.features.muscles.loss_plot import LossPlot
from biomec_app.features.muscles.readings import has_muscles, readings_of
from biomec_app.features.muscles.what_if_content import (
    MOST,
    MOVED,
    REMOVED,
    WEAKER,
    AskedFrames,
    MuscleChange,
    answers,
    asked_frames,
    compensation,
    contact_lines,
    lacking_already,
    loss,
    proposals,
    targets_of,
    verdict,
)
from biomec_app.kit.bar_chart import Bar, BarChart
from biomec_app.kit.dialog_parts import Fault, explanation, heading
from biomec_app.kit.rich_text import rich_label
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.session.context import Context
from biomec_app.session.jobs import Jobs, Status
from biomec_app.session.side_window import SideWindow, bring_to_front

TITLE = "What If"
TINTS = ("measured", "rebuilt", "interpolated", "contact")
KINDS = {WEAKER: "Weaker or stronger", REMOVED: "Removed", MOVED: "Moved to the end of"}
ABOUT = (
    "The movement stays as it was recorded. Change the strength of muscles, take them away or move their ends, and see "
    "who does their work, what the joints then bear, and whether the movement can still be carried."
)
SIZE = (1080, 720)
STRONGEST = 200  # % of the usual strength


class WhatIfWindow(SideWindow):
    """Variants on the left, answers on the right; both are of the recording that is open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, "what-if", TITLE, parent)
        self.changes: list[MuscleChange] = []
        self.results: tuple[VariantResult, ...] = ()
        self.asked: AskedFrames | None = None
        self.curve: LossCurve | None = None
        self._known: Analysis | None = None
        self._theme: Theme = LIGHT
        self._wanted = False
        self.jobs = Jobs(self)
        self._build()
        self.jobs.progressed.connect(self._progressed)
        self.jobs.failed.connect(lambda title, sentence: self._ended(sentence))
        self.jobs.cancelled.connect(lambda title: self._ended("It was cancelled."))
        self.jobs.finished.connect(lambda title: self._ended(""))
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
        split.setSizes([330, SIZE[0] - 330])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 8)
        layout.addWidget(explanation(ABOUT))
        layout.addWidget(split, 1)
        foot = QHBoxLayout()
        self.progress = QProgressBar()
        self.progress.setRange(0, 100)
        self.cancel = self._button("cancel", "&Cancel", "Stop; what is shown stays", self.jobs.cancel)
        self.said = QLabel()
        self.said.setObjectName("what-if.said")
        foot.addWidget(self.said, 1)
        foot.addWidget(self.progress)
        foot.addWidget(self.cancel)
        layout.addLayout(foot)
        self.wrong = Fault("what-if.fault")
        layout.addWidget(self.wrong)

    def _asking(self) -> QWidget:
        self.target, self.kind, self.to = QComboBox(), QComboBox(), QComboBox()
        for combo, name, words in ((self.target, "target", "Which muscle, whole or a part of it"),
                                   (self.kind, "kind", "What happens to it"),
                                   (self.to, "to", "Muscle to whose end it is moved")):  # fmt: skip
            combo.setObjectName(f"what-if.{name}")
            combo.setAccessibleName(words)
            combo.setToolTip(words)
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(16)
        for combo in (self.target, self.to):
            combo.setEditable(True)
            combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            completer = combo.completer()
            assert completer is not None  # an editable box has one
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        for kind, words in KINDS.items():
            self.kind.addItem(words, kind)
        self.kind.currentIndexChanged.connect(lambda _: self._show_kind())
        self.strength = QSlider(Qt.Orientation.Horizontal)
        self.strength.setObjectName("what-if.strength")
        self.strength.setAccessibleName("Strength, in percent of the usual one")
        self.strength.setRange(0, STRONGEST)
        self.strength.setPageStep(10)
        self.strength.setTickInterval(50)
        self.strength.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.percent = QLabel()
        self.percent.setMinimumWidth(self.percent.fontMetrics().horizontalAdvance("200 % strength "))
        self.strength.valueChanged.connect(lambda value: self.percent.setText(f"{value} % strength"))
        self.strength.setValue(50)
        self.add = self._button("add", "&Add Variant", f"Put it beside the others, at most {MOST}", self.add_entered)
        self.list = QListWidget()
        self.list.setObjectName("what-if.variants")
        self.list.setAccessibleName("Variants")
        self.list.setWordWrap(True)
        self.list.currentRowChanged.connect(lambda _: self._show_buttons())
        self.remove = self._button("remove", "&Remove", "Take the chosen variant away", self.remove_chosen)
        self.limit = self._button(
            "limit",
            "&From Which Loss On?",
            "Weaken these muscles more and more, until the movement cannot be carried",
            self.find_loss,
        )
        part = QWidget()
        grid = QGridLayout(part)
        grid.setContentsMargins(0, 0, 6, 0)
        grid.addWidget(heading("Variants"), 0, 0, 1, 2)
        grid.addWidget(self.target, 1, 0, 1, 2)
        grid.addWidget(self.kind, 2, 0, 1, 2)
        grid.addWidget(self.strength, 3, 0)
        grid.addWidget(self.percent, 3, 1)
        grid.addWidget(self.to, 4, 0, 1, 2)
        grid.addWidget(self.add, 5, 0, 1, 2)
        grid.addWidget(self.list, 6, 0, 1, 2)
        row = QHBoxLayout()
        row.addWidget(self.remove)
        row.addWidget(self.limit, 1)
        grid.addLayout(row, 7, 0, 1, 2)
        grid.setRowStretch(6, 1)
        self._show_kind()
        return part

    def _answering(self) -> QWidget:
        self.verdicts = rich_label("what-if.verdicts", "Whether the movement can be carried")
        self.who = BarChart("what-if.who", "Who does the work", "more activation on average, %", least=7)
        self.joints = BarChart("what-if.joints", "Greatest contact forces", "× body weight", least=6)
        self.who.chosen.connect(self._pick)
        self.plot = LossPlot()
        self.sentence = rich_label("what-if.sentence", "The loss that can be borne")
        part = QWidget()
        layout = QVBoxLayout(part)
        layout.setContentsMargins(6, 0, 0, 0)
        layout.addWidget(heading("Answers"))
        layout.addWidget(self.verdicts)
        layout.addWidget(self.who, 3)
        layout.addWidget(self.joints, 2)
        layout.addWidget(self.sentence)
        layout.addWidget(self.plot, 2)
        return part

    def _button(self, name: str, text: str, tip: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(f"what-if.{name}")
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
        known = document.analysis if document.is_open and has_muscles(document.analysis) else None
        if known is not None and self._known is not None and known.muscles is self._known.muscles:
            self._known = known
            return
        self._known, self.asked, self.results, self.curve = known, None, (), None
        self.changes = []
        self.target.clear()
        self.to.clear()
        if known is not None:
            readings = readings_of(known)
            self.target.addItems(list(targets_of(readings)))
            self.to.addItems([one.sided_title for one in readings.muscles])
            self.changes = list(proposals(readings))
            if self.changes:
                self.target.setCurrentText(self.changes[0].target)
        self.wrong.say("" if known is not None else "There are no muscle forces. Compute them first.")
        self._fill_list()
        self._show_answers()
        if self.isVisible():
            self._answer()

    def _show_kind(self) -> None:
        kind = self.kind.currentData()
        self.strength.setVisible(kind == WEAKER)
        self.percent.setVisible(kind == WEAKER)
        self.to.setVisible(kind == MOVED)

    def add_entered(self) -> None:
        """Put what is entered beside the other variants."""
        if self._known is None:
            return
        target, kind = self.target.currentText().strip(), str(self.kind.currentData())
        targets = targets_of(readings_of(self._known))
        if target not in targets:
            self.wrong.say(f"There is no muscle “{target}”. Choose one of the list; a part of its name finds it.")
            return
        to = self.to.currentText().strip() if kind == MOVED else ""
        if kind == MOVED and to not in {one.sided_title for one in readings_of(self._known).muscles}:
            self.wrong.say(f"There is no muscle “{to}” to whose end it could be moved. Choose one of the list.")
            return
        change = MuscleChange(target, targets[target], kind, self.strength.value() / 100.0, to)
        if change in self.changes:
            self.wrong.say(f"“{change.title}” is there already.")
            return
        if len(self.changes) >= MOST:
            self.wrong.say(f"There are {MOST} variants beside each other already. Remove one first.")
            return
        self.wrong.say("")
        self.changes.append(change)
        self._fill_list(len(self.changes) - 1)
        self._answer()

    def remove_chosen(self) -> None:
        """Take the chosen variant away."""
        row = self.list.currentRow()
        if 0 <= row < len(self.changes) and not self.jobs.busy:
            del self.changes[row]
            self.results = tuple(one for k, one in enumerate(self.results) if k != row)
            self._fill_list(min(row, len(self.changes) - 1))
            self._show_answers()

    def _fill_list(self, row: int = 0) -> None:
        self.list.clear()
        for change in self.changes:
            self.list.addItem(QListWidgetItem(change.title))
        self.list.setCurrentRow(row if self.changes else -1)
        self._show_answers()
        self._show_buttons()

    # ------------------------------------------------------------------ answering

    def _answer(self) -> None:
        """Answer the variants that have no answer yet, in the background."""
        known, done = self._known, len(self.results)
        changes = tuple(self.changes[done:])
        if known is None or not changes or not self.isVisible():
            return
        if self.jobs.busy:
            self._wanted = True
            return
        asked = self.asked

        def work(progress: Progress) -> tuple[AskedFrames, tuple[VariantResult, ...]]:
            found = asked if asked is not None else asked_frames(known, progress=part_of(progress, 0.0, 0.3))
            return found, answers(found, changes, part_of(progress, 0.3, 1.0))

        def finished(found: tuple[AskedFrames, tuple[VariantResult, ...]]) -> None:
            if self.closed or self._known is None or self._known.muscles is not known.muscles:
                return
            self.asked = found[0]
            self.results = (*self.results[:done], *found[1])
            self._show_answers()

        self._start("Answer", work, finished)

    def find_loss(self) -> None:
        """Find from which loss of the chosen variant's muscles on the movement can no longer be carried."""
        known, asked, row = self._known, self.asked, self.list.currentRow()
        if known is None or self.jobs.busy or not 0 <= row < len(self.changes):
            return
        change = self.changes[row]

        def work(progress: Progress) -> tuple[AskedFrames, LossCurve]:
            found = asked if asked is not None else asked_frames(known)
            return found, loss(found, change, progress)

        def finished(found: tuple[AskedFrames, LossCurve]) -> None:
            if self.closed or self._known is None or self._known.muscles is not known.muscles:
                return
            self.asked, self.curve = found
            self.sentence.setText(self._loss_words(change, found[1]))
            self.plot.set_curve(found[1])
            self.plot.setVisible(True)

        self._start("Find the loss", work, finished)

    @staticmethod
    def _loss_words(change: MuscleChange, curve: LossCurve) -> str:
        who = html(change.target)
        if curve.bearable >= 1.0:
            return f"<b>The movement can be carried without {who}.</b>"
        return (
            f"<b>The movement can be carried until {who} has lost {100.0 * curve.bearable:.0f} % of its strength.</b> "
            "Beyond that, no muscle makes up for it."
        )

    def _start(self, title: str, work: Callable[[Progress], object], done: Callable[..., object]) -> None:
        self.wrong.say("")
        self.jobs.start(title, work, done)
        self._show_buttons()

    def _progressed(self, status: Status) -> None:
        self.progress.setValue(round(100.0 * status.fraction))
        self.said.setText(status.note or f"{status.title} …")

    def _ended(self, sentence: str) -> None:
        if self.closed:
            return
        self.wrong.say(sentence)
        if sentence and len(self.results) < len(self.changes):
            del self.changes[len(self.results) :]  # what cannot be answered is not asked again
            self._fill_list(len(self.changes) - 1)
        self._show_buttons()
        if self._wanted:
            self._wanted = False
            self._answer()

    def _show_buttons(self) -> None:
        busy, row = self.jobs.busy, self.list.currentRow()
        chosen = 0 <= row < len(self.changes)
        self.progress.setVisible(busy)
        self.cancel.setVisible(busy)
        self.remove.setEnabled(chosen and not busy)
        self.limit.setEnabled(chosen and not busy and self.changes[row].kind != MOVED)
        self.add.setEnabled(self._known is not None)
        if not busy:
            asked = self.asked
            self.said.setText(
                "" if asked is None
                else f"By {len(asked.frames)} of {asked.whole} frames, the hardest of every torque among them."
            )  # fmt: skip

    # ------------------------------------------------------------------ answers

    def _show_answers(self) -> None:
        asked, results, theme = self.asked, self.results, self._theme
        self.plot.setVisible(self.curve is not None)
        if self.curve is None:
            self.sentence.setText("")
        if asked is None or not results or self._known is None:
            self.verdicts.setText("")
            self.who.set_bars(())
            self.joints.set_bars(())
            return
        already = lacking_already(asked)
        lines = [f'<span style="color:{theme.faint}">{html(already)}</span>'] if already else []
        for k, (result, tint) in enumerate(zip(results, TINTS, strict=False), 1):
            sign, words = verdict(asked, result)
            colour = theme.contact if result.carried else theme.failed
            lines.append(
                f'<span style="color:{getattr(theme, tint)}">■</span> {k} <b>{html(result.variant.title)}</b>: '
                f'<span style="color:{colour}"><b>{sign}</b></span> {html(words)}'
            )
        self.verdicts.setText("<br>".join(lines))
        titles = tuple(f"{k + 1}" for k in range(len(results)))
        own = [one.muscles for one in self.changes[: len(results)]]
        who = compensation(readings_of(self._known), results, own)
        self.who.set_bars(
            [Bar(one.label, one.values, one.text, one.tip, one.key) for one in who],
            TINTS[: len(results)],
            legend=titles,
        )
        joints = contact_lines(asked, results)
        self.joints.set_bars(
            [Bar(one.label, one.values, one.text, one.tip) for one in joints],
            ("faint", *TINTS[: len(results)]),
            legend=("as recorded", *titles),
        )

    def _pick(self, muscle: object) -> None:
        """Let a muscle stand out in the 3-D view."""
        self.context.document.select(muscle=str(muscle), segment=None, point=None)

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        for part in (self.who, self.joints, self.plot):
            part.set_theme(theme)
        self._show_answers()


def open_what_if(context: Context) -> WhatIfWindow:
    """Open the window, or bring it to the front."""
    if not has_muscles(context.document.analysis):
        raise BiomecError("What if: compute muscle forces first.")
    window = bring_to_front(context, WhatIfWindow)
    if window is None:
        window = WhatIfWindow(context, context.window)
        window.show()
    return window
