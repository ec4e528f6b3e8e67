"""Norms in workbooks: Polygon's normal data (XLSX), and the addendum of Schwartz and others (2008, XLS)."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice, info
from biomec.reporting.clinical_presentation import CURVES, MOMENT
from biomec.reporting.norms.norm import FEWEST_ROWS, NormAbout, NormCurve, NormSet, clinical_norm
from biomec.reporting.norms.spreadsheet import Cell, Sheets, read_sheets

POLYGON, SCHWARTZ = "Normal", "Joint Rotations"
POLYGON_FIRST = 3  # values begin in the fourth row
SPEEDS = ("very slow", "slow", "free", "fast", "very fast")
SCHWARTZ_NAMES = {
    "Joint Rotations": {
        "pelvic ant/posterior tilt": "pelvis tilt", "pelvic up/down obliquity": "pelvis obliquity",
        "pelvic int/external rotation": "pelvis rotation", "hip flex/extension": "hip flexion",
        "hip ad/abduction": "hip adduction", "hip int/external rotation": "hip rotation",
        "knee flex/extension": "knee flexion", "knee ad/abduction": "knee adduction",
        "knee int/external rotation": "knee rotation", "ankle dorsi/plantarflexion": "ankle dorsiflexion",
        "foot int/external progression": "foot progression",
    },
    "Joint Moments": {
        "hip ext/flexion": "hip extensor moment", "hip ab/adduction": "hip abductor moment",
        "knee ext/flexion": "knee extensor moment", "knee ab/adduction": "knee abductor moment",
        "ankle dorsi/plantarflexion": "ankle plantarflexor moment",
    },
    "Joint Power": {"hip": "hip power", "knee": "knee power", "ankle": "ankle power"},
    "Ground Reaction": {"vertical": "ground reaction vertical"},
}  # fmt: skip
"""Beginning of a sheet's name -> names of curves in it, in small letters."""
_POLYGON_NAME = re.compile(r"[LR]?([A-Z][A-Za-z]+)\s*(?:\((\d)\))?")


def read_workbook(path: Path) -> tuple[NormSet, ...]:
    """Norms of a workbook, whichever of the two kinds it is."""
    sheets = read_sheets(path)
    try:
        if any(name.startswith(SCHWARTZ) for name in sheets):
            return _schwartz(path, sheets)
        if POLYGON in sheets:
            return (_polygon(path, sheets[POLYGON]),)
    except FileError:
        raise
    except BiomecError as error:
        raise FileError(path.name, str(error)) from error
    raise FileError(
        path.name,
        f'it has neither the sheet "{POLYGON}" of Polygon nor "{SCHWARTZ}" of Schwartz (2008). Save the sheet with '
        "mean and SD as CSV and read it with a mapping of its columns.",
    )


# ------------------------------------------------------------------------------------------------------------- Polygon
def _polygon(path: Path, rows: list[list[Cell]]) -> NormSet:
    """Row 1 names a variable above two columns, least and greatest: mean ∓ SD. A power without number means Z."""
    by_name = {row.stored: row for row in CURVES}
    curves: dict[str, NormCurve] = {}
    unknown = []
    for column, cell in enumerate(rows[0] if rows else []):
        if not isinstance(cell, str):
            continue
        match = _POLYGON_NAME.fullmatch(cell.strip())
        label = match.group(1) if match else ""
        axis = int(match.group(2)) - 1 if match and match.group(2) else 2
        row = by_name.get((label, axis))
        edges = _columns(rows, column)
        if row is None or len(edges) < FEWEST_ROWS:
            unknown.append(cell[:30])
            continue
        low, high = edges.min(axis=1), edges.max(axis=1)
        scale = 1e-3 if row.kind == MOMENT and float(np.abs(edges).max()) > 20.0 else 1.0
        curves[row.name] = clinical_norm(row.name, 0.5 * scale * (low + high), 0.5 * scale * (high - low))
    if not curves:
        raise FileError(
            path.name, 'the first row of the sheet "Normal" names no curve such as HipAngles (1) above two columns.'
        )
    notices: tuple[Notice, ...] = ()
    if unknown:
        notices = (info("norm-left-out", f"{path.name}: not read: {', '.join(unknown[:6])}."),)
    about = NormAbout(path.stem, source=f"{path.name} (Polygon)", model="Plug-in Gait (assumed: the file states none)")
    return NormSet(path.stem, about, curves, notices=notices)


def _columns(rows: list[list[Cell]], column: int) -> FloatArray:
    """Two columns of numbers (N, 2) from the fourth row down to the first gap."""
    values = []
    for row in rows[POLYGON_FIRST:]:
        pair = row[column : column + 2]
        if len(pair) < 2 or not all(isinstance(one, float) for one in pair):
            break
        values.append(pair)
    return np.array(values, dtype=np.float64).reshape(-1, 2)


# ------------------------------------------------------------------------------------------------------------ Schwartz
def _schwartz(path: Path, sheets: Sheets) -> tuple[NormSet, ...]:
    """Five sets, one for each speed: rows of name, share of the cycle, then three columns a speed, −SD, mean, +SD."""
    curves: list[dict[str, NormCurve]] = [{} for _ in SPEEDS]
    for sheet, rows in sheets.items():
        names = next((known for start, known in SCHWARTZ_NAMES.items() if sheet.startswith(start)), None)
        if names is None:
            continue
        for name, values in _blocks(rows).items():
            if name.lower() not in names or len(values) < FEWEST_ROWS:
                continue
            curve = names[name.lower()]
            share = values[:, 0]
            if np.abs(share - np.linspace(0.0, share[-1], len(share))).max() > 0.01 * max(1.0, abs(share[-1])):
                raise FileError(path.name, f"{name[:40]}: the shares of the cycle must grow in equal steps from 0.")
            for k, found in enumerate(curves):
                low, mean, high = values[:, 1 + 3 * k : 4 + 3 * k].T
                found[curve] = clinical_norm(curve, mean, 0.5 * np.abs(high - low))
    made = [
        NormSet(
            f"schwartz2008-{speed.replace(' ', '-')}",
            NormAbout(
                f"Children, {speed} walking (Schwartz 2008)",
                "M. H. Schwartz, A. Rozumalski, J. P. Trost. The effect of walking speed on the gait of typically "
                "developing children. Journal of Biomechanics 41:1639-1650, 2008.",
                f"{path.name}, electronic addendum of the article",
                "of the publisher; for your own use",
                f"level walking, {speed}",
                "conventional gait model",
                subjects=83,
            ),
            found,
        )
        for speed, found in zip(SPEEDS, curves, strict=True)
        if found
    ]
    if not made:
        raise FileError(
            path.name, "its sheets hold no rows of name, share of the cycle and five speeds × (−SD, mean, +SD)."
        )
    return tuple(made)


def _blocks(rows: list[list[Cell]]) -> dict[str, FloatArray]:
    """Name -> rows (N, 16) of share and 15 numbers; a name stands in every row or in the first of its block."""
    blocks: dict[str, list[list[float]]] = {}
    name = ""
    for row in rows:
        texts = [(k, cell) for k, cell in enumerate(row) if isinstance(cell, str)]
        start = next((k for k, cell in enumerate(row) if isinstance(cell, float)), len(row))
        before = [cell for k, cell in texts if k < start]
        if before:
            name = before[-1]
        numbers = [one for one in row[start : start + 16] if isinstance(one, float)]
        if name and len(numbers) == 16:
            blocks.setdefault(name, []).append(numbers)
    return {name: np.array(values) for name, values in blocks.items()}
