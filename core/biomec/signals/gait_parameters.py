"""Time and distance of gait: strides, steps, phases, cadence and speed, from foot strikes and offs.

Lengths are measured between landing places of the heels, along the way of the pelvis over that stride. A stride in
which the heading changes by more than `TURN_DEG` is a turn, and one that ends higher or lower than it began is on
stairs or a ramp. Steps of a turn are measured along the tangent of the path midway between their two footfalls
[Dingwell2023].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, info, warning
from biomec.recording import Event, Markers
from biomec.signals.event_editing import OFF, SIDES, STRIKE
from biomec.signals.kinematic_events import GaitMarkers
from biomec.signals.walking_path import WalkingPath, at_time, walking_path

LONGEST_STRIDE_S = 3.0  # two strikes of a foot farther apart are not one stride
TURN_DEG = 15.0  # change of heading over a stride from which it is a turn
RISE_M = 0.08  # rise or fall over a stride from which it is not level; heels land within 2 cm of each other on a floor
FLAT = (0.15, 0.45)  # of stance: the foot is flat
SAME_FLOOR_M = 0.03  # a toe that stands farther from its height in stance stood on another floor
MID_SWING = (0.25, 0.75)  # of swing


class StrideKind(StrEnum):
    """What a stride goes over; strides of different kinds are never averaged together."""

    STRAIGHT = "straight"
    TURN = "turn"
    STAIRS = "stairs or ramp"


@dataclass(frozen=True)
class Stride:
    """From one strike of a foot to its next. Times in s on the clock of the trial; None where no event tells.

    off_s           : foot off
    opposite_off_s  : off of the other foot that ends its last contact before its next strike. In walking it lies
                      within the stride, in running before it.
    opposite_strike_s : of the other foot, within the stride
    length_m        : distance between both strikes of the heel along the walk [m]
    turn            : change of heading, to the left positive [rad]
    rise_m          : how much higher the heel lands at the end [m]
    toe_clearance_m : least height of the toe in mid-swing (25 to 75 %) above its height standing [m]
    """

    side: str
    start_s: float
    end_s: float
    off_s: float | None
    opposite_off_s: float | None
    opposite_strike_s: float | None
    length_m: float | None = None
    turn: float | None = None
    rise_m: float | None = None
    toe_clearance_m: float | None = None

    @property
    def time_s(self) -> float:
        """Stride time [s]."""
        return self.end_s - self.start_s

    @property
    def kind(self) -> StrideKind:
        """What it goes over; straight where nothing tells otherwise."""
        if self.rise_m is not None and abs(self.rise_m) > RISE_M:
            return StrideKind.STAIRS
        return (
            StrideKind.TURN if self.turn is not None and abs(self.turn) > np.radians(TURN_DEG) else StrideKind.STRAIGHT
        )

    @property
    def stance(self) -> float | None:
        """Share of the stride in which the foot is on the ground."""
        return None if self.off_s is None else (self.off_s - self.start_s) / self.time_s

    @property
    def opposite_off(self) -> float | None:
        """Share of the stride at which the other foot leaves the ground; negative in running."""
        return None if self.opposite_off_s is None else (self.opposite_off_s - self.start_s) / self.time_s

    @property
    def opposite_strike(self) -> float | None:
        """Share of the stride at which the other foot strikes."""
        return None if self.opposite_strike_s is None else (self.opposite_strike_s - self.start_s) / self.time_s

    @property
    def overlaps(self) -> tuple[float, float] | None:
        """Shares of the stride in which both feet are on the ground, at its beginning and before foot off.

        Negative where neither is: the flight of running.
        """
        if self.stance is None or self.opposite_off is None or self.opposite_strike is None:
            return None
        return self.opposite_off, self.stance - self.opposite_strike

    @property
    def double_support(self) -> float | None:
        """Share of the stride in which both feet are on the ground: loading response and pre-swing; 0 in running."""
        return None if self.overlaps is None else sum(max(0.0, part) for part in self.overlaps)

    @property
    def flight(self) -> float | None:
        """Share of the stride in which no foot is on the ground, in place of double support; 0 in walking."""
        return None if self.overlaps is None else sum(max(0.0, -part) for part in self.overlaps)

    @property
    def single_support(self) -> float | None:
        """Share of the stride in which only this foot is on the ground: mid-stance and terminal stance."""
        if self.opposite_off is None or self.opposite_strike is None:
            return None
        end = self.opposite_strike if self.stance is None else min(self.stance, self.opposite_strike)
        return end - max(self.opposite_off, 0.0)

    @property
    def speed_m_s(self) -> float | None:
        """Stride length over stride time [m/s]."""
        return None if self.length_m is None else self.length_m / self.time_s

    def phase(self, time_s: float) -> str:
        """Name of the phase at a time of the stride: loading, single support, pre-swing, swing or stance (unknown)."""
        if not self.start_s <= time_s < self.end_s:
            return "outside"
        if self.off_s is not None and time_s >= self.off_s:
            return "swing"
        if self.opposite_off_s is None or self.opposite_strike_s is None or self.off_s is None:
            return "stance"
        if time_s < self.opposite_off_s:
            return "loading"
        return "single support" if time_s < self.opposite_strike_s else "pre-swing"


@dataclass(frozen=True)
class GaitStep:
    """From the strike of the other foot to the strike of this one.

    side, strike_s : the foot that steps, and when it lands
    time_s         : duration [s]
    length_m       : how far its heel lands before the other heel's landing place, along the walk; on stairs the depth
                     of the step [m]
    width_m        : how far beside it, positive when the feet do not cross [m]
    line_width_m   : distance of the other heel's landing place from the line through this heel's landing places before
                     and after it, positive when the feet do not cross: the other usual definition of step width [m]
    height_m       : how much higher it lands [m]
    """

    side: str
    strike_s: float
    time_s: float
    length_m: float | None = None
    width_m: float | None = None
    line_width_m: float | None = None
    height_m: float | None = None
    kind: StrideKind = StrideKind.STRAIGHT


@dataclass(frozen=True)
class GaitParameters:
    """Strides and steps of a trial, and what they amount to; None where there is no complete stride.

    cadence_per_min : steps a minute, 120 / mean stride time
    speed_m_s       : mean over the strides, relative to the ground or the belt [m/s]
    belt_m_s        : speed of the ground against the walk: 0 over ground, the belt's on a treadmill [m/s]

    Cadence and speed are those of the straight strides, where there are any.
    """

    strides: tuple[Stride, ...]
    steps: tuple[GaitStep, ...]
    cadence_per_min: float | None
    speed_m_s: float | None
    belt_m_s: float
    notices: tuple[Notice, ...] = ()


def gait_parameters(
    events: Sequence[Event],
    markers: Markers | None = None,
    gait: GaitMarkers | None = None,
    up: FloatArray | None = None,
    forward: FloatArray | None = None,
    standing_toe_m: Mapping[str, float] | None = None,
) -> GaitParameters:
    """Strides and steps from events; lengths too where markers, their meaning and both directions are given.

    Where markers are given, only events within their recording count.

    forward        : (3,) of the walk as a whole. It tells a belt; over ground each stride has its own heading.
    standing_toe_m : side -> height of the toe marker while standing [m]; without it that of the flat foot in stance
    """
    if markers is not None:  # files may hold events of frames that were not saved
        ends = (-0.5 / markers.rate_hz, (markers.frames - 0.5) / markers.rate_hz)
        events = [event for event in events if ends[0] <= event.time_s <= ends[1]]
    times = {(label, side): _times(events, label, side) for label in (STRIKE, OFF) for side in SIDES}
    floor = None
    if markers is not None and gait is not None and up is not None and forward is not None:
        floor = _Floor.of(markers, gait, up, forward, times, standing_toe_m or {})
    notices: list[Notice] = []
    if floor is not None and floor.belt_m_s:
        sentence = (
            f"The standing heels move backwards at {floor.belt_m_s:.2f} m/s: a treadmill. Lengths are along its belt."
        )
        notices.append(info("treadmill", sentence))
    strides: list[Stride] = []
    for side in SIDES:
        for start, end in pairwise(times[STRIKE, side].tolist()):
            if end - start > LONGEST_STRIDE_S:
                sentence = f"{side} strikes at {start:.2f} and {end:.2f} s are too far apart to be one stride."
                notices.append(warning("stride-too-long", sentence))
                continue
            strides.append(_stride(side, start, end, times, floor, notices))
    strides.sort(key=lambda stride: stride.start_s)
    steps = [step for side in SIDES for step in _steps(side, times, strides, floor)]
    steps.sort(key=lambda step: step.strike_s)
    meant = [stride for stride in strides if stride.kind is StrideKind.STRAIGHT] or strides
    speeds = [stride.speed_m_s for stride in meant if stride.speed_m_s is not None]
    return GaitParameters(
        tuple(strides),
        tuple(steps),
        120.0 / float(np.mean([stride.time_s for stride in meant])) if meant else None,
        float(np.mean(speeds)) if speeds else None,
        0.0 if floor is None else floor.belt_m_s,
        tuple(notices),
    )


_Times = Mapping[tuple[str, str], FloatArray]


@dataclass(frozen=True, eq=False)
class _Floor:
    """Where heels and toes are, and which way the walk goes; axes move with the belt of a treadmill."""

    heels: Mapping[str, FloatArray]
    toes: Mapping[str, FloatArray]
    rate_hz: float
    up: FloatArray
    forward: FloatArray
    belt_m_s: float
    path: WalkingPath | None
    standing_toe_m: Mapping[str, float]

    @classmethod
    def of(
        cls,
        markers: Markers,
        gait: GaitMarkers,
        up: FloatArray,
        forward: FloatArray,
        times: _Times,
        standing_toe_m: Mapping[str, float],
    ) -> _Floor:
        heels, toes = (
            {side: markers[name] for side, name in feet.items() if name in markers} for feet in (gait.heel, gait.toe)
        )
        belt = _belt_speed(heels, times, markers.rate_hz, forward)
        path = walking_path(markers, gait.pelvis, up, belt, forward)
        return cls(heels, toes, markers.rate_hz, up, forward, belt, path, standing_toe_m)

    def landing(self, side: str, time_s: float) -> FloatArray | None:
        """Heel (3,) at its strike."""
        if side not in self.heels:
            return None
        point = at_time(self.heels[side], self.rate_hz, time_s) + self.belt_m_s * time_s * self.forward
        return np.asarray(point) if np.isfinite(point).all() else None

    def heading(self, side: str, start_s: float, end_s: float) -> FloatArray:
        """Direction (3,) of a stride: of the pelvis; where it was not seen of the heel, or of the whole walk."""
        seen = None if self.path is None else self.path.heading(start_s, end_s)
        if seen is not None:
            return seen
        a, b = self.landing(side, start_s), self.landing(side, end_s)
        if self.belt_m_s == 0.0 and a is not None and b is not None:
            way = (b - a) - self.up * ((b - a) @ self.up)
            if np.linalg.norm(way) > 0.0:
                return np.asarray(way / np.linalg.norm(way))
        return self.forward

    def toe_clearance(self, side: str, start_s: float, off_s: float, end_s: float) -> float | None:
        """Least height of the toe in mid-swing above its height standing, or else its median with the foot flat [m]."""
        if side not in self.toes:
            return None
        height = self.toes[side] @ self.up
        flat, swing = (
            height[round((a + parts[0] * (b - a)) * self.rate_hz) : round((a + parts[1] * (b - a)) * self.rate_hz) + 1]
            for a, b, parts in ((start_s, off_s, FLAT), (off_s, end_s, MID_SWING))
        )
        if not (flat.size and swing.size and np.isfinite(flat).all() and np.isfinite(swing).all()):
            return None
        level = float(np.median(flat))
        stood = self.standing_toe_m.get(side, level)
        return float(swing.min()) - (stood if abs(stood - level) < SAME_FLOOR_M else level)


def _stride(side: str, start: float, end: float, times: _Times, floor: _Floor | None, notices: list[Notice]) -> Stride:
    other = SIDES[1 - SIDES.index(side)]
    offs = _between(times[OFF, side], start, end)
    if len(offs) > 1:
        sentence = f"{side} stride from {start:.2f} to {end:.2f} s has {len(offs)} foot offs, so that none is used."
        notices.append(warning("several-foot-offs", sentence))
    off = _only(offs)
    other_strike = _only(_between(times[STRIKE, other], start, end))
    other_off = _opposite_off(times, other, start, end, off, other_strike)
    length = turn = rise = clearance = None
    if floor is not None:
        a, b = floor.landing(side, start), floor.landing(side, end)
        if a is not None and b is not None:
            length = float((b - a) @ floor.heading(side, start, end))
            rise = float((b - a) @ floor.up)
        turn = None if floor.path is None else floor.path.turn(start, end)
        if off is not None and not (rise is not None and abs(rise) > RISE_M):
            clearance = floor.toe_clearance(side, start, off, end)
    return Stride(side, start, end, off, other_off, other_strike, length, turn, rise, clearance)


def _opposite_off(
    times: _Times, other: str, start: float, end: float, off: float | None, strike: float | None
) -> float | None:
    """The off that ends the contact of the other foot before its strike in the stride; never guessed."""
    stride = end - start
    if strike is None:  # in walking the other foot leaves before this one; in running after it
        latest = start + 0.5 * stride if off is None else off
        inside = _between(times[OFF, other], start, end)
        return inside[0] if len(inside) == 1 and inside[0] < latest else None
    before = [t for t in times[STRIKE, other].tolist() if t <= start]
    earliest = max([start - 0.75 * stride, *before[-1:]]) if before else start - 0.5 * stride
    return _only(_between(times[OFF, other], earliest, strike))


def _steps(side: str, times: _Times, strides: Sequence[Stride], floor: _Floor | None) -> list[GaitStep]:
    other = SIDES[1 - SIDES.index(side)]
    strikes, others = times[STRIKE, side], times[STRIKE, other]
    steps = []
    for strike in strikes.tolist():
        before, own = others[others < strike], strikes[strikes < strike]
        if before.size == 0 or strike - before[-1] > LONGEST_STRIDE_S / 2 or (own.size and own[-1] > before[-1]):
            continue
        last = float(before[-1])
        # the stride that a step belongs to is its foot's own, which it ends, or else the other's, which it is within
        mine = [one for one in strides if one.side == side and one.end_s == strike]
        mine += [one for one in strides if one.side == other and one.start_s == last]
        steps.append(_step(side, other, last, strike, mine, floor))
    return steps


def _step(
    side: str, other: str, last: float, strike: float, strides: Sequence[Stride], floor: _Floor | None
) -> GaitStep:
    kind = strides[0].kind if strides else StrideKind.STRAIGHT
    a, b = (None, None) if floor is None else (floor.landing(other, last), floor.landing(side, strike))
    if floor is None or a is None or b is None:
        return GaitStep(side, strike, strike - last, kind=kind)
    u: FloatArray | None = floor.forward
    if strides:
        u = floor.heading(strides[0].side, strides[0].start_s, strides[0].end_s)
        if kind is StrideKind.TURN and floor.path is not None:
            stride_s = strides[0].time_s
            u = floor.path.tangent(a, b, (last, strike + 0.6 * stride_s), stride_s)
    height = float((b - a) @ floor.up)
    if u is None:
        return GaitStep(side, strike, strike - last, height_m=height, kind=kind)
    outwards = np.cross(u, floor.up) * (1.0 if side == "Right" else -1.0)
    width = float((b - a) @ outwards)
    start = floor.landing(side, strides[0].start_s) if strides and strides[0].side == side else None
    line_width = None
    if start is not None:
        line = (b - start) - floor.up * ((b - start) @ floor.up)
        if np.linalg.norm(line) > 0.0:
            across = np.cross(line / np.linalg.norm(line), floor.up) * (1.0 if side == "Right" else -1.0)
            line_width = float((start - a) @ across)
    return GaitStep(side, strike, strike - last, float((b - a) @ u), width, line_width, height, kind)


def _times(events: Sequence[Event], label: str, side: str) -> FloatArray:
    return np.sort([event.time_s for event in events if (event.label, event.context) == (label, side)]).astype(float)


def _between(times: FloatArray, start: float, end: float) -> list[float]:
    return [float(t) for t in times if start < t < end]


def _only(times: Sequence[float]) -> float | None:
    """The one time; None where there is none, or more than one."""
    return times[0] if len(times) == 1 else None


def _belt_speed(heels: Mapping[str, FloatArray], times: _Times, rate_hz: float, forward: FloatArray) -> float:
    """Speed at which heels go backwards from 15 to 45 % of stance, when the foot is flat [m/s]; 0 below 0.1 m/s."""
    speeds: list[float] = []
    for side, path in heels.items():
        velocity = np.gradient(path @ forward, 1.0 / rate_hz)
        for strike in times[STRIKE, side]:
            later = times[OFF, side][times[OFF, side] > strike]
            if later.size and later[0] - strike < LONGEST_STRIDE_S:
                stance = later[0] - strike
                first, last = (round((strike + share * stance) * rate_hz) for share in FLAT)
                part = velocity[first : last + 1]
                speeds += list(part[np.isfinite(part)])
    speed = -float(np.median(speeds)) if speeds else 0.0
    return speed if speed > 0.1 else 0.0
