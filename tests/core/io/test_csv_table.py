"""CSV: Biomec's own tables, plain marker tables, Nexus exports."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from biomec.base.errors import FileError
from biomec.io.csv_table import read_csv, write_csv
from biomec.recording import Trial
from tests.core.io.trials import ON_DISK, same, trials, walk


def read(folder: Path, content: str) -> Trial:
    (folder / "x.csv").write_text(content, encoding="utf-8", newline="")
    return read_csv(folder / "x.csv")


@ON_DISK
@given(trial=trials())
def test_round_trip_is_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, trial: Trial) -> None:
    path = tmp_path_factory.mktemp("csv") / "ação.csv"
    notices = write_csv(trial, path)
    again = read_csv(path)
    assert again.markers.names == trial.markers.names
    assert same(again.markers.p_WM, trial.markers.p_WM)
    assert (again.rate_hz, again.frames, again.first_frame) == (trial.rate_hz, trial.frames, trial.first_frame)
    assert (again.axes, again.subject, again.recorded, again.events) == (
        trial.axes,
        trial.subject,
        trial.recorded,
        trial.events,
    )
    assert list(again.other_subjects) == list(trial.other_subjects)
    for name, markers in trial.other_subjects.items():
        assert same(again.other_subjects[name].p_WM, markers.p_WM)
    for old, new in zip(trial.plates, again.plates, strict=True):
        assert (new.name, new.rate_hz, new.start_s, new.type) == (old.name, old.rate_hz, old.start_s, old.type)
        for field in ("force", "moment", "origin", "up"):
            assert same(getattr(new, field), getattr(old, field))
        assert (new.corners is None) == (old.corners is None)
        if old.corners is not None and new.corners is not None:
            assert same(new.corners, old.corners)
    for old_channels, new_channels in ((trial.analog, again.analog), (trial.emg, again.emg)):
        assert (old_channels is None) == (new_channels is None)
        if old_channels is not None and new_channels is not None:
            assert new_channels.names == old_channels.names
            assert new_channels.units == old_channels.units
            assert (new_channels.rate_hz, new_channels.start_s) == (old_channels.rate_hz, old_channels.start_s)
            assert same(new_channels.values, old_channels.values)
    said = " ".join(notice.sentence for notice in notices)
    assert ("outputs" in said) == (trial.outputs is not None)
    assert ("residuals" in said) == (trial.markers.residual is not None)


def test_own_files_survive_a_spreadsheet(tmp_path: Path) -> None:
    write_csv(walk(), tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text(encoding="utf-8").split("\n")
    padded = "\r\n".join(line + ",,," for line in lines if line)  # commas to the widest row, Windows line ends
    again = read(tmp_path, padded + "\r\n")
    assert same(again.markers.p_WM, walk().markers.p_WM)
    assert [plate.name for plate in again.plates] == ["Pe_D", "Pe_E"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("biomec recording = 1", "biomec recording = 2", "newer Biomec"),
        ("# table = emg", "# table = ecg", "no table of the kind 'ecg'"),
        ("C7.Y [m]", "C7.Y [mm]", "markers need columns"),
        ("time_s,C7", "time,C7", "the first column must be time_s"),
        ("# origin_m = ", "# origin_m = x", "needs 3 numbers for origin_m"),
        ("# origin_m = ", "# corners_m = 1 2 3 4\n# origin_m = ", "needs 12 numbers for corners_m"),
        ("# up = +y", "# up = +w", "is not one of"),
        ("Foot Strike,Right", "Foot Strike", "line .*: an event needs"),
        ("up_normal = 0.0 1.0 0.0", "up_normal = 0.0 1.0", "normal"),
    ],
)
def test_faults_of_own_files(tmp_path: Path, old: str, new: str, fault: str) -> None:
    write_csv(walk(), tmp_path / "a.csv")
    content = (tmp_path / "a.csv").read_text(encoding="utf-8")
    assert old in content
    with pytest.raises(FileError, match=rf"^x\.csv: .*{fault}"):
        read(tmp_path, content.replace(old, new, 1))


@pytest.mark.parametrize(
    "content",
    [
        "time,C7_X,C7_Y,C7_Z,force\n0,0.1,0.2,0.3,5\n0.01,0.4,0.5,0.6,6\n",
        "time;C7_X;C7_Y;C7_Z;force\n0;0,1;0,2;0,3;5\n0,01;0,4;0,5;0,6;6\n",
        "Frame\tTime\tC7.x\tC7.y\tC7.z\tforce\n1\t0\t0.1\t0.2\t0.3\t5\n2\t0.01\t0.4\t0.5\t0.6\t6\n",
        "time (s),C7 X [mm],C7 Y [mm],C7 Z [mm],force\r\n0,100,200,300,5\r\n0.01,400,500,600,6\r\n",
        '"time","Rui:C7_X","Rui:C7_Y","Rui:C7_Z","force"\n0,0.1,0.2,0.3,5\n0.01,0.4,0.5,0.6,6\n',
    ],
    ids=["plain", "semicolons", "tabs", "units", "quotes"],
)
def test_marker_tables_of_other_programs(tmp_path: Path, content: str) -> None:
    trial = read(tmp_path, content)
    assert trial.markers.names == ("C7",)
    np.testing.assert_allclose(trial.markers["C7"], [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], rtol=1e-15)
    assert (trial.rate_hz, trial.first_frame) == (100.0, 1)
    assert trial.analog is not None
    assert trial.analog.names == ("force",)
    assert trial.analog["force"].tolist() == [5.0, 6.0]


def test_tables_without_time_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="this table is not understood"):
        read(tmp_path, "a,b\n1,2\n")
    with pytest.raises(FileError, match="different units"):
        read(tmp_path, "time,A_X [m],A_Y [mm],A_Z [m]\n0,1,2,3\n1,1,2,3\n")


NEXUS = (
    "Devices\r\n1000\r\n,,Force\r\nFrame,Sub Frame,Fx\r\n,,N\r\n11,0,5\r\n\r\n"
    "Trajectories\r\n100\r\n,,Rui:C7,,,Rui:IJ,,\r\nFrame,Sub Frame,X,Y,Z,X,Y,Z\r\n,,mm,mm,mm,mm,mm,mm\r\n"
    "11,0,100,200,1300,10,20,30\r\n12,0,,,,40,50,60\r\n\r\nModel Outputs\r\n100\r\n"
)


def test_nexus_export(tmp_path: Path) -> None:
    trial = read(tmp_path, NEXUS)
    assert trial.markers.names == ("C7", "IJ")
    assert trial.subject.name == "Rui"
    assert (trial.rate_hz, trial.first_frame, trial.axes.up) == (100.0, 11, "+z")
    np.testing.assert_array_equal(trial.markers["C7"], [[0.1, 0.2, 1.3], [np.nan] * 3])
    assert [notice.code for notice in trial.notices] == ["sections-skipped"]
    with pytest.raises(FileError, match="holds no trajectories"):
        read(tmp_path, "Devices\n1000\n")
    with pytest.raises(FileError, match="need a rate"):
        read(tmp_path, NEXUS.replace("X,Y,Z,X,Y,Z", "X,Y,Z,RX,RY,RZ"))


@pytest.mark.parametrize(("column", "rate_hz"), [("time [ms]", 100.0), ("time", 0.1)])
def test_times_in_milliseconds(tmp_path: Path, column: str, rate_hz: float) -> None:
    rows = "".join(f"{10 * k},1,2,3\n" for k in range(20))
    (tmp_path / "x.csv").write_text(f"{column},C7_X [m],C7_Y [m],C7_Z [m]\n{rows}")
    trial = read_csv(tmp_path / "x.csv")
    assert trial.rate_hz == rate_hz
    assert ("rate-doubtful" in [notice.code for notice in trial.notices]) == (rate_hz < 1.0)
