"""Hands and feet on the floor, instead of recorded ground reactions: spheres fitted to the first frame of a recording.

Landmarks lie on the skin or inside, at heights of their own above the floor. In the first frame every sphere gets the
radius with which it bears its part of the recorded load: the parts of a segment are those, not negative, whose centre
is nearest to the recorded centre of pressure. Later the floor does what the contact model says, and the recording
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.forces.external_loads import ExternalLoads, external_loads
from biomec.engine.forces.ground_contact import (
    ContactMaterial,
    ContactSphere,
    Ground,
    GroundContact,
)
from biomec.engine.system import System
from biomec.recording.limb_names import limb_of

LOADED_N = 1.0  # below this a segment does not stand on the floor
NEAR_M = 0.04  # landmarks that are so much higher than the lowest one of a segment do not touch with it
SUM = 10.0  # [m] weight of the condition that the parts of a load sum up to one
LARGEST_M = 0.03  # radius of spheres that do not touch in the first frame


def hands_and_feet(
    system: System, radius_m: float = 0.03, material: ContactMaterial = ContactMaterial()
) -> tuple[ContactSphere, ...]:
    """A sphere about every landmark of the hands and feet of a body model: heel, ball, wrist, knuckles."""
    found = []
    for body in system.bodies:
        if limb_of(body.name) is not None:
            points = {name: at for name, at in body.points.items() if name not in ("origin", "com")}
            found += [
                ContactSphere(f"{body.name} {name}", body.name, at, radius_m, material) for name, at in points.items()
            ]
    if not found:
        raise BiomecError(f"{system.name} has no hands and feet; give the spheres that touch the ground.")
    return tuple(found)


def fitted_contact(
    system: System, q: FloatArray, external: ExternalLoads, material: ContactMaterial = ContactMaterial()
) -> GroundContact:
    """Contact of hands and feet that bears what was recorded in the first frame.

    q        : (T, n) recorded motion
    external : (T, …) recorded ground reactions
    """
    spheres = hands_and_feet(system, material=material)
    loaded = np.linalg.norm(external.force, axis=2) > LOADED_N
    if not loaded[0].any():
        raise BiomecError(
            "Contact with the floor is fitted to the ground reactions in the first frame of the stretch, and there are "
            "none. Begin where a hand or a foot is on a plate."
        )
    floor = float(np.median(external.point[..., 1][loaded]))
    fitted: list[ContactSphere] = []
    for segment in dict.fromkeys(one.body for one in spheres):
        own = [one for one in spheres if one.body == segment]
        body = system.layout.body(segment)
        places = np.array([system.layout.lift(body, body.point_map(one.centre))(q) for one in own])  # (S, T, 3)
        acting = [k for k, name in enumerate(external.segments) if name == segment and loaded[0, k]]
        depth = _depths(places[:, 0], external, acting, material)
        height = places[..., 1] - floor
        above = np.minimum(LARGEST_M, height[:, 0] if acting else height.min(axis=1))  # just not touching
        radius = np.maximum(0.0, np.where(np.isnan(depth), above, height[:, 0] + depth))
        fitted += [replace(one, radius=float(r)) for one, r in zip(own, radius, strict=True)]
    return GroundContact(system, fitted, Ground((0.0, floor, 0.0)))


def _depths(
    places: FloatArray, external: ExternalLoads, acting: Sequence[int], material: ContactMaterial
) -> FloatArray:
    """How deep (S,) [m] landmarks at (S, 3) are pressed in the first frame; NaN for those that do not touch."""
    depth = np.full(len(places), np.nan)
    pressing = external.force[0, acting, 1]
    load = float(pressing.sum())
    if not load > LOADED_N:
        return depth
    centre = pressing @ external.point[0, acting] / load
    low = np.flatnonzero(places[:, 1] < places[:, 1].min() + NEAR_M)
    level = [0, 2]
    rows = np.vstack([places[low][:, level].T, np.full(len(low), SUM)])
    parts = scipy.optimize.nnls(rows, np.append(centre[level], SUM))[0]
    depth[low] = (parts / parts.sum() * load / material.stiffness) ** (1.0 / material.exponent)
    return depth


def contact_loads(contact: GroundContact, q: FloatArray, qdot: FloatArray) -> ExternalLoads:
    """What the floor does to hands and feet in states (T, n), (T, n): forces and moments about the origin."""
    segments = tuple(dict.fromkeys(one.body for one in contact.spheres))
    of = np.array([segments.index(one.body) for one in contact.spheres])
    force, moment = np.zeros((2, len(q), len(segments), 3))
    for t, state in enumerate(zip(q, qdot, strict=True)):  # compiled for one state, and few frames
        found = contact.state(*state)
        np.add.at(force[t], of, found.force)
        np.add.at(moment[t], of, np.cross(found.point, found.force))
    return external_loads(segments, np.zeros_like(force), force, moment)
