"""Values as people read and type them: numbers of any size, ranges, lines, vectors."""

from dataclasses import dataclass

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.field_texts import (
    lines_text,
    lines_typed,
    number_words,
    option_help,
    range_words,
    step_of,
    typed,
    vector_text,
    vector_typed,
)
from biomec.base.fields import MM, Setting, group, setting
from biomec.signals.filtering import FilterOptions, ManualCutoff

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


@dataclass(frozen=True)
class Numbers:
    """Options of all kinds that a command line takes."""

    gap_s: float = setting(0.2, "Longest gap", "Longer gaps stay open.", unit="s", least=0.0, most=5.0)
    shift_m: float | None = setting(0.005, "Shift", "How far.", unit="mm", factor=MM, least=0.0, nothing="unlimited")
    stiffness: float = setting(1e3, "Stiffness", "Of the spring.", unit="1/s²")
    count: int = setting(4, "Count", "How many.", least=1, most=9)
    axes: str = setting("joint", "Axes", "Which axes.", choices={"joint": "of the joint", "Distal": "of the segment"})
    by: str | None = setting(None, "By", "By what.", choices={None: "automatic", "x": "x"}, others="or an angle")
    half: tuple[float, float, float] = setting((0.1, 0.1, 0.1), "Half axes", "Of it.", unit="mm", factor=MM)
    names: tuple[str, ...] = setting((), "Names", "Which.")
    on: bool = setting(False, "On", "Whether it is on.")


NUMBERS = group(Numbers())


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("gap_s", "0.3", 0.3), ("gap_s", "0,3 s", 0.3), ("shift_m", "5 mm", 0.005), ("shift_m", "0.004m", 0.004),
     ("shift_m", "1e-3m", 1e-3), ("shift_m", "0", 0.0), ("shift_m", "Unlimited", None), ("shift_m", "default", 0.005),
     ("stiffness", "2e3", 2000.0), ("stiffness", "2000 1/s²", 2000.0), ("count", "7", 7), ("axes", "distal", "Distal"),
     ("by", "none", None), ("by", "neck flexion", "neck flexion"), ("half", "1 2 3 mm", (0.001, 0.002, 0.003)),
     ("names", "pelvis, left foot", ("pelvis", "left foot")), ("on", "Yes", True), ("on", "off", False)],
)  # fmt: skip
def test_a_text_means_a_value(name, text, value):
    assert typed(NUMBERS[name], text, "--it") == value


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [("gap_s", "long", '--it: "long" is not a number.'),
     ("gap_s", "nan", '--it: "nan" is not a number.'),
     ("gap_s", "6", "--it: 6 is out of range; it must be 0 to 5 s."),
     ("gap_s", "3 Hz", '--it: the unit "Hz" does not fit; use s.'),
     ("shift_m", "5", "--it: give 5 its unit: 5 mm or 5 m."),  # 5 m was meant as 5 mm by everybody
     ("count", "2.5", '--it: "2.5" is not a whole number.'),
     ("count", "2 m", '--it: the unit "m" does not fit, it has none.'),
     ("axes", "distol", '--it: "distol" is not one of joint, Distal; did you mean "Distal"?'),
     ("half", "1 2 mm", '--it: "1 2" is not three numbers X Y Z.'),
     ("on", "perhaps", '--it: "perhaps" is neither on nor off.')],
)  # fmt: skip
def test_a_text_that_means_nothing_is_a_sentence_with_the_option(name, text, sentence):
    with pytest.raises(BiomecError) as raised:
        typed(NUMBERS[name], text, "--it")
    assert str(raised.value) == sentence


def test_an_option_in_si_units_takes_a_bare_number():
    assert typed(NUMBERS["shift_m"], "0.005", "--it", bare=True) == 0.005
    assert "5 mm" in option_help(NUMBERS["shift_m"], bare=True)
    assert "A number without a unit is in m." in option_help(NUMBERS["shift_m"], bare=True)


def test_the_help_of_an_option_is_made_of_its_field():
    assert option_help(NUMBERS["gap_s"]) == "Longer gaps stay open. 0 to 5 s. Default: 0.2 s."
    assert option_help(NUMBERS["by"]) == "By what. One of x, or an angle. Default: automatic."
    assert option_help(NUMBERS["axes"], otherwise="as stored") == (
        "Which axes. One of joint (of the joint), Distal (of the segment). Default: as stored."
    )
