r"""Plot data of vector agreement: three half-axes from one point, 120° apart [Nunes2017] (Fig. A.3).

Each axis shows the differences of one dimension; its origin lies at o_i = min(lower limit_i, 0), so that all that is
drawn lies on the half-axis. Each pair of axes spans an oblique plane, in which a difference stands at

    P = (δ_i − o_i) ê_i + (δ_j − o_j) ê_j.

             ê_0
              |       o  zero      ●  bias
              ●
              o        A bias between the common point and zero is negative, one beyond zero positive.
              |
            /   \
          o       o
        ●           ●
     ê_1             ê_2

In every plane: the box of the limits (a parallelogram), the ellipse, and lines of equal density of the differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, read_only
from biomec.reporting.statistics.agreement import VectorAgreement

DIRECTIONS = read_only(
    [[np.cos(angle), np.sin(angle)] for angle in np.radians([90.0, 210.0, 330.0])]
)  # (3, 2) of the half-axes on paper
PLANES = ((0, 1), (1, 2), (2, 0))
ELLIPSE_POINTS = 181
GRID = 96
CONTENTS = (0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True)
class ObliquePlane:
    """What is drawn between two half-axes; points are (…, 2) on paper, in the unit of the data.

    axes    : which two dimensions
    centre  : (2,) where the two bias lines meet
    box     : (5, 2) the limits of both, as a closed line
    ellipse : (181, 2) closed line
    points  : (N, 2) the differences themselves
    grid    : (G, G, 2) where the density is given
    density : (G, G) of the differences, per square unit of the two dimensions
    levels  : (L,) densities whose lines enclose 25, 50, 75 and 90 % of the differences, from inside out
    """

    axes: tuple[int, int]
    centre: FloatArray
    box: FloatArray
    ellipse: FloatArray
    points: FloatArray
    grid: FloatArray
    density: FloatArray
    levels: FloatArray


@dataclass(frozen=True)
class HalfAxesPlot:
    """All that the plot needs.

    directions : (3, 2) unit vectors of the half-axes on paper
    origin     : (3,) value of each dimension at the common point
    zero, bias : (3, 2) marks on the half-axes: open circle, filled circle
    ends       : (3, 2) where the half-axes end
    """

    directions: FloatArray
    origin: FloatArray
    zero: FloatArray
    bias: FloatArray
    ends: FloatArray
    planes: tuple[ObliquePlane, ...]


def half_axes_plot(agreement: VectorAgreement) -> HalfAxesPlot:
    """Lay out the agreement on three half-axes; the lower limit is that of the box or of the ellipsoid, if lower."""
    axes, radii = agreement.axes, agreement.ellipsoid.radii
    reach = np.maximum(radii, axes.bias - axes.lower)
    origin = np.minimum(axes.bias - reach, 0.0)
    ends = np.maximum(axes.bias + reach, 0.0) - origin
    planes = []
    for i, j in PLANES:
        pair = [i, j]
        to_paper = DIRECTIONS[pair]  # (2, 2): rows ê_i, ê_j

        def on_paper(values: FloatArray, pair: list[int] = pair, to_paper: FloatArray = to_paper) -> FloatArray:
            return np.asarray((values - origin[pair]) @ to_paper)

        turn = np.linspace(0.0, 2.0 * np.pi, ELLIPSE_POINTS)
        low, high = axes.lower[pair], axes.upper[pair]
        corners = np.array(
            [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]], [low[0], low[1]]]
        )
        grid, density, levels = density_grid(axes.difference[:, pair])
        planes.append(
            ObliquePlane(
                (i, j),
                read_only(on_paper(axes.bias[pair])),
                read_only(on_paper(corners)),
                read_only(on_paper(axes.bias[pair] + radii[pair] * np.stack([np.cos(turn), np.sin(turn)], axis=1))),
                read_only(on_paper(axes.difference[:, pair])),
                read_only(on_paper(grid)),
                read_only(density),
                read_only(levels),
            )
        )
    return HalfAxesPlot(
        DIRECTIONS,
        read_only(origin),
        read_only((0.0 - origin)[:, None] * DIRECTIONS),
        read_only((axes.bias - origin)[:, None] * DIRECTIONS),
        read_only(ends[:, None] * DIRECTIONS),
        tuple(planes),
    )


def density_grid(points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Smoothed density of ``points`` (N, 2): grid (G, G, 2), density (G, G), levels (L,).

    A histogram blurred by a normal kernel of width σ N^(−1/6) (Scott's rule in two dimensions [Scott1992]), so that
    many points cost no more than their counting. A level encloses its share of the blurred histogram.
    """
    width = points.std(axis=0, ddof=1) * len(points) ** (-1.0 / 6.0)
    low, high = points.min(axis=0) - 4.0 * width, points.max(axis=0) + 4.0 * width
    edges = [np.linspace(low[k], high[k], GRID + 1) for k in range(2)]
    count, _, _ = np.histogram2d(points[:, 0], points[:, 1], bins=edges)
    cell = (high - low) / GRID
    blurred: FloatArray = scipy.ndimage.gaussian_filter(count, width / cell, mode="constant", truncate=4.0)
    density = blurred / (len(points) * cell.prod())
    falling = np.sort(density.ravel())[::-1]
    at = np.searchsorted(np.cumsum(falling), np.array(CONTENTS) * falling.sum())
    centres = [edge[:-1] + 0.5 * step for edge, step in zip(edges, cell, strict=True)]
    grid = np.stack(np.meshgrid(*centres, indexing="ij"), axis=-1)
    return grid, density, falling[at]
