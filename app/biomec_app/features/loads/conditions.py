"""Loads of recordings beside each other: comparison of two, order of all. Knows no Qt.

The numbers are those of the command line: the same functions of the library, with the same options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from biomec.base.progress import Progress, part_of
from biomec.body.loads.load_components import LoadReading
from biomec.pipeline.analysis import Analysis
from biomec.reporting.statistics.load_comparison import ComparisonOptions, LoadComparison, compare_conditions
from biomec.reporting.statistics.load_ranking import ExerciseRanking, rank_exercises
from biomec.reporting.statistics.loads_over_cycles import exercise_of, loads_over_cycles, refuse_unlike
from biomec.reporting.tables import Section, Table

Recordings = Mapping[str, Analysis]
"""What a recording is called -> its analysis."""
CURVES = 6  # columns of a comparison that are about a measure; those after it are about whole curves


def with_loads(recordings: Recordings, progress: Progress | None = None) -> dict[str, Analysis]:
    """Compute the loads of those that have none, or old ones; refuse those that cannot stand beside each other."""
    found, count = {}, len(recordings)
    for k, (name, analysis) in enumerate(recordings.items()):
        found[name] = analysis.run_until("loads", part_of(progress, k / count, (k + 1) / count))
    refuse_unlike(found)
    return found


def shared_joints(recordings: Recordings) -> tuple[str, ...]:
    """Joints of the models of all recordings, in the order of the first."""
    names = [
        [joint.name for joint in one.body.person.model.joints
         if joint.name in {c.name for c in one.body.person.system.constraints}]
        for one in recordings.values()
    ]  # fmt: skip
    return tuple(name for name in names[0] if all(name in other for other in names[1:])) if names else ()


def compared(
    first: tuple[str, Analysis],
    second: tuple[str, Analysis],
    reading: LoadReading,
    options: ComparisonOptions,
    joints: Sequence[str] = (),
    progress: Progress | None = None,
) -> LoadComparison:
    """The second recording against the first, over their valid cycles."""
    both = with_loads(dict([first, second]), part_of(progress, 0.0, 0.7))
    conditions = [loads_over_cycles(analysis, name, reading, joints) for name, analysis in both.items()]
    return compare_conditions(conditions[0], conditions[1], options)


def comparison_sections(found: LoadComparison, reading: LoadReading) -> tuple[Section, ...]:
    """The table, divided where it would be too wide, with what is to be said about it."""
    whole = found.table()
    measure, curves = (
        Table(whole.caption, tuple(whole.columns[k] for k in columns),
              tuple(tuple(row[k] for k in columns) for row in whole.rows), whole.note)
        for columns in ((*range(CURVES),), (0, *range(CURVES, len(whole.columns))))
    )  # fmt: skip
    sentences = (f"Joint loads: {reading.words}.", *(notice.sentence for notice in found.notices))
    return Section(found.options.measure.capitalize(), sentences, (measure,)), Section("Whole curves", (), (curves,))


def ranked(
    recordings: Recordings, joints: Sequence[str] | None = None, progress: Progress | None = None
) -> ExerciseRanking:
    """All recordings in order of joint load."""
    known = with_loads(recordings, progress)
    return rank_exercises([exercise_of(analysis, name) for name, analysis in known.items()], joints or None)


def ranking_sections(found: ExerciseRanking) -> tuple[Section, ...]:
    """The order, and the joints behind it."""
    return Section("Order", found.sentences, (found.table(),)), Section("Joints", (), (found.joint_table(),))
