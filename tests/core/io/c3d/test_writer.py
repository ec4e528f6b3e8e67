"""Writing C3D: what is written comes back, and ezc3d reads the same."""

from datetime import date

import ezc3d
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError, FileError
from biomec.io.c3d import read_c3d, write_c3d
from biomec.recording import Analog, Event, ForcePlate, LabAxes, Markers, Outputs, Source, Subject, Trial
from tests.core.io.trials import trials
from tests.real_data import recording

SOURCE = Source("made here", "test", "", 0)
RELATIVE = 2e-7  # single precision, there and back through millimetres
MANY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
NUMBERS = st.floats(-5.0, 5.0, width=32).map(lambda x: x if abs(x) > 1e-3 else x + 1.0)


def positions(frames, count):
    """Positions with some samples missing."""

    @st.composite
    def draw_positions(draw):
        p = draw(arrays(np.float64, (frames, count, 3), elements=NUMBERS))
        hidden = draw(arrays(np.bool_, (frames, count)))
        return np.where(hidden[:, :, None], np.nan, p)

    return draw_positions()


@st.composite
def laboratory_trials(draw):
    """Trials as a laboratory has them: one analog clock, rectangular plates."""
    frames, rate, per_frame = (
        draw(st.integers(1, 12)),
        draw(st.sampled_from([50.0, 59.94, 100.0])),
        draw(st.integers(1, 5)),
    )
    samples, analog_rate = frames * per_frame, rate * per_frame
    n = draw(st.integers(1, 4))
    p = draw(positions(frames, n))
    residual = np.where(
        np.isnan(p[:, :, 0]), np.nan, draw(arrays(np.float64, (frames, n), elements=st.floats(0, 0.002)))
    )
    signal = lambda columns: draw(arrays(np.float64, (samples, columns), elements=st.floats(-9.0, 9.0, width=32)))
    markers = Markers(tuple(f"M{k}" for k in range(n)), p, rate, residual if draw(st.booleans()) else None)
    outputs = None
    if draw(st.booleans()):
        values = draw(arrays(np.float64, (frames, 3, 3), elements=st.floats(-100, 100, width=32)))
        outputs = Outputs(
            ("LHipAngles", "Load", "RHJC"), ("angle", "force", "modelled point"), ("deg", "N", "mm"), values, rate
        )
    plates = []
    for k in range(draw(st.integers(0, 2))):
        corners = k + np.array([[0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.4, 0.0], [0.5, 0.4, 0.0]])
        force = signal(3) + np.array([0.0, 0.0, 300.0])
        up = np.array([0.0, 0.0, 1.0])
        plates.append(ForcePlate(f"Plate {k + 1}", force, signal(3), analog_rate, corners.mean(axis=0), up, corners, 2))
    times = draw(st.lists(st.floats(0.0, frames / rate), max_size=4))
    return Trial(
        SOURCE,
        markers,
        LabAxes("+z", draw(st.sampled_from(["+x", "-y"]))),
        Subject(
            draw(st.sampled_from(["", "Ana"])),
            mass_kg=draw(st.sampled_from([None, 45.8])),
            height_m=1.75,
            measures=draw(st.sampled_from([{}, {"leg_length_D": 0.83, "tibial_torsion_E": -0.2}])),
        ),
        unlabelled=Markers(("*7",), draw(positions(frames, 1)), rate) if draw(st.booleans()) else None,
        other_subjects={"Beto": Markers(("M0", "X"), draw(positions(frames, 2)), rate)} if draw(st.booleans()) else {},
        outputs=outputs,
        plates=tuple(plates),
        analog=Analog(("Angle", "Sync"), signal(2), ("rad", "V"), analog_rate) if draw(st.booleans()) else None,
        emg=Analog(("EMG 1",), signal(1), ("V",), analog_rate) if draw(st.booleans()) else None,
        events=tuple(Event(time, "Foot Strike", draw(st.sampled_from(["Left", "Right", "General"]))) for time in times),
        first_frame=draw(st.sampled_from([1, 286, 70000, 200000])),
    )


def same_markers(ours, theirs):
    assert (ours is None) == (theirs is None)
    if ours is not None:
        assert ours.names == theirs.names
        assert ours.rate_hz == theirs.rate_hz
        assert_allclose(ours.p_WM, theirs.p_WM, rtol=RELATIVE)


def same_analog(ours, theirs):
    assert (ours is None) == (theirs is None)
    if ours is not None:
        assert (ours.names, ours.units) == (theirs.names, theirs.units)
        assert ours.rate_hz == pytest.approx(theirs.rate_hz)
        assert_allclose(ours.values, theirs.values, rtol=RELATIVE)


@MANY
@given(trial=laboratory_trials())
def test_a_laboratory_trial_comes_back(tmp_path, trial):
    path = tmp_path / "round.c3d"
    assert write_c3d(trial, path) == ()
    back = read_c3d(path)
    same_markers(back.markers, trial.markers)
    same_markers(back.unlabelled, trial.unlabelled)
    assert list(back.other_subjects) == list(trial.other_subjects)
    for name, markers in trial.other_subjects.items():
        same_markers(back.other_subjects[name], markers)
    residual = trial.markers.residual
    if residual is not None and np.nanmax(residual, initial=0.0) > 1e-4:
        # 255 steps up to the largest residual, or 32000 to the largest coordinate of 5 m: half a step
        assert_allclose(back.markers.residual, residual, rtol=0, atol=0.51 * max(0.002 / 255, 5.0 / 32000))
    if trial.outputs is not None:
        assert (back.outputs.names, back.outputs.kinds) == (trial.outputs.names, trial.outputs.kinds)
        assert back.outputs.units == trial.outputs.units
        assert_array_equal(back.outputs.values, trial.outputs.values)
    for ours, theirs in zip(back.plates, trial.plates, strict=True):
        assert ours.name == theirs.name
        assert_allclose(ours.force, theirs.force, rtol=0, atol=1e-4)  # 24 bits of 300 N
        assert_allclose(ours.moment, theirs.moment, rtol=0, atol=1e-4)
        assert_allclose(ours.corners, theirs.corners, rtol=RELATIVE)
        assert_allclose(ours.up, theirs.up, atol=1e-6)
    same_analog(back.analog, trial.analog)
    same_analog(back.emg, trial.emg)
    assert sorted(e.context for e in back.events) == sorted(e.context for e in trial.events)
    # seconds within a minute have 24 bits: 4e-6 s
    assert_allclose(sorted(e.time_s for e in back.events), sorted(e.time_s for e in trial.events), rtol=0, atol=1e-5)
    assert back.first_frame == trial.first_frame
    assert (back.subject.name, back.subject.mass_kg) == (trial.subject.name, trial.subject.mass_kg)
    assert back.subject.measures == pytest.approx(dict(trial.subject.measures))
    assert (back.axes.up, back.axes.forward) == (trial.axes.up, trial.axes.forward)


@MANY
@given(trial=laboratory_trials())
def test_ezc3d_reads_the_same_points_and_forces(tmp_path, trial):
    path = tmp_path / "judged.c3d"
    write_c3d(trial, path)
    content = ezc3d.c3d(str(path), extract_forceplat_data=False)
    labels = content["parameters"]["POINT"]["LABELS"]["value"]
    for k, name in enumerate(trial.markers.names):
        values = content["data"]["points"][:3, labels.index(name)].T
        assert_allclose(1e-3 * values, trial.markers.p_WM[:, k], rtol=RELATIVE)
    assert content["header"]["points"]["frame_rate"] == pytest.approx(trial.rate_hz)


@MANY
@given(trial=trials())
def test_any_trial_is_written_or_refused_with_a_sentence(tmp_path, trial):
    path = tmp_path / "any.c3d"
    try:
        notices = write_c3d(trial, path)
    except BiomecError:
        assert not path.exists()
        return
    back = read_c3d(path)
    path.unlink()
    assert back.frames == trial.frames
    everyone = set(back.markers.names) | set(back.outputs.names if back.outputs else ())
    assert set(trial.markers.names) <= everyone or notices


def test_a_real_walk_comes_back_through_a_file(tmp_path):
    trial = read_c3d(recording("gait_pig_pair", "HC030A05.c3d"))
    write_c3d(trial, tmp_path / "walk.c3d")
    back = read_c3d(tmp_path / "walk.c3d")
    same_markers(back.markers, trial.markers)
    assert_array_equal(back.outputs.values, trial.outputs.values)
    assert back.events == trial.events
    for ours, theirs in zip(back.plates, trial.plates, strict=True):
        assert_allclose(ours.force, theirs.force, atol=1e-4)
        assert_allclose(ours.centre_of_pressure(), theirs.centre_of_pressure(), atol=1e-6)


def small_trial(frames=10, **more):
    return Trial(SOURCE, Markers(("A",), np.ones((frames, 1, 3)), 100.0), LabAxes("+z", "+x"), **more)


def test_more_frames_and_labels_than_one_word_holds(tmp_path):
    p = np.arange(1.0, 3 * 66000 + 1).reshape(66000, 1, 3)
    trial = Trial(SOURCE, Markers(("A",), p, 100.0), LabAxes("+z", "+x"), first_frame=12)
    write_c3d(trial, tmp_path / "long.c3d")
    back = read_c3d(tmp_path / "long.c3d")
    assert (back.frames, back.first_frame) == (66000, 12)
    assert_allclose(back.markers.p_WM, p, rtol=RELATIVE)
    names = tuple(f"M{k}" for k in range(600))
    many = Trial(SOURCE, Markers(names, np.ones((2, 600, 3)), 100.0), LabAxes("+z", "+x"))
    write_c3d(many, tmp_path / "many.c3d")
    assert read_c3d(tmp_path / "many.c3d").markers.names == names


def test_a_slower_clock_is_interpolated_and_said_so(tmp_path):
    time = np.arange(60) / 600.0
    emg = Analog(("EMG",), np.sin(9.0 * time)[:, None], ("V",), 600.0)
    plate_like = Analog(("Sync",), np.zeros((100, 1)), ("V",), 1000.0)
    notices = write_c3d(small_trial(emg=emg, analog=plate_like), tmp_path / "two.c3d")
    assert "c3d-written-resampled" in [n.code for n in notices]
    back = read_c3d(tmp_path / "two.c3d").emg
    known = back.time_s <= time[-1]
    assert back.rate_hz == 1000.0
    # linear interpolation of sin 9t errs by (9 h)²/8 = 3e-5 at most
    assert_allclose(back.values[known, 0], np.sin(9.0 * back.time_s[known]), atol=3.5e-5)
    assert_allclose(back.values[~known, 0], np.sin(9.0 * time[-1]), rtol=1e-6)  # held while the last sample lasts


@pytest.mark.parametrize("rate_hz", [300.0, 500.0, 720.0])
def test_plates_slower_than_the_emg_keep_their_last_sample(tmp_path, rate_hz):
    # What the user saw: plates at 500 Hz beside an EMG at 1000 Hz had one sample missing when they were read back.
    frames, end_s = 50, 0.5
    seconds = np.arange(round(rate_hz * end_s)) / rate_hz
    force = np.stack([0.0 * seconds, 0.0 * seconds, 700.0 + 10.0 * seconds], axis=1)
    corners = np.array([[0.6, 0.7, 0.0], [0.6, 0.3, 0.0], [0.1, 0.3, 0.0], [0.1, 0.7, 0.0]])
    plate = ForcePlate("P1", force, 0.0 * force, rate_hz, corners.mean(axis=0), np.array([0.0, 0.0, 1.0]), corners)
    emg = Analog(("EMG Soleus",), np.ones((500, 1)), ("V",), 1000.0)
    write_c3d(small_trial(frames, plates=(plate,), emg=emg), tmp_path / "a.c3d")
    back = read_c3d(tmp_path / "a.c3d").plates[0]
    here = np.arange(500) / 1000.0
    assert len(back.force) == 500
    assert not np.isnan(back.force).any()
    # between samples of a straight line interpolation is exact; behind the last one it is held
    assert_allclose(back.force[:, 2], 700.0 + 10.0 * np.minimum(here, seconds[-1]), rtol=1e-6)


def test_a_slower_clock_that_stops_before_the_frames_stays_missing_there(tmp_path):
    early = Analog(("EMG",), np.ones((20, 1)), ("V",), 100.0)  # 0.2 s of 0.5 s
    sync = Analog(("Sync",), np.zeros((500, 1)), ("V",), 1000.0)
    write_c3d(small_trial(50, emg=early, analog=sync), tmp_path / "a.c3d")
    values = read_c3d(tmp_path / "a.c3d").emg.values
    assert_array_equal(values[:200], 1.0)
    assert np.isnan(values[200:]).all()


def test_samples_outside_the_frames_are_left_out_and_said_so(tmp_path):
    late = Analog(("EMG",), np.arange(8.0)[:, None], ("V",), 100.0, start_s=0.05)
    notices = write_c3d(small_trial(emg=late), tmp_path / "late.c3d")
    assert "c3d-written-cut" in [n.code for n in notices]
    assert_array_equal(read_c3d(tmp_path / "late.c3d").emg.values[:, 0], [np.nan] * 5 + [0, 1, 2, 3, 4])


def test_a_plate_without_corners_keeps_its_centre_of_pressure(tmp_path):
    up = np.array([0.0, 0.0, 1.0])
    force = np.tile([10.0, -20.0, 700.0], (10, 1))
    plate = ForcePlate("P", force, np.tile([5.0, 8.0, 1.0], (10, 1)), 100.0, np.array([0.3, 0.1, 0.0]), up)
    notices = write_c3d(small_trial(plates=(plate,)), tmp_path / "plate.c3d")
    assert "c3d-written-corners" in [n.code for n in notices]
    (back,) = read_c3d(tmp_path / "plate.c3d").plates
    assert_allclose(back.force, force, rtol=1e-6)
    assert_allclose(back.centre_of_pressure(), plate.centre_of_pressure(), atol=1e-6)
    assert_allclose(back.free_moment(), plate.free_moment(), atol=1e-5)
    assert back.corners is None  # of the square that was written: a belt's force was then "outside the plate"


def test_what_c3d_does_not_hold_is_said(tmp_path):
    (notice,) = write_c3d(small_trial(recorded=date(2015, 4, 8)), tmp_path / "dated.c3d")
    assert "date" in notice.sentence


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "kept.c3d"
    write_c3d(small_trial(), path)
    before = path.read_bytes()
    empty = Trial(SOURCE, Markers.none(5, 100.0), LabAxes("+z", "+x"))
    with pytest.raises(FileError, match="nothing to write"):
        write_c3d(empty, path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["kept.c3d"]


def test_too_many_channels_are_refused(tmp_path):
    analog = Analog(tuple(f"C{k}" for k in range(300)), np.zeros((10, 300)), ("V",) * 300, 100.0)
    with pytest.raises(FileError, match="300 analog channels"):
        write_c3d(small_trial(analog=analog), tmp_path / "wide.c3d")
