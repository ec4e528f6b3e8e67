"""Paths for drawing: the compiled ones are the polylines of `Cords`, at equal steps, over every kind of surface."""

from __future__ import annotations

import numpy as np
import pytest

from biomec.base.arrays import FloatArray
from biomec.engine.paths.cords import Coordinate, Cord, CordPaths, Cords
from biomec.engine.paths.drawn_paths import drawn_paths
from tests.core.engine.paths.test_tracing import CORDS, point, poses, traced

STATIONS = 16


def at_equal_steps(line: FloatArray) -> FloatArray:
    """The same by numpy."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    at = np.linspace(0.0, along[-1], STATIONS)
    return np.stack([np.interp(at, along, line[:, k]) for k in range(3)], axis=1)


def compared(cords: Cords, paths: CordPaths, R: FloatArray, p: FloatArray, theta: FloatArray) -> None:
    for t in range(len(R)):
        drawn = drawn_paths(paths, R[t], p[t], theta[t], t, STATIONS)
        for m in range(len(cords.cords)):
            expected = at_equal_steps(cords.polyline(paths, R[t], p[t], t, m, theta[t]))
            # both do the same sums in another order; a walk over an ellipsoid ends where a dot product changes its sign
            np.testing.assert_allclose(drawn[m], expected, rtol=0, atol=1e-9)


def test_every_kind_of_surface_is_drawn_as_the_polyline() -> None:
    R, p, theta = poses(30)
    paths = traced(R, p, theta)
    assert (paths.place >= 0.0).any(axis=0).all()  # every contact happens in some frame
    compared(CORDS, paths, R, p, theta)


def test_points_that_are_not_there_are_passed_over() -> None:
    cords = Cords(
        ("a", "b", "c"),
        (Cord("bent", (point("a", 0.1, 0.0, 0.0), point("b", 0.0, 0.1, 0.0, coordinate="knee", range=(0.0, 9.0)),
                       point("c", 0.0, 0.0, 0.0))),),
        (), (Coordinate("knee", "a", "b"),),
    )  # fmt: skip
    R, p, theta = poses(20)
    compared(cords, cords.trace(R, p, theta=theta, turning=R[:, 0, None, :, 2]), R, p, theta)
    assert 0 < (theta[:, 0] >= 0.0).sum() < 20


def test_a_missing_body_leaves_the_cord_out() -> None:
    R, p, theta = poses(2)
    p[1, 2] = np.nan
    paths = traced(R, p, theta)
    drawn = drawn_paths(paths, R[1], p[1], theta[1], 1, STATIONS)
    assert np.isnan(drawn[0]).all()
    assert np.isfinite(drawn[1]).all()  # it lies on other bodies


@pytest.mark.parametrize("stations", [2, 3])
def test_few_stations_are_the_ends_and_the_middle(stations: int) -> None:
    R, p, theta = poses(1)
    paths = traced(R, p, theta)
    drawn = drawn_paths(paths, R[0], p[0], theta[0], 0, stations)
    for m in range(len(CORDS.cords)):
        line = CORDS.polyline(paths, R[0], p[0], 0, m, theta[0])
        np.testing.assert_allclose(drawn[m, [0, -1]], line[[0, -1]], rtol=0, atol=1e-12)
