"""How a report shall be: pages, paper, colours, norm, Word template, names, and what it is compared with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QPushButton, QWidget

from biomec.reporting.clinical.definition import COLOURS, DEFINITIONS, PAPERS, SHIPPED
from biomec_app.features.clinical.clinical_content import SOURCES
from biomec_app.features.clinical.norm_data import fill_choice
from biomec_app.features.clinical.report_making import Wishes
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.forms.boxes import chooser
from biomec_app.plots.clinical.look import SIDE_COLOURS
from biomec_app.session.context import Context
from biomec_app.session.norm_sets import KnownNorms

AS_DEFINED, USUAL, PLAIN = "As the definition says", "The usual report", "Biomec's own"
DEFINED = {name: USUAL if name == SHIPPED else name for name in DEFINITIONS.shipped()}
DEFINITION, TEMPLATE = "definition", "template"
"""Files that are chosen once and remembered."""
TIPS = {
    DEFINITION: "Pages and their order, laboratory, logo and norm, in a .toml file",
    TEMPLATE: "A Word document whose styles, header, footer and logo the report takes; its text goes",
}


class ReportChoices(QWidget):
    """Boxes and buttons, one below the other. ``changed`` : something is chosen that the pages depend on.

    compare : asks for a recording to compare with
    """

    changed = Signal()

    def __init__(self, context: Context, compare: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        form = QFormLayout(self)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        self.definition = _combo("report.definition", "Pages as in", DEFINED)
        self.definition.setCurrentIndex(max(0, self.definition.findData(SHIPPED)))
        self.paper = _combo("report.paper", "Paper", {"": AS_DEFINED, **{one: one for one in PAPERS}})
        colours = {key: SIDE_COLOURS[key].title for key in COLOURS if key in SIDE_COLOURS}
        self.colours = _combo("report.colours", "Colours of the sides", {"": AS_DEFINED, **colours})
        self.norm = _combo("report.norm", "Norm behind the curves", {})
        fill_choice(self.norm, KnownNorms(()), "")
        self.source = _combo("report.source", "Curves of", SOURCES)
        self.template = _combo("report.template", "Word document as", {"": PLAIN})
        self.nameless = QCheckBox("Without &name and date of birth")
        self.nameless.setObjectName("report.nameless")
        self.nameless.setToolTip("Identifier and age stand for them, also in the properties of the file")
        self.compared = QCheckBox("&Compare with the other recordings that are open")
        self.compared.setObjectName("report.compared")
        self.compared.setChecked(True)
        self.others = explanation()
        buttons = {
            self.definition: _button("report.definition-file", "Definition from a &File…", self._ask_definition),
            self.template: _button("report.template-file", "&Word Template from a File…", self._ask_template),
        }
        for box, label in ((self.definition, "&Pages as in"), (self.paper, "P&aper"),
                           (self.colours, "C&olours of the sides"), (self.norm, "&Norm behind the curves"),
                           (self.source, "C&urves of"), (self.template, "Wor&d document as")):  # fmt: skip
            form.addRow(label, box)
            if box in buttons:
                form.addRow(buttons[box])
        form.addRow(self.nameless)
        form.addRow(self.compared)
        form.addRow(self.others)
        form.addRow(_button("report.compare", "Compare with a &Project…", compare))
        for kind, box in self._files.items():
            buttons[box].setToolTip(TIPS[kind])
            remembered = context.preferences.report_files.get(kind, "")
            if remembered and Path(remembered).is_file():
                _offer(box, Path(remembered))
            box.currentIndexChanged.connect(self._remember)
        for box in (self.definition, self.paper, self.colours, self.norm, self.source):
            box.currentIndexChanged.connect(lambda _: self.changed.emit())
        for check in (self.nameless, self.compared):
            check.toggled.connect(lambda _: self.changed.emit())

    @property
    def _files(self) -> dict[str, QComboBox]:
        return {DEFINITION: self.definition, TEMPLATE: self.template}

    def wishes(self) -> Wishes:
        """All that is chosen."""
        template = str(self.template.currentData())
        return Wishes(
            str(self.definition.currentData()), str(self.paper.currentData()), str(self.colours.currentData()),
            str(self.norm.currentData()), self.context.preferences.norms_folder, self.nameless.isChecked(),
            self.compared.isChecked(), str(self.source.currentData()), Path(template) if template else None,
        )  # fmt: skip

    def show_others(self, names: str) -> None:
        """Say what is open for comparison."""
        self.others.setText(names or "None is open.")
        self.compared.setEnabled(bool(names))

    def use_definition(self, path: Path) -> None:
        """Take pages, logo and norm from a file."""
        _offer(self.definition, path)

    def use_template(self, path: Path) -> None:
        """Take styles, header and footer of Word documents from a file."""
        _offer(self.template, path)

    def _ask_definition(self) -> None:
        folder = self.context.preferences.folder
        path = self.context.user.ask_file("Definition of a report", "Report definition (*.toml)", False, folder)
        if path is not None:
            self.use_definition(path)

    def _ask_template(self) -> None:
        folder = self.context.preferences.folder
        path = self.context.user.ask_file("Template of the Word document", "Word document (*.docx)", False, folder)
        if path is not None:
            self.use_template(path)

    def _remember(self, _: int) -> None:
        """Keep the files for the next report; what comes with Biomec needs no memory."""
        chosen = {kind: str(box.currentData()) for kind, box in self._files.items()}
        self.context.preferences.report_files = {kind: one for kind, one in chosen.items() if one not in ("", SHIPPED)}


def _offer(box: QComboBox, path: Path) -> None:
    if box.findData(str(path)) < 0:
        box.addItem(path.name, str(path))
    box.setCurrentIndex(box.findData(str(path)))


def _combo(name: str, label: str, options: dict[str, str]) -> QComboBox:
    box = chooser(20)
    box.setObjectName(name)
    box.setAccessibleName(label)
    for value, words in options.items():
        box.addItem(words, value)
    return box


def _button(name: str, text: str, act: Callable[[], object]) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.clicked.connect(lambda _=False: act())
    return button
