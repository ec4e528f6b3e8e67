"""Files of one result change together, and files of others are never touched."""

import os
from contextlib import suppress

import pytest

from biomec.base import together
from biomec.base.errors import FileError
from biomec.base.together import replaced_together

OLD = {"a.csv": "old a", "b.csv": "old b", "summary.json": "old", "notes.txt": "mine"}


def folder_of(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    for name, text in OLD.items():
        (folder / name).write_text(text)
    return folder


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def write(folder):
    with replaced_together(folder, "summary.json", ("a.csv", "b.csv", "summary.json")) as stage:
        (stage / "pictures").mkdir()
        (stage / "pictures" / "p.png").write_text("new p")
        (stage / "summary.json").write_text("new")
        (stage / "a.csv").write_text("new a")


def test_new_files_take_the_place_of_all_old_ones(tmp_path):
    folder = folder_of(tmp_path)
    write(folder)
    assert contents(folder) == {"a.csv": "new a", "pictures/p.png": "new p", "summary.json": "new", "notes.txt": "mine"}


def test_a_fault_while_writing_changes_nothing(tmp_path):
    folder = folder_of(tmp_path)

    def full_disk():
        with replaced_together(folder, "summary.json", OLD) as stage:
            (stage / "a.csv").write_text("new a")
            raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match="No space left"):
        full_disk()
    assert contents(folder) == OLD


def test_a_folder_in_the_way_changes_nothing(tmp_path):
    folder = folder_of(tmp_path)
    (folder / "pictures" / "p.png").mkdir(parents=True)
    with pytest.raises(FileError, match="move it away"):
        write(folder)
    assert contents(folder) == OLD


def test_whenever_it_stops_no_summary_stands_beside_tables_of_another_result(tmp_path, monkeypatch):
    """A killed analysis left the new summary beside old tables."""

    class Killed(BaseException):
        pass

    seen = []
    for stop in range(6):
        (tmp_path / str(stop)).mkdir()
        folder = folder_of(tmp_path / str(stop))
        left = stop

        def place(new, target):
            nonlocal left
            if left == 0:
                raise Killed
            left -= 1
            new.replace(target)

        monkeypatch.setattr(together, "_place", place)
        with suppress(Killed):
            write(folder)
        found = contents(folder)
        assert found.pop("notes.txt") == "mine"
        whole_old = {name: text for name, text in OLD.items() if name != "notes.txt"}
        whole_new = {"a.csv": "new a", "pictures/p.png": "new p", "summary.json": "new"}
        assert "summary.json" not in found or found in (whole_old, whole_new)
        seen.append("summary.json" in found)
    assert seen == [False, False, False, True, True, True]


def test_links_stay_links(tmp_path):
    folder = folder_of(tmp_path)
    elsewhere = tmp_path / "elsewhere.csv"
    (folder / "a.csv").replace(elsewhere)
    (folder / "a.csv").symlink_to(elsewhere)
    write(folder)
    assert (folder / "a.csv").is_symlink()
    assert elsewhere.read_text() == "new a"


@pytest.mark.skipif(os.name != "posix", reason="files are locked as on POSIX")
def test_what_a_killed_program_left_is_removed_and_what_is_being_written_stays(tmp_path):
    left = tmp_path / ".results.0123456789ab.part"
    left.mkdir()
    (left / "a.csv").write_text("half")
    with replaced_together(tmp_path, "summary.json") as stage:
        (stage / "summary.json").write_text("first")
        with replaced_together(tmp_path, "summary.json") as other:
            (other / "summary.json").write_text("second")
        assert stage.exists()
        assert stage.stat().st_mode & 0o777 == 0o700
    assert contents(tmp_path) == {"summary.json": "first"}
