"""Contacts of the scapulae: told where the ribs would have to pull, by figures that can be written down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.arrays import read_only
from biomec.base.notices import Severity
from biomec.body.loads.contact_verdict import JudgedContacts
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_trust import LoadTrust, load_trust
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.rib_contacts import PULL, contact_effects, contact_loads, with_contacts
from tests.core.body.loads.performed import RATE_HZ, WEIGHED, contact, performed


def pushed() -> tuple[JointLoads, JointLoads, LoadTrust]:
    """Loads with contacts and without, and trust, of the virtual push-up."""
    one = performed("push-up")
    loads = multibody_loads(one.tree, one.q, one.qddot, one.external, constraints="all")
    known = JudgedContacts((contact("right hand"), contact("left hand")), WEIGHED)
    return loads, one.loads(), load_trust(one.tree, one.loads(), one.motion, one.external, RATE_HZ, judged=known)


def pressing(curve: np.ndarray) -> JointLoads:
    """The same loads, with the first contact pressing as a curve (T,) says and the others by 100 N."""
    loads = pushed()[0]
    values = np.full(loads.contact_pressing.shape, 100.0)
    values[:, 0] = curve
    return replace(loads, contact_pressing=read_only(values))


def test_a_contact_in_numbers() -> None:
    frames = performed("push-up").motion.frames
    curve = np.full(frames, 50.0)
    curve[40:60] = -30.0
    curve[100:120] = -200.0
    curve[[0, 1, -2, -1]] = -1000.0  # ends: accelerations are one-sided differences there
    curve[30] = -0.9 * PULL
    found = contact_loads(pressing(curve))[0]
    inner = curve[2:-2]
    assert (found.mean, found.highest, found.lowest) == (pytest.approx(inner.mean()), 50.0, -200.0)
    assert found.pulls.sum() == 40
    assert found.share == pytest.approx(40 / (frames - 4))
    assert found.worst == (100, 119)


def test_ribs_that_only_push_leave_the_trust_as_it_is() -> None:
    _, without, trust = pushed()
    found = with_contacts(trust, pressing(np.full(without.frames, 20.0)), without)
    assert (found.level, found.verdict) == ("good", trust.verdict)
    assert "contact-pulls" not in {notice.code for notice in found.notices}
    assert len(found.contacts) == 4


def test_ribs_that_would_have_to_pull_are_told_and_lower_the_trust() -> None:
    """The push-up was called good while its scapulae hung on the ribs by hundreds of newtons."""
    _, without, trust = pushed()
    assert trust.level == "good"
    curve = np.full(without.frames, 50.0)
    curve[100:120] = -200.0
    loads = pressing(curve)
    found = with_contacts(trust, loads, without)
    assert found.level == "check"
    notices = [notice for notice in found.notices if notice.code == "contact-pulls"]
    assert [notice.severity for notice in notices] == [Severity.WARNING]
    assert notices[0].frames == (100, 119)
    assert notices[0].about == (loads.contacts[0],)
    share = 100.0 * 20 / (without.frames - 4)
    assert f"in {share:.0f} % of the frames, most from 1.00 to 1.19 s, by up to 200 N" in notices[0].sentence
    assert "they cannot" in found.verdict
    assert any("serratus anterior" in notice.sentence for notice in found.notices)
    poor = with_contacts(replace(trust, level="poor"), loads, without)
    assert poor.level == "poor"


def test_the_joints_that_contacts_change_are_told_with_and_without() -> None:
    loads, without, trust = pushed()
    found = {one.joint: one for one in contact_effects(loads, without)}
    assert set(found) == {f"{side} {joint}" for side in ("right", "left") for joint in
                          ("sternoclavicular", "acromioclavicular")}  # fmt: skip
    j = loads.index("right sternoclavicular")
    one = found["right sternoclavicular"]
    assert one.force == pytest.approx(np.linalg.norm(loads.force[2:-2, j], axis=1).mean())
    assert one.force_without == pytest.approx(np.linalg.norm(without.force[2:-2, j], axis=1).mean())
    notice = next(notice for notice in with_contacts(trust, loads, without).notices
                if notice.code == "contacts-change-loads")  # fmt: skip
    assert f"right sternoclavicular {one.force:.0f} N instead of {one.force_without:.0f} N" in notice.sentence


def test_without_contacts_nothing_is_said_of_them() -> None:
    _, without, trust = pushed()
    assert with_contacts(trust, without, without) is trust
