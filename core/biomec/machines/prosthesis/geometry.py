"""The geometry of a knee over its flexion, without dynamics: instant centre, stability, leg length, lever arms.

The thigh is held; flexion is prescribed and swept, as far as the links allow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.machines.laws import Polynomial
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.history import History
from biomec.machines.prosthesis.readouts import HIP, SHANK, THIGH, Readouts, readouts
from biomec.machines.prosthesis.reduced import Reduced, reduced_motion
from biomec.machines.reference_points import NotAssembled, ReferencePointModel, assembled, reference_point_model


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
