"""Torques of person and orthosis, stacked; misalignment and forces of cuffs; forces of crutches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.progress import Progress
from biomec.body.loads.device_loads import CuffLoad, TorqueShare
from biomec.pipeline.analysis import Analysis
from biomec_app.curves.curve import capital
from biomec_app.figures.kind import Chosen, Column, FigureKind
from biomec_app.figures.style import SMALL, Ink, legend, name, patch, quiet, stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Content = tuple[FloatArray, tuple[TorqueShare, ...], tuple[CuffLoad, ...], dict[str, FloatArray]]
COLUMNS = 2
NOBODY = (
    "The person wears no device with springs and leans on no instrumented crutch. Choose a body model with devices."
)
PERSON, DEVICE, CRUTCH = "#009E73", "#E69F00", "#CC79A7"  # none is a colour of a side


class DeviceFigure(FigureKind):
    """Who turns a joint that an orthosis helps."""

    key, title = "devices", "Torque of Person and Orthosis"
    help = (
        "How person and orthosis share the torque of a joint, misalignment and forces of orthoses, forces of crutches"
    )
    needs = ("loads",)

    def blocked(self, analysis: Analysis) -> str | None:
        """Needs somebody with springs on, or with instrumented crutches."""
        reason = super().blocked(analysis)
        if reason is None and not (analysis.loads.devices or crutch_forces(analysis)):
            reason = NOBODY
        return reason

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> Content:
        """Times, shares, cuffs, and force of the floor on every crutch (T, 3) [N]."""
        found = analysis.loads.devices
        return analysis.session.dynamic.time_s, found.shares, found.cuffs, crutch_forces(analysis)

    def size(self, content: Content, chosen: Chosen) -> tuple[float, float]:
        """High enough for its rows."""
        _, shares, cuffs, crutches = content
        rows = -(-(len(shares) + len(cuffs) + len(crutches)) // COLUMNS)
        return 10.0, max(6.5, 2.0 * rows + 1.0)

    def remark(self, content: Content, chosen: Chosen) -> str:
        """What is stacked."""
        return (
            "About the axis of the springs, proximal on distal. The device gives what its springs and the measured "
            "angle say, the person what inverse dynamics leaves."
        )

    def draw(self, figure: Figure, content: Content, chosen: Chosen, ink: Ink) -> None:
        """One plot a joint, right and left beside each other; below them the cuffs."""
        time, shares, cuffs, crutches = content
        theme = ink.theme
        if not (shares or cuffs or crutches):
            axes = figure.add_subplot()
            axes.set_axis_off()
            axes.text(0.5, 0.5, NOBODY, ha="center", va="center", color=theme.faint)
            return
        rows = -(-(len(shares) + len(cuffs) + len(crutches)) // COLUMNS)
        grid = figure.add_gridspec(rows, COLUMNS)
        panels: list[Axes] = []
        for k, share in enumerate(shares):
            axes = figure.add_subplot(grid[k // COLUMNS, k % COLUMNS])
            self._stacked(axes, time, share, ink)
            axes.set_ylabel("N·m")
            panels.append(axes)
        for k, cuff in enumerate(cuffs, start=len(shares)):
            axes = figure.add_subplot(grid[k // COLUMNS, k % COLUMNS])
            quiet(axes, ink)
            axes.plot(time, 1e3 * np.linalg.norm(cuff.gap, axis=1), color=theme.text, linewidth=1.2)
            axes.set_xlim(float(time[0]), float(time[-1]))
            axes.set_ylabel("mm")
            beside = axes.twinx()
            beside.plot(time, np.linalg.norm(cuff.force, axis=1), color=DEVICE, linewidth=1.2, linestyle="--")
            beside.tick_params(colors=DEVICE, labelsize=SMALL)
            beside.set_ylabel("N (dashed)", color=DEVICE)
            beside.spines[["top", "right", "left", "bottom"]].set_visible(False)
            name(axes, ink, f"{capital(cuff.name)}, misalignment and force")
            panels.append(axes)
        for k, (crutch, force) in enumerate(crutches.items(), start=len(shares) + len(cuffs)):
            axes = figure.add_subplot(grid[k // COLUMNS, k % COLUMNS])
            quiet(axes, ink)
            axes.plot(time, np.linalg.norm(force, axis=1), color=CRUTCH, linewidth=1.4)
            axes.set_xlim(float(time[0]), float(time[-1]))
            axes.set_ylabel("N")
            name(axes, ink, f"{capital(crutch)}, force at the tip")
            panels.append(axes)
        for axes in panels[-COLUMNS:]:
            axes.set_xlabel("time, s")
        if shares:
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
        time, shares, cuffs, crutches = content
        columns = [Column("time (s)", time)]
        for share in shares:
            for who in ("total", "person", "device"):
                columns.append(Column(f"{share.joint} {share.axis} torque, {who} (N·m)", getattr(share, who)))
        for cuff in cuffs:
            for k, axis in enumerate(("forward", "up", "right")):
                columns.append(Column(f"{cuff.name}, misalignment {axis} (mm)", 1e3 * cuff.gap[:, k]))
                columns.append(Column(f"{cuff.name}, force {axis} (N)", cuff.force[:, k]))
        for crutch, force in crutches.items():
            columns += [Column(f"{crutch}, force {axis} (N)", force[:, k]) for k, axis in enumerate("XYZ")]
        return tuple(columns)


def crutch_forces(analysis: Analysis) -> dict[str, FloatArray]:
    """Force of the floor on the tip of every instrumented crutch (T, 3) [N]."""
    aids = analysis.loads.aids
    return {} if aids is None else {name: aids.loads.force[:, k] for k, name in enumerate(aids.devices)}
