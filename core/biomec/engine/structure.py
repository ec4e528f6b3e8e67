"""What a system is made of, and the motions that its constraints allow.

Coordinates, rows by type, rank, redundant rows, degrees of freedom (theory §3.3); independent coordinates, and the
matrices R and S:

    [Φq; B] q̇ = {b; ż}   ->   q̇ = S b + R ż,   q̈ = S c + R z̈ (z̈ = B q̈)          (Eqs. 2.82-2.90; theory §10)

Φq R = 0, B R = I. Redundant rows do no harm: ranks are numerical. Equation numbers are those of [Nunes2017].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.engine.contacts import PointContacts
from biomec.engine.system import Drive, System

RANK_TOLERANCE = (
    1e-9  # of the largest singular value; the whole-body model has its smallest at 1e-2, its zeros at 1e-16
)


@dataclass(frozen=True)
class Structure:
    """Counts of a system in one configuration. Rank and redundancy can change with the configuration.

    redundant  : names of rows that depend on the others, as ``type: owner``
    condition  : largest over smallest non-zero singular value of Φq
    residual   : ‖Φ‖ in this configuration; rank means little where it is not near zero
    """

    name: str
    coordinates: int
    rows_by_type: Mapping[str, int]
    rank: int
    redundant: tuple[str, ...]
    condition: float
    residual: float

    @property
    def rows(self) -> int:
        """All rows, redundant ones included."""
        return sum(self.rows_by_type.values())

    @property
    def degrees_of_freedom(self) -> int:
        """Coordinates minus independent rows."""
        return self.coordinates - self.rank

    def __str__(self) -> str:
        plural = "" if self.degrees_of_freedom == 1 else "s"
        types = ", ".join(f"{name} {count}" for name, count in self.rows_by_type.items())
        lines = [
            f"{self.name}: {self.coordinates} coordinates, {self.rows} rows ({types})",
            f"rank {self.rank}, {len(self.redundant)} redundant, {self.degrees_of_freedom} degree{plural} of freedom, "
            f"condition {self.condition:.1e}, violation {self.residual:.1e}",
        ]
        if self.redundant:
            lines.append("redundant rows: " + "; ".join(self.redundant))
        return "\n".join(lines)


def numerical_rank(matrix: FloatArray, tolerance: float = RANK_TOLERANCE) -> int:
    """Count the singular values above ``tolerance`` times the largest."""
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > tolerance * values.max(initial=0.0)).sum())


def structure(
    system: System,
    q: ArrayLike | None = None,
    *,
    drive: Drive | None = None,
    contacts: PointContacts | None = None,
    tolerance: float = RANK_TOLERANCE,
) -> Structure:
    """Analyse a system at q (n,), its reference configuration by default; contacts of one frame add their rows."""
    at = np.asarray(system.reference if q is None else q, dtype=np.float64)
    Phi, Phi_q = system.residual(at, drive), system.jacobian(at, drive)
    names = [f"{row.type}: {row.owner}" for row in system.rows]
    counts = {name: rows.size for name, rows in system.row_types.items()}
    if contacts is not None:
        Phi = np.concatenate([Phi, contacts.residual(at[None])[0]])
        Phi_q = np.vstack([Phi_q, contacts.jacobian(system.n)[0]])
        per_contact = contacts.rows // len(contacts.names)
        names += [f"temporary: {name}" for name in contacts.names for _ in range(per_contact)]
        counts["temporary"] = contacts.rows
    values = np.linalg.svd(Phi_q, compute_uv=False)
    rank = int((values > tolerance * values.max(initial=0.0)).sum())
    return Structure(
        name=system.name,
        coordinates=system.n,
        rows_by_type=counts,
        rank=rank,
        redundant=tuple(names[r] for r in _dependent_rows(Phi_q, rank, tolerance)),
        condition=float(values[0] / values[rank - 1]) if rank else 1.0,
        residual=float(np.linalg.norm(Phi)),
    )


def _dependent_rows(Phi_q: FloatArray, rank: int, tolerance: float) -> list[int]:
    """Rows that are combinations of the rows before them; by pivoting where that count does not fit the rank."""
    basis = np.zeros((0, Phi_q.shape[1]))
    dependent = []
    for r, row in enumerate(Phi_q):
        rest = row - basis.T @ (basis @ row)
        rest -= basis.T @ (basis @ rest)  # once more: round-off of the first pass
        size = np.linalg.norm(rest)
        if size > np.sqrt(tolerance) * np.linalg.norm(row):
            basis = np.vstack([basis, rest / size])
        else:
            dependent.append(r)
    if len(dependent) == Phi_q.shape[0] - rank:
        return dependent
    _, order = scipy.linalg.qr(Phi_q.T, mode="r", pivoting=True)
    return sorted(order[rank:].tolist())


# ---------------------------------------------------------------------------------------------- independent coordinates


@dataclass(frozen=True)
class Partition:
    """Columns of q that are independent (without pivot) and dependent at one configuration."""

    independent: IntArray
    dependent: IntArray

    def selection(self) -> FloatArray:
        """B (g, n), the boolean matrix with ż = B q̇."""
        B = np.zeros((self.independent.size, self.independent.size + self.dependent.size))
        B[np.arange(self.independent.size), self.independent] = 1.0
        return B


def partition_coordinates(Phi_q: FloatArray, tolerance: float = RANK_TOLERANCE) -> Partition:
    """Choose independent coordinates of Φq (m, n): the columns without pivot (QR with column pivoting, theory §10).

    The best set changes with posture: choose again along a motion.
    """
    R, order = scipy.linalg.qr(Phi_q, mode="r", pivoting=True)
    diagonal = np.abs(np.diagonal(R))
    rank = int((diagonal > tolerance * diagonal.max(initial=0.0)).sum())
    return Partition(np.sort(order[rank:]).astype(np.int64), np.sort(order[:rank]).astype(np.int64))


@dataclass(frozen=True)
class NullSpace:
    """R (n, g) and S (n, m) of a Jacobian for the chosen independent velocities ż = B q̇."""

    R: FloatArray
    S: FloatArray
    B: FloatArray


def null_space(Phi_q: FloatArray, B: FloatArray | None = None, tolerance: float = RANK_TOLERANCE) -> NullSpace:
    """R and S of Φq (m, n); B (g, n) defaults to the coordinates chosen by `partition_coordinates`.

    R = Vⁱᵀ(B Vⁱᵀ)⁻¹ with Vⁱ the right singular vectors of the zero singular values (Eqs. 2.89-2.90); S gives the
    velocities with ż = 0. With redundant rows S is the one of least norm, valid for every consistent right-hand side.
    """
    if B is None:
        B = partition_coordinates(Phi_q, tolerance).selection()
    U, values, Vt = np.linalg.svd(Phi_q)
    rank = int((values > tolerance * values.max(initial=0.0)).sum())
    allowed = Vt[rank:].T
    if B.shape[0] != allowed.shape[1]:
        raise BiomecError(f"{B.shape[0]} independent velocities were given for {allowed.shape[1]} degrees of freedom.")
    seen = B @ allowed
    if seen.size and np.linalg.cond(seen) > 1.0 / tolerance:
        raise BiomecError("The independent velocities chosen do not determine the motion in this configuration.")
    R = allowed @ np.linalg.inv(seen)
    least = Vt[:rank].T @ (U[:, :rank].T / values[:rank, None])
    return NullSpace(R=R, S=least - R @ (B @ least), B=B)
