"""What a report of an analysis says, as sentences and tables: who, what, by which model, how well, and the angles.

Only words and numbers: pictures and paper are the desktop program's. Nothing here depends on the day or the machine.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np

from biomec._version import __version__
from biomec.base.notices import Notice, NoticeGroup, Severity, leading, notice_groups
from biomec.body.anatomy.centres import CENTRE_METHODS
from biomec.body.kinematics.joint_angles import JointAngles
from biomec.engine.position import FrameStatus
from biomec.pipeline.analysis import Analysis
from biomec.recording import Trial
from biomec.recording.marker_set import Side
from biomec.recording.step import plain_data
from biomec.recording.trial import is_angle
from biomec.reporting.content.device_section import device_section
from biomec.reporting.content.load_section import loads_section
from biomec.reporting.content.muscle_section import muscles_section
from biomec.reporting.content.plug_in_gait_section import plug_in_gait_section
from biomec.reporting.content.time_and_distance_section import time_and_distance_section
from biomec.reporting.facts import (
    constraint_words,
    count_notices,
    cycle_facts,
    finite_mean,
    model_facts,
    motion_facts,
    signal_facts,
    subject_facts,
    trial_facts,
)
from biomec.reporting.indices.push_ups import push_up_section
from biomec.reporting.indices.scapulohumeral import shoulder_section
from biomec.reporting.statistics.angle_ranges import (
    AngleError,
    AngleRange,
    angle_errors,
    angle_range,
    angle_rows,
    cycle_sides,
)
from biomec.reporting.statistics.recording_quality import spreads
from biomec.reporting.tables import NOTHING, Section, Table, degrees, fact_table, number, power

MILLIMETRE = 1e3
WORST = 6  # landmarks and markers listed
LIBRARIES = ("numpy", "scipy", "numba")  # whose versions may change a digit
_ABSOLUTE = re.compile(r"^(?:/|~|\\\\|[A-Za-z]:[\\/])|[\\/].*\.toml$")


@dataclass(frozen=True)
class ReportContent:
    """A report.

    highlights : the few numbers that a reader wants first, with what they are
    sections   : title -> section; "Joint angles", "How good it is" … in the order of reading
    leading    : at most three notices to read first
    notices    : in groups, the most important first
    """

    title: str
    subtitle: str
    highlights: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    notices: tuple[NoticeGroup, ...]
    leading: tuple[Notice, ...] = ()

    def section(self, title: str) -> Section | None:
        """The section of that title, if the report has it."""
        return next((one for one in self.sections if one.title == title), None)


SUBJECT, RECORDING, MODEL, ANGLES = "Subject", "Recording", "Model", "Joint angles"
QUALITY, CYCLES, TRUTH, PROVENANCE = "How good it is", "Cycles", "Errors against the truth", "Provenance"


def report_content(analysis: Analysis, truth: JointAngles | None = None) -> ReportContent:
    """Everything a report says. ``truth``: the true angles of a virtual subject, if they are known."""
    session = analysis.session
    walk = time_and_distance_section(analysis)
    sections = [_subject(analysis), _recording(analysis), *([] if walk is None else [walk]), _angles(analysis)]
    sections += [cycles_section(analysis), quality_section(analysis)]
    pushed = push_up_section(analysis)
    shoulders = shoulder_section(analysis)
    sections += [one for one in (pushed, shoulders) if one is not None]
    if "loads" in analysis.done:
        sections.append(loads_section(analysis))
    devices = device_section(analysis)
    sections += [] if devices is None else [devices]
    if "muscles" in analysis.done:
        sections.append(muscles_section(analysis))
    vicon = plug_in_gait_section(analysis)
    sections += [] if vicon is None else [vicon]
    if truth is not None:
        sections.append(_truth(analysis, truth))
    sections += [model_section(analysis), provenance_section(analysis)]
    who = analysis.body.subject.name or "Subject without a name"
    when = "" if session.recorded is None else f", recorded {session.recorded.isoformat()}"
    return ReportContent(
        who,
        f"{session.dynamic.source.name}{when}",
        _highlights(analysis, truth),
        tuple(sections),
        notice_groups(analysis.notices),
        leading(analysis.notices),
    )


def _highlights(analysis: Analysis, truth: JointAngles | None) -> tuple[tuple[str, str], ...]:
    motion = motion_facts(analysis.motion)
    problems, warnings = (count_notices(analysis, severity) for severity in (Severity.PROBLEM, Severity.WARNING))
    figures = [
        (motion["solved"].text, "frames obey the model"),
        (number(motion["marker_rms"].value, 1, "mm"), "markers to model, rms"),
        (cycle_facts(analysis)["valid"].text, "cycles are valid"),
        (f"{_counted(problems, 'problem')}, {_counted(warnings, 'warning')}", "in the notices"),
    ]
    if truth is not None:
        squares = [one.rms**2 for one in angle_errors(analysis.angles, truth)]
        error = np.sqrt(np.mean(squares)) if squares else None
        figures.append((degrees(error, 2) + "°", "angles to truth, rms of all"))
    return tuple(figures)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


# --------------------------------------------------------------------------------------------------- who, what, by what
def _subject(analysis: Analysis) -> Section:
    facts = subject_facts(analysis)
    shown = [facts[key] for key in ("name", "sex", "age", "mass", "height") if key != "age" or facts[key].value]
    about: dict[str, str | None] = {fact.label: fact.text for fact in shown}
    weighed = facts["weighed"]
    about[weighed.label] = None if weighed.value is None else weighed.text
    about |= {_words(name): _measure(name, value) for name, value in sorted(analysis.session.subject.measures.items())}
    return Section(SUBJECT, (), (fact_table("", about),))


def _measure(name: str, value: float) -> str:
    if is_angle(name):
        return degrees(value) + "°"
    return number(MILLIMETRE * value, 0, "mm")


def _words(name: str) -> str:
    """``leg_length_D`` -> "Leg length, right"."""
    side = {"_D": ", right", "_E": ", left"}.get(name[-2:], "")
    return (name[:-2] if side else name).replace("_", " ").capitalize().replace("Asis", "ASIS") + side


def _recording(analysis: Analysis) -> Section:
    session, held = analysis.session, analysis.motion.contacts
    facts = {**trial_facts(analysis.signals.trial), **signal_facts(analysis)}
    about: dict[str, str | None] = {
        "Movement": session.dynamic.source.name,
        "Static": NOTHING if session.static is None else session.static.source.name,
    }
    about |= {facts[key].label: facts[key].text for key in ("length", "markers", "samples", "filter", "plates")}
    about["Held by the ground"] = None if held is None or not held.segments else ", ".join(held.segments)
    return Section(RECORDING, (), (fact_table("", about),))


def model_section(analysis: Analysis) -> Section:
    """The model of the body, its masses and joint centres."""
    body, facts = analysis.body.person, model_facts(analysis)
    inertia: dict[str, dict[str, None]] = {}
    for part in body.inertia.segments.values():
        table, _, row = part.source.partition(": ")
        inertia.setdefault(table, {})[row or part.row] = None
    about = {
        facts["name"].label: facts["name"].text,
        facts["size"].label: facts["size"].text,
        "Inertia": "; ".join(f"{table} ({', '.join(rows)})" for table, rows in inertia.items()) or "none",
        facts["left_out"].label: facts["left_out"].text or None,
    }
    methods: dict[str, list[str]] = {}
    for point, method in body.plan.methods.items():
        if method in CENTRE_METHODS:
            methods.setdefault(method, []).append(point)
    centres = tuple(
        (", ".join(points), CENTRE_METHODS[method].title, f"{method} [{CENTRE_METHODS[method].source}]")
        for method, points in methods.items()
    )
    tables = [fact_table("", about), Table("Joint centres", ("Points", "How", "Method [source]"), centres)]
    if body.surfaces:
        rows = tuple(
            (
                name,
                " × ".join(number(MILLIMETRE * float(r), 0) for r in surface.radii),
                number(MILLIMETRE * surface.dilation_m, 1),
                surface.source,
            )
            for name, surface in body.surfaces.items()
        )
        columns = ("Contact", "Half axes [mm]", "Enlarged by [mm]", "Source")
        tables.append(Table("Ribcage under the scapulae", columns, rows))
    return Section(MODEL, (), tuple(tables))


# ------------------------------------------------------------------------------------------------------- how good it is
def quality_section(analysis: Analysis) -> Section:
    """How well the movement obeys the model, and which markers fit worst."""
    motion, position = analysis.motion, analysis.motion.position
    valid = motion.valid
    facts = motion_facts(motion)
    about: dict[str, str | None] = {facts[key].label: facts[key].text for key in ("method", "solved")}
    for status in FrameStatus:
        count = int((position.status == status).sum())
        if count and status is not FrameStatus.PHI:
            about[f"Other frames: {status.name.lower().replace('_', ' ')}"] = f"{count}. {status.sentence}"
    if valid.any():
        about |= {facts[key].label: facts[key].text for key in ("iterations", "violation", "marker_rms")}
    violations = tuple(
        (constraint_words(kind), power(finite_mean(before[valid])), power(finite_mean(position.after[kind][valid])))
        for kind, before in position.before.items()
    )
    tables = [
        fact_table("", about),
        Table(
            "Violation of the constraints, mean of a row",
            ("Constraint", "As measured", "Consistent"),
            violations,
            "In the unit of the row: metres for joints, m² or none for lengths and right angles of segments.",
        ),
    ]
    for caption, names, distances in (
        ("Markers farthest from the model", motion.markers, motion.marker_residual),
        ("Landmarks that moved most to obey the model", motion.landmarks, motion.distance),
    ):
        rows = tuple(
            (one.name, *(number(MILLIMETRE * x, 1) for x in (one.rms, one.median, one.p95, one.largest)))
            for one in spreads(names, distances, valid)[:WORST]
        )
        if rows:
            tables.append(Table(caption, ("Name", "rms [mm]", "Median", "95 %", "Largest"), rows))
    return Section(QUALITY, (), tuple(tables))


# ------------------------------------------------------------------------------------------------------ angles, cycles
def _angles(analysis: Analysis) -> Section:
    angles, curves = analysis.angles, analysis.cycles.curves
    rows, middle = [], []
    for row in angle_rows(angles):
        title = f"{row.title}, {row.directions}"
        if row.middle is not None:
            for side in cycle_sides(curves, None):
                whose = "" if side is None else f", {side.value} cycles"
                middle.append((f"{title}{whose}", *_cells(angle_range(angles, row.middle, curves, side))))
            continue
        ranges = {side: angle_range(angles, name, curves, side) for side, name in row.sides.items()}
        right, left = ranges.get(Side.RIGHT), ranges.get(Side.LEFT)
        apart = float("nan") if right is None or left is None else left.range - right.range
        rows.append((title, *_cells(right), *_cells(left), degrees(apart)))
    how = "Lowest and highest angle and the range between them [°]"
    if curves:
        note = f"{how}: means over the valid cycles, ± standard deviation of the range."
    else:
        note = f"{how}, over all frames that obey the model."
    if angles.options.subtract_static:
        note += " Angles count from the static pose."
    columns = ("Angle", "right low", "high", "range", "left low", "high", "range", "left − right")
    tables = [Table("Both sides", columns, tuple(rows), note)] if rows else []
    if middle:
        tables.append(Table("Trunk and head", ("Angle", "low", "high", "range"), tuple(middle), "" if rows else note))
    return Section(ANGLES, (), tuple(tables))


def _cells(one: AngleRange | None) -> tuple[str, str, str]:
    if one is None:
        return NOTHING, NOTHING, NOTHING
    spread = f" ± {degrees(one.spread)}" if np.isfinite(one.spread) else ""
    return degrees(one.lowest), degrees(one.highest), degrees(one.range) + spread


def cycles_section(analysis: Analysis) -> Section:
    """All cycles with their frames, times, and whether they are valid."""
    all_cycles = analysis.cycles
    rows = []
    for name, cycles in all_cycles.groups.items():
        first_frame = analysis.signals.trial.first_frame
        parts = zip(cycles.spans, cycles.durations_s, cycles.phase_changes_percent, cycles.valid, strict=True)
        for k, ((first, last), seconds, phase, ok) in enumerate(parts, start=1):
            frames = f"{first_frame + int(first)} to {first_frame + int(last)}"
            side = "" if name == "both" else f"{name.lower()} "
            turns = number(float(phase), 0, "%")
            rows.append((f"{side}{k}", frames, number(float(seconds), 2), turns, "yes" if ok else "no"))
    if not rows:
        return Section(CYCLES, ("No cycles were found; angles are shown over the time of the recording.",))
    by = cycle_facts(analysis)["by"]
    columns = ("Cycle", "Frames", "Seconds", f"{all_cycles.phase.capitalize()} at", "Valid")
    return Section(CYCLES, (f"{by.label} {by.text}.",), (Table("", columns, tuple(rows)),))


def _truth(analysis: Analysis, truth: JointAngles) -> Section:
    errors = {one.name: one for one in angle_errors(analysis.angles, truth)}
    rows, middle = [], []
    for row in angle_rows(analysis.angles):
        cells = {side: _error_cells(errors.get(name)) for side, name in row.sides.items()}
        title = f"{row.title}, {row.directions}"
        if row.middle is not None:
            middle.append((title, *cells[None]))
        else:
            none = _error_cells(None)
            rows.append((title, *cells.get(Side.RIGHT, none), *cells.get(Side.LEFT, none)))
    note = "Computed minus true angle [°]: root mean square, largest, mean."
    columns = ("Angle", "right rms", "largest", "mean", "left rms", "largest", "mean")
    tables = [Table("Both sides", columns, tuple(rows), note)] if rows else []
    if middle:
        short = ("Angle", "rms", "largest", "mean")
        tables.append(Table("Trunk and head", short, tuple(middle), "" if rows else note))
    return Section(TRUTH, ("The subject is virtual, so that its true motion is known.",), tuple(tables))


def _error_cells(error: AngleError | None) -> tuple[str, str, str]:
    if error is None:
        return NOTHING, NOTHING, NOTHING
    return degrees(error.rms, 2), degrees(error.largest, 2), degrees(error.offset, 2)


# ----------------------------------------------------------------------------------------------------- where it is from
def provenance_section(analysis: Analysis) -> Section:
    """Versions, files and all settings."""
    session = analysis.session
    trials: dict[str, Trial | None] = {"Movement": session.dynamic, "Static": session.static}
    files = {}
    for what, trial in trials.items():
        if trial is not None:
            source = trial.source
            files[(source.name, source.sha256)] = (what, source.name, source.format, source.sha256)
    for original in session.originals:
        source = original.source
        files.setdefault((source.name, source.sha256), ("Original", source.name, source.format, source.sha256))
    versions = {"Biomec": __version__, "Python": platform.python_version()}
    versions |= {name: metadata.version(name) for name in LIBRARIES}
    default = _flat(plain_data(type(analysis.settings)()))
    settings = tuple(
        (name, value, "" if default.get(name) == value else "changed")
        for name, value in _flat(plain_data(analysis.settings)).items()
    )
    return Section(
        PROVENANCE,
        (", ".join(f"{name} {version}" for name, version in versions.items()) + ".",),
        (
            Table("Files", ("", "Name", "Format", "SHA-256"), tuple(files.values())),
            Table("Settings", ("Setting", "Value", ""), settings, "SI units unless a name says otherwise."),
        ),
    )


def _flat(value: Any, name: str = "") -> dict[str, str]:
    """Nested settings as one table: dotted name -> text. Of a file only its name is given, not where it lies."""
    if isinstance(value, Mapping) and value:
        return {k: v for key, item in value.items() for k, v in _flat(item, f"{name}.{key}" if name else key).items()}
    if isinstance(value, Mapping | list | tuple) and not value:
        return {name: NOTHING}
    if isinstance(value, list | tuple):
        return {name: ", ".join(next(iter(_flat(item, name).values())) for item in value)}
    if isinstance(value, str) and _ABSOLUTE.search(value):
        value = re.split(r"[\\/]", value.rstrip("\\/"))[-1]
    return {name: NOTHING if value is None else str(value)}
