"""Does the static pose belong to the trial: the same body, and not its mirror image?

A marker that is rebuilt from the static of another subject, or from a mirrored one, looks as good as any other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, problem, warning
from biomec.recording import Markers, Trial
from biomec.recording.marker_set import MarkerSet
from biomec.signals.static_pose import StaticPose, pair_distances, segment_pairs

FRAMES_LOOKED_AT = 100  # spread over the trial: a median of that many is as good as one of thousands


@dataclass(frozen=True)
class StaticCheckOptions:
    """When a static does not fit a trial.

    largest_offset_m : distances within a segment may differ by this much, in the median of its pairs [m]
    largest_ratio    : and by this much of their length, if that is more than ``least_offset_m`` and the segment has at
                       least three pairs (one pair says more of its skin than of the subject's size)
    """

    largest_offset_m: float = 0.015
    largest_ratio: float = 0.05
    least_offset_m: float = 0.005


def check_static(
    trial: Trial, static: StaticPose, marker_set: MarkerSet, options: StaticCheckOptions = StaticCheckOptions()
) -> tuple[Notice, ...]:
    """Notices of segments that are larger, smaller or mirrored in the static pose; none where nothing compares."""
    names = tuple(name for name in trial.markers.names if name in marker_set and name in static)
    markers = trial.markers.select(names)
    step = max(1, trial.frames // FRAMES_LOOKED_AT)
    p = markers.p_WM[::step]
    p_static = np.array([static[name] for name in names]).reshape(-1, 3)
    places = {
        segment.name: [markers.index(name) for name in segment.markers if name in markers]
        for segment in marker_set.segments
    }
    file = trial.source.name
    mirrored = [segment for segment, columns in places.items() if is_mirrored(p[:, columns], p_static[columns])]
    notices = [*_about_sizes(file, markers, p, p_static, marker_set, options)]
    if mirrored:
        notices.append(
            problem(
                "static-mirrored",
                f"The static is a mirror image of {file} in {', '.join(mirrored)}. What is rebuilt there is wrong. "
                "Check the axes of both files, and whether labels are exchanged in one of them.",
                *mirrored,
            )
        )
    return tuple(notices)


def _about_sizes(
    file: str, markers: Markers, p: FloatArray, p_static: FloatArray, marker_set: MarkerSet, options: StaticCheckOptions
) -> list[Notice]:
    """One notice of all segments whose distances differ; only of markers that rebuild one another, which are rigid."""
    pairs = segment_pairs(markers.names, marker_set)
    donors = [marker_set[name].rebuilt_by for name in markers.names]
    rigid = [bool(donors[i]) and donors[i] == donors[j] for i, j in pairs.tolist()]
    pairs = pairs[np.array(rigid, dtype=bool)]
    distances, known = pair_distances(p, pairs), pair_distances(p_static, pairs)
    usable = np.isfinite(distances).any(axis=0) & (known > 0.0)
    pairs, known = pairs[usable], known[usable]
    offset = known - np.nanmedian(distances[:, usable], axis=0) if len(known) else np.zeros(0)
    found = []
    for segment in marker_set.segments:
        here = np.array([name in segment.markers for name in markers.names], dtype=bool)
        mine = here[pairs].all(axis=1)
        if not mine.any():
            continue
        typical = float(np.median(np.abs(offset[mine])))
        ratio = float(np.median(offset[mine] / (known[mine] - offset[mine] + 1e-9)))  # of the length in the trial
        of_its_size = mine.sum() >= 3 and abs(ratio) > options.largest_ratio and typical > options.least_offset_m
        if typical > options.largest_offset_m or of_its_size:
            found.append((segment.name, typical, ratio))
    if not found:
        return []
    listed = ", ".join(f"{name} ({1e3 * typical:.0f} mm, {100.0 * ratio:+.0f} %)" for name, typical, ratio in found)
    sentence = (
        f"The static does not fit {file}: distances between markers of one segment differ from those in the trial: "
        f"{listed}. Is it of another subject or another day, or in another unit? Take the static of this session."
    )
    return [warning("static-other-size", sentence, *(name for name, _, _ in found))]


def is_mirrored(p: FloatArray, p_static: FloatArray) -> bool:
    """True if the mirror image of the static points (K, 3) fits ``p`` (T, K, 3) clearly better than they do themselves.

    With both taken from their means and brought to the same size, and H = Σ p_s pᵀ = U S Vᵀ, the best turn leaves
    Σ p_s² + Σ p² − 2 (S₁ + S₂ ± S₃), with + if det(V Uᵀ) > 0; the best turn of the mirror image has the other sign
    [SoderkvistWedin1993]. Needs four points that do not lie in a plane; flat or soft segments give False.
    """
    whole = p[np.isfinite(p).all(axis=(1, 2))] if p.shape[1] >= 4 else p[:0]
    size = np.linalg.norm(p_static - p_static.mean(axis=0)) if len(whole) else 0.0
    if size == 0.0:
        return False
    a = (p_static - p_static.mean(axis=0)) / size
    b = whole - whole.mean(axis=1, keepdims=True)
    sizes = np.linalg.norm(b, axis=(1, 2))
    b = b / np.where(sizes > 0.0, sizes, np.inf)[:, None, None]
    U, S, Vt = np.linalg.svd(np.einsum("ki,tkj->tij", a, b))
    hand = np.sign(np.linalg.det(U) * np.linalg.det(Vt))
    left, left_mirrored = (np.maximum(2.0 - 2.0 * (S[:, 0] + S[:, 1] + s * hand * S[:, 2]), 0.0) for s in (1.0, -1.0))
    # twice as near, and by more than 5 % of the size of the segment: soft tissue does neither
    clearly = (left > 4.0 * left_mirrored) & (left > left_mirrored + 0.05**2)
    return bool(np.mean(clearly & (sizes > 0.0)) > 0.5)
