"""Columns of the table of trials: what each says of a trial, and what sorts by it. Knows no widgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from biomec.reporting.tables import number, percent
from biomec.reporting.trust import Level
from biomec.study.tables import Clean
from biomec.study.trials import State, StudyTrial

DONE_WORDS = {
    State.NOT_RUN: "not run",
    State.DONE: "done",
    State.STALE: "out of date",
    State.FAILED: "failed",
    State.EXCLUDED: "excluded",
    State.GONE: "recording gone",
}
SIGNS = {State.FAILED: Level.POOR, State.STALE: Level.CHECK, State.GONE: Level.CHECK}
"""State -> the sign before its word; the others have none."""
VERDICTS = {level.value: level for level in Level}
CURVES = "curves"


@dataclass(frozen=True)
class Wording:
    """How trials are labelled: by pseudonyms, or with the names that their files hold.

    names : whether names, folders and names of files are shown
    clean : takes them out of other texts
    """

    names: bool
    clean: Clean

    def sentence(self, trial: StudyTrial, text: str) -> str:
        """A sentence about a trial."""
        return text if self.names or not text else self.clean.sentence(trial, text)

    def condition(self, trial: StudyTrial) -> str:
        """The condition of a trial."""
        return trial.condition if self.names else self.clean.label(trial, trial.condition)

    def label(self, trial: StudyTrial) -> str:
        """What a line about a trial calls it."""
        if self.names:
            return trial.label
        return replace(trial, condition=self.condition(trial)).coded


@dataclass(frozen=True)
class Column:
    """A column.

    text  : of a trial;  sort : column of the index that it is sorted by, "" if it cannot be
    named : whether it tells who people are, so that it is shown with names only
    shown : whether it is there until somebody chooses;  right : whether its texts are numbers
    level : what the coloured sign before the text says
    """

    key: str
    title: str
    tip: str
    text: Callable[[StudyTrial, Wording], str]
    sort: str = ""
    named: bool = False
    shown: bool = True
    right: bool = False
    level: Callable[[StudyTrial], Level | None] = lambda trial: None


def _cycles(one: StudyTrial, _: Wording) -> str:
    return f"{one.headline.cycles} of {one.headline.cycles_found}" if _analysed(one) else ""


def _analysed(one: StudyTrial) -> bool:
    return one.record is not None and not one.record.fault


def _remark(one: StudyTrial, how: Wording) -> str:
    """Why a trial failed or was excluded, or the first thing to know about it."""
    notes = () if one.reason else (*one.notes, *(one.record.warnings.splitlines()[:1] if one.record else ()))
    return how.sentence(one, one.reason or next(iter(notes), ""))


def _measured(name: str, digits: int) -> Callable[[StudyTrial, Wording], str]:
    def text(one: StudyTrial, _: Wording) -> str:
        value = getattr(one.headline, name)
        return "" if value is None or not _analysed(one) else number(value, digits)

    return text


def _converged(one: StudyTrial, _: Wording) -> str:
    return percent(one.headline.converged) if _analysed(one) else ""


COLUMNS: tuple[Column, ...] = (
    Column("person", "Person", "Code of the person", lambda one, how: one.subject or "unknown", "subject"),
    Column("name", "Name", "Name by the word of the files", lambda one, how: one.person, named=True),
    Column("group", "Group", "Group of the person, by study.toml", lambda one, how: one.group, "people_group",
           shown=False),
    Column("sex", "Sex", "Female or male, where it is known", lambda one, how: one.sex, "sex", shown=False),
    Column("visit", "Visit", "Number of the session among those of the person",
           lambda one, how: str(one.visit or ""), "visit", right=True),
    Column("session", "Session", "Folder or day of the session", lambda one, how: one.session, "session", named=True),
    Column("condition", "Condition", "Condition of the movement", lambda one, how: how.condition(one), "condition"),
    Column("number", "Trial", "Number of the trial in its visit and condition", lambda one, how: str(one.number),
           "number", right=True),
    Column(CURVES, "Movement", "Every valid cycle of one joint angle, 0 to 100 %", lambda one, how: ""),
    Column("state", "State", "How far the trial is", lambda one, how: DONE_WORDS[one.state], "state",
           level=lambda one: SIGNS.get(one.state)),
    Column("loads", "Quality", "Verdict about the joint loads", lambda one, how: one.headline.loads, "loads",
           level=lambda one: VERDICTS.get(one.headline.loads)),
    Column("muscles", "Muscles", "Verdict about the muscle forces", lambda one, how: one.headline.muscles, "muscles",
           shown=False, level=lambda one: VERDICTS.get(one.headline.muscles)),
    Column("cycles", "Cycles", "Valid cycles, of those that were found", _cycles, "cycles", right=True),
    Column("remark", "Remark", "Why it failed or was excluded, or the first warning", _remark, "reason"),
    Column("converged", "Frames", "Share of the frames that obey the model", _converged, "converged", right=True),
    Column("markers", "Markers [mm]", "RMS distance of the markers from the model", _measured("markers_mm", 1),
           "markers_mm", right=True),
    Column("residual", "Residual [N]", "RMS residual force of inverse dynamics", _measured("residual_N", 1),
           "residual_N", right=True),
    Column("moment", "Residual [N m]", "RMS residual moment of inverse dynamics", _measured("residual_Nm", 1),
           "residual_Nm", shown=False, right=True),
    Column("speed", "Speed [m/s]", "Walking speed", _measured("speed_m_s", 2), "speed_m_s", shown=False, right=True),
    Column("mass", "Mass [kg]", "Of the person in the model", _measured("mass_kg", 1), "mass_kg", shown=False,
           right=True),
    Column("height", "Stature [m]", "Of the person in the model", _measured("height_m", 2), "height_m", shown=False,
           right=True),
    Column("model", "Model", "Model of the body", lambda one, how: one.headline.model, "model", shown=False),
    Column("file", "File", "Where the recording is, below the folder of the study", lambda one, how: one.file, "file",
           named=True),
)  # fmt: skip

GROUPINGS: dict[str, tuple[str, Callable[[StudyTrial, Wording], str]]] = {
    "": ("No groups", lambda one, how: ""),
    "person": ("By person", lambda one, how: one.subject or "unknown person"),
    "condition": ("By condition", lambda one, how: how.condition(one) or "no condition"),
    "visit": ("By visit", lambda one, how: f"Visit {one.visit}" if one.visit else "no visit"),
    "group": ("By group of people", lambda one, how: one.group or "no group"),
    "state": ("By state", lambda one, how: DONE_WORDS[one.state]),
    "quality": ("By quality", lambda one, how: one.headline.loads or "not judged"),
}
"""Key -> what a list offers, and the group of a trial."""
