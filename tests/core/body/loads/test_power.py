"""Power: against differences of the energy of recorded movements, and by hand."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad

from biomec.base.errors import BiomecError
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.loads.power import LoadPower, joint_work, load_power
from biomec.engine.forces.external_loads import external_loads
from biomec.virtual import RecordOptions, Squat, Walk, record
from tests.core.body.loads.people import MODELS, push_up, random_states, truth_of

RATE = 200.0


@cache
def movement(which: str):
    if which == "push-up":
        return truth_of(push_up())
    made = Walk() if which == "walk" else Squat(cycles=1)
    return truth_of(record(made, options=RecordOptions(rate_hz=RATE, plate_rate_hz=RATE)))


def power_of(moving, external=None) -> LoadPower:
    external = moving.external if external is None else external
    motion = moving.segments
    loads = newton_euler(moving.tree, motion, moving.q, external)
    return load_power(moving.tree, loads, motion, external)


@pytest.mark.parametrize("model", MODELS)
def test_all_power_is_the_rate_of_energy_whatever_the_loads(model):
    power = power_of(random_states(model).moving)
    size = np.abs(power.joint).sum(axis=1) + np.abs(power.external).sum(axis=1) + np.abs(power.residual)
    assert (np.abs(power.imbalance) < 1e-12 * size).all()
    assert np.abs(power.gap).max() < 1e-9 * size.max()


@pytest.mark.parametrize("which", ["walk", "squat"])
def test_the_rate_of_energy_is_that_of_the_energy(which):
    power = power_of(movement(which))
    E = power.energy
    slope = (E[:-4] - 8.0 * E[1:-3] + 8.0 * E[3:-1] - E[4:]) / 12.0 * RATE  # error (1 / 200 Hz)⁴ E⁽⁵⁾ / 30
    inner = slice(2, -2)
    np.testing.assert_allclose(power.energy_rate[inner], slope, rtol=0, atol=2e-3 * np.abs(slope).max())
    total = power.joint.sum(axis=1) + power.external.sum(axis=1)
    np.testing.assert_allclose(total[inner], slope, rtol=0, atol=2e-3 * np.abs(slope).max())
    assert np.abs(power.residual).max() < 1e-9
    assert np.abs(power.imbalance).max() < 1e-9 * np.abs(power.joint).max()


def test_kinetic_and_potential_energy_of_the_whole_body():
    moving = random_states("m21").moving
    power, motion = power_of(moving), moving.segments
    M = moving.tree.system.mass_matrix.toarray()
    natural = 0.5 * np.einsum("ti,ij,tj->t", moving.qdot, M, moving.qdot)  # ½ q̇ᵀ M q̇
    np.testing.assert_allclose(power.kinetic, natural, rtol=1e-11)
    np.testing.assert_allclose(power.potential, motion.mass.sum() * 9.81 * motion.whole_body_com[:, 1], rtol=1e-12)


def test_without_plates_the_residual_does_what_the_ground_did():
    moving = movement("squat")
    nothing = external_loads((), *np.zeros((2, len(moving.q), 0, 3)))
    power = power_of(moving, nothing)
    assert np.abs(power.imbalance).max() < 1e-9 * np.abs(power.residual).max()
    assert np.abs(power.residual).max() > 10.0  # thorax moved by what should have come through the feet


def test_gliding_contacts_do_no_work():
    moving = movement("push-up")
    motion = moving.segments
    loads = multibody_loads(moving.tree, moving.q, moving.qddot, moving.external, constraints="all")
    assert loads.contacts
    power = load_power(moving.tree, loads, motion, moving.external)
    assert np.abs(power.imbalance).max() < 1e-8
    assert np.abs(power.contact).max() < 1e-8 * np.abs(loads.contact_force).max()


def test_muscles_take_up_energy_on_the_way_down_and_deliver_it_on_the_way_up():
    moving = movement("squat")
    power, height = power_of(moving), moving.segments.whole_body_com[:, 1]
    lowest = int(height.argmin())
    work = joint_work(power, [(0, lowest), (lowest, len(height) - 1)], RATE)
    knees = [power.joints.index(f"{side} knee") for side in ("right", "left")]
    down, up = work.net[:, knees]
    assert (down < -5.0).all()
    assert (up > 5.0).all()
    assert work.net.sum() == pytest.approx(power.energy[-1] - power.energy[0] - _outside(power), abs=0.5)


def _outside(power: LoadPower) -> float:
    return float(np.trapezoid(power.external.sum(axis=1), dx=1.0 / RATE))


def test_positive_and_negative_work_of_a_known_curve():
    t = np.linspace(0.0, 1.0, 1001)
    curves = np.stack([10.0 * np.sin(2.0 * np.pi * t + 0.3), np.full_like(t, -4.0), 3.0 * t], axis=1)
    none = np.zeros((1001, 3))
    power = LoadPower(("a", "b", "c"), curves, none, none, none[:, 0], none, *(none[:, 0],) * 4)
    work = joint_work(power, [(0, 1000), (250, 750)], 1000.0)
    for k, (a, b) in enumerate([(0.0, 1.0), (0.25, 0.75)]):
        up = quad(lambda s: max(10.0 * np.sin(2.0 * np.pi * s + 0.3), 0.0), a, b, limit=200)[0]
        down = quad(lambda s: min(10.0 * np.sin(2.0 * np.pi * s + 0.3), 0.0), a, b, limit=200)[0]
        # polygons of 1000 sides
        np.testing.assert_allclose(work.positive[k], [up, 0.0, 1.5 * (b**2 - a**2)], rtol=0, atol=2e-5)
        np.testing.assert_allclose(work.negative[k], [down, -4.0 * (b - a), 0.0], rtol=0, atol=2e-5)
    saw = LoadPower(("a",), np.array([[1.0], [-3.0]]), *(np.zeros((2, 1)),) * 2, *(np.zeros(2),) * 6)
    assert joint_work(saw, [(0, 1)], 1.0).positive[0, 0] == pytest.approx(0.125)  # a triangle of 1/4 by 1
    assert joint_work(saw, [(0, 1)], 1.0).net[0, 0] == pytest.approx(-1.0)


def test_a_missing_frame_leaves_the_work_of_its_cycle_unknown():
    curve = np.ones((10, 1))
    curve[4] = np.nan
    power = LoadPower(("a",), curve, *(np.zeros((10, 1)),) * 2, *(np.zeros(10),) * 6)
    work = joint_work(power, [(0, 3), (3, 6), (5, 9)], 1.0)
    np.testing.assert_array_equal(work.positive[:, 0], [3.0, np.nan, 4.0])


@pytest.mark.parametrize(
    ("spans", "sentence"),
    [([(0, 10)], "within the 10 frames"), ([(5, 5)], "begin before they end"), ([1, 2, 3], "pairs of frames")],
)
def test_cycles_outside_the_recording_are_refused(spans, sentence):
    power = LoadPower(("a",), *(np.zeros((10, 1)),) * 3, *(np.zeros(10),) * 6)
    with pytest.raises(BiomecError, match=sentence):
        joint_work(power, spans, 100.0)
    with pytest.raises(BiomecError, match="rate of 0"):
        joint_work(power, [(0, 5)], 0.0)
