"""Make the pictures of the guide to studies again, from push-ups of a few virtual people. Needs no screen.

``python -m docs.tools.study_pictures docs/pictures``
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from biomec.base.atomic import atomic_path
from biomec.study.batch import run_batch
from biomec.study.decisions import decide
from biomec.study.report import StudyReportOptions, study_report
from biomec.study.study import Study, open_study
from biomec.study.virtual_push_ups import VirtualStudy, make_recordings
from biomec_app.features.study.window import StudyWindow
from biomec_app.figures.report.logo import png
from biomec_app.figures.report.options import ReportOptions
from biomec_app.figures.report.pdf import sheet_images, sheet_kinds
from biomec_app.kit import theme as themes
from biomec_app.kit.theme import LIGHT
from biomec_app.session.context import Context
from biomec_app.session.document import Document
from biomec_app.session.jobs import Jobs
from biomec_app.session.preferences import Preferences
from biomec_app.shell import main as program

PICTURES = ("study-trials.png", "study-curves.png", "study-statistics.png", "study-report.png")
SIZE, DOTS = (1180, 620), 72.0
PEOPLE = VirtualStudy(6, 1, 3, 50.0, 1)
WORDS = ("elbow", "shoulder")


def example(folder: Path) -> Study:
    """A study of virtual people, analysed, with a damaged file and a trial that was taken out."""
    make_recordings(folder, PEOPLE)
    (folder / "S01" / "old take.c3d").write_bytes(b"damaged")
    study = open_study(folder)
    run_batch(study, jobs=1)
    decide(study.results, study.trials[3].id, "slipped on the plate")
    return open_study(folder)


def draw(study: Study, folder: Path) -> list[Path]:
    """Write the pictures of an analysed study into a folder, replacing older ones; return what was written."""
    app = program.application()
    themes.apply(app, LIGHT)
    written = []
    with TemporaryDirectory(prefix="biomec-study-") as place:
        context = Context(Document(), Jobs(), Preferences(Path(place) / "preferences.ini"))
        window = StudyWindow(context, study.folder)
        try:
            for name, picture in zip(PICTURES, _pictures(app, window, study), strict=True):
                path = Path(folder) / name
                with atomic_path(path) as temporary:
                    temporary.write_bytes(png(picture))
                written.append(path)
        finally:
            window.shut()
    return written


def _pictures(app: QApplication, window: StudyWindow, study: Study) -> Iterator[QImage]:
    window.resize(*SIZE)
    window.show()
    program.wait(app, lambda: window.study is not None)
    window.page.model.set_grouping("condition")
    window.page.grouping.setCurrentIndex(window.page.grouping.findData("condition"))
    window.page.table.selectRow(1)
    yield _shot(app, window)
    groups = window.groups
    groups.words.setText(" ".join(WORDS))
    window.tabs.setCurrentWidget(groups)
    program.wait(app, lambda: groups.content is not None)
    yield _shot(app, window)
    groups.tabs.setCurrentWidget(groups.numbers)
    yield _shot(app, window)
    report, options = study_report(study, StudyReportOptions(words=WORDS)), ReportOptions()
    kinds = sheet_kinds(report, options)
    yield next(sheet_images(report, options, DOTS, only=next(k for k, on in enumerate(kinds) if "curves angles" in on)))


def _shot(app: QApplication, window: StudyWindow) -> QImage:
    program.settle(app)
    program.wait(app, lambda: not (window.painter.busy or window.groups.jobs.busy))
    program.settle(app)
    return window.grab().toImage()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    with TemporaryDirectory(prefix="biomec-study-") as made:
        for path in draw(example(Path(made) / "push-ups"), asked.folder):
            print(path)
