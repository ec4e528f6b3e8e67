"""All muscles over walk, push-up and both arm raises: nothing jumps, bends at a surface, or runs through one unseen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from biomec.base.arrays import FloatArray
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.muscles.fitting import fit_muscles
from biomec.body.muscles.muscle_paths import MusclePaths, muscle_paths
from biomec.body.muscles.set_file import load_muscle_set
from biomec.engine.paths.surfaces import FLIPPED, INSIDE, UNSOLVED
from biomec.virtual import ArmElevation, Movement, PushUp, RecordOptions, Walk, record

RATE_HZ = 100.0
MOVEMENTS: dict[str, Movement] = {
    "walk": Walk(),
    "push-up": PushUp(cycles=1),
    "arms raised sideways": ArmElevation(cycles=1),
    "arms raised forwards": ArmElevation("flexion", cycles=1),
}
# A length that changes smoothly differs from the trapezoidal rule of its speeds by L‴ h³/12: 0.1 mm at 1200 m/s³, which
# a foot that lands reaches. A point that joins a path of Gait2392 moves it by 0.34 mm in a walk, as in the source.
JUMP, SWITCH = 0.15e-3, 0.5e-3
# Their points lie within a surface in the source, or are carried into one, and run straight through it: teres major
# would slip off the ribs to the front if they gave way, supinators lie up to half-way into their cylinder.
THROUGH = {"TeresMajor", "supinator_3", "supinator_4", "supinator_5"}


@cache
def paths_of(name: str) -> MusclePaths:
    acquisition = record(MOVEMENTS[name], options=RecordOptions(rate_hz=RATE_HZ))
    truth, person = acquisition.truth, acquisition.model
    motion = segment_motion(person.system, truth.q, truth.qdot, truth.qddot)
    fitted = fit_muscles(person, load_muscle_set("whole-body"))
    return muscle_paths(person, truth.q, truth.qdot, fitted, motion=motion)


@pytest.fixture(params=MOVEMENTS)
def paths(request: pytest.FixtureRequest) -> MusclePaths:
    return paths_of(request.param)


def test_lengths_change_as_speeds_say(paths: MusclePaths) -> None:
    """Serratus anterior jumped by 9.6 mm as the arm rose, because its end lay deep within the ribs."""
    by_speed = 0.5 * (paths.speed[1:] + paths.speed[:-1]) / RATE_HZ
    jumps = np.abs(np.diff(paths.length, axis=0) - by_speed).max(axis=0)
    switching = np.array([any(point.coordinate for point in muscle.points) for muscle in paths.fitted.muscles])
    assert jumps[~switching].max() < JUMP
    assert jumps[switching].max() < SWITCH


def test_no_path_changes_sides_and_all_are_the_shortest(paths: MusclePaths) -> None:
    assert not (paths.status & (FLIPPED | UNSOLVED)).any()
    assert np.isfinite(paths.length).all()


def test_only_known_muscles_run_through_a_surface_they_should_wrap(paths: MusclePaths) -> None:
    """Blades hung from the shoulder's centre alone lay 35 mm too far forwards: rhomboids ran through the ribs."""
    through = (paths.status & INSIDE) != 0
    assert {paths.names[m][:-2] for m in np.flatnonzero(through.any(axis=0))} <= THROUGH


def stretches(paths: MusclePaths, t: int, m: int) -> Iterator[tuple[FloatArray, FloatArray, int, int]]:
    """Straight stretches of a muscle: both ends, and the contacts that begin or end there (−1: a point)."""
    cords, found = paths.fitted.cords, paths.paths
    tables, stations = cords.tables, []
    for i, point in enumerate(cords.cords[m].points):
        local = cords._present(point, paths.theta[t])
        if local is not None:
            body = cords.bodies.index(point.body)
            at = paths.origin[t, body] + paths.motion.R_WB[t, body] @ local
            stations.append((float(i), at, at, -1))
    for k in range(tables.wrap_first[m], tables.wrap_first[m + 1]):
        if found.place[t, k] >= 0.0:
            R, centre = frame_of(paths, t, k)
            entry, leave = (centre + R @ found.contact[t, k, part] for part in (slice(0, 3), slice(3, 6)))
            stations.append((found.place[t, k] + 1e-3, entry, leave, k))
    stations.sort(key=lambda station: station[0])
    for (_, _, start, first), (_, end, _, last) in pairwise(stations):
        yield start, end, first, last


def frame_of(paths: MusclePaths, t: int, k: int) -> tuple[FloatArray, FloatArray]:
    """Axes and centre of the surface of contact k in the laboratory."""
    cords = paths.fitted.cords
    surface = cords.surfaces[int(cords.tables.wrap_surface[k])]
    body = cords.bodies.index(surface.body)
    R = paths.motion.R_WB[t, body]
    return R @ surface.attitude, paths.origin[t, body] + R @ surface.centre


def inverse_size(paths: MusclePaths, k: int) -> FloatArray:
    """One over the semi-axes of the surface of contact k; a cylinder has none along z."""
    surface = paths.fitted.cords.surfaces[int(paths.fitted.cords.tables.wrap_surface[k])]
    if surface.kind == "cylinder":
        return np.array([1.0, 1.0, 0.0]) / surface.size[0]
    return 1.0 / np.broadcast_to(surface.size, 3)


def test_paths_leave_surfaces_along_their_tangents(paths: MusclePaths) -> None:
    """No bend where there is no point: the normal at a tangent point is normal to the straight stretch."""
    seen, worst = 0, 0.0
    for t in range(0, len(paths.length), 40):
        for m in range(len(paths.names)):
            for start, end, first, last in stretches(paths, t, m):
                far = np.linalg.norm(end - start)
                for k, at in ((first, start), (last, end)):
                    if k < 0 or far < 1e-4:  # the geodesic ends 1e-7 m off the surface: a direction of 1e-3
                        continue
                    if paths.fitted.cords.surfaces[int(paths.fitted.cords.tables.wrap_surface[k])].kind == "ring":
                        continue  # a rim has no tangents
                    R, centre = frame_of(paths, t, k)
                    normal = R.T @ (at - centre) * inverse_size(paths, k) ** 2  # also of one that gives way
                    cosine = normal @ (R.T @ (end - start)) / far / np.linalg.norm(normal)
                    seen, worst = seen + 1, max(worst, abs(float(cosine)))
    assert seen > 100
    assert worst < 1e-4  # geodesics end within 5e-6 of their length on the surface, over stretches from 10 mm


def test_straight_stretches_stay_out_of_surfaces(paths: MusclePaths) -> None:
    """No stretch goes deeper into a surface of its muscle than its ends by more than 0.5 % of its size.

    Teres major would touch the ribs on both sides of its cylinder; a path touches a surface once.
    """
    cords = paths.fitted.cords
    tables, share = cords.tables, np.linspace(0.0, 1.0, 41)[:, None]
    for m, cord in enumerate(cords.cords):
        everywhere = [
            k for k in range(tables.wrap_first[m], tables.wrap_first[m + 1])
            if tables.wrap_range[k, 0] == 0 and tables.wrap_range[k, 1] == len(cord.points) - 1
            # paths pass beside the ends of a cylinder, which is shorter than the bone
            and cords.surfaces[int(tables.wrap_surface[k])].kind in ("sphere", "ellipsoid")
        ]  # fmt: skip
        for t in range(0, len(paths.length), 40):
            if not everywhere or paths.status[t, m] & INSIDE:
                continue
            for start, end, _, _ in stretches(paths, t, m):
                for k in everywhere:
                    R, centre = frame_of(paths, t, k)
                    q = ((start + share * (end - start) - centre) @ R) * inverse_size(paths, k)
                    depth = np.linalg.norm(q, axis=1)
                    assert depth.min() > min(1.0, depth[0], depth[-1]) - 5e-3, paths.names[m]
