"""Memory: what has been worked on goes, and what is free goes back to the system."""

import ctypes
import gc
import os
import sys
import threading
import weakref
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from biomec_app.kit.memory import give_back, own_garbage, share_memory
from biomec_app.kit.painter import Painter
from biomec_app.session.jobs import Jobs

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs the allocator of Linux")


def resident_bytes():
    return os.sysconf("SC_PAGE_SIZE") * int(Path("/proc/self/statm").read_text().split()[1])


@on_linux
def test_what_is_free_goes_back_to_the_system():
    """Blocks too small to be mapped by themselves stay in the pool when they are freed, under the last one in use."""
    library = ctypes.CDLL("libc.so.6")
    library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    size, count = 30_000, 2000
    blocks = [library.malloc(size) for _ in range(count)]
    for block in blocks:
        ctypes.memset(block, 1, size)
    for block in blocks[:-1]:
        library.free(block)
    before = resident_bytes()
    assert give_back()
    library.free(blocks[-1])
    assert before - resident_bytes() > 0.5 * size * count


@on_linux
def test_the_system_can_be_told_to_share_memory_between_threads():
    assert share_memory()


class Ring:
    def __init__(self):
        self.itself = self


def make_garbage():
    """More than enough for Python to search for it, in every thread that allocates so much."""
    return [weakref.ref(Ring()) for _ in range(5000)]


def test_closed_windows_end_in_the_windows_thread(qtbot, garbage):
    """A job's thread found a closed window by chance and destroyed it while Qt styled it: the program crashed."""

    class Closed(QWidget):
        pass

    ended_in = []
    closed = Closed()
    closed.itself = closed
    closed.destroyed.connect(lambda: ended_in.append(threading.get_ident()), Qt.ConnectionType.DirectConnection)
    del closed
    work = threading.Thread(target=make_garbage)
    work.start()
    work.join()
    assert not ended_in
    gc.collect(1)  # the window's own search, whichever is due
    assert ended_in == [threading.get_ident()]


def test_garbage_is_searched_without_being_asked(qtbot, garbage):
    assert not gc.isenabled()
    left = make_garbage()

    def searched():
        make_garbage()  # a window makes garbage all the time, and that is when it is searched
        return not any(one() for one in left)

    qtbot.waitUntil(searched)


def test_what_a_piece_of_work_leaves_is_searched_once_it_is_done(garbage):
    """The garbage of some figures was searched together, with all that a recording has, for up to 200 ms."""
    gc.collect()
    with own_garbage():
        left = make_garbage()
        garbage.look()
        assert all(one() for one in left)
    searched = []
    gc.callbacks.append(note := lambda phase, info: searched.append((phase, info["generation"])))
    try:
        garbage.look()
    finally:
        gc.callbacks.remove(note)
    assert not any(one() for one in left)
    assert searched == [("start", 0), ("stop", 0)]


@pytest.mark.parametrize("other", [False, True])
def test_finished_work_is_gone(qtbot, other):
    """A hundred figures and analyses left a hundred of them."""
    made = []

    class Value:
        pass

    def work(*_):
        value = Value()
        made.append(weakref.ref(value))
        return value

    workers = Painter() if other else Jobs()
    for k in range(3):
        if isinstance(workers, Painter):
            workers.paint(f"{k}", work, lambda value, fault: None)
            run = weakref.ref(workers._running)
        else:
            workers.start(f"{k}", work, lambda value: None)
            run = weakref.ref(workers._run)
        qtbot.waitUntil(lambda: not workers.busy, timeout=60_000)
        gc.collect()
        qtbot.waitUntil(lambda run=run: run() is None, timeout=60_000)
    assert len(made) == 3
    qtbot.waitUntil(lambda: not any(one() for one in made), timeout=60_000)
