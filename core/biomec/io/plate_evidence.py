"""What plates themselves say about their sign, upper side, corners and the unit of their points and moments.

A table of plates that push the subject downwards holds the force of the subject on them: a doubt about the sign, which
only the user can settle. A plate with corners has two readings: its upper side is the one on which the body is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.notices import Notice, info, problem, warning
from biomec.recording import LOADED_N, ForcePlate, Trial
from biomec.recording.plate import LABORATORY_M

MILLI = 1e-3
FROM_MARKERS_M = 5.0  # a loaded plate farther than this from every marker is not under the subject
NEAR_M = 10.0  # usual distance of a plate from the laboratory's origin
SPREAD_M = (0.001, 2.0)  # usual span of the centre of pressure on one plate: somebody who stands still, a treadmill
TWIST_M = 0.5  # free moment over force: friction under a foot allows 0.1 m
LOW_M = (-0.05, 0.15)  # heights above a plate at which a marker is one of a hand or foot on it
MISSED_M = 0.15  # the ground's force passes the mean of the markers at less: 2 to 9 cm in real standing and walking
STOOD_N = 100.0  # from here on the place of a force is certain
LOOKED_AT = 300  # frames
OF_ONE_READING = ("c3d-force-reversed", "c3d-origin-sign")  # notices about the side that was up before
UNIT_BY_CONVENTION = ("MOT", "STO")  # tables without units: metres are what OpenSim expects, not what the file says


def sign_doubt(trial: Trial, reason: str, against: str) -> Notice:
    """Say that plates push the wrong way."""
    names = [plate.name for plate in trial.plates]
    words = (
        f"{reason[0].upper()}{reason[1:]}, but {against}: the forces of {', '.join(names)} are probably those of the "
        "subject on the plates, with the sign reversed. Nothing was changed and no contact will be found. Check the "
        "export, or let the sign of the plates be reversed at the import (--reverse-plates)."
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


def turned_over(trial: Trial) -> Trial:
    """Return the trial with plates whose upper side would face down read the other way round, and a notice.

    Turning over changes the sign of force and moment, so that the plate pushes up, and of the way o from the sensors to
    the surface: the moment there, which was M = Mₛ + F × o, is first replaced by Mₛ − F × o = M − 2 F × o.
    """
    plates, names, kept = [], [], list(trial.notices)
    for plate in trial.plates:
        if plate.corners is None or float(plate.up @ trial.axes.up_vector) > -0.5:
            plates.append(plate)
            continue
        over, moment = None if plate.to_surface is None else -plate.to_surface, plate.moment
        if over is not None:
            moment = moment + 2.0 * np.cross(plate.force, over)
        plates.append(replace(plate, force=-plate.force, moment=-moment, up=-plate.up, to_surface=over))
        kept = [notice for notice in kept if plate.name not in notice.about or notice.code not in OF_ONE_READING]
        names.append(plate.name)
    if not names:
        return trial
    sentence = (
        f"{trial.source.name}: by the order of their corners {', '.join(names)} would face down; they were read with "
        f"the upper side facing {trial.axes.up}."
    )
    return replace(trial, plates=tuple(plates), notices=(*kept, info("plate-turned-over", sentence, *names)))


def examine_corners(trial: Trial) -> tuple[Trial, tuple[Notice, ...]]:
    """Return the trial with plates whose corners are listed in a wrong order read in the right one, and a notice.

    The force of the ground passes near the body's centre, or the body would tumble: dH/dt = (p − c) × F. Wrongly listed
    corners turn or mirror force and place, and the line of action misses the centre by more. Another order is believed
    only where the stored one misses by more than 15 cm, one other misses by less than that and by a quarter less than
    the stored one and clearly less than all the rest, and puts the forces no farther from hands and feet. One
    system lists all its plates alike, so that all are read alike.
    """
    plates = [plate for plate in trial.plates if plate.corners is not None and plate.type > 1]
    frames = _loaded_frames(trial, plates)
    if len(plates) != len(trial.plates) or len(frames) < 10 or len({_listed_upwards(plate) for plate in plates}) != 1:
        return trial, ()
    stored = _miss(trial, plates, frames)
    if not stored > MISSED_M:
        return trial, ()
    readings = [_readings(plate) for plate in plates]
    others = []
    for k, (words, _) in enumerate(readings[0]):
        read_so = [found[k][1] for found in readings]
        others.append((_miss(trial, read_so, frames), words, read_so))
    others.sort(key=lambda found: found[0])
    (best, words, chosen), second = others[0], others[1][0]
    if best > min(MISSED_M, 0.75 * stored) or second < 1.2 * best:
        return trial, ()
    if _from_limbs(trial, chosen, frames) > _from_limbs(trial, plates, frames) + 0.02:
        return trial, ()
    sentence = (
        f"{trial.source.name}: with the corners of the plates as the file lists them, the ground's force misses the "
        f"body's centre by {100 * stored:.0f} cm; {words}, by {100 * best:.0f} cm, and they were read so. Check the "
        "corners in the capture system."
    )
    said = warning("plate-corners-doubtful", sentence, *(plate.name for plate in plates))
    return replace(trial, plates=tuple(chosen)), (said,)


def _loaded_frames(trial: Trial, plates: Sequence[ForcePlate]) -> IntArray:
    """Some frames in which a plate is loaded and markers are seen."""
    loaded = np.zeros(trial.frames, dtype=np.bool_)
    for plate in plates:
        loaded |= _at_frames(trial, plate)[0] @ plate.up > STOOD_N
    frames = np.flatnonzero(loaded & (trial.markers.visible.sum(axis=1) >= 6)) if trial.markers.names else np.zeros(0)
    return np.asarray(frames[:: max(1, len(frames) // LOOKED_AT)], dtype=np.int64)


def _at_frames(trial: Trial, plate: ForcePlate) -> tuple[FloatArray, FloatArray]:
    """Force and moment about the origin of a plate (T, 3) at the nearest samples; zero outside the recording."""
    sample = np.round((np.arange(trial.frames) / trial.rate_hz - plate.start_s) * plate.rate_hz).astype(np.int64)
    known = ((sample >= 0) & (sample < plate.samples))[:, None]
    sample = np.clip(sample, 0, max(plate.samples - 1, 0))
    if not plate.samples:
        return np.zeros((trial.frames, 3)), np.zeros((trial.frames, 3))
    return np.where(known, plate.force[sample], 0.0), np.where(known, plate.moment[sample], 0.0)


def _miss(trial: Trial, plates: Sequence[ForcePlate], frames: IntArray) -> float:
    """RMS distance by which the line of action of all plates together misses the mean of the markers [m]."""
    centre = np.nanmean(trial.markers.p_WM[frames], axis=1)
    force, moment = np.zeros((2, len(frames), 3))
    for plate in plates:
        pushed, turned = (vectors[frames] for vectors in _at_frames(trial, plate))
        force = force + pushed
        moment = moment + turned + np.cross(plate.origin - centre, pushed)
    up = plates[0].up
    level = moment - (moment @ up)[:, None] * up
    miss = np.linalg.norm(level, axis=1) / np.abs(force @ up)
    return float(np.sqrt(np.mean(np.minimum(miss, 2.0) ** 2)))


def _from_limbs(trial: Trial, plates: Sequence[ForcePlate], frames: IntArray) -> float:
    """RMS distance of centres of pressure from the nearest marker of a hand or foot on the plate [m]; 0 if unknown."""
    found = [np.zeros(0)]
    for plate in plates:
        force, moment = (vectors[frames] for vectors in _at_frames(trial, plate))
        stood = np.flatnonzero(force @ plate.up > STOOD_N)
        point = replace(plate, force=force[stood], moment=moment[stood]).centre_of_pressure()
        markers = trial.markers.p_WM[frames[stood]]
        height = (markers - plate.origin) @ plate.up
        low = (height > LOW_M[0]) & (height < LOW_M[1])  # NaN is not
        apart = point[:, None] - markers
        apart = apart - (apart @ plate.up)[..., None] * plate.up
        found.append(np.where(low, np.linalg.norm(apart, axis=2), np.inf).min(axis=1, initial=np.inf))
    every = np.concatenate(found)
    every = every[np.isfinite(every)]
    return float(np.sqrt(np.mean(every**2))) if len(every) else 0.0


def _listed_upwards(plate: ForcePlate) -> bool:
    """True if the order of the corners makes z point up, where the rule has it point into the ground."""
    assert plate.corners is not None
    x = plate.corners[0] + plate.corners[3] - plate.corners[1] - plate.corners[2]
    y = plate.corners[0] + plate.corners[1] - plate.corners[2] - plate.corners[3]
    return float(np.cross(x, y) @ plate.up) > 0.0


def _readings(plate: ForcePlate) -> list[tuple[str, ForcePlate]]:
    """The plate with its corners listed in every other order that leaves the same side up, and how.

    Listed from another corner, the plate's axes turn about its normal: F' = S F, M' = S M. Listed the other way round,
    which only a plate that was turned over can be, they turn by 180° about an axis in the surface (Q), and S = −Q.
    """
    assert plate.corners is not None
    x = plate.corners[0] + plate.corners[3] - plate.corners[1] - plate.corners[2]
    x = x / np.linalg.norm(x)
    B = np.stack([x, np.cross(plate.up, x), plate.up], axis=1)
    maps = {
        "listed from the opposite corner": [[-1, 0, 0], [0, -1, 0], [0, 0, 1]],
        "listed from the next corner": [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
        "listed from the corner before": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
    }
    if _listed_upwards(plate):
        way = "listed the other way round,"
        maps |= {
            f"{way} from the next corner along x": [[1, 0, 0], [0, -1, 0], [0, 0, 1]],
            f"{way} from the next corner along y": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]],
            f"{way} from the same corner": [[0, -1, 0], [-1, 0, 0], [0, 0, 1]],
            f"{way} from the opposite corner": [[0, 1, 0], [1, 0, 0], [0, 0, 1]],
        }
    to_surface = np.zeros(3) if plate.to_surface is None else plate.to_surface
    at_sensors = plate.moment - np.cross(plate.force, to_surface)
    found = []
    for words, map_ in maps.items():
        S = B @ np.array(map_, dtype=np.float64) @ B.T
        force = plate.force @ S.T
        found.append((words, replace(plate, force=force, moment=at_sensors @ S.T + np.cross(force, to_surface))))
    return found


@dataclass(frozen=True)
class _Load:
    """Where a plate is loaded: middle (3,) and span of the centre of pressure [m], and twist over force [m]."""

    middle: FloatArray
    span_m: float
    twist_m: float


def examine_plate_units(trial: Trial) -> tuple[Trial, tuple[Notice, ...]]:
    """Return the trial with plates in metres where millimetres are evident and metres were only assumed, and notices.

    A loaded centre of pressure over 50 m from the laboratory's origin, or over 5 m from all markers, is not in metres.
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
    from_markers = "" if away is None else f" and {away:.3g} m from the nearest markers"
    return f"{np.linalg.norm(point):.3g} m from the laboratory's origin{from_markers}"


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
    corners, to_surface = (None if part is None else MILLI * part for part in (plate.corners, plate.to_surface))
    return replace(plate, moment=turning, origin=MILLI * plate.origin, corners=corners, to_surface=to_surface)


def _about_twist(trial: Trial, plate: ForcePlate, load: _Load) -> Notice:
    words = (
        f"{trial.source.name}: the free moment of plate {plate.name} is {load.twist_m:.3g} N m for every newton it "
        "carries; friction under a foot allows 0.1. Check whether the file has N mm. Nothing was changed."
    )
    return problem("free-moment-implausible", words, plate.name)
