"""A norm of a laboratory's own recordings: mean of every limb, then mean and SD over limbs. No names are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.base.progress import Progress
from biomec.io.project import load_project
from biomec.io.registry import PROJECT, find_format
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import KINEMATICS, Analysis
from biomec.pipeline.reopen import open_again
from biomec.reporting.clinical_curves import OWN, ClinicalCycles, clinical_cycles
from biomec.reporting.clinical_presentation import CURVES
from biomec.reporting.norms.choice import Patient
from biomec.reporting.norms.norm import LimbCurve, NormAbout, NormCurve, NormParameter, NormSet, clinical_norm
from biomec.reporting.norms.norm import dimensionless_speed as without_dimension

FEWEST_PEOPLE = 5
ENOUGH_LIMBS = 20  # observations that the Gait Profile Score asks for


@dataclass(frozen=True, eq=False)
class Person:
    """Recordings of one person, who stays nameless.

    recordings : clinical curves of each
    age_years, leg_length_m : None where nobody has said it
    """

    recordings: tuple[ClinicalCycles, ...]
    age_years: float | None = None
    leg_length_m: float | None = None

    def limb(self, side: str, curve: str) -> FloatArray | None:
        """Mean (101,) of all valid cycles of a limb; None without any."""
        found = [one.curves[side, curve].curves for one in self.recordings if (side, curve) in one.curves]
        cycles = np.concatenate(found) if found else np.zeros((0, 1))
        cycles = cycles[np.isfinite(cycles).all(axis=1)]
        return np.asarray(cycles.mean(axis=0)) if len(cycles) else None

    @property
    def speed_m_s(self) -> float | None:
        """Mean speed of the recordings [m/s]."""
        known = [one.speed_m_s for one in self.recordings if one.speed_m_s is not None and np.isfinite(one.speed_m_s)]
        return float(np.mean(known)) if known else None

    @property
    def dimensionless(self) -> float | None:
        """Mean speed without dimension."""
        if self.speed_m_s is None or self.leg_length_m is None:
            return None
        return without_dimension(self.speed_m_s, self.leg_length_m)


def people_of(analyses: Iterable[Analysis], source: str = OWN) -> tuple[Person, ...]:
    """People of analysed recordings: those with the same name and date of birth are one; the name is not kept.

    Cycles must have run. A recording without a name is a person of its own.
    """
    groups: dict[object, list[Analysis]] = {}
    for number, analysis in enumerate(analyses):
        subject = analysis.session.subject
        name = " ".join(subject.name.split()).casefold()
        groups.setdefault((name, subject.birth_date) if name else number, []).append(analysis)
    return tuple(person_of(found, source) for found in groups.values())


def analysed_recording(path: Path, progress: Progress | None = None) -> Analysis:
    """Analysis of a project, as it was stored, or of a recording with what belongs to it; with loads on plates."""
    if find_format(path)[0].name == PROJECT:
        analysis = open_again(load_project(path))
    else:
        analysis = Analysis(import_session(path))
    return analysis.run_until("loads" if analysis.session.dynamic.plates else KINEMATICS, progress)


def person_of(analyses: Sequence[Analysis], source: str = OWN) -> Person:
    """One person by all of their analysed recordings."""
    days = [(one.session.subject, one.session.dynamic.recorded) for one in analyses]
    ages = [age for subject, day in days if day is not None and (age := subject.age_on(day)) is not None]
    legs = [
        float(one.body.person.measures[key])
        for one in analyses
        for key in ("leg_length_D", "leg_length_E")
        if key in one.body.person.measures
    ]
    return Person(
        tuple(clinical_cycles(one, source) for one in analyses),
        float(np.mean(ages)) if ages else None,
        float(np.mean(legs)) if legs else None,
    )


def patient_of(analysis: Analysis) -> Patient:
    """Age, speed without dimension and model of an analysed recording, for the choice of a norm."""
    person = person_of((analysis,), OWN)
    return Patient(person.age_years, person.dimensionless, person.recordings[0].model)


def norm_of_people(name: str, people: Sequence[Person], about: NormAbout) -> NormSet:
    """Norm of at least five people, analysed with one model.

    For each curve x̄ = Σ x_k / n over the n limbs of both sides, s² = Σ (x_k − x̄)² / (n − 1), x_k the mean of the
    cycles of limb k. A curve that fewer than five people have is left out. Single limbs are kept without names, for
    scores that need them.
    """
    if len(people) < FEWEST_PEOPLE:
        raise BiomecError(f"A norm needs {FEWEST_PEOPLE} people at least; there are {len(people)}.")
    models = sorted({one.model for person in people for one in person.recordings})
    if len(models) != 1:
        raise BiomecError(
            f"The recordings were analysed with {len(models)} models ({', '.join(models)}); a norm has one model."
        )
    limbs: list[LimbCurve] = []
    curves: dict[str, NormCurve] = {}
    few: list[str] = []
    for row in CURVES:
        found = [
            LimbCurve(f"P{number:03d}", side, row.name, read_only(values))
            for number, person in enumerate(people, 1)
            for side in ("right", "left")
            if (values := person.limb(side, row.name)) is not None
        ]
        subjects = len({one.subject for one in found})
        if subjects >= FEWEST_PEOPLE:
            every = np.array([one.values for one in found])
            mean, sd = every.mean(axis=0), every.std(axis=0, ddof=1)
            curves[row.name] = clinical_norm(row.name, mean, sd, len(found), subjects)
            limbs += found
        elif found:
            few.append(f"{row.name} ({subjects})")
    if not curves:
        raise BiomecError(f"No curve has cycles of {FEWEST_PEOPLE} people.")
    most = max(one.limbs or 0 for one in curves.values())
    described = replace(
        about, model=models[0], subjects=len(people), limbs=most, ages=_ages(people),
        speed_m_s=_spread([one.speed_m_s for one in people]),
        speed_dimensionless=_spread([one.dimensionless for one in people]),
    )  # fmt: skip
    return NormSet(name, described, curves, _parameters(people), limbs=tuple(limbs), notices=tuple(_notices(few, most)))


def _notices(few: Sequence[str], limbs: int) -> list[Notice]:
    notices: list[Notice] = []
    if few:
        words = f"Left out, because fewer than {FEWEST_PEOPLE} people have them: {', '.join(few)}."
        notices.append(info("norm-left-out", words))
    if limbs < ENOUGH_LIMBS:
        words = f"The norm has {limbs} limbs; scores such as the GPS ask for {ENOUGH_LIMBS} at least."
        notices.append(warning("norm-small", words))
    return notices


def _ages(people: Sequence[Person]) -> tuple[float, float] | None:
    """Youngest and oldest; None unless all ages are known."""
    ages = [one.age_years for one in people if one.age_years is not None]
    return (min(ages), max(ages)) if len(ages) == len(people) else None


def _spread(values: Sequence[float | None]) -> tuple[float, float] | None:
    """Mean and SD; None unless five are known."""
    known = np.array([one for one in values if one is not None])
    return (float(known.mean()), float(known.std(ddof=1))) if len(known) >= FEWEST_PEOPLE else None


def _parameters(people: Sequence[Person]) -> tuple[NormParameter, ...]:
    columns = (
        ("speed", "m/s", [one.speed_m_s for one in people]),
        ("speed without dimension", "1", [one.dimensionless for one in people]),
        ("leg length", "m", [one.leg_length_m for one in people]),
        ("age", "years", [one.age_years for one in people]),
    )
    made = []
    for name, unit, values in columns:
        spread = _spread(values)
        if spread is not None:
            made.append(NormParameter(name, unit, *spread, sum(one is not None for one in values)))
    return tuple(made)
