"""Joint loads of an analysis in its summary."""

from __future__ import annotations

from typing import Any

from biomec.body.loads.load_peaks import JointPeaks
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_reading import chosen_loads
from biomec.reporting.content.reduction import reduction_facts
from biomec.reporting.facts import load_facts
from biomec.reporting.files.csv_text import plain_number
from biomec.reporting.statistics.loads_over_cycles import peaks_of


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


def _plain_peaks(one: JointPeaks, rate_hz: float) -> dict[str, Any]:
    """Peaks of a joint, when they were, and what they rest on."""
    facts: dict[str, Any] = {}
    for name, unit, peak in (("force", "N", one.force), ("torque", "Nm", one.torque)):
        facts[f"{name}_peak_{unit}"] = plain_number(peak.value)
        facts[f"{name}_peak_s"] = None if peak.frame is None else peak.frame / rate_hz
        facts[f"{name}_peak_estimated"] = peak.estimated
    facts["power_max_W"], facts["power_min_W"] = plain_number(one.power_high.value), plain_number(one.power_low.value)
    return {**facts, "frames": one.frames, "usable": one.usable}
