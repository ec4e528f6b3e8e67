"""Every kind of file that a clinical report can be written to, in one table for command line and window."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from biomec.base.atomic import atomic_path
from biomec.base.errors import FileError
from biomec.base.frozen import FrozenDict
from biomec.base.progress import Progress, part_of
from biomec.reporting.clinical.blocks import ClinicalReport
from biomec_app.figures.report.options import ReportOptions


class Writer(Protocol):
    """Makes the bytes of a file, so that nothing half done is ever on the disk."""

    def __call__(self, report: ClinicalReport, options: ReportOptions, progress: Progress | None = None) -> bytes: ...


@dataclass(frozen=True)
class ReportFile:
    """A kind of file. ``module`` : where its `Writer` ``written`` is, loaded when it is needed."""

    title: str
    module: str

    def writer(self) -> Writer:
        """Return the function that makes the bytes."""
        found: Writer = importlib.import_module(self.module).written
        return found


WRITERS: Mapping[str, ReportFile] = FrozenDict(
    {
        ".pdf": ReportFile("PDF", "biomec_app.figures.report.pdf"),
        ".html": ReportFile("Page to print (HTML)", "biomec_app.figures.report.printed"),
        "interactive.html": ReportFile("Page that moves (HTML)", "biomec_app.figures.report.interactive"),
        ".docx": ReportFile("Word document", "biomec_app.figures.report.docx"),
        ".xlsx": ReportFile("Excel workbook", "biomec_app.figures.report.xlsx"),
    }
)
"""How the name of a file ends, in lower case -> what is written; the longest ending that fits counts."""


def writer_of(path: Path) -> ReportFile:
    """The kind of file that a name asks for."""
    name = path.name.lower()
    fitting = [ending for ending in WRITERS if name.endswith(ending)]
    if not fitting:
        raise FileError(path.name, f"a report cannot be written as this; let the name end with {', '.join(WRITERS)}.")
    return WRITERS[max(fitting, key=len)]


def write_report(
    report: ClinicalReport, path: Path, options: ReportOptions | None = None, progress: Progress | None = None
) -> None:
    """Write a report to a file of the kind that its name ends with; an older file stays until the new one is whole.

    Pictures are painted with Qt: a `QGuiApplication` must exist. May be called in any thread.
    """
    path = Path(path)
    writer = writer_of(path).writer()
    try:
        content = writer(report, options or ReportOptions(), part_of(progress, 0.0, 0.98))
    except OSError as error:  # a folder for what is made meanwhile is full, or a picture cannot be read any more
        raise FileError(path.name, f"the report cannot be made ({error.strerror or error}).") from error
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
    if progress is not None:
        progress(1.0)
