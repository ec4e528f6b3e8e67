"""Smooth stops at the ends of joint angles.

A stop turns back an angle θ that is beyond its range by δ > 0, with a torque that begins with slope zero and becomes a
spring, and that is larger while the angle moves farther out:

    τ = f(δ) (1 + c max(δ̇, 0)),     f = k δ²/(2w) for δ < w,  k (δ − w/2) beyond

It never pulls outwards and resists nothing on the way back. The torque acts so that its power is τ θ̇, on both bodies:
for the angles of a joint coordinate system along the axes that are dual to e1, e2, e3 [GroodSuntay1983]. Where e1 and
e3 nearly coincide the first and the third angle mean nothing: their stops fade within 20° of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, for_loops, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.engine.forces.state_maps import StateMap, add_torque, angular_velocity, axes_map, read_rows
from biomec.engine.rotations import SEQUENCES, is_symmetric
from biomec.engine.system import System

FADING = float(np.sin(np.radians(20.0)))  # cosine of the second angle below which stops of the other two fade
HINGE = -1  # instead of an angle of a sequence


@dataclass(frozen=True)
class StopLaw:
    """How stops begin: w, over which a stop becomes stiff [rad], and c, how much it resists a fast angle [s/rad]."""

    blend: float = float(np.radians(5.0))
    damping: float = 0.5

    def __post_init__(self) -> None:
        if not (0.0 < self.blend < np.inf and 0.0 <= self.damping < np.inf):
            raise BiomecError("Joint stops: the blend must be positive and the damping not negative.")


@dataclass(frozen=True)
class AngleStop:
    """Both stops of one angle of a body ``distal`` in another one, ``proximal`` (or "ground").

    lower, upper : the free range of sign · angle [rad]
    stiffness    : k [N·m/rad]
    sequence, index : which angle: 0, 1 or 2 of the rotations about axes that differ, such as ZXY
    axis         : instead: turn about this axis of the proximal body, from the ``reference`` attitude (distal in
                   proximal) where the angle is ``zero``
    """

    name: str
    proximal: str
    distal: str
    lower: float
    upper: float
    stiffness: float
    sign: float = 1.0
    sequence: str = "ZXY"
    index: int = 0
    axis: tuple[float, ...] | None = None
    zero: float = 0.0
    reference: tuple[tuple[float, ...], ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        where = f"Stop of {self.name}"
        if not (-np.inf < self.lower < self.upper < np.inf and 0.0 < self.stiffness < np.inf):
            raise BiomecError(f"{where}: it needs a range that ends higher than it begins, and a positive stiffness.")
        if self.axis is None and (self.sequence not in SEQUENCES or is_symmetric(self.sequence)):
            raise BiomecError(f"{where}: {self.sequence} is not a sequence of three different axes, such as ZXY.")
        if self.axis is not None and not np.linalg.norm(self.axis) > 0.0:
            raise BiomecError(f"{where}: its axis has no direction.")
        if self.index not in (0, 1, 2):
            raise BiomecError(f"{where}: the angle is the first (0), second (1) or third (2) of its sequence.")


@dataclass(frozen=True, eq=False)
class StopState:
    """Stops in one state, (S,): angle and its rate in the sense of the range [rad, rad/s], how far it is beyond
    (negative inside) [rad], and the torque that turns it back [N·m].
    """

    angle: FloatArray
    rate: FloatArray
    beyond: FloatArray
    torque: FloatArray


class _Stops(NamedTuple):
    axes: StateMap
    bodies: IntArray  # (S, 2) proximal and distal, among those of the axes
    which: IntArray  # (S, 4) first, second, third axis, and the angle; HINGE in the last place for one
    parity: FloatArray  # (S,) +1 if the axes follow each other as X, Y, Z do
    limits: FloatArray  # (S, 5) lower, upper, k, sign, zero
    axis: FloatArray  # (S, 3)
    reference: FloatArray  # (S, 3, 3)
    blend: float
    damping: float


class JointStops:
    """Stops of many angles: forces of a simulation, and what each stop does."""

    def __init__(self, system: System, stops: Sequence[AngleStop], law: StopLaw = StopLaw()) -> None:
        if len({one.name for one in stops}) < len(stops):
            raise BiomecError("Joint stops: two have the same name.")
        self.system, self.stops, self.law = system, tuple(stops), law
        bodies = list(dict.fromkeys(name for one in stops for name in (one.proximal, one.distal)))
        letters = [["XYZ".index(letter) for letter in one.sequence] for one in stops]
        axes = [np.zeros(3) if one.axis is None else np.asarray(one.axis) / np.linalg.norm(one.axis) for one in stops]
        self._tables = _Stops(
            axes_map(system, bodies),
            np.array([(bodies.index(s.proximal), bodies.index(s.distal)) for s in stops], dtype=np.int64).reshape(
                -1, 2
            ),
            np.array(
                [(*at, one.index if one.axis is None else HINGE) for at, one in zip(letters, stops, strict=True)],
                dtype=np.int64,
            ).reshape(-1, 4),
            np.array([1.0 if (at[1] - at[0]) % 3 == 1 else -1.0 for at in letters]),
            np.array([(s.lower, s.upper, s.stiffness, s.sign, s.zero) for s in stops]).reshape(-1, 5),
            np.array(axes).reshape(-1, 3),
            np.array([one.reference for one in stops]).reshape(-1, 3, 3),
            law.blend,
            law.damping,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the angles."""
        return tuple(one.name for one in self.stops)

    def __call__(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """Generalised forces Q (n,)."""
        Q = np.zeros(self.system.n)
        _stop(self._tables, for_loops(q), for_loops(qdot), Q, np.empty((4, len(self.stops))))
        return Q

    def state(self, q: FloatArray, qdot: FloatArray) -> StopState:
        """Angles, distances beyond the range and torques at a state (n,), (n,)."""
        found = np.empty((4, len(self.stops)))
        _stop(self._tables, for_loops(q), for_loops(qdot), np.zeros(self.system.n), found)
        return StopState(*(read_only(row) for row in found))

    def beyond(self, q: FloatArray, name: str) -> float:
        """How far one angle is out of its range [rad], negative inside."""
        if name not in self.names:
            raise BiomecError(f"There is no stop of {name}; there are {', '.join(self.names)}.")
        return float(self.state(q, np.zeros_like(q)).beyond[self.names.index(name)])

    def energy(self, q: FloatArray) -> float:
        """Energy in the stops [J]; exact where none of them fades."""
        beyond, k = self.state(q, np.zeros_like(q)).beyond, np.array([one.stiffness for one in self.stops])
        d, w = np.maximum(beyond, 0.0), self.law.blend
        soft, stiff = k * d**3 / (6.0 * w), k * (w * w / 6.0 + 0.5 * (d - w) * d)
        return float(np.where(d < w, soft, stiff).sum())


@compiled
def _stop(tables: _Stops, q: FloatArray, qdot: FloatArray, Q: FloatArray, found: FloatArray) -> None:
    """Add the generalised forces of all stops to Q (n,); fill angle, rate, distance beyond, torque (4, S)."""
    axes, rates = np.empty(tables.axes.offset.size), np.empty(tables.axes.offset.size)
    read_rows(tables.axes, q, False, axes)
    read_rows(tables.axes, qdot, True, rates)
    R, about = np.empty((3, 3)), np.empty(3)
    omega, other = np.empty(3), np.empty(3)
    for s in range(tables.parity.size):
        proximal, distal = tables.bodies[s]
        for r in range(3):
            for c in range(3):
                R[r, c] = 0.0
                for k in range(3):
                    R[r, c] += axes[9 * proximal + 3 * r + k] * axes[9 * distal + 3 * c + k]
        lower, upper, stiffness, sign, zero = tables.limits[s]
        if tables.which[s, 3] == HINGE:
            fade = 1.0
            angle = zero + _turn(R, tables.reference[s], tables.axis[s])
            for k in range(3):
                about[k] = 0.0
                for r in range(3):
                    about[k] += axes[9 * proximal + 3 * r + k] * tables.axis[s, r]
        else:
            angle, fade = _angle(R, axes, proximal, distal, tables.which[s], tables.parity[s], about)
        middle = 0.5 * (lower + upper)
        angle = sign * angle - middle
        angle = middle + angle - 2.0 * np.pi * np.ceil((angle - np.pi) / (2.0 * np.pi))  # the turn nearest to the range
        angular_velocity(axes, rates, distal, omega)
        angular_velocity(axes, rates, proximal, other)
        rate = 0.0
        for k in range(3):
            rate += sign * about[k] * (omega[k] - other[k])
        side = 1.0 if angle > middle else -1.0
        beyond = angle - upper if angle > middle else lower - angle
        torque = 0.0
        if beyond > 0.0 and fade > 0.0:
            w = tables.blend
            f = 0.5 * stiffness * beyond * beyond / w if beyond < w else stiffness * (beyond - 0.5 * w)
            torque = -side * fade * f * (1.0 + tables.damping * max(side * rate, 0.0))
            for k in range(3):
                omega[k] = sign * torque * about[k]
                other[k] = -omega[k]
            add_torque(tables.axes, axes, distal, omega, Q)
            add_torque(tables.axes, axes, proximal, other, Q)
        found[0, s], found[1, s], found[2, s], found[3, s] = angle, rate, beyond, torque


@compiled
def _turn(R: FloatArray, reference: FloatArray, n: FloatArray) -> float:
    """Angle about n of R R0ᵀ (see `kinematics.rotations.rotation_about_axis`)."""
    T = np.zeros((3, 3))
    for r in range(3):
        for c in range(3):
            for k in range(3):
                T[r, c] += R[r, k] * reference[c, k]
    sine, along = 0.0, 0.0
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        sine += n[k] * (T[j, i] - T[i, j])
        for c in range(3):
            along += n[k] * T[k, c] * n[c]
    return float(np.arctan2(sine, T[0, 0] + T[1, 1] + T[2, 2] - along))


@compiled
def _angle(
    R: FloatArray, axes: FloatArray, proximal: int, distal: int, which: IntArray, parity: float, about: FloatArray
) -> tuple[float, float]:
    """Return an angle of a sequence and how much of its stops is left; fill the dual axis with θ̇ = ``about`` · ω."""
    i, j, k, index = which
    side = np.hypot(R[j, k], R[k, k])  # cosine of the second angle
    e1, e2, e3 = np.empty(3), np.empty(3), np.empty(3)
    for c in range(3):
        e1[c], e3[c] = axes[9 * proximal + 3 * i + c], axes[9 * distal + 3 * k + c]
    length = 0.0
    for c in range(3):
        a, b = (c + 1) % 3, (c + 2) % 3
        e2[c] = -parity * (e1[a] * e3[b] - e1[b] * e3[a])
        length += e2[c] * e2[c]
    length = np.sqrt(length)
    if not length > 1e-9:
        about[:] = 0.0
        return 0.0, 0.0
    e2 /= length
    fade = 1.0
    if index == 1:
        about[:] = e2
        return float(np.arctan2(parity * R[i, k], side)), fade
    # of the first angle e2 × e3, of the third e1 × e2, both over e1 · (e2 × e3)
    first, second = (e2, e3) if index == 0 else (e1, e2)
    volume = 0.0
    for c in range(3):
        a, b = (c + 1) % 3, (c + 2) % 3
        about[c] = first[a] * second[b] - first[b] * second[a]
        volume += e1[c] * (e2[a] * e3[b] - e2[b] * e3[a])
    about /= volume
    if side < FADING:
        fade = (side / FADING) ** 2
    if index == 0:
        return float(np.arctan2(-parity * R[j, k], R[k, k])), fade
    return float(np.arctan2(-parity * R[i, j], R[i, i])), fade
