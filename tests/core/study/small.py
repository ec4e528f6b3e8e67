"""Studies that are quick to record and to analyse: people who sway for a moment, and push-ups of two people."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from biomec.io.project import save_project
from biomec.io.registry import write_trial
from biomec.recording import Subject
from biomec.study.batch import tasks_of
from biomec.study.record import TrialRecord
from biomec.study.study import Study, open_study
from biomec.study.task import run_task
from biomec.virtual import RecordOptions, VirtualPerson, push_up, record, write_acquisition
from tests.core.pipeline.standing import only, swaying_session

FAST = RecordOptions(rate_hz=50.0, plate_rate_hz=50.0, noise_mm=0.3)


@cache
def sway(length: int):
    """A recording of so many hundredths of a second beyond 0.7 s; each length is another content."""
    return swaying_session(0.7 + length / 100.0)


def write_sway(folder: Path, name: str, length: int, markers: tuple[str, ...] = ()) -> Path:
    """A movement, with these markers only if any are named, and its static as TRC files."""
    folder.mkdir(parents=True, exist_ok=True)
    session = only(sway(length), markers) if markers else sway(length)
    path = folder / f"{name}.trc"
    write_trial(session.dynamic, path)
    if not (folder / "static.trc").exists():
        write_trial(session.static, folder / "static.trc")
    return path


def sway_study(folder: Path, people: int = 2, trials: int = 2) -> Path:
    """people/barefoot1.trc, barefoot2.trc …"""
    length = 30
    for person in range(people):
        for number in range(trials):
            write_sway(folder / f"person {person + 1}", f"barefoot{number + 1}", length)
            length += 2
    return folder


def write_project(path: Path, name: str, length: int, **notes) -> Path:
    """A project of a recording, with the name of a person."""
    session = sway(length)
    noted = replace(session, subject=replace(session.subject, name=name), notes=replace(session.notes, **notes))
    save_project(noted, path)
    return path


def write_push_ups(folder: Path, people: int = 2, grips=("open", "closed")) -> Path:
    """Push-ups with both grips, as a laboratory hands them over; names of people are in the names of files."""
    for number in range(people):
        person = VirtualPerson(70.0 + 5.0 * number, 1.70 + 0.04 * number, "male", name=f"Alberta{number + 1}")
        for k, grip in enumerate(grips):
            options = replace(FAST, seed=10 * number + k)
            write_acquisition(record(push_up(grip, cycles=2), person, options), folder / f"s{number + 1}")
    return folder


def analysed(study: Study) -> list[TrialRecord]:
    """Analyse in this process, one after the other, what lacks results."""
    study.results.mkdir(parents=True, exist_ok=True)
    return [run_task(task) for task in tasks_of(study)]


def reopened(study: Study) -> Study:
    """The study as it is now."""
    return open_study(study.folder, study.results)


def nobody() -> Subject:
    """Somebody of whom nothing is known."""
    return Subject()
