"""The reader of MATLAB files: what scipy writes, scipy's own reading as the judge, and damage of every kind."""

import contextlib
import io
import zlib
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from biomec.io.mat5 import DamagedMatError, read_mat5
from tests.core.io.trials import ON_DISK

DTYPES = st.sampled_from(["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
ARRAYS = DTYPES.flatmap(lambda dtype: arrays(dtype, array_shapes(min_dims=2, max_dims=4, min_side=0)))


def written(variables: dict[str, Any], compressed: bool = True) -> bytes:
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, variables, do_compression=compressed)
    return buffer.getvalue()


@ON_DISK
@given(
    array=DTYPES.flatmap(lambda dtype: arrays(dtype, array_shapes(min_dims=2, max_dims=4, min_side=0))),
    packed=st.booleans(),
)
def test_arrays_agree_with_scipy(array: np.ndarray, packed: bool) -> None:
    content = written({"a": array}, packed)
    found = read_mat5(content)["a"]
    judge = scipy.io.loadmat(io.BytesIO(content))["a"]
    assert found.dtype == judge.dtype
    np.testing.assert_array_equal(found, judge)


@ON_DISK
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20))
def test_texts(text: str) -> None:
    assert read_mat5(written({"t": text}))["t"] == text


def test_structures_cells_and_rows_of_text() -> None:
    cell = np.empty((2, 1), dtype=object)
    cell[:, 0] = ["C7", np.eye(2)]
    several = np.array([(1.0, "a"), (2.0, "b")], dtype=[("x", object), ("y", object)])
    content = written({"s": {"a": 1.5, "b": {"c": "deep"}}, "c": cell, "m": several, "rows": np.array(["abc", "de "])})
    found = read_mat5(content)
    assert found["s"]["a"].item() == 1.5
    assert found["s"]["b"] == {"c": "deep"}
    assert found["c"][0] == "C7"
    np.testing.assert_array_equal(found["c"][1], np.eye(2))
    assert [(item["x"].item(), item["y"]) for item in found["m"]] == [(1.0, "a"), (2.0, "b")]
    assert found["rows"] == ["abc", "de "]


def test_what_is_of_no_use_is_named_and_left_alone() -> None:
    found = read_mat5(written({"z": np.ones(2) * 1j, "sparse": scipy.sparse.csc_array(np.eye(3)), "a": 1.0}))
    assert found["z"] is None
    assert found["sparse"] is None
    assert found["a"].item() == 1.0


def test_a_compressed_file_notices_any_change_of_its_data() -> None:
    content = written({"a": np.random.default_rng(0).normal(size=(30, 3))})
    for place in range(136, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 0x10
        with pytest.raises(DamagedMatError):
            read_mat5(bytes(damaged))


@pytest.mark.parametrize("packed", [True, False])
def test_damage_is_refused_or_harmless(packed: bool) -> None:
    content = written(
        {"trial": {"names": np.array(["C7", "IJ"], dtype=object), "p": np.eye(4), "deep": {"x": 1.0}}}, packed
    )
    rng = np.random.default_rng(0)
    for _ in range(3000):
        damaged = bytearray(content)
        for place in rng.integers(0, len(content), int(rng.integers(1, 4))):
            damaged[place] = int(rng.integers(0, 256))
        cut = len(damaged) if rng.random() < 0.7 else int(rng.integers(0, len(damaged)))
        with contextlib.suppress(DamagedMatError):
            read_mat5(bytes(damaged[:cut]))


def test_nesting_without_end_is_refused() -> None:
    value: Any = 1.0
    for _ in range(40):
        value = {"x": value}
    with pytest.raises(DamagedMatError, match="nested too deeply"):
        read_mat5(written({"a": value}))


def test_lengths_that_lie_are_refused() -> None:
    content = written({"a": np.eye(3)}, compressed=False)
    with pytest.raises(DamagedMatError, match="longer than the file"):
        read_mat5(content[:132] + (2**31).to_bytes(4, "little") + content[136:])
    with pytest.raises(DamagedMatError, match="another version"):
        read_mat5(content[:124] + b"\0\2" + content[126:])
    with pytest.raises(DamagedMatError, match="not that of a MATLAB file"):
        read_mat5(content[:100])
    packed = written({"a": np.eye(3)})
    half = zlib.compress(zlib.decompress(packed[136:])[:40])
    with pytest.raises(DamagedMatError):
        read_mat5(packed[:132] + len(half).to_bytes(4, "little") + half)
