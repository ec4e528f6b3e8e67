"""Files of gigabytes are refused before they are read, whoever reads them."""

import os
from pathlib import Path

import pytest

from biomec.base import limits
from biomec.base.description_file import read_text as read_description
from biomec.base.errors import FileError
from biomec.base.limits import LONGEST_DESCRIPTION, MB, whole_file
from biomec.cli import main
from biomec.engine.description import load_system
from biomec.io.channel_files import original_of
from biomec.io.label_map_file import read_label_map
from biomec.io.project import BLOCK, SCHEMA, ProjectHeader, load_project
from biomec.io.registry import FORMATS, read_trial, write_trial
from biomec.machines.machine import load_machine
from biomec.pipeline.settings_file import read_settings
from biomec.reporting.norms.readers import read_norms
from tests.core.recording.examples import full_trial

SIZE = 6 << 30
FREE = 2 << 30
DESCRIPTIONS = {
    "settings": read_settings, "label map": read_label_map, "machine": load_machine, "mechanism": load_system,
    "description": read_description,
}  # fmt: skip
SUFFIXES = [one.extensions[0] for one in FORMATS]


@pytest.fixture(autouse=True)
def little(monkeypatch):
    """A computer with 2 GB of free memory, on which nobody reads a file of gigabytes."""
    monkeypatch.setattr(limits, "free_memory", lambda: FREE)
    real = Path.read_bytes

    def read(path):
        assert path.stat().st_size <= FREE, "it was read"
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read)


def grown(path: Path, size: int = SIZE) -> Path:
    """The file, made long by zeros that take no room on the disk."""
    os.truncate(path, size)
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_recording_of_gigabytes_is_refused_before_it_is_read(suffix, tmp_path):
    write_trial(full_trial(frames=4), tmp_path / f"a{suffix}")
    path = grown(tmp_path / f"a{suffix}")
    with pytest.raises(FileError, match=r"memory|damaged"):
        read_trial(path)
    if suffix not in (".c3d", ".biomec"):
        with pytest.raises(FileError, match=r"the file has 6144 MB, too much for the memory that is free \(2048 MB\)"):
            original_of(path)


@pytest.mark.parametrize("reader", DESCRIPTIONS)
def test_a_description_is_never_longer_than_a_person_writes(reader, tmp_path):
    path = tmp_path / "a.toml"
    path.write_text('name = "a"\n')
    assert whole_file(path, most=LONGEST_DESCRIPTION) == b'name = "a"\n'
    with pytest.raises(FileError, match="the file has 5 MB; one of this kind has 4 MB at most"):
        DESCRIPTIONS[reader](grown(path, 5 * MB))


@pytest.mark.parametrize("name", ["a.gcd", "a.json", "a.xlsx"])
def test_norms_of_gigabytes_are_refused(name, tmp_path):
    start = {"a.gcd": b"#!DST-0.1 GCD\n", "a.json": b'{"a": 1}', "a.xlsx": b"PK\x03\x04"}[name]
    (tmp_path / name).write_bytes(start)
    with pytest.raises(FileError, match="too much for the memory"):
        read_norms(grown(tmp_path / name))


def test_a_project_that_states_its_gigabytes_is_refused_before_it_is_hashed(tmp_path, monkeypatch):
    path = tmp_path / "a.biomec"
    path.write_bytes(ProjectHeader(SCHEMA, "0.3", SIZE - BLOCK, "0" * 64).block)
    monkeypatch.setattr("biomec.io.project.hashlib.sha256", lambda *_: pytest.fail("it was hashed"))
    with pytest.raises(FileError, match="memory"):
        load_project(grown(path))


def test_without_memory_the_command_line_says_so(monkeypatch, capsys, tmp_path):
    def read(*_, **__):
        raise MemoryError

    monkeypatch.setattr("biomec.io.registry.find_format", read)
    assert main(["info", str(tmp_path / "walk.trc")]) == 1
    assert capsys.readouterr().err.startswith("There is not enough free memory.")
