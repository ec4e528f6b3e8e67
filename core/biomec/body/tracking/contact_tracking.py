"""A body that follows a movement on feet which only contact holds: nothing acts on its root, nor drives passive joints.

Two laws:

    published   least ‖W (ẇ − r)‖ of all ẇ with which nothing acts on the root            [Mouzo2018] Eqs. 3.10, 3.11
    balanced    the same, with the forces of the floor among the unknowns, as a contact can give them:

        min ‖W (ẇ − r)‖² + ε ‖S (Gᵢ f − g*ᵢ)‖² + δ ‖f‖²     M_r ẇ = Q̄_r + J_rᵀ f,   f in friction pyramids, f_n ≤ limit
        u = Mⱼ ẇ − Q̄ⱼ − Jⱼᵀ f − I (v̇ − ẇ)

r leads back to the movement, r = ẇ_ref + c_D (w_ref − w) + c_P e, of all freedoms, the root included. g*ᵢ is what the
plates measured under each foot: it decides only what the root leaves open, which is how two feet share the load. The
published law asks what accelerations the forces of this very step allow, and answers by joint accelerations: feet are
driven into a floor a tenth of a millimetre of which is 100 N. The balanced law exerts the torques that go with the
forces, and the floor gives them by itself. I is an inertia that the control lends to the freedoms, v̇ being what they
really do: a foot that bears less than was thought would else spin, for it weighs a kilogram. Limits of f_n let a load
grow with what is there.

Hinges of free orthoses are passive: their rows stand beside those of the root in M_r, and what they should do weighs
nothing. So the control knows how springs and cuffs react, and drives the person alone.

Forces of contact enter the equations of motion linearised over the step, (M − h D − h² K) ẇ = u + Q̄ + h K v, which no
stiffness of the floor and no friction makes shake (a linearly implicit Euler step), and the control knows of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.tracking.controllers import ControlOptions
from biomec.body.tracking.reaction_references import ReactionReferences, ReferenceRows
from biomec.body.tracking.tracking import SAME_S, Evaluation, Tracked, Tracking, TrackingOptions, compared
from biomec.engine.forces.applied import Forces, acting, together
from biomec.engine.forces.external_loads import external_loads
from biomec.engine.forces.ground_contact import ContactSlopes, GroundContact
from biomec.engine.forward.formulation import Unsolvable
from biomec.engine.forward.joint_space import JointTerms
from biomec.engine.forward.reference_motion import PrescribedLoads, ReferenceMotion
from biomec.engine.forward.simulation import Simulation

STEP = "symplectic-euler"
NEAR_M = 1e-3  # spheres so near to the floor may bear load in the next steps
GAP_M = 2e-4  # how quickly those above it are trusted less
PYRAMID = 0.8  # of friction that balance may count on
REACH = 10.0  # [1/m] moments of a foot count as forces with 0.1 m of arm
GROWS, MORE_N = 1.5, 30.0  # a sphere may be asked for so many times what it bears, and so much more
EVEN = 1e-3  # √δ
UNLED = 1e-3  # W of passive joints: as if none, as far as matrices can be inverted


@dataclass(frozen=True)
class BalanceOptions:
    """How a body stays up on contact.

    balanced   : the balanced law; otherwise the published one
    stiffness  : c_P of joints [1/s²], critically damped; the published law has it for the root too
    root       : c_P of the root along the floor, upwards, and of its attitude [1/s²]
    place      : W of the place of the root beside 1 of a freedom that turns [rad/m]
    measured   : √ε, weight of measured forces
    inertia    : I [kg m²]
    weights    : (g,) W of the published law; 1 if not given
    step_s     : [s]
    passive    : joints that nothing drives or leads, such as hinges of an orthosis
    """

    balanced: bool = True
    stiffness: float = 400.0
    root: tuple[float, float, float] = (30.0, 100.0, 100.0)
    place: float = 10.0
    measured: float = 0.03
    inertia: float = 0.15
    weights: FloatArray | None = None
    step_s: float = 1e-3
    passive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        amounts = (self.stiffness, *self.root, self.place, self.measured, self.inertia, self.step_s)
        if not all(0.0 < one < np.inf for one in amounts):
            raise BiomecError("Balance: stiffnesses, inertia, times and weights must be positive numbers.")


class ContactTracked(Tracked):
    """A body on contact that its joints alone keep up; a `Stepper`.

    passive   : what else acts, such as stops of the joints and springs of devices
    measured  : loads on the feet as plates measured them, which the balanced law prefers
    reactions : reactions that the published law shall follow too
    numbers   : (S,) of the bodies that have the spheres
    """

    def __init__(
        self,
        reference: ReferenceMotion,
        contact: GroundContact,
        options: BalanceOptions = BalanceOptions(),
        passive: Forces | None = None,
        reactions: ReactionReferences | None = None,
        measured: PrescribedLoads | None = None,
    ) -> None:
        control = ControlOptions("computed torque", "free", options.stiffness, passive=options.passive)
        super().__init__(reference, None, TrackingOptions(control, STEP, options.step_s), None, passive)
        self.contact, self.balance, self.reactions, self.measured = contact, options, reactions, measured
        bodies = [body.name for body in self.system.bodies]
        self.numbers: IntArray = np.array([bodies.index(one.body) for one in contact.spheres], dtype=np.int64)
        size = self.space.size
        self._stiffness = np.full(size, options.stiffness)
        if options.balanced:
            along, upwards, turning = options.root
            self._stiffness[:6] = along, upwards, along, turning, turning, turning
        self._damping = 2.0 * np.sqrt(self._stiffness)
        self._weights = np.ones(size) if options.weights is None else np.array(options.weights, dtype=np.float64)
        if options.balanced:
            self._weights = np.concatenate([np.full(3, options.place), np.ones(size - 3)])
        self._weights[self.controller.passive] = UNLED
        self._moved: IntArray = np.concatenate([np.arange(6), self.controller.passive])  # by nobody
        self._lent = np.full(size, options.inertia)
        self._lent[self._moved] = 0.0
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
        J = space.point_motions(q, self.numbers, now.point)
        M, Q = _over_step(terms, now, J, w, h)
        if self.balance.balanced:
            wdot, effort = self._balanced(t, w, r, terms, now, J, M, Q)
        else:
            rows = None if self.reactions is None else self.reactions.rows(t, space, q, w, now, J, self.numbers)
            wdot, alone = _closed(terms, self._least(M, Q, r, rows)), self._moved
            wdot[alone] = 0.0  # and what nobody drives follows
            try:
                wdot[alone] = np.linalg.solve(M[np.ix_(alone, alone)], Q[alone] - M[alone] @ wdot)
            except np.linalg.LinAlgError as error:
                raise Unsolvable("The root, or a joint that nothing drives, moves nothing that has mass.") from error
            effort = M @ wdot - Q
            effort[alone] = 0.0
        total = other + self.contact(t, q, qdot)
        load = np.zeros(space.loops.size)
        found = Evaluation(wdot, space.accelerations(q, terms, wdot), load, effort, np.zeros((0, 2, 3)), total)
        self._known = (t, q, found)
        return found

    def floor_forces(self, t: float, q: FloatArray, qdot: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Points (S, 3) [m] and forces (S, 3) [N] of the floor on spheres over the step that begins in a state.

        With h K v + (h² K + h D) ẇ, as the equations of motion have them.
        """
        now, h, wdot = self.contact.slopes(q, qdot), self.options.step_s, self.evaluate(t, q, qdot).wdot
        J = self.space.point_motions(q, self.numbers, now.point)
        ahead = h * np.einsum("kij,kj->ki", now.stiffness, J @ (self.space.rates(q, qdot) + h * wdot))
        return now.point, np.asarray(now.force + ahead + h * np.einsum("kij,kj->ki", now.damping, J @ wdot))

    def _least(self, M: FloatArray, Q: FloatArray, r: FloatArray, rows: ReferenceRows | None) -> FloatArray:
        """ẇ nearest to r, and to what rows want, of all with which nothing acts on the root and passive joints."""
        inverse: FloatArray = np.diag(1.0 / self._weights**2)
        wanted = r
        if rows is not None:
            D = rows.weights[:, None] * rows.D
            inverse = np.asarray(np.linalg.inv(np.diag(self._weights**2) + D.T @ D))
            wanted = inverse @ (self._weights**2 * r + D.T @ (rows.weights * rows.s))
        alone = M[self._moved]
        A = alone @ inverse
        return np.asarray(wanted + A.T @ np.linalg.solve(A @ alone.T, Q[self._moved] - alone @ wanted))

    def _balanced(
        self, t: float, w: FloatArray, r: FloatArray, terms: JointTerms, now: ContactSlopes, J: FloatArray,
        M: FloatArray, Q: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:  # fmt: skip
        """ẇ over the step, and the efforts that go with the forces which the floor shall give."""
        force, wanted, alone = np.zeros((len(self.numbers), 3)), r, self._moved
        depth = self._depth(now)
        near = np.flatnonzero(depth > -NEAR_M)
        if near.size:
            A = terms.M[alone] / self._weights**2
            square = A @ terms.M[alone].T
            force[near] = self._from_the_floor(t, r, terms, now, J, depth, near, square)
            given = terms.Q_bar[alone] + np.einsum("kig,ki->g", J[:, :, alone], force)
            wanted = r + A.T @ np.linalg.solve(square, given - terms.M[alone] @ r)
        wanted = _closed(terms, np.array(wanted))
        effort = terms.M @ wanted - terms.Q_bar - np.einsum("kig,ki->g", J, force)
        effort[alone] = 0.0
        wdot = _solved(M + np.diag(self._lent), Q + effort + self._lent * wanted, terms)
        return wdot, effort + self._lent * (wanted - wdot)

    def _depth(self, now: ContactSlopes) -> FloatArray:
        """How deep (S,) spheres are below the floor [m]."""
        return np.asarray(self.contact.height - now.point @ self.contact.normal)

    def _from_the_floor(
        self, t: float, r: FloatArray, terms: JointTerms, now: ContactSlopes, J: FloatArray, depth: FloatArray,
        near: IntArray, square: FloatArray,
    ) -> FloatArray:  # fmt: skip
        """Forces (K, 3) of spheres near the floor that leave the movement least, as far as the floor can give them."""
        edges, count, alone = self._edges[near], len(near), self._moved
        factor = np.linalg.cholesky(np.linalg.inv(square)).T
        given = np.einsum("kig,kei->gke", J[near][:, :, alone], edges).reshape(len(alone), -1)
        rows, wanted = [factor @ given], [factor @ (terms.M[alone] @ r - terms.Q_bar[alone])]
        if self.measured is not None:
            for row, value in self._as_measured(t, now, near, edges):
                rows.append(row)
                wanted.append(value)
        even = EVEN * (1.0 + np.maximum(0.0, -depth[near]) / GAP_M)
        keep = np.zeros((count, 3, count, 4))
        for k in range(count):
            keep[k, :, k] = even[k] * edges[k].T
        rows.append(keep.reshape(3 * count, -1))
        wanted.append(np.zeros(3 * count))
        shares = scipy.optimize.nnls(np.vstack(rows), np.concatenate(wanted))[0]
        force = np.einsum("ke,kei->ki", shares.reshape(-1, 4), edges)
        normal = force @ self.contact.normal
        limit = GROWS * now.force[near] @ self.contact.normal + MORE_N
        return np.asarray(force * np.minimum(1.0, limit / np.maximum(normal, 1e-9))[:, None])

    def _as_measured(
        self, t: float, now: ContactSlopes, near: IntArray, edges: FloatArray
    ) -> list[tuple[FloatArray, FloatArray]]:
        """Rows (6, 4 K) of the load of every foot, about the middle of its spheres, and what plates measured of it."""
        assert self.measured is not None
        force, moment = self.measured.wrenches(t)
        scale, found = self.balance.measured * np.repeat([1.0, REACH], 3), []
        for body in dict.fromkeys(self.numbers[near].tolist()):
            own, mine = np.flatnonzero(self.numbers[near] == body), self.measured.bodies == body
            middle = now.point[near[own]].mean(axis=0)
            row = np.zeros((6, len(near), 4))
            for k in own:
                row[:3, k] = edges[k].T
                row[3:, k] = np.cross(now.point[near[k]] - middle, edges[k]).T
            total = force[mine].sum(axis=0)
            load = np.concatenate([total, moment[mine].sum(axis=0) - np.cross(middle, total)])
            found.append(((scale[:, None, None] * row).reshape(6, -1), scale * load))
        return found


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


def _solved(M: FloatArray, Q: FloatArray, terms: JointTerms) -> FloatArray:
    """ẇ of M ẇ + Jᵀ λ = Q with gliding contacts closed, J ẇ = c."""
    rows, size = len(terms.c), len(Q)
    whole = np.block([[M, terms.J.T], [terms.J, np.zeros((rows, rows))]])
    try:
        return np.asarray(np.linalg.solve(whole, np.concatenate([Q, terms.c]))[:size])
    except np.linalg.LinAlgError as error:
        raise Unsolvable("Some joint moves nothing that has mass.") from error


def track_on_contact(
    tracked: ContactTracked, run: Simulation, recorded: ReferenceMotion, ground: PrescribedLoads
) -> Tracking:
    """A run on contact beside the recorded movement: efforts of joints, resultants of the floor and of recorded loads.

    Resultants stand where the efforts of the root do, which has none: force, and moment about the root's place.
    """
    space, bodies = tracked.space, [body.name for body in tracked.system.bodies]
    found = compared(tracked, run, recorded, together(tracked.loads, ground))
    at = np.searchsorted(run.time_s, found.time_s - SAME_S)
    points, forces = np.empty((2, len(at), len(tracked.contact.spheres), 3))
    effort, wanted = np.array(found.effort), np.array(found.wanted_effort)
    for k, (t, q, qdot) in enumerate(zip(run.time_s[at].tolist(), run.q[at], run.qdot[at], strict=True)):
        points[k], forces[k] = tracked.floor_forces(t, q, qdot)
        J = space.point_motions(q, tracked.numbers, points[k])
        effort[k, :6] = np.einsum("kig,ki->g", J[:, :, :6], forces[k])
        before, rate = recorded.state(t)
        wanted[k, :6] = space.projected(before, ground(t, before, rate))[:6]
    floor = external_loads([bodies[one] for one in tracked.numbers], points, forces, np.zeros_like(forces))
    return replace(found, effort=read_only(effort), wanted_effort=read_only(wanted), floor=floor)
