"""Residual reduction: body and motion adjusted within their errors so that they agree with the plates.

An option, never silent: every change is reported, and the loads before stay beside the loads after.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.notices import Notice, info, warning
from biomec.base.progress import Progress
from biomec.body.kinematics.segment_motion import SegmentMotion, segment_motion
from biomec.body.loads.dynamic_motion import FADE_S, HURRY_M_S2, DynamicChange, dynamic_motion
from biomec.body.loads.dynamic_options import DynamicOptions
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.mass_adjustment import MassOptions, SegmentChange, adjusted_inertia
from biomec.body.loads.motion_correction import MotionChange, MotionOptions, corrected_motion, marker_distance
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.loads.residuals import Residuals, residuals
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import JointTree, joint_tree
from biomec.recording import Result
from biomec.recording.step import step_result

NOTHING = 1e-6  # N, N m: residuals that are round-off
READABLE = 1e-3  # N, N m: finer than anybody reads a residual

CUFF_ROUNDS = 6  # force and counterforce of a cuff act at two points, and damping gives them a moment that moves on

MILLIMETRE = 1e3
Acting: TypeAlias = Callable[
    [System, SegmentMotion, tuple[FloatArray, FloatArray], ExternalLoads], tuple[ExternalLoads, ExternalLoads]
]
"""Of a body, its motion, its positions and velocities, and loads from outside: these, estimated again where nothing
measured them, and all loads, with those between segments."""
NEAR = 0.2  # share of the change along consistent motions: the nearest of these is at most 2 % nearer (half the square)
DYNAMIC_ARRAYS = ("consistent", "hurried", "place_rms", "place_most", "turn_rms", "turn_most", "force", "moment")


@dataclass(frozen=True)
class ReductionOptions:
    """What may be adjusted; None: nothing of it."""

    inertia: MassOptions | None = setting(
        factory=MassOptions, label="Masses and centres of mass", help="As near to the table as the plates allow."
    )
    motion: MotionOptions | None = setting(
        factory=MotionOptions, label="Motion",
        help="Small smooth shifts and turns of the whole body, and a lean of the trunk.")  # fmt: skip
    dynamics: DynamicOptions | None = setting(
        None, "Dynamically consistent",
        "The motion nearest to the measured one that obeys the equations of motion: no residual is left.")  # fmt: skip


@dataclass(frozen=True, eq=False)
class ReducedResiduals:
    """Body and motion after residual reduction, and all that was changed. Arrays are read-only.

    tree, q, qdot, qddot, motion : the adjusted body and its motion
    segments      : mass and centre of mass of every segment before and after; empty if nothing was changed
    change        : shift and turns of the motion; None if it was not changed
    marker_rms_m, marker_largest_m : how far the landmarks of the model moved [m]
    before, after : size of the residual over the frames that count
    loads_before, loads : of all joints, by Newton-Euler
    external : what the ground does to the body
    dynamics : how motion and forces were made to agree exactly; None if they were not
    """

    tree: JointTree
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    motion: SegmentMotion
    segments: tuple[SegmentChange, ...]
    change: MotionChange | None
    marker_rms_m: float
    marker_largest_m: float
    before: Residuals
    after: Residuals
    loads_before: JointLoads
    loads: JointLoads
    external: ExternalLoads
    options: ReductionOptions
    notices: tuple[Notice, ...]
    dynamics: DynamicChange | None = None

    @property
    def changed(self) -> bool:
        """Whether there was a residual to reduce."""
        return bool(self.segments) or self.change is not None or self.dynamics is not None

    @property
    def sentence(self) -> str:
        """What was done, in one sentence for a clinician."""
        before, after = self.before, self.after
        what = "Residual reduction" if self.dynamics is None else "Dynamically consistent motion"
        left = f"{after.force_rms[3]:.1f} N and {after.torque_rms[3]:.1f} N·m"
        if max(after.force_rms[3], after.torque_rms[3]) < READABLE:
            left = f"less than {READABLE:g} N and {READABLE:g} N·m"
        return (
            f"{what} changed the data: the residual went from {before.force_rms[3]:.1f} N and "
            f"{before.torque_rms[3]:.1f} N·m to {left} (RMS)."
        )

    def to_result(self) -> Result:
        """Return what a session stores: the new motion, every change, and the residual before and after."""
        arrays = {"q": self.q, "qdot": self.qdot, "qddot": self.qddot}
        if self.change is not None:
            arrays |= {"shift": self.change.shift, "turn": self.change.turn, "lean": self.change.lean}
        if self.dynamics is not None:
            arrays |= {name: getattr(self.dynamics, name) for name in DYNAMIC_ARRAYS}
        sizes = {
            when: {name: getattr(one, name) for name in ("force_rms", "force_peak", "torque_rms", "torque_peak")}
            for when, one in (("before", self.before), ("after", self.after))
        }
        return step_result(
            arrays,
            self.options,
            self.notices,
            segments=self.segments,
            marker_rms_m=self.marker_rms_m,
            marker_largest_m=self.marker_largest_m,
            residuals=sizes,
        )


def reduce_residuals(
    tree: JointTree,
    q: FloatArray,
    qdot: FloatArray,
    qddot: FloatArray,
    external: ExternalLoads,
    counted: BoolArray,
    rate_hz: float,
    options: ReductionOptions = ReductionOptions(),
    loads_before: JointLoads | None = None,
    progress: Progress | None = None,
    acting: Acting | None = None,
    tips: Collection[int] = (),
) -> ReducedResiduals:
    """Adjust masses and centres of mass, then the motion, so that the residual shrinks; or vanishes (`dynamics`).

    counted : (T,) frames in which plates bear the whole body (`measured_frames`); only they count
    loads_before : of the motion as it is, by Newton-Euler, if known already
    tips : which of the external loads act at tips of crutches
    acting : finds for the changed motion what acts on the segments; `external`, if not given
    """
    if not len(q) == len(qdot) == len(qddot) == external.frames == len(counted):
        raise BiomecError("Residual reduction: positions, velocities, accelerations and loads need the same frames.")
    if loads_before is None:
        loads_before = newton_euler(tree, segment_motion(tree.system, q, qdot, qddot), q, external)
    before = residuals(loads_before, counted)
    if not before.counted.any():
        raise BiomecError(
            "Motion and forces can only be made to agree in frames in which force plates bear the whole body, and "
            "there are none. Compute joint loads without this: the ground reaction can then be estimated."
        )
    new, states = tree, (q, qdot, qddot)
    segments: tuple[SegmentChange, ...] = ()
    change = dynamics = None
    if max(before.force_peak[3], before.torque_peak[3]) > NOTHING:
        if options.inertia is not None:
            system, segments = adjusted_inertia(tree.system, states, external, before.counted, rate_hz, options.inertia)
            new = joint_tree(system, (tree.system.bodies[tree.root].name,))
        if options.motion is not None:
            states, change = corrected_motion(new, states, external, before.counted, rate_hz, options.motion)
        if options.dynamics is not None:
            inner = np.zeros((len(q), 6))
            for _ in range(CUFF_ROUNDS):
                found_states, given, dynamics = dynamic_motion(
                    new, states, external, before.counted, rate_hz, options.dynamics, progress, inner, tips
                )
                _, outside, applied = _acting(new, found_states, given, acting)
                between = _wrench(applied) - _wrench(outside)
                left = float(np.abs(between - inner)[dynamics.consistent].max())
                inner = between
                if left <= NOTHING / 10.0:
                    break
            if not left <= NOTHING:
                raise BiomecError(
                    f"The motion could not be made to agree with the cuffs of the devices: {left:.2g} N or N·m are "
                    "left. Lower their damping, or reduce residuals without dynamically consistent motion."
                )
            states, external = found_states, given
    motion, external, applied = _acting(new, states, external, acting)
    loads = newton_euler(new, motion, states[0], applied)
    after = residuals(loads, counted if dynamics is None else dynamics.consistent)
    rms, largest = marker_distance(tree.system, q, states[0])
    found = ReducedResiduals(
        new,
        read_only(states[0]),
        read_only(states[1]),
        read_only(states[2]),
        motion,
        segments,
        change,
        rms,
        largest,
        before,
        after,
        loads_before,
        loads,
        external,
        options,
        (),
        dynamics,
    )
    return replace(found, notices=_notices(found))


def _acting(
    tree: JointTree, states: tuple[FloatArray, FloatArray, FloatArray], external: ExternalLoads, acting: Acting | None
) -> tuple[SegmentMotion, ExternalLoads, ExternalLoads]:
    """Motion of the segments, what acts on them from outside, and all that acts on them."""
    motion = segment_motion(tree.system, *states)
    if acting is None:
        return motion, external, external
    return motion, *acting(tree.system, motion, (states[0], states[1]), external)


def _wrench(loads: ExternalLoads) -> FloatArray:
    """Sum of forces and of moments about the laboratory's origin (T, 6)."""
    return np.concatenate([loads.total_force, loads.total_moment(np.zeros(3))], axis=1)


def _notices(found: ReducedResiduals) -> tuple[Notice, ...]:
    """Every change: warnings, because loads of a changed body and motion are not those of what was measured."""
    if not found.changed:
        return (info("residual-reduction-idle", "There was no residual to reduce: body and motion are as they were."),)
    notices = [warning("residual-reduced", found.sentence)]
    segments, change = found.segments, found.change
    if segments:
        each = [
            f"{one.segment} {one.mass_before:.2f} to {one.mass_after:.2f} kg, centre by "
            f"{MILLIMETRE * float(np.linalg.norm(one.centre_shift)):.0f} mm"
            for one in segments
        ]
        total = [sum(getattr(one, name) for one in segments) for name in ("mass_before", "mass_after")]
        words = f"Masses and centres of mass were changed: {'; '.join(each)}. The whole body weighs {total[1]:.1f} kg "
        words += f"instead of {total[0]:.1f} kg."
        notices.append(warning("inertia-adjusted", words, *(one.segment for one in segments)))
    if change is not None:
        words = (
            f"The motion was changed: the whole body was shifted by up to {MILLIMETRE * change.shift_most:.1f} mm and "
            f"turned by up to {np.rad2deg(change.turn_most):.2f}°, the trunk leant by up to "
            f"{np.rad2deg(change.lean_most):.2f}°; landmarks moved by {MILLIMETRE * found.marker_rms_m:.1f} mm (RMS), "
            f"at most {MILLIMETRE * found.marker_largest_m:.1f} mm."
        )
        notices.append(warning("motion-corrected", words))
    if found.dynamics is not None:
        assert found.options.dynamics is not None
        notices += _dynamic_notices(found.dynamics, found.options.dynamics)
    return tuple(notices)


def _dynamic_notices(change: DynamicChange, options: DynamicOptions) -> list[Notice]:
    """What was changed so that motion and forces agree exactly."""
    ends = _ends(change.consistent)
    words = f"{int(change.consistent.sum())} frames obey the equations of motion. For this, "
    parts = []
    if change.changed.any():
        most = int(np.argmax(change.place_most))
        parts.append(
            f"segments moved by {MILLIMETRE * change.place_rms_m:.1f} mm and turned by "
            f"{np.rad2deg(change.turn_rms_rad):.2f}° (RMS), at most by {MILLIMETRE * change.place_most[most]:.1f} mm "
            f"({change.segments[most]}) and {np.rad2deg(change.turn_most.max()):.2f}°"
        )
    if change.force_most > 0.0:
        parts.append(
            f"forces of the ground changed by {_up_to(change.force_most)} N and moments by "
            f"{_up_to(change.moment_most)} N·m"
        )
    notices = [warning("dynamically-consistent", f"{words}{', and '.join(parts)}.", frames=ends)]
    if change.stopped:
        words = f"{change.stopped} changes of forces or moments stopped at their limits: the plates may err more than "
        notices.append(warning("force-changes-limited", f"{words}expected, or masses and motion do.", frames=ends))
    if change.slack > NEAR:
        words = (
            f"This is not the nearest consistent motion: {100.0 * change.slack:.0f} % of the change runs along motions "
            "that also obey the equations, which happens if markers tremble or plates and motion are far apart. Filter "
            "the markers, let both be trusted in part, or choose a shorter stretch."
        )
        notices.append(warning("not-nearest", words, frames=ends))
    if change.place_rms_m > options.position_m or change.turn_rms_rad > options.turn_rad:
        words = (
            f"The motion changed by more than the usual errors of {MILLIMETRE * options.position_m:g} mm and "
            f"{np.rad2deg(options.turn_rad):.1f}°: motion, masses and plates do not agree within them. Check the mass "
            "of the subject, the plates, and what the model leaves out, such as the swing of the arms."
        )
        notices.append(warning("change-large", words, frames=ends))
    if change.hurried.any():
        words = (
            f"Loads in {int(change.hurried.sum())} frames beside the consistent ones are left out of all figures: the "
            f"change of the motion ends there, or goes over into that of the next stretch, within {FADE_S:g} s, and "
            f"accelerates segments by more than {HURRY_M_S2:g} m/s²."
        )
        notices.append(warning("hurried", words, frames=_ends(change.hurried)))
    return notices


def _up_to(size: float) -> str:
    return f"up to {size:.1f}" if size >= 0.05 else "less than 0.1"


def _ends(frames: BoolArray) -> tuple[int, int]:
    there = np.flatnonzero(frames)
    return int(there[0]), int(there[-1])
