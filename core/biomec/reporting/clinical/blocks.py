"""What a clinical report consists of: pages of blocks. Every writer (PDF, HTML, Word, Excel) puts the same on paper.

Numbers of curves are in clinical signs and units, on 0 to 100 % of the side's own cycle. Nothing here draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.loads.load_statistics import mean_and_deviation
from biomec.reporting.tables import Table

FEWEST_FOR_BAND = 3  # cycles; below, every cycle is drawn instead of mean ± SD
MEAN, EVERY = "mean", "every cycle"
"""How a grid shows the cycles: mean ± SD, or each as a thin line."""
LEVEL = "level"
"""Side of courses that are levels of a study: colours tell the levels apart, not the sides."""


@dataclass(frozen=True)
class CycleOrigin:
    """Where a cycle is: trial of the visit, number among the side's cycles (from 0), first and last frame (from 0)."""

    trial: int
    number: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Course:
    """Cycles of one side and visit in a panel; arrays are read-only.

    side    : "right", "left", or "" where a curve has none; `LEVEL` for a level of a study, whose number is ``visit``
    visit   : 0 for the visit of the report, 1, 2 … for those it is compared with
    label   : what a legend says: "Right", or "Right, 3 March 2026"
    percent : (N,) 0 to 100;  curves : (K, N);  mean, sd : (N,), sd NaN for fewer than two cycles
    origins : (K,) where each cycle is
    foot_off, opposite_foot_off, opposite_contact : mean, in % of the cycle; None where it is not known
    static  : value in the static trial, a tick at the right edge; None without
    raw     : (K, M) what the curves were made from (raw EMG), equally spaced from 0 to 100 %; None without
    names   : (K,) what each curve is where it is not a cycle, such as the code of a person
    """

    side: str
    visit: int
    label: str
    percent: FloatArray
    curves: FloatArray
    mean: FloatArray
    sd: FloatArray
    origins: tuple[CycleOrigin, ...] = ()
    foot_off: float | None = None
    opposite_foot_off: float | None = None
    opposite_contact: float | None = None
    static: float | None = None
    raw: FloatArray | None = None
    names: tuple[str, ...] = ()

    @property
    def banded(self) -> bool:
        """Whether there are enough cycles for mean ± SD."""
        return len(self.curves) >= FEWEST_FOR_BAND


@dataclass(frozen=True, eq=False)
class Band:
    """Norm behind a panel: lower and upper edge and mean (N,) at ``percent`` (N,), and foot off of the norm [%].

    deviations : how many standard deviations the edges are from the mean
    """

    percent: FloatArray
    low: FloatArray
    high: FloatArray
    mean: FloatArray
    foot_off: float | None = None
    deviations: float = 1.0


@dataclass(frozen=True, eq=False)
class Panel:
    """One small plot.

    name    : of the curve, such as "hip flexion"; unique in a grid
    title   : with unit, "Hip flexion [°]"
    up, down : words at the upper and the lower end of the axis
    low, high : range of the axis, the same for all courses;  grown : whether it is wider than usual
    active  : stretches of the cycle [%] in which a muscle is usually active
    missing : why there is nothing to draw
    raw_limit, raw_unit : largest absolute value of the scale of raw signals, and its unit; 0 where there are none
    """

    name: str
    title: str
    unit: str
    up: str
    down: str
    low: float
    high: float
    grown: bool = False
    courses: tuple[Course, ...] = ()
    band: Band | None = None
    active: tuple[tuple[float, float], ...] = ()
    missing: str = ""
    raw_limit: float = 0.0
    raw_unit: str = ""


@dataclass(frozen=True)
class Grid:
    """Panels in rows and columns; None leaves a place empty. ``style`` is `MEAN` or `EVERY`.

    phase : what the vertical lines at `Course.foot_off` mark;  axis : what the horizontal axes count
    """

    caption: str
    rows: tuple[tuple[Panel | None, ...], ...]
    style: str = MEAN
    note: str = ""
    phase: str = "foot off"
    axis: str = "% of the cycle of the same side"


@dataclass(frozen=True)
class Bar:
    """One row of a bar chart; None where there is no value.

    healthy : what people of the norm have, the grey part of the bar;  norm : mean and SD of the norm, a grey band
    digits  : after the point of the numbers beside the bars
    """

    label: str
    unit: str
    right: float | None = None
    left: float | None = None
    both: float | None = None
    healthy: float | None = None
    norm: tuple[float, float] | None = None
    digits: int = 1


@dataclass(frozen=True)
class Bars:
    """A bar chart. ``shared`` : one scale for all rows (a profile of scores), or one for each (time and distance)."""

    caption: str
    bars: tuple[Bar, ...]
    shared: bool
    note: str = ""


@dataclass(frozen=True)
class Words:
    """Sentences, each a paragraph; with a heading if ``title`` is not empty."""

    sentences: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True)
class FreeText:
    """What a clinician writes: findings, interpretation, recommendation. Kept in the project, never filled by us.

    key : under which the project keeps it;  lines : room that an empty one has on paper
    """

    key: str
    title: str
    text: str = ""
    lines: int = 5


@dataclass(frozen=True)
class PathOfPressure:
    """Paths of the centre of pressure under the feet, each (T, 2) across and along the way from the heel [mm]."""

    caption: str
    paths: tuple[tuple[str, str, FloatArray], ...]  # side, label, path
    note: str = ""


@dataclass(frozen=True)
class FigureRequest:
    """A picture that only the desktop program can draw: the figure of that key, of a trial of the visit."""

    key: str
    caption: str
    trial: int = 0


Block = Words | Table | Grid | Bars | FreeText | PathOfPressure | FigureRequest


@dataclass(frozen=True)
class Page:
    """A page or more on one subject. ``kind`` is its key in a report definition."""

    kind: str
    title: str
    blocks: tuple[Block, ...]
    landscape: bool = False


@dataclass(frozen=True)
class LeftOut:
    """A page that is not in the report, and why."""

    title: str
    reason: str


@dataclass(frozen=True)
class Heading:
    """What stands on every page.

    laboratory, logo : of the report definition; a logo that cannot be read is left out with a notice
    who, identifier, born, measured : of the person and the day, as texts; "" where not known or without name
    verdict : of trust, such as "good";  version : of Biomec
    """

    laboratory: str
    logo: Path | None
    who: str
    identifier: str
    born: str
    measured: str
    verdict: str
    version: str


@dataclass(frozen=True)
class ClinicalReport:
    """A report of one visit, alone or compared with others.

    highlights : at most five numbers a reader wants first, with what they are
    notices    : sentences about the report itself (a logo that is not an image, a page that is not known)
    """

    title: str
    heading: Heading
    highlights: tuple[tuple[str, str], ...]
    pages: tuple[Page, ...]
    left_out: tuple[LeftOut, ...] = ()
    notices: tuple[str, ...] = ()

    def page(self, kind: str) -> Page | None:
        """The page of that kind, if the report has it."""
        return next((one for one in self.pages if one.kind == kind), None)


def course_of(
    side: str, curves: FloatArray, label: str, visit: int = 0, origins: tuple[CycleOrigin, ...] = ()
) -> Course:
    """A course of curves (K, N) with mean and sample SD over the cycles that have the value."""
    mean, sd = mean_and_deviation(curves)
    percent = np.linspace(0.0, 100.0, curves.shape[1])
    return Course(side, visit, label, percent, curves, mean, sd, origins)
