"""Figures drawn beside the window leave nothing open."""

import os
import sys
import threading
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from biomec_app.kit.painter import Painter


def drawn():
    figure = Figure((1, 1))
    figure.text(0.5, 0.5, "joint angles")
    FigureCanvasAgg(figure).draw()
    return threading.get_ident()


def open_fonts():
    opened = [one for one in Path("/proc/self/fd").iterdir() if one.exists()]
    return sum(os.readlink(one).endswith(".ttf") for one in opened)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc which files are open")
def test_every_figure_left_files_of_fonts_open(qtbot):
    """Two hundred cycles of the window had 44 more files open: Matplotlib keeps fonts for every thread that drew."""
    painters, threads = [Painter() for _ in range(4)], []
    before = open_fonts()
    for painter in painters:  # all at once, so that each has a thread of its own
        painter.paint("figure", drawn, lambda value, fault: threads.append(fault or value))
    qtbot.waitUntil(lambda: not any(painter.busy for painter in painters), timeout=60_000)
    assert all(isinstance(one, int) for one in threads), threads
    assert len(set(threads)) == 4
    assert open_fonts() <= before
