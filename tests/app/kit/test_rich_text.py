"""Text that looks like HTML is shown as it is, on every label, message and tooltip, in every theme."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QInputDialog,
    QLabel,
    QMessageBox,
    QProgressDialog,
    QToolTip,
    QWidget,
)

import biomec
import biomec_app
from biomec_app.kit.dialog_parts import Fault, explanation, heading
from biomec_app.kit.rich_text import rich
from biomec_app.kit.theme import DARK, LIGHT, apply

HOSTILE = 'zq<b>x</b><img src="file:///hostile.png">'
PLAIN, RICH = Qt.TextFormat.PlainText, Qt.TextFormat.RichText
APP, CORE = Path(biomec_app.__file__).parent, Path(biomec.__file__).parent


@pytest.fixture(params=[LIGHT, DARK], ids=lambda theme: theme.name)
def themed(qapp, request):
    """The program in a theme."""
    apply(qapp, request.param)
    yield qapp
    qapp.setStyleSheet("")


def formats(widget: QWidget) -> list[Qt.TextFormat]:
    """How the labels of a widget take texts that look like HTML."""
    labels = [widget] if isinstance(widget, QLabel) else widget.findChildren(QLabel)
    return [one.textFormat() for one in labels if "<b>" in one.text()]


def tip() -> QLabel:
    (shown,) = [one for one in QApplication.topLevelWidgets() if one.inherits("QTipLabel") and one.isVisible()]
    assert isinstance(shown, QLabel)
    return shown


def test_labels_are_plain_unless_they_are_made_rich(themed, qtbot):
    fault = Fault("fault")
    fault.say(HOSTILE)
    own = QFrame()
    own.setStyleSheet("QFrame { border: 1px solid red; }")  # a sheet of its own takes nothing away
    inside = QLabel(HOSTILE, own)
    for one in (QLabel(HOSTILE), heading(HOSTILE), explanation(HOSTILE), fault, own, rich(QLabel(HOSTILE))):
        qtbot.addWidget(one)
        one.show()
        assert formats(one) == [RICH if one.property("rich") else PLAIN]
    inside.setText(HOSTILE * 2)
    assert formats(own) == [PLAIN]


def test_dialogs_that_qt_makes_are_plain(themed, qtbot):
    box = QMessageBox(QMessageBox.Icon.Question, "Title", HOSTILE)
    box.setInformativeText(HOSTILE)
    ask = QInputDialog()
    ask.setLabelText(HOSTILE)
    for one, labels in ((box, 2), (ask, 1), (QProgressDialog(HOSTILE, "Cancel", 0, 0), 1)):
        qtbot.addWidget(one)
        one.show()
        assert formats(one) == [PLAIN] * labels
        one.hide()


def test_tooltips_are_plain(themed, qtbot):
    plain, own = QWidget(), QFrame()
    own.setStyleSheet("QFrame { border: 1px solid red; }")
    for one in (plain, own, plain):
        qtbot.addWidget(one)
        one.show()
        QToolTip.showText(QPoint(20, 20), f"{HOSTILE} {id(one)}", one)
        assert tip().textFormat() == PLAIN
        assert tip().text().startswith(HOSTILE)
    QToolTip.hideText()


READS_HTML = {
    r"setTextFormat|TextFormat\.RichText": {"kit/rich_text.py"},
    r"setHtml|insertHtml|setMarkdown|QTextBrowser|QErrorMessage|QWhatsThis|QStaticText": {"dialogs/manual_window.py"},
    r"LabelItem|addLegend|\bhtml=|\.setTitle\(": {  # pyqtgraph; here the titles of PDF and SVG files
        "plots/paper.py",
        "features/aids/what_if_window.py",  # joints in html()
        "features/loads/before_after.py",  # titles in html()
        "features/muscles/emg_window.py",  # names in html()
        "features/muscles/loss_plot.py",
        "features/muscles/stacked_plot.py",
        "figures/report/pdf.py",
        "figures/report/drawing.py",
    },
    r"\.setLabel\(": {  # of a dialog; units of Biomec
        "shell/main_window.py",
        "features/aids/what_if_window.py",
        "features/loads/before_after.py",
        "features/loads/residual_course.py",
        "features/muscles/loss_plot.py",
        "features/muscles/stacked_plot.py",
    },
    r"from html import|^import html|html\.escape": set(),
}


@pytest.mark.parametrize("pattern", READS_HTML)
def test_only_known_places_show_rich_text(pattern):
    """What shows HTML is listed here; add a place only if no words from files come there without `plain_text.html`."""
    files = [file for file in APP.rglob("*.py") if re.search(pattern, file.read_text("utf-8"), re.MULTILINE)]
    assert {file.relative_to(APP).as_posix() for file in files} == READS_HTML[pattern]


def test_tables_are_written_in_one_place():
    """A table that is written elsewhere may hold formulas for a spreadsheet."""
    files = [file for root in (APP, CORE) for file in root.rglob("*.py") if "csv.writer" in file.read_text("utf-8")]
    assert files == [CORE / "base" / "plain_text.py"]
