"""The filter step: markers and plates, each channel with its own cut-off, after lost markers were rebuilt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.notices import Notice, info
from biomec.base.progress import Progress
from biomec.recording import ForcePlate, Markers, Result
from biomec.recording.step import marker_arrays, plate_arrays, step_result
from biomec.signals.filter_notices import (
    about_analysis,
    about_filtered_before,
    about_gaps,
    about_shift,
    about_short,
    about_unfiltered,
    about_untouched,
)
from biomec.signals.filters import BUTTERWORTH, FILTERS, Filtered, FilterFromSignal, filter_named, low_pass
from biomec.signals.plate_baseline import missing_notices
from biomec.signals.residual_analysis import ResidualAnalysis, ResidualOptions, residual_analysis
from biomec.signals.singular_spectrum import SingularSpectrumOptions

AXES = "XYZ"
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
    filter    : name in `FILTERS`. One that takes its gain from the signal takes no cut-off: ``choice`` is then where
                its gain comes from, and a fixed cut-off or one by hand is that of a Butterworth filter.
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
        BUTTERWORTH, "Filter", "Low-pass without delay.",
        choices={name: (one.title, one.help) for name, one in FILTERS.items()})  # fmt: skip
    singular_spectrum: SingularSpectrumOptions = setting(
        factory=SingularSpectrumOptions, label="Singular spectrum",
        help="How that filter tells movement from noise; other filters do not use it.")  # fmt: skip

    def __post_init__(self) -> None:
        object.__setattr__(self, "manual", tuple(self.manual))
        filter_named(self.filter)
        if not (np.isfinite(self.cutoff_hz) and self.cutoff_hz > 0.0):
            raise BiomecError(f"Filter: a fixed cut-off of {self.cutoff_hz:g} Hz is not possible; it must be above 0.")
        names = [one.name for one in self.manual]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise BiomecError(f"Filter: {', '.join(twice)} has more than one cut-off given by hand.")

    @property
    def from_signal(self) -> FilterFromSignal | None:
        """The filter that finds its gain in the signal, where that is chosen."""
        return filter_named(self.filter).from_signal if self.choice is CutoffChoice.RESIDUAL else None

    @property
    def title(self) -> str:
        """What people call the filter that is used."""
        stands_in = self.choice is CutoffChoice.FIXED and filter_named(self.filter).from_signal is not None
        return filter_named(BUTTERWORTH if stands_in else self.filter).title


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
    filtered, cutoff, analysis, notices = _filtered(
        markers.p_WM, markers.rate_hz, markers.names, AXES, options, progress
    )
    notices += about_gaps(markers)
    moved = np.linalg.norm(filtered.values - markers.p_WM, axis=2)
    notices += [] if analysis is None else about_filtered_before(analysis, moved)
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
        filtered, cutoff, analysis, said = _filtered(wrench, plate.rate_hz, (plate.name,), WRENCH, options, None)
        done.append(replace(plate, force=filtered.values[:, 0, :3], moment=filtered.values[:, 0, 3:]))
        cutoffs[i] = cutoff[0]
        analyses += [] if analysis is None else [analysis]
        notices += said + about_shift(plate, done[-1])
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


def _filtered(
    x: FloatArray,
    rate_hz: float,
    names: tuple[str, ...],
    components: Sequence[str],
    options: FilterOptions,
    progress: Progress | None,
) -> tuple[Filtered, FloatArray, ResidualAnalysis | None, list[Notice]]:
    """Signal ``x`` (T, M, K) filtered, the cut-offs (M, K), the analysis they come from, and what to know of both."""
    by_hand = _by_hand_cutoffs(names, components, options)
    given = np.isfinite(by_hand)
    told = tuple(one.name for one in options.manual)
    notices = [info("cutoff-by-hand", f"Cut-offs given by hand: {', '.join(told)}.", *told)] if told else []
    from_signal = options.from_signal
    if from_signal is None or not x.size:
        analysis, found = _cutoffs(x, rate_hz, options, progress)
        cutoff = np.where(given, by_hand, found)
        if analysis is not None:
            notices += about_analysis(analysis, names, components, told, rate_hz)
        done = low_pass(x, rate_hz, cutoff, filter=options.filter)
        return done, cutoff, analysis, notices + about_untouched(names, done.untouched, cutoff, analysis)
    own = from_signal(x, rate_hz, options.singular_spectrum, options.shared, progress)
    asked = low_pass(x, rate_hz, by_hand, filter=options.filter)
    done = Filtered(np.where(given, asked.values, own.values), np.where(given, asked.untouched, own.untouched))
    cutoff = np.where(given, by_hand, own.cutoff_hz)
    notices += about_short(names, done.untouched, "one period of the cut-off or two windows")
    return done, cutoff, None, notices + about_unfiltered(own, given, x, names, components)


def _cutoffs(
    x: FloatArray, rate_hz: float, options: FilterOptions, progress: Progress | None
) -> tuple[ResidualAnalysis | None, FloatArray]:
    """Cut-offs (M, K) of the channels of ``x`` (T, M, K), with the analysis they come from."""
    analysis = None
    if options.choice is CutoffChoice.RESIDUAL and x.size:
        analysis = residual_analysis(x, rate_hz, options.residual, progress, options.filter)
        cutoff = np.array(analysis.cutoff_hz)
    else:
        cutoff = np.full(x.shape[1:], options.cutoff_hz)
    if options.shared:
        highest = np.where(np.isnan(cutoff), -np.inf, cutoff).max(axis=1, keepdims=True)
        cutoff = np.where(np.isnan(cutoff) | ~np.isfinite(highest), cutoff, highest)
    return analysis, cutoff


def _by_hand_cutoffs(names: tuple[str, ...], components: Sequence[str], options: FilterOptions) -> FloatArray:
    """Cut-offs (M, K) given by hand; NaN where none is."""
    given = np.full((len(names), len(components)), np.nan)
    for one in options.manual:
        if not isinstance(one.hz, float | int) and len(one.hz) != len(components):
            raise BiomecError(
                f"{one.name}: {len(one.hz)} cut-offs were given by hand; give one, or {len(components)}: "
                f"{', '.join(components)}."
            )
        given[names.index(one.name)] = one.hz
    return given
