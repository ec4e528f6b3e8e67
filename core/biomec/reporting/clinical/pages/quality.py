"""Last page: how well the recordings fit the model, what speaks against the numbers, and where they come from."""

from __future__ import annotations

from biomec.base.notices import Severity
from biomec.reporting.clinical.blocks import Block, LeftOut, Page, Words
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.material import Material
from biomec.reporting.content.report import (
    PROVENANCE,
    cycles_section,
    model_section,
    provenance_section,
    quality_section,
)
from biomec.reporting.facts import motion_facts, signal_facts
from biomec.reporting.tables import NOTHING, Section, Table, number
from biomec.reporting.trust import trust

KIND, TITLE = "quality", "Quality"
MOST_NOTICES = 12


def quality_page(material: Material, entry: PageEntry) -> Page | LeftOut:
    """All recordings in a table, then the first one in full, notices, and provenance."""
    visit = material.visit
    blocks: list[Block] = [_trials(material)]
    blocks += _notices(material)
    name = next(trial.name for trial in visit.trials if trial.analysis is visit.first)
    whose = f", {name}" if len(visit.counted) > 1 else ""
    for make in (quality_section, cycles_section, model_section):
        blocks += _section(make(visit.first), whose)
    blocks += _provenance(provenance_section(visit.first), material)
    return Page(KIND, entry.title or TITLE, tuple(blocks))


def _trials(material: Material) -> Table:
    rows = []
    for trial in material.visit.counted:
        analysis = trial.analysis
        motion = motion_facts(analysis.motion)
        loads = str(analysis.loads.trust.level) if "loads" in analysis.done else NOTHING
        rows.append(
            (
                trial.name,
                str(trust(analysis).level),
                motion["solved"].text,
                number(motion["marker_rms"].value, 1),
                signal_facts(analysis)["samples"].text,
                loads,
            )
        )
    columns = ("Recording", "Trust", "Frames that obey the model", "Markers, rms [mm]", "Marker samples", "Loads")
    return Table("Recordings", columns, tuple(rows), "Markers: distance from the measured marker to the model's.")


def _notices(material: Material) -> list[Block]:
    """What speaks against the numbers, each once, and in how many recordings."""
    counted: dict[str, int] = {}
    analyses = material.visit.analyses
    for severity in (Severity.PROBLEM, Severity.WARNING):
        for analysis in analyses:
            for sentence in dict.fromkeys(one.sentence for one in analysis.notices if one.severity is severity):
                counted[sentence] = counted.get(sentence, 0) + 1
    if not counted:
        return [Words(("Nothing speaks against the recordings.",), "Notices")]
    sentences = [
        sentence
        if len(analyses) == 1 or count == len(analyses)
        else f"{sentence} ({count} of {len(analyses)} recordings)"
        for sentence, count in counted.items()
    ]
    if len(sentences) > MOST_NOTICES:
        rest = len(sentences) - MOST_NOTICES
        sentences = [*sentences[:MOST_NOTICES], f"{rest} more are listed with the recordings."]
    return [Words(tuple(sentences), "Notices")]


def _section(section: Section, whose: str) -> list[Block]:
    blocks: list[Block] = [Words(section.sentences, section.title + whose)]
    return [*blocks, *section.tables]


def _provenance(section: Section, material: Material) -> list[Block]:
    """Versions, files, settings that were changed; without a name no files, since they tell who somebody is."""
    blocks: list[Block] = [Words(section.sentences, PROVENANCE)]
    if not material.nameless:
        rows = []
        for trial in material.visit.trials:
            session = trial.analysis.session
            for what, one in (("Movement", session.dynamic), ("Static", session.static)):
                if one is not None:
                    row = (what, one.source.name, one.source.format, one.source.sha256)
                    rows += [] if row in rows else [row]
        blocks.append(Table("Files", ("", "Name", "Format", "SHA-256"), tuple(rows)))
    settings = next((table for table in section.tables if table.caption == "Settings"), None)
    changed = () if settings is None else tuple(row[:2] for row in settings.rows if row[2])
    if changed:
        note = "SI units unless a name says otherwise; all others are as by default."
        blocks.append(Table("Settings that were changed", ("Setting", "Value"), changed, note))
    else:
        blocks.append(Words(("All settings are as by default.",)))
    return blocks
