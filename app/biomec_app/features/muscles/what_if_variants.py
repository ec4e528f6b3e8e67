"""What can be changed about muscles, and variants of several changes. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass

from biomec.base.errors import BiomecError
from biomec.recording.marker_set import Side
from biomec_app.curves.curve import capital
from biomec_app.features.muscles.heat_content import means
from biomec_app.features.muscles.readings import MuscleReadings

MOST = 4  # variants beside each other
WEAKER, REMOVED, MOVED = "strength", "removed", "moved"


@dataclass(frozen=True)
class MuscleChange:
    """What a user asks for.

    target  : what is changed, in words, such as "right soleus";  muscles : its elements
    kind    : `WEAKER` (or stronger) by ``factor``, `REMOVED`, or `MOVED` to the end of the muscle ``to``
    """

    target: str
    muscles: tuple[str, ...]
    kind: str = WEAKER
    factor: float = 0.5
    to: str = ""

    @property
    def title(self) -> str:
        """In words."""
        if self.kind == REMOVED:
            return f"Without {self.target}"
        if self.kind == MOVED:
            return f"{capital(self.target)} moved to the end of {self.to}"
        less = 100.0 * (1.0 - self.factor)
        return f"{capital(self.target)} {abs(less):.0f} % {'weaker' if less >= 0.0 else 'stronger'}"


@dataclass(frozen=True)
class Variant:
    """What a user asks for at once: one change or several of different muscles."""

    changes: tuple[MuscleChange, ...]

    @property
    def title(self) -> str:
        """In words."""
        first, *others = (one.title for one in self.changes)
        return "; ".join((first, *(title[0].lower() + title[1:] for title in others)))

    @property
    def target(self) -> str:
        """Muscles that are changed, in words."""
        return " and ".join(dict.fromkeys(one.target for one in self.changes))

    @property
    def muscles(self) -> tuple[str, ...]:
        """Their elements."""
        return tuple(dict.fromkeys(name for one in self.changes for name in one.muscles))

    @property
    def moved(self) -> bool:
        """Whether any muscle is moved."""
        return any(one.kind == MOVED for one in self.changes)

    def with_change(self, change: MuscleChange) -> Variant:
        """With one change more; refuses a second one of the same muscles that contradicts the first."""
        for one in self.changes:
            same_kind = (one.kind == MOVED) == (change.kind == MOVED)
            if REMOVED in (one.kind, change.kind) or same_kind:
                both = set(one.muscles) & set(change.muscles)
                if both:
                    raise BiomecError(f"“{one.title}” is in this variant already; it cannot also be “{change.title}”.")
        return Variant((*self.changes, change))


def targets_of(readings: MuscleReadings) -> dict[str, tuple[str, ...]]:
    """What can be changed: whole muscles of a side, of both sides, and single parts -> their elements."""
    found: dict[str, tuple[str, ...]] = {}
    for group in readings.groups:
        for side in (Side.RIGHT, Side.LEFT):
            names = readings.of_group(group, side)
            if names:
                found[f"{side.value} {group}"] = names
        every = readings.of_group(group)
        if len({readings.muscle(name).side for name in every}) > 1:
            found[f"{group} of both sides"] = every
    for one in readings.muscles:
        found.setdefault(one.sided_title, (one.name,))
    return found


def proposals(readings: MuscleReadings) -> tuple[Variant, ...]:
    """Changes to begin with: the whole muscles that do most of the work, weakened and removed."""
    effort = means(readings) * readings.paths.fitted.fmax
    work = {
        target: float(sum(effort[readings.place[name]] for name in names))
        for target, names in targets_of(readings).items()
        if not target.endswith("of both sides") and len({readings.muscle(name).group for name in names}) == 1
    }
    hardest = sorted(work, key=lambda target: -work[target])
    groups: list[str] = []
    for target in hardest:
        stem = target.partition(" ")[2]
        if all(stem != one.partition(" ")[2] for one in groups):
            groups.append(target)
    targets = targets_of(readings)
    return tuple(
        Variant((MuscleChange(target, targets[target], kind, 0.5),))
        for target, kind in zip(groups[:3], (WEAKER, REMOVED, WEAKER), strict=False)
    )
