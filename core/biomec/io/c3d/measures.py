"""Measures of the subject as Vicon's programs keep them in C3D: group PROCESSING, lengths in mm, angles by program."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.io.c3d.angle_units import FACTOR, Trajectories, angle_unit, marker_diameter
from biomec.io.c3d.parameters import Parameters, as_written
from biomec.recording import Subject
from biomec.recording.trial import is_angle

GROUP = "PROCESSING"
MM = 1e3  # millimetres in a metre
METRES_BELOW = 3.0  # no measure of a person is under 3 mm or over 3 m, so that the size tells the unit
DIAMETERS_MM = (3.0, 40.0)  # of markers
_SIDES = {"D": "R", "E": "L"}
_BOTH_SIDES: Mapping[str, tuple[str, ...]] = {
    "leg_length": ("LegLength",),
    "knee_width": ("KneeWidth",),
    "ankle_width": ("AnkleWidth",),
    "asis_trochanter": ("AsisTrocanterDistance", "AsisTrochanterDistance"),
    "shoulder_offset": ("ShoulderOffset",),
    "elbow_width": ("ElbowWidth",),
    "wrist_width": ("WristWidth",),
    "hand_thickness": ("HandThickness",),
    "thigh_rotation": ("ThighRotation",),
    "shank_rotation": ("ShankRotation",),  # TibiaRotation belongs to a foot model
    "tibial_torsion": ("TibialTorsion",),
    "ankle_abduction": ("AnkleAbAdd",),
    "foot_plantar_flexion": ("StaticPlantFlex",),
    "foot_rotation": ("StaticRotOff",),
}
VICON_NAMES: Mapping[str, tuple[str, ...]] = {
    f"{key}_{side}": tuple(letter + name for name in names)
    for key, names in _BOTH_SIDES.items()
    for side, letter in _SIDES.items()
} | {
    "asis_distance": ("InterAsisDistance",),
    "marker_diameter": ("MarkerDiameter", "Marker Diameter"),
    "head_offset": ("HeadOffset",),
}
"""Measure -> names in the file; the first one is written."""


def read_measures(
    file: str, parameters: Parameters, index: int, seen: Trajectories | None = None
) -> tuple[dict[str, float], tuple[Notice, ...]]:
    """Measures [m, rad] of the ``index``-th subject; impossible ones are left out with a notice.

    Zero is what programs write before anybody measured, and the same as no measure for an angle. ``seen`` are the
    markers and stored segments of the file [mm]: they help to tell radians from degrees, and give the diameter of the
    markers where the file does not state it.
    """
    written = _written(parameters, index)
    angles = {key: value for key, (value, _) in written.items() if is_angle(key)}
    decided = angle_unit(angles, parameters, seen or {})
    found: dict[str, float] = {}
    notices: list[Notice] = []
    if angles and decided.unit is None:
        names = ", ".join(f"{name} {value:g}" for key, (value, name) in written.items() if is_angle(key))
        words = (
            f"{file}: the angles of the subject ({names}) make sense neither in radians nor in degrees: {decided.why}. "
            "They are ignored; enter them with the subject's measures."
        )
        notices.append(warning("c3d-angles-implausible", words, *angles))
    elif angles and decided.unit != decided.stated:
        words = (
            f"{file}: the angles of the subject are read in {decided.unit}, although {decided.stated} would be "
            f"expected: {decided.why}. Check them with the subject's measures."
        )
        notices.append(warning("c3d-angle-unit", words, *angles))
    for key, (value, name) in written.items():
        if is_angle(key) and decided.unit is None:
            continue
        factor = FACTOR[decided.unit] if is_angle(key) and decided.unit else _metres(value)
        try:
            Subject(measures={key: factor * value})
            found[key] = factor * value
        except BiomecError:
            notices.append(
                warning("c3d-subject", f"{file}: {name} of the subject, {value:g}, is impossible; ignored.", key)
            )
    notices += _diameter(file, found, seen or {})
    return found, tuple(notices)


def _written(parameters: Parameters, index: int) -> dict[str, tuple[float, str]]:
    """Measure -> number that the file holds, and its name there."""
    found = {}
    for key, names in VICON_NAMES.items():
        for name in names:
            numbers = parameters.numbers(GROUP, name)
            if not len(numbers):
                continue
            value = as_written(float(numbers[index] if index < len(numbers) else numbers[0]))
            if np.isfinite(value) and value != 0.0:
                found[key] = value, name
                break
    return found


def _metres(value: float) -> float:
    return 1.0 if abs(value) < METRES_BELOW else 1.0 / MM


def _diameter(file: str, found: dict[str, float], seen: Trajectories) -> list[Notice]:
    """Add the diameter of the markers if only the stored segments tell it."""
    widths = {letter: MM * found[key] for key, letter in (("knee_width_D", "R"), ("knee_width_E", "L")) if key in found}
    diameter = None if "marker_diameter" in found else marker_diameter(seen, widths)
    if diameter is None or not DIAMETERS_MM[0] < diameter < DIAMETERS_MM[1]:
        return []
    found["marker_diameter"] = round(diameter, 2) / MM
    words = (
        f"{file} does not state the diameter of the markers; {diameter:.1f} mm follows from the stored knee centres."
    )
    return [info("c3d-marker-diameter", words, "marker_diameter")]


def written_measures(subject: Subject) -> dict[tuple[str, str], FloatArray]:
    """Group and name -> value in the units of the file."""
    return {
        (GROUP, VICON_NAMES[key][0]): np.array([value if is_angle(key) else MM * value])
        for key, value in subject.measures.items()
    }
