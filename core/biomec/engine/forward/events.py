"""Events: moments at which a function of the state crosses zero, found within the step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.forces.ground_contact import GroundContact
from biomec.engine.forces.joint_stops import JointStops
from biomec.engine.forward.formulation import State

HALVINGS = 60  # of a step; each halves the time in which the event lies, until that is round-off


@dataclass(frozen=True)
class SimulationEvent:
    """Something that happens where ``value`` crosses zero.

    value  : of a state
    rising : True: from negative to positive only; False: the other way only; None: both
    ends   : whether the run ends there
    """

    name: str
    value: Callable[[State], float]
    rising: bool | None = None
    ends: bool = False


@dataclass(frozen=True, eq=False)
class Occurrence:
    """An event that happened: its name, when [s], the state then, and whether the value rose."""

    name: str
    time_s: float
    state: State
    rising: bool


class EventWatch:
    """Looks for events after every step; give it to a simulation as ``stop_when``.

    The state within a step is the polynomial of degree 5 through coordinates, velocities and accelerations of both
    ends; a root is found by bisection, so that an event always ends in a bounded number of evaluations.

    start : the first state, from `Stepper.start`; without it the first step is not looked at
    """

    def __init__(self, events: Sequence[SimulationEvent], start: State | None = None) -> None:
        self.events = tuple(events)
        self.occurrences: list[Occurrence] = []
        self._before = start
        self._values = None if start is None else [event.value(start) for event in self.events]

    def __call__(self, state: State) -> str | None:
        """Note what happened since the last state; a sentence if that ends the run."""
        before, old = self._before, self._values
        new = [event.value(state) for event in self.events]
        self._before, self._values = state, new
        if before is None or old is None:
            return None
        happened = [
            _found(event, before, state, a)
            for event, a, b in zip(self.events, old, new, strict=True)
            if _crosses(event, a, b)
        ]
        happened.sort(key=lambda one: one.time_s)
        ending = {event.name for event in self.events if event.ends}
        for one in happened:
            self.occurrences.append(one)
            if one.name in ending:
                return f"Ended at {one.time_s:.4f} s: {one.name}."
        return None


def contact_begins(contact: GroundContact, name: str, *, ends: bool = False) -> SimulationEvent:
    """A sphere reaches the ground."""
    contact.penetration(contact.system.reference, name)  # refuses a name that is not there
    return SimulationEvent(f"{name} touches the ground", lambda now: contact.penetration(now.q, name), True, ends)


def contact_ends(contact: GroundContact, name: str, *, ends: bool = False) -> SimulationEvent:
    """A sphere leaves the ground."""
    contact.penetration(contact.system.reference, name)
    return SimulationEvent(f"{name} leaves the ground", lambda now: contact.penetration(now.q, name), False, ends)


def stop_reached(stops: JointStops, name: str, *, ends: bool = False) -> SimulationEvent:
    """A joint angle leaves its range."""
    stops.beyond(stops.system.reference, name)
    return SimulationEvent(f"{name} reaches its stop", lambda now: stops.beyond(now.q, name), True, ends)


def within_step(before: State, after: State, t: float) -> State:
    """State at a time between two: degree 5 in the coordinates, multipliers in proportion."""
    h = after.t - before.t
    s = (t - before.t) / h
    a = (before.q, h * before.qdot, 0.5 * h * h * before.qddot)
    gap = after.q - a[0] - a[1] - a[2]
    slope = h * after.qdot - a[1] - 2.0 * a[2]
    bend = h * h * after.qddot - 2.0 * a[2]
    c = (10.0 * gap - 4.0 * slope + 0.5 * bend, -15.0 * gap + 7.0 * slope - bend, 6.0 * gap - 3.0 * slope + 0.5 * bend)
    terms: tuple[FloatArray, ...] = (*a, *c)
    q = sum((x * s**k for k, x in enumerate(terms)), np.zeros_like(before.q))
    qdot = sum((k * x * s ** (k - 1) for k, x in enumerate(terms) if k), np.zeros_like(q)) / h
    qddot = sum((k * (k - 1) * x * s ** (k - 2) for k, x in enumerate(terms) if k > 1), np.zeros_like(q)) / h**2
    return State(t, q, qdot, qddot, (1.0 - s) * before.multipliers + s * after.multipliers)


def _crosses(event: SimulationEvent, a: float, b: float) -> bool:
    """Whether values a and b have zero between them, in the sense of the event; from zero itself nothing crosses."""
    up, down = a < 0.0 <= b, a > 0.0 >= b
    return up if event.rising is True else down if event.rising is False else up or down


def _found(event: SimulationEvent, before: State, after: State, a: float) -> Occurrence:
    """Bisect the step."""
    low, high = before.t, after.t
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if (event.value(within_step(before, after, middle)) < 0.0) == (a < 0.0):
            low = middle
        else:
            high = middle
    return Occurrence(event.name, high, within_step(before, after, high), a < 0.0)
