"""Other words of the clinician, or other cycles that do not count, in an analysis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from biomec.pipeline.analysis import Analysis


def with_notes(analysis: Analysis, **changes: Any) -> Analysis:
    """Return the analysis with changed fields of its `ClinicalNotes`; results stay as they are."""
    return replace(analysis, session=replace(analysis.session, notes=replace(analysis.session.notes, **changes)))
