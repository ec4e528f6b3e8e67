"""A batch: nothing is lost by bad trials, killed processes, kills of the batch itself, or workers that cannot work."""

import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import replace

import pytest

from biomec.base.errors import BiomecError, FileError
from biomec.base.progress import Cancelled
from biomec.io.project import load_project
from biomec.study import batch
from biomec.study.batch import run_batch, tasks_of
from biomec.study.crew import LocalCrew
from biomec.study.decisions import decide
from biomec.study.record import PROJECT
from biomec.study.study import open_study
from biomec.study.tables import write_tables
from biomec.study.task import UnreachableError, run_task
from biomec.study.trials import State
from tests.core.study.small import reopened, sway_study, write_project, write_sway
from tests.places import ROOT


class Crew:
    """Does the work at once, in this process; ``fate`` says what happens instead."""

    def __init__(self, fate=lambda task, alone: None, size=2):
        self.size, self.fate = size, fate
        self.running, self.renewed, self.asked, self.closed = [], 0, 0, None

    def submit(self, task):
        future = Future()
        self.running.append((future, task))
        if len(self.running) >= self.size:
            self._work()
        return future

    def _work(self):
        some, self.running = self.running, []
        for future, task in some:
            fault = self.fate(task, len(some) == 1)
            if fault is None:
                future.set_result(run_task(task))
            else:
                future.set_exception(fault)

    def renew(self, tired=False):
        self.renewed += not tired

    def ask_again(self):
        self.asked += 1

    def withdrawn(self):
        self._work()
        return False

    def close(self, now=False):
        self.closed = now


def tables(study):
    """Hash of every table."""
    written = write_tables(reopened(study))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in written}


def test_one_bad_trial_stops_no_other_and_its_reason_stays(tmp_path):
    sway_study(tmp_path, 1, 2)
    write_sway(tmp_path / "person 1", "bad1", 40, markers=("VC", "C7", "IJ"))
    write_project(tmp_path / "person 1" / "excluded.biomec", "", 50, excluded="slipped")
    study = open_study(tmp_path)
    seen = []
    report = run_batch(study, crew=Crew(), on_step=seen.append)
    after = reopened(study)
    states = {one.file.rpartition("/")[2]: one.state for one in after.trials}
    assert states["barefoot1.trc"] == states["barefoot2.trc"] == State.DONE
    assert (states["bad1.trc"], states["excluded.biomec"]) == (State.FAILED, State.EXCLUDED)
    assert after.named("bad1.trc").reason
    assert (report.done, report.failed) == (2, 1)
    assert [step.done for step in seen] == [1, 2, 3]
    assert seen[-1].remaining_s == 0.0
    assert all(step.trial.label in step.sentence for step in seen)
    assert tasks_of(after, resume=True) == ()


def test_a_failed_trial_is_tried_again_unless_the_batch_is_resumed(tmp_path, monkeypatch):
    study = open_study(sway_study(tmp_path, 1, 2))

    def refuse(task):
        raise BiomecError("There is no pelvis.")

    with monkeypatch.context() as patched:
        patched.setattr("biomec.study.task.analysed", refuse)
        report = run_batch(study, crew=Crew())
    assert (report.done, report.failed) == (0, 2)
    study = reopened(study)
    assert {one.reason for one in study.trials} == {"There is no pelvis."}
    assert tasks_of(study, resume=True) == ()
    assert run_batch(study, crew=Crew()).done == 2


def test_a_fault_of_ours_is_a_reason_too(tmp_path, monkeypatch):
    study = open_study(sway_study(tmp_path, 1, 1))

    def fail(task):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("biomec.study.task.analysed", fail)
    assert run_batch(study, crew=Crew()).failed == 1
    assert "ZeroDivisionError: division by zero" in reopened(study).trials[0].reason


def test_only_the_trial_that_ends_its_process_is_given_up(tmp_path):
    study = open_study(sway_study(tmp_path, 2, 2))
    poison = study.trials[1].id

    def fate(task, alone):
        deadly = alone and task.id == poison
        together = not alone and poison in {task.id, *(one.id for one in study.trials[:2])}
        return BrokenExecutor("a process died") if deadly or together else None

    report = run_batch(study, crew=Crew(fate))
    assert (report.done, report.failed) == (3, 1)
    after = reopened(study)
    assert "ended without a word" in after.named(poison).reason
    assert after.states == {State.DONE: 3, State.FAILED: 1}


def test_a_lost_scheduler_and_a_worker_that_sees_nothing_lose_no_trial(tmp_path):
    study = open_study(sway_study(tmp_path, 2, 2))
    faults = [UnreachableError("It does not see the folder."), None, CancelledError()]
    crew = Crew(lambda task, alone: faults.pop(0) if faults else None)
    assert run_batch(study, crew=crew).done == 4
    assert (crew.renewed, crew.asked) == (1, 1)
    assert reopened(study).states == {State.DONE: 4}


def test_where_nobody_sees_the_folder_the_batch_ends_with_a_sentence(tmp_path):
    study = open_study(sway_study(tmp_path, 1, 1))
    crew = Crew(lambda task, alone: UnreachableError("It does not see the folder."))
    with pytest.raises(BiomecError, match="does not see"):
        run_batch(study, crew=crew)
    assert crew.closed is True
    task = replace(tasks_of(study)[0], root=str(tmp_path / "elsewhere"))
    with pytest.raises(UnreachableError, match="Mount it there"):
        run_task(task)
    with pytest.raises(UnreachableError, match=r"0\.0\.1"):
        run_task(replace(task, biomec="0.0.1"))


def test_a_full_disk_ends_the_batch_with_a_sentence(tmp_path):
    study = open_study(sway_study(tmp_path, 2, 2))
    crew = Crew(lambda task, alone: FileError("trial.json", "no space left on the disk."))
    with pytest.raises(BiomecError, match=r"no space left.*what is done stays done"):
        run_batch(study, crew=crew)
    assert reopened(study).states == {State.NOT_RUN: 4}


def test_the_user_can_stop_and_go_on(tmp_path):
    study = open_study(sway_study(tmp_path, 2, 2))

    def stop(step):
        raise Cancelled("stopped")

    crew = Crew()
    with pytest.raises(Cancelled):
        run_batch(study, crew=crew, on_step=stop)
    assert crew.closed is True
    left = reopened(study)
    assert left.states[State.DONE] in (1, 2)
    assert run_batch(left, crew=Crew(), resume=True).done == left.states[State.NOT_RUN]


def test_only_what_is_asked_for_runs(tmp_path):
    study = open_study(sway_study(tmp_path, 2, 2))
    assert [one.file for one in tasks_of(study, only=["p002", "barefoot2"])] == ["person 2/barefoot2.trc"]


def test_excluded_cycles_condition_and_person_reach_the_project(tmp_path):
    sway_study(tmp_path, 1, 1)
    (tmp_path / "study.toml").write_text(
        '[[subject]]\ncode = "S1"\nfolders = ["person 1"]\nsex = "male"\nmass_kg = 81.5\n'
    )
    study = open_study(tmp_path)
    decide(study.results, study.trials[0].id, "slipped", ("both", 3))
    study = reopened(study)
    run_batch(study, crew=Crew())
    session = load_project(study.folder_of(study.trials[0]) / PROJECT)
    assert (session.subject.sex, session.subject.mass_kg, session.subject.name) == ("male", 81.5, "S1")
    assert session.notes.condition == "barefoot"
    assert [(one.side, one.frame, one.reason) for one in session.notes.excluded_cycles] == [("both", 3, "slipped")]


def test_processes_of_this_computer_give_the_same_bytes_and_survive_a_kill(tmp_path):
    """One of two processes is killed after the first trial: all are there, with the bytes of an undisturbed run."""
    folder = sway_study(tmp_path / "study", 2, 2)
    calm = open_study(folder, tmp_path / "calm")
    assert run_batch(calm, crew=Crew()).done == 4
    study = open_study(folder, tmp_path / "disturbed")
    killed = []

    def kill(step):
        if not killed:
            killed.extend(multiprocessing.active_children()[:1])
            os.kill(killed[0].pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)

    report = run_batch(study, jobs=2, on_step=kill)
    assert (report.done, report.failed) == (4, 0)
    assert report.memory_mb > 0.0 or sys.platform == "win32"
    assert tables(study) == tables(calm)


@pytest.mark.skipif(sys.platform == "win32", reason="it sends signals")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_batch_that_is_stopped_or_killed_leaves_no_process_and_goes_on(tmp_path, end):
    sway_study(tmp_path, 2, 8)  # 3 s of trials are left when the first is done, so that the signal comes before the end
    environment = {**os.environ, "BIOMEC_THREADS": "1"}
    program = subprocess.Popen(
        [sys.executable, "-m", "biomec", "batch", str(tmp_path), "--jobs", "1"], cwd=ROOT, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert program.stdout is not None
    for line in program.stdout:
        if line.startswith("[1/16]"):
            break
    os.kill(program.pid, end)
    _, errors = program.communicate(timeout=60)
    if end is signal.SIGINT:
        assert (program.returncode, errors.strip()) == (130, "Interrupted.")
    deadline = time.monotonic() + 30.0
    while _group_lives(program.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _group_lives(program.pid)
    study = open_study(tmp_path)
    assert 1 <= study.states[State.DONE] < 16
    assert run_batch(study, crew=Crew(), resume=True).failed == 0
    assert reopened(study).states == {State.DONE: 16}


def _group_lives(group: int) -> bool:
    """Whether any process of a group is there; the batch began its own."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_times_are_said_as_people_say_them():
    assert [batch.in_minutes(one) for one in (3.2, 200.0, 9000.0)] == ["3 s", "3 min", "2.5 h"]


def test_a_batch_that_is_given_up_ends_its_own_processes_only():
    """Stop in one window of a study ended the batch of another window."""
    first, second = LocalCrew(1), LocalCrew(1)
    try:
        going = second._pool.submit(abs, -3)
        first._pool.submit(abs, -1).result(120)
        first.close(now=True)
        assert going.result(120) == 3
        assert second._pool.submit(abs, -4).result(120) == 4
    finally:
        second.close()
