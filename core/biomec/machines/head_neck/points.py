"""Attachment points for a 3-D tool and back: a table of points of ligaments, muscles and contacts.

    element, part, body, axes, x [mm], y [mm], z [mm]

``part`` is upper or lower of a ligament, a number from 1 on along a muscle, centre (of the sphere) of a contact.
``axes`` is ``body`` for the axes of the bone, or ``ground`` for places in the initial pose in axes of T1, as a tool
shows them. A muscle that is named replaces its whole path; one without a side stands for the right one and is mirrored.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.toml_table import did_you_mean
from biomec.machines.head_neck.model import Contact, HeadNeck, Ligament, Muscle
from biomec.machines.head_neck.tables import TEXT, TableRow, read_rows, written_rows

COLUMNS = {"element": TEXT, "part": TEXT, "body": TEXT, "axes": TEXT, "x": "length", "y": "length", "z": "length"}
BODY_AXES, GROUND_AXES = "body", "ground"
SIDES = {" right": (1.0, 1.0, 1.0), " left": (1.0, -1.0, 1.0)}


def exported_points(model: HeadNeck, axes: str = GROUND_AXES) -> str:
    """Table of all attachment points and centres of contacts."""
    rows: list[list[str | float]] = []

    def add(element: str, part: str, body: str, local: FloatArray) -> None:
        at = model.p[body] + model.R[body] @ local if axes == GROUND_AXES else local
        rows.append([element, part, body, axes, *(1e3 * float(x) for x in at)])

    for ligament in model.ligaments:
        add(ligament.name, "upper", ligament.upper, ligament.upper_point)
        add(ligament.name, "lower", ligament.lower, ligament.lower_point)
    for muscle in model.muscles:
        for k, (body, point) in enumerate(zip(muscle.bodies, muscle.points, strict=True), start=1):
            add(muscle.name, str(k), body, point)
    for contact in model.contacts:
        add(contact.name, "centre", contact.sphere, contact.centre)
    return written_rows(["element", "part", "body", "axes", "x [mm]", "y [mm]", "z [mm]"], rows)


def with_points(model: HeadNeck, text: str, source: str = "points.csv") -> HeadNeck:
    """The model with the points of a table in place of its own; elements that the table does not name stay."""
    ligaments = {one.name: one for one in model.ligaments}
    contacts = {one.name: one for one in model.contacts}
    muscles = {one.name: one for one in model.muscles}
    paths: dict[str, list[tuple[float, str, FloatArray]]] = {}
    for row in read_rows(text, source, COLUMNS):
        name, body = row.texts["element"], row.texts["body"]
        model.number(body, row.where)
        at = _local(model, row, body)
        if name in ligaments:
            ligaments[name] = _ligament(ligaments[name], row, body, at)
        elif name in contacts:
            contacts[name] = _contact(model, contacts[name], row, body, at)
        else:
            sides = [name] if name in muscles else [f"{name}{side}" for side in SIDES if f"{name}{side}" in muscles]
            if not sides:
                known = [*ligaments, *contacts, *muscles]
                raise row.refusal(f"there is no ligament, contact or muscle {name}{did_you_mean(name, known)}")
            for one in sides:
                flip = SIDES[" left"] if len(sides) == 2 and one.endswith(" left") else SIDES[" right"]
                paths.setdefault(one, []).append((_order(row), body, at * flip))
    for name, points in paths.items():
        muscles[name] = _muscle(muscles[name], points, source)
    return replace(
        model,
        ligaments=tuple(ligaments.values()),
        contacts=tuple(contacts.values()),
        muscles=tuple(muscles.values()),
    )


def _local(model: HeadNeck, row: TableRow, body: str) -> FloatArray:
    at, axes = np.array(row.vector("x", "y", "z")), row.texts["axes"]
    if axes not in (BODY_AXES, GROUND_AXES):
        raise row.refusal(f'axes are "{BODY_AXES}" or "{GROUND_AXES}", not “{axes}”.')
    return at if axes == BODY_AXES else np.asarray(model.R[body].T @ (at - model.p[body]))


def _ligament(ligament: Ligament, row: TableRow, body: str, at: FloatArray) -> Ligament:
    part = row.texts["part"]
    if part not in ("upper", "lower"):
        raise row.refusal(f"part {part} of a ligament: write upper or lower.")
    if part == "upper":
        return replace(ligament, upper=body, upper_point=read_only(at))
    return replace(ligament, lower=body, lower_point=read_only(at))


def _contact(model: HeadNeck, contact: Contact, row: TableRow, body: str, at: FloatArray) -> Contact:
    """The sphere moves; the plane follows it along its normal, so that the gap stays."""
    if row.texts["part"] != "centre" or body != contact.sphere:
        raise row.refusal(f"of a contact the table gives the centre of the sphere, on {contact.sphere}.")
    shift = model.R[contact.plane].T @ (model.R[body] @ (at - contact.centre))
    point = contact.point + contact.normal * float(contact.normal @ shift)
    return replace(contact, centre=read_only(at), point=read_only(point))


def _order(row: TableRow) -> float:
    try:
        return float(row.texts["part"])
    except ValueError:
        raise row.refusal(
            f"part {row.texts['part']} of a muscle: write its number along the path, from 1 on."
        ) from None


def _muscle(muscle: Muscle, points: list[tuple[float, str, FloatArray]], source: str) -> Muscle:
    points = sorted(points, key=lambda one: one[0])
    bodies = tuple(body for _, body, _ in points)
    if len(set(bodies)) < 2:
        from biomec.base.errors import FileError

        raise FileError(source, f"{muscle.name} has points on fewer than two bones, so it cannot pull. Add its path.")
    return replace(muscle, bodies=bodies, points=read_only([at for _, _, at in points]))
