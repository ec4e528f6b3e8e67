"""The study `typed-equations`: equations of motion from energies, or from equations that somebody types."""

from __future__ import annotations

from dataclasses import dataclass

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.machines.machine import Machine
from biomec.machines.study import Run, Study, option
from biomec.machines.symbolic.equations_study import EquationsOptions, equations_run

KEY, TITLE = "typed-equations", "Equations from energies or as typed"


@dataclass(frozen=True)
class TypedTexts:
    """What is typed."""

    coordinates: str = option("x", "Names of the coordinates, with commas; rates are xd, accelerations xdd")
    inputs: str = option("u", "Names of the inputs, with commas; empty: none")
    kinetic: str = option("m*xd**2/2", "Kinetic energy; empty if equations are typed")
    potential: str = option("k*x**2/2", "Potential energy")
    forces: str = option("x = u - c*xd", "Generalised forces, with semicolons")
    equations: str = option(
        "", "Equations of motion in the place of energies, each is zero, with semicolons: m*xdd + k*x - u"
    )
    values: str = option(
        "m = 1; k = 4; c = 0.1", "Values of letters that are not parameters of the machine, with semicolons"
    )


@dataclass(frozen=True)
class TypedOptions(EquationsOptions, TypedTexts):
    """Options of the study: what is typed, then those of the equations of a machine."""


def refusal(machine: Machine) -> str | None:
    """Nothing is asked of the machine but its parameters."""
    return None


def run_typed(machine: Machine, options: TypedOptions, progress: Progress | None = None) -> Run:
    """Answer the study."""
    from biomec.machines.symbolic.lagrange import equations_from_texts, typed_equations

    if progress is not None:
        progress(0.0)
    names = _names(options.coordinates, "coordinates")
    given = {name: _value(name, text) for name, text in _pairs(options.values, "values").items()}
    texts = [options.kinetic, options.potential, options.equations, *_pairs(options.forces, "forces").values()]
    used = {name: value for name, value in machine.values.items() if any(name in text for text in texts)} | given
    inputs = [one.strip() for one in options.inputs.split(",") if one.strip()]
    if options.equations.strip():
        lines = [one.strip() for one in options.equations.split(";") if one.strip()]
        made = typed_equations(names, lines, used, inputs)
    else:
        made = equations_from_texts(
            names,
            options.kinetic,
            options.potential or "0",
            used,
            forces=_pairs(options.forces, "forces"),
            inputs=inputs,
        )
    return equations_run(KEY, TITLE, machine, made, options, progress)


def _names(text: str, what: str) -> list[str]:
    found = [one.strip() for one in text.split(",") if one.strip()]
    if not found or len(set(found)) < len(found) or not all(one.isidentifier() for one in found):
        raise BiomecError(f"{TITLE}: {what} must be different names with commas between them, such as x, phi.")
    return found


def _pairs(text: str, what: str) -> dict[str, str]:
    made = {}
    for part in (one.strip() for one in text.split(";")):
        name, sign, value = part.partition("=")
        if part and not (sign and value.strip()):
            raise BiomecError(f'{TITLE}: {what}: "{part}" is not understood. Write name = value.')
        if part:
            made[name.strip()] = value.strip()
    return made


def _value(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BiomecError(f"{TITLE}: the value of {name} is not a number: {text}.") from None


STUDY = Study(
    KEY,
    TITLE,
    "Lagrange's equations of energies that are typed, or equations that are ready; sorted, typeset, and as programs.",
    TypedOptions,
    refusal,
    run_typed,
    asks=False,
)
