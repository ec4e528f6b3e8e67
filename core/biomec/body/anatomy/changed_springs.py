"""A person's devices with springs that are stiffer, softer, damped otherwise, free elsewhere, or gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from biomec.base.errors import BiomecError
from biomec.body.anatomy.model import SpringDefinition
from biomec.body.anatomy.model_devices import CUFF, HINGE
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.engine.forces.device_springs import AngleElement, Beyond, PointElement
from biomec.engine.forces.springs import Element, Linear, LineElement
from biomec.recording.marker_set import Side


class _Holder(Protocol):
    @property
    def springs(self) -> tuple[SpringDefinition, ...]: ...


@dataclass(frozen=True)
class SpringChange:
    """What is different of a spring.

    stiffness, damping : factors; 0 takes the spring, or its damper, away
    free               : added to the angle [rad] or length [m] without force; an angle turns as the element's own
    """

    stiffness: float = 1.0
    damping: float = 1.0
    free: float = 0.0

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            if not 0.0 <= getattr(self, name) < np.inf:
                raise BiomecError(
                    f"What if: the {name} of a spring cannot be multiplied by {getattr(self, name):g}; a spring that "
                    "drives the movement is not possible. Use 0 or more."
                )
        if not np.isfinite(self.free):
            raise BiomecError("What if: the change of a free angle or length must be a number.")


def changed_springs(person: SubjectModel, changes: Mapping[str, SpringChange]) -> SubjectModel:
    """The person with some springs changed, by their names; a cuff has no free length."""
    refuse_unknown_springs(person, changes)
    pairs = [
        _changed(spring, element, changes.get(spring.name, SpringChange()))
        for spring, element in zip(person.springs, person.elements, strict=True)
    ]
    return replace(person, springs=tuple(one for one, _ in pairs), elements=tuple(one for _, one in pairs))


def refuse_unknown_springs(person: _Holder, names: Mapping[str, object]) -> None:
    """Names must be those of springs that the person's model has."""
    there = [spring.name for spring in person.springs]
    unknown = [name for name in names if name not in there]
    if unknown:
        has = f"it has {', '.join(there)}" if there else "it has none"
        raise BiomecError(f"The model has no spring {', '.join(unknown)}; {has}.")


def _changed(spring: SpringDefinition, element: Element, change: SpringChange) -> tuple[SpringDefinition, Element]:
    if change == SpringChange():
        return spring, element
    free = spring.free
    if isinstance(element, PointElement):
        made: Element = replace(element, k=change.stiffness * element.k, c=change.damping * element.c)
    else:
        assert isinstance(element, AngleElement | LineElement)
        law, damper = element.spring, element.damper
        assert isinstance(law, Linear | Beyond)
        law = replace(law, k=change.stiffness * law.k, rest=law.rest + change.free)
        mirrored = -1.0 if spring.kind == HINGE and spring.side is Side.LEFT and spring.axis != "z" else 1.0
        free = mirrored * law.rest if change.free or free is not None else None
        if isinstance(damper, Linear):
            damper = replace(damper, k=change.damping * damper.k)
        made = replace(element, spring=law, damper=damper)
    if spring.kind == CUFF and change.free:
        raise BiomecError(f"The {spring.name} is a cuff: it has no free length that could change.")
    told = replace(spring, stiffness=change.stiffness * spring.stiffness, damping=change.damping * spring.damping)
    return replace(told, free=free), made
