"""A person of about 1.77 m who stands upright: landmarks and centres in laboratory axes that are the body's own."""

import numpy as np

MIDLINE = {
    "VC": (0.03, 1.77, 0.0), "GLAB": (0.12, 1.68, 0.0), "CAC": (0.00, 1.50, 0.0), "C7": (-0.06, 1.49, 0.0),
    "IJ": (0.06, 1.43, 0.0), "PX": (0.10, 1.27, 0.0), "T8": (-0.09, 1.29, 0.0), "T12L1": (-0.02, 1.17, 0.0),
    "CAL": (0.01, 1.03, 0.0), "PMCP": (-0.09, 1.02, 0.0),
}  # fmt: skip
RIGHT = {
    "EC": (0.05, 1.44, 0.02), "AC": (-0.01, 1.47, 0.17), "AA": (-0.06, 1.46, 0.19), "TE": (-0.11, 1.42, 0.07),
    "AI": (-0.12, 1.30, 0.09), "GU": (0.00, 1.42, 0.18), "EL": (0.00, 1.13, 0.25), "EM": (-0.01, 1.13, 0.18),
    "PME": (-0.005, 1.13, 0.215), "ER": (0.06, 0.89, 0.27), "EU": (0.02, 0.88, 0.23), "CAP": (0.04, 0.885, 0.25),
    "MC2": (0.10, 0.82, 0.27), "MC5": (0.04, 0.80, 0.24), "PMCH": (0.07, 0.81, 0.255), "CIAS": (0.07, 1.04, 0.12),
    "CAQ": (0.03, 0.94, 0.085), "CLAT": (0.02, 0.51, 0.14), "CMED": (0.02, 0.52, 0.04), "KJC": (0.02, 0.515, 0.09),
    "ML": (-0.02, 0.08, 0.14), "MM": (0.00, 0.09, 0.06), "PMM": (-0.01, 0.085, 0.10), "CALC": (-0.06, 0.03, 0.09),
    "MT1": (0.13, 0.03, 0.07), "MT5": (0.09, 0.02, 0.15), "PMT": (0.11, 0.025, 0.11),
}  # fmt: skip
LIMBS = {
    "clavicle": "clavicle", "scapula": "scapula", "humerus": "upper arm", "ulna": "forearm", "radius": "forearm",
    "hand": "hand", "thigh": "thigh", "shank": "shank", "foot": "foot",
}  # fmt: skip


def landmarks():
    points = {name: np.array(p) for name, p in MIDLINE.items()}
    for name, p in RIGHT.items():
        points[f"{name}_D"], points[f"{name}_E"] = np.array(p), np.array(p) * [1.0, 1.0, -1.0]
    points["PTS"], points["PTI"] = (points["IJ"] + points["C7"]) / 2, (points["PX"] + points["T8"]) / 2
    return points


def rows(girdle=True):
    """The 21 segments, or the 17 without shoulder girdle."""
    found = {"head": ("head", None, 1.0), "thorax": ("torso", None, 1.0), "pelvis": ("pelvis", None, 1.0)}
    for segment, row in LIMBS.items():
        if girdle or segment not in ("clavicle", "scapula"):
            for word, side in (("right", "D"), ("left", "E")):
                found[f"{word} {segment}"] = (row, side, 0.5 if row == "forearm" else 1.0)
    return found
