"""A user's own functions in the menu Signal Analysis: Python files in a folder, loaded with care. Knows no Qt.

A file runs only if the user has allowed exactly its bytes and nobody else can change it. It defines
``extend(register)`` and calls ``register(name, function)`` in it. The function gets the `Analysis` and returns what
shall be shown: a text, a `Table`, a `Section`, numbers or arrays by name, or several of these.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.own_files import doubt, folder_from_environment, read_own
from biomec.pipeline.analysis import Analysis
from biomec.reporting.tables import Section, Table
from biomec_app.session.approvals import Approvals, Candidate

FOLDER_VARIABLE = "BIOMEC_EXTENSIONS"
OURS_ALONE = "Only files and folders that are yours, and that nobody else can change, are used (chmod go-w)."
LONGEST = 500  # rows of an array that are shown


@dataclass(frozen=True)
class Extension:
    """A function of a user, under the name that the menu shows."""

    name: str
    function: Callable[[Analysis], Any]
    file: str
    help: str = ""


@dataclass(frozen=True)
class Loaded:
    """What a folder gave: functions, and a sentence for every file that could not be used.

    refused : whether files were left out because the user once said no
    """

    extensions: tuple[Extension, ...] = ()
    faults: tuple[str, ...] = ()
    refused: bool = False


Ask = Callable[[Candidate], bool | None]


def extension_folder() -> Path:
    """Folder of the user's functions; the variable BIOMEC_EXTENSIONS names another one."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen).absolute()
    if sys.platform == "win32":
        base = folder_from_environment("APPDATA") or Path.home() / "AppData" / "Roaming"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = folder_from_environment("XDG_CONFIG_HOME") or Path.home() / ".config"
    return base / "Biomec" / "extensions"


def load_extensions(folder: Path, approvals: Approvals, ask: Ask | None = None) -> Loaded:
    """Run the Python files of a folder that the user allows; what goes wrong in one leaves the others alone.

    ask : asked about files that are new or have changed; without it they are left out
    """
    found: list[Extension] = []
    faults: list[str] = []
    refused = False
    files = sorted(folder.glob("*.py")) if folder.is_dir() else []
    reason = doubt(folder.stat()) if files else None
    if reason is not None:
        return Loaded(faults=(f"{folder}: the folder {reason}, so that nothing in it was run. {OURS_ALONE}",))
    for path in files:
        try:
            candidate = approvals.candidate(path, _own_bytes(path))
            allowed = _allowed(candidate, approvals, ask)
            refused = refused or not allowed
            if not allowed:
                raise BiomecError(f"{path.name}: it was not run, because you have not allowed it.")
            found += _load(candidate, {one.name: one.file for one in found})
        except BiomecError as error:
            faults.append(str(error))
        except (Exception, SystemExit) as error:  # a user's file may raise anything; the program must go on
            faults.append(f"{path.name}: {_where(error, path)}It was left out.")
    return Loaded(tuple(found), tuple(faults), refused)


def _own_bytes(path: Path) -> bytes:
    """Content of a file, read once: what is hashed and shown is what runs. Links are followed to what they name."""
    try:
        return read_own(path.resolve())
    except BiomecError as error:
        raise BiomecError(f"{path.name}: it was not run. {error} {OURS_ALONE}") from error


def _allowed(candidate: Candidate, approvals: Approvals, ask: Ask | None) -> bool:
    """Whether the user allows a file to run: said before about these very bytes, or now."""
    answer = approvals.answer(candidate)
    if answer is None and ask is not None:
        answer = ask(candidate)
        if answer is not None:
            approvals.remember(candidate, answer)
    return bool(answer)


def _load(candidate: Candidate, taken: Mapping[str, str]) -> list[Extension]:
    path = candidate.path
    module = ModuleType(f"biomec_extension_{path.stem}")
    module.__file__ = str(path)
    exec(compile(candidate.content, str(path), "exec", dont_inherit=True), module.__dict__)
    extend = getattr(module, "extend", None)
    if not callable(extend):
        raise BiomecError(f"{path.name}: it has no function extend(register), so that it adds nothing.")
    found: list[Extension] = []

    def register(name: str, function: Callable[[Analysis], Any], help: str = "") -> None:
        """Add a function to the menu under a name."""
        if not (isinstance(name, str) and name.strip()):
            raise BiomecError(f"{path.name}: register(name, function) needs a name that is a text, not {name!r}.")
        if not callable(function):
            raise BiomecError(f"{path.name}: what is registered as {name} is not a function.")
        known = {**taken, **{one.name: one.file for one in found}}
        if name in known:
            raise BiomecError(f"{path.name}: the name {name} is taken by {known[name]}; choose another one.")
        lines = (help or getattr(function, "__doc__", None) or "").strip().splitlines()
        found.append(Extension(name, function, path.name, lines[0] if lines else ""))

    extend(register)
    return found


def run_extension(extension: Extension, analysis: Analysis) -> tuple[Section, ...]:
    """Run a user's function; what it returns as sections, what it raises as a sentence."""
    try:
        result = extension.function(analysis)
        return sections_of(extension.name, result)
    except BiomecError:
        raise
    except (Exception, SystemExit) as error:
        raise BiomecError(
            f"{extension.name} ({extension.file}): {_where(error, Path(extension.file))}Your data are unchanged."
        ) from error


def sections_of(name: str, result: Any) -> tuple[Section, ...]:
    """What a user's function returned, as sections."""
    if isinstance(result, Section):
        return (result,)
    if isinstance(result, Sequence) and not isinstance(result, str) and result:
        if all(isinstance(one, Section) for one in result):
            return tuple(result)
        if all(isinstance(one, Table) for one in result):
            return (Section(name, (), tuple(result)),)
    if isinstance(result, Table):
        return (Section(name, (), (result,)),)
    if isinstance(result, Mapping) and result:
        return (Section(name, (), _tables(result)),)
    if isinstance(result, str):
        return (Section(name, tuple(line for line in result.splitlines() if line) or ("It returned no words.",)),)
    if result is None:
        return (Section(name, ("Done. The function returned nothing to show.",)),)
    shown = "a text, a Table, a Section, or numbers and arrays by name"
    raise BiomecError(f"{name} returned {type(result).__name__}; Biomec can show {shown}.")


def _tables(values: Mapping[Any, Any]) -> tuple[Table, ...]:
    """Single values as facts, arrays of one length beside each other."""
    single = {str(key): _text(value) for key, value in values.items() if np.ndim(value) == 0}
    arrays = {str(key): np.asarray(value) for key, value in values.items() if np.ndim(value) == 1}
    wrong = [str(key) for key, value in values.items() if np.ndim(value) > 1]
    if wrong:
        raise BiomecError(f"{', '.join(wrong)}: arrays with more than one axis cannot be shown; return their columns.")
    tables = [Table("", ("", ""), tuple(single.items()))] if single else []
    for length in dict.fromkeys(len(array) for array in arrays.values()):
        group = {key: array for key, array in arrays.items() if len(array) == length}
        rows = tuple(tuple(_text(array[k]) for array in group.values()) for k in range(min(length, LONGEST)))
        note = f"The first {LONGEST} of {length} rows." if length > LONGEST else ""
        tables.append(Table("", tuple(group), rows, note))
    return tuple(tables)


def _text(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}".replace("-", "−")
    return str(value)


def _where(error: BaseException, path: Path) -> str:
    """Line of the user's file that an error comes from, and what it says."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).name == path.name]
    line = lines[-1] if lines else getattr(error, "lineno", None)
    place = f"line {line}: " if line else ""
    words = str(error) or "no further words"
    return f"{place}{type(error).__name__} ({words}). "
