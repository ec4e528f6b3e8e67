"""A movement to follow whose feet press as hard as they did: legs are bent by what identified contact needs.

Recorded feet lie a few millimetres and some tenths of a degree from where identified spheres would bear what plates
measured (`foot_contact`). Where the legs can, they are bent by the least that puts the feet there; the rest of the body
stays where it was.
"""

from __future__ import annotations

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, IntArray
from biomec.body.tracking.foot_contact import IdentifiedContact, IdentifiedFoot
from biomec.engine.forward.joint_space import JointSpace

SMOOTH_HZ = 25.0  # corrections that change faster are noise
PASSES = 4  # of Newton's method
STRAIGHT = 1e-3  # keeps a straight leg from being bent without measure
LEG = ("hip", "knee", "ankle")


def settled(space: JointSpace, q: FloatArray, contact: IdentifiedContact, first: int, rate_hz: float) -> FloatArray:
    """Coordinates (F, n) of a stretch whose feet press on identified contact as measured.

    q     : (F, n) of the stretch
    first : number of its first frame, as the identification counts them
    """
    bodies = [body.name for body in space.system.bodies]
    moved = np.array(q)
    for foot in contact.feet:
        if "foot" not in foot.segment:
            continue  # an arm that holds a crutch stays as it was
        side = foot.segment.partition(" ")[0]
        leg = space.indices([name for name in (f"{side} {joint}" for joint in LEG) if name in space.freedoms])
        turns = _smooth(foot, first, len(q), rate_hz)
        for t in np.flatnonzero(np.abs(turns).max(axis=1) > 0.0):
            moved[t] = _placed(space, moved[t], bodies.index(foot.segment), leg, turns[t])
    return moved


def _smooth(foot: IdentifiedFoot, first: int, count: int, rate_hz: float) -> FloatArray:
    """Corrections (F, 3) of height and turns about X and Z over a stretch."""
    found = np.zeros((count, 3))
    frames = foot.frames - first
    inside = (frames >= 0) & (frames < count)
    found[frames[inside]] = foot.corrections[inside, :3]
    if 0.45 * rate_hz <= SMOOTH_HZ or count < 20:
        return found
    low_pass = scipy.signal.butter(2, SMOOTH_HZ, fs=rate_hz, output="sos")
    return np.asarray(scipy.signal.sosfiltfilt(low_pass, found, axis=0, padlen=min(30, count - 1)))


def _placed(space: JointSpace, q: FloatArray, body: int, leg: IntArray, change: FloatArray) -> FloatArray:
    """Coordinates with a foot lifted by change[0] and turned by change[1] and change[2] about X and Z of the floor."""
    start, A = _pose(space, q, body)
    goal = start + np.array([0.0, change[0], 0.0])
    turned = scipy.spatial.transform.Rotation.from_rotvec([change[1], 0.0, change[2]]).as_matrix() @ A
    number = np.full(4, body, dtype=np.int64)
    for _ in range(PASSES):
        place, attitude = _pose(space, q, body)
        J = space.point_motions(q, number, np.vstack([place, place + np.eye(3)]))[:, :, leg]
        x, y, z = J[1:] - J[0]  # motions of the tips of three axes: ω × e
        rows = np.vstack([J[0], y[2], z[0], x[1]])
        left = np.concatenate(
            [goal - place, scipy.spatial.transform.Rotation.from_matrix(turned @ attitude.T).as_rotvec()]
        )
        delta = np.zeros(space.size)
        delta[leg] = rows.T @ np.linalg.solve(rows @ rows.T + STRAIGHT * np.eye(6), left)
        q = space.moved(q, delta)
    return q


def _pose(space: JointSpace, q: FloatArray, body: int) -> tuple[FloatArray, FloatArray]:
    layout, name = space.system.layout, space.system.bodies[body].name
    axes = [layout.vector(f"{name}.{axis}")(q) for axis in "xyz"]
    return layout.point(f"{name}.origin")(q), np.stack(axes, axis=1)
