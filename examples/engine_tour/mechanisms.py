"""Pictures of the engine tour's mechanisms: linkages along their motion, the modes of a pendulum, and an animation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from mpl_toolkits.mplot3d import Axes3D
from PIL import Image  # comes with matplotlib, which needs it for every picture file

from biomec.engine.reference.planar import slider_position
from biomec_app.figures.export import save_figure
from biomec_app.figures.style import PAPER, new_figure, quiet
from examples.engine_tour.drawing import (
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
    space,
    support,
    title,
)
from examples.engine_tour.stops import CRANK, ROD, MechanismTurn, SmallSwings

COUPLER_POINT = (1.5, 1.0)  # in the coupler of the four-bar [m]
AXIS_LENGTH = 0.22  # of a drawn hinge axis, to each side [m]
PALE_POSE = 0.17
SWING = 0.3  # largest sideways motion in the drawing of a mode [m]
COLOURS = 48  # in the GIF: enough for smooth edges
PICTURE_MS = 60


def draw_mechanisms(
    path: Path,
    four_bar: MechanismTurn,
    slider_crank: MechanismTurn,
    parallelogram: MechanismTurn,
    bennett: MechanismTurn,
    pendulum: SmallSwings,
) -> None:
    """Write the figure of all mechanisms."""
    figure = new_figure((14.0, 8.8), layout="none")
    grid = figure.add_gridspec(2, 3, left=0.05, right=0.975, bottom=0.07, top=0.91, wspace=0.24, hspace=0.34)
    _four_bar(figure.add_subplot(grid[0, 0]), four_bar)
    _slider_crank(figure.add_subplot(grid[0, 1]), slider_crank)
    _slider_curve(figure.add_subplot(grid[0, 2]), slider_crank)
    _parallelogram(figure.add_subplot(grid[1, 0]), parallelogram)
    _bennett(space(figure, grid[1, 1]), bennett)
    _modes(figure.add_subplot(grid[1, 2]), pendulum)
    save_figure(figure, path)


def _four_bar(axes: Axes, motion: MechanismTurn) -> None:
    four_bar_scene(axes, motion)
    for t in (100, 160, 220):
        four_bar_pose(axes, motion, t, PALE_POSE)
    four_bar_pose(axes, motion, 40)
    A, B = motion.point("crank.A")[40], motion.point("coupler.B")[40]
    C = motion.body_point("coupler", COUPLER_POINT)[40]
    for name, at in (
        ("O", (-0.42, 0.0)),
        ("A", np.add(A, (0.2, -0.12))),
        ("B", np.add(B, (0.18, 0.1))),
        ("P", (3.22, 0.0)),
    ):
        axes.text(*at, name, fontsize=10, color=INK, va="center")
    axes.text(*np.add(C, (0.0, 0.18)), "C", fontsize=10, color=RED, va="bottom", ha="center")
    title(axes, "Four-bar linkage", "red: path of point C of the coupler over a full turn")


def _slider_crank(axes: Axes, motion: MechanismTurn) -> None:
    slider_crank_scene(axes, motion)
    for t in (100, 150, 200):
        slider_crank_pose(axes, motion, t, PALE_POSE)
    slider_crank_pose(axes, motion, 32)
    title(axes, "Slider-crank", f"crank {CRANK:g} m, rod {ROD:g} m; pale: later positions")


def _slider_curve(axes: Axes, motion: MechanismTurn) -> None:
    degrees, some = np.degrees(motion.angle), slice(None, None, 8)
    axes.plot(degrees, slider_position(motion.angle, CRANK, ROD), color=INK, linewidth=1.4, label="closed form")
    axes.plot(
        degrees[some], motion.point("slider.B")[some, 0], "o", color="none", markeredgecolor=RED, markersize=6.0,
        markeredgewidth=1.4, label="engine, every 12°",
    )  # fmt: skip
    axes.set(xlim=(0, 360), ylim=(0.6, 1.4), xlabel="crank angle [°]", ylabel="x of the slider [m]")
    axes.set_xticks(range(0, 361, 60))
    quiet(axes, PAPER, grid="both")
    axes.legend(loc="upper center", fontsize=9, frameon=False)
    title(axes, "Slider-crank: position", "engine on the closed form r cos φ + √(l² − r² sin² φ)")


def _parallelogram(axes: Axes, motion: MechanismTurn) -> None:
    parallelogram_scene(axes, motion)
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


def _bennett(axes: Axes3D, motion: MechanismTurn) -> None:
    bennett_scene(axes, motion)
    place = axes.get_position()
    axes.set_position((place.x0 - 0.025, place.y0, place.width, place.height))  # the name of z stands at the right
    for t in (40, 120):
        bennett_pose(axes, motion, t, 0.22)
    bennett_pose(axes, motion, 215)
    title(axes, "Bennett's linkage", "54 rows for 48 coordinates, and yet it moves")


def _modes(axes: Axes, swing: SmallSwings) -> None:
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


# ------------------------------------------------------------------------------------------------------------ animation
def animate_mechanisms(
    path: Path, four_bar: MechanismTurn, slider_crank: MechanismTurn, bennett: MechanismTurn, pictures: int
) -> None:
    """Write one turn of the three mechanisms in ``pictures`` pictures, repeated for ever."""
    turn = np.linspace(0, len(four_bar.angle) - 1, pictures, endpoint=False).astype(int)
    frames = [_picture(four_bar, slider_crank, bennett, int(t)) for t in turn]
    palette = frames[0].quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
    images = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    images[0].save(path, save_all=True, append_images=images[1:], duration=PICTURE_MS, loop=0, optimize=True)


def _picture(four_bar: MechanismTurn, slider_crank: MechanismTurn, bennett: MechanismTurn, t: int) -> Image.Image:
    figure = new_figure((10.4, 3.3), dpi=90, layout="none")
    canvas = FigureCanvasAgg(figure)
    left, middle = figure.add_axes((0.045, 0.14, 0.275, 0.72)), figure.add_axes((0.375, 0.14, 0.25, 0.72))
    right = space(figure, (0.655, 0.02, 0.28, 0.88))
    four_bar_scene(left, four_bar)
    four_bar_pose(left, four_bar, t)
    slider_crank_scene(middle, slider_crank)
    slider_crank_pose(middle, slider_crank, t)
    bennett_scene(right, bennett, zoom=1.0)
    bennett_pose(right, bennett, t)
    for x, name in ((0.045, "Four-bar linkage"), (0.375, "Slider-crank"), (0.665, "Bennett's linkage")):
        figure.text(x, 0.91, name, fontsize=11, fontweight="bold", color=INK)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


# ---------------------------------------------------------- one position of a mechanism, for figure and animation alike
def four_bar_scene(axes: Axes, motion: MechanismTurn) -> None:
    """Paths of the four-bar's moving hinges and of a point of its coupler."""
    axes.plot(*motion.point("crank.A").T, color=BLUE, linewidth=0.9, linestyle=":")
    axes.plot(*motion.point("coupler.B").T, color=GREEN, linewidth=0.9, linestyle=":")
    axes.plot(*motion.body_point("coupler", COUPLER_POINT).T, color=RED, linewidth=1.8)
    plane(axes, (-1.7, 4.1), (-1.4, 3.2))


def four_bar_pose(axes: Axes, motion: MechanismTurn, t: int, alpha: float = 1.0) -> None:
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


def slider_crank_scene(axes: Axes, motion: MechanismTurn) -> None:
    """Path of the crank pin, and the guide."""
    axes.plot(*motion.point("crank.A").T, color=BLUE, linewidth=0.9, linestyle=":")
    axes.plot([0.55, 1.46], [-0.085, -0.085], color=GREY, linewidth=1.2)
    axes.plot([0.55, 1.46], [0.085, 0.085], color=GREY, linewidth=1.2)
    plane(axes, (-0.4, 1.55), (-0.45, 0.45))


def slider_crank_pose(axes: Axes, motion: MechanismTurn, t: int, alpha: float = 1.0) -> None:
    """Slider-crank at frame t; pale without hinges."""
    A, B, O = motion.point("crank.A")[t], motion.point("slider.B")[t], np.zeros(2)
    corners = np.array([[-0.11, -0.075], [0.11, -0.075], [0.11, 0.075], [-0.11, 0.075]]) + B
    axes.fill(*corners.T, facecolor=GREEN, edgecolor="none", alpha=0.85 * alpha, zorder=2)
    bar(axes, O, A, BLUE, alpha)
    bar(axes, A, B, ORANGE, alpha)
    if alpha == 1.0:
        support(axes, O, 0.085)
        hinges(axes, O, A, B)


def bennett_scene(axes: Axes3D, motion: MechanismTurn, zoom: float = 1.15) -> None:
    """Paths of the two moving hinges of Bennett's linkage."""
    for name in ("bar2.B", "bar3.B"):
        axes.plot(*motion.point(name).T, color=GREY, linewidth=0.9, linestyle=":")
    names = ("x [m]", "y [m]", "z [m]")
    in_space(axes, (-1.8, -1.0, -1.0), (2.2, 2.6, 1.0), names, view=(24.0, -58.0), step=1.0, zoom=zoom)


def bennett_pose(axes: Axes3D, motion: MechanismTurn, t: int, alpha: float = 1.0) -> None:
    """Bennett's linkage at frame t, with the axes of its hinges; pale without axes."""
    corners = [motion.point(f"bar{k}.A")[t] for k in (1, 2, 3, 4)]
    for k, colour in enumerate((INK, BLUE, ORANGE, GREEN)):
        bar(axes, corners[k], corners[(k + 1) % 4], colour, alpha, width=3.5)
    if alpha == 1.0:
        for k, corner in enumerate(corners, start=1):
            axis = AXIS_LENGTH * motion.system.layout.vector(f"bar{k}.first")(motion.q[t])
            bar(axes, corner - axis, corner + axis, RED, width=2.0)


def parallelogram_scene(axes: Axes, motion: MechanismTurn) -> None:
    """Circles of the two cranks, and the line of the change points."""
    for name in ("crank.A", "coupler.B"):
        axes.plot(*motion.point(name).T, color=GREY, linewidth=0.9, linestyle=":")
    axes.plot([-1.35, 3.35], [0.0, 0.0], color=PALE, linewidth=1.0, zorder=1)
    plane(axes, (-1.7, 3.3), (-1.5, 1.5))
