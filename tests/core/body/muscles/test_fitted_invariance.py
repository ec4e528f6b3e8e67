"""Fitted sets of legs and arms in a walk: what must not change when the person is mirrored, turned or weakened."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.arrays import rotation_about
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.muscles.joint_contact import JointContacts, joint_contacts
from biomec.body.muscles.muscle_forces import MuscleForces, muscle_forces
from biomec.body.muscles.muscle_paths import muscle_paths
from biomec.body.muscles.sharing_model import SharingModel, person_muscles
from biomec.body.muscles.sharing_options import FREE, LEFT_OUT, NO_RIBS, SharingOptions
from biomec.engine.forces.external_loads import external_loads
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import joint_tree
from tests.core.body.loads.people import Moving
from tests.core.body.loads.test_mirrored_loads import MIRROR, mirrored_walk, other, walk
from tests.core.body.muscles.test_muscle_forces import some_frames

EVERY = 16


def other_code(name: str) -> str:
    """Landmark of the other side: its ending says which."""
    swapped = {"_D": "_E", "_E": "_D"}
    return name[:-2] + swapped[name[-2:]] if name[-2:] in swapped else name


def model_of(moving: Moving, gravity: np.ndarray | None = None) -> SharingModel:
    motion = moving.segments
    loads = newton_euler(moving.tree, motion, moving.q, moving.external, gravity=gravity)
    paths = muscle_paths(moving.model, moving.q, moving.qdot, "whole-body", motion=motion)
    return person_muscles(paths, loads, tree=moving.tree)


@cache
def given() -> tuple[Moving, SharingModel]:
    moving = some_frames(walk(), EVERY)
    return moving, model_of(moving)


def recoded(system: System) -> System:
    """The same with landmarks named by the side on which they now lie."""

    def renamed(names: Iterable[str]) -> list[str]:
        return [other_code(name) for name in names]

    bodies = [
        replace(
            body,
            points=dict(zip(renamed(body.points), body.points.values(), strict=True)),
            basis=tuple(renamed(body.basis)),
        )
        for body in system.bodies
    ]
    rows = [
        replace(one, **{key: other_code(value) for key, value in vars(one).items() if isinstance(value, str)})
        for one in system.constraints
    ]
    return System(bodies, rows, gravity=system.gravity)


@cache
def image() -> tuple[Moving, SharingModel]:
    """The walk in a mirror, with the mirror image of the person's static pose."""
    moving = some_frames(mirrored_walk(), EVERY)
    system = recoded(moving.tree.system)
    static = {other_code(name): np.asarray(place) * MIRROR for name, place in moving.model.static.items()}
    model = replace(moving.model, system=system, static=static)
    moving = replace(moving, model=model, tree=joint_tree(system, model.model.roots))
    return moving, model_of(moving)


def contacts_of(moving: Moving, model: SharingModel, forces: MuscleForces) -> JointContacts:
    return joint_contacts(model, forces, moving.segments)


def test_a_mirrored_person_has_mirrored_activations_and_contact():
    """Legs, girdles and arms of the shipped sets, with ribs that push and heads that stay in their sockets."""
    (moving, model), (mirrored, swapped) = given(), image()
    ours, theirs = muscle_forces(model), muscle_forces(swapped)
    assert ours.solved.all()
    assert len(ours.names) == 194
    assert ours.activation.max() > 0.2
    swap = {"_r": "_l", "_l": "_r"}
    order = [theirs.index(name[:-2] + swap[name[-2:]]) for name in ours.names]
    assert np.abs(ours.activation - ours.activation[:, order]).max() > 0.1  # the sides differ at the same time
    assert_allclose(theirs.activation[:, order], ours.activation, rtol=0, atol=1e-9)
    here, there = contacts_of(moving, model, ours), contacts_of(mirrored, swapped, theirs)
    for joint in ("right hip", "left knee", "right glenohumeral"):
        found = there.force[:, there.index(other(joint))] * MIRROR
        assert_allclose(found, here.force[:, here.index(joint)], rtol=0, atol=1e-5)


def test_turning_the_laboratory_changes_nothing():
    moving, model = given()
    R = rotation_about([0.2, 1.0, -0.4], 0.9)

    def turned(x: np.ndarray) -> np.ndarray:
        return np.asarray(x @ R.T)

    levels = [turned(level.reshape(len(level), -1, 3)).reshape(level.shape)
              for level in (moving.q, moving.qdot, moving.qddot)]  # fmt: skip
    ground = moving.external
    external = external_loads(ground.segments, *(turned(part) for part in (ground.point, ground.force, ground.moment)))
    there = replace(moving, q=levels[0], qdot=levels[1], qddot=levels[2], external=external)
    before, after = muscle_forces(model), muscle_forces(model_of(there, R @ moving.tree.system.gravity))
    assert_allclose(after.activation, before.activation, rtol=0, atol=1e-7)  # geodesics are found to 1e-13 m


def test_half_the_strength_takes_twice_the_activation():
    """In frames without a saturated muscle; a reserve then costs four times as much, too."""
    _, model = given()
    plain = SharingOptions(lowest=0.0, passive=LEFT_OUT, glenohumeral=FREE, ribs=NO_RIBS)
    ours = muscle_forces(model, replace(plain, strength=8.0, reserve_Nm=1.0))
    theirs = muscle_forces(model, replace(plain, strength=4.0, reserve_Nm=0.5))
    free = (theirs.activation < 0.999).all(axis=1)
    assert free.sum() > 5
    assert_allclose(theirs.activation[free], 2.0 * ours.activation[free], rtol=0, atol=1e-9)


@pytest.mark.parametrize("criterion", ["quadratic", "cubic", "min-max"])
def test_every_criterion_meets_the_torques_of_legs_and_arms(criterion):
    _, model = given()
    forces = muscle_forces(model, SharingOptions(criterion=criterion, glenohumeral=FREE))
    assert forces.solved.all()
    assert np.nanmax(forces.residual) < 1e-8
