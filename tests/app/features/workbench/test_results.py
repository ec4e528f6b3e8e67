"""Panes of curves and tables of figures."""

import math

import numpy as np
import pytest

from biomec.machines.machine import load_machine
from biomec.machines.study import Run, StudyCurve
from biomec_app.features.workbench.results import (
    figure_table,
    figure_words,
    panes,
    place,
    quantities,
    status_words,
)
from tests.core.machines.swing_study import STUDY


def run(L1=0.5, **options):
    return STUDY.run(load_machine("four-bar", {"L1": L1}), STUDY.options(**options), None)


def test_the_same_quantity_of_two_runs_lies_in_one_pane():
    found = panes({"first": run(), "second": run(0.6, frames=5)})
    assert [pane.key for pane in found] == ["Angles [deg]", "Torques [N·m]"]
    torques = found[1].traces
    assert [(trace.name, trace.curve.said, trace.colour, trace.dashed) for trace in torques] == [
        ("A", "first", 0, 0), ("B", "first", 1, 0), ("A", "second", 0, 1), ("B", "second", 1, 1),
    ]  # fmt: skip
    assert place(torques[0], 0.0) == (0.0, 0.5)
    assert place(torques[2], 1.0) == (1.0, pytest.approx(0.0, abs=1e-12))
    assert math.isnan(place(torques[0], 1.5)[1])
    assert [trace.name for trace in found[1].listed] == ["A", "B"]
    assert found[1].values(0.0)[0] == "0.5 | 0.6"
    assert (found[1].detail, found[0].detail) == ("", "crank")  # the heading of one quantity says its name


def test_a_heading_writes_zero_for_round_off_and_keeps_what_is_small_by_itself():
    t = np.array([0.0, 1.0])

    def values(*curves):
        made = tuple(StudyCurve("Positions", f"c{k}", "m", np.array(one)) for k, one in enumerate(curves))
        (pane,) = panes({"run": Run("s", "t", None, None, t, made, {})})
        return pane.values(0.0)

    assert values([0.5, 1.0], [-4.574e-17, 0.2]) == ["0.5", "0"]
    assert values([2e-17, 1e-17], [np.nan, np.nan]) == ["2e−17", "–"]
    assert values([1.2e-16, 1.0]) == ["0"]
    # a peak at a singular position made nothing of everything else
    assert values([3.0, 3.0], [5.0, 1e15], [5.0, np.inf]) == ["3", "5", "5"]
    assert values(*([1.0, 2.0] for _ in range(13))) == []  # too many to be listed


def test_noise_of_a_constant_does_not_fill_the_axis():
    t = np.linspace(0.0, 1.0, 5)
    wobbling = StudyCurve("Lengths", "rod", "m", 0.5 + 1e-16 * np.arange(5))
    (pane,) = panes({"run": Run("s", "t", None, None, t, (wobbling,), {})})
    low, high = pane.extent
    assert high - low == pytest.approx(0.5e-9)


def test_curves_can_be_plotted_over_another_one():
    runs = {"first": run(frames=3)}
    assert list(quantities(runs).values())[:2] == ["Angles: crank [deg]", "Torques: A [N·m]"]
    pane = panes(runs, "Angles: crank")[1]
    (trace, *_) = pane.traces
    assert list(trace.x) == [0.0, 45.0, 90.0]
    assert pane.x_label == "Angles: crank [deg]"
    assert pane.spots(1.0)[0] == (90.0, pytest.approx(0.0, abs=1e-12), trace)
    assert pane.x_of(1.0) is None  # no line across the plot
    assert pane.moment_of(45.0, 0.2) == 0.2
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
    words = status_words([("one", run(method="failing"))])
    assert words == "one: ran away after 0.3 s\n   The torque is one-sided."
