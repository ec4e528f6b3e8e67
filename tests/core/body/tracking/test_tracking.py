"""A body that follows a movement: laws of control, integrators, what fails and how it is told.

Figures of [Mouzo2018] for a walk (1 ms, c_P = 1e3) are bounds of the order of magnitude: computed torque 1e-6 m,
1e-4 rad, 1 N, 0.1 N m; joints only, under prescribed reactions, 6e-4 m and 9e-4 rad.
"""

import numpy as np
import pytest
from scipy import linalg

from biomec.base.errors import BiomecError
from biomec.body.tracking.controllers import Controller, ControlOptions
from biomec.body.tracking.tracking import JOINT_STEPS, Tracked, Tracking, TrackingOptions, track
from biomec.engine.forces.applied import together, weight
from biomec.engine.forward.integrators import INTEGRATORS, IntegratorOptions
from biomec.engine.forward.simulation import Ending
from tests.core.body.tracking.followed import Followed, followed

GROUPS = ("root place [m]", "angles [rad]", "root force [N]", "root torque [N m]", "joint torques [N m]")


def run(options: TrackingOptions, one: Followed | None = None, **more) -> Tracking:
    one = one or followed()
    return track(one.reference, one.ground, options, **more)


def controlled(*given, **more) -> TrackingOptions:
    return TrackingOptions(ControlOptions(*given, **more))


def test_computed_torque_follows_within_the_published_orders():
    found = run(TrackingOptions())
    assert found.completed
    published = dict(zip(GROUPS, (1e-6, 1e-4, 1.0, 0.1, 0.1), strict=True))
    assert all(found.rms[name] < 10.0 * bound for name, bound in published.items())
    assert found.rms["root place [m]"] < 5e-6  # a push-up is slower than a walk
    assert found.simulation.violation.max() < 1e-11
    assert found.simulation.rate_violation.max() < 1e-9
    assert found.deviation.shape == found.effort.shape == (len(found.time_s), 48)


def test_every_integrator_errs_by_its_own_order():
    """Halving the step divides the errors by 2, 2, 4 and 16: a constant acceleration is Euler's rule for velocities.

    Two passes of the trapezoidal corrector leave (c_D h)³ of its change, so that its order shows at short steps only.
    """
    for method in JOINT_STEPS:
        order = INTEGRATORS[method].order
        step = 2e-3 if order == 2 else 8e-3
        errors = []
        for h in (step, step / 2):
            found = run(TrackingOptions(integrator=method, step_s=h), duration_s=0.6)
            errors.append(float(np.sqrt(np.mean(found.deviation**2))))
        assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35), method


@pytest.mark.parametrize("options", [IntegratorOptions("trapezoidal"), IntegratorOptions("adams")])
def test_integrators_in_natural_coordinates_follow_too(options):
    found = run(TrackingOptions(integrator=options), duration_s=0.2)
    assert found.completed
    assert found.rms["root place [m]"] < 1e-7
    assert found.rms["angles [rad]"] < 1e-5


def test_efforts_are_those_of_inverse_dynamics():
    """Oracle: joint torques that the virtual person really exerted."""
    one = followed()
    found, truth = run(TrackingOptions(step_s=2e-3)), one.acquisition.truth
    for k in (40, 100, 160):
        at = int(np.argmin(np.abs(found.time_s - truth.time_s[k])))
        wanted = one.space.efforts(truth.q[k], {name: load.torque[k] for name, load in truth.loads.items()})
        assert np.abs(found.effort[at, 6:] - wanted[6:]).max() < 0.1  # N m; order 2 in the step, 0.03 at 2 ms


def test_torques_that_are_played_back_let_the_body_fall():
    for root in ("held", "free"):
        found = run(controlled("feed-forward", root))
        assert found.simulation.ending is Ending.DIVERGED
        assert found.simulation.time_s[-1] < 0.9 * followed().reference.end_s
        assert "correct no error" in found.simulation.sentence
        assert f"{found.simulation.time_s[-1]:.4f} s" in found.simulation.sentence


def test_a_proportional_derivative_law_with_tuned_gains_follows():
    found = run(controlled("proportional-derivative"))
    assert found.completed
    assert found.rms["root place [m]"] < 1e-4
    assert found.rms["angles [rad]"] < 1e-3
    best = run(TrackingOptions())
    assert found.rms["angles [rad]"] > best.rms["angles [rad]"]


def test_joints_alone_follow_under_prescribed_reactions():
    """S15a: 42 joint freedoms, 42 torques; the root drifts, for nothing holds it."""
    found = run(controlled(root="free"))
    assert found.completed
    assert not found.effort[:, :6].any()
    assert found.rms["root place [m]"] < 10 * 6.09e-4
    assert found.rms["angles [rad]"] < 10 * 8.87e-4
    joints = np.sqrt(np.mean(found.deviation[:, 6:] ** 2))
    assert joints < 1e-5


def _pushed(followed_names: tuple[str, ...] = (), newton: float = 1.0):
    """The last figures of a run with a constant force on the root, forwards, less those of the run without it."""
    one = followed()
    push = np.zeros(one.space.size)
    ends = []
    for size in (newton, 0.0):
        tracked = Tracked(one.reference, one.ground, controlled(root="free", followed=followed_names))
        push[0] = size
        inner = tracked.loads

        def loads(t, q, qdot, inner=inner, force=push.copy()):
            return inner(t, q, qdot) + one.space.generalised(q, force)

        q, qdot = one.reference.state(0.0)
        tracked.loads = loads
        # the controller does not know of the push: its terms are those of the recorded loads
        controller = tracked.controller
        effort = controller.effort

        def unaware(t, q, w, terms, here, replaced, effort=effort, force=push.copy()):
            return effort(t, q, w, terms._replace(Q_bar=terms.Q_bar - force), here, replaced)

        controller.effort = unaware
        state = tracked.start(0.0, q, qdot)
        for k in range(1000):
            state = tracked.step(state._replace(t=k * 1e-3), 1e-3).state
        ends.append(one.space.deviation(state.q, one.reference.at(1.0).pose))
    return ends[0] - ends[1]


def test_a_push_of_one_newton_carries_a_free_body_away():
    """S15b: drift ½ (F/m) t² with the joints kept to the movement. Oracle: Newton's second law for the whole body."""
    one = followed()
    mass = sum(body.mass for body in one.space.system.bodies)
    drift = _pushed()
    assert -drift[0] == pytest.approx(
        0.5 / mass, rel=0.25
    )  # the root also turns, as the push misses the centre of mass
    assert np.abs(drift[6:]).max() < 1e-3


def test_the_root_is_followed_instead_of_a_joint():
    """S15b: root x in place of one freedom of the lumbar joint: root x is kept, that freedom is given up."""
    one = followed()
    given_up = "lumbar, z"
    names = ("root, x", *(name for name in one.space.names[6:] if name != given_up))
    drift = _pushed(names)
    assert abs(drift[0]) < 1e-4
    assert abs(drift[one.space.indices([given_up])[0]]) > 10 * abs(drift[0])
    kept = np.setdiff1d(np.arange(6, 48), one.space.indices([given_up]))
    assert np.abs(drift[kept]).max() < 1e-3


def test_the_ground_can_hold_what_the_recording_leaves():
    """Reactions recorded on the wrong floor, 5 mm off: the ground bears the residual, and the sum of forces stays."""
    one = followed()
    from biomec.engine.forward.reference_motion import PrescribedLoads

    truth = one.acquisition.truth
    shifted = PrescribedLoads(one.space, truth.time_s, one.external.moved(np.array([0.005, 0.0, 0.0])))
    options = controlled(root="ground")
    found = track(one.reference, shifted, options, duration_s=0.5)
    assert found.completed
    assert not found.effort[:, :6].any()
    held = track(one.reference, shifted, TrackingOptions(), duration_s=0.5)
    np.testing.assert_allclose(found.change.sum(axis=1), held.effort[:, :3], rtol=0, atol=1e-6)
    assert found.rms["root place [m]"] < 2e-6
    with pytest.raises(BiomecError, match="ground can hold"):
        Tracked(one.reference, None, options)


def test_the_formula_for_freedoms_without_effort():
    """Oracle: Schur complement with dense inverses, and accelerations of what is followed as demanded."""
    one = followed()
    tracked = Tracked(one.reference, one.ground, controlled(root="free"))
    q, qdot = one.reference.state(0.5)
    q = one.space.moved(q, 1e-3 * np.random.default_rng(1).normal(size=48))
    terms = one.space.terms(q, one.space.velocities(q, one.space.rates(q, qdot)), tracked.loads(0.5, q, qdot))
    here, w = one.reference.at(0.5), one.space.rates(q, qdot)
    u = tracked.controller.effort(0.5, one.space.deviation(q, here.pose), w, terms, here)
    o, s = slice(0, 6), slice(6, 48)
    M, Q = terms.M, terms.Q_bar
    r = (here.wdot + 2.0 * np.sqrt(1e3) * (here.w - w) + 1e3 * one.space.deviation(q, here.pose))[s]
    through = M[s, o] @ np.linalg.inv(M[o, o])
    wanted = (M[s, s] - through @ M[o, s]) @ r - (Q[s] - through @ Q[o])
    np.testing.assert_allclose(u[s], wanted, rtol=0, atol=1e-8)
    assert not u[o].any()
    np.testing.assert_allclose(np.linalg.solve(M, u + Q)[s], r, rtol=0, atol=1e-8)


def test_more_followed_than_actuated_is_least_squares():
    """Oracle: the gradient of the weighted sum of squares vanishes."""
    one = followed()
    names = ("root", *one.space.joints)
    options = ControlOptions(root="free", followed=names, weights={"root": 4.0})
    controller = Controller(one.reference, together(weight(one.space.system), one.ground), options)
    q, qdot = one.reference.state(0.4)
    q = one.space.moved(q, 1e-3 * np.random.default_rng(2).normal(size=48))
    terms = one.space.terms(q, qdot, controller.loads(0.4, q, qdot))
    here, w = one.reference.at(0.4), one.space.rates(q, qdot)
    u = controller.effort(0.4, one.space.deviation(q, here.pose), w, terms, here)
    inverse = linalg.inv(terms.M)
    r = here.wdot + options.c_D * (here.w - w) + 1e3 * one.space.deviation(q, here.pose)
    W = np.diag([4.0] * 6 + [1.0] * 42)
    left = inverse @ (u + terms.Q_bar) - r
    gradient = inverse[:, 6:].T @ W @ left
    scale = np.abs(inverse[:, 6:].T @ W @ r).max()
    assert np.abs(gradient).max() < 1e-9 * scale
    assert np.abs(left).max() > 1e-6  # six demands too many cannot all be met
    found = track(one.reference, one.ground, TrackingOptions(options), duration_s=0.5)
    assert found.completed


def test_stable_for_all_published_stiffnesses_and_at_ten_milliseconds():
    for stiffness in (0.1, 1e5):
        assert run(controlled(stiffness=stiffness), duration_s=1.0).completed
    found = run(TrackingOptions(step_s=0.01))
    assert found.completed
    assert found.rms["root force [N]"] > 5 * run(TrackingOptions()).rms["root force [N]"]


def test_a_step_too_large_ends_with_a_sentence_and_what_was_reached():
    found = run(TrackingOptions(ControlOptions(stiffness=1e5), step_s=0.02))  # c_D h = 12.6: explicit steps need < 2
    assert found.simulation.ending is Ending.DIVERGED
    assert "Take a smaller step" in found.simulation.sentence
    assert 0.0 < found.simulation.time_s[-1] < 2.0
    assert len(found.deviation) == len(found.time_s) > 1


def test_loads_that_are_no_numbers_end_with_a_sentence():
    one = followed()
    tracked = Tracked(one.reference, one.ground)
    inner = tracked.loads
    tracked.loads = lambda t, q, v: inner(t, q, v) if t < 0.1 else np.full(one.space.system.n, np.nan)
    from biomec.engine.forward.simulation import simulate

    found = simulate(tracked, *one.reference.state(0.0), 1.0, 1e-3)
    assert found.ending is Ending.NO_NUMBER
    assert "a force is not a number at 0.1000 s" in found.sentence
    assert found.time_s[-1] == pytest.approx(0.099, abs=1e-9)


def test_a_run_can_be_stopped_and_tells_how_far_it_is():
    fractions: list[float] = []
    one = followed()
    found = track(
        one.reference, one.ground, TrackingOptions(), progress=fractions.append, cancelled=lambda: len(fractions) >= 25
    )
    assert found.simulation.ending is Ending.STOPPED
    assert len(found.simulation.time_s) == 26


def test_five_cycles_are_followed_to_the_end():
    one = followed(5, 3.0)
    found = track(one.reference, one.ground, TrackingOptions(step_s=4e-3))
    assert found.completed
    assert one.reference.end_s - 4e-3 < found.simulation.time_s[-1] < one.reference.end_s + 1e-9
    last = found.deviation[found.time_s > one.reference.end_s - 3.0]
    first = found.deviation[found.time_s < 3.0]
    assert np.abs(last[:, :3]).max() < 2.0 * np.abs(first[:, :3]).max()  # the last cycle is followed like the first
    assert np.abs(found.deviation[:, :3]).max() < 1e-4
    assert np.abs(found.deviation[:, 3:]).max() < 1e-3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ControlOptions("magic"), "the law is"),
        (lambda: ControlOptions(stiffness=0.0), "positive"),
        (lambda: ControlOptions("feed-forward", followed=("root",)), "can be chosen"),
        (lambda: ControlOptions(weights={"root": 0.0}), "positive"),
        (lambda: TrackingOptions(integrator="euler"), "integrator"),
        (lambda: TrackingOptions(step_s=0.0), "positive"),
        (lambda: run(controlled(followed=("root",))), "undecided"),
        (lambda: run(controlled(root="free", followed=("root", *followed().space.joints, "root, x"))), "twice"),
    ],
)
def test_what_cannot_be_is_refused(make, words):
    with pytest.raises(BiomecError, match=words):
        make()
