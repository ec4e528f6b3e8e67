"""Arguments that parts of the command `study` share, and the study that they name."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from biomec.base.progress import Progress
from biomec.cli.arguments import progress_on_terminal

if TYPE_CHECKING:
    from biomec.study.study import Study

STUDY = "folder with recordings of many people, or its study.toml"
MEASURES = ("peak", "highest", "lowest", "mean", "rms", "impulse")


def add_study(parser: argparse.ArgumentParser) -> None:
    """Add the study and the folder of its results."""
    parser.add_argument("study", type=Path, metavar="STUDY", help=STUDY)
    parser.add_argument("--results", type=Path, metavar="DIR",
                        help="folder for index, projects and tables; default: biomec-study in the folder")  # fmt: skip


def add_curve_words(parser: argparse.ArgumentParser) -> None:
    """Add which curves, and which number of every cycle."""
    parser.add_argument("--curves", nargs="+", default=[], metavar="WORD",
                        help="only curves with one of these in their names")  # fmt: skip
    parser.add_argument("--measure", choices=MEASURES, default="peak",
                        help="of every cycle; default: %(default)s")  # fmt: skip


def add_comparison(parser: argparse.ArgumentParser, by: str = "condition") -> None:
    """Add what is compared and how; ``by`` : the default, "" for what the study has two of."""
    default = by or "the first of them that the study has two of"
    parser.add_argument("--by", choices=("condition", "visit", "group"), default=by,
                        help=f"what is compared; default: {default}")  # fmt: skip
    parser.add_argument("--levels", nargs="+", default=[], metavar="NAME", help="these, in this order; default: all")
    parser.add_argument("--test", choices=("t", "rank"), default="t", help="of the measure; default: %(default)s")
    parser.add_argument("--alpha", type=float, default=0.05, metavar="A", help="default: %(default)s")


def count(text: str) -> int:
    """A number from 1 to 1024."""
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 1024")
    return int(text)


def opened(options: argparse.Namespace, progress: Progress | None = None) -> "Study":
    """The study of the arguments; doubts about it are printed."""
    from biomec.study.study import open_study

    study = open_study(options.study, options.results, progress or progress_on_terminal("Looking"))
    for sentence in study.sentences:
        print(f"warning: {sentence}", file=sys.stderr)
    return study
