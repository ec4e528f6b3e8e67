r"""The two markers of a wrist under each other's labels: the thumb then points where no forearm can turn it.

      shoulder ●                  f : elbow -> wrist
                \                 s : shoulder side of the forearm, normal to f; the side to which the elbow bends
          elbow  ●━━━━━━● wrist   b : from the little-finger to the thumb side, normal to f

A forearm turns from its middle position, where the thumb is on the shoulder side (b · s = 1), by 80 to 85° either way
[AAOS1965]: b · s stays positive. Exchanged labels reverse b. The arm must be bent, or s is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.recording import Markers
from biomec.recording.marker_set import MarkerSet
from biomec.signals.static_pose import StaticPose

BENT = float(np.sin(np.deg2rad(20.0)))  # sine of the flexion from which the side of the shoulder is clear
FEWEST = 10  # frames with a bent arm
BEYOND = 0.5  # cos 60°: a median turn of more than 120° from the middle position is beyond every forearm
LANDMARKS = ("AC", "EL", "ER", "EU")  # shoulder, elbow, thumb side, little-finger side


@dataclass(frozen=True)
class ReversedWrist:
    """Two labels of a wrist that are exchanged throughout.

    thumb, little : labels of the thumb and the little-finger side
    turn          : median turn of the forearm from its middle position as labelled [rad]
    in_static     : the static has the same exchange: distances to elbow and hand are alike in both
    """

    thumb: str
    little: str
    turn: float
    in_static: bool


def reversed_wrists(markers: Markers, marker_set: MarkerSet, static: StaticPose | None) -> tuple[ReversedWrist, ...]:
    """Wrists whose two labels are exchanged in the whole trial.

    Some laboratories name the two markers by what is lateral when the arm hangs, so that both arms are reversed. A
    forearm that nobody can turn like this is wrong all the same: labels mean what the marker set says.
    """
    found = []
    for arm in (_arm(markers, marker_set, side) for side in ("D", "E")):
        if arm is not None and arm[2] < -BEYOND:
            thumb, little, cosine = arm
            turn = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
            found.append(ReversedWrist(thumb, little, turn, _alike(markers, marker_set, static, thumb, little)))
    return tuple(found)


def _arm(markers: Markers, marker_set: MarkerSet, side: str) -> tuple[str, str, float] | None:
    """Labels of the thumb and little-finger side, and the median of b · s; None if it cannot be decided."""
    names = [_marker(markers, marker_set, f"{landmark}_{side}") for landmark in LANDMARKS]
    if any(name is None for name in names):
        return None
    shoulder, elbow, thumb, little = (markers[name] for name in names if name is not None)
    along = 0.5 * (thumb + little) - elbow
    with np.errstate(invalid="ignore", divide="ignore"):  # points that coincide: NaN is the answer
        f = along / np.linalg.norm(along, axis=1, keepdims=True)
        s, b = (v - np.sum(v * f, axis=1, keepdims=True) * f for v in (shoulder - elbow, thumb - little))
        bent = np.linalg.norm(s, axis=1) > BENT * np.linalg.norm(shoulder - elbow, axis=1)
        cosines = np.sum(s * b, axis=1) / (np.linalg.norm(s, axis=1) * np.linalg.norm(b, axis=1))
    cosines = cosines[bent & np.isfinite(cosines)]
    if len(cosines) < FEWEST:
        return None
    return str(names[2]), str(names[3]), float(np.median(cosines))


def _marker(markers: Markers, marker_set: MarkerSet, landmark: str) -> str | None:
    """The one marker that is a landmark; None if the trial has none, or the landmark is a mean of several."""
    for way in (*marker_set.landmarks.get(landmark, ()), (landmark,)):
        if len(way) == 1 and way[0] in markers:
            return way[0]
    return None


def _alike(markers: Markers, marker_set: MarkerSet, static: StaticPose | None, thumb: str, little: str) -> bool:
    """Whether distances from the two to their neighbours are those of the static as labelled, not exchanged."""
    if static is None or thumb not in static or little not in static:
        return False
    side = marker_set[thumb].side
    near = [
        one.name
        for one in marker_set.markers
        if one.side is side and one.name not in (thumb, little) and one.name in markers and one.name in static
        and any(segment.endswith(("forearm", "hand", "humerus", "radius", "ulna")) for segment in one.segments)
    ]  # fmt: skip

    def off(a: str, b: str) -> float:
        pairs = ((a, thumb), (b, little))
        return sum(
            abs(_median_distance(markers[name], markers[here]) - float(np.linalg.norm(static[name] - static[there])))
            for name in near
            for here, there in pairs
        )

    return bool(near) and off(thumb, little) < off(little, thumb)


def _median_distance(a: FloatArray, b: FloatArray) -> float:
    distances = np.linalg.norm(a - b, axis=1)
    distances = distances[np.isfinite(distances)]
    return float(np.median(distances)) if len(distances) else 0.0
