"""Landmarks in words."""

import pytest

from biomec.body.anatomy.model_file import load_model, shipped_models
from biomec.body.anatomy.model_landmarks import in_words, shipped_landmarks, shipped_words
from biomec.io.marker_set_file import load_marker_set

SHARED = {
    "CMED_D": "medial femoral condyle, right (CMED_D)",
    "KJC_E": "centre of the knee, left (KJC_E)",
    "C7": "spinous process of the 7th cervical vertebra (C7)",
    "knee_width_E": "knee width, left (knee_width_E)",
    "MINE": "MINE",
}
GAIT = {
    # What the user saw: "KJC_D needs CMED_D", with RKNE and LKNE on the labels.
    "CMED_D": "medial femoral condyle, right (marker RKNM)",
    "PMCP": "midpoint of the posterior superior iliac spines (markers RPSI and LPSI)",
    "THI_E": "thigh wand, left (marker LTHI)",
}


@pytest.mark.parametrize(("name", "known"), [("biomec-full", SHARED), ("plug-in-gait", SHARED | GAIT)])
def test_a_landmark_is_told_where_it_is_and_by_the_marker_that_gives_it(name, known):
    words = in_words(load_marker_set(name))
    assert {code: words(code) for code in known} == known


def test_everything_that_shipped_models_and_sets_speak_of_has_words():
    points = {point.name for name in shipped_models() for point in load_model(name).points}
    assert not (points | shipped_landmarks()) - set(shipped_words())
