"""Shares of contacts: sums, symmetry, and what weights do."""

from __future__ import annotations

import numpy as np
import pytest

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.body.loads.contact_sharing import SharedContact, shared_reactions


def contact(name: str, x: float, stiffness: float = 1.0, frames: int = 2) -> SharedContact:
    still = np.zeros((frames, 3))
    point = np.broadcast_to([x, 0.0, 0.0], (frames, 3))
    return SharedContact(name, name, point, np.full(frames, stiffness), np.full((frames, 3), 1e-6), still)


def load(x: float, frames: int = 2) -> tuple[FloatArray, FloatArray]:
    force = np.broadcast_to([0.0, 600.0, 0.0], (frames, 3))
    return force, np.cross(np.broadcast_to([x, 0.0, 0.0], (frames, 3)), force)


@pytest.mark.parametrize("x", [0.0, 0.1, 0.25])
def test_two_points_share_as_a_beam_on_two_supports(x: float) -> None:
    found = shared_reactions(*load(x), [contact("a", -0.25), contact("b", 0.25)])
    assert np.allclose(found["b"].force[:, 1], 600.0 * (x + 0.25) / 0.5, atol=1e-3)  # levers of a micrometre
    assert np.allclose(found["a"].force + found["b"].force, [0.0, 600.0, 0.0], atol=1e-9)


def test_stiffness_decides_where_geometry_does_not() -> None:
    found = shared_reactions(*load(0.0), [contact("a", 0.0, 3.0), contact("b", 0.0, 1.0)])
    assert np.allclose(found["a"].force[:, 1], 450.0)
    assert np.allclose(found["b"].force[:, 1], 150.0)


def test_free_fall_asks_for_nothing() -> None:
    none = np.zeros((2, 3))
    found = shared_reactions(none, none, [contact("a", 0.0), contact("b", 0.1)])
    assert np.abs(found["a"].force).max() == 0.0


def test_nothing_that_bears_is_told() -> None:
    with pytest.raises(BiomecError, match="Too few"):
        shared_reactions(*load(0.0), [contact("a", 0.0, 0.0)])
