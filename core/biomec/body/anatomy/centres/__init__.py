"""Joint centres and derived points from landmarks: every method by name, with its source.

A method is added by writing its formula in the module of its joint and a line in that module's ``METHODS``.
"""

from collections.abc import Mapping

from biomec.base.frozen import FrozenDict
from biomec.body.anatomy.centres import limbs, pelvis, plug_in_gait, shoulder, trunk
from biomec.body.anatomy.centres.method import CentreError, CentreMethod, Measures
from biomec.body.anatomy.centres.plug_in_gait import chord
from biomec.body.anatomy.frames import Points

__all__ = ["CENTRE_METHODS", "CentreError", "CentreMethod", "Measures", "Points", "centre_choices", "chord",
           "methods_for"]  # fmt: skip

CENTRE_METHODS: Mapping[str, CentreMethod] = FrozenDict(
    (method.name, method) for module in (trunk, pelvis, shoulder, limbs, plug_in_gait) for method in module.METHODS
)

LABELS: Mapping[str, str] = FrozenDict({
    "CAC": "Cervical joint (CAC)", "CAQ_*": "Hips (CAQ)", "GU_*": "Shoulders (GU)", "PME_*": "Elbows (PME)",
    "CAP_*": "Wrists (CAP)", "PMCH_*": "Hands (PMCH)", "KJC_*": "Knees (KJC)", "PMM_*": "Malleoli (PMM)",
    "CAT_*": "Ankles (CAT)", "CAL": "Lumbar joint (CAL)",
})  # fmt: skip
"""Centre -> what people call it."""


def methods_for(centre: str) -> tuple[CentreMethod, ...]:
    """Methods that give a centre, named by its pattern ("CAQ_*") or with its side ("CAQ_D"); the default first."""
    stem, _, last = centre.rpartition("_")
    pattern = f"{stem}_*" if last in ("D", "E") else centre
    return tuple(method for method in CENTRE_METHODS.values() if method.centre == pattern)


def centre_choices() -> dict[str, tuple[str, dict[str | None, str]]]:
    """Centre -> what people call it and its methods, where there is more than one; the model's own comes first."""
    return {
        centre: (
            LABELS.get(centre, centre),
            {None: "the model's own", **{method.name: method.title for method in methods_for(centre)}},
        )
        for centre in dict.fromkeys(method.centre for method in CENTRE_METHODS.values())
        if len(methods_for(centre)) > 1
    }
