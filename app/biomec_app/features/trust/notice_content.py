"""Notices for a list: which of them to show, where a click goes, and as text to copy. Knows no window."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from biomec.base.notices import HEADINGS, Notice, NoticeGroup, Severity, notice_groups
from biomec.pipeline.analysis import Analysis


@dataclass(frozen=True)
class Target:
    """Where a notice leads: a frame, a segment, a point; None for none."""

    frame: int | None = None
    segment: str | None = None
    point: str | None = None

    @property
    def leads_anywhere(self) -> bool:
        """Whether a click does anything."""
        return self != Target()


def counts(notices: Iterable[Notice]) -> dict[Severity, int]:
    """Severity -> number of notices, the most severe first; each notice counts once."""
    once = tuple(dict.fromkeys(notices))
    return {severity: sum(one.severity is severity for one in once) for severity in HEADINGS}


def shown(notices: Iterable[Notice], severities: Collection[Severity], text: str = "") -> tuple[NoticeGroup, ...]:
    """Groups of the notices of these severities that hold all words of a text."""
    words = text.lower().split()
    kept = [
        one
        for one in notices
        if one.severity in severities
        and all(word in f"{one.sentence} {one.code} {' '.join(one.about)}".lower() for word in words)
    ]
    return notice_groups(kept)


def kinds(notices: Iterable[Notice]) -> list[list[Notice]]:
    """Notices of one code together, in the order of their first."""
    found: dict[str, list[Notice]] = {}
    for notice in notices:
        found.setdefault(notice.code, []).append(notice)
    return list(found.values())


def target(analysis: Analysis, notice: Notice) -> Target:
    """Where to look: the first frame of its stretch, and the first segment or point that it is about."""
    frames = analysis.session.dynamic.frames
    frame = None if notice.frames is None else min(max(0, notice.frames[0]), max(0, frames - 1))
    segments: Collection[str] = ()
    points = set(analysis.session.dynamic.markers.names)
    joints: dict[str, str] = {}
    if "body" in analysis.done:
        body = analysis.body.person
        segments = {segment.name for segment in body.segments}
        points |= set(body.static)
        joints = {joint.name: joint.centre for joint in body.model.joints}
    if "signals" in analysis.done:
        points |= set(analysis.signals.markers.names)
    segment = next((name for name in notice.about if name in segments), None)
    point = next((joints.get(name, name) for name in notice.about if name in points or name in joints), None)
    return Target(frame, segment, None if segment else point)


def frame_words(analysis: Analysis, notice: Notice) -> str:
    """Frames of a notice by the numbers of the file; "" if it has none."""
    if notice.frames is None:
        return ""
    first, last = (analysis.session.dynamic.first_frame + frame for frame in notice.frames)
    return f"frame {first}" if first == last else f"frames {first}–{last}"


def as_text(groups: Iterable[NoticeGroup]) -> str:
    """Notices as text, under their headings."""
    parts = []
    for group in groups:
        lines = "\n".join(f"- {one.sentence}" for one in group.notices)
        parts.append(f"{group.title} ({len(group.notices)}). {group.meaning}\n{lines}")
    return "\n\n".join(parts) + ("\n" if parts else "")
