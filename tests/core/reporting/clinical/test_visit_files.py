"""From files to a visit: one bad recording never stops the others, and the work can be stopped."""

from dataclasses import replace

import pytest

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.io.project import save_project
from biomec.io.registry import write_trial
from biomec.io.session_import import import_session
from biomec.io.visit_folder import Movement
from biomec.recording import ClinicalNotes
from biomec.reporting.clinical.visit_files import VisitFiles, analysed_visit, opened_visit, trials_in_words, visit_files
from tests.core.reporting.clinical.walks import acquisition, walk


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A project with a note, its recording beside it, a recording of somebody else, and a broken one."""
    folder = tmp_path_factory.mktemp("visit")
    session = walk().session
    noted = replace(session, notes=ClinicalNotes(findings="crouch"), subject=replace(session.subject, name="A. Person"))
    save_project(replace(walk(), session=noted).stored(), folder / "walk 1.biomec")
    other = replace(session, subject=replace(session.subject, name="B. Person"))
    save_project(other, folder / "walk 2.biomec")
    (folder / "broken.c3d").write_bytes(b"\x02\x50" + bytes(100))
    return folder


def test_a_folder_becomes_a_visit_in_one_call(folder):
    seen: list[float] = []
    visit = opened_visit(folder, progress=seen.append)
    assert [one.name for one in visit.trials] == ["walk 1"]
    assert visit.notes.findings == "crouch"
    assert visit.counts_in_words() == "angles 3 R, 3 L; loads 2 R, 2 L"
    left = {one.name: one.reason for one in visit.left_out}
    assert set(left) == {"broken.c3d", "walk 2"}
    assert "different people" in left["walk 2"]
    assert len(trials_in_words([visit])) == 2
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_a_recording_whose_project_is_there_counts_once(tmp_path):
    write_trial(acquisition().dynamic, tmp_path / "walk.trc")
    write_trial(acquisition().static, tmp_path / "static.trc")
    session = import_session(tmp_path / "walk.trc", static=tmp_path / "static.trc")
    project = tmp_path / "walk.biomec"
    save_project(session, project)
    files = visit_files(tmp_path)
    assert (len(files.movements), files.projects) == (1, (project,))
    visit = analysed_visit(files)
    assert [one.name for one in visit.trials] == ["walk"]
    assert visit.left_out == ()


def test_nothing_that_can_be_analysed_is_a_sentence(tmp_path):
    (tmp_path / "broken.trc").write_text("PathFileType\t4\n")
    with pytest.raises(BiomecError, match=r"at least one recording that can be analysed.*broken"):
        analysed_visit(VisitFiles((Movement(tmp_path / "broken.trc"),)))
    with pytest.raises(BiomecError, match="no such file or folder"):
        opened_visit(tmp_path / "absent")


def test_analysing_can_be_stopped(folder):
    def stop(fraction):
        if fraction > 0.1:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        opened_visit(folder, progress=stop)
