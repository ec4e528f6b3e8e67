"""Files of a run."""

from dataclasses import replace

import pytest

from biomec.base.errors import FileError
from biomec.machines.machine import load_machine
from biomec.machines.output import FILES, write_run
from tests.core.machines.swing_study import STUDY, SwingOptions


def test_a_run_without_curves_has_no_table_of_them(tmp_path):
    full = STUDY.run(load_machine("four-bar"), SwingOptions(), None)
    bare = replace(full, curves=())
    assert "curves.csv" not in {path.name for path in write_run(bare, tmp_path / "bare")}
    assert not (tmp_path / "bare" / "curves.csv").exists()
    out = tmp_path / "out"
    assert {path.name for path in write_run(full, out)} == {*FILES, "equations.c"}
    with pytest.raises(FileError, match="holds results already"):
        write_run(bare, out)
    assert (out / "curves.csv").exists()
    write_run(bare, out, overwrite=True)  # curves of another run beside its figures would mislead
    assert not (out / "curves.csv").exists()
