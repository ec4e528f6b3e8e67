"""Numbers of any size in boxes."""

import math

import pytest

from biomec.machines.blueprint import Parameter
from biomec_app.features.workbench.option_form import option_words
from biomec_app.features.workbench.values import number_words, range_of, range_words, step_of


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


def test_ranges_are_finite_for_a_box_and_words_for_people():
    assert range_of(Parameter("a", 1.0)) == (-1e9, 1e9)
    assert range_words(Parameter("a", 1.0)) == ""
    assert range_words(Parameter("a", 1.0, "m", minimum=0.1, maximum=3.0)) == "0.1 to 3 m"
    assert range_words(Parameter("a", 1.0, minimum=0.0)) == "at least 0"
    assert range_words(Parameter("a", 1.0, maximum=2.0)) == "at most 2"
    assert math.isfinite(sum(range_of(Parameter("a", 1.0, minimum=0.0))))


def test_a_unit_at_the_end_of_an_option_is_not_told_twice():
    assert option_words("step_s", "s") == "step"
    assert option_words("step_s", "") == "step s"
    assert option_words("max_depth", "m") == "max depth"
