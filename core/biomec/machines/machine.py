"""A machine: a multibody system with what moves it, and with parameters that can be changed; those that ship.

`docs/machine-files.md` describes the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TypeVar

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import DescriptionError
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.toml_table import TomlTable, did_you_mean
from biomec.engine.description import FILE_KEYS, system_in
from biomec.engine.drivers import AngleDriver, CoordinateDriver, LengthCoordinate, LengthDriver, PointDriver
from biomec.engine.joints import Prismatic
from biomec.engine.layout import GROUND
from biomec.engine.system import System
from biomec.machines.blueprint import Blueprint, Preset, read_blueprint
from biomec.machines.columns import Columns
from biomec.machines.laws import ANGLE, LENGTH, Law, law_in
from biomec.machines.motors import Motor, motors_in, with_torques
from biomec_resources import resource

MACHINE_KEYS = ("title", "about", "analysis", "duration", "parameters", "preset", "motor", "spring", "tie", "hinge",
                "law", "stop", "start", "torques")  # fmt: skip
DRIVERS = (AngleDriver, CoordinateDriver, LengthDriver, PointDriver)


@dataclass(frozen=True)
class Spring:
    """Spring, damper and actuator along the line of two points: it pulls them together with

    f = stiffness (l − free_length) + damping l̇ + actuation   [N].
    """

    name: str
    first: str
    second: str
    stiffness: float = 0.0
    free_length: float = 0.0
    damping: float = 0.0
    actuation: float = 0.0


@dataclass(frozen=True)
class Tie:
    """Springs and dampers along every axis, which hold point ``first`` to ``second``: F = −K e − C ė on ``first``."""

    name: str
    first: str
    second: str
    stiffness: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True)
class Hinge:
    """Torsion spring and damper between two bodies (or ``ground``): torque on ``distal`` −k (φ − rest) − c φ̇."""

    name: str
    proximal: str
    distal: str
    stiffness: float = 0.0
    rest_deg: float = 0.0
    damping: float = 0.0


Element = TypeVar("Element", Spring, Tie, Hinge)


@dataclass(frozen=True, eq=False)
class Stop:
    """A circle on one body against a straight face of another, with a contact law (`biomec.engine.contact`).

    circle, centre, radius : body, point in its axes [m], [m]
    face, point, normal    : body, a point of the line in its axes [m], and its outward normal there (any length)
    law                    : name of a contact law; stiffness [N/mⁿ], exponent n, restitution; other numbers it needs
    """

    name: str
    circle: str
    centre: FloatArray
    radius: float
    face: str
    point: FloatArray
    normal: FloatArray
    law: str
    stiffness: float
    exponent: float = 1.5
    restitution: float = 0.5
    max_damping: float = 0.0
    max_depth: float = 1e-4


@dataclass(frozen=True)
class Prescription:
    """A law for a driver of the system.

    kept : the law also holds in forward dynamics; otherwise the driver is free there
    """

    driver: str
    law: Law
    kept: bool


@dataclass(frozen=True)
class StartState:
    """Where a free motion begins: angles and rates of named bodies, absolute, counter-clockwise [rad, rad/s].

    ways, speeds : of named guides, of the distal point from the proximal one along the axis [m, m/s]
    hints        : sentences about angles that look as if they were in another unit

    What is not named follows from the constraints; without any, the poses of the file and rest.
    """

    angles: Mapping[str, float]
    rates: Mapping[str, float]
    ways: Mapping[str, float] = field(default_factory=dict)
    speeds: Mapping[str, float] = field(default_factory=dict)
    hints: tuple[str, ...] = ()

    @property
    def given(self) -> bool:
        """Whether the file tells a start."""
        return bool(self.angles or self.rates or self.ways or self.speeds)


@dataclass(frozen=True, eq=False)
class Machine:
    """A described machine with numbers for its parameters. Constant: `with_values` makes another."""

    blueprint: Blueprint
    values: Mapping[str, float]
    name: str
    title: str
    about: str
    analysis: str
    duration_s: float
    system: System
    motors: tuple[Motor, ...]
    springs: tuple[Spring, ...]
    ties: tuple[Tie, ...]
    hinges: tuple[Hinge, ...]
    stops: tuple[Stop, ...]
    prescriptions: tuple[Prescription, ...]
    start: StartState

    @property
    def is_planar(self) -> bool:
        """Whether it moves in one plane."""
        return self.system.layout.dimension == 2

    @property
    def free_system(self) -> System:
        """The system without drivers, in natural coordinates: what formulations and integrators take."""
        whole = self.system
        kept = [one for one in whole.constraints if not isinstance(one, DRIVERS)]
        layout = whole.layout
        ground = {name: at for name, at in layout.ground.items() if name != "origin"}
        directions = {name: at for name, at in layout.directions.items() if name not in ("x", "y", "z")}
        return System(whole.bodies, kept, name=whole.name, ground=ground, directions=directions, gravity=whole.gravity)

    def with_values(self, changes: Mapping[str, float]) -> Machine:
        """The same machine with other values of parameters; those not named keep theirs."""
        return built(self.blueprint, {**self.values, **changes})

    def with_torques(self, columns: Columns) -> Machine:
        """The same machine whose motors are given the torques of a table, which is written into its text."""
        text = with_torques(self.blueprint.text, columns, [one.name for one in self.motors])
        return parse_machine(text, self.blueprint.source, self.values)

    def with_preset(self, name: str) -> tuple[Machine, Preset]:
        """The machine of a preset, and the preset."""
        presets = self.blueprint.presets
        if name not in presets:
            there = ", ".join(presets) or "none"
            raise DescriptionError(
                f"{self.name}: there is no preset {name}{did_you_mean(name, list(presets))} The presets are {there}."
            )
        return self.with_values(presets[name].values), presets[name]


def parse_machine(
    text: str, source: str, changes: Mapping[str, float] | None = None, *, with_lines: bool = False
) -> Machine:
    """Machine described in TOML; ``changes`` replace values of parameters. Raises `DescriptionError` only.

    with_lines : messages tell the line of the text, for somebody who is editing it
    """
    return built(read_blueprint(text, source, with_lines=with_lines), changes or {})


def built(blueprint: Blueprint, changes: Mapping[str, float]) -> Machine:
    """Machine of a blueprint with values of parameters."""
    values = blueprint.checked(changes)
    try:
        return _built(blueprint, values)
    except DescriptionError as error:
        raise blueprint.with_line(error) from error


def _built(blueprint: Blueprint, values: Mapping[str, float]) -> Machine:
    top = TomlTable(blueprint.source, blueprint.resolved(values), lines=blueprint.lines)
    top.only((*FILE_KEYS, *MACHINE_KEYS))
    system = system_in(top)
    motors = motors_in(top)
    springs = tuple(_plain(table, Spring) for table in top.tables("spring"))
    ties = tuple(_plain(table, Tie) for table in top.tables("tie"))
    hinges = tuple(_plain(table, Hinge) for table in top.tables("hinge"))
    stops = tuple(_stop(table) for table in top.tables("stop"))
    for key, named in (
        ("motor", ("proximal", "distal")),
        ("hinge", ("proximal", "distal")),
        ("stop", ("circle", "face")),
    ):
        for table in top.tables(key):
            for one in named:
                _body_there(table, system, table.text(one), one)
    ends = [(f"Spring {one.name}", (one.first, one.second)) for one in springs]
    ends += [(f"Tie {one.name}", (one.first, one.second)) for one in ties]
    for name, points in ends:
        for point in points:
            system.layout.point(point, f"{blueprint.source}: {name}")
    words = {key: top.text(key) if key in top else "" for key in ("title", "about", "analysis")}
    return Machine(
        blueprint=blueprint,
        values=values,
        name=system.name,
        title=words["title"] or system.name,
        about=words["about"],
        analysis=words["analysis"] or "kinematics",
        duration_s=_duration(top),
        system=system,
        motors=motors,
        springs=springs,
        ties=ties,
        hinges=hinges,
        stops=stops,
        prescriptions=tuple(_prescription(one, system) for one in top.tables("law") if "motor" not in one),
        start=start_in(top.table("start"), system),
    )


def _plain(table: TomlTable, kind: type[Element]) -> Element:
    """Element whose fields are texts and numbers, key by field."""
    table.only(tuple(one.name for one in fields(kind)))
    texts = {one.name: table.text(one.name) for one in fields(kind) if one.type == "str"}
    numbers = {
        one.name: float(table.numbers(one.name, ()))
        for one in fields(kind)
        if one.name not in texts and one.name in table
    }
    return kind(**texts, **numbers)  # type: ignore[arg-type]


def _stop(table: TomlTable) -> Stop:
    table.only(tuple(one.name for one in fields(Stop)))
    vectors = {name: table.numbers(name, (2,)) for name in ("centre", "point", "normal")}
    if not np.linalg.norm(vectors["normal"]) > 0.0:
        raise table.refusal("its normal has no length, so it has no direction.", "normal")
    words = {name: table.text(name) for name in ("name", "circle", "face", "law")}
    rest = {name: float(table.numbers(name, ())) for name in ("radius", "stiffness")}
    for name in ("exponent", "restitution", "max_damping", "max_depth"):
        if name in table:
            rest[name] = float(table.numbers(name, ()))
    return Stop(**words, **vectors, **rest)  # type: ignore[arg-type]


def _prescription(table: TomlTable, system: System) -> Prescription:
    driver = table.text("driver")
    if driver not in system.drivers:
        there = ", ".join(system.drivers) or "none"
        raise table.refusal(f"there is no driver {driver}; the drivers are: {there}.")
    kept = table.values.get("kept", False)
    if not isinstance(kept, bool):
        raise table.refusal("kept must be true or false.", "kept")
    return Prescription(driver, law_in(table, LENGTH if is_length(driver, system) else ANGLE), kept)


def is_length(driver: str, system: System) -> bool:
    """Whether a driver gives a length or a place [m], rather than an angle."""
    items = {one.name: one for one in system.constraints}
    found = items[next(row.owner for row in system.rows if row.driver == driver)]
    if isinstance(found, CoordinateDriver):
        found = items[found.coordinate]
    return isinstance(found, LengthDriver | PointDriver | LengthCoordinate)


def _duration(top: TomlTable) -> float:
    seconds = float(top.numbers("duration", ())) if "duration" in top else 1.0
    if not seconds > 0.0:
        raise top.refusal(f"duration must be more than 0 s, not {seconds:g}.", "duration")
    return seconds


START_KEYS = ("angles_deg", "angles_rad", "rates_deg_s", "rates_rad_s", "ways_m", "speeds_m_s")
TWO_TURNS = 4.0 * np.pi  # [rad] more is likelier to be meant in degrees
NEAR_PART = 0.001  # of such a part: as near as four digits of π are
PART_OF_PI = 12  # an angle in degrees that is a whole number of π/12 is likelier to be meant in radians


def start_in(table: TomlTable, system: System) -> StartState:
    """The start of a file: angles in degrees or radians, ways of guides in metres."""
    table.only(START_KEYS)
    guides = [one.name for one in system.constraints if isinstance(one, Prismatic)]
    found: dict[str, dict[str, float]] = {"angles": {}, "rates": {}, "ways": {}, "speeds": {}}
    hints = []
    for key in START_KEYS:
        what, unit = key.split("_", 1)
        values = found[what]
        inner = table.table(key)
        for name in inner.values:
            if what in ("ways", "speeds"):
                _guide_there(inner, guides, name)
            else:
                _body_there(inner, system, name, name)
            if name in values:
                raise table.refusal(f"{key}: {name} has one in the other unit already. Leave one of them out.", key)
            number = float(inner.numbers(name, ()))
            values[name] = float(np.deg2rad(number)) if unit.startswith("deg") else number
            hints += _other_unit(key, name, number)
    return StartState(found["angles"], found["rates"], found["ways"], found["speeds"], tuple(hints))


def _other_unit(key: str, name: str, number: float) -> list[str]:
    """A hint about an angle that looks as if it were in the other unit."""
    if key == "angles_rad" and abs(number) > TWO_TURNS:
        return [
            f"The start angle of {name} is {number:g} rad, which is {np.rad2deg(number):.0f}°. "
            "If degrees are meant, write it under angles_deg."
        ]
    parts = number * PART_OF_PI / np.pi
    nearest = round(parts)
    likely = key == "angles_deg" and abs(number) <= TWO_TURNS and number != round(number)
    if likely and nearest and abs(parts - nearest) < NEAR_PART:
        return [
            f"The start angle of {name} is {number:.4g}°, which is {nearest}/{PART_OF_PI} of π as a number. "
            "If radians are meant, write it under angles_rad."
        ]
    return []


def _guide_there(table: TomlTable, guides: list[str], name: str) -> None:
    if name not in guides:
        there = f"The prismatic joints are {', '.join(guides)}." if guides else "There are no prismatic joints."
        place = f"{table.prefix.rstrip('.')}: " if table.prefix else ""
        raise table.refusal(f"{place}there is no prismatic joint {name}{did_you_mean(name, guides)} {there}", name)


def _body_there(table: TomlTable, system: System, name: str, key: str) -> None:
    known = [GROUND, *(body.name for body in system.bodies)]
    if name not in known:
        place = f"{table.prefix.rstrip('.')}: " if table.prefix else ""
        raise table.refusal(
            f"{place}there is no body {name}{did_you_mean(name, known)} The bodies are {', '.join(known[1:])}.", key
        )


# --------------------------------------------------------------------------------------- machines by name, and in files


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
        text = whole_file(path, most=LONGEST_DESCRIPTION).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise DescriptionError(f"{path}: there is no such file. Check its name and folder.") from error
    except (OSError, ValueError) as error:
        raise DescriptionError(f"{path}: the file cannot be read as text ({error}).") from error
    return parse_machine(text, str(path), changes)
