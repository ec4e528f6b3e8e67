"""Maps of a sweep over directions: exact at its directions, mirrored as the model is, and kept when it is stopped."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.machines.head_neck.direction_map import WORDS, interpolated, sweep_table_of, triangles
from biomec.machines.head_neck.sweep_study import STUDY
from biomec.machines.head_neck.sweeps import directions, sweep
from biomec.machines.machine import load_machine
from biomec.machines.study import options_from

SHORT = {"duration_s": 0.001, "method": "Runge-Kutta", "step_s": 2e-5, "every_s": 1e-3, "finer": 0}


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture(scope="module")
def sphere(neck):
    """A run over 12 directions, 2 ms each."""
    return STUDY.run(load_machine("head-neck"), options_from(STUDY, SHORT), None)


def test_interpolation_is_exact_at_the_directions_and_for_a_constant(rng):
    corners = np.asarray(directions(2))
    values = rng.normal(size=len(corners))
    places = rng.normal(size=(200, 3))
    places /= np.linalg.norm(places, axis=1, keepdims=True)
    # rounding of a 3 × 3 inverse of well separated directions
    assert np.allclose(interpolated(corners, values, corners), values, atol=1e-12)
    assert np.allclose(interpolated(corners, np.full(len(corners), 0.3), places), 0.3, atol=1e-12)


def test_interpolation_follows_a_smooth_function(rng):
    corners = np.asarray(directions(2))
    places = rng.normal(size=(300, 3))
    places /= np.linalg.norm(places, axis=1, keepdims=True)
    slope = np.array([0.3, -0.5, 0.8])
    # triangles have edges of up to 18.7°; their planes lie up to 1 − cos 10.8° = 1.8 % below the sphere
    assert np.abs(interpolated(corners, corners @ slope, places) - places @ slope).max() < 0.018 * np.linalg.norm(slope)


@pytest.mark.parametrize(("finer", "faces"), [(0, 20), (1, 80), (2, 320)])
def test_the_sphere_is_covered_by_the_triangles_of_the_icosahedron(finer, faces):
    assert len(triangles(directions(finer))) == faces  # 20 · 4ⁿ, and Euler's V − E + F = 2


def test_the_map_of_a_symmetric_neck_is_symmetric(sphere):
    table = sweep_table_of(sphere)
    azimuth, elevation = np.array([0.0, 35.0, 90.0, 140.0]), np.array([-60.0, 0.0, 25.0])
    for figure in ("hic15", "bric", "moderate_bric", "ligament_share"):
        left, right = table.on(figure, azimuth, elevation), table.on(figure, -azimuth, elevation)
        # mirrored blows agree to 1e-9; a place on an edge of two triangles has two ways to the same value
        assert np.allclose(left, right, rtol=1e-6), figure


def test_the_table_has_the_figures_of_the_sweep(sphere):
    table = sweep_table_of(sphere)
    assert len(table.blows) == 12
    assert table.blows[0].startswith("azimuth")
    assert set(table.values) == set(WORDS)
    hic = next(one.values for one in sphere.curves if one.name == "hic15")
    assert np.array_equal(table.values["hic15"], hic)
    assert table.values["ligament_share"].max() > 1.0  # per cent, not a share


def test_a_sweep_that_was_stopped_goes_on_in_a_folder(neck_at_rest, tmp_path):
    from biomec.engine.forces.pulses import triangle
    from biomec.machines.head_neck.impact import ImpactOptions
    from biomec.machines.head_neck.sweeps import direction_trials

    options = ImpactOptions(0.001, "Runge-Kutta", 2e-5, 1e-3)
    trials = direction_trials(neck_at_rest, triangle(16e3, 0.2e-3, 0.7e-3), options, 0)[:4]

    def stop(fraction: float) -> None:
        raise Cancelled("enough")

    with pytest.raises((Cancelled, BiomecError)):
        sweep(trials, stop, tmp_path)
    (file,) = tmp_path.iterdir()
    before = file.read_text(encoding="utf-8")
    assert 1 <= before.count('"name"') <= len(trials)
    rows = sweep(trials, None, tmp_path)
    assert [row.name for row in rows] == [one.name for one in trials]
    sweep(trials[:2], None, tmp_path)  # other blows have a file of their own
    assert len(list(tmp_path.iterdir())) == 2
