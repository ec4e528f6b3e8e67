"""Exercises by joint load: by hand, and the two grips of the virtual push-up beside the published result."""

from functools import cache

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.loads.joint_stress import JointStress, joint_stress
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import external_loads
from biomec.reporting.statistics.load_ranking import ExerciseLoad, exercise_load, rank_exercises
from biomec.virtual import PushUp, RecordOptions, record
from tests.core.body.loads.people import truth_of

JOINTS = ("right sternoclavicular", "right acromioclavicular", "right glenohumeral", "right elbow")
RATE = 50.0


def made(title, soft, off, working):
    force = {kind: np.zeros(2) for kind in ("compression", "traction", "shear")} | {"soft tissue": np.array(soft)}
    return ExerciseLoad(
        title, ("shoulder", "elbow"), force, {"off axis": np.array(off), "working": np.array(working)}, 3
    )


def test_burden_and_working_moment_by_hand():
    hard = made("hard", [3.0, 6.0], [np.nan, 0.3], [2.0, 1.0])
    easy = made("easy", [1.0, 2.0], [np.nan, 0.1], [1.0, 0.5])
    found = rank_exercises([hard, easy])
    np.testing.assert_allclose(found.burden, [1.5, 0.5])  # 3 / 2, 6 / 4, 0.3 / 0.2
    np.testing.assert_allclose(found.working, [4.0 / 3.0, 2.0 / 3.0])
    assert found.order("patient") == ("easy", "hard")
    assert found.order("athlete") == ("easy", "hard")  # 1.33 for its burden against 0.89
    strong = made("strong", [3.0, 6.0], [np.nan, 0.3], [20.0, 10.0])
    assert rank_exercises([strong, easy]).order("athlete") == ("strong", "easy")
    assert rank_exercises([strong, easy]).order("patient") == ("easy", "strong")
    only = rank_exercises([hard, easy], ["shoulder"])
    np.testing.assert_allclose(only.burden, [1.5, 0.5])
    table = found.table()
    assert table.rows[0] == ("hard", "1.50", "1.33", "2", "2", "3")
    assert found.joint_table().rows[0][-2:] == ("–", "2.000")  # the shoulder is not a hinge


def test_an_order_needs_exercises_and_shared_joints():
    one = made("one", [1.0, 1.0], [np.nan, 0.1], [1.0, 1.0])
    with pytest.raises(BiomecError, match="at least two exercises with different names"):
        rank_exercises([one, one])
    other = made("other", [1.0, 1.0], [np.nan, 0.1], [1.0, 1.0])
    with pytest.raises(BiomecError, match="loads of knee; all have shoulder, elbow"):
        rank_exercises([one, other], ["knee"])
    with pytest.raises(BiomecError, match='not "child"'):
        rank_exercises([one, other]).order("child")


@cache
def grip(which: str, inward_n: float = 0.0):
    """Loads of a grip, with so much more push of the hands towards each other than the virtual person has."""
    acquisition = record(PushUp(which, cycles=2), options=RecordOptions(rate_hz=RATE, plate_rate_hz=RATE))
    moving = truth_of(acquisition)
    outside = moving.external
    force = np.array(outside.force)
    for hand, sign in (("right hand", -1.0), ("left hand", 1.0)):
        force[:, outside.segments.index(hand), 2] += sign * inward_n
    outside = external_loads(outside.segments, outside.point, force, outside.moment)
    loads = newton_euler(moving.tree, moving.segments, moving.q, outside)
    assert np.abs(loads.residual_force).max() < 1e-9  # hands that push each other leave the body in balance
    stress = joint_stress(loads, moving.segments, moving.model.model, moving.model.joint_axes())
    times = [event.time_s for event in acquisition.truth.events if event.label == "Elbows straight"]
    frames = np.round(np.array(times) * RATE).astype(int)
    return loads, stress, np.stack([frames[:-1], frames[1:]], axis=1), acquisition.person.mass_kg


def shares(stress: JointStress, joint: str, kind: str) -> float:
    return float(stress.mean_share(kind)[0][stress.index(joint)])


@pytest.mark.parametrize("which", ["open", "closed"])
def test_push_ups_load_the_shoulder_as_published(which):
    _, stress, _, _ = grip(which)
    for joint in JOINTS[:3]:  # shear dominates in all joints of the shoulder
        assert shares(stress, joint, "shear") > 0.8
    assert shares(stress, "right acromioclavicular", "traction") > 0.3  # pulled apart, hardly ever pressed
    assert np.isnan(shares(stress, "right acromioclavicular", "compression"))
    assert 0.3 < shares(stress, "right glenohumeral", "compression") < 0.6  # pressed, never pulled apart
    assert np.isnan(shares(stress, "right glenohumeral", "traction"))
    assert shares(stress, "right sternoclavicular", "compression") < 0.2
    assert shares(stress, "right elbow", "compression") > 0.5


def test_the_closed_grip_suffers_at_the_elbow():
    _, open_, _, _ = grip("open")
    _, closed, _, _ = grip("closed")
    k = closed.index("right elbow")
    assert closed.traction[:, k].max() > open_.traction[:, k].max()


def test_which_grip_twists_the_elbow_more_depends_on_how_the_hands_push_each_other():
    def off_axis(which: str, inward_n: float) -> float:
        _, stress, _, mass = grip(which, inward_n)
        return float(stress.off_axis[:, stress.hinges.index("right elbow")].mean() / mass)

    assert off_axis("open", 0.0) > 3.0 * off_axis("closed", 0.0)  # with the virtual person's 25 N
    assert off_axis("closed", 80.0) > 1.5 * off_axis("open", 80.0)  # as published: the closed grip has more


def test_left_and_right_suffer_alike():
    _, stress, _, _ = grip("closed")
    for joint in JOINTS:
        # of 200 N: the trunk's centre of mass lies 2 mm beside the middle
        right, left = stress.index(joint), stress.index(joint.replace("right", "left"))
        np.testing.assert_allclose(stress.axial[:, right], stress.axial[:, left], rtol=0, atol=3.0)
        np.testing.assert_allclose(stress.shear[:, right], stress.shear[:, left], rtol=0, atol=3.0)


def test_grips_are_put_in_order():
    exercises = [
        exercise_load(f"{which} grip", loads, stress, spans, RATE, mass)
        for which in ("open", "closed")
        for loads, stress, spans, mass in [grip(which)]
    ]
    found = rank_exercises(exercises, JOINTS)
    assert found.burden.mean() == pytest.approx(1.0)
    assert set(found.order()) == {"open grip", "closed grip"}
    _, stress, spans, mass = grip("open")
    k, j = stress.index("right elbow"), stress.hinges.index("right elbow")
    first, last = spans[0]
    by_hand = np.mean([stress.off_axis[a : b + 1, j].max() for a, b in spans]) / mass
    assert exercises[0].moment["off axis"][k] == pytest.approx(by_hand)
    assert exercises[0].force["compression"][k] * mass == pytest.approx(
        np.mean([stress.compression[a : b + 1, k].max() for a, b in spans])
    )
    assert last - first == round(3.67 * RATE) or last - first == round(3.67 * RATE) + 1
