"""Torques given to motors: constant, law, table, CSV, or those that optimal control found; and their limits."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.cli.program import run as main
from biomec.machines.columns import columns_of
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.motors import without_torques
from biomec.machines.studies import study
from biomec.machines.study import options_from

ROD = """
name = "rod"
dimension = 2
gravity = [0.0, 0.0]
duration = 1.0

[[body]]
name = "bar"
points = { O = [0.0, 0.0], P = [1.0, 0.0] }
basis = ["O", "P"]
mass = 3.0
centre_of_mass = [0.5, 0.0]
inertia = 0.25

[[joint]]
type = "revolute"
name = "O"
proximal = "ground.origin"
distal = "bar.O"

[[driver]]
type = "angle"
name = "angle"
start = "ground.x"
end = "bar.x"

[[motor]]
name = "O"
proximal = "ground"
distal = "bar"
"""
INERTIA = 1.0  # [kg m²] about the pin: 0.25 + 3 · 0.5²


def answer(machine, key, **options):
    chosen = study(key)
    return chosen.run(machine, options_from(chosen, options), None)


def curve_of(run, group, name):
    return next(one.values for one in run.curves if (one.group, one.name) == (group, name))


def turned(text, **options):
    """Angle of the rod at the end of a forward simulation [rad]."""
    run = answer(parse_machine(ROD + text, "rod.toml"), "forward", **options)
    assert run.succeeded, run.status
    assert np.abs(curve_of(run, "Energy balance", "energy less start less work")).max() < 1e-6
    return np.deg2rad(curve_of(run, "Angles", "bar")[-1]), run


CONSTANT = '\n[[law]]\nmotor = "O"\ntype = "constant"\nvalue = 4.0\n'
SINE = '\n[[law]]\nmotor = "O"\ntype = "sine"\namplitude = 4.0\nfrequency_Hz = 0.5\n'
RAMP = '\n[[law]]\nmotor = "O"\ntype = "table"\ntime_s = [0.0, 1.0]\nvalues = [0.0, 6.0]\ninterpolation = "linear"\n'
SHEET = '\n[torques]\ntable = """\ntime [s];O [N·m]\n0;0\n0,5;3\n1;6\n"""\n'
W = np.pi  # [rad/s] of the sine


@pytest.mark.parametrize(
    ("text", "angle"),
    [
        (CONSTANT, 4.0 / 2.0),  # ½ u t² / I
        (SINE, 4.0 / W - 4.0 / W**2 * np.sin(W)),  # of φ̈ = 4 sin ωt from rest: 4 t/ω − 4 sin(ωt)/ω²
        (RAMP, 1.0),  # u = 6 t: φ = t³
        (SHEET, 1.0),
    ],
    ids=["constant", "sine", "table", "sheet"],
)
@pytest.mark.parametrize("formulation", ["partitioned", "Baumgarte", "lagrangian"])
def test_a_motor_gives_the_torque_that_it_is_given(text, angle, formulation):
    from biomec.machines.closed_chain.engine import FORMULATIONS

    if formulation not in ("partitioned", "Baumgarte"):
        formulation = next(name for name, one in FORMULATIONS.items() if not one.finds_positions)
    # 1e-7 rad: 1e-9 is asked of a step; a table's corner costs some digits
    assert turned(text, formulation=formulation)[0] == pytest.approx(angle, abs=1e-7)


def test_no_torque_can_be_asked_for_although_the_file_gives_one():
    assert turned(CONSTANT, input="none")[0] == pytest.approx(0.0, abs=1e-12)


def test_a_motor_gives_no_more_than_it_can_and_says_so():
    limited = ROD.replace('distal = "bar"\n', 'distal = "bar"\nmost = 1.5\n')
    run = answer(parse_machine(limited + CONSTANT, "rod.toml"), "forward")
    assert np.deg2rad(curve_of(run, "Angles", "bar")[-1]) == pytest.approx(0.75, abs=1e-8)
    assert curve_of(run, "Motor torques", "O").max() == 1.5
    assert any("can give -1.5 to 1.5" in one for one in run.notices)


def test_drivers_supply_only_what_motors_leave():
    """Inverse dynamics of the motion that the given torque makes: the driver has nothing left to do."""
    law = '\n[[law]]\ndriver = "angle"\ntype = "polynomial"\nunit = "rad"\ncoefficients = [0.0, 0.0, 2.0]\n'
    run = answer(parse_machine(ROD + CONSTANT + law, "rod.toml"), "inverse")
    assert np.abs(curve_of(run, "Driving torques", "angle")).max() < 1e-12
    assert any("beside them" in one for one in run.notices)
    alone = answer(parse_machine(ROD + law, "rod.toml"), "inverse")
    assert curve_of(alone, "Driving torques", "angle") == pytest.approx(4.0 * INERTIA)


def test_limits_of_a_motor_bound_its_optimal_torque():
    free = load_machine("crank-press")
    tight = free.with_values({"most": 4.0})
    options = {"end": "angle_crank = 10*pi/9; rate_crank = 0", "intervals": 20, "audit": False}
    runs = [answer(one, "optimal-control", **options) for one in (free, tight)]
    assert runs[0].figures["torque_min_Nm"] < -6.0
    assert runs[1].succeeded
    assert runs[1].figures["torque_min_Nm"] >= -4.0 - 1e-6
    assert runs[1].figures["cost"] > runs[0].figures["cost"]
    with pytest.raises(BiomecError, match="that it can give"):
        answer(tight, "optimal-control", **options, bounds="torque_O = 5, 9")


def test_optimal_torques_from_a_file_make_the_motion_they_were_found_for(tmp_path, capsys):
    """From the command line: optimal control writes torques.csv, and forward dynamics is given it."""
    plan, replay = tmp_path / "plan", tmp_path / "replay"
    assert main(["mechanism", "crank-press", "--preset", "half-turn", "--out", str(plan), "--json"]) == 0
    # straight lines within an interval miss 8e-6 N·m on average, 0.009° at the end; the table of all curves has
    # half as many rows, and rounds off the jumps between intervals
    for table, near in (("curves.csv", 0.1), ("torques.csv", 0.015)):
        asked = ["mechanism", "crank-press", "--analysis", "forward", "--torques", str(plan / table)]
        asked += ["--option", "tolerance=1e-7"]  # more is spent on the corners of the table
        assert main([*asked, "--out", str(replay), "--force", "--json"]) == 0
        rows = list(csv.reader((replay / "curves.csv").read_text("utf-8").splitlines()))
        angle, rate = (float(rows[-1][rows[0].index(name)]) for name in
                       ("Angles: crank [deg]", "Angular velocities: crank [deg/s]"))  # fmt: skip
        assert angle == pytest.approx(200.0, abs=near)
        assert rate == pytest.approx(0.0, abs=20.0 * near)
    capsys.readouterr()
    again = load_machine(replay / "machine.toml")  # the torques went along
    assert again.motors[0].torque is not None
    assert main(["mechanism", str(replay / "machine.toml"), "--analysis", "forward", "--option", "tolerance=1e-6",
                 "--json"]) == 0  # fmt: skip
    assert json.loads(capsys.readouterr().out)["succeeded"]


def test_a_table_takes_the_place_of_what_was_given_before():
    text = ROD + CONSTANT + SHEET.replace("O [N·m]", "Motor torques: O [N·m]")
    bare = without_torques(text)
    assert parse_machine(bare, "rod.toml").motors[0].torque is None
    assert bare.strip() == ROD.strip()
    columns = columns_of("t,Angles: bar [deg],Motor torques: O [N·m]\n0,7,1\n1,8,2\n", "run.csv")
    machine = parse_machine(ROD + CONSTANT, "rod.toml").with_torques(columns)
    assert machine.motors[0].given([0.0, 0.5, 2.0]).tolist() == [1.0, 1.5, 2.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[law]]\nmotor = "P"\ntype = "constant"\nvalue = 1.0\n', "no motor P"),
        ('[[law]]\nmotor = "O"\ntype = "constant"\nvalue = 1.0\nunit = "deg"\n', "a torque, so unit must be"),
        (CONSTANT + CONSTANT, "by another law already"),
        (CONSTANT + SHEET, "by a law already"),
        (SHEET.replace("O [N·m]", "Q [N·m]"), "Q is not a motor"),
        (SHEET.replace("N·m", "kN"), "must be in N·m, not in kN"),
        (SHEET.replace("0,5;3", "0,5;x"), '"x" is not a number'),
        (SHEET.replace("1;6", "0.2;6"), "increase from row to row"),
        (SHEET.replace("time [s]", "time [ms]"), "in seconds"),
        (RAMP.replace('motor = "O"', 'driver = "angle"'), "no acceleration"),
        (CONSTANT.replace('motor = "O"', 'motor = "O"\ndriver = "angle"'), "a driver and a motor"),
    ],
)  # fmt: skip
def test_a_torque_that_cannot_be_given_is_refused_in_words(text, words):
    with pytest.raises(BiomecError, match=words.replace("[", r"\[")):
        parse_machine(f"{ROD}\n{text}", "rod.toml")


def test_limits_that_leave_no_rest_are_refused():
    with pytest.raises(BiomecError, match="must include 0"):
        parse_machine(ROD.replace('distal = "bar"\n', 'distal = "bar"\nleast = 1.0\n'), "rod.toml")
