"""Walking with two crutches and locked knees, dynamically sound: feet and tips bear what Newton and Euler ask for.

Each crutch goes with the foot of the other side. The knees stay as straight as orthoses hold them: each hip is as far
from its ankle as the knee's angle says, which decides how high the pelvis is and how it leans, so that the hip of the
swinging leg is hitched. A crutch is one with hand and forearm, whose wrist does not move; elbow and shoulder follow
from where the tip is.

The centre of pressure of all that touches the floor follows the points of contact, weighted by what each shall bear,
and the course of the pelvis is corrected until it does (`walking`) [Kajita2003].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.physics import GRAVITY
from biomec.body.anatomy.model_file import load_model
from biomec.body.loads.ground_reaction import SharedContact, shared_reactions
from biomec.recording import Event
from biomec.virtual import jets
from biomec.virtual.held_orthoses import HeldOrthosis, held_orthoses
from biomec.virtual.jets import Jet, clock, dot, harmonics, quick_step, solved, stacked, step_up, turn, wave
from biomec.virtual.loads import carried_loads, required_wrench
from biomec.virtual.movement import SIDES, Performance, PlatePlace, positive
from biomec.virtual.skeleton import STANDING, Placed, Skeleton, X, Y, Z
from biomec.virtual.upright import Leg, sole
from biomec.virtual.walking import (
    CONTEXT,
    CORRECTIONS,
    FIRST,
    HARMONICS,
    NEAR_M,
    PLATE,
    SAMPLES,
    FootCurves,
    Rolling,
    chosen,
    foot_curves,
)

MODELS = {
    "two": "m18-orthoses",
    "none": "m18-crutches",
    "two free": "m18-free-orthoses",
    "one free": "m18-free-orthosis",
}
"""Orthoses -> the body model of who wears them."""
OTHER = {"right": "left", "left": "right"}
SLOW = Rolling(
    flat=0.10,
    other=0.50,
    heel_off=0.55,
    off=0.72,
    early=0.05,
    lifted=0.80,
    levelled=0.95,
    strike_rad=float(np.deg2rad(3.0)),
    off_rad=float(np.deg2rad(12.0)),
    lift_m=0.012,
)
PLANTED = 0.74  # share of its stride that a crutch stands
LOADING = 0.20  # share in which it takes and gives its load
LOCK = (1000.0, 10.0)  # stiffness and damping of the knee locks of the model m18-orthoses [N m/rad, N m s/rad]
KNEE_HARMONICS, ROUNDS = 16, 2
LANE = 0.125  # of the plates from the midline: steps are shorter than feet, so right and left have plates of their own
LEADS = 0.06  # a crutch is planted that much of a stride before the foot that goes with it
YIELD_RAD, REST_RAD = 0.022, 0.008  # the locked knee gives that much more under full load than in swing


@dataclass(frozen=True)
class AssistedWalk:
    """Steady walking with two crutches.

    strides  : of each foot, recorded from mid-swing of the right foot
    stride_s : duration of a stride [s]
    step     : length of a step, as a share of stature
    bears    : what a crutch bears at most, as a share of what a foot bears
    paralysed: the knees give as much as their locks bear, so that the person adds nothing there; with orthoses "two"
    orthoses : "two", which move with the legs; "none"; "two free" or "one free", which are bodies of their own
    """

    strides: int = 3
    stride_s: float = 2.0
    step: float = 0.12
    bears: float = 0.30
    orthoses: str = "two"
    plates: int = 4
    paralysed: bool = False
    marker_set: ClassVar[str] = "gait-43"
    sharp: ClassVar[bool] = True

    def __post_init__(self) -> None:
        positive("Assisted walk", strides=self.strides, stride_s=self.stride_s, step=self.step, bears=self.bears)
        if self.paralysed and self.orthoses != "two":
            raise BiomecError('Assisted walk: knees that bear nothing need orthoses = "two", which bear it for them.')
        if self.orthoses not in MODELS:
            raise BiomecError(f"Assisted walk: orthoses can be {', '.join(MODELS)}, not {self.orthoses}.")

    @property
    def name(self) -> str:
        """Word for the file's name."""
        return "AssistedWalk"

    @property
    def model(self) -> str:
        """Body model of the person."""
        return MODELS[self.orthoses]

    @property
    def duration_s(self) -> float:
        """Strides [s]."""
        return self.strides * self.stride_s

    def perform(self, skeleton: Skeleton, time_s: FloatArray) -> Performance:
        """Perform it at these times (T,) [s]."""
        course, knees = _given_way(skeleton, self) if self.paralysed else (_settled(skeleton, self), None)
        walker = _Walker(skeleton, self, time_s, knees, _held(skeleton, self, course))
        contacts, borne_by, plates = _on_the_floor(walker)
        placed = walker.placed(course)
        return Performance(time_s, placed, contacts, plates, borne_by, {}, _events(self, time_s))


@dataclass(frozen=True, eq=False)
class CrutchCurves:
    """A crutch over time.

    tip    : (T, 3) where its tip is [m];  point : (T, 3) where the tip stands, or stood last [m]
    share  : (T,) of the load that it is meant to bear, next to the feet's
    number : (T,) of its current stride
    """

    tip: Jet
    point: FloatArray
    share: Jet
    number: FloatArray


class _BallLeg(Leg):
    """A leg with ball joints, of which ankle and knee turn as hinges and the ankle tilts sideways too."""

    def from_foot(self, foot: Placed, x: Jet) -> dict[str, Placed]:
        shank = self.ankle.inwards(foot.up_to(x.order), self.ankle.turned(x[:, 1], x[:, 0]))
        thigh = self.knee.inwards(shank, self.knee.turned(x[:, 2]))
        return {f"{self.side} shank": shank, f"{self.side} thigh": thigh}

    def length_squared(self, flexion: Jet) -> Jet:
        """Squared distance (T,) of hip and ankle with the knee flexed by (T,) [rad] from standing [m²]."""
        shank = self.knee.outwards(STANDING, self.knee.turned(-flexion))
        gap = shank.point(self.ankle.centre) - self.hip.centre
        return dot(gap, gap)


class _CrutchArm:
    """An arm between a placed tip of a crutch and a placed thorax: two leans of the crutch and the elbow close it."""

    def __init__(self, skeleton: Skeleton, side: str) -> None:
        self.side, code = side, SIDES[side][0]
        self.shoulder, self.elbow = (skeleton.joints[f"{side} {name}"] for name in ("shoulder", "elbow"))
        self.tip = skeleton.point(f"{side} hand.TIP_{code}")
        self.upper = self.shoulder.centre - self.elbow.centre
        self.lower = self.elbow.centre - self.tip

    def from_tip(self, tip: Jet, x: Jet) -> dict[str, Placed]:
        """Forearm with hand and crutch, and upper arm; x (T, 3): leans about X and Z, and flexion of the elbow."""
        lean = turn(X, x[:, 0]) @ turn(Z, x[:, 1])
        forearm = Placed(lean, self.tip, tip.up_to(x.order))
        humerus = self.elbow.inwards(forearm, self.elbow.turned(x[:, 2]))
        return {f"{self.side} forearm": forearm, f"{self.side} hand": forearm, f"{self.side} humerus": humerus}

    def placed(self, thorax: Placed, tip: Jet) -> dict[str, Placed]:
        """Forearm, hand and upper arm."""
        there = thorax.point(self.shoulder.centre)

        def gap(x: Jet) -> Jet:
            return self.from_tip(tip, x)[f"{self.side} humerus"].point(self.shoulder.centre) - there.up_to(x.order)

        return self.from_tip(tip, solved(gap, self._start(there.value - tip.value)))

    def _start(self, reach: FloatArray) -> FloatArray:
        """Angles (T, 3) of two bars in the sagittal plane, elbow backwards."""
        a, b = (float(np.hypot(*bar[:2])) for bar in (self.upper, self.lower))
        distance = np.minimum(np.hypot(reach[:, 0], reach[:, 1]), 0.999 * (a + b))
        inner = np.arccos(np.clip((a**2 + b**2 - distance**2) / (2 * a * b), -1.0, 1.0))
        at_tip = np.arccos(np.clip((b**2 + distance**2 - a**2) / (2 * b * distance), -1.0, 1.0))
        lean = np.arctan2(reach[:, 0], reach[:, 1]) - at_tip
        stood = np.arctan2(self.lower[0], self.lower[1])
        bend = np.arctan2(self.upper[0], self.upper[1]) - stood  # of the standing arm, forwards positive
        return np.stack([np.zeros_like(lean), stood - lean, np.pi - inner - bend], axis=1)


class _Walker:
    """A walking body at given times; only the course of the pelvis is left open."""

    def __init__(
        self,
        skeleton: Skeleton,
        walk: AssistedWalk,
        time_s: FloatArray,
        knees: Mapping[str, FloatArray] | None = None,
        hinges: Mapping[str, FloatArray] | None = None,
    ) -> None:
        self.skeleton, self.walk, self.knees, self.hinges = skeleton, walk, knees, hinges
        self.height = float(skeleton.point("head.VC")[1])
        self.stride_m = 2.0 * walk.step * self.height
        self.time = (1.0 / walk.stride_s) * clock(time_s)  # in strides
        self.strides = {side: self.time + phase for side, phase in FIRST.items()}
        self.legs = {side: _BallLeg(skeleton, side) for side in SIDES}
        self.arms = {side: _CrutchArm(skeleton, side) for side in SIDES}
        self.feet: dict[str, FootCurves] = {
            side: foot_curves(skeleton, side, phase, self.stride_m, 0.012 * self.height, SLOW)
            for side, phase in self.strides.items()
        }
        self.crutches = {side: self._crutch(side) for side in SIDES}
        self.load = {side: foot.share for side, foot in self.feet.items()}

    def _crutch(self, side: str) -> CrutchCurves:
        """The crutch of a side, which goes with the foot of the other one."""
        s, other = SIDES[side][1], OTHER[side]
        strides = self.strides[other] + LEADS
        number = np.floor(strides.value)
        p = strides - number
        x = self.stride_m * (number + (0.0 if other == "right" else 0.5)) + 0.10 * self.height
        place = np.stack([x, np.zeros_like(x), np.full_like(x, s * 0.185 * self.height)], axis=1)
        ahead = np.array([self.stride_m, 0.0, 0.0])
        swing, half = 1.0 - PLANTED, 0.5 * (1.0 - PLANTED)
        forward = quick_step((1.0 / swing) * (p - PLANTED))
        up = step_up((1.0 / half) * (p - PLANTED)) - step_up((1.0 / half) * (p - PLANTED - half))
        flying = stacked(forward, 0.0 * p, forward) * ahead + place + stacked(0.0 * p, 0.035 * up, 0.0 * p)
        tip = chosen([np.asarray(p.value < PLANTED)], [Jet.still(place)], flying)
        share = step_up((1.0 / LOADING) * p) - step_up((1.0 / LOADING) * (p - PLANTED + LOADING))
        return CrutchCurves(tip, place, self.walk.bears * share, number)

    def flexion(self, side: str) -> Jet:
        """Flexion (T,) of a locked knee [rad]: by its share of the load, or by a Fourier series of its stride."""
        if self.knees is not None:
            row = self.knees[side]
            return harmonics(self.strides[side], row[0], *zip(row[1::2], row[2::2], strict=True))
        return YIELD_RAD * self.load[side] + REST_RAD

    def pelvis(self, course: FloatArray) -> Placed:
        """Pelvis whose course along X and Z is the mean progression plus Fourier series (2, 1 + 2 HARMONICS) [m].

        Its height and its lean to the side follow from both legs.
        """
        p = self.strides["right"]
        hips = 0.5 * (self.legs["right"].hip.centre + self.legs["left"].hip.centre)
        forward, aside = (harmonics(p, row[0], *zip(row[1::2], row[2::2], strict=True)) for row in course)
        x, z = self.stride_m * p + forward + float(hips[0]), aside + float(hips[2])
        yaw = turn(Y, wave(p, np.deg2rad(3.0), 0.98))
        tilt = turn(Z, np.deg2rad(-4.0) + 0.0 * p)
        ankles = {side: self.feet[side].placed.point(leg.ankle.centre) for side, leg in self.legs.items()}
        wanted = {side: leg.length_squared(self.flexion(side)) for side, leg in self.legs.items()}

        def placed(u: Jet) -> Placed:
            order = u.order
            now = stacked(x.up_to(order), u[:, 0], z.up_to(order))
            return Placed(yaw.up_to(order) @ turn(X, u[:, 1]) @ tilt.up_to(order), hips, now)

        def gaps(u: Jet) -> Jet:
            there, found = placed(u), []
            for side, leg in self.legs.items():
                gap = there.point(leg.hip.centre) - ankles[side].up_to(u.order)
                found.append(dot(gap, gap) - wanted[side].up_to(u.order))
            return stacked(*found)

        start = np.stack([np.full(len(p.value), float(hips[1])), np.zeros(len(p.value))], axis=1)
        return placed(solved(gaps, start))

    def placed(self, course: FloatArray) -> dict[str, Placed]:
        """Every segment."""
        joints, pelvis = self.skeleton.joints, self.pelvis(course)
        found = {"pelvis": pelvis} | self._trunk(pelvis)
        for side, leg in self.legs.items():
            foot, rolling = self.feet[side].placed, self.strides[side]
            found |= leg.placed(pelvis, foot)
            found[f"{side} toes"] = joints[f"{side} metatarsal"].outwards(foot, turn(Z, _toes(rolling)))
            found |= self._orthosis(side, found)
            found |= self.arms[side].placed(found["thorax"], self.crutches[side].tip)
        return found

    def _trunk(self, pelvis: Placed) -> dict[str, Placed]:
        """Thorax, neck and head: upright over the pelvis, leaning forwards and to the crutch that is loaded."""
        p = self.strides["right"]
        lumbar = self.skeleton.joints["lumbar"]
        upright = turn(Z, np.deg2rad(-7.0) + wave(p, np.deg2rad(1.0), 0.1, 2)) @ turn(X, wave(p, np.deg2rad(2.0), 0.30))
        thorax = Placed(upright, lumbar.centre, pelvis.point(lumbar.centre))
        joints = self.skeleton.joints
        neck = joints["neck"].outwards(thorax, turn(Z, np.deg2rad(4.0) + wave(p, np.deg2rad(1.0), 0.2, 2)))
        head = joints["upper neck"].outwards(neck, turn(Z, 0.0 * p))  # no marker shows the neck: it leans with the head
        return {"thorax": thorax, "cervical spine": neck, "head": head}

    def _orthosis(self, side: str, placed: Mapping[str, Placed]) -> dict[str, Placed]:
        """An orthosis that is a body of its own: where its cuffs hold it, or else as ankle and knee turn."""
        worn = HeldOrthosis(side, ())
        if worn.hinges[0] not in self.skeleton.joints:
            return {}
        return worn.placed(self.skeleton, placed[f"{side} foot"], self.hinge_angles(side, placed))

    def hinge_angles(self, side: str, placed: Mapping[str, Placed]) -> tuple[Jet, Jet]:
        """Angles (T,) of the hinges at ankle and knee [rad]."""
        if self.hinges is not None:
            rows, p = self.hinges[side], self.strides[side]
            ankle, knee = (harmonics(p, row[0], *zip(row[1::2], row[2::2], strict=True)) for row in rows)
            return ankle, knee
        foot, shank = placed[f"{side} foot"], placed[f"{side} shank"]
        against = foot.turn.transposed @ shank.turn  # of the shank on the foot: Rx(−b) Rz(−a)
        cosine, sine = against[:, 0, 0], against[:, 0, 1]
        return -_angle(sine, cosine), self.flexion(side)

    def contacts(self) -> dict[str, tuple[Jet, FloatArray]]:
        """Share (T,) and point (T, 3) [m] of everything that stands on the floor."""
        found = {f"{side} foot": (foot.share, foot.point.value) for side, foot in self.feet.items()}
        return found | {f"{side} hand": (one.share, one.point) for side, one in self.crutches.items()}

    def wanted_pressure(self) -> FloatArray:
        """Course of the centre of pressure of everything that touches along X and Z, (T, 2) [m]."""
        parts = self.contacts().values()
        total = sum(share.value for share, _ in parts)
        moments = sum(share.value[:, None] * point for share, point in parts)
        return np.asarray(moments / np.asarray(total)[:, None])[:, [0, 2]]


def _angle(sine: Jet, cosine: Jet) -> Jet:
    """Angle (T,) of its sine and cosine, both of one scale."""

    def equation(x: Jet) -> Jet:
        there = x[:, 0]
        return stacked(sine.up_to(x.order) * jets.cosine(there) - cosine.up_to(x.order) * jets.sine(there))

    return solved(equation, np.arctan2(sine.value, cosine.value)[:, None])[:, 0]


def _toes(strides: Jet) -> Jet:
    """Extension (T,) of the toes against the foot: they stay on the floor while the heel is up [rad]."""
    p = strides - np.floor(strides.value)
    back = SLOW.off_rad * step_up((1.0 / (SLOW.levelled - SLOW.lifted)) * (p - SLOW.lifted))
    return SLOW.rise(p) - back


def _given_way(skeleton: Skeleton, walk: AssistedWalk) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Course of the pelvis and flexion of the knees, Fourier series of a stride, with which locks bear all of a knee.

    The lock's torque k φ + c φ̇ shall be what the knee carries about its axis, τ: each harmonic φ̂ = τ̂ / (k + i ω c).
    What flexion of a degree or two does to τ is little, so that a few rounds settle it.
    """
    system = skeleton.system
    time_s = walk.stride_s * (np.arange(SAMPLES) / SAMPLES - FIRST["right"])
    knees: dict[str, FloatArray] | None = None
    omega = 2.0 * np.pi * np.arange(KNEE_HARMONICS + 1) / walk.stride_s
    for _ in range(ROUNDS):
        course = _settled(skeleton, walk, knees)
        walker = _Walker(skeleton, walk, time_s, knees)
        placed = walker.placed(course)
        contacts, _, _ = _on_the_floor(walker)
        carried = carried_loads(skeleton, placed, shared_reactions(*required_wrench(system, placed), contacts))
        found = {}
        for side in SIDES:
            axis = placed[f"{side} thigh"].direction(skeleton.direction(f"{side} thigh.z")).value
            torque = np.einsum("ti,ti->t", carried[f"{side} knee"].torque, axis)
            p = walker.strides[side].value
            turns = np.exp(-2j * np.pi * p[:, None] * np.arange(KNEE_HARMONICS + 1))
            series = 2.0 / SAMPLES * (torque @ turns) / (LOCK[0] + 1j * omega * LOCK[1])
            row = np.zeros(1 + 2 * KNEE_HARMONICS)
            row[0], row[1::2], row[2::2] = 0.5 * series[0].real, series[1:].real, -series[1:].imag
            found[side] = row
        knees = found
    assert knees is not None
    return _settled(skeleton, walk, knees), knees


def _held(skeleton: Skeleton, walk: AssistedWalk, course: FloatArray) -> dict[str, FloatArray] | None:
    """Fourier series of the hinges of orthoses that are bodies of their own, as cuffs and springs hold them.

    The pelvis keeps its course: an orthosis of 1.6 kg is moved by millimetres.
    """
    worn = held_orthoses(skeleton, load_model(walk.model).springs)
    if not worn:
        return None
    time_s = walk.stride_s * (np.arange(SAMPLES) / SAMPLES - FIRST["right"])
    walker = _Walker(skeleton, walk, time_s)
    placed = walker.placed(course)
    return {
        one.side: one.settled(
            skeleton, placed, walker.strides[one.side], walk.stride_s, walker.hinge_angles(one.side, placed)
        )
        for one in worn
    }


def _settled(skeleton: Skeleton, walk: AssistedWalk, knees: Mapping[str, FloatArray] | None = None) -> FloatArray:
    """Course of the pelvis (2, 1 + 2 HARMONICS) that keeps the centre of pressure with feet and tips (`walking`)."""
    time_s = walk.stride_s * (np.arange(SAMPLES) / SAMPLES - FIRST["right"])  # a whole stride of the right foot
    walker = _Walker(skeleton, walk, time_s, knees)
    course = np.zeros((2, 1 + 2 * HARMONICS))
    wanted, p = walker.wanted_pressure(), walker.strides["right"].value
    course[0, 0] = float(np.mean(wanted[:, 0] - walker.stride_m * p))
    omega = 2.0 * np.pi * np.arange(1, HARMONICS + 1) / walk.stride_s
    pendulum = 1.0 + 0.55 * walker.height * omega**2 / GRAVITY
    for _ in range(CORRECTIONS):
        force, moment = required_wrench(skeleton.system, walker.placed(course))
        here = np.stack([moment[:, 2], -moment[:, 0]], axis=1) / force[:, 1:2]
        error = wanted - here
        if np.abs(error).max() < NEAR_M:
            break
        angles = 2.0 * np.pi * p[:, None] * np.arange(1, HARMONICS + 1)
        course[:, 0] += error.mean(axis=0)
        course[:, 1::2] += 2.0 / SAMPLES * (error.T @ np.cos(angles)) / pendulum
        course[:, 2::2] += 2.0 / SAMPLES * (error.T @ np.sin(angles)) / pendulum
    return course


def _on_the_floor(
    walker: _Walker,
) -> tuple[tuple[SharedContact, ...], dict[str, str], tuple[PlatePlace, ...]]:
    """A contact for every footfall and every place of a crutch, and plates under footfalls in the middle."""
    contacts, places = [], []
    for side, (code, _) in SIDES.items():
        foot, crutch = walker.feet[side], walker.crutches[side]
        middle = sole(walker.skeleton, side)["middle"]
        for number in np.unique(foot.stride):
            mine = (foot.stride == number) & (foot.share.value > 0.0)
            if mine.any():
                reach = np.stack([np.full(len(mine), 0.03), np.full(len(mine), 0.20), 0.06 * foot.reach], axis=1)
                name = f"Pe_{code}{int(number) + 1}"
                share = np.where(mine, foot.share.value, 0.0)
                none = np.zeros_like(reach)
                contacts.append(SharedContact(name, f"{side} foot", foot.point.value, share, reach, none))
                ahead = walker.stride_m * float(number + (0.0 if side == "right" else 0.5))
                places.append((middle[0] + ahead, SIDES[side][1] * LANE, name))
        for number in np.unique(crutch.number):
            mine = (crutch.number == number) & (crutch.share.value > 0.0)
            if mine.any():
                share = np.where(mine, crutch.share.value, 0.0)
                none = np.zeros((len(mine), 3))
                contacts.append(
                    SharedContact(f"Mu_{code}{int(number) + 1}", f"{side} hand", crutch.point, share, none, none)
                )
    places.sort()
    first = max(0, (len(places) - walker.walk.plates) // 2)
    size = (min(PLATE[0], 0.97 * walker.stride_m), 1.9 * LANE)
    on = places[first : first + walker.walk.plates]
    plates = tuple(PlatePlace.rectangle(f"Plate{k + 1}", (x, z), size) for k, (x, z, _) in enumerate(on))
    return tuple(contacts), {name: plates[k].name for k, (_, _, name) in enumerate(on)}, plates


def _events(walk: AssistedWalk, time_s: FloatArray) -> tuple[Event, ...]:
    """Strikes and offs of both feet within the recording."""
    found = []
    for side, phase in FIRST.items():
        for number in range(-1, walk.strides + 2):
            for label, share in (("Foot Strike", 0.0), ("Foot Off", SLOW.off)):
                t = (number + share - phase) * walk.stride_s
                if 0.0 <= t <= min(walk.duration_s, float(time_s[-1])):
                    found.append(Event(float(t), label, CONTEXT[side]))
    return tuple(found)


def assisted_walk(strides: int = 3, orthoses: str = "two") -> AssistedWalk:
    """Steady walking with two crutches and, unless others are named, two orthoses."""
    return replace(AssistedWalk(strides), orthoses=orthoses)
