"""Command `consistent`: the motion nearest to the measured one that obeys the equations of motion with the plates."""

import argparse
import json
from dataclasses import replace
from pathlib import Path

from biomec.base.notices import Severity
from biomec.cli.analysis import SETTINGS
from biomec.cli.arguments import Commands, SetOption, given, options_of, progress_on_terminal, tell

_field = options_of(SETTINGS)
FIELDS = "loads.reduction.dynamics"


def add_commands(commands: Commands) -> None:
    """Add the parser of this module."""
    words = "change motion and forces as little as makes them obey the equations of motion"
    parser = commands.add_parser("consistent", help=words, description=f"{words[0].upper()}{words[1:]}.")
    parser.set_defaults(run=_consistent)
    parser.add_argument("file", type=Path, metavar="FILE", help="project (.biomec), or recording of a movement")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for all results, with consistent_motion.csv")
    parser.add_argument("--force", action="store_true", help="overwrite results in DIR")
    parser.add_argument("--json", action="store_true", help="print what was changed for programs")
    how = parser.add_argument_group("how (a project keeps its stored settings where nothing is given here)")
    _field(how, "--model", "NAME", "body.model")
    _field(how, "--trust", "WHAT", f"{FIELDS}.trust")
    how.add_argument("--masses", action="store_true", help="adjust masses and centres of mass before")
    how.add_argument("--set", action=SetOption, settings=SETTINGS, metavar="STEP.FIELD=VALUE",
                     help=f"any setting, such as {FIELDS}.force_n=2; may be repeated")  # fmt: skip


def _consistent(options: argparse.Namespace) -> int:
    from biomec.base.fields import with_values
    from biomec.body.loads.dynamic_options import DynamicOptions
    from biomec.body.loads.mass_adjustment import MassOptions
    from biomec.body.loads.residual_reduction import ReductionOptions
    from biomec.cli.loads import opened, print_table
    from biomec.reporting.content.dynamic_section import change_facts, change_sections
    from biomec.reporting.files.analysis_files import refuse_to_overwrite, write_analysis

    if options.out is not None:
        refuse_to_overwrite(options.out, options.force)
    analysis = opened(options.file)
    settings = analysis.settings
    stored = settings.loads.reduction or ReductionOptions(None, None)
    inertia = (stored.inertia or MassOptions()) if options.masses else stored.inertia
    asked = replace(stored, inertia=inertia, motion=None, dynamics=stored.dynamics or DynamicOptions())
    settings = with_values(replace(settings, loads=replace(settings.loads, reduction=asked)), given(options, SETTINGS))
    analysis = analysis.with_settings(settings).run_until("loads", progress_on_terminal("Consistent motion"))
    if options.out is not None:
        write_analysis(analysis, options.out, overwrite=options.force)
    if options.json:
        print(json.dumps(change_facts(analysis), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        for section in change_sections(analysis):
            print(section.title)
            for sentence in section.sentences:
                print(sentence)
            for table in section.tables:
                print_table(table)
            print()
        if options.out is not None:
            print(f"{options.out}: summary.json and all results of the analysis, with consistent_motion.csv")
    tell(analysis.notices, least=Severity.WARNING)
    return 0
