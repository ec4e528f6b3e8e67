"""What lies under the mouse: a point near it, or the segment whose surface it touches. Plain arithmetic, no window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec_app.kit.words import point_words, with_code
from biomec_app.session.camera import Camera
from biomec_app.viewer.overlays.points import RADIUS, UNDER_SKIN, anatomical, technical
from biomec_app.viewer.scene import Scene

NEAR = 9.0  # pixels around the mouse
EDGE = 2.0  # pixels around a muscle
BEHIND = 7.0  # pixels by which a point behind the see-through body counts as farther from the mouse


@dataclass(frozen=True)
class Picked:
    """What was picked: a point (``segment.landmark`` or a marker) with its segment, or a segment only.

    words : its name in words
    muscle : a muscle, by its name in the set
    """

    segment: str | None
    point: str | None
    place: FloatArray
    words: str
    muscle: str | None = None


def told(scene: Scene, name: str) -> str:
    """A point ``segment.landmark`` or a marker in words and as its code: "Acromial angle, right (AA_D)"."""
    code = name.partition(".")[2] or name
    words = with_code(code, point_words(code, scene.poses.marker_set))
    return words if words == code else words[:1].upper() + words[1:]


def pickable(scene: Scene, everything: bool = False) -> tuple[list[str], FloatArray]:
    """Names (P,) and places (P, 3) [m] of the points that are shown; ``everything``: also of landmarks that are not."""
    poses, moment, shown = scene.poses, scene.moment, scene.view.overlays
    names: list[str] = []
    places: list[FloatArray] = [np.zeros((0, 3))]
    if moment.pose is None:
        names += poses.markers.names
        places.append(moment.markers)
        return names, np.concatenate(places)
    if everything or "anatomical points" in shown:
        columns = anatomical(poses)
        names += [poses.names[k] for k in columns]
        places.append(moment.pose.points[columns])
    if everything or shown & {"technical points", "marker names"}:
        extra = technical(poses)
        names += [poses.markers.names[k] for k in extra]
        places.append(moment.markers[extra])
    return names, np.concatenate(places)


def place_of(scene: Scene, name: str) -> FloatArray | None:
    """(3,) where a point ``segment.landmark`` or a marker is now; None if that is not known."""
    poses, moment = scene.poses, scene.moment
    if name in poses.markers.names:
        place = moment.markers[poses.markers.index(name)]
    elif moment.pose is not None and name in poses.names:
        place = moment.pose.points[poses.names.index(name)]
    else:
        return None
    return place if np.isfinite(place).all() else None


def pick(
    scene: Scene, camera: Camera, x: float, y: float, size: tuple[float, float], *, points_only: bool = False
) -> Picked | None:
    """What is seen at a pixel: the nearest point within reach of the mouse, or else the segment there.

    Points that the body hides are not picked; where it is see-through, those before it and within it come first.
    """
    names, places = pickable(scene, everything=points_only)
    if names:
        pixels, depth = camera.project(places, size)
        away = np.hypot(pixels[:, 0] - x, pixels[:, 1] - y)
        near = np.flatnonzero(away < (2.0 * NEAR if points_only else NEAR))
        hidden = _hidden(scene, camera, places[near])
        if not scene.see_through:
            near, hidden = near[~hidden], hidden[~hidden]
        if near.size:
            nearest = np.nanmin(depth[near])
            best = int(near[np.argmin(away[near] + BEHIND * hidden + 4.0 * (depth[near] - nearest))])
            return Picked(_segment_of(scene, names[best]), names[best], places[best], told(scene, names[best]))
    if points_only:
        return None
    return _muscle(scene, camera, x, y, size) or _segment(scene, camera, x, y, size)


def _muscle(scene: Scene, camera: Camera, x: float, y: float, size: tuple[float, float]) -> Picked | None:
    """The muscle under a pixel; of several the one nearest to the eye."""
    best: tuple[float, Picked] | None = None
    for handles in scene.handles():
        count, stations, _ = handles.lines.shape
        pixels, depth = camera.project(handles.lines.reshape(-1, 3), size)
        pixels, depth = pixels.reshape(count, stations, 2), depth.reshape(count, stations)
        start, along = pixels[:, :-1], np.diff(pixels, axis=1)
        square = np.maximum(np.einsum("mki,mki->mk", along, along), 1e-9)
        part = np.clip(np.einsum("mki,mki->mk", (x, y) - start, along) / square, 0.0, 1.0)
        away = np.linalg.norm(start + part[..., None] * along - (x, y), axis=2)
        middle = 0.5 * (depth[:, 1:] + depth[:, :-1])
        wide = handles.radii[:, None] * size[1] / (2.0 * camera.half_height()) + EDGE
        touched = np.where(np.isfinite(away) & (away <= wide), middle, np.inf)
        if not touched.size or not np.isfinite(touched.min()):
            continue
        m, k = np.unravel_index(int(touched.argmin()), touched.shape)
        if best is None or touched[m, k] < best[0]:
            picked = Picked(None, None, handles.lines[m, k], handles.words[m], handles.names[m])
            best = float(touched[m, k]), picked
    return None if best is None else best[1]


def _hidden(scene: Scene, camera: Camera, places: FloatArray) -> BoolArray:
    """(P,) whether places (P, 3) lie deeper below the skin than what shines through it."""
    hidden = np.zeros(len(places), dtype=bool)
    corners = scene.figure.triangles()[0] if scene.figure is not None and len(places) else np.zeros((0, 3, 3))
    if len(corners):
        for k, place in enumerate(places):  # only the few near the mouse
            way = place - camera.eye
            distance = float(np.linalg.norm(way))
            hidden[k] = _ray_hits(camera.eye, way / distance, corners).min() < distance - UNDER_SKIN - RADIUS
    return hidden


def _segment_of(scene: Scene, name: str) -> str | None:
    segment, dot, _ = name.partition(".")
    if dot:
        return segment
    return scene.poses.body.followed.get(name) if scene.poses.has_body else None


def _segment(scene: Scene, camera: Camera, x: float, y: float, size: tuple[float, float]) -> Picked | None:
    figure, pose = scene.figure, scene.moment.pose
    if figure is None or pose is None:
        return None
    corners, owners = figure.triangles()
    if len(corners):
        distance = _ray_hits(camera.eye, camera.ray(x, y, size), corners)
        best = int(np.argmin(distance))
        if np.isfinite(distance[best]):
            place = camera.eye + distance[best] * camera.ray(x, y, size)
            return _whole(scene.poses.segments[owners[best]], place)
        return None
    starts, ends, owners = figure.sticks(pose)
    a, b = camera.project(starts, size)[0], camera.project(ends, size)[0]
    along = b - a
    square = np.maximum(np.einsum("ij,ij->i", along, along), 1e-9)
    part = np.clip(np.einsum("ij,ij->i", np.array([x, y]) - a, along) / square, 0.0, 1.0)
    away = np.linalg.norm(a + part[:, None] * along - (x, y), axis=1)
    if not len(away) or not np.isfinite(away).any() or np.nanmin(away) > NEAR:
        return None
    best = int(np.nanargmin(away))
    return _whole(scene.poses.segments[owners[best]], starts[best] + part[best] * (ends[best] - starts[best]))


def _whole(segment: str, place: FloatArray) -> Picked:
    return Picked(segment, None, place, segment.capitalize())


def _ray_hits(eye: FloatArray, ray: FloatArray, corners: FloatArray) -> FloatArray:
    """(F,) distance [m] along a ray to triangles (F, 3, 3); infinite for those that it misses.

    With edges u, v and the ray d from o: o + t d = a + β u + γ v is solved by Cramer's rule.
    """
    a = corners[:, 0]
    u, v = corners[:, 1] - a, corners[:, 2] - a
    across = np.cross(ray, v)
    volume = np.einsum("ij,ij->i", u, across)
    flat = np.abs(volume) < 1e-14
    safe = np.where(flat, 1.0, volume)
    from_a = eye - a
    beta = np.einsum("ij,ij->i", from_a, across) / safe
    other = np.cross(from_a, u)
    gamma = other @ ray / safe
    t = np.einsum("ij,ij->i", v, other) / safe
    hit = ~flat & (beta >= 0.0) & (gamma >= 0.0) & (beta + gamma <= 1.0) & (t > 0.0)
    return np.where(hit, t, np.inf)
