"""The published study made anew: virtual people, whose recordings are a study like any other."""

import csv
import io

import pytest

from biomec.base.errors import BiomecError
from biomec.study.export import export_study
from biomec.study.published import CORRELATION, VirtualStudy, make_recordings, published_csv
from biomec.study.study import open_study
from biomec.study.tables import write_tables
from tests.core.study.small import analysed, reopened

OPTIONS = VirtualStudy(people=2, cycles=1, rate_hz=50.0)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Two people, both grips, one push-up each, analysed."""
    folder = tmp_path_factory.mktemp("published")
    make_recordings(folder, OPTIONS)
    opened = open_study(folder)
    assert [record.fault for record in analysed(opened)] == [""] * 4
    return reopened(opened)


def test_every_published_number_stands_beside_ours(study):
    rows = list(csv.DictReader(io.StringIO(published_csv(study))))
    assert len(rows) == 6 * len(CORRELATION) + 2
    numbers = {row["quantity"]: row for row in rows}
    for row in rows:
        assert float(row["difference"]) == pytest.approx(float(row["here"]) - float(row["published"]), abs=1e-5)
    # Flexion of the elbow and the weight on the glenohumeral joint follow from the movement itself: both grips bend
    # and straighten the arms under the same body. The published r are 0.976 and 0.999; two people may differ by 0.05.
    for what in ("right elbow Tz", "right glenohumeral Fy"):
        row = numbers[f"r of open and closed, {what}"]
        assert float(row["here"]) == pytest.approx(float(row["published"]), abs=0.05)
    # The virtual plates carry the whole body: what is left is far below the published residual.
    assert float(numbers["RMS residual force"]["here"]) < 0.25 * 51.7


def test_recordings_that_are_there_are_not_made_again(study):
    before = {path: path.stat().st_mtime_ns for path in study.folder.rglob("*.emt")}
    make_recordings(study.folder, OPTIONS)
    assert {path: path.stat().st_mtime_ns for path in study.folder.rglob("*.emt")} == before
    assert len(before) == 2 * 2 * 3  # movement, static and EMG


def test_recordings_named_by_codes_keep_codes_and_conditions(study, tmp_path):
    """The code of a person was its name in the files, and no table could be written; conditions became names."""
    written = write_tables(study, tmp_path / "tables")
    trials = next(path for path in written if path.name == "trials.csv").read_text().splitlines()
    assert [line.split(",")[:6] for line in trials[1:]] == [
        [code, sex, "", "1", grip, "1"]
        for code, sex in (("S01", "male"), ("S02", "female")) for grip in ("closed", "open")
    ]  # fmt: skip
    exported = export_study(study, tmp_path / "out", projects=True)
    assert next(path.name for path in exported if path.suffix == ".biomec") == "S01 1 closed 1.biomec"


def test_a_study_without_end_is_refused():
    with pytest.raises(BiomecError, match="1 to 500 people"):
        VirtualStudy(people=501)
