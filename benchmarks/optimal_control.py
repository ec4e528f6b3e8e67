"""Print the seven published cases of optimal control [Silva2007], their variants, and shooting beside them.

`python -m benchmarks.optimal_control` takes some minutes. Every line is a cold start, its path audited by a second
integration.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from biomec.machines.machine import load_machine
from biomec.machines.optimal_control.continuation import aligned
from biomec.machines.studies import study
from biomec.machines.study import Run, options_from

PATH = "gap_x_D; gap_y_D; gap_rate_x_D; gap_rate_y_D; rate_crank - 2*pi"
HEAD = ["case", "K", "C", "g", "limit", "N", "status", "published", "elsewhere", "J", "l_max/limit", "speed off"]
HEAD += ["peaks", "iterations", "s"]


@dataclass(frozen=True)
class Line:
    """A case: motors, tie, gravity, limit of the path, intervals; published J and one that was converged elsewhere."""

    name: str
    motors: str
    K: float
    C: float
    g: float
    limit: float
    published: str = "–"
    elsewhere: str = "–"
    intervals: int = 100


LINES = (
    Line("1", "A,B,C", 0.0, 0.0, 9.81, 1e-5, "7.51e4", "7.472e4"),
    Line("2", "A,B,C", 1e3, 0.0, 4.0, 1e-3, "4.36e4", "3.98e4"),
    Line("2, run 004", "A,B,C", 1e5, 0.0, 9.81, 1e-3, "4.09e4", "1.52e4"),
    Line("2, run 009", "A,B,C", 1e5, 0.0, 9.81, 1e-2, "2.35e4", "4.49e3"),
    Line("2, run 008", "A,B,C", 1e5, 0.0, 9.81, 1e-1, "9.35e3", "2.97e3"),
    Line("3", "A", 0.0, 0.0, 9.81, 1e-3, "fails", "–", 20),
    Line("4", "A", 1e7, 0.0, 0.0, 0.1, "1.07e4", "–", 150),
    Line("5, run 033", "A", 5e4, 1e4, 9.81, 0.1, "9.58e3", "7.42e3-7.48e3"),
    Line("5", "A", 5e6, 1e6, 9.81, 0.1, "9.69e3", "7.52e3"),
    Line("5, narrow", "A", 5e6, 1e6, 9.81, 1e-3, "–", "9.93e3"),
    Line("6", "A,B", 5e4, 1e4, 9.81, 0.1, "4.27e3", "3.41e3-3.42e3"),
    Line("6, runs 032, 033", "A,B", 5e4, 1e4, 9.81, 0.02, "5.15e3", "3.93e3"),
    Line("6, run 028", "A,B", 5e4, 1e4, 9.81, 0.01, "5.85e3", "4.07e3"),
    Line("6, stiff", "A,B", 5e6, 1e6, 9.81, 1e-3, "–", "4.35e3"),
    Line("7", "A,B,C", 1e5, 1e3, 9.81, 1e-4, "3.34e4", "2.82e4"),
    Line("7, run 010", "A,B,C", 1e5, 1e3, 9.81, 1e-3, "5.36e4", "1.49e4"),
    Line("7, run 005", "A,B,C", 1e5, 1e4, 9.81, 1e-3, "2.21e4", "6.17e3"),
    Line("7, run 009", "A,B,C", 1e5, 1e3, 9.81, 0.1, "1.45e4", "2.94e3"),
    Line("7, stiff", "A,B,C", 5e6, 1e6, 9.81, 1e-3, "–", "3.75e3"),
    Line("7, stiff, narrow", "A,B,C", 5e6, 1e6, 9.81, 1e-4, "–", "3.84e3"),
)
SHOOTING = (
    Line("6, shooting", "A,B", 5e4, 1e4, 9.81, 0.1, "4.27e3", "3.41e3-3.42e3", 50),
    Line("5, shooting", "A", 5e4, 1e4, 9.81, 0.1, "9.58e3", "7.42e3-7.48e3", 50),
    Line("7, shooting", "A,B,C", 1e5, 1e3, 9.81, 0.1, "1.45e4", "2.94e3", 50),
)


def solved(line: Line, **options: object) -> Run:
    """Answer of the study for a line."""
    machine = load_machine("tied-triple-pendulum", {"K": line.K, "C": line.C, "g": line.g})
    optimal = study("optimal-control")
    choices = {"motors": line.motors, "path": PATH, "limit": line.limit, "intervals": line.intervals}
    return optimal.run(machine, options_from(optimal, {**choices, **options}), None)


def cells(line: Line, run: Run, seconds: float) -> list[str]:
    """A row of the table."""
    found = run.figures
    status = run.text.splitlines()[-1].split()[2]
    names = [
        key.removeprefix("torque_").removesuffix("_max_Nm") for key in found if key.count("_") == 3 and "max" in key
    ]
    peaks = "; ".join(f"{found[f'torque_{one}_max_Nm']:.0f}/{found[f'torque_{one}_min_Nm']:.0f}" for one in names)
    if not run.succeeded:
        peaks = "–"
    return [line.name, f"{line.K:g}", f"{line.C:g}", f"{line.g:g}", f"{line.limit:g}", str(line.intervals), status,
            line.published, line.elsewhere, f"{found['cost']:.5g}" if run.succeeded else "–",
            f"{found['path_max'] / line.limit:.3f}", f"{found['path_last_deviation']:.3g}", peaks,
            f"{found['iterations']:.0f}", f"{seconds:.1f}"]  # fmt: skip


def main() -> None:
    """Solve everything and print one table, then the published chain of gravities."""
    rows = [HEAD]
    for lines, options in (
        (LINES, {}),
        (SHOOTING, {"method": "shooting", "integrator": "implicit", "tolerance": 1e-6}),
    ):
        for line in lines:
            begin = time.perf_counter()
            run = solved(line, **options)
            rows.append(cells(line, run, time.perf_counter() - begin))
            print(rows[-1], flush=True)
    print("\n" + aligned(rows) + "\n")
    machine, preset = load_machine("tied-triple-pendulum").with_preset("continuation")
    optimal = study("optimal-control")
    print(optimal.run(machine, options_from(optimal, preset.options), None).text)


if __name__ == "__main__":
    main()
