"""Measured places of points fixed in bodies, as soft targets of the position problem (theory §8.6).

A marker is seen at p, and the body has it at C q. The distance is not forced to zero, as that of a temporary point is
(`contacts.py`); its weighted square is minimised with the pull to the starting coordinates, under the constraints. Fits
of all markers at once are known as global optimisation [LuOConnor1999].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, frames_last, locked
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.engine.elimination import Elimination
from biomec.engine.layout import Layout


@dataclass(frozen=True)
class PointTargets:
    """Measured places of points fixed in bodies: minimise ½ Σ w ‖C q − p‖² under the constraints.

    names   : (K) "body.point"
    columns : (K·dim, 4)  columns of q in each row
    entries : (K·dim, 4)  the rows' constant coefficients C, 0 in places that a row does not need
    targets : (T, K·dim)  p [m], less what the ground carries of a body that shares points with it; 0 where not seen
    weights : (T, K)      w, 0 where not seen
    """

    names: tuple[str, ...]
    columns: IntArray
    entries: FloatArray
    targets: FloatArray
    weights: FloatArray

    @classmethod
    def at(
        cls, layout: Layout, points: Mapping[str, ArrayLike], weights: Mapping[str, ArrayLike] | None = None
    ) -> PointTargets:
        """Targets at laboratory ``points``: "body.point" -> (T, dim) [m]; not seen where a component is not a number.

        weights : "body.point" -> one number or (T,), zero or more; 1 for points that are not listed. A target of weight
                  zero is as good as absent.
        """
        if not points:
            raise BiomecError("Targets: no point is given. Give the measured place of at least one point of a body.")
        weights = weights or {}
        unknown = sorted(set(weights) - set(points))
        if unknown:
            raise BiomecError(f"Targets: a weight is given for {', '.join(unknown)}, but no measured place.")
        dim = layout.dimension
        places = {name: _places(name, given, dim) for name, given in points.items()}
        frames = max(len(place) for place in places.values())
        together, shares = np.empty((frames, len(places), dim)), np.ones((frames, len(places)))
        for m, (name, place) in enumerate(places.items()):
            if len(place) not in (1, frames):
                raise BiomecError(f"Target {name}: it has {len(place)} frames, but another target has {frames}.")
            together[:, m] = place
            if name in weights:
                shares[:, m] = _weight(name, weights[name], frames)
        return cls.of_arrays(layout, tuple(places), together, shares)

    @classmethod
    def of_arrays(cls, layout: Layout, names: tuple[str, ...], places: FloatArray, weights: FloatArray) -> PointTargets:
        """Targets ``body.point`` at places (T, K, dim) [m] with weights (T, K); both arrays are taken over."""
        if not ((weights >= 0.0).all() and weights.max(initial=0.0) < np.inf):
            name = names[int(np.flatnonzero(~((weights >= 0.0) & (weights < np.inf)).all(axis=0))[0])]
            raise BiomecError(f"Target {name}: weights are zero or more; leave a frame out with 0.")
        rows = [layout.point_rows(name, "Target") for name in names]
        constants = np.stack([constant for _, _, constant in rows])
        if constants.any():
            places -= constants
        finite = np.isfinite(places)
        if not finite.all():
            unseen = ~finite.all(axis=2)
            places[unseen], weights[unseen] = 0.0, 0.0
        return cls(
            names=names,
            columns=locked(np.concatenate([columns for columns, _, _ in rows])),
            entries=locked(np.concatenate([entries for _, entries, _ in rows])),
            targets=locked(places.reshape(len(places), -1)),
            weights=locked(weights),
        )

    @cached_property
    def typical_weight(self) -> float:
        """Median of the weights above zero, 0 if there is none."""
        largest = self.weights.max(initial=0.0)
        if self.weights.min(initial=largest) == largest:
            return float(largest)
        seen = self.weights[self.weights > 0.0]
        return float(np.median(seen))

    @property
    def rows(self) -> int:
        """Number of rows: dim for every target."""
        return int(self.columns.shape[0])

    @property
    def dimension(self) -> int:
        """3, or 2 for planar systems."""
        return self.rows // len(self.names)

    def residual(self, q: FloatArray) -> FloatArray:
        """C q − p, (T, K, dim) [m]: from the measured place to the body's; NaN where not seen."""
        away = (self.entries * np.atleast_2d(q)[:, self.columns]).sum(-1) - self.targets
        return np.where((self.weights > 0.0)[..., None], away.reshape(len(away), -1, self.dimension), np.nan)

    def objective(self, q: FloatArray) -> FloatArray:
        """½ Σ w ‖C q − p‖² of every frame, (T,) [weight · m²]."""
        square = np.nansum(self.residual(q) ** 2, axis=-1)
        return np.asarray(0.5 * (self.weights * square).sum(-1))


def _places(name: str, given: ArrayLike, dim: int) -> FloatArray:
    place = np.atleast_2d(np.asarray(given, dtype=np.float64))
    if place.ndim != 2 or place.shape[1] != dim:
        raise BiomecError(f"Target {name}: give its place as {dim} coordinates a frame; got the shape {place.shape}.")
    return place


def _weight(name: str, given: ArrayLike, frames: int) -> FloatArray:
    """One weight, or one for each frame."""
    weight = np.asarray(given, dtype=np.float64)
    if weight.shape not in ((), (1,), (frames,)):
        raise BiomecError(f"Target {name}: give one weight, or one for each of {frames} frames; got {weight.shape}.")
    return weight


def check_targets(targets: PointTargets | None, frames: int, n: int) -> None:
    """Refuse targets that were made for other frames or another system."""
    if targets is None:
        return
    if targets.targets.shape[0] != frames:
        made = targets.targets.shape[0]
        raise BiomecError(f"The targets were made for {made} frames, but the coordinates have {frames}.")
    if targets.columns.max() >= n:
        raise BiomecError("The targets were made for another system.")


class TargetTables(NamedTuple):
    """Constant data of targets in a system: their maps, and where C'C goes in the matrix that is factored."""

    dimension: int
    columns: IntArray  # (rows, 4)
    entries: FloatArray  # (rows, 4)
    places: IntArray  # distinct entries of the matrix that targets add to
    pairs: IntArray  # (rows, 10) which of ``places`` each product of two entries of a row adds to


def target_tables(plan: Elimination | None = None, targets: PointTargets | None = None) -> TargetTables:
    """Prepare targets for a planned elimination whose pattern holds their rows; no rows without targets."""
    if plan is None or targets is None:
        none = np.zeros((0, 4))
        return TargetTables(1, none.astype(np.int64), none, np.zeros(0, np.int64), np.zeros((0, 10), np.int64))
    i, j = np.tril_indices(4)
    position = plan.position(targets.columns[:, i].ravel(), targets.columns[:, j].ravel())
    places, pairs = np.unique(position, return_inverse=True)
    return TargetTables(
        dimension=targets.dimension,
        columns=np.array(targets.columns),
        entries=np.array(targets.entries),
        places=places.astype(np.int64),
        pairs=pairs.reshape(-1, 10).astype(np.int64),
    )


def target_lanes(targets: PointTargets | None, part: slice | IntArray) -> tuple[FloatArray, FloatArray]:
    """Targets (rows, F) and weights (K, F) of the frames in ``part``, frames last; none if None."""
    if targets is None:
        return np.zeros((0, 0)), np.zeros((0, 0))
    return frames_last(targets.targets[part]), frames_last(targets.weights[part])


# ---------------------------------------------------------------------- compiled kernels, frames on the last axis


@compiled
def target_stiffness(tables: TargetTables, weight: FloatArray, stiffness: FloatArray) -> None:
    """Σ w CᵀC on its places (places, F), from weights (K, F). It does not change while a frame is solved."""
    frames = weight.shape[1]
    for e in range(stiffness.shape[0]):
        for f in range(frames):
            stiffness[e, f] = 0.0
    for r in range(tables.columns.shape[0]):
        k = r // tables.dimension
        at = 0
        for i in range(4):
            for j in range(i + 1):
                product = tables.entries[r, i] * tables.entries[r, j]
                to = tables.pairs[r, at]
                at += 1
                for f in range(frames):
                    stiffness[to, f] += weight[k, f] * product


@compiled
def add_stiffness(tables: TargetTables, stiffness: FloatArray, X: FloatArray) -> None:
    """X += Σ w CᵀC on the pattern (nnz, F)."""
    for e in range(tables.places.size):
        to = tables.places[e]
        for f in range(X.shape[1]):
            X[to, f] += stiffness[e, f]


@compiled
def add_pull(
    tables: TargetTables, place: IntArray, q: FloatArray, target: FloatArray, weight: FloatArray, y: FloatArray
) -> None:
    """y −= Σ w Cᵀ(C q − p), with q (n, F) in its own order and y in the order of elimination ``place``."""
    frames = q.shape[1]
    pull = np.empty(frames)
    for r in range(tables.columns.shape[0]):
        k = r // tables.dimension
        for f in range(frames):
            pull[f] = target[r, f]
        for i in range(4):
            for f in range(frames):
                pull[f] -= tables.entries[r, i] * q[tables.columns[r, i], f]
        for f in range(frames):
            pull[f] *= weight[k, f]
        for i in range(4):
            to = place[tables.columns[r, i]]
            for f in range(frames):
                y[to, f] += tables.entries[r, i] * pull[f]
