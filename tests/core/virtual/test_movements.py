"""Movements obey the model at every level, stand where they press, and are borne by forces that balance."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.loads.ground_reaction import shared_reactions
from biomec.engine import PointContacts, Projector
from biomec.engine.joints import EllipsoidContact, Revolute, Spherical, Universal
from biomec.engine.reference.trees import ReferenceJoint, ReferenceTree, TreeBody
from biomec.virtual import ArmElevation, AssistedWalk, PushUp, VirtualPerson, Walk, model_of
from biomec.virtual.jets import Jet
from biomec.virtual.loads import carried_loads, required_wrench
from biomec.virtual.movement import SIDES
from biomec.virtual.person import MIRROR
from biomec.virtual.skeleton import Skeleton
from biomec.virtual.upright import sole
from biomec.virtual.walking import foot_curves
from tests.core.virtual.performances import MAN, MOVEMENTS, WOMAN, Performed, performed
from tests.oracles.newton_euler import BodyMotion, Turn, Wrench, newton_euler

ALL = pytest.mark.parametrize("name", MOVEMENTS)
PEOPLE = pytest.mark.parametrize("person", [MAN, WOMAN], ids=["man", "woman"])


@ALL
@PEOPLE
def test_coordinates_velocities_and_accelerations_obey_every_constraint(name: str, person: VirtualPerson) -> None:
    """The movement was made by turning joints; the equations of the engine had no part in it."""
    one = performed(name, person)
    system, q = one.model.system, one.q
    some = slice(None, None, 7)  # dense Jacobians of every frame would be large
    jacobian = system.jacobian(q.value[some])
    # round-off of sums of products below 10 (velocities up to 10 m/s, accelerations up to 300 m/s²)
    assert np.abs(system.residual(q.value)).max() < 1e-12
    assert np.abs(np.einsum("tmn,tn->tm", jacobian, q.rate[some])).max() < 1e-11
    bias = system.acceleration_rhs(q.value[some], q.rate[some])
    assert np.abs(np.einsum("tmn,tn->tm", jacobian, q.acceleration[some]) - bias).max() < 1e-9


@ALL
def test_velocities_are_derivatives_of_positions(name: str) -> None:
    one = performed(name, MAN, 50.0)
    movement, h = MOVEMENTS[name], 1e-4
    time_s = one.performance.time_s[5::9]
    before, after = (one.skeleton.coordinates(movement.perform(one.skeleton, time_s + d).placed) for d in (-h, h))
    # truncation h²/6 × third derivative: below 1e-8/6 × 1e4 (a swinging foot); accelerations ten times that
    np.testing.assert_allclose(one.q.rate[5::9], (after.value - before.value) / (2 * h), rtol=0, atol=3e-5)
    np.testing.assert_allclose(one.q.acceleration[5::9], (after.rate - before.rate) / (2 * h), rtol=0, atol=5e-3)


@ALL
@PEOPLE
def test_reactions_balance_weight_and_inertia(name: str, person: VirtualPerson) -> None:
    """Newton-Euler from the hands and feet to the thorax leaves nothing over there."""
    one = performed(name, person)
    tree, motions = _tree(one), _motions(one)
    outside: dict[str, list[Wrench]] = {}
    for reaction in one.reactions.values():
        outside.setdefault(reaction.segment, []).append(Wrench(reaction.point, reaction.force, reaction.moment))
    found = newton_euler(tree, motions, np.array([0.0, -9.81, 0.0]), outside)
    # sums of some 700 N and, walking, of 700 N × 3 m: round-off, times the conditioning of the sums over 21 bodies
    assert np.abs(found["root"].force).max() < 1e-8
    assert np.abs(found["root"].moment).max() < 1e-8


@ALL
@PEOPLE
def test_the_ground_only_pushes_and_nothing_slips(name: str, person: VirtualPerson) -> None:
    one = performed(name, person)
    weight = 9.81 * person.mass_kg
    for reaction in one.reactions.values():
        vertical = reaction.force[:, 1]
        assert vertical.min() > -1e-9
        loaded = vertical > 0.03 * weight
        friction = np.hypot(reaction.force[:, 0], reaction.force[:, 2])
        assert (friction[loaded] < 0.5 * vertical[loaded]).all()  # rubber on a plate: 0.8 and more


@ALL
@PEOPLE
def test_what_presses_on_the_floor_does_not_move(name: str, person: VirtualPerson) -> None:
    """The material point at the centre of pressure has no velocity, as the temporary constraints ask."""
    one = performed(name, person)
    for reaction in one.reactions.values():
        loaded = reaction.force[:, 1] > 20.0
        if not loaded.any():
            continue
        placed = one.performance.placed[reaction.segment]
        R, Rdot = placed.turn.value[loaded], placed.turn.rate[loaded]
        arm = np.einsum("tji,tj->ti", R, reaction.centre_of_pressure()[loaded] - placed.now.value[loaded])
        velocity = placed.now.rate[loaded] + np.einsum("tij,tj->ti", Rdot, arm)
        assert np.abs(velocity).max() < 1e-12


@pytest.mark.parametrize("name", ["push-up, closed grip", "squat"])
def test_held_points_are_what_the_engine_means_by_contacts(name: str) -> None:
    """With contacts at the centres of pressure, projecting velocities and accelerations changes nothing."""
    one = performed(name)
    system, q = one.model.system, one.q
    points = {r.segment: r.centre_of_pressure() for r in one.reactions.values()}
    contacts = PointContacts.at(system.layout, q.value, points)
    projector = Projector(system, contacts=contacts)
    velocities = projector.velocities(q.value, q.rate)
    accelerations = projector.accelerations(q.value, q.rate, q.acceleration)
    # what a penalty of 1e7 makes of round-off: 1e-15 × conditioning of some 1e4
    np.testing.assert_allclose(velocities.value, q.rate, rtol=0, atol=1e-10)
    np.testing.assert_allclose(accelerations.value, q.acceleration, rtol=0, atol=1e-9)


@ALL
@PEOPLE
def test_centres_of_pressure_lie_under_hands_and_feet(name: str, person: VirtualPerson) -> None:
    one = performed(name, person)
    for reaction in one.reactions.values():
        loaded = reaction.force[:, 1] > 20.0
        if not loaded.any():
            continue
        cop = reaction.centre_of_pressure()[loaded]
        assert np.abs(cop[:, 1]).max() < 1e-12
        side, _, part = reaction.segment.partition(" ")
        code = "D" if side == "right" else "E"
        names = ("CAP", "MC2", "MC5") if part == "hand" else ("CALC", "MT1", "MT5")
        layout = one.model.system.layout
        if f"TIP_{code}" in layout.bodies[reaction.segment].points:
            names = ("TIP",)
        corners = np.stack([layout.point(f"{reaction.segment}.{n}_{code}")(one.q.value[loaded]) for n in names], axis=1)
        # within the box around the landmarks, widened by 4 cm: toes and fingers reach beyond them
        low, high = corners.min(axis=1) - 0.04, corners.max(axis=1) + 0.04
        assert ((cop >= low) & (cop <= high))[:, [0, 2]].all()


@pytest.mark.parametrize("name", [name for name in MOVEMENTS if not name.startswith("walk")])
def test_movements_of_both_sides_are_mirror_images(name: str) -> None:
    one = performed(name)
    points = one.model.points_of(one.q.value)
    for key, place in points.items():
        # tables of inertia are not symmetric about the midline; both sides are solved by themselves, to 1e-13 in angles
        if key.startswith("right ") and not key.endswith(".com"):
            other = key.replace("right ", "left ").replace("_D", "_E")
            np.testing.assert_allclose(points[other], MIRROR * place, rtol=0, atol=1e-11)


def test_a_walker_repeats_itself_on_the_other_side_half_a_stride_later() -> None:
    one, walk = performed("walk"), MOVEMENTS["walk"]
    assert isinstance(walk, Walk)
    time_s = np.arange(40) / 40.0
    early, late = (
        one.model.points_of(one.skeleton.coordinates(walk.perform(one.skeleton, time_s + shift).placed).value)
        for shift in (0.0, 0.5 * walk.stride_s)
    )
    step = np.array([walk.step * MAN.height_m, 0.0, 0.0])
    # feet exactly; the rest as far as tables of inertia that are not symmetric let the pelvis sway alike
    for name, tolerance in (("foot.CALC", 1e-12), ("thigh.KJC", 1e-3), ("humerus.PME", 3e-3)):
        there = MIRROR * early[f"right {name}_D"] + step
        np.testing.assert_allclose(late[f"left {name}_E"], there, rtol=0, atol=tolerance)


def test_push_ups_take_their_published_time_and_amplitude() -> None:
    """[Nunes2017]: phase change at 56 %; humerus 82.9 ± 11.6° closed and 69.2 ± 13.7° open; scapula 31.4 and 29.6°."""
    for grip, humerus, scapula in (("closed", 82.9, 31.4), ("open", 69.2, 29.6)):
        one = performed(f"push-up, {grip} grip", MAN, 100.0)
        elbow = _flexion(one, "right humerus", "right ulna")
        movement = MOVEMENTS[f"push-up, {grip} grip"]
        assert isinstance(movement, PushUp)
        frames = movement.cycle_s * 100.0
        start = movement.lead_s * 100.0
        assert np.argmin(elbow[: int(start + 0.3 * frames)]) == pytest.approx(start, abs=1.0)
        assert np.argmax(elbow) == pytest.approx(start + 0.56 * frames, abs=2.0)
        assert np.rad2deg(np.ptp(_flexion(one, "thorax", "right humerus"))) == pytest.approx(humerus, abs=3.0)
        assert np.rad2deg(np.ptp(_protraction(one, "thorax", "right scapula"))) == pytest.approx(scapula, abs=3.0)


def test_push_ups_keep_hands_and_toes_on_their_plates() -> None:
    one = performed("push-up, closed grip")
    assert {plate.name for plate in one.performance.plates} == {"Mao_D", "Mao_E", "Pe_D", "Pe_E"}
    for plate in one.performance.plates:
        size = np.ptp(plate.corners, axis=0)
        np.testing.assert_allclose(size, [0.6, 0.0, 0.4], atol=1e-12)
        cop = one.reactions[plate.name].centre_of_pressure()
        assert (cop >= plate.corners.min(axis=0) - 1e-12).all()
        assert (cop <= plate.corners.max(axis=0) + 1e-12).all()
    hands, feet = one.reactions["Mao_D"].force[:, 1], one.reactions["Pe_D"].force[:, 1]
    share = hands / (hands + feet)
    assert 0.62 < share.min() < share.max() < 0.80  # published: 69 % of body weight up, 75 % down (Suprak 2011)


def test_the_arm_is_raised_in_the_rhythm_of_the_shoulder() -> None:
    """The scapula turns up by a third of what the humerus turns on the thorax."""
    one = performed("arm flexion")
    attitudes = one.model.attitudes(one.q.value)
    raised = _flexion(one, "thorax", "right humerus")
    spine = np.einsum("ti,ti->t", attitudes["right scapula"][..., 2], attitudes["thorax"][..., 1])
    turned = np.arcsin(spine)
    np.testing.assert_allclose(turned - turned[0], (raised - raised[0]) / 3.0, rtol=0, atol=1e-12)
    assert np.rad2deg(np.ptp(raised)) == pytest.approx(110.0, abs=0.05)  # the top lies between two frames


def test_walking_has_the_usual_phases() -> None:
    """Stance 60 %, plates struck one after the other, forces with two humps of the usual size."""
    one = performed("walk", MAN, 100.0)
    weight = 9.81 * MAN.mass_kg
    full = [r.force[:, 1] for r in one.reactions.values() if r.force[0, 1] == r.force[-1, 1] == 0.0]
    assert len(full) >= 2
    for vertical in full:
        stance = (vertical > 20.0).sum() / 100.0 / 1.15
        assert 0.54 < stance < 0.61
        inside = vertical[vertical > 0.0]
        third = len(inside) // 3
        valley, hump = inside[third : 2 * third].min() / weight, inside[:third].max() / weight
        assert 0.68 < valley < 0.8 * hump < 0.8 * 1.4  # it was 0.73 while the other foot swung through the floor
        assert inside[-third:].max() / weight > inside[third : 2 * third].min() / weight
    labels = {(event.label, event.context) for event in one.performance.events}
    assert labels == {(what, who) for what in ("Foot Strike", "Foot Off") for who in ("Left", "Right")}


@pytest.mark.parametrize("side", SIDES)
def test_feet_swing_above_the_floor(side: str) -> None:
    """The heads of the metatarsals were dragged 36 mm below where they stand: through the floor."""
    skeleton = performed("walk", MAN, 100.0).skeleton
    strides = Jet.still(np.linspace(0.0, 0.9999, 400))
    foot, code = foot_curves(skeleton, side, strides, 1.0, 0.05).placed, SIDES[side][0]
    for point, place in sole(skeleton, side).items():
        assert foot.point(place).value[:, 1].min() > -1e-6, point  # two smooth steps end together
    for name in ("MT1", "MT5"):
        place = skeleton.point(f"{side} foot.{name}_{code}")
        height = foot.point(place).value[:, 1]
        assert height.min() > 0.3 * place[1]  # of a stiff foot, as it leaves the floor with its heel up
        assert height[strides.value > 0.78].min() > 1.2 * place[1]  # where the other leg has been passed


@pytest.mark.parametrize("name", MOVEMENTS)
@pytest.mark.parametrize("person", [VirtualPerson(45.0, 1.45, "female"), VirtualPerson(120.0, 2.05, "male")], ids=str)
def test_small_and_tall_people_can_do_it(name: str, person: VirtualPerson) -> None:
    one = performed(name, person, 10.0)
    assert np.abs(one.model.system.residual(one.q.value)).max() < 1e-12
    assert min(reaction.force[:, 1].min() for reaction in one.reactions.values()) > -1e-9


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: PushUp("wide"), "grip"),  # type: ignore[arg-type]
        (lambda: PushUp(cycles=0), "cycles"),
        (lambda: PushUp(phase_change=0.9), "phase"),
        (lambda: ArmElevation("sideways"), "plane"),  # type: ignore[arg-type]
        (lambda: ArmElevation(elevation_deg=170.0), "130"),
        (lambda: Walk(stride_s=-1.0), "stride_s"),
    ],
)
def test_absurd_movements_are_refused(make, word) -> None:
    with pytest.raises(BiomecError, match=word):
        make()


def test_a_step_too_long_is_said() -> None:
    one = performed("walk", MAN, 50.0)
    with pytest.raises(BiomecError, match="does not reach"):
        Walk(strides=1, step=0.6).perform(one.skeleton, np.arange(20) / 50.0)


# ------------------------------------------------------------------------------------------------------------ helpers
def _relative(one: Performed, proximal: str, distal: str) -> np.ndarray:
    attitudes = one.model.attitudes(one.q.value)
    return np.swapaxes(attitudes[proximal], -1, -2) @ attitudes[distal]


def _flexion(one: Performed, proximal: str, distal: str) -> np.ndarray:
    """First angle of Z-X-Y: a = atan2(−R01, R11)."""
    R = _relative(one, proximal, distal)
    return np.arctan2(-R[:, 0, 1], R[:, 1, 1])


def _protraction(one: Performed, proximal: str, distal: str) -> np.ndarray:
    """First angle of Y-X-Z: a = atan2(R02, R22)."""
    R = _relative(one, proximal, distal)
    return np.arctan2(R[:, 0, 2], R[:, 2, 2])


def _tree(one: Performed) -> ReferenceTree:
    """The body as a tree that hangs on the thorax; the scapulae touch the ribs without force."""
    system = one.model.system
    bodies, joints = [], [ReferenceJoint("root", "free", "ground", "thorax", one.skeleton.point("thorax.IJ"))]
    for body in system.bodies:
        com = one.skeleton.point(f"{body.name}.com")
        bodies.append(TreeBody(body.name, body.basis, {}, body.attitude_matrix, body.mass, body.inertia_matrix, com))
    for item in system.constraints:
        if isinstance(item, Spherical | Revolute | Universal):
            parent, child = (end.partition(".")[0] for end in (item.proximal, item.distal))
            joints.append(ReferenceJoint(item.name, "spherical", parent, child, one.skeleton.point(item.proximal)))
        else:
            assert isinstance(item, EllipsoidContact)
    return ReferenceTree(tuple(bodies), tuple(joints))


def _motions(one: Performed) -> dict[str, BodyMotion]:
    """Motion of every body out of natural coordinates: attitude, ω = G q̇, ω̇ = G q̈, and its centre of mass."""
    layout, q = one.model.system.layout, one.q
    attitudes = one.model.attitudes(q.value)
    found = {}
    for body in one.model.system.bodies:
        parts = [layout.body_coordinates(level, body.name) for level in q.parts]
        G = body.angular_velocity_map(parts[0])
        w, wdot = (np.einsum("tij,tj->ti", G, part) for part in parts[1:])
        com = layout.point(f"{body.name}.com")
        R = attitudes[body.name] @ body.attitude_matrix.T
        place = one.skeleton.point(f"{body.name}.com")
        found[body.name] = BodyMotion(Turn(R, w, wdot), place, *(com(level) for level in q.parts))
    return found


def test_locks_bear_the_whole_torque_of_paralysed_knees() -> None:
    """Motion and stiffness agree: what a knee carries is what its lock gives at that angle, but for fast harmonics."""
    subject = model_of(WOMAN, "m18-orthoses", "gait-43")
    skeleton, walk = Skeleton(subject.system), AssistedWalk(strides=1, paralysed=True)
    performance = walk.perform(skeleton, np.arange(40) / 20.0)
    q = skeleton.coordinates(performance.placed)
    wrench = required_wrench(subject.system, performance.placed)
    carried = carried_loads(skeleton, performance.placed, shared_reactions(*wrench, performance.contacts))
    for spring, element in zip(subject.springs, subject.elements, strict=True):
        if "knee" in spring.name:
            lock = element.state(subject.system, q.value, q.rate).force
            side = spring.name.partition(" ")[0]
            axis = performance.placed[f"{side} thigh"].direction(skeleton.direction(f"{side} thigh.z")).value
            torque = np.einsum("ti,ti->t", carried[spring.joint].torque, axis)
            assert np.ptp(torque) > 30.0
            assert np.abs(torque - lock).max() < 3.0
    with pytest.raises(BiomecError, match='need orthoses = "two"'):
        AssistedWalk(orthoses="none", paralysed=True)
