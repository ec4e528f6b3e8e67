"""Curves and forces of Hill muscles, activation: published values, slopes, integrals, energy balance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad, solve_ivp

from biomec.engine.forces.activation import FALL_S, RISE_S, activation_rate, excitation_behind, excitations
from biomec.engine.forces.hill_curves import (
    CURVES,
    DEGROOTE,
    THELEN,
    active_length,
    force_velocity,
    passive_energy,
    passive_length,
    tendon_energy,
    tendon_force,
    velocity_of_force,
)
from biomec.engine.forces.hill_muscle import (
    FAST,
    SHORT,
    SLACK,
    STRETCHED,
    UNKNOWN,
    WORKING,
    ElasticMuscle,
    HillParameters,
    contractile_powers,
    elastic_energy,
    elastic_equilibrium,
    elastic_rate,
    rigid_tendon,
)

H = 1e-6
GASTROCNEMIUS = ElasticMuscle(1558.0, 0.060, 0.390, np.deg2rad(17.0), 10.0)


def _values(curve, places):
    return [curve(x)[0] for x in places]


def test_curves_have_the_values_of_their_reference_implementation():
    """Independent evaluation of the published constants, to the six digits printed."""
    active = _values(lambda l: active_length(DEGROOTE, l), (0.5, 0.7, 0.9, 1.0, 1.1, 1.3, 1.5))
    assert_allclose(active, (0.054112, 0.684233, 0.937123, 1.0, 0.953159, 0.581189, 0.226149), rtol=0, atol=6e-7)
    speed = _values(lambda v: force_velocity(DEGROOTE, v, 1.0), (-1.0, -0.5, -0.1, 0.0, 0.1, 0.5, 1.0))
    assert_allclose(speed, (0.0, 0.234036, 0.745172, 1.0, 1.206509, 1.588423, 1.794343), rtol=0, atol=6e-7)
    passive = _values(lambda l: passive_length(DEGROOTE, l), (1.0, 1.1, 1.3, 1.5))
    assert_allclose(passive, (0.018229, 0.035589, 0.135259, 0.513374), rtol=0, atol=6e-7)
    tendon = _values(lambda s: tendon_force(DEGROOTE, s), (1.01, 1.02, 1.03, 1.049))
    assert_allclose(tendon, (0.088295, 0.215569, 0.399031, 1.0), rtol=0, atol=6e-7)


@pytest.mark.parametrize("curves", CURVES.values(), ids=CURVES)
@pytest.mark.parametrize(
    ("curve", "places"),
    [
        (active_length, np.linspace(0.3, 1.8, 16)),
        (lambda c, v: force_velocity(c, v, 0.6), np.linspace(-0.69, 0.95, 17)),
        (passive_length, np.linspace(0.25, 1.75, 16)),
        (tendon_force, np.array([0.99, 1.003, 1.015, 1.021, 1.03, 1.05])),
    ],
    ids=["active", "velocity", "passive", "tendon"],
)
def test_slopes_are_derivatives(curves, curve, places):
    for x in places:
        slope = (curve(curves, x + H)[0] - curve(curves, x - H)[0]) / (2.0 * H)
        # rounding 1e-16/H and truncation H² times third derivatives of up to 1e4
        assert_allclose(curve(curves, x)[1], slope, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("curves", CURVES.values(), ids=CURVES)
def test_energies_are_integrals(curves):
    # the curves have a kink where they begin, and Thelen's tendon one where its toe ends
    kinks = [1.0, 1.0 + 0.609 * 0.033]
    fibre = quad(lambda l: passive_length(curves, l)[0], 0.2, 1.5, points=kinks)[0]
    assert_allclose(passive_energy(curves, 1.5), fibre, rtol=1e-9)
    tendon = quad(lambda s: tendon_force(curves, s)[0], 1.0, 1.04, points=kinks)[0]
    assert_allclose(tendon_energy(curves, 1.04), tendon, rtol=1e-9)


def test_velocity_of_a_force_is_the_inverse_of_the_curve():
    for v in np.linspace(-1.0, 1.0, 9):
        assert_allclose(velocity_of_force(force_velocity(DEGROOTE, v, 1.0)[0]), v, rtol=0, atol=1e-14)


def test_thelens_muscle_shortens_no_faster_than_its_activation_lets_it():
    assert force_velocity(THELEN, -0.625, 0.5) == (0.0, 0.0)
    assert force_velocity(THELEN, -0.6, 0.5)[0] > 0.0
    assert_allclose(force_velocity(THELEN, 0.0, 0.3)[0], 1.0)
    assert_allclose(force_velocity(THELEN, 1e9, 0.3)[0], 1.8, rtol=1e-8)


def _muscles(pennation=0.3):
    return HillParameters(*(np.array([x]) for x in (1000.0, 0.10, 0.20, pennation, 10.0)))


def _path(fibre, pennation=0.3):
    """Path length with fibres of a normalised length."""
    return 0.20 + np.sqrt((0.10 * fibre) ** 2 - (0.10 * np.sin(pennation)) ** 2)


def test_a_rigid_tendon_leaves_the_fibre_what_the_path_has():
    at_rest = rigid_tendon(_muscles(), np.array([[_path(1.0)]]), np.zeros((1, 1)))
    assert_allclose(at_rest.fibre_length, 1.0)
    assert_allclose(at_rest.cosine, np.cos(0.3))
    assert_allclose(at_rest.optimum, 1000.0 * np.cos(0.3))
    assert_allclose(at_rest.passive, 1000.0 * passive_length(DEGROOTE, 1.0)[0] * np.cos(0.3))
    # the fibre's speed along itself is dl/dt of l² = h² + (L − lts)²
    step = 1e-6
    longer = rigid_tendon(_muscles(), np.array([[_path(1.0) + step]]), np.zeros((1, 1)))
    moving = rigid_tendon(_muscles(), np.array([[_path(1.0)]]), np.array([[0.3]]))
    rate = (longer.fibre_length - at_rest.fibre_length) / step * 0.3 / 10.0
    assert_allclose(moving.fibre_speed, rate, rtol=1e-5)


def test_every_muscle_says_where_it_works():
    lengths = [[_path(1.0)], [0.19], [0.2049], [_path(0.39)], [_path(1.61)], [_path(1.0)], [np.nan]]
    speeds = [[0.0], [0.0], [0.0], [0.0], [0.0], [-1.2], [0.0]]
    found = rigid_tendon(_muscles(), np.array(lengths), np.array(speeds))
    assert found.state[:, 0].tolist() == [WORKING, SLACK, SLACK, SHORT, STRETCHED, FAST, UNKNOWN]
    assert not found.optimum[1:3].any()
    assert not found.passive[1:3].any()
    assert np.isnan(found.optimum[-1, 0])
    assert np.isfinite(found.optimum[:-1]).all()


@pytest.mark.parametrize("curves", CURVES.values(), ids=CURVES)
def test_an_elastic_muscle_in_equilibrium_does_not_move(curves):
    for activation in (0.0, 0.05, 0.5, 1.0):
        for path in (0.42, 0.44, 0.46):
            fibre = elastic_equilibrium(GASTROCNEMIUS, path, activation, curves)
            speed, force = elastic_rate(GASTROCNEMIUS, path, fibre, activation, curves)
            assert abs(speed) < 1e-8  # the tendon's slope, 35 times its force, over the damping, times round-off
            assert 0.0 <= force < 2.0 * GASTROCNEMIUS.fmax


def test_an_elastic_muscle_approaches_a_rigid_one_as_its_tendon_shortens():
    """With a tendon a hundredth as long as the fibre, its stretch of 5 % is 0.05 % of the fibre's length."""
    for fibre in (0.8, 1.0, 1.2):
        muscle = ElasticMuscle(1000.0, 0.1, 0.001, 0.3, 10.0)
        path = 0.001 + np.sqrt((0.1 * fibre) ** 2 - (0.1 * np.sin(0.3)) ** 2)
        l = elastic_equilibrium(muscle, path, 0.7, DEGROOTE)
        force = elastic_rate(muscle, path, l, 0.7, DEGROOTE)[1]
        rigid = rigid_tendon(HillParameters(*(np.array([x]) for x in muscle)), np.array([[path]]), np.zeros((1, 1)))
        assert_allclose(force, 0.7 * rigid.optimum[0, 0] + rigid.passive[0, 0], rtol=3e-3)


@pytest.mark.parametrize("curves", CURVES.values(), ids=CURVES)
def test_energy_of_an_elastic_muscle_balances(curves):
    """Stored energy changes by what the path puts in, what the fibre makes and what the damping takes."""

    def path(t):
        return 0.445 + 0.008 * np.sin(7.0 * t), 0.056 * np.cos(7.0 * t)

    def active(t):
        return 0.4 + 0.3 * np.sin(11.0 * t)

    def rates(t, y):
        L, speed = path(t)
        v, force = elastic_rate(GASTROCNEMIUS, L, y[0], active(t), curves)
        made, lost = contractile_powers(GASTROCNEMIUS, y[0], v, active(t), curves)
        return [GASTROCNEMIUS.vmax * v, force * speed + made - lost]

    start = elastic_equilibrium(GASTROCNEMIUS, path(0.0)[0], active(0.0), curves)
    end = solve_ivp(rates, (0.0, 0.4), [start, 0.0], method="LSODA", rtol=1e-9, atol=1e-9).y[:, -1]
    change = elastic_energy(GASTROCNEMIUS, path(0.4)[0], end[0], curves)
    change -= elastic_energy(GASTROCNEMIUS, path(0.0)[0], start, curves)
    assert abs(change) > 0.05
    assert_allclose(end[1], change, rtol=0, atol=1e-5)  # J; the integrator's tolerance over some 1000 steps


def test_activation_rises_and_falls_with_its_time_constants():
    """Far from each other, e and a leave one constant: 1/(τa (½ + 1.5a)) rising, (½ + 1.5a)/τd falling."""
    assert_allclose(activation_rate(1.0, 0.2), 0.8 / (RISE_S * 0.8), rtol=1e-6)
    assert_allclose(activation_rate(0.0, 0.9), -0.9 * 1.85 / FALL_S, rtol=1e-5)
    assert activation_rate(0.4, 0.4) == 0.0


def test_excitation_leads_back_to_the_activation():
    wished, activation = np.meshgrid(np.linspace(0.01, 0.99, 9), np.linspace(0.01, 0.99, 11))
    change = np.vectorize(activation_rate)(wished, activation)
    found, reachable = excitation_behind(activation, change)
    assert reachable.all()
    # the rate is about 100/s times the distance, so that its round-off of 1e-14 leaves less than that; near a = 0 the
    # slope with e is a tenth of it
    assert_allclose(found, wished, rtol=0, atol=1e-12)


def test_no_excitation_makes_a_muscle_leap():
    found, reachable = excitations(np.array([[0.1], [0.9], [0.1], [np.nan]]), 500.0)
    assert found[0, 0] == 1.0
    assert np.isnan(found[3, 0])
    assert not reachable[[0, 3], 0].any()
    assert_allclose(excitations(np.full((1, 2), 0.3), 100.0)[0], 0.3)
