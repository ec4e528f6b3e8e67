"""Who is who in a study: folders and names become people, and every person gets a code that stands for the name.

The folder of a person comes before names in files. Two people are never made one: what has one name in two folders, or
one name and two dates of birth, stays apart, and a sentence says so. Codes are kept in ``people.csv``, the only file of
the results that holds names besides the projects; only its owner may read it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from biomec.base.atomic import atomic_path
from biomec.base.errors import FileError
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.plain_text import from_cell, table
from biomec.base.save_lock import save_lock
from biomec.io.companions import natural_order
from biomec.study.description import SUBJECT, DescribedPerson, StudyDescription
from biomec.study.discovery import FoundTrial

FILE = "people.csv"
COLUMNS = ("code", "known by")
FOLDER, NAME, BORN = "folder ", "name ", "born "
UNKNOWN = ""


@dataclass(frozen=True)
class WhoIsWho:
    """codes : path of a recording -> code of the person, "" where nobody is named; sentences about doubts."""

    codes: Mapping[str, str]
    keys: Mapping[str, str]
    sentences: tuple[str, ...]


def who_is_who(
    found: Sequence[tuple[str, FoundTrial]], description: StudyDescription, known: Mapping[str, str]
) -> WhoIsWho:
    """Give every recording, by its path, the code of its person.

    known : key of a person -> code that was given before
    """
    described = {path: _described(path, trial, description) for path, trial in found}
    free = [(path, trial) for path, trial in found if not described[path]]
    keys, sentences = _keys(free, description)
    taken = {one.code for one in description.people} | set(known.values()) | set(filter(None, described.values()))
    codes, number = dict(known), 0
    for key in sorted(set(keys.values()) - {UNKNOWN} - codes.keys(), key=_order):
        while (code := f"P{(number := number + 1):03d}") in taken:
            pass
        codes[key] = code
        taken.add(code)
    given = {path: described[path] or codes.get(keys.get(path, UNKNOWN), UNKNOWN) for path, _ in found}
    return WhoIsWho(given, codes, tuple(sentences))


def _described(path: str, trial: FoundTrial, description: StudyDescription) -> str:
    said = description.trials.get(path)
    if said is not None and said.subject:
        return said.subject
    parts = path.split("/")[:-1]
    parents = {"/".join(parts[:k]) for k in range(1, len(parts) + 1)} if description.people else set()
    for one in description.people:
        if any(folder in parents for folder in one.folders):
            return one.code
    name = plain(trial.person)
    return next((one.code for one in description.people if name and name in map(plain, one.names)), "")


def _keys(found: Iterable[tuple[str, FoundTrial]], description: StudyDescription) -> tuple[dict[str, str], list[str]]:
    """Path -> key of the person, and sentences."""
    places: dict[str, list[tuple[str, FoundTrial]]] = {}
    for path, trial in found:
        places.setdefault(level(path, SUBJECT, description), []).append((path, trial))
    keys: dict[str, str] = {}
    sentences: list[str] = []
    where: dict[str, list[str]] = {}
    for place, trials in places.items():
        names = sorted({plain(trial.person) for _, trial in trials} - {""})
        if place and len(names) > 1:
            sentences.append(f'The folder "{place}" holds recordings of {len(names)} names; each name is one person.')
        for name in names or [""]:
            same = [(path, trial) for path, trial in trials if plain(trial.person) == name or len(names) < 2]
            key = _key(place, name, len(names))
            if key:
                keys |= _by_birth(key, same, sentences)
                if name:
                    where.setdefault(name, []).append(place)
    for folders in where.values():
        if len(folders) > 1:
            listed = " and ".join(f'"{one}"' if one else "the folder of the study" for one in sorted(folders))
            sentences.append(
                f"One name stands in {listed}: they count as {len(folders)} people. If they are one, say so in "
                f"study.toml with one [[subject]] that names both folders."
            )
    return keys, sentences


def _key(place: str, name: str, names: int) -> str:
    if not place:
        key = NAME + name if name else UNKNOWN
    else:
        key = f"{FOLDER}{place}" if names < 2 else f"{FOLDER}{place} {NAME}{name}"
    return key.encode("utf-8", "backslashreplace").decode()  # names of folders may hold what UTF-8 does not allow


def _by_birth(key: str, trials: Sequence[tuple[str, FoundTrial]], sentences: list[str]) -> dict[str, str]:
    """Path -> key: people of one name who were born on different days are apart."""
    days = sorted({trial.born for _, trial in trials if trial.born})
    if len(days) < 2:
        return {path: key for path, _ in trials}
    unknown = sum(not trial.born for _, trial in trials)
    rest = f" {unknown} recordings without a date of birth belong to nobody." if unknown else ""
    sentences.append(
        f"{len(days)} people have one name, and were born on different days; they are kept apart.{rest} "
        "Name them in study.toml if that is wrong."
    )
    return {path: f"{key} {BORN}{trial.born}" if trial.born else UNKNOWN for path, trial in trials}


def level(path: str, what: str, description: StudyDescription) -> str:
    """Name of the folder above a recording that means subject, session or condition; "" if there is none."""
    parents = path.split("/")[:-1]
    if what not in description.layout:
        return ""
    place = description.layout.index(what)
    return parents[place] if place < len(parents) else ""


def _order(text: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    return natural_order(Path(text)), text


def plain(name: str) -> str:
    """A name without capitals and double blanks, for comparing."""
    return " ".join(name.split()).casefold()


# --------------------------------------------------------------------------------------------------------------- file


def read_people(folder: Path) -> dict[str, str]:
    """Key of a person -> code, as kept in the results."""
    path = folder / FILE
    try:
        text = whole_file(path, most=LONGEST_DESCRIPTION).decode("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(path.name, f"it cannot be read ({error}). Codes of people stand in it.") from error
    rows = list(csv.reader(io.StringIO(text)))
    if not rows or tuple(rows[0]) != COLUMNS or any(len(row) != len(COLUMNS) for row in rows[1:]):
        raise FileError(
            path.name, f"it is not the list of codes that Biomec wrote ({', '.join(COLUMNS)}). Take a copy back."
        )
    return {from_cell(key): from_cell(code) for code, key in rows[1:]}


def keep_people(folder: Path, keys: Mapping[str, str]) -> dict[str, str]:
    """Write the codes of people, and return them; a code that somebody else gave meanwhile wins."""
    path = folder / FILE
    with save_lock(path):
        there = read_people(folder)
        taken = set(there.values())
        merged = dict(there)
        number = 0
        for key, code in keys.items():
            if key in merged:
                continue
            while code in taken:
                code = f"P{(number := number + 1):03d}"
            merged[key] = code
            taken.add(code)
        if merged != there:
            rows = sorted(((code, key) for key, code in merged.items()), key=lambda row: _order(row[0]))
            with atomic_path(path, private=True) as temporary:
                temporary.write_text(table([COLUMNS, *rows]), encoding="utf-8")
    return merged


def groups_of(people: Iterable[DescribedPerson]) -> dict[str, str]:
    """Code -> group, of the people who have one."""
    return {one.code: one.group for one in people if one.group}
