"""The settings of an analysis as a file: JSON, the same as ``settings.json`` among the results of every analysis."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

from biomec.base.atomic import atomic_path
from biomec.base.errors import FileError
from biomec.base.notices import Notice
from biomec.pipeline.former_names import renamed
from biomec.pipeline.plain_settings import restored
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording.step import plain_data


def settings_text(settings: AnalysisSettings) -> str:
    """Settings as JSON."""
    return json.dumps(plain_data(settings), indent=2, ensure_ascii=False) + "\n"


def write_settings(settings: AnalysisSettings, path: Path) -> None:
    """Write settings to a file, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(settings_text(settings), encoding="utf-8")


def read_settings(path: Path) -> tuple[AnalysisSettings, tuple[Notice, ...]]:
    """Return the settings of a file, and notices about what this version of Biomec could not use of it."""
    path = Path(path)
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise FileError(path.name, f"cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise FileError(path.name, f"it is no JSON ({error}).") from error
    data = renamed(data) if isinstance(data, dict) else data
    if not isinstance(data, dict) or not {field.name for field in fields(AnalysisSettings)} & data.keys():
        raise FileError(
            path.name,
            "it holds no settings of an analysis. Such a file is settings.json of an analysis that was written.",
        )
    return restored(AnalysisSettings, data)


def found_on_the_recording(settings: AnalysisSettings) -> tuple[str, ...]:
    """What of the settings is true of one recording only, in words: places in its static, times of its contacts."""
    options, words = settings.body.options, []
    if options.points:
        words.append(f"functional centres ({', '.join(options.points)})")
    if options.axes:
        words.append(f"functional axes ({', '.join(options.axes)})")
    if settings.signals.by_hand:
        words.append("contacts that were given to a hand or foot by hand")
    return tuple(words)


def with_findings_of(settings: AnalysisSettings, other: AnalysisSettings) -> AnalysisSettings:
    """Return settings in which all that is true of one recording only is taken from others."""
    theirs = other.body.options
    options = replace(settings.body.options, points=theirs.points, axes=theirs.axes)
    return replace(
        settings,
        signals=replace(settings.signals, by_hand=other.signals.by_hand),
        body=replace(settings.body, options=options),
    )
