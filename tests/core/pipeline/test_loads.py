"""The step "Joint Loads": loads of the joints from the recording of a virtual subject."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError
from biomec.base.notices import Severity
from biomec.body.kinematics.contact_points import model_contacts
from biomec.body.loads.joint_loads import largest_difference
from biomec.body.loads.options import LoadOptions
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import ALWAYS, Analysis, analyze
from biomec.pipeline.reopen import open_again
from biomec.pipeline.settings import AnalysisSettings, BodySettings, SignalSettings
from biomec.pipeline.steps.loads import measured_loads
from biomec.recording import Session
from biomec.signals.contacts import ContactAssignment
from biomec.virtual import PushUp, RecordOptions, VirtualAcquisition, VirtualPerson, record
from tests.core.pipeline.pushing import computed_again, with_motion

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))
NEWTON = 9.81
CHANGES = {"residual-reduced", "inertia-adjusted", "motion-corrected"}


def session_of(acquisition: VirtualAcquisition) -> Session:
    return Session(acquisition.dynamic, acquisition.static, subject=acquisition.person.subject)


@pytest.fixture(scope="module")
def exact() -> tuple[VirtualAcquisition, Analysis]:
    # plates at the rate of the frames: a frame's mean over its own interval is then the force at the frame
    acquisition = record(PushUp("closed", cycles=1), VirtualPerson(), RecordOptions(50.0, 50.0))
    return acquisition, analyze(session_of(acquisition), UNFILTERED)


def test_it_is_the_last_step_and_runs_with_all_others(exact):
    _, analysis = exact
    assert ALWAYS[-1].name == "loads"
    assert analysis.is_current("loads")
    assert analysis.loads.newton_euler.root == "thorax"
    assert analysis.loads.newton_euler.frames == analysis.signals.trial.frames


def test_both_methods_agree_to_round_off(exact):
    _, analysis = exact
    force, torque = largest_difference(analysis.loads.newton_euler, analysis.loads.multibody)
    assert force < 1e-8
    assert torque < 1e-8


def test_external_loads_are_those_that_the_ground_exerted(exact):
    acquisition, analysis = exact
    external = measured_loads(analysis.body.contacts, analysis.signals.trial.frames)
    reactions = {one.segment: one for one in acquisition.truth.reactions.values()}
    assert set(external.segments) == set(reactions)
    for k, segment in enumerate(external.segments):
        true = reactions[segment]
        assert_allclose(external.force[:, k], true.force, atol=1e-9)
        about = true.moment + np.cross(true.point - external.point[:, k], true.force)
        assert_allclose(external.moment[:, k], about, atol=1e-9)
    assert not analysis.loads.external.estimated.any()
    assert_allclose(analysis.loads.external.total_force, external.total_force, atol=1e-9)


def external_of(analysis: Analysis, contacts: ContactAssignment) -> ExternalLoads:
    trial, names = analysis.signals.trial, [segment.name for segment in analysis.body.person.segments]
    return measured_loads(model_contacts(contacts, trial.plates, names), trial.frames)


def test_other_words_for_a_foot_reach_the_model(exact):
    _, analysis = exact
    contacts = analysis.signals.contacts
    assert contacts is not None
    words = {"right foot": "Foot R"}
    renamed = tuple(replace(c, segment=words.get(c.segment, c.segment)) for c in contacts.contacts)
    external = external_of(analysis, replace(contacts, contacts=renamed))
    assert set(external.segments) == set(analysis.loads.external.segments)


def test_a_contact_of_nobody_acts_on_nobody(exact):
    _, analysis = exact
    contacts = analysis.signals.contacts
    assert contacts is not None
    lost = tuple(replace(c, segment=None if c.segment == "right foot" else c.segment) for c in contacts.contacts)
    external = external_of(analysis, replace(contacts, contacts=lost))
    assert "right foot" not in external.segments


def test_without_external_loads_the_residual_bears_the_body(exact):
    acquisition, analysis = exact
    settings = replace(UNFILTERED, loads=LoadOptions(external="none"))
    loads = analysis.with_settings(settings).run("loads").loads.newton_euler
    measured = sum(one.force for one in acquisition.truth.reactions.values())
    inner = slice(3, -3)  # differences at the ends are of lower order
    assert_allclose(loads.residual_force[inner], measured[inner], atol=8.0)  # 1 % of the weight at 50 Hz


def test_only_the_last_step_is_stale_after_a_change_of_its_settings(exact):
    _, analysis = exact
    changed = analysis.with_settings(replace(UNFILTERED, loads=LoadOptions(root="pelvis")))
    assert changed.stale == ("loads",)
    assert changed.run_all().loads.newton_euler.root == "pelvis"


def test_frames_without_a_motion_have_no_loads(exact):
    _, analysis = exact
    motion = analysis.motion
    gone = slice(20, 23)
    lost = {name: getattr(motion, name).copy() for name in ("q", "qdot", "qddot")}
    for array in lost.values():
        array[gone] = np.nan
    broken = with_motion(analysis, replace(motion, **lost))
    loads = computed_again(broken, "loads").loads.newton_euler
    assert np.isnan(loads.force[gone]).all()
    assert np.isnan(loads.residual_torque[gone]).all()
    rest = np.delete(loads.force, range(20, 23), axis=0)
    assert_array_equal(rest, np.delete(analysis.loads.newton_euler.force, range(20, 23), axis=0))


def test_a_segment_that_nothing_decides_has_no_loads_and_leaves_those_of_other_limbs(exact):
    _, analysis = exact
    motion = analysis.motion
    unknown = motion.undetermined.copy()
    unknown[10, motion.segments.index("right hand")] = True
    broken = with_motion(analysis, replace(motion, undetermined=unknown))
    loads = computed_again(broken, "loads").loads.newton_euler
    lost = {name for name, f in zip(loads.joints, loads.force[10], strict=True) if np.isnan(f).any()}
    arm = {"wrist", "radioulnar", "elbow", "glenohumeral", "acromioclavicular", "sternoclavicular"}
    assert lost == {f"right {name}" for name in arm}
    assert np.isfinite(loads.force[11]).all()


def test_a_project_gives_the_loads_back_bit_for_bit(exact, tmp_path):
    _, analysis = exact
    save_project(analysis.stored(), tmp_path / "p.biomec")
    stored = load_project(tmp_path / "p.biomec")
    assert_array_equal(stored.results["loads"]["newton_euler force"], analysis.loads.newton_euler.force)
    again = open_again(stored)
    assert not [notice for notice in again.notices if notice.code == "results-differ"]
    for method in ("newton_euler", "multibody"):
        one, other = getattr(again.loads, method), getattr(analysis.loads, method)
        for name in ("force", "torque", "residual_force", "residual_torque", "centre"):
            assert_array_equal(getattr(one, name), getattr(other, name))


def standing_still(frames: int = 40) -> Session:
    """The virtual person in its standing pose, recorded for a while, without plates."""
    person = VirtualPerson()
    static = record(PushUp("closed", cycles=1), person, RecordOptions(50.0, 50.0)).static
    p = np.broadcast_to(static.markers.p_WM[:1], (frames, *static.markers.p_WM.shape[1:]))
    return Session(replace(static, markers=replace(static.markers, p_WM=p)), static, subject=person.subject)


def test_standing_still_without_plates_the_residual_is_the_weight():
    settings = replace(UNFILTERED, loads=LoadOptions(external="none"))
    analysis = analyze(standing_still(), settings)
    mass = sum(body.mass for body in analysis.body.person.system.bodies)
    assert mass == pytest.approx(analysis.body.person.measures["mass"], abs=1e-9)
    expected = np.broadcast_to([0.0, mass * NEWTON, 0.0], (40, 3))
    # positions are the same numbers in all frames, so that velocities and accelerations vanish
    assert_allclose(analysis.loads.newton_euler.residual_force, expected, atol=1e-8)
    estimated = analysis.with_settings(UNFILTERED).run("loads").loads
    assert estimated.external.estimated.all()
    assert_allclose(estimated.external.total_force, expected, atol=1e-8)
    assert np.abs(estimated.newton_euler.residual_force).max() < 1e-8


def test_a_part_of_the_body_is_told_and_its_residual_judges_nothing(exact):
    _, analysis = exact
    legs = analysis.with_settings(replace(UNFILTERED, body=BodySettings("legs"))).run_all()
    assert "model-of-a-part" in [notice.code for notice in legs.loads.notices]
    assert not legs.loads.trust.residuals.counted.any()
    assert not legs.loads.external.estimated.any()
    wish = replace(legs.settings, loads=LoadOptions(external="estimated"))
    with pytest.raises(BiomecError, match="part of the body"):
        legs.with_settings(wish).run("loads")


def test_a_root_that_the_model_does_not_have_is_refused(exact):
    _, analysis = exact
    with pytest.raises(BiomecError, match="no tail to carry the residual"):
        analysis.with_settings(replace(UNFILTERED, loads=LoadOptions(root="tail"))).run("loads")


def test_residuals_are_reduced_only_on_request_and_every_change_is_told(exact, tmp_path):
    _, analysis = exact
    heavier = replace(analysis.session, subject=replace(analysis.session.subject, mass_kg=80.0))  # 5 kg too much
    wrong = Analysis(heavier, UNFILTERED).run_all()
    assert wrong.loads.reduced is None
    asked = replace(wrong.settings, loads=LoadOptions(reduction=ReductionOptions()))
    changed = wrong.with_settings(asked)
    assert not changed.is_current("loads")
    after = changed.run_until("loads")
    reduced = after.loads.reduced
    assert reduced is not None
    assert after.loads.trust.residuals.force_rms[3] < 0.3 * wrong.loads.trust.residuals.force_rms[3]
    assert_array_equal(after.loads.newton_euler.force, reduced.loads.force)
    force, torque = largest_difference(after.loads.newton_euler, after.loads.multibody)
    assert max(force, torque) < 1e-6  # both methods see the adjusted body and motion
    assert {notice.code for notice in after.loads.notices} >= CHANGES
    notices = [notice for notice in after.loads.notices if notice.code in CHANGES]
    assert {notice.severity for notice in notices} == {Severity.WARNING}  # what the terminal shows
    assert "Residual reduction changed the data" in after.loads.trust.verdict
    assert "Residual reduction" not in wrong.loads.trust.verdict
    lighter = sum(one.mass_after - one.mass_before for one in reduced.segments)
    assert lighter == pytest.approx(-5.0, abs=1.5)  # what the plates weigh is 75 kg
    save_project(after.stored(), tmp_path / "reduced.biomec")
    again = open_again(load_project(tmp_path / "reduced.biomec"))
    assert again.settings.loads == after.settings.loads
    assert_array_equal(again.loads.newton_euler.force, after.loads.newton_euler.force)
