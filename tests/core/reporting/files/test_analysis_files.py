"""Files that an analysis leaves in a folder."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.body.kinematics.joint_angles import AngleOptions
from biomec.io.project import load_project
from biomec.pipeline.analysis import Analysis, analyze
from biomec.reporting.files.analysis_files import (
    FILES,
    OF_ARMS,
    OF_CONSISTENCY,
    OF_DEVICES,
    OF_GAIT,
    OF_MUSCLES,
    summary,
    write_analysis,
)
from tests.core.pipeline.standing import only, swaying_session
from tests.core.pipeline.test_analysis import UNFILTERED


@pytest.fixture(scope="module")
def whole() -> Analysis:
    return analyze(swaying_session(), UNFILTERED)


def table(path) -> tuple[list[str], list[list[str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return head, rows


def test_the_summary_tells_the_model_and_how_well_it_went(whole):
    facts = summary(whole)
    expected = {"name": "m21", "segments": 21, "coordinates": 252, "constraints": 214, "redundant": 6, "dof": 44}
    assert {key: facts["model"][key] for key in expected} == expected
    assert facts["consistency"]["frames"] == facts["consistency"]["converged"] == 50
    assert facts["consistency"]["phi_max"] < 1e-10
    assert facts["consistency"]["iterations_mean"] >= 1.0
    assert facts["markers"]["max_mm"] < 1e-3  # the motion is exactly rigid
    assert set(facts["markers"]["by_marker"]) <= set(whole.signals.markers.names)
    assert facts["cycles"] == {"by": "none", "found": 0, "valid": 0}
    assert facts["notices"]
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts


def test_every_file_is_written_and_holds_what_was_computed(whole, tmp_path):
    paths = write_analysis(whole, tmp_path / "out")
    assert [path.name for path in paths] == [
        name for name in FILES if name not in (*OF_ARMS, *OF_CONSISTENCY, *OF_DEVICES, *OF_GAIT, *OF_MUSCLES)
    ]  # a sway is neither
    assert {path.name for path in (tmp_path / "out").iterdir()} == {path.name for path in paths}
    head, rows = table(tmp_path / "out" / "angles.csv")
    assert head[:2] == ["frame", "time_s"]
    column = head.index("right knee flexion (deg)")
    # seven digits are written
    assert_allclose([float(row[column]) for row in rows], np.degrees(whole.angles["right knee flexion"]), rtol=1e-6)
    head, rows = table(tmp_path / "out" / "coordinates.csv")
    assert len(head) == 2 + 252
    assert_allclose(np.array([row[2:] for row in rows], dtype=float), whole.motion.q, rtol=1e-11, atol=1e-14)
    head, rows = table(tmp_path / "out" / "quality.csv")
    assert {row[head.index("status")] for row in rows} == {"phi"}
    assert max(float(row[head.index("phi")]) for row in rows) < 1e-10
    assert {"rigid before", "ellipsoid after", "IJ shift (mm)"} <= set(head)
    assert json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))["model"]["name"] == "m21"
    assert "angles" in load_project(tmp_path / "out" / "session.biomec").results


def test_results_are_not_overwritten_unless_that_is_wanted(whole, tmp_path):
    write_analysis(whole, tmp_path)
    (tmp_path / "angles.csv").write_text("mine")
    with pytest.raises(BiomecError, match=r"holds results already \(summary\.json"):
        write_analysis(whole, tmp_path)
    assert (tmp_path / "angles.csv").read_text() == "mine"
    write_analysis(whole, tmp_path, overwrite=True)
    assert (tmp_path / "angles.csv").read_text() != "mine"


def test_stale_results_are_not_written(whole, tmp_path):
    changed = whole.with_settings(replace(whole.settings, angles=AngleOptions(convention="isb")))
    with pytest.raises(BiomecError, match='Settings were changed after "Joint Angles"'):
        write_analysis(changed, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made_is_a_sentence(whole, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BiomecError, match="folder for the results cannot be made"):
        write_analysis(whole, tmp_path / "file" / "out")


def test_frames_that_could_not_be_solved_stay_empty_cells(tmp_path):
    session = swaying_session()
    p = np.array(session.dynamic.markers.p_WM)
    lost = [session.dynamic.markers.index(name) for name in ("MC2_D", "MC5_D")]
    p[20:40, lost] = np.nan  # 0.4 s, more than may be interpolated

    gappy = replace(session, dynamic=replace(session.dynamic, markers=replace(session.dynamic.markers, p_WM=p)))
    analysis = analyze(only(gappy, session.dynamic.markers.names), UNFILTERED)
    assert analysis.motion.valid.sum() == 30
    write_analysis(analysis, tmp_path / "out")
    head, rows = table(tmp_path / "out" / "angles.csv")
    assert rows[25][head.index("right knee flexion (deg)")] == ""
    head, rows = table(tmp_path / "out" / "quality.csv")
    assert rows[25][head.index("status")] == "missing"
    assert summary(analysis)["consistency"]["converged"] == 30
