"""Extensions run only after a yes, only as they were shown, and only if nobody else can change them."""

import json
import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt

from biomec.base import own_files
from biomec.base.errors import BiomecError
from biomec.cli import analysis as command_analysis
from biomec.cli import main as command
from biomec.cli import window as command_window
from biomec_app.dialogs.extension_question import ExtensionQuestion
from biomec_app.session.approvals import FILE, Approvals
from biomec_app.session.preferences import Preferences
from biomec_app.shell import main as program
from biomec_app.shell.actions.signal_analysis import ASK_AGAIN, extra_actions
from biomec_app.shell.extensions import FOLDER_VARIABLE, Loaded, extension_folder, load_extensions
from tests.other_user import ADMINISTRATOR, as_another_user, open_folder

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="owners and permissions as POSIX has them")
OWN = "import os\nos.environ['OWN_RAN'] = '{}'\ndef extend(register):\n    register('Own', print)\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder of extensions with one file, which leaves a trace when it runs."""
    before = os.umask(0o022)
    folder = tmp_path / "extensions"
    folder.mkdir()
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    monkeypatch.setenv("OWN_RAN", "no")
    (folder / "own.py").write_text(OWN.format("first"))
    yield folder
    os.umask(before)


class Asked:
    """Somebody who gives one answer and remembers the questions."""

    def __init__(self, answer):
        self.answer, self.questions = answer, []

    def __call__(self, candidate):
        self.questions.append(candidate)
        return self.answer


def ran() -> str:
    return os.environ["OWN_RAN"]


def load(place: Path, ask=None) -> Loaded:
    return load_extensions(place, Approvals(place.parent / "approved"), ask)


def test_nothing_runs_before_a_yes(place):
    """Every file of the folder used to run at start."""
    loaded = load(place)
    assert (loaded.extensions, loaded.refused, ran()) == ((), True, "no")
    assert "own.py: it was not run" in loaded.faults[0]


def test_it_is_asked_once_and_again_after_a_change_with_what_changed(place):
    yes = Asked(True)
    assert load(place, yes).extensions
    assert load(place, yes).extensions
    assert (len(yes.questions), ran()) == (1, "first")
    assert yes.questions[0].story == "This file is new."
    assert yes.questions[0].shown == OWN.format("first")
    (place / "own.py").write_text(OWN.format("second"))
    no = Asked(None)
    assert not load(place, no).extensions
    assert ran() == "first"
    assert "has changed since you allowed it on" in no.questions[0].story
    lines = no.questions[0].shown.splitlines()
    assert [line for line in lines if line[0] in "+-"][2:] == [
        "-os.environ['OWN_RAN'] = 'first'",
        "+os.environ['OWN_RAN'] = 'second'",
    ]


def test_a_no_is_remembered_until_the_user_wants_to_be_asked_again(place, context):
    no = Asked(False)
    approvals = Approvals(context.preferences.approvals_folder)
    for _ in range(2):
        loaded = load_extensions(place, approvals, no)
        assert (loaded.extensions, loaded.refused) == ((), True)
    assert (len(no.questions), ran()) == (1, "no")
    context.user.confirm = lambda title, question, choices: ASK_AGAIN
    {action.key: action for action in extra_actions(loaded)}["own.about"].run(context)
    assert load_extensions(place, approvals, Asked(True)).extensions


def test_a_question_that_is_closed_is_asked_again(place):
    closed = Asked(None)
    load(place, closed)
    load(place, closed)
    assert (len(closed.questions), ran()) == (2, "no")


def test_what_was_shown_is_what_runs(place):
    """A file that is exchanged while the question stands, or whose compiled copy lies beside it, does not get in."""

    def exchange(candidate):
        (place / "own.py").write_text(OWN.format("exchanged"))
        return True

    load(place, exchange)
    assert ran() == "first"
    assert not (place / "__pycache__").exists()
    asked = Asked(None)
    load(place, asked)
    assert len(asked.questions) == 1


def test_a_yes_holds_for_one_place(place):
    load(place, Asked(True))
    (place / "copy.py").write_text(OWN.format("copy"))
    asked = Asked(None)
    load(place, asked)
    assert [one.path.name for one in asked.questions] == ["copy.py"]


@POSIX
@pytest.mark.parametrize("mode", [0o020, 0o002])
@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_others_can_change_is_refused_even_if_it_was_allowed(place, monkeypatch, mode, what):
    load(place, Asked(True))
    monkeypatch.setenv("OWN_RAN", "no")
    opened = place / "own.py" if what == "file" else place
    opened.chmod(opened.stat().st_mode | mode)
    asked = Asked(True)
    (fault,) = load(place, asked).faults
    assert "can be changed by other users" in fault
    assert "chmod go-w" in fault
    assert (asked.questions, ran()) == ([], "no")


@POSIX
@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_another_user_owns_is_refused(place, monkeypatch, what):
    if what == "folder":
        monkeypatch.setattr(os, "geteuid", lambda: 4321)
    else:
        real, own = os.fstat, (place / "own.py").stat().st_ino

        def foreign(handle):
            found = real(handle)
            return os.stat_result((*found[:4], 4321, *found[5:])) if found.st_ino == own else found

        monkeypatch.setattr(own_files.os, "fstat", foreign)
    asked = Asked(True)
    (fault,) = load(place, asked).faults
    assert "belongs to another user" in fault
    assert (asked.questions, ran()) == ([], "no")


@ADMINISTRATOR
def test_files_that_another_user_really_owns_are_refused():
    with open_folder() as shared:

        def plant() -> str:
            folder = shared / "extensions"
            folder.mkdir(mode=0o755)
            (folder / "own.py").write_text(OWN.format("planted"))
            return "planted"

        assert as_another_user(plant) == "planted"
        asked = Asked(True)
        folder = shared / "extensions"
        (fault,) = load_extensions(folder, Approvals(shared / "approved"), asked).faults
        assert "the folder belongs to another user" in fault
        os.chown(folder, os.geteuid(), -1)
        (fault,) = load_extensions(folder, Approvals(shared / "approved"), asked).faults
        assert "own.py: it was not run" in fault
        assert "belongs to another user" in fault
        assert asked.questions == []


@POSIX
def test_a_link_into_a_folder_of_others_is_refused(place, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "own.py").write_text(OWN.format("shared"))
    shared.chmod(0o777)
    (place / "own.py").unlink()
    (place / "own.py").symlink_to(shared / "own.py")
    (fault,) = load(place, Asked(True)).faults
    assert "can be changed by other users" in fault
    assert ran() == "no"


@POSIX
def test_answers_are_private_and_those_of_others_do_not_count(place):
    load(place, Asked(True))
    answers = place.parent / "approved" / FILE
    assert stat.S_IMODE(answers.stat().st_mode) == 0o600
    assert stat.S_IMODE(answers.parent.stat().st_mode) == 0o700
    answers.chmod(0o666)
    assert not load(place).extensions


@pytest.mark.parametrize(
    "content", ["", "[]", "{", "[" * 100_000, "\x00", '{"P": 1}', '{"P": {}}', '{"P": {"allowed": 1, "sha256": "S"}}',
                '{"P": {"allowed": "yes", "sha256": "S", "day": "D", "text": "T"}}',
                '{"P": {"allowed": true, "sha256": null, "day": "D", "text": "T"}}'],
)  # fmt: skip
def test_damaged_answers_are_no_answers(place, content):
    load(place, Asked(True))
    answers = place.parent / "approved" / FILE
    (entry,) = json.loads(answers.read_text()).values()
    path = json.dumps(str(place / "own.py"))
    answers.write_text(content.replace('"P"', path).replace('"S"', json.dumps(entry["sha256"])))
    assert not load(place).extensions
    assert load(place, Asked(True)).extensions


def test_an_answer_that_cannot_be_kept_is_told_and_nothing_runs(place):
    (place.parent / "approved").write_text("a file")
    loaded = load(place, Asked(True))
    assert "cannot be kept" in loaded.faults[0]
    assert ran() == "no"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the rules of XDG")
@pytest.mark.parametrize("value", ["", "config", "./config"])
def test_an_empty_or_relative_folder_counts_as_unset(monkeypatch, tmp_path, value):
    """With the variable set but empty, ./Biomec/extensions of wherever one stood was run."""
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", value)
    assert extension_folder() == tmp_path / ".config" / "Biomec" / "extensions"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("APPDATA", value)
    assert extension_folder() == tmp_path / "AppData" / "Roaming" / "Biomec" / "extensions"


# ----------------------------------------------------------------------------------------------------------- the window
@pytest.mark.parametrize(("button", "answer"), [("run", True), ("refuse", False), (None, None)])
def test_the_question_shows_the_file_and_takes_an_answer(qtbot, qapp, place, button, answer):
    """It is asked before there is a theme, and took a file named <b>safe</b>.py for HTML."""
    qapp.setStyleSheet("")
    (place / "own.py").write_text("# <b>bold</b>\n" + OWN.format("first"))
    asked = Asked(None)
    load(place, asked)
    dialog = ExtensionQuestion(asked.questions[0])
    qtbot.addWidget(dialog)
    dialog.show()
    assert str(place / "own.py") in dialog.facts.text()
    assert "This file is new." in dialog.facts.text()
    assert dialog.facts.textFormat() == Qt.TextFormat.PlainText
    assert dialog.text.toPlainText().startswith("# <b>bold</b>")
    assert dialog.refuse.isDefault()
    assert not dialog.run.isDefault()
    if button is None:
        dialog.reject()
    else:
        getattr(dialog, button).click()
    assert dialog.answer is answer


class Made(Exception):
    """A window would be made now."""


@pytest.fixture
def made(place, monkeypatch, qapp, tmp_path):
    """Which extensions a window would have, instead of the window; preferences of its own."""
    given = []

    def window(preferences, user=None, extensions=Loaded()):
        given.append([one.name for one in extensions.extensions])
        raise Made

    own = tmp_path / "prefs.ini"
    monkeypatch.setattr(program, "MainWindow", window)
    monkeypatch.setattr(program, "Preferences", lambda file=None: Preferences(file or own))
    return given


def test_the_window_asks_and_no_extensions_does_not(made, monkeypatch):
    asked = Asked(True)
    monkeypatch.setattr(program, "ask_extension", asked)
    for extensions in (False, True):
        with pytest.raises(Made):
            program.run(extensions=extensions)
        assert (len(asked.questions), ran()) == ((1, "first") if extensions else (0, "no"))
    assert made == [[], ["Own"]]


def test_a_picture_runs_extensions_only_if_asked_and_only_allowed_ones(made, monkeypatch, tmp_path):
    monkeypatch.setattr(program, "ask_extension", lambda candidate: pytest.fail("nobody can answer"))
    picture = tmp_path / "a.png"
    with pytest.raises(Made):
        program.screenshot(picture)
    with pytest.raises(BiomecError, match=r"own\.py: it was not run"):
        program.screenshot(picture, extensions=True)
    assert ran() == "no"
    program.own_functions(program.Preferences(), Asked(True))
    with pytest.raises(Made):
        program.screenshot(picture, extensions=True)
    assert made == [[], ["Own"]]


@pytest.mark.parametrize(
    ("arguments", "extensions"),
    [
        ([], True), (["--no-extensions"], False), (["FILE", "--no-extensions"], False),
        (["--extensions", "FILE"], True),
        (["--screenshot", "a.png"], False), (["--screenshot", "a.png", "--extensions"], True),
        (["--extensions", "--screenshot", "a.png", "FILE"], True),
        (["--screenshot", "a.png", "--extensions", "--no-extensions"], False),
        (["demo"], True), (["demo", "--no-extensions"], False),
    ],
)  # fmt: skip
def test_switches_of_the_command_line(monkeypatch, tmp_path, arguments, extensions):
    file = tmp_path / "walk.c3d"
    file.write_text("")
    given = []

    def note(*files, **named):
        given.append((files, named["extensions"]))
        return 0

    monkeypatch.setattr(command_window, "program", lambda: SimpleNamespace(run=note, screenshot=note))
    for module in (command_window, command_analysis):
        monkeypatch.setattr(module, "has_screen", lambda: True)
    assert command([str(file) if one == "FILE" else one for one in arguments]) == 0
    ((files, loaded),) = given
    assert loaded is extensions
    assert (file in files) == ("FILE" in arguments)
