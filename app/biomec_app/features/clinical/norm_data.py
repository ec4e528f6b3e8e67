"""Edit ▸ Norm Data…: the sets there are, which one stands behind curves, import, making and removing one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.notices import Notice
from biomec.reporting.norms.mapped_csv import NormMapping
from biomec.reporting.norms.norm import NormSet
from biomec.reporting.norms.norm_file import COLUMNS, SET, write_norm_set
from biomec.reporting.norms.readers import needs_mapping, read_norms
from biomec_app.features.clinical.norm_description import DescriptionDialog
from biomec_app.features.clinical.norm_making import MakingDialog, folder_name, made_norm
from biomec_app.features.clinical.norm_mapping import MappingDialog
from biomec_app.kit.dialog_parts import Fault, NoticeText, explanation, opened, with_buttons
from biomec_app.kit.faults import fault_told
from biomec_app.kit.painter import Painter
from biomec_app.session.context import Context
from biomec_app.session.norm_sets import (
    AUTOMATIC,
    AUTOMATIC_WORDS,
    WITHOUT,
    WITHOUT_WORDS,
    KnownNorms,
    free_name,
    known_norms,
    remembered_mappings,
)

TITLE = "Norm Data"
WORDS = (
    "Grey bands behind clinical curves are mean ± SD of people without complaints. Prefer a norm of similar age and "
    "speed that was made with the model of your recordings."
)
FILES = "Norm data (*.gcd *.json *.xlsx *.xls *.csv *.txt *.tsv *.asc *.toml);;All files (*)"
COLUMN_TITLES = ("Set", "People", "Ages", "Speed", "Curves", "Licence", "From")
REMOVE = "Remove"


class NormDataDialog(QDialog):
    """The list, what the chosen set is, and buttons for what can be done; `Context.norm` reports what changed."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.known = KnownNorms(())
        self.painter = Painter(self)
        self.setObjectName("norm-data")
        self.setWindowTitle(TITLE)
        self.choice = QComboBox()
        self.choice.setObjectName("norm-data.choice")
        self.choice.setAccessibleName("Norm behind curves")
        self.choice.currentIndexChanged.connect(self._choose)
        form = QFormLayout()
        form.addRow("Norm &behind curves:", self.choice)
        self.list = QTreeWidget()
        self.list.setObjectName("norm-data.list")
        self.list.setAccessibleName("Sets of norm data")
        self.list.setHeaderLabels(COLUMN_TITLES)
        self.list.setRootIsDecorated(False)
        self.list.setAlternatingRowColors(True)
        self.list.setMinimumHeight(150)
        self.list.currentItemChanged.connect(lambda *_: self._describe())
        header = self.list.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(5, QHeaderView.ResizeMode.Interactive)
        self.about = NoticeText("norm-data.about")
        self.about.setAccessibleName("What the chosen set is")
        self.wrong = Fault("norm-data.fault")
        self.folder = explanation()
        self.folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.buttons: dict[str, QPushButton] = {}
        box = with_buttons(
            self, explanation(WORDS), form, self.list, self._row(), self.about, self._folder_row(), self.wrong,
            grows=self.list, buttons=QDialogButtonBox.StandardButton.Close,
        )  # fmt: skip
        box.button(QDialogButtonBox.StandardButton.Close).setDefault(True)
        self.about.setFixedHeight(120)
        self.resize(860, 560)
        self.refresh()

    def _row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        for key, text, tip, act in (
            ("import", "&Import…", "Read norms of GCD, pyCGM2, Excel or a table", self.ask),
            ("make", "&Make from Recordings…", "Make a norm of your own recordings", self.make),
            ("edit", "&Describe…", "Who is behind this set: ages, speed, model, licence", self.edit),
            ("remove", "&Remove…", "Delete this set of your own", self.remove),
        ):
            self.buttons[key] = _button(f"norm-data.{key}", text, tip, act)
            row.addWidget(self.buttons[key])
        row.addStretch(1)
        return row

    def _folder_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(QLabel("Your sets are in"))
        row.addWidget(self.folder, 1)
        row.addWidget(_button("norm-data.folder", "&Folder…", "Keep your sets in another folder", self.ask_folder))
        return row

    # ------------------------------------------------------------------ content

    def refresh(self, select: str = "") -> None:
        """Read the sets again, beside the window's thread."""
        folder = self.context.preferences.norms_folder
        self.folder.setText(str(folder))
        self.painter.paint("norms", lambda: known_norms(folder), lambda known, fault: self._found(known, fault, select))

    def _found(self, known: KnownNorms | None, fault: Exception | None, select: str) -> None:
        if known is None:
            self.wrong.say(f"The sets cannot be listed: {fault}")
            return
        self.known = known
        self.wrong.say(" ".join(known.faults))
        wanted = select or self._name
        self.list.clear()
        for norm in known.sets:
            item = QTreeWidgetItem(self.list, [*_columns(norm), "your own" if norm in known.own else "Biomec"])
            item.setData(0, Qt.ItemDataRole.UserRole, norm.name)
            for k in range(item.columnCount()):
                item.setToolTip(k, item.text(k))
            if norm.name == wanted:
                self.list.setCurrentItem(item)
        first = self.list.topLevelItem(0)
        if self.list.currentItem() is None and first is not None:
            self.list.setCurrentItem(first)
        self._offer()
        self._describe()

    def _offer(self) -> None:
        fill_choice(self.choice, self.known, self.context.preferences.norm)

    @property
    def _name(self) -> str:
        item = self.list.currentItem()
        return "" if item is None else str(item.data(0, Qt.ItemDataRole.UserRole))

    @property
    def chosen(self) -> NormSet | None:
        """The set that is marked in the list."""
        return self.known.named(self._name)

    def _describe(self) -> None:
        norm = self.chosen
        own = norm is not None and norm in self.known.own
        for key in ("edit", "remove"):
            self.buttons[key].setEnabled(own)
        if norm is None:
            self.about.setPlainText("")
            return
        about = norm.about
        facts = {"Model": about.model, "Task": about.task, "Cite": about.citation, "Source": about.source,
                 "Licence": about.licence}  # fmt: skip
        lines = [f"{about.title}: {about.people}.", *(f"{key}: {value}" for key, value in facts.items() if value)]
        lines += [*about.notes, *(f"Not drawn: {curve}. {why}" for curve, why in about.doubtful.items())]
        self.about.setPlainText("\n".join(lines))

    def _choose(self, _: int) -> None:
        wish = self.choice.currentData()
        if wish is not None:
            self.context.norm.wish = str(wish)

    # ------------------------------------------------------------------ what can be done

    def ask(self) -> None:
        """Ask for a file, and import it."""
        path = self.context.user.ask_file("Import norm data", FILES, False, self.context.preferences.folder)
        if path is not None:
            self.import_file(path)

    def import_file(self, path: Path) -> None:
        """Read the norms of a file; what columns of an unknown table mean is asked first."""
        folder = self.context.preferences.norms_folder

        def work() -> tuple[NormSet, ...] | None:
            mappings: tuple[NormMapping, ...] = remembered_mappings(folder)
            return None if needs_mapping(path, mappings) else read_norms(path, mappings)

        self.wrong.say("")
        self.painter.paint("import", work, lambda sets, fault: self._read(path, sets, fault))

    def _read(self, path: Path, sets: tuple[NormSet, ...] | None, fault: Exception | None) -> None:
        if fault is not None:
            self.wrong.say(fault_told(fault, "The file cannot be read"))
        elif sets is not None:
            self.keep(sets)
        else:
            asked = MappingDialog(path, self.context.preferences.norms_folder, self)
            asked.accepted.connect(lambda: self.keep(asked.sets))
            opened(asked)

    def keep(self, sets: Sequence[NormSet]) -> None:
        """Write sets into the user's folder, each under a name that is free; one alone is then described."""
        from dataclasses import replace

        notices: list[Notice] = []
        name = ""
        known = self.known
        try:
            for norm in sets:
                name = free_name(known, folder_name(norm.name))
                write_norm_set(replace(norm, name=name), self.context.preferences.norms_folder / name)
                known = KnownNorms(known.shipped, (*known.own, replace(norm, name=name)))
                notices += norm.notices
        except BiomecError as error:
            self.wrong.say(str(error))
        self.known = known
        self.refresh(name)
        self.context.norm.renew()
        doubts = [notice.sentence for notice in notices if notice.severity != "info"]
        if doubts:
            self.context.user.tell("Import norm data", "\n".join(doubts))
        if name and len(sets) == 1 and not sets[0].about.ages:
            self._edit(replace(sets[0], name=name))

    def edit(self) -> None:
        """Describe the marked set."""
        if self.chosen is not None:
            self._edit(self.chosen)

    def _edit(self, norm: NormSet) -> None:
        dialog = DescriptionDialog(norm, self)

        def done() -> None:
            try:
                write_norm_set(dialog.set, self.context.preferences.norms_folder / norm.name)
            except BiomecError as error:
                self.wrong.say(str(error))
            self.refresh(norm.name)
            self.context.norm.renew()

        dialog.accepted.connect(done)
        opened(dialog)

    def remove(self) -> None:
        """Delete the files of a set of the user's own, after a question."""
        norm = self.chosen
        if norm is None or norm not in self.known.own:
            return
        question = f"Delete the norm {norm.about.title} and its files? This cannot be undone."
        if self.context.user.confirm("Remove norm", question, (REMOVE,)) != REMOVE:
            return
        try:
            remove_norm_set(self.context.preferences.norms_folder / norm.name)
        except OSError as error:
            self.wrong.say(f"{norm.name}: the folder cannot be deleted ({error.strerror or error}).")
        self.refresh()
        self.context.norm.renew()

    def ask_folder(self) -> None:
        """Choose another folder for the user's sets; those in the one before stay there."""
        folder = self.context.user.ask_folder("Folder of your norm data", str(self.context.preferences.norms_folder))
        if folder is not None:
            self.context.preferences.norms_folder = folder
            self.refresh()
            self.context.norm.renew()

    def make(self) -> None:
        """Ask for recordings, and make a norm of them in the background."""
        dialog = MakingDialog(self.context.preferences.folder, self)
        dialog.accepted.connect(
            lambda: self.make_from(dialog.title.text().strip(), dialog.recordings, str(dialog.source.currentData()))
        )
        opened(dialog)

    def make_from(self, title: str, recordings: Sequence[Path], source: str) -> None:
        """Make a norm of recordings; the status bar shows how far it is, and can cancel it."""
        try:
            self.context.jobs.start(
                "Make norm",
                lambda progress: made_norm(folder_name(title), title, recordings, source, progress),
                lambda norm: self.keep((norm,)),
            )
        except BiomecError as error:
            self.wrong.say(str(error))

    def done(self, result: int) -> None:
        """Stop reading."""
        self.painter.stop()
        super().done(result)


def fill_choice(box: QComboBox, known: KnownNorms, wish: str, automatic: NormSet | None = None) -> None:
    """Offer the sets that can stand behind curves, and none; mark what is wished.

    automatic : the set that is taken if the choice is automatic, where that is known
    """
    box.blockSignals(True)
    box.clear()
    taken = "" if automatic is None or wish != AUTOMATIC else f": {automatic.about.title} ({automatic.about.people})"
    box.addItem(f"{AUTOMATIC_WORDS}{taken}", AUTOMATIC)
    for norm in known.with_curves:
        box.addItem(f"{norm.about.title} ({norm.about.people})", norm.name)
    box.addItem(WITHOUT_WORDS, WITHOUT)
    box.setCurrentIndex(max(0, box.findData(wish)))
    box.blockSignals(False)


def remove_norm_set(folder: Path) -> None:
    """Delete what a norm consists of; other files in its folder, which are not ours, stay with the folder."""
    for name in (SET, *COLUMNS):
        (folder / name).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        shutil.rmtree(folder)


def _columns(norm: NormSet) -> list[str]:
    about = norm.about
    return [
        about.title,
        "–" if about.subjects is None else str(about.subjects),
        "–" if about.ages is None else f"{about.ages[0]:g}–{about.ages[1]:g}",
        "–" if about.speed_m_s is None else f"{about.speed_m_s[0]:.2f} ± {about.speed_m_s[1]:.2f} m/s",
        str(len(norm.curves)) if norm.curves else "speeds only" if norm.speeds else "–",
        about.licence.split(",")[0].split(";")[0] or "–",
    ]


def _button(name: str, text: str, tip: str, act: Any) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setToolTip(tip)
    button.setAutoDefault(False)
    button.clicked.connect(lambda _=False: act())
    return button
