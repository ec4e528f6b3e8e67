"""One position of a mechanism of the engine tour, drawn into given axes: for figures and animation alike."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from mpl_toolkits.mplot3d import Axes3D

from biomec_app.engine_tour.drawing import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE,
    RED,
    bar,
    hinges,
    in_space,
    plane,
    support,
)
from biomec_app.engine_tour.stops import Motion

COUPLER_POINT = (1.5, 1.0)  # in the coupler of the four-bar [m]
AXIS_LENGTH = 0.22  # of a drawn hinge axis, to each side [m]


def four_bar_scene(axes: Axes, motion: Motion) -> None:
    """Paths of the four-bar's moving hinges and of a point of its coupler."""
    axes.plot(*motion.point("crank.A").T, color=BLUE, linewidth=0.9, linestyle=":")
    axes.plot(*motion.point("coupler.B").T, color=GREEN, linewidth=0.9, linestyle=":")
    axes.plot(*motion.body_point("coupler", COUPLER_POINT).T, color=RED, linewidth=1.8)
    plane(axes, (-1.7, 4.1), (-1.4, 3.2))


def four_bar_pose(axes: Axes, motion: Motion, t: int, alpha: float = 1.0) -> None:
    """Four-bar at frame t; pale without hinges."""
    A, B = motion.point("crank.A")[t], motion.point("coupler.B")[t]
    C = motion.body_point("coupler", COUPLER_POINT)[t]
    O, P = np.zeros(2), motion.system.layout.ground["P"]
    axes.fill(*np.stack([A, B, C], axis=-1), color=ORANGE, alpha=0.25 * alpha, linewidth=0.0)
    bar(axes, O, A, BLUE, alpha)
    bar(axes, A, B, ORANGE, alpha)
    bar(axes, B, P, GREEN, alpha)
    if alpha == 1.0:
        support(axes, O, 0.28)
        support(axes, P, 0.28)
        hinges(axes, O, A, B, P)
        axes.plot(*C, "o", color=RED, markersize=5.5, zorder=5)


def slider_crank_scene(axes: Axes, motion: Motion) -> None:
    """Path of the crank pin, and the guide."""
    axes.plot(*motion.point("crank.A").T, color=BLUE, linewidth=0.9, linestyle=":")
    axes.plot([0.55, 1.46], [-0.085, -0.085], color=GREY, linewidth=1.2)
    axes.plot([0.55, 1.46], [0.085, 0.085], color=GREY, linewidth=1.2)
    plane(axes, (-0.4, 1.55), (-0.45, 0.45))


def slider_crank_pose(axes: Axes, motion: Motion, t: int, alpha: float = 1.0) -> None:
    """Slider-crank at frame t; pale without hinges."""
    A, B, O = motion.point("crank.A")[t], motion.point("slider.B")[t], np.zeros(2)
    corners = np.array([[-0.11, -0.075], [0.11, -0.075], [0.11, 0.075], [-0.11, 0.075]]) + B
    axes.fill(*corners.T, facecolor=GREEN, edgecolor="none", alpha=0.85 * alpha, zorder=2)
    bar(axes, O, A, BLUE, alpha)
    bar(axes, A, B, ORANGE, alpha)
    if alpha == 1.0:
        support(axes, O, 0.085)
        hinges(axes, O, A, B)


def bennett_scene(axes: Axes3D, motion: Motion, zoom: float = 1.15) -> None:
    """Paths of the two moving hinges of Bennett's linkage."""
    for name in ("bar2.B", "bar3.B"):
        axes.plot(*motion.point(name).T, color=GREY, linewidth=0.9, linestyle=":")
    names = ("x [m]", "y [m]", "z [m]")
    in_space(axes, (-1.8, -1.0, -1.0), (2.2, 2.6, 1.0), names, view=(24.0, -58.0), step=1.0, zoom=zoom)


def bennett_pose(axes: Axes3D, motion: Motion, t: int, alpha: float = 1.0) -> None:
    """Bennett's linkage at frame t, with the axes of its hinges; pale without axes."""
    corners = [motion.point(f"bar{k}.A")[t] for k in (1, 2, 3, 4)]
    for k, colour in enumerate((INK, BLUE, ORANGE, GREEN)):
        bar(axes, corners[k], corners[(k + 1) % 4], colour, alpha, width=3.5)
    if alpha == 1.0:
        for k, corner in enumerate(corners, start=1):
            axis = AXIS_LENGTH * motion.system.layout.vector(f"bar{k}.first")(motion.q[t])
            bar(axes, corner - axis, corner + axis, RED, width=2.0)


def parallelogram_scene(axes: Axes, motion: Motion) -> None:
    """Circles of the two cranks, and the line of the change points."""
    for name in ("crank.A", "coupler.B"):
        axes.plot(*motion.point(name).T, color=GREY, linewidth=0.9, linestyle=":")
    axes.plot([-1.35, 3.35], [0.0, 0.0], color=PALE, linewidth=1.0, zorder=1)
    plane(axes, (-1.7, 3.3), (-1.5, 1.5))
