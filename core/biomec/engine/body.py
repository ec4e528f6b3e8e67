"""Rigid bodies in natural coordinates: basic points and unit vectors, spatial and planar.

A body owns a local frame in which its points and vectors are constant. Some of them, the *basis*, carry the
coordinates: their laboratory components, stacked, are the natural coordinates of the body.

    kind   basis        coordinates   rigid-body rows   degrees of freedom
    1p3v   r1 u v w          12              6                  6           spatial
    2p2v   r1 r2 a b         12              6                  6           spatial
    3p1v   r1 r2 r3 a        12              6                  6           spatial
    4p     r1 r2 r3 r4       12              6                  6           spatial
    2p     r1 r2              4              1                  3           planar
    1p1v   r1 u               4              1                  3           planar

Theory §1, 2 and 6. Equation numbers are those of [Nunes2017].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only, skew
from biomec.base.errors import DescriptionError
from biomec.base.frozen import FrozenDict

KINDS = {3: ("1p3v", "2p2v", "3p1v", "4p"), 2: ("2p", "1p1v")}
QUARTER_TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
ROUND_OFF = 1e-14
CONDITION_LIMIT = 1e3  # of the local basis X'; above it points of the body would be badly defined (theory §1.1)


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: named local points and directions, a basis among them, inertia, and a reference pose.

    name           : unique in its system
    points         : name -> local coordinates (dim,) [m]; ``origin`` and ``com`` are always there
    vectors        : name -> local direction (dim,), made unit length; the axes ``x y z`` are always there
    basis          : names of the basic points, then of the unit vectors, in the order of the coordinates
    mass           : [kg]
    centre_of_mass : (dim,) local [m]; the local origin if not given
    inertia        : (3, 3) tensor at the centre of mass in local axes [kg m²] (off-diagonals −∫xy dm);
                     a number for a planar body
    position       : (dim,) reference position of the local origin in the laboratory [m]
    attitude       : (dim, dim) reference attitude, columns are the body's axes in the laboratory
    shared         : basis name -> "body.element" or "ground.point" whose coordinates this body borrows. Sharing
                     makes a smaller system but hides the reaction at that point (theory §1.3).
    """

    name: str
    points: Mapping[str, FloatArray]
    basis: Sequence[str]
    vectors: Mapping[str, FloatArray] = field(default_factory=dict)
    mass: float = 0.0
    centre_of_mass: ArrayLike | None = None
    inertia: ArrayLike | None = None
    position: ArrayLike | None = None
    attitude: ArrayLike | None = None
    shared: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        set_ = object.__setattr__  # the dataclass is frozen: these lines complete its construction
        dim = self._dimension_of_points()
        com = self._vector("centre of mass", self.centre_of_mass, dim)
        for key, always in (("origin", np.zeros(dim)), ("com", com)):
            if not np.array_equal(self.points.get(key, always), always):
                raise DescriptionError(f"Body {self.name}: point {key} is always there; call the other one otherwise.")
        points = {"origin": read_only(np.zeros(dim)), **{k: read_only(p) for k, p in self.points.items()}, "com": com}
        vectors = {axis: read_only(np.eye(dim)[k]) for k, axis in enumerate("xyz"[:dim])}
        for key, value in self.vectors.items():
            if key in vectors and not np.array_equal(value, vectors[key]):
                raise DescriptionError(f"Body {self.name}: vector {key} is always there; call the other one otherwise.")
            length = float(np.linalg.norm(self._vector(f"vector {key}", value, dim)))
            if length < 1e-12:
                raise DescriptionError(f"Body {self.name}: vector {key} has no length, so it has no direction.")
            vectors[key] = read_only(np.asarray(value) / length)
        set_(self, "points", FrozenDict(points))
        set_(self, "vectors", FrozenDict(vectors))
        set_(self, "basis", tuple(self.basis))
        set_(self, "centre_of_mass", com)
        set_(self, "position", self._vector("reference position", self.position, dim))
        set_(self, "attitude", read_only(np.eye(dim) if self.attitude is None else self.attitude))
        set_(self, "inertia", self._full_inertia(dim))
        set_(self, "shared", FrozenDict(dict(self.shared)))
        self._check()

    # ------------------------------------------------------------------ description

    def _dimension_of_points(self) -> int:
        sizes = {np.shape(point) for point in self.points.values()} or {(3,) if "z" in self.basis else (2,)}
        if sizes not in ({(3,)}, {(2,)}):
            raise DescriptionError(f"Body {self.name}: give every point 3 coordinates (or 2 for a planar body).")
        for key, point in self.points.items():
            if not np.isfinite(point).all():
                raise DescriptionError(f"Body {self.name}: point {key} has a coordinate that is not a number.")
        return int(sizes.pop()[0])

    def _vector(self, what: str, value: ArrayLike | None, dim: int) -> FloatArray:
        vector = np.zeros(dim) if value is None else np.asarray(value, dtype=np.float64)
        if vector.shape != (dim,) or not np.isfinite(vector).all():
            raise DescriptionError(f"Body {self.name}: its {what} needs {dim} coordinates, all of them numbers.")
        return read_only(vector)

    def _full_inertia(self, dim: int) -> FloatArray:
        """Inertia as a matrix: (3, 3) in space, (1, 1) in the plane; zero if not given."""
        size = 3 if dim == 3 else 1
        matrix = np.zeros((size, size)) if self.inertia is None else np.asarray(self.inertia, dtype=np.float64)
        if matrix.size != size * size or not np.isfinite(matrix).all():
            wanted = "a 3 × 3 tensor" if dim == 3 else "one number"
            raise DescriptionError(f"Body {self.name}: give its inertia as {wanted} [kg m²].")
        return read_only(matrix.reshape(size, size))

    @property
    def dimension(self) -> int:
        """3 for spatial bodies, 2 for planar ones."""
        return int(self.points["origin"].size)

    @property
    def basic_points(self) -> tuple[str, ...]:
        """Names of the basis elements that are points."""
        return tuple(name for name in self.basis if name in self.points)

    @property
    def basic_vectors(self) -> tuple[str, ...]:
        """Names of the basis elements that are unit vectors."""
        return tuple(name for name in self.basis if name not in self.points)

    @property
    def kind(self) -> str:
        """Kind by the count of basic points and unit vectors, e.g. ``2p2v``."""
        p, v = len(self.basic_points), len(self.basic_vectors)
        return (f"{p}p" if p else "") + (f"{v}v" if v else "")

    @property
    def size(self) -> int:
        """Number of natural coordinates of the body."""
        return self.dimension * len(self.basis)

    def _check(self) -> None:
        name, dim = self.name, self.dimension
        if "." in name:
            raise DescriptionError(f'Body {name}: a name has no dot, because points are "body.point". Rename it.')
        for element in self.basis:
            if element not in self.points and element not in self.vectors:
                raise DescriptionError(
                    f"Body {name}: basis element {element} is neither one of its points "
                    f"({', '.join(self.points)}) nor one of its vectors ({', '.join(self.vectors)})."
                )
        if len(set(self.basis)) != len(self.basis) or self.basis != self.basic_points + self.basic_vectors:
            raise DescriptionError(f"Body {name}: list each basis element once, points before vectors.")
        if self.kind not in KINDS[dim]:
            raise DescriptionError(
                f"Body {name}: a basis of kind {self.kind or 'nothing'} cannot carry a {dim}-D body; "
                f"use one of {', '.join(KINDS[dim])}."
            )
        X = self.local_basis
        length = float(np.linalg.norm(X[:, 0]))
        if dim == 2 and not 1.0 / CONDITION_LIMIT < length < CONDITION_LIMIT:
            raise DescriptionError(
                f"Body {name}: its basis {', '.join(self.basis)} is {length:g} m long; check the unit, which is metres."
            )
        condition = float(np.linalg.cond(X))
        if not condition < CONDITION_LIMIT:
            raise DescriptionError(
                f"Body {name}: its basis {', '.join(self.basis)} is (nearly) flat (condition number {condition:.1e}); "
                f"choose points and vectors that span space."
            )
        unknown = set(self.shared) - set(self.basis)
        if unknown:
            raise DescriptionError(f"Body {name}: only basis elements can be shared, not {', '.join(sorted(unknown))}.")
        A = self.attitude_matrix
        if A.shape != (dim, dim) or not np.allclose(A.T @ A, np.eye(dim), rtol=0, atol=1e-9) or np.linalg.det(A) < 0.0:
            raise DescriptionError(f"Body {name}: its reference attitude is not a rotation matrix.")
        self._check_inertia()

    def _check_inertia(self) -> None:
        if not (np.isfinite(self.mass) and self.mass >= 0.0):
            raise DescriptionError(f"Body {self.name}: its mass is {self.mass} kg; it must be zero or more.")
        J = self.inertia_matrix
        scale = float(np.abs(J).max()) if J.size else 0.0
        if not np.allclose(J, J.T, rtol=0, atol=1e-9 * scale):
            raise DescriptionError(f"Body {self.name}: its inertia tensor is not symmetric.")
        if self.dimension == 2 and J[0, 0] < 0.0:
            raise DescriptionError(f"Body {self.name}: its inertia is {J[0, 0]:g} kg m²; it must be zero or more.")
        smallest = float(np.linalg.eigvalsh(_second_moment(J)).min()) if self.dimension == 3 else 0.0
        if smallest < -1e-9 * scale:
            raise DescriptionError(
                f"Body {self.name}: no distribution of mass has this inertia tensor (½ tr(J) I − J has the negative "
                f"eigenvalue {smallest:.2e} kg m²). Check the signs of the products of inertia."
            )

    @property
    def attitude_matrix(self) -> FloatArray:
        """Reference attitude as an array (dim, dim)."""
        return np.asarray(self.attitude, dtype=np.float64)

    @property
    def inertia_matrix(self) -> FloatArray:
        """Inertia at the centre of mass, (3, 3), or (1, 1) for a planar body [kg m²]."""
        return np.asarray(self.inertia, dtype=np.float64)

    # ------------------------------------------------------------------ natural coordinates

    @cached_property
    def local_basis(self) -> FloatArray:
        """X' (dim, dim): local components of r2−r1, r3−r1, …, then of the unit vectors; planar: b1 and b1 turned."""
        first, *others = (self.points[name] for name in self.basic_points)
        columns = [point - first for point in others] + [self.vectors[name] for name in self.basic_vectors]
        X = np.column_stack(columns)
        return read_only(X if self.dimension == 3 else np.column_stack([X[:, 0], QUARTER_TURN @ X[:, 0]]))

    @cached_property
    def to_base(self) -> FloatArray:
        """T with (r1, b1, b2, b3) = (T ⊗ I) q_body, where b are the columns of X (theory §1.2)."""
        T = np.eye(len(self.basis))
        T[1 : len(self.basic_points), 0] = -1.0
        return read_only(T)

    def _combination(self, local: FloatArray, *, base: float) -> FloatArray:
        """Matrix (dim, size) of base·r1 + Σ c_k b_k with c = X'⁻¹ local."""
        c = np.linalg.solve(self.local_basis, local)
        c[np.abs(c) < ROUND_OFF * np.abs(c).max(initial=1.0)] = 0.0  # keeps maps of basis elements exact and sparse
        if self.dimension == 3:
            factors = np.concatenate(([base], c)) @ self.to_base
            return np.asarray((factors[:, None] * np.eye(3)[:, None, :]).reshape(3, -1))  # factors ⊗ I
        # planar: b2 is b1 turned by a quarter, so c1 b1 + c2 b2 = (c1 I + c2 J) b1 and stays a constant map
        turn = c[0] * np.eye(2) + c[1] * QUARTER_TURN
        in_base = np.hstack([base * np.eye(2), turn])
        return np.asarray(in_base @ np.kron(self.to_base, np.eye(2)))

    def point_map(self, point: str | ArrayLike) -> FloatArray:
        """C (dim, size) of a body-fixed point, by name or local coordinates: r = C q_body (Eqs. 2.12-2.16)."""
        local = self.points[point] if isinstance(point, str) else np.asarray(point, dtype=np.float64)
        return self._combination(local - self.points[self.basis[0]], base=1.0)

    def vector_map(self, vector: str | ArrayLike) -> FloatArray:
        """D (dim, size) of a body-fixed vector, by name or local components: d = D q_body (Eqs. 2.12-2.16)."""
        local = self.vectors[vector] if isinstance(vector, str) else np.asarray(vector, dtype=np.float64)
        return self._combination(local, base=0.0)

    def coordinates(self, position: ArrayLike | None = None, attitude: ArrayLike | None = None) -> FloatArray:
        """Natural coordinates (..., size) of poses.

        position : (..., dim) laboratory position of the local origin [m]; reference position if not given
        attitude : (..., dim, dim) columns are the body's axes in the laboratory; reference attitude if not given
        """
        p_WB = np.asarray(self.position if position is None else position, dtype=np.float64)
        R_WB = np.asarray(self.attitude if attitude is None else attitude, dtype=np.float64)
        points = [p_WB + R_WB @ self.points[name] for name in self.basic_points]
        vectors = [R_WB @ self.vectors[name] for name in self.basic_vectors]
        return np.concatenate(np.broadcast_arrays(*points, *vectors), axis=-1)

    # ------------------------------------------------------------------ mass

    @property
    def mass_matrix(self) -> FloatArray:
        """Constant mass matrix (size, size) of the body (Eqs. 2.17-2.27; theory §6).

        With d = r_G' − r_1' and Π = ∫ (r'−r_G')(r'−r_G')ᵀ dm = ½ tr(J) I − J (tensor entries; Eq. 2.22 is printed
        with the other sign off the diagonal, which makes Π indefinite), in the base (r1, b1, b2, b3):

            M4 = [[m, m dᵀX'⁻ᵀ], [m X'⁻¹d, X'⁻¹(Π + m d dᵀ)X'⁻ᵀ]],   M = (Tᵀ M4 T) ⊗ I3

        A planar body keeps the same meaning with Π + m d dᵀ replaced by (J + m|d|²)/|b1|².
        """
        m, dim = self.mass, self.dimension
        d = self.points["com"] - self.points[self.basis[0]]
        X = self.local_basis
        c = np.linalg.solve(X, d)
        if dim == 3:
            second = np.linalg.solve(X, _second_moment(self.inertia_matrix) + m * np.outer(d, d))
            M4 = np.block([[np.array([[m]]), m * c[None, :]], [m * c[:, None], np.linalg.solve(X, second.T).T]])
            return np.kron(self.to_base.T @ M4 @ self.to_base, np.eye(3))
        turn = m * (c[0] * np.eye(2) + c[1] * QUARTER_TURN)
        polar = (self.inertia_matrix[0, 0] + m * d @ d) / float(X[:, 0] @ X[:, 0])
        base = np.block([[m * np.eye(2), turn], [turn.T, polar * np.eye(2)]])
        T = np.kron(self.to_base, np.eye(2))
        return np.asarray(T.T @ base @ T)

    # ------------------------------------------------------------------ rotation

    def axes_maps(self) -> list[FloatArray]:
        """D of the local axes: the columns of the attitude A = [u v w] as maps of q_body."""
        return [self.vector_map(np.eye(self.dimension)[k]) for k in range(self.dimension)]

    def angular_velocity_map(self, q_body: FloatArray) -> FloatArray:
        """G (..., 3, size), or (..., 1, size) in the plane, with ω = G q̇_body.

        G = ½ Σ_k ẽ_k D_k over the body's axes e_k = D_k q_body. On a rigid motion this is the antisymmetric part of
        Ȧ Aᵀ, and because Ġ q̇ = ½ Σ ė_k × ė_k = 0 also ω̇ = G q̈ (theory §1.4).
        """
        G = np.zeros((*q_body.shape[:-1], 1 if self.dimension == 2 else 3, self.size))
        for D in self.axes_maps():
            e = q_body @ D.T
            if self.dimension == 3:
                G += 0.5 * skew(e) @ D
            else:
                G[..., 0, :] += 0.5 * (e[..., :1] * D[1] - e[..., 1:] * D[0])
        return G


def _second_moment(J: FloatArray) -> FloatArray:
    """Π = ∫ r rᵀ dm = ½ tr(J) I − J about the centre of mass [kg m²]."""
    return np.asarray(0.5 * np.trace(J) * np.eye(3) - J)


def planar_bar(
    name: str,
    length: float,
    mass: float = 0.0,
    *,
    ends: tuple[str, str] = ("A", "B"),
    position: ArrayLike | None = None,
    attitude: ArrayLike | None = None,
    shared: Mapping[str, str] | None = None,
) -> Body:
    """Uniform planar bar of two basic points, local x along the bar from the first end (M = m/6 [[2I, I], [I, 2I]])."""
    first, second = ends
    return Body(
        name=name,
        points={first: np.zeros(2), second: np.array([length, 0.0])},
        basis=(first, second),
        mass=mass,
        centre_of_mass=(0.5 * length, 0.0),
        inertia=mass * length**2 / 12.0,
        position=position,
        attitude=attitude,
        shared=shared or {},
    )
