"""Damage to files: of bytes, of text, of JSON and of HDF5, which is signed again so that it is believed."""

import hashlib
import io
import json
import re
import tomllib
import zipfile
from collections.abc import Callable
from typing import Any

import h5py
import numpy as np
from scipy.io import loadmat, savemat

from biomec import __version__
from biomec.base.toml_table import written, written_key
from biomec.io.project import BLOCK, SCHEMA, ProjectHeader

Rng = np.random.Generator
NUMBERS = (
    "0", "-1", "1e308", "-1e308", "1e-320", "nan", "NaN", "inf", "-Infinity", "9" * 40, "2147483648", "4294967295",
    "18446744073709551616", "1.5", "", "x", "1,5", "0x10", "-0", "1e400", "é", '"', "\t", "100000000",
)  # fmt: skip
_NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def hostile(rng: Rng) -> Any:
    """A value that a JSON text may hold where it should not."""
    deep: Any = []
    for _ in range(int(rng.choice([3, 200]))):
        deep = [deep] if rng.random() < 0.5 else {"a": deep}
    values = [
        None, True, 0, -1, 1, 2**31, 2**63, 2**64, -(2**70), 10**400, 1e308, -0.0, 1e-320, float("nan"), float("inf"),
        "", "x", "\0", "\ud800", "../../etc/passwd", "<b>x</b>", "9" * 50, [], {}, [[]], [None], {"": None}, deep,
        [1.5, "a", None], ["a"] * 50, [0] * 1000, "2026-13-45", {"name": 1},
    ]  # fmt: skip
    return values[int(rng.integers(len(values)))]


def damaged_bytes(data: bytes, rng: Rng) -> bytes:
    """Flip, cut, insert, repeat or overwrite; the first bytes more often, because headers are there."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        size = max(len(out), 1)
        at = int(rng.integers(size if rng.random() < 0.5 else min(size, 1500)))
        length = int(2 ** rng.integers(0, 8))
        kind = int(rng.integers(8))
        if kind <= 2 and out:
            out[at % len(out)] = int(rng.choice([0, 1, 0x7F, 0x80, 0xFF, int(rng.integers(256))]))
        elif kind == 3:
            del out[at : at + length]
        elif kind == 4:
            out[at:at] = rng.bytes(length)
        elif kind == 5:
            out[at:at] = out[at : at + length] * int(rng.integers(1, 4))
        elif kind == 6:
            word = int(rng.choice([0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF])).to_bytes(8, "little")
            width = int(rng.choice([2, 4, 8]))
            out[at : at + width] = word[:width]
        elif rng.random() < 0.3:
            del out[at:]
    return bytes(out)


def damaged_text(data: bytes, rng: Rng) -> bytes:
    """Put extreme numbers and cells in, and drop, double or exchange lines; sometimes only bytes are damaged."""
    if rng.random() < 0.15:
        return damaged_bytes(data, rng)
    for _ in range(int(rng.integers(1, 4))):
        kind = int(rng.integers(5))
        lines = data.split(b"\n")
        at = int(rng.integers(len(lines) if rng.random() < 0.5 else min(len(lines), 12)))
        if kind <= 1:
            found = list(_NUMBER.finditer(lines[at]))
            if found:
                one = found[int(rng.integers(len(found)))]
                word = NUMBERS[int(rng.integers(len(NUMBERS)))].encode()
                lines[at] = lines[at][: one.start()] + word + lines[at][one.end() :]
        elif kind == 2:
            del lines[at]
        elif kind == 3:
            lines.insert(int(rng.integers(len(lines) + 1)), lines[at])
        else:
            words = re.split(rb"(\t|,| |=)", lines[at])
            k = int(rng.integers(len(words)))
            words[k] = (b"", words[k] * 3, NUMBERS[int(rng.integers(len(NUMBERS)))].encode())[int(rng.integers(3))]
            lines[at] = b"".join(words)
        data = b"\n".join(lines)
    return data


def damaged_json(content: Any, rng: Rng) -> Any:
    """The same plain data with a node somewhere replaced, removed or added."""
    if isinstance(content, dict) and content and rng.random() < 0.9:
        keys = list(content)
        key = keys[int(rng.integers(len(keys)))]
        change = rng.random()
        if change < 0.1:
            return {k: v for k, v in content.items() if k != key}
        if change < 0.15:
            return {**content, "more": hostile(rng)}
        return {**content, key: damaged_json(content[key], rng)}
    if isinstance(content, list) and content and rng.random() < 0.8:
        k = int(rng.integers(len(content)))
        change = rng.random()
        if change < 0.15:
            return content[:k] + content[k + 1 :]
        if change < 0.25:
            return [*content, hostile(rng)]
        return [*content[:k], damaged_json(content[k], rng), *content[k + 1 :]]
    return hostile(rng)


def damaged_json_text(data: bytes, rng: Rng) -> bytes:
    """A JSON text with damaged content, or with damaged bytes."""
    if rng.random() < 0.2:
        return damaged_text(data, rng)
    content = json.loads(data)
    for _ in range(int(rng.integers(1, 3))):
        content = damaged_json(content, rng)
    return json.dumps(content).encode()


def damaged_toml(data: bytes, rng: Rng) -> bytes:
    """A TOML text with damaged content, or with damaged lines and bytes."""
    if rng.random() < 0.5:
        return damaged_text(data, rng)
    content: Any = tomllib.loads(data.decode("utf-8"))
    for _ in range(int(rng.integers(1, 3))):
        content = damaged_json(content, rng)
    if not isinstance(content, dict):
        content = {"more": content}
    lines = (f"{written_key(key)} = {written(_without_none(value))}" for key, value in content.items())
    return "\n".join(lines).encode("utf-8", "replace")


def _without_none(value: Any) -> Any:
    """The same without what TOML cannot say."""
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_none(item) for item in value]
    return "" if value is None else value


def signed(image: bytes) -> bytes:
    """A project file of an HDF5 image with its user block, signed as `save_project` does."""
    header = ProjectHeader(SCHEMA, __version__, len(image) - BLOCK, "")
    digest = hashlib.sha256(header.signed_text + image[BLOCK:]).hexdigest()
    return ProjectHeader(SCHEMA, __version__, header.size, digest).block + image[BLOCK:]


def damaged_project(data: bytes, rng: Rng) -> bytes:
    """A project with damaged JSON, arrays, links or bytes, signed again."""
    if rng.random() < 0.25:
        return signed(data[:BLOCK] + damaged_bytes(data[BLOCK:], rng))
    return signed(damaged_hdf5(data, rng, "json"))


def damaged_hdf5(data: bytes, rng: Rng, texts: str = "") -> bytes:
    """An HDF5 file with a data set or a group somewhere replaced; ``texts``: name of data sets that hold JSON."""
    image = io.BytesIO(data)
    with h5py.File(image, "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        jsons = [name for name in names if texts and name.rsplit("/", 1)[-1] == texts]
        if jsons and rng.random() < 0.6:
            name = jsons[int(rng.integers(len(jsons)))]
            text = damaged_json_text(bytes(file[name][()]), rng)
            del file[name]
            file.create_dataset(name, data=np.bytes_(text or b" "))
        else:
            name = names[int(rng.integers(len(names)))]
            _CHANGES[int(rng.integers(len(_CHANGES)))](file, name, rng)
    return image.getvalue()


def damaged_mat_session(data: bytes, rng: Rng) -> bytes:
    """A session in a MATLAB file whose JSON is damaged."""
    variables = loadmat(io.BytesIO(data))
    stored = variables["session"][0, 0]
    text = damaged_json_text(str(stored["json"][0]).encode("ascii"), rng).decode("latin-1") or " "
    stored["json"] = np.array([text])
    image = io.BytesIO()
    savemat(image, {name: one for name, one in variables.items() if not name.startswith("__")})
    return image.getvalue()


def _other_array(file: h5py.File, name: str, rng: Rng) -> None:
    others = (
        np.float64(3.0), np.zeros(0), np.zeros((0, 3, 3)), np.zeros((2, 2, 2, 2)), np.array(b"text"), np.arange(5),
        np.full((4, 3), np.nan), np.full((4, 3), np.inf), np.array([1 + 2j]), np.array([True, False]),
        np.zeros(3, dtype=[("a", "f8"), ("b", "S3")]), np.full((40, 3, 3), 1e300), np.arange(6, dtype=">i2"),
    )  # fmt: skip
    del file[name]
    file.create_dataset(name, data=others[int(rng.integers(len(others)))])


def _vast_array(file: h5py.File, name: str, rng: Rng) -> None:
    shape = [(2**33,), (2**40, 3), (2**20, 2**20, 3), (2**62,)][int(rng.integers(4))]
    del file[name]
    file.create_dataset(name, shape, "f8", chunks=tuple(min(n, 16) for n in shape))


def _link(file: h5py.File, name: str, rng: Rng) -> None:
    del file[name]
    links = (
        h5py.SoftLink("/"),
        h5py.SoftLink("/" + name),
        h5py.SoftLink("/nowhere"),
        h5py.ExternalLink("/etc/passwd", "/"),
    )
    file[name] = links[int(rng.integers(4))]


def _circle(file: h5py.File, name: str, rng: Rng) -> None:
    del file[name]
    file[name] = file["/"]


def _gone(file: h5py.File, name: str, rng: Rng) -> None:
    del file[name]


def _group(file: h5py.File, name: str, rng: Rng) -> None:
    del file[name]
    file.create_group(name)


def _external(file: h5py.File, name: str, rng: Rng) -> None:
    del file[name]
    file.create_dataset(name, (100,), "u1", external=[("/etc/passwd", 0, 100)])


_CHANGES: tuple[Callable[[h5py.File, str, Rng], None], ...] = (
    _other_array, _other_array, _other_array, _vast_array, _link, _circle, _gone, _group, _external,
)  # fmt: skip


def damaged_office(data: bytes, rng: Rng) -> bytes:
    """Damage a packed workbook or document as it is, or one of the texts in it, packed again so that it is believed."""
    if rng.random() < 0.3:
        return damaged_bytes(data, rng)
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    name = str(rng.choice([one for one in parts if one.endswith((".xml", ".rels"))]))
    parts[name] = damaged_text(parts[name], rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for one, content in parts.items():
            packed.writestr(one, content)
    return out.getvalue()
