"""Greatest forces of a person's muscles: as in their source, or by the size of the body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.muscles.muscle_set import Muscle
from biomec.recording.marker_set import Side

STANDARD_MASS = 75.0  # [kg] of the person for whom forces of a source are meant
VOLUME_BY_MASS_AND_HEIGHT = 47.05  # [cm³/(kg m)] of all muscles of a leg [Handsfield2014]
VOLUME_OF_ANYBODY = 1289.6  # [cm³]


def strong(muscles: tuple[Muscle, ...], person: SubjectModel, strength: str) -> tuple[Muscle, ...]:
    """Muscles with greatest forces for the person."""
    mass, height = float(person.measures["mass"]), float(person.measures["height"])
    if strength == "mass":
        factor = (mass / STANDARD_MASS) ** (2.0 / 3.0)
        return tuple(replace(one, fmax=one.fmax * factor) for one in muscles)
    if strength == "volume":
        found = list(muscles)
        for side in Side:
            leg = [k for k, one in enumerate(muscles) if one.side is side and one.region == "leg"]
            bulk = sum(muscles[k].fmax * muscles[k].lopt / muscles[k].source.stress for k in leg)
            if not leg or not np.isfinite(bulk):
                continue
            factor = (VOLUME_BY_MASS_AND_HEIGHT * mass * height + VOLUME_OF_ANYBODY) * 1e-6 / bulk
            for k in leg:
                found[k] = replace(muscles[k], fmax=muscles[k].fmax * factor)
        return tuple(found)
    return muscles
