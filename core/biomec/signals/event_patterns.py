"""Events off the plates, timed like those on them: where the foot moves as it moved when a plate saw the event.

Rules for marker trajectories have a bias of their own, several frames for some walkers. Where a plate has seen an event
of the same kind, the motion of that foot around it is a pattern to look for, after the idea of [Stanhope1990].
The pattern is the velocity of heel and toe marker along the walk and upwards, from 60 ms before to 60 ms after; an
event from the markers is moved, by at most 100 ms, to where the sum of squared differences from the pattern is least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.recording import Event, Markers
from biomec.signals.filters import low_pass
from biomec.signals.kinematic_events import FEWEST_FRAMES, GaitMarkers

HALF_WIDTH_S = 0.06
FARTHEST_S = 0.10
CUTOFF_HZ = 10.0


def learned_events(
    markers: Markers,
    gait: GaitMarkers,
    up: FloatArray,
    forward: FloatArray,
    plates: Sequence[Event],
    kinematics: Sequence[Event],
) -> tuple[Event, ...]:
    """Move events from markers to where they fit the pattern of the plates' events of the same kind.

    Patterns of the same foot are preferred to those of the other. Events without a pattern, or whose neighbourhood is
    not fully recorded, stay as they are; all do in a recording that is too short for a velocity.
    """
    if markers.frames < FEWEST_FRAMES:
        return tuple(sorted(kinematics))
    motion = {
        side: _motion(markers, gait.heel[side], gait.toe[side], up, forward)
        for side in gait.heel
        if gait.heel[side] in markers and gait.toe.get(side, "") in markers
    }
    steps = np.arange(-round(HALF_WIDTH_S * markers.rate_hz), round(HALF_WIDTH_S * markers.rate_hz) + 1)
    window = steps / markers.rate_hz
    shifts = np.arange(-FARTHEST_S, FARTHEST_S + 1e-9, 0.25 / markers.rate_hz)
    patterns = {
        (label, side): _pattern(motion, markers.rate_hz, window, plates, label, side)
        for label, side in {(event.label, event.context) for event in kinematics}
    }
    result = []
    for event in kinematics:
        pattern = patterns[event.label, event.context]
        if pattern is None or event.context not in motion:
            result.append(event)
            continue
        seen = _sampled(motion[event.context], markers.rate_hz, event.time_s + shifts[:, None] + window)  # (S, W, 4)
        misfit = ((seen - pattern) ** 2).sum(axis=(1, 2))
        if np.isfinite(misfit).sum() < 3:
            result.append(event)
            continue
        best = int(np.nanargmin(misfit))
        inner = 0 < best < len(shifts) - 1 and np.isfinite(misfit[best - 1 : best + 2]).all()
        # a least misfit at the end of the search is no fit: leave what the rule found
        result.append(replace(event, time_s=float(event.time_s + shifts[best])) if inner else event)
    return tuple(sorted(result))


def _motion(markers: Markers, heel: str, toe: str, up: FloatArray, forward: FloatArray) -> FloatArray:
    """(T, 4) velocity of heel and toe, forward and upwards [m/s]."""
    paths = np.stack([markers[heel], markers[toe]], axis=1)
    cutoff = min(CUTOFF_HZ, 0.4 * markers.rate_hz)
    velocity = np.gradient(low_pass(paths, markers.rate_hz, cutoff).values, 1.0 / markers.rate_hz, axis=0)
    return np.concatenate([velocity @ forward, velocity @ up], axis=1)


def _sampled(motion: FloatArray, rate_hz: float, times: FloatArray) -> FloatArray:
    """Motion (…, 4) at times (…) by linear interpolation; NaN outside the recording and beside gaps."""
    frame = np.floor(times * rate_hz).astype(np.int64)
    share = (times * rate_hz - frame)[..., None]
    inside = (frame >= 0) & (frame + 1 < len(motion))
    before, after = np.where(inside, frame, 0), np.where(inside, frame + 1, 0)
    value = (1.0 - share) * motion[before] + share * motion[after]
    return np.asarray(np.where(inside[..., None], value, np.nan))


def _pattern(
    motion: dict[str, FloatArray], rate_hz: float, window: FloatArray, plates: Sequence[Event], label: str, side: str
) -> FloatArray | None:
    """Mean motion (W, 4) around the plates' events of a kind: of the same foot, else of the other; None without any."""
    of_kind = [e for e in plates if e.label == label and e.context in motion]
    same = [e for e in of_kind if e.context == side]
    found = [_sampled(motion[e.context], rate_hz, e.time_s + window) for e in same or of_kind]
    whole = [pattern for pattern in found if np.isfinite(pattern).all()]
    return np.asarray(np.mean(whole, axis=0)) if whole else None
