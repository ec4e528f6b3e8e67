"""Curves of what was recorded: markers, force plates and EMG, raw and filtered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.physics import GRAVITY
from biomec.pipeline.analysis import Analysis
from biomec.recording import Analog, ForcePlate, Markers, Trial
from biomec.recording.marker_set import MarkerSet, Side
from biomec.signals.emg import process_emg
from biomec_app.curves.curve import (
    AXES,
    BARE,
    MAIN,
    MM,
    RAW,
    Curve,
    Table,
    along,
    capital,
    column,
    once,
    side_of_name,
    side_of_point,
    title_of,
)
from biomec_app.kit.words import channel_words, plate_user, point_words, with_code

MARKERS, MARKERS_RAW = "Markers", "Markers, as recorded"
PLATES, PLATES_RAW = "Force plates", "Force plates, as recorded"
EMG, EMG_RAW = "EMG envelopes", "EMG, as recorded"
LEAST_MM, LEAST_N = 10.0, 20.0
Axes = tuple[tuple[str, str], ...]


def recorded(analysis: Analysis) -> tuple[Trial, Axes, MarkerSet | None]:
    """The movement as recorded: in Biomec's axes and with its labels mapped, as soon as that was done."""
    if "preparation" in analysis.done:
        return analysis.preparation.dynamic, AXES, analysis.preparation.marker_set
    return analysis.session.dynamic, BARE, None


def markers(analysis: Analysis) -> Iterator[Curve]:
    """Markers, rebuilt and filtered, and as recorded."""
    trial, axes, marker_set = recorded(analysis)
    if "signals" in analysis.done:
        yield from _markers(analysis.signals.markers, "marker", MARKERS, axes, marker_set, MAIN, "signals")
    yield from _markers(trial.markers, "marker raw", MARKERS_RAW, axes, marker_set, RAW, "")


def _markers(
    table: Markers, key: str, kind: str, axes: Axes, marker_set: MarkerSet | None, variant: str, step: str
) -> Iterator[Curve]:
    time = np.arange(table.frames) / table.rate_hz
    for m, name in enumerate(table.names):
        side, stem = side_of_point(name, marker_set)
        words = point_words(name, marker_set)
        for i, axis in enumerate(axes):
            yield Curve(
                f"{key}/{name}/{axis[0]}", kind, name, side, axis[0], f"{name} {axis[0]}", "mm",
                column(time, table.p_WM, m, i, scale=MM), title_of(stem, words), along(axis), variant, step,
                least=LEAST_MM, said="as recorded" if variant == RAW else "filtered", words=words,
            )  # fmt: skip


def plates(analysis: Analysis) -> Iterator[Curve]:
    """Force, moment and centre of pressure of every plate, filtered and as recorded, also as parts of body weight."""
    trial, axes, _ = recorded(analysis)
    weight = body_weight(analysis)
    if "signals" in analysis.done:
        for plate in analysis.signals.trial.plates:
            who = plate_user(analysis, plate.name)
            yield from _plate(plate, "plate", PLATES, axes, who, weight, MAIN, "signals")
    for plate in trial.plates:
        who = plate_user(analysis, plate.name)
        yield from _plate(plate, "plate raw", PLATES_RAW, axes, who, weight, RAW, "")


def body_weight(analysis: Analysis) -> float | None:
    """Weight of the subject [N]; None where nobody has said it and no plate has weighed it."""
    mass = analysis.session.subject.mass_kg
    if mass is None and "signals" in analysis.done and analysis.signals.mass is not None:
        mass = analysis.signals.mass.mass_kg
    return None if mass is None else mass * GRAVITY


def _plate(
    plate: ForcePlate, key: str, kind: str, axes: Axes, who: str | None, weight: float | None, variant: str, step: str
) -> Iterator[Curve]:
    side, stem = side_of_name(who) if who else (None, "")
    named = plate.name if plate.name.lower().startswith("plate") else f"Plate {plate.name}"
    title = f"{capital(stem)} on its plate" if who else named
    time = plate.time_s
    tables: list[tuple[str, str, str, Table, float, float]] = [
        ("force", "force", "N", plate.force, 1.0, LEAST_N),
        ("moment", "moment about its centre", "N·m", plate.moment, 1.0, 1.0),
        ("centre of pressure", "centre of pressure", "mm", once(plate.centre_of_pressure), MM, LEAST_MM),
    ]
    if weight is not None:
        share = 100.0 / weight
        tables.insert(1, ("relative force", "force", "% body weight", plate.force, share, 2.0))
        tables.insert(3, ("relative moment", "moment", "% body weight·m", plate.moment, share, 0.2))
    for short, words, unit, table, scale, least in tables:
        for i, axis in enumerate(axes):
            yield Curve(
                f"{key}/{plate.name}/{short} {axis[0]}", kind, plate.name, side, f"{short} {axis[0]}",
                f"{with_code(plate.name, who or '')}, {words} {axis[0]}", unit,
                column(time, table, i, scale=scale), title, f"{words} {along(axis)}", variant, step, least=least,
                said="as recorded" if variant == RAW else "filtered", words=who or "",
            )  # fmt: skip


def emg(analysis: Analysis) -> Iterator[Curve]:
    """EMG as recorded and its envelope (band-passed, rectified, smoothed)."""
    trial, _, _ = recorded(analysis)
    if trial.emg is None:
        return
    channels = trial.emg
    time = channels.time_s
    for make, key, kind, variant in ((_envelope, "emg", EMG, MAIN), (_channel, "emg raw", EMG_RAW, RAW)):
        for c, name in enumerate(channels.names):
            side, stem = _muscle(name)
            scale, unit = (1e3, "mV") if channels.units[c] == "V" else (1.0, channels.units[c])
            table = once(partial(make, channels, c))
            yield Curve(
                f"{key}/{name}", kind, name, side, "envelope" if variant == MAIN else "raw", channel_words(name), unit,
                column(time, table, scale=scale), capital(stem), "EMG", variant,
                said="raw" if variant == RAW else "envelope", words="" if side is None else f"{stem}, {side.value}",
            )  # fmt: skip


def _muscle(name: str) -> tuple[Side | None, str]:
    side, stem = side_of_point(name, None)
    return side, stem.replace("_", " ").strip()


def _channel(channels: Analog, c: int) -> FloatArray:
    return np.asarray(channels.values[:, c])


def _envelope(channels: Analog, c: int) -> FloatArray:
    one = replace(
        channels, names=(channels.names[c],), units=(channels.units[c],), values=channels.values[:, c : c + 1]
    )
    return np.asarray(process_emg(one).envelope.values[:, 0])
