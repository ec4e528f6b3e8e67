"""When hands and feet bear on the floor, seen from the motion alone: points that are low and hardly move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.system import System
from biomec.recording.limb_names import limb_of
from biomec.signals.stretches import stretches


@dataclass(frozen=True)
class FloorOptions:
    """What counts as touching.

    floor_m    : height of the floor [m]
    rest_m     : a point whose lowest place in the recording lies higher than this above the floor never touches it [m]
    lift_m     : a point touches fully up to half of this above its lowest place, and not at all above it [m]
    speed_m_s  : a point touches fully while slower than half of this over the ground, and not at all above it [m/s]
    on, off    : a point touches while it does more than ``off`` fully, if it does more than ``on`` at some time of it
    shortest_s : shorter contacts and shorter gaps between two are none [s]
    edge_s     : what is seen to touch this long before or after a measured contact does not do so off the plates [s]
    ease_s     : a point takes up its load in this time after landing, and gives it up in this time before leaving [s]
    """

    floor_m: float = 0.0
    rest_m: float = 0.12
    lift_m: float = 0.04
    speed_m_s: float = 0.4
    on: float = 0.5
    off: float = 0.2
    shortest_s: float = 0.06
    edge_s: float = 0.1
    ease_s: float = 0.2

    def __post_init__(self) -> None:
        sizes = (self.rest_m, self.lift_m, self.speed_m_s, self.shortest_s, self.edge_s, self.ease_s)
        if not (min(sizes) > 0.0 and np.isfinite(sizes).all() and 0.0 < self.off <= self.on < 1.0):
            raise BiomecError(
                "Floor contacts: heights, speeds and times must be positive, and 0 < off ≤ on < 1 for the switch."
            )


@dataclass(frozen=True, eq=False)
class FloorContacts:
    """Hands and feet of a model on the floor. Arrays are read-only.

    segments  : (K,) hands and feet that touch the floor in some frame
    touching  : (T, K)
    grip      : (T, K) from 0 to 1: how fully the segment touches; 0 where it does not
    point     : (T, K, 3) middle of what touches, on the floor [m]; of the lowest points where nothing does
    reach     : (T, K, 2) spread along X and Z of what touches [m]
    """

    segments: tuple[str, ...]
    touching: BoolArray
    grip: FloatArray
    point: FloatArray
    reach: FloatArray
    rate_hz: float
    options: FloorOptions

    def without(self, segments: Sequence[str]) -> FloorContacts:
        """Contacts of other segments than these, whose forces are measured whatever they touch."""
        kept = [k for k, name in enumerate(self.segments) if name not in segments]
        if len(kept) == len(self.segments):
            return self
        return replace(
            self,
            segments=tuple(self.segments[k] for k in kept),
            touching=read_only(self.touching[:, kept], np.bool_),
            grip=read_only(self.grip[:, kept]),
            point=read_only(self.point[:, kept]),
            reach=read_only(self.reach[:, kept]),
        )


def floor_contacts(
    system: System,
    q: FloatArray,
    qdot: FloatArray,
    rate_hz: float,
    options: FloorOptions = FloorOptions(),
    ground: FloatArray | None = None,
) -> FloorContacts:
    """Find the contacts of hands and feet with the floor.

    q, qdot : (T, n); frames that are NaN touch nothing
    ground  : (3,) velocity of what the person stands on, such as a treadmill's belt [m/s]; None: it rests

    Each landmark of a hand or foot is compared with its own lowest place in the recording, because markers sit some
    centimetres above the sole. A smooth step of its height times one of its speed says how fully it touches.
    """
    found = [body for body in system.bodies if limb_of(body.name) is not None]
    segments, touching, grip, point, reach = [], [], [], [], []
    for body in found:
        names = [name for name in body.points if name not in ("origin", "com")]
        maps = [system.layout.point(f"{body.name}.{name}") for name in names]
        places = np.stack([one(q) for one in maps], axis=1)  # (T, P, 3)
        velocity = np.stack([one.rate(qdot) for one in maps], axis=1)
        if ground is not None:
            velocity = velocity - ground
        full = _touches(places, velocity, options)
        landed = [_without_short(_switched(column, options), rate_hz, options) for column in full.T]
        weight = np.stack([_eased(one, rate_hz, options) for one in landed], axis=1)
        largest = weight.max(axis=1, initial=0.0)
        down = np.asarray(largest > 0.0)
        if not down.any():
            continue
        lowest = _lowest(places)
        weight = np.where(weight.sum(axis=1, keepdims=True) > 1e-6, weight, lowest)
        weight = weight / weight.sum(axis=1, keepdims=True)
        there = np.nan_to_num(places)
        middle = np.einsum("tp,tpi->ti", weight, there)
        spread = np.sqrt(np.einsum("tp,tpi->ti", weight, (there - middle[:, None]) ** 2))
        middle[:, 1] = options.floor_m
        segments.append(body.name)
        touching.append(down)
        grip.append(np.where(down, np.maximum(largest, 1e-3), 0.0))
        point.append(middle)
        reach.append(spread[:, [0, 2]])
    frames = len(q)
    empty = np.zeros((frames, 0))
    return FloorContacts(
        tuple(segments),
        read_only(np.stack(touching, axis=1) if segments else empty, np.bool_),
        read_only(np.stack(grip, axis=1) if segments else empty),
        read_only(np.stack(point, axis=1) if segments else np.zeros((frames, 0, 3))),
        read_only(np.stack(reach, axis=1) if segments else np.zeros((frames, 0, 2))),
        rate_hz,
        options,
    )


def off_plates(contacts: FloorContacts, external: ExternalLoads) -> BoolArray:
    """(T, K) contacts with the floor on which no load was measured.

    A plate knows better than a motion when a contact begins and ends: what is seen shortly before or after a measured
    load of the same hand or foot is not a contact off the plates.
    """
    loaded = (external.force != 0.0).any(axis=2)  # (T, E)
    few = round(contacts.options.edge_s * contacts.rate_hz)
    free = np.zeros(contacts.touching.shape, dtype=np.bool_)
    for k, name in enumerate(contacts.segments):
        mine = np.array([segment == name for segment in external.segments], dtype=np.bool_)
        borne = np.concatenate([[False], loaded[:, mine].any(axis=1), [False]])
        free[:, k] = contacts.touching[:, k] & ~borne[1:-1]
        for first, stop in stretches(free[:, k]).tolist():
            if stop - first <= few and (borne[first] or borne[stop + 1]):
                free[first:stop, k] = False
    return free


def measured_frames(contacts: FloorContacts, external: ExternalLoads) -> BoolArray:
    """(T,) frames in which something was measured, and on every hand and foot that touches the floor.

    Elsewhere the residual holds the force that no plate saw.
    """
    loaded = (external.force != 0.0).any(axis=(1, 2))
    return np.asarray(loaded & ~external.estimated & ~off_plates(contacts, external).any(axis=1))


def _touches(places: FloatArray, velocity: FloatArray, options: FloorOptions) -> FloatArray:
    """(T, P) how fully points touch, from 0 to 1."""
    height = places[..., 1] - options.floor_m
    seen = np.isfinite(height) & np.isfinite(velocity).all(axis=2)
    rest = np.where(seen, height, np.inf).min(axis=0, initial=np.inf)
    speed = np.linalg.norm(np.where(seen[..., None], velocity, 0.0), axis=2)
    lifted = np.where(seen, height - np.where(np.isfinite(rest), rest, 0.0), np.inf)
    low = _fading(lifted / options.lift_m)
    return np.where(seen & (rest < options.rest_m), low * _fading(speed / options.speed_m_s), 0.0)


def _fading(x: FloatArray) -> FloatArray:
    """1 up to a half, 0 from 1 on, smooth between."""
    s = np.clip(2.0 - 2.0 * np.minimum(x, 2.0), 0.0, 1.0)
    return np.asarray(s * s * (3.0 - 2.0 * s))


def _switched(level: FloatArray, options: FloorOptions) -> BoolArray:
    """(T,) stretches above ``off`` that rise above ``on`` somewhere."""
    down = np.zeros(len(level), dtype=np.bool_)
    for first, stop in stretches(np.asarray(level > options.off)).tolist():
        down[first:stop] = bool((level[first:stop] > options.on).any())
    return down


def _without_short(down: BoolArray, rate_hz: float, options: FloorOptions) -> BoolArray:
    """Close short gaps between two contacts, then drop short contacts; those at the ends of the recording stay."""
    few, cleaned = options.shortest_s * rate_hz, down.copy()
    for value in (True, False):
        for first, stop in stretches(cleaned != value).tolist():
            if stop - first < few and first > 0 and stop < len(cleaned):
                cleaned[first:stop] = value
    return cleaned


def _eased(down: BoolArray, rate_hz: float, options: FloorOptions) -> FloatArray:
    """(T,) load from 0 to 1 of a point that is down in some frames; full at once where the recording begins or ends."""
    load = np.zeros(len(down))
    for first, stop in stretches(down).tolist():
        t = np.arange(first, stop)
        since = np.inf if first == 0 else (t - first + 1) / rate_hz
        until = np.inf if stop == len(down) else (stop - t) / rate_hz
        s = np.clip(np.minimum(since, until) / options.ease_s, 0.0, 1.0)
        load[first:stop] = s * s * (3.0 - 2.0 * s)
    return load


def _lowest(places: FloatArray) -> FloatArray:
    """(T, P) 1 for the lowest point of each frame, else 0."""
    height = np.where(np.isfinite(places[..., 1]), places[..., 1], np.inf)
    return np.asarray(np.arange(places.shape[1]) == np.argmin(height, axis=1)[:, None]).astype(np.float64)
