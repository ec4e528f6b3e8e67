"""What would change: every change against a closed form."""

import numpy as np
import pytest

from biomec.dynamics.external_loads import no_loads
from biomec.dynamics.forward.controllers import ControlOptions, reference_effort
from biomec.dynamics.forward.forces import together, weight
from biomec.dynamics.forward.joint_space import JointSpace
from biomec.dynamics.forward.prescribed_loads import PrescribedLoads
from biomec.dynamics.forward.tracking import Tracked, TrackingOptions, track
from biomec.dynamics.forward.what_if import WhatIf, changed_loads, changed_system, strengths
from biomec.dynamics.newton_euler import newton_euler
from biomec.dynamics.tree import joint_tree
from biomec.errors import BiomecError
from biomec.kinematics.segment_motion import segment_motion
from tests.core.dynamics.forward.followed import followed, ground_of, standing
from tests.core.dynamics.forward.mechanisms import mechanism, roots_of

FEET = ["right foot", "left foot"]


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
    wider = changed_loads(one.external, WhatIf(grip_m=d))
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
    # the weakened equation, with the errors of all freedoms: (1 − x)(M c_P e − Q̄)_j + Q̄_j = 0
    e = found.deviation[-1]
    balance = (1.0 - x) * (stiffness * (terms.M @ e)[part] - terms.Q_bar[part]) + terms.Q_bar[part]
    assert balance == pytest.approx(0.0, abs=1e-3 * abs(terms.Q_bar[part]))
    assert abs(e[part]) > 1e-4
    # exerted: exactly the weight's moment, as at any rest
    assert found.effort[-1, part] == pytest.approx(-terms.Q_bar[part], rel=1e-3)
    unchanged = track(reference, None, options, duration_s=0.1)
    assert np.abs(unchanged.deviation).max() < 1e-9


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
    assert changed_loads(no_loads(3), WhatIf(gravity=0.0)).frames == 3
    assert not WhatIf(grip_m=0.1).changes_reactions
    assert WhatIf(carried={"head": 1.0}).changes_reactions


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: WhatIf(mass=0.0), "positive"),
        (lambda: WhatIf(carried={"head": -1.0}), "negative"),
        (lambda: WhatIf(gravity=np.nan), "numbers"),
        (lambda: WhatIf(weakened={"neck": 1.2}), "0 to 1"),
        (lambda: changed_system(mechanism("m21"), WhatIf(masses={"tail": 2.0})), "no segment tail"),
        (lambda: changed_loads(no_loads(3), WhatIf(grip_m=0.1)), "no hand"),
        (lambda: strengths(followed().space, WhatIf(weakened={"tail": 0.5})), "no joint tail"),
    ],
)
def test_what_cannot_be_asked_is_refused(make, words):
    with pytest.raises(BiomecError, match=words):
        make()
