import pytest

from biomec.machines.head_neck.equilibrium import find_equilibrium
from biomec.machines.head_neck.impact import PRESETS, ImpactOptions, simulate_impact
from biomec.machines.head_neck.model import load_head_neck


@pytest.fixture(scope="session")
def neck():
    """The head and neck that comes with Biomec."""
    return load_head_neck()


@pytest.fixture(scope="session")
def neck_at_rest(neck):
    """Its equilibrium."""
    return find_equilibrium(neck)


@pytest.fixture(scope="session")
def frontal_blow(neck_at_rest):
    """20 ms of the published frontal blow with the published steps."""
    return simulate_impact(neck_at_rest, PRESETS["frontal"], ImpactOptions(duration_s=0.02))
