"""The published study made anew: virtual people, whose recordings are a study like any other."""

import csv
import io
import json
from dataclasses import asdict

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.study.crew import side_by_side
from biomec.study.export import export_study
from biomec.study.norm import norm_of_study
from biomec.study.published import ANGLE_FIGURES, LOAD_FIGURES, TITLES, published_report, published_study
from biomec.study.published_numbers import (
    CORRELATION,
    FORCE_ERRORS,
    PREPARATION_FORCE,
    PREPARATION_TORQUE,
    RESIDUAL_FORCE,
    RESIDUAL_TORQUE,
    SHARES,
    TORQUE_ERRORS,
)
from biomec.study.published_parts import Moments, pooled, read_parts
from biomec.study.study import open_study
from biomec.study.tables import write_tables
from biomec.study.virtual_push_ups import VirtualStudy, make_recordings
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


@pytest.fixture(scope="module")
def found(study):
    """Pooled."""
    return published_study(study)


def test_every_published_number_stands_beside_ours(found):
    rows = list(csv.DictReader(io.StringIO(found.csv())))
    counts = {table: sum(row["table"] == table for row in rows) for table in TITLES}
    assert counts == {
        "4.6": 6, "4.3.3": 2, "4.23": 6, "4.24": 2, "5.7": 6 * len(FORCE_ERRORS), "5.8": 6 * len(TORQUE_ERRORS),
        "5.10": 30, "5.11": 6 * len(CORRELATION), "5.12": 6 * len(SHARES), "5.13": 16, "5.15": 2,
    }  # fmt: skip
    assert len(rows) == sum(counts.values())
    assert not any(row["here"] == "" for row in rows)
    numbers = {row["quantity"]: row for row in rows}
    assert len(numbers) == len(rows)
    for row in rows:  # printed with seven digits
        difference = float(row["here"]) - float(row["published"])
        assert float(row["difference"]) == pytest.approx(difference, rel=1e-5, abs=1e-5)
    # Flexion of the elbow and the weight on the glenohumeral joint follow from the movement itself: both grips bend
    # and straighten the arms under the same body. The published r are 0.976 and 0.999; two people may differ by 0.05.
    for what in ("right elbow Tz", "right glenohumeral Fy"):
        row = numbers[f"r of open and closed, {what}"]
        assert float(row["here"]) == pytest.approx(float(row["published"]), abs=0.05)
    # The virtual plates carry the whole body: what is left is far below the published residual.
    assert float(numbers["residual force, RMS size"]["here"]) < 0.25 * 51.7
    # Both methods solve the same equations: nanonewtons, where newtons are in print.
    assert float(numbers["absolute error of the force, elbow Y"]["here"]) < 1e-9
    # One cycle of every person and grip.
    assert numbers["valid cycles, open"]["here"] == numbers["valid cycles, closed"]["here"] == "2"


def test_published_numbers_obey_what_print_says_of_them():
    """Moduli are roots of the sum of squares of the components, and a share of shear follows from the others."""
    for values in (RESIDUAL_FORCE["RMS"], RESIDUAL_TORQUE["RMS"]):  # printed to one decimal
        assert np.linalg.norm(values[:3]) == pytest.approx(values[3], abs=0.1)
    assert set(PREPARATION_FORCE) == set(PREPARATION_TORQUE) == {(i, j) for j in range(2, 7) for i in range(1, j)}


def test_moments_pool_as_if_all_samples_were_at_hand():
    rng = np.random.default_rng(1)
    samples = [rng.normal(1e3, 2.0, (n, 3)) for n in (1, 7, 0, 40)]
    samples[1][3, 1] = np.nan  # a sample that lacks a part is no sample
    every = np.concatenate([samples[0], np.delete(samples[1], 3, axis=0), samples[3]])
    total = sum((Moments.of(one) for one in samples), Moments.of(np.zeros((0, 3))))
    assert total.n == len(every)
    assert_allclose(total.mean, every.mean(axis=0), rtol=1e-14)
    # near 1000 with a spread of 2, a plain sum of squares loses six digits; here only rounding is left
    assert_allclose(total.sd, every.std(axis=0, ddof=1), rtol=1e-12)
    assert_allclose(total.rms, np.sqrt((every**2).mean(axis=0)), rtol=1e-14)
    assert np.isnan(Moments.of([3.0]).sd)
    assert np.isnan(Moments.of([np.nan]).mean)  # nothing measured is not zero


def test_what_a_trial_adds_is_found_once_and_kept(found, study):
    files = sorted((study.results / "published").iterdir())
    before = [path.stat().st_mtime_ns for path in files]
    again = published_study(study)
    assert [path.stat().st_mtime_ns for path in files] == before
    assert again.csv() == found.csv()
    total = pooled(read_parts(path) for path in files)
    assert total.get("residual force").n == sum(read_parts(path).get("residual force").n for path in files)


def test_a_damaged_part_is_named(study, found, tmp_path):
    path = tmp_path / "part.json"
    path.write_text('{"moments": {"a": [1]}}')
    with pytest.raises(BiomecError, match=r"part\.json is damaged\. Delete it"):
        read_parts(path)


def test_the_report_has_every_table_and_every_pooled_figure(found):
    report = published_report(found, "test")
    titles = [page.title for page in report.pages]
    assert [one for one in titles if one.startswith("Fig. ")] == [
        next(one for one in titles if one.startswith(f"Fig. {figure}:"))
        for figure in ("4.20", *ANGLE_FIGURES, *LOAD_FIGURES, "5.17")
    ]
    assert set(TITLES.values()) <= set(titles)
    elbow = next(page for page in report.pages if page.title.startswith("Fig. 5.15"))
    panels = [panel for grid in elbow.blocks for row in grid.rows for panel in row if panel is not None]
    assert len(panels) == 6
    assert [course.label for course in panels[0].courses] == ["closed", "open"]
    assert panels[0].unit == "N/kg"


def test_without_one_grip_nothing_is_compared(study):
    with pytest.raises(BiomecError, match="No push-up with open hands is done"):
        published_study(open_study(study.folder / "S01" / "take1" / "open", study.results))


def test_a_norm_of_a_study_counts_people_once_and_needs_five(study):
    with pytest.raises(BiomecError, match="5 people at least; there are 2"):
        norm_of_study(study, "ours", condition="open")
    with pytest.raises(BiomecError, match=r"no trial of the condition wide \(there are: closed, open\) that is done"):
        norm_of_study(study, "ours", condition="wide")


def test_work_is_done_side_by_side_and_comes_in_order():
    found = side_by_side(abs, [-3, 1, "a"], 2)
    assert [next(found), next(found)] == [3, 1]
    with pytest.raises(TypeError, match="bad operand type"):
        next(found)
    assert list(side_by_side(abs, [-3], 2)) == [3]


def test_recordings_that_are_there_are_not_made_again(study):
    before = {path: path.stat().st_mtime_ns for path in study.folder.rglob("*.emt")}
    make_recordings(study.folder, OPTIONS)
    assert {path: path.stat().st_mtime_ns for path in study.folder.rglob("*.emt")} == before
    assert len(before) == 2 * 2 * 3  # movement, static and EMG


def test_a_folder_holds_one_virtual_study(tmp_path):
    """Another seed gave the recordings of the first one other masses and statures."""
    few = VirtualStudy(people=1, cycles=1, rate_hz=50.0)
    (tmp_path / "virtual-study.json").write_text(json.dumps(asdict(few)))
    with pytest.raises(BiomecError, match=r"other options \(cycles 1 instead of 2, seed 1 instead of 3\)"):
        make_recordings(tmp_path, VirtualStudy(people=2, cycles=2, rate_hz=50.0, seed=3))
    (tmp_path / "virtual-study.json").write_text("[1]")
    with pytest.raises(BiomecError, match="does not say how the recordings were made"):
        make_recordings(tmp_path, few)
    assert [path.name for path in tmp_path.iterdir()] == ["virtual-study.json"]


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
