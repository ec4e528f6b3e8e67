"""What a researcher says of a study: a file ``study.toml`` in its folder. All of it is optional.

    name = "Push-ups with open and closed hands"
    layout = ["subject", "session", "condition"]     # what the folders above a recording mean, the outermost first
    settings = "settings.json"                       # of the analysis, for all recordings
    muscles = true                                   # muscle and contact forces too

    [[subject]]                                      # a person: recordings in these folders, or with these names
    code = "P01"
    folders = ["Arthur"]
    names = ["Arthur"]
    group = "experts"
    sex = "male"
    mass_kg = 71.5
    height_m = 1.78

    [[condition]]                                    # recordings whose trial or folder has one of these words
    name = "open"
    words = ["aberto", "open"]

    [[trial]]                                        # a recording of which names and folders say too little
    file = "old/take 7.c3d"
    subject = "P01"
    condition = "open"
    static = "old/cal.c3d"
    excluded = "lost his balance"

Paths are below the folder of the study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from biomec.base.description_file import read_text
from biomec.base.errors import FileError
from biomec.base.toml_table import TomlTable, read_toml
from biomec.recording import Subject

FILE = "study.toml"
RESULTS = "biomec-study"
SUBJECT, SESSION, CONDITION = "subject", "session", "condition"
LEVELS = (SUBJECT, SESSION, CONDITION)


@dataclass(frozen=True)
class DescribedPerson:
    """A person by the word of the researcher.

    code    : stands for the person in index and tables
    folders : folders that hold this person's recordings, below that of the study
    names   : names in files that mean this person
    """

    code: str
    folders: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    group: str = ""
    subject: Subject = field(default_factory=Subject)


@dataclass(frozen=True)
class DescribedTrial:
    """What is said of one recording; "" where nothing is. ``static`` is below the folder of the study."""

    subject: str = ""
    session: str = ""
    condition: str = ""
    static: str = ""
    excluded: str = ""


@dataclass(frozen=True)
class StudyDescription:
    """A study folder and what is said about it.

    results    : folder of index, projects and tables
    settings   : file with the settings of the analysis; None for the defaults
    conditions : name -> words by which trials and folders are recognised
    trials     : path below the folder -> what is said of the recording
    """

    folder: Path
    results: Path
    name: str = ""
    layout: tuple[str, ...] = LEVELS
    settings: Path | None = None
    muscles: bool = False
    people: tuple[DescribedPerson, ...] = ()
    conditions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    trials: Mapping[str, DescribedTrial] = field(default_factory=dict)


def read_description(path: Path | str, results: Path | None = None) -> StudyDescription:
    """Describe the study of a folder, with its ``study.toml`` if there is one, or of such a file.

    results : folder for index, projects and tables; by default ``biomec-study`` in the folder
    """
    path = Path(path)
    if not path.exists():
        raise FileError(path.name, f"there is no such file or folder in {path.absolute().parent}.")
    file = path / FILE if path.is_dir() else path
    folder = path if path.is_dir() else path.parent
    folder = folder.resolve()
    if not file.is_file():
        return StudyDescription(folder, (results or folder / RESULTS).resolve(), folder.name)
    return _described(read_toml(read_text(file), file.name, with_lines=True), folder, results)


def _described(table: TomlTable, folder: Path, results: Path | None) -> StudyDescription:
    table.only(("name", "layout", "results", "settings", "muscles", "subject", "condition", "trial"))
    layout = tuple(table.texts("layout")) if "layout" in table else LEVELS
    if len(set(layout)) != len(layout) or not set(layout) <= set(LEVELS):
        raise table.refusal(f"layout is a list of {', '.join(LEVELS)}, each once at most.", "layout")
    muscles = table.values.get("muscles", False)
    if not isinstance(muscles, bool):
        raise table.refusal("muscles is true or false.", "muscles")
    place = folder / _below(table, "results") if "results" in table else folder / RESULTS
    people = tuple(_person(one) for one in table.tables("subject"))
    codes = [one.code for one in people]
    for one in codes:
        if codes.count(one) > 1:
            raise table.refusal(f"two subjects have the code {one}. Give every person another one.")
    trials: dict[str, DescribedTrial] = {}
    for said in table.tables("trial"):
        said.only(("file", "subject", "session", "condition", "static", "excluded"))
        file = _below(said, "file")
        if file in trials:
            raise said.refusal(f"{file} is described twice.", "file")
        trials[file] = DescribedTrial(
            _text(said, "subject"), _text(said, "session"), _text(said, "condition"),
            _below(said, "static") if "static" in said else "", _text(said, "excluded"),
        )  # fmt: skip
    return StudyDescription(
        folder,
        (results or place).resolve(),
        _text(table, "name") or folder.name,
        layout,
        folder / _below(table, "settings") if "settings" in table else None,
        muscles,
        people,
        {one.text("name"): _words(one) for one in table.tables("condition")},
        trials,
    )


def _person(table: TomlTable) -> DescribedPerson:
    table.only(("code", "folders", "names", "group", "sex", "mass_kg", "height_m"))
    numbers = {
        key: float(table.numbers(key, ())) if key in table else None for key in ("mass_kg", "height_m")
    }  # fmt: skip
    folders, names = (tuple(table.texts(key)) if key in table else () for key in ("folders", "names"))
    if not folders and not names:
        raise table.refusal("a subject needs folders or names, by which the recordings are known.")
    subject = Subject(sex=_text(table, "sex") or None, mass_kg=numbers["mass_kg"], height_m=numbers["height_m"])
    return DescribedPerson(table.text("code"), folders, names, _text(table, "group"), subject)


def _words(table: TomlTable) -> tuple[str, ...]:
    table.only(("name", "words"))
    return (table.text("name"), *(table.texts("words") if "words" in table else ()))


def _text(table: TomlTable, key: str) -> str:
    return table.text(key).strip() if key in table else ""


def _below(table: TomlTable, key: str) -> str:
    """A path below the folder of the study."""
    path = PurePosixPath(table.text(key).replace("\\", "/"))
    if not path.parts:
        raise table.refusal(f"{key} names nothing below the folder of the study. Give a path inside it.", key)
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise table.refusal(f"{key} must lie in the folder of the study.", key)
    return path.as_posix()
