"""A clinical report made by hand, with every kind of block: what all tests of writers write."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace

import numpy as np

from biomec.reporting.clinical.blocks import (
    EVERY,
    MEAN,
    Band,
    Bar,
    Bars,
    ClinicalReport,
    CycleOrigin,
    FreeText,
    Grid,
    Heading,
    LeftOut,
    Page,
    Panel,
    PathOfPressure,
    Words,
    course_of,
)
from biomec.reporting.clinical_presentation import ANGLE, CURVES
from biomec.reporting.tables import Table, fact_table

SAMPLES = 101
FRAMES = 120  # of a trial; a cycle lasts 60
JOINTS = ("pelvis", "hip", "knee", "ankle")


def course(side: str, k: int, cycles: int, visit: int = 0, label: str = "", raw: bool = False):
    """Cycles of a side: waves that a reader can tell apart."""
    percent = np.linspace(0.0, 100.0, SAMPLES)
    shift = 4.0 if side == "left" else 0.0
    wave = 10.0 * np.sin(2 * np.pi * percent / 100.0 + 0.4 * k) + shift + 3.0 * visit
    curves = np.array([wave + 1.5 * number for number in range(cycles)])
    origins = tuple(CycleOrigin(n % 2, n // 2, 10 + 5 * n, 70 + 5 * n) for n in range(cycles))
    made = course_of(side, curves, label or side.capitalize(), visit, origins)
    made = replace(made, foot_off=60.0 + shift, opposite_foot_off=10.0, opposite_contact=50.0, static=2.0 + shift)
    if raw:
        dense = np.linspace(0.0, 100.0, 501)
        noise = 8.0 * np.sin(dense * 3.1) * np.sin(2 * np.pi * dense / 100.0)
        made = replace(made, raw=np.array([noise] * cycles))
    return made


def panel(curve, k: int, cycles: int, visits: int = 1, sides: tuple[str, ...] = ("right", "left")) -> Panel:
    """A panel with its norm."""
    percent = np.linspace(0.0, 100.0, 51)
    mean = 9.0 * np.sin(2 * np.pi * percent / 100.0 + 0.4 * k)
    courses = tuple(
        course(side, k, cycles, visit, f"{side.capitalize()}, visit {visit + 1}" if visits > 1 else "")
        for side in sides
        for visit in range(visits)
    )
    band = Band(percent, mean - 5.0, mean + 5.0, mean, 61.0)
    return Panel(curve.name, curve.title, curve.unit, curve.up, curve.down, -40.0, 70.0, k == 3, courses, band)


def grid(caption: str, style: str = MEAN, cycles: int = 4, visits: int = 1) -> Grid:
    """The angles in rows of joints, with an empty place and a panel that has nothing to draw."""
    angles = [one for one in CURVES if one.kind == ANGLE]
    rows = []
    for joint in ("pelvis", "hip", "knee"):
        rows.append(tuple(panel(one, k, cycles, visits) for k, one in enumerate(angles) if one.joint == joint)[:3])
    ankle = panel(next(one for one in angles if one.joint == "ankle"), 3, cycles, visits)
    foot = next(one for one in angles if one.joint == "foot")
    lacking = Panel(foot.name, foot.title, foot.unit, foot.up, foot.down, -30, 30, missing="The toes were not seen.")
    rows.append((ankle, None, lacking))
    return Grid(caption, tuple(rows), style, "Norm: 12 children, mean ± 1 SD.")


def muscles(cycles: int) -> Grid:
    """One row a muscle, right and left column."""
    rows = []
    for k, muscle in enumerate(("Tibialis anterior", "Soleus")):
        rows.append(
            tuple(
                Panel(
                    f"{muscle}, {side}", f"{muscle}, {side} [%]", "%", "", "", -20.0, 100.0,
                    courses=(course(side, k, cycles, raw=True),), active=((0.0, 13.0), (56.0, 100.0)),
                )
                for side in ("right", "left")
            )
        )  # fmt: skip
    return Grid("Muscle activity", tuple(rows), MEAN, "Usual activity: grey strip.")


TIME_DISTANCE = Table(
    "Time and distance",
    ("", "Right", "Left", "Norm", "Symmetry"),
    (
        ("Cadence [steps/min]", "118.2 ± 2.1", "118.2 ± 2.1", "126.0 ± 9.0", "–"),
        ("Step length [m]", "0.52 ± 0.02", "−0.49 ± 0.03", "0.55 ± 0.05", "5.9 %"),
        ("Strides", "4", "3", "–", "–"),
    ),
    "Mean ± SD over the strides of a side.",
)
FACTS = fact_table("", {"Mass": "24.1 kg", "Height": "1.24 m", "Condition": "barefoot"})
DISCRETE = Table(
    "Values taken from the curves",
    ("Value", "Right", "Left", "Norm"),
    (
        ("Knee flexion, peak in swing [°]", "60.4 ± 4.1", "58.1", "61.1 ± 3.8"),
        ("Its time [%]", "71.0 ± 1.7", "70.2 (edge)", "71.7 ± 1.5"),
    ),
)


def example_report(cycles: int = 4, text: str = "The right knee stays bent.", who: str = "A. Person") -> ClinicalReport:
    """Every kind of block, on twelve pages; without a picture, which needs an analysis."""
    scores = tuple(
        Bar(name, "°", right, left, None, healthy, (healthy, 1.0))
        for name, right, left, healthy in (("Pelvis tilt", 4.1, 4.4, 3.0), ("Hip flexion", 7.9, None, 5.1))
    )
    strips = (
        Bar("Cadence", "steps/min", None, None, 118.2, None, (126.0, 9.0)),
        Bar("Step length", "m", 0.52, 0.49, None, None, (0.55, 0.05)),
    )
    path = np.column_stack([np.linspace(-5.0, 8.0, 30), np.linspace(0.0, 210.0, 30)])
    pressure = PathOfPressure("Centre of pressure", (("right", "Right", path),))
    markers = Table("Markers", ("Marker", "Seen"), tuple((f"M{k}", "98 %") for k in range(45)))
    pages = (
        Page("summary", "Summary", (FACTS, FreeText("findings", "Findings", text), FreeText("signature", "Signature"))),
        Page("measured", "What was measured", (Words(("Two trials, 4 cycles a side.",), "Trials"), Words(("Plain.",)))),
        Page("time-distance", "Time and distance", (TIME_DISTANCE, Bars("Beside the norm", strips, False))),
        Page("kinematics", "Kinematics, mean", (grid("Joint angles", cycles=cycles),), True),
        Page("kinematics-cycles", "Kinematics, every cycle", (grid("Joint angles", EVERY, cycles),), True),
        Page("kinetics", "Kinetics", (grid("Moments and powers", cycles=cycles),), True),
        Page("ground-reaction", "Ground reaction", (pressure,)),
        Page("indices", "Indices", (Bars("Movement analysis profile", scores, True, "A note."), DISCRETE)),
        Page("emg", "Muscle activity", (muscles(cycles),)),
        Page("comparison", "Comparison", (grid("Two visits", cycles=cycles, visits=2),), True),
        Page("quality", "Quality", (markers,)),
    )
    heading = Heading(
        "Gait laboratory", None, who, "P-017", "4 May 2017" if who else "", "18 November 2026", "good", "0.1"
    )
    highlights = (("1.12 m/s", "Speed"), ("118 steps/min", "Cadence"), ("6.1°", "GPS, overall"), ("good", "Trust"))
    left_out = (LeftOut("Trunk and arms", "The trunk was not measured."),)
    return ClinicalReport("Gait report", heading, highlights, pages, left_out, ("The logo is not an image.",))


def with_names(content, name: str):
    """The content with a name behind every text but keys and styles."""
    if isinstance(content, str):
        return f"{content}{name}"
    if isinstance(content, tuple):
        return tuple(with_names(one, name) for one in content)
    if is_dataclass(content):
        kept = {one.name: getattr(content, one.name) for one in fields(content) if one.init}
        fixed = ("side", "kind", "key", "style")
        return replace(content, **{key: one if key in fixed else with_names(one, name) for key, one in kept.items()})
    return content
