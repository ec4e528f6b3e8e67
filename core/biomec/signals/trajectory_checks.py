"""Trajectories that no camera can have seen: two markers in one place, and markers that stand still to the last bit.

Both come from other programs: a gap filled with the last value or with another marker, a label copied twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from biomec.base.arrays import BoolArray, IntArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, problem, warning
from biomec.recording import Markers, Trial
from biomec.signals.stretches import stretches


@dataclass(frozen=True)
class TrajectoryCheckOptions:
    """When a trajectory gets a notice.

    shortest_s : stretches shorter than this may be chance [s]
    others_m   : a marker is frozen only while half of the others go further than this; otherwise the subject stands
                 still, and coordinates that were rounded in the file may well repeat [m]
    """

    shortest_s: float = 0.2
    others_m: float = 0.010

    def __post_init__(self) -> None:
        if not (self.shortest_s > 0.0 and self.others_m >= 0.0):
            raise BiomecError(
                "Trajectories: the shortest stretch must be positive, the way of the others not negative."
            )


def check_trajectories(trial: Trial, options: TrajectoryCheckOptions = TrajectoryCheckOptions()) -> tuple[Notice, ...]:
    """Notices of identical and of frozen trajectories; nothing is changed."""
    fewest = max(2, round(options.shortest_s * trial.rate_hz))
    return (*_identical(trial, fewest), *_frozen(trial, fewest, options.others_m))


def _identical(trial: Trial, fewest: int) -> list[Notice]:
    """Pairs of markers in exactly the same place, at least ``fewest`` frames in a row."""
    markers, notices = trial.markers, []
    columns = np.moveaxis(markers.p_WM, 0, 2).copy()  # (M, 3, T): one trajectory in one place of memory
    for a, b in combinations(range(len(markers.names)), 2):
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


def _frozen(trial: Trial, fewest: int, others_m: float) -> list[Notice]:
    """Markers that do not change at all for at least ``fewest`` frames while the others move."""
    markers, notices = trial.markers, []
    if markers.frames < 2:
        return []
    still = (np.diff(markers.p_WM, axis=0) == 0.0).all(axis=2)  # (T − 1, M); NaN equals nothing
    for k in np.flatnonzero(still.sum(axis=0) >= fewest - 1):
        found = _long(still[:, k], fewest - 1) + np.array([0, 1])  # n steps join n + 1 frames
        runs = np.array([run for run in found.tolist() if _others_move(markers, int(k), run, others_m)], np.int64)
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
        sentence = (
            f"{name} does not change by the last digit in {trial.source.name} {_frames(trial, runs)}, while other "
            "markers move: a gap was filled with one value. Treat these frames as hidden, so that they are rebuilt."
        )
        notices.append(warning("frozen-trajectory", sentence, name, frames=_span(runs)))
    return notices


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
