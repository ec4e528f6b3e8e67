"""A simulation of a recording whose motion was made dynamically consistent starts from that motion and its forces."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.body.loads.dynamic_options import DynamicOptions
from biomec.body.loads.mass_adjustment import MassOptions
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.body.tracking.controllers import reference_effort
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.pipeline.simulation_setup import set_up
from tests.core.pipeline.muscled import before_muscles


@pytest.mark.parametrize("masses", [None, MassOptions()])
def test_nobody_has_to_hold_the_root_of_a_consistent_motion(masses: MassOptions | None) -> None:
    """With the measured motion a force of tenths of a newton holds it; unfiltered, without noise, at 20 Hz.

    Adjusted masses are those of the simulated body: with the masses of the tables hundredths of a newton would hold it.
    """
    measured = before_muscles()
    reduction = ReductionOptions(masses, None, DynamicOptions())
    settings = replace(measured.settings, loads=replace(measured.settings.loads, reduction=reduction))
    consistent = measured.with_settings(settings).run_until("loads")
    held = []
    for analysis in (measured, consistent):
        setup = set_up(analysis, SimulationSettings())
        assert setup.tracked is not None
        reference, frames = setup.tracked.reference, setup.time_s[20:-20:5]  # ends of the splines fade by 2.3 a frame
        held.append(max(float(np.abs(reference_effort(reference, setup.tracked.loads, t)[:6]).max()) for t in frames))
    reduced = consistent.loads.reduced
    assert np.array_equal(setup.q, reduced.q[setup.stretch.part])
    assert held[1] < 0.01 * held[0]
