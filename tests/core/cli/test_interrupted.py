"""Ctrl+C on the command line."""

import signal

from biomec.cli import main
from biomec.io import registry


def test_ctrl_c_ends_with_one_line(monkeypatch, capsys, tmp_path):
    """It ended in forty lines of calls."""

    def read(*_, **__):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(registry, "find_format", read)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background starts with it ignored
    try:
        code = main(["info", str(tmp_path / "walk.trc")])
    finally:
        signal.signal(signal.SIGINT, before)
    assert code == 130
    said = capsys.readouterr()
    assert said.err.strip() == "Interrupted."
    assert said.out == ""
