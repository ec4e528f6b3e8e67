"""Recordings of virtual people who do push-ups with two grips, as in the published study, in a folder like any other.

[Nunes2017] compares open with closed hands in twelve people. Here virtual people of other statures, masses, sexes and
ways of moving do the same in a virtual laboratory.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from biomec.base.atomic import atomic_path, make_folder
from biomec.base.errors import BiomecError, FileError
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.plain_types import parsed_json
from biomec.base.progress import Progress
from biomec.base.toml_table import written
from biomec.body.loads.load_components import LoadReading
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.settings_file import write_settings
from biomec.study.description import FILE
from biomec.study.published_numbers import GRIPS
from biomec.virtual import RecordOptions, VirtualPerson, record, write_acquisition
from biomec.virtual.push_ups import PushUp

OPTIONS = "virtual-study.json"
"""File beside the recordings that says how they were made."""


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
    """Write the recordings and ``study.toml`` into a folder; those that are there already are not made again.

    A folder holds one virtual study: only people may be added to it.
    """
    make_folder(folder)
    _one_study(folder, options)
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
            for k, grip in enumerate(GRIPS):
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
    write_settings(
        replace(usual, load_reading=LoadReading(axes="distal", normalisation="mass")), folder / "settings.json"
    )
    with atomic_path(folder / FILE) as temporary:
        temporary.write_text(_description(people), encoding="utf-8")


def _one_study(folder: Path, options: VirtualStudy) -> None:
    """Refuse a folder that holds recordings made with other options; keep those of a new one."""
    kept, now = folder / OPTIONS, asdict(options)
    if kept.exists():
        try:
            before = {name: parsed_json(whole_file(kept, LONGEST_DESCRIPTION))[name] for name in now}
        except (ValueError, KeyError, TypeError) as error:
            raise FileError(kept.name, "it does not say how the recordings were made. Choose a new folder.") from error
        other = [name for name in now if before[name] != now[name] and (name != "people" or before[name] > now[name])]
        if other:
            words = ", ".join(f"{name} {before[name]} instead of {now[name]}" for name in other)
            raise BiomecError(f"{folder.name} holds a virtual study with other options ({words}). Choose a new folder.")
    with atomic_path(kept) as temporary:
        temporary.write_text(json.dumps(now), encoding="utf-8")


def _description(people: list[VirtualPerson]) -> str:
    lines = ['name = "Push-ups of virtual people"', 'settings = "settings.json"']
    for grip in GRIPS:
        lines += ["", "[[condition]]", f"name = {written(grip)}"]
    for one in people:
        lines += ["", "[[subject]]", f"code = {written(one.name)}", f"folders = [{written(one.name)}]",
                  f"sex = {written(one.sex)}", f"mass_kg = {one.mass_kg}", f"height_m = {one.height_m}"]  # fmt: skip
    return "\n".join(lines) + "\n"
