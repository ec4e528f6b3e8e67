"""Forward kinematics of the published models that muscles come from, with their own joints.

The files describe joints as OpenSim does: X_child = X_parent P J(q) C⁻¹, with P and C the offset frames in the two
bodies (body-fixed X-Y-Z). A CustomJoint turns about three axes in turn and then slides along three, each by a function
of a coordinate. The scapulothoracic joint is an ellipsoid mobiliser, turned by a right angle about z, and a pin.

Muscles of such a file can be traced over these bodies as they stand: nothing is mapped, scaled or registered, so that
lengths and moment arms can be compared with those that OpenSim computes from the same numbers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from biomec.base.arrays import FloatArray
from biomec.base.toml_table import TomlTable
from biomec.body.muscles.muscle_set import MuscleSet
from biomec.body.muscles.set_file import parse_muscle_set
from biomec.body.muscles.source_functions import spline_of
from biomec.body.muscles.transfer import Placed, cord_of, sided, surface_of
from biomec.engine.paths.cords import Coordinate, CordPaths, Cords
from biomec.engine.paths.simm_spline import Curves, curve_at, curves
from biomec.recording.marker_set import Side

Pose = tuple[FloatArray, FloatArray]
STEP = 1e-6  # [rad] of the central differences of poses: the error of a rate is about 1e-10


def _turn(x: float, y: float, z: float) -> FloatArray:
    return np.asarray(Rotation.from_euler("XYZ", [x, y, z]).as_matrix())


def _about(axis: FloatArray, angle: float) -> FloatArray:
    return np.asarray(Rotation.from_rotvec(np.asarray(axis) / np.linalg.norm(axis) * angle).as_matrix())


def _left(name: str) -> str:
    return f"{name[:-2]}_l" if name.endswith("_r") else name


def _joined(first: Pose, second: Pose) -> Pose:
    return first[0] @ second[0], first[1] + first[0] @ second[1]


def _inverse(pose: Pose) -> Pose:
    return pose[0].T, -pose[0].T @ pose[1]


@dataclass(frozen=True, eq=False)
class SourceChain:
    """A source model: its joints, its muscles, and the paths of these over its own bodies."""

    text: str
    file: str
    splines: dict[int, Curves] = field(default_factory=dict)
    depends: list[str] = field(default_factory=list)  # source coordinates, in the order of ``cords.coordinates``

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The file as it is."""
        return tomllib.loads(self.text)

    @cached_property
    def muscles(self) -> MuscleSet:
        """Its muscles as Biomec reads them."""
        return parse_muscle_set(self.text, self.file)

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names."""
        return tuple(body["name"] for body in self.tables["body"])

    @cached_property
    def defaults(self) -> dict[str, float]:
        """Coordinates in the default pose."""
        return {one["name"]: one["default"] for joint in self.tables["joint"] for one in joint.get("coordinates", [])}

    @cached_property
    def cords(self) -> Cords:
        """Paths of the right muscles, or of all of a file of both sides, over the bodies of the source.

        Left muscles are kept as right ones; here they are mirrored back onto the left bodies.
        """
        chosen = [
            one for one in self.muscles.muscles if self.tables["meta"]["sides"] == "both" or one.side is Side.RIGHT
        ]
        cords, surfaces, coordinates = [], {}, {}
        for muscle in chosen:
            place = {name: self._place(name, muscle.side) for name in (*self.bodies, "ground")}
            cords.append(cord_of(muscle, muscle.name, place))
            for use in muscle.wraps:
                wrap = muscle.source.wraps[use.wrap]
                name = sided(muscle, use.wrap)
                surfaces[name] = surface_of(name, wrap, place[wrap.body])
            for point in muscle.points:
                for name in (point.coordinate, *(curve[0] for curve in point.curves if curve)):
                    if name:
                        own = _left(name) if muscle.side is Side.LEFT else name
                        coordinates[sided(muscle, name)] = own
        ends = {key: self.joint_of(name) for key, name in coordinates.items()}
        named = (Coordinate(key, one["parent"]["body"], one["child"]["body"]) for key, one in ends.items())
        self.depends.extend(coordinates.values())
        return Cords((*self.bodies, "ground"), tuple(cords), tuple(surfaces.values()), tuple(named))

    def _place(self, body: str, side: Side | None) -> Placed:
        """A body where it is, or the left one that mirrors it."""
        mirror = side is Side.LEFT and self.tables["meta"]["sides"] == "both"
        E = np.diag([1.0, 1.0, -1.0]) if mirror else np.eye(3)
        return Placed(_left(body) if mirror else body, E, np.zeros(3), E, np.eye(3), mirror)

    def joint_of(self, coordinate: str) -> dict[str, Any]:
        """The joint that a coordinate moves."""
        for joint in self.tables["joint"]:
            if any(one["name"] == coordinate for one in joint.get("coordinates", [])):
                return dict(joint)
        raise KeyError(coordinate)

    def full(self, values: Mapping[str, float]) -> dict[str, float]:
        """All coordinates, those that are coupled to others among them."""
        q = {**dict.fromkeys(self.defaults, 0.0), **values}
        for one in self.tables.get("constraint", []):
            if one["type"] == "CoordinateCouplerConstraint":
                (leader,) = one["independent"]
                q[one["dependent"]] = self._value(one["function"], q[leader])
        return q

    def poses(self, values: Mapping[str, float]) -> tuple[FloatArray, FloatArray]:
        """Attitudes (B, 3, 3) and origins (B, 3) of all bodies and the ground, coordinates by name [rad or m]."""
        q = self.full(values)
        placed: dict[str, Pose] = {"ground": (np.eye(3), np.zeros(3))}
        waiting = list(self.tables["joint"])
        while waiting:
            joint = next(one for one in waiting if one["parent"]["body"] in placed)
            waiting.remove(joint)
            P, C = (
                (_turn(*end["orientation"]), np.array(end["translation"])) for end in (joint["parent"], joint["child"])
            )
            moved = _joined(_joined(placed[joint["parent"]["body"]], P), self._moved(joint, q))
            placed[joint["child"]["body"]] = _joined(moved, _inverse(C))
        order = (*self.bodies, "ground")
        return np.stack([placed[name][0] for name in order]), np.stack([placed[name][1] for name in order])

    def _moved(self, joint: dict[str, Any], q: Mapping[str, float]) -> Pose:
        kind, names = joint["type"], [one["name"] for one in joint.get("coordinates", [])]
        if kind == "WeldJoint":
            return np.eye(3), np.zeros(3)
        if kind == "PinJoint":
            return _turn(0.0, 0.0, q[names[0]]), np.zeros(3)
        if kind == "UniversalJoint":
            return _turn(q[names[0]], q[names[1]], 0.0), np.zeros(3)
        if kind == "ScapulothoracicJoint":
            quarter, radii = _turn(0.0, 0.0, 0.5 * np.pi), np.array(joint["thoracic_ellipsoid_radii_x_y_z"])[[1, 0, 2]]
            R = _turn(q[names[0]], q[names[1]], q[names[2]])
            gliding = _joined((quarter, np.zeros(3)), (R, radii * R[:, 2]))
            winging = _about(np.array([0.0, 1.0, 0.0]), q[names[3]])  # its axis has no offset and no turn in this file
            return _joined(_joined(gliding, (quarter.T, np.zeros(3))), (winging, np.zeros(3)))
        assert kind == "CustomJoint", kind
        R, p = np.eye(3), np.zeros(3)
        for k, row in enumerate(joint["axes"]):
            value = self._value(row["function"], q[row["coordinates"][0]] if row["coordinates"] else 0.0)
            if k < 3:
                R = R @ _about(np.array(row["axis"]), value)
            else:
                p = p + value * np.array(row["axis"])
        return R, p

    def _value(self, function: dict[str, Any], x: float) -> float:
        if id(function) not in self.splines:
            self.splines[id(function)] = curves([spline_of(function, TomlTable(self.file, {}), "function")])
        return float(curve_at(self.splines[id(function)], 0, x)[0])

    def trace(self, values: Mapping[str, float], rates: Mapping[str, float]) -> CordPaths:
        """Paths in one pose and their speeds when coordinates change at ``rates`` [1/s]."""
        R, p = self.poses(values)
        twist, cords = self._twist(values, rates), self.cords
        theta = np.array([self.full(values)[name] for name in self.depends])
        turning = np.array([self._turning(values, name) for name in self.depends]).reshape(-1, 3)
        return cords.trace(R[None], p[None], twist=twist[None], theta=theta[None], turning=turning[None])

    def _twist(self, values: Mapping[str, float], rates: Mapping[str, float]) -> FloatArray:
        """Velocities (B, 6) of the bodies' points at the laboratory's origin, angular velocities."""
        ends = [self.poses({**values, **{k: values.get(k, 0.0) + s * STEP * rate for k, rate in rates.items()}})
                for s in (1.0, -1.0)]  # fmt: skip
        R, p = self.poses(values)
        Rdot, pdot = ((ends[0][k] - ends[1][k]) / (2.0 * STEP) for k in range(2))
        spin = Rdot @ np.swapaxes(R, -1, -2)
        omega = 0.5 * np.stack([spin[:, j, k] - spin[:, k, j] for k, j in ((1, 2), (2, 0), (0, 1))], axis=-1)
        return np.concatenate([pdot - np.cross(omega, p), omega], axis=-1)

    def _turning(self, values: Mapping[str, float], name: str) -> FloatArray:
        """a (3,) with θ̇ = a·(ω_child − ω_parent), whatever other coordinates of the joint do."""
        joint = self.joint_of(name)
        ends = [(*self.bodies, "ground").index(joint[end]["body"]) for end in ("parent", "child")]
        own = [one["name"] for one in joint["coordinates"]]
        columns = [(twist := self._twist(values, {one: 1.0}))[ends[1], 3:] - twist[ends[0], 3:] for one in own]
        return np.asarray(np.linalg.pinv(np.array(columns).T)[own.index(name)])

    def lengths(self, values: Mapping[str, float]) -> CordPaths:
        """Paths in one pose, without speeds."""
        R, p = self.poses(values)
        q, cords = self.full(values), self.cords
        return cords.trace(R[None], p[None], theta=np.array([[q[name] for name in self.depends]]))

    def arms(self, values: Mapping[str, float], coordinate: str) -> tuple[FloatArray, FloatArray]:
        """Lengths (M,) [m] and moment arms (M,) r = −dL/dθ of the right muscles [m/rad]."""
        paths = self.trace(values, {coordinate: 1.0})
        return np.asarray(paths.length[0]), np.asarray(-paths.speed[0])


GIRDLE = ("clav_prot", "clav_elev", "scapula_abduction", "scapula_elevation", "scapula_upward_rot", "scapula_winging")


class ShoulderChain(SourceChain):
    """The thoracoscapular shoulder, whose collar bone and shoulder blade meet in a point: a closed loop.

    OpenSim closes it by the smallest change of the coordinates. Speeds of the shoulder blade are not rates of its
    angles but components of its angular velocity about the axes of the ellipsoid's frame. Moment arms are of motions
    that obey the loop: of unit speed of one coordinate, projected with the least change of all of them.
    """

    def gap(self, values: Mapping[str, float]) -> FloatArray:
        """Distance (3,) of the two points that are one [m]."""
        (loop,) = [one for one in self.tables["constraint"] if one["type"] == "PointConstraint"]
        R, p = self.poses(values)
        ends = []
        for k in (1, 2):
            body = self.bodies.index(loop[f"socket_body_{k}"].rsplit("/", 1)[-1])
            ends.append(p[body] + R[body] @ np.array([float(one) for one in loop[f"location_body_{k}"].split()]))
        return np.asarray(ends[0] - ends[1])

    def _gap_rates(self, values: Mapping[str, float]) -> FloatArray:
        """(3, 6) of the coordinates of the girdle."""
        columns = [
            (self.gap({**values, name: values[name] + STEP}) - self.gap({**values, name: values[name] - STEP}))
            for name in GIRDLE
        ]
        return np.asarray(np.stack(columns, axis=1) / (2.0 * STEP))

    def closed(self, values: Mapping[str, float]) -> dict[str, float]:
        """Coordinates with the loop closed, nearest to those given."""
        start = np.array([values[name] for name in GIRDLE])
        x = start.copy()
        for _ in range(6):
            now = {**values, **dict(zip(GIRDLE, x, strict=True))}
            J, error = self._gap_rates(now), self.gap(now)
            back = start - x
            x = x + back - np.linalg.pinv(J) @ (error + J @ back)
        return {**values, **{name: float(one) for name, one in zip(GIRDLE, x, strict=True)}}

    def rates(self, values: Mapping[str, float], coordinate: str) -> dict[str, float]:
        """Rates of the girdle's coordinates at unit speed of one of the shoulder blade."""
        first, second = (values[name] for name in GIRDLE[2:4])
        E = np.stack([np.eye(3)[0], _turn(first, 0, 0)[:, 1], _turn(first, second, 0)[:, 2]], axis=1)  # ω = E q̇
        T = np.eye(6)
        T[2:5, 2:5] = np.linalg.inv(E)
        J, k = self._gap_rates(values) @ T, GIRDLE.index(coordinate)
        u = np.eye(6)[k] - np.linalg.pinv(J) @ J[:, k]
        return dict(zip(GIRDLE, (T @ u / u[k]).tolist(), strict=True))
