"""Muscles follow a recorded movement: as a simulation of the project, with what they could not give."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.tracking.what_if import WhatIf
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation import run_simulation
from biomec.pipeline.simulation_run import LATER, SimulationRun, stored_run
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.pipeline.simulation_setup import set_up
from biomec.recording import Result
from biomec.reporting.files.simulation_files import simulation_csv, simulation_summary
from tests.core.pipeline.pushing import pushed

ASKED = SimulationSettings(input="muscles", frames=(100, 108))


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    found = pushed().analysis
    return found.with_settings(replace(found.settings, muscles=replace(found.settings.muscles, set="legs")))


@pytest.fixture(scope="module")
def run(analysis: Analysis) -> SimulationRun:
    return run_simulation(analysis, ASKED)


def test_muscles_carry_the_movement(run: SimulationRun) -> None:
    assert run.completed
    assert run.integration == "semi-recursive; trapezoidal, 1 ms"
    assert run.activations.shape == run.muscle_forces.shape == (9, 86)
    assert run.reserves.shape == (9, 12)
    assert 0.0099 < run.activations.min() < run.activations.max() <= 1.0
    assert run.muscle_forces.min() >= 0.0
    assert np.degrees(max(run.angle_rms.values())) < 0.1
    legs = {name: value for name, value in run.torque_rms.items() if "knee" in name or "hip" in name}
    assert max(legs.values()) < 2.0  # N·m; muscles follow what changes with a delay


def test_muscles_are_as_strong_as_in_load_sharing(analysis: Analysis) -> None:
    muscles = analysis.settings.muscles
    weak = replace(muscles, sharing=replace(muscles.sharing, strength=0.5))
    halved = set_up(analysis.with_settings(replace(analysis.settings, muscles=weak)), ASKED).control
    usual = set_up(analysis, ASKED).control
    assert halved is not None
    assert usual is not None
    np.testing.assert_allclose(halved.fitted.fmax, 0.5 * usual.fitted.fmax, rtol=1e-15)


def test_it_is_kept_written_and_told(run: SimulationRun, analysis: Analysis) -> None:
    again = stored_run(run.to_result())
    assert again.muscle_names == run.muscle_names
    for name in LATER:
        np.testing.assert_array_equal(getattr(again, name), getattr(run, name))
    header = simulation_csv(analysis, run).splitlines()[0]
    for column in ("soleus_r (activation)", "soleus_r (N)", '"right knee, axis (reserve, N m)"'):
        assert column in header
    told = simulation_summary(analysis, run)
    soleus = run.muscle_names.index("soleus_r")
    assert told["activation_max"]["soleus_r"] == pytest.approx(run.activations[:, soleus].max(), rel=1e-3)
    assert set(told["reserve_max_Nm"]) == set(run.reserve_names)


def test_a_run_of_an_earlier_version_has_no_muscles(run: SimulationRun) -> None:
    stored = run.to_result()
    arrays = {name: array for name, array in stored.arrays.items() if name not in LATER}
    about = {key: value for key, value in stored.metadata.items() if key not in ("muscle_names", "reserve_names")}
    old = stored_run(Result(arrays, about))
    assert old.activations.shape == (9, 0)
    assert old.muscle_names == ()


def test_another_set_makes_it_stale(run: SimulationRun, analysis: Analysis) -> None:
    kept = analysis.with_simulation(run)
    assert kept.stale_simulations == ()
    other = replace(kept.settings, muscles=replace(kept.settings.muscles, set="gait2392"))
    assert kept.with_settings(other).stale_simulations == (run.name,)


@pytest.mark.parametrize(("change", "words"), [
    ({"root": "ground"}, "a residual force holds the root"),
    ({"formulation": "index-3"}, "cannot carry the states of muscles"),
    ({"integrator": "radau"}, "which must be equal"),
    ({"integrator": "joint-trapezoidal"}, "which must be equal"),
    ({"what_if": WhatIf(weakened={"right knee": 0.3})}, "Weaken muscles in their set"),
])  # fmt: skip
def test_what_does_not_go_together_gets_a_sentence(change: dict, words: str) -> None:
    with pytest.raises(BiomecError, match=words):
        replace(ASKED, **change)


def test_steps_that_do_not_settle_are_halved(analysis: Analysis) -> None:
    """Of 20 ms, in which the fibres of some muscles would come to rest fifty times."""
    run = run_simulation(analysis, replace(ASKED, step_s=0.02, max_iterations=12))
    assert run.completed
    assert len(run.step_time_s) == 5
    assert run.iterations[1:].min() > 12  # of all parts of a step
    assert np.degrees(max(run.angle_rms.values())) < 2.0
