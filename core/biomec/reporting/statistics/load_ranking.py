"""Variants of an exercise ordered by what they ask of the joints: an aid for prescribing one.            [Nunes2017]

Two things load a joint outside its way of working: force that pulls it apart or shears it, held by ligaments, capsule
and muscles, and, in hinges, torque off the axis. They are the burden of a joint. The moment by which it works is what
an exercise trains.

    soft-tissue force   √(traction² + shear²), the joint force without its compression
    off-axis torque     of hinges only
    working moment      about the axis of a hinge, otherwise the whole moment

All are read as the mean over cycles of each cycle's largest value, per kilogram of the person. To put joints together,
every value is divided by its mean over the exercises compared, so that 1 is the average exercise; burden and working
moment are plain means of these ratios over joints. No joint is given more weight than another.

    patient : the least burden comes first
    athlete : the most working moment for its burden comes first
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.joint_stress import JointStress
from biomec.body.loads.load_statistics import load_statistics, mean_and_deviation
from biomec.reporting.tables import Table, number

READINGS = ("patient", "athlete")
FORCES = ("compression", "traction", "shear", "soft tissue")
MOMENTS = ("off axis", "working")


@dataclass(frozen=True, eq=False)
class ExerciseLoad:
    """What one exercise asks of the joints; arrays are read-only.

    joints : (J,)
    force  : kind -> (J,) [N/kg]: compression, traction, shear, soft tissue
    moment : kind -> (J,) [N m/kg]: off axis (NaN where the joint is not a hinge), working
    cycles : behind the means
    """

    title: str
    joints: tuple[str, ...]
    force: Mapping[str, FloatArray]
    moment: Mapping[str, FloatArray]
    cycles: int


@dataclass(frozen=True, eq=False)
class ExerciseRanking:
    """Exercises beside each other; arrays are read-only.

    exercises : (E,);  joints : (J,) that were judged
    burden, working : (E,) relative to the mean of the exercises, which is 1
    """

    exercises: tuple[ExerciseLoad, ...]
    joints: tuple[str, ...]
    burden: FloatArray
    working: FloatArray

    def order(self, reading: str = "patient") -> tuple[str, ...]:
        """Titles of the exercises, the most suitable first."""
        if reading not in READINGS:
            raise BiomecError(f'Exercises are ordered for {" or ".join(READINGS)}, not "{reading}".')
        score = self.burden if reading == "patient" else -self.working / self.burden
        return tuple(self.exercises[k].title for k in np.argsort(score, kind="stable"))

    @property
    def sentences(self) -> tuple[str, str]:
        """Both orders in words."""
        patient, athlete = (", ".join(self.order(reading)) for reading in READINGS)
        return (
            f"For a patient, the gentlest first: {patient}.",
            f"For an athlete, the most work for its burden first: {athlete}.",
        )

    def table(self) -> Table:
        """Burden and working moment of every exercise, and its places."""
        places = {reading: self.order(reading) for reading in READINGS}
        rows = [
            (
                one.title,
                number(float(self.burden[k]), 2),
                number(float(self.working[k]), 2),
                *(str(places[reading].index(one.title) + 1) for reading in READINGS),
                str(one.cycles),
            )
            for k, one in enumerate(self.exercises)
        ]
        note = (
            f"Judged by {', '.join(self.joints)}. Burden: traction, shear and torque off the axis of hinges; 1 is the "
            "mean of the exercises compared. A patient's joint is spared by the least burden; an athlete gets the most "
            "working moment for the burden. Forces are the least that the motion asks for, without those of muscles "
            "that work against each other. The order compares these exercises only; it does not say what is safe."
        )
        columns = ("Exercise", "Burden", "Working moment", "Place, patient", "Place, athlete", "Cycles")
        return Table("Exercises by joint load", columns, tuple(rows), note)

    def joint_table(self) -> Table:
        """Every joint in every exercise: the forces and moments behind the order."""
        rows = []
        for joint in self.joints:
            for one in self.exercises:
                j = one.joints.index(joint)
                forces = (number(float(one.force[kind][j]), 2) for kind in FORCES)
                moments = (number(float(one.moment[kind][j]), 3) for kind in MOMENTS)
                rows.append((f"{joint[0].upper()}{joint[1:]}", one.title, *forces, *moments))
        columns = (
            "Joint", "Exercise", "Compression [N/kg]", "Traction [N/kg]", "Shear [N/kg]", "Soft tissue [N/kg]",
            "Off-axis torque [N·m/kg]", "Working moment [N·m/kg]",
        )  # fmt: skip
        note = "Largest value of each cycle, mean over cycles. Soft tissue: joint force without its compression."
        return Table("Joints in each exercise", columns, tuple(rows), note)


def exercise_load(
    title: str,
    loads: JointLoads,
    stress: JointStress,
    spans: ArrayLike,
    rate_hz: float,
    mass_kg: float,
    counted: BoolArray | None = None,
) -> ExerciseLoad:
    """Sum up one exercise over its cycles (K, 2), first and last frame of each.

    counted : (K, J) cycles that count for a joint of ``stress``; all, if not given
    """
    if not mass_kg > 0.0:
        raise BiomecError(f"{title}: the body mass is {mass_kg} kg; it must be positive.")
    joints = stress.joints
    torque = np.linalg.norm(loads.torque[:, [loads.index(joint) for joint in joints]], axis=2)
    off = np.full(torque.shape, np.nan)
    for k, joint in enumerate(stress.hinges):
        if joint in joints:
            off[:, joints.index(joint)] = stress.off_axis[:, k]
            torque[:, joints.index(joint)] = np.abs(stress.about_axis[:, k])

    def largest(values: FloatArray) -> FloatArray:
        highest = load_statistics(joints, values, spans, rate_hz).highest
        kept = highest if counted is None else np.where(counted, highest, np.nan)
        return read_only(mean_and_deviation(kept)[0] / mass_kg)

    forces = {
        "compression": stress.compression,
        "traction": stress.traction,
        "shear": stress.shear,
        "soft tissue": np.hypot(stress.traction, stress.shear),
    }
    cycles = int(np.asarray(spans).size) // 2
    return ExerciseLoad(
        title,
        joints,
        FrozenDict({kind: largest(values) for kind, values in forces.items()}),
        FrozenDict({"off axis": largest(off), "working": largest(torque)}),
        cycles,
    )


def rank_exercises(exercises: Sequence[ExerciseLoad], joints: Sequence[str] | None = None) -> ExerciseRanking:
    """Put exercises beside each other.

    joints : to be judged by; all that every exercise has, if not given
    """
    if len(exercises) < 2 or len({one.title for one in exercises}) < len(exercises):
        raise BiomecError("An order needs at least two exercises with different names.")
    shared = [joint for joint in exercises[0].joints if all(joint in one.joints for one in exercises)]
    chosen = tuple(shared if joints is None else joints)
    missing = [joint for joint in chosen if joint not in shared]
    if missing or not chosen:
        raise BiomecError(
            f"Not every exercise has loads of {', '.join(missing) or 'any joint'}; all have "
            f"{', '.join(shared) or 'none'}."
        )

    def relative(kind: str, of: str) -> FloatArray:
        """(E, J) values as parts of their mean over the exercises; NaN where a joint has none."""
        values = np.array([[getattr(one, of)[kind][one.joints.index(joint)] for joint in chosen] for one in exercises])
        mean = values.mean(axis=0)
        return np.asarray(values / np.where(mean > 0.0, mean, np.nan))

    held, off, working = relative("soft tissue", "force"), relative("off axis", "moment"), relative("working", "moment")
    return ExerciseRanking(
        tuple(exercises), chosen, read_only(_mean(np.concatenate([held, off], axis=1))), read_only(_mean(working))
    )


def _mean(values: FloatArray) -> FloatArray:
    """(E,) mean over the columns that every exercise has."""
    whole = values[:, np.isfinite(values).all(axis=0)]
    if not whole.shape[1]:
        raise BiomecError("The exercises cannot be ordered: no cycle of theirs has loads throughout.")
    return np.asarray(whole.mean(axis=1))
