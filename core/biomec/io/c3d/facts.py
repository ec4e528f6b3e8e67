"""What a C3D file says about units, axes and the subject."""

from __future__ import annotations

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.io.c3d.measures import read_measures
from biomec.io.c3d.parameters import Parameters, as_written
from biomec.io.units import PER_METRE, plain_unit
from biomec.recording import Authority, LabAxes, Subject
from biomec.recording.axes import DIRECTIONS


def read_length_unit(parameters: Parameters) -> float | None:
    """Metres in one length unit of the file, or None where it does not say."""
    per_metre = PER_METRE.get(plain_unit(parameters.text("POINT", "UNITS")))
    return None if per_metre is None else 1.0 / per_metre


def read_axes(file: str, parameters: Parameters, floor: str | None) -> tuple[LabAxes, tuple[Notice, ...]]:
    """Axes by POINT:Y_SCREEN (up) and X_SCREEN (across the screen, taken as forward).

    Without these, ``floor``, the axis that the plates are square to, is evidence of what is up; else Z is assumed.
    """
    across, up = (_direction(parameters.text("POINT", name)) for name in ("X_SCREEN", "Y_SCREEN"))
    if up is None and floor in ("y", "z"):
        sentence = (
            f"{file} does not say how its axes point; {floor.upper()} is taken as up, as the force plates lie so."
        )
        return LabAxes(f"+{floor}", "+x", Authority.EVIDENCE), (info("c3d-axes-from-plates", sentence),)
    if up is None:
        return LabAxes("+z", "+x", Authority.ASSUMED), (
            info("c3d-axes-assumed", f"{file} does not say how its axes point; Z is taken as up, as is usual for C3D."),
        )
    if across is None or across[1] == up[1]:
        across = "+y" if up[1] == "x" else "+x"
    return LabAxes(up, across, Authority.FILE), ()


def _direction(text: str) -> str | None:
    word = text.strip().lower()
    word = word if word[:1] in ("+", "-") else "+" + word
    return word if word in DIRECTIONS else None


def read_subject(file: str, parameters: Parameters, name: str) -> tuple[Subject, tuple[Notice, ...]]:
    """Name, body mass [kg], height (mm in most files, told from m and cm by its size) and measures of the subject."""
    notices: list[Notice] = []
    names = parameters.texts("SUBJECTS", "NAMES")
    index = names.index(name) if name in names else 0

    def value(*keys: tuple[str, str]) -> float | None:
        for group, key in keys:
            numbers = parameters.numbers(group, key)
            if len(numbers):
                number = float(numbers[index] if index < len(numbers) else numbers[0])
                if np.isfinite(number) and number != 0.0:  # 0 is what programs write before anybody measured
                    return as_written(number)
        return None

    mass = value(("PROCESSING", "BODYMASS"), ("SUBJECT", "MASS"), ("SUBJECT", "WEIGHT"), ("SUBJECTS", "MASS"))
    height = value(("PROCESSING", "HEIGHT"), ("SUBJECT", "HEIGHT"), ("SUBJECTS", "HEIGHT"))
    if height is not None:
        height *= 1.0 if height < 3.0 else 1e-2 if height < 300.0 else 1e-3
    known: dict[str, float] = {}
    for key, number in (("mass_kg", mass), ("height_m", height)):
        if number is None:
            continue
        try:
            Subject(**{key: number})  # type: ignore[arg-type]
            known[key] = number
        except BiomecError:
            what = key.split("_")[0]
            notices.append(
                warning("c3d-subject", f"{file}: the {what} of the subject, {number:g}, is impossible; ignored.")
            )
    measures, about_measures = read_measures(file, parameters, index)
    subject = Subject(name, mass_kg=known.get("mass_kg"), height_m=known.get("height_m"), measures=measures)
    return subject, (*notices, *about_measures)
