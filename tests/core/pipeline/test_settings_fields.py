"""Every field that a user can set says what it is called and what it does."""

from dataclasses import fields, is_dataclass
from typing import get_args, get_type_hints

import pytest

from biomec.base.fields import Kind, all_entries, default_text, entries, group, value_at, with_values
from biomec.body.anatomy.centres import centre_choices
from biomec.pipeline.settings import AnalysisSettings

DEFAULTS = AnalysisSettings()
ENTRIES = {".".join(entry.path): entry for entry in all_entries(entries(DEFAULTS))}
WHOLE_VALUES = {"LabelMap", "ManualCutoff", "ContactChoice"}  # entered as a whole, not field by field


def options_within(owner, found):
    """Every class of options that settings hold, however deep."""
    for hint in get_type_hints(owner).values():
        for one in (hint, *get_args(hint)):
            if isinstance(one, type) and is_dataclass(one) and one not in found:
                found.add(one)
                options_within(one, found)
    return found


OWNERS = sorted(options_within(AnalysisSettings, {AnalysisSettings}), key=lambda owner: owner.__name__)


@pytest.mark.parametrize("owner", [owner for owner in OWNERS if owner.__name__ not in WHOLE_VALUES])
def test_every_field_has_a_label_and_help(owner):
    described = {entry.name: entry.setting for entry in group(owner()).parts}
    assert list(described) == [one.name for one in fields(owner)]
    for name, about in described.items():
        assert about.label, name
        assert about.help.endswith("."), name


def test_the_default_of_every_choice_is_one_of_its_choices():
    for name, entry in ENTRIES.items():
        if entry.kind is Kind.CHOICE:
            assert entry.default in [one.value for one in entry.choices], name
            assert len({one.label for one in entry.choices}) == len(entry.choices), name


def test_every_choice_is_one_that_the_library_takes():
    for entry in (entry for entry in ENTRIES.values() if entry.kind is Kind.CHOICE):
        for one in entry.choices:
            assert value_at(with_values(DEFAULTS, {entry.path: one.value}), entry.path) == one.value


def test_every_field_says_its_default():
    texts = {name: default_text(entry) for name, entry in ENTRIES.items() if not entry.parts}
    assert texts["signals.reconstruction.gap_limit_s"] == "0.2 s"
    assert texts["signals.static.largest_deviation_m"] == "5 mm"
    assert texts["cycles.options.prominence"] == "20°"
    assert all(texts.values())


def test_centres_offer_their_published_methods_and_the_model_s_own():
    label, hips = centre_choices()["CAQ_*"]
    assert label == "Hips (CAQ)"
    assert next(iter(hips)) is None
    assert {"hip-harrington-2007", "hip-davis-1991"} <= set(hips)
    assert all(len(words) > 2 for _, words in centre_choices().values())
