"""Files that are written whole or not at all: a crash, a full disk or a pulled plug leaves what was there before."""

from __future__ import annotations

import errno
import glob
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from biomec.base.errors import FileError
from biomec.base.leftovers import held, remove_leftovers
from biomec.base.special_files import refuse_special

PRIVATE = 0o600  # nobody but the owner reads or writes
FAILING = {errno.EIO, errno.ENOSPC, errno.EROFS, getattr(errno, "EDQUOT", errno.ENOSPC)}  # a disk that cannot keep it


@contextmanager
def atomic_path(path: str | os.PathLike[str], private: bool = False) -> Iterator[Path]:
    """Yield a new, empty sibling file to write to; when the block ends well it takes the place of ``path`` in one step.

    The bytes reach the disk before the old file is replaced. If the block raises, the sibling is removed and ``path``
    is as it was. A link is followed, so that the file it points to is replaced and the link stays a link. Faults of the
    file system, here or inside the block, become a `FileError` that names the file.

    The sibling has its final permissions before anything is in it: those of the file that it replaces, or else those
    that are usual for this user.

    private : nobody else may read a file that is new
    """
    target = Path(path)
    temporary: Path | None = None
    handle: int | None = None
    try:
        target = target.resolve()
        if target.is_dir():
            raise FileError(target.name, "this is a folder; give the name of a file to write to.")
        refuse_special(target)
        remove_leftovers_of(target)
        temporary, handle = _sibling(target, private)
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
        if handle is not None:
            os.close(handle)


def remove_leftovers_of(target: Path) -> None:
    """Remove what programs that were killed while they saved ``target`` have left beside it."""
    remove_leftovers(target.parent, f".{glob.escape(target.name[:40])}.{'[0-9a-f]' * 12}.part")


def _sibling(target: Path, private: bool) -> tuple[Path, int | None]:
    """Make an empty file beside the target, with its final permissions; it is locked while the handle is open.

    There is no handle on Windows, which renames no open file.
    """
    mode = _mode(target)
    while True:
        temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.part")
        first = 0o666 if mode is None and not private else PRIVATE  # the system takes away what the user's mask says
        handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, first)
        if not held(handle, temporary):
            os.close(handle)
            continue
        if mode is not None:
            keep_permissions(target, temporary)
        if os.name == "nt":
            os.close(handle)
            return temporary, None
        return temporary, handle


def _mode(target: Path) -> int | None:
    """Permissions of a file; None if there is none."""
    try:
        return stat.S_IMODE(target.stat().st_mode) & 0o777
    except OSError:
        return None


def _reason(fault: Exception) -> str:
    """The system's own words, without a number."""
    words = fault.strerror if isinstance(fault, OSError) else None
    return (words or str(fault) or type(fault).__name__).rstrip(".")


def keep_permissions(target: Path, temporary: Path) -> None:
    """Give the new file the permissions of the one that it replaces, and its group where that is possible.

    A group that cannot be kept would give another group what was meant for the old one; it gets what everybody has.
    """
    mode = _mode(target)
    if mode is None:
        return
    with suppress(OSError):  # the file system has no permissions
        if os.name != "nt" and target.stat().st_gid != temporary.stat().st_gid:
            try:
                os.chown(temporary, -1, target.stat().st_gid)
            except OSError:
                mode = (mode & ~0o070) | (mode & (mode & 0o007) << 3)
        temporary.chmod(mode)


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
