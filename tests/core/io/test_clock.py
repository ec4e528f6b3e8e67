"""Sampling rates from times as files print them."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import FileError
from biomec.io.clock import Clock, channel_start, first_frame, read_clock
from biomec.io.table import printed_step
from biomec.io.text import TextFile
from biomec.recording import Source

TEXT = TextFile("x.mot", Source("x.mot", "MOT", "", 0), [], True)


def clock(time_s: np.ndarray, stated_hz: float | None = None, numbers: np.ndarray | None = None) -> Clock:
    """Clock of times that are printed with as many decimals as they need."""
    time_s = np.asarray(time_s, dtype=np.float64)
    text = replace(TEXT, lines=[""] * 7 + [repr(t) for t in time_s.tolist()])
    lines = np.arange(len(time_s)) + 8
    numbers = None if numbers is None else np.asarray(numbers, dtype=np.float64)
    return read_clock(text, time_s, lines, stated_hz, printed_s=printed_step(text, lines, 0, None), numbers=numbers)


SLOW_ENOUGH = [50.0, 59.94, 60.0, 100.0, 119.88]  # for times in milliseconds not to repeat


@pytest.mark.parametrize(
    ("rate_hz", "decimals"),
    [(rate, 3) for rate in SLOW_ENOUGH] + [(rate, n) for rate in [*SLOW_ENOUGH, 600.0, 1000.0] for n in (4, 6, 12)],
)
def test_the_rate_is_found_from_rounded_times(rate_hz: float, decimals: int) -> None:
    time = np.round(0.4 + np.arange(1500) / rate_hz, decimals)
    found = clock(time)
    assert found.rate_hz == rate_hz
    assert found.notices == ()
    assert found.start_s == time[0]


def test_the_headers_rate_is_kept_as_it_is_stated() -> None:
    assert clock(np.round(np.arange(900) / 500.0, 2), 500.0).rate_hz == 500.0  # printed times repeat
    rate = 100.0 / 3.0
    assert clock(np.arange(100) / rate, rate).rate_hz == rate


def test_header_and_times_that_disagree_are_reported() -> None:
    found = clock(np.arange(100) / 50.0, 100.0)
    assert found.rate_hz == 100.0
    assert [notice.code for notice in found.notices] == ["rate-disagrees"]
    assert found.notices[0].lowers_trust
    assert "states 100 Hz but the times run at 50 Hz" in found.notices[0].sentence


@pytest.mark.parametrize("stated", [None, 100.0])
@pytest.mark.parametrize("dropped", [[50], [1], [98], [20, 21, 22, 70]])
def test_rows_left_out_become_empty_frames(dropped: list[int], stated: float | None) -> None:
    rows = np.delete(np.arange(100), dropped)
    found = clock(np.round(rows / 100.0, 3), stated)
    assert found.rate_hz == 100.0
    assert found.frames.tolist() == rows.tolist()
    assert [notice.code for notice in found.notices] == ["rows-missing"]
    assert f"{len(dropped)} rows are missing" in found.notices[0].sentence
    assert found.notices[0].frames == (dropped[0], dropped[-1])
    spread = found.spread(rows.astype(float)[:, None])[:, 0]
    assert np.flatnonzero(np.isnan(spread)).tolist() == dropped
    assert np.array_equal(spread[rows], rows)


def test_uneven_and_backward_times_are_faults_with_their_line() -> None:
    with pytest.raises(FileError, match=r"^x\.mot: line 12: the time goes from 0.03 s to 0.03 s; it must increase"):
        clock(np.array([0.0, 0.01, 0.02, 0.03, 0.03, 0.05]))
    uneven = np.cumsum(np.random.default_rng(0).uniform(0.001, 0.1, 200))
    with pytest.raises(FileError, match=r"line \d+: the time step is .* not evenly spaced"):
        clock(uneven)
    with pytest.raises(FileError, match="the time is missing"):
        clock(np.array([0.0, np.nan, 0.02]))
    with pytest.raises(FileError, match="not a single row"):
        clock(np.array([]))
    with pytest.raises(FileError, match="-5 Hz is impossible"):
        clock(np.array([0.0, 1.0]), -5.0)
    with pytest.raises(FileError, match="evenly"):  # one stray time must not ask for a billion frames
        clock(np.array([0.0, 0.01, 0.02, 1e9]))


def test_missing_times_lean_on_the_header() -> None:
    found = clock(np.array([0.0, np.nan, 0.02]), 100.0)
    assert found.rate_hz == 100.0
    assert [notice.code for notice in found.notices] == ["time-missing"]


def test_one_row_has_the_stated_rate_or_one_hertz() -> None:
    assert clock(np.array([0.3]), 250.0).rate_hz == 250.0
    assert clock(np.array([0.3])).rate_hz == 1.0
    assert clock(np.array([0.3])).notices[0].code == "rate-assumed"


def test_first_frame_follows_the_time_unless_it_starts_at_zero() -> None:
    assert first_frame(0.0, 100.0, 241.0) == 241
    assert first_frame(0.0, 100.0, 0.0) == 1  # counted from 0
    assert first_frame(2.4, 100.0, 1.0) == 241
    assert first_frame(0.0, 100.0, float("nan")) == 1
    assert first_frame(0.0, 100.0) == 1


def test_channels_of_their_own_file_keep_their_start_unless_it_is_a_date() -> None:
    assert channel_start(clock(0.4 + np.arange(50) / 100.0)) == (0.4, 90, ())
    start, frames, notices = channel_start(clock(1.7e9 + np.arange(50) / 100.0))
    assert (start, frames) == (0.0, 50)
    assert [notice.code for notice in notices] == ["start-ignored"]


@pytest.mark.parametrize("rate_hz", [100.0, 500.0, 1000.0])
def test_rows_in_the_wrong_order_or_twice_are_refused(rate_hz: float) -> None:
    """Two neighbouring rows were swapped, or one stood twice: the numbers came out wrong without a word."""
    rows = np.arange(60)
    swapped = rows.copy()
    swapped[[20, 21]] = [21, 20]
    for order, line in ((swapped, 29), (np.insert(rows, 20, 20), 29)):
        with pytest.raises(FileError, match=rf"line {line}: the time goes from .* it must increase"):
            clock(np.round(order / rate_hz, 3), rate_hz)


def test_times_may_stand_still_only_if_they_are_printed_too_coarsely() -> None:
    time = np.round(np.arange(900) / 500.0, 2)
    assert clock(time, 500.0).complete
    with pytest.raises(FileError, match="it must increase"):
        clock(np.append(time, time[-1] + 0.001), 500.0)  # three decimals, so 0.00 and 0.00 are one row twice
    with pytest.raises(FileError, match="it must increase"):
        clock(np.append(time, time[-9]), 500.0)


@pytest.mark.parametrize("decimals", [2, 3, 9])
def test_frame_numbers_show_what_coarse_times_hide(decimals: int) -> None:
    """Rows 20 to 22 of a recording at 500 Hz were gone, its times had two decimals, and the file came out shorter."""
    rows = np.delete(np.arange(900), [20, 21, 22])
    found = clock(np.round(rows / 500.0, decimals), 500.0, rows + 1)
    assert found.frames.tolist() == rows.tolist()
    assert [notice.code for notice in found.notices] == ["rows-missing"]
    assert found.notices[0].frames == (20, 22)


def test_frame_numbers_that_repeat_or_go_back_are_refused() -> None:
    for numbers in ([1, 2, 2, 3], [1, 3, 2, 4]):
        with pytest.raises(FileError, match=r"line 10: the frame number goes from . to 2; it must increase"):
            clock(np.arange(4) / 100.0, 100.0, numbers)


def test_frame_numbers_that_say_nothing_are_left_alone() -> None:
    time = np.arange(50) / 100.0
    for numbers in (np.zeros(50), np.arange(50) * 2 + 7, np.full(50, np.nan), np.arange(50) / 3.0):
        found = clock(time, 100.0, numbers)
        assert found.complete
        assert found.notices == ()
    jumping = np.arange(50) + 3 * (np.arange(50) > 19)
    missing = clock(np.full(50, np.nan), 100.0, jumping)
    assert [notice.code for notice in missing.notices] == ["time-missing", "rows-missing"]
    assert missing.frames.tolist() == jumping.tolist()


def test_frame_numbers_that_jump_while_the_times_run_on_are_refused() -> None:
    """Such files opened with a warning, or without a word if the jump was long or not a multiple of the others."""
    rows = np.arange(50)
    for jump in (3, 10**6):
        with pytest.raises(FileError, match=rf"line 28: the frame number jumps from 19 to {20 + jump}, "):
            clock(rows / 100.0, 100.0, rows + jump * (rows > 19))
    with pytest.raises(FileError, match=r"line 28: the frame number jumps from 38 to 43, "):
        clock(rows / 100.0, 100.0, 2 * rows + 3 * (rows > 19))
    with pytest.raises(FileError, match=r"line 28: the frame number jumps"):
        clock(np.full(50, np.nan), 100.0, rows + 10**6 * (rows > 19))


def test_times_that_leave_out_what_the_numbers_count_are_believed() -> None:
    rows = np.delete(np.arange(50), 20)
    found = clock(rows / 100.0, 100.0, np.arange(49))
    assert found.frames.tolist() == rows.tolist()
    assert [notice.code for notice in found.notices] == ["rows-missing", "frame-numbers-disagree"]


def test_a_row_left_out_of_coarsely_printed_times_is_not_overlooked() -> None:
    rows = np.delete(np.arange(200), 90)
    for numbers in (None, rows):
        found = clock(np.round(rows / 60.0, 2), 60.0, numbers)
        assert found.frames.tolist() == rows.tolist()
        assert [notice.code for notice in found.notices] == ["rows-missing"]


def test_milliseconds_read_as_seconds_are_said() -> None:
    """Times 0, 10, 20 in milliseconds were read as 0.1 Hz without a word."""
    found = clock(np.arange(100) * 10.0)
    assert found.rate_hz == 0.1
    assert [notice.code for notice in found.notices] == ["rate-doubtful"]
    assert clock(np.arange(100) * 10.0, 0.1).notices == ()
    assert clock(np.arange(100) / 5.0).notices == ()
