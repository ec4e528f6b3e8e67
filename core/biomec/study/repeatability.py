"""How well numbers of people repeat from visit to visit: ICC, SEM and the least change that can be told from chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError
from biomec.reporting.statistics.repeatability import Reliability, reliability
from biomec.reporting.tables import table_text
from biomec.study.groups import Level

FEWEST_PEOPLE = 2
METHOD = (
    "ICC(2,1), SEM = √EMS and MDC95 = 1.96 √2 SEM by the mean squares of people, visits and the rest [ShroutFleiss1979]"
)


@dataclass(frozen=True, eq=False)
class StudyReliability:
    """Reliability of a measure of every curve (C,) over the people who came to all visits; None where too few did."""

    measure: str
    visits: tuple[str, ...]
    people: tuple[str, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]
    curves: tuple[Reliability | None, ...]

    @property
    def sentence(self) -> str:
        """What was done, so that it can be cited."""
        return (
            f"{self.measure.capitalize()} of each cycle, mean of each person and visit; {len(self.people)} people with "
            f"{len(self.visits)} visits each. {METHOD}."
        )


def study_reliability(visits: Sequence[Level], measure: str = "peak") -> StudyReliability:
    """Reliability over two visits or more."""
    if len(visits) < 2:
        raise BiomecError(f"Repeatability needs two visits of the same people; the study has {len(visits)}.")
    common = tuple(code for code in visits[0].people if all(code in one.people for one in visits))
    if len(common) < FEWEST_PEOPLE:
        raise BiomecError(
            f"Repeatability needs {FEWEST_PEOPLE} people who came to all of the visits "
            f"{', '.join(one.name for one in visits)}; there are {len(common)}."
        )
    values = np.stack([one.only(common).means.measures[measure] for one in visits], axis=1)  # (people, visits, C)
    curves: list[Reliability | None] = []
    for c in range(values.shape[2]):
        whole = values[np.isfinite(values[:, :, c]).all(axis=1), :, c]
        curves.append(reliability(whole) if len(whole) >= FEWEST_PEOPLE else None)
    means = visits[0].means
    return StudyReliability(measure, tuple(one.name for one in visits), common, means.names, means.units, tuple(curves))


def write_reliability(found: StudyReliability, path: Path) -> None:
    """A row for each curve."""
    known = [(name, unit, one) for name, unit, one in zip(found.names, found.units, found.curves, strict=True) if one]
    rows = [(name, unit, found.measure, one.people, one.occasions) for name, unit, one in known]
    values = np.array([[one.icc, one.sem, one.mdc95] for _, _, one in known]).reshape(-1, 3)
    head = ["curve", "unit", "measure", "people", "visits", "ICC(2,1)", "SEM", "MDC95"]
    with atomic_path(path) as temporary:
        temporary.write_text(table_text(head, rows, values), encoding="utf-8")
