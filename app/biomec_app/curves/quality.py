"""Curves that say how far a motion can be trusted: how every frame was solved, what was violated, what was moved."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.body.kinematics.consistent_motion import ConsistentPositions
from biomec.pipeline.analysis import Analysis
from biomec.reporting.facts import constraint_words
from biomec_app.curves.curve import MAIN, MM, RAW, Curve, column, side_of_point, title_of
from biomec_app.kit.words import point_words

QUALITY, SHIFTS, RESIDUALS = "Quality", "Landmark shifts", "Marker residuals"
SOLUTION, VIOLATION, RATES = "solution of a frame", "violation of constraints", "violation of rates"
FLOOR = 1e-17  # what a violation of exactly zero is drawn as on a logarithmic axis


def solution(analysis: Analysis) -> Iterator[Curve]:
    """Status, iterations, last ‖Φ‖ and ‖Δq‖, and the time that every frame took."""
    if "positions" not in analysis.done:
        return
    position, time = analysis.positions.position, _time(analysis)
    for name, detail, unit, values, scale, log in (
        ("status", "0 converged, else not", "", position.status, 1.0, False),
        ("iterations", "of a frame", "", position.iterations, 1.0, False),
        ("‖Φ‖", "rest of the constraints after solving", "", position.violation, 1.0, True),
        ("‖Δq‖", "last step of the search", "", position.increment, 1.0, True),
        ("seconds", "time spent on a frame", "ms", position.seconds, 1e3, False),
    ):
        yield Curve(
            f"quality/{name}", QUALITY, SOLUTION, None, name, name, unit,
            column(time, partial(_positive, values, log), scale=scale),
            name[:1].upper() + name[1:], detail, step="positions", log=log,
            least=2.0 if not log and scale == 1.0 else 0.0,
        )  # fmt: skip


def violations(analysis: Analysis) -> Iterator[Curve]:
    """Mean violation of a row by type of constraint, before and after solving; of rates too."""
    if "positions" not in analysis.done:
        return
    position, time = analysis.positions.position, _time(analysis)
    for kind in position.before:
        words = constraint_words(kind)
        for when, table, variant in (("after", position.after, MAIN), ("before", position.before, RAW)):
            yield Curve(
                f"violation {when}/{kind}", QUALITY, VIOLATION, None, f"{kind}, {when}",
                f"{words}, {when} solving", "", column(time, partial(_positive, table[kind])),
                words, "violation of a constraint, SI units", variant, "positions", True, said=when,
            )  # fmt: skip
    if "motion" not in analysis.done:
        return
    for what, projection in (("velocity", analysis.motion.velocity), ("acceleration", analysis.motion.acceleration)):
        for when, values, variant in (("after", projection.after, MAIN), ("before", projection.before, RAW)):
            yield Curve(
                f"violation {when}/{what}", QUALITY, RATES, None, f"{what}, {when}", f"{what}, {when} projection", "",
                column(time, partial(_positive, values)), what.capitalize(),
                "violation of its constraints", variant, "motion", True, said=when,
            )  # fmt: skip


def shifts(analysis: Analysis) -> Iterator[Curve]:
    """Distance from measured to consistent landmarks, and from measured markers to the model's."""
    if "positions" not in analysis.done:
        return
    positions: ConsistentPositions = analysis.positions
    marker_set, time = analysis.preparation.marker_set, _time(analysis)
    for key, kind, names, table, detail in (
        ("shift", SHIFTS, positions.landmarks, positions.distance, "raw to consistent landmark"),
        ("residual", RESIDUALS, positions.markers, positions.marker_residual, "measured marker to the model's"),
    ):
        for k, name in enumerate(names):
            side, stem = side_of_point(name, marker_set)
            words = point_words(name, marker_set if kind == RESIDUALS else None)
            yield Curve(
                f"{key}/{name}", kind, name, side, "distance", f"{name}, {detail}", "mm",
                column(time, table, k, scale=MM), title_of(stem, words), detail, step="positions", least=1.0,
                words=words,
            )  # fmt: skip


def _time(analysis: Analysis) -> FloatArray:
    return analysis.session.dynamic.time_s


def _positive(values: FloatArray | IntArray, log: bool = True) -> FloatArray:
    x = np.asarray(values, dtype=np.float64)
    return np.maximum(x, FLOOR) if log else x
