"""Mapping profiles as TOML files: a laboratory's labels and the markers that they mean."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import Path

from biomec.base.atomic import atomic_path
from biomec.base.description_file import read_text
from biomec.base.errors import BiomecError, DescriptionError
from biomec.base.toml_table import read_toml, written, written_key
from biomec.recording.label_map import LabelMap

FILE_KEYS = ("name", "marker_set", "ignored", "targets")


def read_label_map(path: Path | Traversable) -> LabelMap:
    """Mapping profile from a file."""
    return parse_label_map(read_text(path), path.name)


def parse_label_map(text: str, source: str) -> LabelMap:
    """Mapping profile from TOML ``text``; messages call it ``source``. Raises `DescriptionError` and nothing else."""
    top = read_toml(text, source)
    top.only(FILE_KEYS)
    table = top.table("targets")
    targets = {label: table.text(label) for label in table.values}
    ignored = tuple(top.texts("ignored")) if "ignored" in top else ()
    name, marker_set = top.text("name"), top.text("marker_set")
    try:
        return LabelMap(name, marker_set, targets, ignored)
    except BiomecError as error:
        raise DescriptionError(f"{source}: {error}") from error


def describe_label_map(label_map: LabelMap) -> str:
    """TOML text of a mapping profile: label in the file = marker in Biomec."""
    lines = [
        f"name = {written(label_map.name)}",
        f"marker_set = {written(label_map.marker_set)}",
        f"ignored = {written(label_map.ignored)}",
        "",
        "[targets]",
        *(f"{written_key(label)} = {written(target)}" for label, target in label_map.targets.items()),
    ]
    return "\n".join(lines) + "\n"


def write_label_map(label_map: LabelMap, path: Path) -> None:
    """Save a mapping profile; an interrupted save leaves the old file as it was."""
    with atomic_path(path) as temporary:
        temporary.write_text(describe_label_map(label_map), encoding="utf-8", newline="\n")
