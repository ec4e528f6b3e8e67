"""A body as sticks and joints, drawn from its anatomical points."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec_app.viewer.actors import Instances, SurfaceActor
from biomec_app.viewer.meshes import cylinder, sphere
from biomec_app.viewer.poses import ScenePose, ScenePoses

BONE, JOINT = 0.0095, 0.0190  # m, radii of sticks and joints


class Sticks:
    """Sticks between the points that the model draws lines between, and balls at its joints.

    colours   : segment -> colour
    thickness : 1 for a body that is drawn as sticks alone
    through   : how far behind other things they shine through [m], see `SurfaceActor`
    """

    def __init__(
        self,
        poses: ScenePoses,
        colours: Mapping[str, str],
        opacity: float = 1.0,
        thickness: float = 1.0,
        through: float = 0.0,
    ) -> None:
        self._poses, self._thickness = poses, thickness
        body = poses.body
        self._pairs, owners = drawn_lines(poses)
        self._owners = np.array([poses.segments.index(name) for name in owners], dtype=np.int64)
        there = {constraint.name for constraint in body.system.constraints}
        joints = [joint for joint in body.model.joints if joint.name in there]
        column = {name: k for k, name in enumerate(poses.names)}
        self._joints = [column[f"{joint.distal}.{joint.centre}"] for joint in joints]
        self._ends = np.unique(self._pairs)
        by_point = {int(k): colours[owner] for pair, owner in zip(self._pairs, owners, strict=True) for k in pair}
        look = {"opacity": opacity, "through": through}
        self._bones = Instances(cylinder(10), len(owners), colours=[colours[name] for name in owners], **look)
        self._tips = Instances(sphere(6, 10), len(self._ends), colours=[by_point[int(k)] for k in self._ends], **look)
        self._balls = Instances(sphere(9, 14), len(joints), colours=[colours[j.distal] for j in joints], **look)
        self.surfaces: list[SurfaceActor] = [self._bones, self._tips, self._balls]

    def update(self, pose: ScenePose | None) -> None:
        """Put the body into a pose; without one nothing is seen of it."""
        points = np.full((len(self._poses.names), 3), np.nan) if pose is None else pose.points
        starts, ends = points[self._pairs[:, 0]], points[self._pairs[:, 1]]
        both = np.isfinite(starts[:, 0]) & np.isfinite(ends[:, 0])
        self._bones.span(np.where(both[:, None], starts, np.nan), ends, BONE * self._thickness)
        self._tips.place(points[self._ends], BONE * self._thickness)
        self._balls.place(points[self._joints], JOINT * self._thickness)

    def lines(self, pose: ScenePose) -> tuple[FloatArray, FloatArray, IntArray]:
        """Starts and ends (N, 3) of the sticks, and the segment (N,) of each."""
        return pose.points[self._pairs[:, 0]], pose.points[self._pairs[:, 1]], self._owners


def drawn_lines(poses: ScenePoses) -> tuple[IntArray, list[str]]:
    """(N, 2) points in `Poses.names` between which the model draws lines, and the segment of each line."""
    column = {name: k for k, name in enumerate(poses.names)}
    anywhere = {name.partition(".")[2]: k for name, k in reversed(column.items())}
    pairs: list[tuple[int, int]] = []
    owners: list[str] = []
    for segment in poses.body.segments:
        for line in segment.draw:
            found = [column.get(f"{segment.name}.{name}", anywhere.get(name)) for name in line]
            known = [k for k in found if k is not None]
            pairs += list(pairwise(known))
            owners += [segment.name] * max(0, len(known) - 1)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2), owners
