"""Lost and removed markers, rebuilt from the static pose; every sample says where it comes from.

Markers of a segment span a frame; a hidden one keeps its coordinates in it. Interpolation in time is the last resort,
used only where too few markers of a segment are seen. `docs/marker-sets.md` explains the method and its limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import MM, setting
from biomec.base.notices import Notice
from biomec.base.progress import Progress
from biomec.recording import Markers, Result, Trial
from biomec.recording.marker_set import MarkerSet
from biomec.recording.step import marker_arrays, step_result
from biomec.signals.gap_filling import GapFill, anchored, fill_gaps, frames_from, gap_lengths
from biomec.signals.local_frames import Donors, PoseMethod
from biomec.signals.reconstruction_notices import GapReporter, rebuilt_far_off, summary
from biomec.signals.static_pose import StaticPose, check_static

NEAR_S = 0.1  # to a measured sample: there an anchored marker follows what was measured, whatever the static says [s]


class SampleOrigin(IntEnum):
    """Where a sample comes from."""

    MISSING = 0
    MEASURED = 1
    REBUILT = 2  # from other markers of its segment and the static pose
    INTERPOLATED = 3  # by a path in time


@dataclass(frozen=True)
class ReconstructionOptions:
    """pose: how a segment's pose follows from its markers; gap_fill: how a path is found through a gap that no other
    markers close; gap_limit_s: longest gap that may be interpolated [s]; smallest_height_m: a triad lower than this is
    nearly a line and not used [m]; largest_rms_m: a marker whose rebuilt place is further than this from where it was
    measured, as a root mean square, gets a notice [m]; anchored: rebuilt markers begin and end where the measured ones
    do (`gap_filling.anchored`).
    """

    pose: PoseMethod = setting(
        PoseMethod.TRIAD, "Pose of a segment",
        "From the largest triangle of markers, or from all markers by least squares.",
        choices={PoseMethod.TRIAD: "largest triangle of markers",
        PoseMethod.LEAST_SQUARES: "all markers, least squares"})  # fmt: skip
    gap_fill: GapFill = setting(
        GapFill.LEAST_JERK, "Path through a gap",
        "Smoothest path that the noise of the samples allows, or a cubic spline through the samples, as published.",
        choices={GapFill.LEAST_JERK: "least jerk that the noise allows",
        GapFill.SPLINE: "cubic spline through the samples"})  # fmt: skip
    gap_limit_s: float = setting(
        0.2, "Longest gap to interpolate", "Longer gaps that no other markers can close stay open.", unit="s", least=0.0
    )
    smallest_height_m: float = setting(
        0.010, "Lowest triangle", "A triangle of markers lower than this is nearly a line and is not used.", unit="mm",
        factor=MM, least=0.0)  # fmt: skip
    largest_rms_m: float = setting(
        0.030, "Largest error of rebuilding", "A marker rebuilt further off (root mean square) gets a notice.",
        unit="mm", factor=MM, least=0.0)  # fmt: skip
    anchored: bool = setting(
        True, "Rebuilt markers meet the measured",
        "A rebuilt marker begins and ends where it was measured before and after the gap. Off: where the static pose "
        "puts it, as published.")  # fmt: skip

    def __post_init__(self) -> None:
        if not (np.isfinite(self.gap_limit_s) and self.gap_limit_s >= 0.0):
            raise BiomecError(f"The gap limit is {self.gap_limit_s} s; give a number of seconds, 0 for no filling.")
        if not (np.isfinite(self.smallest_height_m) and self.smallest_height_m > 0.0):
            raise BiomecError(f"The smallest height of a triad is {self.smallest_height_m} m; it must be positive.")
        if not self.largest_rms_m > 0.0:
            raise BiomecError(f"The largest rms of a rebuilt marker is {self.largest_rms_m} m; it must be positive.")


@dataclass(frozen=True)
class MarkerQuality:
    """How one marker fared.

    measured … missing : fractions of the frames
    on_interpolated    : fraction of the frames in which it was rebuilt with the help of an interpolated marker
    checked            : frames in which it was measured and could also be rebuilt from the others
    rms_m, p95_m, max_m: distance between both in those frames [m]; NaN if there is none
    noise_gain         : error of the rebuilt marker for an error of 1 in each of the markers that rebuild it, with all
                         of them in sight; NaN if it cannot be rebuilt
    """

    name: str
    measured: float
    rebuilt: float
    interpolated: float
    missing: float
    on_interpolated: float
    checked: int
    rms_m: float
    p95_m: float
    max_m: float
    noise_gain: float


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """Markers without the gaps that could honestly be closed.

    markers  : those of the trial in their order, then the removed ones that were rebuilt
    origin   : (T, M) `SampleOrigin` of every sample, as integers
    residual : (T, M) distance between measured and rebuilt where both exist [m], else NaN
    """

    markers: Markers
    origin: IntArray
    residual: FloatArray
    quality: tuple[MarkerQuality, ...]
    options: ReconstructionOptions
    notices: tuple[Notice, ...] = ()

    @property
    def seen(self) -> BoolArray:
        """(M,) markers that were measured in some frame; those of the static only say nothing of a frame."""
        return np.asarray((self.origin == SampleOrigin.MEASURED).any(axis=0))

    def fraction(self, origin: SampleOrigin) -> float:
        """Fraction of the samples of that origin, among those of markers that were seen."""
        samples = self.origin[:, self.seen]
        return float(np.mean(samples == origin)) if samples.size else 0.0

    def __getitem__(self, name: str) -> MarkerQuality:
        return self.quality[self.markers.index(name)]

    def to_result(self) -> Result:
        """Return what a session stores: positions, origin of every sample, residuals, quality, options, notices."""
        return step_result(
            {**marker_arrays(self.markers), "origin": self.origin.astype(np.uint8), "residual": self.residual},
            self.options,
            self.notices,
            names=self.markers.names,
            rate_hz=self.markers.rate_hz,
            origins={origin.name.lower(): origin for origin in SampleOrigin},
            quality=self.quality,
        )


def reconstruct(
    trial: Trial,
    static: StaticPose,
    marker_set: MarkerSet,
    options: ReconstructionOptions = ReconstructionOptions(),
    progress: Progress | None = None,
) -> Reconstruction:
    """Rebuild hidden and removed markers     [Nunes2017] chapter 3

    1. Where three markers of a segment are seen, the others are rebuilt in the frame of the largest triangle.
       The difference from the measured marker before and after the gap is carried through it.
    2. Where fewer are seen, trajectories are interpolated (`gap_filling`), the shortest gap first, until three exist.
    3. The rest of those frames is rebuilt as in 1.
    4. What no three markers can rebuild (hands, feet, single markers) is interpolated by itself.
    Nothing is extrapolated, and gaps beyond the limit stay missing with a notice.
    """
    body = _Body(trial, static, marker_set, options)
    p = body.p.copy()
    measured = np.isfinite(p[..., 0])
    origin = np.where(measured, SampleOrigin.MEASURED, SampleOrigin.MISSING)

    estimate = body.rebuilt(p, progress)
    residual = np.where(measured, np.linalg.norm(estimate - p, axis=2), np.nan)
    _fill(p, origin, _met(estimate, body, trial.rate_hz, options), SampleOrigin.REBUILT)

    interpolated = fill_gaps(p, trial.rate_hz, options.gap_limit_s, options.gap_fill)
    gaps = gap_lengths(np.isfinite(p[..., 0]))
    for columns, donors in body.groups():
        wanted = _shortest_gaps_first(p, interpolated, gaps, columns, donors)
        part = np.where(wanted[..., None], interpolated[:, columns], np.nan)
        p_group, origin_group = p[:, columns], origin[:, columns]
        _fill(p_group, origin_group, part, SampleOrigin.INTERPOLATED)
        p[:, columns], origin[:, columns] = p_group, origin_group

    before = origin == SampleOrigin.REBUILT
    rest = np.flatnonzero(np.isnan(p[..., 0]).any(axis=1))
    with_rest = estimate.copy()
    with_rest[rest] = body.rebuilt(p[rest])
    _fill(p, origin, _met(with_rest, body, trial.rate_hz, options), SampleOrigin.REBUILT)
    on_interpolated = (origin == SampleOrigin.REBUILT) & ~before
    interpolated = fill_gaps(p, trial.rate_hz, options.gap_limit_s, options.gap_fill)
    _fill(p, origin, interpolated, SampleOrigin.INTERPOLATED)

    kept = [k for k, name in enumerate(body.names) if name in trial.markers or np.isfinite(p[:, k, 0]).any()]
    names = tuple(body.names[k] for k in kept)
    markers = Markers(names, read_only(p[:, kept]), trial.rate_hz, _system_residual(trial.markers, len(names)))
    origin, residual = origin[:, kept], residual[:, kept]
    gains = body.noise_gains()
    quality = tuple(
        _quality(body.names[k], origin[:, place], residual[:, place], on_interpolated[:, k], gains[k])
        for place, k in enumerate(kept)
    )
    reporter = GapReporter(trial, static, marker_set, options.gap_limit_s)
    notices = [*reporter.no_marker_of_the_set(), *check_static(trial, static, marker_set)]
    rest_on = origin == SampleOrigin.REBUILT
    if options.anchored:
        rest_on &= frames_from(np.asarray(origin == SampleOrigin.MEASURED)) > NEAR_S * trial.rate_hz
    used = {name for name, rebuilt in zip(names, rest_on.any(axis=0), strict=True) if rebuilt}
    notices += rebuilt_far_off(trial, {one.name: one.rms_m for one in quality}, options.largest_rms_m, used)
    missing = origin == SampleOrigin.MISSING
    seen = [name for name, hidden in zip(names, missing.all(axis=0), strict=True) if not hidden]
    notices += reporter.gaps({name: missing[:, k] for k, name in enumerate(names) if name in seen})
    notices += reporter.never_seen({*names, *marker_set.lacking(names, dynamic=False)}.difference(seen), seen)
    found = Reconstruction(markers, read_only(origin, np.int64), read_only(residual), quality, options)
    computed = [name for name, there, here in zip(names, found.seen, ~missing.all(axis=0), strict=True) if here > there]
    shares = {kind.name.lower(): found.fraction(kind) for kind in SampleOrigin}
    whole = 1.0 - float(np.mean((origin[:, found.seen] != SampleOrigin.MEASURED).any(axis=1))) if len(origin) else 0.0
    return replace(found, notices=(*summary(trial, shares, whole, computed), *notices))


def seen_by_the_others(
    trial: Trial, static: StaticPose, marker_set: MarkerSet, options: ReconstructionOptions = ReconstructionOptions()
) -> Markers:
    """Every marker where the others of its segment put it, whether it was seen itself or not; NaN where they cannot.

    Beside the measured markers it tells how far rebuilding can be trusted.     [Nunes2017] appendix A
    """
    body = _Body(trial, static, marker_set, options)
    return Markers(body.names, read_only(body.rebuilt(body.p)), trial.rate_hz)


class _Body:
    """Columns of all markers that are measured or can be rebuilt, and the donors of each."""

    def __init__(self, trial: Trial, static: StaticPose, marker_set: MarkerSet, options: ReconstructionOptions) -> None:
        added = [n for n in marker_set.placed if n in static and n not in trial.markers]
        self.names = (*trial.markers.names, *added)
        self.p = np.full((trial.frames, len(self.names), 3), np.nan)
        self.p[:, : len(trial.markers.names)] = trial.markers.p_WM
        self._static, self._set, self._options = static, marker_set, options
        place = {name: column for column, name in enumerate(self.names)}
        self.donors_of: dict[int, tuple[int, ...]] = {}
        for name in self.names:
            if name in marker_set:
                donors = [place[d] for d in marker_set[name].rebuilt_by if d in place and d in static]
                self.donors_of[place[name]] = tuple(donors)
        self._bundles = self._bundle()

    def _donors(self, columns: tuple[int, ...]) -> Donors:
        names = [self.names[k] for k in columns]
        plate = self._set.cluster_of(names)
        order = None if plate is None else tuple(names.index(name) for name in plate.markers)
        p_static = np.array([self._static[name] for name in names]).reshape(-1, 3)
        return Donors.at(p_static, self._options.smallest_height_m, self._options.pose, order)

    def _bundle(self) -> list[tuple[tuple[int, ...], Donors, list[int], FloatArray]]:
        """Donor columns, donors, target columns and static targets: targets with the same donors go together."""
        bundles: dict[tuple[int, ...], list[int]] = {}
        for target, donors in self.donors_of.items():
            others = tuple(k for k in donors if k != target)
            if self.names[target] in self._static and len(others) >= 3:
                bundles.setdefault(others, []).append(target)
        return [
            (columns, self._donors(columns), targets, np.array([self._static[self.names[k]] for k in targets]))
            for columns, targets in bundles.items()
        ]

    def groups(self) -> Iterator[tuple[list[int], Donors]]:
        """Every set of donors that has something to rebuild, with its columns."""
        for columns in dict.fromkeys(self.donors_of.values()):
            if columns:
                yield list(columns), self._donors(columns)

    def rebuilt(self, p: FloatArray, progress: Progress | None = None) -> FloatArray:
        """(T, M, 3) every marker as the others of its segment see it; NaN where they are too few."""
        estimate = np.full_like(p, np.nan)
        for done, (columns, donors, targets, targets_static) in enumerate(self._bundles, start=1):
            estimate[:, targets] = donors.rebuild(p[:, columns], targets_static)
            if progress is not None:
                progress(done / len(self._bundles))
        return estimate

    def noise_gains(self) -> Mapping[int, float]:
        """‖∂m/∂donors‖ / √3 of every marker at the static pose, by central differences; NaN if it has no donors."""
        step = 1e-6  # m; the static pose is of order 1 m, so that rounding and curvature both stay near 1e-9
        gains = dict.fromkeys(range(len(self.names)), float("nan"))
        for columns, donors, targets, targets_static in self._bundles:
            shifts = step * np.eye(3 * len(columns)).reshape(-1, len(columns), 3)
            ahead, behind = (donors.rebuild(donors.p_static + s * shifts, targets_static) for s in (1.0, -1.0))
            slope = (ahead - behind) / (2.0 * step)  # (3 K, L, 3)
            norms = np.sqrt((slope**2).sum(axis=(0, 2)) / 3.0)
            gains.update((target, float(norm)) for target, norm in zip(targets, norms, strict=True))
        return gains


def _system_residual(markers: Markers, count: int) -> FloatArray | None:
    """The capture system's own residual, NaN for the markers that were added."""
    if markers.residual is None:
        return None
    added = np.full((markers.frames, count - len(markers.names)), np.nan)
    return read_only(np.concatenate([markers.residual, added], axis=1))


def _met(estimate: FloatArray, body: _Body, rate_hz: float, options: ReconstructionOptions) -> FloatArray:
    """Rebuilt markers (T, M, 3), made to meet the measured ones if the options ask for it."""
    return anchored(estimate, body.p, rate_hz) if options.anchored else estimate


def _fill(p: FloatArray, origin: IntArray, values: FloatArray, kind: SampleOrigin) -> None:
    """Put ``values`` where ``p`` has no sample, and note their origin. Both are changed in place."""
    new = np.isnan(p[..., 0]) & np.isfinite(values[..., 0])
    p[new], origin[new] = values[new], kind


def _shortest_gaps_first(
    p: FloatArray, interpolated: FloatArray, gaps: FloatArray, columns: list[int], donors: Donors
) -> BoolArray:
    """(T, K) which donors to interpolate so that a usable triad exists, and no more of them than needed."""
    present = np.isfinite(p[:, columns, 0])
    fillable = ~present & np.isfinite(interpolated[:, columns, 0])
    wanted = np.zeros_like(present)
    order = np.argsort(np.where(fillable, gaps[:, columns], np.inf), axis=1, kind="stable")
    for rank in range(len(columns)):  # one more donor at a time, in all frames that still lack a triad
        short = np.flatnonzero(~donors.suffice(present | wanted))
        column = order[short, rank]
        wanted[short, column] = fillable[short, column]
    return wanted


def _quality(
    name: str, origin: IntArray, residual: FloatArray, on_interpolated: BoolArray, gain: float
) -> MarkerQuality:
    found = residual[np.isfinite(residual)]

    def share(flags: BoolArray) -> float:
        return float(np.mean(flags)) if len(flags) else 0.0

    return MarkerQuality(
        name,
        measured=share(origin == SampleOrigin.MEASURED),
        rebuilt=share(origin == SampleOrigin.REBUILT),
        interpolated=share(origin == SampleOrigin.INTERPOLATED),
        missing=share(origin == SampleOrigin.MISSING),
        on_interpolated=share(on_interpolated),
        checked=len(found),
        rms_m=float(np.sqrt(np.mean(found**2))) if len(found) else float("nan"),
        p95_m=float(np.percentile(found, 95)) if len(found) else float("nan"),
        max_m=float(found.max()) if len(found) else float("nan"),
        noise_gain=gain,
    )
