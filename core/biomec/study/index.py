"""The index of a study: an SQLite database that can always be made again from the files beside it.

It is read whole into memory and written whole, by a new file that takes the place of the old one. So SQLite never
locks a file: its locks, and its write-ahead log above all, do not work on many network drives. Two people who have one
study open never spoil it; the index of whoever writes last stays, and lacks nothing that the files know.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from biomec._version import __version__
from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError
from biomec.study.discovery import FolderContent, FoundFile, FoundTrial
from biomec.study.record import Headline, TrialRecord

FILE = "index.sqlite"
SCHEMA = 1
MEASURED = tuple(one.name for one in fields(Headline))
IDENTITY = (
    "id", "subject", "sex", "people_group", "session", "visit", "condition", "trial", "number", "day", "file", "static",
    "state", "reason", "settings",
)  # fmt: skip
COLUMNS = (*IDENTITY, *MEASURED)
RECORD_FIELDS = tuple(one.name for one in fields(TrialRecord) if one.name != "headline")
T = TypeVar("T")


def _names(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


_TRIAL, _FILE, _HEADLINE = (attrgetter(*_names(kind)) for kind in (FoundTrial, FoundFile, Headline))
_RECORD = attrgetter(*RECORD_FIELDS)
_CELLS: Mapping[type, Callable[[Any], tuple[Any, ...]]] = {
    FoundTrial: _TRIAL,
    FoundFile: _FILE,
    TrialRecord: lambda one: (*_RECORD(one), *_HEADLINE(one.headline)),
}


class Index:
    """The database, in memory.

    ``trials`` has the columns of `COLUMNS`, one row a trial. What spares the next look are ``folders`` with what was
    ``found`` in them and what other ``files`` are, and ``records``.
    """

    def __init__(self, image: bytes | None = None) -> None:
        """Open the image of a database; an empty one if it is none, or of another version."""
        self.folders: dict[str, FolderContent] = {}
        self.records: dict[str, tuple[str, TrialRecord]] = {}
        if image is not None:
            try:
                self._read(image)
            except (sqlite3.Error, ValueError, TypeError, BiomecError):  # it is made again from the files
                self.folders, self.records = {}, {}
        self._base = sqlite3.connect(":memory:", check_same_thread=False)

    def _read(self, image: bytes) -> None:
        base = sqlite3.connect(":memory:")
        try:
            base.deserialize(image)
            wrote = dict(base.execute("SELECT key, value FROM about"))
            if wrote.get("schema") != str(SCHEMA) or wrote.get("biomec") != __version__:
                return  # another version may find other things in the same files
            trials = _by_folder(base, "found", FoundTrial)
            files = _by_folder(base, "files", FoundFile)
            for path, signature in base.execute(f"SELECT {_text('path')}, {_text('signature')} FROM folders"):
                self.folders[path] = FolderContent(signature, trials.get(path, ()), files.get(path, ()))
            rows = base.execute(
                f"SELECT {_text('stamp')}, {_typed(TrialRecord, RECORD_FIELDS)}, {_typed(Headline)} FROM records"
            )
            ends = 1 + len(RECORD_FIELDS)
            for row in rows:
                known = dict(zip(RECORD_FIELDS, row[1:ends], strict=True))
                self.records[known["id"]] = row[0], TrialRecord(**known, headline=Headline(*row[ends:]))
        finally:
            base.close()

    def fill(
        self,
        folders: Mapping[str, FolderContent],
        records: Mapping[str, tuple[str, TrialRecord]],
        trials: Iterable[Sequence[Any]],
    ) -> None:
        """Put in what was found; ``trials`` are rows in the order of `COLUMNS`."""
        base = sqlite3.connect(":memory:", check_same_thread=False)
        storable = {path: one for path, one in folders.items() if _storable(path, *one.trials, *one.files)}
        found = [(path, *_TRIAL(one)) for path, content in storable.items() for one in content.trials]
        files = [(path, *_FILE(one)) for path, content in storable.items() for one in content.files]
        kept = [
            (stamp, *_RECORD(one), *_HEADLINE(one.headline)) for stamp, one in records.values() if _storable("", one)
        ]
        tables: list[tuple[str, Sequence[str], Iterable[Sequence[Any]]]] = [
            ("about", ("key", "value"), [("schema", str(SCHEMA)), ("biomec", __version__)]),
            ("folders", ("path", "signature"), [(path, one.signature) for path, one in storable.items()]),
            ("found", ("folder", *_names(FoundTrial)), found),
            ("files", ("folder", *_names(FoundFile)), files),
            ("records", ("stamp", *RECORD_FIELDS, *_names(Headline)), kept),
            ("trials", COLUMNS, trials),
        ]
        for name, columns, rows in tables:
            base.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            sql = f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})"
            base.executemany(sql, map(_plain, rows) if name == "trials" else rows)
        base.commit()
        self._base.close()
        self._base, self.folders, self.records = base, dict(folders), dict(records)

    def ids(self, where: Mapping[str, Any], words: str = "", order: Sequence[str] = ()) -> list[str]:
        """Ids of the trials that have these values in columns, and the words in any of their texts, in an order."""
        for name in (*where, *(one.removeprefix("-") for one in order)):
            if name not in COLUMNS:
                raise BiomecError(f"A study has no column {name}; there are {', '.join(COLUMNS)}.")
        clauses, values = [f"{name} IS ?" for name in where], list(where.values())
        texts = ("subject", "people_group", "session", "condition", "trial", "file", "state", "reason", "loads")
        for word in words.split():
            clauses.append("(" + " OR ".join(f"instr(lower({name}), ?)" for name in texts) + ")")
            values += [word.lower()] * len(texts)
        sql = "SELECT id FROM trials" + (f" WHERE {' AND '.join(clauses)}" if clauses else "")
        named = [f"{one.removeprefix('-')}{' DESC' if one.startswith('-') else ''}" for one in order]
        return [row[0] for row in self._base.execute(f"{sql} ORDER BY {', '.join([*named, 'rowid'])}", values)]

    def save(self, path: Path) -> None:
        """Write it whole; a `FileError` where the folder takes nothing."""
        image = self._base.serialize()
        with atomic_path(path, private=True) as temporary:
            temporary.write_bytes(image)


def read_index(path: Path) -> Index:
    """The index of a file; an empty one where there is none, or where it cannot be read."""
    try:
        return Index(path.read_bytes())
    except OSError:
        return Index()


def _storable(path: str, *values: object) -> bool:
    """Whether all texts are UTF-8; a name of a file may be none, and its folder is then looked through each time."""
    texts = [path]
    for one in values:
        cells = _CELLS[type(one)](one)
        texts += [cell for cell in cells if isinstance(cell, str)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(row: Sequence[Any]) -> tuple[Any, ...]:
    """A row of which every text is UTF-8."""
    return tuple(
        one.encode("utf-8", "replace").decode() if isinstance(one, str) and not one.isascii() else one for one in row
    )


def _text(name: str) -> str:
    return f"COALESCE(CAST({name} AS TEXT), '')"


def _typed(kind: type, names: Sequence[str] = ()) -> str:
    """Columns of the fields of a dataclass, each surely of the type of its field, whatever the database holds."""
    casts = {
        "str": _text("{0}"),
        "int": "COALESCE(CAST({0} AS INTEGER), 0)",
        "float": "COALESCE(CAST({0} AS REAL), 0.0)",
        "float | None": "CAST({0} AS REAL)",
        "bool": "COALESCE(CAST({0} AS INTEGER), 0) <> 0",
    }
    chosen = [one for one in fields(kind) if not names or one.name in names]
    return ", ".join(casts[str(one.type)].format(one.name) for one in chosen)


def _by_folder(base: sqlite3.Connection, table: str, kind: type[T]) -> dict[str, tuple[T, ...]]:
    made: dict[str, list[T]] = {}
    for folder, *values in base.execute(f"SELECT {_text('folder')}, {_typed(kind)} FROM {table} ORDER BY rowid"):
        made.setdefault(folder, []).append(kind(*values))
    return {folder: tuple(some) for folder, some in made.items()}
