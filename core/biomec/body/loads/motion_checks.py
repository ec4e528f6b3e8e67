"""Whether people can move like this: what the motion asks of the floor, how fast legs swing and segments turn.

Limits are those of level walking and what is known beyond it. Over fourteen recorded level walks the figures were:
friction 0.12 to 0.21, centre of pressure 0 to 24 mm outside the feet, force 0.62 to 1.45 body weights, swing time 1.22
to 1.64 √(leg/g). A sampling rate that is wrong by half or double, a leap, and frames that were copied leave these
ranges. A rate that is wrong by a fifth does not, and nothing in a motion can reveal it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.notices import Notice, Scope, problem, warning
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.balance import body_wrench
from biomec.body.loads.residuals import inner_frames
from biomec.engine.system import System
from biomec.recording.limb_names import limb_of
from biomec.signals.stretches import frame_words, span, stretches, widened

ENDS = 2  # frames at both ends of a motion whose accelerations rest on one-sided differences
SPIKE_S = 0.1  # masked before and after a spike [s]
SPIKES = 0.2  # share of the frames from which on spikes are not single events, but the motion
LEG = 0.53  # length of a leg over the stature [Winter2009]
USUAL_SWING = 1.4  # swing time over √(leg/g) in level walking
SLOW = 0.4  # of the walking speed: a foot all of whose points are faster swings
LIFTED_M = 0.05  # a foot all of whose points are higher than this above their lowest place is off the floor [m]
RESTING_M_S, RESTING_S = 0.2, 0.15  # a foot that stays slower than this, for so long, stands on something
FLYING = 0.02  # share of frames with both feet in the air from which on somebody runs or jumps
DIRECTIONS = 36  # in which the hull of the feet is measured; 72 mm less 0.3 mm at most
ARMS = frozenset({"hand", "radius", "ulna", "forearm", "humerus", "arm", "upper", "clavicle", "scapula", "head"})


@dataclass(frozen=True)
class Limits:
    """A figure above ``check`` is to be checked, above ``poor`` not to be used."""

    check: float
    poor: float


FRICTION = Limits(0.35, 0.60)  # 95th percentile; walking uses 0.2
OUTSIDE_M = Limits(0.04, 0.08)  # median, of the centre of pressure beyond the feet [m]
HIGHEST_WALKING, HIGHEST = Limits(2.0, 4.0), Limits(4.0, 8.0)  # vertical force [body weights]
PULL, PULL_S, PULL_SHARE = -0.1, 0.05, 0.05  # body weights; for so long to be checked [s]; of the frames to be poor
FLIGHT = Limits(0.3, 0.6)  # mean force with both feet in the air [body weights]; running 0.0 ± 0.2
SWING_SHORT, SWING_LONG = Limits(1 / 1.0, 1 / 0.8), Limits(2.2, 2.8)  # √(leg/g) over swing time, and its inverse
TURNING, TURNING_SHARE = Limits(1500.0, 2500.0), 0.01  # °/s of legs and trunk; walking 650, running 724
CONTACT = Limits(
    0.20, 0.35
)  # stance by the markers against contact by the plates, as a share; sound walks −0.05 to 0.15


@dataclass(frozen=True, eq=False)
class MotionChecks:
    """What speaks against a motion.

    masked  : (T,) frames around spikes, not to be used; read-only
    figures : name -> what was measured, NaN where it cannot be judged
    """

    masked: BoolArray
    figures: dict[str, float]
    notices: tuple[Notice, ...]


def check_motion(
    system: System,
    motion: SegmentMotion,
    q: FloatArray,
    qdot: FloatArray,
    rate_hz: float,
    height_m: float,
    *,
    travels: bool,
    whole: bool = True,
    contact_s: Sequence[float] = (),
    ground: FloatArray | None = None,
    masked: BoolArray | None = None,
    first_frame: int = 0,
) -> MotionChecks:
    """Compare a motion with what people can do.

    q, qdot     : (T, n) natural coordinates and their velocities
    travels     : whether the pelvis goes over the floor; without a flight this is walking
    whole       : whether the model holds the whole body; otherwise the pelvis stands for the centre of mass, and
                  neither friction nor centre of pressure is judged
    contact_s   : durations of whole contacts of feet by the plates [s]
    ground      : (3,) velocity of what the feet stand on, such as a treadmill's belt [m/s]; None: it rests
    masked      : (T,) frames around leaps and spikes that are known already; if they are few, they are not judged again
    first_frame : number of the first frame in the file

    Friction, centre of pressure and flight need a level floor: they are not judged where a foot stands still above it,
    as on stairs.
    """
    feet = _Feet(system, q, qdot, rate_hz, np.zeros(3) if ground is None else ground)
    known = inner_frames(np.asarray(np.isfinite(motion.a_com).all(axis=(1, 2))), ENDS)
    if masked is not None and float(masked.mean()) < SPIKES:
        known &= ~masked
    found: list[Notice] = []
    figures: dict[str, float] = {}
    force = _required(system, motion, whole)
    g = float(np.linalg.norm(system.gravity))
    vertical = np.where(known, force[:, 1], np.nan) / (g * float(motion.mass.sum()))
    walks = travels and feet.level and bool(known.any()) and float(feet.airborne.mean()) < FLYING

    def tell(code: str, level: str, sentence: str, frames: BoolArray | None = None) -> None:
        notice = problem if level == "poor" else warning
        found.append(notice(code, sentence, scope=Scope.RECORDING, frames=None if frames is None else span(frames)))

    if walks:
        swing, stance = feet.swing_and_stance()
        ratio = figures["swing"] = swing / float(np.sqrt(LEG * height_m / g))
        level = max(_level(1.0 / ratio, SWING_SHORT), _level(ratio, SWING_LONG), key=("", "check", "poor").index)
        if level:
            quick = ratio < USUAL_SWING
            times = USUAL_SWING / ratio if quick else ratio / USUAL_SWING
            words = (
                f"The legs swing {times:.1f} times as {'fast' if quick else 'slowly'} as legs of this length usually "
                f"do ({swing:.2f} s). Check the sampling rate of the cameras."
            )
            tell("swing-time", level, words)
        off = stance / float(np.median(contact_s)) - 1.0 if len(contact_s) else np.nan
        figures["contact"] = off
        if abs(off) > CONTACT.check:
            words = (
                f"A foot stands for {stance:.2f} s by the markers, for {float(np.median(contact_s)):.2f} s by the "
                "plates. Check the sampling rates of cameras and plates."
            )
            tell("rates-disagree", _level(abs(off), CONTACT), words)
    if known.any():
        limits = HIGHEST_WALKING if walks else HIGHEST
        figures["highest"] = float(np.nanmax(vertical))
        if figures["highest"] > limits.check:
            high = np.asarray(np.nan_to_num(vertical) > limits.check)
            words = (
                f"The motion needs a ground force of {figures['highest']:.1f} body weights in "
                f"{frame_words(high, first_frame)}; {'walking' if walks else 'landing from a jump'} needs "
                f"{'1.2 to 1.5' if walks else 'about 3'}. Check the sampling rate and the markers there."
            )
            tell("force-too-high", _level(figures["highest"], limits), words, high)
        pulls = np.asarray(np.nan_to_num(vertical) < PULL) & ~feet.airborne  # flight has a check of its own
        longest = max((b - a for a, b in stretches(pulls).tolist()), default=0)
        figures["pull"] = float(pulls.mean())
        if longest >= PULL_S * rate_hz or figures["pull"] > PULL_SHARE:
            words = (
                f"In {frame_words(pulls, first_frame)} the floor would have to pull the feet down. Check the sampling "
                "rate and the markers there."
            )
            tell("floor-would-pull", "poor" if whole and figures["pull"] > PULL_SHARE else "check", words, pulls)
        flying = known & feet.airborne
        figures["flight"] = float(abs(np.mean(vertical[flying]))) if flying.any() and feet.level else np.nan
        if flying.sum() >= PULL_S * rate_hz and figures["flight"] > FLIGHT.check:
            words = (
                f"In {frame_words(flying, first_frame)} both feet are in the air, yet the body does not fall: the "
                f"motion needs {figures['flight']:.1f} body weights. Check whether something else bears the person, "
                "and the sampling rate."
            )
            tell("borne-in-flight", _level(figures["flight"], FLIGHT), words, flying)
    if walks and whole:
        loaded = known & (np.nan_to_num(vertical) > 0.3)
        figures["friction"] = _percentile(np.hypot(force[:, 0], force[:, 2])[loaded] / force[loaded, 1], 95.0)
        if figures["friction"] > FRICTION.check:
            words = (
                f"The motion needs a friction of {figures['friction']:.2f} from the floor; walking needs about 0.2. "
                "Check the sampling rate, and whether markers leap."
            )
            tell("friction-too-high", _level(figures["friction"], FRICTION), words)
        figures["outside_m"] = _outside(system, motion, feet, loaded)
        if figures["outside_m"] > OUTSIDE_M.check:
            words = (
                f"The motion needs a centre of pressure {1e3 * figures['outside_m']:.0f} mm outside the feet (median). "
                "Check the sampling rate and the mass of the segments."
            )
            tell("pressure-outside-feet", _level(figures["outside_m"], OUTSIDE_M), words)
    fast, notices = _turning(motion, known, first_frame, figures)
    around = widened(fast, round(SPIKE_S * rate_hz))
    return MotionChecks(read_only(around, np.bool_), figures, (*found, *notices))


def _level(value: float, limits: Limits) -> str:
    """Return what a value is by its limits: "check" or "poor", and nothing where it keeps them."""
    return "poor" if value > limits.poor else "check" if value > limits.check else ""


def _percentile(values: FloatArray, percent: float) -> float:
    return float(np.percentile(values, percent)) if values.size else np.nan


def _required(system: System, motion: SegmentMotion, whole: bool) -> FloatArray:
    """Force (T, 3) that the motion asks for, m (r̈ − g) [N]; the pelvis stands for a body that is not whole."""
    a = motion.whole_body_acceleration
    if not whole:
        a = motion.a_com[:, motion.names.index("pelvis") if "pelvis" in motion.names else int(np.argmax(motion.mass))]
    return np.asarray(float(motion.mass.sum()) * (a - system.gravity))


class _Feet:
    """Points of the feet of a model in every frame.

    airborne : (T,) frames in which every point of every foot is above its lowest place; known by heights alone, so that
               a wrong rate does not change it
    places, speed : (T, P, 3) points [m], and (T,) speed of the slowest over the ground or belt [m/s], of each foot
    level    : whether no foot stands still above the floor, as on stairs
    """

    def __init__(self, system: System, q: FloatArray, qdot: FloatArray, rate_hz: float, ground: FloatArray) -> None:
        self.rate_hz = rate_hz
        self.names, self.places, self.speed = [], [], []
        pelvis = next((body.name for body in system.bodies if body.name == "pelvis"), None)
        for body in system.bodies:
            limb = limb_of(body.name)
            if limb is None or limb.kind != "foot":
                continue
            maps = [system.layout.point(f"{body.name}.{name}") for name in body.points if name not in ("origin", "com")]
            self.names.append(body.name)
            self.places.append(np.stack([one(q) for one in maps], axis=1))
            rate = np.stack([one.rate(qdot) for one in maps], axis=1) - ground
            self.speed.append(np.hypot(rate[..., 0], rate[..., 2]).min(axis=1))
        frames = len(q)
        seen = np.asarray(np.isfinite(q).all(axis=1))
        self.airborne, self.level = np.zeros(frames, dtype=np.bool_), False
        self.walked_m_s = 0.0
        if not self.names or not seen.any():
            return
        lift = []
        for places in self.places:
            height = np.where(np.isfinite(places[..., 1]), places[..., 1], np.inf)
            lowest = height.min(axis=0)
            lift.append((height - np.where(np.isfinite(lowest), lowest, 0.0)).min(axis=1))
        lifted = np.stack(lift, axis=1)  # (T, F)
        self.airborne = np.asarray((lifted > LIFTED_M).all(axis=1) & seen)
        rests = [(up > LIFTED_M) & (slow < RESTING_M_S) for up, slow in zip(lifted.T, self.speed, strict=True)]
        longest = max((b - a for one in rests for a, b in stretches(np.asarray(one & seen)).tolist()), default=0)
        self.level = longest < RESTING_S * rate_hz
        if pelvis is not None:
            rate = (system.layout.point(f"{pelvis}.com").rate(qdot)[seen] - ground)[:, [0, 2]]
            speed = np.linalg.norm(rate, axis=1)
            self.walked_m_s = float(np.nanmedian(speed)) if np.isfinite(speed).any() else 0.0  # also there and back

    @property
    def moving(self) -> list[BoolArray]:
        """(T,) for each foot: all its points go faster than a share of the walking speed."""
        return [np.asarray(np.nan_to_num(speed) > SLOW * self.walked_m_s) for speed in self.speed]

    def swing_and_stance(self) -> tuple[float, float]:
        """Median duration of whole swings and of whole stances [s]; NaN without any."""
        swings: list[int] = []
        stances: list[int] = []
        for speed, moving in zip(self.speed, self.moving, strict=True):
            seen = np.isfinite(speed)
            for kind, flags in ((swings, moving), (stances, np.asarray(seen & ~moving))):
                for first, stop in stretches(flags).tolist():
                    if first > 0 and stop < len(flags) and seen[first - 1] and seen[stop]:
                        kind.append(stop - first)
        return self._typical(swings), self._typical(stances)

    def _typical(self, lengths: list[int]) -> float:
        whole = [one for one in lengths if one > 0.3 * max(lengths)]  # a foot may stop for a moment
        return float(np.median(whole)) / self.rate_hz if whole else np.nan


def _outside(system: System, motion: SegmentMotion, feet: _Feet, counted: BoolArray) -> float:
    """Median distance of the required centre of pressure from the hull of the feet that stand [m].

    The distance of a point p from a convex set is the largest of u·p − max u·x over all directions u.
    """
    angle = np.linspace(0.0, 2.0 * np.pi, DIRECTIONS, endpoint=False)
    u = np.stack([np.cos(angle), np.sin(angle)])  # (2, D)
    hull = np.full((motion.frames, DIRECTIONS), -np.inf)
    for places, moving in zip(feet.places, feet.moving, strict=True):
        reach = (places[..., [0, 2]] @ u).max(axis=1)
        hull = np.where(moving[:, None], hull, np.maximum(hull, reach))
    there = counted & np.isfinite(hull).all(axis=1)
    if not there.any():
        return np.nan
    required, p = body_wrench(system, motion), motion.whole_body_com[there]
    f, h = required.total_force[there], required.total_moment[there]
    x = p[:, 0] + (h[:, 2] - p[:, 1] * f[:, 0]) / f[:, 1]
    z = p[:, 2] - (h[:, 0] + p[:, 1] * f[:, 2]) / f[:, 1]
    beyond = (np.stack([x, z], axis=1) @ u - hull[there]).max(axis=1)
    return float(np.median(np.maximum(beyond, 0.0)))


def _turning(
    motion: SegmentMotion, known: BoolArray, first_frame: int, figures: dict[str, float]
) -> tuple[BoolArray, list[Notice]]:
    """Frames in which a segment of legs or trunk turns faster than people do, and what to say."""
    counted = [k for k, name in enumerate(motion.names) if not ARMS & set(name.split())]
    speed = np.degrees(np.linalg.norm(motion.omega[:, counted], axis=2))
    speed = np.where(known[:, None], np.nan_to_num(speed), 0.0)
    figures["turning"] = float(speed.max(initial=0.0))
    fast = np.asarray((speed > TURNING.check).any(axis=1))
    if not fast.any():
        return fast, []
    names = [motion.names[counted[k]] for k in np.flatnonzero((speed > TURNING.check).any(axis=0))]
    notice = problem if float((speed > TURNING.poor).mean()) > TURNING_SHARE else warning
    words = (
        f"{', '.join(names[:3])}{' and others' if len(names) > 3 else ''} would turn at up to "
        f"{figures['turning']:.0f}°/s in {frame_words(fast, first_frame)}; running people reach 700°/s. Check the "
        "markers there; these frames are not used."
    )
    return fast, [notice("turns-too-fast", words, *names, scope=Scope.RECORDING, frames=span(fast))]
