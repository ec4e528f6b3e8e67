"""Maximal voluntary contractions: the greatest envelope of every EMG channel, from trials that were recorded for it.

EMG is in volts that say little between people, electrodes and days. Over the greatest envelope of a maximal voluntary
contraction (MVC) of the same electrode it becomes a share of what the muscle can give. The envelope is that of
`biomec.signals.emg` with its usual options: 20-450 Hz, rectified, low-pass at 6 Hz [Burden2010].
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice, Severity
from biomec.io.registry import FORMATS, read_trial
from biomec.recording import Analog
from biomec.signals.emg import EmgOptions, process_emg
from biomec.signals.emg_muscles import EmgReading, MuscleTable

ENVELOPE = EmgOptions()
"""How envelopes of maximal contractions, and those that are divided by them, are made."""
TYPED = "typed"
"""Source of a value that nobody measured here."""
_MAXIMAL = r"max(imal|imum)?[ _-]?(voluntary[ _-]?)?(isometric[ _-]?)?contractions?"
_NAMED = re.compile(rf"(?<![a-z])(mvi?c|{_MAXIMAL})(?![a-z])")


@dataclass(frozen=True)
class MaximalContraction:
    """Greatest envelope of a channel, in the channel's unit, and what it is from: a file's name, or `TYPED`."""

    channel: str
    value: float
    unit: str
    source: str = TYPED


@dataclass(frozen=True)
class MaximalContractions:
    """Channels of a recording with their maximal contractions.

    without : channels that no trial holds;  notices : what is wrong with the trials
    """

    found: tuple[MaximalContraction, ...]
    without: tuple[str, ...]
    notices: tuple[Notice, ...]

    def given_to(self, reading: EmgReading) -> EmgReading:
        """How EMG is read, with these contractions; those of other channels stay."""
        values = {one.channel: one.value for one in self.found}
        sources = {one.channel: one.source for one in self.found}
        return replace(reading, mvc={**reading.mvc, **values}, mvc_from={**reading.mvc_from, **sources})


def named_contractions(recording: Path) -> tuple[Path, ...]:
    """Files beside a recording whose names say that they hold maximal contractions, such as ``MVC_quadriceps.c3d``."""
    endings = {ending for one in FORMATS for ending in one.extensions}
    folder = recording.parent
    if not folder.is_dir():
        return ()
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() in endings and path != recording)
    except OSError:
        return ()
    return tuple(path for path in files if _NAMED.search(path.stem.lower()))


def maximal_contractions(
    files: Iterable[Path | str], recorded: Analog, table: MuscleTable | None = None
) -> MaximalContractions:
    """Greatest envelope of every recorded channel in some trials, each of which may hold any of the channels.

    A channel of a trial is the recorded one of the same name, else the only one of the same muscle by ``table``.
    """
    paths = [Path(file) for file in files]
    if not paths:
        raise BiomecError("No trial of a maximal contraction was named.")
    best: dict[str, MaximalContraction] = {}
    notices: dict[str, Notice] = {}
    for path in paths:
        trial = read_trial(path)
        emg, same = _channels(path, (trial.emg, trial.analog), recorded, table)
        done = process_emg(_only(emg, tuple(same)), ENVELOPE)
        notices |= {one.sentence: one for one in done.notices if one.severity is not Severity.INFO}
        for c, name in enumerate(same):
            envelope = done.envelope.values[:, c]
            peak = float(np.nanmax(envelope, initial=0.0)) if np.isfinite(envelope).any() else 0.0
            channel, unit = same[name], done.envelope.units[c]
            own = recorded.units[recorded.names.index(channel)]
            if unit != own:
                raise FileError(
                    path.name, f"its channel {name} is in {unit or 'no unit'}, but the recording's in {own or 'none'}."
                )
            if peak > 0.0 and (channel not in best or peak > best[channel].value):
                best[channel] = MaximalContraction(channel, peak, unit, path.name)
    without = tuple(name for name in recorded.names if name not in best)
    return MaximalContractions(
        tuple(best[name] for name in recorded.names if name in best), without, tuple(notices.values())
    )  # fmt: skip


def _channels(
    path: Path, parts: Sequence[Analog | None], recorded: Analog, table: MuscleTable | None
) -> tuple[Analog, Mapping[str, str]]:
    """The channels of a trial that hold recorded ones, and which they are; EMG first, then other analog channels."""
    there = [part for part in parts if part is not None and part.names]
    if not there:
        raise FileError(path.name, "it holds no EMG, so that it cannot be a maximal contraction. Choose others.")
    for part in there:
        same = same_channels(part.names, recorded.names, table)
        if same:
            return part, same
    raise FileError(
        path.name,
        f"none of its channels ({_few(there[0].names)}) is one of the recording ({_few(recorded.names)}). Name the "
        "channels alike, or say in Edit ▸ EMG Channels which muscles they are.",
    )


def same_channels(names: Sequence[str], recorded: Sequence[str], table: MuscleTable | None = None) -> Mapping[str, str]:
    """Channel of a trial -> the recorded channel that it is."""
    plain = {_plain(name): name for name in recorded}
    same = {name: plain[_plain(name)] for name in names if _plain(name) in plain}
    if table is None:
        return same
    muscles: dict[str, list[str]] = {}
    for one in table.assigned(recorded):
        if one.known:
            muscles.setdefault(one.assignment, []).append(one.channel)
    for one in table.assigned(names):
        meant = muscles.get(one.assignment, [])
        if one.channel not in same and one.known and len(meant) == 1 and meant[0] not in same.values():
            same[one.channel] = meant[0]
    return same


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _only(emg: Analog, names: tuple[str, ...]) -> Analog:
    """Some channels."""
    columns = [emg.names.index(name) for name in names]
    return replace(emg, names=names, values=emg.values[:, columns], units=tuple(emg.units[c] for c in columns))


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
