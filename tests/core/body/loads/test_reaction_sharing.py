"""Reactions of 12 and 18 components: the closed form of least squares with equations ([Mouzo2018] Eq. 2.32)."""

import numpy as np
import pytest

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.body.loads.reaction_sharing import nearest_reactions, sharing_columns
from biomec.engine.forces.external_loads import ExternalLoads, external_loads

FEET, TIPS = ("right foot", "left foot"), ("right hand", "left hand")
FRAMES = 4


def reactions(segments: tuple[str, ...], seed: int = 0) -> ExternalLoads:
    """Two feet, with two crutches or without."""
    rng = np.random.default_rng(seed)
    shape = (FRAMES, len(segments), 3)
    force = rng.normal(size=shape) * 20.0 + np.array([0.0, 200.0, 0.0])
    moment = rng.normal(size=shape) * 5.0
    moment[:, [name in TIPS for name in segments]] = 0.0
    return external_loads(segments, rng.normal(size=shape) * 0.3, force, moment)


def wanted(seed: int = 1) -> FloatArray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(FRAMES, 6)) * 30.0 + np.array([0.0, 800.0, 0.0, 0.0, 0.0, 0.0])


def total(loads: ExternalLoads) -> FloatArray:
    return np.concatenate([loads.total_force, loads.total_moment(np.zeros(3))], axis=1)


@pytest.mark.parametrize(("segments", "components"), [(FEET, 12), ((*FEET, *TIPS), 18)])
def test_the_solution_is_that_of_the_saddle_point(segments, components):
    """[W Bᵀ; B 0] {G; λ} = {W G*; Q} with 12 or 18 unknown components, solved whole."""
    given, Q = reactions(segments), wanted()
    found = nearest_reactions(given, Q, 2.0, 0.5, (2, 3))
    assert np.abs(total(found) - Q).max() < 1e-10
    weights = np.tile([2.0**-2] * 3 + [0.5**-2] * 3, len(segments))
    kept = np.concatenate([[True] * 3 + [name not in TIPS] * 3 for name in segments])
    assert kept.sum() == components
    for t in range(FRAMES):
        B, W = sharing_columns(given)[t][:, kept], np.diag(weights[kept])
        G = np.concatenate([given.force[t], given.moment[t]], axis=1).reshape(-1)[kept]
        saddle = np.block([[W, B.T], [B, np.zeros((6, 6))]])
        oracle = np.linalg.solve(saddle, np.concatenate([W @ G, Q[t]]))[:components]
        ours = np.concatenate([found.force[t], found.moment[t]], axis=1).reshape(-1)
        assert np.abs(ours[kept] - oracle).max() < 1e-9
        assert not ours[~kept].any()


def test_a_plate_that_shows_no_moment_is_not_taken_for_a_crutch():
    """Tips were guessed from moments that are zero, which those of a plate without torque are too."""
    given = reactions(FEET)
    moment = given.moment.copy()
    moment[:, 1] = 0.0
    found = nearest_reactions(external_loads(FEET, given.point, given.force, moment), wanted())
    assert np.abs(found.moment[:, 1]).min() > 0.0


def test_reactions_that_agree_stay():
    given = reactions(FEET)
    found = nearest_reactions(given, total(given))
    assert np.abs(found.force - given.force).max() < 1e-12
    assert np.abs(found.moment - given.moment).max() < 1e-12


def test_a_foot_in_the_air_bears_nothing():
    given = reactions(FEET)
    force = given.force.copy()
    force[:, 1] = 0.0
    one = external_loads(FEET, given.point, force, np.where(force != 0.0, given.moment, 0.0))
    found = nearest_reactions(one, wanted())
    assert not found.force[:, 1].any()
    assert not found.moment[:, 1].any()
    assert np.abs(total(found) - wanted()).max() < 1e-10


def test_unknown_frames_stay_and_impossible_ones_get_a_sentence():
    given, Q = reactions(FEET), wanted()
    Q[2] = np.nan
    found = nearest_reactions(given, Q)
    assert np.array_equal(found.force[2], given.force[2])
    nothing = external_loads(FEET, given.point, np.zeros_like(given.force))
    with pytest.raises(BiomecError, match="Nothing presses on the ground in frame 0"):
        nearest_reactions(nothing, Q)
    with pytest.raises(BiomecError, match="Too few hands and feet"):
        nearest_reactions(given, wanted(), tips=(0, 1))  # two points cannot hold against turning about their line
