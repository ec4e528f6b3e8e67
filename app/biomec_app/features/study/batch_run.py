"""A batch from the window: in the background, with every trial that is through and the time that remains."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from biomec.base.progress import Progress
from biomec.study.batch import BatchReport, Step, in_minutes, run_batch
from biomec.study.study import Study, open_study
from biomec.study.tables import write_tables
from biomec_app.session.jobs import Jobs

TITLE = "Analyse trials"
BATCH_SHARE = 0.97  # of the bar; the rest writes the tables


class BatchRun(QObject):
    """Runs what is missing in processes of their own, one batch at a time.

    stepped(Step) : a trial is through;  ended(BatchReport) : all are, and the tables are written
    stopped(str)  : cancelled or failed, with a sentence; what is done stays done
    """

    stepped = Signal(object)
    ended = Signal(object)
    stopped = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.jobs = Jobs(self)
        self.jobs.cancelled.connect(lambda _: self.stopped.emit("Stopped. What is done stays done; run it again."))
        self.jobs.failed.connect(lambda _, sentence: self.stopped.emit(sentence))

    def start(self, study: Study, path: Path, resume: bool = False, jobs: int | None = None) -> None:
        """Analyse what lacks results of the study that was opened from ``path``.

        resume : without what failed before;  jobs : processes, one a processor if not given
        """

        def work(progress: Progress) -> BatchReport:
            share = [0.0]

            def step(one: Step) -> None:
                share[0] = BATCH_SHARE * one.done / one.total
                self.stepped.emit(one)

            report = run_batch(study, jobs=jobs, resume=resume, on_step=step, beat=lambda: progress(share[0]))
            progress(BATCH_SHARE)
            write_tables(open_study(path, study.results))
            return report

        self.jobs.start(TITLE, work, self.ended.emit)

    def cancel(self) -> None:
        """Stop at once; trials that are being analysed are given up and leave nothing half written."""
        self.jobs.cancel()


def step_in_words(step: Step) -> str:
    """How far a batch is: "3 of 24 done, about 2 min remain"."""
    rest = f", about {in_minutes(step.remaining_s)} remain" if step.done < step.total else ", writing the tables …"
    return f"{step.done} of {step.total} done{rest}"
