"""Ninth step: what the joints carry, by two independent methods, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomec.anatomy.subject_model import SubjectModel
from biomec.arrays import FloatArray
from biomec.dynamics.external_loads import ExternalLoads, external_loads, no_loads
from biomec.dynamics.joint_loads import JointLoads
from biomec.dynamics.multibody_inverse import multibody_loads
from biomec.dynamics.newton_euler import newton_euler
from biomec.dynamics.options import InverseOptions
from biomec.dynamics.tree import JointTree, joint_tree
from biomec.kinematics.consistent_motion import ConsistentMotion
from biomec.kinematics.contact_points import contacts_of_model
from biomec.kinematics.segment_motion import segment_motion
from biomec.notices import Notice, warning
from biomec.pipeline.clean_signals import CleanSignals
from biomec.progress import Progress
from biomec.recording import Result
from biomec.recording.step import step_result
from biomec.signals.contact_table import contact_table


@dataclass(frozen=True, eq=False)
class InverseDynamics:
    """Loads of all joints over the recording, proximal on distal, in laboratory axes.

    newton_euler : by Newton's and Euler's equations, segment by segment
    multibody    : of the same motion by the equations of the whole mechanism, as the options choose
    external     : what the ground does to the body
    """

    newton_euler: JointLoads
    multibody: JointLoads
    external: ExternalLoads
    options: InverseOptions
    notices: tuple[Notice, ...] = ()

    def to_result(self) -> Result:
        """Return what a session stores: loads of both methods, external loads."""
        arrays: dict[str, NDArray[Any]] = {}
        about: dict[str, Any] = {}
        for name, loads in (("newton_euler", self.newton_euler), ("multibody", self.multibody)):
            result = loads.to_result()
            arrays |= {f"{name} {key}": array for key, array in result.arrays.items()}
            about[name] = {key: value for key, value in result.metadata.items() if key not in ("options", "notices")}
        external = self.external
        for key in ("point", "force", "moment", "estimated"):
            arrays[f"external {key}"] = getattr(external, key)
        return step_result(arrays, self.options, self.notices, external=external.segments, **about)


def tree_of(body: SubjectModel, options: InverseOptions = InverseOptions()) -> JointTree:
    """Return the joints of a person's model from the ends to the root that carries the residual."""
    return joint_tree(body.system, body.model.roots if options.root is None else (options.root,))


def inverse_dynamics(
    clean: CleanSignals,
    body: SubjectModel,
    motion: ConsistentMotion,
    options: InverseOptions = InverseOptions(),
    progress: Progress | None = None,
) -> InverseDynamics:
    """Loads of all joints; NaN in frames without a motion, and towards the root from a segment that nothing decides."""
    tree = tree_of(body, options)
    q, qdot, qddot = (_determined(body, motion, level) for level in (motion.q, motion.qdot, motion.qddot))
    external, notices = measured_loads(clean, body) if options.external != "none" else (no_loads(len(q)), [])
    newton = newton_euler(tree, segment_motion(body.system, q, qdot, qddot), q, external)
    multibody = multibody_loads(tree, q, qddot, external, options.method, options.constraints)
    return InverseDynamics(newton, multibody, external, options, tuple(notices))


def measured_loads(clean: CleanSignals, body: SubjectModel) -> tuple[ExternalLoads, list[Notice]]:
    """What the plates do to hands and feet of the model, at the frames of the cameras."""
    trial = clean.trial
    if clean.contacts is None:
        return no_loads(trial.frames), []
    segments = [segment.name for segment in body.segments]
    contacts, names, _ = contacts_of_model(clean.contacts, trial.plates, segments)
    unknown = [item for item in contacts.contacts if item.segment is None]
    notices = []
    if unknown:
        plates = ", ".join(dict.fromkeys(item.contact.plate for item in unknown))
        notices.append(
            warning(
                "loads-unassigned",
                f"The forces of {len(unknown)} contacts on {plates} belong to no segment of the model, so that they "
                "act on nobody and the residual takes their place.",
            )
        )
    table = contact_table(contacts, names)
    return external_loads(names, table.cop, table.force, table.moment), notices


def _determined(body: SubjectModel, motion: ConsistentMotion, level: FloatArray) -> FloatArray:
    """Coordinates (T, n) with NaN for segments whose place nothing decides in a frame."""
    if not motion.undetermined.any():
        return level
    known = level.copy()
    for k, name in enumerate(motion.segments):
        known[np.ix_(motion.undetermined[:, k], body.system.layout.columns(name))] = np.nan
    return known
