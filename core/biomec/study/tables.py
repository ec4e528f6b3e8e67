"""Tidy tables of a whole study, as CSV and Parquet: who and which trial in the first columns, then the numbers.

trials.csv     every trial: person, visit, condition, state, reason, quality
angles.csv, loads.csv, muscles.csv, contacts.csv   a row for each instant (0 to 100 %) of each valid cycle
values.csv     a row for each number of a cycle, stride or trial: measures of curves, time and distance, indices
columns.csv    every column of every table: unit and meaning
provenance.json  version, settings, counts and conventions that the numbers rest on

They hold no name, no date, no file name and no hash of a file: codes stand for people, numbers for days. The same
results give the same bytes, whoever computed them and in whichever order.
"""

from __future__ import annotations

import csv
import importlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from biomec._version import __version__
from biomec.base.errors import BiomecError, FileError
from biomec.base.plain_text import from_cell, table
from biomec.base.together import replaced_together
from biomec.io.registry import extensions
from biomec.pipeline.without_name import cleaners_of
from biomec.recording.step import plain_data
from biomec.study.record import Headline
from biomec.study.study import Study
from biomec.study.trial_tables import CURVE_HEAD, CURVE_TABLES, VALUE_HEAD, VALUES
from biomec.study.trials import StudyTrial

FOLDER = "tables"
TRIALS, COLUMNS, PROVENANCE = "trials", "columns", "provenance.json"
WHICH = ("subject", "sex", "group", "visit", "condition", "number")
"""First columns of every table."""
QUALITY = tuple(one.name for one in fields(Headline))
NAMES = (TRIALS, *CURVE_TABLES, VALUES, COLUMNS)
OURS = (PROVENANCE, *(f"{name}{ending}" for name in NAMES for ending in (".csv", ".parquet")))
MEANINGS = {
    "subject": "code of the person",
    "sex": "female or male, where it is known",
    "group": "group of the person, by study.toml",
    "visit": "number of the session among those of the person",
    "condition": "condition of the movement",
    "number": "number of the trial in its visit and condition",
    "state": "done trials are in the other tables",
    "reason": "why it failed or was excluded",
    "made_of": "fingerprint of recording, settings and version",
    "biomec": "version that analysed it",
    "model": "model of the body",
    "frames": "of the recording",
    "rate_hz": "frames a second [Hz]",
    "cycles": "valid cycles",
    "cycles_found": "cycles",
    "converged": "share of the frames that obey the model [1]",
    "markers_mm": "RMS distance of the markers from the model [mm]",
    "residual_N": "RMS residual force of inverse dynamics [N]",
    "residual_Nm": "RMS residual moment of inverse dynamics [N m]",
    "loads": "verdict about the joint loads",
    "muscles": "verdict about the muscle forces",
    "speed_m_s": "walking speed [m/s]",
    "mass_kg": "of the person in the model [kg]",
    "height_m": "of the person in the model [m]",
    "leg_m": "mean leg length in the model [m]",
    "side": "whose cycle it is: right, left, or both",
    "cycle": "number of the cycle among those of its side; empty for numbers of a whole trial",
    "percent": "of the cycle [%]",
    "table": "what the number was taken from",
    "variable": "curve or figure",
    "unit": "of the number",
    "measure": "peak (largest size, with its sign), highest, lowest, mean, rms, impulse; kind of stride; or mean",
    "value": "the number",
}


@dataclass(frozen=True)
class _Row:
    """A trial and the first cells of its rows."""

    trial: StudyTrial
    cells: tuple[str | int, ...]


def write_tables(study: Study, folder: Path | None = None, parquet: bool = False) -> tuple[Path, ...]:
    """Write all tables of a study, all or none; return their files.

    folder : ``tables`` among the results, if not given
    """
    folder = folder or study.results / FOLDER
    write_parquet = parquet_writer() if parquet else None
    rows = [_Row(one, cells) for one, cells in zip(study.trials, which(study.trials), strict=True)]
    with replaced_together(folder, PROVENANCE, OURS) as stage:
        columns: dict[str, Sequence[str]] = {}
        columns[TRIALS] = _write_trials(rows, stage / f"{TRIALS}.csv")
        counted = [row for row in rows if row.trial.counts]
        for name in (*CURVE_TABLES, VALUES):
            head = _joined_head(study, counted, name)
            if head:
                columns[name] = [*WHICH, *head]
                _write_joined(study, counted, name, head, stage / f"{name}.csv")
        described = [(name, one, _unit(one), _meaning(one)) for name, some in columns.items() for one in some]
        text = table([("table", "column", "unit", "meaning"), *described])
        (stage / f"{COLUMNS}.csv").write_text(text, encoding="utf-8")
        (stage / PROVENANCE).write_text(_provenance(study), encoding="utf-8")
        if write_parquet is not None:
            for name in (*columns, COLUMNS):
                write_parquet(stage / f"{name}.csv", stage / f"{name}.parquet")
        written = sorted(path.name for path in stage.iterdir())
    return tuple(folder / name for name in written)


def which(trials: Sequence[StudyTrial]) -> Iterator[tuple[str | int, ...]]:
    """First cells of the rows of each trial, without what tells who the person is."""
    clean = Clean(trials)
    conditions, groups = clean.levels(lambda one: one.condition), clean.levels(lambda one: one.group)
    for one in trials:
        group, condition = groups.get(one.group, ""), conditions.get(one.condition, "")
        yield one.subject, one.sex, group, one.visit, condition, one.number


class Clean:
    """Takes names, files and days of a person out of texts about its trials."""

    def __init__(self, trials: Sequence[StudyTrial]) -> None:
        self._of: dict[str, list[StudyTrial]] = {}
        for one in trials:
            self._of.setdefault(one.subject or one.id, []).append(one)
        self._made: dict[str, Any] = {}

    def _cleaners(self, one: StudyTrial) -> Any:
        key = one.subject or one.id
        if key not in self._made:
            theirs = self._of[key]
            code = one.subject or "subject"
            files = {path.rpartition("/")[2] for trial in theirs for path in (trial.file, trial.static)}
            names = {trial.person for trial in theirs}
            for trial in theirs:  # folders may tell, but for words that mean session, condition and group
                known = (trial.session, trial.condition, trial.group)
                names |= {_without_whole(folder, known) for folder in trial.file.split("/")[:-1]}
            born = {date.fromisoformat(trial.born) for trial in theirs if trial.born}
            # Recordings may be named by the code already; that word stays.
            files, names = ({without_word(text, code) for text in texts} - {""} for texts in (files, names))
            self._made[key] = cleaners_of(sorted(names), sorted(files), sorted(born), code)
        return self._made[key]

    def label(self, one: StudyTrial, text: str) -> str:
        """A short text, such as a condition."""
        return str(self._cleaners(one)[0](text)) if text else ""

    def sentence(self, one: StudyTrial, text: str) -> str:
        """A sentence, such as a reason; all recordings and days that it names are taken out too."""
        text = _recordings().sub("a recording", text)
        return _DAY.sub("a day", str(self._cleaners(one)[1](text))) if text else ""

    def levels(self, of: Callable[[StudyTrial], str]) -> dict[str, str]:
        """Each text that ``of`` gives of a trial -> one label without the names of anyone whose trials have it.

        Different texts keep different labels.
        """
        labels: dict[str, str] = {}
        for text in sorted({of(one) for theirs in self._of.values() for one in theirs} - {""}):
            label = text
            for theirs in self._of.values():
                first = next((one for one in theirs if of(one) == text), None)
                label = label if first is None else self.label(first, label)
            number = 1
            while label in labels.values():
                number += 1
                label = f"{label.removesuffix(f' {number - 1}')} {number}"
            labels[text] = label
        return labels


def without_word(text: str, word: str) -> str:
    """A text without a word, in any case."""
    return re.sub(re.escape(word), "", text, flags=re.IGNORECASE).strip()


def _without_whole(text: str, words: Iterable[str]) -> str:
    """A text without words that stand alone in it, in any case."""
    for word in filter(None, words):
        text = re.sub(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", "", text, flags=re.IGNORECASE)
    return text.strip()


_DAY = re.compile(r"(?<!\d)(?:19|20)\d\d(-?)[01]\d\1[0-3]\d(?!\d)")  # 2015-04-08, 20150408


@cache
def _recordings() -> re.Pattern[str]:
    """Names of recordings without folders; those with folders are taken out by the cleaner of sentences."""
    endings = "|".join(re.escape(ending) for ending in extensions())
    return re.compile(rf"(?<![\w.~+@/\\-])[\w.~+@-]+(?:{endings})\b", re.IGNORECASE)


def _write_trials(rows: Sequence[_Row], path: Path) -> tuple[str, ...]:
    head = (*WHICH, "state", "reason", *QUALITY, "biomec", "made_of")
    clean = Clean([row.trial for row in rows])
    lines: list[Sequence[object]] = [head]
    for row in rows:
        one = row.trial
        numbers = (
            [_cell(getattr(one.headline, name)) for name in QUALITY] if one.record is not None else [""] * len(QUALITY)
        )
        version = "" if one.record is None else one.record.biomec
        reason = clean.sentence(one, one.reason)
        lines.append([*row.cells, str(one.state), reason, *numbers, version, one.made_of[:16]])
    path.write_text(table(lines), encoding="utf-8")
    return head


def _cell(value: object) -> object:
    if value is None:
        return ""
    return f"{value:.7g}" if isinstance(value, float) else value


def _joined_head(study: Study, rows: Sequence[_Row], name: str) -> list[str]:
    """Columns that any trial has, in the order in which they first come."""
    head: dict[str, None] = {}
    for row in rows:
        for lines in table_lines(study, row.trial, name):
            head |= dict.fromkeys(lines)
            break
    first = CURVE_HEAD if name != VALUES else VALUE_HEAD
    return [*first, *(one for one in head if one not in first)] if head else []


def table_lines(study: Study, trial: StudyTrial, name: str) -> Iterator[list[str]]:
    """Rows of a table of one trial, the head first and all as long as it; none if the trial has no such table."""
    path = study.folder_of(trial) / f"{name}.csv"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            head = next(lines, None)
            if head is None:
                return
            yield head
            for line in lines:
                if len(line) != len(head):
                    why = f"line {lines.line_num} has {len(line)} of {len(head)} cells"
                    raise damaged_table(trial, name, why)
                yield line
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = (error.strerror if isinstance(error, OSError) else "") or str(error)
        raise damaged_table(trial, name, why) from error


def damaged_table(trial: StudyTrial, name: str, why: str) -> FileError:
    """What is said of a table of a trial that cannot be used; it names the trial by codes, for reports too."""
    return FileError(f"{name}.csv", f"a table of {trial.coded} cannot be read ({why}). Analyse the trial again.")


def _write_joined(study: Study, rows: Iterable[_Row], name: str, head: Sequence[str], path: Path) -> None:
    """One table of all trials, trial by trial, so that memory does not grow with the study."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(table([[*WHICH, *head]]))
        for row in rows:
            lines = table_lines(study, row.trial, name)
            own = next(lines, None)
            if own is None:
                continue
            first = table([row.cells]).rstrip("\n")
            if own == list(head):
                file.writelines(f"{first},{_joined(line)}\n" for line in lines)
            else:
                places = [own.index(one) if one in own else -1 for one in head]
                file.writelines(f"{first},{_joined([line[k] if k >= 0 else '' for k in places])}\n" for line in lines)


def _joined(cells: Sequence[str]) -> str:
    """Cells as they were written; quotes only where a cell needs them."""
    text = ",".join(cells)
    if text.count(",") == len(cells) - 1 and '"' not in text:
        return text
    return table([[from_cell(words) for words in cells]]).rstrip("\n")


def _unit(column: str) -> str:
    name, bracket, rest = column.rpartition(" [")
    return rest.rstrip("]") if bracket and name else ""


def _meaning(column: str) -> str:
    return MEANINGS.get(column, column.rpartition(" [")[0] or column)


def _provenance(study: Study) -> str:
    states = {str(state): count for state, count in study.states.items()}
    facts: Mapping[str, Any] = {
        "biomec": __version__,
        "people": len(study.people),
        "trials": states,
        "models": sorted({one.headline.model for one in study.trials if one.counts}),
        "projects_with_settings_of_their_own": sum(one.project for one in study.trials if one.counts),
        "muscles": study.description.muscles,
        "loads": study.settings.load_reading.sentence,
        "cycles": "curves at 0, 1, ... 100 % of the cycle; loads only of cycles whose ground reaction was measured "
        "throughout, muscles only where that holds for every joint that they cross",
        "settings": plain_data(study.settings),
    }
    return json.dumps(facts, indent=1, ensure_ascii=False, default=str) + "\n"


# ------------------------------------------------------------------------------------------------------------- Parquet


def parquet_writer() -> Any:
    """Function (CSV file, Parquet file) that writes one as the other; a sentence where pyarrow is not installed."""
    try:
        csv_reader = importlib.import_module("pyarrow.csv")
        parquet = importlib.import_module("pyarrow.parquet")
        arrow = importlib.import_module("pyarrow")
    except ImportError as error:
        raise BiomecError(
            "Parquet needs the extra part `parquet` (pyarrow, 55 MB). Install it: pip install 'biomec[parquet]'; or "
            "take the tables as CSV, which hold the same."
        ) from error
    whole = {"visit", "number", "cycle", "frames", "cycles", "cycles_found"}
    real = {one.name for one in fields(Headline) if one.type != "str"} | {"percent", "value"}

    def write(source: Path, target: Path) -> None:
        with source.open(encoding="utf-8", newline="") as file:
            head = next(csv.reader(file))
        kinds = {
            name: arrow.int64() if name in whole else arrow.float64() if name in real or _unit(name) else arrow.string()
            for name in head
        }
        options = csv_reader.ConvertOptions(column_types=kinds, strings_can_be_null=False)
        with (
            csv_reader.open_csv(source, convert_options=options) as batches,
            parquet.ParquetWriter(target, batches.schema) as writer,
        ):
            for batch in batches:
                writer.write_batch(batch)

    return write
