"""Where a device without markers of its own is: where what holds it balances, not where geometry would put it.

The limbs' motion is known, and the hinges u of the device are not. Nobody drives them, so that in every frame

    r(u) = M_oo (ẅ_o + ü) + M_os ẇ_s − Q̄_o − Σ Gᵀ p(x + G u, ẋ + G u̇) = 0                 (theory §7.9)

o : freedoms of the hinges, s : all others; Q̄ : weight and velocities; x, p : deformation and force of a spring, cuff or
strut, and G = ∂x/∂u. Newton's method solves it for all frames of a stretch at once, with u̇ and ü by differences between
frames: backward ones of second order, from rest in the first frame of the stretch, so that stiff cuffs need no short
steps. M, Q̄ and G are taken anew where the device has moved to.

What this determines: angles of the hinges, gaps and forces of the cuffs, *for given* stiffnesses. Nothing was measured
of them; with other stiffnesses they are others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.body.anatomy.subject_devices import unmarked_hinges, unmarked_pieces
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.consistent_motion import ConsistentMotion
from biomec.engine.forces.device_springs import AngleElement, PointElement
from biomec.engine.forces.springs import Element, LineElement
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import stretches

LEAST_FRAMES = 5  # of a stretch in which second differences say anything
ROUNDS = 6  # in which equations are laid down anew
NEWTON = 12
SETTLED_RAD = 1e-9
LAID_DOWN_RAD = 1e-6  # below which equations laid down anew change nothing more
SINGULAR = 1e-12  # of the largest stiffness: rounding
TAKES_PART = 1e-3  # of a direction of unit length
MOST_RAD = 1.0  # that a hinge may turn away from geometry: beyond, nothing holds the device


@dataclass(frozen=True, eq=False)
class SpringRows:
    """One spring of a device in F frames: deformation x (F, d), its rate, and G (F, d, o)."""

    element: Element
    x: FloatArray
    rate: FloatArray
    G: FloatArray


class HingeTurns(NamedTuple):
    """Turns of hinges u, u̇, ü (F, o) away from a motion, and the largest change of Newton's last step [rad]."""

    u: FloatArray
    udot: FloatArray
    uddot: FloatArray
    left_rad: float


class BalancedMotion(NamedTuple):
    """Motion (F, n) with the hinges of devices in balance.

    turned_rad : how far they turned at most;  left_rad : what the last round still changed
    """

    levels: tuple[FloatArray, FloatArray, FloatArray]
    turned_rad: float
    left_rad: float


@dataclass(frozen=True, eq=False)
class HeldDevice:
    """Equations of the hinges of devices about a motion, over the F frames of a stretch.

    hinges  : (o,) names of joints
    M       : (F, o, o) inertia [kg m²];  needed : (F, o) M_oo ẅ_o + M_os ẇ_s − Q̄_o [N m]
    rows    : of all springs that reach the hinges
    """

    hinges: tuple[str, ...]
    M: FloatArray
    needed: FloatArray
    rows: tuple[SpringRows, ...]
    rate_hz: float

    @property
    def frames(self) -> int:
        """Number of frames."""
        return len(self.M)

    def with_elements(self, elements: Sequence[Element]) -> HeldDevice:
        """The same with other springs of the same names."""
        known = {one.name: one for one in elements}
        rows = [replace(row, element=known[row.element.name]) for row in self.rows if row.element.name in known]
        return replace(self, rows=tuple(rows))

    def balanced(self) -> HingeTurns:
        """Turns of the hinges with which nothing is left to drive them."""
        D1, D2 = _differences(self.frames, self.rate_hz)
        o, u, left = len(self.hinges), np.zeros_like(self.needed), np.inf
        eye = scipy.sparse.eye_array(o)
        first, second = scipy.sparse.kron(D1, eye, "csr"), scipy.sparse.kron(D2, eye, "csr")
        for _ in range(NEWTON):
            udot, uddot = D1 @ u, D2 @ u
            r = self.needed + np.einsum("tij,tj->ti", self.M, uddot)
            K, C = np.zeros((2, *self.M.shape))
            for row in self.rows:
                p, p_x, p_v = self.spring_force(row, u, udot)
                r -= np.einsum("tdi,td->ti", row.G, p)
                K -= np.einsum("tdi,tde,tej->tij", row.G, p_x, row.G)
                C -= np.einsum("tdi,tde,tej->tij", row.G, p_v, row.G)
            self.refuse_loose(_slack(K[0]))  # at rest in the first frame, K alone holds the device
            matrix = _blocks(K) + _blocks(C) @ first + _blocks(self.M) @ second
            try:
                change = scipy.sparse.linalg.splu(scipy.sparse.csc_array(matrix)).solve(-r.ravel()).reshape(u.shape)
            except RuntimeError as error:
                raise BiomecError(self.unheld(self.hinges)) from error
            self.refuse_loose(~(np.abs(u + change) <= MOST_RAD).all(axis=0))
            u, left = u + change, float(np.abs(change).max())
            if left < SETTLED_RAD:
                break
        return HingeTurns(u, D1 @ u, D2 @ u, left)

    def refuse_loose(self, loose: BoolArray) -> None:
        """Refuse hinges (o,) that nothing holds, by their names."""
        if loose.any():
            raise BiomecError(self.unheld([name for name, one in zip(self.hinges, loose, strict=True) if one]))

    def spring_force(
        self, row: SpringRows, u: FloatArray, udot: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Force p (F, d) of a spring with the hinges at u, u̇ (F, o), and ∂p/∂x, ∂p/∂ẋ (F, d, d)."""
        x = row.x + np.einsum("tdi,ti->td", row.G, u)
        v = row.rate + np.einsum("tdi,ti->td", row.G, udot)
        one = row.element
        if isinstance(one, PointElement):
            eye = np.broadcast_to(np.eye(3), (len(x), 3, 3))
            return -one.k * x - one.c * v, -one.k * eye, -one.c * eye
        if isinstance(one, AngleElement):
            p, p_x, p_v = one.carried(x[:, 0], v[:, 0])
            return p[:, None], p_x[:, None, None], p_v[:, None, None]
        assert isinstance(one, LineElement)
        s = np.linalg.norm(x, axis=1)
        n = x / s[:, None]
        g, g_s, g_v = one.carried(s, np.einsum("td,td->t", n, v))
        along = n[:, :, None] * n[:, None, :]
        across = (g / s)[:, None, None] * (np.eye(3) - along)
        return g[:, None] * n, g_s[:, None, None] * along + across, g_v[:, None, None] * along

    def unheld(self, hinges: Sequence[str]) -> str:
        """What is said where springs do not hold hinges."""
        return (
            f"Nothing holds {', '.join(hinges)} against weight and motion: its cuffs and springs are too "
            "soft, or they hold it on the wrong side. Make them stiffer in the model file."
        )


def held_device(
    person: SubjectModel, hinges: Sequence[str], q: FloatArray, qdot: FloatArray, qddot: FloatArray, rate_hz: float
) -> HeldDevice:
    """Equations of hinges about a motion q, q̇, q̈ (F, n)."""
    space, system = JointSpace(person.system, person.model.roots), person.system
    index = space.indices(hinges)
    F, o = len(q), len(index)
    M, needed = np.empty((F, o, o)), np.empty((F, o))
    moved = np.empty((F, o, system.n))  # q̇ of a unit rate of every hinge
    for t in range(F):
        terms = space.terms(q[t], qdot[t], system.gravity_force)
        wdot = space.rates(q[t], qddot[t] - terms.bias)
        M[t] = terms.M[np.ix_(index, index)]
        needed[t] = terms.M[index] @ wdot - terms.Q_bar[index]
        for k, i in enumerate(index):
            moved[t, k] = space.velocities(q[t], np.eye(space.size)[i])
    found = [_rows(system_element, person, q, qdot, moved) for system_element in person.elements]
    rows = tuple(row for row in found if np.abs(row.G).max(initial=0.0) > 0.0)
    return HeldDevice(tuple(hinges), M, needed, rows, rate_hz)


def _rows(one: Element, person: SubjectModel, q: FloatArray, qdot: FloatArray, moved: FloatArray) -> SpringRows:
    system = person.system
    if isinstance(one, AngleElement):
        theta, theta_q, _ = one.angle(system, q)
        rate = np.einsum("ti,ti->t", theta_q, qdot)
        return SpringRows(one, theta[:, None], rate[:, None], np.einsum("ti,tki->tk", theta_q, moved)[:, None, :])
    assert isinstance(one, PointElement | LineElement)
    gap = system.layout.point(one.second) - system.layout.point(one.first)
    G = np.einsum("di,tki->tdk", gap.dense(system.n), moved)
    return SpringRows(one, gap(q), gap.rate(qdot), G)


def with_held_devices(person: SubjectModel, motion: ConsistentMotion) -> ConsistentMotion:
    """Motion with devices that no marker shows where springs, cuffs, weight and inertia balance."""
    hinges = unmarked_hinges(person)
    if not hinges:
        return motion
    levels = [np.array(level) for level in (motion.q, motion.qdot, motion.qddot)]
    pieces = unmarked_pieces(person)
    columns = np.concatenate([person.system.layout.columns(name) for name in pieces])
    known = np.isfinite(np.concatenate([np.delete(level, columns, axis=1) for level in levels], axis=1)).all(axis=1)
    known &= np.isfinite(np.concatenate(levels, axis=1)).all(axis=1)
    most, left, done = 0.0, 0.0, np.zeros(len(known), dtype=bool)
    try:
        for part in stretches(known):
            if part.stop - part.start < LEAST_FRAMES:
                continue
            q, qdot, qddot = (level[part] for level in levels)
            here = balanced_motion(person, hinges, q, qdot, qddot, motion.rate_hz)
            for level, new in zip(levels, here.levels, strict=True):
                level[part] = new
            most, left, done[part] = max(most, here.turned_rad), max(left, here.left_rad), True
    except BiomecError as error:
        words = f"{error} Until then {', '.join(hinges)} follow the leg by geometry, and forces there are not known."
        return replace(motion, notices=(*motion.notices, warning("device-not-held", words, *hinges)))
    undetermined = np.array(motion.undetermined)
    for k, name in enumerate(motion.segments):
        if name in pieces:
            undetermined[done, k] = False
    q, qdot, qddot = (read_only(level) for level in levels)
    return replace(
        motion, q=q, qdot=qdot, qddot=qddot, undetermined=read_only(undetermined, np.bool_),
        notices=(*motion.notices, _placed(hinges, most), *unsettled(hinges, left)),
    )  # fmt: skip


def balanced_motion(
    person: SubjectModel,
    hinges: Sequence[str],
    q: FloatArray,
    qdot: FloatArray,
    qddot: FloatArray,
    rate_hz: float,
    elements: Sequence[Element] | None = None,
) -> BalancedMotion:
    """Motion with the hinges of devices in balance about a motion q, q̇, q̈ (F, n).

    elements : springs in place of the person's
    """
    worn = person if elements is None else replace(person, elements=tuple(elements))
    space = JointSpace(worn.system, worn.model.roots)
    index = space.indices(hinges)
    total, left = np.zeros((len(q), len(index))), np.inf
    for _ in range(ROUNDS):
        device = held_device(worn, hinges, q, qdot, qddot, rate_hz)
        u, udot, uddot, newton = device.balanced()
        q, qdot, qddot = _turned(space, index, (q, qdot, qddot), (u, udot, uddot))
        total += u
        device.refuse_loose(np.abs(total).max(axis=0) > MOST_RAD)
        left = max(float(np.abs(u).max()), newton)
        if left < LAID_DOWN_RAD:
            break
    return BalancedMotion((q, qdot, qddot), float(np.abs(total).max()), left)


def unsettled(hinges: Sequence[str], left_rad: float) -> tuple[Notice, ...]:
    """A warning if the balance of hinges still changed in the last round."""
    if left_rad < LAID_DOWN_RAD:
        return ()
    words = (
        f"The balance of {', '.join(hinges)} did not settle: the last of {ROUNDS} rounds still turned them by "
        f"{np.degrees(left_rad):.1g}°. Doubt gaps and forces of the cuffs."
    )
    return (warning("device-not-settled", words, *hinges),)


def _turned(
    space: JointSpace,
    index: IntArray,
    levels: tuple[FloatArray, FloatArray, FloatArray],
    turned: tuple[FloatArray, FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Motion (F, n) with hinges turned further by u, u̇, ü (F, o)."""
    found = tuple(np.empty_like(level) for level in levels)
    still = np.zeros(space.system.n)
    for t, (q, qdot, qddot) in enumerate(zip(*levels, strict=True)):
        w = space.rates(q, qdot)
        wdot = space.rates(q, qddot - space.terms(q, qdot, still).bias)
        delta = np.zeros(space.size)
        delta[index] = turned[0][t]
        w[index] += turned[1][t]
        wdot[index] += turned[2][t]
        found[0][t] = space.moved(q, delta)
        found[1][t] = space.velocities(found[0][t], w)
        found[2][t] = space.accelerations(found[0][t], space.terms(found[0][t], found[1][t], still), wdot)
    return found[0], found[1], found[2]


def _differences(frames: int, rate_hz: float) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
    """First and second derivative (F, F) by backward differences of second order (BDF2), from rest in the first frame.

    D₂ = D₁²: steps of the implicit method with u and u̇ as state; a frame depends on those before it. Stable at any
    stiffness and rate; central differences would ask for values at both ends, and have a stable answer only for
    K > 4 M rate², where frames are too far apart to show oscillations of the device.
    """
    D = scipy.sparse.lil_array((frames, frames))
    D[1, [0, 1]] = np.array([-1.0, 1.0]) * rate_hz
    for t in range(2, frames):
        D[t, [t - 2, t - 1, t]] = np.array([0.5, -2.0, 1.5]) * rate_hz
    D1 = D.tocsr()
    return D1, (D1 @ D1).tocsr()


def _slack(K: FloatArray) -> BoolArray:
    """(o,) hinges that turn in some direction in which the stiffness K (o, o) is zero."""
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    free = np.abs(values) <= SINGULAR * np.abs(values).max()
    return np.asarray((np.abs(vectors[:, free]) > TAKES_PART).any(axis=1))


def _blocks(blocks: FloatArray) -> scipy.sparse.csr_array:
    """Block-diagonal matrix of (F, o, o)."""
    return scipy.sparse.csr_array(scipy.sparse.block_diag(list(blocks), format="csr"))


def _placed(hinges: Sequence[str], most: float) -> Notice:
    words = (
        f"No marker shows how {', '.join(hinges)} turn. The device stands where its cuffs, springs, weight and inertia "
        f"balance, up to {np.degrees(most):.1f}° from where geometry puts it. Gaps and forces of the cuffs follow from "
        "the stiffnesses in the model file: they are no measurement."
    )
    return info("device-held", words, *hinges)
