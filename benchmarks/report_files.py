"""Files of a clinical report of ten trials, against their analysis: ``python -m benchmarks.report_files``.

A virtual person walks once; the visit has that walk ten times, which costs a report as much as ten walks would.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

TRIALS = 10
TARGET_S = 5.0  # for a PDF of ten trials, on two cores
TARGET_MB = 1.0  # of a PDF and of the page that moves
NARROW = ("pdf", "interactive.html")  # kinds of file that have a target


def print_report_files() -> None:
    """Seconds and size of each kind of file, and how often it could be written while one trial is analysed."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        from PySide6.QtWidgets import QApplication

        from biomec_app.figures.report.options import ReportOptions
        from biomec_app.figures.report.writers import WRITERS, write_report
    except ImportError as error:
        print(f"\nFiles of a report: not measured, because the desktop part is not installed ({error}).")
        return
    from biomec.io.session_import import import_session
    from biomec.pipeline.analysis import Analysis
    from biomec.reporting.clinical.report import clinical_report
    from biomec.reporting.clinical.visit import visit_of
    from biomec.virtual import record, walk, write_acquisition

    application = QApplication.instance() or QApplication([])
    with tempfile.TemporaryDirectory(prefix="biomec-report-") as place:
        files = write_acquisition(record(walk(3)), Path(place) / "walk")
        session = import_session(files["emt"])
        Analysis(session).run_all()  # compiles
        spent = time.process_time()
        analysis = Analysis(session).run_all()
        spent = time.process_time() - spent
        visit = visit_of([analysis] * TRIALS, [f"Walk {k + 1}" for k in range(TRIALS)])
        begin, cpu = time.perf_counter(), time.process_time()
        report = clinical_report([visit])
        made_s, made_cpu = time.perf_counter() - begin, time.process_time() - cpu
        print(f"\nClinical report of {TRIALS} trials (analysis of one: {spent:.2f} s of processor time):")
        print(f"  {'':24}{'wall [s]':>10}{'cpu [s]':>10}{'size [MB]':>11}{'analysis of all / cpu':>24}")
        print(f"  {'pages':24}{made_s:10.2f}{made_cpu:10.2f}{'':11}{TRIALS * spent / made_cpu:24.1f}")
        for ending in WRITERS:
            path = Path(place) / f"report{'' if ending.startswith('.') else '.'}{ending}"
            begin, cpu = time.perf_counter(), time.process_time()
            write_report(report, path, ReportOptions(trials=tuple(one.analysis for one in visit.trials)))
            wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
            size = path.stat().st_size / 1e6
            print(f"  {ending.lstrip('.'):24}{wall:10.2f}{cpu:10.2f}{size:11.2f}{TRIALS * spent / cpu:24.1f}")
        print(f"  Targets: pages and PDF within {TARGET_S:g} s; {' and '.join(NARROW)} at most {TARGET_MB:g} MB.")
    application.processEvents()


if __name__ == "__main__":
    print_report_files()
