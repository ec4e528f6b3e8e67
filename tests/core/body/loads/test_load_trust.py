"""The verdict, and faults of plates carried to the joints that they touch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomec.base.arrays import read_only
from biomec.base.notices import problem, warning
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.floor_contacts import floor_contacts
from biomec.body.loads.ground_reaction import estimated_reaction
from biomec.body.loads.load_trust import LoadTrust, load_trust
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.loads.plate_faults import plate_faults
from biomec.engine.tree.joint_tree import joints_to_root
from tests.core.body.loads.performed import RATE_HZ, performed


def judged(scale: float = 1.0, **given: object) -> LoadTrust:
    one = performed("squat")
    external = replace(one.external, force=read_only(scale * one.external.force))
    floor = floor_contacts(one.system, one.q, one.qdot, RATE_HZ)
    return load_trust(one.tree, one.loads(external), one.motion, external, RATE_HZ, floor=floor, **given)  # type: ignore[arg-type]


BOTH_FEET = problem("two-on-one-plate", "…", "Plate1", "Pe_D", "Pe_E", frames=(120, 140))


def test_paths_lead_to_the_root() -> None:
    tree = performed("squat").tree
    assert joints_to_root(tree, "left foot") == ("left ankle", "left knee", "left hip", "lumbar")
    assert joints_to_root(tree, "thorax") == ()
    assert len(joints_to_root(tree, "right hand")) == 6


def test_a_good_recording() -> None:
    found = judged(entered_kg=75.0)
    assert found.level == "good"
    assert found.verdict == "Residual 0 N and 0 N·m RMS: below both thresholds."
    assert found.residuals.counted[2:-2].all()
    assert [n.code for n in found.notices] == ["residual-small"]


def test_a_model_of_a_part_is_not_said_to_stand_off_the_plates() -> None:
    found = judged(whole=False)
    assert found.level == "check"
    assert "part of the body" in found.verdict
    assert "plates" not in found.verdict
    assert not found.residuals.counted.any()
    assert not found.residuals.ends.any()
    assert found.residuals.left_out == ()
    assert found.residuals.kept is None


def test_a_fault_reaches_the_joints_between_contact_and_root() -> None:
    found = judged(recorded=[BOTH_FEET, warning("plate-offset", "…", "Plate2")])
    assert found.level == "poor"
    assert "do not use them" in found.verdict
    assert "1.2 to 1.4 s" in found.verdict
    touched = set(found.faults[0].joints)
    assert touched == {"lumbar", *(f"{s} {j}" for s in ("left", "right") for j in ("ankle", "knee", "hip"))}
    assert found.doubtful("left knee")[120:141].all()
    assert not found.doubtful("left knee")[141:].any()
    assert not found.doubtful("left elbow").any()
    assert found.faults_of("neck") == ()
    assert not found.faults[1].joints  # nobody is known to stand on the other plate
    assert any(n.code == "loads-on-faulty-plate" for n in found.notices)


def test_a_shared_plate_is_told_once() -> None:
    nobody = warning("contact-unassigned", "…", "Plate1", frames=(120, 140))
    assert len(plate_faults(performed("squat").tree, [BOTH_FEET, nobody])) == 1


def test_too_heavy_plates_are_seen() -> None:
    found = judged(1.1, entered_kg=75.0)
    assert found.level == "poor"
    assert {"residual-large", "loads-mass"} <= {n.code for n in found.notices}


def test_estimated_loads_are_marked() -> None:
    one = performed("squat")
    guess = estimated_reaction(one.system, one.motion, one.q, one.qdot, RATE_HZ)
    found = load_trust(one.tree, one.loads(guess.loads), one.motion, guess.loads, RATE_HZ, floor=guess.contacts)
    assert found.level == "check"
    assert "estimated, not measured" in found.verdict
    assert not found.residuals.verdicts


def test_result_is_plain() -> None:
    result = judged(recorded=[BOTH_FEET]).to_result()
    assert result.metadata["level"] == "poor"
    assert result.metadata["faults"][0]["plate"] == "Plate1"
    assert np.isfinite(result.arrays["balance_force"]).all()


def test_ends_of_a_motion_are_not_counted() -> None:
    """Accelerations of the first frame that a one-sided difference spoils."""
    one = performed("squat")
    qddot = np.array(one.qddot)
    qddot[0] += 50.0 * one.qdot[20]
    motion = segment_motion(one.system, one.q, one.qdot, qddot)
    loads = newton_euler(one.tree, motion, one.q, one.external)
    found = load_trust(one.tree, loads, motion, one.external, RATE_HZ)
    assert np.linalg.norm(loads.residual_force[0]) > 25.0
    assert found.residuals.force_peak[3] < 1e-9
    assert found.balance.force_rms < 1e-9
    assert found.level == "good"
    assert "loads-at-ends" in {n.code for n in found.notices}
