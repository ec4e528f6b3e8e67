"""Changes of aids that can be asked for: what is changed, in which unit, and what a variant is called. Knows no Qt."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from biomec.body.anatomy.changed_springs import SpringChange
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.loads.aid_what_if import AidVariant, measured_crutches
from biomec_app.curves.curve import capital

STIFFNESS, LENGTH, ARMS = "stiffness", "length", "arms"
UNITS = {STIFFNESS: " %", LENGTH: " cm", ARMS: " %"}
LIMITS = {STIFFNESS: (0.0, 1000.0, 50.0), LENGTH: (-30.0, 30.0, 5.0), ARMS: (0.0, 100.0, 80.0)}
"""Kind -> least, most, and value to begin with."""


@dataclass(frozen=True)
class Target:
    """What can be changed: springs together, a crutch or all of them, or what the arms give."""

    title: str
    kind: str
    names: tuple[str, ...] = ()

    def variant(self, value: float) -> AidVariant:
        """With a stiffness of so many percent, so many centimetres more, or arms that give so many percent."""
        if self.kind == STIFFNESS:
            change = SpringChange(0.01 * value, 0.01 * value if value == 0.0 else 1.0)
            title = f"Without {self.title}" if value == 0.0 else f"{capital(self.title)} at {value:g} %"
            return AidVariant(title, dict.fromkeys(self.names, change))
        if self.kind == LENGTH:
            way = "longer" if value >= 0.0 else "shorter"
            title = f"{capital(self.title)} {abs(value):g} cm {way}"
            return AidVariant(title, longer_m=dict.fromkeys(self.names, 0.01 * value))
        return AidVariant(f"Arms give {value:g} %", arms=0.01 * value)


def targets_of(person: SubjectModel, tips: Collection[str]) -> tuple[Target, ...]:
    """What can be changed of a person's aids: groups first, then single ones.

    tips : segments whose loads are those of crutches
    """
    locks = tuple(one.name for one in person.springs if one.joint)
    cuffs = tuple(one.name for one in person.springs if one.first)
    crutches = measured_crutches(person, tips)
    found = [Target("all locks", STIFFNESS, locks), Target("all cuffs", STIFFNESS, cuffs)]
    found = [one for one in found if len(one.names) > 1]
    if crutches:
        found += [Target("crutches", LENGTH, crutches)] if len(crutches) > 1 else []
        found += [Target("what the arms give", ARMS), *(Target(name, LENGTH, (name,)) for name in crutches)]
    return (*found, *(Target(name, STIFFNESS, (name,)) for name in (*locks, *cuffs)))


def with_title_of_its_own(variant: AidVariant, others: Sequence[AidVariant]) -> bool:
    """Whether no other variant is called like that."""
    return all(one.title != variant.title for one in others)
