"""Commands that analyse: `analyze` a recording, `demo` the shipped virtual subject."""

import argparse
import importlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from biomec.cli.arguments import Commands, progress_on_terminal, tell
from biomec.cli.window import has_screen, show_demo, without_screen
from biomec.notices import Severity

if TYPE_CHECKING:
    from biomec.pipeline.analysis import Analysis
    from biomec.pipeline.settings import AnalysisSettings
    from biomec.recording import Session, Subject

SEXES = {"m": "male", "f": "female", "male": "male", "female": "female"}


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module."""
    analyze = commands.add_parser("analyze", help="compute consistent motion and joint angles of a recording")
    analyze.set_defaults(run=_analyze)
    analyze.add_argument(
        "dynamic", type=Path, metavar="DYNAMIC", help="recording of the movement, or a project (.biomec)"
    )
    analyze.add_argument("--static", metavar="FILE", help="static acquisition, or 'none'; default: found by its name")
    analyze.add_argument("--forces", metavar="FILE", help="force plates, or 'none'; default: found by its name")
    analyze.add_argument("--emg", metavar="FILE", help="EMG, or 'none'; default: found by its name")
    analyze.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the results")
    analyze.add_argument("--force", action="store_true", help="overwrite results in DIR")
    person = analyze.add_argument_group("subject (what is given here wins over the files)")
    person.add_argument("--mass", type=float, metavar="KG")
    person.add_argument("--height", type=float, metavar="M")
    person.add_argument("--sex", choices=sorted(SEXES), metavar="m|f")
    measure = "a measure in metres or radians, such as knee_width_D=0.104; may be repeated"
    person.add_argument("--measure", type=_measure, action="append", default=[], metavar="NAME=VALUE", help=measure)
    how = analyze.add_argument_group("how")
    how.add_argument("--model", metavar="NAME", help="body model, shipped (m21, m17, …) or a .toml file")
    how.add_argument("--marker-set", metavar="NAME", help="marker set of the labels; default: the one that fits best")
    how.add_argument("--label-map", type=Path, metavar="FILE", help="a laboratory's own labels (.toml)")
    how.add_argument("--method", choices=("coordinates", "markers"), default="coordinates",
                     help="nearest consistent coordinates, or global optimisation on the markers")  # fmt: skip
    how.add_argument("--contacts", choices=("threshold", "always", "never"), default="threshold",
                     help="when hands and feet are held at their centre of pressure")  # fmt: skip
    functional = "find a joint's centre (ball joints) or axis (hinges) from a functional trial; may be repeated"
    how.add_argument(
        "--functional", type=_functional, action="append", default=[], metavar="JOINT=FILE", help=functional
    )
    how.add_argument("--angles", metavar="CONVENTION", default="standard", help="standard, isb, …")
    how.add_argument("--subtract-static", action="store_true", help="count angles from the static pose")
    how.add_argument("--no-filter", action="store_true", help="use markers and plates unfiltered")
    how.add_argument("--cycles", metavar="WHAT", default="auto",
                     help="auto, events, none, or an angle such as 'elbow flexion'")  # fmt: skip

    demo = commands.add_parser("demo", help="analyse the push-up of a virtual subject, whose motion is known")
    demo.set_defaults(run=_demo)
    demo.add_argument(
        "--out", type=Path, default=Path("demo-output"), metavar="DIR", help="folder (default: %(default)s)"
    )
    demo.add_argument("--no-window", action="store_true", help="only files, even where there is a screen")


def _analyze(options: argparse.Namespace) -> int:
    from biomec.io.registry import read_trial
    from biomec.pipeline.analysis import Analysis
    from biomec.pipeline.functional import with_functional_trial
    from biomec.pipeline.output import write_analysis

    analysis = Analysis(_session(options), _settings(options))
    for joint, file in options.functional:
        analysis = with_functional_trial(analysis.run_until("body"), joint, read_trial(file))
    analysis = analysis.run_all(progress_on_terminal("Analysis"))
    write_analysis(analysis, options.out, overwrite=options.force)
    _report(analysis, options.out)
    return 0


def _session(options: argparse.Namespace) -> "Session":
    from biomec.io.project import load_project
    from biomec.io.registry import PROJECT, find_format
    from biomec.io.session_import import SKIP, import_session, merge_subjects

    subject = _subject(options)
    if find_format(options.dynamic)[0].name == PROJECT:
        session = load_project(options.dynamic)
        return replace(session, subject=merge_subjects(subject, session.subject))
    static, plates, emg = (SKIP if file == "none" else file for file in (options.static, options.forces, options.emg))
    return import_session(options.dynamic, static=static, plates=plates, emg=emg, subject=subject)


def _subject(options: argparse.Namespace) -> "Subject":
    from biomec.recording import Subject

    sex = None if options.sex is None else SEXES[options.sex]
    return Subject(sex=sex, mass_kg=options.mass, height_m=options.height, measures=dict(options.measure))


def _settings(options: argparse.Namespace) -> "AnalysisSettings":
    from biomec.io.label_map_file import read_label_map
    from biomec.kinematics.consistency_options import ConsistencyOptions
    from biomec.kinematics.joint_angles import AngleOptions
    from biomec.pipeline.settings import (
        AnalysisSettings,
        BodySettings,
        CycleSettings,
        PreparationSettings,
        SignalSettings,
    )

    label_map = None if options.label_map is None else read_label_map(options.label_map)
    marker_set = options.marker_set or (None if label_map is None else label_map.marker_set)
    unfiltered = SignalSettings(marker_filter=None, plate_filter=None)
    return AnalysisSettings(
        preparation=PreparationSettings(marker_set, label_map),
        signals=unfiltered if options.no_filter else SignalSettings(),
        body=BodySettings(options.model),
        consistency=ConsistencyOptions(method=options.method, contacts=options.contacts),
        angles=AngleOptions(convention=options.angles, subtract_static=options.subtract_static),
        cycles=CycleSettings(options.cycles),
    )


def _measure(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no measure such as knee_width_D=0.104") from None


def _functional(text: str) -> tuple[str, Path]:
    joint, equals, file = text.partition("=")
    if not (joint.strip() and equals and file.strip()):
        raise argparse.ArgumentTypeError(f"{text!r} is no joint and file such as 'right hip=hip.c3d'")
    return joint.strip(), Path(file.strip())


def _report(analysis: "Analysis", folder: Path) -> None:
    """Print what a person wants to know first; the files hold the rest."""
    from biomec.pipeline.output import FILES, summary

    facts = summary(analysis)
    model, consistency, markers, cycles = (facts[key] for key in ("model", "consistency", "markers", "cycles"))
    print(
        f"{model['name']}: {model['segments']} segments, {model['coordinates']} coordinates, {model['constraints']} "
        f"constraint rows ({model['redundant']} redundant), {model['dof']} degrees of freedom"
    )
    share = f"{consistency['converged']} of {consistency['frames']} frames obey the model"
    if consistency["converged"]:
        share += f", {consistency['iterations_mean']:.1f} iterations in the mean, ‖Φ‖ ≤ {consistency['phi_max']:.1e}"
    print(share)
    if markers["rms_mm"] is not None:
        print(f"markers: {markers['rms_mm']:.1f} mm rms, {markers['max_mm']:.1f} mm at most")
    print(f"cycles by {cycles['by']}: {cycles['valid']} valid of {cycles['found']}")
    print(f"{folder}: {', '.join(FILES)}")
    tell(analysis.notices, least=Severity.WARNING)


def _demo(options: argparse.Namespace) -> int:
    import numpy as np

    from biomec.pipeline.demo import run_demo

    if not options.no_window and has_screen():
        return show_demo()
    demo = run_demo(options.out, progress_on_terminal("Demo"))
    _report(demo.analysis, options.out)
    worst = max(demo.angle_errors, key=lambda error: error.rms)
    print(f"largest error of a joint angle against the known motion: {np.degrees(worst.rms):.2f}° rms ({worst.name})")
    # By name, at run time: the library does not depend on the desktop program.
    try:
        without_screen()
        pictures = importlib.import_module("biomec_app.demo_pictures")
        drawn = [*pictures.draw(demo.analysis, options.out, truth=demo.truth), options.out / "window.png"]
        importlib.import_module("biomec_app.main").screenshot(drawn[-1], options.out / "session.biomec")
    except ImportError as error:
        told = "There are no pictures, because the desktop part of Biomec cannot be loaded"
        print(f"{told} ({error}). To see what is missing: biomec doctor", file=sys.stderr)
        return 0
    for path in drawn:
        print(path)
    return 0
