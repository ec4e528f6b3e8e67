"""The study `swing`: simulate, with contact events located, or step as a published program did; compare both."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biomec.base.progress import Progress, part_of
from biomec.engine.contact.force_laws import LAWS
from biomec.machines.comparison import with_differences
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.curves import (
    difference_text,
    differences,
    leg_figures,
    named,
    peak_forces,
    swing_run,
    text_tables,
)
from biomec.machines.prosthesis.history import History
from biomec.machines.prosthesis.published_steps import published_swing
from biomec.machines.prosthesis.reduced import Reduced
from biomec.machines.prosthesis.swing import SwingSettings, simulate_swing
from biomec.machines.study import Run, Study, option, time_limit

AS_DESCRIBED = "as described"
METHODS = {
    "adaptive": "converged",
    "rk4": "constant steps",
    "frozen": "published steps",
    "listing": "published listing",
}
NOTHING, RIGID, LAW = "nothing", "rigid stop", "law {}"
PUBLISHED_STEP, STEP = 0.004, 0.0005  # [s]


@dataclass(frozen=True)
class SwingOptions:
    """Options of the study."""

    law: str = option(AS_DESCRIBED, "Contact law of the stop", choices=(AS_DESCRIBED, *LAWS))
    method: str = option(
        METHODS["adaptive"],
        "How time is stepped: converged finds every touch; the published ones repeat a program that did not",
        choices=tuple(METHODS.values()),
    )
    step_s: float = option(0.0, "Constant step; 0 takes 0.0005 s, or the published 0.004 s", "s")
    tolerance: float = option(1e-8, "Relative tolerance of converged steps")
    every_s: float = option(0.001, "Time between the samples shown", "s")
    duration_s: float = option(0.0, "Duration; 0 takes that of the machine", "s")
    compare: str = option(
        NOTHING,
        "Run to be compared with this one, sample by sample: other steps, a rigid stop, or another contact law",
        choices=(NOTHING, METHODS["adaptive"], METHODS["frozen"], METHODS["listing"], RIGID, *map(LAW.format, LAWS)),
    )
    time_limit_s: float = time_limit()


def refusal(machine: Machine) -> str | None:
    """Why a machine has no swing."""
    if not machine.is_planar:
        return "it moves in space; a swing is simulated in one plane."
    if not machine.stops:
        return "it has no stop to be met. Forward dynamics simulates machines without one."
    return None


def run_swing(machine: Machine, options: SwingOptions, progress: Progress | None = None) -> Run:
    """Answer the study."""
    if options.compare == RIGID or options.compare.startswith(LAW.format("")):
        return _beside(machine, options, progress)
    law = "" if options.law == AS_DESCRIBED else options.law
    if options.method in (METHODS["frozen"], METHODS["listing"]):
        return _published(machine, options, law, progress)
    method = next(key for key, word in METHODS.items() if word == options.method)
    settings = SwingSettings(
        law, options.duration_s, method, options.tolerance, options.step_s or STEP, options.every_s
    )
    comparing = options.compare != NOTHING
    swing = simulate_swing(machine, settings, part_of(progress, 0.0, 0.5 if comparing else 1.0))
    figures = named({**swing.figures, **leg_figures(swing), **peak_forces(swing)}, machine)
    figures.setdefault("contact_onset_s", np.nan)
    notices = []
    if not any(one.kind == "onset" for one in swing.events):
        notices.append("The stop is not met within the swing.")
    elif swing.events[0].kind == "onset" and swing.events[0].time_s == 0.0:
        notices.append("The stop is pressed from the start: the position of the start reaches into it.")
    text = _compared(machine, options, law, swing.moving, progress) if comparing else ""
    return swing_run(
        "swing",
        f"Swing, {options.method}",
        machine,
        options,
        swing.moving,
        swing.history,
        figures,
        status=swing.status,
        succeeded=swing.completed,
        notices=tuple(notices),
        text=text,
        files=text_tables(swing.moving, swing.history),
    )


def _beside(machine: Machine, options: SwingOptions, progress: Progress | None) -> Run:
    """The swing with its differences to one with another law, or with a rigid stop."""
    run = run_swing(machine, replace(options, compare=NOTHING), part_of(progress, 0.0, 0.5))
    rest = part_of(progress, 0.5, 1.0)
    if options.compare == RIGID:
        from biomec.machines.prosthesis.impact_study import ImpactOptions, run_impact

        rigid = ImpactOptions(machine.stops[0].restitution, options.every_s, options.duration_s, options.tolerance)
        other = run_impact(machine, rigid, rest)
    else:
        law = options.compare.removeprefix(LAW.format(""))
        other = run_swing(machine, replace(options, law=law, compare=NOTHING), rest)
    compared: Run = replace(with_differences(run, other, options.compare), options=options)
    if other.succeeded:
        return compared
    early = f"The swing with {options.compare} ended early: {other.status}"
    return replace(compared, notices=(*compared.notices, early))


def _published(machine: Machine, options: SwingOptions, law: str, progress: Progress | None) -> Run:
    made = published_swing(
        machine,
        options.method == METHODS["listing"],
        options.step_s or PUBLISHED_STEP,
        law,
        options.duration_s,
        progress=part_of(progress, 0.0, 0.5),
    )
    figures = dict(made.figures)
    figures.setdefault("contact_onset_s", np.nan)
    text = _compared(machine, options, law, made.moving, progress) if options.compare != NOTHING else ""
    return swing_run(
        "swing",
        f"Swing, {options.method}",
        machine,
        options,
        made.moving,
        made.history,
        figures,
        notices=(
            "The contact force is held over each step, as a published program did: these figures change with the step. "
            "Converged steps give figures that do not.",
        ),
        text=text,
        files=text_tables(made.moving, made.history),
    )


def _compared(machine: Machine, options: SwingOptions, law: str, moving: Reduced, progress: Progress | None) -> str:
    """Difference report at the published sampling, of this method and the one it is compared with."""
    step = PUBLISHED_STEP

    def history(word: str, watch: Progress | None) -> History:
        if word in (METHODS["frozen"], METHODS["listing"]):
            own = options.step_s or step
            whole = published_swing(machine, word == METHODS["listing"], own, law, options.duration_s, progress=watch)
            every = max(1, round(step / own))
            return replace(whole.history, **{
                name: getattr(whole.history, name)[::every] for name in whole.history.__dataclass_fields__
            })  # fmt: skip
        method = "rk4" if word == METHODS["rk4"] else "adaptive"
        settings = SwingSettings(law, options.duration_s, method, options.tolerance, options.step_s or STEP, step)
        return simulate_swing(machine, settings, watch).history

    one = history(options.method, part_of(progress, 0.5, 0.75))
    other = history(options.compare, part_of(progress, 0.75, 1.0))
    head = f"Absolute differences of {options.method} and {options.compare}, every {step:g} s\n"
    return head + difference_text(differences(moving, one, other))


STUDY = Study(
    "swing",
    "Swing",
    "Free motion of a leg whose thigh is driven, up to and beyond the stop of its knee: touch, joint forces, energy.",
    SwingOptions,
    refusal,
    run_swing,
)
