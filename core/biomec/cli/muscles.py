"""Command `muscles`: which muscles carry a movement, and what the joints bear under them."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from biomec.base.errors import BiomecError
from biomec.base.notices import Severity
from biomec.cli.analysis import SETTINGS, add_files, add_subject, opened_with
from biomec.cli.arguments import Commands, SetOption, given, options_of, progress_on_terminal, tell

if TYPE_CHECKING:
    from biomec.pipeline.analysis import Analysis

_field = options_of(SETTINGS)
SHOWN = 12  # joints
NAMED = "named"


def add_commands(commands: Commands) -> None:
    """Add the parser of this module."""
    words = "find muscle forces, and the forces in the joints with them"
    muscles = commands.add_parser("muscles", help=words, description=f"{words[0].upper()}{words[1:]}.")
    muscles.set_defaults(run=_muscles)
    muscles.add_argument("file", type=Path, metavar="FILE", help="project (.biomec), or recording of a movement")
    muscles.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the results")
    muscles.add_argument("--force", action="store_true", help="overwrite results in DIR")
    add_files(muscles)
    add_subject(muscles)
    how = muscles.add_argument_group("how (a project keeps its stored settings where nothing is given here)")
    _field(how, "--muscles", "NAME", "muscles.set")
    _field(how, "--criterion", "NAME", "muscles.sharing.criterion")
    _field(how, "--ribs", "WHAT", "muscles.sharing.ribs")
    _field(how, "--strength", "%", "muscles.sharing.strength")
    _field(how, "--use-emg", "HOW", "muscles.sharing.emg")
    how.add_argument("--mvc-file", action="append", default=[], metavar="FILE",
                     help="recording of a maximal contraction, for the EMG channels that it holds; may be repeated; "
                     "'named': files beside the recording whose names hold MVC")  # fmt: skip
    how.add_argument("--mvc", action="append", default=[], type=contraction, metavar="CHANNEL=VALUE",
                     help="envelope of a maximal contraction in the channel's unit [V], such as R_RF=210e-6; may be "
                     "repeated")  # fmt: skip
    how.add_argument("--set", action=SetOption, settings=SETTINGS, metavar="STEP.FIELD=VALUE",
                     help="any setting, such as muscles.sharing.lowest=0; may be repeated")  # fmt: skip


def contraction(text: str) -> tuple[str, float]:
    """Channel and value of ``R_RF=210e-6``."""
    channel, _, value = text.rpartition("=")
    try:
        return channel.strip(), float(value if channel.strip() else "")
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a channel and its value, such as R_RF=210e-6") from None


def _with_contractions(analysis: "Analysis", options: argparse.Namespace) -> "Analysis":
    """The analysis with the maximal contractions that were given."""
    from biomec.signals.maximal_contraction import (
        TYPED,
        MaximalContraction,
        MaximalContractions,
        maximal_contractions,
        named_contractions,
    )

    if not (options.mvc or options.mvc_file):
        return analysis
    emg, reading = analysis.session.dynamic.emg, analysis.settings.emg
    if emg is None:
        raise BiomecError("Maximal contractions were given, but the recording has no EMG.")
    unknown = [channel for channel, _ in options.mvc if channel not in emg.names]
    if unknown:
        raise BiomecError(f"There is no EMG channel {', '.join(unknown)}; there are {', '.join(emg.names)}.")
    files = [Path(name) for name in options.mvc_file if name != NAMED]
    if NAMED in options.mvc_file:
        beside = named_contractions(options.file)
        if not beside:
            raise BiomecError(f"No file beside {options.file.name} is named MVC. Name the files with --mvc-file.")
        files += beside
    if files:
        found = maximal_contractions(files, emg, reading.table)
        tell(found.notices)
        reading = found.given_to(reading)
    typed = tuple(
        MaximalContraction(channel, value, emg.units[emg.names.index(channel)], TYPED) for channel, value in options.mvc
    )
    reading = MaximalContractions(typed, (), ()).given_to(reading)
    return analysis.with_settings(replace(analysis.settings, emg=reading))


def _muscles(options: argparse.Namespace) -> int:
    from biomec.base.fields import with_values
    from biomec.reporting.content.implants import implant_sentences
    from biomec.reporting.content.muscle_work_tables import makers_text
    from biomec.reporting.files.analysis_files import refuse_to_overwrite, write_analysis
    from biomec.reporting.files.muscle_files import OF_MUSCLES

    refuse_to_overwrite(options.out, options.force)
    analysis = opened_with(options, options.file)
    analysis = analysis.with_settings(with_values(analysis.settings, given(options, SETTINGS)))
    analysis = _with_contractions(analysis, options)
    analysis = analysis.run_until("muscles", progress_on_terminal("Muscles"))
    write_analysis(analysis, options.out, overwrite=options.force)
    found = analysis.muscles
    frames, solved = found.trust.frames, found.trust.solved
    print(f"{len(found.fitted.muscles)} muscles of {found.set_name}: {solved} of {frames} frames solved, "
          f"largest reserve {found.forces.largest_reserve_Nm:.1f} N·m")  # fmt: skip
    print(" ".join((found.trust.verdict, *implant_sentences(analysis))))
    for one in sorted(found.peaks, key=lambda peak: -peak.force_N)[:SHOWN]:
        words = "at least" if one.at_least else "up to"
        print(f"{one.joint}: {words} {one.times_weight:.1f} × body weight ({one.force_N:.0f} N), "
              f"without muscles {one.net_times_weight:.1f}")  # fmt: skip
    for peak in sorted(found.torque_peaks, key=lambda one: -one.torque_Nm)[:SHOWN]:
        print(f"{peak.title}: up to {peak.torque_Nm:.1f} N·m, by {makers_text(peak)}")
    print(f"{options.out}: summary.json, {', '.join(OF_MUSCLES)} and all results of the analysis")
    tell(analysis.notices, least=Severity.WARNING)
    return 0
