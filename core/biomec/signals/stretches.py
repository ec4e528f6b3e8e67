"""Contiguous stretches of samples: what lies between two gaps is treated on its own, and nothing is bridged."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.errors import BiomecError


@dataclass(frozen=True)
class Block:
    """Channels that have samples from ``first`` up to, not including, ``stop``, and none just outside.

    columns : (C,) the channels
    """

    columns: IntArray
    first: int
    stop: int

    @property
    def samples(self) -> int:
        """Number of samples."""
        return self.stop - self.first


def stretches(present: BoolArray) -> IntArray:
    """First and one-past-last index (S, 2) of every run of True in ``present`` (T,)."""
    steps = np.diff(np.concatenate([[False], present, [False]]).astype(np.int8))
    return np.stack([np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)], axis=1).astype(np.int64)


def time_series(what: str, x: ArrayLike, rate_hz: float) -> FloatArray:
    """``x`` (T, …) as numbers; refuses what is not sampled in time at a positive rate."""
    signal = np.asarray(x, dtype=np.float64)
    if signal.ndim == 0 or not (np.isfinite(rate_hz) and rate_hz > 0.0):
        raise BiomecError(f"{what} needs samples in time and a positive rate, not {rate_hz} Hz.")
    return signal


def as_channels(x: FloatArray) -> FloatArray:
    """``x`` (T, …) as (T, C), also when there is nothing in it."""
    return x.reshape(x.shape[0], math.prod(x.shape[1:]))


def blocks(x: FloatArray) -> list[Block]:
    """Every stretch of finite samples of ``x`` (T, C), channels with the same gaps together."""
    finite = np.isfinite(x)
    every = np.arange(x.shape[1])
    if finite.all():
        return [Block(every, 0, x.shape[0])] if x.size else []
    _, pattern = np.unique(np.packbits(finite, axis=0), axis=1, return_inverse=True)
    found = []
    for kind in range(int(pattern.max()) + 1):
        columns = np.flatnonzero(pattern.ravel() == kind)
        found += [Block(columns, int(a), int(b)) for a, b in stretches(finite[:, columns[0]])]
    return found


def widened(flags: BoolArray, by: int) -> BoolArray:
    """(T,) flags, with ``by`` samples before and after every True."""
    if by <= 0 or not flags.any():
        return np.asarray(flags.copy())
    return np.asarray(np.convolve(flags, np.ones(2 * by + 1), mode="same")[: len(flags)] > 0.5)


def span(flags: BoolArray) -> tuple[int, int] | None:
    """First and last index of True; None without any."""
    at = np.flatnonzero(flags)
    return (int(at[0]), int(at[-1])) if at.size else None


LISTED = 3  # stretches in a sentence


def frame_words(flags: BoolArray, first_frame: int) -> str:
    """The frames that are True, in words and by their numbers in the file: "frame 66", "frames 66 to 131 and 140".

    first_frame : number of the first frame in the file
    """
    runs = stretches(flags)
    words = [f"{first_frame + a}" if b - a == 1 else f"{first_frame + a} to {first_frame + b - 1}" for a, b in runs]
    shown = ", ".join(words[:LISTED]) + (f" and {len(words) - LISTED} more stretches" if len(words) > LISTED else "")
    return f"frame {shown}" if len(words) == 1 and " " not in words[0] else f"frames {shown}"
