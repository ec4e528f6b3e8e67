"""A project that an older version wrote: it opens with its settings, its steps run again, and differences are said."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from biomec._version import __version__
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import open_again
from biomec.recording import Session

FILE = Path(__file__).parents[2] / "data" / "project-0.2.0.biomec.gz"  # how it was made stands beside it


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Session:
    path = tmp_path_factory.mktemp("older") / "older.biomec"
    path.write_bytes(gzip.decompress(FILE.read_bytes()))
    return load_project(path)


@pytest.fixture(scope="module")
def opened(stored) -> Analysis:
    return open_again(stored)


def test_settings_and_recordings_are_those_of_the_older_version(stored, opened):
    assert {record.biomec for record in stored.provenance} == {"0.2.0"}
    settings = opened.settings
    assert settings.body.model == "legs"
    assert settings.signals.marker_filter is None
    assert settings.positions.method == "coordinates"
    assert settings.loads.reduction is None  # what came later has its usual value
    assert opened.session.dynamic.frames == 12


def test_steps_that_have_another_name_now_are_run_again(stored, opened):
    assert "rates" in stored.results  # called motion today
    steps = ("preparation", "signals", "body", "positions", "motion", "segments", "angles")
    assert tuple(opened.done) == steps
    assert all(opened.is_current(step) for step in steps)


def test_numbers_are_near_the_stored_ones_and_differences_are_said(stored, opened):
    """0.001 rad (0.06°), from searches that end nearer to the solution than those of 0.2.0 did."""
    apart = np.abs(opened.angles.to_result().arrays["values"] - stored.results["angles"].arrays["values"])
    assert 0.0 < apart.max() < 2e-3
    said = [notice.sentence for notice in opened.session.notices if notice.code == "results-differ"]
    assert f"The joint angles were stored by Biomec 0.2.0, this is {__version__}; they differ by up to" in said[1]


def test_it_can_be_saved_by_this_version_and_opened_again(opened, tmp_path):
    save_project(opened.stored(), tmp_path / "new.biomec")
    again = open_again(load_project(tmp_path / "new.biomec"))
    np.testing.assert_array_equal(again.angles.values, opened.angles.values)
