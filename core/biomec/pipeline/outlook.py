"""How far an analysis goes: tried beforehand on some frames, and run as far as it can."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.notices import problem
from biomec.base.progress import Cancelled, Progress, part_of
from biomec.pipeline.analysis import KINEMATICS, STEPS, STOPPED, Analysis, step_named
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.steps.loads import tree_of
from biomec.recording import Session, Trial

LOADS = "loads"
TRIED = 60  # frames, besides those that show what no other does


@dataclass(frozen=True)
class Obstacles:
    """What is in the way of an analysis, as sentences; empty is what nothing is in the way of.

    model : why the model of the person cannot be built
    loads : why its joint loads cannot be computed, if it can be built
    """

    model: str = ""
    loads: str = ""


def obstacles(session: Session, settings: AnalysisSettings, progress: Progress | None = None) -> Obstacles:
    """Return what is in the way of an analysis of a session.

    Tried on some frames of the movement and without plates, so that it takes a moment and not minutes.
    """
    signals = replace(settings.signals, marker_filter=None, plate_filter=None, by_hand=())
    try:
        few = replace(session, dynamic=_some_frames(session.dynamic), emg_alignment=None)
        tried = Analysis(few, replace(settings, signals=signals)).run_until("body", progress)
    except Cancelled:
        raise
    except BiomecError as error:
        return Obstacles(model=str(error))
    return Obstacles(loads=obstacle_of_loads(tried))


def obstacle_of_loads(analysis: Analysis) -> str:
    """Why joint loads cannot be computed with the model that is loaded; empty if they can, or if it is out of date."""
    if not analysis.is_current("body"):
        return ""
    try:
        tree_of(analysis.body.person, analysis.settings.loads)
    except BiomecError as error:
        return str(error)
    return ""


def loads_belong(analysis: Analysis) -> bool:
    """Whether joint loads run without being asked for: they did once, or the ground reaction is known.

    It is known where there are plates, and where the settings have it computed from the motion.
    """
    if LOADS in analysis.done:
        return True
    known = bool(analysis.session.dynamic.plates) or analysis.settings.loads.external == "estimated"
    return known and not obstacle_of_loads(analysis)


def last_due(analysis: Analysis) -> str:
    """The last step that runs without being asked for: what ran before, joint loads where they belong, kinematics."""
    asked = [step.name for step in STEPS if step.asked and step.name in analysis.done]
    if asked:
        return asked[-1]
    return LOADS if loads_belong(analysis) else KINEMATICS


def run_due(analysis: Analysis, progress: Progress | None = None) -> Analysis:
    """Run every step that is missing or out of date, as far as `last_due` says.

    Where loads cannot run, the kinematic analysis stays, and a notice says why.
    """
    last = STEPS.index(step_named(KINEMATICS)) + 1
    share = sum(step.share for step in STEPS[:last]) / sum(step.share for step in STEPS)
    found = analysis.run_until(KINEMATICS, part_of(progress, 0.0, share))
    due = last_due(found)
    return found if due == KINEMATICS else run_as_far(found, due, progress)


def _some_frames(trial: Trial) -> Trial:
    """Markers of a trial in frames spread over it, with the first of each marker and the one that shows most."""
    visible = trial.markers.visible
    if not visible.size:
        return trial
    spread = np.linspace(0, trial.frames - 1, TRIED).round().astype(int)
    frames = np.unique([*spread, *visible.argmax(axis=0), visible.sum(axis=1).argmax()])
    markers = replace(trial.markers, p_WM=trial.markers.p_WM[frames], residual=None)
    return Trial(trial.source, markers, trial.axes, trial.subject)


def run_as_far(analysis: Analysis, name: str, progress: Progress | None = None) -> Analysis:
    """Run steps up to one; where one of them cannot run, those before it stay, and a notice says why.

    The notice goes when a step runs after all.
    """
    steps = STEPS[: STEPS.index(step_named(name)) + 1]
    total, before = sum(step.share for step in steps), 0.0
    for step in steps:
        after = before + step.share
        try:
            analysis = analysis.run_until(step.name, part_of(progress, before / total, after / total))
        except Cancelled:
            raise
        except BiomecError as error:
            words = f'The analysis stopped at "{step.title}": {error}'
            others = (notice for notice in analysis.session.notices if notice.code != STOPPED)
            return replace(analysis, session=replace(analysis.session, notices=(*others, problem(STOPPED, words))))
        before = after
    return analysis
