r"""Do two methods agree? Limits of agreement for each axis, and for vectors as a whole.

For one axis [BlandAltman1986]: with the differences δ = b − a, their mean (the bias) and standard deviation σ, a share
1 − α of the differences is expected within bias ± z σ, z = Φ⁻¹(1 − α/2). In space the three intervals make a box, which
favours its corners; [Nunes2017] (appendix A) accepts the ellipsoid about the bias instead,
Σ ((δ_i − bias_i) / r_i)² ≤ 1.

Two radii are in use. ``interval`` takes r_i = z σ_i literally: the ellipsoid touches the box from inside, and for
normal and independent differences holds the share P(χ²₃ ≤ z²) only, 56.1 % at α = 0.1 (the box (1 − α)³ = 72.9 %).
``chi2`` takes r_i = σ_i √(χ²₃,₁₋α), 2.500 σ_i at α = 0.1, and holds 1 − α as it says.

Rebuilt markers are compared with measured ones by the agreement of vectors: measured markers beside where the others of
their segment put them.

Plot data of vector agreement: three half-axes from one point, 120° apart [Nunes2017] (Fig. A.3).

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

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info
from biomec.recording import Markers

FEWEST_POINTS = 3


class Radius(StrEnum):
    """Which ellipsoid is meant."""

    INTERVAL = "interval"
    CHI2 = "chi2"


@dataclass(frozen=True)
class AgreementOptions:
    """alpha: share of the differences that is allowed outside; radius: the ellipsoid to draw and to speak of."""

    alpha: float = 0.1
    radius: Radius = Radius.CHI2

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 1.0:
            raise BiomecError(f"Agreement: alpha is {self.alpha:g}; it must lie between 0 and 1, such as 0.05.")


@dataclass(frozen=True)
class BlandAltman:
    """Scalar agreement, axis by axis; K axes. Arrays are read-only, in the unit of the data.

    mean, difference : (N, K) (a + b)/2 and b − a of every pair: the classic plot
    bias, sd         : (K,) of the differences (sample standard deviation)
    lower, upper     : (K,) limits of agreement
    bias_error, limit_error : (K,) standard errors of the bias, σ/√N, and of a limit, σ √(1/N + z²/(2(N − 1)))
    inside           : (K,) observed share of the differences within the limits; expected is 1 − α
    pearson          : (K,) correlation of a with b; NaN where one of them is constant
    trend            : (K,) correlation of mean with difference: far from 0, the bias depends on the size
    """

    mean: FloatArray
    difference: FloatArray
    bias: FloatArray
    sd: FloatArray
    lower: FloatArray
    upper: FloatArray
    bias_error: FloatArray
    limit_error: FloatArray
    inside: FloatArray
    pearson: FloatArray
    trend: FloatArray
    alpha: float
    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class Ellipsoid:
    """One definition of the ellipsoid: radii (3,), share of the points inside, and the share a normal law expects."""

    radii: FloatArray
    inside: float
    expected: float


@dataclass(frozen=True)
class VectorAgreement:
    """Agreement of vectors: the three axes, the box of their limits, and the ellipsoid by both definitions.

    box_inside, box_expected : share of the points within all three limits at once, and (1 − α)³
    """

    axes: BlandAltman
    interval: Ellipsoid
    chi2: Ellipsoid
    box_inside: float
    box_expected: float
    options: AgreementOptions

    @property
    def ellipsoid(self) -> Ellipsoid:
        """The ellipsoid by the definition that was asked for."""
        return self.interval if self.options.radius is Radius.INTERVAL else self.chi2

    def summary(self) -> str:
        """One sentence with both ellipsoids and what they should hold."""
        both = ", ".join(
            f"{100 * one.inside:.1f} % in the {name} ellipsoid ({100 * one.expected:.1f} % expected)"
            for name, one in (("interval", self.interval), ("chi2", self.chi2))
        )
        return f"{100 * self.box_inside:.1f} % in the box ({100 * self.box_expected:.1f} % expected), {both}."


def bland_altman(a: ArrayLike, b: ArrayLike, alpha: float = 0.05) -> BlandAltman:
    """Limits of agreement of ``b`` with ``a``, both (N,) or (N, K); pairs with a missing value are left out."""
    AgreementOptions(alpha)  # refuses an impossible alpha
    first, second, notices = _pairs(a, b)
    n = len(first)
    z = float(scipy.stats.norm.ppf(1.0 - 0.5 * alpha))
    mean, difference = 0.5 * (first + second), second - first
    bias, sd = difference.mean(axis=0), difference.std(axis=0, ddof=1)
    lower, upper = bias - z * sd, bias + z * sd
    return BlandAltman(
        read_only(mean),
        read_only(difference),
        read_only(bias),
        read_only(sd),
        read_only(lower),
        read_only(upper),
        read_only(sd / np.sqrt(n)),
        read_only(sd * np.sqrt(1.0 / n + z**2 / (2.0 * (n - 1)))),
        read_only(((difference >= lower) & (difference <= upper)).mean(axis=0)),
        read_only(correlation(first, second)),
        read_only(correlation(mean, difference)),
        alpha,
        tuple(notices),
    )


def vector_agreement(a: ArrayLike, b: ArrayLike, options: AgreementOptions = AgreementOptions()) -> VectorAgreement:
    """Agreement of vectors ``b`` with ``a``, both (N, 3): per axis, in the box, and in both ellipsoids. [Nunes2017]"""
    axes = bland_altman(a, b, options.alpha)
    if axes.difference.shape[1] != 3:
        raise BiomecError(f"Agreement of vectors needs three components, not {axes.difference.shape[1]}.")
    if not (axes.sd > 0.0).all():
        raise BiomecError("Agreement of vectors: the differences do not vary along one axis, so there is no ellipsoid.")
    share = 1.0 - options.alpha
    z = float(scipy.stats.norm.ppf(1.0 - 0.5 * options.alpha))
    distance = np.linalg.norm((axes.difference - axes.bias) / axes.sd, axis=1)  # in standard deviations
    interval, chi2 = (
        Ellipsoid(read_only(s * axes.sd), float((distance <= s).mean()), float(scipy.stats.chi2.cdf(s**2, 3)))
        for s in (z, float(np.sqrt(scipy.stats.chi2.ppf(share, 3))))
    )
    within = (axes.difference >= axes.lower) & (axes.difference <= axes.upper)
    return VectorAgreement(axes, interval, chi2, float(within.all(axis=1).mean()), share**3, options)


def _pairs(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray, list[Notice]]:
    """Both as (N, K), without the pairs that miss a value."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape or first.ndim not in (1, 2):
        raise BiomecError(f"Agreement compares pairs: shapes {first.shape} and {second.shape} do not match.")
    if first.ndim == 1:
        first, second = first[:, None], second[:, None]
    whole = np.asarray(np.isfinite(first).all(axis=1) & np.isfinite(second).all(axis=1))
    if whole.sum() < FEWEST_POINTS:
        raise BiomecError(f"Agreement needs at least {FEWEST_POINTS} complete pairs; there are {whole.sum()}.")
    notices = []
    if not whole.all():
        sentence = f"{np.sum(~whole)} of {len(whole)} pairs miss a value and were left out."
        notices.append(info("pairs-left-out", sentence))
    return first[whole], second[whole], notices


def correlation(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's r (K,) of columns; NaN where a column is constant."""
    u, v = x - x.mean(axis=0), y - y.mean(axis=0)
    size = np.sqrt((u * u).sum(axis=0) * (v * v).sum(axis=0))
    return np.asarray((u * v).sum(axis=0) / np.where(size > 0.0, size, np.nan))


# ------------------------------------------------------------------------------------------------------ rebuilt markers


MILLIMETRE = 1e3


def checkable(measured: Markers, rebuilt: Markers) -> tuple[str, ...]:
    """Markers that are measured and rebuilt at once in enough frames to be compared."""
    found = []
    for name in measured.names:
        if name in rebuilt:
            both = measured.visible[:, measured.index(name)] & rebuilt.visible[:, rebuilt.index(name)]
            if int(both.sum()) >= FEWEST_POINTS:
                found.append(name)
    return tuple(found)


def rebuilding_agreement(
    measured: Markers, rebuilt: Markers, names: Sequence[str], options: AgreementOptions = AgreementOptions()
) -> VectorAgreement:
    """Agreement of the rebuilt with the measured positions of some markers, pooled [mm]."""
    if not names:
        raise BiomecError("No marker is both measured and rebuilt, so that there is nothing to compare.")
    a, b = (_pooled(markers, names) for markers in (measured, rebuilt))
    whole = np.isfinite(a).all(axis=1) & np.isfinite(b).all(axis=1)
    return vector_agreement(MILLIMETRE * a[whole], MILLIMETRE * b[whole], options)


def _pooled(markers: Markers, names: Sequence[str]) -> FloatArray:
    return np.concatenate([markers[name] for name in names])


# ------------------------------------------------------------------------------------------------- plot data of vectors


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
