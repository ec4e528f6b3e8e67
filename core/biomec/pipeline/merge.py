"""Two programs worked on one project: simulations that the other one saved are taken over, if nothing else differs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from biomec.base.errors import BiomecError
from biomec.io.project import load_project
from biomec.io.shared_project import ProjectChangedError, project_hash, save_as_read
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import reopened
from biomec.recording import Session

_TRIES = 20  # saves of others in between; each takes the lock in turn


def merged_runs(analysis: Analysis, theirs: Session) -> Analysis:
    """Return the analysis with the simulations that ``theirs`` has besides, or a sentence about why that cannot be.

    Recordings, subject and settings must be the same in both: results of steps are then the same too. A simulation that
    both have under one name with other content is not decided here.
    """
    other = reopened(theirs).analysis
    if other.session.fingerprint != analysis.session.fingerprint:
        raise BiomecError("The recording, its events or the subject were changed in both, so they cannot be merged.")
    if other.settings != analysis.settings:
        raise BiomecError("The settings of the analysis differ in both, so they cannot be merged.")
    if other.session.notes != analysis.session.notes:
        raise BiomecError("The clinician's texts or excluded cycles differ in both, so they cannot be merged.")
    both = [name for name in other.simulations if name in analysis.simulations]
    for name in both:
        if other.simulations[name].when != analysis.simulations[name].when:
            raise BiomecError(f"Both have a simulation {name}, and they differ. Rename one of them, then merge.")
    return replace(analysis, simulations={**other.simulations, **analysis.simulations})


def save_merged(analysis: Analysis, path: Path, seen: str | None) -> tuple[Analysis, str]:
    """Save an analysis, with what another program has saved meanwhile; return it as saved, and the hash of the file."""
    for _ in range(_TRIES):
        try:
            return analysis, save_as_read(analysis.stored(), path, seen)
        except ProjectChangedError:
            seen = project_hash(path)
            analysis = merged_runs(analysis, load_project(path))
    raise ProjectChangedError(path.name)
