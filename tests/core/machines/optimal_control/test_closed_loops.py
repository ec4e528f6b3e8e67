"""Optimal control of a closed loop of one's own: meshes, order of joints, limits of time, replays that go astray."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.progress import Cancelled
from biomec.machines.machine import load_machine, machine_text, parse_machine
from biomec.machines.optimal_control.optimal_control_study import _judged
from biomec.machines.optimal_control.solution import audited
from biomec.machines.studies import study
from biomec.machines.study import options_from
from biomec.machines.time_limit import TimeUp, limited
from tests.core.machines.test_starts import ORDERS, with_joints

TURN = "angle_crank = 380 deg; rate_crank = 0"  # a whole turn from 20°


def answer(machine, key="optimal-control", progress=None, **options):
    chosen = study(key)
    return chosen.run(machine, options_from(chosen, options), progress)


def test_a_finer_mesh_changes_the_optimum_of_a_closed_loop_ever_less():
    """10 intervals found 54.4, 50 found 8.28; the guess stood still at the start instead of going to the end."""
    costs = [answer(load_machine("crank-press"), end=TURN, intervals=n, audit=False).figures["cost"]
             for n in (20, 40, 80)]  # fmt: skip
    steps = np.abs(np.diff(costs))
    assert costs[-1] == pytest.approx(8.2841, abs=2e-3)  # what 100 and 200 intervals agree on
    assert steps[1] < 0.1 * steps[0] + 1e-3


def test_the_order_of_joints_does_not_change_the_optimum():
    text = machine_text("crank-press")
    costs = [answer(parse_machine(with_joints(text, order), "press.toml"), end=TURN, intervals=40, audit=False)
             .figures["cost"] for order in ORDERS]  # fmt: skip
    # the same problem in other coordinates, each solved to 1e-7 of its scaled conditions on the same mesh
    assert costs == pytest.approx([costs[0]] * len(costs), rel=1e-4)


def test_a_search_ends_at_its_limit_of_time():
    run = answer(load_machine("crank-press"), end=TURN, intervals=60, time_limit_s=1e-9)
    assert not run.succeeded
    assert "limit of time" in run.status


def test_shooting_ends_at_its_limit_of_time():
    run = answer(load_machine("crank-press"), end=TURN, intervals=12, method="shooting", time_limit_s=1e-9)
    assert not run.succeeded
    assert "limit of time" in run.status


def test_a_mesh_that_is_too_coarse_for_a_violent_spring_is_refined():
    """A stiff spring on a coarse mesh: a plan of cost 3.9 with torques that led elsewhere was all that came out."""
    machine = load_machine("crank-press", {"k": 500.0})
    run = answer(machine, end="angle_crank = 200 deg; rate_crank = 0", intervals=6)
    assert run.succeeded
    assert "finer mesh" in run.text
    angle = next(one.values for one in run.curves if (one.group, one.name) == ("Angles", "crank"))
    # the curve is the torques integrated again by another method; 0.01 rad may be missed without a word
    assert angle[-1] == pytest.approx(200.0, abs=0.6)
    assert run.figures["cost"] == pytest.approx(run.figures["cost_integrated_again"], rel=1e-3)


def test_a_limit_of_time_counts_from_its_beginning():
    now = [0.0]
    told: list[float] = []
    progress = limited(told.append, 2.0, lambda: now[0])
    progress(0.1)
    now[0] = 2.1
    with pytest.raises(TimeUp):
        progress(0.2)
    assert told == [0.1, 0.2]
    limited(None, 0.0)(1.0)  # none, and nobody watches


def test_a_search_is_cancelled_while_it_searches():
    def stop(fraction):
        raise Cancelled

    with pytest.raises(Cancelled):
        answer(load_machine("crank-press"), progress=stop, end=TURN, intervals=30)


def test_torques_that_lead_elsewhere_are_not_an_answer():
    """No end is asked for: still, a motion that is not the planned one is not called completed."""
    from biomec.machines.optimal_control.collocation import CollocationOptions
    from biomec.machines.optimal_control.continuation import continued
    from biomec.machines.optimal_control.optimal_control_study import OptimalControlOptions
    from biomec.machines.optimal_control.task import Task

    task = Task(cost="torque_O**2 + 10*(rate_crank - 3)**2")
    chain = continued(load_machine("crank-press"), task, options=CollocationOptions(intervals=20))
    last = chain.last
    assert _judged(last, OptimalControlOptions())[:2] == ("completed", True)
    wrong = replace(last.solution, controls=last.solution.controls + 1.0)
    status, succeeded, notices = _judged(replace(last, audit=audited(wrong)), OptimalControlOptions())
    assert not succeeded
    assert "lead elsewhere" in status
    assert any("from the plan" in one for one in notices)


def test_a_replay_that_leaves_the_wanted_motion_is_not_completed():
    """The crank drives over its dead centres; torques every 0.1 s are far too coarse for that."""
    run = answer(load_machine("crank-press"), "forward", input="inverse torques", table_step_s=0.1, samples=31)
    assert not run.succeeded
    assert "wanted motion" in run.status
    good = answer(load_machine("crank-press"), "forward", input="inverse torques", table_step_s=0.002, samples=31,
                  tolerance=1e-6)  # fmt: skip
    assert good.succeeded


SECOND = """
[[driver]]
type = "length"
name = "way"
first = "ground.wall"
second = "slider.B"

[[law]]
driver = "way"
type = "polynomial"
coefficients = [0.15905, 0.1]
"""


@pytest.mark.parametrize("key", ["kinematics", "inverse"])
def test_two_drivers_of_one_freedom_are_named(key):
    text = machine_text("crank-press").replace("[[motor]]", SECOND + "\n[[motor]]", 1)
    run = answer(parse_machine(text, "press.toml"), key)
    assert not run.succeeded
    assert "2 drivers (crank angle, way) share 1 degree of freedom" in run.status
