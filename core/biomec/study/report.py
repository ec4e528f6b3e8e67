"""The report of a study: design, who was left out and why, group curves, statistics, quality, provenance.

It consists of the blocks of a clinical report, so that the same writers make a PDF, a page for a browser, a Word
document and an Excel workbook of it. Codes stand for people; no name, day, or name of a file is in it. Conditions and
groups that hold a name get one label each, which all people share.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from biomec._version import __version__
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.reporting.clinical.blocks import ClinicalReport, Heading, LeftOut, Page, Words
from biomec.reporting.statistics.load_comparison import ComparisonOptions
from biomec.reporting.tables import NOTHING, Table, fact_table, number, percent
from biomec.study.comparison import StudyComparison, compare_levels, methods_in_words
from biomec.study.comparison_tables import comparison_table, sources_of, together_table
from biomec.study.discovery import BROKEN
from biomec.study.group_curves import group_grids
from biomec.study.groups import CONDITION, GROUP, VISIT, level_of, levels_of
from biomec.study.study import Study
from biomec.study.tables import Clean
from biomec.study.trial_cycles import INVALID, read_cycles
from biomec.study.trial_tables import CURVE_TABLES
from biomec.study.trials import DUPLICATE, SUPERSEDED, State, StudyTrial

REPORTED = ("angles", "loads")
"""Tables that a report holds unless others are named."""
KINDS = {"angles": "Joint angles", "loads": "Joint loads", "muscles": "Muscles", "contacts": "Joint contact"}
MOST_CYCLES = 60  # excluded cycles that are listed one by one
MEANS = {CONDITION: "condition", VISIT: "visit", GROUP: "group"}


@dataclass(frozen=True)
class StudyReportOptions:
    """What a report of a study holds.

    tables : of curves; angles and loads, as far as they are there, if none is named
    by     : what is compared: condition, visit or group; "" for the first of them that has two levels
    levels : these, in this order; all if none is named
    words  : only curves with one of these in their names
    how    : measure, test and risk
    """

    tables: tuple[str, ...] = ()
    by: str = ""
    levels: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    how: ComparisonOptions = field(default_factory=ComparisonOptions)


def compared_by(study: Study) -> str:
    """What a study is compared by, if nobody says: the first of condition, group and visit that has two levels."""
    counted = [one for one in study.trials if one.counts and one.subject]
    for by in (CONDITION, GROUP, VISIT):
        if len({level_of(one, by) for one in counted} - {""}) > 1:
            return by
    return CONDITION


def tables_there(study: Study) -> tuple[str, ...]:
    """Tables of curves that a trial that counts has."""
    counted = [study.folder_of(one) for one in study.trials if one.counts]
    return tuple(name for name in CURVE_TABLES if any((place / f"{name}.csv").is_file() for place in counted))


def study_report(
    study: Study, options: StudyReportOptions = StudyReportOptions(), progress: Progress | None = None
) -> ClinicalReport:
    """The report of a study as it is now; what cannot be compared is left out with its reason."""
    if not any(one.counts for one in study.trials):
        raise BiomecError("No trial of the study is done, so that there is nothing to report. Run the batch first.")
    clean = Clean(study.trials)
    by = options.by or compared_by(study)
    conditions, groups = clean.levels(lambda one: one.condition), clean.levels(lambda one: one.group)
    labels = {CONDITION: conditions, GROUP: groups}.get(by, {})
    options = replace(options, levels=tuple(labels.get(name, name) for name in options.levels))
    study = replace(
        study,
        trials=tuple(
            replace(one, condition=conditions.get(one.condition, ""), group=groups.get(one.group, ""))
            for one in study.trials
        ),
    )
    there = tables_there(study)
    wanted = options.tables or tuple(name for name in there if name in REPORTED) or there
    pages = [_design(study, by), _left_out(study, clean)]
    missing: list[LeftOut] = []
    for k, table in enumerate(wanted):
        pages += _of_table(study, table, by, options, missing)
        if progress is not None:
            progress((k + 1) / len(wanted))
    pages += [_quality(study, clean), _provenance(study, by)]
    heading = Heading("", None, study.description.name, "", "", "", "", __version__)
    return ClinicalReport("Study report", heading, _highlights(study), tuple(pages), tuple(missing))


# --------------------------------------------------------------------------------------------------------------- design
def _highlights(study: Study) -> tuple[tuple[str, str], ...]:
    counted = [one for one in study.trials if one.counts]
    people = {one.subject for one in counted if one.subject}
    cycles = sum(one.headline.cycles for one in counted)
    return (
        (str(len(people)), "people with results"),
        (f"{len(counted)} of {len(study.trials)}", "trials that count"),
        (str(cycles), "valid cycles"),
        (str(len({one.condition for one in counted if one.condition})), "conditions"),
    )


def _design(study: Study, by: str) -> Page:
    counted = [one for one in study.trials if one.counts and one.subject]
    levels = sorted({level_of(one, by) for one in counted} - {""})
    rows = []
    for code in study.people:
        own = [one for one in study.trials if one.subject == code]
        done = [one for one in own if one.counts]
        cells = [_in_level([one for one in done if level_of(one, by) == level]) for level in levels]
        rows.append((code, _said(one.sex for one in own), _said(one.group for one in own),
                     _mean_of(done, "mass_kg", 1), _mean_of(done, "height_m", 2), *cells))  # fmt: skip
    columns = ("Person", "Sex", "Group", "Mass [kg]", "Stature [m]", *(f"{_titled(by, one)}" for one in levels))
    states = {f"Trials: {state}": str(count) for state, count in study.states.items()}
    sexes = Counter(_said(one.sex for one in study.trials if one.subject == code) for code in study.people)
    facts = fact_table("", {
        "Study": study.description.name,
        "People": str(len(study.people)),
        "Sex": ", ".join(f"{count} {sex if sex != NOTHING else 'not known'}" for sex, count in sexes.items()) or None,
        "Compared by": f"{MEANS[by]}: {', '.join(levels)}" if levels else None,
        **states,
    })  # fmt: skip
    note = "Trials that count, and in brackets their valid cycles. Mass and stature as the model has them."
    words = Words(("Each person counts once in every level of a comparison, by the mean of all valid cycles there.",))
    return Page("study design", "Design", (facts, Table("People", columns, tuple(rows), note), words))


def _titled(by: str, level: str) -> str:
    return f"Visit {level}" if by == VISIT else level


def _in_level(trials: Sequence[StudyTrial]) -> str:
    cycles = sum(one.headline.cycles for one in trials)
    return f"{len(trials)} ({cycles})" if trials else NOTHING


def _said(texts: Iterable[str]) -> str:
    """The texts that are known, each once."""
    return ", ".join(dict.fromkeys(filter(None, texts))) or NOTHING


def _mean_of(trials: Sequence[StudyTrial], name: str, digits: int) -> str:
    values = [value for one in trials if (value := getattr(one.headline, name)) is not None]
    return number(float(np.mean(values)), digits) if values else NOTHING


# ------------------------------------------------------------------------------------------------------------- left out
def _left_out(study: Study, clean: Clean) -> Page:
    names = pseudonyms(study.trials)
    trials = tuple(
        (*name, str(one.state), clean.sentence(one, one.reason) or WHY.get(one.state, ""))
        for name, one in zip(names, study.trials, strict=True)
        if not one.counts
    )
    cycles = []
    for name, one in zip(names, study.trials, strict=True):
        for cycle in one.excluded_cycles:
            which = f"{cycle.side}, from frame {cycle.frame}"
            cycles.append((*name, which, clean.sentence(one, cycle.reason)))
    blocks: list[Words | Table] = []
    columns = ("Person", "Visit", "Condition", "Trial")
    if trials:
        blocks.append(Table("Trials that do not count", (*columns, "State", "Why"), trials))
    if cycles:
        note = f"The first {MOST_CYCLES} of {len(cycles)}." if len(cycles) > MOST_CYCLES else ""
        rows = tuple(cycles[:MOST_CYCLES])
        blocks.append(Table("Cycles taken out by hand", (*columns, "Cycle", "Why"), rows, note))
    return Page("study left out", "Left out", (*blocks, Words(_counts_left_out(study, bool(trials)))))


WHY = {
    State.NOT_RUN: "Not analysed yet.",
    State.STALE: "Recording, settings, excluded cycles or version changed since it was analysed.",
    State.GONE: "Its results are there, its recording is not.",
}


def pseudonyms(trials: Sequence[StudyTrial]) -> tuple[tuple[str, str, str, str], ...]:
    """Person, visit, condition and number of each trial; the condition is expected without names."""
    return tuple(
        (one.subject or "unknown", str(one.visit or NOTHING), one.condition or NOTHING, str(one.number))
        for one in trials
    )


def _counts_left_out(study: Study, some: bool) -> tuple[str, ...]:
    """Sentences about what else does not take part."""
    sentences = [] if some else ["Every trial counts."]
    done = [one for one in study.trials if one.counts]
    found, valid = (sum(getattr(one.headline, name) for one in done) for name in ("cycles_found", "cycles"))
    hand = sum(not cycle.counts and cycle.reason != INVALID for one in done
               for cycle in read_cycles(study.folder_of(one)))  # fmt: skip
    if found > valid:
        sentences.append(
            f"Of {found} cycles in the trials that count, {valid} are valid; {found - valid - hand} were left out "
            f"because not every frame obeys the model, {hand} by hand."
        )
    unknown = sum(not one.subject for one in done)
    if unknown:
        sentences.append(f"{unknown} analysed trials name nobody; they take no part in statistics over people.")
    kinds = Counter(one.kind for one in study.files.values())
    words = {BROKEN: "could not be read", DUPLICATE: "copies of others", SUPERSEDED: "recordings with a project"}
    parts = [f"{kinds[kind]} {what}" for kind, what in words.items() if kinds[kind]]
    if parts:
        sentences.append(f"Other files of the folder: {', '.join(parts)}.")
    return tuple(sentences)


# --------------------------------------------------------------------------------------------------- curves and numbers
def _of_table(
    study: Study, table: str, by: str, options: StudyReportOptions, missing: list[LeftOut]
) -> list[Page]:  # fmt: skip
    title = KINDS.get(table, table)
    try:
        levels = levels_of(study, table, by, options.levels, options.words)
    except BiomecError as error:
        missing.append(LeftOut(title, str(error)))
        return []
    grids = group_grids(levels, "")
    pages = [
        Page(
            f"curves {table}",
            f"{title}: group curves{f', {k} of {len(grids)}' if len(grids) > 1 else ''}",
            (one,),
            True,
        )
        for k, one in enumerate(grids, 1)
    ]
    if len(levels) < 2:
        missing.append(LeftOut(f"{title}: comparison", f"There is one {by} only, {levels[0].name}."))
        return pages
    found = compare_levels(table, by, levels, options.how)
    return [*pages, *comparison_pages(found, title)]


def comparison_pages(found: StudyComparison, title: str) -> list[Page]:
    """Tables of a comparison, and its sentences with what they cite."""
    tables = [comparison_table(pair, found) for pair in found.pairs]
    together = together_table(found)
    sentences = methods_in_words(found)
    sources = sources_of(sentences)
    return [
        Page(f"comparison {found.table}", f"{title}: comparison", (*tables, *([together] if together else []))),
        Page(f"methods {found.table}", f"{title}: how it was compared, and where curves differ",
             (Words(sentences), *([Words(sources, "References")] if sources else []))),
    ]  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- quality
def _quality(study: Study, clean: Clean) -> Page:
    rows = []
    for code in (*study.people, ""):
        done = [one for one in study.trials if one.counts and one.subject == code]
        if not done:
            continue
        heads = [one.headline for one in done]
        verdicts = Counter(one.loads for one in heads if one.loads)
        rows.append(
            (
                code or "unknown",
                str(len(done)),
                f"{sum(one.cycles for one in heads)} of {sum(one.cycles_found for one in heads)}",
                percent(float(np.mean([one.converged for one in heads]))),
                _rms_of(done, "markers_mm"),
                _rms_of(done, "residual_N"),
                _rms_of(done, "residual_Nm"),
                ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()) or NOTHING,
            )
        )
    columns = ("Person", "Trials", "Valid cycles", "Frames that obey the model", "Markers [mm]", "Residual [N]",
               "Residual [N m]", "Loads")  # fmt: skip
    note = (
        "Markers: RMS distance from the model. Residual: RMS force and moment that inverse dynamics leaves over. "
        "Both as root of the mean square over the trials of the person. Loads: verdict about the joint loads."
    )
    warned = Counter(line for one in study.trials if one.record and one.counts for line in _warnings(one, clean))
    said = tuple(f"{line} ({count} trials)" for line, count in warned.most_common(5) if count > 1)
    blocks: list[Words | Table] = [Table("Quality of each person's trials", columns, tuple(rows), note)]
    if said:
        blocks.append(Words(said, "Warnings of more than one trial"))
    return Page("study quality", "Quality", tuple(blocks))


def _warnings(trial: StudyTrial, clean: Clean) -> set[str]:
    lines = trial.record.warnings.splitlines() if trial.record is not None else ()
    return {clean.sentence(trial, line) for line in lines}


def _rms_of(trials: Sequence[StudyTrial], name: str) -> str:
    values = [value for one in trials if (value := getattr(one.headline, name)) is not None]
    return number(math.sqrt(sum(value**2 for value in values) / len(values)), 1) if values else NOTHING


# ----------------------------------------------------------------------------------------------------------- provenance
def _provenance(study: Study, by: str) -> Page:
    done = [one for one in study.trials if one.counts]
    versions = sorted({one.record.biomec for one in done if one.record is not None})
    facts = fact_table("", {
        "Program": f"Biomec {__version__}",
        "Analysed by version": ", ".join(versions),
        "Models": ", ".join(sorted({one.headline.model for one in done})),
        "Settings": "from a file of the study" if study.description.settings is not None else "defaults",
        "Projects with settings of their own": str(sum(one.project for one in done)),
        "Muscle and contact forces": "computed" if study.description.muscles else "not computed",
        "Loads as": study.settings.load_reading.sentence,
        "Cycles": "curves at 0, 1, ... 100 % of the cycle",
        "People": f"codes; compared by {MEANS[by]}",
    })  # fmt: skip
    rows = tuple(
        (*name, one.made_of[:16])
        for name, one in zip(pseudonyms(study.trials), study.trials, strict=True)
        if one.counts
    )
    note = "Fingerprint of recording, static, plates, settings, decisions and version: equal ones give equal numbers."
    trials = Table("What went into each trial", ("Person", "Visit", "Condition", "Trial", "Fingerprint"), rows, note)
    return Page("provenance", "Provenance", (facts, trials))
