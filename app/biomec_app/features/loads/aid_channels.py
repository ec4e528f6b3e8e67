"""Which channels hold the forces of instrumented crutches: a proposal by name that the user corrects."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.fields import entries
from biomec.body.anatomy.model import DeviceDefinition
from biomec.body.loads.measured_aids import FORCE_UNITS, AidOptions, aid_channels
from biomec.io.channel_files import with_channel_file
from biomec.pipeline.analysis import run_first
from biomec.pipeline.replay import settings_line
from biomec.recording import Analog, Session
from biomec.recording.marker_set import Side
from biomec_app.curves.curve import capital
from biomec_app.kit.dialog_parts import Fault, explanation, fit_rows, opened, with_buttons
from biomec_app.kit.forms.boxes import NoWheel
from biomec_app.session.context import Context
from biomec_app.session.project_file import RECORDINGS

NAME = "aid-channels"
NOTHING = "–"
AXES = ("x", "y", "z")
COLUMNS = ("Crutch", "Force along", "Channel", "From … to [N]", "Why")
ABOUT = (
    "Three channels of each instrumented crutch: the force of the floor on its tip, in newtons. They are taken as "
    "measured, like the forces of the plates, and stay with this recording. A crutch without channels is estimated "
    "with the ground reaction."
)
BY_NAME, BY_HAND, NOT_MEASURED = "by its name", "chosen by hand", "not measured"
WIDTH, LEAST, MOST = 760, 150, 340  # pixels


class AidChannelsDialog(QDialog):
    """Three rows a crutch, then their axes, sign and calibration."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.setObjectName(NAME)
        self.setWindowTitle("Crutch Channels")
        analysis = context.document.analysis
        self.session: Session = analysis.session
        self.before: AidOptions = analysis.settings.loads.aids
        self.devices = tipped(context)
        self.wrong = Fault(f"{NAME}.fault")
        self.table = QTableWidget(len(AXES) * len(self.devices), len(COLUMNS))
        self.boxes: dict[tuple[str, str], QComboBox] = {}
        self._prepare_table()
        self.axes = QComboBox()
        self.axes.setObjectName(f"{NAME}.axes")
        known = next(entry for entry in entries(AidOptions()) if entry.name == "axes")
        for choice in known.choices:
            self.axes.addItem(capital(choice.label), choice.value)
        self.axes.setCurrentIndex(self.axes.findData(self.before.axes))
        self.reversed = QCheckBox("&Reverse: the channels hold what the tip does to the floor")
        self.reversed.setObjectName(f"{NAME}.reversed")
        self.reversed.setChecked(self.before.reversed)
        self.newtons = QDoubleSpinBox()
        self.newtons.setObjectName(f"{NAME}.newtons")
        self.newtons.setDecimals(4)
        self.newtons.setRange(1e-4, 1e6)
        self.newtons.setSuffix(" N")
        self.newtons.setToolTip("1 if the channels are in newtons, 1000 for kN, the calibration for volts")
        self.newtons.setValue(self.before.newtons)
        form = QFormLayout()
        form.addRow("A&xes of the channels", self.axes)
        form.addRow("&One unit of the channels is", self.newtons)
        form.addRow(self.reversed)
        below = QHBoxLayout()
        below.addStretch(1)
        for text, name, help, act in (
            ("Channels from a &File…", "file", "A recording of the crutches beside this one, such as CSV or MOT",
             self._ask_file),
            ("&Proposal by Name", "reset", "Take the channels that are named after the crutches", self.propose),
        ):  # fmt: skip
            button = QPushButton(text)
            button.setObjectName(f"{NAME}.{name}")
            button.setToolTip(help)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, act=act: act())
            below.addWidget(button)
        with_buttons(self, explanation(ABOUT), self.table, form, below, self.wrong, grows=self.table)
        for signal in (self.axes.activated, self.reversed.toggled, self.newtons.valueChanged):
            signal.connect(lambda *_: self._follow())
        self._show(self._given())
        fit_rows(self, self.table, WIDTH, LEAST, MOST)

    @property
    def analog(self) -> Analog | None:
        """Channels of the recording, with those of a file that was added."""
        return self.session.dynamic.analog

    def _prepare_table(self) -> None:
        table = self.table
        table.setObjectName(f"{NAME}.table")
        table.setAccessibleName("Crutches and their channels")
        table.setHorizontalHeaderLabels(COLUMNS)
        table.verticalHeader().hide()
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        for row, (device, axis) in enumerate((one.name, axis) for one in self.devices for axis in AXES):
            table.setItem(row, 0, QTableWidgetItem(capital(device)))
            table.setItem(row, 1, QTableWidgetItem(axis))
            table.setItem(row, 3, QTableWidgetItem())
            table.setItem(row, 4, QTableWidgetItem())
            box = QComboBox()
            box.setObjectName(f"{NAME}.{device}.{axis}")
            box.setAccessibleName(f"Channel of the {device} along {axis}")
            box.installEventFilter(NoWheel(box))
            box.activated.connect(lambda _: self._follow())
            self.boxes[device, axis] = box
            table.setCellWidget(row, 2, box)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(len(COLUMNS) - 1, QHeaderView.ResizeMode.Stretch)

    # ------------------------------------------------------------------ what is proposed

    def _given(self) -> dict[str, tuple[str, ...]]:
        """Channels by the settings where the recording has them, and by their names elsewhere."""
        names = () if self.analog is None else self.analog.names
        found = self._proposal()
        for device in self.devices:
            given = self.before.left if device.side is Side.LEFT else self.before.right
            if given and set(given) <= set(names):
                found[device.name] = given
            elif given:
                absent = ", ".join(name for name in given if name not in names)
                self.wrong.say(f"The recording has no channel {absent}, which was chosen for the {device.name}.")
        return found

    def _proposal(self) -> dict[str, tuple[str, ...]]:
        return {device.name: aid_channels(self.analog, device, AidOptions()) for device in self.devices}

    def propose(self) -> None:
        """Take back all that was chosen by hand."""
        self._show(self._proposal())

    def _show(self, channels: dict[str, tuple[str, ...]]) -> None:
        names = () if self.analog is None else self.analog.names
        for (device, axis), box in self.boxes.items():
            box.clear()
            box.addItems([NOTHING, *names])
            mine = channels[device]
            box.setCurrentText(mine[AXES.index(axis)] if mine else NOTHING)
        self._follow()

    # ------------------------------------------------------------------ files

    def _ask_file(self) -> None:
        start = self.context.preferences.folder
        for path in self.context.user.ask_files("Channels of crutches", RECORDINGS, start)[:1]:
            self.add_file(path)

    def add_file(self, path: object) -> None:
        """Take the force channels of a file beside the recording."""
        try:
            self.session = with_channel_file(self.session, str(path))
        except BiomecError as error:
            self.wrong.say(str(error))
            return
        self.wrong.say("")
        self._show(self._given())

    # ------------------------------------------------------------------ what is chosen

    def chosen(self, device: str) -> tuple[str, ...]:
        """The channels of a crutch that were chosen, none to three of them."""
        texts = [self.boxes[device, axis].currentText() for axis in AXES]
        return tuple(text for text in texts if text not in ("", NOTHING))

    @property
    def fault(self) -> str:
        """What keeps the choice from being used; empty if nothing does."""
        used: dict[str, str] = {}
        for device in self.devices:
            mine = self.chosen(device.name)
            if 0 < len(mine) < len(AXES):
                return f"The {device.name} has {len(mine)} of three channels. Choose all of x, y and z, or none."
            for name in mine:
                if name in used:
                    return f"The channel {name} is chosen twice: for the {used[name]} and the {device.name}."
                used[name] = device.name
        units = self._units(used)
        if units and self.newtons.value() == 1.0:
            return f"The channels are in {', '.join(units)}, not in newtons. Enter how many newtons one unit is."
        return ""

    def _units(self, names: dict[str, str]) -> list[str]:
        if self.analog is None:
            return []
        of = dict(zip(self.analog.names, self.analog.units, strict=True))
        return sorted({of[name] for name in names if of[name] not in FORCE_UNITS})

    @property
    def options(self) -> AidOptions:
        """What is entered; channels that are found by their names are not named."""
        proposal, given = self._proposal(), {Side.RIGHT: self.before.right, Side.LEFT: self.before.left}
        for device in self.devices:
            mine = self.chosen(device.name)
            given[device.side or Side.RIGHT] = () if mine == proposal[device.name] else mine
        return AidOptions(
            given[Side.RIGHT], given[Side.LEFT], self.axes.currentData(), self.reversed.isChecked(),
            self.newtons.value(),
        )  # fmt: skip

    def _follow(self) -> None:
        """Say how large the forces are and why a channel was taken."""
        proposal, sign = self._proposal(), -1.0 if self.reversed.isChecked() else 1.0
        for row, ((device, axis), box) in enumerate(self.boxes.items()):
            name, size = box.currentText(), ""
            why = NOT_MEASURED
            if self.analog is not None and name in self.analog.names:
                values = sign * self.newtons.value() * self.analog[name]
                known = values[np.isfinite(values)]
                size = f"{known.min():.0f} … {known.max():.0f}".replace("-", "−") if known.size else "no numbers"
                mine = proposal[device]
                why = BY_NAME if mine and mine[AXES.index(axis)] == name else BY_HAND
            for column, text in ((3, size), (4, why)):
                item = self.table.item(row, column)
                assert item is not None
                item.setText(text)
        self.wrong.say(self.fault)

    def accept(self) -> None:
        """Change channels and settings, as one step that can be undone."""
        if self.fault:
            self.wrong.say(self.fault)
            return
        analysis = self.context.document.analysis
        before = analysis.settings
        settings = replace(before, loads=replace(before.loads, aids=self.options))
        changed, lines = analysis, []
        if self.session is not analysis.session:
            changed = replace(changed, session=self.session)
            name = self.session.provenance[-1].settings["files"]["channels"]
            lines += [
                "from biomec.io.channel_files import with_channel_file",
                f"analysis = replace(analysis, session=with_channel_file(analysis.session, {name!r}))",
            ]
        if settings != before:
            changed = changed.with_settings(settings)
            lines.append(settings_line(before, settings))
        if lines:
            self.context.document.change("Change Crutch Channels", changed, "\n".join(lines))
        super().accept()


def tipped(context: Context) -> tuple[DeviceDefinition, ...]:
    """Devices of the person that stand on the floor; needs the body model."""
    return tuple(device for device in context.document.analysis.body.person.devices if device.tip)


def needs_crutches(context: Context) -> str | None:
    """Why no channels can be chosen."""
    if "body" not in context.document.analysis.done:
        return run_first("body")
    if not tipped(context):
        return "The body model has no crutches. Choose one with crutches, such as m18-crutches, in the settings."
    return None


def edit_aid_channels(context: Context) -> AidChannelsDialog:
    """Show the dialog."""
    return opened(AidChannelsDialog(context, context.window))
