"""Several files at once: the movement is told from its static, plates and EMG."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.io.companions import stands_still
from biomec.io.file_roles import Roles, find_roles
from biomec.io.registry import write_trial
from biomec.io.session_import import STANDS_STILL, import_session
from biomec.recording import Analog, ForcePlate, LabAxes, Markers, Source, Trial
from tests.real_data import recording

NAMES = tuple(f"M{k}" for k in range(10))


def markers(moving: int) -> Markers:
    """A second of ten markers; so many of them go half a metre, the others a millimetre."""
    t = np.linspace(0.0, 1.0, 50)
    p = np.zeros((50, 10, 3))
    p[:, :, 1] = 1.0 + 0.1 * np.arange(10)
    p[:, :moving, 0] = 0.5 * t[:, None]
    p[:, moving:, 0] = 0.001 * np.sin(9.0 * t)[:, None]
    return Markers(NAMES, p, 50.0)


def write(folder, name, moving):
    """A table of markers as a file."""
    path, found = folder / name, markers(moving)
    head = ",".join(["time", *(f"{name}.{axis}" for name in NAMES for axis in "xyz")])
    rows = ["".join([f"{k / 50:.2f}", *(f",{x:.6f}" for x in row.ravel())]) for k, row in enumerate(found.p_WM)]
    path.write_text("\n".join([head, *rows]) + "\n", "utf-8")
    return path


def write_plates(path):
    """A force plate on which somebody stands."""
    force = np.tile([0.0, 700.0, 0.0], (50, 1))
    plate = ForcePlate("P1", force, np.zeros((50, 3)), 50.0, np.zeros(3), np.array([0.0, 1.0, 0.0]))
    write_trial(trial(path.name, plates=(plate,)), path)
    return path


def write_emg(path):
    """EMG of two muscles, without any marker."""
    emg = Analog(("biceps", "triceps"), np.random.default_rng(1).normal(0.0, 1e-4, (500, 2)), ("V", "V"), 500.0)
    write_trial(trial(path.name, emg=emg), path)
    return path


def trial(name, **held):
    return Trial(Source.of_bytes(name, "test", b""), Markers.none(50, 50.0), LabAxes("+y", "+x"), **held)


@pytest.fixture
def walk(tmp_path):
    """Files of a walk, in the order of their names: the static comes first."""
    return {
        "still": write(tmp_path, "HC01.csv", 0),
        "moving": write(tmp_path, "HC05.csv", 10),
        "later": write(tmp_path, "HC06.csv", 10),
    }


@pytest.mark.parametrize("order", [("still", "moving"), ("moving", "still")])
def test_the_movement_is_the_file_in_which_the_subject_moves(walk, order):
    assert find_roles([walk[name] for name in order]) == Roles(walk["moving"], walk["still"])


@pytest.mark.parametrize("name", ["HC05_EMG", "HC05_muscles", "A_first_by_name"])
@pytest.mark.parametrize("suffix", [".csv", ".emt"])
def test_plates_and_emg_are_known_by_what_they_hold(walk, tmp_path, name, suffix):
    """EMG whose name did not say so was taken for the movement, and its static and plates left out."""
    plates, emg = write_plates(tmp_path / "HC05.mot"), write_emg(tmp_path / (name + suffix))
    roles = find_roles([plates, walk["still"], emg, walk["moving"]])
    assert roles == Roles(walk["moving"], walk["still"], plates, emg)


def test_a_name_that_says_static_is_believed(walk, tmp_path):
    static = write(tmp_path, "Static01.csv", 10)  # somebody stirs in it
    assert find_roles([static, walk["still"]]) == Roles(walk["still"], static)


def test_who_moves_is_taken_before_who_stands_still_also_beside_a_static_by_name(walk, tmp_path):
    """A trial of standing came before the walk by its name, and was analysed as the movement."""
    static = write(tmp_path, "Static01.csv", 0)
    assert find_roles([static, walk["still"], walk["moving"]]) == Roles(
        walk["moving"], static, left_out=(walk["still"],)
    )
    standing = write(tmp_path, "HC02.csv", 0)
    assert find_roles([static, standing, walk["still"]]) == Roles(walk["still"], static, left_out=(standing,))


def test_of_several_statics_by_name_the_first_is_taken(walk, tmp_path):
    first, second = write(tmp_path, "Static01.csv", 0), write(tmp_path, "Static02.csv", 10)  # somebody stirs in it
    assert find_roles([second, walk["moving"], first]) == Roles(walk["moving"], first, left_out=(second,))
    assert find_roles([second, first]) == Roles(second, first)


def test_what_is_no_recording_is_told_and_the_others_taken(walk, tmp_path):
    """A letter among the files had kept all of them out."""
    notes, table = tmp_path / "notes.txt", tmp_path / "angles.mot"
    notes.write_text("Dear colleague,\nhere are the files of Tuesday.\n", "utf-8")
    table.write_text("angles\nnRows=2\nnColumns=2\nendheader\ntime\tknee\n0.0\t1\n0.1\t2\n", "utf-8")
    roles = find_roles([notes, walk["still"], table, walk["moving"]])
    assert (roles.dynamic, roles.static, roles.left_out) == (walk["moving"], walk["still"], ())
    assert (roles.plates, roles.emg) == (None, None)
    assert [sentence.partition(":")[0] for sentence in roles.refused] == ["angles.mot", "notes.txt"]
    assert "no markers, no force plates and no EMG" in roles.refused[0]
    with pytest.raises(BiomecError, match=r"^notes\.txt: "):
        find_roles([notes, notes])


def test_of_several_movements_the_first_by_name_is_taken_and_the_rest_told(walk):
    assert find_roles([walk["later"], walk["still"], walk["moving"]]) == Roles(
        walk["moving"], walk["still"], left_out=(walk["later"],)
    )


def test_files_that_all_stand_still_leave_the_last_as_the_movement(walk, tmp_path):
    other = write(tmp_path, "HC02.csv", 0)
    assert find_roles([other, walk["still"]]) == Roles(other, walk["still"])


def test_plates_alone_are_refused_with_what_is_missing(tmp_path):
    with pytest.raises(BiomecError, match=r"Give its recording too\. c\.mot: there is no such file"):
        find_roles([write_plates(tmp_path / "a.mot"), write_plates(tmp_path / "b.mot"), tmp_path / "c.mot"])


@pytest.mark.parametrize(("moving", "half", "most"), [(0, True, True), (2, True, False), (6, False, False)])
def test_one_arm_that_moves_is_no_static(moving, half, most):
    assert stands_still(markers(moving)) == half
    assert stands_still(markers(moving), 0.9) == most


@pytest.mark.parametrize(("name", "reported"), [("still", True), ("moving", False)])
def test_a_movement_in_which_nobody_moves_is_told(walk, name, reported):
    codes = [notice.code for notice in import_session(walk[name]).notices]
    assert (STANDS_STILL in codes) == reported


def test_the_real_pair_is_told_apart():
    """Dropped together, the static came first and was analysed as the movement."""
    static, movement = recording("gait_pig_pair", "HC030A01.c3d"), recording("gait_pig_pair", "HC030A05.c3d")
    assert find_roles([static, movement]) == Roles(movement, static)
    assert STANDS_STILL in [notice.code for notice in import_session(static).notices]
    assert STANDS_STILL not in [notice.code for notice in import_session(movement).notices]
