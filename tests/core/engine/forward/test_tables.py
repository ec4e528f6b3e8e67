"""The tables of formulations and integrators: every entry can be read and run, and its options are real ones."""

from dataclasses import fields

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.cli import main
from biomec.engine.forces.applied import weight
from biomec.engine.forward.formulation import FormulationOptions
from biomec.engine.forward.formulations import FORMULATIONS
from biomec.engine.forward.integrators import EQUAL_STEPS, INTEGRATORS, IntegratorOptions, Steps
from biomec.engine.forward.simulation import Ending, simulate
from biomec.engine.reference.spatial import random_tree


@pytest.fixture(scope="module")
def falling():
    """A small tree of bodies with a free root, so that every formulation can take it."""
    return random_tree(3, np.random.default_rng(1)).system()


def test_entries_are_complete_and_told_apart():
    for table in (FORMULATIONS, INTEGRATORS):
        for key, one in table.items():
            assert key == one.key
            assert one.name
            assert one.title[0].isupper()
            assert one.help.endswith(".")
        assert len({one.title for one in table.values()}) == len({one.name for one in table.values()}) == len(table)
    codes = [one.code for one in FORMULATIONS.values() if one.code]
    assert len(set(codes)) == len(codes)


def test_options_that_an_entry_uses_exist():
    equations = {one.name for one in fields(FormulationOptions)}
    assert set().union(*(one.uses for one in FORMULATIONS.values())) == equations
    steps = {one.name for one in fields(IntegratorOptions)} - {"family", "start"} | {"error"}
    assert set().union(*(one.uses for one in INTEGRATORS.values())) == steps


def test_every_integrator_has_what_its_way_of_stepping_needs():
    for one in INTEGRATORS.values():
        assert (one.make is not None) == (one.steps is Steps.EQUAL)
        assert bool(one.scipy) == (one.steps is Steps.SCIPY)
        assert (one.joint_step is not None) == (one.steps is Steps.JOINT)
        assert ("error" in one.uses) == one.variable
    assert sum(one.steps is Steps.ADAPTED for one in INTEGRATORS.values()) == 1  # settings know one


@pytest.mark.parametrize("family", EQUAL_STEPS)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_pair_of_entries_takes_steps(falling, formulation, family):
    stepper = FORMULATIONS[formulation].stepper(
        falling, weight(falling), FormulationOptions(), IntegratorOptions(family)
    )
    run = simulate(stepper, falling.reference, np.zeros(falling.n), 0.01, 0.002)
    assert run.ending is Ending.COMPLETED
    assert np.abs(run.energy_drift).max() < 1e-3  # joules, of a fall of 0.5 mm


def test_a_formulation_of_positions_has_no_accelerations(falling):
    with pytest.raises(BiomecError, match="finds positions"):
        FORMULATIONS["index-3"].accelerations(falling, FormulationOptions())


def test_the_command_line_lists_all_entries(capsys):
    with pytest.raises(SystemExit):
        main(["simulate", "--help"])
    words = "".join(capsys.readouterr().out.split())
    assert ",".join(("auto", *FORMULATIONS)) in words
    assert ",".join(("auto", *INTEGRATORS)) in words
