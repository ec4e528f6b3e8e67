"""The two published swings, simulated once."""

import pytest

from biomec.machines.machine import load_machine
from biomec.machines.prosthesis.swing import SwingSettings, simulate_swing


def swing_of(preset):
    machine, _ = load_machine("knee-prosthesis").with_preset(preset)
    return simulate_swing(machine, SwingSettings(every=0.004))


@pytest.fixture(scope="session")
def sim1():
    return swing_of("sim1")


@pytest.fixture(scope="session")
def sim2():
    return swing_of("sim2")
