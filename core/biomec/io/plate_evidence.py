"""What plates themselves say about the sign of their forces and the unit of their points and moments.

A plate that pushes the subject downwards was written with the force of the subject on it. That is a doubt about the
sign, never a direction of the laboratory; only the user can say which of the two it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, info, problem, warning
from biomec.recording import LOADED_N, ForcePlate, Trial
from biomec.recording.plate import LABORATORY_M

MILLI = 1e-3
FROM_MARKERS_M = 5.0  # a loaded plate farther than this from every marker is not under the subject
NEAR_M = 10.0  # usual distance of a plate from the laboratory's origin
SPREAD_M = (0.001, 2.0)  # usual span of the centre of pressure on one plate: somebody who stands still, a treadmill
TWIST_M = 0.5  # free moment over force: friction under a foot allows 0.1 m
UNIT_BY_CONVENTION = ("MOT", "STO")  # tables without units: metres are what OpenSim expects, not what the file says


def sign_doubt(trial: Trial, reason: str, against: str) -> Notice:
    """Say that plates push the wrong way."""
    names = [plate.name for plate in trial.plates]
    words = (
        f"{reason[0].upper()}{reason[1:]}, but {against}: the forces of {', '.join(names)} are probably those of the "
        "subject on the plates, with the sign reversed. Nothing was changed and no contact will be found. Check the "
        "export, or let the sign of the plates be reversed at the import."
    )
    return problem("plate-sign-doubtful", words, *names)


def reversed_plates(trial: Trial) -> Trial:
    """Return the trial with the opposite wrench on every plate, for files that hold the force on the ground.

    By Newton's third law force and moment change their sign, and the centre of pressure stays where it is.
    """
    names = [plate.name for plate in trial.plates]
    words = f"The signs of force and moment of {', '.join(names)} were reversed, as the user asked."
    kept = tuple(notice for notice in trial.notices if notice.code != "plate-sign-doubtful")
    plates = tuple(replace(plate, force=-plate.force, moment=-plate.moment) for plate in trial.plates)
    said = (info("plates-reversed", words, *names),) if names else ()
    return replace(trial, plates=plates, notices=(*kept, *said))


@dataclass(frozen=True)
class _Load:
    """Where a plate is loaded: middle (3,) and span of the centre of pressure [m], and twist over force [m]."""

    middle: FloatArray
    span_m: float
    twist_m: float


def examine_plate_units(trial: Trial) -> tuple[Trial, tuple[Notice, ...]]:
    """Return the trial with plates in metres where millimetres are evident and metres were only assumed, and notices.

    A loaded centre of pressure over 50 m from the laboratory's origin, or over 5 m from all markers, is no metres.
    """
    plates, notices = [], []
    for plate in trial.plates:
        load = _load(plate)
        if load is None:
            plates.append(plate)
            continue
        twisted = load.twist_m > TWIST_M
        if not _beyond(trial, load.middle, LABORATORY_M, FROM_MARKERS_M):
            plates.append(plate)
            if twisted:
                notices.append(_about_twist(trial, plate, load))
            continue
        fits = not _beyond(trial, MILLI * load.middle, NEAR_M, FROM_MARKERS_M)
        fits = fits and SPREAD_M[0] < MILLI * load.span_m < SPREAD_M[1]
        where = f"{trial.source.name}: while plate {plate.name} is loaded, its force acts {_place(trial, load.middle)}"
        if fits and trial.source.format in UNIT_BY_CONVENTION:
            plates.append(_in_metres(plate, twisted))
            what = "points of application and free moments" if twisted else "points of application"
            words = f"{where}. The file states no unit; its {what} were taken to be in millimetres."
            notices.append(warning("plate-unit-by-evidence", words, plate.name))
        else:
            plates.append(plate)
            what = "Millimetres would fit: state the unit in the file, or convert it." if fits else "No unit fits."
            words = f"{where}, where nobody stands. {what} Nothing was changed; do not use this plate before."
            notices.append(problem("plate-unit-contradicted", words, plate.name))
    return replace(trial, plates=tuple(plates)), tuple(notices)


def _load(plate: ForcePlate) -> _Load | None:
    """Centre of pressure and twist by the size of the normal force, whatever its sign; None if it is never loaded."""
    loaded = np.abs(plate.vertical) > LOADED_N
    force, moment = plate.force[loaded], plate.moment[loaded]
    known = np.isfinite(force).all(axis=1) & np.isfinite(moment).all(axis=1)
    if known.sum() < 10:
        return None
    force, moment = force[known], moment[known]
    normal = (force @ plate.up)[:, None]
    arm = np.cross(plate.up, moment) / normal
    twist = np.abs((moment - np.cross(arm, force)) @ plate.up) / np.abs(normal[:, 0])
    low, high = np.percentile(arm, [5.0, 95.0], axis=0)
    return _Load(
        plate.origin + np.median(arm, axis=0), float(np.linalg.norm(high - low)), float(np.percentile(twist, 95.0))
    )


def _beyond(trial: Trial, point: FloatArray, from_origin: float, from_markers: float) -> bool:
    if float(np.linalg.norm(point)) > from_origin:
        return True
    away = _from_markers(trial, point)
    return away is not None and away > from_markers


def _from_markers(trial: Trial, point: FloatArray) -> float | None:
    """Distance of a point (3,) from the box around all marker positions [m]; None without any."""
    seen = trial.markers.p_WM[trial.markers.visible]
    if not len(seen):
        return None
    outside = np.maximum(np.maximum(seen.min(axis=0) - point, point - seen.max(axis=0)), 0.0)
    return float(np.linalg.norm(outside))


def _place(trial: Trial, point: FloatArray) -> str:
    away = _from_markers(trial, point)
    told = "" if away is None else f" and {away:.3g} m from the nearest markers"
    return f"{np.linalg.norm(point):.3g} m from the laboratory's origin{told}"


def _in_metres(plate: ForcePlate, moment_too: bool) -> ForcePlate:
    """Points from millimetres to metres; the free moment with them, or as it is.

    A moment about the origin is arm × force + twist along the normal, and only the arm is a length for certain.
    """
    turning = MILLI * plate.moment
    if not moment_too:
        arm = np.cross(plate.up, plate.moment)  # times the normal force
        with np.errstate(divide="ignore", invalid="ignore"):
            arm = np.where(plate.vertical[:, None] != 0.0, arm / plate.vertical[:, None], 0.0)
        twist = ((plate.moment - np.cross(arm, plate.force)) @ plate.up)[:, None] * plate.up
        turning = MILLI * (plate.moment - twist) + twist
    corners = None if plate.corners is None else MILLI * plate.corners
    return replace(plate, moment=turning, origin=MILLI * plate.origin, corners=corners)


def _about_twist(trial: Trial, plate: ForcePlate, load: _Load) -> Notice:
    words = (
        f"{trial.source.name}: the free moment of plate {plate.name} is {load.twist_m:.3g} N m for every newton it "
        "carries; friction under a foot allows 0.1. Check whether the file has N mm. Nothing was changed."
    )
    return problem("free-moment-implausible", words, plate.name)
