"""Reconstruction: exact on rigid bodies, honest about noise, gaps and what cannot be known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.base.errors import BiomecError
from biomec.base.notices import Severity
from biomec.base.progress import Cancelled
from biomec.io.c3d import read_c3d
from biomec.io.marker_set_file import load_marker_set
from biomec.io.session_import import SKIP, import_session
from biomec.pipeline.analysis import Analysis
from biomec.signals.gap_filling import GapFill, anchored, fill_gaps, gap_lengths
from biomec.signals.label_swaps import find_swaps
from biomec.signals.local_frames import PoseMethod
from biomec.signals.reconstruction import (
    ReconstructionOptions,
    SampleOrigin,
    reconstruct,
    seen_by_the_others,
)
from biomec.signals.static_pose import static_pose
from tests.core.signals.marker_bodies import hide, keep, make_trial, moving_trial, static_trial
from tests.real_data import recording

FULL = load_marker_set("biomec-full")
STATIC = static_pose(static_trial(FULL), FULL)
TRUTH = moving_trial(FULL)
REMOVED = tuple(marker.name for marker in FULL.markers if marker.removed)
LEAST_SQUARES = ReconstructionOptions(pose=PoseMethod.LEAST_SQUARES)


def notices_about(result, name):
    return [notice for notice in result.notices if name in notice.about]


@pytest.mark.parametrize("options", [ReconstructionOptions(), LEAST_SQUARES], ids=lambda o: o.pose.value)
def test_removed_markers_of_a_rigid_body_come_back_exactly(options):
    result = reconstruct(keep(TRUTH, FULL.followed), STATIC, FULL, options)
    assert len(REMOVED) == 16
    for name in REMOVED:
        # rounding of a frame of 0.1 m that carries a point 0.3 m away: some 1e-15 m
        assert_allclose(result.markers[name], TRUTH.markers[name], rtol=0, atol=1e-12)
        assert result[name].rebuilt == 1.0
    assert result.fraction(SampleOrigin.MEASURED) == 1.0  # of the markers that the movement shows
    assert [name for name, seen in zip(result.markers.names, result.seen, strict=True) if not seen] == sorted(
        REMOVED, key=result.markers.names.index
    )
    (notice,) = result.notices
    assert set(notice.about) == set(REMOVED)
    assert "16 markers are only in the static, and computed in every frame" in notice.sentence


def test_markers_of_the_static_only_do_not_count_among_the_samples():
    """The notice had told 90.8 % measured where the strip told that all frames were."""
    p = keep(TRUTH, FULL.followed).markers.p_WM.copy()
    names = keep(TRUTH, FULL.followed).markers.names
    p[20:25, names.index("MC2_D")] = np.nan
    result = reconstruct(make_trial(names, p), STATIC, FULL)
    share = 5 / p[..., 0].size
    assert result.fraction(SampleOrigin.MEASURED) == pytest.approx(1.0 - share)
    sentences = {notice.code: notice.sentence for notice in result.notices}
    assert "> 99.9 % measured, 0 % rebuilt, < 0.1 % interpolated, 0 % missing" in sentences["reconstruction"]
    assert "In 97.5 % of the frames all were measured." in sentences["reconstruction"]
    assert sentences["markers-computed"].startswith("16 markers")


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000))
def test_scattered_losses_of_a_rigid_body_come_back_exactly_where_three_markers_are_left(seed):
    rng = np.random.default_rng(seed)
    frames = slice(0, 60)  # losses are scattered over every frame: more of them tell no more
    p = keep(TRUTH, FULL.followed).markers.p_WM[frames].copy()
    p[rng.random(p.shape[:2]) < 0.1] = np.nan
    result = reconstruct(make_trial(FULL.followed, p), STATIC, FULL)
    for k, name in enumerate(result.markers.names):
        rebuilt = result.origin[:, k] == SampleOrigin.REBUILT
        leaning = result[name].on_interpolated > 0
        if not leaning:
            assert_allclose(result.markers.p_WM[rebuilt, k], TRUTH.markers[name][frames][rebuilt], rtol=0, atol=1e-9)
    measured = result.origin == SampleOrigin.MEASURED
    there = [FULL.followed.index(n) if n in FULL.followed else -1 for n in result.markers.names]
    for k, column in enumerate(there):
        assert (measured[:, k] == (np.isfinite(p[:, column, 0]) if column >= 0 else False)).all()
        if column >= 0:  # what was measured is never touched
            assert_allclose(result.markers.p_WM[measured[:, k], k], p[measured[:, k], column], rtol=0, atol=0)
    assert (np.isfinite(result.markers.p_WM[..., 0]) == (result.origin != SampleOrigin.MISSING)).all()


def test_plates_repair_themselves():
    lost = hide(hide(TRUTH, "CLBR_D_11", 0, 99), "CLPN_E_22", 100, 199)
    result = reconstruct(lost, STATIC, FULL)
    assert_allclose(result.markers.p_WM, TRUTH.markers.p_WM, rtol=0, atol=1e-12)
    assert result["CLBR_D_11"].rebuilt == 0.5


@given(st.integers(0, 10_000))
@settings(max_examples=5, deadline=None)
def test_the_laboratory_may_be_turned_and_mirrored(seed):
    """Turn the dynamic trial alone; mirror both. The static's own axes do not matter to what is rebuilt."""
    rng = np.random.default_rng(seed)
    p = keep(TRUTH, FULL.followed).markers.p_WM[::20] + rng.normal(scale=1e-3, size=(10, 71, 3))
    plain = reconstruct(make_trial(FULL.followed, p), STATIC, FULL).markers
    R = Rotation.random(random_state=seed).as_matrix()
    turned = reconstruct(make_trial(FULL.followed, p @ R.T + 3.0), STATIC, FULL).markers
    assert_allclose(turned.p_WM, plain.p_WM @ R.T + 3.0, atol=1e-9)
    mirror = np.array([1.0, 1.0, -1.0])
    static = static_trial(FULL)
    other = static_pose(make_trial(static.markers.names, static.markers.p_WM * mirror), FULL)
    mirrored = reconstruct(make_trial(FULL.followed, p * mirror), other, FULL).markers
    assert_allclose(mirrored.p_WM, plain.p_WM * mirror, atol=1e-9)


def noisy(seed, sigma=1e-3):
    rng = np.random.default_rng(seed)
    trial = keep(TRUTH, FULL.followed)
    return make_trial(FULL.followed, trial.markers.p_WM + rng.normal(scale=sigma, size=trial.markers.p_WM.shape))


def error_rms(result, name):
    return float(np.sqrt(np.mean(np.sum((result.markers[name] - TRUTH.markers[name]) ** 2, axis=1))))


def test_with_noise_the_error_grows_with_the_distance_from_the_triad():
    """Thorax: the back rebuilds EC, IJ and PX on the front; scapula: AC, AA and SS rebuild PCOR and AI."""
    result = reconstruct(noisy(1), STATIC, FULL)
    for donors, names in ((("C7", "AuxT_D", "AuxT_E"), REMOVED[:2]), (("AC_D", "AA_D", "SS_D"), ("PCOR_D", "AI_D"))):
        centre = np.mean([STATIC[name] for name in donors], axis=0)
        distance = [np.linalg.norm(STATIC[name] - centre) for name in names]
        error = [error_rms(result, name) for name in names]
        assert np.argsort(distance).tolist() == np.argsort(error).tolist()
        assert min(error) > np.sqrt(3) * 1e-3  # worse than measuring it


def test_the_noise_gain_foretells_the_error():
    result = reconstruct(noisy(2), STATIC, FULL)
    for name in REMOVED:
        # rms over 200 frames of three components: ± 1/√(2·600) = 3 % for one sigma; allow five, and the second order
        # of rotations by 1 mm in 50 mm
        assert error_rms(result, name) == pytest.approx(result[name].noise_gain * np.sqrt(3) * 1e-3, rel=0.15)


def test_least_squares_is_better_than_triads_under_noise():
    """On plates and on the back, which have four markers; with three both use the same ones and nearly agree."""
    redundant = [name for name in REMOVED if len(FULL[name].rebuilt_by) == 4]
    triad, mean = [], []
    for seed in range(3):
        for options, errors in ((ReconstructionOptions(), triad), (LEAST_SQUARES, mean)):
            result = reconstruct(noisy(seed), STATIC, FULL, options)
            errors += [error_rms(result, name) for name in redundant]
    assert np.mean(mean) < 0.9 * np.mean(triad)


def test_the_residual_of_measured_markers_is_the_distance_to_their_rebuilt_place():
    p = TRUTH.markers.p_WM.copy()
    column = TRUTH.markers.index("IJ")
    p[50:, column] += [0.0, 0.003, 0.004]  # 5 mm off in three quarters of the frames
    quality = reconstruct(make_trial(TRUTH.markers.names, p), STATIC, FULL)["IJ"]
    assert quality.checked == 200
    assert quality.max_m == pytest.approx(0.005)
    assert quality.rms_m == pytest.approx(0.005 * np.sqrt(0.75))
    assert quality.p95_m == pytest.approx(0.005)
    assert quality.measured == 1.0


def test_a_gap_with_fewer_than_three_markers_is_interpolated_as_little_as_possible():
    """Scapula (AC, AA, SS): AC hidden for 5 frames. Only AC is splined; TE, AI and PCOR are rebuilt from it."""
    lost = hide(keep(TRUTH, FULL.followed), "AC_D", 100, 104)
    result = reconstruct(lost, STATIC, FULL)
    gap = slice(100, 105)
    column = {name: result.markers.index(name) for name in ("AC_D", "TE_D", "AA_D", "SS_D")}
    assert (result.origin[gap, column["AC_D"]] == SampleOrigin.INTERPOLATED).all()
    assert (result.origin[gap, column["TE_D"]] == SampleOrigin.REBUILT).all()
    assert result["TE_D"].on_interpolated == pytest.approx(5 / 200)
    assert result["AC_D"].interpolated == pytest.approx(5 / 200)
    # a cubic spline over h = 6 frames of a motion sin(ωt): at most (5/384) ω⁴h⁴ x = 0.013 · (0.063 · 6)⁴ · 0.5 m
    assert_allclose(result.markers["AC_D"][gap], TRUTH.markers["AC_D"][gap], atol=2e-4)


def test_the_marker_with_the_shortest_gap_is_interpolated_first():
    """Thorax: both AuxT hidden for six frames, T8 within them for two. There C7 is alone, and two more are needed."""
    lost = hide(hide(hide(TRUTH, "AuxT_D", 90, 100), "AuxT_E", 95, 105), "T8", 98, 99)
    result = reconstruct(lost, STATIC, FULL)
    T8, right, left = (result.origin[:, result.markers.index(name)] for name in ("T8", "AuxT_D", "AuxT_E"))
    assert (right[90:95] == SampleOrigin.REBUILT).all()  # one of four is hidden: no need to interpolate
    assert (left[101:106] == SampleOrigin.REBUILT).all()
    assert (T8[98:100] == SampleOrigin.INTERPOLATED).all()
    chosen = [(right[t], left[t]) for t in range(95, 101)]  # one of the two is interpolated, the other rebuilt from it
    assert {frozenset(pair) for pair in chosen} == {frozenset({SampleOrigin.INTERPOLATED, SampleOrigin.REBUILT})}


def test_markers_without_technical_ones_are_splined_up_to_the_limit_and_not_beyond():
    lost = hide(hide(TRUTH, "MC2_D", 50, 69), "MC5_D", 100, 120)  # 20 and 21 frames at 100 Hz; the limit is 0.2 s
    result = reconstruct(lost, STATIC, FULL)
    assert result["MC2_D"].interpolated == pytest.approx(0.10)
    assert result["MC5_D"].missing == pytest.approx(21 / 200)
    assert np.isnan(result.markers["MC5_D"][100:121]).all()
    (notice,) = notices_about(result, "MC5_D")
    assert notice.code == "gap-too-long"
    assert notice.frames == (100, 120)
    assert notice.sentence == (
        "Marker MC5_D is hidden from frame 101 to 121 (0.21 s) in walk.c3d. Gaps longer than 0.20 s are not filled, "
        "because the path in between would be a guess. Shorten the stretch, or use another marker of the right hand."
    )


def test_markers_hidden_together_share_one_notice():
    """A stretch of 60 frozen frames told of its 65 markers one by one, in 65 warnings."""
    lost = TRUTH
    for name in TRUTH.markers.names:
        lost = hide(lost, name, 60, 90)
    for name in ("MC2_D", "MC5_D"):
        lost = hide(lost, name, 120, 150)
    result = reconstruct(lost, STATIC, FULL)
    found = {notice.frames: notice for notice in result.notices if notice.code == "gap-too-long"}
    assert set(found[60, 90].about) == set(TRUTH.markers.names)
    assert f"{len(TRUTH.markers.names)} markers (" in found[60, 90].sentence
    assert found[120, 150].sentence.startswith("Markers MC2_D and MC5_D are hidden from frame 121 to 151 (0.31 s)")


def gap_error_mm(how, p, noise_m, gap_s, rate_hz=100.0, trials=30, seed=4):
    """RMS of the distance from the truth p (T, M, 3) inside gaps cut at random into noisy samples [mm]."""
    rng = np.random.default_rng(seed)
    frames, squares = round(gap_s * rate_hz), []
    for _ in range(trials):
        k, first = rng.integers(p.shape[1]), rng.integers(30, len(p) - frames - 30)
        hidden = slice(first, first + frames)
        seen = p[:, [k]] + rng.normal(scale=noise_m, size=(len(p), 1, 3))
        seen[hidden] = np.nan
        squares.append(np.sum((fill_gaps(seen, rate_hz, gap_s, how)[hidden, 0] - p[hidden, k]) ** 2, axis=1))
    return 1e3 * float(np.sqrt(np.mean(squares)))


@pytest.mark.parametrize("gap_s", [0.05, 0.15, 0.3])
def test_a_gap_between_noisy_samples_is_filled_to_within_their_noise(gap_s):
    """What the user saw: in a push-up a marker hidden for 0.15 s went 4.5 mm astray, with 0.3 mm of noise."""
    phase = 2.0 * np.pi * 0.4 * np.arange(300) / 100.0  # a push-up in 2.5 s, a shoulder that travels 0.3 m
    p = np.stack([0.05 * np.sin(phase), 0.15 * np.cos(phase), 0.01 * np.sin(2.0 * phase)], axis=1)[:, None]
    smooth, through = (gap_error_mm(how, p, 0.3e-3, gap_s) for how in (GapFill.LEAST_JERK, GapFill.SPLINE))
    assert smooth < np.sqrt(3.0) * 0.3  # three axes of the samples' own noise
    assert through > 2.0 * smooth


def test_without_noise_the_path_of_least_jerk_follows_the_movement():
    """A parabola has no jerk and comes back to the camera's resolution; a sine of 2 Hz loses nothing to smoothing."""
    t = np.arange(300) / 100.0
    parabola = np.stack([t**2, 1.0 - t, 0.3 * t**2 + t], axis=1)[:, None]
    assert gap_error_mm(GapFill.LEAST_JERK, parabola, 0.0, 0.2) < 1e-3
    sine = np.repeat(0.1 * np.sin(4.0 * np.pi * t)[:, None, None], 3, axis=2)
    smooth, through = (gap_error_mm(how, sine, 0.0, 0.1) for how in (GapFill.LEAST_JERK, GapFill.SPLINE))
    assert smooth < through


@pytest.mark.parametrize("how", GapFill)
def test_a_path_through_a_gap_turns_and_moves_with_the_laboratory(how):
    rng = np.random.default_rng(5)
    p = np.cumsum(rng.normal(scale=0.01, size=(120, 1, 3)), axis=0)
    p[60:70] = np.nan
    R = Rotation.random(random_state=6).as_matrix()
    turned = fill_gaps(p @ R.T + 3.0, 100.0, 0.2, how)
    assert_allclose(turned, fill_gaps(p, 100.0, 0.2, how) @ R.T + 3.0, rtol=0, atol=1e-9)


def test_a_marker_that_blinks_is_interpolated_between_the_few_samples_it_has():
    p = np.full((60, 1, 3), np.nan)
    p[::10] = np.linspace(0.0, 1.0, 6)[:, None, None]  # six samples: too few to tell noise from movement
    filled = fill_gaps(p, 100.0, 0.2, GapFill.LEAST_JERK)
    assert_allclose(filled[5, 0], 0.1, atol=1e-12)


@pytest.mark.parametrize("file", ["gait_pig_pair/HC030A05.c3d", "gait_pig_partial_strike/walk.c3d"])
def test_gaps_cut_into_a_real_walk_are_filled_better_than_by_a_spline(file):
    """Samples of the recording itself are the truth; docs/signals.md has the table."""
    markers = read_c3d(recording(*file.split("/"))).markers
    whole = np.isfinite(markers.p_WM[..., 0]).all(axis=0)
    errors = [gap_error_mm(how, markers.p_WM[:, whole], 0.0, 0.15, markers.rate_hz) for how in GapFill]
    assert errors[0] < 0.8 * errors[1]


def displaced(trial, name, by_m):
    """The trial with a marker that sits elsewhere on its segment than in the static."""
    p = trial.markers.p_WM.copy()
    p[:, trial.markers.index(name)] += by_m
    return make_trial(trial.markers.names, p)


def test_a_rebuilt_marker_begins_and_ends_where_it_was_measured():
    """It leapt by as much as the static has it elsewhere: 5 to 28 mm in real walks, for a single hidden frame."""
    name, by_m = "CIAS_D", np.array([0.02, -0.01, 0.015])
    trial = displaced(TRUTH, name, by_m)
    for first, last in ((60, 60), (60, 74), (190, 199)):
        lost = hide(trial, name, first, last)
        met = reconstruct(lost, STATIC, FULL).markers[name][first : last + 1]
        published = reconstruct(lost, STATIC, FULL, ReconstructionOptions(anchored=False)).markers[name]
        true = trial.markers[name][first : last + 1]
        assert_allclose(published[first : last + 1] - (true - by_m), 0.0, atol=1e-9)
        # what is known at an end dies out over a second, so that after the last sample a tenth is lost in 0.1 s
        fades = np.arange(1, last - first + 2)[:, None] / 100.0 * by_m if last == 199 else 0.0
        assert_allclose(met - (true - fades), 0.0, atol=1e-9)
    never = keep(trial, [one for one in trial.markers.names if one != name])
    assert_allclose(reconstruct(never, STATIC, FULL).markers[name], TRUTH.markers[name], atol=1e-9)


def test_far_inside_a_long_gap_a_marker_is_where_the_static_has_it():
    name, by_m = "CIAS_D", np.array([0.02, -0.01, 0.015])
    trial = displaced(TRUTH, name, by_m)
    long = anchored(TRUTH.markers.p_WM, hide(trial, name, 20, 169).markers.p_WM, 50.0)  # 3 s
    k = TRUTH.markers.index(name)
    assert_allclose(long[95, k], TRUTH.markers.p_WM[95, k], atol=1e-12)
    assert_allclose(long[20, k] - TRUTH.markers.p_WM[20, k], 0.98 * by_m, atol=1e-12)
    assert_allclose(np.delete(long, k, axis=1), np.delete(TRUTH.markers.p_WM, k, axis=1), atol=1e-12)


@pytest.mark.parametrize(
    ("file", "marker_set"),
    [("gait_pig_pair/HC030A05.c3d", "plug-in-gait"), ("gait_rajagopal/motion_capture_walk.trc", "opensim-rajagopal")],
)
def test_markers_hidden_in_a_real_walk_are_met(file, marker_set):
    """Gaps of 0.1 s, each marker by itself; the recording is the truth. docs/marker-sets.md has the table."""
    analysis = Analysis(import_session(recording(*file.split("/")), plates=SKIP, emg=SKIP)).run_until("preparation")
    found = analysis.preparation
    assert found.marker_set.name == marker_set
    p = found.dynamic.markers.p_WM
    names = found.dynamic.markers.names
    others = seen_by_the_others(found.dynamic, found.pose, found.marker_set)
    static_only, met = [], []
    for k, name in enumerate(names):
        if name not in others:
            continue
        estimate = others[name]
        for first in range(30, len(p) - 30, 40):
            part = slice(first, first + 10)
            with_gap = p[:, k : k + 1].copy()
            with_gap[part] = np.nan
            path = anchored(estimate[:, None], with_gap, found.dynamic.rate_hz)[part, 0]
            static_only.append(((estimate[part] - p[part, k]) ** 2).sum(axis=1))
            met.append(((path - p[part, k]) ** 2).sum(axis=1))
    rms_m = [np.sqrt(np.nanmean(errors)) for errors in (static_only, met)]
    assert rms_m[0] > 0.005
    assert rms_m[1] < 0.2 * rms_m[0]


def test_gaps_at_the_ends_stay_missing():
    lost = hide(hide(TRUTH, "MC2_D", 0, 4), "MC2_D", 195, 199)
    result = reconstruct(lost, STATIC, FULL)
    assert np.isnan(result.markers["MC2_D"][[0, 4, 195, 199]]).all()
    first, last = notices_about(result, "MC2_D")
    assert first.code == last.code == "gap-at-end"
    assert "from frame 1 to 5 (0.05 s)" in first.sentence
    assert "no sample before it" in first.sentence
    assert "no sample after it" in last.sentence


def test_frame_numbers_in_sentences_are_those_of_the_file():
    lost = hide(TRUTH, "MC2_D", 0, 4)
    later = make_trial(lost.markers.names, lost.markers.p_WM, first_frame=301)
    (notice,) = notices_about(reconstruct(later, STATIC, FULL), "MC2_D")
    assert "from frame 301 to 305" in notice.sentence
    assert notice.frames == (0, 4)


def test_a_limit_of_zero_interpolates_nothing():
    lost = hide(TRUTH, "MC2_D", 50, 50)
    result = reconstruct(lost, STATIC, FULL, ReconstructionOptions(gap_limit_s=0.0))
    assert result.fraction(SampleOrigin.INTERPOLATED) == 0.0
    assert np.isnan(result.markers["MC2_D"][50]).all()


def test_nothing_is_reported_about_a_complete_trial():
    result = reconstruct(TRUTH, STATIC, FULL)
    assert result.notices == ()
    assert result.markers.names == TRUTH.markers.names
    assert result.fraction(SampleOrigin.MEASURED) == 1.0


def test_markers_that_cannot_be_rebuilt_say_why():
    static = static_trial(FULL)
    without = static_pose(keep(static, [name for name in static.markers.names if name != "IJ"]), FULL)
    lost = keep(TRUTH, [name for name in FULL.followed if name not in ("AC_D", "AA_D", "MC2_E")])
    result = reconstruct(lost, without, FULL)
    # What the user saw: a line for each of nine markers, forty-five for a wrong set.
    (notice,) = (notice for notice in result.notices if notice.code == "marker-never-seen")
    assert notice.severity is Severity.PROBLEM
    assert set(notice.about) >= {"IJ", "TE_D", "AI_D", "PCOR_D", "AC_D", "AA_D", "MC2_E"}
    assert notice.sentence.startswith(f"{len(notice.about)} markers are in no frame of ")
    assert "IJ (not in the static acquisition either)" in notice.sentence
    assert "TE_D (no frame shows three of AC_D, AA_D, SS_D" in notice.sentence
    assert "MC2_E (fewer than three other markers" in notice.sentence
    assert "IJ" not in result.markers


def test_technical_markers_that_nobody_needs_are_a_warning():
    static = static_trial(FULL)
    spare = ("CLCX_D_11", "AuxT_E")
    without = static_pose(keep(static, [name for name in static.markers.names if name not in spare]), FULL)
    result = reconstruct(keep(TRUTH, [name for name in FULL.followed if name not in spare]), without, FULL)
    (notice,) = (notice for notice in result.notices if notice.code == "marker-never-seen")
    assert notice.severity is Severity.WARNING
    assert notice.about == ("AuxT_E", "CLCX_D_11")
    assert "2 markers are in no frame" in notice.sentence
    assert "AuxT_E, CLCX_D_11 (not in the static acquisition either). No segment depends on them." in notice.sentence


def test_a_technical_marker_is_needed_where_fewer_than_three_others_follow_its_segment():
    lost = ("AuxC_D", "AuxC_E", "VC")
    without = static_pose(keep(static_trial(FULL), [n for n in FULL.placed if n not in lost]), FULL)
    result = reconstruct(keep(TRUTH, [name for name in FULL.followed if name not in lost]), without, FULL)
    (notice,) = (notice for notice in result.notices if notice.code == "marker-never-seen")
    assert (notice.severity, notice.about) == (Severity.PROBLEM, ("AuxC_D", "AuxC_E", "VC"))


def test_markers_of_no_set_pass_untouched():
    p = np.concatenate([TRUTH.markers.p_WM, np.ones((200, 1, 3))], axis=1)
    p[10:15, -1] = np.nan
    result = reconstruct(make_trial((*TRUTH.markers.names, "BALL"), p), STATIC, FULL)
    assert result["BALL"].measured == pytest.approx(195 / 200)
    assert result["BALL"].interpolated == pytest.approx(5 / 200)
    assert np.isnan(result["BALL"].noise_gain)


@pytest.mark.parametrize("options", [ReconstructionOptions(), LEAST_SQUARES], ids=lambda o: o.pose.value)
@pytest.mark.parametrize(
    ("names", "p"),
    [
        ((), np.zeros((0, 0, 3))),
        ((), np.zeros((5, 0, 3))),
        (("C7", "T8"), np.zeros((0, 2, 3))),
        (("C7", "T8"), np.full((5, 2, 3), np.nan)),
        (FULL.followed, np.zeros((5, 71, 3))),  # all markers in one point
    ],
    ids=["nothing", "no markers", "no frames", "nothing seen", "one point"],
)
def test_empty_and_senseless_trials_give_empty_results(names, p, options):
    result = reconstruct(make_trial(names, p), STATIC, FULL, options)
    assert result.markers.frames == len(p)
    assert result.fraction(SampleOrigin.INTERPOLATED) == 0.0
    assert find_swaps(make_trial(names, p), FULL, STATIC).exchanged_sides == ()


def test_results_cannot_be_written_to():
    result = reconstruct(TRUTH, STATIC, FULL)
    for array in (result.markers.p_WM, result.origin, result.residual):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_work_can_be_followed_and_cancelled():
    fractions = []
    reconstruct(TRUTH, STATIC, FULL, progress=fractions.append)
    assert fractions[-1] == 1.0
    assert fractions == sorted(fractions)

    def stop(_):
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        reconstruct(TRUTH, STATIC, FULL, progress=stop)


@pytest.mark.parametrize(
    "bad", [{"gap_limit_s": -1.0}, {"gap_limit_s": np.nan}, {"smallest_height_m": 0.0}, {"largest_rms_m": np.nan}]
)
def test_impossible_options_are_refused(bad):
    with pytest.raises(BiomecError, match=r"gap limit|smallest height|largest rms"):
        ReconstructionOptions(**bad)


# ------------------------------------------------------------------------------------------------------ a real walk


@pytest.fixture(scope="module")
def walk():
    """Static and walk of one subject; the medial malleolus was taken off in between."""
    pig = load_marker_set("plug-in-gait")
    static, trial = (read_c3d(recording("gait_pig_pair", f"HC030A0{k}.c3d")) for k in (1, 5))
    return pig, static, static_pose(static, pig), trial


@pytest.mark.parametrize("scale", [1.3, 1.1, 0.9])
def test_a_static_of_another_size_is_told(walk, scale):
    """The static of somebody larger was used without a word, and markers were rebuilt 63 mm away."""
    pig, static, pose, trial = walk
    kinds = ("static-other-size", "static-mirrored", "rebuilt-far-off")
    assert [n for n in reconstruct(trial, pose, pig).notices if n.code in kinds] == []
    other = static_pose(make_trial(static.markers.names, static.markers.p_WM * scale), pig)
    notices = {notice.code: notice for notice in reconstruct(trial, other, pig).notices}
    assert {"head", "pelvis", "right shank", "left shank"} <= set(notices["static-other-size"].about)
    assert f"head ({1e3 * 0.171 * abs(scale - 1.0):.0f} mm, {100.0 * (scale - 1.0):+.0f} %)" in (
        notices["static-other-size"].sentence
    )  # 171 mm: the median distance of the four markers of the head
    assert "static-mirrored" not in notices
    if scale == 1.3:
        assert "LTUB 44 mm" in notices["rebuilt-far-off"].sentence
        # by hand: 0.3 of its distance from the middle of its triad, but for the skin
        away = pose["LTUB"] - np.mean([pose[name] for name in ("LANK", "LHFB", "LSHN")], axis=0)
        assert 0.3 * np.linalg.norm(away) == pytest.approx(0.044, abs=0.005)
        lenient = reconstruct(trial, other, pig, ReconstructionOptions(largest_rms_m=0.1))
        assert "rebuilt-far-off" not in {notice.code for notice in lenient.notices}


def test_a_mirrored_static_is_a_problem(walk):
    """A static with one axis reversed was used without a word, and markers were rebuilt 153 mm away."""
    pig, static, _, trial = walk
    for mirror in ([-1.0, 1.0, 1.0], [1.3, -1.3, 1.3]):
        other = static_pose(make_trial(static.markers.names, static.markers.p_WM * np.array(mirror)), pig)
        notices = {notice.code: notice for notice in reconstruct(trial, other, pig).notices}
        assert notices["static-mirrored"].severity is Severity.PROBLEM
        assert {"head", "thorax", "right shank", "left shank"} <= set(notices["static-mirrored"].about)
        assert ("static-other-size" in notices) == (mirror[0] == 1.3)


def test_a_trial_without_any_marker_of_the_set_is_a_problem(walk):
    """Nothing was rebuilt, and nothing was said."""
    _, _, pose, trial = walk
    cast = load_marker_set("ior-cast")
    other = keep(trial, [name for name in trial.markers.names if name not in cast])
    notices = {notice.code: notice for notice in reconstruct(trial, pose, cast).notices}
    assert f"Only C7, T2 of the set {cast.name} is in" in notices["no-marker-of-the-set"].sentence  # shared by chance
    for strange in (other, make_trial((), np.zeros((5, 0, 3)))):
        notices = {notice.code: notice for notice in reconstruct(strange, pose, cast).notices}
        assert notices["no-marker-of-the-set"].severity is Severity.PROBLEM
        assert (
            f"No marker of the set {cast.name} is in {strange.source.name}" in notices["no-marker-of-the-set"].sentence
        )


@pytest.mark.parametrize("side", "LR")
def test_the_rebuilt_malleolus_agrees_with_the_ankle_centre_of_another_program(walk, side):
    """Plug-in Gait stored its ankle centre, computed from the lateral side and the static: it lies mid-way."""
    pig, static, pose, trial = walk
    static_centre = np.median(static.outputs[f"{side}AJC"], axis=0) / 1e3
    # the other program used both malleoli of the same frames: the file keeps hundredths of a millimetre
    assert_allclose((pose[f"{side}ANK"] + pose[f"{side}MMA"]) / 2, static_centre, atol=5e-5)
    result = reconstruct(trial, pose, pig)
    assert result[f"{side}MMA"].rebuilt == 1.0
    middle = (result.markers[f"{side}ANK"] + result.markers[f"{side}MMA"]) / 2
    off = np.linalg.norm(middle - trial.outputs[f"{side}AJC"] / 1e3, axis=1)
    # both follow the shank through the skin, by other markers: millimetres, not centimetres
    assert off.mean() < 0.010
    assert off.max() < 0.025


def test_the_reported_residual_is_the_error_of_a_marker_that_is_then_hidden(walk):
    pig, _, pose, trial = walk
    full = reconstruct(trial, pose, pig)
    hidden = reconstruct(keep(trial, [name for name in trial.markers.names if name != "RANK"]), pose, pig)
    error = np.linalg.norm(hidden.markers["RANK"] - trial.markers["RANK"], axis=1)
    assert full["RANK"].rms_m == pytest.approx(np.sqrt(np.mean(error**2)))
    assert full["RANK"].max_m == pytest.approx(error.max())
    assert full["RANK"].rms_m < 0.010  # soft tissue of the shank in walking


def test_every_marker_of_a_rigid_body_is_where_the_others_put_it_though_it_was_seen():
    seen = seen_by_the_others(keep(TRUTH, FULL.followed), STATIC, FULL)
    result = reconstruct(keep(TRUTH, FULL.followed), STATIC, FULL)
    checked = [name for name in FULL.followed if result[name].checked]
    assert len(checked) > 40
    for name in checked:
        assert_allclose(seen[name], TRUTH.markers[name], rtol=0, atol=1e-9)  # as the scattered losses above


def test_a_marker_that_slid_shows_in_the_difference_from_where_the_others_put_it():
    slid = keep(TRUTH, FULL.followed)
    p = slid.markers.p_WM.copy()
    p[:, slid.markers.index("CLBR_D_11")] += (0.004, 0.0, 0.003)
    seen = seen_by_the_others(make_trial(FULL.followed, p), STATIC, FULL)
    difference = p[:, slid.markers.index("CLBR_D_11")] - seen["CLBR_D_11"]
    assert_allclose(difference, np.broadcast_to((0.004, 0.0, 0.003), difference.shape), rtol=0, atol=1e-9)


def length_by_walking(present, frame):
    if present[frame]:
        return 0
    first = last = frame
    while first >= 0 and not present[first]:
        first -= 1
    while last < len(present) and not present[last]:
        last += 1
    return np.inf if first < 0 or last == len(present) else last - first - 1


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.lists(st.booleans(), min_size=40, max_size=40))
def test_gap_lengths_against_a_walk_from_frame_to_frame(one, other):
    present = np.array([one, other[: len(one)]]).T
    expected = [[length_by_walking(present[:, k], t) for k in range(2)] for t in range(len(one))]
    assert gap_lengths(present).tolist() == expected


def test_gap_lengths_without_frames_and_without_markers():
    assert gap_lengths(np.zeros((0, 3), dtype=bool)).shape == (0, 3)
    assert gap_lengths(np.zeros((3, 0), dtype=bool)).shape == (3, 0)
