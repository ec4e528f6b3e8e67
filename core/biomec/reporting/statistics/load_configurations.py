"""What filtering and kinematic consistency do to the loads of a joint: six ways to prepare the same recording.

The comparison of [Nunes2017], Tables 5.9 and 5.10. The published study took a matrix that became singular without a
filter and without consistency, so that its first configuration has a filter after all; it is kept for comparison.
Newton and Euler's equations need no such matrix, and every configuration can be computed here. Plates are prepared like
the markers, as published: the same filter, or none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info
from biomec.base.progress import Progress, part_of
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.loads import measured_loads, tree_of
from biomec.recording import Result
from biomec.recording.step import step_result
from biomec.signals import FilterOptions
from biomec.signals.derivatives import derivative
from biomec.signals.filtering import CutoffChoice

CONFIGURATIONS = (
    "one filter for all markers, no consistency",
    "no filter, full consistency",
    "filter, no consistency",
    "filter, consistent positions",
    "filter, consistent positions and velocities",
    "filter, full consistency",
)
"""In words, in the published order."""

States = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class LoadStudy:
    """Loads of one joint by six ways of preparing a recording. Arrays are read-only.

    joint            : its name
    configurations   : (6,) in words
    time_s           : (T,)
    force, torque    : (6, T, 3) proximal on distal, in laboratory axes [N], [N m]
    counted          : (T,) frames that all configurations have
    force_difference, torque_difference : (6, 6) mean over them of the length of the difference [N], [N m]
    first_cutoff_hz  : of the one filter of the first configuration: between the highest and the lowest cut-off
    plates_prepared  : whether the ground reaction was filtered in each configuration like its markers
    """

    joint: str
    configurations: tuple[str, ...]
    time_s: FloatArray
    force: FloatArray
    torque: FloatArray
    counted: BoolArray
    force_difference: FloatArray
    torque_difference: FloatArray
    first_cutoff_hz: float
    notices: tuple[Notice, ...]
    plates_prepared: bool = False

    @property
    def table(self) -> FloatArray:
        """(6, 6) as published: forces above the diagonal [N], torques below it [N m]."""
        return np.asarray(np.triu(self.force_difference, 1) + np.tril(self.torque_difference, -1))

    def to_result(self) -> Result:
        """Return what a session stores: curves and differences."""
        names = ("time_s", "force", "torque", "counted", "force_difference", "torque_difference")
        return step_result(
            {name: getattr(self, name) for name in names},
            None,
            self.notices,
            joint=self.joint,
            configurations=self.configurations,
            first_cutoff_hz=self.first_cutoff_hz,
            plates_prepared=self.plates_prepared,
        )


def load_study(
    analysis: Analysis,
    joint: str = "right glenohumeral",
    frames: tuple[int, int] | None = None,
    progress: Progress | None = None,
    *,
    plates: bool = True,
) -> LoadStudy:
    """Compute a joint's loads by all six configurations.

    frames : first and last frame that count, such as those of one cycle; None: all
    plates : the ground reaction is prepared like the markers, as published: in the first configuration by its one
             filter, in the second as recorded, in the others as in the analysis. Otherwise, and where the analysis
             estimates the ground reaction, it is the same in all six
    """
    base = analysis.run_until("loads", part_of(progress, 0.0, 0.4))
    signals = base.settings.signals
    if signals.marker_filter is None or base.signals.filtered is None:
        raise BiomecError("The study compares ways to filter markers: choose a filter for them first.")
    cutoffs = base.signals.filtered.cutoff_hz
    if not np.isfinite(cutoffs).any():
        raise BiomecError("No marker was filtered, because no noise was found; the study has nothing to compare.")
    middle = 0.5 * (float(np.nanmax(cutoffs)) + float(np.nanmin(cutoffs)))
    one_filter = FilterOptions(choice=CutoffChoice.FIXED, cutoff_hz=middle)
    measured = base.body.contacts is not None and not base.loads.external.estimated.any()
    plates = plates and measured
    of_plates = replace(one_filter, shared=True)
    lightly = _with_filters(base, one_filter, of_plates if plates else signals.plate_filter)
    lightly = lightly.run_until("positions", part_of(progress, 0.4, 0.7))
    unfiltered = _with_filters(base, None, None if plates else signals.plate_filter)
    unfiltered = unfiltered.run_until("motion", part_of(progress, 0.7, 1.0))

    positions, motion = base.positions, base.motion
    all_states: list[States] = [
        _differentiated(lightly, lightly.positions.q_star),
        (unfiltered.motion.q, unfiltered.motion.qdot, unfiltered.motion.qddot),
        _differentiated(base, positions.q_star),
        _differentiated(base, positions.q),
        (motion.q, motion.qdot, derivative(motion.qdot, positions.rate_hz, 1, positions.options.scheme)),
        (motion.q, motion.qdot, motion.qddot),
    ]
    ground = [base.loads.external] * len(all_states)
    if plates:  # contacts hold the forces of the plates by the settings of their analysis
        ground[:2] = [measured_loads(one.body.contacts, len(positions.q)) for one in (lightly, unfiltered)]
    found = [_loads(base, states, external) for states, external in zip(all_states, ground, strict=True)]
    at = found[0].index(joint)
    force, torque = (np.stack([getattr(one, name)[:, at] for one in found]) for name in ("force", "torque"))
    counted = np.isfinite(force).all(axis=(0, 2)) & np.isfinite(torque).all(axis=(0, 2))
    if frames is not None:
        counted &= (np.arange(len(counted)) >= frames[0]) & (np.arange(len(counted)) <= frames[1])
    if not counted.any():
        raise BiomecError(f"No frame has loads of the {joint} in all six configurations.")
    differences = [_differences(one[:, counted]) for one in (force, torque)]
    words = (
        f"In the first configuration all markers were filtered at {middle:.1f} Hz, midway between the highest and the "
        f"lowest cut-off, as in the published study. {_ground_words(plates, measured)}"
    )
    return LoadStudy(
        joint,
        CONFIGURATIONS,
        read_only(base.signals.trial.time_s),
        read_only(force),
        read_only(torque),
        read_only(counted, np.bool_),
        read_only(differences[0]),
        read_only(differences[1]),
        middle,
        (info("load-study", words, joint),),
        plates,
    )


def _ground_words(plates: bool, measured: bool) -> str:
    if plates:
        return (
            "Plates are prepared like the markers, as published: by the same filter in the first, as recorded in the "
            "second, as in the analysis in the others."
        )
    if measured:
        return "The ground reaction is the same in all six; the published study prepared it like the markers."
    return "The ground reaction is the same in all six, because the analysis does not take it from plates alone."


def _with_filters(analysis: Analysis, markers: FilterOptions | None, plates: FilterOptions | None) -> Analysis:
    settings = analysis.settings
    signals = replace(settings.signals, marker_filter=markers, plate_filter=plates)
    return analysis.with_settings(replace(settings, signals=signals))


def _differentiated(analysis: Analysis, q: FloatArray) -> States:
    """Coordinates with velocities and accelerations by differences alone."""
    rate, scheme = analysis.positions.rate_hz, analysis.positions.options.scheme
    qdot = derivative(q, rate, 1, scheme)
    return q, qdot, derivative(qdot, rate, 1, scheme)


def _loads(base: Analysis, states: States, external: ExternalLoads) -> JointLoads:
    """Loads of all joints, by Newton and Euler's equations."""
    tree = tree_of(base.body.person, base.settings.loads)
    return newton_euler(tree, segment_motion(tree.system, *states), states[0], external)


def _differences(curves: FloatArray) -> FloatArray:
    """(C, C) mean length of the difference of curves (C, N, 3)."""
    return np.asarray(np.linalg.norm(curves[:, None] - curves[None], axis=3).mean(axis=2))
