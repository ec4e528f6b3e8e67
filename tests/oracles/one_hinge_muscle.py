"""A rod on a hinge with one muscle of elastic tendon, written down again from its equations: nothing of Biomec in it.

The angle θ is that of the rod above the horizontal, gravity points down. The muscle runs straight from a point at the
height H above the hinge to a point at the distance B along the rod: L² = H² + B² − 2 H B sin θ.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

MASS, LENGTH, HEIGHT, REACH, GRAVITY = 1.5, 0.4, 0.3, 0.06, 9.81
FMAX, LOPT, LTS, PENNATION, VMAX = 900.0, 0.09, 0.24, 0.25, 10.0


def path(theta):
    """Length of the path [m] and its slope [m/rad]."""
    length = np.sqrt(HEIGHT**2 + REACH**2 - 2.0 * HEIGHT * REACH * np.sin(theta))
    return length, -HEIGHT * REACH * np.cos(theta) / length


def _active(l):
    terms = ((0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
             (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
             (0.1, 1.0, 0.353553390593274, 0.0))  # fmt: skip
    return sum(
        height * np.exp(-0.5 * ((l - centre) / (width + more * l)) ** 2) for height, centre, width, more in terms
    )


def _speed(v):
    x = -8.149 * np.clip(v, -1.0, 1.0) - 0.374
    return -0.3211346127989808 * np.log(x + np.sqrt(x * x + 1.0)) + 0.8825327733249912


def _passive(l):
    low = np.exp(4.0 * (0.2 - 1.0) / 0.6)
    return (np.exp(4.0 * (l - 1.0) / 0.6) - low) / (np.exp(4.0) - low)


def _tendon(strain):
    return 0.2 * (np.exp(np.log(6.0) / 0.049 * strain) - 1.0) if strain > 0.0 else 0.0


def pull(theta, fibre):
    """Force of the tendon over FMAX, and the cosine of the pennation."""
    cosine = np.sqrt(1.0 - (np.sin(PENNATION) / fibre) ** 2)
    return _tendon((path(theta)[0] - LOPT * fibre * cosine) / LTS - 1.0), cosine


def fibre_at_rest(theta, activation):
    """Fibre length over LOPT at which fibre and tendon pull alike."""

    def left(fibre):
        force, cosine = pull(theta, fibre)
        return (activation * _active(fibre) + _passive(fibre)) * cosine - force

    return brentq(left, 0.3, 1.8, xtol=1e-15)


def rates(t, state, excitation):
    """Of θ, θ̇, activation and fibre length."""
    theta, omega, a, fibre = state
    force, cosine = pull(theta, fibre)
    speed = brentq(
        lambda v: a * _active(fibre) * _speed(v) + _passive(fibre) + 0.1 * v - force / cosine, -60.0, 60.0, xtol=1e-15
    )
    torque = -FMAX * force * path(theta)[1] - 0.5 * MASS * GRAVITY * LENGTH * np.cos(theta)
    toward = 0.5 * np.tanh(10.0 * (excitation - a))
    slow = 0.5 + 1.5 * a
    rate = ((0.5 + toward) / (0.015 * slow) + (0.5 - toward) * slow / 0.060) * (excitation - a)
    return [omega, torque / (MASS * LENGTH**2 / 3.0), rate, VMAX * speed]


def motion(theta, activation, excitation, times):
    """States (T, 4) at times, from rest."""
    start = [theta, 0.0, activation, fibre_at_rest(theta, activation)]
    run = solve_ivp(rates, (0.0, times[-1]), start, "Radau", times, args=(excitation,), rtol=1e-10, atol=1e-12)
    return run.y.T
