"""A stored session opened again: its settings restored, its steps run again, its numbers compared.

A project holds recordings, settings and results as plain data. Steps are pure functions, so that running them again
with the stored settings gives the same numbers, bit for bit; where it does not (another version of Biomec, another
machine) a notice says by how much. Results that were out of date are made again of what they were made from, and are
out of date again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biomec._version import __version__
from biomec.base.errors import BiomecError
from biomec.base.fields import named_files, without_files
from biomec.base.notices import Notice, info, warning
from biomec.base.plain_types import REFUSED, UNKNOWN, UnfitError, made_from, restored
from biomec.base.progress import Cancelled, Progress, part_of
from biomec.pipeline.analysis import MADE_OF, SIMULATION, STEPS, Analysis, step_named
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.settings_file import with_names_of_today
from biomec.pipeline.simulation_run import SimulationRun, stored_run
from biomec.recording import Event, Record, Session, Subject

STEPS_TO_RUN = "steps"
"""Setting of a session that has no results yet: the steps to run when it is opened."""
DIFFERENT, NOT_RUN, STALE = "results-differ", "step-not-run-again", "stale-results-left-out"
NOT_READ = "named-file-not-read"
_CODES = (UNKNOWN, REFUSED, DIFFERENT, NOT_RUN, STALE, NOT_READ)


class ComparedArray(NamedTuple):
    """An array of a step's result that is compared, what it is called, and the difference that matters."""

    array: str
    what: str
    unit: str
    matters: float  # more than the rounding of another machine


COMPARED: Mapping[str, ComparedArray] = {
    "positions": ComparedArray("q", "coordinates", "m, rad", 1e-6),
    "angles": ComparedArray("values", "joint angles", "m, rad", 1e-6),
    "loads": ComparedArray("newton_euler torque", "joint torques", "N m", 1e-3),
    "muscles": ComparedArray("forces force", "muscle forces", "N", 1.0),
}
"""Step -> what is compared of its result. Times of computing differ and are not."""


class Reopened(NamedTuple):
    """An analysis without results, and the steps that had one when it was stored, in their order.

    steps : those that were current
    past  : of each that was out of date, the session and settings that it was made from
    """

    analysis: Analysis
    steps: tuple[str, ...]
    past: Mapping[str, Analysis]


def files_asked_for(session: Session) -> tuple[str, ...]:
    """Files that would be read if the steps of a stored session were run again; the user is asked first."""
    session = with_names_of_today(session, "analysis", STEPS_TO_RUN)
    stored = session.settings.get("analysis")
    return () if stored is None else named_files(restored(AnalysisSettings, stored)[0])


def reopened(session: Session, files: bool = False) -> Reopened:
    """Return the analysis of a stored session with its settings, and the steps that had results.

    files : files that the settings name may be read. Otherwise those settings are left out, no step is to be run, and
            a notice tells; a project that somebody sent must not choose what is read from this computer.
    """
    session = with_names_of_today(session, "analysis", STEPS_TO_RUN)
    settings = AnalysisSettings()
    notices: tuple[Notice, ...] = ()
    if "analysis" in session.settings:
        settings, notices = restored(AnalysisSettings, session.settings["analysis"], "settings of the analysis")
    refused = () if files else named_files(settings)
    if refused:
        settings = without_files(settings)
        words = (
            f"The project asks for {' and '.join(refused)}, outside the project; nothing is read from there unasked. "
            "Nothing was computed. Choose the file in the settings if you know it, then run the analysis."
        )
        notices = (*notices, warning(NOT_READ, words))
    kept = tuple(notice for notice in session.notices if notice.code not in _CODES)
    simulations, remarks = _stored_simulations(session)
    bare = {key: value for key, value in session.settings.items() if key not in ("analysis", STEPS_TO_RUN)}
    bare_session = replace(session, settings=bare, results={}, notices=(*kept, *notices, *remarks))
    analysis = Analysis(bare_session, settings, simulations=simulations)
    if refused:
        return Reopened(analysis, (), {})
    wanted = session.settings.get(STEPS_TO_RUN, ())
    steps = tuple(step.name for step in STEPS if step.name in wanted or _was_current(session, step.name))
    past = {
        name: made for name in _stale(session, steps) if (made := _made_of(analysis, session, name, files)) is not None
    }
    written_again = (*steps, *past, *(SIMULATION + name for name in simulations))
    history = tuple(record for record in session.provenance if record.step not in written_again)
    lost = [f'"{step_named(name).title}"' for name in _stale(session, steps) if name not in past]
    if lost:
        words = f"Results that were out of date when they were stored are left out ({', '.join(lost)}). Run them again."
        analysis = replace(
            analysis, session=replace(analysis.session, notices=(*analysis.session.notices, info(STALE, words)))
        )
    return Reopened(replace(analysis, session=replace(analysis.session, provenance=history)), steps, past)


def _stale(session: Session, steps: Sequence[str]) -> tuple[str, ...]:
    """Steps whose stored results were out of date."""
    return tuple(step.name for step in STEPS if step.name in session.results and step.name not in steps)


@dataclass(frozen=True)
class _MadeOf:
    """What the history says that a result was made from."""

    settings: Mapping[str, Any]
    events: tuple[Event, ...]
    dismissed_events: tuple[Event, ...]
    subject: Subject
    measured: str


def _made_of(analysis: Analysis, session: Session, step: str, files: bool) -> Analysis | None:
    """What a result that was out of date was made from; None if the project does not know.

    Subject and events may have been others; measured positions and forces must be those of the session.
    """
    record = _last_record(session, step)
    if record is None or MADE_OF not in record.settings:
        return None
    try:
        stored = made_from(_MadeOf, record.settings[MADE_OF], "history")
    except UnfitError:
        return None
    settings, _ = restored(AnalysisSettings, stored.settings, "settings of the analysis")
    if not files and named_files(settings):
        return None
    trial = replace(session.dynamic, events=stored.events, dismissed_events=stored.dismissed_events)
    made_of = replace(analysis.session, dynamic=trial, subject=stored.subject)
    return replace(analysis, session=made_of, settings=settings) if made_of.fingerprint == stored.measured else None


def open_again(session: Session, progress: Progress | None = None, files: bool = False) -> Analysis:
    """Return the analysis of a stored session, with its steps run again; notices tell what is not as it was stored.

    files : as in `reopened`
    """
    analysis, steps, past = reopened(session, files)
    notices: list[Notice] = []
    wanted = [name for name in (step.name for step in STEPS) if name in steps or name in past]
    total, before = sum(step_named(name).share for name in wanted), 0.0
    for name in wanted:
        after = before + step_named(name).share
        part = part_of(progress, before / total, after / total)
        try:
            if name in past:
                made = replace(past[name], done=analysis.done).run_until(name, part)
                analysis = replace(analysis, done={**analysis.done, name: made.done[name]})
            else:
                analysis = analysis.run_until(name, part)
        except Cancelled:
            raise
        except BiomecError as error:
            words = f'"{step_named(name).title}" had a result, but cannot be computed now: {error}'
            notices.append(warning(NOT_RUN, words))
            break
        before = after
    notices += differences(analysis, session)
    known = analysis.session
    return replace(analysis, session=replace(known, notices=(*known.notices, *notices)))


def _stored_simulations(session: Session) -> tuple[dict[str, SimulationRun], list[Notice]]:
    """Simulations as they were stored: they took long, and are not run again."""
    found: dict[str, SimulationRun] = {}
    notices = []
    for key, result in session.results.items():
        if not key.startswith(SIMULATION):
            continue
        name = key.removeprefix(SIMULATION)
        try:
            found[name] = stored_run(result)
        except BiomecError as error:
            notices.append(warning(NOT_RUN, f'The simulation "{name}" cannot be opened: {error}'))
    return found, notices


def differences(analysis: Analysis, session: Session) -> tuple[Notice, ...]:
    """Compare the results of an analysis with those that a session stores; a notice for each step that differs."""
    session = with_names_of_today(session, "analysis", STEPS_TO_RUN)
    notices = []
    for name, (array, what, unit, matters) in COMPARED.items():
        stored = session.results.get(name)
        if name not in analysis.done or stored is None or array not in stored.arrays:
            continue
        now, before = analysis.done[name].value.to_result().arrays[array], stored.arrays[array]
        if now.shape == before.shape and np.array_equal(now, before, equal_nan=True):
            continue
        by = _version_of(session, name)
        other = f"The {what} were stored by Biomec {by}, this is {__version__}" if by != __version__ else (
            f"The {what} are not those that were stored"
        )  # fmt: skip
        tell = warning if _matters(now, before, matters) else info
        notices.append(tell(DIFFERENT, f"{other}; {_apart(now, before, unit)}."))
    return tuple(notices)


def _matters(now: NDArray[Any], before: NDArray[Any], least: float) -> bool:
    """Whether more differs than the rounding of another machine explains."""
    if now.shape != before.shape or not np.array_equal(np.isfinite(now), np.isfinite(before)):
        return True
    return bool(np.nanmax(np.abs(now - before), initial=0.0) > least)


def _apart(now: NDArray[Any], before: NDArray[Any], unit: str) -> str:
    if now.shape != before.shape:
        return f"there are {'×'.join(map(str, now.shape))} values instead of {'×'.join(map(str, before.shape))}"
    both = np.isfinite(now) & np.isfinite(before)
    difference = f"they differ by up to {np.max(np.abs(now[both] - before[both]), initial=0.0):.2g} ({unit})"
    lost = int((np.isfinite(now) != np.isfinite(before)).sum())
    return difference + (f", and {lost} values are there in one of them only" if lost else "")


def _last_record(session: Session, step: str) -> Record | None:
    return next((record for record in reversed(session.provenance) if record.step == step), None)


def _version_of(session: Session, step: str) -> str:
    record = _last_record(session, step)
    return "of an unknown version" if record is None else record.biomec


def _was_current(session: Session, step: str) -> bool:
    """Whether a stored result belongs to the stored settings."""
    record = _last_record(session, step)
    return step in session.results and (record is None or bool(record.settings.get("current", True)))
