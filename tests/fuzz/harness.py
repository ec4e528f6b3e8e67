"""One damaged file after another: what is not one of our own errors, takes too long or too much memory is a finding."""

import resource
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import numpy as np

from tests.fuzz.targets import OURS, TARGETS, Target

MOST_S = 10.0  # processor time for one file
MOST_BYTES = 1 << 30  # memory that a file of some kilobytes may take


class TooSlow(BaseException):
    """A file took more processor time than it may."""


@dataclass(frozen=True)
class Finding:
    """A file that is not refused with a sentence.

    number : together with the seed it names the input
    what   : type and first line of the error, or "too much memory"
    """

    target: str
    number: int
    what: str
    content: bytes


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlow(f"more than {seconds:g} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def _peak() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def tried(target: Target, content: bytes, folder: Path) -> str:
    """What is wrong with how a file is met; nothing if it is read or refused with a sentence."""
    path = folder / f"damaged{target.suffix}"
    path.write_bytes(content)
    before = _peak()
    try:
        with _limited(MOST_S), warnings.catch_warnings():
            warnings.simplefilter("error")
            target.use(path)
    except OURS as error:
        if not str(error).strip():
            return "an error without a sentence"
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = "" if where is None else f" at {Path(where.tb_frame.f_code.co_filename).name}:{where.tb_lineno}"
        return f"{type(error).__name__}{place}: {str(error)[:120]}"
    grown = _peak() - before
    return f"too much memory ({grown >> 20} MB)" if grown > MOST_BYTES else ""


def made(target: Target, seed: int, number: int) -> bytes:
    """The input of a number, always the same for one seed."""
    rng = np.random.default_rng([seed, number])
    seeds = target.seeds()
    return target.damage(seeds[int(rng.integers(len(seeds)))], rng)


def fuzz(
    numbers: Sequence[int], seed: int, targets: Sequence[Target] = TARGETS,
    report: Callable[[int, list[Finding]], None] | None = None,
) -> list[Finding]:  # fmt: skip
    """Findings among the inputs of these numbers; the targets take turns. Of one kind of fault the first is kept."""
    found: list[Finding] = []
    kinds: set[tuple[str, str]] = set()
    with tempfile.TemporaryDirectory(prefix="biomec-fuzz-") as name:
        for count, number in enumerate(numbers, 1):
            target = targets[number % len(targets)]
            content = made(target, seed, number)
            what = tried(target, content, Path(name))
            if what and (target.name, what[:40]) not in kinds:
                kinds.add((target.name, what[:40]))
                found.append(Finding(target.name, number, what, content))
            if report is not None:
                report(count, found)
    return found


def shrunk(finding: Finding, tries: int = 400) -> bytes:
    """A smaller file with the same kind of fault: pieces are left out as long as it stays."""
    target = next(one for one in TARGETS if one.name == finding.target)
    kind = finding.what.split(":")[0]
    content = finding.content
    with tempfile.TemporaryDirectory(prefix="biomec-fuzz-") as name:
        piece = max(1, len(content) // 2)
        while piece and tries > 0:
            at = 0
            while at < len(content) and tries > 0:
                tries -= 1
                smaller = content[:at] + content[at + piece :]
                if tried(target, smaller, Path(name)).split(":")[0] == kind:
                    content = smaller
                else:
                    at += piece
            piece //= 2
    return content
