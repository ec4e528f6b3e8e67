"""Settings saved and loaded, and the report written, from the window as by the command line."""

import json
from dataclasses import replace

import pytest

from biomec.base.errors import BiomecError
from biomec.body.anatomy.subject_model import ModelOptions
from biomec.pipeline import replay
from biomec.pipeline.settings_file import read_settings, write_settings
from biomec_app.figures.report.demo_pictures import draw
from biomec_app.shell import files
from biomec_app.shell.actions.file import ACTIONS


@pytest.fixture
def asked(context):
    """Questions that were asked; ``context.answer`` is what is answered."""
    questions = []
    context.answer = None

    def confirm(title, question, choices):
        questions.append(question)
        return context.answer

    context.user.confirm = confirm
    return questions


@pytest.fixture
def sentences(context):
    sentences = []
    context.user.tell = context.user.fail = lambda title, sentence: sentences.append(sentence)
    return sentences


def changed(settings, **options):
    body = replace(settings.body, options=ModelOptions(**options))
    return replace(settings, body=body, angles=replace(settings.angles, subtract_static=True))


def test_settings_are_saved_as_the_command_line_takes_them(context, document_with_demo, tmp_path):
    written = []
    context.user.show_written = lambda title, paths, remarks: written.extend(paths)
    context.user.ask_file = lambda *asked: tmp_path / "mine"
    files.save_settings(context)
    assert written == [tmp_path / "mine.json"]
    assert read_settings(tmp_path / "mine.json") == (document_with_demo.analysis.settings, ())


def test_settings_are_loaded_can_be_undone_and_replayed(context, document_with_demo, tmp_path, asked, sentences):
    before = document_with_demo.analysis
    wanted = changed(before.settings)
    write_settings(wanted, tmp_path / "other.json")
    context.user.ask_file = lambda *asked: tmp_path / "other.json"
    files.load_settings(context)
    assert (asked, sentences) == ([], [])
    assert document_with_demo.analysis.settings == wanted
    assert "angles" in document_with_demo.analysis.stale
    line = document_with_demo.history[-1]
    names = {}
    exec("\n".join(replay._imports([line])), names)
    names["analysis"] = before
    exec(line, names)
    assert names["analysis"].settings == wanted
    document_with_demo.undo_stack.undo()
    assert document_with_demo.analysis is before


@pytest.mark.parametrize("answer", [files.OF_THE_FILE, files.OF_THIS, None])
def test_functional_centres_of_another_recording_come_only_if_they_are_wanted(
    context, document_with_demo, tmp_path, asked, sentences, answer
):
    """They are places in the static of the recording that they were found on."""
    before = document_with_demo.analysis
    wanted = changed(before.settings, points={"CAQ_D": (0.1, 0.9, 0.08)})
    write_settings(wanted, tmp_path / "other.json")
    context.user.ask_file = lambda *asked: tmp_path / "other.json"
    context.answer = answer
    files.load_settings(context)
    assert len(asked) == 1
    assert "CAQ_D" in asked[0]
    now = document_with_demo.analysis.settings
    if answer is None:
        assert document_with_demo.analysis is before
    else:
        assert now.angles.subtract_static
        assert bool(now.body.options.points) == (answer == files.OF_THE_FILE)


def test_settings_that_cannot_be_read_change_nothing(context, document_with_demo, tmp_path):
    path = tmp_path / "summary.json"
    path.write_text(json.dumps({"cycles_found": 5}), "utf-8")
    context.user.ask_file = lambda *asked: path
    with pytest.raises(BiomecError, match="no settings"):  # the menu tells it
        files.load_settings(context)
    assert document_with_demo.undo_stack.count() == 0


def test_settings_that_are_there_already_change_nothing_and_say_so(context, document_with_demo, tmp_path, sentences):
    write_settings(document_with_demo.analysis.settings, tmp_path / "same.json")
    context.user.ask_file = lambda *asked: tmp_path / "same.json"
    files.load_settings(context)
    assert document_with_demo.undo_stack.count() == 0
    assert "already" in sentences[0]


def test_the_report_is_the_one_of_the_command_line(qtbot, context, short_analysis, tmp_path, asked):
    context.document.open(short_analysis)
    (item,) = (action for action in ACTIONS if action.key == "file.export-report")
    assert item.blocked(context) is None
    written, failed = [], []
    context.user.show_written = lambda title, paths, remarks: written.extend(paths)
    context.jobs.failed.connect(lambda title, sentence: failed.append(sentence))
    context.user.ask_folder = lambda *asked: tmp_path / "window"
    item.run(context)
    qtbot.waitUntil(lambda: not context.jobs.busy, timeout=120_000)
    assert not failed
    wanted = draw(short_analysis, tmp_path / "line")
    assert {path.relative_to(tmp_path / "window") for path in written} == {
        path.relative_to(tmp_path / "line") for path in wanted
    }
    assert written[0].name == "report.html"
    assert written[0].read_bytes() == (tmp_path / "line" / "report.html").read_bytes()
    item.run(context)  # there is one already, and nobody says that it may be overwritten
    assert "Overwrite" in asked[0]
    assert not context.jobs.busy
