"""Print how fast the engine is, beside a dense version of itself and beside other engines. Takes a few minutes."""

from __future__ import annotations

import os
import platform
import time

import numpy as np

from benchmarks.c3d import print_c3d
from benchmarks.consistent_motion import print_consistent_motion
from benchmarks.end_to_end import print_end_to_end
from benchmarks.formulations import print_formulations
from benchmarks.forward import print_steps
from benchmarks.frozen_jacobian import print_kept_jacobians
from benchmarks.inverse_dynamics import print_inverse_dynamics
from benchmarks.marker_fit import ITERATIONS, MarkerFit, TargetFit
from benchmarks.muscles import print_muscles
from benchmarks.opensim_ik import print_opensim
from benchmarks.problem import ANGLE_DEG, POSITION_M, Trial, human_trial
from benchmarks.report_files import print_report_files
from benchmarks.scaling import CHAIN_FRAMES, Growth, with_bodies, with_frames
from benchmarks.signals import print_signals
from benchmarks.startup import start_cold_and_warm
from benchmarks.symbolic import print_symbolic
from benchmarks.timing import Task, Timing, interleaved
from benchmarks.window import print_window
from biomec.base.arrays import FloatArray
from biomec.engine.dense import solve_positions_dense
from biomec.engine.normal import LANES
from biomec.engine.position import PositionSolver
from biomec.engine.projection import Projector

PASSES = 9
DENSE_FRAMES = 12
FIT_FRAMES = 150
RNEA_CALLS = 2000
TARGET_MS = 0.25  # a frame, on two cores
TARGET_DENSE = 20.0  # times faster than the dense version

POSITION, ONE_THREAD = "position, all threads", "position, one thread"
VELOCITY, ACCELERATION = "velocity projection", "acceleration projection"
TARGETS, TARGETS_ALONE = "marker fit, all threads", "marker fit, one thread"
DENSE, FIT, RNEA = "position, dense version", "Pinocchio marker fit", "Pinocchio rnea"


def main() -> None:
    """Measure everything and print one table."""
    begin = time.perf_counter()
    trial = human_trial()
    system = trial.system
    size = f"{len(system.bodies)} bodies, {system.n} coordinates, {system.m} rows"
    print(f"{system.name}: {size}, {len(trial.measured)} frames;")
    print(f"every body displaced by {1e3 * POSITION_M:g} mm and {ANGLE_DEG:g}° (σ of each component).")
    print(
        f"{PASSES} passes in turns; {os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}.\n"
    )
    fit, ours = MarkerFit(trial), TargetFit(trial)
    timings = time_everything(trial, fit, ours)
    print_table(timings)
    print_quality(trial, fit, ours)
    print_targets(timings)
    print_kept_jacobians(trial)
    print_opensim()
    print_muscles()
    print_consistent_motion()
    print_inverse_dynamics()
    print_formulations()
    print_steps()
    print_growth(trial)
    print_signals()
    print_c3d()
    print_symbolic()
    print_startup()
    print_end_to_end()
    print_window()
    print_report_files()
    print(f"\nMeasured in {time.perf_counter() - begin:.0f} s.")


def time_everything(trial: Trial, fit: MarkerFit, ours: TargetFit) -> dict[str, Timing]:
    """Time all engines in turns, for one frame (one call of rnea)."""
    solver, projector = PositionSolver(trial.system), Projector(trial.system)
    q, frames = trial.consistent, len(trial.measured)
    qdot_star, qddot_star = trial.rates()
    qdot = projector.velocities(q, qdot_star).value
    rng = np.random.default_rng(66)

    def one_thread() -> None:
        for first in range(0, frames, LANES):  # as many frames as one thread takes at a time
            solver.solve(trial.measured[first : first + LANES])

    return interleaved(
        [
            Task(POSITION, lambda: solver.solve(trial.measured), frames),
            Task(ONE_THREAD, one_thread, frames),
            Task(VELOCITY, lambda: projector.velocities(q, qdot_star), frames),
            Task(ACCELERATION, lambda: projector.accelerations(q, qdot, qddot_star), frames),
            Task(DENSE, lambda: solve_positions_dense(trial.system, dense_sample(trial)), DENSE_FRAMES),
            Task(TARGETS, ours.fit, frames),
            Task(TARGETS_ALONE, lambda: ours.fit_in_batches(LANES), frames),
            Task(FIT, lambda: fit.fit(FIT_FRAMES), FIT_FRAMES),
            Task(RNEA, lambda: fit.inverse_dynamics(RNEA_CALLS, rng), RNEA_CALLS),
        ],
        PASSES,
    )


def dense_sample(trial: Trial) -> FloatArray:
    """Measured coordinates of a few frames spread over the trial."""
    return trial.measured[:: len(trial.measured) // DENSE_FRAMES][:DENSE_FRAMES]


def print_table(timings: dict[str, Timing]) -> None:
    """Milliseconds for a frame, cores at work, and ratios to ours."""
    ours, alone = timings[POSITION], timings[ONE_THREAD]
    print(f"{'':26}{'ms a frame':^18}{'cores':>7}{'time / position, all threads':>30}{'/ one thread':>14}")
    print(f"{'':26}{'best':>9}{'median':>9}{'':7}{'best':>20}{'median':>10}{'best':>14}")
    for timing in timings.values():
        ratios = timing.best / ours.best, timing.median / ours.median, timing.best / alone.best
        print(
            f"{timing.name:26}{1e3 * timing.best:9.4f}{1e3 * timing.median:9.4f}{timing.cores:7.2f}"
            f"{ratios[0]:20.3g}{ratios[1]:10.3g}{ratios[2]:14.3g}"
        )
    rnea = timings[RNEA]
    print(f"\nPinocchio rnea in a Python loop: {1e6 * rnea.best:.1f} µs a call ({1e6 * rnea.median:.1f} median).")


def print_quality(trial: Trial, fit: MarkerFit, targets: TargetFit) -> None:
    """Say what the times were good for: iterations, violations, agreement with the dense version, marker distance."""
    result = PositionSolver(trial.system).solve(trial.measured)
    dense, _, counts = solve_positions_dense(trial.system, dense_sample(trial))
    ours = PositionSolver(trial.system).solve(dense_sample(trial)).q
    _, distance, last = fit.fit(FIT_FRAMES)
    print(
        f"Position: {result.summary()} Iterations {result.iterations.mean():.1f} on average, {result.iterations.max()} "
        f"at most (dense {max(counts)});\n          worst ‖Φ‖ {result.violation.max():.1e}; "
        f"{np.abs(ours - dense).max():.1e} from the dense version."
    )
    fitted = targets.fit()
    print(
        f"Marker fit: {fitted.summary()} Iterations {fitted.iterations.mean():.1f} on average, "
        f"{fitted.iterations.max()} at most; last step {fitted.increment.max():.0e},\n          "
        f"worst ‖Φ‖ {fitted.violation.max():.1e}; 44 degrees of freedom, {len(targets.targets.names)} markers "
        f"{1e3 * targets.distance(fitted):.2f} mm away."
    )
    print(
        f"Pinocchio marker fit: {fit.model.nv} degrees of freedom, {fit.markers} markers, {ITERATIONS} Gauss-Newton "
        f"iterations; last step {last:.0e} rad, markers {1e3 * distance:.2f} mm away."
    )


def print_targets(timings: dict[str, Timing]) -> None:
    """Compare with what the project asks of the engine."""
    ours, alone, dense = timings[POSITION], timings[ONE_THREAD], timings[DENSE]
    ratio = dense.best / ours.best
    print(
        f"Target: position ≤ {TARGET_MS} ms a frame on two cores: {1e3 * ours.best:.3f} best, {1e3 * ours.median:.3f} "
        f"median: {_verdict(1e3 * ours.median <= TARGET_MS)}."
    )
    print(
        f"Target: position ≥ {TARGET_DENSE:g} times as fast as the dense version: {ratio:.0f} "
        f"({dense.best / alone.best:.0f} on one thread): {_verdict(ratio >= TARGET_DENSE)}."
    )


def _verdict(reached: bool) -> str:
    return "reached" if reached else "NOT REACHED"


def print_growth(trial: Trial) -> None:
    """Slopes in logarithms of processor time, and cost for one frame or body at every size."""
    frames = with_frames(trial, 5)
    ours, dense, preparation, iterations = with_bodies(5)
    print("\nGrowth of the cost (processor time, best of 5), as size^p; p = 1 is linear:")
    _print_line(frames, "µs a frame", 1e6, 1)
    _print_line(ours, "µs a frame and body", 1e6, CHAIN_FRAMES)
    _print_line(dense, "µs a frame and body", 1e6, 1)
    _print_line(preparation, "ms a body, once", 1e3, 1)
    print(
        f"  chains of {', '.join(map(str, ours.sizes))} rods took {', '.join(map(str, iterations))} iterations at most"
    )


def _print_line(growth: Growth, unit: str, scale: float, jobs: int) -> None:
    each = [f"{size}: {scale * s / jobs / size:.3g}" for size, s in zip(growth.sizes, growth.seconds, strict=True)]
    print(f"  {growth.name:20} p = {growth.exponent:.2f}   {unit}: {'  '.join(each)}")


def print_startup() -> None:
    """Seconds from the start of Python to the first results, with an empty cache of compiled code and a full one."""
    cold, warm = start_cold_and_warm()
    print("\nFirst results in a fresh process [s]:")
    for key in cold:
        print(f"  {key:20}{cold[key]:7.2f} compiling {warm[key]:7.2f} from the cache")


if __name__ == "__main__":
    main()
