"""How near a simulated movement is to the recorded one, in the groups of the published tables of tracked gait.

RMS over time and over all members of a group, as tables 3.3 and 3.4 of [Mouzo2018] have them: the place of the root,
joint angles, the resultant of the ground reactions, joint torques; and what holds the root, which is next to nothing on
contact.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.frozen import FrozenDict
from biomec.engine.forward.joint_space import JointSpace
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation_run import SimulationRun


def tracking_figures(analysis: Analysis, run: SimulationRun) -> Mapping[str, float]:
    """RMS of every group; NaN where the run has nothing of it."""
    body = analysis.body.person
    space = JointSpace(body.system, tuple(body.model.roots))
    recorded = analysis.motion.q[run.frames]
    place = np.array([space.pose(q).root - space.pose(before).root for q, before in zip(run.q, recorded, strict=True)])
    turned = run.angles - run.measured_angles
    return FrozenDict(
        {
            "root_place_m": _rms(place),
            "angles_rad": _rms((turned + np.pi) % (2.0 * np.pi) - np.pi),
            "ground_reaction_N": _rms(run.ground_change.sum(axis=1)),
            "joint_torques_Nm": _rms(run.torques - run.inverse_torques),
            "residual_force_N": _rms(run.residual_force),
            "residual_torque_Nm": _rms(run.residual_torque),
        }
    )


def _rms(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(known**2))) if known.size else float("nan")
