"""Tables of a study: what an analysis itself gives, the right cells empty, no name in them, the same bytes again."""

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from biomec.cli import main
from biomec.io.project import load_project
from biomec.pipeline.load_reading import read_loads
from biomec.pipeline.reopen import open_again
from biomec.signals.cycle_average import resample_spans
from biomec.study.record import PROJECT
from biomec.study.study import open_study
from biomec.study.tables import WHICH, write_tables
from biomec.study.trial_tables import trial_tables
from tests.core.reporting.clinical.walks import walk
from tests.core.study.small import analysed, reopened, write_push_ups


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Push-ups of two people with both grips, analysed."""
    opened = open_study(write_push_ups(tmp_path_factory.mktemp("push-ups")))
    assert [record.fault for record in analysed(opened)] == [""] * 4
    return reopened(opened)


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_curves_are_those_of_the_analysis(study):
    """Angles and loads of one cycle, resampled here from the project that lies beside the tables."""
    written = {path.name: path for path in write_tables(study)}
    trial = study.trials[2]
    analysis = open_again(load_project(study.folder_of(trial) / PROJECT))
    loads = read_loads(analysis)
    (group,) = analysis.cycles.groups.values()
    second = group.spans[1:2]
    for name, names, values in (
        ("angles", analysis.angles.names, np.degrees(analysis.angles.values)),
        ("loads", loads.names, loads.values),
    ):
        mine = [one for one in rows(written[f"{name}.csv"]) if one["subject"] == trial.subject and one["cycle"] == "2"
                and one["condition"] == trial.condition]  # fmt: skip
        assert [one["percent"] for one in mine] == [str(k) for k in range(101)]
        units = loads.units if name == "loads" else ["deg"] * len(names)
        k = names.index("right elbow flexion" if name == "angles" else "right elbow flexion moment")
        found = np.array([float(one[f"{names[k]} [{units[k]}]".replace("·", " ")]) for one in mine])
        expected = resample_spans(values[:, k], second).curves[0]
        assert np.allclose(found, expected, rtol=1e-6, atol=1e-9)  # seven digits are written


def test_values_are_measures_of_the_same_cycles(study):
    folder = write_tables(study)[0].parent
    numbers = [one for one in rows(folder / "values.csv") if one["variable"] == "right elbow flexion"]
    assert {one["measure"] for one in numbers} == {"peak", "highest", "lowest", "mean", "rms", "impulse"}
    curves = rows(folder / "angles.csv")
    for one in numbers:
        if one["measure"] != "highest":
            continue
        same = [float(row["right elbow flexion [deg]"]) for row in curves
                if all(row[key] == one[key] for key in (*WHICH, "cycle"))]  # fmt: skip
        assert float(one["value"]) == pytest.approx(max(same), abs=0.05)  # the curve is resampled, by a spline


def test_a_walk_has_time_and_distance_indices_and_only_measured_loads():
    texts = trial_tables(walk())
    values = list(csv.DictReader(texts["values"].splitlines()))
    kinds = {one["table"] for one in values}
    assert kinds == {"angles", "loads", "time and distance", "indices", "discrete"}
    assert {one["variable"] for one in values if one["table"] == "indices"} >= {"gait profile score"}
    loads = list(csv.DictReader(texts["loads"].splitlines()))
    knee = {(one["side"], one["cycle"]): one["right knee flexion moment [N m]"] != "" for one in loads}
    assert all(side == "right" for (side, _), there in knee.items() if there)
    assert sum(there for (side, _), there in knee.items() if side == "right") == 2  # three cycles, two on plates
    angles = list(csv.DictReader(texts["angles"].splitlines()))
    assert {(one["side"], one["right knee flexion [deg]"] != "") for one in angles} == {
        ("right", True),
        ("left", False),
    }


def test_nothing_in_the_tables_tells_who_it_was(study):
    folder = write_tables(study)[0].parent
    text = "".join(path.read_text(encoding="utf-8").lower() for path in folder.iterdir())
    for telling in ("alberta", "2026-03", "20260302", ".emt", study.trials[0].sha256[:16]):
        assert telling not in text


def test_projects_are_given_away_without_names(study, tmp_path, capsys):
    assert main(["study", "export", str(study.folder), str(tmp_path / "out"), "--projects"]) == 0
    assert "4 projects" in capsys.readouterr().out
    made = sorted((tmp_path / "out" / "projects").iterdir())
    assert [path.name for path in made][:2] == ["P001 1 PushUpClosed 1.biomec", "P001 1 PushUpOpen 1.biomec"]
    for path in made:
        content = path.read_bytes().lower()
        assert not any(telling in content for telling in (b"alberta", b"20260302", b"2026-03-02"))
    session = load_project(made[0])
    assert session.subject.name == "P001"
    own = load_project(study.folder_of(study.trials[0]) / PROJECT)
    assert np.array_equal(session.dynamic.markers.p_WM, own.dynamic.markers.p_WM, equal_nan=True)
    assert main(["study", "export", str(study.folder), str(tmp_path / "out")]) == 1
    assert "not empty" in capsys.readouterr().err


def test_columns_and_provenance_explain_every_column(study):
    folder = write_tables(study)[0].parent
    described = {(one["table"], one["column"]): one for one in rows(folder / "columns.csv")}
    for name in ("trials", "angles", "loads", "values"):
        with (folder / f"{name}.csv").open(encoding="utf-8") as file:
            head = next(csv.reader(file))
        assert {(name, column) for column in head} <= described.keys()
    assert described["loads", "right elbow flexion moment [N m]"]["unit"] == "N m"
    facts = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    assert (facts["people"], facts["trials"]) == (2, {"done": 4})
    assert facts["settings"]["signals"]


def test_parquet_holds_what_csv_holds(study, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_tables(study, tmp_path / "out", parquet=True)
    for name in ("trials", "angles", "loads", "values", "columns"):
        read = parquet.read_table(tmp_path / "out" / f"{name}.parquet")
        written = rows(tmp_path / "out" / f"{name}.csv")
        assert read.column_names == list(written[0])
        assert read.num_rows == len(written)
        for column in read.column_names:
            values = read.column(column).to_pylist()
            texts = [one[column] for one in written]
            if isinstance(values[0], str):
                assert values == texts
            else:
                assert values == [None if text == "" else float(text) for text in texts]


def test_a_batch_without_a_trial_says_what_it_saw(tmp_path, capsys):
    """It said "Nothing to analyse." and wrote empty tables."""
    assert main(["batch", str(tmp_path)]) == 1
    assert "no recording of a movement was found" in capsys.readouterr().err
    (tmp_path / "broken.c3d").write_bytes(b"not C3D")
    assert main(["batch", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert "no recording of a movement can be used here: broken.c3d" in error
    assert "second byte" in error
    assert not (tmp_path / "biomec-study" / "tables").exists()


def test_a_batch_names_recordings_that_are_left_out(study, capsys, tmp_path):
    copied = tmp_path / "study"
    shutil.copytree(study.folder, copied)
    again = study.trials[0].file
    shutil.copyfile(copied / again, (copied / again).with_name("zz_again" + Path(again).suffix))
    assert main(["batch", str(copied)]) == 0
    assert "zz_again" in (out := capsys.readouterr().out)
    assert "it counts once" in out


def test_the_command_line_lists_decides_and_writes(study, capsys, tmp_path):
    folder, results = str(study.folder), str(study.results)
    assert main(["batch", folder, "--results", results]) == 0
    told = capsys.readouterr().out
    assert "Nothing to analyse." in told
    assert "trials.csv" in told
    assert main(["study", "show", folder, "PushUpOpen"]) == 0
    assert capsys.readouterr().out.count("done, 2 of 2 cycles") == 2
    assert main(["study", "exclude", folder, study.trials[0].file, "--reason", "slipped"]) == 0
    assert "no longer counts" in capsys.readouterr().out
    assert main(["study", "tables", folder, "--out", str(tmp_path / "out")]) == 0
    left = rows(tmp_path / "out" / "trials.csv")[0]
    assert (left["state"], left["reason"]) == ("excluded", "slipped")
    assert len({(one["subject"], one["condition"]) for one in rows(tmp_path / "out" / "angles.csv")}) == 3
    assert main(["study", "include", folder, study.trials[0].id]) == 0
    assert reopened(study).trials[0].counts
    assert main(["study", "show", str(tmp_path / "absent")]) == 1
    assert "there is no such file or folder" in capsys.readouterr().err
