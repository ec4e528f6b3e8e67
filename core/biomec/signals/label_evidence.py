"""What tells which marker a label means: its words and its place.

Words: which side, and which name once case, separators and the side are taken away. Places: a marker set's rough places
on a standing body, turned and scaled onto the recording.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from biomec.base.arrays import FloatArray, IntArray
from biomec.recording import Trial
from biomec.recording.limb_names import LEFT, RIGHT
from biomec.recording.marker_set import SIDE, MarkerDefinition, MarkerSet, Side

_SIDES = {**dict.fromkeys(RIGHT, Side.RIGHT), **dict.fromkeys(LEFT, Side.LEFT)}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PREFIXES = {"right": Side.RIGHT, "left": Side.LEFT, "r": Side.RIGHT, "l": Side.LEFT}
_SUFFIXES = {**_PREFIXES, "d": Side.RIGHT, "e": Side.LEFT}


FEWEST = 6  # labels that begin alike, for that to be a prefix
GUESSED = 0.1  # confidence that a reading loses when its side is only the last letter of a word: LHEE is not a left LHE


class LabelForm(NamedTuple):
    """One way to read a label: a side (None: midline, or not said) and the name without it."""

    side: Side | None
    name: str


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Letters and digits of a text, without accents, in lower case."""
    return "".join(c for c in _unaccented(text).lower() if c.isalnum())


def without_subject(label: str) -> str:
    """Label without ``Subject:`` before it."""
    return label.rpartition(":")[2].strip() or label


def common_prefix(labels: Sequence[str]) -> str:
    """What all labels begin with, up to its last ``_``, ``-``, ``.`` or blank; "" if that is a side, or for few."""
    if len(labels) < FEWEST:
        return ""
    first, last = min(labels), max(labels)  # in their order, what these two begin with all others begin with
    same = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    prefix = re.sub(r"[^_\-. ]*$", "", first[:same])
    return "" if plain(prefix) in _SIDES else prefix


def label_forms(label: str) -> dict[LabelForm, float]:
    """All readings of a label, the most literal first, and the confidence that each of them loses.

    A side may stand apart (``R.ASIS``, ``CIAS_D``, ``Left Knee``) or be joined to the name (``RASI``, ``AuxTD``). One
    letter can always be part of the name too, so that every reading is offered and the marker set decides.
    """
    label = without_subject(label)
    whole = plain(label)
    forms = {LabelForm(None, whole): 0.0}
    pieces = [piece for piece in re.split(r"[^A-Za-z0-9]+", _unaccented(label)) if piece]
    words = [word for piece in pieces for word in _WORDS.findall(piece)]
    for parts in (pieces, words):
        for place, part in enumerate(parts):
            side = _SIDES.get(part.lower())
            rest = "".join(parts[:place] + parts[place + 1 :]).lower()
            if side is not None and rest:
                forms.setdefault(LabelForm(side, rest), 0.0)
    for prefix, side in _PREFIXES.items():
        if whole.startswith(prefix) and len(whole) > len(prefix):
            forms.setdefault(LabelForm(side, whole[len(prefix) :]), 0.0)
    for suffix, side in _SUFFIXES.items():
        if whole.endswith(suffix) and len(whole) > len(suffix):
            forms.setdefault(LabelForm(side, whole[: -len(suffix)]), GUESSED)
    return forms


def pattern_form(pattern: str, marker: MarkerDefinition) -> LabelForm:
    """The reading that a pattern of a marker set stands for, on that marker's side."""
    return LabelForm(marker.side, plain(pattern.replace(SIDE, "")))


def edit_distance(a: str, b: str) -> int:
    """Smallest number of letters to insert, delete, change or exchange with a neighbour to turn ``a`` into ``b``."""
    older: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        older, last, row = row, older, [i]
        for j, y in enumerate(b, start=1):
            best = min(older[j] + 1, row[j - 1] + 1, older[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, last[j - 2] + 1)
            row.append(best)
    return row[-1]


def could_be_misspelt(a: str, b: str) -> bool:
    """True for names that differ by a slip of the pen: long enough to tell, and with the same digits."""
    if min(len(a), len(b)) < 5 or abs(len(a) - len(b)) > 2 or re.findall(r"\d+", a) != re.findall(r"\d+", b):
        return False
    return edit_distance(a, b) <= (1 if min(len(a), len(b)) < 8 else 2)


def _unaccented(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


# -------------------------------------------------------------------------------------------- places on a standing body


FAR = 0.15  # of stature: a marker this far from its place is not that marker
NEAR_PLACE = 0.06  # of stature: a place this near may be meant
FEWEST = 6  # markers needed to say anything about a body


@dataclass(frozen=True)
class StandingFit:
    """A marker set's places fitted to a recording.

    labels, p    : labels and their places (M, 3) as fractions of stature, in the set's axes (forward, up, right)
    mirrored     : the mirror image fits much better: left and right are exchanged
    contradicted : label -> the marker in whose place it lies, far from the place of its name
    """

    labels: tuple[str, ...]
    p: FloatArray
    places: Mapping[str, FloatArray]
    mirrored: bool
    contradicted: Mapping[str, str]

    def nearest(self, labels: Sequence[str], targets: Sequence[str]) -> dict[str, tuple[str, float]]:
        """Label -> (target, distance) where one target is near and the next one at least twice as far away."""
        found: dict[str, tuple[str, float]] = {}
        for label in labels:
            if label in self.labels and targets:
                distance = [np.linalg.norm(self.p[self.labels.index(label)] - self.places[name]) for name in targets]
                order = np.argsort(distance)
                off = float(distance[order[0]])
                alone = len(order) == 1 or distance[order[1]] >= 2.0 * off
                target = targets[int(order[0])]
                claimed = min((d for name, d in found.values() if name == target), default=np.inf)
                if off <= NEAR_PLACE and alone and off < claimed:
                    found = {other: claim for other, claim in found.items() if claim[0] != target}
                    found[label] = (target, off)
        return found


@dataclass(frozen=True)
class Standing:
    """Median positions of the labels of an upright subject.

    labels : (M,); p : (M, 3) [m] along a horizontal direction, up, and the horizontal direction to the right of it
    """

    labels: tuple[str, ...]
    p: FloatArray
    places: Mapping[str, FloatArray]

    def fit(self, named: Mapping[str, str]) -> StandingFit:
        """Fit the places of the set: by the markers whose names are known, or, with too few of them, by shape alone."""
        known = {label: target for label, target in named.items() if label in self.labels and target in self.places}
        if len(known) < FEWEST:
            known = self._by_shape()
        rows = [self.labels.index(label) for label in known]
        goal = np.array([self.places[target] for target in known.values()]).reshape(-1, 3)
        mirrored = False
        if len(known) >= FEWEST:
            straight, flipped = (_misfit(self.p[rows], goal * side) for side in ([1, 1, 1], [1, 1, -1]))
            mirrored = bool(flipped < 0.5 * straight)
        side = np.array([1.0, 1.0, -1.0 if mirrored else 1.0])
        best = _trusted(self.p[rows], goal * side)
        fitted = _onto_places(self.p, self.p[rows][best], (goal * side)[best])
        contradicted = {}
        for label, target in named.items():
            if label in self.labels and target in self.places:
                here = fitted[self.labels.index(label)]
                distance = {name: float(np.linalg.norm(here - place * side)) for name, place in self.places.items()}
                nearest = min(distance, key=lambda name: distance[name])
                if distance[target] > FAR and distance[nearest] < NEAR_PLACE:
                    contradicted[label] = nearest
        return StandingFit(self.labels, fitted, self.places, mirrored, contradicted)

    def _by_shape(self) -> dict[str, str]:
        """Labels to places without any name: the heading and assignment with the least misfit."""
        targets = list(self.places)
        goal = np.array([self.places[target] for target in targets])
        best: tuple[float, dict[str, str]] = (np.inf, {})
        scale = np.ptp(self.p[:, 1]) / np.ptp(goal[:, 1])
        centred = (self.p - self.p.mean(axis=0)) / scale
        for heading in np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False):
            c, s = np.cos(heading), np.sin(heading)
            fitted = centred @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]) + goal.mean(axis=0)
            for _ in range(5):  # assign, fit again, assign again
                distance = np.minimum(np.linalg.norm(fitted[:, None] - goal, axis=2), FAR)
                rows, columns = scipy.optimize.linear_sum_assignment(distance)
                fitted = _onto_places(self.p, self.p[rows], goal[columns])
            cost = float(np.minimum(np.linalg.norm(fitted[:, None] - goal, axis=2), FAR)[rows, columns].mean())
            if cost < best[0]:
                best = cost, {self.labels[r]: targets[c] for r, c in zip(rows, columns, strict=True)}
        return best[1]


def standing_markers(trial: Trial, labels: Sequence[str], marker_set: MarkerSet) -> Standing | None:
    """Median places of the labels in the trial, or None if the subject does not stand or too few markers are known."""
    places = {m.name: np.array(m.place) for m in marker_set.markers if m.place is not None}
    seen = dict(zip(trial.markers.names, np.any(trial.markers.visible, axis=0).tolist(), strict=True))
    chosen = {label: without_subject(label) for label in labels if seen.get(without_subject(label), False)}
    if len(chosen) < FEWEST or len(places) < FEWEST:
        return None
    p_W = np.nanmedian(trial.markers.select(chosen.values()).p_WM, axis=0)
    up, forward = trial.axes.up_vector, trial.axes.forward_vector
    p = np.stack([p_W @ forward, p_W @ up, p_W @ np.cross(forward, up)], axis=1)
    height, spread = float(np.ptp(p[:, 1])), float(max(np.ptp(p[:, 0]), np.ptp(p[:, 2])))
    if not 0.4 < height < 2.5 or spread > 1.5 * height:  # raised arms span as much as the body is tall
        return None
    return Standing(tuple(chosen), p, places)


def _onto_places(p: FloatArray, p_known: FloatArray, goal: FloatArray) -> FloatArray:
    """``p`` (M, 3) turned about the vertical, scaled and shifted so that ``p_known`` fits ``goal`` in the mean."""
    mean, mean_goal = p_known.mean(axis=0), goal.mean(axis=0)
    a, b = p_known - mean, goal - mean_goal
    overlap = complex(np.sum(np.conj(_ground(a)) * _ground(b)))
    turn = overlap / abs(overlap) if abs(overlap) > 0.0 else 1.0
    scale = (abs(overlap) + float(a[:, 1] @ b[:, 1])) / float((a**2).sum())
    moved = scale * turn * _ground(p - mean)
    height = scale * (p[:, 1] - mean[1])
    return np.asarray(np.stack([moved.real, height, moved.imag], axis=1) + mean_goal)


def _ground(p: FloatArray) -> NDArray[np.complex128]:
    """Horizontal coordinates as complex numbers, so that a turn about the vertical is one multiplication."""
    return np.asarray(p[:, 0] + 1j * p[:, 2])


def _trusted(p: FloatArray, goal: FloatArray) -> IntArray:
    """Rows of the two thirds that fit best together: raised arms or wrong names must not bend the whole fit."""
    best = np.arange(len(p))
    for _ in range(10):  # fit, keep the best, fit again; it settles within a few rounds
        off = np.linalg.norm(_onto_places(p, p[best], goal[best]) - goal, axis=1)
        kept = np.sort(np.argsort(off, kind="stable")[: max(FEWEST, 2 * len(p) // 3)])
        if np.array_equal(kept, best):
            break
        best = kept
    return best


def _misfit(p: FloatArray, goal: FloatArray) -> float:
    """Median distance of fitted points from their places, as a fraction of stature."""
    best = _trusted(p, goal)
    return float(np.median(np.linalg.norm(_onto_places(p, p[best], goal[best]) - goal, axis=1)))
