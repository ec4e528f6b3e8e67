"""The filter step: markers and plates, each channel with its own cut-off, after lost markers were rebuilt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.notices import Notice, info, warning
from biomec.base.progress import Progress
from biomec.recording import ForcePlate, Markers, Result
from biomec.recording.step import marker_arrays, plate_arrays, step_result
from biomec.signals.filters import BUTTERWORTH, FILTERS, filter_named, low_pass
from biomec.signals.plate_baseline import missing_notices
from biomec.signals.residual_analysis import ResidualAnalysis, ResidualOptions, residual_analysis
from biomec.signals.stretches import stretches

AXES = "XYZ"
COP_SHIFT_M = 0.005
COP_END_SHIFT_M = 0.02  # where a contact begins or ends a force near the threshold divides the moment: more is usual
CONTACT_END_S = 0.05
FILTERED_BAND = (0.4, 0.6)  # of the end of the grid: where channels without noise get their cut-off
MOVED_M = 0.001  # RMS by which a filter may move a marker without a word: the error of cameras is below it [m]
WRENCH = ("force X", "force Y", "force Z", "moment X", "moment Y", "moment Z")


class CutoffChoice(StrEnum):
    """Where a cut-off comes from."""

    RESIDUAL = "residual"  # found for every channel by residual analysis
    FIXED = "fixed"  # one value for all


@dataclass(frozen=True)
class ManualCutoff:
    """A cut-off given by hand: for all components of a marker or plate, or one for each.

    hz : one value, or three (marker: X, Y, Z), or six (plate: force X, Y, Z, moment X, Y, Z) [Hz]
    """

    name: str
    hz: float | tuple[float, ...]

    def __post_init__(self) -> None:
        for hz in (self.hz,) if isinstance(self.hz, float | int) else self.hz:
            if not (np.isfinite(hz) and hz > 0.0):
                raise BiomecError(f"Filter: {self.name} was given a cut-off of {hz:g} Hz by hand; it must be positive.")


def _by_name(cutoffs: Iterable[ManualCutoff]) -> dict[str, tuple[float, ...]]:
    """Cut-offs given by hand as they are entered."""
    return {one.name: one.hz if isinstance(one.hz, tuple) else (one.hz,) for one in cutoffs}


def _by_hand(by_name: Mapping[str, tuple[float, ...]]) -> tuple[ManualCutoff, ...]:
    """The same, back."""
    return tuple(ManualCutoff(name, hz if len(hz) > 1 else hz[0]) for name, hz in by_name.items())


@dataclass(frozen=True)
class FilterOptions:
    """Which filter, and how cut-offs are chosen; a cut-off given by hand comes before every other.

    cutoff_hz : for ``FIXED``, and for nothing else [Hz]
    shared    : one cut-off, the highest of its components, for a whole marker or plate. A centre of pressure is a
                moment over a force: components that were slowed differently shift it while the load changes fast.
    filter    : name in `FILTERS`
    """

    choice: CutoffChoice = setting(
        CutoffChoice.RESIDUAL, "Cut-off", "Found for every channel by residual analysis, or one value for all.",
        choices={CutoffChoice.RESIDUAL: "by residual analysis", CutoffChoice.FIXED: "one value for all"})  # fmt: skip
    cutoff_hz: float = setting(6.0, "Fixed cut-off", "Used where the cut-off is fixed.", unit="Hz", least=0.0)
    manual: tuple[ManualCutoff, ...] = setting(
        (), "Cut-offs by hand", "One a line: name = Hz, or name = X Y Z; they come before every other.",
        table=(_by_name, _by_hand))  # fmt: skip
    shared: bool = setting(
        False, "One cut-off for all components", "The highest of X, Y and Z is taken for the whole marker or plate."
    )
    residual: ResidualOptions = setting(
        factory=ResidualOptions, label="Residual analysis", help="How the cut-off is sought in the signal itself."
    )
    filter: str = setting(
        BUTTERWORTH, "Filter", "Low-pass that runs forward and backward.",
        choices={name: (one.title, one.help) for name, one in FILTERS.items()})  # fmt: skip

    def __post_init__(self) -> None:
        object.__setattr__(self, "manual", tuple(self.manual))
        filter_named(self.filter)
        if not (np.isfinite(self.cutoff_hz) and self.cutoff_hz > 0.0):
            raise BiomecError(f"Filter: a fixed cut-off of {self.cutoff_hz:g} Hz is not possible; it must be above 0.")
        names = [one.name for one in self.manual]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise BiomecError(f"Filter: {', '.join(twice)} has more than one cut-off given by hand.")


PLATE_FILTER = FilterOptions(shared=True, residual=ResidualOptions(0.25, 120.0, 0.25))
"""For plates: contacts begin and end within milliseconds, so cut-offs are sought up to 120 Hz, one for each plate.
With the grid of the markers, walking would ask for 5 Hz, and the centre of pressure would move by centimetres."""


@dataclass(frozen=True)
class FilteredMarkers:
    """Filtered trajectories, and how each was filtered.

    cutoff_hz : (M, 3) used for X, Y, Z of every marker; NaN where nothing was filtered
    untouched : (T, M, 3) where samples are as they were, because the stretch between two gaps is too short
    analysis  : residual analysis of all channels (M, 3), None unless it was asked for
    """

    markers: Markers
    cutoff_hz: FloatArray
    untouched: BoolArray
    analysis: ResidualAnalysis | None
    options: FilterOptions
    notices: tuple[Notice, ...]

    def to_result(self) -> Result:
        """Return what a session stores: positions, cut-offs, untouched samples, options, notices."""
        return step_result(
            {**marker_arrays(self.markers), "cutoff_hz": self.cutoff_hz, "untouched": self.untouched},
            self.options,
            self.notices,
            names=self.markers.names,
            rate_hz=self.markers.rate_hz,
        )


@dataclass(frozen=True)
class FilteredPlates:
    """Plates with filtered force and moment; their centre of pressure and free moment follow from these two.

    cutoff_hz : (P, 6) used for force X, Y, Z and moment X, Y, Z of every plate; NaN where nothing was filtered
    analyses  : residual analysis of the six channels, one a plate; empty unless it was asked for
    """

    plates: tuple[ForcePlate, ...]
    cutoff_hz: FloatArray
    analyses: tuple[ResidualAnalysis, ...]
    options: FilterOptions
    notices: tuple[Notice, ...]

    def to_result(self) -> Result:
        """Return what a session stores: force and moment of every plate, cut-offs, options, notices."""
        return step_result(
            {**plate_arrays(self.plates), "cutoff_hz": self.cutoff_hz},
            self.options,
            self.notices,
            plates=[plate.name for plate in self.plates],
        )


def filter_markers(
    markers: Markers, options: FilterOptions = FilterOptions(), progress: Progress | None = None
) -> FilteredMarkers:
    """Filter every coordinate of every marker. Rebuild lost markers first: gaps that remain are not bridged."""
    _check_names(options, markers.names, "marker")
    analysis, cutoff, notices = _cutoffs(markers.p_WM, markers.rate_hz, markers.names, AXES, options, progress)
    filtered = low_pass(markers.p_WM, markers.rate_hz, cutoff, filter=options.filter)
    notices += _about_gaps(markers) + _about_untouched(markers.names, filtered.untouched, cutoff, analysis)
    moved = np.linalg.norm(filtered.values - markers.p_WM, axis=2)
    notices += [] if analysis is None else _about_filtered_before(analysis, moved)
    return FilteredMarkers(
        replace(markers, p_WM=filtered.values),
        read_only(cutoff),
        read_only(filtered.untouched, np.bool_),
        analysis,
        options,
        tuple(notices),
    )


def filter_plates(
    plates: Sequence[ForcePlate], options: FilterOptions = PLATE_FILTER, progress: Progress | None = None
) -> FilteredPlates:
    """Filter force and moment of every plate."""
    _check_names(options, tuple(plate.name for plate in plates), "force plate")
    done, cutoffs, analyses, notices = [], np.full((len(plates), 6), np.nan), [], list[Notice]()
    for i, plate in enumerate(plates):
        wrench = np.concatenate([plate.force, plate.moment], axis=1)[:, None, :]  # (N, 1, 6)
        analysis, cutoff, said = _cutoffs(wrench, plate.rate_hz, (plate.name,), WRENCH, options, None)
        filtered = low_pass(wrench, plate.rate_hz, cutoff, filter=options.filter)
        done.append(replace(plate, force=filtered.values[:, 0, :3], moment=filtered.values[:, 0, 3:]))
        cutoffs[i] = cutoff[0]
        analyses += [] if analysis is None else [analysis]
        notices += said + _about_untouched((plate.name,), filtered.untouched, cutoff, analysis)
        notices += _about_shift(plate, done[-1])
        notices += missing_notices(plate, "Every stretch between them was filtered on its own; nothing was bridged.")
        if progress is not None:
            progress((i + 1) / len(plates))
    return FilteredPlates(tuple(done), read_only(cutoffs), tuple(analyses), options, tuple(notices))


FASTEST = 95.0  # percentile of the markers' cut-offs that plates share


def matching_filter(filtered: FilteredMarkers | None) -> FilterOptions | None:
    """Filter that slows plates as the fastest markers were slowed; None if no marker was filtered.

    Accelerations of filtered markers lack what is faster than their cut-off. Forces that keep it are answered by
    nothing but a moment of the joints [BisselingHof2006], [Kristianslund2012], [Bezodis2013]. Where markers have
    cut-offs of their own, those of the feet, on which the force acts, are the highest; a force slower than its foot
    would act where the foot no longer is.
    """
    used = np.empty(0) if filtered is None else filtered.cutoff_hz[np.isfinite(filtered.cutoff_hz)]
    if filtered is None or not used.size:
        return None
    cutoff = float(np.percentile(used, FASTEST))
    return FilterOptions(CutoffChoice.FIXED, cutoff, shared=True, filter=filtered.options.filter)


def _check_names(options: FilterOptions, names: tuple[str, ...], what: str) -> None:
    for one in options.manual:
        if one.name not in names:
            there = ", ".join(names) or "none"
            raise BiomecError(
                f"A cut-off was given for {one.name}, but there is no {what} of that name: there are {there}."
            )


def _cutoffs(
    x: FloatArray,
    rate_hz: float,
    names: tuple[str, ...],
    components: Sequence[str],
    options: FilterOptions,
    progress: Progress | None,
) -> tuple[ResidualAnalysis | None, FloatArray, list[Notice]]:
    """Cut-offs (M, K) of the channels of ``x`` (T, M, K), with the analysis they come from."""
    notices: list[Notice] = []
    analysis = None
    if options.choice is CutoffChoice.RESIDUAL and x.size:
        analysis = residual_analysis(x, rate_hz, options.residual, progress, options.filter)
        cutoff = np.array(analysis.cutoff_hz)
    else:
        cutoff = np.full(x.shape[1:], options.cutoff_hz)
    if options.shared:
        highest = np.where(np.isnan(cutoff), -np.inf, cutoff).max(axis=1, keepdims=True)
        cutoff = np.where(np.isnan(cutoff) | ~np.isfinite(highest), cutoff, highest)
    for one in options.manual:
        if not isinstance(one.hz, float | int) and len(one.hz) != len(components):
            raise BiomecError(
                f"{one.name}: {len(one.hz)} cut-offs were given by hand; give one, or {len(components)}: "
                f"{', '.join(components)}."
            )
        cutoff[names.index(one.name)] = one.hz
    by_hand = [one.name for one in options.manual]
    if by_hand:
        notices.append(info("cutoff-by-hand", f"Cut-offs given by hand: {', '.join(by_hand)}.", *by_hand))
    if analysis is not None:
        notices += _about_analysis(analysis, names, components, by_hand, rate_hz)
    return analysis, cutoff, notices


def _about_analysis(
    analysis: ResidualAnalysis, names: tuple[str, ...], components: Sequence[str], by_hand: list[str], rate_hz: float
) -> list[Notice]:
    """What a user should know of the cut-offs that were found."""
    automatic = np.array([name not in by_hand for name in names])[:, None]
    enough = np.isfinite(analysis.residual).all(axis=0)

    def label(where: BoolArray) -> tuple[str, tuple[str, ...]]:
        listed = [f"{names[m]} {components[k]}" for m, k in np.argwhere(where)]
        return ", ".join(listed), tuple(dict.fromkeys(names[m] for m, _ in np.argwhere(where)))

    notices = []
    text, about = label(automatic & (analysis.crossing_hz < analysis.options.floor_hz))
    if about:
        sentence = (
            f"Residual analysis asked for less than the floor of {analysis.options.floor_hz:g} Hz, which was used: "
        )
        notices.append(info("cutoff-at-floor", sentence + text + ".", *about))
    text, about = label(automatic & enough & np.isnan(analysis.cutoff_hz))
    if about:
        sentence = (
            "Noise could not be separated from the signal, so nothing was filtered (otherwise give a cut-off by hand): "
        )
        notices.append(warning("no-cutoff", sentence + text + ".", *about))
    if analysis.grid_hz[-1] + analysis.options.step_hz <= analysis.options.highest_hz:
        notices.append(
            warning(
                "grid-cut-short",
                f"Recorded at {rate_hz:g} Hz, cut-offs could be tried only up to {analysis.grid_hz[-1]:g} Hz, "
                f"not {analysis.options.highest_hz:g} Hz; the noise is less certain.",
            )
        )
    return notices


def _about_gaps(markers: Markers) -> list[Notice]:
    """Markers that are lost now and then, and those that were never seen."""
    seen = markers.visible.mean(axis=0) if markers.frames else np.zeros(len(markers.names))
    gappy = [name for name, share in zip(markers.names, seen, strict=True) if 0.0 < share < 1.0]
    never = [name for name, share in zip(markers.names, seen, strict=True) if share == 0.0]
    notices = []
    if gappy:
        sentence = "Gaps remain in {}; every stretch was filtered on its own. Rebuild lost markers before filtering."
        notices.append(warning("filtered-with-gaps", sentence.format(", ".join(gappy)), *gappy))
    if never:
        notices.append(info("never-seen", f"There is nothing to filter in {', '.join(never)}: never seen.", *never))
    return notices


def _about_filtered_before(analysis: ResidualAnalysis, moved: FloatArray) -> list[Notice]:
    """Recordings whose cut-offs are those of the grid, not of the movement: they hold no noise within it.

    moved : (T, M) by which the filter moved the markers [m]. Where that is no more than the noise of cameras, nothing
            has to be done: markers that were smoothed before stay as they are.
    """
    found = analysis.cutoff_hz[np.isfinite(analysis.cutoff_hz)]
    low, high = (share * analysis.grid_hz[-1] for share in FILTERED_BAND)
    clustered = int(((found >= low) & (found <= high)).sum())
    by = np.sqrt(np.nanmean(np.where(np.isfinite(moved).any(axis=0), moved, 0.0) ** 2, axis=0)).max(initial=0.0)
    if 2 * clustered <= found.size or by <= MOVED_M:
        return []
    sentence = (
        f"The filter moves markers by up to {1e3 * by:.1f} mm (RMS), more than the cameras' error. Its cut-offs, "
        f"{low:g} to {high:g} Hz, come from where the search ended, not from noise: the markers were filtered before, "
        "or move too fast for it. Leave out this filter, choose a fixed cut-off, or search up to a higher one."
    )
    return [warning("filtered-before", sentence)]


def _about_shift(before: ForcePlate, after: ForcePlate) -> list[Notice]:
    """How far the centre of pressure went, where the plate is loaded before and after: usually, and at contact ends."""
    shift = np.linalg.norm(after.centre_of_pressure() - before.centre_of_pressure(), axis=1)
    known = np.isfinite(shift)
    if not known.any():
        return []
    notices = []
    far = float(np.percentile(shift[known], 95.0))
    if far > COP_SHIFT_M:
        sentence = (
            f"{before.name}: filtering moved the centre of pressure by more than {1e3 * far:.0f} mm in one of 20 "
            "samples. Take a higher cut-off, the same for force and moment."
        )
        notices.append(warning("centre-of-pressure-moved", sentence, before.name))
    changes = np.flatnonzero(np.diff(before.loaded()))
    reach = max(1, round(CONTACT_END_S * before.rate_hz))
    counts = np.zeros(before.samples + 1, dtype=np.int64)  # +1 where the neighbourhood of an end begins, −1 behind it
    np.add.at(counts, np.maximum(changes - reach + 1, 0), 1)
    np.add.at(counts, np.minimum(changes + reach + 1, before.samples), -1)
    at_ends = np.where(known & (np.cumsum(counts[:-1]) > 0), shift, 0.0)
    worst = int(np.argmax(at_ends))
    if at_ends[worst] > COP_END_SHIFT_M:
        sentence = (
            f"{before.name}: where a contact begins or ends, filtering moved the centre of pressure by up to "
            f"{1e3 * at_ends[worst]:.0f} mm (at {before.time_s[worst]:.3f} s). Look at the moments of the plate before "
            "and after the contact, take a higher cut-off, or leave out the ends of the contact."
        )
        notices.append(warning("centre-of-pressure-moved-at-contact-ends", sentence, before.name))
    return notices


def _about_untouched(
    names: tuple[str, ...], untouched: BoolArray, cutoff: FloatArray, analysis: ResidualAnalysis | None
) -> list[Notice]:
    """Stretches that are too short to filter or to analyse; channels without noise have another notice."""
    sought = np.isfinite(cutoff)
    if analysis is not None:
        sought |= np.isnan(analysis.residual).all(axis=0)  # no stretch was long enough to look for a cut-off
    raw = np.asarray((untouched & sought).any(axis=2))  # (T, M)
    notices = []
    for m in np.flatnonzero(raw.any(axis=0)):
        runs = stretches(raw[:, m])
        where = "a stretch" if len(runs) == 1 else f"{len(runs)} stretches"
        sentence = f"{names[m]} is not filtered in {where} shorter than one period of the cut-off."
        frames = (int(runs[0, 0]), int(runs[-1, 1]) - 1)
        notices.append(warning("stretch-too-short", sentence, names[m], frames=frames))
    return notices
