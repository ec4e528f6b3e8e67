"""Page of the EMG."""

from __future__ import annotations

from dataclasses import replace

from biomec.reporting.clinical.blocks import LeftOut, Page
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.emg_page import TITLE, emg_page
from biomec.reporting.clinical.material import Material


def muscles_page(material: Material, entry: PageEntry) -> Page | LeftOut:
    """Muscles of the recordings that count."""
    visit = material.visit
    numbers = [k for k, one in enumerate(visit.trials) if not one.excluded]
    made = emg_page(visit.analyses, numbers=numbers) if numbers else LeftOut(TITLE, "No recording counts.")
    return replace(made, title=entry.title) if isinstance(made, Page) and entry.title else made
