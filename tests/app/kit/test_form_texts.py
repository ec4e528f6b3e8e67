"""Values as people read and type them: numbers of any size, ranges, lines, vectors."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.fields import Setting, group
from biomec.signals.filtering import FilterOptions, ManualCutoff
from biomec_app.kit.forms.texts import (
    lines_text,
    lines_typed,
    number_words,
    range_words,
    step_of,
    vector_text,
    vector_typed,
)

WEIGHTS = Setting("Weights")
CENTRE = Setting("Centre", factor=1e3)


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0, "0"), (0.5, "0.5"), (-90.0, "-90"), (250000.0, "250000"), (1e9, "1e+09"), (1e-8, "1e-08"),
     (0.0467026, "0.0467026"), (0.1 + 0.2, "0.3"), (11.55, "11.55")],
)  # fmt: skip
def test_a_number_is_as_long_as_it_must_be(value, words):
    assert number_words(value) == words
    assert float(words) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize(("value", "step"), [(0.5, 0.01), (360.0, 10.0), (1e9, 1e8), (0.0, 0.1), (-3.0, 0.1)])
def test_a_step_changes_the_second_digit(value, step):
    assert step_of(value) == pytest.approx(step)


def test_ranges_are_words_for_people():
    assert range_words(Setting("a")) == ""
    assert range_words(Setting("a", unit="m", least=0.1, most=3.0)) == "0.1 to 3 m"
    assert range_words(Setting("a", least=0.0)) == "at least 0"
    assert range_words(Setting("a", most=2.0)) == "at most 2"


def test_lines_of_names_and_numbers_come_back():
    weights = {"* hand": 2.0, "pelvis": 0.5}
    assert lines_typed(lines_text(weights, WEIGHTS), WEIGHTS) == weights
    by_hand = group(FilterOptions())["manual"].setting
    manual = (ManualCutoff("C7", 6.0), ManualCutoff("IJ", (4.0, 5.0, 6.0)))
    assert lines_typed(lines_text(manual, by_hand), by_hand) == manual
    assert lines_typed("C7 = 0,5\n\n", WEIGHTS) == {"C7": 0.5}  # a comma as in half of Europe


@pytest.mark.parametrize("text", ["C7", "C7 =", "= 3", "C7 = three"])
def test_a_line_that_means_nothing_is_told_with_its_number(text):
    with pytest.raises(BiomecError, match="Weights, line 2"):
        lines_typed(f"IJ = 1\n{text}", WEIGHTS)


def test_a_weight_has_one_number():
    with pytest.raises(BiomecError, match="more than one"):
        lines_typed("C7 = 1 2", WEIGHTS)


def test_vectors_are_shown_in_their_unit_and_read_back_in_metres():
    assert vector_text((0.1, -0.02, 0.0), 1e3) == "100 -20 0"
    np.testing.assert_allclose(vector_typed("100 -20 0", CENTRE, True), (0.1, -0.02, 0.0))
    assert vector_typed("  ", CENTRE, True) is None
    for text in ("1 2", "1 2 x", "1 2 3 4"):
        with pytest.raises(BiomecError, match="three numbers"):
            vector_typed(text, CENTRE, True)
    with pytest.raises(BiomecError, match="three numbers"):
        vector_typed("", CENTRE, False)
