"""A 21-body human-like tree with the joint pattern of the whole-body model: a mechanism, not an anatomy.

Round figures for a standing adult (X forward, Y up, Z to the right); the joints, their types and the kinds of
bodies are those of [Nunes2017] Tables 4.3 and 4.4, so the counts are too: 252 coordinates, 214 rows, 6 redundant, 44
degrees of freedom, and 226/220/32 with the temporary points of both hands and feet.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from biomec.base.arrays import FloatArray
from biomec.engine.contacts import PointContacts
from biomec.engine.joints import Constraint, EllipsoidContact
from biomec.engine.reference.trees import FREEDOMS, ReferenceJoint, ReferenceTree, TreeBody
from biomec.engine.system import System

SIDES = {"R": 1.0, "L": -1.0}
RADII = (0.0944, 0.2079, 0.1470)  # of the thorax ellipsoid [m]: the size of an adult's rib cage
CENTRE = (-0.02, 1.27, 0.0)
MIDLINE = {
    "neck": (0.0, 1.50, 0.0),
    "sternum": (0.06, 1.42, 0.0),
    "lumbar": (0.0, 1.05, 0.0),
    "ellipsoid": CENTRE,
}
# right side; the left is its mirror image
LANDMARKS = {
    "sc": (0.05, 1.42, 0.02),
    "ac": (-0.03, 1.45, 0.17),
    "gh": (-0.01, 1.41, 0.18),
    "upper": (-0.09, 1.40, 0.10),
    "lower": (-0.10, 1.27, 0.09),
    "elbow": (-0.02, 1.11, 0.24),
    "lateral": (-0.02, 1.11, 0.27),
    "ulnar": (0.00, 0.86, 0.25),
    "radial": (0.03, 0.86, 0.29),
    "wrist": (0.015, 0.86, 0.27),
    "palm": (0.03, 0.78, 0.28),
    "hip": (0.0, 0.95, 0.09),
    "knee": (0.01, 0.52, 0.10),
    "ankle": (-0.02, 0.09, 0.10),
    "sole": (0.05, 0.0, 0.11),
}
# name: (basis, own points beside the joints', mass [kg], radii of gyration [m] about the body's axes)
MIDLINE_BODIES = {
    "head": (("neck", "x", "y", "z"), (), 5.5, (0.07, 0.05, 0.07)),
    "thorax": (("sternum", "x", "y", "z"), ("sternum", "ellipsoid"), 24.0, (0.13, 0.10, 0.12)),
    "pelvis": (("lumbar", "x", "y", "z"), (), 11.5, (0.09, 0.10, 0.09)),
}
SIDE_BODIES = {
    "clavicle": (("sc", "ac", "x", "y"), (), 0.2, (0.05, 0.05, 0.02)),
    "scapula": (("lower", "upper", "x", "z"), ("lower", "upper"), 1.4, (0.09, 0.10, 0.09)),
    "humerus": (("gh", "elbow", "x", "z"), (), 2.0, (0.09, 0.04, 0.09)),
    "ulna": (("elbow", "ulnar", "x", "z"), (), 0.7, (0.07, 0.03, 0.07)),
    "radius": (("lateral", "radial", "x", "z"), ("lateral", "radial"), 0.7, (0.07, 0.03, 0.07)),
    "hand": (("wrist", "x", "y", "z"), ("palm",), 0.5, (0.04, 0.03, 0.04)),
    "thigh": (("hip", "knee", "x", "z"), (), 10.0, (0.12, 0.06, 0.12)),
    "shank": (("knee", "ankle", "x", "z"), (), 3.9, (0.11, 0.04, 0.11)),
    "foot": (("ankle", "x", "y", "z"), ("sole",), 1.0, (0.04, 0.08, 0.08)),
}
# order of the bodies in q ([Nunes2017] Eq. 4.1)
ORDER = (
    "head", "thorax", "clavicle", "scapula", "humerus", "ulna", "radius", "hand", "pelvis", "thigh", "shank", "foot",
)  # fmt: skip
SIDE_JOINTS = (
    ("sc", "universal", "thorax", "clavicle"),
    ("ac", "spherical", "clavicle", "scapula"),
    ("gh", "spherical", "scapula", "humerus"),
    ("elbow", "revolute", "humerus", "ulna"),
    ("ulnar", "revolute", "ulna", "radius"),
    ("wrist", "universal", "radius", "hand"),
    ("hip", "spherical", "pelvis", "thigh"),
    ("knee", "revolute", "thigh", "shank"),
    ("ankle", "universal", "shank", "foot"),
)
AXES = {  # (body, axis): a revolute axis, or the parent's and the child's axis of a universal joint
    "sc": (("thorax", 1), ("clavicle", 0)),
    "elbow": (("humerus", 2),),
    "wrist": (("radius", 0), ("hand", 2)),
    "knee": (("thigh", 2),),
    "ankle": (("shank", 0), ("foot", 2)),
}


def human_tree() -> ReferenceTree:
    """Build the tree of 21 bodies and 20 joints; the root, the thorax, is free."""
    place = _landmarks()
    attitudes = _attitudes()
    bodies = [_tree_body(name, side, place, attitudes) for base in ORDER for name, side in _copies(base)]
    joints = [
        ReferenceJoint("root", "free", "ground", "thorax", place["sternum"]),
        ReferenceJoint("neck", "spherical", "thorax", "head", place["neck"]),
        ReferenceJoint("lumbar", "spherical", "thorax", "pelvis", place["lumbar"]),
    ]
    for side in SIDES:
        for base, kind, parent, child in SIDE_JOINTS:
            name = f"{base}_{side}"
            axes = [attitudes[_sided(body, side)][:, k] for body, k in AXES.get(base, ())]
            if base == "ulnar":  # the radio-ulnar axis is parallel to no local axis
                axis = place[name] - place[f"lateral_{side}"]
                axes = [axis / np.linalg.norm(axis)]
            joints.append(ReferenceJoint(name, kind, _sided(parent, side), f"{child}_{side}", place[name], tuple(axes)))
    return ReferenceTree(tuple(bodies), tuple(joints))


def human_system() -> System:
    """Build the 21-body system with the two ellipsoid contacts a side: 252 coordinates and 214 rows."""
    contacts: list[Constraint] = [
        EllipsoidContact(
            f"{point}_{side}", f"scapula_{side}.{point}_{side}", "thorax.ellipsoid", RADII, _ellipsoid_axes()
        )
        for side in SIDES
        for point in ("lower", "upper")
    ]
    return human_tree().system(contacts, name="human-like tree")


def contact_points(system: System, q: FloatArray) -> PointContacts:
    """Temporary points at both palms and soles, where the coordinates q (T, n) have them: 12 rows."""
    bodies = {f"hand_{s}": f"palm_{s}" for s in SIDES} | {f"foot_{s}": f"sole_{s}" for s in SIDES}
    points = {body: system.layout.point(f"{body}.{point}")(q) for body, point in bodies.items()}
    return PointContacts.at(system.layout, q, points)


def human_motion(
    tree: ReferenceTree, frames: int, rng: np.random.Generator, amplitude: float = 0.25
) -> dict[str, FloatArray]:
    """Smooth random joint coordinates over one cycle: sums of three harmonics of about ``amplitude`` [rad].

    The shoulder girdle stays at rest, because its ellipsoid contacts close loops that a tree cannot follow.
    """
    t = np.linspace(0.0, 1.0, frames, endpoint=False)[:, None]
    motion = {}
    for joint in tree.joints:
        size = FREEDOMS[joint.kind]
        scale = 0.0 if joint.name.startswith(("sc_", "ac_")) else amplitude
        waves = [rng.normal(size=size) * np.sin(2 * np.pi * (k * t + rng.random(size))) / k for k in (1, 2, 3)]
        motion[joint.name] = scale * np.sum(waves, axis=0) / 2.0
    return motion


def _copies(base: str) -> list[tuple[str, str]]:
    return [(base, "")] if base in MIDLINE_BODIES else [(f"{base}_{side}", side) for side in SIDES]


def _sided(base: str, side: str) -> str:
    return base if base in MIDLINE_BODIES else f"{base}_{side}"


def _ellipsoid_axes() -> FloatArray:
    return np.asarray(_attitudes()["thorax"])


def _landmarks() -> dict[str, FloatArray]:
    place = {name: np.array(point) for name, point in MIDLINE.items()}
    for side, sign in SIDES.items():
        for name, point in LANDMARKS.items():
            place[f"{name}_{side}"] = np.array(point) * (1.0, 1.0, sign)
        for name in (f"upper_{side}", f"lower_{side}"):  # onto the ellipsoid, along the ray from its centre
            ray = place[name] - np.array(CENTRE)
            place[name] = np.array(CENTRE) + ray / np.linalg.norm(ray / np.array(RADII))
    return place


def _attitudes() -> dict[str, FloatArray]:
    """Slightly turned local frames, so that nothing in a test is special because an axis is zero."""
    rng = np.random.default_rng(21)
    names = [name for base in ORDER for name, _ in _copies(base)]
    turns = Rotation.from_rotvec(0.15 * rng.normal(size=(len(names), 3))).as_matrix()
    return dict(zip(names, turns, strict=True))


def _tree_body(name: str, side: str, place: dict[str, FloatArray], attitudes: dict[str, FloatArray]) -> TreeBody:
    basis, own, mass, gyration = (MIDLINE_BODIES | SIDE_BODIES)[name.removesuffix(f"_{side}") if side else name]

    def sided(element: str) -> str:
        return f"{element}_{side}" if side and element in LANDMARKS else element

    square = np.array(gyration) ** 2
    return TreeBody(
        name=name,
        basis=tuple(sided(element) for element in basis),
        points={sided(element): place[sided(element)] for element in own},
        attitude=attitudes[name],
        mass=mass,
        inertia=mass * np.diag(square),
    )
