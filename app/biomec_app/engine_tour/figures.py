"""Figure of the engine tour's mechanisms: linkages along their motion, and the modes of a pendulum."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from mpl_toolkits.mplot3d import Axes3D

from biomec.engine.reference.planar import slider_position
from biomec_app.engine_tour import poses
from biomec_app.engine_tour.drawing import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    RED,
    bar,
    hinges,
    new_figure,
    plane,
    quiet,
    save,
    space,
    support,
    title,
)
from biomec_app.engine_tour.stops import CRANK, ROD, Motion, Swing

PALE_POSE = 0.17
SWING = 0.3  # largest sideways motion in the drawing of a mode [m]


def draw_mechanisms(
    path: Path, four_bar: Motion, slider_crank: Motion, parallelogram: Motion, bennett: Motion, pendulum: Swing
) -> None:
    """Write the figure of all mechanisms."""
    figure = new_figure(14.0, 8.8)
    grid = figure.add_gridspec(2, 3, left=0.05, right=0.975, bottom=0.07, top=0.91, wspace=0.24, hspace=0.34)
    _four_bar(figure.add_subplot(grid[0, 0]), four_bar)
    _slider_crank(figure.add_subplot(grid[0, 1]), slider_crank)
    _slider_curve(figure.add_subplot(grid[0, 2]), slider_crank)
    _parallelogram(figure.add_subplot(grid[1, 0]), parallelogram)
    _bennett(space(figure, grid[1, 1]), bennett)
    _modes(figure.add_subplot(grid[1, 2]), pendulum)
    save(figure, path)


def _four_bar(axes: Axes, motion: Motion) -> None:
    poses.four_bar_scene(axes, motion)
    for t in (100, 160, 220):
        poses.four_bar_pose(axes, motion, t, PALE_POSE)
    poses.four_bar_pose(axes, motion, 40)
    A, B = motion.point("crank.A")[40], motion.point("coupler.B")[40]
    C = motion.body_point("coupler", poses.COUPLER_POINT)[40]
    for name, at in (
        ("O", (-0.42, 0.0)),
        ("A", np.add(A, (0.2, -0.12))),
        ("B", np.add(B, (0.18, 0.1))),
        ("P", (3.22, 0.0)),
    ):
        axes.text(*at, name, fontsize=10, color=INK, va="center")
    axes.text(*np.add(C, (0.0, 0.18)), "C", fontsize=10, color=RED, va="bottom", ha="center")
    title(axes, "Four-bar linkage", "red: path of point C of the coupler over a full turn")


def _slider_crank(axes: Axes, motion: Motion) -> None:
    poses.slider_crank_scene(axes, motion)
    for t in (100, 150, 200):
        poses.slider_crank_pose(axes, motion, t, PALE_POSE)
    poses.slider_crank_pose(axes, motion, 32)
    title(axes, "Slider-crank", f"crank {CRANK:g} m, rod {ROD:g} m; pale: later positions")


def _slider_curve(axes: Axes, motion: Motion) -> None:
    degrees, some = np.degrees(motion.angle), slice(None, None, 8)
    axes.plot(degrees, slider_position(motion.angle, CRANK, ROD), color=INK, linewidth=1.4, label="closed form")
    axes.plot(
        degrees[some], motion.point("slider.B")[some, 0], "o", color="none", markeredgecolor=RED, markersize=6.0,
        markeredgewidth=1.4, label="engine, every 12°",
    )  # fmt: skip
    axes.set(xlim=(0, 360), ylim=(0.6, 1.4), xlabel="crank angle [°]", ylabel="x of the slider [m]")
    axes.set_xticks(range(0, 361, 60))
    axes.grid(color="#EEEEEE", linewidth=0.8)
    quiet(axes)
    axes.legend(loc="upper center", fontsize=9, frameon=False)
    title(axes, "Slider-crank: position", "engine on the closed form r cos φ + √(l² − r² sin² φ)")


def _parallelogram(axes: Axes, motion: Motion) -> None:
    poses.parallelogram_scene(axes, motion)
    O, P = np.zeros(2), motion.system.layout.ground["P"]
    A, B = motion.point("crank.A"), motion.point("coupler.B")
    # the turn starts at 90° and has steps of 1.5°
    for degrees, colour in ((120, BLUE), (180, RED), (240, GREEN), (60, ORANGE)):
        t = round((degrees - 90) % 360 / 1.5)
        bar(axes, O, A[t], colour, width=3.0)
        bar(axes, A[t], B[t], colour, width=3.0)
        bar(axes, B[t], P, colour, width=3.0)
        hinges(axes, A[t], B[t], size=5.0)
        outwards = A[t] / np.linalg.norm(A[t])
        axes.text(*(A[t] + 0.34 * outwards), f"{degrees}°", fontsize=9, color=colour, ha="center", va="center")
    support(axes, O, 0.13)
    support(axes, P, 0.13)
    hinges(axes, O, P)
    title(axes, "Parallelogram through its change points", "red: all bars in one line, a second freedom appears")


def _bennett(axes: Axes3D, motion: Motion) -> None:
    poses.bennett_scene(axes, motion)
    place = axes.get_position()
    axes.set_position((place.x0 - 0.025, place.y0, place.width, place.height))  # the name of z stands at the right
    for t in (40, 120):
        poses.bennett_pose(axes, motion, t, 0.22)
    poses.bennett_pose(axes, motion, 215)
    title(axes, "Bennett's linkage", "54 rows for 48 coordinates, and yet it moves")


def _modes(axes: Axes, swing: Swing) -> None:
    layout, q = swing.system.layout, swing.system.reference
    for mode, (centre, colour) in enumerate(((-0.9, BLUE), (0.9, GREEN))):
        change = swing.modes[:, mode] / np.abs(swing.modes[:, mode]).max() * SWING
        for size, alpha in ((-1.0, 0.3), (-0.5, 0.18), (0.5, 0.18), (1.0, 1.0)):
            points = [np.add(layout.point(f"bar{k}.P{k}")(q + size * change), (centre, 0.0)) for k in (1, 2)]
            bar(axes, np.array([centre, 0.0]), points[0], colour, alpha)
            bar(axes, points[0], points[1], colour, alpha)
        hinges(axes, np.array([centre, 0.0]), points[0])
        axes.plot([centre, centre], [0.0, -2.1], color=GREY, linewidth=0.9, linestyle=":")
        axes.text(
            centre, -2.25, f"{swing.frequencies[mode]:.3f} rad/s", fontsize=10, color=colour, ha="center", va="top"
        )
    axes.plot([-1.6, 1.6], [0.0, 0.0], color=INK, linewidth=1.6, zorder=2)
    plane(axes, (-1.9, 1.9), (-2.6, 0.25))
    title(axes, "Double pendulum", "its two small oscillations about hanging at rest")
