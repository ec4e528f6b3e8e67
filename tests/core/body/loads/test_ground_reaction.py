"""Ground reactions without plates: the whole exact, the parts within stated errors of the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.floor_contacts import FloorOptions, floor_contacts, measured_frames, off_plates
from biomec.body.loads.ground_reaction import (
    EstimatedReaction,
    ReactionOptions,
    SharedContact,
    estimated_reaction,
    shared_reactions,
)
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import no_loads
from biomec.io import import_session
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.loads import measured_loads
from biomec.signals.stretches import stretches
from tests.core.body.loads.performed import RATE_HZ, Performed, on_segment, performed
from tests.real_data import recording


def estimate(one: Performed, **given: object) -> EstimatedReaction:
    return estimated_reaction(one.system, one.motion, one.q, one.qdot, RATE_HZ, **given)  # type: ignore[arg-type]


def body_weight(one: Performed) -> float:
    return float(one.motion.mass.sum()) * 9.81


@pytest.mark.parametrize("movement", ["push-up", "squat", "walk"])
def test_the_whole_is_exact(movement: str) -> None:
    one = performed(movement)
    found = estimate(one)
    assert not found.airborne.any()
    assert found.loads.estimated.all()
    loads = one.loads(found.loads)
    assert np.abs(loads.residual_force).max() < 1e-9
    assert np.abs(loads.residual_torque).max() < 1e-9


@pytest.mark.parametrize(
    ("movement", "vertical", "worst"),
    [
        ("squat", 0.001, 0.002),  # feet side by side: the moment decides; share of body weight
        ("push-up", 0.005, 0.005),  # four contacts: one combination of them is free
        ("walk", 0.07, 0.20),  # in double support, where the centre of pressure lies within the feet is not known
    ],
)
def test_vertical_force_of_every_limb(movement: str, vertical: float, worst: float) -> None:
    one = performed(movement)
    found = estimate(one)
    for segment in found.contacts.segments:
        error = on_segment(found.loads, segment)[0] - on_segment(one.external, segment)[0]
        assert np.sqrt((error[:, 1] ** 2).mean()) < vertical * body_weight(one)
        assert np.abs(error[:, 1]).max() < worst * body_weight(one)


def test_single_support_is_exact() -> None:
    one = performed("walk")
    found = estimate(one)
    single = found.contacts.touching.sum(axis=1) == 1
    assert 0.3 < single.mean() < 0.8  # of the stride
    for segment in found.contacts.segments:
        for ours, true in zip(on_segment(found.loads, segment), on_segment(one.external, segment), strict=True):
            assert np.abs(ours - true)[single].max() < 1e-7  # the contact bears all; moments about the origin, 1e3 N m


def test_no_contact_pulls_and_friction_is_told() -> None:
    one = performed("walk")
    found = estimate(one)
    assert found.loads.force[..., 1].min() > -1e-6
    bears = np.isfinite(found.friction)
    horizontal = np.hypot(found.loads.force[..., 0], found.loads.force[..., 2])
    assert np.allclose(found.friction[bears], horizontal[bears] / found.loads.force[..., 1][bears])
    assert 0.05 < np.nanmax(found.friction) < 0.8
    assert not [n for n in found.notices if n.code == "estimated-slip"]
    strict = estimate(one, options=ReactionOptions(friction=0.05))
    assert [n for n in strict.notices if n.code == "estimated-slip"]


def test_a_contact_that_would_pull_is_let_go() -> None:
    """The body leans over one foot: a pure sum would let the other foot pull."""
    one = performed("squat")
    at = slice(0, 5)
    tilted = segment_motion(one.system, one.q[at], one.qdot[at], one.qddot[at])
    shift = np.array([0.0, 0.0, 0.4])
    aside = replace(tilted, p_com=tilted.p_com + shift, whole_body_com=tilted.whole_body_com + shift)
    found = estimated_reaction(one.system, aside, one.q[at], one.qdot[at], RATE_HZ)
    left = found.loads.segments.index("left foot")
    assert np.abs(found.loads.force[:, left]).max() == 0.0
    asked = (one.motion.mass[:, None] * (aside.a_com[..., 1] + 9.81).T).sum(axis=0)
    assert np.allclose(found.loads.total_force[:, 1], asked, rtol=1e-9)
    assert [n for n in found.notices if n.code == "estimated-outside-contact"]


def test_measured_frames_stay_and_the_rest_is_completed() -> None:
    one = performed("walk")
    first = one.external.force[:, 0]  # a footfall without a plate
    force = one.external.force.copy()
    force[:, 0] = 0.0
    measured = replace(one.external, force=read_only(force))
    found = estimate(one, measured=measured)
    off_plate = np.abs(first).max(axis=1) > 0.0
    floor = found.contacts
    assert (found.loads.estimated & off_plate).sum() >= 0.9 * off_plate.sum()
    whole = measured_frames(floor, measured)
    assert whole.any()
    assert not (whole & found.loads.estimated).any()
    assert np.array_equal(found.loads.force[whole, : len(one.external.segments)], measured.force[whole])
    assert np.abs(one.loads(found.loads).residual_force[found.loads.estimated]).max() < 1e-9
    error = on_segment(found.loads, one.external.segments[0])[0] - on_segment(one.external, one.external.segments[0])[0]
    # with the other foot measured, the missing one is what the motion lacks: exact, where contact is seen in time
    assert np.median(np.abs(error[off_plate & found.loads.estimated])) < 1e-9


def test_standing_still_without_plates() -> None:
    one = performed("squat")
    q = np.repeat(one.system.reference[None], 4, axis=0)
    still = segment_motion(one.system, q, np.zeros_like(q), np.zeros_like(q))
    loads = newton_euler(one.tree, still, q, no_loads(4))
    assert np.abs(loads.residual_force - [0.0, body_weight(one), 0.0]).max() < 1e-9
    found = estimated_reaction(one.system, still, q, np.zeros_like(q), RATE_HZ)
    assert set(found.segments) == {"right foot", "left foot"}
    assert np.abs(newton_euler(one.tree, still, q, found.loads).residual_force).max() < 1e-9


def test_a_jump_has_no_contact() -> None:
    one = performed("squat")
    q = np.repeat(one.system.reference[None], 30, axis=0)
    up = np.zeros((30, one.system.n))
    for body in one.system.bodies:
        for k, element in enumerate(body.basis):
            if element in body.points:
                up[:, one.system.layout.columns(body.name)[3 * k + 1]] = 1.0
    rise = np.concatenate([np.zeros(10), np.full(20, 0.3)])[:, None]
    moved = q + up * rise
    floor = floor_contacts(one.system, moved, np.zeros_like(moved), RATE_HZ)
    assert floor.touching[:10].all()
    assert not floor.touching[11:].any()
    free_fall = segment_motion(one.system, moved, np.zeros_like(moved), -9.81 * up)
    found = estimated_reaction(one.system, free_fall, moved, np.zeros_like(moved), RATE_HZ)
    assert not found.airborne.any()  # nothing is asked for in free fall
    hanging = segment_motion(one.system, moved, np.zeros_like(moved), 0.0 * up)
    found = estimated_reaction(one.system, hanging, moved, np.zeros_like(moved), RATE_HZ)
    assert found.airborne[11:].all()
    assert [n for n in found.notices if n.code == "nothing-touches"]


def test_missing_frames_touch_nothing() -> None:
    one = performed("squat")
    q, qdot = one.q.copy(), one.qdot.copy()
    q[40:60] = qdot[40:60] = np.nan
    floor = floor_contacts(one.system, q, qdot, RATE_HZ)
    assert not floor.touching[40:60].any()
    assert floor.touching[:39].all()
    assert np.isfinite(floor.point).all()
    motion = segment_motion(one.system, q, qdot, one.qddot)
    found = estimated_reaction(one.system, motion, q, qdot, RATE_HZ)
    assert not found.loads.estimated[40:60].any()


def test_wrong_input_is_told() -> None:
    one = performed("squat")
    with pytest.raises(BiomecError, match="must match"):
        estimate(one, measured=no_loads(3))
    with pytest.raises(BiomecError, match="positive"):
        FloorOptions(lift_m=0.0)
    with pytest.raises(BiomecError, match="positive"):
        ReactionOptions(friction=-1.0)


def test_a_plate_knows_best_when_a_contact_begins_and_ends() -> None:
    """Contacts seen some frames too early beside a measured one stay measured frames; nothing is estimated there."""
    one = performed("walk")
    seen = floor_contacts(one.system, one.q, one.qdot, RATE_HZ)
    right = seen.segments.index("right foot")
    loaded = np.abs(on_segment(one.external, "right foot")[0]).max(axis=1) > 0.0
    early = seen.touching[:, right] & ~loaded
    assert early.any()
    assert not off_plates(seen, one.external)[:, right].any()
    assert measured_frames(seen, one.external).all()
    patient = floor_contacts(one.system, one.q, one.qdot, RATE_HZ, FloorOptions(edge_s=1e-6))
    assert np.array_equal(off_plates(patient, one.external)[:, right], early)


def test_a_real_walk_agrees_with_its_plates() -> None:
    """Both feet of a child with Plug-in Gait markers, estimated without looking at the two plates."""
    dynamic, static = (recording("gait_pig_pair", f"HC030A0{k}.c3d") for k in (5, 1))
    analysis = Analysis(import_session(dynamic, static=static)).run_until("segments")
    system, motion, rate = analysis.body.person.system, analysis.motion, analysis.signals.trial.rate_hz
    plates = measured_loads(analysis.body.contacts, analysis.signals.trial.frames)
    found = estimated_reaction(system, analysis.segments, motion.q, motion.qdot, rate)
    weight = 9.81 * float(analysis.segments.mass.sum())
    together = measured_frames(found.contacts, plates) & np.isfinite(motion.qddot).all(axis=1)
    assert together.sum() > 80
    for segment in ("right foot", "left foot"):
        touches = stretches(found.contacts.touching[:, found.contacts.segments.index(segment)])
        measured, guess = (on_segment(loads, segment)[0] for loads in (plates, found.loads))
        (on, off), *_ = stretches(np.abs(measured[:, 1]) > 0.0).tolist()
        assert np.abs(touches[:, 0] - on).min() <= 2  # frames, at 100 Hz
        assert np.abs(touches[:, 1] - off).min() <= 4
        assert np.corrcoef(measured[together, 1], guess[together, 1])[0, 1] > 0.98
        error = (guess - measured)[together]
        assert np.sqrt((error**2).mean(axis=0)).max() < 0.07 * weight  # 5 % vertical, 4.5 % forward


def contact(name: str, x: float, stiffness: float = 1.0, frames: int = 2) -> SharedContact:
    still = np.zeros((frames, 3))
    point = np.broadcast_to([x, 0.0, 0.0], (frames, 3))
    return SharedContact(name, name, point, np.full(frames, stiffness), np.full((frames, 3), 1e-6), still)


def load(x: float, frames: int = 2) -> tuple[FloatArray, FloatArray]:
    force = np.broadcast_to([0.0, 600.0, 0.0], (frames, 3))
    return force, np.cross(np.broadcast_to([x, 0.0, 0.0], (frames, 3)), force)


@pytest.mark.parametrize("x", [0.0, 0.1, 0.25])
def test_two_points_share_as_a_beam_on_two_supports(x: float) -> None:
    found = shared_reactions(*load(x), [contact("a", -0.25), contact("b", 0.25)])
    assert np.allclose(found["b"].force[:, 1], 600.0 * (x + 0.25) / 0.5, atol=1e-3)  # levers of a micrometre
    assert np.allclose(found["a"].force + found["b"].force, [0.0, 600.0, 0.0], atol=1e-9)


def test_stiffness_decides_where_geometry_does_not() -> None:
    found = shared_reactions(*load(0.0), [contact("a", 0.0, 3.0), contact("b", 0.0, 1.0)])
    assert np.allclose(found["a"].force[:, 1], 450.0)
    assert np.allclose(found["b"].force[:, 1], 150.0)


def test_free_fall_asks_for_nothing() -> None:
    none = np.zeros((2, 3))
    found = shared_reactions(none, none, [contact("a", 0.0), contact("b", 0.1)])
    assert np.abs(found["a"].force).max() == 0.0


def test_nothing_that_bears_is_told() -> None:
    with pytest.raises(BiomecError, match="Too few"):
        shared_reactions(*load(0.0), [contact("a", 0.0, 0.0)])
