"""Plug-in Gait as Vicon computes it: a direct model of markers, without any fit, to compare and to move over.

Segments follow from the markers of every frame alone (`segments`), angles, forces, moments and powers from the
segments (`angles`, `kinetics`). Biomec's own model of the same markers is the body model "plug-in-gait"; how far the
two differ is in `comparison`. docs/plug-in-gait.md has all equations. Axes: X forward, Y up, Z to the subject's right,
on both sides; metres and radians.
"""

from biomec.body.plug_in_gait.model import PlugInGait, plug_in_gait
from biomec.body.plug_in_gait.parameters import PlugInGaitOptions, calibrate

__all__ = ["PlugInGait", "PlugInGaitOptions", "calibrate", "plug_in_gait"]
