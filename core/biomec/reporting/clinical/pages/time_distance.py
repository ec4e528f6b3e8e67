"""Time and distance beside the norm, as a table and as bars; push-ups in figures where these are the movement."""

from __future__ import annotations

import math

from biomec.reporting.clinical.blocks import Bar, Bars, Block, LeftOut, Page, Words
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.material import Material
from biomec.reporting.content.time_and_distance_section import CAPTIONS, NOTES, ONLY_FOR, section_of
from biomec.reporting.indices.push_ups import PUSH_UPS, push_up_tables, push_ups
from biomec.reporting.norms.choice import usual_speed
from biomec.reporting.norms.norm import SpeedOfAge
from biomec.reporting.norms.norm_file import shipped_norm, shipped_norms
from biomec.reporting.statistics.time_and_distance import BOTH, PARAMETERS, TimeAndDistance
from biomec.reporting.tables import NOTHING, Table, number, with_spread
from biomec.signals.gait_parameters import StrideKind

KIND, TITLE = "time and distance", "Time and distance"
IN_BARS = ("speed", "cadence", "stride_length", "step_length", "step_width", "stride_time", "foot_off",
           "single_support", "double_support")  # fmt: skip
SIDES = ("Right", "Left")
Norm = tuple[float, float]


def time_distance_page(material: Material, entry: PageEntry) -> Page | LeftOut:
    """Strides of a walk, or repetitions of push-ups."""
    walk, title = material.visit.time_and_distance, entry.title or TITLE
    if walk is not None:
        return Page(KIND, title, _walk(material, walk))
    pushed = [(trial.name, push_ups(trial.analysis)) for trial in material.visit.counted]
    made = [(name, one) for name, one in pushed if one is not None]
    if not made:
        return LeftOut(title, "The recordings have no strides between two contacts of the same foot.")
    blocks: list[Block] = []
    for name, one in made:
        blocks += [Words((), name)] if len(made) > 1 else []
        blocks += push_up_tables(one)
    return Page(KIND, entry.title or PUSH_UPS, tuple(blocks))


def _walk(material: Material, walk: TimeAndDistance) -> tuple[Block, ...]:
    norms, words = _norms(material, walk)
    section = section_of(walk)
    blocks: list[Block] = [Words(section.sentences)]
    for kind in walk.kinds:
        if kind is StrideKind.STRAIGHT:
            blocks.append(_table(walk, norms, words))
            bars = _bars(walk, norms)
            blocks += [bars] if bars.bars else []
        else:
            blocks += [one for one in section.tables if one.caption == CAPTIONS[kind]]
    return tuple(blocks)


def _norms(material: Material, walk: TimeAndDistance) -> tuple[dict[str, Norm], str]:
    """Key of a figure -> mean and SD of the norm, and what is behind it. None on a treadmill."""
    if walk.belt_m_s:
        return {}, "The norms are of walking over ground and are not shown for a treadmill."
    found: dict[str, Norm] = {}
    norm, words = material.norm, ""
    if norm is not None:
        given = {one.name: (one.mean, one.sd) for one in norm.parameters}
        found = {key: given[name] for key in PARAMETERS if (name := key.replace("_", " ")) in given}
        words = f"Norm: {norm.about.title} ({norm.about.people})." if found else ""
    age = material.visit.age_years
    if "speed" not in found and age is not None:
        usual = usual_speed(_speeds(), age, material.visit.subject.sex)
        if usual is not None:
            found["speed"], found["speed_without_dimension"] = usual.speed_m_s, usual.dimensionless
            words += f" Speed: {usual.people} people of {usual.age_from:g} to {usual.age_to:g} years."
    return found, words.strip()


def _speeds() -> list[SpeedOfAge]:
    return [one for name in shipped_norms() for one in shipped_norm(name).speeds]


def _table(walk: TimeAndDistance, norms: dict[str, Norm], words: str) -> Table:
    kind, rows = StrideKind.STRAIGHT, []
    for key, parameter in PARAMETERS.items():
        spreads = [walk.spread(key, side, kind) for side in (*SIDES, BOTH)]
        if kind not in ONLY_FOR.get(key, (kind,)) or not any(spreads):
            continue
        cells = [NOTHING if one is None else with_spread(one.mean, one.sd, parameter.digits) for one in spreads]
        unit = "" if parameter.unit == "1" else f" [{parameter.unit}]"
        beside = with_spread(*norms[key], parameter.digits) if key in norms else NOTHING
        rows.append((parameter.title + unit, *cells, beside, number(walk.symmetry(key, kind), 1)))
    columns = ("", *SIDES, "Both", "Norm", "Right / left [%]")
    return Table(CAPTIONS[kind], columns, tuple(rows), f"{NOTES[kind]} {words}".strip())


def _bars(walk: TimeAndDistance, norms: dict[str, Norm]) -> Bars:
    bars = []
    for key in IN_BARS:
        parameter = PARAMETERS[key]
        if norms and key not in norms:
            continue
        right, left, both = (_value(walk.mean(key, side)) for side in (*SIDES, BOTH))
        if right is None and left is None and both is None:
            continue
        sides = right is not None or left is not None
        alone = key in ("speed", "cadence") or not sides  # of the walk as a whole
        bars.append(
            Bar(parameter.title, parameter.unit, None if alone else right, None if alone else left,
                both if alone else None, None, norms.get(key), parameter.digits)
        )  # fmt: skip
    return Bars("Beside the norm" if norms else "Right and left", tuple(bars), False)


def _value(value: float) -> float | None:
    return value if math.isfinite(value) else None
