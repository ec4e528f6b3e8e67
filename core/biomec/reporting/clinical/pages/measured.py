"""Second page: which recordings and cycles are behind the numbers, which are not, and the norm beside them."""

from __future__ import annotations

from collections.abc import Mapping

from biomec.reporting.clinical.blocks import Block, LeftOut, Page, Words
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.material import Material
from biomec.reporting.clinical.visit import SIDES, Visit, labels_of
from biomec.reporting.clinical_curves import VICON
from biomec.reporting.clinical_presentation import ANGLE, BY_NAME
from biomec.reporting.facts import cycle_facts, model_facts, signal_facts
from biomec.reporting.tables import NOTHING, Table, fact_table, number

KIND, TITLE = "measured", "What was measured"


def measured_page(material: Material, entry: PageEntry) -> Page | LeftOut:
    """Recordings, cycles, model, norm."""
    blocks: list[Block] = []
    labels = labels_of(material.visits)
    for visit, label in zip(material.visits, labels, strict=True):
        title = f"Recordings, {label}" if label else "Recordings"
        blocks.append(_recordings(material, visit, title))
        blocks += _left_out(visit)
    blocks.append(_method(material))
    blocks += _norm(material) if material.walks else []
    return Page(KIND, entry.title or TITLE, tuple(blocks))


def _recordings(material: Material, visit: Visit, caption: str) -> Table:
    rows = []
    for k, trial in enumerate(visit.trials):
        analysis = trial.analysis
        if trial.excluded:
            rows.append((trial.name, _seconds(visit, k), NOTHING, NOTHING, f"left out: {trial.excluded}"))
            continue
        if material.walks:
            angles, loads = (_counted(visit, k, material.source, is_angle) for is_angle in (True, False))
        else:
            angles = cycle_facts(analysis)["valid"].text
            loads = "yes" if "loads" in analysis.done else NOTHING
        rows.append((trial.name, _seconds(visit, k), angles, loads, "counts"))
    head = ("Recording", "Duration [s]", "Angles of cycles", "Loads of cycles", "")
    note = "Right + left cycles. Loads count where the foot stands alone on a plate." if material.walks else ""
    return Table(caption, head, tuple(rows), note)


def _seconds(visit: Visit, trial: int) -> str:
    return number(visit.trials[trial].analysis.session.dynamic.duration_s, 2)


def _counted(visit: Visit, trial: int, source: str, angles: bool) -> str:
    """Right and left cycles of a recording in the fullest curve of angles, or of loads."""
    counts: Mapping[str, int] = {
        side: max(
            (
                sum(origin.trial == trial for origin in one.origins)
                for (of, name), one in visit.cycles(source).items()
                if of == side and (BY_NAME[name].kind == ANGLE) == angles
            ),
            default=0,
        )
        for side in SIDES
    }
    return f"{counts['right']} + {counts['left']}" if any(counts.values()) else NOTHING


def _left_out(visit: Visit) -> list[Block]:
    blocks: list[Block] = []
    rows = [(one.name, "the recording", one.reason) for one in visit.left_out]
    rows += [(one.trial, f"{one.side} cycle {one.number + 1}", one.reason) for one in visit.left_out_cycles]
    if rows:
        blocks.append(Table("Left out", ("Recording", "What", "Why"), tuple(rows)))
    if visit.lost_exclusions:
        blocks.append(Words(visit.lost_exclusions))
    return blocks


def _method(material: Material) -> Table:
    first = material.visit.first
    model, signals, cycles = model_facts(first), signal_facts(first), cycle_facts(first)
    about: dict[str, str | None] = {
        "Model of the body": model["name"].text,
        "Curves": "Plug-in Gait" if material.source == VICON else None,
        "Filter": signals["filter"].text,
        cycles["by"].label: cycles["by"].text,
        "Signs": (
            "Pelvis: anterior, this side up, this side forward; flexion, adduction, internal rotation; varus; "
            "dorsiflexion; toes inward. Moments are internal: extensor, abductor, external rotator, plantarflexor up. "
            "Power: generated up."
        )
        if material.walks
        else None,
    }
    return fact_table("How it was computed", about)


def _norm(material: Material) -> list[Block]:
    norm = material.norm
    if norm is None:
        sentences = tuple(one.sentence for one in material.norm_notices) or ("No norm stands behind the curves.",)
        return [Words(sentences, "Norm")]
    about = norm.about
    facts: dict[str, str | None] = {
        "Set": about.title,
        "People": about.people,
        "Limbs": None if about.limbs is None else str(about.limbs),
        "Task": about.task or None,
        "Model": about.model or None,
        "Source": about.citation or about.source or None,
    }
    blocks: list[Block] = [fact_table("Norm", facts)]
    sentences = tuple(one.sentence for one in material.norm_notices) + about.notes
    sentences += tuple(f"No band for {curve}: {why}." for curve, why in about.doubtful.items())
    return [*blocks, Words(sentences)] if sentences else blocks
