"""The EMG page, against bursts of a sine whose envelope is known: 2 A / π."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.recording import Analog
from biomec.reporting.clinical.blocks import Grid, LeftOut, Words
from biomec.reporting.clinical.emg_page import emg_cycles, emg_page
from biomec.reporting.tables import Table
from biomec.signals.cycles import Cycles
from biomec.signals.emg_muscles import EmgReading
from tests.core.reporting.clinical.walks import walk

RATE, FRAME_RATE = 1000.0, 100.0
BORDERS = (50, 160, 270, 380)  # frames: three cycles of 1.1 s
FRAMES = 420
BURST = (20.0, 50.0)  # % of the cycle
VOLT = 1e-3


def bursts(amplitude_v, borders=BORDERS):
    """A 110 Hz sine in each burst, silence between: in the middle of the band 20-400 Hz."""
    t = np.arange(int(FRAMES * RATE / FRAME_RATE)) / RATE
    edges = np.array(borders) / FRAME_RATE
    k = np.clip(np.searchsorted(edges, t, "right") - 1, 0, len(edges) - 2)
    percent = 100.0 * (t - edges[k]) / np.diff(edges)[k]
    return amplitude_v * ((percent >= BURST[0]) & (percent < BURST[1])) * np.sin(2.0 * np.pi * 110.0 * t)


def trial(channels, *, excluded=(), foot_off=(60.0, 55.0), reading=EmgReading(), units=None):
    """An analysis with the EMG of named channels and steps of both sides."""
    names = tuple(channels)
    emg = Analog(names, np.stack(list(channels.values()), axis=1), units or ("V",) * len(names), RATE)
    groups = {}
    for side, percent in zip(("Right", "Left"), foot_off, strict=True):
        offs = tuple(int(a + percent / 100.0 * (b - a)) for a, b in pairwise(BORDERS))
        valid = np.zeros(FRAMES, dtype=bool)  # no frame obeys the body model, which does no harm to EMG
        groups[side] = Cycles(BORDERS, valid, FRAME_RATE, phase_frames=offs, excluded=excluded, phase="foot off")
    return SimpleNamespace(
        preparation=SimpleNamespace(dynamic=SimpleNamespace(emg=emg)),
        cycles=SimpleNamespace(groups=groups),
        settings=SimpleNamespace(emg=reading),
    )


@pytest.fixture(scope="module")
def page():
    one = trial(
        {"R_RF": bursts(0.3 * VOLT), "L_RF": bursts(0.7 * VOLT), "L_TA": bursts(0.1 * VOLT), "Spare": bursts(1)}
    )
    return emg_page([one])


def block(page, kind):
    return next(one for one in page.blocks if isinstance(one, kind))


def test_rows_are_muscles_and_columns_are_sides(page):
    grid = block(page, Grid)
    names = [[None if one is None else one.name for one in row] for row in grid.rows]
    assert names == [["right rectus femoris", "left rectus femoris"], [None, "left tibialis anterior"]]
    assert [one.side for panel in grid.rows[0] for one in panel.courses] == ["right", "left"]


def test_channels_chosen_by_hand_make_the_page_and_hold_for_the_whole_visit():
    """Names say nothing of these channels; the second trial chooses one of them otherwise for itself."""
    signals = {"Sensor 1": bursts(0.3 * VOLT), "Sensor 2": bursts(0.1 * VOLT), "Sensor 3": bursts(0.2 * VOLT)}
    assert isinstance(emg_page([trial(signals)]), LeftOut)
    chosen = EmgReading(channels={"Sensor 1": "right soleus", "Sensor 2": "left soleus", "Sensor 3": ""})
    plain, own = trial(signals), trial(signals, reading=EmgReading(channels={"Sensor 2": "left rectus femoris"}))
    found = emg_cycles([plain, trial(signals, reading=chosen), own])
    counts = {(one.channel, one.side, one.muscle): len(one.envelope) for one in found.muscles}
    assert counts == {
        ("Sensor 2", "left", "rectus femoris"): 3, ("Sensor 1", "right", "soleus"): 9, ("Sensor 2", "left", "soleus"): 6
    }  # fmt: skip
    assert found.unassigned == ()  # Sensor 3 is left out on purpose


def test_the_envelope_is_up_in_the_burst_and_100_percent_is_its_mean_peak(page):
    """The low-pass crosses half height at the edges of a burst; 10 Hz rises in about 0.04 s, 3.6 % of the cycle."""
    for panel in block(page, Grid).rows[0]:
        course = panel.courses[0]
        assert len(course.curves) == 3
        assert course.mean.max() == pytest.approx(100.0, abs=1e-9)
        up = course.percent[course.mean > 50.0]
        assert_allclose([up[0], up[-1]], BURST, atol=2.0)
        assert course.mean[(course.percent < 10.0) | (course.percent > 60.0)].max() < 2.0
        # a step through two passes of a second-order low-pass overshoots by less than 10 %
        assert (panel.low, panel.high) == (0.0, 100.0)


def test_what_100_percent_is_stands_in_the_table(page):
    """2 A / π of 0.3 and 0.7 mV: 191.0 and 445.6 µV, with the overshoot of the low-pass below 10 %."""
    rows = block(page, Table).rows
    assert [row[:4] for row in rows] == [
        ("Rectus femoris", "right", "R_RF", "3"), ("Rectus femoris", "left", "L_RF", "3"),
        ("Tibialis anterior", "left", "L_TA", "3"),
    ]  # fmt: skip
    for row, amplitude in zip(rows, (300.0, 700.0, 100.0), strict=True):
        micro = float(row[4].removesuffix(" µV"))
        assert 1.0 <= micro / (2.0 / np.pi * amplitude) < 1.1
    assert [row[5] for row in rows] == ["60.0 %", "54.5 %", "54.5 %"]  # of whole frames: 66 and 60 of 110


def test_the_raw_signal_is_in_millivolts_with_one_scale_a_muscle(page):
    right, left = block(page, Grid).rows[0]
    assert (right.raw_unit, right.raw_limit, left.raw_limit) == ("mV", 1.0, 1.0)
    for panel, amplitude in ((right, 0.3), (left, 0.7)):
        (raw,) = panel.courses[0].raw
        place = np.linspace(0.0, 100.0, len(raw))
        inside = raw[(place > 25.0) & (place < 45.0)]
        # of a sine sampled nine times a period the largest sample is at least cos(20°) = 0.94 of the amplitude
        assert 0.94 * amplitude < inside.max() < 1.02 * amplitude
        assert -1.02 * amplitude < inside.min() < -0.94 * amplitude
        assert np.abs(raw[(place > 58.0) | (place < 12.0)]).max() < 0.03 * amplitude


def test_bars_of_usual_activity_follow_the_own_foot_off(page):
    right, left = block(page, Grid).rows[0]
    assert_allclose(right.active[0], (0.0, 12.0 * 60.0 / 56.21), atol=1e-6)
    assert_allclose(left.active[0], (0.0, 12.0 * (600.0 / 11.0) / 56.21), atol=1e-6)
    assert right.courses[0].foot_off == pytest.approx(60.0)
    assert "Usual activity (after pyCGM2)" in block(page, Grid).note


def test_a_channel_that_is_not_known_is_listed(page):
    assert "Side or muscle is not known of Spare. Not shown." in block(page, Words).sentences


def test_trials_are_pooled_and_100_percent_is_of_all_of_them():
    """0.2 and 0.4 mV: the mean of the six cycles peaks at 2/π · 0.3 mV; each trial keeps its share."""
    weak, strong = trial({"R_RF": bursts(0.2 * VOLT)}), trial({"R_RF": bursts(0.4 * VOLT)})
    (found,) = emg_cycles([weak, strong]).muscles
    (alone,) = emg_cycles([trial({"R_RF": bursts(0.3 * VOLT)})]).muscles
    assert found.reference == pytest.approx(alone.reference, rel=1e-9)
    assert [one.trial for one in found.origins] == [0, 0, 0, 1, 1, 1]
    (later,) = emg_cycles([weak, strong], numbers=(0, 2)).muscles  # where the second of three does not count
    assert [one.trial for one in later.origins] == [0, 0, 0, 2, 2, 2]
    peaks = found.course.curves.max(axis=1)
    assert_allclose(peaks[3:] / peaks[:3], 2.0, rtol=1e-6)
    assert_allclose(peaks[:3].mean(), 200.0 / 3.0, rtol=0.02)


def test_cycles_taken_out_by_hand_and_cycles_with_missing_samples_do_not_count():
    holes = bursts(0.3 * VOLT)
    holes[3000:3010] = np.nan  # in the third cycle
    (found,) = emg_cycles([trial({"R_RF": holes}, excluded=(BORDERS[0],))]).muscles
    assert [one.first for one in found.origins] == [BORDERS[1]]


def test_two_channels_of_a_muscle_have_rows_of_their_own():
    page = emg_page([trial({"R_TA": bursts(VOLT), "Right Tib Ant": bursts(VOLT), "L_TA": bursts(VOLT)})])
    names = [[one and one.name for one in row] for row in block(page, Grid).rows]
    assert names == [
        ["right tibialis anterior (R_TA)", None], ["right tibialis anterior (Right Tib Ant)", None],
        [None, "left tibialis anterior"],
    ]  # fmt: skip
    assert block(page, Grid).rows[0][0].active


def test_exchanged_channels_exchange_the_sides():
    one, other = bursts(0.3 * VOLT), bursts(0.8 * VOLT)
    found = emg_cycles([trial({"R_TA": one, "L_TA": other}, foot_off=(60.0, 60.0))]).muscles
    mirrored = emg_cycles([trial({"L_TA": one, "R_TA": other}, foot_off=(60.0, 60.0))]).muscles
    assert [a.reference for a in found] == [b.reference for b in reversed(mirrored)]


def test_a_dead_channel_has_a_panel_that_says_so():
    page = emg_page([trial({"R_TA": np.zeros(4200), "L_TA": bursts(VOLT)})])
    dead, alive = block(page, Grid).rows[0]
    assert (dead.missing, dead.courses) == ("no activity on channel R_TA", ())
    assert alive.courses
    assert "EMG R_TA is dead: it never changes." in block(page, Words).sentences


def test_movements_without_steps_have_no_bars():
    one = trial({"triceps_D": bursts(VOLT), "R_RF": bursts(VOLT)})
    both = Cycles(BORDERS, np.ones(FRAMES, dtype=bool), FRAME_RATE, signal=np.zeros(FRAMES))
    one.cycles.groups = {"both": both}
    page = emg_page([one])
    panels = [panel for row in block(page, Grid).rows for panel in row if panel]
    assert [len(panel.courses[0].curves) for panel in panels] == [3, 3]
    assert not any(panel.active for panel in panels)
    assert "Bars" not in block(page, Grid).note


def test_other_units_stay_what_they_are():
    page = emg_page([trial({"R_TA": bursts(3.0)}, units=("% MVC",))])
    panel = block(page, Grid).rows[0][0]
    assert (panel.raw_unit, panel.raw_limit) == ("% MVC", 5.0)
    assert block(page, Table).rows[0][4].endswith(" % MVC")


def test_a_page_without_emg_cycles_or_muscles_says_why():
    none = trial({"R_TA": bursts(VOLT)})
    none.preparation.dynamic.emg = None
    assert emg_page([none]) == LeftOut("EMG", "The recordings have no EMG.")
    unknown = emg_page([trial({"Sensor 1": bursts(VOLT)})])
    assert unknown.reason.startswith("Side or muscle is not known of Sensor 1. Choose muscles in")
    still = trial({"R_TA": bursts(VOLT)})
    still.cycles.groups = {side: replace(one, borders=()) for side, one in still.cycles.groups.items()}
    assert emg_page([still]).reason == "No complete cycle lies within the recorded EMG."


def test_a_table_of_muscles_that_is_gone_costs_the_page_only(tmp_path):
    gone = EmgReading(muscles=str(tmp_path / "gone.toml"))
    left_out = emg_page([trial({"R_TA": bursts(VOLT)}, reading=gone)])
    assert "gone.toml: there is no such file" in left_out.reason


def test_the_muscles_of_a_virtual_walk_are_active_where_they_were_told_to_be():
    """Bursts around 42 % (gastrocnemius) and 15 % (gluteus medius) of the stride, Gaussian, 9 and 12 % wide."""
    made = emg_cycles([walk()])
    assert {one.side for one in made.muscles} == {"right", "left"}
    assert not made.unassigned
    for muscle, at, width in (("gastrocnemius", 42.0, 9.0), ("gluteus medius", 15.0, 12.0)):
        for side in ("right", "left"):
            course = next(one.course for one in made.muscles if (one.muscle, one.side) == (muscle, side))
            above = np.clip(course.mean - 15.0, 0.0, None)  # without the noise between bursts
            turn = (above[:-1] * np.exp(2j * np.pi * course.percent[:-1] / 100.0)).sum()  # bursts reach over 0 %
            centre = float(np.degrees(np.angle(turn)) / 3.6)
            # three cycles of noise: the centre of a burst is known to about a third of its width
            assert centre == pytest.approx(at, abs=width / 3.0), (muscle, side)
            assert 55.0 < course.foot_off < 70.0
