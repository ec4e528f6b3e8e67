"""A body whose muscles follow a recorded movement: computed muscle control [ThelenAnderson2006].

Every Δ the state after Δ is foreseen, as far from the movement as now and drifting on, and with it the efforts that
then lead back,

    u = M (ẇ_ref + c_D (w_ref − w) + c_P e) − Q̄

and in the freedoms that muscles turn they are shared among the forces that each muscle can reach by then, between its
least and its greatest excitation (`biomec.engine.forces.muscle_targets`):

    min Σ ((F_m − Fpas_m)/Fopt_m)² + Σ (τ_k/τ₀)²   with   Σ r_mk F_m + τ_k = u_k

so that the cost is that of load sharing, activations as with a rigid tendon. Excitations that make these forces stay
for Δ; the reserve torques τ that no muscle can give are reached in a straight line. All other freedoms, the root among
them, are led by computed torque; what holds the root is the residual of the recorded ground reactions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.body.muscles.fitting import FittedMuscles
from biomec.body.muscles.newton_qp import Costs
from biomec.body.muscles.rows import GUIDED
from biomec.body.muscles.sharing import SharingProblem, share
from biomec.body.tracking.controllers import Controller, ControlOptions, reference_effort
from biomec.engine.forces.applied import Forces, together, weight
from biomec.engine.forces.hill_muscle import rigid_tendon
from biomec.engine.forces.muscle_targets import excitations_for, fibres_at_force, forces_after
from biomec.engine.forces.muscles import HillMuscles, MuscleHistory, MuscleOptions, PathState
from biomec.engine.forward.formulation import Formulation, State, StepResult, Unsolvable
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads, ReferenceMotion
from biomec.engine.forward.semi_recursive import SemiRecursive
from biomec.engine.forward.simulation import Ending, Simulation, Stepped, simulate
from biomec.engine.tree.recursion import SPHERICAL

LEAST_ARM = 2e-3  # [m]: a freedom about which no muscle has a longer arm is not turned by muscles
WEAKEST = 0.05  # of Fmax: a muscle that could give less counts as if it could give that
HALVINGS = 4  # of a step that does not settle
SAME_S = 1e-9


@dataclass(frozen=True)
class MuscleTrackingOptions:
    """How muscles follow a movement.

    interval_s : Δ [s];  step_s : of the integrator [s], of which a whole number makes Δ
    stiffness  : c_P [1/s²];  damping : c_D [1/s], 2 √c_P if not given
    lowest     : least excitation and activation
    reserve_Nm : τ₀: a reserve that costs as much as a muscle at its full force
    muscles    : tendons and curves
    passive    : joints that nothing drives (`ControlOptions`)
    """

    interval_s: float = 0.005
    step_s: float = 1e-3
    stiffness: float = 400.0
    damping: float | None = None
    lowest: float = 0.01
    reserve_Nm: float = 1.0
    muscles: MuscleOptions = field(default_factory=lambda: MuscleOptions(rigid_below=1.0))
    passive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (0.0 < self.step_s <= self.interval_s < np.inf and self.reserve_Nm > 0.0 and 0.0 <= self.lowest < 1.0):
            raise BiomecError(
                "Muscles that follow a movement: the interval must be at least a step, reserves must cost something, "
                "and the least excitation lies between 0 and 1."
            )


@dataclass(frozen=True, eq=False)
class MusclePlan:
    """What is decided at a time for the next Δ: excitations (M,), reserves and efforts wanted (K,) [N m], status."""

    t: float
    excitation: FloatArray
    reserve: FloatArray
    wanted: FloatArray
    status: int


@dataclass(frozen=True, eq=False)
class MuscleTracking:
    """A movement that muscles have followed. Arrays are read-only, over S states and C decisions.

    simulation : all states, and how it ended;  names : (g,) freedoms
    time_s     : (S,);  deviation : (S, g) from the simulated to the wanted pose [m], [rad]
    muscles    : what they did, (S, M)
    rows       : (K,) freedoms that muscles turn;  control_s : (C,)
    excitation : (C, M);  wanted, reserve : (C, K) [N m]
    status     : (C,) as in `biomec.body.muscles.sharing.STATUS_WORDS`
    """

    simulation: Simulation
    names: tuple[str, ...]
    time_s: FloatArray
    deviation: FloatArray
    muscles: MuscleHistory
    rows: tuple[str, ...]
    control_s: FloatArray
    excitation: FloatArray
    wanted: FloatArray
    reserve: FloatArray
    status: IntArray

    @property
    def completed(self) -> bool:
        """Whether the movement was followed to its end."""
        return self.simulation.ending is Ending.COMPLETED

    @property
    def row_deviation(self) -> FloatArray:
        """(S, K) deviation of the freedoms that muscles turn [rad]."""
        return np.asarray(self.deviation[:, [self.names.index(name) for name in self.rows]])


class MuscleControl:
    """Muscles and computed efforts that lead a body along a movement: `InnerForces` with the states of the muscles.

    loads : everything else that acts
    """

    def __init__(
        self,
        reference: ReferenceMotion,
        loads: Forces,
        fitted: FittedMuscles,
        options: MuscleTrackingOptions = MuscleTrackingOptions(),
    ) -> None:
        self.reference, self.loads, self.options = reference, loads, options
        self.space: JointSpace = reference.space
        self.plan: MusclePlan | None = None
        self.plans: list[MusclePlan] = []
        self.fitted = fitted
        self.muscles = HillMuscles(
            self.space.system, fitted.cords, fitted.hill, self._held, options.muscles, angles=fitted.source_angles
        )
        self._law = Controller(reference, loads, ControlOptions(stiffness=options.stiffness, damping=options.damping))
        self.rows: IntArray = self._turned()
        led = np.setdiff1d(np.arange(self.space.size), self.space.indices(options.passive))
        self._others: IntArray = np.setdiff1d(led, self.rows)

    @property
    def size(self) -> int:
        """Number of states."""
        return self.muscles.size

    @property
    def row_names(self) -> tuple[str, ...]:
        """Freedoms that muscles turn."""
        return tuple(self.space.names[k] for k in self.rows)

    def start(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """States in which the muscles share the efforts of the movement, as with rigid tendons."""
        path = self.muscles.path(q, qdot)
        rigid = rigid_tendon(self.muscles.muscles, path.length, path.speed, self.muscles.curves)
        low = self.options.lowest * rigid.optimum[0] + rigid.passive[0]
        x, _, _ = self._shared(path, q, low, rigid.optimum[0] + rigid.passive[0], reference_effort(
            self.reference, self.loads, t))  # fmt: skip
        a = np.clip((x - rigid.passive[0]) / np.maximum(rigid.optimum[0], 1e-9), self.options.lowest, 1.0)
        fibre = np.where(self.muscles.elastic, fibres_at_force(self.muscles, path.length[0], x), rigid.fibre_length[0])
        return np.concatenate([a, fibre, np.zeros(2)])

    def rates(self, t: float, q: FloatArray, qdot: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Q (n,) of muscles, reserves and of the efforts that lead all other freedoms, and ẏ."""
        space = self.space
        Q, rate = self.muscles.rates(t, q, qdot, y)
        u = np.zeros(space.size)
        u[self.rows] = self.reserve(t)
        Q = Q + space.generalised(q, u)
        terms = space.terms(q, qdot, self.loads(t, q, qdot) + Q)
        here = self.reference.at(t)
        wanted = here.wdot + self._back(q, qdot, t)
        lead = np.zeros(space.size)
        lead[self._others] = self._law.computed(terms.M, terms.Q_bar, wanted, self._others, self._others)
        return Q + space.generalised(q, lead), rate

    def decide(self, t: float, q: FloatArray, qdot: FloatArray, y: FloatArray) -> MusclePlan:
        """Excitations and reserves for the next interval, which hold from now on."""
        ahead, space, control = self.options.interval_s, self.space, self._law.options
        then = min(t + ahead, self.reference.end_s)  # at its end the movement is not known any further
        here, there = self.reference.at(t), self.reference.at(then)
        slow = here.w - space.rates(q, qdot)
        e = space.deviation(q, here.pose) + ahead * slow  # then, if nothing is done
        next_q = space.moved(space.coordinates(there.pose), -e)
        next_qdot = space.velocities(next_q, there.w - slow)
        terms = space.terms(next_q, next_qdot, self.loads(then, next_q, next_qdot))
        u = terms.M @ (there.wdot + control.c_D * slow + control.stiffness * e) - terms.Q_bar
        path, next_path = self.muscles.path(q, qdot), self.muscles.path(next_q, next_qdot)
        length, speed = path.length[0], path.speed[0]
        course = (self.muscles, y, length, speed, (next_path.speed[0] - speed) / ahead, ahead)
        ones = np.ones(self.muscles.count)
        least, most = (forces_after(*course, level * ones) for level in (self.options.lowest, 1.0))
        target, reserve, status = self._shared(next_path, next_q, least, most, u)
        excitation = excitations_for(*course, target, self.options.lowest)
        self.plan = MusclePlan(t, excitation, reserve, u[self.rows], status)
        self.plans.append(self.plan)
        return self.plan

    def _held(self, t: float) -> FloatArray:
        return np.full(self.muscles.count, self.options.lowest) if self.plan is None else self.plan.excitation

    def reserve(self, t: float) -> FloatArray:
        """Reserves (K,) [N m], which go in a straight line from one decision to the next."""
        k = int(np.searchsorted([plan.t for plan in self.plans], t + SAME_S)) - 1
        if k < 0:
            return np.zeros(len(self.rows))
        before, plan = self.plans[max(k - 1, 0)].reserve, self.plans[k]
        share = min(max((t - plan.t) / self.options.interval_s, 0.0), 1.0)
        return np.asarray((1.0 - share) * before + share * plan.reserve)

    def _back(self, q: FloatArray, qdot: FloatArray, t: float) -> FloatArray:
        """c_D (w_ref − w) + c_P e (g,)."""
        here, control = self.reference.at(t), self._law.options
        e = self.space.deviation(q, here.pose)
        return np.asarray(control.c_D * (here.w - self.space.rates(q, qdot)) + control.stiffness * e)

    def _shared(
        self, path: PathState, q: FloatArray, least: FloatArray, most: FloatArray, effort: FloatArray
    ) -> tuple[FloatArray, FloatArray, int]:
        """Forces (M,) between the least and most, reserves (K,), and the status of the programme."""
        K, count = len(self.rows), self.muscles.count
        rigid = rigid_tendon(self.muscles.muscles, path.length, path.speed, self.muscles.curves)
        able, passive = np.maximum(rigid.optimum[0], WEAKEST * self.muscles.muscles.fmax), rigid.passive[0]
        arms = self._arms(path, q)[:, self.rows]
        columns = np.concatenate([able[:, None] * arms, np.eye(K)])
        free = np.full(K, np.inf)
        costs = Costs(
            np.full(count + K, 2), np.concatenate([np.ones(count), np.full(K, self.options.reserve_Nm**-2)]),
            np.zeros((1, count + K)), np.zeros((1, count + K)),
            np.concatenate([(least - passive) / able, -free])[None],
            np.concatenate([(np.maximum(least, most) - passive) / able, free])[None],
        )  # fmt: skip
        found = share(SharingProblem(columns[None], (effort[self.rows] - passive @ arms)[None], costs, reserves=count))
        if not np.isfinite(found.x).all():
            raise Unsolvable("the efforts of this moment could not be shared among the muscles.")
        return passive + able * found.x[0, :count], np.asarray(found.x[0, count:]), int(found.status[0])

    def _arms(self, path: PathState, q: FloatArray) -> FloatArray:
        """Efforts (M, g) of unit tensions [m]."""
        ones = np.eye(self.muscles.count)
        return np.array([self.space.projected(q, self.muscles.generalised(path, one)) for one in ones])

    def _turned(self) -> IntArray:
        """Freedoms that muscles turn somewhere in the movement, without those of the root."""
        reference = self.reference
        largest = np.zeros(self.space.size)
        for t in np.linspace(reference.start_s, reference.end_s, 5):
            state = reference.state(float(t))
            largest = np.maximum(largest, np.abs(self._arms(self.muscles.path(*state), state[0])).max(axis=0))
        largest[:6] = 0.0
        largest[self._guided()] = 0.0
        largest[self.space.indices(self.options.passive)] = 0.0
        if not (largest > LEAST_ARM).any():
            raise BiomecError("None of these muscles turns a joint of this model, so that they can follow nothing.")
        return np.flatnonzero(largest > LEAST_ARM)

    def _guided(self) -> IntArray:
        """Freedoms that bones and ligaments bear, where a model leaves a knee, an ankle, an elbow or a wrist a ball.

        Axes of the distal segment (`GUIDED`) count as those of the proximal one: freedoms are about these.
        """
        sides, bodies, found = self.space.sides, self.space.system.bodies, []
        for k, part in enumerate(self.space.freedoms.values()):
            ends = tuple(bodies[int(side[k])].name.split()[-1] for side in (sides.proximal, sides.distal))
            if self.space.tables.kind[k] == SPHERICAL and ends in GUIDED:
                turned = {axis for _, axis in GUIDED[ends]}
                found += [part.start + axis for axis in range(3) if axis not in turned]
        return np.array(found, dtype=np.int64)


class ControlledSteps(Stepped):
    """Steps that decide anew at every interval of a control."""

    def __init__(
        self, control: MuscleControl, integrator: IntegratorOptions, formulation: Formulation | None = None
    ) -> None:
        if formulation is None:
            root = control.space.system.bodies[control.space.tree.root].name
            formulation = SemiRecursive(control.space.system, roots=(root,), stabilised=True)
        super().__init__(formulation, control.loads, integrator, control)
        self._control = control
        self._next = -np.inf

    def step(self, state: State, h: float) -> StepResult:
        """Take one step of h seconds, with a new decision where it is time for one."""
        if state.t > self._next - SAME_S:
            n = self.system.n
            self._control.decide(state.t, state.q[:n], state.qdot[:n], state.qdot[n:])
            self._next = state.t + self._control.options.interval_s
            state = self.start(state.t, state.q, state.qdot)
        return self._settled(state, h, HALVINGS)

    def _settled(self, state: State, h: float, halvings: int) -> StepResult:
        """A step, in halves where its corrector does not settle: light hands on strong muscles are quick."""
        found = super().step(state, h)
        if found.converged or halvings == 0:
            return found
        first = self._settled(state, 0.5 * h, halvings - 1)
        if not first.converged:
            return first
        second = self._settled(first.state, 0.5 * h, halvings - 1)
        return second._replace(iterations=first.iterations + second.iterations)


def track_by_muscles(
    reference: ReferenceMotion,
    ground: PrescribedLoads | None,
    fitted: FittedMuscles,
    options: MuscleTrackingOptions = MuscleTrackingOptions(),
    *,
    passive: Forces | None = None,
    start_s: float | None = None,
    duration_s: float | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> MuscleTracking:
    """Let muscles follow a movement under recorded loads, from the movement's own state.

    ground  : recorded loads;  passive : what else acts, such as stops of the joints
    start_s, duration_s : part of the movement; all of it if not given
    """
    loads = together(weight(reference.space.system), *(one for one in (ground, passive) if one is not None))
    control = MuscleControl(reference, loads, fitted, options)
    begin = reference.start_s if start_s is None else start_s
    whole = reference.end_s - begin if duration_s is None else duration_s
    steps = max(1, round(options.interval_s / options.step_s))
    step = options.interval_s / steps
    count = max(1, int(np.floor(whole / step + 1e-6)))
    run = simulate(
        ControlledSteps(control, IntegratorOptions("trapezoidal")), *reference.state(begin), count * step, step,
        start_s=begin, progress=progress, cancelled=cancelled,
    )  # fmt: skip
    plans = control.plans
    return MuscleTracking(
        simulation=run,
        names=reference.space.names,
        time_s=run.time_s,
        deviation=read_only(
            [reference.space.deviation(q, reference.at(float(t)).pose) for t, q in zip(run.time_s, run.q, strict=True)]
        ),
        muscles=control.muscles.history(run.time_s, run.q, run.qdot, run.inner),
        rows=control.row_names,
        control_s=read_only([one.t for one in plans]),
        excitation=read_only([one.excitation for one in plans]),
        wanted=read_only([one.wanted for one in plans]),
        reserve=read_only([one.reserve for one in plans]),
        status=read_only([one.status for one in plans], np.int64),
    )
