"""Peaks of a real walk with one step of each foot on the plates. Tests skip where the recording is absent."""

import numpy as np
import pytest

from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.reporting.files.load_files import loads_summary
from tests.real_data import recording


@pytest.fixture(scope="module")
def gait() -> Analysis:
    return analyze(import_session(recording("gait_pig_pair", "HC030A05.c3d")))


@pytest.mark.parametrize("side", ["right", "left"])
def test_the_ankle_peaks_in_the_step_on_the_plate_as_high_as_in_plug_in_gait(gait, side, record_property):
    """Peaks of all frames were twice as high: 118 and 102 N·m, in steps beside the plates with estimated forces."""
    facts = loads_summary(gait)["joints"][f"{side} ankle"]
    loads = gait.loads.newton_euler
    everywhere = np.linalg.norm(loads.torque[:, loads.index(f"{side} ankle")], axis=1).max()
    record_property("torque_peak_Nm", float(facts["torque_peak_Nm"]))
    record_property("torque_peak_of_all_frames_Nm", float(everywhere))
    assert facts["torque_peak_estimated"] is False
    assert facts["frames"] < gait.signals.trial.frames - 4
    assert everywhere > 1.5 * facts["torque_peak_Nm"]
    outputs = gait.session.dynamic.outputs
    stored = outputs.values[:, outputs.names.index(f"{side[0].upper()}AnkleMoment")]  # N mm/kg
    theirs = 1e-3 * gait.body.person.measures["mass"] * np.linalg.norm(stored, axis=1)
    at = round(facts["torque_peak_s"] * gait.signals.trial.rate_hz)
    assert facts["torque_peak_Nm"] == pytest.approx(np.nanmax(theirs[at - 5 : at + 6]), rel=0.06)
