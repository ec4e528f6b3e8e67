"""Squats: feet flat on two force plates, arms stretched forward, the centre of mass above the feet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.recording import Event
from biomec.virtual.jets import Jet, clock, solved, stacked, there_and_back, turn
from biomec.virtual.movement import SIDES, Performance, RepeatedMovement, ground, positive
from biomec.virtual.skeleton import GirdleCurves, Placed, Skeleton, Z
from biomec.virtual.upright import (
    ArmCurves,
    Leg,
    centre_of_mass,
    standing_contacts,
    standing_plates,
    upper_body,
)

START, LOWEST = 0.02, 0.40  # how far the hips sink, in lengths of the leg, standing with loose knees and down
TRUNK_LEAN, PELVIS_LEAN = np.deg2rad(40.0), np.deg2rad(28.0)  # forward, at the lowest point
AHEAD = 0.024  # of stature: the centre of mass ahead of the ankles


@dataclass(frozen=True)
class Squat(RepeatedMovement):
    """Repeated squats; ``depth`` 1 brings the thighs near the horizontal."""

    cycles: int = 3
    cycle_s: float = 3.0
    depth: float = 1.0
    lead_s: float = 0.25

    def __post_init__(self) -> None:
        positive("Squat", cycles=self.cycles, cycle_s=self.cycle_s, depth=self.depth)

    name = "Squat"

    def perform(self, skeleton: Skeleton, time_s: FloatArray) -> Performance:
        """Perform it at these times (T,) [s]."""
        depth = self.depth * there_and_back((1.0 / self.cycle_s) * (clock(time_s) - self.lead_s), 0.52)
        frames = len(time_s)
        legs = {side: Leg(skeleton, side) for side in SIDES}
        feet = dict.fromkeys(SIDES, ground(frames))
        hips = 0.5 * (legs["right"].hip.centre + legs["left"].hip.centre)
        length = legs["right"].thigh_m + legs["right"].shank_m
        sink = length * (START + (LOWEST - START) * depth)
        lean = turn(Z, -PELVIS_LEAN * depth)
        chest = _chest(skeleton, depth)
        ankle = legs["right"].ankle.centre[0]
        target = ankle + AHEAD * skeleton.point("head.VC")[1]

        def pelvis_at(back: Jet) -> Placed:
            still = 0.0 * back
            shift = stacked(back, -1.0 * sink.up_to(back.order), still)
            return Placed(lean.up_to(back.order), hips, shift + hips)

        def equations(x: Jet) -> Jet:
            pelvis = pelvis_at(x[:, 0])
            placed = _above(skeleton, pelvis, chest)
            gaps = []
            for side, at in (("right", 1), ("left", 4)):
                angles = x[:, at : at + 3]
                placed |= {f"{side} foot": feet[side].up_to(x.order), **legs[side].from_foot(feet[side], angles)}
                gap = legs[side].gap(pelvis, feet[side], angles)
                gaps += [gap[:, k] for k in range(3)]
            return stacked(centre_of_mass(skeleton.system, placed)[:, 0] - target, *gaps)

        back = -0.15 * length * depth.value
        rough = pelvis_at(Jet.still(back))
        start = np.concatenate([back[:, None], *(legs[side].start(rough, feet[side]) for side in SIDES)], axis=1)
        x = solved(equations, start)
        pelvis = pelvis_at(x[:, 0])
        placed = _above(skeleton, pelvis, chest)
        for side, at in (("right", 1), ("left", 4)):
            placed |= {f"{side} foot": feet[side], **legs[side].from_foot(feet[side], x[:, at : at + 3])}
        borders = self.lead_s + self.cycle_s * np.arange(self.cycles + 1)
        return Performance(
            time_s,
            placed,
            standing_contacts(skeleton, frames),
            standing_plates(),
            {f"Pe_{code}": f"Pe_{code}" for code, _ in SIDES.values()},
            _efforts(depth),
            tuple(Event(float(t), "Standing", origin="signal") for t in borders),
        )


def _chest(skeleton: Skeleton, depth: Jet) -> dict[str, Placed]:
    """Everything above the pelvis, on a pelvis that stands still."""
    none = 0.0 * depth
    girdle = GirdleCurves(np.deg2rad(6.0) * depth, np.deg2rad(3.0) * depth, np.deg2rad(14.0) * depth)
    arm = ArmCurves(
        flexion=np.deg2rad(80.0) * depth,
        abduction=np.deg2rad(-8.0) * depth,
        rotation=np.deg2rad(10.0) * depth,
        elbow=np.deg2rad(5.0) + np.deg2rad(8.0) * depth,
        pronation=np.deg2rad(70.0) * depth,
        wrist_deviation=none,
        wrist_flexion=np.deg2rad(-6.0) * depth,
    )
    lumbar = skeleton.joints["lumbar"]
    standing = Placed(turn(Z, none), np.zeros(3), stacked(none, none, none))
    thorax = lumbar.inwards(standing, turn(Z, (TRUNK_LEAN - PELVIS_LEAN) * depth))
    neck = turn(Z, np.deg2rad(20.0) * depth)
    return upper_body(skeleton, thorax, neck, dict.fromkeys(SIDES, girdle), dict.fromkeys(SIDES, arm))


def _above(skeleton: Skeleton, pelvis: Placed, chest: dict[str, Placed]) -> dict[str, Placed]:
    return {"pelvis": pelvis, **{name: pelvis.carrying(part) for name, part in chest.items()}}


def squat(cycles: int = 3) -> Squat:
    """Squats to where the thighs are near the horizontal."""
    return Squat(cycles)


def _efforts(depth: Jet) -> dict[str, FloatArray]:
    """Activity of muscle groups: knee and hip extensors with depth, stronger while rising."""
    fastest = float(np.abs(depth.rate).max()) or 1.0
    rising, low = 0.5 * (1.0 - depth.rate / fastest), depth.value
    groups = {
        "vastus_lateralis": 0.04 + 0.35 * low + 0.25 * low * rising,
        "rectus_femoris": 0.03 + 0.25 * low + 0.12 * low * rising,
        "gluteus_maximus": 0.03 + 0.15 * low + 0.30 * low * rising,
        "biceps_femoris": 0.03 + 0.10 * low + 0.10 * rising * low,
        "gastrocnemius": 0.05 + 0.08 * low,
        "erector_spinae": 0.06 + 0.20 * low,
    }
    return {f"{name}_{code}": np.clip(level, 0.0, 1.0) for name, level in groups.items() for code in "DE"}
