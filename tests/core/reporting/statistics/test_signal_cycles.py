"""Cycles of one signal: whose they are, how many count, and why others do not."""

import numpy as np
from numpy.testing import assert_allclose

from biomec.recording.marker_set import Side
from biomec.reporting.statistics.cycle_statistics import cycles_in_words, left_out, signal_cycles
from biomec.signals.cycles import exclude_cycle, find_cycles

RATE = 100.0
TIME = np.arange(1001) / RATE
WAVE = 1.0 - np.cos(np.pi * TIME)  # five cycles of 2 s
CYCLES = find_cycles(WAVE, RATE)


def test_a_side_takes_its_own_cycles_and_the_other_s_never():
    sides = {"Right": CYCLES, "Left": exclude_cycle(CYCLES, 0)}
    assert signal_cycles(sides, Side.RIGHT, TIME, WAVE).name == "Right"
    left = signal_cycles(sides, Side.LEFT, TIME, WAVE)
    assert (left.name, left.used) == ("Left", 4)
    assert signal_cycles({"Left": CYCLES}, Side.RIGHT, TIME, WAVE) is None


def test_a_faster_clock_gives_the_same_mean():
    fast = np.arange(10001) / 1000.0
    slow, quick = (signal_cycles({"both": CYCLES}, None, t, 1.0 - np.cos(np.pi * t)) for t in (TIME, fast))
    assert_allclose(slow.curves.mean, 1.0 - np.cos(2.0 * np.pi * slow.curves.percent / 100.0), atol=1e-5)  # the wave
    assert_allclose(quick.curves.mean, slow.curves.mean, atol=1e-5)  # splines through 100 samples a second


def test_the_mean_says_how_many_cycles_and_why_not_all():
    valid = np.ones(len(TIME), dtype=bool)
    valid[300] = False
    cycles = exclude_cycle(find_cycles(WAVE, RATE, frame_valid=valid), 0)
    lost = WAVE.copy()
    lost[950] = np.nan
    found = signal_cycles({"both": cycles}, None, TIME, lost)
    assert found.used == 2
    assert left_out(cycles, 2) == {"not converged": 1, "taken out by hand": 1, "signal missing": 1}
    assert found.words == "2 cycles, 3 left out: 1 not converged, 1 taken out by hand, 1 signal missing"


def test_words():
    assert cycles_in_words(1, {}) == "1 cycle"
    assert cycles_in_words(5, {"not converged": 1}) == "5 cycles, 1 left out: not converged"
