"""MATLAB files: whole trials both ways, version 7.3, foreign and damaged files."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.io
from hypothesis import given

from biomec.base.errors import FileError
from biomec.base.notices import warning
from biomec.io.mat import read_mat, write_mat
from biomec.recording import Trial
from tests.core.io.trials import ON_DISK, same, trials, walk


def assert_same_trial(a: Trial, b: Trial) -> None:
    assert (a.source, a.axes, a.subject, a.recorded, a.events, a.first_frame) == (
        b.source, b.axes, b.subject, b.recorded, b.events, b.first_frame,
    )  # fmt: skip
    for old, new in [(a.markers, b.markers), (a.unlabelled, b.unlabelled)] + [
        (a.other_subjects[name], b.other_subjects[name]) for name in a.other_subjects
    ]:
        assert (old is None) == (new is None)
        if old is not None and new is not None:
            assert (old.names, old.rate_hz) == (new.names, new.rate_hz)
            assert same(old.p_WM, new.p_WM)
            assert (old.residual is None) == (new.residual is None)
            assert old.residual is None or new.residual is None or same(old.residual, new.residual)
    assert list(a.other_subjects) == list(b.other_subjects)
    for plate, other in zip(a.plates, b.plates, strict=True):
        for field in ("name", "rate_hz", "type", "start_s"):
            assert getattr(plate, field) == getattr(other, field)
        for field in ("force", "moment", "origin", "up"):
            assert same(getattr(plate, field), getattr(other, field))
        assert (plate.corners is None) == (other.corners is None)
        assert plate.corners is None or other.corners is None or same(plate.corners, other.corners)
    for channels, others in ((a.analog, b.analog), (a.emg, b.emg)):
        assert (channels is None) == (others is None)
        if channels is not None and others is not None:
            for field in ("names", "units", "rate_hz", "start_s"):
                assert getattr(channels, field) == getattr(others, field)
            assert same(channels.values, others.values)
    assert (a.outputs is None) == (b.outputs is None)
    if a.outputs is not None and b.outputs is not None:
        assert (a.outputs.names, a.outputs.kinds, a.outputs.units) == (
            b.outputs.names,
            b.outputs.kinds,
            b.outputs.units,
        )
        assert same(a.outputs.values, b.outputs.values)


@ON_DISK
@given(trial=trials())
def test_round_trip_is_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, trial: Trial) -> None:
    path = tmp_path_factory.mktemp("mat") / "ação 測.mat"
    assert write_mat(trial, path) == ()
    assert_same_trial(trial, read_mat(path))


@ON_DISK
@given(trial=trials())
def test_version_7_3_with_the_same_structure(tmp_path_factory: pytest.TempPathFactory, trial: Trial) -> None:
    folder = tmp_path_factory.mktemp("mat")
    write_mat(trial, folder / "a.mat")
    as_version_7_3(folder / "a.mat", folder / "b.mat")
    assert_same_trial(trial, read_mat(folder / "b.mat"))


def as_version_7_3(old: Path, new: Path) -> None:
    """Write the variables of a version 5 file as MATLAB 7.3 does: HDF5, axes reversed, cells as references."""
    variables = scipy.io.loadmat(old)
    with h5py.File(new, "w", userblock_size=512) as file:
        cells = file.create_group("#refs#")

        def put(group: Any, name: str, value: np.ndarray) -> None:
            if value.dtype.names is not None:
                assert value.size == 1
                part = group.create_group(name)
                part.attrs["MATLAB_class"] = np.bytes_("struct")
                for field in value.dtype.names:
                    put(part, field, value.ravel()[0][field])
                return
            kind = "cell" if value.dtype == object else "char" if value.dtype.kind == "U" else "double"
            if kind == "char":
                units = np.frombuffer("".join(value.ravel()).encode("utf-16-le"), dtype="<u2")
                value = units.reshape(1, -1) if units.size else np.zeros((0, 0), dtype="<u2")
            if value.size == 0:
                data = group.create_dataset(name, data=np.array(value.shape, dtype=np.uint64))
                data.attrs["MATLAB_empty"] = np.uint8(1)
            elif kind == "cell":
                data = group.create_dataset(name, shape=value.T.shape, dtype=h5py.ref_dtype)
                for index in np.ndindex(value.shape):
                    label = f"c{len(cells)}"
                    put(cells, label, value[index])
                    data[index[::-1]] = cells[label].ref
            else:
                data = group.create_dataset(name, data=value.T)
            data.attrs["MATLAB_class"] = np.bytes_(kind)

        put(file, "trial", variables["trial"])
    with new.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(128))


def test_matlab_sees_plain_names(tmp_path: Path) -> None:
    write_mat(walk(), tmp_path / "a.mat")
    trial = scipy.io.loadmat(tmp_path / "a.mat", simplify_cells=True)["trial"]
    assert trial["markers"]["names"].tolist() == ["C7", "IJ", "R.ASIS", "GU_D", "GU_E"]
    assert same(trial["markers"]["position_m"], walk().markers.p_WM)
    assert trial["plates"][1]["name"] == "Pe_E"
    assert trial["emg"]["rate_hz"] == 1000.0


def test_notices_travel_along(tmp_path: Path) -> None:
    write_mat(walk().with_notices(warning("zeros-are-missing", "Ação: 3 samples.")), tmp_path / "a.mat")
    assert [str(notice) for notice in read_mat(tmp_path / "a.mat").notices] == ["Ação: 3 samples."]


def test_foreign_files_get_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.mat"
    scipy.io.savemat(path, {"q": np.eye(3), "sinal": {"a": 1.0}})
    with pytest.raises(FileError, match=r"^x\.mat: this MATLAB file holds q, sinal, not a recording of Biomec"):
        read_mat(path)
    scipy.io.savemat(path, {"trial": np.eye(3)})
    with pytest.raises(FileError, match="holds trial, not a recording"):
        read_mat(path)
    for content, words in (
        (b"", "empty"),
        (b"hello world" * 30, "not a MATLAB file"),
        (b"MATLAB 5.0" + b" " * 300, ""),
    ):
        path.write_bytes(content)
        with pytest.raises(FileError, match=rf"^x\.mat: .*{words}"):
            read_mat(path)
    with h5py.File(path, "w") as file:
        file["data"] = np.arange(3)
    with pytest.raises(FileError, match="holds data, not"):
        read_mat(path)
    with pytest.raises(FileError, match="No such file"):
        read_mat(tmp_path / "none.mat")


@pytest.mark.parametrize(
    ("where", "value", "fault"),
    [
        (("version",), 2.0, "newer Biomec"),
        (("markers",), np.zeros((0, 0)), "the field markers .* must be a structure"),
        (("markers", "position_m"), "abc", "the field position_m .* array of numbers"),
        (("markers", "position_m"), np.zeros((3, 2)), "shape"),
        (("markers", "rate_hz"), np.nan, "sampling rate"),
        (("markers", "rate_hz"), np.ones(3), "one number"),
        (("markers", "names"), "C7", "names were given"),
        (("axes", "up"), "up", "is not one of"),
        (("axes", "authority"), "rumour", "rumour"),
        (("first_frame",), 1.5, "whole number"),
        (("recorded",), "yesterday", "yesterday"),
        (("plates",), np.eye(2), "cell with structures"),
        (("emg",), np.eye(2), "structure or"),
        (("events", "time_s"), np.ones(4), "same length"),
    ],
)
def test_faulty_fields_are_named(tmp_path: Path, where: tuple[str, ...], value: Any, fault: str) -> None:
    write_mat(walk(), tmp_path / "x.mat")
    variables = scipy.io.loadmat(tmp_path / "x.mat")
    struct = variables["trial"]
    for name in where[:-1]:
        struct = struct[name][0, 0]
    struct[where[-1]][0, 0] = value
    scipy.io.savemat(tmp_path / "x.mat", {"trial": variables["trial"]})
    with pytest.raises(FileError, match=rf"^x\.mat: .*{fault}"):
        read_mat(tmp_path / "x.mat")


def test_one_channel_and_one_frame_survive_matlabs_shapes(tmp_path: Path) -> None:
    trial = walk()
    assert trial.emg is not None
    one = replace(trial, emg=replace(trial.emg, names=("A",), units=("V",), values=trial.emg.values[:1, :1]))
    write_mat(one.stretch(3, 3), tmp_path / "a.mat")
    assert_same_trial(one.stretch(3, 3), read_mat(tmp_path / "a.mat"))
