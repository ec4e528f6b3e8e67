"""Joint centres and derived points from landmarks: every method by name, with its source.

A method is added by writing its formula in the module of its joint and a line in that module's ``METHODS``.
"""

from collections.abc import Mapping

from biomec.base.frozen import FrozenDict
from biomec.body.anatomy.centres import hip, limbs, pelvis, plug_in_gait, shoulder, trunk
from biomec.body.anatomy.centres.method import CentreError, CentreMethod, Measures
from biomec.body.anatomy.centres.plug_in_gait import chord
from biomec.body.anatomy.frames import Points

__all__ = ["CENTRE_METHODS", "CentreError", "CentreMethod", "Measures", "Points", "chord", "methods_for"]

CENTRE_METHODS: Mapping[str, CentreMethod] = FrozenDict(
    (method.name, method) for module in (trunk, pelvis, hip, shoulder, limbs, plug_in_gait) for method in module.METHODS
)


def methods_for(centre: str) -> tuple[CentreMethod, ...]:
    """Methods that give a centre, named by its pattern ("CAQ_*") or with its side ("CAQ_D"); the default first."""
    stem, _, last = centre.rpartition("_")
    pattern = f"{stem}_*" if last in ("D", "E") else centre
    return tuple(method for method in CENTRE_METHODS.values() if method.centre == pattern)
