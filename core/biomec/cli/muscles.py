"""Command `muscles`: which muscles carry a movement, and what the joints bear under them."""

import argparse
from pathlib import Path

from biomec.base.notices import Severity
from biomec.cli.analysis import SETTINGS
from biomec.cli.arguments import Commands, SetOption, given, options_of, progress_on_terminal, tell

_field = options_of(SETTINGS)
SHOWN = 12  # joints


def add_commands(commands: Commands) -> None:
    """Add the parser of this module."""
    words = "find muscle forces, and the forces in the joints with them"
    muscles = commands.add_parser("muscles", help=words, description=f"{words[0].upper()}{words[1:]}.")
    muscles.set_defaults(run=_muscles)
    muscles.add_argument("file", type=Path, metavar="FILE", help="project (.biomec), or recording of a movement")
    muscles.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the results")
    muscles.add_argument("--force", action="store_true", help="overwrite results in DIR")
    how = muscles.add_argument_group("how (a project keeps its stored settings where nothing is given here)")
    _field(how, "--muscles", "NAME", "muscles.set")
    _field(how, "--criterion", "NAME", "muscles.sharing.criterion")
    _field(how, "--ribs", "WHAT", "muscles.sharing.ribs")
    _field(how, "--strength", "%", "muscles.sharing.strength")
    _field(how, "--use-emg", "HOW", "muscles.sharing.emg")
    how.add_argument("--set", action=SetOption, settings=SETTINGS, metavar="STEP.FIELD=VALUE",
                     help="any setting, such as muscles.sharing.lowest=0; may be repeated")  # fmt: skip


def _muscles(options: argparse.Namespace) -> int:
    from biomec.base.fields import with_values
    from biomec.cli.loads import opened
    from biomec.reporting.files.analysis_files import refuse_to_overwrite, write_analysis
    from biomec.reporting.files.muscle_files import OF_MUSCLES

    refuse_to_overwrite(options.out, options.force)
    analysis = opened(options.file)
    analysis = analysis.with_settings(with_values(analysis.settings, given(options, SETTINGS)))
    analysis = analysis.run_until("muscles", progress_on_terminal("Muscles"))
    write_analysis(analysis, options.out, overwrite=options.force)
    found = analysis.muscles
    frames, solved = found.trust.frames, found.trust.solved
    print(f"{len(found.fitted.muscles)} muscles of {found.set_name}: {solved} of {frames} frames solved, "
          f"largest reserve {found.forces.largest_reserve_Nm:.1f} N·m")  # fmt: skip
    print(found.trust.verdict)
    for one in sorted(found.peaks, key=lambda peak: -peak.force_N)[:SHOWN]:
        print(f"{one.joint}: up to {one.times_weight:.1f} × body weight ({one.force_N:.0f} N), "
              f"without muscles {one.net_times_weight:.1f}")  # fmt: skip
    print(f"{options.out}: summary.json, {', '.join(OF_MUSCLES)} and all results of the analysis")
    tell(analysis.notices, least=Severity.WARNING)
    return 0
