"""A project that is opened again has the settings and the numbers that it was saved with."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from biomec.base.plain_types import restored
from biomec.base.progress import Cancelled
from biomec.body.anatomy.subject_model import ModelOptions
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.kinematics.joint_angles import AngleOptions
from biomec.body.kinematics.weights import WeightOptions
from biomec.body.loads.options import LoadOptions
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import ALWAYS, Analysis, analyze
from biomec.pipeline.reopen import differences, open_again, reopened
from biomec.pipeline.settings import (
    AnalysisSettings,
    BodySettings,
    ContactChoice,
    PreparationSettings,
    SignalSettings,
)
from biomec.pipeline.settings_file import FORMER_NAMES
from biomec.recording import Event, Result, Session
from biomec.recording.label_map import LabelMap
from biomec.recording.step import plain_data
from biomec.signals import FilterOptions
from biomec.signals.filtering import CutoffChoice, ManualCutoff
from tests.core.pipeline.standing import swaying_session

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))
RICH = AnalysisSettings(
    preparation=PreparationSettings("ajpaula", LabelMap("lab", "ajpaula", {"a": "C7"}, ("b", "c"))),
    signals=SignalSettings(
        marker_filter=FilterOptions(CutoffChoice.FIXED, 8.5, (ManualCutoff("C7", (3.0, 4.0, 5.0)),)),
        plate_filter=None,
        by_hand=(ContactChoice("P1", 0.5, "right foot"), ContactChoice("P2", 1.5, None)),
    ),
    body=BodySettings("m17", ModelOptions(points={"x": (0.1, 0.2, 0.3)}, centres={"right hip": "harrington"})),
    positions=ConsistencyOptions(weights=WeightOptions("table", {"* hand": 2.0}), contacts="never"),
    angles=AngleOptions("isb", True),
)  # fmt: skip


@pytest.fixture(scope="module")
def whole() -> Analysis:
    return analyze(swaying_session(), UNFILTERED)


@pytest.mark.parametrize("settings", [AnalysisSettings(), UNFILTERED, RICH])
def test_settings_return_from_plain_data_as_they_were(settings):
    again, notices = restored(AnalysisSettings, plain_data(settings))
    assert notices == ()
    # tables become read-only and have no equality of their own, so both are compared as plain data
    assert plain_data(again) == plain_data(settings)
    assert type(again.signals.contacts) is type(settings.signals.contacts)
    assert again.signals == settings.signals
    assert again.preparation.marker_set == settings.preparation.marker_set


def test_save_and_reopen_gives_the_same_numbers_bit_for_bit(whole, tmp_path):
    save_project(whole.stored(), tmp_path / "p.biomec")
    again = open_again(load_project(tmp_path / "p.biomec"))
    assert tuple(again.done) == tuple(step.name for step in ALWAYS)
    assert again.stale == ()
    for name in ("q", "qdot", "qddot", "distance", "marker_residual"):
        assert_array_equal(getattr(again.motion, name), getattr(whole.motion, name))
    assert_array_equal(again.angles.values, whole.angles.values)
    assert again.settings == whole.settings
    assert not [notice for notice in again.notices if notice.code == "results-differ"]
    assert [n.sentence for n in again.notices] == [n.sentence for n in whole.notices]


def test_a_second_save_does_not_repeat_the_history(whole):
    once = whole.stored()
    twice = open_again(once).stored()
    assert [record.step for record in twice.provenance] == [record.step for record in once.provenance]


def test_results_that_are_out_of_date_are_kept_and_stay_out_of_date(whole, tmp_path):
    """Angles, cycles and loads were gone after save and reopen, once a setting of the angles had changed."""
    changed = whole.with_settings(replace(UNFILTERED, angles=AngleOptions("isb")))
    assert changed.stale == ("angles", "cycles", "loads")
    save_project(changed.stored(), tmp_path / "p.biomec")
    again = open_again(load_project(tmp_path / "p.biomec"))
    assert again.settings.angles.convention == "isb"
    assert again.stale == changed.stale
    assert_array_equal(again.angles.values, whole.angles.values)
    assert_array_equal(again.loads.to_result()["newton_euler torque"], whole.loads.to_result()["newton_euler torque"])
    assert not [notice for notice in again.notices if notice.code in ("results-differ", "stale-results-left-out")]
    twice = open_again(again.stored())
    assert twice.stale == changed.stale
    assert len(twice.stored().provenance) == len(changed.stored().provenance)
    assert not twice.run_all().stale


def test_results_of_another_subject_and_other_events_are_kept(whole):
    subject = replace(whole.session.subject, mass_kg=91.0)
    trial = replace(whole.session.dynamic, events=(Event(0.1, "Foot Strike", "Right", "manual"),))
    changed = replace(whole, session=replace(whole.session, subject=subject, dynamic=trial))
    assert set(changed.stale) == set(whole.done)
    again = open_again(changed.stored())
    assert again.session.subject.mass_kg == 91.0
    assert set(again.stale) == set(whole.done)
    assert_array_equal(again.angles.values, whole.angles.values)


def test_results_whose_origin_is_not_known_are_left_out_with_a_sentence(whole):
    """Projects of former versions, and recordings whose axes were changed since."""
    changed = whole.with_settings(replace(UNFILTERED, angles=AngleOptions("isb"))).stored()
    records = tuple(
        replace(record, settings={key: value for key, value in record.settings.items() if key != "made_of"})
        for record in changed.provenance
    )
    analysis, steps, past = reopened(replace(changed, provenance=records))
    assert steps == ("preparation", "signals", "body", "positions", "motion", "segments")
    assert not past
    sentences = [notice.sentence for notice in analysis.notices if notice.code == "stale-results-left-out"]
    assert len(sentences) == 1
    assert "Joint Angles" in sentences[0]
    assert reopened(Analysis(swaying_session()).stored()).steps == ()


def test_other_numbers_are_told_with_their_size(whole):
    session = whole.stored()
    result = session.results["positions"]
    moved = Result({**result.arrays, "q": result["q"] + 0.25}, result.metadata)
    other = replace(session, results={**session.results, "positions": moved})
    (notice,) = differences(whole, other)
    assert notice.code == "results-differ"
    assert "coordinates" in notice.sentence
    assert "0.25" in notice.sentence
    records = tuple(replace(record, biomec="0.0.9") for record in other.provenance)
    again = open_again(replace(other, provenance=records))
    sentences = [n.sentence for n in again.notices if n.code == "results-differ"]
    assert len(sentences) == 1
    assert "Biomec 0.0.9" in sentences[0]
    # saved anew it is what this version gives, and nothing differs any more
    assert not [n for n in open_again(again.stored()).notices if n.code == "results-differ"]


def test_rounding_of_another_machine_is_no_warning(whole):
    session = whole.stored()
    angles = session.results["angles"]
    rounded = Result({**angles.arrays, "values": angles["values"] * (1.0 + 1e-15)}, angles.metadata)
    notices = differences(whole, replace(session, results={**session.results, "angles": rounded}))
    assert {notice.severity.value for notice in notices} <= {"info"}


def test_settings_of_another_version_are_told_and_passed_over(whole):
    session = whole.stored()
    data = dict(plain_data(session.settings["analysis"]))
    data["ligaments"] = {"method": "slack lengths"}
    data["angles"] = {**data["angles"], "convention": 7, "unwrap": False}
    data["positions"] = {**data["positions"], "method": "magic"}
    data["cycles"] = "all"
    analysis, *_ = reopened(session.with_settings(analysis=data))
    sentences = " ".join(notice.sentence for notice in analysis.notices)
    assert "'ligaments'" in sentences
    assert "convention" in sentences
    assert "magic" in sentences
    assert "cycles" in sentences
    assert analysis.settings.angles == AngleOptions(unwrap=False)
    assert analysis.settings.positions.method == ConsistencyOptions().method


@pytest.mark.parametrize(
    "data", [None, 3, "x", [], {"signals": None}, {"signals": {"contacts": {"threshold_n": -1.0}}}]
)
def test_broken_settings_become_defaults_with_a_sentence(data):
    settings, notices = restored(AnalysisSettings, data)
    assert settings == AnalysisSettings()
    assert bool(notices) == (data != {})


def test_cancelling_stops_and_a_step_that_fails_is_told(whole):
    def stop(fraction: float) -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        open_again(whole.stored(), stop)
    session = whole.stored()
    data = dict(plain_data(session.settings["analysis"]))
    data["body"] = {**data["body"], "model": "no such model"}
    records = tuple(replace(record, biomec="0.0.9") for record in session.provenance)
    opened = open_again(replace(session.with_settings(analysis=data), provenance=records))
    assert [n for n in opened.notices if n.code == "step-not-run-again"]
    assert tuple(opened.done) == ("preparation", "signals")


def test_a_session_may_ask_for_steps_without_having_results():
    session = Analysis(swaying_session(), UNFILTERED).stored().with_settings(steps=("preparation", "signals"))
    analysis, steps, _ = reopened(session)
    assert steps == ("preparation", "signals")
    assert "steps" not in analysis.session.settings
    assert np.isfinite(open_again(session).signals.markers.p_WM).any()


def under_former_names(session: Session) -> Session:
    """A stored session as versions before 0.2 wrote it."""
    former = {now: before for before, now in FORMER_NAMES.items()}
    analysis = {former.get(name, name): part for name, part in session.settings["analysis"].items()}
    return replace(
        session,
        settings={**session.settings, "analysis": analysis},
        results={former.get(name, name): result for name, result in session.results.items()},
        provenance=tuple(replace(line, step=former.get(line.step, line.step)) for line in session.provenance),
    )


def test_a_project_with_the_former_names_of_steps_opens_with_the_same_settings_and_numbers(whole, tmp_path):
    changed = replace(UNFILTERED, positions=ConsistencyOptions(contacts="never"), loads=LoadOptions("lagrange"))
    stored = whole.with_settings(changed).run_all().stored()
    old = under_former_names(stored)
    assert {"consistency", "rates", "inverse"} <= old.results.keys()
    save_project(old, tmp_path / "old.biomec")
    analysis = open_again(load_project(tmp_path / "old.biomec"))
    assert plain_data(analysis.settings) == plain_data(changed)
    assert tuple(analysis.done) == tuple(step.name for step in ALWAYS)
    assert analysis.notices == open_again(stored).notices
    again = analysis.stored()
    assert again.results.keys() == stored.results.keys()
    assert [line.step for line in again.provenance] == [line.step for line in stored.provenance]
    result = old.results["consistency"]
    moved = Result({**result.arrays, "q": result["q"] + 1e-3}, result.metadata)
    other = replace(old, results={**old.results, "consistency": moved})
    assert [notice.code for notice in differences(analysis, other)] == ["results-differ"]


def test_steps_to_run_may_have_former_names(whole):
    session = replace(whole.session, settings={"steps": ("preparation", "consistency")})
    assert reopened(session).steps == ("preparation", "positions")
