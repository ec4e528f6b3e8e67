"""What a study folder holds: everything in it is something, and nothing is silently left out or mixed up."""

import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

from biomec.base.errors import BiomecError
from biomec.io import visit_folder
from biomec.io.project import load_project
from biomec.study import decisions, discovery
from biomec.study.decisions import Decision, decide, decide_all, read_decisions
from biomec.study.discovery import BROKEN, FOREIGN, STATIC
from biomec.study.index import FILE
from biomec.study.people import FILE as PEOPLE
from biomec.study.record import PROJECT, RECORD
from biomec.study.study import open_study
from biomec.study.tables import write_tables
from biomec.study.trials import DUPLICATE, SUPERSEDED, State
from tests.core.study.small import analysed, reopened, sway_study, write_project, write_sway
from tests.faults.disks import full
from tests.faults.layer import Files
from tests.other_user import ADMINISTRATOR, as_another_user, open_folder


def test_folders_become_people_sessions_and_conditions(tmp_path):
    write_sway(tmp_path / "Ann" / "2024-05-01" / "barefoot", "walk1", 30)
    write_sway(tmp_path / "Ann" / "2024-05-01" / "barefoot", "walk2", 32)
    write_sway(tmp_path / "Ann" / "2025-01-09" / "shoes", "walk1", 34)
    write_sway(tmp_path / "Bob" / "2024-05-02" / "barefoot", "walk1", 36)
    study = open_study(tmp_path)
    told = [(one.subject, one.session, one.visit, one.condition, one.number) for one in study.trials]
    assert told == [
        ("P001", "2024-05-01", 1, "barefoot", 1),
        ("P001", "2024-05-01", 1, "barefoot", 2),
        ("P001", "2025-01-09", 2, "shoes", 1),
        ("P002", "2024-05-02", 1, "barefoot", 1),
    ]
    assert all(one.static.endswith("static.trc") for one in study.trials)
    assert study.states == {State.NOT_RUN: 4}
    assert study.sentences == ()


def test_every_kind_of_trouble_is_named(tmp_path):
    """Foreign, broken, copied and unnamed files, one name for two people, a recording whose project is there."""
    first = write_sway(tmp_path / "Ann", "walk1", 30)
    shutil.copy(first, tmp_path / "Ann" / "walk1 copy.trc")
    (tmp_path / "Ann" / "broken.c3d").write_bytes(b"\x02\x50" + bytes(100))
    (tmp_path / "Ann" / "letter.docx").write_bytes(b"dear")
    (tmp_path / "Ann" / "groups.csv").write_text("a,b\n1,2\n")
    write_sway(tmp_path, "walk9", 40)
    one = write_project(tmp_path / "Ann" / "seen.biomec", "Maria", 42)
    (tmp_path / "Zoe").mkdir()
    write_project(tmp_path / "Zoe" / "seen.biomec", "MARIA", 44)
    study = open_study(tmp_path)
    kinds = {path: file.kind for path, file in study.files.items()}
    copies = sorted(path for path, kind in kinds.items() if kind == DUPLICATE)
    assert len(copies) == 1
    assert copies[0].startswith("Ann/walk1")
    assert kinds["Ann/broken.c3d"] == BROKEN
    assert kinds["Ann/letter.docx"] == FOREIGN
    assert kinds["Ann/groups.csv"] == FOREIGN
    assert kinds["Ann/static.trc"] == STATIC
    by_file = {trial.file: trial for trial in study.trials}
    assert by_file["walk9.trc"].subject == ""
    assert "Nobody is named" in by_file["walk9.trc"].notes[0]
    assert by_file["Ann/seen.biomec"].subject != by_file["Zoe/seen.biomec"].subject
    assert any("One name stands in" in sentence for sentence in study.sentences)
    write_sway(tmp_path / "Ann", "raw", 42)  # the recording of seen.biomec has other bytes as TRC: a trial of its own
    assert len(open_study(tmp_path).trials) == len(study.trials) + 1
    assert load_project(one).subject.name == "Maria"


def test_a_recording_whose_project_is_there_is_that_project(tmp_path):
    from biomec.io.project import save_project
    from biomec.io.session_import import import_session

    path = write_sway(tmp_path / "Ann", "walk1", 30)
    save_project(import_session(path, keep_originals=False), tmp_path / "Ann" / "walk1.biomec")
    study = open_study(tmp_path)
    assert [one.file for one in study.trials] == ["Ann/walk1.biomec"]
    assert study.files["Ann/walk1.trc"].kind == SUPERSEDED


def test_one_name_with_two_dates_of_birth_is_two_people(tmp_path):
    from dataclasses import replace
    from datetime import date

    from biomec.io.project import save_project
    from tests.core.study.small import sway

    for k, born in enumerate((date(1990, 1, 1), date(1999, 9, 9))):
        session = sway(30 + 2 * k)
        who = replace(session.subject, name="Ann Example", birth_date=born)
        save_project(replace(session, subject=who), tmp_path / f"take {k}.biomec")
    study = open_study(tmp_path)
    assert sorted(one.subject for one in study.trials) == ["P001", "P002"]
    assert any("born on different days" in sentence for sentence in study.sentences)


def test_study_toml_says_who_is_who(tmp_path):
    write_sway(tmp_path / "a", "aberto1", 30)
    write_sway(tmp_path / "b", "fechado1", 32)
    write_sway(tmp_path / "c", "x7", 34)
    (tmp_path / "study.toml").write_text(
        'name = "Grips"\n'
        '[[subject]]\ncode = "S1"\nfolders = ["a", "b"]\ngroup = "experts"\nmass_kg = 70\n'
        '[[condition]]\nname = "open"\nwords = ["aberto"]\n'
        '[[condition]]\nname = "closed"\nwords = ["fechado"]\n'
        '[[trial]]\nfile = "c/x7.trc"\nsubject = "S2"\ncondition = "open"\nexcluded = "lost his balance"\n'
    )
    study = open_study(tmp_path)
    told = {one.file: (one.subject, one.group, one.condition, one.state) for one in study.trials}
    assert told == {
        "a/aberto1.trc": ("S1", "experts", "open", State.NOT_RUN),
        "b/fechado1.trc": ("S1", "experts", "closed", State.NOT_RUN),
        "c/x7.trc": ("S2", "", "open", State.EXCLUDED),
    }
    assert study.filtered(state=str(State.EXCLUDED))[0].reason == "lost his balance"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nam = 1", r'did you mean "name"'),
        ('[[subject]]\ncode = "S1"', "folders or names"),
        ('settings = "../else.json"', "must lie in the folder"),
        ('results = "/tmp/x"', "must lie in the folder"),
        ('settings = "."', "names nothing below the folder"),  # ended in lines of calls
        ('layout = ["person"]', "layout is a list of"),
        ('[[subject]]\ncode="A"\nfolders=["a"]\n[[subject]]\ncode="A"\nfolders=["b"]', "two subjects have the code A"),
    ],
)
def test_what_is_wrong_in_study_toml_is_a_sentence(tmp_path, text, words):
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(BiomecError, match=words):
        open_study(tmp_path)


def test_results_follow_a_recording_that_moves_and_are_known_without_the_index(tmp_path):
    study = open_study(sway_study(tmp_path))
    assert [record.fault for record in analysed(study)] == [""] * 4
    study = reopened(study)
    assert study.states == {State.DONE: 4}
    moved = study.trials[0]
    (tmp_path / "person 1" / "old").mkdir()
    for name in ("barefoot1.trc", "static.trc"):
        shutil.copy(tmp_path / "person 1" / name, tmp_path / "person 1" / "old" / name)
    (tmp_path / "person 1" / "barefoot1.trc").unlink()
    after = reopened(study).named(moved.id)
    assert (after.state, after.file) == (State.DONE, "person 1/old/barefoot1.trc")
    assert after.notes == ("It was person 1/barefoot1.trc when it was analysed.",)
    # The index is only a shortcut: without it, and even without the records beside the projects, nothing is lost.
    rows = [one.row for one in reopened(study).trials]
    (study.results / FILE).unlink()
    assert [one.row for one in reopened(study).trials] == rows
    (study.results / FILE).write_bytes(b"no database")
    assert [one.row for one in reopened(study).trials] == rows
    (study.results / FILE).unlink()
    (study.folder_of(moved) / RECORD).unlink()
    assert [one.row for one in reopened(study).trials] == rows
    (study.folder_of(moved) / PROJECT).write_bytes(b"BIOMEC PROJECT\n")
    broken = reopened(study)
    assert broken.named(moved.id).state is State.NOT_RUN
    assert any("cannot be used" in sentence for sentence in broken.sentences)


def test_a_recording_that_is_gone_keeps_its_line(tmp_path):
    study = open_study(sway_study(tmp_path, 1, 2))
    analysed(study)
    (tmp_path / "person 1" / "barefoot2.trc").unlink()
    assert reopened(study).states == {State.DONE: 1, State.GONE: 1}


def test_a_second_look_reads_no_recording_and_a_change_reads_its_folder_only(tmp_path, monkeypatch):
    study = open_study(sway_study(tmp_path, 3, 1))
    read = Counter()

    def counted(folder, progress=None):
        read[Path(folder).name] += 1
        return visit_folder.folder_content(folder, progress)

    monkeypatch.setattr(discovery, "folder_content", counted)
    assert [one.row for one in reopened(study).trials] == [one.row for one in study.trials]
    assert not read
    write_sway(tmp_path / "person 2", "barefoot2", 50)
    assert len(reopened(study).trials) == 4
    assert read == {"person 2": 1}


def test_a_changed_static_or_decision_makes_results_out_of_date(tmp_path):
    study = open_study(sway_study(tmp_path, 1, 2))
    analysed(study)
    first, second = reopened(study).trials
    decide(study.results, first.id, "slipped", ("both", 1))
    assert {one.id: one.state for one in reopened(study).trials} == {first.id: State.STALE, second.id: State.DONE}
    decide(study.results, first.id, "", ("both", 1))
    decide(study.results, second.id, "wrong shoes")
    assert [one.state for one in reopened(study).trials] == [State.DONE, State.EXCLUDED]
    assert reopened(study).named("barefoot2.trc").reason == "wrong shoes"
    decide(study.results, second.id, "")
    assert reopened(study).states == {State.DONE: 2}
    static = tmp_path / "person 1" / "static.trc"
    static.write_text(static.read_text().replace("\n\n", "\n", 1) + "\n")
    assert reopened(study).states == {State.STALE: 2}


def test_a_trial_that_study_toml_or_a_project_excludes_is_included_by_hand(tmp_path):
    """`biomec study include` said that the trial counts, and it stayed excluded."""
    write_sway(tmp_path / "Ann", "walk1", 30)
    write_project(tmp_path / "Ann" / "seen.biomec", "Ann", 42, excluded="slipped")
    (tmp_path / "study.toml").write_text('[[trial]]\nfile = "Ann/walk1.trc"\nexcluded = "lost her balance"\n')
    study = open_study(tmp_path)
    assert study.states == {State.EXCLUDED: 2}
    decide_all(study.results, [Decision(one.id, "") for one in study.trials])
    assert reopened(study).states == {State.NOT_RUN: 2}


def test_decisions_about_many_trials_are_one_write(tmp_path, monkeypatch):
    """Excluding 400 trials wrote the file 400 times while the window stood still, and a full disk left half of them."""
    writes = []
    kept = decisions.atomic_path
    monkeypatch.setattr(decisions, "atomic_path", lambda path: writes.append(path) or kept(path))
    decide_all(tmp_path, [Decision(f"trial {k}", "stumbled") for k in range(400)])
    assert len(writes) == 1
    with pytest.raises(BiomecError):
        decide_all(tmp_path, [Decision("trial 0", ""), Decision("trial 1", "x", ("above", 3))])
    assert read_decisions(tmp_path).trials == {f"trial {k}": "stumbled" for k in range(400)}


def test_codes_stay_when_people_come_and_only_their_owner_reads_them(tmp_path):
    write_sway(tmp_path / "Mia", "walk1", 30)
    before = open_study(tmp_path).trials[0].subject
    write_sway(tmp_path / "Ada", "walk1", 32)
    codes = {one.file: one.subject for one in open_study(tmp_path).trials}
    assert codes == {"Mia/walk1.trc": before, "Ada/walk1.trc": "P002"}
    kept = tmp_path / "biomec-study" / PEOPLE
    assert "Mia" in kept.read_text()
    if os.name != "nt":
        assert kept.stat().st_mode & 0o077 == 0
    kept.write_text("something else\n")
    with pytest.raises(BiomecError, match="list of codes"):
        open_study(tmp_path)


@ADMINISTRATOR
def test_a_study_that_cannot_be_written_opens_all_the_same():
    with open_folder() as folder:
        sway_study(folder, 2, 1)
        folder.chmod(0o755)

        def look():
            study = open_study(folder)
            return f"{study.in_words} | {' '.join(study.sentences)}"

        words = as_another_user(look)
    assert "2 people, 2 trials (2 not run)" in words
    assert "codes of people cannot be kept" in words
    assert "made anew each time" in words


def test_a_full_disk_leaves_index_and_codes_as_they_were(tmp_path):
    study = open_study(sway_study(tmp_path, 1, 1))
    before = {name: (study.results / name).read_bytes() for name in (FILE, PEOPLE)}
    write_sway(tmp_path / "person 2", "barefoot1", 60)
    with Files(tmp_path, full(0)):
        after = open_study(tmp_path)
    assert len(after.trials) == 2
    assert sum("cannot be kept" in sentence for sentence in after.sentences) == 2
    assert {name: (study.results / name).read_bytes() for name in before} == before


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are any bytes on Linux only")
def test_names_that_are_not_utf8_are_opened_analysed_and_kept(tmp_path):
    """Files of an old Windows computer: "José" in Latin-1. The index ended in lines of calls."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/Jos\xe9"))
    write_sway(folder, os.fsdecode(b"p\xe91"), 30)
    study = open_study(tmp_path)
    assert [record.fault for record in analysed(study)] == [""]
    after = reopened(reopened(study))
    assert after.states == {State.DONE: 1}
    assert after.trials[0].subject == study.trials[0].subject == "P001"
    assert after.filtered(state="done") == after.trials
    write_tables(after)


def test_trials_are_found_by_words_and_columns_in_any_order(tmp_path):
    study = open_study(sway_study(tmp_path, 2, 2))
    assert [one.number for one in study.filtered("p001 BAREFOOT", order=("-number",))] == [2, 1]
    assert study.filtered("p001 nowhere") == ()
    with pytest.raises(BiomecError, match="no column"):
        study.filtered(names="x")
    with pytest.raises(BiomecError, match="means 2 trials"):
        study.named("barefoot1.trc")
