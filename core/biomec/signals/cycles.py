"""Cycles of a repeated movement: where they begin, where they turn, and which of them count.

A cycle runs from one border to the next. Borders are minima of a signal (a push-up starts with straight elbows)
or events (foot strike to foot strike of one side); within a cycle the phase changes at the signal's maximum, or at an
event of another kind (foot off). A cycle is valid only if all its frames are. [Nunes2017]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import DEGREES, setting
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, info, warning
from biomec.recording import Event
from biomec.signals.peaks import prominent_peaks
from biomec.signals.stretches import stretches

NO_CYCLE, BY_HAND = "no-cycle", "border-by-hand"


@dataclass(frozen=True)
class CycleOptions:
    """What counts as a border.

    prominence : a minimum must lie at least this deep below the signal on both sides, in the signal's unit
                 (20° of elbow flexion)
    duration_s : no cycle is shorter than this [s]
    ends       : a minimum at the first or last frames of the recording is a border too, if it is as low as the others
                 to within half the prominence
    """

    prominence: float = setting(
        float(np.radians(20.0)), "Depth of a minimum", "It must lie so far below the signal on both sides.", unit="°",
        factor=DEGREES, least=0.0)  # fmt: skip
    duration_s: float = setting(0.5, "Shortest cycle", "Nearer borders are one.", unit="s", least=0.0)
    ends: bool = setting(True, "Ends of the recording are borders", "If they are as low as the other minima.")

    def __post_init__(self) -> None:
        if not (self.prominence > 0.0 and self.duration_s > 0.0):
            raise BiomecError(
                f"Cycles: the prominence ({self.prominence:g}) and the shortest duration ({self.duration_s:g} s) "
                "must be positive."
            )


@dataclass(frozen=True)
class Cycles:
    """Borders of cycles on the frames of a recording; cycle k runs from border k to border k + 1, both included.

    borders      : (K + 1,) frames, increasing
    frame_valid  : (T,) frames that may be used
    signal       : (T,) what the borders were found in; None for cycles between events
    phase_frames : frames of the events that change the phase, for cycles between events
    excluded     : first frames of cycles that were taken out by hand
    options      : what the borders were sought with; None for cycles between events
    phase        : what changes the phase within a cycle, in words, such as "foot off"
    left_out     : first frames of cycles that do not count for a signal -> why
    source       : what the signal rests on in the cycles that count, if that is not a measurement
    """

    borders: tuple[int, ...]
    frame_valid: BoolArray
    rate_hz: float
    signal: FloatArray | None = None
    phase_frames: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()
    options: CycleOptions | None = None
    notices: tuple[Notice, ...] = ()
    phase: str = "phase change"
    left_out: Mapping[int, str] = field(default_factory=FrozenDict)
    source: str = ""

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "borders", tuple(int(b) for b in self.borders))
        set_(self, "frame_valid", read_only(self.frame_valid, np.bool_))
        if self.signal is not None:
            set_(self, "signal", read_only(self.signal))
        if any(b <= a for a, b in zip(self.borders, self.borders[1:], strict=False)):
            raise BiomecError("Cycles: borders must increase.")
        if self.borders and not (self.borders[0] >= 0 and self.borders[-1] < self.frames):
            raise BiomecError(f"Cycles: borders must lie within the {self.frames} frames of the recording.")
        set_(self, "excluded", tuple(first for first in self.excluded if first in self.borders[:-1]))

    def __len__(self) -> int:
        return max(0, len(self.borders) - 1)

    @property
    def frames(self) -> int:
        """Number of frames of the recording."""
        return int(self.frame_valid.shape[0])

    @property
    def spans(self) -> IntArray:
        """(K, 2) first and last frame of every cycle; the last frame is the first of the next."""
        edges = np.array(self.borders, dtype=np.int64)
        return np.stack([edges[:-1], edges[1:]], axis=1) if len(self) else np.zeros((0, 2), dtype=np.int64)

    @property
    def durations_s(self) -> FloatArray:
        """(K,) [s]."""
        return np.asarray(np.diff(self.spans, axis=1)[:, 0] / self.rate_hz)

    @property
    def valid(self) -> BoolArray:
        """(K,) cycles whose frames are all valid, and that were not taken out by hand or for another reason."""
        without = {*self.excluded, *self.left_out}
        return np.array(
            [bool(self.frame_valid[a : b + 1].all()) and int(a) not in without for a, b in self.spans], dtype=np.bool_
        )

    @property
    def phase_changes(self) -> FloatArray:
        """(K,) frame of the signal's maximum, or of the first phase event, within every cycle; NaN if there is none."""
        return np.array([self._phase_change(int(a), int(b)) for a, b in self.spans], dtype=np.float64)

    @property
    def phase_changes_percent(self) -> FloatArray:
        """(K,) the same as a part of the cycle, 0 to 100 %."""
        first, last = self.spans.T
        return np.asarray(100.0 * (self.phase_changes - first) / (last - first))

    def _phase_change(self, first: int, last: int) -> float:
        if self.signal is None:
            return float(next((frame for frame in sorted(self.phase_frames) if first < frame < last), np.nan))
        part = self.signal[first : last + 1]
        return first + float(np.nanargmax(part)) if np.isfinite(part).any() else np.nan


def find_cycles(
    signal: ArrayLike, rate_hz: float, options: CycleOptions = CycleOptions(), frame_valid: BoolArray | None = None
) -> Cycles:
    """Find cycles between the minima of ``signal`` (T,), such as the mean flexion of both elbows [rad].

    Missing frames (NaN) are not valid and are not bridged: a cycle that contains one is not valid either.
    """
    x = np.asarray(signal, dtype=np.float64)
    if x.ndim != 1 or not (np.isfinite(rate_hz) and rate_hz > 0.0):
        raise BiomecError(f"Cycles need one signal (frames,) and a positive rate, not shape {x.shape} at {rate_hz} Hz.")
    finite = np.isfinite(x)
    if frame_valid is not None and frame_valid.shape != x.shape:
        raise BiomecError(f"Cycles: {frame_valid.size} frames are said to be valid or not, but there are {x.size}.")
    distance = max(1, int(np.ceil(options.duration_s * rate_hz - 1e-9)))
    borders: list[int] = []
    for first, stop in stretches(finite):
        found = prominent_peaks(-x[first:stop], options.prominence)
        borders += _apart([int(frame) for frame in first + found], x, distance)
    borders, notices = _with_ends(x, borders, distance, options)
    if len(borders) < 2:
        sentence = "No complete cycle was found: fewer than two minima are deep enough."
        notices.append(warning(NO_CYCLE, sentence + " Lower the prominence, or set borders by hand."))
    valid = finite if frame_valid is None else finite & frame_valid
    return Cycles(tuple(borders), valid, rate_hz, x, options=options, notices=tuple(notices))


def _apart(borders: list[int], x: FloatArray, distance: int) -> list[int]:
    """Keep the deepest of borders that are closer than ``distance`` frames.

    Only borders compete: a ripple on the flank of a valley is deeper than a shallow valley nearby, but is none itself.
    """
    kept: list[int] = []
    for frame in sorted(borders, key=lambda frame: float(x[frame])):
        if all(abs(frame - other) >= distance for other in kept):
            kept.append(frame)
    return sorted(kept)


def _with_ends(
    x: FloatArray, borders: list[int], distance: int, options: CycleOptions
) -> tuple[list[int], list[Notice]]:
    """Add the minima before the first and after the last rise of the recording, where they are as low as the others."""
    if not options.ends or x.size < 2 or not (np.isfinite(x[0]) or np.isfinite(x[-1])):
        return borders, []
    ends: list[int] = []
    for backward in (False, True):
        frame = _end_minimum(x[::-1] if backward else x, options.prominence)
        if frame is not None:
            ends.append(x.size - 1 - frame if backward else frame)
    levels = [x[frame] for frame in (borders or ends)]
    new = [
        frame
        for frame in dict.fromkeys(ends)
        if x[frame] <= np.median(levels) + 0.5 * options.prominence
        and all(abs(frame - border) >= distance for border in borders)
    ]
    notices = [
        info(
            "border-at-end", "The recording starts or stops near a minimum, which was taken as a border.", frames=(f, f)
        )
        for f in new
    ]
    return sorted({*borders, *new}), notices


def _end_minimum(x: FloatArray, prominence: float) -> int | None:
    """Frame of the lowest sample before the signal has first risen by the prominence, if it has not fallen before."""
    gap = np.flatnonzero(~np.isfinite(x))
    part = x[: gap[0]] if gap.size else x
    if part.size == 0:
        return None
    lowest = np.minimum.accumulate(part)
    risen = np.flatnonzero(part - lowest >= prominence)
    if risen.size == 0:
        return None
    frame = int(np.argmin(part[: risen[0]]))
    fell = part[: frame + 1].max() - part[frame] >= prominence  # then it is a minimum like any other, found already
    return None if fell else frame


def cycles_between_events(
    events: Iterable[Event],
    frames: int,
    rate_hz: float,
    *,
    label: str = "Foot Strike",
    context: str | None = None,
    phase_label: str = "Foot Off",
    frame_valid: BoolArray | None = None,
) -> Cycles:
    """Cycles from event to event of one label and context ("Left", "Right"); the phase changes at ``phase_label``.

    There is no context that fits most recordings: without one, a `BiomecError` lists those of the events.
    """
    events = list(events)
    if context is None:
        there = ", ".join(sorted({event.context for event in events if event.label == label}))
        found = f"{label} is there for: {there}" if there else f"there is no event {label}"
        raise BiomecError(f'Cycles: say whose events count, such as context="Right"; {found}.')
    chosen = [event for event in events if event.context == context]

    def at(wanted: str) -> list[int]:
        rounded = {round(event.time_s * rate_hz) for event in chosen if event.label == wanted}
        return sorted(frame for frame in rounded if 0 <= frame < frames)

    borders = at(label)
    notices: list[Notice] = []
    if len(borders) < 2:
        sentence = (
            f"No complete cycle: {len(borders)} event(s) {label} ({context}) lie within the recording, two are needed."
        )
        notices.append(warning(NO_CYCLE, sentence, label, context))
    valid = np.ones(frames, dtype=np.bool_) if frame_valid is None else frame_valid
    return Cycles(
        tuple(borders), valid, rate_hz, phase_frames=tuple(at(phase_label)), notices=tuple(notices),
        phase=phase_label.lower(),
    )  # fmt: skip


def add_border(cycles: Cycles, frame: int) -> Cycles:
    """Return the cycles with one more border."""
    if frame in cycles.borders:
        raise BiomecError(f"Frame {frame} is a border already.")
    return _edited(cycles, [*cycles.borders, frame])


def remove_border(cycles: Cycles, frame: int) -> Cycles:
    """Return the cycles without a border: the cycles on both sides become one."""
    return _edited(cycles, [border for border in cycles.borders if border != _known(cycles, frame)])


def move_border(cycles: Cycles, frame: int, to: int) -> Cycles:
    """Return the cycles with a border at another frame, between its neighbours."""
    k = cycles.borders.index(_known(cycles, frame))
    before = cycles.borders[k - 1] if k else -1
    after = cycles.borders[k + 1] if k + 1 < len(cycles.borders) else cycles.frames
    if not before < to < after:
        raise BiomecError(
            f"The border at frame {frame} can move between frames {before + 1} and {after - 1}, not to {to}."
        )
    moved = _edited(cycles, [*cycles.borders[:k], to, *cycles.borders[k + 1 :]])
    return replace(moved, excluded=tuple(to if first == frame else first for first in cycles.excluded))


def exclude_cycle(cycles: Cycles, number: int) -> Cycles:
    """Return the cycles with cycle ``number`` (from 0) taken out: it stays a cycle, but is not valid."""
    if not 0 <= number < len(cycles):
        raise BiomecError(f"There is no cycle {number}; there are {len(cycles)}, counted from 0.")
    return replace(cycles, excluded=(*cycles.excluded, cycles.borders[number]))


def _known(cycles: Cycles, frame: int) -> int:
    if frame not in cycles.borders:
        raise BiomecError(
            f"Frame {frame} is not a border; borders are {', '.join(map(str, cycles.borders)) or 'none'}."
        )
    return frame


def _edited(cycles: Cycles, borders: Sequence[int]) -> Cycles:
    wrong = [frame for frame in borders if not 0 <= frame < cycles.frames]
    if wrong:
        raise BiomecError(f"Frame {wrong[0]} is not within the {cycles.frames} frames of the recording.")
    kept = [notice for notice in cycles.notices if notice.code not in (NO_CYCLE, BY_HAND)]
    notices = (*kept, info(BY_HAND, "Borders of cycles were changed by hand."))
    return replace(cycles, borders=tuple(sorted(borders)), notices=notices)
