"""Where words stand in a picture: beside what they are about, over no others, and off the limbs. Knows no Qt.

All places are pixels (x, y) from the top left corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray

BESIDE = (7.0, -8.0)  # from a place to the words about it
APART = 2.0  # around words
FARTHER = 24.0  # to the side, where something is in the way nearby
MOVED = 0.25  # of their size, that words may be moved to stand whole in the picture
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
    choices = [_candidates(word) for word in words]
    counts = np.array([len(one) for one in choices], dtype=np.int64)
    owner = np.repeat(np.arange(len(words)), counts)
    low = np.array([place for one in choices for place in one]).reshape(-1, 2)
    size = np.array([word.size for word in words]).reshape(-1, 2)[owner]
    sought = np.array([word.weight > 0 for word in words], dtype=bool)[owner]
    inside = np.clip(low, 0.0, np.maximum(0.0, room - size))
    nearly = sought & (np.abs(inside - low) <= MOVED * size).all(axis=1)
    low = np.where(nearly[:, None], inside, low)
    high = low + size
    depth = np.array([word.depth for word in words])
    within = (low >= 0.0).all(axis=1) & (high <= room).all(axis=1)
    touches = (high > 0.0).all(axis=1) & (low < room).all(axis=1)
    free = np.where(sought, within, touches) & np.isfinite(depth)[owner] & _at_home(words, owner, low, high)
    (left, top), (right, bottom) = low.T, high.T
    across = (left[:, None] - APART < right) & (left < right[:, None] + APART)
    over = across & (top[:, None] - APART < bottom) & (top < bottom[:, None] + APART)
    covered = np.zeros(len(low))
    if sought.any() and len(limbs):
        x, y = limbs.T
        near = (left[sought, None] - radius < x) & (x < right[sought, None] + radius)
        near &= (top[sought, None] - radius < y) & (y < bottom[sought, None] + radius)
        covered[sought] = near.sum(axis=1)
    found = np.full((len(words), 2), np.nan)
    firsts = np.cumsum(counts) - counts
    for k in sorted(range(len(words)), key=lambda k: (-words[k].weight, depth[k])):
        mine = range(firsts[k], firsts[k] + counts[k])
        best = next((c for c in sorted(mine, key=covered.__getitem__) if free[c]), None)
        if best is not None:
            found[k] = low[best]
            free &= ~over[best]
    return found


def _at_home(words: Sequence[Word], owner: IntArray, low: FloatArray, high: FloatArray) -> BoolArray:
    """(C,) whether words about an area would stand nearer to it than to any other area: there they would mislead."""
    edges = {k: _edge(word.around) for k, word in enumerate(words) if word.around is not None}
    home = np.ones(len(low), dtype=bool)
    for k, own in edges.items():
        mine = np.flatnonzero(owner == k)
        others = np.concatenate([own[:0], *(edge for j, edge in edges.items() if j != k)])
        others = others[np.isfinite(others).all(axis=1)]  # not those behind the camera
        if len(others):
            home[mine] = _gap(low[mine], high[mine], own) <= _gap(low[mine], high[mine], others)
    return home


def _edge(corners: FloatArray) -> FloatArray:
    """(2 K, 2) corners of an area, and the middles between them."""
    return np.concatenate([corners, 0.5 * (corners + np.roll(corners, 1, axis=0))])


def _gap(low: FloatArray, high: FloatArray, points: FloatArray) -> FloatArray:
    """(C,) distance from boxes to the nearest of some points."""
    outside = np.maximum(np.maximum(low[:, None] - points, points - high[:, None]), 0.0)
    return np.asarray(np.hypot(*outside.transpose(2, 0, 1)).min(axis=1))


def _candidates(word: Word) -> list[tuple[float, float]]:
    """Top left corners where words may stand, the best first."""
    if word.around is not None:
        return _outside(word.around, *word.size)
    (x, y), (wide, high) = word.at, word.size
    right = (x + BESIDE[0], y + BESIDE[1])
    if not word.weight:
        return [right]
    left = (x - BESIDE[0] - wide, right[1])
    above = (x - 0.5 * wide, y - high - 4.0)
    return [right, left, above, (right[0] + FARTHER, right[1]), (left[0] - FARTHER, left[1])]


def _outside(corners: FloatArray, wide: float, high: float) -> list[tuple[float, float]]:
    """Outside the corners of an area; the lowest corner, which is the nearest, first."""
    middle = corners.mean(axis=0)
    found = []
    for x, y in sorted(corners.tolist(), key=lambda corner: -corner[1]):
        length = max(1e-9, float(np.hypot(x - middle[0], y - middle[1])))
        u, v = (x - middle[0]) / length, (y - middle[1]) / length
        found.append((x + OUTSIDE * u + 0.5 * (u - 1.0) * wide, y + OUTSIDE * v + 0.5 * (v - 1.0) * high))
    return found
