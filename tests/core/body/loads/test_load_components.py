"""Joint loads as named curves: senses by hand, work of the angles, mirrored people, units."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomec.base.arrays import read_only, rotation_about
from biomec.base.errors import BiomecError
from biomec.body.anatomy.model_file import load_model
from biomec.body.kinematics.joint_angles import AngleOptions, joint_angles
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_stress import joint_stress
from biomec.body.loads.load_axes import AXES
from biomec.body.loads.load_components import LoadReading, load_components, residual_components
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.rotations import rotation
from tests.core.body.loads.people import person, push_up, random_states, truth_of
from tests.core.body.loads.standing_loads import pushed

STEP = 1e-6  # [s] of central differences: their error is 1e-10 of rates of order 1, and round-off 1e-10 / s


def loads_of(moving):
    return newton_euler(moving.tree, moving.segments, moving.q, moving.external)


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize(
    ("segment", "force", "offset", "joint", "name", "expected"),
    [  # forward, up, outward; what the joint does against a push of 100 N at 0.1 m
        ("foot", (0, 100, 0), (0.1, 0, 0), "ankle", "ankle dorsiflexion moment", -10.0),  # calf muscles
        ("foot", (0, 100, 0), (0.1, 0, 0), "knee", "knee flexion moment", 10.0),  # hamstrings
        ("foot", (0, 100, 0), (0, 0, 0.1), "knee", "knee abduction moment", -10.0),  # push outside the knee
        ("foot", (0, 100, 0), (0, 0, -0.1), "hip", "hip abduction moment", 10.0),  # gluteus medius
        ("foot", (100, 0, 0), (0, 0, 0.1), "hip", "hip internal rotation moment", -10.0),  # push turns the toes inward
        ("hand", (0, -100, 0), (0.1, 0, 0), "elbow", "elbow flexion moment", 10.0),  # biceps
        ("hand", (0, -100, 0), (0, 0, 0.1), "glenohumeral", "glenohumeral abduction moment", 10.0),  # weight aside
        ("foot", (0, 100, 0), (0.1, 0, 0), "knee", "knee superior force", -100.0),  # thigh presses the shank down
        ("hand", (0, 0, 100), (0, 0, 0), "elbow", "elbow lateral force", -100.0),  # pulled outward, held inward
    ],
)
def test_senses_are_those_of_the_words(side, segment, force, offset, joint, name, expected):
    loads, motion, body = pushed(segment, force, offset, joint)
    components = load_components(loads, motion, body.model, hinges=body.joint_axes())
    aligned = 0.2  # segments stand at up to 15° to the laboratory's axes: cosines, and a part of the other components
    assert components[f"{side} {name}"][0] == pytest.approx(expected, abs=aligned * abs(expected))
    lab = load_components(loads, motion, body.model, LoadReading(axes="laboratory"))
    j = loads.index(f"{side} {joint}")
    np.testing.assert_array_equal(lab[f"{side} {joint} moment about Z"], loads.torque[:, j, 2])
    np.testing.assert_array_equal(lab[f"{side} {joint} force along X"], loads.force[:, j, 0])


@pytest.mark.parametrize("convention", ["standard", "isb"])
def test_moments_in_axes_of_the_joint_do_the_work_of_the_angles(convention):
    moving = random_states("m21", frames=20).moving
    motion, loads, model = moving.segments, loads_of(moving), moving.model.model
    components = load_components(loads, motion, model, LoadReading(angles=convention))
    options = AngleOptions(convention=convention)
    before, after = (
        joint_angles(_moved(motion, step).attitudes, model.angles, static={}, axes=None, options=options)
        for step in (-STEP, STEP)
    )
    turned = after.values - before.values
    rates = (turned - 2.0 * np.pi * np.round(turned / (2.0 * np.pi))) / (2.0 * STEP)
    done = 0
    for j, joint in enumerate(loads.joints):
        angles = [name for name, owner in zip(after.names, after.joint, strict=True) if owner == joint]
        if len(angles) != 3 or any(f"{name} moment" not in components for name in angles):
            continue
        work = sum(components[f"{name} moment"] * rates[:, after.names.index(name)] for name in angles)
        turning = motion.omega[:, motion.index(loads.distal[j])] - motion.omega[:, motion.index(loads.proximal[j])]
        power = np.einsum("ti,ti->t", loads.torque[:, j], turning)
        np.testing.assert_allclose(work, power, rtol=0, atol=1e-6 * np.abs(loads.torque[:, j]).max() * 10.0)
        done += 1
    assert done == 6  # neck, lumbar, both glenohumeral joints and both hips have three angles


def test_the_sense_of_abduction_does_not_change_where_an_arm_passes_the_horizontal():
    body = person("m21").model
    raised = np.radians(np.linspace(5.0, 150.0, 30))  # sideways and a little ahead of gimbal lock
    moving = random_states("m21", frames=30).moving
    motion, loads = moving.segments, loads_of(moving)
    R = np.broadcast_to(np.eye(3), motion.R_WB.shape).copy()
    for side, sign in (("right", -1.0), ("left", 1.0)):
        attitude = rotation(np.stack([0.2 + 0 * raised, sign * raised, 0 * raised], axis=-1), "ZXY")
        R[:, motion.index(f"{side} humerus")] = attitude
    torque = np.zeros_like(loads.torque)
    torque[:, loads.index("right glenohumeral")] = -np.array([np.cos(0.2), np.sin(0.2), 0.0])  # the axis of abduction
    torque[:, loads.index("left glenohumeral")] = np.array([np.cos(0.2), np.sin(0.2), 0.0])
    components = load_components(replace(loads, torque=torque), replace(motion, R_WB=R), body)
    for side in ("right", "left"):
        np.testing.assert_allclose(components[f"{side} glenohumeral abduction moment"], 1.0, rtol=0, atol=1e-12)


def _moved(motion: SegmentMotion, step: float) -> SegmentMotion:
    """Every segment turned by ω step, exactly."""
    angle = step * np.linalg.norm(motion.omega, axis=-1)[..., None, None]
    w = motion.omega / np.linalg.norm(motion.omega, axis=-1, keepdims=True)
    K = -np.cross(w[..., None, :], np.eye(3))  # rows e_k × w … K x = w × x
    turn = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
    return replace(motion, R_WB=turn @ motion.R_WB)


def test_the_moment_of_a_hinge_does_all_its_work():
    moving = truth_of(push_up())
    motion, loads, body = moving.segments, loads_of(moving), moving.model
    components = load_components(loads, motion, body.model, hinges=body.joint_axes())
    static = {name: R[0] for name, R in body.attitudes(body.system.reference[None]).items()}
    angles = joint_angles(motion.attitudes, body.model.angles, static=static, axes=body.joint_axes())
    rate = np.gradient(angles.values, 1.0 / 50.0, axis=0, edge_order=2)
    for name in ("right elbow flexion", "left radioulnar pronation", "right knee flexion"):
        j = loads.index(" ".join(name.split()[:2]))
        turning = motion.omega[:, motion.index(loads.distal[j])] - motion.omega[:, motion.index(loads.proximal[j])]
        power = np.einsum("ti,ti->t", loads.torque[:, j], turning)
        work = components[f"{name} moment"] * rate[:, angles.names.index(name)]
        # differences over 20 ms of a movement of 3.7 s: 0.5 % of the largest rate
        np.testing.assert_allclose(work, power, rtol=0, atol=0.01 * np.abs(power).max() + 1e-9)


@pytest.mark.parametrize("model", ["m21", "m17", "legs"])
@pytest.mark.parametrize("axes", [one for one in AXES if one != "laboratory"])
def test_a_mirrored_person_has_the_same_loads_on_the_other_side(model, axes):
    moving = random_states(model).moving
    loads, motion, body = loads_of(moving), moving.segments, moving.model.model
    S = np.diag([1.0, 1.0, -1.0])
    swapped = {"right": "left", "left": "right"}

    def other(name: str) -> str:
        side, _, rest = name.partition(" ")
        return f"{swapped[side]} {rest}" if side in swapped else name

    R = S @ motion.R_WB @ S  # Z points to the right in all segments, also in those of a mirror image
    mirrored_motion = replace(motion, names=tuple(other(name) for name in motion.names), R_WB=R)
    mirrored = replace(
        loads, joints=tuple(map(other, loads.joints)), proximal=tuple(map(other, loads.proximal)),
        distal=tuple(map(other, loads.distal)), force=loads.force @ S, torque=-loads.torque @ S,
    )  # fmt: skip
    axis = np.array([0.2, 0.9, 0.3])  # moves with the mirror as an axis, whichever way it is written
    hinges = {"right radioulnar": axis, "left radioulnar": S @ axis} if model == "m21" else {}
    reading = LoadReading(axes=axes)
    one = load_components(loads, motion, body, reading, hinges=hinges)
    two = load_components(mirrored, mirrored_motion, body, reading, hinges=hinges)
    for name, side, positive in zip(one.names, one.side, one.positive, strict=True):
        across = side is None and positive.startswith(("right", "left"))
        sign = -1.0 if across else 1.0
        np.testing.assert_allclose(two[other(name)], sign * one[name], rtol=0, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("model", ["m21", "m17", "legs", "plug-in-gait"])
@pytest.mark.parametrize("axes", AXES)
def test_every_component_has_a_name_of_its_own(model, axes):
    moving = random_states(model).moving
    components = load_components(loads_of(moving), moving.segments, person(model).model, LoadReading(axes=axes))
    assert len(set(components.names)) == len(components.names) == 6 * len(moving.tree.joints)
    assert np.isfinite(components.values).all()


@pytest.mark.parametrize("axes", ["laboratory", "proximal", "distal"])
def test_axes_at_right_angles_keep_the_size(axes):
    moving = random_states("m21").moving
    loads = loads_of(moving)
    components = load_components(loads, moving.segments, moving.model.model, LoadReading(axes=axes))
    for quantity, vector in (("force", loads.force), ("moment", loads.torque)):
        for j, joint in enumerate(loads.joints):
            three = np.stack([components[name] for name in components.of(joint, quantity)], axis=1)
            size = np.linalg.norm(vector[:, j], axis=1)
            np.testing.assert_allclose(np.linalg.norm(three, axis=1), size, rtol=1e-12)


def test_external_loads_have_the_opposite_sign_and_units_follow_the_person():
    moving = random_states("m21").moving
    loads, motion, model = loads_of(moving), moving.segments, moving.model.model
    plain = load_components(loads, motion, model)
    outer = load_components(loads, motion, model, LoadReading(convention="external"))
    np.testing.assert_array_equal(outer.values, -plain.values)
    per_kg = load_components(loads, motion, model, LoadReading(normalisation="mass"), mass_kg=80.0)
    np.testing.assert_allclose(per_kg.values, plain.values / 80.0, rtol=1e-15)
    relative = load_components(loads, motion, model, LoadReading(normalisation="weight"), mass_kg=80.0, height_m=1.8)
    name = "right knee flexion moment"
    np.testing.assert_allclose(relative[name], 100.0 * plain[name] / (80.0 * 9.81 * 1.8), rtol=1e-14)
    name = "right knee anterior force"
    np.testing.assert_allclose(relative[name], 100.0 * plain[name] / (80.0 * 9.81), rtol=1e-14)
    assert plain.label("right knee flexion moment") == "Right knee flexion moment, internal (extension −) [N·m]"
    assert outer.label(name) == "Right knee anterior force, external (posterior −) [N]"
    assert relative.units[relative.index("right knee flexion moment")] == "% of body weight × height"
    few = plain.chosen([name])
    assert few.names == (name,)
    np.testing.assert_array_equal(few[name], plain[name])


def test_scapula_and_clavicle_are_read_by_the_angles_that_the_girdle_has():
    moving = random_states("m21").moving
    components = load_components(loads_of(moving), moving.segments, moving.model.model)
    assert components.of("right acromioclavicular", "moment") == (
        "right acromioclavicular protraction moment",
        "right acromioclavicular upward rotation moment",
        "right acromioclavicular posterior tilt moment",
    )
    assert components.of("left sternoclavicular", "moment")[2] == "left sternoclavicular backward rotation moment"


def test_what_cannot_be_read_is_refused_in_words():
    moving = random_states("m21").moving
    loads, motion, model = loads_of(moving), moving.segments, moving.model.model
    with pytest.raises(BiomecError, match='axes is joint, proximal, distal, laboratory, not "elbow"'):
        LoadReading(axes="elbow")
    with pytest.raises(BiomecError, match="need the body mass"):
        load_components(loads, motion, model, LoadReading(normalisation="mass"))
    with pytest.raises(BiomecError, match="need the person's height"):
        load_components(loads, motion, model, LoadReading(normalisation="weight"), mass_kg=70.0)
    with pytest.raises(BiomecError, match="by the convention cardan; there are standard, isb"):
        load_components(loads, motion, model, LoadReading(angles="cardan"))
    with pytest.raises(BiomecError, match="has no joint left wrist; it has right hip"):
        load_components(loads, motion, load_model("legs"))
    with pytest.raises(BiomecError, match="There is no load left tail flexion moment"):
        load_components(loads, motion, model)["left tail flexion moment"]


@given(
    axis=st.tuples(*(st.floats(-1.0, 1.0),) * 3).filter(lambda a: np.linalg.norm(a) > 0.1), angle=st.floats(-3.0, 3.0)
)
@settings(max_examples=15, deadline=None)
def test_a_turned_laboratory_changes_nothing_but_its_own_components(axis, angle):
    moving = random_states("m21").moving
    loads, motion, body = loads_of(moving), moving.segments, moving.model
    Q = rotation_about(axis, angle)
    turned_motion = replace(motion, R_WB=Q @ motion.R_WB)
    turned = replace(loads, force=loads.force @ Q.T, torque=loads.torque @ Q.T)
    for axes in ("joint", "proximal", "distal"):
        one, two = (
            load_components(each, segments, body.model, LoadReading(axes=axes), hinges=body.joint_axes())
            for each, segments in ((loads, motion), (turned, turned_motion))
        )
        np.testing.assert_allclose(two.values, one.values, rtol=0, atol=1e-8)  # of 1000 N m; e2 amplifies round-off
    plain, other = (
        joint_stress(each, segments, body.model, body.joint_axes())
        for each, segments in ((loads, motion), (turned, turned_motion))
    )
    for part in ("axial", "shear", "about_axis", "off_axis"):
        np.testing.assert_allclose(getattr(other, part), getattr(plain, part), rtol=0, atol=1e-9)


@pytest.fixture(scope="module")
def moving():
    found = random_states("m21", frames=8).moving
    return found, newton_euler(found.tree, found.segments, found.q, found.external)


def test_in_the_laboratory_it_is_the_residual_itself(moving):
    person, loads = moving
    found = residual_components(loads, person.segments, "laboratory")
    np.testing.assert_array_equal(found.values[:, :3], loads.residual_force)
    np.testing.assert_array_equal(found.values[:, 3:], loads.residual_torque)
    assert found.names[0] == "residual force along X"
    assert found.units == ("N",) * 3 + ("N·m",) * 3


def test_along_the_axes_of_the_root_by_hand(moving):
    person, loads = moving
    found = residual_components(loads, person.segments, normalisation="mass", mass_kg=50.0)
    R = person.segments.R_WB[:, person.segments.names.index(loads.root)]
    for t in range(loads.frames):
        np.testing.assert_allclose(found.values[t, :3], R[t].T @ loads.residual_force[t] / 50.0, rtol=1e-12)
        np.testing.assert_allclose(found.values[t, 3:], R[t].T @ loads.residual_torque[t] / 50.0, rtol=1e-12)


def test_a_turned_laboratory_changes_nothing(moving):
    person, loads = moving
    turn = rotation_about(np.array([0.3, -0.8, 0.5]) / np.linalg.norm([0.3, -0.8, 0.5]), 1.1)
    turned = replace(
        loads,
        residual_force=read_only(loads.residual_force @ turn.T),
        residual_torque=read_only(loads.residual_torque @ turn.T),
    )
    motion = replace(person.segments, R_WB=read_only(turn @ person.segments.R_WB))
    before, after = residual_components(loads, person.segments), residual_components(turned, motion)
    np.testing.assert_allclose(after.values, before.values, rtol=1e-9, atol=1e-9)


def test_other_axes_are_refused(moving):
    person, loads = moving
    with pytest.raises(BiomecError, match="root or laboratory"):
        residual_components(loads, person.segments, "joint")
