"""Notices as a reader meets them: the most severe first, each group under a heading that says what to make of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from biomec.base.notices import Notice, Severity

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
