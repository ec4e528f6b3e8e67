"""EMG over the cycles of a visit: one row a muscle, right and left, with its usual activity.

Every channel is band-passed, rectified and smoothed trial by trial; cycles of all trials are pooled. Envelopes are in %
of the maximum of the mean envelope of the visit, so that a side is compared with itself; microvolts say little between
people, electrodes and days. Stretches of usual activity are brought to the person's own foot off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, Severity
from biomec.pipeline.analysis import Analysis
from biomec.recording import Analog
from biomec.reporting.clinical.blocks import (
    MEAN,
    Course,
    CycleOrigin,
    Grid,
    LeftOut,
    Page,
    Panel,
    Words,
    course_of,
)
from biomec.reporting.tables import Table, number
from biomec.signals.cycle_average import PERCENT_POINTS, resample_cycles
from biomec.signals.cycles import Cycles
from biomec.signals.emg import process_emg
from biomec.signals.emg_muscles import LEFT, RIGHT, EmgChannel, EmgReading, MuscleTable

KIND, TITLE = "emg", "EMG"
STEP_PERCENT = 25.0  # by which the axis of a panel grows beyond 100 %
RAW_BINS = 400  # of a cycle: least and largest sample of each are drawn
MILLI, MICRO = 1e3, 1e6
BOTH_SIDES = "both"  # name of the cycles of a movement that both sides do together


@dataclass(frozen=True, eq=False)
class MuscleCycles:
    """Cycles of one muscle of one side, of all trials; arrays are read-only.

    channel  : its name;  muscle : as shown, with the channel's name if several channels are of the same muscle
    envelope : (K, N) in the channel's unit, on 0 to 100 %
    raw      : (2 B,) band-passed signal of the cycle whose envelope is nearest to the mean: least and largest of every
               bin; empty without cycles
    reference : maximum of the mean envelope, which is 100 %; NaN where there is no activity
    foot_off : mean over the cycles [%]; None where the foot does not leave the ground in them, or nobody knows
    """

    channel: str
    side: str
    muscle: str
    unit: str
    envelope: FloatArray
    raw: FloatArray
    reference: float
    origins: tuple[CycleOrigin, ...]
    foot_off: float | None

    @property
    def course(self) -> Course:
        """Envelopes in % of the reference, with the raw signal in mV if it is a voltage."""
        course = course_of(self.side, 100.0 * self.envelope / self.reference, self.side.capitalize(), 0, self.origins)
        scale = MILLI if self.unit == "V" else 1.0
        return replace(course, foot_off=self.foot_off, raw=read_only(scale * self.raw[None]))


@dataclass(frozen=True, eq=False)
class EmgCycles:
    """EMG of a visit.

    muscles    : in the order of the table of muscles, right before left
    unassigned : channels whose side or muscle is not known
    notices    : what is wrong with channels, each once
    """

    muscles: tuple[MuscleCycles, ...]
    unassigned: tuple[str, ...]
    table: MuscleTable
    reading: EmgReading
    notices: tuple[Notice, ...]


def emg_cycles(
    trials: Sequence[Analysis], reading: EmgReading | None = None, numbers: Sequence[int] | None = None
) -> EmgCycles:
    """Pool the EMG of all trials of a visit, in which cycles must have run; read as the first trial's settings say.

    Muscles that were chosen by hand in one trial hold for the channels of the others that have no choice of their own.
    Cycles that were taken out by hand do not count; a frame that does not obey the body model does no harm to EMG.

    reading : instead of what the trials' settings say
    numbers : of the trials in their visit, for the origins of cycles; 0, 1, … if not given
    """
    choices = [(reading or one.settings.emg).channels for one in trials]
    reading = reading or trials[0].settings.emg
    table = reading.table
    visit = {channel: words for one in reversed(choices) for channel, words in one.items()}
    found: dict[EmgChannel, _Pool] = {}
    notices: dict[str, Notice] = {}
    for place, analysis, chosen in zip(numbers or range(len(trials)), trials, choices, strict=True):
        emg = analysis.preparation.dynamic.emg
        if emg is None:
            continue
        done = process_emg(emg, reading.options)
        notices |= {one.sentence: one for one in done.notices if one.severity is not Severity.INFO}
        for channel in table.with_channels({**visit, **chosen}).assigned(emg.names):
            pool = found.setdefault(channel, _Pool(channel.side, channel.muscle))
            cycles = _cycles(analysis, channel.side)
            if channel.known and cycles is not None:
                pool.add(place, cycles, done.filtered, done.envelope, channel.channel)
    known = [(channel.channel, pool) for channel, pool in found.items() if channel.known]
    ranked = sorted(known, key=lambda one: (table.names.index(one[1].muscle), one[1].side != RIGHT))
    unknown = [channel.channel for channel in found if not (channel.known or channel.left_out)]
    return EmgCycles(tuple(_named(ranked)), tuple(dict.fromkeys(unknown)), table, reading, tuple(notices.values()))


def emg_page(
    trials: Sequence[Analysis], reading: EmgReading | None = None, numbers: Sequence[int] | None = None
) -> Page | LeftOut:
    """Grid of the muscles and a table of the channels, or why there is none; arguments as `emg_cycles`."""
    if all(one.preparation.dynamic.emg is None for one in trials):
        return LeftOut(TITLE, "The recordings have no EMG.")
    try:
        found = emg_cycles(trials, reading, numbers)
    except BiomecError as error:  # a table of muscles that is gone or wrong costs this page, not the report
        return LeftOut(TITLE, str(error))
    if not found.muscles:
        return LeftOut(TITLE, f"{_unassigned(found)} Choose muscles in Edit ▸ EMG Channels.")
    if not any(len(one.envelope) for one in found.muscles):
        return LeftOut(TITLE, "No complete cycle lies within the recorded EMG.")
    return Page(KIND, TITLE, (emg_grid(found), emg_table(found), *_words(found)))


def emg_grid(found: EmgCycles) -> Grid:
    """One row a muscle, right and left column."""
    names = list(dict.fromkeys(one.muscle for one in found.muscles))
    by_place = {(one.muscle, one.side): one for one in found.muscles}
    rows = []
    for name in names:
        pair = [by_place.get((name, side)) for side in (RIGHT, LEFT)]
        there = [one for one in pair if one is not None and _measured(one)]
        limit = _nice(
            max((float(np.abs(one.course.raw).max()) for one in there if one.course.raw is not None), default=0.0)
        )
        high = max((_top(one) for one in there), default=100.0)
        rows.append(tuple(None if one is None else _panel(one, found.table, high, limit) for one in pair))
    reading = found.reading
    note = (
        f"Envelope (rectified, low-pass {reading.envelope_hz:g} Hz) in % of the maximum of the mean envelope; grey: "
        f"EMG between {reading.low_hz:g} and {reading.high_hz:g} Hz of the cycle nearest to the mean, sides on one "
        "scale."
    )
    if any(one.active for row in rows for one in row if one is not None):
        note += f" Bars below: {found.table.title}, brought to the own foot off."
    return Grid("EMG over the cycle", tuple(rows), MEAN, note)


def emg_table(found: EmgCycles) -> Table:
    """Which channel is taken for which muscle, how many cycles it has, and what 100 % is."""
    rows = []
    voltages = [one.reference for one in found.muscles if one.unit == "V" and _measured(one)]
    scale, unit = (MILLI, "mV") if max(voltages, default=0.0) >= 1.0 / MILLI else (MICRO, "µV")
    for one in found.muscles:
        volts = one.unit == "V"
        rows.append(
            (
                one.muscle.capitalize(),
                one.side,
                one.channel,
                str(len(one.envelope)),
                number(scale * one.reference if volts else one.reference, 1, unit if volts else one.unit),
                number(one.foot_off, 1, "%"),
            )
        )
    columns = ("Muscle", "Side", "Channel", "Cycles", "100 %", "Foot off")
    return Table("EMG channels", columns, tuple(rows), "100 %: maximum of the mean envelope of this visit.")


# ----------------------------------------------------------------------------------------------------------- one muscle
class _Pool:
    """Cycles of one channel, collected trial by trial."""

    def __init__(self, side: str, muscle: str) -> None:
        self.side, self.muscle, self.unit = side, muscle, ""
        self.envelopes: list[FloatArray] = []
        self.raw: list[FloatArray] = []
        self.origins: list[CycleOrigin] = []
        self.foot_off: list[float] = []

    def add(self, trial: int, cycles: Cycles, filtered: Analog, envelope: Analog, channel: str) -> None:
        self.unit = filtered.units[filtered.names.index(channel)]
        curves = resample_cycles(cycles, envelope[channel], rate_hz=envelope.rate_hz, start_s=envelope.start_s)
        for k, cycle in enumerate(curves.numbers):
            if not np.isfinite(curves.curves[k]).all():
                continue  # samples are missing in this cycle
            first, last = (int(frame) for frame in cycles.spans[cycle])
            self.envelopes.append(curves.curves[k])
            self.raw.append(_stretch(filtered, channel, first / cycles.rate_hz, last / cycles.rate_hz))
            self.origins.append(CycleOrigin(trial, int(cycle), first, last))
            if cycles.phase == "foot off":
                self.foot_off.append(float(curves.phase_change_percent[k]))

    def closed(self, channel: str, muscle: str) -> MuscleCycles:
        envelope = np.reshape(self.envelopes, (-1, PERCENT_POINTS))
        mean = envelope.mean(axis=0) if len(envelope) else np.zeros(PERCENT_POINTS)
        raw = np.zeros(0)
        if len(envelope):
            raw = self.raw[int(np.argmin(((envelope - mean) ** 2).sum(axis=1)))]
        seen = [one for one in self.foot_off if np.isfinite(one)]
        peak = float(mean.max())
        return MuscleCycles(
            channel, self.side, muscle, self.unit, read_only(envelope), read_only(raw),
            peak if peak > 0.0 else float("nan"), tuple(self.origins), float(np.mean(seen)) if seen else None,
        )  # fmt: skip


def _named(ranked: Sequence[tuple[str, _Pool]]) -> list[MuscleCycles]:
    """Channels of the same muscle and side get the channel's name, so that each has a row of its own."""
    places = [(pool.side, pool.muscle) for _, pool in ranked]
    return [
        pool.closed(name, pool.muscle if places.count(place) == 1 else f"{pool.muscle} ({name})")
        for (name, pool), place in zip(ranked, places, strict=True)
    ]


def _cycles(analysis: Analysis, side: str) -> Cycles | None:
    """Cycles of a side, or of both together; all that were not taken out by hand."""
    groups = analysis.cycles.groups
    cycles = groups.get(side.capitalize()) or groups.get(BOTH_SIDES)
    if cycles is None:
        return None
    return replace(cycles, frame_valid=np.ones(cycles.frames, dtype=np.bool_))


def _stretch(analog: Analog, channel: str, from_s: float, to_s: float) -> FloatArray:
    """Signal (2 B,) of a stretch of time: the least and the largest sample of B bins, in the order they come."""
    first = max(0, int(np.ceil((from_s - analog.start_s) * analog.rate_hz - 1e-6)))
    last = min(analog.samples, int(np.floor((to_s - analog.start_s) * analog.rate_hz + 1e-6)) + 1)
    values = analog[channel][first:last]
    bins = min(RAW_BINS, max(1, len(values) // 2))
    edges = np.linspace(0, len(values), bins + 1).astype(np.int64)
    found = []
    for a, b in pairwise(edges):
        low, high = a + int(np.argmin(values[a:b])), a + int(np.argmax(values[a:b]))
        found += [values[min(low, high)], values[max(low, high)]]
    return np.array(found)


# --------------------------------------------------------------------------------------------------------------- panels
def _measured(one: MuscleCycles) -> bool:
    return len(one.envelope) > 0 and np.isfinite(one.reference)


def _top(one: MuscleCycles) -> float:
    """Upper end of the axis: 100 %, or as many steps more as what is drawn needs."""
    course = one.course
    top = np.nanmax(course.mean + np.nan_to_num(course.sd)) if course.banded else np.nanmax(course.curves)
    return max(100.0, STEP_PERCENT * float(np.ceil(top / STEP_PERCENT - 1e-9)))


def _panel(one: MuscleCycles, table: MuscleTable, high: float, raw_limit: float) -> Panel:
    name = f"{one.side} {one.muscle}"
    title = f"{name.capitalize()} [%]"
    muscle = one.muscle.partition(" (")[0]
    volts = one.unit == "V"
    if not _measured(one):
        why = "no complete cycle" if not len(one.envelope) else "no activity"
        return Panel(name, title, "%", "", "", 0.0, 100.0, missing=f"{why} on channel {one.channel}")
    return Panel(
        name, title, "%", "", "", 0.0, high, courses=(one.course,),
        active=table.active(muscle, one.foot_off), raw_limit=raw_limit, raw_unit="mV" if volts else one.unit,
    )  # fmt: skip


def _nice(value: float) -> float:
    """The next 1, 2 or 5 times a power of ten; 0 for nothing."""
    if not value > 0.0:
        return 0.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= value * (1.0 - 1e-9)))


def _unassigned(found: EmgCycles) -> str:
    if not found.unassigned:
        return "No EMG channel is taken for a muscle."
    return f"Side or muscle is not known of {', '.join(found.unassigned)}."


def _words(found: EmgCycles) -> tuple[Words, ...]:
    """Channels that are not shown, and what is wrong with the others."""
    sentences = [f"{_unassigned(found)} Not shown."] if found.unassigned else []
    sentences += [one.sentence for one in found.notices]
    if found.table.note and any(one.foot_off is not None for one in found.muscles):
        sentences.append(f"{found.table.title}: {found.table.note}")
    return (Words(tuple(sentences)),) if sentences else ()
