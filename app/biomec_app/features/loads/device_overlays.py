"""Orthoses in the 3-D view: forces between cuff and limb, and how far the two are drawn apart."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.pipeline.analysis import Analysis, run_first
from biomec_app.features.loads.readings import has_loads
from biomec_app.viewer.overlays.arrows import Arrows
from biomec_app.viewer.overlays.overlay import Label, LegendEntry, Moment, Overlay

FORCE, GAP = "#E69F00", "#CC79A7"  # the device's colour of the figures; one that no side, force or judgement has
SLIM = 0.65  # thickness of the arrows by that of ground forces
METRES_A_NEWTON = 5.0e-3  # cuffs bear a tenth of what feet do; the legend says the scale
TIMES = 20.0  # misalignments are drawn so many times as long as they are, where force arrows have their usual length
NOBODY = "The person wears no orthosis with cuffs. Choose a body model with free orthoses."


class _Cuffs(Overlay):
    """What both share: an arrow a cuff, from where it touches the limb."""

    moving = True
    colour = FORCE

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Needs loads of somebody with cuffs."""
        if not has_loads(analysis):
            return run_first("loads")
        return None if analysis.loads.devices.cuffs else NOBODY

    def build(self) -> None:
        loads = self.poses.analysis.loads
        self._cuffs = loads.devices.cuffs
        self._points = np.stack([cuff.point for cuff in self._cuffs], axis=1)  # (T, C, 3)
        self._along = self.vectors(self.poses.analysis)
        self._arrows = Arrows(len(self._cuffs), self.colour, SLIM)
        self.surfaces = self._arrows.surfaces
        self._scale = 1.0
        self._labels: list[tuple[FloatArray, str]] = []

    def vectors(self, analysis: Analysis) -> FloatArray:
        """Vectors (T, C, 3) in the laboratory."""
        raise NotImplementedError

    def place(self, moment: Moment, length: float, factor: float, unit: str) -> None:
        """Arrows of a frame, so many metres a unit, with their sizes in other units beside them."""
        if moment.frame is None or moment.frame >= len(self._along):
            return
        self._scale = moment.scale
        along = self._along[moment.frame]
        tips = self._arrows.place(self._points[moment.frame], length * moment.scale * along)
        sizes = factor * np.linalg.norm(along, axis=1)
        self._labels = [(tip, f"{size:.0f} {unit}") for tip, size in zip(tips, sizes, strict=True)]

    def labels(self, moment: Moment) -> list[Label]:
        return [Label(text, place, self.theme.text, 2) for place, text in self._labels if np.isfinite(place).all()]


class CuffForces(_Cuffs):
    """Force of the orthosis on the limb at every cuff."""

    title, help = "Forces of Ort&hoses", "Force of the orthosis on the limb at every cuff"

    def vectors(self, analysis: Analysis) -> FloatArray:
        """Forces [N]."""
        return np.stack([cuff.force_W for cuff in self._cuffs], axis=1)

    def update(self, moment: Moment) -> None:
        self.place(moment, METRES_A_NEWTON, 1.0, "N")

    def legend(self) -> list[LegendEntry]:
        words = f"orthosis on limb, {0.5 / METRES_A_NEWTON / self._scale:.0f} N = 0.5 m"
        return [LegendEntry(words, self.colour, "arrow")]


class Misalignment(_Cuffs):
    """From limb to orthosis at every cuff, magnified."""

    title, help = "Misali&gnment of Orthoses", "How far orthosis and limb are drawn apart at every cuff, magnified"
    colour = GAP

    def vectors(self, analysis: Analysis) -> FloatArray:
        """Gaps from limb to device [m]; those of the loads are in axes of the limb."""
        motion = analysis.loads.segments
        turned = [
            np.einsum("tij,tj->ti", motion.R_WB[:, motion.index(cuff.segments[0])], cuff.gap) for cuff in self._cuffs
        ]
        return np.stack(turned, axis=1)

    def update(self, moment: Moment) -> None:
        self.place(moment, TIMES, 1e3, "mm")

    def legend(self) -> list[LegendEntry]:
        words = f"misalignment, {100.0 / TIMES / self._scale:.0f} mm = 0.1 m"
        return [LegendEntry(words, self.colour, "arrow")]
