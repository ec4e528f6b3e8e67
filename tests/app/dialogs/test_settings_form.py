"""The form of the settings: every field explained, every value shown and read back without change."""

from dataclasses import fields, is_dataclass
from typing import get_args, get_type_hints

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.pipeline.settings import AnalysisSettings
from biomec.signals.filtering import ManualCutoff
from biomec_app.dialogs.settings_form import (
    DEFAULTS,
    Kind,
    all_fields,
    centre_options,
    changed,
    default_text,
    form,
    from_lines,
    from_vector,
    lines_of,
    value_at,
    vector_text,
)
from biomec_app.dialogs.settings_help import HELP, PAGES

FIELDS = all_fields(form())


def options_within(owner, found):
    """Every class of options that settings hold, however deep."""
    for hint in get_type_hints(owner).values():
        for one in (hint, *get_args(hint)):
            if isinstance(one, type) and is_dataclass(one) and one not in found:
                found.add(one)
                options_within(one, found)
    return found


def test_every_field_of_every_step_is_explained():
    shown = {field.key for field in FIELDS}
    assert {key for key in shown if not key.startswith("AnalysisSettings.")} <= set(HELP)
    assert set(HELP) <= shown  # and nothing is explained that does not exist
    assert set(PAGES) == {one.name for one in fields(AnalysisSettings)}


def test_no_option_of_the_library_is_left_out_of_the_form():
    inside_a_value = {"LabelMap", "ManualCutoff", "ContactChoice"}  # entered as a whole, not field by field
    every = {
        f"{owner.__name__}.{one.name}"
        for owner in options_within(AnalysisSettings, set())
        if owner.__name__ not in inside_a_value
        for one in fields(owner)
    }
    assert every == {field.key for field in FIELDS if not field.key.startswith("AnalysisSettings.")}


def test_the_default_of_every_choice_is_one_of_its_options():
    for field in (field for field in FIELDS if field.kind is Kind.CHOICE):
        assert field.default in [option.value for option in field.options], field.key
        assert len({option.label for option in field.options}) == len(field.options), field.key


def test_every_option_of_every_choice_is_one_that_the_library_takes():
    for field in (field for field in FIELDS if field.kind is Kind.CHOICE):
        for option in field.options:
            assert value_at(changed(DEFAULTS, field.path, option.value), field.path) == option.value


def test_every_field_says_its_default():
    texts = {field.key: default_text(field) for field in FIELDS if not field.parts}
    assert texts["ReconstructionOptions.gap_limit_s"] == "0.2 s"
    assert texts["StaticPoseOptions.largest_deviation_m"] == "5 mm"
    assert texts["CycleOptions.prominence"] == "20°"
    assert all(texts.values())


def test_centres_offer_their_published_methods_and_the_model_s_own():
    hips = centre_options()["CAQ_*"]
    assert hips[0].value is None
    assert {"hip-harrington-2007", "hip-davis-1991"} <= {option.value for option in hips}
    assert all(len(options) > 2 for options in centre_options().values())


def test_lines_of_names_and_numbers_come_back():
    weights = {"* hand": 2.0, "pelvis": 0.5}
    assert from_lines("WeightOptions.segments", lines_of(weights), "Weights") == weights
    manual = (ManualCutoff("C7", 6.0), ManualCutoff("IJ", (4.0, 5.0, 6.0)))
    assert from_lines("FilterOptions.manual", lines_of(manual), "Cut-offs") == manual
    assert from_lines("WeightOptions.markers", "C7 = 0,5\n\n", "Weights") == {"C7": 0.5}  # a comma as in half of Europe


@pytest.mark.parametrize("text", ["C7", "C7 =", "= 3", "C7 = three"])
def test_a_line_that_means_nothing_is_told_with_its_number(text):
    with pytest.raises(BiomecError, match="Weights, line 2"):
        from_lines("WeightOptions.markers", f"IJ = 1\n{text}", "Weights")


def test_a_weight_has_one_number():
    with pytest.raises(BiomecError, match="more than one"):
        from_lines("WeightOptions.markers", "C7 = 1 2", "Weights")


def test_vectors_are_shown_in_their_unit_and_read_back_in_metres():
    assert vector_text((0.1, -0.02, 0.0), 1e3) == "100 -20 0"
    np.testing.assert_allclose(from_vector("100 -20 0", 1e3, "Centre", True), (0.1, -0.02, 0.0))
    assert from_vector("  ", 1e3, "Centre", True) is None
    for text in ("1 2", "1 2 x", "1 2 3 4"):
        with pytest.raises(BiomecError, match="three numbers"):
            from_vector(text, 1e3, "Centre", True)
    with pytest.raises(BiomecError, match="three numbers"):
        from_vector("", 1.0, "Velocity", False)
