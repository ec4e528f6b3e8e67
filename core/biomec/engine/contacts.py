"""Temporary points: closed-chain constraints at contacts, frame by frame (type 9; [Nunes2017] Eqs. 4.15-4.16)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, frames_last, read_only
from biomec.base.errors import BiomecError
from biomec.engine.body import QUARTER_TURN
from biomec.engine.layout import Layout

FLAT = 1e-9  # determinant of a body's basis that spans no space [m, m² or m³ by the kind of body]


@dataclass(frozen=True)
class PointContacts:
    """Points of bodies held where they were measured, each frame with its own point: C_k q − p_k = 0.

    A centre of pressure is treated as a material point of the body in that frame: its body coefficients come from the
    *unoptimised* coordinates, so the violation at the start is zero by construction. Inactive rows are zero.

    names   : body of each contact
    columns : (K·dim, 4)      columns of q in each row
    entries : (T, K·dim, 4)   the rows' coefficients, 0 where inactive
    targets : (T, K·dim)      p [m], 0 where inactive
    active  : (T, K)
    """

    names: tuple[str, ...]
    columns: IntArray
    entries: FloatArray
    targets: FloatArray
    active: BoolArray

    @classmethod
    def at(cls, layout: Layout, q_star: FloatArray, points: Mapping[str, ArrayLike]) -> PointContacts:
        """Contacts at laboratory ``points``: body -> (T, dim) [m], NaN in frames without contact.

        q_star : (T, n) measured coordinates. c = X⁻¹(p − r1) with X = [r2−r1 …] of that frame (theory §4.4).
        """
        dim = layout.dimension
        q_star = np.atleast_2d(q_star)
        frames = q_star.shape[0]
        columns, entries, targets, active = [], [], [], []
        for name, given in points.items():
            body = layout.body(name, "Contact")
            if (layout.columns(name) < 0).any():
                raise BiomecError(f"Contact on {name}: the body shares a point with the ground and cannot carry one.")
            p = np.broadcast_to(np.asarray(given, dtype=np.float64), (frames, dim))
            on = np.asarray(np.isfinite(np.hstack([p, layout.body_coordinates(q_star, name)])).all(axis=1))
            slots = layout.body_coordinates(q_star, name).reshape(frames, -1, dim)
            base = np.einsum("ij,tjc->tic", body.to_base, slots)  # (r1, b1, …) of every frame
            X = np.moveaxis(base[:, 1:], 1, 2)
            if dim == 2:
                X = np.concatenate([X, QUARTER_TURN @ X], axis=2)
            with np.errstate(invalid="ignore"):
                on &= np.abs(np.linalg.det(X)) > FLAT  # NaN frames and bodies squeezed flat carry no contact
            X = np.where(on[:, None, None], X, np.eye(dim))
            c = np.linalg.solve(X, np.where(on[:, None], p - base[:, 0], 0.0)[..., None])[..., 0]
            for k in range(dim):
                line, used = _row(c, k, body.to_base, dim)
                columns.append(layout.columns(name)[used])
                entries.append(np.where(on[:, None], line, 0.0))
                targets.append(np.where(on, p[:, k], 0.0))
            active.append(on)
        return cls(
            names=tuple(points),
            columns=np.array(columns, dtype=np.int64).reshape(-1, 4),
            entries=read_only(np.reshape(entries, (-1, frames, 4)).swapaxes(0, 1)),
            targets=read_only(np.reshape(targets, (-1, frames)).T),
            active=read_only(np.reshape(active, (-1, frames)).T, bool),
        )

    @property
    def rows(self) -> int:
        """Number of rows, active or not."""
        return int(self.columns.shape[0])

    def residual(self, q: FloatArray) -> FloatArray:
        """C q − p, (T, rows) [m]."""
        return np.asarray((self.entries * q[:, self.columns]).sum(-1) - self.targets)

    def jacobian(self, n: int) -> FloatArray:
        """C, (T, rows, n)."""
        dense = np.zeros((*self.targets.shape, n))
        np.put_along_axis(dense, np.broadcast_to(self.columns, self.entries.shape), self.entries, axis=-1)
        return dense


def _row(c: FloatArray, k: int, to_base: FloatArray, dim: int) -> tuple[FloatArray, IntArray]:
    """Coefficients (T, 4) of component k of r1 + Σ c b, and the places in q_body they belong to."""
    ones = np.ones((c.shape[0], 1))
    if dim == 3:
        return np.hstack([ones, c]) @ to_base, 3 * np.arange(4) + k
    turn = c[:, :1, None] * np.eye(2) + c[:, 1:, None] * QUARTER_TURN
    base = np.concatenate([np.broadcast_to(np.eye(2)[k], (c.shape[0], 2)), turn[:, k]], axis=1)
    return base @ np.kron(to_base, np.eye(2)), np.arange(4)


def contact_lanes(contacts: PointContacts | None, part: slice | IntArray) -> tuple[FloatArray, FloatArray]:
    """Entries (rows, 4, F) and targets (rows, F) of the frames in ``part``, frames last; no rows if None."""
    if contacts is None:
        return np.zeros((0, 4, 0)), np.zeros((0, 0))
    return np.array(np.moveaxis(contacts.entries[part], 0, -1), order="C"), frames_last(contacts.targets[part])


def check_contacts(contacts: PointContacts | None, frames: int, n: int) -> None:
    """Refuse contacts that were made for other frames or another system."""
    if contacts is None:
        return
    if contacts.targets.shape[0] != frames:
        made = contacts.targets.shape[0]
        raise BiomecError(f"The contacts were made for {made} frames, but the coordinates have {frames}.")
    if contacts.columns.size and contacts.columns.max() >= n:
        raise BiomecError("The contacts were made for another system.")
