"""Which label of the recording is which marker: suggestions with their reasons, and a picture of what they make."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from PySide6.QtCore import QStringListModel, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.io.label_map_file import read_label_map, write_label_map
from biomec.pipeline.replay import settings_line
from biomec.recording import Session
from biomec.recording.label_map import LabelMap
from biomec.recording.marker_set import MarkerSet
from biomec.signals.label_swaps import REPAIRABLE
from biomec.signals.mapping import ACCEPT, HIGH, Mapping, suggest_mapping
from biomec_app.dialogs.body_picture import BodyPicture
from biomec_app.dialogs.import_plan import all_labels, examine_labels, set_titles
from biomec_app.kit.dialog_parts import Fault, explanation, opened, with_buttons
from biomec_app.session.action import needs_idle_recording
from biomec_app.session.context import Context

NOBODY = "not used"
ROW = 32  # least height of a row [pixels]
SLICE = 4  # boxes that are made in one turn of the event loop
PROFILES = "Mapping of labels (*.toml)"


class MappingForm(QWidget):
    """A marker set and a marker for every label. ``changed`` when the user decides something."""

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._markers = QStringListModel(self)
        self._session: Session | None = None
        self._choice: dict[str, str] = {}  # label -> the marker that is chosen for it
        self._boxes: dict[str, QComboBox] = {}
        self._waiting: list[tuple[int, str]] = []  # rows whose box is still to be made
        self._slice = QTimer(self)
        self._slice.setInterval(0)
        self._slice.timeout.connect(self._make_some)
        self._set = MarkerSet("", "", (), (), ())
        self._mapping, self._fits, self._touched = Mapping("", ()), False, False
        self.sets, self.search, self.words, self.fault_ = QComboBox(), QLineEdit(), QLabel(), Fault("mapping.fault")
        self.words.setWordWrap(True)
        self.detail = explanation()
        for name, title in set_titles().items():
            self.sets.addItem(title, name)
        self.sets.setObjectName("mapping.set")
        self.sets.setAccessibleName("Marker set")
        self.sets.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.search.setObjectName("mapping.search")
        self.search.setPlaceholderText("Find a label or marker")
        self.search.setClearButtonEnabled(True)
        self.table = QTableWidget(0, 3)
        self._prepare_table()
        self.picture = BodyPicture(context.theme)
        self.accept_all = QPushButton("Accept All &Suggestions")
        self.load, self.store = QPushButton("&Load Mapping…"), QPushButton("Sa&ve Mapping…")
        for button, name in ((self.accept_all, "accept-all"), (self.load, "load"), (self.store, "save")):
            button.setObjectName(f"mapping.{name}")
            button.setAutoDefault(False)
        self._lay_out()
        self.sets.activated.connect(self._choose_set)
        self.search.textChanged.connect(self._filter)
        self.table.currentCellChanged.connect(lambda row, *_: self._highlight(row))
        self.accept_all.clicked.connect(self._accept_all)
        self.load.clicked.connect(self._load)
        self.store.clicked.connect(self._save)

    def _prepare_table(self) -> None:
        table = self.table
        table.setObjectName("mapping.table")
        table.setAccessibleName("Labels and their markers")
        table.setHorizontalHeaderLabels(["Label", "Marker", "Why"])
        table.verticalHeader().hide()
        table.verticalHeader().setMinimumSectionSize(ROW)
        table.verticalHeader().setDefaultSectionSize(ROW)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        header.sectionResized.connect(lambda *_: table.resizeRowsToContents())  # a reason takes the lines it needs
        table.setColumnWidth(0, 100)
        table.setColumnWidth(1, 120)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        label = QLabel("&Marker set")
        label.setBuddy(self.sets)
        top.addWidget(label)
        top.addWidget(self.sets, 2)
        top.addWidget(self.search, 1)
        middle = QHBoxLayout()
        middle.addWidget(self.table, 3)
        middle.addWidget(self.picture, 2)
        bottom = QHBoxLayout()
        for button in (self.accept_all, self.load, self.store):
            bottom.addWidget(button)
        bottom.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(top)
        layout.addWidget(self.words)
        layout.addLayout(middle, 1)
        layout.addWidget(self.detail)
        layout.addWidget(self.fault_)
        layout.addLayout(bottom)

    # ------------------------------------------------------------------ content

    def show_labels(
        self, session: Session, marker_set: MarkerSet, fits: bool, mapping: Mapping, given: LabelMap | None = None
    ) -> None:
        """Show what the labels of a session seem to mean, or what a mapping says; keeps what the user has decided."""
        same = self._session is not None and self._touched and all_labels(self._session) == all_labels(session)
        kept = dict(self._choice) if same else {}
        kept = kept if same and self._set.name == marker_set.name else {}
        self._session, self._set, self._fits, self._mapping = session, marker_set, fits, mapping
        self._touched = bool(kept) or given is not None
        self.sets.setCurrentIndex(self.sets.findData(marker_set.name))
        self._markers.setStringList([NOBODY, *sorted(marker.name for marker in marker_set.markers)])
        self._fill(given, kept)
        self.picture.show_body(session.static or session.dynamic, marker_set)
        self._follow()

    def _fill(self, given: LabelMap | None, kept: dict[str, str]) -> None:
        self.table.setRowCount(0)
        self._choice, self._boxes, self._waiting = {}, {}, []
        doubtful_first = sorted(self._mapping.suggestions, key=lambda s: (s.confidence >= HIGH, s.target is None))
        self.table.setRowCount(len(doubtful_first))
        for row, one in enumerate(doubtful_first):
            taken = one.target if one.target is not None and one.confidence >= ACCEPT else None
            if given is not None:
                taken = given.targets.get(one.label, one.label if one.label in self._set else None)
            label = QTableWidgetItem(one.label)
            self.table.setItem(row, 0, label)
            proposed = taken if taken is not None and taken in self._set else NOBODY
            self._choice[one.label] = kept.get(one.label, proposed)
            self._waiting.append((row, one.label))
            doubtful = one.target is not None and one.confidence < ACCEPT
            sure = "" if one.target is None else f"{100 * one.confidence:.0f} %: "
            words = f"{one.target}? {sure}{one.reason}" if doubtful else f"{sure}{one.reason}"
            why = QTableWidgetItem(words[0].upper() + words[1:] if not doubtful else words)
            why.setToolTip(words)
            if doubtful:
                for item in (label, why):
                    item.setBackground(QColor(230, 159, 0, 60))
            self.table.setItem(row, 2, why)
        self.table.resizeRowsToContents()
        self._slice.start()

    def _make_some(self) -> None:
        """Make boxes of some rows; all at once they would make the window wait."""
        for row, label in self._waiting[:SLICE]:
            combo = QComboBox()
            combo.setModel(self._markers)
            combo.setCurrentText(self._choice[label])
            combo.setObjectName(f"mapping.label.{label}")
            combo.setAccessibleName(f"Marker of label {label}")
            combo.setFrame(False)
            combo.activated.connect(lambda _, label=label, combo=combo: self._chose(label, combo.currentText()))
            self.table.setCellWidget(row, 1, combo)
            self._boxes[label] = combo
        del self._waiting[:SLICE]
        if not self._waiting:
            self._slice.stop()

    def rest(self) -> None:
        """Make no more boxes: nobody sees them, and what is shown next would come later."""
        self._slice.stop()

    @property
    def _combos(self) -> dict[str, QComboBox]:
        """Boxes of all labels."""
        while self._waiting:
            self._make_some()
        return self._boxes

    def _chose(self, label: str, marker: str) -> None:
        self._choice[label] = marker
        self._decided()

    def chosen(self) -> dict[str, str]:
        """Return the marker of every label that has one."""
        return {label: text for label, text in self._choice.items() if text != NOBODY}

    def fault(self) -> str:
        """What is wrong with the mapping, or nothing."""
        for target, count in Counter(self.chosen().values()).items():
            if count > 1:
                labels = " and ".join(label for label, aim in self.chosen().items() if aim == target)
                return f"{labels} are all mapped to {target}. Keep one of them, and let the others be not used."
        return ""

    @property
    def touched(self) -> bool:
        """Whether the user has decided anything."""
        return self._touched

    @property
    def marker_set(self) -> str | None:
        """Name of the marker set, where the user chose it or labels were mapped by hand."""
        return self._set.name if self._touched else None

    def label_map(self) -> LabelMap | None:
        """Return the mapping, or None where it is the one that suggests itself."""
        if not self._touched or self._session is None:
            return None
        chosen = self.chosen()
        labels = all_labels(self._session)
        if chosen == dict(suggest_mapping(labels, self._set).accepted().targets):
            return None
        ignored = [label for label in labels if label not in chosen]
        # a label that is called like a marker and shall not be it gets another name
        renamed = {label: f"{label} ({NOBODY})" for label in ignored if label in self._set}
        rest = tuple(label for label in ignored if label not in renamed)
        return LabelMap("by hand", self._set.name, {**chosen, **renamed}, rest)

    # ------------------------------------------------------------------ following the user

    def _decided(self, *_: object) -> None:
        self._touched = True
        self._follow()
        self.changed.emit()

    def _follow(self) -> None:
        chosen, suggestions = self.chosen(), self._mapping.suggestions
        self.picture.show_mapping(chosen)
        lacking = self._set.lacking(list(chosen.values()), dynamic=True)
        doubtful = [s.label for s in suggestions if s.target is not None and s.confidence < ACCEPT]
        open_ = [label for label in doubtful if label not in chosen]
        both = self._session is not None and self._session.static is not None
        where = "labels of movement and static" if both else "labels"
        words = [f"{len(chosen)} of {len(suggestions)} {where} are markers of this set."]
        if not self._fits:
            words.insert(0, "No marker set fits these labels well; choose the nearest and map by hand.")
        if open_:
            words.append(f"{len(open_)} suggestion{'s' if len(open_) > 1 else ''} to decide.")
        if lacking:
            words.append(f"Missing: {', '.join(lacking[:12])}{' …' if len(lacking) > 12 else ''}.")
        self.words.setText(" ".join(words))
        self.accept_all.setEnabled(bool(open_))
        self.fault_.say(self.fault())

    def _highlight(self, row: int) -> None:
        label, why = self.table.item(row, 0), self.table.item(row, 2)
        self.picture.highlight(None if label is None else label.text())
        self.detail.setText("" if label is None or why is None else f"{label.text()}: {why.text()}")

    def _filter(self, text: str) -> None:
        wanted = text.casefold()
        for row in range(self.table.rowCount()):
            item = self.table.item(row, 0)
            label = "" if item is None else item.text()
            shown = wanted in label.casefold() or wanted in self._choice.get(label, "").casefold()
            self.table.setRowHidden(row, not shown)

    def _accept_all(self) -> None:
        taken = set(self.chosen().values())
        for one in self._mapping.suggestions:
            if one.target is not None and self._choice[one.label] == NOBODY and one.target not in taken:
                self._choice[one.label] = one.target
                self._combos[one.label].setCurrentText(one.target)
                taken.add(one.target)
        self._decided()

    def _choose_set(self, _: int) -> None:
        if self._session is not None:
            self._use_set(str(self.sets.currentData()))
            self._touched = True
            self.changed.emit()

    def _use_set(self, name: str, given: LabelMap | None = None) -> None:
        assert self._session is not None
        marker_set, fits, mapping = examine_labels(self._session, name)
        self._touched = False
        self.show_labels(self._session, marker_set, fits, mapping, given)

    def _load(self) -> None:
        path = self.context.user.ask_file("Load mapping", PROFILES, False, self.context.preferences.folder)
        if path is None:
            return
        try:
            given = read_label_map(path)
            self._use_set(given.marker_set, given)
        except BiomecError as error:
            self.fault_.say(str(error))
            return
        self.changed.emit()

    def _save(self) -> None:
        path = self.context.user.ask_file(
            "Save mapping", PROFILES, True, f"{self.context.preferences.folder}/labels.toml"
        )
        if path is None:
            return
        labels = tuple(self._choice)
        chosen = self.chosen()
        try:
            label_map = LabelMap(path.stem, self._set.name, chosen, tuple(x for x in labels if x not in chosen))
            write_label_map(label_map, path.with_suffix(".toml"))
        except BiomecError as error:
            self.fault_.say(str(error))


class MappingDialog(QDialog):
    """Change the mapping of the open recording."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.setWindowTitle("Labels")
        self.resize(960, 560)
        self.form = MappingForm(context)
        about = explanation("Which label of the recording is which marker of its set.")
        self.buttons = with_buttons(self, about, self.form, grows=self.form)
        analysis = context.document.analysis
        settings = analysis.settings.preparation
        used = settings.marker_set
        if used is None and analysis.is_current("preparation"):
            used = analysis.preparation.marker_set.name  # known already: there is no need to try all sets
        self.form.show_labels(analysis.session, *examine_labels(analysis.session, used), given=settings.label_map)
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.form.changed.connect(lambda: ok.setEnabled(not self.form.fault()))

    def accept(self) -> None:
        """Change the settings, if anything was decided."""
        if self.form.fault():
            return
        analysis = self.context.document.analysis
        label_map = self.form.label_map()
        preparation = replace(analysis.settings.preparation, marker_set=self.form.marker_set, label_map=label_map)
        if self.form.touched and preparation != analysis.settings.preparation:
            settings = replace(analysis.settings, preparation=preparation)
            line = settings_line(analysis.settings, settings)
            self.context.document.change("Change Labels", analysis.with_settings(settings), line)
        super().accept()


def repair_labels(context: Context) -> None:
    """Exchange labels back where two markers are under each other's label; the results are then out of date."""
    document = context.document
    before = document.analysis.settings
    after = replace(before, preparation=replace(before.preparation, repair_swaps=True))
    line = settings_line(before, after)
    document.change("Repair Exchanged Labels", document.analysis.with_settings(after), line)


def nothing_to_repair(context: Context) -> str | None:
    """Why labels cannot be repaired; None if some are exchanged."""
    reason = needs_idle_recording(context)
    if reason is not None:
        return reason
    exchanged = any(notice.code in REPAIRABLE for notice in context.document.analysis.notices)
    return None if exchanged else "No labels were found exchanged."


def edit_labels(context: Context) -> MappingDialog:
    """Show the dialog."""
    return opened(MappingDialog(context, context.window))
