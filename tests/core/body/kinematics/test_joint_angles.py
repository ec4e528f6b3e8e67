"""Joint angles: signs of known movements on both sides, hinges, invariances, gimbal flag, unwrapping.

Segments stand in the anatomical position with X forward, Y up and Z to the subject's right on both sides. Movements are
described by what a clinician sees: where a point of the moving segment goes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.base.errors import BiomecError
from biomec.base.notices import Severity
from biomec.body.anatomy.model import AngleComponent, AngleDefinition
from biomec.body.kinematics.joint_angles import AngleOptions, joint_angles
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.engine.reference.human import human_motion, human_system, human_tree
from biomec.engine.rotations import cardan, joint_coordinate_system, rotation
from biomec.recording.marker_set import Side
from tests.core.body.kinematics.movements import FORWARD, LIMB_MOVEMENTS, RIGHT, UP, direction, turn

EXACT = 1e-12  # products of a few rotation matrices; the smallest sine that matters is 0.1


def define(joint, sequence, *components, side=None, proximal="trunk", distal="limb", **more):
    """Definition with components such as ("flexion/extension", 0, +1)."""
    parts = tuple(AngleComponent(*names.split("/"), index, sign) for names, index, sign in components)
    return AngleDefinition(joint, side, proximal, distal, sequence, parts, **more)


def table(side):
    """The table of signs of docs/joint-angles.md for one side."""
    s = 1.0 if side is Side.RIGHT else -1.0
    rows = {
        "sternoclavicular": ("YXZ", ("protraction/retraction", 0, s), ("elevation/depression", 1, -s)),
        "scapulothoracic": (
            "YXZ",
            ("protraction/retraction", 0, s),
            ("upward rotation/downward rotation", 1, -s),
            ("posterior tilt/anterior tilt", 2, 1.0),
        ),
        "shoulder": (
            "ZXY",
            ("flexion/extension", 0, 1.0),
            ("abduction/adduction", 1, -s),
            ("internal rotation/external rotation", 2, s),
        ),
        "elbow": ("ZXY", ("flexion/extension", 0, 1.0)),
        "radioulnar": ("ZXY", ("pronation/supination", 2, s)),
        "wrist": ("ZXY", ("flexion/extension", 0, 1.0), ("radial deviation/ulnar deviation", 1, -s)),
        "hip": (
            "ZXY",
            ("flexion/extension", 0, 1.0),
            ("abduction/adduction", 1, -s),
            ("internal rotation/external rotation", 2, s),
        ),
        "knee": ("ZXY", ("flexion/extension", 0, -1.0)),
        "ankle": ("ZXY", ("dorsiflexion/plantarflexion", 0, 1.0), ("inversion/eversion", 1, s)),
    }
    rows["glenohumeral"] = rows["shoulder"]
    return {joint: define(joint, row[0], *row[1:], side=side) for joint, row in rows.items()}


ISB = {
    side: define(
        "shoulder",
        "YXY",
        ("plane of elevation forward/backward", 0, s),
        ("elevation/depression", 1, -s),
        ("internal rotation/external rotation", 2, s),
        side=side,
        convention="isb",
    )
    for side, s in ((Side.RIGHT, 1.0), (Side.LEFT, -1.0))
}


def angles_of(R, definitions, **more):
    """Angles of a limb whose attitude in the trunk is R (T, 3, 3); the trunk stands askew in the laboratory."""
    R = np.atleast_3d(R).reshape(-1, 3, 3)
    trunk = Rotation.from_rotvec([0.3, -2.0, 0.4]).as_matrix()
    static = {"trunk": np.eye(3), "limb": np.eye(3)}
    attitudes = {"trunk": np.broadcast_to(trunk, R.shape), "limb": trunk @ R}
    return joint_angles(attitudes, definitions, **{"static": static, **more})


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("movement", LIMB_MOVEMENTS, ids=lambda m: f"{m.joint} {m.angle}")
def test_movements_have_the_sign_of_their_name_on_both_sides(movement, side):
    definition = table(side)[movement.joint]
    R = turn(direction(movement.start, side), direction(movement.end, side), np.radians(20))
    result = angles_of(R, [definition])
    for name, component in zip(result.names, definition.components, strict=True):
        expected = np.radians(20) if component.positive == movement.angle else 0.0
        assert result[name][0] == pytest.approx(expected, abs=EXACT)
    assert result.side == (side,) * len(result.names)


@pytest.mark.parametrize("side", Side)
def test_isb_shoulder_elevation_in_the_coronal_and_sagittal_plane(side):
    """[Wu2005]: plane 0° is abduction, 90° forward flexion; elevation is positive on both sides."""
    outward = direction("outward", side)
    for plane, towards in ((0.0, outward), (90.0, FORWARD), (45.0, (outward + FORWARD) / np.sqrt(2)), (-30.0, None)):
        if towards is None:
            towards = np.cos(np.pi / 6) * outward - np.sin(np.pi / 6) * FORWARD
        for elevation in (25.0, 90.0, 150.0):
            R = turn(-UP, towards, np.radians(elevation))
            got = np.degrees(angles_of(R, [ISB[side]], options=AngleOptions("isb")).values[0])
            # straight elevation is Ry(p) Rx(e) Ry(−p): the axial angle undoes the plane
            assert_allclose(got, [plane, elevation, -plane], atol=1e-10)


@pytest.mark.parametrize("side", Side)
def test_isb_axial_rotation_of_the_abducted_arm(side):
    R = turn(-UP, direction("outward", side), np.pi / 2)
    inward = turn(FORWARD, direction("inward", side), np.radians(35))  # about the arm's own long axis
    got = np.degrees(angles_of(R @ inward, [ISB[side]], options=AngleOptions("isb")).values[0])
    assert_allclose(got, [0.0, 90.0, 35.0], atol=1e-10)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(-1.2, 1.2), min_size=3, max_size=3), st.sampled_from(sorted(table(Side.RIGHT))))
def test_a_mirrored_subject_has_the_same_angles(angles, joint):
    R = rotation(angles, "ZXY")
    mirror = np.diag([1.0, 1.0, -1.0])  # right and left exchanged
    right = angles_of(R, [table(Side.RIGHT)[joint], ISB[Side.RIGHT]])
    left = angles_of(mirror @ R @ mirror, [table(Side.LEFT)[joint], ISB[Side.LEFT]])
    assert_allclose(left.values, right.values, atol=1e-11)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_turning_the_laboratory_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    lab = Rotation.random(rng=rng).as_matrix()
    proximal = Rotation.random(6, rng=rng).as_matrix()
    relative = rotation(rng.uniform(-1.0, 1.0, (6, 3)), "ZXY")
    axis = rng.normal(size=3)
    definitions = [table(Side.LEFT)["shoulder"], define("hinge", "hinge", ("pronation/supination", 2, -1.0))]
    static = {"trunk": np.eye(3), "limb": rotation(0.1 * rng.normal(size=3), "ZXY")}

    def result(turned):
        attitudes = {"trunk": turned @ proximal, "limb": turned @ proximal @ relative}
        at_rest = {name: turned @ R for name, R in static.items()}
        return joint_angles(attitudes, definitions, static=at_rest, axes={"hinge": axis}).values

    assert_allclose(result(lab), result(np.eye(3)), atol=1e-11)


def test_plug_in_gait_angles_are_the_same_sequence_with_the_first_angle_reversed():
    """x forward, y left, z up: α = asin(−z_d·y_p), β = atan2(z_d·x_p, z_d·z_p), γ = atan2(x_d·y_p, y_d·y_p)."""
    R = rotation(np.random.default_rng(3).uniform(-1.2, 1.2, (40, 3)), "ZXY")
    to_gait = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # x = X, y = −Z, z = Y
    gait = to_gait @ R @ to_gait.T  # columns: x_d, y_d, z_d in x_p, y_p, z_p
    alpha = np.arcsin(-gait[:, 1, 2])
    beta = np.arctan2(gait[:, 0, 2], gait[:, 2, 2])
    gamma = np.arctan2(gait[:, 1, 0], gait[:, 1, 1])
    assert_allclose(cardan(R, "ZXY"), np.stack([-beta, alpha, gamma], -1), atol=EXACT)


def test_the_laboratory_as_proximal_segment():
    definition = define("pelvis", "ZXY", ("anterior tilt/posterior tilt", 0, -1.0), proximal="ground", distal="pelvis")
    attitudes = {"pelvis": turn(FORWARD, -UP, np.radians(12))[None]}  # the front goes down
    result = joint_angles(attitudes, [definition], static={"pelvis": np.eye(3)})
    assert np.degrees(result["pelvis anterior tilt"][0]) == pytest.approx(12.0)


# ------------------------------------------------------------------------------------------------------------ hinges


def oblique_forearm(side):
    """Static attitude of the radius in the ulna, and the oblique axis from the ulnar head to the radial one."""
    s = 1.0 if side is Side.RIGHT else -1.0
    static = rotation(np.radians([3.0, -4.0 * s, 20.0 * s]), "ZXY")
    axis = np.array([0.05, 1.0, 0.13 * s])
    return static, axis / np.linalg.norm(axis), s


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("written", [1.0, -1.0])
def test_pronation_about_an_oblique_axis_is_exact(side, written):
    static, axis, s = oblique_forearm(side)
    definition = define("radioulnar", "hinge", ("pronation/supination", 2, s), side=side)
    theta = np.radians(np.linspace(-80, 80, 33))
    R = Rotation.from_rotvec(s * theta[:, None] * axis).as_matrix() @ static
    zero = s * cardan(static, "ZXY")[2]
    more = {"static": {"trunk": np.eye(3), "limb": static}, "axes": {"radioulnar": written * axis}}
    result = angles_of(R, [definition], **more)
    assert_allclose(result["radioulnar pronation"], zero + theta, atol=EXACT)
    assert np.degrees(zero) == pytest.approx(20.0)
    assert result.static[0] == pytest.approx(zero)
    assert not result.gimbal.any()
    counted = angles_of(R, [definition], options=AngleOptions(subtract_static=True), **more)
    assert_allclose(counted["radioulnar pronation"], theta, atol=EXACT)
    by_sequence = angles_of(R, [define("radioulnar", "ZXY", ("pronation/supination", 2, s))], **more)
    # the reason for hinges: a sequence sees an oblique axis as less than it is
    assert np.degrees(np.abs(by_sequence.values[:, 0] - zero - theta).max()) > 0.3


def test_hinges_of_a_whole_body_return_the_angles_that_moved_them():
    tree, system = human_tree(), human_system()
    moved = human_motion(tree, 12, np.random.default_rng(60), amplitude=0.8)
    attitudes = segment_motion(system, tree.coordinates(system, moved)).attitudes
    static = {body.name: body.attitude_matrix for body in system.bodies}
    definitions, axes, sense = [], {}, {}
    for side in "RL":
        for name, parent, child, index, sign in (
            ("elbow", "humerus", "ulna", 0, 1.0),
            ("ulnar", "ulna", "radius", 2, -1.0),  # its axis is written from the elbow down to the wrist
            ("knee", "thigh", "shank", 0, 1.0),
        ):
            joint, proximal, distal = f"{name}_{side}", f"{parent}_{side}", f"{child}_{side}"
            definitions.append(define(joint, "hinge", ("turn/back", index, 1.0), proximal=proximal, distal=distal))
            axes[joint] = system.layout.body(proximal).vectors[f"{joint}_axis0"]
            sense[joint] = sign
    result = joint_angles(attitudes, definitions, static=static, axes=axes, options=AngleOptions(subtract_static=True))
    assert len(result.names) == 6
    for joint, sign in sense.items():
        assert_allclose(result[f"{joint} turn"], sign * moved[joint][:, 0], atol=EXACT)


def test_a_hinge_without_axis_or_static_pose_falls_back_and_says_so():
    static, axis, _ = oblique_forearm(Side.RIGHT)
    definition = define("right radioulnar", "hinge", ("pronation/supination", 2, 1.0))
    for more, why in (
        ({}, "its axis is not known"),
        ({"axes": {"right radioulnar": axis}, "static": {}}, "the static pose lacks its segments"),
    ):
        result = angles_of(static, [definition], **more)
        assert result.values[0, 0] == pytest.approx(cardan(static, "ZXY")[2])
        (notice,) = result.notices
        assert notice.code == "hinge-by-sequence"
        assert why in notice.sentence


def test_an_axis_that_cannot_be_right_is_told():
    definition = define("elbow", "hinge", ("flexion/extension", 0, 1.0))
    result = angles_of(np.eye(3), [definition], axes={"elbow": UP})
    assert [notice.severity for notice in result.notices] == [Severity.PROBLEM]
    with pytest.raises(BiomecError, match="axis of the elbow needs three numbers"):
        angles_of(np.eye(3), [definition], axes={"elbow": np.zeros(3)})
    with pytest.raises(BiomecError, match="a hinge has one angle, not 2"):
        angles_of(np.eye(3), [define("elbow", "hinge", ("a/b", 0, 1.0), ("c/d", 1, 1.0))])


# ------------------------------------------------------------------------------------------- gimbal, gaps, unwrapping


def test_gimbal_lock_is_flagged_where_two_axes_nearly_coincide():
    definition = table(Side.RIGHT)["shoulder"]
    abduction = np.radians(np.arange(0.0, 100.0, 2.0) + 0.5)
    R = rotation(np.stack([0.2 + 0 * abduction, -abduction, 0.3 + 0 * abduction], -1), "ZXY")
    result = angles_of(R, [definition], first_frame=101, options=AngleOptions(unwrap=False))
    e1, _, e3 = joint_coordinate_system(np.broadcast_to(np.eye(3), R.shape), R, "ZXY")
    between = np.degrees(np.arccos(np.abs(np.sum(e1 * e3, -1))))  # axes 1 and 3: 0° at the lock
    for name in ("shoulder flexion", "shoulder internal rotation"):
        assert_allclose(result.gimbal[:, result.names.index(name)], between < 10.0)
    assert not result.gimbal[:, 1].any()  # abduction itself is well defined
    (notice,) = result.notices
    at = np.flatnonzero(between < 10.0)
    assert notice.frames == (at[0], at[-1]) == (40, 49)  # in the arrays; the sentence has the numbers of the file
    assert "The shoulder is within 10° of gimbal lock in 10 frames (from 141 to 150)" in notice.sentence
    (short,) = angles_of(R[:41], [definition]).notices
    assert "gimbal lock in frame 41: " in short.sentence
    assert "do not read flexion and internal rotation" in notice.sentence
    none = angles_of(R, [definition], options=AngleOptions(gimbal_limit_deg=0.0))
    assert not none.gimbal.any()
    assert none.notices == ()


def test_an_arm_raised_beyond_the_horizontal_keeps_rising():
    abduction = np.radians(np.concatenate([np.arange(1.0, 170.0, 2.0), np.arange(169.0, 0.0, -2.0)]))
    R = rotation(np.stack([0 * abduction, abduction, 0 * abduction], -1), "ZXY")  # of the left arm
    definition = table(Side.LEFT)["shoulder"]
    assert_allclose(angles_of(R, [definition])["shoulder abduction"], abduction, atol=1e-11)
    folded = angles_of(R, [definition], options=AngleOptions(unwrap=False))["shoulder abduction"]
    assert np.degrees(folded.max()) < 90.0


def both_shoulders(abduction):
    """Arms (T,) that are raised to the sides, with both conventions of angles."""
    definitions = []
    for side in Side:
        for one in (table(side)["shoulder"], ISB[side]):
            definitions.append(replace(one, joint=f"{side} shoulder", distal=f"{side} limb"))
    attitudes = {"trunk": np.broadcast_to(np.eye(3), (len(abduction), 3, 3))}
    for side, s in ((Side.RIGHT, 1.0), (Side.LEFT, -1.0)):
        attitudes[f"{side} limb"] = rotation(np.stack([0 * abduction, -s * abduction, 0 * abduction], -1), "ZXY")
    return attitudes, definitions


def test_one_notice_proposes_the_isb_convention_for_raised_arms():
    abduction = np.radians([10.0, 40.0, 69.0, 71.0, 110.0, 71.0, 30.0])
    attitudes, definitions = both_shoulders(abduction)
    (notice,) = joint_angles(attitudes, definitions, static={}, first_frame=11).notices
    assert notice.code == "raised-arm"
    assert notice.about == ("right shoulder", "left shoulder")
    assert notice.frames == (3, 5)
    assert "right shoulder and left shoulder pass 70° of abduction (frames 14 to 16)" in notice.sentence
    assert "convention isb" in notice.sentence
    assert not joint_angles(attitudes, definitions, static={}, options=AngleOptions("isb")).notices
    low = {name: R[:3] for name, R in attitudes.items()}
    assert not joint_angles(low, definitions, static={}).notices
    without_isb = [one for one in definitions if one.convention == "standard"]
    assert not joint_angles(attitudes, without_isb, static={}).notices


def test_a_static_pose_with_raised_arms_counts_from_where_the_arms_are():
    attitudes, definitions = both_shoulders(np.radians([130.0, 120.0, 110.0]))
    static = {name: R[1] for name, R in attitudes.items()}
    result = joint_angles(attitudes, definitions, static=static, options=AngleOptions(subtract_static=True))
    assert_allclose(np.degrees(result.values), np.tile([[0, 10, 0], [0, 0, 0], [0, -10, 0]], 2), atol=1e-10)


def test_curves_pass_180_degrees_and_lie_mostly_in_the_first_turn():
    flexion = np.radians(np.linspace(200.0, 20.0, 91))  # begins beyond 180°, where the first sample alone says −160°
    R = rotation(np.stack([flexion, 0 * flexion, 0 * flexion], -1), "ZXY")
    result = angles_of(R, [table(Side.RIGHT)["shoulder"]])
    assert_allclose(result["shoulder flexion"], flexion, atol=1e-11)


def test_frames_that_are_not_valid_are_missing_and_do_not_break_the_curve():
    flexion = np.radians(np.linspace(0.0, 240.0, 61))
    R = rotation(np.stack([flexion, 0 * flexion, 0 * flexion], -1), "ZXY")
    valid = np.ones(61, dtype=bool)
    valid[20:35] = False
    R[50] = np.nan
    result = angles_of(R, [table(Side.RIGHT)["elbow"]], valid=valid)["elbow flexion"]
    there = valid.copy()
    there[50] = False
    assert_allclose(result[there], flexion[there], atol=1e-11)
    assert np.isnan(result[~there]).all()


# ------------------------------------------------------------------------------------------------- options and input


def test_angles_can_count_from_the_static_pose():
    static = {"trunk": np.eye(3), "limb": rotation([0.1, 0.0, 0.0], "ZXY")}
    R = rotation(np.array([[0.5, 0.0, 0.0], [0.6, 0.0, 0.0]]), "ZXY")
    definition = table(Side.RIGHT)["knee"]
    plain = angles_of(R, [definition], static=static)
    counted = angles_of(R, [definition], static=static, options=AngleOptions(subtract_static=True))
    assert_allclose(plain["knee flexion"], [-0.5, -0.6], atol=EXACT)
    assert_allclose(counted["knee flexion"], [-0.4, -0.5], atol=EXACT)
    assert_allclose(counted.static, [-0.1], atol=EXACT)
    unknown = angles_of(R, [definition], static={}, options=AngleOptions(subtract_static=True))
    assert np.isnan(unknown.values).all()
    assert "The static pose does not give knee flexion" in unknown.notices[0].sentence


def test_a_convention_replaces_the_standard_angles_of_its_joints_only():
    definitions = [table(Side.RIGHT)["shoulder"], ISB[Side.RIGHT], table(Side.RIGHT)["elbow"]]
    R = turn(-UP, RIGHT, 0.5)
    standard = angles_of(R, definitions)
    assert standard.names == ("shoulder flexion", "shoulder abduction", "shoulder internal rotation", "elbow flexion")
    isb = angles_of(R, definitions, options=AngleOptions("isb"))
    assert isb.names[1:] == ("shoulder elevation", "shoulder internal rotation", "elbow flexion")
    with pytest.raises(BiomecError, match="by the convention cgm; the conventions are standard, isb"):
        angles_of(R, definitions, options=AngleOptions("cgm"))


def test_joints_of_absent_segments_are_left_out():
    missing = define("hip", "ZXY", ("flexion/extension", 0, 1.0), distal="thigh")
    result = angles_of(np.eye(3), [missing, table(Side.RIGHT)["elbow"]])
    assert result.names == ("elbow flexion",)
    assert angles_of(np.eye(3), [missing]).values.shape == (1, 0)


def test_results_are_read_only_found_by_name_and_stored():
    result = angles_of(np.eye(3), [table(Side.LEFT)["ankle"]])
    assert not result.values.flags.writeable
    assert "ankle inversion" in result
    with pytest.raises(BiomecError, match="no angle ankle eversion; there are ankle dorsiflexion, ankle inversion"):
        result["ankle eversion"]
    stored = result.to_result()
    assert list(stored.metadata["names"]) == ["ankle dorsiflexion", "ankle inversion"]
    assert list(stored.metadata["negative"]) == ["plantarflexion", "eversion"]
    assert list(stored.metadata["sides"]) == ["left", "left"]
    assert stored.metadata["options"]["unwrap"] is True
    assert stored["values"].shape == (1, 2)


def test_wrong_input_is_a_sentence():
    definition = table(Side.RIGHT)["elbow"]
    two, three = np.broadcast_to(np.eye(3), (2, 3, 3)), np.broadcast_to(np.eye(3), (3, 3, 3))
    with pytest.raises(BiomecError, match="same number of frames of every segment; there are: trunk 2, limb 3"):
        joint_angles({"trunk": two, "limb": three}, [definition], static={})
    with pytest.raises(BiomecError, match="the list of valid frames 1"):
        joint_angles({"trunk": two, "limb": two}, [definition], static={}, valid=np.ones(1, dtype=bool))
    with pytest.raises(BiomecError, match=r"attitudes of limb need the shape \(2, 3, 3\), not \(2, 3\)"):
        joint_angles({"trunk": two, "limb": np.zeros((2, 3))}, [definition], static={})
    with pytest.raises(BiomecError, match="elbow flexion is defined more than once"):
        joint_angles({"trunk": two, "limb": two}, [definition, definition], static={})
    with pytest.raises(BiomecError, match="limit of the gimbal flag is 90"):
        AngleOptions(gimbal_limit_deg=90.0)
