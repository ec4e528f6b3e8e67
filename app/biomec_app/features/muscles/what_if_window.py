"""What if muscles were weaker, stronger, gone or moved: variants beside each other, and the loss that can be borne."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
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
    AskedFrames,
    answer,
    asked_frames,
    compensation,
    contact_lines,
    lacking_already,
    loss,
    verdict,
)
from biomec_app.features.muscles.what_if_form import ChangeForm
from biomec_app.features.muscles.what_if_variants import MOST, Variant, proposals
from biomec_app.kit.bar_chart import Bar, BarChart
from biomec_app.kit.dialog_parts import Fault, explanation, heading
from biomec_app.kit.rich_text import rich_label
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.session.context import Context
from biomec_app.session.jobs import Jobs, Status
from biomec_app.session.side_window import SideWindow

TITLE = "What If"
TINTS = ("measured", "rebuilt", "interpolated", "contact")
ANSWER, FIND_LOSS = "Answer", "Find the loss"
ABOUT = (
    "The movement stays as it was recorded. Change the strength of muscles, take them away or move their ends, and see "
    "who does their work, what the joints then bear, and whether the movement can still be carried. The first variants "
    "are suggestions for this movement; remove those that you do not need."
)
SIZE = (1080, 720)


class WhatIfWindow(SideWindow):
    """Variants on the left, answers on the right; both are of the recording that is open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, "what-if", TITLE, parent)
        self.variants: list[Variant] = []
        self._answers: dict[Variant, VariantResult] = {}
        self._asking_for: tuple[Analysis, Variant] | None = None
        self.asked: AskedFrames | None = None
        self.curve: LossCurve | None = None
        self._known: Analysis | None = None
        self._theme: Theme = LIGHT
        self.jobs = Jobs(self)
        self._build()
        self.jobs.progressed.connect(self._progressed)
        self.jobs.failed.connect(self._ended)
        self.jobs.cancelled.connect(lambda title: self._ended(title, "it was cancelled."))
        self.jobs.finished.connect(lambda title: self._ended(title, ""))
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
        self.form = ChangeForm()
        self.add = self._button("add", "&Add Variant", f"Put it beside the others, at most {MOST}", self.add_entered)
        self.join = self._button(
            "join", "Add to &Chosen", "Change this too in the variant that is chosen in the list", self.join_entered
        )
        self.list = QListWidget()
        self.list.setObjectName("what-if.variants")
        self.list.setAccessibleName("Variants")
        self.list.setWordWrap(True)
        self.list.currentRowChanged.connect(lambda _: self._show_buttons())
        self.remove = self._button("remove", "&Remove", "Take the chosen variant away", self.remove_chosen)
        self.limit = self._button(
            "limit",
            "&Greatest Loss It Can Bear",
            "Weaken these muscles more and more, until the movement cannot be carried",
            self.find_loss,
        )
        part = QWidget()
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 6, 0)
        column.addWidget(heading("Variants"))
        column.addWidget(self.form)
        for pair in ((self.add, self.join), (self.remove, self.limit)):
            row = QHBoxLayout()
            for button in pair:
                row.addWidget(button, 1 if button is not self.remove else 0)
            column.addLayout(row)
        column.insertWidget(3, self.list, 1)
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
        self._known, self.asked, self._answers, self.curve = known, None, {}, None
        self.variants = [] if known is None else list(proposals(readings_of(known)))
        readings = None if known is None else readings_of(known)
        self.form.set_readings(readings, self.variants[0].target if self.variants else "")
        self.wrong.say("" if known is not None else "There are no muscle forces. Compute them first.")
        self._fill_list()
        if self.isVisible():
            self._answer()

    @property
    def results(self) -> tuple[VariantResult, ...]:
        """Answers of the variants that have one, in their order."""
        return tuple(self._answers[one] for one in self.variants if one in self._answers)

    def add_entered(self) -> None:
        """Put what is entered beside the other variants."""
        self._change(len(self.variants))

    def join_entered(self) -> None:
        """Change what is entered in the chosen variant, too."""
        if 0 <= self.list.currentRow() < len(self.variants):
            self._change(self.list.currentRow())

    def _change(self, row: int) -> None:
        """Add what is entered to a variant, or as one more behind the others."""
        if self._known is None:
            return
        new = row == len(self.variants)
        try:
            change = self.form.change()
            variant = Variant((change,)) if new else self.variants[row].with_change(change)
        except BiomecError as error:
            self.wrong.say(str(error))
            return
        if variant in self.variants:
            self.wrong.say(f"“{variant.title}” is there already.")
            return
        if row >= MOST:
            self.wrong.say(f"There are {MOST} variants beside each other already. Remove one first.")
            return
        self.wrong.say("")
        self.variants[row : row + 1] = [variant]
        self._fill_list(row)
        self._answer()

    def remove_chosen(self) -> None:
        """Take the chosen variant away."""
        row = self.list.currentRow()
        if 0 <= row < len(self.variants) and not self.jobs.busy:
            del self.variants[row]
            self._fill_list(min(row, len(self.variants) - 1))

    def _fill_list(self, row: int = 0) -> None:
        self.list.clear()
        for k, variant in enumerate(self.variants, 1):
            self.list.addItem(QListWidgetItem(f"{k}  {variant.title}"))
        self.list.setCurrentRow(row if self.variants else -1)
        self._show_answers()
        self._show_buttons()

    # ------------------------------------------------------------------ answering

    @property
    def _waiting(self) -> Variant | None:
        """The first variant without an answer."""
        return next((one for one in self.variants if one not in self._answers), None)

    def _answer(self) -> None:
        """Answer the variants that have no answer yet, one after the other, in the background."""
        known, asked, variant = self._known, self.asked, self._waiting
        if known is None or variant is None or not self.isVisible() or self.jobs.busy:
            return

        def work(progress: Progress) -> tuple[AskedFrames, VariantResult]:
            found = asked if asked is not None else asked_frames(known, progress=part_of(progress, 0.0, 0.3))
            return found, answer(found, variant, part_of(progress, 0.3, 1.0))

        def finished(found: tuple[AskedFrames, VariantResult]) -> None:
            if self._still(known):
                self.asked, self._answers[variant] = found
                self._show_answers()

        self._asking_for = known, variant
        self._start(ANSWER, work, finished)

    def find_loss(self) -> None:
        """Find from which loss of the chosen variant's muscles on the movement can no longer be carried."""
        known, asked, row = self._known, self.asked, self.list.currentRow()
        if known is None or self.jobs.busy or not 0 <= row < len(self.variants):
            return
        variant = self.variants[row]
        self.wrong.say("")

        def work(progress: Progress) -> tuple[AskedFrames, LossCurve]:
            found = asked if asked is not None else asked_frames(known)
            return found, loss(found, variant, progress)

        def finished(found: tuple[AskedFrames, LossCurve]) -> None:
            if self._still(known):
                self.asked, self.curve = found
                self.sentence.setText(self._loss_words(variant, found[1]))
                self.plot.set_curve(found[1])
                self.plot.setVisible(True)

        self._start(FIND_LOSS, work, finished)

    def _still(self, known: Analysis) -> bool:
        """Whether an answer is of what the window shows now."""
        return not self.closed and self._known is not None and self._known.muscles is known.muscles

    @staticmethod
    def _loss_words(variant: Variant, curve: LossCurve) -> str:
        who = html(variant.target)
        if curve.bearable >= 1.0:
            return f"<b>The movement can be carried without {who}.</b>"
        return (
            f"<b>The movement can be carried until {who} has lost {100.0 * curve.bearable:.0f} % of its strength.</b> "
            "Beyond that, no muscle makes up for it."
        )

    def _start(self, title: str, work: Callable[[Progress], object], done: Callable[..., object]) -> None:
        self.jobs.start(title, work, done)
        self._show_buttons()

    def _progressed(self, status: Status) -> None:
        self.progress.setValue(round(100.0 * status.fraction))
        self.said.setText(status.note or f"{status.title} …")

    def _ended(self, title: str, sentence: str) -> None:
        if self.closed:
            return
        known, variant = self._asking_for or (None, None)
        self._asking_for = None
        if sentence and variant in self.variants and known is self._known:  # what cannot be answered is not asked again
            row = self.variants.index(variant)
            del self.variants[row]
            self._fill_list(min(row, len(self.variants) - 1))
            sentence = f"{variant.title}: {sentence}"
        if sentence:
            self.wrong.say(sentence[0].upper() + sentence[1:])
        self._show_buttons()
        self._answer()

    def _show_buttons(self) -> None:
        busy, row = self.jobs.busy, self.list.currentRow()
        chosen = 0 <= row < len(self.variants)
        self.progress.setVisible(busy)
        self.cancel.setVisible(busy)
        self.remove.setEnabled(chosen and not busy)
        self.limit.setEnabled(chosen and not busy and not self.variants[row].moved)
        self.add.setEnabled(self._known is not None)
        self.join.setEnabled(chosen)
        if not busy:
            asked = self.asked
            self.said.setText(
                "" if asked is None
                else f"Computed in {len(asked.frames)} of {asked.whole} frames, with the greatest torques among them."
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
        shown = [one for one in self.variants if one in self._answers]
        numbers = [self.variants.index(one) for one in shown]
        tints = [TINTS[k] for k in numbers]
        for k, result, tint in zip(numbers, results, tints, strict=True):
            sign, words = verdict(asked, result)
            colour = theme.contact if result.carried else theme.failed
            lines.append(
                f'<span style="color:{getattr(theme, tint)}">■</span> {k + 1} <b>{html(result.variant.title)}</b>: '
                f'<span style="color:{colour}"><b>{sign}</b></span> {html(words)}'
            )
        self.verdicts.setText("<br>".join(lines))
        titles = tuple(f"{k + 1}" for k in numbers)
        own = [one.muscles for one in shown]
        who = compensation(readings_of(self._known), results, own)
        self.who.set_bars(
            [Bar(one.label, one.values, one.text, one.tip, one.key) for one in who],
            tints,
            legend=titles,
        )
        joints = contact_lines(asked, results)
        self.joints.set_bars(
            [Bar(one.label, one.values, one.text, one.tip, pale=one.pale) for one in joints],
            ("faint", *tints),
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
