"""Damaged files of every text format, and MAT: a sentence that names the file, or a right result; nothing else.

"Right" for a file that was cut off means: the rows that are there, and a notice that the end is missing.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice
from biomec.io.csv_table import read_csv, write_csv
from biomec.io.emt import read_emt, write_emt
from biomec.io.mat import read_mat, write_mat
from biomec.io.storage import read_storage, write_storage
from biomec.io.trc import read_trc, write_trc
from biomec.recording import Analog, Markers, Trial
from tests.core.io.trials import same, walk

Write = Callable[[Trial, Path], tuple[Notice, ...]]
FORMATS: dict[str, tuple[Callable[[Path], Trial], Write]] = {
    "x.trc": (read_trc, write_trc),
    "x.emt": (read_emt, write_emt),
    "x_EMG.emt": (read_emt, lambda trial, path: write_emt(trial, path, tracks="emg")),
    "x.mot": (read_storage, write_storage),
    "x.sto": (read_storage, lambda trial, path: write_storage(trial, path, content="emg")),
    "x.csv": (read_csv, write_csv),
    "x.mat": (read_mat, write_mat),
}
CUTS_KNOWN = ("row-cut-off", "rows-fewer-than-stated", "no-line-end")


@pytest.fixture(params=list(FORMATS))
def sample(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, bytes, Callable[[Path], Trial], Trial]:
    read, write = FORMATS[request.param]
    path = tmp_path / request.param
    write(walk(frames=20), path)
    return path, path.read_bytes(), read, read(path)


def outcome(read: Callable[[Path], Trial], path: Path, content: bytes) -> Trial | None:
    """The trial, or None if a sentence was raised; any other exception fails the test."""
    path.write_bytes(content)
    try:
        return read(path)
    except FileError as error:
        raised = error
    assert str(raised).startswith(f"{path.name}: ")
    assert len(raised.fault) > 10
    return None


def test_cut_off_anywhere(sample: tuple[Path, bytes, Callable[[Path], Trial], Trial]) -> None:
    path, content, read, whole = sample
    rng = np.random.default_rng(0)
    places = {*range(0, len(content), 1024), *rng.integers(0, len(content), 60).tolist(), len(content) - 1, 1, 2, 3}
    for place in sorted(places):
        cut = outcome(read, path, content[:place])
        if cut is None:
            continue
        assert path.suffix != ".mat" or place == len(content) - 1, "half a MATLAB file must not open"
        rows = cut.frames
        assert rows <= whole.frames
        missing = [notice.code for notice in cut.notices]
        if cut.markers.names:
            assert cut.markers.names == whole.markers.names[: len(cut.markers.names)]
            safe = rows - 1 if "no-line-end" in missing else rows  # the last number of an unended row may be short
            count = len(cut.markers.names)
            assert same(cut.markers.p_WM[:safe], whole.markers.p_WM[:safe, :count])
        fewer = rows < whole.frames or len(cut.plates) < len(whole.plates)
        if fewer and path.suffix != ".csv":  # a CSV file may end after any table
            assert set(missing) & set(CUTS_KNOWN), f"cut at {place} of {len(content)} went unnoticed"


def test_flipped_bits(sample: tuple[Path, bytes, Callable[[Path], Trial], Trial]) -> None:
    path, content, read, _ = sample
    rng = np.random.default_rng(1)
    head = min(len(content), 700)  # half of the flips go where the structure is
    places = [*rng.integers(0, head, 100).tolist(), *rng.integers(0, len(content), 100).tolist()]
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(0, 8))
        outcome(read, path, bytes(damaged))


def test_overwritten_and_repeated_pieces(sample: tuple[Path, bytes, Callable[[Path], Trial], Trial]) -> None:
    path, content, read, _ = sample
    rng = np.random.default_rng(2)
    for _ in range(40):
        a, b = sorted(rng.integers(0, len(content), 2).tolist())
        noise = rng.integers(0, 256, int(rng.integers(1, 60)), dtype=np.uint8).tobytes()
        outcome(read, path, content[:a] + noise + content[a + len(noise) :])
        outcome(read, path, content[:a] + content[b:])
        outcome(read, path, content[:b] + content[a:])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n" * 1000,
        b"\0" * 5000,
        b"\t" * 5000,
        b"," * 5000,
        b"A" * 3_000_000,
        b"key=value\n" * 100_000,
        b"# a = b\n" * 1000,
        b"# biomec recording = 1\n",
        b"# biomec recording = 1\n# table = markers\n",
        b"# biomec recording = 1\n# table = events\n",
        b"BTS ASCII format\n",
        b"BTS ASCII format\nFrame\tTime\n",
        b"BTS ASCII format\n" + b"Tracks:\t9\n" * 1000,
        b"DataRate NumMarkers\n",
        b"endheader\n",
        b"endheader\ntime\ta\n",
        b"endheader\ntime\ta\n1e308\t1\n-1e308\t2\n",
        b"time,A_X,A_Y,A_Z\n",
        b"time\n1\n2\n",
        b"Trajectories\n",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        bytes(range(256)) * 20,
    ],
)
@pytest.mark.parametrize("name", list(FORMATS))
def test_nonsense(tmp_path: Path, name: str, content: bytes) -> None:
    found = outcome(FORMATS[name][0], tmp_path / name, content)
    assert found is None or (name == "x.csv" and found.frames == 0)


@pytest.mark.parametrize("name", list(FORMATS))
def test_huge_headers_and_long_lines_are_read_or_refused_quickly(tmp_path: Path, name: str) -> None:
    read, write = FORMATS[name]
    write(walk(frames=20), tmp_path / name)
    content = (tmp_path / name).read_bytes()
    outcome(read, tmp_path / name, b"x" * 2_000_000 + b"\n" + content)
    outcome(read, tmp_path / name, content[:40] + b"\t" * 2_000_000 + content[40:])


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "x.mat"])  # MAT is not text
def test_other_line_ends_and_encodings_change_nothing(tmp_path: Path, name: str) -> None:
    read, write = FORMATS[name]
    folder = tmp_path / "pasta ção 測"
    folder.mkdir()
    path = folder / name
    write(walk(frames=20), path)
    usual, text = read(path), path.read_text(encoding="utf-8")
    lines = text.split("\n")
    mixed = "".join(line + ("\r\n", "\n", "\r")[k % 3] for k, line in enumerate(lines))
    for content in (
        text.replace("\n", "\r\n").encode(),
        mixed.encode(),
        text.encode("utf-16"),
        text.encode("utf-8-sig"),
    ):
        path.write_bytes(content)
        again = read(path)
        assert same(again.markers.p_WM, usual.markers.p_WM)
        assert [plate.name for plate in again.plates] == [plate.name for plate in usual.plates]
        for old, new in zip(usual.plates, again.plates, strict=True):
            assert same(new.moment, old.moment)
        if usual.emg is not None and again.emg is not None:
            assert same(again.emg.values, usual.emg.values)


@pytest.mark.parametrize("name", list(FORMATS))
def test_three_hundred_labels(tmp_path: Path, name: str) -> None:
    read, write = FORMATS[name]
    rng = np.random.default_rng(0)
    names = tuple(f"Nº {k} ação" for k in range(300))
    trial = Trial(
        walk().source,
        Markers(names, rng.normal(size=(5, 300, 3)), 100.0),
        walk().axes,
        emg=Analog(names, rng.normal(size=(5, 300)), ("V",) * 300, 100.0),
    )
    write(trial, tmp_path / name)
    again = read(tmp_path / name)
    if again.markers.names:
        assert again.markers.names == names
        assert same(again.markers.p_WM, trial.markers.p_WM)
    channels = again.emg or again.analog
    assert again.markers.names or channels is not None
    if channels is not None and trial.emg is not None:
        assert channels.names == names
        assert same(channels.values, trial.emg.values)


def test_a_folder_or_nothing_is_no_file(tmp_path: Path) -> None:
    for read, write in FORMATS.values():
        with pytest.raises(BiomecError):
            read(tmp_path)
        with pytest.raises(BiomecError):
            read(tmp_path / "none")
        with pytest.raises(BiomecError):
            write(walk(frames=20), tmp_path / "no" / "folder.x")
        with pytest.raises(BiomecError):
            write(walk(frames=20), tmp_path)
    assert list(tmp_path.iterdir()) == []
