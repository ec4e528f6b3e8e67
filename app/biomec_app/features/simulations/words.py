"""Simulations in words: their name, what moves the body, what is different, equations and integrator. Knows no Qt."""

from __future__ import annotations

from collections.abc import Mapping

from biomec.base.fields import label_of
from biomec.body.tracking.what_if import WhatIf
from biomec.pipeline.simulation_settings import AUTO, CONTACT, RESULTANT, SimulationSettings, fitting_integrators


def integrators_for(input: str, formulation: str) -> tuple[str, ...]:
    """Integrators that an input and a formulation can have, the automatic one first."""
    settings = SimulationSettings(input=input, formulation=formulation)
    return AUTO, *(one.key for one in fitting_integrators(settings.formulation_kind, settings.follows))


def input_words(settings: SimulationSettings) -> str:
    """What moves the body and what holds it, in short."""
    held = "" if settings.root == AUTO else f"; held by {label_of(type(settings), 'root', settings.root).lower()}"
    return label_of(type(settings), "input", settings.input) + held


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
