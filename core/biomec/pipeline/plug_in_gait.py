"""Plug-in Gait of an analysis as Vicon computes it, beside the results of our own model, which stay as they are.

It uses the markers as recorded, gaps rebuilt but unfiltered, and the plates as recorded: Vicon smooths markers before
its model runs and writes them back to the file, so that they must not be smoothed again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from biomec.base.arrays import BoolArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info
from biomec.body.anatomy.landmarks import recorded_landmarks, trajectories
from biomec.body.plug_in_gait import PlugInGait, PlugInGaitOptions, plug_in_gait
from biomec.body.plug_in_gait.kinetics import Ground, ground_reaction
from biomec.body.plug_in_gait.legs import LEG
from biomec.body.plug_in_gait.pelvis import PELVIS
from biomec.body.plug_in_gait.sides import SIDES
from biomec.pipeline.analysis import Analysis
from biomec.signals.event_editing import OFF, STRIKE


def plug_in_gait_of(analysis: Analysis) -> PlugInGait | None:
    """Return the model of the recording; None if it is not wanted, or the markers or measures do not allow it."""
    return analysis.derived(_computed(analysis.settings.plug_in_gait))[0]


def plug_in_gait_notices(analysis: Analysis) -> tuple[Notice, ...]:
    """What it assumed, or why it could not be computed from markers that are those of Plug-in Gait."""
    return analysis.derived(_computed(analysis.settings.plug_in_gait))[1]


@cache
def _computed(options: PlugInGaitOptions) -> Callable[[Analysis], tuple[PlugInGait | None, tuple[Notice, ...]]]:
    """What computes the model of analyses with these options."""

    def compute(analysis: Analysis) -> tuple[PlugInGait | None, tuple[Notice, ...]]:
        if not options.compute or "signals" not in analysis.done:
            return None, ()
        prepared, clean = analysis.preparation, analysis.signals
        points = recorded_landmarks(trajectories(clean.reconstruction.markers), prepared.marker_set)
        legs = [leg for leg in SIDES if all(leg.key(name) in points for name in LEG)]
        if not legs or any(name not in points for name in PELVIS):
            return None, ()
        static = None
        if not prepared.static_is_dynamic:
            static = recorded_landmarks(trajectories(prepared.static.markers), prepared.marker_set)
        subject, trial = analysis.session.subject, prepared.dynamic
        mass = subject.mass_kg or (None if clean.mass is None else clean.mass.mass_kg)
        try:
            found = plug_in_gait(
                points, static, subject.measures, trial.rate_hz, ground=ground_of(analysis), mass_kg=mass,
                first_frame=trial.first_frame, options=options,
            )  # fmt: skip
        except BiomecError as error:
            return None, (info("plug-in-gait-not-computed", str(error)),)
        return found, found.notices

    return compute


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
