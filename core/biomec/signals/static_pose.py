"""The static pose: where every marker was while the subject stood still with all of them on.

Does it belong to the trial: the same body, and not its mirror image? A marker that is rebuilt from the static of
another subject, or from a mirrored one, looks as good as any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.fields import MM, setting
from biomec.base.notices import Notice, info, problem, warning
from biomec.recording import Markers, Trial
from biomec.recording.marker_set import MarkerSet


@dataclass(frozen=True)
class StaticPoseOptions:
    """Distances within a segment may leave their median by this much; frames beyond it are not used [m]."""

    largest_deviation_m: float = setting(
        0.005, "Largest movement",
        "Frames of the static in which a distance within a segment leaves its median by more are not used.", unit="mm",
        factor=MM, least=0.0)  # fmt: skip


@dataclass(frozen=True, eq=False)
class StaticPose:
    """Mean position of every marker over the usable frames of a static acquisition.

    names       : (M,) markers of the set that the static shows at least once
    p_WM        : (M, 3) [m], in the laboratory axes of the static
    frames_used : frames in the mean
    complete    : frames that show all of them at once
    used        : (T,) which frames of the static were used
    """

    names: tuple[str, ...]
    p_WM: FloatArray
    frames_used: int
    complete: int
    used: BoolArray
    options: StaticPoseOptions
    notices: tuple[Notice, ...] = ()

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> FloatArray:
        """Position (3,) of one marker [m]."""
        return np.asarray(self.p_WM[self.names.index(name)])


def segment_pairs(names: tuple[str, ...], marker_set: MarkerSet) -> IntArray:
    """(P, 2) columns of ``names`` whose markers move with the same segment, and so keep their distance."""
    place = {name: column for column, name in enumerate(names)}
    pairs = {
        (min(place[a], place[b]), max(place[a], place[b]))
        for segment in marker_set.segments
        for a, b in combinations((name for name in segment.markers if name in place), 2)
    }
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def pair_distances(p: FloatArray, pairs: IntArray) -> FloatArray:
    """(..., P) distances [m] of marker pairs in positions ``p`` (..., M, 3)."""
    return np.asarray(np.linalg.norm(p[..., pairs[:, 0], :] - p[..., pairs[:, 1], :], axis=-1))


def static_pose(static: Trial, marker_set: MarkerSet, options: StaticPoseOptions = StaticPoseOptions()) -> StaticPose:
    """Mean of the complete frames, without those in which a segment's distances leave their median.

    Where no frame shows every marker, each is averaged over the frames that show it, with a notice. A subject who moved
    so much that the mean is no longer a rigid body is represented by the single most typical frame.
    """
    file, seen = static.source.name, np.any(static.markers.visible, axis=0).tolist()
    shown = {name for name, once in zip(static.markers.names, seen, strict=True) if once}
    names = tuple(name for name in marker_set.names if name in shown)
    notices = _absent(names, marker_set, file)
    if not names:
        none = read_only(np.zeros(static.frames), bool)
        return StaticPose((), read_only(np.zeros((0, 3))), 0, 0, none, options, tuple(notices))
    p = static.markers.select(names).p_WM
    visible = np.isfinite(p[..., 0])
    complete = np.asarray(visible.all(axis=1))
    basis = complete if complete.any() else np.asarray(visible.any(axis=1))
    if not complete.any():
        notices.append(
            warning(
                "static-never-complete",
                f"No frame of {file} shows all {len(names)} markers at once; each is averaged over the frames that "
                "show it. If the subject moved in between, repeat the static acquisition.",
            )
        )
    pairs = segment_pairs(names, marker_set)
    distances = pair_distances(p, pairs)  # (T, P)
    median = _median(distances[basis])
    deviation = np.nan_to_num(np.abs(distances - median)).max(axis=1, initial=0.0)
    typical = int(np.flatnonzero(basis)[np.argmin(deviation[basis])])  # the frame nearest to the median body
    used = basis & (deviation <= options.largest_deviation_m)
    rejected = int(basis.sum() - used.sum())
    if rejected:
        say = warning if 2 * rejected > basis.sum() else info
        notices.append(
            say(
                "static-frames-rejected",
                f"{rejected} of {int(basis.sum())} frames of {file} were left out of the static pose, because "
                f"distances within a segment leave their median by more than {1e3 * options.largest_deviation_m:g} mm.",
            )
        )
    mean = _mean(p, used, visible, basis)
    bent = np.abs(np.nan_to_num(pair_distances(mean, pairs) - median)).max(initial=0.0) > options.largest_deviation_m
    if bent or not used.any():
        notices.append(
            warning(
                "static-moves",
                f"The subject moves too much in {file} for a mean of frames; frame {static.first_frame + typical} "
                "alone is used. Choose a quieter stretch if there is one.",
                frames=(typical, typical),
            )
        )
        used = np.arange(len(p)) == typical
        mean = _mean(p, used, visible, basis)
    counts = int(used.sum()), int(complete.sum())
    return StaticPose(names, read_only(mean), *counts, read_only(used, bool), options, tuple(notices))


def _absent(names: tuple[str, ...], marker_set: MarkerSet, file: str) -> list[Notice]:
    if not names:
        return [
            problem(
                "static-without-markers",
                f"{file} shows no marker of the set {marker_set.name}. Map its labels to the set first.",
            )
        ]
    absent = marker_set.lacking(names, dynamic=False)
    if not absent:
        return []
    return [
        warning(
            "static-markers-absent",
            f"{file} never shows {', '.join(absent)}. They cannot be rebuilt in the dynamic trials.",
            *absent,
        )
    ]


def _median(distances: FloatArray) -> FloatArray:
    """(P,) median over the frames that show a pair; NaN for pairs that are never seen together."""
    seen = np.isfinite(distances).any(axis=0)
    median = np.full(distances.shape[1], np.nan)
    median[seen] = np.nanmedian(distances[:, seen], axis=0)
    return median


def _mean(p: FloatArray, used: BoolArray, visible: BoolArray, basis: BoolArray) -> FloatArray:
    """(M, 3) mean over the used frames; a marker that none of them shows takes the frames that do."""
    weight = np.where((visible & used[:, None]).any(axis=0), visible & used[:, None], visible & basis[:, None])
    total = np.einsum("tm,tmi->mi", weight.astype(np.float64), np.where(weight[..., None], p, 0.0))
    return np.asarray(total / weight.sum(axis=0)[:, None])


# ----------------------------------------------------------------------------------------- does it belong to the trial?


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
