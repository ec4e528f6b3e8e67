"""From files to joint angles, against the time that the movement took: ``python -m benchmarks.end_to_end``.

A push-up of the virtual person, with noise, soft-tissue artefact, gaps, plates and EMG, is written as a laboratory
would hand it over. Then fresh processes import it and analyse it: the first with an empty cache of compiled code, the
second from that cache; the second one also analyses it again, as a program that is already open does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

CYCLES = 5
RATES_HZ = (100.0, 500.0)
UNTIL = "angles"


def print_end_to_end() -> None:
    """Seconds of every step, in a fresh process and again, beside the length of the movement."""
    print("\nFrom files to joint angles, seconds:")
    with tempfile.TemporaryDirectory(prefix="biomec-end-to-end-") as folder, tempfile.TemporaryDirectory() as cache:
        for rate in RATES_HZ:
            file, seconds = recorded(Path(folder) / f"{rate:g}", rate)
            runs = {}
            if rate == RATES_HZ[0]:
                runs["compiling"] = _process(file, cache)["first"]
            fresh = _process(file, cache)
            runs |= {"new process": fresh["first"], "program open": fresh["again"]}
            _print_runs(runs, f"push-up of {seconds:.1f} s at {rate:g} Hz", seconds)


def recorded(folder: Path, rate_hz: float) -> tuple[Path, float]:
    """Record a virtual push-up: its dynamic file, and how long the movement took [s]."""
    from biomec.virtual import DEMO, PushUp, record, write_acquisition

    options = replace(DEMO, rate_hz=rate_hz, plate_rate_hz=max(rate_hz, DEMO.plate_rate_hz))
    acquisition = record(PushUp(cycles=CYCLES), options=options)
    files = write_acquisition(acquisition, folder)
    return files["emt"], acquisition.dynamic.frames / rate_hz


def _process(file: Path, cache: str) -> dict[str, dict[str, float]]:
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.end_to_end", str(file)],
        env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        | {"BIOMEC_CACHE_DIR": cache},  # as installed: the first start keeps the bytecode of all sources
        capture_output=True,
        text=True,
        check=True,
    )
    times: dict[str, dict[str, float]] = json.loads(done.stdout)
    whole = time.perf_counter() - begin - sum(times["again"].values())
    times["first"]["Python and imports"] += whole - sum(times["first"].values())
    return times


def _print_runs(runs: dict[str, dict[str, float]], title: str, seconds: float) -> None:
    print(f"  {title:36}" + "".join(f"{name:>14}" for name in runs))
    for step in next(iter(runs.values())):
        print(f"    {step:34}" + "".join(f"{times.get(step, 0.0):14.2f}" for times in runs.values()))
    totals = [sum(times.values()) for times in runs.values()]
    print(f"    {'in all':34}" + "".join(f"{total:14.2f}" for total in totals))
    print(f"    {'movement / all':34}" + "".join(f"{seconds / total:14.1f}" for total in totals))


def _analyse(file: str) -> dict[str, float]:
    """Import and analyse a recording; seconds by step."""
    from biomec.io.session_import import import_session
    from biomec.pipeline.analysis import STEPS, Analysis
    from biomec.recording import Subject

    times = {}
    begin = time.perf_counter()
    analysis = Analysis(import_session(file, subject=Subject("Demo", "male", 75.0, 1.77)))
    times["reading the files"] = time.perf_counter() - begin
    for step in STEPS:
        begin = time.perf_counter()
        analysis = analysis.run(step.name)
        times[step.title] = time.perf_counter() - begin
        if step.name == UNTIL:
            break
    return times


def _main(file: str) -> None:
    begin = time.perf_counter()
    import biomec.io.session_import
    import biomec.pipeline.analysis  # noqa: F401

    imports = {"Python and imports": time.perf_counter() - begin}
    print(json.dumps({"first": imports | _analyse(file), "again": _analyse(file)}))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _main(sys.argv[1])
    else:
        print_end_to_end()
