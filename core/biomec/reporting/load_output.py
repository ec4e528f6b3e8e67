"""Joint loads of an analysis to take away: as named curves, as a table, and in the summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from biomec.base.arrays import IntArray
from biomec.base.errors import BiomecError
from biomec.body.loads.joint_stress import joint_stress
from biomec.body.loads.load_components import LoadReading
from biomec.body.loads.load_peaks import JointPeaks, joint_peaks
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_reading import chosen_loads, chosen_power, motion_of_loads, read_loads
from biomec.reporting.facts import load_facts
from biomec.reporting.load_condition import Condition, condition
from biomec.reporting.load_ranking import ExerciseLoad, exercise_load
from biomec.reporting.reduction_report import reduction_facts
from biomec.reporting.table_text import by_frame, plain_number, table_text


def loads_over_cycles(
    analysis: Analysis, title: str, reading: LoadReading | None = None, joints: Sequence[str] = (), side: str = ""
) -> Condition:
    """Loads over the valid cycles of an analysis, as one condition of a comparison.

    reading : as the settings choose, if not given
    joints  : only these; all if none is named
    side   : whose cycles count, where both sides have their own; without it the first that has a valid one
    """
    spans = valid_spans(analysis, title, side)
    curves = read_loads(analysis, reading)
    if joints:
        loads = chosen_loads(analysis)
        there = [loads.joints[loads.index(name)] for name in joints]
        curves = curves.chosen(name for name, joint in zip(curves.names, curves.joint, strict=True) if joint in there)
    return condition(title, curves.names, curves.units, curves.values, spans, analysis.signals.trial.rate_hz)


def exercise_of(analysis: Analysis, title: str) -> ExerciseLoad:
    """What a recording asks of the joints over its valid cycles, as one exercise of a ranking."""
    body, loads = analysis.body.person, chosen_loads(analysis)
    stress = joint_stress(loads, motion_of_loads(analysis), body.model, body.joint_axes())
    rate_hz, mass_kg = analysis.signals.trial.rate_hz, float(body.measures["mass"])
    return exercise_load(title, loads, stress, valid_spans(analysis, title), rate_hz, mass_kg)


def refuse_unlike(analyses: Mapping[str, Analysis]) -> None:
    """Raise a sentence if the ribs bear the scapulae in some of these analyses only: their loads are not alike."""
    borne = {title: bool(chosen_loads(one).contacts) for title, one in analyses.items()}
    if len(set(borne.values())) > 1:
        with_ribs, without = (", ".join(t for t, there in borne.items() if there is one) for one in (True, False))
        raise BiomecError(
            f"{with_ribs} has loads with the contacts of the scapulae on the ribs, {without} without them. Compute "
            "both in the same way (--joints, or Keep All Joint Constraints) before they are compared."
        )


def valid_spans(analysis: Analysis, title: str, side: str = "") -> IntArray:
    """First and last frame (K, 2) of the valid cycles of a side, or of the first side that has one."""
    cycles = analysis.cycles.groups
    wanted = [side] if side else [name for name, one in cycles.items() if one.valid.any()]
    if not wanted or wanted[0] not in cycles or not cycles[wanted[0]].valid.any():
        raise BiomecError(f"{title} has no valid cycle, so that its loads cannot be compared over cycles.")
    chosen = cycles[wanted[0]]
    return np.asarray(chosen.spans)[np.asarray(chosen.valid)]


def loads_csv(analysis: Analysis) -> str:
    """Loads of all joints as the settings read them, their power, the residual, and what the ribs bear.

    One row a frame; headings name method, axes and sign. Contacts of the scapulae are there where all constraints were
    kept.
    """
    loads, power, curves = chosen_loads(analysis), chosen_power(analysis), read_loads(analysis)
    names = [*curves.headings, *(f"{joint} power [{curves.reading.method}] (W)" for joint in power.joints)]
    names += [
        f"residual {what} {axis} {in_laboratory(curves.reading)} ({unit})"
        for what, unit in (("force", "N"), ("moment", "N m"))
        for axis in "XYZ"
    ]
    names += [name for contact in loads.contacts for name in contact_columns(contact)]
    contacts = np.concatenate([loads.contact_force, loads.contact_pressing[..., None]], axis=2)
    columns = (
        curves.values,
        power.joint,
        loads.residual_force,
        loads.residual_torque,
        contacts.reshape(len(contacts), -1),
    )
    rows = [
        [*head, int(estimated)]
        for head, estimated in zip(by_frame(analysis.signals.trial), analysis.loads.external.estimated, strict=True)
    ]
    return table_text(["frame", "time_s", "ground reaction estimated", *names], rows, np.concatenate(columns, axis=1))


def in_laboratory(reading: LoadReading) -> str:
    """Method and axes of a residual, for a heading."""
    return f"[{reading.method}, laboratory axes]"


def contact_columns(contact: str) -> tuple[str, ...]:
    """Names of the four columns of a contact: along the axes of the laboratory, and along the normal of the ribs."""
    axes = (f"{contact} contact, force on the scapula {axis} (N)" for axis in "XYZ")
    return (*axes, f"{contact} contact, pressed on the ribs + pulled off - (N)")


def loads_summary(analysis: Analysis) -> dict[str, Any] | None:
    """What the joints carried and how far it can be trusted, as plain data; None if the step has not run.

    First and last frames are counted as the recording and `loads.csv` count them.
    """
    if "loads" not in analysis.done:
        return None
    found = analysis.loads
    trust, size, loads, reading = (
        found.trust,
        found.trust.residuals,
        chosen_loads(analysis),
        analysis.settings.load_reading,
    )
    facts = load_facts(analysis)
    force, torque = facts["difference"].value
    balance, base = trust.balance, analysis.signals.trial.first_frame
    return {
        "method": found.multibody.method,
        "loads_of": loads.method,
        "constraints": found.options.constraints,
        "reading": {
            "method": reading.method,
            "axes": reading.axes,
            "sign": reading.convention,
            "scaling": reading.normalisation,
        },
        "convention": reading.sentence,
        "root": loads.root,
        "force_difference_max_N": plain_number(force),
        "torque_difference_max_Nm": plain_number(torque),
        "residual_force_rms_N": plain_number(size.force_rms[3]),
        "residual_force_peak_N": plain_number(size.force_peak[3]),
        "residual_torque_rms_Nm": plain_number(size.torque_rms[3]),
        "residual_torque_peak_Nm": plain_number(size.torque_peak[3]),
        "residual_frames": facts["residual_frames"].value,
        "thresholds": [
            {
                "name": one.threshold.name,
                "source": one.threshold.source,
                "force_rms_N": one.threshold.force_rms,
                "force_peak_N": one.threshold.force_peak,
                "torque_rms_Nm": one.threshold.torque_rms,
                "torque_peak_Nm": one.threshold.torque_peak,
                "kept": one.kept,
            }
            for one in size.verdicts
        ],
        "balance_force_rms_N": plain_number(balance.force_rms),
        "balance_moment_rms_Nm": plain_number(balance.moment_rms),
        "mass_kg": {"model": balance.model_kg, "entered": balance.entered_kg, "plates": balance.plates_kg},
        "external": found.options.external,
        "contacts": facts["external"].value,
        "estimated_frames": int(found.external.estimated.sum()),
        "trust": facts["trust"].value,
        "verdict": facts["trust"].text,
        "faults": [
            {"plate": one.plate, "what": one.what, "joints": list(one.joints), "frames": _counted(one.frames, base)}
            for one in trust.faults
        ],
        "reduced": reduction_facts(found.reduced),
        "scapula_contacts": {
            one.contact: {
                "pressed_mean_N": plain_number(one.mean),
                "pressed_max_N": plain_number(one.highest),
                "pressed_min_N": plain_number(one.lowest),
                "pulled_frames": int(one.pulls.sum()),
                "pulled_share": one.share,
                "pulled_most_frames": _counted(one.worst, base),
            }
            for one in trust.contacts
        },
        "force_mean_N": {
            one.joint: {"with_contacts": one.force, "without_contacts": one.force_without} for one in trust.effects
        },
        "joints": {one.joint: _plain_peaks(one, analysis.signals.trial.rate_hz) for one in peaks_of(analysis)},
    }


def _counted(frames: tuple[int, int] | None, base: int) -> list[int] | None:
    """First and last frame, counted from 0, as a recording counts them whose first is ``base``."""
    return None if frames is None else [base + frame for frame in frames]


def peaks_of(analysis: Analysis) -> tuple[JointPeaks, ...]:
    """Peaks of the loads, joint by joint, over the frames in which they can be used."""
    return joint_peaks(chosen_loads(analysis), chosen_power(analysis).joint, analysis.loads.trust)


def _plain_peaks(one: JointPeaks, rate_hz: float) -> dict[str, Any]:
    """Peaks of a joint, when they were, and what they rest on."""
    facts: dict[str, Any] = {}
    for name, unit, peak in (("force", "N", one.force), ("torque", "Nm", one.torque)):
        facts[f"{name}_peak_{unit}"] = plain_number(peak.value)
        facts[f"{name}_peak_s"] = None if peak.frame is None else peak.frame / rate_hz
        facts[f"{name}_peak_estimated"] = peak.estimated
    facts["power_max_W"], facts["power_min_W"] = plain_number(one.power_high.value), plain_number(one.power_low.value)
    return {**facts, "frames": one.frames, "usable": one.usable}
