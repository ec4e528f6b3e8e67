"""What is known of a person: entered measures, and those that a static pose can give."""

from __future__ import annotations

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, Scope, info, warning
from biomec.body.anatomy.centres.method import MARKER_DIAMETER
from biomec.body.anatomy.frames import Points
from biomec.recording import Subject

BODY_MASS_INDEX = 22.0  # kg/m², taken where nobody has said the mass
PLAUSIBLE_INDEX = (8.0, 100.0)  # kg/m²; outside it the mass or the height is a slip
SUSPECT_INDEX = (13.0, 55.0)


def known_measures(subject: Subject, static: Points) -> tuple[dict[str, float | str], list[Notice]]:
    """Measures of a person by name, and what had to be assumed; ``static`` landmarks are (3,) [m], Y up.

    ``sex``, ``mass`` [kg] and ``height`` [m] are always there; so are leg lengths if the landmarks allow it.
    """
    notices: list[Notice] = []
    height = subject.height_m
    if height is None:
        height = _height_of(static)
        notices.append(
            warning(
                "height-assumed",
                f"The height of the subject is not known; {height:.2f} m was taken from the markers of the static "
                "pose. Enter the height.",
            )
        )
    mass = subject.mass_kg
    if mass is None:
        mass = BODY_MASS_INDEX * height**2
        notices.append(
            warning(
                "mass-assumed",
                f"The mass of the subject is not known; {mass:.0f} kg is assumed, which would be usual for the height. "
                "Angles do not depend on it; enter the mass before you use forces.",
                scope=Scope.JOINTS,
            )
        )
    index = mass / height**2
    if not PLAUSIBLE_INDEX[0] <= index <= PLAUSIBLE_INDEX[1]:
        raise BiomecError(
            f"A mass of {mass:g} kg does not go with a height of {height:g} m (body mass index {index:.0f}). Check "
            f"both and their units (kg, m)."
        )
    if not SUSPECT_INDEX[0] <= index <= SUSPECT_INDEX[1]:
        notices.append(
            warning("mass-unusual", f"A mass of {mass:g} kg at a height of {height:g} m is unusual; check both.")
        )
    sex = subject.sex
    if sex is None:
        sex = "male"
        notices.append(
            warning(
                "sex-assumed",
                "The sex of the subject is not known; joint centres and masses were taken from the tables for men. "
                "Enter it.",
                scope=Scope.ASIDE,
            )
        )
    found: dict[str, float | str] = {"marker_diameter": MARKER_DIAMETER, **subject.measures}
    found |= {"sex": sex, "mass": mass, "height": height}
    for side in "DE":
        key = f"leg_length_{side}"
        length = _leg_length(static, side)
        if key not in found and length is not None:
            found[key] = length
            notices.append(info("leg-length-measured", f"{key} was measured on the static pose: {length:.3f} m.", key))
    return found, notices


def _height_of(static: Points) -> float:
    """Vertical extent of all markers; an adult's height if there are too few for that."""
    heights = np.array([point[1] for point in static.values() if np.isfinite(point).all()])
    extent = float(np.ptp(heights)) if heights.size else 0.0
    head = any(name in static for name in ("VC", "GLAB", "AuxC_D", "RFHD", "Top.Head", "HV"))
    return extent + 0.02 if head and 0.8 < extent < 2.5 else 1.70


def _leg_length(static: Points, side: str) -> float | None:
    """From the anterior iliac spine to the medial malleolus, or by way of the lateral landmarks of knee and ankle."""
    spine = static.get(f"CIAS_{side}")
    if spine is None:
        return None
    if f"MM_{side}" in static:
        return float(np.linalg.norm(spine - static[f"MM_{side}"]))
    if f"CLAT_{side}" in static and f"ML_{side}" in static:
        knee = static[f"CLAT_{side}"]
        return float(np.linalg.norm(spine - knee) + np.linalg.norm(knee - static[f"ML_{side}"]))
    return None
