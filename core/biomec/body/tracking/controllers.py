"""What the joints must do for a simulated body to follow a movement: three laws of control.

    M ẇ = B u + Q̄(t, q, w)        rates w of the freedoms, efforts u, everything else that acts in Q̄
    e = rotation vectors of C_ref Cᵀ and differences of places,   ė = w_ref − w

    feed-forward             u = u_ref(t), found by inverse dynamics: nothing corrects an error
    proportional-derivative  u = u_ref(t) + K_D ė + K_P e                                  [Mouzo2018] Eq. 3.2
    computed torque          u so that ẇ = r = ẇ_ref + c_D ė + c_P e of what is followed   [Mouzo2018] Eqs. 3.3, 3.4
                             D ẇ = r with P = D M⁻¹ B:   P u = r − D M⁻¹ Q̄                  [Mouzo2018] Eqs. 3.6-3.11

c_D = 2 √c_P damps critically. All freedoms actuated, u = M r − Q̄. As many followed as actuated (a set s, the rest o):
u = (M_ss − M_so M_oo⁻¹ M_os) r − (Q̄_s − M_so M_oo⁻¹ Q̄_o). More followed than actuated: weighted least squares, by
orthogonal factors. Gains of the proportional-derivative law are tuned joint by joint, once: K_P = c_P m_j + 3
max|u_ref|, with the least inertia m_j that the joint feels while all others are free. The second part is there because
a torque of the size u that is turned by the error of an attitude is like a spring of the stiffness −u. Gliding contacts
are left no load: their share of a torque is the joint's, as in inverse dynamics.

Hinges of devices that nobody moves are in the rest o: they follow their springs, and what they do to the limbs is in
M_so M_oo⁻¹ (…). Leaving them out of M̄ altogether would forget it.

A weakened joint exerts a share s of what the law wants of it, and no other effort is wrong because of that: the torque
that is left is known, so it belongs to Q̄, and the others are computed for a joint that moves as it can. With τ = s u of
the weak freedoms, Eqs. 3.6-3.11 are solved again without them in B and D and with τ in Q̄. So only the weakened joint
leaves the movement: all held but one, m ë + … = −(1 − s) u, at rest e = (1 − s)/s · u₀/(c_P m) under a load of u₀.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.engine.forces.applied import Forces
from biomec.engine.forward.formulation import Unsolvable
from biomec.engine.forward.joint_space import JointSpace, JointTerms
from biomec.engine.forward.reference_motion import Reference, ReferenceMotion

LAWS = ("feed-forward", "proportional-derivative", "computed torque")
ROOTS = ("held", "free", "ground")
TURNED = 3.0  # stiffness against torques that an error turns, in units of the largest one
FRAME_S = 0.01  # at which inverse dynamics feeds a simulation forward


@dataclass(frozen=True)
class ControlOptions:
    """How a simulated body follows a movement.

    law       : "feed-forward", "proportional-derivative" or "computed torque"
    root      : "held": a force and a torque hold the root too, and are reported as the residual
                "free": nothing but the recorded loads holds the body; joints only are actuated
                "ground": the root needs nothing, because the ground reactions are changed by as much, shared among the
                contacts by the load they bear
    stiffness : c_P [1/s²];  damping : c_D [1/s], 2 √c_P if not given
    followed  : names of joints, or of single freedoms, that the computed torque follows; all joints if none is named,
                and the root where it is held
    weights   : freedom or joint -> weight where more is followed than actuated; 1 if not given
    passive   : joints that nothing drives, such as hinges of an orthosis: they are not followed, and move as what acts
                on them has it
    """

    law: str = "computed torque"
    root: str = "held"
    stiffness: float = 1e3
    damping: float | None = None
    followed: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    passive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.law not in LAWS or self.root not in ROOTS:
            raise BiomecError(
                f"Control: the law is {', '.join(LAWS)} and the root {', '.join(ROOTS)}, not "
                f'"{self.law}" and "{self.root}".'
            )
        if not (0.0 < self.stiffness < np.inf and (self.damping is None or 0.0 <= self.damping < np.inf)):
            raise BiomecError("Control: the stiffness must be positive, and the damping not negative.")
        if not all(0.0 < one < np.inf for one in self.weights.values()):
            raise BiomecError("Control: weights must be positive.")
        if self.followed and (self.law != "computed torque" or self.root == "ground"):
            raise BiomecError(
                "Control: what is followed can be chosen for the computed torque with a held or free root."
            )
        object.__setattr__(self, "followed", tuple(self.followed))
        object.__setattr__(self, "passive", tuple(self.passive))
        object.__setattr__(self, "weights", FrozenDict(dict(self.weights)))

    @property
    def c_D(self) -> float:
        """Damping in use [1/s]."""
        return 2.0 * float(np.sqrt(self.stiffness)) if self.damping is None else self.damping


class Controller:
    """A law of control for a movement under given loads; keeps what it has prepared, and no state.

    loads    : everything that acts but the efforts, gravity included
    strength : (g,) what of every effort is really exerted; 1 if not given
    """

    def __init__(
        self,
        reference: ReferenceMotion,
        loads: Forces,
        options: ControlOptions = ControlOptions(),
        strength: FloatArray | None = None,
    ) -> None:
        self.space: JointSpace = reference.space
        self.reference, self.loads, self.options = reference, loads, options
        actuated = np.ones(self.space.size, dtype=bool)
        actuated[:6] = options.root != "free"
        self.passive: IntArray = self.space.indices(options.passive)
        actuated[self.passive] = False
        self.actuated: IntArray = np.flatnonzero(actuated)
        self.followed: IntArray = self.space.indices(options.followed) if options.followed else self.actuated
        if len(set(self.followed)) != len(self.followed):
            raise BiomecError("Control: something is followed twice.")
        if options.law == "computed torque" and len(self.followed) < len(self.actuated):
            raise BiomecError(
                f"Control: {len(self.followed)} freedoms are followed by {len(self.actuated)} efforts, which leaves "
                "some of them undecided. Follow more."
            )
        self.strength = np.ones(self.space.size) if strength is None else np.asarray(strength, dtype=np.float64)
        self.weak: IntArray = np.flatnonzero(self.strength < 1.0)
        weights = np.ones(self.space.size)
        for name, weight in options.weights.items():
            weights[self.space.indices([name])] = weight
        self._root_weight = np.sqrt(weights)
        if options.law != "computed torque":
            self._prepare()

    def _prepare(self) -> None:
        """Efforts of the movement by inverse dynamics at frames, with splines between them, and inertias."""
        reference, count = self.reference, max(6, round(self.reference.duration_s / FRAME_S) + 1)
        times = np.linspace(reference.start_s, reference.end_s, count)
        efforts = np.array([reference_effort(reference, self.loads, float(t)) for t in times])
        self._feed = scipy.interpolate.CubicSpline(times, efforts)
        q, qdot = reference.state(reference.start_s)
        M = self.space.terms(q, qdot, self.loads(reference.start_s, q, qdot)).M
        mobility, c_P = np.linalg.inv(M), self.options.stiffness
        damping = self.options.c_D / np.sqrt(c_P)  # 2 ζ
        self._K_P, self._K_D = np.empty((2, self.space.size))
        for part in self.space.freedoms.values():
            for block in (slice(0, 3), slice(3, 6)) if part.start == 0 else (part,):
                inertia = 1.0 / np.linalg.eigvalsh(mobility[block, block]).max()
                turned = 0.0 if block.start == 0 else TURNED * float(np.abs(efforts[:, block]).max())
                self._K_P[block] = c_P * inertia + turned
                self._K_D[block] = damping * np.sqrt(self._K_P[block] * inertia)

    def effort(
        self,
        t: float,
        e: FloatArray,
        w: FloatArray,
        terms: JointTerms,
        here: Reference,
        replaced: FloatArray | None = None,
    ) -> FloatArray:
        """Efforts u (g,) in a state with the errors e (g,) and rates w (g,); of the root too, unless it is free.

        replaced : (g, 6) where ground reactions replace the efforts of the root: what these do in every freedom. Then u
                   holds both, and a joint exerts u − replaced u_root
        """
        c_P, c_D = self.options.stiffness, self.options.c_D
        u, wanted = np.zeros(self.space.size), here.wdot + c_D * (here.w - w) + c_P * e
        computed = self.options.law == "computed torque"
        if computed:
            u[self.actuated] = self.computed(terms.M, terms.Q_bar, wanted, self.actuated, self.followed)
        else:
            inside = min(max(t, self.reference.start_s), self.reference.end_s)
            u[self.actuated] = self._feed(inside)[self.actuated]
        if self.options.law == "proportional-derivative":
            u[self.actuated] += (self._K_D * (here.w - w) + self._K_P * e)[self.actuated]
        if not self.weak.size:
            return u
        weak, strength = self.weak, self.strength[self.weak]
        left = strength * u[weak]
        missing = np.zeros((len(weak), 6)) if replaced is None else (1.0 - strength)[:, None] * replaced[weak]
        if computed:
            strong, followed = (one[~np.isin(one, weak)] for one in (self.actuated, self.followed))
            M, Q = terms.M.copy(), terms.Q_bar.copy()
            M[weak] -= missing @ terms.M[:6]
            Q[weak] += left - missing @ terms.Q_bar[:6]
            u[strong] = self.computed(M, Q, wanted, strong, followed)
        u[weak] = left + missing @ u[:6]  # s (u − replaced u_root) exerted, and what the ground does
        return u

    def computed(
        self, M: FloatArray, Q: FloatArray, wanted: FloatArray, on: IntArray, followed: IntArray
    ) -> FloatArray:
        """Efforts of the freedoms ``on``, with which those followed have the wanted accelerations (g,)."""
        r = wanted[followed]
        if len(on) == len(M) and len(followed) == len(on):
            return np.asarray(M[on] @ wanted - Q[on])
        if np.array_equal(followed, on):
            rest = np.setdiff1d(np.arange(len(M)), on)
            through = _solved(M[np.ix_(rest, rest)], np.column_stack([M[np.ix_(rest, on)], Q[rest]]))
            left = M[np.ix_(on, on)] @ r - Q[on]
            return np.asarray(left - M[np.ix_(on, rest)] @ (through[:, :-1] @ r - through[:, -1]))
        inverse = _solved(M, np.column_stack([np.eye(len(M))[:, on], Q]))[followed]
        P, left = inverse[:, :-1], r - inverse[:, -1]
        if len(followed) == len(on):
            try:
                return np.asarray(np.linalg.solve(P, left))
            except np.linalg.LinAlgError as error:
                raise Unsolvable("What is followed does not decide the efforts. Follow something else.") from error
        weight = self._root_weight[followed]
        return np.asarray(scipy.linalg.lstsq(weight[:, None] * P, weight * left, lapack_driver="gelsy")[0])


def _solved(M: FloatArray, B: FloatArray) -> FloatArray:
    """M⁻¹ B for a mass matrix M, or one whose rows are combined."""
    try:
        return np.asarray(np.linalg.solve(M, B))
    except np.linalg.LinAlgError as error:
        raise Unsolvable("The mass matrix is singular: some joint moves nothing.") from error


def reference_effort(reference: ReferenceMotion, loads: Forces, t: float) -> FloatArray:
    """Efforts (g,) of the movement itself at a time, by inverse dynamics: u = M ẇ − Q̄; of the root, the residual."""
    space, here = reference.space, reference.at(t)
    q = space.coordinates(here.pose)
    qdot = space.velocities(q, here.w)
    terms = space.terms(q, qdot, loads(t, q, qdot))
    return np.asarray(terms.M @ here.wdot - terms.Q_bar)
