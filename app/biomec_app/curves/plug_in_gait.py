"""Curves of Plug-in Gait: as Vicon computes it, as the file stores it, and our own model in its signs, in one plot; and
every other result that a file stores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from biomec.body.plug_in_gait.angles import ROWS
from biomec.body.plug_in_gait.comparison import ANGLE, FORCE, MOMENT, MOMENTS, POWER, UNITS, Curves, stored_per_kg
from biomec.body.plug_in_gait.legs import SIDES
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.plug_in_gait import file_curves, known_mass_kg, own_curves, vicon_curves
from biomec.reporting.clinical_presentation import CURVES
from biomec_app.curves.curve import DEGREES, MAIN, Curve, capital, column, side_of_name

COMPUTED, STORED = "Plug-in Gait, as Vicon computes it", "Plug-in Gait, stored in the file"
OWN, OTHER = "Plug-in Gait, our own model in its signs", "Other results stored in the file"
LEAST = {ANGLE: 20.0, MOMENT: 0.03, POWER: 0.05, FORCE: 0.15}
NBSP = "\N{NO-BREAK SPACE}"
OPPOSITE = {"plantarflexor": "dorsiflexor", "evertor": "invertor", "extensor": "flexor", "valgus": "varus",
            "abductor": "adductor", "external rotator": "internal rotator"}  # fmt: skip
SENSES = {(row.joint, part.positive): part.negative for row in ROWS for part in row.components}
JOINTS = sorted({row.joint for row in ROWS}, key=len, reverse=True)
VICON = {
    f"{leg.name(row.joint)} {part.positive}": (leg.vicon + row.output, k)
    for leg in SIDES for row in ROWS for k, part in enumerate(row.components)
} | {
    f"{leg.name(joint)} {word} moment": (f"{leg.vicon}{joint.capitalize()}Moment", k)
    for leg in SIDES for joint, words in MOMENTS.items() for k, word in enumerate(words)
} | {
    f"{leg.name(joint)} power": (f"{leg.vicon}{joint.capitalize()}Power", 2) for leg in SIDES for joint in MOMENTS
}  # fmt: skip
"""Curve -> what Vicon calls it, and which component."""
CLINICAL = {row.plug_in_gait_name(leg.word): row for leg in SIDES for row in CURVES}


def plug_in_gait(analysis: Analysis) -> Iterator[Curve]:
    """Angles, moments and powers of the three computations that there are; those of one joint share a plot.

    Loads are compared where Vicon's are known, which need a measured force: ours go on with an estimated one.
    """
    ways: tuple[tuple[Callable[[Analysis], Curves], str, str, str, str, str, int], ...] = (
        (vicon_curves, "vicon", COMPUTED, MAIN, "as Vicon", "signals", 2),
        (file_curves, "stored", STORED, "stored", "stored", "", 1),
        (own_curves, "own", OWN, "own model", "own", "angles", 3),
    )
    time = analysis.session.dynamic.time_s
    measured = {name: np.isfinite(values) for name, quantity, values in vicon_curves(analysis) if quantity != ANGLE}
    trusted = analysis.loads.trust.frames_of if "loads" in analysis.done else {}
    for find, key, kind, variant, said, step, rank in ways:
        for name, quantity, values in find(analysis):
            side, stem = side_of_name(name)
            joint = next(one for one in JOINTS if stem.startswith(one))
            component = stem.removeprefix(f"{joint} ")
            output, k = VICON[name]
            known = measured.get(name)
            borne = trusted.get(joint if side is None else f"{side.value} {joint}")
            yield Curve(
                f"plug-in gait/{key}/{name}", kind, capital(joint), side, component,
                f"{name} ({output} {'XYZ'[k]})", UNITS[quantity],
                column(time, values, scale=DEGREES if quantity == ANGLE else 1.0),
                f"{capital(joint)}{'' if quantity == ANGLE else f' {quantity}'}", _senses(joint, component, quantity),
                variant, step, least=LEAST[quantity], said=said, dashed=rank == 1, compared=rank,
                counts=True if known is None or len(known) != len(values) else known,
                usable=None if quantity == ANGLE or borne is None else borne.reliable,
                clinical=_clinical(name, key == "own"),
            )  # fmt: skip


def _clinical(name: str, own: bool) -> tuple[str, float] | None:
    """The clinical curve, whose signs these are; our own pelvis and feet do not count from the way of walking here."""
    row = CLINICAL.get(name)
    return None if row is None or (own and row.kind == ANGLE and not row.own) else (row.name, 1.0)


def _senses(joint: str, component: str, quantity: str) -> str:
    """Positive and negative direction of a curve."""
    if quantity == POWER:
        return f"power, delivered{NBSP}+ / taken up{NBSP}−"
    positive = component.removesuffix(" moment")
    negative = SENSES[joint, positive] if quantity == ANGLE else OPPOSITE[positive]
    more = "" if quantity == ANGLE else " · axes of the distal segment, internal"
    return f"{positive}{NBSP}+ / {negative}{NBSP}−{more}"


def stored_results(analysis: Analysis) -> Iterator[Curve]:
    """Everything else that another program left in the file of the movement, under its own names."""
    trial = analysis.session.dynamic
    outputs = trial.outputs
    if outputs is None or outputs.frames != trial.frames:
        return
    per_kg = stored_per_kg(outputs, known_mass_kg(analysis))
    shown = {name for name, _ in VICON.values()}
    for o, (name, kind, unit) in enumerate(zip(outputs.names, outputs.kinds, outputs.units, strict=True)):
        if name in shown:
            continue
        scale, unit = _unit(kind, unit, per_kg)
        side = next((leg.side for leg in SIDES if name.startswith(leg.vicon)), None)
        for k, axis in enumerate("XYZ"):
            yield Curve(
                f"stored/{name}/{axis}", OTHER, name, side, axis, f"{name} {axis}", unit,
                column(trial.time_s, outputs.values, o, k, scale=scale), name, f"{axis}, {kind}",
            )  # fmt: skip


def _unit(kind: str, unit: str, per_kg: float | None) -> tuple[float, str]:
    """Factor and unit in which a stored result is shown."""
    if kind == ANGLE:
        return (DEGREES if unit.startswith("rad") else 1.0), UNITS[ANGLE]
    if kind in UNITS:
        milli = 1e-3 if kind == MOMENT and "mm" in unit.lower() else 1.0
        whole = {MOMENT: "N·m", POWER: "W", FORCE: "N"}[kind]
        return (milli, whole) if per_kg is None else (milli * per_kg, UNITS[kind])
    return 1.0, unit
