"""What cannot be true of a person: dates, mass and height that a slip of the pen gives. Knows no Qt."""

from __future__ import annotations

from datetime import date

from biomec.base.errors import BiomecError
from biomec.recording import Subject

LIGHTEST_KG, HEAVIEST_KG = 2.0, 350.0
SMALLEST_M, TALLEST_M = 0.4, 2.6
THINNEST, FATTEST = 8.0, 100.0  # kg/m², beyond what was ever seen
OLDEST = 120  # years


class SubjectFault(BiomecError):
    """What cannot be true of a subject; ``fields`` are those to look at: recorded, born, mass, height, measures."""

    def __init__(self, sentence: str, *fields: str) -> None:
        super().__init__(sentence)
        self.fields = fields


def check_subject(subject: Subject, recorded: date | None, today: date) -> None:
    """Raise a sentence about what cannot be true."""
    born = subject.birth_date
    if recorded is not None and recorded > today:
        raise SubjectFault(
            f"The day of the recording, {recorded.isoformat()}, lies in the future; check it.", "recorded"
        )
    if born is not None and recorded is not None and born > recorded:
        raise SubjectFault("The subject was born after the recording; check both dates.", "born", "recorded")
    if born is not None and born > today:
        raise SubjectFault(f"The day of birth, {born.isoformat()}, lies in the future; check it.", "born")
    age = None if recorded is None else subject.age_on(recorded)
    if age is not None and age > OLDEST:
        raise SubjectFault(f"The subject would be {age} years old; check both dates.", "born", "recorded")
    mass, height = subject.mass_kg, subject.height_m
    if mass is not None and not LIGHTEST_KG <= mass <= HEAVIEST_KG:
        raise SubjectFault(f"A person of {mass:g} kg is not plausible; write the mass in kilograms.", "mass")
    if height is not None and not SMALLEST_M <= height <= TALLEST_M:
        raise SubjectFault(f"A person of {height:g} m is not plausible; write the height in metres.", "height")
    if mass is not None and height is not None and not THINNEST <= mass / height**2 <= FATTEST:
        raise SubjectFault(f"{mass:g} kg at {height:g} m is not plausible; check mass and height.", "mass", "height")
