"""Friction that sticks and slides: a block on a slope, a block that is stopped, and no creep."""

from functools import cache

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.engine.body import Body
from biomec.engine.forces.applied import weight
from biomec.engine.forces.ground_contact import ContactMaterial, ContactSphere, Ground
from biomec.engine.forces.stick_slide import FORGETS_S, StickSlide, StickSlideContact, tangential
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.lagrangian import StabilisedLagrange
from biomec.engine.forward.simulation import Ending, Simulation, Stepped, simulate
from biomec.engine.system import System

MASS, G = 4.0, 9.81
LAW = StickSlide(stiffness=5e4, damping=400.0, sticking=0.8, sliding=0.6, speed=0.01)
STIFF = ContactMaterial(stiffness=1e6, dissipation=20.0)


def block(slope: float = 0.0) -> System:
    """A flat block on level ground, under gravity that is tilted instead."""
    pull = G * np.array([np.sin(slope), -np.cos(slope), 0.0])
    body = Body(
        name="block", points={}, basis=("origin", "x", "y", "z"), mass=MASS, inertia=0.5 * np.eye(3),
        position=(0.0, 0.0, 0.0),
    )  # fmt: skip
    return System([body], name="block", gravity=tuple(pull))


@cache
def slide(slope: float, speed: float, duration: float, h: float = 2e-4) -> Simulation:
    system = block(slope)
    depth = (MASS * G * np.cos(slope) / 4.0 / STIFF.stiffness) ** (1.0 / STIFF.exponent)
    corners = [
        ContactSphere(f"{x}{z}", "block", (x, -0.001 + 0.0, z), 0.0, STIFF) for x in (-0.3, 0.3) for z in (-0.3, 0.3)
    ]
    ground = Ground(point=(0.0, -0.001 + depth, 0.0))
    contact = StickSlideContact(system, corners, LAW, ground)
    qdot = np.zeros(system.n)
    qdot[0] = speed
    stepper = Stepped(StabilisedLagrange(system), weight(system), IntegratorOptions(), inner=contact)
    return simulate(stepper, system.reference, qdot, duration, h)


def test_a_block_sticks_on_a_slope_below_the_limit_and_does_not_creep():
    run = slide(np.arctan(0.5), 0.0, 0.5)
    assert run.ending is Ending.COMPLETED
    assert np.abs(run.qdot[-1]).max() < 1e-8  # smooth friction would creep with 0.55 of its slip speed
    pull = MASS * G * np.sin(np.arctan(0.5))
    stretch = run.inner[-1].reshape(-1, 3)
    np.testing.assert_allclose(stretch[:, 0].sum() * LAW.stiffness, pull, rtol=1e-6)


def test_a_block_slides_down_a_slope_above_the_limit_as_the_closed_form_says():
    slope = np.arctan(1.0)
    run = slide(slope, 0.2, 0.2)
    wanted = G * (np.sin(slope) - LAW.sliding * np.cos(slope))
    assert run.ending is Ending.COMPLETED
    assert run.qdot[-1, 0] - run.qdot[500, 0] == pytest.approx(wanted * 0.1, rel=2e-3)


def test_a_sliding_block_stops_after_the_distance_of_the_closed_form():
    speed = 0.5
    run = slide(0.0, speed, 0.15)
    assert run.ending is Ending.COMPLETED
    assert np.abs(run.qdot[-1, 0]) < 1e-3
    distance = speed**2 / (2.0 * LAW.sliding * G)
    # below v_stick the spring takes over, and lets the block swing back by less than its greatest stretch
    assert run.q[-1, 0] == pytest.approx(distance, abs=LAW.sticking * MASS * G / 4.0 / LAW.stiffness + 1e-3)


def test_friction_takes_energy_and_never_gives_more_than_the_spring_holds():
    run = slide(0.0, 0.5, 0.15)
    held = 4.0 * 0.5 * LAW.stiffness * (LAW.sticking * MASS * G / 4.0 / LAW.stiffness) ** 2
    assert (np.diff(run.kinetic) < held).all()
    assert run.kinetic[-1] < 1e-3 * run.kinetic[0]


def test_the_force_keeps_to_its_limits():
    rng = np.random.default_rng(1)
    for _ in range(200):
        v, s = 0.05 * rng.normal(size=3), 1e-3 * rng.normal(size=3)
        force, _ = tangential(LAW, 100.0, v, s)
        assert np.linalg.norm(force) <= 100.0 * LAW.sticking + 1e-9


def test_in_the_air_the_spring_forgets():
    force, rate = tangential(LAW, 0.0, np.ones(3), np.array([1e-3, 0.0, 0.0]))
    assert not force.any()
    np.testing.assert_allclose(rate, [-1e-3 / FORGETS_S, 0.0, 0.0])


def test_what_cannot_be_is_a_sentence():
    with pytest.raises(BiomecError, match="must be positive"):
        StickSlide(sliding=0.0)
