"""Commands that analyse: `analyze` a recording, `demo` the shipped virtual subject."""

import argparse
import importlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Severity
from biomec.cli.arguments import (
    AXES_HELP,
    Commands,
    SetOption,
    given,
    lab_axes,
    options_of,
    progress_on_terminal,
    said_axes,
    tell,
)
from biomec.cli.window import has_screen, show_demo, without_screen

if TYPE_CHECKING:
    from biomec.body.kinematics.joint_angles import JointAngles
    from biomec.body.loads.options import LoadOptions
    from biomec.pipeline.analysis import Analysis
    from biomec.pipeline.settings import AnalysisSettings
    from biomec.recording import Subject

SETTINGS = "biomec.pipeline.settings.AnalysisSettings"
_field = options_of(SETTINGS)
MARKER_SET = ("preparation", "marker_set")
REDUCTIONS = ("all", "masses", "motion", "none")
SEXES = {"m": "male", "f": "female", "male": "male", "female": "female"}

DEMO_MOVEMENTS = ("push-up", "assisted-walk")  # keys of reporting.demo, which takes a while to import


def add_files(parser: argparse.ArgumentParser) -> None:
    """Options that say which files belong to a recording, and how its axes point: for `opened_with`."""
    parser.add_argument("--static", metavar="FILE", help="static acquisition, or 'none'; default: found by its name")
    parser.add_argument("--forces", metavar="FILE", help="force plates, or 'none'; default: found by its name")
    parser.add_argument("--emg", metavar="FILE", help="EMG, or 'none'; default: found by its name")
    parser.add_argument(
        "--axes", type=lab_axes, metavar="AXES", help=f"how the axes point, if the file is wrong: {AXES_HELP}"
    )
    parser.add_argument("--reverse-plates", action="store_true", help="the plates hold the load on them: reverse it")


def add_subject(parser: argparse.ArgumentParser) -> None:
    """Options about the person: for `opened_with`."""
    person = parser.add_argument_group("subject (what is given here wins over the files)")
    person.add_argument("--mass", type=float, metavar="KG")
    person.add_argument("--height", type=float, metavar="M")
    person.add_argument("--sex", choices=sorted(SEXES), metavar="m|f")
    measure = "a measure in metres or radians, such as knee_width_D=0.104; may be repeated"
    person.add_argument("--measure", type=_measure, action="append", default=[], metavar="NAME=VALUE", help=measure)


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module."""
    analyze = commands.add_parser("analyze", help="compute motion, joint angles and joint loads of a recording")
    analyze.set_defaults(run=_analyze)
    analyze.add_argument(
        "dynamic", type=Path, metavar="DYNAMIC", help="recording of the movement, or a project (.biomec)"
    )
    add_files(analyze)
    analyze.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the results")
    analyze.add_argument("--force", action="store_true", help="overwrite results in DIR")
    add_subject(analyze)
    how = analyze.add_argument_group("how (a project keeps its stored settings where nothing is given here)")
    _field(how, "--model", "NAME", "body.model")
    _field(how, "--marker-set", "NAME", "preparation.marker_set")
    how.add_argument("--label-map", type=Path, metavar="FILE", help="a laboratory's own labels (.toml)")
    _field(how, "--method", "NAME", "positions.method")
    _field(how, "--contacts", "WHEN", "positions.contacts",
           words="When hands and feet are held at the centre of pressure.")  # fmt: skip
    functional = "find a joint's centre (ball joints) or axis (hinges) from a functional trial; may be repeated"
    how.add_argument(
        "--functional", type=_functional, action="append", default=[], metavar="JOINT=FILE", help=functional
    )
    how.add_argument("--device-axes", action="store_true",
                     help="find the axes of orthoses at the ankles in the movement, and analyse with them")  # fmt: skip
    _field(how, "--repair-swaps", None, "preparation.repair_swaps", typed="on")
    _field(how, "--angles", "CONVENTION", "angles.convention")
    _field(how, "--foot-flat", "HOW", "body.plug_in_gait.foot_flat")
    _field(how, "--subtract-static", None, "angles.subtract_static", typed="on",
           words="Count angles from the static pose.")  # fmt: skip
    _field(how, "--no-filter", None, "signals.marker_filter", "signals.plate_filter", typed="off",
           words="Use markers and plates unfiltered.")  # fmt: skip
    _field(how, "--cutoff", "HZ", "signals.marker_filter.cutoff_hz",
           words="One cut-off for all markers.", otherwise="found by residual analysis",
           also={"signals.marker_filter.choice": "fixed", "signals.marker_filter.manual": "default"})  # fmt: skip
    _field(how, "--filter", "NAME", "signals.marker_filter.filter", "signals.plate_filter.filter",
           words="Low-pass of markers and plates.")  # fmt: skip
    _field(how, "--inertia", "TABLE", "body.options.inertia.table")
    _field(how, "--ellipsoid", "PRESET", "body.options.ellipsoid.preset")
    _field(how, "--cycles", "WHAT", "cycles.by")
    _field(how, "--dynamics", "NAME", "loads.method")
    _field(how, "--joints", "NAME", "loads.constraints")
    _field(how, "--ground", "NAME", "loads.external")
    _field(how, "--plate-forces", "HOW", "loads.plate_forces")
    _field(how, "--root", "SEGMENT", "loads.root")
    how.add_argument("--reduce", nargs="?", const="all", choices=REDUCTIONS, metavar="WHAT",
                     help="adjust the body and the motion within their errors so that they agree with the plates: all "
                     "(default), masses, motion, or none; every change is listed")  # fmt: skip
    _field(how, "--load-method", "NAME", "load_reading.method")
    _field(how, "--load-axes", "NAME", "load_reading.axes")
    _field(how, "--load-sign", "NAME", "load_reading.convention")
    _field(how, "--load-scale", "NAME", "load_reading.normalisation")
    how.add_argument("--set", action=SetOption, settings=SETTINGS, metavar="STEP.FIELD=VALUE",
                     help="any setting, such as signals.reconstruction.gap_limit_s=0.3; the page 'All settings' of the "
                     "guide lists them; may be repeated")  # fmt: skip
    settings = "settings as JSON, such as settings.json of an earlier analysis; options given here come after it"
    how.add_argument("--settings", type=Path, metavar="FILE", help=settings)
    analyze.add_argument("--report", action="store_true", help="draw pictures and write report.html too")

    demo = commands.add_parser("demo", help="analyse a movement of a virtual subject, whose motion is known")
    demo.set_defaults(run=_demo)
    demo.add_argument(
        "--movement",
        choices=DEMO_MOVEMENTS,
        default=DEMO_MOVEMENTS[0],
        help="push-up, or a walk with two crutches and two orthoses (default: %(default)s)",
    )
    demo.add_argument(
        "--out", type=Path, default=Path("demo-output"), metavar="DIR", help="folder (default: %(default)s)"
    )
    demo.add_argument("--no-window", action="store_true", help="only files, even where there is a screen")
    demo.add_argument("--no-extensions", action="store_true", help="do not load your own functions")


def _analyze(options: argparse.Namespace) -> int:
    from biomec.io.registry import read_trial
    from biomec.pipeline.functional import with_functional_trial
    from biomec.reporting.files.analysis_files import refuse_to_overwrite, write_analysis

    refuse_to_overwrite(options.out, options.force)
    analysis = opened_with(options, options.dynamic)
    analysis = analysis.with_settings(_settings(options, analysis.settings))
    for joint, file in options.functional:
        analysis = with_functional_trial(analysis.run_until("body"), joint, read_trial(file))
    if options.device_axes:
        from biomec.pipeline.device_axes import with_device_axes

        analysis = with_device_axes(analysis.run_until("body"), progress_on_terminal("Axes of devices"))
    try:
        analysis = analysis.run_all(progress_on_terminal("Analysis"))
    except BiomecError:
        tell(analysis.notices, least=Severity.WARNING)  # what was found while reading may be the reason
        raise
    write_analysis(analysis, options.out, overwrite=options.force)
    _report(analysis, options.out)
    return _draw(analysis, options.out) if options.report else 0


def opened_with(options: argparse.Namespace, path: Path) -> "Analysis":
    """A recording and what belongs to it, or a project with its settings; nothing has run yet.

    options : of `add_files` and `add_subject`
    """
    from biomec.io.project import load_project
    from biomec.io.registry import PROJECT, find_format
    from biomec.io.session_import import SKIP, import_session, merge_subjects
    from biomec.pipeline.analysis import Analysis
    from biomec.pipeline.reopen import reopened
    from biomec.recording import LabAxes

    subject = _subject(options)
    if find_format(path)[0].name == PROJECT:
        extra = [name for name in ("static", "forces", "emg", "axes") if getattr(options, name) is not None]
        extra += ["reverse-plates"] * options.reverse_plates
        if extra:
            raise FileError(
                path.name,
                f"a project has its files already, so --{extra[0]} means nothing. Analyse the recording instead.",
            )
        analysis = reopened(load_project(path)).analysis
        session = replace(analysis.session, subject=merge_subjects(subject, analysis.session.subject))
        return replace(analysis, session=session)
    static, plates, emg = (SKIP if file == "none" else file for file in (options.static, options.forces, options.emg))
    axes = None if options.axes is None else said_axes(LabAxes(), options.axes)
    session = import_session(
        path, static=static, plates=plates, emg=emg, subject=subject, axes=axes,
        reverse_plates=options.reverse_plates,
    )  # fmt: skip
    return Analysis(session)


def _subject(options: argparse.Namespace) -> "Subject":
    from biomec.recording import Subject

    sex = None if options.sex is None else SEXES[options.sex]
    return Subject(sex=sex, mass_kg=options.mass, height_m=options.height, measures=dict(options.measure))


def _settings(options: argparse.Namespace, settings: "AnalysisSettings") -> "AnalysisSettings":
    """Settings of the file --settings, if there is one, with what the options say changed."""
    from biomec.base.fields import with_values
    from biomec.io.label_map_file import read_label_map
    from biomec.pipeline.settings_file import read_settings

    if options.settings is not None:
        settings, notices = read_settings(options.settings)
        tell(notices)
    settings = replace(settings, loads=_reduced(settings.loads, options.reduce))
    values = given(options, SETTINGS)
    if options.label_map is not None:
        label_map = read_label_map(options.label_map)
        values[MARKER_SET[0], "label_map"] = label_map
        if label_map.marker_set is not None:
            values.setdefault(MARKER_SET, label_map.marker_set)
    changed: AnalysisSettings = with_values(settings, values)
    return changed


def _reduced(inverse: "LoadOptions", what: str | None) -> "LoadOptions":
    """Options with residual reduction of what was asked for; as they are, if nothing was."""
    from biomec.body.loads.residual_reduction import ReductionOptions

    if what is None:
        return inverse
    asked = {
        "all": ReductionOptions(),
        "masses": ReductionOptions(motion=None),
        "motion": ReductionOptions(inertia=None),
        "none": None,
    }
    return replace(inverse, reduction=asked[what])


def _measure(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a measure such as knee_width_D=0.104") from None


def _functional(text: str) -> tuple[str, Path]:
    joint, equals, file = text.partition("=")
    if not (joint.strip() and equals and file.strip()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a joint and a file such as 'right hip=hip.c3d'")
    return joint.strip(), Path(file.strip())


def _report(analysis: "Analysis", folder: Path) -> None:
    """Print what a person wants to know first; the files hold the rest."""
    from biomec.body.plug_in_gait.angles import is_leg_angle
    from biomec.reporting.facts import model_facts
    from biomec.reporting.files.analysis_files import FILES, summary

    facts, model = summary(analysis), model_facts(analysis)
    consistency, markers, cycles = (facts[key] for key in ("consistency", "markers", "cycles"))
    print(f"{model['name'].value}: {model['size'].text}")
    share = f"{consistency['converged']} of {consistency['frames']} frames obey the model"
    if consistency["converged"]:
        share += f", {consistency['iterations_mean']:.1f} iterations in the mean, ‖Φ‖ ≤ {consistency['phi_max']:.1e}"
    print(share)
    if markers["rms_mm"] is not None:
        print(f"markers: {markers['rms_mm']:.1f} mm rms, {markers['max_mm']:.1f} mm at most")
    print(f"cycles by {cycles['by']}: {cycles['valid']} valid of {cycles['found']}")
    loads = facts["inverse_dynamics"]
    if loads is not None:
        read_as = loads["reading"]
        told_as = f"{read_as['method']}, {read_as['axes']} axes, {read_as['sign']}"
        print(f"loads ({told_as}), {loads['trust']}: {loads['verdict']}")
    vicon = facts["plug_in_gait"]
    if vicon is not None:
        apart = {name: one["rms"] for name, one in vicon["own_model_less_vicon"].items() if is_leg_angle(name)}
        worst = max(apart, key=lambda name: apart[name], default="")
        words = f"our own leg angles are up to {apart[worst]:.1f}° rms from it ({worst})" if worst else "computed"
        print(f"Plug-in Gait as Vicon computes it: {words}")
    print(f"{folder}: {', '.join(name for name in FILES if (folder / name).is_file())}")
    tell(analysis.notices, least=Severity.WARNING)


def _demo(options: argparse.Namespace) -> int:
    import numpy as np

    from biomec.reporting.demo import run_demo

    if not options.no_window and has_screen() and options.movement == DEMO_MOVEMENTS[0]:
        return show_demo(extensions=not options.no_extensions)
    demo = run_demo(options.out, progress_on_terminal("Demo"), options.movement)
    _report(demo.analysis, options.out)
    worst = max(demo.angle_errors, key=lambda error: error.rms)
    print(f"largest error of a joint angle against the known motion: {np.degrees(worst.rms):.2f}° rms ({worst.name})")
    return _draw(demo.analysis, options.out, demo.truth, window=True)


def _draw(analysis: "Analysis", folder: Path, truth: "JointAngles | None" = None, window: bool = False) -> int:
    """Draw pictures and the report, where the desktop part is installed; results are there already if it is not."""
    try:  # by name, at run time: the library does not depend on the desktop program
        without_screen()
        pictures = importlib.import_module("biomec_app.figures.report.demo_pictures")
        drawn = list(pictures.draw(analysis, folder, truth=truth))
        if window:
            drawn.append(folder / "window.png")
            importlib.import_module("biomec_app.shell.main").screenshot(drawn[-1], folder / "session.biomec")
    except ImportError as error:
        sentence = "There are no pictures, because the desktop part of Biomec cannot be loaded"
        print(f"{sentence} ({error}). To see what is missing: biomec doctor", file=sys.stderr)
        return 0
    for path in drawn:
        print(path)
    return 0
