"""Labels that change places, seen in the paths of the markers in time.

Where two labels are exchanged, both markers leap at once, each onto the path of the other. This needs no segment, so it
finds what distances cannot: the only two markers of a segment, mirror images, markers of neighbouring segments.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.recording import Markers
from biomec.signals.stretches import stretches

LONGEST_BASE = 5  # frames from which a velocity is taken: as many as lie ahead, so that noise is not blown up

BACK = 0.4  # markers that have leapt may leap back where they are nearer to each other: fraction of the limit


@dataclass(frozen=True)
class LeapOptions:
    """When two markers leap onto each other's path.

    leap_m : each lands further than this from where its own path leads [m]
    remedy : and nearer to where the other's path leads, by this fraction
    gap_s  : a path is drawn on over gaps up to this long [s]
    """

    leap_m: float = 0.025
    remedy: float = 0.35
    gap_s: float = 0.1


@dataclass(frozen=True)
class ExchangedPaths:
    """Two markers (columns) on each other's path from ``first`` to ``last`` (inclusive).

    own_m, other_m : mean distance from where their own path and the other's lead, where they leap [m]
    """

    pair: tuple[int, int]
    first: int
    last: int
    own_m: float
    other_m: float


@dataclass(frozen=True)
class _Leap:
    """At ``frame`` the markers of a pair change places."""

    frame: int
    pair: tuple[int, int]
    own_m: float
    other_m: float


def exchanged_paths(markers: Markers, options: LeapOptions = LeapOptions()) -> tuple[ExchangedPaths, ...]:
    """Stretches between the leaps of two markers. Leaps do not say which side of them is right: the longer one is."""
    by_pair: dict[tuple[int, int], list[_Leap]] = {}
    for leap in _leaps(markers, options):
        by_pair.setdefault(leap.pair, []).append(leap)
    found = []
    for pair, leaps in by_pair.items():
        turned = np.zeros(markers.frames, dtype=np.int64)
        turned[[leap.frame for leap in leaps]] = 1
        wrong = np.asarray(np.cumsum(turned) % 2 == 1)
        if 2 * wrong.sum() > markers.frames:
            wrong = np.logical_not(wrong)
        own, other = (float(np.mean(values)) for values in zip(*((e.own_m, e.other_m) for e in leaps), strict=True))
        found += [ExchangedPaths(pair, first, stop - 1, own, other) for first, stop in stretches(wrong).tolist()]
    return tuple(sorted(found, key=lambda one: (one.first, one.pair)))


def _leaps(markers: Markers, options: LeapOptions) -> list[_Leap]:
    """All leaps in the order of time. Each is undone from its frame on, so that the next is seen on straight paths."""
    p = markers.p_WM.copy()
    longest = max(1, round(options.gap_s * markers.rate_hz) + 1)
    expected = _expected(p, longest)
    own = np.linalg.norm(p - expected, axis=2)
    limit_m = np.full(p.shape[1], options.leap_m)
    found: list[_Leap] = []
    waiting = _crowded(own, limit_m, 0)
    while len(waiting):  # one frame after the other, but only those in which at least two markers leap
        frame, waiting = int(waiting[0]), waiting[1:]
        leap = _best_pair(p[frame], expected[frame], own[frame], limit_m, frame, options.remedy)
        if leap is None:
            continue
        found.append(leap)
        both = list(leap.pair)
        p[frame:, both] = p[frame:, both[::-1]]
        expected[:, both] = _expected(p[:, both], longest)
        own[:, both] = np.linalg.norm(p[:, both] - expected[:, both], axis=2)
        limit_m[both] = BACK * options.leap_m
        waiting = _crowded(own, limit_m, frame)  # this frame again: other pairs may leap in it too
    return found


def _crowded(own: FloatArray, limit_m: FloatArray, start: int) -> IntArray:
    """Frames from ``start`` on in which at least two markers leap."""
    return np.asarray(start + np.flatnonzero((own[start:] > limit_m).sum(axis=1) >= 2))


def _best_pair(
    p: FloatArray, expected: FloatArray, own: FloatArray, limit_m: FloatArray, frame: int, remedy: float
) -> _Leap | None:
    """The two markers of one frame that land nearest to each other's expected place (M, 3), if any do."""
    leaping = np.flatnonzero(own > limit_m)  # NaN compares as no leap
    off = np.linalg.norm(p[leaping, None] - expected[None, leaping], axis=2)  # (L, L): marker, path of the other
    best, least = None, remedy
    for i, j in combinations(range(len(leaping)), 2):
        a, b = int(leaping[i]), int(leaping[j])
        ratio = max(off[i, j] / own[a], off[j, i] / own[b])
        if ratio < least:
            least = ratio
            best = _Leap(frame, (a, b), float(own[a] + own[b]) / 2.0, float(off[i, j] + off[j, i]) / 2.0)
    return best


def _expected(p: FloatArray, longest: int) -> FloatArray:
    """(T, M, 3) where each marker should be by its path before: x(s) + (t − s) v, with s the frame it was last seen.

    The velocity v is taken over as many frames before s as lie between s and t (at most five); a marker that was not
    seen then is expected where it was. NaN if it was last seen more than ``longest`` frames before, or never.
    """
    frames, count = p.shape[:2]
    visible: BoolArray = np.isfinite(p[..., 0])
    t = np.arange(frames)[:, None]
    seen = np.maximum.accumulate(np.where(visible, t, -1), axis=0)
    last = np.concatenate([np.full((1, count), -1), seen[:-1]]) if frames else seen
    ahead = t - last
    base = np.minimum(ahead, LONGEST_BASE)
    before = last - base
    columns = np.arange(count)[None]
    here, there = p[np.maximum(last, 0), columns], p[np.maximum(before, 0), columns]
    moving = (before >= 0) & np.isfinite(there[..., 0])
    step = np.where(moving[..., None], here - there, 0.0) * (ahead / base)[..., None]
    return np.where(((last >= 0) & (ahead <= longest))[..., None], here + step, np.nan)
