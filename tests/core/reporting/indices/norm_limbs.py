"""Single curves of the people of the two norm sets; beside the project, never in it."""

import csv
from functools import cache

import numpy as np

from tests.real_data import recording

CHILDREN, ADULTS = "biomechzoo_children_2017", "fukuchi2018_adults_overground"


@cache
def limbs(name: str) -> tuple[tuple[tuple[str, str], ...], dict[str, np.ndarray]]:
    """(subject, side) of every limb, and curve -> (L, 101)."""
    _, *rows = table(name, "limbs.csv")
    keys = tuple(dict.fromkeys((row[0], row[1]) for row in rows))
    found = {(row[0], row[1], row[2]): np.array(row[3:], dtype=float) for row in rows}
    curves = dict.fromkeys(row[2] for row in rows)
    return keys, {curve: np.array([found[(*key, curve)] for key in keys]) for curve in curves}


def table(name: str, file: str) -> list[list[str]]:
    """All rows of a file of a norm set, the headings first."""
    with recording("norms", name, file).open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))
