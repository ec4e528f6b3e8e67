"""What is known of an analysed trial: a small file ``trial.json`` beside its project, and within the project too.

The folder of a trial is named after the content of its recording, so that a recording that moves keeps its results.
``trial.json`` vouches for the files beside it (`base.together`): a trial whose folder lacks it was not finished.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from biomec.base.errors import BiomecError
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.plain_types import UnfitError, made_from, parsed_json
from biomec.io.project import load_project
from biomec.recording import Session

TRIALS = "trials"  # folder of all trials in the results
RECORD, PROJECT = "trial.json", "session.biomec"
SETTING = "study"
"""Setting of the project's session under which the record is kept."""
ID_LETTERS = 16
MEASURED_APART = 0.06
"""Share by which leg lengths of one person differ between statics: markers are placed anew, within some centimetres."""


@dataclass(frozen=True)
class Headline:
    """What a list shows of a trial; None where it is not known.

    cycles     : valid ones, of ``cycles_found``
    converged  : share of the frames that obey the model
    markers_mm : RMS distance of the markers;  residual_N, residual_Nm : RMS of the residual of inverse dynamics
    loads, muscles : verdicts: good, check, poor, not judged
    height_m, leg_m : as the model has them, for comparing trials of one person
    """

    model: str = ""
    frames: int = 0
    rate_hz: float = 0.0
    cycles: int = 0
    cycles_found: int = 0
    converged: float = 0.0
    markers_mm: float | None = None
    residual_N: float | None = None
    residual_Nm: float | None = None
    loads: str = ""
    muscles: str = ""
    speed_m_s: float | None = None
    mass_kg: float | None = None
    height_m: float | None = None
    leg_m: float | None = None


@dataclass(frozen=True)
class TrialRecord:
    """Outcome of the analysis of a trial.

    made_of  : fingerprint of what went in;  biomec : version
    fault    : why it could not be analysed, "" if it could
    file     : where the recording was then, below the folder of the study
    warnings : sentences of the analysis that matter, one a line
    seconds, memory_mb : of the analysis, and the largest memory of its process until then
    """

    id: str
    made_of: str
    biomec: str
    file: str = ""
    sha256: str = ""
    fault: str = ""
    headline: Headline = field(default_factory=Headline)
    warnings: str = ""
    seconds: float = 0.0
    memory_mb: float = 0.0

    @property
    def text(self) -> str:
        """JSON text."""
        return (
            json.dumps(asdict(self), indent=1) + "\n"
        )  # in ASCII: a name of a file may hold what UTF-8 does not allow


def in_project(session: Session, record: TrialRecord) -> Session:
    """The session with the record among its settings."""
    return session.with_settings(**{SETTING: asdict(record)})


def read_records(
    results: Path, kept: Mapping[str, tuple[str, TrialRecord]]
) -> tuple[dict[str, tuple[str, TrialRecord]], list[str]]:
    """Id of each analysed trial -> stamp of its file and its record; and sentences about what cannot be read.

    kept : what the index holds; files with the same stamp are not read again
    A project whose ``trial.json`` is missing tells its record itself.
    """
    found: dict[str, tuple[str, TrialRecord]] = {}
    sentences: list[str] = []
    folder = results / TRIALS
    try:
        with os.scandir(folder) as entries:
            names = sorted(one.name for one in entries if one.is_dir() and not one.name.startswith("."))
    except FileNotFoundError:
        return found, sentences
    except OSError as error:
        return found, [f"{TRIALS}: the results cannot be read ({error.strerror or error})."]
    for name in names:
        stamp = _stamp(folder / name / RECORD)
        if stamp is not None and name in kept and kept[name][0] == stamp:
            found[name] = kept[name]
            continue
        try:
            record = _read(folder / name)
        except BiomecError as error:
            sentences.append(f"Results of trial {name} cannot be used: {error} The trial will be analysed again.")
            continue
        if record is not None and record.id == name:
            found[name] = (stamp or "", record)
    return found, sentences


def _stamp(path: Path) -> str | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return f"{found.st_size} {found.st_mtime_ns}"


def _read(folder: Path) -> TrialRecord | None:
    """Record of a trial; None if nothing was finished there."""
    try:
        data: Any = parsed_json(whole_file(folder / RECORD, most=LONGEST_DESCRIPTION))
    except FileNotFoundError:
        if not (folder / PROJECT).is_file():
            return None
        data = load_project(folder / PROJECT).settings.get(SETTING)
    except (OSError, ValueError) as error:
        raise BiomecError(f"{RECORD} cannot be read ({error}).") from error
    try:
        return made_from(TrialRecord, data, RECORD)
    except UnfitError as error:
        raise BiomecError(f"{RECORD} has unexpected content ({error}).") from error
