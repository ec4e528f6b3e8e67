"""Trust at a glance: how well a movement fits the model, in one sentence, and where it fits worst."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Severity, ranked
from biomec.body.kinematics.consistency_notices import LARGE_RESIDUAL, LARGE_SHIFT, LARGEST_RESIDUAL
from biomec.body.kinematics.consistent_motion import ConsistentPositions
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.frame_map import frame_map, longest_stretch, solved
from biomec.reporting.facts import constraint_words, count_notices, finite_mean, finite_rms, motion_facts
from biomec.reporting.statistics.recording_quality import DistanceSpread, spreads
from biomec.signals.reconstruction import SampleOrigin

MILLIMETRE = 1e3
FEW = 0.9  # share of solved frames below which a movement is not to be used
MUCH_INTERPOLATED = 0.1  # share of frames with interpolated or lost markers that is a finding


class Level(StrEnum):
    """How far the result can be trusted."""

    GOOD = "good"
    CHECK = "check"
    POOR = "poor"


@dataclass(frozen=True)
class Finding:
    """Something worth looking at.

    title   : what it is, such as "Worst marker"
    words   : what it is called, such as "AuxP_E"
    detail  : how bad it is
    frames  : first and last frame to look at, counted from 0; None if it is all of them
    marker, landmark, segment : what to select; None for none
    """

    title: str
    words: str
    detail: str
    frames: tuple[int, int] | None = None
    marker: str | None = None
    landmark: str | None = None
    segment: str | None = None

    @property
    def frame(self) -> int | None:
        """The frame to show: the middle of the stretch."""
        return None if self.frames is None else (self.frames[0] + self.frames[1]) // 2


@dataclass(frozen=True)
class SegmentFit:
    """Distance of all markers of a segment together from the model's, over the solved frames [m]."""

    name: str
    rms: float
    largest: float


@dataclass(frozen=True)
class TypeViolation:
    """Mean violation of a row of one type of constraint, in the unit of the row, as measured and consistent."""

    kind: str
    words: str
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class Trust:
    """Everything that one screen shows. Lengths in metres, frames counted from 0.

    level, verdict : how far it can be trusted, and why in one or two sentences
    reasons        : everything that speaks against it; empty if it is good
    markers        : distance from the measured marker to the model's over the solved frames, the worst first
    segments       : the same for all markers of a segment together
    landmarks      : how far landmarks were moved to obey the model, the worst first
    violations     : by type of constraint
    fit            : (T,) root mean square distance of the markers in every frame [m]; NaN where not solved
    touching, contact : (K,) segments, and (T, K) whether they rest on the ground
    findings       : worst marker, segment, landmark, constraint and stretch of frames
    """

    level: Level
    verdict: str
    reasons: tuple[str, ...]
    markers: tuple[DistanceSpread, ...]
    segments: tuple[SegmentFit, ...]
    landmarks: tuple[DistanceSpread, ...]
    violations: tuple[TypeViolation, ...]
    fit: FloatArray
    touching: tuple[str, ...]
    contact: BoolArray
    findings: tuple[Finding, ...]


def trust(analysis: Analysis) -> Trust:
    """Judge the movement that kinematic consistency found.

    Only samples that cameras measured count for markers: a rebuilt one fits by construction.
    """
    if solved(analysis) is None:
        raise BiomecError('There is nothing to judge yet. Run "Consistent Positions" first.')
    return analysis.derived(_trust)


def _trust(analysis: Analysis) -> Trust:
    positions = solved(analysis)
    assert positions is not None
    valid, residual = positions.valid, positions.marker_residual
    markers = spreads(positions.markers, residual, valid)
    landmarks = spreads(positions.landmarks, positions.distance, valid)
    segments = _by_segment(analysis, positions, residual)
    fit = np.where(valid, finite_rms(residual, axis=1), np.nan)
    mapped = frame_map(analysis)
    level, verdict, reasons = _judged(analysis, positions, markers, landmarks, residual)
    return Trust(
        level,
        verdict,
        reasons,
        markers,
        segments,
        landmarks,
        tuple(
            TypeViolation(
                kind,
                constraint_words(kind),
                finite_mean(before[valid]),
                finite_mean(positions.position.after[kind][valid]),
            )
            for kind, before in positions.position.before.items()
        ),
        fit,
        mapped.touching,
        mapped.contact,
        _findings(analysis, positions, residual, fit, markers, segments, landmarks),
    )


# ------------------------------------------------------------------------------------------------------------- verdict
def _judged(
    analysis: Analysis,
    positions: ConsistentPositions,
    markers: tuple[DistanceSpread, ...],
    landmarks: tuple[DistanceSpread, ...],
    residual: FloatArray,
) -> tuple[Level, str, tuple[str, ...]]:
    facts = motion_facts(positions)
    solved_, total, rms = facts["solved"].value, facts["frames"].value, facts["marker_rms"].value
    if not solved_:
        sentence = f"None of the {total} frames obeys the model."
        return Level.POOR, f"Not to be used. {sentence}", (sentence,)
    faults = [notice for notice in ranked(analysis.notices) if notice.lowers_trust]
    reasons = [notice.sentence for notice in faults]
    if solved_ < total:
        reasons.append(f"{total - solved_} of {total} frames do not obey the model.")
    if rms > MILLIMETRE * LARGE_RESIDUAL:
        reasons.append(
            f"Markers are {rms:.0f} mm (rms) from the model; up to {MILLIMETRE * LARGE_RESIDUAL:.0f} is usual."
        )
    far = [one.name for one in markers if one.rms > LARGE_RESIDUAL]
    if far:
        reasons.append(f"{_named(far)} {_is(far)} more than {MILLIMETRE * LARGE_RESIDUAL:.0f} mm (rms) from the model.")
    leaping = [one.name for one in markers if one.largest > LARGEST_RESIDUAL and one.name not in far]
    if leaping:
        reasons.append(
            f"{_named(leaping)} {_is(leaping)} more than {MILLIMETRE * LARGEST_RESIDUAL:.0f} mm off in some frame."
        )
    moved = [one.name for one in landmarks if one.mean > LARGE_SHIFT]
    if moved:
        reasons.append(f"{_named(moved)} had to move by more than {MILLIMETRE * LARGE_SHIFT:.0f} mm on average.")
    mapped = frame_map(analysis)
    guessed = (
        float(np.mean(np.isin(mapped.origin, (SampleOrigin.INTERPOLATED, SampleOrigin.MISSING)).any(axis=1)))
        if mapped.frames
        else 0.0
    )
    if guessed > MUCH_INTERPOLATED:
        reasons.append(f"In {100.0 * guessed:.0f} % of the frames a marker was interpolated or is missing.")
    problems = count_notices(analysis, Severity.PROBLEM) - sum(one.severity is Severity.PROBLEM for one in faults)
    if problems and solved_ == total:
        reasons.append(f"The notices name {problems} problem{'s' if problems > 1 else ''}.")
    frames = (
        f"all {total} frames obey the model" if solved_ == total else f"{facts['solved'].text} frames obey the model"
    )
    fit = f"markers are {rms:.1f} mm (rms) from it" if np.isfinite(rms) else "it was not compared with markers"
    fitting = f"{frames[0].upper()}{frames[1:]}, and {fit}."
    impossible = any(notice.severity is Severity.PROBLEM for notice in faults)
    if impossible or solved_ < FEW * total or rms > MILLIMETRE * LARGE_RESIDUAL:
        return Level.POOR, f"Not to be trusted as it is. {fitting}", tuple(reasons)
    if reasons:
        return Level.CHECK, f"Check before use. {fitting}", tuple(reasons)
    return Level.GOOD, f"A good fit. {fitting}", ()


def _named(names: list[str]) -> str:
    return (
        names[0]
        if len(names) == 1
        else f"{', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''}"
    )


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


# ---------------------------------------------------------------------------------------------------------- worst parts
def _findings(
    analysis: Analysis,
    positions: ConsistentPositions,
    residual: FloatArray,
    fit: FloatArray,
    markers: tuple[DistanceSpread, ...],
    segments: tuple[SegmentFit, ...],
    landmarks: tuple[DistanceSpread, ...],
) -> tuple[Finding, ...]:
    found: list[Finding] = []
    failed = longest_stretch(~positions.valid)
    first = analysis.session.dynamic.first_frame
    if failed is not None:
        why = f"{int((~positions.valid).sum())} frames in all"
        found.append(Finding("Not solved", _frames(failed, first), why, failed))
    if markers:
        one = markers[0]
        course = residual[:, positions.markers.index(one.name)]
        found.append(
            Finding("Worst marker", one.name, _distance(one), _around_peak(np.where(positions.valid, course, np.nan)),
                    marker=one.name, segment=analysis.body.person.followed.get(one.name))
        )  # fmt: skip
    if segments:
        worst = segments[0]
        course = finite_rms(residual[:, _columns(analysis, positions, worst.name)], axis=1)
        frames = _around_peak(np.where(positions.valid, course, np.nan))
        found.append(Finding("Worst segment", worst.name, _distance(worst), frames, segment=worst.name))
    stretch = _around_peak(fit)
    if stretch is not None:
        here = MILLIMETRE * float(np.nanmax(fit))
        usual = MILLIMETRE * float(np.nanmedian(fit))
        words = f"{here:.1f} mm rms, else {usual:.1f}"
        found.append(Finding("Worst stretch", _frames(stretch, first), words, stretch))
    if landmarks:
        one = landmarks[0]
        course = positions.distance[:, positions.landmarks.index(one.name)]
        frames = _around_peak(np.where(positions.valid, course, np.nan))
        words = f"{MILLIMETRE * one.mean:.1f} mm on average, at most {MILLIMETRE * one.largest:.1f}"
        found.append(Finding("Moved most", one.name, words, frames, landmark=one.name))
    return tuple(found)


def _distance(one: DistanceSpread | SegmentFit) -> str:
    return f"{MILLIMETRE * one.rms:.1f} mm rms from the model, at most {MILLIMETRE * one.largest:.1f}"


def _frames(stretch: tuple[int, int], first_frame: int) -> str:
    begin, end = first_frame + stretch[0], first_frame + stretch[1]
    return f"frame {begin}" if begin == end else f"frames {begin} to {end}"


def _around_peak(course: FloatArray) -> tuple[int, int] | None:
    """First and last frame around the largest value in which ``course`` (T,) stays above halfway to its median."""
    if not np.isfinite(course).any():
        return None
    peak, level = int(np.nanargmax(course)), 0.5 * (float(np.nanmax(course)) + float(np.nanmedian(course)))
    below = np.flatnonzero(~(course >= level))  # what has no number ends a stretch too
    place = int(np.searchsorted(below, peak))
    first = int(below[place - 1]) + 1 if place else 0
    last = int(below[place]) - 1 if place < len(below) else len(course) - 1
    return first, max(first, last)


def _columns(analysis: Analysis, positions: ConsistentPositions, segment: str) -> list[int]:
    followed = analysis.body.person.followed
    return [k for k, name in enumerate(positions.markers) if followed.get(name) == segment]


def _by_segment(analysis: Analysis, positions: ConsistentPositions, residual: FloatArray) -> tuple[SegmentFit, ...]:
    """Fit of the segments that have markers, the worst first."""
    there, found = residual[positions.valid], []
    for segment in positions.segments:  # a loop over segments, of which there are few
        together = there[:, _columns(analysis, positions, segment)]
        if np.isfinite(together).any():
            found.append(SegmentFit(segment, float(finite_rms(together)), float(np.nanmax(together))))
    return tuple(sorted(found, key=lambda one: -one.rms))
