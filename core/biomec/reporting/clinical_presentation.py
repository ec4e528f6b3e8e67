"""The one table that turns Biomec's own curves into those of a clinical report.

A clinical report has fixed names, signs, axes, units, ranges and words at the ends of its axes; Biomec's own curves
have others (abduction is positive, the pelvis belongs to no side). `CURVES` states for every panel which direction goes
up and by which words the program's own curves call that direction. `orientation` finds the sign from those words, and
nothing else reverses a curve.

Signs are those of Plug-in Gait, which most norms have: pelvis anterior, this side up, this side forward; hip flexion,
adduction, internal rotation; knee flexion, varus, internal rotation; dorsiflexion; toes inward. Moments are internal
and positive where they extend, abduct and turn outward; power is positive where it is generated.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError

ANGLE, MOMENT, POWER, FORCE = "angle", "moment", "power", "force"
SAGITTAL, CORONAL, TRANSVERSE = "sagittal", "coronal", "transverse"
UNITS = {ANGLE: "°", MOMENT: "N·m/kg", POWER: "W/kg", FORCE: "body weight"}
STEPS = {ANGLE: 10.0, MOMENT: 0.5, POWER: 0.5, FORCE: 0.5}
"""By how much a range grows at a time if a curve leaves it."""


@dataclass(frozen=True)
class ClinicalCurve:
    """One panel of a clinical report.

    name, joint, plane, kind : such as "hip adduction", "hip", "coronal", "angle"; a power has no plane
    positive, negative       : what the two directions are called
    up, down                 : short words at the upper and the lower end of the axis
    low, high                : range of the axis to begin with, in ``unit``
    own                      : words by which Biomec's angles and moments name the positive direction; empty where it is
                               not found by words (pelvis and foot, which count from the way of walking, and powers)
    plug_in_gait             : joint and word of the same curve among those of Plug-in Gait
    stored                   : what Vicon calls it, without the side, and which component, 0 to 2
    """

    name: str
    joint: str
    plane: str
    kind: str
    positive: str
    negative: str
    up: str
    down: str
    low: float
    high: float
    own: tuple[str, ...]
    plug_in_gait: tuple[str, str]
    stored: tuple[str, int]

    @property
    def unit(self) -> str:
        """Unit of the axis."""
        return UNITS[self.kind]

    @property
    def title(self) -> str:
        """Heading of the panel: "Hip adduction [°]"."""
        return f"{self.name[0].upper()}{self.name[1:]} [{self.unit}]"

    def plug_in_gait_name(self, side: str) -> str:
        """Name among the curves of Plug-in Gait of a side, "right" or "left": "right hip extensor moment"."""
        joint, word = self.plug_in_gait
        ending = "" if self.kind == ANGLE else f" {self.kind}"
        return f"{side} {joint}{' ' if word else ''}{word}{ending}"


def _angle(name: str, plane: str, senses: str, ends: str, low: float, high: float, own: str, pig: str,
           stored: tuple[str, int]) -> ClinicalCurve:  # fmt: skip
    positive, negative = senses.split("/")
    up, down = ends.split("/")
    joint, word = pig.split(": ")
    words = tuple(filter(None, own.split("/")))
    return ClinicalCurve(name, name.split()[0], plane, ANGLE, positive, negative, up, down, low, high, words,
                         (joint, word), stored)  # fmt: skip


def _moment(name: str, plane: str, senses: str, ends: str, low: float, high: float, own: str, axis: int,
            pig: str) -> ClinicalCurve:  # fmt: skip
    positive, negative = senses.split("/")
    up, down = ends.split("/")
    joint = name.split()[0]
    return ClinicalCurve(name, joint, plane, MOMENT, positive, negative, up, down, low, high, (own,), (joint, pig),
                         (f"{joint.capitalize()}Moment", axis))  # fmt: skip


def _power(joint: str, low: float, high: float) -> ClinicalCurve:
    return ClinicalCurve(f"{joint} power", joint, "", POWER, "generated", "absorbed", "Gen", "Abs", low, high, (),
                         (joint, ""), (f"{joint.capitalize()}Power", 2))  # fmt: skip


TURNED, INT_EXT = "internal/external", "Int/Ext"
CURVES: tuple[ClinicalCurve, ...] = (
    _angle("pelvis tilt", SAGITTAL, "anterior/posterior", "Ant/Post", 0.0, 60.0, "",
           "pelvis: anterior tilt", ("PelvisAngles", 0)),
    _angle("pelvis obliquity", CORONAL, "up/down", "Up/Down", -30.0, 30.0, "", "pelvis: up", ("PelvisAngles", 1)),
    _angle("pelvis rotation", TRANSVERSE, TURNED, INT_EXT, -30.0, 30.0, "",
           "pelvis: internal rotation", ("PelvisAngles", 2)),
    _angle("hip flexion", SAGITTAL, "flexion/extension", "Flex/Ext", -20.0, 70.0, "flexion",
           "hip: flexion", ("HipAngles", 0)),
    _angle("hip adduction", CORONAL, "adduction/abduction", "Add/Abd", -30.0, 30.0, "adduction",
           "hip: adduction", ("HipAngles", 1)),
    _angle("hip rotation", TRANSVERSE, TURNED, INT_EXT, -30.0, 30.0, "internal rotation",
           "hip: internal rotation", ("HipAngles", 2)),
    _angle("knee flexion", SAGITTAL, "flexion/extension", "Flex/Ext", -15.0, 75.0, "flexion",
           "knee: flexion", ("KneeAngles", 0)),
    _angle("knee adduction", CORONAL, "varus/valgus", "Var/Val", -30.0, 30.0, "varus/adduction",
           "knee: varus", ("KneeAngles", 1)),
    _angle("knee rotation", TRANSVERSE, TURNED, INT_EXT, -30.0, 30.0, "internal rotation",
           "knee: internal rotation", ("KneeAngles", 2)),
    _angle("ankle dorsiflexion", SAGITTAL, "dorsiflexion/plantarflexion", "Dors/Plan", -30.0, 30.0, "dorsiflexion",
           "ankle: dorsiflexion", ("AnkleAngles", 0)),
    _angle("foot progression", TRANSVERSE, TURNED, INT_EXT, -30.0, 30.0, "",
           "foot progression: internal progression", ("FootProgressAngles", 2)),
    _angle("ankle rotation", TRANSVERSE, TURNED, INT_EXT, -30.0, 30.0, "internal rotation",
           "ankle: internal rotation", ("AnkleAngles", 2)),
    _moment("hip extensor moment", SAGITTAL, "extensor/flexor", "Ext/Flex", -2.0, 3.0, "extension", 0, "extensor"),
    _moment("hip abductor moment", CORONAL, "abductor/adductor", "Abd/Add", -1.0, 2.0, "abduction", 1, "abductor"),
    _moment("hip rotator moment", TRANSVERSE, "external rotator/internal rotator", "Ext rot/Int rot", -0.5, 0.5,
            "external rotation", 2, "external rotator"),
    _power("hip", -3.0, 3.0),
    _moment("knee extensor moment", SAGITTAL, "extensor/flexor", "Ext/Flex", -1.0, 1.0, "extension", 0, "extensor"),
    _moment("knee abductor moment", CORONAL, "abductor (valgus)/adductor (varus)", "Val/Var", -1.0, 1.0,
            "abduction", 1, "valgus"),
    _moment("knee rotator moment", TRANSVERSE, "external rotator/internal rotator", "Ext rot/Int rot", -0.5, 0.5,
            "external rotation", 2, "external rotator"),
    _power("knee", -3.0, 3.0),
    _moment("ankle plantarflexor moment", SAGITTAL, "plantarflexor/dorsiflexor", "Plan/Dors", -1.0, 3.0,
            "plantarflexion", 0, "plantarflexor"),
    _moment("ankle evertor moment", CORONAL, "evertor/invertor", "Ev/Inv", -0.5, 0.5, "eversion", 1, "evertor"),
    _moment("ankle rotator moment", TRANSVERSE, "external rotator/internal rotator", "Ext rot/Int rot", -0.5, 0.5,
            "external rotation", 2, "external rotator"),
    _power("ankle", -2.0, 5.0),
    ClinicalCurve("ground reaction vertical", "foot", "", FORCE, "up", "down", "Up", "Down", 0.0, 1.5, (),
                  ("foot", "vertical"), ("NormalisedGRF", 2)),
)  # fmt: skip
"""Every curve that a clinical report or a norm may show."""
BY_NAME = {curve.name: curve for curve in CURVES}
NINE = ("pelvis tilt", "pelvis obliquity", "pelvis rotation", "hip flexion", "hip adduction", "hip rotation",
        "knee flexion", "ankle dorsiflexion", "foot progression")  # fmt: skip
"""The nine angles of the Gait Profile Score, in its order."""
KINEMATIC_GRID = (
    ("pelvis tilt", "pelvis obliquity", "pelvis rotation"),
    ("hip flexion", "hip adduction", "hip rotation"),
    ("knee flexion", "knee adduction", "knee rotation"),
    ("ankle dorsiflexion", "foot progression", "ankle rotation"),
)
"""Rows from the pelvis down; columns sagittal, coronal, transverse, but for the last row, which is the usual one."""
KINETIC_GRID = (
    ("hip extensor moment", "hip abductor moment", "hip rotator moment", "hip power"),
    ("knee extensor moment", "knee abductor moment", "knee rotator moment", "knee power"),
    ("ankle plantarflexor moment", "ankle evertor moment", "ankle rotator moment", "ankle power"),
)
"""Rows hip, knee, ankle; columns moment in three planes, power."""


def clinical_curve(name: str) -> ClinicalCurve:
    """Return the row of that name, or raise a sentence that lists what there is."""
    if name not in BY_NAME:
        raise BiomecError(f"There is no clinical curve {name}; there are {', '.join(BY_NAME)}.")
    return BY_NAME[name]


def orientation(curve: ClinicalCurve, positive: str, negative: str) -> float:
    """Sign by which one of Biomec's own curves becomes the clinical one; 0 if it is another component.

    positive, negative : what the program's curve calls its two directions
    """
    if positive in curve.own:
        return 1.0
    return -1.0 if negative in curve.own else 0.0


def clinical_of(kind: str, joint: str, positive: str, negative: str) -> tuple[str, float] | None:
    """Name of the clinical curve that one of Biomec's own angles or moments is, and the sign between them.

    joint              : without its side, such as "hip"
    positive, negative : what the program's curve calls its two directions
    None for curves that a clinical report does not have, and for those that count from the way of walking there.
    """
    for row in CURVES:
        sign = orientation(row, positive, negative) if (row.kind, row.joint) == (kind, joint) else 0.0
        if sign:
            return row.name, sign
    return None


def shown_range(curve: ClinicalCurve, values: Iterable[FloatArray]) -> tuple[float, float, bool]:
    """Range of the axis for all these curves together, and whether it had to grow beyond the usual one.

    Both sides and all visits share it; it grows in steps of 10° or 0.5.
    """
    low, high, step = curve.low, curve.high, STEPS[curve.kind]
    for one in values:
        known = np.asarray(one)[np.isfinite(one)]
        if known.size:
            low = min(low, step * np.floor(float(known.min()) / step))
            high = max(high, step * np.ceil(float(known.max()) / step))
    return float(low), float(high), (low, high) != (curve.low, curve.high)
