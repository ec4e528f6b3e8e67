"""Multibody systems as TOML files: the format is the dataclasses of bodies, joints and drivers, key by field.

`docs/mechanism-files.md` describes the format with an example. A new joint joins by a line in `JOINTS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np

from biomec.arrays import FloatArray, planar_rotation, rotation_about
from biomec.errors import DescriptionError
from biomec.multibody.body import Body
from biomec.multibody.drivers import (
    AngleCoordinate,
    AngleDriver,
    CoordinateDriver,
    LengthCoordinate,
    LengthDriver,
    PointDriver,
)
from biomec.multibody.joints import (
    Constraint,
    Cylindrical,
    Distance,
    EllipsoidContact,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    Weld,
)
from biomec.multibody.system import System
from biomec.multibody.toml_table import Table, did_you_mean, read_toml, shown, written

JOINTS: dict[str, type[Any]] = {
    "spherical": Spherical,
    "universal": Universal,
    "revolute": Revolute,
    "cylindrical": Cylindrical,
    "prismatic": Prismatic,
    "weld": Weld,
    "distance": Distance,
    "ellipsoid": EllipsoidContact,
}
DRIVERS: dict[str, type[Any]] = {
    "angle": AngleDriver,
    "length": LengthDriver,
    "point": PointDriver,
    "coordinate": CoordinateDriver,
}
COORDINATES: dict[str, type[Any]] = {"angle": AngleCoordinate, "length": LengthCoordinate}
SECTIONS = {"joint": JOINTS, "driver": DRIVERS, "coordinate": COORDINATES}
NUMBER_FIELDS: dict[str, tuple[int, ...]] = {"cosine": (), "length": (), "radii": (3,), "attitude": (3, 3)}
OF_REFERENCE = "reference"  # cosine = "reference": the value that the reference poses have

FILE_KEYS = ("name", "dimension", "gravity", "ground", "body", *SECTIONS)
BODY_KEYS = (
    "name", "points", "vectors", "basis", "mass", "centre_of_mass", "inertia", "position", "attitude", "turn",
    "angle_deg", "shared",
)  # fmt: skip
ATTITUDE_KEYS = ("attitude", "turn", "angle_deg")
SIX = ((0, 3, 4), (3, 1, 5), (4, 5, 2))  # places of [xx, yy, zz, xy, xz, yz] in the inertia tensor


# ---------------------------------------------------------------------- reading


def load_system(path: Path | Traversable) -> System:
    """System described in a TOML file, e.g. ``load_system(resource("mechanisms", "four-bar.toml"))``."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise DescriptionError(f"{path}: there is no such file. Check its name and folder.") from error
    except UnicodeDecodeError as error:
        raise DescriptionError(f"{path}: this is not a text file in UTF-8 (byte {error.start + 1} is not).") from error
    except (OSError, ValueError) as error:
        raise DescriptionError(f"{path}: the file cannot be read ({error}).") from error
    return parse_system(text, str(path))


def parse_system(text: str, source: str) -> System:
    """System described in TOML ``text``; messages call it ``source``. Raises `DescriptionError` and nothing else."""
    top = read_toml(text, source)
    top.only(FILE_KEYS)
    dim = int(top.numbers("dimension", ())) if "dimension" in top else 3
    if dim not in (2, 3) or isinstance(top.values.get("dimension"), float):
        raise top.refusal(f"dimension must be 2 (planar) or 3 (spatial), not {shown(top.values['dimension'])}.")
    because = _because(dim)
    ground = {name: top.table("ground").numbers(name, (dim,), because) for name in top.table("ground").values}
    gravity = top.numbers("gravity", (dim,), because) if "gravity" in top else None
    name = top.text("name") if "name" in top else "system"
    bodies = [_body(table, dim, source) for table in top.tables("body")]
    if not bodies:
        raise top.refusal("it describes no body. Add at least one block that starts with [[body]].")
    constraints = [_constraint(table, key) for key in SECTIONS for table in top.tables(key)]
    with _engine(source, source):
        return System(bodies, constraints, name=name, ground=ground, gravity=gravity)


def _body(table: Table, dim: int, source: str) -> Body:
    table.only(BODY_KEYS)
    name, because, vector = table.text("name"), _because(dim), (dim,)
    if "." in name:
        raise table.refusal('a body name has no dot, because "body.point" is how points are named. Rename it.')
    points, vectors, shared = (table.table(key) for key in ("points", "vectors", "shared"))
    for key in points.values:
        if key == "com":
            raise table.refusal("the point com is the centre of mass. Give it as centre_of_mass, or rename the point.")
        if key in vectors:
            raise table.refusal(f"{key} is the name of a point and of a vector. Rename one of them.")
    with _engine(source, table.where):
        body = Body(
            name=name,
            points={"origin": np.zeros(dim)} | {key: points.numbers(key, vector, because) for key in points.values},
            vectors={key: vectors.numbers(key, vector, because) for key in vectors.values},
            basis=table.texts("basis"),
            mass=float(table.numbers("mass", ())) if "mass" in table else 0.0,
            centre_of_mass=table.numbers("centre_of_mass", vector, because) if "centre_of_mass" in table else None,
            inertia=_inertia(table, dim),
            position=table.numbers("position", vector, because) if "position" in table else None,
            attitude=_attitude(table, dim),
            shared={key: shared.text(key) for key in shared.values},
        )
        body.mass_matrix  # noqa: B018 - numbers that it cannot bear are refused here, where the body has a name
    return body


def _inertia(table: Table, dim: int) -> FloatArray | None:
    if "inertia" not in table:
        return None
    if dim == 2:
        return table.numbers("inertia", (), _because(dim))
    value = table.values["inertia"]
    if isinstance(value, list) and len(value) == 6:
        return np.asarray(table.numbers("inertia", (6,))[np.array(SIX)])
    return table.numbers("inertia", (3, 3), "(or the six numbers [xx, yy, zz, xy, xz, yz] of the tensor)")


def _attitude(table: Table, dim: int) -> FloatArray | None:
    given = [key for key in ATTITUDE_KEYS if key in table]
    if len(given) > 1:
        raise table.refusal(f"{' and '.join(given)} both give its attitude. Keep one of them.")
    for key, wanted, instead in (("turn", 3, "angle_deg = 30.0"), ("angle_deg", 2, "turn = { axis = …, angle_deg = … }")):
        if key in table and dim != wanted:
            raise table.refusal(f"{key} is for systems of dimension {wanted}. Write {instead} instead.")
    if "angle_deg" in table:
        return planar_rotation(float(np.deg2rad(table.numbers("angle_deg", ()))))
    if "turn" in table:
        turn = table.table("turn")
        turn.only(("axis", "angle_deg"))
        axis, angle = turn.numbers("axis", (3,)), float(np.deg2rad(turn.numbers("angle_deg", ())))
        if not np.linalg.norm(axis) > 1e-12:
            raise table.refusal("turn.axis has no length, so it has no direction. Give one such as [0.0, 0.0, 1.0].")
        return rotation_about(axis, angle)
    if "attitude" not in table:
        return None
    attitude = table.numbers("attitude", (dim, dim), _because(dim))
    if np.linalg.det(attitude) < 0.0:
        raise table.refusal("its attitude is a reflection (determinant −1), not a rotation. Reverse one of its columns.")
    return attitude


def _constraint(table: Table, section: str) -> Constraint:
    types = SECTIONS[section]
    kind = table.text("type")
    if kind not in types:
        guess = did_you_mean(kind, list(types))
        raise table.refusal(f"there is no {section} of type {shown(kind)}{guess} The types are {', '.join(types)}.")
    keys = [item.name for item in fields(types[kind])]
    table.only(("type", *keys))
    required = [item.name for item in fields(types[kind]) if item.default is not item.default_factory]
    found: dict[str, Any] = {}
    for item in fields(types[kind]):
        key = item.name
        if key not in table and key not in required:
            continue
        found[key] = table.text(key)
    constraint: Constraint = types[kind](**found)
    return constraint
