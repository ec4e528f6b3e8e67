"""Measured EMG beside computed activations, and usual timing beside computed bursts. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.muscles.emg_comparison import (
    EmgAgreement,
    TimingAgreement,
    emg_agreement,
    group_activation,
)
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.muscle_cycles import cycles_of_side, foot_off_of, muscle_timing
from biomec.signals.emg_muscles import EmgChannel
from biomec_app.features.muscles.heat_content import EmgBeside, emg_beside, over_cycle
from biomec_app.features.muscles.readings import readings_of

GOOD, FAIR = 0.7, 0.4  # r and share of the frames from which on agreement is good, and to be looked at


@dataclass(frozen=True, eq=False)
class EmgLine:
    """A channel beside the elements that it measures, in frames in which the loads of their joints can be relied on.

    agreement : None where too few frames are known in both
    measured, computed : (T,) over their own maxima;  cycle_measured, cycle_computed : means over the cycles that count
    expected  : stretches of the cycle [%] in which the muscle is usually active
    reference : what the EMG was normalised by, in words
    """

    channel: EmgChannel
    elements: tuple[str, ...]
    agreement: EmgAgreement | None
    measured: FloatArray
    computed: FloatArray
    cycle_measured: FloatArray
    cycle_computed: FloatArray
    expected: tuple[tuple[float, float], ...]
    reference: str

    @property
    def grade(self) -> str:
        """Colour of the theme by how well both agree."""
        if self.agreement is None or not np.isfinite(self.agreement.r):
            return "faint"
        worst = min(self.agreement.r, self.agreement.agreement)
        return "contact" if worst >= GOOD else "rebuilt" if worst >= FAIR else "failed"


@dataclass(frozen=True, eq=False)
class EmgPage:
    """Everything that the window shows.

    unknown : channels that are no muscle of the set;  own_maximum : channels without a maximal contraction
    timing  : usual and computed activity over the gait cycle;  note : where the usual one comes from
    """

    lines: tuple[EmgLine, ...]
    unknown: tuple[str, ...]
    own_maximum: tuple[str, ...]
    timing: tuple[TimingAgreement, ...]
    note: str
    time_s: FloatArray
    has_emg: bool


def emg_page(analysis: Analysis) -> EmgPage:
    """Compare the muscle forces of an analysis with its EMG and with what is usual."""
    beside = emg_beside(analysis)
    emg = analysis.session.dynamic.emg
    table = analysis.settings.emg.table
    channels = table.assigned(emg.names) if emg is not None else ()
    mapped = dict(beside.channels) if beside is not None else {}
    lines = () if beside is None else _lines(analysis, beside, [one for one in channels if one.channel in mapped])
    return EmgPage(
        lines,
        tuple(one.channel for one in channels if one.channel not in mapped),
        tuple(name for name in beside.measured.own_maximum if name in mapped) if beside is not None else (),
        muscle_timing(analysis),
        "; ".join(table.sources),
        np.asarray(analysis.session.dynamic.time_s),
        emg is not None,
    )


def _lines(analysis: Analysis, beside: EmgBeside, channels: Sequence[EmgChannel]) -> tuple[EmgLine, ...]:
    readings = readings_of(analysis)
    forces, table = readings.forces, analysis.settings.emg.table
    usable = {channel: readings.usable_muscle(*names) for channel, names in beside.channels.items()}
    level = beside.measured.activation.copy()
    for c, name in enumerate(beside.measured.channels):
        if (counted := usable.get(name)) is not None:
            level[~counted, c] = np.nan
    compared = replace(beside.measured, activation=level)
    found = {one.channel: one for one in emg_agreement(forces, compared, beside.channels, readings.rate_hz)}
    lines = []
    for channel in channels:
        elements = beside.channels[channel.channel]
        measured = beside.measured.activation[:, beside.measured.channels.index(channel.channel)]
        computed = whole = group_activation(forces, elements)
        if (counted := usable[channel.channel]) is not None:
            computed = np.where(counted, computed, np.nan)
        cycles = cycles_of_side(analysis, elements, channel.side)  # those that count, whole
        lines.append(EmgLine(
            channel, elements, found.get(channel.channel), over_own(measured), over_own(computed),
            over_own(over_cycle(measured, cycles)), over_own(over_cycle(whole, cycles)),
            table.active(channel.muscle, foot_off_of(cycles)),
            beside.measured.reference_words(channel.channel),
        ))  # fmt: skip
    return tuple(lines)


def over_own(values: FloatArray) -> FloatArray:
    """A course (T,) over its own maximum."""
    highest = float(np.nanmax(values, initial=0.0)) if np.isfinite(values).any() else 0.0
    return np.asarray(values / highest) if highest > 0.0 else np.asarray(values)
