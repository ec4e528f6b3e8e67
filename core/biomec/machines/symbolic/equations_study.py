"""What the studies on symbolic equations have in common. Nothing here loads sympy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled, Progress, part_of
from biomec.engine.drivers import ADDED_COORDINATES
from biomec.engine.joint_kinds import PLANAR_JOINTS
from biomec.engine.joints import Distance
from biomec.machines.machine import DRIVERS, Machine
from biomec.machines.study import Run, Study, StudyCurve, curve, option, time_limit

if TYPE_CHECKING:
    from biomec.machines.symbolic.equations import EquationsOfMotion


KNOWN = (*PLANAR_JOINTS, *DRIVERS, *ADDED_COORDINATES)


def refusal(machine: Machine) -> str | None:
    """Why there are no symbolic equations of a machine."""
    if not machine.is_planar:
        return "it moves in space; symbolic equations are made of machines in one plane."
    for one in machine.system.constraints:
        if not isinstance(one, KNOWN):
            return f"symbolic equations know no joint such as {one.name} ({type(one).__name__.lower()})."
        if isinstance(one, Distance) and one.length is None:
            return f"the joint {one.name} has no length in the file; symbolic equations need it as a number."
    return None


def state_curves(about: tuple[str, ...], values: object, group: str = "") -> list[StudyCurve]:
    """Curves of coordinates and rates (T, 2n), angles in degrees; without a group named as in other studies."""
    import numpy as np

    states, found = np.asarray(values, dtype=np.float64), []
    for k, words in enumerate(about):
        name, unit = words.removesuffix("]").split(" [")
        turns = unit == "rad"
        factor, shown = (180.0 / np.pi, "deg") if turns else (1.0, unit)
        groups = (group, f"Rates ({group.lower()})")
        if not group:
            groups = ("Angles", "Angular velocities") if turns else ("Ways", "Speeds")
            name = name.removeprefix("angle of ").removeprefix("way of ")
        found.append(curve(groups[0], name, shown, factor * states[:, k]))
        found.append(curve(groups[1], name, f"{shown}/s", factor * states[:, len(about) + k]))
    return found


LETTERS, NUMBERS = "letters", "numbers"
SOLVED, FORMULAS = "linear equations", "formulas"
EVERY, NONE = "all", "none"
MOST_READABLE = 2  # coordinates whose accelerations are written as one fraction; more stand in named pieces
MOST_SORTED = 3  # coordinates whose N and Δ are written in multiple angles; more take pages, and minutes
LONGEST = 1500  # characters of a formula that is still shown


@dataclass(frozen=True)
class EquationsOptions:
    """Options of the study."""

    parameters: str = option(LETTERS, "Parameters as letters, or with their values", choices=(LETTERS, NUMBERS))
    digits: int = option(6, "Significant digits of numbers that are shown")
    rounded: bool = option(False, "Compute with numbers of so many digits, as the published program does")
    form: str = option(
        SOLVED, "Accelerations from linear equations, or written as formulas (programs: at most four coordinates)",
        choices=(SOLVED, FORMULAS))  # fmt: skip
    language: str = option(EVERY, "Programs to write", choices=(EVERY, "python", "c", "matlab", "latex", NONE))
    jacobian: bool = option(False, "Write ∂f/∂x and ∂f/∂u of the state equations too (at most four coordinates)")
    simulated_s: float = option(0.0, "Simulate the equations from the start for so long; 0 is not at all", "s")
    method: str = option(
        "DOP853", "Integrator: explicit of order 8, or implicit for stiff machines", choices=("DOP853", "Radau")
    )
    time_limit_s: float = time_limit()


def run_equations(machine: Machine, options: EquationsOptions, progress: Progress | None = None) -> Run:
    """Derive, sort, typeset, export; simulate if wanted."""
    from biomec.machines.symbolic.machine_equations import machine_equations

    if progress is not None:
        progress(0.0)
    return equations_run("equations", "Equations of motion", machine, machine_equations(machine), options, progress)


def equations_run(
    key: str,
    title: str,
    machine: Machine,
    equations: EquationsOfMotion,
    options: EquationsOptions,
    progress: Progress | None = None,
) -> Run:
    """Run of a study with equations, which need not be those of the machine: then they have no motion of it."""
    from biomec.machines.symbolic.equations import MOST_COORDINATES
    from biomec.machines.symbolic.placing import start_state
    from biomec.machines.symbolic.source import ENDINGS, to_source
    from biomec.machines.symbolic.typeset import formulae, text

    own = key == "equations"
    if not 1 <= options.digits <= 17:
        raise BiomecError(f"Numbers can be shown with 1 to 17 digits, not {options.digits}.")
    tell = progress or (lambda _: None)
    tell(0.3)
    if options.parameters == NUMBERS or options.rounded:
        equations = equations.with_numbers()
    if options.rounded:
        equations = equations.rounded(options.digits)
    lines, notices = list(formulae(equations, options.digits)), list(equations.notices)
    explicit = options.form == FORMULAS
    if explicit:
        shown, remarks = _formulas(equations, options.digits)
        lines += shown
        notices += remarks
        if equations.constraints.rows or equations.n > MOST_COORDINATES:
            explicit = False
            notices.append(
                "Programs solve linear equations; formulas would be endless with closed loops or so many coordinates."
            )
    if any(len(line) > LONGEST for line in lines):
        notices.append("Some entries are too long to be typeset; they are in the text and in the programs.")
        lines = [line for line in lines if len(line) <= LONGEST]
    tell(0.5)
    languages = {EVERY: tuple(ENDINGS), NONE: ()}.get(options.language, (options.language,))
    files, start = {}, None
    if languages and own:
        try:
            start = start_state(machine).tolist()
        except BiomecError as error:
            notices.append(f"The programs hold no state to begin with: {error}")
    for language in languages:
        files[f"equations.{ENDINGS[language]}"] = to_source(
            equations, language, "equations", machine.title, explicit=explicit, start=start
        )
    if options.simulated_s > 0.0 and not own:
        notices.append("Equations that are typed are not simulated here; integrate the program that is written.")
    if options.jacobian:
        files |= jacobian_files(equations, languages)
    tell(0.8)
    figures = {
        "coordinates": float(equations.n),
        "degrees_of_freedom": float(equations.freedom),
        "inputs": float(len(equations.inputs)),
        "operations": float(_operations(equations)),
    }
    run = Run(
        study=key, title=title, machine=machine, options=options, time_s=np.zeros(0), curves=(),
        figures=figures, notices=tuple(notices), text=_legend(equations) + text(equations, options.digits),
        formulae=tuple(lines), files=files,
    )  # fmt: skip
    if options.simulated_s > 0.0 and own:
        try:
            run = _with_motion(run, equations, options, part_of(progress, 0.8, 1.0))
        except Cancelled:
            raise
        except BiomecError as error:
            run = replace(run, status=str(error), succeeded=False)
    tell(1.0)
    return run


def jacobian_files(equations: EquationsOfMotion, languages: Sequence[str]) -> dict[str, str]:
    """Programs of A = ∂f/∂x and B = ∂f/∂u of ẋ = f(x, u, p), in the languages that have programs."""
    from biomec.machines.symbolic.equations import state_jacobians
    from biomec.machines.symbolic.source import ENDINGS, matrices_source

    by_state, by_input = state_jacobians(equations)
    arguments = {"x": equations.coordinates.x, "u": equations.inputs, "p": tuple(equations.parameters)}
    outputs = {"A": by_state} | ({"B": by_input} if by_input.cols else {})
    return {
        f"jacobian.{ENDINGS[one]}": matrices_source(one, "jacobian", arguments, outputs)
        for one in languages
        if one != "latex"
    }


def _formulas(equations: EquationsOfMotion, digits: int) -> tuple[list[str], list[str]]:
    """Lines q̈ and q̈ = N/Δ that are short enough to be read, and a notice about the others."""
    from biomec.machines.symbolic.equations import multiple_angle_fractions, readable_fractions
    from biomec.machines.symbolic.pieces import named_pieces
    from biomec.machines.symbolic.typeset import formula, symbol_names

    names = symbol_names(equations)
    lines = []
    closed = equations.constraints.rows > 0
    if equations.n <= MOST_READABLE and not closed:
        above_short, below_short = readable_fractions(equations)
        lines = [rf"{names[one]} = \frac{{{formula(above_short[k], equations, digits)}}}"
             rf"{{{formula(below_short[k], equations, digits)}}}"
             for k, one in enumerate(equations.coordinates.qddot)]  # fmt: skip
    else:
        pieces = named_pieces(equations)
        names = {**names, **pieces.names}
        lines = [rf"{names[one]} = {formula(value, equations, digits, pieces.names)}" for one, value in pieces.steps]
    if equations.n <= MOST_SORTED and not closed:
        above, below = multiple_angle_fractions(equations)
        lines += [rf"\Delta = -\det A = {formula(below, equations, digits)}"]
        lines += [rf"{names[one]}\,\Delta = {formula(above[k], equations, digits)}"
                  for k, one in enumerate(equations.coordinates.qddot)]  # fmt: skip
    shown = [line for line in lines if len(line) <= LONGEST]
    left = len(lines) - len(shown)
    return shown, [f"{left} formulas are too long to be shown; they are in the programs."] if left else []


def _legend(equations: EquationsOfMotion) -> str:
    coords = equations.coordinates
    rows = [f"{one.name}: {about}" for one, about in zip(coords.q, coords.about, strict=True)]
    rows += [f"{one.name}: {about}" for one, about in zip(equations.inputs, equations.input_names, strict=True)]
    return "\n".join([*rows, "", "A q'' + B q'^2 + X q'q' + C q' + D q + E (+ Phi_q^T lambda) = F u + G", "", ""])


def _operations(equations: EquationsOfMotion) -> int:
    """Sums, products and functions of one evaluation, common parts counted once."""
    import sympy as sp

    from biomec.machines.symbolic.source import listing

    matrix, right = equations.saddle()
    symbols = (*equations.coordinates.x, *equations.inputs, *equations.parameters)
    lines = listing({"x": symbols}, {"S": matrix, "r": right})
    return int(
        sum(sp.count_ops(one) for _, one in lines.steps) + sum(sp.count_ops(one) for one in lines.outputs.values())
    )


def _with_motion(run: Run, equations: EquationsOfMotion, options: EquationsOptions, progress: Progress | None) -> Run:
    """The run with a simulated motion: curves, energy, poses."""
    from biomec.machines.symbolic.compiled import compiled
    from biomec.machines.symbolic.placing import poses_of, start_state
    from biomec.machines.symbolic.simulation import shown_times, simulate

    stabilisation = 20.0 if equations.constraints.rows else 0.0
    numbers = compiled(equations, stabilisation=stabilisation)
    motion = simulate(
        numbers, start_state(run.machine), shown_times(options.simulated_s), method=options.method, progress=progress
    )
    energy = motion.energy_J
    curves = [
        *state_curves(equations.coordinates.about, motion.x),
        curve("Energy", "kinetic and potential", "J", energy),
    ]
    figures = {
        **run.figures,
        "energy_change_J": float(energy[-1] - energy[0]),
        "evaluations": float(motion.evaluations),
    }
    done = motion.status == "completed"
    return replace(
        run, time_s=motion.time_s, curves=tuple(curves), figures=figures, poses=poses_of(run.machine).at(motion.x)[0],
        status=motion.status, succeeded=done,
    )  # fmt: skip


STUDY = Study(
    "equations",
    "Equations of motion",
    "Lagrange's equations in symbols: mass matrix, velocity terms, gravity, inputs; typeset, and as programs.",
    EquationsOptions,
    refusal,
    run_equations,
    asks=False,
)
