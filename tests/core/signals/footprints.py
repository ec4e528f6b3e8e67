"""A walker given by where and when each foot lands: any path, stairs, running; feet stand still, then go straight.

Z points up. The markers are the two heels, the two toes 0.2 m before them, and the pelvis.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from biomec.recording import Event, Markers
from biomec.signals.gait_parameters import GaitParameters, gait_parameters
from biomec.signals.kinematic_events import GaitMarkers, walking_direction

UP = np.array([0.0, 0.0, 1.0])
NAMES = ("LHEE", "RHEE", "LTOE", "RTOE", "SACR")
GAIT = GaitMarkers(("SACR",), {"Left": "LHEE", "Right": "RHEE"}, {"Left": "LTOE", "Right": "RTOE"})
LIFT = 0.05  # of the toe in swing [m]


@dataclass(frozen=True)
class Footprints:
    """Feet and pelvis.

    landings : (time, side, heel) in order;  contact_s : how long a foot stands;  pelvis : time (T,) -> place (T, 3)
    """

    landings: list[tuple[float, str, np.ndarray]]
    contact_s: float
    pelvis: Callable[[np.ndarray], np.ndarray]
    duration_s: float
    rate_hz: float = 100.0

    def markers(self) -> Markers:
        t = np.arange(round(self.duration_s * self.rate_hz) + 1) / self.rate_hz
        paths = {}
        for side in ("Left", "Right"):
            mine = [(when, place) for when, foot, place in self.landings if foot == side]
            when = np.ravel([(a, a + self.contact_s) for a, _ in mine])
            where = np.repeat([place for _, place in mine], 2, axis=0)
            heel = np.stack([np.interp(t, when, where[:, k]) for k in range(3)], axis=1)
            share = np.zeros_like(t)
            for (a, _), (b, _) in pairwise(mine):
                s = (t - a - self.contact_s) / (b - a - self.contact_s)
                share += np.where((s > 0) & (s < 1), np.sin(np.pi * np.clip(s, 0, 1)), 0.0)
            ahead = np.gradient(heel, axis=0).sum(axis=0)
            ahead = ahead * [1, 1, 0] / np.linalg.norm(ahead[:2])
            paths[side[0] + "HEE"] = heel
            paths[side[0] + "TOE"] = heel + 0.2 * ahead + LIFT * share[:, None] * UP
        paths["SACR"] = self.pelvis(t)
        return Markers(NAMES, np.stack([paths[name] for name in NAMES], axis=1), self.rate_hz)

    def events(self) -> list[Event]:
        found = []
        for when, side, _ in self.landings:
            found += [Event(when, "Foot Strike", side), Event(when + self.contact_s, "Foot Off", side)]
        return sorted(e for e in found if 0.0 <= e.time_s <= self.duration_s)

    def parameters(self, R: np.ndarray | None = None, events: list[Event] | None = None) -> GaitParameters:
        """Strides and steps; in a laboratory turned or mirrored by R (3, 3)."""
        markers = self.markers()
        if R is not None:
            markers = replace(markers, p_WM=markers.p_WM @ R.T)
        forward = walking_direction(markers, GAIT, UP)
        return gait_parameters(self.events() if events is None else events, markers, GAIT, UP, forward)


def straight(
    stride_s: float = 1.0,
    stance: float = 0.6,
    step_m: float = 0.6,
    width_m: float = 0.12,
    rise_m: float = 0.0,
    sway_m: float = 0.03,
    longer_right_m: float = 0.0,
    steps: int = 8,
) -> Footprints:
    """Along +x with a swaying pelvis; right steps may be longer, and every step may rise."""
    landings, x = [], 0.0
    for k in range(steps):
        right = k % 2 == 0
        x += step_m + (longer_right_m if right else 0.0)
        place = np.array([x, (-0.5 if right else 0.5) * width_m, k * rise_m])
        landings.append((0.2 + 0.5 * k * stride_s, "Right" if right else "Left", place))
    speed = (2 * step_m + longer_right_m) / stride_s

    def pelvis(t: np.ndarray) -> np.ndarray:
        z = 0.9 + 2 * rise_m * t / stride_s
        return np.stack([speed * t, sway_m * np.sin(2 * np.pi * (t - 0.27) / stride_s), z], axis=1)

    return Footprints(landings, stance * stride_s, pelvis, 0.2 + 0.5 * (steps - 1) * stride_s + 0.3)


def circle(radius_m: float = 1.5, angle: float = 0.4, width_m: float = 0.12, steps: int = 9, sway_m: float = 0.0):
    """Anticlockwise on a circle, ``angle`` a step; each foot lands half a step before the pelvis."""
    landings = []
    for k in range(steps):
        right = k % 2 == 0
        r, phi = radius_m + (0.5 if right else -0.5) * width_m, k * angle
        landings.append((0.5 + 0.5 * k, "Right" if right else "Left", r * np.array([np.cos(phi), np.sin(phi), 0.0])))

    def pelvis(t: np.ndarray) -> np.ndarray:
        phi = (2 * (t - 0.5) - 0.5) * angle
        r = radius_m + sway_m * np.sin(2 * np.pi * t)
        return np.stack([r * np.cos(phi), r * np.sin(phi), np.full_like(t, 0.9)], axis=1)

    return Footprints(landings, 0.6, pelvis, 0.5 + 0.5 * (steps - 1) + 0.6)
