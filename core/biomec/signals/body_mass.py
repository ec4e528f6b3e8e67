"""The subject's mass as the plates weigh it, against the stated one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, Scope, info, warning
from biomec.base.physics import GRAVITY
from biomec.recording import Event, ForcePlate, Trial
from biomec.recording.limb_names import Limb, limb_of
from biomec.signals.contact_detection import frame_range
from biomec.signals.contacts import ContactAssignment
from biomec.signals.plate_resampling import plate_at_frames
from biomec.signals.stretches import stretches


@dataclass(frozen=True)
class WeighingOptions:
    """How the plates weigh the subject.

    gravity   : acceleration of free fall where the recording was made [m/s²]
    still_s   : standing still must last at least this [s]
    moving_s  : a stretch in motion must last at least this [s]; within a step the markers' mean is not a centre of mass
    still_part: while standing still, the total force stays within this share of its mean
    still_speed_m_s : and the markers as a whole rise or sink more slowly than this [m/s]
    least_n   : less than this is not a person [N]
    limit     : a difference from the stated mass above this share is reported
    """

    gravity: float = GRAVITY
    still_s: float = 0.5
    moving_s: float = 0.8
    still_part: float = 0.03
    still_speed_m_s: float = 0.02
    least_n: float = 50.0
    limit: float = 0.05


@dataclass(frozen=True)
class MassEstimate:
    """Mass from the plates, or None where the whole body was never seen to be on them.

    mass_kg  : [kg]
    how      : "still" (standing still), "supported" (moving, all contact on plates), "given stretch", or "nothing"
    frames   : first and last frame used (inclusive)
    sd_n     : standard deviation of the total vertical force over them [N]
    stated_kg: mass the recording states; difference : (mass − stated) / stated
    """

    mass_kg: float | None
    how: str
    frames: tuple[int, int] | None
    sd_n: float
    stated_kg: float | None
    difference: float | None
    options: WeighingOptions
    notices: tuple[Notice, ...] = ()


def mass_from_plates(
    trial: Trial,
    contacts: ContactAssignment | None = None,
    events: Sequence[Event] | None = None,
    stretch_s: tuple[float, float] | None = None,
    options: WeighingOptions = WeighingOptions(),
) -> MassEstimate:
    """Weigh the subject over the longest stretch in which the plates carry all of it.

    contacts  : which foot is on which plate; its plates (offset removed, if so asked) are weighed, not the trial's
    events    : foot strikes and offs (the trial's own if not given), to know when a foot is on the floor beside a plate
    stretch_s : begin and end [s] of a stretch chosen by the user

    Standing still is preferred. While the body moves, and nobody is quite still, F = m (g + a). Both sides are weighted
    over the stretch by w = sin²(π t/T), which vanishes with its slope at the ends, so that integration by parts, twice,
    turns the acceleration into the height h itself, and nothing has to be differentiated:

        m = ∫ w F dt / (g ∫ w dt + ∫ ẅ h dt),        ẅ = 2 (π/T)² cos(2π t/T)

    The mean of all markers visible throughout stands for the centre of mass; over a stride or more their difference
    matters little (some tenths of a per cent), over less than a step it does. Without any stretch the answer is None.
    """
    total = _total_vertical(trial, contacts)
    if stretch_s is not None:
        first, last = frame_range(trial.rate_hz, trial.frames, *stretch_s)
        if last <= first:
            raise BiomecError(
                f"{trial.source.name}: the stretch {stretch_s[0]:g} to {stretch_s[1]:g} s holds no frames."
            )
        return _estimate(trial, total, first, last, "given stretch", options)
    quiet = _still(total, trial.rate_hz, options) & _at_one_height(trial, options.still_speed_m_s)
    known = trial.events if events is None else tuple(events)
    if contacts is not None:
        quiet &= _all_on_plates(trial, contacts, known, shared=True)
    still = _longest(quiet)
    if still is not None and (still[1] - still[0] + 1) / trial.rate_hz >= options.still_s:
        weighed = _estimate(trial, total, *still, "still", options)
        return weighed if contacts is not None else _unchecked(trial, weighed)
    if contacts is not None:
        carried = _longest(_all_on_plates(trial, contacts, known) & (total > options.least_n))
        if carried is not None and (carried[1] - carried[0] + 1) / trial.rate_hz >= options.moving_s:
            return _estimate(trial, total, *carried, "supported", options)
    sentence = (
        f"{trial.source.name}: as far as is known, the plates never carry the whole body for {options.still_s:g} s "
        f"at rest or {options.moving_s:g} s in motion, so they cannot check the stated mass. Choose a stretch by hand, "
        "or record standing still on a plate."
    )
    return MassEstimate(
        None, "nothing", None, np.nan, trial.subject.mass_kg, None, options, (info("mass-not-weighed", sentence),)
    )


def _estimate(
    trial: Trial, total: FloatArray, first: int, last: int, how: str, options: WeighingOptions
) -> MassEstimate:
    part = total[first : last + 1]
    where = f"frames {trial.first_frame + first} to {trial.first_frame + last}"
    if not np.isfinite(part).all():
        raise BiomecError(f"{trial.source.name}: a plate was not sampled throughout {where}.")
    mass = _moving_mass(trial, part, first, last, options)
    stated = trial.subject.mass_kg
    difference = None if stated is None else (mass - stated) / stated
    notices: tuple[Notice, ...] = ()
    if stated is not None and difference is not None and abs(difference) > options.limit:
        sentence = (
            f"{trial.source.name}: the plates carry {mass:.1f} kg in {where}, but the stated mass is "
            f"{stated:.1f} kg ({100 * difference:+.0f} %, limit {100 * options.limit:.0f} %). Correct the mass, zero "
            "the plates, or check that the whole body is on them."
        )
        names = [plate.name for plate in trial.plates]
        notices = (warning("mass-differs", sentence, *names, frames=(first, last), scope=Scope.JOINTS),)
    return MassEstimate(mass, how, (first, last), float(part.std()), stated, difference, options, notices)


def _unchecked(trial: Trial, weighed: MassEstimate) -> MassEstimate:
    sentence = (
        f"{trial.source.name}: the plates carry {weighed.mass_kg:.1f} kg of a subject who stands still. Whether the "
        "whole body is on them was not checked, because it is not known which foot is on which plate."
    )
    names = [plate.name for plate in trial.plates]
    return replace(weighed, notices=(*weighed.notices, info("mass-unchecked", sentence, *names, frames=weighed.frames)))


def _total_vertical(trial: Trial, contacts: ContactAssignment | None) -> FloatArray:
    """(T,) vertical force of all plates together at the frames, against gravity as the trial's axes have it [N]."""
    plates: tuple[ForcePlate, ...] = trial.plates if contacts is None else contacts.detected.plates
    if not plates:
        raise BiomecError(f"{trial.source.name}: there is no force plate, so the subject cannot be weighed.")
    up = trial.axes.up_vector
    return np.asarray(sum(plate_at_frames(plate, trial.rate_hz, trial.frames).force @ up for plate in plates))


def _still(total: FloatArray, rate_hz: float, options: WeighingOptions) -> BoolArray:
    """(T,) frames that lie in a window of ``still_s`` in which the total force keeps close to its mean."""
    width = max(2, round(options.still_s * rate_hz))
    if total.size < width:
        return np.zeros(total.size, dtype=np.bool_)
    windows = np.lib.stride_tricks.sliding_window_view(total, width)
    mean = windows.mean(axis=1)
    spread = np.abs(windows - mean[:, None]).max(axis=1)
    good = (mean > options.least_n) & (spread < options.still_part * mean)  # NaN compares as False
    covered = np.convolve(good.astype(np.int64), np.ones(width, dtype=np.int64)) > 0
    return np.asarray(covered)


def _at_one_height(trial: Trial, speed_m_s: float) -> BoolArray:
    """(T,) frames in which the markers as a whole neither rise nor sink: a slow push-up hardly changes the force."""
    seen = trial.markers.visible.all(axis=0)
    if trial.frames < 2 or not seen.any():
        return np.ones(trial.frames, dtype=np.bool_)
    height = (trial.markers.p_WM[:, seen] @ trial.axes.up_vector).mean(axis=1)
    width = min(trial.frames - 1, max(1, round(0.1 * trial.rate_hz)))  # over 0.2 s, so that noise averages out
    ends = np.clip(np.arange(trial.frames)[:, None] + [-width, width], 0, trial.frames - 1)
    climbed = height[ends[:, 1]] - height[ends[:, 0]]
    return np.asarray(np.abs(climbed) * trial.rate_hz < speed_m_s * (ends[:, 1] - ends[:, 0]))


def _all_on_plates(
    trial: Trial, contacts: ContactAssignment, events: Sequence[Event], shared: bool = False
) -> BoolArray:
    """(T,) frames in which each foot is known to be either in the air or on a plate of its own.

    A foot is in the air from its off to its next strike, and on a plate during its contacts; else nothing is known.
    With ``shared``, a contact that several segments share is one of each of them: true while nobody moves.
    """
    time = trial.time_s
    half = 0.5 / trial.rate_hz
    result = np.ones(trial.frames, dtype=np.bool_)
    for side in ("Left", "Right"):
        safe = np.zeros(trial.frames, dtype=np.bool_)
        for item in contacts.contacts:
            limbs = [limb_of(name) for name in ((item.segment or ""), *(item.sharing if shared else ()))]
            if Limb("foot", side) in limbs:
                safe |= (time >= item.contact.on_s - half) & (time <= item.contact.off_s + half)
        mine = [e for e in events if e.context == side and e.label in ("Foot Strike", "Foot Off")]
        mine.sort(key=lambda event: event.time_s)
        for one, next_one in pairwise(mine):
            if (one.label, next_one.label) == ("Foot Off", "Foot Strike"):
                safe |= (time >= one.time_s - half) & (time <= next_one.time_s + half)
        result &= safe
    return result


def _moving_mass(trial: Trial, part: FloatArray, first: int, last: int, options: WeighingOptions) -> float:
    """m = ∫ w F dt / (g ∫ w dt + ∫ ẅ h dt) over a stretch of frames; without markers h is taken as constant [kg]."""
    from scipy.integrate import simpson  # here, because it takes half a second to import and few need it

    share = np.arange(last - first + 1) / (last - first)  # t/T
    weight = np.sin(np.pi * share) ** 2
    bend = 2.0 * (np.pi * trial.rate_hz / (last - first)) ** 2 * np.cos(2.0 * np.pi * share)
    seen = trial.markers.visible[first : last + 1].all(axis=0)
    height = np.zeros(part.size)
    if seen.any():
        height = (trial.markers.p_WM[first : last + 1, seen] @ trial.axes.up_vector).mean(axis=1)
        height = height - height.mean()  # ∫ ẅ dt = 0, so only rounding depends on it
    carried = options.gravity * simpson(weight) + simpson(bend * height)  # ẅ h does not vanish at the ends
    return float(simpson(weight * part) / carried)


def _longest(mask: BoolArray) -> tuple[int, int] | None:
    """First and last index (inclusive) of the longest run of True."""
    runs = stretches(mask)
    if len(runs) == 0:
        return None
    first, stop = runs[np.argmax(runs[:, 1] - runs[:, 0])]
    return int(first), int(stop) - 1
