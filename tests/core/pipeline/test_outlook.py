"""Whether a recording can be analysed is known before it is, and what stops an analysis is kept."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.progress import Cancelled
from biomec.pipeline.analysis import STOPPED, Analysis
from biomec.pipeline.outlook import Obstacles, _some_frames, obstacle_of_loads, obstacles, run_as_far
from biomec.pipeline.settings import AnalysisSettings, BodySettings
from biomec.recording import Session
from tests.core.pipeline.standing import swaying_session
from tests.core.pipeline.test_analysis import UNFILTERED
from tests.real_data import recording

NEEDED = ("C7", "T8", "IJ", "PX")
CLAVICLES = ("AC_D", "AC_E")


@pytest.fixture(scope="module")
def session() -> Session:
    return swaying_session()


def without(session: Session, *names: str) -> Session:
    """A session whose trials lack some markers."""

    def less(trial):
        markers = trial.markers
        return replace(trial, markers=markers.select([name for name in markers.names if name not in names]))

    static = None if session.static is None else less(session.static)
    return replace(session, dynamic=less(session.dynamic), static=static)


def test_a_recording_that_can_be_analysed_has_no_obstacle(session):
    assert obstacles(session, UNFILTERED) == Obstacles()


def test_the_obstacle_is_what_the_analysis_would_have_said(session):
    lacking, settings = without(session, *NEEDED), replace(UNFILTERED, body=BodySettings("upper-limb"))
    obstacle = obstacles(lacking, settings).model
    assert "cannot be built from this recording" in obstacle
    stopped = run_as_far(Analysis(lacking, settings), "cycles")
    assert list(stopped.done) == ["preparation", "signals"]  # what could be done is kept
    (notice,) = (notice for notice in stopped.notices if notice.code == STOPPED)
    assert obstacle in notice.sentence
    assert '"Body Model"' in notice.sentence


def test_what_stopped_an_analysis_is_told_once_and_no_longer_when_it_is_put_right(session):
    """It stayed among the notices, and in the report, of an analysis that had run."""
    settings = replace(UNFILTERED, body=BodySettings("upper-limb"))
    stopped = run_as_far(Analysis(without(session, *NEEDED), settings), "body")
    again = run_as_far(stopped, "body")
    assert [notice.code for notice in again.notices].count(STOPPED) == 1
    mended = again.with_settings(UNFILTERED).run_until("body")
    assert STOPPED not in [notice.code for notice in mended.notices]
    assert list(mended.stale) == []


def test_running_as_far_as_it_goes_is_running_where_nothing_stops_it(session):
    as_far, plainly = run_as_far(Analysis(session, UNFILTERED), "body"), Analysis(session, UNFILTERED).run_until("body")
    assert list(as_far.done) == list(plainly.done)
    assert as_far.notices == plainly.notices


@pytest.mark.parametrize(
    "work", [lambda s, p: obstacles(s, UNFILTERED, p), lambda s, p: run_as_far(Analysis(s), "body", p)]
)
def test_cancelling_stops_it(session, work):
    def cancel(fraction):
        raise Cancelled("The work was cancelled.")

    with pytest.raises(Cancelled):
        work(session, cancel)


def test_frames_that_are_tried_show_every_marker_that_the_movement_shows(session):
    """A marker that is seen once, and the one frame that shows all, must not be missed."""
    p = np.repeat(np.array(session.dynamic.markers.p_WM), 40, axis=0)  # 2000 frames
    p[:, 3] = np.nan
    p[777, 3] = 1.0
    p[:, 4] = np.nan
    p[1234, 4] = 1.0
    trial = replace(session.dynamic, markers=replace(session.dynamic.markers, p_WM=p), plates=(), events=())
    few = _some_frames(trial)
    assert few.frames < 200
    assert few.markers.visible.any(axis=0).all()
    assert few.markers.visible.sum(axis=1).max() == trial.markers.visible.sum(axis=1).max()


def test_a_real_arm_without_its_thorax_is_known_beforehand():
    """The import had promised joint angles and cycles of it."""
    from biomec.io import import_session

    session = import_session(recording("shoulder_scapula", "scapula_clavicle_markers.c3d"))
    assert "jugular notch" in obstacles(session, AnalysisSettings()).model


def test_loads_that_cannot_pass_from_joint_to_joint_are_known_beforehand(session):
    """The import had said that they can be estimated, and the menu that computed them then told the contrary."""
    lacking = without(session, *CLAVICLES)
    found = obstacles(lacking, UNFILTERED)
    assert found.model == ""
    assert "no joint leads from the" in found.loads
    begun = Analysis(lacking, UNFILTERED)
    assert obstacle_of_loads(begun) == ""  # not known before there is a model
    stopped = run_as_far(begun, "loads")
    assert "loads" not in stopped.done
    assert obstacle_of_loads(stopped) == found.loads
    (notice,) = (notice for notice in stopped.notices if notice.code == STOPPED)
    assert found.loads in notice.sentence
    without_girdle = replace(UNFILTERED, body=BodySettings("m17"))
    assert obstacle_of_loads(stopped.with_settings(without_girdle)) == ""  # out of date: another model may do


def test_a_real_shoulder_without_its_clavicle_is_known_to_have_no_loads():
    from biomec.io import import_session

    found = obstacles(import_session(recording("shoulder_scapula", "ABD01.trc")), AnalysisSettings())
    assert found.model == ""
    assert "from the thorax to right scapula, right humerus" in found.loads
