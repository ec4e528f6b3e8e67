"""Joint centres and axes from functional trials, as settings of an analysis."""

from __future__ import annotations

from dataclasses import replace

from biomec.body.anatomy.functional_model import functional_joint
from biomec.body.anatomy.landmarks import trajectories
from biomec.io.unit_evidence import in_unit_of
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.preparation import mapped
from biomec.recording import BIOMEC_AXES, Trial

KINDS = {"spherical": "centre", "revolute": "axis"}


def functional_joints(analysis: Analysis) -> dict[str, str]:
    """Joint -> "centre" or "axis": what a functional trial can find of it; the model must be loaded."""
    body = analysis.body.person
    return {
        joint.name: KINDS[joint.type]
        for joint in body.model.joints
        if joint.type in KINDS and {joint.proximal, joint.distal} <= body.frames.keys()
    }


def with_functional_trial(analysis: Analysis, joint: str, trial: Trial) -> Analysis:
    """Return the analysis with a joint's centre or axis found from a functional trial; the model must be loaded.

    The model and all after it are stale then. The session's notices state what the trial did or did not allow.
    The trial is read in the unit of the recording, which somebody may have put right.
    """
    prepared = analysis.preparation
    ready = mapped(trial, prepared.marker_set, prepared.options.label_map).turned(BIOMEC_AXES)
    ready, notices = in_unit_of(ready, prepared.static)
    found = functional_joint(analysis.body.person, joint, trajectories(ready.markers))
    settings = analysis.settings
    changed = replace(settings, body=replace(settings.body, options=found.options))
    session = replace(analysis.session, notices=(*analysis.session.notices, *notices, *found.notices))
    return replace(analysis, session=session, settings=changed)
