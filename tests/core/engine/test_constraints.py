"""Every constraint against finite differences of its own residual: the derivative tests that all kinds share."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.engine import System
from biomec.engine.system import Drive
from tests.core.engine.examples import CONSTRAINT_EXAMPLES

H = 1e-5
# Angles that put angle rows in their cosine form (1.2) and their sine form (0.3): the switch is at 45°.
DRIVE_ANGLES = (1.2, 0.3)


@pytest.fixture(params=CONSTRAINT_EXAMPLES, ids=str)
def system(request: pytest.FixtureRequest) -> System:
    return CONSTRAINT_EXAMPLES[request.param]()


def _state(system: System, rng: np.random.Generator, angle: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A configuration away from the constraints, a velocity and an acceleration."""
    q = system.reference + 0.3 * rng.normal(size=system.n)
    q[list(system.layout.added.values())] = angle
    return q, rng.normal(size=system.n), rng.normal(size=system.n)


def _drive(system: System, t: float, angle: float) -> Drive:
    """Every driver follows angle + 0.7 t + 0.4 t²."""
    ones = np.ones(len(system.drivers))
    return Drive((angle + 0.7 * t + 0.4 * t * t) * ones, (0.7 + 0.8 * t) * ones, 0.8 * ones)


@pytest.mark.parametrize("angle", DRIVE_ANGLES)
def test_jacobian_is_the_derivative_of_the_residual(system, rng, angle):
    q, direction, _ = _state(system, rng, angle)
    drive = _drive(system, 0.0, angle)
    numeric = (system.residual(q + H * direction, drive) - system.residual(q - H * direction, drive)) / (2 * H)
    # central difference: rounding eps/h ~ 2e-11, truncation h²/6 × third derivative ~ 1e-10 for the quartic row
    assert_allclose(system.jacobian(q, drive) @ direction, numeric, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("angle", DRIVE_ANGLES)
def test_velocity_right_hand_side_is_minus_the_time_derivative(system, rng, angle):
    q, _, _ = _state(system, rng, angle)
    numeric = (system.residual(q, _drive(system, H, angle)) - system.residual(q, _drive(system, -H, angle))) / (2 * H)
    assert_allclose(-system.velocity_rhs(q, _drive(system, 0.0, angle)), numeric, atol=1e-9)


@pytest.mark.parametrize("angle", DRIVE_ANGLES)
def test_acceleration_right_hand_side_completes_the_second_derivative(system, rng, angle):
    """Φ̈ = Φq q̈ − c along a curved path, against the derivative of Φ̇ = Φq q̇ − b."""
    q, qdot, qddot = _state(system, rng, angle)

    def first_derivative(t: float) -> np.ndarray:
        at, speed = q + t * qdot + 0.5 * t * t * qddot, qdot + t * qddot
        drive = _drive(system, t, angle)
        return system.jacobian(at, drive) @ speed - system.velocity_rhs(at, drive)

    numeric = (first_derivative(H) - first_derivative(-H)) / (2 * H)
    drive = _drive(system, 0.0, angle)
    analytic = system.jacobian(q, drive) @ qddot - system.acceleration_rhs(q, qdot, drive)
    assert_allclose(analytic, numeric, rtol=1e-7, atol=1e-7)  # truncation as above, one more derivative


def test_many_frames_at_once_equal_one_at_a_time(system, rng):
    states = [_state(system, rng, angle) for angle in (1.2, 0.3, -0.4, 2.0)]
    q, qdot = np.array([s[0] for s in states]), np.array([s[1] for s in states])
    value = rng.normal(size=(4, len(system.drivers)))
    drive = Drive(value, 0.5 * value, -value)
    for t in range(4):
        one = Drive(value[t], 0.5 * value[t], -value[t])
        assert_allclose(system.residual(q, drive)[t], system.residual(q[t], one), rtol=0, atol=1e-14)
        assert_allclose(system.jacobian(q, drive)[t], system.jacobian(q[t], one), rtol=0, atol=1e-14)
        assert_allclose(
            system.acceleration_rhs(q, qdot, drive)[t], system.acceleration_rhs(q[t], qdot[t], one), rtol=0, atol=1e-13
        )
    products = system.jacobian_products(q, qdot, 2.0 * qdot, drive=drive)
    dense = np.einsum("tmn,tn->tm", system.jacobian(q, drive), qdot)
    assert_allclose(products, [dense, 2.0 * dense], rtol=0, atol=1e-12)
    nested = system.residual(q.reshape(2, 2, -1), Drive(*(a.reshape(2, 2, -1) for a in (value, value, value))))
    assert_allclose(nested.reshape(4, -1), system.residual(q, Drive(value, value, value)), rtol=0, atol=0)


def test_a_coordinate_angle_follows_through_both_forms():
    """The sine form takes over where the cosine has no slope: the defining row keeps a slope at every angle."""
    system = CONSTRAINT_EXAMPLES["planar angle coordinate"]()
    column = system.layout.added["c"]
    row = system.rows_of("c")[0]
    for angle in np.linspace(-np.pi, np.pi, 41):
        q = system.reference.copy()
        q[column] = angle
        slope = system.jacobian(q, _drive(system, 0.0, 0.0))[row, column]
        assert abs(slope) >= np.sqrt(0.5) - 1e-12


def test_a_point_shared_twice_stays_on_the_ground():
    system = CONSTRAINT_EXAMPLES["shared point and axis"]()
    assert_allclose(system.layout.point("j.P")(np.zeros(system.n)), (0.3, -0.2, 0.7))


@pytest.mark.parametrize("name", ["angle driver", "length driver", "point driver", "planar angle driver"])
def test_driver_values_are_those_that_satisfy_the_rows(name, rng):
    system = CONSTRAINT_EXAMPLES[name]()
    q = np.tile(system.reference, (3, 1))
    value = system.driver_values(q)
    still = np.zeros_like(value)
    rows = system.row_types["driver"]
    assert_allclose(system.residual(q, Drive(value, still, still))[:, rows], 0.0, atol=1e-14)


def test_shapes_that_do_not_fit_are_told(rng):
    """Compiled loops do not look where they write: shapes are checked at the door."""
    system = CONSTRAINT_EXAMPLES["length driver"]()
    q = np.tile(system.reference, (4, 1))
    drive = system.drive({"c": np.ones(4)})
    with pytest.raises(BiomecError, match=r"different shapes: \(4,\) and \(2,\) frames"):
        system.acceleration_rhs(q, q[:2], drive)
    with pytest.raises(BiomecError, match=r"values of its drivers \(c\) have the shape \(4, 1\).*ask for \(3, 1\)"):
        system.residual(q[:3], drive)
    with pytest.raises(BiomecError, match=r"have the shape \(5,\)"):
        system.residual(q, Drive(np.ones(5), np.ones(5), np.ones(5)))
    point = CONSTRAINT_EXAMPLES["point driver"]()
    with pytest.raises(BiomecError, match=r"different numbers of frames: \(3,\), \(4,\)"):
        point.drive({"c.x": np.ones(3), "c.y": np.ones(4), "c.z": np.ones(3)})
