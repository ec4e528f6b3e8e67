"""What can be chosen about a simulation, in words for people. Knows no Qt."""

from __future__ import annotations

from collections.abc import Mapping

from biomec.body.tracking.what_if import WhatIf
from biomec.engine.forward.formulations import FORMULATIONS
from biomec.engine.forward.integrators import INTEGRATORS
from biomec.pipeline.simulation_settings import AUTO, CONTACT, RESULTANT, SimulationSettings, fitting_integrators

INPUTS = {
    "computed-torque": (
        "Computed torques",
        "Torques that give every joint the acceleration that leads it back to the recorded movement. A residual force "
        "holds the root, as in inverse dynamics. Follows to a micrometre.",
    ),
    "underactuated": (
        "Computed torques, ground holds the body",
        "As computed torques, but nothing holds the root: the ground reactions change by what it needs. Tells how far "
        "the plates are from what the movement needs. Best for what-if questions.",
    ),
    "pd": (
        "Torques with springs and dampers (PD)",
        "Torques of inverse dynamics, and a spring and a damper at every joint. How near it stays depends on the "
        "stiffness.",
    ),
    "inverse": (
        "Torques of inverse dynamics and plates",
        "Torques and ground reactions are played back and nothing corrects an error: a body on its hands and feet "
        "falls within a second. Shows why control is needed.",
    ),
    RESULTANT: (
        "Resultant forces of the movement",
        "Mass times acceleration of the recorded motion stands for everything that acts. The motion returns to about "
        "a tenth of a millimetre; shows what equations and integrator are worth.",
    ),
}
"""Input -> name and explanation, in the order of the list."""
FORMULATION_WORDS = {
    AUTO: ("Automatic", "Semi-recursive where the movement is followed, stabilised Lagrange for resultant forces."),
    **{key: (one.title, one.help) for key, one in FORMULATIONS.items()},
}
INTEGRATOR_WORDS = {
    AUTO: ("Automatic", "Joint by joint where the movement is followed, Adams of order 4 or trapezoidal elsewhere."),
    **{key: (one.title, one.help) for key, one in INTEGRATORS.items()},
}
ROOTS = {
    AUTO: ("Automatic", "As the input has it."),
    "held": ("A residual force", "Whatever is missing acts on the root, as in inverse dynamics."),
    "free": ("Nothing", "Only the ground reactions: whatever does not fit carries the body away."),
    "ground": ("Changed ground reactions", "The ground reactions change by what the root needs."),
    CONTACT: (
        "Contact with the floor",
        "Hands and feet press and rub on the floor as soft spheres do; recorded reactions are not used.",
    ),
}


def integrators_for(input: str, formulation: str) -> tuple[str, ...]:
    """Integrators that an input and a formulation can have, the automatic one first."""
    settings = SimulationSettings(input=input, formulation=formulation)
    return AUTO, *(one.key for one in fitting_integrators(settings.formulation_kind, settings.follows))


def input_words(settings: SimulationSettings) -> str:
    """What moves the body and what holds it, in short."""
    held = "" if settings.root == AUTO else f"; held by {ROOTS[settings.root][0].lower()}"
    return INPUTS[settings.input][0] + held


def changed_words(settings: SimulationSettings) -> str:
    """What is different from the recording, stops of the joints too; empty if nothing is."""
    stops = "stops at the joints" if settings.joint_stops else ""
    return ", ".join(words for words in (what_if_words(settings.what_if), stops) if words)


def method_words(settings: SimulationSettings) -> str:
    """Equations and integrator."""
    order = f", order {settings.order_words}" if settings.order_words else ""
    return f"{settings.formulation_kind.name}; {settings.integrator_kind.title}{order}"


def what_if_words(changes: WhatIf) -> str:
    """What is different from the recording; empty if nothing is."""
    told = []
    if changes.mass != 1.0:
        told.append(f"mass × {changes.mass:g}")
    told += [f"mass of {names} × {factor:g}" for names, factor in _both_sides(changes.masses)]
    told += [f"{mass:g} kg at {names}" for names, mass in _both_sides(changes.carried)]
    if changes.gravity != 1.0:
        told.append(f"gravity × {changes.gravity:g}")
    if changes.grip_m:
        told.append(f"grip {abs(100.0 * changes.grip_m):g} cm {'wider' if changes.grip_m > 0.0 else 'narrower'}")
    told += [f"{names} {100.0 * share:g} % weaker" for names, share in _both_sides(changes.weakened)]
    return ", ".join(told)


def _both_sides(table: Mapping[str, float]) -> list[tuple[str, float]]:
    """Names with their values; both sides of the same value as one."""
    found: list[tuple[str, float]] = []
    for name, value in table.items():
        stem = name.removeprefix("right ").removeprefix("left ")
        pair = {f"right {stem}", f"left {stem}"}
        same = pair <= set(table) and len({table[one] for one in pair}) == 1
        entry = (f"both {plural(stem)}" if same else name, value)
        if entry not in found:
            found.append(entry)
    return found


def plural(stem: str) -> str:
    """Both of a part: "feet", "elbows"."""
    if stem.endswith("foot"):
        return f"{stem[:-4]}feet"
    if stem.endswith(("x", "s")):
        return f"{stem}es"
    return f"{stem} joints" if stem.endswith(("ar", "al")) else f"{stem}s"


def short_name(settings: SimulationSettings) -> str:
    """Name of a run that the user has not named, in words."""
    stretch = f", cycle {settings.cycle}" if settings.cycle is not None else ""
    changed = what_if_words(settings.what_if)
    input = {RESULTANT: "Resultant", "inverse": "Played back", "pd": "PD", "computed-torque": "Computed torque",
             "underactuated": "Ground holds"}[settings.input]  # fmt: skip
    method = ""
    if (settings.formulation, settings.integrator) != (AUTO, AUTO):
        formulation = settings.formulation_kind.title.split(" (")[0].split(",")[0]
        integrator = settings.integrator_kind.title.split(" (")[0].split(",")[0].split("-Bash")[0]
        order = f" {settings.order_words}" if settings.order_words else ""
        method = f", {formulation}, {integrator}{order}"
    if settings.root == CONTACT:
        input = "On contacts"
    stops = ", stops" if settings.joint_stops else ""
    return f"{input}{method}{stretch}{stops}{f', {changed}' if changed else ''}"
