"""The table of all formulations and integrators for an analysed recording."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.engine.forward.simulation import Ending
from biomec.pipeline.analysis import analyze
from biomec.recording import Session
from biomec.reporting.statistics.simulation_table import TableOptions, movement, recorded_movement, simulation_table
from biomec.virtual import DEMO, PushUp, VirtualPerson, record


@pytest.fixture(scope="module")
def analysis():
    acquisition = record(PushUp("closed", cycles=1), VirtualPerson(), DEMO)
    return analyze(Session(acquisition.dynamic, acquisition.static, subject=acquisition.person.subject))


def test_a_noisy_recording_has_one_floor_for_all_methods(analysis):
    """q̈ of a recording is not exactly the derivative of its q: all methods return to the same distance from it."""
    options = TableOptions(steps=600, integrators=("trapezoidal", "adams"), formulations=("LE", "LP", "LAP"))
    rows = simulation_table(recorded_movement(analysis, options), options)
    assert [(one.integrator, one.formulation) for one in rows] == [
        ("trapezoidal", "LE"), ("trapezoidal", "LP"), ("adams", "LE"), ("adams", "LP"), ("trapezoidal", "LAP"),
    ]  # fmt: skip
    assert all(one.ending is Ending.COMPLETED and one.steps == 600 for one in rows)
    floors = np.array([one.distance[0][0] for one in rows])
    assert floors.min() > 1e-6
    np.testing.assert_allclose(floors, floors[0], rtol=0.02)


def test_other_formulations_and_gear_stand_beside_the_published_rows(analysis):
    """The same motion by R, the semi-recursive formulation and Gear; Gear's error over few steps is its start's."""
    options = TableOptions(steps=60, integrators=("adams", "gear"), formulations=("LE", "R", "SR"))
    rows = simulation_table(recorded_movement(analysis, options), options)
    assert [(one.integrator, one.formulation) for one in rows] == [
        ("adams", "LE"), ("adams", "R"), ("adams", "SR"), ("gear", "LE"), ("gear", "R"), ("gear", "SR"),
    ]  # fmt: skip
    assert all(one.ending is Ending.COMPLETED and one.steps == 60 for one in rows)
    floors = np.array([one.distance[0][0] for one in rows])
    np.testing.assert_allclose(floors, floors[0], rtol=0.05)


def test_frames_and_times_are_those_of_the_recording(analysis):
    moved = recorded_movement(analysis, TableOptions(steps=100))
    rate = analysis.signals.trial.rate_hz
    assert len(moved.time_s) == 0.2 * rate + 1
    np.testing.assert_allclose(np.diff(moved.time_s), 1.0 / rate)
    assert moved.time_s[0] == 0.0


def test_a_run_can_be_cancelled(analysis):
    seen = []
    rows = simulation_table(
        recorded_movement(analysis, TableOptions(steps=50)),
        TableOptions(steps=50, integrators=("trapezoidal", "adams"), formulations=("LP",)),
        progress=seen.append,
        cancelled=lambda: len(seen) > 60,
    )
    assert [one.ending for one in rows] == [Ending.COMPLETED, Ending.STOPPED]
    assert seen == sorted(seen)
    assert 0.5 < seen[-1] < 1.0


def test_what_cannot_be_simulated_is_refused(analysis):
    moved = recorded_movement(analysis, TableOptions(steps=100))
    with pytest.raises(BiomecError, match="four frames"):
        movement(moved.system, moved.time_s[:3], moved.q[:3], moved.qdot[:3], moved.qddot[:3])
    with pytest.raises(BiomecError, match="shorter than a step"):
        simulation_table(moved, TableOptions(step_s=10.0))
    with pytest.raises(BiomecError, match="formulations are LC"):
        TableOptions(formulations=("XX",))
