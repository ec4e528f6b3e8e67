"""How fast and how lean a long C3D file opens, beside ezc3d alone: five minutes, 100 markers, 40 analog channels.

``python -m benchmarks.c3d write|biomec|ezc3d FILE`` writes the file, or reads it and prints what that took.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

MINUTES, MARKERS, RATE_HZ = 5, 100, 200
CHANNELS, SAMPLES_PER_FRAME = 40, 5
TARGET_FASTER = 10.0  # times as fast as ezc3d
TARGET_MEMORY = 3.0  # times the file's size
MEGA = 1e6


@dataclass(frozen=True)
class C3dFigures:
    """Best times [s] and peak memory [bytes] of both readers, and the file's size."""

    size: int
    ours_s: float
    ezc3d_s: float
    ours_memory: int
    ezc3d_memory: int


def measure_c3d(passes: int = 3) -> C3dFigures:
    """Write the file to a temporary directory and read it in fresh processes, ours and ezc3d in turns."""
    with tempfile.TemporaryDirectory(prefix="biomec-bench-") as folder:
        path = Path(folder) / "long.c3d"
        _in_a_process("write", path)
        runs: dict[str, list[tuple[float, int]]] = {"biomec": [], "ezc3d": []}
        for _ in range(passes):
            for reader in runs:  # twice in a row: memory that another process has just given back is slow to come by
                runs[reader] += [_in_a_process(reader, path), _in_a_process(reader, path)]
        best = {reader: min(seconds for seconds, _ in found) for reader, found in runs.items()}
        peak = {reader: max(memory for _, memory in found) for reader, found in runs.items()}
        return C3dFigures(path.stat().st_size, best["biomec"], best["ezc3d"], peak["biomec"], peak["ezc3d"])


def write_long_file(path: Path) -> None:
    """A file with two plates, EMG, and markers that are hidden now and then."""
    from tests.oracles.c3d_bytes import c3d_bytes

    rng = np.random.default_rng(3)
    frames = MINUTES * 60 * RATE_HZ
    points = np.cumsum(rng.normal(scale=2.0, size=(frames, MARKERS, 3)), axis=0) + 1000.0
    words = np.where(rng.random((frames, MARKERS)) < 0.02, -1.0, 3.0)
    points[words < 0.0] = 0.0
    analog = rng.normal(scale=1e-3, size=(frames * SAMPLES_PER_FRAME, CHANNELS))
    analog[:, [2, 8]] = -700.0
    corner = np.array([[500.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 500.0, 0.0], [500.0, 500.0, 0.0]]).T
    signals = ["Fx", "Fy", "Fz", "Mx", "My", "Mz"]
    parameters = {
        ("FORCE_PLATFORM", "USED"): np.array(2),
        ("FORCE_PLATFORM", "TYPE"): np.array([2, 2]),
        ("FORCE_PLATFORM", "CORNERS"): np.stack([corner, corner + np.array([[600.0], [0.0], [0.0]])], axis=2),
        ("FORCE_PLATFORM", "ORIGIN"): np.array([[0.0, 0.0], [0.0, 0.0], [-40.0, -40.0]]),
        ("FORCE_PLATFORM", "CHANNEL"): np.arange(1, 13).reshape(2, 6).T,
        ("FORCE_PLATFORM", "CAL_MATRIX"): np.zeros((6, 6, 2)),
        ("FORCE_PLATFORM", "ZERO"): np.array([0, 0]),
        ("ANALOG", "LABELS"): [f"{s}{k}" for k in (1, 2) for s in signals] + [f"EMG {k}" for k in range(CHANNELS - 12)],
        ("ANALOG", "UNITS"): (["N"] * 3 + ["Nmm"] * 3) * 2 + ["V"] * (CHANNELS - 12),
    }
    path.write_bytes(
        c3d_bytes(
            points, words=words, analog=analog, samples_per_frame=SAMPLES_PER_FRAME, rate=RATE_HZ, parameters=parameters
        )
    )


def _in_a_process(reader: str, path: Path) -> tuple[float, int]:
    """Seconds and peak memory of a process that does nothing else."""
    command = [sys.executable, "-m", "benchmarks.c3d", reader, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, memory = json.loads(done.stdout)
    return float(seconds), int(memory)


def print_c3d() -> None:
    """Print the ratios and compare with what the project asks."""
    figures = measure_c3d()
    faster, memory = figures.ezc3d_s / figures.ours_s, figures.ours_memory / figures.size
    print(
        f"\nC3D of {MINUTES} min, {MARKERS} markers at {RATE_HZ} Hz, {CHANNELS} analog channels at "
        f"{RATE_HZ * SAMPLES_PER_FRAME} Hz ({figures.size / MEGA:.0f} MB), read whole in a fresh process:"
    )
    print(f"  biomec {figures.ours_s:6.2f} s, peak memory {memory:5.2f} × the file")
    print(f"  ezc3d  {figures.ezc3d_s:6.2f} s, peak memory {figures.ezc3d_memory / figures.size:5.2f} × the file")
    print(
        f"Target: ≥ {TARGET_FASTER:g} times as fast as ezc3d alone: {faster:.1f}: {_verdict(faster >= TARGET_FASTER)}."
    )
    print(f"Target: within {TARGET_MEMORY:g} × its size in memory: {memory:.2f}: {_verdict(memory <= TARGET_MEMORY)}.")


def _verdict(reached: bool) -> str:
    return "reached" if reached else "NOT REACHED"


def _peak_memory() -> int:
    """Most memory that this process ever held [bytes].

    On Linux getrusage starts with the peak of the parent process, the status file of the process does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return 1024 * int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _main() -> None:
    reader, path = sys.argv[1], sys.argv[2]
    if reader == "biomec":
        from biomec.io.c3d import read_c3d as read
    elif reader == "ezc3d":
        from ezc3d import c3d as read
    else:
        read = write_long_file
    begin = time.perf_counter()
    content = read(Path(path) if reader != "ezc3d" else path)
    seconds = time.perf_counter() - begin
    peak = _peak_memory()
    del content  # held until the memory was measured
    print(json.dumps([seconds, peak]))


if __name__ == "__main__":
    _main()
