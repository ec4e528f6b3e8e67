"""When a force plate is stood upon: loaded stretches, and what the plate reads when nobody touches it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.notices import Notice, info, warning
from biomec.recording import LOADED_N, ForcePlate, Trial
from biomec.signals.plate_baseline import Baseline, missing, missing_notices, plate_baseline, without_baseline
from biomec.signals.plate_geometry import called
from biomec.signals.stretches import stretches


@dataclass(frozen=True)
class ContactOptions:
    """How contacts are found.

    threshold_n   : a contact begins when the vertical force rises above this [N]
    hysteresis_n  : it ends when the force falls below threshold − hysteresis [N]
    minimum_s     : shorter loadings are not contacts [s], unless the recording cuts them short
    join_gap_s    : two contacts closer than this are one [s]
    offset        : keep what the plate reads unloaded, remove its mean, or remove its line in time
    offset_limit_n: an unloaded reading or a drift above this is reported [N]
    """

    threshold_n: float = setting(
        LOADED_N, "Contact begins above", "Vertical force at which a contact begins.", unit="N", least=0.0
    )
    hysteresis_n: float = setting(
        10.0, "Hysteresis", "A contact ends when the force falls so far below the threshold.", unit="N", least=0.0
    )
    minimum_s: float = setting(0.05, "Shortest contact", "Shorter loadings are not contacts.", unit="s", least=0.0)
    join_gap_s: float = setting(
        0.02, "Join contacts closer than", "Two contacts with a shorter pause are one.", unit="s", least=0.0
    )
    offset: Literal["keep", "remove", "remove with drift"] = setting(
        "keep", "Reading of the empty plate", "Keep it, take its mean off, or take its line in time off.",
        choices={"keep": "keep", "remove": "take its mean off",
        "remove with drift": "take its line in time off"})  # fmt: skip
    offset_limit_n: float = setting(
        5.0, "Report an empty plate above", "A larger reading or drift without load gets a notice.", unit="N", least=0.0
    )

    def __post_init__(self) -> None:
        if not 0.0 <= self.hysteresis_n < self.threshold_n:
            raise BiomecError(
                f"The hysteresis of a contact is {self.hysteresis_n:g} N and its threshold {self.threshold_n:g} N; "
                "the hysteresis must be at least 0 and below the threshold."
            )
        if self.minimum_s < 0.0 or self.join_gap_s < 0.0:
            raise BiomecError("The shortest contact and the gap to be joined cannot be negative times.")
        if self.offset not in ("keep", "remove", "remove with drift"):
            raise BiomecError(f"The offset of a plate can be kept or removed; {self.offset!r} is neither.")


@dataclass(frozen=True, eq=False)
class Contact:
    """One loaded stretch of one plate.

    plate, number : name of the plate, and which of its contacts this is, from 1
    first, last   : samples of the plate, inclusive
    on_s, off_s   : when the vertical force crossed the thresholds, between samples, on the clock of the trial [s]
    starts_before, ends_after : the plate was already, or still, loaded where the recording or a gap in it ends it
    peak_n        : largest vertical force [N]
    impulse       : (3,) Σ f / rate over its samples [N s]
    mean_cop      : (3,) force-weighted mean centre of pressure [m]
    cop           : (last − first + 1, 3) centre of pressure of every sample, NaN below the threshold [m]
    path_m        : length of the centre of pressure's path, from force-weighted means over 20 ms [m]
    """

    plate: str
    number: int
    first: int
    last: int
    on_s: float
    off_s: float
    starts_before: bool
    ends_after: bool
    peak_n: float
    impulse: FloatArray
    mean_cop: FloatArray
    cop: FloatArray
    path_m: float

    @property
    def duration_s(self) -> float:
        """Seconds from on to off."""
        return self.off_s - self.on_s


@dataclass(frozen=True, eq=False)
class DetectedContacts:
    """Contacts of all plates of a trial, in order of time within each plate.

    plates    : the plates as used, with the unloaded reading removed where that was asked for
    baselines : one a plate; None where no unloaded stretch was found
    """

    plates: tuple[ForcePlate, ...]
    contacts: tuple[Contact, ...]
    baselines: tuple[Baseline | None, ...]
    options: ContactOptions
    notices: tuple[Notice, ...] = ()

    def zeroed(self, plates: Iterable[ForcePlate]) -> dict[str, ForcePlate]:
        """Other readings of the same plates by name, such as filtered ones, less the unloaded reading if asked for."""
        baselines = {plate.name: baseline for plate, baseline in zip(self.plates, self.baselines, strict=True)}
        return {plate.name: _zeroed(plate, baselines.get(plate.name), self.options) for plate in plates}


def _zeroed(plate: ForcePlate, baseline: Baseline | None, options: ContactOptions) -> ForcePlate:
    if baseline is None or options.offset == "keep":
        return plate
    return without_baseline(plate, baseline, drift=options.offset == "remove with drift")


def detect_contacts(trial: Trial, options: ContactOptions = ContactOptions()) -> DetectedContacts:
    """Loaded stretches of every plate of a trial, and the plates' unloaded readings."""
    baselines = tuple(plate_baseline(plate) for plate in trial.plates)
    gap_rule = (
        f"Within a contact, gaps below {1e3 * options.join_gap_s:g} ms are passed over; at a longer one the contact "
        "is cut, and gives no foot strike or foot off there."
    )
    plates, notices = [], []
    for plate, baseline in zip(trial.plates, baselines, strict=True):
        plates.append(_zeroed(plate, baseline, options))
        notices += _baseline_notices(plate, baseline, options) + missing_notices(plate, gap_rule)
    contacts = tuple(contact for plate in plates for contact in plate_contacts(plate, options))
    return DetectedContacts(tuple(plates), contacts, baselines, options, tuple(notices))


def plate_contacts(plate: ForcePlate, options: ContactOptions = ContactOptions()) -> tuple[Contact, ...]:
    """Loaded stretches of one plate: a switch with hysteresis on its vertical force.

    A stretch ends where samples are missing; a gap shorter than ``join_gap_s`` within a contact does not part it.
    """
    loaded = switched(plate.vertical, options.threshold_n, options.threshold_n - options.hysteresis_n)
    first, last = stretches(loaded).T - [[0], [1]]
    if first.size:
        apart = (first[1:] - last[:-1] - 1) / plate.rate_hz >= options.join_gap_s
        first, last = first[np.r_[True, apart]], last[np.r_[apart, True]]
        unknown = np.concatenate([[True], missing(plate), [True]])
        cut_short = unknown[first] | unknown[last + 2]  # the sample before or after was not recorded
        long = ((last - first + 1) / plate.rate_hz >= options.minimum_s) | cut_short
        first, last = first[long], last[long]
    return tuple(
        contact_of(plate, number, int(a), int(b), options)
        for number, (a, b) in enumerate(zip(first, last, strict=True), start=1)
    )


def contact_of(plate: ForcePlate, number: int, first: int, last: int, options: ContactOptions) -> Contact:
    """Describe samples ``first`` to ``last`` (inclusive) of a plate as one contact."""
    force, moment = plate.force[first : last + 1], plate.moment[first : last + 1]
    gone = missing(plate)
    threshold = options.threshold_n
    cop = replace(plate, force=force, moment=moment).centre_of_pressure(threshold)
    known = np.isfinite(cop[:, 0])
    weight = np.where(known, force @ plate.up, 0.0)
    mean = (weight[:, None] * np.where(known[:, None], cop, 0.0)).sum(axis=0) / weight.sum() if known.any() else np.nan
    return Contact(
        plate=plate.name,
        number=number,
        first=first,
        last=last,
        on_s=_crossing(plate, first - 1, first, threshold),
        off_s=_crossing(plate, last + 1, last, threshold - options.hysteresis_n),
        starts_before=first == 0 or bool(gone[first - 1]),
        ends_after=last == plate.samples - 1 or bool(gone[last + 1]),
        peak_n=float(np.nanmax(force @ plate.up)),
        impulse=read_only(np.nansum(force, axis=0) / plate.rate_hz),
        mean_cop=read_only(np.broadcast_to(mean, 3)),
        cop=read_only(cop),
        path_m=_path_length(cop, weight, max(1, round(0.02 * plate.rate_hz))),
    )


def split_contact(plate: ForcePlate, contact: Contact, at_s: float, options: ContactOptions) -> tuple[Contact, Contact]:
    """Cut a contact in two at a time inside it; the second keeps the number until its plate is renumbered."""
    at = int(np.ceil((at_s - plate.start_s) * plate.rate_hz - 1e-6))
    if not contact.first < at <= contact.last:
        raise BiomecError(
            f"Contact {contact.number} of {called(contact.plate)} lasts from {contact.on_s:.3f} to "
            f"{contact.off_s:.3f} s; it cannot be split at {at_s:.3f} s."
        )
    parts = [contact_of(plate, contact.number, a, b, options) for a, b in ((contact.first, at - 1), (at, contact.last))]
    time = plate.start_s + at / plate.rate_hz
    before = replace(parts[0], on_s=contact.on_s, off_s=time)
    return before, replace(parts[1], on_s=time, off_s=contact.off_s)


def switched(signal: FloatArray, on: float, off: float) -> BoolArray:
    """(N,) state of a switch that closes above ``on`` and opens below ``off``; open at first and at NaN."""
    decides = (signal > on) | ~(signal >= off)
    latest = np.maximum.accumulate(np.where(decides, np.arange(signal.size), -1))
    return np.asarray((latest >= 0) & (signal[np.maximum(latest, 0)] > on))


def frame_range(trial_rate_hz: float, frames: int, start_s: float, end_s: float) -> tuple[int, int]:
    """Frames (inclusive) nearest to a stretch of time, kept within the trial."""
    first, last = (min(max(round(t * trial_rate_hz), 0), max(frames - 1, 0)) for t in (start_s, end_s))
    return first, last


def _baseline_notices(plate: ForcePlate, baseline: Baseline | None, options: ContactOptions) -> list[Notice]:
    if baseline is None:
        return []
    notices, limit = [], options.offset_limit_n
    name = called(plate.name, begin=True)
    if options.offset != "keep" and np.any(baseline.offset != 0.0):
        what = "mean" if options.offset == "remove" else "line in time"
        sentence = (
            f"{name}: the {what} of its unloaded reading ({baseline.vertical_n:.1f} N vertical, "
            f"{baseline.drift_n:.1f} N drift) was subtracted from all six channels."
        )
        return [info("plate-offset-removed", sentence, plate.name)]
    if abs(baseline.vertical_n) > limit:
        sentence = (
            f"{name} reads {baseline.vertical_n:.1f} N while nobody touches it (limit {limit:g} N). "
            "Let the offset be removed, and zero the plate before the next recording."
        )
        notices.append(warning("plate-offset", sentence, plate.name))
    if abs(baseline.drift_n) > limit:
        sentence = (
            f"{name}: the unloaded reading drifts by {baseline.drift_n:.1f} N over the recording "
            f"(limit {limit:g} N). Let the offset be removed with its drift."
        )
        notices.append(warning("plate-drift", sentence, plate.name))
    return notices


def _crossing(plate: ForcePlate, outside: int, inside: int, level: float) -> float:
    """Time when the vertical force passes the level between two samples; the inner one's where the data end."""
    time = plate.start_s + inside / plate.rate_hz
    if not 0 <= outside < plate.samples or not np.isfinite(plate.force[outside]).all():
        return float(time)
    within, beyond = (float(plate.force[k] @ plate.up) for k in (inside, outside))
    share = float(np.clip((within - level) / (within - beyond), 0.0, 1.0)) if within != beyond else 0.0
    return float(time + share * (outside - inside) / plate.rate_hz)


def _path_length(cop: FloatArray, weight: FloatArray, block: int) -> float:
    """Length of the path through the force-weighted means of blocks of samples: raw samples would measure noise [m]."""
    starts = np.arange(0, weight.size, block)
    total = np.add.reduceat(weight, starts)
    sums = np.add.reduceat(weight[:, None] * np.nan_to_num(cop), starts, axis=0)
    points = sums[total > 0.0] / total[total > 0.0, None]
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
