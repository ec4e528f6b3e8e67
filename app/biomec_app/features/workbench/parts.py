"""The parts of a machine in words: bodies, joints, what acts between them, and where each stands in the text. No Qt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from biomec.machines.machine import Machine

KINDS = {"body": "Bodies", "joint": "Joints", "driver": "Drivers", "law": "Laws", "motor": "Motors",
         "spring": "Springs", "tie": "Ties", "hinge": "Hinges", "stop": "Stops"}  # fmt: skip
ENDS = (("proximal", "distal"), ("first", "second"), ("start", "end"), ("circle", "face"))


@dataclass(frozen=True)
class MachinePart:
    """One table of a machine file.

    kind : its heading, such as ``joint``;  number : among those of its kind, from 0
    name : its name;  words : what it is, such as ``revolute, ground.A – crank.A``
    """

    kind: str
    number: int
    name: str
    words: str


def parts_of(machine: Machine) -> tuple[MachinePart, ...]:
    """All parts of a machine, kind by kind, in the order of its file."""
    tables = machine.blueprint.resolved(machine.values)
    return tuple(
        MachinePart(kind, number, str(table.get("name", table.get("driver", f"{kind} {number + 1}"))), _words(table))
        for kind in KINDS
        for number, table in enumerate(tables.get(kind, ()))
    )


def line_of(part: MachinePart, text: str) -> int | None:
    """Line of a text, counted from 1, at which a part begins; None if it is not written as a table of its own."""
    heading = re.compile(rf"^\s*\[\[\s*{part.kind}\s*\]\]")
    found = [k for k, line in enumerate(text.splitlines(), 1) if heading.match(line)]
    return found[part.number] if part.number < len(found) else None


def _words(table: Mapping[str, Any]) -> str:
    told = [str(table[key]) for key in ("type", "law") if isinstance(table.get(key), str)]
    told += [f"{table[a]} – {table[b]}" for a, b in ENDS if isinstance(table.get(a), str) and b in table]
    if "mass" in table:
        told.append(f"{table['mass']:.4g} kg")
    return ", ".join(told)
