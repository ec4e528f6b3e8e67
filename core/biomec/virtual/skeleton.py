"""The person's skeleton as joints that turn: segments are placed one on another, with exact velocities.

Everything is relative to the standing pose, in laboratory axes: a segment is placed by its turn away from standing
and by one point. A joint's turn is applied *in* the standing pose, so that E_distal = E_proximal T with T about axes
that are known once and for all. Nothing here uses the constraint equations, so that it checks them independently.

Clavicle and scapula glide on the thorax, from three curves a side. The clavicle follows two of them (protraction,
elevation). Two points of the scapula stay on their ellipsoids, which leaves the scapula one freedom of its own: its
upward rotation, given as the sine of the angle between the axis from TE to AA and the plane normal to the long axis of
the thorax.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.engine.body import Body
from biomec.engine.joint_kinds import TREE_JOINTS
from biomec.engine.joints import EllipsoidContact
from biomec.engine.system import System
from biomec.virtual.jets import Jet, applied, dot, sine, solved, stacked, turn

X, Y, Z = read_only([1.0, 0.0, 0.0]), read_only([0.0, 1.0, 0.0]), read_only([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Placed:
    """A segment somewhere: its turn away from standing (T, 3, 3), and where one of its points is.

    stood : (3,) place of that point in the standing pose [m]
    now   : (T, 3) its place [m]
    """

    turn: Jet
    stood: FloatArray
    now: Jet

    def point(self, stood: FloatArray) -> Jet:
        """Place (T, 3) of the material point that stands at ``stood`` (3,) or (T, 3)."""
        return self.now + applied(self.turn, stood - self.stood)

    def direction(self, stood: FloatArray) -> Jet:
        """Direction (T, 3) of what points along ``stood`` (3,) in the standing pose."""
        return applied(self.turn, stood)

    def up_to(self, order: int) -> Placed:
        """The same with no derivatives beyond ``order``."""
        return Placed(self.turn.up_to(order), self.stood, self.now.up_to(order))

    def carrying(self, other: Placed) -> Placed:
        """A segment that was placed while this one stood still (`STANDING`), now that this one has moved."""
        there = other.up_to(self.turn.order)
        return Placed(self.turn @ there.turn, there.stood, self.point(np.zeros(3)) + applied(self.turn, there.now))


STANDING = Placed(Jet.still(np.eye(3)), np.zeros(3), Jet.still(np.zeros(3)))


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint in the standing pose: its centre (3,) [m] and the axes (3,) about which it turns, proximal first."""

    name: str
    proximal: str
    distal: str
    centre: FloatArray
    axes: tuple[FloatArray, ...]

    def turned(self, *angles: Jet) -> Jet:
        """Turn (T, 3, 3) of the distal segment by angles (T,) [rad] about the axes, in their order.

        A universal joint turns first about the axis of the proximal, then about that of the distal segment, which
        keeps the angle between them. A ball joint turns about Z, X and Y.
        """
        if len(angles) > len(self.axes):
            raise BiomecError(f"Joint {self.name} turns about {len(self.axes)} axes; {len(angles)} angles were given.")
        result = turn(self.axes[0], angles[0])
        for axis, angle in zip(self.axes[1:], angles[1:], strict=False):
            result = result @ turn(axis, angle)
        return result

    def outwards(self, proximal: Placed, turned: Jet) -> Placed:
        """The distal segment on a placed proximal one."""
        return Placed(proximal.turn @ turned, self.centre, proximal.point(self.centre))

    def inwards(self, distal: Placed, turned: Jet) -> Placed:
        """The proximal segment on a placed distal one."""
        return Placed(distal.turn @ turned.transposed, self.centre, distal.point(self.centre))


@dataclass(frozen=True, eq=False)
class Surface:
    """An ellipsoid fixed in a segment, and the point of another one that glides on it; standing pose, laboratory axes.

    centre, point : (3,) [m]
    shape         : (3, 3) H of dᵀ H d = 1 [1/m²]
    """

    on: str
    segment: str
    centre: FloatArray
    point: FloatArray
    shape: FloatArray


class Skeleton:
    """Joints, ellipsoids and bodies of a person's system, in the standing pose.

    system : its reference poses are the standing pose
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.bodies: Mapping[str, Body] = system.layout.bodies
        joints, surfaces = {}, {}
        for item in system.constraints:
            if isinstance(item, TREE_JOINTS):
                axes = tuple(self.direction(axis) for axis in item.turning)
                joints[item.name] = self._joint(item, axes or (Z, X, Y))
            elif isinstance(item, EllipsoidContact):
                surfaces[item.name] = self._surface(item)
        self.joints: Mapping[str, Joint] = FrozenDict(joints)
        self.surfaces: Mapping[str, Surface] = FrozenDict(surfaces)

    def _joint(self, item: Any, axes: tuple[FloatArray, ...]) -> Joint:
        ends = (item.proximal.partition(".")[0], item.distal.partition(".")[0])
        return Joint(item.name, *ends, self.point(item.proximal), axes)

    def _surface(self, item: EllipsoidContact) -> Surface:
        on, segment = item.centre.partition(".")[0], item.point.partition(".")[0]
        A_c = np.eye(3) if item.attitude is None else np.asarray(item.attitude)
        to_ellipsoid = A_c @ self.bodies[on].attitude_matrix.T
        shape = to_ellipsoid.T @ np.diag(np.asarray(item.radii) ** -2.0) @ to_ellipsoid
        return Surface(on, segment, self.point(item.centre), self.point(item.point), shape)

    def point(self, reference: str) -> FloatArray:
        """Standing place (3,) of ``segment.point`` [m]."""
        return np.asarray(self.system.layout.point(reference)(self.system.reference))

    def direction(self, reference: str) -> FloatArray:
        """Standing direction (3,) of ``segment.vector``."""
        return np.asarray(self.system.layout.vector(reference)(self.system.reference))

    def coordinates(self, placed: Mapping[str, Placed]) -> Jet:
        """Natural coordinates, velocities and accelerations (T, n) of placed segments."""
        missing = sorted(set(self.bodies) - set(placed))
        if missing:
            raise BiomecError(f"The posture does not say where {', '.join(missing)} is.")
        frames = len(next(iter(placed.values())).now.value)
        order = min(min(one.now.order, one.turn.order) for one in placed.values())
        levels = [np.empty((frames, self.system.n)) for _ in range(order + 1)]
        for name, body in self.bodies.items():
            columns = self.system.layout.columns(name).reshape(-1, 3)
            for element, where in zip(body.basis, columns, strict=True):
                if element in body.points:
                    jet = placed[name].point(self.point(f"{name}.{element}"))
                else:
                    jet = placed[name].direction(self.direction(f"{name}.{element}"))
                for level, part in zip(levels, jet.parts, strict=False):
                    level[:, where] = part
        return Jet(tuple(levels))


# ------------------------------------------------------------------------------------------------------ shoulder girdle


@dataclass(frozen=True, eq=False)
class GirdleCurves:
    """How the girdle of one side moves, away from standing [rad], each (T,): mirror images have equal values."""

    protraction: Jet
    elevation: Jet
    upward_rotation: Jet


def placed_girdle(skeleton: Skeleton, side: str, curves: GirdleCurves) -> dict[str, Placed]:
    """Clavicle and scapula of a side ("right" or "left"), gliding on the ellipsoids of a thorax that stands still."""
    s = 1.0 if side == "right" else -1.0
    sternoclavicular = skeleton.joints[f"{side} sternoclavicular"]
    acromioclavicular = skeleton.joints[f"{side} acromioclavicular"]
    turned = sternoclavicular.turned(s * curves.protraction, -s * curves.elevation)
    clavicle = sternoclavicular.outwards(STANDING, turned)
    surfaces = [surface for surface in skeleton.surfaces.values() if surface.segment == f"{side} scapula"]
    spine = skeleton.direction(f"{side} scapula.z")
    up = skeleton.direction("thorax.y")
    angle_0 = float(np.arcsin(s * spine @ up))

    def equations(x: Jet) -> Jet:
        scapula = acromioclavicular.outwards(clavicle, acromioclavicular.turned(x[:, 0], x[:, 1], x[:, 2]))
        rows = []
        for surface in surfaces:
            d = scapula.point(surface.point) - surface.centre
            rows.append(0.5 * dot(d, d.mapped(lambda part, H=surface.shape: part @ H)) - 0.5)  # type: ignore[misc]
        tilt = s * scapula.direction(spine).mapped(lambda part: np.asarray(part @ up))
        return stacked(*rows, tilt - sine(curves.upward_rotation + angle_0).up_to(tilt.order))

    frames = len(curves.protraction.value)
    x = solved(equations, np.zeros((frames, 3)))
    scapula = acromioclavicular.outwards(clavicle, acromioclavicular.turned(x[:, 0], x[:, 1], x[:, 2]))
    return {f"{side} clavicle": clavicle, f"{side} scapula": scapula}
