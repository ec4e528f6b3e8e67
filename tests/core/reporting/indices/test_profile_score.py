"""Profile scores and GDI* against closed forms, the norm sets' own scores, and published figures."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.reporting.indices.gdi_star import (
    REFERENCES,
    ProfileReference,
    gdi_star,
    gdi_star_of,
    gps_of,
    leave_one_out,
    profile_reference,
)
from biomec.reporting.indices.profile_score import (
    LEG,
    NINE,
    movement_analysis_profile,
    only,
    overall_score,
    profile_score,
    variable_score,
)
from tests.core.reporting.indices.norm_limbs import ADULTS, CHILDREN, limbs, table
from tests.core.signals.gait_recordings import pig_trial

T = np.linspace(0.0, 100.0, 101)
NORM = {name: 10.0 * np.sin(2 * np.pi * T / 100.0 + k) for k, name in enumerate(NINE)}
SETS = {CHILDREN: "children-dixon2017", ADULTS: "adults-fukuchi2018"}


def off_by(*degrees: float) -> dict[str, np.ndarray]:
    """Curves that are so far from the norm throughout, in the order of the nine."""
    return {name: (NORM[name] + d)[None] for name, d in zip(NINE, degrees, strict=True)}


def test_a_constant_offset_is_its_own_score():
    score = profile_score(off_by(*range(1, 10)), NORM)
    assert score.variables[0] == pytest.approx(np.arange(1, 10))
    assert score.mean == pytest.approx(np.sqrt(np.mean(np.arange(1, 10) ** 2)))  # √(285 / 9), not the plain mean 5
    assert np.isnan(score.sd)


def test_a_sine_scores_its_amplitude_by_root_two():
    """Over 50 equal parts of a period Σ sin² is half their number; the 51st point is the first again."""
    wave = 8.0 * np.sin(2 * np.pi * T / 100.0)
    expected = 8.0 * np.sqrt(25.0 / 51.0)
    assert variable_score(wave[None], np.zeros(101)) == pytest.approx([expected])
    assert variable_score(wave[None, ::2], np.zeros(51)) == pytest.approx([expected])


def test_the_score_of_both_sides_counts_the_pelvis_once_from_the_left():
    right = profile_score(off_by(9, 9, 9, 1, 2, 3, 4, 5, 6), NORM)
    left = profile_score(off_by(1, 1, 1, 6, 5, 4, 3, 2, 1), NORM)
    assert overall_score(right, left) == pytest.approx(np.sqrt((3 * 1 + 91 + 91) / 15))
    assert only(right, LEG).mean == pytest.approx(np.sqrt(91 / 6))  # as programs that count six curves on the right


def test_scores_are_averaged_over_cycles_not_computed_from_the_mean_curve():
    curves = {name: np.stack([NORM[name] + 3.0, NORM[name] - 3.0]) for name in NINE}  # the mean is the norm itself
    score = profile_score(curves, NORM)
    assert (score.mean, score.sd, score.cycles) == pytest.approx((3.0, 0.0, 2))


def test_a_cycle_that_misses_a_curve_does_not_count():
    curves = {name: np.stack([NORM[name] + 2.0, NORM[name] + 4.0]) for name in NINE}
    curves["hip rotation"][1, 7:9] = np.nan
    score = profile_score(curves, NORM)
    assert (score.mean, score.cycles) == pytest.approx((2.0, 1))


def test_mirrored_sides_exchange_their_scores():
    one, other = off_by(*range(1, 10)), off_by(*range(9, 0, -1))
    rows = movement_analysis_profile(profile_score(one, NORM), profile_score(other, NORM)).rows
    mirrored = movement_analysis_profile(profile_score(other, NORM), profile_score(one, NORM)).rows
    assert [(row[0], row[2], row[1], *row[3:]) for row in rows[:9]] == list(mirrored[:9])
    # of both sides: pelvis 9, 8, 7 of the left, legs 4 … 9 of the right and 6 … 1 of the left
    assert rows[9] == ("Gait Profile Score", "5.6", "5.6", f"{np.sqrt((194 + 271 + 91) / 15):.1f}", "–")


def test_missing_curves_and_odd_grids_are_sentences():
    with pytest.raises(BiomecError, match="needs hip rotation, which the recording does not have"):
        profile_score({name: NORM[name] for name in NINE if name != "hip rotation"}, NORM)
    with pytest.raises(BiomecError, match="curves of 51 or 101 points, not of 100"):
        variable_score(np.zeros((1, 100)), np.zeros(100))


# ------------------------------------------------------------------------------------------------------- the norm sets
@pytest.mark.parametrize("name", SETS)
def test_every_limb_of_the_norm_sets_scores_what_it_is_said_to(name):
    """Acceptance: GPS of every limb against all other people within 0.002°."""
    keys, curves = limbs(name)
    found = leave_one_out([key[0] for key in keys], curves)
    head, *rows = table(name, "scores.csv")
    stored = {(row[0], row[1]): np.array(row[2:], dtype=float) for row in rows}
    assert [f"GVS {curve} [deg]" for curve in NINE] == head[2:11]
    for key, variables, score in zip(keys, found.variables, found.score, strict=True):
        assert score == pytest.approx(stored[key][9], abs=0.002)
        assert variables == pytest.approx(stored[key][:9], abs=0.002)


@pytest.mark.parametrize(("name", "expected"), [(CHILDREN, (1.691, 0.248)), (ADULTS, (1.554, 0.310))])
def test_the_references_are_those_of_the_norm_sets(name, expected):
    keys, curves = limbs(name)
    made, shipped = profile_reference(name, [key[0] for key in keys], curves), REFERENCES[SETS[name]]
    assert (made.log_mean, made.log_sd) == pytest.approx(expected, abs=0.0006)  # published with three digits
    assert (shipped.log_mean, shipped.log_sd) == pytest.approx((made.log_mean, made.log_sd), abs=6e-5)
    assert shipped.limbs == made.limbs == len(keys)
    assert list(shipped.variables.values()) == pytest.approx(list(made.variables.values()), abs=0.006)


def test_the_children_are_like_the_published_ones():
    """Published: A 1.677, B 0.263 for control children; SD of typical children 1.4°."""
    keys, curves = limbs(CHILDREN)
    found, published = leave_one_out([key[0] for key in keys], curves), REFERENCES["gillette"]
    assert np.log(found.score).mean() == pytest.approx(published.log_mean, abs=0.05)
    assert np.log(found.score).std(ddof=1) == pytest.approx(published.log_sd, abs=0.05)
    assert (found.mean, found.sd) == pytest.approx((5.6, 1.4), abs=0.06)


def test_a_child_scores_the_same_from_its_recording():
    """Stored angles of the recording, its cycles by its events, against the other eleven children."""
    trial = pig_trial("HC030A05")
    keys, curves = limbs(CHILDREN)
    others = [key[0] != "HC030" for key in keys]
    norm = {name: curves[name][others].mean(axis=0) for name in NINE}
    outputs = {
        "pelvis tilt": ("PelvisAngles", 0),
        "pelvis obliquity": ("PelvisAngles", 1),
        "pelvis rotation": ("PelvisAngles", 2),
    }
    outputs |= {"hip flexion": ("HipAngles", 0), "hip adduction": ("HipAngles", 1), "hip rotation": ("HipAngles", 2)}
    outputs |= {"knee flexion": ("KneeAngles", 0), "ankle dorsiflexion": ("AnkleAngles", 0)}
    outputs |= {"foot progression": ("FootProgressAngles", 2)}
    for side, expected in (("Right", 8.560), ("Left", None)):
        strikes = [e.time_s for e in trial.events if (e.label, e.context) == ("Foot Strike", side)]
        a, b = (round(t * trial.rate_hz) for t in strikes[:2])
        own = {}
        for name, (label, axis) in outputs.items():
            k = trial.outputs.names.index(side[0] + label)
            curve = trial.outputs.values[a : b + 1, k, axis]  # in degrees
            own[name] = np.interp(T, np.linspace(0.0, 100.0, b - a + 1), curve)[None]
        stored = next(row for row in table(CHILDREN, "scores.csv") if row[:2] == ["HC030", side])
        assert expected is None or float(stored[-1]) == expected
        assert profile_score(own, norm).mean == pytest.approx(float(stored[-1]), abs=0.002)


# ----------------------------------------------------------------------------------------------------------------- GDI*
def test_gdi_star_is_100_at_the_norms_mean_and_falls_10_a_deviation():
    reference = ProfileReference("own", 100, 1.6, 0.25, {})
    assert gdi_star_of(np.exp([1.6, 1.85, 1.35]), reference) == pytest.approx([100.0, 90.0, 110.0])
    assert gps_of(gdi_star_of([3.0, 5.0, 20.0], reference), reference) == pytest.approx([3.0, 5.0, 20.0])


def test_the_norms_own_people_have_mean_100_and_deviation_10():
    keys, curves = limbs(ADULTS)
    found = leave_one_out([key[0] for key in keys], curves)
    reference = profile_reference("adults", [key[0] for key in keys], curves)
    values = gdi_star_of(found.score, reference)
    assert (values.mean(), values.std(ddof=1)) == pytest.approx((100.0, 10.0))


def test_gdi_star_ranks_as_a_feature_index_of_the_same_data():
    """An index by 15 features of a singular value decomposition, made here as the GDI was, and GDI* agree."""
    keys, curves = limbs(ADULTS)
    _, young = limbs(CHILDREN)
    stack = [
        np.concatenate([np.stack([one[n][:, ::2] for n in NINE], axis=1).reshape(-1, 459)]) for one in (curves, young)
    ]
    everyone = np.concatenate(stack)
    _, _, features = np.linalg.svd(everyone, full_matrices=False)
    scores = everyone @ features[:15].T
    distance = np.linalg.norm(scores - scores[: len(keys)].mean(axis=0), axis=1)
    logs = np.log(distance)
    by_features = 100.0 - 10.0 * (logs - logs[: len(keys)].mean()) / logs[: len(keys)].std(ddof=1)
    norm = {name: curves[name].mean(axis=0) for name in NINE}
    both = {name: np.concatenate([curves[name], young[name]]) for name in NINE}
    star = gdi_star_of(profile_score(both, norm).score, REFERENCES["adults-fukuchi2018"])
    assert np.corrcoef(by_features, star)[0, 1] > 0.99


def test_a_small_norm_has_no_gdi_star_and_a_middling_one_a_warning():
    score = profile_score(off_by(*[5.0] * 9), NORM)
    few = gdi_star(score, ProfileReference("own", 12, 1.6, 0.25, {}))
    assert (few.value, few.text) == (None, "–")
    assert [notice.code for notice in few.notices] == ["norm-too-small"]
    some = gdi_star(score, REFERENCES["adults-fukuchi2018"])
    assert [notice.code for notice in some.notices] == ["norm-small"]
    assert some.text == f"GDI* {100 - 10 * (np.log(5) - 1.5539) / 0.3099:.0f} (n = 84)"
    assert gdi_star(score, ProfileReference("own", 120, 1.6, 0.25, {})).notices == ()
    with pytest.raises(BiomecError, match="nine curves"):
        gdi_star(only(score, LEG), REFERENCES["adults-fukuchi2018"])
