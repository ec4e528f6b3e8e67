"""The project file ``.biomec``: one session in one file, saved whole or not at all.

The file is HDF5 behind a block of 512 bytes of text, which HDF5 calls a user block and steps over:

    BIOMEC PROJECT
    schema 1
    biomec 0.5.0
    size 1048576
    sha256 9f86d081…

``size`` counts the bytes after the block and ``sha256`` is the hash of everything else, so that a file that was cut,
damaged or written by a newer Biomec is known as such before anything in it is believed. The HDF5 part is put together
in memory, because the HDF5 library may crash when a disk is full.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import h5py
import numpy as np

from biomec._version import __version__
from biomec.base.atomic import atomic_path, remove_leftovers_of
from biomec.base.errors import BiomecError, FileError
from biomec.base.limits import Budget
from biomec.base.plain_types import made_from
from biomec.base.special_files import refuse_special
from biomec.io.project_trial import (
    read_array,
    read_json,
    read_trial_group,
    write_array,
    write_json,
    write_trial_group,
)
from biomec.io.session_json import StoredResult, StoredSession, session_of, session_to_json
from biomec.io.strangers_hdf5 import Inspector
from biomec.recording import Original, Result, Session

SCHEMA = 1
BLOCK = 512  # bytes of the user block; HDF5 asks for a power of two, at least this
MAGIC = b"BIOMEC PROJECT\n"


@dataclass(frozen=True)
class ProjectHeader:
    """What the first block of a project file says."""

    schema: int
    biomec: str
    size: int
    sha256: str

    @property
    def signed_text(self) -> bytes:
        """The lines that the hash covers together with the HDF5 part."""
        return MAGIC + f"schema {self.schema}\nbiomec {self.biomec}\nsize {self.size}\n".encode()

    @property
    def block(self) -> bytes:
        """The whole first block."""
        return (self.signed_text + f"sha256 {self.sha256}\n".encode()).ljust(BLOCK - 1) + b"\n"


def save_project(session: Session, path: Path | str) -> None:
    """Write a session to a project file; what was there before stays until the new file is safe on the disk.

    A file of another kind, or of a newer Biomec, is not overwritten. Only its owner can read a project that is new; one
    that is replaced keeps its permissions.
    """
    path = Path(path)
    refuse_to_destroy(path)
    image = io.BytesIO()
    with h5py.File(image, "w", userblock_size=BLOCK) as file:
        file.attrs["format"], file.attrs["schema"], file.attrs["biomec"] = "biomec project", SCHEMA, __version__
        _write_session(file, session)
    content = image.getbuffer()
    header = ProjectHeader(SCHEMA, __version__, len(content) - BLOCK, "")
    digest = hashlib.sha256(header.signed_text)
    digest.update(content[BLOCK:])
    content[:BLOCK] = ProjectHeader(SCHEMA, __version__, header.size, digest.hexdigest()).block
    with atomic_path(path, private=True) as temporary, temporary.open("wb") as out:
        out.write(content)


def load_project(path: Path | str) -> Session:
    """Read a session from a project file; a `FileError` says what is wrong with one that cannot be trusted."""
    path = Path(path)
    refuse_special(path)
    remove_leftovers_of(path)
    try:
        with path.open("rb") as file:
            size = _check(path.name, file)
            file.seek(0)
            with h5py.File(file, "r") as project:  # through our own handle: no lock on network drives
                Inspector(Budget(size, 2.0), stored=True).inspect(project)
                return _read_session(project)
    except FileError:
        raise
    except IsADirectoryError as error:
        raise FileError(path.name, "this is a folder, not a project file.") from error
    except OSError as error:
        raise FileError(path.name, f"cannot be read ({error.strerror or error}).") from error
    except MemoryError as error:
        raise FileError(path.name, "there is not enough free memory to open the project.") from error
    except (BiomecError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError) as error:
        words = " ".join(str(error).split())[:200] or type(error).__name__
        raise FileError(path.name, f"the project has unexpected content ({words}). Use an older copy.") from error


def is_project(start: bytes) -> bool:
    """True if a file that starts with these bytes says that it is a project."""
    return start.startswith(MAGIC)


# ------------------------------------------------------------------------------------------------------------- checks
def _read_header(name: str, block: bytes) -> ProjectHeader:
    if not block:
        raise FileError(name, "the file is empty; it is not a Biomec project. Use an older copy if it once was.")
    if not is_project(block):
        kind = "an HDF5 file of another program" if block.startswith(b"\x89HDF") else "a file of another kind"
        raise FileError(name, f"this is {kind}, not a Biomec project.")
    damaged = FileError(name, "the first lines of the project are damaged. Use an older copy.")
    try:
        words = [line.split(" ", 1) for line in block[len(MAGIC) :].decode("ascii").split("\n")[:4]]
        fields = {word[0]: word[1] for word in words}
        header = ProjectHeader(int(fields["schema"]), fields["biomec"], int(fields["size"]), fields["sha256"])
    except (UnicodeDecodeError, ValueError, IndexError, KeyError) as error:
        raise damaged from error
    if len(block) == BLOCK and header.block != block:
        raise damaged
    return header


def _check(name: str, file: BinaryIO) -> int:
    """Read the whole file once, raise a sentence if it is not exactly what was saved, and return its size in bytes."""
    header = _read_header(name, file.read(BLOCK))
    there = file.seek(0, io.SEEK_END) - BLOCK
    damaged = FileError(name, "the project is damaged, or another program has changed it. Use an older copy.")
    if there > header.size:
        raise damaged
    if there < header.size:
        raise FileError(
            name,
            f"the project is cut short: {max(there, 0)} of {header.size} bytes are there. "
            "Copy it again, or use an older copy.",
        )
    Budget(there, 2.0).take(there)  # before it is read as a whole
    file.seek(BLOCK)
    digest = hashlib.sha256(header.signed_text)
    while part := file.read(1 << 20):
        digest.update(part)
    if digest.hexdigest() != header.sha256:
        raise damaged
    if header.schema > SCHEMA:
        raise FileError(
            name,
            f"the project was saved by Biomec {header.biomec} (schema {header.schema}); this is Biomec {__version__}, "
            f"which knows schema {SCHEMA}. Update Biomec to open it.",
        )
    return there


def refuse_to_destroy(path: Path) -> None:
    """Raise a sentence if a file stands at ``path`` that must not be replaced by a project."""
    refuse_special(path)
    try:
        with path.open("rb") as file:
            block = file.read(BLOCK)
    except OSError:
        return  # nothing there that could be read; writing says what is wrong
    if not block:
        return
    if not is_project(block):
        raise FileError(path.name, "a file of another kind has this name and is not overwritten; choose another name.")
    try:
        header = _read_header(path.name, block)
    except FileError:
        return  # a damaged project: nothing in it can be lost any more
    if header.schema > SCHEMA:
        raise FileError(
            path.name,
            f"a project of the newer Biomec {header.biomec} has this name and is not overwritten; choose another name.",
        )


# ------------------------------------------------------------------------------------------------------------ content
def _link(name: str) -> str:
    """Name of a step or an array as a name within HDF5, where a slash separates groups."""
    return "_" + name.encode("utf-8", "surrogatepass").hex() if _odd(name) else name


def _odd(name: str) -> bool:
    return not name or name.startswith((".", "_")) or name == "json" or not name.isprintable() or "/" in name


def _write_session(file: h5py.Group, session: Session) -> None:
    write_trial_group(file.create_group("dynamic"), session.dynamic)
    if session.static is not None:
        write_trial_group(file.create_group("static"), session.static)
    for step, result in session.results.items():
        group = file.create_group(f"results/{_link(step)}")
        for name, array in result.arrays.items():
            write_array(group, _link(name), array)
        write_json(group, {"arrays": list(result.arrays), "metadata": result.metadata})
    for k, original in enumerate(session.originals):
        write_array(file, f"originals/{k}", np.frombuffer(bytearray(original.content), dtype=np.uint8))
    write_json(file.create_group("session"), session_to_json(session))


def _read_session(file: h5py.Group) -> Session:
    stored = made_from(StoredSession, read_json(file["session"]), "session")
    originals = tuple(
        Original(source, read_array(file, f"originals/{k}").tobytes()) for k, source in enumerate(stored.originals)
    )
    results = {step: _read_result(file[f"results/{_link(step)}"]) for step in stored.results}
    static = read_trial_group(file["static"]) if "static" in file else None
    return session_of(stored, read_trial_group(file["dynamic"]), static, results, originals)


def _read_result(group: h5py.Group) -> Result:
    stored = made_from(StoredResult, read_json(group), group.name.strip("/"))
    return Result({name: read_array(group, _link(name)) for name in stored.arrays}, stored.metadata)
