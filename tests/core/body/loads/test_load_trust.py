"""The verdict: contacts with plates, their joints, legs, all together, and the frames that can be used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomec.base.arrays import read_only
from biomec.base.notices import Grade
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.balance import MassReference
from biomec.body.loads.contact_verdict import ContactVerdict, JudgedContacts
from biomec.body.loads.floor_contacts import floor_contacts
from biomec.body.loads.ground_reaction import estimated_reaction
from biomec.body.loads.joint_verdict import JointVerdict
from biomec.body.loads.load_trust import LoadTrust, load_trust
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.tree.joint_tree import joints_to_root
from tests.core.body.loads.performed import RATE_HZ, WEIGHED, contact, performed


def joint(name: str, grade: Grade, error: float = 0.15) -> JointVerdict:
    return JointVerdict(name, grade, error, 1.0, 0.02, 0.1, 0.0, "markers are 20 mm off the model")


def judged(*contacts: ContactVerdict, mass: MassReference = WEIGHED, scale: float = 1.0, **given: object) -> LoadTrust:
    one = performed("squat")
    external = replace(one.external, force=read_only(scale * one.external.force))
    floor = floor_contacts(one.system, one.q, one.qdot, RATE_HZ)
    known = JudgedContacts(contacts, mass)
    return load_trust(one.tree, one.loads(external), one.motion, external, RATE_HZ, floor=floor, judged=known, **given)  # type: ignore[arg-type]


def test_paths_lead_to_the_root() -> None:
    tree = performed("squat").tree
    assert joints_to_root(tree, "left foot") == ("left ankle", "left knee", "left hip", "lumbar")
    assert joints_to_root(tree, "thorax") == ()
    assert len(joints_to_root(tree, "right hand")) == 6


def test_all_that_is_judged_is_good() -> None:
    found = judged(contact("right foot"), contact("left foot"), contact("left foot", Grade.NOT_JUDGED))
    assert found.level is Grade.GOOD
    assert found.verdict == "Both legs can be used (2 of 2 steps sound)."
    assert found.residuals.counted[2:-2].all()
    assert found.notices == ()


def test_one_bad_leg_leaves_the_other() -> None:
    found = judged(contact("right foot"), contact("left foot", Grade.POOR, "partial strike"))
    assert found.level is Grade.CHECK
    assert found.verdict.startswith("Use the right leg; the left step is a partial strike.")
    assert [one.grade for one in found.limbs] == [Grade.GOOD, Grade.POOR]
    assert not found.frames_of["left knee"].usable[115:146].any()  # 0.05 s around it, too: its force is filtered
    assert found.frames_of["left knee"].usable[146:-2].all()
    assert found.frames_of["right knee"].usable[2:-2].all()
    assert not found.frames_of["lumbar"].usable[120:141].any()  # both legs lie below it
    assert [notice.code for notice in found.notices] == ["contact-poor"]


def test_one_bad_step_of_three_removes_that_step() -> None:
    bad = contact("right foot", Grade.POOR, "force missing")
    found = judged(contact("right foot"), bad, contact("right foot"))
    assert (found.limbs[0].sound, found.limbs[0].judged) == (2, 3)
    assert found.level is Grade.CHECK
    assert "2 of 3 steps sound" in found.verdict


def test_no_sound_step_is_poor() -> None:
    found = judged(contact("right foot", Grade.POOR, "partial strike"), contact("left foot", Grade.NOT_JUDGED))
    assert found.level is Grade.POOR
    assert found.verdict.startswith("No step on the plates is sound.")


def test_two_feet_on_one_plate_touch_both_legs() -> None:
    shared = contact(None, Grade.POOR, "two feet on one plate", sharing=("Pe_D", "Pe_E"))
    found = judged(shared)
    for name in ("right ankle", "left ankle"):
        assert not found.frames_of[name].usable[120:141].any()
    assert {one.name for one in found.limbs} == {"right leg", "left leg"}


def test_a_joint_lowers_the_whole_to_check_and_is_named() -> None:
    one = contact("right foot", joints={"right hip": joint("right hip", Grade.CHECK)})
    found = judged(one, contact("left foot"))
    assert found.level is Grade.CHECK
    assert "Right hip: expected error of the measurement 0.15 N·m/kg, because markers are 20 mm off" in found.verdict
    assert found.joint_grade("right hip") is Grade.CHECK
    assert found.joint_grade("left hip") is Grade.NOT_JUDGED


def test_the_mass_alone_can_be_poor() -> None:
    found = judged(contact("right foot"), mass=MassReference(75.0, None, 90.0, 90.0, "steps"))
    assert found.level is Grade.POOR
    assert "values per kilogram are 20 % too large" in found.verdict
    assert "loads-mass" in {notice.code for notice in found.notices}


def test_the_residual_judges_only_what_was_reduced() -> None:
    """Plates that read 10 % too much leave 74 N: limits in newtons are meant for what residual reduction leaves."""
    plain, after = (judged(contact("right foot"), scale=1.1, reduced=reduced) for reduced in (False, True))
    assert plain.residuals.kept is False
    assert plain.level is Grade.GOOD
    assert after.level is Grade.CHECK
    assert "residual-large" in {notice.code for notice in after.notices}


def test_frames_with_missing_force_are_not_used() -> None:
    masked = np.zeros(performed("squat").motion.frames, dtype=np.bool_)
    masked[130:135] = True
    usable = judged(contact("right foot", masked=masked)).frames_of["right ankle"].usable
    assert not usable[130:135].any()
    assert usable[135:-2].all()


def test_loads_without_plates_are_estimated_and_at_most_check() -> None:
    one = performed("squat")
    guess = estimated_reaction(one.system, one.motion, one.q, one.qdot, RATE_HZ)
    found = load_trust(one.tree, one.loads(guess.loads), one.motion, guess.loads, RATE_HZ, floor=guess.contacts)
    assert found.level is Grade.CHECK
    assert found.verdict == "Estimated from the motion alone."
    assert not found.residuals.verdicts


def test_result_is_plain() -> None:
    result = judged(contact("right foot", Grade.POOR, "partial strike")).to_result()
    assert result.metadata["level"] == "poor"
    assert result.metadata["steps"][0]["fault"] == "partial strike"
    assert result.metadata["steps"][0]["plate"] == "Plate1"
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
    assert "loads-at-ends" in {n.code for n in found.notices}
