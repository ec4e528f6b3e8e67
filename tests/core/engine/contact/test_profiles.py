"""Closest points of convex outlines against closed forms; the right of two roots; the knee's stop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomec.base.arrays import planar_rotation
from biomec.base.errors import BiomecError
from biomec.engine.contact.profiles import (
    Circle,
    CircleFace,
    Cubic,
    ProfileLine,
    ProfileOutline,
    closest_points,
    turned,
)

ANGLES = st.floats(-3.0, 3.0)
# The stop of the knee prosthesis [m]: a circle on the lower link, a line on the anterior link.
CENTRE, RADIUS = np.array([-6.631e-3, 252.058e-3]), 3.225e-3
KNEE_START = (  # assembled poses x, y [m], angle [rad] of lower link and anterior link
    np.array([-0.158325638615, -0.830496182626, -0.411474974664]),
    np.array([-0.039672373472, -0.558958311394, -0.615019121818]),
)
PIN, FACE = np.array([19.118e-3, -49.733e-3]), ProfileLine(-41.905e-3, -3.9743)


def face_of(line, origin):
    """The same contact in closed form."""
    normal = np.array([-line.slope, 1.0]) * np.sign(line.intercept)
    return CircleFace(CENTRE, RADIUS, origin + np.array([0.0, line.intercept]), normal / np.linalg.norm(normal))


@pytest.mark.parametrize("profile", [Circle(0.3), ProfileLine(-0.04, -3.9), Cubic(0.3, 0.01, -0.02, 0.004)])
def test_derivatives_of_outlines_by_finite_differences(profile):
    h, phi = 1e-6, 2.4
    below, at, above = (np.array(profile.polar(phi + d)) for d in (-h, 0.0, h))
    np.testing.assert_allclose(at[1:], (above - below)[:2] / (2.0 * h), rtol=1e-7, atol=1e-9)


def test_a_line_in_polar_form_lies_on_the_line():
    line = ProfileLine(-0.04, -3.9)
    for phi in (2.2, 2.7, 3.3):
        s = line.polar(phi)[0]
        assert s * np.sin(phi) == pytest.approx(-3.9 * s * np.cos(phi) - 0.04)


@settings(deadline=None, max_examples=40)
@given(ANGLES, ANGLES, ANGLES, st.floats(0.35, 2.0))
def test_two_circles_are_closest_on_the_line_of_centres(direction, turn_i, turn_j, distance):
    """Apart (distance above 0.5) and overlapping, as closed form has it; bodies turned anyhow."""
    way = np.array([np.cos(direction), np.sin(direction)])
    i = ProfileOutline(Circle(0.2), np.zeros(2), np.array([*(distance * way), turn_i]))
    j = ProfileOutline(Circle(0.3), np.zeros(2), np.array([0.0, 0.0, turn_j]))
    found = closest_points(i, j)
    assert found.gap == pytest.approx(distance - 0.5, abs=1e-12)
    np.testing.assert_allclose(found.normal_j, way, atol=1e-12)
    np.testing.assert_allclose(found.normal_i, -way, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(ANGLES, st.floats(-0.4, 0.4), st.floats(-0.2, 0.2), st.floats(-0.01, 0.02), ANGLES)
def test_a_circle_and_a_line_as_closed_form(turn, slope, along, gap, turn_i):
    """A circle over the line η = slope ξ + 0.05 of a body turned anyhow, at a known gap."""
    normal = np.array([-slope, 1.0]) / np.hypot(slope, 1.0)
    centre = np.array([along, slope * along + 0.05]) + (0.03 + gap) * normal
    pose_j = np.array([0.1, -0.2, turn])
    where = pose_j[:2] + turned(centre, turn)
    i = ProfileOutline(Circle(0.03), np.zeros(2), np.array([*where, turn_i]))
    found = closest_points(i, ProfileOutline(ProfileLine(0.05, slope), np.zeros(2), pose_j), (0.0, 1.5))
    assert found.gap == pytest.approx(gap, abs=1e-12)
    np.testing.assert_allclose(found.normal_j, turned(normal, turn), atol=1e-11)


def test_a_cubic_that_is_a_circle_gives_what_the_circle_gives():
    pose_i, pose_j = np.array([0.5, 0.1, 0.3]), np.array([0.0, 0.0, -0.4])
    circle = closest_points(
        ProfileOutline(Circle(0.2), np.zeros(2), pose_i), ProfileOutline(Circle(0.1), np.zeros(2), pose_j)
    )
    cubic = closest_points(
        ProfileOutline(Cubic(0.2), np.zeros(2), pose_i), ProfileOutline(Cubic(0.1), np.zeros(2), pose_j)
    )
    assert cubic.gap == pytest.approx(circle.gap, abs=1e-14)


def test_a_cubic_outline_against_a_brute_search():
    i = ProfileOutline(Cubic(0.05, 0.003, -0.002, 0.0005), np.array([0.01, 0.0]), np.array([0.0, 0.085, 0.2]))
    j = ProfileOutline(Circle(0.03), np.zeros(2), np.array([0.0, 0.0, 0.0]))
    found = closest_points(i, j, (-1.7, 1.5))
    a, b = np.linspace(-2.3, -1.3, 2001), np.linspace(1.0, 2.2, 2001)
    points_i = np.array([i.at(one)[0] for one in a])
    points_j = np.array([j.at(one)[0] for one in b])
    distance = np.linalg.norm(points_i[:, None] - points_j[None], axis=-1).min()
    assert found.gap == pytest.approx(
        distance, abs=1e-7
    )  # the grid's distance is at most (1e-3 · 0.05)²/(2 · 0.03) more


def test_the_knee_stop_at_the_start_of_swing():
    """Poses of links 1 and 4 of the assembled knee; angles and gap of an independent program."""
    pose_1, pose_4 = KNEE_START
    found = closest_points(
        ProfileOutline(Circle(RADIUS), CENTRE, pose_1), ProfileOutline(FACE, PIN, pose_4), (0.043, 2.356)
    )
    assert found.phi_i == pytest.approx(0.042956, abs=2e-6)
    assert found.phi_j == pytest.approx(2.668875, abs=5e-5)  # the program ended its search at a step of 1e-4 rad
    foot = planar_rotation(pose_4[2]).T @ (found.point_j - pose_4[:2]) - PIN  # of the perpendicular, on body 4
    assert found.phi_j == pytest.approx(np.arctan2(foot[1], foot[0]), abs=1e-12)
    assert foot[1] == pytest.approx(FACE.slope * foot[0] + FACE.intercept, abs=1e-15)
    assert found.gap * 1e3 == pytest.approx(1.62510, abs=1e-5)
    assert found.normal_i @ found.normal_j == pytest.approx(-1.0)
    assert found.gap == pytest.approx(float(face_of(FACE, PIN).gap(pose_1, pose_4)), abs=1e-15)


def test_a_guess_on_the_far_side_still_finds_the_near_side():
    pose_1, pose_4 = KNEE_START
    far = closest_points(
        ProfileOutline(Circle(RADIUS), CENTRE, pose_1), ProfileOutline(FACE, PIN, pose_4), (0.043 + np.pi, 2.356)
    )
    assert far.phi_i == pytest.approx(0.042956, abs=2e-6)


def test_the_face_of_the_knee_stop_in_numbers():
    face = face_of(FACE, PIN)
    np.testing.assert_allclose(face.normal, [-0.969772, -0.244011], atol=1e-6)
    assert (face.point - PIN) @ face.normal * 1e3 == pytest.approx(10.22528, abs=1e-5)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(-1.0, 1.0), min_size=6, max_size=6))
def test_the_row_of_the_gap_is_its_derivative(poses):
    face = face_of(FACE, PIN)
    q = np.array(poses)
    row = np.concatenate(face.row(q[:3], q[3:]))
    h = 1e-6
    for k in range(6):
        d = h * np.eye(6)[k]
        up, down = face.gap((q + d)[:3], (q + d)[3:]), face.gap((q - d)[:3], (q - d)[3:])
        assert row[k] == pytest.approx(float(up - down) / (2.0 * h), abs=1e-8)


def test_the_quadratic_part_of_the_gap_is_its_second_difference_on_a_straight_path():
    face, rng, h = face_of(FACE, PIN), np.random.default_rng(5), 1e-4
    q, v = rng.normal(size=(2, 6))
    gaps = [float(face.gap((q + s * h * v)[:3], (q + s * h * v)[3:])) for s in (-1.0, 0.0, 1.0)]
    found = float(face.quadratic(q[:3], q[3:], v[:3], v[3:]))
    assert found == pytest.approx((gaps[0] - 2.0 * gaps[1] + gaps[2]) / h**2, rel=1e-6)


def test_many_poses_at_once_are_as_one_by_one():
    face, rng = face_of(FACE, PIN), np.random.default_rng(3)
    a, b = rng.normal(size=(2, 7, 3))
    rows = face.row(a, b)
    for k in range(7):
        assert face.gap(a, b)[k] == face.gap(a[k], b[k])
        np.testing.assert_array_equal(rows[1][k], face.row(a[k], b[k])[1])
        np.testing.assert_array_equal(face.contact_point(a, b)[k], face.contact_point(a[k], b[k]))


def test_outlines_without_facing_points_are_refused():
    line = ProfileOutline(ProfileLine(0.05, 0.0), np.zeros(2), np.zeros(3))
    with pytest.raises(BiomecError, match="curved one first"):
        closest_points(line, ProfileOutline(ProfileLine(0.07, 0.0), np.zeros(2), np.zeros(3)), (1.0, 1.0))
