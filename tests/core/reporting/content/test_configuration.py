"""Configuration: five panes, the counts of the whole-body model as published, and what is not there yet."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.body.loads.options import LoadOptions
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.frame_map import frame_map
from biomec.pipeline.settings import AnalysisSettings, BodySettings, SignalSettings
from biomec.reporting.content.configuration import FRAMES, configuration, reference_point_counts
from biomec.reporting.tables import Section
from tests.core.pipeline.standing import swaying_session

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))
PANES = ["General", "Pre-processing", "Body segment", "Mechanism", "Signals"]


@pytest.fixture(scope="module")
def whole() -> Analysis:
    return analyze(swaying_session(), UNFILTERED)


def pane(analysis: Analysis, title: str) -> Section:
    return next(one for one in configuration(analysis) if one.title == title)


def facts(section: Section, table: int = 0) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in section.tables[table].rows}


def test_there_are_five_panes_before_and_after_the_analysis(whole):
    assert [one.title for one in configuration(whole)] == PANES
    empty = configuration(Analysis(swaying_session()))
    assert [one.title for one in empty] == PANES
    assert empty[2].sentences == ('Run "Body Model" first.',)
    assert empty[1].sentences == ('Run "Body Model" first.',)


def test_the_mechanism_of_the_whole_body_reads_as_published(whole):
    counts = facts(pane(whole, "Mechanism"))
    # [Nunes2017] section 4.2: 252 natural coordinates, 214 rows, 44 degrees of freedom, 6 redundant rows
    assert [counts[name][0] for name in counts] == ["252", "214", "44", "6"]
    # 21 free bodies; 20 joints with 3 rows, 6 universal with one more, 6 hinges with two more, 4 contacts
    assert [counts[name][1] for name in counts] == [str(21 * 6), str(60 + 6 + 12 + 4), "44", "0"]


def test_the_general_pane_tells_recording_and_person(whole):
    about = {name: value for name, (value,) in facts(pane(whole, "General")).items()}
    assert about["Mass"] == "70.0 kg"
    assert about["Sex"] == "female"
    assert about["Sampling rate"] == "50 Hz"
    assert about["Length"] == "50 frames at 50 Hz, 1.00 s"
    assert about["Number of segments"] == "21"
    assert about["Model case"] == "3D"


def test_masses_of_the_segments_sum_to_the_person(whole):
    rows = pane(whole, "Body segment").tables[0].rows
    assert len(rows) == 21
    assert sum(float(row[2]) for row in rows) == pytest.approx(70.0, abs=21 * 0.0005)  # each is rounded to a gram
    first = [int(row[4].split(" to ")[0]) for row in rows]
    assert first == list(range(1, 253, 12))  # indices in q follow each other without a gap


def test_unfiltered_signals_say_so_and_filtered_ones_tell_their_cut_offs(whole):
    rows = facts(pane(whole, "Pre-processing"))
    assert rows["Positions"] == ("–", "–", "not filtered")
    from biomec.signals import FilterOptions

    fixed = SignalSettings(marker_filter=FilterOptions("fixed", 6.0), plate_filter=None)
    filtered = Analysis(swaying_session(), AnalysisSettings(signals=fixed)).run_until("signals")
    assert facts(pane(filtered, "Pre-processing"))["Positions"][:2] == ("6.000", "6.000")


def test_signals_are_ok_or_no_and_stale_ones_are_told(whole):
    recorded, computed = (facts(pane(whole, "Signals"), k) for k in (0, 1))
    assert recorded["Markers, dynamic"] == ("Ok",)
    assert recorded["Force plates"] == ("No",)
    assert recorded["EMG"] == ("No",)
    assert set(computed.values()) == {("Ok",)}
    changed = whole.with_settings(AnalysisSettings(signals=UNFILTERED.signals, body=BodySettings(model="m17")))
    assert facts(pane(changed, "Signals"), 1)["Body Model"] == ("Ok, out of date",)
    assert facts(pane(Analysis(swaying_session()), "Signals"), 1)["Cycles"] == ("No",)


def test_every_tensor_is_one_that_a_body_can_have(whole):
    for _, *moments in pane(whole, "Body segment").tables[1].rows:
        xx, yy, zz = (float(text.replace("−", "-")) for text in moments[:3])
        assert xx + yy >= zz - 2e-5  # the triangle of principal moments, to the rounding of the table
        assert min(xx, yy, zz) >= 0.0
    assert np.shape(pane(whole, "Body segment").tables[1].rows) == (21, 7)


def test_legs_alone_in_reference_points_have_the_degrees_of_freedom_of_the_model():
    legs = analyze(swaying_session(), AnalysisSettings(signals=UNFILTERED.signals, body=BodySettings(model="legs")))
    counts, bodies = legs.body.structure, len(legs.body.person.system.bodies)
    coordinates, rows, free, redundant = reference_point_counts(counts, bodies)
    # seven free bodies; hips 3 rows each, knees 5, ankles 4: nothing is said twice
    assert (coordinates, rows, redundant) == (42, 2 * (3 + 5 + 4), 0)
    assert free == counts.degrees_of_freedom == 18


def test_lost_markers_are_counted_as_the_quality_strip_counts_them(whole):
    """The static has medial markers that the movement never shows: they made "100 % estimated" of a measured trial."""
    session = swaying_session()
    hidden = session.dynamic.markers.p_WM.copy()
    hidden[:, 0] = np.nan  # a marker that only the static shows
    hidden[10:15, 5] = np.nan
    markers = replace(session.dynamic.markers, p_WM=hidden)
    analysis = Analysis(replace(session, dynamic=replace(session.dynamic, markers=markers)), UNFILTERED)
    analysis = analysis.run_until("signals")
    shown = {name: value for name, (value,) in facts(pane(analysis, "Pre-processing"), 1).items()}
    quality = frame_map(analysis)
    assert shown["Frames with all markers measured"] == "90.00 %"  # 45 of 50
    for state, words in FRAMES:
        assert shown[f"Frames {words}"] == f"{100 * quality.share(state):.2f} %"
    name = session.dynamic.markers.names[0]
    assert shown["Markers of the static only, computed in every frame"] == f"1: {name}"
    assert float(shown["Samples measured"].split()[0]) > 90.0


def test_loads_are_listed_as_they_are(whole):
    """A person who sways on no plates: both methods have run, the ground reaction is estimated, no contact is known."""
    listed = {name: cells[0] for name, cells in facts(pane(whole, "Signals"), 2).items()}
    assert listed["Forces and torques by Newton-Euler"] == listed["Forces and torques by multibody"] == "Ok"
    assert listed["Force between scapula and ribs"] == "No"
    assert listed["Ground reaction, estimated"] == "Ok"
    changed = replace(whole.settings, loads=LoadOptions(constraints="all", external="none"))
    old = facts(pane(whole.with_settings(changed), "Signals"), 2)
    assert old["Power"] == ("Ok, out of date",)
    again = facts(pane(whole.with_settings(changed).run_until("loads"), "Signals"), 2)
    assert again["Force between scapula and ribs"] == ("Ok",)
    assert again["Ground reaction, measured"] == again["Ground reaction, estimated"] == ("No",)
    before = facts(pane(Analysis(swaying_session()), "Signals"), 2)
    assert set(before.values()) == {("No",)}
