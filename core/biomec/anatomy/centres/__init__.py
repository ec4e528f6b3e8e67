"""Joint centres and derived points from landmarks: every method by name, with its source.

A method is added by writing its formula in the module of its joint and a line in that module's ``METHODS``.
"""

from collections.abc import Mapping

from biomec.anatomy.centres import hip, limbs, pelvis, plug_in_gait, shoulder, trunk
from biomec.anatomy.centres.method import CentreError, CentreMethod, Measures
from biomec.anatomy.centres.plug_in_gait import chord
from biomec.anatomy.frames import Points
from biomec.frozen import FrozenDict

__all__ = ["CENTRE_METHODS", "CentreError", "CentreMethod", "Measures", "Points", "chord", "methods_for"]

CENTRE_METHODS: Mapping[str, CentreMethod] = FrozenDict(
    (method.name, method) for module in (trunk, pelvis, hip, shoulder, limbs, plug_in_gait) for method in module.METHODS
)


def methods_for(centre: str) -> tuple[CentreMethod, ...]:
    """Methods that give a centre, named by its pattern ("CAQ_*") or with its side ("CAQ_D"); the default first."""
    stem, _, last = centre.rpartition("_")
    pattern = f"{stem}_*" if last in ("D", "E") else centre
    return tuple(method for method in CENTRE_METHODS.values() if method.centre == pattern)
