"""A sweep over directions as a map: every figure and risk over the sphere of directions a blow may come from.

Between the directions of the sweep a figure is interpolated linearly over the triangles of their convex hull. A point
u of the sphere lies over the triangle with corners d₁, d₂, d₃ where u = c₁ d₁ + c₂ d₂ + c₃ d₃ with all c ≥ 0; its value
is Σ cᵢ fᵢ / Σ cᵢ.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.frozen import FrozenDict
from biomec.machines.head_neck.measures import risks_of_bric, risks_of_hic
from biomec.machines.head_neck.sweep_study import DIRECTION
from biomec.machines.head_neck.sweeps import directions
from biomec.machines.study import Run

WORDS: Mapping[str, tuple[str, str, float]] = FrozenDict({
    "moderate_bric": ("Risk of AIS 2 or more, by BrIC", "%", 100.0),
    "moderate_hic": ("Risk of AIS 2 or more, by HIC15", "%", 100.0),
    "severe_hic": ("Risk of AIS 4 or more, by HIC15", "%", 100.0),
    "hic15": ("HIC15", "", 1.0),
    "hic36": ("HIC36", "", 1.0),
    "bric": ("BrIC", "", 1.0),
    "peak_g": ("Peak acceleration of the head", "g", 1.0),
    "peak_rad_s": ("Peak angular velocity of the head", "rad/s", 1.0),
    "neck_tension_N": ("Peak tension of the upper neck", "N", 1.0),
    "neck_moment_Nm": ("Peak flexion or extension moment of the upper neck", "N·m", 1.0),
    "ligament_share": ("Largest ligament strain, of its limit", "%", 100.0),
    "level_share": ("Largest flexion or extension, of its limit", "%", 100.0),
})  # fmt: skip
"""Figure of a sweep -> its words, the unit in which it is shown, and the factor to that unit."""
SWEEP = "head-impact-sweep"


@dataclass(frozen=True, eq=False)
class SweepTable:
    """What a sweep found, in the units of `WORDS`.

    blows  : (N,) names
    values : figure -> (N,); NaN where the blow did not come to its end
    sides  : (N, 3) unit vectors from the head's centre towards where each blow comes from; None if not by direction
    """

    blows: tuple[str, ...]
    values: Mapping[str, FloatArray]
    sides: FloatArray | None

    def on(self, figure: str, azimuth_deg: FloatArray, elevation_deg: FloatArray) -> FloatArray:
        """A figure (E, A) over azimuths (A,), 0 from the front and 90 from the left, and elevations (E,) [deg]."""
        assert self.sides is not None
        a, e = np.deg2rad(np.asarray(azimuth_deg)), np.deg2rad(np.asarray(elevation_deg))[:, None]
        places = np.stack([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e) + 0.0 * a], axis=-1)
        return interpolated(self.sides, self.values[figure], places.reshape(-1, 3)).reshape(places.shape[:2])


def sweep_table_of(run: Run) -> SweepTable | None:
    """The table of a run of the sweep; None for a run of another study."""
    if run.study != SWEEP:
        return None
    rows = {one.name: np.array(one.values, dtype=np.float64) for one in run.curves}
    written = list(csv.reader(io.StringIO(run.files["sweep.csv"])))[1:]
    lost = np.array([line[-1] != "completed" for line in written])
    hic, bric = rows["hic15"], rows["bric"]
    rows["moderate_hic"] = np.array([risks_of_hic(one)["moderate"] for one in hic])
    rows["severe_hic"] = np.array([risks_of_hic(one)["severe"] for one in hic])
    rows["moderate_bric"] = np.array([risks_of_bric(one)["moderate"] for one in bric])
    values = {key: read_only(np.where(lost, np.nan, factor * rows[key])) for key, (_, _, factor) in WORDS.items()}
    sides = directions(run.options.finer) if run.options.over == DIRECTION else None
    return SweepTable(tuple(line[0] for line in written), FrozenDict(values), sides)


def interpolated(corners: FloatArray, values: FloatArray, places: FloatArray) -> FloatArray:
    """Values (K,) at unit vectors (K, 3), linear over the triangles between corners (N, 3) with values (N,)."""
    faces = triangles(corners)
    inverse = np.linalg.inv(np.swapaxes(corners[faces], 1, 2))  # (F, 3, 3)
    weights = np.einsum("fij,kj->kfi", inverse, places)
    own = weights.min(axis=2).argmax(axis=1)
    share = np.maximum(weights[np.arange(len(places)), own], 0.0)
    there = values[faces[own]]
    return np.asarray(np.where(share > 1e-12, share * there, 0.0).sum(axis=1) / share.sum(axis=1))


def triangles(corners: Sequence[Sequence[float]] | FloatArray) -> IntArray:
    """Triangles (F, 3) of the convex hull of points (N, 3) on a sphere."""
    from scipy.spatial import ConvexHull

    return np.asarray(ConvexHull(np.asarray(corners)).simplices, dtype=np.int64)
