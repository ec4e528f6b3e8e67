"""Overlays of the 3-D view: a dictionary of classes. A new result brings a file and a line here, or registers itself.

The order is that of the menu.
"""

from __future__ import annotations

from biomec_app.viewer.overlays.forces import Forces, Plates
from biomec_app.viewer.overlays.frames import LocalFrames, NaturalCoordinates
from biomec_app.viewer.overlays.masses import CentresOfMass
from biomec_app.viewer.overlays.motion import Residuals, Trails
from biomec_app.viewer.overlays.overlay import Entry, Label, Moment, Overlay
from biomec_app.viewer.overlays.points import AnatomicalPoints, MarkerNames, TechnicalPoints
from biomec_app.viewer.overlays.ribcage import Ellipsoids

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
    "residuals": Residuals,
}
"""Name, as in `View.overlays` -> class."""

__all__ = ["OVERLAYS", "Entry", "Label", "Moment", "Overlay"]
