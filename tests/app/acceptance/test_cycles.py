"""Opening, analysing and closing again and again neither fills the memory nor crashes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CYCLES = 16
ALLOWED_MB = 0.5  # a cycle: 50 MB for a hundred


@pytest.mark.slow
def test_cycles_leave_little_memory_in_use():
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "benchmarks.window_cycles", str(CYCLES), "--json"],
        cwd=ROOT, capture_output=True, text=True, timeout=290,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
    assert "Traceback" not in run.stderr, run.stderr[-3000:]
    found = json.loads(run.stdout.splitlines()[-1])
    assert len(found["memory_mb"]) == CYCLES
    assert found["slope_mb"] < ALLOWED_MB, found
