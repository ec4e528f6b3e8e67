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


GRADES = (Grade.NOT_JUDGED, Grade.GOOD, Grade.CHECK, Grade.POOR)
"""From what says nothing to the worst."""


def worst_grade(grades: Iterable[Grade]) -> Grade:
    """Return the lowest of the grades that judge; not judged where none does."""
    return max(grades, key=GRADES.index, default=Grade.NOT_JUDGED)


class Scope(StrEnum):
    """What suffers from what a notice says, from little to all."""

    ASIDE = "aside"  # nothing that joint angles and loads rest on, such as EMG, or by less than they err anyway
    PART = "part"  # one marker, plate or segment
    JOINTS = "joints"  # angles or loads of a joint or a limb, as they are shown
    RECORDING = "recording"  # everything that is computed from the recording


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
    scope    : what suffers; a warning about the whole recording lowers trust in it, a problem takes it away
    """

    severity: Severity
    code: str
    sentence: str
    about: tuple[str, ...] = ()
    frames: tuple[int, int] | None = None
    scope: Scope = Scope.PART

    def __str__(self) -> str:
        return self.sentence

    @property
    def rank(self) -> tuple[int, int]:
        """Its importance, the greater the more: what it does to the numbers that are shown.

        First numbers that are wrong or missing (problems), then those to be checked (warnings), then what was put
        right, assumed or found (remarks). Among equals counts how much suffers: everything, a joint or limb, a part,
        nothing that angles and loads rest on. What was corrected with certainty is thus a remark, whatever was wrong
        with the file, and a doubt about a part is a warning of its joint where the joint itself was judged.
        """
        return list(Severity).index(self.severity), list(Scope).index(self.scope)

    @property
    def lowers_trust(self) -> bool:
        """Whether it lowers the trust in everything that is computed: to "check", and to "poor" if it is a problem."""
        return self.scope is Scope.RECORDING and self.severity is not Severity.INFO


def info(
    code: str, sentence: str, *about: str, frames: tuple[int, int] | None = None, scope: Scope = Scope.PART
) -> Notice:
    """Return a notice of a fact or an assumption."""
    return Notice(Severity.INFO, code, sentence, about, frames, scope)


def warning(
    code: str, sentence: str, *about: str, frames: tuple[int, int] | None = None, scope: Scope = Scope.PART
) -> Notice:
    """Return a notice that the result may suffer."""
    return Notice(Severity.WARNING, code, sentence, about, frames, scope)


def problem(
    code: str, sentence: str, *about: str, frames: tuple[int, int] | None = None, scope: Scope = Scope.PART
) -> Notice:
    """Return a notice that part of the result is missing or cannot be trusted."""
    return Notice(Severity.PROBLEM, code, sentence, about, frames, scope)


class WithNotices(Protocol):
    """A trial, a session or the result of a step."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a user should know about it."""


def gathered_notices(*results: WithNotices) -> tuple[Notice, ...]:
    """Notices of several trials and results, each once, the most important first and else in their order."""
    return ranked(notice for result in results for notice in result.notices)


def ranked(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Notices each once, the most important first; those of one kind stand together, else they keep their order."""
    once = tuple(dict.fromkeys(notices))
    kinds: dict[tuple[tuple[int, int], str], int] = {}
    for notice in once:
        kinds.setdefault((notice.rank, notice.code), len(kinds))
    return tuple(sorted(once, key=lambda one: (-one.rank[0], -one.rank[1], kinds[one.rank, one.code])))


def leading(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """At most three problems and warnings about angles and loads to read first, of different kinds if possible."""
    doubts = [one for one in ranked(notices) if one.severity is not Severity.INFO and one.scope is not Scope.ASIDE]
    firsts = {notice.code: notice for notice in reversed(doubts)}
    chosen = [notice for notice in doubts if firsts[notice.code] is notice]
    others = [notice for notice in doubts if firsts[notice.code] is not notice]
    return tuple((chosen + others)[:LEADING])


LEADING = 3  # notices that a reader is shown first
FIRST = ("Look at these first", "The most important of all.")
HEADINGS = {
    Severity.PROBLEM: ("Problems", "Part of the result is missing or cannot be trusted."),
    Severity.WARNING: ("Warnings", "The result may suffer; check these before drawing conclusions."),
    Severity.INFO: ("Remarks", "What was found, assumed and done along the way."),
}


@dataclass(frozen=True)
class NoticeGroup:
    """Notices under one heading; the severity is that of the most severe."""

    severity: Severity
    title: str
    meaning: str
    notices: tuple[Notice, ...]


def notice_groups(notices: Iterable[Notice]) -> tuple[NoticeGroup, ...]:
    """Groups that have notices, each notice once: the three to read first, if there are more, then by severity."""
    once = ranked(notices)
    first = leading(once)
    if sum(one.severity is not Severity.INFO for one in once) <= LEADING:
        first = ()
    groups = [NoticeGroup(first[0].severity, *FIRST, first)] if first else []
    for severity, (title, meaning) in HEADINGS.items():
        rest = tuple(one for one in once if one.severity is severity and one not in first)
        groups.append(NoticeGroup(severity, title, meaning, rest))
    return tuple(group for group in groups if group.notices)
