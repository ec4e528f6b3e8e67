"""Groups of a study side by side, as blocks to be shown: curves over people, numbers with intervals, words. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from biomec.base.errors import BiomecError
from biomec.reporting.clinical.blocks import Block, Words
from biomec.reporting.statistics.load_comparison import ComparisonOptions
from biomec.reporting.tables import Table, number
from biomec.study.comparison import StudyComparison, compare_levels, methods_in_words, write_comparison
from biomec.study.comparison_tables import comparison_table, sources_of, together_table
from biomec.study.group_curves import UNITS, group_grids
from biomec.study.groups import VISIT, Level, levels_of
from biomec.study.repeatability import StudyReliability, study_reliability
from biomec.study.study import Study

ROWS = 3  # rows of panels of a grid on screen: each picture is as high as a window


@dataclass(frozen=True)
class GroupChoice:
    """What is compared: table of curves, by what, words of which a curve has one, and how."""

    table: str
    by: str
    words: tuple[str, ...] = ()
    how: ComparisonOptions = field(default_factory=ComparisonOptions)


@dataclass(frozen=True, eq=False)
class GroupContent:
    """Curves and statistics of a choice; the comparison is None where there is one level only."""

    choice: GroupChoice
    curves: tuple[Block, ...]
    numbers: tuple[Block, ...]
    comparison: StudyComparison | None

    def write(self, folder: Path) -> tuple[Path, ...]:
        """Write the tables of the comparison into a folder."""
        if self.comparison is None:
            raise BiomecError(f"A comparison by {self.choice.by} needs two of them; the study has one.")
        return write_comparison(self.comparison, folder)


def group_content(study: Study, choice: GroupChoice) -> GroupContent:
    """Compare what is done of a study; a sentence if nothing can be shown."""
    levels = levels_of(study, choice.table, choice.by, words=choice.words)
    curves = group_grids(levels, "", ROWS)
    if len(levels) < 2:
        only = f"There is one {choice.by} only, {levels[0].name}. A comparison needs two."
        return GroupContent(choice, curves, (Words((only,)),), None)
    found = compare_levels(choice.table, choice.by, levels, choice.how)
    sentences = methods_in_words(found)
    together = together_table(found)
    tables = [comparison_table(pair, found) for pair in found.pairs]
    sources = sources_of(sentences)
    numbers: list[Block] = [Words(sentences, "How it was compared, and where curves differ"), *tables]
    numbers += [together] if together is not None else []
    numbers += _repeatability(levels, choice)
    numbers += [Words(sources, "References")] if sources else []
    return GroupContent(choice, curves, tuple(numbers), found)


def _repeatability(levels: tuple[Level, ...], choice: GroupChoice) -> list[Block]:
    """How well numbers repeat from visit to visit; nothing for other levels."""
    if choice.by != VISIT:
        return []
    try:
        found = study_reliability(levels, choice.how.measure)
    except BiomecError as error:
        return [Words((str(error),), "Repeatability")]
    return [_reliability_table(found)]


def _reliability_table(found: StudyReliability) -> Table:
    rows = [
        (f"{name[:1].upper()}{name[1:]} [{UNITS.get(unit, unit)}]", str(one.people), number(one.icc, 2),
         number(one.sem, 2), number(one.mdc95, 2))
        for name, unit, one in zip(found.names, found.units, found.curves, strict=True)
        if one is not None
    ]  # fmt: skip
    return Table("Repeatability from visit to visit", ("Curve", "People", "ICC(2,1)", "SEM", "MDC95"), tuple(rows),
                 found.sentence)  # fmt: skip
