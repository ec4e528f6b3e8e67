"""Ways of the markers through the last half second, and from where points were measured to where the model has them."""

from __future__ import annotations

import numpy as np

from biomec.pipeline.analysis import Analysis
from biomec_app.kit.colours import rgb
from biomec_app.session.view_options import CONSISTENT, RAW
from biomec_app.viewer.actors import Instances, SurfaceActor
from biomec_app.viewer.meshes import arrow
from biomec_app.viewer.overlays.overlay import LegendEntry, Moment, Overlay
from biomec_app.viewer.overlays.points import anatomical

TRAIL_S, TRAIL_POINTS = 0.6, 14
RESIDUAL = "#D6336C"
MAGNIFIED = 3.0


class Trails(Overlay):
    """Where the markers were in the last moments; the tail fades."""

    title, help, moving = "T&rails", f"Where the markers were in the last {TRAIL_S:g} s", True

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Markers are always there."""
        return None

    def build(self) -> None:
        count = len(self.poses.markers.names)
        steps = np.arange(TRAIL_POINTS - 1)
        ids = count * np.arange(TRAIL_POINTS)[:, None] + np.arange(count)  # (K, M): one row of points a moment
        cells = np.stack([ids[steps], ids[steps + 1]], axis=-1).reshape(-1, 2)
        self._lines = SurfaceActor(np.zeros((TRAIL_POINTS * count, 3)), cells, lines=True)
        self._lines.actor.GetProperty().SetLineWidth(2.0)
        ink = np.round(255.0 * np.array(rgb(self.theme.accent)))
        sky = np.round(255.0 * np.array(rgb(self.theme.sky_bottom)))
        share = np.linspace(0.1, 1.0, TRAIL_POINTS)[:, None]
        self._lines.paint(np.repeat(share * ink + (1.0 - share) * sky, count, axis=0))
        self.surfaces = [self._lines]

    def update(self, moment: Moment) -> None:
        places = self._lines.points.reshape(TRAIL_POINTS, -1, 3)
        if moment.frame is None:
            return
        back = TRAIL_S * self.poses.rate_hz
        frames = np.round(np.linspace(moment.frame - back, moment.frame, TRAIL_POINTS)).astype(np.int64)
        p = self.poses.markers.p_WM[np.maximum(frames, 0)]
        broken = np.asarray(~np.isfinite(p[..., 0]).all(axis=0))
        places[:] = np.where(broken[:, None], 0.0, p)
        self._lines.changed()

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry(f"way of a marker, last {TRAIL_S:g} s", self.theme.accent, "line")]


class MarkerResiduals(Overlay):
    """From the measured to the consistent landmark, three times as long so that millimetres are seen."""

    title, help = "Residual &Vectors", "From where a point was measured to where the model has it, three times as long"
    moving = True

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Needs consistent positions."""
        if "positions" in analysis.done:
            return None
        return 'Run "Consistent Positions" first.'

    def build(self) -> None:
        self._columns = anatomical(self.poses)
        self._arrows = Instances(arrow(6, 0.4), len(self._columns), colours=RESIDUAL)
        self.surfaces = [self._arrows]

    def update(self, moment: Moment) -> None:
        if moment.frame is None:
            return
        raw = (moment.bodies.get(RAW) or self.poses.pose(RAW, moment.frame)).points[self._columns]
        to = (moment.bodies.get(CONSISTENT) or self.poses.pose(CONSISTENT, moment.frame)).points[self._columns]
        gap = to - raw
        starts = np.where(np.isfinite(gap), raw, np.nan)
        self._arrows.span(starts, starts + MAGNIFIED * np.nan_to_num(gap), 0.006)

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry(f"measured → consistent, {MAGNIFIED:g} ×", RESIDUAL, "arrow")]
