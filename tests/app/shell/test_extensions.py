"""A user's own functions: found, run and shown; a broken one gives a sentence and harms nobody."""

import os

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.reporting.tables import Section, Table
from biomec_app.session.approvals import Approvals
from biomec_app.shell.actions.signal_analysis import extra_actions
from biomec_app.shell.extensions import (
    FOLDER_VARIABLE,
    LONGEST,
    Extension,
    extension_folder,
    run_extension,
    sections_of,
)
from biomec_app.shell.extensions import load_extensions as load_asked

GOOD = '''
"""Frames and rate."""


def count(analysis):
    """How many frames there are."""
    trial = analysis.session.dynamic
    return {"frames": trial.frames, "rate (Hz)": trial.rate_hz}


def extend(register):
    register("Count Frames", count)
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    before = os.umask(0o022)  # files that the group may write to are refused
    yield tmp_path
    os.umask(before)


def load_extensions(folder):
    """Load for somebody who says yes to everything; `test_extension_approval.py` is about those who do not."""
    return load_asked(folder, Approvals(folder / "approved"), lambda candidate: True)


def test_a_file_adds_its_functions_with_their_first_line_as_help(folder):
    (folder / "count.py").write_text(GOOD)
    assert extension_folder() == folder
    (found,) = load_extensions(folder).extensions
    assert (found.name, found.file, found.help) == ("Count Frames", "count.py", "How many frames there are.")


def test_without_a_folder_there_is_nothing_and_no_fault(tmp_path):
    loaded = load_extensions(tmp_path / "none")
    assert (loaded.extensions, loaded.faults) == ((), ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def extend(register:\n    pass", "SyntaxError"),
        ("import no_such_library_at_all", "line 1: ModuleNotFoundError"),
        ("x = 1\ny = x / 0", "line 2: ZeroDivisionError"),
        ("raise SystemExit(3)", "line 1: SystemExit"),
        ("x = 1", "no function extend"),
        ("def extend(register):\n    register('A', 3)", "is not a function"),
        ("def extend(register):\n    register('', print)", "needs a name"),
        ("def extend(register):\n    register('Count Frames', print)", "taken by count.py"),
        ("def extend():\n    pass", "TypeError"),
    ],
)
def test_a_broken_file_is_told_and_left_out_and_the_others_work(folder, text, words):
    (folder / "count.py").write_text(GOOD)
    (folder / "zz_broken.py").write_text(text)
    loaded = load_extensions(folder)
    assert [one.name for one in loaded.extensions] == ["Count Frames"]
    (fault,) = loaded.faults
    assert fault.startswith("zz_broken.py: ")
    assert words in fault


def test_what_a_function_returns_is_shown():
    table = Table("T", ("a",), (("1",),))
    assert sections_of("N", table) == (Section("N", (), (table,)),)
    assert sections_of("N", [table, table])[0].tables == (table, table)
    assert sections_of("N", Section("S")) == (Section("S"),)
    assert sections_of("N", "One.\nTwo.")[0].sentences == ("One.", "Two.")
    assert "nothing to show" in sections_of("N", None)[0].sentences[0]
    facts, curve = sections_of("N", {"mean": -1.5, "x": np.arange(3), "y": [0.5, 1.0, 2.0]})[0].tables
    assert facts.rows == (("mean", "−1.5"),)
    assert (curve.columns, curve.rows[2]) == (("x", "y"), ("2", "2"))
    (long,) = sections_of("N", {"x": np.zeros(LONGEST + 7)})[0].tables
    assert len(long.rows) == LONGEST
    assert str(LONGEST + 7) in long.note


@pytest.mark.parametrize("result", [object(), 3.0, {"a": np.zeros((2, 2))}, []])
def test_what_cannot_be_shown_is_told(result):
    with pytest.raises(BiomecError, match=r"shown|can show"):
        sections_of("N", result)


def test_a_function_that_fails_names_its_file_and_line(folder, demo_analysis):
    (folder / "own.py").write_text(
        "def f(analysis):\n    return 1 / 0\n\n\ndef extend(register):\n    register('F', f)\n"
    )
    (own,) = load_extensions(folder).extensions
    with pytest.raises(BiomecError, match=r"F \(own.py\): line 2: ZeroDivisionError .*Your data are unchanged"):
        run_extension(own, demo_analysis)


def test_an_error_of_the_library_keeps_its_own_words(demo_analysis):
    def f(analysis):
        raise BiomecError("There is no marker XY.")

    with pytest.raises(BiomecError, match=r"^There is no marker XY\.$"):
        run_extension(Extension("F", f, "f.py"), demo_analysis)


def test_the_menu_runs_it_in_the_background_and_shows_the_table(qtbot, folder, context, document_with_demo):
    (folder / "count.py").write_text(GOOD)
    (folder / "broken.py").write_text("oops")
    actions = {action.key: action for action in extra_actions(load_extensions(folder))}
    with qtbot.waitSignal(context.jobs.finished, timeout=30_000):
        actions["own.Count Frames"].run(context)
    (window,) = context.windows
    assert "frames\t1885" in window.text()
    window.shut()
    sentences = []
    context.user.tell = context.user.fail = lambda title, sentence: sentences.append(sentence)
    actions["own.about"].run(context)
    assert str(folder) in sentences[0]
    assert "broken.py: line 1: NameError" in sentences[0]
    assert "(1 left out)" in actions["own.about"].text
