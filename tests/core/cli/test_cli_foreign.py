"""`biomec analyze` on files of other laboratories: headers and units that lie leave the numbers as they are."""

import csv
from dataclasses import replace
from pathlib import Path

import ezc3d
import numpy as np
import pytest

from biomec.cli import main
from biomec.io.c3d import write_c3d
from biomec.io.project import load_project
from biomec.recording import Trial
from biomec.virtual import RecordOptions, VirtualAcquisition, VirtualPerson, Walk, record, write_acquisition
from biomec.virtual.files import QUALISYS, ForeignExport, write_foreign_c3d

TABLES = ("angles.csv", "segments.csv", "loads.csv", "load_statistics.csv", "plug_in_gait.csv")


@pytest.fixture(scope="module")
def walked() -> VirtualAcquisition:
    """A walk over plates; noise, because markers that stay to the last digit count as frozen."""
    options = RecordOptions(50.0, 250.0, noise_mm=0.5, static_s=0.5, marker_set="plug-in-gait")
    made = record(Walk(strides=1), VirtualPerson(75.0, 1.77, "male"), options)
    return replace(made, dynamic=replace(made.dynamic, emg=None))


def analysed(folder: Path, *options: str) -> Path:
    """Results of walk.c3d and its static in a folder."""
    out = folder / "out"
    files = [str(folder / "walk.c3d"), "--static", str(folder / "static.c3d"), *options]
    assert main(["analyze", *files, "--mass", "75", "--height", "1.77", "--sex", "m", "--out", str(out)]) == 0
    return out


def numbers(file: Path) -> tuple[list[str], np.ndarray]:
    """Columns and values of a table; what is not a number is NaN."""
    head, *rows = csv.reader(file.read_text("utf-8").splitlines())
    return head, np.array([[float(word) if word not in ("", "nan") else np.nan for word in row] for row in rows])


def test_a_walk_whose_header_is_upside_down_has_the_numbers_of_the_upright_one(walked, tmp_path, capsys):
    """What the user saw: X_SCREEN = -X, Y_SCREEN = -Z gave a person on her head, and moments of the wrong sign."""
    results, axes = {}, ("--axes", "+z,+x")
    for name, export, asked in (
        ("upright", ForeignExport(), ()),
        ("qualisys", QUALISYS, ()),
        ("asked", QUALISYS, axes),
    ):
        (tmp_path / name).mkdir()
        write_foreign_c3d(walked.dynamic, tmp_path / name / "walk.c3d", export)
        write_foreign_c3d(walked.static, tmp_path / name / "static.c3d", export)
        capsys.readouterr()
        results[name] = analysed(tmp_path / name, *asked)
        said = capsys.readouterr().err
        assert ("says that up is -z" in said) == (name == "qualisys")
    for table in TABLES:
        for name in ("qualisys", "asked"):
            assert (results[name] / table).read_bytes() == (results["upright"] / table).read_bytes(), (name, table)
    columns, values = numbers(results["qualisys"] / "angles.csv")
    knee = values[:, [k for k, name in enumerate(columns) if "knee" in name and "flexion" in name]]
    assert np.nanmax(knee) > 30.0
    assert np.nanmin(knee) > -10.0


@pytest.mark.parametrize(("axes", "right"), [("+z,+x", True), ("-z,+x", False)])
def test_the_users_word_about_axes_wins_and_is_questioned_where_it_cannot_be(walked, tmp_path, capsys, axes, right):
    write_foreign_c3d(walked.dynamic, tmp_path / "walk.c3d", QUALISYS)
    write_foreign_c3d(walked.static, tmp_path / "static.c3d", QUALISYS)
    files = [str(tmp_path / "walk.c3d"), "--static", str(tmp_path / "static.c3d")]
    assert main(["import", *files[:1], str(tmp_path / "walk.biomec"), *files[1:], "--axes", axes]) == 0
    said = capsys.readouterr().err
    assert load_project(tmp_path / "walk.biomec").dynamic.axes.up == axes[:2]
    assert ("head and shoulders are" in said) == (not right)
    assert ("says that up is" in said) == (not right)


def test_plates_that_hold_the_load_on_them_are_questioned_and_reversed_on_request(walked, tmp_path, capsys):
    """Channels of a text file have no direction that a reader could know."""
    plates = tuple(replace(one, force=-one.force, moment=-one.moment) for one in walked.dynamic.plates)
    wrong = replace(walked, dynamic=replace(walked.dynamic, plates=plates))
    found, sentences = {}, {}
    for name, made, options in (("right", walked, []), ("reversed", wrong, ["--reverse-plates"]), ("wrong", wrong, [])):
        file, project = write_acquisition(made, tmp_path / name)["emt"], tmp_path / f"{name}.biomec"
        assert main(["import", str(file), str(project), *options]) == 0
        sentences[name], found[name] = capsys.readouterr().err, load_project(project).dynamic.plates
    for one, true in zip(found["reversed"], found["right"], strict=True):
        np.testing.assert_array_equal(one.force, true.force)
        np.testing.assert_allclose(one.moment, true.moment, atol=1e-9)  # about another point, and back
    for name, asked in (("right", False), ("reversed", False), ("wrong", True)):
        assert ("reversed at the import (--reverse-plates)" in sentences[name]) == asked


# ----------------------------------------------------------------------------------------------------- units of angles
def stick_in_front(trial: Trial) -> Trial:
    """The sticks of both thighs on the front, 95° from lateral: 15 cm before the middle of the thigh, normal to it."""
    p = np.array(trial.markers.p_WM)
    for letter, side in (("R", 1.0), ("L", -1.0)):
        hip, knee = (trial.markers[letter + name] for name in ("ASI", "KNE"))
        across = np.array([0.0, 0.0, 1.0])
        forward = np.cross(hip - knee, across)
        forward /= np.linalg.norm(forward, axis=1, keepdims=True)
        inside = 0.5 * (hip + knee) - 0.05 * forward - side * 0.02 * across
        p[:, trial.markers.index(f"{letter}THI")] = inside + 0.15 * forward
    return replace(trial, markers=replace(trial.markers, p_WM=p))


def write_with(trial: Trial, path: Path, software: str, factor: float | None) -> None:
    """A file with thigh rotations that its program wrote as radians times ``factor``; None writes none."""
    write_c3d(stick_in_front(trial), path)
    content = ezc3d.c3d(str(path))
    for name, radians in (("LThighRotation", -1.74), ("RThighRotation", -1.70)):
        if factor is not None:
            content.add_parameter("PROCESSING", name, [factor * radians])
    content.add_parameter("MANUFACTURER", "SOFTWARE", [software])
    content.write(str(path))


def test_radians_and_degrees_of_a_subject_give_the_same_knees(walked, tmp_path):
    """What the user saw: a thigh rotation of −1.74 rad was taken for degrees, and turned the knee by 100°."""
    found = {}
    degrees = float(np.rad2deg(1.0))
    for name, software, factor in (
        ("radians", "Vicon Nexus", 1.0),
        ("degrees", "Vicon Workstation", degrees),
        ("none", "Vicon Nexus", None),
    ):
        (tmp_path / name).mkdir()
        for trial, file in ((walked.dynamic, "walk"), (walked.static, "static")):
            write_with(trial, tmp_path / name / f"{file}.c3d", software, factor)
        out = analysed(tmp_path / name)
        found[name] = {table: numbers(out / table) for table in ("angles.csv", "plug_in_gait.csv", "loads.csv")}
    for table, (columns, values) in found["radians"].items():
        assert columns == found["degrees"][table][0]
        # parameters of C3D have seven digits: 1e-5° in an angle, and as much of a moment
        np.testing.assert_allclose(found["degrees"][table][1], values, atol=2e-3, rtol=1e-4, err_msg=table)
    columns, values = found["radians"]["plug_in_gait.csv"]
    knee = [k for k, name in enumerate(columns) if "knee" in name and "flexion" in name]
    assert knee
    assert np.nanmax(values[:, knee]) < 90.0
    without = found["none"]["plug_in_gait.csv"][1]
    assert np.nanmax(np.abs(without[:, knee] - values[:, knee])) > 20.0  # the rotation matters
