"""Simulate a body that follows a recorded movement, and tell how well it does and with which efforts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.body.tracking.controllers import Controller, ControlOptions, reference_effort
from biomec.engine.forces.applied import Forces, acting, together, weight
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.forward.formulation import Runaway, State, StepResult
from biomec.engine.forward.integrators import INTEGRATORS, IntegratorOptions
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads, ReferenceMotion, cross_product, shared_change
from biomec.engine.forward.semi_recursive import SemiRecursive
from biomec.engine.forward.simulation import Ending, Simulation, Stepped, Stepper, simulate
from biomec.engine.tree.joint_dynamics import add_wrenches

JOINT_STEPS = {key: one.joint_step for key, one in INTEGRATORS.items() if one.joint_step is not None}
CONSTANT_ACCELERATION = "constant-acceleration"
SAME_S = 1e-9  # times nearer than this are the same: k h is not the sum of k steps h
SAMPLES = 2000  # states at which efforts are compared, at most

WHY = {
    "feed-forward": "Torques from inverse dynamics that are only played back correct no error, and a body on its hands "
    "and feet is unstable like a stick on a finger: the smallest difference grows. Let it follow by computed torque.",
    "proportional-derivative": "Take a smaller step, or another stiffness: gains that suit one joint may shake others.",
    "computed torque": "Take a smaller step or a lower stiffness.",
}
FREE = (
    " Nothing holds the root: recorded forces that do not quite fit the movement carry the body away. Hold the root, "
    "or let the ground reactions be adjusted."
)

PRESSED = (
    " Recorded ground reactions press on as they did, however it gives way: let contact with the floor hold the body, "
    "so that other limbs can take over, or let less be missing."
)
UNRECORDED = " Nothing holds the root but contact with the floor, if there is any: it slides, tilts or bounces."


@dataclass(frozen=True)
class TrackingOptions:
    """How a movement is followed.

    control    : law of control
    integrator : key of one that steps from joint to joint and stays on the constraints, such as "constant-acceleration"
                 (control once a step); or options of an integrator in natural coordinates
    step_s     : [s]
    lost_m, lost_rad : the run ends where the root, or any joint, has left the movement by this much
    """

    control: ControlOptions = field(default_factory=ControlOptions)
    integrator: str | IntegratorOptions = CONSTANT_ACCELERATION
    step_s: float = 1e-3
    lost_m: float = 0.5
    lost_rad: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.integrator, str) and self.integrator not in JOINT_STEPS:
            raise BiomecError(f"Tracking: the integrator is {', '.join(JOINT_STEPS)}, not {self.integrator}.")
        if not (0.0 < self.step_s < np.inf and self.lost_m > 0.0 and 0.0 < self.lost_rad < np.pi):
            raise BiomecError("Tracking: the step and the limits must be positive, that of the joints below π.")


class Evaluation(NamedTuple):
    """What happens in a state: ẇ, q̈, multipliers of gliding contacts, efforts, and what else acts.

    effort : (g,) as applied
    change : (K, 2, 3) forces, and moments about the laboratory's origin, added to the ground reactions
    other  : (n,) generalised forces of everything but the efforts
    """

    wdot: FloatArray
    qddot: FloatArray
    load: FloatArray
    effort: FloatArray
    change: FloatArray
    other: FloatArray


class Tracked:
    """A body that a controller drives, step by step on its constraints; a `Stepper`, and `forces` for any other one.

    ground   : recorded loads
    strength : (g,) what of every effort is really exerted; 1 if not given. The controller knows of it
    passive  : what else acts, such as stops of the joints; the controller knows of it
    """

    def __init__(
        self,
        reference: ReferenceMotion,
        ground: PrescribedLoads | None = None,
        options: TrackingOptions = TrackingOptions(),
        strength: FloatArray | None = None,
        passive: Forces | None = None,
    ) -> None:
        self.reference, self.ground, self.options = reference, ground, options
        self.space: JointSpace = reference.space
        self.system = self.space.system
        self.loads: Forces = together(weight(self.system), *(one for one in (ground, passive) if one is not None))
        self.controller = Controller(reference, self.loads, options.control, strength)
        if options.control.root == "ground" and ground is None:
            raise BiomecError("The ground can hold the body only where loads of hands or feet are given.")
        gravity = np.linalg.norm(self.system.gravity)
        self._up = -self.system.gravity / gravity if gravity > 0.0 else np.array([0.0, 1.0, 0.0])
        self._known: tuple[float, FloatArray, Evaluation] | None = None

    @property
    def title(self) -> str:
        """What a table calls it."""
        return f"tracking, {self.options.control.law}"

    def evaluate(self, t: float, q: FloatArray, qdot: FloatArray) -> Evaluation:
        """Control and accelerations in a state; raises `Runaway` where the movement is lost."""
        if self._known is not None and self._known[1] is q and abs(self._known[0] - t) < SAME_S:
            return self._known[2]
        space, here = self.space, self.reference.at(t)
        other = acting(self.loads, t, q, qdot)
        terms = space.terms(q, qdot, other)
        e = space.deviation(q, here.pose)
        self._refuse_lost(e)
        u = self.controller.effort(t, e, space.rates(q, qdot), terms, here, self._replaced(t, q))
        wdot, load = space.solve(terms, u)
        change, effort = np.zeros((0, 2, 3)), u
        if self.options.control.root == "ground":
            change, moved = self._ground_change(t, q, u[:6])
            other = other + moved
            effort = u - space.projected(q, moved)
            effort[:6] = 0.0
        found = Evaluation(wdot, space.accelerations(q, terms, wdot), load, effort, change, other)
        self._known = (t, q, found)
        return found

    def forces(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """Everything that acts, as generalised forces Q (n,)."""
        found = self.evaluate(t, q, qdot)
        return found.other + self.space.generalised(q, found.effort)

    def start(self, t: float, q: FloatArray, qdot: FloatArray) -> State:
        """State with its accelerations, gliding contacts closed."""
        return self.joint_state(t, np.array(q), self.space.rates(q, qdot))

    def step(self, state: State, h: float) -> StepResult:
        """Take one step of h seconds, from joint to joint."""
        method = self.options.integrator
        return JOINT_STEPS[method if isinstance(method, str) else CONSTANT_ACCELERATION](self, state, h)

    def joint_accelerations(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """ẇ (g,) in a state."""
        return self.evaluate(t, q, qdot).wdot

    def joint_state(self, t: float, q: FloatArray, w: FloatArray) -> State:
        """State at q (n,) with rates w (g,), gliding contacts closed."""
        q, w = self.space.closed(q, w)
        qdot = self.space.velocities(q, w)
        found = self.evaluate(t, q, qdot)
        multipliers = np.full(self.system.m, np.nan)
        multipliers[self.space.loops] = found.load
        return State(t, q, qdot, found.qddot, multipliers)

    def _ground_change(self, t: float, q: FloatArray, root_effort: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Changes (K, 2, 3) of the ground reactions that make the root's efforts (6,) needless, and their Q (n,)."""
        assert self.ground is not None
        tables, bodies = self.space.tables, self.ground.bodies
        s = np.reshape(q, (-1, 4, 3))
        centre = np.einsum("kj,kji->ki", tables.centre[tables.step_of[bodies]], s[bodies])
        root = tables.centre[0] @ s[tables.body[0]]
        wanted = np.concatenate([root_effort[:3], root_effort[3:] + cross_product(root, root_effort[:3])])
        force, moment = shared_change(*self.ground.wrenches(t), centre, self._up, wanted)
        Q = np.zeros(self.system.n)
        add_wrenches(tables, np.array(q), bodies, force, moment, Q)
        return np.stack([force, moment], axis=1), Q

    def _replaced(self, t: float, q: FloatArray) -> FloatArray | None:
        """What changes of the ground reactions for every effort of the root do (g, 6), where a weak joint must know."""
        if self.options.control.root != "ground" or not self.controller.weak.size:
            return None
        one_each = (self._ground_change(t, q, one)[1] for one in np.eye(6))
        return np.stack([self.space.projected(q, Q) for Q in one_each], axis=1)

    def _refuse_lost(self, e: FloatArray) -> None:
        far, turned = float(np.linalg.norm(e[:3])), np.abs(e[3:])
        worst = int(np.argmax(turned))
        if far < self.options.lost_m and turned[worst] < self.options.lost_rad:
            return
        if far >= self.options.lost_m:
            raise Runaway(f"the root is {far:.2f} m away from the movement. {self._why(None)}")
        joint = self._joint(3 + worst)
        raise Runaway(f"{joint} is {np.degrees(turned[worst]):.0f}° away from the movement. {self._why(3 + worst)}")

    def _why(self, lost: int | None) -> str:
        """Why the root, or a freedom, has left the movement, and what helps."""
        control, weak = self.options.control, self.controller.weak
        if lost in self.controller.passive:
            return "Nothing but springs and cuffs of the device hold it, and they are too soft. Make them stiffer."
        free = ""
        if control.root == "free" and control.law != "feed-forward":
            free = FREE if self.ground is not None else UNRECORDED
        if lost in weak and control.law != "feed-forward":
            left = f"{100.0 * self.controller.strength[lost]:.0f} %"
            pressed = PRESSED + free if self.ground is not None else " Let less be missing."
            return f"It was left {left} of its torque, too little for what it has to bear.{pressed}"
        names = dict.fromkeys(self._joint(int(one)) for one in weak)
        weakened = f" Or the torque that is left at {', '.join(names)} is too little for the movement." if names else ""
        return WHY[control.law] + free + weakened

    def _joint(self, freedom: int) -> str:
        return self.space.names[freedom].partition(",")[0]


@dataclass(frozen=True, eq=False)
class Tracking:
    """A simulated movement beside the one it followed. Arrays are read-only, over S compared states.

    simulation  : all states, and how it ended
    names       : (g,) freedoms
    time_s      : (S,)
    deviation   : (S, g) from the simulated to the wanted pose [m], [rad]
    effort      : (S, g) exerted [N], [N m];  wanted_effort : (S, g) of the movement itself, by inverse dynamics
    change      : (S, K, 3) forces added to the ground reactions [N];  segments : (K,) on which they act
    passive     : numbers of freedoms that nothing drives or leads
    floor       : (S, …) loads of the floor, where contact and not a recording gives them. The root's effort is then
                  their resultant, about its place
    """

    simulation: Simulation
    options: TrackingOptions
    names: tuple[str, ...]
    time_s: FloatArray
    deviation: FloatArray
    effort: FloatArray
    wanted_effort: FloatArray
    change: FloatArray
    segments: tuple[str, ...] = field(default=())
    passive: tuple[int, ...] = ()
    floor: ExternalLoads | None = None

    @property
    def completed(self) -> bool:
        """Whether the movement was followed to its end."""
        return self.simulation.ending is Ending.COMPLETED

    @property
    def rms(self) -> dict[str, float]:
        """Root mean squares over time and over all members of a group: what a table of trackers compares.

        Freedoms that nothing drives are in none: they have no torque, and what they should follow is not known.
        """
        led = np.setdiff1d(np.arange(len(self.names)), self.passive)
        error = self.effort - self.wanted_effort
        groups = {
            "root place [m]": self.deviation[:, :3],
            "angles [rad]": self.deviation[:, led[3:]],
            "root force [N]": error[:, :3],
            "root torque [N m]": error[:, 3:6],
            "joint torques [N m]": error[:, led[6:]],
        }
        return {name: float(np.sqrt(np.mean(values**2))) for name, values in groups.items()}


def track(
    reference: ReferenceMotion,
    ground: PrescribedLoads | None = None,
    options: TrackingOptions = TrackingOptions(),
    *,
    strength: FloatArray | None = None,
    passive: Forces | None = None,
    start_s: float | None = None,
    duration_s: float | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Tracking:
    """Simulate a body that follows a movement under recorded loads, from the movement's own state.

    strength : (g,) what of every effort is really exerted
    passive  : what else acts, such as springs of devices
    start_s, duration_s : part of the movement; all of it if not given
    """
    tracked = Tracked(reference, ground, options, strength, passive)
    begin = reference.start_s if start_s is None else start_s
    length = reference.end_s - begin if duration_s is None else duration_s
    length = max(1.0, np.floor(length / options.step_s + 1e-6)) * options.step_s  # not past the end of the movement
    stepper: Stepper = tracked
    if isinstance(options.integrator, IntegratorOptions):
        formulation = SemiRecursive(tracked.system, roots=(tracked.system.bodies[tracked.space.tree.root].name,))
        stepper = Stepped(formulation, tracked.forces, options.integrator)
    run = simulate(
        stepper, *reference.state(begin), length, options.step_s, start_s=begin, progress=progress, cancelled=cancelled
    )
    return compared(tracked, run)


def compared(
    tracked: Tracked, run: Simulation, reference: ReferenceMotion | None = None, loads: Forces | None = None
) -> Tracking:
    """A run beside a movement and its efforts under loads, by default those that it followed."""
    reference, loads, space = reference or tracked.reference, loads or tracked.loads, tracked.space
    every = max(1, -(-len(run.time_s) // SAMPLES))
    chosen = np.arange(0, len(run.time_s), every)
    times = run.time_s[chosen]
    found = [tracked.evaluate(float(run.time_s[k]), run.q[k], run.qdot[k]) for k in chosen]
    return Tracking(
        simulation=run,
        options=tracked.options,
        names=space.names,
        time_s=read_only(times),
        deviation=read_only([space.deviation(run.q[k], reference.at(float(run.time_s[k])).pose) for k in chosen]),
        effort=read_only([one.effort for one in found]),
        wanted_effort=read_only([reference_effort(reference, loads, float(t)) for t in times]),
        change=read_only([one.change[:, 0] for one in found]),
        segments=() if tracked.ground is None else tracked.ground.segments,
        passive=tuple(int(one) for one in tracked.controller.passive),
    )
