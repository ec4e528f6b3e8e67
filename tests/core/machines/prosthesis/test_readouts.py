"""Read-outs of a leg: instant centre, stability, foot, geometry over flexion."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.machines.machine import load_machine
from biomec.machines.prosthesis.design_study import knee_geometry
from biomec.machines.prosthesis.readouts import crossing, readouts


def intersections(model, q):
    """Where the lines AD and BC meet, (T, 2)."""
    names = ("posterior link.A", "posterior link.D", "anterior link.B", "anterior link.C")
    A, D, B, C = (model.position(q, name) for name in names)
    matrix = np.stack([D - A, B - C], axis=-1)
    return A + np.linalg.solve(matrix, (B - A)[..., None])[:, 0] * (D - A)


@pytest.fixture(scope="module")
def bent():
    return knee_geometry(load_machine("knee-prosthesis"), np.deg2rad(-2.0), np.deg2rad(90.0), np.deg2rad(1.0))


def test_the_instant_centre_lies_where_the_links_meet(sim2, bent):
    found = readouts(sim2.moving, sim2.history)
    np.testing.assert_allclose(found.centre, intersections(sim2.moving.model, sim2.history.q), atol=1e-11)
    np.testing.assert_allclose(bent.leg.centre, intersections(bent.moving.model, bent.q), atol=1e-11)


def test_the_instant_centre_in_axes_of_the_thigh_depends_on_flexion_alone(sim2, bent):
    """From the swing, with a turning thigh, and from the geometry, with an upright one."""
    found = readouts(sim2.moving, sim2.history)
    inside = (found.flexion > bent.flexion[0]) & (found.flexion < bent.flexion[-1])
    for k in (0, 1):
        between = np.interp(found.flexion[inside], bent.flexion, bent.leg.centre_on_thigh[:, k])
        np.testing.assert_allclose(found.centre_on_thigh[inside, k], between, atol=5e-5)  # straight lines of 1 deg


def test_a_single_axis_knee_turns_about_its_axis():
    made = knee_geometry(load_machine("single-axis-knee"), -0.02, 1.0, 0.1)
    np.testing.assert_allclose(
        made.leg.centre_on_thigh, np.tile([0.018075, -0.261309], (len(made.flexion), 1)), atol=1e-12
    )


def test_stability_is_the_moment_of_a_load_along_the_line_from_hip_to_ankle(bent):
    """Virtual work: a force up along that line, at the ankle, bends the knee where the margin is negative."""
    model, h = bent.moving.model, 1e-6
    machine = load_machine("knee-prosthesis")
    for k in (0, 5, 10, 40, 80):
        more = knee_geometry(machine, bent.flexion[k] - h, bent.flexion[k] + 2e-6, h)
        up = model.position(bent.q[k], "thigh.O") - model.position(bent.q[k], "shank.ankle")
        up /= np.linalg.norm(up)
        moved = (more.leg.ankle[2] - more.leg.ankle[0]) / (2.0 * h)  # for each radian of flexion
        assert moved @ up == pytest.approx(-bent.leg.behind_load_line[k], abs=1e-6)


def test_flexion_is_what_was_asked_for_and_the_spring_has_its_lever(bent):
    model = bent.moving.model
    np.testing.assert_allclose(bent.q[:, 8] - bent.q[:, 2], bent.flexion, atol=1e-12)
    np.testing.assert_allclose(bent.q[:, 8], 0.0, atol=1e-12)
    assert bent.reached
    force = model.position(bent.q, "shank.F") - model.position(bent.q, "posterior link.E")
    np.testing.assert_allclose(bent.lengths["spring-damper"], np.linalg.norm(force, axis=1), atol=1e-12)
    rising = np.diff(bent.lengths["spring-damper"]) < 0.0  # the spring is shortened by flexion
    assert ((bent.levers["spring-damper"][1:] > 0.0) == rising).all()


def test_the_stop_is_met_at_the_published_angle_between_links(bent):
    """θ4 − θ1 = −2.4648 deg where the gap closes."""
    gap, between = bent.gap[:, 0], bent.q[:, 11] - bent.q[:, 2]
    k = int(np.flatnonzero((gap[:-1] <= 0.0) & (gap[1:] > 0.0))[0])
    share = gap[k] / (gap[k] - gap[k + 1])
    assert np.rad2deg(between[k] + share * (between[k + 1] - between[k])) == pytest.approx(-2.4648, abs=1e-3)


def test_clearance_is_measured_from_the_start(sim2):
    found = readouts(sim2.moving, sim2.history)
    lowest = np.minimum(found.ankle[:, 1], found.toe[:, 1])
    np.testing.assert_allclose(found.clearance, lowest - lowest[0], atol=1e-15)
    assert found.shank_turn[0] == 0.0


def test_a_range_that_the_links_do_not_allow_is_cut_and_told():
    """The knee as published could turn right round; with pins 62 mm apart on the thigh no link can (Grashof's rule)."""
    made = knee_geometry(load_machine("knee-prosthesis", {"xB": 51.26}), 0.0, np.deg2rad(300.0), np.deg2rad(5.0))
    assert not made.reached
    assert 2 <= len(made.flexion) < 61
    np.testing.assert_allclose(np.diff(made.flexion), np.deg2rad(5.0))
    with pytest.raises(BiomecError, match="must rise"):
        knee_geometry(load_machine("knee-prosthesis"), 1.0, 0.0, 0.1)


def test_crossings():
    assert crossing(np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.5, -0.5])) == pytest.approx(1.5)
    assert crossing(np.array([0.0, 1.0]), np.array([1.0, 0.5])) is None
