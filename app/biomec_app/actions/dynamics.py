"""Menus Dynamics and Inner Biomechanics: their items are there, and say why they cannot run yet."""

from __future__ import annotations

from biomec_app.actions.action import SEPARATOR, Action, not_yet

LATER = not_yet("Not in this version: loads and simulations follow.")
MUSCLES = not_yet("Not in this version: muscles follow.")


def _item(menu: str, key: str, text: str, help: str, muscles: bool = False) -> Action:
    return Action(key, menu, text, lambda context: None, help, blocked=MUSCLES if muscles else LATER)


ACTIONS: tuple[Action, ...] = (
    _item(
        "Dynamics/Inverse", "dynamics.newton-euler", "&Newton-Euler", "Joint loads from the distal to the root segment"
    ),
    _item("Dynamics/Inverse", "dynamics.multibody", "&Multibody", "Joint loads from the multipliers of the model"),
    Action("dynamics.separator", "Dynamics", SEPARATOR, None),
    _item(
        "Dynamics/Simulation (Newton-Euler)", "dynamics.single", "&Single Step", "Integrate with the trapezoidal rule"
    ),
    _item("Dynamics/Simulation (Newton-Euler)", "dynamics.gear", "Multistep: &Gear", "Integrate stiff motions"),
    _item("Dynamics/Simulation (Newton-Euler)", "dynamics.adams", "Multistep: &Adams", "Integrate smooth motions"),
    _item(
        "Dynamics/Simulation (Multibody)",
        "dynamics.lagrange",
        "Classic &Lagrange",
        "Multipliers with the accelerations",
    ),
    _item("Dynamics/Simulation (Multibody)", "dynamics.baumgarte", "&Stabilised (Baumgarte)", "Violations are damped"),
    _item("Dynamics/Simulation (Multibody)", "dynamics.penalty", "&Penalty", "Constraints as stiff springs"),
    _item("Dynamics/Simulation (Multibody)", "dynamics.augmented", "&Augmented Lagrangian", "Penalty with multipliers"),
    _item(
        "Dynamics/Simulation (Multibody)",
        "dynamics.projected",
        "Augmented Lagrangian with &Projections",
        "Velocities and accelerations are projected too",
    ),
    _item(
        "Inner Biomechanics",
        "muscles.upper",
        "Load &Shoulder and Upper-Limb Muscles",
        "Muscles of the girdle and arms",
        True,
    ),
    _item(
        "Inner Biomechanics", "muscles.lower", "Load &Pelvis and Lower-Limb Muscles", "Muscles of pelvis and legs", True
    ),
    _item("Inner Biomechanics", "muscles.both", "Load &Both", "All muscles", True),
    Action("muscles.separator", "Inner Biomechanics", SEPARATOR, None),
    _item(
        "Inner Biomechanics", "muscles.forces", "Muscle &Forces", "Share of every muscle, by static optimisation", True
    ),
    _item("Inner Biomechanics", "muscles.joints", "&Joint Forces Including Muscles", "Forces in the joints", True),
)
