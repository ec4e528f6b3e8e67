"""Pieces that the pictures of the engine tour share: bars, hinges, supports, axes in the plane and in space."""

from __future__ import annotations

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from mpl_toolkits.mplot3d import Axes3D
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec_app.figures.style import NORMAL, PAPER, SMALL, quiet

BLUE, RED, GREEN, _, ORANGE, _ = PAPER.signals
INK, GREY, PALE = PAPER.theme.text, PAPER.theme.faint, PAPER.theme.line


def space(figure: Figure, place: SubplotSpec | tuple[float, float, float, float]) -> Axes3D:
    """Axes for a drawing in space, with a pale grid: only the defaults at this moment reach its colour."""
    with rc_context({"grid.color": PALE, "grid.linewidth": 0.6}):
        add = figure.add_subplot if isinstance(place, SubplotSpec) else figure.add_axes
        return add(place, projection="3d", proj_type="ortho", computed_zorder=False)


def title(axes: Axes, text: str, below: str) -> None:
    """A title over the place of the axes in its grid, and a lighter line under it; titles of a row stand level."""
    figure, cell = axes.get_figure(), axes.get_subplotspec()
    place = axes.get_position(original=True) if cell is None else cell.get_position(figure)
    line = 0.19 / figure.get_figheight()
    figure.text(place.x0, place.y1 + 1.6 * line, text, fontsize=11, fontweight="bold", color=INK)
    figure.text(place.x0, place.y1 + 0.6 * line, below, fontsize=9, color=GREY)


def plane(
    axes: Axes, x: tuple[float, float], y: tuple[float, float], names: tuple[str, str] = ("x [m]", "y [m]")
) -> None:
    """Axes of a planar drawing, equal in both directions, that show x and y and fill the place they have."""
    figure, place = axes.get_figure(), axes.get_position(original=True)
    width, height = place.width * figure.get_figwidth(), place.height * figure.get_figheight()
    scale = max((x[1] - x[0]) / width, (y[1] - y[0]) / height)  # metres an inch
    for letter, (low, high), size, name in (("x", x, width, names[0]), ("y", y, height, names[1])):
        middle, half = 0.5 * (low + high), 0.5 * scale * size
        axes.set(**{f"{letter}lim": (middle - half, middle + half), f"{letter}label": name})
    quiet(axes, PAPER, grid="")


def bar(axes: Axes, start: FloatArray, stop: FloatArray, colour: str, alpha: float = 1.0, width: float = 4.0) -> None:
    """A bar between two points, in the plane or in space."""
    ends = np.stack([start, stop], axis=-1)
    axes.plot(*ends, color=colour, alpha=alpha, linewidth=width, solid_capstyle="round", zorder=3)


def hinges(axes: Axes, *points: FloatArray, size: float = 6.0) -> None:
    """Hinges as open circles."""
    axes.plot(
        *np.stack(points, axis=-1),
        "o",
        color="white",
        markeredgecolor=INK,
        markersize=size,
        markeredgewidth=1.3,
        zorder=5,
    )


def support(axes: Axes, at: FloatArray, size: float) -> None:
    """Foot of a hinge held by the ground: a triangle on a line."""
    x, y = at
    triangle = np.array([[0.0, 0.0], [-0.6, -1.0], [0.6, -1.0], [0.0, 0.0]]) * size + (x, y)
    axes.fill(*triangle.T, facecolor=PALE, edgecolor=INK, linewidth=1.0, zorder=2)
    axes.plot([x - size, x + size], [y - size, y - size], color=INK, linewidth=1.0, zorder=2)


def in_space(
    axes: Axes3D,
    low: ArrayLike,
    high: ArrayLike,
    names: tuple[str, str, str],
    *,
    view: tuple[float, float],
    step: float,
    zoom: float,
    label_pad: float = -2.0,
) -> None:
    """Axes of a drawing in space between two corners, equal in all directions, with a tick every ``step``.

    view      : elevation and azimuth of the eye [°]
    label_pad : between the numbers and the name of an axis [points]
    """
    axes.set_box_aspect(np.subtract(high, low), zoom=zoom)
    axes.view_init(*view)
    limits = zip("xyz", np.asarray(low), np.asarray(high), names, strict=True)
    for letter, first, last, name in limits:
        ticks = np.arange(np.ceil(first / step - 1e-9), np.floor(last / step + 1e-9) + 1) * step
        axes.set(**{f"{letter}lim": (first, last), f"{letter}ticks": ticks, f"{letter}label": name})
        axis = getattr(axes, f"{letter}axis")
        axis.set_pane_color((0.97, 0.97, 0.97, 1.0))
        axis.label.set_size(NORMAL)
        axis.labelpad = label_pad
    axes.tick_params(labelsize=SMALL, pad=-1.0)
