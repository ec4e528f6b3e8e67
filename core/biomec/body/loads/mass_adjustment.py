"""Segment masses and centres of mass that suit the plates better, as near as possible to those of the tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.errors import BiomecError
from biomec.base.fields import MM, PERCENT, setting
from biomec.body.kinematics.segment_motion import SegmentMotion, segment_motion
from biomec.body.loads.balance import body_balance, body_wrench
from biomec.body.loads.sensitivity import both_sides
from biomec.engine.body import Body
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.system import System

BAND_HZ = 6.0  # movements change no faster, so a residual has twice so many independent samples a second
ROUNDS = 3  # centres of mass enter the moments squared
EXACTLY = 1e4  # weight of a kilogram by which the whole body may miss the mass that it must have
TOTALS = ("free", "kept", "plates")


@dataclass(frozen=True)
class MassOptions:
    """How far inertia may be adjusted.

    mass      : limit of the change of a segment's mass, as a share of it
    centre_m  : limit of the shift of a centre of mass along each of the segment's axes [m]
    expected  : usual error of the tables, as a share of these limits: what the residual does not tell stays unchanged
    force_n, moment_nm : residuals that noise explains [N], [N m]
    total     : mass of the whole body: "free"; "kept"; or "plates", what the plates weigh
    """

    mass: float = setting(
        0.15, "Largest change of a mass", "As a part of the segment's mass.", unit="%", factor=PERCENT, least=0.0
    )
    centre_m: float = setting(
        0.03, "Largest shift of a centre of mass", "Along each axis of the segment.", unit="mm", factor=MM, least=0.0
    )
    expected: float = setting(
        0.5, "Usual error of the table", "As a part of these limits; what the residual does not tell stays as it is.",
        unit="%", factor=PERCENT, least=0.0)  # fmt: skip
    force_n: float = setting(
        5.0, "Force that noise explains", "A residual below this changes nothing.", unit="N", least=0.0
    )
    moment_nm: float = setting(
        2.0, "Moment that noise explains", "A residual below this changes nothing.", unit="N·m", least=0.0
    )
    total: str = setting(
        "free", "Mass of the whole body", "May change, stays, or becomes what the plates weigh.",
        choices={"free": "may change", "kept": "stays", "plates": "measured by the plates"})  # fmt: skip

    def __post_init__(self) -> None:
        sizes = (self.mass, self.centre_m, self.expected, self.force_n, self.moment_nm)
        if not (np.isfinite(sizes).all() and min(sizes) > 0.0 and self.mass < 1.0):
            raise BiomecError("Adjusted masses: limits and noise must be positive, and masses change by less than all.")
        if self.total not in TOTALS:
            raise BiomecError(f'Adjusted masses: the whole body is {", ".join(TOTALS)}, not "{self.total}".')


@dataclass(frozen=True)
class SegmentChange:
    """What was changed of a segment: its mass [kg], and its centre of mass in its own axes [m]."""

    segment: str
    mass_before: float
    mass_after: float
    centre_shift: tuple[float, float, float]


def adjusted_inertia(
    system: System,
    states: tuple[FloatArray, FloatArray, FloatArray],
    external: ExternalLoads,
    counted: BoolArray,
    rate_hz: float,
    options: MassOptions = MassOptions(),
) -> tuple[System, tuple[SegmentChange, ...]]:
    """System whose masses and centres of mass make the residual of the whole body small, and what was changed.

    states  : q, q̇, q̈ (T, n)
    counted : (T,) frames in which plates bear the whole body

    Minimises Σ |r|²/σ² + Σ (x/x̂)² over bounded changes x of the masses and centres, r being the residual force and
    moment of the whole body: linear least squares with bounds, repeated. Right and left change alike, as mirror images;
    tensors go with the masses.
    """
    groups = both_sides([body.name for body in system.bodies])
    limits = np.concatenate([np.full(len(groups), options.mass), np.full(3 * len(groups), options.centre_m)])
    motion = segment_motion(system, *states)
    about = np.asarray(motion.whole_body_com)  # where moments are taken about: it stays, so that they are linear
    wanted = None
    if options.total != "free":
        weighed = body_balance(system, motion, external, counted).plates_kg if options.total == "plates" else None
        total = float(motion.mass.sum())
        wanted = 0.0 if weighed is None else weighed - total
        limits[: len(groups)] = np.maximum(options.mass, 1.5 * abs(wanted) / total)  # or it could not be had
    x, now = np.zeros(len(limits)), system
    for _ in range(ROUNDS):
        r, J = _linearised(system, now, motion, external, about, counted, groups, options, rate_hz)
        rows, right = [J, np.diag(1.0 / (options.expected * limits))], [J @ x - r, np.zeros(len(limits))]
        if wanted is not None:
            shares = [float(sum(system.bodies[s].mass for s in group)) for group in groups]
            rows.append(EXACTLY * np.array([[*shares, *np.zeros(3 * len(groups))]]))
            right.append(np.array([EXACTLY * wanted]))
        x = np.asarray(
            scipy.optimize.lsq_linear(np.concatenate(rows), np.concatenate(right), bounds=(-limits, limits)).x
        )
        now = changed_system(system, _by_segment(x, groups, system))
        motion = segment_motion(now, *states)
    changes = tuple(
        SegmentChange(old.name, old.mass, new.mass, (float(d[0]), float(d[1]), float(d[2])))
        for old, new, (_, d) in zip(system.bodies, now.bodies, _by_segment(x, groups, system), strict=True)
    )
    return now, changes


def changed_system(system: System, changes: list[tuple[float, FloatArray]]) -> System:
    """System with other masses (share by which each grows, its tensor with it) and centres of mass (shift (3,) [m])."""
    bodies = [_changed(body, share, shift) for body, (share, shift) in zip(system.bodies, changes, strict=True)]
    return System(bodies, system.constraints, name=system.name, gravity=system.gravity)


def _changed(body: Body, share: float, shift: FloatArray) -> Body:
    points = {name: point for name, point in body.points.items() if name not in ("origin", "com")}
    centre = np.asarray(body.centre_of_mass) + shift
    mass, inertia = (1.0 + share) * body.mass, (1.0 + share) * body.inertia_matrix
    return replace(body, points=points, mass=mass, inertia=inertia, centre_of_mass=centre)


def _by_segment(x: FloatArray, groups: list[list[int]], system: System) -> list[tuple[float, FloatArray]]:
    """Share of mass and shift (3,) of every segment; left ones are mirror images."""
    found: list[tuple[float, FloatArray]] = [(0.0, np.zeros(3))] * len(system.bodies)
    for g, group in enumerate(groups):
        shift = x[len(groups) + 3 * g : len(groups) + 3 * g + 3]
        for s in group:
            found[s] = (float(x[g]), shift * _mirror(system.bodies[s].name))
    return found


def _mirror(name: str) -> FloatArray:
    return np.array([1.0, 1.0, -1.0 if name.startswith("left ") else 1.0])


def _linearised(
    start: System,
    now: System,
    motion: SegmentMotion,
    external: ExternalLoads,
    about: FloatArray,
    counted: BoolArray,
    groups: list[list[int]],
    options: MassOptions,
    rate_hz: float,
) -> tuple[FloatArray, FloatArray]:
    """Weighted residual, required minus measured (6N,), and its derivative by the changes (6N, X)."""
    wrench = body_wrench(now, motion)
    arm = motion.p_com - about[:, None]
    moment = wrench.moment + np.cross(arm, wrench.force)
    r = np.concatenate(
        [wrench.total_force - external.total_force, moment.sum(axis=1) - external.total_moment(about)], axis=1
    )
    first = np.array([body.mass for body in start.bodies]) / np.where(motion.mass > 0.0, motion.mass, 1.0)
    columns = []
    for group in groups:  # masses: the segment's wrench as it would be with its mass at the start
        parts = [np.concatenate([wrench.force[:, s], moment[:, s]], axis=1) * first[s] for s in group]
        columns.append(sum(parts))
    for group in groups:
        for axis in range(3):
            column = np.zeros_like(r)
            for s in group:
                d = motion.R_WB[:, s, :, axis] * _mirror(motion.names[s])[axis]
                swung = np.cross(motion.alpha[:, s], d)
                swung += np.cross(motion.omega[:, s], np.cross(motion.omega[:, s], d))
                df = motion.mass[s] * swung
                column[:, :3] += df
                column[:, 3:] += np.cross(d, wrench.force[:, s]) + np.cross(arm[:, s], df)
            columns.append(column)
    weight = np.sqrt(min(1.0, 2.0 * BAND_HZ / rate_hz))
    sigma = np.repeat([options.force_n, options.moment_nm], 3) / weight
    J = np.stack(columns, axis=2)[counted] / sigma[:, None]
    return np.asarray(r[counted] / sigma).reshape(-1), J.reshape(-1, J.shape[2])
