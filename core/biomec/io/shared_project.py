"""One project, two programs: a project that changed since it was read is noticed, and one program saves at a time.

A project states the hash of its content in its first lines. Whoever reads it keeps that hash, and hands it back when
saving: if the file has another one by then, somebody else has saved, and nothing is overwritten.
"""

from __future__ import annotations

from pathlib import Path

from biomec.base.errors import FileError
from biomec.base.save_lock import save_lock
from biomec.base.special_files import refuse_special
from biomec.io.project import BLOCK, is_project, save_project
from biomec.recording import Session


class ProjectChangedError(FileError):
    """A project that another program has saved since it was read."""

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            "another program has saved this project since it was opened here, so it was not overwritten. Open it "
            "again, save under another name, or merge the two.",
        )


def project_hash(path: Path | str) -> str | None:
    """Hash that a project states in its first lines; None if there is no project."""
    path = Path(path)
    refuse_special(path)
    try:
        with path.open("rb") as file:
            block = file.read(BLOCK)
    except OSError:
        return None
    lines = block.decode("ascii", "replace").splitlines() if is_project(block) else []
    return next((line.removeprefix("sha256 ").strip() for line in lines if line.startswith("sha256 ")), None)


def save_as_read(session: Session, path: Path | str, seen: str | None) -> str:
    """Save a project that was read when it had the hash ``seen``; return the hash that it has now.

    Raises `ProjectChangedError` if it has another hash by now. Without ``seen`` it is saved whatever is there.
    """
    path = Path(path)
    with save_lock(path):
        now = project_hash(path)
        if seen is not None and now is not None and now != seen:
            raise ProjectChangedError(path.name)
        save_project(session, path)
        return project_hash(path) or ""
