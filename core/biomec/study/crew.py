"""Who does the work of a batch: processes of this computer, or workers of a dask scheduler on any number of them.

Both take tasks the same way, as `concurrent.futures` does, so that one loop serves both (`study.batch`).
"""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from biomec._version import __version__
from biomec.base.errors import BiomecError
from biomec.base.limits import MB, free_memory
from biomec.base.progress import thread_count
from biomec.study.record import TrialRecord
from biomec.study.task import TrialTask, run_task

TASKS_OF_A_PROCESS = 50  # then it is replaced, so that its memory stays bounded
PROCESS_MB = 1500  # that a process may need
AHEAD = 2  # tasks of a dask worker that wait for it, so that it never waits
PATIENCE_S = 60.0  # for a scheduler that starts again
LOOK_S = 5.0  # between looks at who works
Say = Callable[[str], None]
T = TypeVar("T")
R = TypeVar("R")


class Crew(Protocol):
    """Takes tasks and gives futures of their records."""

    @property
    def size(self) -> int:
        """Tasks that it should hold at a time; 0 while nobody can work."""

    def submit(self, task: TrialTask) -> Future[TrialRecord]:
        """Begin a task, now or when somebody is free."""

    def renew(self, tired: bool = False) -> None:
        """Begin anew after a process died or a connection was lost; ``tired``: only if it has worked for long."""

    def ask_again(self) -> None:
        """Somebody could not do a task: see who can."""

    def withdrawn(self) -> bool:
        """Whether tasks wait for workers that are gone; they are to be given again."""

    def close(self, now: bool = False) -> None:
        """End; ``now``: tasks that run are given up, and leave nothing half written."""


class LocalCrew:
    """Processes of this computer."""

    def __init__(self, jobs: int) -> None:
        """Begin ``jobs`` processes, which share the processors."""
        if jobs < 1:
            raise BiomecError(f"A batch needs at least one process, not {jobs}.")
        self.size = jobs
        self._pool = self._started()

    def _started(self) -> ProcessPoolExecutor:
        self._given = 0
        context = multiprocessing.get_context("spawn")  # threads and compiled code do not survive a fork
        return ProcessPoolExecutor(self.size, context, _begin, (max(1, thread_count() // self.size),))

    def submit(self, task: TrialTask) -> Future[TrialRecord]:
        """Begin a task, now or when a process is free."""
        self._given += 1
        return self._pool.submit(run_task, task)

    def renew(self, tired: bool = False) -> None:
        """Replace all processes."""
        if not tired or self._given >= TASKS_OF_A_PROCESS * self.size:
            self.close()
            self._pool = self._started()

    def ask_again(self) -> None:
        """All processes are alike."""

    def withdrawn(self) -> bool:
        """No task waits for one process."""
        return False

    def close(self, now: bool = False) -> None:
        """End the processes."""
        mine = list((self._pool._processes or {}).values())  # of this crew alone: another batch may be running
        self._pool.shutdown(wait=not now, cancel_futures=True)
        if now:
            for process in mine:
                process.terminate()
                process.join(5.0)


def usual_jobs() -> int:
    """Processes for this computer: one a processor, as far as the memory allows."""
    return max(1, min(thread_count(), free_memory() // (PROCESS_MB * MB)))


def _begin(threads: int) -> None:
    """In a new process: Ctrl+C is the batch's to meet, and whoever loses the batch ends too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["BIOMEC_THREADS"] = str(threads)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def side_by_side(work: Callable[[T], R], items: Sequence[T], jobs: int) -> Iterator[R]:
    """Results of a function for each item, in order, by so many processes of this computer; by this one if one will do.

    The function and the items must be such as can be sent to another process.
    """
    jobs = min(jobs, len(items))
    if jobs < 2:
        yield from map(work, items)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _begin, (max(1, thread_count() // jobs),)) as pool:
        try:
            yield from pool.map(work, items)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class ClusterCrew:
    """Workers of a dask scheduler: those that see the study folder, can write to its results, and run this Biomec."""

    def __init__(self, address: str, root: Path, results: Path, say: Say) -> None:
        """Connect to a scheduler such as ``tcp://node01:8786``."""
        try:
            self._dask = importlib.import_module("distributed")
        except ImportError as error:
            raise BiomecError(
                "A scheduler needs the extra part `cluster`. Install it: pip install 'biomec[cluster]'"
            ) from error
        for name in [one for one in logging.root.manager.loggerDict if one.partition(".")[0] == "distributed"]:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters of a lost connection is said here
        self._address, self._root, self._results, self._say = address, root, results, say
        self._token = results / f".batch-{secrets.token_hex(6)}"
        self._token.touch()
        self._told: set[str] = set()
        self._able: Mapping[str, int] = {}
        self._seen: frozenset[str] = frozenset()
        self._chosen: frozenset[str] = frozenset()  # to whom tasks are restricted; nobody: they may go anywhere
        self._withdrawn = False
        self._looked = -LOOK_S
        self._client: Any = None
        self._executor: Executor | None = None
        try:
            self._connect(10.0)
        except BaseException:
            self.close(now=True)
            raise

    def _connect(self, patience_s: float) -> None:
        end = time.monotonic() + patience_s
        while True:
            try:
                self._client = self._dask.Client(self._address, timeout=5, set_as_default=False)
                self._looked = -LOOK_S
                return
            except (OSError, TimeoutError, ValueError) as error:
                if time.monotonic() > end or isinstance(error, ValueError):
                    raise BiomecError(
                        f"There is no dask scheduler at {self._address} ({' '.join(str(error).split())[:120]}). Start "
                        "it, or give its address as `dask scheduler` prints it, then run the same command again: "
                        "what is done stays done."
                    ) from error
                time.sleep(1.0)

    @property
    def size(self) -> int:
        """Tasks that the workers should hold."""
        if time.monotonic() - self._looked >= LOOK_S:
            self._look()
        return AHEAD * sum(self._able.values())

    def _look(self) -> None:
        """See who works, and ask those who are new whether they can."""
        self._looked = time.monotonic()
        try:
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
            if frozenset(workers) == self._seen and self._executor is not None:
                return
            answers = self._client.run(_fitness, str(self._root), str(self._token), __version__, on_error="return")
        except (OSError, TimeoutError, KeyError):
            self._able = {}
            return
        self._seen = frozenset(workers)
        for worker, answer in answers.items():
            if answer and worker not in self._told:
                self._told.add(worker)
                self._say(f"The worker {worker} is not used. {answer}")
        self._able = {one: int(workers[one]["nthreads"]) for one in workers if answers.get(one, "?") == ""}
        if not self._able and workers:
            raise BiomecError(
                f"None of the {len(workers)} workers of {self._address} can work: "
                f"{next((str(one) for one in answers.values() if one), 'they do not answer')}"
            )
        if not workers and "nobody" not in self._told:
            self._told.add("nobody")
            self._say(f"No worker has come to {self._address} yet; the batch waits for one.")
        self._withdrawn = self._withdrawn or not self._chosen <= self._able.keys()
        self._chosen = frozenset(self._able) if len(self._able) < len(workers) else frozenset()
        self._executor = self._client.get_executor(pure=False, workers=sorted(self._chosen) or None)

    def ask_again(self) -> None:
        """Ask all workers at the next look, which comes at once."""
        self._seen, self._looked = frozenset(), -LOOK_S

    def withdrawn(self) -> bool:
        """Whether tasks wait for workers that are gone, since this was asked last."""
        answer, self._withdrawn = self._withdrawn, False
        return answer

    def submit(self, task: TrialTask) -> Future[TrialRecord]:
        """Hand a task to the scheduler."""
        assert self._executor is not None  # `size` comes first
        return self._executor.submit(run_task, task)

    def renew(self, tired: bool = False) -> None:
        """Connect again, to the same scheduler or one that took its place."""
        if not tired:
            self._say(f"The connection to {self._address} was lost; waiting for it.")
            self._disconnect()
            self._connect(PATIENCE_S)

    def close(self, now: bool = False) -> None:
        """Let go of the scheduler, which goes on for others."""
        self._disconnect()
        self._token.unlink(missing_ok=True)

    def _disconnect(self) -> None:
        self._able, self._executor, self._seen, self._chosen = {}, None, frozenset(), frozenset()
        if self._client is not None:
            with suppress(Exception):  # a connection that is broken already
                self._client.close(timeout=5)
            self._client = None


def _fitness(root: str, token: str, version: str) -> str:
    """In a worker: why it cannot take part, "" if it can."""
    if version != __version__:
        return f"It runs Biomec {__version__}, the batch {version}. Install the same."
    if not (os.path.isdir(root) and os.path.isfile(token)):  # False too where the folder cannot be entered
        return f"It does not see the folder {root} and its results. Mount them there."
    if not os.access(Path(token).parent, os.W_OK):
        return f"It cannot write to {Path(token).parent}."
    return ""
