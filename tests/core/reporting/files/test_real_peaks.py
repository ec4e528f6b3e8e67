"""Files of a real walk with one step of each foot on the plates. Tests skip where the recording is absent."""

import csv
import json

import numpy as np
import pytest

from biomec.body.plug_in_gait.comparison import ANGLE, compared
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.plug_in_gait import file_curves, own_curves
from biomec.reporting.content.plug_in_gait_section import OWN, PLUG_IN_GAIT, STORED
from biomec.reporting.content.report import report_content
from biomec.reporting.files.analysis_files import write_analysis
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


def test_plug_in_gait_as_vicon_computes_it_is_written_beside_our_own_results(gait, tmp_path):
    """The manual promised these files and a section of the report, which did not exist."""
    folder = tmp_path / "out"
    write_analysis(gait, folder)
    with (folder / "plug_in_gait.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == gait.signals.trial.frames
    stored = gait.session.dynamic.outputs["RAnkleAngles"][:, 0]
    written = np.array([float(row["right ankle dorsiflexion (deg)"]) for row in rows])
    assert np.sqrt(np.mean((written - stored) ** 2)) < 1e-4  # seven digits in the file
    with (folder / "plug_in_gait_comparison.csv").open(encoding="utf-8") as file:
        apart = {(row["compared"], row["curve"]): row for row in csv.DictReader(file)}
    assert float(apart[STORED, "right ankle dorsiflexion"]["rms"]) < 0.01
    knee = apart[OWN, "left knee flexion"]
    ours, theirs = (gait.angles["left knee flexion"], np.radians(gait.session.dynamic.outputs["LKneeAngles"][:, 0]))
    assert float(knee["rms"]) == pytest.approx(np.degrees(np.sqrt(np.mean((ours - theirs) ** 2))), rel=1e-3)
    assert float(knee["rms"]) ** 2 == pytest.approx(
        float(knee["offset"]) ** 2 + float(knee["rms_without_offset"]) ** 2, rel=1e-4
    )
    facts = json.loads((folder / "summary.json").read_text("utf-8"))["plug_in_gait"]
    assert facts["foot_flat"] == {"right": True, "left": True}
    assert facts["vicon_less_stored"]["right knee extensor moment"]["rms"] < 0.02
    section = report_content(gait).section(PLUG_IN_GAIT)
    assert [table.caption for table in section.tables] == ["Angles [°]", "Moments [N·m/kg]", "Powers [W/kg]"]
    assert "Largest RMS difference from the results stored in the file: angles 0.000°" in section.sentences[1]


def test_our_own_leg_angles_are_those_that_vicon_stored(gait, record_property):
    """The ankle was 5.2° off, its inversion 8.4°: the foot's roll followed heel, ankle centre and toe."""
    found = {apart.name: apart for apart in compared(own_curves(gait), file_curves(gait)) if apart.kind == ANGLE}
    legs = [name for name in found if name.split()[1] in ("pelvis", "hip", "knee", "ankle")]
    assert len(legs) == 24
    for name in legs:
        record_property(name, found[name].rms)
        assert found[name].rms < 0.5, name  # constraints and filter of our own model move segments by as much
