"""Columns of force plates in text files: which belong to which plate, by the names that OpenSim and BTS users give."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, info, warning
from biomec.recording import LOADED_N, ForcePlate
from biomec.recording.plate import points_astray

# ground_force_vx, 1_ground_force_px, ground_force_r_vy, Pe_D_ground_force_vx, ground_torque_x_2, ground_moment1_mx,
# ground_force_1_mx (the moment beside the force), l_ground_reaction_force_vx, ground_free_moment_y, grf_r_px, grm_1_y …
_OPENSIM = re.compile(
    r"(?P<before>.*?)(?:ground_?(?:reaction_?|free_?)?(?P<kind>force|torque|moment)|(?<![a-z])gr(?P<letter>[fmt]))"
    r"(?P<middle>.*?)[_.]?(?P<what>[vpmt]|cop|(?:moment|torque|point|force)[_.]?)?(?P<axis>[xyz])(?P<after>[_.].+|\d+)?",
    re.IGNORECASE,
)
# Pe_D.Fx, Mao_E.COPy, plate1.Tz; with an underscore only for names that are plates by agreement
_DOTTED = re.compile(r"(?P<name>.+)\.(?P<what>F|T|M|COP)(?P<axis>[xyz])", re.IGNORECASE)
_NAMED = re.compile(r"(?P<name>(?:Mao|Pe)_[DE])_(?P<what>F|T|M|COP)(?P<axis>[xyz])", re.IGNORECASE)
# Everything else that names quantity and axis in words: FP1_Fx, FP1.CoP.X, force1_vx, calcn_r_force_px, GRF_1_x, Fx1 …
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PRESSURE = re.compile(r"cof?p", re.IGNORECASE)  # CoP, COP, CofP
_WITH_AXIS = re.compile(r"(?P<what>f|v|p|m|t|cop|for|mom)?(?P<axis>[xyz])")
_NUMBERED = re.compile(
    r"(?P<what>[fpm])(?P<plate>\d+)_(?P<axis>[123])", re.IGNORECASE
)  # f1_1: a flattened C3D of OpenSim
# quantity -> words that say it, endings of longer ones; a force that has a point or a moment of its own names both
_SAID: dict[str, tuple[set[str], tuple[str, ...]]] = {
    "point": ({"p", "cop", "point", "position", "pressure"}, ("position",)),
    "torque": ({"m", "t", "mom", "moment", "torque", "grm", "grt"}, ("moment", "torque")),
    "force": ({"f", "v", "for", "force", "grf"}, ("force",)),
}
_FILLERS = {"free", "ground", "reaction", "center", "centre", "of"}
_JOINT_REACTION = {"on", "in"}  # hip_r_on_femur_r_in_ground_fx: what a joint bears, not a plate
LARGEST = 1e9  # N, m or N m
_QUANTITY = {"f": "force", "t": "torque", "m": "torque", "cop": "point"}


@dataclass
class _Columns:
    """Columns of one plate: quantity -> axis -> column."""

    force: dict[str, int] = field(default_factory=dict)
    point: dict[str, int] = field(default_factory=dict)
    torque: dict[str, int] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether force and point of application have three components each."""
        return len(self.force) == len(self.point) == 3

    def all(self) -> list[int]:
        return [*self.force.values(), *self.point.values(), *self.torque.values()]


def column_meaning(column: str) -> tuple[str, str, str] | None:
    """(plate, quantity, axis) that a column's name means, or None; quantities are force, point and torque."""
    match = _OPENSIM.fullmatch(column)
    if match:
        of_force = (match["kind"] or match["letter"]).lower() in ("force", "f")
        what = (match["what"] or "").lower()[:1]  # v or f of a force, p or c of a point, m or t of a moment
        if not of_force and what in ("v", "f", "p", "c"):
            return None
        quantity = "point" if what in ("p", "c") else "torque" if what in ("m", "t") or not of_force else "force"
        parts = (match[part] or "" for part in ("before", "middle", "after"))
        name = "_".join(part.strip("_. ") for part in parts if part.strip("_. "))
        return _plate_name(name), quantity, match["axis"].lower()
    match = _DOTTED.fullmatch(column) or _NAMED.fullmatch(column)
    return (match["name"].strip(), _QUANTITY[match["what"].lower()], match["axis"].lower()) if match else None


def loose_meaning(column: str) -> tuple[str, str, str] | None:
    """The same by the words in a name; such a column is of a plate only beside five others that complete it."""
    numbered = _NUMBERED.fullmatch(column)
    if numbered:
        return _plate_name(numbered["plate"]), _said([numbered["what"].lower()]), "xyz"[int(numbered["axis"]) - 1]
    words = [word.lower() for word in _WORDS.findall(_PRESSURE.sub("Cop", column))]
    match, rest = None, list(words)
    for k in reversed(range(len(words))):
        match = _WITH_AXIS.fullmatch(words[k])
        if match:
            rest = words[:k] + words[k + 1 :]
            break
    if match is None or set(words) >= _JOINT_REACTION:
        return None
    quantity = _said([match["what"]] if match["what"] else rest)
    if not quantity:
        return None
    name = "_".join(word for word in rest if word not in _FILLERS and not _said([word]))
    return _plate_name(name), quantity, match["axis"]


def _said(words: Sequence[str]) -> str:
    """The quantity that is named, or ""."""
    for quantity, (known, endings) in _SAID.items():
        if any(word in known or word.endswith(endings) for word in words):
            return quantity
    return ""


def _plate_name(name: str) -> str:
    """A name for the plate that OpenSim calls nothing or by a number."""
    return "plate" if not name else f"plate_{name}" if name.isdecimal() else name


def plates_of_columns(
    columns: Sequence[str], values: FloatArray, rate_hz: float, start_s: float, up: FloatArray
) -> tuple[tuple[ForcePlate, ...], list[int], tuple[Notice, ...]]:
    """Plates in values (N, columns) [N, m, N m], the columns that are not a plate's, and notices.

    A plate needs three components of force and three of its point of application; torques that are not there are zero.
    """
    found, notices = _by_plate(columns, column_meaning), list[Notice]()
    if not any(one.complete for one in found.values()):
        loose = {name: one for name, one in _by_plate(columns, loose_meaning).items() if one.complete}
        if loose:
            shown = ", ".join(
                f"{name} ({', '.join(columns[k] for k in one.force.values())} …)" for name, one in loose.items()
            )
            notices.append(
                info("plate-columns-read", f"Plates were read from columns by the words in their names: {shown}.")
            )
        found |= loose
    plates: list[ForcePlate] = []
    used: set[int] = set()
    for name, of_plate in found.items():
        if not of_plate.complete:
            if of_plate.force:
                notices.append(_incomplete(name, of_plate))
            continue
        wild = np.abs(values[:, of_plate.all()]) > LARGEST
        if wild.any():
            words = f"Plate {name} has {int(wild.sum())} values that no plate can measure; they were read as missing."
            notices.append(warning("impossible-values", words, name))
        if len(of_plate.torque) < 3:
            there = ", ".join(sorted(of_plate.torque)) or "none"
            words = f"Plate {name} has no complete free moment (components there: {there}); what is not there is zero."
            notices.append(warning("free-moment-assumed", words, name))
        force, point, torque = (_vector(values, c) for c in (of_plate.force, of_plate.point, of_plate.torque))
        notices += _astray(name, force, point)
        plates.append(ForcePlate.from_centre_of_pressure(name, force, point, torque, rate_hz, up, start_s=start_s))
        used.update(of_plate.all())
    return tuple(plates), [k for k in range(len(columns)) if k not in used], tuple(notices)


def _by_plate(columns: Sequence[str], meaning: Callable[[str], tuple[str, str, str] | None]) -> dict[str, _Columns]:
    """Columns sorted by plate, quantity and axis; of two that mean the same, the first."""
    found: dict[str, _Columns] = {}
    for k, column in enumerate(columns):
        meant = meaning(column)
        if meant is not None:
            name, quantity, axis = meant
            getattr(found.setdefault(name, _Columns()), quantity).setdefault(axis, k)
    return found


def _vector(values: FloatArray, which: dict[str, int]) -> FloatArray:
    """Components (N, 3) from their columns; zero where there is no column, NaN where the number is impossible."""
    columns = [values[:, which[axis]] if axis in which else np.zeros(len(values)) for axis in "xyz"]
    vector = np.stack(columns, axis=1)
    return np.where(np.abs(vector) > LARGEST, np.nan, vector)


def _astray(name: str, force: FloatArray, point: FloatArray) -> list[Notice]:
    astray = points_astray(force, point)
    if not astray.any():
        return []
    farthest = float(np.linalg.norm(point[astray], axis=1).max())
    words = (
        f"Plate {name} has {int(astray.sum())} samples of at most {LOADED_N:g} N that act up to {farthest:.0f} m from "
        "the laboratory's origin: where a plate is not loaded the point means nothing. They were taken to act where "
        "the plate is when it is loaded."
    )
    return [info("points-astray", words, name)]


def _incomplete(name: str, columns: _Columns) -> Notice:
    lacks = [
        f"{quantity} {axis}"
        for quantity, there in (("force", columns.force), ("point of application", columns.point))
        for axis in "xyz"
        if axis not in there
    ]
    words = f"The columns of plate {name} lack {', '.join(lacks)}; what is there was kept as analog channels."
    return info("plate-incomplete", words, name)


def columns_of_plates(plates: Sequence[ForcePlate], names: Sequence[str]) -> tuple[list[str], FloatArray]:
    """Columns for writing, values (N, 9 × plates): force, its point of application and the moment about that point.

    Where a plate is loaded the point is the centre of pressure. Where it is not, the point is the plate's origin and
    the moment the whole moment about it, so that the load is the same at every sample.
    """
    columns: list[str] = []
    values: list[FloatArray] = []
    for plate, name in zip(plates, names, strict=True):
        loaded = plate.loaded()[:, None]
        point = np.where(loaded, plate.centre_of_pressure(), plate.origin)
        moment = plate.moment - np.cross(point - plate.origin, plate.force)
        columns += [f"{name}_ground_force_{what}{axis}" for what in "vp" for axis in "xyz"]
        columns += [f"{name}_ground_torque_{axis}" for axis in "xyz"]
        values += [plate.force, point, moment]
    return columns, np.concatenate(values, axis=1)
