"""Page of the ground reaction: three components in body weight over stance, and the paths of the centre of pressure."""

from __future__ import annotations

from biomec.reporting.clinical.blocks import Block, LeftOut, Page
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.ground_reaction import ground_grid, ground_reactions, pressure_paths
from biomec.reporting.clinical.material import Material

KIND, TITLE = "ground reaction", "Ground reaction"


def ground_page(material: Material, entry: PageEntry) -> Page | LeftOut:
    """Forces under the feet of the cycles whose loads count."""
    title = entry.title or TITLE
    if not material.walks:
        return LeftOut(title, "It is shown for walking.")
    found = ground_reactions(material.visit)
    if not found:
        analyses = material.visit.analyses
        if not any(one.session.dynamic.plates for one in analyses):
            return LeftOut(title, "There is no force plate in the recordings.")
        if not any("loads" in one.done for one in analyses):
            return LeftOut(title, "Loads were not computed.")
        return LeftOut(title, "In no cycle was the foot alone on a plate.")
    blocks: list[Block] = [ground_grid(found, material.norm, material.visit, material.definition.band_sd)]
    paths = pressure_paths(found)
    blocks += [paths] if paths is not None else []
    return Page(KIND, title, tuple(blocks))
