"""Plug-in Gait on persons whose geometry is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.base.physics import GRAVITY
from biomec.body.plug_in_gait import PlugInGaitOptions, calibrate, plug_in_gait
from biomec.body.plug_in_gait.comparison import stored_curves
from biomec.body.plug_in_gait.kinetics import Ground, angular_rates, ground_reaction
from biomec.body.plug_in_gait.legs import SIDES, azimuth, rotations_by_device
from biomec.body.plug_in_gait.segments import segments
from biomec.engine.rotations import elementary
from biomec.recording import ForcePlate, Outputs
from tests.core.body.anatomy.person import MEASURES, MIRROR, POINTS, irregular, mirrored, swapped

RATE = 100.0
FOOT = {"CALC": (-0.06, 0.035, 0.085)}
HEAD = {"FHD": (0.09, 1.62, 0.07), "BHD": (-0.09, 1.60, 0.07)}
MORE = {f"{name}_D": np.array(place) for name, place in (FOOT | HEAD).items()}
PERSON = POINTS | MORE | {swapped(name): place * MIRROR for name, place in MORE.items()}
TURNED = {f"{name}_{side}": value for name, value in {"tibial_torsion": -0.3}.items() for side in "DE"}
GIVEN = (
    "sex",
    "height",
    "mass",
    "foot_plantar_flexion_D",
    "foot_plantar_flexion_E",
    "foot_rotation_D",
    "foot_rotation_E",
)
KNOWN = {name: value for name, value in MEASURES.items() if name not in GIVEN} | TURNED


def computed(points, static, measures, options=PlugInGaitOptions(), **more):
    return plug_in_gait(points, calibrate(measures, static, options), RATE, **more)


def uneven(seed: int = 3):
    rng = np.random.default_rng(seed)
    more = {name: place + rng.normal(scale=0.01, size=3) for name, place in PERSON.items() if name not in POINTS}
    return irregular(seed) | more


def still(points, frames: int = 12):
    return {name: np.broadcast_to(place, (frames, 3)) for name, place in points.items()}


def turned(points, R):
    return {name: place @ R.T for name, place in points.items()}


def degrees(model):
    return dict(zip(model.angles.names, np.degrees(model.angles.values[5]), strict=True))


# ------------------------------------------------------------------------------------------------------------- angles
def test_a_mirrored_person_has_the_angles_of_the_other_side():
    person = uneven()
    other = mirrored(person)
    measures = {swapped(name): value for name, value in KNOWN.items()}
    here = degrees(computed(still(person), still(person), KNOWN))
    there = degrees(computed(still(other), still(other), measures))
    exchanged = {"right": "left", "left": "right"}
    assert len(here) == 68
    for name, value in here.items():
        side, rest = name.split(" ", 1)
        assert there[f"{exchanged[side]} {rest}"] == pytest.approx(value, abs=1e-9), name


@pytest.mark.parametrize("quarter", [0, 1, 2, 3])
def test_the_way_that_a_person_faces_plays_no_part(quarter):
    """Of the four horizontal axes the nearest one counts; what is left of a turn stays in pelvis and foot."""
    person = uneven()
    straight = degrees(computed(still(person), still(person), KNOWN))
    R = elementary(np.radians(90.0 * quarter + 3.0), 1)
    oblique = degrees(computed(still(turned(person, R)), still(turned(person, R)), KNOWN))
    for name, value in straight.items():
        joint = name.split(" ", 1)[1]
        if joint in ("pelvis internal rotation", "thorax internal rotation", "head internal rotation"):
            sign = 1.0 if name.startswith("right") else -1.0
            assert oblique[name] == pytest.approx(value + sign * 3.0, abs=0.2)  # turned about the vertical, not about Y
        elif not joint.startswith(("pelvis", "thorax", "head", "foot")):
            assert oblique[name] == pytest.approx(value, abs=1e-9)


def test_a_flat_foot_is_level_in_its_own_static():
    person = still(uneven())
    flat, worn = (
        degrees(computed(person, person, KNOWN, options=PlugInGaitOptions(foot_flat=way)))
        for way in ("flat", "as-worn")
    )
    toe, heel = person["TOE_D"][0], person["CALC_D"][0]
    slope = np.degrees(np.arctan2(toe[1] - heel[1], toe[0] - heel[0]))  # in the plane of the angle
    assert flat["right foot progression pitch down"] == pytest.approx(-90.0, abs=1e-9)
    assert worn["right foot progression pitch down"] == pytest.approx(-90.0 - slope, abs=1e-9)


def test_torsion_turns_the_ankle_and_leaves_the_knee_of_the_untorsioned_shank():
    """Torsion is the azimuth of the ankle marker in the untorsioned shank, external if negative."""
    person = still(uneven())
    model = segments(person, KNOWN)
    for leg in SIDES:
        shank = model.attitudes[leg.name("shank")]
        found = azimuth(shank, model.centres[leg.key("CAT")], person[leg.key("ML")], leg)
        assert_allclose(found, KNOWN[leg.key("tibial_torsion")], atol=1e-12)
    plain, turned_ = (degrees(computed(person, person, KNOWN | dict.fromkeys(TURNED, value))) for value in (0.0, -0.3))
    apart = {name: turned_[name] - plain[name] for name in plain}
    assert apart["right knee internal rotation"] == pytest.approx(np.degrees(0.3), abs=1.0)
    assert abs(apart["right hip internal rotation"]) < 1e-12


def test_the_roll_of_a_foot_does_not_depend_on_a_heel_in_line_with_ankle_and_toe():
    """A foot whose three points are in line has no roll of its own; it takes that of the shank."""
    person = uneven()
    static = still(person)
    at_toe = dict(person)
    ankle = segments(static, KNOWN).centres["CAT_D"][0]
    at_toe["CALC_D"] = ankle - 0.3 * (person["TOE_D"] - ankle)  # on the line
    straight = degrees(computed(static, static, KNOWN))
    in_line = degrees(computed(still(at_toe), static, KNOWN))
    assert in_line["right ankle dorsiflexion"] == pytest.approx(straight["right ankle dorsiflexion"], abs=1e-9)


def test_a_knee_alignment_device_gives_the_rotations_of_the_sticks():
    """A device on the axis of a knee whose rotation is known finds that rotation."""
    known = KNOWN | dict.fromkeys(
        ("tibial_torsion_D", "tibial_torsion_E", "ankle_abduction_D", "ankle_abduction_E"), 0.0
    )
    person = still(PERSON)
    model = segments(person, known)
    for leg in SIDES:
        marker, centre = person[leg.key("CLAT")], model.centres[leg.key("KJC")]
        R = model.attitudes[leg.name("thigh")]
        lateral, forward, up = leg.sign * R[:, :, 2], R[:, :, 0], R[:, :, 1]
        assert_allclose(np.cross(marker - centre, lateral), 0.0, atol=1e-12)
        arm = 0.1
        device = {"KAX": lateral, "KD1": (up + forward) / np.sqrt(2.0), "KD2": (up - forward) / np.sqrt(2.0)}
        worn = person | {leg.key(name): marker + arm * axis for name, axis in device.items()}
        found = rotations_by_device(worn, known, leg)
        assert found[leg.key("thigh_rotation")] == pytest.approx(known[leg.key("thigh_rotation")], abs=1e-9)


def test_unknown_measures_are_named():
    with pytest.raises(BiomecError, match=r"without these measures of the subject: leg length \(right\), knee width"):
        computed(still(PERSON), None, {})


def test_stored_offsets_of_another_static_are_reported_and_not_used():
    person = still(uneven())
    model = computed(person, person, KNOWN | {"foot_plantar_flexion_D": 0.6, "foot_rotation_D": 0.1})
    (notice,) = model.calibration.notices
    assert notice.code == "foot-offsets-stale"
    assert "right foot (34.4°, 5.7°)" in notice.sentence
    assert abs(model.calibration.measures["foot_plantar_flexion_D"]) < 0.4


# ----------------------------------------------------------------------------------------------------------- kinetics
def ground(force, point, frames=12):
    force = np.broadcast_to(np.asarray(force, dtype=float), (frames, 3))
    return Ground(force, np.cross(np.asarray(point, dtype=float), force))


def test_a_person_who_stands_still_carries_the_weight_by_levers():
    """Closed form: the moment of a joint balances force times lever and the weights below it."""
    person = still(uneven())
    mass, place, force = 70.0, np.array([0.05, 0.0, 0.09]), np.array([10.0, 350.0, -5.0])
    model = computed(person, person, KNOWN, ground={"D": ground(force, place)}, mass_kg=mass)
    loads, found = model.loads, model.segments
    assert loads.joints == ("right ankle", "right knee", "right hip")
    hip, knee, ankle = (found.centres[f"{name}_D"][0] for name in ("CAQ", "KJC", "CAT"))
    length = np.linalg.norm(person["TOE_D"][0] - person["CALC_D"][0]) - 0.5 * KNOWN["marker_diameter"]
    centres = [
        (0.0145, ankle + 0.5 * length * found.attitudes["right foot"][0, :, 0]),
        (0.0465, ankle + 0.567 * (knee - ankle)),
        (0.1, knee + 0.567 * (hip - knee)),
    ]
    for k, joint in enumerate((ankle, knee, hip)):
        torque = -np.cross(place - joint, force)
        for share, centre in centres[: k + 1]:
            torque -= np.cross(centre - joint, [0.0, -share * mass * GRAVITY, 0.0])
        assert_allclose(loads.torque[6, k], torque / mass, atol=1e-9)
        assert loads.power[6, k] == pytest.approx(0.0, abs=1e-9)


def test_signs_of_moments_are_those_of_a_push_off():
    """A force under the toes asks for plantar flexors; one behind the knee for extensors of the knee."""
    person = still(PERSON)
    toes, behind = (
        computed(person, person, KNOWN, ground={"D": ground([0.0, 700.0, 0.0], place)}, mass_kg=70.0).loads
        for place in ((0.15, 0.0, 0.09), (-0.1, 0.0, 0.09))
    )
    assert toes.moment[6, 0, 0] > 0.5
    assert behind.moment[6, 1, 0] > 0.5
    assert toes.moment[6, 2, 0] > 0.5  # and hip extensors, where the force passes in front


def test_angular_rates_of_a_steady_turn():
    """Constant ω: the sine of 4 ω Δt replaces the angle, and α is zero; four frames are missing at either end."""
    omega, frames = 2.0, 15
    R = elementary(omega * np.arange(frames) / RATE, 2)
    found, alpha = angular_rates(R, RATE)
    assert_allclose(found[2:-2, 2], np.sin(4 * omega / RATE) / (4 / RATE), rtol=1e-12)
    assert_allclose(alpha[4:-4], 0.0, atol=1e-9)
    assert np.isnan(alpha[:4]).all()
    assert np.isnan(alpha[-4:]).all()


def test_plate_samples_are_averaged_around_the_frame():
    """Ten samples a frame: eleven of them, five on either side, of a ramp that a mean leaves as it is."""
    ramp = np.outer(50.0 + np.arange(100.0), [0.0, 1.0, 0.0])
    plate = ForcePlate("P", ramp, np.zeros((100, 3)), 1000.0, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    swing = np.zeros(10, dtype=bool)
    swing[8:] = True
    found = ground_reaction([(plate, 0.02, 0.03)], swing, 10, RATE)
    assert_allclose(found.force[2:7, 1], 50.0 + 10.0 * np.arange(2, 7))
    assert_allclose(found.moment[2:7, 2], found.force[2:7, 1])  # about the origin of the laboratory, 1 m away
    assert_allclose(found.force[9], 0.0)  # it swings, whatever the plate carries then
    plate_of_a_few = ForcePlate("P", 0.01 * ramp, np.zeros((100, 3)), 1000.0, plate.origin, plate.up)
    assert np.isnan(ground_reaction([(plate_of_a_few, 0.03, 0.05)], np.zeros(10, dtype=bool), 10, RATE).force[0]).all()


# ------------------------------------------------------------------------------------------------------ stored results
@pytest.mark.parametrize(
    ("unit", "scale", "mass", "expected"),
    [("Nmm", 1e3, None, 1.0), ("Nm", 1.0, None, 1.0), ("Nmm", 50e3, 50.0, 1.0), ("Nmm", 50e3, None, None)],
)
def test_stored_moments_are_per_kilogram_whatever_their_label_says(unit, scale, mass, expected):
    """Vicon writes N·mm/kg and labels it Nmm; a moment of 60 N·m/kg shows that a file is not per kilogram."""
    push = np.sin(np.linspace(0.0, np.pi, 40))  # peak 1 N·m/kg
    values = np.zeros((40, 2, 3))
    values[:, 0, 0], values[:, 1, 2] = scale * 1.2 * push, push * (1.0 if scale <= 1e3 else 50.0)
    outputs = Outputs(("RAnkleMoment", "RAnklePower"), ("moment", "power"), (unit, "W"), values, 100.0)
    found = {name: curve for name, _, curve in stored_curves(outputs, mass)}
    if expected is None:
        assert not found
        return
    assert found["right ankle plantarflexor moment"] == pytest.approx(1.2 * push)
    assert found["right ankle power"] == pytest.approx(push)
