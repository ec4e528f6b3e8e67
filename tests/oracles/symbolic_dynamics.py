"""Dynamics from symbolic equations of motion: whatever `biomec.machines.symbolic` derives can be controlled."""

from __future__ import annotations

from typing import Any

from biomec.machines.expressions import NUMERIC
from biomec.machines.optimal_control.problem import Dynamics, second_order
from biomec.machines.symbolic.equations import EquationsOfMotion


def symbolic_dynamics(equations: EquationsOfMotion) -> Dynamics:
    """Dynamics A q̈ + Φqᵀ λ = right side, with the values that the equations have for their parameters.

    Names for formulas are those of the coordinates, rates and inputs in the equations.
    """
    import casadi as ca
    import sympy as sp

    coords, inputs = equations.coordinates, list(equations.inputs)
    symbols = [*coords.q, *coords.qdot, *inputs, *equations.parameters]
    values = [equations.parameters[one] for one in equations.parameters]
    n, m = equations.n, int(equations.constraints.rows)
    q, v, u, t = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("u", len(inputs)), ca.SX.sym("t")
    given = [*ca.vertsplit(q), *ca.vertsplit(v), *(ca.vertsplit(u) if inputs else []), *values]
    functions = {name: getattr(ca, name) for name in NUMERIC if name != "pi"} | {"Abs": ca.fabs}

    def written(matrix: Any) -> Any:
        """A matrix of formulas in the symbols of CasADi."""
        flat = sp.lambdify(symbols, list(matrix), modules=[functions, "math"], cse=True)(*given)
        rows, columns = matrix.shape
        return ca.SX(ca.reshape(ca.vertcat(*flat), columns, rows).T) if flat else ca.SX.zeros(rows, columns)

    names: dict[str, Any] = {str(one): value for one, value in zip(equations.parameters, values, strict=True)}
    for some, symbol in ((coords.q, q), (coords.qdot, v), (inputs, u)):
        names |= {str(one): symbol[k] for k, one in enumerate(some)}
    none = ca.SX.zeros(0)
    return second_order(
        tuple(str(one) for one in coords.q), equations.input_names, q, v, u, t, written(equations.A),
        written(equations.right_side), written(equations.constraints) if m else none,
        written(equations.jacobian) if m else ca.SX.zeros(0, n), written(equations.gamma) if m else none,
        names | {"time": t},
    )  # fmt: skip
