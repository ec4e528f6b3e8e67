"""What all views will ask of an analysis, found in the background, so that showing it does not stop the window."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import STEPS, Analysis
from biomec.pipeline.frame_map import frame_map
from biomec.reporting.trust import trust
from biomec_app.curves.catalogue import catalogue

PREPARERS: list[Callable[[Analysis], object]] = [frame_map, catalogue]
"""Each finds something of an analysis that is kept with it; a view appends what it will ask for."""


def ready(analysis: Analysis) -> Analysis:
    """Return the analysis when its fingerprints, its quality and what every view asks for are known."""
    for step in STEPS:
        analysis.fingerprint(step.name)
    for prepare in PREPARERS:
        prepare(analysis)
    with suppress(BiomecError):  # there may be nothing to judge yet
        trust(analysis)
    return analysis
