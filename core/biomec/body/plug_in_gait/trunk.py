"""Thorax, head and arms."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.centres import CENTRE_METHODS, Measures, Points
from biomec.body.plug_in_gait.legs import LegSide
from biomec.engine.rotations import elementary, unit

THORAX = ("C7", "IJ", "PX", "T8")
HEAD = ("FHD_D", "FHD_E", "BHD_D", "BHD_E")
ARM = ("AC", "EL", "ER", "EU", "FIN")
ARM_MEASURES = ("shoulder_offset", "elbow_width", "wrist_width", "hand_thickness")
VERTICAL = np.array([0.0, 1.0, 0.0])


def thorax(points: Points) -> FloatArray:
    """R (T, 3, 3): Y from the middle of STRN, T10 to that of CLAV, C7; Z = n(forward × Y); X = Y × Z      (11)"""
    C7, IJ, PX, T8 = (points[name] for name in THORAX)
    Y = unit(IJ + C7 - PX - T8)
    Z = unit(np.cross(IJ + PX - C7 - T8, Y))
    return np.stack([np.cross(Y, Z), Y, Z], axis=-1)


def head(points: Points, offset: float = 0.0) -> FloatArray:
    """R (T, 3, 3): X = n(front − back), Y = n(X × (left − right)), Z = X × Y, then R_Z(−offset)      (12)"""
    right_front, left_front, right_back, left_back = (points[name] for name in HEAD)
    X = unit(right_front + left_front - right_back - left_back)
    Y = unit(np.cross(X, left_front + left_back - right_front - right_back))
    return np.asarray(np.stack([X, Y, np.cross(X, Y)], axis=-1) @ elementary(-offset, 2))


def head_offset(points: Points) -> float:
    """Tilt of the head band [rad] in the static, every marker averaged over its frames first: atan2(X·v, Y·v)."""
    means = {name: np.nanmean(points[name].reshape(-1, 3), axis=0) for name in HEAD}
    R = head(means)
    return float(np.arctan2(R[:, 0] @ VERTICAL, R[:, 1] @ VERTICAL))


def arm(points: Points, measures: Measures, leg: LegSide) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Centres GU, PME, CAP, PMCH (T, 3) [m], and R (T, 3, 3) of humerus, forearm and hand of a side      (13)

    humerus  Y = n(SJC − EJC), Z = n((WJC − EJC) × Y);  forearm  Y = n(EJC − WJC), Z of the humerus;
    hand     Y = n(WJC − hand), X = s n(Y × (WRA − WRB)). So the elbow has flexion only, and pronation is in the wrist.
    """
    known = dict(points)
    for stem, method in (("GU", "shoulder"), ("PME", "elbow"), ("CAP", "wrist"), ("PMCH", "hand")):
        known[leg.key(stem)] = CENTRE_METHODS[f"{method}-plug-in-gait"].compute(known, measures, leg.code)
    shoulder, elbow, wrist, hand_centre = (known[leg.key(stem)] for stem in ("GU", "PME", "CAP", "PMCH"))
    upper = unit(shoulder - elbow)
    Z = unit(np.cross(wrist - elbow, upper))
    humerus = np.stack([np.cross(upper, Z), upper, Z], axis=-1)
    lower = unit(elbow - wrist)
    forearm = np.stack([np.cross(lower, Z), lower, Z], axis=-1)
    Y = unit(wrist - hand_centre)
    X = leg.sign * unit(np.cross(Y, points[leg.key("ER")] - points[leg.key("EU")]))
    hand = np.stack([X, Y, np.cross(X, Y)], axis=-1)
    centres = {leg.key(stem): known[leg.key(stem)] for stem in ("GU", "PME", "CAP", "PMCH")}
    return centres, {leg.name("humerus"): humerus, leg.name("forearm"): forearm, leg.name("hand"): hand}
