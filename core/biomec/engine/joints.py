"""Joints and contacts: descriptions that become constraint rows.

Every class here is constant data with one method, ``rows(layout)``. Points and directions are named
``body.element``; ``ground.…`` attaches to the laboratory. Differences are written *proximal minus distal*, so the
multiplier of a spherical row is the force that the proximal body exerts on the distal one (theory §3.2).
Equation numbers are those of [Nunes2017].

    class              rows (3-D)   removes    rows by type
    Spherical          3            3          spherical 3
    Universal          4            4          spherical 3, universal 1
    Revolute           6            5          spherical 3, revolute 3 (one is redundant)
    Cylindrical        5            4          cylindrical 5 (one is redundant)
    Prismatic          6            5          prismatic 6 (one is redundant)
    Weld               6            6          weld 6
    Distance           1            1          distance 1
    Free               0            0          none: it only says which body hangs on which
    EllipsoidContact   1            1          ellipsoid 1

In the plane Revolute has 2 rows, Prismatic 2, Weld 3, none redundant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import DescriptionError
from biomec.engine.body import QUARTER_TURN, Body
from biomec.engine.equations import EllipsoidEquation, Quadratic, Row, components, dot
from biomec.engine.layout import Layout
from biomec.engine.maps import VectorMap


class Constraint(Protocol):
    """What a system needs of a joint, contact or driver."""

    @property
    def name(self) -> str:
        """Unique name, used in reports and messages."""

    def rows(self, layout: Layout) -> list[Row]:
        """Scalar constraint rows, in the order in which their multipliers are reported."""


def rigid_body_rows(body: Body, layout: Layout) -> list[Row]:
    """Inner products of the basis that stay constant: types 1 to 4 of the nine (Eqs. 2.6, 2.8; theory §2).

    Order for 1p3v: |u| |v| |w| u·v u·w v·w; for 2p2v: length, |a| |b| a·b a·(r1−r2) b·(r1−r2); the other kinds
    alike. A planar body has its one length or unit vector. The constants come from the local coordinates.
    """
    first, *others = body.basic_points
    locals_ = [body.points[first] - body.points[p] for p in others] + [body.vectors[v] for v in body.basic_vectors]
    maps = [layout.lift(body, body.vector_map(vector)) for vector in locals_]
    lines, size = range(len(others)), len(maps)
    pairs = [(k, k) for k in range(size)]
    vectors = range(len(others), size)
    pairs += [(i, j) for i in vectors for j in vectors if i < j]  # type 3
    pairs += [(i, j) for j in lines for i in vectors]  # type 4
    pairs += [(i, j) for i in lines for j in lines if i < j]  # between two lines of points (3p1v, 4p)
    found = [dot(maps[i], maps[j], float(locals_[i] @ locals_[j])) for i, j in pairs]
    for equation in found:
        if not equation.columns.size and abs(equation.constant) > 1e-9:
            raise DescriptionError(f"Body {body.name}: the ground points it shares are not as far apart as its own.")
    return [Row("rigid", body.name, equation) for equation in found if equation.columns.size]


@dataclass(frozen=True)
class BodyJoint:
    """A joint between a point of the proximal body and one of the distal body."""

    name: str
    proximal: str
    distal: str

    @property
    def turning(self) -> tuple[str, ...]:
        """Directions about which it turns, proximal first; empty where it has no axis of its own."""
        return ()


@dataclass(frozen=True)
class Spherical(BodyJoint):
    """Two points coincide: φ = r_proximal − r_distal (type 5 of theory §4.2)."""

    def rows(self, layout: Layout) -> list[Row]:
        """Three linear rows."""
        return _coincidence("spherical", self, layout)


@dataclass(frozen=True)
class Universal(BodyJoint):
    """Two points coincide and two directions keep their angle: φ = w_i·u_j − cos θ₀ (types 5 and 6).

    ``cosine`` is cos θ₀, 0 for the crossed axes of a Cardan joint; None takes it from the reference poses.
    """

    proximal_axis: str
    distal_axis: str
    cosine: float | None = 0.0

    @property
    def turning(self) -> tuple[str, ...]:
        """Directions about which it turns, proximal first."""
        return self.proximal_axis, self.distal_axis

    def rows(self, layout: Layout) -> list[Row]:
        """Three linear rows and one scalar product."""
        _only_in_space(self, layout)
        where = f"Joint {self.name}"
        i, j = _owners(self, layout)
        _require_owner(where, "proximal axis", self.proximal_axis, i)
        _require_owner(where, "distal axis", self.distal_axis, j)
        w, u = layout.vector(self.proximal_axis, where), layout.vector(self.distal_axis, where)
        q0 = layout.reference()
        cosine = float(w(q0) @ u(q0)) if self.cosine is None else self.cosine
        if not abs(cosine) < 1.0:
            raise DescriptionError(f"{where}: the cosine between its axes is {cosine:g}; it must lie between −1 and 1.")
        return [
            *_coincidence("spherical", self, layout),
            Row("universal", self.name, dot(w, u, cosine)),
        ]


@dataclass(frozen=True)
class Revolute(BodyJoint):
    """Two points coincide and an axis is common: φ = v_i − v_j (types 5 and 7). In the plane only the points.

    ``distal_axis`` None: the direction in the distal body that lies along the axis in the reference poses.
    """

    axis: str | None = None
    distal_axis: str | None = None

    @property
    def turning(self) -> tuple[str, ...]:
        """Direction about which it turns."""
        return () if self.axis is None else (self.axis,)

    def rows(self, layout: Layout) -> list[Row]:
        """Six rows in space (five independent), two in the plane."""
        if layout.dimension == 2:
            return _coincidence("revolute", self, layout)
        if self.axis is None:
            raise DescriptionError(f"Joint {self.name}: a revolute joint in space needs an axis, such as ground.z.")
        return [
            *_coincidence("spherical", self, layout),
            *_common_axis("revolute", self, layout),
        ]


@dataclass(frozen=True)
class Cylindrical(BodyJoint):
    """A common axis along which the distal point may slide: v_i − v_j = 0 and (r_i − r_j) ⟂ two normals of v_i."""

    axis: str
    distal_axis: str | None = None

    def rows(self, layout: Layout) -> list[Row]:
        """Five rows, four independent; three-dimensional only."""
        _only_in_space(self, layout)
        return [*_common_axis("cylindrical", self, layout), *_on_axis("cylindrical", self, layout)]


@dataclass(frozen=True)
class Prismatic(BodyJoint):
    """Sliding along an axis without turning.

    In space: the rows of a cylindrical joint, and a direction of the distal body stays normal to one of the proximal.
    In the plane: the point stays on the line, and the line's normal stays normal to the distal direction.
    """

    axis: str
    distal_axis: str | None = None

    def rows(self, layout: Layout) -> list[Row]:
        """Six rows in space (five independent), two in the plane."""
        parallel = _common_axis("prismatic", self, layout) if layout.dimension == 3 else []
        return [*parallel, *_on_axis("prismatic", self, layout), *_no_turn("prismatic", self, layout)]


@dataclass(frozen=True)
class Weld(BodyJoint):
    """Two bodies move as one, in the relative attitude of their reference poses."""

    def rows(self, layout: Layout) -> list[Row]:
        """Coincidence of the points and three (planar: one) scalar products, none redundant."""
        i, j = _owners(self, layout)
        e = np.eye(layout.dimension)
        pairs = [(0, 1)] if layout.dimension == 2 else [(0, 1), (1, 2), (2, 0)]
        rows = _coincidence("weld", self, layout)
        for a, b in pairs:
            turned = _seen_from(layout, i, j, e[b])
            rows.append(Row("weld", self.name, dot(layout.local_vector(i, e[a]), layout.local_vector(j, turned))))
        return rows


@dataclass(frozen=True)
class Free(BodyJoint):
    """All six freedoms: the distal body is held by forces only, such as a vertebra by disc and ligaments.

    Without rows. It makes two bodies neighbours in a tree, whose velocities are then relative ones.
    """

    def rows(self, layout: Layout) -> list[Row]:
        """No rows; checks that the points are there, on two bodies in space."""
        _only_in_space(self, layout)
        _coincidence("free", self, layout)
        return []


@dataclass(frozen=True)
class Distance:
    """Two points keep their distance, as if joined by a massless rod: φ = |r_i − r_j|² − L² [m²]."""

    name: str
    first: str
    second: str
    length: float | None = None

    def rows(self, layout: Layout) -> list[Row]:
        """One row; without ``length`` the distance of the reference poses."""
        where = f"Joint {self.name}"
        d = layout.point(self.first, where) - layout.point(self.second, where)
        _refuse_same_body(where, self.first, self.second)
        length = float(np.linalg.norm(d(layout.reference()))) if self.length is None else self.length
        if not 0.0 < length < np.inf:
            raise DescriptionError(f"Joint {self.name}: its length is {length:g} m; it must be positive.")
        return [Row("distance", self.name, dot(d, d, length**2))]


@dataclass(frozen=True)
class EllipsoidContact:
    """A point glides on an ellipsoid fixed in a body: φ = dᵀ A H Aᵀ d − 1 (type 8; Eqs. 4.3-4.7; theory §4.3).

    centre   : ``body.point``, the ellipsoid's centre; its body carries the ellipsoid
    radii    : (3,) [m] along the ellipsoid's axes
    attitude : (3, 3) Aᶜ, maps components in the body's axes to components in the ellipsoid's axes
    """

    name: str
    point: str
    centre: str
    radii: ArrayLike
    attitude: ArrayLike | None = None

    def rows(self, layout: Layout) -> list[Row]:
        """One row, quartic in the coordinates."""
        _only_in_space(self, layout)
        where = f"Joint {self.name}"
        radii = np.asarray(self.radii, dtype=np.float64)
        if radii.shape != (3,) or not ((radii > 0.0) & np.isfinite(radii)).all():
            raise DescriptionError(f"{where}: give three positive radii for its ellipsoid, not {radii.tolist()}.")
        _refuse_same_body(where, self.point, self.centre)
        A_c = np.eye(3) if self.attitude is None else np.asarray(self.attitude, dtype=np.float64)
        if A_c.shape != (3, 3) or not np.allclose(A_c @ A_c.T, np.eye(3), rtol=0, atol=1e-9):
            raise DescriptionError(f"{where}: the attitude of its ellipsoid is not a rotation matrix.")
        d = layout.point(self.point, where) - layout.point(self.centre, where)
        owner = self.centre.partition(".")[0]
        x, y, z = (layout.local_vector(owner, axis) for axis in np.eye(3))
        return [Row("ellipsoid", self.name, EllipsoidEquation((x, y, z), d, A_c.T @ np.diag(radii**-2) @ A_c))]


# ---------------------------------------------------------------------- building blocks


_AxisJoint: TypeAlias = Revolute | Cylindrical | Prismatic


def _owners(joint: BodyJoint, layout: Layout) -> tuple[str, str]:
    where = f"Joint {joint.name}"
    for reference in (joint.proximal, joint.distal):
        layout.point(reference, where)
    _refuse_same_body(where, joint.proximal, joint.distal)
    return joint.proximal.partition(".")[0], joint.distal.partition(".")[0]


def _refuse_same_body(where: str, first: str, second: str) -> None:
    if first.partition(".")[0] == second.partition(".")[0]:
        raise DescriptionError(f"{where}: it joins {first} to {second}, two points of the same body.")


def _require_owner(where: str, what: str, axis: str, body: str) -> None:
    if axis.partition(".")[0] != body:
        raise DescriptionError(f"{where}: its {what} {axis} must belong to {body}.")


def _only_in_space(joint: Constraint, layout: Layout) -> None:
    if layout.dimension != 3:
        kind = type(joint).__name__
        raise DescriptionError(f"Joint {joint.name}: {kind} exists in space only, and this system is planar.")


def _coincidence(type_: str, joint: BodyJoint, layout: Layout) -> list[Row]:
    where = f"Joint {joint.name}"
    _refuse_same_body(where, joint.proximal, joint.distal)
    difference = layout.point(joint.proximal, where) - layout.point(joint.distal, where)
    return [Row(type_, joint.name, equation) for equation in components(difference)]


def _seen_from(layout: Layout, i: str, j: str, local_i: FloatArray) -> FloatArray:
    """Components in body j of a direction given in body i, in the reference poses."""
    return np.asarray(layout.attitude(j).T @ layout.attitude(i) @ local_i)


def _local(layout: Layout, reference: str, where: str) -> FloatArray:
    """Components of a named direction in its own body."""
    owner = reference.partition(".")[0]
    return np.asarray(layout.attitude(owner).T @ layout.vector(reference, where)(layout.reference()))


def _axes(joint: _AxisJoint, layout: Layout) -> tuple[FloatArray, FloatArray]:
    """Axis of a joint in local components of the proximal and of the distal body."""
    i, j = _owners(joint, layout)
    where = f"Joint {joint.name}"
    assert joint.axis is not None
    _require_owner(where, "axis", joint.axis, i)
    if joint.distal_axis is not None:
        _require_owner(where, "distal axis", joint.distal_axis, j)
    axis_i = _local(layout, joint.axis, where)
    axis_j = _seen_from(layout, i, j, axis_i) if joint.distal_axis is None else _local(layout, joint.distal_axis, where)
    return axis_i, axis_j


def _common_axis(type_: str, joint: _AxisJoint, layout: Layout) -> list[Row]:
    i, j = _owners(joint, layout)
    axis_i, axis_j = _axes(joint, layout)
    difference = layout.local_vector(i, axis_i) - layout.local_vector(j, axis_j)
    return [Row(type_, joint.name, equation) for equation in components(difference)]


def _normals(axis: FloatArray) -> list[FloatArray]:
    """Unit vectors normal to ``axis`` and to each other: two in space, one in the plane."""
    if axis.size == 2:
        return [QUARTER_TURN @ axis]
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(axis, helper)
    first /= np.linalg.norm(first)
    return [first, np.cross(axis, first)]


def _on_axis(type_: str, joint: _AxisJoint, layout: Layout) -> list[Row]:
    i, _ = _owners(joint, layout)
    where = f"Joint {joint.name}"
    slide: VectorMap = layout.point(joint.proximal, where) - layout.point(joint.distal, where)
    return [
        Row(type_, joint.name, dot(layout.local_vector(i, normal), slide))
        for normal in _normals(_axes(joint, layout)[0])
    ]


def _no_turn(type_: str, joint: _AxisJoint, layout: Layout) -> list[Row]:
    i, j = _owners(joint, layout)
    axis_i, axis_j = _axes(joint, layout)
    normal = _normals(axis_i)[0]
    other = axis_j if layout.dimension == 2 else _seen_from(layout, i, j, np.cross(axis_i, normal))
    equation: Quadratic = dot(layout.local_vector(i, normal), layout.local_vector(j, other))
    return [Row(type_, joint.name, equation)]
