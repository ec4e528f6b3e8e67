"""Curves of the body's motion: joint angles, segments, whole body, landmarks, natural coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from biomec.base.arrays import FloatArray
from biomec.pipeline.analysis import Analysis
from biomec.reporting.clinical_presentation import ANGLE, clinical_of
from biomec.reporting.statistics.angle_ranges import SEGMENTS_OF
from biomec_app.curves.curve import (
    AXES,
    DEGREES,
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
from biomec_app.kit.words import point_words

ANGLES, SEGMENTS, BODY = "Joint angles", "Segments", "Whole body"
LANDMARKS, LANDMARKS_RAW, COORDINATES = "Landmarks", "Landmarks, as measured", "Natural coordinates"
IN_LAB, CENTRE = " in the laboratory", "centre of mass"
LEAST_DEG, LEAST_MM, LEAST_SPEED, LEAST_ACCELERATION = 20.0, 10.0, 0.1, 1.0
RATES = (("", ""), ("velocity", "/s"), ("acceleration", "/s²"))


def _time(analysis: Analysis) -> FloatArray:
    return analysis.session.dynamic.time_s


def joint_angles(analysis: Analysis) -> Iterator[Curve]:
    """Every joint angle [°], its two directions named."""
    if "angles" not in analysis.done:
        return
    angles, time = analysis.angles, _time(analysis)
    from_static = angles.options.subtract_static  # what counts from the static pose has no norm
    for k, name in enumerate(angles.names):
        joint, side = angles.joint[k], angles.side[k]
        stem = joint if side is None else joint.removeprefix(f"{side.value} ")
        title = capital(stem.removesuffix(IN_LAB))
        group = title + (f" ({SEGMENTS_OF[stem]})" if stem in SEGMENTS_OF else "")
        yield Curve(
            f"angle/{name}", ANGLES, group, side, angles.positive[k], name, "°",
            column(time, angles.values, k, scale=DEGREES), title,
            f"{angles.positive[k]}\N{NO-BREAK SPACE}+ / {angles.negative[k]}\N{NO-BREAK SPACE}−",
            step="angles", least=LEAST_DEG, compared=3,
            clinical=None if from_static else clinical_of(ANGLE, stem, angles.positive[k], angles.negative[k]),
        )  # fmt: skip


def segments(analysis: Analysis) -> Iterator[Curve]:
    """Centre of mass and angular rates of every segment, along the laboratory's axes."""
    if "segments" not in analysis.done:
        return
    motion, time = analysis.segments, _time(analysis)
    levels = (
        ("position", CENTRE, "mm", motion.p_com, MM, LEAST_MM),
        ("velocity", CENTRE, "m/s", motion.v_com, 1.0, LEAST_SPEED),
        ("acceleration", CENTRE, "m/s²", motion.a_com, 1.0, LEAST_ACCELERATION),
        ("angular velocity", "", "°/s", motion.omega, DEGREES, LEAST_DEG),
        ("angular acceleration", "", "°/s²", motion.alpha, DEGREES, 5.0 * LEAST_DEG),
    )
    for s, name in enumerate(motion.names):
        side, stem = side_of_name(name)
        for short, of, unit, table, scale, least in levels:
            for i, axis in enumerate(AXES):
                yield Curve(
                    f"segment/{name}/{short} {axis[0]}", SEGMENTS, name, side, f"{short} {axis[0]}",
                    f"{name}, {of + ', ' if of else ''}{short} {axis[0]}", unit,
                    column(time, table, s, i, scale=scale), capital(stem),
                    f"{short} {along(axis)}{' · ' + of if of else ''}", step="segments", least=least,
                )  # fmt: skip


def whole_body(analysis: Analysis) -> Iterator[Curve]:
    """Centre of mass of the whole body."""
    if "segments" not in analysis.done:
        return
    motion, time = analysis.segments, _time(analysis)
    for short, unit, table, scale, least in (
        ("position", "mm", motion.whole_body_com, MM, LEAST_MM),
        ("velocity", "m/s", motion.whole_body_velocity, 1.0, LEAST_SPEED),
        ("acceleration", "m/s²", motion.whole_body_acceleration, 1.0, LEAST_ACCELERATION),
    ):
        for i, axis in enumerate(AXES):
            yield Curve(
                f"body/{short} {axis[0]}", BODY, CENTRE, None, f"{short} {axis[0]}",
                f"whole body, {CENTRE}, {short} {axis[0]}", unit,
                column(time, table, i, scale=scale), "Whole body",
                f"{short} {along(axis)} · {CENTRE}", step="segments", least=least,
            )  # fmt: skip


def landmarks(analysis: Analysis) -> Iterator[Curve]:
    """Landmarks as measured, and as the model puts them."""
    if "body" not in analysis.done:
        return
    loaded, time = analysis.body, _time(analysis)
    body = loaded.person
    owners = landmark_owners(analysis)
    if "positions" in analysis.done:
        q = (analysis.motion if "motion" in analysis.done else analysis.positions).q
        for name, segment in owners.items():
            place = once(partial(body.system.layout.point(f"{segment}.{name}"), q))
            yield from _point(analysis, f"landmark/{name}", LANDMARKS, name, time, place, "positions", MAIN)
    for name in owners or loaded.points:
        yield from _point(analysis, f"landmark raw/{name}", LANDMARKS_RAW, name, time, loaded.points[name], "body", RAW)


def landmark_owners(analysis: Analysis) -> dict[str, str]:
    """Landmark -> segment of the model that it is fixed in, for the landmarks whose shift is known."""
    if "positions" not in analysis.done:
        return {}
    positions, body = analysis.positions, analysis.body.person
    bodies = body.system.layout.bodies
    return {
        name: next(segment.name for segment in body.segments if name in bodies[segment.name].points)
        for name in positions.landmarks
    }


def _point(
    analysis: Analysis, key: str, kind: str, name: str, time: FloatArray, place: Table, step: str, variant: str
) -> Iterator[Curve]:
    side, stem = side_of_point(name, analysis.preparation.marker_set)
    words = point_words(name)
    for i, axis in enumerate(AXES):
        yield Curve(
            f"{key}/{axis[0]}", kind, name, side, axis[0], f"{name} {axis[0]}", "mm",
            column(time, place, i, scale=MM), title_of(stem, words), along(axis), variant, step, least=LEAST_MM,
            said="as measured" if variant == RAW else "consistent", words=words,
        )  # fmt: skip


def coordinates(analysis: Analysis) -> Iterator[Curve]:
    """Natural coordinates of every segment: basic points and unit vectors, and their rates."""
    if "positions" not in analysis.done:
        return
    motion = analysis.motion if "motion" in analysis.done else analysis.positions
    body, time = analysis.body.person, _time(analysis)
    layout = body.system.layout
    for segment in body.segments:
        side, stem = side_of_name(segment.name)
        columns = layout.columns(segment.name)
        for slot, element in enumerate(segment.basis):
            vector = element in ("x", "y", "z")
            what = f"axis {element}" if vector else element
            short, own = (
                (what, None) if vector else (side_of_point(element, analysis.preparation.marker_set)[1], element)
            )
            for i, axis in enumerate(AXES):
                at = int(columns[3 * slot + i])
                for (rate, per), table in zip(
                    RATES, (motion.q, getattr(motion, "qdot", None), getattr(motion, "qddot", None)), strict=True
                ):
                    if table is None or at < 0:
                        continue
                    unit = ("1" + per if per else "") if vector else ("m" + per if per else "mm")
                    component = f"{own or what} {axis[0]}" + (f" {rate}" if rate else "")
                    yield Curve(
                        f"coordinate/{segment.name}/{what} {axis[0]}" + (f" {rate}" if rate else ""), COORDINATES,
                        segment.name, side, component, f"{segment.name}, {component}", unit,
                        column(time, table, at, scale=MM if unit == "mm" else 1.0), capital(stem),
                        f"{short} {rate + ' ' if rate else ''}{along(axis)}", step="motion" if per else "positions",
                    )  # fmt: skip
