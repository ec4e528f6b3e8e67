"""The whole model on one recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from biomec.body.anatomy.frames import Points
from biomec.body.kinematics.joint_angles import JointAngles
from biomec.body.plug_in_gait.angles import angles
from biomec.body.plug_in_gait.kinetics import Ground, LegLoads, leg_loads
from biomec.body.plug_in_gait.parameters import Calibration
from biomec.body.plug_in_gait.segments import Segments, segments


@dataclass(frozen=True, eq=False)
class PlugInGait:
    """Plug-in Gait of a recording as Vicon computes it.

    loads : None where there are no plates or the mass is not known
    """

    calibration: Calibration
    segments: Segments
    angles: JointAngles
    loads: LegLoads | None


def plug_in_gait(
    points: Points,
    calibration: Calibration,
    rate_hz: float,
    *,
    ground: Mapping[str, Ground] | None = None,
    mass_kg: float | None = None,
    first_frame: int = 1,
) -> PlugInGait:
    """Compute everything that the landmarks allow.

    points      : landmark -> (T, 3) [m], X forward, Y up, Z right
    calibration : measures of the person, from `calibrate`
    ground      : side "D", "E" -> what the ground does to that foot
    """
    found = segments(points, calibration.measures)
    loads = None
    if ground and mass_kg:
        loads = leg_loads(found, points, ground, mass_kg, rate_hz, calibration.measures["marker_diameter"])
    return PlugInGait(calibration, found, angles(found, first_frame), loads)
