"""Joint centres and axes from functional trials, as settings of an analysis."""

from __future__ import annotations

from dataclasses import replace

from biomec.anatomy.functional_model import functional_joint
from biomec.anatomy.landmarks import trajectories
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.preparation import mapped
from biomec.recording import BIOMEC_AXES, Trial


def with_functional_trial(analysis: Analysis, joint: str, trial: Trial) -> Analysis:
    """Return the analysis with a joint's centre or axis found from a functional trial; the model must be loaded.

    The model and all after it are stale then. What the trial did or did not allow is told in the session's notices.
    """
    prepared = analysis.prepared
    ready = mapped(trial, prepared.marker_set, prepared.options.label_map).turned(BIOMEC_AXES)
    found = functional_joint(analysis.loaded.body, joint, trajectories(ready.markers))
    settings = analysis.settings
    changed = replace(settings, body=replace(settings.body, options=found.options))
    session = replace(analysis.session, notices=(*analysis.session.notices, *found.notices))
    return replace(analysis, session=session, settings=changed)
