"""Measured EMG beside computed activations: which channel is which muscle, how far they agree, and usual timing.

Activation follows EMG by an electromechanical delay, and EMG is in units of its own: an envelope is compared only after
it was shifted and divided by a reference. Static optimisation knows nothing of the EMG, so that agreement is evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import MS, setting
from biomec.base.notices import Notice, Scope, warning
from biomec.body.muscles.muscle_forces import EmgTargets, MuscleForces
from biomec.body.muscles.muscle_set import Muscle
from biomec.recording import Analog
from biomec.signals.emg import EmgReference, process_emg
from biomec.signals.emg_muscles import EmgChannel, MuscleTable
from biomec.signals.maximal_contraction import ENVELOPE, TYPED
from biomec.signals.stretches import stretches

ELECTRODES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "vastus medialis obliquus": (("vastus medialis", ""),),
    "medial hamstrings": (("semimembranosus", ""), ("semitendinosus", "")),
    "biceps femoris": (("biceps femoris", ""),),
    "hamstrings": (("semimembranosus", ""), ("semitendinosus", ""), ("biceps femoris, long head", "")),
    "medial gastrocnemius": (("gastrocnemius", "medial"),),
    "lateral gastrocnemius": (("gastrocnemius", "lateral"),),
    "deltoid": (("deltoid", ""),),
    "anterior deltoid": (("deltoid, anterior", ""),),
    "middle deltoid": (("deltoid, middle", ""),),
    "posterior deltoid": (("deltoid, posterior", ""),),
    "biceps brachii": (("biceps", ""),),
    "triceps brachii": (("triceps", ""),),
}
"""Muscle of an electrode -> groups of elements, or what stands before their comma, each with a word that their titles
must hold. Others stand for the group of the same name."""
OWN_MAXIMUM = "own maximum in this trial"
"""Source of a reference where no maximal contraction was given."""
BEYOND = 1.05  # of a maximal contraction: more says that it was not one; people reach it within some percent
QUIET_S = 0.25  # the quietest stretch of that length is taken for rest
SHORTEST_S = 0.03  # of activity and of a pause
DEVIATIONS = 3.0  # of rest above its mean: active
ON_SHARE, ON_LEAST = 0.2, 0.05  # computed: active above a fifth of its own greatest activation, and above 5 %
LAGS_S = 0.15
SAMPLES = 101  # of a cycle


@dataclass(frozen=True)
class EmgComparisonOptions:
    """How EMG is made comparable with activations.

    delay_s  : from EMG to the force of the muscle
    shaping  : A of a = (e^{A u} − 1)/(e^A − 1); 0 leaves the envelope as it is
    """

    delay_s: float = setting(
        0.04, "Electromechanical delay", "From EMG to force; envelopes are shifted by it.", unit="ms", factor=MS,
        least=0.0, most=200.0)  # fmt: skip
    shaping: float = setting(
        0.0, "Curvature", "How much faster force rises than the envelope: 0 for not at all, down to −3.",
        least=-3.0, most=0.0)  # fmt: skip

    def __post_init__(self) -> None:
        if not 0.0 <= self.delay_s <= 0.2:
            raise BiomecError(
                f"EMG: a delay of {1000.0 * self.delay_s:g} ms is not one of muscles; choose 10 to 100 ms."
            )
        if not -3.0 <= self.shaping <= 0.0:
            raise BiomecError(f"EMG: the curvature is {self.shaping:g}; it must be from −3 to 0.")


def proposed_muscles(channels: Sequence[EmgChannel], muscles: Sequence[Muscle]) -> dict[str, tuple[str, ...]]:
    """Channel -> elements that it measures, by name and side; channels whose side or muscle is unknown are left out."""
    found = {}
    for channel in channels:
        wanted = ELECTRODES.get(channel.muscle, ((channel.muscle, ""),))
        names = tuple(
            one.name
            for one in muscles
            if channel.known
            and (one.side is None or one.side.value == channel.side)
            and any(f"{one.group},".startswith(f"{group},") and word in one.title for group, word in wanted)
        )
        if names:
            found[channel.channel] = names
    return found


@dataclass(frozen=True, eq=False)
class MeasuredActivation:
    """Activations (T, C) that EMG stands for, 0 to 1 on the frames of the motion, NaN where there are none.

    reference : (C,) envelope that is 1, in the ``units`` of the channels
    sources   : what each reference is from: the file of a maximal contraction, "typed", or `OWN_MAXIMUM`
    """

    channels: tuple[str, ...]
    activation: FloatArray
    reference: FloatArray
    units: tuple[str, ...]
    sources: tuple[str, ...]
    notices: tuple[Notice, ...]

    @property
    def own_maximum(self) -> tuple[str, ...]:
        """Channels in units of their own maximum in the trial, whose sizes mean nothing."""
        pairs = zip(self.channels, self.sources, strict=True)
        return tuple(channel for channel, source in pairs if source == OWN_MAXIMUM)

    def reference_words(self, channel: str) -> str:
        """What a channel was normalised by, such as "120 µV (MVC_thigh.c3d)"."""
        c = self.channels.index(channel)
        value, unit = float(self.reference[c]), self.units[c]
        shown = f"{1e6 * value:.3g} µV" if unit == "V" else f"{value:.3g} {unit}".strip()
        return f"{shown} ({self.sources[c]})"

    def targets(self, mapping: Mapping[str, Sequence[str]]) -> EmgTargets:
        """For EMG-assisted sharing: every element has the activation of its channel, the mean if there are several."""
        sums: dict[str, list[FloatArray]] = {}
        for channel, names in mapping.items():
            if channel not in self.channels:
                raise BiomecError(f"There is no EMG channel {channel}; there are {', '.join(self.channels)}.")
            for name in names:
                sums.setdefault(name, []).append(self.activation[:, self.channels.index(channel)])
        columns = [np.mean(parts, axis=0) for parts in sums.values()]
        return EmgTargets(tuple(sums), np.stack(columns, axis=1) if columns else np.zeros((len(self.activation), 0)))


def measured_activation(
    emg: Analog,
    frames: int,
    rate_hz: float,
    options: EmgComparisonOptions = EmgComparisonOptions(),
    mvc: Mapping[str, float] | None = None,
    mvc_from: Mapping[str, str] | None = None,
) -> MeasuredActivation:
    """Band-pass 20-450 Hz, rectify, low-pass 6 Hz, divide by the reference, delay, bring to the frames.

    mvc      : channel -> envelope of a maximal contraction; others are divided by their own maximum in the trial
    mvc_from : channel -> what the value is from
    """
    mvc, mvc_from = mvc or {}, mvc_from or {}
    processed = process_emg(emg, replace(ENVELOPE, reference=EmgReference.MAXIMUM))
    reference = np.array([mvc.get(name, own) for name, own in zip(emg.names, processed.reference, strict=True)])
    sources = tuple(mvc_from.get(name, TYPED) if name in mvc else OWN_MAXIMUM for name in emg.names)
    envelope = processed.envelope.values * (processed.reference / reference)
    time = np.arange(frames) / rate_hz - options.delay_s
    level = np.full((frames, len(emg.names)), np.nan)
    for c, values in enumerate(envelope.T):
        there = np.isfinite(values)
        if there.any():
            inside = (time >= emg.time_s[0]) & (time <= emg.time_s[-1])
            near = np.interp(time, emg.time_s, there.astype(np.float64)) > 0.99
            level[:, c] = np.where(inside & near, np.interp(time, emg.time_s[there], values[there]), np.nan)
    highest = np.nan_to_num(level).max(axis=0, initial=0.0)
    level = np.clip(level, 0.0, 1.0)
    if options.shaping < 0.0:
        level = np.expm1(options.shaping * level) / np.expm1(options.shaping)
    found = MeasuredActivation(emg.names, read_only(level), read_only(reference), emg.units, sources, ())
    return replace(found, notices=(*processed.notices, *_about_references(found, highest)))


def _about_references(found: MeasuredActivation, highest: FloatArray) -> list[Notice]:
    """Channels without a maximal contraction, and those that go beyond it; ``highest``: (C,) of the level."""
    notices = []
    if found.own_maximum:
        some = len(found.own_maximum) < len(found.channels)
        who = f"EMG of {', '.join(found.own_maximum)}" if some else "EMG"
        words = (
            f"{who} is in units of each channel's own maximum in this trial, without maximal contractions: "
            "courses of activations can be compared, their sizes cannot. Enter them in Edit ▸ EMG Channels."
        )
        notices.append(warning("emg-own-maximum", words, *found.own_maximum, scope=Scope.ASIDE))
    for name, source, level in zip(found.channels, found.sources, highest, strict=True):
        if source != OWN_MAXIMUM and level > BEYOND:
            words = (
                f"EMG {name} reaches {100.0 * level:.0f} % of its maximal contraction ({source}), and is taken as "
                "100 % there: the contraction was not maximal, or is of another electrode or gain."
            )
            notices.append(warning("emg-beyond-maximum", words, name, scope=Scope.ASIDE))
    return notices


@dataclass(frozen=True)
class EmgAgreement:
    """A channel beside the elements that it measures.

    r, lag_s  : greatest correlation of the two courses within ± 150 ms, and by how much the computed one comes later
    rms       : root mean square of the difference, both over their own maximum
    agreement : share of the frames in which both are active, or both are not
    frames    : that were compared
    """

    channel: str
    muscles: tuple[str, ...]
    r: float
    lag_s: float
    rms: float
    agreement: float
    frames: int

    @property
    def sentence(self) -> str:
        """The same in words."""
        return (
            f"{self.channel}: r = {self.r:.2f} with the computed activation {1000.0 * self.lag_s:+.0f} ms later, "
            f"on and off alike in {100.0 * self.agreement:.0f} % of the frames."
        )


def emg_agreement(
    forces: MuscleForces, measured: MeasuredActivation, mapping: Mapping[str, Sequence[str]], rate_hz: float
) -> tuple[EmgAgreement, ...]:
    """Compare every channel that is mapped; channels without ten common frames are left out."""
    if len(measured.activation) != forces.frames:
        raise BiomecError(
            f"EMG was brought to {len(measured.activation)} frames, but muscle forces have {forces.frames}."
        )
    found = []
    for channel, names in mapping.items():
        emg = measured.activation[:, measured.channels.index(channel)]
        computed = group_activation(forces, names)
        both = np.isfinite(emg) & np.isfinite(computed)
        if both.sum() < 10:
            continue
        computed = np.where(both, computed, np.nan)  # what lies outside shall not decide what counts as active
        r, lag = _best_lag(emg, computed, round(LAGS_S * rate_hz))
        rms = float(np.sqrt(np.mean((_over_maximum(emg[both]) - _over_maximum(computed[both])) ** 2)))
        alike = measured_bursts(emg, rate_hz)[both] == computed_bursts(computed)[both]
        found.append(EmgAgreement(channel, tuple(names), r, lag / rate_hz, rms, float(alike.mean()), int(both.sum())))
    return tuple(found)


def group_activation(forces: MuscleForces, muscles: Sequence[str]) -> FloatArray:
    """(T,) mean activation of elements, by their force at full activation."""
    which = [forces.index(name) for name in muscles]
    weight = np.nan_to_num(forces.optimum[:, which])
    total = weight.sum(axis=1)
    mean = (weight * forces.activation[:, which]).sum(axis=1) / np.where(total > 0.0, total, 1.0)
    return np.asarray(np.where(total > 0.0, mean, forces.activation[:, which].mean(axis=1)))


def measured_bursts(envelope: FloatArray, rate_hz: float) -> BoolArray:
    """(T,) whether a muscle is active by its EMG, for 30 ms or longer.

    Above mean + 3 SD of the quietest quarter of a second, and above rest by 5 % of what the greatest value is above it:
    so short a rest knows little of its own deviation.
    """
    known = np.flatnonzero(np.isfinite(envelope))
    width = max(round(QUIET_S * rate_hz), 3)
    if known.size < width:
        return np.zeros(len(envelope), dtype=np.bool_)
    values = envelope[known]
    windows = np.lib.stride_tricks.sliding_window_view(values, width)
    rest = windows[int(windows.mean(axis=1).argmin())]
    on = np.zeros(len(envelope), dtype=np.bool_)
    on[known] = values > rest.mean() + max(DEVIATIONS * rest.std(), ON_LEAST * (values.max() - rest.mean()))
    return _without_short(on, round(SHORTEST_S * rate_hz))


def computed_bursts(activation: FloatArray) -> BoolArray:
    """(T,) whether a computed activation counts as active: above a fifth of its greatest, and above 5 %."""
    level = np.nan_to_num(activation)
    return np.asarray(level > max(ON_SHARE * float(level.max(initial=0.0)), ON_LEAST))


def _without_short(on: BoolArray, least: int) -> BoolArray:
    """Fill pauses shorter than so many frames, then drop bursts that are."""
    result = on.copy()
    for wanted in (False, True):
        for first, stop in stretches(result == wanted):
            inner = wanted or (first > 0 and stop < len(on))  # a pause at an end may be longer than is seen
            if stop - first < least and inner:
                result[first:stop] = not wanted
    return result


def _over_maximum(values: FloatArray) -> FloatArray:
    highest = float(values.max(initial=0.0))
    return np.asarray(values / highest) if highest > 0.0 else values


def _best_lag(emg: FloatArray, computed: FloatArray, most: int) -> tuple[float, int]:
    """Greatest correlation, and by how many frames the computed course comes later than the measured one."""
    best, at = -np.inf, 0
    for lag in range(-most, most + 1):
        a = emg[max(-lag, 0) : len(emg) - max(lag, 0)]
        b = computed[max(lag, 0) : len(computed) - max(-lag, 0)]
        both = np.isfinite(a) & np.isfinite(b)
        if both.sum() < 10 or a[both].std() == 0.0 or b[both].std() == 0.0:
            continue
        r = float(np.corrcoef(a[both], b[both])[0, 1])
        if r > best + 1e-12 or (r > best - 1e-12 and abs(lag) < abs(at)):
            best, at = r, lag
    return (best, at) if np.isfinite(best) else (float("nan"), 0)


@dataclass(frozen=True)
class TimingAgreement:
    """A muscle's computed activity over the gait cycle beside the usual one.

    muscle    : of the table;  elements : of the set
    expected, computed : stretches of the cycle [%]
    agreement : share of the cycle in which both are active, or both are not
    """

    muscle: str
    side: str
    elements: tuple[str, ...]
    expected: tuple[tuple[float, float], ...]
    computed: tuple[tuple[float, float], ...]
    agreement: float


def usual_timing(
    forces: MuscleForces,
    muscles: Sequence[Muscle],
    table: MuscleTable,
    side: str,
    cycles: Callable[[Sequence[str]], Sequence[tuple[int, int]]],
    foot_off: float | None,
) -> tuple[TimingAgreement, ...]:
    """Compare mean activations over the cycles of a side with the bars of a table.

    cycles   : of elements -> first and last frame of each of that side that counts for them
    foot_off : [% of the cycle]
    """
    share = np.linspace(0.0, 1.0, SAMPLES)
    found = []
    for one in table.muscles:
        expected = table.active(one.name, foot_off)
        elements = proposed_muscles([EmgChannel(one.name, side, one.name)], muscles).get(one.name, ())
        elements = tuple(name for name in elements if name in forces.names)
        if not (expected and elements):
            continue
        activation = group_activation(forces, elements)
        curves = [np.interp(first + share * (last - first), np.arange(len(activation)), activation)
                  for first, last in cycles(elements) if np.isfinite(activation[first : last + 1]).all()]  # fmt: skip
        if not curves:
            continue
        on = computed_bursts(np.mean(curves, axis=0))
        percent = 100.0 * share
        usual = np.zeros(SAMPLES, dtype=np.bool_)
        for first_percent, last_percent in expected:
            usual |= (percent >= first_percent) & (percent <= last_percent)
        bars = tuple((float(percent[a]), float(percent[b - 1])) for a, b in stretches(on))
        found.append(TimingAgreement(one.name, side, elements, expected, bars, float((on == usual).mean())))
    return tuple(found)
