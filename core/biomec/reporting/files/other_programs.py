"""Signals of an analysis in the files of other programs: C3D, TRC, CSV, MAT for the recording, STO for results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from biomec.base.atomic import atomic_path
from biomec.base.notices import Notice
from biomec.io.mat_session import write_mat_session
from biomec.io.registry import write_trial
from biomec.io.storage import write_storage
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_reading import chosen_loads
from biomec.recording import Analog, Trial
from biomec.reporting.files.load_files import loads_csv


def recording(analysis: Analysis, measured: bool = False) -> Trial:
    """Return the movement: rebuilt and filtered, X forward and Y up; or as measured, in the axes of the file."""
    return analysis.session.dynamic if measured else analysis.signals.trial


def write_recording(analysis: Analysis, path: Path, measured: bool = False) -> tuple[Notice, ...]:
    """Write the movement in the format that the file's name asks for; notices say what the format cannot hold.

    A MATLAB file holds the whole session, with the results of all steps, and can be opened again.
    """
    if path.suffix.lower() == ".mat":
        return write_mat_session(analysis.stored(), path, recording(analysis, measured))
    return write_trial(recording(analysis, measured), path, overwrite=True)


def write_angles(analysis: Analysis, path: Path) -> tuple[Notice, ...]:
    """Write joint angles [°] as a table of OpenSim (STO or MOT), one row a frame; what is missing is NaN."""
    angles, trial = analysis.angles, analysis.signals.trial
    channels = Analog(angles.names, np.degrees(angles.values), ("deg",) * len(angles.names), trial.rate_hz)
    write_storage(replace(trial, plates=(), emg=None, analog=channels), path, content="analog")
    return ()


def write_loads(analysis: Analysis, path: Path) -> tuple[Notice, ...]:
    """Write the loads of all joints: as CSV by their names, as STO or MOT by those of OpenSim's joint reactions.

    Of an OpenSim table a column such as ``right_knee_on_right_shank_in_ground_fx`` is the force of the joint on its
    distal segment along X of the laboratory [N], always internal; f is force, m torque [N m], p the joint's centre [m].
    """
    if path.suffix.lower() == ".csv":
        with atomic_path(path) as temporary:
            temporary.write_text(loads_csv(analysis), encoding="utf-8")
        return ()
    loads, trial = chosen_loads(analysis), analysis.signals.trial
    parts = (("f", "N", loads.force), ("m", "Nm", loads.torque), ("p", "m", loads.centre))
    names, units, columns = [], [], []
    for j, (joint, distal) in enumerate(zip(loads.joints, loads.distal, strict=True)):
        for letter, unit, values in parts:
            names += [f"{_word(joint)}_on_{_word(distal)}_in_ground_{letter}{axis}" for axis in "xyz"]
            units += [unit] * 3
            columns.append(values[:, j])
    channels = Analog(tuple(names), np.concatenate(columns, axis=1), tuple(units), trial.rate_hz)
    write_storage(replace(trial, plates=(), emg=None, analog=channels), path, content="analog")
    return ()


def _word(name: str) -> str:
    return name.replace(" ", "_")
