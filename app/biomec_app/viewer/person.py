"""The shape of a person: rounded surfaces over the landmarks of a subject's model, fixed in its segments.

Proportions are rough anthropometry for drawing only; nothing is computed from them. Radii are those of a person of
1.75 m and 70 kg; other people are thicker or thinner by the square root of their mass for their height.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from biomec.anatomy.model import SegmentDefinition
from biomec.anatomy.subject_model import SubjectModel
from biomec.arrays import FloatArray
from biomec_app.viewer.meshes import Mesh, ellipsoid, joined, loft

SECTORS = 16
Stations = list[
    tuple[float, float, float, float]
]  # part of the way, half-width sideways, half-depth, shift forward [m]

THIGH: Stations = [(-0.06, 0.060, 0.060, 0.0), (0.02, 0.080, 0.084, 0.0), (0.18, 0.082, 0.088, 0.002),
                   (0.45, 0.070, 0.076, 0.006), (0.75, 0.055, 0.060, 0.004), (0.92, 0.052, 0.054, 0.0),
                   (1.0, 0.050, 0.053, 0.004), (1.06, 0.044, 0.044, 0.002)]  # fmt: skip
SHANK: Stations = [(-0.05, 0.040, 0.040, 0.0), (0.02, 0.048, 0.050, 0.002), (0.14, 0.048, 0.052, -0.008),
                   (0.30, 0.052, 0.056, -0.014), (0.50, 0.044, 0.047, -0.011), (0.75, 0.033, 0.036, -0.004),
                   (0.92, 0.031, 0.034, 0.0), (1.03, 0.033, 0.036, 0.0)]  # fmt: skip
HUMERUS: Stations = [(-0.12, 0.038, 0.040, 0.0), (-0.04, 0.052, 0.055, 0.0), (0.10, 0.054, 0.058, 0.0),
                     (0.30, 0.046, 0.052, 0.002), (0.55, 0.041, 0.047, 0.004), (0.85, 0.036, 0.036, 0.0),
                     (1.0, 0.037, 0.034, 0.0), (1.05, 0.031, 0.029, 0.0)]  # fmt: skip
FOREARM: Stations = [(-0.06, 0.030, 0.028, 0.0), (0.04, 0.041, 0.036, 0.0), (0.22, 0.042, 0.038, 0.0),
                     (0.55, 0.033, 0.031, 0.0), (0.85, 0.027, 0.022, 0.0), (1.02, 0.027, 0.021, 0.0)]  # fmt: skip
HALF_FOREARM: Stations = [(-0.06, 0.022, 0.024, 0.0), (0.04, 0.030, 0.032, 0.0), (0.22, 0.031, 0.034, 0.0),
                          (0.55, 0.025, 0.028, 0.0), (0.85, 0.018, 0.021, 0.0), (1.02, 0.016, 0.019, 0.0)]  # fmt: skip
HAND: Stations = [(-0.10, 0.020, 0.017, 0.0), (0.15, 0.030, 0.019, 0.0), (0.55, 0.039, 0.017, 0.0),
                  (1.0, 0.041, 0.014, 0.0), (1.45, 0.037, 0.011, 0.0), (1.85, 0.027, 0.009, 0.0)]  # fmt: skip
FOOT: Stations = [(0.0, 0.022, 0.024, 0.0), (0.07, 0.030, 0.034, 0.0), (0.20, 0.033, 0.046, 0.0),
                  (0.34, 0.035, 0.047, 0.0), (0.52, 0.038, 0.034, 0.0), (0.72, 0.045, 0.023, 0.0),
                  (0.88, 0.044, 0.016, 0.0), (0.97, 0.032, 0.011, 0.0)]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Part:
    """A segment as it is drawn: its name, and a surface in its local axes [m]."""

    segment: SegmentDefinition
    mesh: Mesh


@dataclass(frozen=True, eq=False)
class _Local:
    """A segment in its own axes: landmarks of the static pose, and how large the person is.

    height, girth : relative to a person of 1.75 m and 70 kg
    """

    segment: SegmentDefinition
    static: Mapping[str, FloatArray]
    origin: FloatArray
    attitude: FloatArray
    height: float
    girth: float

    def __contains__(self, name: str) -> bool:
        return name in self.static and bool(np.isfinite(self.static[name]).all())

    def __getitem__(self, name: str) -> FloatArray:
        return np.asarray(self.attitude.T @ (np.asarray(self.static[name]) - self.origin))

    def first(self, *names: str) -> FloatArray | None:
        """The first of these landmarks that is known; a star stands for the side."""
        code = {None: "", "right": "D", "left": "E"}[self.segment.side]
        found = [name.replace("*", code) for name in names if name.replace("*", code) in self]
        return self[found[0]] if found else None

    def mean(self, *names: str) -> FloatArray | None:
        """The middle of those that are known."""
        found = [point for name in names if (point := self.first(name)) is not None]
        return np.mean(found, axis=0) if found else None

    @property
    def side(self) -> float:
        """−1 on the left side."""
        return self.segment.sign


def person(body: SubjectModel) -> tuple[Part, ...]:
    """Surfaces of all segments of a subject."""
    height = float(body.measures.get("height", 1.75))
    mass = float(body.measures.get("mass", 70.0))
    tall, girth = height / 1.75, float(np.clip(np.sqrt(mass / height / 40.0), 0.6, 1.7))
    parts = []
    for segment in body.segments:
        rigid = body.system.layout.bodies[segment.name]
        place = np.asarray(rigid.position, dtype=np.float64)
        local = _Local(segment, body.static, place, np.asarray(rigid.attitude), tall, girth)
        shape = SHAPES.get(segment.name.removeprefix("right ").removeprefix("left "))
        mesh = shape(local) if shape is not None else None
        parts.append(Part(segment, mesh if mesh is not None else _sticks(local)))
    return tuple(parts)


def inertia_ellipsoids(body: SubjectModel) -> tuple[Part, ...]:
    """Every segment as the solid ellipsoid of even density that has its mass and inertia; thin where it has none.

    Half axes a, b, c of a solid with mass m: J_x = m (b² + c²) / 5, so a² = 5 (J_y + J_z − J_x) / 2m.
    """
    parts = []
    for part in person(body):
        rigid = body.system.layout.bodies[part.segment.name]
        if rigid.mass > 0.0 and rigid.inertia is not None:
            moments, axes = np.linalg.eigh(np.asarray(rigid.inertia))
            square = 2.5 * (moments.sum() - 2.0 * moments) / rigid.mass
            radii = np.sqrt(np.maximum(square, 0.005**2))
            centre = np.asarray(rigid.points["com"])
            part = Part(part.segment, ellipsoid(centre, axes * np.linalg.det(axes), radii, 12, SECTORS))
        parts.append(part)
    return tuple(parts)


# --------------------------------------------------------------------------------------------------------------- pieces
def _limb(
    here: _Local, start: FloatArray, end: FloatArray, stations: Stations, sideways: FloatArray | None = None
) -> Mesh | None:
    """Surface along the line from start to end; its depth is along the segment's X, or across ``sideways``."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length < 1e-3:
        return None
    y = along / length
    z = np.array([0.0, 0.0, 1.0]) if sideways is None else sideways
    x = np.cross(y, z)
    if np.linalg.norm(x) < 1e-3:
        return None
    x /= np.linalg.norm(x)
    if sideways is None and x[0] < 0.0:
        x = -x
    basis = np.stack([x, y, np.cross(x, y)], axis=1)
    t, wide, deep, shift = np.array(stations).T
    wide, deep = wide * here.girth, deep * here.girth
    heights = t * length
    ends = heights[0] - 0.5 * wide[0], heights[-1] + 0.5 * wide[-1]
    middles = np.stack([shift * here.girth, 0.0 * shift], axis=1)
    mesh = loft(heights, wide, deep, sectors=SECTORS, ends=ends, middles=middles)
    return Mesh(mesh.points @ basis.T + start, mesh.normals @ basis.T, mesh.faces)


def _between(start: str, end: str, stations: Stations) -> Callable[[_Local], Mesh | None]:
    def shape(here: _Local) -> Mesh | None:
        a, b = here.first(start), here.first(end)
        return None if a is None or b is None else _limb(here, a, b, stations)

    return shape


def _head(here: _Local) -> Mesh | None:
    base = here.first("CAC", "C7")
    if base is None:
        return None
    top = here.first("VC")
    front = here.mean("GLAB") if "GLAB" in here else here.mean("FHD_D", "FHD_E")
    s = here.height
    if top is None:
        level = here.mean("FHD_D", "FHD_E", "BHD_D", "BHD_E")
        top = base + np.array([0.0, 0.26 * s, 0.0]) if level is None else level + np.array([0.0, 0.085 * s, 0.0])
    y = (top - base) / np.linalg.norm(top - base)
    x = np.array([1.0, 0.0, 0.0]) if front is None else front - base
    x = x - (x @ y) * y
    x /= np.linalg.norm(x)
    axes = np.stack([x, y, np.cross(x, y)], axis=1)
    ahead = 0.0 if front is None else float((front - base) @ x) - 0.085 * s
    skull = top - 0.112 * s * y + (ahead + 0.002 * s) * x
    jaw = top - 0.168 * s * y + (ahead + 0.030 * s) * x
    nose = top - 0.135 * s * y + (ahead + 0.097 * s) * x
    pieces = [
        ellipsoid(skull, axes, s * np.array([0.098, 0.112, 0.077]), 12, SECTORS),
        ellipsoid(jaw, axes, s * np.array([0.060, 0.072, 0.057]), 10, SECTORS),
        ellipsoid(nose, axes, s * np.array([0.016, 0.022, 0.011]), 6, 8),
    ]
    for side in (-1.0, 1.0):
        ear = skull - 0.018 * s * y - 0.006 * s * x + side * 0.076 * s * axes[:, 2]
        pieces.append(ellipsoid(ear, axes, s * np.array([0.018, 0.030, 0.009]), 6, 8))
    neck = _limb(here, base - 0.03 * s * y, skull - 0.03 * s * y, [(k, 0.054, 0.056, 0.0) for k in (0.0, 0.5, 1.0)])
    return joined([*pieces, neck] if neck is not None else pieces)


def _thorax(here: _Local) -> Mesh | None:
    s, g = here.height, here.girth
    notch = here.first("IJ")
    if notch is None:
        return None
    neck = here.first("C7", "PTS")
    neck = notch + np.array([-0.12 * s, 0.06 * s, 0.0]) if neck is None else neck
    sternum = here.first("PX", "PTI")
    sternum = notch + np.array([0.02 * s, -0.17 * s, 0.0]) if sternum is None else sternum
    back = here.first("T8")
    back = sternum - np.array([0.21 * s, 0.0, 0.0]) if back is None else back
    waist = here.first("CAL")
    waist = 0.5 * (sternum + back) - np.array([0.02 * s, 0.24 * s, 0.0]) if waist is None else waist
    shoulders = [here[name] for name in ("GU_D", "GU_E") if name in here]
    if not shoulders:
        shoulders = [here[name] - np.array([0.0, 0.04 * s, 0.0]) for name in ("AC_D", "AC_E") if name in here]
    y_arm = float(np.mean([p[1] for p in shoulders])) if shoulders else notch[1] - 0.02 * s
    z_arm = float(np.mean([abs(p[2]) for p in shoulders])) if shoulders else 0.17 * s
    y_arm = min(y_arm, notch[1] + 0.02 * s)
    deep = 0.46 * abs(sternum[0] - back[0])
    chest_x = 0.5 * (sternum[0] + back[0])
    top_x = 0.5 * (notch[0] + neck[0])
    belly_x = waist[0] + 0.035 * s
    base = 0.5 * (neck[1] + notch[1])
    rows = [  # height, half-width, half-depth, forward
        (waist[1] - 0.03 * s, 0.128 * g, 0.090 * g, belly_x),
        (waist[1] + 0.04 * s, 0.130 * g, 0.092 * g, belly_x),
        (0.5 * (waist[1] + sternum[1]), 0.136 * g, 0.5 * (0.094 * g + deep), 0.5 * (belly_x + chest_x)),
        (sternum[1], 0.86 * z_arm, deep, chest_x),
        (0.5 * (sternum[1] + y_arm), 0.93 * z_arm, 1.04 * deep, chest_x),
        (y_arm - 0.03 * s, 0.93 * z_arm, 0.96 * deep, 0.6 * chest_x + 0.4 * top_x),
        (y_arm + 0.012 * s, 0.90 * z_arm, 0.80 * deep, 0.35 * chest_x + 0.65 * top_x),
        (y_arm + 0.036 * s, 0.74 * z_arm, 0.66 * deep, top_x),
        (max(base, y_arm + 0.055 * s), 0.44 * z_arm, 0.056 * g, top_x - 0.004 * s),
        (max(base, y_arm + 0.055 * s) + 0.035 * s, 0.056 * g, 0.056 * g, top_x - 0.004 * s),
    ]
    heights, wide, depth, forward = np.array(rows).T
    side = np.interp(heights, [waist[1], sternum[1]], [waist[2], 0.5 * (sternum[2] + back[2])])
    ends = heights[0] - 0.05 * s, heights[-1] + 0.02 * s
    return loft(heights, wide, depth, sectors=28, ends=ends, middles=np.stack([forward, side], axis=1), power=2.3)


def _pelvis(here: _Local) -> Mesh | None:
    s, g = here.height, here.girth
    hips = here.mean("CAQ_D", "CAQ_E")
    top = here.first("CAL")
    if hips is None or top is None:
        return None
    front, back = here.mean("CIAS_D", "CIAS_E"), here.first("PMCP")
    middle = hips[0] if front is None or back is None else 0.5 * (front[0] + back[0])
    apart = abs(here["CAQ_D"][2] - hips[2]) if "CAQ_D" in here else 0.085 * s
    wide = apart + 0.080 * g
    rows = [
        (hips[1] - 0.085 * s, 0.060 * g, 0.060 * g, hips[0]),
        (hips[1] - 0.060 * s, 0.80 * wide, 0.092 * g, hips[0] - 0.005 * s),
        (hips[1] - 0.010 * s, 0.99 * wide, 0.112 * g, 0.5 * (hips[0] + middle) - 0.005 * s),
        (0.5 * (hips[1] + top[1]), 0.96 * wide, 0.112 * g, middle),
        (top[1], 0.86 * wide, 0.096 * g, 0.5 * (middle + top[0] + 0.03 * s)),
        (top[1] + 0.05 * s, 0.128 * g, 0.090 * g, top[0] + 0.035 * s),
    ]
    heights, width, depth, forward = np.array(rows).T
    ends = heights[0] - 0.01 * s, heights[-1] + 0.03 * s
    middles = np.stack([forward, np.full(len(rows), hips[2])], axis=1)
    return loft(heights, width, depth, sectors=28, ends=ends, middles=middles, power=2.2)


def _hand(here: _Local) -> Mesh | None:
    wrist = here.first("CAP_*")
    knuckles = here.mean("MC2_*", "MC5_*")
    knuckles = here.first("PMCH_*", "FIN_*") if knuckles is None else knuckles
    if wrist is None or knuckles is None:
        return None
    index, little = here.first("MC2_*"), here.first("MC5_*")
    both = index is not None and little is not None
    across = index - little if index is not None and little is not None else np.array([0.0, 0.0, 1.0])
    palm = _limb(here, wrist, knuckles, HAND, across)
    if palm is None or not both:
        return palm
    length = float(np.linalg.norm(knuckles - wrist))
    out = across / np.linalg.norm(across)
    along = (knuckles - wrist) / length
    root = wrist + 0.25 * length * along + 0.024 * here.girth * out
    tip = wrist + 1.0 * length * along + 0.066 * here.girth * out
    thumb = _limb(
        here, root, tip, [(0.0, 0.013, 0.013, 0.0), (0.5, 0.013, 0.012, 0.0), (1.0, 0.010, 0.010, 0.0)], out + along
    )
    return palm if thumb is None else joined([palm, thumb])


def _foot(here: _Local) -> Mesh | None:
    heel = here.first("CALC_*")
    toes = here.mean("MT1_*", "MT5_*")
    toes = here.first("TOE_*") if toes is None else toes
    if heel is None or toes is None:
        return None
    s = here.height
    length = toes[0] - heel[0] + 0.085 * s
    t, wide, half, _ = np.array(FOOT).T
    wide, half = wide * here.girth, half * s
    sole = min(heel[1], toes[1]) - 0.022 * s
    middle_z = np.interp(t, [0.0, 0.7], [heel[2], toes[2]])
    heights = heel[0] - 0.012 * s + t * length
    middles = np.stack([-(sole + half), middle_z], axis=1)  # in the axes of the loft, whose X points down
    tips = heights[0] - 0.3 * half[0], heights[-1] + 0.6 * half[-1]
    mesh = loft(heights, wide, half, sectors=SECTORS, ends=tips, middles=middles, power=2.5)
    basis = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # columns: where the loft's axes point
    return Mesh(mesh.points @ basis.T, mesh.normals @ basis.T, mesh.faces)


def _scapula(here: _Local) -> Mesh | None:
    corners = [here.first(name) for name in ("AA_*", "TE_*", "AI_*")]
    if any(corner is None for corner in corners):
        return None
    angle, spine, tip = (np.asarray(corner) for corner in corners)
    blade = [
        _limb(here, a, b, _even(r)) for a, b, r in ((spine, tip, 0.010), (angle, tip, 0.009), (angle, spine, 0.012))
    ]
    normal = np.cross(spine - angle, tip - angle)
    normal *= 0.006 / np.linalg.norm(normal)
    plate = np.array([angle, spine, tip])
    faces = np.array([[0, 1, 2], [5, 4, 3]])
    unit = normal / np.linalg.norm(normal)
    thick = Mesh(np.concatenate([plate + normal, plate - normal]), np.repeat([unit, -unit], 3, axis=0), faces)
    acromion = here.first("AC_*")
    if acromion is not None:
        blade.append(_limb(here, angle, acromion, _even(0.010)))
    return joined([thick, *(piece for piece in blade if piece is not None)])


def _clavicle(here: _Local) -> Mesh | None:
    a, b = here.first("EC_*"), here.first("AC_*")
    return None if a is None or b is None else _limb(here, a, b, _even(0.012))


def _even(radius: float) -> Stations:
    return [(0.0, radius, radius, 0.0), (0.5, radius, radius, 0.0), (1.0, radius, radius, 0.0)]


def _sticks(here: _Local) -> Mesh:
    """Any other segment: tubes along its lines, or a small ball."""
    pieces = []
    for line in here.segment.draw:
        known = [here[name] for name in line if name in here]
        pieces += [_limb(here, a, b, _even(0.02)) for a, b in pairwise(known)]
    found = [piece for piece in pieces if piece is not None]
    return joined(found) if found else ellipsoid(np.zeros(3), np.eye(3), np.full(3, 0.02), 6, 10)


SHAPES: dict[str, Callable[[_Local], Mesh | None]] = {
    "head": _head,
    "thorax": _thorax,
    "pelvis": _pelvis,
    "clavicle": _clavicle,
    "scapula": _scapula,
    "humerus": _between("GU_*", "PME_*", HUMERUS),
    "ulna": _between("PME_*", "EU_*", HALF_FOREARM),
    "radius": _between("EL_*", "ER_*", HALF_FOREARM),
    "forearm": _between("PME_*", "CAP_*", FOREARM),
    "hand": _hand,
    "thigh": _between("CAQ_*", "KJC_*", THIGH),
    "shank": _between("KJC_*", "CAT_*", SHANK),
    "foot": _foot,
}
"""Segment, without its side -> how it is drawn."""
