"""A walk as OpenSim holds it: scaled model, coordinates, ground reactions, read as bodies, tree and motion of Biomec.

Only what the published walk of the model gait2354 needs of the format is understood.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from scipy.interpolate import CubicSpline, make_interp_spline
from scipy.signal import butter, filtfilt
from scipy.spatial.transform import Rotation

from biomec.body.kinematics.segment_motion import SegmentMotion, segment_motion
from biomec.engine.body import Body
from biomec.engine.forces.external_loads import ExternalLoads, external_loads
from biomec.engine.joints import Spherical
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import JointTree, joint_tree

FILTER = 3, 6.0  # order and cut-off [Hz] of OpenSim's low-pass, forwards and backwards


def storage(path: Path) -> dict[str, np.ndarray]:
    """Columns of a table by name."""
    lines = path.read_text("utf-8").splitlines()
    first = next(k for k, line in enumerate(lines) if line.strip() == "endheader") + 1
    values = np.array([[float(cell) for cell in line.split()] for line in lines[first + 1 :] if line.strip()])
    return dict(zip(lines[first].split(), values.T, strict=True))


@dataclass(frozen=True, eq=False)
class OpenSimWalk:
    """Everything inverse dynamics needs, and the directions in which OpenSim's coordinates work.

    turning  : coordinate -> (T, 3) axis about which it turns the child of its joint, in laboratory axes
    shifting : coordinate -> (T, 3) by which it moves the child's origin per radian [m]
    joint    : coordinate -> joint
    """

    time_s: np.ndarray
    tree: JointTree
    motion: SegmentMotion
    q: np.ndarray
    external: ExternalLoads
    turning: dict[str, np.ndarray]
    shifting: dict[str, np.ndarray]
    joint: dict[str, str]


def read_walk(folder: Path) -> OpenSimWalk:
    """Read the published walk."""
    model = ElementTree.parse(folder / "reference" / "subject01_simbody.osim").getroot()
    table = storage(folder / "reference" / "subject01_walk1_ik.mot")
    time = table["time"]
    rate = 1.0 / np.diff(time).mean()
    b, a = butter(FILTER[0], FILTER[1] / (0.5 * rate))
    coordinates = {}
    for name, values in table.items():
        if name != "time":
            radians = values if name.startswith("pelvis_t") and name != "pelvis_tilt" else np.radians(values)
            coordinates[name] = filtfilt(b, a, radians, padtype="odd", padlen=len(time) // 2)
    places = {"ground": (np.zeros((len(time), 3)), np.tile(np.eye(3), (len(time), 1, 1)))}
    turning, shifting, owner, links = {}, {}, {}, []
    for joint in model.iter("CustomJoint"):
        frames = {frame.get("name"): frame for frame in joint.iter("PhysicalOffsetFrame")}
        ends = [frames[_text(joint, f"socket_{end}_frame")] for end in ("parent", "child")]
        parent, child = (_text(end, "socket_parent").rsplit("/", 1)[-1] for end in ends)
        shift, back = (_vector(end, "translation") for end in ends)
        assert not any(np.any(_vector(end, "orientation")) for end in ends)
        assert not back.any()
        p, R = places[parent]
        origin = p + np.einsum("tij,j->ti", R, shift)
        turned = R
        for axis in joint.iter("TransformAxis"):
            coordinate = _text(axis, "coordinates").strip()
            value, slope = _function(axis, coordinates.get(coordinate, np.zeros(len(time))))
            direction = _vector(axis, "axis")
            if axis.get("name", "").startswith("rotation"):
                if coordinate:
                    turning[coordinate] = np.einsum("tij,j->ti", turned, direction / np.linalg.norm(direction))
                    owner[coordinate] = joint.get("name", "")
                unit = direction / np.linalg.norm(direction)
                turned = turned @ Rotation.from_rotvec(value[:, None] * unit).as_matrix()
            else:
                world = np.einsum("tij,j->ti", R, direction)
                origin = origin + value[:, None] * world
                if coordinate:
                    shifting[coordinate] = shifting.get(coordinate, 0.0) + slope[:, None] * world
        places[child] = (origin, turned)
        if parent != "ground":
            links.append((joint.get("name", ""), parent, child, shift))
    bodies = [_body(one, [link for link in links if link[1] == one.get("name")]) for one in model.iter("Body")]
    joints = [Spherical(name, f"{parent}.{name}", f"{child}.origin") for name, parent, child, _ in links]
    system = System(bodies, joints, name="gait2354", gravity=[0.0, -9.80665, 0.0])
    q = np.concatenate([body.coordinates(*places[body.name]) for body in bodies], axis=1)
    spline = make_interp_spline(time, q, k=5)
    motion = segment_motion(system, q, spline.derivative(1)(time), spline.derivative(2)(time))
    return OpenSimWalk(
        time, joint_tree(system, ["pelvis"]), motion, q, _ground(folder, time), turning, shifting, owner
    )  # fmt: skip


def with_ball_joints(walk: OpenSimWalk) -> OpenSimWalk:
    """The same with every joint at its mean place in the parent: knees of the published model roll."""
    system, motion = walk.tree.system, walk.motion
    origin = [system.layout.point(f"{body.name}.origin")(walk.q) for body in system.bodies]
    points: dict[str, dict[str, np.ndarray]] = {body.name: {} for body in system.bodies}
    joints = []
    for joint in walk.tree.joints:
        parent, child = system.bodies[joint.parent].name, system.bodies[joint.child].name
        R = motion.R_WB[:, motion.names.index(parent)]
        points[parent][joint.name] = np.einsum("tji,tj->ti", R, origin[joint.child] - origin[joint.parent]).mean(axis=0)
        joints.append(Spherical(joint.name, f"{parent}.{joint.name}", f"{child}.origin"))
    bodies = [replace(body, points=points[body.name]) for body in system.bodies]
    return replace(walk, tree=joint_tree(System(bodies, joints, name=system.name, gravity=system.gravity), ["pelvis"]))


def _body(one: ElementTree.Element, links: list[tuple[str, str, str, np.ndarray]]) -> Body:
    xx, yy, zz, xy, xz, yz = _vector(one, "inertia")
    return Body(
        one.get("name", ""),
        points={name: shift for name, _, _, shift in links},
        vectors={"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0]},
        basis=("origin", "x", "y", "z"),
        mass=float(_text(one, "mass")),
        centre_of_mass=_vector(one, "mass_center"),
        inertia=[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
    )


def _ground(folder: Path, time: np.ndarray) -> ExternalLoads:
    table = storage(folder / "subject01_walk1_grf.mot")

    def column(stem: str) -> np.ndarray:
        return np.stack([np.interp(time, table["time"], table[f"{stem}{axis}"]) for axis in "xyz"], axis=1)

    feet = ("", "1_")
    force, point, torque = (
        np.stack([column(f"{foot}ground_{what}") for foot in feet], axis=1)
        for what in ("force_v", "force_p", "torque_")
    )
    return external_loads(["calcn_r", "calcn_l"], point, force, torque)


def _function(axis: ElementTree.Element, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Value (T,) of a transform's function and its slope."""
    scale = next((float(one.text or 1.0) for one in axis.iter("scale")), 1.0)
    spline = next(axis.iter("SimmSpline"), None)
    if spline is not None:
        curve = CubicSpline(_vector(spline, "x"), _vector(spline, "y"))
        return scale * curve(x), scale * curve(x, 1)
    linear = next(axis.iter("LinearFunction"), None)
    if linear is not None:
        slope, offset = _vector(linear, "coefficients")
        return scale * (slope * x + offset), np.full(len(x), scale * slope)
    value = next(float(one.text or 0.0) for one in axis.iter("value"))
    return np.full(len(x), scale * value), np.zeros(len(x))


def _text(element: ElementTree.Element, name: str) -> str:
    return (element.findtext(name) or "").strip()


def _vector(element: ElementTree.Element, name: str) -> np.ndarray:
    return np.array(_text(element, name).split(), dtype=np.float64)
