"""Kinds of files that the report of a study can be written to: all but the page on which one person moves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from biomec.base.errors import FileError
from biomec.base.frozen import FrozenDict
from biomec_app.figures.report.writers import WRITERS, ReportFile

OF_ONE = "interactive.html"
STUDY_KINDS: Mapping[str, ReportFile] = FrozenDict({end: kind for end, kind in WRITERS.items() if end != OF_ONE})


def refuse_other_kinds(path: Path) -> None:
    """Raise a `FileError` if the report of a study cannot be written as this."""
    if path.name.lower().endswith(OF_ONE) or not path.name.lower().endswith(tuple(STUDY_KINDS)):
        kinds = ", ".join(STUDY_KINDS)
        raise FileError(path.name, f"the report of a study is written as {kinds}. Let the name end with one of these.")
