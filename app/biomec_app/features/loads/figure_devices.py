"""Torques of person and orthosis, stacked, and how far orthoses are drawn apart from the limbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.progress import Progress
from biomec.body.loads.device_loads import CuffLoad, TorqueShare
from biomec.pipeline.analysis import Analysis
from biomec_app.curves.curve import capital
from biomec_app.figures.kind import Chosen, Column, FigureKind
from biomec_app.figures.style import Ink, legend, name, patch, quiet, stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Content = tuple[FloatArray, tuple[TorqueShare, ...], tuple[CuffLoad, ...]]
COLUMNS = 2
NOBODY = "The person wears no device with springs. Choose a body model with orthoses."
PERSON, DEVICE = "#009E73", "#E69F00"  # neither is a colour of a side


class DeviceFigure(FigureKind):
    """Who turns a joint that an orthosis helps."""

    key, title = "devices", "Torque of Person and Orthosis"
    help = "How person and orthosis share the torque of a joint, and the misalignment of orthoses"
    needs = ("loads",)

    def blocked(self, analysis: Analysis) -> str | None:
        """Needs somebody with springs on."""
        reason = super().blocked(analysis)
        if reason is None and not analysis.loads.devices:
            reason = NOBODY
        return reason

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> Content:
        """Times, shares and cuffs."""
        found = analysis.loads.devices
        return analysis.session.dynamic.time_s, found.shares, found.cuffs

    def remark(self, content: Content, chosen: Chosen) -> str:
        """What is stacked."""
        return (
            "About the axis of the springs, proximal on distal. The device gives what its springs and the measured "
            "angle say, the person what inverse dynamics leaves."
        )

    def draw(self, figure: Figure, content: Content, chosen: Chosen, ink: Ink) -> None:
        """One plot a joint, right and left beside each other; below them the cuffs."""
        time, shares, cuffs = content
        theme = ink.theme
        if not (shares or cuffs):
            axes = figure.add_subplot()
            axes.set_axis_off()
            axes.text(0.5, 0.5, NOBODY, ha="center", va="center", color=theme.faint)
            return
        rows = -(-(len(shares) + len(cuffs)) // COLUMNS)
        grid = figure.add_gridspec(rows, COLUMNS)
        for k, share in enumerate(shares):
            axes = figure.add_subplot(grid[k // COLUMNS, k % COLUMNS])
            self._stacked(axes, time, share, ink)
            axes.set_ylabel("N·m")
        for k, cuff in enumerate(cuffs, start=len(shares)):
            axes = figure.add_subplot(grid[k // COLUMNS, k % COLUMNS])
            quiet(axes, ink)
            axes.plot(time, 1e3 * np.linalg.norm(cuff.gap, axis=1), color=theme.text, linewidth=1.2)
            axes.set_xlim(float(time[0]), float(time[-1]))
            axes.set_ylabel("mm")
            name(axes, ink, f"{capital(cuff.name)}, misalignment")
        for axes in figure.axes[-COLUMNS:]:
            axes.set_xlabel("time, s")
        handles = [
            patch(facecolor=PERSON, alpha=0.6),
            patch(facecolor=DEVICE, alpha=0.6),
            stroke(color=theme.text, linewidth=1.6),
        ]
        legend(figure, ink, handles, ["person", "device", "together"])

    def _stacked(self, axes: Axes, time: FloatArray, share: TorqueShare, ink: Ink) -> None:
        """Person and device on each other: what pushes the same way adds up on its side of zero."""
        quiet(axes, ink)
        theme = ink.theme
        for sign in (1.0, -1.0):
            base = np.zeros_like(time)
            for values, colour in ((share.person, PERSON), (share.device, DEVICE)):
                top = base + sign * np.maximum(sign * np.nan_to_num(values), 0.0)
                axes.fill_between(time, base, top, color=colour, alpha=0.55, linewidth=0)
                base = top
        axes.plot(time, share.total, color=theme.text, linewidth=1.4)
        axes.axhline(0.0, color=theme.faint, linewidth=0.6)
        axes.set_xlim(float(time[0]), float(time[-1]))
        name(axes, ink, f"{capital(share.joint)}, {share.axis} torque")

    def data(self, content: Content, chosen: Chosen) -> tuple[Column, ...]:
        """All curves."""
        time, shares, cuffs = content
        columns = [Column("time (s)", time)]
        for share in shares:
            for who in ("total", "person", "device"):
                columns.append(Column(f"{share.joint} {share.axis} torque, {who} (N·m)", getattr(share, who)))
        for cuff in cuffs:
            for k, axis in enumerate(("forward", "up", "right")):
                columns.append(Column(f"{cuff.name}, misalignment {axis} (mm)", 1e3 * cuff.gap[:, k]))
        return tuple(columns)
