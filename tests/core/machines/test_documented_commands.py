"""Commands about machines in the documentation name machines, presets, parameters and options that there are."""

import argparse
import re
import shlex

import pytest

from biomec.cli.mechanism import add_commands
from biomec.machines.machine import load_machine
from biomec.machines.studies import study
from biomec.machines.study import options_from
from tests.places import DOCS

OWN = "mine.toml"  # a file of the reader's own
COMMANDS = sorted(
    {found[1].split(" #")[0].strip() for page in DOCS.glob("*.md")
     for found in re.finditer(r"(?:^ *|`)biomec (mechanism [^`\n]+)", page.read_text("utf-8"), re.MULTILINE)}
)  # fmt: skip


def test_there_are_commands():
    assert len(COMMANDS) > 10


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_documentation_can_be_asked(command):
    parser = argparse.ArgumentParser()
    add_commands(parser.add_subparsers())
    given = parser.parse_args(shlex.split(command))
    if given.machine is None:
        return
    machine = load_machine("four-bar" if given.machine == OWN else given.machine)
    key, options = machine.analysis, {}
    if given.preset is not None:
        machine, preset = machine.with_preset(given.preset)
        key, options = preset.analysis or key, dict(preset.options)
    machine = machine.with_values({name: float(value) for name, value in (one.split("=") for one in given.values)})
    asked = study(given.analysis or key)
    assert asked.refusal(machine) is None
    options_from(asked, {**options, **dict(one.split("=", 1) for one in given.options)})
