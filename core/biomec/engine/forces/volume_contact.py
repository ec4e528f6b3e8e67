"""Contact of a sole with the ground by the volume that lies below it: hyper-volumetric feet.

    f_n = k_h V^h + a_h V v_n ≥ 0,    f_t = −μ g(‖v_t‖/v_s) f_n v_t/‖v_t‖                       [Mouzo2018] Eq. 3.13

V is the volume between sole and ground (an area in the plane), v_n and v_t are velocities of the foot at its centroid,
where the force acts. g is arctan, as printed: it tends to π/2, so that friction reaches 1.57 μ; or (2/π) arctan or
tanh, which tend to 1.

A sole is a sheet of points with areas: a height over a grid of the foot (`sole`), or over its length (`profile`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, for_loops, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.engine.forces.contact_kernels import contact_force, contact_slopes, volumetric
from biomec.engine.forces.ground_contact import ARCTAN, TANH, ContactSlopes, Ground
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

PRINTED = "arctan, unscaled"
CURVES = {TANH: 0.0, ARCTAN: 1.0, PRINTED: 2.0}
SAMPLES = 200  # of a profile


@dataclass(frozen=True)
class VolumeMaterial:
    """How a sole and the ground press and rub; defaults are those published for the plane: an area, not a volume.

    stiffness  : k_h [N/m^(2h)] of an area, [N/m^(3h)] of a volume;  exponent : h
    damping    : a_h [N s/m³] of an area, [N s/m⁴] of a volume
    friction   : μ;  slip_speed : v_s [m/s];  curve : of `CURVES`
    """

    stiffness: float = 1e5
    exponent: float = 0.79
    damping: float = 2e6
    friction: float = 0.34
    slip_speed: float = 0.034
    curve: str = PRINTED

    def __post_init__(self) -> None:
        positive = (self.stiffness, self.exponent, self.slip_speed)
        if not (all(0.0 < one < np.inf for one in positive) and min(self.damping, self.friction) >= 0.0):
            raise BiomecError("Contact: stiffness, exponent and slip speed must be positive, the others not negative.")
        if self.curve not in CURVES:
            raise BiomecError(f'Contact: the curve of friction is {", ".join(CURVES)}, not "{self.curve}".')


@dataclass(frozen=True, eq=False)
class ContactSole:
    """A sheet fixed to a body.

    points : (P, 3), or (P, 2) in the plane, local [m];  areas : (P,) of the level foot [m²], in the plane [m]
    """

    name: str
    body: str
    points: FloatArray
    areas: FloatArray
    material: VolumeMaterial = field(default_factory=VolumeMaterial)


def profile(
    name: str, body: str, x: ArrayLike, y: ArrayLike, material: VolumeMaterial = VolumeMaterial()
) -> ContactSole:
    """Sole in the plane: a cubic spline through heights y (N,) at stations x (N,) along the foot [m]."""
    stations, heights = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    edges = np.linspace(stations[0], stations[-1], SAMPLES + 1)
    middle = 0.5 * (edges[1:] + edges[:-1])
    points = np.column_stack([middle, scipy.interpolate.CubicSpline(stations, heights)(middle)])
    return ContactSole(name, body, read_only(points), read_only(np.diff(edges)), material)


def sole(
    name: str,
    body: str,
    x: ArrayLike,
    z: ArrayLike,
    y: ArrayLike,
    material: VolumeMaterial,
    samples: tuple[int, int] = (60, 20),
) -> ContactSole:
    """Sole in space: a spline surface through heights y (N, M) over stations x (N,) along and z (M,) across [m]."""
    along, across = np.asarray(x, dtype=np.float64), np.asarray(z, dtype=np.float64)
    surface = scipy.interpolate.RectBivariateSpline(
        along, across, np.asarray(y, dtype=np.float64), kx=min(3, len(along) - 1), ky=min(3, len(across) - 1)
    )
    edges = [np.linspace(one[0], one[-1], count + 1) for one, count in zip((along, across), samples, strict=True)]
    xs, zs = (0.5 * (one[1:] + one[:-1]) for one in edges)
    grid_x, grid_z = np.meshgrid(xs, zs, indexing="ij")
    points = np.stack([grid_x, surface(xs, zs), grid_z], axis=-1).reshape(-1, 3)
    area = (edges[0][1] - edges[0][0]) * (edges[1][1] - edges[1][0])
    return ContactSole(name, body, read_only(points), read_only(np.full(len(points), area)), material)


@dataclass(frozen=True, eq=False)
class VolumeState:
    """Soles in one state. volume : (S,) [m³], [m²] in the plane; force : (S, 3) [N]; point : (S, 3) centroid [m]."""

    volume: FloatArray
    force: FloatArray
    point: FloatArray


class _Soles(NamedTuple):
    origins: StateMap
    axes: StateMap
    pointer: IntArray  # of the points of each sole
    points: FloatArray
    areas: FloatArray
    law: FloatArray  # (S, 6) k_h, h, a_h, μ, v_s, curve
    normal: FloatArray
    height: float


class VolumeContact:
    """Soles on a plane: forces of a simulation, and what each does."""

    def __init__(self, system: System, soles: Sequence[ContactSole], ground: Ground = Ground()) -> None:
        normal, where = np.zeros(3), np.zeros(3)
        given, at = np.asarray(ground.normal, dtype=np.float64), np.asarray(ground.point, dtype=np.float64)
        normal[: given.size], where[: at.size] = given, at
        if not np.linalg.norm(normal) > 0.0:
            raise BiomecError("Contact: the ground needs a normal that is not zero.")
        normal /= np.linalg.norm(normal)
        maps, local = [], []
        for one in soles:
            body = system.layout.body(one.body, f"Contact {one.name}")
            if one.points.ndim != 2 or one.points.shape != (len(one.areas), body.dimension):
                raise BiomecError(f"Contact {one.name}: each point needs {body.dimension} numbers and an area.")
            maps.append(system.layout.lift(body, body.point_map(np.zeros(body.dimension))))
            local.append(np.pad(one.points, ((0, 0), (0, 3 - body.dimension))))
        self.system, self.soles = system, tuple(soles)
        sizes = [len(one.areas) for one in soles]
        self._tables = _Soles(
            state_map(maps),
            axes_map(system, [one.body for one in soles]),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.ascontiguousarray(np.concatenate([np.zeros((0, 3)), *local])),
            np.concatenate([np.zeros(0), *(one.areas for one in soles)]),
            np.array([_law(one.material) for one in soles]).reshape(-1, 6),
            normal,
            float(normal @ where),
        )

    def __call__(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """Generalised forces Q (n,)."""
        Q, count = np.zeros(self.system.n), len(self.soles)
        force, point = np.empty((2, count, 3))
        none = np.empty((0, 3, 3))
        _press(self._tables, for_loops(q), for_loops(qdot), Q, np.empty(count), force, point, none, none)
        return Q

    def state(self, q: FloatArray, qdot: FloatArray) -> VolumeState:
        """Volumes, forces and centroids of all soles at a state (n,), (n,)."""
        count = len(self.soles)
        volume, (force, point), none = np.empty(count), np.empty((2, count, 3)), np.empty((0, 3, 3))
        Q = np.zeros(self.system.n)
        _press(self._tables, for_loops(q), for_loops(qdot), Q, volume, force, point, none, none)
        return VolumeState(read_only(volume), read_only(force), read_only(point))

    def slopes(self, q: FloatArray, qdot: FloatArray) -> ContactSlopes:
        """Soles at a state with the slopes of their forces for shifts of the whole sole."""
        count = len(self.soles)
        force, point = np.empty((2, count, 3))
        stiffness, damping = np.empty((2, count, 3, 3))
        Q = np.zeros(self.system.n)
        _press(self._tables, for_loops(q), for_loops(qdot), Q, np.empty(count), force, point, stiffness, damping)
        return ContactSlopes(tuple(one.body for one in self.soles), point, force, stiffness, damping)


def _law(one: VolumeMaterial) -> tuple[float, ...]:
    return one.stiffness, one.exponent, one.damping, one.friction, one.slip_speed, CURVES[one.curve]


@compiled
def _press(
    tables: _Soles,
    q: FloatArray,
    qdot: FloatArray,
    Q: FloatArray,
    volumes: FloatArray,
    forces: FloatArray,
    points: FloatArray,
    stiffness: FloatArray,
    damping: FloatArray,
) -> None:
    """Add the generalised forces of all soles to Q (n,); fill what they do, and slopes if there is room for them."""
    count, n = volumes.size, tables.normal
    origins, speeds = np.empty(3 * count), np.empty(3 * count)
    axes, rates = np.empty(9 * count), np.empty(9 * count)
    read_rows(tables.origins, q, False, origins)
    read_rows(tables.origins, qdot, True, speeds)
    read_rows(tables.axes, q, False, axes)
    read_rows(tables.axes, qdot, True, rates)
    p, arm, omega, v, h, normal = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    forces[:], stiffness[:], damping[:] = 0.0, 0.0, 0.0
    for s in range(count):
        level = 0.0  # how much of an area of the sole lies level
        for k in range(3):
            points[s, k] = 0.0
            level += n[k] * axes[9 * s + 3 + k]
        volume, area, level = 0.0, 0.0, abs(level)
        for i in range(tables.pointer[s], tables.pointer[s + 1]):
            depth = tables.height
            for k in range(3):
                p[k] = origins[3 * s + k]
                for a in range(3):
                    p[k] += axes[9 * s + 3 * a + k] * tables.points[i, a]
                depth -= n[k] * p[k]
            if depth > 0.0:
                share = depth * tables.areas[i] * level
                volume += share
                area += tables.areas[i] * level
                for k in range(3):
                    points[s, k] += share * p[k]
        volumes[s] = volume
        if not volume > 0.0:
            continue
        angular_velocity(axes, rates, s, omega)
        into = 0.0
        for k in range(3):
            points[s, k] /= volume
            arm[k] = points[s, k] - origins[3 * s + k]
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            v[k] = speeds[3 * s + k] + omega[i] * arm[j] - omega[j] * arm[i]
            into -= v[k] * n[k]
        k_h, exponent, a_h, friction, slow, curve = tables.law[s]
        volumetric(volume, area, into, k_h, exponent, a_h, normal)
        contact_force(normal[0], v, n, friction, slow, curve, forces[s])
        if len(stiffness):
            contact_slopes(normal, v, n, friction, slow, curve, stiffness[s], damping[s])
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            h[k] = arm[i] * forces[s, j] - arm[j] * forces[s, i]
        add_rows(tables.origins, 3 * s, forces[s], Q)
        add_torque(tables.axes, axes, s, h, Q)
