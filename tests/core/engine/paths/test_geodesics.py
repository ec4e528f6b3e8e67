"""Geodesics of ellipsoids, how their ends move, and sweeps over several surfaces that are accelerated."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from biomec.base.arrays import FloatArray
from biomec.engine.paths.ellipsoids import Ends, Shot, _shot
from biomec.engine.paths.geodesics import geodesic, geodesic_points, steps_for
from biomec.engine.paths.surfaces import plane_of
from biomec.engine.paths.sweeps import ROWS, accelerated, begin_sweep

THORAX, DELTOID = (0.0765, 0.174, 0.075), (0.0359, 0.0853, 0.0289)  # of the shoulder set [m]


def start(size: tuple[float, ...], seed: int) -> tuple[FloatArray, FloatArray]:
    """A point of the surface and a unit tangent there."""
    random = np.random.default_rng(seed)
    y, d = random.normal(size=(2, 3))
    x = y / np.linalg.norm(y) * size
    G = x / np.square(size)
    d -= d @ G / (G @ G) * G
    return x, d / np.linalg.norm(d)


@pytest.mark.parametrize("size", [THORAX, DELTOID])
def test_a_geodesic_is_that_of_another_integrator(size: tuple[float, float, float]) -> None:
    """Oracle: the equation with velocities, by an eighth-order method of SciPy."""
    D = 1.0 / np.square(size)

    def rate(_: float, state: FloatArray) -> FloatArray:
        G, d = D * state[:3], state[3:]
        return np.concatenate([d, -(d @ (D * d)) / (G @ G) * G])

    length = 2.0 * min(size)
    for seed in range(5):
        x, d = start(size, seed)
        exact = scipy.integrate.solve_ivp(rate, (0.0, length), [*x, *d], "DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
        for steps, limit in ((200, 1e-9), (steps_for(min(size), length), 5e-6)):  # the second as the module promises
            end, along, _, _ = geodesic(size, tuple(x), tuple(d), 0.0, 0.0, length, steps)
            assert np.abs(np.array([*end, *along]) - exact)[:3].max() < limit * length


def test_geodesics_of_a_sphere_are_great_circles_and_their_neighbours_meet_at_the_pole() -> None:
    radius = 0.05
    end, _, apart, _ = geodesic((radius,) * 3, (radius, 0.0, 0.0), (0.0, 1.0, 0.0), 0.0, 1.0, 0.06, 100)
    angle = 0.06 / radius
    assert end == pytest.approx((radius * np.cos(angle), radius * np.sin(angle), 0.0), abs=1e-12)  # fifth order
    assert apart == pytest.approx(radius * np.sin(angle), abs=1e-12)
    points, along = geodesic_points(np.full(3, radius), np.array(end), np.array([-np.sin(angle), np.cos(angle), 0.0]),
                                    1e-3, 10)  # fmt: skip
    turned = angle + np.arange(11) * 1e-3 / radius
    assert points == pytest.approx(radius * np.stack([np.cos(turned), np.sin(turned), 0.0 * turned], 1), abs=1e-9)
    assert along[-1] == pytest.approx([-np.sin(turned[-1]), np.cos(turned[-1]), 0.0], abs=1e-8)


@pytest.mark.parametrize("size", [THORAX, DELTOID])
def test_ends_of_geodesics_move_as_their_derivatives_say(size: tuple[float, float, float]) -> None:
    """Central differences in the angle of entry and in the length, of the end and of all its misses."""
    p1, p2 = (-1.3 * size[0], 0.4 * size[1], 0.6 * size[2]), (0.9 * size[0], 0.7 * size[1], -0.9 * size[2])
    q1, q2 = (tuple(value / a for value, a in zip(p, size, strict=True)) for p in (p1, p2))
    square = sum(value * value for value in q1)
    _, e1, e2 = plane_of(q1, q2, (0.0, 0.0, 0.0))
    ends = Ends(size, min(size), p1, p2, tuple(value / square for value in q1), np.sqrt(1.0 - 1.0 / square), e2,
                tuple(np.cross(e1, e2)))  # type: ignore[arg-type]  # fmt: skip
    s, length, h = 0.3, 0.9 * min(size), 1e-6

    def differences(low: Shot, high: Shot, step: float) -> tuple[FloatArray, FloatArray]:
        misses = [(getattr(high, name)[0] - getattr(low, name)[0]) / step for name in ("up", "aside", "ahead")]
        return np.array(misses), (np.array(high.x) - np.array(low.x)) / step

    here = _shot(ends, s, length, 60)
    by_s, x_s = differences(_shot(ends, s - h, length, 60), _shot(ends, s + h, length, 60), 2.0 * h)
    step = h * min(size)
    by_l, x_l = differences(_shot(ends, s, length - step, 60), _shot(ends, s, length + step, 60), 2.0 * step)
    # in metres and per radian: rounding eps/h 1e-10, integration 1e-9
    assert [here.up[1], here.aside[1], here.ahead[1]] == pytest.approx(by_s, abs=1e-8)
    assert here.x_s == pytest.approx(x_s, abs=1e-8)
    assert [here.up[2], here.aside[2], here.ahead[2]] == pytest.approx(by_l, abs=1e-6)
    assert here.d == pytest.approx(x_l, abs=1e-6)


def test_sweeps_that_shrink_in_two_directions_end_after_three() -> None:
    """A linear map with the factors 0.9 and −0.6: by itself it would need 240 sweeps to 1e-11 of its first step."""
    random = np.random.default_rng(2)
    axes = np.linalg.qr(random.normal(size=(6, 6)))[0][:, :2]
    goal = random.normal(size=12)
    entry, leave, past = np.zeros((1, 2, 3)), np.zeros((1, 2, 3)), np.zeros((ROWS, 12))
    known, changes = 0, []
    for _ in range(5):
        begin_sweep(0, entry, leave, past)
        x = np.concatenate([np.concatenate([entry[0, k], leave[0, k]]) for k in range(2)])
        off = axes.T @ (x - goal)[6:]
        g = goal.copy()
        g[6:] += axes @ (np.array([0.9, -0.6]) * off)
        g[:3] += off[0]  # what the first surface leaves behind follows from the second
        changes.append(float(np.abs(g - x)[6:].max()))
        for k in range(2):
            entry[0, k], leave[0, k] = g[6 * k : 6 * k + 3], g[6 * k + 3 : 6 * k + 6]
        known = accelerated(0, min(changes[-1], 0.999), known, entry, leave, past)
    assert changes[1] > 1e-3
    assert changes[-1] < 1e-11 * changes[0]


def test_a_path_that_changes_its_order_is_not_carried_on() -> None:
    entry, leave, past = np.ones((1, 2, 3)), np.ones((1, 2, 3)), np.zeros((ROWS, 12))
    assert accelerated(0, 1.0, 3, entry, leave, past) == 0
    assert (np.stack([entry, leave]) == 1.0).all()
