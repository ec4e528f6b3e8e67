"""What every frame rests on: measured, rebuilt, interpolated, lost, not solved; and what is on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from biomec.base.arrays import BoolArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import GRADES, Grade
from biomec.body.kinematics.consistent_motion import ConsistentPositions
from biomec.engine.position import FrameStatus
from biomec.pipeline.analysis import Analysis
from biomec.signals.contact_table import contact_table
from biomec.signals.reconstruction import SampleOrigin
from biomec.signals.stretches import stretches

LISTED = 6  # names in a sentence; the rest is counted


class FrameState(IntEnum):
    """What a frame rests on; of several the highest counts."""

    MEASURED = 0  # every marker was seen
    REBUILT = 1  # a hidden marker follows from others of its segment
    INTERPOLATED = 2  # a hidden marker follows from the frames around
    LOST = 3  # a marker is missing
    FAILED = 4  # no configuration of the model was found

    @property
    def words(self) -> str:
        """What a legend calls it."""
        return _WORDS[self]


_WORDS = {
    FrameState.MEASURED: "measured",
    FrameState.REBUILT: "rebuilt",
    FrameState.INTERPOLATED: "interpolated",
    FrameState.LOST: "marker lost",
    FrameState.FAILED: "not converged",
}
_ORIGINS = (
    (SampleOrigin.REBUILT, "Rebuilt from their segment"),
    (SampleOrigin.INTERPOLATED, "Interpolated in time"),
    (SampleOrigin.MISSING, "Lost"),
)


@dataclass(frozen=True, eq=False)
class FrameMap:
    """Quality of every frame. Arrays are read-only.

    T frames, M markers, K segments that rest on a force plate at some time.

    state       : (T,) `FrameState`
    markers     : (M,) that were seen in some frame
    origin      : (T, M) `SampleOrigin` of their samples
    status      : (T,) `FrameStatus`; None before consistency has run
    touching    : (K,) segments
    contact     : (T, K) whether they rest on it
    held        : those of them that the model holds to the ground
    grades      : (T, K) how sound the contact is, as number of `GRADES`; 0 where it was not judged, or is none
    contacts    : (segments, first frame, last frame, sentence) of contacts that are not good
    first_frame : number of the first frame in the file
    """

    state: IntArray
    markers: tuple[str, ...]
    origin: IntArray
    status: IntArray | None
    touching: tuple[str, ...]
    contact: BoolArray
    rate_hz: float
    first_frame: int
    held: tuple[str, ...] = ()
    grades: IntArray | None = None
    contacts: tuple[tuple[tuple[str, ...], int, int, str], ...] = ()

    @property
    def frames(self) -> int:
        """Number of frames."""
        return len(self.state)

    @property
    def states(self) -> tuple[FrameState, ...]:
        """States that occur, the best first."""
        return tuple(FrameState(value) for value in np.unique(self.state).tolist())

    def share(self, state: FrameState) -> float:
        """Share of the frames in a state."""
        return float(np.mean(self.state == state)) if self.frames else 0.0

    def stretch(self, frame: int) -> tuple[int, int]:
        """First and last frame of the stretch around a frame that is in the same state."""
        self._check(frame)
        other = np.flatnonzero(self.state != self.state[frame])
        place = int(np.searchsorted(other, frame))
        first = int(other[place - 1]) + 1 if place else 0
        last = int(other[place]) - 1 if place < len(other) else self.frames - 1
        return first, last

    def worst_of(self, columns: int) -> IntArray:
        """(columns,) highest state of the frames that each column of a picture stands for, so that no frame is hidden.

        Column c stands for frames ⌊c T / columns⌋ up to, not including, ⌊(c + 1) T / columns⌋, and at least for one.
        """
        if not self.frames or columns < 1:
            return np.zeros(0, dtype=np.int64)
        begin = (np.arange(columns) * self.frames) // columns
        return np.asarray(np.maximum.reduceat(self.state, begin))

    def contact_in(self, columns: int) -> BoolArray:
        """(columns, K) whether a segment rests on the ground in the first of the frames of a column."""
        begin = (np.arange(columns) * self.frames) // max(1, columns)
        return np.asarray(self.contact[begin])

    def grade_in(self, columns: int) -> IntArray:
        """(columns, K) number of `GRADES` of a contact in the first of the frames of a column."""
        if self.grades is None:
            return np.zeros((columns, len(self.touching)), dtype=np.int64)
        begin = (np.arange(columns) * self.frames) // max(1, columns)
        return np.asarray(self.grades[begin])

    @property
    def found_grades(self) -> tuple[Grade, ...]:
        """Grades of the contacts that occur; "not judged" for all of them before loads have run."""
        numbers = np.zeros_like(self.contact, dtype=np.int64) if self.grades is None else self.grades
        return tuple(grade for k, grade in enumerate(GRADES) if (numbers[self.contact] == k).any())

    def why(self, frame: int) -> tuple[str, ...]:
        """What there is to say about a frame: its state first, then why, then what is on the ground."""
        self._check(frame)
        state = FrameState(int(self.state[frame]))
        first, last = (self.first_frame + k for k in self.stretch(frame))
        time = f"{frame / self.rate_hz:.2f} s from start"
        where = f"frame {first}" if first == last else f"frames {first} to {last}"
        sentences = [f"Frame {self.first_frame + frame} ({time}): {state.words}, as all of {where}."]
        if first == last:
            sentences = [f"Frame {self.first_frame + frame} ({time}): {state.words}."]
        if self.status is not None and state is FrameState.FAILED:
            sentences.append(FrameStatus(int(self.status[frame])).sentence)
        for origin, words in _ORIGINS:
            names = [self.markers[k] for k in np.flatnonzero(self.origin[frame] == origin)]
            if names:
                sentences.append(f"{words}: {listed(names)}.")
        down = [self.touching[k] for k in np.flatnonzero(self.contact[frame])]
        if down:
            sentences.append(f"On the ground: {listed(down)}.")
        held = [name for name in down if name in self.held]
        if held:
            sentences.append(f"Held there by the model: {listed(held) if held != down else 'all of them'}.")
        sentences += [words for segments, first, last, words in self.contacts
                      if first <= frame <= last and set(segments) & set(down)]  # fmt: skip
        return tuple(sentences)

    def _check(self, frame: int) -> None:
        if not 0 <= frame < self.frames:
            raise BiomecError(f"There is no frame {frame}; the recording has {self.frames}.")


def frame_map(analysis: Analysis) -> FrameMap:
    """Quality of every frame, by the steps that have run: without any, whether its markers were seen.

    Markers that the whole recording misses say nothing about a single frame and do not count. What was found
    is kept, because several views ask for it.
    """
    return analysis.derived(_frame_map)


def _frame_map(analysis: Analysis) -> FrameMap:
    trial = analysis.session.dynamic
    names: tuple[str, ...] = trial.markers.names
    origin: IntArray = np.where(trial.markers.visible, SampleOrigin.MEASURED, SampleOrigin.MISSING).astype(np.int64)
    if "signals" in analysis.done and len(analysis.signals.reconstruction.origin) == trial.frames:
        rebuilt = analysis.signals.reconstruction
        names, origin = rebuilt.markers.names, rebuilt.origin
    seen = np.flatnonzero((origin == SampleOrigin.MEASURED).any(axis=0))
    names, origin = tuple(names[k] for k in seen), origin[:, seen]
    state = np.full(trial.frames, FrameState.MEASURED, dtype=np.int64)
    for kind, found in (
        (FrameState.REBUILT, SampleOrigin.REBUILT),
        (FrameState.INTERPOLATED, SampleOrigin.INTERPOLATED),
        (FrameState.LOST, SampleOrigin.MISSING),
    ):
        state[(origin == found).any(axis=1)] = kind
    status: IntArray | None = None
    held: tuple[str, ...] = ()
    positions = solved(analysis)
    if positions is not None and positions.frames == trial.frames:
        status = positions.position.status
        state[~positions.valid] = FrameState.FAILED
        held = () if positions.contacts is None else positions.contacts.segments
    touching, contact = _on_the_ground(analysis)
    grades, judged = _judged(analysis, touching, contact)
    return FrameMap(
        read_only(state, np.int64),
        names,
        read_only(origin, np.int64),
        status,
        touching,
        read_only(contact, np.bool_),
        trial.rate_hz,
        trial.first_frame,
        held,
        read_only(grades, np.int64),
        judged,
    )


def _judged(
    analysis: Analysis, touching: tuple[str, ...], contact: BoolArray
) -> tuple[IntArray, tuple[tuple[tuple[str, ...], int, int, str], ...]]:
    """Grades (T, K) of the contacts of these segments, and those not good with their sentences; loads judge them."""
    grades = np.zeros(contact.shape, dtype=np.int64)
    found = analysis.loads.trust.judged if "loads" in analysis.done else None
    contacts = () if found is None or analysis.loads.newton_euler.frames != len(contact) else found.contacts
    for one in contacts:
        first, last = one.frames
        for k, segment in enumerate(touching):
            if segment in one.segments:
                part = grades[first : last + 1, k]
                part[contact[first : last + 1, k]] = GRADES.index(one.grade)
    doubtful = (one for one in contacts if one.grade is not Grade.GOOD)
    return grades, tuple((one.segments, *one.frames, one.sentence) for one in doubtful)


def _on_the_ground(analysis: Analysis) -> tuple[tuple[str, ...], BoolArray]:
    """Segments (K,) that rest on a plate at some time, and when (T, K)."""
    frames = analysis.session.dynamic.frames
    contacts = analysis.signals.contacts if "signals" in analysis.done else None
    if contacts is None or contacts.frames != frames:
        return (), np.zeros((frames, 0), dtype=np.bool_)
    table = contact_table(contacts)
    return table.segments, table.active


def solved(analysis: Analysis) -> ConsistentPositions | None:
    """Consistent positions, if that step has run."""
    return analysis.positions if "positions" in analysis.done else None


def longest_stretch(flags: BoolArray) -> tuple[int, int] | None:
    """First and last frame of the longest run of True in ``flags`` (T,); None without any."""
    runs = stretches(np.asarray(flags))
    if not len(runs):
        return None
    first, stop = runs[int(np.argmax(runs[:, 1] - runs[:, 0]))].tolist()
    return first, stop - 1


def listed(names: Sequence[str]) -> str:
    """Some names and how many more there are."""
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more} more" if more > 0 else "")
