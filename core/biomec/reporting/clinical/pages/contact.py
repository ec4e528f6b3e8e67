"""Page of muscles and of what the joints bear with them, of the first recording for which they were asked."""

from __future__ import annotations

from biomec.reporting.clinical.blocks import Block, LeftOut, Page, Words
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.material import Material
from biomec.reporting.content.muscle_section import muscles_section

KIND, TITLE = "muscles", "Muscles and joint contact"


def contact_page(material: Material, entry: PageEntry) -> Page | LeftOut:
    """Verdict, contact forces, activations, reserves and timing."""
    title = entry.title or TITLE
    counted = [one for one in material.visit.counted if "muscles" in one.analysis.done]
    if not counted:
        return LeftOut(title, "Muscle forces were not asked for.")
    first = counted[0]
    section = muscles_section(first.analysis)
    whose = (f"Recording: {first.name}.",) if len(material.visit.counted) > 1 else ()
    blocks: list[Block] = [Words((*whose, *section.sentences)), *section.tables]
    return Page(KIND, title, tuple(blocks))
