"""What the 3-D view shows, as plain data without Qt."""

from __future__ import annotations

from dataclasses import dataclass

RAW, CONSISTENT, SIMULATED = "raw", "consistent", "simulated"


@dataclass(frozen=True)
class View:
    """What the 3-D view shows.

    signals     : what is drawn as a body, `RAW`, `CONSISTENT` or `SIMULATED`, or two laid over each other
    static      : the static pose instead of the movement
    coloured    : every segment in a colour of its own, instead of one for each side
    single      : all segments in one colour; ``coloured`` comes first
    shape       : "lines", "capsules" or "ellipsoids"
    overlays    : names of the overlays that are shown (see `viewer.overlays`)
    follow      : the camera follows the body
    force_scale : length of force arrows, 1 for a metre a thousand newtons
    measure     : what clicks in the view measure: "", "distance" or "angle"
    simulation  : name of the run that `SIMULATED` means; empty for the last one
    no_muscles  : groups of muscles that are not drawn
    """

    signals: tuple[str, ...] = (CONSISTENT,)
    static: bool = False
    coloured: bool = False
    single: bool = False
    shape: str = "capsules"
    overlays: frozenset[str] = frozenset({"anatomical points", "plates", "forces"})
    follow: bool = False
    force_scale: float = 1.0
    measure: str = ""
    simulation: str = ""
    no_muscles: frozenset[str] = frozenset()
