"""`biomec consistent`: residuals before and after, for people and for programs, and what it refuses."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from biomec.cli import main
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import reopened
from tests.core.pipeline.muscled import push_up_session

FILTERS = ["--set", "signals.marker_filter=off", "--set", "signals.plate_filter=off"]


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A project with nothing computed yet."""
    file = tmp_path_factory.mktemp("consistent") / "push.biomec"
    save_project(Analysis(push_up_session()).stored(), file)
    return file


@pytest.fixture(scope="module")
def written(project) -> Path:
    folder = project.parent / "out"
    assert main(["consistent", str(project), "--out", str(folder), *FILTERS]) == 0
    return folder


def test_people_read_residuals_before_and_after(project, capsys):
    assert main(["consistent", str(project), "--trust", "plates", *FILTERS]) == 0
    shown = capsys.readouterr().out
    assert "frames obey the equations of motion. For this, segments moved by" in shown
    rows = dict(line.split("  ", 1) for line in shown.splitlines() if "  " in line)
    for row in ("Force, RMS [N]", "Moment, peak [N·m]"):
        before, after = rows[row].split(maxsplit=1)
        assert float(before) > 1e-3
        assert after.strip() == "< 0.001"  # a person's figure; programs read the whole one, below 1e-6
    assert "to less than 0.001 N and 0.001 N·m (RMS)" in shown
    for title in ("Residual", "Segments", "Angles", "Moments"):
        assert f"\n{title}\n" in f"\n{shown}"
    assert "\nForces\n" not in shown  # the plates are trusted


def test_programs_read_the_same(project, capsys):
    assert main(["consistent", str(project), "--json", *FILTERS]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["trust"] == "both"
    for size in ("force_peak_N", "torque_peak_Nm"):
        assert facts[f"residual_{size}"]["after"] <= 1e-6 < facts[f"residual_{size}"]["before"]
    assert facts["frames"][0][0] < facts["frames"][0][1]
    assert 0.0 < facts["place_rms_mm"] < 5.0
    assert 0.0 < facts["force_change_max_N"] < 5.0
    assert set(facts["angles_deg"]["right elbow flexion"]) == {"rms", "most"}
    assert facts["moments_Nm"]["right elbow"]["peak_after"] > 0.0


def test_files_hold_residuals_and_angles_of_every_frame(written):
    rows = list(csv.DictReader(io.StringIO((written / "consistent_motion.csv").read_text("utf-8"))))
    there = [row for row in rows if row["motion"] == "consistent"]
    assert len(there) > 0.8 * len(rows)
    after = np.array([[float(row[name]) for name in row if " after " in name] for row in there])
    before = np.array([[float(row[name]) for name in row if " before " in name] for row in there])
    assert after.shape == before.shape == (len(there), 6)
    assert np.abs(after).max() <= 1e-6 < np.abs(before).max()
    measured = list(csv.DictReader(io.StringIO((written / "angles.csv").read_text("utf-8"))))
    pairs = zip(measured, rows, strict=True)
    change = np.array([float(a["right elbow flexion (deg)"]) - float(b["right elbow flexion (deg)"]) for a, b in pairs])
    assert 0.0 < np.abs(change).max() < 2.0
    summary = json.loads((written / "summary.json").read_text("utf-8"))
    assert summary["inverse_dynamics"]["reduced"]["angles_deg"]["right elbow flexion"]["most"] < 2.0


def test_a_stored_project_keeps_the_settings_and_its_result(written, capsys):
    analysis = reopened(load_project(written / "session.biomec")).analysis
    assert analysis.settings.loads.reduction.dynamics.trust == "both"
    assert analysis.is_current("loads") or "loads" not in analysis.done
    assert main(["consistent", str(written / "session.biomec"), "--json"]) == 0
    stored = json.loads((written / "summary.json").read_text("utf-8"))["inverse_dynamics"]["reduced"]
    again = json.loads(capsys.readouterr().out)
    assert again["place_rms_mm"] == pytest.approx(stored["place_rms_mm"], rel=1e-6)


def test_results_are_not_overwritten_unasked(project, written, capsys):
    assert main(["consistent", str(project), "--out", str(written)]) == 1
    assert "holds results already" in capsys.readouterr().err


def test_a_model_of_a_part_of_the_body_gets_a_sentence(project, capsys):
    assert main(["consistent", str(project), "--model", "legs", *FILTERS]) == 1
    said = capsys.readouterr().err
    assert "% of the body's mass" in said
    assert "Choose the model m21. (--model m21)" in said


def test_axes_of_devices_are_refused_where_nobody_wears_any(project, capsys):
    assert main(["analyze", str(project), "--device-axes", "--out", str(project.parent / "axes")]) == 1
    assert "no device with a hinge of its own at the ankle" in capsys.readouterr().err
    assert not (project.parent / "axes").exists()
