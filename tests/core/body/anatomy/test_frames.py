"""Directions and frames written as text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.base.errors import DescriptionError
from biomec.body.anatomy.frames import FrameDefinition, parse_direction

POINTS = {
    "A": np.array([0.0, 0.0, 0.0]),
    "B": np.array([0.3, 0.0, 0.0]),
    "C": np.array([0.1, 0.0, 0.2]),
    "D": np.array([0.0, 0.5, 0.0]),
}


def frame(origin: str, first: tuple[str, str], second: tuple[str, str]) -> FrameDefinition:
    return FrameDefinition(origin, ((first[0], parse_direction(first[1])), (second[0], parse_direction(second[1]))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B - A", [1, 0, 0]),
        ("- B - A", [-1, 0, 0]),
        ("(B - A) x (D - A)", [0, 0, 1]),
        ("-(B - A) x (D - A)", [0, 0, -1]),
        ("s (B - A) x (D - A)", [0, 0, 1]),
        ("(B - A)", [1, 0, 0]),
    ],
)
def test_a_direction_is_what_its_text_says(text, expected):
    assert_allclose(parse_direction(text).unit(POINTS), expected, atol=1e-15)


def test_an_s_reverses_a_direction_on_the_left_side_only():
    direction = parse_direction("s B - A")
    assert_allclose(direction.unit(POINTS, 1.0), -direction.unit(POINTS, -1.0))
    assert_allclose(parse_direction("B - A").unit(POINTS, -1.0), [1, 0, 0])


def test_labels_with_a_minus_or_an_x_in_them_are_read_whole():
    points = {"PX-T8": np.array([0.0, 1.0, 0.0]), "xiph": np.zeros(3)}
    assert_allclose(parse_direction("PX-T8 - xiph").unit(points), [0, 1, 0])


@pytest.mark.parametrize("text", ["", "A", "A + B", "A - B - C", "(A - B) y (C - D)", "(A - B x (C - D)", "x x"])
def test_a_text_that_is_no_direction_is_refused_with_an_example(text):
    with pytest.raises(DescriptionError, match=r"is not a direction\. Write a difference"):
        parse_direction(text)


def test_a_frame_keeps_its_first_axis_and_completes_a_right_handed_one():
    R = frame("A", ("y", "D - A"), ("x", "y x (C - A)")).attitude(POINTS)
    assert_allclose(R[:, 1], [0, 1, 0], atol=1e-15)
    assert_allclose(np.linalg.det(R), 1.0)
    assert_allclose(R[:, 0], np.array([0.2, 0.0, -0.1]) / np.hypot(0.2, 0.1), atol=1e-15)


def test_the_second_axis_is_made_normal_to_the_first():
    R = frame("A", ("x", "B - A"), ("y", "C - A")).attitude(POINTS)  # C − A is oblique to B − A
    assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert_allclose(R[:, 1], [0, 0, 1], atol=1e-15)


def test_an_axis_cannot_be_used_before_it_is_built():
    with pytest.raises(DescriptionError, match="only the axis y is known"):
        frame("A", ("y", "D - A"), ("x", "z x (C - A)"))
    with pytest.raises(DescriptionError, match="two different axes"):
        frame("A", ("y", "D - A"), ("y", "B - A"))


def test_a_missing_or_degenerate_landmark_gives_nan_and_no_warning():
    points = {**POINTS, "D": np.full(3, np.nan)}
    assert np.isnan(frame("A", ("y", "D - A"), ("x", "y x (C - A)")).attitude(points)).any()
    points = {**POINTS, "D": POINTS["A"]}
    assert np.isnan(frame("A", ("y", "D - A"), ("x", "y x (C - A)")).attitude(points)).any()


@given(st.integers(0, 2**32 - 1))
def test_a_frame_turns_with_its_landmarks(seed):
    rng = np.random.default_rng(seed)
    turn, shift = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    definition = frame("A", ("z", "s B - A"), ("x", "(D - C) x z"))
    moved = {name: turn @ p + shift for name, p in POINTS.items()}
    for side in (1.0, -1.0):
        # orthonormal matrices: rounding of a few units in the last place
        assert_allclose(definition.attitude(moved, side), turn @ definition.attitude(POINTS, side), atol=1e-13)


def test_many_frames_at_once_are_the_frames_one_by_one():
    rng = np.random.default_rng(3)
    points = {name: p + 0.01 * rng.normal(size=(5, 3)) for name, p in POINTS.items()}
    definition = frame("A", ("y", "D - A"), ("x", "y x (C - A)"))
    together = definition.attitude(points)
    for k in range(5):
        assert_allclose(together[k], definition.attitude({name: p[k] for name, p in points.items()}), atol=1e-15)
