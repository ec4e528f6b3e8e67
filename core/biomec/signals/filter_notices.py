"""What a user should know of the filter step: cut-offs that were not found, gaps, short stretches, moved loads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.notices import Notice, info, warning
from biomec.recording import ForcePlate, Markers
from biomec.signals.residual_analysis import ResidualAnalysis
from biomec.signals.singular_spectrum import FromSignal
from biomec.signals.stretches import stretches

COP_SHIFT_M = 0.005
COP_END_SHIFT_M = 0.02  # where a contact begins or ends a force near the threshold divides the moment: more is usual
CONTACT_END_S = 0.05
FILTERED_BAND = (0.4, 0.6)  # of the end of the grid: where channels without noise get their cut-off
MOVED_M = 0.001  # RMS by which a filter may move a marker without a word: the error of cameras is below it [m]
NO_CUTOFF = "Noise could not be separated from the signal, so nothing was filtered (otherwise give a cut-off by hand): "


def about_analysis(
    analysis: ResidualAnalysis,
    names: tuple[str, ...],
    components: Sequence[str],
    by_hand: Sequence[str],
    rate_hz: float,
) -> list[Notice]:
    """What a user should know of the cut-offs that were found."""
    automatic = np.array([name not in by_hand for name in names])[:, None]
    enough = np.isfinite(analysis.residual).all(axis=0)

    notices = []
    text, about = _channels(names, components, automatic & (analysis.crossing_hz < analysis.options.floor_hz))
    if about:
        sentence = (
            f"Residual analysis asked for less than the floor of {analysis.options.floor_hz:g} Hz, which was used: "
        )
        notices.append(info("cutoff-at-floor", sentence + text + ".", *about))
    text, about = _channels(names, components, automatic & enough & np.isnan(analysis.cutoff_hz))
    if about:
        notices.append(warning("no-cutoff", NO_CUTOFF + text + ".", *about))
    if analysis.grid_hz[-1] + analysis.options.step_hz <= analysis.options.highest_hz:
        notices.append(
            warning(
                "grid-cut-short",
                f"Recorded at {rate_hz:g} Hz, cut-offs could be tried only up to {analysis.grid_hz[-1]:g} Hz, "
                f"not {analysis.options.highest_hz:g} Hz; the noise is less certain.",
            )
        )
    return notices


def _channels(names: tuple[str, ...], components: Sequence[str], where: BoolArray) -> tuple[str, tuple[str, ...]]:
    """Channels (M, K) in words, and whom they are of."""
    listed = [f"{names[m]} {components[k]}" for m, k in np.argwhere(where)]
    return ", ".join(listed), tuple(dict.fromkeys(names[m] for m, _ in np.argwhere(where)))


def about_gaps(markers: Markers) -> list[Notice]:
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


def about_filtered_before(analysis: ResidualAnalysis, moved: FloatArray) -> list[Notice]:
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


def about_shift(before: ForcePlate, after: ForcePlate) -> list[Notice]:
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


def about_untouched(
    names: tuple[str, ...], untouched: BoolArray, cutoff: FloatArray, analysis: ResidualAnalysis | None
) -> list[Notice]:
    """Stretches that are too short to filter or to analyse; channels without noise have another notice."""
    sought = np.isfinite(cutoff)
    if analysis is not None:
        sought |= np.isnan(analysis.residual).all(axis=0)  # no stretch was long enough to look for a cut-off
    return about_short(names, np.asarray(untouched & sought), "one period of the cut-off")


def about_short(names: tuple[str, ...], untouched: BoolArray, least: str) -> list[Notice]:
    """Stretches (T, M, K) that were left as they are, because they are shorter than ``least``."""
    raw = np.asarray(untouched.any(axis=2))  # (T, M)
    notices = []
    for m in np.flatnonzero(raw.any(axis=0)):
        runs = stretches(raw[:, m])
        where = "a stretch" if len(runs) == 1 else f"{len(runs)} stretches"
        sentence = f"{names[m]} is not filtered in {where} shorter than {least}."
        frames = (int(runs[0, 0]), int(runs[-1, 1]) - 1)
        notices.append(warning("stretch-too-short", sentence, names[m], frames=frames))
    return notices


def about_unfiltered(
    own: FromSignal, given: BoolArray, x: FloatArray, names: tuple[str, ...], components: Sequence[str]
) -> list[Notice]:
    """Channels in which a filter that goes by the signal found nothing to take away, though they were long enough."""
    long_enough = (np.isfinite(x) & ~own.untouched).any(axis=0)
    text, about = _channels(names, components, long_enough & ~given & np.isnan(own.cutoff_hz))
    return [warning("no-cutoff", NO_CUTOFF + text + ".", *about)] if about else []
