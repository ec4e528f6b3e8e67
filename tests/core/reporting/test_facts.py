"""Facts about a result: one statement, which tree, report, configuration, summary and command line repeat."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.pipeline.analysis import ALWAYS, Analysis, analyze
from biomec.pipeline.settings import AnalysisSettings, SignalSettings
from biomec.recording import Session, Subject
from biomec.reporting import facts
from biomec.reporting.content.configuration import GENERAL, MECHANISM, configuration
from biomec.reporting.content.load_section import LOADS
from biomec.reporting.content.report import MODEL, QUALITY, RECORDING, SUBJECT, report_content
from biomec.reporting.files.analysis_files import summary
from biomec.reporting.trust import trust
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, Walk, record

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))


@pytest.fixture(scope="module")
def pushed() -> Analysis:
    one = record(PushUp("closed", cycles=2), VirtualPerson(), RecordOptions(50.0, 50.0))
    return analyze(Session(one.dynamic, one.static, subject=one.person.subject), UNFILTERED)


def texts(section) -> dict[str, str]:
    return dict(section.tables[0].rows)


def test_report_and_configuration_repeat_the_facts(pushed):
    report, panes = report_content(pushed), {pane.title: pane for pane in configuration(pushed)}
    person, length = facts.subject_facts(pushed), facts.trial_facts(pushed.signals.trial)["length"]
    for shown in (texts(report.section(SUBJECT)), texts(panes[GENERAL])):
        assert all(shown[person[key].label] == person[key].text for key in ("name", "sex", "mass", "height"))
    for shown in (texts(report.section(RECORDING)), texts(panes[GENERAL])):
        assert shown[length.label] == length.text
    model = facts.model_facts(pushed)
    assert texts(report.section(MODEL))["Size"] == model["size"].text
    assert panes[MECHANISM].tables[0].rows[0][:2] == ("Coordinates", str(model["coordinates"].value))
    motion = facts.motion_facts(pushed.motion)
    assert texts(report.section(QUALITY))["Markers to model"] == motion["marker_rms"].text
    assert report.highlights[0][0] == motion["solved"].text
    loads = facts.load_facts(pushed)
    section = report.section(LOADS)
    assert section.sentences[:2] == (loads["trust"].text, loads["advice"].text)
    assert texts(section)["Methods"] == loads["methods"].text


def test_loads_that_are_partly_estimated_can_be_used_on_the_plates_only(pushed):
    assert facts.load_facts(pushed)["advice"].text == "These loads can be used."
    walk = record(Walk(strides=3, plates=2), VirtualPerson(), RecordOptions(100.0, 500.0))
    found = facts.load_facts(analyze(Session(walk.dynamic, walk.static, subject=walk.person.subject)))
    assert found["estimated"].value > 0.3
    assert found["advice"].text == "These loads can be used in the steps on the plates."


def test_the_summary_has_their_values(pushed):
    written, motion, model = summary(pushed), facts.motion_facts(pushed.motion), facts.model_facts(pushed)
    assert written["consistency"]["converged"] == motion["solved"].value
    assert written["markers"]["rms_mm"] == motion["marker_rms"].value
    assert {key: written["model"][key] for key in ("segments", "dof")} == {
        "segments": model["segments"].value,
        "dof": 44,
    }
    assert written["inverse_dynamics"]["trust"] == facts.load_facts(pushed)["trust"].value
    assert f"{motion['marker_rms'].value:.1f} mm" in trust(pushed).verdict


def test_a_person_is_told_as_entered_and_then_as_the_model_takes_them(pushed):
    nobody = Analysis(replace(pushed.session, subject=Subject()), UNFILTERED)
    assert facts.subject_facts(nobody)["mass"].value is None
    known = facts.subject_facts(nobody.run_until("body"))
    assert known["mass"].text.endswith("(weighed on the plates)")
    assert known["height"].text.endswith("(from the markers)")
    assert known["sex"].text.endswith("(assumed)")


def test_states_of_the_steps(pushed):
    assert facts.count_steps(pushed, facts.CURRENT) == len(ALWAYS)
    changed = pushed.with_settings(replace(UNFILTERED, cycles=replace(UNFILTERED.cycles, by="none")))
    states = {name: fact.value for name, fact in facts.step_facts(changed).items()}
    assert (states["angles"], states["cycles"], states["loads"]) == (facts.CURRENT, facts.STALE, facts.STALE)
    assert facts.count_steps(Analysis(pushed.session), facts.TODO) == len(ALWAYS)


def test_numbers_that_are_missing_do_not_count():
    values = np.array([[3.0, np.nan], [4.0, np.nan]])
    assert facts.finite_mean(values) == 3.5
    assert facts.finite_rms(values) == np.sqrt(12.5)
    assert facts.finite_largest(values) == 4.0
    np.testing.assert_array_equal(facts.finite_mean(values, 0), [3.5, np.nan])
    assert np.isnan(facts.finite_rms(values[:, 1]))
