"""One gravity: where none is given, machines, people, plates and joint loads weigh with the same acceleration."""

import ast

import numpy as np
import pytest

from biomec.base.physics import GRAVITY
from biomec.body.loads.load_components import FORCE, LoadReading, divisors
from biomec.machines.machine import parse_machine
from biomec.machines.symbolic.machine_equations import machine_equations
from biomec.recording import ForcePlate
from biomec.reporting.statistics.cycle_statistics import plate_cycle
from biomec.signals.body_mass import WeighingOptions
from tests.places import ROOT

ROD = """
name = "rod"
dimension = 2
[[body]]
name = "rod"
points = { A = [0.0, 0.0] }
basis = ["A", "x"]
mass = 2.0
centre_of_mass = [0.5, 0.0]
inertia = 0.1
[[joint]]
type = "revolute"
name = "hinge"
proximal = "ground.origin"
distal = "rod.A"
"""


def test_a_machine_without_gravity_falls_alike_in_natural_coordinates_and_in_symbols():
    machine = parse_machine(ROD, "rod.toml")
    equations = machine_equations(machine)
    level = dict.fromkeys(equations.coordinates.q, 0.0)  # E = ±m g L/2
    (torque,) = equations.E.subs(level)
    weight = -2.0 * machine.system.gravity[1]
    assert weight == 2.0 * GRAVITY
    assert abs(float(torque)) == pytest.approx(0.5 * weight, rel=1e-15)


def test_plates_and_joint_loads_divide_by_the_same_body_weight():
    plate = ForcePlate("P", np.ones((11, 3)), np.zeros((11, 3)), 10.0, np.zeros(3), np.array([0.0, 1.0, 0.0]))
    by_plates = plate_cycle(plate, plate, 70.0, 0.0, 1.0).weight_n
    by_loads = 100.0 * divisors(LoadReading(normalisation="weight"), 70.0, 1.8)[FORCE]
    assert by_plates == pytest.approx(by_loads, rel=1e-15)
    assert by_plates == pytest.approx(70.0 * WeighingOptions().gravity, rel=1e-15)


def test_no_other_module_writes_a_gravity_of_its_own():
    written = {
        path.relative_to(ROOT).as_posix()
        for folder in ("core", "app")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and str(node.value).startswith(("9.80", "9.81"))
    }
    assert written == {"core/biomec/base/physics.py"}
