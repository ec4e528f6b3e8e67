"""Pages that compare visits: curves laid over each other, a side a page, and tables of the changes."""

from __future__ import annotations

from biomec.reporting.clinical.blocks import LeftOut, Page
from biomec.reporting.clinical.comparison import comparison_page
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.material import Material

TITLE = "Comparison"


def comparison(material: Material, entry: PageEntry) -> tuple[Page, ...] | LeftOut:
    """The reported visit in full colour, the others paler; changes beside what can be detected."""
    title, definition = entry.title or TITLE, material.definition
    if len(material.visits) < 2:
        return LeftOut(title, "There is no other visit to compare with.")
    if not material.walks:
        return LeftOut(title, "Visits are compared for walking.")
    return comparison_page(
        material.visits, material.norm, title, material.source, definition.detectable_change,
        entry.nine_curves or not material.beyond_nine, definition.band_sd,
    )  # fmt: skip
