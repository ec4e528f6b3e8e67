"""The one way to run an analysis: steps in their order, each a pure function, results that know when they are stale.

`Analysis` is immutable. Running a step gives a new one; changing settings makes the later results stale, and running
all computes only what is stale. Window, command line and notebook use the same functions and get the same numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from biomec._version import __version__
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, Scope
from biomec.base.progress import Progress, part_of
from biomec.body.kinematics.consistent_motion import ConsistentMotion, ConsistentPositions
from biomec.body.kinematics.joint_angles import JointAngles
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.muscles.sharing_options import NO_EMG
from biomec.io.project_trial import subject_to_json
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.simulation_run import SimulationRun
from biomec.pipeline.simulation_settings import MUSCLES, SimulationSettings
from biomec.pipeline.steps.angles import angles
from biomec.pipeline.steps.body import LoadedBody, body
from biomec.pipeline.steps.cycles import FoundCycles, cycles
from biomec.pipeline.steps.loads import LoadResult, loads
from biomec.pipeline.steps.motion import motion
from biomec.pipeline.steps.muscles import MuscleResult, muscles
from biomec.pipeline.steps.positions import positions
from biomec.pipeline.steps.preparation import Prepared, preparation
from biomec.pipeline.steps.segments import segments
from biomec.pipeline.steps.signals import CleanSignals, signals
from biomec.recording import Event, Record, Session
from biomec.recording.step import plain_data
from biomec.signals.gait_events import merged_gait_events
from biomec.signals.label_swaps import REPAIRABLE

T = TypeVar("T")
SIMULATION = "simulation: "
"""Begins the name under which a session stores a simulation."""
MADE_OF = "made_of"
"""In the history of a session: what a result that is out of date was made from."""
STOPPED = "analysis-stopped"
"""Code of the notice about a step that could not run; it goes when the analysis goes on."""


@dataclass(frozen=True)
class Step:
    """One step of the analysis.

    name     : key of its result and settings, property of the analysis, module in `steps`
    title    : what a menu calls it; the name is part of it
    run      : the work
    settings : the part of the settings that it depends on
    share    : rough part of the whole running time, for progress
    offered  : whether menus offer it by itself; otherwise the next one that they offer runs it too
    asked    : whether it runs only for who asks for it, and again where it ran before; the others belong to every
               analysis
    """

    name: str
    title: str
    run: Callable[[Analysis, Progress | None], Any]
    settings: Callable[[AnalysisSettings], Any]
    share: float
    offered: bool = True
    asked: bool = False


@dataclass(frozen=True, eq=False)
class Done:
    """What a step gave, and a fingerprint of everything that it was made from.

    session, settings : what it was made from; None where that is not known
    """

    value: Any
    fingerprint: str
    session: Session | None = None
    settings: AnalysisSettings | None = None

    @property
    def made_of(self) -> dict[str, Any] | None:
        """What the step was made from, as plain data but for the measured arrays, of which there is a fingerprint."""
        if self.session is None or self.settings is None:
            return None
        trial = self.session.dynamic
        return {
            "measured": self.session.fingerprint,
            "settings": plain_data(self.settings),
            "subject": subject_to_json(self.session.subject),
            "events": plain_data(trial.events),
            "dismissed_events": plain_data(trial.dismissed_events),
        }


@dataclass(frozen=True, eq=False)
class Analysis:
    """A session, settings, the results of the steps that have run, and simulations by their names."""

    session: Session
    settings: AnalysisSettings = field(default_factory=AnalysisSettings)
    done: Mapping[str, Done] = field(default_factory=dict)
    simulations: Mapping[str, SimulationRun] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "done", FrozenDict(dict(self.done)))
        object.__setattr__(self, "simulations", FrozenDict(dict(self.simulations)))

    # ------------------------------------------------------------------ what is there

    def fingerprint(self, name: str) -> str:
        """Fingerprint of what goes into a step: recordings, subject, version, settings of it and of those before."""
        if name in self._known:
            return self._known[name]
        made_of: list[Any] = [__version__, self.session.fingerprint]
        files = False
        for step in STEPS:
            plain = plain_data(step.settings(self.settings))
            named = _files(plain)
            made_of.append([step.name, plain, [_content(file) for file in named]])
            files = files or bool(named)
            if step.name == name:
                break
        text = json.dumps(made_of, sort_keys=True, default=str)
        found = hashlib.sha256(text.encode()).hexdigest()
        if not files:
            self._known[name] = found
        return found

    @cached_property
    def _known(self) -> dict[str, str]:
        """Fingerprints that stay as they are: those of steps whose settings name no file, which may be edited."""
        return {}

    def derived(self, make: Callable[[Analysis], T]) -> T:
        """What a function finds out of recording, results and simulations; kept as long as these, for all who ask.

        Settings must not count for it: an analysis with other settings has it too.
        """
        if make not in self._derived:
            self._derived[make] = make(self)
        found: T = self._derived[make]
        return found

    @cached_property
    def _derived(self) -> dict[Callable[[Analysis], Any], Any]:
        return {}

    def is_current(self, name: str) -> bool:
        """Whether a step has run and nothing that it was made from has changed since."""
        return name in self.done and self.done[name].fingerprint == self.fingerprint(name)

    @property
    def stale(self) -> tuple[str, ...]:
        """Steps that have a result which the settings no longer give."""
        return tuple(name for name in self.done if not self.is_current(name))

    def simulation_source(self, settings: SimulationSettings) -> str:
        """Fingerprint of what a simulation is made from: the motion and, where torques move it, inverse dynamics.

        Where muscles do, their settings too.
        """
        loads = plain_data(self.settings.loads) if settings.follows else None
        made_from = [self.fingerprint("motion"), loads]
        if settings.input == MUSCLES:
            made_from.append(plain_data(self.settings.muscles))
        text = json.dumps(made_from, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def stale_simulations(self) -> tuple[str, ...]:
        """Simulations of a motion that the settings no longer give."""
        runs = self.simulations.items()
        return tuple(name for name, run in runs if run.source != self.simulation_source(run.settings))

    def _value(self, name: str) -> Any:
        if name not in self.done:
            raise BiomecError(run_first(name))
        return self.done[name].value

    @property
    def preparation(self) -> Prepared:
        """Trials with mapped labels, in Biomec's axes."""
        value: Prepared = self._value("preparation")
        return value

    @property
    def signals(self) -> CleanSignals:
        """Rebuilt and filtered signals, contacts, events."""
        value: CleanSignals = self._value("signals")
        return value

    @property
    def body(self) -> LoadedBody:
        """The person's model."""
        value: LoadedBody = self._value("body")
        return value

    @property
    def positions(self) -> ConsistentPositions:
        """Consistent coordinates."""
        value: ConsistentPositions = self._value("positions")
        return value

    @property
    def motion(self) -> ConsistentMotion:
        """Consistent coordinates, velocities and accelerations."""
        value: ConsistentMotion = self._value("motion")
        return value

    @property
    def segments(self) -> SegmentMotion:
        """Motion of the segments and of the centre of mass."""
        value: SegmentMotion = self._value("segments")
        return value

    @property
    def angles(self) -> JointAngles:
        """Joint angles."""
        value: JointAngles = self._value("angles")
        return value

    @property
    def cycles(self) -> FoundCycles:
        """Cycles and their mean curves, without cycles that the notes of the session exclude."""
        value: FoundCycles = self._value("cycles")
        return self.derived(_counted) if self.session.notes.excluded_cycles else value

    @property
    def loads(self) -> LoadResult:
        """What the joints carry."""
        value: LoadResult = self._value("loads")
        return value

    @property
    def muscles(self) -> MuscleResult:
        """Which muscles carry the movement, and what the joints bear under them."""
        value: MuscleResult = self._value("muscles")
        return value

    @property
    def events(self) -> tuple[Event, ...]:
        """Events in order of time: of the recording, set by hand, and those that were found in the signals."""
        trial = self.session.dynamic
        if "signals" not in self.done:
            return trial.events
        found = self.signals.events
        steps, _ = merged_gait_events(trial, found.plates, found.kinematics, found.options)
        return tuple(sorted({*trial.events, *steps}))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What reading and all steps that have run found, assumed or missed, in their order.

        Labels exchanged between markers that the model does not follow, such as wrists beside a model of the legs,
        touch nothing that is shown.
        """
        session = self.session
        found = [*session.notices, *session.dynamic.notices]
        for step in STEPS:
            if step.name in self.done:
                found += getattr(self.done[step.name].value, "notices", ())
        if "body" in self.done:
            followed = self.body.person.followed
            found = [
                replace(one, scope=Scope.ASIDE)
                if one.code in REPAIRABLE and not any(name in followed for name in one.about)
                else one
                for one in found
            ]
        return tuple(dict.fromkeys(found))

    # ------------------------------------------------------------------ work

    def with_settings(self, settings: AnalysisSettings) -> Analysis:
        """Return the analysis with other settings; results stay, and those that depend on a change are stale."""
        changed = replace(self, settings=settings)
        changed._derived.update(self._derived)
        return changed

    def with_simulation(self, run: SimulationRun) -> Analysis:
        """Return the analysis with a simulation beside the others; one of the same name is replaced."""
        return replace(self, simulations={**self.simulations, run.name: run})

    def without_simulation(self, name: str) -> Analysis:
        """Return the analysis without the simulation of that name."""
        if name not in self.simulations:
            raise BiomecError(f"There is no simulation {name}; there are {', '.join(self.simulations) or 'none'}.")
        return replace(self, simulations={key: run for key, run in self.simulations.items() if key != name})

    def run(self, name: str, progress: Progress | None = None) -> Analysis:
        """Run one step; those before it must be current."""
        for step in STEPS:
            if step.name == name:
                break
            if not self.is_current(step.name):
                raise BiomecError(f'{run_first(step.name)[:-1]}: "{step_named(name).title}" needs its result.')
        value = step.run(self, progress)
        kept = tuple(notice for notice in self.session.notices if notice.code != STOPPED)
        session = self.session if len(kept) == len(self.session.notices) else replace(self.session, notices=kept)
        done = Done(value, self.fingerprint(name), session, self.settings)
        return replace(self, session=session, done={**self.done, name: done})

    def run_all(self, progress: Progress | None = None) -> Analysis:
        """Run every step whose result is missing or stale; muscles only where they ran before."""
        last = [step.name for step in STEPS if not step.asked or step.name in self.done][-1]
        return self.run_until(last, progress)

    def run_until(self, name: str, progress: Progress | None = None) -> Analysis:
        """Run a step, and those before it whose result is missing or stale."""
        analysis, before = self, 0.0
        steps = STEPS[: STEPS.index(step_named(name)) + 1]
        total = sum(step.share for step in steps)
        for step in steps:
            if not analysis.is_current(step.name):
                analysis = analysis.run(step.name, part_of(progress, before / total, (before + step.share) / total))
            before += step.share
            if progress is not None:
                progress(before / total)
        return analysis

    def stored(self) -> Session:
        """Return the session with the results of all steps and their lines in the history."""
        session = self.session.with_settings(analysis=plain_data(self.settings))
        for step in STEPS:
            if step.name in self.done:
                done = self.done[step.name]
                current = self.is_current(step.name)
                past: dict[str, Any] = {} if current else {MADE_OF: done.made_of}
                session = session.with_step(
                    step.name, done.value, fingerprint=done.fingerprint, current=current, **past
                )
        for name, run in self.simulations.items():
            result = run.to_result()
            line = Record(SIMULATION + name, run.when, run.biomec, {"options": result.metadata["options"]})
            session = session.with_result(SIMULATION + name, result, line)
        return session


def _counted(analysis: Analysis) -> FoundCycles:
    """The cycles that were found without those excluded by hand."""
    found: FoundCycles = analysis.done["cycles"].value
    first = analysis.session.dynamic.first_frame
    out: dict[str, list[int]] = {}
    for one in analysis.session.notes.excluded_cycles:
        group = one.side if one.side == "both" else one.side.capitalize()
        out.setdefault(group, []).append(one.frame - first)
    return found.without(out)


def _files(plain: Any) -> list[str]:
    """Description files that settings name: models, marker sets, inertia tables and ellipsoids of the user's own."""
    if isinstance(plain, str):
        return [plain] if plain.endswith(".toml") else []
    inner = plain.values() if isinstance(plain, Mapping) else plain if isinstance(plain, (list, tuple)) else ()
    return [file for item in inner for file in _files(item)]


def _content(file: str) -> str:
    """Fingerprint of a description file, so that results are stale once it is edited."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return "absent"


def analyze(session: Session, settings: AnalysisSettings | None = None, progress: Progress | None = None) -> Analysis:
    """Run the whole analysis of a session."""
    return Analysis(session, settings or AnalysisSettings()).run_all(progress)


def step_named(name: str) -> Step:
    """Return the step of that name."""
    for step in STEPS:
        if step.name == name:
            return step
    raise BiomecError(f"There is no step {name}; there are {', '.join(step.name for step in STEPS)}.")


def run_first(name: str) -> str:
    """Sentence that asks for the step of that name, by the words under which menus offer it."""
    step = step_named(name)
    offered = next(one for one in STEPS[STEPS.index(step) :] if one.offered)
    return f'Run "{offered.title}" first.'


STEPS: tuple[Step, ...] = (
    Step("preparation", "Preparation", lambda a, p: preparation(a.session, a.settings.preparation),
         lambda s: s.preparation, 0.05, offered=False),
    Step("signals", "Signals", lambda a, p: signals(a.preparation, a.settings.signals, p),
         lambda s: s.signals, 0.35, offered=False),
    Step("body", "Body Model", lambda a, p: body(a.preparation, a.signals, a.session.subject, a.settings.body),
         lambda s: s.body, 0.1),
    Step("positions", "Consistent Positions", lambda a, p: positions(a.signals, a.body, a.settings.positions, p),
         lambda s: s.positions, 0.25),
    Step("motion", "Consistent Motion", lambda a, p: motion(a.body, a.positions, p), lambda s: None, 0.1),
    Step("segments", "Body Segments", lambda a, p: segments(a.signals, a.body, a.motion), lambda s: None, 0.05),
    Step("angles", "Joint Angles",
         lambda a, p: angles(a.body, a.motion, a.signals.trial.first_frame, a.settings.angles),
         lambda s: s.angles, 0.05),
    Step("cycles", "Cycles",
         lambda a, p: cycles(a.signals, a.angles, a.motion.valid & ~a.segments.unusable, a.settings.cycles),
         lambda s: s.cycles, 0.05),
    Step("loads", "Joint Loads",
         lambda a, p: loads(a.preparation, a.signals, a.body, a.motion, a.segments, a.settings.loads, p),
         lambda s: s.loads, 0.05),
    Step("muscles", "Muscle Forces",
         lambda a, p: muscles(a.signals, a.body, a.motion, a.loads, a.settings.muscles, a.session.dynamic.emg,
                              a.settings.emg, p),
         lambda s: s.muscles if s.muscles.sharing.emg == NO_EMG else (s.muscles, s.emg), 0.2, asked=True),
)  # fmt: skip
"""Steps in the order in which they run; a step depends on all before it."""
ALWAYS = tuple(step for step in STEPS if not step.asked)
"""Steps that belong to every analysis."""
KINEMATICS = "cycles"
"""The last step of the kinematic analysis; what comes after it is about forces."""
