"""Motion of the segments in the laboratory, and of the centre of mass of the whole body."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, for_loops
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice
from biomec.engine.maps import VectorMap, VectorTable, vector_table
from biomec.engine.rotations import nearest_rotation
from biomec.engine.system import System
from biomec.recording.session import Result
from biomec.recording.step import step_result


@dataclass(frozen=True, eq=False)
class SegmentMotion:
    """Motion of the S bodies of a system in T frames, in laboratory axes; arrays are read-only.

    NaN stays in its frame; velocities (accelerations) are NaN throughout if q̇ (q̈) was not given.

    names : (S,) in the order of the system
    R_WB  : (T, S, 3, 3) attitudes, columns are the segment's axes
    p_com, v_com, a_com : (T, S, 3) centres of mass [m, m/s, m/s²]
    omega, alpha        : (T, S, 3) angular velocity and acceleration [rad/s, rad/s²]
    mass  : (S,) [kg]
    whole_body_com, whole_body_velocity, whole_body_acceleration : (T, 3) [m, m/s, m/s²]; NaN without any mass
    masked  : (T,) frames that are not to be used, since nobody moves so; None where nobody looked
    notices : about the motion of the whole body
    """

    names: tuple[str, ...]
    R_WB: FloatArray
    p_com: FloatArray
    v_com: FloatArray
    a_com: FloatArray
    omega: FloatArray
    alpha: FloatArray
    mass: FloatArray
    whole_body_com: FloatArray
    whole_body_velocity: FloatArray
    whole_body_acceleration: FloatArray
    masked: BoolArray | None = field(default=None, kw_only=True)
    notices: tuple[Notice, ...] = field(default=(), kw_only=True)

    @property
    def frames(self) -> int:
        """Number of frames."""
        return int(self.R_WB.shape[0])

    @property
    def unusable(self) -> BoolArray:
        """(T,) the masked frames; none where nobody looked."""
        return np.zeros(self.frames, dtype=np.bool_) if self.masked is None else self.masked

    @property
    def attitudes(self) -> FrozenDict[str, FloatArray]:
        """Segment -> R_WB (T, 3, 3), as `joint_angles` takes them."""
        return FrozenDict({name: self.R_WB[:, s] for s, name in enumerate(self.names)})

    def index(self, name: str) -> int:
        """Number of a segment, or a sentence that lists what there is."""
        if name not in self.names:
            raise BiomecError(f"There is no segment {name}; there are {', '.join(self.names)}.")
        return self.names.index(name)

    def to_result(self) -> Result:
        """Return what a session stores: all arrays, and the names of the segments."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return step_result(arrays, None, self.notices, names=self.names)


def segment_motion(
    system: System, q: ArrayLike, qdot: ArrayLike | None = None, qddot: ArrayLike | None = None
) -> SegmentMotion:
    """Attitudes, centres of mass, angular velocities and accelerations of all bodies from q, q̇, q̈, each (T, n).

    Axes e_k = D_k q and centres of mass r = C q are constant maps of the coordinates ([Nunes2017] Eqs. 2.12-2.16), so
    one table gives all of them, and their derivatives with q̇ and q̈. Then

        ω = axial(Ṙ Rᵀ) = ½ Σ e_k × ė_k         α = axial(R̈ Rᵀ) = ½ Σ e_k × ë_k

    Coordinates that violate the constraints give axes that are not quite orthonormal: R is then the nearest rotation
    (polar decomposition), and ω and α are those of the antisymmetric part, which is the rigid motion nearest to that of
    the axes. For consistent coordinates both are exact.
    """
    if system.layout.dimension != 3:
        raise BiomecError(f"{system.name} is a planar mechanism; segment motion is for bodies in space.")
    q = _coordinates(system, q, "positions")
    table = _axes_and_centres(system)
    frames, bodies = len(q), len(system.bodies)
    axes, p_com = np.empty((frames, bodies, 3, 3)), np.empty((frames, bodies, 3))
    _placed(table, q, axes, p_com)
    R = nearest_rotation(axes)
    rates = []
    for level, derivative in (("velocities", qdot), ("accelerations", qddot)):
        if derivative is None:
            rates.append((np.full_like(p_com, np.nan), np.full_like(p_com, np.nan)))
            continue
        given = _coordinates(system, derivative, level)
        if given.shape != q.shape:
            raise BiomecError(f"There are {len(q)} frames of positions but {len(given)} of {level}; they must match.")
        com_rate, turning = np.empty_like(p_com), np.empty_like(p_com)
        _moved(table, given, R, com_rate, turning)
        rates.append((com_rate, turning))
    (v_com, omega), (a_com, alpha) = rates
    mass = np.array([body.mass for body in system.bodies])
    total = mass.sum()
    share = mass / total if total > 0.0 else np.full_like(mass, np.nan)
    whole = (share @ level for level in (p_com, v_com, a_com))
    arrays = (R, p_com, v_com, a_com, omega, alpha, mass, *whole)
    for array in arrays:  # made here, so that nobody else holds them: no copy is needed
        array.setflags(write=False)
    return SegmentMotion(tuple(body.name for body in system.bodies), *arrays)


def _coordinates(system: System, q: ArrayLike, what: str) -> FloatArray:
    array = for_loops(np.asarray(q, dtype=np.float64))
    if array.ndim != 2 or array.shape[1] != system.n:
        raise BiomecError(
            f"{system.name} has {system.n} coordinates, so {what} need the shape (frames, {system.n}), "
            f"not {array.shape}."
        )
    return array


@lru_cache(maxsize=8)
def _axes_and_centres(system: System) -> VectorTable:
    """x, y, z and centre of mass of every body, in this order.

    Factors of zero are left out: a missing coordinate spoils only what depends on it.
    """
    maps: list[VectorMap] = []
    for body in system.bodies:
        maps += [system.layout.local_vector(body.name, axis) for axis in np.eye(3)]
        maps.append(system.layout.point(f"{body.name}.com"))
    return vector_table(maps)


@compiled
def _placed(table: VectorTable, q: FloatArray, axes: FloatArray, p_com: FloatArray) -> None:
    """Fill the axes (T, S, 3, 3), as columns, and the centres of mass (T, S, 3)."""
    first, column, factor, constant = table
    for t in range(q.shape[0]):
        for m in range(constant.shape[0]):
            b, k = m // 4, m % 4
            x, y, z = constant[m, 0], constant[m, 1], constant[m, 2]
            for at in range(first[m], first[m + 1]):
                c = column[at]
                x += factor[at] * q[t, c]
                y += factor[at] * q[t, c + 1]
                z += factor[at] * q[t, c + 2]
            if k < 3:
                axes[t, b, 0, k], axes[t, b, 1, k], axes[t, b, 2, k] = x, y, z
            else:
                p_com[t, b, 0], p_com[t, b, 1], p_com[t, b, 2] = x, y, z


@compiled
def _moved(table: VectorTable, rate: FloatArray, R: FloatArray, com_rate: FloatArray, turning: FloatArray) -> None:
    """Fill the derivatives of the centres of mass (T, S, 3) and the axial vectors ½ Σ e_k × ė_k of Ṙ Rᵀ (T, S, 3)."""
    first, column, factor, constant = table
    for t in range(rate.shape[0]):
        u = v = w = 0.0
        for m in range(constant.shape[0]):
            b, k = m // 4, m % 4
            x = y = z = 0.0
            for at in range(first[m], first[m + 1]):
                c = column[at]
                x += factor[at] * rate[t, c]
                y += factor[at] * rate[t, c + 1]
                z += factor[at] * rate[t, c + 2]
            if k < 3:
                u += R[t, b, 1, k] * z - R[t, b, 2, k] * y
                v += R[t, b, 2, k] * x - R[t, b, 0, k] * z
                w += R[t, b, 0, k] * y - R[t, b, 1, k] * x
            else:
                turning[t, b, 0], turning[t, b, 1], turning[t, b, 2] = 0.5 * u, 0.5 * v, 0.5 * w
                com_rate[t, b, 0], com_rate[t, b, 1], com_rate[t, b, 2] = x, y, z
                u = v = w = 0.0
