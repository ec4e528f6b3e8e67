"""Sessions, their results and the alignment of EMG."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.recording import Analog, EmgAlignment, Original, Record, Result, Session, Source
from tests.core.recording.examples import full_trial


def test_a_session_cannot_be_changed_from_outside():
    settings = {"filter": {"cutoff_hz": [6.0, 7.0]}}
    arrays = {"angles": np.zeros(3)}
    session = Session(full_trial(), settings=settings, results={"joints": Result(arrays, {"unit": "rad"})})
    settings["filter"]["cutoff_hz"].append(9.0)
    arrays["angles"][0] = 1.0
    assert session.settings["filter"]["cutoff_hz"] == (6.0, 7.0)
    assert not session.results["joints"]["angles"].any()
    for table in (session.settings, session.settings["filter"], session.results, session.results["joints"].arrays):
        with pytest.raises(TypeError):
            table["new"] = 1
    with pytest.raises(ValueError, match="read-only"):
        session.results["joints"]["angles"][0] = 1.0


def test_a_change_is_a_new_session_and_the_old_one_stays():
    session = Session(full_trial(), settings={"a": 1})
    record = Record("filter", "2026-03-01T12:00:00Z", "0.1", {"cutoff_hz": 6}, {"markers": "ab"})
    changed = session.with_settings(b=2).with_result("filter", Result({"p": np.ones(2)}), record)
    assert dict(session.settings) == {"a": 1}
    assert dict(changed.settings) == {"a": 1, "b": 2}
    assert not session.results
    assert changed.provenance == (record,)
    assert changed.with_result("more", Result()).provenance == (record,)
    assert changed.dynamic is session.dynamic


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"a": {"b": [1, object()]}}, "settings.a.b[1] is a object"), ({"a": {1: 2}}, "settings.a is a dict")],
)
def test_settings_are_plain_data(settings, words):
    with pytest.raises(BiomecError) as refused:
        Session(full_trial(), settings=settings)
    assert words in str(refused.value)


def test_numbers_of_numpy_are_plain_numbers():
    settings = Session(full_trial(), settings={"n": np.int64(3), "x": np.float32(0.5), "on": np.True_}).settings
    assert [(type(value), value) for value in settings.values()] == [(int, 3), (float, 0.5), (bool, True)]


def test_text_is_no_result():
    with pytest.raises(BiomecError, match="text goes to metadata"):
        Result({"names": np.array(["a"])})
    with pytest.raises(BiomecError, match="has no array b; it has a"):
        Result({"a": np.zeros(1)})["b"]


def test_an_original_is_what_was_imported():
    source = Source.of_bytes("a.emt", "EMT", b"BTS")
    assert Original(source, b"BTS").content == b"BTS"
    with pytest.raises(BiomecError, match="not the bytes of the file"):
        Original(source, b"BTs")


def emg(samples: int = 2000, rate_hz: float = 1000.0, start_s: float = 0.0) -> Analog:
    """Every sample is its own time on the clock of the recording."""
    return Analog(("t",), start_s + np.arange(samples)[:, None] / rate_hz, ("V",), rate_hz, start_s)


@pytest.mark.parametrize("rate_hz", [100.0, 250.0, 59.94])
@pytest.mark.parametrize("start_s", [0.0, 0.1234])
def test_emg_is_cut_to_the_saved_frames_and_put_on_their_clock(rate_hz, start_s):
    alignment = EmgAlignment(31, 90)
    cut = alignment.apply(emg(start_s=start_s), rate_hz)
    t0, end = 30 / rate_hz, 90 / rate_hz
    np.testing.assert_allclose(cut.values[:, 0], cut.time_s + t0, atol=1e-12)
    whole = emg(start_s=start_s).time_s
    assert cut.samples == np.sum((whole >= t0 - 1e-9) & (whole <= end + 1e-9))


def test_emg_that_ended_before_the_saved_frames_is_empty():
    assert EmgAlignment(1001, 1100).apply(emg(), 100.0).samples == 0


def test_emg_that_started_after_the_first_saved_frame_starts_late():
    cut = EmgAlignment(1, 100).apply(emg(start_s=0.25), 100.0)
    assert cut.start_s == pytest.approx(0.25)
    assert cut.values[0, 0] == 0.25


def test_by_the_trials_own_word_its_first_frame_counts():
    assert EmgAlignment.of(full_trial(frames=40)) == EmgAlignment(11, 50)


@pytest.mark.parametrize(("first", "last"), [(0, 5), (6, 5)])
def test_no_stretch_is_refused(first, last):
    with pytest.raises(BiomecError, match="frames count from 1"):
        EmgAlignment(first, last)
