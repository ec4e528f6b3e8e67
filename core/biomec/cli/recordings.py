"""Commands about recordings: `info`, `convert`, `import`."""

import argparse
import json
from pathlib import Path

from biomec.base.errors import FileError
from biomec.base.notices import Notice, Severity
from biomec.cli.arguments import AXES_HELP, Commands, frames, keep_existing, lab_axes, said_axes, tell
from biomec.recording import Authority, LabAxes, Session, Trial


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module."""
    info = commands.add_parser("info", help="say what a recording or a project holds")
    info.set_defaults(run=_info)
    info.add_argument("file", type=Path, metavar="FILE")
    info.add_argument("--json", action="store_true", help="print the report for programs")
    zeros = "points at exactly (0, 0, 0) are there; by default they are missing samples"
    info.add_argument("--keep-zeros", action="store_true", help=zeros)

    convert = commands.add_parser("convert", help="write a recording in another format, in other axes, or a part of it")
    convert.set_defaults(run=_convert)
    convert.add_argument("input", type=Path, metavar="IN")
    convert.add_argument("output", type=Path, metavar="OUT", help="the end of its name says the format")
    convert.add_argument("--axes", type=lab_axes, metavar="AXES", help=f"turn into these axes: {AXES_HELP}")
    convert.add_argument("--from-axes", type=lab_axes, metavar="AXES", help="how the axes of IN point, if IN is wrong")
    convert.add_argument("--frames", type=frames, metavar="A-B", help="only these frames, as IN numbers them")
    convert.add_argument("--scale", type=float, metavar="F", help="multiply all lengths, if IN states a wrong unit")
    convert.add_argument("--keep-zeros", action="store_true", help=zeros)
    convert.add_argument(
        "--without-name",
        action="store_true",
        help="leave out who the person is: names, dates, names of files; a project keeps its results",
    )
    convert.add_argument(
        "--code", default="subject", metavar="CODE", help="what stands for the person; default: subject"
    )
    convert.add_argument("--take-out", action="append", default=[], metavar="WORD",
                         help="with --without-name: a further word to be taken out; may be repeated")  # fmt: skip
    convert.add_argument("--force", action="store_true", help="overwrite OUT")

    import_ = commands.add_parser("import", help="make a project of a dynamic file and the files that belong to it")
    import_.set_defaults(run=_import)
    import_.add_argument("dynamic", type=Path, metavar="FILE")
    import_.add_argument("project", type=Path, metavar="PROJECT", help="the project to write (.biomec)")
    for kind in ("static", "plates", "emg"):
        import_.add_argument(f"--{kind}", metavar="FILE", help=f"{kind} file, or 'none'; default: found by its name")
    import_.add_argument("--frames", type=frames, metavar="A-B", help="first and last saved frame, to align the EMG")
    import_.add_argument(
        "--axes", type=lab_axes, metavar="AXES", help=f"how the axes point, if the file is wrong: {AXES_HELP}"
    )
    import_.add_argument("--reverse-plates", action="store_true", help="the plates hold the load on them: reverse it")
    import_.add_argument("--repair-swaps", action="store_true",
                         help="exchange labels back where two markers are found under each other's label")  # fmt: skip
    import_.add_argument("--force", action="store_true", help="overwrite PROJECT")


def _info(options: argparse.Namespace) -> int:
    from biomec.io.project import load_project
    from biomec.io.registry import PROJECT, find_format, read_trial
    from biomec.io.summary import summary, summary_text
    from biomec.signals.trajectory_checks import check_trajectories

    session = load_project(options.file) if find_format(options.file)[0].name == PROJECT else None
    trial = read_trial(options.file, keep_zeros=options.keep_zeros) if session is None else session.dynamic
    facts = summary(trial.with_notices(*check_trajectories(trial).notices), session)
    print(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) if options.json else summary_text(facts))
    return 0


def _convert(options: argparse.Namespace) -> int:
    from biomec.io.evidence import examined, with_axes
    from biomec.io.left_out import written
    from biomec.io.registry import read_trial, write_trial
    from biomec.io.unit_evidence import scaled

    keep_existing(options.output, options.force, options.input)
    if options.without_name and _is_whole_project(options):
        return _project_without_name(options)
    trial = read_trial(options.input, examine=False, keep_zeros=options.keep_zeros)
    if options.scale is not None:
        trial = scaled(trial, options.scale)
    if options.from_axes is not None:
        trial = with_axes(trial, said_axes(trial.axes, options.from_axes))
    trial = examined(trial)
    if options.frames is not None:
        trial = _part(trial, options.frames)
    if options.axes is not None:
        trial = trial.turned(_target(trial.axes, options.axes))
    if options.without_name:
        from biomec.pipeline.without_name import refuse_telling_name, trial_without_name

        refuse_telling_name(Session(trial, subject=trial.subject), options.output.name, options.take_out)
        trial = trial_without_name(trial, options.code, options.take_out)
    lost = write_trial(trial, options.output, overwrite=options.force)
    print(f"{options.output} written: {written(trial, lost)}.")
    tell((*trial.notices, *lost))
    return 0


def _is_whole_project(options: argparse.Namespace) -> bool:
    """Whether a project is written of a project, as it is."""
    from biomec.io.registry import PROJECT, find_format

    changed = (options.scale, options.from_axes, options.frames, options.axes) != (None,) * 4
    both = options.output.suffix.lower() == ".biomec" and find_format(options.input)[0].name == PROJECT
    return both and not changed


def _project_without_name(options: argparse.Namespace) -> int:
    from biomec.io.project import load_project
    from biomec.io.shared_project import save_as_read
    from biomec.pipeline.without_name import refuse_telling_name, without_name

    session = load_project(options.input)
    refuse_telling_name(session, options.output.name, options.take_out)
    save_as_read(without_name(session, options.code, options.take_out), options.output, None)
    print(f"{options.output} written without the name of the person.")
    return 0


def _import(options: argparse.Namespace) -> int:
    from biomec.io.session_import import SKIP, import_session
    from biomec.io.shared_project import save_as_read
    from biomec.pipeline.settings import AnalysisSettings, PreparationSettings
    from biomec.pipeline.steps.preparation import preparation
    from biomec.recording import EmgAlignment
    from biomec.recording.step import plain_data

    if options.project.suffix.lower() != ".biomec":
        raise FileError(options.project.name, "the name of a project must end with .biomec.")
    keep_existing(options.project, options.force, options.dynamic)
    static, plates, emg = (SKIP if file == "none" else file for file in (options.static, options.plates, options.emg))
    frames = None if options.frames is None else EmgAlignment(*options.frames)
    session = import_session(
        options.dynamic,
        static=static,
        plates=plates,
        emg=emg,
        saved_frames=frames,
        axes=None if options.axes is None else said_axes(LabAxes(), options.axes),
        reverse_plates=options.reverse_plates,
    )
    mended: list[Notice] = []
    if options.repair_swaps:
        settings = PreparationSettings(repair_swaps=True)
        mended = [one for one in preparation(session, settings).notices if one.code == "labels-exchanged"]
        session = session.with_settings(analysis=plain_data(AnalysisSettings(preparation=settings)))
        if not mended:
            print("No exchanged labels were found.")
    save_as_read(session, options.project, None)
    print(f"{options.project} written: {', '.join(session.provenance[0].settings['files'].values())}.")
    tell((*session.dynamic.notices, *session.notices, *mended), least=Severity.INFO)
    return 0


def _part(trial: Trial, frames: tuple[int, int]) -> Trial:
    first, last = trial.first_frame, trial.first_frame + trial.frames - 1
    if not first <= frames[0] <= frames[1] <= last:
        raise FileError(
            trial.source.name, f"frames {frames[0]} to {frames[1]} were asked for; it holds {first} to {last}."
        )
    return trial.stretch(frames[0] - first, frames[1] - first)


def _target(axes: LabAxes, wish: tuple[str, str | None]) -> LabAxes:
    """Axes to turn into: without a forward direction +x becomes forward, or nothing turns if up is right already."""
    up, forward = wish
    if forward is None:
        forward = axes.forward if up == axes.up else "+x" if up[1] != "x" else "+y"
    return LabAxes(up, forward, Authority.USER, Authority.USER)
