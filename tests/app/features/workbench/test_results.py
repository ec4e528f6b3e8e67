"""Panes of curves and tables of figures."""

import math

import numpy as np
import pytest

from biomec.machines.machine import load_machine
from biomec_app.features.workbench.results import (
    RunLine,
    RunPane,
    figure_table,
    figure_words,
    legend,
    panes,
    quantities,
    status_words,
)
from tests.core.machines.swing_study import STUDY


def run(L1=0.5, **options):
    return STUDY.run(load_machine("four-bar", {"L1": L1}), STUDY.options(**options), None)


def test_the_same_quantity_of_two_runs_lies_in_one_pane():
    found = panes({"first": run(), "second": run(0.6, frames=5)})
    assert [pane.key for pane in found] == ["Angles [deg]", "Torques [N·m]"]
    torques = found[1].lines
    assert [(line.name, line.run, line.colour, line.dash) for line in torques] == [
        ("A", "first", 0, 0), ("B", "first", 1, 0), ("A", "second", 0, 1), ("B", "second", 1, 1),
    ]  # fmt: skip
    assert torques[0].at(0.0) == 0.5
    assert torques[2].at(1.0) == pytest.approx(0.0, abs=1e-12)
    assert math.isnan(torques[0].at(1.5))


def test_a_legend_writes_zero_for_round_off_and_keeps_what_is_small_by_itself():
    t = np.array([0.0, 1.0])

    def pane(*curves):
        lines = (RunLine(f"c{k}", "run", k, 0, t, np.array(one), t) for k, one in enumerate(curves))
        return RunPane("Positions", "m", tuple(lines))

    assert legend(pane([0.5, 1.0], [-4.574e-17, 0.2]), 0.0) == [(0, "c0 0.5"), (1, "c1 0")]
    assert legend(pane([2e-17, 1e-17], [np.nan, np.nan]), 0.0) == [(0, "c0 2e-17"), (1, "c1 –")]
    assert legend(pane([1.2e-16, 1.0]), 0.0) == [(0, "c0 0")]
    # a peak at a singular position made nothing of everything else
    assert legend(pane([3.0, 3.0], [5.0, 1e15], [5.0, np.inf]), 0.0) == [(0, "c0 3"), (1, "c1 5"), (2, "c2 5")]


def test_curves_can_be_plotted_over_another_one():
    runs = {"first": run(frames=3)}
    assert list(quantities(runs).values())[:2] == ["Angles: crank [deg]", "Torques: A [N·m]"]
    (line, *_) = panes(runs, "Angles: crank")[1].lines
    assert list(line.x) == [0.0, 45.0, 90.0]
    assert line.place(1.0) == (90.0, pytest.approx(0.0, abs=1e-12))
    assert panes(runs, "Angles: nothing") == ()


def test_differences_are_to_the_first_run():
    table = figure_table({"first": run(), "second": run(0.6)})
    assert table.columns == ("first", "second", "Δ second")
    assert table.rows[0] == ("torque_max_Nm", "torque max", "N·m", ("0.5", "0.6", "+0.1"))
    assert table.rows[1][3] == ("–", "–", "–")  # not a number
    assert table.text(",").splitlines()[1] == "torque max,N·m,0.5,0.6,+0.1"


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("torque_max_Nm", ("torque max", "N·m")),
        ("contact_impulse_Ns", ("contact impulse", "N·s")),
        ("contact_speed_m_s", ("contact speed", "m/s")),
        ("torque_squared_integral", ("torque squared integral", "")),
        ("rank", ("rank", "")),
    ],
)
def test_keys_are_words_with_units(key, words):
    assert figure_words(key) == words


def test_how_runs_ended_is_told():
    told = status_words([("one", run(method="failing"))])
    assert told == "one: ran away after 0.3 s\n   The torque is one-sided."
