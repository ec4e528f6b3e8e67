"""Multibody mechanics in natural coordinates: bodies, joints, forces, systems and solvers. Knows nothing of people.

In the docstrings "theory §8.1" is a section of ``docs/theory/multibody.md``; keys such as [Nunes2017] resolve in
``docs/references.md``.
"""

from biomec.multibody.analysis import accelerations, follow_drivers, velocities
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
from biomec.multibody.nullspace import null_space, partition_coordinates
from biomec.multibody.position import FrameStatus, PositionOptions, PositionResult, PositionSolver
from biomec.multibody.projection import ProjectionOptions, Projector
from biomec.multibody.system import Drive, System
from biomec.multibody.targets import PointTargets

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
    "PointTargets",
    "PositionOptions",
    "PositionResult",
    "PositionSolver",
    "Prismatic",
    "ProjectionOptions",
    "Projector",
    "Revolute",
    "Spherical",
    "System",
    "Universal",
    "Weld",
    "accelerations",
    "assemble",
    "describe_system",
    "follow_drivers",
    "load_system",
    "null_space",
    "parse_system",
    "partition_coordinates",
    "planar_bar",
    "velocities",
]
