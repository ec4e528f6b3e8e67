"""What a drawing of a machine consists of, over time: bodies, pins, ground, springs, motors, stops. Without Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.joint_kinds import Symbol, symbol_of
from biomec.engine.layout import GROUND
from biomec.machines.machine import Machine, Stop
from biomec.machines.motion import MachineMotion

DOTS = (Symbol.PIN, Symbol.WELD)  # joints that are drawn as a point
ALWAYS = ("origin", "com")  # points that every body has, whether its author thought of them or not
FACE = 0.5  # length of the drawn face of a stop, in sizes of the machine
MIDDLE = 1e-12


class Part(StrEnum):
    """Kinds of shapes."""

    BODY = "body"
    CENTRE = "centre of mass"
    PIN = "pin"
    GROUND = "ground"
    RAIL = "rail"
    ROD = "rod"
    SPRING = "spring"
    DAMPER = "damper"
    TIE = "tie"
    MOTOR = "motor"
    HINGE = "hinge"
    CIRCLE = "circle"
    FACE = "face"


@dataclass(frozen=True, eq=False)
class Shape:
    """One thing in the drawing.

    name   : of the body, joint, spring …
    number : of the body in its machine, which gives it its colour; −1 for what belongs to none
    points : (T, K, dim) its corners or ends [m]
    radius : of a circle [m]; otherwise 0
    """

    part: Part
    name: str
    number: int
    points: FloatArray
    radius: float = 0.0


@dataclass(frozen=True, eq=False)
class Sketch:
    """All shapes of a machine along a motion.

    shapes : those behind first
    points : "body.point" -> (T, dim), whose trails can be drawn
    """

    motion: MachineMotion
    shapes: tuple[Shape, ...]
    points: dict[str, FloatArray]

    @property
    def frames(self) -> int:
        """Number of moments."""
        return len(self.motion.time_s)

    def frame_at(self, time_s: float) -> int:
        """Moment nearest to a time."""
        times = self.motion.time_s
        k = int(np.searchsorted(times, time_s))
        if k <= 0:
            return 0
        if k >= len(times):
            return len(times) - 1
        return k if times[k] - time_s < time_s - times[k - 1] else k - 1

    def corners(self) -> FloatArray:
        """(N, dim) of everything that must be in sight."""
        found = [one.points.reshape(-1, one.points.shape[-1]) for one in self.shapes if one.part is not Part.FACE]
        every = np.concatenate(found) if found else np.zeros((1, self.motion.dimension))
        every = every[np.isfinite(every).all(axis=1)]
        return every if len(every) else np.zeros((1, self.motion.dimension))

    def label(self, shape: Shape) -> str:
        """What is written beside a shape."""
        return shape.name if shape.part in (Part.BODY, Part.PIN, Part.GROUND, Part.MOTOR, Part.SPRING) else ""


def sketch(machine: Machine, motion: MachineMotion) -> Sketch:
    """The drawing of a machine along a motion."""
    bodies = {body.name: k for k, body in enumerate(machine.system.bodies)}
    named = {f"{name}.{point}": _place(machine, motion, f"{name}.{point}") for name in bodies
             for point in machine.system.layout.bodies[name].points if point not in ALWAYS}  # fmt: skip
    shapes = [*_anchors(machine, motion), *_rails(machine, motion), *_bodies(machine, motion, named),
              *_springs(machine, motion), *_stops(machine, motion, bodies), *_pins(machine, motion),
              *_motors(machine, motion)]  # fmt: skip
    for name in bodies:
        named.setdefault(f"{name}.com", _place(machine, motion, f"{name}.com"))
    return Sketch(motion, tuple(shapes), named)


def projected(points: FloatArray, azimuth: float, elevation: float) -> FloatArray:
    """Points (..., dim) on the paper (..., 2): as they are in the plane, from an angle [rad] in space; Y is up."""
    if points.shape[-1] == 2:
        return points
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    across = np.cos(azimuth) * x + np.sin(azimuth) * z
    deep = -np.sin(azimuth) * x + np.cos(azimuth) * z
    return np.stack([across, np.cos(elevation) * y - np.sin(elevation) * deep], axis=-1)


def outline(points: FloatArray) -> FloatArray:
    """Corners (M, 2) of the convex hull of points (K, 2), counter-clockwise; fewer than three stay as they are."""
    if len(points) < 3 or not np.isfinite(points).all():
        return points
    ordered = sorted({(float(x), float(y)) for x, y in points})

    def half(ends: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for p in ends:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= MIDDLE:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return np.array([*half(ordered), *half(reversed(ordered))])


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _place(machine: Machine, motion: MachineMotion, reference: str) -> FloatArray:
    """(T, dim) of a point "body.point" or "ground.point"."""
    owner, _, name = reference.partition(".")
    layout = machine.system.layout
    return motion.place(owner, layout.ground[name] if owner == GROUND else layout.bodies[owner].points[name])


def _bodies(machine: Machine, motion: MachineMotion, named: dict[str, FloatArray]) -> Iterable[Shape]:
    for number, body in enumerate(machine.system.bodies):
        own = [at for name, at in named.items() if name.split(".")[0] == body.name]
        own = own or [_place(machine, motion, f"{body.name}.com")]
        yield Shape(Part.BODY, body.name, number, np.stack(own, axis=1))
        if body.mass > 0.0:
            yield Shape(Part.CENTRE, body.name, number, _place(machine, motion, f"{body.name}.com")[:, None])


def _joints(machine: Machine) -> tuple[Any, ...]:
    """Joints and drivers, each with the fields of its kind."""
    return machine.system.constraints


def _pins(machine: Machine, motion: MachineMotion) -> Iterable[Shape]:
    for joint in _joints(machine):
        if symbol_of(joint) in DOTS:
            on_ground = GROUND in (joint.proximal.split(".")[0], joint.distal.split(".")[0])
            at = _place(machine, motion, joint.distal)[:, None]
            yield Shape(Part.GROUND if on_ground else Part.PIN, joint.name, -1, at)


def _rails(machine: Machine, motion: MachineMotion) -> Iterable[Shape]:
    layout = machine.system.layout
    for joint in _joints(machine):
        if symbol_of(joint) is Symbol.RAIL:
            ends = [_place(machine, motion, one) for one in (joint.proximal, joint.distal)]
            owner, _, name = joint.axis.partition(".")
            if owner == GROUND:
                way = np.broadcast_to(layout.directions[name], ends[0].shape)
            else:
                way = motion.axes[owner] @ layout.bodies[owner].vectors[name]
            along = np.einsum("td,td->t", ends[1] - ends[0], way)
            low, high = min(0.0, float(np.nanmin(along))), max(0.0, float(np.nanmax(along)))
            spare = 0.2 * max(high - low, 0.1)
            line = [ends[0] + (low - spare) * way, ends[0] + (high + spare) * way]
            yield Shape(Part.RAIL, joint.name, -1, np.stack(line, axis=1))
        elif symbol_of(joint) is Symbol.ROD:
            rod = [_place(machine, motion, one) for one in (joint.first, joint.second)]
            yield Shape(Part.ROD, joint.name, -1, np.stack(rod, axis=1))


def _springs(machine: Machine, motion: MachineMotion) -> Iterable[Shape]:
    def ends(first: str, second: str) -> FloatArray:
        return np.stack([_place(machine, motion, end) for end in (first, second)], axis=1)

    for tie in machine.ties:
        yield Shape(Part.TIE, tie.name, -1, ends(tie.first, tie.second))
    for one in machine.springs:
        if one.stiffness or not one.damping:
            yield Shape(Part.SPRING, one.name, -1, ends(one.first, one.second))
        if one.damping:
            yield Shape(Part.DAMPER, one.name, -1, ends(one.first, one.second))


def _anchors(machine: Machine, motion: MachineMotion) -> Iterable[Shape]:
    """Points of the ground that ties and springs hold on to, each once, and none that a joint shows already."""
    pinned = {end for joint in _joints(machine) if symbol_of(joint) in DOTS
              for end in (joint.proximal, joint.distal)}  # fmt: skip
    ends = [(tie.first, tie.second) for tie in machine.ties]
    ends += [(spring.first, spring.second) for spring in machine.springs]
    held = dict.fromkeys(end for pair in ends for end in pair)
    for reference in held:
        owner, _, name = reference.partition(".")
        if owner == GROUND and reference not in pinned:
            yield Shape(Part.GROUND, name, -1, _place(machine, motion, reference)[:, None])


def _motors(machine: Machine, motion: MachineMotion) -> Iterable[Shape]:
    springy = [one for one in machine.hinges if one.stiffness or one.damping]
    for part, elements in ((Part.MOTOR, machine.motors), (Part.HINGE, springy)):
        for one in elements:
            at = _meeting(machine, motion, {one.proximal, one.distal})
            if at is not None:
                yield Shape(part, one.name, -1, at[:, None])


def _meeting(machine: Machine, motion: MachineMotion, bodies: set[str]) -> FloatArray | None:
    """Where two bodies are pinned together; else the centre of mass of the one that moves."""
    for joint in _joints(machine):
        if symbol_of(joint) is Symbol.PIN and {joint.proximal.split(".")[0], joint.distal.split(".")[0]} == bodies:
            return _place(machine, motion, joint.distal)
    moving = sorted(bodies - {GROUND})
    return _place(machine, motion, f"{moving[-1]}.com") if moving else None


def _stops(machine: Machine, motion: MachineMotion, bodies: dict[str, int]) -> Iterable[Shape]:
    for one in machine.stops:
        centre = motion.place(one.circle, one.centre)[:, None]
        yield Shape(Part.CIRCLE, one.name, bodies.get(one.circle, -1), centre, one.radius)
        ends = [motion.place(one.face, end) for end in _face(one)]
        yield Shape(Part.FACE, one.name, bodies.get(one.face, -1), np.stack(ends, axis=1))


def _face(stop: Stop) -> tuple[FloatArray, FloatArray]:
    """Two ends of the drawn part of a face, in the axes of its body."""
    normal = np.asarray(stop.normal) / np.linalg.norm(stop.normal)
    along = np.array([-normal[1], normal[0]]) * max(2.0 * stop.radius, FACE * 0.05)
    return np.asarray(stop.point) - along, np.asarray(stop.point) + along
