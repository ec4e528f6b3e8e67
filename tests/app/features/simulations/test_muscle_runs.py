"""A run that muscles carried: its facts, its curves, and the button that plots them."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.pipeline.simulation import run_simulation
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec_app.features.simulations.curves import MUSCLES, plotted, simulations
from biomec_app.features.simulations.panel import SimulationPanel
from biomec_app.features.simulations.runs import run_facts

ASKED = SimulationSettings(input="muscles", frames=(100, 106))


@pytest.fixture(scope="module")
def carried(push_up):
    """The push-up with a run that the muscles of the legs carry, and one that torques do."""
    muscles = replace(push_up.settings.muscles, set="legs")
    analysis = push_up.with_settings(replace(push_up.settings, muscles=muscles))
    for settings in (ASKED, replace(ASKED, input="computed-torque")):
        analysis = analysis.with_simulation(run_simulation(analysis, settings))
    return analysis


def test_facts_name_the_most_active_muscle_and_the_largest_reserve(carried):
    with_muscles, without = (run_facts(carried, run).rows for run in carried.simulations.values())
    assert with_muscles["Input"] == "Muscles"
    name, _, value = with_muscles["Most active muscle"].rpartition(", ")
    run = carried.simulations[ASKED.title]
    assert float(value) == pytest.approx(run.activations.max(), rel=0.05)
    assert name.lower() in run.muscle_names
    assert with_muscles["Largest reserve"].endswith(" N·m")
    assert "Largest reserve" not in without


def test_activations_forces_and_reserves_are_curves(carried):
    run = carried.simulations[ASKED.title]
    curves = {curve.key: curve for curve in simulations(carried)}
    shown = plotted(carried, tuple(carried.simulations), MUSCLES, ())
    assert len(shown) == 8 + 12
    assert set(shown) <= set(curves)
    soleus = run.muscle_names.index("soleus_r")
    force = curves[f"simulation/{run.name}/muscles/muscle force soleus_r"]
    assert force.unit == "N"
    np.testing.assert_allclose(force.values, run.muscle_forces[:, soleus])


def test_muscles_are_plotted_where_there_are_any(qtbot, context, carried):
    context.document.open(carried)
    panel = SimulationPanel(context)
    qtbot.addWidget(panel)
    panel.resize(440, 620)
    panel.show()
    qtbot.waitUntil(lambda: panel.table.rowCount() == 2)
    for name, there in zip(carried.simulations, (True, False), strict=True):
        panel.choose(name)
        assert panel.plot_items[MUSCLES].isEnabled() is there
    panel.choose(ASKED.title)
    panel.plot_items[MUSCLES].trigger()
    assert len(context.document.selection.curves) == 20
