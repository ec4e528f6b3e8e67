"""What a report says about the loads of the joints: how far to trust them, how large they were, and what residual
reduction changed.
"""

from __future__ import annotations

from dataclasses import replace

from biomec.base.physics import GRAVITY
from biomec.body.loads.load_statistics import JointPeaks, Peak
from biomec.pipeline.analysis import Analysis
from biomec.reporting.content.dynamic_section import change_sections
from biomec.reporting.content.load_tables import residual_table, share_table
from biomec.reporting.facts import load_facts
from biomec.reporting.statistics.load_condition import peaks_of
from biomec.reporting.tables import NOTHING, Section, Table, fact_table, number, percent

MM, PERCENT = 1e3, 100.0


LOADS = "Joint loads"
RIGHT, LEFT = "right ", "left "
ESTIMATED = "*"  # mark of peaks


def loads_section(analysis: Analysis) -> Section:
    """Trust first, then peaks of every joint on both sides."""
    found = analysis.loads
    facts = load_facts(analysis)
    shown = ["methods", "difference", "reading", "external", "plates", "estimated", "residual", "mass"]
    if found.multibody.contacts:
        shown.remove("difference")  # they differ on purpose
    if facts["mass"].value is None:
        shown.remove("mass")
    sentences = tuple(one.sentence for one in found.trust.steps if one.sentence not in facts["trust"].text)
    about: dict[str, str | None] = {facts[key].label: facts[key].text for key in shown}
    tables = [
        fact_table("", about),
        *_steps(analysis),
        *_residual(analysis),
        *_reduced(analysis),
        *_contacts(analysis),
        *_peaks(analysis),
        *[one for one in (share_table(analysis), residual_table(analysis)) if one is not None],
    ]
    changes = () if found.reduced is None else tuple(one.sentence for one in found.reduced.notices)
    return Section(LOADS, (facts["trust"].text, facts["advice"].text, *sentences, *changes), tuple(tables))


def _steps(analysis: Analysis) -> list[Table]:
    """Every contact with a plate, with the figures behind its grade; and its joints."""
    rows, joints = [], []
    for one in analysis.loads.trust.steps:
        made, when = one.figures, f"{number(one.on_s, 2)} to {number(one.off_s, 2)}"
        cells = (PERCENT * made.delta, 1), (1e3 * made.run_s, 0), (made.rms_bw, 2), (MM * made.place_m, 0)
        figures = (number(value, digits) for value, digits in (*cells, (1e3 * made.lag_s, 0)))
        rows.append((one.title, when, str(one.grade) + (f": {one.fault}" if one.fault else ""), *figures))
        joints += [
            (one.title, when, joint.joint.capitalize(), str(joint.grade), number(joint.error, 2), number(joint.peak, 2),
             number(MM * joint.misfit_m, 0))
            for joint in one.joints.values()
        ]  # fmt: skip
    if not rows:
        return []
    columns = ("Contact", "Time [s]", "Grade", "Force [%]", "Missing [ms]", "Residual [BW]", "Place [mm]", "Lag [ms]")
    note = (
        "Force: measured against m(g + a) of the motion while no other foot is down. Missing: longest time with more "
        "than 0.15 body weights too little. Residual: RMS. Place: by how far the centre of pressure is off, by the "
        "motion of the whole body. Lag: of the plates behind the motion."
    )
    tables = [Table("Contacts with plates", columns, tuple(rows), note)]
    if joints:
        heads = (
            "Contact",
            "Time [s]",
            "Joint",
            "Grade",
            "Expected error [N·m/kg]",
            "Peak [N·m/kg]",
            "Markers off [mm]",
        )
        tables.append(Table("Expected error of the measurement of joint moments", heads, tuple(joints)))
    return tables


def _residual(analysis: Analysis) -> list[Table]:
    size, reduced = analysis.loads.trust.residuals, analysis.loads.reduced is not None
    if not size.verdicts:
        return []
    found = (size.force_rms[3], size.force_peak[3], size.torque_rms[3], size.torque_peak[3])
    rows = [("Here", *(number(float(value), 1) for value in found), "")]
    for one in size.verdicts:
        limit = one.threshold
        limits = (limit.force_rms, limit.force_peak, limit.torque_rms, limit.torque_peak)
        kept = "" if not reduced else "kept" if one.kept else "exceeded"
        rows.append((limit.name, *(number(value, 0) for value in limits), kept))
    columns = ("Residual", "Force, RMS [N]", "peak", "Torque, RMS [N·m]", "peak", "")
    note = "" if reduced else "The limits are meant for what residual reduction leaves; here they judge nothing."
    return [Table("Residual beside limits after residual reduction", columns, tuple(rows), note)]


def _reduced(analysis: Analysis) -> list[Table]:
    """Every change of residual reduction, if it was asked for."""
    reduced = analysis.loads.reduced
    if reduced is None or not reduced.changed:
        return []
    tables = [(one.title.lower(), table) for one in change_sections(analysis) for table in one.tables]
    what = "Residual reduction" if reduced.dynamics is None else "Dynamically consistent motion"
    return [replace(table, caption=f"{what}: {title}") for title, table in tables]


def _contacts(analysis: Analysis) -> list[Table]:
    trust = analysis.loads.trust
    if not trust.contacts:
        return []
    rows = []
    for one in trust.contacts:
        sizes = (number(value, 0) for value in (one.mean, one.highest, one.lowest))
        rows.append((f"{one.contact[0].upper()}{one.contact[1:]}", *sizes, percent(one.share)))
    columns = ("Contact", "Mean [N]", "Highest [N]", "Lowest [N]", "Frames that pull")
    note = (
        "Along the normal of the ribs: positive where the scapula is pressed on them. Ribs cannot pull; where the "
        "force is negative, muscles that are not in the model hold the scapula."
    )
    joints = [
        (f"{one.joint[0].upper()}{one.joint[1:]}", number(one.force, 0), number(one.force_without, 0))
        for one in trust.effects
    ]
    tables = [Table("What the ribs bear of the scapulae", columns, tuple(rows), note)]
    if joints:
        heads = ("Joint", "With [N]", "Without [N]")
        tables.append(Table("Mean joint force with and without these contacts", heads, tuple(joints)))
    return tables


def _peaks(analysis: Analysis) -> list[Table]:
    weight = GRAVITY * float(analysis.body.person.measures["mass"])
    columns = {one.joint: one for one in peaks_of(analysis)}
    both, middle = [], []
    for joint in reversed(columns):
        if joint.startswith(LEFT) and joint.replace(LEFT, RIGHT, 1) in columns:
            continue
        if joint.startswith((RIGHT, LEFT)):
            name = joint.split(" ", 1)[1]
            sides = [_cells(columns.get(f"{side}{name}"), weight) for side in (RIGHT, LEFT)]
            both.append((name.capitalize(), *sides[0], *sides[1]))
        else:
            middle.append((joint.capitalize(), *_cells(columns[joint], weight)))
    side = ("Force [N]", "[% weight]", "Moment [N·m]", "Power [W]")
    note = f"{analysis.settings.load_reading.sentence} {_rest(tuple(columns.values()))}"
    tables = [Table("Peaks, right and left", ("Joint", *side, *side), tuple(both), note)] if both else []
    if middle:
        tables.append(Table("Peaks, trunk and head", ("Joint", *side), tuple(middle), "" if both else note))
    return tables


def _rest(peaks: tuple[JointPeaks, ...]) -> str:
    """What the peaks rest on."""
    counts = [one.frames for one in peaks if one.usable]
    words = "Greatest size over the frames that can be used for the joint"
    if counts:
        least, most = min(counts), max(counts)
        words += f" ({least} frames)" if least == most else f" ({least} to {most} frames)"
    words += "; power: greatest and least."
    if any(one.estimated for one in peaks):
        words += f" {ESTIMATED} The ground reaction was estimated there, not measured."
    reasons = sorted({one.why for one in peaks if one.why})
    return words + (f" {NOTHING} {' or '.join(reasons).capitalize()}." if reasons else "")


def _cells(peaks: JointPeaks | None, weight: float) -> tuple[str, str, str, str]:
    if peaks is None or not peaks.usable:
        return NOTHING, NOTHING, NOTHING, NOTHING

    def value(peak: Peak, digits: int) -> str:
        return number(peak.value, digits) + (ESTIMATED if peak.estimated else "")

    share = number(100.0 * peaks.force.value / weight, 0)
    powers = f"{number(peaks.power_high.value, 0)} / {number(peaks.power_low.value, 0)}"
    return value(peaks.force, 0), share, value(peaks.torque, 1), powers
