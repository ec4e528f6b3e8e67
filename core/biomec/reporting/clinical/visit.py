"""A visit: analysed recordings of one person, one day and one condition, pooled cycle by cycle.

Cycles of all recordings count alike. A recording or a cycle that was excluded by hand stays in the visit with its
reason and counts for nothing. Strides of different kinds (straight, turns, stairs) are never pooled with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import TypeVar

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.pipeline.analysis import KINEMATICS, Analysis, run_first
from biomec.recording import ClinicalNotes, Session, Subject
from biomec.recording.clinical_notes import joined_notes
from biomec.reporting.clinical.blocks import CycleOrigin
from biomec.reporting.clinical_curves import OWN, ClinicalCycles, clinical_cycles, static_angles
from biomec.reporting.clinical_presentation import ANGLE, BY_NAME
from biomec.reporting.norms.choice import Patient
from biomec.reporting.norms.norm import dimensionless_speed
from biomec.reporting.statistics.time_and_distance import StrideFigures, TimeAndDistance, pooled, time_and_distance
from biomec.signals.gait_parameters import StrideKind

T = TypeVar("T")
SIDES = ("right", "left")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip


@dataclass(frozen=True, eq=False)
class VisitTrial:
    """A recording of a visit and what is known of it; `name` is unique in the visit."""

    name: str
    analysis: Analysis

    @property
    def notes(self) -> ClinicalNotes:
        """What a clinician wrote about it."""
        return self.analysis.session.notes

    @property
    def excluded(self) -> str:
        """Why it does not count; "" if it does."""
        return self.notes.excluded

    @cached_property
    def time_and_distance(self) -> TimeAndDistance | None:
        """Its strides and steps."""
        return time_and_distance(self.analysis)


@dataclass(frozen=True)
class LeftOutTrial:
    """A recording that belongs to the visit and could not be analysed, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class LeftOutCycle:
    """A cycle that does not count, and why. ``number`` counts the side's cycles from 0."""

    trial: str
    side: str
    number: int
    reason: str


@dataclass(frozen=True, eq=False)
class PooledCurve:
    """Cycles of one side and curve, of all recordings; arrays are read-only.

    curves  : (K, 101) in clinical sign and unit, without missing values
    origins : (K,) where each cycle is
    foot_off, opposite_foot_off, opposite_contact : (K,) [% of the cycle]; NaN where no event tells
    """

    curves: FloatArray
    origins: tuple[CycleOrigin, ...]
    foot_off: FloatArray
    opposite_foot_off: FloatArray
    opposite_contact: FloatArray

    def __len__(self) -> int:
        return len(self.origins)


@dataclass(frozen=True, eq=False)
class Visit:
    """Recordings of one person on one day in one condition, analysed with one model; make it with `visit_of`."""

    trials: tuple[VisitTrial, ...]
    left_out: tuple[LeftOutTrial, ...] = ()
    _kept: dict[object, object] = field(default_factory=dict, repr=False)

    def _derived(self, key: object, make: Callable[[], T]) -> T:
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]  # type: ignore[assignment]  # what `make` of that key gave
        return found

    # ------------------------------------------------------------------------------------------------ who and when
    @property
    def counted(self) -> tuple[VisitTrial, ...]:
        """Recordings that were not excluded."""
        return tuple(one for one in self.trials if not one.excluded)

    @property
    def analyses(self) -> tuple[Analysis, ...]:
        """Analyses of the recordings that count."""
        return tuple(one.analysis for one in self.counted)

    @property
    def first(self) -> Analysis:
        """The first recording that counts; the first of all if none does."""
        return (self.counted or self.trials)[0].analysis

    @property
    def subject(self) -> Subject:
        """The person, as the first recording knows it."""
        return next((one.analysis.session.subject for one in self.trials if one.analysis.session.subject.name),
                    self.first.session.subject)  # fmt: skip

    @property
    def day(self) -> date | None:
        """Day of the recordings; None where no recording tells."""
        return next((day for one in self.trials if (day := day_of(one.analysis.session)) is not None), None)

    @property
    def age_years(self) -> int | None:
        """Age on that day, in full years."""
        return None if self.day is None else self.subject.age_on(self.day)

    @cached_property
    def notes(self) -> ClinicalNotes:
        """Texts of the visit: each is that of the first recording that has it."""
        return joined_notes(one.notes for one in self.trials)

    @property
    def model(self) -> str:
        """Model of the body that all recordings were analysed with."""
        return self.first.body.person.model.name

    # ------------------------------------------------------------------------------------------------------- strides
    @cached_property
    def time_and_distance(self) -> TimeAndDistance | None:
        """Strides and steps of all recordings that count; None without any."""
        return pooled(one.time_and_distance for one in self.counted)

    @property
    def kind(self) -> StrideKind:
        """Kind of the strides whose curves are pooled: straight ones, if there are any."""
        found = self.time_and_distance
        return found.kinds[0] if found is not None else StrideKind.STRAIGHT

    # -------------------------------------------------------------------------------------------------------- curves
    def cycles(self, source: str = OWN) -> Mapping[tuple[str, str], PooledCurve]:
        """(side, curve) -> its cycles in all recordings that count; a curve without any is not in it."""
        return self._derived(("cycles", source), lambda: self._cycles(source))

    def _clinical(self, source: str) -> tuple[tuple[int, ClinicalCycles], ...]:
        return self._derived(
            ("clinical", source),
            lambda: tuple((k, clinical_cycles(one.analysis, source)) for k, one in self._numbered()),
        )

    def _numbered(self) -> Iterable[tuple[int, VisitTrial]]:
        return ((k, one) for k, one in enumerate(self.trials) if not one.excluded)

    def _cycles(self, source: str) -> Mapping[tuple[str, str], PooledCurve]:
        found: dict[tuple[str, str], list[tuple[FloatArray, CycleOrigin, StrideFigures | None]]] = {}
        for k, clinical in self._clinical(source):
            analysis = self.trials[k].analysis
            strides = self._strides(k)
            for (side, name), one in clinical.curves.items():
                spans = analysis.cycles.groups[side.capitalize()].spans
                for number, curve in zip(one.numbers, one.curves, strict=True):
                    first, last = (int(frame) for frame in spans[number])
                    stride = strides.get((side, first))
                    if np.isfinite(curve).all() and (stride is None or stride.kind is self.kind):
                        origin = CycleOrigin(k, int(number), first, last)
                        found.setdefault((side, name), []).append((curve, origin, stride))
        return FrozenDict({key: _pooled(rows) for key, rows in found.items()})

    def _strides(self, trial: int) -> Mapping[tuple[str, int], StrideFigures]:
        """(side, first frame) -> figures of the stride that begins there."""
        one = self.trials[trial]
        rate = one.analysis.signals.trial.rate_hz
        walked = one.time_and_distance
        return {
            (stride.side.lower(), round(stride.start_s * rate)): stride
            for stride in (walked.strides if walked is not None else ())
            if stride.number is not None
        }

    def static(self, source: str = OWN) -> Mapping[tuple[str, str], float]:
        """(side, curve) -> angle in the static [°], of the first recording that has one."""
        return self._derived(
            ("static", source),
            lambda: next(filter(None, (static_angles(one, source) for one in self.analyses)), FrozenDict()),
        )

    # -------------------------------------------------------------------------------------------------------- counts
    def count(self, kind: str, side: str, source: str = OWN) -> int:
        """Cycles of a side behind the curves of a kind, "angle", "moment" or "power": those of the fullest curve."""
        found = self.cycles(source)
        return max(
            (len(one) for (of, name), one in found.items() if of == side and BY_NAME[name].kind == kind), default=0
        )

    def counts_in_words(self, source: str = OWN) -> str:
        """Cycles that count: "angles 5 R, 4 L; loads 2 R, 1 L"."""
        words = []
        for what, kinds in (("angles", (ANGLE,)), ("loads", ("moment", "power"))):
            right, left = (max(self.count(kind, side, source) for kind in kinds) for side in SIDES)
            words.append(f"{what} {right} R, {left} L" if right or left else f"{what} none")
        return "; ".join(words)

    @cached_property
    def left_out_cycles(self) -> tuple[LeftOutCycle, ...]:
        """Cycles that do not count, with the reason; those of excluded recordings are not listed one by one."""
        listed = []
        for k, trial in self._numbered():
            analysis, strides = trial.analysis, self._strides(k)
            reasons = {
                (one.side, one.frame - analysis.session.dynamic.first_frame): one.reason
                for one in trial.notes.excluded_cycles
            }
            for group, cycles in analysis.cycles.groups.items():
                side = group.lower()
                for number, ((first, _), valid) in enumerate(zip(cycles.spans, cycles.valid, strict=True)):
                    stride = strides.get((side, int(first)))
                    reason = reasons.get((side, int(first)), "")
                    if not reason and not valid:
                        reason = "not every frame obeys the model"
                    if not reason and stride is not None and stride.kind is not self.kind:
                        reason = f"{stride.kind}, not pooled with {self.kind} strides"
                    if reason:
                        listed.append(LeftOutCycle(trial.name, side, number, reason))
        return tuple(listed)

    @cached_property
    def lost_exclusions(self) -> tuple[str, ...]:
        """Sentences about cycles that were excluded and are no longer found where they were."""
        words = []
        for trial in self.trials:
            analysis = trial.analysis
            first = analysis.session.dynamic.first_frame
            for one in trial.notes.excluded_cycles:
                group = analysis.cycles.groups.get(one.side if one.side == "both" else one.side.capitalize())
                if group is None or one.frame - first not in group.borders[:-1]:
                    words.append(
                        f"{trial.name}: the {one.side} cycle from frame {one.frame}, excluded because of "
                        f'"{one.reason}", no longer exists. Check which cycle takes its place.'
                    )
        return tuple(words)

    # -------------------------------------------------------------------------------------------------- for the norm
    @cached_property
    def speed_m_s(self) -> float | None:
        """Mean speed of all cycles of both sides [m/s]; None without any."""
        every = [
            speeds for _, one in self._clinical(OWN) for speeds in one.speeds_m_s.values()
        ]  # of the pelvis: also where no foot marker tells the strides
        known = np.concatenate([np.zeros(0), *every])
        known = known[np.isfinite(known)]
        return float(known.mean()) if known.size else None

    @property
    def leg_length_m(self) -> float | None:
        """Mean of both legs [m]; None where it is not known."""
        measures = self.first.body.person.measures
        legs = [float(measures[key]) for key in ("leg_length_D", "leg_length_E") if key in measures]
        return float(np.mean(legs)) if legs else None

    def patient(self, source: str = OWN) -> Patient:
        """Age, speed without dimension and model, for the choice of a norm."""
        speed, leg = self.speed_m_s, self.leg_length_m
        dimensionless = None if speed is None or leg is None else dimensionless_speed(speed, leg)
        return Patient(self.age_years, dimensionless, self.model if source == OWN else "Plug-in Gait")

    @property
    def label(self) -> str:
        """What tells it from others: the day and the condition."""
        day = "" if self.day is None else in_words(self.day)
        return ", ".join(filter(None, (day, self.notes.condition)))


def visit_of(analyses: Iterable[Analysis], names: Sequence[str] = (), left_out: Iterable[LeftOutTrial] = ()) -> Visit:
    """Return the visit of analysed recordings; cycles must have run, loads too if they shall be reported.

    names : of the recordings; those of their files if they are not given

    Raises a sentence if the recordings are of different people, days, conditions or models.
    """
    every = tuple(analyses)
    if not every:
        reasons = " ".join(f"{one.name}: {one.reason}" for one in left_out)
        raise BiomecError(f"A visit needs at least one recording that can be analysed. {reasons}".strip())
    for analysis in every:
        if KINEMATICS not in analysis.done:
            raise BiomecError(f"{analysis.session.dynamic.source.name}: {run_first(KINEMATICS)}")
    given = names or [_stem(analysis) for analysis in every]
    trials = tuple(VisitTrial(name, one) for name, one in zip(_unique(given), every, strict=True))
    sessions = [(one.name, one.analysis.session) for one in trials]
    refuse_strangers(sessions)
    _same([(one.name, one.analysis) for one in trials], "models", lambda one: one.body.person.model.name)
    return Visit(trials, tuple(left_out))


def refuse_strangers(sessions: Sequence[tuple[str, Session]]) -> None:
    """Raise a sentence if named recordings are of different people, days or conditions."""
    _same(sessions, "people", lambda one: _person(one.subject), lambda one: one.subject.name)
    _same(sessions, "dates of birth", lambda one: one.subject.birth_date)
    _same(sessions, "days", day_of)
    _same(sessions, "conditions", lambda one: one.notes.condition.strip().casefold(), lambda one: one.notes.condition)


def labels_of(visits: Sequence[Visit]) -> tuple[str, ...]:
    """What a legend calls each of several visits: its day, its condition where the day does not tell, or its number."""
    if len(visits) == 1:
        return ("",)
    days = ["" if one.day is None else in_words(one.day) for one in visits]
    conditions = [one.notes.condition.strip() for one in visits]
    both = [", ".join(filter(None, pair)) for pair in zip(days, conditions, strict=True)]
    for labels in (days, conditions, both):
        if all(labels) and len(set(labels)) == len(visits):
            return tuple(labels)
    return tuple(", ".join(filter(None, (f"visit {k}", label))) for k, label in enumerate(both, 1))


def in_words(day: date) -> str:
    """A day without doubt about the order of its numbers: "3 March 2026"."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _pooled(rows: Sequence[tuple[FloatArray, CycleOrigin, StrideFigures | None]]) -> PooledCurve:
    def events(key: str) -> FloatArray:
        return read_only([np.nan if stride is None else stride.values.get(key, np.nan) for _, _, stride in rows])

    return PooledCurve(
        read_only([curve for curve, _, _ in rows]),
        tuple(origin for _, origin, _ in rows),
        events("foot_off"),
        events("opposite_foot_off"),
        events("opposite_foot_contact"),
    )


def _same(
    recordings: Sequence[tuple[str, T]],
    what: str,
    of: Callable[[T], object],
    shown: Callable[[T], object] | None = None,
) -> None:
    """Raise a sentence if what is known of the recordings differs; what is not known contradicts nothing."""
    known = [(name, one) for name, one in recordings if of(one)]
    for name, one in known[1:]:
        (first_name, first), say = known[0], shown or of
        if of(one) != of(first):
            raise BiomecError(
                f"The recordings are of different {what}: {first_name} of {say(first)}, {name} of {say(one)}. Pool "
                "what belongs together, and compare the rest as other visits."
            )


def _person(subject: Subject) -> str:
    return " ".join(subject.name.split()).casefold()


def day_of(session: Session) -> date | None:
    """Day of a recording, as the user or the file says."""
    return session.recorded or session.dynamic.recorded


def _stem(analysis: Analysis) -> str:
    return analysis.session.dynamic.source.name.rpartition(".")[0] or analysis.session.dynamic.source.name or "trial"


def _unique(names: Sequence[str]) -> list[str]:
    made: list[str] = []
    for name in names:
        number, unique = 2, name
        while unique in made:
            unique, number = f"{name} ({number})", number + 1
        made.append(unique)
    return made
