"""Quality of a recording at a glance: where its samples come from, and which landmarks and markers fit worst.

Cut-off frequencies are sorted by region of the body, as six panels show them: [Nunes2017] Fig. 3.12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.recording.marker_set import MarkerSet, Side
from biomec.signals.reconstruction import SampleOrigin


@dataclass(frozen=True)
class DistanceSpread:
    """Distances of one landmark or marker over the frames that have it [m]: percentiles, mean, rms, largest."""

    name: str
    p5: float
    p25: float
    median: float
    p75: float
    p95: float
    mean: float
    rms: float
    largest: float


def origin_shares(origin: IntArray) -> dict[SampleOrigin, FloatArray]:
    """Origin of a sample -> share (T,) of the markers that have it in a frame; the shares of a frame sum to 1.

    origin : (T, M) `SampleOrigin` of every sample. Markers that the whole recording misses do not count.
    """
    table = np.asarray(origin)
    if table.ndim != 2:
        raise BiomecError(f"Origins need the shape (frames, markers), not {table.shape}.")
    table = table[:, (table != SampleOrigin.MISSING).any(axis=0)]
    count = max(1, table.shape[1])
    return {kind: np.asarray((table == kind).sum(axis=1) / count) for kind in SampleOrigin}


def spreads(names: Sequence[str], distances: FloatArray, valid: BoolArray) -> tuple[DistanceSpread, ...]:
    """DistanceSpread of every column of ``distances`` (T, K) over the ``valid`` frames (T,), the largest rms first.

    Columns without any number there are left out.
    """
    if distances.shape != (len(valid), len(names)):
        raise BiomecError(f"Distances of {len(names)} names in {len(valid)} frames, but the shape {distances.shape}.")
    found = []
    for name, column in zip(names, distances[valid].T, strict=True):  # a loop over names, of which there are few
        x = column[np.isfinite(column)]
        if x.size:
            p5, p25, median, p75, p95 = (float(q) for q in np.percentile(x, [5, 25, 50, 75, 95]))
            rms = float(np.sqrt(np.mean(x**2)))
            found.append(DistanceSpread(name, p5, p25, median, p75, p95, float(x.mean()), rms, float(x.max())))
    return tuple(sorted(found, key=lambda one: -one.rms))


# -------------------------------------------------------------------------------------------------- cut-off frequencies


TRUNK, WRISTS = "Head and trunk", "Wrists and hands"
ARM = {Side.RIGHT: "Girdle and arm, right", Side.LEFT: "Girdle and arm, left"}
LEG = {Side.RIGHT: "Leg, right", Side.LEFT: "Leg, left"}
PANELS = (TRUNK, WRISTS, *ARM.values(), *LEG.values())
_LEGS = ("pelvis", "thigh", "leg", "shank", "foot", "hindfoot", "forefoot", "hallux", "femur", "tibia")
_FOREARMS = ("forearm", "ulna", "radius")
_GIRDLE = ("shoulder", "clavicle", "scapula", "humerus", "upper arm", "arm")


@dataclass(frozen=True, eq=False)
class CutoffPanel:
    """Markers of one region with their cut-offs (K, 3) for X, Y, Z [Hz]; NaN where nothing was filtered."""

    title: str
    names: tuple[str, ...]
    cutoff_hz: FloatArray


def region(marker_set: MarkerSet, name: str) -> str:
    """Panel that a marker belongs to; one that the set does not know counts as the trunk's."""
    if name not in marker_set:
        return TRUNK
    marker = marker_set[name]
    words = [segment.removeprefix("right ").removeprefix("left ") for segment in marker.segments]

    def within(group: Sequence[str]) -> bool:
        return any(word in group for word in words)

    if within(("hand",)) or (within(_FOREARMS) and not within(("humerus",)) and not marker.technical):
        return WRISTS
    if marker.side is not None and within(_LEGS):
        return LEG[marker.side]
    if marker.side is not None and (within(_GIRDLE) or within(_FOREARMS)):
        return ARM[marker.side]
    return TRUNK


def cutoff_panels(marker_set: MarkerSet, names: Sequence[str], cutoff_hz: FloatArray) -> tuple[CutoffPanel, ...]:
    """Sort cut-offs (M, 3) of markers into the panels; a region without any marker has an empty panel."""
    if cutoff_hz.shape != (len(names), 3):
        raise BiomecError(f"Cut-offs of {len(names)} markers need the shape ({len(names)}, 3), not {cutoff_hz.shape}.")
    of = np.array([PANELS.index(region(marker_set, name)) for name in names], dtype=np.int64)
    return tuple(
        CutoffPanel(title, tuple(np.array(names, dtype=object)[of == k]), read_only(cutoff_hz[of == k]))
        for k, title in enumerate(PANELS)
    )
