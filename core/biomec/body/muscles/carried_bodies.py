"""Bodies of a source that lie in no segment of Biomec but are carried along by a joint angle, such as a patella.

If a joint of the source moves such a body as a function of one coordinate over a body whose place is known, then a
point of it is a point of that other body that moves with the coordinate (theory of muscles §2.5): what a quadriceps
pulls on the patella turns the knee by the work it does. The pose X = P J(q) C⁻¹ is sampled over the range of the
coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only, rotation_about
from biomec.base.toml_table import TomlTable
from biomec.body.muscles.muscle_set import BodyMap, Muscle, SetPoint
from biomec.body.muscles.source_functions import spline_of
from biomec.engine.paths.simm_spline import curve_at, curves, simm_spline
from biomec.engine.rotations import rotation

SAMPLES = 121  # poses over the range
FEWEST_AXES = 6  # three turns, then three shifts


@dataclass(frozen=True, eq=False)
class Carrier:
    """Poses of a carried body over a body whose place is known.

    R, p : (K, 3, 3), (K, 3) attitude and origin [m] at the values (K,) [rad] of the coordinate
    """

    parent: str
    coordinate: str
    values: FloatArray
    R: FloatArray
    p: FloatArray

    def point(self, at: FloatArray) -> SetPoint:
        """The moving point of the parent that a point ``at`` (3,) of the carried body is."""
        places = self.p + self.R @ at
        rows = (read_only(simm_spline(self.values, places[:, axis])) for axis in range(3))
        return SetPoint(self.parent, read_only(places[0]), curves=tuple((self.coordinate, one) for one in rows))


def carried_bodies(top: TomlTable, maps: Mapping[str, BodyMap]) -> dict[str, Carrier]:
    """Bodies of a file without a place of their own that one coordinate moves over a body with one, by name."""
    coupled, ranges = _coupled(top), _ranges(top)
    found = {}
    for joint in top.tables("joint"):
        if not {"type", "parent", "child", "axes"} <= set(joint.values) or joint.text("type") != "CustomJoint":
            continue
        parent, child = (joint.table(end) for end in ("parent", "child"))
        if child.text("body") in maps or parent.text("body") not in maps:
            continue
        carrier = _carrier(joint, parent, child, coupled, ranges)
        if carrier is not None:
            found[child.text("body")] = carrier
    return found


def with_carried_points(muscle: Muscle, carriers: Mapping[str, Carrier]) -> Muscle:
    """A muscle whose fixed points on carried bodies move over the bodies that carry them."""
    points = tuple(
        carriers[one.body].point(one.at)
        if one.body in carriers and not one.coordinate and not any(curve is not None for curve in one.curves)
        else one
        for one in muscle.points
    )
    return replace(muscle, points=points)


def _coupled(top: TomlTable) -> dict[str, str]:
    """Coordinates that follow another one as it is -> that other one."""
    found = {}
    for table in top.tables("constraint"):
        if {"type", "independent", "dependent", "function"} <= set(table.values):
            leaders = table.texts("independent")
            function = table.table("function")
            if len(leaders) == 1 and function.text("type") == "Linear":
                slope, start = function.numbers("coefficients", (2,))
                if slope == 1.0 and start == 0.0:
                    found[table.text("dependent")] = leaders[0]
    return found


def _ranges(top: TomlTable) -> dict[str, tuple[float, float]]:
    """Coordinate -> its range [rad]."""
    found = {}
    for joint in top.tables("joint"):
        for one in joint.tables("coordinates") if "coordinates" in joint else []:
            if {"name", "range"} <= set(one.values):
                low, high = one.numbers("range", (2,))
                found[one.text("name")] = float(low), float(high)
    return found


def _carrier(
    joint: TomlTable,
    parent: TomlTable,
    child: TomlTable,
    coupled: Mapping[str, str],
    ranges: Mapping[str, tuple[float, float]],
) -> Carrier | None:
    """Poses that a joint makes; None if no or several coordinates move it, or it is not written as six axes."""
    axes, coordinates = joint.tables("axes"), joint.tables("coordinates")
    if len(axes) != FEWEST_AXES or len(coordinates) != 1:
        return None
    name = coordinates[0].text("name")
    if name not in ranges or any(set(axis.texts("coordinates")) - {name} for axis in axes):
        return None
    leader = coupled.get(name, name)
    low, high = ranges.get(leader, ranges[name])
    if not low < high:
        raise coordinates[0].refusal(f"the range of {leader}, {low:g} to {high:g}, is empty.", "range")
    values = np.linspace(max(low, -np.pi), min(high, np.pi), SAMPLES)
    R, p = np.tile(np.eye(3), (SAMPLES, 1, 1)), np.zeros((SAMPLES, 3))
    for k, axis in enumerate(axes):
        direction = axis.numbers("axis", (3,))
        if not np.linalg.norm(direction) > 0.0:
            raise axis.refusal("an axis must not be zero.", "axis")
        table = curves([spline_of(axis.table("function").values, axis, "function")])
        moved = np.array([curve_at(table, 0, value if axis.texts("coordinates") else 0.0)[0] for value in values])
        if k < FEWEST_AXES // 2:
            R = R @ np.stack([rotation_about(direction, float(one)) for one in moved])
        else:
            p = p + moved[:, None] * direction
    (A, a), (B, b) = (
        (rotation(end.numbers("orientation", (3,)), "XYZ"), end.numbers("translation", (3,))) for end in (parent, child)
    )
    turned = A @ R @ B.T
    return Carrier(parent.text("body"), leader, values, turned, a + p @ A.T - turned @ b)
