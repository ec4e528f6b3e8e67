"""The band along the axes of a reading: of a single variation it is the difference of two readings."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.arrays import read_only
from biomec.body.loads.band_components import band_components
from biomec.body.loads.load_axes import AXES
from biomec.body.loads.load_components import LoadReading, load_components
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.loads.sensitivity import SensitivityOptions, load_band
from tests.core.body.loads.people import random_states

NOTHING = SensitivityOptions(mass=0.0, centre=0.0, radius=0.0, pressure_m=0.0)


@pytest.fixture(scope="module")
def varied():
    """Loads of a moving person, and others of the same motion."""
    moving = random_states("m21", frames=12).moving
    loads = newton_euler(moving.tree, moving.segments, moving.q, moving.external)
    shake = np.random.default_rng(2).normal(size=(2, *loads.force.shape))
    other = replace(loads, force=read_only(loads.force + shake[0]), torque=read_only(loads.torque + shake[1]))
    band = load_band(moving.tree, moving.segments, loads, moving.external, NOTHING, {"another run": [other]})
    return moving, loads, other, band


@pytest.mark.parametrize("normalisation", ["none", "weight"])
@pytest.mark.parametrize("axes", AXES)
def test_the_band_of_one_variation_is_the_difference_of_the_readings(varied, axes, normalisation):
    moving, loads, other, band = varied
    body = moving.model
    reading = LoadReading(axes=axes, normalisation=normalisation)
    given = {"hinges": body.joint_axes(), "mass_kg": 75.0, "height_m": 1.77}
    here, there = (load_components(one, moving.segments, body.model, reading, **given) for one in (loads, other))
    half = band_components(band, moving.segments, body.model, reading, **given)
    assert half.shape == here.values.shape
    np.testing.assert_allclose(half, np.abs(there.values - here.values), rtol=1e-9, atol=1e-9)  # round-off of squares


def test_a_single_joint_has_the_numbers_that_it_has_among_all(varied):
    moving, loads, _, band = varied
    model, reading = moving.model.model, LoadReading()
    whole = load_components(loads, moving.segments, model, reading)
    one = load_components(loads, moving.segments, model, reading, joints=["right elbow"])
    assert one.names == (*whole.of("right elbow", "force"), *whole.of("right elbow", "moment"))
    columns = [whole.index(name) for name in one.names]
    np.testing.assert_array_equal(one.values, whole.values[:, columns])
    half = band_components(band, moving.segments, model, reading)
    alone = band_components(band, moving.segments, model, reading, joints=["right elbow"], source="another run")
    np.testing.assert_allclose(alone, half[:, columns], rtol=1e-12)
