"""Foot strikes and foot offs from marker trajectories alone, where no plate saw them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, warning
from biomec.recording import Event, Markers, MarkerSet
from biomec.signals.event_editing import OFF, SIDES, STRIKE
from biomec.signals.filters import low_pass
from biomec.signals.peaks import prominent_peaks
from biomec.signals.stretches import stretches

STANDS_M, LOWEST_PERCENT = 0.02, 5.0  # above the height that a foot is below in so many per cent of the frames
BELT_M_S = 0.3  # feet that stand and move faster stand on a belt; on a floor they rest
FEWEST_FRAMES = 3  # fewer have neither a velocity nor a peak


@dataclass(frozen=True)
class GaitMarkers:
    """Markers from which steps are seen.

    pelvis    : one or more markers whose mean moves with the pelvis (the sacrum, or all spines)
    heel, toe : side ("Left", "Right") -> marker at the heel, and over the metatarsals
    """

    pelvis: tuple[str, ...]
    heel: Mapping[str, str]
    toe: Mapping[str, str]


def gait_markers(marker_set: MarkerSet, there: Iterable[str] | None = None) -> GaitMarkers:
    """Markers from which steps are seen in a recording with this set.

    there : names of the recording's markers. Of several that may mark the pelvis (the sacrum, or both posterior spines)
            those are taken that it has; without it, all of the set.
    """
    gait = marker_set.gait
    if gait is None:
        raise BiomecError(
            f"The marker set {marker_set.name} does not say which markers show steps. "
            "Name them in GaitMarkers, or in the table gait of the set."
        )
    here = set(gait.pelvis if there is None else there)
    pelvis = tuple(name for name in gait.pelvis if name in here) or gait.pelvis
    heel, toe = ({"Right": both.right, "Left": both.left} for both in (gait.heel, gait.toe))
    return GaitMarkers(pelvis, heel, toe)


@dataclass(frozen=True)
class KinematicEventOptions:
    """How events are found in marker trajectories.

    method     : "zeni" (foot relative to pelvis [Zeni2008]) or "oconnor" (vertical velocity of the foot [OConnor2007])
    forward    : (3,) direction of walking, if it shall not be found from the markers
    cutoff_hz  : low-pass before the search [Hz]
    bridge_s   : gaps in markers up to this length are bridged by a line for the search only [s]
    prominence : a peak must stand out by this share of the signal's range
    stride_s   : events of one kind and foot are at least this far apart [s]
    """

    method: Literal["zeni", "oconnor"] = "zeni"
    forward: tuple[float, float, float] | None = None
    cutoff_hz: float = 7.0
    bridge_s: float = 0.1
    prominence: float = 0.25
    stride_s: float = 0.4

    def __post_init__(self) -> None:
        if self.method not in ("zeni", "oconnor"):
            raise BiomecError(f"Gait events are found by the method 'zeni' or 'oconnor', not {self.method!r}.")


def kinematic_events(
    markers: Markers, gait: GaitMarkers, up: FloatArray, forward: FloatArray, options: KinematicEventOptions
) -> tuple[tuple[Event, ...], list[Notice]]:
    """Strikes and offs from marker trajectories, by the chosen method, for each foot whose markers are there."""
    if markers.rate_hz <= 2.5 * options.cutoff_hz:
        raise BiomecError(
            f"Markers at {markers.rate_hz:g} Hz are too slow for events from their motion with a low-pass of "
            f"{options.cutoff_hz:g} Hz. Lower the cut-off, or use plates."
        )
    if markers.frames < FEWEST_FRAMES:
        sentence = f"No foot events are found from markers, because {markers.frames} frames show no movement."
        return (), [warning("too-short-for-events", sentence)]
    events: list[Event] = []
    notices: list[Notice] = []
    for side in SIDES:
        needed = [gait.heel.get(side, ""), gait.toe.get(side, ""), *gait.pelvis]
        absent = [name for name in needed if name not in markers]
        if absent:
            roles = ("the heel marker", "the toe marker", *gait.pelvis)
            what = [name or role for name, role in zip(needed, roles, strict=True) if name in absent]
            sentence = (
                f"No {side.lower()} foot events are found from markers, because {' and '.join(what)} "
                f"{'is' if len(what) == 1 else 'are'} missing from the recording or the settings."
            )
            notices.append(warning("gait-markers-missing", sentence, *[name for name in absent if name]))
            continue
        heel, toe = (_bridged(markers[name], markers.rate_hz, options.bridge_s) for name in needed[:2])
        pelvis = _bridged(np.mean([markers[name] for name in gait.pelvis], axis=0), markers.rate_hz, options.bridge_s)
        find = zeni_events if options.method == "zeni" else oconnor_events
        strikes, offs = find(heel, toe, pelvis, up, forward, markers.rate_hz, options)
        events += [Event(float(t), STRIKE, side, "kinematics") for t in strikes]
        events += [Event(float(t), OFF, side, "kinematics") for t in offs]
    return tuple(sorted(events)), notices


def zeni_events(
    heel: FloatArray,
    toe: FloatArray,
    pelvis: FloatArray,
    up: FloatArray,
    forward: FloatArray,
    rate_hz: float,
    options: KinematicEventOptions,
) -> tuple[FloatArray, FloatArray]:
    """Strikes where the heel is farthest before the pelvis, offs where the toe is farthest behind it [Zeni2008] [s].

    strike: max (p_heel − p_pelvis)·forward        off: min (p_toe − p_pelvis)·forward        arrays are (T, 3) [m]
    """
    ahead = _smooth((heel - pelvis) @ forward, rate_hz, options)
    behind = _smooth((pelvis - toe) @ forward, rate_hz, options)
    return _peak_times(ahead, rate_hz, 0.05, options), _peak_times(behind, rate_hz, 0.05, options)


def oconnor_events(
    heel: FloatArray,
    toe: FloatArray,
    pelvis: FloatArray,
    up: FloatArray,
    forward: FloatArray,
    rate_hz: float,
    options: KinematicEventOptions,
) -> tuple[FloatArray, FloatArray]:
    """Strikes and offs from the vertical velocity of the foot's centre, halfway from heel to toe [OConnor2007] [s].

    off: its maxima; strike: its minima while the heel is below 35 % of the range of its height. Arrays are (T, 3) [m].
    """
    height = _smooth(heel @ up, rate_hz, options)
    speed = np.gradient(_smooth(0.5 * (heel + toe) @ up, rate_hz, options), 1.0 / rate_hz)
    if not np.isfinite(height).any():
        return np.zeros(0), np.zeros(0)
    limit = np.nanmin(height) + 0.35 * (np.nanmax(height) - np.nanmin(height))
    low = lambda index: height[index] < limit
    # the trough is shallow beside the peak at foot off: a fifth of the usual prominence
    shallow = replace(options, prominence=0.2 * options.prominence)
    return _peak_times(-speed, rate_hz, 0.1, shallow, low), _peak_times(speed, rate_hz, 0.1, options)


def walking_direction(markers: Markers, gait: GaitMarkers, up: FloatArray) -> FloatArray:
    """Horizontal unit vector (3,) of walking: the pelvis's way if it is longer than 0.5 m, else from heels to toes.

    On a treadmill the way is that over the belt (`belt_velocity`): a person who drifts backwards on it walks forward.
    """
    here = [name for name in gait.pelvis if name in markers]
    if here:
        path = np.mean([markers[name] for name in here], axis=0)
        seen = np.flatnonzero(np.isfinite(path[:, 0]))
        if seen.size > 1:
            lasts_s = float(seen[-1] - seen[0]) / markers.rate_hz
            way = path[seen[-1]] - path[seen[0]] - belt_velocity(markers, gait, up) * lasts_s
            way = way - up * (way @ up)
            if np.linalg.norm(way) > 0.5:
                return level(way, up)
    feet = [
        markers[gait.toe[side]] - markers[gait.heel[side]]
        for side in SIDES
        if gait.toe.get(side, "") in markers and gait.heel.get(side, "") in markers
    ]
    pointing = np.concatenate(feet) if feet else np.zeros((0, 3))
    pointing = pointing[np.isfinite(pointing[:, 0])]
    if len(pointing) == 0:
        raise BiomecError(
            "The direction of walking cannot be found: no marker of the pelvis moves over half a metre, and no "
            "foot has both a heel and a toe marker. Give the direction in the settings."
        )
    return level(pointing.mean(axis=0), up)


def belt_velocity(markers: Markers, gait: GaitMarkers, up: FloatArray) -> FloatArray:
    """Horizontal velocity (3,) of a treadmill's belt, as feet near the floor have it [m/s]; 0 over ground.

    A foot that is no higher than `STANDS_M` above its lowest place stands, and moves with the ground: it rests on a
    floor, and goes with a belt. The median over these frames of both feet counts.
    """
    found = []
    for side in SIDES:
        if gait.toe.get(side, "") in markers and gait.heel.get(side, "") in markers and markers.frames >= FEWEST_FRAMES:
            p = 0.5 * (markers[gait.toe[side]] + markers[gait.heel[side]])
            velocity, height = np.gradient(p, 1.0 / markers.rate_hz, axis=0), p @ up
            seen = np.isfinite(velocity).all(axis=1) & np.isfinite(height)
            if seen.any():
                found.append(velocity[seen & (height < np.percentile(height[seen], LOWEST_PERCENT) + STANDS_M)])
    if len(found) < len(SIDES):
        return np.zeros(3)
    median = np.median(np.concatenate(found), axis=0)
    median = median - up * (median @ up)
    return np.asarray(median if np.linalg.norm(median) > BELT_M_S else np.zeros(3))


def level(vector: FloatArray, up: FloatArray) -> FloatArray:
    """Unit vector (3,) along the horizontal part of a vector."""
    flat = vector - up * (vector @ up)
    length = float(np.linalg.norm(flat))
    if not length > 1e-9:
        raise BiomecError("The direction of walking is vertical or missing; give a horizontal direction.")
    return read_only(flat / length)


def _bridged(path: FloatArray, rate_hz: float, longest_s: float) -> FloatArray:
    """Path (T, 3) with inner gaps up to ``longest_s`` filled by a line, for the search of peaks only."""
    seen = np.isfinite(path[:, 0])
    if seen.all() or not seen.any():
        return path
    gaps = stretches(~seen)
    inner = gaps[(gaps[:, 0] > 0) & (gaps[:, 1] < len(path)) & ((gaps[:, 1] - gaps[:, 0]) <= longest_s * rate_hz)]
    fill = np.zeros(len(path), dtype=np.bool_)
    for first, stop in inner:
        fill[first:stop] = True
    filled = path.copy()
    for axis in range(3):
        filled[fill, axis] = np.interp(np.flatnonzero(fill), np.flatnonzero(seen), path[seen, axis])
    return filled


def _smooth(signal: FloatArray, rate_hz: float, options: KinematicEventOptions) -> FloatArray:
    return np.asarray(low_pass(signal, rate_hz, options.cutoff_hz).values)


def _peak_times(
    signal: FloatArray,
    rate_hz: float,
    least_range: float,
    options: KinematicEventOptions,
    accept: Callable[[np.ndarray], np.ndarray] = lambda index: np.ones(len(index), dtype=np.bool_),
) -> FloatArray:
    """Times (E,) of the peaks of a signal (T,) between gaps, refined by the parabola through three samples [s].

    A peak stands out by the prominence asked for; where the recording ends soon after or before it, by a fifth of it on
    that side. The outermost two samples are not peaks. A signal that varies by less than ``least_range`` is not a step.
    """
    finite = np.isfinite(signal)
    if finite.sum() < 3:
        return np.zeros(0)
    needed = options.prominence * float(np.ptp(signal[finite]))
    if np.ptp(signal[finite]) < least_range:
        return np.zeros(0)
    apart = max(1, round(options.stride_s * rate_hz))
    times: list[float] = []
    for first, stop in stretches(finite):
        part = signal[first:stop]
        padded = np.concatenate([[part.min()], part, [part.min()]])
        standing = np.intersect1d(prominent_peaks(padded, needed) - 1, prominent_peaks(part, 0.2 * needed))
        peaks = standing[(standing >= 2) & (standing < part.size - 2)]
        peaks = peaks[accept(peaks + first)]
        kept: list[int] = []
        for peak in sorted(peaks, key=lambda i: -part[i]):  # the higher of two that are too close
            if all(abs(peak - other) >= apart for other in kept):
                kept.append(int(peak))
        for peak in kept:
            before, at, after = part[peak - 1 : peak + 2]
            bend = before - 2.0 * at + after
            times.append((first + peak + (0.5 * (before - after) / bend if bend < 0.0 else 0.0)) / rate_hz)
    return np.sort(np.asarray(times, dtype=np.float64))
