"""What a user should know about a result: said once, kept with the result, shown where the result is shown."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Severity(StrEnum):
    """How much a notice matters."""

    INFO = "info"  # a fact or an assumption worth knowing
    WARNING = "warning"  # the result may suffer
    PROBLEM = "problem"  # part of the result is missing or cannot be trusted


class Grade(StrEnum):
    """How far a result can be trusted. What cannot be judged is never shown as good, and lowers nothing else."""

    GOOD = "good"
    CHECK = "check"
    POOR = "poor"
    NOT_JUDGED = "not judged"


def worst_grade(grades: Iterable[Grade]) -> Grade:
    """Return the lowest of the grades that judge; not judged where none does."""
    order = (Grade.NOT_JUDGED, Grade.GOOD, Grade.CHECK, Grade.POOR)
    return max(grades, key=order.index, default=Grade.NOT_JUDGED)


@dataclass(frozen=True)
class Limit:
    """Up to ``good`` a figure is good, up to ``check`` it is to be checked, beyond it is poor (never, if infinite)."""

    good: float
    check: float

    def grade(self, value: float) -> Grade:
        """Grade of the size of a value; NaN is not judged."""
        if not math.isfinite(value):
            return Grade.NOT_JUDGED
        size = abs(value)
        return Grade.GOOD if size <= self.good else Grade.CHECK if size <= self.check else Grade.POOR


@dataclass(frozen=True)
class Notice:
    """One sentence about data or a result, and what it is about.

    code     : short name of the kind of notice, for programs (``gap-too-long``)
    sentence : what, where and what to do, in plain words
    about    : markers, plates, channels or segments concerned
    frames   : first and last frame concerned (counted from 0, inclusive), if it has such a stretch
    """

    severity: Severity
    code: str
    sentence: str
    about: tuple[str, ...] = ()
    frames: tuple[int, int] | None = None

    def __str__(self) -> str:
        return self.sentence


def info(code: str, sentence: str, *about: str, frames: tuple[int, int] | None = None) -> Notice:
    """Return a notice of a fact or an assumption."""
    return Notice(Severity.INFO, code, sentence, about, frames)


def warning(code: str, sentence: str, *about: str, frames: tuple[int, int] | None = None) -> Notice:
    """Return a notice that the result may suffer."""
    return Notice(Severity.WARNING, code, sentence, about, frames)


def problem(code: str, sentence: str, *about: str, frames: tuple[int, int] | None = None) -> Notice:
    """Return a notice that part of the result is missing or cannot be trusted."""
    return Notice(Severity.PROBLEM, code, sentence, about, frames)


class WithNotices(Protocol):
    """A trial, a session or the result of a step."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a user should know about it."""


def gathered_notices(*results: WithNotices) -> tuple[Notice, ...]:
    """Notices of several trials and results, each once, the most severe first and else in their order."""
    rank = list(Severity)
    once = dict.fromkeys(notice for result in results for notice in result.notices)
    return tuple(sorted(once, key=lambda notice: -rank.index(notice.severity)))


HEADINGS = {
    Severity.PROBLEM: ("Problems", "Part of the result is missing or cannot be trusted."),
    Severity.WARNING: ("Warnings", "The result may suffer; check these before drawing conclusions."),
    Severity.INFO: ("Remarks", "What was found, assumed and done along the way."),
}


@dataclass(frozen=True)
class NoticeGroup:
    """Notices of one severity."""

    severity: Severity
    title: str
    meaning: str
    notices: tuple[Notice, ...]


def notice_groups(notices: Iterable[Notice]) -> tuple[NoticeGroup, ...]:
    """Groups that have notices, in the order of `HEADINGS`; within a group each notice once, in its order."""
    once = tuple(dict.fromkeys(notices))
    groups = (
        NoticeGroup(severity, title, meaning, tuple(one for one in once if one.severity is severity))
        for severity, (title, meaning) in HEADINGS.items()
    )
    return tuple(group for group in groups if group.notices)
