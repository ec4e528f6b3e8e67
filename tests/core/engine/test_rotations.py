from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.base.errors import BiomecError
from biomec.engine.rotations import (
    SEQUENCES,
    angular_velocity,
    cardan,
    gimbal,
    is_symmetric,
    joint_coordinate_system,
    nearest_rotation,
    other_solution,
    rotation,
    rotation_about_axis,
    unwrapped,
    wrapped,
)

EXACT = 1e-13  # a few products and arctangents of numbers of order one in double precision


@pytest.fixture
def rng():
    return np.random.default_rng(83)


def random_rotations(rng, count):
    return Rotation.random(count, rng=rng).as_matrix()


def floating_axis_angles(R, sequence):
    """Angles by the construction of Grood and Suntay: between axes and the floating axis, seen along e1, e2 and e3."""
    j, k = ("XYZ".index(letter) for letter in sequence[1:])
    e1, e2, e3 = joint_coordinate_system(np.broadcast_to(np.eye(3), R.shape), R, sequence)

    def seen_along(axis, start, end):
        return np.arctan2(np.sum(axis * np.cross(start, end), -1), np.sum(start * end, -1))

    a = seen_along(e1, np.broadcast_to(np.eye(3)[j], e1.shape), e2)
    c = seen_along(e3, e2, R[:, :, j])
    # b turns e1 and the third axis about e2; without b the third axis would stand where R_i(a) e_k is
    unturned = np.einsum("tij,j->ti", rotation(np.stack([a, 0 * a, 0 * a], -1), sequence), np.eye(3)[k])
    return np.stack([a, seen_along(e2, unturned, e3), c], -1)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_all_twelve_sequences_agree_with_scipy_and_return(sequence, rng):
    R = random_rotations(rng, 500)
    angles = cardan(R, sequence)
    assert_allclose(angles, Rotation.from_matrix(R).as_euler(sequence), atol=1e-11)  # worst case near the singularity
    assert_allclose(rotation(angles, sequence), R, atol=EXACT)
    assert_allclose(rotation(other_solution(angles, sequence), sequence), R, atol=EXACT)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_are_those_of_the_floating_axis(sequence, rng):
    R = random_rotations(rng, 500)
    R = R[gimbal(R, sequence) > 0.01]
    assert_allclose(floating_axis_angles(R, sequence), cardan(R, sequence), atol=EXACT / 0.01)


def test_printed_formulas_of_the_two_usual_sequences(rng):
    R = random_rotations(rng, 100)
    zxy = [np.arctan2(-R[:, 0, 1], R[:, 1, 1]), np.arcsin(R[:, 2, 1]), np.arctan2(-R[:, 2, 0], R[:, 2, 2])]
    yxz = [np.arctan2(R[:, 0, 2], R[:, 2, 2]), -np.arcsin(R[:, 1, 2]), np.arctan2(R[:, 1, 0], R[:, 1, 1])]
    yxy = [np.arctan2(R[:, 0, 1], R[:, 2, 1]), np.arccos(R[:, 1, 1]), np.arctan2(R[:, 1, 0], -R[:, 1, 2])]
    for sequence, printed in {"ZXY": zxy, "YXZ": yxz, "YXY": yxy}.items():
        # arcsine and arccosine lose half the digits near their ends; none of the 100 is that near
        assert_allclose(cardan(R, sequence), np.stack(printed, -1), atol=1e-11)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_the_rotation_survives_the_singularity(sequence):
    singular = [0.0, np.pi] if is_symmetric(sequence) else [-np.pi / 2, np.pi / 2]
    for b in singular:
        R = rotation([0.7, b, 0.4], sequence)
        assert gimbal(R, sequence) == pytest.approx(0.0, abs=1e-15)
        angles = cardan(R, sequence)
        assert angles[0] == 0.0
        assert_allclose(rotation(angles, sequence), R, atol=1e-15)


def test_distance_from_the_singularity():
    assert gimbal(rotation([0.3, np.radians(82), 1.0], "ZXY"), "ZXY") == pytest.approx(np.radians(8))
    assert gimbal(rotation([0.3, np.radians(-100), 1.0], "ZXY"), "ZXY") == pytest.approx(np.radians(10))
    assert gimbal(rotation([0.3, np.radians(6), 1.0], "YXY"), "YXY") == pytest.approx(np.radians(6))
    assert gimbal(rotation([0.3, np.radians(171), 1.0], "YXY"), "YXY") == pytest.approx(np.radians(9))


def test_a_missing_frame_touches_no_other(rng):
    R = random_rotations(rng, 5)
    angles = cardan(R, "ZXY")
    R[2] = np.nan
    assert np.isnan(cardan(R, "ZXY")[2]).all()
    assert_allclose(np.delete(cardan(R, "ZXY"), 2, 0), np.delete(angles, 2, 0), atol=0)
    assert np.isnan(rotation(cardan(R, "ZXY"), "ZXY")[2]).all()
    assert np.isnan(nearest_rotation(R)[2]).all()


def test_a_sequence_that_does_not_exist_is_refused():
    with pytest.raises(BiomecError, match="XXY is not a sequence of rotations; use one of XYX"):
        cardan(np.eye(3), "XXY")


# -------------------------------------------------------------------------------------------------------- unwrapping


def test_curves_pass_half_a_turn():
    truth = np.radians(
        np.column_stack([np.linspace(150, 560, 200), np.linspace(-10, 10, 200), np.linspace(0, -300, 200)])
    )
    assert_allclose(unwrapped(wrapped(truth)), truth, atol=EXACT)
    assert_allclose(unwrapped(cardan(rotation(truth, "ZXY"), "ZXY"), "ZXY"), truth, atol=1e-12)


def test_a_gap_is_neither_filled_nor_a_new_start():
    truth = np.radians(np.linspace(170, 260, 91))[:, None]
    seen = wrapped(truth)
    seen[5:30] = np.nan  # 180° is passed in the gap
    seen[:2] = np.nan
    result = unwrapped(seen)
    assert_allclose(result[30:], truth[30:], atol=EXACT)
    assert np.isnan(result[5:30]).all()
    assert np.isnan(result[:2]).all()
    assert np.isnan(unwrapped(np.full((4, 3), np.nan), "YXY")).all()


def test_an_abduction_beyond_a_right_angle_does_not_fold_back():
    b = np.radians(np.concatenate([np.linspace(1, 131, 66), np.linspace(131, 1, 66)]))
    truth = np.column_stack([np.full_like(b, 0.2), b, np.full_like(b, -0.1)])
    folded = cardan(rotation(truth, "ZXY"), "ZXY")
    assert np.degrees(np.nanmax(folded[:, 1])) < 90.5
    assert_allclose(unwrapped(folded, "ZXY"), truth, atol=1e-12)  # no frame lies nearer than 1° to 90°


def abducted(bulge_deg, noise_deg, rng, side=1.0, turns=1, a=4.0, c=-8.0):
    """An arm that rests, is raised sideways to 150° and lowered, ``turns`` times: true angles by ZXY, noisy attitudes.

    The descent bulges forward, so that it passes the singularity at about that distance in front.
    """
    up = 75.0 * (1.0 - np.cos(np.linspace(0.0, np.pi, 120)))
    rest = np.zeros(100)
    lift = np.tile(np.concatenate([rest, up, np.full(30, 150.0), up[::-1], rest]), turns)
    falls = np.tile(np.concatenate([rest, 0 * up, np.zeros(30), np.sin(np.pi * up[::-1] / 150.0) ** 2, rest]), turns)
    truth = np.radians(np.stack([np.full_like(lift, a), -side * lift, np.full_like(lift, side * c)], axis=-1))
    forward = Rotation.from_rotvec(np.radians(bulge_deg) * falls[:, None] * np.array([0.0, side, 0.0])).as_matrix()
    noise = Rotation.from_rotvec(np.radians(noise_deg) * rng.normal(size=(len(lift), 3))).as_matrix()
    return truth, forward @ rotation(truth, "ZXY") @ noise


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("bulge", [-17.0, -12.0, -4.0, 0.0, 4.0, 12.0, 17.0])
@pytest.mark.parametrize("noise", [0.0, 0.7])
def test_a_hanging_arm_is_not_shown_as_171_degrees_of_abduction(side, backwards, bulge, noise, rng):
    truth, R = abducted(bulge, noise, rng, side, turns=2)
    if backwards:
        truth, R = truth[::-1], R[::-1]
    angles = np.degrees(unwrapped(cardan(R, "ZXY"), "ZXY"))
    assert_allclose(rotation(np.radians(angles), "ZXY"), R, atol=EXACT)
    lift = np.abs(np.degrees(truth[:, 1]))
    for resting in (
        lift < 1e-9,
        lift > 150.0 - 1e-9,
    ):  # hanging, raised; noise of 0.7° is at most 4 standard deviations off
        assert_allclose(angles[resting], np.degrees(truth[resting]), atol=1e-9 if noise == 0.0 else 4.0)
    clear = np.degrees(gimbal(R, "ZXY")) > 20.0
    steps = np.abs(np.diff(angles, axis=0))[clear[1:] & clear[:-1]]
    assert steps.max() < 30.0  # 2° of movement and 5 x 0.7° of noise, three times as much 20° from the singularity


@pytest.mark.parametrize("bulge", [30.0, 40.0])
def test_an_arm_lowered_well_in_front_of_the_singularity_hangs_and_has_no_jump(bulge, rng):
    """One of the two ends of the way down must then be described by large turns; it is not the hanging arm."""
    truth, R = abducted(bulge, 0.7, rng)
    R = np.concatenate([R[:-100], R[-20:]])  # the arm is raised far longer than it hangs afterwards
    angles = np.degrees(unwrapped(cardan(R, "ZXY"), "ZXY"))
    assert_allclose(angles[:100], np.degrees(truth[:100]), atol=4.0)
    assert_allclose(angles[-20:], np.degrees(truth[-20:]), atol=4.0)
    assert np.abs(np.diff(angles[250:], axis=0)).max() < 20.0


def test_a_curve_that_stays_on_one_side_of_the_singularity_has_no_jump(rng):
    """Turned around at 75°: the first angle swings by 90° in front of the singularity and comes back."""
    swing = np.concatenate([np.zeros(40), np.linspace(0, 75, 80), np.full(60, 75), np.linspace(75, 0, 80)])
    around = np.concatenate([np.zeros(120), 90.0 * np.sin(np.linspace(0, np.pi, 60)), np.zeros(80)])
    truth = np.radians(np.stack([around, -swing, 0.6 * around], axis=-1))
    assert_allclose(unwrapped(cardan(rotation(truth, "ZXY"), "ZXY"), "ZXY"), truth, atol=1e-11)


def test_after_missing_frames_the_angles_are_again_the_small_ones():
    """The arm is seen raised, then hanging, but not while it passes 40° in front of the singularity."""
    truth, R = abducted(40.0, 0.0, np.random.default_rng(1))
    R[260:330] = np.nan
    angles = unwrapped(cardan(R, "ZXY"), "ZXY")
    assert np.isnan(angles[260:330]).all()
    assert_allclose(angles[-100:], truth[-100:], atol=1e-9)
    assert_allclose(angles[220:250], truth[220:250], atol=1e-9)


def test_raised_arms_begin_beyond_a_right_angle():
    raised = np.radians(np.tile([0.0, 120.0, 0.0], (5, 1)))
    assert_allclose(unwrapped(cardan(rotation(raised, "ZXY"), "ZXY"), "ZXY"), raised, atol=1e-12)


def test_an_arm_raised_obliquely_overhead_is_one_curve_also_with_gaps():
    """At 45° between coronal and sagittal plane both descriptions of the raised arm are equally large."""
    lift = np.radians(np.linspace(0.0, 178.0, 179))
    axis = np.array([np.sin(np.pi / 4), 0.0, np.cos(np.pi / 4)])
    R = Rotation.from_rotvec(lift[:, None] * axis).as_matrix()
    whole = unwrapped(cardan(R, "ZXY"), "ZXY")
    assert np.degrees(np.abs(np.diff(whole, axis=0)).max()) < 5.0
    seen = R.copy()
    gaps = np.isin(np.arange(179), [60, 100, 120, 140, 150, 160, 165, 170, 175])
    seen[gaps] = np.nan
    assert_allclose(unwrapped(cardan(seen, "ZXY"), "ZXY")[~gaps], whole[~gaps], atol=1e-12)


def test_an_elevation_may_pass_through_zero():
    swing = np.radians(np.linspace(60, -25, 86) - 0.5)
    truth = np.column_stack([np.full_like(swing, 1.2), swing, np.full_like(swing, -0.5)])
    assert_allclose(unwrapped(cardan(rotation(truth, "YXY"), "YXY"), "YXY"), truth, atol=1e-12)


def test_most_frames_keep_the_branch_that_was_given():
    swing = np.radians(np.linspace(-25, 60, 86) - 0.5)  # begins on the wrong side of zero
    truth = np.column_stack([np.full_like(swing, 1.2), swing, np.full_like(swing, -0.5)])
    result = unwrapped(cardan(rotation(truth, "YXY"), "YXY"), "YXY")
    assert_allclose(result, truth, atol=1e-12)


def test_an_arm_that_comes_to_rest_between_elevations_rises_the_same_way_again():
    """Between five elevations the hanging arm wanders once around the vertical."""
    rise = np.radians(60.0) * (1.0 - np.cos(np.linspace(0.0, 2.0 * np.pi, 40))) + np.radians(2.0)
    around = np.linspace(0.0, 2.0 * np.pi, 25)
    plane = np.concatenate(
        [np.concatenate([np.full(40, 0.6), 0.6 + around * turns]) for turns in (1.0, 0.5, -1.5, 0.5, 1)]
    )
    elevation = np.tile(np.concatenate([rise, np.full(25, np.radians(2.0))]), 5)
    truth = np.stack([plane, elevation, -0.4 - plane], axis=-1)
    result = unwrapped(cardan(rotation(truth, "YXY"), "YXY"), "YXY")
    up = elevation > np.radians(15)
    assert_allclose(result[up, 0], 0.6, atol=1e-12)
    assert_allclose(result[up, 1], elevation[up], atol=1e-12)
    assert_allclose(rotation(result, "YXY"), rotation(truth, "YXY"), atol=EXACT)


@settings(deadline=None, max_examples=50)
@given(st.sampled_from(SEQUENCES), st.integers(0, 2**32 - 1))
def test_unwrapped_angles_are_of_the_same_rotations(sequence, seed):
    rng = np.random.default_rng(seed)
    steps = Rotation.from_rotvec(0.2 * rng.normal(size=(60, 3)))
    R = np.empty((60, 3, 3))
    R[0] = np.eye(3)
    for t in range(1, 60):
        R[t] = R[t - 1] @ steps[t].as_matrix()
    angles = unwrapped(cardan(R, sequence), sequence)
    assert_allclose(rotation(angles, sequence), R, atol=EXACT)
    distance = np.degrees(gimbal(R, sequence))
    if is_symmetric(sequence):
        steps = np.diff(angles[distance >= 10], axis=0)
    else:
        steps = np.diff(angles, axis=0)[(distance[1:] >= 20) & (distance[:-1] >= 20)]
    assert np.abs(steps).max(initial=0.0) <= np.pi + 1e-12


# ------------------------------------------------------------------------------------------------------------ others


def test_the_angle_about_an_axis_is_the_twist_of_the_quaternion(rng):
    turns = Rotation.random(300, rng=rng)
    axis = rng.normal(size=(300, 3))
    n = axis / np.linalg.norm(axis, axis=1, keepdims=True)
    quaternion = turns.as_quat(canonical=True)
    twist = 2.0 * np.arctan2(np.sum(n * quaternion[:, :3], 1), quaternion[:, 3])
    assert_allclose(rotation_about_axis(turns.as_matrix(), axis), wrapped(twist), atol=1e-11)


def test_a_pure_rotation_about_the_axis_is_found_whole(rng):
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    for angle in np.radians([-179.0, -60.0, 0.0, 60.0, 179.0]):
        assert rotation_about_axis(Rotation.from_rotvec(angle * n).as_matrix(), 3.0 * n) == pytest.approx(angle)


def test_angular_velocity_and_acceleration_of_a_spinning_top():
    """Steady precession Ω about Y and spin σ about the top's own axis, tilted by θ: ω = Ω Y + σ k, α = Ω Y × σ k."""
    precession, spin, tilt = 2.0, 30.0, 0.4
    t = np.linspace(0.0, 1.0, 20)

    def attitude(t):
        return rotation(np.stack([precession * t, np.full_like(t, tilt), spin * t], -1), "YXY")

    up = np.array([0.0, 1.0, 0.0])
    own = attitude(t)[:, :, 1]
    h = 1e-4
    R, Rp, Rm = attitude(t), attitude(t + h), attitude(t - h)
    omega = precession * up + spin * own
    alpha = np.cross(precession * up, spin * own)
    # central differences: truncation h² spin³/6 = 5e-5 for ω, and h² spin⁴/12 = 7e-4 for α
    assert_allclose(angular_velocity(R, (Rp - Rm) / (2 * h)), omega, atol=1e-4)
    assert_allclose(angular_velocity(R, (Rp - 2 * R + Rm) / h**2), alpha, atol=2e-3)


def test_the_nearest_rotation_is_that_of_the_singular_value_decomposition(rng):
    A = random_rotations(rng, 200) + 0.2 * rng.normal(size=(200, 3, 3))
    U, _, Vt = np.linalg.svd(A)
    assert (np.linalg.det(A) > 0.05).all()  # neither flat nor mirrored
    assert_allclose(nearest_rotation(A), U @ Vt, atol=1e-12)
    R = random_rotations(rng, 50)
    assert_allclose(nearest_rotation(R), R, atol=EXACT)


def test_flat_and_mirrored_axes_have_no_nearest_rotation():
    flat, mirrored = np.diag([1.0, 1.0, 0.0]), np.diag([1.0, 1.0, -1.0])
    assert np.isnan(nearest_rotation(np.stack([flat, mirrored]))).all()
