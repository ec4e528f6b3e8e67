"""Trials of a study, as found files, people, records and decisions make them; and what every other file is."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from biomec._version import __version__
from biomec.base.errors import FileError
from biomec.io.companions import natural_order
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Source
from biomec.recording.clinical_notes import ExcludedCycle
from biomec.recording.step import plain_data
from biomec.study.decisions import Decisions
from biomec.study.description import CONDITION, SESSION, DescribedTrial, StudyDescription
from biomec.study.discovery import FolderContent, FoundFile, FoundTrial
from biomec.study.index import MEASURED
from biomec.study.people import groups_of, level, plain
from biomec.study.record import ID_LETTERS, Headline, TrialRecord

_NUMBERED = re.compile(r"[\s_-]*\d+$")
DUPLICATE, SUPERSEDED = "copy", "recording of a project"


class State(StrEnum):
    """How far a trial is."""

    NOT_RUN = "not run"
    DONE = "done"
    STALE = "out of date"
    FAILED = "failed"
    EXCLUDED = "excluded"
    GONE = "recording gone"  # results are there, its recording no longer is


@dataclass(frozen=True)
class StudyTrial:
    """One trial of a study.

    id        : of its recording's content, name of its folder among the results
    file      : where it is, below the folder of the study;  static : below it too, "" if there is none
    subject   : code of the person, "" where nobody is named;  sex, group : "" where they are not known
    session   : folder or day;  visit : its number among those of the person, from 1, 0 where it is not known
    number    : of the trial in its person, session and condition, from 1
    made_of   : fingerprint of what goes into its analysis
    reason    : why it failed or was excluded
    notes     : sentences about it
    person, born : by the word of its files; neither is ever exported
    """

    id: str
    file: str
    sha256: str
    static: str = ""
    subject: str = ""
    sex: str = ""
    group: str = ""
    session: str = ""
    visit: int = 0
    condition: str = ""
    trial: str = ""
    number: int = 1
    day: str = ""
    project: bool = False
    excluded_cycles: tuple[ExcludedCycle, ...] = ()
    made_of: str = ""
    state: State = State.NOT_RUN
    reason: str = ""
    record: TrialRecord | None = None
    notes: tuple[str, ...] = ()
    person: str = ""
    born: str = ""

    @property
    def headline(self) -> Headline:
        """What is known of its results, as far as they are there."""
        return Headline() if self.record is None else self.record.headline

    @property
    def label(self) -> str:
        """What a line about it calls it: "P001, 2015-04-08, open 2"."""
        what = f"{self.condition or self.trial} {self.number}" if self.condition else self.trial
        return ", ".join(filter(None, (self.subject or "unknown person", self.session, what)))

    @property
    def coded(self) -> str:
        """The same by codes and numbers, without session and name of the file: "P001, visit 1, open 2"."""
        visit = f"visit {self.visit}" if self.visit else ""
        what = f"{self.condition} {self.number}".strip()
        return ", ".join(filter(None, (self.subject or "unknown person", visit, what)))

    @property
    def counts(self) -> bool:
        """Whether its results take part in tables and statistics."""
        return self.state is State.DONE

    @property
    def row(self) -> tuple[Any, ...]:
        """Its row in the index."""
        identity = (
            self.id, self.subject, self.sex, self.group, self.session, self.visit, self.condition, self.trial,
            self.number, self.day, self.file, self.static, str(self.state), self.reason, self.made_of,
        )  # fmt: skip
        return (*identity, *(getattr(self.headline, name) for name in MEASURED))


def path_below(folder: str, name: str) -> str:
    """Path of a file in a folder of the study, below the study."""
    return name if folder == "." else f"{folder}/{name}"


def without_copies(
    found: Sequence[tuple[str, FoundTrial]], content: Mapping[str, FolderContent]
) -> tuple[list[tuple[str, FoundTrial]], dict[str, FoundFile]]:
    """Each trial once, and what every other file is: copies, recordings of which a project is there, and the rest."""
    files = {path_below(folder, one.file): one for folder, some in content.items() for one in some.files}
    projects = {one.sha256: path for path, one in found if one.project}
    first: dict[str, str] = {}
    kept = []
    for path, one in found:
        if not one.project and one.sha256 in projects:
            files[path] = FoundFile(one.file, SUPERSEDED, f"{projects[one.sha256]} holds it.")
        elif one.key in first:
            files[path] = FoundFile(one.file, DUPLICATE, f"The same content as {first[one.key]}; it counts once.")
        else:
            first[one.key] = path
            kept.append((path, one))
    return kept, files


def study_trials(
    found: Sequence[tuple[str, FoundTrial]],
    description: StudyDescription,
    codes: Mapping[str, str],
    records: Mapping[str, tuple[str, TrialRecord]],
    decisions: Decisions,
    settings: AnalysisSettings,
) -> tuple[StudyTrial, ...]:
    """Every trial with its person, session, condition and state; results whose recording is gone come last."""
    groups = groups_of(description.people)
    about = {one.code: one.subject for one in description.people}
    common = json.dumps([__version__, plain_data(settings), description.muscles], sort_keys=True, default=str)
    made = []
    for path, one in found:
        said = description.trials.get(path, DescribedTrial())
        code, key = codes[path], one.key[:ID_LETTERS]
        subject = about.get(code)
        cycles = decisions.cycles.get(key, ())
        static = said.static or (path_below(path.rpartition("/")[0] or ".", one.static) if one.static else "")
        parts = [
            one.key,
            one.parts,
            _hash(description, said.static),
            plain_data(subject),
            plain_data(cycles),
            "" if one.project else common,
        ]
        fingerprint = hashlib.sha256(json.dumps([*parts, __version__], default=str).encode()).hexdigest()
        excluded = decisions.trials.get(key, said.excluded or one.excluded)
        _, record = records.get(key, ("", None))
        state, reason = _state(record, fingerprint, excluded)
        sex = one.sex or (subject.sex or "" if subject is not None else "")
        notes = _notes(path, one, code, record)
        made.append(
            StudyTrial(
                key, path, one.sha256, static, code, sex, groups.get(code, ""), _session(path, one, said, description),
                0, _condition(path, one, said, description), one.trial, 1, one.day, one.project, cycles, fingerprint,
                state, reason, record, notes, one.person, one.born,
            )
        )  # fmt: skip
    there = {one.id for one in made}
    for key, (_, record) in records.items():
        if key not in there:
            made.append(StudyTrial(key, record.file, record.sha256, trial=PurePosixPath(record.file).stem,
                                   made_of=record.made_of, state=State.GONE, record=record))  # fmt: skip
    return _numbered(made)


def _hash(description: StudyDescription, static: str) -> str:
    """Of a static that study.toml names; that of a folder is among the parts of the trial."""
    try:
        return Source.of(description.folder / static, "").sha256 if static else ""
    except FileError:
        return "absent"  # the analysis says so


def _state(record: TrialRecord | None, fingerprint: str, excluded: str) -> tuple[State, str]:
    if excluded:
        return State.EXCLUDED, excluded
    if record is None:
        return State.NOT_RUN, ""
    if record.made_of != fingerprint:
        return State.STALE, ""
    return (State.FAILED, record.fault) if record.fault else (State.DONE, "")


def _notes(path: str, one: FoundTrial, code: str, record: TrialRecord | None) -> tuple[str, ...]:
    notes = []
    if not code:
        notes.append("Nobody is named in file, name or folder; it does not count over people.")
    if record is not None and record.file != path:
        notes.append(f"It was {record.file} when it was analysed.")
    return tuple(notes)


def _session(path: str, one: FoundTrial, said: DescribedTrial, description: StudyDescription) -> str:
    return said.session or level(path, SESSION, description) or one.day


def _condition(path: str, one: FoundTrial, said: DescribedTrial, description: StudyDescription) -> str:
    """By the researcher's word, by the words of the study, by the notes of a project, by its folder, by its name."""
    if said.condition:
        return said.condition
    texts = [plain(one.condition), plain(one.trial), *map(plain, reversed(path.split("/")[:-1]))]
    for text in texts:
        for name, words in description.conditions.items():
            if any(plain(word) in text for word in words):
                return name
    if description.conditions:
        return ""
    name = _NUMBERED.sub("", one.trial)
    named = "" if any(letter.isdigit() for letter in name) else name
    return one.condition or level(path, CONDITION, description) or named


def _numbered(trials: Sequence[StudyTrial]) -> tuple[StudyTrial, ...]:
    """Trials in the order of people, sessions, conditions and files, with numbers of visit and trial."""

    @cache
    def order(text: str) -> tuple[tuple[int, int, str], ...]:
        return natural_order(Path(text))

    def place(one: StudyTrial) -> tuple[Any, ...]:
        texts = (one.subject or "\uffff", one.day or one.session, one.session, one.condition, one.file)
        return (one.state is State.GONE, *map(order, texts), one.file)

    visits: dict[str, list[str]] = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    numbered = []
    for one in sorted(trials, key=place):
        sessions = visits.setdefault(one.subject, [])
        if one.session and one.session not in sessions:
            sessions.append(one.session)
        group = one.subject, one.session, one.condition
        counts[group] += 1
        visit = sessions.index(one.session) + 1 if one.session else 0
        numbered.append(replace(one, visit=visit, number=counts[group]))
    return tuple(numbered)
