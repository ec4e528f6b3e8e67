"""Ctrl+C on the command line."""

import signal
import sys

import pytest

from biomec.cli import main
from biomec.io import registry


@pytest.fixture(autouse=True)
def heard():
    """Ctrl+C arrives; a job in the background starts with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_with_one_line(monkeypatch, capsys, tmp_path):
    """It ended in forty lines of calls."""

    def read(*_, **__):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(registry, "find_format", read)
    assert main(["info", str(tmp_path / "walk.trc")]) == 130
    said = capsys.readouterr()
    assert said.err.strip() == "Interrupted."
    assert said.out == ""


def test_ctrl_c_while_the_program_loads_ends_with_one_line(monkeypatch, capsys):
    """In the first second it ended in thirty lines of calls: the parts of the program were still being imported."""

    class Loading:
        def find_spec(self, name, path=None, target=None):
            if name == "biomec.cli.program":
                signal.raise_signal(signal.SIGINT)

    monkeypatch.delitem(sys.modules, "biomec.cli.program", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Loading(), *sys.meta_path])
    assert main(["doctor"]) == 130
    said = capsys.readouterr()
    assert said.err.strip() == "Interrupted."
    assert said.out == ""
