"""Menu Inner Biomechanics: muscles, which are to come."""

from __future__ import annotations

from biomec_app.session.action import SEPARATOR, Action, not_yet

MUSCLES = not_yet("Not in this version: muscles follow.")


def _item(menu: str, key: str, text: str, help: str) -> Action:
    return Action(key, menu, text, lambda context: None, help, blocked=MUSCLES)


ACTIONS: tuple[Action, ...] = (
    _item(
        "Inner Biomechanics",
        "muscles.upper",
        "Load &Shoulder and Upper-Limb Muscles",
        "Muscles of the girdle and arms",
    ),
    _item("Inner Biomechanics", "muscles.lower", "Load &Pelvis and Lower-Limb Muscles", "Muscles of pelvis and legs"),
    _item("Inner Biomechanics", "muscles.both", "Load &Both", "All muscles"),
    Action("muscles.separator", "Inner Biomechanics", SEPARATOR, None),
    _item("Inner Biomechanics", "muscles.forces", "Muscle &Forces", "Share of every muscle, by static optimisation"),
    _item("Inner Biomechanics", "muscles.joints", "&Joint Forces Including Muscles", "Forces in the joints"),
)
