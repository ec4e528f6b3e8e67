"""Frames that start from the solutions before them: fewer steps, the same results."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.engine import FrameStatus, PointTargets, PositionSolver
from biomec.engine.normal import LANES
from biomec.engine.prediction import STRETCH, predict, side_by_side
from biomec.engine.reference.human import human_motion, human_system, human_tree
from biomec.engine.reference.trees import perturbed
from biomec.engine.targets import TargetTables
from tests.core.engine.test_targets import WEAK, markers_at, noisy, with_markers

FRAMES = 80  # lanes of three frames
SAME = 1e-7  # tolerance of the step: what a search may leave


@pytest.fixture(scope="module")
def moving():
    """The 21-body system with 63 markers, a smooth motion with 5 mm of noise, and starts 3 cm and 0.1 rad away."""
    rng = np.random.default_rng(5)
    tree, system = human_tree(), with_markers(human_system())
    q = tree.coordinates(system, human_motion(tree, FRAMES, rng))
    points = noisy(markers_at(system, q), rng, 0.005)
    return system, perturbed(system, q, rng, 0.03, 0.1), points


def solved(system, start, points):
    return PositionSolver(system, metric=WEAK).solve(start, targets=PointTargets.at(system.layout, points))


def alone(system, start, points, frame):
    return solved(system, start[frame : frame + 1], {name: p[frame : frame + 1] for name, p in points.items()})


def test_frames_that_follow_others_take_fewer_steps_to_the_same_place(moving):
    system, start, points = moving
    result = solved(system, start, points)
    assert_array_equal(result.status, FrameStatus.PHI)
    assert result.iterations[1::3].mean() < result.iterations[::3].mean()
    assert result.iterations[2::3].mean() < result.iterations[::3].mean()
    for frame in range(0, FRAMES, 11):
        single = alone(system, start, points, frame)
        assert_allclose(result.q[frame], single.q[0], rtol=0, atol=SAME)


def test_frames_in_any_order_have_the_same_solutions(moving):
    """Neighbours then lead astray; every frame starts from its own measured coordinates."""
    system, start, points = moving
    order = np.random.default_rng(1).permutation(FRAMES)
    straight = solved(system, start, points)
    mixed = solved(system, start[order], {name: p[order] for name, p in points.items()})
    assert_array_equal(mixed.status, FrameStatus.PHI)
    assert_allclose(mixed.q, straight.q[order], rtol=0, atol=SAME)


def test_a_missing_frame_and_a_wild_one_do_not_reach_their_neighbours(moving):
    system, start, points = moving
    hurt, wild = start.copy(), {name: p.copy() for name, p in points.items()}
    hurt[31, 17] = np.nan
    for name in wild:
        wild[name][46] = wild[name][46] @ np.diag([-1.0, 1.0, -1.0]) + [0.0, 3.0, 0.0]  # turned about and thrown
    whole, result = solved(system, start, points), solved(system, hurt, wild)
    others = np.delete(np.arange(FRAMES), (31, 46))
    assert result.status[31] == FrameStatus.MISSING
    assert_array_equal(result.status[others], FrameStatus.PHI)
    assert_allclose(result.q[others], whole.q[others], rtol=0, atol=SAME)


@pytest.mark.parametrize("frames", [1, 7, 32, 33, 151, LANES * STRETCH])
def test_every_frame_is_solved_once_and_after_the_one_before(frames):
    block = slice(10, 10 + frames)
    parts = list(side_by_side(block, LANES))
    wanted = np.concatenate([part[:count] for part, count in parts])
    assert sorted(wanted) == list(range(block.start, block.stop))
    for (before, _), (after, count) in pairwise(parts):
        assert_array_equal(after[:count], before[:count] + 1)
    assert all(part.max() < block.stop and part.size <= LANES for part, _ in parts)


def test_the_guess_goes_on_as_far_as_the_targets_say(moving):
    """On a straight way τ is how far the targets are along it; without solutions, measured coordinates are taken."""
    system, start, points = moving
    q = start[:1]
    way = np.tile([0.02, 0.0, 0.01], system.n // 3)
    way[np.isin(np.arange(system.n) // 3, _vectors(system) // 3)] = 0.0  # a shift: points move, unit vectors stay
    cases = {0.4: 0.4, 1.0: 1.0, 2.5: 1.0, -0.3: 0.0}
    for wanted, expected in cases.items():
        places = {name: system.layout.point(name)(q + wanted * way) for name in points}
        guess, trusted = predicted(system, places, q + 0.3, q, q - way)
        assert trusted == 1.0
        assert_allclose(guess, (q + expected * way)[0], rtol=0, atol=1e-12)
    unknown = np.full_like(q, np.nan)
    guess, trusted = predicted(system, places, q + 0.3, unknown, unknown)
    assert trusted == 0.0
    assert_array_equal(guess, (q + 0.3)[0])
    far, trusted = predicted(system, places, q, q + 0.3, q + 0.3)
    assert trusted == 0.0
    assert_array_equal(far, q[0])


def predicted(system, places, measured, last, earlier):
    targets = PointTargets.at(system.layout, places)
    guess, trusted = np.empty((system.n, 1)), np.empty(1)
    lanes = (np.ascontiguousarray(one.T) for one in (measured, last, earlier, targets.targets, targets.weights))
    none = np.zeros(0, dtype=np.int64)
    predict(TargetTables(3, targets.columns, targets.entries, none, none.reshape(0, 10)), *lanes, guess, trusted)
    return guess[:, 0], trusted[0]


def _vectors(system):
    """Columns of unit vectors."""
    return np.concatenate(
        [
            np.reshape(system.layout.columns(body.name), (-1, 3))[[name in body.vectors for name in body.basis]].ravel()
            for body in system.bodies
        ]
    )
