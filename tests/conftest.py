"""Settings for every test: no screen, one thread for each numerical library, one language; and which tests are slow.

`tests/slow.txt` names the tests that take more than `SLOW_S` of processor time, with their seconds; `make slow` writes
it anew.
"""

import gc
import os
from collections import Counter
from collections.abc import Generator

import pytest
from hypothesis import settings

from biomec.base.system_libraries import DRAWING, apt_command, missing_packages
from tests.places import ROOT

# Before NumPy, Qt and VTK are imported. What the caller has set wins, so that tests can also run on a real screen.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
os.environ.setdefault("LC_ALL", "C.UTF-8")
os.environ.setdefault("PYTEST_QT_API", "pyside6")

# No limit of time for one example: machines are busy, and a first call may compile.
settings.register_profile("biomec", deadline=None)
settings.load_profile("biomec")

SLOW = ROOT / "tests" / "slow.txt"
SLOW_S = 0.5  # processor time of a test, with all its parameters together
# A new checkout has no compiled kernels. Workers begin here, so that each compiles others: those of an analysis, of
# following a movement, and of each kind of equations of motion; all files after them find every kernel compiled.
FIRST = (
    "tests/app/acceptance/test_every_item.py",
    "tests/core/body/tracking/test_tracking.py",
    "tests/core/engine/forward/test_formulations.py",
    "tests/core/engine/forward/test_independent.py",
    "tests/core/engine/forward/test_semi_recursive.py",
)
WORKER_BYTES = 4e9  # Qt, VTK and an analysis
BEGAN = pytest.StashKey[float]()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Say what is missing before pytest-qt loads Qt, which fails with a long trace of calls."""
    packages = missing_packages(DRAWING)
    if packages and config.pluginmanager.has_plugin("pytest-qt"):
        raise pytest.UsageError(
            "Qt and VTK cannot draw, because libraries of the system are missing. "
            f"On Debian or Ubuntu type: {apt_command(packages)}\n"
            "To test the library alone meanwhile: .venv/bin/pytest -p no:pytest-qt tests/core"
        )
    gc.disable()  # a search for garbage among modules that stay took two fifths of the time to collect all tests
    if config.getoption("find_slow") and "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(SlowTests())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker for each processor, as far as the memory allows."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not hasattr(os, "sysconf"):
        return processors
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(processors, int(memory / WORKER_BYTES)))


# ---------------------------------------------------------------------------------------------------------- slow tests


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--find-slow", action="store_true", help="measure every test and write tests/slow.txt anew")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow tests; workers take the files that last longest first, so that none is left for the end."""
    slow = slow_tests()
    for item in items:
        if _function(item.nodeid) in slow:
            item.add_marker(pytest.mark.slow)
    if "PYTEST_XDIST_WORKER" in os.environ:
        seconds: Counter[str] = Counter()
        for name, spent in slow.items():
            seconds[_file(name)] += spent
        places = {file: -1e6 + place for place, file in enumerate(FIRST)}
        files = {item.nodeid: _file(item.nodeid) for item in items}
        items.sort(key=lambda item: (places.get(files[item.nodeid], -seconds[files[item.nodeid]]), files[item.nodeid]))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every other worker collect from the end: in a new checkout each compiles half of the test modules."""
    report = yield
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if isinstance(collector, pytest.Directory) and int(worker.removeprefix("gw")) % 2:
        report.result.reverse()
    return report


def pytest_collection_finish() -> None:
    """Leave the test modules out of Python's search for garbage: half a million objects that stay until the end."""
    gc.collect()
    gc.freeze()
    gc.enable()


def slow_tests() -> dict[str, float]:
    """Slow tests and their processor time [s], over all parameters."""
    lines = (line.partition(" ") for line in SLOW.read_text(encoding="utf-8").splitlines())
    return {name: float(seconds or SLOW_S) for name, _, seconds in lines}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note the processor time of a phase of a test, with that of the programs it started [s]."""
    report = yield
    now = sum(os.times()[:4])
    report.processor_s = now - item.config.stash.get(BEGAN, now)
    item.config.stash[BEGAN] = now
    return report


class SlowTests:
    """Adds up the processor time of each test over its parameters, and writes the list."""

    def __init__(self) -> None:
        self._seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self._seconds[_function(report.nodeid)] += report.processor_s

    def pytest_sessionfinish(self) -> None:
        slow = sorted((name, seconds) for name, seconds in self._seconds.items() if seconds > SLOW_S)
        SLOW.write_text("".join(f"{name} {seconds:.1f}\n" for name, seconds in slow), encoding="utf-8")


def _function(nodeid: str) -> str:
    return nodeid.split("[")[0]


def _file(nodeid: str) -> str:
    return nodeid.split("::")[0]
