"""Make the pictures of the guide to the clinical report again, from a virtual person's walk. Needs no screen.

``python -m docs.tools.report_pictures docs/pictures``
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from biomec.base.atomic import atomic_path
from biomec.pipeline.analysis import analyze
from biomec.recording import ClinicalNotes, Session
from biomec.reporting.clinical.blocks import ClinicalReport
from biomec.reporting.clinical.report import clinical_report
from biomec.reporting.clinical.visit import visit_of
from biomec.virtual import RecordOptions, VirtualPerson, record
from biomec.virtual.walking import Walk
from biomec_app.figures.report.logo import png
from biomec_app.figures.report.options import ReportOptions
from biomec_app.figures.report.pdf import sheet_images, sheet_kinds

PICTURES = {
    "report-summary.png": "summary",
    "report-kinematics.png": "kinematics",
    "report-indices.png": "indices",
}
"""File -> kind of the page whose first sheet it shows."""
DOTS = 96.0
NOTES = ClinicalNotes(
    identifier="V-001",
    laboratory="Gait Laboratory",
    condition="barefoot",
    question="Does the virtual person walk as asked?",
)


def example() -> ClinicalReport:
    """Report of a walk of the virtual person."""
    found = record(Walk(), VirtualPerson(81.6, 1.79, "male"), RecordOptions(rate_hz=50.0, plate_rate_hz=250.0))
    analysis = analyze(Session(found.dynamic, found.static, subject=found.person.subject))
    return clinical_report([visit_of([replace(analysis, session=replace(analysis.session, notes=NOTES))])])


def draw(report: ClinicalReport, folder: Path) -> list[Path]:
    """Write the pictures into a folder, replacing older ones; return what was written."""
    written, options = [], ReportOptions()
    kinds = sheet_kinds(report, options)
    for name, kind in PICTURES.items():
        picture = next(sheet_images(report, options, DOTS, only=next(k for k, on in enumerate(kinds) if kind in on)))
        path = Path(folder) / name
        with atomic_path(path) as temporary:
            temporary.write_bytes(png(picture))
        written.append(path)
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    application = QGuiApplication([])
    for path in draw(example(), asked.folder):
        print(path)
