"""Overlays of the 3-D view: a dictionary of classes, in the order of the menu. A feature registers its own."""

from __future__ import annotations

from biomec_app.viewer.overlays.arrows import Arrows
from biomec_app.viewer.overlays.forces import Forces, Plates
from biomec_app.viewer.overlays.model import CentresOfMass, Ellipsoids, LocalFrames, NaturalCoordinates
from biomec_app.viewer.overlays.motion import MarkerResiduals, Trails
from biomec_app.viewer.overlays.overlay import Handles, Label, LegendEntry, Moment, Overlay
from biomec_app.viewer.overlays.points import AnatomicalPoints, MarkerNames, TechnicalPoints

OVERLAYS: dict[str, type[Overlay]] = {
    "anatomical points": AnatomicalPoints,
    "technical points": TechnicalPoints,
    "natural coordinates": NaturalCoordinates,
    "local frames": LocalFrames,
    "ellipsoids": Ellipsoids,
    "centres of mass": CentresOfMass,
    "plates": Plates,
    "forces": Forces,
    "marker names": MarkerNames,
    "trails": Trails,
    "residuals": MarkerResiduals,
}
"""Name, as in `View.overlays` -> class."""


def register_overlay(name: str, kind: type[Overlay], after: str = "") -> None:
    """Offer an overlay in the menus, after another or last; ``name`` is that of `View.overlays`.

    Call it before the window is made.
    """
    known = list(OVERLAYS.items())
    place = next((k for k, (other, _) in enumerate(known, 1) if other == after), len(known))
    OVERLAYS.clear()
    OVERLAYS.update([*known[:place], (name, kind), *known[place:]])


__all__ = ["OVERLAYS", "Arrows", "Handles", "Label", "LegendEntry", "Moment", "Overlay", "register_overlay"]
