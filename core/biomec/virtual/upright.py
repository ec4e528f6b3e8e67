"""Movements on the feet: legs that follow from where pelvis and feet are, arms that turn by given curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.loads.ground_reaction import SharedContact
from biomec.engine.system import System
from biomec.virtual.jets import Jet, solved, turn
from biomec.virtual.movement import SIDES, PlatePlace
from biomec.virtual.skeleton import GirdleCurves, Placed, Skeleton, X, Y, Z, placed_girdle

PLATE = (0.60, 0.40)  # along, across [m]
GAP = 0.10


@dataclass(frozen=True, eq=False)
class ArmCurves:
    """How an arm moves, away from standing [rad], each (T,); mirror images have equal values.

    flexion, abduction, rotation : humerus on thorax, about Z, X and Y in turn; internal rotation is positive
    """

    flexion: Jet
    abduction: Jet
    rotation: Jet
    elbow: Jet
    pronation: Jet
    wrist_deviation: Jet
    wrist_flexion: Jet


def placed_arm(skeleton: Skeleton, side: str, thorax: Placed, scapula: Placed, curves: ArmCurves) -> dict[str, Placed]:
    """Humerus, ulna, radius and hand of a side."""
    s = SIDES[side][1]
    joints = skeleton.joints
    centre = joints[f"{side} glenohumeral"].centre
    on_thorax = turn(Z, curves.flexion) @ turn(X, -s * curves.abduction) @ turn(Y, s * curves.rotation)
    humerus = Placed(thorax.turn @ on_thorax, centre, scapula.point(centre))
    ulna = joints[f"{side} elbow"].outwards(humerus, joints[f"{side} elbow"].turned(curves.elbow))
    twisted = joints[f"{side} radioulnar"].turned(s * curves.pronation)
    radius = joints[f"{side} radioulnar"].outwards(ulna, twisted)
    bent = joints[f"{side} wrist"].turned(-s * curves.wrist_deviation, curves.wrist_flexion)
    hand = joints[f"{side} wrist"].outwards(radius, bent)
    return {f"{side} humerus": humerus, f"{side} ulna": ulna, f"{side} radius": radius, f"{side} hand": hand}


def upper_body(
    skeleton: Skeleton,
    thorax: Placed,
    neck: Jet,
    girdles: Mapping[str, GirdleCurves],
    arms: Mapping[str, ArmCurves],
) -> dict[str, Placed]:
    """Thorax, head (``neck``: its turn (T, 3, 3) on the thorax), girdles and arms."""
    placed = {"thorax": thorax, "head": skeleton.joints["neck"].outwards(thorax, neck)}
    for side in SIDES:
        girdle = placed_girdle(skeleton, side, girdles[side])
        placed |= {name: thorax.carrying(part) for name, part in girdle.items()}
        placed |= placed_arm(skeleton, side, thorax, placed[f"{side} scapula"], arms[side])
    return placed


class Leg:
    """A leg between a placed foot and a placed pelvis: two angles of the ankle and one of the knee close it."""

    def __init__(self, skeleton: Skeleton, side: str) -> None:
        self.side = side
        self.ankle, self.knee, self.hip = (skeleton.joints[f"{side} {name}"] for name in ("ankle", "knee", "hip"))
        self.thigh_m = float(np.linalg.norm(self.hip.centre - self.knee.centre))
        self.shank_m = float(np.linalg.norm(self.knee.centre - self.ankle.centre))

    def from_foot(self, foot: Placed, x: Jet) -> dict[str, Placed]:
        """Shank and thigh on a placed foot; x (T, 3) are the angles of ankle and knee."""
        shank = self.ankle.inwards(foot.up_to(x.order), self.ankle.turned(x[:, 0], x[:, 1]))
        thigh = self.knee.inwards(shank, self.knee.turned(x[:, 2]))
        return {f"{self.side} shank": shank, f"{self.side} thigh": thigh}

    def gap(self, pelvis: Placed, foot: Placed, x: Jet) -> Jet:
        """Distance (T, 3) between thigh and pelvis at the hip, which must vanish."""
        thigh = self.from_foot(foot, x)[f"{self.side} thigh"]
        return thigh.point(self.hip.centre) - pelvis.up_to(x.order).point(self.hip.centre)

    def start(self, pelvis: Placed, foot: Placed) -> FloatArray:
        """Angles (T, 3) to start from: a leg of two bars in the sagittal plane, knee forward."""
        reach = pelvis.point(self.hip.centre).value - foot.point(self.ankle.centre).value
        a, b = self.thigh_m, self.shank_m
        distance = np.minimum(np.hypot(reach[:, 0], reach[:, 1]), 0.999 * (a + b))
        inner = np.arccos((a**2 + b**2 - distance**2) / (2 * a * b))
        lean = np.arctan2(reach[:, 0], reach[:, 1]) + np.arccos((b**2 + distance**2 - a**2) / (2 * b * distance))
        pitch = np.arctan2(foot.turn.value[:, 1, 0], foot.turn.value[:, 0, 0])
        return np.stack([np.zeros_like(lean), lean + pitch, inner - np.pi], axis=1)

    def placed(self, pelvis: Placed, foot: Placed) -> dict[str, Placed]:
        """Foot, shank and thigh."""
        x = solved(lambda angles: self.gap(pelvis, foot, angles), self.start(pelvis, foot))
        return {f"{self.side} foot": foot, **self.from_foot(foot, x)}


def centre_of_mass(system: System, placed: Mapping[str, Placed]) -> Jet:
    """Centre of mass (T, 3) [m] of the placed segments."""
    total, whole = None, 0.0
    for body in system.bodies:
        stood = np.asarray(body.position, dtype=np.float64) + body.attitude_matrix @ body.points["com"]
        share = body.mass * placed[body.name].point(stood)
        total = share if total is None else total + share
        whole += body.mass
    assert total is not None
    return (1.0 / whole) * total


def sole(skeleton: Skeleton, side: str) -> dict[str, FloatArray]:
    """Points of a foot's sole while standing (3,) [m]: under the heel, under the ball, and between them."""
    code, _ = SIDES[side]
    heel = skeleton.point(f"{side} foot.CALC_{code}")
    ball = 0.5 * (skeleton.point(f"{side} foot.MT1_{code}") + skeleton.point(f"{side} foot.MT5_{code}"))
    flat = np.array([1.0, 0.0, 1.0])
    return {"heel": flat * heel, "ball": flat * ball, "middle": flat * 0.5 * (heel + ball)}


def standing_contacts(skeleton: Skeleton, frames: int) -> tuple[SharedContact, ...]:
    """Both feet flat on the floor where the person stands."""
    ones = np.ones(frames)
    found = []
    for side, (code, s) in SIDES.items():
        point = np.broadcast_to(sole(skeleton, side)["middle"], (frames, 3))
        reach = np.broadcast_to([0.02, 0.04, 0.05], (frames, 3))
        push = np.broadcast_to([0.0, 0.0, -8.0 * s], (frames, 3))
        found.append(SharedContact(f"Pe_{code}", f"{side} foot", point, ones, reach, push))
    return tuple(found)


def standing_plates() -> tuple[PlatePlace, ...]:
    """A plate under each foot."""
    aside = 0.5 * (PLATE[1] + GAP)
    return tuple(PlatePlace.rectangle(f"Pe_{code}", (0.0, s * aside), PLATE) for code, s in SIDES.values())
