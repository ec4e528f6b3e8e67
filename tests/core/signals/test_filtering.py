"""The filter step on markers and plates."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError
from biomec.base.fields import entries
from biomec.io.registry import read_trial
from biomec.recording import ForcePlate, Markers
from biomec.signals.filtering import (
    PLATE_FILTER,
    CutoffChoice,
    FilterOptions,
    ManualCutoff,
    filter_markers,
    filter_plates,
    matching_filter,
)
from biomec.signals.filters import FILTERS, low_pass
from biomec.signals.residual_analysis import ResidualOptions, residual_analysis
from biomec.signals.singular_spectrum import singular_spectrum
from tests.real_data import recording

RATE = 200.0
UP = np.array([0.0, 1.0, 0.0])


def walkers(seconds=6.0, noise_m=0.001, seed=0):
    """Four markers with movements of 0.5 to 2 Hz, and noise."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(seconds * RATE)) / RATE
    f = np.linspace(0.5, 2.0, 12).reshape(4, 3)
    clean = 0.1 * np.sin(2.0 * np.pi * f * t[:, None, None] + rng.uniform(0.0, 6.0, (4, 3)))
    return clean, Markers(("A", "B", "C", "D"), clean + rng.normal(scale=noise_m, size=clean.shape), RATE)


def standing_plate(cop, weight_n=700.0, noise_n=3.0, seed=0):
    """A load that swings about a weight, at a moving centre of pressure (N, 3) in the plane y = 0."""
    rng = np.random.default_rng(seed)
    t = np.arange(len(cop)) / 1000.0
    force = np.stack([20.0 * np.sin(2.0 * t), weight_n * (1.0 + 0.1 * np.sin(6.0 * t)), 10.0 * np.cos(3.0 * t)], axis=1)
    force = force + rng.normal(scale=noise_n, size=force.shape)
    return ForcePlate.from_centre_of_pressure("P", force, cop, np.zeros_like(force), 1000.0, UP)


def codes(result):
    return [notice.code for notice in result.notices]


def test_every_channel_gets_the_cut_off_it_asks_for_and_comes_nearer_to_the_truth():
    clean, markers = walkers()
    done = filter_markers(markers)
    assert done.cutoff_hz.shape == (4, 3)
    assert np.corrcoef(done.cutoff_hz.ravel(), np.linspace(0.5, 2.0, 12))[0, 1] > 0.9  # fast movements, high cut-offs
    middle = slice(100, -100)
    before = np.sqrt(np.mean((markers.p_WM - clean)[middle] ** 2, axis=0))
    after = np.sqrt(np.mean((done.markers.p_WM - clean)[middle] ** 2, axis=0))
    assert (after < 0.5 * before).all()
    assert_allclose(done.analysis.noise, 0.001, rtol=0.1)
    assert_array_equal(done.cutoff_hz, done.analysis.cutoff_hz)
    assert codes(done) == []
    assert done.markers.names == markers.names


def test_fixed_and_manual_cut_offs():
    _, markers = walkers()
    options = FilterOptions(CutoffChoice.FIXED, 6.0, (ManualCutoff("B", 9.0), ManualCutoff("C", (3.0, 4.0, 5.0))))
    done = filter_markers(markers, options)
    assert_array_equal(done.cutoff_hz, [[6.0] * 3, [9.0] * 3, [3.0, 4.0, 5.0], [6.0] * 3])
    assert_allclose(done.markers["C"], low_pass(markers["C"], RATE, [3.0, 4.0, 5.0]).values, atol=1e-15)
    assert done.analysis is None
    assert codes(done) == ["cutoff-by-hand"]


@pytest.mark.parametrize("name", [name for name, one in FILTERS.items() if one.from_signal is None])
def test_markers_and_plates_pass_the_filter_that_is_chosen(name):
    _, markers = walkers()
    done = filter_markers(markers, FilterOptions(filter=name))
    cutoff = residual_analysis(markers.p_WM, RATE, filter=name).cutoff_hz
    assert_array_equal(done.cutoff_hz, cutoff)
    assert_array_equal(done.markers.p_WM, low_pass(markers.p_WM, RATE, cutoff, filter=name).values)


OWN_GAIN = FilterOptions(filter="singular-spectrum")


def test_a_filter_that_goes_by_the_signal_takes_no_cut_off_but_those_by_hand():
    _, markers = walkers()
    options = replace(OWN_GAIN, manual=(ManualCutoff("B", 9.0),))
    done = filter_markers(markers, options)
    own = singular_spectrum(markers.p_WM, RATE)
    others = [0, 2, 3]
    assert_array_equal(done.markers.p_WM[:, others], own.values[:, others])
    assert_array_equal(done.cutoff_hz[others], own.cutoff_hz[others])
    assert_array_equal(done.markers["B"], low_pass(markers["B"], RATE, 9.0).values)
    assert_array_equal(done.cutoff_hz[1], 9.0)
    assert done.analysis is None
    assert options.title == "singular spectrum"
    assert codes(done) == ["cutoff-by-hand"]
    fixed = replace(OWN_GAIN, choice=CutoffChoice.FIXED)
    assert fixed.title == "Butterworth"
    assert_array_equal(filter_markers(markers, fixed).markers.p_WM, low_pass(markers.p_WM, RATE, 6.0).values)


def test_a_filter_that_goes_by_the_signal_tells_what_it_left():
    _, markers = walkers()
    p = markers.p_WM.copy()
    p[200:260, 0] = np.nan
    p[270:274, 0] = np.nan  # leaves ten frames between two gaps
    p[:, 1, 2] = 0.0
    done = filter_markers(Markers(markers.names, p, RATE), OWN_GAIN)
    assert_array_equal(done.markers.visible, np.isfinite(p[:, :, 0]))
    assert done.untouched[260:270, 0].all()
    about = {notice.code: notice.sentence for notice in done.notices}
    assert set(about) == {"filtered-with-gaps", "stretch-too-short", "no-cutoff"}
    assert "shorter than one period of the cut-off or two windows" in about["stretch-too-short"]
    assert about["no-cutoff"].endswith("by hand): B Z.")


def test_plates_by_singular_spectrum_are_slowed_alike_and_plates_that_match_its_markers_have_its_cut_off():
    cop = np.stack([0.1 * np.sin(np.arange(3000) / 400.0), np.zeros(3000), np.linspace(-0.1, 0.1, 3000)], axis=1)
    plate, smooth = standing_plate(cop), standing_plate(cop, noise_n=0.0)
    done = filter_plates([plate], replace(PLATE_FILTER, filter="singular-spectrum"))
    assert len(set(done.cutoff_hz[0])) == 1
    after, before = (one.force - smooth.force for one in (done.plates[0], plate))
    assert np.sqrt(np.mean(after**2)) < 0.2 * np.sqrt(np.mean(before**2))
    _, markers = walkers()
    filtered = filter_markers(markers, OWN_GAIN)
    matching = matching_filter(filtered)
    assert matching.cutoff_hz == pytest.approx(np.percentile(filtered.cutoff_hz, 95.0))
    assert_array_equal(
        filter_plates([plate], matching).plates[0].force, low_pass(plate.force, 1000.0, matching.cutoff_hz).values
    )


def test_settings_offer_every_filter_of_the_table_and_no_other():
    (entry,) = (entry for entry in entries(FilterOptions()) if entry.name == "filter")
    assert [(choice.value, choice.label) for choice in entry.choices] == [(n, f.title) for n, f in FILTERS.items()]
    with pytest.raises(BiomecError, match="no filter boxcar"):
        FilterOptions(filter="boxcar")


def test_a_value_given_by_hand_replaces_that_of_the_analysis_only_there():
    _, markers = walkers()
    alone, with_manual = (
        filter_markers(markers),
        filter_markers(markers, FilterOptions(manual=(ManualCutoff("A", 8.0),))),
    )
    assert_array_equal(with_manual.cutoff_hz[1:], alone.cutoff_hz[1:])
    assert_array_equal(with_manual.cutoff_hz[0], [8.0] * 3)


def test_shared_cut_offs_are_the_highest_of_the_marker():
    _, markers = walkers()
    each, shared = filter_markers(markers), filter_markers(markers, FilterOptions(shared=True))
    assert_array_equal(shared.cutoff_hz, np.repeat(each.cutoff_hz.max(axis=1, keepdims=True), 3, axis=1))


def test_turning_the_laboratory_turns_the_result_when_all_cut_offs_are_equal():
    _, markers = walkers()
    R = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    fixed = FilterOptions(CutoffChoice.FIXED, 6.0)
    turned = filter_markers(Markers(markers.names, markers.p_WM @ R.T, RATE), fixed)
    assert_allclose(turned.markers.p_WM, filter_markers(markers, fixed).markers.p_WM @ R.T, atol=1e-14)


def test_gaps_are_told_and_not_bridged():
    _, markers = walkers()
    p = markers.p_WM.copy()
    p[200:260, 0] = np.nan
    p[270:274, 0] = np.nan  # leaves ten frames between two gaps
    p[:, 3] = np.nan
    done = filter_markers(Markers(markers.names, p, RATE))
    assert_array_equal(done.markers.visible, np.isfinite(p[:, :, 0]))
    assert_array_equal(done.markers.p_WM[260:270, 0], p[260:270, 0])
    assert done.untouched[260:270, 0].all()
    assert np.isnan(done.cutoff_hz[3]).all()
    about = {notice.code: notice for notice in done.notices}
    assert about["filtered-with-gaps"].about == ("A",)
    assert about["never-seen"].about == ("D",)
    assert "A is not filtered in a stretch shorter than" in about["stretch-too-short"].sentence
    assert about["stretch-too-short"].frames == (260, 269)


def test_still_channels_and_floors_are_told():
    _, markers = walkers()
    p = markers.p_WM.copy()
    p[:, 1, 2] = 0.0
    p[:, 2, 0] = np.random.default_rng(0).normal(scale=0.001, size=len(p))  # nothing but noise
    done = filter_markers(Markers(markers.names, p, RATE), FilterOptions(residual=ResidualOptions(floor_hz=0.75)))
    about = {notice.code: notice.sentence for notice in done.notices}
    assert "B Z" in about["no-cutoff"]
    assert "C X" in about["cutoff-at-floor"]
    assert "0.75 Hz" in about["cutoff-at-floor"]
    assert_array_equal(done.markers.p_WM[:, 1, 2], 0.0)
    assert done.cutoff_hz[2, 0] == 0.75


def test_a_slow_recording_is_told():
    rng = np.random.default_rng(0)
    done = filter_markers(Markers(("A",), rng.normal(size=(400, 1, 3)), 30.0))
    assert "grid-cut-short" in codes(done)


def test_no_markers_at_all():
    assert filter_markers(Markers.none(100, RATE)).cutoff_hz.shape == (0, 3)
    assert filter_markers(Markers.none(0, RATE)).markers.frames == 0
    assert filter_plates(()).plates == ()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"manual": (ManualCutoff("Z", 5.0),)}, "no marker of that name: there are A, B, C, D"),
        ({"manual": (ManualCutoff("A", 5.0), ManualCutoff("A", 6.0))}, "more than one"),
        ({"manual": (ManualCutoff("A", (5.0, 6.0)),)}, "give one, or 3"),
        ({"manual": (ManualCutoff("A", 100.0),)}, "half the rate, 100 Hz"),
        ({"choice": CutoffChoice.FIXED, "cutoff_hz": 0.0}, "above 0"),
    ],
)
def test_impossible_options_are_refused_in_a_sentence(options, words):
    with pytest.raises(BiomecError, match=words):
        filter_markers(walkers()[1], FilterOptions(**options))


@pytest.mark.parametrize("number", [np.nan, np.inf, 0.0, -6.0])
def test_a_cut_off_that_is_no_frequency_is_refused(number):
    """The input came back unfiltered, without a notice or as 'given by hand'."""
    for make in (
        lambda: FilterOptions(CutoffChoice.FIXED, cutoff_hz=number),
        lambda: ManualCutoff("A", number),
        lambda: ManualCutoff("A", (5.0, number, 5.0)),
    ):
        with pytest.raises(BiomecError, match=f"of {number:g} Hz"):
            make()


def test_recordings_too_short_for_an_analysis_are_told():
    """Three frames came back raw, with no notice."""
    _, markers = walkers()
    for frames in (1, 2, 3):
        done = filter_markers(Markers(markers.names, markers.p_WM[:frames], RATE))
        assert_array_equal(done.markers.p_WM, markers.p_WM[:frames])
        names_left = {name for notice in done.notices if notice.code == "stretch-too-short" for name in notice.about}
        assert names_left == set(markers.names)


def test_markers_that_were_filtered_before_are_told_where_the_filter_harms():
    """The advice to do something appeared with every smoothed file, though the filter moved nothing by 0.1 mm."""
    clean, markers = walkers()
    assert "filtered-before" not in codes(filter_markers(markers))
    filtered = low_pass(markers.p_WM, RATE, 6.0).values
    for p in (filtered, clean):
        assert "filtered-before" not in codes(filter_markers(Markers(markers.names, p, RATE)))
    fast = clean + 0.02 * np.sin(2 * np.pi * 8.0 * np.arange(len(clean)) / RATE)[:, None, None]
    sentences = {n.code: n.sentence for n in filter_markers(Markers(markers.names, fast, RATE)).notices}
    assert "The filter moves markers by up to" in sentences["filtered-before"]
    fixed = FilterOptions(CutoffChoice.FIXED)
    assert "filtered-before" not in codes(filter_markers(Markers(markers.names, filtered, RATE), fixed))


def test_plates_keep_their_centre_of_pressure():
    """The centre follows from filtered force and moment, and is nearer to the true one than the measured one."""
    t = np.arange(5000) / 1000.0
    cop = np.stack([0.05 * np.sin(2.0 * t), 0.0 * t, 0.03 * np.cos(1.5 * t)], axis=1)
    plate = standing_plate(cop)
    noise = np.random.default_rng(5).normal(scale=0.5, size=(5000, 3))
    measured = ForcePlate("P", plate.force, plate.moment + noise, 1000.0, plate.origin, plate.up)
    for options in (FilterOptions(), PLATE_FILTER):
        done = filter_plates([measured], options)
        middle = slice(500, -500)
        before = np.abs((measured.centre_of_pressure() - cop)[middle]).mean()
        after = np.abs((done.plates[0].centre_of_pressure() - cop)[middle]).mean()
        assert after < 0.3 * before
        assert done.cutoff_hz.shape == (1, 6)
    assert len(set(done.cutoff_hz[0])) == 1
    assert codes(done) == []


def test_a_filter_that_moves_the_centre_of_pressure_is_told():
    """Force and moment slowed differently under a load that swings."""
    t = np.arange(5000) / 1000.0
    force = np.stack([0.0 * t, 700.0 + 500.0 * np.sin(2.0 * np.pi * 3.0 * t), 0.0 * t], axis=1)
    plate = ForcePlate.from_centre_of_pressure(
        "P", force, np.tile([0.2, 0.0, 0.0], (5000, 1)), np.zeros_like(force), 1000.0, UP
    )
    uneven = FilterOptions(CutoffChoice.FIXED, manual=(ManualCutoff("P", (30.0,) * 3 + (2.0,) * 3),))
    assert "centre-of-pressure-moved" in codes(filter_plates([plate], uneven))
    assert "centre-of-pressure-moved" not in codes(filter_plates([plate], FilterOptions(CutoffChoice.FIXED, 30.0)))


def test_moments_of_an_empty_plate_that_leak_into_the_contact_are_told():
    """The user saw a centre of pressure 276 mm beside the foot, in fewer than one of 20 samples, and no notice."""
    t = np.arange(3000) / 1000.0
    on = (t > 1.0) & (t < 2.5)
    load = np.where(on, 700.0 * np.sin(np.pi * np.clip((t - 1.0) / 1.5, 0.0, 1.0)) + 50.0, 4.0)
    force = load[:, None] * UP
    cop = np.tile([0.2, 0.0, 0.0], (3000, 1))
    moment = np.cross(cop, force)
    calm = ForcePlate("P", force, moment, 1000.0, np.zeros(3), UP)
    wild = ForcePlate("P", force, np.where(on[:, None], moment, [0.0, 0.0, 800.0]), 1000.0, np.zeros(3), UP)
    options = FilterOptions(CutoffChoice.FIXED, 60.0)
    done = filter_plates([wild], options)
    shift = np.linalg.norm(done.plates[0].centre_of_pressure() - wild.centre_of_pressure(), axis=1)
    assert np.nanpercentile(shift, 95.0) < 0.005 < 0.2 < np.nanmax(shift)
    assert codes(done) == ["centre-of-pressure-moved-at-contact-ends"]
    worst = np.nanargmax(shift) / 1000.0
    assert f"{1e3 * np.nanmax(shift):.0f} mm (at {worst:.3f} s)" in done.notices[0].sentence
    assert codes(filter_plates([calm], options)) == []
    made = ForcePlate.from_centre_of_pressure(
        "P", force, np.where(on[:, None], cop, [200.0, 0.0, 0.0]), np.zeros_like(force), 1000.0, UP
    )
    assert codes(filter_plates([made], options)) == []  # what the reader makes of such a file


def test_missing_samples_of_a_plate_are_told():
    plate = standing_plate(np.tile([0.1, 0.0, 0.05], (3000, 1)))
    assert "plate-samples-missing" not in codes(filter_plates([plate]))
    force = plate.force.copy()
    force[1000:1100] = np.nan
    done = filter_plates([replace(plate, force=force)])
    said = {notice.code: notice.sentence for notice in done.notices}["plate-samples-missing"]
    assert "100 of 3000 samples are missing (1.000 to 1.099 s)" in said
    assert np.isnan(done.plates[0].force[1000:1100]).all()


def test_plates_do_what_the_filter_does_to_force_and_moment():
    plate = standing_plate(np.tile([0.1, 0.0, 0.05], (3000, 1)))
    done = filter_plates(
        [plate], FilterOptions(CutoffChoice.FIXED, 20.0, (ManualCutoff("P", (10.0,) * 3 + (5.0,) * 3),))
    )
    assert_allclose(done.plates[0].force, low_pass(plate.force, 1000.0, 10.0).values, atol=1e-10)
    assert_allclose(done.plates[0].moment, low_pass(plate.moment, 1000.0, 5.0).values, atol=1e-10)
    assert_array_equal(done.plates[0].origin, plate.origin)


def test_equal_cut_offs_leave_a_still_centre_of_pressure_where_it_is():
    """Moment and force are proportional then, and filtering keeps it so, however fast the load changes."""
    cop = np.tile([0.1, 0.0, 0.05], (3000, 1))
    done = filter_plates([standing_plate(cop)], FilterOptions(CutoffChoice.FIXED, 12.0)).plates[0]
    assert_allclose(done.centre_of_pressure(), cop, atol=1e-12)


def test_a_real_walk_keeps_its_loads_and_says_what_a_low_cut_off_does_to_them():
    trial = read_trial(recording("gait_pig_pair", "HC030A05.c3d"))
    done = filter_plates(trial.plates)
    for before, after in zip(trial.plates, done.plates, strict=True):
        on = before.loaded(50.0) & after.loaded(50.0)
        shift = np.linalg.norm((after.centre_of_pressure() - before.centre_of_pressure())[on], axis=1)
        assert np.percentile(shift, 95.0) < 0.002
        # the filter passes a constant as it is, so the impulse stays
        assert after.force.sum(axis=0) @ after.up == pytest.approx(before.force.sum(axis=0) @ before.up, rel=1e-3)
    slow = filter_plates(trial.plates, FilterOptions())
    assert codes(slow).count("centre-of-pressure-moved") == len(trial.plates)
    assert "centre-of-pressure-moved-at-contact-ends" not in codes(done)


def test_a_real_walk_is_smoothed_by_less_than_the_size_of_its_noise():
    trial = read_trial(recording("gait_opensim2354", "subject01_walk1.trc"))
    done = filter_markers(trial.markers)
    taken = np.sqrt(np.nanmean((done.markers.p_WM - trial.markers.p_WM) ** 2, axis=0))
    # what the filter takes away is R(f_c), and R(f_c) is the noise by construction; no channel is at the floor here
    assert_allclose(taken, done.analysis.noise, rtol=0.02, atol=1e-6)
    assert done.cutoff_hz.min() > 2.0
    assert done.analysis.noise.max() < 0.002
