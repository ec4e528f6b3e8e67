"""File ▸ Clinical Report…: texts are kept with undo, options change the pages, and files are written in a job."""

import docx
import pytest
from PySide6.QtWidgets import QPushButton

from biomec.recording import ClinicalNotes
from biomec.recording.clinical_notes import TEXTS
from biomec.reporting.clinical.blocks import FreeText
from biomec_app.features.clinical.report_choices import ReportChoices
from biomec_app.features.clinical.report_dialog import ReportWindow, kinds
from biomec_app.features.clinical.report_making import Wishes
from biomec_app.figures.report.writers import WRITERS


def settled(window, qtbot):
    qtbot.waitUntil(lambda: not window._due.isActive() and not window.painter.busy)


SMALL = """[report]
title = "Small"
[[page]]
kind = "summary"
[[page]]
kind = "kinematics"
[[page]]
kind = "kinetics"
"""


@pytest.fixture
def window(walking, qtbot, tmp_path):
    """The window with a report of few pages."""
    walking.user.written = []
    walking.user.show_written = lambda title, files, remarks: walking.user.written.extend(files)
    (tmp_path / "small.toml").write_text(SMALL)
    made = ReportWindow(walking)
    made.choices.use_definition(tmp_path / "small.toml")
    made.show()
    settled(made, qtbot)
    yield made
    if made in walking.windows:
        made.close()


def texts_of(window):
    pages = window.made.report.pages
    return {block.key: block.text for page in pages for block in page.blocks if isinstance(block, FreeText)}


def test_every_page_is_previewed_and_what_is_missing_is_told(window):
    assert window.wrong.isHidden(), window.wrong.text()
    assert window.preview.complete
    assert window.made.report.page("kinematics") is not None
    assert window.made.report.page("kinetics") is None  # loads were not computed
    assert "left out" in window.said.text()
    assert any("Kinetics" in sentence for sentence in window.made.remarks)


def test_the_form_has_every_text_and_keeps_it_with_undo(window, walking, qtbot):
    assert {path[0] for path in window.form.rows} == set(TEXTS)
    window.form.rows[("findings",)].widget.setPlainText("Stiff left knee.")
    window.keep_texts()
    assert walking.document.analysis.session.notes.findings == "Stiff left knee."
    assert walking.document.is_modified
    settled(window, qtbot)
    assert texts_of(window)["findings"] == "Stiff left knee."
    walking.document.undo_stack.undo()
    settled(window, qtbot)
    assert walking.document.analysis.session.notes == ClinicalNotes()
    assert window.form.rows[("findings",)].widget.toPlainText() == ""
    assert texts_of(window)["findings"] == ""


def test_a_text_that_is_too_long_is_a_sentence_and_nothing_is_lost(window, walking):
    window.form.rows[("findings",)].widget.setPlainText("x" * 30_000)
    assert window.keep_texts() is False
    assert "30000 letters" in window.wrong.text()
    assert not walking.document.is_modified
    window.form.rows[("findings",)].widget.setPlainText("")


def test_closing_keeps_what_was_typed(window, walking):
    window.form.rows[("referrer",)].widget.setText("Ward 3")
    window.form.rows[("referrer",)].touched()
    window.close()
    assert walking.document.analysis.session.notes.referrer == "Ward 3"


def test_options_reach_the_report(window, walking, qtbot):
    name = walking.document.analysis.session.subject.name
    assert window.made.report.heading.who == name
    window.choices.nameless.setChecked(True)
    window.choices.paper.setCurrentIndex(window.choices.paper.findData("Letter"))
    window.choices.colours.setCurrentIndex(window.choices.colours.findData("red and green"))
    window.choices.norm.setCurrentIndex(window.choices.norm.findData("none"))
    settled(window, qtbot)
    assert name not in str(window.made.report.heading)
    assert (window.made.options.paper, window.made.options.colours) == ("Letter", "red and green")
    grid = window.made.report.page("kinematics").blocks[0]
    assert all(panel.band is None for row in grid.rows for panel in row if panel is not None)


def test_a_definition_decides_the_pages_and_a_bad_one_is_told(window, qtbot, tmp_path):
    own = tmp_path / "ours.toml"
    own.write_text('[report]\ntitle = "Gait"\n[[page]]\nkind = "kinematics"\n')
    window.choices.use_definition(own)
    settled(window, qtbot)
    assert [page.kind for page in window.made.report.pages] == ["kinematics"]
    bad = tmp_path / "bad.toml"
    bad.write_text("[report\n")
    window.choices.use_definition(bad)
    settled(window, qtbot)
    assert "bad.toml" in window.wrong.text()


def test_the_report_is_written_in_the_background(window, walking, qtbot, tmp_path):
    path = tmp_path / "walk report.pdf"
    window.save(path)
    assert walking.jobs.busy
    qtbot.waitUntil(lambda: not walking.jobs.busy)
    assert path.read_bytes().startswith(b"%PDF")
    assert walking.user.written == [path]
    window.save(tmp_path / "report.odt")
    qtbot.waitUntil(lambda: not walking.jobs.busy)
    assert "cannot be written as this" in window.wrong.text()
    assert not (tmp_path / "report.odt").exists()


def test_a_word_template_is_taken_over_remembered_and_a_bad_one_is_told(window, walking, qtbot, tmp_path):
    template = tmp_path / "ward.docx"
    word = docx.Document()
    word.sections[0].header.paragraphs[0].text = "Ward 3, third floor"
    word.save(template)
    walking.user.ask_file = lambda title, pattern, save, start: template
    window.choices.findChild(QPushButton, "report.template-file").click()
    assert window.choices.template.currentText() == "ward.docx"
    window.save(tmp_path / "report.docx")
    qtbot.waitUntil(lambda: not walking.jobs.busy)
    sections = docx.Document(tmp_path / "report.docx").sections
    assert sections[0].header.paragraphs[0].text == "Ward 3, third floor"

    again = ReportChoices(walking, lambda: None)
    assert again.wishes().template == template
    assert again.wishes().definition == str(tmp_path / "small.toml")
    again.template.setCurrentIndex(again.template.findData(""))
    assert ReportChoices(walking, lambda: None).wishes().template is None

    (tmp_path / "bad.docx").write_text("no document")
    window.choices.use_template(tmp_path / "bad.docx")
    window.save(tmp_path / "again.docx")
    qtbot.waitUntil(lambda: not walking.jobs.busy)
    assert "bad.docx: it is not a Word document" in window.wrong.text()
    template.unlink()
    assert ReportChoices(walking, lambda: None).wishes().template == tmp_path / "bad.docx"
    (tmp_path / "bad.docx").unlink()
    assert ReportChoices(walking, lambda: None).wishes().template is None, "a file that is gone is not offered"


def test_every_kind_of_file_is_offered_and_pdf_first():
    offered = kinds().split(";;")
    assert offered[0].endswith("(*.pdf)")
    assert len(offered) == len(WRITERS)


def test_wishes_take_the_place_of_what_the_definition_says():
    definition = Wishes(paper="Letter", colours="grey", norm="adults-fukuchi2018").definition_read()
    assert (definition.paper, definition.colours, definition.norm) == ("Letter", "grey", "adults-fukuchi2018")
    assert Wishes().definition_read().norm == "nearest"
