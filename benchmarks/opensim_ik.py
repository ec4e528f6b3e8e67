"""Kinematic consistency beside OpenSim's inverse kinematics tool: a push-up of the virtual person, and a real walk.

``python -m benchmarks.opensim_ik``. Both get the same markers, each of weight 1. The tool's time is that of its run,
which reads a file of markers and writes one of coordinates. What it does is what `consistent_positions` does, from
markers to coordinates, with everything that is reported about them; the solver alone, and velocities and accelerations
as well, are timed beside it. Both take turns, because computers change speed while we measure. The tool has one thread:
ratios are of processor time, of the medians of all turns.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from benchmarks.opensim_tool import HOW_TO_INSTALL, Fit, fit, opensim_python, tree_of
from benchmarks.timing import Task, Timing, interleaved
from biomec.base.arrays import FloatArray
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.consistency import (
    ConsistencyOptions,
    ConsistentPositions,
    ContactPoints,
    consistent_motion,
    consistent_positions,
)
from biomec.engine.position import PositionSolver
from biomec.io.session_import import SKIP, import_session
from biomec.io.trc import write_trc
from biomec.pipeline.analysis import Analysis
from biomec.recording import Markers, Subject
from biomec.virtual import PushUp, RecordOptions, VirtualAcquisition, model_of, record
from tests.real_data import FOLDER

FRAMES, RATE_HZ = 1834, 500.0
NOISE_MM = 1.0
TURNS = 3  # of OpenSim, with ours before the first and after each
PASSES = 3  # of ours in a turn
LEAST_S = 0.3  # s of computing of ours in a pass: the tool's own run on the walk is as long
TARGET_MS, TARGET_RATIO = 0.25, 100.0
COORDINATES = ConsistencyOptions(method="coordinates", contacts="always")
MARKERS = ConsistencyOptions(method="markers", contacts="always")
ALL, ONE = "all threads", "one thread"
JUDGED = ("M21", "legs")
SOLVER, RATES = "solver alone, nearest coordinates", "positions, velocities, accelerations"
NEAREST_COORDINATES, NEAREST_MARKERS = "positions, nearest coordinates", "positions, nearest markers"


@dataclass(frozen=True)
class Case:
    """Something that both can fit."""

    body: SubjectModel
    markers: Markers
    contacts: ContactPoints | None

    def positions(self, options: ConsistencyOptions) -> ConsistentPositions:
        """Our solution."""
        return consistent_positions(self.body, self.markers, self.contacts, options)

    def tasks(self) -> list[Task]:
        """Everything of ours that is timed, on all threads and on one."""
        known = self.positions(COORDINATES)
        solver = PositionSolver(self.body.system)
        each = {
            SOLVER: lambda: solver.solve(known.q_star, contacts=known.held),
            NEAREST_COORDINATES: lambda: self.positions(COORDINATES),
            NEAREST_MARKERS: lambda: self.positions(MARKERS),
            RATES: lambda: consistent_motion(self.body, self.markers, self.contacts, COORDINATES),
        }
        return [
            Task(f"{name}, {threads}", partial(with_threads, threads, run), self.markers.frames)
            for name, run in each.items()
            for threads in (ALL, ONE)
        ]


def with_threads(threads: str, run: Callable[[], object]) -> None:
    """Run something on all threads or on one."""
    with _threads(threads):
        run()


@contextmanager
def _threads(threads: str) -> Iterator[None]:
    before = os.environ.pop("BIOMEC_THREADS", None)
    if threads == ONE:
        os.environ["BIOMEC_THREADS"] = "1"
    try:
        yield
    finally:
        os.environ.pop("BIOMEC_THREADS", None)
        if before is not None:
            os.environ["BIOMEC_THREADS"] = before


# ------------------------------------------------------------------------------------------------------- the two cases
@cache
def push_up() -> VirtualAcquisition:
    """One push-up of the virtual person, with noise of the cameras and nothing missing."""
    options = RecordOptions(rate_hz=RATE_HZ, plate_rate_hz=RATE_HZ, noise_mm=NOISE_MM, removed=False, seed=4)
    return record(PushUp(cycles=1, lead_s=0.0), options=options)


def push_up_case(acquisition: VirtualAcquisition, model: str) -> Case:
    """The push-up as measured, for a model; hands and feet are held where the ground pushes."""
    body = model_of(acquisition.person, model)
    reactions = acquisition.truth.reactions.values()
    cop = np.stack([one.centre_of_pressure() for one in reactions], axis=1)[:FRAMES]
    load = np.stack([one.force[:, 1] for one in reactions], axis=1)[:FRAMES]
    active = np.asarray(np.isfinite(cop).all(axis=2))
    contacts = ContactPoints(tuple(one.segment for one in reactions), cop, active, load, COORDINATES)
    return Case(body, acquisition.dynamic.stretch(0, FRAMES - 1).markers, contacts)


@cache
def push_up_by_opensim(python: str, model: str) -> Fit:
    """What OpenSim's tools do to the push-up: inverse kinematics, then inverse dynamics of the motion it found."""
    return fit_push_up(python, model)


def fit_push_up(python: str, model: str) -> Fit:
    """The same, run anew."""
    acquisition = push_up()
    case = push_up_case(acquisition, model)
    with tempfile.TemporaryDirectory(prefix="biomec-push-up-") as folder:
        file = Path(folder) / "push_up.trc"
        write_trc(acquisition.dynamic.stretch(0, FRAMES - 1), file)
        return fit(python, file, (0.0, FRAMES / RATE_HZ), tree_of(case.body, _start(case)))


def walk_case(folder: Path) -> Case:
    """The walk that is distributed with OpenSim, rebuilt and filtered; pelvis and legs."""
    session = import_session(
        folder / "subject01_walk1.trc",
        static=folder / "subject01_static.trc",
        plates=SKIP,
        emg=SKIP,
        subject=Subject("subject01", "male", 72.6, 1.803),
        keep_originals=False,
    )
    analysis = Analysis(session).run_until("body")
    return Case(analysis.body.person, analysis.signals.markers, None)


# ------------------------------------------------------------------------------------------------------------ the table
def print_opensim() -> None:
    """Print both comparisons, or why there is none."""
    python = opensim_python()
    print("\nOpenSim's inverse kinematics tool (accuracy 1e-5, its default):", end=" ")
    if python is None:
        print(HOW_TO_INSTALL)
        return
    print(f"{TURNS} runs, in turns with kinematic consistency of the same markers; medians.")
    print(f"\nPush-up of the virtual person, {FRAMES} frames at {RATE_HZ:g} Hz, {NOISE_MM:g} mm of noise:")
    for model in ("m21", "m17"):
        _compare(model.upper(), push_up_case(push_up(), model), partial(fit_push_up, python, model))
    walk = FOLDER / "gait_opensim2354"
    if not walk.exists():
        print("\nThe walk that is distributed with OpenSim is not beside the project.")
        return
    case = walk_case(walk)
    print(f"\nWalk that is distributed with OpenSim, {case.markers.frames} frames:")
    model_file = walk / "reference" / "subject01_simbody.osim"
    _compare("legs", case, partial(fit, python, walk / "subject01_walk1.trc", (0.0, 1e3), model_file))


def _start(case: Case) -> FloatArray:
    return np.asarray(case.positions(MARKERS).q[0])


def _compare(name: str, case: Case, opensim: Callable[[], Fit]) -> None:
    """Time ours and OpenSim's in turns, and print the lines of one model."""
    tasks = case.tasks()
    turns, fits = [interleaved(tasks, PASSES, LEAST_S)], []
    for _ in range(TURNS):
        fits.append(opensim())
        turns.append(interleaved(tasks, PASSES, LEAST_S))
    ours = {
        task.name: Timing(
            task.name,
            [seconds for turn in turns for seconds in turn[task.name].wall],
            [seconds for turn in turns for seconds in turn[task.name].cpu],
        )
        for task in tasks
    }
    theirs = fits[0]
    their_wall, their_cpu = (float(np.median([getattr(one, kind) for one in fits])) for kind in ("wall_ms", "cpu_ms"))
    print(f"\n  {name:38}{'ms a frame':^24}{'OpenSim / ours':^24}")
    print(f"  {'':38}{'all threads':>12}{'processor':>12}{'all threads':>12}{'processor':>12}")
    print(f"  {'OpenSim ' + theirs.version[:3]:38}{their_wall:12.3f}{their_cpu:12.3f}")
    for key in (SOLVER, NEAREST_COORDINATES, NEAREST_MARKERS, RATES):
        wall, cpu = 1e3 * ours[f"{key}, {ALL}"].median, 1e3 * ours[f"{key}, {ONE}"].median_cpu
        print(f"  {key:38}{wall:12.3f}{cpu:12.3f}{their_cpu / wall:12.0f}{their_cpu / cpu:12.0f}")
    print(
        f"  OpenSim: {theirs.coordinates} coordinates, {theirs.markers} markers, {1e3 * theirs.rms_m:.2f} mm away. "
        f"Ours: {len(case.body.system.bodies)} segments, {len(case.body.followed)} markers;"
    )
    for key, options in ((NEAREST_COORDINATES, COORDINATES), (NEAREST_MARKERS, MARKERS)):
        found = case.positions(options)
        rms = 1e3 * np.sqrt(np.nanmean(found.marker_residual**2))
        print(
            f"  {key}: {found.valid.sum()} of {case.markers.frames} frames consistent, markers {rms:.2f} mm away, "
            f"{found.position.iterations.mean():.1f} iterations."
        )
    if name in JUDGED:  # like with like: OpenSim seeks the nearest markers
        mine = ours[f"{NEAREST_MARKERS}, {ALL}"].median, ours[f"{NEAREST_MARKERS}, {ONE}"].median_cpu
        _print_targets(1e3 * mine[0], their_cpu / (1e3 * mine[1]))


def _print_targets(wall_ms: float, ratio: float) -> None:
    print(
        f"  Target: positions by nearest markers ≤ {TARGET_MS} ms a frame on two cores: {wall_ms:.3f}: "
        f"{'reached' if wall_ms <= TARGET_MS else 'NOT REACHED'}."
    )
    print(
        f"  Target: nearest markers ≥ {TARGET_RATIO:g} times as fast as OpenSim's tool: {ratio:.0f}, one thread "
        "against one: "
        f"{'reached' if ratio >= TARGET_RATIO else 'NOT REACHED'}."
    )


if __name__ == "__main__":
    print_opensim()
