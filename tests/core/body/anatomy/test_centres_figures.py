"""Regressions for joint centres against published figures, and against a published shoulder model."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.body.anatomy.centres import CENTRE_METHODS, methods_for
from biomec.body.anatomy.centres.pelvis import davis_coordinates
from tests.core.body.anatomy.person import MEASURES, POINTS
from tests.real_data import recording

# A pelvis that stands upright in the laboratory axes: CIAS and PMCP at one height.
WIDTH, DEPTH = 0.224, 0.150
UPRIGHT = {
    "CIAS_D": np.array([0.0, 1.0, WIDTH / 2]),
    "CIAS_E": np.array([0.0, 1.0, -WIDTH / 2]),
    "PMCP": np.array([-DEPTH, 1.0, 0.0]),
}
FRONT = np.array([0.0, 1.0, 0.0])  # middle of the CIAS


def pelvis(width):
    half = np.array([0.0, 0.0, width / 2])
    return UPRIGHT | {"CIAS_D": FRONT + half, "CIAS_E": FRONT - half}


def centre(name, points, measures=None, side=None):
    return CENTRE_METHODS[name].compute(points, measures or {}, side)


def test_hip_of_davis_by_hand():
    """Leg 940, trochanter 72.51, width 215.9, radius 7 mm, constants of Plug-in Gait: (−50.5, −102.0, 63.5) mm."""
    found = davis_coordinates(0.940, 0.07251, 0.2159, 0.007, 0.5, 0.314)
    assert_allclose(1e3 * np.array(found), [-50.5, -102.0, 63.5], atol=0.06)  # printed to 0.1 mm


def test_distance_to_the_trochanter_is_estimated_from_the_leg():
    """0.1288 · 940 − 48.56 = 72.51 mm."""
    measures = {"leg_length_D": 0.940, "leg_length_E": 0.940, "asis_distance": 0.2159}
    found = centre("hip-plug-in-gait", UPRIGHT, measures, "D") - FRONT
    assert_allclose(1e3 * found, [-50.5, -102.0, 63.5], atol=0.06)
    given = centre("hip-plug-in-gait", UPRIGHT, measures | {"asis_trochanter_D": 0.072512}, "D") - FRONT
    assert_allclose(given, found, atol=1e-12)


def test_plug_in_gait_takes_the_mean_of_both_legs():
    uneven = centre("hip-plug-in-gait", UPRIGHT, {"leg_length_D": 0.95, "leg_length_E": 0.93}, "D")
    # the mean of 0.94 sets C; the trochanter follows the leg of the side, 0.1288 · 0.95 − 0.04856
    expected = davis_coordinates(0.94, 0.1288 * 0.95 - 0.04856, WIDTH, 0.007, 0.5, 0.314)
    assert_allclose(uneven - FRONT, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "expected_mm"),
    [  # worked by hand for width 224, depth 150 and leg 900 mm
        ("hip-harrington-2007", (-45.9, -78.94, 85.74)),
        ("hip-harrington-2007-pelvis", (-45.9, -78.1, 81.22)),
        ("hip-harrington-2007-pelvis-width", (-41.312, -79.22, 81.22)),
        ("hip-harrington-2007-leg-length", (-43.2, -82.6, 84.06)),
        ("hip-hara-2016", (-45.7, -79.2, 85.4)),
        ("hip-bell-1990", (-42.56, -67.2, 80.64)),
        ("hip-bell-1989", (-49.28, -67.2, 80.64)),
        ("hip-vaughan-1999", (-150 + 133.952, -64.96, 77.056)),
        ("hip-dumas-2007", (-21.28, -82.88, 80.864)),
    ],
)
def test_hips_by_hand(name, expected_mm):
    measures = {"sex": "male", "leg_length_D": 0.9, "leg_length_E": 0.9}
    right, left = (1e3 * (centre(name, UPRIGHT, measures, side) - FRONT) for side in "DE")
    assert_allclose(right, expected_mm, atol=1e-9)
    assert_allclose(left, np.array(expected_mm) * [1, 1, -1], atol=1e-9)


def test_regressions_for_the_hip_differ_by_millimetres_and_not_by_signs():
    """On an adult pelvis all lie within 25 mm of their median (Dumas 24.8 mm); that of Vaughan, from behind, 33 mm."""
    measures = MEASURES | {"asis_distance": WIDTH}
    hips = {m.name: m.compute(UPRIGHT, measures, "D") for m in methods_for("CAQ_*") if m.name != "hip-vaughan-1999"}
    middle = np.median(list(hips.values()), axis=0)
    assert max(np.linalg.norm(hip - middle) for hip in hips.values()) < 0.025


@pytest.mark.parametrize(
    ("sex", "width", "regression_mm", "table_mm"), [("male", 224, 93, 94), ("female", 238, 103, 107)]
)
def test_length_of_the_pelvis_is_that_of_the_inertia_table(sex, width, regression_mm, table_mm):
    """From the lumbar centre to the middle of the hips; the table of [Dumas2007] has 94 and 107 mm."""
    points, measures = pelvis(1e-3 * width), {"sex": sex}
    hips = [centre("hip-dumas-2007", points, measures, side) for side in "DE"]
    length_mm = 1e3 * np.linalg.norm(centre("lumbar-dumas-2007", points, measures) - np.mean(hips, axis=0))
    assert length_mm == pytest.approx(regression_mm, abs=0.5)
    assert length_mm == pytest.approx(table_mm, abs=4.0)


@pytest.mark.parametrize(("sex", "expected_mm"), [("male", (-75.04, -7.168, 0)), ("female", (-76.16, 10.976, 0))])
def test_lumbar_centre_by_hand(sex, expected_mm):
    """Width 224 mm times (−0.335, −0.032) and (−0.340, 0.049)."""
    assert_allclose(1e3 * (centre("lumbar-dumas-2007", UPRIGHT, {"sex": sex}) - FRONT), expected_mm, atol=1e-9)


@pytest.mark.parametrize(("sex", "kappa", "theta_deg"), [("male", 0.55, 8.0), ("female", 0.53, 14.0)])
def test_cervical_centre_lies_at_its_angle_and_share(sex, kappa, theta_deg):
    """Seen from C7: its distance over that of IJ is κ, and it stands θ above the line to IJ, in the sagittal plane."""
    C7, IJ = POINTS["C7"], POINTS["IJ"]
    reach = centre("cervical-dumas-2007", POINTS, {"sex": sex}) - C7
    line = IJ - C7
    assert np.linalg.norm(reach) / np.linalg.norm(line) == pytest.approx(kappa, abs=1e-12)
    above = np.arctan2(reach[1], reach[0]) - np.arctan2(line[1], line[0])
    assert np.rad2deg(above) == pytest.approx(theta_deg, abs=1e-9)
    assert reach[2] == pytest.approx(0.0, abs=1e-15)
    by_lumbar = centre("cervical-dumas-2007-lumbar", POINTS, {"sex": sex})  # same plane, so the same centre
    assert_allclose(by_lumbar, C7 + reach, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "sex", "kappa", "theta_deg"),
    [
        ("shoulder-dumas-2007", "male", 0.43, -11.0),
        ("shoulder-dumas-2007", "female", 0.53, -5.0),
        ("shoulder-dumas-2018", "male", 0.33, -11.0),
        ("shoulder-dumas-2018", "female", 0.36, -5.0),
        ("shoulder-reed-1999", "male", 0.42, -67.0),
    ],
)
def test_shoulders_on_the_trunk_lie_at_their_angle_and_share(name, sex, kappa, theta_deg):
    reach = centre(name, POINTS, {"sex": sex}, "E") - POINTS["AC_E"]
    line = POINTS["IJ"] - POINTS["C7"]
    assert np.linalg.norm(reach) / np.linalg.norm(line) == pytest.approx(kappa, abs=1e-12)
    assert np.rad2deg(np.arctan2(reach[1], reach[0]) - np.arctan2(line[1], line[0])) == pytest.approx(theta_deg)


def test_shoulder_of_rab_lies_below_the_acromion():
    trunk = {"IJ": (0.05, 1.4, 0), "C7": (-0.05, 1.4, 0), "PX": (0.1, 1.2, 0), "T8": (-0.1, 1.2, 0)}
    points = {name: np.array(place) for name, place in trunk.items()}
    points |= {"AC_D": np.array([0.0, 1.45, 0.2]), "AC_E": np.array([0.0, 1.45, -0.2])}
    assert_allclose(centre("shoulder-rab-2002", points, side="D"), [0.0, 1.45 - 0.17 * 0.4, 0.2], atol=1e-12)


@pytest.mark.parametrize(("sex", "kappa", "theta_deg"), [("male", 0.52, 94.0), ("female", 0.50, 92.0)])
def test_thoracolumbar_centre_lies_before_the_spinous_process(sex, kappa, theta_deg):
    T12 = POINTS["T12"]
    reach = centre("thoracolumbar-dumas-2018", POINTS, {"sex": sex}) - T12
    spine = POINTS["T8"] - T12
    angle = np.rad2deg(np.arccos(reach @ spine / np.linalg.norm(reach) / np.linalg.norm(spine)))
    assert angle == pytest.approx(theta_deg)
    assert reach[0] > 0.05  # forward
    assert np.linalg.norm(reach) == pytest.approx(kappa * np.linalg.norm(POINTS["IJ"] - POINTS["C7"]))


def test_thoracolumbar_centre_keeps_the_direction_of_the_trunk_though_the_spine_bends_sideways():
    bent = POINTS | {"T12": POINTS["T12"] + np.array([0.0, 0.0, 0.03])}
    straight = centre("thoracolumbar-dumas-2018", POINTS, {"sex": "male"}) - POINTS["T12"]
    assert_allclose(centre("thoracolumbar-dumas-2018", bent, {"sex": "male"}) - bent["T12"], straight, atol=1e-12)


def test_ankle_of_bruening_lies_below_the_malleoli():
    points = {"ML_D": np.array([0, 0.08, 0.12]), "MM_D": np.array([0, 0.08, 0.04]), "KJC_D": np.array([0, 0.48, 0.08])}
    assert_allclose(centre("ankle-bruening-2008", points, side="D"), [0.0, 0.08 - 0.027 * 0.4, 0.08], atol=1e-15)
    assert_allclose(centre("ankle-midpoint", points, side="D"), [0.0, 0.08, 0.08], atol=1e-15)


def test_shoulder_of_meskers_by_hand():
    """Coordinates along the axes of the regression: x = Z, y = Y, z = −X of the person, in mm."""
    local = {"AC": (0, 0, 0), "TE": (-100, 0, 0), "AI": (-90, -140, 0), "AA": (20, -5, 35), "PCOR": (-10, -30, -55)}
    points = {f"{name}_D": 1e-3 * np.array([-z, y, x]) for name, (x, y, z) in local.items()}
    expected = (  # lengths: AI-AA √(110² + 135² + 35²), AC-PCOR √4025, AC-AA √1650, TE-PCOR √12025
        18.9743 - 2.434 - 21.069 + 0.1590 * np.sqrt(31550) - 1.674,
        -3.8791 - 0.1002 * np.sqrt(4025) - 5.196 - 0.3940 * np.sqrt(1650) - 10.845,
        9.2629 + 7.209 - 56.4025 + 0.1720 * np.sqrt(12025),
    )
    x, y, z = 1e3 * centre("shoulder-meskers-1998", points, side="D") @ np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]])
    assert_allclose([x, y, z], expected, atol=1e-9)
    assert 40 < np.linalg.norm(expected) < 70  # mm: a hand's breadth below the acromion
    assert y < -30


def test_shoulder_without_coracoid_by_hand():
    """AC-TE 100 mm and AC-AI √(90² + 120²) = 150 mm, from the middle of AC and AA at (10, −2.5, 17.5) mm."""
    local = {"AC": (0, 0, 0), "TE": (-100, 0, 0), "AI": (-90, -120, 0), "AA": (20, -5, 35)}
    points = {f"{name}_D": 1e-3 * np.array([-z, y, x]) for name, (x, y, z) in local.items()}
    found = 1e3 * centre("shoulder-without-coracoid", points, side="D") @ np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]])
    expected = (10 + 9.8 - 39.9 + 33.45, -2.5 - 69.6 + 73.1 - 41.55, 17.5 - 2.7 - 29.7 + 9.75)
    assert_allclose(found, expected, atol=1e-9)


def model_points(text):
    """Markers on the scapula, the coracoid (where biceps begins) and the shoulder of a published model [m]."""
    number = r"<(?:location|translation)>([^<]*)<"
    found = {}
    for name, code in {"ac": "AC", "aa": "AA", "ts": "TE", "ai": "AI"}.items():
        found[f"{code}_D"] = re.search(rf'<Marker name="{name}">.*?{number}', text, re.S)[1]
    found["PCOR_D"] = re.search(rf'<PathPoint name="BIC_brevis2-P1">.*?{number}', text, re.S)[1]
    shoulder = text.index('<CustomJoint name="GlenoHumeral">')
    found["GU_D"] = re.search(rf'<PhysicalOffsetFrame name="scapula_offset">.*?{number}', text[shoulder:], re.S)[1]
    return {name: np.array(place.split(), dtype=float) for name, place in found.items()}


@pytest.mark.parametrize(("name", "limit_mm"), [("shoulder-meskers-1998", 12.0), ("shoulder-without-coracoid", 20.0)])
def test_shoulder_lies_where_a_published_model_has_it(name, limit_mm):
    """A scaled thoracoscapular model: 10.2 mm from Meskers, 16.3 mm from the form without coracoid."""
    path = recording("shoulder_scapula", "reference", "TSM_subject_noWeight.osim")
    points = model_points(path.read_text("utf-8"))
    apart_mm = 1e3 * np.linalg.norm(centre(name, points, side="D") - points["GU_D"])
    assert apart_mm < limit_mm
