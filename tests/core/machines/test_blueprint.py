"""Values of parameters written into the text of a machine file."""

import tomllib

import pytest

from biomec.base.errors import DescriptionError
from biomec.machines.blueprint import with_values
from biomec.machines.machine import machine_names, machine_text, parse_machine

ODD = """
L = 3.0   # a number of its own, outside
[parameters]
L = 1.0  # [m]; keep this remark
"m" = { about = "value = 7", value = 2.0, unit = "kg" }
[parameters.k]
about = "stiffness"
value = 1_000.0
[[body]]
name = "L = 1.0"
L = 1.0
"""


@pytest.mark.parametrize("name", machine_names())
def test_every_parameter_of_every_machine_can_be_written(name):
    text = machine_text(name)
    for one in parse_machine(text, name).blueprint.parameters.values():
        wanted = one.value + 0.001 if one.value + 0.001 <= one.maximum else one.value - 0.001
        changed = with_values(text, {one.name: wanted})
        assert parse_machine(changed, name).values[one.name] == pytest.approx(wanted, rel=1e-11)
        lines = zip(text.splitlines(), changed.splitlines(), strict=True)
        assert sum(before != after for before, after in lines) == 1


@pytest.mark.parametrize(("name", "wanted"), [("L", 0.3), ("m", -1e-9), ("k", 12.5)])
def test_only_the_value_changes_however_it_is_written(name, wanted):
    before, after = tomllib.loads(ODD), tomllib.loads(with_values(ODD, {name: wanted}))
    inner = after["parameters"][name]
    assert (inner["value"] if isinstance(inner, dict) else inner) == wanted
    if isinstance(inner, dict):
        before["parameters"][name]["value"] = wanted
    else:
        before["parameters"][name] = wanted
    assert after == before
    assert "# [m]; keep this remark" in with_values(ODD, {name: wanted})


def test_sums_of_steps_leave_no_tail():
    assert "L = 0.3 " in with_values(ODD, {"L": 0.1 + 0.2})


def test_what_cannot_be_found_is_refused():
    with pytest.raises(DescriptionError, match="no parameter X"):
        with_values(ODD, {"X": 1.0})
    with pytest.raises(DescriptionError, match="cannot be found in the text"):
        with_values("parameters = { L = 1.0 }\n", {"L": 2.0})
    with pytest.raises(DescriptionError, match="not TOML"):
        with_values("[parameters\n", {"L": 2.0})
