"""Multibody mechanics in natural coordinates: bodies, joints, forces, systems and solvers. Knows nothing of people.

In the docstrings "theory §8.1" is a section of ``docs/theory/multibody.md``; keys such as [Nunes2017] resolve in
``docs/references.md``.
"""

from biomec.engine.body import Body, planar_bar
from biomec.engine.contacts import PointContacts
from biomec.engine.description import describe_system, load_system, parse_system
from biomec.engine.driven_motion import accelerations, assemble, follow_drivers, velocities
from biomec.engine.drivers import (
    AngleCoordinate,
    AngleDriver,
    CoordinateDriver,
    LengthCoordinate,
    LengthDriver,
    PointDriver,
)
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
from biomec.engine.position import FrameStatus, PositionOptions, PositionResult, PositionSolver
from biomec.engine.projection import ProjectionOptions, Projector
from biomec.engine.structure import null_space, partition_coordinates
from biomec.engine.system import Drive, System
from biomec.engine.targets import PointTargets

__all__ = ["AngleCoordinate", "AngleDriver", "Body", "CoordinateDriver", "Cylindrical", "Distance", "Drive",
           "EllipsoidContact", "FrameStatus", "Free", "LengthCoordinate", "LengthDriver", "PointContacts",
           "PointDriver", "PointTargets", "PositionOptions", "PositionResult", "PositionSolver", "Prismatic",
           "ProjectionOptions", "Projector", "Revolute", "Spherical", "System", "Universal", "Weld", "accelerations",
           "assemble", "describe_system", "follow_drivers", "load_system", "null_space", "parse_system",
           "partition_coordinates", "planar_bar", "velocities"]  # fmt: skip
