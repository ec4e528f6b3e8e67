"""What a report says about muscles: trust, contact forces, activations, reserves, and timing beside the usual."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.base.errors import BiomecError
from biomec.body.muscles.emg_comparison import MeasuredActivation
from biomec.body.muscles.muscle_trust import ContactPeak, ReserveFigure
from biomec.body.muscles.sharing_options import CRITERIA, EMG_WORDS, SOLID
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.muscle_cycles import SIDES, muscle_timing
from biomec.reporting.content.implants import implant_sentences
from biomec.reporting.content.muscle_work_tables import torque_table, work_table
from biomec.reporting.tables import NOTHING, Section, Table, fact_table, number, percent

MUSCLES = "Muscles and joint contact"
LISTED = 8  # torques with the largest reserves
METHOD = (
    "Static optimisation finds the activations that make the torques of the movement with the least effort. It does "
    "not see muscles that work against each other, so that contact forces are low where a person stiffens a joint."
)


def muscles_section(analysis: Analysis) -> Section:
    """Verdict, what the forces rest on, and tables."""
    found = analysis.muscles
    trust, sharing = found.trust, found.options.sharing
    sources = "; ".join(f"{one.title} ({one.licence})" for one in found.sources)
    about: dict[str, str | None] = {
        "Muscle set": f"{found.set_name}, {len(found.fitted.muscles)} muscles",
        "Source of the numbers": sources,
        "Muscles share by": CRITERIA[sharing.criterion][0],
        "Force curves": SOLID[sharing.curves],
        "Strength of all muscles": percent(sharing.strength) if sharing.strength != 1.0 else None,
        "Measured activation": EMG_WORDS[sharing.emg] if found.emg is not None else None,
        "Frames solved": f"{trust.solved} of {trust.frames}",
        "Largest reserve torque": number(found.forces.largest_reserve_Nm, 1, "N·m"),
        "Segments with limited scaling": ", ".join(trust.clipped) or None,
    }
    tables = [fact_table("", about), _contact_table(analysis), _muscle_table(analysis),
              torque_table(analysis), work_table(analysis), _reserve_table(trust.reserves)]  # fmt: skip
    titles = {one.name: one.sided_title for one in found.fitted.muscles}
    if found.emg is not None:
        tables.append(_emg_table(found.emg, dict(found.channels), titles))
    limits = tuple(
        (
            words.capitalize(),
            "; ".join(f"{titles[name]} ({percent(share)})" for name, share in list(shares.items())[:LISTED]),
        )
        for words, shares in trust.states.items()
    )
    if limits:
        note = (
            "Share of the frames. A muscle that is slack or far from its best length hardly pulls; others do its work."
        )
        tables.append(Table("Muscles at their limits", ("What", "Muscles"), limits, note))
    timing = _timing_table(analysis)
    sentences = (trust.verdict, *implant_sentences(analysis), METHOD)
    return Section(MUSCLES, sentences, (*tables, *([] if timing is None else [timing])))


def _emg_table(emg: MeasuredActivation, channels: Mapping[str, tuple[str, ...]], titles: Mapping[str, str]) -> Table:
    """What each channel was normalised by, and which muscles it stands for."""
    rows = tuple(
        (channel, "; ".join(titles[name] for name in names), emg.reference_words(channel))
        for channel, names in channels.items()
    )
    note = (
        "100 %: greatest envelope of a maximal voluntary contraction. Where the greatest of this trial stands instead, "
        "sizes of activations, muscle forces and contact forces are not to be used."
    )
    return Table("EMG that takes part", ("Channel", "Muscles", "100 %"), rows, note)


def _contact_table(analysis: Analysis) -> Table:
    """Greatest contact forces, right and left, with muscles and without."""
    peaks = {one.joint: one for one in analysis.muscles.peaks}
    factor = analysis.muscles.contacts.unit_factor("N/kg")
    names = dict.fromkeys(joint.split(" ", 1)[1] if joint.startswith(SIDES) else joint for joint in reversed(peaks))
    rows = []
    for name in names:
        sides = [peaks.get(f"{side} {name}") for side in SIDES]
        if not any(sides):
            rows.append((name.capitalize(), *_cells(peaks[name], factor), *(NOTHING,) * 4))
        else:
            rows.append((name.capitalize(), *_cells(sides[0], factor), *_cells(sides[1], factor)))
    heads = ("[× weight]", "[N]", "[N/kg]", "without")
    note = (
        "Greatest size over the frames in which the loads of the joint can be used; without: the joint force without "
        "muscles, in body weights. ≥: torque is lacking there, and what no muscle carries presses on nothing. "
        "Patellofemoral: of a pulley without friction, good to a third."
    )
    return Table("Contact forces, right and left", ("Joint", *heads, *heads), tuple(rows), note)


def _cells(peak: ContactPeak | None, factor: float) -> tuple[str, str, str, str]:
    if peak is None:
        return (NOTHING,) * 4
    force = peak.force_N
    least = "≥ " if peak.at_least else ""
    return (
        least + number(peak.times_weight, 2), least + number(force, 0), least + number(factor * force, 1),
        number(peak.net_times_weight, 2),
    )  # fmt: skip


def _muscle_table(analysis: Analysis) -> Table:
    """Mean and greatest activation and greatest force of whole muscles, right and left."""
    found = analysis.muscles
    forces, elements = found.forces, found.fitted.muscles
    there = forces.solved
    rows = []
    for group in dict.fromkeys(one.group for one in elements):
        cells: list[str] = []
        for side in SIDES:
            which = [m for m, one in enumerate(elements) if one.group == group and one.side and one.side.value == side]
            if not which or not there.any():
                cells += [NOTHING] * 3
                continue
            weight = forces.optimum[there][:, which]
            total = weight.sum(axis=1)
            activation = (forces.activation[there][:, which] * weight).sum(axis=1)
            activation = np.divide(activation, total, out=np.zeros_like(total), where=total > 0.0)
            force = forces.force[there][:, which].sum(axis=1)
            cells += [
                percent(float(activation.mean())),
                percent(float(activation.max())),
                number(float(force.max()), 0),
            ]
        rows.append((group.capitalize(), *cells))
    heads = ("Mean", "Peak", "Force [N]")
    note = (
        "Activation over the solved frames, parts of a muscle weighted by the force that they could give; peak force."
    )
    return Table("Activation and force of muscles, right and left", ("Muscle", *heads, *heads), tuple(rows), note)


def _reserve_table(reserves: tuple[ReserveFigure, ...]) -> Table:
    rows = tuple(
        (one.torque.capitalize(), number(one.largest_Nm, 1), number(one.wanted_Nm, 1), percent(one.share))
        for one in sorted(reserves, key=lambda one: -one.largest_Nm)[:LISTED]
    )
    columns = ("Torque", "Largest reserve [N·m]", "Largest torque [N·m]", "Frames beyond")
    note = (
        "A reserve is torque that no muscle carries. Frames beyond: with a reserve above 5 % of the largest torque and "
        "1 N·m."
    )
    return Table("Torques that muscles do not carry", columns, rows, note)


def _timing_table(analysis: Analysis) -> Table | None:
    try:
        rows = muscle_timing(analysis)
    except BiomecError:  # a table of muscles that is gone costs this comparison, not the report; EMG pages say it
        return None
    if not rows:
        return None
    once = {(one.side, one.elements): one for one in reversed(rows)}  # one row for names of the same elements
    cells = tuple(
        (f"{one.side} {one.muscle}".capitalize(), _bars(one.expected), _bars(one.computed), percent(one.agreement))
        for one in rows
        if once[one.side, one.elements] is one
    )
    columns = ("Muscle", "Usually active [% of cycle]", "Computed [% of cycle]", "Alike")
    return Table("Activity over the gait cycle beside the usual", columns, cells, analysis.settings.emg.table.title)


def _bars(stretches: tuple[tuple[float, float], ...]) -> str:
    return ", ".join(f"{first:.0f} to {last:.0f}" for first, last in stretches) or "never"
