"""Questions about the aids of an analysis: what if they were others, and which springs fit a measured moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.body.loads.aid_what_if import AidComparison, AidsAsRecorded, AidVariant, compare_aids, usual_variants
from biomec.body.loads.device_calibration import USUAL, DeviceCalibration, calibrated_device
from biomec.io.registry import read_trial
from biomec.pipeline.analysis import Analysis, run_first
from biomec.pipeline.steps.loads import tree_of
from biomec.pipeline.steps.segments import determined_motion
from biomec.recording import Analog, ForcePlate
from biomec.signals.plate_resampling import plate_at_frames

UNITS = {"n·m": 1.0, "nm": 1.0, "n m": 1.0, "n*m": 1.0, "": 1.0, "n·mm": 1e-3, "nmm": 1e-3, "n mm": 1e-3}
"""Unit of a moment as channels write it -> N m."""


def aids_as_recorded(analysis: Analysis) -> AidsAsRecorded:
    """What variants of aids start from."""
    if not analysis.is_current("loads"):
        raise BiomecError(f"{run_first('loads')[:-1]}: What If for Aids needs the joint loads.")
    person, loads = analysis.body.person, analysis.loads
    if not person.devices and not person.springs:
        raise BiomecError(
            f"The model {person.model.name} has no crutch, orthosis or other device. Choose a body model with one, "
            "such as m18-orthoses."
        )
    if loads.reduced is None:
        tree = tree_of(person, analysis.settings.loads)
        q, qdot, qddot = determined_motion(person, analysis.motion)
    else:
        tree, q, qdot, qddot = loads.reduced.tree, loads.reduced.q, loads.reduced.qdot, loads.reduced.qddot
    tips = () if loads.aids is None else loads.aids.loads.segments
    counted = loads.trust.residuals.counted
    if not counted.any():
        counted = np.asarray(np.isfinite(q).all(axis=1))
    worn, rate = replace(person, system=tree.system), analysis.signals.trial.rate_hz
    return AidsAsRecorded(worn, tree, q, qdot, qddot, loads.external, counted, rate, tips)


def what_if_aids(analysis: Analysis, variants: Sequence[AidVariant] = ()) -> AidComparison:
    """Loads under other aids, the movement kept; the usual questions if none is given."""
    given = aids_as_recorded(analysis)
    return compare_aids(given, tuple(variants) or usual_variants(given.person, given.tips))


def measured_moment(analysis: Analysis, channel: str, file: Path | None = None) -> FloatArray:
    """(T,) moment of a channel of the recording, or of a file of channels, at the frames [N m]; means over each."""
    analog = analysis.session.dynamic.analog if file is None else read_trial(file).analog
    where = "The recording" if file is None else file.name
    there = () if analog is None else analog.names
    if analog is None or channel not in there:
        raise BiomecError(
            f"{where} has no channel {channel}; it has {', '.join(there) or 'no analog channels'}. Name the channel of "
            "the load cell."
        )
    unit = analog.units[there.index(channel)].strip().lower()
    if unit not in UNITS:
        raise BiomecError(
            f"The channel {channel} is in {analog.units[there.index(channel)]}, which is not a unit of moment. Convert "
            "it to N·m."
        )
    return UNITS[unit] * _at_frames(analog, channel, analysis)


def _at_frames(analog: Analog, channel: str, analysis: Analysis) -> FloatArray:
    values = np.repeat(analog[channel][:, None], 3, axis=1)
    plate = ForcePlate(
        "moment", values, np.zeros_like(values), analog.rate_hz, np.zeros(3), np.array([0.0, 1.0, 0.0]),
        start_s=analog.start_s,
    )  # fmt: skip
    trial = analysis.signals.trial
    return np.asarray(plate_at_frames(plate, trial.rate_hz, trial.frames).force[:, 0])


def calibrate_device(
    analysis: Analysis,
    lock: str,
    measured: FloatArray,
    fit: Sequence[str] = USUAL,
    progress: Progress | None = None,
) -> DeviceCalibration:
    """Fit springs of an orthosis to the moment (T,) [N m] that a load cell measured at a hinge with a lock."""
    if not analysis.is_current("motion"):
        raise BiomecError(f"{run_first('motion')[:-1]}: a calibration needs its result.")
    person = analysis.body.person
    motion = determined_motion(person, analysis.motion)
    return calibrated_device(person, lock, motion, analysis.signals.trial.rate_hz, measured, fit, progress)
