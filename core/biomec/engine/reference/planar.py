"""Planar reference mechanisms with their closed forms: pendulums, four-bar linkages, the slider-crank."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, planar_rotation
from biomec.base.errors import DescriptionError
from biomec.engine.body import Body, planar_bar
from biomec.engine.drivers import AngleDriver
from biomec.engine.joints import Constraint, Prismatic, Revolute
from biomec.engine.system import System


def pendulum(angles: ArrayLike, length: float = 1.0, mass: float = 1.0, *, shared: bool = False) -> System:
    """Chain of equal uniform bars hanging from the origin, released at ``angles`` (count,) from the x axis [rad].

    shared : neighbouring bars use one common point (configuration B of [Nunes2017] Fig. 2.8); otherwise every bar has
             its own two points and the joints are constraint rows whose multipliers are the joint forces
             (configuration A).
    """
    bodies: list[Body] = []
    joints: list[Constraint] = []
    tip = np.zeros(2)
    before = "ground.origin"
    for k, angle in enumerate(np.atleast_1d(np.asarray(angles, dtype=np.float64)), start=1):
        ends = f"P{k - 1}", f"P{k}"
        attitude = planar_rotation(float(angle))
        borrowed = {ends[0]: before} if shared else None
        bodies.append(planar_bar(f"bar{k}", length, mass, ends=ends, position=tip, attitude=attitude, shared=borrowed))
        if not shared:
            joints.append(Revolute(f"joint{k}", before, f"bar{k}.{ends[0]}"))
        tip = tip + attitude @ (length, 0.0)
        before = f"bar{k}.{ends[1]}"
    return System(bodies, joints, name=f"{len(bodies)}-pendulum")


def four_bar(
    crank: float = 1.0,
    coupler: float = 3.0,
    rocker: float = 2.5,
    base: float = 3.0,
    angle: float = np.pi / 3,
    *,
    shared: bool = True,
    driven: bool = False,
    density: float = 1.0,
) -> System:
    """Four-bar linkage O-A-B-P at crank ``angle`` [rad], open branch; lengths [m], ``density`` in kg a metre of bar.

    shared : q = (x_A, y_A, x_B, y_B), the natural coordinates of [Nunes2017] Table 2.1; otherwise every bar owns its
             points.
    """
    A, B = four_bar_points(angle, crank, coupler, rocker, base)
    if not np.isfinite(B).all():
        raise DescriptionError(
            f"Four-bar: bars of {coupler:g} and {rocker:g} m do not meet in one place at crank angle {angle:g} rad."
        )
    P = np.array([base, 0.0])
    lengths = {"crank": crank, "coupler": coupler, "rocker": rocker}
    ends = {"crank": ("O", "A"), "coupler": ("A", "B"), "rocker": ("B", "P")}
    starts = {"crank": np.zeros(2), "coupler": A, "rocker": B}
    stops = {"crank": A, "coupler": B, "rocker": P}
    borrowed = {
        "crank": {"O": "ground.origin"},
        "coupler": {"A": "crank.A"},
        "rocker": {"B": "coupler.B", "P": "ground.P"},
    }
    bodies = []
    for name, length in lengths.items():
        along = (stops[name] - starts[name]) / length
        attitude = np.column_stack([along, (-along[1], along[0])])
        share = borrowed[name] if shared else None
        bodies.append(
            planar_bar(
                name, length, density * length, ends=ends[name], position=starts[name], attitude=attitude, shared=share
            )
        )
    joints: list[Constraint] = []
    if not shared:
        joints += [Revolute("O", "ground.origin", "crank.O"), Revolute("A", "crank.A", "coupler.A")]
        joints += [Revolute("B", "coupler.B", "rocker.B"), Revolute("P", "ground.P", "rocker.P")]
    if driven:
        joints.append(AngleDriver("crank angle", "ground.x", "crank.x"))
    return System(bodies, joints, name="four-bar", ground={"P": P})


def four_bar_points(
    angle: ArrayLike, crank: float = 1.0, coupler: float = 3.0, rocker: float = 2.5, base: float = 3.0
) -> tuple[FloatArray, FloatArray]:
    """Closed form of A and B (..., 2) [m]: circles about A and P meet, open branch; NaN if nowhere or everywhere."""
    phi = np.asarray(angle, dtype=np.float64)
    A = crank * np.stack([np.cos(phi), np.sin(phi)], axis=-1)
    to_P = np.array([base, 0.0]) - A
    distance = np.linalg.norm(to_P, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        along = (coupler**2 - rocker**2 + distance**2) / (2.0 * distance)
        across = np.sqrt(coupler**2 - along**2)
        e = to_P / distance[..., None]
    normal = np.stack([-e[..., 1], e[..., 0]], axis=-1)
    return A, A + along[..., None] * e + across[..., None] * normal


def slider_crank(crank: float = 0.3, rod: float = 1.0, angle: float = 0.7, *, driven: bool = True) -> System:
    """Crank at the origin, connecting rod, and a slider on the x axis; lengths [m], bars of 1 kg a metre."""
    A = crank * np.array([np.cos(angle), np.sin(angle)])
    slide = float(slider_position(angle, crank, rod))
    if not np.isfinite(slide):
        raise DescriptionError(
            f"Slider-crank: a rod of {rod:g} m does not reach the guide at crank angle {angle:g} rad."
        )
    along = (np.array([slide, 0.0]) - A) / rod
    bodies = [
        planar_bar("crank", crank, crank, ends=("O", "A"), attitude=planar_rotation(angle)),
        planar_bar(
            "rod", rod, rod, ends=("A", "B"), position=A, attitude=np.column_stack([along, (-along[1], along[0])])
        ),
        Body(name="slider", points={"B": np.zeros(2)}, basis=("B", "x"), mass=0.5, inertia=0.01, position=(slide, 0.0)),
    ]
    joints: list[Constraint] = [
        Revolute("O", "ground.origin", "crank.O"),
        Revolute("A", "crank.A", "rod.A"),
        Revolute("B", "rod.B", "slider.B"),
        Prismatic("guide", "ground.origin", "slider.B", "ground.x", "slider.x"),
    ]
    if driven:
        joints.append(AngleDriver("crank angle", "ground.x", "crank.x"))
    return System(bodies, joints, name="slider-crank")


def slider_position(angle: ArrayLike, crank: float = 0.3, rod: float = 1.0) -> FloatArray:
    """Closed form of the slider's x [m]: r cos φ + √(l² − r² sin²φ); NaN where the rod does not reach."""
    phi = np.asarray(angle, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        return np.asarray(crank * np.cos(phi) + np.sqrt(rod**2 - (crank * np.sin(phi)) ** 2))
