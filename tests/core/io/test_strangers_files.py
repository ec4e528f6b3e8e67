"""Project and MATLAB files that somebody crafted: they show nothing of other files and take no more than they hold."""

import hashlib
import io
import zlib

import h5py
import numpy as np
import pytest

from biomec.base.errors import FileError
from biomec.base.limits import MB, SMALL, Budget, TooMuchError
from biomec.io.mat_tree import read_tree
from biomec.io.project import BLOCK, SCHEMA, ProjectHeader, load_project, save_project
from biomec.recording import Session
from tests.core.recording.examples import full_trial

SECRET = "root:x:0:0:secret"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    path = tmp_path_factory.mktemp("strange") / "a.biomec"
    save_project(Session(full_trial()), path)
    return path.read_bytes()


def signed(content: bytes, change, path) -> None:
    """A project of which ``change(file)`` changed the content, signed as Biomec signs."""
    image = io.BytesIO(content)
    with h5py.File(image, "r+") as file:
        change(file)
    body = image.getvalue()[BLOCK:]
    header = ProjectHeader(SCHEMA, "0.2.0", len(body), "")
    digest = hashlib.sha256(header.signed_text + body).hexdigest()
    path.write_bytes(ProjectHeader(SCHEMA, "0.2.0", len(body), digest).block + body)


def external(file, secret, name="dynamic/markers/p_WM"):
    shape, kind = file[name].shape, file[name].dtype
    del file[name]
    file.create_dataset(name, shape, kind, external=[(str(secret), 0, h5py.h5f.UNLIMITED)])


def virtual(file, secret):
    name = "dynamic/markers/p_WM"
    layout = h5py.VirtualLayout(file[name].shape, file[name].dtype)
    layout[:] = h5py.VirtualSource(str(secret), "x", file[name].shape)
    del file[name]
    file.create_virtual_dataset(name, layout)


def link(made):
    def change(file, secret):
        del file["dynamic/markers/p_WM"]
        file["dynamic/markers/p_WM"] = made(secret)

    return change


def unallocated(file, secret):
    del file["dynamic/markers/p_WM"]
    file.create_dataset("dynamic/markers/p_WM", (10**6, 700, 3), "f8", chunks=(1000, 7, 3))


def unwritten(file, secret):
    del file["dynamic/markers/p_WM"]
    file.create_dataset("dynamic/markers/p_WM", (10**6, 700, 3), "f8")


def cyclic(file, secret):
    file["dynamic/markers/again"] = file["dynamic"]


def varying(file, secret):
    del file["session/json"]
    file.create_dataset("session/json", data="x" * 100, dtype=h5py.string_dtype())


STRANGE = {
    "external storage": lambda file, secret: external(file, secret),
    "external text": lambda file, secret: external(file, secret, "session/json"),
    "virtual": virtual,
    "external link": link(lambda secret: h5py.ExternalLink(str(secret), "/x")),
    "soft link": link(lambda secret: h5py.SoftLink("/dynamic/markers/residual")),
    "unallocated": unallocated,
    "unwritten": unwritten,
    "cyclic": cyclic,
    "varying length": varying,
}


@pytest.mark.parametrize("kind", STRANGE)
def test_a_project_that_reaches_outside_or_asks_too_much_is_refused(kind, project, tmp_path):
    """A crafted project copied a system file into a channel, and one of 41 kB took 16 GB."""
    secret, path = tmp_path / "secret.txt", tmp_path / "crafted.biomec"
    secret.write_text(SECRET * 4000)
    signed(project, lambda file: STRANGE[kind](file, secret), path)
    with pytest.raises(FileError, match="unexpected content") as refused:
        load_project(path)
    assert "root" not in str(refused.value)
    assert secret.name not in str(refused.value)


def test_a_project_signed_again_without_change_opens(project, tmp_path):
    signed(project, lambda file: None, tmp_path / "same.biomec")
    assert load_project(tmp_path / "same.biomec").dynamic.markers.names == full_trial().markers.names


def test_groups_without_end_are_refused_in_words(project, tmp_path):
    def nest(file):
        group = file["dynamic"]
        for _ in range(3000):
            group = group.create_group("g")

    signed(project, nest, tmp_path / "deep.biomec")
    load_project(tmp_path / "deep.biomec")  # nobody asks for them; looking through needs no recursion


MAT = {
    "external storage": lambda file, secret: file.create_dataset("x", (40,), "u1", external=[(str(secret), 0, 40)]),
    "external link": lambda file, secret: file.__setitem__("x", h5py.ExternalLink(str(secret), "/x")),
    "soft link": lambda file, secret: file.__setitem__("x", h5py.SoftLink("/trial")),
    "cyclic": lambda file, secret: file.create_group("x").__setitem__("y", file["/"]),
    "too large": lambda file, secret: file.create_dataset("x", (10**5, 10**5), "f8", chunks=(100, 100)),
}


@pytest.mark.parametrize("kind", MAT)
def test_a_matlab_file_of_version_73_that_reaches_outside_is_refused(kind, tmp_path):
    secret, path = tmp_path / "secret.txt", tmp_path / "a.mat"
    secret.write_text(SECRET)
    with h5py.File(path, "w") as file:
        MAT[kind](file, secret)
    with pytest.raises(FileError, match="cannot be read") as refused:
        read_tree(path)
    assert "root" not in str(refused.value)


def test_an_object_that_only_a_reference_names_is_inspected_too(tmp_path):
    secret, path = tmp_path / "secret.txt", tmp_path / "a.mat"
    secret.write_text(SECRET)
    with h5py.File(path, "w") as file:
        hidden = file.create_dataset(None, (10,), "u1", external=[(str(secret), 0, 10)])
        cell = file.create_dataset("x", (1,), h5py.ref_dtype)
        cell[0] = hidden.ref
        cell.attrs["MATLAB_class"] = np.bytes_(b"cell")
        kept = file.create_dataset("y", (1,), h5py.ref_dtype)
        kept[0] = hidden.ref
    with pytest.raises(FileError, match="cannot be read"):
        read_tree(path)


def test_references_that_multiply_are_refused(tmp_path, monkeypatch):
    """Cells that name each other many times: each level multiplies what is read."""
    monkeypatch.setattr("biomec.base.limits.SMALL", 2 * MB)
    with h5py.File(tmp_path / "a.mat", "w") as file:
        below = file.create_dataset("#refs#/a", data=np.zeros((1, 1)))
        for k in range(8):
            cell = file.create_dataset(f"#refs#/b{k}", (50, 1), h5py.ref_dtype)
            cell[:] = below.ref
            cell.attrs["MATLAB_class"] = np.bytes_(b"cell")
            below = cell
        top = file.create_dataset("x", (1, 1), h5py.ref_dtype)
        top[:] = below.ref
        top.attrs["MATLAB_class"] = np.bytes_(b"cell")
    with pytest.raises(FileError, match="memory"):
        read_tree(tmp_path / "a.mat")


def test_a_small_compressed_variable_cannot_fill_the_memory(tmp_path, monkeypatch):
    """A MATLAB file of 4 MB took 8 GB."""
    monkeypatch.setattr("biomec.base.limits.SMALL", MB)
    packed = zlib.compress(bytes(20 * MB), 9)
    head = b"MATLAB 5.0 MAT-file".ljust(124) + (0x0100).to_bytes(2, "little") + b"IM"
    path = tmp_path / "bomb.mat"
    path.write_bytes(head + (15).to_bytes(4, "little") + len(packed).to_bytes(4, "little") + packed)
    with pytest.raises(FileError, match="memory"):
        read_tree(path)


def test_a_budget_counts_what_is_taken():
    budget = Budget(10, 2.0)
    assert 0 < budget.limit <= SMALL
    budget.take(budget.limit)
    with pytest.raises(TooMuchError):
        budget.take(1)
