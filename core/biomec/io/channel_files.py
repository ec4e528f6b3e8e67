"""Force channels of another file, such as those of instrumented crutches, that join a recording."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from biomec._version import __version__
from biomec.base.errors import FileError
from biomec.base.limits import whole_file
from biomec.base.notices import Notice, info
from biomec.io.registry import find_format, read_trial
from biomec.recording import Analog, Original, Record, Session, Source, Trial


def with_channel_file(session: Session, path: Path | str) -> Session:
    """The session with the force channels of a file; results go, because they know nothing of these channels."""
    path = Path(path)
    other = read_trial(path)
    trial, notices = merge_channels(session.dynamic, other)
    if trial is session.dynamic:
        why = (
            notices[0].sentence
            if notices
            else "None of its channels is a force: none has the unit N or a force's name."
        )
        raise FileError(path.name, why[0].lower() + why[1:])
    original = original_of(path)
    hashes = {"channels": original.source.sha256}
    when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    record = Record("import", when, __version__, {"files": {"channels": path.name}}, hashes)
    return replace(
        session,
        dynamic=trial,
        results={},
        provenance=(*session.provenance, record),
        originals=(*session.originals, original) if session.originals else (),
        notices=tuple(dict.fromkeys([*session.notices, *notices])),
    )


def merge_channels(trial: Trial, other: Trial) -> tuple[Trial, list[Notice]]:
    """The trial with the analog channels of another file, on its clock, and a notice; as it is if none is a force.

    Beside channels of its own they are interpolated to the samples of these, which have to be at least as many.
    """
    channels, name = other.analog, other.source.name
    if channels is None or not any(map(_is_force, channels.names, channels.units)):
        return trial, []
    begins = (trial.first_frame - 1) / trial.rate_hz
    lasts = channels.samples / channels.rate_hz
    own_clock = abs(channels.start_s) < 0.5 / trial.rate_hz and abs(lasts - trial.duration_s) <= 1.5 / trial.rate_hz
    placed = replace(channels, start_s=0.0 if own_clock else channels.start_s - begins)
    own = trial.analog
    if own is not None:
        new = [k for k, one in enumerate(placed.names) if one not in own.names]
        if not new or own.rate_hz < placed.rate_hz * (1.0 - 1e-9):
            why = (
                f"it has {own.rate_hz:g} samples a second and these have {placed.rate_hz:g}"
                if new
                else "it has channels of these names already"
            )
            words = f"{trial.source.name} has analog channels of its own, so those of {name} were not taken: {why}."
            return trial, [info("channels-not-merged", words)]
        placed = _beside(own, placed, new)
    taken = placed.names if own is None else placed.names[len(own.names) :]
    few = ", ".join(taken[:4]) + (" …" if len(taken) > 4 else "")
    return replace(trial, analog=placed), [info("channels-merged", f"The channels {few} were taken from {name}.")]


def _beside(own: Analog, other: Analog, new: list[int]) -> Analog:
    """Both in one, at the samples of the first; NaN where the other was not recorded."""
    values = [np.interp(own.time_s, other.time_s, other.values[:, k], left=np.nan, right=np.nan) for k in new]
    names, units = (tuple(getattr(other, what)[k] for k in new) for what in ("names", "units"))
    return replace(
        own,
        names=(*own.names, *names),
        units=(*own.units, *units),
        values=np.column_stack([own.values, *values]),
    )


def original_of(path: Path) -> Original:
    """Bytes of a file with its format and fingerprint."""
    try:
        content = whole_file(path, 2.0)
    except OSError as error:
        raise FileError(path.name, f"cannot be read ({error.strerror or error}).") from error
    return Original(Source.of_bytes(path.name, find_format(path)[0].name, content), content)


def _is_force(name: str, unit: str) -> bool:
    """Whether a channel is a force by its unit, or by its name where none is stated."""
    return unit == "N" or (not unit and re.search(r"f_?[xyz]$|force", name.lower()) is not None)
