"""Peaks of loads: over which frames they are taken, and what is said where none can be used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.arrays import read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Grade
from biomec.body.loads.contact_verdict import JudgedContacts
from biomec.body.loads.floor_contacts import floor_contacts
from biomec.body.loads.ground_reaction import estimated_reaction
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_statistics import JointPeaks, joint_peaks, load_statistics
from biomec.body.loads.load_trust import LoadTrust, load_trust
from biomec.body.loads.power import load_power
from biomec.engine.forces.external_loads import ExternalLoads, no_loads
from tests.core.body.loads.performed import RATE_HZ, WEIGHED, Performed, contact, performed


def judged(one: Performed, external: ExternalLoads, loads: JointLoads, **given: object) -> LoadTrust:
    floor = floor_contacts(one.system, one.q, one.qdot, RATE_HZ)
    return load_trust(one.tree, loads, one.motion, external, RATE_HZ, floor=floor, **given)  # type: ignore[arg-type]


def peaks(one: Performed, external: ExternalLoads, loads: JointLoads, **given: object) -> dict[str, JointPeaks]:
    power = load_power(one.tree, loads, one.motion, external).joint
    return {peak.joint: peak for peak in joint_peaks(loads, power, judged(one, external, loads, **given))}


def size(loads: JointLoads, joint: str, what: str = "force") -> np.ndarray:
    return np.linalg.norm(getattr(loads, what)[:, loads.index(joint)], axis=1)


def test_the_ends_of_a_motion_do_not_make_the_peak() -> None:
    """Accelerations of the first frames are one-sided differences; a spike there was reported as the peak."""
    one = performed("squat")
    clean = one.loads()
    force = np.array(clean.force)
    force[1, clean.index("right knee")] *= 10.0
    found = peaks(one, one.external, replace(clean, force=read_only(force)))["right knee"]
    inner = size(clean, "right knee")[2:-2]
    assert found.force.value == inner.max()
    assert found.force.frame == 2 + int(inner.argmax())
    assert found.frames == clean.frames - 4
    assert found.usable
    assert not found.estimated


def test_frames_of_a_faulty_plate_do_not_make_the_peak_of_the_joints_above_it() -> None:
    one = performed("squat")
    loads = one.loads()
    at = int(size(loads, "left knee", "torque").argmax())
    fault = contact(None, Grade.POOR, sharing=("Pe_D", "Pe_E"), frames=(at - 5, at + 5))
    found = peaks(one, one.external, loads, judged=JudgedContacts((fault,), WEIGHED))
    allowed = np.ones(loads.frames, dtype=np.bool_)
    allowed[[0, 1, -2, -1]] = False
    elbow = size(loads, "left elbow")[allowed].max()
    allowed[at - 10 : at + 11] = False  # 0.05 s before and after the contact, too
    assert found["left knee"].torque.value == size(loads, "left knee", "torque")[allowed].max()
    assert found["left knee"].frames == loads.frames - 4 - 21
    assert found["left elbow"].force.value == elbow  # no force of the plates passes it
    assert found["left elbow"].frames == loads.frames - 4


@pytest.mark.parametrize("edge", [0, 5])
def test_a_joint_whose_measured_steps_are_all_poor_has_no_peak(edge) -> None:
    """Frames at the edges of a poor contact, whose filtered force is a little longer, let swing values be the peak."""
    one = performed("squat")
    loads = one.loads()
    everywhere = contact(None, Grade.POOR, sharing=("Pe_D", "Pe_E"), frames=(edge, loads.frames - 1 - edge))
    found = peaks(one, one.external, loads, judged=JudgedContacts((everywhere,), WEIGHED))
    assert (found["right hip"].usable, found["right hip"].why, found["right hip"].frames) == (False, "no sound step", 0)
    assert np.isnan([found["right hip"].force.value, found["right hip"].torque.value]).all()
    assert found["neck"].usable


def test_a_foot_on_the_ground_without_a_force_spoils_its_own_joints_only() -> None:
    one = performed("squat")
    right = one.external.segments.index("right foot")
    force = np.array(one.external.force)
    force[:, right] = 0.0
    external = replace(one.external, force=read_only(force))
    found = peaks(one, external, one.loads(external))
    assert {joint for joint, one in found.items() if not one.usable} == {
        "right ankle", "right knee", "right hip", "lumbar",
    }  # fmt: skip


def test_measured_steps_win_over_estimated_ones_and_each_joint_looks_at_its_own_foot() -> None:
    """A footfall beside the plates: its foot still has one on them, and the arms bear neither."""
    one = performed("walk")
    foot = one.external.segments[0]
    falls = [k for k, name in enumerate(one.external.segments) if name == foot]
    assert len(falls) > 1
    force = np.array(one.external.force)
    force[:, falls[0]] = 0.0
    guess = estimated_reaction(
        one.system, one.motion, one.q, one.qdot, RATE_HZ, replace(one.external, force=read_only(force))
    )
    external, knee = guess.loads, f"{foot.split()[0]} knee"
    loads = one.loads(external)
    found = peaks(one, external, loads)
    assert external.estimated.any()
    frames = judged(one, external, loads).frames_of[knee]
    assert frames.estimated.any()
    assert not (frames.best & frames.estimated).any()
    assert (frames.best & frames.measured).any()
    assert not found[knee].estimated
    assert not judged(one, external, loads).frames_of["neck"].estimated.any()


@pytest.mark.parametrize("joint", ["left ankle", "lumbar"])
def test_without_plates_the_peak_says_that_its_ground_reaction_was_estimated(joint) -> None:
    one = performed("squat")
    guess = estimated_reaction(one.system, one.motion, one.q, one.qdot, RATE_HZ).loads
    found = peaks(one, guess, one.loads(guess))
    assert found[joint].usable
    assert found[joint].force.estimated
    assert found[joint].torque.estimated
    assert not found["neck"].estimated
    assert not no_loads(3).estimated_loads.any()


RATE = 1000.0


def test_a_sine_and_a_ramp_by_their_closed_forms():
    t = np.arange(2001) / RATE
    x = np.stack([5.0 * np.sin(2.0 * np.pi * t) - 1.0, 3.0 * t], axis=1)
    found = load_statistics(("sine", "ramp"), x, [(0, 1000), (1000, 2000)], RATE)
    exact = 2e-5  # trapezia of 1 ms: (2 π / 1000)² / 12 of the curvature
    np.testing.assert_allclose(found.highest, [[4.0, 3.0], [4.0, 6.0]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.lowest, [[-6.0, 0.0], [-6.0, 3.0]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.peak, [[-6.0, 3.0], [-6.0, 6.0]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.peak_percent, [[75.0, 100.0], [75.0, 100.0]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.mean, [[-1.0, 1.5], [-1.0, 4.5]], rtol=0, atol=exact)
    np.testing.assert_allclose(found.impulse, [[-1.0, 1.5], [-1.0, 4.5]], rtol=0, atol=exact)
    np.testing.assert_allclose(
        found.rms, [[np.sqrt(13.5), np.sqrt(3.0)], [np.sqrt(13.5), np.sqrt(21.0)]], rtol=0, atol=exact
    )
    np.testing.assert_allclose(found.duration_s, [1.0, 1.0])
    mean, sd = found.summary("peak")
    np.testing.assert_allclose(mean, [-6.0, 4.5], rtol=0, atol=1e-12)
    np.testing.assert_allclose(sd, [0.0, 3.0 / np.sqrt(2.0)], rtol=0, atol=1e-12)


def test_extremes_are_of_usable_frames():
    x = np.array([[1.0], [9.0], [-3.0], [2.0]])
    usable = np.array([[True], [False], [True], [True]])
    found = load_statistics(("x",), x, [(0, 3)], 1.0, usable)
    assert (found.peak[0, 0], found.highest[0, 0], found.lowest[0, 0]) == (-3.0, 2.0, -3.0)
    nothing = load_statistics(("x",), x, [(0, 3)], 1.0, np.zeros_like(usable))
    assert np.isnan([nothing.peak, nothing.highest, nothing.lowest, nothing.peak_percent]).all()


def test_impulse_depends_on_time_and_mean_does_not():
    x = np.full((101, 1), 2.0)
    slow, fast = (load_statistics(("x",), x, [(0, 100)], rate) for rate in (50.0, 100.0))
    assert (slow.impulse[0, 0], fast.impulse[0, 0]) == pytest.approx((4.0, 2.0))
    assert slow.mean[0, 0] == pytest.approx(fast.mean[0, 0]) == pytest.approx(2.0)


def test_a_gap_spoils_its_own_cycle_and_curve_only():
    x = np.ones((31, 2))
    x[15, 0] = np.nan
    found = load_statistics(("a", "b"), x, [(0, 10), (10, 20), (20, 30)], 10.0)
    for measure in ("peak", "peak_percent", "highest", "lowest", "mean", "rms", "impulse"):
        values = getattr(found, measure)
        np.testing.assert_array_equal(np.isnan(values), [[False, False], [True, False], [False, False]])
    mean, sd = found.summary("mean")
    np.testing.assert_allclose(mean, [1.0, 1.0])
    np.testing.assert_allclose(sd, [0.0, 0.0], atol=1e-15)


def test_no_cycles_give_nothing_and_one_gives_no_spread():
    x = np.ones((10, 1))
    nothing = load_statistics(("a",), x, [], 10.0)
    assert nothing.peak.shape == (0, 1)
    assert np.isnan(nothing.summary("peak")[0]).all()
    one = load_statistics(("a",), x, [(0, 9)], 10.0)
    assert np.isnan(one.summary("rms")[1]).all()
    with pytest.raises(BiomecError, match='not "median"'):
        one.summary("median")
    with pytest.raises(BiomecError, match="2 names for curves"):
        load_statistics(("a", "b"), x, [], 10.0)
