"""Ranges and names of options in words."""

import math

from biomec.machines.blueprint import Parameter
from biomec_app.features.workbench.option_form import option_words
from biomec_app.features.workbench.values import range_of, range_words


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
