"""Layout of the half-axes plot: what can be read off it is what was put in."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from biomec.reporting.statistics.agreement import AgreementOptions, Radius, vector_agreement
from biomec.reporting.statistics.half_axes import density_grid, half_axes_plot


@pytest.fixture(params=list(Radius))
def drawn(request):
    rng = np.random.default_rng(1)
    a = rng.normal(size=(5000, 3))
    b = a + [0.4, -0.8, 6.0] + [0.5, 1.0, 1.5] * rng.normal(size=a.shape)
    agreement = vector_agreement(a, b, AgreementOptions(0.1, request.param))
    return agreement, half_axes_plot(agreement)


def read_off(plot, plane, points):
    """Differences of the two dimensions, from a place on paper."""
    i, j = plane.axes
    return np.linalg.solve(plot.directions[[i, j]].T, points.T).T + plot.origin[[i, j]]


def test_half_axes_are_120_degrees_apart(drawn):
    _, plot = drawn
    assert_allclose(plot.directions @ plot.directions.T, np.where(np.eye(3) > 0, 1.0, -0.5), atol=1e-15)


def test_axes_start_at_the_lower_limit_or_at_zero(drawn):
    agreement, plot = drawn
    lower = agreement.axes.bias - agreement.ellipsoid.radii
    assert_allclose(plot.origin[:2], lower[:2])
    assert plot.origin[2] == 0.0  # a bias of 6 with a spread of 1.5: all of it beyond zero
    if agreement.options.radius is Radius.INTERVAL:
        assert_allclose(plot.origin, np.minimum(agreement.axes.lower, 0.0))


def test_a_negative_bias_lies_between_the_common_point_and_zero(drawn):
    agreement, plot = drawn
    zero, bias = np.linalg.norm(plot.zero, axis=1), np.linalg.norm(plot.bias, axis=1)
    assert (np.sign(bias - zero) == np.sign(agreement.axes.bias)).all()
    assert_allclose(bias - zero, agreement.axes.bias, atol=1e-12)
    assert (np.linalg.norm(plot.ends, axis=1) >= np.maximum(zero, bias)).all()


def test_boxes_ellipses_and_points_can_be_read_off(drawn):
    agreement, plot = drawn
    axes, radii = agreement.axes, agreement.ellipsoid.radii
    assert sorted(plane.axes for plane in plot.planes) == [(0, 1), (1, 2), (2, 0)]
    for plane in plot.planes:
        pair = list(plane.axes)
        assert_allclose(read_off(plot, plane, plane.centre[None])[0], axes.bias[pair], atol=1e-12)
        box = read_off(plot, plane, plane.box)
        assert_allclose(box.min(axis=0), axes.lower[pair], atol=1e-12)
        assert_allclose(box.max(axis=0), axes.upper[pair], atol=1e-12)
        assert_allclose(plane.box[0], plane.box[-1])
        ellipse = (read_off(plot, plane, plane.ellipse) - axes.bias[pair]) / radii[pair]
        assert_allclose(np.linalg.norm(ellipse, axis=1), 1.0, atol=1e-12)
        assert_allclose(read_off(plot, plane, plane.points), axes.difference[:, pair], atol=1e-12)


def test_density_is_that_of_the_normal_law_and_its_lines_enclose_their_share():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(100_000, 2)) * [1.0, 2.0]
    grid, density, levels = density_grid(points)
    cell = np.prod(grid[1, 1] - grid[0, 0])
    assert density.sum() * cell == pytest.approx(1.0, abs=1e-3)
    truth = stats.multivariate_normal([0.0, 0.0], [[1.0, 0.0], [0.0, 4.0]]).pdf(grid)
    # counts under a kernel 0.15 σ wide scatter by 1.5 %, the worst of a thousand cells by 3.5 times that, and its width
    # lowers the peak by 2 %
    assert np.abs(density - truth).max() < 0.08 * truth.max()
    # lines of a normal law that enclose p lie at density max·(1 − p)
    assert_allclose(levels / truth.max(), [0.75, 0.5, 0.25, 0.1], atol=0.03)


def test_density_of_few_points():
    _, density, levels = density_grid(np.array([[0.0, 0.0], [1.0, 2.0], [0.5, -1.0]]))
    assert np.isfinite(density).all()
    assert (np.diff(levels) <= 0.0).all()
