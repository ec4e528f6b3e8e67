"""Smooth small corrections of a motion that keep it consistent: the whole body shifts and turns, the trunk leans.

Points move as r' = c + R (r − c) + p and vectors as v' = R v, with a turn R(t) and a shift p(t) that are known with
their derivatives; so velocities and accelerations follow exactly, and every constraint within what moves still holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, read_only, skew
from biomec.base.errors import BiomecError
from biomec.base.fields import DEGREES, MM, setting
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.balance import body_wrench
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.joints import Spherical
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import JointTree

DEGREE = 5  # the acceleration is still a smooth curve
ROUNDS = 4  # of solving with the residual of the corrected motion
FEWER = 0.7  # by this much less is expected of the corrections when they were too large
TRIES = 12

Jet = tuple[FloatArray, FloatArray, FloatArray]
"""Something and its first two derivatives in time."""


@dataclass(frozen=True)
class MotionOptions:
    """How far the motion may be corrected.

    shift_m    : usual shift of the whole body [m];  turn_rad : usual turn of the whole body, and of the trunk [rad]
    marker_m   : root mean square distance that markers may move [m]; corrections are damped until they keep it
    knot_s     : corrections change no faster than this [s]
    force_n, moment_nm : residuals that are small enough [N], [N m]
    lean       : spherical joint about which what lies on its proximal side leans; None: nothing does
    """

    shift_m: float = setting(0.005, "Usual shift", "Of the whole body.", unit="mm", factor=MM, least=0.0)
    turn_rad: float = setting(
        float(np.deg2rad(0.5)), "Usual turn", "Of the whole body, and of the trunk.", unit="°", factor=DEGREES,
        least=0.0)  # fmt: skip
    marker_m: float = setting(
        0.01, "Largest movement of markers", "Root mean square; corrections are damped until they keep it.", unit="mm",
        factor=MM, least=0.0)  # fmt: skip
    knot_s: float = setting(0.1, "Fastest change", "Corrections change no faster than this.", unit="s", least=0.0)
    force_n: float = setting(
        2.0, "Force that is small enough", "Residuals below it are not corrected further.", unit="N", least=0.0
    )
    moment_nm: float = setting(
        1.0, "Moment that is small enough", "Residuals below it are not corrected further.", unit="N·m", least=0.0
    )
    lean: str | None = setting(
        "lumbar", "Trunk leans about", "Joint about which everything above it leans.", choices={None: "nothing",
        "lumbar": "the lumbar joint"})  # fmt: skip

    def __post_init__(self) -> None:
        sizes = (self.shift_m, self.turn_rad, self.marker_m, self.knot_s, self.force_n, self.moment_nm)
        if not (np.isfinite(sizes).all() and min(sizes) > 0.0):
            raise BiomecError("Corrected motion: all limits must be positive.")


@dataclass(frozen=True, eq=False)
class MotionChange:
    """How the motion was changed.

    shift : (T, 3) of the whole body [m];  turn : (T, 3) of the whole body about X, Y, Z [rad]
    lean  : (T, 3) of the trunk about X, Y, Z [rad]; zero if nothing leans
    """

    shift: FloatArray
    turn: FloatArray
    lean: FloatArray

    @property
    def shift_most(self) -> float:
        """Farthest shift of the whole body [m]."""
        return float(np.linalg.norm(self.shift, axis=1).max(initial=0.0))

    @property
    def turn_most(self) -> float:
        """Greatest turn of the whole body [rad]."""
        return float(np.linalg.norm(self.turn, axis=1).max(initial=0.0))

    @property
    def lean_most(self) -> float:
        """Greatest lean of the trunk [rad]."""
        return float(np.linalg.norm(self.lean, axis=1).max(initial=0.0))


def corrected_motion(
    tree: JointTree, states: Jet, external: ExternalLoads, counted: BoolArray, rate_hz: float, options: MotionOptions
) -> tuple[Jet, MotionChange]:
    """Motion whose residual is small, near the one given: least squares over splines.

    Minimises Σ |r|²/σ² over the frames that count, plus Σ |shift|²/ŝ² + |turn|²/ϑ² + |lean|²/ϑ² over all frames, and
    the same of accelerations times τ², τ the fastest change, over frames that do not count, where nothing else keeps
    the corrections from swinging back; r is the residual force and moment about the centre of mass. To first order in
    a shift p, a turn θ and a lean φ about L,

        δr_F = m δc̈,   δr_M = I θ̈ + K φ̈ + δc × F,   δc = p + (m_u/m) φ × (c_u − L)

    with the whole body's inertia I, that of the leaning part K, and the ground's force F. What is left out is small,
    and solving again with the residual of the corrected motion mends it.
    """
    upper = _proximal_side(tree, options.lean)
    splines = _Splines(len(states[0]), rate_hz, options.knot_s)
    known = np.asarray(counted & np.isfinite(states[2]).all(axis=1) & np.isfinite(states[1]).all(axis=1))
    usual = np.array([options.shift_m] * 3 + [options.turn_rad] * (6 if upper else 3))
    scale = 1.0
    for _ in range(TRIES):
        c = np.zeros((splines.count, len(usual)))
        free = options.knot_s**2 * (splines.acceleration * ~known[:, None])
        held = scipy.sparse.vstack([splines.value, scipy.sparse.csr_array(free)])
        prior = scipy.sparse.kron(held, scipy.sparse.diags_array(1.0 / (scale * usual)), format="csr")
        for _ in range(ROUNDS):
            moved = apply_correction(tree, states, splines.jets(c), upper, options.lean)
            A, r = _linearised(tree, moved, external, known, splines, upper, options)
            normal = (A.T @ A + prior.T @ prior).tocsc()
            c = np.asarray(scipy.sparse.linalg.spsolve(normal, A.T @ (A @ c.reshape(-1) - r))).reshape(c.shape)
        moved = apply_correction(tree, states, splines.jets(c), upper, options.lean)
        if marker_distance(tree.system, states[0], moved[0])[0] <= options.marker_m:
            break
        scale *= FEWER
    curves = splines.value @ c
    lean = curves[:, 6:] if upper else np.zeros((len(curves), 3))
    return moved, MotionChange(*(read_only(one) for one in (curves[:, :3], curves[:, 3:6], lean)))


def marker_distance(system: System, q: FloatArray, other: FloatArray) -> tuple[float, float]:
    """Root mean square and largest distance between the landmarks of two motions [m]; NaN frames are left out."""
    names = [f"{body.name}.{name}" for body in system.bodies for name in body.points if name not in ("origin", "com")]
    gaps = np.stack([system.layout.point(name).rate(other - q) for name in names], axis=1)
    gaps = gaps[np.isfinite(gaps).all(axis=(1, 2))]
    if not gaps.size:
        return 0.0, 0.0
    squares = (gaps**2).sum(axis=2)
    return float(np.sqrt(squares.mean())), float(np.sqrt(squares.max()))


def apply_correction(tree: JointTree, states: Jet, curves: Jet, upper: Iterable[str], lean: str | None) -> Jet:
    """Lean the upper part about its joint, then turn the whole about its centre of mass and shift it.

    curves : (T, 9) shift [m], turn and lean [rad], each about X, Y, Z, with two derivatives; (T, 6) if nothing leans
    """
    system = tree.system
    upper = tuple(upper)
    if upper:
        joint = next(one for one in tree.joints if one.name == lean)
        point = system.layout.point(joint.child_point)
        pivot = (point(states[0]), point.rate(states[1]), point.rate(states[2]))
        none = np.zeros_like(pivot[0])
        turned = _turn((curves[0][:, 6:], curves[1][:, 6:], curves[2][:, 6:]))
        states = _placed(system, states, upper, pivot, turned, (none, none, none))
    motion = segment_motion(system, *states)
    centre = (motion.whole_body_com, motion.whole_body_velocity, motion.whole_body_acceleration)
    everything = tuple(body.name for body in system.bodies)
    shift: Jet = (curves[0][:, :3], curves[1][:, :3], curves[2][:, :3])
    turn = _turn((curves[0][:, 3:6], curves[1][:, 3:6], curves[2][:, 3:6]))
    return _placed(system, states, everything, centre, turn, shift)


class _Splines:
    """Uniform B-splines over T frames, as matrices (T, count) of values and derivatives."""

    def __init__(self, frames: int, rate_hz: float, knot_s: float) -> None:
        duration = max((frames - 1) / rate_hz, 1e-9)
        parts = max(1, round(duration / knot_s))
        knots = duration / parts * np.arange(-DEGREE, parts + DEGREE + 1)
        self.count = parts + DEGREE
        time = np.arange(frames) / rate_hz
        basis = scipy.interpolate.BSpline(knots, np.eye(self.count), DEGREE)
        self.value, self.rate, self.acceleration = (
            scipy.sparse.csr_array(np.asarray(one(np.clip(time, 0.0, duration))))
            for one in (basis, basis.derivative(1), basis.derivative(2))
        )

    def jets(self, c: FloatArray) -> Jet:
        """Curves (T, K) of coefficients (count, K), with two derivatives."""
        return self.value @ c, self.rate @ c, self.acceleration @ c


def _linearised(
    tree: JointTree,
    states: Jet,
    external: ExternalLoads,
    known: BoolArray,
    splines: _Splines,
    upper: tuple[str, ...],
    options: MotionOptions,
) -> tuple[scipy.sparse.csr_array, FloatArray]:
    """Derivative of the weighted residual by the coefficients (6T, 9 count), and the residual (6T,) itself."""
    system = tree.system
    motion = segment_motion(system, *states)
    wrench = body_wrench(system, motion)
    centre = motion.whole_body_com
    r = np.concatenate(
        [wrench.total_force - external.total_force, wrench.total_moment - external.total_moment(centre)], axis=1
    )
    J = np.stack([body.inertia_matrix for body in system.bodies])
    J_W = np.einsum("tsij,sjk,tslk->tsil", motion.R_WB, J, motion.R_WB)
    total = float(motion.mass.sum())
    by_value, by_acceleration = np.zeros((2, motion.frames, 6, 9 if upper else 6))
    away = skew(motion.p_com - centre[:, None])
    whole = (J_W - motion.mass[:, None, None] * away @ away).sum(axis=1)
    by_acceleration[:, :3, :3] = total * np.eye(3)
    by_acceleration[:, 3:, 3:6] = whole
    press = -skew(external.total_force)  # δc × F = −F × δc
    by_value[:, 3:, :3] = press
    if upper:
        mine = [motion.index(name) for name in upper]
        joint = next(one for one in tree.joints if one.name == options.lean)
        pivot = system.layout.point(joint.child_point)(states[0])
        lever = motion.p_com[:, mine] - pivot[:, None]
        first = -skew(np.einsum("s,tsi->ti", motion.mass[mine], lever))  # δ(m c) = Σ m φ × (r − L)
        turned = J_W[:, mine] - motion.mass[mine][:, None, None] * away[:, mine] @ skew(lever)
        by_acceleration[:, :3, 6:] = first
        by_acceleration[:, 3:, 6:] = turned.sum(axis=1)
        by_value[:, 3:, 6:] = press @ first / total
    sigma = np.repeat([options.force_n, options.moment_nm], 3)
    keep = np.where(known, 1.0, 0.0)[:, None, None]
    parts = []
    for matrix, basis in ((by_value, splines.value), (by_acceleration, splines.acceleration)):
        blocks = np.nan_to_num(matrix) * keep / sigma[:, None]
        parts.append(_spread(blocks, basis))
    return (parts[0] + parts[1]).tocsr(), (np.nan_to_num(r) * keep[..., 0] / sigma).reshape(-1)


def _spread(blocks: FloatArray, basis: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """Rows (6T, 9 count) of Σ_k basis[t, k] · block[t] (6, 9), coefficients of one spline together."""
    columns = blocks.shape[2]
    diagonal = scipy.sparse.block_diag(list(blocks), format="csr")  # (6T, 9T)
    return scipy.sparse.csr_array(diagonal @ scipy.sparse.kron(basis, scipy.sparse.eye_array(columns), format="csr"))


def _proximal_side(tree: JointTree, joint: str | None) -> tuple[str, ...]:
    """Segments on the proximal side of a spherical joint; none where there is no such joint."""
    found = next((one for one in tree.joints if one.name == joint), None)
    if found is None or not isinstance(found.joint, Spherical):
        return ()
    names = [body.name for body in tree.system.bodies]
    start = found.parent if found.sign > 0.0 else found.child
    reached, grown = {start}, True
    while grown:
        grown = False
        for one in tree.joints:
            if one is not found and (one.parent in reached) != (one.child in reached):
                reached |= {one.parent, one.child}
                grown = True
    return tuple(names[k] for k in sorted(reached))


def _placed(system: System, states: Jet, bodies: tuple[str, ...], pivot: Jet, turn: Jet, shift: Jet) -> Jet:
    """Coordinates of bodies after r' = c + R (r − c) + p, with derivatives; those of the others stay."""
    q, qdot, qddot = (np.array(one) for one in states)
    R, Rdot, Rddot = turn
    for name in bodies:
        body, columns = system.layout.bodies[name], system.layout.columns(name)
        if body.shared:
            raise BiomecError(f"The {name} shares coordinates with another segment, so it cannot be moved by itself.")
        for k, element in enumerate(body.basis):
            at = columns[3 * k : 3 * k + 3]
            x, v, a = q[:, at], qdot[:, at], qddot[:, at]
            point = element in body.points
            if point:
                x, v, a = x - pivot[0], v - pivot[1], a - pivot[2]
            new = _times(R, x), _times(Rdot, x) + _times(R, v)
            last = _times(Rddot, x) + 2.0 * _times(Rdot, v) + _times(R, a)
            for level, value, moved in zip((q, qdot, qddot), (*new, last), range(3), strict=True):
                level[:, at] = value + (pivot[moved] + shift[moved] if point else 0.0)
    return q, qdot, qddot


def _turn(angles: Jet) -> Jet:
    """R = R_x R_y R_z (T, 3, 3) of three angles (T, 3) with their derivatives."""
    whole: Jet | None = None
    for axis in range(3):
        generator = skew(np.eye(3)[axis])
        x, v, a = (one[:, axis, None, None] for one in angles)
        R = np.eye(3) + np.sin(x) * generator + (1.0 - np.cos(x)) * generator @ generator
        Rdot = v * R @ generator
        one = (R, Rdot, a * R @ generator + v * Rdot @ generator)
        whole = one if whole is None else _product(whole, one)
    assert whole is not None
    return whole


def _product(one: Jet, other: Jet) -> Jet:
    return (
        one[0] @ other[0],
        one[1] @ other[0] + one[0] @ other[1],
        one[2] @ other[0] + 2.0 * one[1] @ other[1] + one[0] @ other[2],
    )


def _times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("tij,tj->ti", matrix, vector))
