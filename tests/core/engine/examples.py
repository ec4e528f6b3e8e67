"""One small system for every kind of constraint. A new constraint joins the shared tests by being listed here."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from biomec.engine import (
    AngleCoordinate,
    AngleDriver,
    Body,
    CoordinateDriver,
    Cylindrical,
    Distance,
    EllipsoidContact,
    Free,
    LengthCoordinate,
    LengthDriver,
    PointDriver,
    Prismatic,
    Revolute,
    Spherical,
    System,
    Universal,
    Weld,
)

BASES = {
    "1p3v": ("P", "x", "y", "z"),
    "2p2v": ("P", "Q", "x", "z"),
    "3p1v": ("P", "Q", "S", "y"),
    "4p": ("P", "Q", "S", "T"),
}
POINTS = {"P": (0.1, 0.0, 0.0), "Q": (0.3, 0.4, -0.2), "S": (-0.2, 0.1, 0.5), "T": (0.2, -0.4, 0.1)}
INERTIA = np.array([[0.05, 0.004, -0.003], [0.004, 0.06, 0.002], [-0.003, 0.002, 0.07]])


def spatial_body(name: str, kind: str = "2p2v", seed: int = 1) -> Body:
    """A body with generic shape, inertia and pose."""
    rng = np.random.default_rng(seed)
    return Body(
        name=name,
        points={key: np.array(value) for key, value in POINTS.items()},
        vectors={"a": rng.normal(size=3)},
        basis=BASES[kind],
        mass=2.5,
        centre_of_mass=(0.05, -0.1, 0.2),
        inertia=INERTIA,
        position=rng.normal(size=3),
        attitude=Rotation.random(rng=rng).as_matrix(),
    )


def planar_body(name: str, kind: str = "2p", seed: int = 1) -> Body:
    """A planar body with its centre of mass off its line."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(-3, 3)
    return Body(
        name=name,
        points={"P": np.array([0.1, 0.2]), "Q": np.array([0.7, -0.1]), "S": np.array([0.0, 0.5])},
        vectors={"a": np.array([0.6, 0.8])},
        basis=("P", "Q") if kind == "2p" else ("P", "a"),
        mass=1.5,
        centre_of_mass=(0.3, 0.25),
        inertia=0.04,
        position=rng.normal(size=2),
        attitude=np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]),
    )


def _pair(*constraints: object, kinds: tuple[str, str] = ("2p2v", "1p3v")) -> Callable[[], System]:
    def build() -> System:
        bodies = [spatial_body("i", kinds[0], 1), spatial_body("j", kinds[1], 2)]
        return System(bodies, constraints, ground={"G": (0.3, -0.2, 0.7)})  # type: ignore[arg-type]

    return build


def _hinged(*constraints: object) -> Callable[[], System]:
    """Two bodies whose z axes are parallel, so that the angle about them means something."""

    def build() -> System:
        i = spatial_body("i", "2p2v", 1)
        turn = Rotation.from_rotvec([0.0, 0.0, 0.4]).as_matrix()
        j = replace(spatial_body("j", "1p3v", 2), attitude=i.attitude_matrix @ turn)
        return System([i, j], constraints)  # type: ignore[arg-type]

    return build


def _planar(*constraints: object) -> Callable[[], System]:
    def build() -> System:
        bodies = [planar_body("i", "2p", 1), planar_body("j", "1p1v", 2)]
        return System(bodies, constraints, ground={"G": (0.3, -0.2)})  # type: ignore[arg-type]

    return build


def _shared() -> System:
    upper, lower = planar_body("i"), planar_body("j", seed=2)
    return System([upper, replace(lower, shared={"P": "i.Q", "Q": "ground.G"})], ground={"G": (0.3, -0.2)})


def _shared_in_space() -> System:
    """A body on a point and an axis of another one, which itself shares a point with the ground."""
    i, j = spatial_body("i", "2p2v", 1), spatial_body("j", "2p2v", 2)
    upper = replace(i, shared={"P": "ground.G"})
    lower = replace(j, shared={"P": "i.P", "x": "i.x"})
    return System([upper, lower], ground={"G": (0.3, -0.2, 0.7)})


CONSTRAINT_EXAMPLES: dict[str, Callable[[], System]] = {
    **{f"rigid {kind}": lambda kind=kind: System([spatial_body("i", kind)]) for kind in BASES},
    **{f"rigid planar {kind}": lambda kind=kind: System([planar_body("i", kind)]) for kind in ("2p", "1p1v")},
    "shared points": _shared,
    "shared point and axis": _shared_in_space,
    "spherical": _pair(Spherical("c", "i.Q", "j.S")),
    "spherical to ground": _pair(Spherical("c", "ground.G", "j.S")),
    "universal": _pair(Universal("c", "i.Q", "j.S", "i.a", "j.y", cosine=0.2)),
    "revolute": _pair(Revolute("c", "i.Q", "j.S", "i.a", "j.a"), kinds=("4p", "3p1v")),
    "revolute to ground": _pair(Revolute("c", "ground.G", "j.S", "ground.z")),
    "cylindrical": _pair(Cylindrical("c", "i.Q", "j.S", "i.a", "j.a")),
    "prismatic": _pair(Prismatic("c", "i.Q", "j.S", "i.a", "j.a")),
    "weld": _pair(Weld("c", "i.Q", "j.S")),
    "weld to ground": _pair(Weld("c", "ground.G", "j.S")),
    "free": _pair(Free("c", "i.Q", "j.S")),
    "distance": _pair(Distance("c", "i.T", "j.S", 1.3)),
    "ellipsoid": _pair(
        EllipsoidContact("c", "j.S", "i.T", (0.5, 0.8, 1.1), Rotation.from_rotvec([0.3, -0.5, 0.2]).as_matrix())
    ),
    "ellipsoid in the ground": _pair(EllipsoidContact("c", "j.S", "ground.G", (0.5, 0.8, 1.1))),
    "angle driver": _hinged(AngleDriver("c", "i.x", "j.y", "i.z")),
    "length driver": _pair(LengthDriver("c", "i.T", "j.S")),
    "point driver": _pair(PointDriver("c", "j.S")),
    "angle coordinate": _hinged(AngleCoordinate("c", "i.x", "j.y", "i.z")),
    "length coordinate": _pair(LengthCoordinate("c", "i.T", "j.S"), CoordinateDriver("d", "c")),
    "planar revolute": _planar(Revolute("c", "i.Q", "j.S")),
    "planar prismatic": _planar(Prismatic("c", "i.Q", "j.S", "i.a", "j.a")),
    "planar weld": _planar(Weld("c", "i.Q", "j.S")),
    "planar angle driver": _planar(AngleDriver("c", "i.a", "j.a"), LengthDriver("l", "i.S", "ground.G")),
    "planar angle coordinate": _planar(AngleCoordinate("c", "ground.x", "j.a"), CoordinateDriver("d", "c")),
}
