"""Run simulations in the background, and change the list of runs; every change can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, part_of
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation import run_simulation
from biomec.pipeline.simulation_run import SimulationRun
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.pipeline.stretch import simulated_stretch
from biomec_app.features.simulations.runs import delete_line, named, rename_line, renamed, run_line, without
from biomec_app.session.context import Context
from biomec_app.session.ready import ready
from biomec_app.session.view_options import CONSISTENT, SIMULATED

TITLE = "Simulation"
STEP = "loads"
OFTEN_S = 0.05  # how often the window hears of progress; steps may take less than a millisecond
FIRST = 0.3  # part of the work that the steps before take, where they must run


@dataclass(frozen=True, eq=False)
class _Made:
    after: Analysis
    run: SimulationRun
    line: str


def simulate(context: Context, settings: SimulationSettings) -> str:
    """Simulate the open recording; stopped, what was reached is kept. Returns the name that the run will have."""
    before = context.document.analysis
    settings = named(before, settings)
    lines = [] if before.is_current(STEP) else [f'analysis = analysis.run_until("{STEP}")']
    start = FIRST if lines else 0.0
    whole = _length_s(before, settings)

    def work(progress: Progress) -> _Made:
        analysis = before.run_until(STEP, part_of(progress, 0.0, start)) if lines else before
        run = run_simulation(analysis, settings, _seldom(part_of(progress, start, 1.0)))
        remark = "" if run.completed else f"ended after {run.reached_s:.3f} s: {run.ending.value}"
        line = "\n".join([*lines, run_line(settings, remark)])
        return _Made(ready(analysis.with_simulation(run)), run, line)

    def done(made: _Made) -> None:
        document = context.document
        after = made.after
        if document.analysis is not before:
            if not document.is_open or document.analysis.session is not before.session:
                raise BiomecError("Another recording was opened meanwhile, so the simulation was not kept.")
            after = document.analysis.with_simulation(made.run)
        document.change(f"{TITLE}: {made.run.name}", after, made.line)
        show(context, made.run.name, beside=True)

    def words(fraction: float) -> str:
        if whole is None or fraction < start:
            return ""
        if fraction >= 1.0:
            return f"{whole:.2f} s simulated, comparing with the recording"
        return f"{whole * (fraction - start) / (1.0 - start):.2f} s of {whole:.2f} s simulated"

    context.jobs.start(TITLE, work, done, partial=True, words=words)
    return settings.name


def _length_s(analysis: Analysis, settings: SimulationSettings) -> float | None:
    """Time that is asked for [s]; None while the motion is not known."""
    if not analysis.is_current("motion"):
        return None
    stretch = simulated_stretch(analysis, settings)
    return (stretch.last - stretch.first) / analysis.signals.trial.rate_hz


def _seldom(progress: Progress | None) -> Progress | None:
    if progress is None:
        return None
    last = monotonic()

    def tell(fraction: float) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= OFTEN_S or fraction >= 1.0:
            last = now
            progress(fraction)

    return tell


def show(context: Context, name: str, *, beside: bool) -> None:
    """Show a run in the 3-D view, alone or over the recorded movement, and go to its stretch."""
    document = context.document
    run = document.analysis.simulations[name]
    signals = (SIMULATED, CONSISTENT) if beside else (SIMULATED,)
    document.set_view(static=False, signals=signals, simulation=name)
    if not run.first <= document.frame < run.first + len(run.q):
        document.set_frame(run.first)


def rename(context: Context, before: str, after: str) -> None:
    """Call a run otherwise."""
    after = after.strip()
    if after == before:
        return
    renamed(context.document.analysis, before, after)  # refuses now what cannot be
    follow = context.document.view.simulation == before

    def work(analysis: Analysis, progress: Progress) -> Analysis:
        return renamed(analysis, before, after)

    context.analyse("Rename Simulation", work, rename_line(before, after))
    if follow:
        context.document.set_view(simulation=after)


def delete(context: Context, names: Sequence[str]) -> None:
    """Leave runs out; Undo brings them back."""
    title = "Delete Simulation" if len(names) == 1 else "Delete Simulations"
    context.analyse(title, lambda analysis, progress: without(analysis, names), delete_line(names))
