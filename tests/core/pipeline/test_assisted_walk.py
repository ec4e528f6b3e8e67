"""A virtual person who walks with crutches and orthoses is analysed from files; what comes back is what happened."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.anatomy.changed_springs import SpringChange, changed_springs
from biomec.body.anatomy.model_file import load_model
from biomec.body.kinematics import held_devices
from biomec.body.kinematics.held_devices import with_held_devices
from biomec.body.loads.aid_what_if import AidVariant, as_recorded, compare_aids
from biomec.body.loads.device_loads import cuff_loads, gap_notices
from biomec.body.loads.measured_aids import AidOptions, aid_channels
from biomec.body.tracking.what_if import WhatIf
from biomec.engine.forces.applied import together, weight
from biomec.io.registry import read_trial, write_trial
from biomec.io.session_import import merge_plates
from biomec.pipeline.aids import aids_as_recorded
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.device_axes import device_hinges, turning_axis, with_device_axes
from biomec.pipeline.settings import AnalysisSettings, BodySettings
from biomec.pipeline.simulation import run_simulation
from biomec.pipeline.simulation_run import stored_run
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.pipeline.simulation_setup import set_up
from biomec.pipeline.steps.preparation import best_marker_set
from biomec.pipeline.steps.segments import WHOLE, mass_share
from biomec.recording import Analog, Session
from biomec.reporting.content.device_section import device_section
from biomec.reporting.demo import true_angles
from biomec.virtual import RecordOptions, VirtualAcquisition, VirtualPerson, Walk, assisted_walk, record, squat

PERSON = VirtualPerson(65.0, 1.60, "female")
SIDES = ("right", "left")
EXACT = RecordOptions(rate_hz=50.0, plate_rate_hz=50.0)  # one sample a frame: nothing is averaged


def settings(model: str, **aids) -> AnalysisSettings:
    """No filters: an exact recording needs none."""
    usual = AnalysisSettings()
    return replace(
        usual,
        body=BodySettings(model=model),
        signals=replace(usual.signals, marker_filter=None, plate_filter=None),
        loads=replace(usual.loads, plate_forces="recorded", aids=AidOptions(**aids)),
    )


def session_of(acquisition: VirtualAcquisition) -> Session:
    return Session(acquisition.dynamic, acquisition.static, subject=acquisition.person.subject)


@pytest.fixture(scope="module")
def walked() -> VirtualAcquisition:
    return record(assisted_walk(2), PERSON, EXACT)


@pytest.fixture(scope="module")
def analysed(walked) -> Analysis:
    return analyze(session_of(walked), settings("m18-orthoses"))


def sound(analysis: Analysis) -> np.ndarray:
    """Frames whose ground reaction was measured whole, away from the ends, where no difference quotient is exact."""
    counted = analysis.loads.trust.residuals.counted.copy()
    counted[:4] = counted[-4:] = False
    return counted


def test_labels_of_crutches_lead_to_their_marker_set(walked):
    found, fits = best_marker_set(walked.dynamic.markers.names)
    assert fits
    assert (found.name, found.model) == ("gait-43", "m18-crutches")
    bare = [name for name in walked.dynamic.markers.names if "CR" not in name]
    assert best_marker_set(bare)[0].name == "gait-37"


def test_crutch_forces_come_back_at_the_tips(walked, analysed):
    """Recorded in axes of the crutch, they are forces in the laboratory again."""
    truth, aids = walked.truth, analysed.loads.aids
    assert aids.devices == ("right crutch", "left crutch")
    for k, side in enumerate(("right", "left")):
        force = sum(one.force for one in truth.reactions.values() if one.segment == f"{side} hand")
        assert np.abs(force).max() > 100.0  # a quarter of the weight: not a test of nothing
        # as exact as the attitude of the hand, whose three markers on the crutch are exact
        np.testing.assert_allclose(aids.loads.force[2:-2, k], force[2:-2], rtol=0, atol=0.05)
        tip = truth.landmarks[f"TIP_{'D' if side == 'right' else 'E'}"]
        np.testing.assert_allclose(aids.loads.point[2:-2, k], tip[2:-2], rtol=0, atol=2e-4)


def test_joint_torques_are_those_of_the_walk(walked, analysed):
    """Arms bear the crutches, legs what is left; truth by momentum, without the engine."""
    loads, frames = analysed.loads.newton_euler, sound(analysed)
    assert frames.sum() > 60
    for joint, truth in walked.truth.loads.items():
        found = loads.torque[frames, loads.index(joint)]
        # differentiation at 50 Hz of a motion with strikes; contacts begin above a threshold of force
        np.testing.assert_allclose(found, truth.torque[frames], rtol=0, atol=2.0, err_msg=joint)
    shoulder = walked.truth.loads["right shoulder"]
    assert np.abs(shoulder.torque).max() > 15.0
    assert np.abs(loads.residual_force[frames]).max() < 15.0  # [N], of 700


def test_without_the_forces_of_the_crutches_shoulders_are_wrong_and_it_is_said(walked):
    silent = replace(walked.dynamic, analog=None)
    analysis = analyze(replace(session_of(walked), dynamic=silent), settings("m18-orthoses"))
    said = [notice for notice in analysis.notices if notice.code == "aid-not-measured"]
    assert [notice.about[0] for notice in said] == ["right hand", "left hand"]
    assert "the recording has no analog channels" in said[0].sentence
    assert "right crutch Fx" in said[0].sentence


def test_orthosis_and_person_share_the_torque_of_knee_and_ankle(walked, analysed):
    model, truth = walked.model, walked.truth
    known = {
        spring.name: element.state(model.system, truth.q, truth.qdot).force
        for spring, element in zip(model.springs, model.elements, strict=True)
    }
    shares = {share.joint: share for share in analysed.loads.devices.shares}
    assert set(shares) == {f"{side} {joint}" for side in ("right", "left") for joint in ("knee", "ankle")}
    for joint, share in shares.items():
        spring = known[f"{joint} lock" if "knee" in joint else f"{joint} spring"]
        assert np.ptp(spring) > 8.0
        np.testing.assert_allclose(share.device[3:-3], spring[3:-3], rtol=0, atol=0.2)  # c θ̇ by differences at 50 Hz
        np.testing.assert_allclose(share.total, share.person + share.device, rtol=0, atol=1e-12)


def test_turning_the_laboratory_changes_nothing(walked, analysed):
    turned = record(assisted_walk(2), PERSON, replace(EXACT, heading_rad=0.6))
    other = analyze(session_of(turned), settings("m18-orthoses"))
    frames = sound(analysed) & sound(other)
    assert frames.sum() > 60
    for mine, theirs in zip(analysed.loads.devices.shares, other.loads.devices.shares, strict=True):
        np.testing.assert_allclose(theirs.device[2:-2], mine.device[2:-2], rtol=0, atol=1e-6)
        np.testing.assert_allclose(theirs.person[frames], mine.person[frames], rtol=0, atol=1e-6)
    np.testing.assert_allclose(other.angles.values, analysed.angles.values, rtol=0, atol=10.0)


def test_channels_in_axes_of_the_laboratory(walked, analysed):
    """The same forces written in the laboratory's axes and called otherwise, with the opposite sign."""
    aids = analysed.loads.aids
    values = -np.concatenate([aids.loads.force[:, k] for k in (0, 1)], axis=1)
    names = tuple(f"F{k}" for k in range(6))
    channels = Analog(names, np.nan_to_num(values), ("N",) * 6, 50.0)
    renamed = replace(session_of(walked), dynamic=replace(walked.dynamic, analog=channels))
    options = settings("m18-orthoses", right=names[:3], left=names[3:], axes="laboratory", reversed=True)
    found = analyze(renamed, options).loads.aids
    np.testing.assert_allclose(found.loads.force, aids.loads.force, rtol=0, atol=1e-9)


def test_channels_that_pull_are_doubted_and_missing_ones_are_refused(walked):
    opposite = analyze(session_of(walked), settings("m18-orthoses", reversed=True))
    said = [notice.sentence for notice in opposite.notices if notice.code == "aid-pulls"]
    assert len(said) == 2
    assert "reverse the forces" in said[0]
    with pytest.raises(BiomecError, match="has no channel A, C, which the settings name for the right crutch"):
        analyze(session_of(walked), settings("m18-orthoses", right=("A", "right crutch Fx", "C")))
    with pytest.raises(BiomecError, match="right names 2 channels"):
        AidOptions(right=("a", "b"))


@pytest.mark.parametrize(
    ("pattern", "unit", "taken"),
    [
        ("CRUTCH_R_F{}", "N", True),
        ("RCrutch.F{}", "", True),
        ("right crutch force {}", "N", True),
        ("right crutch {}", "N", True),
        ("right crutch {}", "mm", False),
        ("RightCrutchAcc{}", "", False),
        ("right crutch M{}", "N", False),
        ("left crutch F{}", "N", False),
    ],
)
def test_forces_of_crutches_are_found_by_name_and_nothing_else(pattern, unit, taken):
    """Accelerations of the same crutch, which stand before the forces, were taken for these."""
    crutch = next(one for one in load_model("m18-crutches").devices if one.name == "right crutch")
    names = tuple(pattern.format(axis) for axis in "XYZ")
    analog = Analog(names, np.zeros((10, 3)), (unit,) * 3, 100.0)
    assert aid_channels(analog, crutch, AidOptions()) == (names if taken else ())


def test_an_estimated_reaction_leaves_crutches_their_share(walked):
    """Their measured forces are not taken then; for a while the feet bore 755 N alone, more than the body weighs.

    How feet and tips share is a guess: 216 N on each crutch where 176 N were true.
    """
    exact = settings("m18-orthoses")
    estimated = replace(exact, loads=replace(exact.loads, external="estimated"))
    found = Analysis(session_of(walked), estimated).run_until("loads").loads.external
    tips = [k for k, name in enumerate(found.segments) if name.endswith("hand")]
    assert len(tips) == 2
    assert (found.force[:, tips, 1].max(axis=0) > 100.0).all()
    assert found.force[:, :, 1].max() < 65.0 * 9.81


def test_crutches_ask_for_the_mass(walked):
    unknown = replace(session_of(walked), subject=replace(PERSON.subject, mass_kg=None))
    with pytest.raises(BiomecError, match="Enter the mass of the subject, without crutches"):
        analyze(unknown, settings("m18-orthoses"))


@pytest.fixture(scope="module")
def squatting() -> Session:
    return session_of(record(squat(1), PERSON, replace(EXACT, marker_set="gait-37")))


def test_plates_weigh_a_backpack_too(squatting):
    """Its 8 kg counted twice: once as the subject's, once as its own."""
    unknown = replace(squatting, subject=replace(PERSON.subject, mass_kg=None))
    alone = Analysis(unknown, settings("m18")).run_until("body")
    assert alone.body.subject.mass_kg == pytest.approx(65.0, abs=1.0)  # weighed in motion
    with pytest.raises(BiomecError, match="Enter the mass of the subject alone: the force plates weigh the backpack"):
        Analysis(unknown, settings("m18-backpack")).run_until("body")


def test_a_backpack_does_not_stand_for_arms_and_head(squatting):
    """With its 12 % of the body's mass, a body without them passed for a whole one."""
    arms = tuple(f"{side} {part}" for side in ("right", "left") for part in ("humerus", "forearm", "hand"))
    shares = []
    for model in ("m18", "m18-backpack"):
        chosen = settings(model)
        options = replace(chosen.body.options, without=(*arms, "head"))
        analysis = Analysis(squatting, replace(chosen, body=replace(chosen.body, options=options)))
        shares.append(mass_share(analysis.run_until("body").body))
    assert shares[0] < WHOLE
    assert shares[1] == pytest.approx(shares[0], abs=1e-9)  # round-off


@pytest.fixture(scope="module")
def free() -> tuple[VirtualAcquisition, Analysis]:
    acquisition = record(assisted_walk(1, "two free"), PERSON, EXACT)
    return acquisition, analyze(session_of(acquisition), settings("m18-free-orthoses"))


def test_free_orthoses_are_drawn_apart_from_the_legs_and_press_on_them(free):
    _, analysis = free
    cuffs = {cuff.name: cuff for cuff in analysis.loads.devices.cuffs}
    assert set(cuffs) == {f"{side} cuff at the {where}" for side in ("right", "left") for where in ("hip", "knee")}
    for cuff in cuffs.values():
        gap = np.linalg.norm(cuff.gap, axis=1)
        assert 1e-3 < gap.max() < 0.05  # [m]
        force = 1e4 * cuff.gap  # the device pulls the limb towards itself; damping is the rest
        assert np.abs(cuff.force - force).max() < 0.2 * np.abs(force).max() + 2.0


def test_free_orthoses_without_markers_are_where_they_were(free):
    """Nobody saw them: their place follows from what holds them, and joint loads with it (errors to 269 N·m before).

    Truth: Fourier series of the stride and momentum, without the engine; here: frame by frame, by M, Q and springs.
    """
    acquisition, analysis = free
    truth, frames = acquisition.truth, sound(analysis)
    assert "device-held" in [notice.code for notice in analysis.motion.notices]
    _, known = cuff_loads(acquisition.model, truth.q, truth.qdot)
    found = {cuff.name: cuff for cuff in analysis.loads.devices.cuffs}
    for cuff in known:
        assert np.linalg.norm(cuff.gap, axis=1).max() > 0.02  # [m]: not a test of nothing
        # differences at 50 Hz; series to 12 Hz leave 0.6 N m at the hinges
        np.testing.assert_allclose(found[cuff.name].gap[2:-2], cuff.gap[2:-2], rtol=0, atol=2e-4)
        np.testing.assert_allclose(found[cuff.name].force[2:-2], cuff.force[2:-2], rtol=0, atol=2.0)
    loads = analysis.loads.newton_euler
    for joint, one in truth.loads.items():
        torque = loads.torque[frames, loads.index(joint)]
        np.testing.assert_allclose(torque, one.torque[frames], rtol=0, atol=2.0, err_msg=joint)


def test_straps_do_not_change_what_the_whole_body_asks_for(free):
    """Force and counterforce: hips and arms bear the same with the cuffs as without."""
    acquisition, analysis = free
    loads, frames = analysis.loads.newton_euler, sound(analysis)
    for joint in ("right shoulder", "left wrist", "lumbar"):
        truth = acquisition.truth.loads[joint].torque
        np.testing.assert_allclose(loads.torque[frames, loads.index(joint)], truth[frames], rtol=0, atol=2.0)


def test_a_report_tells_person_and_orthosis_apart(analysed):
    section = device_section(analysed)
    assert section is not None
    assert [table.caption for table in section.tables] == [
        "Torque of person and device", "Measured forces of the crutches"
    ]  # fmt: skip
    assert section.sentences[0].startswith("Right crutch, left crutch, right orthosis, thigh part")
    assert "4.8 kg together" in section.sentences[0]
    rows = {row[0]: row for row in section.tables[0].rows}
    assert rows["Right knee flexion"][-1] == "right knee lock"


def test_the_ankle_axis_is_found_in_the_movement(free):
    """The foot of this person turns about an axis 12° off its z; shank and orthosis do not know of it."""
    tilt = np.deg2rad(12.0)
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    rng = np.random.default_rng(3)
    omega = np.sin(np.linspace(0.0, 9.0, 200))[:, None] * axis + 0.02 * rng.normal(size=(200, 3))
    found = turning_axis(np.vstack([omega, np.full((3, 3), np.nan)]))
    np.testing.assert_allclose(found.direction, axis, atol=5e-3)  # noise 0.02 of an amplitude of 1, 200 frames
    assert found.share > 0.99
    with pytest.raises(BiomecError, match="No frame tells how the joint turns"):
        turning_axis(np.full((4, 3), np.nan))


def test_hinges_of_orthoses_take_the_axes_of_the_ankles(free):
    _, analysis = free
    assert device_hinges(analysis)["right orthosis ankle"] == "right ankle"
    changed = with_device_axes(analysis)
    axes = changed.settings.body.options.axes
    said = {notice.code for notice in changed.session.notices} & {"axis-found", "axis-not-found"}
    assert said
    assert axes
    again = with_device_axes(changed.run_until("segments"))  # drifted: the axes move how the legs are fitted
    assert again.settings == changed.settings
    assert [notice.code for notice in again.session.notices] == [notice.code for notice in changed.session.notices]
    assert "right orthosis knee" not in axes  # carried by the orthosis, not by the person
    if "right orthosis ankle" in axes:
        body = changed.run_until("body").body.person
        fixed = body.joint_axes()["right orthosis ankle"]
        assert fixed[2] > 0.8  # to the right, as far as the walk turns the ankle about it


def test_crutches_recorded_in_a_file_of_their_own_join_the_recording(walked, tmp_path):
    """A table of channels given as the file of the plates; channels of the recording come first."""
    path = tmp_path / "crutches.csv"
    write_trial(replace(walked.dynamic, plates=(), emg=None), path)
    other = read_trial(path)
    silent = replace(walked.dynamic, analog=None)
    joined, notices = merge_plates(silent, other)
    assert joined.analog.names == walked.dynamic.analog.names
    np.testing.assert_allclose(joined.analog.values, walked.dynamic.analog.values, rtol=0, atol=1e-6)
    assert [notice.code for notice in notices] == ["channels-merged"]
    kept, notices = merge_plates(walked.dynamic, other)
    assert kept.analog is walked.dynamic.analog
    assert "channels-not-merged" in {notice.code for notice in notices}


def test_who_walks_without_aids_in_the_same_markers_is_analysed_too():
    """37 markers on the bones of another model: knees and hips come back."""
    person = VirtualPerson(75.0, 1.77)
    acquisition = record(Walk(strides=1), person, replace(EXACT, marker_set="gait-37"))
    analysis = Analysis(session_of(acquisition), settings("m18")).run_until("angles")
    assert not analysis.body.person.left_out
    truth = true_angles(acquisition)
    for name in ("right knee flexion", "left hip flexion", "right ankle dorsiflexion"):
        error = np.degrees(analysis.angles[name] - truth[name])
        assert np.nanmax(np.abs(error)) < 1.0, name  # markers of hinges and of ball joints obey another model


def test_a_stiff_lock_is_said_to_magnify_the_error_of_its_angle(analysed):
    (said,) = [notice.sentence for notice in analysed.notices if notice.code == "stiff-spring"]
    assert said.startswith("Right knee lock and left knee lock give 17 N·m a degree.")


def test_torques_of_a_simulation_are_compared_with_cuffs_on(free):
    """Cuffs entered inverse dynamics and not the torques beside it, which were 46 N·m (RMS) apart at an ankle."""
    _, analysis = free
    run = run_simulation(analysis, SimulationSettings(frames=(20, 30)))
    names = [name for name in run.torque_names if "ankle" in name]
    assert len(names) > 3
    assert max(run.torque_rms[name] for name in names) < 0.5  # N m; the run leaves the movement by its step of 1 ms
    (said,) = [notice.sentence for notice in run.notices if notice.code == "devices-simulated"]
    assert "Nothing else moves right orthosis ankle" in said
    assert run.devices.shape == (11, len(run.device_names))
    knee = run.devices[:, run.device_names.index("right knee flexion torque, device (N·m)")]
    before = next(share for share in analysis.loads.devices.shares if share.joint == "right knee").device[20:31]
    np.testing.assert_allclose(knee, before, rtol=0, atol=0.5)
    again = stored_run(run.to_result())
    np.testing.assert_array_equal(again.devices, run.devices)


def test_every_formulation_moves_a_body_with_free_orthoses_alike(free):
    """Springs, cuffs and hinges that nobody drives, by three formulations: the same motion."""
    _, analysis = free
    runs = [
        run_simulation(analysis, SimulationSettings(frames=(20, 25), formulation=name, integrator="trapezoidal"))
        for name in ("semi-recursive", "independent", "stabilised")
    ]
    for run in runs:
        assert run.completed
        # stabilised Lagrange leaves the constraints by 1e-7 m within the 100 steps
        np.testing.assert_allclose(run.q[-1], runs[0].q[-1], rtol=0, atol=1e-6)


def test_a_lock_that_cannot_hold_ends_a_simulation_with_a_sentence(free):
    """Without springs and cuffs the orthoses fall off; what was reached is kept."""
    _, analysis = free
    gone = {spring.name: 0.0 for spring in analysis.body.person.springs}
    run = run_simulation(analysis, SimulationSettings(frames=(0, 99), what_if=WhatIf(springs=gone)))
    assert not run.completed
    assert "Nothing but springs and cuffs of the device hold it, and they are too soft" in run.sentence
    assert 0.1 < run.reached_s < 1.5
    softer = WhatIf(springs={"right knee lock": 0.5})
    assert run_simulation(analysis, SimulationSettings(frames=(20, 25), what_if=softer)).completed
    with pytest.raises(BiomecError, match="The model has no spring lock; it has right knee lock"):
        run_simulation(analysis, SimulationSettings(frames=(20, 25), what_if=WhatIf(springs={"lock": 0.5})))


def test_springs_act_on_a_body_that_muscles_move(analysed):
    """What acts beside the muscles: weight, ground reactions, and the torques of locks and ankle springs."""
    settings = SimulationSettings(input="muscles", frames=(20, 25))
    setup = set_up(analysed, settings)
    q, qdot = setup.q[1], setup.qdot[1]
    t = float(setup.time_s[1])
    body = setup.body
    known = sum(element.force(body.system, q, qdot).Q for element in body.elements)
    without = together(weight(setup.system), setup.tracked.ground)(t, q, qdot)
    np.testing.assert_allclose(setup.control.loads(t, q, qdot) - without, known, rtol=0, atol=1e-9)
    assert np.abs(known).max() > 1.0


def test_a_device_that_nothing_holds_stays_with_the_leg_and_it_is_said(free):
    _, analysis = free
    person = analysis.body.person
    slack = changed_springs(person, {spring.name: SpringChange(0.0, 0.0) for spring in person.springs})
    found = with_held_devices(slack, analysis.motion)
    (said,) = [notice.sentence for notice in found.notices if notice.code == "device-not-held"]
    assert "follow the leg by geometry, and forces there are not known." in said
    np.testing.assert_array_equal(found.q, analysis.motion.q)


def test_a_balance_that_does_not_settle_is_said(free, monkeypatch):
    """Rounds ran out in silence; softer springs need more than one."""
    _, analysis = free
    person = analysis.body.person
    soft = changed_springs(person, {spring.name: SpringChange(0.25) for spring in person.springs})
    codes = []
    for rounds in (held_devices.ROUNDS, 1):
        monkeypatch.setattr(held_devices, "ROUNDS", rounds)
        codes.append([one.code for one in with_held_devices(soft, analysis.motion).notices])
    assert "device-not-settled" not in codes[0]
    assert codes[1][-2:] == ["device-held", "device-not-settled"]


def test_one_of_two_free_orthoses_is_taken_away(free):
    """All hinges were balanced together: those that nothing held any more stopped the whole comparison."""
    _, analysis = free
    springs = analysis.body.person.springs
    gone = {side: {one.name: SpringChange(0.0, 0.0) for one in springs if side in one.name} for side in SIDES}
    variants = (AidVariant("no left", gone["left"]), AidVariant("none", gone["left"] | gone["right"]))
    both, right, neither = compare_aids(aids_as_recorded(analysis), (as_recorded(), *variants)).results
    for joint in ("knee", "ankle"):
        k = both.loads.index(f"right {joint}")
        # placed anew among the same springs: what rounds below 1e-6 rad leave, by 1e4 N/m and levers below 1 m
        np.testing.assert_allclose(right.person_torque[:, k], both.person_torque[:, k], rtol=0, atol=0.02)
        k = both.loads.index(f"left {joint}")
        np.testing.assert_allclose(right.person_torque[:, k], neither.person_torque[:, k], rtol=0, atol=1e-9)
        assert np.nanmax(np.abs(neither.person_torque[:, k] - both.person_torque[:, k])) > 30.0
    assert "in its cuffs. No cuff holds left orthosis ankle, left orthosis knee: the" in right.notices[0].sentence
    assert "new position" not in neither.notices[0].sentence
    loose = {name: SpringChange(0.0, 0.0) for name in ("left knee lock", "left cuff at the hip")}
    with pytest.raises(BiomecError, match="thigh spins: Nothing holds left orthosis knee against"):
        compare_aids(aids_as_recorded(analysis), (AidVariant("thigh spins", loose),))


def test_a_cuff_on_the_wrong_leg_is_doubted(free):
    """A loop that no leg can close: the thigh of one side, the orthosis of the other."""
    _, analysis = free
    cuff = next(one for one in analysis.loads.devices.cuffs if one.name == "right cuff at the hip")
    assert gap_notices([cuff]) == []
    wrong = replace(cuff, segments=("left thigh", "right orthosis thigh"), gap=cuff.gap + np.array([0.0, 0.0, 0.2]))
    (said,) = gap_notices([wrong])
    assert "draws left thigh and right orthosis thigh 2" in said.sentence
    assert "whether it joins the right segments" in said.sentence
