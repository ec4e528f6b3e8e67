"""One blow to the head: what the bones, discs, ligaments, muscles and facets do.

The blow keeps its direction in space; its point moves with the head. Muscles hold the excitation of the equilibrium,
relax from the first moment on, or were tensed before (braced). A reflex would begin after some 250 ms; there is none
here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, for_loops, locked, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.progress import Progress
from biomec.engine.forces.pulses import Pulse, triangle
from biomec.machines.head_neck.equilibrium import Equilibrium, find_equilibrium
from biomec.machines.head_neck.model import HeadNeck
from biomec.machines.head_neck.stability import longest_step
from biomec.machines.head_neck.steps import (
    BLOW,
    EULER,
    LOADS,
    RUNGE_KUTTA,
    NeckState,
    NeckTables,
    NeckWork,
    Record,
    evaluate,
    neck_work,
    run_steps,
)

METHODS = {"symplectic Euler": EULER, "Runge-Kutta": RUNGE_KUTTA}
HELD, RELAXED, BRACED = "held", "relaxed", "braced"
MUSCLE_STATES = (HELD, RELAXED, BRACED)
PUBLISHED_STEP = 5e-6  # [s]
REFLEX_S = 0.25
KINDS = ("elastic", "discs", "ligaments", "contacts", "muscles", "blow")
CHUNKS = 50  # calls of `progress`


@dataclass(frozen=True, eq=False)
class Blow:
    """A force pulse at a point of the head.

    point     : (3,) from the head's centre of mass, in the head's axes [m]: x forward, y left, z up
    direction : (3,) in which it pushes, in axes of T1, of any length
    """

    pulse: Pulse
    point: ArrayLike
    direction: ArrayLike

    def __post_init__(self) -> None:
        point, direction = np.asarray(self.point, dtype=np.float64), np.asarray(self.direction, dtype=np.float64)
        if point.shape != (3,) or direction.shape != (3,) or not np.isfinite([*point, *direction]).all():
            raise BiomecError("A blow needs three numbers for its point and three for its direction.")
        if not np.linalg.norm(direction) > 0.0:
            raise BiomecError("The direction of the blow has no length. Give one such as -1, 0, 0 for a frontal blow.")
        object.__setattr__(self, "point", read_only(point))
        object.__setattr__(self, "direction", read_only(direction / np.linalg.norm(direction)))


PUBLISHED_PULSE = triangle(16e3, 0.2e-3, 0.7e-3)
PRESETS: Mapping[str, Blow] = FrozenDict({
    "frontal": Blow(PUBLISHED_PULSE, (0.09, 0.0, 0.0), (-1.0, 0.0, 0.0)),
    "lateral": Blow(PUBLISHED_PULSE, (0.0, -0.07, 0.03), (0.0, 1.0, 0.0)),
})  # fmt: skip
"""The two published blows. Their points are printed nowhere: at the height of the centre of mass of the head, and for
the lateral one 30 mm above it, over the ear, are assumptions."""


@dataclass(frozen=True)
class ImpactOptions:
    """How a blow is computed.

    method   : of `METHODS`;  step_s : [s]
    every_s  : time between the states that are kept; the head is kept at every step
    muscles  : of `MUSCLE_STATES`;  bracing : share of its greatest force that every muscle is near if they are braced
    """

    duration_s: float = REFLEX_S
    method: str = "symplectic Euler"
    step_s: float = PUBLISHED_STEP
    every_s: float = 1e-4
    muscles: str = HELD
    bracing: float = 0.2

    def __post_init__(self) -> None:
        if self.method not in METHODS or self.muscles not in MUSCLE_STATES:
            raise BiomecError(
                f"Impact: methods are {', '.join(METHODS)} and muscles are {', '.join(MUSCLE_STATES)}, not "
                f"“{self.method}” and “{self.muscles}”."
            )
        if not (0.0 < self.step_s <= self.every_s <= self.duration_s <= 10.0):
            raise BiomecError(
                f"Impact: a step of {self.step_s:g} s, states every {self.every_s:g} s and a duration of "
                f"{self.duration_s:g} s do not fit together. Each must be above 0 and at most the next; 10 s at most."
            )


@dataclass(frozen=True, eq=False)
class Impact:
    """What a blow did: F states, K steps of the head; arrays are read-only.

    time_s                : (F,) [s];  head_time_s : (K,)
    z, zdot               : (F, 8, 6) coordinates of every bone in the one below it [m, rad] and their rates
    R, p                  : (F, 9, 3, 3), (F, 9, 3) attitudes and origins of T1 and the bones [m]
    acceleration          : (K, 3) of the head's centre of mass [m/s²];  angular_velocity : (K, 3) [rad/s]; head's axes
    c1_acceleration       : (F, 3) of the origin of C1;  c1_velocity : (F, 3), axes of T1
    neck_force, neck_moment : (F, 3) that the neck exerts on the head, about the origin of C0, head's axes [N, N·m]
    ligament_length, ligament_force : (F, N) [m, N];  ligament_rest : (N,) [m]
    muscle_length, muscle_force, fibre_length, activation : (F, M); fibres over their optimal length
    contact_depth, contact_force : (F, C) [m, N]
    disc_load             : (F, D, 6) forces and generalised moments of the discs on the upper bone [N, N·m]
    kinetic, potential    : (F,) [J]
    works                 : kind of load (`KINDS`) -> (F,) done on the bones since the start [J]
    status                : ``completed``, or when and where the model came apart
    """

    equilibrium: Equilibrium
    blow: Blow
    options: ImpactOptions
    time_s: FloatArray
    head_time_s: FloatArray
    z: FloatArray
    zdot: FloatArray
    R: FloatArray
    p: FloatArray
    acceleration: FloatArray
    angular_velocity: FloatArray
    c1_acceleration: FloatArray
    c1_velocity: FloatArray
    neck_force: FloatArray
    neck_moment: FloatArray
    ligament_length: FloatArray
    ligament_force: FloatArray
    ligament_rest: FloatArray
    muscle_length: FloatArray
    muscle_force: FloatArray
    fibre_length: FloatArray
    activation: FloatArray
    contact_depth: FloatArray
    contact_force: FloatArray
    disc_load: FloatArray
    kinetic: FloatArray
    potential: FloatArray
    works: Mapping[str, FloatArray]
    status: str

    @property
    def model(self) -> HeadNeck:
        """The model that was hit."""
        return self.equilibrium.model

    @property
    def completed(self) -> bool:
        """Whether the run came to its end."""
        return self.status == "completed"

    @property
    def ligament_strain(self) -> FloatArray:
        """(F, N) (l − l₀)/l₀."""
        return np.asarray(self.ligament_length / self.ligament_rest - 1.0)

    @property
    def imbalance(self) -> float:
        """Greatest error of the energy balance over the work of the blow: E − E₀ less all works but the elastic one."""
        energy = self.kinetic + self.potential
        works = sum(self.works[kind] for kind in KINDS[1:])
        return float(np.abs(energy - energy[0] - works).max() / max(abs(self.works["blow"]).max(), 1e-300))


def equilibrium_for(model: HeadNeck, options: ImpactOptions) -> Equilibrium:
    """The equilibrium from which a run with these options begins."""
    return find_equilibrium(model, options.bracing if options.muscles == BRACED else 0.0)


def simulate_impact(
    equilibrium: Equilibrium,
    blow: Blow,
    options: ImpactOptions = ImpactOptions(),
    progress: Progress | None = None,
) -> Impact:
    """Simulate a blow from an equilibrium (`equilibrium_for`). ``progress`` may raise to stop."""
    _check(equilibrium, blow, options)
    model, start = equilibrium.model, equilibrium.state
    tables = equilibrium.tables._replace(
        point=np.array(model.head_com + np.asarray(blow.point)), direction=np.array(blow.direction)
    )
    h, every = options.step_s, max(1, round(options.every_s / options.step_s))
    steps = every * int(np.ceil(options.duration_s / options.step_s / every - 1e-9))
    frames, M = steps // every + 1, len(model.muscles)
    record = Record(
        np.zeros((frames, start.z.size)), np.zeros((frames, start.z.size)), np.zeros((frames, 2 * M)),
        np.zeros((frames, start.onset.size)), np.zeros((frames, 2)), np.zeros((frames, LOADS)),
        np.zeros((steps + 1, 6)),
    )  # fmt: skip
    excitation = np.zeros(M) if options.muscles == RELAXED else np.array(equilibrium.excitation)
    struck = int(
        np.ceil(min(blow.pulse.end, (steps + 1) * h) / h)
    )  # steps; the last one of Runge-Kutta looks one ahead
    force = blow.pulse.at(np.arange(2 * struck + 2) * 0.5 * h)
    state = NeckState(*(one.copy() for one in start))
    work, works = neck_work(tables), np.zeros(LOADS)
    ends = np.unique(np.linspace(0, steps + 1, CHUNKS + 1).astype(int))
    lost = -1
    for first, last in pairwise(ends):
        lost = run_steps(
            tables,
            METHODS[options.method],
            h,
            int(first),
            int(last),
            every,
            force,
            excitation,
            state,
            works,
            work,
            record,
        )
        if lost >= 0:
            break
        if progress is not None:
            progress(float(last / ends[-1]))
    status = "completed" if lost < 0 else _came_apart(model, options, lost, work)
    kept = frames if lost < 0 else max(1, (lost - 1) // every + 1)
    return _impact(equilibrium, blow, options, tables, excitation, record, kept, steps if lost < 0 else lost, status)


def cut_off(blow: Blow, options: ImpactOptions) -> str | None:
    """Words for a blow that is not over when the run ends; None if it is."""
    if blow.pulse.end <= options.duration_s:
        return None
    return (
        f"The blow lasts until {1e3 * blow.pulse.end:.6g} ms, and the run ends at {1e3 * options.duration_s:.6g} ms: "
        "what comes later is left out. Make the run longer for the whole blow."
    )


def _check(equilibrium: Equilibrium, blow: Blow, options: ImpactOptions) -> None:
    begin, length = blow.pulse.begin, blow.pulse.end - blow.pulse.begin
    if begin >= options.duration_s:
        raise BiomecError(
            f"The blow begins at {1e3 * begin:.6g} ms, and the run ends at {1e3 * options.duration_s:.6g} ms, before "
            "it. Times are in seconds: correct those of the blow, or make the run longer."
        )
    if options.step_s > 0.5 * length:
        raise BiomecError(
            f"A step of {1e6 * options.step_s:g} µs is too long for a blow of {1e6 * length:.6g} µs. Take "
            f"{1e6 * length / 20:.3g} µs or less."
        )
    longest = longest_step(equilibrium, METHODS[options.method], options.step_s)
    if options.step_s > longest:
        raise BiomecError(
            f"A step of {1e6 * options.step_s:g} µs is too long: with {options.method}, the stiffest discs and "
            f"contacts would shake themselves apart. Take {1e6 * longest:.3g} µs or less; "
            f"{1e6 * PUBLISHED_STEP:g} µs is usual."
        )


def _came_apart(model: HeadNeck, options: ImpactOptions, step: int, work: NeckWork) -> str:
    """When a run diverged, the element with the greatest force, and what to do."""
    named = {
        **{f"ligament {one.name}": f for one, f in zip(model.ligaments, work.ligament[2], strict=True)},
        **{f"muscle {one.name}": f for one, f in zip(model.muscles, work.muscle[2], strict=True)},
        **{f"contact {one.name}": f for one, f in zip(model.contacts, work.contact[2], strict=True)},
        **{f"disc {one.name}": np.abs(f[:, :3]).max() for one, f in zip(model.discs, np.swapaxes(work.disc, 0, 1),
                                                                      strict=True)},
    }  # fmt: skip
    worst = max(named, key=lambda name: np.inf if np.isnan(named[name]) else abs(named[name]))
    return (
        f"came apart at {1e3 * step * options.step_s:.3f} ms; the {worst} carries {named[worst]:.3g} N. Take a shorter "
        "step or a weaker blow, or check the stiffness and damping of that element"
    )


@compiled
def _replay(
    tables: NeckTables, record: Record, frames: int, excitation: FloatArray, work: NeckWork, R: FloatArray,
    p: FloatArray, c1: FloatArray, neck: FloatArray, ligament: FloatArray, muscle: FloatArray, contact: FloatArray,
    disc: FloatArray, force: FloatArray, second: int,
) -> None:  # fmt: skip
    """Forces of all elements in the states of a record."""
    b = tables.head
    for f in range(frames):
        state = NeckState(record.z[f], record.zdot[f], record.y[f], record.onset[f])
        evaluate(tables, state, excitation, force[f], work)
        R[f], p[f] = work.motion.R, work.motion.p
        c1[f, 0], c1[f, 1] = work.origin[second], work.motion.v[second]
        for i in range(6):
            total = 0.0
            for j in range(3):
                for kind in range(BLOW):
                    total += work.motion.R[b, j, i % 3] * work.loads[kind, b, 3 * (i // 3) + j]
            neck[f, i] = total
        ligament[0, f], ligament[1, f] = work.ligament[0], work.ligament[2]
        muscle[0, f], muscle[1, f] = work.muscle[0], work.muscle[2]
        contact[0, f], contact[1, f] = work.contact[0], work.contact[2]
        disc[f] = work.disc[0] + work.disc[1]


def _impact(
    equilibrium: Equilibrium, blow: Blow, options: ImpactOptions, tables: NeckTables, excitation: FloatArray,
    record: Record, frames: int, steps: int, status: str,
) -> Impact:  # fmt: skip
    model = equilibrium.model
    every = max(1, round(options.every_s / options.step_s))
    time = np.arange(frames) * every * options.step_s
    bodies, M, N, C, D = (
        len(one) for one in (model.names, model.muscles, model.ligaments, model.contacts, model.discs)
    )
    R, p, c1, neck = (
        np.empty((frames, bodies, 3, 3)),
        np.empty((frames, bodies, 3)),
        np.empty((frames, 2, 3)),
        np.empty((frames, 6)),
    )
    ligament, muscle, contact, disc = (
        np.empty((2, frames, N)), np.empty((2, frames, M)), np.empty((2, frames, C)), np.empty((frames, D, 6)),
    )  # fmt: skip
    head = model.bones[tables.head - 1]
    second = model.number(head.parent, "Impact")
    _replay(tables, record, frames, excitation, neck_work(tables), R, p, c1, neck, ligament, muscle, contact, disc,
            for_loops(blow.pulse.at(time)), second)  # fmt: skip
    kept = slice(0, steps + 1 if status == "completed" else max(1, steps))
    return Impact(
        equilibrium, blow, options, locked(time), locked(np.arange(len(record.head[kept])) * options.step_s),
        read_only(record.z[:frames].reshape(frames, -1, 6)), read_only(record.zdot[:frames].reshape(frames, -1, 6)),
        locked(R), locked(p), read_only(record.head[kept, :3]), read_only(record.head[kept, 3:]),
        read_only(c1[:, 0]), read_only(c1[:, 1]), read_only(neck[:, :3]), read_only(neck[:, 3:]),
        read_only(ligament[0]), read_only(ligament[1]), read_only(tables.ligaments.rest),
        read_only(muscle[0]), read_only(muscle[1]), read_only(record.y[:frames, M:]), read_only(record.y[:frames, :M]),
        read_only(contact[0]), read_only(contact[1]), locked(disc),
        read_only(record.energy[:frames, 0]), read_only(record.energy[:frames, 1]),
        FrozenDict({kind: read_only(record.works[:frames, k]) for k, kind in enumerate(KINDS)}), status,
    )  # fmt: skip


def mirrored(blow: Blow) -> Blow:
    """The same blow from the other side."""
    flip = np.array([1.0, -1.0, 1.0])
    return replace(blow, point=np.asarray(blow.point) * flip, direction=np.asarray(blow.direction) * flip)
