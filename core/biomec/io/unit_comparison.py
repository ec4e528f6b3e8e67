"""Two recordings of one person: whether they are in the same unit of length, by the distances between their markers."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, warning
from biomec.io.evidence import FACTORS, scaled
from biomec.recording import Markers, Trial

SAME = 3.0  # another posture changes the typical distance by less than this
FITS = 2.0  # a factor between two units brings it as near as this
LEAST = 3  # distances that are in both: a single one, as between the hands, says more about posture than about units
LOOKED_AT = 50  # frames


def in_unit_of(trial: Trial, known: Trial) -> tuple[Trial, tuple[Notice, ...]]:
    """Return a trial in the unit of a recording of the same person, and a notice where that had to be changed.

    A laboratory's files often state the same wrong unit, which somebody has put right in one of them. Only factors
    between usual units are thought of; markers that are apart by another one stay as they are, and are told.
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
