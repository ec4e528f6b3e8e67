"""Labels that are exchanged: for a while, or in the whole trial, and how to exchange them back.

Markers of one segment keep their distances. Where distances of two markers jump, and jump back if their labels are
exchanged, the labels were exchanged. What distances do not tell, paths in time may: see `label_leaps`. Left and right
are seen on the body itself (`exchanged_sides`), thumb and little finger by what a forearm can do (`wrist_labels`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, Scope, info, problem, warning
from biomec.recording import Markers, Trial
from biomec.recording.marker_set import MarkerSet
from biomec.signals.exchanged_sides import Pairs, by_label, exchanged_sides, pairs_of, pose_markers
from biomec.signals.label_leaps import LeapOptions, exchanged_paths
from biomec.signals.static_pose import StaticPose, pair_distances, segment_pairs
from biomec.signals.stretches import stretches
from biomec.signals.wrist_labels import ReversedWrist, reversed_wrists


@dataclass(frozen=True)
class SwapOptions:
    """When labels count as exchanged.

    jump_m  : a distance within a segment that leaves its reference by more than this is suspicious [m]
    remedy  : exchanging two labels must reduce their mean deviation to less than this fraction
    leap    : the same for two markers that leap onto each other's path
    """

    jump_m: float = 0.025
    remedy: float = 0.35
    leap: LeapOptions = field(default_factory=LeapOptions)


class SwapEvidence(StrEnum):
    """What tells that labels are exchanged."""

    DISTANCES = "distances"  # to the other markers of a segment
    PATHS = "paths"  # both leap onto the path of the other


@dataclass(frozen=True)
class LabelSwap:
    """Two labels that are exchanged from ``first`` to ``last`` (frames from 0, inclusive).

    before_m, after_m : mean deviation of their distances from the reference, as labelled and with labels exchanged; or
                        from where their paths lead, at the ends of the stretch [m]
    """

    a: str
    b: str
    first: int
    last: int
    before_m: float
    after_m: float
    evidence: SwapEvidence = SwapEvidence.DISTANCES


@dataclass(frozen=True)
class SwapReport:
    """What was found, and words about it.

    swaps           : exchanges as they are once those of sides are undone
    exchanged_sides : pairs (right, left) that lie on each other's side throughout
    labels, static_labels : those of them to exchange back, in the trial and in the static pose; none where most pairs
                      are exchanged, which may be the axes
    wrists          : wrists whose two labels are exchanged throughout
    """

    swaps: tuple[LabelSwap, ...]
    exchanged_sides: Pairs
    options: SwapOptions
    notices: tuple[Notice, ...] = ()
    wrists: tuple[ReversedWrist, ...] = ()
    labels: Pairs = ()
    static_labels: Pairs = ()


REPAIR = "Exchange them with Edit ▸ Repair Exchanged Labels or --repair-swaps if you agree."
SWAPPED, WRIST, OTHER_SIDE = "labels-swapped", "wrist-labels-exchanged", "labels-on-other-side"
LISTED = 6  # pairs that a sentence names
FEW = 3  # with fewer pairs, crossed arms may look like a person turned over
REPAIRABLE = (SWAPPED, WRIST, OTHER_SIDE)  # codes of the notices that `repaired` and `repaired_static` answer


def find_swaps(
    trial: Trial, marker_set: MarkerSet, static: StaticPose | None = None, options: SwapOptions = SwapOptions()
) -> SwapReport:
    """Find exchanged labels. The reference is the static pose if there is one, else the median of the trial itself.

    Two markers whose exchange leaves all distances as they are (the only two of a segment, or mirror images in it) are
    seen in their paths, which need to be seen at the beginning or the end of the swap. Without a static pose, a swap
    that lasts longer than half the trial cannot be distinguished from the frames in which the labels are right.
    """
    names = tuple(name for name in trial.markers.names if name in marker_set)
    sides = exchanged_sides(trial.markers, marker_set, static)
    labels = by_label(sides, trial.markers, marker_set)
    markers = _with_sides(trial.markers.select(names), labels)
    static_sides, static_labels = _sides_of_static(static, marker_set)
    if static is not None and static_labels:
        static = replace(static, p_WM=_with_sides(pose_markers(static), static_labels).p_WM[0])
    swaps = _segment_swaps(markers, marker_set, static, options)
    swaps = _joined((*swaps, *_path_swaps(markers, swaps, options)))
    start, file = trial.first_frame, trial.source.name
    notices = [
        warning(
            SWAPPED,
            f"{swap.a} and {swap.b} seem to have exchanged labels from frame {start + swap.first} to "
            f"{start + swap.last} in {file}: {_evidence(swap)} {REPAIR}",
            swap.a,
            swap.b,
            frames=(swap.first, swap.last),
            scope=Scope.JOINTS,
        )
        for swap in swaps
    ]
    wrists = reversed_wrists(_undone(markers, swaps), marker_set, static)
    both = "Both wrists are; perhaps the laboratory means the labels that way round. " if len(wrists) > 1 else ""
    notices += [
        warning(
            WRIST,
            f"{wrist.thumb} and {wrist.little} have exchanged labels throughout {file}: as labelled, the forearm is "
            f"turned by {np.rad2deg(wrist.turn):.0f}° from its middle position, and none turns beyond 90°. "
            f"{both}{REPAIR}",
            wrist.thumb,
            wrist.little,
            scope=Scope.JOINTS,
        )
        for wrist in wrists
    ]
    there = len(pairs_of(trial.markers, marker_set))
    mirrored = bool(sides and static_sides) and not (labels or static_labels)  # markers taken off after the static
    if sides == static_sides or mirrored:
        notices += _about_sides(f"{file} and its static", sides, labels, there)
    else:
        in_static = 0 if static is None else len(pairs_of(pose_markers(static), marker_set))
        notices += _about_sides(file, sides, labels, there)
        notices += _about_sides(f"the static of {file}", static_sides, static_labels, in_static)
    return SwapReport(swaps, sides, options, tuple(notices), wrists, labels, static_labels)


def _sides_of_static(static: StaticPose | None, marker_set: MarkerSet) -> tuple[Pairs, Pairs]:
    """Pairs that lie on each other's side in the static pose, and those of them to exchange back."""
    if static is None:
        return (), ()
    sides = exchanged_sides(pose_markers(static), marker_set)
    return sides, by_label(sides, pose_markers(static), marker_set)


def _about_sides(where: str, sides: Pairs, labels: Pairs, pairs: int) -> list[Notice]:
    """Words about pairs that lie on each other's side; ``pairs`` is how many there are.

    Where most pairs do, every frame of a segment is turned over, and no number is to be used: a problem of it all.
    """
    if not sides:
        return []
    names = [name for pair in sides for name in pair]
    listed = ", ".join(f"{right}/{left}" for right, left in sides[:LISTED])
    listed += f" and {len(sides) - LISTED} more pairs" if len(sides) > LISTED else ""
    words = f"In {where} these right markers lie on the left of the body and the left ones on its right: {listed}. "
    if labels:
        return [warning(OTHER_SIDE, words + REPAIR, *names, scope=Scope.JOINTS)]
    many = "All pairs are" if len(sides) == pairs else f"{len(sides)} of {pairs} pairs are"
    words += (
        f"{many} reversed: the sides were exchanged throughout, or the axes are left-handed. No angle and no load can "
        "be used: exchange the labels, map them anew, or export the file with right-handed axes."
    )
    if len(sides) < FEW:
        return [warning("sides-exchanged", words, *names, scope=Scope.JOINTS)]
    return [problem("sides-exchanged", words, *names, scope=Scope.RECORDING)]


def repaired(trial: Trial, report: SwapReport) -> Trial:
    """Exchange back what `find_swaps` found in the trial; every exchange is a notice of the trial."""
    for right, left in report.labels:
        trial = swap_labels(trial, right, left)
    for swap in report.swaps:
        trial = swap_labels(trial, swap.a, swap.b, (swap.first, swap.last))
    for wrist in report.wrists:
        trial = swap_labels(trial, wrist.thumb, wrist.little)
    return trial


def repaired_static(static: Trial, report: SwapReport) -> Trial:
    """Exchange back what `find_swaps` found in the static."""
    for right, left in report.static_labels:
        static = swap_labels(static, right, left)
    for wrist in report.wrists:
        if wrist.in_static:
            static = swap_labels(static, wrist.thumb, wrist.little)
    return static


def swap_labels(trial: Trial, a: str, b: str, frames: tuple[int, int] | None = None) -> Trial:
    """Exchange two labels from the first to the last frame of ``frames`` (from 0, inclusive), or in the whole trial."""
    first, last = frames or (0, trial.frames - 1)
    if not 0 <= first <= last < trial.frames:
        raise BiomecError(
            f"{trial.source.name}: frames {first} to {last} do not lie within the {trial.frames} frames of the trial."
        )
    columns = [trial.markers.index(a), trial.markers.index(b)]
    p = trial.markers.p_WM.copy()
    p[first : last + 1, columns] = p[first : last + 1, columns[::-1]]
    residual = trial.markers.residual
    if residual is not None:
        residual = residual.copy()
        residual[first : last + 1, columns] = residual[first : last + 1, columns[::-1]]
    start = trial.first_frame
    note = info(
        "labels-exchanged",
        f"The labels {a} and {b} were exchanged from frame {start + first} to {start + last} of {trial.source.name}.",
        a,
        b,
        frames=(first, last),
    )
    return replace(trial, markers=replace(trial.markers, p_WM=p, residual=residual)).with_notices(note)


# ------------------------------------------------------------------------------------------- swaps during a trial


def _path_swaps(markers: Markers, known: tuple[LabelSwap, ...], options: SwapOptions) -> list[LabelSwap]:
    """Swaps that show in the paths of the markers, after those that are known already have been undone."""
    names = markers.names
    return [
        LabelSwap(
            names[one.pair[0]], names[one.pair[1]], one.first, one.last, one.own_m, one.other_m, SwapEvidence.PATHS
        )
        for one in exchanged_paths(_undone(markers, known), options.leap)
    ]


def _with_sides(markers: Markers, labels: Pairs) -> Markers:
    """Markers with these pairs of labels exchanged throughout."""
    other = dict(labels) | {left: right for right, left in labels}
    columns = [markers.index(other.get(name, name)) for name in markers.names]
    return replace(markers, p_WM=markers.p_WM[:, columns])


def _undone(markers: Markers, known: Iterable[LabelSwap]) -> Markers:
    p = markers.p_WM.copy()
    for swap in known:
        both = [markers.index(swap.a), markers.index(swap.b)]
        p[swap.first : swap.last + 1, both] = p[swap.first : swap.last + 1, both[::-1]]
    return replace(markers, p_WM=p)


def _joined(swaps: Iterable[LabelSwap]) -> tuple[LabelSwap, ...]:
    """Swaps by time; stretches of one pair that touch are one swap, with the evidence of its longest part."""
    joined: list[tuple[LabelSwap, int]] = []  # with the frames of the longest part
    for swap in sorted(swaps, key=lambda swap: (swap.a, swap.b, swap.first)):
        length = swap.last - swap.first + 1
        before, longest = joined[-1] if joined else (None, 0)
        if before is not None and (before.a, before.b) == (swap.a, swap.b) and swap.first <= before.last + 1:
            longer = swap if length > longest else before
            joined[-1] = replace(longer, first=before.first, last=max(before.last, swap.last)), max(length, longest)
        else:
            joined.append((swap, length))
    return tuple(sorted((swap for swap, _ in joined), key=lambda swap: (swap.first, swap.a, swap.b)))


def _evidence(swap: LabelSwap) -> str:
    before, after = 1e3 * swap.before_m, 1e3 * swap.after_m
    if swap.evidence is SwapEvidence.PATHS:
        return (
            f"there both leap by {before:.0f} mm, and land {after:.0f} mm from where the path of the other leads. "
            "If instead the labels are wrong in the other frames, exchange those."
        )
    return (
        f"their distances to the rest of the segment are off by {before:.0f} mm, and by {after:.0f} mm if the labels "
        "are exchanged."
    )


def _segment_swaps(
    markers: Markers, marker_set: MarkerSet, static: StaticPose | None, options: SwapOptions
) -> tuple[LabelSwap, ...]:
    pairs = segment_pairs(markers.names, marker_set)
    if len(pairs) == 0:
        return ()
    distances = pair_distances(markers.p_WM, pairs)
    reference = _reference(markers.names, pairs, distances, static)
    known = np.isfinite(reference)
    pairs, distances, reference = pairs[known], distances[:, known], reference[known]
    jumps = np.abs(distances - reference) > options.jump_m  # NaN compares as no jump
    suspicious = np.zeros((markers.frames, len(markers.names)), dtype=bool)
    for (i, j), jump in zip(pairs.tolist(), jumps.T, strict=True):
        suspicious[:, i] |= jump
        suspicious[:, j] |= jump
    together = suspicious.astype(np.float32).T @ suspicious.astype(np.float32)
    suspects = np.flatnonzero(np.any(suspicious, axis=0)).tolist()
    found: list[_Candidate] = []
    for a, b in combinations(suspects, 2):
        if together[a, b]:
            frames = np.flatnonzero(suspicious[:, a] & suspicious[:, b])
            found += _stretches_of(markers, pairs, reference, (a, b), frames, options)
    return tuple(_chosen(markers, found))


@dataclass(frozen=True)
class _Candidate:
    """A stretch in which exchanging two markers (columns) would bring their distances back.

    touched : distances (places among the pairs) that the exchange changes
    gain    : sum of the deviations that it takes away [m]
    jump    : how far both markers would leap at the ends of the stretch after the exchange [m]
    """

    pair: tuple[int, int]
    first: int
    last: int
    touched: frozenset[int]
    gain: float
    jump: float
    before_m: float
    after_m: float

    def rivals(self, other: _Candidate) -> bool:
        """True if both explain the same distances at the same time, so that only one of them can be right."""
        at_once = self.first <= other.last and other.first <= self.last
        return at_once and bool(self.touched & other.touched)


def _reference(names: tuple[str, ...], pairs: IntArray, distances: FloatArray, static: StaticPose | None) -> FloatArray:
    """(P,) distance that a pair should have [m]; NaN where nothing says it."""
    reference = np.full(len(pairs), np.nan)
    for row, (i, j) in enumerate(pairs.tolist()):
        if static is not None and names[i] in static and names[j] in static:
            reference[row] = np.linalg.norm(static[names[i]] - static[names[j]])
        elif np.isfinite(distances[:, row]).any():
            reference[row] = np.nanmedian(distances[:, row])
    return reference


def _stretches_of(
    markers: Markers,
    pairs: IntArray,
    reference: FloatArray,
    pair: tuple[int, int],
    frames: IntArray,
    options: SwapOptions,
) -> list[_Candidate]:
    """Stretches among ``frames`` in which the exchange of a pair is a remedy."""
    a, b = pair
    of_a, of_b = (pairs == a).any(axis=1), (pairs == b).any(axis=1)
    touched = np.flatnonzero(of_a ^ of_b)  # the distance of a and b themselves stays as it is
    other = {a: b, b: a}
    exchanged = np.array([[other.get(i, i), other.get(j, j)] for i, j in pairs[touched].tolist()], np.int64)
    exchanged = exchanged.reshape(-1, 2)
    off, off_exchanged = (
        np.abs(
            np.linalg.norm(markers.p_WM[rows, ends[:, 0]] - markers.p_WM[rows, ends[:, 1]], axis=2) - reference[touched]
        )
        for rows, ends in ((frames[:, None], pairs[touched]), (frames[:, None], exchanged))
    )
    seen = np.isfinite(off) & np.isfinite(off_exchanged)
    off, off_exchanged = np.where(seen, off, 0.0), np.where(seen, off_exchanged, 0.0)
    before, after = off.sum(axis=1), off_exchanged.sum(axis=1)
    worst, worst_exchanged = off.max(axis=1, initial=0.0), off_exchanged.max(axis=1, initial=0.0)
    remedy = (worst > options.jump_m) & (worst_exchanged <= options.jump_m) & (after < options.remedy * before)
    flags = np.zeros(markers.frames, dtype=bool)
    flags[frames[remedy]] = True
    found = []
    for first, stop in stretches(_bridged(flags, markers.visible[:, [a, b]])).tolist():
        inside = remedy & (frames >= first) & (frames < stop)
        count = max(1, int(seen[inside].sum()))
        sums = float(before[inside].sum()), float(after[inside].sum())
        found.append(
            _Candidate(
                pair,
                first,
                stop - 1,
                frozenset(touched.tolist()),
                gain=sums[0] - sums[1],
                jump=_leap(markers, pair, first, stop),
                before_m=sums[0] / count,
                after_m=sums[1] / count,
            )
        )
    return found


def _leap(markers: Markers, pair: tuple[int, int], first: int, stop: int) -> float:
    """How far the pair leaps at both ends of a stretch if its labels are exchanged within it [m]."""
    here, there = list(pair), [pair[1], pair[0]]
    leap = 0.0
    for inside, outside in ((first, first - 1), (stop - 1, stop)):
        if 0 <= outside < markers.frames:
            steps = np.linalg.norm(markers.p_WM[inside, there] - markers.p_WM[outside, here], axis=1)
            leap += float(np.nan_to_num(steps).sum())
    return leap


def _chosen(markers: Markers, found: list[_Candidate]) -> list[LabelSwap]:
    """One candidate for every fault: the one that takes away most, and among near equals the one that leaps least.

    On a square plate, exchanging two neighbours restores the same distances as exchanging the other two: only the path
    in time tells them apart.
    """
    left = sorted(found, key=lambda candidate: -candidate.gain)
    swaps = []
    while left:
        best = left[0]
        equals = [c for c in left if c.gain > 0.8 * best.gain and (c is best or c.rivals(best))]
        best = min(equals, key=lambda candidate: candidate.jump)
        left = [c for c in left if c is not best and not c.rivals(best)]
        a, b = (markers.names[column] for column in best.pair)
        swaps.append(LabelSwap(a, b, best.first, best.last, best.before_m, best.after_m))
    return sorted(swaps, key=lambda swap: (swap.first, swap.a, swap.b))


def _bridged(flags: BoolArray, visible: BoolArray) -> BoolArray:
    """``flags`` (T,) continued over one or two frames, and over frames in which one of the markers is hidden."""
    joined = flags.copy()
    for first, stop in stretches(np.logical_not(flags)).tolist():
        hidden = np.logical_not(visible[first:stop].all(axis=1))
        if first > 0 and stop < len(flags) and (stop - first <= 2 or hidden.all()):
            joined[first:stop] = True
    return joined
