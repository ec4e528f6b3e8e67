"""Configuration, about, and the report on the installation: read-only, copied with one button, up to date."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QPushButton

from biomec.reporting.content.configuration import configuration
from biomec.reporting.tables import Section, Table
from biomec_app.dialogs.configuration import ConfigurationDialog
from biomec_app.kit.sections import SectionView, TableView, section_text
from biomec_app.shell.about import AboutDialog, ReportDialog

TABLE = Table("Counts", ("Name", "A", "B"), (("one", "1", "2"), ("two", "−3.5", "4")), "A note.")


@pytest.fixture
def dialog(qtbot, context, document_with_demo):
    made = ConfigurationDialog(context)
    qtbot.addWidget(made)
    made.show()
    return made


def test_five_panes_hold_what_the_library_says(dialog, document_with_demo):
    panes = [dialog.tabs.widget(k) for k in range(dialog.tabs.count())]
    assert [dialog.tabs.tabText(k) for k in range(5)] == [
        "General", "Pre-processing", "Body segment", "Mechanism", "Signals",
    ]  # fmt: skip
    assert dialog.sections == configuration(document_with_demo.analysis)
    assert [bool(pane.findChildren(SectionView)) for pane in panes] == [True, False, False, False, False]
    dialog.tabs.setCurrentIndex(3)  # a pane is made when it is looked at
    mechanism = panes[3].findChild(SectionView).tables[0]
    assert [mechanism.item(row, 1).text() for row in range(4)] == ["252", "214", "44", "6"]


def test_a_pane_and_all_panes_are_copied_with_tabs(dialog):
    dialog.tabs.setCurrentIndex(3)
    dialog.findChild(QPushButton, "configuration-copy").click()
    assert "Coordinates\t252\t126" in QGuiApplication.clipboard().text()
    assert "Sampling rate" not in QGuiApplication.clipboard().text()
    dialog.findChild(QPushButton, "configuration-copy-all").click()
    assert "Sampling rate\t100 Hz" in QGuiApplication.clipboard().text()


def test_nothing_can_be_changed(dialog):
    for index in range(5):
        dialog.tabs.setCurrentIndex(index)
    for table in dialog.findChildren(TableView):
        assert table.editTriggers() == QAbstractItemView.EditTrigger.NoEditTriggers


def test_it_follows_the_document_and_stays_on_its_pane(dialog, document_with_demo):
    dialog.tabs.setCurrentIndex(4)
    analysis = document_with_demo.analysis
    settings = replace(analysis.settings, body=replace(analysis.settings.body, model="m17"))
    document_with_demo.change("Model", analysis.with_settings(settings))
    assert dialog.tabs.currentIndex() == 4
    assert "out of date" in section_text(dialog.tabs.currentWidget().findChild(SectionView).section)


def test_selected_cells_are_copied_with_the_keyboard(qtbot):
    view = TableView(TABLE)
    qtbot.addWidget(view)
    view.show()
    view.selectRow(1)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "two\t−3.5\t4"


def test_a_table_is_as_high_as_its_rows(qtbot):
    view = SectionView(
        Section("Long", ("A sentence.",), (Table("", ("n", "v"), tuple((str(k), "x") for k in range(60))),))
    )
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    (table,) = view.tables
    bottom = table.rowViewportPosition(59) + table.rowHeight(59)
    assert bottom <= table.viewport().height()


def test_a_section_as_text():
    text = section_text(Section("Title", ("Words.",), (TABLE,)))
    assert text == "Title\nWords.\n\nCounts\nName\tA\tB\none\t1\t2\ntwo\t−3.5\t4\nA note.\n"


def test_about_tells_version_licence_and_libraries(qtbot, context):
    about = AboutDialog(context)
    qtbot.addWidget(about)
    about.findChild(QPushButton, "about-copy").click()
    text = QGuiApplication.clipboard().text()
    for word in ("Biomec", "Apache License 2.0", "numpy 2", "PySide6", "not a medical device"):
        assert word in text


def test_a_report_can_be_read_and_copied(qtbot, context):
    report = ReportDialog(context, "Installation", "Everything works.")
    qtbot.addWidget(report)
    assert report.page.isReadOnly()
    report.findChild(QPushButton, "report-copy").click()
    assert QGuiApplication.clipboard().text() == "Everything works."
