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


def pull(length, fibre, lopt=LOPT, lts=LTS, pennation=PENNATION):
    """Force of the tendon over Fmax, and the cosine of the pennation, along a path of a length [m]."""
    cosine = np.sqrt(1.0 - (np.sin(pennation) / fibre) ** 2)
    return _tendon((length - lopt * fibre * cosine) / lts - 1.0), cosine


def fibre_at_rest(length, activation, lopt=LOPT, lts=LTS, pennation=PENNATION):
    """Fibre length over the optimal one at which fibre and tendon pull alike."""

    def left(fibre):
        force, cosine = pull(length, fibre, lopt, lts, pennation)
        return (activation * _active(fibre) + _passive(fibre)) * cosine - force

    return brentq(left, max(0.3, 1.1 * np.sin(pennation)), 1.9, xtol=1e-15)


def fibre_speed(length, fibre, a, lopt=LOPT, lts=LTS, pennation=PENNATION, damping=0.1):
    """Of a fibre over the greatest one, and the force of its tendon over Fmax."""
    force, cosine = pull(length, fibre, lopt, lts, pennation)
    wanted = force / cosine - _passive(fibre)
    return brentq(lambda v: a * _active(fibre) * _speed(v) + damping * v - wanted, -60.0, 60.0, xtol=1e-15), force


def activation_rate(excitation, a):
    """[1/s]."""
    toward = 0.5 * np.tanh(10.0 * (excitation - a))
    slow = 0.5 + 1.5 * a
    return ((0.5 + toward) / (0.015 * slow) + (0.5 - toward) * slow / 0.060) * (excitation - a)


def rates(t, state, excitation, damping=0.1):
    """Of θ, θ̇, activation and fibre length."""
    theta, omega, a, fibre = state
    length, slope = path(theta)
    speed, force = fibre_speed(length, fibre, a, damping=damping)
    torque = -FMAX * force * slope - 0.5 * MASS * GRAVITY * LENGTH * np.cos(theta)
    return [omega, torque / (MASS * LENGTH**2 / 3.0), activation_rate(excitation, a), VMAX * speed]


def motion(theta, activation, excitation, times, damping=0.1):
    """States (T, 4) at times, from rest."""
    start = [theta, 0.0, activation, fibre_at_rest(path(theta)[0], activation)]
    run = solve_ivp(rates, (0.0, times[-1]), start, "Radau", times, args=(excitation, damping), rtol=1e-10, atol=1e-12)
    return run.y.T


def elbow_motion(lengths, muscles, inertia, weight_torque, theta, activation, excitation, times):
    """States (T, 2 + 2 M) of a hinge with M muscles at times, from rest: θ, θ̇, activations, fibre lengths.

    lengths : M splines of path lengths over θ, with a derivative;  muscles : M rows Fmax, lopt, lts, pennation, vmax
    inertia : about the hinge [kg m²];  weight_torque : of θ [N m]
    """
    M = len(muscles)

    def rate(t, y):
        torque, change = weight_torque(y[0]), np.empty(2 + 2 * M)
        for m, (fmax, lopt, lts, pennation, vmax) in enumerate(muscles):
            v, force = fibre_speed(float(lengths[m](y[0])), y[2 + M + m], y[2 + m], lopt, lts, pennation)
            torque -= fmax * force * float(lengths[m](y[0], 1))
            change[2 + m], change[2 + M + m] = activation_rate(excitation[m], y[2 + m]), vmax * v
        change[:2] = y[1], torque / inertia
        return change

    fibres = [
        fibre_at_rest(float(length(theta)), activation, *one[1:4]) for length, one in zip(lengths, muscles, strict=True)
    ]
    start = np.concatenate([[theta, 0.0], np.full(M, activation), fibres])
    return solve_ivp(rate, (0.0, times[-1]), start, "LSODA", times, rtol=1e-9, atol=1e-11).y.T
