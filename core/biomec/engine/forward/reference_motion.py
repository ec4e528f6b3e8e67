"""A recorded movement and its loads as smooth functions of time, for a simulation to follow.

Every joint has coordinates y about its mean attitude C₀: the rotation vector of C C₀ᵀ, or angles about its axes.
Splines of degree 5 through the frames give y(t), ẏ(t), ÿ(t), and these the rates w and ẇ of the joints, exactly
(`engine.tree.vectors`). Whatever the splines do between frames, segments stay rigid and joints together; gliding
contacts are closed to the error of the interpolation.

Loads on segments are those of force plates; they are changed so that nobody needs to hold the body (`shared_change`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, skew
from biomec.base.errors import BiomecError
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.forward.formulation import Unsolvable
from biomec.engine.forward.joint_space import JointPose, JointSpace
from biomec.engine.tree import joint_kernels
from biomec.engine.tree.joint_dynamics import add_wrenches
from biomec.engine.tree.recursion import FREE, REVOLUTE, SPHERICAL

DEGREE = 5
TURN = 2.0 * np.pi


class Reference(NamedTuple):
    """Where the movement is at a time: pose, rates w (g,) and their derivatives ẇ (g,)."""

    pose: JointPose
    w: FloatArray
    wdot: FloatArray


@dataclass(frozen=True, eq=False)
class ReferenceMotion:
    """A movement of a tree as a function of time; outside its time it stands still where it begins and ends.

    start_s, end_s : [s]
    base           : (J, 3, 3) mean attitudes C₀
    curves         : y (g,) and its first two derivatives
    """

    space: JointSpace
    start_s: float
    end_s: float
    base: FloatArray
    curves: tuple[scipy.interpolate.BSpline, scipy.interpolate.BSpline, scipy.interpolate.BSpline]

    @property
    def duration_s(self) -> float:
        """How long it lasts [s]."""
        return self.end_s - self.start_s

    def at(self, t: float) -> Reference:
        """Pose, rates and their derivatives at a time [s]."""
        inside = min(max(t, self.start_s), self.end_s)
        y, ydot, yddot = (np.ascontiguousarray(curve(inside)) for curve in self.curves)
        if not self.start_s - 1e-9 <= t <= self.end_s + 1e-9:
            ydot, yddot = np.zeros_like(y), np.zeros_like(y)
        C, w, wdot = np.empty_like(self.base), np.empty_like(y), np.empty_like(y)
        joint_kernels.chart(self.space.tables, self.space.sides, self.base, y, ydot, yddot, C, w, wdot)
        return Reference(JointPose(y[:3], C), w, wdot)

    def state(self, t: float) -> tuple[FloatArray, FloatArray]:
        """Coordinates q and velocities q̇ (n,) at a time, gliding contacts closed."""
        here = self.at(t)
        q, w = self.space.closed(self.space.coordinates(here.pose), here.w)
        return q, self.space.velocities(q, w)

    def states(self, time_s: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Coordinates q, velocities q̇ and accelerations q̈ (T, n) at times (T,), of frames or between them.

        They belong together: Φ(q) = 0, Φ_q q̇ = 0 and Φ_q q̈ + Φ̇_q q̇ = 0. Where gliding contacts close loops, all three
        are changed by the least movement that closes them.
        """
        times = np.asarray(time_s, dtype=np.float64)
        q, qdot, qddot = (np.empty((len(times), self.space.system.n)) for _ in range(3))
        still = np.zeros(self.space.system.n)
        for k, t in enumerate(times):
            q[k], qdot[k] = self.state(t)
            terms, wdot = self.space.terms(q[k], qdot[k], still), self.at(t).wdot
            if self.space.loops.size:
                wdot = wdot + terms.J.T @ np.linalg.solve(terms.J @ terms.J.T, terms.c - terms.J @ wdot)
            qddot[k] = self.space.accelerations(q[k], terms, wdot)
        return q, qdot, qddot


def reference_motion(space: JointSpace, time_s: ArrayLike, q: ArrayLike) -> ReferenceMotion:
    """Movement through coordinates q (T, n) at times (T,); with gaps, see `longest_stretch`."""
    times, frames = np.asarray(time_s, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if frames.shape != (len(times), space.system.n) or len(times) <= DEGREE:
        raise BiomecError(
            f"A movement to follow needs more than {DEGREE} frames of {space.system.n} coordinates; got {frames.shape}."
        )
    if not np.isfinite(frames).all() or not (np.diff(times) > 0.0).all():
        raise BiomecError("A movement to follow must be known in every frame, at times that increase.")
    poses = [space.pose(one) for one in frames]
    C = np.array([pose.attitudes for pose in poses])
    y = np.empty((len(times), space.size))
    y[:, :3] = [pose.root for pose in poses]
    base = np.empty(C.shape[1:])
    for k, part in enumerate(space.freedoms.values()):
        kind = space.tables.kind[k]
        if kind in (FREE, SPHERICAL):
            turns = scipy.spatial.transform.Rotation.from_matrix
            base[k] = turns(C[:, k]).mean().as_matrix()
            y[:, part.stop - 3 : part.stop] = _unwrapped(turns(C[:, k] @ base[k].T).as_rotvec())
        else:
            base[k] = C[0, k]
            y[:, part] = _angles(C[:, k], base[k], space.sides.axes[k], kind == REVOLUTE)
    curve = scipy.interpolate.make_interp_spline(times, y, k=DEGREE)
    curves = (curve, curve.derivative(1), curve.derivative(2))
    return ReferenceMotion(space, float(times[0]), float(times[-1]), base, curves)


def longest_stretch(known: BoolArray) -> slice:
    """Frames of the longest stretch without a gap."""
    found = stretches(known)
    if not found:
        raise BiomecError("No frame of the movement is known.")
    return max(found, key=lambda part: part.stop - part.start)


def stretches(known: BoolArray) -> list[slice]:
    """Frames of all stretches without a gap."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(np.int8)))
    return [slice(int(first), int(end)) for first, end in zip(edges[::2], edges[1::2], strict=True)]


def _unwrapped(v: FloatArray) -> FloatArray:
    """Rotation vectors (T, 3) without leaps: of all that mean the same turn, the one nearest to the one before."""
    if not (np.linalg.norm(np.diff(v, axis=0), axis=1) > 0.5 * np.pi).any():
        return v
    result = v.copy()
    for t in range(1, len(v)):  # each frame needs the one before
        angle = float(np.linalg.norm(v[t]))
        if angle < 1e-9:
            continue
        axis = v[t] / angle
        others = angle + TURN * np.arange(-2, 3)
        result[t] = min((one * axis for one in others), key=lambda one: float(np.linalg.norm(one - result[t - 1])))
    if np.linalg.norm(result, axis=1).max() > 0.9 * TURN:
        raise BiomecError(
            "A joint of the movement to follow turns by nearly a whole turn, which splines cannot follow."
        )
    return result


def _angles(C: FloatArray, base: FloatArray, axes: FloatArray, hinge: bool) -> FloatArray:
    """Angles (T, 1 or 2) of C (T, 3, 3) = exp(a y₁) C₀ exp(b y₂) about the axes a and b (2, 3)."""
    a, b = axes
    if hinge:
        across = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
        seen = C @ (base.T @ across)
        return np.unwrap(_turn_about(a, across, seen))[:, None]
    first = _turn_about(a, base @ b, C @ b)
    second = -_turn_about(b, base.T @ a, np.swapaxes(C, 1, 2) @ a)
    return np.unwrap(np.stack([first, second], axis=1), axis=0)


def _turn_about(axis: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Angle (T,) about a unit axis from a direction (3,) to directions (T, 3)."""
    flat = start - (start @ axis) * axis
    return np.asarray(np.arctan2(end @ np.cross(axis, flat), end @ flat))


# ---------------------------------------------------------------------------------------------------------------- loads


NEXT, LAST = [1, 2, 0], [2, 0, 1]  # components of a cross product
REACH_M = 0.05  # how far a contact can shift its load, as the lever of its moments


class PrescribedLoads:
    """Loads on segments as functions of time, by cubic splines between frames and constant outside.

    What is interpolated is the force and its moment about the laboratory's origin: both are smooth where a hand or a
    foot leaves the ground, and the point of application is not. The loads keep their place in the laboratory.
    """

    def __init__(self, space: JointSpace, time_s: ArrayLike, external: ExternalLoads) -> None:
        times = np.asarray(time_s, dtype=np.float64)
        if len(times) != external.frames or len(times) < 2:
            raise BiomecError(f"Loads of {external.frames} frames do not fit {len(times)} times.")
        names = [body.name for body in space.system.bodies]
        unknown = sorted(set(external.segments) - set(names))
        if unknown:
            raise BiomecError(f"Loads act on {', '.join(unknown)}, which the model does not have.")
        self.space = space
        self.segments = external.segments
        self.bodies: IntArray = np.array([names.index(one) for one in external.segments], dtype=np.int64)
        moment = external.moment + np.cross(external.point, external.force)
        self._curve = scipy.interpolate.CubicSpline(times, np.stack([external.force, moment], axis=1))
        self._first, self._last = float(times[0]), float(times[-1])

    def wrenches(self, t: float) -> tuple[FloatArray, FloatArray]:
        """Forces (K, 3) [N] and moments about the laboratory's origin (K, 3) [N m]."""
        force, moment = self._curve(min(max(t, self._first), self._last))
        return np.ascontiguousarray(force), np.ascontiguousarray(moment)

    def __call__(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """Generalised forces Q (n,)."""
        Q = np.zeros(self.space.system.n)
        add_wrenches(self.space.tables, np.array(q), self.bodies, *self.wrenches(t), Q)
        return Q


def shared_change(
    force: FloatArray, moment: FloatArray, centre: FloatArray, up: FloatArray, wanted: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Changes of forces (K, 3) and of moments about the laboratory's origin (K, 3).

    The force and the moment that are missing for nobody to hold the body are shared among the contacts by the load that
    each bears: of all changes with the right sum, the least in the norm of the loads, as if hands and feet stood on
    springs as stiff as they are loaded ([Mouzo2018] Eq. 2.32 for the six equations of the root).

    force, moment : (K, 3) that the contacts bear, moments about the origin
    centre        : (K, 3) joint towards the body of the segments that touch the ground [m]
    up            : (3,) direction in which the ground pushes
    wanted        : (6,) force and moment about the origin that all changes together must have
    """
    borne = np.maximum(force @ up, 0.0)
    total = float(borne.sum())
    if not total > 0.0:
        raise Unsolvable("No hand and no foot presses on the ground, so the ground cannot hold the body.")
    share = (borne / total)[:, None]
    square = np.maximum(np.einsum("ki,ki->k", force, force), 1e-12)[:, None]
    point = (
        centre + cross_product(force, moment - cross_product(centre, force)) / square
    )  # where the force acts, near the segment
    # least Σ ‖f‖²/s + ‖m‖²/(s reach²) with Σ f = F and Σ (m + p × f) = M:  f = s (a + b × p),  m = s reach² b
    middle = skew((share * point).sum(axis=0))
    turning = (np.einsum("ki,ki", share * point, point) + REACH_M**2) * np.eye(3) - (share * point).T @ point
    b = np.linalg.solve(turning + middle @ middle, wanted[3:] - middle @ wanted[:3])
    a = wanted[:3] + middle @ b
    change = share * (a + cross_product(b, point))
    return change, share * REACH_M**2 * b + cross_product(point, change)


def cross_product(a: FloatArray, b: FloatArray) -> FloatArray:
    """a × b of (..., 3), contiguous as compiled code wants it; for few vectors much faster than `numpy.cross`."""
    return np.ascontiguousarray(a[..., NEXT] * b[..., LAST] - a[..., LAST] * b[..., NEXT])
