"""What every method for a joint centre must obey, and what the list of methods promises."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.body.anatomy.centres import CENTRE_METHODS, CentreError, methods_for
from tests.core.body.anatomy.person import LENGTHS, MEASURES, MIRROR, POINTS, irregular, mirrored, swapped
from tests.places import DOCS

METHODS = list(CENTRE_METHODS.values())
EITHER_SIDE = [(method, side) for method in METHODS for side in (("D", "E") if "*" in method.centre else (None,))]
IDS = [f"{method.name} {side or ''}".strip() for method, side in EITHER_SIDE]
# formulas with a constant in mm, made for adults: they do not scale with the person
WITH_CONSTANTS = {
    "hip-harrington-2007",
    "hip-harrington-2007-pelvis",
    "hip-harrington-2007-pelvis-width",
    "hip-harrington-2007-leg-length",
    "hip-hara-2016",
    "hip-davis-1991",
    "hip-plug-in-gait",
    "shoulder-meskers-1998",
    "shoulder-without-coracoid",
}
seeds = st.integers(0, 2**31)
every_method = pytest.mark.parametrize(("method", "side"), EITHER_SIDE, ids=IDS)


@every_method
@settings(max_examples=20)  # every method on both sides: a formula is wrong for one person or for all
@given(seed=seeds)
def test_the_laboratory_does_not_matter(method, side, seed):
    rng = np.random.default_rng(seed)
    points, turn, shift = irregular(seed), Rotation.random(rng=rng), rng.normal(scale=2.0, size=3)
    moved = {name: turn.apply(point) + shift for name, point in points.items()}
    expected = turn.apply(method.compute(points, MEASURES, side)) + shift
    # positions of some metres and cross products of lengths near 0.1 m: 1e-15 · 1e2, with room
    assert_allclose(method.compute(moved, MEASURES, side), expected, atol=1e-11)


@every_method
@settings(max_examples=20)  # every method on both sides: a formula is wrong for one person or for all
@given(seed=seeds)
def test_a_mirrored_person_has_mirrored_centres(method, side, seed):
    points = irregular(seed)
    measures = MEASURES | {"leg_length_D": 0.93, "knee_width_E": 0.11, "thigh_rotation_E": -0.05}
    other_side = {swapped(name): value for name, value in measures.items()}
    other = side and swapped(f"_{side}")[-1]
    expected = method.compute(points, measures, side) * MIRROR
    assert_allclose(method.compute(mirrored(points), other_side, other), expected, atol=1e-12)


@pytest.mark.parametrize("method", [m for m in METHODS if m.name not in WITH_CONSTANTS], ids=lambda m: m.name)
@settings(max_examples=20)
@given(seed=seeds, scale=st.floats(0.5, 1.5))
def test_a_larger_person_is_a_larger_copy(method, seed, scale):
    points, side = irregular(seed), "D" if "*" in method.centre else None
    lengths = [f"{name}_{s}" for name in LENGTHS for s in "DE"] + ["asis_distance", "marker_diameter"]
    scaled = MEASURES | {name: scale * MEASURES[name] for name in lengths}
    expected = scale * method.compute(points, MEASURES, side)
    larger = {name: scale * point for name, point in points.items()}
    assert_allclose(method.compute(larger, scaled, side), expected, atol=1e-11)


@pytest.mark.parametrize("name", sorted(WITH_CONSTANTS))
def test_regressions_with_constants_do_not_scale(name):
    """So that the list above cannot grow by mistake."""
    doubled = {key: 2.0 * value if key.rsplit("_", 1)[0] in LENGTHS else value for key, value in MEASURES.items()}
    doubled |= {"asis_distance": 0.46, "marker_diameter": 0.028}
    once = CENTRE_METHODS[name].compute(POINTS, MEASURES, "D")
    twice = CENTRE_METHODS[name].compute({key: 2.0 * point for key, point in POINTS.items()}, doubled, "D")
    assert np.linalg.norm(twice - 2.0 * once) > 1e-3


@every_method
def test_frames_are_computed_together_and_gaps_stay_where_they_are(method, side):
    frames = [irregular(seed) for seed in range(6)]
    points = {name: np.stack([frame[name] for frame in frames]).reshape(2, 3, 3) for name in POINTS}
    one_by_one = np.stack([method.compute(frame, MEASURES, side) for frame in frames]).reshape(2, 3, 3)
    assert_allclose(method.compute(points, MEASURES, side), one_by_one, atol=1e-13)
    lost = method.needs[0].replace("*", side or "")
    points[lost][1, 2] = np.nan
    found = method.compute(points, MEASURES, side)
    assert np.isnan(found[1, 2]).all()
    assert np.isfinite(found.reshape(-1, 3)[:5]).all()


@every_method
def test_a_method_says_what_it_needs(method, side):
    """It works with nothing but what it lists, and each landmark and measure of the list is missed by name."""
    needs = [name.replace("*", side or "") for name in method.needs]
    points = {name: POINTS[name] for name in needs}
    wanted = [name.replace("*", side or "") for name in method.measures]
    measures = {name: MEASURES[name] for name in wanted}
    assert np.isfinite(method.compute(points, measures, side)).all()
    for name in needs:
        with pytest.raises(CentreError, match=rf"{method.name} needs the landmark {name}"):
            method.compute({key: point for key, point in points.items() if key != name}, measures, side)
    for name in wanted:
        stem = re.sub("_[DE]$", "", name).replace("_", " ")
        with pytest.raises(CentreError, match=rf"{method.name} needs the {stem}"):
            method.compute(points, {key: value for key, value in measures.items() if key != name}, side)


@every_method
def test_optional_measures_matter(method, side):
    """Every optional measure, and no other, changes the centre."""
    optional = {name.replace("*", side or "") for name in method.optional}
    listed = optional | {name.replace("*", side or "") for name in method.measures}
    before = method.compute(POINTS, MEASURES, side)
    for name in set(MEASURES) - {"sex"}:
        after = method.compute(POINTS, MEASURES | {name: 0.9 * MEASURES[name]}, side)
        of_other_leg = method.name == "hip-plug-in-gait" and name.startswith("leg_length")
        assert np.array_equal(before, after) != (name in listed or of_other_leg), name


def test_points_are_not_changed():
    points = {name: point.copy() for name, point in POINTS.items()}
    for point in points.values():
        point.setflags(write=False)
    for method, side in EITHER_SIDE:
        method.compute(points, MEASURES, side)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_sources_are_in_the_references_and_titles_fit_a_menu(method):
    references = (DOCS / "references.md").read_text("utf-8")
    assert f"({method.source})=" in references
    assert 5 < len(method.title) < 70


def test_the_default_method_of_a_centre_comes_first():
    first = {centre: methods_for(centre)[0].name for centre in ("CAQ_*", "GU_E", "CAT_D", "CAC", "CAL", "KJC_*")}
    assert first == {
        "CAQ_*": "hip-harrington-2007",
        "GU_E": "shoulder-meskers-1998",
        "CAT_D": "ankle-bruening-2008",
        "CAC": "cervical-dumas-2007",
        "CAL": "lumbar-dumas-2007",
        "KJC_*": "knee-midpoint",
    }
    assert methods_for("nowhere") == ()


def test_every_centre_of_the_whole_body_has_a_method():
    paired = ("PME", "CAP", "PMCH", "KJC", "PMM", "PMT", "CAT", "CAQ", "GU", "PES", "PEI", "FTA", "FTL")
    centres = {*(f"{name}_*" for name in paired), "PTS", "PTI", "CAC", "CAL", "T12L1"}
    assert {method.centre for method in METHODS} == centres


def test_methods_survive_being_sent_to_another_process():
    method = pickle.loads(pickle.dumps(CENTRE_METHODS["hip-bell-1990"]))
    assert_allclose(method.compute(POINTS, {}, "D"), CENTRE_METHODS["hip-bell-1990"].compute(POINTS, {}, "D"))


@pytest.mark.parametrize(
    ("measures", "sentence"),
    [
        ({"leg_length_D": 900.0}, r"The leg length \(right\) is 900.0; a length in metres is wanted, from 0 to 3"),
        ({"leg_length_D": -0.1}, "a length in metres"),
        ({"leg_length_D": float("nan")}, "a length in metres"),
        ({"leg_length_D": "long"}, "is long; a length in metres"),
        ({"leg_length_D": 0.9, "asis_distance": 250.0}, "The ASIS distance is 250.0"),
    ],
)
def test_absurd_measures_are_refused(measures, sentence):
    with pytest.raises(CentreError, match=sentence):
        CENTRE_METHODS["hip-harrington-2007"].compute(POINTS, measures, "D")


def test_a_length_of_zero_was_not_measured():
    """As laboratories store it: the pelvis is then as wide as its markers, and a leg without length is missing."""
    hip = CENTRE_METHODS["hip-plug-in-gait"]
    legs = {"leg_length_D": 0.9, "leg_length_E": 0.9}
    unmeasured = legs | {"asis_distance": 0.0, "asis_trochanter_D": 0.0}
    assert_allclose(hip.compute(POINTS, unmeasured, "D"), hip.compute(POINTS, legs, "D"))
    with pytest.raises(CentreError, match=r"needs the leg length \(right\)"):
        hip.compute(POINTS, {"leg_length_D": 0.0}, "D")
    points_without_markers = hip.compute(POINTS, legs | {"marker_diameter": 0.0}, "D")
    assert np.linalg.norm(points_without_markers - hip.compute(POINTS, legs, "D")) == pytest.approx(0.007)


def test_angles_in_degrees_are_refused():
    with pytest.raises(CentreError, match=r"The thigh rotation \(left\) is 12.0; an angle in radians"):
        CENTRE_METHODS["knee-plug-in-gait"].compute(POINTS, MEASURES | {"thigh_rotation_E": 12.0}, "E")


def test_the_sex_must_be_one_that_the_tables_know():
    with pytest.raises(CentreError, match='"male" or "female"; it is "m"'):
        CENTRE_METHODS["lumbar-dumas-2007"].compute(POINTS, {"sex": "m"}, None)


def test_a_paired_centre_needs_a_side():
    with pytest.raises(CentreError, match='ask for side "D"'):
        CENTRE_METHODS["hip-bell-1990"].compute(POINTS, {}, None)
