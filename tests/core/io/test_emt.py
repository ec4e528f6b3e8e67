"""EMT of BTS systems: points and EMG."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from biomec.base.errors import BiomecError, FileError
from biomec.io.emt import read_emt, write_emt
from biomec.recording import Analog, Authority, Markers, Trial
from tests.core.io.trials import ON_DISK, analogs, same, trials, walk

POINTS = (
    "BTS ASCII format\n\nType:         \tPoint 3D tracks\nMeasure unit: \tmm\n\nTracks:       \t2\n"
    "Frequency:    \t100 Hz\nFrames:       \t3\nStart time:   \t0.000\n\n"
    " Frame\t  Time\tC7.X\tC7.Y\tC7.Z\tPe_D.X\tPe_D.Y\tPe_D.Z\t\n"
    "     1\t 0.000\t 1\t 2\t 3\t 4\t 5\t 6\t\n"
    "     2\t 0.010\t  \t  \t  \t 40\t 50\t 60\t\n"
    "     3\t 0.020\t 7\t 8\t 9\t 0\t 0\t 0.000\t\n"
)
EMG = (
    "BTS ASCII format\n\nType:         \tEmg tracks\nMeasure unit: \tmV\n\nTracks:       \t2\n"
    "Frequency:    \t1000 Hz\nFrames:       \t3\nStart time:   \t0.500\n\n"
    " Frame\t  Time\tVoltage:LDA~2\tRight Tibialis anterior\t\n"
    "1\t0.500\t0.5\t-0.25\t\n2\t0.501\t1.5\t\t\n3\t0.502\t2.5\t0\t\n"
)


def read(folder: Path, content: str, name: str = "x.emt") -> Trial:
    (folder / name).write_text(content, encoding="utf-8", newline="")
    return read_emt(folder / name)


def test_points(tmp_path: Path) -> None:
    trial = read(tmp_path, POINTS)
    assert trial.markers.names == ("C7", "Pe_D")
    assert (trial.rate_hz, trial.frames, trial.first_frame) == (100.0, 3, 1)
    np.testing.assert_array_equal(trial.markers["C7"], [[0.001, 0.002, 0.003], [np.nan] * 3, [0.007, 0.008, 0.009]])
    np.testing.assert_array_equal(trial.markers["Pe_D"], [[0.004, 0.005, 0.006], [0.04, 0.05, 0.06], [np.nan] * 3])
    assert [(notice.code, notice.about, notice.frames) for notice in trial.notices] == [
        ("zeros-are-missing", ("Pe_D",), (2, 2))
    ]
    assert (trial.axes.up, trial.axes.authority) == ("+y", Authority.ASSUMED)


def test_emg(tmp_path: Path) -> None:
    trial = read(tmp_path, EMG)
    assert trial.emg is not None
    assert trial.emg.names == ("Voltage:LDA~2", "Right Tibialis anterior")
    assert (trial.emg.rate_hz, trial.emg.start_s, trial.emg.units) == (1000.0, 0.5, ("V", "V"))
    np.testing.assert_array_equal(
        trial.emg.values, [[0.5e-3, -0.25e-3], [1.5e-3, np.nan], [2.5e-3, 0.0]]
    )  # 0 V is a value
    assert trial.markers.names == ()
    assert trial.duration_s == pytest.approx(0.503, abs=1e-12)  # what is on the clock of the recording


@pytest.mark.parametrize(("unit", "factor"), [("V", 1.0), ("mV", 1e-3), ("uV", 1e-6), ("µV", 1e-6)])
def test_units_of_emg(tmp_path: Path, unit: str, factor: float) -> None:
    trial = read(tmp_path, EMG.replace("mV", unit))
    assert trial.emg is not None
    assert trial.emg.values[0, 0] == pytest.approx(0.5 * factor, rel=1e-15)


def test_unknown_unit_of_emg_keeps_the_numbers(tmp_path: Path) -> None:
    trial = read(tmp_path, EMG.replace("mV", "V Normalized"))
    assert trial.emg is not None
    assert (trial.emg.units[0], trial.emg.values[0, 0]) == ("V Normalized", 0.5)
    assert [notice.code for notice in trial.notices] == ["unit-unknown"]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r\n", 9),
        lambda text: text.replace("0.0", "0,0"),
        lambda text: text.replace("\t\n", "\n"),
        lambda text: text.replace("  \t  \t  \t", "\t\t\t"),
        lambda text: text.replace("  \t  \t  \t", "NaN\tNaN\tNaN\t"),
        lambda text: text.replace("Type:         \tPoint 3D tracks\n", ""),  # the columns say what it is
        lambda text: text.replace("Frequency:    \t100 Hz\n", ""),  # the times say how fast
        lambda text: text.replace("Start time", "Start Time"),
        lambda text: text.replace("C7.", "Rui:C7.").replace("Pe_D.", "Rui:Pe_D."),
    ],
    ids=["crlf", "mixed", "comma", "no-tabs", "empty", "nan", "no-type", "no-rate", "capitals", "prefix"],
)
def test_ways_of_writing_the_same(tmp_path: Path, change: object) -> None:
    usual, trial = read(tmp_path, POINTS), read(tmp_path, change(POINTS))  # type: ignore[operator]
    assert trial.markers.names == usual.markers.names
    assert same(trial.markers.p_WM, usual.markers.p_WM)
    assert trial.rate_hz == usual.rate_hz


def test_files_without_a_type_are_emg_by_their_name(tmp_path: Path) -> None:
    untyped = EMG.replace("Type:         \tEmg tracks\n", "")
    assert read(tmp_path, untyped, "20150408_Rui_Aberto1_EMG.emt").emg is not None
    other = read(tmp_path, untyped)
    assert other.emg is None
    assert other.analog is not None
    assert [notice.code for notice in other.notices] == ["tracks-of-another-kind"]


def test_the_start_of_a_cut_recording(tmp_path: Path) -> None:
    times = POINTS.replace(" 0.000\t", " 2.400\t").replace(" 0.010\t", " 2.410\t").replace(" 0.020\t", " 2.420\t")
    assert read(tmp_path, times).first_frame == 241
    assert read(tmp_path, POINTS.replace("Start time:   \t0.000", "Start time:   \t2.400")).first_frame == 241
    numbered = POINTS.replace("     1\t", "   241\t").replace("     2\t", "   242\t").replace("     3\t", "   243\t")
    assert read(tmp_path, numbered).first_frame == 241


def test_rows_in_the_wrong_order_are_refused(tmp_path: Path) -> None:
    """Two neighbouring rows were swapped, and the movement came out wrong without a word."""
    *head, second, third = POINTS.rstrip("\n").split("\n")
    with pytest.raises(FileError, match=r"line 14: the frame number goes from 3 to 2"):
        read(tmp_path, "\n".join([*head, third, second, ""]))
    with pytest.raises(FileError, match=r"line 14: the frame number goes from 2 to 2"):
        read(tmp_path, "\n".join([*head, second, second, third, ""]))


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("Frames:       \t3", "Frames:       \t300", "rows-fewer-than-stated"),
        ("Frames:       \t3", "Frames:       \t2", "rows-more-than-stated"),
        ("Tracks:       \t2", "Tracks:       \t3", "tracks-not-as-stated"),
        ("\tmm", "\tfurlong", "unit-assumed"),
        ("100 Hz", "20 Hz", "rate-disagrees"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, old: str, new: str, code: str) -> None:
    assert code in [notice.code for notice in read(tmp_path, POINTS.replace(old, new)).notices]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("BTS ASCII", "RTF ASCII", "line 1: this is not an EMT file"),
        (" Frame\t  Time", " Fr\t Tm", "no line names the columns"),
        ("C7.Y", "C7.Q", "line 11: a point needs three columns .* C7.X, C7.Q, C7.Z"),
        ("\t 40\t", "\t 4O\t", "line 13: column Pe_D.X holds '4O'"),
        ("100 Hz", "0 Hz", "0 Hz is impossible"),
        (" Frame\t", "\tFrame\t", "line 11: the first column must be Frame or Time"),
        ("\tC7.X\tC7.Y\tC7.Z\tPe_D.X\tPe_D.Y\tPe_D.Z", "", "line 11: no track is named"),
    ],
)
def test_faults_name_the_line(tmp_path: Path, old: str, new: str, fault: str) -> None:
    with pytest.raises(FileError, match=rf"^x\.emt: .*{fault}"):
        read(tmp_path, POINTS.replace(old, new))


@ON_DISK
@given(trial=trials(least_markers=1))
def test_points_round_trip_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, trial: Trial) -> None:
    path = tmp_path_factory.mktemp("emt") / "ação.emt"
    write_emt(trial, path)
    again = read_emt(path)
    assert again.markers.names == trial.markers.names
    assert same(again.markers.p_WM, trial.markers.p_WM)
    assert (again.rate_hz, again.first_frame) == (trial.rate_hz, trial.first_frame)
    for name, markers in trial.other_subjects.items():
        assert same(again.other_subjects[name].p_WM, markers.p_WM)


@ON_DISK
@given(emg=analogs(("V",)))
def test_emg_round_trip_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, emg: Analog) -> None:
    path = tmp_path_factory.mktemp("emt") / "ação.emt"
    notices = write_emt(replace(walk(), emg=emg), path, tracks="emg")
    assert "the markers" in notices[-1].sentence
    again = read_emt(path).emg
    assert again is not None
    assert (again.names, again.units, again.rate_hz, again.start_s) == (emg.names, emg.units, emg.rate_hz, emg.start_s)
    assert same(again.values, emg.values)


def test_writing_says_what_it_cannot_do(tmp_path: Path) -> None:
    trial = walk()
    assert "the force plates, the EMG channels and the events" in write_emt(trial, tmp_path / "a.emt")[0].sentence
    with pytest.raises(BiomecError, match="'points' or 'emg', not 'video'"):
        write_emt(trial, tmp_path / "b.emt", tracks="video")
    with pytest.raises(FileError, match="no EMG"):
        write_emt(replace(trial, emg=None), tmp_path / "b.emt", tracks="emg")
    with pytest.raises(FileError, match="no markers"):
        write_emt(replace(trial, markers=Markers.none(3, 1.0), emg=None), tmp_path / "b.emt")
    odd = replace(trial, emg=Analog(("A", "B"), np.ones((3, 2)), ("V", "%"), 100.0))
    with pytest.raises(FileError, match="several units"):
        write_emt(odd, tmp_path / "b.emt", tracks="emg")
    assert not (tmp_path / "b.emt").exists()
