"""Cycles of a signal and in numbers.

Which cycles belong to a signal, how many are behind its mean, and why others are not; how long cycles are, and what
every angle does in them; the ground reaction over one cycle, as measured and filtered, in parts of the body weight
([Nunes2017] Fig. 3.14).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.physics import GRAVITY
from biomec.body.kinematics.joint_angles import JointAngles
from biomec.recording import ForcePlate
from biomec.recording.marker_set import Side
from biomec.reporting.statistics.angle_ranges import CYCLES_OF, angle_range, angle_rows, cycle_curves, cycle_sides
from biomec.reporting.tables import Table, degrees, number, with_spread
from biomec.signals.cycle_average import PERCENT_POINTS, CycleCurves, resample_cycles
from biomec.signals.cycles import Cycles

NOT_CONVERGED, BY_HAND, MISSING = "not converged", "taken out by hand", "signal missing"


@dataclass(frozen=True, eq=False)
class SignalCycles:
    """The cycles of one signal on the common grid of 0 to 100 %.

    name   : whose cycles they are: "Right", "Left" or "both"
    curves : of the one signal, (K, N)
    """

    name: str
    cycles: Cycles
    curves: CycleCurves

    @property
    def used(self) -> int:
        """Cycles behind mean and standard deviation."""
        return int(self.curves.count)

    @property
    def words(self) -> str:
        """How many cycles, and why others are left out."""
        counted = cycles_in_words(self.used, left_out(self.cycles, self.used))
        return f"{counted}, {self.cycles.source}" if self.cycles.source else counted


def signal_cycles(
    cycles: Mapping[str, Cycles],
    side: Side | None,
    time_s: FloatArray,
    values: FloatArray,
    samples: int | None = PERCENT_POINTS,
) -> SignalCycles | None:
    """Lay the cycles of a signal over each other: those of its own side, or those of both; None if there is none.

    time_s, values : (N,) on any clock with equal steps whose zero is the first frame of the cycles
    samples        : of the curves, as `resample_cycles`
    """
    for name in CYCLES_OF[side]:
        found = cycles.get(name)
        if found is None or not found.valid.any() or len(time_s) < 2:
            continue
        same = len(time_s) == found.frames
        rate = None if same else (len(time_s) - 1) / float(time_s[-1] - time_s[0])
        curves = resample_cycles(found, values, samples, rate_hz=rate, start_s=0.0 if same else float(time_s[0]))
        if int(curves.count):
            return SignalCycles(name, found, curves)
    return None


def left_out(cycles: Cycles, used: int) -> dict[str, int]:
    """Why cycles are not among the ``used`` ones -> how many; a reason without any is not in it."""
    by_hand = sum(int(first) in cycles.excluded for first in cycles.spans[:, 0])
    valid = int(np.count_nonzero(cycles.valid))
    others = Counter(why for first, why in cycles.left_out.items() if first not in cycles.excluded)
    failed = len(cycles) - valid - by_hand - others.total()
    counts = {NOT_CONVERGED: failed, BY_HAND: by_hand, **others, MISSING: valid - used}
    return {why: count for why, count in counts.items() if count > 0}


def cycles_in_words(used: int, without: Mapping[str, int]) -> str:
    """Say how many cycles count: "5 cycles", or "5 cycles, 1 left out: not converged"."""
    counted = f"{used} cycle{'' if used == 1 else 's'}"
    if len(without) == 1:
        ((why, count),) = without.items()
        return f"{counted}, {count} left out: {why}"
    if without:
        reasons = ", ".join(f"{count} {why}" for why, count in without.items())
        return f"{counted}, {sum(without.values())} left out: {reasons}"
    return counted


# --------------------------------------------------------------------------------------------------------------- tables


def cycle_table(cycles: Mapping[str, Cycles], first_frame: int = 1) -> Table:
    """Every cycle: frames, duration, foot off or change of phase, and whether it counts. Sides are named."""
    rows = []
    for name, one in cycles.items():
        parts = zip(one.spans, one.durations_s, one.phase_changes_percent, one.valid, strict=True)
        for k, ((first, last), seconds, phase, ok) in enumerate(parts, start=1):
            label = str(k) if name == "both" else f"{name.lower()} {k}"
            frames = f"{first_frame + int(first)} to {first_frame + int(last)}"
            why = BY_HAND if int(first) in one.excluded else NOT_CONVERGED
            counts = "yes" if ok else f"no, {why}"
            rows.append((label, frames, number(float(seconds), 3), number(float(phase), 1), counts))
    note = " ".join(_durations(name, one) for name, one in cycles.items() if len(one)) or "No cycles were found."
    phase = next((one.phase for one in cycles.values()), "phase change")
    columns = ("Cycle", "Frames", "Duration [s]", f"{_sentence(phase)} at [%]", "Valid")
    return Table("Cycles", columns, tuple(rows), note)


def _durations(name: str, cycles: Cycles) -> str:
    """Mean and standard deviation of the valid cycles of one side, in a sentence."""
    whose = "" if name == "both" else f"{name} side: "
    durations = cycles.durations_s[cycles.valid]
    counted = cycles_in_words(durations.size, left_out(cycles, durations.size))
    if not durations.size:
        return _sentence(f"{whose}no cycle is valid throughout ({counted}).")
    if durations.size == 1:
        return _sentence(f"{whose}the cycle lasts {number(float(durations[0]), 3)} s ({counted}).")
    lasts = with_spread(float(durations.mean()), float(durations.std(ddof=1)), 3)
    return _sentence(f"{whose}a cycle lasts {lasts} s (mean ± SD of {counted}).")


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def angle_table(angles: JointAngles, curves: Mapping[str, CycleCurves]) -> Table:
    """Every angle over its valid cycles: mean lowest and highest, range ± SD, and mean SD of the curve [°].

    An angle of a side is judged by the cycles of that side, and one of the midline once by those of each side, which
    are named: cycles of right and left are never mixed.
    The column before the last is the mean over 0-100 % of the standard deviation between cycles: how well they repeat.
    """
    rows = []
    for row in angle_rows(angles):
        shown = [(side, name, own) for own, name in row.sides.items() for side in cycle_sides(curves, own)]
        for side, name, own in shown:
            found = angle_range(angles, name, curves, side)
            chosen = cycle_curves(curves, side)
            whose = next((one for one in CYCLES_OF[side] if one in curves), "")
            repeats = float("nan")
            if chosen is not None:
                sd = chosen.sd[:, angles.names.index(name)]
                repeats = float(sd[np.isfinite(sd)].mean()) if np.isfinite(sd).any() else float("nan")
            rows.append(
                (
                    _sentence(name) + (f", {side.value} cycles" if own is None and side is not None else ""),
                    degrees(found.lowest),
                    degrees(found.highest),
                    degrees(found.range),
                    degrees(found.spread),
                    degrees(repeats),
                    f"{found.cycles} {whose.lower()}"
                    if whose in ("Right", "Left") and found.cycles
                    else str(found.cycles),
                )
            )
    columns = ("Angle", "Lowest [°]", "Highest [°]", "Range [°]", "SD of range [°]", "SD of curve [°]", "Cycles")
    note = (
        "Means over the valid cycles, of each side its own."
        if curves
        else "Over all valid frames; there are no valid cycles."
    )
    return Table("Angles", columns, tuple(rows), note)


# --------------------------------------------------------------------------------------- ground reaction over one cycle


CHANNELS = ("force X", "force Y", "force Z", "moment X", "moment Y", "moment Z")


@dataclass(frozen=True, eq=False)
class PlateCycle:
    """Six channels over a stretch of time; arrays are read-only.

    time_s        : (N,) on the clock of the trial [s]
    raw, filtered : (N, 6) force in % of the body weight, moment about the plate's origin in % of body weight × metre
    weight_n      : body weight [N]
    """

    plate: str
    time_s: FloatArray
    raw: FloatArray
    filtered: FloatArray
    weight_n: float


def plate_cycle(
    measured: ForcePlate, filtered: ForcePlate, mass_kg: float, first_s: float, last_s: float
) -> PlateCycle:
    """Force and moment of a plate between two times, divided by m g."""
    if not mass_kg > 0.0:
        raise BiomecError(f"The body mass is {mass_kg:g} kg; forces cannot be given in parts of it.")
    if measured.force.shape != filtered.force.shape or measured.rate_hz != filtered.rate_hz:
        raise BiomecError(f"Plate {measured.name}: measured and filtered samples are not on the same clock.")
    time = measured.time_s
    within = np.asarray((time >= first_s - 1e-9) & (time <= last_s + 1e-9))
    if not within.any():
        raise BiomecError(f"Plate {measured.name} has no samples from {first_s:.2f} s to {last_s:.2f} s.")
    weight = mass_kg * GRAVITY
    raw, smooth = (
        read_only(100.0 * np.concatenate([plate.force, plate.moment], axis=1)[within] / weight)
        for plate in (measured, filtered)
    )
    return PlateCycle(measured.name, read_only(time[within]), raw, smooth, weight)
