"""What all views will ask of an analysis, found in the background, so that showing it does not stop the window."""

from __future__ import annotations

from contextlib import suppress

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import STEPS, Analysis
from biomec.pipeline.frame_map import frame_map
from biomec.reporting.trust import trust


def ready(analysis: Analysis) -> Analysis:
    """Return the analysis when its fingerprints, frames, curves, quality and body are known."""
    from biomec_app.curves.catalogue import catalogue
    from biomec_app.viewer.person import person_of
    from biomec_app.viewer.poses import Poses

    for step in STEPS:
        analysis.fingerprint(step.name)
    frame_map(analysis)
    catalogue(analysis)
    with suppress(BiomecError):  # there may be nothing to judge yet
        trust(analysis)
    analysis.derived(Poses)
    if "body" in analysis.done:
        analysis.derived(person_of)
    return analysis
