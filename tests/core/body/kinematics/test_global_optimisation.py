from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.body.kinematics.consistency import ConsistencyOptions, consistent_motion
from biomec.body.kinematics.global_optimisation import PULL, starting_coordinates
from biomec.body.kinematics.weights import WeightOptions
from biomec.engine import FrameStatus
from biomec.signals.reconstruction import SampleOrigin
from tests.core.body.kinematics.moving_person import markers_of, motion, person

MARKERS = ConsistencyOptions(method="markers")


def hidden(markers, names, frames=slice(None)):
    p = np.array(markers.p_WM)
    for name in names:
        p[frames, markers.index(name)] = np.nan
    return replace(markers, p_WM=p)


def of(body, *segments):
    return [name for name, owner in body.followed.items() if owner in segments]


def rms(result):
    return float(np.sqrt(np.nanmean(result.marker_residual**2)))


def error(body, result, q):
    """Root mean square distance of all points of the model from where they truly are [m]."""
    ours, truth = body.points_of(result.q), body.points_of(q)
    return float(np.sqrt(np.mean([np.sum((ours[k] - truth[k]) ** 2, axis=-1) for k in truth])))


def test_exact_markers_give_the_exact_motion():
    body, q = person(), motion()
    result = consistent_motion(body, markers_of(body, q), options=MARKERS)
    assert result.valid.all()
    assert result.marker_residual.max() < 1e-6
    assert error(body, result, q) < 1e-6
    assert not result.undetermined.any()


def test_noisy_markers_are_fitted_better_than_by_the_nearest_coordinates():
    """And the motion found is nearer to the truth, because every marker counts and not only the landmarks."""
    body, q = person(), motion()
    markers = markers_of(body, q, noise=0.002)
    fit, nearest = (consistent_motion(body, markers, options=options) for options in (MARKERS, ConsistencyOptions()))
    assert fit.valid.all()
    assert rms(fit) < rms(nearest)
    assert error(body, fit, q) < 0.8 * error(body, nearest, q)
    # 3·87 measured components less 44 degrees of freedom: σ·√3·√(1 − 44/261)
    assert rms(fit) == pytest.approx(0.002 * np.sqrt(3.0) * np.sqrt(1.0 - 44.0 / 261.0), rel=0.05)


@pytest.mark.parametrize("method", ["coordinates", "markers"])
def test_the_marker_set_chooses_the_method_and_the_result_says_which(method):
    body = replace(person(), marker_set=replace(person().marker_set, method=method))
    markers = markers_of(body, motion(), noise=0.002)
    chosen = consistent_motion(body, markers)
    assert chosen.options.method == method
    assert_allclose(
        chosen.q, consistent_motion(body, markers, options=ConsistencyOptions(method=method)).q, rtol=0, atol=0
    )


def test_the_solution_is_stationary():
    """Gradient of the marker distances, the weak pull and the constraint forces add up to nothing."""
    body, q = person(), motion(12)
    markers = markers_of(body, q, noise=0.003)
    weights = WeightOptions(kind="table", markers={"VC": 4.0}, segments={"* hand": 2.0})
    result = consistent_motion(body, markers, options=replace(MARKERS, weights=weights))
    gradient = PULL * (result.q - result.q_star)  # the measured coordinates are the start
    for name, owner in body.followed.items():
        C = body.system.layout.point(f"{owner}.{name}").dense(body.system.n)
        weight = {"VC": 4.0}.get(name, 2.0 if owner.endswith("hand") else 1.0)
        gradient = gradient + weight * (result.q @ C.T - markers[name]) @ C
    gradient += np.einsum("tmn,tm->tn", body.system.jacobian(result.q), result.position.multipliers)
    assert np.abs(gradient).max() < 1e-6  # last steps are below 1e-7, stiffness of order 10


def test_a_marker_of_weight_zero_is_as_good_as_absent():
    body, q = person(), motion(12)
    markers = markers_of(body, q, noise=0.003)
    weights = WeightOptions(kind="table", markers={"AuxC_D": 0.0})
    ignored = consistent_motion(body, markers, options=replace(MARKERS, weights=weights))
    absent = consistent_motion(body, hidden(markers, ["AuxC_D"]), options=MARKERS)
    assert_allclose(ignored.q, absent.q, atol=1e-7)
    assert "AuxC_D" in ignored.markers  # its distance is still told
    assert "AuxC_D" not in absent.markers


def test_rebuilt_markers_weigh_little():
    body, q = person(), motion(12)
    markers = markers_of(body, q)
    p = np.array(markers.p_WM)
    k = markers.index("AuxC_D")
    p[:, k] += [0.03, 0.0, 0.0]
    markers = replace(markers, p_WM=p)
    origin = np.full(markers.visible.shape, int(SampleOrigin.MEASURED))
    origin[:, k] = SampleOrigin.REBUILT
    full = consistent_motion(body, markers, options=MARKERS)
    less = consistent_motion(body, markers, options=MARKERS, origin=origin)
    assert error(body, less, q) < 0.3 * error(body, full, q)


def test_hidden_landmarks_cost_no_frame():
    """The nearest coordinates need every landmark; here the other markers of the thorax and its neighbours suffice."""
    body, q = person(), motion()
    markers = hidden(markers_of(body, q), ["IJ"], slice(20, 30))
    assert not consistent_motion(body, markers).valid[20:30].any()
    result = consistent_motion(body, markers, options=MARKERS)
    assert result.valid.all()
    assert not result.undetermined.any()
    assert error(body, result, q) < 1e-5


def test_a_segment_without_markers_is_flagged_and_named():
    body, q = person(), motion()
    markers = hidden(markers_of(body, q), of(body, "right hand"), slice(20, 30))
    result = consistent_motion(body, markers, options=MARKERS)
    s = result.segments.index("right hand")
    assert result.undetermined[20:30, s].all()
    assert result.undetermined.sum() == 10  # nothing else, nowhere else
    (notice,) = [one for one in result.notices if one.code == "segment-undetermined"]
    assert notice.about == ("right hand",)
    assert notice.frames == (20, 29)
    assert result.valid.all()
    assert not result.determined("right hand")[20:30].any()
    assert result.determined("right foot").all()
    others = [name for name in body.followed if body.followed[name] != "right hand"]
    assert max(result.marker_residual[:, result.markers.index(name)].max() for name in others) < 1e-5
    with pytest.raises(BiomecError, match="no segment tail"):
        result.determined("tail")


def test_scattered_gaps_leave_everything_determined():
    """Every frame lacks other markers. Clavicles have none of their own: thorax and scapula hold them."""
    body, q = person(), motion()
    markers = markers_of(body, q)
    p = np.array(markers.p_WM)
    rng = np.random.default_rng(2)
    for name in ("head", "thorax", "pelvis"):  # four markers or more each: one of them is hidden in every frame
        columns = [markers.index(marker) for marker in of(body, name)]
        p[np.arange(len(p)), rng.choice(columns, len(p))] = np.nan
    result = consistent_motion(body, replace(markers, p_WM=p), options=MARKERS)
    assert result.valid.all()
    assert not result.undetermined.any()
    assert error(body, result, q) < 1e-5


def test_where_markers_leave_a_freedom_the_landmarks_decide():
    """Markers of the hand count for nothing in the fit, but its landmarks are still measured."""
    body, q = person(), motion(12)
    markers = markers_of(body, q)
    weights = WeightOptions(kind="table", markers=dict.fromkeys(of(body, "right hand"), 0.0))
    result = consistent_motion(body, markers, options=replace(MARKERS, weights=weights))
    assert not result.undetermined.any()
    (notice,) = [one for one in result.notices if one.code == "segment-free"]
    assert notice.about == ("right hand",)
    assert error(body, result, q) < 1e-6


def test_a_segment_between_two_others_needs_no_marker_of_its_own():
    """Hip and ankle hold the thigh and the shank: the knee is a hinge whose side is known from the shank."""
    body, q = person(), motion()
    markers = hidden(markers_of(body, q), of(body, "right thigh"))
    result = consistent_motion(body, markers, options=MARKERS)
    assert not result.undetermined.any()
    assert error(body, result, q) < 1e-5


def test_frames_without_any_marker_are_missing():
    body, q = person(), motion()
    markers = hidden(markers_of(body, q), body.followed, slice(5, 8))
    result = consistent_motion(body, markers, options=MARKERS)
    assert (result.position.status[5:8] == FrameStatus.MISSING).all()
    assert result.valid.sum() == 57
    assert not result.undetermined[5:8].any()


def test_without_any_marker_there_is_nothing_to_fit():
    body = person()
    markers = markers_of(body, motion(12))
    with pytest.raises(BiomecError, match="nothing to fit"):
        consistent_motion(body, markers.select([]), options=MARKERS)


def test_starts_come_from_markers_then_time_then_the_static_pose():
    body, q = person(), motion()
    layout = body.system.layout
    markers = markers_of(body, q)
    q_star = np.array(q)
    # the head's coordinates are lost, its markers are not; those of the right hand are lost for a while; the left foot
    # was never seen
    q_star[:, layout.columns("head")] = np.nan
    markers = hidden(markers, of(body, "right hand"), slice(20, 30))
    q_star[20:30, layout.columns("right hand")] = np.nan
    markers = hidden(markers, of(body, "left foot"))
    q_star[:, layout.columns("left foot")] = np.nan
    start = starting_coordinates(body, markers, q_star)
    names = list(layout.bodies)
    head, hand = layout.columns("head"), layout.columns("right hand")
    assert_allclose(start.q[:, head], q[:, head], atol=1e-9)
    assert start.seen[:, names.index("head")].all()
    expected = [np.interp(np.arange(20, 30), [19, 30], q[[19, 30], column]) for column in hand]
    assert_allclose(start.q[20:30, hand], np.transpose(expected), atol=1e-12)
    assert not start.seen[20:30, names.index("right hand")].any()
    assert not start.seen[:, names.index("left foot")].any()
    # the foot hangs on the shank as in the static pose: the ankle coincides
    assert_allclose(layout.point("left foot.CAT_E")(start.q), layout.point("left shank.CAT_E")(start.q), atol=1e-9)


def test_weights_by_sigma_and_mu_are_told_to_be_for_coordinates():
    body = person()
    options = replace(MARKERS, weights=WeightOptions(kind="sigma-mu"))
    result = consistent_motion(body, markers_of(body, motion(12)), options=options)
    assert any(one.code == "weights-alike" for one in result.notices)
