"""The analysis as a whole: order, staleness, cancel, provenance."""

import sys
from dataclasses import replace
from functools import wraps
from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.joint_angles import AngleOptions
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.balance import body_wrench
from biomec.body.loads.floor_contacts import floor_contacts
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import ALWAYS, STEPS, Analysis, analyze
from biomec.pipeline.settings import AnalysisSettings, BodySettings, PreparationSettings, SignalSettings
from biomec.recording import Outputs, Session, Subject
from biomec.signals import static_pose
from biomec.signals.contact_table import contact_table
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, record
from biomec_resources import resource
from tests.core.pipeline.standing import only, swaying_session

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))


@pytest.fixture(scope="module")
def whole() -> Analysis:
    return analyze(swaying_session(), UNFILTERED)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_step_has_one_name(step):
    """Key, property, module and function; settings have it too, and a title in menus (Muscle Forces)."""
    assert isinstance(getattr(Analysis, step.name), property)
    assert callable(getattr(import_module(f"biomec.pipeline.steps.{step.name}"), step.name))
    assert step.name.rstrip("s") in step.title.lower()
    chosen = step.settings(AnalysisSettings())
    assert chosen == getattr(AnalysisSettings(), step.name, None)


def test_a_rigidly_swaying_person_keeps_the_angles_of_the_static_pose(whole):
    assert whole.motion.valid.all()
    joints = [k for k, name in enumerate(whole.angles.joint) if "laboratory" not in name]
    # the motion is rigid to rounding, and coordinates pass through one solution with tolerance 1e-10
    np.testing.assert_allclose(
        whole.angles.values[:, joints], np.broadcast_to(whole.angles.static[joints], (50, len(joints))), atol=1e-7
    )


def test_run_all_equals_step_by_step_bit_for_bit(whole):
    steps = Analysis(swaying_session(), UNFILTERED)
    for step in ALWAYS:
        steps = steps.run(step.name)
    for name in ("q", "qdot", "qddot", "distance", "marker_residual"):
        assert_array_equal(getattr(steps.motion, name), getattr(whole.motion, name))
    assert_array_equal(steps.angles.values, whole.angles.values)
    assert {name: done.fingerprint for name, done in steps.done.items()} == {
        name: done.fingerprint for name, done in whole.done.items()
    }


def test_a_step_asks_for_the_one_before_it():
    with pytest.raises(BiomecError, match='Run "Body Model" first'):
        Analysis(swaying_session()).run("positions")
    with pytest.raises(BiomecError, match='Run "Joint Angles" first'):
        _ = Analysis(swaying_session()).angles
    with pytest.raises(BiomecError, match="There is no step dance"):
        Analysis(swaying_session()).run("dance")


def test_changing_a_setting_makes_later_results_stale_and_keeps_earlier_ones(whole):
    changed = whole.with_settings(replace(UNFILTERED, angles=AngleOptions(convention="isb")))
    assert changed.stale == ("angles", "cycles", "loads")
    again = changed.run_all()
    assert again.stale == ()
    assert again.motion is whole.motion  # nothing was computed that did not change
    assert "right shoulder elevation" in again.angles.names
    assert "right shoulder elevation" not in whole.angles.names


def test_another_subject_makes_everything_stale(whole):
    heavier = replace(whole.session, subject=replace(whole.session.subject, mass_kg=90.0))
    assert set(replace(whole, session=heavier).stale) == {step.name for step in ALWAYS}


def test_progress_rises_to_one_and_cancel_leaves_the_analysis_as_it_was():
    seen: list[float] = []
    analysis = Analysis(swaying_session(), UNFILTERED)
    analysis.run_all(seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1.0)

    def stop(fraction: float) -> None:
        if fraction > 0.5:
            raise Cancelled("The user stopped the work.")

    with pytest.raises(Cancelled):
        analysis.run_all(stop)
    assert not analysis.done


def test_the_stored_session_says_how_every_number_was_made(whole, tmp_path):
    session = whole.stored()
    assert [record.step for record in session.provenance] == [step.name for step in ALWAYS]
    assert all(record.settings["fingerprint"] for record in session.provenance)
    save_project(session, tmp_path / "session.biomec")
    back = load_project(tmp_path / "session.biomec")
    assert_array_equal(back.results["positions"]["q"], whole.motion.q)
    assert_array_equal(back.results["angles"]["values"], whole.angles.values)
    assert back.settings["analysis"]["positions"]["contacts"] == "steady"


def test_a_recording_without_arms_and_trunk_has_the_pelvis_as_root(whole):
    session = swaying_session()
    lower = ("CIAS", "PMCP", "AuxP", "CLCX", "CLPN", "CLAT", "CMED", "MM", "ML", "CALC", "MT")
    wanted = tuple(name for name in session.dynamic.markers.names if name.startswith(lower))
    analysis = analyze(only(session, wanted), UNFILTERED)
    assert {body.name for body in analysis.body.person.system.bodies} == {
        "pelvis", *(f"{side} {part}" for side in ("right", "left") for part in ("thigh", "shank", "foot"))
    }  # fmt: skip
    left_out = [notice.sentence for notice in analysis.notices if notice.code == "segment-left-out"]
    assert any(sentence.startswith("The thorax is left out of the model:") for sentence in left_out)
    assert any(notice.code == "other-root" for notice in analysis.notices)
    assert analysis.motion.valid.all()


def test_a_segment_that_the_movement_never_shows_is_named_with_its_reason():
    session = swaying_session()
    hand = {"MC2_D", "MC5_D"}
    analysis = analyze(only(session, tuple(n for n in session.dynamic.markers.names if n not in hand)), UNFILTERED)
    assert "right hand" in analysis.body.person.left_out
    assert "MC2_D" in analysis.body.person.left_out["right hand"]
    assert analysis.body.structure.coordinates == 240
    assert "right wrist flexion" not in analysis.angles.names
    assert "left wrist flexion" in analysis.angles.names


def test_without_a_static_a_complete_frame_stands_in_for_it_and_that_is_told():
    session = replace(swaying_session(), static=None)
    analysis = analyze(session, UNFILTERED)
    assert analysis.preparation.static_is_dynamic
    assert any(notice.code == "no-static" for notice in analysis.notices)
    assert analysis.motion.valid.all()


def test_without_a_static_and_without_a_complete_frame_the_user_is_told_what_to_give():
    session = swaying_session()
    p = np.array(session.dynamic.markers.p_WM)
    p[: len(p) // 2, 0] = np.nan
    p[len(p) // 2 :, 1] = np.nan
    broken = replace(session.dynamic, markers=replace(session.dynamic.markers, p_WM=p))
    with pytest.raises(BiomecError, match=r"there is no static file.*Give the static acquisition"):
        analyze(replace(session, static=None, dynamic=broken), UNFILTERED)


def test_labels_of_no_known_set_are_told_with_what_to_do():
    session = swaying_session()
    names = tuple(f"point{k}" for k in range(len(session.dynamic.markers.names)))
    trials = {
        kind: replace(trial, markers=replace(trial.markers, names=names))
        for kind, trial in (("dynamic", session.dynamic), ("static", session.static))
    }
    with pytest.raises(BiomecError, match=r"fit none of the marker sets .*describe your own set"):
        analyze(replace(session, **trials))


def test_an_absurd_mass_is_told_with_what_to_check():
    with pytest.raises(BiomecError, match=r"A mass of 7 kg does not go with a height of 1.75 m.*Check both"):
        analyze(swaying_session(subject=Subject(sex="male", mass_kg=7.0, height_m=1.75)), UNFILTERED)


def test_a_model_that_does_not_exist_is_told_with_those_that_do():
    settings = replace(UNFILTERED, body=BodySettings("m12"))
    with pytest.raises(BiomecError, match=r'no model "m12"; did you mean "m[12]\w+"\?.*There are legs, .*m17, .*m21'):
        analyze(swaying_session(), settings)


def test_editing_a_model_file_makes_the_model_stale(tmp_path):
    """After a model file was edited from 17 segments to the legs, nothing was stale and 17 segments stayed."""
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\ntitle = "Mine"\nbase = "m17"\n', encoding="utf-8")
    analysis = analyze(swaying_session(), replace(UNFILTERED, body=BodySettings(str(file))))
    assert len(analysis.body.person.system.bodies) == 17
    file.write_text('name = "mine"\ntitle = "Mine"\nbase = "legs"\n', encoding="utf-8")
    assert analysis.stale[0] == "body"
    assert analysis.is_current("signals")
    assert len(analysis.run_all().body.person.system.bodies) == 7


def test_other_samples_make_everything_stale(whole):
    p = np.array(whole.session.dynamic.markers.p_WM)
    p[10, 0] += 0.05
    moved = replace(whole.session.dynamic, markers=replace(whole.session.dynamic.markers, p_WM=p))
    assert set(replace(whole, session=replace(whole.session, dynamic=moved)).stale) == {step.name for step in ALWAYS}


def test_exchanged_sides_are_told():
    """Left and right exchanged in static and dynamic gave hips of 179°, and nothing said so."""
    session = swaying_session()

    def exchanged(trial):
        other = {"D": "E", "E": "D"}
        names = tuple(
            "_".join(other.get(word, word) if k else word for k, word in enumerate(name.split("_")))
            for name in trial.markers.names
        )
        return replace(trial, markers=replace(trial.markers, names=names))

    wrong = replace(session, dynamic=exchanged(session.dynamic), static=exchanged(session.static))
    for model in ("legs", "m21"):
        analysis = analyze(wrong, replace(UNFILTERED, body=BodySettings(model)))
        notices = [notice for notice in analysis.notices if notice.code == "upside-down"]
        assert "Left and right labels are probably exchanged" in notices[0].sentence
    assert not [notice for notice in analyze(session, UNFILTERED).notices if notice.code == "upside-down"]


def test_a_marker_set_of_ones_own_serves_as_a_shipped_one(tmp_path, whole):
    """A set whose landmarks bear the names of its markers lost them, and a set in a file could not be used at all."""
    text = resource("marker_sets", "biomec-full.toml").read_text("utf-8")
    text = text.replace('name = "biomec-full"', 'name = "mine"', 1)
    table = 'landmarks = { C7 = "C7", IJ = "IJ", "CLAT_*" = "CLAT_*" }\n'
    file = tmp_path / "mine.toml"
    file.write_text(text.replace("segment = [", table + "segment = [", 1), encoding="utf-8")
    settings = replace(UNFILTERED, preparation=PreparationSettings(str(file)), body=BodySettings("m21"))
    analysis = analyze(swaying_session(), settings)
    assert analysis.preparation.marker_set.name == "mine"
    assert_array_equal(analysis.motion.q, whole.motion.q)


def test_what_is_derived_is_made_once_for_results_whatever_the_settings_and_anew_for_others(whole):
    """A change of a setting stopped the window while curves, body and trust were found that had not changed."""
    made = []

    def count(analysis):
        made.append(analysis)
        return analysis.session.dynamic.frames

    assert whole.derived(count) == whole.derived(count) == 50
    assert made == [whole]
    other = whole.with_settings(replace(UNFILTERED, angles=AngleOptions(convention="isb")))
    assert other.derived(count) == 50
    assert made == [whole]
    assert other.fingerprint("angles") != whole.fingerprint("angles")
    again = other.run_until("angles")
    assert again.derived(count) == 50
    assert made == [whole, again]


def test_what_several_steps_need_is_computed_once(monkeypatch):
    """Static pose, points in motion, segment motion, contact table and wrench of the body."""
    calls: list[str] = []

    def counted(work):
        @wraps(work)
        def counting(*given, **named):
            calls.append(work.__name__)
            return work(*given, **named)

        return counting

    shared = (static_pose, segment_motion, contact_table, body_wrench, floor_contacts)
    for work in shared:
        for module in [module for name, module in sys.modules.items() if name.startswith("biomec.")]:
            if vars(module).get(work.__name__) is work:
                monkeypatch.setattr(module, work.__name__, counted(work))
    monkeypatch.setattr(SubjectModel, "points_in_motion", counted(SubjectModel.points_in_motion))
    performed = record(PushUp("closed", cycles=1), VirtualPerson(), RecordOptions(50.0, 50.0))
    analyze(Session(performed.dynamic, performed.static, subject=performed.person.subject), UNFILTERED)
    assert sorted(calls) == sorted([*(work.__name__ for work in shared), "points_in_motion"])


def test_centres_that_a_c3d_stores_apart_from_its_markers_are_taken():
    """A laboratory had computed its hips; the file keeps them with the angles of that program, in millimetres."""
    session = swaying_session()
    own = Analysis(session, UNFILTERED).run_until("body").body.person.static
    place = own["CAQ_D"] + [0.01, 0.0, 0.0]
    values = np.repeat(1e3 * np.stack([place, np.zeros(3)])[None], session.static.frames, axis=0)  # zeros: nothing
    stored = Outputs(("CAQ_D", "CAQ_E"), ("modelled point",) * 2, ("mm",) * 2, values, session.static.rate_hz)
    body = Analysis(replace(session, static=replace(session.static, outputs=stored)), UNFILTERED).run_until("body").body
    np.testing.assert_allclose(body.person.static["CAQ_D"], place, atol=1e-9)
    assert body.person.plan.methods["CAQ_D"] == "given"
    assert body.person.plan.methods["CAQ_E"] == "hip-harrington-2007"


def test_hips_by_regression_say_how_much_their_moments_may_err(whole):
    """12 ± 6 mm from imaging; the force that the joint carries makes moments of it."""
    (notice,) = [notice for notice in whole.loads.notices if notice.code == "centre-error"]
    carried = whole.loads.newton_euler
    force = carried.force[:, carried.index("right hip")]
    rms = np.sqrt(np.nanmean((force**2).sum(axis=1)))
    assert "12 ± 6 mm" in notice.sentence
    assert f"right hip {0.012 * rms:.1f} ± {0.006 * rms:.1f} N·m" in notice.sentence
