"""The machines that come with Biomec, by name, and machines in files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from biomec.base.errors import DescriptionError
from biomec.base.toml_table import did_you_mean
from biomec.machines.machine import Machine, parse_machine
from biomec_resources import resource

FOLDERS = ("machines", "mechanisms")  # the second holds mechanisms without motors; a machine of the same name wins


def machine_names() -> tuple[str, ...]:
    """Names of the machines that come with Biomec."""
    found = [one.name.removesuffix(".toml") for folder in FOLDERS for one in sorted(resource(folder).iterdir(), key=str)
             if one.name.endswith(".toml")]  # fmt: skip
    return tuple(dict.fromkeys(found))


def machine_text(name: str) -> str:
    """Machine file of a machine that comes with Biomec."""
    for folder in FOLDERS:
        file = resource(folder).joinpath(f"{name}.toml")
        if file.is_file():
            return file.read_text(encoding="utf-8")
    names = machine_names()
    raise DescriptionError(
        f"There is no machine {name}{did_you_mean(name, names)} There are {', '.join(names)}; or name a file."
    )


def load_machine(name: str | Path, changes: Mapping[str, float] | None = None) -> Machine:
    """Machine that comes with Biomec, or of a TOML file; ``changes`` replace values of its parameters."""
    path = Path(name)
    if path.suffix != ".toml" and not path.is_file():
        return parse_machine(machine_text(str(name)), f"{name}.toml", changes)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise DescriptionError(f"{path}: there is no such file. Check its name and folder.") from error
    except (OSError, ValueError) as error:
        raise DescriptionError(f"{path}: the file cannot be read as text ({error}).") from error
    return parse_machine(text, str(path), changes)
