"""A session without the name of the person: a code stands for it in every text that is stored, numbers stay.

Taken out wherever they stand are names of people, dates of birth, names of imported files, and words that the user
adds; the day of the recording, imported files, their hashes, and the line of the history about the import are dropped.
Words of a name are not taken out of labels where they are words of Biomec's own (``hand``, ``head``), which tell
nothing; the whole name and sentences are cleaned of them too. Sex, mass, height and measures stay: they are needed for
the numbers. What a movement itself tells about a person stays as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import date
from enum import Enum
from functools import cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import biomec_resources
from biomec.base.errors import BiomecError
from biomec.base.fields import all_entries, entries
from biomec.base.notices import Notice
from biomec.base.plain_types import restored
from biomec.io.registry import extensions
from biomec.pipeline.analysis import MADE_OF, SIMULATION
from biomec.pipeline.reopen import reopened
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.recording import ClinicalNotes, Event, Record, Result, Session, Source, Subject, Trial
from biomec.recording.clinical_notes import TEXTS
from biomec.recording.step import plain_data

CODE = "subject"
_DAYS = ("%Y-%m-%d", "%Y%m%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%d%m%Y")
_TELLING = ("identifier", "laboratory", "examiner", "referrer", "signature")
_DATED = ("birth_date", "recorded")  # keys of plain data
_LETTER = r"[^\W\d_]"
_OWN_WORDS = "left right general foot strike off file plates kinematics signal manual simulation female male other"


def without_name(session: Session, code: str = CODE, also: Iterable[str] = ()) -> Session:
    """Return a stored session in which a code stands for the person; everything that can be computed stays the same.

    code : what takes the place of names
    also : further words to be taken out, such as the number of a patient
    """
    words = _Words(code, _people(session), _files(session), _birth_dates(session), also)
    clean: Session = words.cleaned(replace(session, originals=(), provenance=(), notes=ClinicalNotes()))
    clean = replace(
        clean,
        dynamic=_trial(clean.dynamic, session.dynamic, code, ""),
        static=None if clean.static is None or session.static is None
        else _trial(clean.static, session.static, code, " static"),
        subject=_subject(session.subject, code),
        recorded=None,
        notes=words.notes(session.notes),
    )  # fmt: skip
    history = tuple(
        _record(record, clean, words) for record in session.provenance if record.step.partition(" ")[0] != "import"
    )
    return replace(clean, provenance=history, results=_results(session, clean))


def trial_without_name(trial: Trial, code: str = CODE, also: Iterable[str] = ()) -> Trial:
    """Return a recording in which a code stands for the person."""
    return without_name(Session(trial, subject=trial.subject), code, also).dynamic


def refuse_telling_name(session: Session, name: str, also: Iterable[str] = ()) -> None:
    """Raise a sentence if the name of a file to be written holds what is taken out of its content."""
    words = _Words(CODE, _people(session), (), _birth_dates(session), also)
    if words.label(name) != name:
        raise BiomecError(f"{name}: the name of the file itself tells who the person is. Choose another name.")


def cleaners(
    sessions: Iterable[Session], code: str = CODE, also: Iterable[str] = ()
) -> tuple[Callable[[str], str], Callable[[str], str]]:
    """Two functions that put a code for the person's name, birth and files into a label, and into a sentence.

    Those who measured, referred or signed are not the person, and stay. In labels, words of Biomec's own stay too, even
    if they are words of the name.
    """
    every = tuple(sessions)
    return cleaners_of(
        [name for session in every for name in _names(session)],
        [name for session in every for name in _files(session)],
        [day for session in every for day in _birth_dates(session)],
        code,
        also,
    )


def cleaners_of(
    names: Iterable[str], files: Iterable[str], born: Iterable[date] = (), code: str = CODE, also: Iterable[str] = ()
) -> tuple[Callable[[str], str], Callable[[str], str]]:
    """The same of names, names of files and dates of birth."""
    words = _Words(code, names, files, born, also)
    return words.label, words.sentence


# ----------------------------------------------------------------------------------------------- what must stay private
def _names(session: Session) -> tuple[str, ...]:
    """Of the person, and of others in the same files."""
    names = [session.subject.name]
    for trial in (session.dynamic, session.static):
        names += [] if trial is None else [trial.subject.name, *trial.other_subjects]
    for record in session.provenance:
        made_of = record.settings.get(MADE_OF)
        names += [str(made_of["subject"]["name"])] if made_of is not None else []
    return tuple(names)


def _people(session: Session) -> tuple[str, ...]:
    """Everyone who is named, and what the person is kept under."""
    notes = session.notes
    return (*_names(session), notes.identifier, notes.examiner, notes.referrer, notes.signature)


def _files(session: Session) -> tuple[str, ...]:
    names = [trial.source.name for trial in (session.dynamic, session.static) if trial is not None]
    names += [original.source.name for original in session.originals]
    for record in session.provenance:
        named = record.settings.get("files", {})
        names += [Path(str(one)).name for one in named.values()] if isinstance(named, Mapping) else []
    return tuple(names)


def _birth_dates(session: Session) -> tuple[date, ...]:
    people = [session.subject, *(trial.subject for trial in (session.dynamic, session.static) if trial is not None)]
    return tuple(person.birth_date for person in people if person.birth_date is not None)


@cache
def _own_words() -> frozenset[str]:
    """Words of settings, marker sets and body models, in small letters."""
    texts = [_OWN_WORDS]
    for settings in (AnalysisSettings(), SimulationSettings()):
        texts += _texts(plain_data(settings))
        texts += [str(choice.value) for entry in all_entries(entries(settings)) for choice in entry.choices]
    shipped = Path(biomec_resources.__file__).parent
    for folder in ("marker_sets", "models"):
        texts += [path.read_text("utf-8") for path in (shipped / folder).glob("*.toml")]
    return frozenset(word for text in texts for word in re.findall(rf"{_LETTER}+", text.lower()))


def _texts(plain: Any) -> list[str]:
    if isinstance(plain, str):
        return [plain]
    inner = (
        [*plain, *plain.values()] if isinstance(plain, Mapping) else plain if isinstance(plain, (list, tuple)) else []
    )
    return [text for item in inner for text in _texts(item)]


class _Words:
    """What is to be taken out of texts, and what takes its place."""

    def __init__(
        self, code: str, people: Iterable[str], files: Iterable[str], born: Iterable[date], also: Iterable[str]
    ) -> None:
        whole: list[str] = []
        single: set[str] = set()
        for name in (*people, *also):
            parts = re.findall(r"[^\W_]+", name)
            single |= {part for part in parts if len(part) > 2 or (len(part) == 2 and re.search(r"\d", part))}
            for order in (parts, parts[::-1]) if len(parts) > 1 else ():
                whole.append(r"[\W_]*".join(map(re.escape, order)))
        for name in files:
            stem = Path(name).stem
            parts = re.findall(r"[^\W_]+", stem)
            single |= {part for part in parts if len(part) > 3 and re.search(r"\d", part)}
            whole += [re.escape(name)] + ([re.escape(stem)] if len(parts) > 1 else [])
        whole += [re.escape(day.strftime(form)) for day in born for form in _DAYS]
        telling = {part for part in single if part.lower() not in _own_words()}
        self.code = code
        self._in_labels = [*_any_case(whole), *_bounded(telling)]
        self._in_sentences = [*_any_case(whole), *_bounded(single)]
        if not code.strip() or not code.isprintable() or any(one.search(code) for one in self._in_labels):
            raise BiomecError(f"The code {code!r} cannot stand for the person: it is empty, or holds the name.")

    def label(self, text: str) -> str:
        """Text without what tells who the person is; a path loses its folders."""
        return self._replaced(_last_part(text), self._in_labels)

    def sentence(self, text: str) -> str:
        """Sentence likewise; a recording that is named with its folders is taken out whole."""
        text = _recording_paths().sub(lambda _: self.code, text)
        return self._replaced(_PATHS.sub(lambda found: _last_part(found[0]), text), self._in_sentences)

    def _replaced(self, text: str, patterns: Sequence[re.Pattern[str]]) -> str:
        for pattern in patterns:
            text = pattern.sub(lambda _: self.code, text)
        return text

    def cleaned(self, value: Any) -> Any:
        """Any stored object with clean texts and without dates; numbers and arrays are the same."""
        if isinstance(value, Enum):
            return value
        if isinstance(value, str):
            return self.label(value)
        if isinstance(value, date):
            return None
        if isinstance(value, Notice):
            return replace(value, sentence=self.sentence(value.sentence), code=self.label(value.code),
                           about=self.cleaned(value.about))  # fmt: skip
        if isinstance(value, Source):
            return Source(CODE, self.label(value.format), "", 0)
        if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{one.name: self.cleaned(getattr(value, one.name)) for one in fields(value)})
        if isinstance(value, Mapping):
            return {self.label(str(key)): self._entry(str(key), item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return tuple(self.cleaned(item) for item in value)
        return value

    def notes(self, notes: ClinicalNotes) -> ClinicalNotes:
        """What a clinician wrote, without who wrote it, where, and under which number the person is kept."""
        kept = {key: self.sentence(getattr(notes, key)) for key in (*TEXTS, "excluded")} | dict.fromkeys(_TELLING, "")
        cycles = tuple(replace(one, reason=self.sentence(one.reason)) for one in notes.excluded_cycles)
        return ClinicalNotes(**kept, excluded_cycles=cycles)

    def _entry(self, key: str, value: Any) -> Any:
        if key in _DATED:
            return None
        return self.sentence(value) if key == "sentence" and isinstance(value, str) else self.cleaned(value)


_PATHS = re.compile(r"(?<!\w)(?:[A-Za-z]:)?(?:[\\/][\w.~+@-]+){2,}")


@cache
def _recording_paths() -> re.Pattern[str]:
    """Paths of recordings in a sentence; their last part may hold spaces."""
    endings = "|".join(re.escape(ending) for ending in extensions())
    return re.compile(rf"(?<!\w)(?:[A-Za-z]:)?(?:[\\/][\w.~+@-]+)+[\\/][\w.~+@ -]+?(?:{endings})\b", re.IGNORECASE)


def _last_part(text: str) -> str:
    """Name of a file without its folders; other texts as they are."""
    if "/" not in text and "\\" not in text:
        return text
    known = text.lower().endswith((".toml", ".json", *extensions()))
    if not (known or text.startswith("/") or re.match(r"[A-Za-z]:[\\/]|\\\\", text)):
        return text
    return PureWindowsPath(text).name if "\\" in text else PurePosixPath(text).name


def _any_case(patterns: Iterable[str]) -> list[re.Pattern[str]]:
    """The longest first, so that a part of a name is not taken before the whole."""
    return [re.compile(one, re.IGNORECASE) for one in sorted(set(patterns), key=len, reverse=True)]


def _bounded(words: Iterable[str]) -> list[re.Pattern[str]]:
    """Words that stand by themselves, in any case, or within RunTogetherNames."""
    found = []
    for word in sorted(words, key=len, reverse=True):
        found.append(re.compile(rf"(?<!{_LETTER}){re.escape(word)}(?!{_LETTER})", re.IGNORECASE))
        capital = re.escape(word[0].upper() + word[1:].lower())
        found.append(re.compile(rf"(?:(?<!{_LETTER})|(?<=[a-z])){capital}(?:(?=[A-Z])|(?!{_LETTER}))"))
    return found


# -------------------------------------------------------------------------------------------------- parts of a session
def _subject(subject: Subject, code: str) -> Subject:
    return replace(subject, name=code, birth_date=None)


def _trial(clean: Trial, trial: Trial, code: str, role: str) -> Trial:
    ending = Path(trial.source.name).suffix.lower()
    name = f"{code}{role}{ending if ending in extensions() else ''}"
    others = {f"other {k}": markers for k, markers in enumerate(clean.other_subjects.values(), start=1)}
    return replace(
        clean,
        source=replace(clean.source, name=name),
        subject=_subject(trial.subject, code),
        other_subjects=others if len(clean.other_subjects) == len(trial.other_subjects) else {},
    )


def _record(record: Record, clean: Session, words: _Words) -> Record:
    """A line of the history without hashes of files and of the name."""
    settings = {key: value for key, value in words.cleaned(record.settings).items() if key != "fingerprint"}
    made_of = record.settings.get(MADE_OF)
    if made_of is not None:
        now = words.cleaned(made_of)
        who = {**now["subject"], "name": words.code}
        events, dismissed = (tuple(Event(**one) for one in now[key]) for key in ("events", "dismissed_events"))
        trial = replace(clean.dynamic, events=events, dismissed_events=dismissed)
        person = replace(clean.subject, sex=who["sex"], mass_kg=who["mass_kg"], height_m=who["height_m"],
                         measures=who["measures"])  # fmt: skip
        measured = replace(clean, dynamic=trial, subject=person).fingerprint
        settings[MADE_OF] = {**now, "subject": who, "measured": measured}
    return Record(words.label(record.step), words.label(record.when), words.label(record.biomec), settings)


def _results(session: Session, clean: Session) -> dict[str, Result]:
    """Results in which simulations know the motion that they came from by its new fingerprint."""
    results = dict(clean.results)
    runs = [(name, old) for (name, _), old in zip(results.items(), session.results.values(), strict=True)
            if name.startswith(SIMULATION)]  # fmt: skip
    if not runs:
        return results
    before, after = reopened(session).analysis, reopened(clean).analysis
    for name, old in runs:
        settings, _ = restored(SimulationSettings, old.metadata["options"])
        current = old.metadata.get("source") == before.simulation_source(settings)
        source = after.simulation_source(settings) if current else ""
        results[name] = replace(results[name], metadata={**results[name].metadata, "source": source})
    return results
