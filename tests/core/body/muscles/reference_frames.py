"""Six frames of a published walk with arms, forces at full activation, torques, and activations by three criteria."""

import json
from dataclasses import dataclass
from functools import cache

import numpy as np

from biomec.base.arrays import FloatArray
from tests.real_data import recording

SOLUTIONS = {"quadratic": "a_qp", "cubic": "a_p3", "min-max": "a_minmax"}


@dataclass(frozen=True)
class ReferenceFrames:
    """arms (T, M, K) [m], optimum (T, M) [N], wanted, reserve (T, K) [N m], activation by criterion (T, M)."""

    muscles: tuple[str, ...]
    rows: tuple[str, ...]
    time_s: FloatArray
    arms: FloatArray
    optimum: FloatArray
    wanted: FloatArray
    length: FloatArray
    speed: FloatArray
    activation: dict[str, FloatArray]
    reserve: FloatArray


@cache
def reference_frames() -> ReferenceFrames:
    """Read them; skips the test where they are not there."""
    frames = json.loads((recording("muscles") / "ref_static_optimisation.json").read_text("utf-8"))
    frames.pop("_meta")
    given = list(frames.values())
    muscles, rows = tuple(given[0]["Fopt"]), tuple(given[0]["tau"])

    def table(key, names):
        return np.array([[frame[key][name] for name in names] for frame in given])

    arms = np.array([[[frame["R"][row].get(one, 0.0) for row in rows] for one in muscles] for frame in given])
    return ReferenceFrames(
        muscles, rows, np.array([frame["t"] for frame in given]), arms, table("Fopt", muscles), table("tau", rows),
        table("L", muscles), table("V", muscles), {name: table(key, muscles) for name, key in SOLUTIONS.items()},
        table("reserve_qp", rows),
    )  # fmt: skip
