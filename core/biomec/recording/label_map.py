"""A laboratory's labels and what Biomec calls them: a mapping profile that is made once and used for every file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict


@dataclass(frozen=True)
class LabelMap:
    """Which label of a laboratory is which marker of a set.

    name       : name of the profile, such as the laboratory's
    marker_set : name of the marker set that the targets belong to
    targets    : label in the file -> marker of the set; every marker has at most one label
    ignored    : labels that mean nothing to the set, so that nobody is asked about them again
    """

    name: str
    marker_set: str
    targets: Mapping[str, str]
    ignored: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "targets", FrozenDict(dict(self.targets)))
        object.__setattr__(self, "ignored", tuple(self.ignored))
        for target, count in Counter(self.targets.values()).items():
            if count > 1:
                labels = " and ".join(label for label, aim in self.targets.items() if aim == target)
                raise BiomecError(
                    f"Mapping {self.name}: {labels} are all mapped to {target}. Keep the label that is meant and "
                    f"ignore the others."
                )
        both = sorted(set(self.ignored) & set(self.targets))
        if both:
            raise BiomecError(f"Mapping {self.name}: {', '.join(both)} is both mapped and ignored. Decide for one.")
