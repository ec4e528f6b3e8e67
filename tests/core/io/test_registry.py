"""The registry of formats: content before name, and a sentence where nothing fits."""

import os
import shutil
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from biomec.base.errors import BiomecError, FileError
from biomec.io import registry
from biomec.io.registry import FORMATS, extensions, find_format, read_trial, write_trial
from biomec.recording import Trial
from tests.core.recording.examples import full_trial
from tests.real_data import recording

WRITABLE = [extension for extension in extensions() if extension not in (".txt", ".tsv")]
REAL = {
    "C3D": ("gait_pig_pair", "HC030A05.c3d"),
    "TRC": ("gait_opensim2354", "subject01_walk1.trc"),
    "MOT": ("gait_opensim2354", "subject01_walk1_grf.mot"),
}


def simple_trial() -> Trial:
    """Markers and a plate: what most formats can hold a part of."""
    trial = full_trial()
    return replace(trial, unlabelled=None, other_subjects={}, outputs=None, events=(), notices=(), first_frame=1)


def test_every_extension_belongs_to_one_format_and_every_format_has_its_functions():
    assert len(set(extensions())) == len(extensions())
    for format_ in FORMATS:
        assert callable(format_.reader())
        assert callable(format_.writer())


@pytest.mark.parametrize("extension", WRITABLE)
def test_what_is_written_is_recognised_and_read(extension, tmp_path):
    path = tmp_path / f"ensaio ç 動{extension.upper()}"
    lost = write_trial(simple_trial(), path)
    format_, notices = find_format(path)
    assert extension in format_.extensions
    assert notices == ()
    again = read_trial(path)
    if extension in (".mot", ".sto"):
        assert again.plates[0].samples == 400
        assert any("markers" in notice.sentence for notice in lost)
    else:
        assert again.markers.names == ("C7", "IJ", "GU_D")
        # C3D stores 32-bit reals: 2^-24 of the largest coordinate, in millimetres and back
        np.testing.assert_allclose(again.markers.p_WM, simple_trial().markers.p_WM, rtol=2e-7, atol=1e-9)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [(right, wrong) for right, wrong in permutations([one.extensions[0] for one in FORMATS], 2) if right != ".csv"],
)
def test_a_wrong_extension_does_not_matter_and_is_said(right, wrong, tmp_path):
    write_trial(simple_trial(), tmp_path / f"a{right}")
    shutil.move(tmp_path / f"a{right}", tmp_path / f"a{wrong}")
    trial = read_trial(tmp_path / f"a{wrong}")
    said = [notice for notice in trial.notices if notice.code == "extension-wrong"]
    assert len(said) == 1
    assert find_format(tmp_path / f"a{wrong}")[0].extensions[0] == right
    (tmp_path / f"a{wrong}").rename(tmp_path / "no extension")
    assert not [n for n in read_trial(tmp_path / "no extension").notices if n.code == "extension-wrong"]


@pytest.mark.parametrize(("name", "parts"), REAL.items())
def test_real_files_are_known_by_their_content_alone(name, parts, tmp_path):
    copy = tmp_path / "download"
    shutil.copy(recording(*parts), copy)
    assert find_format(copy)[0].name == name
    assert read_trial(copy).frames == read_trial(recording(*parts)).frames


def test_text_in_utf_16_is_recognised(tmp_path):
    write_trial(simple_trial(), tmp_path / "a.trc")
    text = (tmp_path / "a.trc").read_text(encoding="utf-8")
    (tmp_path / "b").write_text(text, encoding="utf-16")
    assert find_format(tmp_path / "b")[0].name == "TRC"


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "the file is empty"), (b"hello", "not a recording that Biomec knows. It reads C3D (.c3d)")],
)
def test_what_is_no_recording(content, words, tmp_path):
    path = tmp_path / "notes.docx"
    path.write_bytes(content)
    with pytest.raises(FileError) as refused:
        read_trial(path)
    assert str(refused.value).startswith("notes.docx: ")
    assert words in str(refused.value)


def test_places_where_there_is_no_file(tmp_path):
    with pytest.raises(FileError, match=r"walk\.c3d: there is no such file in .*"):
        read_trial(tmp_path / "walk.c3d")
    with pytest.raises(FileError, match="this is a folder"):
        read_trial(tmp_path)
    with pytest.raises(FileError, match="cannot be the name of a file"):
        read_trial("a\0b.c3d")


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="the administrator may read everything")
def test_permission_denied(tmp_path):
    path = tmp_path / "a.c3d"
    path.write_bytes(b"\x02\x50")
    path.chmod(0)
    with pytest.raises(FileError, match="Permission denied"):
        read_trial(path)


def test_permission_denied_by_the_system(tmp_path, monkeypatch):
    def refuse(self, *_, **__):
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "a.c3d"
    path.write_bytes(b"\x02\x50")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(FileError, match=r"a\.c3d: it cannot be read: Permission denied"):
        read_trial(path)


def test_an_error_without_a_file_gets_one(tmp_path, monkeypatch):
    def broken(path):
        raise BiomecError("Markers: the name A occurs more than once.")

    (tmp_path / "a.trc").write_text("PathFileType\t4\n")
    monkeypatch.setattr(registry.Format, "reader", lambda self: broken)
    with pytest.raises(FileError, match=r"^a\.trc: Markers: the name A"):
        read_trial(tmp_path / "a.trc")


def test_nothing_is_overwritten_unless_asked(tmp_path):
    path = tmp_path / "a.trc"
    path.write_text("mine")
    with pytest.raises(FileError, match="exists and was not overwritten"):
        write_trial(simple_trial(), path)
    assert path.read_text() == "mine"
    write_trial(simple_trial(), path, overwrite=True)
    assert read_trial(path).frames == 40


def test_an_unknown_format_cannot_be_written(tmp_path):
    with pytest.raises(FileError, match="says no format that Biomec writes"):
        write_trial(simple_trial(), tmp_path / "a.docx")
    assert not (tmp_path / "a.docx").exists()


def test_a_table_with_z_up_has_its_centre_of_pressure_on_the_floor(tmp_path):
    """A MOT file with Z up was read with Y up, and its centre of pressure lay metres away, without a word."""
    names = "time\t" + "\t".join(f"ground_force_{k}{axis}" for k in "vp" for axis in "xyz") + "\tground_torque_z\n"
    rows = "".join(f"{k / 1000:.3f}\t30\t-20\t700\t0.4\t0.25\t0\t1.5\n" for k in range(200))
    (tmp_path / "a.mot").write_text(f"grf\nversion=1\nnRows=200\nnColumns=8\ninDegrees=no\nendheader\n{names}{rows}")
    trial = read_trial(tmp_path / "a.mot")
    assert trial.axes.up == "+z"
    assert "up-by-evidence" in [notice.code for notice in trial.notices]
    np.testing.assert_allclose(trial.plates[0].centre_of_pressure()[100], [0.4, 0.25, 0.0], atol=1e-12)
    assert read_trial(tmp_path / "a.mot", examine=False).axes.up == "+y"


@pytest.mark.parametrize("extension", [".trc", ".emt", ".csv"])
def test_zeros_are_kept_if_asked_for(extension, tmp_path):
    p = simple_trial().markers.p_WM.copy()
    p[3, 1] = 0.0
    trial = replace(simple_trial(), markers=replace(simple_trial().markers, p_WM=p))
    write_trial(trial, tmp_path / f"a{extension}")
    kept = read_trial(tmp_path / f"a{extension}", keep_zeros=True)
    assert kept.markers["IJ"][3].tolist() == [0.0, 0.0, 0.0]
    usual = read_trial(tmp_path / f"a{extension}")
    assert np.isnan(usual.markers["IJ"][3]).all() == (extension != ".csv")  # Biomec's own table means what it says
