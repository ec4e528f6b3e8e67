"""Push-ups on four force plates: hands and toes stay where they are, legs and trunk in line.      [Nunes2017]

The elbows bend and stretch along a given curve. The girdle follows curves of its own, and the arms follow from the
hands lying still: wrist and forearm angles and the slope of the body are what closes the chain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.interpolate import CubicSpline

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.body.loads.ground_reaction import SharedContact
from biomec.recording import Event
from biomec.virtual.jets import Jet, clock, cross, dot, solved, stacked, there_and_back, turn, wave
from biomec.virtual.movement import SIDES, Performance, PlatePlace, RepeatedMovement, positive
from biomec.virtual.skeleton import GirdleCurves, Placed, Skeleton, Y, Z, placed_girdle

PLATE = (0.60, 0.40)  # along the body, across [m]
GAP_ASIDE, GAP_ALONG = 0.10, 0.80
KNOTS = 40  # depths of bending that are solved from afar; all frames start near them


@dataclass(frozen=True)
class Grip:
    """What tells one way of doing push-ups from another; angles in degrees, as they are published and judged.

    elbow_out     : direction in which the elbow points, from the feet towards the side
    fingers_out   : hands turned outwards
    aside         : hands beside the shoulders' centres, in lengths of the humerus
    ahead         : wrists ahead of the shoulders at the start, in lengths of the humerus
    elbow         : flexion of the elbow beyond standing, straight and bent
    protraction, elevation, upward : clavicle and scapula beyond standing, elbows straight and bent
    """

    elbow_out: float
    fingers_out: float
    aside: float
    ahead: float
    elbow: tuple[float, float]
    protraction: tuple[float, float]
    elevation: tuple[float, float]
    upward: tuple[float, float]


GRIPS = {
    "closed": Grip(22.0, 12.0, 0.10, -0.30, (6.0, 119.0), (12.0, -14.0), (4.0, 7.0), (6.0, 0.0)),
    "open": Grip(65.0, 12.0, 0.65, 0.15, (6.0, 90.0), (11.0, -14.0), (5.0, 8.0), (8.0, 2.0)),
}


@dataclass(frozen=True)
class PushUp(RepeatedMovement):
    """Repeated push-ups.

    grip         : "closed" (upper arms along the body) or "open" (away from it)
    phase_change : share of the cycle at which the elbows are bent most
    variation    : how much the depth differs between cycles, as a share of it
    lead_s       : recorded before the first and after the last cycle [s]
    """

    grip: Literal["closed", "open"] = "closed"
    cycles: int = 5
    cycle_s: float = 3.67
    phase_change: float = 0.56
    variation: float = 0.02
    lead_s: float = 0.25

    def __post_init__(self) -> None:
        if self.grip not in GRIPS:
            raise BiomecError(f"Push-up: the grip is {self.grip!r}; choose {' or '.join(GRIPS)}.")
        positive("Push-up", cycles=self.cycles, cycle_s=self.cycle_s)
        if not 0.35 <= self.phase_change <= 0.65:
            raise BiomecError(f"Push-up: the phase changes at {self.phase_change:g}; choose 0.35 to 0.65 of the cycle.")
        if not 0.0 <= self.variation <= 0.1:
            raise BiomecError(f"Push-up: cycles differ by {self.variation:g}; choose 0 to 0.1 of the depth.")

    @property
    def name(self) -> str:
        """Word for the file's name."""
        return f"PushUp{self.grip.capitalize()}"

    def perform(self, skeleton: Skeleton, time_s: FloatArray) -> Performance:
        """Perform it at these times (T,) [s]."""
        grip = GRIPS[self.grip]
        phase = (1.0 / self.cycle_s) * (clock(time_s) - self.lead_s)
        steady = 1.0 - self.variation + wave(0.381966 * phase, self.variation, at=0.2)  # never the same depth twice
        depth = there_and_back(phase, self.phase_change) * steady
        body = _Body(skeleton, grip, depth)
        placed = body.placed()
        borders = self.lead_s + self.cycle_s * np.arange(self.cycles + 1)
        turns = borders[:-1] + self.phase_change * self.cycle_s
        events = [Event(float(t), "Elbows straight", origin="signal") for t in borders]
        events += [Event(float(t), "Elbows bent", origin="signal") for t in turns]
        return Performance(
            time_s, placed, body.contacts(), _plates(), {c.name: c.name for c in body.contacts()},
            _efforts(depth), tuple(events),
        )  # fmt: skip


class _Body:
    """A person in push-up posture; the right arm tells how the body slopes, the left one follows."""

    def __init__(self, skeleton: Skeleton, grip: Grip, depth: Jet) -> None:
        self.skeleton, self.grip, self.depth = skeleton, grip, depth
        self.frames = len(depth.value)
        stood = skeleton.point
        ball = 0.5 * (stood("right foot.MT1_D") + stood("right foot.MT5_D"))
        self.size = float(np.linalg.norm(stood("right humerus.GU_D") - stood("right humerus.PME_D")))
        self.pivot = np.array([ball[0] + 0.1 * self.size, 0.0, ball[2]])  # where the right toes press, standing
        self.girdle = GirdleCurves(*(self._between(pair) for pair in (grip.protraction, grip.elevation, grip.upward)))
        self.girdles = {side: placed_girdle(skeleton, side, self.girdle) for side in SIDES}
        self.elbow = self._between(grip.elbow)
        self.floor_x = self._places()
        self.hands = {side: self._hand(side) for side in SIDES}

    def _between(self, degrees: tuple[float, float]) -> Jet:
        """Curve from the first angle, elbows straight, to the second, elbows bent [rad]."""
        straight, bent = (float(np.deg2rad(angle)) for angle in degrees)
        return straight + (bent - straight) * self.depth

    def _places(self) -> tuple[float, float]:
        """Where toes and wrists are along X: the two equally far from the middle between the plates."""
        shoulder = self.skeleton.point("right humerus.GU_D")[:2] - self.pivot[:2]
        arm = 1.9 * self.size + 0.04
        slope = np.arcsin(np.clip((arm + shoulder[0]) / np.hypot(*shoulder), 0.0, 0.9))
        ahead = float(np.hypot(*shoulder) * np.cos(slope) + self.grip.ahead * self.size)
        return -0.5 * ahead, 0.5 * ahead

    def _hand(self, side: str) -> Placed:
        """A hand lying on its plate, palm down."""
        code, s = SIDES[side]
        stood = self.skeleton.point
        wrist = stood(f"{side} hand.CAP_{code}")
        knuckles = 0.5 * (stood(f"{side} hand.MC2_{code}") + stood(f"{side} hand.MC5_{code}"))
        thumb = stood(f"{side} hand.MC2_{code}") - stood(f"{side} hand.MC5_{code}")
        out = np.deg2rad(self.grip.fingers_out)
        fingers = np.array([np.cos(out), -0.22, s * np.sin(out)])  # knuckles lower than the wrist
        inwards = np.array([np.sin(out), 0.0, -s * np.cos(out)])
        E = _frame(fingers, inwards) @ _frame(knuckles - wrist, thumb).T
        z = stood(f"{side} humerus.GU_{code}")[2] + s * self.grip.aside * self.size
        where = np.array([self.floor_x[1], 0.14 * self.size, z])
        turned = np.broadcast_to(E, (self.frames, 3, 3))
        return Placed(Jet.still(turned), wrist, Jet.still(np.broadcast_to(where, (self.frames, 3))))

    def trunk(self, slope: Jet) -> dict[str, Placed]:
        """Legs in line, turned forward from standing about the toes; hips, back and neck give a little."""
        joints = self.skeleton.joints
        leg_turn = turn(Z, slope - 0.5 * np.pi)
        toes = Jet.still(np.broadcast_to([self.floor_x[0], 0.0, 0.0], (self.frames, 3)), slope.order)
        legs = Placed(leg_turn, self.pivot * (1.0, 1.0, 0.0), toes)
        depth = self.depth.up_to(slope.order)
        pelvis = joints["right hip"].inwards(legs, turn(Z, np.deg2rad(-2.0) + np.deg2rad(-4.0) * depth))
        thorax = joints["lumbar"].inwards(pelvis, turn(Z, np.deg2rad(-2.0) + np.deg2rad(3.0) * depth))
        head = joints["neck"].outwards(thorax, turn(Z, np.deg2rad(12.0) + np.deg2rad(8.0) * depth))
        lower = {f"{side} {part}": legs for side in SIDES for part in ("thigh", "shank", "foot")}
        return {**lower, "pelvis": pelvis, "thorax": thorax, "head": head}

    def arm(self, side: str, wrist: tuple[Jet, Jet], forearm: Jet, elbow: Jet) -> dict[str, Placed]:
        """From the lying hand up to the humerus."""
        joints, order = self.skeleton.joints, forearm.order
        hand = self.hands[side].up_to(order)
        radius = joints[f"{side} wrist"].inwards(hand, joints[f"{side} wrist"].turned(*wrist))
        ulna = joints[f"{side} radioulnar"].inwards(radius, joints[f"{side} radioulnar"].turned(forearm))
        humerus = joints[f"{side} elbow"].inwards(ulna, joints[f"{side} elbow"].turned(elbow))
        return {f"{side} hand": hand, f"{side} radius": radius, f"{side} ulna": ulna, f"{side} humerus": humerus}

    def closure(self, side: str, thorax: Placed, arm: dict[str, Placed]) -> Jet:
        """What must vanish (T, 4): the gap at the shoulder, and the elbow's distance from the plane it moves in."""
        s = SIDES[side][1]
        centre = self.skeleton.joints[f"{side} glenohumeral"].centre
        humerus, scapula = arm[f"{side} humerus"], thorax.carrying(self.girdles[side][f"{side} scapula"])
        shoulder = scapula.point(centre)
        upper = humerus.point(self.skeleton.joints[f"{side} elbow"].centre) - shoulder
        whole = humerus.point(centre) - self.hands[side].now.up_to(upper.order)
        out = np.deg2rad(self.grip.elbow_out)
        aim = thorax.direction(np.asarray(-np.cos(out) * Y + s * np.sin(out) * Z))
        gap = humerus.point(centre) - shoulder
        across = dot(upper, cross(whole, aim)) * (1.0 / self.size)
        return stacked(gap[:, 0], gap[:, 1], gap[:, 2], across)

    def closed_chain(self) -> Jet:
        """Deviation and flexion of the right wrist, pronation, and slope of the legs (T, 4) that let the hand lie."""

        def equations(x: Jet) -> Jet:
            arm = self.arm("right", (x[:, 0], x[:, 1]), x[:, 2], self.elbow.up_to(x.order))
            return self.closure("right", self.trunk(x[:, 3])["thorax"], arm)

        return solved(equations, self._start())

    def placed(self) -> dict[str, Placed]:
        """Every segment."""
        x = self.closed_chain()
        trunk = self.trunk(x[:, 3])
        arms = self.arm("right", (x[:, 0], x[:, 1]), x[:, 2], self.elbow)

        def equations(y: Jet) -> Jet:
            arm = self.arm("left", (y[:, 0], y[:, 1]), y[:, 2], y[:, 3])
            return self.closure("left", trunk["thorax"].up_to(y.order), arm)

        mirrored = np.stack([-x.value[:, 0], x.value[:, 1], -x.value[:, 2], self.elbow.value], axis=1)
        y = solved(equations, mirrored)
        arms |= self.arm("left", (y[:, 0], y[:, 1]), y[:, 2], y[:, 3])
        girdle = {name: part for one in self.girdles.values() for name, part in one.items()}
        return {**trunk, **{name: trunk["thorax"].carrying(part) for name, part in girdle.items()}, **arms}

    def _start(self) -> FloatArray:
        """Arm angles and slope (T, 4) to start from: from a rough guess, or near what a few depths of bending need."""
        if self.frames <= KNOTS:
            out = np.deg2rad(self.grip.elbow_out + self.grip.fingers_out)
            rough = np.array([0.0, np.deg2rad(-80.0), np.deg2rad(175.0) - out, np.deg2rad(15.0)])
            return np.broadcast_to(rough, (self.frames, 4))
        depth = self.depth.value
        knots = np.linspace(depth.min(), depth.max(), KNOTS)
        few = _Body(self.skeleton, self.grip, Jet.still(knots))
        return np.asarray(CubicSpline(knots, few.closed_chain().value)(depth))

    def contacts(self) -> tuple[SharedContact, ...]:
        """Palms, and the balls of the feet as edges."""
        ones = np.ones(self.frames)
        found = []
        for side, (code, s) in SIDES.items():
            stood = self.skeleton.point
            knuckles = 0.5 * (stood(f"{side} hand.MC2_{code}") + stood(f"{side} hand.MC5_{code}"))
            wrist = stood(f"{side} hand.CAP_{code}")
            palm = self.hands[side].point(0.35 * wrist + 0.65 * knuckles).value * (1.0, 0.0, 1.0)
            reach = np.broadcast_to([0.02, 0.03, 0.02], (self.frames, 3))
            push = np.broadcast_to([0.0, 0.0, -25.0 * s], (self.frames, 3))
            found.append(SharedContact(f"Mao_{code}", f"{side} hand", palm, ones, reach, push))
        for side, (code, s) in SIDES.items():
            toes = np.broadcast_to([self.floor_x[0], 0.0, s * self.pivot[2]], (self.frames, 3))
            reach = np.broadcast_to([0.02, 0.02, 0.0], (self.frames, 3))
            none = np.zeros((self.frames, 3))
            found.append(SharedContact(f"Pe_{code}", f"{side} foot", toes, ones, reach, none))
        return tuple(found)


def push_up(grip: Literal["closed", "open"] = "closed", cycles: int = 5) -> PushUp:
    """Push-ups with the published timing."""
    return PushUp(grip, cycles)


def _plates() -> tuple[PlatePlace, ...]:
    """Four plates around the laboratory's origin: feet at negative, hands at positive X; right at positive Z."""
    aside = 0.5 * (PLATE[1] + GAP_ASIDE)
    along = 0.5 * (PLATE[0] + GAP_ALONG)
    return tuple(
        PlatePlace.rectangle(f"{what}_{code}", (x, s * aside), PLATE)
        for what, x in (("Mao", along), ("Pe", -along))
        for code, s in (("D", 1.0), ("E", -1.0))
    )


def _efforts(depth: Jet) -> dict[str, FloatArray]:
    """Activity of muscle groups: stronger while rising, and with the elbows bent."""
    fastest = float(np.abs(depth.rate).max()) or 1.0
    rising = 0.5 * (1.0 - depth.rate / fastest)
    bent = depth.value
    groups = {
        "triceps": 0.10 + 0.55 * rising * (0.3 + 0.7 * bent) + 0.10 * bent,
        "pectoralis": 0.08 + 0.50 * rising * bent + 0.12 * bent,
        "deltoid": 0.06 + 0.35 * rising * (0.4 + 0.6 * bent),
        "serratus": 0.15 + 0.40 * rising * (1.0 - 0.6 * bent),
        "biceps": 0.03 + 0.07 * bent,
        "rectus_abdominis": 0.18 + 0.05 * bent,
    }
    return {f"{name}_{code}": np.clip(level, 0.0, 1.0) for name, level in groups.items() for code in "DE"}


def _frame(first: FloatArray, second: FloatArray) -> FloatArray:
    """Rotation (3, 3) whose first axis lies along ``first`` and whose second lies nearest to ``second``."""
    a = first / np.linalg.norm(first)
    b = second - (second @ a) * a
    b /= np.linalg.norm(b)
    return np.stack([a, b, np.cross(a, b)], axis=1)
