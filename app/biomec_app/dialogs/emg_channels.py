"""Which muscle every EMG channel is of, by a proposal that the user corrects, and what its maximal contraction is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.pipeline.replay import settings_line
from biomec.signals.emg_muscles import LEFT, NO_MUSCLE, RIGHT, USUAL, EmgChannel, EmgReading, load_muscles
from biomec.signals.maximal_contraction import MaximalContractions, maximal_contractions, named_contractions
from biomec_app.dialogs.emg_contractions import ContractionColumns
from biomec_app.kit.dialog_parts import Fault, explanation, fit_rows, opened, with_buttons
from biomec_app.kit.forms.boxes import NoWheel
from biomec_app.session.context import Context
from biomec_app.session.jobs import Jobs
from biomec_app.session.project_file import RECORDINGS

NOTHING = "–"
SIDES = (NOTHING, RIGHT, LEFT)
ABOUT = (
    "Muscle and side of each channel. The EMG page of the report shows the channels that have both; the choice holds "
    "for all recordings of the visit, and is proposed for the next recording with channels of the same names. A "
    "maximal voluntary contraction (MVC) of the same electrode makes sizes comparable; it stays with this recording."
)
BY_HAND, REMEMBERED, LEFT_OUT = "chosen by hand", "as chosen last time", "not shown"
COLUMNS = ("Channel", "Side", "Muscle", "Why", "Maximal contraction", "From")
READING = "Maximal contractions"
WIDTH, LEAST, MOST = 900, 150, 460  # pixels


class EmgChannelsDialog(QDialog):
    """A row a channel: its name, side, muscle, and why these."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.setObjectName("emg-channels")
        self.setWindowTitle("EMG Channels")
        analysis = context.document.analysis
        emg = analysis.session.dynamic.emg
        assert emg is not None
        self.reading: EmgReading = analysis.settings.emg
        self.wrong = Fault("emg-channels.fault")
        self._gone = ""
        self.names = emg.names
        try:
            table = load_muscles(self.reading.muscles)
        except BiomecError as error:  # a file that is gone: its sentence, and the muscles that everybody has
            self._gone = str(error)
            table = load_muscles(USUAL)
        self.proposed = {one.channel: one for one in table.assigned(self.names)}
        self.muscles = table.names
        self.table = QTableWidget(len(self.names), len(COLUMNS))
        self.sides: dict[str, QComboBox] = {}
        self.choices: dict[str, QComboBox] = {}
        self.jobs = Jobs(self)
        self.jobs.failed.connect(lambda title, sentence: self.wrong.say(sentence))
        self._prepare_table()
        self.contractions = ContractionColumns(self.table, emg, 4, self._check)
        self.words = QLabel()
        self.words.setObjectName("emg-channels.words")
        self.words.setWordWrap(True)
        reset = QPushButton("&Proposal by Name")
        reset.setObjectName("emg-channels.reset")
        reset.setToolTip("Take back all that was chosen by hand")
        reset.setAutoDefault(False)
        reset.clicked.connect(lambda _=False: self.show_assignments({}))
        self.files = QPushButton("Maximal Contractions from &Files…")
        self.files.setObjectName("emg-channels.files")
        self.files.setToolTip("Recordings of maximal contractions: the greatest envelope of each channel is taken")
        self.files.setAutoDefault(False)
        self.files.clicked.connect(lambda _=False: self._ask_files())
        beside = named_contractions(Path(context.preferences.folder) / analysis.session.dynamic.source.name)
        self.named = QPushButton(f"Use {len(beside)} Files &Named MVC" if len(beside) != 1 else f"Use {beside[0].name}")
        self.named.setObjectName("emg-channels.named")
        self.named.setToolTip(", ".join(path.name for path in beside))
        self.named.setAutoDefault(False)
        self.named.setVisible(bool(beside))
        self.named.clicked.connect(lambda _=False: self.read_contractions(beside))
        below = QHBoxLayout()
        below.addWidget(self.words, 1)
        below.addWidget(self.named)
        below.addWidget(self.files)
        below.addWidget(reset)
        with_buttons(self, explanation(ABOUT), self.table, below, self.wrong, grows=self.table)
        self.show_assignments({**self._remembered(), **self.reading.channels})
        self.contractions.show(self.reading.mvc, self.reading.mvc_from)
        fit_rows(self, self.table, WIDTH, LEAST, MOST)

    def _prepare_table(self) -> None:
        table = self.table
        table.setObjectName("emg-channels.table")
        table.setAccessibleName("Channels and their muscles")
        table.setHorizontalHeaderLabels(COLUMNS)
        table.verticalHeader().hide()
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        for row, name in enumerate(self.names):
            table.setItem(row, 0, QTableWidgetItem(name))
            table.setItem(row, 3, QTableWidgetItem())
            self.sides[name] = self._box(row, 1, name, "side", SIDES)
            self.choices[name] = self._box(row, 2, name, "muscle", (NOTHING, *sorted(self.muscles)))
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(len(COLUMNS) - 1, QHeaderView.ResizeMode.Stretch)

    def _box(self, row: int, column: int, channel: str, what: str, options: tuple[str, ...]) -> QComboBox:
        box = QComboBox()
        box.addItems(list(options))
        box.setObjectName(f"emg-channels.{what}.{channel}")
        box.setAccessibleName(f"{what.capitalize()} of channel {channel}")
        box.installEventFilter(NoWheel(box))
        box.activated.connect(lambda _: self._follow())
        self.table.setCellWidget(row, column, box)
        return box

    # ------------------------------------------------------------------ what is proposed

    def _remembered(self) -> dict[str, str]:
        """What was chosen for channels of these names in another recording."""
        known = self.context.preferences.emg_channels
        return {name: known[name] for name in self.names if name in known}

    def show_assignments(self, given: Mapping[str, str]) -> None:
        """Show the proposal, or what is given for a channel if this table of muscles has it."""
        for name, one in self.proposed.items():
            pair, words = (one.side, one.muscle), given.get(name)
            if words is not None:
                side, _, muscle = words.partition(" ")
                pair = (side, muscle) if words == NO_MUSCLE or muscle in self.muscles else pair
            for box, text in zip((self.sides[name], self.choices[name]), pair, strict=True):
                box.setCurrentText(text or NOTHING)
        self._follow()

    # ------------------------------------------------------------------ what is chosen

    def _chosen(self, name: str) -> EmgChannel:
        side, muscle = (box.currentText().replace(NOTHING, "") for box in (self.sides[name], self.choices[name]))
        return EmgChannel(name, side, muscle)

    @property
    def by_hand(self) -> dict[str, str]:
        """Channel -> assignment, of those that differ from the proposal."""
        chosen = {name: self._chosen(name).assignment for name in self.names}
        return {name: words for name, words in chosen.items() if words != self.proposed[name].assignment}

    def _follow(self) -> None:
        """Say why, and how many channels are shown."""
        hand, remembered = self.by_hand, self._remembered()
        chosen = [self._chosen(name) for name in self.names]
        for row, one in enumerate(chosen):
            mine = hand.get(one.channel)
            if not one.known:
                why = LEFT_OUT if not (one.side or one.muscle) else f"{'muscle' if one.side else 'side'} is not known"
            elif mine is None:
                why = self.proposed[one.channel].source
            else:
                why = REMEMBERED if remembered.get(one.channel) == mine else BY_HAND
            item = self.table.item(row, 3)
            assert item is not None
            item.setText(why[0].upper() + why[1:])
        self._count()

    def _count(self) -> None:
        """Say how many channels are shown, and how many have a maximal contraction."""
        known, count = sum(self._chosen(name).known for name in self.names), len(self.contractions.values)
        self.words.setText(
            f"{known} of {len(self.names)} channels are shown in the report; {count or 'none'} "
            f"{'have' if count > 1 else 'has'} a maximal contraction."
        )

    def _check(self) -> None:
        """Say what is wrong with entries."""
        self.wrong.say(self.contractions.fault or self._gone)
        self._count()

    # ------------------------------------------------------------------ maximal contractions

    def _ask_files(self) -> None:
        user, start = self.context.user, self.context.preferences.folder
        self.read_contractions(user.ask_files("Recordings of maximal contractions", RECORDINGS, start))

    def read_contractions(self, paths: Sequence[Path]) -> None:
        """Take the greatest envelope of each channel from recordings, in the background."""
        emg = self.context.document.analysis.session.dynamic.emg
        if not paths or emg is None or self.jobs.busy:
            return
        try:
            table = load_muscles(self.reading.muscles).with_channels({**self.reading.channels, **self.by_hand})
        except BiomecError:  # the dialog said so when it opened; names of channels are enough
            table = None
        self.wrong.say("")
        self.words.setText(f"Reading {len(paths)} recordings …")

        def work(progress: Progress) -> MaximalContractions:
            return maximal_contractions(paths, emg, table)

        def done(found: MaximalContractions) -> None:
            self.contractions.show(
                {**self.contractions.mvc, **{one.channel: one.value for one in found.found}},
                {**self.contractions.mvc_from, **{one.channel: one.source for one in found.found}},
            )
            if found.notices:
                self.wrong.say(" ".join(one.sentence for one in found.notices))

        self.jobs.start(READING, work, done)

    def done(self, result: int) -> None:
        """Close; what is being read is not waited for."""
        self.jobs.cancel()
        super().done(result)

    def accept(self) -> None:
        """Change the settings, and remember the muscles for channels of the same names."""
        if self.contractions.fault:
            self.wrong.say(self.contractions.fault)
            return
        analysis = self.context.document.analysis
        hand = self.by_hand
        others = {name: words for name, words in self.reading.channels.items() if name not in self.names}
        preferences = self.context.preferences
        kept = {name: words for name, words in preferences.emg_channels.items() if name not in self.names}
        found = self.contractions
        mvc = {name: value for name, value in self.reading.mvc.items() if name not in self.names}
        mvc_from = {name: source for name, source in self.reading.mvc_from.items() if name not in self.names}
        reading = replace(
            self.reading, channels={**others, **hand}, mvc={**mvc, **found.mvc}, mvc_from={**mvc_from, **found.mvc_from}
        )
        settings = replace(analysis.settings, emg=reading)
        preferences.emg_channels = {**kept, **hand}
        if settings != analysis.settings:
            line = settings_line(analysis.settings, settings)
            self.context.document.change("Change EMG Channels", analysis.with_settings(settings), line)
        super().accept()


def needs_emg(context: Context) -> str | None:
    """Why channels cannot be assigned."""
    emg = context.document.analysis.session.dynamic.emg
    return None if emg is not None and emg.names else "The recording has no EMG."


def edit_emg_channels(context: Context) -> EmgChannelsDialog:
    """Show the dialog."""
    return opened(EmgChannelsDialog(context, context.window))
