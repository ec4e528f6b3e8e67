"""Walking over force plates, dynamically sound: the reactions act where the feet are.

While one foot bears the body, its centre of pressure is where Newton's and Euler's equations put it, whatever the foot
does. So the pelvis moves forwards and sideways such that this point follows the foot from heel to ball: its course is
corrected, stride by stride, by what an inverted pendulum of the body's height would need [Kajita2003].

The feet: when each stands, how it rolls from heel to ball, and how it swings to its next place.

    share of the stride   0 ... 0.08        foot turns down about the heel
                          0.08 ... 0.52     foot flat
                          0.52 ... 0.60     foot turns up about the ball
                          0.60 ... 1        swing
    double support        0 ... 0.10 and 0.50 ... 0.60

What presses on the floor never moves while it does: a point of the heel, the whole foot, or a line of the ball.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.physics import GRAVITY
from biomec.body.loads.ground_reaction import SharedContact
from biomec.recording import Event
from biomec.virtual.jets import Jet, applied, clock, harmonics, quick_step, stacked, step_up, turn, wave
from biomec.virtual.loads import required_wrench
from biomec.virtual.movement import SIDES, Performance, PlatePlace, WholeBody, positive
from biomec.virtual.skeleton import GirdleCurves, Placed, Skeleton, X, Y, Z
from biomec.virtual.upright import ArmCurves, Leg, sole, upper_body


@dataclass(frozen=True)
class Rolling:
    """When a foot does what, as shares of its stride from strike to strike, and how far it turns.

    flat, heel_off, off   : it is flat, turns up about the ball, leaves the floor
    other                 : the other foot strikes
    early                 : the toes start to come down this long before the heel strikes
    lifted, levelled      : where the swinging foot is steepest, and where it is ready to strike
    strike_rad, off_rad   : toes up at the strike, heel up when it leaves the floor
    lift_m                : how much higher than needed the foot swings, half-way
    """

    flat: float = 0.08
    other: float = 0.50
    heel_off: float = 0.52
    off: float = 0.60
    early: float = 0.04
    lifted: float = 0.70
    levelled: float = 0.94
    strike_rad: float = float(np.deg2rad(18.0))
    off_rad: float = float(np.deg2rad(48.0))
    lift_m: float = 0.0

    @property
    def double(self) -> float:
        """Each double support."""
        return self.off - self.other

    def pitch(self, p: Jet) -> Jet:
        """Angle (T,) of the foot to the floor at the share p of the stride, toes up positive [rad]."""
        slap = self.strike_rad * step_up((1.0 / (self.flat + self.early)) * (p + self.early))
        level = (self.off_rad + self.strike_rad) * step_up((1.0 / (self.levelled - self.lifted)) * (p - self.lifted))
        return self.strike_rad - slap - self.next_slap(p) - self.rise(p) + level

    def rise(self, p: Jet) -> Jet:
        """How far (T,) the heel has turned up about the ball since the foot was flat [rad]."""
        return self.off_rad * step_up((1.0 / (self.lifted - self.heel_off)) * (p - self.heel_off))

    def next_slap(self, p: Jet) -> Jet:
        """How far (T,) the toes have come down towards the next strike at the share p of the stride [rad]."""
        return self.strike_rad * step_up((1.0 / (self.flat + self.early)) * (p - (1.0 - self.early)))


HEALTHY = Rolling()


@dataclass(frozen=True, eq=False)
class FootCurves:
    """A foot over time.

    placed : where it is
    share  : (T,) of the body's load that it bears, 0 to 1
    point  : (T, 3) where it presses on the floor [m]
    reach  : (T,) how far along X it can shift that point: 0 while the foot rolls, 1 while it is flat
    stride : (T,) number of its current stride
    """

    placed: Placed
    share: Jet
    point: Jet
    reach: FloatArray
    stride: FloatArray


def foot_curves(
    skeleton: Skeleton, side: str, strides: Jet, stride_m: float, inwards_m: float, rolling: Rolling = HEALTHY
) -> FootCurves:
    """A foot that strikes the ground at every whole number of ``strides`` (T,), each ``stride_m`` after the last.

    The left foot walks half a stride ahead of the right one's numbers. Feet are ``inwards_m`` nearer to the midline
    than while standing. The ball swings to where the foot lands with its toes up, not to where the foot as it is just
    now would touch the floor with its heel: that is below the floor as long as the toes point down.
    """
    number = np.floor(strides.value)
    p = strides - number
    pitch = rolling.pitch(p)
    ground_points = sole(skeleton, side)
    heel, ball = ground_points["heel"], ground_points["ball"]
    s = 1.0 if side == "right" else -1.0
    x = stride_m * (number + (0.0 if side == "right" else 0.5))
    place = np.stack([x, np.zeros_like(number), np.full_like(number, -s * inwards_m)], axis=1)
    ahead = np.array([stride_m, 0.0, 0.0])
    on_heel = applied(turn(Z, pitch), ball - heel) + (heel + place)  # where the ball is while the foot rolls
    on_ball = Jet.still(ball + place)
    landing = applied(turn(Z, rolling.strike_rad - rolling.next_slap(p)), ball - heel) + (heel + place + ahead)
    sway = quick_step((1.0 / (1.0 - rolling.off)) * (p - rolling.off))
    risen = quick_step((1.0 / (rolling.levelled - rolling.off)) * (p - rolling.off))  # heel lowest once foot is level
    swung = on_ball + stacked(sway, risen, sway) * (landing - on_ball)
    if rolling.lift_m > 0.0:
        half = 0.5 * (1.0 - rolling.off)
        lift = step_up((1.0 / half) * (p - rolling.off)) - step_up((1.0 / half) * (p - rolling.off - half))
        swung = swung + stacked(0.0 * p, rolling.lift_m * lift, 0.0 * p)
    now = chosen([np.asarray(p.value < 0.3), np.asarray(p.value < rolling.off)], [on_heel, on_ball], swung)
    share = step_up((1.0 / rolling.double) * p) * (1.0 - step_up((1.0 / rolling.double) * (p - rolling.other)))
    along = step_up((1.0 / (rolling.other - rolling.flat)) * (p - rolling.flat))
    point = along[:, None] * (ball - heel) + (heel + place)
    up = step_up((1.0 / (2 * rolling.double - 2 * rolling.flat)) * 2.0 * (p - rolling.flat))
    down = step_up((1.0 / (rolling.heel_off - rolling.other)) * (p - rolling.other))
    return FootCurves(Placed(turn(Z, pitch), ball, now), share, point, (up * (1.0 - down)).value, number)


def chosen(conditions: list[BoolArray], jets: list[Jet], otherwise: Jet) -> Jet:
    """The first jet (T, 3) whose condition (T,) holds, frame by frame."""
    return Jet(
        tuple(
            np.select([c[:, None] for c in conditions], [jet.parts[k] for jet in jets], otherwise.parts[k])
            for k in range(otherwise.order + 1)
        )
    )


PLATE = (0.508, 0.464)  # along, across [m]
HARMONICS, SAMPLES, CORRECTIONS = 48, 256, 8
NEAR_M = 5e-4  # the centre of pressure may miss its course by this much
FIRST = {"right": 0.75, "left": 0.25}  # stride phase of each foot at the start
CONTEXT = {"right": "Right", "left": "Left"}


@dataclass(frozen=True)
class Walk(WholeBody):
    """Steady walking.

    strides  : of each foot, recorded from mid-swing of the right foot
    stride_s : duration of a stride [s]
    step     : length of a step, as a share of stature
    plates   : number of force plates, under consecutive footfalls
    """

    strides: int = 4
    stride_s: float = 1.15
    step: float = 0.30
    plates: int = 4

    def __post_init__(self) -> None:
        positive("Walk", strides=self.strides, stride_s=self.stride_s, step=self.step)

    @property
    def name(self) -> str:
        """Word for the file's name."""
        return "Walk"

    @property
    def duration_s(self) -> float:
        """Strides [s]."""
        return self.strides * self.stride_s

    @property
    def sharp(self) -> bool:
        """Feet strike the ground."""
        return True

    def perform(self, skeleton: Skeleton, time_s: FloatArray) -> Performance:
        """Perform it at these times (T,) [s]."""
        course = _settled(skeleton, self)
        walker = _Walker(skeleton, self, time_s)
        contacts, borne_by, plates = _on_the_floor(skeleton, self, walker)
        return Performance(
            time_s, walker.placed(course), contacts, plates, borne_by, walker.efforts(), _events(self, time_s)
        )


class _Walker:
    """A walking body at given times; only the course of the pelvis is left open."""

    def __init__(self, skeleton: Skeleton, walk: Walk, time_s: FloatArray) -> None:
        self.skeleton, self.walk = skeleton, walk
        self.height = float(skeleton.point("head.VC")[1])
        self.stride_m = 2.0 * walk.step * self.height
        self.time = (1.0 / walk.stride_s) * clock(time_s)  # in strides
        self.strides = {side: self.time + phase for side, phase in FIRST.items()}
        self.legs = {side: Leg(skeleton, side) for side in SIDES}
        self.feet: dict[str, FootCurves] = {
            side: foot_curves(skeleton, side, phase, self.stride_m, 0.027 * self.height)
            for side, phase in self.strides.items()
        }
        self.chest = self._chest()

    def _chest(self) -> dict[str, Placed]:
        """Everything above the pelvis, on a pelvis that stands still: thorax against pelvis, arms against legs."""
        p, none = self.strides["right"], 0.0 * self.time
        lumbar = turn(Z, np.deg2rad(-2.0) + wave(p, np.deg2rad(1.0), 0.1, 2))
        lumbar = lumbar @ turn(Y, wave(p, np.deg2rad(7.0), 0.05)) @ turn(X, wave(p, np.deg2rad(4.0), 0.15))
        standing = Placed(turn(Z, none), np.zeros(3), stacked(none, none, none))
        thorax = self.skeleton.joints["lumbar"].inwards(standing, lumbar)
        arms, girdles = {}, {}
        for side in SIDES:
            swing = wave(self.strides[side], 1.0, 0.5)  # forward with the other leg
            girdles[side] = GirdleCurves(np.deg2rad(2.0) * swing, none, np.deg2rad(2.0) * swing)
            arms[side] = ArmCurves(
                flexion=np.deg2rad(2.0) + np.deg2rad(16.0) * swing,
                abduction=none + np.deg2rad(-4.0),
                rotation=none + np.deg2rad(15.0),
                elbow=np.deg2rad(14.0) + np.deg2rad(10.0) * swing,
                pronation=none + np.deg2rad(75.0),
                wrist_deviation=none,
                wrist_flexion=np.deg2rad(-4.0) * swing,
            )
        neck = turn(Z, none) @ turn(Y, wave(p, np.deg2rad(3.0), 0.1))
        return upper_body(self.skeleton, thorax, neck, girdles, arms)

    def pelvis(self, course: FloatArray) -> Placed:
        """Pelvis whose course is the mean progression plus Fourier series along X and Z (2, 1 + 2 HARMONICS) [m]."""
        p = self.strides["right"]
        hips = 0.5 * (self.legs["right"].hip.centre + self.legs["left"].hip.centre)
        leg = self.legs["right"].thigh_m + self.legs["right"].shank_m
        forward, aside = (harmonics(p, row[0], *zip(row[1::2], row[2::2], strict=True)) for row in course)
        height = -0.047 * leg + wave(p, 0.021 * leg, 0.27, 2)  # highest in the middle of single support
        shift = stacked(self.stride_m * p + forward, height, aside)
        turned = turn(Y, wave(p, np.deg2rad(4.0), 0.98)) @ turn(X, wave(p, np.deg2rad(-3.0), 0.12))
        return Placed(turned @ turn(Z, np.deg2rad(-2.0) + 0.0 * p), hips, shift + hips)

    def placed(self, course: FloatArray) -> dict[str, Placed]:
        """Every segment."""
        pelvis = self.pelvis(course)
        found = {"pelvis": pelvis, **{name: pelvis.carrying(part) for name, part in self.chest.items()}}
        for side, leg in self.legs.items():
            found |= leg.placed(pelvis, self.feet[side].placed)
        return found

    def wanted_pressure(self) -> FloatArray:
        """Course of the centre of pressure of both feet together along X and Z, (T, 2) [m]."""
        points = sum((foot.share[:, None] * foot.point).value for foot in self.feet.values())
        return np.asarray(points)[:, [0, 2]]

    def efforts(self) -> dict[str, FloatArray]:
        """Activity of muscle groups around the stride; bursts at their usual places."""
        bursts = {  # group: (share of the stride, width, strength), …
            "tibialis_anterior": ((0.02, 0.06, 0.35), (0.65, 0.07, 0.25), (0.90, 0.08, 0.20)),
            "gastrocnemius": ((0.42, 0.09, 0.50),),
            "vastus_lateralis": ((0.05, 0.07, 0.35), (0.97, 0.05, 0.15)),
            "rectus_femoris": ((0.06, 0.06, 0.20), (0.60, 0.06, 0.20)),
            "biceps_femoris": ((0.95, 0.07, 0.30), (0.05, 0.05, 0.15)),
            "gluteus_medius": ((0.15, 0.12, 0.30),),
        }
        found = {}
        for side, (code, _) in SIDES.items():
            p = self.strides[side].value % 1.0
            for group, parts in bursts.items():
                level = np.full_like(p, 0.03)
                for at, width, strength in parts:
                    away = (p - at + 0.5) % 1.0 - 0.5
                    level += strength * np.exp(-0.5 * (away / width) ** 2)
                found[f"{group}_{code}"] = level
        return found


def _settled(skeleton: Skeleton, walk: Walk) -> FloatArray:
    """Course of the pelvis (2, 1 + 2 HARMONICS) with which the centre of pressure follows the feet.

    One stride is walked again and again. An inverted pendulum of height h answers to a harmonic of the course at ω with
    1 + h ω²/g of it in the centre of pressure: each error is divided by that and added to the course.
    """
    time_s = walk.stride_s * (np.arange(SAMPLES) / SAMPLES - FIRST["right"])  # a whole stride of the right foot
    walker = _Walker(skeleton, walk, time_s)
    course = np.zeros((2, 1 + 2 * HARMONICS))
    course[0, 0] = float(np.mean(walker.wanted_pressure()[:, 0] - walker.stride_m * walker.strides["right"].value))
    omega = 2.0 * np.pi * np.arange(1, HARMONICS + 1) / walk.stride_s
    pendulum = 1.0 + 0.55 * walker.height * omega**2 / GRAVITY
    p = walker.strides["right"].value
    for _ in range(CORRECTIONS):
        force, moment = required_wrench(skeleton.system, walker.placed(course))
        here = np.stack([moment[:, 2], -moment[:, 0]], axis=1) / force[:, 1:2]
        error = walker.wanted_pressure() - here
        if np.abs(error).max() < NEAR_M:
            break
        angles = 2.0 * np.pi * p[:, None] * np.arange(1, HARMONICS + 1)
        course[:, 0] += error.mean(axis=0)
        course[:, 1::2] += 2.0 / SAMPLES * (error.T @ np.cos(angles)) / pendulum
        course[:, 2::2] += 2.0 / SAMPLES * (error.T @ np.sin(angles)) / pendulum
    return course


def _on_the_floor(
    skeleton: Skeleton, walk: Walk, walker: _Walker
) -> tuple[tuple[SharedContact, ...], dict[str, str], tuple[PlatePlace, ...]]:
    """A contact for every footfall, and plates under consecutive footfalls in the middle of the recording."""
    contacts, places = [], []
    for side, (code, _) in SIDES.items():
        foot = walker.feet[side]
        middle = sole(skeleton, side)["middle"]
        for number in np.unique(foot.stride):
            mine = (foot.stride == number) & (foot.share.value > 0.0)
            if mine.any():
                reach = np.stack(
                    [np.full(len(mine), 0.02), np.full(len(mine), 0.20), 0.05 * foot.reach], axis=1
                )  # about X, Y, Z
                name = f"Pe_{code}{int(number) + 1}"
                share = np.where(mine, foot.share.value, 0.0)
                contacts.append(
                    SharedContact(name, f"{side} foot", foot.point.value, share, reach, np.zeros_like(reach))
                )
                ahead = walker.stride_m * float(number + (0.0 if side == "right" else 0.5))
                places.append((middle[0] + ahead, name))
    places.sort()
    first = max(0, (len(places) - walk.plates) // 2)
    size = (min(PLATE[0], 0.97 * 0.5 * walker.stride_m), PLATE[1])
    chosen = places[first : first + walk.plates]
    plates = tuple(PlatePlace.rectangle(f"Plate{k + 1}", (x, 0.0), size) for k, (x, _) in enumerate(chosen))
    return tuple(contacts), {name: plates[k].name for k, (_, name) in enumerate(chosen)}, plates


def _events(walk: Walk, time_s: FloatArray) -> tuple[Event, ...]:
    """Strikes and offs of both feet within the recording."""
    found = []
    for side, phase in FIRST.items():
        for number in range(-1, walk.strides + 2):
            for label, share in (("Foot Strike", 0.0), ("Foot Off", HEALTHY.off)):
                t = (number + share - phase) * walk.stride_s
                if 0.0 <= t <= min(walk.duration_s, float(time_s[-1])):
                    found.append(Event(float(t), label, CONTEXT[side]))
    return tuple(found)


def walk(strides: int = 4) -> Walk:
    """Steady walking at a comfortable speed."""
    return Walk(strides)
