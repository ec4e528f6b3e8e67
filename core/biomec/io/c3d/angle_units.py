"""Whether the angles among a subject's measures are in radians or degrees: one decision for the whole group.

Evidence, in its order: limits that no person passes; segments of Plug-in Gait that the file stores as points, from
which the angles follow; the sticks on thigh and shank, which must leave the axes of knees and ankles roughly across the
body; the program that wrote the file; the size of the angles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.io.c3d.parameters import Parameters
from biomec.recording.trial import MEASURES

RADIANS, DEGREES = "radians", "degrees"
FACTOR = {RADIANS: 1.0, DEGREES: float(np.pi / 180.0)}
OF_PROGRAM = {"nexus": RADIANS, "biomec": RADIANS, "workstation": DEGREES}
OLD_KEYS = ("Marker Diameter", "Left Foot Flat", "Right Foot Flat")  # with blanks: Vicon Workstation
LARGEST_FLEXION_RAD = 1.0  # of a static plantar flexion offset; nobody stands on a foot turned by 57°
AGREES_RAD = 0.1  # with stored segments; less than what the other unit would differ by
ACROSS_RAD = np.radians(60.0)  # between the axis of a joint and the line across the pelvis
MATTERS_RAD = np.radians(20.0)  # a rotation below this is not what puts the axis of a joint there
STICKS = {"thigh_rotation": ("THI", "KNE"), "shank_rotation": ("TIB", "ANK")}
Trajectories = Mapping[str, FloatArray]
"""Label -> (T, 3), any length unit, any laboratory axes."""


@dataclass(frozen=True)
class AngleUnit:
    """unit: what the angles are in, None if neither makes sense; stated: what program or size say; why: in words."""

    unit: str | None
    stated: str
    why: str


def angle_unit(written: Mapping[str, float], parameters: Parameters, seen: Trajectories) -> AngleUnit:
    """Unit of the angles ``written`` (measure -> number in the file); ``seen`` are markers and stored segments."""
    stated, by = _stated(written, parameters)
    fits = [unit for unit in FACTOR if _possible(written, unit)]
    if not fits:
        return AngleUnit(None, stated, "no person has such angles in either unit")
    for evidence, words in (
        (_by_segments(written, seen), "the segments stored in the file need it"),
        (_by_sticks(written, seen), "the axes of the joints would not lie across the body otherwise"),
    ):
        if evidence is not None:
            fits = [unit for unit in fits if unit in evidence]
            if not fits:
                return AngleUnit(None, stated, "they would leave the axes of the joints along the body in either unit")
            if stated not in fits:
                return AngleUnit(fits[0], stated, words)
    if stated not in fits:
        return AngleUnit(fits[0], stated, "no person has such angles otherwise")
    return AngleUnit(stated, stated, by)


def _stated(written: Mapping[str, float], parameters: Parameters) -> tuple[str, str]:
    """What the program that wrote the file uses; else what the size of the angles suggests."""
    software = parameters.text("MANUFACTURER", "SOFTWARE")
    for word, unit in OF_PROGRAM.items():
        if word in software.lower():
            return unit, f"{software} writes {unit}"
    if any(parameters.get("PROCESSING", key) is not None for key in OLD_KEYS):
        return DEGREES, "Vicon Workstation writes degrees"
    flexions = [abs(value) for key, value in written.items() if key.startswith("foot_plantar_flexion")]
    large = max(map(abs, written.values()), default=0.0) > np.pi or max(flexions, default=0.0) > LARGEST_FLEXION_RAD
    return (DEGREES if large else RADIANS), "so the size of the angles suggests"


def _possible(written: Mapping[str, float], unit: str) -> bool:
    return all(abs(FACTOR[unit] * value) < MEASURES[key] for key, value in written.items())


# ------------------------------------------------------------------------------------------------- stored segments
def _by_segments(written: Mapping[str, float], seen: Trajectories) -> tuple[str, ...] | None:
    """Units in which the angles are those of the stored segments; None if these do not decide.

    Stored angles may be older than the segments, so that a unit is only ruled out if the other one fits better.
    """
    measured = stored_angles(seen)
    shared = [key for key in written if key in measured]
    if not shared:
        return None
    errors = {
        unit: float(np.mean([abs(_wrapped(factor * written[key] - measured[key])) for key in shared]))
        for unit, factor in FACTOR.items()
    }
    best = min(errors, key=lambda unit: errors[unit])
    other = max(errors.values())
    return (best,) if errors[best] < AGREES_RAD and other > AGREES_RAD / 2 and other > 3.0 * errors[best] else None


def stored_angles(seen: Trajectories) -> dict[str, float]:
    """Measure -> angle [rad] that the segments FE, TI and FO of Plug-in Gait show, as far as they are stored.

    Rotations are −azimuth of the sticks about the long axis, from the marker of the joint towards forward; offsets of
    the foot turn the line from ankle centre to toe into the foot.
    """
    found = {}
    for side, letter, sign in (("D", "R", 1.0), ("E", "L", -1.0)):
        thigh, shank, foot = (_axes(seen, letter + name) for name in ("FE", "TI", "FO"))
        for key, frame, origin in (("thigh_rotation", thigh, "FEO"), ("shank_rotation", shank, "TIO")):
            stick, marker = (seen.get(letter + name) for name in STICKS[key])
            if frame is not None and stick is not None and marker is not None:
                start = seen[letter + origin]
                turn = _azimuth(frame, stick - start, sign) - _azimuth(frame, marker - start, sign)
                found[f"{key}_{side}"] = -_mean_angle(turn)
        toe = seen.get(f"{letter}TOE")
        if shank is not None and foot is not None and toe is not None:
            X = _unit(toe - seen[f"{letter}TIO"])
            Y = _unit(np.cross(shank[2], X))
            forward = foot[1]  # Vicon's foot: x dorsal, z towards the heel, so that "up" of its axes is forward
            along = [np.sum(forward * axis, axis=1) for axis in (X, Y, np.cross(X, Y))]
            found[f"foot_plantar_flexion_{side}"] = _mean_angle(np.arctan2(along[1], along[0]))
            found[f"foot_rotation_{side}"] = -sign * _mean_angle(np.arcsin(np.clip(along[2], -1.0, 1.0)))
    return {key: value for key, value in found.items() if np.isfinite(value)}


def marker_diameter(seen: Trajectories, knee_width: Mapping[str, float]) -> float | None:
    """Diameter of the markers by the stored segments: 2‖KNE − knee centre‖ − knee width, in the unit of both.

    knee_width : letter of the side, "L" or "R" -> width
    """
    found = []
    for letter, width in knee_width.items():
        centre, marker = seen.get(f"{letter}FEO"), seen.get(f"{letter}KNE")
        if centre is not None and marker is not None:
            distance = np.linalg.norm(marker - centre, axis=1)
            found += [2.0 * float(np.median(distance[np.isfinite(distance)])) - width] if _any(distance) else []
    return float(np.mean(found)) if found else None


def _axes(seen: Trajectories, segment: str) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """First, third and reversed second axis of a stored segment: forward, up and right of thigh and shank; of a foot
    its back, its front and its right.
    """
    ends = [seen.get(segment + end) for end in "OAPL"]
    if any(end is None for end in ends):
        return None
    origin, first, third, second = (np.asarray(end) for end in ends)
    turned = -1.0 if segment.endswith("FO") else 1.0
    return _unit(first - origin), turned * _unit(third - origin), -_unit(second - origin)


# ------------------------------------------------------------------------------------------------------------- sticks
def _by_sticks(written: Mapping[str, float], seen: Trajectories) -> tuple[str, ...] | None:
    """Units in which the sticks leave the knees across the pelvis; None if that decides nothing.

    The stick is turned from the marker of the knee by −rotation about the thigh, so that azimuth of the stick from the
    line across the pelvis plus rotation is the direction of the knee's axis.
    """
    pelvis = _pelvis(seen)
    if pelvis is None:
        return None
    forward, up, right, front, width = pelvis
    across: dict[str, list[bool]] = {unit: [] for unit in FACTOR}
    harmless: dict[str, list[bool]] = {unit: [] for unit in FACTOR}
    for side, letter, sign in (("D", "R", 1.0), ("E", "L", -1.0)):
        key = f"thigh_rotation_{side}"
        stick, marker = (seen.get(letter + name) for name in STICKS["thigh_rotation"])
        if key not in written or stick is None or marker is None:
            continue
        hip = front + width * (-0.19 * forward - 0.30 * up + 0.36 * sign * right)  # roughly, in widths of the pelvis
        knee = marker - 0.2 * width * sign * right
        Y = _unit(hip - knee)
        Z = _unit(right - np.sum(right * Y, axis=1, keepdims=True) * Y)
        frame = (np.cross(Y, Z), Y, Z)
        azimuth = _mean_angle(_azimuth(frame, stick - knee, sign))
        for unit, factor in FACTOR.items():
            turned = factor * written[key]
            across[unit].append(abs(_wrapped(azimuth + turned)) < ACROSS_RAD)
            harmless[unit].append(across[unit][-1] or abs(turned) < MATTERS_RAD)
    if not across[RADIANS]:
        return None
    fits = tuple(unit for unit, each in across.items() if all(each))
    return fits or tuple(unit for unit, each in harmless.items() if all(each))


def _pelvis(seen: Trajectories) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray] | None:
    """Forward, up, right (T, 3), middle of the anterior spines (T, 3) and their distance (T, 1)."""
    if "RASI" not in seen or "LASI" not in seen:
        return None
    back = seen.get("SACR")
    if back is None and "RPSI" in seen and "LPSI" in seen:
        back = 0.5 * (seen["RPSI"] + seen["LPSI"])
    if back is None:
        return None
    across = seen["RASI"] - seen["LASI"]
    right = _unit(across)
    up = _unit(np.cross(seen["RASI"] - back, seen["LASI"] - back))
    front = 0.5 * (seen["RASI"] + seen["LASI"])
    return np.cross(up, right), up, right, front, np.linalg.norm(across, axis=1, keepdims=True)


def _azimuth(frame: tuple[FloatArray, FloatArray, FloatArray], vector: FloatArray, sign: float) -> FloatArray:
    """Angle (T,) about the second axis, from lateral towards forward."""
    return np.asarray(np.arctan2(np.sum(vector * frame[0], axis=1), sign * np.sum(vector * frame[2], axis=1)))


def _mean_angle(angles: FloatArray) -> float:
    seen = angles[np.isfinite(angles)]
    return float(np.arctan2(np.sin(seen).mean(), np.cos(seen).mean())) if seen.size else float("nan")


def _any(values: FloatArray) -> bool:
    return bool(np.isfinite(values).any())


def _wrapped(angle: float) -> float:
    return float(np.arctan2(np.sin(angle), np.cos(angle)))


def _unit(vector: FloatArray) -> FloatArray:
    length = np.linalg.norm(vector, axis=1, keepdims=True)
    return np.asarray(np.divide(vector, length, out=np.full_like(vector, np.nan), where=length > 0.0))
