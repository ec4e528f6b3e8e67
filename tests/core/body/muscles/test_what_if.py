"""Work of muscles, their shares of a torque, and what a weaker muscle changes."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.body.muscles.muscle_forces import MuscleForces, muscle_forces
from biomec.body.muscles.muscle_work import moment_shares, muscle_work, torque_peaks
from biomec.body.muscles.sharing_model import SharingModel
from biomec.body.muscles.sharing_options import FREE, SharingOptions
from biomec.body.muscles.what_if import MuscleQuestion, MuscleVariant, compare_variants, loss_curve, muscle_question
from tests.core.body.muscles.straight import Straight, straight_paths
from tests.core.body.muscles.test_muscle_forces import walking

OPTIONS = SharingOptions(glenohumeral=FREE)
RIGHT_KNEE = tuple(f"right knee {k + 1}" for k in range(16))


@cache
def solved() -> tuple[SharingModel, MuscleForces]:
    model = walking().model()
    return model, muscle_forces(model, OPTIONS)


@cache
def question() -> MuscleQuestion:
    return muscle_question(solved()[0], walking().moving.segments, OPTIONS, walking().moving.model.model)


def test_muscles_give_the_power_that_their_pulls_do_on_the_segments():
    """−F L̇ = Σ over bodies of F (f · v + m · ω), with v at the laboratory's origin."""
    case, (model, forces) = walking(), solved()
    motion, paths = case.moving.segments, case.paths
    work = muscle_work(model, forces, 25.0)
    at_origin = motion.v_com - np.cross(motion.omega, motion.p_com)
    power = np.einsum("tpi,tpi->tp", paths.pull[..., :3], at_origin[:, paths.pair_segment])
    power += np.einsum("tpi,tpi->tp", paths.pull[..., 3:], motion.omega[:, paths.pair_segment])
    tension = forces.force[:, paths.pair_muscle]
    assert_allclose(work.power.sum(axis=1), (tension * power).sum(axis=1), rtol=0, atol=1e-8)  # W, of some 1000
    net = np.trapezoid(work.power, dx=1.0 / 25.0, axis=0)
    assert (work.given >= 0.0).all()
    assert_allclose(work.given - work.taken, net, rtol=0, atol=1e-9)
    with pytest.raises(BiomecError, match="positive frame rate"):
        muscle_work(model, forces, 0.0)


def test_shares_add_up_to_the_torque():
    model, forces = solved()
    for row in ("right hip flexion", "left knee flexion", "right acromioclavicular protraction"):
        shares = moment_shares(model, forces, row)
        assert_allclose(shares.torque.sum(axis=1) + shares.reserve + shares.ribs, shares.total, rtol=0, atol=1e-8)
        assert all(name.startswith(row.rsplit(" ", 1)[0]) for name in shares.muscles)
    groups, torque = shares.grouped(dict.fromkeys(shares.muscles, "all"))
    assert groups == ("all",)
    assert_allclose(torque[:, 0], shares.torque.sum(axis=1))
    with pytest.raises(BiomecError, match="was not shared"):
        moment_shares(model, forces, "tail flexion")


def test_without_a_muscle_others_work_more():
    asked = question()
    spared = RIGHT_KNEE[0]  # it works, and the others can do without it
    gone, same = compare_variants(asked, [MuscleVariant("gone", {spared: 0.0}), MuscleVariant("as it was")])
    assert gone.carried
    assert np.abs(gone.forces.force[:, asked.forces.index(spared)]).max() == 0.0
    assert all(name.startswith("right knee") for name, _ in gone.compensating)
    assert gone.compensating
    assert gone.joints["right knee"][0] != gone.joints["right knee"][1]
    assert_allclose(gone.joints["left knee"][1], gone.joints["left knee"][0], rtol=1e-9)
    assert any("its work is done by right knee" in one.sentence for one in gone.notices)
    assert same.compensating == ()
    assert_allclose(same.change, 0.0)


def test_a_transferred_muscle_pulls_elsewhere():
    """A muscle of the knee that is attached to the thigh at both ends no longer turns it."""
    case = walking()
    moved = [
        Straight(one.name, one.first, one.first, one.at_first, one.at_first + 0.1) if one.name == RIGHT_KNEE[0] else one
        for one in case.muscles
    ]
    model = case.model(straight_paths(case.moving.segments, moved))
    (answer,) = compare_variants(question(), [MuscleVariant("transfer", model=model)])
    k = answer.forces.rows.index("right knee flexion")
    assert not model.arms[:, model.names.index(RIGHT_KNEE[0]), k].any()
    assert answer.compensating


def test_the_greatest_bearable_loss_is_found():
    curve = loss_curve(question(), RIGHT_KNEE, steps=3)
    assert 0.0 < curve.bearable < 1.0
    assert (np.diff(curve.loss) > 0.0).all()
    beyond = curve.loss[curve.loss > curve.bearable].min()
    assert beyond - curve.bearable <= 0.005
    assert (np.diff(curve.reserve_Nm[curve.loss >= curve.bearable]) >= -1e-9).all()
    assert (
        curve.highest[curve.loss >= curve.bearable].min() > 0.99
    )  # where strength is lacking, a muscle is at its limit
    at_limit = muscle_forces(
        solved()[0], OPTIONS, strength=np.where(np.isin(solved()[0].names, RIGHT_KNEE), 1.0 - beyond, 1.0)
    )
    assert "right knee" in {one.joint for one in at_limit.shortages}
    assert "right knee 1" in curve.sentence


def test_a_muscle_that_can_go_altogether_says_so():
    curve = loss_curve(question(), ["right knee 2"], steps=2)
    assert curve.bearable == 1.0
    assert "without right knee 2" in curve.sentence


def test_unknown_muscles_and_impossible_strengths_are_refused():
    with pytest.raises(BiomecError, match="no muscle deltoid"):
        compare_variants(question(), [MuscleVariant("?", {"deltoid": 0.5})])
    with pytest.raises(BiomecError, match="cannot be multiplied by -1"):
        MuscleVariant("?", {"right knee 1": -1.0})
    with pytest.raises(BiomecError, match="no muscle deltoid"):
        loss_curve(question(), ["deltoid"])


def test_who_makes_a_torque_where_it_is_greatest():
    model, forces = solved()
    groups = {name: name.rsplit(" ", 1)[0] for name in forces.names}
    peaks = torque_peaks(model, forces, groups, {})
    assert {one.title for one in peaks} >= {"right knee extension", "right knee flexion"}
    for peak in peaks:
        row = peak.title if peak.title in forces.rows else forces.rows[model.rows.opposite.index(peak.title)]
        sense = 1.0 if peak.title == row else -1.0
        course = sense * forces.wanted[:, forces.rows.index(row)]
        assert_allclose(peak.torque_Nm, course.max())
        assert course.argmax() == peak.frame
        shares = moment_shares(model, forces, row)
        ribs = sense * shares.ribs[peak.frame] / peak.torque_Nm
        assert_allclose(sum(one.share for one in peak.makers) + peak.reserve + ribs, 1.0, rtol=0, atol=1e-9)
        assert all(one.torque_Nm == pytest.approx(one.share * peak.torque_Nm) for one in peak.makers)
        assert list(peak.makers) == sorted(peak.makers, key=lambda one: -one.share)
    none = dict.fromkeys(model.loads.joints, np.zeros(forces.frames, dtype=np.bool_))
    assert torque_peaks(model, forces, groups, none) == ()


def test_work_is_summed_over_the_counted_frames_alone():
    model, forces = solved()
    counted = np.ones(forces.force.shape, dtype=np.bool_)
    counted[:, 0] = False
    counted[: forces.frames // 2, 1] = False
    work, whole = muscle_work(model, forces, 25.0, counted), muscle_work(model, forces, 25.0)
    assert (work.given[0], work.taken[0], work.seconds[0]) == (0.0, 0.0, 0.0)
    assert np.isnan([one[0] for one in work.extremes]).all()
    half = np.trapezoid(whole.power[forces.frames // 2 :, 1], dx=1.0 / 25.0)
    assert_allclose(work.given[1] - work.taken[1], half, rtol=0, atol=1e-9)
    assert_allclose(work.given[2:], whole.given[2:])
    assert_allclose(whole.seconds, (forces.frames - 1) / 25.0)
    low, high = whole.extremes
    assert_allclose(np.stack([low, high]), [whole.power.min(axis=0), whole.power.max(axis=0)])
