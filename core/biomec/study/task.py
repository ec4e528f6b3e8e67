"""One trial of a batch: read, analysed, and written beside its record. It runs in a process of its own, anywhere."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from biomec._version import __version__
from biomec.base.errors import BiomecError
from biomec.base.notices import Severity, ranked
from biomec.base.together import replaced_together
from biomec.io.project import load_project, save_project
from biomec.io.session_import import import_session, merge_subjects
from biomec.pipeline.analysis import KINEMATICS, Analysis
from biomec.pipeline.reopen import open_again
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Session, Subject
from biomec.recording.clinical_notes import ExcludedCycle
from biomec.reporting.facts import load_facts, motion_facts
from biomec.reporting.statistics.time_and_distance import BOTH, time_and_distance
from biomec.study.record import PROJECT, RECORD, Headline, TrialRecord, in_project
from biomec.study.trial_cycles import CYCLES, cycles_csv
from biomec.study.trial_tables import CURVE_TABLES, VALUES, trial_tables

OURS = (RECORD, PROJECT, *(f"{name}.csv" for name in (*CURVE_TABLES, VALUES, CYCLES)))
MOST_WARNINGS = 5


class UnreachableError(BiomecError):
    """The process that should analyse a trial cannot reach the study folder, or is another version of Biomec."""


@dataclass(frozen=True)
class TrialTask:
    """All that a process needs to analyse a trial, wherever it runs.

    root   : folder of the study;  file, static : below it;  out : folder for the results of the trial
    id, sha256, made_of : as in `TrialRecord`
    project : whether the file is one;  person : code;  subject : what the researcher says of the person
    """

    id: str
    root: str
    file: str
    out: str
    sha256: str
    made_of: str
    biomec: str = __version__
    static: str = ""
    project: bool = False
    person: str = ""
    subject: Subject = field(default_factory=Subject)
    condition: str = ""
    excluded_cycles: tuple[ExcludedCycle, ...] = ()
    settings: AnalysisSettings = field(default_factory=AnalysisSettings)
    muscles: bool = False


def run_task(task: TrialTask) -> TrialRecord:
    """Analyse a trial and write its results; a fault of the recording becomes part of the record.

    Raises `UnreachableError` where this process is at fault, and `FileError` where results cannot be written.
    """
    if task.biomec != __version__:
        raise UnreachableError(f"It runs Biomec {__version__}, the batch Biomec {task.biomec}. Install the same.")
    if not os.path.isdir(task.root):  # False too where it cannot be entered
        raise UnreachableError(f"It does not see the folder {task.root}. Mount it there.")
    before = time.monotonic()
    record = TrialRecord(task.id, task.made_of, __version__, task.file, task.sha256)
    analysis: Analysis | None = None
    try:
        analysis = analysed(task)
        record = replace(record, headline=headline(analysis), warnings=_warnings(analysis))
        tables = {**trial_tables(analysis), CYCLES: cycles_csv(analysis)}
    except BiomecError as error:
        analysis, tables = None, {}
        record = replace(record, fault=str(error))
    except Exception as error:  # ours to repair, and no reason to lose the other trials
        analysis, tables = None, {}
        words = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        record = replace(record, fault=f"Biomec failed ({words}). Please report this with the recording.")
    record = replace(record, seconds=round(time.monotonic() - before, 3), memory_mb=round(peak_memory_mb(), 1))
    write_trial_results(Path(task.out), record, analysis, tables)
    return record


def analysed(task: TrialTask) -> Analysis:
    """The analysis of a trial: loads where there are plates, muscles if they were asked for."""
    path = Path(task.root) / task.file
    if task.project:
        analysis = open_again(_prepared(load_project(path), task))
    else:
        static = Path(task.root) / task.static if task.static else None
        session = import_session(path, static=static, keep_originals=False)
        analysis = Analysis(_prepared(session, task), task.settings)
    plates = bool(analysis.session.dynamic.plates)
    return analysis.run_until("muscles" if plates and task.muscles else "loads" if plates else KINEMATICS)


def _prepared(session: Session, task: TrialTask) -> Session:
    """The session with what the researcher says: person, condition, and cycles that do not count."""
    notes = session.notes
    for one in task.excluded_cycles:
        notes = notes.with_excluded_cycle(one.side, one.frame, one.reason)
    if task.condition and not notes.condition:
        notes = replace(notes, condition=task.condition)
    subject = merge_subjects(task.subject, session.subject)
    if not subject.name:  # so that a visit or a norm of the projects knows who belongs together
        subject = replace(subject, name=task.person)
    return replace(session, subject=subject, notes=notes)


def headline(analysis: Analysis) -> Headline:
    """What a list shows of an analysis."""
    motion, body = analysis.motion, analysis.body.person
    groups = analysis.cycles.groups.values()
    fit = motion_facts(motion)
    facts: dict[str, Any] = {}
    if "loads" in analysis.done:
        size = analysis.loads.trust.residuals
        facts = {
            "residual_N": _number(size.force_rms[3]),
            "residual_Nm": _number(size.torque_rms[3]),
            "loads": str(load_facts(analysis)["trust"].value or ""),
        }
    if "muscles" in analysis.done:
        facts["muscles"] = str(analysis.muscles.trust.grade)
    walked = time_and_distance(analysis)
    speed = None if walked is None else walked.spread("speed", BOTH)
    legs = [float(body.measures[key]) for key in ("leg_length_D", "leg_length_E") if key in body.measures]
    return Headline(
        model=body.model.name,
        frames=analysis.signals.trial.frames,
        rate_hz=float(analysis.signals.trial.rate_hz),
        cycles=sum(int(one.valid.sum()) for one in groups),
        cycles_found=sum(len(one) for one in groups),
        converged=float(motion.valid.mean()),
        markers_mm=_number(fit["marker_rms"].value),
        speed_m_s=None if speed is None else _number(speed.mean),
        mass_kg=_number(body.measures.get("mass")),
        height_m=_number(body.measures.get("height")),
        leg_m=sum(legs) / len(legs) if legs else None,
        **facts,
    )


def _number(value: Any) -> float | None:
    """A finite number; None for anything else."""
    found = float("nan") if value is None else float(value)
    return found if abs(found) < float("inf") else None


def _warnings(analysis: Analysis) -> str:
    serious = [one for one in ranked(analysis.notices) if one.severity is not Severity.INFO]
    return "\n".join(" ".join(one.sentence.split()) for one in serious[:MOST_WARNINGS])


def write_trial_results(out: Path, record: TrialRecord, analysis: Analysis | None, tables: dict[str, str]) -> None:
    """Write record, project and tables of a trial together, ``trial.json`` last; of one that failed the record only."""
    with replaced_together(out, RECORD, OURS) as stage:
        if analysis is not None:
            save_project(in_project(analysis.stored(), record), stage / PROJECT)
        for name, text in tables.items():
            (stage / f"{name}.csv").write_text(text, encoding="utf-8")
        (stage / RECORD).write_text(record.text, encoding="utf-8")


def peak_memory_mb() -> float:
    """Largest memory of this process until now [MB]; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1e6 if sys.platform == "darwin" else 1e3)
