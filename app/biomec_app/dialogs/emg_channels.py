"""Which muscle every EMG channel is of: a proposal by its name, which the user corrects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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
from biomec.pipeline.replay import settings_line
from biomec.signals.emg_muscles import LEFT, NO_MUSCLE, RIGHT, USUAL, EmgChannel, EmgReading, load_muscles
from biomec_app.kit.dialog_parts import Fault, explanation, fit_rows, opened, with_buttons
from biomec_app.kit.forms.boxes import NoWheel
from biomec_app.session.context import Context

NOTHING = "–"
SIDES = (NOTHING, RIGHT, LEFT)
ABOUT = (
    "Muscle and side of each channel. The EMG page of the report shows the channels that have both; the choice holds "
    "for all recordings of the visit, and is proposed for the next recording with channels of the same names."
)
BY_HAND, REMEMBERED, LEFT_OUT = "chosen by hand", "as chosen last time", "not shown"
WIDTH, LEAST, MOST = 620, 150, 460  # pixels


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
        self.names = emg.names
        try:
            table = load_muscles(self.reading.muscles)
        except BiomecError as error:  # a file that is gone: its sentence, and the muscles that everybody has
            self.wrong.say(str(error))
            table = load_muscles(USUAL)
        self.proposed = {one.channel: one for one in table.assigned(self.names)}
        self.muscles = table.names
        self.table = QTableWidget(len(self.names), 4)
        self.sides: dict[str, QComboBox] = {}
        self.choices: dict[str, QComboBox] = {}
        self._prepare_table()
        self.words = QLabel()
        self.words.setObjectName("emg-channels.words")
        self.words.setWordWrap(True)
        reset = QPushButton("&Proposal by Name")
        reset.setObjectName("emg-channels.reset")
        reset.setToolTip("Take back all that was chosen by hand")
        reset.setAutoDefault(False)
        reset.clicked.connect(lambda _=False: self.show_assignments({}))
        below = QHBoxLayout()
        below.addWidget(self.words, 1)
        below.addWidget(reset)
        with_buttons(self, explanation(ABOUT), self.table, below, self.wrong, grows=self.table)
        self.show_assignments({**self._remembered(), **self.reading.channels})
        fit_rows(self, self.table, WIDTH, LEAST, MOST)

    def _prepare_table(self) -> None:
        table = self.table
        table.setObjectName("emg-channels.table")
        table.setAccessibleName("Channels and their muscles")
        table.setHorizontalHeaderLabels(["Channel", "Side", "Muscle", "Why"])
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
        for column, mode in enumerate(
            (QHeaderView.ResizeMode.ResizeToContents,) * 3 + (QHeaderView.ResizeMode.Stretch,)
        ):
            header.setSectionResizeMode(column, mode)

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
        shown = sum(one.known for one in chosen)
        self.words.setText(f"{shown} of {len(chosen)} channels are shown in the report.")

    def accept(self) -> None:
        """Change the settings, and remember the choice for channels of the same names."""
        analysis = self.context.document.analysis
        hand = self.by_hand
        others = {name: words for name, words in self.reading.channels.items() if name not in self.names}
        preferences = self.context.preferences
        kept = {name: words for name, words in preferences.emg_channels.items() if name not in self.names}
        settings = replace(analysis.settings, emg=replace(self.reading, channels={**others, **hand}))
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
