"""The published study of push-ups made anew with virtual people: many people, two grips, beside the published numbers.

[Nunes2017] compares open with closed hands in twelve people. Here virtual people of other statures, masses, sexes and
ways of moving do the same in a virtual laboratory; their recordings are a study like any other. Published numbers stand
beside ours with their differences. A virtual person is not one of the twelve: sizes differ, and only what follows from
the movement itself, such as how alike the curves of both grips are, may be expected to agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from biomec.base.atomic import atomic_path, make_folder
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.base.toml_table import written
from biomec.body.loads.load_components import LoadReading
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.settings_file import write_settings
from biomec.reporting.tables import table_text
from biomec.study.comparison import compare_levels
from biomec.study.description import FILE
from biomec.study.groups import CONDITION, levels_of
from biomec.study.study import Study
from biomec.virtual import RecordOptions, VirtualPerson, record, write_acquisition
from biomec.virtual.push_ups import PushUp

Hands: TypeAlias = Literal["open", "closed"]
OPEN: Hands = "open"
CLOSED: Hands = "closed"
COMPONENTS = ("Fx", "Fy", "Fz", "Tx", "Ty", "Tz")
"""Force and torque of the proximal on the distal segment, along its axes: forward, up, to the right."""
CORRELATION: Mapping[str, tuple[float, ...]] = {
    "right sternoclavicular": (0.978, 0.993, 0.992, 0.986, 0.989, 0.977),
    "right acromioclavicular": (0.998, 1.00, 0.994, 0.948, 0.974, 0.994),
    "right glenohumeral": (0.998, 0.999, 0.855, 0.698, -0.208, 0.992),
    "right elbow": (0.970, 0.997, 0.480, 0.079, 0.945, 0.976),
}
"""Joint -> Pearson's r of the mean curves of both grips ([Nunes2017] Table 5.11)."""
RESIDUAL_N, RESIDUAL_NM = 51.7, 23.7
"""RMS residual of force and torque, all cycles ([Nunes2017] Table 5.13)."""


@dataclass(frozen=True)
class VirtualStudy:
    """What the virtual study consists of; the same options give the same recordings, bit by bit.

    trials, cycles : of each person and grip, and in each trial;  rate_hz : of cameras and plates
    """

    people: int = 12
    trials: int = 1
    cycles: int = 5
    rate_hz: float = 100.0
    seed: int = 1

    def __post_init__(self) -> None:
        for name, most in (("people", 500), ("trials", 50), ("cycles", 50)):
            if not 1 <= getattr(self, name) <= most:
                raise BiomecError(f"The virtual study has 1 to {most} {name}, not {getattr(self, name)}.")


def make_recordings(folder: Path, options: VirtualStudy = VirtualStudy(), progress: Progress | None = None) -> None:
    """Write the recordings and ``study.toml`` into a folder; those that are there already are not made again."""
    make_folder(folder)
    rng = np.random.default_rng(options.seed)
    people = []
    total = options.people * options.trials * 2
    for number in range(options.people):
        height = float(rng.normal(1.75, 0.06))
        person = VirtualPerson(
            round(float(rng.normal(25.5, 1.5)) * height**2, 1), round(height, 3), ("male", "female")[number % 2],
            name=f"S{number + 1:02d}",
        )  # fmt: skip
        people.append(person)
        style = {
            "cycle_s": float(rng.uniform(3.2, 4.1)),
            "phase_change": float(rng.uniform(0.50, 0.60)),
            "variation": float(rng.uniform(0.01, 0.05)),
        }
        for trial in range(options.trials):
            for k, grip in enumerate((OPEN, CLOSED)):
                made = (number * options.trials + trial) * 2 + k
                place = folder / person.name / f"take{trial + 1}" / grip
                if not (place / "done").exists():
                    noise = RecordOptions(
                        rate_hz=options.rate_hz, plate_rate_hz=options.rate_hz, noise_mm=0.3, soft_tissue_mm=3.0,
                        plate_noise_n=0.5, seed=1000 * options.seed + made,
                    )  # fmt: skip
                    movement = PushUp(grip, options.cycles, **style)
                    write_acquisition(record(movement, person, noise), place)
                    (place / "done").touch()
                if progress is not None:
                    progress((made + 1) / total)
    usual = AnalysisSettings()
    write_settings(replace(usual, load_reading=LoadReading(axes="distal")), folder / "settings.json")
    with atomic_path(folder / FILE) as temporary:
        temporary.write_text(_description(people), encoding="utf-8")


def _description(people: list[VirtualPerson]) -> str:
    lines = ['name = "Push-ups of virtual people"', 'settings = "settings.json"']
    for grip in (OPEN, CLOSED):
        lines += ["", "[[condition]]", f"name = {written(grip)}"]
    for one in people:
        lines += ["", "[[subject]]", f"code = {written(one.name)}", f"folders = [{written(one.name)}]",
                  f"sex = {written(one.sex)}", f"mass_kg = {one.mass_kg}", f"height_m = {one.height_m}"]  # fmt: skip
    return "\n".join(lines) + "\n"


def published_csv(study: Study) -> str:
    """Every published number beside ours: table, what, unit, published, here, difference."""
    rows: list[tuple[str, str, str]] = []
    values: list[tuple[float, float]] = []
    found = compare_levels(
        "loads", CONDITION, levels_of(study, "loads", levels=(OPEN, CLOSED), words=tuple(CORRELATION))
    )
    (pair,) = found.pairs
    for joint, published in CORRELATION.items():
        places = [
            c for c, name in enumerate(found.names) if name.startswith(f"{joint} ")
        ]  # force, then moment; X, Y, Z
        if len(places) != len(COMPONENTS):
            raise BiomecError(f"The loads of the {joint} have {len(places)} components instead of {len(COMPONENTS)}.")
        for component, c, r in zip(COMPONENTS, places, published, strict=True):
            rows.append(("5.11", f"r of open and closed, {joint} {component}", "1"))
            values.append((r, float(pair.comparison.pearson[c])))
    heads = [one.headline for one in study.trials if one.counts]
    for what, unit, there, ours in (
        ("RMS residual force", "N", RESIDUAL_N, [one.residual_N for one in heads]),
        ("RMS residual torque", "N m", RESIDUAL_NM, [one.residual_Nm for one in heads]),
    ):
        known = np.array([one for one in ours if one is not None])
        rows.append(("5.13", what, unit))
        values.append((there, float(np.sqrt((known**2).mean())) if known.size else float("nan")))
    numbers = np.array([(a, b, b - a) for a, b in values])
    return table_text(["table", "quantity", "unit", "published", "here", "difference"], rows, numbers)
