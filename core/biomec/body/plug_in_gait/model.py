"""The whole model on one recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from biomec.base.notices import Notice
from biomec.body.anatomy.frames import Points
from biomec.body.kinematics.joint_angles import JointAngles
from biomec.body.plug_in_gait.angles import angles
from biomec.body.plug_in_gait.kinetics import Ground, LegLoads, leg_loads
from biomec.body.plug_in_gait.parameters import Calibration, PlugInGaitOptions, calibrate
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
    options: PlugInGaitOptions

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was assumed or found on the way."""
        return self.calibration.notices


def plug_in_gait(
    points: Points,
    static: Points | None,
    entered: Mapping[str, float],
    rate_hz: float,
    *,
    ground: Mapping[str, Ground] | None = None,
    mass_kg: float | None = None,
    first_frame: int = 1,
    options: PlugInGaitOptions = PlugInGaitOptions(),
) -> PlugInGait:
    """Compute everything that the landmarks allow.

    points, static : landmark -> (T, 3) [m] of the movement and of the static acquisition, X forward, Y up, Z right
    entered        : measures of the subject [m, rad];  ground : side "D", "E" -> what the ground does to that foot
    """
    calibration = calibrate(entered, static, options)
    found = segments(points, calibration.measures)
    loads = None
    if ground and mass_kg:
        loads = leg_loads(found, points, ground, mass_kg, rate_hz, calibration.measures["marker_diameter"])
    return PlugInGait(calibration, found, angles(found, first_frame), loads, options)
