"""How far muscle forces can be trusted: reserves, strength, fibres, sockets and scaling, in figures and in one verdict.

Also the greatest contact forces, over frames in which the loads of a joint can be used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray
from biomec.base.notices import Grade, worst_grade
from biomec.body.loads.load_trust import TrustedFrames
from biomec.body.muscles.fitting import FittedMuscles
from biomec.body.muscles.joint_contact import JointContacts
from biomec.body.muscles.muscle_forces import MuscleForces
from biomec.body.muscles.sharing import INFEASIBLE
from biomec.body.muscles.sharing_model import SharingModel
from biomec.body.muscles.shortages import ACCEPTED_NM, ACCEPTED_SHARE, SATURATED, SLIPPING_N
from biomec.engine.forces.hill_muscle import FAST, SHORT, SLACK, STRETCHED

STATES = {
    "at full strength": None,
    "slack: the path is shorter than the tendon": SLACK,
    "shorter than 0.4 of the optimal length": SHORT,
    "stretched beyond 1.6 of the optimal length": STRETCHED,
    "faster than their fibres can go": FAST,
}
"""What may be wrong with a muscle -> its state in `biomec.engine.forces.hill_muscle`."""
GOOD_SHARE, CHECK_SHARE = 0.05, 0.25  # of the frames, in which reserves exceed what a diagnostic may be
SATURATED_SHARE = 0.1  # of the frames in which a muscle may be at its full strength


@dataclass(frozen=True)
class ReserveFigure:
    """The torque of one row that no muscle carries.

    torque : in the sense of the greatest reserve, such as "right elbow extension";  row : its name among the rows
    largest_Nm, wanted_Nm : greatest reserve, and greatest net torque in that sense
    share  : of the frames in which the reserve is more than 5 % of that torque, and more than 1 N·m
    """

    torque: str
    largest_Nm: float
    wanted_Nm: float
    share: float
    row: str


@dataclass(frozen=True)
class MuscleTrust:
    """What speaks for and against muscle forces.

    grade, verdict : for a clinician
    frames, solved : with a motion and joint loads, and those of them that were solved
    reserves : of every row, the worst first
    states   : what is wrong -> muscle -> share of the frames
    slips    : joint -> share of the frames in which muscles do not keep it in its socket
    clipped, unknown : segments whose scaling was limited, or rests on other lengths
    """

    grade: Grade
    verdict: str
    frames: int
    solved: int
    reserves: tuple[ReserveFigure, ...]
    states: Mapping[str, Mapping[str, float]]
    slips: Mapping[str, float]
    clipped: tuple[str, ...]
    unknown: tuple[str, ...]


def muscle_trust(
    model: SharingModel, forces: MuscleForces, fitted: FittedMuscles, doubts: tuple[str, ...] = ()
) -> MuscleTrust:
    """Judge muscle forces.

    doubts : sentences about the loads that were shared, each a reason to read with care
    """
    there = forces.moving
    reserves = _reserves(forces, model.rows.opposite, there)
    states = {
        words: _shares(forces, np.asarray(
            np.nan_to_num(forces.activation) >= SATURATED if state is None else model.rigid.state == state), there)
        for words, state in STATES.items()
    }  # fmt: skip
    slipping = np.nan_to_num(forces.slip) > SLIPPING_N
    slips = {
        joint: float(slipping[there, g].mean())
        for g, joint in enumerate(forces.sockets)
        if there.any() and slipping[there, g].any()
    }
    clipped = tuple(one.segment for one in fitted.scales if one.clipped)
    unknown = tuple(one.segment for one in fitted.scales if one.missing)
    titles = {one.name: one.sided_title for one in fitted.muscles}
    wrong = {one.muscle for one in fitted.signs}
    if wrong:
        doubts = (*doubts, f"{len(wrong)} muscles pull a joint the wrong way, or hardly at all, in part of its range.")
    grades, reasons = _judged(forces, reserves, states, slips, clipped, titles)
    if doubts and grades[0] != Grade.NOT_JUDGED:
        grades, reasons = [*grades, Grade.CHECK], [*reasons, *doubts]
    grade = worst_grade(grades)
    return MuscleTrust(
        grade, _verdict(grade, reasons), int(there.sum()), int(forces.solved.sum()), reserves,
        {words: found for words, found in states.items() if found}, slips, clipped, unknown,
    )  # fmt: skip


def _reserves(forces: MuscleForces, opposite: tuple[str, ...], there: BoolArray) -> tuple[ReserveFigure, ...]:
    found = []
    for k, row in enumerate(forces.rows):
        reserve, wanted = (np.nan_to_num(one[there, k]) for one in (forces.reserve, forces.wanted))
        if not reserve.size:
            found.append(ReserveFigure(row, 0.0, 0.0, 0.0, row))
            continue
        sense = -1.0 if reserve[np.abs(reserve).argmax()] < 0.0 else 1.0
        beyond = np.abs(reserve) > max(ACCEPTED_SHARE * float(np.abs(wanted).max()), ACCEPTED_NM)
        title = row if sense > 0.0 else opposite[k]
        largest, peak = float(np.abs(reserve).max()), max(float((sense * wanted).max()), 0.0)
        found.append(ReserveFigure(title, largest, peak, float(beyond.mean()), row))
    return tuple(sorted(found, key=lambda one: (-one.share, -one.largest_Nm)))


def _shares(forces: MuscleForces, where: BoolArray, there: BoolArray) -> dict[str, float]:
    """Muscle -> share of the frames in which something holds, the most frequent first."""
    if not there.any():
        return {}
    share = where[there].mean(axis=0)
    order = np.argsort(-share, kind="stable")
    return {forces.names[m]: float(share[m]) for m in order if share[m] > 0.0}


def _judged(
    forces: MuscleForces,
    reserves: tuple[ReserveFigure, ...],
    states: Mapping[str, Mapping[str, float]],
    slips: Mapping[str, float],
    clipped: tuple[str, ...],
    titles: Mapping[str, str],
) -> tuple[list[Grade], list[str]]:
    """Grades, and sentences for those that are not good; ``titles``: name of a muscle -> what people call it."""
    if not forces.moving.any():
        return [Grade.NOT_JUDGED], ["No frame has a motion and joint loads."]
    grades, reasons = [Grade.GOOD], []
    missed = int(forces.moving.sum() - forces.solved.sum())
    if missed:
        few = missed <= GOOD_SHARE * forces.moving.sum()
        grades.append(Grade.CHECK if few else Grade.POOR)
        weak = int((forces.status == INFEASIBLE).sum())
        why = f", {weak} of them for lack of strength" if weak else ""
        reasons.append(f"{missed} frames have no exact solution{why}.")
    lacking = [one for one in reserves if one.share > GOOD_SHARE]
    if lacking:
        grades.append(Grade.POOR if lacking[0].share > CHECK_SHARE else Grade.CHECK)
        named = ", ".join(f"{one.torque} ({one.largest_Nm:.0f} of {one.wanted_Nm:.0f} N·m)" for one in lacking[:3])
        more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
        reasons.append(
            f"Muscles do not carry all of these torques: {named}{more}. Do not read muscles of these joints."
        )
    full = [name for name, share in states["at full strength"].items() if share > SATURATED_SHARE]
    if full:
        grades.append(Grade.CHECK)
        reasons.append(f"{len(full)} muscles are at their full strength for long, most of all {titles[full[0]]}.")
    slack = states["slack: the path is shorter than the tendon"]
    often = [name for name, share in slack.items() if share > SATURATED_SHARE]
    if often:
        grades.append(Grade.CHECK)
        reasons.append(
            f"{len(often)} muscles are slack for long, most of all {titles[often[0]]}; others do their work."
        )
    if slips:
        grades.append(Grade.CHECK)
        reasons.append(f"Muscles do not always keep the {' and the '.join(slips)} joint in its socket.")
    if clipped:
        grades.append(Grade.CHECK)
        reasons.append(f"The size of {', '.join(clipped)} is far from that of the source.")
    return grades, reasons


WORDS = {
    Grade.GOOD: "Muscles carry the torques, and none is beyond its strength or length for long.",
    Grade.CHECK: "Muscle forces can be read with care.",
    Grade.POOR: "Some muscle forces cannot be read.",
    Grade.NOT_JUDGED: "Muscle forces cannot be judged.",
}


def _verdict(grade: Grade, reasons: list[str]) -> str:
    return " ".join((WORDS[grade], *reasons))


@dataclass(frozen=True)
class ContactPeak:
    """Greatest contact force of a joint.

    force_N, net_N : with muscles, and without, each in its own worst frame;  frame : of the first, from 0
    times_weight, net_times_weight : the same over the body weight
    frames : over which they were taken; none where the joint's loads cannot be used
    at_least : whether torque was lacking in any of them, so that the joint bears more than that
    """

    joint: str
    force_N: float
    net_N: float
    times_weight: float
    net_times_weight: float
    frame: int
    frames: int
    at_least: bool = False


def contact_peaks(
    contacts: JointContacts, frames_of: Mapping[str, TrustedFrames], least: BoolArray | None = None
) -> tuple[ContactPeak, ...]:
    """Greatest contact forces of joints that muscles cross, over the best frames of their loads, from the ends inwards.

    Joints without any such frame have none.

    least : (T, J) where contact forces are only a lower bound (`biomec.body.muscles.lacking.lower_bounds`)
    """
    found = []
    weight = contacts.body_weight
    for j, joint in enumerate(contacts.joints):
        known = np.isfinite(contacts.size[:, j])
        taken = known & frames_of[joint].best if joint in frames_of else known
        if not taken.any() or not contacts.crossed[j]:
            continue
        size, net = (np.where(taken, one[:, j], 0.0) for one in (contacts.size, contacts.net_size))
        high, low = float(size.max()), float(net.max())
        bound = least is not None and bool((least[:, j] & taken).any())
        found.append(
            ContactPeak(joint, high, low, high / weight, low / weight, int(size.argmax()), int(taken.sum()), bound)
        )  # fmt: skip
    return tuple(found)
