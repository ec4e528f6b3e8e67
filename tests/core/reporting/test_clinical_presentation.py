"""The table of the clinical presentation against Plug-in Gait's own words, and its signs against what Vicon stored."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomec.base.errors import BiomecError
from biomec.body.plug_in_gait.angles import ROWS
from biomec.body.plug_in_gait.comparison import MOMENTS
from biomec.engine.rotations import elementary
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.reporting import clinical_curves
from biomec.reporting.clinical.visit import visit_of
from biomec.reporting.clinical_curves import OWN, STORED, VICON, clinical_cycles, static_angles
from biomec.reporting.clinical_presentation import (
    ANGLE,
    BY_NAME,
    CURVES,
    FORCE,
    KINEMATIC_GRID,
    KINETIC_GRID,
    MOMENT,
    NINE,
    POWER,
    clinical_curve,
    orientation,
    shown_range,
)
from biomec.reporting.norms.own_norm import people_of
from tests.real_data import recording

HEADED = ("pelvis rotation", "foot progression")  # they count from the way of walking, Vicon's from the laboratory


def test_grids_and_the_nine_are_rows_of_the_table():
    shown = [name for grid in (KINEMATIC_GRID, KINETIC_GRID) for row in grid for name in row]
    assert len(shown) == len(set(shown)) == 24
    assert set(shown) | {"ground reaction vertical"} == set(BY_NAME)
    assert set(NINE) == {n for row in KINEMATIC_GRID for n in row} - {
        "knee adduction",
        "knee rotation",
        "ankle rotation",
    }
    assert [clinical_curve(name).plane for name in KINEMATIC_GRID[1]] == ["sagittal", "coronal", "transverse"]
    with pytest.raises(BiomecError, match="no clinical curve knee"):
        clinical_curve("knee")


def test_signs_are_those_of_plug_in_gait():
    """Every angle is a stored component with the same positive direction; every moment too."""
    parts = {(row.output, k): (row.joint, part.positive) for row in ROWS for k, part in enumerate(row.components)}
    for curve in CURVES:
        output, k = curve.stored
        if curve.kind == ANGLE:
            assert parts[output, k] == curve.plug_in_gait
        elif curve.kind == MOMENT:
            assert (curve.joint, MOMENTS[curve.joint][k]) == curve.plug_in_gait
    assert BY_NAME["hip extensor moment"].plug_in_gait_name("right") == "right hip extensor moment"
    assert BY_NAME["hip power"].plug_in_gait_name("left") == "left hip power"
    assert BY_NAME["pelvis obliquity"].plug_in_gait_name("left") == "left pelvis up"


@pytest.mark.parametrize(
    ("curve", "positive", "negative", "sign"),
    [("hip adduction", "abduction", "adduction", -1.0), ("hip adduction", "adduction", "abduction", 1.0),
     ("hip adduction", "flexion", "extension", 0.0), ("knee adduction", "varus", "valgus", 1.0),
     ("knee adduction", "abduction", "adduction", -1.0), ("hip extensor moment", "flexion", "extension", -1.0),
     ("hip abductor moment", "abduction", "adduction", 1.0),
     ("ankle plantarflexor moment", "dorsiflexion", "plantarflexion", -1.0)],
)  # fmt: skip
def test_the_words_of_a_curve_decide_its_sign(curve, positive, negative, sign):
    assert orientation(BY_NAME[curve], positive, negative) == sign


def test_a_range_grows_in_steps_and_says_so():
    knee = BY_NAME["knee flexion"]
    assert shown_range(knee, [np.array([0.0, 60.0, np.nan])]) == (-15.0, 75.0, False)
    assert shown_range(knee, [np.array([-21.0, 60.0]), np.array([81.0])]) == (-30.0, 90.0, True)
    assert shown_range(BY_NAME["hip power"], [np.array([3.2]), np.full(3, np.nan)]) == (-3.0, 3.5, True)
    assert BY_NAME["hip power"].title == "Hip power [W/kg]"


# ---------------------------------------------------------------------------------------------------- a recorded child
@pytest.fixture(scope="module")
def pair() -> Analysis:
    static = recording("gait_pig_pair", "HC030A01.c3d")
    return analyze(import_session(recording("gait_pig_pair", "HC030A05.c3d"), static=static))


def apart(one, other):
    """RMS, RMS without offset, and correlation of two mean curves."""
    difference = one.mean - other.mean
    return np.sqrt(np.mean(difference**2)), difference.std(), np.corrcoef(one.mean, other.mean)[0, 1]


def test_plug_in_gait_is_in_clinical_signs_already(pair):
    vicon, stored = clinical_cycles(pair, VICON), clinical_cycles(pair, STORED)
    assert stored.model == "Plug-in Gait"
    assert len(stored.curves) == 2 * 12 + 12  # the right foot has no plate in a part of its cycle
    for key, curve in stored.curves.items():
        rms, _, alike = apart(vicon.curves[key], curve)
        assert alike > 0.997, key  # loads to 0.02 as in docs/plug-in-gait.md, on curves as small as 0.1 N·m/kg
        assert rms < (1e-4 if BY_NAME[key[1]].kind == ANGLE else 0.02), key


def test_our_own_curves_have_the_signs_of_the_stored_ones(pair, record_property):
    """No curve is reversed. Pelvis rotation and foot progression count from the way of walking, so that only their
    courses can be compared; that way is 5° and 2° off the axis of the laboratory, which reaches into obliquity.
    """
    own, stored = clinical_cycles(pair, OWN), clinical_cycles(pair, STORED)
    assert own.model == "plug-in-gait"
    assert own.speed_m_s == pytest.approx(1.05, abs=0.01)
    limits = {ANGLE: 0.4, MOMENT: 0.15, POWER: 0.25}  # ours is a fit, filtered, with inertias of another table
    for key, curve in stored.curves.items():
        row = BY_NAME[key[1]]
        rms, rest, alike = apart(own.curves[key], curve)
        assert alike > 0.9, (key, alike)
        if row.name in HEADED:
            assert rest < 2.0, (key, rest)
        elif row.name == "pelvis obliquity":
            assert rms < 1.6, (key, rms)
        else:
            assert rms < limits[row.kind], (key, rms)
    assert {row.name for row in CURVES if row.kind != FORCE} == {name for _, name in own.curves}


def test_the_static_of_plug_in_gait_is_the_stored_one(pair):
    """Hips, knees and ankles are those that the file of the static stores; the pelvis is turned by 2° against the
    laboratory, which is left out of ours: tilt and obliquity are the stored ones after that turn, by hand.
    """
    vicon, stored = static_angles(pair, VICON), static_angles(pair, STORED)
    assert set(vicon) - set(stored) == {(side, "foot progression") for side in ("right", "left")}
    assert not {name for _, name in vicon} & {"pelvis rotation"}
    for (side, name), value in stored.items():
        if not name.startswith("pelvis"):
            assert vicon[side, name] == pytest.approx(value, abs=1e-3), (side, name)
    outputs = pair.session.static.outputs
    tilt, up, turn = np.radians(outputs.values[:, outputs.names.index("RPelvisAngles")].mean(axis=0))
    R = Rotation.from_euler("ZXY", [-tilt, -up, turn]).as_matrix()
    facing = np.arctan2(-R[2, 0], R[0, 0])
    a, b, _ = Rotation.from_matrix(Rotation.from_euler("Y", -facing).as_matrix() @ R).as_euler("ZXY", degrees=True)
    assert vicon["right", "pelvis tilt"] == pytest.approx(-a, abs=0.01)
    assert vicon["right", "pelvis obliquity"] == pytest.approx(-b, abs=0.01)
    assert abs(b + stored["right", "pelvis obliquity"]) > 0.5
    assert visit_of([pair]).static(STORED) == stored
    alone = replace(pair, session=replace(pair.session, static=None))
    assert static_angles(alone, STORED) == {}


def test_heading_is_what_rotation_differs_by(pair):
    """Rotation of the stored pelvis less ours is the angle between the way and the laboratory's axis."""
    own, stored = clinical_cycles(pair, OWN), clinical_cycles(pair, STORED)
    for side, sign in (("right", 1.0), ("left", -1.0)):
        group = pair.cycles.groups[side.capitalize()]
        ((first, last),) = group.spans[group.valid]
        pelvis = pair.segments.p_com[:, pair.segments.index("pelvis")]
        x, _, z = pelvis[last] - pelvis[first]
        heading = np.degrees(np.arctan2(-z, x))
        difference = stored.curves[side, "pelvis rotation"].mean - own.curves[side, "pelvis rotation"].mean
        assert difference.mean() == pytest.approx(sign * heading, abs=0.3)


def test_the_laboratory_may_be_turned(pair, monkeypatch):
    """Acceptance (e): attitudes and paths turned by 30° about the vertical give the same pelvis and feet."""
    before = clinical_cycles(pair, OWN)
    R = elementary(np.radians(30.0), 1)
    motion = pair.segments
    turned = type(motion)(
        motion.names, R @ motion.R_WB, motion.p_com @ R.T, *(getattr(motion, name) for name in (
            "v_com", "a_com", "omega", "alpha", "mass", "whole_body_com", "whole_body_velocity",
            "whole_body_acceleration")),
    )  # fmt: skip
    monkeypatch.setattr(Analysis, "segments", property(lambda self: turned))
    monkeypatch.setattr(clinical_curves, "_belt", lambda analysis: None)
    for leg in clinical_curves.SIDES:
        cycles = pair.cycles.groups[leg.word.capitalize()]
        for key, curve in clinical_curves._along_the_way(pair, leg, cycles):
            assert curve.mean == pytest.approx(before.curves[key].mean, abs=1e-9)


def test_recordings_of_one_name_are_one_person_and_nobody_else(pair):
    """Grouped by name and date of birth; recordings without a name are people of their own."""
    names = ("Ann", "Ben", "ann ", "", "")
    subject, trial = pair.session.subject, replace(pair.session.dynamic, recorded=date(2026, 6, 1))
    analyses = [
        replace(pair, session=replace(pair.session, dynamic=trial, subject=replace(
            subject, name=name, birth_date=date(2016, 6, 2) if name else None)))
        for name in names
    ]  # fmt: skip
    people = people_of(analyses)
    assert [len(one.recordings) for one in people] == [2, 1, 1, 1]
    assert [one.age_years for one in people] == [9, 9, None, None]
    legs = [subject.measures[f"leg_length_{side}"] for side in "DE"]
    assert people[0].leg_length_m == pytest.approx(np.mean(legs), abs=1e-6)
    assert "Ann" not in repr(people)
