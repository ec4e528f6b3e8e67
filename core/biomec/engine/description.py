"""Multibody systems as TOML files: the format is the dataclasses of bodies, joints and drivers, key by field.

`docs/mechanism-files.md` describes the format with an example. Joints are those of `joint_kinds`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray, planar_rotation, rotation_about
from biomec.base.errors import DescriptionError
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.toml_table import TomlTable, did_you_mean, read_toml, shown, written, written_key
from biomec.engine.body import Body
from biomec.engine.drivers import (
    AngleCoordinate,
    AngleDriver,
    CoordinateDriver,
    LengthCoordinate,
    LengthDriver,
    PointDriver,
)
from biomec.engine.joint_kinds import JOINT_KINDS
from biomec.engine.joints import Constraint
from biomec.engine.system import System

JOINTS: dict[str, type[Any]] = {key: kind.type for key, kind in JOINT_KINDS.items()}
DRIVERS: dict[str, type[Any]] = {
    "angle": AngleDriver,
    "length": LengthDriver,
    "point": PointDriver,
    "coordinate": CoordinateDriver,
}
COORDINATES: dict[str, type[Any]] = {"angle": AngleCoordinate, "length": LengthCoordinate}
SECTIONS = {"joint": JOINTS, "driver": DRIVERS, "coordinate": COORDINATES}
NUMBER_FIELDS = {name: shape for kind in JOINT_KINDS.values() for name, shape in kind.numbers}
OF_REFERENCE = "reference"  # cosine = "reference": the value that the reference poses have

FILE_KEYS = ("name", "dimension", "gravity", "ground", "directions", "body", *SECTIONS)
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
        text = whole_file(path, most=LONGEST_DESCRIPTION).decode("utf-8-sig")
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
    return system_in(top)


def system_in(top: TomlTable) -> System:
    """System described by the tables of a file that may hold more than a system."""
    source = top.where
    dim = _dimension(top)
    points = top.table("ground")
    ground = {key: points.numbers(key, (dim,), _because(dim)) for key in points.values}
    named = top.table("directions")
    directions = {key: named.numbers(key, (dim,), _because(dim)) for key in named.values}
    gravity = top.numbers("gravity", (dim,), _because(dim)) if "gravity" in top else None
    name = top.text("name") if "name" in top else "system"
    bodies = [_body(table, dim, source) for table in top.tables("body")]
    if not bodies:
        raise top.refusal("it describes no body. Add at least one block that starts with [[body]].")
    constraints = [_constraint(table, key) for key in SECTIONS for table in top.tables(key)]
    with _engine(source, source):
        return System(bodies, constraints, name=name, ground=ground, directions=directions, gravity=gravity)


def _dimension(top: TomlTable) -> int:
    dim = float(top.numbers("dimension", ())) if "dimension" in top else 3.0
    if dim not in (2.0, 3.0):
        raise top.refusal(f"dimension must be 2 (planar) or 3 (spatial), not {shown(top.values['dimension'])}.")
    return int(dim)


def _body(table: TomlTable, dim: int, source: str) -> Body:
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
    values: dict[str, Any] = {
        "points": {"origin": np.zeros(dim)} | {key: points.numbers(key, vector, because) for key in points.values},
        "vectors": {key: vectors.numbers(key, vector, because) for key in vectors.values},
        "basis": table.texts("basis"),
        "mass": float(table.numbers("mass", ())) if "mass" in table else 0.0,
        "inertia": _inertia(table, dim),
        "attitude": _attitude(table, dim),
        "shared": {key: shared.text(key) for key in shared.values},
    }
    for key in ("centre_of_mass", "position"):
        values[key] = table.numbers(key, vector, because) if key in table else None
    with _engine(source, table.where):
        body = Body(name, **values)
        body.mass_matrix  # noqa: B018 - numbers that it cannot bear are refused here, where the body has a name
    return body


def _inertia(table: TomlTable, dim: int) -> FloatArray | None:
    if "inertia" not in table:
        return None
    if dim == 2:
        return table.numbers("inertia", (), _because(dim))
    value = table.values["inertia"]
    if isinstance(value, list) and len(value) == 6:
        return np.asarray(table.numbers("inertia", (6,))[np.array(SIX)])
    return table.numbers("inertia", (3, 3), "(or the six numbers [xx, yy, zz, xy, xz, yz] of the tensor)")


def _attitude(table: TomlTable, dim: int) -> FloatArray | None:
    given = [key for key in ATTITUDE_KEYS if key in table]
    if len(given) > 1:
        raise table.refusal(f"{' and '.join(given)} both give its attitude. Keep one of them.")
    for key, wanted, instead in (
        ("turn", 3, "angle_deg = 30.0"),
        ("angle_deg", 2, "turn = { axis = …, angle_deg = … }"),
    ):
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
    with np.errstate(all="ignore"):  # of lengths below 1e-308; what is no rotation is refused with its body
        reflected = np.linalg.det(attitude) < 0.0
    if reflected:
        raise table.refusal(
            "its attitude is a reflection (determinant −1), not a rotation. Reverse one of its columns."
        )
    return attitude


def _constraint(table: TomlTable, section: str) -> Constraint:
    types = SECTIONS[section]
    kind = table.text("type")
    if kind not in types:
        guess = did_you_mean(kind, list(types))
        raise table.refusal(f"there is no {section} of type {shown(kind)}{guess} The types are {', '.join(types)}.")
    wanted = fields(types[kind])
    table.only(("type", *(item.name for item in wanted)))
    given = [item.name for item in wanted if item.name in table or item.default is MISSING]
    constraint: Constraint = types[kind](**{key: _field(table, key) for key in given})
    return constraint


def _field(table: TomlTable, key: str) -> Any:
    if key not in NUMBER_FIELDS:
        return table.text(key)
    shape = NUMBER_FIELDS[key]
    if shape:
        return table.numbers(key, shape)
    if table.values.get(key) == OF_REFERENCE:
        return None
    return float(table.numbers(key, (), f'(or "{OF_REFERENCE}", for its value in the reference poses)'))


def _because(dim: int) -> str:
    return f"(this system has dimension = {dim})"


@contextmanager
def _engine(source: str, where: str) -> Iterator[None]:
    """Put the file before the engine's own sentences, and make a sentence of numbers that cannot be computed with."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except DescriptionError as error:
        raise DescriptionError(f"{source}: {error}") from error
    except (FloatingPointError, np.linalg.LinAlgError) as error:
        raise DescriptionError(
            f"{where}: some numbers are too small or too large to compute with. Check their units (m, kg, kg m²)."
        ) from error


# ---------------------------------------------------------------------- writing


def describe_system(system: System) -> str:
    """TOML text from which `parse_system` makes an equal system; numbers keep all their digits."""
    top = {"name": system.name, "dimension": system.layout.dimension, "gravity": system.gravity}
    ground = {key: value for key, value in system.layout.ground.items() if key != "origin"}
    directions = {key: value for key, value in system.layout.directions.items() if key not in ("x", "y", "z")}
    blocks = [_block("", top)]
    blocks += [_block(f"[{key}]", found) for key, found in (("ground", ground), ("directions", directions)) if found]
    blocks += [_block("[[body]]", _body_values(body)) for body in system.bodies]
    blocks += [_constraint_block(constraint) for constraint in system.constraints]
    return "\n".join(blocks)


def _body_values(body: Body) -> dict[str, object]:
    axes = dict(zip("xyz", np.eye(body.dimension), strict=False))
    points = {key: p for key, p in body.points.items() if key != "com" and (key != "origin" or p.any())}
    vectors = {key: v for key, v in body.vectors.items() if not (key in axes and np.array_equal(v, axes[key]))}
    J = body.inertia_matrix
    inertia: object = J
    if J.shape == (1, 1):
        inertia = J[0, 0]
    elif np.array_equal(J, J.T):
        inertia = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    return {
        "name": body.name,
        **({"points": points} if points else {}),
        **({"vectors": vectors} if vectors else {}),
        "basis": body.basis,
        "mass": body.mass,
        "centre_of_mass": body.points["com"],
        "inertia": inertia,
        "position": body.position,
        **_attitude_value(body.attitude_matrix),
        **({"shared": body.shared} if body.shared else {}),
    }


def _attitude_value(R_WB: FloatArray) -> dict[str, object]:
    """Nothing for the identity; an angle in the plane if it gives back every digit; otherwise the matrix."""
    if np.array_equal(R_WB, np.eye(R_WB.shape[0])):
        return {}
    exact = float(np.rad2deg(np.arctan2(R_WB[1, 0], R_WB[0, 0])))
    for angle_deg in (round(exact, 9), exact):
        if R_WB.shape == (2, 2) and np.array_equal(planar_rotation(float(np.deg2rad(angle_deg))), R_WB):
            return {"angle_deg": angle_deg}
    return {"attitude": R_WB}


def _constraint_block(constraint: Constraint) -> str:
    found = {class_: (section, kind) for section, types in SECTIONS.items() for kind, class_ in types.items()}
    class_: type[Any] = type(constraint)
    if class_ not in found:
        raise DescriptionError(f"{constraint.name}: a {class_.__name__} cannot be written to a mechanism file.")
    section, kind = found[class_]
    values: dict[str, object] = {"type": kind}
    for item in fields(class_):
        value = getattr(constraint, item.name)
        if value is None and item.default is not None:
            values[item.name] = OF_REFERENCE
        elif value is not None:
            values[item.name] = np.asarray(value) if item.name in NUMBER_FIELDS else value
    return _block(f"[[{section}]]", values)


def _block(title: str, values: Mapping[str, object]) -> str:
    lines = [title] if title else []
    return "\n".join([*lines, *(f"{written_key(key)} = {written(value)}" for key, value in values.items()), ""])
