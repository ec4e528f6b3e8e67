"""Part `norm` of the command `study`: norm data of the people of a study."""

import argparse
from pathlib import Path
from typing import Any

from biomec.base.notices import Severity
from biomec.cli.arguments import progress_on_terminal, tell
from biomec.cli.norms import add_source, keep_existing
from biomec.cli.study_arguments import add_study, opened


def add_parts(parts: "argparse._SubParsersAction[Any]") -> None:
    """Add the parser of this module."""
    norm = parts.add_parser("norm", help="make norm data of the people of a study, five at least; without names")
    norm.set_defaults(run=_norm)
    add_study(norm)
    norm.add_argument("out", type=Path, metavar="DIR", help="folder of the new set; its name is that of the set")
    norm.add_argument("--condition", default="", metavar="NAME", help="only trials of this condition")
    norm.add_argument("--title", default="", help="what lists and footers call it; default: the name of the folder")
    add_source(norm)
    norm.add_argument("--force", action="store_true", help="overwrite the set")


def _norm(options: argparse.Namespace) -> int:
    from biomec.reporting.norms.norm_file import write_norm_set
    from biomec.study.norm import norm_of_study

    keep_existing(options.out, options.force)
    name = options.out.resolve().name
    norm = norm_of_study(opened(options), name, options.title, options.condition, options.source,
                         progress_on_terminal("Opening"))  # fmt: skip
    write_norm_set(norm, options.out)
    print(f"{options.out} written: {len(norm.curves)} curves, {norm.about.people}, model {norm.about.model}.")
    tell(norm.notices, least=Severity.INFO)
    return 0
