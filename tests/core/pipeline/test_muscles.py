"""The step "Muscles": who asks for it gets it, stored, stale and repeated like any other."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.body.muscles.muscle_paths import muscle_paths
from biomec.body.muscles.muscle_sensitivity import muscle_sensitivity
from biomec.body.muscles.options import MuscleFit
from biomec.body.muscles.sharing_options import HYBRID, SharingOptions
from biomec.body.muscles.some_frames import emg_of_frames, telling_frames
from biomec.body.muscles.what_if import MuscleVariant, compare_variants
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import ALWAYS, STEPS, Analysis, step_named
from biomec.pipeline.outlook import last_due, run_as_far, run_due
from biomec.pipeline.reopen import open_again
from biomec.pipeline.settings import MuscleSettings
from biomec.reporting.content.muscle_section import muscles_section
from tests.core.pipeline.muscled import before_muscles
from tests.core.pipeline.muscled import with_muscles as muscled


@pytest.fixture(scope="module")
def before() -> Analysis:
    return before_muscles()


@pytest.fixture(scope="module")
def whole() -> Analysis:
    return muscled()


def changed(analysis: Analysis, **changed) -> Analysis:
    muscles = replace(analysis.settings.muscles, **changed)
    return analysis.with_settings(replace(analysis.settings, muscles=muscles))


def test_it_is_the_last_step_and_runs_for_who_asks(before, whole):
    assert STEPS[-1] is step_named("muscles")
    assert step_named("muscles") not in ALWAYS
    assert "muscles" not in before.done
    with pytest.raises(BiomecError, match='Run "Muscle Forces" first'):
        _ = before.muscles
    assert whole.is_current("muscles")


def test_every_frame_has_a_status_and_muscles_carry_the_torques(whole):
    found = whole.muscles
    assert sum(found.forces.counts().values()) == whole.signals.trial.frames
    assert found.forces.solved.sum() == found.trust.frames > 0
    made = np.einsum("tmk,tm->tk", found.model.arms, found.forces.force) + found.forces.reserve
    there = found.forces.solved
    assert_allclose(made[there], found.forces.wanted[there], rtol=0, atol=1e-8)
    assert {one.joint for one in found.peaks} == {
        f"{s} {j}" for s in ("right", "left") for j in ("hip", "knee", "ankle", "patellofemoral")
    }
    assert all(one.force_N > one.net_N for one in found.peaks)
    assert found.question.forces is found.forces


def test_other_settings_make_it_stale_and_running_all_runs_it_again(whole):
    other = changed(whole, sharing=SharingOptions(criterion="cubic"))
    assert other.stale == ("muscles",)
    again = other.run_all()
    assert again.is_current("muscles")
    assert not np.allclose(again.muscles.forces.activation, whole.muscles.forces.activation, equal_nan=True)


def test_what_is_due_runs_muscles_again_where_they_ran(before, whole):
    assert last_due(before) == "loads"
    assert last_due(whole) == "muscles"
    other = changed(whole, sharing=SharingOptions(curves="thelen"))
    assert run_due(other).is_current("muscles")
    assert "muscles" not in run_due(before).done


def test_a_project_opens_with_the_same_muscle_forces(whole, tmp_path):
    save_project(whole.stored(), tmp_path / "p.biomec")
    session = load_project(tmp_path / "p.biomec")
    stored = session.results["muscles"]
    assert_array_equal(stored["forces force"], whole.muscles.forces.force)
    assert stored.metadata["set"] == "legs"
    assert stored.metadata["sources"][0]["licence"]
    again = open_again(session)
    assert_array_equal(again.muscles.forces.force, whole.muscles.forces.force)
    assert_array_equal(again.muscles.contacts.force, whole.muscles.contacts.force)
    assert not [notice for notice in again.notices if notice.code == "results-differ"]


def test_projects_of_before_there_were_muscles_open(before):
    session = before.stored()
    settings = {key: value for key, value in session.settings["analysis"].items() if key != "muscles"}
    again = open_again(replace(session, settings={**session.settings, "analysis": settings}))
    assert tuple(again.done) == tuple(step.name for step in ALWAYS)
    assert again.settings.muscles == MuscleSettings()


def test_work_stops_when_it_is_cancelled(before):
    seen = []

    def stop(fraction: float) -> None:
        seen.append(fraction)
        if len(seen) > 2:
            raise Cancelled("The user stopped the work.")

    with pytest.raises(Cancelled):
        before.run("muscles", stop)
    assert "muscles" not in before.done


def test_what_cannot_be_is_said_and_the_rest_goes_on(before, tmp_path):
    (tmp_path / "own.toml").write_text('[meta]\nmodel = "own"\n', "utf-8")
    stopped = run_as_far(changed(before, set=str(tmp_path / "own.toml")), "muscles")
    assert stopped.is_current("loads")
    assert any("it holds no muscles" in notice.sentence for notice in stopped.notices)


def test_measured_activation_takes_part_where_there_is_emg(before):
    """The virtual subject has EMG of arms alone; a channel given by hand to a leg takes part, in variants too."""
    hybrid = changed(before, sharing=SharingOptions(emg=HYBRID))
    with pytest.raises(BiomecError, match=r"No EMG channel .* could be matched"):
        hybrid.run("muscles")
    step = step_named("muscles")
    assert step.settings(hybrid.settings) != step.settings(before.settings)
    reading = replace(hybrid.settings.emg, channels={"triceps_D": "right rectus femoris"})
    found = hybrid.with_settings(replace(hybrid.settings, emg=reading)).run("muscles").muscles
    assert found.channels == (("triceps_D", ("rect_fem_r",)),)
    assert "emg-sizes-unknown" in {one.code for one in found.notices}
    assert "Do not use the sizes" in found.trust.verdict
    half = 2.0 * found.emg.reference[found.emg.channels.index("triceps_D")]  # twice what this trial reached
    known = replace(reading, mvc={"triceps_D": half}, mvc_from={"triceps_D": "MVC.c3d"})
    scaled = hybrid.with_settings(replace(hybrid.settings, emg=known))
    assert not scaled.is_current("muscles")
    scaled = scaled.run("muscles")
    normalised = scaled.muscles
    assert "emg-sizes-unknown" not in {one.code for one in normalised.notices}
    column = normalised.emg.channels.index("triceps_D")
    assert_allclose(normalised.emg.activation[:, column], 0.5 * found.emg.activation[:, column])
    assert normalised.emg.reference_words("triceps_D").endswith("(MVC.c3d)")
    tables = {one.caption: one for one in muscles_section(scaled).tables}
    assert tables["EMG that takes part"].rows[0][0] == "triceps_D"
    assert "MVC.c3d" in tables["EMG that takes part"].rows[0][2]
    measured = np.clip(found.emg.activation[:, found.emg.channels.index("triceps_D")], 0.01, 1.0)
    there = np.isfinite(measured)
    assert there.sum() > 50
    k = found.forces.index("rect_fem_r")
    assert_allclose(found.forces.activation[there, k], measured[there], rtol=0, atol=1e-12)
    (variant,) = compare_variants(found.question, [MuscleVariant("no soleus", {"soleus_r": 0.0})])
    assert_allclose(variant.forces.activation[there, k], measured[there], rtol=0, atol=1e-12)
    frames = telling_frames(found.model, 4)
    assert emg_of_frames(found.question.emg, frames).activation.shape == (len(frames), 1)
    assert all(one.solved == 1.0 for one in muscle_sensitivity(found.question, 4).assumptions)
    bare = replace(before.session, dynamic=replace(before.session.dynamic, emg=None))
    with pytest.raises(BiomecError, match="the recording has no EMG"):
        replace(hybrid, session=bare, done={}).run_until("muscles")


def test_a_model_without_feet_keeps_the_muscles_of_hips_and_knees(before):
    options = replace(before.settings.body.options, without=("right foot", "left foot"))
    bare = before.with_settings(replace(before.settings, body=replace(before.settings.body, options=options)))
    found = bare.run_until("muscles").muscles
    assert len(found.fitted.muscles) == 2 * 31
    left_out = next(notice for notice in found.notices if notice.code == "muscles-left-out")
    assert "the model has no right foot" in left_out.sentence
    assert found.forces.solved.all()


def test_a_set_of_a_file_is_not_read_unasked_from_a_project_of_somebody_else(whole, tmp_path):
    (tmp_path / "own.toml").write_text('[meta]\nmodel = "own"\n[[include]]\nset = "legs"\n', "utf-8")
    session = changed(whole, set=str(tmp_path / "own.toml")).run_all().stored()
    again = open_again(session)
    assert again.settings.muscles.set == MuscleSettings().set
    assert "named-file-not-read" in [notice.code for notice in again.notices]
    assert open_again(session, files=True).muscles.set_name.endswith("own.toml")


def test_without_plates_it_says_what_that_means(before):
    ground = replace(before.settings.loads, external="none")
    found = before.with_settings(replace(before.settings, loads=ground)).run_until("muscles").muscles
    assert "muscles-without-ground" in [notice.code for notice in found.notices]


def test_a_ground_reaction_estimated_throughout_is_not_called_a_part(before):
    ground = replace(before.settings.loads, external="estimated")
    found = before.with_settings(replace(before.settings, loads=ground)).run_until("muscles").muscles
    assert "estimated throughout, not measured" in found.trust.verdict
    assert "In part of the frames" not in found.trust.verdict
    codes = [notice.code for notice in found.notices]
    assert "muscles-all-estimated-ground" in codes
    assert "muscles-estimated-ground" not in codes


def test_paths_are_laid_on_bones_and_not_on_adjusted_centres_of_mass(before, whole):
    """Residual reduction moves masses and centres of mass; muscles keep to the person's joints."""
    loads = replace(before.settings.loads, reduction=ReductionOptions(motion=None))
    found = before.with_settings(replace(before.settings, loads=loads)).run_until("muscles")
    reduced = found.loads.reduced
    assert reduced.segments
    assert max(np.linalg.norm(one.centre_shift) for one in reduced.segments) > 1e-4
    alone = muscle_paths(found.body.person, reduced.q, reduced.qdot, "legs")
    assert_allclose(found.muscles.paths.length, alone.length, rtol=0, atol=1e-12)
    assert_allclose(found.muscles.paths.length, whole.muscles.paths.length, rtol=0, atol=1e-9)


def test_strength_by_volume_is_a_setting(whole):
    fit = MuscleFit(strength="volume")
    assert changed(whole, fit=fit).run_until("muscles").muscles.fitted.fmax.sum() != whole.muscles.fitted.fmax.sum()
