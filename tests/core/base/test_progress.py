"""Frame-parallel work: everything is done once, errors and cancelling stop it, threads can be chosen."""

import threading

import pytest

from biomec.base.progress import Cancelled, in_parallel, thread_count


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("frames", [0, 1, 7, 8, 50])
def test_every_frame_is_done_once(monkeypatch, threads, frames):
    monkeypatch.setenv("BIOMEC_THREADS", threads)
    done: list[int] = []
    lock = threading.Lock()

    def work(part: slice) -> None:
        with lock:
            done.extend(range(part.start, part.stop))

    seen: list[float] = []
    in_parallel(work, frames, 8, seen.append)
    assert sorted(done) == list(range(frames))
    assert seen == sorted(seen)
    assert seen[-1:] == ([1.0] if frames else [])


@pytest.mark.parametrize("threads", ["1", "2"])
def test_an_error_in_the_work_is_raised(monkeypatch, threads):
    monkeypatch.setenv("BIOMEC_THREADS", threads)

    def work(part: slice) -> None:
        raise ValueError(f"frame {part.start}")

    with pytest.raises(ValueError, match="frame"):
        in_parallel(work, 100, 8)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_cancelling_leaves_the_rest_undone(monkeypatch, threads):
    monkeypatch.setenv("BIOMEC_THREADS", threads)
    release = threading.Event()
    done: list[int] = []

    def work(part: slice) -> None:
        if part.start:
            release.wait(600.0)
        done.append(part.start)

    def stop(fraction: float) -> None:
        release.set()
        raise Cancelled("The user stopped the work.")

    with pytest.raises(Cancelled):
        in_parallel(work, 8 * 100, 8, stop)
    assert len(done) < 100


def test_thread_count(monkeypatch):
    monkeypatch.setenv("BIOMEC_THREADS", "5")
    assert thread_count() == 5
    monkeypatch.setenv("BIOMEC_THREADS", "many")
    assert thread_count() >= 1
