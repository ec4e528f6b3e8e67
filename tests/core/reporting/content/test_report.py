"""What a report says, against the summary of the same analysis and against what was put in."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.engine.position import PositionOptions
from biomec.pipeline.analysis import analyze
from biomec.pipeline.settings import AnalysisSettings, BodySettings
from biomec.recording import Session, Subject
from biomec.reporting.content.load_section import LOADS
from biomec.reporting.content.report import (
    ANGLES,
    CYCLES,
    MODEL,
    PROVENANCE,
    QUALITY,
    RECORDING,
    SUBJECT,
    TRUTH,
    report_content,
)
from biomec.reporting.demo import true_angles
from biomec.reporting.files.analysis_files import summary
from biomec.virtual import RecordOptions, VirtualPerson, push_up, record


@pytest.fixture(scope="module")
def acquisition():
    return record(push_up("closed", 2), VirtualPerson(), RecordOptions(rate_hz=50.0, noise_mm=0.5))


@pytest.fixture(scope="module")
def session(acquisition):
    return Session(acquisition.dynamic, acquisition.static, subject=acquisition.person.subject)


@pytest.fixture(scope="module")
def analysis(session):
    return analyze(session)


@pytest.fixture(scope="module")
def content(analysis, acquisition):
    return report_content(analysis, true_angles(acquisition))


def table(content, title, caption=""):
    return next(one for one in content.section(title).tables if one.caption == caption)


def test_every_part_is_there_in_the_order_of_reading(content):
    known = [SUBJECT, RECORDING, ANGLES, CYCLES, QUALITY, LOADS, TRUTH, MODEL, PROVENANCE]
    titles = [section.title for section in content.sections]
    assert len(set(titles)) == len(titles)
    assert [title for title in titles if title in known] == known


def test_without_truth_there_are_no_errors(analysis):
    plain = report_content(analysis)
    assert plain.section(TRUTH) is None
    assert len(plain.highlights) == 4


def test_figures_agree_with_the_summary(content, analysis):
    facts = summary(analysis)
    model, consistency = facts["model"], facts["consistency"]
    size = dict(table(content, MODEL).rows)["Size"]
    for count in ("segments", "coordinates", "constraints", "redundant", "dof"):
        assert str(model[count]) in size
    quality = dict(table(content, QUALITY).rows)
    assert quality["Frames that obey the model"] == f"{consistency['converged']} of {consistency['frames']}"
    assert quality["Markers to model"] == f"{facts['markers']['rms_mm']:.1f} mm rms"
    worst = table(content, QUALITY, "Markers farthest from the model").rows[0]
    by_marker = facts["markers"]["by_marker"]
    assert worst[0] == max(by_marker, key=lambda name: by_marker[name]["rms_mm"] or 0.0)
    assert worst[1] == f"{by_marker[worst[0]]['rms_mm']:.1f}"
    assert dict(content.highlights)[f"{facts['cycles']['valid']} of {facts['cycles']['found']}"] == "cycles are valid"


def test_ranges_are_those_of_the_movement(content, analysis):
    rows = {row[0].replace("\N{NO-BREAK SPACE}", " "): row[1:] for row in table(content, ANGLES, "Both sides").rows}
    elbow = rows["Elbow, flexion + / extension −"]
    flexion = np.degrees(analysis.angles["right elbow flexion"])
    # mean of two cycles against the extremes of all: cycles differ in depth by a few per cent of 113°
    assert float(elbow[1]) == pytest.approx(np.nanmax(flexion), abs=5.0)
    assert float(elbow[2].split(" ")[0]) > 90.0
    assert abs(float(elbow[6].replace("−", "-"))) < 3.0  # both elbows of a symmetric person


def test_errors_against_the_truth_are_those_of_the_angles(content, analysis, acquisition):
    rows = {row[0].replace("\N{NO-BREAK SPACE}", " "): row[1:] for row in table(content, TRUTH, "Both sides").rows}
    error = analysis.angles["left knee flexion"] - true_angles(acquisition)["left knee flexion"]
    assert float(rows["Knee, flexion + / extension −"][3]) == pytest.approx(
        np.degrees(np.sqrt(np.nanmean(error**2))), abs=0.006
    )  # two digits are printed


def test_every_notice_is_in_a_group(content, analysis):
    assert {one for group in content.notices for one in group.notices} == set(analysis.notices)


def test_what_was_assumed_about_the_subject_is_said(session, analysis):
    unknown = analyze(replace(session, subject=Subject("Nobody")))
    person = dict(table(report_content(unknown), SUBJECT).rows)
    assert person["Sex"].endswith("(assumed)")
    assert person["Mass"].endswith("(weighed on the plates)")
    assert person["Height"].endswith("(from the markers)")
    known = dict(table(report_content(analysis), SUBJECT).rows)
    assert (known["Sex"], known["Mass"], known["Height"]) == ("male", "75.0 kg", "1.77 m")


def test_files_are_told_by_name_and_fingerprint_and_folders_never(analysis, content):
    files = table(content, PROVENANCE, "Files").rows
    assert [row[3] for row in files] == [analysis.session.dynamic.source.sha256, analysis.session.static.source.sha256]
    elsewhere = replace(analysis, settings=AnalysisSettings(body=BodySettings("/home/someone/models/mine.toml")))
    settings = {row[0]: row[1:] for row in table(report_content(elsewhere), PROVENANCE, "Settings").rows}
    assert settings["body.model"] == ("mine.toml", "changed")
    assert settings["positions.method"] == ("auto", "")
    windows = replace(analysis, settings=AnalysisSettings(body=BodySettings(r"C:\Users\someone\mine.toml")))
    listed = {row[0]: row[1] for row in table(report_content(windows), PROVENANCE, "Settings").rows}
    assert listed["body.model"] == "mine.toml"


def test_an_analysis_without_valid_frames_still_has_a_report(session):
    hopeless = ConsistencyOptions(position=PositionOptions(max_iterations=1))
    content = report_content(analyze(session, AnalysisSettings(positions=hopeless)))
    quality = dict(table(content, QUALITY).rows)
    assert quality["Frames that obey the model"].startswith("0 of ")
    assert any(name.startswith("Other frames") for name in quality)
    assert content.section(CYCLES).tables == ()
    assert {cell for row in table(content, ANGLES, "Both sides").rows for cell in row[1:]} == {"–"}
