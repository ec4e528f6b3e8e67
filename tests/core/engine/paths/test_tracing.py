"""Paths over bodies in random places: pulls are the gradient of the length and add up to zero."""

from __future__ import annotations

import numpy as np
import pytest

from biomec.base.arrays import FloatArray, rotation_about
from biomec.engine.paths.cords import Contact, Coordinate, Cord, CordPaths, Cords, PathPoint, Surface
from biomec.engine.paths.ellipsoids import wrap_ellipsoid
from biomec.engine.paths.simm_spline import simm_spline
from biomec.engine.paths.surfaces import FLIPPED, GAVE, INSIDE, MISSING, UNSOLVED, WRAPPED, wrap_sphere
from biomec.engine.rotations import rotation

NUDGE = 1e-6  # of the central differences of a length [m or rad]
SPLINE = simm_spline([-1.5, -0.5, 0.3, 1.0, 2.0], [0.02, 0.03, 0.05, 0.04, 0.01])
TILTED = rotation(np.array([0.3, -0.4, 0.2]), "XYZ")


def point(body: str, *at: float, **more: object) -> PathPoint:
    return PathPoint(body, np.array(at), **more)  # type: ignore[arg-type]


def surface(kind: str, *size: float, active: str = "") -> Surface:
    return Surface(kind, kind, "b", np.array([0.0, 0.01, 0.0]), TILTED, size, active)


FAR = point("a", 0.12, 0.02, 0.03), point("c", -0.1, -0.01, 0.02)
CORDS = Cords(
    ("a", "b", "c"),
    (
        Cord("straight", (point("a", 0.1, 0.0, 0.0), point("b", 0.0, 0.02, 0.03), point("c", 0.0, 0.1, 0.0))),
        Cord("moving", (point("a", 0.1, 0.0, 0.0), point("b", 0.0, 0.2, 0.03, curves=(("knee", SPLINE), None, None)))),
        Cord("cylinder", FAR, (Contact("cylinder"),)),
        Cord("sphere", FAR, (Contact("sphere"),)),
        Cord("ellipsoid", FAR, (Contact("ellipsoid"),)),
        Cord("ring", FAR, (Contact("ring"),)),
        Cord("giving to its end", (FAR[0], point("c", -0.25, 0.03, 0.005)), (Contact("ellipsoid", gives=True),)),
        Cord("giving to its start", (point("a", 0.24, 0.045, 0.005), FAR[1]), (Contact("sphere", gives=True),)),
        Cord("giving along a rod", (point("a", 0.23, 0.045, 0.005), FAR[1]), (Contact("rod", gives=True),)),
        Cord("two", (*FAR, point("c", -0.1, -0.1, 0.0)), (Contact("sphere"), Contact("cylinder"))),
    ),
    (
        surface("cylinder", 0.03, 0.5),
        surface("sphere", 0.035),
        surface("ellipsoid", 0.03, 0.05, 0.04),
        surface("ring", 0.02),
        Surface("rod", "cylinder", "b", np.array([0.0, 0.01, 0.0]), TILTED, (0.035, 0.5)),
    ),
    (Coordinate("knee", "a", "b"),),
)


def poses(frames: int, seed: int = 1) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Three bodies a, b, c along x, moved and turned at random; b turns against a about z by the coordinate."""
    random = np.random.default_rng(seed)
    R = np.empty((frames, 3, 3, 3))
    p = np.array([[-0.25, 0.0, 0.0], [0.0, 0.0, 0.0], [0.25, 0.0, 0.0]]) + random.uniform(-0.012, 0.012, (frames, 3, 3))
    theta = random.uniform(-1.0, 1.0, (frames, 1))
    for t in range(frames):
        R[t, 0] = rotation(random.uniform(-0.2, 0.2, 3), "XYZ")
        R[t, 1] = R[t, 0] @ rotation_about(np.array([0.0, 0.0, 1.0]), theta[t, 0])
        R[t, 2] = rotation(random.uniform(-0.2, 0.2, 3), "XYZ")
    return R, p, theta


def traced(R: FloatArray, p: FloatArray, theta: FloatArray, **more: object) -> CordPaths:
    return CORDS.trace(R, p, theta=theta, turning=R[:, 0, None, :, 2], **more)  # type: ignore[arg-type]


def moved(
    R: FloatArray, p: FloatArray, theta: FloatArray, body: int, kind: int, axis: int, by: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Poses with one body shifted along (kind 0) or turned about (1) an axis; b takes the coordinate along."""
    R, p, theta = R.copy(), p.copy(), theta.copy()
    direction = np.eye(3)[axis]
    if kind == 0:
        p[:, body] += by * direction
        return R, p, theta
    turn = rotation_about(direction, by)
    relative = [R[:, 0, :, 2] @ direction * by * sign for sign in (-1.0, 1.0, 0.0)][body]
    R[:, body] = turn @ R[:, body]
    p[:, body] = p[:, body] @ turn.T
    theta[:, 0] += relative
    return R, p, theta


def single(R: FloatArray, p: FloatArray, theta: FloatArray) -> FloatArray:
    """Lengths with every frame by itself, so that no side is remembered."""
    return np.concatenate([traced(R[t : t + 1], p[t : t + 1], theta[t : t + 1]).length for t in range(len(R))])


@pytest.fixture(scope="module")
def case() -> tuple[FloatArray, FloatArray, FloatArray, CordPaths]:
    R, p, theta = poses(60)
    return R, p, theta, traced(R, p, theta)


def test_pulls_are_the_gradient_of_the_length(case: tuple[FloatArray, FloatArray, FloatArray, CordPaths]) -> None:
    """Spec of muscles: 1e-7 m without, 1e-6 m with a surface; every force and moment on every body."""
    R, p, theta = (array[:12] for array in case[:3])
    pull = np.concatenate([traced(R[t : t + 1], p[t : t + 1], theta[t : t + 1]).pull for t in range(len(R))])
    paths = case[3]
    wrapping = np.array([bool(cord.contacts) for cord in CORDS.cords])
    for body in range(3):
        for kind in range(2):
            for axis in range(3):
                ends = [single(*moved(R, p, theta, body, kind, axis, sign * NUDGE)) for sign in (1.0, -1.0)]
                gradient = (ends[0] - ends[1]) / (2.0 * NUDGE)
                exact = np.zeros_like(gradient)
                for one in np.flatnonzero(paths.pair_body == body):
                    exact[:, paths.pair_cord[one]] -= pull[:, one, 3 * kind + axis]
                error = np.abs(gradient - exact).max(axis=0)
                assert error[~wrapping].max() < 1e-7
                assert error[wrapping].max() < 1e-6


def test_pulls_add_up_to_zero(case: tuple[FloatArray, FloatArray, FloatArray, CordPaths]) -> None:
    paths = case[3]
    for cord in range(len(CORDS.cords)):
        assert np.abs(paths.pull[:, paths.pair_cord == cord].sum(axis=1)).max() < 1e-12


def test_speed_is_the_rate_of_the_length() -> None:
    """All bodies move on screws; central differences of the length in time."""
    R, p, theta = poses(1)
    random = np.random.default_rng(3)
    twist = random.uniform(-1.0, 1.0, (3, 6))
    rate = (twist[1, 3:] - twist[0, 3:]) @ R[0, 0, :, 2]
    twist[1, 3:] = twist[0, 3:] + rate * R[0, 0, :, 2]  # b only turns about the axis of its coordinate
    h = 1e-5

    def at(time: float) -> CordPaths:
        turned, places = R.copy(), p.copy()
        for body in range(3):
            spin = twist[body, 3:]
            turn = rotation_about(spin, float(np.linalg.norm(spin)) * time)
            turned[0, body] = turn @ R[0, body]
            places[0, body] = p[0, body] + time * (twist[body, :3] + np.cross(spin, p[0, body]))
        return traced(turned, places, theta + rate * time, twist=twist[None])

    difference = (at(h).length - at(-h).length) / (2.0 * h)
    assert np.abs(at(0.0).speed - difference).max() < 1e-6


def test_most_random_paths_touch_and_all_are_solved(
    case: tuple[FloatArray, FloatArray, FloatArray, CordPaths],
) -> None:
    paths = case[3]
    touched = (paths.status & WRAPPED) != 0
    giving = np.array([any(one.gives for one in cord.contacts) for cord in CORDS.cords])
    assert (touched[:, ~giving][:, 2:].mean(axis=0) > 0.5).all()
    assert (((paths.status & (WRAPPED | GAVE)) == WRAPPED | GAVE)[:12, giving].sum(axis=0) > 1).all()
    assert not (paths.status & UNSOLVED).any()


def test_ellipsoid_that_is_a_sphere_wraps_like_a_sphere() -> None:
    R, p, _ = poses(20, seed=4)
    ball = Surface("ball", "ellipsoid", "b", np.array([0.0, 0.01, 0.0]), TILTED, (0.035, 0.035, 0.035))
    both = Cords(
        CORDS.bodies,
        (Cord("exact", FAR, (Contact("sphere"),)), Cord("geodesic", FAR, (Contact("ball"),))),
        (CORDS.surfaces[1], ball),
    )
    paths = both.trace(R, p)
    assert ((paths.status & WRAPPED) != 0).sum() > 20
    assert np.abs(paths.length[:, 0] - paths.length[:, 1]).max() < 1e-9


def rod_over(heights: FloatArray) -> CordPaths:
    """A cord across a cylinder of 3 cm along z, its middle raised by ``heights`` (T,) above the axis."""
    shape = Surface("rod", "cylinder", "b", np.zeros(3), np.eye(3), (0.03, 1.0))
    cords = Cords(
        ("a", "b"), (Cord("over", (point("a", -0.1, 0, 0), point("a", 0.1, 0, 0)), (Contact("rod"),)),), (shape,)
    )
    R = np.broadcast_to(np.eye(3), (len(heights), 2, 3, 3))
    p = np.zeros((len(heights), 2, 3))
    p[:, 0, 1] = heights
    return cords.trace(R, p)


def test_a_path_keeps_its_side_and_slips_off_only_beyond_three_quarters_of_a_turn() -> None:
    """The cord moves slowly from above the rod to below it: it stays above, longer and longer."""
    paths = rod_over(np.linspace(0.02, -0.06, 81))
    assert (np.diff(paths.length[:, 0]) > 0.0).all()
    assert paths.contact[-1, 0, 1] > 0.0 or paths.contact[-1, 0, 4] > 0.0
    sudden = rod_over(np.array([0.02, -0.02]))
    assert sudden.contact[1, 0, 1] < 0.0 or (sudden.status[1, 0] & FLIPPED) == 0
    assert rod_over(np.array([-0.02])).contact[0, 0, 1] < 0.0  # alone, it passes below


def test_a_contact_that_begins_with_a_jump_is_reported() -> None:
    paths = rod_over(np.array([0.05, 0.001]))
    assert paths.status[0, 0] == 0
    assert paths.status[1, 0] & (WRAPPED | FLIPPED) == WRAPPED | FLIPPED


def test_a_point_inside_is_reported() -> None:
    shape = Surface("ball", "sphere", "b", np.zeros(3), np.eye(3), (0.03,))
    cords = Cords(
        ("a", "b"), (Cord("in", (point("a", 0.01, 0, 0), point("a", 0.1, 0, 0)), (Contact("ball"),)),), (shape,)
    )
    paths = cords.trace(np.broadcast_to(np.eye(3), (1, 2, 3, 3)), np.zeros((1, 2, 3)))
    assert paths.status[0, 0] == INSIDE
    assert paths.length[0, 0] == pytest.approx(0.09, abs=1e-15)


def test_missing_bodies_stay_missing(case: tuple[FloatArray, FloatArray, FloatArray, CordPaths]) -> None:
    R, p, theta = (array.copy() for array in case[:3])
    p[3, 2] = np.nan
    paths = traced(R, p, theta)
    needs_c = [any(one.body == "c" for one in cord.points) for cord in CORDS.cords]
    assert (np.isnan(paths.length[3]) == needs_c).all()
    assert ((paths.status[3] == MISSING) == needs_c).all()
    others = np.arange(60) > 4
    assert np.abs(paths.length[others] - case[3].length[others]).max() < 1e-9


def test_one_frame_at_a_time_gives_the_same(case: tuple[FloatArray, FloatArray, FloatArray, CordPaths]) -> None:
    R, p, theta, paths = case
    memory = None
    for t in range(10):
        step = traced(R[t : t + 1], p[t : t + 1], theta[t : t + 1], memory=memory)
        memory = step.memory
        assert np.array_equal(step.length[0], paths.length[t])
        assert np.array_equal(step.status[0], paths.status[t])


def test_conditional_points_switch_with_their_coordinate() -> None:
    path = (point("a", 0, 0, 0), point("a", 0.05, 0.05, 0, coordinate="knee", range=(-0.5, 0.5)), point("a", 0.1, 0, 0))
    cords = Cords(("a", "b"), (Cord("bent", path),), (), (Coordinate("knee", "a", "b"),))
    R = np.broadcast_to(np.eye(3), (3, 2, 3, 3))
    paths = cords.trace(R, np.zeros((3, 2, 3)), theta=np.array([[0.0], [0.5], [0.6]]))
    assert paths.length[:, 0] == pytest.approx([0.2 / np.sqrt(2.0), 0.2 / np.sqrt(2.0), 0.1], abs=1e-15)


def test_a_path_from_a_point_within_a_surface_that_gives_takes_the_short_way_in_every_frame() -> None:
    """A muscle on the ribs: its end slides along within the ellipsoid, which gives way; none goes round the front."""
    frames = 40
    along = np.linspace(0.0, 1.0, frames)[:, None]
    ends = np.array([-0.087, 0.056, -0.024]) + along * np.array([0.004, -0.007, 0.016])
    cords = Cords(
        ("scapula", "thorax"),
        (
            Cord(
                "serratus",
                (point("scapula", 0.0, 0.0, 0.0), point("thorax", 0.022, -0.045, 0.09)),
                (Contact("ribs", gives=True),),
            ),
        ),
        (Surface("ribs", "ellipsoid", "thorax", np.zeros(3), np.eye(3), (0.0955, 0.1737, 0.0868)),),
    )
    R = np.broadcast_to(np.eye(3), (frames, 2, 3, 3))
    p = np.stack([ends, np.zeros_like(ends)], axis=1)
    whole = cords.trace(R, p)
    alone = [cords.trace(R[t : t + 1], p[t : t + 1]).length[0, 0] for t in range(frames)]
    assert not (whole.status & (FLIPPED | UNSOLVED)).any()
    assert (whole.status & GAVE).any()
    np.testing.assert_allclose(whole.length[:, 0], alone, rtol=0, atol=1e-8)  # steps along the geodesic differ
    assert np.abs(np.diff(whole.length[:, 0])).max() < 1e-3


def test_a_path_that_ends_on_an_ellipsoid_is_as_long_from_either_end() -> None:
    """An end on the surface, within a hair of it, and off it; and against the great circle where it is a sphere."""
    spread = np.random.default_rng(8)
    size = np.array([0.09, 0.17, 0.08])
    for shape in (size, np.full(3, 0.09)):
        out, back = np.empty(13), np.empty(13)
        for height in (2e-12, 3e-7, 4e-4, 0.05):
            first, last = (one / np.linalg.norm(one) * shape for one in spread.normal(size=(2, 3)))
            last = last if first @ last < 0.0 else -last
            first, last = first * (1.0 + height), last * 1.2
            memory = np.zeros(6)
            codes = [wrap_ellipsoid(*ends, tuple(shape), -1, 1.0, memory, into) for ends, into in
                     (((tuple(first), tuple(last)), out), ((tuple(last), tuple(first)), back))]  # fmt: skip
            assert all(code & WRAPPED and not code & UNSOLVED for code in codes)
            # an end 3e-7 above a surface of 17 cm counts as lying on it: its 5e-8 m are lost
            assert out[7] == pytest.approx(back[7], abs=6e-8)
            assert out[:3] == pytest.approx(back[3:6], abs=2e-4)  # as far along the tangent as that height allows
            if shape is not size:
                sphere = np.empty(13)
                wrap_sphere(tuple(first), tuple(last), 0.09, memory, sphere)
                assert out[7] == pytest.approx(sphere[7], abs=5e-8)  # steps of two radians


def test_a_path_runs_freely_through_a_ring_and_over_its_rim_outside() -> None:
    """An end moves across the hole and beyond, and another past the plane of the ring: lengths stay continuous."""
    shape = Surface("ring", "ring", "b", np.zeros(3), np.eye(3), (0.02,))
    cords = Cords(
        ("a", "b"), (Cord("through", (point("a", 0, 0, 0), point("b", 0.01, 0, 0.1)), (Contact("ring"),)),), (shape,)
    )
    out = np.linspace(0.0, 0.1, 401)
    R = np.broadcast_to(np.eye(3), (len(out), 2, 3, 3))
    p = np.zeros((len(out), 2, 3))
    p[:, 0] = np.stack([out, 0.0 * out, 0.0 * out - 0.05], axis=1)
    paths = cords.trace(R, p)
    start, end = p[:, 0], np.array([0.01, 0.0, 0.1])
    crossing = start[:, 0] + (end[0] - start[:, 0]) / 3.0
    rim = np.array([0.02, 0.0, 0.0])
    over = np.linalg.norm(start - rim, axis=1) + np.linalg.norm(end - rim)
    expected = np.where(crossing <= 0.02, np.linalg.norm(end - start, axis=1), over)
    np.testing.assert_allclose(paths.length[:, 0], expected, rtol=0, atol=1e-12)
    p[:, 0] = np.stack([0.015 + 0.0 * out, 0.0 * out, out - 0.05], axis=1)
    assert np.abs(np.diff(cords.trace(R, p).length[:, 0])).max() < 1.01 * (out[1] - out[0])
