"""The trial: turned, cut, and told what is in it."""

import hashlib
from dataclasses import replace
from datetime import date
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import info
from biomec.recording import BIOMEC_AXES, Event, LabAxes, Markers, Source, Subject, Trial
from biomec.recording.axes import DIRECTIONS
from tests.core.recording.examples import full_trial

ALL_AXES = [LabAxes(up, forward) for up, forward in product(DIRECTIONS, DIRECTIONS) if up[1] != forward[1]]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


# ------------------------------------------------------------------------------------------------------------- turned
@given(st.sampled_from(ALL_AXES), st.sampled_from(ALL_AXES))
def test_turning_there_and_on_is_turning_straight_and_back_is_the_same(first, second):
    trial = full_trial(frames=8)
    via, straight = trial.turned(first).turned(second), trial.turned(second)
    back = via.turned(trial.axes)
    for one, other in ((via, straight), (back, trial)):
        np.testing.assert_array_equal(one.markers.p_WM, other.markers.p_WM)
        np.testing.assert_array_equal(one.plates[0].force, other.plates[0].force)
        np.testing.assert_array_equal(one.plates[0].moment, other.plates[0].moment)
        np.testing.assert_array_equal(one.plates[0].corners, other.plates[0].corners)
    assert same_bits(back.markers.p_WM, trial.markers.p_WM)
    assert back.axes == trial.axes


@pytest.mark.parametrize("axes", ALL_AXES[::5], ids=lambda axes: f"{axes.up}{axes.forward}")
def test_turning_keeps_distances_heights_and_what_the_plate_says(axes):
    trial = full_trial()
    turned = trial.turned(axes)

    def distances(t: Trial) -> np.ndarray:
        return np.linalg.norm(t.markers["C7"] - t.other_subjects["Beatriz"]["C7"], axis=1)

    # squares are summed in another order: a few roundings
    np.testing.assert_allclose(distances(turned), distances(trial), rtol=1e-15)
    np.testing.assert_array_equal(turned.markers["C7"] @ axes.up_vector, trial.markers["C7"] @ trial.axes.up_vector)
    np.testing.assert_array_equal(
        turned.unlabelled["*1"] @ axes.forward_vector, trial.unlabelled["*1"] @ trial.axes.forward_vector
    )
    plate, before = turned.plates[0], trial.plates[0]
    np.testing.assert_allclose(plate.vertical, before.vertical, rtol=1e-15)
    R = trial.axes.rotation_to(axes)
    np.testing.assert_allclose(plate.centre_of_pressure(), before.centre_of_pressure() @ R.T, atol=1e-13)
    np.testing.assert_allclose(plate.free_moment(), before.free_moment() @ R.T, atol=1e-12)
    assert turned.outputs is trial.outputs
    assert turned.axes is axes


def test_turning_into_the_same_directions_only_changes_who_says_so():
    trial = full_trial()
    turned = trial.turned(replace(BIOMEC_AXES, up="+z", forward="-y"))
    assert turned.markers is trial.markers
    assert turned.axes.authority == "user"


# ------------------------------------------------------------------------------------------------------------ stretch
@given(st.data(), st.sampled_from([50.0, 100.0, 120.0, 59.94]))
def test_a_stretch_holds_the_same_samples_at_the_same_times(data, rate_hz):
    trial = full_trial(rate_hz=rate_hz)
    first = data.draw(st.integers(0, trial.frames - 1))
    last = data.draw(st.integers(first, trial.frames - 1))
    part = trial.stretch(first, last)
    start, stop = first / rate_hz, (last + 1) / rate_hz
    assert (part.frames, part.first_frame) == (last - first + 1, trial.first_frame + first)
    assert same_bits(part.markers.p_WM, trial.markers.p_WM[first : last + 1])
    assert same_bits(part.outputs.values, trial.outputs.values[first : last + 1])
    assert same_bits(part.markers.residual, trial.markers.residual[first : last + 1])
    for series, whole in ((part.emg, trial.emg), (part.analog, trial.analog), (part.plates[0], trial.plates[0])):
        # a microsecond against a sample of 400 µs: rounding of times must not add or drop a sample
        inside = (whole.time_s >= start - 1e-6) & (whole.time_s < stop - 1e-6)
        assert series.samples == inside.sum()
        np.testing.assert_allclose(series.time_s + start, whole.time_s[inside], atol=1e-12)
    assert part.plates[0].samples == 10 * part.frames


def test_a_stretch_of_a_stretch_is_a_stretch():
    trial = full_trial()
    twice, once = trial.stretch(5, 30).stretch(3, 20), trial.stretch(8, 25)
    assert same_bits(twice.markers.p_WM, once.markers.p_WM)
    assert same_bits(twice.emg.values, once.emg.values)
    assert twice.emg.start_s == pytest.approx(once.emg.start_s, abs=1e-12)
    assert [event.label for event in twice.events] == [event.label for event in once.events]
    assert twice.first_frame == once.first_frame


def test_events_and_notices_move_with_the_stretch():
    trial = full_trial()
    part = trial.stretch(4, 10)  # 0.04 s to 0.11 s: the strike at 0.11 s belongs to frame 11
    assert [(event.label, round(event.time_s, 12)) for event in part.events] == [("Foot Off", 0.01)]
    assert [notice.frames for notice in part.notices] == [None, (0, 1)]
    assert [notice.code for notice in trial.stretch(10, 20).notices] == ["unit-assumed"]
    assert [event.label for event in trial.stretch(11, 11).events] == ["Foot Strike"]


def test_the_samples_of_a_channel_that_ended_early_are_none():
    trial = full_trial()
    short = replace(trial, emg=replace(trial.emg, values=trial.emg.values[:10]))
    assert short.stretch(20, 30).emg.samples == 0


@pytest.mark.parametrize(("first", "last"), [(-1, 3), (5, 4), (0, 40)])
def test_a_stretch_outside_the_trial_is_refused(first, last):
    with pytest.raises(BiomecError, match="do not lie within the 40 frames"):
        full_trial().stretch(first, last)


# -------------------------------------------------------------------------------------------------------------- parts
def test_a_trial_knows_its_clock_and_its_plates():
    trial = full_trial(frames=50, rate_hz=250.0)
    assert (trial.rate_hz, trial.frames, trial.duration_s) == (250.0, 50, 0.2)
    np.testing.assert_allclose(trial.time_s[[0, -1]], [0.0, 0.196])
    assert trial.plate("Plate 1") is trial.plates[0]
    with pytest.raises(BiomecError, match="there is no force plate Pe_D; there are Plate 1"):
        trial.plate("Pe_D")
    assert [event.time_s for event in trial.events] == [0.05, 0.11]
    assert trial.with_notices(info("a", "b")).notices[-1].code == "a"
    with pytest.raises(TypeError):
        trial.other_subjects["x"] = trial.markers


def test_parts_that_do_not_fit_are_refused():
    trial = full_trial()
    with pytest.raises(BiomecError, match="two force plates have the same name"):
        replace(trial, plates=trial.plates * 2)
    with pytest.raises(BiomecError, match="Unlabelled points have 3 frames at 100 Hz, the markers 40 at 100 Hz"):
        replace(trial, unlabelled=Markers.none(3, 100.0))
    with pytest.raises(BiomecError, match="Markers of B have 40 frames at 50 Hz"):
        replace(trial, other_subjects={"B": Markers.none(40, 50.0)})
    with pytest.raises(BiomecError, match="must be a number"):
        Event(float("nan"), "Foot Strike")


# ---------------------------------------------------------------------------------------------------- subject, source
@pytest.mark.parametrize(
    ("day", "age"), [(date(2015, 2, 27), 24), (date(2015, 2, 28), 25), (date(2015, 3, 1), 25), (date(1990, 2, 28), 0)]
)
def test_age_counts_full_years(day, age):
    assert Subject("A", birth_date=date(1990, 2, 28)).age_on(day) == age
    assert Subject("A").age_on(day) is None


@pytest.mark.parametrize(
    "wrong", [{"sex": "m"}, {"mass_kg": 0.0}, {"mass_kg": 71500.0}, {"mass_kg": float("nan")}, {"height_m": 178.0}]
)
def test_an_impossible_subject_is_refused(wrong):
    with pytest.raises(BiomecError, match="Arthur"):
        Subject("Arthur", **wrong)


@pytest.mark.parametrize("wrong", [{"leg_length": 0.8}, {"leg_length_D": 830.0}, {"tibial_torsion_E": 15.0}])
def test_an_impossible_measure_is_refused(wrong):
    with pytest.raises(BiomecError, match="Subject Arthur: "):
        Subject("Arthur", measures=wrong)


def test_a_subject_with_measures_can_be_a_key():
    knees = {"knee_width_D": 0.1}
    assert len({Subject("A", measures=knees), Subject("A", measures=dict(knees)), Subject("A")}) == 2


def test_the_source_holds_the_hash_of_the_bytes(tmp_path):
    content = bytes(range(256)) * 5000
    path = tmp_path / "ação.emt"
    path.write_bytes(content)
    source = Source.of(path, "EMT")
    assert source == Source("ação.emt", "EMT", hashlib.sha256(content).hexdigest(), len(content))
    assert source == Source.of_bytes("ação.emt", "EMT", content)
    with pytest.raises(FileError, match=r"gone\.emt: cannot be read"):
        Source.of(tmp_path / "gone.emt", "EMT")
