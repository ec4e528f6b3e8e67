"""The functions of a notebook give what analysis and tables give; asking for what is missing gives a sentence."""

import csv
import io
import subprocess
import sys

import numpy as np
import pytest

import biomec
from biomec.base.errors import BiomecError
from biomec.io.project import save_project
from biomec.pipeline.analysis import Analysis
from biomec.study.trial_tables import trial_tables
from biomec.virtual import RecordOptions, push_up, record, write_acquisition
from tests.core.study.small import sway


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    """A push-up, analysed as far as its cycles."""
    options = RecordOptions(rate_hz=50.0, plate_rate_hz=50.0)
    files = write_acquisition(record(push_up("closed", cycles=1), options=options), tmp_path_factory.mktemp("push"))
    return Analysis(biomec.open(files["emt"])).run_until("cycles")


def test_curves_are_those_of_the_analysis(analysis):
    curves = biomec.angles(analysis)
    assert np.array_equal(curves.values, np.degrees(analysis.angles.values), equal_nan=True)
    assert curves.values.shape == (len(curves.time_s), len(curves.names))
    name = curves.names[3]
    assert np.array_equal(curves[name], curves.values[:, 3], equal_nan=True)
    assert not curves.values.flags.writeable
    knees = curves.matching("KNEE")
    assert all("knee" in one for one in knees.names)
    assert np.array_equal(knees[knees.names[0]], curves[knees.names[0]], equal_nan=True)
    for side, cycles in knees.cycles().items():
        assert cycles.shape[1:] == (101, len(knees.names)), side


def test_cycles_are_those_of_the_tables(analysis):
    rows = list(csv.reader(io.StringIO(trial_tables(analysis)["angles"])))
    side = rows[1][0]
    curves = biomec.angles(analysis)
    written = np.array([[float(cell or "nan") for cell in row[3:]] for row in rows[1:] if row[0] == side])
    # tables keep seven digits of angles below 180 degrees
    assert np.allclose(curves.cycles()[side].reshape(written.shape), written, atol=1e-4, equal_nan=True)


def test_what_is_missing_is_told(analysis):
    with pytest.raises(BiomecError, match="Joint Loads"):
        biomec.loads(analysis)
    with pytest.raises(BiomecError, match="no curve right kne"):
        biomec.angles(analysis)["right kne flexion"]
    with pytest.raises(BiomecError, match="No curve has wing"):
        biomec.angles(analysis).matching("wing")
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        _ = biomec.nothing_of_this_name


def test_projects_and_studies_open(tmp_path):
    save_project(sway(30), tmp_path / "kept.biomec")
    assert biomec.open(tmp_path / "kept.biomec").dynamic.frames == sway(30).dynamic.frames
    assert len(biomec.open_study(tmp_path).trials) == 1


def test_importing_the_package_loads_nothing_else():
    script = "import sys, biomec; print('numpy' in sys.modules, 'open_study' in dir(biomec))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
