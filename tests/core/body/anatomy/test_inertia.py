"""Inertia of a person: published unit figures, invariances, sums, and what happens when landmarks are missing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from biomec.base.arrays import rotation_about
from biomec.base.errors import BiomecError
from biomec.body.anatomy.inertia import InertiaOptions, body_inertia
from biomec.body.anatomy.inertia_table import physical_fault
from tests.core.body.anatomy.standing_person import landmarks, rows

MALE = {"mass_kg": 81.6, "height_m": 1.77, "sex": "male"}
FEMALE = {"mass_kg": 61.0, "height_m": 1.61, "sex": "female"}
LITERAL = InertiaOptions(rescale=False)
PERSONS = [MALE, FEMALE]
TABLES = ["dumas-2007", "dumas-wojtusch-2018"]


def without(*names):
    return {name: p for name, p in landmarks().items() if name not in names}


def codes(result):
    return [notice.code for notice in result.notices]


def symmetric(xx, yy, zz, xy, xz, yz):
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


# ------------------------------------------------------------------------------------------------- published figures
def test_an_upper_arm_of_30_cm():
    """81.6 kg: worked out by hand from 2.4 %, (1.7, −45.2, −2.6), (31 14 32 6 5 2)."""
    points = {"GU_D": [0.0, 0.3, 0.0], "PME_D": [0.0, 0.0, 0.0], "EL_D": [0.0, 0.0, 0.03], "EM_D": [0.0, 0.0, -0.03]}
    arm = body_inertia({"arm": ("upper arm", "D", 1.0)}, points, **MALE, options=LITERAL).segments["arm"]
    assert arm.mass == pytest.approx(1.9584, rel=1e-12)
    assert_allclose(arm.com_W - points["GU_D"], [0.0051, -0.1356, -0.0078], atol=1e-12)
    # six decimals are printed
    assert_allclose(arm.J_W, symmetric(0.016938, 0.003455, 0.018049, 0.000635, 0.000441, 0.000071), atol=5.1e-7)


def test_a_head_of_25_cm():
    points = {"CAC": [0.0, 0.0, 0.0], "VC": [0.0, 0.25, 0.0], "GLAB": [0.1, 0.2, 0.0]}
    head = body_inertia({"head": ("head", None, 1.0)}, points, **MALE, options=LITERAL).segments["head"]
    assert head.mass == pytest.approx(5.4672, rel=1e-12)
    assert_allclose(head.com_W, [0.005, 0.134, 0.00025], atol=1e-12)
    assert_allclose(head.J_W, symmetric(0.026789, 0.015069, 0.030753, -0.001674, -0.000137, 0.000308), atol=5.1e-7)


def test_the_pelvis_is_as_long_as_from_the_lumbar_centre_to_between_the_hips():
    result = body_inertia(rows(), landmarks(), **MALE)
    assert result.segments["pelvis"].length == pytest.approx(np.hypot(0.02, 0.09), rel=1e-12)


def test_the_foot_is_as_long_as_from_heel_to_metatarsals():
    assert body_inertia(rows(), landmarks(), **MALE).segments["left foot"].length == pytest.approx(
        np.linalg.norm([0.17, -0.005, 0.02]), rel=1e-12
    )


def test_the_two_foot_rows_describe_the_same_foot():
    """183 mm heel–metatarsals in 2007, 139 mm ankle–metatarsals in 2018: equal millimetres (table rounding 0.5 %)."""
    foot = {}
    for table, reference in zip(TABLES, (183.0, 139.0), strict=True):
        points = {"CALC_D": [-0.05, 0.0, 0.0], "PMT_D": [0.133, 0.0, 0.0], "PMM_D": [0.0, 0.03, 0.0]}
        points |= {"MT5_D": [0.133, 0.0, 0.04], "MT1_D": [0.133, 0.0, -0.04]}
        if table == TABLES[1]:
            points["PMM_D"] = [0.133 - np.sqrt(0.139**2 - 0.03**2), 0.03, 0.0]
        result = body_inertia(
            {"foot": ("foot", "D", 1.0)}, points, **MALE, options=InertiaOptions(table, rescale=False)
        )
        foot[table] = result.segments["foot"]
        assert 1e3 * foot[table].length == pytest.approx(reference, rel=1e-9)
        foot[table] = (foot[table].com_W - points["PMM_D"], np.sqrt(np.diag(foot[table].J_W) / foot[table].mass))
    assert_allclose(foot[TABLES[0]][0], foot[TABLES[1]][0], atol=5e-4)  # m; half a percent of 139 mm, rounded twice
    assert_allclose(foot[TABLES[0]][1], foot[TABLES[1]][1], atol=1.7e-3)  # m; a radius is rounded to 1 % of the length


# ------------------------------------------------------------------------------------------------------------ masses
@pytest.mark.parametrize("person", PERSONS, ids=lambda p: p["sex"])
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("girdle", [None, "proportional", "quental-2012"])
def test_a_whole_body_weighs_what_the_person_weighs(person, table, girdle):
    options = InertiaOptions(table, girdle=girdle or "proportional")
    result = body_inertia(rows(girdle is not None), landmarks(), **person, options=options)
    assert result.mass == pytest.approx(person["mass_kg"], rel=1e-12)


@pytest.mark.parametrize(
    ("table", "person", "percent"),
    [("dumas-2007", MALE, 100.2), ("dumas-2007", FEMALE, 99.9),
     ("dumas-wojtusch-2018", MALE, 100.2), ("dumas-wojtusch-2018", FEMALE, 100.4)],
)  # fmt: skip
def test_literal_masses_add_up_to_what_the_table_has(table, person, percent):
    options = InertiaOptions(table, rescale=False)
    result = body_inertia(rows(), landmarks(), **person, options=options)
    assert result.literal_sum == pytest.approx(percent, abs=1e-9)
    assert result.mass == pytest.approx(percent / 100 * person["mass_kg"], rel=1e-12)
    assert "mass-rescaled" not in codes(result)


def test_the_girdle_is_taken_off_the_torso():
    """33.3 % less 2 × (0.18 + 0.82) % is 31.3 %; with the masses of Quental 0.333 m − 3.2 kg."""
    torso = lambda **kw: body_inertia(rows(**kw.pop("rows", {})), landmarks(), **MALE, **kw).segments["thorax"].mass
    assert torso(options=LITERAL) == pytest.approx(0.313 * 81.6, rel=1e-12)
    assert torso(options=InertiaOptions(rescale=False, girdle="quental-2012")) == pytest.approx(0.333 * 81.6 - 3.2)
    assert torso(options=LITERAL, rows={"girdle": False}) == pytest.approx(0.333 * 81.6, rel=1e-12)


def test_the_printed_table_of_the_thesis():
    """30.1 % and 3.2 kg of girdle: 82.35 kg for 81.6 kg, as printed; rescaled, it weighs 81.6 kg."""
    printed = InertiaOptions("thesis-literal", rescale=False, girdle="quental-2012")
    result = body_inertia(rows(), landmarks(), **MALE, options=printed)
    assert result.mass == pytest.approx(0.97 * 81.6 + 3.2, rel=1e-12)
    assert result.mass == pytest.approx(82.35, abs=0.005)
    assert result.segments["thorax"].mass == pytest.approx(0.301 * 81.6)
    assert result.segments["pelvis"].length == pytest.approx(0.12)  # half the distance of the anterior spines
    rescaled = InertiaOptions("thesis-literal", girdle="quental-2012")
    assert body_inertia(rows(), landmarks(), **MALE, options=rescaled).mass == pytest.approx(81.6, rel=1e-12)
    with pytest.raises(BiomecError, match="has no female numbers"):
        body_inertia(rows(), landmarks(), **FEMALE, options=printed)


def test_legs_alone_weigh_what_legs_weigh():
    legs = {name: row for name, row in rows().items() if row[0] in ("pelvis", "thigh", "shank", "foot")}
    result = body_inertia(legs, landmarks(), **MALE)
    assert result.mass == pytest.approx((14.2 + 2 * (12.3 + 4.8 + 1.2)) / 100.2 * 81.6, rel=1e-12)


def test_ulna_and_radius_share_the_forearm():
    even = body_inertia(rows(), landmarks(), **MALE).segments
    uneven = body_inertia(rows(), landmarks(), **MALE, options=InertiaOptions(forearm_ulna_share=0.62)).segments
    whole = 0.017 * 81.6 / 1.002
    assert even["left ulna"].mass == even["left radius"].mass == pytest.approx(whole / 2)
    assert uneven["left ulna"].mass == pytest.approx(0.62 * whole)
    assert uneven["left radius"].mass == pytest.approx(0.38 * whole)
    assert_allclose(uneven["left ulna"].J_W / 0.62, even["left radius"].J_W / 0.5, rtol=1e-12, atol=1e-18)
    assert_allclose(uneven["left ulna"].com_W, even["left radius"].com_W)


# ------------------------------------------------------------------------------------------------------------- torso
def cloud(segment):
    """Point masses (masses, positions) with the mass, centre and tensor of a segment: two on each principal axis."""
    Pi = 0.5 * np.trace(segment.J_W) * np.eye(3) - segment.J_W  # ∫ r rᵀ dm
    second, axes = np.linalg.eigh(Pi)
    arms = np.sqrt(3.0 * second / segment.mass) * axes  # six points of m/6: Π = Σ 2 (m/6) arm armᵀ
    return np.full(6, segment.mass / 6), segment.com_W + np.concatenate([arms.T, -arms.T])


@pytest.mark.parametrize("person", PERSONS, ids=lambda p: p["sex"])
def test_the_torso_is_thorax_and_abdomen_as_point_masses(person):
    apart = body_inertia({"a": ("thorax", None, 1.0), "b": ("abdomen", None, 1.0)}, landmarks(), **person)
    torso = body_inertia({"torso": ("torso", None, 1.0)}, landmarks(), **person).segments["torso"]
    clouds = [cloud(apart.segments[name]) for name in "ab"]
    masses, places = (np.concatenate(parts) for parts in zip(*clouds, strict=True))
    com = masses @ places / masses.sum()
    d = places - com
    J = np.sum(
        masses[:, None, None] * (np.sum(d**2, axis=1)[:, None, None] * np.eye(3) - d[:, :, None] * d[:, None]), 0
    )
    # the two tables give the torso the same mass, so that only the rounding of sums differs
    assert torso.mass == pytest.approx(masses.sum(), rel=1e-12)
    assert_allclose(torso.com_W, com, atol=1e-12)
    assert_allclose(torso.J_W, J, atol=1e-12)
    assert "thorax and abdomen" in torso.source


def test_without_the_lumbar_top_the_torso_has_no_products():
    points = without("T12L1")
    result = body_inertia(rows(girdle=False), points, **FEMALE)
    torso = result.segments["thorax"]
    y = points["CAC"] - points["CAL"]
    z = np.array([0.0, 0.0, 1.0])
    y /= np.linalg.norm(y)
    R = np.stack([np.cross(y, z), y, z], axis=1)
    expected = torso.mass * torso.length**2 * np.diag([0.29**2, 0.27**2, 0.29**2])
    assert_allclose(R.T @ torso.J_W @ R, expected, atol=1e-12)
    assert "torso-without-products" in codes(result)


def test_the_printed_female_torso_is_refused():
    with pytest.raises(BiomecError, match=r"female torso of the inertia table dumas-2007 .* sum of the two others"):
        body_inertia(rows(), landmarks(), **FEMALE, options=InertiaOptions(torso="literal"))


def test_the_printed_male_torso_is_taken_when_asked_for():
    torso = body_inertia(rows(False), landmarks(), **MALE, options=InertiaOptions(torso="literal")).segments["thorax"]
    assert np.linalg.eigvalsh(torso.J_W) / (torso.mass * torso.length**2) == pytest.approx(
        np.linalg.eigvalsh(symmetric(0.27**2, 0.25**2, 0.28**2, 0.18**2, 0.02**2, -(0.04**2))), rel=1e-9
    )


def test_a_split_torso_needs_its_landmark():
    with pytest.raises(BiomecError, match="without the landmark T12L1"):
        body_inertia(rows(), without("T12L1"), **MALE, options=InertiaOptions(torso="split-2018"))


# -------------------------------------------------------------------------------------------------------- invariances
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("girdle", ["proportional", "quental-2012"])
@pytest.mark.parametrize("person", PERSONS, ids=lambda p: p["sex"])
def test_the_left_is_the_mirror_image_of_the_right(table, girdle, person):
    result = body_inertia(rows(), landmarks(), **person, options=InertiaOptions(table, girdle=girdle))
    M = np.diag([1.0, 1.0, -1.0])
    pairs = [name.split(" ", 1)[1] for name in result.segments if name.startswith("right")]
    assert len(pairs) == 9
    for name in pairs:
        right, left = result.segments[f"right {name}"], result.segments[f"left {name}"]
        assert_allclose(left.com_W, M @ right.com_W, atol=1e-14)
        assert_allclose(left.J_W, M @ right.J_W @ M, atol=1e-14)
        assert left.mass == right.mass


@settings(max_examples=15, deadline=None)
@given(
    axis=st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda a: np.linalg.norm(a) > 0.1),
    angle=st.floats(-3, 3),
    shift=st.tuples(*[st.floats(-5, 5)] * 3),
)
def test_moving_the_laboratory_moves_the_inertia_along(axis, angle, shift):
    R, t = rotation_about(axis, angle), np.array(shift)
    moved = {name: R @ p + t for name, p in landmarks().items()}
    before, after = (body_inertia(rows(), points, **MALE).segments for points in (landmarks(), moved))
    for name, segment in before.items():
        assert after[name].mass == pytest.approx(segment.mass, rel=1e-12)
        assert_allclose(after[name].com_W, R @ segment.com_W + t, atol=1e-12)  # m; rounding of coordinates of metres
        assert_allclose(after[name].J_W, R @ segment.J_W @ R.T, atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(scale=st.floats(0.6, 1.3), mass=st.floats(20.0, 200.0))
def test_similar_persons_have_similar_inertia(scale, mass):
    """Lengths × k and mass m: centres × k, tensors × m k²."""
    small = body_inertia(rows(), landmarks(), **MALE).segments
    person = {"mass_kg": mass, "height_m": 1.77 * scale, "sex": "male"}
    large = body_inertia(rows(), {name: scale * p for name, p in landmarks().items()}, **person).segments
    for name, segment in small.items():
        assert_allclose(large[name].com_W, scale * segment.com_W, atol=1e-12)
        assert_allclose(large[name].J_W, mass / 81.6 * scale**2 * segment.J_W, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("person", PERSONS, ids=lambda p: p["sex"])
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("girdle", ["proportional", "quental-2012"])
def test_every_tensor_is_possible(person, table, girdle):
    result = body_inertia(rows(), landmarks(), **person, options=InertiaOptions(table, girdle=girdle))
    assert len(result.segments) == 21
    for segment in result.segments.values():
        assert physical_fault(segment.J_W) == ""


def test_centres_of_mass_lie_where_a_person_has_them():
    """The whole body's centre is at 55 to 58 % of the stature in standing, near the second sacral vertebra."""
    for person in PERSONS:
        scale = person["height_m"] / 1.77
        result = body_inertia(rows(), {name: scale * p for name, p in landmarks().items()}, **person)
        assert 0.53 < result.com_W[1] / person["height_m"] < 0.59
        assert result.com_W[2] == pytest.approx(0.0, abs=0.002)


# ----------------------------------------------------------------------------------------------------------- girdle
def test_clavicle_is_a_rod_and_scapula_a_ball():
    points = landmarks()
    result = body_inertia(rows(), points, **MALE).segments
    clavicle, scapula = result["right clavicle"], result["right scapula"]
    rod = points["AC_D"] - points["EC_D"]
    L = np.linalg.norm(rod)
    assert_allclose(clavicle.com_W, (points["AC_D"] + points["EC_D"]) / 2)
    across = 0.0018 * 81.6 * L**2 / 12
    assert_allclose(np.linalg.eigvalsh(clavicle.J_W), [0.05 * across, across, across], rtol=1e-9)
    assert_allclose(clavicle.J_W @ rod, 0.05 * across * rod, atol=1e-15)
    assert_allclose(scapula.com_W, (points["AA_D"] + points["TE_D"] + points["AI_D"]) / 3)
    assert_allclose(scapula.J_W, 0.0082 * 81.6 * 0.042**2 * np.eye(3), atol=1e-15)


def test_the_girdle_of_quental_in_its_own_axes():
    points = landmarks()
    scapula = body_inertia(rows(), points, **MALE, options=InertiaOptions(girdle="quental-2012")).segments[
        "right scapula"
    ]
    z = points["AA_D"] - points["TE_D"]
    z /= np.linalg.norm(z)
    x = np.cross(z, points["AI_D"] - points["TE_D"])
    x /= np.linalg.norm(x)
    R = np.stack([x, np.cross(z, x), z], axis=1)
    assert scapula.mass == 1.4
    expected = symmetric(0.0163, 0.0277, 0.0164, 0.0039, -0.0028, 0.0049)
    assert_allclose(R.T @ scapula.J_W @ R, expected, atol=1e-15)


def test_a_small_child_has_no_room_for_the_girdle_of_quental():
    with pytest.raises(BiomecError, match="Choose the proportional girdle"):
        body_inertia(
            rows(), landmarks(), mass_kg=9.0, height_m=0.8, sex="male", options=InertiaOptions(girdle="quental-2012")
        )


# --------------------------------------------------------------------------------------------------- what is missing
def test_a_head_without_vertex_gets_its_length_from_the_stature():
    result = body_inertia(rows(), without("VC", "GLAB"), **MALE)
    assert result.segments["head"].length == pytest.approx(0.278, rel=1e-12)  # the reference person's
    assert {"length-from-stature", "inertial-frame-substitute"} <= set(codes(result))
    assert result.segments["head"].com_W[1] > landmarks()["CAC"][1] + 0.1
    sentences = " ".join(map(str, result.notices))
    assert "length of the head is estimated from the stature (278 mm)" in sentences


def test_a_head_with_a_band_points_where_the_band_points():
    points = without("VC", "GLAB")
    turned = rotation_about([0.0, 1.0, 0.0], np.radians(30.0))  # to the left
    for name, p in {"PHA": [0.1, 0, 0], "PHP": [-0.1, 0, 0], "PHL_D": [0, 0, 0.07], "PHL_E": [0, 0, -0.07]}.items():
        points[name] = points["CAC"] + turned @ np.array(p) + [0.0, 0.15, 0.0]
    head = body_inertia(rows(), points, **MALE).segments["head"]
    expected = turned @ (0.278 * np.array([0.02, 0.536, 0.001]))
    assert_allclose(head.com_W - points["CAC"], expected, atol=1e-12)


def test_a_torso_without_pelvis_is_nearly_that_with_one():
    """By IJ and C7, whose distance was that of the reference person: centre of mass within 3 cm, radii within 10 %."""
    arms = {name: row for name, row in rows().items() if row[0] in ("torso", "clavicle", "scapula", "upper arm")}
    points = landmarks()
    there = body_inertia(arms, without("T12L1"), **MALE).segments["thorax"]
    result = body_inertia(arms, without("T12L1", "CAC", "CAL"), **MALE)
    here = result.segments["thorax"]
    assert here.mass == there.mass
    assert here.length == pytest.approx(np.linalg.norm(points["IJ"] - points["C7"]))
    assert np.linalg.norm(here.com_W - there.com_W) < 0.03
    assert_allclose(np.sqrt(np.linalg.eigvalsh(here.J_W)), np.sqrt(np.linalg.eigvalsh(there.J_W)), rtol=0.10)


def test_a_hand_without_metacarpals_continues_the_forearm():
    gone = [f"{name}_{side}" for name in ("MC2", "MC5", "PMCH") for side in "DE"]
    result = body_inertia(rows(), without(*gone), **MALE)
    hand, points = result.segments["right hand"], landmarks()
    along = (points["CAP_D"] - points["PME_D"]) / np.linalg.norm(points["CAP_D"] - points["PME_D"])
    assert hand.length == pytest.approx(0.080)
    assert (hand.com_W - points["CAP_D"]) @ along == pytest.approx(0.839 * 0.080)


def test_missing_landmarks_are_named():
    for gone in ("GU_D", "CAL"):
        with pytest.raises(BiomecError, match=rf"the static pose has no usable .*{gone}"):
            body_inertia(rows(), without(gone), **MALE)
    broken = landmarks() | {"CAQ_E": np.full(3, np.nan)}
    with pytest.raises(BiomecError, match="left thigh: the static pose has no usable CAQ_E"):
        body_inertia(rows(), broken, **MALE)


def test_landmarks_in_millimetres_are_noticed():
    millimetres = {name: 1e3 * p for name, p in landmarks().items()}
    assert "implausible-length" in codes(body_inertia(rows(), millimetres, **MALE))
    assert "implausible-length" not in codes(body_inertia(rows(), landmarks(), **MALE))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"mass_kg": -3.0}, "body mass of -3 kg is impossible"),
        ({"mass_kg": float("nan")}, "body mass of nan kg is impossible"),
        ({"height_m": 177.0}, "stature of 177 m is impossible"),
        ({"sex": "m"}, "know male and female"),
    ],
)
def test_impossible_persons_are_refused(change, sentence):
    with pytest.raises(BiomecError, match=sentence):
        body_inertia(rows(), landmarks(), **(MALE | change))


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (("thig", "D", 1.0), 'did you mean "thigh"'),
        (("thigh", "R", 1.0), "the side is D"),
        (("thigh", None, 1.0), "needs a side"),
        (("thigh", "D", 0.0), "a share of 0"),
        (("hand", "D", 0.7), "take 170 % of the hand's mass"),
    ],
)
def test_impossible_rows_are_refused(row, sentence):
    with pytest.raises(BiomecError, match=sentence):
        body_inertia(rows() | {"extra": row}, landmarks(), **MALE)


def test_a_lost_share_is_noticed():
    half = {name: row for name, row in rows().items() if name != "right radius"}
    assert "mass-share-missing" in codes(body_inertia(half, landmarks(), **MALE))


@pytest.mark.parametrize("wrong", [{"torso": "cut"}, {"forearm_ulna_share": 1.0}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(BiomecError):
        InertiaOptions(**wrong)


def test_unknown_tables_are_refused_by_name():
    for wrong in ({"table": "dumas"}, {"girdle": "quental"}):
        with pytest.raises(BiomecError, match=r"Biomec ships no .* There are"):
            body_inertia(rows(), landmarks(), **MALE, options=InertiaOptions(**wrong))
