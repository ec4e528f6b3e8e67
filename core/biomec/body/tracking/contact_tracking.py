"""A body that follows a movement on feet which only contact holds: nothing acts on its root.

Contact answers to where the feet are and how they move; a torque changes it only by moving them. Two laws:

    published   least ‖W (ẇ − r)‖ of all ẇ with which nothing acts on the root            [Mouzo2018] Eqs. 3.10, 3.11
    balanced    1. forces of the spheres that keep the root: non-negative in friction pyramids, nearest to what the
                   movement itself would give,  least ‖S (Jᵣᵀ f − b)‖² + ε ‖f − f₀‖²/W²,  b = M ẇ − Q̄ of the root
                2. least ‖ẇⱼ − rⱼ‖² + ρ² ‖f₀ + K (ẇ − r) − f‖²: what the joints must do for the feet to bear these
                   forces after a time τ, with K = τ² ∂f/∂p J + τ ∂f/∂v J

r leads back to the movement, r = ẇ_ref + c_D (w_ref − w) + c_P e: joints with the stiffness of the control, the root
softly, because a foot cannot give the body back its place faster than the body falls. Step 1 says what the ground can
do, step 2 how to make it do so.

Forces of contact enter the equations of motion linearised over the step, (M − h D − h² K) ẇ = u + Q̄ + h K v, which no
stiffness of the floor and no friction makes shake (a linearly implicit Euler step), and the control knows of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, IntArray, skew
from biomec.base.errors import BiomecError
from biomec.body.tracking.controllers import ControlOptions
from biomec.body.tracking.reaction_references import ReactionReferences, ReferenceRows
from biomec.body.tracking.tracking import SAME_S, Evaluation, Tracked, TrackingOptions
from biomec.engine.forces.applied import Forces, acting
from biomec.engine.forces.ground_contact import ContactSlopes, GroundContact
from biomec.engine.forward.formulation import Unsolvable
from biomec.engine.forward.joint_space import JointTerms
from biomec.engine.forward.reference_motion import ReferenceMotion

STEP = "symplectic-euler"
NEAR_M = 4e-3  # spheres so near to the floor may bear load soon
GAP_M = 2e-4  # how quickly those above it are trusted less
PYRAMID = 0.8  # of friction that balance may count on


@dataclass(frozen=True)
class BalanceOptions:
    """How a body stays up on contact.

    balanced   : the balanced law; otherwise the published one
    stiffness  : c_P of joints [1/s²], critically damped
    root       : c_P of the root along the floor, upwards, and of its attitude [1/s²]
    foresight_s: τ, after which the feet must bear what they should [s]
    force_weight : ρ [rad/s² / N]
    reach_m    : moments of the ground count as forces with this arm [m]
    kept       : ε, weight of forces that the movement itself gives
    weights    : (g,) W of the published law; 1 if not given
    step_s     : [s]
    """

    balanced: bool = True
    stiffness: float = 1e3
    root: tuple[float, float, float] = (30.0, 100.0, 100.0)
    foresight_s: float = 0.02
    force_weight: float = 0.03
    reach_m: float = 1.0
    kept: float = 1e-3
    weights: FloatArray | None = None
    step_s: float = 1e-3

    def __post_init__(self) -> None:
        amounts = (
            self.stiffness,
            *self.root,
            self.foresight_s,
            self.force_weight,
            self.reach_m,
            self.kept,
            self.step_s,
        )
        if not all(0.0 < one < np.inf for one in amounts):
            raise BiomecError("Balance: stiffnesses, times and weights must be positive numbers.")


class ContactTracked(Tracked):
    """A body on contact that its joints alone keep up; a `Stepper`.

    passive   : what else acts, such as stops of the joints
    reactions : reactions that the published law shall follow too
    """

    def __init__(
        self,
        reference: ReferenceMotion,
        contact: GroundContact,
        options: BalanceOptions = BalanceOptions(),
        passive: Forces | None = None,
        reactions: ReactionReferences | None = None,
    ) -> None:
        control = ControlOptions("computed torque", "free", options.stiffness)
        super().__init__(reference, None, TrackingOptions(control, STEP, options.step_s), None, passive)
        self.contact, self.balance, self.reactions = contact, options, reactions
        bodies = [body.name for body in self.system.bodies]
        self._bodies: IntArray = np.array([bodies.index(one.body) for one in contact.spheres], dtype=np.int64)
        size = self.space.size
        self._stiffness = np.full(size, options.stiffness)
        if options.balanced:
            along, upwards, turning = options.root
            self._stiffness[:6] = along, upwards, along, turning, turning, turning
        self._damping = 2.0 * np.sqrt(self._stiffness)
        self._weights = np.ones(size) if options.weights is None else np.asarray(options.weights, dtype=np.float64)
        self._mass = np.array([body.mass for body in self.system.bodies])
        self._centres = [self.system.layout.point(f"{body.name}.com") for body in self.system.bodies]
        friction = np.array([one.material.friction for one in contact.spheres])
        self._edges = np.zeros((len(friction), 4, 3))  # of the pyramid inside the friction cone of every sphere
        self._edges[:, :, 1] = 1.0
        for k, (axis, sign) in enumerate(((0, 1.0), (0, -1.0), (2, 1.0), (2, -1.0))):
            self._edges[:, k, axis] = sign * PYRAMID * friction

    @property
    def title(self) -> str:
        """What a table calls it."""
        return f"on contact, {'balanced' if self.balance.balanced else 'least squares'}"

    def evaluate(self, t: float, q: FloatArray, qdot: FloatArray) -> Evaluation:
        """Control and accelerations over the step that begins here; raises `Runaway` where the movement is lost."""
        if self._known is not None and self._known[1] is q and abs(self._known[0] - t) < SAME_S:
            return self._known[2]
        space, here, h = self.space, self.reference.at(t), self.options.step_s
        other = acting(self.loads, t, q, qdot)
        terms, w = space.terms(q, qdot, other), space.rates(q, qdot)
        e = space.deviation(q, here.pose)
        self._refuse_lost(e)
        r = here.wdot + self._damping * (here.w - w) + self._stiffness * e
        now = self.contact.slopes(q, qdot)
        J = space.point_motions(q, self._bodies, now.point)
        M, Q = _over_step(terms, now, J, w, h)
        if self.balance.balanced:
            wdot = self._balanced(q, w, r, terms)
        else:
            rows = None if self.reactions is None else self.reactions.rows(t, space, q, w, now, J, self._bodies)
            wdot = self._least(M, Q, r, rows)
        wdot = _closed(terms, wdot)
        try:
            wdot[:6] = np.linalg.solve(M[:6, :6], Q[:6] - M[:6, 6:] @ wdot[6:])  # nothing acts on the root
        except np.linalg.LinAlgError as error:
            raise Unsolvable("The root moves nothing that has mass.") from error
        effort = M @ wdot - Q
        effort[:6] = 0.0
        total = other + self.contact(t, q, qdot)
        load = np.zeros(space.loops.size)
        found = Evaluation(wdot, space.accelerations(q, terms, wdot), load, effort, np.zeros((0, 2, 3)), total)
        self._known = (t, q, found)
        return found

    def _least(self, M: FloatArray, Q: FloatArray, r: FloatArray, rows: ReferenceRows | None) -> FloatArray:
        """ẇ nearest to r, and to what rows want, of all with which nothing acts on the root."""
        inverse: FloatArray = np.diag(1.0 / self._weights**2)
        wanted = r
        if rows is not None:
            D = rows.weights[:, None] * rows.D
            inverse = np.asarray(np.linalg.inv(np.diag(self._weights**2) + D.T @ D))
            wanted = inverse @ (self._weights**2 * r + D.T @ (rows.weights * rows.s))
        A = M[:6] @ inverse
        return np.asarray(wanted + A.T @ np.linalg.solve(A @ M[:6].T, Q[:6] - M[:6] @ wanted))

    def _balanced(self, q: FloatArray, w: FloatArray, r: FloatArray, terms: JointTerms) -> FloatArray:
        """ẇ of the joints with which feet soon bear what keeps the root; that of the root is free."""
        space, tau = self.space, self.balance.foresight_s
        later = w + tau * r
        q_later = space.moved(q, tau * later)
        qdot_later = space.velocities(q_later, later)
        given = self.contact.slopes(q_later, qdot_later)
        depth = self.contact.state(q_later, qdot_later).penetration
        near = np.flatnonzero(depth > -NEAR_M)
        wdot = r.copy()
        if not near.size:
            return wdot
        J = space.point_motions(q_later, self._bodies[near], given.point[near])
        own = given.force[near]
        f = self._wanted(q, r, terms, J[:, :, :6], own, depth[near], near)
        inverse = np.linalg.inv(terms.M[:6, :6])
        through = -inverse @ terms.M[:6, 6:]  # ẇ of the root for those of the joints
        alone = inverse @ (terms.Q_bar[:6] + np.einsum("kig,ki->g", J[:, :, :6], f))
        K = tau * tau * given.stiffness[near] + tau * given.damping[near]
        rows = np.einsum("kij,kjh->kih", K, J[:, :, 6:] + J[:, :, :6] @ through).reshape(-1, space.size - 6)
        root = alone + through @ r[6:] - r[:6]
        left = (f - own - np.einsum("kij,kj->ki", K, J[:, :, :6] @ root)).ravel()
        square = rows @ rows.T + np.eye(len(left)) / self.balance.force_weight**2
        wdot[6:] += rows.T @ np.linalg.solve(square, left)
        return wdot

    def _wanted(
        self, q: FloatArray, r: FloatArray, terms: JointTerms, J: FloatArray, own: FloatArray, depth: FloatArray,
        near: IntArray,
    ) -> FloatArray:  # fmt: skip
        """Forces (K, 3) of spheres that keep the root, as far as the floor can give them.

        J : (K, 3, 6) motions of the spheres with the root;  own : (K, 3) forces that the movement itself gives
        """
        total = float(self._mass.sum())
        places = np.array([centre(q) for centre in self._centres])
        root = self.space.tables.centre[0] @ np.reshape(q, (-1, 4, 3))[self.space.tables.body[0]]
        about = np.eye(6)  # moments about the centre of mass
        about[3:, :3] = skew(root - self._mass @ places / total)
        scale = np.repeat([1.0, 1.0 / self.balance.reach_m], 3)[:, None] / total
        edges = self._edges[near]
        asked = scale[:, 0] * (about @ (terms.M[:6] @ r - terms.Q_bar[:6]))
        given = scale * (about @ np.einsum("kig,kei->gke", J, edges).reshape(6, -1))
        trust = np.sqrt(self.balance.kept) * (1.0 + np.maximum(0.0, -depth) / GAP_M) / total
        keep = np.zeros((len(near), 3, len(near), 4))
        for k in range(len(near)):
            keep[k, :, k] = trust[k] * edges[k].T
        rows = np.vstack([given, keep.reshape(3 * len(near), -1)])
        shares = scipy.optimize.nnls(rows, np.concatenate([asked, (trust[:, None] * own).ravel()]))[0]
        return np.asarray(np.einsum("ke,kei->ki", shares.reshape(-1, 4), edges))


def _over_step(
    terms: JointTerms, now: ContactSlopes, J: FloatArray, w: FloatArray, h: float
) -> tuple[FloatArray, FloatArray]:
    """M − h D − h² K and Q̄ + h K v of the step."""
    slope = h * h * now.stiffness + h * now.damping
    M = terms.M - np.einsum("kig,kij,kjh->gh", J, slope, J)
    force = now.force + h * np.einsum("kij,kj->ki", now.stiffness, J @ w)
    return M, np.asarray(terms.Q_bar + np.einsum("kig,ki->g", J, force))


def _closed(terms: JointTerms, wdot: FloatArray) -> FloatArray:
    """ẇ with the joints' part changed by the least that closes gliding contacts."""
    if not len(terms.c):
        return wdot
    J = terms.J[:, 6:]
    wdot[6:] += J.T @ np.linalg.solve(J @ J.T, terms.c - terms.J[:, 6:] @ wdot[6:] - terms.J[:, :6] @ wdot[:6])
    return wdot
