"""The feet of a walker: when each stands, how it rolls from heel to ball, and how it swings to its next place.

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
from biomec.virtual.curves import quick_step, step_up
from biomec.virtual.jets import Jet, applied, stacked, turn
from biomec.virtual.skeleton import Placed, Skeleton, Z
from biomec.virtual.upright import sole

FLAT, OTHER_STRIKE, HEEL_OFF, TOE_OFF = 0.08, 0.50, 0.52, 0.60
DOUBLE = TOE_OFF - OTHER_STRIKE  # each double support
STRIKE_PITCH, TOE_OFF_PITCH = float(np.deg2rad(18.0)), float(np.deg2rad(48.0))
EARLY = 0.04  # the toes start to come down this long before the heel strikes
LIFTED, LEVELLED = 0.70, 0.94  # where the swinging foot is steepest, and where it is ready to strike
CLEARANCE = 0.022  # of stature


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
    skeleton: Skeleton, side: str, strides: Jet, stride_m: float, inwards_m: float, height_m: float
) -> FootCurves:
    """A foot that strikes the ground at every whole number of ``strides`` (T,), each ``stride_m`` after the last.

    The left foot walks half a stride ahead of the right one's numbers. Feet are ``inwards_m`` nearer to the midline
    than while standing.
    """
    number = np.floor(strides.value)
    p = strides - number
    pitch = _pitch(p)
    ground_points = sole(skeleton, side)
    heel, ball = ground_points["heel"], ground_points["ball"]
    s = 1.0 if side == "right" else -1.0
    x = stride_m * (number + (0.0 if side == "right" else 0.5))
    place = np.stack([x, np.zeros_like(number), np.full_like(number, -s * inwards_m)], axis=1)
    ahead = np.array([stride_m, 0.0, 0.0])
    rolled = applied(turn(Z, pitch), ball - heel)  # from heel to ball
    on_heel, on_ball = rolled + (heel + place), Jet.still(ball + place)
    sway = quick_step((1.0 / (1.0 - TOE_OFF)) * (p - TOE_OFF))
    free = 1.0 - sway
    none = 0.0 * sway
    lift = 64.0 * CLEARANCE * height_m * (sway * free) * (sway * free) * (sway * free)
    swung = free[:, None] * on_ball + sway[:, None] * (on_heel + ahead) + stacked(none, lift, none)
    now = _chosen([np.asarray(p.value < 0.3), np.asarray(p.value < TOE_OFF)], [on_heel, on_ball], swung)
    share = step_up((1.0 / DOUBLE) * p) * (1.0 - step_up((1.0 / DOUBLE) * (p - OTHER_STRIKE)))
    along = step_up((1.0 / (OTHER_STRIKE - FLAT)) * (p - FLAT))
    point = along[:, None] * (ball - heel) + (heel + place)
    up = step_up((1.0 / (2 * DOUBLE - 2 * FLAT)) * 2.0 * (p - FLAT))
    down = step_up((1.0 / (HEEL_OFF - OTHER_STRIKE)) * (p - OTHER_STRIKE))
    return FootCurves(Placed(turn(Z, pitch), ball, now), share, point, (up * (1.0 - down)).value, number)


def _pitch(p: Jet) -> Jet:
    """Angle (T,) of the foot to the floor at the share p of the stride, toes up positive [rad]."""
    slap = STRIKE_PITCH * step_up((1.0 / (FLAT + EARLY)) * (p + EARLY))
    next_slap = STRIKE_PITCH * step_up((1.0 / (FLAT + EARLY)) * (p - (1.0 - EARLY)))
    rise = TOE_OFF_PITCH * step_up((1.0 / (LIFTED - HEEL_OFF)) * (p - HEEL_OFF))
    level = (TOE_OFF_PITCH + STRIKE_PITCH) * step_up((1.0 / (LEVELLED - LIFTED)) * (p - LIFTED))
    return STRIKE_PITCH - slap - next_slap - rise + level


def _chosen(conditions: list[BoolArray], jets: list[Jet], otherwise: Jet) -> Jet:
    """The first jet (T, 3) whose condition (T,) holds, frame by frame."""
    return Jet(
        tuple(
            np.select([c[:, None] for c in conditions], [jet.parts[k] for jet in jets], otherwise.parts[k])
            for k in range(otherwise.order + 1)
        )
    )
