"""Files that are written whole or not at all: a crash, a full disk or a pulled plug leaves what was there before."""

from __future__ import annotations

import errno
import glob
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from biomec.base.errors import FileError
from biomec.base.special_files import refuse_special

FAILING = {errno.EIO, errno.ENOSPC, errno.EROFS, getattr(errno, "EDQUOT", errno.ENOSPC)}  # a disk that cannot keep it
LEFTOVER_AGE_S = 24 * 3600.0  # older than any save still at work


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a new, empty sibling file to write to; when the block ends well it takes the place of ``path`` in one step.

    The bytes reach the disk before the old file is replaced. If the block raises, the sibling is removed and ``path``
    is as it was. A link is followed, so that the file it points to is replaced and the link stays a link. Faults of the
    file system, here or inside the block, become a `FileError` that names the file.
    """
    target = Path(path)
    temporary: Path | None = None
    try:
        target = target.resolve()
        if target.is_dir():
            raise FileError(target.name, "this is a folder; give the name of a file to write to.")
        refuse_special(target)
        _forget_leftovers(target)
        temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.part")
        temporary.open("xb").close()
        yield temporary
        keep_permissions(target, temporary)
        flush_file(temporary)
        os.replace(temporary, target)
        temporary = None
        flush_folder(target.parent)
    except (OSError, RuntimeError) as fault:  # RuntimeError: a link that leads in circles
        if not isinstance(fault, OSError) and temporary is not None:
            raise
        raise FileError(target.name, f"it cannot be written to {target.parent}: {_reason(fault)}.") from fault
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def _forget_leftovers(target: Path) -> None:
    """Remove what a program that was killed while it saved ``target`` has left, once nobody can be writing it."""
    for leftover in target.parent.glob(f".{glob.escape(target.name[:40])}.{'[0-9a-f]' * 12}.part"):
        with suppress(OSError):
            if time.time() - leftover.stat().st_mtime > LEFTOVER_AGE_S:
                leftover.unlink()


def _reason(fault: Exception) -> str:
    """The system's own words, without a number."""
    words = fault.strerror if isinstance(fault, OSError) else None
    return (words or str(fault) or type(fault).__name__).rstrip(".")


def keep_permissions(target: Path, temporary: Path) -> None:
    """Give the new file the permissions of the one that it replaces."""
    with suppress(OSError):  # there was none, or the file system has no permissions
        temporary.chmod(target.stat().st_mode & 0o7777)


def flush_file(path: Path) -> None:
    """Ask the disk to hold the bytes before the name changes; needs a writable handle on Windows."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Make the new name itself durable where folders can be flushed (not on Windows, nor on some network drives)."""
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as fault:
        if fault.errno in FAILING:
            raise


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, so that a power loss does not take them away again."""
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for one in made:
        flush_folder(one.parent)
