"""Muscle forces of people in motion, whose muscles are drawn at random: balance, invariances, ribs, contact."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.arrays import rotation_about
from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.muscles.joint_contact import joint_contacts
from biomec.body.muscles.muscle_forces import EmgTargets, muscle_forces
from biomec.body.muscles.sharing_model import SharingModel, sharing_model
from biomec.body.muscles.sharing_options import CONE, FREE, HYBRID, LEFT_OUT, PENALTY, SharingOptions
from biomec.engine.forces.external_loads import external_loads
from biomec.engine.forces.hill_muscle import HillParameters
from tests.core.body.loads.people import Moving, push_up, truth_of
from tests.core.body.loads.test_mirrored_loads import MIRROR, mirrored_walk, other, walk
from tests.core.body.muscles.straight import Straight, StraightPaths, hill_of, muscles_around, straight_paths

# No passive forces and no lower bound: what is left is homogeneous, and equal strength means equal sharing
PLAIN = SharingOptions(lowest=0.0, passive=LEFT_OUT, glenohumeral=FREE)


def some_frames(moving: Moving, every: int) -> Moving:
    """Every n-th frame of a motion."""
    pick = slice(None, None, every)
    given = moving.external
    external = external_loads(given.segments, given.point[pick], given.force[pick], given.moment[pick])
    return replace(moving, q=moving.q[pick], qdot=moving.qdot[pick], qddot=moving.qddot[pick], external=external)


@dataclass(frozen=True)
class Case:
    moving: Moving
    loads: JointLoads
    muscles: tuple[Straight, ...]
    paths: StraightPaths
    hill: HillParameters

    def model(self, paths: StraightPaths | None = None, hill: HillParameters | None = None) -> SharingModel:
        body = self.moving.model
        return sharing_model(
            self.moving.tree, self.moving.q, self.loads, paths or self.paths, hill or self.hill, body=body.model,
            motion=self.moving.segments, hinges=body.joint_axes(),
        )  # fmt: skip


def case_of(moving: Moving, muscles: list[Straight] | None = None, each: int = 16, fmax: float = 900.0) -> Case:
    motion = moving.segments
    loads = newton_euler(moving.tree, motion, moving.q, moving.external)
    if muscles is None:
        muscles = muscles_around(moving.tree, motion, loads.centre, np.random.default_rng(0), each)
    paths = straight_paths(motion, muscles)
    return Case(moving, loads, tuple(muscles), paths, hill_of(paths, fmax))


@cache
def pressing() -> Case:
    """A push-up with muscles around every joint."""
    return case_of(some_frames(truth_of(push_up()), 30))


@cache
def walking() -> Case:
    """A walk with strong muscles."""
    return case_of(some_frames(walk(), 12), fmax=4000.0)


def test_muscles_reserves_and_ribs_add_up_to_the_net_torques():
    """Recomputed from the pulls alone: Σ F (M − c × f) · e over the bodies beyond each joint."""
    case = pressing()
    model = case.model()
    forces = muscle_forces(model)
    assert forces.solved.all()
    made = np.einsum("tmk,tm->tk", model.arms, forces.force) + forces.reserve
    made += np.einsum("tck,tc->tk", model.rib_arms, forces.rib_force)
    assert_allclose(made, forces.wanted, rtol=0, atol=1e-8)
    assert (forces.activation >= 0.01 - 1e-12).all()
    assert (forces.activation <= 1.0 + 1e-12).all()


def test_ribs_push_and_never_pull():
    forces = muscle_forces(pressing().model())
    assert len(forces.ribs) == 4
    assert forces.rib_force.min() >= 0.0
    assert forces.rib_force.max() > 1.0
    assert muscle_forces(pressing().model(), SharingOptions(ribs="hold")).rib_force.min() < 0.0
    assert muscle_forces(pressing().model(), SharingOptions(ribs="none")).ribs == ()


def test_a_joint_turns_about_its_own_axes_only():
    rows = pressing().model().rows.titles
    for joint, count in (("right hip", 3), ("right knee", 1), ("right ankle", 2), ("right wrist", 2),
                         ("right sternoclavicular", 2), ("right acromioclavicular", 3)):  # fmt: skip
        assert sum(row.startswith(f"{joint} ") for row in rows) == count
    assert "right knee flexion" in rows
    assert "left hip internal rotation" in rows
    assert "right wrist radial deviation" in rows


def test_contact_is_what_newton_and_euler_find_with_muscles_as_loads_from_outside():
    """The muscles pull every body they touch; the recursion then leaves the joints what bones bear."""
    case = pressing()
    model, motion = case.model(), case.moving.segments
    forces = muscle_forces(model, SharingOptions(ribs="none"))
    contact = joint_contacts(model, forces, motion)
    names = [body.name for body in case.moving.tree.system.bodies]
    tension = forces.force[:, case.paths.pair_muscle]
    ground, pulls = case.moving.external, tension[..., None] * case.paths.pull
    external = external_loads(
        (*ground.segments, *(names[b] for b in case.paths.pair_segment)),
        np.concatenate([ground.point, np.zeros((*pulls.shape[:2], 3))], axis=1),
        np.concatenate([ground.force, pulls[..., :3]], axis=1), np.concatenate([ground.moment, pulls[..., 3:]], axis=1),
    )  # fmt: skip
    theirs = newton_euler(case.moving.tree, motion, case.moving.q, external)
    assert_allclose(contact.force, theirs.force, rtol=0, atol=1e-9)  # N, of some 1000
    assert_allclose(contact.torque, theirs.torque, rtol=0, atol=1e-9)
    assert_allclose(theirs.residual_force, case.loads.residual_force, rtol=0, atol=1e-8)


def test_contact_without_muscles_is_the_net_force():
    case = pressing()
    model = case.model()
    forces = muscle_forces(model, replace(PLAIN, ribs="none"), strength=np.zeros(len(model.names)))
    contact = joint_contacts(model, forces, case.moving.segments, case.moving.model.model)
    assert (forces.force == 0.0).all()
    assert (contact.force == case.loads.force).all()
    assert (contact.compression == contact.net_compression).all()


def test_muscles_press_joints_together():
    case = pressing()
    contact = joint_contacts(case.model(), muscle_forces(case.model()), case.moving.segments, case.moving.model.model)
    assert set(contact.pressed) == set(contact.joints)
    knees = [contact.pressed.index(f"{side} knee") for side in ("right", "left")]
    assert (contact.compression[:, knees] > contact.net_compression[:, knees]).all()
    with_muscles, without = contact.peaks()["right hip"]
    assert with_muscles > without
    assert_allclose(contact.size[:, 0], np.linalg.norm(contact.local[:, 0], axis=1))


def test_a_muscle_that_crosses_no_joint_changes_nothing():
    case = pressing()
    motion, thigh = case.moving.segments, "right thigh"
    inside = Straight("idle", thigh, thigh, np.array([0.05, 0.1, 0.0]), np.array([0.0, -0.1, 0.05]))
    paths = straight_paths(motion, [*case.muscles, inside])
    hill = HillParameters(*(np.append(values, values[0]) for values in case.hill))
    before, after = muscle_forces(case.model()), muscle_forces(case.model(paths, hill))
    assert_allclose(after.activation[:, :-1], before.activation, rtol=0, atol=1e-12)
    assert_allclose(after.activation[:, -1], 0.01)
    assert_allclose(after.reserve, before.reserve, rtol=0, atol=1e-10)


def test_half_the_strength_takes_twice_the_activation():
    """Where no muscle saturates, nothing is left to reserves, and the small price of a push does not come in."""
    case = case_of(some_frames(walk(), 12), each=24, fmax=6000.0)
    options = replace(PLAIN, reserve_Nm=None, ribs="none")
    full = muscle_forces(case.model(), options)
    half = muscle_forces(case.model(), options, strength=np.full(len(case.muscles), 0.5))
    free = full.solved & half.solved & (np.nan_to_num(half.activation, nan=1.0).max(axis=1) < 1.0)
    assert free.sum() >= 3
    assert_allclose(half.activation[free], 2.0 * full.activation[free], rtol=0, atol=1e-9)
    assert_allclose(half.force[free], full.force[free], rtol=0, atol=1e-6)


def test_a_mirrored_person_has_mirrored_activations():
    """Right and left change places, to the last digits; walk and image have different trees and lists of bodies."""
    given = walking()
    swapped = [
        Straight(other(one.name), other(one.first), other(one.second), one.at_first * MIRROR, one.at_second * MIRROR)
        for one in given.muscles
    ]
    image = case_of(some_frames(mirrored_walk(), 12), swapped, fmax=4000.0)
    for options in (SharingOptions(glenohumeral=FREE), SharingOptions(criterion="cubic", glenohumeral=PENALTY)):
        ours, theirs = muscle_forces(given.model(), options), muscle_forces(image.model(), options)
        assert theirs.names == tuple(other(name) for name in ours.names)
        assert_allclose(theirs.activation, ours.activation, rtol=0, atol=1e-9)
        for k, row in enumerate(ours.rows):
            if row.startswith(("right", "left")):
                there = theirs.rows.index(other(row))
                assert_allclose(theirs.reserve[:, there], ours.reserve[:, k], rtol=0, atol=1e-8, err_msg=row)
        for c, rib in enumerate(ours.ribs):
            there = theirs.ribs.index(other(rib))
            assert_allclose(theirs.rib_force[:, there], ours.rib_force[:, c], rtol=0, atol=1e-5, err_msg=rib)


def test_turning_the_laboratory_changes_nothing():
    case = pressing()
    R = rotation_about([0.3, -1.0, 0.5], 1.1)

    def turned(x):
        return x @ R.T

    system = case.moving.tree.system
    levels = [turned(level.reshape(len(level), -1, 3)).reshape(level.shape)
              for level in (case.moving.q, case.moving.qdot, case.moving.qddot)]  # fmt: skip
    ground = case.moving.external
    external = external_loads(ground.segments, *(turned(part) for part in (ground.point, ground.force, ground.moment)))
    moving = replace(case.moving, q=levels[0], qdot=levels[1], qddot=levels[2], external=external)
    motion = moving.segments
    loads = newton_euler(moving.tree, motion, moving.q, external, gravity=R @ system.gravity)
    paths = straight_paths(motion, case.muscles)
    there = Case(moving, loads, case.muscles, paths, case.hill)
    for criterion in ("quadratic", "cubic"):
        options = SharingOptions(criterion=criterion, glenohumeral=PENALTY)
        before, after = muscle_forces(case.model(), options), muscle_forces(there.model(), options)
        # the round-off of loads and arms, 1e-13 of them, times how far reserves of 1 N·m let activations go
        assert_allclose(after.activation, before.activation, rtol=0, atol=1e-8)


def test_the_humeral_head_stays_in_its_socket():
    given = pressing()
    motion = given.moving.segments
    pressing_in = []
    for side in ("right", "left"):
        scapula, humerus = motion.index(f"{side} scapula"), motion.index(f"{side} humerus")
        centre = given.loads.centre[0, given.loads.index(f"{side} glenohumeral")]
        outward = motion.R_WB[0, scapula, :, 2] * (1.0 if side == "right" else -1.0)
        for k, aside in enumerate(np.random.default_rng(3).normal(size=(6, 3)) * 0.03):
            ends = [motion.R_WB[0, b].T @ (centre + way * outward + aside - motion.p_com[0, b])
                    for b, way in ((scapula, -0.1), (humerus, 0.02))]  # fmt: skip
            pressing_in.append(Straight(f"{side} cuff {k + 1}", f"{side} scapula", f"{side} humerus", *ends))
    case = case_of(given.moving, [*given.muscles, *pressing_in])
    model = case.model()
    tangent = np.tan(np.deg2rad([44.37, 38.55]))  # up and down, front to back

    def across(options):
        forces = muscle_forces(model, options)
        assert forces.solved.all()
        contact = joint_contacts(model, forces, case.moving.segments)
        parts = [np.einsum("tki,ti->tk", one.axes, contact.force[:, one.joint]) for one in model.sockets]
        return [np.hypot(f[:, 1] / tangent[0], f[:, 2] / tangent[1]) - f[:, 0] for f in parts]

    assert len(model.sockets) == 2
    assert max(one.max() for one in across(SharingOptions(glenohumeral=FREE))) > 10.0  # N: it would slip out
    slip = muscle_forces(model).slip.max()
    assert slip < 1.0  # N
    assert max(one.max() for one in across(SharingOptions(glenohumeral=CONE))) < slip + 1e-3
    drawn, free = (np.concatenate(across(SharingOptions(glenohumeral=how))) for how in (PENALTY, FREE))
    assert drawn.mean() < free.mean()


def test_muscles_that_cannot_press_a_humeral_head_in_are_told_of():
    """Those of the other tests run along the humerus; the frames are solved all the same."""
    forces = muscle_forces(pressing().model())
    assert forces.solved.all()
    assert forces.sockets == ("left glenohumeral", "right glenohumeral")
    assert forces.slip.max() > 5.0
    assert "socket-slips" in {one.code for one in forces.notices}


def test_weak_muscles_are_named_with_their_joint():
    case = walking()
    strength = np.where([one.name.startswith("right knee") for one in case.muscles], 0.02, 1.0)
    forces = muscle_forces(case.model(), strength=strength)
    assert forces.solved.all()
    assert "right knee" not in {one.joint for one in muscle_forces(case.model()).shortages}
    knee = next(one for one in forces.shortages if one.joint == "right knee")
    reserve = forces.reserve[:, forces.rows.index("right knee flexion")]
    assert knee.missing_Nm == pytest.approx(np.abs(reserve).max())
    assert knee.frames[0] <= np.abs(reserve).argmax() <= knee.frames[1]
    assert all(name.startswith("right knee") for name, _ in knee.muscles)
    assert "strength-lacking" in {one.code for one in forces.notices}
    strict = muscle_forces(case.model(), SharingOptions(reserve_Nm=None), strength=strength)
    assert not strict.solved.all()
    assert strict.counts()["infeasible"] > 0
    assert any(one.joint == "right knee" for one in strict.shortages)
    assert any(one.code == "muscles-too-weak" for one in strict.notices)


def test_torques_without_muscles_are_left_out_and_listed():
    moving = some_frames(walk(), 12)
    motion = moving.segments
    centre = newton_euler(moving.tree, motion, moving.q, moving.external).centre
    legs = [f"{side} {joint}" for side in ("right", "left") for joint in ("hip", "knee", "ankle")]
    muscles = muscles_around(moving.tree, motion, centre, np.random.default_rng(1), 12, legs)
    case = case_of(moving, muscles)
    forces = muscle_forces(case.model(), rate_hz=25.0)
    assert len(forces.rows) == 12
    assert forces.ribs == ()
    assert "neck flexion" in forces.idle
    assert "right elbow flexion" in forces.idle
    assert np.isfinite(forces.excitation).all()
    stored = forces.to_result()
    assert stored.metadata["counts"]["solved"] == len(moving.q)
    assert stored.arrays["activation"].shape == (len(moving.q), 72)


def test_measured_activations_are_taken_as_they_are():
    case = walking()
    measured = np.full((len(case.moving.q), 1), 0.4)
    measured[0] = np.nan
    emg = EmgTargets((case.muscles[3].name,), measured)
    forces = muscle_forces(case.model(), SharingOptions(emg=HYBRID), emg=emg)
    assert (forces.activation[1:, 3] == 0.4).all()
    assert forces.activation[0, 3] == muscle_forces(case.model()).activation[0, 3]
    with pytest.raises(BiomecError, match="measured activations are to be used, but there are none"):
        muscle_forces(case.model(), SharingOptions(emg=HYBRID))
    with pytest.raises(BiomecError, match="no muscle deltoid"):
        muscle_forces(case.model(), SharingOptions(emg=HYBRID), emg=EmgTargets(("deltoid",), measured))


def test_frames_without_loads_have_no_forces():
    case = walking()
    torque = case.loads.torque.copy()
    torque[1] = np.nan
    broken = replace(case, loads=replace(case.loads, torque=torque))
    forces = muscle_forces(broken.model())
    assert forces.counts()["no motion"] == 1
    assert np.isnan(forces.force[1]).all()
    assert np.isnan(joint_contacts(broken.model(), forces, case.moving.segments).force[1]).all()


def test_gliding_contacts_are_refused_and_work_can_be_stopped():
    case = walking()
    moving = case.moving
    bound = multibody_loads(moving.tree, moving.q, moving.qddot, moving.external, "newton", "all")
    with pytest.raises(BiomecError, match="without gliding contacts"):
        replace(case, loads=bound).model()

    def stop(fraction):
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        muscle_forces(case.model(), progress=stop)


@pytest.mark.parametrize(
    ("change", "words"),
    [({"criterion": "least"}, "criterion is"), ({"lowest": 1.0}, "least activation"), ({"reserve_Nm": 0.0}, "reserve"),
     ({"strength": 0.0}, "factor of all"), ({"emg_weight": -1.0}, "weight of measured")],
)  # fmt: skip
def test_options_refuse_what_makes_no_sense(change, words):
    with pytest.raises(BiomecError, match=words):
        SharingOptions(**change)
