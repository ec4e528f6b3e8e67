"""The double pendulum whose bars share their points: no joint, no motor, no parameter."""

from biomec.machines.machine import parse_machine
from biomec_resources import resource


def shared_pendulum():
    """It stands in the folder of mechanisms; a machine of the same name has joints and letters."""
    text = resource("mechanisms").joinpath("double-pendulum.toml").read_text(encoding="utf-8")
    return parse_machine(text, "shared.toml")
