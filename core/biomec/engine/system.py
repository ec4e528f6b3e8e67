"""A multibody system: bodies, joints, drivers and gravity, assembled once and evaluated for one frame or many."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, frames_last, locked, read_only
from biomec.base.errors import BiomecError, DescriptionError
from biomec.base.physics import GRAVITY
from biomec.engine import rows as kernels
from biomec.engine.body import Body
from biomec.engine.drivers import ADDED_COORDINATES
from biomec.engine.equations import AngleEquation, EllipsoidEquation, Quadratic, Row
from biomec.engine.joint_kinds import JOINT_KINDS
from biomec.engine.joints import Constraint, rigid_body_rows
from biomec.engine.layout import Layout

ROW_TYPES = ("rigid", *JOINT_KINDS, "coordinate", "driver")
KEPT = 32  # tables that a system keeps for the next trial
T = TypeVar("T")
_KEEPING = Lock()
MIRRORED = 1e-3  # cosine or sine of an angle this far off, where its other form is zero: not round-off


@dataclass(frozen=True)
class Drive:
    """Values of a system's drivers and their time derivatives, each (..., drivers) in the order of `System.drivers`."""

    value: FloatArray
    rate: FloatArray
    acceleration: FloatArray


class System:
    """Bodies and constraints as equations in natural coordinates.

    The system is constant: states (q, q̇, driver values) are arguments. Arrays take any leading batch shape: q is
    (..., n), residuals (..., m), Jacobians (..., m, n). Rows stand in the order of `ROW_TYPES`, and within a type in
    the order of bodies and constraints. ``ground`` names points of the laboratory, ``directions`` its directions.
    """

    def __init__(
        self,
        bodies: Sequence[Body],
        constraints: Sequence[Constraint] = (),
        *,
        name: str = "system",
        ground: Mapping[str, ArrayLike] | None = None,
        directions: Mapping[str, ArrayLike] | None = None,
        gravity: ArrayLike | None = None,
    ) -> None:
        self.name = name
        self.constraints = tuple(constraints)
        _refuse_doubles(bodies, self.constraints)
        added = [item for item in self.constraints if isinstance(item, ADDED_COORDINATES)]
        self.layout = Layout(bodies, ground, [item.name for item in added], directions)
        bodies_only = self.layout.reference()
        self.reference = self.layout.reference({c.name: c.measure(self.layout, bodies_only) for c in added})
        rows = [row for body in bodies for row in rigid_body_rows(body, self.layout)]
        for constraint in self.constraints:
            rows += constraint.rows(self.layout)
        for row in rows:
            _refuse_idle(row)
            if row.type not in ROW_TYPES:
                raise DescriptionError(f"{row.owner}: rows of type {row.type} are unknown; use {', '.join(ROW_TYPES)}.")
        self.rows: tuple[Row, ...] = tuple(sorted(rows, key=lambda row: ROW_TYPES.index(row.type)))
        self.tables = kernels.build_tables(self.rows)
        self.drivers = tuple(dict.fromkeys(row.driver for row in self.rows if row.driver is not None))
        self.gravity = read_only(self._standard_gravity() if gravity is None else gravity)
        if self.gravity.shape != (self.layout.dimension,) or not np.isfinite(self.gravity).all():
            raise DescriptionError(f"System {name}: gravity needs {self.layout.dimension} components, all numbers.")
        self.mass_matrix = self._mass_matrix()
        self.gravity_force = read_only(self._gravity_force())
        self._derived: dict[tuple[Hashable, ...], Any] = {}

    def derived(self, key: tuple[Hashable, ...], make: Callable[[], T]) -> T:
        """What ``make`` gives, made once for a key: tables that follow from the system and the key alone.

        The last `KEPT` are kept, so that the next trial of the same markers finds everything prepared.
        """
        found = self._derived.get(key)
        if found is None:
            found = make()
            with _KEEPING:
                while len(self._derived) >= KEPT:
                    del self._derived[next(iter(self._derived))]
                self._derived[key] = found
        result: T = found
        return result

    # ------------------------------------------------------------------ structure

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.layout.n

    @property
    def m(self) -> int:
        """Number of constraint rows, redundant ones included."""
        return len(self.rows)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies in the order of their coordinates."""
        return tuple(self.layout.bodies.values())

    @property
    def row_types(self) -> dict[str, IntArray]:
        """Row numbers by type, for the types that occur."""

        def make() -> dict[str, IntArray]:
            types = np.array([row.type for row in self.rows])
            return {name: locked(np.flatnonzero(types == name)) for name in ROW_TYPES if (types == name).any()}

        return self.derived(("row types",), make)

    def rows_of(self, owner: str, type_: str | None = None) -> IntArray:
        """Row numbers that belong to a joint, driver or body, optionally of one type only."""
        return np.array(
            [i for i, row in enumerate(self.rows) if row.owner == owner and type_ in (None, row.type)], dtype=np.int64
        )

    def _standard_gravity(self) -> FloatArray:
        g = np.zeros(self.layout.dimension)
        g[1] = -GRAVITY
        return g

    def _mass_matrix(self) -> scipy.sparse.csr_array:
        entries: list[tuple[FloatArray, IntArray, IntArray]] = []
        for body in self.bodies:
            columns = self.layout.columns(body.name)
            free = columns >= 0
            i, j = np.meshgrid(columns[free], columns[free], indexing="ij")
            entries.append((body.mass_matrix[np.ix_(free, free)].ravel(), i.ravel(), j.ravel()))
        value, i, j = (np.concatenate(part) for part in zip(*entries, strict=True))
        matrix = scipy.sparse.coo_array((value, (i, j)), shape=(self.n, self.n)).tocsr()
        matrix.eliminate_zeros()
        return matrix

    def _gravity_force(self) -> FloatArray:
        Q = np.zeros(self.n)
        for body in self.bodies:
            com = self.layout.point(f"{body.name}.com")
            Q[com.columns] += com.matrix.T @ (body.mass * self.gravity)
        return Q

    # ------------------------------------------------------------------ drivers

    def drive(
        self,
        values: Mapping[str, ArrayLike],
        rates: Mapping[str, ArrayLike] | None = None,
        accelerations: Mapping[str, ArrayLike] | None = None,
    ) -> Drive:
        """Collect the values of all drivers (angles [rad], lengths and positions [m]) and their time derivatives.

        Every value is a number or an array over frames. Derivatives not given are zero.
        """
        for given in (values, rates or {}, accelerations or {}):
            unknown = sorted(set(given) - set(self.drivers))
            if unknown:
                there = ", ".join(self.drivers) or "none"
                raise BiomecError(f"{self.name} has no driver {', '.join(unknown)}; its drivers are: {there}.")
        missing = [name for name in self.drivers if name not in values]
        if missing:
            raise BiomecError(f"{self.name}: no value was given for driver {', '.join(missing)}.")

        def stacked(given: Mapping[str, ArrayLike]) -> list[FloatArray]:
            return [np.asarray(given.get(name, 0.0), dtype=np.float64) for name in self.drivers]

        parts = [stacked(values), stacked(rates or {}), stacked(accelerations or {})]
        shapes = {part.shape for level in parts for part in level}
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            counts = ", ".join(str(one) for one in sorted(shapes) if one)
            raise BiomecError(
                f"{self.name}: its drivers were given for different numbers of frames: {counts}."
            ) from None
        value, rate, acceleration = (
            read_only(np.stack([np.broadcast_to(part, shape) for part in level], axis=-1).reshape(*shape, -1))
            for level in ([*level] or [np.zeros(shape)] for level in parts)
        )
        return Drive(value, rate, acceleration)

    def targets(self, drive: Drive | None, batch: tuple[int, ...]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Targets k of all rows with their derivatives, each (m, frames), for a batch of frames of any shape."""
        k, kdot, kddot = (np.zeros((self.m, int(np.prod(batch)))) for _ in range(3))
        if not self.drivers:
            return k, kdot, kddot
        if drive is None:
            raise BiomecError(f"{self.name} is driven by {', '.join(self.drivers)}: pass their values with drive=….")
        levels = [self._over_frames(level, batch) for level in (drive.value, drive.rate, drive.acceleration)]
        for r, row in enumerate(self.rows):
            if row.driver is None:
                continue
            s, sdot, sddot = (level[:, self.drivers.index(row.driver)] for level in levels)
            if row.level == "square":
                s, sdot, sddot = s * s, 2.0 * s * sdot, 2.0 * (sdot * sdot + s * sddot)
            k[r], kdot[r], kddot[r] = s, sdot, sddot
        return k, kdot, kddot

    def _over_frames(self, level: ArrayLike, batch: tuple[int, ...]) -> FloatArray:
        """Driver values (frames, drivers), the same in every frame if given once."""
        given = np.asarray(level, dtype=np.float64)
        wanted = (*batch, len(self.drivers))
        try:
            return np.broadcast_to(given, wanted).reshape(-1, len(self.drivers))
        except ValueError:
            raise BiomecError(
                f"{self.name}: the values of its drivers ({', '.join(self.drivers)}) have the shape {given.shape}; "
                f"the coordinates ask for {wanted}."
            ) from None

    def driver_values(self, q: ArrayLike) -> FloatArray:
        """What the drivers' quantities are in configurations q (..., n): (..., drivers); angles in (−π, π]."""
        zeros = np.zeros(len(self.drivers))
        at_zero = Drive(zeros, zeros, zeros)
        straight, other = (self._evaluate(q, at_zero, other_form=form)[0] for form in (False, True))
        values = np.empty((*straight.shape[:-1], len(self.drivers)))
        for r, row in enumerate(self.rows):
            if row.driver is None:
                continue
            if isinstance(
                row.equation, AngleEquation
            ):  # at the angle 0 the sine form is in use: s, and c − L in the other
                value = np.arctan2(straight[..., r], other[..., r] + row.equation.magnitude)
            else:
                value = np.sqrt(straight[..., r]) if row.level == "square" else straight[..., r]
            values[..., self.drivers.index(row.driver)] = value
        return values

    # ------------------------------------------------------------------ equations

    def residual(self, q: ArrayLike, drive: Drive | None = None) -> FloatArray:
        """Φ(q, t), (..., m). Units differ by row (m, m², −): never add rows of different types into one length."""
        return self._evaluate(q, drive)[0]

    def jacobian(self, q: ArrayLike, drive: Drive | None = None) -> FloatArray:
        """Dense Φq, (..., m, n). For many frames of a large system use the solvers, which keep it sparse."""
        _, entries = self._evaluate(q, drive)
        dense = np.zeros((*entries.shape[:-1], self.m, self.n))
        rows = np.repeat(np.arange(self.m), np.diff(self.tables.pointer))
        dense[..., rows, self.tables.columns] = entries
        return dense

    def jacobian_products(self, q: ArrayLike, *vectors: ArrayLike, drive: Drive | None = None) -> list[FloatArray]:
        """Φq x, (..., m), of vectors x (..., n), without the zeros of Φq."""
        _, entries = self._evaluate(q, drive)
        columns, first = self.tables.columns, self.tables.pointer[:-1]  # every row has entries
        return [np.add.reduceat(entries * np.asarray(x)[..., columns], first, axis=-1) for x in vectors]

    def velocity_rhs(self, q: ArrayLike, drive: Drive | None = None) -> FloatArray:
        """b = −Φt of Φq q̇ = b, (..., m); zero unless something is driven."""
        return self._rates(q, np.zeros_like(np.asarray(q, dtype=np.float64)), drive)[0]

    def acceleration_rhs(self, q: ArrayLike, qdot: ArrayLike, drive: Drive | None = None) -> FloatArray:
        """c = −Φ̇q q̇ − Φ̇t of Φq q̈ = c, (..., m)."""
        return self._rates(q, qdot, drive)[1]

    def _evaluate(
        self, q: ArrayLike, drive: Drive | None, *, other_form: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Residuals and Jacobian entries; ``other_form`` takes the form of angle rows that is not in use."""
        frames, batch = _batch_last(q, self.n)
        count = frames.shape[1]
        target, _, _ = self.targets(drive, batch)
        sine = np.empty((self.tables.angle.size, count))
        phi, entries = np.empty((self.m, count)), np.empty((self.tables.columns.size, count))
        kernels.sine_form(self.tables, frames, target, sine)
        kernels.evaluate(self.tables, frames, target, 1.0 - sine if other_form else sine, phi, entries)
        return _frames_first(phi, batch), _frames_first(entries, batch)

    def _rates(self, q: ArrayLike, qdot: ArrayLike, drive: Drive | None) -> tuple[FloatArray, FloatArray]:
        frames, batch = _batch_last(q, self.n)
        rates, same = _batch_last(qdot, self.n)
        if batch != same:
            raise BiomecError(f"Positions and velocities have different shapes: {batch} and {same} frames.")
        count = frames.shape[1]
        k, kdot, kddot = self.targets(drive, batch)
        sine = np.empty((self.tables.angle.size, count))
        b, c = np.empty((self.m, count)), np.empty((self.m, count))
        kernels.sine_form(self.tables, frames, k, sine)
        kernels.evaluate_rates(self.tables, frames, rates, k, kdot, kddot, sine, b, c)
        return _frames_first(b, batch), _frames_first(c, batch)

    def mirrored_angles(self, q: ArrayLike, drive: Drive | None = None) -> BoolArray:
        """Where a driven or added angle satisfies its row only as a mirror image, (...).

        The sine form also holds at π − a and the cosine form at −a; both forms hold only at the angle that is meant.
        """
        forms = [np.abs(self._evaluate(q, drive, other_form=other)[0]) for other in (False, True)]
        return np.asarray((np.maximum(*forms)[..., self.tables.angle] > MIRRORED).any(axis=-1))

    # ------------------------------------------------------------------ energy

    def kinetic_energy(self, qdot: ArrayLike) -> FloatArray:
        """½ q̇ᵀ M q̇, (...) [J]."""
        flat = np.asarray(qdot, dtype=np.float64).reshape(-1, self.n)
        energy = 0.5 * np.einsum("ti,ti->t", flat, flat @ self.mass_matrix.T)
        return np.asarray(energy.reshape(np.shape(qdot)[:-1]))

    def potential_energy(self, q: ArrayLike) -> FloatArray:
        """Gravitational energy −Σ m g·r_G, (...) [J]; zero at the laboratory origin."""
        at = np.asarray(q, dtype=np.float64)
        total = np.zeros(at.shape[:-1])
        for body in self.bodies:
            total -= body.mass * (self.layout.point(f"{body.name}.com")(at) @ self.gravity)
        return total

    def __repr__(self) -> str:
        return f"<System {self.name}: {len(self.bodies)} bodies, {self.n} coordinates, {self.m} rows>"


def _refuse_doubles(bodies: Iterable[Body], constraints: Iterable[Constraint]) -> None:
    seen = {body.name for body in bodies}
    for item in constraints:
        if item.name in seen:
            raise DescriptionError(f"Two bodies, joints or drivers are called {item.name}; give each its own name.")
        seen.add(item.name)


def _refuse_idle(row: Row) -> None:
    """Refuse a row that no coordinate enters, such as a distance between two points of the ground."""
    equation = row.equation
    if isinstance(equation, Quadratic) and not (equation.N.any() or equation.b.any()):
        raise DescriptionError(f"{row.type.capitalize()} {row.owner}: nothing that it constrains can move.")
    if isinstance(equation, EllipsoidEquation) and not equation.d.columns.size:
        raise DescriptionError(f"{row.type.capitalize()} {row.owner}: nothing that it constrains can move.")


def _batch_last(q: ArrayLike, n: int) -> tuple[FloatArray, tuple[int, ...]]:
    array = np.asarray(q, dtype=np.float64)
    if array.shape[-1:] != (n,):
        raise BiomecError(f"Coordinates have shape {array.shape}, but the system has {n} coordinates on the last axis.")
    return frames_last(array.reshape(-1, n)), array.shape[:-1]


def _frames_first(values: FloatArray, batch: tuple[int, ...]) -> FloatArray:
    return np.ascontiguousarray(values.T).reshape(*batch, values.shape[0])
