"""Sweeps of blows: directions, cancelling and going on, studies on the command line."""

import json
from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError, FileError
from biomec.base.progress import Cancelled
from biomec.cli import main
from biomec.engine.forces.pulses import triangle
from biomec.machines.head_neck import sweep_study, sweeps
from biomec.machines.head_neck.impact import PRESETS, ImpactOptions
from biomec.machines.head_neck.model import BONES, DEGREES, RADIANS, file_text
from biomec.machines.head_neck.study import STUDY as IMPACT_STUDY
from biomec.machines.head_neck.study import blow_of, impact_options, pulse_from
from biomec.machines.head_neck.sweep_study import STUDY as SWEEP_STUDY
from biomec.machines.head_neck.sweep_study import trials_of
from biomec.machines.head_neck.sweeps import (
    band,
    blow_from,
    direction_trials,
    directions,
    peak_trials,
    risk_map,
    sweep,
)
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.study import options_from

PULSE = triangle(16e3, 0.2e-3, 0.7e-3)
BRIEF = ImpactOptions(duration_s=0.002)


def test_directions_cover_the_sphere_evenly():
    for level, count in ((0, 12), (1, 42), (2, 162)):
        found = directions(level)
        assert found.shape == (count, 3)
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-14)
        np.testing.assert_allclose(found.sum(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(found.T @ found, np.eye(3) * count / 3.0, atol=1e-10)  # no direction is favoured
    near = np.sort(np.linalg.norm(found[:, None] - found, axis=2), axis=1)[:, 1]
    assert near.max() / near.min() < 1.3


def test_a_map_is_symmetric_and_each_row_is_its_own_blow(neck_at_rest):
    trials = direction_trials(neck_at_rest, PULSE, BRIEF, 0)
    rows = sweep(trials)
    sides = directions(0)
    values = {tuple(np.round(side, 6)): row.figures["hic15"] for side, row in zip(sides, rows, strict=True)}
    for (x, y, z), hic in values.items():
        assert hic == pytest.approx(values[x, -y if y else y, z], rel=1e-9)  # left and right
    blow = blow_from(sides[3], PULSE)
    np.testing.assert_allclose(blow.direction, -sides[3], atol=1e-15)
    alone = sweep([trials[3]])[0]
    assert alone.figures == rows[3].figures
    assert all(0.0 <= risk <= 1.0 for one in risk_map(rows) for risk in one.values())
    low, high = band(rows)["hic15"]
    assert low == min(values.values())
    assert high == max(values.values())


def test_a_stopped_sweep_goes_on_where_it_was(neck_at_rest, tmp_path):
    trials, kept = direction_trials(neck_at_rest, PULSE, BRIEF, 0), tmp_path / "rows.json"

    def stop(fraction: float) -> None:
        if fraction > 0.4:
            raise Cancelled

    with pytest.raises(Cancelled):
        sweep(trials, stop, kept)
    half = json.loads(kept.read_text(encoding="utf-8"))
    assert 0 < len(half["rows"]) < 12
    half["rows"][0]["figures"]["hic15"] = -1.0  # a mark: known rows are not computed again
    kept.write_text(json.dumps(half), encoding="utf-8")
    rows = sweep(trials, None, kept)
    assert sum(row.figures["hic15"] == -1.0 for row in rows) == 1
    assert [row.name for row in rows] == [one.name for one in trials]
    other = peak_trials(neck_at_rest, PRESETS["frontal"], BRIEF, [1.0])
    with pytest.raises(FileError, match="rows of other blows"):
        sweep(other, None, kept)
    kept.write_text("[]", encoding="utf-8")
    with pytest.raises(FileError, match="does not hold the rows"):
        sweep(trials, None, kept)


def test_what_is_varied_is_varied(neck_at_rest):
    def trials(over: str, values: str = ""):
        return trials_of(options_from(SWEEP_STUDY, {"over": over, "values": values, "duration_s": 0.002}))

    assert [one.blow.pulse.impulse for one in trials("peak", "0.5, 2")] == pytest.approx([2.8, 11.2])
    longer = trials("duration", "2")[0].blow.pulse
    assert (longer.end, longer.impulse) == pytest.approx((1.4e-3, 11.2))
    heavy = trials("helmet", "0; 1.5")
    assert [one.equilibrium.model.mass for one in heavy] == pytest.approx([6.32, 7.82])
    assert [one.options.bracing for one in trials("bracing", "0.2")] == [0.2]
    doubts = trials("doubtful numbers")
    assert len({one.name for one in doubts}) == len(doubts) == 10
    assert len({one.equilibrium.model.options for one in doubts}) == 6
    for over, values, sentence in (("peak", "-1", "must be above 0"), ("peak", "one", "are not numbers")):
        with pytest.raises(BiomecError, match=sentence):
            trials(over, values)


def test_the_command_prints_the_headline_figures(capsys):
    assert main(["mechanism", "head-neck", "--preset", "lateral", "--option", "duration_s=0.01", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = {"degrees_of_freedom": 48, "muscles": 76, "ligaments": 82, "discs": 6, "contacts": 24}
    assert {key: found[key] for key in expected} == expected
    assert 383.0 < found["hic15"] <= found["hic36"] < 390.0
    assert found["bric"] > 0.0
    assert found["energy_imbalance"] < 1e-4


def test_presets_are_the_published_blows():
    machine = load_machine("head-neck")
    for name, blow in PRESETS.items():
        _, preset = machine.with_preset(name)
        options = options_from(IMPACT_STUDY, preset.options)
        made = blow_of(options)
        np.testing.assert_allclose(made.point, blow.point, atol=1e-15)
        np.testing.assert_allclose(made.direction, blow.direction)
        np.testing.assert_array_equal(made.pulse.force, blow.pulse.force)
        assert impact_options(options) == ImpactOptions()


@pytest.mark.parametrize("over", ["peak", "helmet", "doubtful numbers"])
def test_every_sweep_is_of_the_users_own_model(monkeypatch, tmp_path, neck_at_rest, over):
    """A head that is 1 kg heavier in the folder, a helmet of 1 kg, discs in N·m/rad: 6.32 kg become 8.32."""
    heavy = file_text(BONES).replace("C0,C1,4.69", "C0,C1,5.69")
    (tmp_path / BONES).write_text(heavy, encoding="utf-8")
    met = []
    for module in (sweeps, sweep_study):  # what the model is matters here, not how it rests
        monkeypatch.setattr(module, "equilibrium_for", lambda model, _: (met.append(model), neck_at_rest)[1])
    given = {"over": over, "values": "1", "folder": str(tmp_path), "helmet_kg": 1.0, "disc_unit": RADIANS}
    trials = trials_of(options_from(SWEEP_STUDY, given))
    assert [one.mass for one in met] == pytest.approx([8.32] * len(met))
    assert met[0].options.disc_unit == RADIANS
    if over == "doubtful numbers":
        assert sum(one.options.disc_unit == DEGREES for one in met) == 1  # the other reading of the user's own
        assert len({one.options for one in met}) == 6
        assert len({one.name for one in trials}) == 10


def test_a_pulse_is_the_column_of_forces_in_its_unit(tmp_path):
    file = tmp_path / "pulse.csv"

    def pulse(head: str, row: str):
        file.write_text(f"time [s],{head}\n0,0,0\n0.0002,{row}\n0.0007,0,0\n", encoding="utf-8")
        return pulse_from(str(file))

    # triangles: half of 16 kN over 0.7 ms
    assert pulse("acceleration [g],force [kN]", "100,16").impulse == pytest.approx(5.6)
    assert pulse("force [N],acceleration [g]", "16000,100").impulse == pytest.approx(5.6)
    for head, found in (
        ("left [N],right [kN]", r"there are 2\. The columns beside the time are left \[N\], right \[kN\]"),
        ("force,acceleration [g]", r"there are none\. .* are force \(no unit\), acceleration \[g\]"),
    ):
        with pytest.raises(FileError, match=f"pulse.csv: a pulse needs one column whose unit is N or kN, and {found}"):
            pulse(head, "1,1")


@pytest.mark.parametrize(("study", "more"), [(IMPACT_STUDY, {}), (SWEEP_STUDY, {"over": "peak", "values": "1, 2"})])
def test_a_run_says_once_that_it_ends_before_the_blow(study, more):
    run = study.run(load_machine("head-neck"), options_from(study, {"duration_s": 0.0005, **more}), None)
    told = [one for one in run.notices if one.startswith("The blow lasts until 0.7 ms, and the run ends at 0.5 ms")]
    assert len(told) == 1


@pytest.mark.parametrize("key", ["folder", "kept", "pulse_file"])
def test_a_machine_from_somebody_else_cannot_name_files(key):
    """A preset that did could read a table, or write one, wherever its author wanted."""
    text = f'name = "m"\ndimension = 3\n[[preset]]\nname = "p"\noptions = {{ {key} = "/etc/passwd" }}\n'
    with pytest.raises(BiomecError, match=f"a preset cannot name files: give {key}"):
        parse_machine(text, "m.toml")


def test_a_run_has_curves_poses_and_a_table(tmp_path, neck):
    file = tmp_path / "pulse.csv"
    file.write_text("time [s],force [N]\n0,0\n0.0002,8000\n0.0007,0\n", encoding="utf-8")
    given = {"duration_s": 0.005, "pulse": "from a file", "pulse_file": str(file)}
    run = IMPACT_STUDY.run(load_machine("head-neck"), options_from(IMPACT_STUDY, given), None)
    assert run.figures["impulse_Ns"] == pytest.approx(2.8)
    assert run.succeeded
    names = {(one.group, one.name) for one in run.curves}
    assert {("Ligament strain", "alar left"), ("Flexion", "C0"), ("Energy", "work of blow")} <= names
    assert all(len(one.values) == len(run.time_s) for one in run.curves)
    assert set(run.poses) == set(neck.names[1:])
    assert run.poses["C0"].shape == (len(run.time_s), 3, 4)
    assert run.files["points.csv"].count("\n") == 1 + 2 * 82 + sum(len(one.bodies) for one in neck.muscles) + 24
    assert "Ligaments, those that pass their limit first" in run.text
    with pytest.raises(BiomecError, match="needs the name of the file"):
        blow_of(replace(run.options, pulse_file=""))
    assert "head and neck" in str(IMPACT_STUDY.refusal(load_machine("pendulum")))
