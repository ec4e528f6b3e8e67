"""A simulation made ready: what moves the body, by which equations, with which steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.base.progress import Progress
from biomec.body.anatomy.changed_springs import SpringChange, changed_springs
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.muscles.fitting import fit_muscles
from biomec.body.muscles.set_file import load_muscle_set
from biomec.body.tracking.controllers import ControlOptions
from biomec.body.tracking.foot_contact import IdentificationOptions
from biomec.body.tracking.joint_ranges import load_joint_ranges, stops_of
from biomec.body.tracking.limb_contact import fitted_contact
from biomec.body.tracking.muscle_tracking import ControlledSteps, MuscleControl, MuscleTrackingOptions
from biomec.body.tracking.tracking import CONSTANT_ACCELERATION, Tracked, TrackingOptions
from biomec.body.tracking.what_if import changed_loads, changed_system, shoulder_line, strengths
from biomec.engine.forces.applied import Forces, recorded, together
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.forces.ground_contact import GroundContact
from biomec.engine.forces.joint_stops import JointStops
from biomec.engine.forces.muscles import MuscleOptions
from biomec.engine.forces.springs import springs
from biomec.engine.forward.integrators import Steps
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads, reference_motion
from biomec.engine.forward.simulation import Simulation, Stepper, simulate
from biomec.engine.forward.variable_step import ErrorControl, simulate_adaptive, simulate_to_tolerance
from biomec.engine.system import System
from biomec.pipeline.analysis import Analysis, run_first
from biomec.pipeline.settings import MuscleSettings
from biomec.pipeline.simulation_settings import CONTACT, FEET, LAWS, MUSCLES, SimulationSettings
from biomec.pipeline.stretch import SimulationStretch, simulated_stretch
from biomec.pipeline.walking_contact import TRIES, WalkingContact, refuse_incomplete, walking_contact

RANGES = "aaos"  # published ranges of the joint angles
RATIO = 100.0  # [1/s] of the errors allowed in velocities and in positions, in a step of variable length
LACKING = {
    "held": "What they lack now is in the residual at the root; with an underactuated body the ground provides it.",
    "free": "Nothing provides what they lack now, and the body leaves the movement; with an underactuated body the "
    "ground provides it, and contact answers to the body as it is.",
}
"""What holds the root -> what becomes of reactions that do not fit a changed body."""
STABLE = 2.0  # c_D h, beyond which explicit steps of ë + c_D ė + c_P e = 0 grow, and corrections do not settle
CONTACT_MS = {False: 1.0, True: 0.25}  # longest steps in which friction does not shake: as it is, with weakened joints
DECIDE_S = 5e-3  # between two decisions of muscles
LEAST_EXCITED = 0.01
RELATIVE = 0.1  # of the absolute tolerance of scipy's integrators to the relative one


@dataclass(frozen=True, eq=False)
class Setup:
    """A simulation that is ready to run.

    system            : with what is different from the recording
    time_s            : (F,) of the stretch [s]
    q, qdot, qddot    : (F, n) recorded motion
    external          : what the ground does to the body in the stretch; None where inverse dynamics has not run
    tracked           : the body with its controller, where it follows the movement
    stops             : of the joint angles, where they are asked for
    contact           : of hands and feet with the floor, where that holds the body
    walking           : the walk on identified contact of its feet, where that holds the body
    control           : muscles and what excites them, where they follow the movement
    forces            : everything that acts
    step_s            : [s], fitted to the frames
    """

    settings: SimulationSettings
    body: SubjectModel
    system: System
    roots: tuple[str, ...]
    stretch: SimulationStretch
    rate_hz: float
    time_s: FloatArray
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    external: ExternalLoads | None
    tracked: Tracked | None
    stops: JointStops | None
    contact: GroundContact | None
    control: MuscleControl | None
    forces: Forces
    step_s: float
    notices: tuple[Notice, ...]
    walking: WalkingContact | None = None

    @property
    def words(self) -> str:
        """Formulation, integrator and step, as a table calls them."""
        settings = self.settings
        order = f" of order {settings.order_words}" if settings.order_words else ""
        step = "" if self.adapts else f", {1e3 * self.step_s:.4g} ms"
        return f"{settings.formulation_kind.name}; {settings.integrator_kind.name}{order}{step}"

    @property
    def adapts(self) -> bool:
        """Whether steps have a variable length."""
        return not self.settings.equal_steps

    def run(
        self, progress: Progress | None, cancelled: Callable[[], bool] | None
    ) -> tuple[Simulation, tuple[Notice, ...]]:
        """Simulate the stretch from its first state, and say what was found on the way."""
        if self.walking is not None:
            start, duration = float(self.time_s[0]), float(self.time_s[-1] - self.time_s[0])
            return self.walking.run(start, duration, progress, cancelled)
        return self._run(progress, cancelled), ()

    def _run(self, progress: Progress | None, cancelled: Callable[[], bool] | None) -> Simulation:
        settings, integrator = self.settings, self.settings.integrator_kind
        start, duration = float(self.time_s[0]), float(self.time_s[-1] - self.time_s[0])
        q, qdot = self.q[0], self.qdot[0]
        if self.tracked is not None:
            q, qdot = self.tracked.reference.state(start)
        if integrator.steps is Steps.SCIPY:
            formulation = settings.formulation_kind.accelerations(self.system, settings.equations, self.roots)
            return simulate_to_tolerance(
                formulation, self.forces, q, qdot, duration, method=integrator.method,
                rtol=settings.error, atol=RELATIVE * settings.error, longest_s=1.0 / self.rate_hz, start_s=start,
                progress=progress, cancelled=cancelled,
            )  # fmt: skip
        stepper = self._stepper()
        if integrator.steps is Steps.ADAPTED:
            control = ErrorControl(
                position=settings.error, velocity=RATIO * settings.error,
                first_s=min(self.step_s, 1.0 / self.rate_hz), most_s=1.0 / self.rate_hz,
            )  # fmt: skip
            return simulate_adaptive(
                stepper, q, qdot, duration, control, start_s=start, progress=progress, cancelled=cancelled
            )
        return simulate(stepper, q, qdot, duration, self.step_s, start_s=start, progress=progress, cancelled=cancelled)

    def _stepper(self) -> Stepper:
        settings = self.settings
        if self.control is not None:
            formulation = settings.formulation_kind.accelerations(self.system, settings.equations, self.roots)
            return ControlledSteps(self.control, settings.integrator_options(), formulation)
        if settings.integrator_kind.steps is Steps.JOINT and self.tracked is not None:
            return self.tracked
        return settings.formulation_kind.stepper(
            self.system, self.forces, settings.equations, settings.integrator_options(), self.roots
        )


def set_up(analysis: Analysis, settings: SimulationSettings, progress: Progress | None = None) -> Setup:
    """Make a simulation ready, or say what it lacks; ``progress`` of what takes time, which is to identify contact."""
    needed = "loads" if settings.follows else "motion"
    if not analysis.is_current(needed):
        raise BiomecError(f"{run_first(needed)[:-1]}: a simulation needs its result.")
    stretch = simulated_stretch(analysis, settings)
    body, rate = analysis.body.person, analysis.signals.trial.rate_hz
    reduced = analysis.loads.reduced if analysis.is_current("loads") else None
    # the forces belong to the motion and the masses that a reduction has changed
    motion, recorded_body = (analysis.motion, body.system) if reduced is None else (reduced, reduced.tree.system)
    q, qdot, qddot = (level[stretch.part] for level in (motion.q, motion.qdot, motion.qddot))
    time_s = np.arange(stretch.first, stretch.last + 1) / rate
    system = changed_system(recorded_body, settings.what_if)
    root = analysis.settings.loads.root
    roots = tuple(body.model.roots) if root is None else (root,)
    external = _part(analysis.loads.external, stretch.part) if analysis.is_current("loads") else None
    tracked: Tracked | None = None
    contact = walking = None
    stops = JointStops(system, stops_of(body, load_joint_ranges(RANGES))) if settings.joint_stops else None
    if settings.follows:
        assert external is not None
        external = changed_loads(external, settings.what_if, shoulder_line(system, q))
        if settings.root == CONTACT:
            contact = fitted_contact(system, q, external)
    changes = {name: SpringChange(factor, factor) for name, factor in settings.what_if.springs.items()}
    body = changed_springs(body, changes) if changes else body
    devices = springs(system, body.elements) if body.elements else None
    _refuse_step(settings, float(time_s[-1] - time_s[0]))
    step_s = _fitted(settings.chosen_step_s, rate, len(time_s) - 1)
    if settings.root == FEET:
        refuse_incomplete(body, analysis.body.subject.mass_kg)
        walking = walking_contact(
            recorded_body, system, roots, (motion.q, motion.qdot), analysis.loads.external, rate, stretch.part,
            settings.stiffness, step_s, IdentificationOptions(seed=settings.seed), _all_of(stops, devices),
            body.passive_joints, progress,
        )  # fmt: skip
        contact, tracked = walking.contact, walking.walker(TRIES[0])
    elif settings.follows:
        assert external is not None
        acting = _all_of(stops, contact, devices)
        tracked = _tracked(system, roots, time_s, q, external, settings, acting, body.passive_joints)
    control = None
    if settings.input == MUSCLES and tracked is not None:
        control = _controlled(body, tracked, settings, analysis.settings.muscles, step_s)
    return Setup(
        settings, body, system, roots, stretch, rate, time_s, q, qdot, qddot, external, tracked, stops,
        contact, control,
        recorded(time_s, np.asarray(system.mass_matrix @ qddot.T).T) if tracked is None else tracked.forces,
        step_s, (*stretch.notices, *_remarks(settings, step_s), *_about_springs(body, settings)), walking,
    )  # fmt: skip


def _tracked(
    system: System,
    roots: Sequence[str],
    time_s: FloatArray,
    q: FloatArray,
    external: ExternalLoads,
    settings: SimulationSettings,
    acting: Forces | None,
    passive: tuple[str, ...],
) -> Tracked:
    space, on_contacts = JointSpace(system, roots), settings.root == CONTACT
    ground = PrescribedLoads(space, time_s, external) if external.segments and not on_contacts else None
    root = "free" if on_contacts else settings.chosen_root
    control = ControlOptions(LAWS[settings.input], root, settings.stiffness, settings.damping, passive=passive)
    if ground is None and control.root == "ground":
        raise BiomecError(
            "The ground can hold the body only where ground reactions of hands or feet are known, and there are none. "
            "Choose computed torques with a residual at the root."
        )
    joint = settings.integrator_kind.steps is Steps.JOINT
    step = settings.chosen_integrator if joint else CONSTANT_ACCELERATION
    options = TrackingOptions(control, step, settings.chosen_step_s)
    return Tracked(reference_motion(space, time_s, q), ground, options, strengths(space, settings.what_if), acting)


def _all_of(*forces: Forces | None) -> Forces | None:
    """Sum of the forces that there are."""
    there = [one for one in forces if one is not None]
    return together(*there) if there else None


def _controlled(
    body: SubjectModel, tracked: Tracked, settings: SimulationSettings, muscles: MuscleSettings, step_s: float
) -> MuscleControl:
    """Muscles of the analysis that follow the movement, deciding every few steps."""
    sharing = muscles.sharing
    options = MuscleTrackingOptions(
        interval_s=step_s * max(1, round(DECIDE_S / step_s)), step_s=step_s, stiffness=settings.stiffness,
        damping=settings.damping, lowest=max(LEAST_EXCITED, sharing.lowest),
        reserve_Nm=1.0 if sharing.reserve_Nm is None else sharing.reserve_Nm,
        muscles=MuscleOptions(curves=sharing.curves, rigid_below=1.0), passive=body.passive_joints,
    )  # fmt: skip
    fitted = fit_muscles(body, load_muscle_set(muscles.set), muscles.fit)
    fitted = replace(fitted, muscles=tuple(replace(one, fmax=one.fmax * sharing.strength) for one in fitted.muscles))
    return MuscleControl(tracked.reference, tracked.loads, fitted, options)


def _part(external: ExternalLoads, part: slice) -> ExternalLoads:
    names = ("point", "force", "moment", "estimated")
    return replace(external, **{name: getattr(external, name)[part] for name in names})


def _refuse_step(settings: SimulationSettings, duration_s: float) -> None:
    if settings.equal_steps and settings.chosen_step_s > duration_s * (1.0 + 1e-9):
        raise BiomecError(
            f"A step of {settings.chosen_step_s:g} s is longer than what is simulated, {duration_s:g} s. "
            f"Steps of {1e3 * replace(settings, step_s=None).chosen_step_s:g} ms are usual here."
        )


def _fitted(step_s: float, rate_hz: float, intervals: int) -> float:
    """Step of which a whole number makes a frame or, where it is longer than a frame, the stretch."""
    frame = 1.0 / rate_hz
    whole = frame if step_s <= frame else intervals * frame
    return whole / max(1, round(whole / step_s))


def _about_springs(body: SubjectModel, settings: SimulationSettings) -> list[Notice]:
    if not body.springs:
        return []
    if not settings.follows:
        words = (
            "Resultant forces hold what springs and cuffs of devices did in the recording. For springs that act by "
            "themselves, choose an input that follows the movement."
        )
        return [info("devices-not-simulated", words)]
    words = "Springs, cuffs and struts of devices act in the simulation."
    if body.passive_joints:
        words += f" Nothing else moves {', '.join(body.passive_joints)}, which no control leads."
    return [info("devices-simulated", words)]


def _remarks(settings: SimulationSettings, step_s: float) -> list[Notice]:
    notices = []
    if settings.chosen_formulation == "newton-euler":
        words = (
            "Newton's and Euler's equations of the segments were gathered from the ends of the body to its root: the "
            "semi-recursive equations."
        )
        notices.append(info("newton-euler-is-semi-recursive", words))
    fits = abs(step_s - settings.chosen_step_s) <= 1e-3 * settings.chosen_step_s
    if not fits and settings.equal_steps:
        words = f"Steps of {1e3 * step_s:.4g} ms were taken, of which a whole number fits the frames."
        notices.append(info("step-fitted", words))
    if settings.equal_steps and settings.follows:
        notices += _long_steps(settings, step_s)
    if settings.what_if.changes_reactions and settings.chosen_root in LACKING:
        words = f"The recorded ground reactions belong to the body as it was. {LACKING[settings.chosen_root]}"
        notices.append(info("reactions-as-recorded", words))
    return notices


def _long_steps(settings: SimulationSettings, step_s: float) -> list[Notice]:
    """Warnings of steps with which a run may complete and be far off."""
    found, ms = [], 1e3 * step_s
    c_D = ControlOptions(stiffness=settings.stiffness, damping=settings.damping).c_D
    if settings.input != "inverse" and c_D * step_s > STABLE:
        words = (
            f"Steps of {ms:.4g} ms are too long for the control: its damping of {c_D:.4g} 1/s is stable up to "
            f"{1e3 * STABLE / c_D:.3g} ms. Torques may be far off; take steps of 1 ms, or a lower stiffness."
        )
        found.append(warning("step-too-long-for-control", words))
    longest = CONTACT_MS[any(settings.what_if.weakened.values())]
    if settings.root == CONTACT and ms > longest * (1.0 + 1e-9):
        words = (
            f"Steps of {ms:.4g} ms are too long for contact with the floor: beyond {longest:g} ms its friction shakes, "
            "and torques may be far off. Take shorter steps."
        )
        found.append(warning("step-too-long-for-contact", words))
    return found
