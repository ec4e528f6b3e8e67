"""A pipe or a device in place of a file: a sentence at once, where programs waited for ever or read without end."""

import os
from pathlib import Path

import pytest

from biomec.base.atomic import atomic_path
from biomec.base.description_file import read_text as read_description
from biomec.base.errors import FileError
from biomec.cli import main
from biomec.engine.description import load_system
from biomec.io.label_map_file import read_label_map
from biomec.io.mat_session import read_mat_session
from biomec.io.project import load_project, save_project
from biomec.io.registry import FORMATS, read_trial
from biomec.io.session_import import import_session
from biomec.machines.machine import load_machine
from biomec.pipeline.settings_file import read_settings
from biomec.recording import Session
from tests.core.recording.examples import full_trial

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and devices as on POSIX")

READERS = {
    "recording": read_trial, "session": import_session, "project": load_project, "settings": read_settings,
    "label map": read_label_map, "machine": load_machine, "mechanism": load_system, "MATLAB": read_mat_session,
    "description": read_description,
}  # fmt: skip


@pytest.fixture
def pipe(tmp_path) -> Path:
    path = tmp_path / "pipe.toml"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("reader", READERS)
def test_nothing_reads_a_pipe_or_a_device(reader, pipe, tmp_path):
    device = tmp_path / "endless.toml"
    device.symlink_to("/dev/zero")
    for path, words in ((pipe, "a pipe"), (device, "a device")):
        with pytest.raises(FileError, match=f"^{path.name}: this is {words}, not a file"):
            READERS[reader](path)


def test_no_reader_of_a_format_reads_a_pipe(pipe):
    for one in FORMATS:
        with pytest.raises(FileError, match="this is a pipe"):
            one.reader()(pipe)


def test_nothing_is_written_over_a_device(pipe):
    with pytest.raises(FileError, match="this is a pipe"), atomic_path(pipe):
        pass
    with pytest.raises(FileError, match="this is a pipe"):
        save_project(Session(full_trial()), pipe)


def test_the_command_line_says_so(pipe, capsys):
    assert main(["info", str(pipe)]) == 1
    assert capsys.readouterr().err == f"{pipe.name}: this is a pipe, not a file. Biomec reads and writes files only.\n"
