"""What is told about fields comes from beside them."""

from dataclasses import dataclass

import pytest

from biomec.base.fields import Kind, entries, help_of, label_of, setting


@dataclass(frozen=True)
class Example:
    step_s: float = setting(0.1, unit="s")
    rate_s: float = setting(0.1)
    max_depth: float = setting(1.0, unit="m")
    speed_deg_s: float = setting(1.0, unit="deg/s")
    law: str = setting("a", "Law", choices={"a": ("First", "It is simple."), "b": "Second"})
    own: int = 3  # of no concern to a form


def test_a_field_without_a_label_is_called_by_its_name_and_a_unit_is_not_told_twice():
    described = entries(Example())
    assert [entry.setting.label for entry in described] == ["step", "rate s", "max depth", "speed", "Law"]
    assert described[-1].kind is Kind.CHOICE


@pytest.mark.parametrize(("value", "label", "help"), [("a", "First", "It is simple."), ("b", "Second", "")])
def test_a_choice_has_words_and_a_meaning(value, label, help):
    assert label_of(Example, "law", value) == label
    assert help_of(Example, "law", value) == help
