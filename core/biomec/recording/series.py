"""Labelled arrays with the frame axis first: markers, model outputs stored as points, analog channels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError


def _check(what: str, names: Sequence[str], count: int, rate_hz: float) -> None:
    if len(names) != count:
        raise BiomecError(f"{what}: {len(names)} names were given for {count} channels.")
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise BiomecError(f"{what}: the name {', '.join(twice)} occurs more than once; names must be unique.")
    if not (np.isfinite(rate_hz) and rate_hz > 0.0):
        raise BiomecError(f"{what}: the sampling rate is {rate_hz} Hz; it must be positive.")


@dataclass(frozen=True, eq=False)
class Markers:
    """Trajectories of markers in laboratory axes.

    names    : (M,) unique labels, without a subject prefix
    p_WM     : (T, M, 3) positions [m]; a missing sample is NaN in all three components. Read-only.
    rate_hz  : frames a second
    residual : (T, M) [m], the capture system's own error estimate, NaN where unknown; or None
    """

    names: tuple[str, ...]
    p_WM: FloatArray
    rate_hz: float
    residual: FloatArray | None = None

    def __post_init__(self) -> None:
        p = np.asarray(self.p_WM, dtype=np.float64)
        if p.ndim != 3 or p.shape[2] != 3:
            raise BiomecError(f"Markers: positions need the shape (frames, markers, 3), not {p.shape}.")
        _check("Markers", self.names, p.shape[1], self.rate_hz)
        finite = np.isfinite(p)
        whole = finite[:, :, 0] & finite[:, :, 1] & finite[:, :, 2]
        if not np.isnan(p[~whole]).all():  # one rule for the whole program: a sample is there, or it is not
            p = np.where(whole[:, :, None], p, np.nan)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "p_WM", p if _is_frozen(p) else read_only(p))
        if self.residual is not None:
            residual = np.asarray(self.residual, dtype=np.float64)
            if residual.shape != p.shape[:2]:
                raise BiomecError(f"Markers: residuals need the shape {p.shape[:2]}, not {residual.shape}.")
            object.__setattr__(self, "residual", residual if _is_frozen(residual) else read_only(residual))

    @classmethod
    def none(cls, frames: int, rate_hz: float) -> Markers:
        """No markers at all, over a number of frames."""
        return cls((), np.zeros((frames, 0, 3)), rate_hz)

    @property
    def frames(self) -> int:
        """Number of frames."""
        return int(self.p_WM.shape[0])

    @cached_property
    def visible(self) -> BoolArray:
        """(T, M) where a sample exists. Read-only."""
        return read_only(np.isfinite(self.p_WM[:, :, 0]), np.bool_)

    @cached_property
    def _column(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.names)}

    def __contains__(self, name: str) -> bool:
        return name in self._column

    def __getitem__(self, name: str) -> FloatArray:
        """Trajectory (T, 3) of one marker."""
        return np.asarray(self.p_WM[:, self.index(name)])

    def index(self, name: str) -> int:
        """Column of a marker, or a sentence that lists what there is."""
        column = self._column.get(name)
        if column is None:
            raise BiomecError(f"There is no marker {name}; there are {', '.join(self.names) or 'none'}.")
        return column

    def select(self, names: Iterable[str]) -> Markers:
        """Return these markers in this order."""
        chosen = tuple(names)
        columns = [self.index(name) for name in chosen]
        residual = None if self.residual is None else self.residual[:, columns]
        return replace(self, names=chosen, p_WM=self.p_WM[:, columns], residual=residual)

    def hidden(self, samples: BoolArray) -> Markers:
        """Return the markers without these samples (T, M)."""
        return replace(self, p_WM=np.where(samples[..., None], np.nan, self.p_WM))


@dataclass(frozen=True, eq=False)
class Outputs:
    """Results of another program that a file stores as points: angles, forces, moments, powers, scalars.

    values : (T, K, 3) in the file's own units, NaN where missing; ``kinds`` and ``units`` (K,) say what they are.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    units: tuple[str, ...]
    values: FloatArray
    rate_hz: float

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim != 3 or values.shape[2] != 3:
            raise BiomecError(f"Model outputs need the shape (frames, outputs, 3), not {values.shape}.")
        _check("Model outputs", self.names, values.shape[1], self.rate_hz)
        if not len(self.names) == len(self.kinds) == len(self.units):
            raise BiomecError("Model outputs: every output needs a kind and a unit.")
        for field in ("names", "kinds", "units"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        object.__setattr__(self, "values", values if _is_frozen(values) else read_only(values))

    @property
    def frames(self) -> int:
        """Number of frames."""
        return int(self.values.shape[0])

    def __getitem__(self, name: str) -> FloatArray:
        """Values (T, 3) of one output."""
        if name not in self.names:
            raise BiomecError(f"There is no model output {name}.")
        return np.asarray(self.values[:, self.names.index(name)])


@dataclass(frozen=True, eq=False)
class Analog:
    """Sampled channels, such as EMG.

    values  : (N, C), NaN where missing; ``units`` (C,), SI where the unit was understood. Read-only.
    start_s : time of the first sample on the clock of the trial, whose first frame is at 0 [s]
    """

    names: tuple[str, ...]
    values: FloatArray
    units: tuple[str, ...]
    rate_hz: float
    start_s: float = 0.0

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim != 2:
            raise BiomecError(f"Analog channels need the shape (samples, channels), not {values.shape}.")
        _check("Analog channels", self.names, values.shape[1], self.rate_hz)
        if len(self.units) != len(self.names):
            raise BiomecError(f"Analog channels: {len(self.units)} units were given for {len(self.names)} channels.")
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "units", tuple(self.units))
        object.__setattr__(self, "values", values if _is_frozen(values) else read_only(values))

    @property
    def samples(self) -> int:
        """Number of samples."""
        return int(self.values.shape[0])

    @property
    def time_s(self) -> FloatArray:
        """(N,) sample times on the trial's clock [s]."""
        return self.start_s + np.arange(self.samples) / self.rate_hz

    def __getitem__(self, name: str) -> FloatArray:
        """Samples (N,) of one channel."""
        if name not in self.names:
            raise BiomecError(f"There is no channel {name}; there are {', '.join(self.names) or 'none'}.")
        return np.asarray(self.values[:, self.names.index(name)])


def _is_frozen(array: FloatArray) -> bool:
    """True if nobody can write to the array, so that it may be kept without a copy."""
    return not array.flags.writeable and array.base is None
