"""The shoulder girdle: clavicle and scapula that glide on the thorax, from three curves a side.

The clavicle turns as it is told (protraction, elevation). Two points of the scapula stay on their ellipsoids, which
leaves the scapula one freedom of its own: its upward rotation, told as the sine of the angle between the axis from TE
to AA and the plane normal to the long axis of the thorax.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.virtual.jets import Jet, dot, sine, solved, stacked
from biomec.virtual.skeleton import STANDING, Placed, Skeleton


@dataclass(frozen=True, eq=False)
class GirdleCurves:
    """How the girdle of one side moves, away from standing [rad], each (T,): mirror images have equal values."""

    protraction: Jet
    elevation: Jet
    upward_rotation: Jet


def placed_girdle(skeleton: Skeleton, side: str, curves: GirdleCurves) -> dict[str, Placed]:
    """Clavicle and scapula of a side ("right" or "left"), gliding on the ellipsoids of a thorax that stands still."""
    s = 1.0 if side == "right" else -1.0
    sternoclavicular = skeleton.joints[f"{side} sternoclavicular"]
    acromioclavicular = skeleton.joints[f"{side} acromioclavicular"]
    turned = sternoclavicular.turned(s * curves.protraction, -s * curves.elevation)
    clavicle = sternoclavicular.outwards(STANDING, turned)
    surfaces = [surface for surface in skeleton.surfaces.values() if surface.segment == f"{side} scapula"]
    spine = skeleton.direction(f"{side} scapula.z")
    up = skeleton.direction("thorax.y")
    angle_0 = float(np.arcsin(s * spine @ up))

    def equations(x: Jet) -> Jet:
        scapula = acromioclavicular.outwards(clavicle, acromioclavicular.turned(x[:, 0], x[:, 1], x[:, 2]))
        rows = []
        for surface in surfaces:
            d = scapula.point(surface.point) - surface.centre
            rows.append(0.5 * dot(d, d.mapped(lambda part, H=surface.shape: part @ H)) - 0.5)  # type: ignore[misc]
        tilt = s * scapula.direction(spine).mapped(lambda part: np.asarray(part @ up))
        return stacked(*rows, tilt - sine(curves.upward_rotation + angle_0).up_to(tilt.order))

    frames = len(curves.protraction.value)
    x = solved(equations, np.zeros((frames, 3)))
    scapula = acromioclavicular.outwards(clavicle, acromioclavicular.turned(x[:, 0], x[:, 1], x[:, 2]))
    return {f"{side} clavicle": clavicle, f"{side} scapula": scapula}
