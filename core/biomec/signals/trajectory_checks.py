"""Trajectories that no camera can have seen, and recordings from which nothing can be computed.

Copies come from other programs: a gap filled with the last value or with another marker, a label copied twice, a frame
written again and again. Two noisy samples are never equal to the last bit. Leaps of everybody and accelerations that no
body bears come from changed origins, exchanged labels and wrong sampling rates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, Scope, info, problem, warning
from biomec.recording import Markers, Trial
from biomec.signals.derivatives import derivative
from biomec.signals.filters import low_pass
from biomec.signals.marker_spikes import marker_spikes
from biomec.signals.stretches import frame_words, span, stretches, widened

COPIED_SHARE = 0.05  # of the frames; with more copies a recording is not to be used
CROWD = 20  # markers in one place that are compared each with each
NOISE_M = 1e-5  # least median step of markers between frames, above which they are noisy and no two are equal [m]
ESCAPED_M = 0.002  # a copy that ends nearer than this to where the marker would have been does no harm [m]
LEAP_M, LEAP_M_S2 = 0.02, 100.0  # nobody's markers all leap by both within one frame [m, m/s²]: ten times gravity
SPIKE_M_S2, IMPOSSIBLE_M_S2, SPIKE_SHARE = 150.0, 500.0, 0.01  # walking 59, running 79 m/s²
SPIKE_S = 0.1  # masked before and after a spike or leap [s]
SPIKE_CUTOFF_HZ = 10.0  # of markers that were not filtered
RATES_HZ, SLOWEST_HZ = (50.0, 1000.0), 25.0  # usual cameras; below the last a step has too few frames
SHORT_S, SHORTEST_S, FEWEST_FRAMES = 0.8, 0.25, 25  # a stride; two transients of a filter of 8 Hz


@dataclass(frozen=True)
class TrajectoryCheckOptions:
    """When a trajectory gets a notice.

    shortest_s : stretches shorter than this may be chance [s]
    fewest     : frames in which a marker must not change, to be frozen if it then leaps
    others_m   : a marker is frozen only while half of the others go further than this; otherwise the subject stands
                 still, and coordinates that were rounded in the file may well repeat [m]
    """

    shortest_s: float = 0.2
    fewest: int = 5
    others_m: float = 0.010

    def __post_init__(self) -> None:
        if not (self.shortest_s > 0.0 and self.others_m >= 0.0 and self.fewest > 1):
            raise BiomecError(
                "Trajectories: the shortest stretch must be positive, the way of the others not negative."
            )


@dataclass(frozen=True, eq=False)
class TrajectoryChecks:
    """What speaks against the trajectories of a recording; arrays are read-only.

    copied : (T, M) samples that are copies, or off the marker's path, and hide where it was
    masked : (T,) frames around leaps, not to be used
    """

    copied: BoolArray
    masked: BoolArray
    notices: tuple[Notice, ...]

    def without_copies(self, trial: Trial) -> Trial:
        """The trial with such samples hidden, so that they are rebuilt or lost as in any gap."""
        if not self.copied.any():
            return trial
        return replace(trial, markers=trial.markers.hidden(self.copied))


def check_trajectories(trial: Trial, options: TrajectoryCheckOptions = TrajectoryCheckOptions()) -> TrajectoryChecks:
    """Look for copies of markers and frames, leaps of one and of everybody, and rates and lengths too small."""
    fewest = max(2, round(options.shortest_s * trial.rate_hz))
    frames, notices = _copied_frames(trial)
    copied = np.zeros(trial.markers.visible.shape, dtype=np.bool_)
    copied[frames] = True
    frozen, found = _frozen(trial, fewest, options)
    notices += found
    copied |= frozen & trial.markers.visible
    spikes, found = marker_spikes(trial, copied)
    notices += found
    copied |= spikes & trial.markers.visible
    leaps, found = _leaps(trial, copied)
    notices += [*found, *_identical(trial, fewest), *_extent(trial)]
    around = widened(leaps, round(SPIKE_S * trial.rate_hz))
    return TrajectoryChecks(read_only(copied, np.bool_), read_only(around, np.bool_), tuple(notices))


def check_accelerations(markers: Markers, filtered: bool, first_frame: int) -> tuple[BoolArray, tuple[Notice, ...]]:
    """(T,) frames around accelerations that no body bears, and a notice.

    filtered : whether the markers were filtered; otherwise they are here, at 10 Hz, since noise has any acceleration
    """
    p, rate = markers.p_WM, markers.rate_hz
    none = np.zeros(markers.frames, dtype=np.bool_)
    if not p.size:
        return none, ()
    if not filtered and rate > 2.5 * SPIKE_CUTOFF_HZ:
        p = low_pass(p, rate, SPIKE_CUTOFF_HZ).values
    size = np.nan_to_num(np.linalg.norm(derivative(p, rate, 2), axis=2))
    for k in range(size.shape[1]):  # one-sided differences at the ends of a stretch
        for first, stop in stretches(markers.visible[:, k]).tolist():
            size[first : first + 2, k] = size[max(stop - 2, 0) : stop, k] = 0.0
    fast = size > SPIKE_M_S2
    if not fast.any():
        return none, ()
    names = [markers.names[k] for k in np.argsort(-size.max(axis=0)) if fast[:, k].any()]
    at = np.asarray(fast.any(axis=1))
    words = (
        f"{', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''} would accelerate at up to "
        f"{size.max():.0f} m/s² in {frame_words(at, first_frame)}; running people reach 80. Check the labels there and "
        "the sampling rate; these frames are not used."
    )
    notice = problem if float((size > IMPOSSIBLE_M_S2).mean()) > SPIKE_SHARE else warning
    found = notice("accelerates-too-fast", words, *names, frames=span(at), scope=Scope.RECORDING)
    return widened(at, round(SPIKE_S * rate)), (found,)


# -------------------------------------------------------------------------------------------------------------- copies
def _copied_frames(trial: Trial) -> tuple[BoolArray, list[Notice]]:
    """(T,) frames to hide, because they are copies of the frame before although the person moves; and a notice.

    In a recording without noise, a person at rest has equal frames too. There a copy is one that the person leaves by a
    leap.
    """
    markers, hidden = trial.markers, np.zeros(trial.frames, dtype=np.bool_)
    p = markers.p_WM
    if trial.frames < 2 or len(markers.names) < 3:
        return hidden, []
    equal = (p[1:] == p[:-1]).all(axis=2) | ~(markers.visible[1:] | markers.visible[:-1])
    same = np.asarray(equal.all(axis=1) & (markers.visible[1:].sum(axis=1) >= 3))  # (T − 1,)
    if not same.any():
        return hidden, []
    steps = _common(np.linalg.norm(np.diff(p, axis=0), axis=2))  # (T − 1,)
    others = steps[~same & np.isfinite(steps)]
    noisy = others.size > 0 and float(others.min()) > NOISE_M
    reported = np.zeros(trial.frames, dtype=np.bool_)
    copies = 0
    for first, stop in stretches(same).tolist():  # frames first to stop are equal
        escaped = _escape(p, steps, first, stop)
        moves = escaped > ESCAPED_M
        if moves:
            hidden[first + 1 : stop + 1] = True
        if moves or noisy or not others.size:
            reported[first : stop + 1] = True
            copies += stop - first
    if not reported.any():
        return hidden, []
    share = copies / trial.frames
    words = f"{frame_words(reported, trial.first_frame).capitalize()} of {trial.source.name} are copies of one frame"
    if len(stretches(reported)) > 1 or not others.size:
        words = f"{100.0 * share:.0f} % of the frames of {trial.source.name} are copies of the frame before them"
        words += f" ({frame_words(reported, trial.first_frame)})" if others.size else ""
    words += ": nothing can be computed from them. Export the recording again without filling."
    notice = problem if share > COPIED_SHARE else warning
    return hidden, [notice("copied-frames", words, frames=span(reported), scope=Scope.RECORDING)]


def _escape(p: FloatArray, steps: FloatArray, first: int, stop: int) -> float:
    """How far markers (T, M, 3) are from where they would be without the copy of frame ``first`` up to ``stop`` [m].

    The leap after it; where nothing follows, the way that the step before it would have gone on. Median of the markers.
    """
    after = _common(np.linalg.norm(p[stop + 1 : stop + 2] - p[stop], axis=-1))
    if after.size and np.isfinite(after[0]):
        return float(after[0])
    return (stop - first) * float(np.nan_to_num(steps[first - 1])) if first > 0 else 0.0


def _common(values: FloatArray) -> FloatArray:
    """Median (T,) over the markers (T, M) that are there; NaN where none is."""
    there = np.isfinite(values).any(axis=1)
    found = np.full(len(values), np.nan)
    found[there] = np.nanmedian(values[there], axis=1)
    return found


def _leaps(trial: Trial, copied: BoolArray) -> tuple[BoolArray, list[Notice]]:
    """(T,) first frames after a leap of most markers together, and a notice."""
    p = np.where(copied[..., None], np.nan, trial.markers.p_WM)
    none = np.zeros(trial.frames, dtype=np.bool_)
    if trial.frames < 4 or len(trial.markers.names) < 3:
        return none, []
    steps = np.diff(p, axis=0)  # (T − 1, M, 3)
    seen = np.isfinite(steps).all(axis=2)
    few = seen.sum(axis=1) < max(3.0, 0.5 * seen.any(axis=0).sum())  # some markers are not everybody
    steps[few] = np.nan
    step = np.stack([_common(axis) for axis in np.moveaxis(steps, 2, 0)], axis=1)  # (T − 1, 3)
    before = np.concatenate([step[2:3], step[:-1]])  # the first has only what follows
    after = np.concatenate([step[1:], step[-3:-2]])
    off = np.minimum(*(np.linalg.norm(step - other, axis=1) for other in (before, after)))
    size = np.nan_to_num(off)
    limit = max(LEAP_M, LEAP_M_S2 / trial.rate_hz**2)
    none[1:] = size > limit
    if not none.any():
        return none, []
    words = (
        f"All markers of {trial.source.name} leap together by {100.0 * size.max():.0f} cm at "
        f"{frame_words(none, trial.first_frame)}. Nobody moves so: the origin changed, or recordings were joined. "
        "Use the parts before and after it separately."
    )
    return none, [problem("everybody-leaps", words, frames=span(none), scope=Scope.RECORDING)]


def _extent(trial: Trial) -> list[Notice]:
    """What the sampling rate and the length allow."""
    found, rate = [], trial.rate_hz
    if not (RATES_HZ[0] <= rate <= RATES_HZ[1]) and trial.frames:
        words = (
            f"The cameras of {trial.source.name} have a rate of {rate:g} Hz; 50 to 1000 Hz are usual. Check the rate"
        )
        words += "; steps have too few frames for accelerations." if rate < SLOWEST_HZ else "."
        tell = problem if rate < SLOWEST_HZ else warning
        found.append(tell("camera-rate", words, scope=Scope.RECORDING))
    if trial.frames > 0 and (trial.frames < FEWEST_FRAMES or trial.duration_s < SHORTEST_S):
        words = (
            f"{trial.source.name} has {trial.frames} frames ({trial.duration_s:.2f} s). The filter spoils 0.12 s at "
            f"both ends, so that nothing is left; record at least {FEWEST_FRAMES} frames and a whole stride."
        )
        found.append(problem("too-short", words, scope=Scope.RECORDING))
    elif trial.frames > 0 and trial.duration_s < SHORT_S:
        words = f"{trial.source.name} lasts {trial.duration_s:.2f} s, less than a stride. Record longer."
        found.append(warning("short-recording", words, scope=Scope.RECORDING))
    return found


def _identical(trial: Trial, fewest: int) -> list[Notice]:
    """Pairs of markers in exactly the same place, at least ``fewest`` frames in a row."""
    markers, notices = trial.markers, []
    columns = np.moveaxis(markers.p_WM, 0, 2).copy()  # (M, 3, T): one trajectory in one place of memory
    for a, b in _in_one_place(markers.p_WM, fewest):
        same = columns[a, 0] == columns[b, 0]  # NaN equals nothing
        if same.sum() < fewest:
            continue
        same &= (columns[a] == columns[b]).all(axis=0)
        one, other = markers.names[a], markers.names[b]
        runs = _long(same, fewest)
        if len(runs) == 0:
            continue
        both = markers.visible[:, [a, b]].all(axis=1)
        where = "wherever both are seen" if same[both].all() else _frames(trial, runs)
        sentence = (
            f"{one} and {other} are in exactly the same place in {trial.source.name} {where}. Two markers cannot be: "
            "one of them is a copy. Leave it out, or take it from the original recording."
        )
        notices.append(problem("identical-trajectories", sentence, one, other, frames=_span(runs)))
    return notices


def _in_one_place(p_WM: FloatArray, fewest: int) -> list[tuple[int, int]]:
    """Pairs of markers that may be in the same place for ``fewest`` frames in a row; all others cannot be.

    p_WM : (T, M, 3)

    So long a stretch holds one of every ``fewest`` frames. In these, places are sorted instead of compared each with
    each. Of more than `CROWD` markers in one place, each is compared with the first of them only.
    """
    found: set[tuple[int, int]] = set()
    for p_WP in p_WM[fewest - 1 :: fewest]:
        seen = np.flatnonzero(np.isfinite(p_WP).all(axis=1))
        if len(seen) < 2:
            continue
        order = seen[np.lexsort(p_WP[seen].T)]
        moved = (np.diff(p_WP[order], axis=0) != 0.0).any(axis=1)
        starts = np.concatenate([[0], np.flatnonzero(moved) + 1, [len(order)]])
        for k in np.flatnonzero(np.diff(starts) > 1):
            members = sorted(order[starts[k] : starts[k + 1]].tolist())
            found |= set(combinations(members, 2) if len(members) <= CROWD else product(members[:1], members[1:]))
    return sorted(found)


def _frozen(trial: Trial, fewest: int, options: TrajectoryCheckOptions) -> tuple[BoolArray, list[Notice]]:
    """(T, M) samples of markers that do not change at all while the others move, and notices.

    Stretches that the marker leaves by a leap count; those of at least ``fewest`` frames also without one, if the
    marker is noisy elsewhere. A foot on the ground repeats its place where a file has few digits or no noise.
    """
    markers, notices = trial.markers, []
    hidden = np.zeros(markers.visible.shape, dtype=np.bool_)
    if markers.frames < 2:
        return hidden, []
    steps = np.linalg.norm(np.diff(markers.p_WM, axis=0), axis=2)
    still = np.asarray(steps == 0.0)  # (T − 1, M); NaN equals nothing
    still &= ~(still | ~np.isfinite(steps)).all(axis=1, keepdims=True)  # copied frames are another matter
    for k in np.flatnonzero(still.sum(axis=0) >= options.fewest - 1):
        found = _long(still[:, k], options.fewest - 1) + np.array([0, 1])  # n steps join n + 1 frames
        noisy = int((steps[:, k] <= NOISE_M).sum()) == int((found[:, 1] - found[:, 0] - 1).sum())  # still only there
        kept = [
            run
            for run in found.tolist()
            if _others_move(markers, int(k), run, options.others_m)
            and (
                (noisy and run[1] - run[0] >= fewest)
                or _escape(markers.p_WM[:, k : k + 1], steps[:, k], run[0], run[1] - 1) > ESCAPED_M
            )
        ]
        runs = np.array(kept, np.int64).reshape(-1, 2)
        if len(runs) == 0:
            continue
        name = markers.names[k]
        if (runs[:, 1] - runs[:, 0]).sum() == markers.visible[:, k].sum():
            sentence = (
                f"{name} stands still to the last digit throughout {trial.source.name}: it is fixed in the laboratory, "
                "or the coordinates are given relative to it. If it was on the body, do not use it."
            )
            notices.append(info("fixed-marker", sentence, name, frames=_span(runs)))
            continue
        for first, stop in runs.tolist():
            hidden[first + 1 : stop, k] = True
        sentence = (
            f"{name} does not change by the last digit in {trial.source.name} {_frames(trial, runs)}, while other "
            "markers move: a gap was filled with one value. All but the first are treated as hidden."
        )
        notices.append(warning("frozen-trajectory", sentence, name, frames=_span(runs)))
    return hidden, notices


def _others_move(markers: Markers, column: int, run: list[int], others_m: float) -> bool:
    """True if at least half of the other markers that are seen throughout go further than a limit."""
    p = np.delete(markers.p_WM[run[0] : run[1]], column, axis=1)
    p = p[:, np.isfinite(p).all(axis=(0, 2))]
    if p.shape[1] == 0:
        return False
    way = np.linalg.norm(p - p[:1], axis=2).max(axis=0)
    return bool(np.median(way) > others_m)


def _long(flags: BoolArray, fewest: int) -> IntArray:
    runs = stretches(flags)
    return np.asarray(runs[runs[:, 1] - runs[:, 0] >= fewest])


def _span(runs: IntArray) -> tuple[int, int]:
    return int(runs[0, 0]), int(runs[-1, 1]) - 1


def _frames(trial: Trial, runs: IntArray) -> str:
    start = trial.first_frame
    listed = ", ".join(f"{start + a} to {start + b - 1}" for a, b in runs[:5].tolist())
    return f"from frame {listed}{' and more' if len(runs) > 5 else ''}"
