"""Runs beside each other and beside tables of other programs, as histories with differences."""

from __future__ import annotations

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.cli.program import run as main
from biomec.machines.columns import columns_of
from biomec.machines.comparison import differences, table_run
from biomec.machines.machine import load_machine
from biomec.machines.output import curves_table
from biomec.machines.studies import study
from biomec.machines.study import Run, curve, options_from


def answer(name, key, **options):
    machine, chosen = load_machine(name), study(key)
    if name == "knee-prosthesis":
        machine = machine.with_preset("sim2")[0]
    return chosen.run(machine, options_from(chosen, options), None)


def made(time_s, **values):
    machine = load_machine("pendulum")
    return Run(
        "x", "x", machine, None, np.asarray(time_s), tuple(curve("Angles", k, "deg", v) for k, v in values.items()), {}
    )


def test_differences_have_least_largest_and_mean():
    one = made([0.0, 1.0, 2.0], a=[1.0, 2.0, 3.0], b=[0.0, 0.0, 0.0])
    other = made([0.0, 2.0, 4.0], a=[361.0, 365.0, 0.0])  # a turn more, and half as many instants
    (found,) = differences(one, other)
    assert found.values == pytest.approx([0.0, -1.0, -2.0])
    assert (found.least, found.largest, found.mean) == pytest.approx((0.0, 2.0, 1.0))
    with pytest.raises(BiomecError, match="no quantity in common"):
        differences(one, made([0.0, 1.0], c=[0.0, 1.0]))


def test_a_run_does_not_differ_from_its_own_table():
    run = answer("crank-press", "inverse", samples=21)
    found = differences(run, table_run(columns_of(curves_table(run), "curves.csv"), run))
    assert len(found) == len(run.curves)
    for one in found:  # nine digits are written
        sizes = max(np.abs(c.values).max() for c in run.curves if (c.group, c.name) == (one.group, one.name))
        assert one.largest <= 1e-8 * max(sizes, 1.0)


def test_columns_of_another_program_are_found_by_name_and_unit():
    run = answer("crank-press", "inverse", samples=5)
    angle = next(one for one in run.curves if (one.group, one.name) == ("Angles", "crank"))
    rows = "\n".join(f"{t};{np.deg2rad(x)};1" for t, x in zip(run.time_s, angle.values, strict=True))
    other = table_run(columns_of(f"t;crank [rad];what [V]\n{rows}", "other.csv"), run)
    assert other.notices == ("other.csv: these columns are not curves of the run: what.",)
    (found,) = differences(run, other)
    assert found.largest < 1e-9
    with pytest.raises(BiomecError, match="no column has the name"):
        table_run(columns_of("t,foo\n0,1\n1,1\n", "other.csv"), run)


def test_a_cell_that_does_not_end_on_its_line_is_refused_in_words():
    with pytest.raises(BiomecError, match="quotation mark"):
        columns_of('t,a\n0,"1\n1,2\n2,3\n', "other.csv")


def test_a_table_is_compared_from_the_command_line(tmp_path, capsys):
    out = tmp_path / "first"
    assert main(["mechanism", "pendulum", "--analysis", "forward", "--option", "samples=11", "--out", str(out)]) == 0
    asked = ["mechanism", "pendulum", "--analysis", "forward", "--option", "samples=11", "--set", "L=1.1"]
    capsys.readouterr()
    assert main([*asked, "--compare", str(out / "curves.csv"), "--out", str(tmp_path / "second")]) == 0
    shown = capsys.readouterr().out
    assert "Absolute differences to curves.csv" in shown
    assert "Angles: bar" in shown
    rows = (tmp_path / "second" / "differences.csv").read_text("utf-8").splitlines()
    assert len(rows) == 12


@pytest.mark.parametrize("other", ["law hertz", "rigid stop"])
def test_a_swing_is_compared_with_another_law_and_with_a_rigid_stop(other):
    """Until the touch nothing differs; beyond it, the thigh still does not, as its motion is prescribed."""
    run = answer("knee-prosthesis", "swing", compare=other, duration_s=0.23, every_s=0.002)
    assert run.succeeded
    found = {f"{one.group}: {one.name}": one.values for one in run.curves}
    shank, thigh = found["Δ Angles: shank"], found["Δ Angles: thigh"]
    before = run.time_s < 0.211
    assert np.abs(shank[before]).max() < 1e-6
    assert np.abs(shank[~before]).max() > 1e-3
    assert np.abs(thigh).max() < 1e-9
    assert f"Absolute differences to {other}" in run.text
    assert "differences.csv" in run.files
