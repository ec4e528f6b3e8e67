"""The patella as a pulley: closed forms, and a squat."""

from __future__ import annotations

import numpy as np
import pytest

from biomec.body.muscles.fitting import fit_muscles
from biomec.body.muscles.muscle_forces import muscle_forces
from biomec.body.muscles.muscle_paths import muscle_paths
from biomec.body.muscles.patella import patella_forces, tendon_direction
from biomec.body.muscles.set_file import load_muscle_set
from biomec.body.muscles.sharing_model import person_muscles
from tests.core.body.loads.performed import performed


def test_a_tendon_that_is_known_comes_back_from_its_arm() -> None:
    """Tendons in the plane of a knee about z, seen only through their moment arms."""
    axis, down = np.tile([0.0, 0.0, 1.0], (5, 1)), np.tile([0.0, -1.0, 0.0], (5, 1))
    d = np.tile([0.05, 0.03, 0.01], (5, 1))
    angles = np.radians([-20.0, -10.0, 0.0, 10.0, 20.0])
    tendon = np.stack([np.sin(angles), -np.cos(angles), 0.0 * angles], axis=1)
    arm = np.cross(d, -tendon)[:, 2]  # of the pull on the tibia, towards the patella
    np.testing.assert_allclose(tendon_direction(d, axis, arm, down), tendon, rtol=0, atol=1e-12)


def test_a_lever_longer_than_its_point_is_far_pulls_at_right_angles() -> None:
    found = tendon_direction(np.array([[0.05, 0.0, 0.0]]), np.array([[0.0, 0.0, 1.0]]), np.array([0.06]),
                             np.array([[0.0, -1.0, 0.0]]))  # fmt: skip
    assert found[0] == pytest.approx([0.0, -1.0, 0.0], abs=1e-12)


def test_patellae_of_a_squat_press_backwards_harder_than_quadriceps_pull() -> None:
    """|f| = 2 F cos(γ/2) of each muscle, γ between muscle and tendon; deep in the squat they enclose about 90°."""
    squat = performed("squat")
    person = squat.acquisition.model
    frames = slice(None, None, 10)
    paths = muscle_paths(person, squat.q, squat.qdot, fit_muscles(person, load_muscle_set("legs")), motion=squat.motion)
    forces = muscle_forces(person_muscles(paths, squat.loads()))
    found = patella_forces(paths, forces)
    assert found.names == ("right patellofemoral", "left patellofemoral")
    np.testing.assert_allclose(found.size[frames, 0], found.size[frames, 1], rtol=0.02)  # the sides differ by 1 %
    thigh = paths.motion.R_WB[:, paths.motion.index("right thigh")]
    deepest = int(found.size[:, 0].argmax())
    assert np.einsum("ij,i->j", thigh[deepest], found.force[deepest, 0])[0] < 0.0  # into the trochlea
    pulls = forces.force[:, [m for m, name in enumerate(forces.names) if name in QUADRICEPS]].sum(axis=1)
    share = found.size[:, 0] / pulls
    bent = np.degrees(np.arccos(np.einsum("ti,ti->t", thigh[:, :, 1],
                                          paths.motion.R_WB[:, paths.motion.index("right shank"), :, 1])))  # fmt: skip
    assert ((share[bent < 30.0] > 0.3) & (share[bent < 30.0] < 0.7)).all()  # a nearly straight tendon presses little
    assert ((share[bent > 85.0] > 1.1) & (share[bent > 85.0] < 1.6)).all()  # √2 at right angles


QUADRICEPS = ("vas_med_r", "vas_int_r", "vas_lat_r", "rect_fem_r")
