"""The head and neck as described by text files: bones, discs, ligaments, muscles and contacts, and how they are read.

A folder holds the files; those that it lacks are the ones that come with Biomec. Right and left: muscles are described
on the right side and mirrored in the plane y = 0; all else stands as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import pi
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError, FileError
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.toml_table import did_you_mean
from biomec.machines.head_neck.tables import TEXT, TableRow, read_rows
from biomec.machines.study import option
from biomec_resources import resource

GROUND, HEAD = "T1", "C0"
FOLDER = "head_neck"
BONES, DISCS, LIGAMENTS, MUSCLES, POINTS, CONTACTS = (
    "bones.csv", "discs.csv", "ligaments.csv", "muscles.csv", "muscle_points.csv", "contacts.csv",
)  # fmt: skip
FILES = (BONES, DISCS, LIGAMENTS, MUSCLES, POINTS, CONTACTS)
PRINTED, SHIFTED = "as printed", "one level lower"
DEGREES, RADIANS = "N·m/deg", "N·m/rad"
EACH, SHARED = "each", "shared by three"
SECONDS, MILLISECONDS = "s", "ms"
TENSOR, PRODUCT = "entry of the tensor", "product of inertia"
HELMET_RADIUS = 0.12  # [m] of the thin shell that a helmet's mass is spread over

_TURN = ("kphi_x-", "kphi_x+", "kphi_z-", "kphi_z+")
_LINEAR = ("kx-", "kx+", "ky-", "ky+", "kz-", "kz+")
_DAMPING = ("cx-", "cx+", "cy-", "cy+", "cz-", "cz+")
_TURN_DAMPING = ("cphi_x-", "cphi_x+", "cphi_y-", "cphi_y+", "cphi_z-", "cphi_z+")
PICKED = "points.csv"
"""Points picked in a 3-D tool, in place of those of the other files (`biomec.machines.head_neck.points`)."""
COLUMNS: Mapping[str, Mapping[str, str]] = {
    BONES: {"body": TEXT, "parent": TEXT, "mass": "mass", "Ixx": "inertia", "Iyy": "inertia", "Izz": "inertia",
            "Ixz": "inertia", "x": "length", "y": "length", "z": "length", "phi_y": "angle", "gx": "length",
            "gy": "length", "gz": "length"},
    DISCS: {"disc": TEXT, "lower": TEXT, "upper": TEXT, **dict.fromkeys(_LINEAR, "stiffness"),
            **dict.fromkeys(_TURN, "torsion"), "A-": "moment", "A+": "moment", "B-": "per angle", "B+": "per angle",
            **dict.fromkeys(_DAMPING, "damping"), **dict.fromkeys(_TURN_DAMPING, "torsional damping")},
    LIGAMENTS: {"ligament": TEXT, "upper": TEXT, "lower": TEXT, "shifted upper": TEXT, "shifted lower": TEXT,
                "k": "stiffness", "C": "time", "upper x": "length", "upper y": "length", "upper z": "length",
                "lower x": "length", "lower y": "length", "lower z": "length"},
    MUSCLES: {"muscle": TEXT, "F0": "force", "l0": "length", "ls": "length", "alpha0": "angle", "vmax": "rate"},
    POINTS: {"muscle": TEXT, "body": TEXT, "axes": TEXT, "x": "length", "y": "length", "z": "length"},
    CONTACTS: {"contact": TEXT, "sphere": TEXT, "plane": TEXT, "cx": "length", "cy": "length", "cz": "length",
               "radius": "length", "nx": "number", "ny": "number", "nz": "number", "gap": "length", "K": "hertz",
               "exponent": "number", "restitution": "number", "slowest": "speed", "preloaded": TEXT},
}  # fmt: skip
"""Columns of the files and what they measure."""


@dataclass(frozen=True)
class ModelOptions:
    """What the source leaves open, and what may be varied."""

    ligament_levels: str = option(
        PRINTED, "Levels of the four long ligaments: the printed table has none at C6-C7", choices=(PRINTED, SHIFTED)
    )
    disc_unit: str = option(
        DEGREES, "Unit of the bending and torsional stiffness of discs, printed as N/m", choices=(DEGREES, RADIANS)
    )
    capsular: str = option(
        EACH, "Whether each of the three lines of a capsular ligament has the stiffness of the table, or a third of it",
        choices=(EACH, SHARED),
    )  # fmt: skip
    product: str = option(TENSOR, "What the printed Ixz of the head is", choices=(TENSOR, PRODUCT))
    damping_unit: str = option(
        SECONDS, "Unit of the damping C of ligaments, which the source does not print", choices=(SECONDS, MILLISECONDS)
    )
    helmet_kg: float = option(0.0, "Mass of a helmet, a thin shell about the head's centre of mass", "kg")


@dataclass(frozen=True)
class Bone:
    """A bone: its place z (6,) in its parent [m, rad]; inertia (3, 3) about the centre of mass (3,), in its axes."""

    name: str
    parent: str
    mass: float
    inertia: FloatArray
    com: FloatArray
    place: FloatArray


@dataclass(frozen=True)
class Disc:
    """A disc between two bones, with the arrays of `biomec.engine.forces.discs.Discs`: (2, 6), (2,), (2, 6)."""

    name: str
    lower: str
    upper: str
    stiffness: FloatArray
    exponent: FloatArray
    damping: FloatArray


@dataclass(frozen=True)
class Ligament:
    """A line between points of two bones, in their axes [m]; stiffness [N/m], damping [s]."""

    name: str
    upper: str
    lower: str
    stiffness: float
    damping: float
    upper_point: FloatArray
    lower_point: FloatArray


@dataclass(frozen=True)
class Muscle:
    """A muscle along a fixed path: bodies and points (P, 3) in their axes [m]; other numbers as in `HillParameters`."""

    name: str
    bodies: tuple[str, ...]
    points: FloatArray
    fmax: float
    lopt: float
    lts: float
    pennation: float
    vmax: float


@dataclass(frozen=True)
class Contact:
    """A sphere of one bone on a plane of another; points and unit normal in the axes of their bones [m]."""

    name: str
    sphere: str
    plane: str
    centre: FloatArray
    radius: float
    point: FloatArray
    normal: FloatArray
    stiffness: float
    exponent: float
    restitution: float
    slowest: float
    preloaded: bool


@dataclass(frozen=True, eq=False)
class HeadNeck:
    """The model: constant data.

    R, p : body -> attitude (3, 3) and origin (3,) in the initial pose, in the axes of T1
    """

    bones: tuple[Bone, ...]
    discs: tuple[Disc, ...]
    ligaments: tuple[Ligament, ...]
    muscles: tuple[Muscle, ...]
    contacts: tuple[Contact, ...]
    options: ModelOptions
    R: Mapping[str, FloatArray]
    p: Mapping[str, FloatArray]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies, T1 first."""
        return (GROUND, *(one.name for one in self.bones))

    @property
    def freedoms(self) -> int:
        """Degrees of freedom."""
        return 6 * len(self.bones)

    @property
    def mass(self) -> float:
        """Mass of all bones [kg]."""
        return sum(one.mass for one in self.bones)

    def number(self, body: str, where: str) -> int:
        """Number of a body; refuses what is not there."""
        if body not in self.names:
            raise BiomecError(
                f"{where}: there is no bone {body}{did_you_mean(body, self.names)} The bones are "
                f"{', '.join(self.names)}."
            )
        return self.names.index(body)

    @property
    def head_com(self) -> FloatArray:
        """Centre of mass of the head in its axes [m]."""
        return next(one.com for one in self.bones if one.name == HEAD)


def load_head_neck(options: ModelOptions = ModelOptions(), folder: Path | None = None) -> HeadNeck:
    """Model of the files in a folder; without one, or where it lacks a file, of those that come with Biomec."""

    def rows(name: str) -> list[TableRow]:
        return read_rows(file_text(name, folder), name, COLUMNS[name])

    bones = _bones(rows(BONES), options)
    R, p = _initial(bones)
    known = (GROUND, *(one.name for one in bones))

    def there(row: TableRow, *columns: str) -> None:
        for column in columns:
            name = row.texts[column]
            if name not in known:
                raise row.refusal(
                    f"there is no bone {name}{did_you_mean(name, known)} The bones are {', '.join(known)}."
                )

    model = HeadNeck(
        tuple(bones),
        _discs(rows(DISCS), bones, options, there),
        tuple(_ligament(row, options, there) for row in rows(LIGAMENTS)),
        _muscles(rows(MUSCLES), rows(POINTS), R, there),
        tuple(_contact(row, R, p, there) for row in rows(CONTACTS)),
        options,
        R,
        p,
    )
    if folder is None or not (folder / PICKED).is_file():
        return model
    from biomec.machines.head_neck.points import with_points

    return with_points(model, file_text(PICKED, folder), PICKED)


def file_text(name: str, folder: Path | None = None) -> str:
    """Text of one of the files, of a folder if it is there, otherwise the one that comes with Biomec."""
    if folder is not None and not folder.is_dir():
        raise FileError(str(folder), "there is no such folder. Name one that holds files such as bones.csv.")
    path = None if folder is None else folder / name
    if path is None or not path.is_file():
        return resource(FOLDER, name).read_text(encoding="utf-8")
    try:
        return whole_file(path, most=LONGEST_DESCRIPTION).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise FileError(name, f"the file cannot be read as text ({error}).") from error


Check = Callable[..., None]


def _bones(rows: Sequence[TableRow], options: ModelOptions) -> list[Bone]:
    bones: list[Bone] = []
    if not options.helmet_kg >= 0.0:
        raise BiomecError(f"A helmet of {options.helmet_kg:g} kg: its mass must not be negative.")
    for row in rows:
        n = row.numbers
        row.positive("mass", "Ixx", "Iyy", "Izz")
        name, parent = row.texts["body"], row.texts["parent"]
        known = [GROUND, *(one.name for one in bones)]
        if name in known:
            raise row.refusal(f"there is a bone {name} already. Give every bone a name of its own.")
        if parent not in known:
            raise row.refusal(f"there is no bone {parent} above this line. List every bone after the one it stands on.")
        xz = n["Ixz"] if options.product == TENSOR else -n["Ixz"]
        inertia = np.diag(row.vector("Ixx", "Iyy", "Izz"))
        inertia[0, 2] = inertia[2, 0] = xz
        least, *_, most = np.linalg.eigvalsh(inertia)
        if not (least > 0.0 and most <= np.trace(inertia) - most):
            raise row.refusal("no body has these moments of inertia: each is at most the sum of the others.")
        mass = n["mass"]
        if name == HEAD:
            mass += options.helmet_kg
            inertia = inertia + np.eye(3) * options.helmet_kg * HELMET_RADIUS**2 * 2.0 / 3.0
        place = np.array([*row.vector("x", "y", "z"), 0.0, n["phi_y"], 0.0])
        bones.append(
            Bone(name, parent, mass, read_only(inertia), read_only(row.vector("gx", "gy", "gz")), read_only(place))
        )
    if HEAD not in {one.name for one in bones}:
        raise FileError(BONES, f"there is no head. Call the bone that is hit {HEAD}.")
    return bones


def _initial(bones: Sequence[Bone]) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    R, p = {GROUND: read_only(np.eye(3))}, {GROUND: read_only(np.zeros(3))}
    for one in bones:
        s, c = np.sin(one.place[4]), np.cos(one.place[4])
        turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        R[one.name] = read_only(R[one.parent] @ turn)
        p[one.name] = read_only(p[one.parent] + R[one.parent] @ one.place[:3])
    return R, p


def _discs(rows: Sequence[TableRow], bones: Sequence[Bone], options: ModelOptions, there: Check) -> tuple[Disc, ...]:
    found: dict[str, Disc] = {}
    for row in rows:
        disc = _disc(row, options, there)
        if disc.upper in found:
            raise row.refusal(
                f"{disc.upper} stands on the disc {found[disc.upper].name} already. Give every bone one disc at most."
            )
        below = next((one.parent for one in bones if one.name == disc.upper), None)
        if below is None:
            raise row.refusal(f"upper is {GROUND}, which stands on no other bone. Write the bone above the disc.")
        if disc.lower != below:
            raise row.refusal(
                f"lower is {disc.lower}, but {disc.upper} stands on {below} ({BONES}). Write {below} under lower."
            )
        found[disc.upper] = disc
    return tuple(found.values())


def _disc(row: TableRow, options: ModelOptions, there: Check) -> Disc:
    there(row, "lower", "upper")
    n = row.numbers
    row.not_negative(*_LINEAR, *_TURN, *_DAMPING, *_TURN_DAMPING)
    for sign in "-+":
        if not (n[f"A{sign}"] * n[f"B{sign}"] > 0.0):
            raise row.refusal(f"A{sign} and B{sign} must have one sign, or the disc would push itself out of place.")
    turn = 1.0 if options.disc_unit == DEGREES else pi / 180.0  # the number stays, the unit changes
    stiffness = [[n[f"kx{s}"], n[f"ky{s}"], n[f"kz{s}"], turn * n[f"kphi_x{s}"], n[f"A{s}"], turn * n[f"kphi_z{s}"]]
                 for s in "-+"]  # fmt: skip
    damping = [[n[f"{name}{s}"] for name in ("cx", "cy", "cz", "cphi_x", "cphi_y", "cphi_z")] for s in "-+"]
    exponent = [n["B-"], n["B+"]]
    return Disc(row.texts["disc"], row.texts["lower"], row.texts["upper"], read_only(stiffness), read_only(exponent),
                read_only(damping))  # fmt: skip


def _ligament(row: TableRow, options: ModelOptions, there: Check) -> Ligament:
    before = "shifted " if options.ligament_levels == SHIFTED else ""
    there(row, "upper", "lower", "shifted upper", "shifted lower")
    row.positive("k")
    row.not_negative("C")
    name, stiffness = row.texts["ligament"], row.numbers["k"]
    printed, upper, lower = (
        (row.texts["upper"], row.texts["lower"]),
        row.texts[f"{before}upper"],
        row.texts[f"{before}lower"],
    )
    if upper == lower:
        raise row.refusal(f"it joins {upper} to itself. Give it two bones.")
    if (upper, lower) != printed:
        name = name.replace("-".join(printed), f"{upper}-{lower}")
    damping = row.numbers["C"] * (1.0 if options.damping_unit == SECONDS else 1e-3)
    if options.capsular == SHARED and name.startswith("capsular"):
        stiffness /= 3.0
    ends = [read_only(row.vector(*(f"{side} {axis}" for axis in "xyz"))) for side in ("upper", "lower")]
    return Ligament(name, upper, lower, stiffness, damping, *ends)


def _muscles(
    rows: Sequence[TableRow], points: Sequence[TableRow], R: Mapping[str, FloatArray], there: Check
) -> tuple[Muscle, ...]:
    paths: dict[str, list[tuple[str, FloatArray]]] = {row.texts["muscle"]: [] for row in rows}
    for row in points:
        name, body, axes = row.texts["muscle"], row.texts["body"], row.texts["axes"]
        if name not in paths:
            raise row.refusal(f"{MUSCLES} has no muscle {name}{did_you_mean(name, list(paths))}")
        there(row, "body")
        if axes not in ("body", "ground"):
            raise row.refusal(f'axes are "body" or "ground", not “{axes}”.')
        at = np.array(row.vector("x", "y", "z"))
        paths[name].append((body, at if axes == "body" else R[body].T @ at))
    made = []
    for row in rows:
        n, name = row.numbers, row.texts["muscle"]
        row.positive("F0", "l0", "ls", "vmax")
        row.not_negative("alpha0")
        if not n["alpha0"] < 0.5 * pi:
            raise row.refusal("alpha0 must be less than 90°.")
        if len({body for body, _ in paths[name]}) < 2:
            raise row.refusal(f"{POINTS} gives it fewer than two bones, so it cannot pull. Add its path.")
        for side, mirror in (("right", 1.0), ("left", -1.0)):
            at = np.array([point for _, point in paths[name]]) * (1.0, mirror, 1.0)
            bodies = tuple(body for body, _ in paths[name])
            made.append(Muscle(f"{name} {side}", bodies, read_only(at), n["F0"], n["l0"], n["ls"], n["alpha0"],
                               n["vmax"]))  # fmt: skip
    return tuple(made)


def _contact(row: TableRow, R: Mapping[str, FloatArray], p: Mapping[str, FloatArray], there: Check) -> Contact:
    there(row, "sphere", "plane")
    row.positive("K", "slowest")
    row.not_negative("radius")
    n, sphere, plane = row.numbers, row.texts["sphere"], row.texts["plane"]
    if sphere == plane:
        raise row.refusal(f"sphere and plane both belong to {sphere}. Give it two bones.")
    if not n["exponent"] >= 1.0 or not 0.0 <= n["restitution"] <= 1.0:
        raise row.refusal("the exponent must be 1 or more, and the restitution between 0 and 1.")
    if row.texts["preloaded"] not in ("yes", "no"):
        raise row.refusal('preloaded is "yes" or "no".')
    if row.texts["preloaded"] == "yes" and n["gap"] != 0.0:
        raise row.refusal(
            f"its gap is {1e3 * n['gap']:g} mm, but a preloaded contact touches in the initial pose. Write a gap of "
            "0, or “no” under preloaded."
        )
    normal = np.array(row.vector("nx", "ny", "nz"))
    if not np.linalg.norm(normal) > 0.0:
        raise row.refusal("its normal has no length, so it has no direction.")
    normal /= np.linalg.norm(normal)
    centre = np.array(row.vector("cx", "cy", "cz"))
    seen = R[plane].T @ (p[sphere] + R[sphere] @ centre - p[plane])  # in the axes of the plane's bone
    point = seen - (n["radius"] + n["gap"]) * normal
    return Contact(row.texts["contact"], sphere, plane, read_only(centre), n["radius"], read_only(point),
                   read_only(normal), n["K"], n["exponent"], n["restitution"], n["slowest"],
                   row.texts["preloaded"] == "yes")  # fmt: skip
