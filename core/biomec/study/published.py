"""The published study of push-ups made anew: every pooled number of [Nunes2017] beside that of virtual people.

Virtual people (`study.virtual_push_ups`) are not the twelve of the publication: sizes and habits differ, plates and
markers are exact but for the noise given to them. Only what follows from the movement itself, such as how alike the
curves of both grips are, may be expected to agree. Published tables pool cycles and frames whoever they are of; so do
these, but for the correlation of mean curves, in which each person counts once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from biomec.base.arrays import read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.reporting.clinical.blocks import ClinicalReport, FigureRequest, Heading, LeftOut, Page, Words
from biomec.reporting.statistics.load_condition import PEOPLE, LoadCondition
from biomec.reporting.tables import NOTHING, Table, number, power, table_text
from biomec.signals.cycle_average import PERCENT_POINTS
from biomec.study import published_numbers as print_
from biomec.study.comparison import StudyComparison, compare_levels
from biomec.study.crew import side_by_side
from biomec.study.group_curves import ROWS, group_grids
from biomec.study.groups import CONDITION, Level, levels_of
from biomec.study.published_numbers import CLOSED, GRIPS, OPEN
from biomec.study.published_parts import Parts, parts_of_project, pooled, read_parts
from biomec.study.record import PROJECT
from biomec.study.study import Study

FOLDER = "published"
ANGLE_FIGURES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "4.21": ("Sternoclavicular angles", ("sternoclavicular",)),
    "4.22": ("Scapula on the thorax", ("scapulothoracic",)),
    "4.23": ("Humerus on the thorax", ("shoulder",)),
    "4.24": ("Elbow", ("elbow",)),
    "4.25": ("Radioulnar joint", ("radioulnar",)),
    "4.26": ("Wrist", ("wrist",)),
}
"""Number of a published figure -> its title, and the joints whose angles it shows."""
LOAD_FIGURES: Mapping[str, tuple[str, str]] = {
    "5.12": ("Sternoclavicular joint", "right sternoclavicular"),
    "5.13": ("Acromioclavicular joint", "right acromioclavicular"),
    "5.14": ("Glenohumeral joint", "right glenohumeral"),
    "5.15": ("Elbow", "right elbow"),
}
COLUMNS = ("table", "quantity", "unit", "published", "published sd", "here", "here sd", "difference")


@dataclass(frozen=True)
class PublishedRow:
    """A published number, and ours: mean and standard deviation, NaN where there is none.

    table : number of the table or figure in print;  quantity : what it is, grip or model included
    """

    table: str
    quantity: str
    unit: str
    published: float
    here: float
    published_sd: float = float("nan")
    here_sd: float = float("nan")

    @property
    def difference(self) -> float:
        """Ours less the published."""
        return self.here - self.published


@dataclass(frozen=True, eq=False)
class PublishedStudy:
    """Everything that is set beside the publication.

    rows  : in the order of print;  both : of all trials, by grip those of a grip
    loads : comparison of both grips;  angles, residual : people of each grip, by the mean of their cycles
    """

    study: Study
    rows: tuple[PublishedRow, ...]
    parts: Mapping[str, Parts]
    both: Parts
    loads: StudyComparison
    angles: tuple[Level, ...]
    residual: tuple[Level, ...]

    def csv(self) -> str:
        """Every published number beside ours."""
        heads = [(row.table, row.quantity, row.unit) for row in self.rows]
        values = [(row.published, row.published_sd, row.here, row.here_sd, row.difference) for row in self.rows]
        return table_text(COLUMNS, heads, np.array(values))


def published_study(study: Study, jobs: int = 1, progress: Progress | None = None) -> PublishedStudy:
    """Pool all trials that count. What a trial adds is found once, by ``jobs`` processes, and kept in a file."""
    trials = [one for one in study.trials if one.counts and one.condition in GRIPS]
    for grip in GRIPS:
        if not any(one.condition == grip for one in trials):
            raise BiomecError(f"No push-up with {grip} hands is done, so that the grips cannot be compared.")
    folder = study.results / FOLDER
    files = [folder / f"{one.id}-{one.made_of[:16]}.json" for one in trials]
    missing = [(study.folder_of(one) / PROJECT, file) for one, file in zip(trials, files, strict=True)
               if not file.exists()]  # fmt: skip
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
    for k, _ in enumerate(side_by_side(_kept, missing, jobs), 1):
        if progress is not None:
            progress(k / len(missing))
    found = [read_parts(file) for file in files]
    parts: dict[str, Parts] = {
        grip: pooled(part for one, part in zip(trials, found, strict=True) if one.condition == grip) for grip in GRIPS
    }
    both = parts[OPEN] + parts[CLOSED]
    joints = tuple(print_.CORRELATION)
    loads = compare_levels("loads", CONDITION, levels_of(study, "loads", levels=GRIPS, words=joints))
    angles = levels_of(study, "angles", CONDITION, GRIPS)
    cycles: dict[str, int] = dict.fromkeys(GRIPS, 0)
    for one in trials:
        cycles[one.condition] += one.headline.cycles
    residual = tuple(_residual_level(grip, [
        (one.subject, part) for one, part in zip(trials, found, strict=True) if one.condition == grip
    ]) for grip in GRIPS)  # fmt: skip
    return PublishedStudy(study, tuple(_rows(parts, both, loads, cycles)), parts, both, loads, angles, residual)


def _residual_level(grip: str, trials: Sequence[tuple[str, Parts]]) -> Level:
    """Residual over the cycle of each person, over the mass [N/kg], [N m/kg], along X, Y, Z of the laboratory."""
    people = tuple(dict.fromkeys(code for code, _ in trials))
    curves, cycles = [], []
    for code in people:
        own = pooled(part for whose, part in trials if whose == code)
        sums = [own.get(f"residual {what} curves") for what in ("force", "torque")]
        curves.append(np.hstack([one.mean for one in sums]))
        cycles.append(sums[0].n)
    names = tuple(f"residual {what} {axis}" for what in ("force", "torque") for axis in print_.AXES)
    percent = read_only(np.linspace(0.0, 100.0, PERCENT_POINTS))
    units = ("N/kg",) * 3 + ("N·m/kg",) * 3
    means = LoadCondition(grip, names, units, percent, read_only(np.stack(curves)), {}, PEOPLE)
    return Level(grip, people, means, tuple(cycles))


def _kept(job: tuple[Path, Path]) -> Path:
    return parts_of_project(*job)


# ---------------------------------------------------------------------------------------------------------------- rows
def _rows(
    parts: Mapping[str, Parts], both: Parts, loads: StudyComparison, cycles: Mapping[str, int]
) -> Iterator[PublishedRow]:
    yield from _effort(both)
    for grip in GRIPS:
        yield PublishedRow("4.3.3", f"valid cycles, {grip}", "1", print_.CYCLES[grip], cycles[grip])
    yield from _angle_rows(parts)
    yield from _methods("5.7", "force", "N", print_.FORCE_ERRORS, both)
    yield from _methods("5.8", "torque", "N m", print_.TORQUE_ERRORS, both)
    for what, unit, published in (
        ("force", "N", print_.PREPARATION_FORCE), ("torque", "N m", print_.PREPARATION_TORQUE),
    ):  # fmt: skip
        for (i, j), value in published.items():
            one = both.get(f"preparation {what} {i} {j}")
            quantity = f"glenohumeral {what}, preparation {i} against {j}"
            yield PublishedRow("5.10", quantity, unit, value, float(one.mean), here_sd=float(one.sd))
    yield from _correlations(loads)
    yield from _share_rows(parts)
    for what, unit, residual in (
        ("force", "N", print_.RESIDUAL_FORCE), ("torque", "N m", print_.RESIDUAL_TORQUE),
    ):  # fmt: skip
        sizes = {
            "RMS": both.get(f"residual {what}").rms,
            "peak": both.peaks.get(f"residual {what}", np.full(4, np.nan)),
        }
        for measure, values in residual.items():
            for axis, value, ours in zip(
                (*print_.AXES, "size"), values, np.broadcast_to(sizes[measure], 4), strict=True
            ):
                yield PublishedRow("5.13", f"residual {what}, {measure} {axis}", unit, value, float(ours))
    for hands, (mean, sd) in print_.ELBOW_OFF_AXIS.items():
        one = parts[hands].get("elbow off axis")
        yield PublishedRow("5.15", f"elbow torque across its axis, {hands}", "mN m/kg", mean, float(one.mean), sd,
                           float(one.sd))  # fmt: skip


def _effort(both: Parts) -> Iterator[PublishedRow]:
    for model, published in print_.EFFORT.items():
        for (name, unit), (mean, sd) in zip(
            (("iterations", "1"), ("increment", "um"), ("shift", "cm")), published, strict=True
        ):
            one = both.get(f"{name} {model}")
            yield PublishedRow("4.6", f"{name}, {model.upper()}", unit, mean, float(one.mean), sd, float(one.sd))


def _angle_rows(parts: Mapping[str, Parts]) -> Iterator[PublishedRow]:
    for name, by_grip in print_.RANGES.items():
        for grip, (mean, sd) in by_grip.items():
            one = parts[grip].get(f"range {name}")
            yield PublishedRow("4.23", f"range of {name}, {grip}", "deg", mean, float(one.mean), sd, float(one.sd))
    scapula, humerus = print_.RANGES
    for grip, ratio in print_.RHYTHM.items():
        quotient = parts[grip].get(f"range {humerus}").mean / parts[grip].get(f"range {scapula}").mean
        yield PublishedRow("4.23", f"range of humerus over that of scapula, {grip}", "1", ratio, float(quotient))
    for grip, percent in print_.PHASE_CHANGE.items():
        curve = parts[grip].get("elbow flexion").mean
        known = curve.size > 1 and bool(np.isfinite(curve).all())
        ours = 100.0 * float(np.argmax(curve)) / (curve.size - 1) if known else np.nan
        yield PublishedRow(
            "4.24", f"greatest flexion of the mean curve of the elbow, {grip}", "%", percent, float(ours)
        )


def _methods(
    table: str, what: str, unit: str, published: Mapping[str, Mapping[str, tuple[print_.Spread, ...]]], both: Parts
) -> Iterator[PublishedRow]:
    for joint, by_kind in published.items():
        for kind, values in by_kind.items():
            one = both.get(f"{what} {joint} {kind}")
            means, sds = (np.broadcast_to(part, 3) for part in (one.mean, one.sd))
            for k, (mean, sd) in enumerate(values):
                quantity = f"{kind} error of the {what}, {joint} {print_.AXES[k]}"
                yield PublishedRow(table, quantity, "%" if kind == print_.RELATIVE else unit, mean, float(means[k]), sd,
                                   float(sds[k]))  # fmt: skip


def _correlations(loads: StudyComparison) -> Iterator[PublishedRow]:
    (pair,) = loads.pairs
    for joint, published in print_.CORRELATION.items():
        places = [c for c, name in enumerate(loads.names) if name.startswith(f"{joint} ")]  # force, then moment
        if len(places) != len(print_.COMPONENTS):
            raise BiomecError(
                f"The loads of the {joint} have {len(places)} components instead of {len(print_.COMPONENTS)}."
            )
        for component, c, r in zip(print_.COMPONENTS, places, published, strict=True):
            ours = float(pair.comparison.pearson[c])
            yield PublishedRow("5.11", f"r of open and closed, {joint} {component}", "1", r, ours)


def _share_rows(parts: Mapping[str, Parts]) -> Iterator[PublishedRow]:
    """Table 5.12; a kind that never occurs has no share."""
    for joint, by_grip in print_.SHARES.items():
        for grip, published in by_grip.items():
            for kind, spread in zip(print_.KINDS, published, strict=True):
                mean, sd = spread or (0.0, np.nan)
                one = parts[grip].get(f"share {joint} {kind}")
                here, here_sd = (float(one.mean), float(one.sd)) if one.n else (0.0, np.nan)
                yield PublishedRow("5.12", f"{kind} of the {joint}, {grip}", "%", mean, here, sd, here_sd)


# -------------------------------------------------------------------------------------------------------------- report
TITLES: Mapping[str, str] = {
    "4.6": "Table 4.6: what consistency takes with each model",
    "4.3.3": "Section 4.3.3: cycles",
    "4.23": "Text of Fig. 4.23: ranges of scapula and humerus",
    "4.24": "Text of Fig. 4.24: turn of the movement",
    "5.7": "Table 5.7: forces of both methods",
    "5.8": "Table 5.8: torques of both methods",
    "5.10": "Tables 5.9 and 5.10: six ways to prepare a recording",
    "5.11": "Table 5.11: correlation of both grips",
    "5.12": "Table 5.12: shares of the joint force",
    "5.13": "Table 5.13: residual",
    "5.15": "Text of Fig. 5.15: torque across the axis of the elbow",
}
NOTES: Mapping[str, str] = {
    "5.7": "Both methods solve the same equations here, so that rounding remains; in print, the multibody solution "
    "was less exact.",
    "5.10": "Ways 1 to 6 are those of Table 5.9. Published of one cycle; here the mean ± SD over trials.",
    "5.12": "Compression of the elbow along −Y of the humerus, towards the hand: +Y, which is in print, would pull the "
    "ulna off, and give the opposite of the published shares.",
    "5.13": "Virtual plates are exact but for noise, and virtual people weigh what their model weighs.",
}
NOTES = {**NOTES, "5.8": NOTES["5.7"]}


def published_report(found: PublishedStudy, version: str) -> ClinicalReport:
    """Every table and every pooled figure, each beside the published numbers, for the writers of reports."""
    words = (
        "Virtual people, not those of the publication: what follows from the movement may agree, what follows from "
        "their bodies, habits and instruments need not. Nothing was fitted to the published numbers."
    )
    pages = [Page("published words", "How to read this", (Words((words,)),))]
    pages += [
        Page(f"published {table}", title, (_table(table, [row for row in found.rows if row.table == table]),))
        for table, title in TITLES.items()
    ]
    stick = FigureRequest("stick", "A: the arms begin to bend; C: they are bent most; A again: they are straight.")
    pages.append(Page("figure 4.20", "Fig. 4.20: one push-up", (stick,), True))
    for figure, (title, joints) in ANGLE_FIGURES.items():
        names = [f"{side} {joint} " for joint in joints for side in ("right", "left")]
        pages.append(_figure(figure, title, [_chosen(level, names) for level in found.angles]))
    for figure, (title, joint) in LOAD_FIGURES.items():
        levels = [_chosen(level, [f"{joint} "]) for level in found.loads.levels]
        pages.append(_figure(figure, f"{title}: force and torque", levels))
    pages.append(_figure("5.17", "Residual", list(found.residual)))
    heading = Heading("", None, found.study.description.name, "", "", "", "", version)
    counted = [one for one in found.study.trials if one.counts]
    highlights = ((str(len({one.subject for one in counted})), "virtual people"), (str(len(counted)), "trials"),
                  (str(sum(one.headline.cycles for one in counted)), "valid cycles"),
                  (str(len(found.rows)), "published numbers"))  # fmt: skip
    left_out = (LeftOut("Fig. 5.16", "It draws what compression, traction and shear mean, and shows no result."),)
    return ClinicalReport("The published study of push-ups, made anew", heading, highlights, tuple(pages), left_out)


def _table(table: str, rows: list[PublishedRow]) -> Table:
    columns = ("Quantity", "Published", "Here", "Difference")
    cells = tuple(
        (f"{row.quantity[:1].upper()}{row.quantity[1:]} [{row.unit}]", _spread(row.published, row.published_sd),
         _spread(row.here, row.here_sd), _small(row.difference))
        for row in rows
    )  # fmt: skip
    note = NOTES.get(table, "")
    if table == "4.6":
        note = _shift_words(rows)
    return Table("", columns, cells, note)


def _shift_words(rows: list[PublishedRow]) -> str:
    ours = {row.quantity: row.here for row in rows}
    fewer = 100.0 * (ours["iterations, M17"] / ours["iterations, M21"] - 1.0)
    return f"Published: M17 takes 30.3 % fewer iterations; here {abs(fewer):.1f} % {'fewer' if fewer < 0 else 'more'}."


def _spread(mean: float, sd: float) -> str:
    return _small(mean) + (f" ± {_small(sd)}" if np.isfinite(sd) else "")


def _small(value: float) -> str:
    if not np.isfinite(value):
        return NOTHING
    return number(value, 3 if abs(value) < 10.0 else 1) if value == 0.0 or abs(value) >= 1e-3 else power(value)


def _chosen(level: Level, beginnings: list[str]) -> Level:
    """A level with the curves whose names begin so."""
    old = level.means
    places = [c for c, name in enumerate(old.names) if name.startswith(tuple(beginnings))]
    means = type(old)(old.title, tuple(old.names[c] for c in places), tuple(old.units[c] for c in places), old.percent,
                      old.curves[:, :, places], {name: one[:, places] for name, one in old.measures.items()},
                      old.sample)  # fmt: skip
    return Level(level.name, level.people, means, level.cycles)


def _figure(figure: str, title: str, levels: list[Level]) -> Page:
    drawn = sorted(levels, key=lambda one: one.name != CLOSED)  # closed hands in blue, open ones in red, as published
    return Page(f"figure {figure}", f"Fig. {figure}: {title}", group_grids(drawn, "", ROWS), True)
