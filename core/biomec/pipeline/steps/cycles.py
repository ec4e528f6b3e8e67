"""The cycles of the movement, and the mean curves of those whose frames are all good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, Scope, info, warning
from biomec.body.kinematics.joint_angles import JointAngles
from biomec.pipeline.settings import AUTO, CANDIDATES, EVENTS, NONE, CycleSettings
from biomec.pipeline.steps.signals import CleanSignals
from biomec.recording import Result
from biomec.recording.step import step_result
from biomec.signals import CycleCurves, Cycles, cycles_between_events, find_cycles, resample_cycles
from biomec.signals.cycle_average import chosen_cycles

SIDES = ("Right", "Left")


@dataclass(frozen=True, eq=False)
class FoundCycles:
    """Cycles of the movement.

    by     : what borders them: an angle, "events", or "none"
    groups : name ("Right", "Left" for steps of a side, "both" for an angle) -> cycles
    curves : the same names -> mean curves (samples, angles) of the valid cycles; a name without any is not in it
    """

    by: str
    groups: Mapping[str, Cycles]
    curves: Mapping[str, CycleCurves]
    options: CycleSettings
    notices: tuple[Notice, ...]

    @property
    def found(self) -> int:
        """Number of cycles."""
        return sum(len(one) for one in self.groups.values())

    @property
    def phase(self) -> str:
        """What changes the phase within a cycle, in words: "foot off" between steps, else "phase change"."""
        return next((one.phase for one in self.groups.values()), "phase change")

    @property
    def valid(self) -> int:
        """Number of cycles whose frames all obey the model."""
        return sum(int(one.valid.sum()) for one in self.groups.values())

    def without(self, excluded: Mapping[str, Iterable[int]]) -> FoundCycles:
        """Cycles without those that were taken out by hand: group -> first frames, from 0."""
        groups, curves = dict(self.groups), dict(self.curves)
        for name, frames in excluded.items():
            one = groups.get(name)
            if one is None:
                continue
            groups[name] = replace(one, excluded=(*one.excluded, *frames))
            if name in curves:
                kept = chosen_cycles(curves[name], groups[name].valid[curves[name].numbers])
                curves[name] = kept
                if not len(kept.numbers):
                    del curves[name]
        return replace(self, groups=groups, curves=curves)

    def to_result(self) -> Result:
        """Return what a session stores: borders, validity and mean curves."""
        arrays: dict[str, NDArray[Any]] = {}
        for name, group in self.groups.items():
            arrays[f"{name} spans"] = group.spans
            arrays[f"{name} valid"] = group.valid
        for name, curves in self.curves.items():
            arrays[f"{name} mean"] = curves.mean
            arrays[f"{name} sd"] = curves.sd
        return step_result(arrays, self.options, self.notices, by=self.by, found=self.found, valid=self.valid)


def cycles(
    clean: CleanSignals, angles: JointAngles, valid: BoolArray, settings: CycleSettings = CycleSettings()
) -> FoundCycles:
    """Find cycles. Only those count whose frames are all ``valid`` (T,)."""
    by, found = _cycles(clean, angles, valid, settings)
    curves = {
        name: resample_cycles(one, angles.values, settings.points) for name, one in found.items() if one.valid.any()
    }
    notices = [notice for one in found.values() for notice in one.notices]
    notices += [notice for one in curves.values() for notice in one.notices]
    if found:
        notices.append(info("cycles", _told(found, by)))
    if clean.travels and not any(len(one) for one in found.values()) and settings.by != NONE:
        words = "The recording holds no whole gait cycle: a foot must strike the ground twice. Record longer."
        notices.append(warning("no-whole-cycle", words, scope=Scope.RECORDING))
    return FoundCycles(by, found, curves, settings, tuple(notices))


def _told(found: Mapping[str, Cycles], by: str) -> str:
    """How many cycles there are, and how many of them count."""
    count, good = sum(len(one) for one in found.values()), sum(int(one.valid.sum()) for one in found.values())
    if count == 1:
        return f"1 cycle was found by {by}; it is {'valid' if good else 'not valid'} throughout."
    are = "is" if good == 1 else "are"
    return f"{count} cycles were found by {by}; {good} of them {are} valid throughout."


def _cycles(
    clean: CleanSignals, angles: JointAngles, valid: BoolArray, settings: CycleSettings
) -> tuple[str, dict[str, Cycles]]:
    rate = clean.trial.rate_hz
    if settings.by == NONE:
        return NONE, {}
    if settings.by in (EVENTS, AUTO):
        steps = {}
        for side in SIDES:
            strikes = [e for e in clean.events.events if e.label == "Foot Strike" and e.context == side]
            if len(strikes) > 1 or settings.by == EVENTS:
                steps[side] = cycles_between_events(
                    clean.events.events, clean.trial.frames, rate, context=side, frame_valid=valid
                )
        if any(len(one) for one in steps.values()) or settings.by == EVENTS:
            return EVENTS, steps
    for angle in CANDIDATES if settings.by == AUTO else (settings.by,):
        signal = _mean_of_sides(angles, angle)
        if signal is None:
            continue
        between = find_cycles(signal, rate, settings.options, valid)
        if len(between) or settings.by != AUTO:
            return angle, {"both": between}
    if settings.by != AUTO:
        raise BiomecError(f"There is no angle {settings.by} to find cycles with; there are {', '.join(angles.names)}.")
    return NONE, {}


def _mean_of_sides(angles: JointAngles, angle: str) -> FloatArray | None:
    """Mean (T,) of an angle over the sides that have it, or of the angle of that very name."""
    wanted = [name for name in (angle, f"right {angle}", f"left {angle}") if name in angles.names]
    return np.asarray(np.mean([angles[name] for name in wanted], axis=0)) if wanted else None
