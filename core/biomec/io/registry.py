"""Every file format Biomec knows: one entry a format. A file is believed by its content first, by its name second.

To add a format, write a module with a reader ``(path) -> Trial`` and a writer ``(trial, path) -> notices``, and add its
entry to `FORMATS`; import by name and the menu Export read it too. Modules are imported when such a file is met.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice, warning
from biomec.base.special_files import refuse_special
from biomec.io.evidence import examined
from biomec.io.project import is_project, load_project
from biomec.recording import Session, Trial

PROJECT = "Biomec project"
HEAD = 4096  # bytes that are enough to tell one format from another


@dataclass(frozen=True)
class Format:
    """One kind of file.

    extensions : in lower case with the dot; the first is the usual one
    module     : where ``read_<function>`` and ``write_<function>`` are
    looks_like : True if the first bytes of a file can only be this format; they are in lower case, without zeros
    holds_zeros : True if the reader takes ``zeros_are_missing``: lost points may be written as (0, 0, 0)
    static     : whether a static acquisition may be such a file, by the usual extension
    plates     : whether such a file beside a recording may hold its force plates
    raw        : whether ``looks_like`` gets the first bytes as they are, for a binary format
    emg        : preference among files that may hold the EMG of a recording, 1 first; 0: it holds none
    export     : what the menu Export calls it, and what it writes; None if it is not in the menu
    """

    name: str
    extensions: tuple[str, ...]
    module: str
    function: str
    looks_like: Callable[[bytes], bool]
    holds_zeros: bool = False
    static: bool = False
    plates: bool = False
    emg: int = 0
    export: tuple[str, str] | None = None
    raw: bool = False

    def reader(self) -> Callable[..., Trial]:
        """Return the function that reads this format."""
        function: Callable[..., Trial] = getattr(importlib.import_module(self.module), f"read_{self.function}")
        return function

    def writer(self) -> Callable[[Trial, Path], tuple[Notice, ...]]:
        """Return the function that writes this format."""
        function: Callable[[Trial, Path], tuple[Notice, ...]]
        function = getattr(importlib.import_module(self.module), f"write_{self.function}")
        return function


def _is_c3d(head: bytes) -> bool:
    return len(head) > 1 and head[1] == 0x50 and head[0] < 0x20 and head[0] not in b"\t\n\r\0"


def _is_table(head: bytes) -> bool:
    return b"endheader" in head


FORMATS = (
    Format("C3D", (".c3d",), "biomec.io.c3d", "c3d", _is_c3d, holds_zeros=True, static=True, emg=2, raw=True,
           export=("C3D", "Write markers, plates, EMG and events as C3D")),
    Format("EMT", (".emt",), "biomec.io.emt", "emt", lambda head: head.lstrip().startswith(b"bts ascii"),
           holds_zeros=True, static=True, emg=1),
    Format("TRC", (".trc",), "biomec.io.trc", "trc", lambda head: head.lstrip().startswith(b"pathfiletype"),
           holds_zeros=True, static=True, export=("TRC", "Write markers for OpenSim")),
    Format("MOT", (".mot", ".sto"), "biomec.io.storage", "storage", _is_table, plates=True, emg=5,
           export=("Force Plates (MOT)", "Write force plates for OpenSim")),
    Format("MAT", (".mat",), "biomec.io.mat", "mat", lambda head: head.startswith(b"matlab"), static=True, emg=4,
           export=("MAT", "Write the recording and all results for MATLAB or Octave")),
    Format("CSV", (".csv", ".txt", ".tsv"), "biomec.io.csv_table", "csv", lambda head: False, holds_zeros=True,
           static=True, emg=3, export=("CSV", "Write the whole recording as tables")),
    Format("Biomec project", (".biomec",), "biomec.io.registry", "project_trial",
           lambda head: is_project(head.upper())),
)  # fmt: skip


def read_trial(path: Path | str, *, examine: bool = True, keep_zeros: bool = False) -> Trial:
    """Read a recording of any known format; of a project, its dynamic trial.

    examine    : compare what the file says about axes and units with what the data say (`biomec.io.evidence.examined`);
                 False leaves both as the file has them or as its format usually does
    keep_zeros : believe points at exactly (0, 0, 0), which are missing samples in most files
    """
    path = Path(path)
    format_, notices = find_format(path)
    reader = format_.reader()
    if keep_zeros and format_.holds_zeros:
        reader = partial(reader, zeros_are_missing=False)
    try:
        trial = reader(path).with_notices(*notices)
        return examined(trial) if examine and format_.name != PROJECT else trial
    except FileError:
        raise
    except BiomecError as error:
        raise FileError(path.name, str(error)) from error


def write_trial(trial: Trial, path: Path | str, *, overwrite: bool = False) -> tuple[Notice, ...]:
    """Write a trial in the format that the file's name asks for; the notices say what the format could not hold."""
    path = Path(path)
    format_ = _by_extension(path)
    if format_ is None:
        raise FileError(path.name, f"the end of the name says no format that Biomec writes; use {_known()}.")
    if not overwrite and path.exists():
        raise FileError(path.name, "a file of this name exists and was not overwritten.")
    return tuple(format_.writer()(trial, path) or ())


def read_project_trial(path: Path) -> Trial:
    """Return the dynamic trial of a project."""
    return load_project(path).dynamic


def write_project_trial(trial: Trial, path: Path) -> tuple[Notice, ...]:
    """Write a project that holds one trial; it holds everything."""
    from biomec.io.shared_project import save_as_read

    save_as_read(Session(trial, subject=trial.subject, recorded=trial.recorded), path, None)
    return ()


def find_format(path: Path) -> tuple[Format, tuple[Notice, ...]]:
    """Return the format of a file, and a notice where its name says another one."""
    head = _head(path)
    plain = head.removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").replace(b"\0", b"").lower()
    by_name = _by_extension(path)
    by_content = next((format_ for format_ in FORMATS if format_.looks_like(head if format_.raw else plain)), None)
    if by_content is None and by_name is None:
        raise FileError(path.name, f"this is not a recording that Biomec knows. It reads {_known()}.")
    if by_content is None or by_content is by_name:
        assert by_name is not None
        return by_name, ()
    if by_name is None:
        return by_content, ()
    return by_content, (
        warning(
            "extension-wrong",
            f"{path.name} is named like a {by_name.name} file, but its content is {by_content.name}; "
            "it was read by its content.",
        ),
    )


def extensions() -> tuple[str, ...]:
    """Return the ends of the names of all files that can be read."""
    return tuple(extension for format_ in FORMATS for extension in format_.extensions)


def _by_extension(path: Path) -> Format | None:
    return next((format_ for format_ in FORMATS if path.suffix.lower() in format_.extensions), None)


def _known() -> str:
    return ", ".join(f"{format_.name} ({', '.join(format_.extensions)})" for format_ in FORMATS)


def _head(path: Path) -> bytes:
    refuse_special(path)
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except FileNotFoundError as error:
        raise FileError(path.name, f"there is no such file in {path.absolute().parent}.") from error
    except IsADirectoryError as error:
        raise FileError(path.name, "this is a folder; give the name of a file in it.") from error
    except OSError as error:  # on Windows a folder is "permission denied"
        fault = "this is a folder; give the name of a file in it." if path.is_dir() else _reason(error)
        raise FileError(path.name, fault) from error
    except ValueError as error:  # a name with a zero character
        raise FileError(path.name, "this cannot be the name of a file.") from error
    if not head:
        raise FileError(path.name, "the file is empty.")
    return head


def _reason(error: OSError) -> str:
    return f"it cannot be read: {error.strerror or error}."
