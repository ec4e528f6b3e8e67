"""Derivatives carried by jets, against finite differences and closed forms."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.virtual.jets import (
    Jet,
    applied,
    clock,
    cosine,
    cross,
    dot,
    harmonics,
    sine,
    solved,
    stacked,
    step_up,
    there_and_back,
    turn,
    wave,
)

T = np.linspace(0.05, 1.9, 38)
H = 1e-4
CURVES = {
    "there and back": lambda t: there_and_back(0.7 * t, 0.56),
    "wave": lambda t: wave(t, 0.3, at=0.2, harmonic=2),
    "harmonics": lambda t: harmonics(0.5 * t, 0.2, (0.1, -0.3), (0.05, 0.02)),
    "step": lambda t: step_up(0.5 * t),
    "product": lambda t: sine(2.0 * t) * cosine(t) * t,
    "dot": lambda t: dot(
        applied(turn([1.0, 2.0, 0.5], sine(t)), np.array([0.1, 0.2, 0.3])), stacked(t, t * t, sine(t))
    ),
    "cross": lambda t: cross(stacked(t, t * t, sine(t)), stacked(cosine(t), t, t))[:, 1],
    "turns": lambda t: (turn([0.0, 0.0, 1.0], t) @ turn([1.0, 0.0, 1.0], sine(t))).transposed[:, 0, 2],
}


@pytest.mark.parametrize("name", CURVES)
def test_rates_are_the_derivatives_of_values(name: str) -> None:
    curve = CURVES[name]
    here, before, after = (curve(clock(T + d)) for d in (0.0, -H, H))
    # central differences: truncation h²/6 × third derivative (< 500) ~ 1e-6 and rounding 1e-16/h² ~ 1e-8
    np.testing.assert_allclose(here.rate, (after.value - before.value) / (2 * H), rtol=0, atol=2e-6)
    np.testing.assert_allclose(here.acceleration, (after.rate - before.rate) / (2 * H), rtol=0, atol=2e-5)


def test_a_push_up_cycle_turns_where_it_should() -> None:
    phase = clock(np.array([0.0, 0.56, 1.0, 1.56, 2.0]))
    depth = there_and_back(phase, 0.56)
    np.testing.assert_allclose(depth.value, [0, 1, 0, 1, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(depth.rate, 0.0, rtol=0, atol=1e-14)


def test_unknowns_of_equations_move_with_them() -> None:
    """x² + y² = t² and x = y sin t have the closed form y = t / √(1 + sin² t)."""
    t = clock(T)

    def equations(x: Jet) -> Jet:
        time = t.up_to(x.order)
        return stacked(dot(x, x) - time * time, x[:, 0] - x[:, 1] * sine(time))

    x = solved(equations, np.stack([0.5 * T, T], axis=1))
    s, c = np.sin(T), np.cos(T)
    root = np.sqrt(1 + s**2)
    y = T / root
    ydot = 1 / root - T * s * c / root**3
    np.testing.assert_allclose(x.value[:, 1], y, rtol=0, atol=1e-14)
    np.testing.assert_allclose(x.rate[:, 1], ydot, rtol=0, atol=1e-13)

    # second derivative by differences of the closed first one: truncation h² ~ 1e-8
    def rate(at: np.ndarray) -> np.ndarray:
        r = np.sqrt(1 + np.sin(at) ** 2)
        return 1 / r - at * np.sin(at) * np.cos(at) / r**3

    np.testing.assert_allclose(x.acceleration[:, 1], (rate(T + H) - rate(T - H)) / (2 * H), rtol=0, atol=1e-7)


def test_a_posture_out_of_reach_is_said() -> None:
    with pytest.raises(BiomecError, match="does not reach"):
        solved(lambda x: x * x + 1.0, np.full((3, 1), 0.7))
