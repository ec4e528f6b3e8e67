"""What every frame rests on, and why."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from biomec.base.errors import BiomecError
from biomec.io import import_session
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.frame_map import FrameMap, FrameState, frame_map, longest_stretch
from biomec.recording import Session
from biomec.reporting.content.configuration import _lost_markers
from biomec.signals import SampleOrigin
from tests.core.pipeline.standing import swaying_session
from tests.core.pipeline.test_analysis import UNFILTERED
from tests.real_data import recording

HIDDEN = {"EL_D": slice(5, 8), "MC2_D": slice(20, 24), "MC5_D": slice(20, 24), "MC2_E": slice(30, 45)}
"""Marker -> frames without it: its segment rebuilds the first; a hand of two markers cannot, and 15 frames are long."""


def hidden(session: Session, parts: dict[str, slice]) -> Session:
    markers = session.dynamic.markers
    p = np.array(markers.p_WM)
    for name, frames in parts.items():
        p[frames, markers.index(name)] = np.nan
    return replace(session, dynamic=replace(session.dynamic, markers=replace(markers, p_WM=p)))


@pytest.fixture(scope="module")
def solved() -> Analysis:
    return Analysis(hidden(swaying_session(), HIDDEN), UNFILTERED).run_until("positions")


def made(states: list[int]) -> FrameMap:
    none = np.zeros((len(states), 0))
    return FrameMap(np.array(states), (), none.astype(int), None, (), none.astype(bool), 100.0, 1)


def test_before_any_step_a_frame_is_measured_or_lacks_a_marker():
    found = frame_map(Analysis(hidden(swaying_session(), HIDDEN)))
    expected = np.zeros(50, dtype=int)
    for frames in HIDDEN.values():
        expected[frames] = FrameState.LOST
    assert_array_equal(found.state, expected)
    assert found.status is None
    assert "Lost: EL_D." in found.why(6)


def test_after_consistency_each_frame_tells_the_worst_that_befell_it(solved):
    found = frame_map(solved)
    assert set(found.state[5:8]) == {FrameState.REBUILT}
    assert set(found.state[20:24]) == {FrameState.INTERPOLATED}
    assert set(found.state[30:45]) == {FrameState.FAILED}
    rest = np.ones(50, dtype=bool)
    for frames in HIDDEN.values():
        rest[frames] = False
    assert set(found.state[rest]) == {FrameState.MEASURED}
    assert_array_equal(found.state == FrameState.FAILED, ~solved.positions.valid)
    assert found.share(FrameState.FAILED) == 0.3


def test_a_frame_says_why(solved):
    found = frame_map(solved)
    first = solved.session.dynamic.first_frame
    head, *reasons = found.why(6)
    assert head == f"Frame {first + 6} (0.12 s from start): rebuilt, as all of frames {first + 5} to {first + 7}."
    assert "Rebuilt from their segment: EL_D." in reasons
    assert any("incomplete" in reason for reason in found.why(31))
    assert "Lost: MC2_E." in found.why(31)
    with pytest.raises(BiomecError, match="no frame 50"):
        found.why(50)


def test_markers_that_are_never_seen_do_not_spoil_every_frame():
    session = swaying_session()
    kept = [name for name in session.dynamic.markers.names if name != "PX"]
    session = replace(session, dynamic=replace(session.dynamic, markers=session.dynamic.markers.select(kept)))
    found = frame_map(Analysis(session, UNFILTERED).run_until("signals"))
    assert found.states == (FrameState.MEASURED,)
    assert "PX" not in found.markers
    assert (found.origin == SampleOrigin.MEASURED).all()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(1, 90))
def test_a_column_of_a_picture_shows_the_worst_of_its_frames(states, columns):
    found = made(states).worst_of(columns)
    assert len(found) == columns
    for c in range(columns):
        first = c * len(states) // columns
        stop = max(first + 1, (c + 1) * len(states) // columns)
        assert found[c] == max(states[first:stop])
    assert found.max() == max(states)  # a single bad frame is never hidden


@given(st.lists(st.integers(0, 2), min_size=1, max_size=40), st.data())
def test_a_stretch_reaches_as_far_as_the_state(states, data):
    frame = data.draw(st.integers(0, len(states) - 1))
    first, last = made(states).stretch(frame)
    assert first <= frame <= last
    assert set(states[first : last + 1]) == {states[frame]}
    assert first == 0 or states[first - 1] != states[frame]
    assert last == len(states) - 1 or states[last + 1] != states[frame]


def test_the_longest_stretch():
    assert longest_stretch(np.array([1, 0, 1, 1, 0, 1], dtype=bool)) == (2, 3)
    assert longest_stretch(np.zeros(3, dtype=bool)) is None


def test_feet_on_plates_are_told_also_where_the_model_does_not_hold_them():
    session = import_session(recording("gait_pig_pair/HC030A05.c3d"), static=recording("gait_pig_pair/HC030A01.c3d"))
    found = frame_map(Analysis(session).run_until("signals"))
    assert set(found.touching) == {"right foot", "left foot"}
    trial = session.dynamic
    for foot, plate in (("left foot", trial.plates[0]), ("right foot", trial.plates[1])):
        down = plate.time_s[np.abs(plate.vertical) > 20.0]  # as measured, whatever the sign of the file
        frames = np.flatnonzero(found.contact[:, found.touching.index(foot)]) / trial.rate_hz
        # a frame is 10 ms long, and the filter moves the threshold by about as much
        assert frames[0] == pytest.approx(down[0], abs=0.03)
        assert frames[-1] == pytest.approx(down[-1], abs=0.03)
    assert any(one.startswith("On the ground: ") for one in found.why(100))
    assert not any("Held" in one for one in found.why(100))


def test_notice_report_configuration_and_strip_tell_the_same_shares(solved):
    """They had told 81.6, 99.9 and 96.8 % of one recording, because some counted markers of the static."""
    found, rebuilt = frame_map(solved), solved.signals.reconstruction
    measured = float(np.mean(found.origin == SampleOrigin.MEASURED))
    assert rebuilt.fraction(SampleOrigin.MEASURED) == pytest.approx(measured, abs=1e-12)
    (sentence,) = (notice.sentence for notice in solved.notices if notice.code == "reconstruction")
    assert f"{100.0 * measured:.1f} % measured" in sentence
    whole = float(np.mean((found.origin == SampleOrigin.MEASURED).all(axis=1)))
    assert f"In {100.0 * whole:.1f} % of the frames" in sentence
    assert f"{100.0 * measured:.2f} %" in str(_lost_markers(solved))
