"""Joint loads of an analysis in its files: in the summary, and as tables of frames, parts and cycles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.loads.contributions import PARTS, TITLES
from biomec.body.loads.load_components import LoadReading
from biomec.body.loads.load_statistics import JointPeaks, load_statistics, mean_and_deviation
from biomec.body.loads.power import joint_work
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import Ground, load_cycles
from biomec.pipeline.load_reading import chosen_loads, chosen_power, named_loads, parts_of, read_loads
from biomec.reporting.content.dynamic_section import change_facts
from biomec.reporting.facts import load_facts
from biomec.reporting.statistics.load_condition import peaks_of
from biomec.reporting.tables import by_frame, plain_number, table_text

# -------------------------------------------------------------------------------------------------------------- summary


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
        "plate_forces": facts["plates"].text,
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
                "kept": None if found.reduced is None else one.kept,
            }
            for one in size.verdicts
        ],
        "balance_force_rms_N": plain_number(balance.force_rms),
        "balance_moment_rms_Nm": plain_number(balance.moment_rms),
        "mass_kg": {
            "model": balance.model_kg,
            "entered": balance.entered_kg,
            "plates": None if (balance.measured & trust.poor).any() else balance.plates_kg,
            **({} if trust.judged is None else {"static": trust.judged.mass.static, "walk": trust.judged.mass.walk}),
        },
        "mass": facts["mass"].text,
        "external": found.options.external,
        "contacts": facts["external"].value,
        "estimated_frames": int(found.external.estimated.sum()),
        "trust": facts["trust"].value,
        "verdict": facts["trust"].text,
        "steps": [{**one, "frames": _counted(one["frames"], base)} for one in facts["steps"].value],
        "limbs": {one.name: {"grade": str(one.grade), "sound": one.sound, "judged": one.judged} for one in trust.limbs},
        "reduced": change_facts(analysis),
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


def _plain_peaks(one: JointPeaks, rate_hz: float) -> dict[str, Any]:
    """Peaks of a joint, when they were, and what they rest on."""
    facts: dict[str, Any] = {}
    for name, unit, peak in (("force", "N", one.force), ("torque", "Nm", one.torque)):
        facts[f"{name}_peak_{unit}"] = plain_number(peak.value)
        facts[f"{name}_peak_s"] = None if peak.frame is None else peak.frame / rate_hz
        facts[f"{name}_peak_estimated"] = peak.estimated
    facts["power_max_W"], facts["power_min_W"] = plain_number(one.power_high.value), plain_number(one.power_low.value)
    return {**facts, "frames": one.frames, "usable": one.usable, "why_not": one.why}


# --------------------------------------------------------------------------------------------------------------- tables


MEASURES = ("peak", "peak_percent", "highest", "lowest", "mean", "rms", "impulse")
HEAD = (
    "cycles", "cycle", "first frame", "last frame", "joint", "load", "method", "axes", "sign", "unit",
    "ground reaction",
)  # fmt: skip
COLUMNS = (
    "peak", "peak at (% of the cycle)", "highest", "lowest", "mean", "rms", "impulse (unit s)", "work delivered (J)",
    "work taken up (J)", "frames that can be used (%)",
)  # fmt: skip


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


def load_parts_csv(analysis: Analysis) -> str:
    """Three columns a component of `loads.csv`, and of the residual: its parts, which sum to it; one row a frame."""
    parts = parts_of(analysis)
    reading = analysis.settings.load_reading
    read = [named_loads(analysis, parts.part(part), reading) for part in PARTS]
    names = [
        heading.replace(name, f"{name}, {TITLES[part]}", 1)
        for name, heading in zip(read[0].names, read[0].headings, strict=True)
        for part in PARTS
    ]
    columns = [np.stack([one.values for one in read], axis=2)]
    for what, array, unit in (("force", "residual_force", "N"), ("moment", "residual_torque", "N m")):
        names += [
            f"residual {what} {axis}, {TITLES[part]} {in_laboratory(reading)} ({unit})"
            for axis in "XYZ"
            for part in PARTS
        ]
        columns.append(np.stack([getattr(parts.part(part), array) for part in PARTS], axis=2))
    values = np.concatenate(columns, axis=1).reshape(len(columns[0]), -1)
    return table_text(["frame", "time_s", *names], by_frame(analysis.signals.trial), values)


def load_statistics_csv(analysis: Analysis) -> str:
    """One row a load and valid cycle, by its number among all cycles, with where its ground reaction comes from.

    Then mean and standard deviation over the cycles whose ground reaction was measured throughout, on plates of that
    foot alone that are not poor; and, apart from them, over the cycles that rest on an estimate. Loads are the
    components of `loads.csv`, and the power of every joint, whose impulse is its net work. Peak, highest and lowest
    are of frames that can be used; a cycle on a poor contact, or without a force, has no numbers, only the reason.
    """
    rows, values = [], []
    for head, numbers in _rows(analysis):
        rows.append(head)
        values.append(numbers)
    return table_text([*HEAD, *COLUMNS], rows, np.array(values) if values else None)


def _rows(analysis: Analysis) -> Iterator[tuple[list[str | int], FloatArray]]:
    curves, trial, power = read_loads(analysis), analysis.signals.trial, chosen_power(analysis)
    reading = curves.reading
    read_as = (
        *((reading.method, reading.axes, reading.convention) for _ in curves.names),
        *((reading.method, "", "") for _ in power.joints),
    )
    joints = (*curves.joint, *power.joints)
    names = (*curves.names, *(f"{joint} power" for joint in power.joints))
    units = (*(unit.replace("·", " ") for unit in curves.units), *("W" for _ in power.joints))
    table = np.concatenate([curves.values, power.joint], axis=1)
    frames_of = analysis.loads.trust.frames_of
    usable, estimates = (np.stack([getattr(frames_of[joint], one) for joint in joints], axis=1)
                         for one in ("usable", "estimated"))  # fmt: skip
    for which, cycles in analysis.cycles.groups.items():
        valid = np.flatnonzero(cycles.valid)
        if not len(valid):
            continue
        spans = np.asarray(cycles.spans)[valid]
        sizes = load_statistics(names, table, spans, trial.rate_hz, usable)
        work = joint_work(power, spans, trial.rate_hz)
        none = np.full((len(spans), len(curves.names)), np.nan)
        delivered, taken = (np.concatenate([none, one], axis=1) for one in (work.positive, work.negative))
        share = np.array([100.0 * (usable & ~estimates)[first : last + 1].mean(axis=0) for first, last in spans])
        numbers = np.stack([*(getattr(sizes, name) for name in MEASURES), delivered, taken, share], axis=2)
        counting = load_cycles(analysis)[which]
        for c, (joint, name, how, unit) in enumerate(zip(joints, names, read_as, units, strict=True)):
            about = [joint, name, *how, unit]
            reasons = counting.reasons[joint]
            counts = [counting.counts(joint, estimated=one)[valid] for one in (False, True)]
            numbers[~(counts[0] | counts[1]), c, :-1] = np.nan
            for k, (first, last) in enumerate(spans.tolist()):
                frames = (trial.first_frame + first, trial.first_frame + last)
                yield [which, int(valid[k]) + 1, *frames, *about, reasons[valid[k]]], numbers[k, c]
            for kept, source in zip(counts, (Ground.MEASURED, Ground.ESTIMATED), strict=True):
                if not kept.any():
                    continue
                mean, sd = mean_and_deviation(numbers[kept, c])
                yield [which, "mean", "", "", *about, str(source)], mean
                yield [which, "sd", "", "", *about, str(source)], sd
