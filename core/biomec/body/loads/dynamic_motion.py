"""Dynamically consistent motion of a recording: stretches that plates measured wholly, and soft ends around them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, part_of
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.balance import body_wrench
from biomec.body.loads.balanced_motion import SHORTEST, Balanced, ForceChanges, balanced_motion
from biomec.body.loads.dynamic_options import MOTION, PLATES, DynamicOptions
from biomec.body.loads.reaction_sharing import nearest_reactions, sharing_columns, sharing_variance
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import ReferenceMotion, reference_motion
from biomec.engine.forward.tree_balance import balanced_frames
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import JointTree
from biomec.signals.stretches import stretches

FADE_S = 0.25  # over which the change of the motion ends outside a stretch; within it loads are not of the plates
HURRY_M_S2 = 1.0  # a tenth of the weight of a segment, beside which joint loads say little
Jet = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class DynamicChange:
    """How motion and forces were changed. Arrays are read-only.

    consistent : (T,) frames that obey the equations;  changed : (T,) frames whose motion was changed, soft ends too
    hurried    : (T,) frames beside the consistent ones in which the change ends, or goes over into the next, too
                 fast for their loads to be used
    segments   : (S,)
    place_rms, place_most : (S,) how far centres of mass moved in the consistent frames [m]
    turn_rms, turn_most   : (S,) by what angle segments turned [rad]
    force, moment : (T, K, 3) what was added to the loads [N], [N m]
    stopped : changes of forces and moments, over frames and axes, that stopped at their limits
    steps   : of Gauss-Newton, over all stretches
    slack   : of the worst stretch, by `balanced_motion.Balanced`; 0 where the forces alone were changed
    """

    consistent: BoolArray
    changed: BoolArray
    hurried: BoolArray
    segments: tuple[str, ...]
    place_rms: FloatArray
    place_most: FloatArray
    turn_rms: FloatArray
    turn_most: FloatArray
    force: FloatArray
    moment: FloatArray
    stopped: int
    steps: int
    slack: float = 0.0

    @property
    def place_rms_m(self) -> float:
        """Root mean square over frames and segments [m]."""
        return float(np.sqrt(np.mean(self.place_rms**2)))

    @property
    def turn_rms_rad(self) -> float:
        """Root mean square over frames and segments [rad]."""
        return float(np.sqrt(np.mean(self.turn_rms**2)))

    @property
    def force_most(self) -> float:
        """Largest change of a force [N]."""
        return float(np.linalg.norm(self.force, axis=2).max(initial=0.0))

    @property
    def moment_most(self) -> float:
        """Largest change of a moment [N m]."""
        return float(np.linalg.norm(self.moment, axis=2).max(initial=0.0))


def dynamic_motion(
    tree: JointTree,
    states: Jet,
    external: ExternalLoads,
    counted: BoolArray,
    rate_hz: float,
    options: DynamicOptions = DynamicOptions(),
    progress: Progress | None = None,
    inner: FloatArray | None = None,
    tips: Collection[int] = (),
) -> tuple[Jet, ExternalLoads, DynamicChange]:
    """Motion and forces nearest to those given that agree in all frames that count.

    states  : q, q̇, q̈ (T, n)
    counted : (T,) frames in which plates bear the whole body; stretches of them that are too short stay as they are
    inner   : (T, 6) what loads between segments add to the balance of forces and of moments about the laboratory's
              origin, such as the moment of a cuff's damping [N], [N m]
    tips    : which of the loads act at tips of crutches, which bear no moment

    Outside these stretches the motion goes back to the measured one within a quarter of a second, with velocities and
    accelerations that belong to it. Splines of degree 5 through the returned positions give the returned accelerations,
    up to the ends of a stretch.
    """
    windows = [slice(a, b) for a, b in stretches(np.asarray(counted)).tolist() if b - a >= SHORTEST]
    if not windows:
        raise BiomecError(
            f"Dynamically consistent motion needs {SHORTEST} frames in a row in which force plates bear the whole "
            "body, and there are none. Frames in flight, or with a foot beside the plates, cannot be used."
        )
    consistent = np.zeros(len(counted), dtype=np.bool_)
    for window in windows:
        consistent[window] = True
    if options.trust == MOTION:
        return states, *_other_forces(tree.system, states, external, consistent, options, inner, tips)
    space = JointSpace(tree.system, (tree.system.bodies[tree.root].name,))
    B = sharing_columns(external)
    variance = sharing_variance(external, options.force_n, options.moment_nm, tips)
    variance *= options.trust != PLATES
    limits = np.tile([options.most_force_n] * 3 + [options.most_moment_nm] * 3, len(external.segments))
    wanted = np.concatenate([external.total_force, external.total_moment(np.zeros(3))], axis=1)
    wanted = wanted if inner is None else wanted + inner
    new: Jet = (states[0].copy(), states[1].copy(), states[2].copy())
    changed = consistent.copy()
    parts = np.zeros((len(counted), len(external.segments), 6))
    steps = stopped = done = 0
    slack = 0.0
    for known in stretches(np.asarray(np.isfinite(states[0]).all(axis=1))).tolist():
        inside = [window for window in windows if known[0] <= window.start and window.stop <= known[1]]
        if not inside:
            continue
        times = np.arange(*known) / rate_hz
        reference = reference_motion(space, times, states[0][slice(*known)])
        found: list[Balanced] = []
        for window in inside:
            changes = ForceChanges(B[window], variance[window], limits)
            share = part_of(progress, done / len(windows), (done + 1) / len(windows))
            at = np.arange(window.start, window.stop) / rate_hz
            one = balanced_motion(
                reference, at, wanted[window], options.position_m, options.turn_rad, changes, share
            )  # fmt: skip
            for level, values in zip(new, (one.frames.q, one.frames.qdot, one.frames.qddot), strict=True):
                level[window] = values
            parts[window] = one.forces.reshape(len(at), -1, 6)
            found.append(one)
            steps, stopped, done = steps + one.steps, stopped + int(one.at_most.sum()), done + 1
            slack = max(slack, one.slack)
        changed |= _soft_ends(reference, known[0], rate_hz, inside, found, new)
    added = read_only(parts[..., :3]), read_only(parts[..., 3:])
    loads = replace(external, force=read_only(external.force + added[0]), moment=read_only(external.moment + added[1]))
    change = _sizes(tree.system, states, new, consistent, changed, added)
    hurried = _hurried(tree.system, states, new, changed & ~consistent)
    return new, loads, replace(change, hurried=read_only(hurried, np.bool_), stopped=stopped, steps=steps, slack=slack)


def _hurried(system: System, before: Jet, after: Jet, loose: BoolArray) -> BoolArray:
    """(T,) those of the loose frames in which the change accelerates the segments beyond what is usual.

    √(Σ m |Δa|² / Σ m) over the centres of mass of all segments is compared with `HURRY_M_S2`.
    """
    found = np.zeros_like(loose)
    if loose.any():
        here = [segment_motion(system, *(level[loose] for level in one)) for one in (before, after)]
        squares = ((here[1].a_com - here[0].a_com) ** 2).sum(axis=2)
        found[loose] = np.sqrt(squares @ here[0].mass / here[0].mass.sum()) > HURRY_M_S2
    return found


def _soft_ends(
    reference: ReferenceMotion, first: int, rate_hz: float, windows: list[slice], found: list[Balanced], new: Jet
) -> BoolArray:
    """Let the change of the motion end before and after each window; (T,) frames of ``new`` that this changes.

    A polynomial of degree 5 joins value and two derivatives at a window with zero a quarter of a second away, or with
    the next window if that is nearer.
    """
    frames = round((reference.end_s - reference.start_s) * rate_hz) + 1
    still = np.zeros((3, reference.space.size))
    ends: list[tuple[float, FloatArray]] = []
    for window, one in zip(windows, found, strict=True):
        jets = np.stack(one.splines.jets(one.coefficients))
        a, b = window.start / rate_hz, (window.stop - 1) / rate_hz
        if not ends:
            ends.append((a - FADE_S, still))
        elif ends[-1][0] + 2.0 * FADE_S < a:
            ends += [(ends[-1][0] + FADE_S, still), (a - FADE_S, still)]
        ends += [(a, jets[:, 0]), (b, jets[:, -1])]
    ends.append((ends[-1][0] + FADE_S, still))
    known = np.arange(first, first + frames)
    loose = np.zeros(len(new[0]), dtype=np.bool_)
    for (start, before), (stop, after) in pairwise(ends):
        at = known[(known / rate_hz > start + 1e-9) & (known / rate_hz < stop - 1e-9)]
        inside = any(window.start <= frame < window.stop for window in windows for frame in at[:1])
        if not at.size or inside or (before is still and after is still):
            continue
        curve = scipy.interpolate.BPoly.from_derivatives([start, stop], np.stack([before, after]))
        course = [
            reference.curves[d](at / rate_hz) + (curve if d == 0 else curve.derivative(d))(at / rate_hz)
            for d in range(3)
        ]
        moved = balanced_frames(reference.space, reference.base, *course)
        for level, values in zip(new, (moved.q, moved.qdot, moved.qddot), strict=True):
            level[at] = values
        loose[at] = True
    return loose


def _other_forces(
    system: System,
    states: Jet,
    external: ExternalLoads,
    consistent: BoolArray,
    options: DynamicOptions,
    inner: FloatArray | None,
    tips: Collection[int],
) -> tuple[ExternalLoads, DynamicChange]:
    """Forces that agree with the motion as it is."""
    motion = segment_motion(system, *states)
    required = body_wrench(system, motion)
    moment = required.total_moment + np.cross(motion.whole_body_com, required.total_force)
    wanted = np.concatenate([required.total_force, moment], axis=1)
    wanted = wanted if inner is None else wanted - inner
    wanted[~consistent] = np.nan
    loads = nearest_reactions(external, wanted, options.force_n, options.moment_nm, tips)
    added = read_only(loads.force - external.force), read_only(loads.moment - external.moment)
    return loads, _sizes(system, states, states, consistent, np.zeros_like(consistent), added)


def _sizes(
    system: System,
    before: Jet,
    after: Jet,
    consistent: BoolArray,
    changed: BoolArray,
    added: tuple[FloatArray, FloatArray],
) -> DynamicChange:
    here = [segment_motion(system, *(level[consistent] for level in one)) for one in (before, after)]
    moved = np.linalg.norm(here[1].p_com - here[0].p_com, axis=2)
    turn = np.swapaxes(here[0].R_WB, 2, 3) @ here[1].R_WB
    vectors = scipy.spatial.transform.Rotation.from_matrix(turn.reshape(-1, 3, 3)).magnitude()
    turned = vectors.reshape(moved.shape)
    return DynamicChange(
        read_only(consistent, np.bool_),
        read_only(changed, np.bool_),
        read_only(np.zeros_like(changed), np.bool_),
        here[0].names,
        read_only(np.sqrt((moved**2).mean(axis=0))),
        read_only(moved.max(axis=0)),
        read_only(np.sqrt((turned**2).mean(axis=0))),
        read_only(turned.max(axis=0)),
        *added,
        stopped=0,
        steps=0,
    )
