"""A recorded movement is simulated, compared with what was recorded, and kept, however it ended."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError
from biomec.base.notices import Severity
from biomec.base.progress import Cancelled
from biomec.body.tracking.joint_ranges import load_joint_ranges, stops_of
from biomec.body.tracking.what_if import WhatIf
from biomec.engine.forward.simulation import Ending
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import SIMULATION, Analysis, run_first
from biomec.pipeline.reopen import open_again, reopened
from biomec.pipeline.simulation import run_simulation
from biomec.pipeline.simulation_run import BY_FRAME, BY_STEP, NAMES, TEXTS, SimulationRun, stored_run
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.pipeline.simulation_setup import STABLE, set_up
from biomec.recording import Result
from biomec.reporting.demo import demo_session
from biomec.reporting.files.simulation_files import simulation_summary
from tests.core.pipeline.pushing import pushed, with_gap

SECOND = (100, 200)
RESULTANT = SimulationSettings(input="resultant", frames=SECOND)


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return pushed().analysis


@pytest.fixture(scope="module")
def resultant(analysis) -> SimulationRun:
    return run_simulation(analysis, RESULTANT)


@pytest.fixture(scope="module")
def tracked(analysis) -> SimulationRun:
    return run_simulation(analysis, SimulationSettings(frames=SECOND))


def test_resultant_forces_return_the_motion_of_the_truth(resultant):
    truth = pushed().acquisition.truth
    part = slice(SECOND[0], SECOND[1] + 1)
    assert resultant.completed
    assert_array_equal(resultant.frames, np.arange(100, 201))
    # forces are known a hundred times a second and integrated twice over one second; the body moves half a metre
    assert np.abs(resultant.q - truth.q[part]).max() < 5e-4
    assert np.abs(resultant.qdot - truth.qdot[part]).max() < 1e-3
    assert resultant.violation.max() < 1e-8  # the published table has 1e-9


def test_the_distance_is_that_of_the_published_table(resultant, analysis):
    part = slice(SECOND[0], SECOND[1] + 1)
    apart = np.abs(resultant.q - analysis.motion.q[part])
    assert resultant.spread["q"] == pytest.approx((apart.mean(), apart.std()))
    assert_allclose(resultant.distance[:, 0], apart.mean(axis=1))


def test_angles_stand_beside_those_of_the_analysis(resultant, analysis):
    part = slice(SECOND[0], SECOND[1] + 1)
    assert resultant.angle_names == analysis.angles.names
    assert_allclose(resultant.measured_angles, analysis.angles.values[part], atol=1e-12)
    assert 0.0 < max(resultant.angle_rms.values()) < np.radians(0.1)
    assert_allclose(resultant.torques[0], resultant.inverse_torques[0], atol=0.05)  # [N m]; they start alike


def test_the_motion_is_the_same_by_another_formulation_and_integrator(resultant, analysis):
    settings = replace(RESULTANT, formulation="semi-recursive", integrator="runge-kutta-5", error=1e-8)
    other = run_simulation(analysis, settings)
    assert other.completed
    assert len(other.step_time_s) != len(resultant.step_time_s)  # its steps are its own, the frames are not
    assert_allclose(other.q, resultant.q, atol=1e-6)


FEW = (100, 106)
PAIRS = [
    *((one, "auto") for one in ("classic", "penalty", "augmented", "index-3", "independent", "semi-recursive")),
    *(("stabilised", one) for one in ("gear", "generalised-alpha", "variable", "radau", "bdf", "lsoda")),
    ("index-3", "gear"),
    ("index-3", "generalised-alpha"),
    ("augmented", "trapezoidal"),
    ("independent", "gear"),
    ("semi-recursive", "runge-kutta-8"),
]


@pytest.mark.parametrize(("formulation", "integrator"), PAIRS)
def test_every_formulation_and_integrator_returns_the_motion(resultant, analysis, formulation, integrator):
    """A few frames: what all of them do to the same forces differs by their errors of a step, and no more."""
    settings = replace(RESULTANT, formulation=formulation, integrator=integrator, frames=FEW, error=1e-6)
    run = run_simulation(analysis, settings)
    assert run.completed, run.sentence
    assert len(run.step_time_s) > 2
    assert np.isfinite(run.iterations).all()
    assert run.violation.max() < 1e-5  # backward differences come to 4e-6, all others stay below 1e-6
    # the motion of Adams and stabilised Lagrange over the same frames; they move by 4 cm
    assert_allclose(run.q, resultant.q[: len(run.q)], atol=2e-6)


@pytest.mark.parametrize("formulation", ["stabilised", "index-3", "newton-euler"])
def test_a_movement_is_followed_by_other_equations_too(analysis, formulation):
    """The controller's forces in natural coordinates, with an integrator that does not know the joints."""
    run = run_simulation(analysis, SimulationSettings(frames=FEW, formulation=formulation, integrator="trapezoidal"))
    assert run.completed, run.sentence
    assert run.spread["q"].mean < 1e-6


@pytest.mark.parametrize("formulation", ["stabilised", "index-3"])
def test_steps_take_no_more_iterations_than_allowed(analysis, formulation):
    """Steps of 5 ms need more than one; a run that is not allowed them ends with its first step, and says so."""
    asked = replace(RESULTANT, formulation=formulation, integrator="trapezoidal", step_s=0.005, tolerance=1e-9)
    enough, few = (run_simulation(analysis, replace(asked, max_iterations=most)) for most in (30, 1))
    assert enough.completed
    assert 1 < enough.iterations[1:].min() <= enough.iterations.max() < 30
    assert few.ending is Ending.NOT_CONVERGED
    assert f"{SECOND[0] / 100 + 0.005:.4f} s" in few.sentence
    assert "did not settle in one iteration" in few.sentence
    assert "allow more iterations" in few.sentence


def test_springs_and_dampers_at_the_joints_follow_the_movement(analysis):
    run = run_simulation(analysis, SimulationSettings(input="pd", frames=(100, 130)))
    assert run.completed, run.sentence
    assert run.spread["q"].mean < 1e-3
    assert max(run.angle_rms.values()) < np.radians(0.5)
    stiff = run_simulation(analysis, SimulationSettings(input="pd", frames=(100, 130), stiffness=4e3))
    assert max(stiff.angle_rms.values()) < max(run.angle_rms.values())


def test_hands_and_feet_on_the_floor_bear_the_body_as_it_follows(analysis):
    """Recorded reactions only fit the contact to the first frame; then the floor does what its law says."""
    run = run_simulation(analysis, SimulationSettings(root="contact", frames=(100, 120)))
    assert run.completed, run.sentence
    assert run.settings.chosen_step_s == 5e-4
    assert run.spread["q"].mean < 2e-3  # the floor gives way by millimetres
    joints = [rms for name, rms in run.angle_rms.items() if "laboratory" not in name]
    assert max(joints) < 1e-5  # joints follow; only the root is left to the floor
    assert np.abs(run.residual_force).max() < 1e-6  # Newton's second law with nothing but the floor
    assert np.abs(run.residual_torque).max() < 1e-6
    # each contact presses as recorded, to a hundredth: the tilt of the trunk decides it, not the law of the contact
    assert np.abs(run.ground_change[:, :, 1]).max() < 4.0
    assert set(run.contacts) == {"right hand", "left hand", "right foot", "left foot"}


@pytest.mark.parametrize("asked", [RESULTANT, SimulationSettings()], ids=["resultant", "joint by joint"])
def test_newton_euler_says_which_equations_it_is(analysis, asked):
    run = run_simulation(analysis, replace(asked, formulation="newton-euler", frames=(100, 106)))
    assert [notice.code for notice in run.notices] == ["newton-euler-is-semi-recursive"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (SimulationSettings(), "residual at the root"),
        (SimulationSettings(formulation="stabilised", integrator="trapezoidal"), "residual at the root"),
        (SimulationSettings(root="free"), "Nothing provides what they lack"),
        (SimulationSettings(input="inverse"), "Nothing provides what they lack"),
        (SimulationSettings(input="underactuated"), None),
        (SimulationSettings(root="contact"), None),
    ],
    ids=["held", "other equations", "free", "inverse", "ground", "contact"],
)
def test_reactions_of_the_body_as_it_was_are_told(analysis, asked, words):
    asked = replace(asked, frames=(100, 106), what_if=WhatIf(mass=1.3))
    notices = {one.code: one.sentence for one in set_up(analysis, asked).notices}
    if words is None:
        assert "reactions-as-recorded" not in notices
    else:
        assert words in notices["reactions-as-recorded"]
    same = set_up(analysis, replace(asked, what_if=WhatIf()))
    assert "reactions-as-recorded" not in [one.code for one in same.notices]


def test_torques_of_inverse_dynamics_diverge_and_the_sentence_says_when_and_why(analysis):
    run = run_simulation(analysis, SimulationSettings(input="inverse", frames=(100, 300)))
    assert run.ending is Ending.DIVERGED
    assert run.reached_s < 2.0
    assert f"Stopped at {run.step_time_s[-1]:.3f}" in run.sentence
    assert "correct no error" in run.sentence
    assert len(run.q) == int(run.reached_s * 100.0 + 1e-6) + 1  # the frames until then are kept
    assert np.isfinite(run.q).all()
    assert [notice.sentence for notice in run.notices] == [run.sentence]


def test_a_body_that_follows_stays_and_needs_the_torques_of_inverse_dynamics(tracked):
    assert tracked.completed
    # computed torque at 1 ms follows to 1e-6 m, 1e-4 rad and 0.1 N m
    assert tracked.spread["q"].mean < 1e-6
    assert max(tracked.angle_rms.values()) < 1e-4
    assert max(tracked.torque_rms.values()) < 0.1


def test_an_underactuated_body_needs_no_residual(analysis):
    run = run_simulation(analysis, SimulationSettings(input="underactuated", frames=(100, 130)))
    assert run.completed
    assert np.abs(run.residual_force).max() < 1e-6  # [N]
    assert np.abs(run.residual_torque).max() < 1e-6
    assert run.ground_change.shape == (31, len(run.contacts), 3)


def test_the_ground_adds_what_a_heavier_body_lacks_however_often_its_hands_touched(tmp_path):
    """The demonstration touches every plate twice; its summary told a change of 0 N, that of the other contact."""
    analysis = Analysis(demo_session(tmp_path)[1]).run_until("loads")
    asked = SimulationSettings(input="underactuated", frames=(30, 60))
    plain, heavy = (
        run_simulation(analysis, replace(asked, what_if=what_if))
        for what_if in (WhatIf(), WhatIf(mass=1.1, carried={"right hand": 5.0}))
    )
    assert len(heavy.contacts) > len(set(heavy.contacts))  # else nothing is tested
    more = [
        sum(np.array(mean) for mean in simulation_summary(analysis, run)["ground_change_mean_N"].values())
        for run in (plain, heavy)
    ]
    tenth = 0.1 * sum(body.mass for body in analysis.body.person.system.bodies)
    weight = np.array([0.0, 9.81 * (tenth + 5.0), 0.0])
    assert weight[1] == pytest.approx(122.6, abs=0.05)
    faster = tenth * analysis.segments.whole_body_acceleration[30:61].mean(axis=0)  # the hand stays on the floor
    assert abs(faster[1]) < 2.0  # hardly anything of the 122.6 N
    assert_allclose(more[1] - more[0], weight + faster, atol=0.1)
    changes = simulation_summary(analysis, heavy)["ground_change_rms_N"]
    assert set(changes) == {"right hand", "left hand", "right foot", "left foot"}
    assert min(changes.values()) > 5.0  # all four bear a part


def test_a_heavier_body_needs_more_of_the_residual_by_its_weight(analysis):
    plain = run_simulation(analysis, SimulationSettings(frames=(100, 110)))
    heavy = run_simulation(analysis, SimulationSettings(frames=(100, 110), what_if=WhatIf(mass=1.1)))
    more = (heavy.residual_force - plain.residual_force)[0]
    mass = sum(body.mass for body in analysis.body.person.system.bodies)
    com = analysis.segments.whole_body_acceleration[100]
    assert_allclose(more, 0.1 * mass * (com + np.array([0.0, 9.81, 0.0])), atol=0.1)
    assert "reactions-as-recorded" in [notice.code for notice in heavy.notices]


def test_stops_bear_part_of_the_moments_where_an_angle_is_beyond_its_range(analysis):
    asked = SimulationSettings(frames=(100, 110), joint_stops=True)
    run = run_simulation(analysis, asked)
    plain = run_simulation(analysis, replace(asked, joint_stops=False))
    assert run.completed
    assert run.stop_torques.shape == (11, len(run.stop_names))
    assert plain.stop_names == ()
    degrees = {one.name: (np.degrees(one.lower), np.degrees(one.upper)) for one in _stops(analysis)}
    for k, name in enumerate(run.stop_names):  # angles of the analysis itself say who is beyond
        angle = np.degrees(run.angles[:, run.angle_names.index(name)])
        inside = (angle > degrees[name][0] + 0.01) & (angle < degrees[name][1] - 0.01)
        assert not run.stop_torques[inside, k].any(), name
    assert run.stop_torques.any()  # hands on the floor bend the wrists farther than the table has it
    assert_allclose(run.torques, plain.torques, atol=0.05)  # the controller knows: net moments are those of the motion


def _stops(analysis):
    return stops_of(analysis.body.person, load_joint_ranges("aaos"))


@pytest.mark.parametrize("root", ["held", "ground"])
def test_a_joint_too_weak_for_the_movement_is_named_with_its_time_the_reason_and_what_helps(analysis, root):
    """It was told to take a smaller step or a lower stiffness, with which a weak joint gives way the more."""
    weak = SimulationSettings(root=root, frames=SECOND, what_if=WhatIf(weakened={"right wrist": 0.3}))
    run = run_simulation(analysis, weak)
    assert run.ending is Ending.DIVERGED
    lost_s = SECOND[0] / run.rate_hz + run.reached_s
    assert run.sentence.startswith(f"Stopped at {lost_s:.4f} s: right wrist is 5")
    assert (
        "It was left 70 % of its torque, too little for what it has to bear. Recorded ground reactions" in run.sentence
    )
    assert "let contact with the floor hold the body" in run.sentence
    assert "stiffness" not in run.sentence
    assert [notice.sentence for notice in run.notices if notice.code == "simulation-ended-early"] == [run.sentence]
    assert len(run.q) > 1
    # what the sentence advises does help
    helped = run_simulation(analysis, replace(weak, root="contact", frames=(SECOND[0], SECOND[0] + 20)))
    assert helped.completed, helped.sentence
    assert helped.reached_s > 2.0 * run.reached_s


def test_a_weak_joint_beside_the_one_that_is_lost_is_named_too(analysis):
    weak = SimulationSettings(root="free", frames=SECOND, what_if=WhatIf(weakened={"neck": 0.01}))
    run = run_simulation(analysis, replace(weak, input="inverse", root="auto"))
    assert run.ending is Ending.DIVERGED
    assert "unstable like a stick on a finger" in run.sentence
    assert run.sentence.endswith("Or the torque that is left at neck is too little for the movement.")


@pytest.mark.parametrize(
    ("asked", "least_deg", "most_deg"),
    [
        (SimulationSettings(), 3.0, 20.0),
        (SimulationSettings(input="underactuated"), 3.0, 20.0),
        (SimulationSettings(root="contact"), 0.1, 5.0),  # the floor does not give way as recorded reactions do
    ],
    ids=["held", "ground", "contact"],
)
def test_a_weakened_elbow_lags_alone(analysis, asked, least_deg, most_deg):
    """The neighbours were computed as if it did its part, and carried the wrist away after 49 ms."""
    what_if = WhatIf(weakened={"right elbow": 0.3})
    run = run_simulation(analysis, replace(asked, frames=(100, 130), what_if=what_if))
    assert run.completed, run.sentence
    assert least_deg < np.degrees(run.angle_rms["right elbow flexion"]) < most_deg
    others = {name: rms for name, rms in run.angle_rms.items() if not ("laboratory" in name or "right elbow" in name)}
    assert max(others.values()) < np.radians(0.01)
    if asked.root == "contact":
        assert run.settings.chosen_step_s == 1e-4
        change = {name: force[-1, 1] for name, force in run.ground_changes.items()}
        assert change["right hand"] < -1.0  # [N] the others take over what it does not bear
        assert abs(sum(change.values())) < 5.0


def test_a_cycle_is_simulated_by_its_name(analysis):
    spans = analysis.cycles.groups["both"].spans
    run = run_simulation(analysis, SimulationSettings(cycle="1", step_s=0.01), cancelled=lambda: True)
    assert (run.first, run.last) == tuple(spans[0])
    with pytest.raises(BiomecError, match="There is no cycle 9 to simulate; there are 1"):
        run_simulation(analysis, SimulationSettings(cycle="9"))


@pytest.mark.parametrize("by", ["cancelled", "progress"])
def test_what_was_reached_is_kept_when_the_user_stops(analysis, by):
    fractions = []

    def progress(fraction):
        fractions.append(fraction)
        if by == "progress" and len(fractions) == 26:
            raise Cancelled("Stop.")

    cancelled = (lambda: len(fractions) == 26) if by == "cancelled" else None
    run = run_simulation(analysis, RESULTANT, progress, cancelled)
    assert run.ending is Ending.STOPPED
    assert run.sentence == "Stopped at 1.0520 s."
    assert len(run.step_time_s) == 27
    assert_array_equal(run.frames, np.arange(100, 106))  # 52 ms hold five frames after the first
    assert fractions[-1] == pytest.approx(26 / 500)


def test_a_gap_in_the_motion_is_named(analysis):
    torn = with_gap(analysis, 150, 160)
    with pytest.raises(BiomecError) as error:
        run_simulation(torn, RESULTANT)
    first = analysis.signals.trial.first_frame
    words = f"not known in frames {first + 150} to {first + 160} of the stretch {first + 100} to {first + 200}"
    assert words in str(error.value)
    assert f"the longest is frames {first + 161} to" in str(error.value)


def test_ends_without_motion_are_left_out_and_told(analysis):
    torn = with_gap(with_gap(analysis, 0, 9), 50, 416)
    run = run_simulation(torn, SimulationSettings(input="resultant"))
    assert (run.first, run.last) == (10, 49)
    assert run.completed
    assert [notice.code for notice in run.notices] == ["simulated-stretch"]


def test_no_motion_at_all_and_a_stretch_that_is_not_there_are_sentences(analysis):
    with pytest.raises(BiomecError, match="known in no frame"):
        run_simulation(with_gap(analysis, 0, 416), RESULTANT)
    with pytest.raises(BiomecError, match="cannot be simulated"):
        run_simulation(analysis, SimulationSettings(frames=(0, 417)))
    with pytest.raises(BiomecError, match="needs 6 frames of motion at least"):
        run_simulation(analysis, SimulationSettings(frames=(5, 8)))
    with pytest.raises(BiomecError, match=f"{run_first('loads')[:-1]}: a simulation needs its result"):
        run_simulation(replace(analysis, done={}), SimulationSettings())


def test_steps_are_fitted_to_the_frames(analysis):
    run = run_simulation(analysis, replace(RESULTANT, step_s=0.003, frames=(100, 110)))
    assert_allclose(np.diff(run.step_time_s), 0.01 / 3.0)
    assert "step-fitted" in [notice.code for notice in run.notices]
    assert len(run.q) == 11


@pytest.mark.parametrize(
    ("asked", "codes"),
    [
        (SimulationSettings(step_s=0.03), []),  # c_D = 63.2 1/s: 1.90
        (SimulationSettings(step_s=0.0325), ["step-too-long-for-control"]),  # 2.06
        (SimulationSettings(step_s=0.01, stiffness=2e4), ["step-too-long-for-control"]),
        (SimulationSettings(step_s=0.0325, integrator="variable"), []),
        (SimulationSettings(step_s=0.0325, input="inverse"), []),  # controls nothing
        (SimulationSettings(step_s=0.0325, input="resultant"), []),
        (SimulationSettings(root="contact", step_s=0.001), []),
        (SimulationSettings(root="contact", step_s=0.005), ["step-too-long-for-contact"]),
        (
            SimulationSettings(root="contact", step_s=5e-4, what_if=WhatIf(weakened={"right elbow": 0.3})),
            ["step-too-long-for-contact"],
        ),
    ],
)
def test_steps_that_are_known_to_be_bad_are_warned_of(analysis, asked, codes):
    found = set_up(analysis, replace(asked, frames=(100, 230))).notices
    assert [one.code for one in found if one.severity is Severity.WARNING] == codes


def test_a_controlled_error_grows_just_where_the_warning_begins():
    """Oracle: one freedom, ë = −c_D ė − c_P e, with steps of constant acceleration; eigenvalues of a step."""
    c_D, c_P = 2.0 * np.sqrt(1e3), 1e3
    for h, stable in ((0.98 * STABLE / c_D, True), (1.02 * STABLE / c_D, False)):
        step = np.array([[1.0 - 0.5 * h * h * c_P, h - 0.5 * h * h * c_D], [-h * c_P, 1.0 - h * c_D]])
        assert (np.abs(np.linalg.eigvals(step)).max() < 1.0) is np.bool_(stable)


def test_a_step_longer_than_the_movement_is_refused(analysis):
    with pytest.raises(BiomecError, match=r"A step of 5 s is longer than what is simulated, 1 s\. Steps of 1 ms"):
        run_simulation(analysis, SimulationSettings(frames=SECOND, step_s=5.0))


def same(one: SimulationRun, other: SimulationRun) -> None:
    for name in (*BY_STEP, *BY_FRAME):
        assert_array_equal(getattr(one, name), getattr(other, name))
        assert getattr(one, name).dtype == getattr(other, name).dtype
    for name in (*TEXTS, *NAMES, "settings", "first", "last", "rate_hz", "ending", "notices"):
        assert getattr(one, name) == getattr(other, name)
    assert dict(one.spread) == dict(other.spread)


def test_runs_live_side_by_side_and_reopen_bit_for_bit(analysis, resultant, tracked, tmp_path):
    both = analysis.with_simulation(resultant).with_simulation(tracked)
    assert set(both.simulations) == {resultant.name, tracked.name}
    assert analysis.simulations == {}
    save_project(both.stored(), tmp_path / "p.biomec")
    again = reopened(load_project(tmp_path / "p.biomec")).analysis
    for run in (resultant, tracked):
        same(again.simulations[run.name], run)
        assert not again.simulations[run.name].q.flags.writeable
    assert again.stale_simulations == ()
    assert list(again.without_simulation(tracked.name).simulations) == [resultant.name]
    with pytest.raises(BiomecError, match="There is no simulation other"):
        again.without_simulation("other")


def test_the_history_has_one_line_for_a_run_however_often_it_is_saved(analysis, resultant):
    once = analysis.with_simulation(resultant).stored()
    twice = open_again(once).stored()
    key = SIMULATION + resultant.name
    for session in (once, twice):
        assert [record.when for record in session.provenance if record.step == key] == [resultant.when]


def test_a_run_is_stale_once_the_motion_it_came_from_has_changed(analysis, resultant, tracked):
    both = analysis.with_simulation(resultant).with_simulation(tracked)
    settings = both.settings
    loads = replace(settings, loads=replace(settings.loads, external="none"))
    assert both.with_settings(loads).stale_simulations == (tracked.name,)  # resultant forces need no loads
    moved = replace(settings, positions=replace(settings.positions, contacts="never"))
    assert set(both.with_settings(moved).stale_simulations) == {resultant.name, tracked.name}
    assert both.with_settings(moved).with_settings(settings).stale_simulations == ()


def test_a_stored_run_that_is_damaged_is_told_and_the_rest_opens(analysis, resultant):
    session = analysis.with_simulation(resultant).stored()
    key = SIMULATION + resultant.name
    whole = session.results[key]
    arrays = {name: array for name, array in whole.arrays.items() if name != "q"}
    damaged = replace(session, results={**session.results, key: Result(arrays, whole.metadata)})
    again = reopened(damaged).analysis
    assert again.simulations == {}
    assert any("cannot be opened" in notice.sentence for notice in again.session.notices)
    with pytest.raises(BiomecError, match="Run it again"):
        stored_run(damaged.results[key])
