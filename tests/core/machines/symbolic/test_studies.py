"""The studies `equations` and `linearise`: what a terminal and a window get."""

import json
import subprocess
import sys

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.studies import study
from biomec.machines.study import options_from
from biomec.machines.symbolic.linearise_study import matrix


def answer(key, machine, **options):
    one = study(key)
    assert one.refusal(machine) is None
    seen = []
    run = one.run(machine, options_from(one, options), seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0 or not run.succeeded
    return run


def test_studies_load_no_heavy_library_before_they_run():
    code = "import sys; from biomec.machines.studies import studies; studies(); print('sympy' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"


def test_equations_are_typeset_and_exported():
    run = answer("equations", load_machine("triple-pendulum"))
    assert run.formulae[0] == r"A\,\ddot{q} + B\,\dot{q}^{2} + E = F\,u"
    assert set(run.files) == {"equations.py", "equations.c", "equations.m", "equations.tex"}
    assert "B[1,2] = L1*L2*(m2/2 + m3)*sin(phi1 - phi2)" in run.text.splitlines()
    assert "u2: torque of motor B [N m]" in run.text.splitlines()
    assert run.figures["degrees_of_freedom"] == 3
    assert (len(run.time_s), run.curves, run.poses) == (0, (), {})


def test_equations_of_a_closed_chain_tell_what_was_left_out():
    run = answer("equations", load_machine("four-bar"), language="c")
    assert run.figures["degrees_of_freedom"] == 1
    assert "Drivers are left out" in run.notices[0]
    assert list(run.files) == ["equations.c"]


def test_the_published_rounding_and_the_formulas():
    machine, _ = load_machine("triple-pendulum").with_preset("P-unit-H")
    run = answer("equations", machine, rounded=True, digits=3, form="formulas", language="none")
    assert "A_{11} = 2.33" in run.formulae
    determinant = next(line for line in run.formulae if line.startswith(r"\Delta"))
    assert "0.387" in determinant
    assert run.files == {}
    long = answer("equations", machine, form="formulas", language="python")
    assert "too long to be shown" in long.notices[-1]
    with pytest.raises(BiomecError, match="1 to 17 digits"):
        answer("equations", machine, digits=0)


def test_equations_can_be_simulated():
    machine, _ = load_machine("triple-pendulum").with_preset("P-unit-M")
    run = answer("equations", machine, simulated_s=0.5, language="none")
    end = {one.name: one.values[-1] for one in run.curves if one.group == "Angles"}
    assert end["third"] == pytest.approx(np.rad2deg(-1.147987), abs=1e-4)
    assert abs(run.figures["energy_change_J"]) < 1e-6
    assert run.poses["second"].shape == (len(run.time_s), 3)
    first, second = run.poses["first"][-1], run.poses["second"][-1]
    np.testing.assert_allclose(second[:2], [np.cos(first[2]), np.sin(first[2])], atol=1e-12)  # the pin holds


def test_a_linear_model_that_runs_away_shows_nothing_beyond_its_range():
    """Over a million seconds the exponential of its matrix overflowed, with a warning of a library in the terminal."""
    run = answer("linearise", load_machine("four-bar"), duration_s=1e6)
    curves = [one.values for one in run.curves]
    assert all(np.isfinite(values[0]) and np.isnan(values[1:]).all() for values in curves)


def test_a_posture_is_linearised_about_upright():
    machine, preset = load_machine("posture").with_preset("upright")
    run = answer(preset.analysis, machine, duration_s=0.2)
    assert run.figures["unstable_modes"] == 3
    assert run.figures["uncontrollable_modes"] == 0
    assert run.figures["growth_fastest_1_s"] == pytest.approx(21.918, abs=1e-3)
    assert "Eigenvalues of A [1/s]" in run.text
    model = json.loads(run.files["linear-model.json"])
    assert np.shape(model["A"]) == (6, 6)
    assert np.shape(model["B"]) == (6, 3)
    assert run.files["linear_model.m"].startswith("A = [")
    linear, full = ({one.name: one.values for one in run.curves if one.group == group} for group in ("Linear", "Full"))
    assert linear["angle of shank"][0] == pytest.approx(91.0)
    np.testing.assert_allclose(linear["angle of shank"][:10], full["angle of shank"][:10], atol=1e-3)


def test_a_start_that_is_held_and_one_that_is_not():
    machine, _ = load_machine("posture").with_preset("lean")
    held = answer("linearise", machine, about="start, held by motors", outputs="accelerations", duration_s=0.05)
    assert held.figures["torque_ankle_Nm"] == pytest.approx(57.091, abs=1e-3)
    loose = answer("linearise", machine, about="start, as it is", duration_s=0.05, push_deg=0.0)
    assert "not an equilibrium" in loose.notices[-1]
    linear, full = (
        {one.name: one.values for one in loose.curves if one.group == group} for group in ("Linear", "Full")
    )
    np.testing.assert_allclose(linear["angle of trunk"], full["angle of trunk"], atol=1e-3)  # it falls alike at first


def test_the_double_pendulum_has_its_two_modes():
    """Bars of one length and mass: 7 λ² − 42 λ + 27 = 0 with ω² = λ g/L, by hand; (3/2 − 4λ/3) φ₁ = (λ/2) φ₂."""
    machine = load_machine("double-pendulum")
    λ = np.sort(np.roots([7.0, -42.0, 27.0]))
    frequencies = np.sqrt(λ * 9.81 / 0.5) / (2.0 * np.pi)
    found = answer("linearise", machine, duration_s=0.05).figures
    np.testing.assert_allclose([found["frequency_1_Hz"], found["frequency_2_Hz"]], frequencies, rtol=1e-9)
    lean = {"together": 0, "apart": 1}
    for preset, k in lean.items():
        values = machine.with_preset(preset)[0].values
        ratio = (values["start2"] + 90.0) / (values["start1"] + 90.0)
        assert ratio == pytest.approx((1.5 - 4.0 * λ[k] / 3.0) / (0.5 * λ[k]), abs=0.01)


def test_the_matrices_of_a_linear_model_stand_among_the_formulae():
    assert matrix("B", np.array([[1.5, -0.0], [2.5e-9, -3.0]]), 4) == (
        r"B = \begin{bmatrix} 1.5 & 0 \\ 2.5 \times 10^{-9} & -3 \end{bmatrix}"
    )
    run = answer("linearise", load_machine("posture"), duration_s=0.05)
    assert [line.split(" = ")[0] for line in run.formulae[2:6]] == list("ABCD")
    count = len(json.loads(run.files["linear-model.json"])["A"])
    assert run.formulae[2].count("&") == count * (count - 1)


def test_a_closed_chain_and_a_slider():
    run = answer("linearise", load_machine("four-bar"), duration_s=0.1)
    assert len(json.loads(run.files["linear-model.json"])["eigenvalues"]) == 2
    assert run.succeeded
    assert answer("linearise", load_machine("slider-crank"), duration_s=0.1).figures["uncontrollable_modes"] == 2


PUSHED = """
name = "cart"
dimension = 2
gravity = [1.0, 0.0]
[[body]]
name = "cart"
points = { C = [0.0, 0.0] }
basis = ["C", "x"]
mass = 2.0
inertia = 1.0
[[joint]]
type = "prismatic"
name = "rail"
proximal = "ground.origin"
distal = "cart.C"
axis = "ground.x"
"""


def test_where_there_is_no_equilibrium_the_status_says_so():
    run = answer("linearise", parse_machine(PUSHED, "cart.toml"))
    assert not run.succeeded
    assert "No equilibrium was found" in run.status
    held = answer("linearise", parse_machine(PUSHED, "cart.toml"), about="start, held by motors")
    assert "cannot hold" in held.status


def test_cancelling_stops_and_spatial_machines_are_refused():
    def stop(_):
        raise Cancelled("enough")

    machine = load_machine("triple-pendulum")
    for key in ("equations", "linearise"):
        one = study(key)
        with pytest.raises(Cancelled):
            one.run(machine, one.options(), stop)
        assert "moves in space" in one.refusal(load_machine("bennett"))


MASSLESS = PUSHED.replace("mass = 2.0", "mass = 0.0").replace("inertia = 1.0", "inertia = 0.0")


def test_a_singular_machine_ends_in_a_status():
    machine = parse_machine(MASSLESS, "massless.toml")
    run = answer("equations", machine, simulated_s=1.0, language="none")
    assert not run.succeeded
    assert "singular" in run.status
    assert run.formulae  # the equations are there all the same
    assert "singular" in answer("linearise", machine).status
