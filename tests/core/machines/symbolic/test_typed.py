"""Equations from energies, or typed, and Jacobians of the state equations: in window and command line."""

from __future__ import annotations

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.machines.machine import load_machine
from biomec.machines.studies import study
from biomec.machines.study import options_from


def answer(key, machine="pendulum", **options):
    chosen = study(key)
    return chosen.run(load_machine(machine), options_from(chosen, options), None)


def program(run, name):
    space: dict = {}
    exec(run.files[name], space)  # what a user does
    return space


TYPED = {"equations": "m*xdd + c*xd + k*x - u"}
ENERGIES = {"kinetic": "m*xd**2/2", "potential": "k*x**2/2", "forces": "x = u - c*xd"}


@pytest.mark.parametrize("options", [TYPED, ENERGIES], ids=["typed", "energies"])
def test_an_oscillator_is_derived(options):
    run = answer("typed-equations", values="m = 2; k = 8; c = 0.5", language="python", **options)
    found = program(run, "equations.py")["equations"](0.0, (0.3, -0.2), (1.0,), (2.0, 8.0, 0.5))
    names = list(program(run, "equations.py")["PARAMETERS"])
    values = {"m": 2.0, "k": 8.0, "c": 0.5}
    found = program(run, "equations.py")["equations"](0.0, (0.3, -0.2), (1.0,), tuple(values[one] for one in names))
    assert found == pytest.approx([-0.2, (1.0 + 0.5 * 0.2 - 8.0 * 0.3) / 2.0])


def test_parameters_of_the_machine_may_be_used():
    """The bar of the pendulum machine: I φ̈ = −½ m g L cos φ + u, with L, m, g of its file."""
    run = answer("typed-equations", coordinates="phi", kinetic="m*L**2/6*phid**2", potential="m*g*L/2*sin(phi)",
                 forces="phi = u", values="", language="python")  # fmt: skip
    space = program(run, "equations.py")
    v = load_machine("pendulum").values
    acceleration = space["equations"](0.0, (0.4, 0.0), (0.7,))[1]
    expected = (0.7 - v["m"] * v["g"] * v["L"] / 2 * np.cos(0.4)) / (v["m"] * v["L"] ** 2 / 3)
    assert acceleration == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"coordinates": "x, x"}, "different names"), ({"values": "m"}, "Write name = value"),
     ({"kinetic": "m*yd**2"}, "no parameter yd"), ({"equations": "m*xdd**2"}, "linear in the accelerations")],
)  # fmt: skip
def test_what_is_no_equation_is_refused_in_words(options, words):
    with pytest.raises(BiomecError, match=words):
        answer("typed-equations", **options)


@pytest.mark.parametrize("machine", ["pendulum", "double-pendulum"])
def test_jacobians_are_the_derivatives_of_the_program(machine):
    run = answer("equations", machine, jacobian=True, language="python")
    space, derivative = program(run, "equations.py"), program(run, "jacobian.py")["jacobian"]
    f, p = space["equations"], tuple(space["PARAMETERS"].values())
    n = len(space["START"])
    random = np.random.default_rng(3)
    x, u = random.normal(size=n), random.normal(size=n // 2)
    A, B = (np.array(one, dtype=float) for one in derivative(x, u, p))
    h = 1e-6
    for matrix, at, columns in ((A, lambda d: (x + d, u), n), (B.reshape(n, -1), lambda d: (x, u + d), n // 2)):
        for k in range(columns):
            d = h * np.eye(columns)[k]
            slope = (f(0.0, *at(d), p) - f(0.0, *at(-d), p)) / (2 * h)
            # central differences: round-off eps·|f|/h of some 1e-9 of the largest
            assert matrix[:, k] == pytest.approx(slope, abs=1e-7 * max(1.0, np.abs(slope).max()))


def test_jacobians_are_written_in_every_language():
    assert set(answer("equations", jacobian=True).files) >= {"jacobian.py", "jacobian.c", "jacobian.m"}


def test_an_acceleration_is_one_fraction():
    run = answer("equations", form="formulas", language="none")
    lines = [one for one in run.formulae if one.startswith(r"\ddot") and r"\frac" in one]
    # φ̈ = (6 u − 3 m g L cos φ)/(2 m L²), in one order or another
    assert len(lines) == 1
    assert r"2\,L^{2}\,m" in lines[0]
    assert r"6\,u_{1}" in lines[0]
