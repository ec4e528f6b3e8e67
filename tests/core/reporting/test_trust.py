"""Trust at a glance: the verdict, and the worst marker, segment and stretch by name."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis
from biomec.recording import Session
from biomec.reporting.files.analysis_files import summary
from biomec.reporting.trust import Level, trust
from tests.core.pipeline.standing import swaying_session
from tests.core.pipeline.test_analysis import UNFILTERED
from tests.core.pipeline.test_frame_map import hidden


def shifted(session: Session, marker: str, frames: slice, by_m: float) -> Session:
    markers = session.dynamic.markers
    p = np.array(markers.p_WM)
    p[frames, markers.index(marker), 1] += by_m
    return replace(session, dynamic=replace(session.dynamic, markers=replace(markers, p_WM=p)))


def judged(session: Session):
    analysis = Analysis(session, UNFILTERED).run_until("motion")
    return analysis, trust(analysis)


@pytest.fixture(scope="module")
def rigid():
    return judged(swaying_session())


def finding(found, title):
    return next(one for one in found.findings if one.title == title)


def test_there_is_nothing_to_judge_before_consistency():
    with pytest.raises(BiomecError, match=r"Run .Consistent Positions. first"):
        trust(Analysis(swaying_session()))


def test_a_motion_that_is_exactly_rigid_fits(rigid):
    _, found = rigid
    assert found.level is Level.GOOD
    assert found.reasons == ()
    assert found.verdict.startswith("A good fit. All 50 frames obey the model")
    assert np.nanmax(found.fit) < 1e-6  # m; nothing but the tolerance of the solver


def test_a_marker_that_slipped_is_named_with_its_segment_and_frames():
    # the skin marker of the right thigh is not a landmark, so that nothing but its own distance changes
    analysis, found = judged(shifted(swaying_session(), "CLCX_D_11", slice(20, 30), 0.05))
    worst = finding(found, "Worst marker")
    assert worst.words == worst.marker == "CLCX_D_11"
    assert worst.frames == (20, 29)
    assert worst.frame == 24
    assert worst.segment == finding(found, "Worst segment").segment == "right thigh"
    assert finding(found, "Worst stretch").frames == (20, 29)
    assert found.level is Level.CHECK
    assert any("CLCX_D_11" in reason for reason in found.reasons)
    # 50 mm in a fifth of the frames
    assert_allclose(found.markers[0].rms, 0.05 * np.sqrt(0.2), rtol=1e-6)
    assert_allclose(found.markers[0].largest, 0.05, rtol=1e-6)
    assert analysis.positions.valid.all()


def test_numbers_are_those_of_the_summary(rigid):
    analysis, found = rigid
    written = summary_of(analysis)
    for one in found.violations:
        assert_allclose(one.before, written["violation_before"][one.kind], atol=1e-15)
        assert_allclose(one.after, written["violation_after"][one.kind], atol=1e-15)


def summary_of(analysis: Analysis):
    return summary(analysis.run_all())["consistency"]


def test_frames_without_a_solution_are_named_first():
    _, found = judged(hidden(swaying_session(), {"MC2_E": slice(30, 45)}))
    assert found.findings[0].title == "Not solved"
    assert found.findings[0].frames == (30, 44)
    assert found.level is Level.POOR  # a third of the frames is gone
    assert found.verdict.startswith("Not to be trusted as it is. 35 of 50 frames")
    assert np.isnan(found.fit[30:45]).all()
    assert np.isfinite(found.fit[:30]).all()


def test_a_motion_without_any_solution_is_not_to_be_used():
    names = {name: slice(0, 50) for name in ("MC2_E", "MC5_E")}
    session = hidden(swaying_session(), {name: slice(1, 50) for name in names})
    session = hidden(session, {"MC2_D": slice(0, 25)})
    _, found = judged(session)
    assert found.level is Level.POOR
    assert found.verdict == "Not to be used. None of the 50 frames obeys the model."
    assert found.markers == ()
