"""Ground contact of spheres: a compliant normal force that never pulls, and friction with a limit.

    f_n = K δⁿ (1 + λ δ̇) ≥ 0        δ penetration, δ̇ > 0 while it grows            [HuntCrossley1975]
    f_t = −μ f_n g(‖v_t‖/v_s) v_t/‖v_t‖,   g = tanh x, or (2/π) arctan x

λ is a property of the materials. A coefficient of restitution c_r belongs to one speed of impact v⁻; laws in use make λ
of both: 3(1−c_r)/(2 v⁻) [HuntCrossley1975], 3(1−c_r²)/(4 v⁻) [LankaraniNikravesh1990], 8(1−c_r)/(5 c_r v⁻)
[Flores2011]. Here v⁻ is a constant of the contact, so that forces remain a function of the state and a step can be
repeated; a least speed keeps slow contacts from dividing by zero.

Both g are smooth: a contact that should stick creeps, with the speed at which g reaches f_t/(μ f_n). That is v_s/10 at
a tenth of the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, for_loops, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.engine.forces.contact_kernels import contact_force, contact_slopes, hunt_crossley
from biomec.engine.forces.state_maps import (
    StateMap,
    add_rows,
    add_torque,
    angular_velocity,
    axes_map,
    read_rows,
    state_map,
)
from biomec.engine.system import System

SLOWEST = 0.01  # [m/s] speed of impact: a smaller one would make the damping of a resting contact huge
TANH, ARCTAN = "tanh", "arctan"


@dataclass(frozen=True)
class ContactMaterial:
    """How a sphere and the ground press and rub; defaults are those of a foot on a floor.

    stiffness   : K [N/mⁿ]. 2.3e5 N/m^1.5 is Hertz's 4/3 E* √r with E* = 1 MPa and r = 30 mm, as gait is simulated with
                  [Serrancoli2019]: 100 N press a sphere 6 mm deep
    exponent    : n, 1.5 for a sphere by Hertz; 1 is a linear spring
    dissipation : λ [s/m]; 3 s/m is the 3/2 · 2 s/m of the same source
    friction    : μ, of sliding; the limit that the tangential force approaches
    slip_speed  : v_s [m/s], below which friction grows with the speed
    curve       : "tanh" or "arctan", of g
    """

    stiffness: float = 2.3e5
    exponent: float = 1.5
    dissipation: float = 3.0
    friction: float = 0.8
    slip_speed: float = 0.02
    curve: str = TANH

    def __post_init__(self) -> None:
        positive = (self.stiffness, self.exponent, self.slip_speed)
        if not (all(0.0 < value < np.inf for value in positive) and 0.0 <= self.dissipation < np.inf):
            raise BiomecError("Contact: stiffness, exponent and slip speed must be positive, dissipation not negative.")
        if not (0.0 <= self.friction < np.inf and self.curve in (TANH, ARCTAN)):
            raise BiomecError("Contact: friction must not be negative, and its curve is tanh or arctan.")


def dissipation_of(restitution: float, impact_speed: float, law: str = "hunt-crossley") -> float:
    """λ [s/m] for which a body that hits with ``impact_speed`` [m/s] leaves with c_r times it, by one of three laws.

    Hunt and Crossley's and Lankarani and Nikravesh's hold for c_r near 1; that of Flores and others for all.
    """
    if not 0.0 < restitution <= 1.0:
        raise BiomecError(f"Contact: the coefficient of restitution is {restitution:g}; give more than 0, up to 1.")
    factors = {
        "hunt-crossley": 1.5 * (1.0 - restitution),
        "lankarani-nikravesh": 0.75 * (1.0 - restitution**2),
        "flores": 8.0 * (1.0 - restitution) / (5.0 * restitution),
    }
    if law not in factors:
        raise BiomecError(f'Contact: the law is {", ".join(factors)}, not "{law}".')
    return factors[law] / max(impact_speed, SLOWEST)


@dataclass(frozen=True)
class ContactSphere:
    """A sphere fixed to a body.

    centre : local coordinates [m];  radius : [m], 0 is a point
    """

    name: str
    body: str
    centre: ArrayLike
    radius: float
    material: ContactMaterial = field(default_factory=ContactMaterial)


@dataclass(frozen=True)
class Ground:
    """A plane: a point on it [m], and its normal, out of the ground; the floor by default."""

    point: ArrayLike = (0.0, 0.0, 0.0)
    normal: ArrayLike = (0.0, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class ContactState:
    """Contacts in one state. penetration : (S,) [m], negative above ground; force : (S, 3) on the bodies [N];
    point : (S, 3) where it acts [m].
    """

    penetration: FloatArray
    force: FloatArray
    point: FloatArray


class ContactSlopes(NamedTuple):
    """Contacts in one state and how their forces change with place and velocity of their points.

    body : (S,) names;  point, force : (S, 3) [m], [N];  stiffness : (S, 3, 3) ∂f/∂p [N/m];  damping : ∂f/∂v [N s/m]
    """

    body: tuple[str, ...]
    point: FloatArray
    force: FloatArray
    stiffness: FloatArray
    damping: FloatArray


class _Spheres(NamedTuple):
    centres: StateMap
    axes: StateMap
    body: IntArray  # of each sphere, among the bodies of the axes
    radius: FloatArray
    law: FloatArray  # (S, 6) K, n, λ, μ, v_s, 1 for arctan
    normal: FloatArray
    height: float  # of the plane along its normal


class GroundContact:
    """Spheres on a plane: forces of a simulation, and what each contact does."""

    def __init__(self, system: System, spheres: Sequence[ContactSphere], ground: Ground = Ground()) -> None:
        normal = np.zeros(3)
        where = np.zeros(3)
        given, at = np.asarray(ground.normal, dtype=np.float64), np.asarray(ground.point, dtype=np.float64)
        normal[: given.size], where[: at.size] = given, at
        if not (np.isfinite(normal).all() and np.linalg.norm(normal) > 0.0 and np.isfinite(where).all()):
            raise BiomecError("Contact: the ground needs a point and a normal that is not zero.")
        if len({one.name for one in spheres}) < len(spheres):
            raise BiomecError("Contact: two spheres have the same name.")
        normal /= np.linalg.norm(normal)
        self.system, self.spheres = system, tuple(spheres)
        bodies = list(dict.fromkeys(one.body for one in spheres))
        maps = []
        for one in spheres:
            if not 0.0 <= one.radius < np.inf:
                raise BiomecError(f"Contact {one.name}: the radius is {one.radius:g} m; it must not be negative.")
            body = system.layout.body(one.body, f"Contact {one.name}")
            centre = np.asarray(one.centre, dtype=np.float64)
            if centre.shape != (body.dimension,) or not np.isfinite(centre).all():
                raise BiomecError(f"Contact {one.name}: its centre needs {body.dimension} numbers.")
            maps.append(system.layout.lift(body, body.point_map(centre)))
        self._tables = _Spheres(
            state_map(maps),
            axes_map(system, bodies),
            np.array([bodies.index(one.body) for one in spheres], dtype=np.int64),
            np.array([one.radius for one in spheres]),
            np.array([_law(one.material) for one in spheres]).reshape(-1, 6),
            normal,
            float(normal @ where),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the spheres."""
        return tuple(one.name for one in self.spheres)

    @property
    def normal(self) -> FloatArray:
        """Unit normal (3,) of the ground."""
        return self._tables.normal

    @property
    def height(self) -> float:
        """Of the ground along its normal [m]."""
        return self._tables.height

    def __call__(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """Generalised forces Q (n,)."""
        Q, count = np.zeros(self.system.n), len(self.spheres)
        _contact(
            self._tables, for_loops(q), for_loops(qdot), Q, np.empty(count), np.empty((count, 3)), np.empty((count, 3))
        )
        return Q

    def state(self, q: FloatArray, qdot: FloatArray) -> ContactState:
        """Penetrations, forces and points of all spheres at a state (n,), (n,)."""
        count = len(self.spheres)
        depth, force, point = np.empty(count), np.empty((count, 3)), np.empty((count, 3))
        _contact(self._tables, for_loops(q), for_loops(qdot), np.zeros(self.system.n), depth, force, point)
        return ContactState(read_only(depth), read_only(force), read_only(point))

    def slopes(self, q: FloatArray, qdot: FloatArray) -> ContactSlopes:
        """Contacts at a state (n,), (n,) with the slopes of their forces."""
        count = len(self.spheres)
        force, point = np.empty((2, count, 3))
        stiffness, damping = np.empty((2, count, 3, 3))
        _touch(self._tables, for_loops(q), for_loops(qdot), np.empty(count), force, point, stiffness, damping)
        return ContactSlopes(tuple(one.body for one in self.spheres), point, force, stiffness, damping)

    def penetration(self, q: FloatArray, name: str) -> float:
        """Depth of one sphere [m], negative above the ground."""
        if name not in self.names:
            raise BiomecError(f"There is no contact {name}; there are {', '.join(self.names)}.")
        return float(self.state(q, np.zeros_like(q)).penetration[self.names.index(name)])


def _law(one: ContactMaterial) -> tuple[float, ...]:
    arctan = 1.0 if one.curve == ARCTAN else 0.0
    return one.stiffness, one.exponent, one.dissipation, one.friction, one.slip_speed, arctan


@compiled
def _contact(
    tables: _Spheres,
    q: FloatArray,
    qdot: FloatArray,
    Q: FloatArray,
    depth: FloatArray,
    force: FloatArray,
    point: FloatArray,
) -> None:
    """Add the generalised forces of all spheres to Q (n,); fill depth (S,), force and point (S, 3)."""
    count = depth.size
    none = np.empty((0, 3, 3))
    axes, h, n = np.empty(tables.axes.offset.size), np.empty(3), tables.normal
    read_rows(tables.axes, q, False, axes)
    _touch(tables, q, qdot, depth, force, point, none, none)
    for s in range(count):
        if depth[s] > 0.0:
            r = tables.radius[s]
            for k in range(3):
                i, j = (k + 1) % 3, (k + 2) % 3
                h[k] = -r * (n[i] * force[s, j] - n[j] * force[s, i])
            add_rows(tables.centres, 3 * s, force[s], Q)
            add_torque(tables.axes, axes, tables.body[s], h, Q)


@compiled
def _touch(
    tables: _Spheres,
    q: FloatArray,
    qdot: FloatArray,
    depth: FloatArray,
    force: FloatArray,
    point: FloatArray,
    stiffness: FloatArray,
    damping: FloatArray,
) -> None:
    """Fill depth (S,), force and point (S, 3), and the slopes (S, 3, 3) if there is room for them."""
    count = depth.size
    centres, speeds = np.empty(3 * count), np.empty(3 * count)
    axes, rates = np.empty(tables.axes.offset.size), np.empty(tables.axes.offset.size)
    read_rows(tables.centres, q, False, centres)
    read_rows(tables.centres, qdot, True, speeds)
    read_rows(tables.axes, q, False, axes)
    read_rows(tables.axes, qdot, True, rates)
    n, omega, v, normal = tables.normal, np.empty(3), np.empty(3), np.empty(3)
    force[:], stiffness[:], damping[:] = 0.0, 0.0, 0.0
    for s in range(count):
        c = centres[3 * s : 3 * s + 3]
        r = tables.radius[s]
        depth[s] = tables.height + r - (c[0] * n[0] + c[1] * n[1] + c[2] * n[2])
        for k in range(3):
            point[s, k] = c[k] - r * n[k]
        if not depth[s] > 0.0:
            continue
        angular_velocity(axes, rates, tables.body[s], omega)
        into = 0.0
        for k in range(3):  # of the lowest point of the sphere: ċ + ω × (−r n)
            i, j = (k + 1) % 3, (k + 2) % 3
            v[k] = speeds[3 * s + k] - r * (omega[i] * n[j] - omega[j] * n[i])
            into -= v[k] * n[k]
        K, exponent, dissipation, friction, slow, curve = tables.law[s]
        hunt_crossley(depth[s], into, K, exponent, dissipation, normal)
        contact_force(normal[0], v, n, friction, slow, curve, force[s])
        if len(stiffness):
            contact_slopes(normal, v, n, friction, slow, curve, stiffness[s], damping[s])
