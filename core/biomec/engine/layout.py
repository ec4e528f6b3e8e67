"""Where each body's coordinates stand in q, and what the names in a description mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError, DescriptionError
from biomec.engine.body import Body
from biomec.engine.maps import VectorMap

GROUND = "ground"


class Layout:
    """Columns of q for every body and added coordinate; turns names such as ``thigh.knee`` into maps of q.

    Bodies come first, in their order, each with the coordinates it owns; added (mixed) coordinates follow. A shared
    basis element has no columns of its own: it uses those of its owner, or is constant if the ground owns it.
    """

    def __init__(
        self,
        bodies: Sequence[Body],
        ground: Mapping[str, ArrayLike] | None = None,
        added: Iterable[str] = (),
        directions: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        if not bodies:
            raise DescriptionError("A system needs at least one body.")
        self.dimension = bodies[0].dimension
        self.bodies = {body.name: body for body in bodies}
        if len(self.bodies) != len(bodies) or GROUND in self.bodies:
            names = [body.name for body in bodies]
            twice = sorted({name for name in names if names.count(name) > 1 or name == GROUND})
            raise DescriptionError(f"Body name {', '.join(twice)} is taken: names are unique, and ground is reserved.")
        for body in bodies:
            if body.dimension != self.dimension:
                raise DescriptionError(
                    f"Body {body.name} is {body.dimension}-D, but the system is {self.dimension}-D; do not mix them."
                )
        self.ground = {
            "origin": np.zeros(self.dimension),
            **{k: np.asarray(v, float) for k, v in (ground or {}).items()},
        }
        for name, point in self.ground.items():
            if name == "origin" and point.any():
                raise DescriptionError("Ground: its origin is the laboratory's; call the other point otherwise.")
            if point.shape != (self.dimension,) or not np.isfinite(point).all():
                raise DescriptionError(f"Ground: point {name} needs {self.dimension} coordinates, all of them numbers.")
        self.directions = dict(zip("xyz", np.eye(self.dimension), strict=False))
        for name, direction in (directions or {}).items():
            vector = np.asarray(direction, dtype=np.float64)
            if name in ("x", "y", "z"):
                raise DescriptionError(f"Ground: direction {name} is the laboratory's; call the other one otherwise.")
            if vector.shape != (self.dimension,) or not np.linalg.norm(vector) > 1e-12:
                raise DescriptionError(f"Ground: direction {name} needs {self.dimension} components, not all zero.")
            self.directions[name] = vector / np.linalg.norm(vector)
        self._columns: dict[str, IntArray] = {}
        self._constants: dict[str, FloatArray] = {}
        self._points: dict[str, VectorMap] = {}  # maps of points that were asked for
        self._rows: dict[str, tuple[IntArray, FloatArray, FloatArray]] = {}  # and their rows
        self.owned: dict[str, IntArray] = {}  # columns that a body owns, for the elimination order
        self.n = 0
        for body in bodies:
            self._place(body)
        if self.n == 0:
            raise DescriptionError("Nothing can move: every body shares all its points with the ground.")
        self.added: dict[str, int] = {}
        for name in added:
            if name in self.added:
                raise DescriptionError(f"Coordinate {name} is added twice; each added coordinate needs its own name.")
            self.added[name] = self.n
            self.n += 1

    def _place(self, body: Body) -> None:
        dim = self.dimension
        columns = np.full(body.size, -1, dtype=np.int64)
        constants = np.zeros(body.size)
        for slot, element in enumerate(body.basis):
            part = slice(dim * slot, dim * slot + dim)
            if element not in body.shared:
                columns[part] = np.arange(self.n, self.n + dim)
                self.n += dim
                continue
            owner, name = self._split(body.shared[element], f"Body {body.name}")
            is_point = element in body.points
            if owner == GROUND:
                table = self.ground if is_point else self.directions
                constants[part] = self._element(table, name, f"Body {body.name}", GROUND)
            elif (
                owner in self._columns
                and name in self.bodies[owner].basis
                and is_point == (name in self.bodies[owner].points)
            ):
                at = dim * self.bodies[owner].basis.index(name)
                columns[part] = self._columns[owner][at : at + dim]
                constants[part] = self._constants[owner][at : at + dim]
            else:
                raise DescriptionError(
                    f"Body {body.name}: shares {element} with {owner}.{name}, which is not a basis "
                    f"{'point' if is_point else 'vector'} of a body listed before it."
                )
        if len(set(body.shared.values())) < len(body.shared):
            raise DescriptionError(f"Body {body.name}: two of its basis elements share the same one; they must differ.")
        self._columns[body.name] = columns
        self._constants[body.name] = constants
        others = [c for name, c in self._columns.items() if name != body.name]
        taken = np.concatenate(others) if others else np.zeros(0, dtype=np.int64)
        self.owned[body.name] = np.setdiff1d(columns[columns >= 0], taken)

    # ------------------------------------------------------------------ names

    @staticmethod
    def _split(reference: str, where: str) -> tuple[str, str]:
        owner, dot, name = reference.partition(".")
        if not (owner and dot and name):
            raise DescriptionError(f'{where}: write "body.name" instead of "{reference}".')
        return owner, name

    @staticmethod
    def _element(table: Mapping[str, FloatArray], name: str, where: str, owner: str) -> FloatArray:
        if name not in table:
            raise DescriptionError(f"{where}: {owner} has no {name}; it has {', '.join(table)}.")
        return table[name]

    def body(self, name: str, where: str = "System") -> Body:
        """Return the body of that name, or raise a sentence that lists the bodies there are."""
        if name not in self.bodies:
            raise DescriptionError(f"{where}: there is no body {name}; the bodies are {', '.join(self.bodies)}.")
        return self.bodies[name]

    def point(self, reference: str, where: str = "System") -> VectorMap:
        """Map of a point given as ``body.point`` or ``ground.point``; each is made once."""
        known = self._points.get(reference)
        if known is None:
            owner, name = self._split(reference, where)
            if owner == GROUND:
                known = VectorMap.fixed(self._element(self.ground, name, where, GROUND))
            else:
                body = self.body(owner, where)
                self._element(body.points, name, where, f"body {owner}")
                known = self.lift(body, body.point_map(name))
            self._points[reference] = known
        return known

    def point_rows(self, reference: str, where: str = "System") -> tuple[IntArray, FloatArray, FloatArray]:
        """Rows of the map of a point: columns of q (dim, 4), their coefficients (dim, 4) and constants (dim,)."""
        known = self._rows.get(reference)
        if known is None:
            point = self.point(reference, where)
            if point.columns.size == 0:
                raise BiomecError(
                    f"{where} {reference}: the point is fixed to the ground, so no motion brings it nearer."
                )
            columns, entries = np.empty((self.dimension, 4), dtype=np.int64), np.zeros((self.dimension, 4))
            for k, row in enumerate(point.matrix):
                used = row.nonzero()[0]
                columns[k] = point.columns[used[0]]
                columns[k, : used.size], entries[k, : used.size] = point.columns[used], row[used]
            known = columns, entries, point.constant
            self._rows[reference] = known
        return known

    def vector(self, reference: str, where: str = "System") -> VectorMap:
        """Map of a direction given as ``body.vector`` or ``ground.direction`` (x, y, z are always there)."""
        owner, name = self._split(reference, where)
        if owner == GROUND:
            return VectorMap.fixed(self._element(self.directions, name, where, GROUND))
        body = self.body(owner, where)
        self._element(body.vectors, name, where, f"body {owner}")
        return self.lift(body, body.vector_map(name))

    def local_vector(self, owner: str, components: FloatArray) -> VectorMap:
        """Map of a vector fixed in a body (or the ground) from its local components."""
        if owner == GROUND:
            return VectorMap.fixed(components)
        return self.lift(self.bodies[owner], self.bodies[owner].vector_map(components))

    def lift(self, body: Body, matrix: FloatArray) -> VectorMap:
        """Turn a matrix over the coordinates of a body into a map over q, ground parts becoming constants."""
        columns, constants = self._columns[body.name], self._constants[body.name]
        used = np.flatnonzero((columns >= 0) & matrix.any(axis=0))
        used = used[np.argsort(columns[used])]
        return VectorMap(columns[used], matrix[:, used], matrix @ constants)

    # ------------------------------------------------------------------ states

    def columns(self, body: str) -> IntArray:
        """Columns of q of a body's natural coordinates, −1 where an element is fixed to the ground."""
        return self._columns[self.body(body).name]

    def body_coordinates(self, q: FloatArray, body: str) -> FloatArray:
        """Natural coordinates (..., size) of one body out of q (..., n)."""
        columns = self.columns(body)
        return np.where(columns >= 0, q[..., columns], self._constants[body])

    def reference(self, added: Mapping[str, float] | None = None) -> FloatArray:
        """Return q of the reference poses, with the given values of added coordinates (0 otherwise), read-only."""
        q = np.zeros(self.n)
        for name, body in self.bodies.items():
            columns = self.columns(name)
            owned = np.isin(columns, self.owned[name])
            q[columns[owned]] = body.coordinates()[owned]
        for name, value in (added or {}).items():
            q[self.added[name]] = value
        return read_only(q)

    def attitude(self, owner: str) -> FloatArray:
        """Reference attitude (dim, dim) of a body, identity for the ground."""
        return np.eye(self.dimension) if owner == GROUND else self.body(owner).attitude_matrix
