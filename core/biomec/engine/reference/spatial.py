"""Spatial reference mechanisms: pendulum chains, random trees, and Bennett's linkage, a loop that counting forbids."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from biomec.base.arrays import FloatArray
from biomec.base.errors import DescriptionError
from biomec.engine.body import Body
from biomec.engine.drivers import AngleDriver
from biomec.engine.joints import Constraint, Revolute, Spherical, Weld
from biomec.engine.reference.trees import ReferenceJoint, ReferenceTree, TreeBody
from biomec.engine.system import System

ROD_RADIUS = 0.02  # [m]


def rod(name: str, length: float, mass: float, position: ArrayLike, attitude: ArrayLike) -> Body:
    """Uniform cylinder along its local x from point A to point B; basis A, B and two unit vectors (2p2v)."""
    across = mass * (3.0 * ROD_RADIUS**2 + length**2) / 12.0
    return Body(
        name=name,
        points={"A": np.zeros(3), "B": np.array([length, 0.0, 0.0])},
        basis=("A", "B", "y", "z"),
        mass=mass,
        centre_of_mass=(0.5 * length, 0.0, 0.0),
        inertia=np.diag([0.5 * mass * ROD_RADIUS**2, across, across]),
        position=position,
        attitude=attitude,
    )


def spatial_pendulum(count: int, length: float = 1.0, mass: float = 1.0) -> System:
    """Chain of rods on spherical joints, hanging from the origin in a gentle helix."""
    bodies, joints = [], []
    tip, before = np.zeros(3), "ground.origin"
    for k in range(1, count + 1):
        attitude = Rotation.from_euler("yz", [0.5 * k, -0.6]).as_matrix()
        bodies.append(rod(f"rod{k}", length, mass, tip, attitude))
        joints.append(Spherical(f"joint{k}", before, f"rod{k}.A"))
        tip = tip + attitude[:, 0] * length
        before = f"rod{k}.B"
    return System(bodies, joints, name=f"spatial {count}-pendulum")


def bennett_angles(theta: ArrayLike, twist: float, other: float) -> FloatArray:
    """Joint angle θ₂ that closes Bennett's linkage at θ₁ [rad]: tan ½θ₁ tan ½θ₂ = sin ½(β+α) / sin ½(β−α)."""
    ratio = np.sin(0.5 * (other + twist)) / np.sin(0.5 * (other - twist))
    half = 0.5 * np.asarray(theta, dtype=np.float64)
    return np.asarray(2.0 * np.arctan2(ratio * np.cos(half), np.sin(half)))


def bennett(
    theta: float = 1.0, length: float = 1.0, twist: float = 0.6, other: float = 1.1, *, driven: bool = False
) -> System:
    """Bennett's linkage: four bars in a loop on four skew hinges, movable although 6·3 − 4·5 = −2 says it is not.

    Opposite bars are equal, with lengths a, b and twists α, β such that a/sin α = b/sin β [Bennett1903]. The base is
    welded to the ground. 48 coordinates, 54 rows, rank 47, 7 redundant, one degree of freedom.
    """
    if abs(np.sin(twist)) < 1e-6 or abs(np.sin(other)) < 1e-6 or abs(other - twist) < 1e-6:
        raise DescriptionError("Bennett's linkage needs two different twists that are not multiples of 180°.")
    lengths = [length, length * np.sin(other) / np.sin(twist)] * 2
    twists = [twist, other] * 2
    theta2 = float(bennett_angles(theta, twist, other))
    frame = np.eye(4)
    bodies = []
    for k, angle in enumerate((theta, theta2, -theta, -theta2)):
        turned = frame @ _rotation_z(angle)
        local = np.array([lengths[k], 0.0, 0.0])
        next_axis = np.array([0.0, -np.sin(twists[k]), np.cos(twists[k])])
        bodies.append(
            Body(
                name=f"bar{k + 1}",
                points={"A": np.zeros(3), "B": local},
                vectors={"first": np.array([0.0, 0.0, 1.0]), "second": next_axis},
                basis=("A", "B", "y", "z"),
                mass=lengths[k],
                centre_of_mass=0.5 * local,
                inertia=lengths[k] * np.diag([1e-3, lengths[k] ** 2 / 12.0, lengths[k] ** 2 / 12.0]),
                position=turned[:3, 3],
                attitude=turned[:3, :3],
            )
        )
        frame = turned @ _screw_x(lengths[k], twists[k])
    joints: list[Constraint] = [Weld("base", "ground.origin", "bar1.A")]
    for k in range(4):
        i, j = f"bar{k + 1}", f"bar{(k + 1) % 4 + 1}"
        joints.append(Revolute(f"hinge{k + 1}", f"{i}.B", f"{j}.A", f"{i}.second", f"{j}.first"))
    if driven:
        joints.append(AngleDriver("hinge angle", "bar1.x", "bar2.x", "bar1.second"))
    return System(bodies, joints, name="Bennett's linkage")


def _rotation_z(angle: float) -> FloatArray:
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("z", angle).as_matrix()
    return T


def _screw_x(length: float, twist: float) -> FloatArray:
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("x", twist).as_matrix()
    T[0, 3] = length
    return T


def random_tree(count: int, rng: np.random.Generator, root: str = "free") -> ReferenceTree:
    """Tree of ``count`` bodies with random shapes, kinds of body, inertias and joints; ``root`` is its first joint."""
    bodies: list[TreeBody] = []
    joints: list[ReferenceJoint] = []
    centre = rng.normal(size=3)
    for k in range(count):
        name = f"body{k}"
        parent = bodies[rng.integers(k)].name if k else "ground"
        kind = str(rng.choice(["spherical", "universal", "revolute"])) if k else root
        if k:
            centre = bodies[int(parent.removeprefix("body"))].points["p0"] + 0.5 * rng.normal(size=3)
        joints.append(ReferenceJoint(f"joint{k}", kind, parent, name, centre, _random_axes(kind, rng)))
        attitude = Rotation.random(rng=rng).as_matrix()
        corners = 0.4 * (attitude.T + rng.uniform(-0.25, 0.25, size=(3, 3)))  # roughly along x, y and z of the body
        first = centre + 0.2 * rng.normal(size=3)
        points = {"p0": first} | {f"p{i + 1}": first + corner for i, corner in enumerate(corners)}
        basis = [("p0", "x", "y", "z"), ("p0", "p3", "x", "y"), ("p0", "p1", "p2", "z"), tuple(points)][rng.integers(4)]
        spread = rng.normal(size=(3, 8)) * np.array([[0.3], [0.2], [0.1]])
        spread = attitude.T @ (spread - spread.mean(axis=1, keepdims=True))
        mass = float(rng.uniform(0.5, 5.0))
        second = mass * spread @ spread.T / 8.0
        inertia = (
            np.trace(second) * np.eye(3) - second
        )  # of eight equal point masses: physically possible by construction
        com = centre + 0.2 * rng.normal(size=3)
        bodies.append(TreeBody(name, basis, points, attitude, mass, inertia, com))
    return ReferenceTree(tuple(bodies), tuple(joints))


def _random_axes(kind: str, rng: np.random.Generator) -> tuple[FloatArray, ...]:
    first = rng.normal(size=3)
    first /= np.linalg.norm(first)
    if kind == "revolute":
        return (first,)
    if kind == "universal":
        second = np.cross(first, rng.normal(size=3))
        return first, second / np.linalg.norm(second)
    return ()
