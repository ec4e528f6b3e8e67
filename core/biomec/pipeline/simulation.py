"""Simulate a recorded movement: what would happen, beside what happened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import scipy

from biomec._version import __version__
from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, warning
from biomec.base.progress import Cancelled, Progress
from biomec.body.kinematics.joint_angles import AngleOptions, JointAngles, joint_angles
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.device_loads import cuff_loads, device_columns, device_loads
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_components import MOMENT, NEWTON_EULER, LoadReading, load_components
from biomec.body.loads.measured_aids import together
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.muscles.muscle_paths import path_notices
from biomec.body.tracking.limb_contact import contact_loads
from biomec.engine.forces.external_loads import ExternalLoads, external_loads
from biomec.engine.forces.muscles import MuscleHistory
from biomec.engine.forward.simulation import Ending, Simulation
from biomec.engine.tree.joint_tree import joint_tree
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_reading import read_loads
from biomec.pipeline.simulation_run import LEVELS, RunSpread, SimulationRun
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.pipeline.simulation_setup import Setup, set_up

SAME_S = 1e-9  # times nearer than this are the same
LISTED = 4  # joints that a notice names
RESERVE_NM, RESERVE_SHARE = 1.0, 0.05  # beyond both, a reserve is worth a word
READING = LoadReading(method=NEWTON_EULER)


def run_simulation(
    analysis: Analysis,
    settings: SimulationSettings = SimulationSettings(),
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> SimulationRun:
    """Simulate the movement of an analysis; what was reached is kept, however the run ends.

    progress  : called with the fraction of the time that is simulated; `Cancelled` raised in it ends the run as well
    cancelled : asked after every step
    """
    watch = _Watch(progress, cancelled)
    setup = set_up(analysis, settings, watch.prepare)
    run, said = setup.run(watch.tell, watch.stopped)
    return _compared(analysis, replace(setup, notices=(*setup.notices, *said)), run)


class _Worn(NamedTuple):
    """What devices did: names (D,) with units, values (F, D)."""

    names: tuple[str, ...]
    values: FloatArray


class _Watch:
    """Tells progress, and turns whatever stops the work into a stop that keeps what was reached."""

    def __init__(self, progress: Progress | None, cancelled: Callable[[], bool] | None) -> None:
        self._progress, self._cancelled = progress, cancelled
        self._stopped = False

    def prepare(self, fraction: float) -> None:
        """Progress before there is anything to keep: stops the work at once."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled
        if self._progress is not None:
            self._progress(fraction)

    def tell(self, fraction: float) -> None:
        try:
            if self._progress is not None:
                self._progress(fraction)
        except Cancelled:
            self._stopped = True

    def stopped(self) -> bool:
        return self._stopped or (self._cancelled is not None and self._cancelled())


def _compared(analysis: Analysis, setup: Setup, run: Simulation) -> SimulationRun:
    """Read a simulation at the frames of the recording, beside the recorded motion."""
    times = setup.time_s[setup.time_s <= run.time_s[-1] + SAME_S]
    count = len(times)
    q, qdot, qddot = _at(run, times)
    measured = (setup.q[:count], setup.qdot[:count], setup.qddot[:count])
    difference = [np.abs(one - other) for one, other in zip((q, qdot, qddot), measured, strict=True)]
    angles, measured_angles = (_angles(analysis, setup, level) for level in (q, setup.q[:count]))
    external, change = _external(setup, times, q, qdot)
    did, reserves = _muscles(setup, run, times, q, qdot)
    none = np.zeros((count, 0))
    names, torques, inverse, residual, worn = _torques(analysis, setup, external, q, qdot, qddot)
    return SimulationRun(
        settings=setup.settings,
        integration=setup.words,
        first=setup.stretch.first,
        last=setup.stretch.last,
        rate_hz=setup.rate_hz,
        step_time_s=run.time_s,
        iterations=run.iterations,
        increment=run.increment,
        seconds=run.seconds,
        violation=run.violation,
        rate_violation=run.rate_violation,
        acceleration_violation=run.acceleration_violation,
        kinetic=run.kinetic,
        potential=run.potential,
        work=run.work,
        q=q,
        qdot=qdot,
        qddot=qddot,
        distance=np.stack([one.mean(axis=1) for one in difference], axis=1),
        spread={
            level: RunSpread(float(one.mean()), float(one.std())) for level, one in zip(LEVELS, difference, strict=True)
        },
        angle_names=angles.names,
        angles=angles.values,
        measured_angles=measured_angles.values,
        torque_names=names,
        torques=torques,
        inverse_torques=inverse,
        residual_force=np.zeros((0, 3)) if residual is None else residual.residual_force,
        residual_torque=np.zeros((0, 3)) if residual is None else residual.residual_torque,
        contacts=() if external is None else external.segments,
        ground_change=change,
        stop_names=() if setup.stops is None else setup.stops.names,
        stop_torques=_stop_torques(setup, q, qdot),
        activations=none if did is None else did.activation,
        muscle_forces=none if did is None else did.force,
        reserves=reserves,
        device_names=worn.names,
        devices=worn.values,
        muscle_names=() if setup.control is None else setup.control.muscles.names,
        reserve_names=() if setup.control is None else setup.control.row_names,
        ending=run.ending,
        sentence=run.sentence,
        source=analysis.simulation_source(setup.settings),
        when=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        biomec=__version__,
        notices=(*setup.notices, *_remarks(run), *_about_muscles(setup, did, reserves)),
    )


def _remarks(run: Simulation) -> list[Notice]:
    if run.ending in (Ending.COMPLETED, Ending.STOPPED, Ending.EVENT):
        return []
    return [warning("simulation-ended-early", run.sentence)]


def _about_muscles(setup: Setup, did: MuscleHistory | None, reserves: FloatArray) -> list[Notice]:
    """What their paths did, and what muscles could not give."""
    if setup.control is None or did is None:
        return []
    found = path_notices(did.paths, setup.control.fitted, setup.stretch.first)
    if not setup.control.plans:
        return found
    most = np.abs([plan.wanted for plan in setup.control.plans]).max(axis=0)
    short = np.abs(reserves).max(axis=0, initial=0.0)
    lacking = [k for k in np.argsort(-short) if short[k] > max(RESERVE_NM, RESERVE_SHARE * most[k])]
    if not lacking:
        return found
    names = setup.control.row_names
    listed = "; ".join(f"{names[k]}, {short[k]:.1f} N·m where {most[k]:.0f} are asked for" for k in lacking[:LISTED])
    others = f"; and {len(lacking) - LISTED} more" if len(lacking) > LISTED else ""
    return [
        *found,
        warning(
            "muscles-fell-short",
            f"Reserve torques helped the muscles ({listed}{others}): muscles are too weak there, or build up and let "
            "go their force too slowly. Do not trust them while a reserve acts.",
        ),
    ]


def _muscles(
    setup: Setup, run: Simulation, times: FloatArray, q: FloatArray, qdot: FloatArray
) -> tuple[MuscleHistory | None, FloatArray]:
    """What muscles did at times, and their reserves (F, K) [N m]; nothing without muscles."""
    control = setup.control
    if control is None:
        return None, np.zeros((len(times), 0))
    states = run.inner[np.minimum(np.searchsorted(run.time_s, times - SAME_S), len(run.time_s) - 1)]
    reserves = np.array([control.reserve(float(t)) for t in times]).reshape(len(times), -1)
    return control.muscles.history(times, q, qdot, states), reserves


def _at(run: Simulation, times: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """q, q̇, q̈ (F, n) at times: the states themselves where there are any, else by Hermite's cubics between them."""
    right = np.minimum(np.searchsorted(run.time_s, times - SAME_S), len(run.time_s) - 1)
    q, qdot, qddot = (level[right] for level in (run.q, run.qdot, run.qddot))
    between = np.flatnonzero(np.abs(run.time_s[right] - times) > SAME_S)
    if between.size:
        when = times[between]
        q[between] = scipy.interpolate.CubicHermiteSpline(run.time_s, run.q, run.qdot)(when)
        qdot[between] = scipy.interpolate.CubicHermiteSpline(run.time_s, run.qdot, run.qddot)(when)
        left = right[between] - 1
        share = ((when - run.time_s[left]) / (run.time_s[left + 1] - run.time_s[left]))[:, None]
        qddot[between] = (1.0 - share) * run.qddot[left] + share * run.qddot[left + 1]
    return q, qdot, qddot


def _stop_torques(setup: Setup, q: FloatArray, qdot: FloatArray) -> FloatArray:
    if setup.stops is None:
        return np.zeros((len(q), 0))
    return np.array([setup.stops.state(*state).torque for state in zip(q, qdot, strict=True)])


def _angles(analysis: Analysis, setup: Setup, q: FloatArray) -> JointAngles:
    body = setup.body
    options: AngleOptions = analysis.settings.angles
    return joint_angles(
        body.attitudes(q),
        body.model.angles,
        static=body.attitudes(body.system.reference),
        axes=body.joint_axes(),
        first_frame=analysis.signals.trial.first_frame + setup.stretch.first,
        options=options,
    )


def _external(
    setup: Setup, times: FloatArray, q: FloatArray, qdot: FloatArray
) -> tuple[ExternalLoads | None, FloatArray]:
    """What the ground did to the simulated body at the frames, and what of it (F, K, 3) [N] was not recorded."""
    external, tracked, count = setup.external, setup.tracked, len(times)
    if external is None:
        return None, np.zeros((count, 0, 3))
    part = {name: getattr(external, name)[:count] for name in ("point", "force", "moment", "estimated")}
    external = replace(external, **part)
    if setup.contact is not None:
        acting = contact_loads(setup.contact, q, qdot)
        before = np.zeros_like(acting.force)
        for k, segment in enumerate(external.segments):
            if segment in acting.segments:
                before[:, acting.segments.index(segment)] += external.force[:, k]
        return acting, acting.force - before
    if tracked is None or setup.settings.chosen_root != "ground":
        return external, np.zeros_like(external.force)
    change = np.array([tracked.evaluate(float(t), *state).change for t, *state in zip(times, q, qdot, strict=True)])
    moment = external.moment + np.cross(external.point, external.force) + change[:, :, 1]  # about the origin
    acting = external_loads(
        external.segments, np.zeros_like(moment), external.force + change[:, :, 0], moment, external.estimated
    )
    return acting, change[:, :, 0]


def _torques(
    analysis: Analysis,
    setup: Setup,
    external: ExternalLoads | None,
    q: FloatArray,
    qdot: FloatArray,
    qddot: FloatArray,
) -> tuple[tuple[str, ...], FloatArray, FloatArray, JointLoads | None, _Worn]:
    """Names of joint moments, those of the simulated motion and of inverse dynamics (F, M), all its loads, devices."""
    count = len(q)
    if external is None:
        return (), np.zeros((count, 0)), np.zeros((count, 0)), None, _Worn((), np.zeros((count, 0)))
    body, motion = setup.body, segment_motion(setup.system, q, qdot, qddot)
    straps, _ = cuff_loads(body, q, qdot)  # as inverse dynamics has them
    loads = newton_euler(joint_tree(setup.system, setup.roots), motion, q, together(external, straps))
    found = load_components(loads, motion, body.model, READING, hinges=body.joint_axes())
    before = read_loads(analysis, READING)  # as the loads beside them
    names = tuple(name for name, what in zip(found.names, found.quantity, strict=True) if what == MOMENT)
    inverse = before.chosen(names).values[setup.stretch.first : setup.stretch.first + count]
    worn, values = device_columns(device_loads(body, loads, q, qdot))
    devices = _Worn(worn, values if worn else np.zeros((count, 0)))
    return names, found.chosen(names).values, inverse, loads, devices
