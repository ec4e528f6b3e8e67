"""What a researcher takes out by hand, with the reason: trials and cycles, in ``decisions.toml`` among the results.

Decisions are only ever added, each with its day, so that the file is also the history; the last one about a trial or
a cycle holds, and one without a reason lets it count again, also where ``study.toml`` or a project excludes the trial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from biomec.base.atomic import atomic_path
from biomec.base.description_file import read_text
from biomec.base.errors import FileError
from biomec.base.save_lock import save_lock
from biomec.base.toml_table import TomlTable, read_toml, written
from biomec.recording.clinical_notes import ExcludedCycle

FILE = "decisions.toml"
HEAD = (
    "# What was taken out by hand. The last entry about a trial or a cycle holds; without a reason it counts again.\n"
)


@dataclass(frozen=True)
class Decisions:
    """trials : id -> why it does not count, "" if it does;  cycles : id -> cycles that do not count."""

    trials: Mapping[str, str] = field(default_factory=dict)
    cycles: Mapping[str, tuple[ExcludedCycle, ...]] = field(default_factory=dict)


def read_decisions(results: Path) -> Decisions:
    """Decisions that hold."""
    path = results / FILE
    if not path.exists():
        return Decisions()
    table = read_toml(read_text(path), path.name, with_lines=True)
    table.only(("decision",))
    trials: dict[str, str] = {}
    cycles: dict[str, dict[tuple[str, int], str]] = {}
    for one in table.tables("decision"):
        one.only(("trial", "side", "frame", "reason", "day"))
        trial, reason = one.text("trial"), _reason(one)
        if "frame" in one:
            cycles.setdefault(trial, {})[one.text("side"), int(one.numbers("frame", ()))] = reason
        else:
            trials[trial] = reason
    return Decisions(
        trials,
        {
            trial: tuple(ExcludedCycle(side, frame, why) for (side, frame), why in sorted(some.items()) if why)
            for trial, some in cycles.items()
        },
    )


@dataclass(frozen=True)
class Decision:
    """Why a trial, or one of its cycles (side and first frame), does not count; "" if it counts."""

    trial: str
    reason: str
    cycle: tuple[str, int] | None = None


def decide(results: Path, trial: str, reason: str, cycle: tuple[str, int] | None = None) -> None:
    """Take a trial out, or one of its cycles (side and first frame); without a reason it counts again."""
    decide_all(results, (Decision(trial, reason, cycle),))


def decide_all(results: Path, decisions: Sequence[Decision]) -> None:
    """Add decisions to the file, all of them or none."""
    text = "".join(map(_entry, decisions))
    path = results / FILE
    try:
        results.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(results.name, f"the folder cannot be made ({error.strerror or error}).") from error
    with save_lock(path):
        before = read_text(path) if path.exists() else HEAD
        read_toml(before, path.name)  # never added to what cannot be read
        with atomic_path(path) as temporary:
            temporary.write_text(before.rstrip("\n") + "\n" + text, encoding="utf-8")


def _entry(decision: Decision) -> str:
    cycle, reason = decision.cycle, " ".join(decision.reason.split())
    if cycle is not None:
        ExcludedCycle(*cycle, reason or "counts again")  # a sentence if there is no such side
    lines = ["", "[[decision]]", f"trial = {written(decision.trial)}"]
    lines += [] if cycle is None else [f"side = {written(cycle[0])}", f"frame = {cycle[1]}"]
    return "\n".join([*lines, f"reason = {written(reason)}", f"day = {date.today().isoformat()}", ""])


def _reason(table: TomlTable) -> str:
    value = table.values.get("reason", "")
    if not isinstance(value, str):
        raise table.refusal("reason is a text in quotes.", "reason")
    return value.strip()
