"""The position problem: the configuration nearest to a measured one that obeys every constraint.

    minimise ½ (q − q*)ᵀ W (q − q*)   subject to   Φ(q) = 0            (Eqs. 2.61-2.68, 4.14; theory §8.1)

by augmented Lagrangians, each frame a problem of its own:

    (W + ΦqᵀαΦq) Δq = −W (q − q*) − Φqᵀ(αΦ + λ);   q ← q + Δq;   λ ← λ + αΦ(q)

The multipliers take Φ *after* the step (Eq. 2.68 prints the one before, which diverges). Redundant rows do no harm:
the matrix is positive definite because W is. Equation numbers are those of [Nunes2017].

With measured points as targets, ½ Σ w ‖C q − p‖² is added to what is minimised (theory §8.6). The
iterations stand in `search.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from time import perf_counter

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, frames_last, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.frozen import FrozenDict
from biomec.base.progress import Progress, in_parallel
from biomec.engine.contacts import PointContacts, check_contacts, contact_lanes
from biomec.engine.curvature import Curvature, curvature_tables, no_curvature
from biomec.engine.normal import LANES, NormalMatrix, checked_metric, normal_matrix
from biomec.engine.prediction import STRETCH, Prediction, cold_start, side_by_side
from biomec.engine.search import FIRST_PENALTY, solve_lanes
from biomec.engine.system import Drive, System
from biomec.engine.targets import PointTargets, TargetTables, check_targets, target_lanes, target_tables


class FrameStatus(IntEnum):
    """How the solution of a frame ended. Only PHI is a valid configuration."""

    PHI = 0  # converged: ‖Φ‖ below the tolerance, and with targets no step longer than the step tolerance is left
    DQ = 1  # stopped moving (‖Δq‖ below the tolerance) with constraints still violated
    MAX_ITER = 2  # iterations used up
    SINGULAR = 3  # a factorisation failed or the iteration ran away
    MISSING = 4  # coordinates, contacts or driver values of this frame are not all numbers
    MIRRORED = 5  # the rows are satisfied, but a driven or added angle came out as its mirror image
    UNREACHABLE = 6  # no continuous motion leads from the frame before to these driver values

    @property
    def sentence(self) -> str:
        """What the status means for the user."""
        return _SENTENCES[self]


_SENTENCES = {
    FrameStatus.PHI: "The constraints are satisfied.",
    FrameStatus.DQ: "The search stopped moving before all constraints were satisfied; they may contradict each other.",
    FrameStatus.MAX_ITER: "The iterations were used up before the search had settled on a configuration.",
    FrameStatus.SINGULAR: "The search ran away: from this configuration the constraints cannot be satisfied.",
    FrameStatus.MISSING: "The coordinates, contacts or driver values of this frame are incomplete.",
    FrameStatus.UNREACHABLE: "The drivers cannot reach these values from the configuration before.",
    FrameStatus.MIRRORED: "An angle came out as its mirror image; start nearer to the configuration that is meant.",
}


@dataclass(frozen=True)
class PositionOptions:
    """Settings of the position problem (theory §8.1)."""

    alpha: float = setting(
        1e7, "Penalty", "Factor of the violated constraints; larger is stricter.", typed=True
    )  # penalty factor α
    tolerance: float = setting(
        1e-10, "Tolerance", "Largest violation ‖Φ‖ of a solved frame.", typed=True
    )  # on ‖Φ‖ and on ‖Δq‖
    max_iterations: int = setting(50, "Most iterations", "A frame that needs more is not solved.", least=0)
    step_tolerance: float = setting(
        1e-7, "Tolerance of the step", "Longest step ‖Δq‖ that may still be left in global optimisation.", typed=True
    )  # where targets pull: on ‖Δq‖, or on what its last two values say is left (theory §8.6)

    def __post_init__(self) -> None:
        whole = int(self.max_iterations) == self.max_iterations > 0
        if not (0.0 < self.alpha < np.inf and self.tolerance > 0.0 and self.step_tolerance > 0.0 and whole):
            raise BiomecError("Position options: penalty and tolerances must be positive, iterations a whole number.")


@dataclass(frozen=True)
class PositionResult:
    """Consistent coordinates and how each of the T frames was solved. Arrays are read-only.

    q           : (T, n) consistent coordinates; NaN in frames with status MISSING or SINGULAR
    status      : (T,) `FrameStatus`
    iterations  : (T,)
    violation   : (T,) last ‖Φ‖ (mixed units: a convergence measure, not a length)
    increment   : (T,) last ‖Δq‖
    seconds     : (T,) time spent on the frame: its share of the frames solved side by side
    multipliers : (T, rows) λ, system rows then contact rows
    before, after : row type -> (T,) mean violation ‖Φ_type‖ / rows of the type, at q* and at q
    options     : settings used
    """

    q: FloatArray
    status: IntArray
    iterations: IntArray
    violation: FloatArray
    increment: FloatArray
    seconds: FloatArray
    multipliers: FloatArray
    before: Mapping[str, FloatArray]
    after: Mapping[str, FloatArray]
    options: PositionOptions

    @property
    def valid(self) -> BoolArray:
        """Frames that satisfy the constraints (T,)."""
        return np.asarray(self.status == FrameStatus.PHI)

    def summary(self) -> str:
        """Count the frames by how they ended, in one line."""
        return summarised(self.status)


def summarised(statuses: IntArray) -> str:
    """Count frames by how they ended, in one line."""
    counts = [(status, int((statuses == status).sum())) for status in FrameStatus]
    return " ".join(f"{count} frame{'s' * (count > 1)}: {status.sentence}" for status, count in counts if count)


class PositionSolver:
    """Solves the position problem of one system, metric and set of contact bodies for any number of frames.

    metric : W: None or "identity", weights (n,), or a symmetric positive definite matrix (n, n). A larger weight means
             that the coordinate moves less. Only ratios count: the penalty is taken in units of the median weight.
             Ratios beyond about 1e4 cost iterations. Beside targets of weight 1, 1e-6 is a weak pull that only decides
             what no target does; much less is lost in round-off.
    """

    def __init__(
        self,
        system: System,
        *,
        metric: ArrayLike | scipy.sparse.sparray | str | None = None,
        options: PositionOptions | None = None,
    ) -> None:
        self.system = system
        self.options = options or PositionOptions()
        self._metric = checked_metric(metric, system.n)
        self._weight = float(np.median(self._metric.diagonal()))
        self._metric_key = tuple(
            part.tobytes() for part in (self._metric.data, self._metric.indices, self._metric.indptr)
        )

    def solve(
        self,
        q_star: ArrayLike,
        *,
        contacts: PointContacts | None = None,
        targets: PointTargets | None = None,
        drive: Drive | None = None,
        progress: Progress | None = None,
    ) -> PositionResult:
        """Make measured coordinates q* (T, n), or (n,) for one frame, consistent, and near to targets if there are.

        Every frame starts from its q*, or, with targets, from where the frames before it lead to, if that is as near to
        its targets (`prediction.py`). `PointTargets.residual` tells how far from the targets the solution is.
        """
        given = np.atleast_2d(np.asarray(q_star, dtype=np.float64))
        if given.ndim != 2 or given.shape[1] != self.system.n:
            raise BiomecError(
                f"Coordinates have shape {given.shape}; {self.system.name} has {self.system.n} coordinates a frame."
            )
        frames = given.shape[0]
        check_contacts(contacts, frames, self.system.n)
        check_targets(targets, frames, self.system.n)
        normal, first_alpha, curvature, soft = self._prepare(contacts, targets)
        rows = normal.rows
        driven, _, _ = self.system.targets(drive, (frames,))
        q, multipliers = np.empty((frames, self.system.n)), np.empty((frames, rows))
        types = _types_with_contacts(self.system, contacts)
        kind = np.full(rows, len(types), dtype=np.int64)
        for k, own in enumerate(types.values()):
            kind[own] = k
        first, last = np.empty((frames, len(types) + 1)), np.empty((frames, len(types) + 1))
        status, iterations = np.empty(frames, dtype=np.int64), np.empty(frames, dtype=np.int64)
        increment, seconds = np.empty(frames), np.empty(frames)

        def search(part: IntArray, count: int, guess: Prediction | None) -> Prediction:
            """Solve frames side by side, of which the first ``count`` are wanted; what follows for the next ones."""
            started = perf_counter()
            entries, points = contact_lanes(contacts, part)
            places, weights = target_lanes(targets, part)
            measured = frames_last(given[part])
            start = cold_start(measured, rows) if guess is None else guess.start(soft, measured, places, weights)
            phi_0, phi = np.empty_like(start.multipliers), np.empty_like(start.multipliers)
            ended, passes, step = np.empty(part.size, dtype=np.int64), np.empty_like(part), np.empty(part.size)
            solve_lanes(
                normal, first_alpha, measured, start.q, start.trusted, np.ascontiguousarray(driven[:, part]), entries,
                points, soft, curvature, places, weights, self.options.tolerance, self.options.step_tolerance,
                self.options.max_iterations, start.multipliers, phi_0, phi, ended, passes, step,
            )  # fmt: skip
            if guess is not None and ((ended != FrameStatus.PHI) & (start.trusted > 0.5)).any():
                return search(part, count, None)
            wanted = part[:count]
            q[wanted], multipliers[wanted] = start.q.T[:count], start.multipliers.T[:count]
            status[wanted], iterations[wanted], increment[wanted] = ended[:count], passes[:count], step[:count]
            first[wanted], last[wanted] = (_sums_of_squares(one, kind, len(types) + 1)[:count] for one in (phi_0, phi))
            seconds[wanted] = (perf_counter() - started) / count
            return Prediction.after(start, measured, ended == FrameStatus.PHI, guess)

        def work(block: slice) -> None:
            """Solve a block of frames: each lane its own stretch, one frame after the other."""
            guess = None
            for part, count in side_by_side(block, LANES):
                guess = search(part, count, guess)

        in_parallel(work, frames, LANES if targets is None else LANES * min(STRETCH, -(-frames // LANES)), progress)
        lost = (status == FrameStatus.MISSING) | (status == FrameStatus.SINGULAR)
        q[lost], multipliers[lost], last[lost] = np.nan, np.nan, np.nan
        if self.system.tables.angle.size:
            status[(status == FrameStatus.PHI) & self.system.mirrored_angles(q, drive)] = FrameStatus.MIRRORED
        q.setflags(write=False)
        multipliers.setflags(write=False)
        return PositionResult(
            q=q,
            status=read_only(status, np.int64),
            iterations=read_only(iterations, np.int64),
            violation=read_only(np.sqrt(last.sum(axis=1))),
            increment=read_only(increment),
            seconds=read_only(seconds),
            multipliers=multipliers,
            before=_by_type(types, first),
            after=_by_type(types, last),
            options=self.options,
        )

    def _prepare(
        self, contacts: PointContacts | None, targets: PointTargets | None
    ) -> tuple[NormalMatrix, float, Curvature, TargetTables]:
        """The matrix, the penalty of the first step, second derivatives of the rows, and tables of the targets."""
        held = None if contacts is None else contacts.columns
        pulled = None if targets is None else targets.columns
        unit = self._weight
        if targets is not None and targets.typical_weight > 0.0:
            # in whole powers of ten, so that trials with other weights share what is prepared
            unit = max(unit, 10.0 ** round(np.log10(targets.typical_weight)))
        alpha = self.options.alpha * unit

        def make() -> tuple[NormalMatrix, float, Curvature, TargetTables]:
            normal = normal_matrix(self.system, self._metric, alpha, held, pulled)
            tables = target_tables(normal.plan, targets)
            if targets is None:
                return normal, alpha, no_curvature(), tables
            return (
                normal,
                min(self.options.alpha, FIRST_PENALTY) * unit,
                curvature_tables(self.system.tables, normal.plan),
                tables,
            )

        entries = b"" if targets is None else targets.entries.tobytes()
        key = ("position", *self._metric_key, _bytes(held), _bytes(pulled), entries, alpha)
        return self.system.derived(key, make)


def _bytes(columns: IntArray | None) -> bytes:
    return b"" if columns is None else columns.tobytes()


def _types_with_contacts(system: System, contacts: PointContacts | None) -> dict[str, IntArray]:
    types = dict(system.row_types)
    if contacts is not None and contacts.rows:
        types["temporary"] = np.arange(system.m, system.m + contacts.rows)
    return types


def _by_type(types: Mapping[str, IntArray], squares: FloatArray) -> Mapping[str, FloatArray]:
    """Row type -> ‖Φ_type‖ / rows of the type (T,), from sums of squares (T, types)."""
    norms = np.sqrt(squares)
    return FrozenDict({name: read_only(norms[:, k] / rows.size) for k, (name, rows) in enumerate(types.items())})


@compiled
def _sums_of_squares(values: FloatArray, kind: IntArray, kinds: int) -> FloatArray:
    """Σ v² (F, kinds) of values (rows, F) over the rows of each kind (rows,)."""
    sums = np.zeros((values.shape[1], kinds))
    for r in range(values.shape[0]):
        for f in range(values.shape[1]):
            sums[f, kind[r]] += values[r, f] * values[r, f]
    return sums
