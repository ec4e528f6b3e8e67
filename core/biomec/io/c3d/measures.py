"""Measures of the subject as Vicon's programs keep them in C3D: group PROCESSING, lengths in mm, angles in rad."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, warning
from biomec.io.c3d.parameters import Parameters, as_written
from biomec.recording import Subject

GROUP = "PROCESSING"
MM = 1e3  # millimetres in a metre
METRES_BELOW = 3.0  # no measure of a person is under 3 mm or over 3 m, so that the size tells the unit
RADIANS_BELOW = 1.5  # no bone is turned by 86°, and nobody writes down 1.5°
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
    "shank_rotation": ("ShankRotation", "TibiaRotation"),
    "tibial_torsion": ("TibialTorsion",),
}
VICON_NAMES: Mapping[str, tuple[str, ...]] = {
    f"{key}_{side}": tuple(letter + name for name in names)
    for key, names in _BOTH_SIDES.items()
    for side, letter in _SIDES.items()
} | {"asis_distance": ("InterAsisDistance",), "marker_diameter": ("MarkerDiameter",)}
"""Measure -> names in the file; the first one is written."""


def read_measures(file: str, parameters: Parameters, index: int) -> tuple[dict[str, float], tuple[Notice, ...]]:
    """Measures [m, rad] of the ``index``-th subject; impossible ones are left out with a notice.

    Zero is what programs write before anybody measured, and the same as no measure for an angle.
    """
    found: dict[str, float] = {}
    notices: list[Notice] = []
    for key, names in VICON_NAMES.items():
        for name in names:
            numbers = parameters.numbers(GROUP, name)
            if not len(numbers):
                continue
            written = as_written(float(numbers[index] if index < len(numbers) else numbers[0]))
            if not np.isfinite(written) or written == 0.0:
                continue
            value = _in_si(key, written)
            try:
                Subject(measures={key: value})
                found[key] = value
            except BiomecError:
                notices.append(
                    warning("c3d-subject", f"{file}: {name} of the subject, {written:g}, is impossible; ignored.", key)
                )
            break
    return found, tuple(notices)


def written_measures(subject: Subject) -> dict[tuple[str, str], FloatArray]:
    """Group and name -> value in the units of the file."""
    return {
        (GROUP, VICON_NAMES[key][0]): np.array([value if _is_angle(key) else MM * value])
        for key, value in subject.measures.items()
    }


def _in_si(key: str, written: float) -> float:
    if _is_angle(key):
        return written if abs(written) < RADIANS_BELOW else float(np.radians(written))
    return written if abs(written) < METRES_BELOW else written / MM


def _is_angle(key: str) -> bool:
    return "rotation" in key or "torsion" in key
