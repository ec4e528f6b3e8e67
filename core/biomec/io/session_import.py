"""One dynamic file becomes a session: with its static, plates and EMG, and with what is known of the subject."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from biomec._version import __version__
from biomec.base.errors import FileError
from biomec.base.notices import Notice, Scope, info, warning
from biomec.io.axes_evidence import up_from
from biomec.io.channel_files import merge_channels, original_of
from biomec.io.companions import Companions, Found, find_companions, stands_still
from biomec.io.evidence import examined, with_axes
from biomec.io.plate_evidence import reversed_plates, sign_doubt
from biomec.io.registry import PROJECT, find_format, read_trial
from biomec.io.unit_evidence import examine_units, examined_units, in_unit_of
from biomec.io.units import PER_VOLT, plain_unit
from biomec.recording import (
    Analog,
    Authority,
    EmgAlignment,
    ForcePlate,
    LabAxes,
    Record,
    Session,
    Subject,
    Trial,
)


class Skip(Enum):
    """The one value that says: there is no such file, do not look for it."""

    SKIP = "skip"


SKIP: Final = Skip.SKIP
MOST = 0.9  # of the markers; an arm that is raised moves more than the rest
LARGEST_EMG_V = 0.01  # skin electrodes give up to about 5 mV either way of the baseline [DeLuca2002]; twice that
STANDS_STILL = "subject-stands-still"
Choice: TypeAlias = "Path | str | Skip | None"
"""A file by hand, `SKIP`, or None: look for it by name."""


def import_session(
    dynamic: Path | str,
    *,
    static: Choice = None,
    plates: Choice = None,
    emg: Choice = None,
    subject: Subject | None = None,
    recorded: date | None = None,
    saved_frames: EmgAlignment | None = None,
    axes: LabAxes | None = None,
    reverse_plates: bool = False,
    keep_originals: bool = True,
) -> Session:
    """Read a dynamic file and what belongs to it.

    subject, recorded : what the user says; it wins over the files, which win over the file name
    saved_frames      : frames of the whole recording that the dynamic trial holds, to align EMG of a separate file; by
                        default what the dynamic file says of its first frame
    axes              : how the laboratory's axes point, by the user's word
    reverse_plates    : the files hold the forces of the subject on the plates; take their opposite
    keep_originals    : keep the bytes of all files in the session

    A file given by hand must be readable. One that was found by its name and is not gives a notice instead.
    """
    dynamic = Path(dynamic)
    if find_format(dynamic)[0].name == PROJECT:
        raise FileError(dynamic.name, "this is a project already; open it instead of importing it.")
    trial = read_trial(dynamic, examine=False)
    trial = reversed_plates(trial) if reverse_plates else trial
    trial = examined_units(trial if axes is None else with_axes(trial, axes))
    found = find_companions(dynamic)
    notices = list(found.notices)
    files = {"dynamic": dynamic}

    static_trial = _companion("static", static, found, notices, files)
    if static_trial is not None and axes is not None and static_trial.source.format == trial.source.format:
        static_trial = with_axes(static_trial, _said_of_static(static_trial, axes))
    plate_trial = _companion("plates", plates, found, notices, files, needed=not trial.plates)
    emg_trial = _companion("emg", emg, found, notices, files, needed=trial.emg is None)

    # What is up: the static knows it, where the subject stands; then the plates; then the movement by itself, in which
    # the subject may lie or do push-ups.
    if static_trial is not None:
        trial, static_trial, more = _in_one_unit(trial, static_trial)
        notices += more
        trial, more = _settle_by_static(trial, static_trial)
        notices += more
    if plate_trial is not None:
        if reverse_plates:
            plate_trial = examined(reversed_plates(plate_trial))
        trial, more = merge_plates(trial, plate_trial)
        notices += more
    trial = examined(trial)
    notices += _check_movement(trial, static_trial)
    if static_trial is not None:
        notices += _check_static(trial, static_trial)
    alignment = None
    if emg_trial is not None:
        alignment = saved_frames or EmgAlignment.of(trial)
        trial, more = merge_emg(trial, emg_trial, alignment)
        notices += more

    notices += _check_emg(trial.emg)

    by_name = Subject(found.subject_name)
    known = [subject or Subject(), trial.subject, *([static_trial.subject] if static_trial else []), by_name]
    day, more = _day(recorded, trial.recorded, found)
    notices += more
    originals = tuple(original_of(path) for path in files.values())
    hashes = {kind: original.source.sha256 for kind, original in zip(files, originals, strict=True)}
    return Session(
        trial,
        static_trial,
        alignment,
        merge_subjects(*known),
        day,
        provenance=(Record("import", _now(), __version__, {"files": _names(files)}, hashes),),
        originals=originals if keep_originals else (),
        notices=tuple(notices),
    )


def _check_emg(emg: Analog | None) -> list[Notice]:
    """Question EMG that is larger than any muscle gives, without its offset and without single spikes."""
    large = []
    for name, unit, values in zip(emg.names, emg.units, emg.values.T, strict=True) if emg is not None else ():
        samples = values[np.isfinite(values)]
        per_volt = PER_VOLT.get(plain_unit(unit))
        if per_volt is None or not samples.size:
            continue
        reached = float(np.quantile(np.abs(samples - np.median(samples)), 0.99)) / per_volt
        if reached > LARGEST_EMG_V:
            large.append((name, reached))
    if not large:
        return []
    names = [name for name, _ in large]
    listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    reached_mv, most_mv = (1e3 * volts for volts in (max(reached for _, reached in large), LARGEST_EMG_V))
    sentence = (
        f"EMG {listed} {'reach' if len(names) > 1 else 'reaches'} {reached_mv:,.0f} mV; skin electrodes record less "
        f"than {most_mv:g} mV. The unit in the file is probably wrong, or the signal was stored after its amplifier: "
        "use the time course, not the amplitude."
    )
    return [warning("emg-amplitude", sentence, *names, scope=Scope.ASIDE)]


# ------------------------------------------------------------------------------------------------------------- files
def _companion(
    kind: str, choice: Choice, found: Companions, notices: list[Notice], files: dict[str, Path], needed: bool = True
) -> Trial | None:
    """The trial in a further file: given, found by name, or None with a notice that says what is missing."""
    if isinstance(choice, Skip):
        return None
    if choice is not None:
        files[kind] = Path(choice)
        return read_trial(files[kind])
    by_name: Found | None = getattr(found, kind)
    what = {"static": "static", "plates": "file of force plates", "emg": "EMG file"}[kind]
    if by_name is None:
        if needed:
            words = f"No {what} was found beside {found.dynamic.name}. Give one by hand if there is one."
            notices.append((warning if kind == "static" else info)(f"{kind}-missing", words))
        return None
    if not needed:
        words = f"{by_name.path.name} was left alone, because {found.dynamic.name} holds such data itself."
        notices.append(info(f"{kind}-not-needed", words))
        return None
    try:
        trial = read_trial(by_name.path)
    except FileError as error:
        notices.append(warning(f"{kind}-unreadable", f"{by_name.path.name} {by_name.reason}, but: {error}"))
        return None
    files[kind] = by_name.path
    notices.append(info(f"{kind}-by-name", f"{by_name.path.name} {by_name.reason}."))
    return trial


def _names(files: dict[str, Path]) -> dict[str, str]:
    return {kind: path.name for kind, path in files.items()}


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# ------------------------------------------------------------------------------------------------------------- static
def _said_of_static(static: Trial, axes: LabAxes) -> LabAxes:
    """The user's axes for the static of the same laboratory; its own forward where the user gave none."""
    if axes.forward_authority is Authority.USER:
        return axes
    return up_from(static.axes, axes.up, Authority.USER)


def _in_one_unit(trial: Trial, static: Trial) -> tuple[Trial, Trial, list[Notice]]:
    """Movement and static in one unit of length: that of the file in which a person fits."""
    trial_fits, static_fits = (examine_units(one)[0] == 1.0 for one in (trial, static))
    if trial_fits == static_fits:
        return trial, static, []
    wrong, right = (static, trial) if trial_fits else (trial, static)
    settled, notices = in_unit_of(wrong, right)
    if settled is not wrong:
        doubts = [notice for notice in settled.notices if notice.code != "unit-contradicted"]
        settled = replace(settled, notices=tuple(doubts))
    return (trial, settled, [*notices]) if trial_fits else (settled, static, [*notices])


def _settle_by_static(trial: Trial, static: Trial) -> tuple[Trial, list[Notice]]:
    """Take the word of the static on what is up: there the subject stands.

    It counts where the file does not say it, and where the same kind of file said it of the static and was wrong.
    """
    axes, known = trial.axes, static.axes
    misled = axes.authority is Authority.FILE and known.authority is Authority.EVIDENCE and axes.up != known.up
    if misled and static.source.format == trial.source.format:
        words = (
            f"{trial.source.name} says that up is {axes.up}; it is {known.up}, as in the static {static.source.name}."
        )
        return with_axes(trial, up_from(axes, known.up, Authority.EVIDENCE)), [warning("up-by-static", words)]
    if axes.authority is not Authority.ASSUMED or known.authority is Authority.ASSUMED:
        return trial, []
    words = f"Up is {known.up} in {trial.source.name}, because it is in the static {static.source.name}."
    said = [info("up-by-static", words)] if known.up != axes.up else []
    return with_axes(trial, up_from(axes, known.up, Authority.EVIDENCE)), said


def _check_movement(trial: Trial, static: Trial | None) -> list[Notice]:
    """A warning where most markers stay where they are, and there is no static or something moves in it."""
    held = static is not None and stands_still(static.markers)  # a posture that is held, beside a static of its own
    if held or not stands_still(trial.markers, MOST):
        return []
    words = f"The subject stands still all the time in {trial.source.name}; is this the static?"
    return [warning(STANDS_STILL, f"{words} Import the movement instead; the static is found beside it.")]


def _check_static(trial: Trial, static: Trial) -> list[Notice]:
    notices = []
    name = static.source.name
    there, here = {marker.casefold() for marker in static.markers.names}, trial.markers.names
    absent = [marker for marker in here if marker.casefold() not in there]
    if here and len(absent) > len(here) / 2:
        words = f"{len(absent)} of {len(here)} markers of {trial.source.name} are not in the static {name}."
        notices.append(warning("static-other-markers", words + " Is it the right one?", *absent))
    if static.axes.up != trial.axes.up:
        words = f"In the static {name} up is {static.axes.up}, in {trial.source.name} {trial.axes.up}. Check the axes."
        notices.append(warning("static-other-axes", words))
    one, other = trial.subject.name, static.subject.name
    if one and other and one.casefold() != other.casefold():
        notices.append(warning("static-other-subject", f"The static {name} is of {other}, the trial of {one}."))
    return notices


# ------------------------------------------------------------------------------------------------------------- plates
def merge_plates(trial: Trial, plate_trial: Trial) -> tuple[Trial, list[Notice]]:
    """Return the trial with the plates of another file, on its clock and in its axes, and with its other channels.

    Other channels are those of instrumented crutches, for example; they are taken where the trial has none of its own.
    """
    name = plate_trial.source.name
    trial, taken = merge_channels(trial, plate_trial)
    if not plate_trial.plates and taken:
        return trial, taken
    if not plate_trial.plates:
        words = f"{name} holds no force plate: no columns with force, point of application and torque of a plate."
        return trial, [warning("plates-none", words)]
    notices = [*plate_trial.notices, *taken]
    here, there = trial.axes.up, plate_trial.axes.up
    if here[1] == there[1] and here != there:  # turned, the places of the plates would be mirrored
        against = f"in {trial.source.name} up is {here}"
        notices.append(sign_doubt(plate_trial, f"in {name} up is {there}", against))
        plate_trial = with_axes(plate_trial, replace(plate_trial.axes, up=here, forward=trial.axes.forward))
    elif here != there and Authority.ASSUMED not in (
        trial.axes.authority,
        plate_trial.axes.authority,
    ):
        target = replace(plate_trial.axes, up=trial.axes.up, forward=trial.axes.forward)
        words = (
            f"In {name} up is {plate_trial.axes.up}, in {trial.source.name} {trial.axes.up}; the plates were turned."
        )
        notices.append(warning("plates-turned", words + " Check that force and foot agree."))
        plate_trial = plate_trial.turned(target)
    begins = (trial.first_frame - 1) / trial.rate_hz  # of the trial, on the clock of the whole recording
    plates = []
    for plate in plate_trial.plates:
        placed, said = _placed(plate, trial, begins)
        plates.append(placed)
        notices += said
    kept = [plate for plate in trial.plates if plate.name not in {new.name for new in plates}]
    return replace(trial, plates=(*kept, *plates)), _once(notices)


def _placed(plate: ForcePlate, trial: Trial, begins: float) -> tuple[ForcePlate, list[Notice]]:
    """Put a plate on the clock of the trial; notices where rate or length do not fit."""
    notices = []
    frame, lasts = 1.0 / trial.rate_hz, plate.samples / plate.rate_hz
    own_clock = abs(plate.start_s) < frame / 2 and abs(lasts - trial.duration_s) <= 1.5 * frame
    start = 0.0 if own_clock else plate.start_s - begins
    if begins and own_clock:
        words = f"The plates start at 0 s and last as long as the trial, which starts at {begins:g} s of the recording;"
        notices.append(info("plates-clock", words + " they were taken to start with it."))
    ends = start + lasts
    if start > frame or ends < trial.duration_s - 1.5 * frame:
        words = f"The plates are recorded from {start:.3f} s to {ends:.3f} s, the markers from 0 s to"
        notices.append(warning("plates-length", f"{words} {trial.duration_s:.3f} s; outside, there is no force."))
    elif ends > trial.duration_s + 1.5 * frame:
        words = f"The plates go on for {ends - trial.duration_s:.3f} s after the markers end."
        notices.append(info("plates-longer", words))
    ratio = plate.rate_hz / trial.rate_hz
    if abs(ratio - round(ratio)) > 1e-6 * ratio:
        words = f"The plates run at {plate.rate_hz:g} Hz, which is not a multiple of the markers' {trial.rate_hz:g} Hz."
        notices.append(info("plates-rate", words + " Samples between frames are interpolated where both are needed."))
    return replace(plate, start_s=start), notices


def _once(notices: list[Notice]) -> list[Notice]:
    return list(dict.fromkeys(notices))


# ---------------------------------------------------------------------------------------------------------------- EMG
def merge_emg(trial: Trial, emg_trial: Trial, alignment: EmgAlignment) -> tuple[Trial, list[Notice]]:
    """Return the trial with the EMG of another file, cut to the frames that the trial holds."""
    name = emg_trial.source.name
    channels: Analog | None = emg_trial.emg or emg_trial.analog
    if channels is None:
        return trial, [warning("emg-none", f"{name} holds no channels, so there is no EMG.", scope=Scope.ASIDE)]
    notices = list(emg_trial.notices)
    count = alignment.last - alignment.first + 1
    if count != trial.frames:
        words = (
            f"Frames {alignment.first} to {alignment.last} are {count}, but {trial.source.name} holds {trial.frames};"
        )
        words += " check first and last frame, or the EMG is not in step."
        notices.append(warning("emg-frames", words, scope=Scope.ASIDE))
    cut = alignment.apply(channels, trial.rate_hz)
    lasts = count / trial.rate_hz
    ends = cut.start_s + cut.samples / cut.rate_hz
    if cut.samples == 0 or cut.start_s > 1.0 / trial.rate_hz or ends < lasts - 1.5 / trial.rate_hz:
        covered = f"{cut.start_s:.3f} s to {ends:.3f} s" if cut.samples else "nothing"
        words = (
            f"The EMG of {name} covers {covered} of the {lasts:.3f} s from frame {alignment.first} to {alignment.last}."
        )
        notices.append(warning("emg-length", words, scope=Scope.ASIDE))
    return replace(trial, emg=cut), notices


# ------------------------------------------------------------------------------------------------------------ subject
def merge_subjects(*subjects: Subject) -> Subject:
    """Return what is known of one person: field by field and measure by measure, the first of them that says it."""
    known: dict[str, Any] = {"measures": {}}
    for subject in reversed(subjects):
        known["measures"] |= subject.measures
    for field in fields(Subject):
        if field.name == "measures":
            continue
        said = [getattr(subject, field.name) for subject in subjects]
        known[field.name] = next((value for value in said if value not in (None, "")), said[0])
    return Subject(**known)


def _day(user: date | None, file: date | None, found: Companions) -> tuple[date | None, list[Notice]]:
    day = user or file or found.recorded
    said = {"you": user, "the file": file, f"the name {found.dynamic.name}": found.recorded}
    different = [f"{who} {stated.isoformat()}" for who, stated in said.items() if stated not in (None, day)]
    if day is None or not different:
        return day, []
    words = f"The recording was taken to be of {day.isoformat()}, but by {' and by '.join(different)}. Check the date."
    return day, [warning("date-contradicted", words)]
