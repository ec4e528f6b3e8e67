"""Many points and vectors at once equal each of them alone."""

import numpy as np
import pytest

from biomec.engine.maps import vector_table, vectors_of
from biomec.engine.reference.human import human_system


@pytest.fixture(scope="module")
def maps():
    layout = human_system().layout
    points = [layout.point(f"{name}.com") for name in ("thorax", "pelvis", "hand_R")]
    return [*points, layout.local_vector("thorax", np.array([0.0, 0.6, 0.8])), layout.point("ground.origin")]


def test_each_is_what_its_own_map_gives(maps):
    q = np.random.default_rng(1).normal(size=(7, human_system().n))
    found = vectors_of(vector_table(maps), q)
    for m, one in enumerate(maps):
        np.testing.assert_allclose(found[:, m], one(q), atol=1e-14)


def test_a_missing_coordinate_spoils_only_what_depends_on_it(maps):
    system = human_system()
    q = np.array(system.reference[None])
    q[:, system.layout.columns("pelvis")] = np.nan
    known = np.isfinite(vectors_of(vector_table(maps), q)).all(axis=(0, 2))
    assert known.tolist() == [True, False, True, True, True]
