"""Command `aids`: what if crutches and orthoses were others, and which springs fit a measured moment."""

import argparse
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from biomec.base.notices import Severity
from biomec.cli.analysis import SETTINGS
from biomec.cli.arguments import Commands, SetOption, given, progress_on_terminal, tell

if TYPE_CHECKING:
    from biomec.body.loads.aid_what_if import AidVariant
    from biomec.pipeline.analysis import Analysis

JOINTS = ("shoulder", "glenohumeral", "elbow", "wrist", "hip", "knee", "ankle")
CHANGES = "spring:NAME=FACTOR, damper:NAME=FACTOR, longer:DEVICE=M, arms=SHARE"


def add_commands(commands: Commands) -> None:
    """Add the parser of this module."""
    parser = commands.add_parser(
        "aids", help="compare joint loads with other crutches and orthoses; calibrate orthoses"
    )
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)

    what_if = parts.add_parser("what-if", help="joint loads with other aids and the same movement")
    what_if.set_defaults(run=_what_if)
    _file(what_if)
    what_if.add_argument("--variant", action="append", default=[], type=_variant, metavar="TITLE:CHANGES",
                         help=f"title of a variant and its changes, separated by commas ({CHANGES}), such as "
                         "'Soft lock: spring:right knee lock=0.5'; may be repeated; "
                         "default: the usual variants")  # fmt: skip
    what_if.add_argument(
        "--joints",
        nargs="+",
        default=[],
        metavar="WORD",
        help="print only joints whose name contains one of these words",
    )

    fit = parts.add_parser("calibrate", help="fit the springs of an orthosis to a measured bending moment")
    fit.set_defaults(run=_calibrate)
    _file(fit)
    fit.add_argument("--spring", required=True, metavar="NAME", help="lock whose moment was measured")
    fit.add_argument("--channel", required=True, metavar="NAME", help="channel of the load cell")
    fit.add_argument("--moments", type=Path, metavar="FILE", help="file of channels; default: those of the recording")
    fit.add_argument("--fit", nargs="+", default=[], metavar="WHAT",
                     help="cuffs, cuff-damping, lock, lock-damping, free-angle; default: cuffs free-angle")  # fmt: skip


def _file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="project (.biomec), or recording of a movement")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for tables")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--set", action=SetOption, settings=SETTINGS, metavar="STEP.FIELD=VALUE",
                        help="any setting, such as body.model=m18-orthoses; may be repeated")  # fmt: skip


def _variant(text: str) -> "AidVariant":
    """A variant of its title and changes."""
    from biomec.base.errors import BiomecError
    from biomec.body.anatomy.changed_springs import SpringChange
    from biomec.body.loads.aid_what_if import AidVariant

    title, _, changes = text.partition(":")
    springs: dict[str, SpringChange] = {}
    longer: dict[str, float] = {}
    arms = 1.0
    for change in filter(None, (one.strip() for one in changes.split(","))):
        match = re.fullmatch(r"(spring|damper|longer|arms)\s*(?::\s*([^=]+?))?\s*=\s*(\S+)", change)
        try:
            value = float(match.group(3)) if match else float("nan")
        except ValueError:
            match = None
        if match is None or (match.group(1) == "arms") == bool(match.group(2)):
            raise argparse.ArgumentTypeError(f"{change!r} is not a change; write {CHANGES}")
        what, name = match.group(1), match.group(2)
        try:
            if what == "arms":
                arms = value
            elif what == "longer":
                longer[name] = value
            else:
                key = "stiffness" if what == "spring" else "damping"
                springs[name] = replace(springs.get(name, SpringChange()), **{key: value})
        except BiomecError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
    if not title.strip() or not (springs or longer or arms != 1.0):
        raise argparse.ArgumentTypeError(f"{text!r} needs a title and a change: TITLE:{CHANGES}")
    try:
        return AidVariant(title.strip(), springs, longer, arms)
    except BiomecError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _analysed(options: argparse.Namespace, step: str) -> "Analysis":
    from biomec.base.fields import with_values
    from biomec.cli.loads import opened

    analysis = opened(options.file)
    analysis = analysis.with_settings(with_values(analysis.settings, given(options, SETTINGS)))
    return analysis.run_until(step, progress_on_terminal("Analysis"))


def _what_if(options: argparse.Namespace) -> int:
    from biomec.body.loads.aid_what_if import as_recorded
    from biomec.pipeline.aids import what_if_aids
    from biomec.reporting.files.aid_files import burden_rows, what_if_files

    analysis = _analysed(options, "loads")
    variants = (as_recorded(), *options.variant) if options.variant else ()
    found = what_if_aids(analysis, variants)
    words = options.joints or JOINTS
    if options.json:
        print(what_if_files(analysis, found)["aids_what_if.json"], end="")
    else:
        results = found.results
        width = max(len(one.variant.title) for one in results)
        for joint, rows in burden_rows(results, words).items():
            print(f"{joint}: largest torque of the person, of the device, and force in the joint")
            for title, row in rows.items():
                print(f"  {title:{width}}  {row.torque_Nm:7.1f} N·m  {row.device_Nm:6.1f} N·m  {row.force_N:7.0f} N")
        for one in results:
            for notice in one.notices:
                print(f"{one.variant.title}: {notice.sentence}")
        for refused in found.unanswered:
            print(f"{refused.variant.title}: not computed. {refused.sentence}")
    _write(options.out, what_if_files(analysis, found), options.json)
    tell(analysis.notices, least=Severity.WARNING)
    return 1 if found.unanswered else 0


def _calibrate(options: argparse.Namespace) -> int:
    from biomec.body.loads.device_calibration import USUAL
    from biomec.pipeline.aids import calibrate_device, measured_moment
    from biomec.reporting.files.aid_files import calibration_files

    analysis = _analysed(options, "motion")
    measured = measured_moment(analysis, options.channel, options.moments)
    fit = tuple(name.replace("-", " ") for name in options.fit) or USUAL
    found = calibrate_device(analysis, options.spring, measured, fit, progress_on_terminal("Calibration"))
    files = calibration_files(analysis, found)
    if options.json:
        print(files["device_calibration.json"], end="")
    else:
        print(found.sentence)
        for one in found.fitted:
            print(f"{one.name}: {one.before:.4g} before, {one.after:.4g} ± {one.error:.2g} {one.unit}")
        tell(found.notices, least=Severity.INFO)
    _write(options.out, files, options.json)
    return 0


def _write(folder: Path | None, files: dict[str, str], quiet: bool) -> None:
    from biomec.base.together import replaced_together

    if folder is None:
        return
    with replaced_together(folder, next(name for name in files if name.endswith(".json")), tuple(files)) as stage:
        for name, text in files.items():
            (stage / name).write_text(text, encoding="utf-8")
    if not quiet:
        print(f"{folder}: {', '.join(files)}")
