from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.body.kinematics.consistency import ConsistencyOptions, consistent_motion, consistent_positions
from biomec.body.kinematics.weights import (
    FADE_S,
    WeightOptions,
    coordinate_weights,
    marker_weights,
    segment_weights,
)
from biomec.signals.reconstruction import SampleOrigin
from tests.core.body.kinematics.moving_person import markers_of, motion, person

GLOBAL = ConsistencyOptions(method="markers")


def table(**weights):
    return WeightOptions(kind="table", **weights)


def test_weights_are_alike_unless_asked_for():
    body = person()
    assert (coordinate_weights(body, motion(), WeightOptions()) == 1.0).all()


def test_a_star_stands_for_both_sides_and_an_exact_name_wins():
    found = segment_weights(person(), table(segments={"right hand": 7.0, "* hand": 3.0}))
    assert (found["right hand"], found["left hand"], found["thorax"]) == (7.0, 3.0, 1.0)


def test_sigma_over_mu_is_that_of_the_definition_and_stays_within_its_bounds():
    body, q = person(), motion()
    got = coordinate_weights(body, q, WeightOptions(kind="sigma-mu", lower=0.05, upper=20.0))
    ratio = q.std(axis=0) / np.abs(q.mean(axis=0))  # NumPy's own figures
    inside = (ratio > 0.05) & (ratio < 20.0)
    assert inside.any()
    assert_allclose(got[inside], ratio[inside], rtol=1e-12)
    assert got.min() == 0.05
    assert got.max() <= 20.0


def test_sigma_over_mu_survives_zero_means_constants_and_gaps():
    body = person()
    q = np.array(motion())
    q[:, 0], q[:, 1], q[:, 2] = np.where(np.arange(len(q)) % 2, 1.0, -1.0), 0.0, 5.0
    q[3:5] = np.nan
    q[:, 3] = np.nan
    got = coordinate_weights(body, q, WeightOptions(kind="sigma-mu"))
    assert got[0] == 20.0  # σ/0
    assert_allclose(got[1:4], 0.05)  # 0/0, 0/5, nothing known
    assert np.isfinite(got).all()


def test_markers_weigh_on_the_segment_that_follows_them():
    body = person()
    got = coordinate_weights(body, motion(), table(markers={"MC2_D": 5.0}, segments={"* hand": 2.0}))
    columns = body.system.layout.columns
    assert_allclose(got[columns("right hand")], 2.0 * (5.0 + 1.0) / 2.0)  # mean of its markers MC2 and MC5
    assert_allclose(got[columns("left hand")], 2.0)
    nothing = coordinate_weights(body, motion(), table(markers={"MC2_D": 0.0, "MC5_D": 0.0}))
    assert_allclose(nothing[columns("right hand")], 0.05)  # never zero: the matrix must stay positive definite


def weights_of(name, *given):
    names, weights = marker_weights(*given)
    return weights[:, names.index(name)]


def test_rebuilt_samples_and_hidden_ones_weigh_less_in_global_optimisation():
    body = person()
    markers = markers_of(body, motion())
    p = np.array(markers.p_WM)
    k = markers.index("VC")
    p[4, k] = np.nan
    markers = replace(markers, p_WM=p)
    origin = np.full(markers.visible.shape, int(SampleOrigin.MEASURED))
    origin[5, k], origin[6, k] = SampleOrigin.REBUILT, SampleOrigin.INTERPOLATED
    got = weights_of("VC", body, markers, table(markers={"VC": 3.0}, segments={"head": 2.0}), origin)
    near = 6.0 * (1.0 - 0.9 / (FADE_S * markers.rate_hz))  # a frame from a measured sample
    assert_allclose(got[3:8], [6.0, 0.0, near, near, 6.0])
    origin[:, k] = SampleOrigin.REBUILT
    got = weights_of("VC", body, markers, table(markers={"VC": 3.0}, segments={"head": 2.0}), origin)
    assert_allclose(got[[3, 5, -1]], 0.6)


def test_a_marker_that_is_hidden_for_a_frame_lets_nothing_leap():
    """A weight of 0.1 in one frame threw hip forces of a real walk by 42 N."""
    body = person()
    markers = markers_of(body, motion())
    p, k = np.array(markers.p_WM), markers.index("VC")
    p[:, k] += 0.05  # it sits elsewhere than in the static
    markers = replace(markers, p_WM=p)
    origin = np.full(markers.visible.shape, int(SampleOrigin.MEASURED))
    whole = consistent_positions(body, markers, None, GLOBAL, origin=origin)
    origin[20, k] = SampleOrigin.REBUILT
    found = consistent_positions(body, markers, None, GLOBAL, origin=origin)
    moved = np.abs(found.q - whole.q).max(axis=1)
    assert moved[np.arange(len(moved)) != 20].max() < 1e-9
    bare = replace(GLOBAL, weights=WeightOptions(markers={"VC": 0.1}, kind="table"))
    all_at_once = np.abs(consistent_positions(body, markers, None, bare).q - whole.q).max(axis=1)[20]
    share = 0.9 / (FADE_S * markers.rate_hz)  # of the weight that is gone
    assert 0.0 < moved[20] < 2.0 * share * all_at_once / 0.9


def test_a_larger_weight_moves_less():
    """Noisy markers: with identity weights the hands give way, with weight 20 they stay nearer to where they were."""
    body = person()
    markers = markers_of(body, motion(), noise=0.004)
    moved = {}
    for weight in (1.0, 20.0):
        options = ConsistencyOptions(weights=table(segments={"* hand": weight}))
        result = consistent_motion(body, markers, None, options)
        hands = body.system.layout.columns("right hand")
        moved[weight] = np.linalg.norm((result.q - result.q_star)[:, hands], axis=1).mean()
    assert moved[20.0] < 0.5 * moved[1.0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "sigma"},
        {"kind": "table", "segments": {"head": 0.0}},
        {"kind": "table", "markers": {"VC": -1.0}},
        {"kind": "identity", "segments": {"head": 2.0}},
        {"lower": 0.0},
        {"lower": 2.0, "upper": 1.0},
        {"rebuilt": 2.0},
    ],
)
def test_weights_that_mean_nothing_are_refused(wrong):
    with pytest.raises(BiomecError):
        WeightOptions(**wrong)


def test_unknown_names_are_refused_with_the_nearest_one():
    body = person()
    with pytest.raises(BiomecError, match='no segment right hnd; did you mean "right hand"'):
        coordinate_weights(body, motion(), table(segments={"right hnd": 2.0}))
    with pytest.raises(BiomecError, match='marker CALC_X; did you mean "CALC_'):
        coordinate_weights(body, motion(), table(markers={"CALC_X": 2.0}))
    with pytest.raises(BiomecError, match="one for each frame and marker"):
        marker_weights(body, markers_of(body, motion()), WeightOptions(), np.zeros((2, 2), dtype=np.int64))
