"""The machine being edited: its text, what the text means, and what is wrong with it. Without Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from biomec.base.errors import BiomecError, DescriptionError, FileError
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.machines.blueprint import with_values
from biomec.machines.machine import Machine, machine_text, parse_machine
from biomec.machines.study import Run

LINE = re.compile(r"\bline (\d+)\b")
TEMPLATE = "pendulum"  # what a new machine begins with
NEW_NAME = "my machine"


@dataclass(frozen=True, eq=False)
class Draft:
    """A machine file under the user's hands. Constant: an edit makes another.

    text    : as it stands in the editor
    source  : what messages call it
    machine : of the text, or while that is at fault of the last good one
    fault   : what is wrong with the text, as a sentence; empty if nothing
    path    : its file; None if it was never saved
    saved   : text of the file, or of the machine that came with Biomec
    opened  : values of the parameters in that text
    """

    text: str
    source: str
    machine: Machine
    fault: str = ""
    path: Path | None = None
    saved: str = ""
    opened: dict[str, float] = field(default_factory=dict)

    @property
    def is_modified(self) -> bool:
        """Whether closing it would lose something."""
        return self.text != self.saved

    @property
    def fault_line(self) -> int | None:
        """Line of the text at which the fault was noticed, counted from 1."""
        found = LINE.search(self.fault)
        return int(found[1]) if self.fault and found else None

    @property
    def title(self) -> str:
        """Name for a title bar, with a star if it is not saved."""
        name = self.path.name if self.path is not None else self.machine.name
        return f"{name} *" if self.is_modified else name

    @property
    def changed(self) -> frozenset[str]:
        """Parameters whose values are not those that were opened."""
        values = self.machine.values
        return frozenset(name for name, value in self.opened.items() if name in values and values[name] != value)

    def edited(self, text: str) -> Draft:
        """With another text; its errors are reported, and the machine stays as it was."""
        if text == self.text:
            return self
        try:
            return replace(self, text=text, machine=_parsed(text, self.source), fault="")
        except BiomecError as error:
            return replace(self, text=text, fault=str(error))

    def with_values(self, values: dict[str, float]) -> Draft:
        """With other values of parameters, written into the text. Raises a sentence if that cannot be."""
        if self.fault:
            raise BiomecError("The text has a fault. Mend it before you change values.")
        self.machine.blueprint.checked(values)
        made = self.edited(with_values(self.text, values, self.source))
        if made.fault:
            raise DescriptionError(made.fault)
        return made

    def stored(self, path: Path) -> Draft:
        """Write the text to a file."""
        from biomec.base.atomic import atomic_path

        with atomic_path(path) as temporary:
            temporary.write_text(self.text, encoding="utf-8")
        return replace(self, path=path, source=path.name, saved=self.text, opened=dict(self.machine.values))


def catalogued(name: str) -> Draft:
    """A machine that comes with Biomec."""
    text = machine_text(name)
    machine = _parsed(text, f"{name}.toml")
    return Draft(text, f"{name}.toml", machine, saved=text, opened=dict(machine.values))


def from_file(path: Path) -> Draft:
    """A machine of a file. A text with a fault is refused: there is no last good machine to show."""
    try:
        text = whole_file(path, most=LONGEST_DESCRIPTION).decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, ValueError) as error:
        raise FileError(path.name, f"the file cannot be read as text ({error}).") from error
    machine = _parsed(text, path.name)
    return Draft(text, path.name, machine, path=path, saved=text, opened=dict(machine.values))


def new_machine() -> Draft:
    """A small machine to begin with, under a name of its own."""
    text = re.sub(r'(?m)^name = ".*"$', f'name = "{NEW_NAME}"', machine_text(TEMPLATE), count=1)
    machine = _parsed(text, f"{NEW_NAME}.toml")
    return Draft(text, f"{NEW_NAME}.toml", machine, saved=text, opened=dict(machine.values))


def same_machine(first: Machine, second: Machine) -> bool:
    """Whether two descriptions mean the same, whatever their remarks and spaces."""
    return first is second or (
        first.blueprint.tables == second.blueprint.tables and dict(first.values) == dict(second.values)
    )


def is_stale(run: Run, machine: Machine) -> bool:
    """Whether a run was made of this machine with other values. Runs of other machines are what they are."""
    return run.machine.name == machine.name and not same_machine(run.machine, machine)


def _parsed(text: str, source: str) -> Machine:
    return parse_machine(text, source, with_lines=True)
