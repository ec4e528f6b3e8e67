"""A study: its trials, who they are of, what state each is in, and what every other file of the folder is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.io.companions import natural_order
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.settings_file import read_settings
from biomec.study import index as database
from biomec.study.decisions import read_decisions
from biomec.study.description import StudyDescription, read_description
from biomec.study.discovery import BROKEN, FoundFile, look_through
from biomec.study.people import keep_people, read_people, who_is_who
from biomec.study.record import MEASURED_APART, TRIALS, read_records
from biomec.study.trials import State, StudyTrial, path_below, study_trials, without_copies


@dataclass(frozen=True, eq=False)
class Study:
    """What was found in a study folder and its results; it does not change, open it again to see more.

    files     : path -> what a file is that is not a trial
    sentences : doubts about people, folders and results, for a reader
    settings  : of the analysis, for recordings; projects keep their own
    """

    description: StudyDescription
    trials: tuple[StudyTrial, ...]
    files: Mapping[str, FoundFile]
    sentences: tuple[str, ...]
    settings: AnalysisSettings
    index: database.Index = field(repr=False, default_factory=database.Index)

    @property
    def folder(self) -> Path:
        """Where the recordings are."""
        return self.description.folder

    @property
    def results(self) -> Path:
        """Where index, projects and tables are."""
        return self.description.results

    def folder_of(self, trial: StudyTrial) -> Path:
        """Where the results of a trial are."""
        return self.results / TRIALS / trial.id

    @property
    def people(self) -> tuple[str, ...]:
        """Codes of all people, in natural order."""
        codes = {one.subject for one in self.trials if one.subject}
        return tuple(sorted(codes, key=lambda code: natural_order(Path(code))))

    @property
    def states(self) -> dict[State, int]:
        """State -> how many trials, of the states that occur."""
        counted = Counter(one.state for one in self.trials)
        return {state: counted[state] for state in State if counted[state]}

    @property
    def in_words(self) -> str:
        """One line: people, trials, states."""
        states = ", ".join(f"{count} {state}" for state, count in self.states.items())
        people, trials = len(self.people), len(self.trials)
        counted = f"{people} {'person' if people == 1 else 'people'}, {trials} trial{'' if trials == 1 else 's'}"
        return f"{self.description.name}: {counted} ({states or 'none'})"

    def filtered(self, words: str = "", order: Sequence[str] = (), **where: Any) -> tuple[StudyTrial, ...]:
        """Trials with these values in columns of the index and all words in their texts, in an order ("-cycles")."""
        by_id = {one.id: one for one in self.trials}
        return tuple(by_id[key] for key in self.index.ids(where, words, order))

    def named(self, name: str) -> StudyTrial:
        """The trial of an id, its beginning, or the path or name of a file; a sentence if it is none or not clear."""
        wanted = PurePosixPath(name.replace("\\", "/")).as_posix()
        for fits in (
            lambda one: wanted in (one.id, one.file),
            lambda one: one.file.rpartition("/")[2] == wanted,
            lambda one: len(wanted) >= 4 and one.id.startswith(wanted),
        ):
            some = [one for one in self.trials if fits(one)]
            if len(some) == 1:
                return some[0]
            if some:
                listed = ", ".join(one.file for one in some[:4])
                raise BiomecError(f"{name} means {len(some)} trials of the study ({listed}). Give the path of one.")
        raise BiomecError(f"The study has no trial {name}. `biomec study show` lists them with their files.")


def open_study(path: Path | str, results: Path | None = None, progress: Progress | None = None) -> Study:
    """Look through a study folder (or that of a ``study.toml``) and its results.

    Nothing is written but the index and the codes of people, and where that is not possible the study still opens.
    """
    description = read_description(path, results)
    folder, place = description.folder, description.results
    settings, problems = _settings(description)
    index = database.read_index(place / database.FILE)
    before = index.folders, index.records
    content, closed = look_through(folder, place, index.folders, progress)
    records, unread = read_records(place, index.records)
    decisions = read_decisions(place)
    found = [(path_below(inside, one.file), one) for inside, some in content.items() for one in some.trials]
    found, files = without_copies(found, content)
    who = who_is_who(found, description, read_people(place))
    sentences = [*problems, *closed, *unread, *who.sentences]
    codes = dict(who.codes)
    if found and who.keys:
        codes = _keep(place, who.keys, codes, sentences)
    trials = study_trials(found, description, codes, records, decisions, settings)
    sentences += _doubts(trials, description)
    index.fill(content, records, [one.row for one in trials])
    if (content, records) != before and (found or records):
        try:
            place.mkdir(parents=True, exist_ok=True)
            index.save(place / database.FILE)
        except (BiomecError, OSError) as error:
            sentences.append(f"The index cannot be kept ({_words(error)}); it is made anew each time.")
    return Study(description, trials, files, tuple(dict.fromkeys(sentences)), settings, index)


def _settings(description: StudyDescription) -> tuple[AnalysisSettings, list[str]]:
    if description.settings is None:
        return AnalysisSettings(), []
    settings, notices = read_settings(description.settings)
    return settings, [one.sentence for one in notices]


def _keep(place: Path, keys: Mapping[str, str], codes: dict[str, str], sentences: list[str]) -> dict[str, str]:
    """Codes of recordings as they are kept; those just made where the folder takes nothing."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        kept = keep_people(place, keys)
    except (BiomecError, OSError) as error:
        if read_people(place) != keys:
            sentences.append(f"The codes of people cannot be kept ({_words(error)}); they may change with new people.")
        return codes
    changed = {keys[key]: code for key, code in kept.items() if key in keys and keys[key] != code}
    return {path: changed.get(code, code) for path, code in codes.items()}


def _words(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error).rstrip(".")


def _doubts(trials: Sequence[StudyTrial], description: StudyDescription) -> list[str]:
    """Sentences about trials of one person that do not fit each other, and about described ones that are absent."""
    sentences = []
    legs: dict[str, list[float]] = {}
    for one in trials:
        if one.subject and one.state is State.DONE and one.headline.leg_m is not None:
            legs.setdefault(one.subject, []).append(one.headline.leg_m)
    for code, lengths in legs.items():
        if max(lengths) > (1.0 + MEASURED_APART) * min(lengths):
            sentences.append(
                f"The legs of {code} are {1e3 * min(lengths):.0f} to {1e3 * max(lengths):.0f} mm long in its trials: "
                "are they of one person?"
            )
    there = {one.file for one in trials}
    absent = [file for file in description.trials if file not in there]
    if absent:
        sentences.append(f"study.toml names {', '.join(absent[:3])}, which is not a trial in this folder.")
    unclear = sum(not one.condition for one in trials if one.state is not State.GONE)
    if description.conditions and unclear:
        sentences.append(f"{unclear} trials have none of the conditions of study.toml.")
    return sentences


def broken_files(study: Study) -> tuple[tuple[str, str], ...]:
    """Path and reason of recordings that cannot be read."""
    return tuple((path, one.reason) for path, one in study.files.items() if one.kind == BROKEN)
