"""Which norm suits a patient, and what must be said about it; how fast people of an age walk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from biomec.base.notices import Notice, info, warning
from biomec.reporting.norms.norm import NormSet, SpeedOfAge

WITHIN = 2.0  # standard deviations of the set's speed within which it suits
PLUG_IN_GAIT = "plugingait"


@dataclass(frozen=True)
class Patient:
    """Whom the norm is for; None where it is not known.

    speed_dimensionless : v / √(g l), l the length of the leg [Hof1996]
    model               : model of the body that gave the patient's curves
    """

    age_years: float | None = None
    speed_dimensionless: float | None = None
    model: str = ""


@dataclass(frozen=True, eq=False)
class NormChoice:
    """The nearest set, None if there is none with curves, and what a reader must know about it."""

    norm: NormSet | None
    notices: tuple[Notice, ...]


def choose_norm(sets: Iterable[NormSet], patient: Patient) -> NormChoice:
    """Return the set whose ages are nearest to the patient's and, among those, whose speed is.

    Distance in age is zero within the ages of a set; speeds are compared without dimension, in standard deviations of
    the set. A set that does not state its ages or speed comes after those that do.
    """
    with_curves = [one for one in sets if one.curves]
    if not with_curves:
        return NormChoice(None, (info("no-norm", "There is no norm with curves; none is drawn."),))
    nearest = min(with_curves, key=lambda one: _distance(one, patient))
    return NormChoice(nearest, norm_notices(nearest, patient))


def _distance(norm: NormSet, patient: Patient) -> tuple[float, float]:
    return _beyond_ages(norm, patient.age_years), abs(_deviations(norm, patient.speed_dimensionless))


def _beyond_ages(norm: NormSet, age: float | None) -> float:
    """Years outside the ages of the set."""
    if age is None:
        return 0.0
    if norm.about.ages is None:
        return float("inf")
    youngest, oldest = norm.about.ages
    return max(youngest - age, age - (oldest + 1.0), 0.0)  # someone is 17 until the day of being 18


def _deviations(norm: NormSet, speed: float | None) -> float:
    """Speed less that of the set in its standard deviations; infinite where the set does not state it."""
    if speed is None:
        return 0.0
    stated = norm.about.speed_dimensionless
    if stated is None or not stated[1] > 0.0:
        return float("inf")
    return (speed - stated[0]) / stated[1]


def norm_notices(norm: NormSet, patient: Patient) -> tuple[Notice, ...]:
    """What a reader must know when this set stands behind the patient's curves."""
    about = norm.about
    notices = []
    if patient.age_years is None:
        words = "The patient's age is not known, so nothing says whether the ages of the norm suit."
        notices.append(info("norm-age", words))
    elif about.ages is None:
        notices.append(warning("norm-age", f"The norm {about.title} does not state the ages of its people."))
    elif _beyond_ages(norm, patient.age_years) > 0.0:
        words = (
            f"The patient is {patient.age_years:g} years old; the people of the norm {about.title} are "
            f"{about.ages[0]:g} to {about.ages[1]:g}. Compare with care."
        )
        notices.append(warning("norm-age", words))
    elif about.ages_from:
        words = f"The norm {about.title} states no ages; {about.ages[0]:g} to {about.ages[1]:g} years follow from"
        notices.append(info("norm-age", f"{words} {about.ages_from.removesuffix('.')}."))
    speed = patient.speed_dimensionless
    if speed is None:
        words = "The patient's speed without dimension is not known; it needs walking speed and leg length."
        notices.append(info("norm-speed", f"{words} A norm at another speed moves every curve."))
    elif about.speed_dimensionless is None:
        notices.append(warning("norm-speed", f"The norm {about.title} does not state its walking speed."))
    elif abs(_deviations(norm, speed)) > WITHIN:
        mean, sd = about.speed_dimensionless
        words = (
            f"The patient walks at {speed:.2f} without dimension, the norm {about.title} at {mean:.2f} ± {sd:.2f}: "
            f"more than {WITHIN:g} SD apart. Part of the difference is the speed."
        )
        notices.append(warning("norm-speed", words))
    notices += _model_notice(about.model, patient.model)
    return tuple(notices)


def _model_notice(band: str, curve: str) -> list[Notice]:
    """Bands of another model are not a norm for ours: peaks differ by degrees at the same speed."""
    if not curve or band == curve:
        return []
    words = f"Band: {band or 'model not stated'}; curve: {curve}."
    if _plain(band).startswith(PLUG_IN_GAIT) and _plain(curve).startswith(PLUG_IN_GAIT):
        return [info("norm-model", f"{words} Both are of the same markers, computed in different ways.")]
    return [warning("norm-model", f"{words} Models differ by degrees; prefer a norm made with the same one.")]


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def usual_speed(speeds: Iterable[SpeedOfAge], age_years: float, sex: str | None = None) -> SpeedOfAge | None:
    """Preferred speed of people of that age, of that sex if it is listed, else of all; None beyond the ages.

    The narrowest group is taken: a decade before the whole life.
    """
    of_age = [one for one in speeds if one.age_from <= age_years < one.age_to + 1.0]
    for wanted in (sex, "all"):
        groups = [one for one in of_age if one.sex == wanted]
        if groups:
            return min(groups, key=lambda one: one.age_to - one.age_from)
    return None
