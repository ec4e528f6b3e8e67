"""Many blows: directions around the head, peaks, durations, bracing, helmets, and what the source leaves in doubt.

Every run of a sweep is independent; they share the processors, since the compiled steps let go of the interpreter. A
sweep told where to keep its rows writes each one when it is known, and a later call with the same blows makes those
that are missing only.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError, FileError
from biomec.base.frozen import FrozenDict
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.progress import Progress, in_parallel
from biomec.engine.forces.pulses import Pulse
from biomec.machines.head_neck.equilibrium import Equilibrium
from biomec.machines.head_neck.impact import Blow, ImpactOptions, equilibrium_for, simulate_impact
from biomec.machines.head_neck.measures import Measures, risks_of_bric, risks_of_hic
from biomec.machines.head_neck.model import (
    DEGREES,
    EACH,
    MILLISECONDS,
    PRINTED,
    PRODUCT,
    RADIANS,
    SECONDS,
    SHARED,
    SHIFTED,
    TENSOR,
    HeadNeck,
    ModelOptions,
    load_head_neck,
)

HEAD_CENTRE = np.array([0.0, 0.0, 0.02])  # [m] from the centre of mass: of the sphere that stands for a helmet
HEAD_RADIUS = 0.1  # [m]
ROW_FIGURES = ("hic15", "hic36", "bric", "peak_g", "peak_rad_s", "neck_tension_N", "neck_moment_Nm", "ligament_share",
               "level_share")  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """One blow of a sweep: what it is called, and everything that makes it."""

    name: str
    equilibrium: Equilibrium
    blow: Blow
    options: ImpactOptions


@dataclass(frozen=True)
class SweepRow:
    """What came out: `ROW_FIGURES` by name, and how the run ended."""

    name: str
    figures: Mapping[str, float]
    status: str


def directions(subdivisions: int = 2) -> FloatArray:
    """Unit vectors (12, 42, 162, …; 3) that cover a sphere evenly: the corners of a divided icosahedron."""
    golden = (1.0 + np.sqrt(5.0)) / 2.0
    signs = [(a, b) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    corners = np.array([np.roll([0.0, a, golden * b], k) for k in range(3) for a, b in signs])
    corners /= np.linalg.norm(corners[0])
    near = np.linalg.norm(corners[:, None] - corners, axis=2)
    edge = near[near > 0.0].min()
    faces = [
        (i, j, k)
        for i in range(12) for j in range(i + 1, 12) for k in range(j + 1, 12)
        if max(near[i, j], near[j, k], near[i, k]) < 1.01 * edge
    ]  # fmt: skip
    points = [tuple(one) for one in corners]
    for _ in range(subdivisions):
        middle: dict[tuple[int, int], int] = {}

        def half(i: int, j: int, middle: dict[tuple[int, int], int] = middle) -> int:
            key = (min(i, j), max(i, j))
            if key not in middle:
                between = np.add(points[i], points[j])
                middle[key] = len(points)
                points.append(tuple(between / np.linalg.norm(between)))
            return middle[key]

        finer = []
        for i, j, k in faces:
            a, b, c = half(i, j), half(j, k), half(i, k)
            finer += [(i, a, c), (a, j, b), (c, b, k), (a, b, c)]
        faces = finer
    return read_only(points)


def blow_from(side: FloatArray, pulse: Pulse) -> Blow:
    """A blow that comes from a side (3,) of the head, at right angles to the sphere that stands for a helmet."""
    unit = np.asarray(side) / np.linalg.norm(side)
    return Blow(pulse, HEAD_CENTRE + HEAD_RADIUS * unit, -unit)


def direction_trials(
    equilibrium: Equilibrium, pulse: Pulse, options: ImpactOptions, subdivisions: int = 2
) -> list[Trial]:
    """A blow from every one of `directions`; names are azimuth (0 from the front, 90 from the left) and elevation."""
    return [Trial(_side(one), equilibrium, blow_from(one, pulse), options) for one in directions(subdivisions)]


def _side(one: FloatArray) -> str:
    azimuth = np.rad2deg(np.arctan2(one[1], one[0])) % 360.0
    return f"azimuth {azimuth:.1f}° elevation {np.rad2deg(np.arcsin(one[2])):.1f}°"


def peak_trials(equilibrium: Equilibrium, blow: Blow, options: ImpactOptions, factors: Sequence[float]) -> list[Trial]:
    """The blow with its force multiplied."""
    _above_zero("factors of the peak", factors)
    return [
        Trial(
            f"peak × {one:g}",
            equilibrium,
            replace(blow, pulse=Pulse(blow.pulse.time_s, one * blow.pulse.force)),
            options,
        )
        for one in factors
    ]


def duration_trials(
    equilibrium: Equilibrium, blow: Blow, options: ImpactOptions, factors: Sequence[float]
) -> list[Trial]:
    """The blow stretched in time, with the same peak."""
    _above_zero("factors of the duration", factors)
    return [
        Trial(
            f"duration × {one:g}",
            equilibrium,
            replace(blow, pulse=Pulse(one * blow.pulse.time_s, blow.pulse.force)),
            options,
        )
        for one in factors
    ]


def bracing_trials(model: HeadNeck, blow: Blow, options: ImpactOptions, shares: Sequence[float]) -> list[Trial]:
    """The blow to necks tensed by shares of the muscles' force."""
    found = []
    for one in shares:
        braced = replace(options, muscles="braced", bracing=one)
        found.append(Trial(f"bracing {one:g}", equilibrium_for(model, braced), blow, braced))
    return found


def helmet_trials(
    model: ModelOptions, blow: Blow, options: ImpactOptions, masses_kg: Sequence[float], folder: Path | None = None
) -> list[Trial]:
    """The blow to heads with helmets; ``folder`` has files of the model, as for `load_head_neck`."""
    found = []
    for one in masses_kg:
        worn = load_head_neck(replace(model, helmet_kg=one), folder)
        found.append(Trial(f"helmet {one:g} kg", equilibrium_for(worn, options), blow, options))
    return found


DOUBTS: Mapping[str, Mapping[str, str]] = FrozenDict({
    "ligament_levels": {PRINTED: "ligaments as printed", SHIFTED: "ligaments one level lower"},
    "disc_unit": {DEGREES: "disc stiffness in N·m/deg", RADIANS: "disc stiffness in N·m/rad"},
    "capsular": {EACH: "capsular stiffness for each line", SHARED: "capsular stiffness shared by three"},
    "product": {TENSOR: "Ixz as entry of the tensor", PRODUCT: "Ixz as product of inertia"},
    "damping_unit": {SECONDS: "ligament damping in s", MILLISECONDS: "ligament damping in ms"},
})  # fmt: skip
"""Field of `ModelOptions` -> its readings, and what a blow to a model with it is called."""


def doubtful_trials(
    blow: Blow, options: ImpactOptions, model: ModelOptions = ModelOptions(), folder: Path | None = None
) -> list[Trial]:
    """The blow with the other reading of every number of the source that has two, one at a time, and with other points.

    model  : what is assumed where it is not varied;  folder : files of the model, as for `load_head_neck`
    """
    variants = {"as assumed": model}
    for field, readings in DOUBTS.items():
        for reading, name in readings.items():
            if reading != getattr(model, field):
                other: dict[str, Any] = {field: reading}
                variants[name] = replace(model, **other)
    found = [
        Trial(name, equilibrium_for(load_head_neck(one, folder), options), blow, options)
        for name, one in variants.items()
    ]
    push = np.asarray(blow.direction)
    for name, across in (("up", np.array([0.0, 0.0, 1.0])), ("sideways", np.cross(push, (0.0, 0.0, 1.0)))):
        for way in (0.015, -0.015):
            moved = replace(blow, point=np.asarray(blow.point) + way * across)
            found.append(Trial(f"point {1e3 * way:+.0f} mm {name}", found[0].equilibrium, moved, options))
    return found


def sweep(trials: Sequence[Trial], progress: Progress | None = None, kept: Path | None = None) -> tuple[SweepRow, ...]:
    """Rows of all trials, in their order, on all processors.

    progress : may raise to stop; what is known by then stays in ``kept``
    kept     : file of rows (JSON), read first and written as rows come; those of other trials are refused. In a folder,
               every set of trials has a file of its own
    """
    if not trials:
        raise BiomecError("A sweep needs one blow or more.")
    mark = _fingerprint(trials)
    if kept is not None and kept.is_dir():
        kept = kept / f"blows-{mark}.json"
    known = kept_rows(kept, mark) if kept is not None else {}
    missing = [k for k, one in enumerate(trials) if one.name not in known]
    lock = threading.Lock()

    def work(part: slice) -> None:
        for k in missing[part]:
            row = row_of(trials[k])
            with lock:
                known[row.name] = row
                if kept is not None:
                    rows = [
                        {"name": one.name, "figures": dict(one.figures), "status": one.status} for one in known.values()
                    ]
                    with atomic_path(kept) as file:
                        text = json.dumps({"blows": mark, "rows": rows}, indent=1, ensure_ascii=False)
                        file.write_text(text, encoding="utf-8")

    if missing:
        in_parallel(work, len(missing), 1, progress)
    return tuple(known[one.name] for one in trials)


def row_of(trial: Trial) -> SweepRow:
    """Simulate one blow and read it off."""
    impact = simulate_impact(trial.equilibrium, trial.blow, trial.options)
    measures = Measures(impact)
    worst = measures.ligaments
    figures = {
        "hic15": measures.hic15.value, "hic36": measures.hic36.value, "bric": measures.bric, "peak_g": measures.peak_g,
        "peak_rad_s": measures.peak_angular_velocity,
        "neck_tension_N": float(measures.neck_loads[:, 1].max()),
        "neck_moment_Nm": float(np.abs(measures.neck_loads[:, 2]).max()),
        "ligament_share": max((one.strain / one.limit for one in worst), default=0.0),
        "level_share": max(max(one.flexion_deg, one.extension_deg) / one.limit_deg for one in measures.levels),
    }  # fmt: skip
    return SweepRow(trial.name, figures, impact.status)


def risk_map(rows: Sequence[SweepRow]) -> Iterator[dict[str, float]]:
    """P(AIS ≥ 2) by HIC and by BrIC, and P(AIS ≥ 4) by HIC, of every row."""
    for row in rows:
        hic, bric = risks_of_hic(row.figures["hic15"]), risks_of_bric(row.figures["bric"])
        yield {"moderate_hic": hic["moderate"], "moderate_bric": bric["moderate"], "severe_hic": hic["severe"]}


def band(rows: Sequence[SweepRow]) -> dict[str, tuple[float, float]]:
    """Least and greatest of every figure over runs that came to their end."""
    done = [row.figures for row in rows if row.status == "completed"]
    return (
        {name: (min(one[name] for one in done), max(one[name] for one in done)) for name in ROW_FIGURES} if done else {}
    )


def _above_zero(words: str, values: Sequence[float]) -> None:
    if not all(one > 0.0 for one in values):
        raise BiomecError(f"The {words} must be above 0, not {', '.join(f'{one:g}' for one in values)}.")


def _fingerprint(trials: Sequence[Trial]) -> str:
    """What tells one set of trials from another: names, blows, options, tables."""
    mark = sha256()
    for one in trials:
        mark.update(repr((one.name, asdict(one.options), asdict(one.equilibrium.model.options))).encode())
        for part in (one.blow.pulse.time_s, one.blow.pulse.force, one.blow.point, one.blow.direction,
                     *_arrays(one.equilibrium.tables), *_arrays(one.equilibrium.state)):  # fmt: skip
            mark.update(np.asarray(part).tobytes())
    return mark.hexdigest()[:16]


def _arrays(part: object) -> Iterator[object]:
    """All arrays and numbers of tables within tables."""
    if isinstance(part, tuple):
        for inner in part:
            yield from _arrays(inner)
    else:
        yield part


def kept_rows(file: Path, mark: str) -> dict[str, SweepRow]:
    """Rows that a sweep has kept in a file, by name; none if it is not there, refused if they are of other blows."""
    if not file.is_file():
        return {}
    try:
        content = json.loads(whole_file(file, most=LONGEST_DESCRIPTION).decode("utf-8"))
        rows = [SweepRow(str(one["name"]), {str(k): float(v) for k, v in one["figures"].items()}, str(one["status"]))
                for one in content["rows"]]  # fmt: skip
        own = content["blows"] == mark
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FileError(file.name, f"it does not hold the rows of a sweep ({error}). Name another file.") from error
    if not own:
        raise FileError(
            file.name, "it holds the rows of other blows, or of another model. Name another file, or delete it."
        )
    if any(set(row.figures) != set(ROW_FIGURES) for row in rows):
        raise FileError(file.name, "its rows do not have the figures of this version. Delete it, or name another file.")
    return {row.name: row for row in rows}
