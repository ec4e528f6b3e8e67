"""The residual along the axes of its segment: sizes stay, projections by hand, a turned laboratory changes nothing."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.arrays import read_only, rotation_about
from biomec.base.errors import BiomecError
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.loads.residual_components import residual_components
from tests.core.body.loads.people import random_states


@pytest.fixture(scope="module")
def moving():
    found = random_states("m21", frames=8).moving
    return found, newton_euler(found.tree, found.segments, found.q, found.external)


def test_in_the_laboratory_it_is_the_residual_itself(moving):
    person, loads = moving
    found = residual_components(loads, person.segments, "laboratory")
    np.testing.assert_array_equal(found.values[:, :3], loads.residual_force)
    np.testing.assert_array_equal(found.values[:, 3:], loads.residual_torque)
    assert found.names[0] == "residual force along X"
    assert found.units == ("N",) * 3 + ("N·m",) * 3


def test_along_the_axes_of_the_root_by_hand(moving):
    person, loads = moving
    found = residual_components(loads, person.segments, normalisation="mass", mass_kg=50.0)
    R = person.segments.R_WB[:, person.segments.names.index(loads.root)]
    for t in range(loads.frames):
        np.testing.assert_allclose(found.values[t, :3], R[t].T @ loads.residual_force[t] / 50.0, rtol=1e-12)
        np.testing.assert_allclose(found.values[t, 3:], R[t].T @ loads.residual_torque[t] / 50.0, rtol=1e-12)


def test_a_turned_laboratory_changes_nothing(moving):
    person, loads = moving
    turn = rotation_about(np.array([0.3, -0.8, 0.5]) / np.linalg.norm([0.3, -0.8, 0.5]), 1.1)
    turned = replace(
        loads,
        residual_force=read_only(loads.residual_force @ turn.T),
        residual_torque=read_only(loads.residual_torque @ turn.T),
    )
    motion = replace(person.segments, R_WB=read_only(turn @ person.segments.R_WB))
    before, after = residual_components(loads, person.segments), residual_components(turned, motion)
    np.testing.assert_allclose(after.values, before.values, rtol=1e-9, atol=1e-9)


def test_other_axes_are_refused(moving):
    person, loads = moving
    with pytest.raises(BiomecError, match="root or laboratory"):
        residual_components(loads, person.segments, "joint")
