"""Muscles of a virtual person who walks: what must hold whatever the numbers of the set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomec.body.muscles.coverage import carried
from biomec.body.muscles.fitting import FittedMuscles, fit_muscles
from biomec.body.muscles.muscle_paths import MusclePaths, muscle_paths
from biomec.body.muscles.muscle_set import Muscle, MuscleSet, SetPoint
from biomec.body.muscles.set_file import load_muscle_set
from biomec.recording.marker_set import Side
from tests.core.body.loads.performed import Performed, performed

EVERY = 23  # frames left out between two that are looked at


@pytest.fixture(scope="module")
def walk() -> Performed:
    return performed("walk")


@pytest.fixture(scope="module")
def fitted(walk: Performed) -> FittedMuscles:
    return fit_muscles(walk.acquisition.model, load_muscle_set("legs"))


@pytest.fixture(scope="module")
def paths(walk: Performed, fitted: FittedMuscles) -> MusclePaths:
    return muscle_paths(walk.acquisition.model, walk.q[::EVERY], walk.qdot[::EVERY], fitted)


def test_legs_have_43_muscles_a_side(fitted: FittedMuscles) -> None:
    assert len(fitted.names) == 86
    assert sum(name.endswith("_r") for name in fitted.names) == 43
    assert not fitted.left_out


def test_pulls_are_internal(paths: MusclePaths) -> None:
    for m in range(len(paths.names)):
        assert np.abs(paths.pull[:, paths.pair_muscle == m].sum(axis=1)).max() < 1e-12


def test_virtual_power_of_natural_coordinates(walk: Performed, paths: MusclePaths) -> None:
    """g·q̇ + L̇ = 0 for every muscle and frame."""
    power = np.einsum("tnm,tn->tm", paths.columns(), walk.qdot[::EVERY]) + paths.speed
    assert np.abs(power).max() < 1e-12


def test_columns_are_the_gradient_of_the_length(walk: Performed, fitted: FittedMuscles) -> None:
    """Along motions that obey the joints: length differences over 2e-6 s of it."""
    step, q, qdot = 1e-6, walk.q[40:41], walk.qdot[40:41]
    ends = [muscle_paths(walk.acquisition.model, q + sign * step * qdot, None, fitted).length for sign in (1.0, -1.0)]
    speed = muscle_paths(walk.acquisition.model, q, qdot, fitted).speed
    difference = (ends[0] - ends[1]) / (2.0 * step)
    assert np.abs(difference - speed).max() < 1e-7


def test_joint_centres_of_the_set_lie_on_those_of_the_person(fitted: FittedMuscles) -> None:
    """Functional knee, hip and ankle of the source, mapped and scaled: [check 14] 1e-6 m."""
    person = fitted.person
    scales = {one.segment: one.factors for one in fitted.scales}
    for side, code in (("right", "D"), ("left", "E")):
        bodies = person.system.layout.bodies
        thigh, shank = bodies[f"{side} thigh"].points, bodies[f"{side} shank"].points
        knee = np.array([0.0, -0.41168, 0.0]) * scales[f"{side} thigh"]
        ankle = np.array([0.0, -0.41421, 0.0]) * scales[f"{side} shank"]
        assert thigh[f"KJC_{code}"] == pytest.approx(knee, abs=1e-6)
        assert shank[f"CAT_{code}"] == pytest.approx(ankle, abs=1e-6)


CENTRES = (  # source body of a muscle, joint centre there [m], its name in the person's segment
    ("elbow", "BRA_r", "scapula", (-0.008324524519, -0.032770446729, 0.008593584295), "GU"),
    ("elbow", "BRA_r", "humerus", (0.0, 0.0, 0.0), "GU"),
    ("elbow", "BRA_r", "r_humerus", (0.0, 0.0, 0.0), "GU"),
    ("elbow", "BRA_r", "r_humerus", (0.0061, -0.2904, -0.0123), "PME"),
    ("elbow", "BRA_r", "r_ulna_radius_hand", (0.0, 0.0, 0.0), "PME"),
    ("shoulder", "Coracobrachialis_r", "scapula", (-0.008324524519, -0.032770446729, 0.008593584295), "GU"),
    ("shoulder", "Coracobrachialis_r", "humerus", (0.0, 0.0, 0.0), "GU"),
    ("shoulder", "Coracobrachialis_r", "scapula", (-0.072046, -0.002028, -0.085862), "TE"),
    ("shoulder", "Coracobrachialis_r", "scapula", (-0.100586, -0.112222, -0.086944), "AI"),
    ("shoulder", "Coracobrachialis_r", "scapula", (-0.022931, 0.006744, 0.022019), "AA"),
    ("das4", "brachialis_1_r", "scapula_r", (0.002, -0.023, -0.0439), "GU"),
    ("das4", "brachialis_1_r", "scapula_r", (-0.1245, -0.126, 0.0313), "AI"),
    ("das4", "brachialis_1_r", "humerus_r", (0.0, 0.0, 0.0), "GU"),
)


@pytest.mark.parametrize(("name", "muscle", "body", "at", "centre"), CENTRES)
def test_joint_centres_of_arms_and_corners_of_blades_lie_on_those_of_the_person(
    walk: Performed, name: str, muscle: str, body: str, at: tuple[float, float, float], centre: str
) -> None:
    """A muscle between two joint centres of the source, on the right side and mirrored [check 14]: 1e-6 m."""
    one = load_muscle_set(name)[muscle]
    between = SetPoint(body, np.array(at)), SetPoint(body, np.array([0.0, 0.0, 0.1]))
    person = walk.acquisition.model
    both = tuple(replace(one, name=side.value, side=side, points=between, wraps=()) for side in Side)
    for side, cord in zip(Side, fit_muscles(person, MuscleSet("centres", "Centres", both)).cords.cords, strict=True):
        there = person.system.layout.bodies[cord.points[0].body].points[
            f"{centre}_{'D' if side is Side.RIGHT else 'E'}"
        ]
        assert cord.points[0].at == pytest.approx(there, abs=1e-6)


@pytest.mark.parametrize(
    ("joint", "angle", "muscle", "sign"),
    [
        ("right hip", "right hip flexion", "psoas_r", 1.0),
        ("right hip", "right hip flexion", "glut_max2_r", -1.0),
        ("left hip", "left hip abduction", "glut_med1_l", 1.0),
        ("left hip", "left hip abduction", "add_long_l", -1.0),
        ("right knee", "right knee flexion", "vas_int_r", -1.0),
        ("left knee", "left knee flexion", "semimem_l", 1.0),
        ("right ankle", "right ankle dorsiflexion", "soleus_r", -1.0),
        ("left ankle", "left ankle dorsiflexion", "tib_ant_l", 1.0),
        ("right ankle", "right ankle inversion", "tib_post_r", 1.0),
        ("left ankle", "left ankle inversion", "per_long_l", -1.0),
    ],
)
def test_prime_movers_pull_the_right_way(paths: MusclePaths, joint: str, angle: str, muscle: str, sign: float) -> None:
    arms = paths.arms(joint)
    curve = arms.arms[:, arms.names.index(angle), paths.names.index(muscle)]
    assert (sign * curve > 0.005).all()


def test_arms_are_zero_where_a_muscle_does_not_cross(paths: MusclePaths) -> None:
    assert not paths.arms("right knee").arms[:, :, paths.names.index("soleus_r")].any()
    assert not paths.arms("left hip").arms[:, :, paths.names.index("psoas_r")].any()


def test_lines_begin_and_end_where_the_muscle_does_and_are_as_long(paths: MusclePaths) -> None:
    for m in range(0, len(paths.names), 9):
        line = paths.polyline(2, m)
        assert np.linalg.norm(np.diff(line, axis=0), axis=1).sum() == pytest.approx(paths.length[2, m], abs=1e-12)


def test_a_shoulder_without_its_blade_has_no_muscles_left() -> None:
    """Only latissimus and pectoralis reach the humerus without the scapula; they cannot make the torques."""
    arms = load_muscle_set("arms").muscles

    def missing(muscle: Muscle) -> str:
        bodies = {point.body for point in muscle.points}
        return "the model has no right scapula" if bodies & {"scapula", "clavicle"} else ""

    kept, left_out = carried([one for one in arms if one.region == "shoulder"], missing)
    assert not kept
    assert left_out["DeltoideusScapula_M_r"] == "the model has no right scapula"
    assert left_out["LatissimusDorsi_M_r"].startswith("most muscles of the shoulder need")
    legs = load_muscle_set("legs").muscles
    kept, _ = carried(legs, lambda one: "no foot" if any(p.body.startswith("calcn") for p in one.points) else "")
    assert len(kept) == 2 * 31


def test_fibres_grow_alike_in_a_set_of_one_source_and_of_several(walk: Performed) -> None:
    """A humerus of one source is not as long as that of another: each muscle is held against its own skeleton."""
    person = walk.acquisition.model
    arms = fit_muscles(person, load_muscle_set("arms"))
    elbow = fit_muscles(person, load_muscle_set("elbow"))
    shoulder = fit_muscles(person, load_muscle_set("shoulder"))
    rho = dict(zip(arms.names, arms.rho, strict=True))
    for alone in (elbow, shoulder):
        for name, growth in zip(alone.names, alone.rho, strict=True):
            assert rho[name] == pytest.approx(growth, abs=1e-9)
    # the serratus runs from a blade that lies 3 cm farther back than in the source: 91 instead of 66 mm
    assert (np.abs(arms.rho - 1.0) < 0.4).all()
    assert (np.abs(elbow.rho - 1.0) < 0.1).all()
