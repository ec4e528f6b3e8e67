"""A person to try joint centres on: landmarks of plausible size, right side given and left side mirrored."""

from collections.abc import Mapping

import numpy as np

from biomec.base.arrays import FloatArray

# X forward, Y up, Z to the right [m]
MIDLINE = {
    "C7": (-0.07, 1.48, 0.0),
    "IJ": (0.05, 1.42, 0.0),
    "T8": (-0.11, 1.25, 0.0),
    "PX": (0.09, 1.25, 0.0),
    "T12": (-0.10, 1.12, 0.0),
    "PMCP": (-0.10, 1.02, 0.0),
    "CAL": (-0.02, 0.99, 0.0),
}
RIGHT = {
    "CIAS": (0.06, 1.00, 0.12),
    "AC": (-0.02, 1.46, 0.17),
    "AA": (-0.06, 1.45, 0.20),
    "TE": (-0.12, 1.38, 0.07),
    "AI": (-0.12, 1.25, 0.08),
    "PCOR": (0.03, 1.42, 0.14),
    "GU": (-0.01, 1.41, 0.18),
    "EM": (-0.01, 1.11, 0.18),
    "EL": (-0.02, 1.11, 0.25),
    "PME": (-0.015, 1.11, 0.215),
    "ER": (0.12, 0.89, 0.25),
    "EU": (0.09, 0.87, 0.20),
    "CAP": (0.11, 0.87, 0.22),
    "MC2": (0.17, 0.82, 0.25),
    "MC5": (0.14, 0.80, 0.19),
    "FIN": (0.16, 0.83, 0.24),
    "CAQ": (0.01, 0.92, 0.085),
    "THI": (0.02, 0.70, 0.17),
    "CLAT": (0.00, 0.50, 0.14),
    "CMED": (0.01, 0.50, 0.04),
    "KJC": (0.005, 0.50, 0.09),
    "TIB": (-0.01, 0.30, 0.135),
    "ML": (-0.03, 0.08, 0.12),
    "MM": (-0.02, 0.09, 0.05),
    "CAT": (-0.025, 0.085, 0.085),
    "TOE": (0.13, 0.045, 0.10),
    "MT1": (0.12, 0.03, 0.04),
    "MT5": (0.08, 0.02, 0.13),
}
MIRROR = np.array([1.0, 1.0, -1.0])

POINTS = (
    {name: np.array(place) for name, place in MIDLINE.items()}
    | {f"{name}_D": np.array(place) for name, place in RIGHT.items()}
    | {f"{name}_E": np.array(place) * MIRROR for name, place in RIGHT.items()}
)

LENGTHS = {
    "leg_length": 0.90,
    "asis_trochanter": 0.07,
    "knee_width": 0.10,
    "ankle_width": 0.07,
    "shoulder_offset": 0.04,
    "elbow_width": 0.075,
    "wrist_width": 0.055,
    "hand_thickness": 0.03,
}
ANGLES = {"thigh_rotation": 0.10, "shank_rotation": -0.07, "ankle_abduction": 0.05,
          "tibial_torsion": -0.2, "foot_plantar_flexion": 0.22, "foot_rotation": 0.05}  # fmt: skip
MEASURES: dict[str, float | str] = {
    "sex": "male",
    "height": 1.75,
    "mass": 70.0,
    "asis_distance": 0.23,
    "marker_diameter": 0.014,
} | {f"{name}_{side}": value for name, value in (LENGTHS | ANGLES).items() for side in "DE"}


def swapped(name: str) -> str:
    """Name of the other side."""
    return name[:-1] + {"D": "E", "E": "D"}[name[-1]] if name.endswith(("_D", "_E")) else name


def irregular(seed: int, spread: float = 0.01) -> dict[str, FloatArray]:
    """The person without symmetry: every landmark moved at random by ``spread`` [m]."""
    rng = np.random.default_rng(seed)
    return {name: point + rng.normal(scale=spread, size=3) for name, point in POINTS.items()}


def mirrored(points: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """The person in a mirror: what was right is left."""
    return {swapped(name): point * MIRROR for name, point in points.items()}
