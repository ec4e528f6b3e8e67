"""Numbers of the published study of push-ups that pool its people, as printed in [Nunes2017].

They are of twelve people, 81 cycles with open and 71 with closed hands, pooled whoever they are of. A pair is mean
and standard deviation. Axes are X forward, Y up, Z to the right; components of joints are along the axes of the distal
segment, of which [Nunes2017] turns X into ab- and adduction, Y into axial rotation, Z into flexion.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

Hands: TypeAlias = Literal["open", "closed"]
OPEN: Hands = "open"
CLOSED: Hands = "closed"
GRIPS = (OPEN, CLOSED)
Spread: TypeAlias = tuple[float, float]

COMPONENTS = ("Fx", "Fy", "Fz", "Tx", "Ty", "Tz")
"""Force and torque of the proximal on the distal segment."""
AXES = ("X", "Y", "Z")
JOINTS = ("sternoclavicular", "acromioclavicular", "glenohumeral", "elbow", "radioulnar", "wrist")

CYCLES: Mapping[str, int] = {OPEN: 81, CLOSED: 71}
"""Valid cycles of each grip (section 4.3.3)."""

EFFORT: Mapping[str, tuple[Spread, Spread, Spread]] = {
    "m21": ((16.5, 1.6), (3.8, 1.6), (4.3, 0.6)),
    "m17": ((11.5, 1.9), (3.0, 1.5), (3.5, 1.1)),
}
"""Model -> iterations, last increment [µm], jugular notch moved [cm] (Table 4.6)."""

RANGES: Mapping[str, Mapping[str, Spread]] = {
    "right scapulothoracic protraction": {OPEN: (29.6, 7.2), CLOSED: (31.4, 6.1)},
    "right shoulder flexion": {OPEN: (69.2, 13.7), CLOSED: (82.9, 11.6)},
}
"""Angle -> range in a cycle [deg] (text of Fig. 4.23)."""
RHYTHM: Mapping[str, float] = {OPEN: 2.3, CLOSED: 2.6}
"""Range of the humerus over that of the scapula (text of Fig. 4.23)."""
PHASE_CHANGE: Mapping[str, float] = {OPEN: 55.8, CLOSED: 56.2}
"""Greatest flexion of the mean curve of the right elbow [% of the cycle] (text of Fig. 4.24)."""

ABSOLUTE, RELATIVE = "absolute", "relative"
FORCE_ERRORS: Mapping[str, Mapping[str, tuple[Spread, Spread, Spread]]] = {
    joint: {RELATIVE: ((x, x_sd), (y, y_sd), (z, z_sd)), ABSOLUTE: ((2.7e-2, 0.8e-2), (1.5, 0.5), (1.4, 0.4))}
    for joint, x, x_sd, y, y_sd, z, z_sd in (
        ("sternoclavicular", 2.2e-4, 0.7e-4, 1.2e-2, 0.4e-2, 1.1e-2, 0.3e-2),
        ("acromioclavicular", 2.2e-4, 0.7e-4, 1.2e-2, 0.4e-2, 1.1e-2, 0.3e-2),
        ("glenohumeral", 2.1e-4, 0.7e-4, 1.1e-2, 0.3e-2, 1.1e-2, 0.3e-2),
        ("elbow", 2.0e-4, 0.6e-4, 1.1e-2, 0.3e-2, 1.0e-2, 0.3e-2),
        ("radioulnar", 2.0e-4, 0.6e-4, 1.1e-2, 0.3e-2, 1.0e-2, 0.3e-2),
        ("wrist", 2.0e-4, 0.6e-4, 1.1e-2, 0.3e-2, 1.0e-2, 0.3e-2),
    )
}
"""Joint -> error between both methods along X, Y, Z of the laboratory: relative [%], absolute [N] (Table 5.7)."""
TORQUE_ERRORS: Mapping[str, Mapping[str, tuple[Spread, Spread, Spread]]] = {
    "sternoclavicular": {RELATIVE: ((5.9e-3, 2.3e-3), (1.7e-3, 0.6e-3), (1.5e-3, 0.6e-3)),
                         ABSOLUTE: ((0.75, 0.29), (0.21, 0.09), (0.19, 0.08))},
    "acromioclavicular": {RELATIVE: ((5.2e-3, 2.1e-3), (1.9e-3, 0.8e-3), (1.8e-3, 0.7e-3)),
                          ABSOLUTE: ((0.66, 0.27), (0.24, 0.11), (0.23, 0.09))},
    "glenohumeral": {RELATIVE: ((4.5e-3, 1.9e-3), (1.3e-3, 0.6e-3), (1.1e-3, 0.6e-3)),
                     ABSOLUTE: ((0.58, 0.25), (0.17, 0.08), (0.14, 0.08))},
    "elbow": {RELATIVE: ((1.8e-3, 0.6e-3), (0.5e-3, 0.4e-3), (0.7e-3, 0.5e-3)),
              ABSOLUTE: ((0.24, 0.09), (0.07, 0.05), (0.08, 0.07))},
    "radioulnar": {RELATIVE: ((0.6e-3, 0.1e-3), (0.1e-3, 0.1e-3), (0.2e-3, 0.2e-3)),
                   ABSOLUTE: ((0.07, 0.02), (0.02, 0.02), (0.03, 0.03))},
    "wrist": {RELATIVE: ((1e-6, 1e-6), (0.1e-3, 0.1e-3), (0.2e-3, 0.2e-3)),
              ABSOLUTE: ((1e-4, 1e-4), (0.02, 0.02), (0.03, 0.03))},
}  # fmt: skip
"""The same of torques: relative [%], absolute [N m] (Table 5.8)."""

PREPARATION_FORCE: Mapping[tuple[int, int], float] = {
    (1, 2): 4.07, **dict.fromkeys(((1, 3), (1, 4), (1, 5), (1, 6)), 0.91),
    **dict.fromkeys(((2, 3), (2, 4), (2, 5), (2, 6)), 4.41),
    **dict.fromkeys(((3, 4), (3, 5), (3, 6), (4, 5), (4, 6), (5, 6)), 0.0),
}  # fmt: skip
PREPARATION_TORQUE: Mapping[tuple[int, int], float] = {
    (1, 2): 6.71, (1, 3): 0.24, **dict.fromkeys(((1, 4), (1, 5), (1, 6)), 5.69),
    (2, 3): 6.73, **dict.fromkeys(((2, 4), (2, 5), (2, 6)), 2.50),
    **dict.fromkeys(((3, 4), (3, 5), (3, 6)), 5.70),
    **dict.fromkeys(((4, 5), (4, 6), (5, 6)), 0.0),
}  # fmt: skip
"""Two of the six ways to prepare a recording -> mean difference of the right glenohumeral load [N], [N m] (Table 5.10;
Table 5.9 says what the six are). Published of one cycle."""

CORRELATION: Mapping[str, tuple[float, ...]] = {
    "right sternoclavicular": (0.978, 0.993, 0.992, 0.986, 0.989, 0.977),
    "right acromioclavicular": (0.998, 1.00, 0.994, 0.948, 0.974, 0.994),
    "right glenohumeral": (0.998, 0.999, 0.855, 0.698, -0.208, 0.992),
    "right elbow": (0.970, 0.997, 0.480, 0.079, 0.945, 0.976),
}
"""Joint -> Pearson's r of the mean curves of both grips, component by component (Table 5.11)."""

KINDS = ("compression", "traction", "shear")
SHARES: Mapping[str, Mapping[str, tuple[Spread | None, ...]]] = {
    "sternoclavicular": {OPEN: ((12, 6), (8, 4), (98, 1)), CLOSED: ((11, 4), (6, 4), (98, 0))},
    "acromioclavicular": {OPEN: ((4, 4), (49, 10), (84, 6)), CLOSED: (None, (45, 7), (86, 3))},
    "glenohumeral": {OPEN: ((46, 11), None, (85, 6)), CLOSED: ((47, 9), None, (85, 5))},
    "elbow": {OPEN: ((59, 4), (27, 9), (79, 3)), CLOSED: ((61, 3), (35, 8), (78, 3))},
}
"""Joint -> grip -> compression, traction and shear in % of the joint force; None where there was none (Table 5.12).
The axis in print for the elbow, +Y of the humerus, would make traction of what is called compression; the numbers agree
with −Y (`body.loads.joint_stress`)."""

RESIDUAL_FORCE = {"RMS": (25.6, 42.7, 14.0, 51.7), "peak": (91.5, 176.5, 67.6, 200.1)}
RESIDUAL_TORQUE = {"RMS": (7.0, 7.7, 21.3, 23.7), "peak": (32.1, 63.1, 110.8, 124.1)}
"""Residual along X, Y, Z of the laboratory and its size [N], [N m], of all cycles (Table 5.13)."""
ELBOW_OFF_AXIS: Mapping[str, Spread] = {OPEN: (62.5, 115.7), CLOSED: (77.9, 112.6)}
"""Torque of the right elbow across its axis of flexion, over the mass [mN m/kg] (text of Fig. 5.15)."""
