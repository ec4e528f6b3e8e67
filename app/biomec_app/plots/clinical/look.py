"""How clinical plots look: colours of the sides, size of the letters, paper or window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from biomec.reporting.clinical.blocks import LEVEL
from biomec_app.kit.colours import COMPARED, LIGHT, PALETTES, Theme, mixed

PAPER = replace(LIGHT, name="light", window="#FFFFFF", panel="#FFFFFF", text="#1A1D21", faint="#5F6670", line="#C9CED5")
"""Ours on white paper, with letters dark enough for a printer."""
OURS, VICON, RED_BLUE, GREY = "blue and orange", "red and green", "red and blue", "grey"


@dataclass(frozen=True)
class SideColours:
    """Colours of the sides on a light and on a dark ground, as #rrggbb.

    left_dashed : whether the left side is dashed too, as where colours cannot tell the sides apart
    """

    title: str
    right: tuple[str, str]
    left: tuple[str, str]
    left_dashed: bool = False


SIDE_COLOURS: Mapping[str, SideColours] = {
    OURS: SideColours("Right blue, left orange", ("#0072B2", "#56B4E9"), ("#D55E00", "#F0803C")),
    VICON: SideColours("Right green, left red", ("#007A33", "#4CC77A"), ("#D0021B", "#FF7A70")),
    RED_BLUE: SideColours("Right blue, left red", ("#1F3FD6", "#7D97FF"), ("#D0021B", "#FF7A70")),
    GREY: SideColours("Grey, left dashed", ("#202020", "#F0F0F0"), ("#6E6E6E", "#A8A8A8"), True),
}
"""Key, as in settings and report definitions -> colours of the sides."""
PALER = (0.0, 0.45, 0.6, 0.7)  # share of the ground in the colour of the report's visit, and of those compared with it
DASHES: tuple[tuple[float, ...], ...] = ((), (5.0, 2.5), (1.0, 2.0), (6.0, 2.0, 1.0, 2.0))
LEFT_DASH = (4.0, 2.0)
LEVEL_DASHES: tuple[tuple[float, ...], ...] = ((), (), (5.0, 2.5), (2.0, 2.0))
"""Of the levels of a study: blue and red need no dashes, and a printer without colours shows the others apart."""


@dataclass(frozen=True)
class Look:
    """How a plot is drawn.

    point   : units of the paint device in a point, 1/72 inch: 1 on a device of 72 dpi, 1200/72 on one of 1200 dpi
    size    : of the letters [points]
    colours : key of `SIDE_COLOURS`
    strips  : whether a strip under each panel shows how far the mean is from the norm
    legend, notes : whether to draw what the colours mean, and the note of a block
    """

    theme: Theme = PAPER
    colours: str = OURS
    point: float = 1.0
    size: float = 7.0
    strips: bool = False
    legend: bool = True
    notes: bool = True

    @property
    def dark(self) -> bool:
        """Whether the ground is dark."""
        return QColor(self.theme.panel).lightness() < 128

    def colour(self, side: str, visit: int = 0) -> str:
        """Colour of a level, or of a side: "right", "left" or "" for neither, paler for visits compared with."""
        if side == LEVEL:
            name = "dark" if self.dark else "light"
            colours = (*COMPARED[name], *PALETTES[name][3:])
            return colours[visit % len(colours)]
        chosen = SIDE_COLOURS.get(self.colours, SIDE_COLOURS[OURS])
        strong = {"right": chosen.right, "left": chosen.left}.get(side)
        colour = self.theme.text if strong is None else strong[int(self.dark)]
        return mixed(colour, self.theme.panel, PALER[min(visit, len(PALER) - 1)])

    def pen(self, side: str, visit: int = 0, width: float = 1.5) -> QPen:
        """Pen for a curve, ``width`` in points; the lines of compared visits are broken in their own ways."""
        pen = QPen(QColor(self.colour(side, visit)), width * self.point)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        dashes = DASHES[visit % len(DASHES)] if side != LEVEL else LEVEL_DASHES[visit % len(LEVEL_DASHES)]
        if not dashes and side == "left" and SIDE_COLOURS.get(self.colours, SIDE_COLOURS[OURS]).left_dashed:
            dashes = LEFT_DASH
        if dashes:
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setDashPattern([part / max(0.5, width) * 1.2 for part in dashes])
        else:
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        return pen

    @property
    def band(self) -> str:
        """Colour of the norm: half of #A0A0A0 on the ground."""
        return mixed("#A0A0A0", self.theme.panel, 0.5)
