"""What a terminal and a window get: the studies swing, impact, design and damper-study."""

import json

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.fields import group
from biomec.cli import main
from biomec.engine.contact.force_laws import LAWS
from biomec.machines.machine import load_machine
from biomec.machines.studies import study
from biomec.machines.study import options_from


def answer(key, name="knee-prosthesis", preset=None, **options):
    machine = load_machine(name)
    if preset:
        machine, _ = machine.with_preset(preset)
    one = study(key)
    assert one.refusal(machine) is None
    return one.run(machine, options_from(one, options), None)


def whole(run):
    """Every curve, pose and figure fits the run."""
    for one in run.curves:
        assert one.values.shape == run.time_s.shape, one.name
    for pose in run.poses.values():
        assert pose.shape == (len(run.time_s), 3)
    assert len({(one.group, one.name) for one in run.curves}) == len(run.curves)
    return run


def test_the_command_line_prints_the_headline_figures(capsys):
    assert main(["mechanism", "knee-prosthesis", "--preset", "sim2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["contact_onset_s"] == pytest.approx(0.211147, rel=1e-3)
    assert found["contact_peak_N"] == pytest.approx(8839.0, rel=1e-3)
    assert found["contact_impulse_Ns"] == pytest.approx(196.14, rel=1e-3)
    assert found["contact_duration_s"] == pytest.approx(0.0824, rel=1e-3)
    assert found["hip_torque_max_Nm"] == pytest.approx(113.758, rel=1e-3)
    assert found["analysis"] == "swing"


def test_a_swing_as_a_study(sim1):
    run = whole(answer("swing", preset="sim1", every_s=0.004))
    assert run.succeeded
    assert run.figures["contact_peak_N"] == pytest.approx(sim1.figures["contact_peak_N"])
    assert set(run.files) == {"tempo.txt", "pos.txt", "vel.txt", "acel.txt", "F_reacao.txt", "F_cont.txt"}
    poses = run.poses["shank"]
    np.testing.assert_allclose(poses[0], sim1.history.q[0, :3], atol=1e-12)


@pytest.mark.parametrize("method", ["published steps", "published listing"])
def test_published_steps_as_a_study_warn_that_they_depend_on_the_step(method):
    run = whole(answer("swing", method=method))
    assert run.figures["contact_duration_s"] == pytest.approx(0.084)
    assert "change with the step" in run.notices[0]


def test_a_comparison_of_two_methods_is_a_table():
    run = answer("swing", method="published steps", compare="published listing")
    assert "anterior link" in run.text
    assert "contact" in run.text
    assert len(run.text.splitlines()) == 2 + 23


def test_a_stop_that_is_not_met_is_told():
    run = whole(answer("swing", duration_s=0.1, every_s=0.01))
    assert np.isnan(run.figures["contact_onset_s"])
    assert run.figures["contact_peak_N"] == 0.0
    assert "not met" in run.notices[0]


def test_every_law_can_be_chosen():
    choices = group(study("swing").options())["law"].choices
    assert tuple(choice.value for choice in choices) == ("as described", *LAWS)


def test_the_rigid_stop_as_a_study():
    run = whole(answer("impact", every_s=0.004))
    assert run.figures["impact_impulse_Ns"] == pytest.approx(138.33, rel=1e-3)
    assert run.figures["effective_mass_kg"] == pytest.approx(8621.3, rel=1e-3)
    assert "impulse of D" in run.text


def test_the_geometry_as_a_study():
    run = whole(answer("design", step_deg=1.0))
    assert run.figures["stop_met_at_deg"] == pytest.approx(0.5845, abs=2e-3)  # straight lines of 1 deg
    assert run.figures["stable_margin_straight_mm"] > 0.0
    assert 5.0 < run.figures["stable_up_to_deg"] < 8.0


def test_the_single_axis_knee_is_compared_on_the_same_read_outs():
    one, four = answer("design", "single-axis-knee", step_deg=2.0), answer("design", step_deg=2.0)
    assert one.figures["centre_travel_mm"] == pytest.approx(0.0, abs=1e-9)
    assert four.figures["centre_travel_mm"] > 50.0
    assert one.figures["stop_met_at_deg"] == pytest.approx(0.585, abs=1e-3)
    swing = whole(answer("swing", "single-axis-knee", every_s=0.004))
    assert swing.succeeded


def test_the_best_damper_as_a_study():
    run = whole(answer("damper-study", lowest=0.8, highest=1.8, scan=3, refinements=2))
    assert run.succeeded
    assert run.figures["contact_onset_s"] <= 0.25
    assert run.machine.values["c"] == pytest.approx(run.figures["best_c"])
    assert run.figures["trials"] == 5.0
    assert len(run.files["trials.csv"].splitlines()) == 6
    with pytest.raises(BiomecError, match="no parameter"):
        answer("damper-study", parameters="nothing")


def test_machines_without_a_stop_or_a_leg_are_refused():
    for key in ("swing", "impact", "damper-study"):
        assert "no stop" in study(key).refusal(load_machine("four-bar"))
        assert "space" in study(key).refusal(load_machine("bennett"))
    assert "not a leg" in study("design").refusal(load_machine("four-bar"))
