"""Colours that mean the same in every picture and on the page."""

from __future__ import annotations

from biomec.recording.marker_set import Side

RIGHT, LEFT, MIDDLE = "#0072B2", "#D55E00", "#5F6670"  # right and left as in the window
FAULT = "#C62F36"
SIDE_COLOUR = {Side.RIGHT: RIGHT, Side.LEFT: LEFT, None: MIDDLE}
INK, MUTED, HAIR, PAPER = "#1E242C", "#66707C", "#D5DAE0", "#FFFFFF"
FORCE = "#0B8F5A"
MEASURED, REBUILT, INTERPOLATED, MISSING, NOT_CONVERGED = "#B9D3EA", "#F0C75E", "#E58A2C", "#E9ECEF", "#8A3FA0"
