"""What markers say about the unit of length: by the size of a person, and by another recording of the same one."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, Severity, warning
from biomec.recording import Markers, Trial

QUIET = np.errstate(over="ignore", invalid="ignore")  # numbers of a damaged file overflow, and then speak for nothing
FACTORS = (1e-3, 1e3, 1e-2, 1e-6, 1e6)  # between usual units of length, the most usual first
BODY_M = (0.1, 5.0)  # diagonal of the box around the markers of one person, or of a part of one
SAME = 3.0  # another posture changes the typical distance by less than this
FITS = 2.0  # a factor between two units brings it as near as this
LEAST = 3  # distances that are in both: a single one, as between the hands, says more about posture than about units
LOOKED_AT = 50  # frames


def examined_units(trial: Trial) -> Trial:
    """Return the trial with its unit of length as the markers have it, where it was only assumed, and a notice."""
    factor, notices = examine_units(trial)
    if factor != 1.0 and any(_unit_was_assumed(notice) for notice in trial.notices):
        trial = scaled(trial, factor)
        words = f"The file states no unit of length; its lengths were multiplied by {factor:g}, so that a person fits."
        notices = (warning("unit-by-evidence", words),)
    elif factor == 1.0:
        trial = replace(trial, notices=_confirmed(trial))
    return trial.with_notices(*(notice for notice in notices if notice not in trial.notices))


def _unit_was_assumed(notice: Notice) -> bool:
    return notice.code.endswith(("unit-assumed", "unit-guessed"))


@QUIET
def _confirmed(trial: Trial) -> tuple[Notice, ...]:
    """Notices of a trial; an assumed unit with which the markers span a person is no doubt any more."""
    size = _body_size(trial.markers)
    if size is None or not BODY_M[0] <= size <= BODY_M[1]:
        return trial.notices
    fits = f" The markers then span {size:.2f} m, as those of a person do."
    return tuple(
        replace(one, severity=Severity.INFO, sentence=one.sentence.removesuffix(" Check it.") + fits)
        if _unit_was_assumed(one) and one.severity is Severity.WARNING
        else one
        for one in trial.notices
    )


@QUIET
def examine_units(trial: Trial) -> tuple[float, tuple[Notice, ...]]:
    """Return the factor by which the lengths have to be multiplied to be metres of a person, 1 where they are.

    Only factors between the usual units (m, dm, cm, mm, µm) are thought of; a size between them speaks for none.
    """
    size = _body_size(trial.markers)
    if size is None or BODY_M[0] / 10.0 <= size <= BODY_M[1] * 4.0:
        return 1.0, ()
    fitting = [factor for factor in FACTORS if BODY_M[0] <= size * factor <= BODY_M[1]]
    factor = fitting[0] if fitting else 1.0
    what = f"multiplied by {factor:g} they would fit" if fitting else "no usual unit of length would make them fit"
    return factor, (
        warning(
            "unit-contradicted",
            f"{trial.source.name}: the markers of the subject span {size:.3g} m, which no person does; {what}. "
            "Check the unit of the file.",
        ),
    )


def scaled(trial: Trial, factor: float) -> Trial:
    """Return the trial with every length multiplied: points, residuals, places of plates and moments.

    What was assumed about the unit is settled by that, so notices about it go.
    """

    def lengths(markers: Markers) -> Markers:
        residual = None if markers.residual is None else markers.residual * factor
        return replace(markers, p_WM=markers.p_WM * factor, residual=residual)

    return replace(
        trial,
        markers=lengths(trial.markers),
        unlabelled=None if trial.unlabelled is None else lengths(trial.unlabelled),
        other_subjects={name: lengths(markers) for name, markers in trial.other_subjects.items()},
        plates=tuple(
            replace(
                plate,
                moment=plate.moment * factor,
                origin=plate.origin * factor,
                corners=None if plate.corners is None else plate.corners * factor,
                to_surface=None if plate.to_surface is None else plate.to_surface * factor,
            )
            for plate in trial.plates
        ),
        notices=tuple(notice for notice in trial.notices if not _unit_was_assumed(notice)),
    )


def marker_boxes(markers: Markers) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest coordinates (T', 3) of the markers, in the frames where at least three are seen."""
    p = markers.p_WM[markers.visible.sum(axis=1) >= 3]
    if not p.size:
        return np.zeros((0, 3)), np.zeros((0, 3))
    return np.nanmin(p, axis=1), np.nanmax(p, axis=1)


def _body_size(markers: Markers) -> float | None:
    """Median diagonal of the box around the markers [m]."""
    low, high = marker_boxes(markers)
    return float(np.median(np.linalg.norm(high - low, axis=1))) if len(low) else None


def in_unit_of(trial: Trial, known: Trial) -> tuple[Trial, tuple[Notice, ...]]:
    """Return a trial in the unit of a recording of the same person, and a notice where that had to be changed.

    A laboratory's files often state the same wrong unit, which somebody has put right in one of them. Only factors
    between usual units are considered; markers apart by another factor stay as they are and are reported.
    """
    ratio = _ratio(trial.markers, known.markers)
    if ratio is None or 1.0 / SAME < ratio < SAME:
        return trial, ()
    here, there = trial.source.name, known.source.name
    words = f"In {here} the markers are {ratio:.3g} times as far apart as in {there};"
    factor = next((one for one in FACTORS if 1.0 / FITS <= ratio * one <= FITS), None)
    if factor is None:
        return trial, (warning("unit-other", f"{words} no usual unit of length explains it. Check its unit."),)
    words += f" its lengths were multiplied by {factor:g}, so that both are in the same unit."
    return scaled(trial, factor), (warning("unit-by-recording", words),)


def _ratio(one: Markers, other: Markers) -> float | None:
    """How many times as far apart markers are as in another recording; None where too few are in both to tell."""
    names = [name for name in one.names if name in other.names]
    here, there = _distances(one.select(names)), _distances(other.select(names))
    known = (here > 0.0) & (there > 0.0)
    return float(np.median(here[known] / there[known])) if known.sum() >= LEAST else None


def _distances(markers: Markers) -> FloatArray:
    """Median distance of every two markers [m], from some frames; NaN where none of these shows both."""
    frames = np.unique(np.linspace(0, len(markers.p_WM) - 1, LOOKED_AT).round().astype(int))
    p = markers.p_WM[frames]
    pairs = np.array(list(combinations(range(len(markers.names)), 2)), dtype=int).reshape(-1, 2)
    apart = np.linalg.norm(p[:, pairs[:, 0]] - p[:, pairs[:, 1]], axis=2)
    seen = np.isfinite(apart).any(axis=0)
    found = np.full(len(pairs), np.nan)
    found[seen] = np.nanmedian(apart[:, seen], axis=0)
    return found
