"""A batch: every trial of a study that lacks results is analysed, by several processes, and one bad trial stops none.

Nothing is remembered between runs but the results themselves: a batch that was killed goes on where it was. Each trial
is computed by itself from its own files, so that the results do not depend on how many work or in which order.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass, field
from pathlib import Path

from biomec._version import __version__
from biomec.base.errors import BiomecError, FileError
from biomec.recording import Subject
from biomec.study.crew import ClusterCrew, Crew, LocalCrew, usual_jobs
from biomec.study.record import TrialRecord
from biomec.study.study import Study
from biomec.study.task import TrialTask, UnreachableError, write_trial_results
from biomec.study.trials import State, StudyTrial

BEAT_S = 0.25  # between looks at whether the user wants to stop
MOST_LOST = 4  # times that a task meets a worker that cannot do it
MOST_UNWRITTEN = 3  # results in a row that could not be written: the disk is full
DIED = (
    "The process that analysed it ended without a word, also when nothing else ran: too little memory, or a fault of a "
    "library. Try it in the window, or with a shorter stretch."
)


@dataclass(frozen=True)
class Step:
    """A trial is through: its record, how many are, and how long the rest will take [s]."""

    trial: StudyTrial
    record: TrialRecord
    done: int
    total: int
    remaining_s: float

    @property
    def sentence(self) -> str:
        """One line for people."""
        what = f"failed. {self.record.fault}" if self.record.fault else f"done in {self.record.seconds:.1f} s"
        rest = f"; about {in_minutes(self.remaining_s)} remain" if self.done < self.total else ""
        return f"[{self.done}/{self.total}] {self.trial.label}: {what}{rest}"


@dataclass(frozen=True)
class BatchReport:
    """What a batch did. ``unwritten``: sentences about results that could not be written.

    memory_mb : largest memory of a process that worked
    """

    done: int = 0
    failed: int = 0
    seconds: float = 0.0
    memory_mb: float = 0.0
    unwritten: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """One line for people."""
        lost = f", {len(self.unwritten)} not written" if self.unwritten else ""
        memory = f"; at most {self.memory_mb:.0f} MB in a process" if self.memory_mb else ""
        return f"{self.done} analysed, {self.failed} failed{lost} in {in_minutes(self.seconds)}{memory}."


@dataclass
class _Work:
    """What is left to do, and what came of the rest."""

    waiting: deque[TrialTask]
    total: int
    suspects: deque[TrialTask] = field(default_factory=deque)
    running: dict[Future[TrialRecord], TrialTask] = field(default_factory=dict)
    lost: Counter[str] = field(default_factory=Counter)
    records: list[TrialRecord] = field(default_factory=list)
    unwritten: list[str] = field(default_factory=list)
    in_a_row: int = 0

    @property
    def left(self) -> bool:
        return bool(self.waiting or self.suspects or self.running)


def tasks_of(study: Study, resume: bool = False, only: Sequence[str] = ()) -> tuple[TrialTask, ...]:
    """What there is to do: trials without results, out of date, or failed.

    resume : those that failed before are not tried again
    only   : words, each of which a trial must have in its person, session, condition, name or state
    """
    wanted = {State.NOT_RUN, State.STALE} | (set() if resume else {State.FAILED})
    chosen = study.filtered(" ".join(only)) if only else study.trials
    people = {one.code: one.subject for one in study.description.people}
    return tuple(
        TrialTask(
            one.id, str(study.folder), one.file, str(study.folder_of(one)), one.sha256, one.made_of, __version__,
            one.static, one.project, one.subject, people.get(one.subject, Subject()), one.condition,
            one.excluded_cycles, study.settings, study.description.muscles,
        )
        for one in chosen
        if one.state in wanted
    )  # fmt: skip


def run_batch(
    study: Study,
    *,
    jobs: int | None = None,
    scheduler: str = "",
    resume: bool = False,
    only: Sequence[str] = (),
    on_step: Callable[[Step], None] = lambda step: None,
    say: Callable[[str], None] = lambda sentence: None,
    beat: Callable[[], None] = lambda: None,
    crew: Crew | None = None,
) -> BatchReport:
    """Analyse what lacks results; open the study again to see them.

    jobs      : processes of this computer; one a processor if not given
    scheduler : address of a dask scheduler, whose workers then do the work
    on_step   : called for every trial that is through; what it raises (`Cancelled`) stops the batch
    say       : takes sentences about workers
    beat      : called several times a second while it works; what it raises stops the batch at once
    crew      : who does the work, if neither processes of this computer nor dask
    """
    tasks = tasks_of(study, resume, only)
    if not tasks:
        return BatchReport()
    _make_results(study.results)
    crew = crew or _crew(study, scheduler, min(jobs or usual_jobs(), len(tasks)), say)
    begun = time.monotonic()
    trials = {one.id: one for one in study.trials}
    work = _Work(deque(tasks), len(tasks))
    try:
        while work.left:
            beat()
            _hand_out(work, crew)
            for record in _take_in(work, crew):
                work.records.append(record)
                done = len(work.records)
                rest = (time.monotonic() - begun) / done * (work.total - done)
                on_step(Step(trials[record.id], record, done, work.total, rest))
            if work.in_a_row >= MOST_UNWRITTEN:
                raise BiomecError(f"{work.unwritten[-1]} The batch stops here; what is done stays done.")
    except BaseException:
        crew.close(now=True)
        raise
    crew.close()
    failed = sum(bool(one.fault) for one in work.records)
    memory = max((one.memory_mb for one in work.records), default=0.0)
    seconds = time.monotonic() - begun
    return BatchReport(len(work.records) - failed, failed, seconds, memory, tuple(work.unwritten))


def _crew(study: Study, scheduler: str, jobs: int, say: Callable[[str], None]) -> Crew:
    if scheduler:
        return ClusterCrew(scheduler, study.folder, study.results, say)
    return LocalCrew(jobs)


def _make_results(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            folder.name, f"the folder for the results cannot be made ({error.strerror or error})."
        ) from error


def _hand_out(work: _Work, crew: Crew) -> None:
    """Give out as many tasks as are wanted; one that may have killed a process runs alone."""
    if not work.running and (work.waiting or work.suspects):
        crew.renew(tired=True)
    if work.suspects:
        if not work.running and crew.size:
            _give(work, crew, work.suspects.popleft())
        return
    while work.waiting and len(work.running) < crew.size:
        _give(work, crew, work.waiting.popleft())


def _give(work: _Work, crew: Crew, task: TrialTask) -> None:
    try:
        work.running[crew.submit(task)] = task
    except BrokenExecutor:  # a process died since the last look
        work.waiting.appendleft(task)
        _lose(work, crew, list(work.running.values()))


def _take_in(work: _Work, crew: Crew) -> Iterable[TrialRecord]:
    """Records of tasks that have ended since the last look."""
    if not work.running:
        time.sleep(BEAT_S)
        return
    ended, _ = wait(work.running, BEAT_S, FIRST_COMPLETED)
    if crew.withdrawn():
        _take_back(work)
        return
    for future in ended:
        if future not in work.running:
            continue
        alone = len(work.running) == 1
        task = work.running.pop(future)
        try:
            record = future.result()
        except BrokenExecutor:
            if not alone:
                _lose(work, crew, [task, *work.running.values()])
                return
            crew.renew()
            yield _given_up(work, task, DIED)
        except CancelledError:  # the scheduler is gone; its tasks are nobody's fault
            _take_back(work, task)
            crew.renew()
            return
        except UnreachableError:  # the worker is at fault; the others go on
            work.lost[task.id] += 1
            if work.lost[task.id] > MOST_LOST:
                raise
            work.waiting.append(task)
            crew.ask_again()
        except FileError as error:  # the results could not be written
            work.unwritten.append(str(error))
            work.in_a_row += 1
        except Exception as error:
            if type(error).__name__ != "KilledWorker":  # of dask, which may not be installed
                raise
            yield _given_up(work, task, DIED)
        else:
            work.in_a_row = 0
            yield record


def _lose(work: _Work, crew: Crew, tasks: Sequence[TrialTask]) -> None:
    """A process died, and nobody knows of which task: each runs alone once more."""
    work.running.clear()
    work.suspects.extend(tasks)
    crew.renew()


def _take_back(work: _Work, *tasks: TrialTask) -> None:
    """Tasks that run, and others, wait again."""
    work.waiting.extendleft([*tasks, *work.running.values()])
    for future in work.running:
        future.cancel()
    work.running.clear()


def _given_up(work: _Work, task: TrialTask, fault: str) -> TrialRecord:
    record = TrialRecord(task.id, task.made_of, __version__, task.file, task.sha256, fault)
    try:
        write_trial_results(Path(task.out), record, None, {})
    except FileError as error:
        work.unwritten.append(str(error))
    return record


def in_minutes(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    if seconds < 5400.0:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds / 3600.0:.1f} h"
