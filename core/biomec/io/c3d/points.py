"""Which points of a C3D file are markers, which have no name, and which are results that a program stored as points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import IntArray
from biomec.base.notices import Notice, info, warning
from biomec.io.c3d.parameters import Parameters
from biomec.io.labels import listed, unique_names

# Lists of the POINT group, the kind of their members and the parameter with their unit.
LISTS = {
    "ANGLES": ("angle", "ANGLE_UNITS"),
    "FORCES": ("force", "FORCE_UNITS"),
    "MOMENTS": ("moment", "MOMENT_UNITS"),
    "POWERS": ("power", "POWER_UNITS"),
    "SCALARS": ("scalar", "SCALAR_UNITS"),
    "MODELED_MARKERS": ("modelled point", "UNITS"),
    "REACTIONS": ("reaction", "REACTION_UNITS"),
}
UNIT_OF_KIND = dict(LISTS.values())

# Names that model outputs have where no list tells: Plug-in Gait and programs that follow it, Oxford foot model.
PATTERNS = (
    (re.compile(r"^([LR]?[A-Z]\w*Angles|[LR]AbsAnkleAngle)$"), "angle"),  # not …InferiorAngle, a landmark
    (re.compile(r"^[LR]?[A-Z]\w*(Forces?|GRF)$"), "force"),
    (re.compile(r"^[LR]?[A-Z]\w*Moments?$"), "moment"),
    (re.compile(r"^[LR]?[A-Z]\w*Powers?$"), "power"),
    (re.compile(r"^[LR](ArchHeight(Index)?|ViconLegLength)$"), "scalar"),
    (re.compile(r"^Cent(re|er)OfMass(Floor)?$"), "modelled point"),
    (re.compile(r"^[LR](H|K|A|S|E|W)JC(Harrington)?$"), "modelled point"),
    (re.compile(r"^(proj[LR]\w+|PEL0|[LR](KAX|PROXFF|D1M0|HE1|HFplantar))$"), "modelled point"),
)
UNIT_IN_DESCRIPTION = {"deg": "angle", "rad": "angle", "nmm": "moment", "nm": "moment", "n": "force", "w": "power"}
BONE = "OALP"  # origin, anterior, lateral and proximal end of the axes of a Plug-in Gait segment
OXFORD = re.compile(r"^[LR](FOF|HDF|HLX)[0-3]$|^[LR]TIB[1-3]$|^[LR]ANK1$")  # only together with all of …FOF0-3
UNLABELLED = re.compile(r"^(\*\d*|unlabell?ed[ _-]?\d*|unidentified[ _-]?\d*|uname\*?\d+)$", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class NamedPoints:
    """Points of one sort: their names, unique, and their columns in the file."""

    names: tuple[str, ...]
    columns: IntArray


@dataclass(frozen=True, eq=False)
class SortedPoints:
    """The points of a file, sorted. ``kinds`` and ``units`` belong to ``outputs``."""

    subject: str
    markers: NamedPoints
    unlabelled: NamedPoints
    others: dict[str, NamedPoints]
    outputs: NamedPoints
    kinds: tuple[str, ...]
    units: tuple[str, ...]
    notices: tuple[Notice, ...]


def sort_points(file: str, parameters: Parameters, count: int) -> SortedPoints:
    """Sort ``count`` points by their labels, the lists of model outputs and the subjects' prefixes."""
    labels = list(parameters.texts("POINT", "LABELS")[:count])
    given = len(labels)
    descriptions = [*parameters.texts("POINT", "DESCRIPTIONS")[:count], *[""] * count][:count]
    labels += [""] * (count - len(labels))
    split = [_split(label) for label in labels]
    subject = _main_subject(parameters, split)
    kinds = _kinds(parameters, labels, [name for _, name in split], descriptions)

    sorts: dict[tuple[str, str], list[int]] = {}
    names: list[str] = []
    for column, ((owner, name), kind) in enumerate(zip(split, kinds, strict=True)):
        owner = "" if owner == subject else owner
        if not name or UNLABELLED.match(name):
            sorts.setdefault(("unlabelled", ""), []).append(column)
            names.append(labels[column] or f"*{column + 1}")
        elif kind:
            sorts.setdefault(("outputs", ""), []).append(column)
            names.append(f"{owner}:{name}" if owner else name)
        else:
            sorts.setdefault(("markers", owner), []).append(column)
            names.append(name)

    notices: list[Notice] = []

    def named(sort: str, owner: str, what: str) -> NamedPoints:
        columns = sorts.get((sort, owner), [])
        unique, notes = unique_names([names[column] for column in columns], what)
        notices.extend(notes)
        return NamedPoints(tuple(unique), np.array(columns, dtype=np.int64))

    markers = named("markers", "", "marker")
    unlabelled = named("unlabelled", "", "point without a label")
    others = {who: named("markers", who, f"marker of {who}") for sort, who in sorts if sort == "markers" and who}
    outputs = named("outputs", "", "model output")
    kept = [kinds[column] for column in outputs.columns]
    units = [parameters.text("POINT", UNIT_OF_KIND[kind]) for kind in kept]
    if kept:
        notices.append(
            info(
                "c3d-model-outputs",
                f"{file}: {len(kept)} of {count} points are results of another program, not markers; kept apart.",
            )
        )
    if others:
        sentence = (
            f"{file} also holds markers of {listed(list(others))}; kept apart from those of {subject or 'the first'}."
        )
        notices.append(info("c3d-other-subjects", sentence, *others))
    notices += _unnamed(file, given, count, len(unlabelled.names)) + _ghosts(file, parameters, split)
    return SortedPoints(subject, markers, unlabelled, others, outputs, tuple(kept), tuple(units), tuple(notices))


def _unnamed(file: str, given: int, count: int, unlabelled: int) -> list[Notice]:
    """Say so if names are missing that should be there: of all points, or of those behind the last name."""
    if not count or (unlabelled < count and given >= count):
        return []
    if unlabelled == count:
        code, what = "c3d-no-labels", f"{file}: none of its {count} points has a name, so that there are no markers."
    else:
        code, what = "c3d-labels-short", f"{file} holds {count} points, but names for {given} only."
    sentence = f"{what} Label them in the capture system; if they were labelled there, the file is damaged."
    return [warning(code, sentence)]


def _ghosts(file: str, parameters: Parameters, split: Sequence[tuple[str, str]]) -> list[Notice]:
    """Say so if the lists of model outputs name points that are not there."""
    known = {name for _, name in split}
    absent: dict[str, list[str]] = {}
    for name in LISTS:
        for member in parameters.texts("POINT", name):
            if member and _split(member)[1] not in known:
                absent.setdefault(name, []).append(member)
    if not absent:
        return []
    members = [member for group in absent.values() for member in group]
    sentence = (
        f"{file}: {', '.join(absent)} of the group POINT name {listed(members)}, but no point is called so. "
        "They were deleted by another program, or the file is damaged."
    )
    return [warning("c3d-list-without-points", sentence, *members)]


def _split(label: str) -> tuple[str, str]:
    """Subject and name of ``Subject:NAME``; the subject is empty where there is none."""
    owner, colon, name = label.partition(":")
    return (owner.strip(), name.strip()) if colon and owner.strip() and name.strip() else ("", label.strip())


def _main_subject(parameters: Parameters, split: Sequence[tuple[str, str]]) -> str:
    """The first subject named by the file who has points; else the one with most; points without prefix are theirs."""
    stated = parameters.texts("SUBJECTS", "NAMES")
    counts: dict[str, int] = {}
    for owner, _ in split:
        counts[owner] = counts.get(owner, 0) + 1
    bare = counts.pop("", 0)
    present = [name for name in stated if name in counts]
    if not counts or (bare and (not stated or stated[0] not in counts)):
        return stated[0] if stated else ""
    return present[0] if present else max(counts, key=lambda name: counts[name])


def _kinds(
    parameters: Parameters, labels: Sequence[str], names: Sequence[str], descriptions: Sequence[str]
) -> list[str]:
    """Kind of output of every point, empty for markers: by the file's lists, by unit, by name."""
    listed_as: dict[str, str] = {}
    for name, (kind, _) in LISTS.items():
        for member in parameters.texts("POINT", name):
            listed_as.setdefault(member, kind)
    known = set(names)
    bones = {
        name for name in known if len(name) > 2 and name[-1] in BONE and all(name[:-1] + end in known for end in BONE)
    }
    oxford = any(all(f"{side}FOF{k}" in known for k in range(4)) for side in "LR")
    kinds = []
    for label, name, description in zip(labels, names, descriptions, strict=True):
        kind = listed_as.get(label) or listed_as.get(name) or _kind_by_unit(description)
        if not kind and (name in bones or (oxford and OXFORD.match(name))):
            kind = "modelled point"
        kinds.append(kind or next((kind for pattern, kind in PATTERNS if pattern.match(name)), ""))
    return kinds


def _kind_by_unit(description: str) -> str:
    """Kind from a unit at the end of the description: ``Left hip [deg]``."""
    found = re.search(r"\[([^\[\]]+)\]\s*$", description)
    return UNIT_IN_DESCRIPTION.get(re.sub(r"[\s.·*]", "", found[1]).lower(), "") if found else ""
