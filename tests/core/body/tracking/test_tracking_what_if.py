"""What would change: every change against a closed form."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.tracking.controllers import ControlOptions, reference_effort
from biomec.body.tracking.tracking import Tracked, TrackingOptions, track
from biomec.body.tracking.what_if import WhatIf, changed_loads, changed_system, shoulder_line, strengths
from biomec.engine.forces.applied import together, weight
from biomec.engine.forces.external_loads import no_loads
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads
from biomec.engine.tree.joint_dynamics import add_wrenches
from biomec.engine.tree.joint_tree import joint_tree
from tests.core.body.tracking.followed import followed, ground_of, standing
from tests.core.engine.forward.mechanisms import mechanism, roots_of

FEET = ["right foot", "left foot"]
UNKNOWN = np.zeros(3)  # the line of the shoulders, where it is not needed


def at_rest(what_if: WhatIf) -> tuple[JointSpace, np.ndarray]:
    """Efforts of a person who stands still and is held at the root."""
    space = JointSpace(changed_system(mechanism("m21"), what_if), roots_of("m21"))
    return space, reference_effort(standing(space), weight(space.system), 0.0)


def test_gravity_halved_halves_everything_at_rest():
    _, before = at_rest(WhatIf())
    _, after = at_rest(WhatIf(gravity=0.5))
    np.testing.assert_allclose(after, 0.5 * before, rtol=0, atol=1e-9)


def test_mass_doubled_doubles_everything_and_the_inertia():
    space, before = at_rest(WhatIf())
    heavier, after = at_rest(WhatIf(mass=2.0))
    np.testing.assert_allclose(after, 2.0 * before, rtol=0, atol=1e-9)
    difference = heavier.system.mass_matrix - 2.0 * space.system.mass_matrix
    assert np.abs(difference.toarray()).max() < 1e-12
    _, one = at_rest(WhatIf(masses={"head": 1.5}))
    head = next(body for body in space.system.bodies if body.name == "head")
    assert one[1] - before[1] == pytest.approx(0.5 * head.mass * 9.81, rel=1e-9)


def test_a_load_in_the_hand_hangs_on_the_wrist():
    """m g more through the wrist and through the root; the wrist's torque by the lever of the hand's centre of mass."""
    what_if, kg = WhatIf(carried={"right hand": 2.0}), 2.0
    loads = {}
    for name, change in (("before", WhatIf()), ("after", what_if)):
        system = changed_system(mechanism("m21"), change)
        q = standing(JointSpace(system, roots_of("m21"))).state(0.0)[0][None]
        still = np.zeros_like(q)
        motion = segment_motion(system, q, still, still)
        loads[name] = newton_euler(joint_tree(system, roots_of("m21")), motion, q, no_loads(1))
    wrist = loads["before"].index("right wrist")
    more = loads["after"].force[0, wrist] - loads["before"].force[0, wrist]
    np.testing.assert_allclose(more, [0.0, kg * 9.81, 0.0], rtol=0, atol=1e-9)

    space, before = at_rest(WhatIf())
    heavier, after = at_rest(what_if)
    np.testing.assert_allclose((after - before)[:3], [0.0, kg * 9.81, 0.0], rtol=0, atol=1e-9)
    q = standing(space).state(0.0)[0]
    com, centre = space.system.layout.point("right hand.com")(q), loads["before"].centre[0, wrist]
    about = np.cross(com - centre, [0.0, kg * 9.81, 0.0])
    wanted = space.efforts(q, {"right wrist": about})
    part = space.freedoms["right wrist"]
    np.testing.assert_allclose((after - before)[part], wanted[part], rtol=0, atol=1e-9)
    assert heavier.freedoms == space.freedoms


def test_a_wider_grip_adds_force_times_shift_to_the_wrist():
    one, k, d = followed(), 60, 0.1
    wider = changed_loads(one.external, WhatIf(grip_m=d), UNKNOWN)
    truth, space = one.acquisition.truth, one.space
    t = float(truth.time_s[k])
    efforts = [
        reference_effort(
            one.reference, together(weight(space.system), PrescribedLoads(space, truth.time_s, external)), t
        )
        for external in (one.external, wider)
    ]
    for side, sign in (("right", 1.0), ("left", -1.0)):
        hand = one.external.segments.index(f"{side} hand")
        moved = wider.point[k, hand] - one.external.point[k, hand]
        np.testing.assert_allclose(moved, [0.0, 0.0, 0.5 * sign * d], rtol=0, atol=1e-12)
        torque = -np.cross(moved, one.external.force[k, hand])  # the wrist balances what the ground adds
        part = space.freedoms[f"{side} wrist"]
        wanted = space.efforts(truth.q[k], {f"{side} wrist": torque})[part]
        np.testing.assert_allclose((efforts[1] - efforts[0])[part], wanted, rtol=0, atol=1e-6)
    feet = [i for i, name in enumerate(one.external.segments) if not name.endswith("hand")]
    np.testing.assert_array_equal(wider.point[:, feet], one.external.point[:, feet])


@pytest.mark.parametrize("turned_deg", [90.0, 180.0, 217.0])
def test_a_grip_widens_whichever_way_the_person_faces(turned_deg):
    """Hands of a person who faced backwards came closer instead, and then were refused as too far for their arms."""
    R, one, d = about_the_vertical(turned_deg), followed().external, 0.1
    turned = replace(one, point=one.point @ R.T, force=one.force @ R.T, moment=one.moment @ R.T)
    wider = changed_loads(turned, WhatIf(grip_m=d), UNKNOWN)
    as_it_was = changed_loads(one, WhatIf(grip_m=d), UNKNOWN)
    np.testing.assert_allclose(wider.point, as_it_was.point @ R.T, rtol=0, atol=1e-12)
    right, left = (one.segments.index(f"{side} hand") for side in ("right", "left"))
    apart = [np.linalg.norm(loads.point[60, right] - loads.point[60, left]) for loads in (turned, wider)]
    assert apart[1] - apart[0] == pytest.approx(d, rel=1e-9)


@pytest.mark.parametrize("turned_deg", [0.0, 90.0, 217.0])
@pytest.mark.parametrize(("side", "other", "sign"), [("right", "left", 1.0), ("left", "right", -1.0)])
def test_one_hand_alone_moves_along_the_line_of_the_shoulders(side, other, sign, turned_deg):
    """It moved along the laboratory's Z: forwards or inwards, if the person faced another way than along X."""
    R, one, d = about_the_vertical(turned_deg), followed(), 0.1
    loads, hand = one.external, one.external.segments.index(f"{side} hand")
    force = np.array(loads.force)
    force[:, loads.segments.index(f"{other} hand")] = 0.0
    turned = replace(loads, point=loads.point @ R.T, force=force @ R.T, moment=loads.moment @ R.T)
    q = np.array(one.acquisition.truth.q)
    q[0] = np.nan  # a frame that is not known
    line = shoulder_line(one.space.system, (q.reshape(len(q), -1, 3) @ R.T).reshape(q.shape))
    wider = changed_loads(turned, WhatIf(grip_m=d), line)
    # the virtual person faces along X before the turn, and is alike on both sides
    np.testing.assert_allclose(
        (wider.point - turned.point)[:, hand], np.tile(R @ [0.0, 0.0, 0.5 * sign * d], (len(q), 1)), atol=1e-9
    )


def about_the_vertical(angle_deg: float) -> np.ndarray:
    c, s = np.cos(np.deg2rad(angle_deg)), np.sin(np.deg2rad(angle_deg))
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def test_one_hand_of_a_body_without_shoulders_is_told():
    right = "right hand"
    one = followed().external
    at = [one.segments.index(right)]
    alone = replace(one, segments=(right,), point=one.point[:, at], force=one.force[:, at], moment=one.moment[:, at])
    legs = mechanism("pendulum")
    np.testing.assert_array_equal(shoulder_line(legs, legs.reference[None]), np.zeros(3))
    with pytest.raises(BiomecError, match="no two shoulders"):
        changed_loads(alone, WhatIf(grip_m=0.1), shoulder_line(legs, legs.reference[None]))


def test_a_weakened_joint_sags_until_its_error_makes_up_for_it():
    """At rest (1 − x)(M c_P e − Q̄) + Q̄ = 0 of the weakened freedom: e = −x/(1 − x) M⁻¹ Q̄/c_P, all others held."""
    system = mechanism("m21")
    space = JointSpace(system, roots_of("m21"))
    reference, joint, x = standing(space), "right elbow", 0.3
    strength = strengths(space, WhatIf(weakened={joint: x}))
    stiffness = 400.0
    options = TrackingOptions(ControlOptions(stiffness=stiffness), step_s=5e-3)
    found = track(reference, None, options, strength=strength, duration_s=1.0)
    assert found.completed
    assert np.abs(found.simulation.qdot[-1]).max() < 1e-4
    part = space.freedoms[joint].start
    q = found.simulation.q[-1]
    terms = space.terms(q, np.zeros(system.n), system.gravity_force)
    # the weakened equation: (1 − x)(M c_P e − Q̄)_j + Q̄_j = 0, and no other joint has left the movement
    e = found.deviation[-1]
    assert np.abs(np.delete(e, part)).max() < 1e-6 * abs(e[part])
    balance = (1.0 - x) * (stiffness * (terms.M @ e)[part] - terms.Q_bar[part]) + terms.Q_bar[part]
    assert balance == pytest.approx(0.0, abs=1e-3 * abs(terms.Q_bar[part]))
    assert abs(e[part]) > 1e-4
    # exerted: exactly the weight's moment, as at any rest
    assert found.effort[-1, part] == pytest.approx(-terms.Q_bar[part], rel=1e-3)
    unchanged = track(reference, None, options, duration_s=0.1)
    assert np.abs(unchanged.deviation).max() < 1e-9


def dense_terms(space: JointSpace, q: np.ndarray, w: np.ndarray, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M (g, g) and Q̄ (g,) with nothing but positions: velocities and bias by central differences, then RᵀMR."""

    def slopes(at: np.ndarray) -> np.ndarray:
        h = 1e-6
        return np.stack([space.moved(at, h * e) - space.moved(at, -h * e) for e in np.eye(space.size)], 1) / (2 * h)

    R, mass, h = slopes(q), space.system.mass_matrix.toarray(), 1e-4
    bias = (slopes(space.moved(q, h * w)) - slopes(space.moved(q, -h * w))) @ w / (2.0 * h)
    return R.T @ mass @ R, R.T @ (Q - mass @ bias)


@pytest.mark.parametrize("root", ["held", "free", "ground"])
@pytest.mark.parametrize("share", [0.3, 1.0])
def test_a_weakened_joint_exerts_its_share_and_no_other_effort_is_wrong_for_it(root, share):
    """Oracle: the equations as one dense system, [M −1; strong ẇ; weak u] (ẇ, u), nothing eliminated."""
    plain = JointSpace(mechanism("m17"), roots_of("m17"))
    reference = standing(plain)
    external = ground_of(plain, reference, FEET)
    ground = PrescribedLoads(plain, 0.1 * np.arange(12), external)
    what_if = WhatIf(weakened={"right elbow": share, "left hip": 0.5 * share})
    options = TrackingOptions(ControlOptions(root=root))
    tracked = Tracked(reference, ground, options, strengths(plain, what_if))
    rng = np.random.default_rng(5)
    q = plain.moved(reference.state(0.0)[0], 0.05 * rng.normal(size=plain.size))
    w, g = 0.5 * rng.normal(size=plain.size), plain.size
    found = tracked.evaluate(0.0, q, plain.velocities(q, w))

    M, Q = dense_terms(plain, q, w, tracked.loads(0.0, q, plain.velocities(q, w)))
    here = reference.at(0.0)
    wanted = here.wdot - options.control.c_D * w + options.control.stiffness * plain.deviation(q, here.pose)
    part = [*range(*plain.freedoms["right elbow"].indices(g)), *range(*plain.freedoms["left hip"].indices(g))]
    strong = np.setdiff1d(np.arange(6 if root == "free" else 0, g), part)

    def answer(extra: np.ndarray, weak_effort: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        one = np.eye(g)
        free = np.arange(6) if root == "free" else np.arange(0)
        rows = np.block([
            [M, -one], [one[strong], np.zeros((len(strong), g))], [np.zeros((len(part), g)), one[part]],
            [np.zeros((len(free), g)), one[free]],
        ])  # fmt: skip
        solved = np.linalg.solve(rows, np.concatenate([Q + extra, wanted[strong], weak_effort, np.zeros(len(free))]))
        return solved[:g], solved[g:]

    given = np.zeros(g)
    if root == "ground":  # what the ground adds, as reported, does the same work as forces and moments on the feet
        Q_ground = np.zeros(plain.system.n)
        force, moment = np.ascontiguousarray(found.change.swapaxes(0, 1))
        add_wrenches(plain.tables, q.copy(), ground.bodies, force, moment, Q_ground)
        given = plain.projected(q, Q_ground)
    if root == "free":  # all joints as strong as they were, and the root goes where it goes
        joints = slice(6, None)
        through = M[joints, :6] @ np.linalg.inv(M[:6, :6])
        full = (M[joints, joints] - through @ M[:6, joints]) @ wanted[joints] - (Q[joints] - through @ Q[:6])
        nominal = np.concatenate([np.zeros(6), full])
    else:
        nominal = M @ wanted - Q - given
    strength = strengths(plain, what_if)
    wdot, effort = answer(given, strength[part] * nominal[part])
    size = np.abs(effort).max()
    # central differences of h = 1e-4 leave 1e-8 of the bias, and of 1e-6 round-off 1e-10 of the slopes
    np.testing.assert_allclose(found.effort, effort, rtol=0, atol=1e-6 * size)
    np.testing.assert_allclose(found.wdot, wdot, rtol=0, atol=1e-6 * np.abs(wdot).max())
    assert np.abs(found.wdot - wanted)[strong].max() < 1e-8 * np.abs(wanted).max()  # they follow as if nothing were
    assert np.abs(found.wdot - wanted)[part].max() > 1.0  # the weak ones do not


def test_with_another_mass_the_ground_bears_the_difference():
    """Standing on both feet, loads recorded at 1 g of the body as it was: the ground adds m g of what is carried."""
    plain = JointSpace(mechanism("m21"), roots_of("m21"))
    external = ground_of(plain, standing(plain), FEET)
    space = JointSpace(changed_system(plain.system, WhatIf(carried={"left hand": 3.0})), roots_of("m21"))
    reference = standing(space)
    ground = PrescribedLoads(space, 0.1 * np.arange(12), external)
    tracked = Tracked(reference, ground, TrackingOptions(ControlOptions(root="ground")))
    q, qdot = reference.state(0.0)
    found = tracked.evaluate(0.0, q, qdot)
    np.testing.assert_allclose(found.change[:, 0].sum(axis=0), [0.0, 3.0 * 9.81, 0.0], rtol=0, atol=1e-6)
    place = space.system.layout.point("left hand.com")(q)
    moment = np.cross(place, [0.0, 3.0 * 9.81, 0.0])
    np.testing.assert_allclose(found.change[:, 1].sum(axis=0), moment, rtol=0, atol=1e-6)
    assert np.abs(found.wdot).max() < 1e-6
    assert not found.effort[:6].any()


def test_nothing_changes_where_nothing_is_asked():
    system = mechanism("m21")
    assert changed_system(system, WhatIf(grip_m=0.1, weakened={"neck": 0.5})) is system
    assert changed_loads(no_loads(3), WhatIf(gravity=0.0), UNKNOWN).frames == 3
    assert not WhatIf(grip_m=0.1).changes_reactions
    assert WhatIf(carried={"head": 1.0}).changes_reactions


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: WhatIf(mass=0.0), "positive"),
        (lambda: WhatIf(carried={"head": -1.0}), "negative"),
        (lambda: WhatIf(gravity=np.nan), "numbers"),
        (lambda: WhatIf(weakened={"neck": 1.2}), "0 to 1"),
        (lambda: WhatIf(grip_m=50.0), "nobody's hands reach 2 m apart"),
        (lambda: changed_loads(followed().external, WhatIf(grip_m=1.9), UNKNOWN), "are too short"),
        (lambda: changed_loads(followed().external, WhatIf(grip_m=-1.0), UNKNOWN), "they would cross"),
        (lambda: changed_system(mechanism("m21"), WhatIf(masses={"tail": 2.0})), "no segment tail"),
        (lambda: changed_loads(no_loads(3), WhatIf(grip_m=0.1), UNKNOWN), "no hand"),
        (lambda: strengths(followed().space, WhatIf(weakened={"tail": 0.5})), "no joint tail"),
    ],
)
def test_what_cannot_be_asked_is_refused(make, words):
    with pytest.raises(BiomecError, match=words):
        make()
