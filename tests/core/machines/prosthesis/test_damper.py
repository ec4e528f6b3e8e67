"""Search of a damper: trials, the best value, bounds, refusals."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.machines.machine import load_machine
from biomec.machines.prosthesis.damper_study import optimal_damper, study_text, tried
from biomec.machines.prosthesis.swing import SwingSettings

ROUGH = SwingSettings(tolerance=1e-5, every=0.1)
BRIEF = SwingSettings(tolerance=1e-4, every=0.1, duration=0.255)  # long enough to tell whether the stop is met in time


@pytest.fixture(scope="module")
def machine():
    return load_machine("knee-prosthesis")


@pytest.fixture(scope="module")
def trials(machine):
    return [tried(machine, {"c": c}, ROUGH) for c in (2e4, 5e4, 1e5)]


def test_more_damping_touches_later_and_more_gently(trials, sim2):
    onset = [one.figures["contact_onset_s"] for one in trials]
    assert onset == sorted(onset)
    assert onset[-1] == np.inf  # the stop is not met
    for name in ("contact_speed_m_s", "contact_peak_N", "contact_impulse_Ns", "flexion_max_deg"):
        values = [one.figures[name] for one in trials]
        assert values == sorted(values, reverse=True), name
    assert trials[1].figures["contact_peak_N"] == pytest.approx(sim2.figures["contact_peak_N"], rel=1e-3)
    assert trials[0].feasible(0.25)
    assert not trials[2].feasible(0.25)
    assert len(study_text(trials).splitlines()) == 4


def test_the_gentlest_damper_is_just_in_time(machine):
    """The speed of touch falls with damping, so the best damper meets the stop at the last moment that is allowed."""
    found = optimal_damper(machine, {"c": (4e4, 9e4)}, "contact_speed_m_s", 0.25, 3, 7, BRIEF)
    assert found.feasible
    assert not found.at_bound
    assert found.best.figures["contact_onset_s"] <= 0.25
    assert found.best.figures["contact_onset_s"] == pytest.approx(0.25, abs=5e-3)
    assert found.best.values["c"] == pytest.approx(66.9e3, rel=0.04)  # where a long search of its own ended
    least = found.best.figures["contact_speed_m_s"]
    assert not any(one.feasible(0.25) and one.figures["contact_speed_m_s"] < least for one in found.trials)


def test_two_parameters_do_at_least_as_well_as_where_they_began(machine, trials):
    bounds = {"c": (4e4, 9e4), "l0": (0.1585, 0.161)}
    found = optimal_damper(machine, bounds, "contact_speed_m_s", 0.25, 3, 2, BRIEF)
    assert found.feasible
    assert set(found.best.values) == {"c", "l0"}
    assert found.best.figures["contact_speed_m_s"] < trials[1].figures["contact_speed_m_s"]


def test_a_time_that_no_damper_meets_is_told(machine):
    found = optimal_damper(machine, {"c": (4e4, 9e4)}, latest_extension_s=0.05, scan=3, refinements=2, settings=BRIEF)
    assert not found.feasible
    assert found.best.values["c"] == pytest.approx(4e4, rel=0.5)  # the soonest of those tried


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"bounds": {"c": (0.0, 1.0)}}, "above 0"),
        ({"bounds": {}}, "at least one"),
        ({"bounds": {"c": (1.0, 1e9)}}, "out of its range"),
        ({"bounds": {"q": (1.0, 2.0)}}, "no parameter"),
        ({"bounds": {"c": (1.0, 2.0)}, "objective": "noise"}, "no objective"),
    ],
)
def test_impossible_searches_are_refused(machine, wrong, words):
    with pytest.raises(BiomecError, match=words):
        optimal_damper(machine, **wrong)


def test_a_search_can_be_cancelled(machine):
    def stop(fraction):
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        optimal_damper(machine, {"c": (4e4, 9e4)}, settings=ROUGH, progress=stop)


def test_a_trial_that_cannot_be_simulated_is_one_of_many(machine):
    one = tried(machine, {"xA": -99.0}, ROUGH)
    assert not one.feasible(1.0)
    assert one.status != "completed"
