"""Open, analyse and close a small recording again and again in one window, and print what memory is left in use.

``python -m benchmarks.window_cycles 100``; with ``--json`` one line for a program. Every tenth of the cycles also
closes the whole window and opens another one.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import resource
import sys
import tempfile
from pathlib import Path
from time import monotonic, sleep

WARM = 4  # cycles that do not count for the growth, beside one with every figure: fonts, caches of Qt and VTK
ALLOWED_MB = 50.0  # for a hundred cycles


def resident_mb() -> float:
    """Memory of this process that is in use [MB]."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL("libc.so.6").malloc_trim(0)  # what is free already goes back to the system first
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def open_files() -> int:
    """Number of files, sockets and pipes that this process has open; 0 where the system does not tell."""
    listed = Path("/proc/self/fd")
    return len(os.listdir(listed)) if listed.is_dir() else 0


def run_cycles(count: int, folder: Path) -> tuple[list[float], list[int]]:
    """Memory after each cycle [MB], and open files."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    from PySide6.QtCore import QEvent
    from PySide6.QtWidgets import QApplication

    from biomec.io.session_import import import_session
    from biomec.pipeline.analysis import KINEMATICS, Analysis
    from biomec.virtual import RecordOptions, VirtualPerson, record, squat, write_acquisition
    from biomec_app.figures.registry import figures
    from biomec_app.figures.window import FigureWindow, open_figure
    from biomec_app.session.context import Context
    from biomec_app.session.preferences import Preferences
    from biomec_app.shell.main import application, wait
    from biomec_app.shell.main_window import MainWindow

    app = application()
    person = VirtualPerson()
    file = write_acquisition(record(squat(1), person, RecordOptions(noise_mm=0.5, seed=3)), folder)["emt"]
    kinds = figures()[:count]  # each is shown once before anything counts

    def work(seconds: float) -> None:
        end = monotonic() + seconds
        while monotonic() < end:
            app.processEvents()
            sleep(0.002)  # without it the window keeps Python from the work beside it

    def draw(figure: FigureWindow, seconds: float) -> None:
        """Let a figure be drawn, or be closed while it still is."""
        work(0.02)  # it begins with its choices
        end = monotonic() + seconds
        wait(app, lambda: monotonic() > end or not (figure.painter.busy or context.jobs.busy))

    def rest(context: Context) -> None:
        wait(app, lambda: not context.jobs.busy)

    def opened() -> MainWindow:
        window = MainWindow(Preferences(folder / "preferences.ini"))
        window.context.user.tell = lambda title, sentence: None
        window.resize(1000, 700)
        window.show()
        return window

    def closed(window: MainWindow) -> None:
        window.context.document.undo_stack.setClean()
        window.close()
        window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        work(0.02)

    memory: list[float] = []
    files: list[int] = []
    window = opened()
    for k in range(-1, count):
        context = window.context
        context.document.open(Analysis(import_session(file, subject=person.subject)))
        work(0.05)
        context.run_until(KINEMATICS)
        rest(context)
        for frame in range(0, context.document.frames, 25):
            context.document.set_frame(frame)
            app.processEvents()
        for kind in kinds if k < 0 else [kinds[k % len(kinds)]]:
            if kind.blocked(context.document.analysis) is None:
                figure = open_figure(context, kind)
                draw(figure, 0.3)
                figure.close()
                context.jobs.cancel()
                rest(context)
        work(0.05)
        context.document.undo_stack.setClean()
        context.document.close()
        work(0.02)
        if k % 10 == 9:
            closed(window)
            window = opened()
        gc.collect()
        if k >= 0:
            memory.append(resident_mb())
            files.append(open_files())
    closed(window)
    return memory, files


def slope(memory: list[float]) -> float:
    """Growth a cycle [MB], by the line through all cycles after the first ones that only warm up."""
    import numpy as np

    kept = memory[min(WARM, len(memory) // 3) :]
    return float(np.polyfit(range(len(kept)), kept, 1)[0]) if len(kept) > 2 else 0.0


def main() -> int:
    """Print the memory after every tenth cycle, and the growth."""
    parser = argparse.ArgumentParser(description="Open, analyse and close again and again.")
    parser.add_argument("count", type=int, nargs="?", default=100)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="biomec-cycles-") as folder:
        memory, files = run_cycles(options.count, Path(folder))
    if options.json:
        print(json.dumps({"memory_mb": memory, "slope_mb": slope(memory), "files": files}))
        return 0
    for k in range(9, len(memory), 10):
        print(f"after cycle {k + 1:4d}: {memory[k]:7.1f} MB")
    print(f"open files: {files[0]} after the first cycle, {files[-1]} after the last.")
    print(f"growth: {slope(memory):.3f} MB a cycle; {ALLOWED_MB:g} MB are allowed for a hundred.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
