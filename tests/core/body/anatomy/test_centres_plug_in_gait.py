"""The chord and the centres of Plug-in Gait: geometry by its definition, and a recording that stores the centres."""

import ezc3d
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from biomec.body.anatomy.centres import CENTRE_METHODS, chord
from tests.core.body.anatomy.person import POINTS
from tests.real_data import recording

THI, HIP, KNE = (POINTS[name] for name in ("THI_D", "CAQ_D", "CLAT_D"))
seeds = st.integers(0, 2**31)


def signed_angle(start, end, axis):
    """Angle [rad] about ``axis`` from ``start`` to ``end``, both projected at right angles to it."""
    k = axis / np.linalg.norm(axis)
    start, end = (vector - (vector @ k) * k for vector in (start, end))
    return np.arctan2(np.cross(start, end) @ k, start @ end)


def thigh(seed):
    """A stick, a hip and a knee marker, moved at random by 2 cm."""
    rng = np.random.default_rng(seed)
    return (point + rng.normal(scale=0.02, size=3) for point in (THI, HIP, KNE))


@given(seed=seeds, delta=st.floats(0.01, 0.12))
def test_chord_is_the_point_of_its_definition(seed, delta):
    a, b, c = thigh(seed)
    J = chord(a, b, c, delta)
    assert np.linalg.norm(J - c) == pytest.approx(delta, rel=1e-10)
    assert (J - c) @ (J - b) == pytest.approx(0.0, abs=1e-12)  # m²
    normal = np.cross(b - c, a - c)
    assert (J - c) @ normal / np.linalg.norm(normal) == pytest.approx(0.0, abs=1e-12)  # in the plane
    away = (a - c) - ((a - c) @ (b - c)) / ((b - c) @ (b - c)) * (b - c)
    assert (J - c) @ away < 0.0  # across the line b-c from the stick


def test_chord_in_a_plane_by_hand():
    """Hip 5 above the marker, δ = 3: the right angle stands on Thales' circle, 9/5 up and 12/5 inwards."""
    J = chord(np.array([0.0, 2.0, 1.0]), np.array([0.0, 5.0, 0.0]), np.zeros(3), 3.0)
    assert_allclose(J, [0.0, 9 / 5, -12 / 5], atol=1e-14)


@given(seed=seeds, delta=st.floats(0.02, 0.08), beta=st.floats(-0.6, 0.6))
def test_chord_with_a_turned_stick(seed, delta, beta):
    """By its definition: seen along the bone from J to b, the angle from stick to marker is β."""
    a, b, c = thigh(seed)
    J = chord(a, b, c, delta, beta)
    assume(np.isfinite(J).all())
    assert np.linalg.norm(J - c) == pytest.approx(delta, rel=1e-10)
    assert (J - c) @ (J - b) == pytest.approx(0.0, abs=1e-12)
    assert signed_angle(a - J, c - J, b - J) == pytest.approx(beta, abs=1e-9)


def test_chord_turns_smoothly_from_no_offset():
    """With β → 0 it is the plain chord; the slope is finite, δ·(1 + …) per radian of the turn of e."""
    plain = chord(THI, HIP, KNE, 0.05)
    assert_allclose(chord(THI, HIP, KNE, 0.05, 1e-9), plain, atol=1e-9)
    assert np.linalg.norm(chord(THI, HIP, KNE, 0.05, 0.1) - plain) > 0.005


def test_a_thigh_rotation_turns_both_knees_to_the_same_side():
    """A positive rotation moves the right knee centre forward or back; the left one must do the same."""
    measures = {"knee_width_D": 0.1, "knee_width_E": 0.1}
    turned = measures | {"thigh_rotation_D": 0.2, "thigh_rotation_E": 0.2}
    knee = CENTRE_METHODS["knee-plug-in-gait"]
    right, left = (knee.compute(POINTS, turned, s) - knee.compute(POINTS, measures, s) for s in "DE")
    assert abs(right[0]) > 0.01
    assert_allclose(left, right * [1, 1, -1], atol=1e-12)


def test_chord_does_not_exist_for_a_joint_wider_than_the_bone_or_a_stick_on_the_bone():
    assert np.isnan(chord(THI, HIP, KNE, 0.6)).all()
    assert np.isnan(chord(0.3 * HIP + 0.7 * KNE, HIP, KNE, 0.05)).all()
    assert np.isnan(chord(THI, KNE, KNE, 0.05)).all()
    # a stick nearer to the bone than the marker's distance from it cannot be turned by a right angle from the marker
    assert np.isnan(chord(KNE + np.array([0.0, 0.1, 0.005]), HIP, KNE, 0.05, 0.5 * np.pi)).all()


# ------------------------------------------------------------------------------------------------- a real recording
MARKERS = {
    "CIAS": "ASI",
    "THI": "THI",
    "CLAT": "KNE",
    "TIB": "TIB",
    "ML": "ANK",
    "AC": "SHO",
    "EL": "ELB",
    "ER": "WRA",
    "EU": "WRB",
    "FIN": "FIN",
}
ENTERED = {
    "leg_length": "LegLength",
    "asis_trochanter": "AsisTrocanterDistance",
    "knee_width": "KneeWidth",
    "ankle_width": "AnkleWidth",
    "shoulder_offset": "ShoulderOffset",
    "elbow_width": "ElbowWidth",
    "wrist_width": "WristWidth",
    "hand_thickness": "HandThickness",
}


@pytest.fixture(scope="module", params=["HC030A01.c3d", "HC030A05.c3d"], ids=["standing", "walking"])
def stored(request):
    """Points of the file [m], the landmarks among them, and the measures that were entered [m]."""
    file = ezc3d.c3d(str(recording("gait_pig_pair", request.param)))
    parameters = file["parameters"]
    labels = list(parameters["POINT"]["LABELS"]["value"]) + list(
        parameters["POINT"].get("LABELS2", {"value": []})["value"]
    )
    raw = dict(zip(labels, 1e-3 * file["data"]["points"][:3].transpose(1, 2, 0), strict=False))
    # outputs stored where nothing could be computed are exactly zero
    points = {name: np.where(np.any(p != 0.0, axis=1, keepdims=True), p, np.nan) for name, p in raw.items()}
    landmarks = {"C7": "C7", "IJ": "CLAV", "PX": "STRN", "T8": "T10", "PMCP": "SACR"}
    landmarks |= {f"{code}_{s}": f"{side}{name}" for code, name in MARKERS.items() for s, side in ("DR", "EL")}

    def entered(name):
        return 1e-3 * float(parameters["PROCESSING"][name]["value"][0])

    measures = {"marker_diameter": entered("MarkerDiameter"), "asis_distance": entered("InterAsisDistance")}
    measures |= {f"{code}_{s}": entered(f"{side}{name}") for code, name in ENTERED.items() for s, side in ("DR", "EL")}
    return points, {code: points[name] for code, name in landmarks.items()}, measures


def worst_mm(found, expected):
    """Largest distance [mm] over the frames that have both; there must be some."""
    apart = 1e3 * np.linalg.norm(found - expected, axis=-1)
    seen = np.isfinite(apart)
    assert seen.sum() > 100
    return apart[seen].max()


@pytest.mark.parametrize("side", ["D", "E"])
def test_centres_are_those_that_plug_in_gait_stored(stored, side):
    """One after the other from the markers alone, hip to ankle and shoulder to wrist: equal to 1 µm.

    The file keeps single precision, 6e-8 of some metres. The origins stored for femur, tibia, clavicle, humerus and
    radius are the knee, ankle, shoulder, elbow and wrist.
    """
    points, found, measures = stored
    found = dict(found)
    letter = {"D": "R", "E": "L"}[side]
    chain = {
        "hip-plug-in-gait": ("CAQ", "FEP"),
        "knee-plug-in-gait": ("KJC", "FEO"),
        "ankle-plug-in-gait": ("CAT", "TIO"),
        "shoulder-plug-in-gait": ("GU", "CLO"),
        "elbow-plug-in-gait": ("PME", "HUO"),
        "wrist-plug-in-gait": ("CAP", "RAO"),
    }
    for name, (code, output) in chain.items():
        found[f"{code}_{side}"] = CENTRE_METHODS[name].compute(found, measures, side)
        assert worst_mm(found[f"{code}_{side}"], points[letter + output]) < 1e-3, name
    # the hand's stored origin lies beyond its centre, as far again from the wrist
    hand = CENTRE_METHODS["hand-plug-in-gait"].compute(found, measures, side)
    assert worst_mm(2.0 * hand - found[f"CAP_{side}"], points[f"{letter}HNO"]) < 2e-3


@pytest.mark.parametrize("side", ["D", "E"])
def test_hips_are_those_that_the_foot_model_stored(stored, side):
    """The Oxford foot model of the same file keeps Davis' angles; in the static trial also Harrington's pelvis form."""
    points, landmarks, measures = stored
    letter = {"D": "R", "E": "L"}[side]
    for name, output in {"hip-davis-1991": "HJC", "hip-harrington-2007-pelvis": "HJCHarrington"}.items():
        if letter + output in points:
            assert worst_mm(CENTRE_METHODS[name].compute(landmarks, measures, side), points[letter + output]) < 1e-3
