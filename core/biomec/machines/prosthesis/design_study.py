"""The study `design`: what the geometry of a knee does over its flexion, without dynamics: instant centre, stability,
leg length, lever arms.

The thigh is held; flexion is prescribed and swept, as far as the links allow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.machines.laws import Polynomial
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.history import History
from biomec.machines.prosthesis.readouts import HIP, SHANK, THIGH, Readouts, crossing, leg_refusal, readouts
from biomec.machines.prosthesis.reduced import Reduced, reduced_motion
from biomec.machines.reference_points import NotAssembled, ReferencePointModel, assembled, reference_point_model
from biomec.machines.study import Run, Study, curve, option, time_limit


@dataclass(frozen=True, eq=False)
class KneeGeometry:
    """Geometry at T flexions.

    moving    : the model;  q : (T, n) positions with the thigh held upright
    flexion   : (T,) [rad], rising;  leg : read-outs there
    hip_ankle : (T,) distance from hip to ankle [m]
    gap       : (T, s) of the stops [m]
    lengths   : spring name -> (T,) [m];  levers : spring name -> (T,) −d length/d flexion [m]
    reached   : whether the whole range that was asked for can be reached
    """

    moving: Reduced
    q: FloatArray
    flexion: FloatArray
    leg: Readouts
    hip_ankle: FloatArray
    gap: FloatArray
    lengths: dict[str, FloatArray]
    levers: dict[str, FloatArray]
    reached: bool


def knee_geometry(machine: Machine, lowest: float, highest: float, step: float) -> KneeGeometry:
    """Geometry from a lowest to a highest flexion [rad] by steps [rad]; the thigh is upright."""
    if not (step > 0.0 and highest > lowest and (highest - lowest) / step < 1e5):
        raise BiomecError("The range of flexion must rise by steps above 0, and not have too many of them.")
    moving, q, _ = reduced_motion(machine)
    if moving.f != 1:
        raise BiomecError(f"{machine.name} has {moving.f} degrees of freedom; a knee has one.")
    free = reference_point_model(machine, "none").with_held_angles({THIGH: 0.0})
    bent = float(q[moving.model.column(THIGH)] - q[moving.model.column(SHANK)])
    place = {bent: assembled(_at(free, bent), 0.0, q)}
    wanted = lowest + step * np.arange(int(np.floor((highest - lowest) / step + 1e-9)) + 1)
    for side in (wanted[wanted >= bent], wanted[wanted < bent][::-1]):
        near, last = place[bent], bent
        for angle in side:
            try:
                for between in np.linspace(last, angle, max(2, int(np.ceil(abs(angle - last) / 0.05)) + 1))[1:]:
                    near = assembled(_at(free, float(between)), 0.0, near)
            except NotAssembled:
                break
            place[float(angle)], last = near, float(angle)
    if bent not in wanted:
        del place[bent]
    if len(place) < 2:
        raise BiomecError(f"{machine.name}: the links allow no flexion within the range that was asked for.")
    flexion = np.array(sorted(place))
    places = np.array([place[float(one)] for one in flexion])
    zero = np.zeros_like(places)
    T, s = len(flexion), len(moving.stops.names)
    history = History(
        np.arange(T, dtype=np.float64), places, zero, zero, np.zeros((T, moving.model.m)),
        moving.stops.gaps(places), np.zeros((T, s)), np.zeros((T, s)), zero,
    )  # fmt: skip
    leg = readouts(moving, history)
    model = moving.model
    lengths = {
        one.name: np.linalg.norm(model.position(places, one.first) - model.position(places, one.second), axis=-1)
        for one in machine.springs
    }
    return KneeGeometry(
        moving,
        read_only(places),
        read_only(flexion),
        leg,
        read_only(np.linalg.norm(leg.ankle - model.position(places, HIP), axis=-1)),
        read_only(history.gap),
        lengths,
        {name: -np.gradient(values, flexion, edge_order=2 if T > 2 else 1) for name, values in lengths.items()},
        len(wanted) == T,
    )


def _at(free: ReferencePointModel, angle: float) -> ReferencePointModel:
    return free.with_angle_driver(THIGH, Polynomial((angle,)), "flexion", SHANK)


# ------------------------------------------------------------------------------------------------------------ the study


@dataclass(frozen=True)
class DesignOptions:
    """Options of the study."""

    lowest_deg: float = option(-2.0, "Flexion to begin with; negative is beyond straight", "deg")
    highest_deg: float = option(90.0, "Flexion to end with", "deg")
    step_deg: float = option(0.5, "Step of flexion", "deg")
    time_limit_s: float = time_limit()


def refusal(machine: Machine) -> str | None:
    """Why a machine is not a knee."""
    if not machine.is_planar:
        return "it moves in space; knees are looked at in one plane."
    return leg_refusal(machine)


def run_design(machine: Machine, options: DesignOptions, progress: Progress | None = None) -> Run:
    """Answer the study: flexion rises by one step each hundredth of a second of the animation."""
    low, high, step = np.deg2rad([options.lowest_deg, options.highest_deg, options.step_deg])
    made = knee_geometry(machine, float(low), float(high), float(step))
    bent = np.rad2deg(made.flexion)
    on_thigh = 1e3 * made.leg.centre_on_thigh
    behind = 1e3 * made.leg.behind_load_line
    shorter = 1e3 * (np.interp(0.0, made.flexion, made.hip_ankle) - made.hip_ankle)
    curves = [
        curve("Knee", "flexion", "deg", bent),
        curve("Instant centre on the thigh", "forward", "mm", on_thigh[:, 0]),
        curve("Instant centre on the thigh", "up", "mm", on_thigh[:, 1]),
        curve("Stability", "instant centre behind the line from hip to ankle", "mm", behind),
        curve("Leg", "shorter than straight, hip to ankle", "mm", shorter),
        curve("Foot", "height of the toe", "m", made.leg.toe[:, 1]),
    ]
    curves += [curve("Gap of the stop", name, "mm", 1e3 * made.gap[:, k])
               for k, name in enumerate(made.moving.stops.names)]  # fmt: skip
    for name, length in made.lengths.items():
        curves.append(curve("Spring length", name, "mm", 1e3 * length))
        curves.append(curve("Lever arm of the spring", name, "mm", 1e3 * made.levers[name]))
    figures = {
        "flexion_lowest_deg": float(bent[0]),
        "flexion_highest_deg": float(bent[-1]),
        "centre_travel_mm": float(np.nansum(np.linalg.norm(np.diff(on_thigh, axis=0), axis=1))),
        "stable_margin_most_mm": float(np.nanmax(behind)),
    }
    if low <= 0.0 <= high:
        figures["centre_forward_straight_mm"] = float(np.interp(0.0, made.flexion, on_thigh[:, 0]))
        figures["centre_up_straight_mm"] = float(np.interp(0.0, made.flexion, on_thigh[:, 1]))
        figures["stable_margin_straight_mm"] = float(np.interp(0.0, made.flexion, behind))
    unstable = crossing(bent, behind)
    if unstable is not None:
        figures["stable_up_to_deg"] = unstable
    if made.moving.stops.names:
        met = crossing(-bent[::-1], made.gap[::-1, 0])
        if met is not None:
            figures["stop_met_at_deg"] = -met
    if progress is not None:
        progress(1.0)
    return Run(
        study="design",
        title="Geometry of the knee",
        machine=machine,
        options=options,
        time_s=0.01 * np.arange(len(bent), dtype=np.float64),
        over="Knee: flexion",
        curves=tuple(curves),
        figures=figures,
        poses=made.moving.model.poses(made.q),
        notices=() if made.reached else (
            f"The links allow flexion from {bent[0]:.1f} to {bent[-1]:.1f} deg only.",
        ),
    )  # fmt: skip


STUDY = Study(
    "design",
    "Geometry of the knee",
    "Instant centre, stability against the load line, leg length and lever arms over flexion; without dynamics.",
    DesignOptions,
    refusal,
    run_design,
)
