"""A figure over the sphere of directions, unrolled: contours with their unit, drawn by matplotlib in any thread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtGui import QImage

from biomec.base.arrays import FloatArray
from biomec.base.atomic import atomic_path
from biomec.base.errors import FileError
from biomec.machines.head_neck.direction_map import WORDS, SweepTable
from biomec_app.kit.theme import LIGHT, Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEFT, RIGHT, BOTTOM, TOP = 58.0, 82.0, 56.0, 30.0  # pixels around the map in the picture
BAR, GAP = 14.0, 12.0  # pixels: width of the scale, and how far right of the map it stands
STEP_DEG = 4.0  # between points of the grid that contours are drawn through
LEVELS = 9
DPI = 100.0
PAPER = (900, 480)  # pixels of a saved map
SIDES = ("back", "right", "front", "left", "back")


def picture(table: SweepTable, figure: str, theme: Theme, size: tuple[int, int], ratio: float) -> QImage:
    """The map of a figure as pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(drawn(table, figure, theme, size, ratio))
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba()).copy()
    rows, columns = pixels.shape[:2]
    image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888).copy()
    image.setDevicePixelRatio(ratio)
    return image


def drawn(table: SweepTable, figure: str, theme: Theme, size: tuple[int, int], ratio: float) -> Figure:
    """The map as a figure of matplotlib."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    words, unit, _ = WORDS[figure]
    made = Figure(figsize=(size[0] / DPI, size[1] / DPI), dpi=DPI * ratio, facecolor=theme.panel)
    left, bottom, wide, high = place(size)
    axes: Any = made.add_axes((left, bottom, wide, high), facecolor=theme.window)
    azimuth = np.arange(-180.0, 180.0 + STEP_DEG / 2, STEP_DEG)
    elevation = np.arange(-90.0, 90.0 + STEP_DEG / 2, STEP_DEG / 2)
    values = np.ma.masked_invalid(table.on(figure, azimuth, elevation))
    least, most = float(values.min()), float(values.max())
    margin = 1e-6 * max(abs(least), abs(most), 1.0)
    levels = MaxNLocator(LEVELS).tick_values(least - margin, most + margin)
    filled = axes.contourf(azimuth, elevation, values, levels=levels, cmap="viridis")
    lines = axes.contour(azimuth, elevation, values, levels=levels, colors="#FFFFFF", linewidths=0.6)
    axes.clabel(lines, fontsize=8, fmt=lambda value: f"{value:g}")
    assert table.sides is not None
    x, y, z = table.sides.T
    axes.plot(np.rad2deg(np.arctan2(y, x)), np.rad2deg(np.arcsin(z)), ".", color="#FFFFFF", markersize=2.5, alpha=0.8)
    quarters = np.arange(-180.0, 181.0, 90.0)
    axes.set_xticks(quarters, [f"{angle:g}\n{side}" for angle, side in zip(quarters, SIDES, strict=True)])
    axes.set_yticks(np.arange(-90.0, 91.0, 30.0))
    axes.set_xlim(-180.0, 180.0)
    axes.set_ylim(-90.0, 90.0)
    axes.set_xlabel("Azimuth the blow comes from [°]", color=theme.text, fontsize=9, labelpad=2)
    axes.set_ylabel("Elevation [°]", color=theme.text, fontsize=9)
    axes.set_title(f"{words} [{unit}]" if unit else words, color=theme.text, fontsize=10)
    scale: Any = made.add_axes((left + wide + GAP / size[0], bottom, BAR / size[0], high))
    made.colorbar(filled, cax=scale)
    for one in (axes, scale):
        one.tick_params(colors=theme.text, labelsize=8)
        for edge in one.spines.values():
            edge.set_color(theme.line)
    return made


def place(size: tuple[float, float]) -> tuple[float, float, float, float]:
    """Left, bottom, width and height of the map in a picture of some pixels, as parts of it."""
    across, up = max(size[0] - LEFT - RIGHT, 40.0), max(size[1] - BOTTOM - TOP, 40.0)
    return LEFT / size[0], BOTTOM / size[1], across / size[0], up / size[1]


def side_at(x: float, y: float, size: tuple[float, float]) -> FloatArray | None:
    """Unit vector (3,) of the direction under a pixel from the top left corner; None beside the map."""
    left, bottom, wide, high = place(size)
    across, up = (x / size[0] - left) / wide, (1.0 - y / size[1] - bottom) / high
    if not (0.0 <= across <= 1.0 and 0.0 <= up <= 1.0):
        return None
    a, e = np.deg2rad(360.0 * across - 180.0), np.deg2rad(180.0 * up - 90.0)
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


def save(table: SweepTable, figure: str, path: Path) -> None:
    """Write a map as PNG, SVG or PDF."""
    ending = path.suffix.lower().removeprefix(".")
    if ending not in ("png", "svg", "pdf"):
        raise FileError(path.name, "the map can be saved as png, svg or pdf; change the end of the name.")
    with atomic_path(path) as temporary:
        drawn(table, figure, LIGHT, PAPER, 1.0).savefig(temporary, format=ending, dpi=2.0 * DPI)
