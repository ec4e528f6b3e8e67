"""Files that are broken, missing or forbidden, met through the window: a sentence each, and what is open stays."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from biomec.io.project import save_project
from biomec_app.session.project_file import DISCARD, SAVE
from tests.app.acceptance.person import Person


@pytest.fixture(scope="module")
def shared(qapp, tmp_path_factory):
    """One window for all broken files: whatever one leaves behind, the next meets."""
    made = Person(tmp_path_factory.mktemp("window") / "prefs.ini")
    yield made
    made.leave()


@pytest.fixture
def open_(shared, squat_analysis):
    """A recording is open and has an edit that can be undone."""
    person = shared
    person.heard.clear()
    person.answer = DISCARD
    person.document.open(squat_analysis)
    person.document.change("Something", squat_analysis)
    person.kept = (squat_analysis, person.document.history, person.document.undo_stack.count())
    return person


def assert_told_and_unchanged(person, *names):
    """One sentence about the file, nothing left open, and the document as before."""
    assert len(person.heard) == 1, person.heard
    (sentence,) = person.heard
    assert sentence.endswith((".", ")")), sentence
    assert any(name in sentence for name in names), sentence
    for word in ("Traceback", "Errno", "error in Biomec", "Exception", "--"):
        assert word not in sentence
    assert not person.others
    assert not person.context.jobs.busy
    document = person.document
    assert (document.analysis, document.history, document.undo_stack.count()) == person.kept


def write_broken(kind, good: dict[str, Path], project: Path, folder: Path) -> Path:
    """A broken file of that kind."""
    if kind.startswith("c3d cut"):
        data = good["c3d"].read_bytes()
        path = folder / "cut.c3d"
        path.write_bytes(data[: round(len(data) * float(kind.split()[-1]))])
    elif kind == "text named c3d":
        path = folder / "letter.c3d"
        path.write_text("Dear colleague,\nplease find enclosed the recording of yesterday.\n" * 30)
    elif kind == "empty emt":
        path = folder / "empty.emt"
        path.write_text("")
    elif kind == "emt with words for numbers":
        lines = good["emt"].read_text(encoding="latin-1").split("\n")
        lines[len(lines) // 2] = "these are\tno\tnumbers"
        path = folder / "words.emt"
        path.write_text("\n".join(lines), encoding="latin-1")
    elif kind == "zeros":
        path = folder / "zeros.c3d"
        path.write_bytes(bytes(20_000))
    elif kind == "not there":
        path = folder / "gone.c3d"
    elif kind == "a folder":
        path = folder / "folder.c3d"
        path.mkdir()
    elif kind == "unknown kind":
        path = folder / "picture.xyz"
        path.write_bytes(b"\x00\x01\x02")
    elif kind == "project cut":
        path = folder / "cut.biomec"
        data = project.read_bytes()
        path.write_bytes(data[: len(data) // 2])
    elif kind == "empty project":
        path = folder / "empty.biomec"
        path.write_bytes(b"")
    else:
        raise AssertionError(kind)
    return path


@pytest.fixture(scope="session")
def project(squat_analysis, tmp_path_factory):
    path = tmp_path_factory.mktemp("project") / "good.biomec"
    save_project(squat_analysis.stored(), path)
    return path


@pytest.mark.parametrize("item", ["file.import", "file.open"])
@pytest.mark.parametrize(
    "kind", ["c3d cut 0.0005", "c3d cut 0.01", "c3d cut 0.6", "text named c3d", "empty emt",
             "emt with words for numbers", "zeros", "not there", "a folder", "unknown kind", "project cut",
             "empty project"],
)  # fmt: skip
def test_a_broken_file_gives_a_sentence_and_changes_nothing(open_, squat_files, project, tmp_path, kind, item):
    open_.path = write_broken(kind, squat_files, project, tmp_path)
    open_.choose(item)
    assert_told_and_unchanged(open_, open_.path.name)


@pytest.mark.parametrize("seed", range(12))
def test_a_project_with_flipped_bytes_is_refused_or_read_with_a_word(open_, project, tmp_path, seed):
    """Wherever the damage is: a sentence, or a recording that opens; never an error of the program."""
    rng = np.random.default_rng(seed)
    data = bytearray(project.read_bytes())
    for place in rng.integers(0, len(data), 40):
        data[place] ^= 0xFF
    open_.path = tmp_path / "damaged.biomec"
    open_.path.write_bytes(data)
    open_.choose("file.open")
    if open_.heard:
        assert_told_and_unchanged(open_, "damaged.biomec")
    else:
        assert open_.document.path == open_.path


def test_missing_companions_are_told_in_the_dialog_and_can_be_done_without(person, squat_files, tmp_path):
    alone = tmp_path / squat_files["emt"].name
    shutil.copy(squat_files["emt"], alone)
    person.path = alone
    person.choose("file.import")
    dialog = person.dialog()
    assert dialog.names["static"].text() == "–"
    assert dialog.whys["static"].text().endswith(".")
    dialog.analyse.setChecked(False)
    dialog.import_button.click()
    person.idle()
    assert person.document.analysis.session.static is None
    assert not person.heard


def test_a_text_file_that_was_cut_off_says_so_before_it_is_imported(person, squat_files, tmp_path):
    person.path = tmp_path / "cut.emt"
    text = squat_files["emt"].read_text(encoding="latin-1")
    person.path.write_text(text[: len(text) // 3], encoding="latin-1")
    person.choose("file.import")
    dialog = person.dialog()
    notices = dialog.notices.toPlainText()
    assert "the end is missing" in notices, notices
    dialog.reject()
    assert not person.document.is_open


def test_a_broken_companion_is_told_in_the_dialog_and_the_last_choice_stays(person, squat_files, tmp_path):
    person.path = squat_files["c3d"]
    person.choose("file.import")
    dialog = person.dialog()
    static = dialog.names["static"].text()
    broken = tmp_path / "broken.c3d"
    broken.write_bytes(squat_files["c3d"].read_bytes()[:3000])
    person.path = broken
    dialog.browse["static"].click()
    person.wait(lambda: not dialog._jobs.busy and "broken.c3d" in dialog.wrong.text())
    assert dialog.names["static"].text() == static
    dialog.reject()
    assert not person.document.is_open


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no folder here that nobody may write to")
def test_saving_where_nothing_may_be_written_gives_a_sentence(open_):
    open_.path = Path("/proc/self/study.biomec")
    open_.answer = SAVE
    open_.choose("file.save-as")
    assert_told_and_unchanged(open_, "study.biomec", "/proc/self")
    assert open_.document.is_modified


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything is permitted to this user")
def test_a_file_that_may_not_be_read_gives_a_sentence(open_, squat_files, tmp_path):
    open_.path = tmp_path / "secret.c3d"
    shutil.copy(squat_files["c3d"], open_.path)
    open_.path.chmod(0)
    open_.choose("file.import")
    assert_told_and_unchanged(open_, "secret.c3d")
