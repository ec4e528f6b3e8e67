"""Time and distance of gait: strides, steps, phases, cadence and speed, from foot strikes and offs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, info, warning
from biomec.recording import Event, Markers
from biomec.signals.event_editing import OFF, SIDES, STRIKE
from biomec.signals.kinematic_events import GaitMarkers

LONGEST_STRIDE_S = 3.0  # two strikes of a foot farther apart are not one stride


@dataclass(frozen=True)
class Stride:
    """From one strike of a foot to its next. Times in s on the clock of the trial; None where no event tells.

    off_s                            : foot off
    opposite_off_s, opposite_strike_s: of the other foot, within the stride
    length_m                         : distance between both strikes of the heel along the walk [m]
    """

    side: str
    start_s: float
    end_s: float
    off_s: float | None
    opposite_off_s: float | None
    opposite_strike_s: float | None
    length_m: float | None = None

    @property
    def time_s(self) -> float:
        """Stride time [s]."""
        return self.end_s - self.start_s

    @property
    def stance(self) -> float | None:
        """Share of the stride in which the foot is on the ground."""
        return None if self.off_s is None else (self.off_s - self.start_s) / self.time_s

    @property
    def double_support(self) -> float | None:
        """Share of the stride in which both feet are on the ground: loading response and pre-swing."""
        if self.off_s is None or self.opposite_off_s is None or self.opposite_strike_s is None:
            return None
        return (self.opposite_off_s - self.start_s + self.off_s - self.opposite_strike_s) / self.time_s

    @property
    def single_support(self) -> float | None:
        """Share of the stride in which only this foot is on the ground: mid-stance and terminal stance."""
        if self.opposite_off_s is None or self.opposite_strike_s is None:
            return None
        return (self.opposite_strike_s - self.opposite_off_s) / self.time_s

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
    length_m       : how far its heel lands before the other heel's landing place, along the walk [m]
    width_m        : how far beside it, positive when the feet do not cross [m]
    """

    side: str
    strike_s: float
    time_s: float
    length_m: float | None = None
    width_m: float | None = None


@dataclass(frozen=True)
class GaitParameters:
    """Strides and steps of a trial, and what they amount to; None where there is no complete stride.

    cadence_per_min : steps a minute, 120 / mean stride time
    speed_m_s       : mean over the strides, relative to the ground or the belt [m/s]
    belt_m_s        : speed of the ground against the walk: 0 over ground, the belt's on a treadmill [m/s]
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
) -> GaitParameters:
    """Strides and steps from events; lengths too where markers, their meaning and both directions are given."""
    notices: list[Notice] = []
    times = {(label, side): _times(events, label, side) for label in (STRIKE, OFF) for side in SIDES}
    heels: dict[str, FloatArray] = {}
    belt = 0.0
    if markers is not None and gait is not None and up is not None and forward is not None:
        heels = {side: markers[name] for side, name in gait.heel.items() if name in markers}
        belt = _belt_speed(heels, times, markers.rate_hz, forward)
        if belt:
            sentence = f"The standing heels move backwards at {belt:.2f} m/s: a treadmill. Lengths are along its belt."
            notices.append(info("treadmill", sentence))

    def landing(side: str, t: float) -> FloatArray | None:
        """Heel (3,) at its strike, in axes that move with the belt."""
        if side not in heels or markers is None or forward is None:
            return None
        frames = np.arange(markers.frames) / markers.rate_hz
        point = np.array([np.interp(t, frames, heels[side][:, axis]) for axis in range(3)])
        return np.asarray(point + belt * t * forward) if np.isfinite(point).all() else None

    strides, steps = [], []
    for side, other in (SIDES, SIDES[::-1]):
        strikes = times[STRIKE, side]
        for start, end in pairwise(strikes):
            if end - start > LONGEST_STRIDE_S:
                sentence = f"{side} strikes at {start:.2f} and {end:.2f} s are too far apart to be one stride."
                notices.append(warning("stride-too-long", sentence))
                continue
            a, b = landing(side, start), landing(side, end)
            length = None if a is None or b is None or forward is None else float((b - a) @ forward)
            off, other_off, other_strike = (
                _within(times[kind], start, end) for kind in ((OFF, side), (OFF, other), (STRIKE, other))
            )
            strides.append(Stride(side, float(start), float(end), off, other_off, other_strike, length))
        for strike in strikes:
            before = times[STRIKE, other][times[STRIKE, other] < strike]
            own = strikes[strikes < strike]
            if before.size == 0 or strike - before[-1] > LONGEST_STRIDE_S / 2 or (own.size and own[-1] > before[-1]):
                continue
            a, b = landing(other, float(before[-1])), landing(side, float(strike))
            length = width = None
            if a is not None and b is not None and forward is not None and up is not None:
                right = np.cross(forward, up)
                length = float((b - a) @ forward)
                width = float((b - a) @ right) * (1.0 if side == "Right" else -1.0)
            steps.append(GaitStep(side, float(strike), float(strike - before[-1]), length, width))
    strides.sort(key=lambda stride: stride.start_s)
    steps.sort(key=lambda step: step.strike_s)
    speeds = [stride.speed_m_s for stride in strides if stride.speed_m_s is not None]
    return GaitParameters(
        tuple(strides),
        tuple(steps),
        120.0 / float(np.mean([stride.time_s for stride in strides])) if strides else None,
        float(np.mean(speeds)) if speeds else None,
        belt,
        tuple(notices),
    )


def _times(events: Sequence[Event], label: str, side: str) -> FloatArray:
    return np.sort([event.time_s for event in events if (event.label, event.context) == (label, side)]).astype(float)


def _within(times: FloatArray, start: float, end: float) -> float | None:
    """The one time inside a stride; None where there is none, or more than one."""
    inside = times[(times > start) & (times < end)]
    return float(inside[0]) if inside.size == 1 else None


def _belt_speed(
    heels: dict[str, FloatArray], times: dict[tuple[str, str], FloatArray], rate_hz: float, forward: FloatArray
) -> float:
    """Speed at which heels go backwards from 15 to 45 % of stance, when the foot is flat [m/s]; 0 below 0.1 m/s."""
    speeds: list[float] = []
    for side, path in heels.items():
        velocity = np.gradient(path @ forward, 1.0 / rate_hz)
        for strike in times[STRIKE, side]:
            later = times[OFF, side][times[OFF, side] > strike]
            if later.size and later[0] - strike < LONGEST_STRIDE_S:
                stance = later[0] - strike
                first, last = (round((strike + share * stance) * rate_hz) for share in (0.15, 0.45))
                part = velocity[first : last + 1]
                speeds += list(part[np.isfinite(part)])
    speed = -float(np.median(speeds)) if speeds else 0.0
    return speed if speed > 0.1 else 0.0
