"""Laboratory axes."""

from itertools import product

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.recording import BIOMEC_AXES, Authority, LabAxes
from biomec.recording.axes import DIRECTIONS

ALL = [LabAxes(up, forward) for up, forward in product(DIRECTIONS, DIRECTIONS) if up[1] != forward[1]]


def test_there_are_twenty_four_ways_to_stand_in_a_laboratory():
    assert len(ALL) == 24


@pytest.mark.parametrize("here", ALL, ids=lambda axes: f"{axes.up}{axes.forward}")
def test_to_biomec_is_a_rotation_that_brings_up_to_y_and_forward_to_x(here):
    R = here.rotation_to(BIOMEC_AXES)
    np.testing.assert_array_equal(R @ here.up_vector, [0.0, 1.0, 0.0])
    np.testing.assert_array_equal(R @ here.forward_vector, [1.0, 0.0, 0.0])
    assert np.linalg.det(R) == pytest.approx(1.0)  # no mirror: left stays left
    np.testing.assert_array_equal(R @ R.T, np.eye(3))


def test_the_rotations_form_a_group():
    for a, b, c in zip(ALL, ALL[7:] + ALL[:7], ALL[13:] + ALL[:13], strict=True):
        np.testing.assert_array_equal(b.rotation_to(c) @ a.rotation_to(b), a.rotation_to(c))
        np.testing.assert_array_equal(a.rotation_to(b).T, b.rotation_to(a))
        np.testing.assert_array_equal(a.rotation_to(a), np.eye(3))


def test_vectors_turn_as_the_matrix_says_and_back_bit_for_bit():
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(5, 2, 3))
    holes = vectors.copy()
    holes[1, 0, 1], holes[2, 1, 0] = np.nan, -0.0
    for here in ALL:
        turned = here.turn(vectors, BIOMEC_AXES)
        np.testing.assert_array_equal(turned, np.einsum("ij,tkj->tki", here.rotation_to(BIOMEC_AXES), vectors))
        back = BIOMEC_AXES.turn(here.turn(holes, BIOMEC_AXES), here)
        np.testing.assert_array_equal(back.view(np.int64), holes.view(np.int64))


def test_z_up_facing_minus_y_becomes_what_a_person_expects():
    """Someone who faces −y in a Z-up laboratory has the right hand towards −x."""
    right_hand = np.array([-1.0, 0.0, 0.0])
    assert LabAxes("+z", "-y").turn(right_hand, BIOMEC_AXES).tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(("up", "forward"), [("y", "+x"), ("+y", "+y"), ("+y", "-y"), ("+w", "+x")])
def test_impossible_axes_are_refused(up, forward):
    with pytest.raises(BiomecError):
        LabAxes(up, forward)


def test_vectors_handed_out_are_not_the_shared_ones():
    LabAxes().up_vector[:] = 7.0
    assert LabAxes().up_vector.tolist() == [0.0, 1.0, 0.0]


def test_nobody_vouches_for_axes_until_somebody_does():
    assert LabAxes().authority is LabAxes().forward_authority is Authority.ASSUMED
