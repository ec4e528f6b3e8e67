"""Description files: TOML texts that come with Biomec or are the user's own, found by name and read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Generic, TypeVar

from biomec.base.errors import DescriptionError, FileError
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.toml_table import did_you_mean
from biomec_resources import resource

ENDING = ".toml"
T = TypeVar("T")


@dataclass(frozen=True)
class Descriptions(Generic[T]):
    """One kind of description.

    what   : what a file describes, for messages, such as ``marker set``
    folder : where those that come with Biomec are
    parse  : text and name of a file -> what it describes
    """

    what: str
    folder: tuple[str, ...]
    parse: Callable[[str, str], T]

    def shipped(self) -> tuple[str, ...]:
        """Names of those that come with Biomec, in alphabetical order."""
        files = (file.name for file in resource(*self.folder).iterdir())
        return tuple(sorted(name.removesuffix(ENDING) for name in files if name.endswith(ENDING)))

    def load(self, name: str) -> T:
        """Return one that comes with Biomec, or the one in a file if ``name`` ends with .toml."""
        if name.endswith(ENDING):
            return self.read(Path(name))
        shipped = self.shipped()
        if name not in shipped:
            raise DescriptionError(
                f'Biomec ships no {self.what} "{name}"{did_you_mean(name, shipped)} There are {", ".join(shipped)}; '
                f"one of your own is given by its file, whose name ends with {ENDING}."
            )
        loaded: T = _shipped(self, name)
        return loaded

    def read(self, path: Path | Traversable) -> T:
        """Return what a file describes."""
        return self.parse(read_text(path), path.name)


def beside(folder: Path | None, name: str) -> Path | None:
    """File of this name in a folder; None for a name that leads anywhere else. Files from others name no others."""
    if folder is None or not name.isprintable() or name in ("", ".", "..") or any(sign in name for sign in "/\\:"):
        return None
    return folder / name


@cache
def _shipped(descriptions: Descriptions[T], name: str) -> T:
    """One that comes with Biomec, read once: neither its file nor what it gives changes while the program runs."""
    return descriptions.read(resource(*descriptions.folder, name + ENDING))


def read_text(path: Path | Traversable) -> str:
    """Text of a description file, or a sentence about why there is none."""
    try:
        return whole_file(path, most=LONGEST_DESCRIPTION).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise FileError(str(path), "there is no such file. Check its name and folder.") from error
    except UnicodeDecodeError as error:
        raise FileError(path.name, f"this is not a text file in UTF-8 (byte {error.start + 1} is not).") from error
    except (OSError, ValueError) as error:
        raise FileError(str(path), f"the file cannot be read ({error}).") from error
