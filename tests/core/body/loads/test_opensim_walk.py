"""Joint moments of a published walk: OpenSim's own model and coordinates, through Biomec's inverse dynamics."""

import numpy as np
import pytest

from biomec.body.loads.newton_euler import newton_euler
from tests.core.body.loads.opensim_walk import read_walk, storage
from tests.real_data import recording

COORDINATES = [f"{name}_{side}" for side in "rl" for name in ("hip_flexion", "knee_angle", "ankle_angle")]


@pytest.fixture(scope="module")
def walk():
    folder = recording("gait_opensim2354")
    one = read_walk(folder)
    loads = newton_euler(one.tree, one.motion, one.q, one.external)
    return one, loads, storage(folder / "reference" / "inverse_dynamics.sto")


@pytest.mark.parametrize("coordinate", COORDINATES)
def test_moments_are_those_that_opensim_published(walk, coordinate, record_property):
    """τ = h · e + f · ∂p/∂θ: the knee of the model rolls, so that its force does work too."""
    one, loads, published = walk
    j = loads.index(one.joint[coordinate])
    ours = np.einsum("ti,ti->t", loads.torque[:, j], one.turning[coordinate])
    if coordinate in one.shifting:
        ours = ours + np.einsum("ti,ti->t", loads.force[:, j], one.shifting[coordinate])
    theirs = published[f"{coordinate}_moment"]
    rms = float(np.sqrt(np.mean((ours - theirs) ** 2)))
    record_property("rms_Nm", float(rms))
    assert rms < 0.2  # 8 are asked for; what is left is how the ends of 1.2 s are filtered and differentiated
