"""Labels taken apart: sides, prefixes, accents, slips of the pen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.recording.marker_set import Side
from biomec.signals.label_evidence import LabelForm, could_be_misspelt, edit_distance, label_forms, without_subject


@pytest.mark.parametrize(
    ("label", "side", "name"),
    [
        ("RASI", Side.RIGHT, "asi"),
        ("R.Knee.Lat", Side.RIGHT, "kneelat"),
        ("Left_Heel", Side.LEFT, "heel"),
        ("leftHeel", Side.LEFT, "heel"),
        ("heel_l", Side.LEFT, "heel"),
        ("CLBR_E_11", Side.LEFT, "clbr11"),
        ("Calcâneo Esquerdo", Side.LEFT, "calcaneo"),
        ("Ann:LTOE", Side.LEFT, "toe"),
        ("C7", None, "c7"),
    ],
)
def test_readings(label, side, name):
    assert label_forms(label)[LabelForm(side, name)] == 0.0


def test_a_side_that_is_only_a_last_letter_costs_confidence():
    assert label_forms("LHEE")[LabelForm(Side.LEFT, "hee")] == 0.0
    assert label_forms("LHEE")[LabelForm(Side.LEFT, "lhe")] > 0.0


@given(st.text(max_size=12))
def test_any_text_can_be_taken_apart(label):
    assert all(cost >= 0.0 for cost in label_forms(label).values())
    assert without_subject(label) is not None


def by_recursion(a, b):
    """Optimal string alignment from its definition."""
    if not a or not b:
        return len(a) + len(b)
    best = min(
        by_recursion(a[:-1], b) + 1, by_recursion(a, b[:-1]) + 1, by_recursion(a[:-1], b[:-1]) + (a[-1] != b[-1])
    )
    if len(a) > 1 and len(b) > 1 and a[-1] == b[-2] and a[-2] == b[-1]:
        best = min(best, by_recursion(a[:-2], b[:-2]) + 1)
    return best


@given(st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_the_edit_distance_is_that_of_its_definition(a, b):
    assert edit_distance(a, b) == by_recursion(a, b)


@pytest.mark.parametrize(
    ("a", "b", "slip"),
    [
        ("acromium", "acromuim", True),
        ("thighupper", "thigupper", True),
        ("heel", "hell", False),  # too short to tell
        ("clbr11", "clbr12", False),  # another place of the plate
        ("shankfront", "shankrear", False),
    ],
)
def test_slips_of_the_pen(a, b, slip):
    assert could_be_misspelt(a, b) is could_be_misspelt(b, a) is slip
