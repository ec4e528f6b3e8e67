"""Signals of an analysis in the files of other programs: C3D, TRC, CSV, MAT for the recording, STO for joint angles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from biomec.io.mat_session import write_mat_session
from biomec.io.registry import write_trial
from biomec.io.storage import write_storage
from biomec.notices import Notice
from biomec.pipeline.analysis import Analysis
from biomec.recording import Analog, Trial


def recording(analysis: Analysis, measured: bool = False) -> Trial:
    """Return the movement: rebuilt and filtered, X forward and Y up; or as measured, in the axes of the file."""
    return analysis.session.dynamic if measured else analysis.clean.trial


def write_recording(analysis: Analysis, path: Path, measured: bool = False) -> tuple[Notice, ...]:
    """Write the movement in the format that the file's name asks for; notices say what the format cannot hold.

    A MATLAB file holds the whole session, with the results of all steps, and can be opened again.
    """
    if path.suffix.lower() == ".mat":
        return write_mat_session(analysis.stored(), path, recording(analysis, measured))
    return write_trial(recording(analysis, measured), path, overwrite=True)


def write_angles(analysis: Analysis, path: Path) -> tuple[Notice, ...]:
    """Write joint angles [°] as a table of OpenSim (STO or MOT), one row a frame; what is missing is NaN."""
    angles, trial = analysis.angles, analysis.clean.trial
    channels = Analog(angles.names, np.degrees(angles.values), ("deg",) * len(angles.names), trial.rate_hz)
    write_storage(replace(trial, plates=(), emg=None, analog=channels), path, content="analog")
    return ()
