"""Motion of the segments in the laboratory, and of the centre of mass of the whole body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.arrays import FloatArray, read_only
from biomec.errors import BiomecError
from biomec.frozen import FrozenDict
from biomec.kinematics.rotations import angular_velocity, nearest_rotation
from biomec.multibody.maps import VectorMap
from biomec.multibody.system import System
from biomec.recording.session import Result
from biomec.recording.step import step_result

_PER_BODY = 4  # three axes and the centre of mass


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

    @property
    def frames(self) -> int:
        """Number of frames."""
        return int(self.R_WB.shape[0])

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
        return step_result(arrays, None, (), names=self.names)


def segment_motion(
    system: System, q: ArrayLike, qdot: ArrayLike | None = None, qddot: ArrayLike | None = None
) -> SegmentMotion:
    """Attitudes, centres of mass, angular velocities and accelerations of all bodies from q, q̇, q̈, each (T, n).

    Axes e_k = D_k q and centres of mass r = C q are constant maps of the coordinates ([Nunes2017] Eqs. 2.12-2.16), so
    one sparse matrix gives all of them, and their derivatives with q̇ and q̈. Then

        ω = axial(Ṙ Rᵀ) = ½ Σ e_k × ė_k         α = axial(R̈ Rᵀ) = ½ Σ e_k × ë_k

    Coordinates that violate the constraints give axes that are not quite orthonormal: R is then the nearest rotation
    (polar decomposition), and ω and α are those of the antisymmetric part, which is the rigid motion nearest to that of
    the axes. For consistent coordinates both are exact.
    """
    if system.layout.dimension != 3:
        raise BiomecError(f"{system.name} is a planar mechanism; segment motion is for bodies in space.")
    q = _coordinates(system, q, "positions")
    matrix, constant = _whole_map(system)
    axes, p_com = _split(matrix, q, constant)
    R = nearest_rotation(axes)
    rates = []
    for level, derivative in (("velocities", qdot), ("accelerations", qddot)):
        if derivative is None:
            rates.append((np.full_like(p_com, np.nan), np.full_like(p_com, np.nan)))
            continue
        given = _coordinates(system, derivative, level)
        if given.shape != q.shape:
            raise BiomecError(f"There are {len(q)} frames of positions but {len(given)} of {level}; they must match.")
        axes_rate, com_rate = _split(matrix, given, np.zeros_like(constant))
        rates.append((com_rate, angular_velocity(R, axes_rate)))
    (v_com, omega), (a_com, alpha) = rates
    mass = np.array([body.mass for body in system.bodies])
    total = mass.sum()
    share = mass / total if total > 0.0 else np.full_like(mass, np.nan)
    return SegmentMotion(
        tuple(body.name for body in system.bodies),
        *(read_only(array) for array in (R, p_com, v_com, a_com, omega, alpha, mass)),
        *(read_only(np.einsum("s,tsi->ti", share, level)) for level in (p_com, v_com, a_com)),
    )


def _coordinates(system: System, q: ArrayLike, what: str) -> FloatArray:
    array = np.asarray(q, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != system.n:
        raise BiomecError(
            f"{system.name} has {system.n} coordinates, so {what} need the shape (frames, {system.n}), "
            f"not {array.shape}."
        )
    return array


def _whole_map(system: System) -> tuple[scipy.sparse.csr_array, FloatArray]:
    """Matrix (12 S, n) and constant (12 S,) of the axes x, y, z and the centre of mass of every body."""
    maps: list[VectorMap] = []
    for body in system.bodies:
        maps += [system.layout.local_vector(body.name, axis) for axis in np.eye(3)]
        maps.append(system.layout.point(f"{body.name}.com"))
    matrix = scipy.sparse.csr_array(np.concatenate([one.dense(system.n) for one in maps]))
    return matrix, np.concatenate([one.constant for one in maps])


def _split(matrix: scipy.sparse.csr_array, q: FloatArray, constant: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Axes (T, S, 3, 3), as columns, and centres of mass (T, S, 3) out of the whole map."""
    vectors = (matrix @ q.T + constant[:, None]).T.reshape(len(q), -1, _PER_BODY, 3)
    return np.ascontiguousarray(np.swapaxes(vectors[:, :, :3], 2, 3)), np.ascontiguousarray(vectors[:, :, 3])
