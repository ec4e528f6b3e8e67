"""The command `simulate`: what would happen, beside what was recorded."""

import argparse
import json
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Severity
from biomec.base.progress import Progress
from biomec.cli import INTERRUPTED
from biomec.cli.arguments import Commands, frames, given, options_of, progress_on_terminal, tell

if TYPE_CHECKING:
    from biomec.body.tracking.what_if import WhatIf
    from biomec.pipeline.analysis import Analysis
    from biomec.pipeline.simulation_run import SimulationRun
    from biomec.pipeline.simulation_settings import SimulationSettings

SESSION = "session.biomec"
NUMBERS = {"mass": "mass", "gravity": "gravity", "grip": "grip_m"}
TABLES = {"mass": "masses", "load": "carried", "weaken": "weakened", "spring": "springs"}
SETTINGS = "biomec.pipeline.simulation_settings.SimulationSettings"
_field = options_of(SETTINGS)


def add_commands(commands: Commands) -> None:
    """Add the parser of this module."""
    parser = commands.add_parser("simulate", help="simulate a recorded movement: forward dynamics")
    parser.set_defaults(run=_simulate)
    parser.add_argument("file", type=Path, metavar="FILE", help="project (.biomec), or recording of a movement")
    _field(parser, "--input", "INPUT", "input")
    _field(parser, "--formulation", "NAME", "formulation")
    _field(parser, "--integrator", "NAME", "integrator")
    _field(parser, "--order", "N", "order")
    _field(parser, "--step", "S", "step_s")
    stretch = parser.add_mutually_exclusive_group()
    stretch.add_argument("--cycle", metavar="N", help="only this cycle, such as 2 or 'Right 1'")
    stretch.add_argument("--frames", type=frames, metavar="A-B", help="only these frames, as the recording counts them")
    parser.add_argument("--what-if", nargs="+", action="extend", type=_change, default=[], metavar="WHAT=VALUE",
                        help="mass=1.1, gravity=0.38 (factors), grip=0.1 (m wider), 'load:right hand=5' (kg), "
                        "'mass:right thigh=1.2' (factor), 'weaken:right elbow=0.3' (missing share of the "
                        "torque), 'spring:right knee lock=0.5' (factor)")  # fmt: skip
    _field(parser, "--joint-stops", None, "joint_stops", typed="on")
    parser.add_argument("--table", action="store_true",
                        help="instead of one run: all formulations and integrators on resultant forces of one cycle, "
                        "1834 steps of 2 ms: the published rows, then R, SR and gear")  # fmt: skip
    parser.add_argument("--name", default="", help="of the run in its project; default: made of the choices")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="folder for simulation.csv, simulation_steps.csv, simulation.json, and for session.biomec "
                        "where a recording is simulated; a project keeps the run itself")  # fmt: skip
    parser.add_argument("--coordinates", action="store_true", help="natural coordinates in simulation.csv, not angles")
    parser.add_argument("--json", action="store_true", help="print the summary for programs")
    parser.add_argument("--force", action="store_true", help="overwrite files in DIR, or a run of the same name")
    more = parser.add_argument_group("settings of the method")
    _field(more, "--root", "ROOT", "root")
    _field(more, "--seed", "N", "seed")
    _field(more, "--stiffness", "C_P", "stiffness")
    _field(more, "--damping", "C_D", "damping")
    _field(more, "--alpha", "ALPHA", "equations.alpha")
    _field(more, "--xi", "XI", "equations.xi")
    _field(more, "--omega", "OMEGA", "equations.omega")
    _field(more, "--constraint-tolerance", "E", "equations.tolerance")
    _field(more, "--constraint-iterations", "N", "equations.max_iterations")
    _field(more, "--tolerance", "M", "tolerance", otherwise="1e-08 m; with --table 1e-06 m")
    _field(more, "--max-iterations", "N", "max_iterations")
    _field(more, "--rho", "RHO", "rho")
    _field(more, "--error", "M", "error")


def _simulate(options: argparse.Namespace) -> int:
    from biomec.io.shared_project import project_hash
    from biomec.pipeline.simulation import run_simulation

    project = _is_project(options.file)
    if options.table:
        return _table(options, project)
    _refuse_to_overwrite(options, project)
    settings = _settings(options)
    seen = project_hash(options.file) if project else None
    analysis = _opened(options.file, project)
    settings = _named(settings, analysis, options.force)
    analysis = analysis.run_until("loads", progress_on_terminal("Analysis"))
    if options.frames is not None:
        base = analysis.signals.trial.first_frame
        if options.frames[0] < base:
            raise BiomecError(f"The recording begins with frame {base}; frame {options.frames[0]} is before it.")
        settings = replace(settings, frames=(options.frames[0] - base, options.frames[1] - base))
    with _until_interrupted() as interrupted:
        run = run_simulation(analysis, settings, _progress(analysis, settings), interrupted.is_set)
    analysis = analysis.with_simulation(run)
    written = _kept(analysis, run, options, project, seen)
    _report(analysis, run, options.json, written)
    return INTERRUPTED if interrupted.is_set() and not run.completed else 0


def _table(options: argparse.Namespace, project: bool) -> int:
    """Compare all formulations and integrators; nothing is stored."""
    from biomec.base.fields import with_values
    from biomec.engine.forward.formulation import FormulationOptions
    from biomec.recording.step import plain_data
    from biomec.reporting.statistics.simulation_table import (
        TableOptions,
        recorded_movement,
        simulation_table,
        written_table,
    )

    alone = {"cycle": "--cycle", "frames": "--frames", "what_if": "--what-if", "name": "--name", "out": "--out"}
    fields = given(options, SETTINGS)
    idle = [word for option, word in alone.items() if getattr(options, option)]
    idle += ["--joint-stops"] if ("joint_stops",) in fields else []
    if idle:
        raise BiomecError(f"The table is always of resultant forces of the first good cycle: leave out {idle[0]}.")
    equations = {path[1:]: value for path, value in fields.items() if path[0] == "equations"}
    shared = {path: value for path, value in fields.items() if path[0] in ("step_s", "tolerance", "max_iterations")}
    asked = replace(with_values(TableOptions(), shared), formulation=with_values(FormulationOptions(), equations))
    analysis = _opened(options.file, project).run_until("cycles", progress_on_terminal("Analysis"))
    with _until_interrupted() as interrupted:
        rows = simulation_table(
            recorded_movement(analysis, asked), asked, progress_on_terminal("Simulations"), interrupted.is_set
        )
    if options.json:
        print(json.dumps(_without_nan(plain_data(list(rows))), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print(written_table(rows, f"{options.file.name}: steps of {1e3 * asked.step_s:g} ms, resultant forces"))
    return INTERRUPTED if interrupted.is_set() else 0


def _without_nan(value: Any) -> Any:
    """Plain data with None for NaN, which JSON does not know."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and value != value else value


def _kept(
    analysis: "Analysis", run: "SimulationRun", options: argparse.Namespace, project: bool, seen: str | None
) -> list[Path]:
    """Store the run in its session, write the files, and return what was written."""
    from biomec.io.shared_project import save_as_read
    from biomec.reporting.files.simulation_files import write_simulation

    written: list[Path] = []
    if options.out is not None:
        written += write_simulation(analysis, run, options.out, coordinates=options.coordinates)
    if project:
        written.append(_saved(analysis, options.file, seen))
    elif options.out is not None:
        save_as_read(analysis.stored(), options.out / SESSION, None)
        written.append(options.out / SESSION)
    return written


def _saved(analysis: "Analysis", path: Path, seen: str | None) -> Path:
    """Save a project, with simulations that another program has saved in it meanwhile; where that cannot be, beside it.

    Hours of computing are not lost because somebody else has saved the project.
    """
    from biomec.io.shared_project import save_as_read
    from biomec.pipeline.merge import save_merged

    before = len(analysis.simulations)
    try:
        saved, _ = save_merged(analysis, path, seen)
    except FileError:
        raise
    except BiomecError as error:
        beside = next(one for k in count(2) if not (one := path.with_stem(f"{path.stem}_{k}")).exists())
        save_as_read(analysis.stored(), beside, None)
        sentence = (
            f"{path.name}: another program has saved this project meanwhile. {error} Saved as {beside.name} instead."
        )
        print(sentence, file=sys.stderr)
        return beside
    more = len(saved.simulations) - before
    if more:
        print(
            f"{path.name}: another program has saved {more} more simulations meanwhile; all are kept.", file=sys.stderr
        )
    return path


def _report(analysis: "Analysis", run: "SimulationRun", as_json: bool, written: list[Path]) -> None:
    """Print what a person wants to know first, or all of it for programs."""
    import numpy as np

    from biomec.pipeline.simulation_run import LEVELS
    from biomec.reporting.files.simulation_files import simulation_summary

    if as_json:
        print(json.dumps(simulation_summary(analysis, run), indent=2, ensure_ascii=False, allow_nan=False))
        return
    print(f"{run.name}: {run.integration}")
    whole = (run.last - run.first) / run.rate_hz
    print(f"{run.reached_s:.3f} s of {whole:.3f} s in {len(run.step_time_s) - 1} steps. {run.sentence}")
    apart = ", ".join(f"{one.mean:.1e} ± {one.sd:.1e} {LEVELS[level]}" for level, one in run.spread.items())
    print(f"from the recorded motion: {apart}")
    steps = max(len(run.step_time_s) - 1, 1)
    effort = (
        f"{run.iterations[1:].sum() / steps:.1f} iterations and {1e3 * run.seconds[1:].sum() / steps:.2f} ms a step"
    )
    print(f"‖Φ‖ ≤ {run.violation.max():.1e}, {effort}")
    for what, found, unit in (
        ("joint angles", {name: float(np.degrees(one)) for name, one in run.angle_rms.items()}, "°"),
        ("joint moments", run.torque_rms, " N·m"),
    ):
        there = {name: value for name, value in found.items() if np.isfinite(value)}
        if there:
            worst = max(there, key=lambda name: there[name])
            print(f"{what}: at most {there[worst]:.2g}{unit} rms from the recording's ({worst})")
    if run.reserve_names and len(run.reserves):
        largest = [float(one) for one in np.abs(run.reserves).max(axis=0)]
        most = largest.index(max(largest))
        print(
            f"muscles: activations up to {run.activations.max():.2f}, reserves up to {largest[most]:.2g} N·m "
            f"({run.reserve_names[most]})"
        )
    for path in written:
        print(path)
    tell([notice for notice in run.notices if notice.sentence != run.sentence], least=Severity.INFO)


def _settings(options: argparse.Namespace) -> "SimulationSettings":
    """Settings of the command line, checked before anything is computed."""
    from biomec.base.fields import with_values
    from biomec.pipeline.simulation_settings import SimulationSettings

    values = {("name",): options.name, ("cycle",): options.cycle, ("what_if",): _what_if(options.what_if)}
    settings: SimulationSettings = with_values(SimulationSettings(), values | given(options, SETTINGS))
    return settings


def _named(settings: "SimulationSettings", analysis: "Analysis", force: bool) -> "SimulationSettings":
    """Settings with a name that is free, or the same where the user wants a run replaced."""
    there, title = analysis.simulations, settings.title
    if title not in there or force:
        return settings
    if settings.name:
        raise BiomecError(f'The project has a simulation "{title}" already. Give another name, or use --force.')
    number = next(k for k in range(2, len(there) + 3) if f"{title} ({k})" not in there)
    return replace(settings, name=f"{title} ({number})")


def _change(text: str) -> tuple[str, str, float]:
    """One change such as mass=1.1 or load:right hand=5: what, of which part, and its value."""
    match = re.fullmatch(r"\s*([a-z]+)\s*(?::([^=]+))?=\s*(\S+)\s*", text)
    what, part = (match.group(1), (match.group(2) or "").strip()) if match else ("", "")
    if match is None or what not in (TABLES if part else NUMBERS):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a change such as mass=1.1, gravity=0.38, grip=0.1, 'load:right hand=5', "
            "'mass:right thigh=1.2', 'weaken:right elbow=0.3' or 'spring:right knee lock=0.5'"
        )
    try:
        return what, part, float(match.group(3))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{match.group(3)!r} in {text!r} is not a number") from None


def _what_if(changes: list[tuple[str, str, float]]) -> "WhatIf":
    from biomec.body.tracking.what_if import WhatIf

    numbers = {NUMBERS[what]: value for what, part, value in changes if not part}
    tables: dict[str, dict[str, float]] = {name: {} for name in TABLES.values()}
    for what, part, value in changes:
        if part:
            tables[TABLES[what]][part] = value
    return WhatIf(**numbers, **tables)  # type: ignore[arg-type]  # numbers and tables by their names


def _progress(analysis: "Analysis", settings: "SimulationSettings") -> Progress | None:
    """Simulated time on a line that is written anew; None where nobody is watching."""
    from biomec.pipeline.stretch import simulated_stretch

    if not sys.stderr.isatty():
        return None
    stretch = simulated_stretch(analysis, settings)
    whole = (stretch.last - stretch.first) / analysis.signals.trial.rate_hz

    def show(fraction: float) -> None:
        end = "\n" if fraction >= 1.0 else ""
        words = f"\rSimulation {100.0 * fraction:3.0f} %, {fraction * whole:.2f} s of {whole:.2f} s"
        print(words, end=end, file=sys.stderr, flush=True)

    return show


@contextmanager
def _until_interrupted() -> Iterator[threading.Event]:
    """Within, the first Ctrl+C sets the event instead of ending the program; a second one ends it."""
    interrupted = threading.Event()

    def note(number: int, frame: object) -> None:
        interrupted.set()
        signal.signal(signal.SIGINT, before)

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread():  # only the main thread hears of Ctrl+C
        yield interrupted
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


def _is_project(path: Path) -> bool:
    from biomec.io.registry import PROJECT, find_format

    if not path.exists():
        raise FileError(path.name, "there is no such file.")
    return find_format(path)[0].name == PROJECT


def _refuse_to_overwrite(options: argparse.Namespace, project: bool) -> None:
    """Ask before the long work whether files would be lost."""
    from biomec.reporting.files.simulation_files import FILES

    if options.out is None or options.force:
        return
    there = [name for name in (*FILES, *(() if project else (SESSION,))) if (options.out / name).exists()]
    if there:
        raise FileError(
            options.out.name,
            f"it holds results already ({', '.join(there)}). Choose another folder, or overwrite them.",
            ("overwrite", ""),
        )


def _opened(path: Path, project: bool) -> "Analysis":
    """A project with its settings and simulations, or a recording; nothing has run yet."""
    from biomec.io.project import load_project
    from biomec.io.session_import import import_session
    from biomec.pipeline.analysis import Analysis
    from biomec.pipeline.reopen import reopened

    return reopened(load_project(path)).analysis if project else Analysis(import_session(path))
