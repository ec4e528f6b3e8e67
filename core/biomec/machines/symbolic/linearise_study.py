"""The study `linearise`: the machine near a point, its modes, and how a small push goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled, Progress
from biomec.machines.machine import Machine
from biomec.machines.study import Run, Study, option, time_limit
from biomec.machines.symbolic.equations_study import refusal, state_curves

if TYPE_CHECKING:
    from biomec.machines.symbolic.compiled import CompiledEquations
    from biomec.machines.symbolic.linear import LinearModel

HELD, NEAREST, AS_IT_IS = "start, held by motors", "equilibrium near the start", "start, as it is"
OUTPUTS = ("coordinates", "coordinates and rates", "accelerations")
REST = 1e-6  # [rad/s² or m/s²] below which a point is an equilibrium
WIDE = 10.0  # [rad] at which a linear motion has nothing to say any more


@dataclass(frozen=True)
class LineariseOptions:
    """Options of the study."""

    about: str = option(NEAREST, "Point to linearise about", choices=(NEAREST, HELD, AS_IT_IS))
    outputs: str = option(OUTPUTS[0], "What is measured: the outputs y of C and D", choices=OUTPUTS)
    push_deg: float = option(1.0, "First coordinate is moved by so much, and let go (a slider by as many hundredths of "
                             "a metre)", "deg")  # fmt: skip
    duration_s: float = option(
        0.0, "How long the motion after the push is shown; 0 is the duration of the machine", "s"
    )
    digits: int = option(6, "Significant digits of numbers that are shown")
    time_limit_s: float = time_limit()


def run_linearise(machine: Machine, options: LineariseOptions, progress: Progress | None = None) -> Run:
    """Answer the study. A point that is not an equilibrium, or that is not found, ends in a status."""
    from biomec.machines.symbolic.compiled import compiled
    from biomec.machines.symbolic.linear import equilibrium, linearise
    from biomec.machines.symbolic.machine_equations import machine_equations
    from biomec.machines.symbolic.placing import start_state

    tell = progress or (lambda _: None)
    tell(0.0)
    equations = machine_equations(machine)
    numbers = compiled(equations)
    tell(0.5)
    coords, n = equations.coordinates, equations.n
    shown = {OUTPUTS[0]: coords.q, OUTPUTS[1]: coords.x, OUTPUTS[2]: coords.qddot}[options.outputs]
    try:
        x = start_state(machine)
        u = np.zeros(len(equations.inputs))
        if options.about != AS_IT_IS:
            x, u = equilibrium(numbers, x[:n], hold=options.about == HELD)
        model = linearise(numbers, x, u, list(shown))
    except Cancelled:
        raise
    except BiomecError as error:
        return Run(
            "linearise", "Linear model", machine, options, np.zeros(0), (), {}, status=str(error), succeeded=False
        )
    tell(0.7)
    time_s, linear, full = _pushed(numbers, model, options, machine)
    curves = state_curves(coords.about, linear, "Linear")
    if full is not None:
        curves += state_curves(coords.about, full, "Full")
    values = model.eigenvalues
    turning = values[values.imag > 1e-9]
    figures = {
        "growth_fastest_1_s": float(values.real.max()),
        "unstable_modes": float((values.real > 1e-7 * max(1.0, float(np.abs(values).max()))).sum()),
        **{f"frequency_{k + 1}_Hz": float(abs(one.imag) / (2.0 * np.pi))
           for k, one in enumerate(sorted(turning, key=lambda one: one.imag))},
        "uncontrollable_modes": float(model.uncontrollable),
        "unobservable_modes": float(model.unobservable),
    }  # fmt: skip
    for motor, torque in zip(machine.motors, u, strict=True):
        figures[f"torque_{motor.name.replace(' ', '_')}_Nm"] = float(torque)
    notices = list(equations.notices)
    if model.rest > REST:
        notices.append("The point is not an equilibrium: the machine would move on at once; the model holds briefly.")
    tell(1.0)
    return Run(
        study="linearise", title="Linear model", machine=machine, options=options, time_s=time_s, curves=tuple(curves),
        figures=figures, poses=_poses(machine, linear if full is None else full), notices=tuple(notices),
        text=_text(model, coords.about, options.digits), formulae=_formulae(model, options.digits),
        files={"linear-model.json": _json(model), "linear_model.m": _matlab(model)},
    )  # fmt: skip


def _pushed(
    numbers: CompiledEquations, model: LinearModel, options: LineariseOptions, machine: Machine
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Times (T,), states (T, 2n) of the linear model after a push, and of the full equations (open chains only)."""
    from scipy.linalg import expm

    from biomec.machines.symbolic.simulation import shown_times, simulate

    n, half = numbers.equations.n, model.basis.shape[1]
    times = shown_times(options.duration_s or machine.duration_s)
    angle = numbers.equations.coordinates.about[0].endswith("[rad]")
    push = np.deg2rad(options.push_deg) if angle else options.push_deg / 100.0
    z = np.zeros(2 * half)
    z[:half] = model.basis.T @ (push * np.eye(n)[0])
    drift = np.zeros(2 * half)
    drift[half:] = model.basis.T @ numbers.accelerations(model.x, model.u)[0]
    drift[:half] = model.basis.T @ model.x[n:]
    states = [np.append(z, 1.0)]
    with np.errstate(over="ignore", invalid="ignore"):
        step = expm(np.block([[model.A, drift[:, None]], [np.zeros((1, 2 * half + 1))]]) * times[1])
        for _ in times[1:]:
            states.append(step @ states[-1])
    spread = np.kron(np.eye(2), model.basis)
    linear = model.x + np.array(states)[:, :-1] @ spread.T
    linear[~(np.abs(linear - model.x) < WIDE).all(axis=1)] = np.nan
    if numbers.equations.constraints.rows:
        return times, linear, None
    motion = simulate(numbers, model.x + spread @ z, times, inputs=lambda t, x: model.u, tolerance=1e-8)
    full = np.full_like(linear, np.nan)
    full[: len(motion.x)] = motion.x
    return times, linear, full


def _poses(machine: Machine, states: FloatArray) -> dict[str, FloatArray]:
    from biomec.machines.symbolic.placing import poses_of

    return poses_of(machine).at(states)[0]


def _text(model: LinearModel, about: tuple[str, ...], digits: int) -> str:
    """The point, the matrices and the eigenvalues as tables."""

    def show(value: float) -> str:
        return f"{value + 0.0:.{digits}g}"  # no −0

    n = len(about)
    lines = ["Point"]
    lines += [f"  {words}: {show(value)}" for words, value in zip(about, model.x[:n], strict=True)]
    for name in "ABCD":
        rows = [[show(one) for one in row] for row in getattr(model, name)]
        width = max((len(one) for row in rows for one in row), default=0)
        lines += ["", f"{name} ="] + ["  " + "  ".join(one.rjust(width) for one in row) for row in rows]
    lines += ["", "Eigenvalues of A [1/s]", *(f"  {one:.{digits}g}" for one in model.eigenvalues)]
    return "\n".join(lines)


def _formulae(model: LinearModel, digits: int) -> tuple[str, ...]:
    lines = [r"\delta\dot{x} = A\,\delta x + B\,\delta u", r"\delta y = C\,\delta x + D\,\delta u"]
    lines += [matrix(name, getattr(model, name), digits) for name in "ABCD" if getattr(model, name).size]
    for k, one in enumerate(model.eigenvalues):
        imaginary = f"{'+' if one.imag > 0 else '-'} {abs(one.imag):.{digits}g}\\,i" if abs(one.imag) > 1e-9 else ""
        lines.append(rf"s_{{{k + 1}}} = {one.real:.{digits}g} {imaginary}\;\;\mathrm{{1/s}}")
    return tuple(lines)


def matrix(name: str, values: FloatArray, digits: int) -> str:
    """A matrix (n, m) in LaTeX."""
    rows = r" \\ ".join(" & ".join(_number(one, digits) for one in row) for row in values)
    return rf"{name} = \begin{{bmatrix}} {rows} \end{{bmatrix}}"


def _number(value: float, digits: int) -> str:
    """A number in LaTeX, large and small ones with a power of ten."""
    mantissa, _, power = f"{value + 0.0:.{digits}g}".partition("e")
    return rf"{mantissa} \times 10^{{{int(power)}}}" if power else mantissa


def _json(model: LinearModel) -> str:
    values = {name: getattr(model, name).tolist() for name in ("x", "u", "A", "B", "C", "D")}
    values["eigenvalues"] = [[float(one.real), float(one.imag)] for one in model.eigenvalues]
    return json.dumps(values, indent=1) + "\n"


def _matlab(model: LinearModel) -> str:
    lines = []
    for name in "ABCD":
        rows = [", ".join(repr(float(value)) for value in row) for row in getattr(model, name)]
        lines.append(f"{name} = [{'; '.join(rows)}];")
    return "\n".join([*lines, ""])


STUDY = Study(
    "linearise",
    "Linear model",
    "The machine near an equilibrium: matrices A, B, C, D, modes and frequencies, controllability, a small push.",
    LineariseOptions,
    refusal,
    run_linearise,
    asks=False,
)
