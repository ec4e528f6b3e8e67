"""Discs, ligaments, facet contacts, polylines and pulses: closed forms, potentials, differences, other engines."""

import numpy as np
import pytest
from scipy.integrate import quad

from biomec.base.errors import BiomecError
from biomec.engine.contact.force_laws import ContactLaw
from biomec.engine.forces.discs import BENDING, STEEPEST, Discs, disc_load
from biomec.engine.forces.hill_curves import THELEN, damped_velocity, force_velocity
from biomec.engine.forces.ligaments import Ligaments, ligament_pull, load_curve
from biomec.engine.forces.polylines import Polylines, line_points, pull_line, trace_lines
from biomec.engine.forces.pulses import Pulse, half_sine, triangle
from biomec.engine.forces.sphere_plane import SpherePlanes, contact_push, overlap
from biomec.engine.paths.cords import Cord, Cords, PathPoint

# ------------------------------------------------------------------------------------------------------------- discs


def _disc() -> Discs:
    """T1-C7 of the published table, in SI units."""
    stiffness = [[5e4, 7.3e4, 973600.0, 18.9, -0.1553, 24.1], [6.2e4, 7.3e4, 82200.0, 18.9, 0.3042, 24.1]]
    damping = [[1e3, 1e3, 1e3, 1.5, 1.5, 1.5]] * 2
    rest = [[0.001, 0.0, 0.018, 0.01, 0.363, 0.0]]
    return Discs(
        np.array([1]), np.array(rest), np.array([stiffness]), np.array([[-37.1791, 22.6261]]), np.array([damping])
    )


def _loads(z, zdot=np.zeros(6)):
    elastic, damping = np.empty(6), np.empty(6)
    energy = disc_load(_disc(), 0, z, zdot, elastic, damping)
    return elastic, damping, energy


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_disc_is_the_printed_law_with_the_opposite_sign(sign):
    z = _disc().rest[0] + sign * np.array([1e-3, 2e-3, 3e-4, 0.1, 0.1, -0.2])
    elastic, damping, _ = _loads(z, np.arange(1.0, 7.0))
    k, A, B = (5e4, -0.1553, -37.1791) if sign < 0 else (6.2e4, 0.3042, 22.6261)
    kz = 973600.0 if sign < 0 else 82200.0
    expected = [k * 1e-3 * sign, 7.3e4 * 2e-3 * sign, kz * 3e-4 * sign, 18.9 * 0.1 * sign,
                A * (np.exp(B * 0.1 * sign) - 1.0), -24.1 * 0.2 * sign]  # fmt: skip
    np.testing.assert_allclose(elastic, -np.array(expected), rtol=1e-12)
    np.testing.assert_allclose(damping, -np.array([1e3, 2e3, 3e3, 6.0, 7.5, 9.0]), rtol=1e-14)
    assert (np.sign(elastic) == -np.sign(z - _disc().rest[0])).all()  # it pulls back, bending too


def test_a_disc_has_a_potential_and_stays_finite(rng):
    h = 1e-7  # central differences of an energy of 1 J: rounding 1e-16/h
    for _ in range(20):
        z = _disc().rest[0] + rng.normal(size=6) * [1e-3, 1e-3, 1e-3, 0.2, 0.4, 0.2]
        elastic = _loads(z)[0]
        for j in range(6):
            step = h * np.eye(6)[j]
            slope = (_loads(z + step)[2] - _loads(z - step)[2]) / (2 * h)
            assert -slope == pytest.approx(elastic[j], rel=1e-5, abs=1e-5)
    far = _disc().rest[0].copy()
    far[BENDING] += 30.0
    assert np.isfinite(_loads(far)[0]).all()
    knee = STEEPEST / 22.6261  # value and slope go on where the straight line begins
    near = [_disc().rest[0] + np.eye(6)[BENDING] * (knee + d) for d in (-1e-9, 1e-9)]
    assert _loads(near[0])[0][BENDING] == pytest.approx(_loads(near[1])[0][BENDING], rel=1e-6)


# --------------------------------------------------------------------------------------------------------- ligaments


def test_the_load_curve_is_the_printed_one_and_its_area():
    knots = {0.05: 0.05 / 16, 0.1: 1 / 64, 0.2: 21 / 320, 0.3: 21 / 320 + 0.1}
    for strain, value in knots.items():
        assert load_curve(strain)[0] == pytest.approx(value, rel=1e-14)
        area, _ = quad(lambda e: load_curve(e)[0], 0.0, strain, points=[0.05, 0.1, 0.2])
        assert load_curve(strain)[1] == pytest.approx(area, rel=1e-10)
    assert load_curve(-0.1) == (0.0, 0.0)
    for strain, slope in ((0.02, 1 / 16), (0.07, 1 / 4), (0.15, 1 / 2), (0.4, 1.0)):
        assert (load_curve(strain + 1e-7)[0] - load_curve(strain - 1e-7)[0]) / 2e-7 == pytest.approx(slope, rel=1e-6)


def test_a_ligament_has_newtons_a_potential_and_damps_while_it_stretches_only():
    one = Ligaments(np.array([12000.0]), np.array([0.4]), np.array([0.02]))
    elastic, damping, _ = ligament_pull(one, 0, 0.02 * 1.3, 0.1)
    assert elastic == pytest.approx(12000.0 * 0.02 * (21 / 320 + 0.1))  # k l₀ F_el: the last slope is 12 kN/m
    assert damping == pytest.approx(elastic * 0.4 * 0.1 / 0.02)
    assert ligament_pull(one, 0, 0.02 * 1.3, -0.1)[1] == 0.0
    assert ligament_pull(one, 0, 0.019, 5.0) == (0.0, 0.0, 0.0)
    h = 1e-7
    slope = (ligament_pull(one, 0, 0.026 + h, 0.0)[2] - ligament_pull(one, 0, 0.026 - h, 0.0)[2]) / (2 * h)
    assert slope == pytest.approx(elastic, rel=1e-7)
    stiffness = (ligament_pull(one, 0, 0.026 + h, 0.0)[0] - elastic) / h
    assert stiffness == pytest.approx(12000.0, rel=1e-6)


# ---------------------------------------------------------------------------------------------------------- contacts


def _pair(rng) -> SpherePlanes:
    normal = rng.normal(size=3)
    return SpherePlanes(
        np.array([1]), np.array([2]), rng.normal(size=(1, 3)), np.array([0.2]), rng.normal(size=(1, 3)),
        (normal / np.linalg.norm(normal))[None], np.array([3e6]), np.array([1.5]), np.array([0.75 * (1 - 0.7**2)]),
        np.array([0.01]),
    )  # fmt: skip


def test_a_contact_is_the_law_of_lankarani_and_nikravesh_for_a_touch_from_outside(rng):
    pairs, law = _pair(rng), ContactLaw("lankarani-nikravesh", 3e6, 1.5, 0.7)
    for depth, rate in ((1e-4, 0.5), (1e-3, 0.2), (5e-4, -0.3), (2e-4, 0.0)):
        elastic, damping, energy = contact_push(pairs, 0, depth, rate, 0.5)
        assert elastic + damping == pytest.approx(float(law.force(depth, rate, 0.5)), rel=1e-12)
        assert energy == pytest.approx(float(law.stored(depth)), rel=1e-12)
    assert contact_push(pairs, 0, -1e-6, 1.0, 1.0) == (0.0, 0.0, 0.0)


def test_a_preloaded_contact_divides_by_the_floor_and_never_pulls(rng):
    elastic, damping, _ = contact_push(_pair(rng), 0, 1e-3, 0.005, 0.0)
    assert damping == pytest.approx(elastic * 0.75 * (1 - 0.49) * 0.5)  # 0.005 over the floor of 0.01 m/s
    elastic, damping, _ = contact_push(_pair(rng), 0, 1e-3, -5.0, 0.0)
    assert elastic + damping == 0.0


def test_the_rate_of_an_overlap_is_its_derivative(rng):
    from scipy.spatial.transform import Rotation

    pairs = _pair(rng)
    p, v, w = rng.normal(size=(3, 3, 3))
    R = Rotation.random(3, random_state=1).as_matrix()
    at, normal = np.empty(3), np.empty(3)
    depth, rate = overlap(pairs, 0, R, p, v, w, at, normal)
    centre = p[1] + R[1] @ pairs.centre[0]
    foot = p[2] + R[2] @ pairs.point[0]
    assert depth == pytest.approx(0.2 - (R[2] @ pairs.normal[0]) @ (centre - foot), abs=1e-14)
    np.testing.assert_allclose(at, centre)
    h = 1e-6
    moved = [
        overlap(pairs, 0, Rotation.from_rotvec(s * h * w).as_matrix() @ R, p + s * h * v, v, w, at, normal)[0]
        for s in (1, -1)
    ]
    assert (moved[0] - moved[1]) / (2 * h) == pytest.approx(rate, abs=1e-8)


# --------------------------------------------------------------------------------------------------- lines and pulses


def test_polylines_are_the_cords_of_the_engine(rng):
    from scipy.spatial.transform import Rotation

    local = rng.normal(size=(5, 3))
    body = np.array([1, 0, 2, 2, 1])
    lines = Polylines(np.array([0, 3, 5]), body, local)
    names = ("a", "b", "c")
    parts = {"x": range(3), "y": range(3, 5)}
    cords = Cords(
        names,
        tuple(Cord(name, tuple(PathPoint(names[body[k]], local[k]) for k in part)) for name, part in parts.items()),
    )
    R, p = Rotation.random(3, random_state=2).as_matrix(), rng.normal(size=(3, 3))
    v, w = rng.normal(size=(2, 3, 3))
    twist = np.concatenate([v - np.cross(w, p), w], axis=1)
    theirs = cords.trace(R[None], p[None], twist=twist[None])
    points, length, speed = line_points(lines), np.empty(2), np.empty(2)
    trace_lines(lines, R, p, v, w, points, length, speed)
    np.testing.assert_allclose(length, theirs.length[0], rtol=1e-13)
    np.testing.assert_allclose(speed, theirs.speed[0], rtol=1e-11)
    load = np.zeros((3, 6))
    for n, tension in enumerate((3.0, 5.0)):
        pull_line(lines, n, points, tension, load)
    power = (load[:, :3] * v).sum() + (load[:, 3:] * w).sum()
    assert power == pytest.approx(-(3.0 * speed[0] + 5.0 * speed[1]), rel=1e-12)
    np.testing.assert_allclose(load[:, :3].sum(axis=0), 0.0, atol=1e-14)


def test_pulses_have_their_impulse():
    blow = triangle(16e3, 0.2e-3, 0.7e-3)
    assert blow.impulse == pytest.approx(5.6, rel=1e-14)
    np.testing.assert_allclose(blow.at([0.0, 1e-4, 2e-4, 4.5e-4, 7e-4, 1.0]), [0, 8e3, 16e3, 8e3, 0, 0], atol=1e-9)
    sine = half_sine(1000.0, 0.01)
    assert sine.impulse == pytest.approx(2 / np.pi * 10.0, rel=1e-5)  # straight lines between 400 points
    assert sine.at(0.0025) == pytest.approx(1000.0 * np.sin(np.pi / 4), rel=1e-4)
    for wrong in (lambda: triangle(1.0, 0.0, 0.0), lambda: half_sine(1.0, 0.0)):
        with pytest.raises(BiomecError, match="has no length"):
            wrong()
    with pytest.raises(BiomecError, match="does nothing"):
        Pulse(np.array([0.0, 1.0]), np.zeros(2))
    with pytest.raises(BiomecError, match="must increase"):
        Pulse(np.array([0.0, 0.0]), np.ones(2))


def test_the_velocity_of_a_damped_fibre_solves_its_equation(rng):
    for _ in range(300):
        ability, wanted, a = 1.5 * rng.random(), 3.0 * rng.normal(), rng.random()
        v = damped_velocity(ability, 0.1, wanted, a)
        left = ability * force_velocity(THELEN, v, a)[0] + 0.1 * v - wanted
        assert abs(left) < 1e-12 * (1.0 + abs(wanted))
