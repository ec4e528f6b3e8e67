"""Plates of every type: loads at known points, turned into channels by statics, must come back from the file."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.arrays import rotation_about
from biomec.io.c3d import read_c3d
from tests.oracles.c3d_bytes import c3d_bytes

SAMPLES = 12
DEPTH = 0.043  # sensors below the surface [m]
A, B = 0.12, 0.2  # half the distances between sensors [m]
HALF_X, HALF_Y = 0.2, 0.3  # half the sides of the plate [m]
CHANNELS = {1: 6, 2: 6, 3: 8, 4: 6, 5: 8, 6: 12, 7: 8}


@dataclass
class Situation:
    """A plate somewhere in the laboratory and loads on it, all in laboratory axes and SI units.

    The plate's z axis points into the ground. ``force`` acts on the subject at ``cop``; ``twist`` is the free moment
    along the surface's normal.
    """

    R: np.ndarray
    centre: np.ndarray
    corners: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    cop: np.ndarray
    twist: np.ndarray

    def moment_about(self, point):
        return np.cross(self.cop - point, self.force) + self.twist[:, None] * self.normal


def situation(rng, up="z", tilt=0.0):
    base = np.column_stack([[1.0, 0, 0], [0, -1.0, 0], [0, 0, -1.0]])  # z down in a laboratory with Z up
    if up == "y":
        base = np.column_stack([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])
    vertical = -base[:, 2]
    R = rotation_about(vertical, rng.uniform(-3, 3)) @ rotation_about(base[:, 0], tilt) @ base
    centre = rng.uniform(-1, 1, size=3)
    quadrants = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * [HALF_X, HALF_Y]
    corners = centre + quadrants @ R[:, :2].T
    normal = -R[:, 2]
    horizontal = rng.normal(scale=80.0, size=(SAMPLES, 2)) @ R[:, :2].T
    force = horizontal + rng.uniform(200, 900, size=(SAMPLES, 1)) * normal
    where = rng.uniform(-0.9, 0.9, size=(SAMPLES, 2)) * [HALF_X, HALF_Y]
    return Situation(
        R, centre, corners, normal, force, centre + where @ R[:, :2].T, rng.normal(scale=8.0, size=SAMPLES)
    )


def sensor_forces(s, rng):
    """Forces (N, 4, 3) of four sensors in plate axes that together are the load, by least squares on statics.

    Six equations for twelve unknowns; a random part that loads nothing is added, so that no symmetry hides a mistake.
    """
    arms = np.array([[A, B, DEPTH], [-A, B, DEPTH], [-A, -B, DEPTH], [A, -B, DEPTH]])  # from the centre; z is down
    cross = lambda r: np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    statics = np.hstack([np.vstack([np.eye(3), cross(r)]) for r in arms])
    wrench = np.hstack([s.force @ s.R, s.moment_about(s.centre) @ s.R])
    free = rng.normal(scale=30.0, size=(SAMPLES, 12))
    free -= (np.linalg.pinv(statics) @ (statics @ free.T)).T
    return ((np.linalg.pinv(statics) @ wrench.T).T + free).reshape(SAMPLES, 4, 3)


def channels(kind, s, rng, unit):
    """Channels of a plate of a type, and its calibration matrix; lengths in ``unit`` (per metre)."""
    at_sensor = s.centre - DEPTH * s.normal
    six = np.hstack([s.force @ s.R, unit * s.moment_about(at_sensor) @ s.R])
    f = sensor_forces(s, rng)
    x, y, z = np.moveaxis(f, -1, 0)
    eight = np.column_stack(
        [x[:, 0] + x[:, 1], x[:, 2] + x[:, 3], y[:, 0] + y[:, 3], y[:, 1] + y[:, 2], z[:, 0], z[:, 1], z[:, 2], z[:, 3]]
    )
    if kind == 1:
        place = unit * (s.cop - s.centre) @ s.R
        return np.column_stack([s.force @ s.R, place[:, :2], -unit * s.twist]), None  # z down: twist about −z
    if kind == 2:
        return six, None
    if kind == 3:
        return eight, None
    signals = {4: six, 5: six, 6: f.reshape(SAMPLES, 12), 7: eight}[kind]
    matrix = rng.normal(size=(signals.shape[1], CHANNELS[kind])) + 3.0 * np.eye(signals.shape[1], CHANNELS[kind])
    return signals @ np.linalg.pinv(matrix).T, matrix


def origin(kind, unit):
    return unit * (np.array([A, B, -DEPTH]) if kind in (3, 6, 7) else np.array([0.0, 0.0, -DEPTH]))


def plate_file(kind, s, volts, matrix, unit, word="mm", extra=None, up="z", units=None):
    parameters = {
        ("POINT", "UNITS"): word,
        ("POINT", "X_SCREEN"): "+X",
        ("POINT", "Y_SCREEN"): "+" + up.upper(),
        ("FORCE_PLATFORM", "USED"): np.array(1),
        ("FORCE_PLATFORM", "TYPE"): np.array([kind]),
        ("FORCE_PLATFORM", "ZERO"): np.array([0, 0]),
        ("FORCE_PLATFORM", "CORNERS"): unit * s.corners.T[:, :, None],
        ("FORCE_PLATFORM", "ORIGIN"): origin(kind, unit)[:, None],
        ("FORCE_PLATFORM", "CHANNEL"): np.arange(2, 2 + volts.shape[1])[:, None],
        ("ANALOG", "UNITS"): units or [""] * (volts.shape[1] + 1),
    }
    if matrix is not None:
        parameters["FORCE_PLATFORM", "CAL_MATRIX"] = matrix[:, :, None]
    parameters.update(extra or {})
    analog = np.hstack([np.full((len(volts), 1), 7.0), volts])  # the plate's channels are not the first
    points = np.ones((len(volts) // 4, 1, 3))
    return c3d_bytes(points, analog=analog, samples_per_frame=4, parameters=parameters)


def check(trial, s, sign=1.0):
    (plate,) = trial.plates
    # single precision in the file: 6e-8 of the largest channel, times the condition of a random calibration matrix
    assert_allclose(plate.origin, s.centre, atol=1e-6)
    assert_allclose(plate.up, s.normal, atol=1e-5)
    assert_allclose(plate.force, s.force, rtol=0, atol=0.02)
    assert_allclose(plate.moment, s.moment_about(s.centre), rtol=0, atol=0.01)
    assert_allclose(plate.centre_of_pressure(), s.cop, rtol=0, atol=5e-5)
    assert_allclose(plate.free_moment(), s.twist[:, None] * s.normal, rtol=0, atol=0.02)
    assert trial.analog.names == ("A1",)  # the plate's channels are not repeated


@pytest.fixture
def read(tmp_path):
    def read_bytes(data):
        path = tmp_path / "plate.c3d"
        path.write_bytes(data)
        return read_c3d(path)

    return read_bytes


@pytest.mark.parametrize(("word", "unit"), [("mm", 1e3), ("m", 1.0)])
@pytest.mark.parametrize("up", ["z", "y"])
@pytest.mark.parametrize("kind", range(1, 8))
def test_force_point_and_free_moment_come_back(read, rng, kind, up, word, unit):
    s = situation(rng, up)
    volts, matrix = channels(kind, s, rng, unit)
    check(read(plate_file(kind, s, volts, matrix, unit, word, up=up)), s)


@pytest.mark.parametrize("kind", range(1, 8))
def test_an_inclined_plate(read, rng, kind):
    s = situation(rng, tilt=0.3)  # a ramp of 17°
    volts, matrix = channels(kind, s, rng, 1e3)
    check(read(plate_file(kind, s, volts, matrix, 1e3)), s)


@pytest.mark.parametrize("kind", [2, 3, 4, 5, 6, 7])
def test_the_wrong_sign_of_origin_is_put_right_and_said_so(read, rng, kind):
    s = situation(rng)
    volts, matrix = channels(kind, s, rng, 1e3)
    extra = {("FORCE_PLATFORM", "ORIGIN"): -origin(kind, 1e3)[:, None]}
    trial = read(plate_file(kind, s, volts, matrix, 1e3, extra=extra))
    check(trial, s)
    (notice,) = [n for n in trial.notices if n.code == "c3d-origin-sign"]
    assert "43.0 mm" in notice.sentence


@pytest.mark.parametrize("kind", range(1, 8))
def test_the_load_on_the_plate_is_reversed_and_said_so(read, rng, kind):
    s = situation(rng)
    volts, matrix = channels(kind, s, rng, 1e3)
    if kind == 1:
        volts = volts * [-1, -1, -1, 1, 1, -1]  # the place stays where it is
    else:
        volts = -volts
    trial = read(plate_file(kind, s, volts, matrix, 1e3))
    check(trial, s)
    assert "c3d-force-reversed" in [n.code for n in trial.notices]


def test_units_of_the_channels_are_believed(read, rng):
    s = situation(rng)
    volts, _ = channels(2, s, rng, 1.0)  # N m, in a file whose points are in mm
    data = plate_file(2, s, volts, None, 1e3, units=["", "N", "N", "N", "Nm", "Nm", "Nm"])
    check(read(data), s)


def test_a_type_5_matrix_may_be_stored_turned(read, rng):
    s = situation(rng)
    volts, matrix = channels(5, s, rng, 1e3)
    check(read(plate_file(5, s, volts, matrix.T, 1e3)), s)


def test_the_polynomial_of_kistler_moves_the_point(read, rng):
    """Δx = c₃ x³ + c₆ x, Δy = c₁₂ y in the file's millimetres, computed here from the definition."""
    s = situation(rng)
    volts, matrix = channels(3, s, rng, 1e3)
    c = np.zeros(12)
    c[[1, 2, 5, 11]] = [1e-12, 2e-7, 0.01, -0.02]
    trial = read(plate_file(3, s, volts, matrix, 1e3, extra={("FORCE_PLATFORM", "FPCOPPOLY"): c[:, None]}))
    x, y = 1e3 * ((s.cop - s.centre) @ s.R)[:, :2].T
    moved = np.column_stack([x - (1e-12 * y**2 + 2e-7) * x**3 - 0.01 * x, y + 0.02 * y])
    expected = s.centre + 1e-3 * moved @ s.R[:, :2].T
    assert_allclose(trial.plates[0].centre_of_pressure(), expected, atol=5e-5)


def test_a_baseline_is_taken_away_and_said_so(read, rng):
    s = situation(rng)
    volts, _ = channels(2, s, rng, 1e3)
    drift = np.array([1.0, -2.0, -6.0, 400.0, 30.0, -20.0])
    data = np.vstack([np.tile(drift, (8, 1)), volts + drift])
    trial = read(plate_file(2, s, data, None, 1e3, extra={("FORCE_PLATFORM", "ZERO"): np.array([1, 2])}))
    (plate,) = trial.plates
    assert_allclose(plate.force[:8], 0.0, atol=1e-4)
    assert_allclose(plate.force[8:], s.force, atol=0.02)
    assert_allclose(plate.moment[8:], s.moment_about(s.centre), atol=0.01)
    (notice,) = [n for n in trial.notices if n.code == "c3d-baseline"]
    assert "6.0 N" in notice.sentence


def test_a_baseline_on_which_somebody_stands_is_not_taken(read, rng):
    s = situation(rng)
    volts, _ = channels(2, s, rng, 1e3)
    trial = read(plate_file(2, s, volts, None, 1e3, extra={("FORCE_PLATFORM", "ZERO"): np.array([1, 2])}))
    check(trial, s)
    assert "c3d-baseline-loaded" in [n.code for n in trial.notices]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({("FORCE_PLATFORM", "TYPE"): np.array([11])}, "type is 11"),
        ({("FORCE_PLATFORM", "TYPE"): None}, "type is 0"),
        ({("FORCE_PLATFORM", "CHANNEL"): np.array([[2], [3], [4]])}, "needs 6 channels"),
        ({("FORCE_PLATFORM", "CHANNEL"): np.array([[2], [3], [4], [5], [6], [99]])}, "the file has 7"),
        ({("FORCE_PLATFORM", "CORNERS"): np.zeros((3, 4, 1))}, "not those of a rectangle"),
        ({("FORCE_PLATFORM", "CORNERS"): None}, "corners are missing"),
        ({("FORCE_PLATFORM", "ORIGIN"): None}, "ORIGIN"),
    ],
)
def test_a_plate_that_cannot_be_understood_is_left_out_with_the_reason(read, rng, change, words):
    s = situation(rng)
    volts, _ = channels(2, s, rng, 1e3)
    trial = read(plate_file(2, s, volts, None, 1e3, extra=change))
    assert trial.plates == ()
    assert len(trial.analog.names) == 7  # nothing is lost
    (notice,) = [n for n in trial.notices if n.code == "c3d-plate-left-out"]
    assert words in notice.sentence


def test_a_calibrated_plate_without_matrix_in_volts_is_left_out(read, rng):
    s = situation(rng)
    volts, _ = channels(4, s, rng, 1e3)
    trial = read(plate_file(4, s, volts, None, 1e3, units=["V"] * 7))
    assert trial.plates == ()
    assert "calibration matrix" in "".join(n.sentence for n in trial.notices)


def test_without_a_word_on_axes_the_plates_are_evidence(read, rng):
    s = situation(rng, "y")
    volts, _ = channels(2, s, rng, 1e3)
    none = {("POINT", "X_SCREEN"): None, ("POINT", "Y_SCREEN"): None}
    trial = read(plate_file(2, s, volts, None, 1e3, up="y", extra=none))
    assert (trial.axes.up, str(trial.axes.authority)) == ("+y", "evidence")
    check(trial, s)
