"""Motors: between which bodies they act, what they can give, and the torques that they are given over time.

A torque is a law of its own, ``[[law]] motor = "A"``, or a column of the table that a file holds under ``[torques]``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import DescriptionError
from biomec.base.plain_text import table as table_text
from biomec.base.toml_table import TomlTable, did_you_mean
from biomec.machines.columns import Columns, columns_of
from biomec.machines.laws import TORQUE, Law, law_in, tabled

GROUP = "Motor torques"
"""Group of the curves that studies call the torques of motors by; a column ``Motor torques: A`` is the motor A."""
BETWEEN = "linear"
"""How torques of a table are interpolated unless it says otherwise: they may jump, and a spline would overshoot."""


@dataclass(frozen=True)
class Motor:
    """A torque about z on body ``distal``, opposite on ``proximal``; either may be ``ground``.

    least, most : that it can give [N·m];  torque : that it is given over time, or None
    """

    name: str
    proximal: str
    distal: str
    least: float = -np.inf
    most: float = np.inf
    torque: Law | None = None

    @property
    def is_limited(self) -> bool:
        """Whether it cannot give every torque."""
        return bool(np.isfinite(self.least) or np.isfinite(self.most))

    def given(self, t: ArrayLike) -> FloatArray:
        """Torque that it is given at times (...), within its limits [N·m]; zero without any."""
        if self.torque is None:
            return np.zeros(np.shape(t))
        return np.clip(self.torque.value(t), self.least, self.most)


def motors_in(top: TomlTable) -> tuple[Motor, ...]:
    """Motors of a machine file, with the torques that they are given."""
    motors = {one.name: one for one in (_motor(table) for table in top.tables("motor"))}
    given: dict[str, Law] = {}
    for law in top.tables("law"):
        if "motor" in law:
            if "driver" in law:
                raise law.refusal("it names a driver and a motor. Write a law for each.", "motor")
            name = law.text("motor")
            _known(name, motors, law, "motor")
            if name in given:
                raise law.refusal(f"the motor {name} is given a torque by another law already.", "motor")
            given[name] = law_in(law, TORQUE)
    table = top.table("torques")
    for name, law_of_column in _columns(table, motors).items():
        if name in given:
            raise table.refusal(f"the motor {name} is given a torque by a law already. Leave out one of them.")
        given[name] = law_of_column
    return tuple(replace(one, torque=given.get(one.name)) for one in motors.values())


def _motor(table: TomlTable) -> Motor:
    table.only(("name", "proximal", "distal", "least", "most"))
    most = float(table.numbers("most", ())) if "most" in table else np.inf
    least = float(table.numbers("least", ())) if "least" in table else -most
    if not least <= 0.0 <= most:
        raise table.refusal(
            f"its torques would be {least:g} to {most:g} N·m, which must include 0. "
            "Write most = 20, or least = -5 and most = 20.",
            "most" if "most" in table else "least",
        )
    return Motor(table.text("name"), table.text("proximal"), table.text("distal"), least, most)


def _columns(table: TomlTable, motors: Mapping[str, Motor]) -> dict[str, Law]:
    """Laws of the columns of ``[torques]``, none without it."""
    table.only(("table", "interpolation"))
    if not table.values:
        return {}
    between = table.text("interpolation") if "interpolation" in table else BETWEEN
    try:
        columns = columns_of(table.text("table"), "the table")
        torques = torques_in(columns, list(motors))
    except DescriptionError as error:
        raise table.refusal(f"{table.prefix.rstrip('.')}: {error}", "table") from error
    return {name: tabled(table, columns.time_s, values, between) for name, values in torques.items()}


def torques_in(columns: Columns, motors: Sequence[str]) -> dict[str, FloatArray]:
    """Motor -> torques (T,) [N·m] of a table: columns that are motors' names, or those of a run's curves.

    Other columns of the table of a run, whose names hold a colon, are passed over; unknown ones are refused.
    """
    found = {}
    for column, values in columns.values.items():
        group, colon, rest = column.partition(": ")
        name = rest if colon and group == GROUP else column
        if colon and group != GROUP:
            continue
        if name not in motors:
            there = ", ".join(motors) or "none"
            raise DescriptionError(
                f"{columns.source}: {column} is not a motor of this machine{did_you_mean(name, list(motors))} "
                f"The motors are {there}."
            )
        unit = columns.units[column]
        if unit not in ("", *TORQUE.units):
            raise DescriptionError(f"{columns.source}: the torque of {name} must be in N·m, not in {unit}.")
        if not np.isfinite(values).all():
            raise DescriptionError(f"{columns.source}: the torque of {name} has empty cells. Fill them in.")
        found[name] = values
    if not found:
        raise DescriptionError(f"{columns.source}: there is no column of a motor. Call it by the name of the motor.")
    return found


def with_torques(text: str, columns: Columns, motors: Sequence[str]) -> str:
    """A machine file whose motors are given the torques of a table, in place of what they were given before."""
    torques = torques_in(columns, motors)
    if any(mark in name for name in torques for mark in ('"', "\\")):
        raise DescriptionError(f"{columns.source}: a motor whose name has a quote or a backslash cannot have a table.")
    table = torque_file(columns.time_s, np.column_stack(list(torques.values())), list(torques))
    block = f'[torques]\ninterpolation = "{BETWEEN}"\ntable = """\n{table}"""\n'
    return f"{without_torques(text).rstrip()}\n\n{block}"


def torque_file(time_s: FloatArray, torques: FloatArray, motors: Sequence[str]) -> str:
    """Torques (T, motors) [N·m] as a table with commas, which `torques_in` reads."""
    rows = [["time [s]", *(f"{name} [N·m]" for name in motors)]]
    rows += [[f"{value:.12g}" for value in row] for row in np.column_stack([time_s, torques])]
    return table_text(rows)


def without_torques(text: str) -> str:
    """A machine file whose motors are given nothing: laws of motors and the table of torques are left out."""
    kept, inside = [], ""  # ``inside`` a text of several lines brackets mean nothing
    blocks: list[list[str]] = [[]]
    for line in text.splitlines(keepends=True):
        if not inside and line.lstrip().startswith("["):
            blocks.append([])
        blocks[-1].append(line)
        for quote in re.findall(r'"""|\'\'\'', line):
            inside = "" if inside == quote else (inside or quote)
    for block in blocks:
        words = "".join(block)
        head = words.lstrip()
        of_motor = re.match(r"\[\[\s*law\s*\]\]", head) and re.search(r"(?m)^\s*motor\s*=", words)
        if not (of_motor or re.match(r"\[\s*torques\s*\]", head)):
            kept.append(words)
    return "".join(kept)


def _known(name: str, motors: Mapping[str, Motor], table: TomlTable, key: str) -> None:
    if name not in motors:
        there = ", ".join(motors) or "none"
        raise table.refusal(f"there is no motor {name}{did_you_mean(name, list(motors))} The motors are {there}.", key)
