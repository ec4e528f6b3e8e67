"""A folder of a visit: movements with their static, projects, and what belongs to neither."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.io.project import save_project
from biomec.io.registry import write_trial
from biomec.io.visit_folder import Movement, visit_folder
from biomec.recording import Session
from tests.core.io.trials import walk
from tests.real_data import recording


def still(trial):
    """The same person who stands in the first posture."""
    points = np.repeat(trial.markers.p_WM[:1], trial.frames, axis=0)
    return replace(trial, markers=replace(trial.markers, p_WM=points), events=())


def test_a_real_folder():
    found = visit_folder(recording("gait_pig_pair"))
    assert [(one.path.name, one.static.name) for one in found.movements] == [("HC030A05.c3d", "HC030A01.c3d")]
    assert [one.name for one in found.statics] == ["HC030A01.c3d"]
    assert found.others == ("LICENSE_biomechzoo.txt",)
    assert found.refused == ()


def test_names_and_contents_decide(tmp_path):
    """The static has no name that says so; a broken file and a letter stop nothing; folders within are not searched."""
    moving = walk()
    for name in ("barefoot 10.trc", "barefoot 2.trc"):
        write_trial(moving, tmp_path / name)
    write_trial(still(moving), tmp_path / "first.trc")
    save_project(Session(moving), tmp_path / "done.biomec")
    (tmp_path / "broken.c3d").write_bytes(b"\x02\x50" + bytes(100))
    (tmp_path / "letter.txt").write_text("Dear colleague")
    (tmp_path / "letter.pdf").write_bytes(b"%PDF")
    (tmp_path / ".hidden.trc").write_text("x")
    (tmp_path / "older").mkdir()
    write_trial(moving, tmp_path / "older" / "walk.trc")
    seen: list[float] = []
    found = visit_folder(tmp_path, seen.append)
    first = tmp_path / "first.trc"
    assert [one.path.name for one in found.movements] == ["barefoot 2.trc", "barefoot 10.trc"]
    assert {one.static for one in found.movements} == {first}
    assert found.statics == (first,)
    assert [path.name for path in found.projects] == ["done.biomec"]
    assert [name for name, _ in found.refused] == ["broken.c3d"]
    assert found.others == ("letter.pdf", "letter.txt")
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_without_a_static_there_is_none(tmp_path):
    write_trial(walk(), tmp_path / "walk.trc")
    assert visit_folder(tmp_path).movements == (Movement(tmp_path / "walk.trc"),)


def test_a_folder_without_a_movement_says_what_it_holds(tmp_path):
    (tmp_path / "monday").mkdir()
    with pytest.raises(BiomecError, match=r"no movement in this folder.*monday"):
        visit_folder(tmp_path)
    write_trial(still(walk()), tmp_path / "static.trc")
    with pytest.raises(BiomecError, match=r"in static\.trc the person stands still"):
        visit_folder(tmp_path)
    shutil.rmtree(tmp_path / "monday")
    with pytest.raises(BiomecError, match="cannot be read"):
        visit_folder(tmp_path / "monday")


def test_looking_can_be_stopped(tmp_path):
    write_trial(walk(), tmp_path / "walk.trc")

    def stop(_):
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        visit_folder(tmp_path, stop)
