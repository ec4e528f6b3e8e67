"""Muscle and contact forces of an analysis in its files: in the summary, and as tables of frames and of the muscles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from biomec.base.errors import FileError
from biomec.base.together import replaced_together
from biomec.body.muscles.joint_contact import COMPONENTS, UNITS
from biomec.body.muscles.muscle_forces import summary as forces_summary
from biomec.body.muscles.muscle_work import moment_shares
from biomec.body.muscles.sharing import STATUS_WORDS
from biomec.pipeline.analysis import Analysis
from biomec.reporting.content.implants import implant_sentences
from biomec.reporting.tables import by_frame, plain_number, table_text

OF_A_MUSCLE = (
    "activation",
    "force (N)",
    "fibre length (of optimal)",
    "fibre speed (of greatest)",
    "path length (m)",
    "power (W)",
)
SHORT_UNITS = {"N": "N", "N/kg": "N/kg", "× body weight": "BW"}


def muscles_summary(analysis: Analysis) -> dict[str, Any] | None:
    """How muscle forces went, what they rest on, and the greatest contact forces; None if the step has not run."""
    if "muscles" not in analysis.done:
        return None
    found = analysis.muscles
    trust, sharing = found.trust, found.options.sharing
    factor = found.contacts.unit_factor("N/kg")
    base = analysis.signals.trial.first_frame
    return {
        **forces_summary(found.forces, found.set_name),
        "muscles": len(found.fitted.muscles),
        "sources": [{"title": one.title, "licence": one.licence, "credit": one.credit} for one in found.sources],
        "criterion": sharing.criterion,
        "curves": sharing.curves,
        "strength": sharing.strength,
        "emg": sharing.emg,
        "emg_normalised_by": {}
        if found.emg is None
        else {
            channel: {
                "value": plain_number(found.emg.reference[found.emg.channels.index(channel)]),
                "unit": found.emg.units[found.emg.channels.index(channel)],
                "source": found.emg.sources[found.emg.channels.index(channel)],
            }
            for channel, _ in found.channels
        },
        "scaling": {one.segment: [float(x) for x in one.factors] for one in found.fitted.scales},
        "status": found.forces.counts(),
        "trust": str(trust.grade),
        "verdict": trust.verdict,
        "beside_implants": list(implant_sentences(analysis)),
        "reserves": [
            {"torque": one.torque, "largest_Nm": one.largest_Nm, "wanted_Nm": one.wanted_Nm, "share": one.share}
            for one in trust.reserves
        ],
        "limits": {words: dict(shares) for words, shares in trust.states.items()},
        "contact_peaks": {
            one.joint: {
                "force_N": plain_number(one.force_N),
                "force_N_per_kg": plain_number(one.force_N * factor),
                "times_body_weight": plain_number(one.times_weight),
                "without_muscles_N": plain_number(one.net_N),
                "without_muscles_times_body_weight": plain_number(one.net_times_weight),
                "frame": base + one.frame,
                "frames": one.frames,
                "lower_bound": one.at_least,
            }
            for one in found.peaks
        },
    }


def muscles_csv(analysis: Analysis) -> str:
    """Activation, force, fibres and power of every muscle, reserves of every torque, and pushes of the ribs.

    One row a frame, with how it was solved. Frames without a solution are empty.
    """
    found = analysis.muscles
    forces, paths = found.forces, found.paths
    names, columns = [], []
    for m, name in enumerate(forces.names):
        names += [f"{name} {what}" for what in OF_A_MUSCLE]
        columns += [one[:, m] for one in (forces.activation, forces.force, forces.length, forces.speed, paths.length,
                                         found.work.power)]  # fmt: skip
    for k, title in enumerate(forces.rows):
        names += [f"{title} net torque (N m)", f"{title} reserve (N m)"]
        columns += [forces.wanted[:, k], forces.reserve[:, k]]
    return table_text(["frame", "time_s", "status", *names], _rows(analysis), np.stack(columns, axis=1))


def contact_forces_csv(analysis: Analysis) -> str:
    """What bones press on each other with in joints that muscles cross, beside the joint force without muscles.

    One row a frame. Components are those of the distal segment, of patellae those of the laboratory; compression and
    shear are there where the model names the direction.
    """
    contacts, patellae = analysis.muscles.contacts, analysis.muscles.patellae
    names, columns = [], []
    for j, joint in enumerate(contacts.joints):
        if not contacts.crossed[j]:
            continue
        for unit in UNITS:
            factor = contacts.unit_factor(unit)
            names += [f"{joint} contact force ({SHORT_UNITS[unit]})",
                      f"{joint} without muscles ({SHORT_UNITS[unit]})"]  # fmt: skip
            columns += [factor * contacts.size[:, j], factor * contacts.net_size[:, j]]
        names += [f"{joint} contact force {direction} (N)" for direction in COMPONENTS]
        columns += list(contacts.local[:, j].T)
        if joint in contacts.pressed:
            a = contacts.pressed.index(joint)
            names += [f"{joint} {what} (N)" for what in (
                "compression", "shear", "compression without muscles", "shear without muscles")]  # fmt: skip
            columns += [contacts.compression[:, a], contacts.shear[:, a], contacts.net_compression[:, a],
                        contacts.net_shear[:, a]]  # fmt: skip
    for k, name in enumerate(patellae.names):
        names += [f"{name} contact force ({SHORT_UNITS[unit]})" for unit in UNITS]
        columns += [contacts.unit_factor(unit) * patellae.size[:, k] for unit in UNITS]
        names += [f"{name} contact force {letter} (N)" for letter in "XYZ"]
        columns += list(patellae.force[:, k].T)
    names += [f"{name} push of the ribs (N)" for name in contacts.ribs]
    columns += list(contacts.rib_force.T)
    return table_text(["frame", "time_s", "status", *names], _rows(analysis), np.stack(columns, axis=1))


def muscle_set_csv(analysis: Analysis) -> str:
    """Every muscle with its source, and its parameters as fitted to the person."""
    found = analysis.muscles
    head = [
        [one.name, one.sided_title, one.group, one.source.title, one.source.licence] for one in found.fitted.muscles
    ]
    values = np.array(
        [
            [one.fmax, one.lopt, one.lts, np.degrees(one.pennation), one.vmax, rho]
            for one, rho in zip(found.fitted.muscles, found.fitted.rho, strict=True)
        ]
    )
    columns = ["muscle", "title", "group", "source", "licence", "greatest force (N)", "optimal fibre length (m)",
               "tendon slack length (m)", "pennation (deg)", "greatest speed (optimal lengths/s)",
               "path over that of the source"]  # fmt: skip
    return table_text(columns, head, values)


def moment_shares_csv(analysis: Analysis) -> str:
    """What whole muscles give to every torque, in its sense; one row a frame.

    With the reserves of ``muscles.csv`` and the ribs they add up to the net torque.
    """
    found = analysis.muscles
    groups = {one.name: one.group for one in found.fitted.muscles}
    names: list[str] = []
    columns = []
    for row in found.forces.rows:
        shares = moment_shares(found.model, found.forces, row)
        whole, torque = shares.grouped(groups)
        names += [f"{row}: {name} (N m)" for name in whole]
        columns += list(torque.T)
        if np.nan_to_num(shares.ribs).any():
            names.append(f"{row}: push of the ribs (N m)")
            columns.append(shares.ribs)
    values = np.stack(columns, axis=1) if columns else np.zeros((found.forces.frames, 0))
    return table_text(["frame", "time_s", "status", *names], _rows(analysis), values)


def muscle_work_csv(analysis: Analysis) -> str:
    """Work and power of every muscle, over the frames in which the loads of its joints can be used."""
    found = analysis.muscles
    work = found.work
    head = [[one.name, one.sided_title, one.group] for one in found.fitted.muscles]
    low, high = work.extremes
    columns = ["muscle", "title", "group", "time counted (s)", "work given (J)", "work taken (J)", "net work (J)",
               "greatest power (W)", "least power (W)"]  # fmt: skip
    values = np.stack([work.seconds, work.given, work.taken, work.given - work.taken, high, low], axis=1)
    return table_text(columns, head, values)


OF_MUSCLES = {
    "muscles.csv": muscles_csv,
    "contact_forces.csv": contact_forces_csv,
    "moment_shares.csv": moment_shares_csv,
    "muscle_work.csv": muscle_work_csv,
    "muscle_set.csv": muscle_set_csv,
}
"""Files that are written where muscle forces were found."""


def write_muscle_tables(analysis: Analysis, folder: Path, *, overwrite: bool = False) -> tuple[Path, ...]:
    """Write the tables of muscles alone into a folder, all or none; nothing is overwritten unless asked for."""
    there = [name for name in OF_MUSCLES if (folder / name).exists()]
    if there and not overwrite:
        words = f"it holds {', '.join(there)} already. Choose another folder, or overwrite them."
        raise FileError(folder.name, words, ("overwrite", ""))
    with replaced_together(folder, next(iter(OF_MUSCLES)), OF_MUSCLES) as stage:
        for name, made in OF_MUSCLES.items():
            (stage / name).write_text(made(analysis), encoding="utf-8")
    return tuple(folder / name for name in OF_MUSCLES)


def _rows(analysis: Analysis) -> list[list[str | int]]:
    status = (STATUS_WORDS[int(number)] for number in analysis.muscles.forces.status)
    return [[*head, words] for head, words in zip(by_frame(analysis.signals.trial), status, strict=True)]
