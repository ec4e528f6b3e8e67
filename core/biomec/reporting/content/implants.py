"""Contact forces of a walk beside those of instrumented implants: which lie above, and what they rest on most."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import BoolArray
from biomec.body.muscles.centre_sensitivity import SHIFT, centre_shifts
from biomec.body.muscles.muscle_trust import ContactPeak
from biomec.body.muscles.rows import TorqueRows
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.muscle_cycles import FOOT_OFF, SIDES
from biomec.reporting.tables import number

IMPLANTS = {"hip": 5.0, "knee": 4.0}
"""Joint -> greatest contact force of walking people that instrumented implants showed [× body weight]
[Bergmann1993] [Bergmann2001] [Kutzner2010], with the spread of single patients."""
UNLIKE = 0.15  # part of a torque by which both sides differ enough to be named


def beyond_implants(analysis: Analysis) -> tuple[ContactPeak, ...]:
    """Joints of a walk that bear more than implants did."""
    if analysis.cycles.phase != FOOT_OFF:
        return ()
    return tuple(
        one for one in analysis.muscles.peaks if one.times_weight > IMPLANTS.get(one.joint.split(" ")[-1], np.inf)
    )


def implant_sentences(analysis: Analysis) -> tuple[str, ...]:
    """What to say of such joints, and of the joint centre on which they rest most; empty if there is none."""
    peaks = beyond_implants(analysis)
    if not peaks:
        return ()
    known = " and ".join(f"{most:g} in the {joint}" for joint, most in IMPLANTS.items())
    named = ", ".join(f"{one.joint} {number(one.times_weight)}" for one in peaks)
    first = f"Instrumented implants bore up to {known} in walking [body weights]; here it is more: {named}."
    causes: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for one in peaks:
        lowest, *_ = centre_shifts(analysis.muscles.question, one.joint, one.frame)
        causes.setdefault((lowest.centre, lowest.direction), []).append((one.joint, -lowest.change))
    return (first, *(_cause(analysis, *key, less) for key, less in causes.items()))


def _cause(analysis: Analysis, centre: str, direction: str, less: list[tuple[str, float]]) -> str:
    """On which centre some joints rest, and whether its torque differs from that of the other side."""
    joints = " and the ".join(joint for joint, _ in less)
    bear = "bears" if len(less) == 1 else "bear"
    taken = " and ".join(number(change, 2) for _, change in less)
    return (
        f"What the {joints} {bear} rests most on the {centre} centre: {1e3 * SHIFT:.0f} mm further {direction} would "
        f"take {taken} body weights away. Check this centre{_other_side(analysis, centre)} before you use these forces."
    )


def _other_side(analysis: Analysis, joint: str) -> str:
    """Words about the torque of a joint that is farthest above that of the other side, if there is one."""
    side, _, name = joint.partition(" ")
    if side not in SIDES:
        return ""
    opposite = f"{SIDES[1 - SIDES.index(side)]} {name}"
    rows, counted = analysis.muscles.model.rows, analysis.muscles.counted
    found = []
    for title, positive, negative in zip(rows.titles, rows.titles, rows.opposite, strict=True):
        partner = title.replace(joint, opposite, 1)
        if not title.startswith(joint) or partner not in rows.titles:
            continue
        here, there = (_range(rows, one, counted.get(which)) for one, which in ((title, joint), (partner, opposite)))
        for words, own, others in ((positive, here[1], there[1]), (negative, -here[0], -there[0])):
            if own > (1.0 + UNLIKE) * max(others, 0.0):
                found.append((own - others, words.removeprefix(f"{joint} "), own, others))
    if not found:
        return ""
    _, words, own, others = max(found)
    return f", and why its torque of {words} is {own:.0f} N·m but {others:.0f} N·m on the {opposite.split(' ')[0]},"


def _range(rows: TorqueRows, title: str, counted: BoolArray | None) -> tuple[float, float]:
    """Least and greatest net torque of a row in the frames that count [N m]."""
    torque = rows.wanted[:, rows.titles.index(title)]
    kept = torque[np.isfinite(torque) & (True if counted is None else counted)]
    return (float(kept.min()), float(kept.max())) if kept.size else (0.0, 0.0)
