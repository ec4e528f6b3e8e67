"""How much of an answer rests on what nobody measured: the strength of the muscles, and the criterion of sharing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import BoolArray
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.progress import Progress, part_of
from biomec.body.muscles.joint_contact import joint_contacts
from biomec.body.muscles.lacking import joints_at_least, lower_bounds
from biomec.body.muscles.muscle_forces import MuscleForces, muscle_forces
from biomec.body.muscles.sharing_options import CRITERIA, SharingOptions
from biomec.body.muscles.some_frames import ENOUGH, emg_of_frames, model_of_frames, motion_of_frames, telling_frames
from biomec.body.muscles.what_if import MuscleQuestion

STRENGTHS = (0.8, 1.25)
"""Factors of all Fmax that are tried; those of a person are hardly known better."""


@dataclass(frozen=True, eq=False)
class Assumption:
    """One other assumption, and what it changes.

    title       : in words
    contact     : joint -> greatest contact force over that of the assumption made, minus one; without joints whose
                  torque is lacking, for their contact is only a lower bound
    activation  : mean absolute change of activations
    reserve_Nm  : greatest reserve torque
    solved      : share of the frames that could be solved
    """

    title: str
    contact: Mapping[str, float]
    activation: float
    reserve_Nm: float
    solved: float

    @property
    def largest(self) -> tuple[str, float]:
        """Joint whose contact force changes most, and by how much; an empty name without joints."""
        if not self.contact:
            return "", 0.0
        return max(self.contact.items(), key=lambda one: abs(one[1]))


@dataclass(frozen=True, eq=False)
class MuscleSensitivity:
    """Other assumptions beside the one that was made; ``frames`` : that were solved for each."""

    assumptions: tuple[Assumption, ...]
    frames: int

    def range(self, joint: str) -> tuple[float, float]:
        """Least and greatest change of a joint's greatest contact force over all assumptions."""
        found = [one.contact[joint] for one in self.assumptions if joint in one.contact]
        return (min(0.0, *found), max(0.0, *found)) if found else (0.0, 0.0)


def muscle_sensitivity(
    question: MuscleQuestion, most: int = ENOUGH, counted: BoolArray | None = None, progress: Progress | None = None
) -> MuscleSensitivity:
    """Solve the telling frames again with weaker and stronger muscles and with the other criteria.

    counted : (T,) frames whose loads can be relied on
    """
    frames = telling_frames(question.model, most, counted)
    if not frames.size:
        raise BiomecError("No frame has a motion and joint loads, so that nothing can be compared.")
    model = model_of_frames(question.model, frames)
    motion, emg = motion_of_frames(question.motion, frames), emg_of_frames(question.emg, frames)
    others = _others(question.options)

    def solved(options: SharingOptions, part: int) -> tuple[MuscleForces, dict[str, float]]:
        count = len(others) + 1
        forces = muscle_forces(model, options, emg=emg, progress=part_of(progress, part / count, (part + 1) / count))
        contacts = joint_contacts(model, forces, motion, question.body)
        bounds = joints_at_least(contacts, lower_bounds(model, forces))
        return forces, {joint: peak for joint, (peak, _) in contacts.peaks().items() if joint not in bounds}

    base, peaks = solved(question.options, 0)
    found = []
    for k, (title, options) in enumerate(others.items(), 1):
        forces, there = solved(options, k)
        contact = {joint: there[joint] / peak - 1.0 for joint, peak in peaks.items() if joint in there and peak > 0.0}
        difference = np.abs(forces.activation - base.activation)
        change = float(np.nanmean(difference)) if np.isfinite(difference).any() else float("nan")
        share = float(forces.solved.mean())
        found.append(Assumption(title, FrozenDict(contact), change, forces.largest_reserve_Nm, share))
    return MuscleSensitivity(tuple(found), len(frames))


def _others(options: SharingOptions) -> dict[str, SharingOptions]:
    """Title -> options that differ in one assumption."""
    found = {
        f"all muscles {100.0 * abs(factor - 1.0):.0f} % {'weaker' if factor < 1.0 else 'stronger'}": replace(
            options, strength=options.strength * factor
        )
        for factor in STRENGTHS
    }
    for name, (words, _) in CRITERIA.items():
        if name != options.criterion:
            found[f"criterion {words}"] = replace(options, criterion=name)
    return found
