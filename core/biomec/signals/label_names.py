"""What a marker's label says: which side, and which name once case, separators and the side are taken away."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from biomec.recording.limb_names import LEFT, RIGHT
from biomec.recording.marker_set import SIDE, MarkerDefinition, Side

_SIDES = {**dict.fromkeys(RIGHT, Side.RIGHT), **dict.fromkeys(LEFT, Side.LEFT)}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PREFIXES = {"right": Side.RIGHT, "left": Side.LEFT, "r": Side.RIGHT, "l": Side.LEFT}
_SUFFIXES = {**_PREFIXES, "d": Side.RIGHT, "e": Side.LEFT}


GUESSED = 0.1  # confidence that a reading loses when its side is only the last letter of a word: LHEE is no left LHE


class LabelForm(NamedTuple):
    """One way to read a label: a side (None: midline, or not said) and the name without it."""

    side: Side | None
    name: str


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Letters and digits of a text, without accents, in lower case."""
    return "".join(c for c in _unaccented(text).lower() if c.isalnum())


def without_subject(label: str) -> str:
    """Label without ``Subject:`` before it."""
    return label.rpartition(":")[2].strip() or label


def label_forms(label: str) -> dict[LabelForm, float]:
    """All readings of a label, the most literal first, and the confidence that each of them loses.

    A side may stand apart (``R.ASIS``, ``CIAS_D``, ``Left Knee``) or be joined to the name (``RASI``, ``AuxTD``). One
    letter can always be part of the name too, so that every reading is offered and the marker set decides.
    """
    label = without_subject(label)
    whole = plain(label)
    forms = {LabelForm(None, whole): 0.0}
    pieces = [piece for piece in re.split(r"[^A-Za-z0-9]+", _unaccented(label)) if piece]
    words = [word for piece in pieces for word in _WORDS.findall(piece)]
    for parts in (pieces, words):
        for place, part in enumerate(parts):
            side = _SIDES.get(part.lower())
            rest = "".join(parts[:place] + parts[place + 1 :]).lower()
            if side is not None and rest:
                forms.setdefault(LabelForm(side, rest), 0.0)
    for prefix, side in _PREFIXES.items():
        if whole.startswith(prefix) and len(whole) > len(prefix):
            forms.setdefault(LabelForm(side, whole[len(prefix) :]), 0.0)
    for suffix, side in _SUFFIXES.items():
        if whole.endswith(suffix) and len(whole) > len(suffix):
            forms.setdefault(LabelForm(side, whole[: -len(suffix)]), GUESSED)
    return forms


def pattern_form(pattern: str, marker: MarkerDefinition) -> LabelForm:
    """The reading that a pattern of a marker set stands for, on that marker's side."""
    return LabelForm(marker.side, plain(pattern.replace(SIDE, "")))


def edit_distance(a: str, b: str) -> int:
    """Smallest number of letters to insert, delete, change or exchange with a neighbour to turn ``a`` into ``b``."""
    older: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        older, last, row = row, older, [i]
        for j, y in enumerate(b, start=1):
            best = min(older[j] + 1, row[j - 1] + 1, older[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, last[j - 2] + 1)
            row.append(best)
    return row[-1]


def could_be_misspelt(a: str, b: str) -> bool:
    """True for names that differ by a slip of the pen: long enough to tell, and with the same digits."""
    if min(len(a), len(b)) < 5 or abs(len(a) - len(b)) > 2 or re.findall(r"\d+", a) != re.findall(r"\d+", b):
        return False
    return edit_distance(a, b) <= (1 if min(len(a), len(b)) < 8 else 2)


def _unaccented(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
