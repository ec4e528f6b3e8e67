"""Bands against brute force: parameters changed one by one, and everything computed again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_axes import AXES
from biomec.body.loads.load_components import LoadReading, load_components
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.loads.sensitivity import (
    CENTRE,
    JOINT,
    MASS,
    PRESSURE,
    RADIUS,
    LoadBand,
    SensitivityOptions,
    band_components,
    joint_doubts,
    load_band,
)
from biomec.engine.body import Body
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import joint_tree
from tests.core.body.loads.people import random_states
from tests.core.body.loads.performed import Performed, performed

GROUPS = (
    "thorax",
    "pelvis",
    "head",
    "thigh",
    "shank",
    "foot",
    "humerus",
    "hand",
    "clavicle",
    "scapula",
    "ulna",
    "radius",
)


def other_body(one: Performed, change: Callable[[Body], Body]) -> JointLoads:
    """Loads of the same motion of another body."""
    old = one.system
    system = System([change(body) for body in old.bodies], old.constraints, name=old.name)
    tree = joint_tree(system, one.acquisition.model.model.roots)
    motion = segment_motion(system, one.q, one.qdot, one.qddot)
    return newton_euler(tree, motion, one.q, one.external)


def changed(names: Sequence[str], change: Callable[[Body], Body]) -> Callable[[Body], Body]:
    return lambda body: change(body) if body.name.split()[-1] in names else body


def width(one: Performed, varied: Sequence[JointLoads], what: str) -> FloatArray:
    base = getattr(one.loads(), what)
    return np.asarray(np.sqrt(sum((getattr(other, what) - base) ** 2 for other in varied)))


@pytest.mark.parametrize("what", ["force", "torque"])
def test_masses(what: str) -> None:
    one = performed("push-up")
    band = load_band(one.tree, one.motion, one.loads(), one.external, SensitivityOptions(mass=0.03))

    def heavier(body: Body) -> Body:
        return replace(body, mass=1.03 * body.mass, inertia=1.03 * body.inertia_matrix)

    varied = [other_body(one, changed([name], heavier)) for name in GROUPS]
    assert np.allclose(band.half_width(what, MASS), width(one, varied, what), atol=1e-9)  # linear: exact


def test_radii() -> None:
    one = performed("walk")
    band = load_band(one.tree, one.motion, one.loads(), one.external, SensitivityOptions(radius=1e-4))
    varied = [
        other_body(one, changed([name], lambda body: replace(body, inertia=(1.0 + 1e-4) ** 2 * body.inertia_matrix)))
        for name in GROUPS
    ]
    # first order: relative error half of the change
    assert np.allclose(band.half_width("torque", RADIUS), width(one, varied, "torque"), rtol=1e-4, atol=1e-12)
    assert np.abs(band.half_width("force", RADIUS)).max() == 0.0


@pytest.mark.parametrize("what", ["force", "torque"])
def test_centres_of_mass(what: str) -> None:
    one, share = performed("walk"), 1e-4
    band = load_band(one.tree, one.motion, one.loads(), one.external, SensitivityOptions(centre=share))

    def shifted(axis: int) -> Callable[[Body], Body]:
        def shift(body: Body) -> Body:
            away = share * np.sqrt(body.inertia_matrix.trace() / 2.0 / body.mass) * np.eye(3)[axis]
            points = {name: p for name, p in body.points.items() if name not in ("com", "origin")}
            return replace(body, points=points, centre_of_mass=np.asarray(body.centre_of_mass) + away)

        return shift

    varied = [other_body(one, changed([name], shifted(axis))) for name in GROUPS for axis in range(3)]
    expected = width(one, varied, what)
    assert np.abs(band.half_width(what, CENTRE) - expected).max() < 1e-3 * expected.max()  # second order is left out


def test_centre_of_pressure() -> None:
    one = performed("push-up")
    band = load_band(one.tree, one.motion, one.loads(), one.external)
    varied = []
    for k in range(len(one.external.segments)):
        for axis in (0, 2):
            offset = np.zeros((1, len(one.external.segments), 3))
            offset[0, k, axis] = 0.005
            varied.append(one.loads(one.external.moved(offset)))
    assert np.allclose(band.half_width("torque", PRESSURE), width(one, varied, "torque"), atol=1e-9)
    assert np.abs(band.half_width("force", PRESSURE)).max() == 0.0
    elbow = band.half_width("torque", PRESSURE)[:, one.loads().index("right elbow")]
    assert 0.2 < np.linalg.norm(elbow, axis=1).max() < 5.0  # 5 mm at some 150-200 N, in two directions


def test_joint_centres() -> None:
    one = performed("squat")
    loads = one.loads()
    band = load_band(one.tree, one.motion, loads, one.external, SensitivityOptions(joint_m=0.01))
    shifts = [np.cross(0.01 * np.eye(3)[axis], loads.force) for axis in range(3)]
    assert np.allclose(band.half_width("torque", JOINT), np.sqrt(sum(s**2 for s in shifts)))


def test_all_together_and_other_axes() -> None:
    one = performed("squat")
    loads = one.loads()
    df, dh = np.array([1.0, 0.0, 0.0]), np.array([0.0, 3.0, 4.0])
    lower = replace(loads, force=loads.force + df, torque=loads.torque + dh)
    upper = replace(loads, force=loads.force - df, torque=loads.torque - dh)
    none = SensitivityOptions(0.0, 0.0, 0.0, 0.0)
    band = load_band(one.tree, one.motion, loads, one.external, none, {"cut-off frequency": (lower, upper)})
    assert band.sources == ("cut-off frequency",)
    assert np.allclose(band.half_width("torque"), [0.0, 3.0, 4.0])
    c, s = 0.8, 0.6  # turned about X until the second axis lies along (0, 3, 4)
    axes = np.broadcast_to(np.array([[1.0, 0.0, 0.0], [0.0, s, -c], [0.0, c, s]]), (*loads.force.shape[:2], 3, 3))
    assert np.allclose(band.half_width("torque", axes=axes), [0.0, 5.0, 0.0], atol=1e-6)  # root of round-off
    whole = load_band(one.tree, one.motion, loads, one.external, repeated={"cut-off frequency": (lower, upper)})
    squares = sum(whole.half_width("torque", source) ** 2 for source in whole.sources)
    assert np.allclose(whole.half_width("torque"), np.sqrt(squares))
    assert set(whole.to_result().arrays) == {f"{w}, {s}" for w in ("force", "torque") for s in whole.sources}


def test_wrong_input_is_told() -> None:
    one = performed("squat")
    band = load_band(one.tree, one.motion, one.loads(), one.external)
    with pytest.raises(BiomecError, match="no band"):
        band.half_width("power")
    with pytest.raises(BiomecError, match="negative"):
        SensitivityOptions(mass=-0.1)
    with pytest.raises(BiomecError, match="same joints"):
        load_band(one.tree, one.motion, performed("walk").loads(), one.external)


@pytest.fixture(scope="module")
def loads():
    moving = random_states("m21", frames=4).moving
    return newton_euler(moving.tree, moving.segments, moving.q, moving.external)


def test_doubt_is_the_rms_of_the_band_beside_the_peak_of_the_load(loads):
    shape = (*loads.force.shape[:2], 3, 3)
    small, large = np.broadcast_to(np.eye(3), shape), np.broadcast_to(4.0 * np.eye(3), shape).copy()
    j = loads.index("right elbow")
    large[:, j] *= 1e6  # far more than any other
    band = LoadBand(loads.joints, {"a": small, "b": large}, {"a": small, "b": large}, SensitivityOptions())
    first = joint_doubts(loads, band)[0]
    assert first.joint == "right elbow"
    assert first.worst == "b"
    expected = np.sqrt(3.0 * (1.0 + 4e6))  # three components, two sources whose squares add
    assert first.moment == pytest.approx(expected)
    assert first.moment_share == pytest.approx(expected / np.linalg.norm(loads.torque[:, j], axis=1).max())
    assert first.force_share == pytest.approx(expected / np.linalg.norm(loads.force[:, j], axis=1).max())


def test_frames_without_a_load_do_not_count(loads):
    shape = (*loads.force.shape[:2], 3, 3)
    ones = np.broadcast_to(np.eye(3), shape).copy()
    ones[0] = np.nan
    force = loads.force.copy()
    force[0] = np.nan
    lost = replace(loads, force=read_only(force))
    doubts = joint_doubts(lost, LoadBand(loads.joints, {"a": ones}, {"a": ones}, SensitivityOptions()))
    assert all(one.moment == pytest.approx(np.sqrt(3.0)) for one in doubts)
    assert all(np.isfinite(one.force_share) for one in doubts)


def test_a_band_of_other_joints_is_refused(loads):
    with pytest.raises(BiomecError, match="other joints"):
        joint_doubts(loads, LoadBand(("right elbow",), {}, {}, SensitivityOptions()))


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
