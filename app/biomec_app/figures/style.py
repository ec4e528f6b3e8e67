"""The one style of what matplotlib draws: colours, fonts, quiet axes, curves over the cycle, legends. Knows no Qt.

Figures of the window, pictures of the report, plots that the workbench saves and the examples all use it. Matplotlib is
loaded when the first figure is drawn, not when the program starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.recording.marker_set import Side
from biomec_app.kit.colours import COMPARED, LIGHT, PALETTES, Theme

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SMALL, NORMAL, LARGE = 8.5, 9.5, 13.0  # points
NARROW = 8.4  # inches; a narrower figure has no room for title and legend beside each other
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
COMPONENTS = ("X", "Y", "Z")


@dataclass(frozen=True)
class Ink:
    """A theme as figures use it."""

    theme: Theme

    @property
    def axes(self) -> tuple[str, str, str]:
        """Colours of X, Y and Z."""
        dark = self.theme.name == "dark"
        return ("#F0803C", "#2FBF8F", "#56B4E9") if dark else ("#C44E00", "#00795A", "#0072B2")

    @property
    def alarm(self) -> str:
        """Colour of lines that a reader must see: regression, limits, filtered signals."""
        return "#FF6B5E" if self.theme.name == "dark" else "#C0392B"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Colours of recordings that are compared, the open one first."""
        return COMPARED[self.theme.name]

    @property
    def signals(self) -> tuple[str, ...]:
        """Colours of signals that sides cannot tell apart."""
        return PALETTES[self.theme.name]

    def side(self, side: Side | None) -> str:
        """Colour of a side of the body."""
        return {Side.RIGHT: self.theme.right, Side.LEFT: self.theme.left, None: self.theme.middle}[side]


PAPER = Ink(LIGHT)


def new_figure(size: tuple[float, float], ink: Ink = PAPER, dpi: float = 120.0, layout: str = "constrained") -> Figure:
    """An empty figure of its own, known to no global list; size in inches. A layout "none" leaves places as given."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["text.parse_math"] = False  # names may hold $; formulas ask for it themselves
    chosen: Any = layout  # the stubs of matplotlib leave "none" out
    return Figure(figsize=size, dpi=dpi, facecolor=ink.theme.panel, layout=chosen)


def quiet(axes: Axes, ink: Ink, *, grid: Literal["", "x", "y", "both"] = "y") -> None:
    """Frame, ticks and grid that do not compete with the drawing; ``grid``: "x", "y", "both" or ""."""
    theme = ink.theme
    axes.set_facecolor(theme.panel)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(theme.faint)
    axes.tick_params(color=theme.faint, labelcolor=theme.text, labelsize=SMALL, which="both", width=0.7)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_fontsize(NORMAL)
        label.set_color(theme.text)
    if grid:
        axes.grid(axis=grid, color=theme.line, linewidth=0.6)
        axes.set_axisbelow(True)


def name(axes: Axes, ink: Ink, text: str, beside: str = "", below: str = "") -> None:
    """Title of a panel at its left, and a lighter remark at its right or in a line below it."""
    pad = 19 if below else 6
    axes.set_title(text, loc="left", fontsize=NORMAL + 0.5, fontweight="bold", color=ink.theme.text, pad=pad)
    if beside:
        axes.set_title(beside, loc="right", fontsize=SMALL, color=ink.theme.faint, pad=pad)
    if below:
        axes.annotate(below, (0.0, 1.0), (0.0, 6.0), "axes fraction", "offset points", fontsize=SMALL,
                      color=ink.theme.faint, va="bottom")  # fmt: skip


def legend(figure: Figure, ink: Ink, handles: Sequence[Artist], labels: Sequence[str], below: bool = False) -> None:
    """What colours and dashes mean, beside the title or below all, where it hides nothing."""
    if below or figure.get_figwidth() < NARROW:
        figure.legend(list(handles), list(labels), loc="outside lower left", ncols=len(labels), frameon=False,
                      fontsize=SMALL, labelcolor=ink.theme.text)  # fmt: skip
        return
    figure.legend(
        list(handles), list(labels), loc="upper right", bbox_to_anchor=(0.992, 1.0 - 0.1 / figure.get_figheight()),
        ncols=len(labels), frameon=False, fontsize=SMALL, labelcolor=ink.theme.text, handlelength=1.6,
        borderaxespad=0.0, columnspacing=1.4, handletextpad=0.6,
    )  # fmt: skip


def logarithmic(axes: Axes, letter: str) -> None:
    """A logarithmic axis whose ticks read 10⁻⁵, written without a formula."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    getattr(axes, f"set_{letter}scale")("log")
    axis = axes.xaxis if letter == "x" else axes.yaxis
    axis.set_major_locator(LogLocator(numticks=8))
    axis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(value)))
    axis.set_minor_formatter(NullFormatter())


def power_of_ten(value: float) -> str:
    """10⁻⁵ for 1e-5; other numbers as they are."""
    if value <= 0.0:
        return ""
    exponent = round(np.log10(value))
    if not np.isclose(value, 10.0**exponent):
        return f"{value:g}"
    return "1" if exponent == 0 else f"10{str(exponent).translate(RAISED)}"


DOUBT: dict[str, Any] = {"linewidth": 0.9, "linestyle": (0, (1.0, 2.0)), "alpha": 0.65}
"""How the part of a load is drawn that cannot be relied on."""


def stroke(**style: Any) -> Artist:
    """A line or mark for a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **style)


def patch(**style: Any) -> Artist:
    """A filled area for a legend."""
    from matplotlib.patches import Patch

    return Patch(**style)


def over_cycle(
    axes: Axes, percent: FloatArray, mean: FloatArray, sd: FloatArray, turns: FloatArray, colour: str, *,
    bounds: bool = False,
) -> None:  # fmt: skip
    """A mean over the cycle in its band of ± SD, dotted where the phase changes; the band with dashed ``bounds``."""
    if np.isfinite(sd).any():
        axes.fill_between(percent, mean - sd, mean + sd, color=colour, alpha=0.18, linewidth=0)
        for bound in (mean - sd, mean + sd) if bounds else ():
            axes.plot(percent, bound, color=colour, linewidth=0.9, linestyle=(0, (5, 3)))
    axes.plot(percent, mean, color=colour, linewidth=2.0)
    phase_change(axes, turns, colour)


def phase_change(axes: Axes, turns: FloatArray, colour: str) -> None:
    """A dotted line where the phase changes, on average over the cycles that have a change."""
    known = turns[np.isfinite(turns)]
    if known.size:
        axes.axvline(float(known.mean()), color=colour, linewidth=1.1, linestyle=":", alpha=0.7)


def zero_line(ink: Ink, *beside: Axes) -> None:
    """A line at zero where the first of some axes with a common scale has it in sight."""
    low, high = beside[0].get_ylim()
    if low < 0.0 < high:
        for axes in beside:
            axes.axhline(0.0, color=ink.theme.faint, linewidth=0.7)


def at_least(axes: Axes, height: float) -> None:
    """Make the vertical axis at least so high, so that noise does not look like motion."""
    low, high = axes.get_ylim()
    if high - low < height:
        middle = 0.5 * (low + high)
        axes.set_ylim(middle - 0.5 * height, middle + 0.5 * height)


def nothing(axes: Axes, ink: Ink, sentence: str) -> None:
    """A sentence where there is nothing to draw."""
    axes.text(0.5, 0.5, sentence, transform=axes.transAxes, ha="center", va="center", color=ink.theme.faint,
              fontsize=NORMAL, wrap=True)  # fmt: skip
