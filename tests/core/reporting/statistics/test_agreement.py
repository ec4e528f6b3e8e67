"""Agreement against closed forms for normal differences, and against counts by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from biomec.base.errors import BiomecError
from biomec.recording import Markers
from biomec.reporting.statistics.agreement import (
    AgreementOptions,
    Radius,
    bland_altman,
    checkable,
    density_grid,
    half_axes_plot,
    rebuilding_agreement,
    vector_agreement,
)

N = 200_000
SIGMA = np.array([0.5, 1.0, 3.0])
BIAS = np.array([0.2, -1.0, 0.0])


def normal_pair(n=N, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(scale=10.0, size=(n, 3))
    return a, a + BIAS + SIGMA * rng.normal(size=(n, 3))


def test_normal_differences_fill_the_regions_as_the_closed_forms_say():
    found = vector_agreement(*normal_pair())
    # √(p(1 − p)/N) is 0.0011 at most: four of them
    assert found.interval.inside == pytest.approx(0.561, abs=0.005)
    assert found.box_inside == pytest.approx(0.729, abs=0.005)
    assert found.chi2.inside == pytest.approx(0.900, abs=0.005)
    assert_allclose(found.axes.inside, 0.9, atol=0.005)
    assert found.interval.expected == pytest.approx(0.561, abs=5e-4)
    assert found.box_expected == pytest.approx(0.729, abs=1e-12)
    assert found.chi2.expected == pytest.approx(0.9, abs=1e-12)


def test_radii_are_1_645_and_2_500_standard_deviations():
    found = vector_agreement(*normal_pair())
    assert_allclose(found.interval.radii, 1.645 * found.axes.sd, rtol=2e-4)
    assert_allclose(found.chi2.radii, 2.500 * found.axes.sd, rtol=2e-4)
    assert_allclose(found.axes.upper - found.axes.bias, found.interval.radii, rtol=1e-12)
    assert_allclose(bland_altman(*normal_pair(), 0.05).upper, BIAS + 1.96 * SIGMA, atol=0.04)


def test_bias_and_deviation_are_those_that_were_put_in():
    axes = vector_agreement(*normal_pair()).axes
    assert_allclose(axes.bias, BIAS, atol=0.03)  # 4σ/√N
    assert_allclose(axes.sd, SIGMA, rtol=0.01)
    assert_allclose(axes.trend, SIGMA / np.sqrt(4.0 * 100.0 + SIGMA**2), atol=0.01)  # cov(mean, δ) = σ²/2
    assert_allclose(axes.pearson, 10.0 / np.sqrt(100.0 + SIGMA**2), atol=0.001)


def test_the_chosen_radius_is_the_ellipsoid_spoken_of():
    a, b = normal_pair(500)
    literal = vector_agreement(a, b, AgreementOptions(0.1, Radius.INTERVAL))
    assert literal.ellipsoid is literal.interval
    standard = vector_agreement(a, b)
    assert standard.ellipsoid is standard.chi2
    assert "56.1 % expected" in standard.summary()
    assert "90.0 % expected" in standard.summary()


def test_standard_errors_are_the_spread_over_many_samples():
    found = [bland_altman(*normal_pair(40, seed), 0.1) for seed in range(2000)]
    # 1/√(2·2000) = 1.6 % for a spread over 2000 samples: three of them
    assert_allclose(np.std([f.bias for f in found], axis=0), np.mean([f.bias_error for f in found], axis=0), rtol=0.05)
    assert_allclose(
        np.std([f.upper for f in found], axis=0), np.mean([f.limit_error for f in found], axis=0), rtol=0.05
    )


def test_five_pairs_by_hand():
    a = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    b = a + np.array([1.0, -1.0, 0.0, 1.0, -1.0])
    found = bland_altman(a, b)
    assert found.bias[0] == 0.0
    assert found.sd[0] == 1.0
    assert found.upper[0] == pytest.approx(1.959964, abs=1e-6)
    assert_allclose(found.mean[:, 0], [1.5, 1.5, 3.0, 4.5, 4.5])
    assert found.inside[0] == 1.0
    assert found.pearson[0] == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert found.trend[0] == pytest.approx(np.corrcoef((a + b) / 2, b - a)[0, 1])


@given(
    seed=st.integers(0, 2**31),
    alpha=st.floats(0.01, 0.5),
    scale=st.floats(1e-3, 1e3),
)
@settings(max_examples=40, deadline=None)
def test_regions_are_nested_and_blind_to_unit_and_place(seed, alpha, scale):
    a, b = normal_pair(60, seed)
    options = AgreementOptions(alpha)
    found = vector_agreement(a, b, options)
    # the literal ellipsoid lies in the box, the box in every slab
    assert found.interval.inside <= found.box_inside <= found.axes.inside.min()
    assert found.interval.inside <= found.chi2.inside
    place = np.array([3.0, -2.0, 7.0])
    moved = vector_agreement(scale * (a + place), scale * (b + place), options)
    assert_allclose(moved.chi2.radii, scale * found.chi2.radii, rtol=1e-9)
    assert moved.chi2.inside == pytest.approx(found.chi2.inside, abs=1.5 / 60)  # a point on the border may change sides
    swapped = vector_agreement(b, a, options)
    assert_allclose(swapped.axes.bias, -found.axes.bias, atol=1e-12)
    assert swapped.chi2.inside == pytest.approx(found.chi2.inside, abs=1.5 / 60)


def test_pairs_with_missing_values_are_left_out_and_told():
    a, b = normal_pair(50)
    b[3, 1] = np.nan
    a[7] = np.nan
    found = vector_agreement(a, b)
    assert found.axes.difference.shape == (48, 3)
    assert "2 of 50 pairs" in found.axes.notices[0].sentence
    keep = np.delete(np.arange(50), [3, 7])
    assert_array_equal(found.axes.bias, vector_agreement(a[keep], b[keep]).axes.bias)


def test_constant_values_have_no_correlation():
    assert np.isnan(bland_altman(np.zeros(5), np.arange(5.0)).pearson[0])


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (np.zeros((5, 3)), np.zeros((4, 3)), r"\(5, 3\) and \(4, 3\)"),
        (np.zeros((5, 2)), np.ones((5, 2)), "three components, not 2"),
        (np.full((5, 3), np.nan), np.ones((5, 3)), "at least 3 complete pairs; there are 0"),
        (np.zeros((0, 3)), np.zeros((0, 3)), "at least 3 complete pairs; there are 0"),  # numpy complained instead
        (np.zeros(0), np.zeros(0), "at least 3 complete pairs; there are 0"),
        (np.zeros((5, 0)), np.zeros((5, 0)), "three components, not 0"),
        (np.zeros((5, 3)), np.ones((5, 3)), "do not vary"),
    ],
)
def test_what_cannot_be_compared_is_refused(a, b, words):
    with pytest.raises(BiomecError, match=words):
        vector_agreement(a, b)


def test_an_impossible_alpha_is_refused():
    with pytest.raises(BiomecError, match="alpha"):
        bland_altman(np.zeros(5), np.ones(5), 1.5)


def pair(frames=20_000, seed=4):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(frames, 2, 3))
    noise = rng.normal(size=truth.shape) * [0.001, 0.002, 0.003] + [0.0005, 0.0, -0.001]
    names = ("A", "B")
    return Markers(names, truth, 100.0), Markers(names, truth + noise, 100.0)


def test_bias_and_spread_of_known_noise_come_back_in_millimetres():
    measured, rebuilt = pair()
    found = rebuilding_agreement(measured, rebuilt, ("A", "B")).axes
    # standard errors at 40 000 pairs: bias σ/200 ≤ 0.015 mm, spread σ/283; five of them
    assert_allclose(found.bias, [0.5, 0.0, -1.0], atol=0.08)
    assert_allclose(found.sd, [1.0, 2.0, 3.0], rtol=0.02)
    assert len(found.difference) == 40_000


def test_the_chi2_ellipsoid_holds_what_it_promises():
    one = rebuilding_agreement(*pair(), ("A",)).ellipsoid
    assert one.expected == pytest.approx(0.9)
    assert one.inside == pytest.approx(0.9, abs=0.011)  # five binomial standard errors at 20 000 pairs


def test_only_markers_that_are_seen_and_rebuilt_at_once_can_be_checked():
    measured, rebuilt = pair(10)
    p = rebuilt.p_WM.copy()
    p[2:, 1] = np.nan
    assert checkable(measured, Markers(rebuilt.names, p, 100.0)) == ("A",)
    assert checkable(measured, Markers(("C",), p[:, :1], 100.0)) == ()
    with pytest.raises(BiomecError, match="nothing to compare"):
        rebuilding_agreement(measured, rebuilt, ())


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
