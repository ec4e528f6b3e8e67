"""Multibody mechanics in natural coordinates: bodies, joints, forces, systems and solvers. Knows nothing of people.

In the docstrings "theory §8.1" is a section of ``docs/theory/multibody.md``; keys such as [Nunes2017] resolve in
``docs/references.md``.
"""

from biomec.multibody.assembly import assemble
from biomec.multibody.body import Body, planar_bar
from biomec.multibody.contacts import PointContacts
from biomec.multibody.description import describe_system, load_system, parse_system
from biomec.multibody.drivers import (
    AngleCoordinate,
    AngleDriver,
    CoordinateDriver,
    LengthCoordinate,
    LengthDriver,
    PointDriver,
)
from biomec.multibody.joints import (
    Cylindrical,
    Distance,
    EllipsoidContact,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    Weld,
)
from biomec.multibody.position import FrameStatus, PositionOptions, PositionResult, PositionSolver
from biomec.multibody.system import Drive, System

__all__ = [
    "AngleCoordinate",
    "AngleDriver",
    "Body",
    "CoordinateDriver",
    "Cylindrical",
    "Distance",
    "Drive",
    "EllipsoidContact",
    "FrameStatus",
    "LengthCoordinate",
    "LengthDriver",
    "PointContacts",
    "PointDriver",
    "PositionOptions",
    "PositionResult",
    "PositionSolver",
    "Prismatic",
    "Revolute",
    "Spherical",
    "System",
    "Universal",
    "Weld",
    "assemble",
    "describe_system",
    "load_system",
    "parse_system",
    "planar_bar",
]
