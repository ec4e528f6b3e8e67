"""Pages of muscles and of what the joints bear with them: curves of the visit, and tables of its first recording."""

from __future__ import annotations

from biomec.reporting.clinical.blocks import Block, LeftOut, Page, Words
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.material import Material
from biomec.reporting.clinical.muscle_curves import activation_grid, contact_grid
from biomec.reporting.content.muscle_section import muscles_section

KIND, TITLE = "muscles", "Muscles and joint contact"
FIRST = 2  # tables that stand under the curves of contact: what it rests on, and greatest forces
NO_CYCLE = "No cycle has loads that count for these joints, so that there are no curves over the cycle."


def contact_page(material: Material, entry: PageEntry) -> tuple[Page, ...] | LeftOut:
    """Verdict, contact forces, activations, reserves and timing; then activation over the cycle."""
    title = entry.title or TITLE
    counted = [one for one in material.visit.counted if "muscles" in one.analysis.done]
    if not counted:
        return LeftOut(title, "Muscle forces were not asked for.")
    first = counted[0]
    section = muscles_section(first.analysis)
    whose = (f"Recording: {first.name}.",) if len(material.visit.counted) > 1 else ()
    contact, activation = contact_grid(material.visit), activation_grid(material.visit)
    nothing = () if contact or activation else (NO_CYCLE,)
    blocks: list[Block] = [Words((*whose, *section.sentences, *nothing))]
    blocks += [contact] if contact is not None else []
    if activation is None:
        return (Page(KIND, title, (*blocks, *section.tables)),)
    return (
        Page(KIND, title, (*blocks, *section.tables[:FIRST])),
        Page(KIND, f"{title}, activation", (activation,), True),
        Page(KIND, f"{title}, tables", section.tables[FIRST:]),
    )
