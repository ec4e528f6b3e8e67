"""Pages that lay visits over each other, a side each."""

from __future__ import annotations

from biomec.reporting.clinical.blocks import MEAN, LeftOut, Page
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.material import Material
from biomec.reporting.clinical.panels import kinematic_grid
from biomec.reporting.clinical.visit import SIDES

KIND, TITLE = "comparison", "Comparison"


def comparison(material: Material, entry: PageEntry) -> tuple[Page, ...] | LeftOut:
    """One page of angles for each side; the reported visit in full colour, the others paler."""
    title = entry.title or TITLE
    if len(material.visits) < 2:
        return LeftOut(title, "There is no other visit to compare with.")
    return tuple(
        Page(KIND, f"{title}, {side}", (kinematic_grid(material.visits, material.norm, MEAN, entry.nine_curves,
             material.source, (side,), material.definition.band_sd),), True)
        for side in SIDES
    )  # fmt: skip
