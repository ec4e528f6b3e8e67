"""The shape of a person: rounded surfaces over the landmarks of a subject's model, fixed in its segments.

Proportions are rough anthropometry for drawing only; nothing is computed from them. Radii are those of a person of
1.75 m and 70 kg; other people are thicker or thinner by the square root of their mass for their height.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import scipy

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.model import SegmentDefinition
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.pipeline.analysis import Analysis
from biomec_app.viewer.meshes import SurfaceMesh, ellipsoid, joined, loft

SECTORS, TRUNK_SECTORS = 12, 24  # every triangle takes its time where there is no graphics card
ROD_M = 0.011  # radius of the tubes of a device
BELLY = 0.035  # m, the middle of the waist before the lumbar joint
Stations = list[
    tuple[float, float, float, float]
]  # part of the way, half-width sideways, half-depth, shift forward [m]

THIGH: Stations = [(-0.06, 0.060, 0.060, 0.0), (0.02, 0.080, 0.084, 0.0), (0.18, 0.082, 0.088, 0.002),
                   (0.45, 0.070, 0.076, 0.006), (0.75, 0.055, 0.060, 0.004), (0.92, 0.052, 0.054, 0.0),
                   (1.0, 0.050, 0.053, 0.004), (1.06, 0.044, 0.044, 0.002)]  # fmt: skip
SHANK: Stations = [(-0.05, 0.040, 0.040, 0.0), (0.02, 0.048, 0.050, 0.002), (0.14, 0.048, 0.052, -0.008),
                   (0.30, 0.052, 0.056, -0.014), (0.50, 0.044, 0.047, -0.011), (0.75, 0.033, 0.036, -0.004),
                   (0.92, 0.031, 0.034, 0.0), (1.03, 0.033, 0.036, 0.0)]  # fmt: skip
HUMERUS: Stations = [(-0.17, 0.020, 0.022, 0.0), (-0.13, 0.038, 0.041, 0.0), (-0.04, 0.052, 0.056, 0.0),
                     (0.10, 0.054, 0.058, 0.0),
                     (0.30, 0.046, 0.052, 0.002), (0.55, 0.041, 0.047, 0.004), (0.85, 0.036, 0.036, 0.0),
                     (1.0, 0.037, 0.034, 0.0), (1.05, 0.031, 0.029, 0.0)]  # fmt: skip
FOREARM: Stations = [(-0.06, 0.030, 0.028, 0.0), (0.04, 0.041, 0.036, 0.0), (0.22, 0.042, 0.038, 0.0),
                     (0.55, 0.033, 0.031, 0.0), (0.85, 0.027, 0.022, 0.0), (1.02, 0.027, 0.021, 0.0)]  # fmt: skip
HALF_FOREARM: Stations = [(-0.06, 0.022, 0.024, 0.0), (0.04, 0.034, 0.034, 0.0), (0.22, 0.036, 0.036, 0.0),
                          (0.55, 0.029, 0.029, 0.0), (0.85, 0.022, 0.021, 0.0), (1.02, 0.017, 0.019, 0.0)]  # fmt: skip
HAND: Stations = [(-0.12, 0.020, 0.016, 0.0), (0.10, 0.029, 0.019, 0.0), (0.45, 0.038, 0.017, 0.0),
                  (0.80, 0.041, 0.014, 0.0), (1.0, 0.039, 0.012, 0.0), (1.08, 0.032, 0.009, 0.0)]  # fmt: skip
MITTEN: Stations = [(-0.12, 0.020, 0.016, 0.0), (0.10, 0.029, 0.019, 0.0), (0.50, 0.039, 0.017, 0.0),
                    (1.0, 0.041, 0.014, 0.0), (1.45, 0.036, 0.011, 0.0), (1.80, 0.028, 0.009, 0.0),
                    (1.98, 0.014, 0.006, 0.0)]  # fmt: skip
FOOT: Stations = [(0.0, 0.022, 0.024, 0.0), (0.07, 0.030, 0.034, 0.0), (0.20, 0.033, 0.046, 0.0),
                  (0.34, 0.035, 0.047, 0.0), (0.52, 0.038, 0.034, 0.0), (0.72, 0.045, 0.023, 0.0),
                  (0.88, 0.044, 0.016, 0.0), (0.97, 0.032, 0.011, 0.0)]  # fmt: skip


@dataclass(frozen=True, eq=False)
class BodyPart:
    """A segment as it is drawn, or a device that it carries: its name, and a surface in its local axes [m]."""

    segment: SegmentDefinition
    mesh: SurfaceMesh
    device: bool = False


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


def person(body: SubjectModel) -> tuple[BodyPart, ...]:
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
        own = segment.given is not None
        lines = [line for device in body.devices if device.on == segment.name for line in device.draw]
        if own:
            parts.append(BodyPart(segment, _rods(local, segment.draw), device=True))
        else:
            parts.append(BodyPart(segment, mesh if mesh is not None else _sticks(local)))
        if lines:
            parts.append(BodyPart(segment, _rods(local, lines), device=True))
    return tuple(parts)


def person_of(analysis: Analysis) -> tuple[BodyPart, ...]:
    """Surfaces of the subject of an analysis; `Analysis.derived` keeps them."""
    return person(analysis.body.person)


def inertia_ellipsoids(body: SubjectModel) -> tuple[BodyPart, ...]:
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
            part = BodyPart(part.segment, ellipsoid(centre, axes * np.linalg.det(axes), radii, 12, SECTORS))
        parts.append(part)
    return tuple(parts)


# --------------------------------------------------------------------------------------------------------------- pieces
def _limb(
    here: _Local, start: FloatArray, end: FloatArray, stations: Stations, sideways: FloatArray | None = None,
    sectors: int = SECTORS,
) -> SurfaceMesh | None:  # fmt: skip
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
    t, wide, deep, shift = _smooth(stations, len(stations) + 2).T
    wide, deep = wide * here.girth, deep * here.girth
    heights = t * length
    ends = heights[0] - 0.4 * wide[0], heights[-1] + 0.4 * wide[-1]
    middles = np.stack([shift * here.girth, 0.0 * shift], axis=1)
    mesh = loft(heights, wide, deep, sectors=sectors, ends=ends, middles=middles)
    return mesh.moved(basis, start)


def _between(start: str, end: str, stations: Stations) -> Callable[[_Local], SurfaceMesh | None]:
    def shape(here: _Local) -> SurfaceMesh | None:
        a, b = here.first(start), here.first(end)
        return None if a is None or b is None else _limb(here, a, b, stations)

    return shape


def _smooth(stations: Stations, count: int) -> FloatArray:
    """So many sections through the given ones, without overshoot, where there are more than four."""
    rows = np.array(stations)
    if len(rows) < 5:
        return rows
    k = np.arange(len(rows))
    return np.asarray(scipy.interpolate.PchipInterpolator(k, rows)(np.linspace(0.0, k[-1], count)))


def _sections(rows: Stations, side: float | FloatArray, ends: tuple[float, float], power: float) -> SurfaceMesh:
    """Trunk over sections: height, half-width, half-depth, forward; ``side``: to the right."""
    heights, wide, deep, forward = _smooth(rows, 2 * len(rows) - 3).T
    right = np.interp(heights, [heights[0], heights[-1]], np.broadcast_to(side, 2))
    middles = np.stack([forward, right], axis=1)
    return loft(heights, wide, deep, sectors=TRUNK_SECTORS, ends=ends, middles=middles, power=power)


def _upright(shape: Callable[[_Local], SurfaceMesh | None]) -> Callable[[_Local], SurfaceMesh | None]:
    """Shape that is made in axes that are upright in the static pose, where the person stands."""

    def turned(here: _Local) -> SurfaceMesh | None:
        up = np.array([0.0, 1.0, 0.0])
        right = here.attitude[:, 2] - here.attitude[1, 2] * up
        if here.attitude[1, 1] < 0.5 or np.linalg.norm(right) < 0.5:  # a static that does not stand
            return shape(here)
        right /= np.linalg.norm(right)
        standing = np.stack([np.cross(up, right), up, right], axis=1)
        mesh = shape(replace(here, attitude=standing))
        if mesh is None:
            return None
        back = standing.T @ here.attitude
        return mesh.moved(back.T)

    return turned


HEAD: Stations = [(0.00, 0.020, 0.024, 0.046), (0.05, 0.038, 0.045, 0.035), (0.16, 0.052, 0.063, 0.022),
                  (0.32, 0.064, 0.082, 0.010), (0.48, 0.070, 0.092, 0.003), (0.64, 0.075, 0.097, 0.0),
                  (0.80, 0.071, 0.091, -0.002), (0.91, 0.055, 0.070, -0.003), (0.98, 0.028, 0.036, -0.003)]  # fmt: skip
HEAD_HEIGHT = 0.225  # m, from chin to vertex


def _head(here: _Local) -> SurfaceMesh | None:
    base = here.first("CAC", "C7")
    if base is None:
        return None
    top = here.first("VC")
    front = here.mean("GLAB") if "GLAB" in here else here.mean("FHD_D", "FHD_E")
    s = here.height
    if top is None:
        level = here.mean("FHD_D", "FHD_E", "BHD_D", "BHD_E")
        rise = np.array([0.0, 0.26 * s if level is None else 0.075 * s, 0.0])
        top = (base if level is None else level) + rise
    middle = base[0] + 0.02 * s if front is None else front[0] - 0.097 * s
    chin = top[1] - HEAD_HEIGHT * s
    t, wide, deep, shift = np.array(HEAD).T
    rows = np.stack([chin + t * HEAD_HEIGHT * s, wide * s, deep * s, middle + shift * s], axis=1)
    mesh = _sections([tuple(row) for row in rows], top[2], (chin - 0.006 * s, top[1]), 2.0)
    nose = np.array([middle + 0.095 * s, chin + 0.42 * HEAD_HEIGHT * s, top[2]])
    pieces = [mesh, ellipsoid(nose, np.eye(3), s * np.array([0.017, 0.024, 0.011]), 6, 8)]
    for side in (-1.0, 1.0):
        ear = np.array([middle - 0.006 * s, chin + 0.46 * HEAD_HEIGHT * s, top[2] + side * 0.073 * s])
        pieces.append(ellipsoid(ear, np.eye(3), s * np.array([0.017, 0.029, 0.009]), 6, 8))
    skull = np.array([middle - 0.012 * s, chin + 0.35 * HEAD_HEIGHT * s, top[2]])
    foot = base - np.array([0.0, 0.02 * s, 0.0])
    neck = _limb(here, foot, skull, [(k, 0.053, 0.056, 0.0) for k in (0.0, 0.5, 1.0)])
    return joined([*pieces, neck] if neck is not None else pieces)


def _thorax(here: _Local) -> SurfaceMesh | None:
    s, g = here.height, here.girth

    def known(point: FloatArray | None, otherwise: FloatArray) -> FloatArray:
        return otherwise if point is None else point

    notch = here.first("IJ")
    if notch is None:
        return None
    neck = known(here.first("C7", "PTS"), notch + np.array([-0.12 * s, 0.06 * s, 0.0]))
    sternum = known(here.first("PX", "PTI"), notch + np.array([0.02 * s, -0.17 * s, 0.0]))
    back = known(here.first("T8"), sternum - np.array([0.21 * s, 0.0, 0.0]))
    waist = known(here.first("CAL"), 0.5 * (sternum + back) - np.array([0.02 * s, 0.24 * s, 0.0]))
    shoulders = [here[name] for name in ("GU_D", "GU_E") if name in here]
    if not shoulders:
        shoulders = [here[name] - np.array([0.0, 0.04 * s, 0.0]) for name in ("AC_D", "AC_E") if name in here]
    y_arm = float(np.mean([p[1] for p in shoulders])) if shoulders else notch[1] - 0.02 * s
    z_arm = float(np.mean([abs(p[2] - notch[2]) for p in shoulders])) if shoulders else 0.17 * s
    y_arm = min(y_arm, notch[1] + 0.02 * s)
    deep = 0.47 * abs(sternum[0] - back[0])
    high = max(0.5 * abs(notch[0] - neck[0]), 0.05 * s)  # half-depth at the collar bones
    chest, collar, belly = 0.5 * (sternum[0] + back[0]), 0.5 * (notch[0] + neck[0]), waist[0] + BELLY * s
    base = max(0.5 * (neck[1] + notch[1]), y_arm + 0.055 * s)
    rows: Stations = [
        (waist[1] - 0.075 * s, 0.105 * g, 0.070 * g, belly),
        (waist[1] - 0.030 * s, 0.122 * g, 0.086 * g, belly),
        (waist[1] + 0.040 * s, 0.126 * g, 0.090 * g, belly),
        (0.5 * (waist[1] + sternum[1]), 0.130 * g, 0.5 * (0.092 * g + deep), 0.5 * (belly + chest)),
        (sternum[1], 0.86 * z_arm, deep, chest),
        (0.5 * (sternum[1] + y_arm), 0.93 * z_arm, 1.05 * deep, chest),
        (y_arm - 0.03 * s, 0.94 * z_arm, 0.6 * deep + 0.4 * high, 0.5 * (chest + collar)),
        (y_arm + 0.012 * s, 0.90 * z_arm, 0.88 * high, collar),
        (y_arm + 0.034 * s, 0.72 * z_arm, 0.74 * high, collar),
        (base, 0.40 * z_arm, min(0.060 * g, high), collar - 0.004 * s),
        (base + 0.035 * s, 0.054 * g, 0.054 * g, collar - 0.004 * s),
    ]
    ends = rows[0][0] - 0.03 * s, rows[-1][0] + 0.02 * s
    return _sections(rows, np.array([waist[2], notch[2]]), ends, 2.15)


def _pelvis(here: _Local) -> SurfaceMesh | None:
    s, g = here.height, here.girth
    hips, top = here.mean("CAQ_D", "CAQ_E"), here.first("CAL")
    if hips is None or top is None:
        return None
    apart = abs(here["CAQ_D"][2] - hips[2]) if "CAQ_D" in here else 0.085 * s
    wide, belly = apart + 0.087 * g, top[0] + BELLY * s
    middle = 0.5 * (hips[0] + belly)
    rows: Stations = [
        (hips[1] - 0.090 * s, 0.055 * g, 0.055 * g, hips[0]),
        (hips[1] - 0.065 * s, 0.78 * wide, 0.088 * g, hips[0] - 0.006 * s),
        (hips[1] - 0.010 * s, 0.99 * wide, 0.112 * g, middle - 0.012 * s),
        (0.5 * (hips[1] + top[1]), 0.96 * wide, 0.108 * g, 0.5 * (middle + belly) - 0.006 * s),
        (top[1] + 0.005 * s, 0.128 * g, 0.092 * g, belly),
        (top[1] + 0.055 * s, 0.116 * g, 0.082 * g, belly),
    ]
    ends = rows[0][0] - 0.01 * s, rows[-1][0] + 0.03 * s
    return _sections(rows, hips[2], ends, 2.15)


def _hand(here: _Local) -> SurfaceMesh | None:
    wrist = here.first("CAP_*")
    knuckles = here.mean("MC2_*", "MC5_*")
    knuckles = here.first("PMCH_*", "FIN_*") if knuckles is None else knuckles
    if wrist is None or knuckles is None:
        return None
    index, little = here.first("MC2_*"), here.first("MC5_*")
    both = index is not None and little is not None
    across = index - little if index is not None and little is not None else np.array([0.0, 0.0, 1.0])
    palm = _limb(here, wrist, knuckles, HAND if both else MITTEN, across)
    if palm is None or not both:
        return palm
    length = float(np.linalg.norm(knuckles - wrist))
    out, along = across / np.linalg.norm(across), (knuckles - wrist) / length
    root = wrist + 0.25 * length * along + 0.026 * here.girth * out
    tip = wrist + 0.98 * length * along + 0.068 * here.girth * out
    fingers = [_limb(here, root, tip, _even(0.011), out + along, sectors=8)]
    for k, reach in enumerate((0.92, 1.02, 0.95, 0.75)):
        start = knuckles + (0.027 - 0.018 * k) * here.girth * out - 0.1 * length * along
        end = start + reach * length * along + (0.006 - 0.004 * k) * out
        fingers.append(_limb(here, start, end, _even(0.0085), out, sectors=8))
    return joined([palm, *(finger for finger in fingers if finger is not None)])


def _foot(here: _Local) -> SurfaceMesh | None:
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
    return mesh.moved(basis)


def _scapula(here: _Local) -> SurfaceMesh | None:
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
    thick = SurfaceMesh(np.concatenate([plate + normal, plate - normal]), np.repeat([unit, -unit], 3, axis=0), faces)
    acromion = here.first("AC_*")
    if acromion is not None:
        blade.append(_limb(here, angle, acromion, _even(0.010)))
    return joined([thick, *(piece for piece in blade if piece is not None)])


def _radius(here: _Local) -> SurfaceMesh | None:
    elbow, wrist = here.mean("EL_*", "PME_*"), here.first("ER_*")
    return None if elbow is None or wrist is None else _limb(here, elbow, wrist, HALF_FOREARM)


def _clavicle(here: _Local) -> SurfaceMesh | None:
    a, b = here.first("EC_*"), here.first("AC_*")
    return None if a is None or b is None else _limb(here, a, b, _even(0.012))


def _even(radius: float) -> Stations:
    return [(0.0, radius, radius, 0.0), (0.5, radius, radius, 0.0), (1.0, radius, radius, 0.0)]


def _sticks(here: _Local) -> SurfaceMesh:
    """Any other segment: tubes along its lines, or a small ball."""
    pieces = []
    for line in here.segment.draw:
        known = [here[name] for name in line if name in here]
        pieces += [_limb(here, a, b, _even(0.02)) for a, b in pairwise(known)]
    found = [piece for piece in pieces if piece is not None]
    return joined(found) if found else ellipsoid(np.zeros(3), np.eye(3), np.full(3, 0.02), 6, 10)


def _rods(here: _Local, lines: Sequence[Sequence[str]]) -> SurfaceMesh:
    """A device: slender tubes along its lines."""
    pieces = []
    for line in lines:
        known = [here[name] for name in line if name in here]
        pieces += [_limb(here, a, b, _even(ROD_M / here.girth)) for a, b in pairwise(known)]
    found = [piece for piece in pieces if piece is not None]
    return joined(found) if found else ellipsoid(np.zeros(3), np.eye(3), np.full(3, ROD_M), 6, 10)


SHAPES: dict[str, Callable[[_Local], SurfaceMesh | None]] = {
    "head": _upright(_head),
    "thorax": _upright(_thorax),
    "pelvis": _upright(_pelvis),
    "clavicle": _clavicle,
    "scapula": _scapula,
    "humerus": _between("GU_*", "PME_*", HUMERUS),
    "ulna": _between("PME_*", "EU_*", HALF_FOREARM),
    "radius": _radius,
    "forearm": _between("PME_*", "CAP_*", FOREARM),
    "hand": _hand,
    "thigh": _between("CAQ_*", "KJC_*", THIGH),
    "shank": _between("KJC_*", "CAT_*", SHANK),
    "foot": _foot,
}
"""Segment, without its side -> how it is drawn."""
