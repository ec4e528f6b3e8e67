"""Pages that lay visits over each other, a side each, and the table of what changed."""

from __future__ import annotations

from biomec.reporting.clinical.blocks import LeftOut, Page
from biomec.reporting.clinical.comparison import comparison_page
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.material import Material

KIND, TITLE = "comparison", "Comparison"


def comparison(material: Material, entry: PageEntry) -> tuple[Page, ...] | LeftOut:
    """Curves of each side, the reported visit in full colour, the others paler; then values and their changes."""
    title = entry.title or TITLE
    if len(material.visits) < 2:
        return LeftOut(title, "There is no other visit to compare with.")
    return comparison_page(
        material.visits, material.norm, title, material.source, nine=entry.nine_curves,
        deviations=material.definition.band_sd,
    )  # fmt: skip
