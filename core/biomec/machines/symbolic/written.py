"""Energies and forces as a user writes them, in texts such as ``m*xd**2/2``; only arithmetic is read, never code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from biomec.base.errors import DescriptionError
from biomec.machines.expressions import value_of
from biomec.machines.symbolic.coordinates import coordinates, symbol
from biomec.machines.symbolic.equations import EquationsOfMotion
from biomec.machines.symbolic.lagrange import from_lagrangian
from biomec.machines.symbolic.machine_equations import FUNCTIONS
from biomec.machines.symbolic.tree import with_fractions


def equations_from_texts(
    names: Sequence[str],
    kinetic: str,
    potential: str,
    parameters: Mapping[str, float],
    *,
    forces: Mapping[str, str] | None = None,
    inputs: Sequence[str] = (),
    constraints: Sequence[str] = (),
) -> EquationsOfMotion:
    """Equations of motion from energies in texts.

    names       : of the coordinates; rates are called by them with a ``d``: x and xd
    forces      : coordinate -> generalised force on it, which may contain inputs, such as ``u - c*xd``
    inputs      : names of the inputs
    constraints : texts of Φ(q), zero on the mechanism
    """
    clash = sorted({*parameters, *inputs} & {*names, *(f"{one}d" for one in names), *(f"{one}dd" for one in names)})
    if clash or len({*parameters, *inputs}) < len(parameters) + len(inputs):
        raise DescriptionError(
            f"Give every quantity a name of its own: {', '.join(clash) or 'an input'} is used twice."
        )
    coords = coordinates(names)
    given = {one.name: one for one in coords.x} | {name: symbol(name) for name in (*parameters, *inputs)}

    def read(text: str, what: str) -> sp.Expr:
        try:
            return with_fractions(sp.sympify(value_of(text, given, FUNCTIONS)))
        except DescriptionError as error:
            raise DescriptionError(f"{what}: {error}") from error

    unknown = sorted(set(forces or {}) - set(names))
    if unknown:
        raise DescriptionError(f"There is a force on {', '.join(unknown)}, which is no coordinate.")
    pushed = sp.Matrix([read((forces or {}).get(name, "0"), f"Force on {name}") for name in names])
    symbols = [given[name] for name in inputs]
    F = pushed.jacobian(symbols) if symbols else sp.zeros(len(names), 0)
    if F.free_symbols & set(symbols):
        raise DescriptionError("Forces must be linear in the inputs.")
    rest = pushed.xreplace(dict.fromkeys(symbols, sp.S.Zero))
    return from_lagrangian(
        read(kinetic, "Kinetic energy"), read(potential, "Potential energy"), coords, inputs=symbols, F=F, G=list(rest),
        constraints=[read(one, "Constraint") for one in constraints],
        parameters={given[name]: float(value) for name, value in parameters.items()},
    )  # fmt: skip
