"""Accelerations in named pieces: read step by step they are those of the linear equations, also with closed loops."""

from __future__ import annotations

import numpy as np
import pytest

from biomec.machines.machine import load_machine
from biomec.machines.studies import study
from biomec.machines.study import options_from
from biomec.machines.symbolic.equations_study import LONGEST
from biomec.machines.symbolic.machine_equations import machine_equations
from biomec.machines.symbolic.pieces import named_pieces


@pytest.mark.parametrize("name", ["triple-pendulum", "crank-press"])
def test_the_pieces_solve_the_equations(name):
    equations = machine_equations(load_machine(name))
    random = np.random.default_rng(3)
    at = dict(equations.parameters)
    at |= {one: random.uniform(0.3, 1.2) for one in (*equations.coordinates.x, *equations.inputs)}
    matrix, right = (np.array(one.subs(at).evalf(), dtype=float) for one in equations.saddle())
    values = dict(at)
    for symbol, expression in named_pieces(equations).steps:
        values[symbol] = float(expression.subs(values))
    found = [values[one] for one in equations.coordinates.qddot]
    # elimination without exchanges loses a few digits of the matrix's condition
    np.testing.assert_allclose(found, np.linalg.solve(matrix, right)[: equations.n, 0], rtol=1e-8)


@pytest.mark.parametrize("name", ["triple-pendulum", "crank-press"])
def test_three_coordinates_and_more_have_accelerations_that_can_be_read(name):
    """Formulas of three coordinates took pages, and machines with closed loops were refused."""
    chosen = study("equations")
    options = options_from(chosen, {"form": "formulas", "language": "python"})
    run = chosen.run(load_machine(name), options, None)
    equations = machine_equations(load_machine(name))
    wanted = len(equations.coordinates.qddot)
    accelerations = [one for one in run.formulae if one.startswith(r"\ddot") and r"\Delta" not in one]
    assert len(accelerations) == wanted
    assert max(len(one) for one in accelerations) < LONGEST / 5
    assert any(one.startswith(r"\ell_{21}") for one in run.formulae)
    assert "equations.py" in run.files
