"""Files of one result that change together: no new summary stands beside old tables.

New files are written into a hidden folder within the folder of the results, so that a full disk or a fault leaves the
old results as they were. Then the file that vouches for the others, ``last``, is removed, every new file takes its
place, files of an earlier result that have no successor go, and ``last`` comes back at the end. If one of them cannot,
all old files return. A program that is killed in that moment leaves a folder without ``last``; with it, all files
belong together. Two programs that write into one folder do so one after the other. Other files are never touched.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from biomec.base.atomic import atomic_path, flush_file, flush_folder, keep_permissions, make_folder
from biomec.base.errors import FileError
from biomec.base.leftovers import held, remove_leftovers
from biomec.base.save_lock import save_lock

_KEPT = ".old"


@contextmanager
def replaced_together(folder: Path, last: str, ours: Iterable[str] = (), shared: Iterable[str] = ()) -> Iterator[Path]:
    """Yield an empty folder to write to; when the block ends well, its files move into ``folder``, all or none.

    last : name of the file that vouches for the others
    ours : names of files that an earlier result may have left; those that the block does not write are removed
    shared : names of files that other programs save by themselves, such as projects; their saves wait meanwhile

    ``folder`` is made if needed. Names may have one folder before them, such as ``pictures/angles.png``.
    """
    folder = Path(folder)
    try:
        make_folder(folder)
        remove_leftovers(folder, f".results.{'[0-9a-f]' * 12}.part")
        stage, handle = _stage(folder)
    except OSError as error:
        raise FileError(str(folder), f"the folder for the results cannot be made ({error.strerror}).") from error
    try:
        yield stage
        with ExitStack() as locks:
            for name in (last, *shared):
                locks.enter_context(save_lock(folder / name))
            _move(stage, folder, last, ours)
    except OSError as error:
        raise FileError(folder.name, f"the results cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def _stage(folder: Path) -> tuple[Path, int | None]:
    """Make a folder that only its owner can enter; it is locked while the handle is open (none on Windows)."""
    while True:
        stage = folder / f".results.{secrets.token_hex(6)}.part"
        stage.mkdir(mode=0o700)
        if os.name == "nt":
            return stage, None
        try:
            handle = os.open(stage, os.O_RDONLY)
        except FileNotFoundError:  # taken for a leftover in the moment that it was made
            continue
        if held(handle, stage):
            return stage, handle
        os.close(handle)


def _move(stage: Path, folder: Path, last: str, ours: Iterable[str]) -> None:
    names = sorted(path.relative_to(stage).as_posix() for path in stage.rglob("*") if path.is_file())
    names = [*(name for name in names if name != last), *(name for name in names if name == last)]
    old = [name for name in dict.fromkeys(ours) if name not in names]
    for name in (*names, *old):
        if (folder / name).is_dir():
            raise FileError(name, f"a folder of this name is in {folder.name}; move it away first.")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if not (folder / name).is_symlink():
            keep_permissions(folder / name, stage / name)
        flush_file(stage / name)
    touched = [last, *old, *(name for name in names if name != last)]
    kept = {name: _kept(folder / name, stage / _KEPT / name) for name in touched if (folder / name).is_file()}
    try:
        (folder / last).unlink(missing_ok=True)
        flush_folder(folder)  # it is gone for certain before any other file changes
        for name in old:
            (folder / name).unlink(missing_ok=True)
        for name in names:
            if name == last:
                _flush_folders(folder, touched)
            _place(stage / name, folder / name)
        flush_folder(folder)
    except OSError:
        with suppress(OSError):  # on a disk that takes nothing any more, they stay without the one that vouches
            _return(folder, last, touched, kept)
        raise


def _kept(path: Path, beside: Path) -> Path:
    """Keep an old file within reach until all is done: by a second name, or by a copy where there are none."""
    beside.parent.mkdir(parents=True, exist_ok=True)
    try:
        if path.is_symlink():
            raise NotImplementedError
        os.link(path, beside)
    except (OSError, NotImplementedError):
        shutil.copy2(path, beside)
    return beside


def _return(folder: Path, last: str, touched: list[str], kept: dict[str, Path]) -> None:
    """Give old files their places back, ``last`` at the end, and remove new ones that had no predecessor."""
    (folder / last).unlink(missing_ok=True)
    flush_folder(folder)
    for name in (*(one for one in touched if one != last), last):
        if name == last:
            _flush_folders(folder, touched)
        if name in kept:
            _place(kept[name], folder / name)
        else:
            (folder / name).unlink(missing_ok=True)
    flush_folder(folder)


def _flush_folders(folder: Path, names: Iterable[str]) -> None:
    for place in {(folder / name).parent for name in names}:
        if place.is_dir():
            flush_folder(place)


def _place(new: Path, target: Path) -> None:
    """Give a finished file its name; where that is a link, what it points to is replaced."""
    if not target.is_symlink():
        os.replace(new, target)
        return
    with atomic_path(target) as temporary:
        shutil.copyfile(new, temporary)
