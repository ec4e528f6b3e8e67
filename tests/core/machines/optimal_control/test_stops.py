"""Optimal control of machines with stops: the plan keeps clear of them; a start inside one gets a true message."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.machines.closed_chain.stops import stops_of
from biomec.machines.closed_chain.study_parts import start_state
from biomec.machines.machine import load_machine, machine_text, parse_machine
from biomec.machines.optimal_control.planar_model import planar_model
from biomec.machines.reference_points import reference_point_model
from biomec.machines.studies import study
from biomec.machines.study import options_from

LOWEST_DEG = -60.0  # at which the circle of the bar's tip touches the floor: sin φ = floor + radius
FLOOR = f"""
[[stop]]
name = "floor"
circle = "bar"
centre = [1.0, 0.0]
radius = 0.05
face = "ground"
point = [0.0, {np.sin(np.deg2rad(LOWEST_DEG)) - 0.05:.15f}]
normal = [0.0, 1.0]
law = "hertz"
stiffness = 1e6
"""


def planned(stop, start_deg=0.0, **options):
    """From rest at 0° to rest at −30° in 1.5 s: time enough to swing through the lowest point."""
    text = machine_text("pendulum")
    head, _, rest = text.partition("[start]")
    _, sep, tail = rest.partition("[[preset]]")
    machine = parse_machine(f"{head}{stop}[start]\nangles_deg = {{ bar = {start_deg} }}\n{sep}{tail}", "bar.toml",
                            {"L": 1.0})  # fmt: skip
    chosen = study("optimal-control")
    given = {"end": "angle_bar = -30 deg; rate_bar = 0", "duration_s": 1.5, "intervals": 20, "start": "zero torques"}
    run = chosen.run(machine, options_from(chosen, given | options), None)
    angle = [one.values for one in run.curves if (one.group, one.name) == ("Angles", "bar")]
    return run, angle[0] if angle else None


def test_the_plan_keeps_clear_of_a_stop():
    """A machine with stops was refused; without its floor the bar falls far deeper."""
    free, low = planned("")
    kept, angle = planned(FLOOR)
    assert free.succeeded
    assert low.min() < LOWEST_DEG - 10.0
    assert kept.succeeded
    # 0.1 mm at 1 m and 60° is 0.012°, which may be entered without a word
    assert angle.min() == pytest.approx(LOWEST_DEG, abs=0.012)
    assert kept.figures["cost"] > free.figures["cost"]
    assert any("stop floor" in one for one in kept.notices)


def test_shooting_says_that_it_knows_no_stops():
    with pytest.raises(BiomecError, match="Choose collocation"):
        planned(FLOOR, method="shooting")


def test_a_start_inside_a_stop_is_said():
    run, _ = planned(FLOOR, start_deg=-70.0)
    assert not run.succeeded
    depth = 1e3 * (np.sin(np.deg2rad(LOWEST_DEG)) - np.sin(np.deg2rad(-70.0)))
    assert f"presses a stop by {depth:.3g} mm" in run.status


def test_gaps_are_those_of_simulations():
    """Written anew for CasADi; simulations measure them in reference-point coordinates."""
    machine = load_machine("knee-prosthesis")
    model, points = planar_model(machine), reference_point_model(machine, "none")
    q = start_state(machine, points)[0]
    wanted = stops_of(machine, points).gaps(q)
    gaps = ca.Function("gaps", [model.q], [ca.vertcat(*model.gaps.values())])
    np.testing.assert_allclose(np.asarray(gaps(model.start[0])).ravel(), wanted, atol=1e-12)
