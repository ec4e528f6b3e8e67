"""What goes wrong with markers in a laboratory: noise, moving skin, hidden markers, exchanged labels.

Every disturbance is drawn from a generator that is handed in, marker by marker in the order of the trial, so that one
seed always gives the same recording. The truth of the acquisition lists all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.recording.marker_set import MarkerSet

# How much skin moves over the bone, relative to the thigh, where it moves most (after the review of [Leardini2005])
SKIN = {
    "thigh": 1.0, "scapula": 0.9, "humerus": 0.7, "shank": 0.5, "radius": 0.4, "ulna": 0.3, "pelvis": 0.5,
    "thorax": 0.4, "clavicle": 0.3, "foot": 0.15, "hand": 0.15, "head": 0.1, "forearm": 0.35,
    "toes": 0.1, "crutch": 0.0,
}  # fmt: skip
SAG = {"thorax": 1.0, "pelvis": 1.0}  # how far the flesh of the trunk sinks when it lies instead of standing, likewise
DOWN = np.array([0.0, -1.0, 0.0])
FULL_SWING = np.pi / 2  # joint rotation at which skin has moved by its whole amplitude [rad]
OWN_SHARE = 0.4  # of the displacement that differs between the markers of a segment
PLATE_TURN = np.deg2rad(2.0)  # how far a plate turns on its segment when skin has moved by 10 mm


@dataclass(frozen=True)
class LabelError:
    """Two labels exchanged from frame ``first`` to ``last`` (from 0, inclusive)."""

    first: int
    last: int
    markers: tuple[str, str]


@dataclass(frozen=True)
class Gap:
    """A marker hidden from frame ``first`` to ``last`` (from 0, inclusive)."""

    first: int
    last: int
    marker: str


def skin_displacements(
    markers: Mapping[str, FloatArray],
    marker_set: MarkerSet,
    owner: Mapping[str, str],
    turns: Mapping[str, FloatArray],
    proximal: Mapping[str, str],
    amplitude_m: float,
    rng: np.random.Generator,
) -> dict[str, FloatArray]:
    """Displacements (T, 3) [m] of markers over the bones that they stand for, correlated with the motion of the joints.

    markers  : marker -> (3,) standing place [m];  owner : marker -> its segment
    turns    : segment -> (T, 3, 3) turn away from standing
    proximal : segment -> segment at its proximal joint; the angle between the two drives the skin; that of a segment
               without one is driven by the joints that hang on it

    In axes that turn with the segment the displacement is A g(t) d, g being the joint's rotation over a quarter turn
    and d a random direction: in part common to the segment, in part the marker's own. Markers on one plate move as one,
    and turn a little with it. The flesh of the trunk also sinks along gravity, which has another direction in it when
    the person lies than when it stands: A (Eᵀĝ − ĝ).
    """
    on_plate = {name: cluster for cluster in marker_set.clusters for name in cluster.markers}
    common = {segment: _direction(rng) for segment in sorted(set(owner.values()))}
    own = {name: _direction(rng) for name in markers}
    shared = {cluster.name: _direction(rng) for cluster in marker_set.clusters}
    axes = {cluster.name: _direction(rng) for cluster in marker_set.clusters}
    middles = {
        cluster.name: np.mean([markers[name] for name in cluster.markers if name in markers], axis=0)
        for cluster in marker_set.clusters
        if any(name in markers for name in cluster.markers)
    }
    found = {}
    for name, place in markers.items():
        segment = owner[name]
        A = amplitude_m * SKIN[_carrier(marker_set, name, segment).split()[-1]]
        E = turns[segment]
        g = _drive(segment, turns, proximal)[:, None]
        cluster = on_plate.get(name)
        direction = (1.0 - OWN_SHARE) * common[segment] + OWN_SHARE * (shared[cluster.name] if cluster else own[name])
        local = A * g * direction
        local = local + amplitude_m * SAG.get(segment, 0.0) * (DOWN @ E - DOWN)
        if cluster is not None:
            turned = PLATE_TURN * A / 0.010 * g
            local = local + turned * np.cross(axes[cluster.name], place - middles[cluster.name])
        found[name] = np.einsum("tij,tj->ti", E, local)
    return found


def _carrier(marker_set: MarkerSet, marker: str, segment: str) -> str:
    """What a marker sticks on: the crutch in a hand has no skin."""
    (*_, last) = marker_set[marker].segments or (segment,)
    return last if last.endswith("crutch") else segment


def _drive(segment: str, turns: Mapping[str, FloatArray], proximal: Mapping[str, str]) -> FloatArray:
    """What moves the skin of a segment (T,): its proximal joint; the joints that hang on it where it has none.

    The back has no joint of its own, but its skin follows the arms and the shoulder girdle.
    """
    if segment in proximal:
        return _swing(turns[segment], turns[proximal[segment]])
    hanging = [_swing(turns[one], turns[segment]) for one, above in proximal.items() if above == segment]
    return np.asarray(np.mean(hanging, axis=0)) if hanging else np.zeros(len(turns[segment]))


def _swing(E: FloatArray, E_proximal: FloatArray) -> FloatArray:
    """Rotation of a joint away from standing, over a quarter turn (T,)."""
    trace = np.einsum("tij,tij->t", E_proximal, E)
    return np.asarray(np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0)) / FULL_SWING)


def _direction(rng: np.random.Generator) -> FloatArray:
    vector = rng.normal(size=3)
    return np.asarray(vector / np.linalg.norm(vector))


def draw_gaps(
    names: Sequence[str], frames: int, rate_hz: float, per_marker: float, longest_s: float, rng: np.random.Generator
) -> tuple[Gap, ...]:
    """Draw gaps: on average ``per_marker`` in every marker, of all lengths up to the longest."""
    longest = max(1, min(int(longest_s * rate_hz), frames // 4))
    found = []
    for name in names:
        for _ in range(int(rng.poisson(per_marker))):
            length = int(rng.integers(1, longest + 1))
            first = int(rng.integers(1, max(2, frames - length)))
            found.append(Gap(first, min(first + length, frames - 1) - 1, name))
    return tuple(gap for gap in found if gap.last >= gap.first)


def draw_label_errors(
    p_WM: FloatArray, names: Sequence[str], rate_hz: float, count: int, rng: np.random.Generator
) -> tuple[LabelError, ...]:
    """Draw exchanges of labels between neighbours, a tenth to half a second long, on stretches that do not meet."""
    frames = len(p_WM)
    if count == 0 or len(names) < 2:
        return ()
    found = []
    room = frames // count
    for k in range(count):
        first_marker = int(rng.integers(len(names)))
        length = min(int(rng.uniform(0.1, 0.5) * rate_hz), max(1, room // 2))
        first = k * room + int(rng.integers(0, max(1, room - length)))
        distance = np.linalg.norm(p_WM[first] - p_WM[first, first_marker], axis=-1)
        distance[first_marker] = np.inf
        pair = (names[first_marker], names[int(np.nanargmin(distance))])
        found.append(LabelError(first, min(first + length, frames) - 1, pair))
    return tuple(found)


def disturbed(p_WM: FloatArray, names: Sequence[str], gaps: Sequence[Gap], errors: Sequence[LabelError]) -> FloatArray:
    """Trajectories (T, M, 3) with labels exchanged and markers hidden; a hidden sample is NaN."""
    p = p_WM.copy()
    column = {name: k for k, name in enumerate(names)}
    for error in errors:
        a, b = (column[name] for name in error.markers)
        part = slice(error.first, error.last + 1)
        p[part, a], p[part, b] = p_WM[part, b], p_WM[part, a]
    for gap in gaps:
        p[gap.first : gap.last + 1, column[gap.marker]] = np.nan
    return p
