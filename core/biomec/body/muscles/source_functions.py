"""Functions of one coordinate as muscle files write them, as rows of a spline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.toml_table import TomlTable
from biomec.engine.paths.simm_spline import simm_spline

MOST_KNOTS = 1000  # of a curve; work and memory grow with the square of it


def spline_of(function: Mapping[str, Any], table: TomlTable, key: str) -> FloatArray:
    """Rows of a function of one coordinate: Constant, Linear, SimmSpline, PiecewiseLinearFunction or Multiplier."""
    inner = TomlTable(table.where, function, f"{table.prefix}{key}.", table.lines)
    kind = inner.text("type")
    if kind == "Constant":
        return np.array([[0.0, float(inner.numbers("value", ())), 0.0, 0.0, 0.0]])
    if kind == "Linear":
        slope, start = inner.numbers("coefficients", (2,))
        return np.array([[0.0, float(start), float(slope), 0.0, 0.0]])
    if kind == "Multiplier":
        rows = spline_of(inner.table("function").values, table, f"{key}.function")
        return np.asarray(rows * np.array([1.0, *np.full(4, float(inner.numbers("scale", ())))]))
    if kind in ("SimmSpline", "PiecewiseLinearFunction"):
        knots = function.get("x")
        count = len(knots) if isinstance(knots, list) else 1
        if not 0 < count <= MOST_KNOTS:
            raise inner.refusal(f"a curve has from 1 to {MOST_KNOTS} knots, not {count}.", "x")
        x, y = inner.numbers("x", (count,)), inner.numbers("y", (count,))
        try:
            with np.errstate(all="ignore"):
                rows = simm_spline(x, y)
                if kind == "PiecewiseLinearFunction" and count > 1:
                    slopes = np.diff(y) / np.diff(x)
                    rows = np.stack([x, y, np.append(slopes, slopes[-1]), 0.0 * x, 0.0 * x], axis=-1)
        except (BiomecError, np.linalg.LinAlgError) as error:
            raise inner.refusal(f"x and y are not a curve: {error}", "x") from error
        if not np.isfinite(rows).all():
            raise inner.refusal("x and y are not a curve: knots stand too close to each other.", "x")
        return rows
    raise inner.refusal(f'type "{kind}" is not known; write SimmSpline, Linear, Constant or Multiplier.', "type")
