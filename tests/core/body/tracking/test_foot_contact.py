"""Walks on contact: spheres that are known are identified back, and a body stays up on those that were identified."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.body.tracking.contact_tracking import BalanceOptions, ContactTracked
from biomec.body.tracking.foot_contact import (
    IdentificationOptions,
    IdentifiedContact,
    identified_contact,
)
from biomec.body.tracking.limb_contact import contact_loads
from biomec.body.tracking.reaction_references import ReactionReferences
from biomec.body.tracking.settling import settled
from biomec.engine.forces.external_loads import ExternalLoads, no_loads
from biomec.engine.forces.ground_contact import ContactMaterial, ContactSphere, Ground, GroundContact
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads, ReferenceMotion, reference_motion
from biomec.engine.forward.simulation import Ending, Simulation, simulate
from biomec.virtual import RecordOptions, Walk, record
from tests.core.body.loads.people import truth_of

RATE_HZ = 100.0
FIRST, LAST = 30, 145  # a stride of 1.15 s, all of it on measured contacts
HEIGHTS = {"CALC": 0.0323, "MT1": 0.014, "MT5": 0.02}  # of landmarks above the floor while the foot is flat


@dataclass(frozen=True)
class Walked:
    space: JointSpace
    q: np.ndarray
    qdot: np.ndarray
    external: ExternalLoads
    raw: ReferenceMotion

    @property
    def weight(self) -> float:
        system = self.space.system
        return float(sum(body.mass for body in system.bodies) * np.linalg.norm(system.gravity))


@cache
def walk() -> Walked:
    acquisition = record(Walk(strides=2, plates=2), options=RecordOptions(rate_hz=RATE_HZ))
    truth = acquisition.truth
    space = JointSpace(acquisition.model.system, acquisition.model.model.roots)
    times = np.arange(FIRST, LAST + 1) / RATE_HZ
    raw = reference_motion(space, times, truth.q[FIRST : LAST + 1])
    return Walked(space, truth.q, truth.qdot, truth_of(acquisition).external, raw)


@cache
def identified() -> IdentifiedContact:
    one = walk()
    return identified_contact(one.space.system, one.q, one.qdot, one.external, RATE_HZ)


@cache
def known() -> GroundContact:
    """Spheres under heel and ball, and what they are made of, as nobody told the identification."""
    system, spheres = walk().space.system, []
    material = ContactMaterial(stiffness=4e5, dissipation=2.0, friction=0.8, slip_speed=0.03)
    for side, letter in (("right", "D"), ("left", "E")):
        foot = system.layout.body(f"{side} foot")
        for point, height in HEIGHTS.items():
            spheres.append(
                ContactSphere(f"{side} {point}", foot.name, foot.points[f"{point}_{letter}"], height + 0.003, material)
            )
    return GroundContact(system, spheres, Ground())


def away(run: Simulation, every: int = 10) -> np.ndarray:
    """How far the pelvis is from where it was recorded [m], after every so many steps."""
    pelvis, few = walk().space.system.layout.point("pelvis.com"), slice(None, None, every)
    wanted = np.array([walk().raw.state(float(t))[0] for t in run.time_s[few]])
    return np.linalg.norm(pelvis(run.q[few]) - pelvis(wanted), axis=1)


@cache
def measured() -> PrescribedLoads:
    one = walk()
    return PrescribedLoads(one.space, np.arange(len(one.q)) / RATE_HZ, one.external)


def simulated(reference: ReferenceMotion, contact: GroundContact, options: BalanceOptions) -> Simulation:
    walker = ContactTracked(reference, contact, options, measured=measured())
    start = reference.start_s
    return simulate(walker, *reference.state(start), reference.duration_s, options.step_s, start_s=start)


@cache
def pressed() -> ReferenceMotion:
    one, times = walk(), np.arange(FIRST, LAST + 1) / RATE_HZ
    return reference_motion(one.space, times, settled(one.space, one.q[FIRST : LAST + 1], identified(), FIRST, RATE_HZ))


@cache
def balanced() -> Simulation:
    return simulated(pressed(), identified().on(walk().space.system), BalanceOptions())


def test_identified_contact_bears_what_was_measured():
    """A walk of rigid feet, and plates that know no spheres; feet may move by what markers leave open."""
    found = identified()
    assert found.rms_weights < 0.05
    assert not found.borrowed
    assert {foot.segment for foot in found.feet} == {"right foot", "left foot"}
    for foot in found.feet:
        assert foot.lift_mm < 5.0
        assert foot.rms_Nm < 0.005 * walk().weight  # 5 mm of the centre of pressure under full load


def test_the_virtual_walk_stays_up_for_its_stride_on_identified_contact():
    run = balanced()
    assert run.ending is Ending.COMPLETED
    assert away(run).max() < 0.05


def test_nothing_but_contact_and_weight_moves_the_centre_of_mass():
    """Newton's law for the whole body, over the whole stride: the impulse of contact and weight is the momentum."""
    run, system = balanced(), walk().space.system
    contact = identified().on(system)
    mass = np.array([body.mass for body in system.bodies])
    rates = [system.layout.point(f"{body.name}.com").rate for body in system.bodies]
    momentum = sum(m * rate(run.qdot) for m, rate in zip(mass, rates, strict=True))
    force = np.array([contact.state(q, v).force.sum(axis=0) for q, v in zip(run.q, run.qdot, strict=True)])
    force += mass.sum() * system.gravity
    impulse = np.cumsum(force[1:], axis=0) * 1e-3  # implicit Euler: forces at the ends of the steps
    change = momentum[1:] - momentum[0]
    # 1 N s is 13 mm/s of 75 kg; forces are linearised over steps of 1 ms, in which feet strike
    np.testing.assert_allclose(change, impulse, rtol=0, atol=4.0)


def test_with_known_spheres_the_recorded_forces_are_identified_back():
    """The walk simulated on known spheres is a recording of known contact: 5 % of body weight RMS is asked for."""
    one, contact = walk(), known()
    run = simulated(one.raw, contact, BalanceOptions())
    assert run.ending is Ending.COMPLETED
    q, qdot = run.q[::10], run.qdot[::10]
    truth = contact_loads(contact, q, qdot)
    found = identified_contact(one.space.system, q, qdot, truth, RATE_HZ)
    again = contact_loads(found.on(one.space.system), q, qdot)  # on the motion itself, without corrections
    assert again.segments == truth.segments
    error = np.sqrt(np.mean(np.sum((again.force - truth.force) ** 2, axis=2), axis=0))
    assert (error < 0.05 * one.weight).all()


def test_the_published_law_gives_the_root_no_force():
    one = walk()
    walker = ContactTracked(
        pressed(), identified().on(one.space.system), BalanceOptions(balanced=False, stiffness=1e3, step_s=5e-4)
    )
    q, qdot = pressed().state(0.8)
    found = walker.evaluate(0.8, q, qdot)
    assert not found.effort[:6].any()
    run = simulate(walker, q, qdot, 0.1, 5e-4, start_s=0.8)
    assert run.ending is Ending.COMPLETED


def test_following_reactions_too_makes_the_walk_fall_and_leaving_the_root_out_does_not():
    """The order of the published Table 3.3: joints only (1) and all coordinates (2) stay up, with reactions (3) not."""
    one, contact = walk(), identified().on(walk().space.system)
    joints = np.concatenate([np.full(6, 1e-3), np.ones(one.space.size - 6)])  # as if the root were not followed
    reactions = ReactionReferences(measured())
    ended = []
    for weights, references in ((joints, None), (None, None), (None, reactions)):
        options = BalanceOptions(balanced=False, stiffness=1e3, weights=weights, step_s=5e-4)
        walker = ContactTracked(pressed(), contact, options, reactions=references)
        start = pressed().start_s
        run = simulate(walker, *pressed().state(start), pressed().duration_s, 5e-4, start_s=start)
        ended.append(run.ending)
        if references is None:
            assert away(run, 20).max() < 0.05
    assert ended == [Ending.COMPLETED, Ending.COMPLETED, Ending.DIVERGED]


def test_identification_is_repeatable_and_can_be_cancelled():
    one, few = walk(), IdentificationOptions(generations=2, population=2)
    first, second = (
        identified_contact(one.space.system, one.q, one.qdot, one.external, RATE_HZ, few) for _ in range(2)
    )
    assert first.rms_weights == second.rms_weights

    def stop(share: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        identified_contact(one.space.system, one.q, one.qdot, one.external, RATE_HZ, few, stop)


def test_a_foot_that_no_plate_measured_gets_the_spheres_of_the_other():
    one, few = walk(), IdentificationOptions(generations=2, population=2)
    force = np.array(one.external.force)
    force[:, [k for k, name in enumerate(one.external.segments) if name == "left foot"]] = 0.0
    found = identified_contact(one.space.system, one.q, one.qdot, replace(one.external, force=force), RATE_HZ, few)
    assert found.borrowed == ("left foot",)
    right, left = ([s for s in found.spheres if s.body == side] for side in ("right foot", "left foot"))
    for ours, theirs in zip(right, left, strict=True):
        np.testing.assert_allclose(np.asarray(theirs.centre), np.asarray(ours.centre) * [1.0, 1.0, -1.0])


def test_without_plates_there_is_a_sentence():
    one = walk()
    with pytest.raises(BiomecError, match="no foot stands on a plate"):
        identified_contact(one.space.system, one.q, one.qdot, no_loads(len(one.q)), RATE_HZ)


def test_options_refuse_what_cannot_be():
    with pytest.raises(BiomecError, match="bounds"):
        IdentificationOptions(stiffness=(2e6, 1e5))
    with pytest.raises(BiomecError, match="generation"):
        IdentificationOptions(generations=0)
    with pytest.raises(BiomecError, match="by nothing all three"):  # a part of them gave no correction at all
        IdentificationOptions(turn_deg=0.0)
    assert IdentificationOptions(place_mm=0.0, turn_deg=0.0, speed_m_s=0.0).place_mm == 0.0
    with pytest.raises(BiomecError, match="positive"):
        BalanceOptions(inertia=0.0)
