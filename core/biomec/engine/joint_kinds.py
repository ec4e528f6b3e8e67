"""Kinds of joints: the one table of them, with their words. Files, systems, planar models, drawings and lists read it.

To add one: write its class with its rows in `joints`, its entry here, an example in the tests and a line in the
documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from biomec.base.frozen import FrozenDict
from biomec.engine.joints import (
    Cylindrical,
    Distance,
    EllipsoidContact,
    Free,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    Weld,
)


class PlanarForm(StrEnum):
    """What a joint is in one plane."""

    PIN = "pin"
    SLIDE = "slide"
    WELD = "weld"
    ROD = "rod"


class Symbol(StrEnum):
    """How a sketch draws a joint."""

    PIN = "pin"
    WELD = "weld"
    RAIL = "rail"
    ROD = "rod"
    NONE = ""


@dataclass(frozen=True)
class JointKind:
    """One kind of joint.

    key      : in files, and type of its rows in a system
    type     : class that makes its rows
    words    : what people call one of them;  plural : and several
    freedoms : that it leaves between two bodies in space
    unit     : of its rows, those of directions having none
    planar   : what it is in one plane; None where it exists in space only
    symbol   : how a sketch draws it
    tree     : whether loads and velocities pass along it, so that a person can have it
    axes     : keys of its axes in the file of a person's model
    numbers  : fields that are numbers, and their shape
    """

    key: str
    type: type[Any]
    words: str
    plural: str
    freedoms: int
    unit: str
    planar: PlanarForm | None
    symbol: Symbol
    tree: bool = False
    axes: tuple[str, ...] = ()
    numbers: tuple[tuple[str, tuple[int, ...]], ...] = ()


JOINT_KINDS: Mapping[str, JointKind] = FrozenDict({kind.key: kind for kind in (
    JointKind("spherical", Spherical, "ball joint", "ball joints", 3, "m", PlanarForm.PIN, Symbol.PIN, tree=True),
    JointKind("universal", Universal, "universal joint", "universal joints", 2, "m", None, Symbol.PIN, tree=True,
              axes=("axis", "distal_axis"), numbers=(("cosine", ()),)),
    JointKind("revolute", Revolute, "hinge", "hinges", 1, "m", PlanarForm.PIN, Symbol.PIN, tree=True, axes=("axis",)),
    JointKind("cylindrical", Cylindrical, "cylindrical joint", "cylindrical joints", 2, "m", None, Symbol.RAIL),
    JointKind("prismatic", Prismatic, "slider", "sliders", 1, "m", PlanarForm.SLIDE, Symbol.RAIL),
    JointKind("weld", Weld, "weld", "welds", 0, "m", PlanarForm.WELD, Symbol.WELD),
    JointKind("free", Free, "free joint", "free joints", 6, "m", None, Symbol.NONE),
    JointKind("distance", Distance, "rod", "rods", 5, "m²", PlanarForm.ROD, Symbol.ROD, numbers=(("length", ()),)),
    JointKind("ellipsoid", EllipsoidContact, "gliding contact", "gliding contacts", 5, "scaled by length", None,
              Symbol.NONE, numbers=(("radii", (3,)), ("attitude", (3, 3)))),
)})  # fmt: skip
"""Key -> kind, in the order in which a system lists their rows."""
TREE_KINDS: Mapping[str, JointKind] = FrozenDict({key: kind for key, kind in JOINT_KINDS.items() if kind.tree})
TREE_JOINTS: tuple[type[Any], ...] = tuple(kind.type for kind in TREE_KINDS.values())
PLANAR_JOINTS: tuple[type[Any], ...] = tuple(kind.type for kind in JOINT_KINDS.values() if kind.planar is not None)
_BY_TYPE = {kind.type: kind for kind in JOINT_KINDS.values()}


def kind_of(constraint: object) -> JointKind | None:
    """Kind of a joint; None for what is not a joint, such as a driver."""
    return _BY_TYPE.get(type(constraint))


def planar_form(constraint: object) -> PlanarForm | None:
    """What a constraint is in one plane; None for what is not a joint there."""
    kind = kind_of(constraint)
    return None if kind is None else kind.planar


def symbol_of(constraint: object) -> Symbol:
    """How a sketch draws a constraint."""
    kind = kind_of(constraint)
    return Symbol.NONE if kind is None else kind.symbol
