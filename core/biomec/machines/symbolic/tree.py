"""Where the bodies of a planar machine are, as expressions of few coordinates: a tree of joints, and closed loops.

Joints are taken in the order of the file, sliding and welded ones first, wherever one of their bodies is placed
already; a joint between two placed bodies closes a loop and becomes constraint equations. A body that no joint reaches
is free.

    joint      coordinate of the body that it places
    revolute   absolute angle, counter-clockwise from +x
    prismatic  way along the axis
    weld       none
    none       x, y of its origin and its absolute angle
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from biomec.base.errors import DescriptionError
from biomec.engine.joint_kinds import JOINT_KINDS, PlanarForm
from biomec.machines.symbolic.algebra import Coordinates, Expr, Symbol, Turning, coordinates, exact, fixed, tidy, turned

GROUND = "ground"
AXES: Mapping[str, Sequence[Expr]] = {"x": (1, 0), "y": (0, 1)}


@dataclass
class SymbolicPose:
    """A placed body: its angle, and its origin in the laboratory."""

    angle: Expr
    origin: Turning


@dataclass
class SymbolicTree:
    """Bodies of a machine file in terms of coordinates; built by `tree_of`.

    tables      : of the file, every number an expression
    coords      : coordinates;  owners : (kind, body) of each, kind ``phi``, ``s``, ``x`` or ``y``
    placing     : body -> joint that places it, or None
    poses       : body or ``ground`` -> where it is
    constraints : Φ(q) of the joints that close loops
    """

    tables: Mapping[str, Any]
    coords: Coordinates
    owners: Sequence[tuple[str, str]]
    placing: Mapping[str, Mapping[str, Any] | None]
    poses: dict[str, SymbolicPose] = field(default_factory=dict)
    constraints: list[Expr] = field(default_factory=list)

    def body(self, name: str) -> Mapping[str, Any]:
        """Table of a body."""
        return next(one for one in self.tables["body"] if one["name"] == name)

    def local_point(self, reference: str) -> Sequence[Expr]:
        """Components of ``body.point`` in the body's axes, or of a ground point in the laboratory's."""
        owner, _, name = reference.partition(".")
        if owner == GROUND:
            return (0, 0) if name == "origin" else tuple(self.tables["ground"][name])
        table = self.body(owner)
        if name == "com":
            return tuple(table.get("centre_of_mass", (0, 0)))
        return (0, 0) if name == "origin" else tuple(table["points"][name])

    def local_vector(self, reference: str) -> Sequence[Expr]:
        """Components of the unit vector ``body.vector``."""
        owner, _, name = reference.partition(".")
        table = self.tables.get("directions", {}) if owner == GROUND else self.body(owner).get("vectors", {})
        if name not in table:
            return AXES[name]
        x, y = table[name]
        length = sp.sqrt(x**2 + y**2)
        return x / length, y / length

    def point(self, reference: str) -> Turning:
        """Laboratory position of ``body.point``."""
        pose = self.poses[reference.partition(".")[0]]
        return pose.origin + turned(pose.angle, self.local_point(reference))

    def reference_angle(self, name: str) -> Expr:
        """Angle of a body in the file's pose [rad]."""
        if name == GROUND:
            return sp.S.Zero
        table = self.body(name)
        if "attitude" in table:
            (c, _), (s, _) = table["attitude"]
            return sp.atan2(s, c)
        return table.get("angle_deg", 0) * sp.pi / 180


def tree_of(tables: Mapping[str, Any], parameters: Sequence[Symbol]) -> SymbolicTree:
    """Tree of the tables of a planar machine file."""
    joints = [_joint(one) for one in tables.get("joint", [])]
    names = [one["name"] for one in tables["body"]]
    for body in tables["body"]:
        for element, other in body.get("shared", {}).items():
            if element not in body["points"] and element != "origin":
                raise DescriptionError(
                    f"{body['name']}: it shares the vector {element}; symbolic equations know shared points only."
                )
            joints.append({"planar": PlanarForm.PIN, "name": f"{body['name']}.{element}", "proximal": other,
                           "distal": f"{body['name']}.{element}"})  # fmt: skip
    order = sorted(
        (one for one in joints if one["planar"] != PlanarForm.ROD), key=lambda one: one["planar"] == PlanarForm.PIN
    )
    placing, closing = _spanning(order, names)
    kinds = {body: _letters(joint) for body, joint in placing.items()}
    labels = [(f"{letter}{names.index(body) + 1}", f"{word} of {body} [{unit}]")
              for body in names for letter, word, unit in kinds[body]]  # fmt: skip
    coords = coordinates([label for label, _ in labels], [about for _, about in labels], parameters)
    owners = [(letter, body) for body in names for letter, _, _ in kinds[body]]
    tree = SymbolicTree(tables, coords, owners, placing, {GROUND: SymbolicPose(sp.S.Zero, fixed(0, 0))})
    symbols = iter(coords.q)
    of_body = {body: [next(symbols) for _ in kinds[body]] for body in names}
    for body, joint in placing.items():
        tree.poses[body] = _free(of_body[body]) if joint is None else _attached(tree, body, joint, of_body[body])
    for joint in [*closing, *(one for one in joints if one["planar"] == PlanarForm.ROD)]:
        tree.constraints += [tidy(one) for one in _closed(tree, joint)]
    return tree


def _joint(table: Mapping[str, Any]) -> Mapping[str, Any]:
    form = JOINT_KINDS[table["type"]].planar
    if form is None:
        raise DescriptionError(f"Joint {table['name']}: symbolic equations know no joint of type {table['type']}.")
    return {**table, "planar": form}


def _spanning(joints: Sequence[Mapping[str, Any]], names: Sequence[str]) -> tuple[dict[str, Any], list[Any]]:
    """Body -> joint that places it, in an order in which they can be placed; and the joints that close loops."""
    placing: dict[str, Any] = {}
    left = list(joints)
    while len(placing) < len(names):
        for joint in left:
            ends = [joint[key].partition(".")[0] for key in ("proximal", "distal")]
            loose = [end for end in ends if end != GROUND and end not in placing]
            if len(loose) == 1:
                placing[loose[0]] = joint
                left.remove(joint)
                break
        else:
            placing[next(name for name in names if name not in placing)] = None
    return placing, left


def _letters(joint: Mapping[str, Any] | None) -> list[tuple[str, str, str]]:
    angle = ("phi", "angle", "rad")
    match joint:
        case None:
            return [("x", "x", "m"), ("y", "y", "m"), angle]
        case {"planar": PlanarForm.PIN}:
            return [angle]
        case {"planar": PlanarForm.SLIDE}:
            return [("s", "way", "m")]
    return []


def _free(symbols: Sequence[Symbol]) -> SymbolicPose:
    x, y, angle = symbols
    return SymbolicPose(angle, fixed(x, y))


def _attached(tree: SymbolicTree, body: str, joint: Mapping[str, Any], symbols: Sequence[Symbol]) -> SymbolicPose:
    """Pose of a body that a joint places beside a placed one."""
    here, there = joint["distal"], joint["proximal"]
    outward = here.partition(".")[0] == body
    if not outward:
        here, there = there, here
    other = there.partition(".")[0]
    meeting = tree.point(there)
    if joint["planar"] == PlanarForm.PIN:
        angle: Expr = symbols[0]
    else:
        angle = tree.poses[other].angle + tree.reference_angle(body) - tree.reference_angle(other)
    if joint["planar"] == PlanarForm.SLIDE:
        owner = joint["axis"].partition(".")[0]
        turn = angle if owner == body else tree.poses[owner].angle
        meeting += turned(turn, tree.local_vector(joint["axis"])).times(symbols[0] if outward else -symbols[0])
    return SymbolicPose(angle, meeting - turned(angle, tree.local_point(here)))


def _closed(tree: SymbolicTree, joint: Mapping[str, Any]) -> list[Expr]:
    """Constraint equations of a joint between placed bodies: proximal minus distal."""
    if joint["planar"] == PlanarForm.ROD:
        d = tree.point(joint["first"]) - tree.point(joint["second"])
        if not isinstance(joint.get("length"), sp.Expr | int | float):
            raise DescriptionError(
                f"Joint {joint['name']}: give its length; symbolic equations do not measure the file."
            )
        return [d.dot(d) - joint["length"] ** 2]
    d = tree.point(joint["proximal"]) - tree.point(joint["distal"])
    if joint["planar"] == PlanarForm.PIN:
        return list(d.components())
    ends = [joint[key].partition(".")[0] for key in ("proximal", "distal")]
    turn = sp.Add(
        *(sign * (tree.poses[end].angle - tree.reference_angle(end)) for sign, end in zip((1, -1), ends, strict=True))
    )
    if joint["planar"] == PlanarForm.WELD:
        return [*d.components(), turn]
    axis = joint["axis"]
    x, y = tree.local_vector(axis)
    return [d.dot(turned(tree.poses[axis.partition(".")[0]].angle, (-y, x))), turn]


def with_fractions(value: Any) -> Any:
    """Tables with every number as an exact fraction."""
    match value:
        case bool() | str():
            return value
        case int() | float():
            return exact(value)
        case list():
            return [with_fractions(one) for one in value]
        case dict():
            return {key: with_fractions(one) for key, one in value.items()}
        case sp.Expr():
            return value.xreplace({one: exact(float(one)) for one in value.atoms(sp.Float)})
    return value
