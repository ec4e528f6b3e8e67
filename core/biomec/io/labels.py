"""Labels of points and channels: subject prefixes, points without a name, names that occur twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from biomec.base.notices import Notice, warning

_UNLABELLED = re.compile(r"\*\d*")


def listed(names: Sequence[str], most: int = 20) -> str:
    """Names with commas; a long list is cut short."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


@dataclass(frozen=True)
class SortedLabels:
    """Which points belong to whom. Indices point into the labels as given; names are without prefix and unique.

    subject    : prefix of the main subject's labels ("" if they have none)
    markers    : (index, name) of the main subject
    unlabelled : (index, name) of points such as ``*12``
    others     : prefix -> (index, name) of further subjects
    """

    subject: str
    markers: tuple[tuple[int, str], ...]
    unlabelled: tuple[tuple[int, str], ...]
    others: dict[str, tuple[tuple[int, str], ...]]
    notices: tuple[Notice, ...] = ()


def sort_labels(labels: Sequence[str]) -> SortedLabels:
    """Sort labels ``NAME``, ``Subject:NAME`` and ``*12``.

    The main subject is the prefix with the most labels, the first in the file among equals; labels without a prefix are
    the main subject's too.
    """
    split = [_split(label) for label in labels]
    nameless = [_UNLABELLED.fullmatch(name) is not None for _, name in split]
    unlabelled = [k for k, one in enumerate(nameless) if one]
    named = [k for k, one in enumerate(nameless) if not one]
    counts = Counter(split[k][0] for k in named if split[k][0])  # insertion order decides between equals
    subject = max(counts, key=lambda prefix: counts[prefix]) if counts else ""
    groups: dict[str, list[int]] = {subject: []}
    for k in named:
        groups.setdefault(split[k][0] or subject, []).append(k)
    notices: list[Notice] = []

    def finished(indices: list[int]) -> tuple[tuple[int, str], ...]:
        names, found = unique_names([split[k][1] for k in indices])
        notices.extend(found)
        return tuple(zip(indices, names, strict=True))

    markers = finished(groups.pop(subject))
    others = {prefix: finished(indices) for prefix, indices in groups.items()}
    return SortedLabels(subject, markers, finished(unlabelled), others, tuple(notices))


def _split(label: str) -> tuple[str, str]:
    """(prefix, name) of a label; a label that is nothing but a prefix is a name."""
    prefix, colon, name = label.strip().partition(":")
    return (prefix.strip(), name.strip()) if colon and name.strip() else ("", label.strip())


def unique_names(names: Sequence[str], what: str = "label") -> tuple[tuple[str, ...], tuple[Notice, ...]]:
    """Names with ``_2``, ``_3`` … behind those that occur again, ``unnamed`` for empty ones; a notice says which."""
    taken = set(names)
    used: set[str] = set()
    result: list[str] = []
    again: list[str] = []
    reached: dict[str, int] = {}  # the last number tried behind a name: the search goes on there, in linear time
    for name in names:
        free = base = name or "unnamed"
        count = reached.get(base, 1)
        while free in used or (free != name and free in taken):
            count += 1
            free = f"{base}_{count}"
        reached[base] = count
        used.add(free)
        result.append(free)
        if free != name:
            again.append(free)
    if not again:
        return tuple(result), ()
    note = warning(
        "names-made-unique",
        f"A {what} was empty or occurred more than once; these were renamed: {listed(again, 10)}.",
        *again,
    )
    return tuple(result), (note,)


def writable_names(names: Sequence[str], forbidden: str) -> tuple[tuple[str, ...], tuple[Notice, ...]]:
    """Names that a text file can hold: ``forbidden`` characters and control characters become ``_``."""
    cleaned = ["".join("_" if c in forbidden or not c.isprintable() else c for c in name).strip() for name in names]
    unique, _ = unique_names(cleaned)
    changed = [f"{old!r} as {new!r}" for old, new in zip(names, unique, strict=True) if old != new]
    if not changed:
        return unique, ()
    return unique, (
        warning("names-changed", f"This format cannot hold some names; they were written {listed(changed, 10)}."),
    )
