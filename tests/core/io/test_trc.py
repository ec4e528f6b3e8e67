"""TRC: round trips, the many ways to write it, and real recordings."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.base.errors import FileError
from biomec.io.trc import HEADER_KEYS, read_trc, write_trc
from biomec.recording import Authority, Markers, Trial
from tests.core.io.trials import ON_DISK, same, trials, walk
from tests.real_data import recording

HEADER = (
    "PathFileType\t4\t(X/Y/Z)\tx.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "100\t100\t3\t2\tmm\t100\t1\t3\n"
    "Frame#\tTime\tC7\t\t\tR.ASIS\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
)
ROWS = "1\t0.00\t1\t2\t3\t4\t5\t6\n2\t0.01\t\t\t\t40\t50\t60\n3\t0.02\t7\t8\t9\t70\t80\t90\n"


def read(folder: Path, content: str | bytes, **options: bool) -> Trial:
    path = folder / "x.trc"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_trc(path, **options)


@ON_DISK
@given(trial=trials(least_markers=1))
def test_round_trip_is_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, trial: Trial) -> None:
    path = tmp_path_factory.mktemp("trc") / "ação 測.trc"
    write_trc(trial, path)
    again = read_trc(path)
    assert again.markers.names == trial.markers.names
    gone = ~trial.markers.visible.any(axis=1) & (trial.markers.p_WM.shape[1] > 0)
    assert again.frames == trial.frames or gone.any()
    assert same(again.markers.p_WM, trial.markers.p_WM)
    assert again.rate_hz == trial.rate_hz
    assert again.first_frame == trial.first_frame
    for name, markers in trial.other_subjects.items():
        assert same(again.other_subjects[name].p_WM, markers.p_WM)
    assert (again.unlabelled is None) == (trial.unlabelled is None)


@ON_DISK
@given(trial=trials(least_markers=1), unit=st.sampled_from(["mm", "cm"]))
def test_other_units_keep_all_but_the_last_digit(
    tmp_path_factory: pytest.TempPathFactory, trial: Trial, unit: str
) -> None:
    path = tmp_path_factory.mktemp("trc") / "a.trc"
    write_trc(trial, path, unit=unit)
    # one rounding when scaled for writing, one when scaled back
    np.testing.assert_allclose(read_trc(path).markers.p_WM, trial.markers.p_WM, rtol=2**-51, atol=1e-300)


def test_units_missing_samples_and_assumptions(tmp_path: Path) -> None:
    trial = read(tmp_path, HEADER + "\n" + ROWS)
    assert trial.markers.names == ("C7", "R.ASIS")
    assert (trial.rate_hz, trial.frames, trial.first_frame) == (100.0, 3, 1)
    assert trial.markers["C7"][0].tolist() == [0.001, 0.002, 0.003]
    assert np.isnan(trial.markers["C7"][1]).all()
    assert (trial.axes.up, trial.axes.authority) == ("+y", Authority.ASSUMED)
    assert trial.notices == ()
    assert trial.source.format == "TRC"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r\n", 4),
        lambda text: text.replace("\t7\t", "\t7,0\t").replace("0.0", "0,0"),
        lambda text: text.replace("\n", "\t\t\t\n"),
        lambda text: text.replace("\t\t\t\t40", "\tNaN\tnan\tNAN\t40"),
        lambda text: text.replace("\t\t\t\t40", "\t0\t0.0\t-0\t40"),
        lambda text: text.replace("\tR.ASIS\t\t\n", "\tR.ASIS\n"),
        lambda text: text.replace("C7\t\t\tR.ASIS\t\t", "C7\tR.ASIS"),
        lambda text: text.replace("\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n", ""),
        lambda text: text.replace("C7", "Rui:C7").replace("R.ASIS", "Rui:R.ASIS"),
        lambda text: text.replace("\t1\t3\n", "\n").replace("\tOrigDataStartFrame\tOrigNumFrames", ""),
    ],
    ids=[
        "crlf",
        "mixed",
        "comma",
        "tabs",
        "nan",
        "zeros",
        "labels-end",
        "labels-packed",
        "no-axes",
        "prefix",
        "6-keys",
    ],
)
def test_ways_of_writing_the_same(tmp_path: Path, change: object) -> None:
    usual = read(tmp_path, HEADER + "\n" + ROWS)
    trial = read(tmp_path, change(HEADER + "\n" + ROWS))  # type: ignore[operator]
    assert trial.markers.names == usual.markers.names
    assert same(trial.markers.p_WM, usual.markers.p_WM)
    assert trial.rate_hz == usual.rate_hz


def test_rows_of_blanks_below_a_header_of_tabs(tmp_path: Path) -> None:
    full = ROWS.replace("\t\t\t\t", "\tnan\tnan\tnan\t")
    usual = read(tmp_path, HEADER + "\n" + full)
    blanks = "\n".join("   ".join(row.split("\t")) for row in full.splitlines()) + "\n"
    assert same(read(tmp_path, HEADER + "\n" + blanks).markers.p_WM, usual.markers.p_WM)


def test_encodings(tmp_path: Path) -> None:
    text = (HEADER + ROWS).replace("C7", "Pé_D")
    for encoding in ("utf-8", "utf-8-sig", "latin-1", "utf-16"):
        assert read(tmp_path, text.encode(encoding)).markers.names == ("Pé_D", "R.ASIS")


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("\t3\t2\tmm", "\t9\t2\tmm", "rows-fewer-than-stated"),
        ("\t3\t2\tmm", "\t2\t2\tmm", "rows-more-than-stated"),
        ("\t3\t2\tmm", "\t3\t5\tmm", "markers-not-as-stated"),
        ("\tmm\t", "\t\t", "unit-assumed"),
        ("100\t100\t3", "20\t100\t3", "rate-disagrees"),
        ("C7", "R.ASIS", "names-made-unique"),
        ("\t\t\t\t40", "\t1\t\t\t40", "coordinates-missing"),
        ("\t80\t90\n", "\n", "short-rows"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, old: str, new: str, code: str) -> None:
    trial = read(tmp_path, (HEADER + ROWS).replace(old, new, 1))
    assert code in [notice.code for notice in trial.notices]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("DataRate", "Datarape", "no line names DataRate"),
        ("Frame#", "Fr", "line 4: the columns must be named"),
        ("C7\t\t\tR.ASIS\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2", "", "line 4: no marker is named"),
        ("\t40\t", "\t4O\t", "line 7: column R.ASIS X holds '4O'"),
        ("\t40\t", "\t40\t41\t", "line 7: there are 9 values, but the header names 8"),
        ("100\t100\t3", "-1\t100\t3", "-1 Hz is impossible"),
        (ROWS, "", "not a single row"),
    ],
)
def test_faults_name_the_line(tmp_path: Path, old: str, new: str, fault: str) -> None:
    with pytest.raises(FileError, match=rf"^x\.trc: .*{fault}"):
        read(tmp_path, (HEADER + ROWS).replace(old, new, 1))


@pytest.mark.parametrize(
    ("order", "fault"), [((0, 2, 1), "line 8: the frame number goes from 3 to 2"), ((0, 1, 1, 2), "line 8: .* 2 to 2")]
)
def test_rows_in_the_wrong_order_or_twice_are_refused(tmp_path: Path, order: tuple[int, ...], fault: str) -> None:
    """Two neighbouring rows were swapped, and the movement came out wrong without a word."""
    rows = ROWS.splitlines(keepends=True)
    with pytest.raises(FileError, match=fault):
        read(tmp_path, HEADER + "".join(rows[k] for k in order))


def test_frames_that_coarse_times_hide_are_empty(tmp_path: Path) -> None:
    header = HEADER.replace("100\t100\t3", "500\t500\t97")
    kept = [k for k in range(100) if k not in (20, 21, 22)]
    trial = read(tmp_path, header + "".join(f"{k + 1}\t{k / 500:.2f}\t{k + 1}\t0\t0\t4\t5\t6\n" for k in kept))
    assert trial.frames == 100
    assert np.flatnonzero(~trial.markers.visible[:, 0]).tolist() == [20, 21, 22]
    assert trial.markers["C7"][99].tolist() == [0.1, 0.0, 0.0]
    assert [(notice.code, notice.frames) for notice in trial.notices] == [("rows-missing", (20, 22))]


def test_three_hundred_labels(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    trial = walk()
    many = Markers(tuple(f"M{k}" for k in range(300)), rng.normal(size=(20, 300, 3)), 100.0)
    write_trc(Trial(trial.source, many, trial.axes), tmp_path / "a.trc")
    again = read_trc(tmp_path / "a.trc")
    assert again.markers.names == many.names
    assert same(again.markers.p_WM, many.p_WM)


def test_written_files_have_the_keys_opensim_asks_for_and_say_what_they_leave_out(tmp_path: Path) -> None:
    trial = walk()
    notices = write_trc(trial, tmp_path / "a.trc")
    lines = (tmp_path / "a.trc").read_text().split("\n")
    assert tuple(lines[1].split("\t")) == HEADER_KEYS
    assert len(lines[2].split("\t")) == 8
    assert "the force plates, the EMG channels and the events" in notices[0].sentence
    with pytest.raises(FileError, match="no markers"):
        write_trc(Trial(trial.source, Markers.none(3, 100.0), trial.axes), tmp_path / "b.trc")


def test_kept_zeros(tmp_path: Path) -> None:
    content = (HEADER + ROWS).replace("\t\t\t\t40", "\t0\t0\t0\t40")
    assert read(tmp_path, content, zeros_are_missing=False).markers["C7"][1].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("file", "count", "frames"), [("subject01_static.trc", 49, 300), ("subject01_walk1.trc", 41, 151)]
)
def test_opensim_example(file: str, count: int, frames: int) -> None:
    path = recording("gait_opensim2354", file)
    trial = read_trc(path)
    assert (len(trial.markers.names), trial.frames, trial.rate_hz, trial.first_frame) == (count, frames, 60.0, 1)
    assert trial.markers.visible.all()
    assert trial.notices == ()
    independent = np.loadtxt(path, skiprows=6)[:, 2:] / 1000.0
    assert same(trial.markers.p_WM.reshape(frames, -1), independent)
    head = trial.markers["Top.Head"][:, 1]
    assert 1.6 < head.mean() < 1.9  # a person of 1.803 m, Y up, in metres


def test_shoulder_example() -> None:
    path = recording("shoulder_scapula", "ABD01.trc")
    trial = read_trc(path)
    assert trial.markers.names == ("gu", "centelbow", "EpL", "centpxt8", "centijc7", "ij", "ts", "aa", "ai")
    assert (trial.frames, trial.rate_hz, trial.first_frame) == (1091, 100.0, 1)
    assert [notice.code for notice in trial.notices] == ["zero-in-every-frame"]  # ij is this file's origin
    assert trial.markers["ij"].tolist() == [[0.0, 0.0, 0.0]] * 1091
    whole = read_trc(path, zeros_are_missing=False)
    assert whole.markers.visible.all()
    assert whole.notices == ()
    assert same(whole.markers.p_WM.reshape(1091, -1), np.loadtxt(path, skiprows=5)[:, 2:] / 1000.0)
