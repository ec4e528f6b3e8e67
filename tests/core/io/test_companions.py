"""Import by name: which files belong together."""

import unicodedata
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from biomec.base.errors import FileError
from biomec.io.companions import find_companions, parse_name, same_body
from biomec.io.registry import read_trial, write_trial
from biomec.recording import LabAxes, Markers, Source, Trial
from tests.real_data import recording


def folder(tmp_path: Path, *names: str) -> Path:
    """Empty files are enough: names are all that is looked at."""
    for name in names:
        (tmp_path / name).write_bytes(b"")
    return tmp_path / names[0]


def found(companion) -> str | None:
    return None if companion is None else companion.path.name


def test_the_four_files_of_a_recording(tmp_path):
    dynamic = folder(
        tmp_path,
        "20150408_Arthur_Aberto1.emt",
        "20150408_Arthur_Estatico.emt",
        "20150408_Arthur_Aberto1.mot",
        "20150408_Arthur_Aberto1_EMG.emt",
        "20150408_Arthur_Aberto2.emt",
        "20150408_Arthur_Aberto2.mot",
        "20150408_Arthur_Aberto2_EMG.emt",
        "20150408_Beatriz_Estatico.emt",
        "20150409_Arthur_Estatico.emt",
    )
    files = find_companions(dynamic)
    assert found(files.static) == "20150408_Arthur_Estatico.emt"
    assert files.static.reason == "is the static of the same subject and date"
    assert found(files.plates) == "20150408_Arthur_Aberto1.mot"
    assert found(files.emg) == "20150408_Arthur_Aberto1_EMG.emt"
    assert (files.subject_name, files.recorded) == ("Arthur", date(2015, 4, 8))
    assert files.missing == ()
    assert files.notices == ()


@pytest.mark.parametrize(
    ("dynamic", "static"),
    [
        ("20150408_Arthur_Aberto1.emt", "20150408_ARTHUR_ESTATICO.EMT"),
        ("20150408_Arthur_Aberto1.emt", "20150408_arthur_static2.c3d"),
        ("20150408_Arthur_Aberto1.emt", "20150408_Arthur_Estático.emt"),
        ("20150408_Arthur_Aberto1.emt", unicodedata.normalize("NFD", "20150408_Arthur_Estático.emt")),
        ("20150408_Arthur_Aberto1.emt", "20150408_Arthur_Cal.trc"),
        ("20150408_Ana_Maria_Fechado2.emt", "20150408_Ana_Maria_Estatico.emt"),
        ("20150408_Arthur_Aberto1.emt", "Estatico.emt"),
        ("2015-04-08_Arthur_Aberto1.emt", "20150408_Arthur_Estatico.emt"),
        ("subject01_walk1.trc", "subject01_static.trc"),
        ("subject01_walk1.trc", "Static_subject01.trc"),
        ("HC030A05.c3d", "Static01.c3d"),
        ("HC030A05.c3d", "HC030_Cal01.c3d"),
        ("HC030A05.c3d", "HC030A Static.c3d"),
        ("Walk 3.c3d", "StaticCal.c3d"),
        ("P7WalkFast.c3d", "P7Static.c3d"),
    ],
)
def test_a_static_is_found(dynamic, static, tmp_path):
    assert found(find_companions(folder(tmp_path, dynamic, static)).static) == static


@pytest.mark.parametrize(
    ("dynamic", "other"),
    [
        ("20150408_Arthur_Aberto1.emt", "20150408_Beatriz_Estatico.emt"),
        ("20150408_Arthur_Aberto1.emt", "20150408_Arthur_Aberto2.emt"),
        ("20150408_Arthur_Aberto1.emt", "20150408_Arthur_Estatico.mot"),
        ("20150408_Arthur_Aberto1.emt", "20150408_Arthur_Estatico_EMG.emt"),
        ("20150408_Arthur_Aberto1.emt", "20150408_Arthur_Estatico.pdf"),
        ("S10_walk.trc", "S1_static.trc"),
        ("S1_walk.trc", "S10_static.trc"),
        ("walk.trc", "calf raise.trc"),
        ("walk.trc", "practical.trc"),
    ],
)
def test_what_is_of_others_is_left_alone(dynamic, other, tmp_path):
    files = find_companions(folder(tmp_path, dynamic, other))
    assert files.static is None
    assert "static" in files.missing


def test_a_subject_called_cal_is_no_calibration(tmp_path):
    dynamic = folder(tmp_path, "20150408_Cal_Aberto1.emt", "20150408_Cal_Estatico.emt")
    assert found(find_companions(dynamic).static) == "20150408_Cal_Estatico.emt"


def test_the_static_of_another_date_is_offered_and_not_taken(tmp_path):
    files = find_companions(folder(tmp_path, "20150408_Arthur_Aberto1.emt", "20170408_Arthur_Estatico.emt"))
    assert files.static is None
    assert [notice.code for notice in files.notices] == ["static-other-date"]
    assert "20170408_Arthur_Estatico.emt" in files.notices[0].sentence


def test_of_two_statics_the_first_is_taken_and_the_other_named(tmp_path):
    files = find_companions(folder(tmp_path, "walk.c3d", "Static10.c3d", "Static2.c3d", "Static2.trc"))
    assert found(files.static) == "Static2.c3d"
    assert [notice.code for notice in files.notices] == ["static-choice"]
    assert "Static10.c3d would do too" in files.notices[0].sentence


def test_the_nearest_name_wins_over_the_folders_static(tmp_path):
    dynamic = folder(tmp_path, "subject01_walk1.trc", "static.trc", "subject01_static.trc")
    assert found(find_companions(dynamic).static) == "subject01_static.trc"


def test_a_static_needs_none(tmp_path):
    files = find_companions(folder(tmp_path, "20150408_Arthur_Estatico.emt", "20150408_Arthur_Aberto1.emt"))
    assert files.static is None
    assert [notice.code for notice in files.notices] == ["static-as-dynamic"]


@pytest.mark.parametrize("plates", ["walk_grf.mot", "WALK.MOT", "walk.sto", "Walk_GRF.sto", "walk_forces.mot"])
def test_plates_are_found(plates, tmp_path):
    assert found(find_companions(folder(tmp_path, "walk.trc", plates, "walk_ik.mot", "walk2.mot")).plates) == plates


def test_the_very_name_wins_over_an_ending(tmp_path):
    assert found(find_companions(folder(tmp_path, "walk.trc", "walk.mot", "walk_grf.mot")).plates) == "walk.mot"


@pytest.mark.parametrize("emg", ["walk_EMG.emt", "Walk_emg.csv", "walk_Emg.c3d"])
def test_emg_is_found(emg, tmp_path):
    assert found(find_companions(folder(tmp_path, "walk.c3d", emg)).emg) == emg


@pytest.mark.parametrize(
    ("stem", "day", "subject"),
    [
        ("20150408_Arthur_Aberto1", date(2015, 4, 8), "Arthur"),
        ("20151308_Arthur_Aberto1", None, ""),
        ("20150408", date(2015, 4, 8), ""),
        ("subject01_walk1", None, ""),
        ("20150408_Ana_Maria_T1", date(2015, 4, 8), "Ana_Maria"),
    ],
)
def test_date_and_subject_of_a_name(stem, day, subject):
    name = parse_name(stem)
    assert (name.recorded, name.subject) == (day, subject)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="its folder cannot be read"):
        find_companions(tmp_path / "nowhere" / "a.emt")


def trial(moves_m: float) -> Trial:
    p = np.arange(9.0).reshape(1, 3, 3) + np.linspace(0.0, moves_m, 20)[:, None, None]
    return Trial(Source("a.trc", "TRC", "", 0), Markers(("A", "B", "C"), p, 100.0), LabAxes())


@pytest.mark.parametrize(("moves_m", "is_static"), [(0.005, True), (1.5, False)])
def test_the_first_of_a_series_is_the_static_only_if_the_subject_stands_still(moves_m, is_static, tmp_path):
    write_trial(trial(moves_m), tmp_path / "HC030A01.trc")
    dynamic = folder(tmp_path, "HC030A05.trc", "HC030A03.trc")
    assert found(find_companions(dynamic).static) == ("HC030A01.trc" if is_static else None)


def test_a_first_of_a_series_that_cannot_be_read_is_none(tmp_path):
    assert find_companions(folder(tmp_path, "HC030A05.c3d", "HC030A01.c3d")).static is None


def test_real_folders():
    walk = find_companions(recording("gait_opensim2354", "subject01_walk1.trc"))
    assert (found(walk.static), found(walk.plates)) == ("subject01_static.trc", "subject01_walk1_grf.mot")
    assert walk.missing == ("emg",)
    vicon = find_companions(recording("gait_pig_pair", "HC030A05.c3d"))
    assert found(vicon.static) == "HC030A01.c3d"
    assert "stands still" in vicon.static.reason
    assert find_companions(recording("gait_pig_pair", "HC030A01.c3d")).static is None


@pytest.mark.parametrize(
    ("files", "plates"),
    [
        (("motion_capture_walk.trc", "grf_walk.mot", "static_walk_1.trc"), "grf_walk.mot"),
        (("walk.trc", "GRF_walk.mot"), "GRF_walk.mot"),
        (("motion_capture_walk.trc", "grf_run.mot"), None),
        (("motion_capture_walk.trc", "ik_walk.mot"), None),
        (("trial_1.trc", "grf_1.mot"), None),  # a number alone says too little
        (("motion_capture_walk.trc", "grf_walk.mot", "treadmill_walk.trc"), None),  # whose are they?
        (("motion_capture_walk.trc", "grf_walk.mot", "forces_walk.mot"), None),
    ],
)
def test_plates_whose_name_begins_with_a_word_for_them(tmp_path, files, plates):
    assert found(find_companions(folder(tmp_path, *files)).plates) == plates


def body(seed: int, moves_m: float) -> Trial:
    """Four rigid clusters of five markers, which walk ``moves_m`` and turn beside each other; still without."""
    rng = np.random.default_rng(seed)
    local, way = rng.normal(0.0, 0.1, (4, 5, 3)), np.linspace(0.0, 1.0, 60)
    p = np.empty((60, 4, 5, 3))
    for k in range(4):
        angle = moves_m * (k + 1) * 0.3 * way
        R = np.zeros((60, 3, 3))
        R[:, 0, 0], R[:, 0, 2], R[:, 2, 0], R[:, 2, 2] = np.cos(angle), np.sin(angle), -np.sin(angle), np.cos(angle)
        R[:, 1, 1] = 1.0
        p[:, k] = np.einsum("tij,mj->tmi", R, local[k]) + [0.0, 0.4 * k, 0.0] + moves_m * way[:, None, None] * [1, 0, 0]
    names = tuple(f"M{k}" for k in range(20))
    markers = Markers(names, p.reshape(60, 20, 3), 100.0)
    return Trial(Source("a.trc", "TRC", "", 0), markers, LabAxes())


@pytest.mark.parametrize(
    ("seed", "moves_m", "is_static"), [(1, 0.0, True), (2, 0.0, False), (1, 1.0, False)]
)  # the same body at rest, another body, the same body walking
def test_a_static_of_the_same_body_is_found_whatever_it_is_of(seed, moves_m, is_static, tmp_path):
    """``static_walk_1`` says static, but neither the folder's nor that of ``motion_capture_walk``."""
    write_trial(body(1, 1.0), tmp_path / "motion_capture_walk.trc")
    write_trial(body(seed, moves_m), tmp_path / "static_walk_1.trc")
    static = find_companions(tmp_path / "motion_capture_walk.trc").static
    assert found(static) == ("static_walk_1.trc" if is_static else None)


def test_the_statics_of_real_folders_hold_the_same_body():
    folder = recording("gait_rajagopal")
    assert found(find_companions(folder / "motion_capture_walk.trc").static) == "static_walk_1.trc"
    pair, partial = (
        recording(*path) for path in (("gait_pig_pair", "HC030A05.c3d"), ("gait_pig_partial_strike", "static.c3d"))
    )
    assert not same_body(read_trial(pair).markers, read_trial(partial).markers)
