"""Plug-in Gait of an analysis as Vicon computes it, beside the results of our own model, which stay as they are.

It uses the markers as recorded, gaps rebuilt but unfiltered, and the plates as recorded: Vicon smooths markers before
its model runs and writes them back to the file, so that they must not be smoothed again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.body.anatomy.landmarks import recorded_landmarks, trajectories
from biomec.body.kinematics.joint_angles import AngleOptions
from biomec.body.plug_in_gait import PlugInGait, PlugInGaitOptions, plug_in_gait
from biomec.body.plug_in_gait.angles import CONVENTION
from biomec.body.plug_in_gait.angles import angles as pig_angles
from biomec.body.plug_in_gait.comparison import (
    Curves,
    Difference,
    compared,
    curves,
    own_angles,
    own_loads,
    stored_curves,
)
from biomec.body.plug_in_gait.kinetics import Ground, ground_reaction
from biomec.body.plug_in_gait.legs import SIDES
from biomec.body.plug_in_gait.segments import has_legs, segments
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.angles import angles
from biomec.pipeline.steps.body import plug_in_gait_calibration
from biomec.signals.event_editing import OFF, STRIKE


def plug_in_gait_of(analysis: Analysis) -> PlugInGait | None:
    """Return the model of the recording; None if it is not wanted, or the markers or measures do not allow it."""
    return analysis.derived(_computed(analysis.settings.body.plug_in_gait))


@dataclass(frozen=True)
class Comparison:
    """How far computations are apart, angle by angle and load by load.

    own    : our own model less Plug-in Gait as Vicon computes it
    stored : Plug-in Gait as computed here less what the file stores of it; empty if it stores nothing
    """

    own: tuple[Difference, ...]
    stored: tuple[Difference, ...]


def comparison(analysis: Analysis) -> Comparison | None:
    """Return the differences of the three computations; None where Plug-in Gait was not computed."""
    vicon = vicon_curves(analysis)
    if not vicon:
        return None
    return Comparison(compared(own_curves(analysis), vicon), compared(vicon, file_curves(analysis)))


def vicon_curves(analysis: Analysis) -> Curves:
    """Angles [rad], moments [N·m/kg] and powers [W/kg] as Vicon computes them; none where it was not computed."""
    found = plug_in_gait_of(analysis)
    return () if found is None else tuple(curves(found.angles, found.loads))


def file_curves(analysis: Analysis) -> Curves:
    """The same curves as the file of the movement stores them."""
    trial = analysis.session.dynamic
    if trial.outputs is None or trial.outputs.frames != trial.frames:
        return ()
    return tuple(stored_curves(trial.outputs, known_mass_kg(analysis)))


def vicon_static_curves(analysis: Analysis) -> Curves:
    """Angles [rad] in the static as Vicon computes them, but from the way that the pelvis faces.

    None where Plug-in Gait was not computed or there was no static.
    """
    found, prepared = plug_in_gait_of(analysis), analysis.preparation
    if found is None or prepared.static_is_dynamic:
        return ()
    points = recorded_landmarks(trajectories(prepared.static.markers), prepared.marker_set)
    standing = segments(points, found.calibration.measures)
    pelvis = standing.attitudes.get("pelvis")
    if pelvis is None or not np.isfinite(pelvis).all(axis=(1, 2)).any():
        return ()
    ahead = np.nanmean(pelvis[:, :, 0], axis=0) * [1.0, 0.0, 1.0]
    ahead, up = ahead / np.linalg.norm(ahead), np.array([0.0, 1.0, 0.0])
    facing = np.stack([ahead, up, np.cross(ahead, up)], axis=-1)
    turned = replace(standing, attitudes={name: facing.T @ R for name, R in standing.attitudes.items()})
    return tuple(curves(pig_angles(turned), None))


def file_static_curves(analysis: Analysis) -> Curves:
    """The angles [rad] that the file of the static stores."""
    static = analysis.session.static
    if static is None or static.outputs is None:
        return ()
    return tuple(stored_curves(static.outputs, known_mass_kg(analysis)))


def own_curves(analysis: Analysis) -> Curves:
    """The same curves of our own model: its angles in the order and signs, its moments about the axes of Plug-in Gait.

    None before its angles were computed, or where the model has no such angles.
    """
    return analysis.derived(_own_curves) if plug_in_gait_of(analysis) is not None else ()


def _own_curves(analysis: Analysis) -> tuple[tuple[str, str, FloatArray], ...]:
    found, frames = plug_in_gait_of(analysis), analysis.session.dynamic.frames
    if found is None or "angles" not in analysis.done or len(analysis.motion.q) != frames:
        return ()
    options = AngleOptions(CONVENTION)
    made = list(own_angles(angles(analysis.body, analysis.motion, analysis.signals.trial.first_frame, options)))
    if "loads" in analysis.done and analysis.loads.multibody.frames == frames:
        loads, power = analysis.loads.multibody, analysis.loads.power
        torque = {joint: loads.torque[:, j] for j, joint in enumerate(loads.joints)}
        powers = {joint: power.joint[:, j] for j, joint in enumerate(power.joints)}
        made += own_loads(found.segments, torque, powers, float(analysis.body.person.measures["mass"]))
    return tuple(made)


@cache
def _computed(options: PlugInGaitOptions) -> Callable[[Analysis], PlugInGait | None]:
    """What computes the model of analyses with these options."""

    def compute(analysis: Analysis) -> PlugInGait | None:
        if not options.compute or "signals" not in analysis.done:
            return None
        prepared, clean = analysis.preparation, analysis.signals
        calibration, _ = plug_in_gait_calibration(prepared, analysis.session.subject, options)
        points = recorded_landmarks(trajectories(clean.reconstruction.markers), prepared.marker_set)
        if calibration is None or not has_legs(points):
            return None
        trial = prepared.dynamic
        return plug_in_gait(
            points, calibration, trial.rate_hz, ground=ground_of(analysis), mass_kg=known_mass_kg(analysis),
            first_frame=trial.first_frame,
        )  # fmt: skip

    return compute


def known_mass_kg(analysis: Analysis) -> float | None:
    """Mass [kg] that was entered, else weighed on the plates."""
    entered = analysis.session.subject.mass_kg
    if entered or "body" in analysis.done:
        return entered or analysis.body.subject.mass_kg
    weighed = analysis.signals.mass if "signals" in analysis.done else None
    return None if weighed is None else weighed.mass_kg


def ground_of(analysis: Analysis) -> dict[str, Ground]:
    """Side "D", "E" -> what the plates do to that foot, unfiltered; empty without plates."""
    clean, trial = analysis.signals, analysis.preparation.dynamic
    if clean.contacts is None:
        return {}
    plates = {plate.name: plate for plate in trial.plates}
    found = {}
    for leg in SIDES:
        stances = [
            (plates[item.contact.plate], item.contact.on_s, item.contact.off_s)
            for item in clean.contacts.contacts
            if item.segment is not None and item.contact.plate in plates and item.segment == leg.name("foot")
        ]
        found[leg.code] = ground_reaction(stances, _swing(analysis, leg.word), trial.frames, trial.rate_hz)
    return found


def _swing(analysis: Analysis, side: str) -> BoolArray:
    """(T,) frames from a foot off to the next foot strike of a side."""
    trial = analysis.preparation.dynamic
    swing = np.zeros(trial.frames, dtype=np.bool_)
    begun: float | None = None
    for event in analysis.signals.events.events:
        if event.context.lower() != side:
            continue
        if event.label == OFF:
            begun = event.time_s
        elif event.label == STRIKE and begun is not None:
            swing |= (trial.time_s >= begun) & (trial.time_s <= event.time_s)
            begun = None
    return swing
