"""Page of the EMG."""

from __future__ import annotations

from dataclasses import replace

from biomec.reporting.clinical.blocks import LeftOut, Page
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.emg_page import emg_page
from biomec.reporting.clinical.material import Material


def muscles_page(material: Material, entry: PageEntry) -> Page | LeftOut:
    """Muscles of the recordings that count."""
    made = emg_page(material.visit.analyses)
    return replace(made, title=entry.title) if isinstance(made, Page) and entry.title else made
