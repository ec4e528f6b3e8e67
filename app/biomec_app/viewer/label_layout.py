"""Where words stand in a picture: beside what they are about, over no others, and off the limbs. Knows no Qt.

All places are pixels (x, y) from the top left corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.arrays import FloatArray

BESIDE = (7.0, -8.0)  # from a place to the words about it
APART = 2.0  # around words
FARTHER = 24.0  # to the side, where something is in the way nearby
OUTSIDE = 5.0  # between the corner of an area and the words about it


@dataclass(frozen=True, eq=False)
class Word:
    """Words that want a place.

    at     : what they are about;  size : width and height
    depth  : how far away that is [m]; of equal words the nearer come first
    weight : more important ones come first; those of weight 0 have one place, others look for the best
    around : (K, 2) corners of an area, if they are about one: they stand outside it
    """

    at: tuple[float, float]
    size: tuple[float, float]
    depth: float
    weight: int = 0
    around: FloatArray | None = None


def arranged(words: Sequence[Word], room: tuple[float, float], limbs: FloatArray, radius: float) -> FloatArray:
    """(N, 2) top left corners of words in a picture of a width and height; NaN for those that find no place.

    limbs : (P, 2) points along the limbs, and their half-width, which important words keep off
    """
    owners = [k for k, word in enumerate(words) for _ in range(len(_candidates(word)))]
    places = np.concatenate([_candidates(word) for word in words]) if words else np.zeros((0, 2))
    owner = np.array(owners, dtype=np.int64)
    sizes = np.array([word.size for word in words]).reshape(-1, 2)[owner]
    weights = np.array([word.weight for word in words], dtype=np.int64)[owner]
    low, high = places, places + sizes
    there = np.isfinite(places).all(axis=1) & np.array([np.isfinite(word.depth) for word in words], dtype=bool)[owner]
    within = (low >= 0.0).all(axis=1) & (high <= room).all(axis=1)
    touches = (high > 0.0).all(axis=1) & (low < room).all(axis=1)
    there &= np.where(weights > 0, within, touches)
    over = np.asarray(((low[:, None] - APART < high[None]) & (low[None] < high[:, None] + APART)).all(axis=2))
    covered = np.zeros(len(places))
    seek = weights > 0
    if seek.any() and len(limbs):
        near = (low[seek, None] - radius < limbs) & (limbs < high[seek, None] + radius)
        covered[seek] = near.all(axis=2).sum(axis=1)
    found = np.full((len(words), 2), np.nan)
    kept = np.zeros(len(places), dtype=bool)
    for k in sorted(range(len(words)), key=lambda k: (-words[k].weight, words[k].depth)):
        mine = np.flatnonzero(owner == k)
        for c in mine[np.argsort(covered[mine], kind="stable")]:
            if there[c] and not (over[c] & kept).any():
                kept[c] = True
                found[k] = places[c]
                break
    return found


def _candidates(word: Word) -> FloatArray:
    """(C, 2) top left corners where words may stand, the best first."""
    at, (wide, high) = np.array(word.at), word.size
    if word.around is not None:
        return _outside(word)
    if not word.weight:
        return np.array([at + BESIDE])
    right, left = np.array(BESIDE), np.array([-BESIDE[0] - wide, BESIDE[1]])
    above, far = np.array([-0.5 * wide, -high - 4.0]), np.array([FARTHER, 0.0])
    return at + np.array([right, left, above, right + far, left - far])


def _outside(word: Word) -> FloatArray:
    """Outside the corners of an area; the lowest corner, which is the nearest, first."""
    corners, size = np.asarray(word.around), np.array(word.size)
    corners = corners[np.argsort(-corners[:, 1], kind="stable")]
    away = corners - corners.mean(axis=0)
    away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
    return np.asarray(corners + OUTSIDE * away + 0.5 * (away - 1.0) * size)
