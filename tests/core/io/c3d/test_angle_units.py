"""A thigh rotation of −1.74 was taken for degrees, which turned the knee by 100° unnoticed.

Files of the virtual laboratory, with the angles of a subject written in radians or degrees by programs known and
unknown.
"""

from dataclasses import replace

import ezc3d
import numpy as np
import pytest

from biomec.body.anatomy.landmarks import recorded_landmarks, trajectories
from biomec.body.plug_in_gait.legs import SIDES
from biomec.body.plug_in_gait.segments import segments
from biomec.io.c3d import read_c3d, write_c3d
from biomec.io.marker_set_file import load_marker_set
from biomec.recording import BIOMEC_AXES, Markers, Outputs, Source, Subject, Trial
from biomec.virtual import VirtualPerson
from biomec.virtual.acquisition import model_of
from biomec.virtual.wearing import worn
from tests.real_data import recording

NEXUS, WORKSTATION = "Vicon Nexus", "Vicon Workstation"


@pytest.fixture(scope="module")
def standing() -> Trial:
    person = VirtualPerson()
    dressed = worn(person, model_of(person), "plug-in-gait")
    names = tuple(dressed.places)
    p = np.stack([dressed.places[name] for name in names])[None] + np.zeros((3, 1, 1))
    return Trial(Source("standing", "virtual", "0", 1), Markers(names, p, 100.0), BIOMEC_AXES, dressed.subject)


def stick_in_front(trial: Trial) -> Trial:
    """The sticks of both thighs on the front: about 95° from lateral towards forward."""
    p = np.array(trial.markers.p_WM)
    for letter, side in (("R", 1.0), ("L", -1.0)):
        hip, knee = (trial.markers[letter + name] for name in ("ASI", "KNE"))
        inside = 0.5 * (hip + knee) - np.array([0.05, 0.0, side * 0.02])
        p[:, trial.markers.index(f"{letter}THI")] = inside + np.array([0.15, 0.0, 0.0])
    return replace(trial, markers=replace(trial.markers, p_WM=p))


@pytest.fixture
def written(tmp_path):
    """Read a trial that was written with these numbers in PROCESSING, by this program."""

    def write(trial: Trial, angles, software: str | None = None, **more: float) -> Trial:
        path = tmp_path / "made.c3d"
        write_c3d(trial, path)
        content = ezc3d.c3d(str(path))
        for name, value in (dict(angles) | more).items():
            content.add_parameter("PROCESSING", name, [float(value)])
        content.add_parameter("MANUFACTURER", "SOFTWARE", [software or "somebody's program"])
        content.write(str(path))
        return read_c3d(path)

    return write


def angles_of(trial: Trial):
    return {key: value for key, value in trial.subject.measures.items() if "_rotation_" in key or "flexion" in key}


def codes(trial: Trial):
    return {notice.code for notice in trial.notices if notice.code.startswith("c3d-angle")}


def test_radians_of_nexus_whatever_their_size(written, standing):
    trial = written(stick_in_front(standing), {"LThighRotation": -1.74, "RThighRotation": -1.70}, NEXUS)
    assert angles_of(trial) == pytest.approx({"thigh_rotation_E": -1.74, "thigh_rotation_D": -1.70})
    assert not codes(trial)


@pytest.mark.parametrize(("software", "more"), [(WORKSTATION, {}), (None, {"Left Foot Flat": 1.0})])
def test_degrees_of_workstation_also_if_they_are_small(written, standing, software, more):
    """One value by its size alone would be radians: −0.094° would be read as −5.4°."""
    trial = written(standing, {"LStaticPlantFlex": 12.7, "LStaticRotOff": -0.094}, software, **more)
    expected = {"foot_plantar_flexion_E": np.radians(12.7), "foot_rotation_E": np.radians(-0.094)}
    assert angles_of(trial) == pytest.approx(expected, rel=1e-6)
    assert not codes(trial)


def test_an_unknown_program_is_read_by_the_whole_group(written, standing):
    degrees = written(standing, {"LStaticPlantFlex": 12.7, "LThighRotation": 0.5, "RThighRotation": 2.0})
    assert angles_of(degrees)["thigh_rotation_E"] == pytest.approx(np.radians(0.5))
    radians = written(standing, {"LStaticPlantFlex": 0.22, "LThighRotation": 0.02})
    assert angles_of(radians)["foot_plantar_flexion_E"] == pytest.approx(0.22)


def test_sticks_show_that_small_angles_are_degrees(written, standing):
    """2.1 and −1.9 of an unknown program: as radians, the axes of the knees would point forwards or back."""
    trial = written(standing, {"LThighRotation": 2.1, "RThighRotation": -1.9})
    assert angles_of(trial) == pytest.approx(
        {"thigh_rotation_E": np.radians(2.1), "thigh_rotation_D": np.radians(-1.9)}
    )
    assert codes(trial) == {"c3d-angle-unit"}


def test_sticks_on_the_front_show_that_the_angles_are_radians(written, standing):
    trial = written(stick_in_front(standing), {"LThighRotation": -1.74, "RThighRotation": -1.70}, WORKSTATION)
    assert angles_of(trial)["thigh_rotation_E"] == pytest.approx(-1.74)
    (notice,) = [notice for notice in trial.notices if notice.code == "c3d-angle-unit"]
    assert "are read in radians, although degrees would be expected" in notice.sentence


def test_degrees_in_a_file_of_nexus_that_no_person_can_have_in_radians(written, standing):
    trial = written(standing, {"LThighRotation": 11.0, "LStaticPlantFlex": 9.0}, NEXUS)
    assert angles_of(trial)["thigh_rotation_E"] == pytest.approx(np.radians(11.0))
    assert codes(trial) == {"c3d-angle-unit"}


@pytest.mark.parametrize("angles", [{"LThighRotation": 400.0}, {"LThighRotation": 115.0, "RThighRotation": 2.8}])
def test_angles_that_make_no_sense_in_either_unit_are_refused(written, standing, angles):
    trial = written(standing, angles, NEXUS)
    assert not angles_of(trial)
    (notice,) = [notice for notice in trial.notices if notice.code == "c3d-angles-implausible"]
    assert "make sense neither in radians nor in degrees" in notice.sentence
    assert "LThighRotation" in notice.sentence


def test_stored_segments_decide_against_the_program(written, standing):
    """Points FE and TI that Vicon's model left in a file show by how much the sticks were turned."""
    turned = {f"thigh_rotation_{side}": value for side, value in (("D", 0.15), ("E", -0.12))}
    trial = _with_segments(standing, turned)
    degrees = {"RThighRotation": np.degrees(0.15), "LThighRotation": np.degrees(-0.12)}
    right = written(trial, degrees, WORKSTATION)
    assert angles_of(right) == pytest.approx(turned, rel=1e-6)
    assert not codes(right)
    small = {"RThighRotation": 0.15, "LThighRotation": -0.12}  # radians in a file whose program writes degrees
    mended = written(trial, small, WORKSTATION)
    assert angles_of(mended) == pytest.approx(turned, rel=1e-6)
    assert codes(mended) == {"c3d-angle-unit"}


def _with_segments(trial: Trial, turned) -> Trial:
    """The trial with the thighs of its own Plug-in Gait stored as points, 0.1 m long."""
    points = recorded_landmarks(trajectories(trial.markers), load_marker_set("plug-in-gait"))
    found = segments(points, {**trial.subject.measures, **turned, "marker_diameter": 0.014})
    stored = {}
    for leg in SIDES:
        R, origin = found.attitudes[leg.name("thigh")], found.centres[leg.key("KJC")]
        ends = {"O": 0.0, "A": R[:, :, 0], "P": R[:, :, 1], "L": -R[:, :, 2]}
        stored |= {f"{leg.vicon}FE{end}": 1e3 * (origin + 0.1 * along) for end, along in ends.items()}
    kinds, units = ("modelled point",) * len(stored), ("mm",) * len(stored)
    outputs = Outputs(tuple(stored), kinds, units, np.stack(list(stored.values()), axis=1), 100.0)
    return replace(trial, outputs=outputs)


def test_stored_knees_give_the_diameter_of_the_markers(written, standing):
    trial = _with_segments(standing, {})
    assert written(trial, {}, NEXUS).subject.measures["marker_diameter"] == pytest.approx(0.014, abs=1e-5)
    assert "marker_diameter" not in written(standing, {}, NEXUS).subject.measures


def test_what_biomec_writes_it_reads_in_the_same_unit(tmp_path, standing):
    angles = {"thigh_rotation_D": 0.1, "shank_rotation_E": -0.2, "foot_plantar_flexion_D": 0.3, "head_offset": 0.05}
    subject = Subject(measures=dict(standing.subject.measures) | angles)
    write_c3d(replace(standing, subject=subject), tmp_path / "own.c3d")
    assert read_c3d(tmp_path / "own.c3d").subject.measures == pytest.approx(subject.measures, rel=1e-6)


def test_the_stored_angles_of_a_real_walk_are_radians():
    measures = read_c3d(recording("gait_pig_pair", "HC030A05.c3d")).subject.measures
    assert measures["foot_plantar_flexion_D"] == pytest.approx(0.2313486, abs=1e-7)
    assert measures["head_offset"] == pytest.approx(0.009777128, abs=1e-8)
