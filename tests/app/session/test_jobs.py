"""Work in the background."""

import sys
import threading
import time
from dataclasses import replace

import numba
import pytest
from PySide6.QtCore import QTimer

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec_app.session.jobs import PREPARING, TURN_S, Jobs, take_turns


def test_a_job_hands_its_value_over_and_says_how_far_it_is(qtbot):
    jobs, seen, values = Jobs(), [], []
    jobs.progressed.connect(lambda status: seen.append(status.fraction))

    def work(progress):
        for k in range(5):
            progress((k + 1) / 5)
        return threading.get_ident()

    with qtbot.waitSignal(jobs.finished, timeout=5000):
        jobs.start("Counting", work, values.append)
        assert jobs.busy
        assert jobs.title == "Counting"
    assert values != [threading.get_ident()]  # it ran in another thread
    assert seen == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert not jobs.busy


def test_a_cancelled_job_hands_nothing_over(qtbot):
    jobs, values, reached, go_on = Jobs(), [], [], threading.Event()

    def work(progress):
        assert go_on.wait(600.0)
        progress(0.5)
        reached.append(0.5)

    with qtbot.waitSignal(jobs.cancelled):
        jobs.start("Waiting", work, values.append)
        jobs.cancel()
        go_on.set()
    assert values == []
    assert reached == []  # it ended where it told how far it was


def test_a_job_that_never_looks_up_is_cancelled_at_its_end(qtbot):
    jobs, values, go_on = Jobs(), [], threading.Event()
    with qtbot.waitSignal(jobs.cancelled, timeout=5000):
        jobs.start("Deaf", lambda progress: go_on.wait(600.0), values.append)
        jobs.cancel()
        go_on.set()
    assert values == []


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [(BiomecError("The file is empty. Choose another."), "The file is empty. Choose another."),
     (MemoryError(), "Failing: there is not enough free memory. Close other programs,"),
     (ZeroDivisionError("division by zero"), "Failing failed because of an error in Biomec (ZeroDivisionError")],
)  # fmt: skip
def test_a_fault_in_the_work_reaches_the_user_as_a_sentence(qtbot, fault, sentence):
    jobs = Jobs()

    def work(progress):
        raise fault

    with qtbot.waitSignal(jobs.failed, timeout=5000) as failed:
        jobs.start("Failing", work, lambda value: None)
    assert failed.args[1].startswith(sentence)


def test_a_fault_behind_the_work_leaves_no_job_running(qtbot):
    """The progress bar stayed, and Import was disabled for good."""
    jobs = Jobs()
    with qtbot.waitSignal(jobs.failed, timeout=5000) as failed:
        jobs.start("Half", lambda progress: 1, lambda value: 1 / 0)
    assert "ZeroDivisionError" in failed.args[1]
    assert not jobs.busy


def test_two_jobs_at_a_time_are_refused(qtbot):
    jobs, go = Jobs(), threading.Event()
    with qtbot.waitSignal(jobs.finished, timeout=5000):
        jobs.start("First", lambda progress: go.wait(600.0), lambda value: None)
        with pytest.raises(BiomecError, match='"First" is still running'):
            jobs.start("Second", lambda progress: None, lambda value: None)
        go.set()


def test_the_window_stays_awake_while_a_job_computes(qtbot, demo_analysis):
    """The event loop has a turn every 10 ms while an analysis runs; with much room, by the work that was done."""
    jobs, ticks = Jobs(), []
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(time.process_time()))
    timer.start(10)
    other = demo_analysis.with_settings(replace(demo_analysis.settings, positions=ConsistencyOptions(contacts="never")))
    with qtbot.waitSignal(jobs.finished, timeout=60_000):
        jobs.start("Analysis", lambda progress: other.run_all(progress), lambda value: None)
    assert len(ticks) > 10.0 * (ticks[-1] - ticks[0])  # a second, of all threads together


def test_a_job_that_compiles_says_so_and_can_be_cancelled_between_two_kernels(qtbot):
    jobs, notes, values, compiled_ones = Jobs(), [], [], []
    jobs.progressed.connect(lambda status: notes.append((status.note, status.remaining_s)))
    go_on = threading.Event()

    def work(progress):
        for k in range(3):
            numba.njit(lambda x, k=k: x + k)(1.0)
            compiled_ones.append(k)
            assert go_on.wait(600.0)
        return 1

    with qtbot.waitSignal(jobs.cancelled, timeout=60_000):
        jobs.start("Demonstration", work, values.append)
        qtbot.waitUntil(lambda: bool(compiled_ones), timeout=30_000)
        qtbot.waitUntil(lambda: notes == [(PREPARING, None)], timeout=5_000)
        jobs.cancel()
        go_on.set()
    assert values == []
    assert compiled_ones == [0]
    with qtbot.waitSignal(jobs.finished, timeout=5_000):  # the next one compiles nothing, and says nothing
        jobs.start("Counting", lambda progress: progress(0.5), values.append)
    assert notes[-1][0] == ""


@pytest.mark.parametrize("partial", [True, False])
def test_cancelled_work_that_keeps_what_it_reached_is_used_only_if_it_says_so(qtbot, partial):
    jobs, values, words = Jobs(), [], []
    jobs.progressed.connect(lambda status: words.append(status.words))
    begun, go_on = threading.Event(), threading.Event()

    def work(progress):
        progress(0.25)
        progress(0.5)
        begun.set()
        assert go_on.wait(600.0)
        try:
            progress(0.75)
        except Cancelled:
            return "half"

    with qtbot.waitSignal(jobs.finished if partial else jobs.cancelled, timeout=20_000):
        jobs.start("Simulation", work, values.append, partial=partial, words=lambda f: f"{4 * f:g} s of 4 s")
        qtbot.waitUntil(begun.is_set)
        jobs.cancel()
        go_on.set()
    assert values == (["half"] if partial else [])
    assert words[:2] == ["1 s of 4 s", "2 s of 4 s"]


def test_the_program_gives_its_window_turns_soon():
    usual = sys.getswitchinterval()
    try:
        take_turns()
        assert sys.getswitchinterval() == pytest.approx(TURN_S, rel=1e-3)
    finally:
        sys.setswitchinterval(usual)
