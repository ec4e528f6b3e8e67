"""One four-bar linkage in five kinds of coordinates, which must all put its joints at the same places ([Silva2007]).

generalised : the crank angle alone, the rest in closed form;  relative : angles between successive bars
cartesian   : three a body (`reference_points`);  natural : the points B and C;  mixed : these and the crank angle
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.machines.reference_points.assembly import NotAssembled
from biomec.machines.reference_points.equations import Pin
from biomec.machines.reference_points.model import ReferencePointModel

KINDS = ("generalised", "relative", "cartesian", "natural", "mixed")
SMALL = 1e-30
PASSES, CLOSED = 30, 1e-13


@dataclass(frozen=True, eq=False)
class FourBar:
    """Bars 1 AB, 2 BC, 3 CD and the ground AD.

    A, D : (2,) [m];  lengths : (3,) of the moving bars [m];  places : ``body.point`` of A, B, C, D on the moving bars
    """

    A: FloatArray
    D: FloatArray
    lengths: FloatArray
    places: tuple[tuple[int, FloatArray], ...]

    def joints(self, model: ReferencePointModel, q: FloatArray) -> FloatArray:
        """Positions (T, 4, 2) of A, B, C, D along a motion (T, n) in Cartesian coordinates."""
        found = []
        for body, u in self.places:
            angle = q[:, 3 * body + 2]
            c, s = np.cos(angle), np.sin(angle)
            found.append(q[:, 3 * body : 3 * body + 2] + np.stack([c * u[0] - s * u[1], s * u[0] + c * u[1]], axis=-1))
        return np.stack(found, axis=1)


def four_bar_of(model: ReferencePointModel, crank: str) -> FourBar:
    """The four-bar linkage that a model is, seen from its crank; refuses other machines."""
    pins = [one for one in model.joints if isinstance(one, Pin)]
    ground = len(model.bodies)
    refusal = BiomecError(
        f"{model.name} is not a four-bar linkage: three bodies in a loop of four pins with the ground."
    )
    if len(model.bodies) != 3 or len(pins) != 4 or len(model.joints) != 4:
        raise refusal
    path: list[tuple[int, FloatArray]] = []
    at, left = ground, list(pins)
    wanted = model.number(crank)
    for _ in range(4):
        options = [one for one in left if at in (one.first, one.second)]
        if not path:
            options = [one for one in options if wanted in (one.first, one.second)]
        if len(options) != 1:
            raise refusal
        (pin,) = options
        left.remove(pin)
        ends = {pin.first: pin.first_at, pin.second: pin.second_at}
        ends_of = [body for body in (pin.first, pin.second) if body != at]
        path += [(at, ends[at]), (ends_of[0], ends[ends_of[0]])]
        at = ends_of[0]
    if at != ground:
        raise refusal
    lengths = [float(np.linalg.norm(path[2 * k][1] - path[2 * k - 1][1])) for k in (1, 2, 3)]
    return FourBar(path[0][1], path[7][1], np.array(lengths), (path[1], path[3], path[5], path[6]))


def places_by_kind(linkage: FourBar, model: ReferencePointModel, q: FloatArray) -> dict[str, FloatArray]:
    """B and C (T, 2, 2) [m] in each kind of coordinates, for the crank angles of a Cartesian motion q (T, n).

    All but the generalised one start at the first instant of q and find their own way from there.
    """
    joints = linkage.joints(model, q)
    B, C = joints[:, 1], joints[:, 2]
    A, D, (L1, L2, L3) = linkage.A, linkage.D, linkage.lengths
    phi = np.unwrap(np.arctan2(B[:, 1] - A[1], B[:, 0] - A[0]))

    def tip(angle: FloatArray, length: float, start: FloatArray) -> FloatArray:
        return np.asarray(start + length * np.stack([np.cos(angle), np.sin(angle)], axis=-1))

    driven = tip(phi, L1, A)
    directions = [np.arctan2(*(end - start)[0, ::-1]) for start, end in ((B, C), (C, joints[:, 3]))]

    def relative(x: FloatArray, f: float) -> FloatArray:
        angles = f + np.cumsum(x)
        ends = [L1 * np.cos(f) + A[0] - D[0], L1 * np.sin(f) + A[1] - D[1]]
        return np.array([ends[0] + L2 * np.cos(angles[0]) + L3 * np.cos(angles[1]),
                         ends[1] + L2 * np.sin(angles[0]) + L3 * np.sin(angles[1])])  # fmt: skip

    def natural(x: FloatArray, f: float) -> FloatArray:
        b, c = x[:2], x[2:]
        turn = [b[1] - A[1] - L1 * np.sin(f), b[0] - A[0] - L1 * np.cos(f)]  # the one that is steep decides the angle
        steep = turn[0] if abs(np.cos(f)) > abs(np.sin(f)) else turn[1]
        return np.array([*_lengths(A, b, c, D, (L1, L2, L3)), steep])

    def mixed(x: FloatArray, f: float) -> FloatArray:
        b, c, angle = x[:2], x[2:4], x[4]
        both = [b[0] - A[0] - L1 * np.cos(angle), b[1] - A[1] - L1 * np.sin(angle)]
        return np.array([*_lengths(A, b, c, D, (L1, L2, L3)), *both, angle - f])

    turned = _tracked(relative, np.array([directions[0] - phi[0], directions[1] - directions[0]]), phi)
    points = _tracked(natural, np.concatenate([B[0], C[0]]), phi)
    with_angle = _tracked(mixed, np.array([*B[0], *C[0], phi[0]]), phi)
    return {
        "generalised": np.stack([driven, _closed_form(linkage, phi, C[0])], axis=1),
        "relative": np.stack([driven, tip(phi + turned[:, 0], L2, driven)], axis=1),
        "cartesian": np.stack([B, C], axis=1),
        "natural": points.reshape(-1, 2, 2),
        "mixed": with_angle[:, :4].reshape(-1, 2, 2),
    }


def _closed_form(linkage: FourBar, phi: FloatArray, near: FloatArray) -> FloatArray:
    """C from the absolute angle θ of D→C, on the branch of ``near``, the first place of C:

    L1² + L4² + L3² − L2² − 2 L1 L4 cos φ + 2 L4 L3 cos θ − 2 L1 L3 cos(φ − θ) = 0, angles seen from AD.
    """
    (L1, L2, L3), AD = linkage.lengths, linkage.D - linkage.A
    L4, tilt = float(np.linalg.norm(AD)), float(np.arctan2(AD[1], AD[0]))
    f = phi - tilt
    p, s = 2 * L3 * (L4 - L1 * np.cos(f)), -2 * L1 * L3 * np.sin(f)
    r = -(L1**2 + L4**2 + L3**2 - L2**2 - 2 * L1 * L4 * np.cos(f))
    share = r / np.hypot(p, s)
    if (np.abs(share) > 1.0 + 1e-9).any():
        raise NotAssembled("The four-bar linkage cannot be closed at some of these crank angles.")
    open_by = np.arccos(np.clip(share, -1.0, 1.0))
    both = [np.arctan2(s, p) + sign * open_by + tilt for sign in (1.0, -1.0)]
    places = [linkage.D + L3 * np.stack([np.cos(one), np.sin(one)], axis=-1) for one in both]
    return min(places, key=lambda one: float(np.linalg.norm(one[0] - near)))


def _lengths(A: FloatArray, b: FloatArray, c: FloatArray, D: FloatArray, L: tuple[float, ...]) -> list[FloatArray]:
    """|B−A|² = L1², |C−B|² = L2², |C−D|² = L3²."""
    pairs = ((b, A), (c, b), (c, D))
    return [((x - y) ** 2).sum() - length**2 for (x, y), length in zip(pairs, L, strict=True)]


def _tracked(equations: Callable[[FloatArray, float], FloatArray], start: FloatArray, phi: FloatArray) -> FloatArray:
    """Solutions (T, k) of equations along crank angles, each from the one before (Gauss-Newton, imaginary steps)."""
    found = np.empty((phi.size, start.size))
    x = np.array(start, dtype=np.float64)
    for i, f in enumerate(phi):
        for _ in range(PASSES):
            rest = np.real(equations(x, float(f)))
            steps = [equations(x + 1j * SMALL * e, float(f)) for e in np.eye(x.size)]
            J = np.stack([np.imag(one) / SMALL for one in steps], axis=-1)
            change = np.linalg.lstsq(J, -rest, rcond=None)[0]
            x = x + change
            if np.abs(change).max() < CLOSED * (1.0 + np.abs(x).max()):
                break
        else:
            raise NotAssembled("The four-bar linkage cannot be closed at some of these crank angles.")
        found[i] = x
    return found
