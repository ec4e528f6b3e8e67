"""Command `norms`: list sets of norm data, convert files of other programs, make a norm of recordings."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from biomec.base.errors import FileError
from biomec.base.notices import Severity
from biomec.cli.arguments import Commands, tell

if TYPE_CHECKING:
    from biomec.reporting.norms.norm import NormSet


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module."""
    norms = commands.add_parser("norms", help="list norm data, convert files of other programs, or make a norm")
    norms.set_defaults(run=_list, folder=None)
    parts = norms.add_subparsers(dest="part", metavar="PART")

    listed = parts.add_parser("list", help="list the sets that come with Biomec, and those in a folder (default)")
    listed.set_defaults(run=_list)
    listed.add_argument("--folder", type=Path, metavar="DIR", help="folder that holds your own sets")

    convert = parts.add_parser("convert", help="write norms of GCD, pyCGM2, XLSX, XLS or a table as sets of Biomec")
    convert.set_defaults(run=_convert)
    convert.add_argument("file", type=Path, metavar="FILE")
    convert.add_argument("out", type=Path, metavar="DIR", help="folder in which each set becomes a folder")
    columns = "what the columns of a table mean; may be repeated, the first that fits is used"
    convert.add_argument("--mapping", type=Path, action="append", default=[], metavar="FILE.toml", help=columns)
    convert.add_argument("--force", action="store_true", help="overwrite sets of the same names")

    make = parts.add_parser("make", help="make a norm of recordings or projects of five people at least")
    make.set_defaults(run=_make)
    make.add_argument("out", type=Path, metavar="DIR", help="folder of the new set; its name is that of the set")
    make.add_argument("recordings", type=Path, nargs="+", metavar="FILE")
    make.add_argument("--title", default="", help="what lists and footers call it; default: the name of the folder")
    add_source(make)
    make.add_argument("--force", action="store_true", help="overwrite the set")


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add whose curves a norm is made of."""
    parser.add_argument("--source", choices=("own", "vicon", "stored"), default="own",
                        help="own: curves of our model (default); vicon: Plug-in Gait as Vicon computes it; stored: as "
                        "the files store it")  # fmt: skip


def _list(options: argparse.Namespace) -> int:
    from biomec.reporting.norms.norm_file import norms_in, shipped_norm, shipped_norms

    sets = [shipped_norm(name) for name in shipped_norms()]
    if options.folder is not None:
        sets += norms_in(options.folder)
    print("\n\n".join(_described(one) for one in sets))
    return 0


def _described(norm: "NormSet") -> str:
    about = norm.about
    holds = [
        f"{len(part)} {word}"
        for part, word in (
            (norm.curves, "curves"), (norm.parameters, "parameters"), (norm.discrete, "values of curves"),
            (norm.speeds, "speeds by age and sex"), (norm.limbs, "curves of single limbs"),
        )
        if part
    ]  # fmt: skip
    facts = {
        "people": about.people, "holds": ", ".join(holds), "model": about.model, "task": about.task,
        "licence": about.licence, "cite": about.citation,
    }  # fmt: skip
    return "\n".join([f"{norm.name}: {about.title}", *(f"  {key}: {value}" for key, value in facts.items() if value)])


def _convert(options: argparse.Namespace) -> int:
    from biomec.reporting.norms.mapped_csv import read_mapping
    from biomec.reporting.norms.norm_file import write_norm_set
    from biomec.reporting.norms.readers import read_norms

    sets = read_norms(options.file, tuple(read_mapping(path) for path in options.mapping))
    folders = [options.out / one.name for one in sets]
    for folder in folders:
        keep_existing(folder, options.force)
    for norm, folder in zip(sets, folders, strict=True):
        write_norm_set(norm, folder)
        print(f"{folder} written: {len(norm.curves)} curves, {norm.about.people}.")
        tell(norm.notices, least=Severity.INFO)
    print("Add people, ages, speed, model, source and licence to set.toml: the choice of a norm asks for them.")
    return 0


def _make(options: argparse.Namespace) -> int:
    from biomec.reporting.norms.norm import NormAbout
    from biomec.reporting.norms.norm_file import write_norm_set
    from biomec.reporting.norms.own_norm import analysed_recording, norm_of_people, people_of

    keep_existing(options.out, options.force)
    name = options.out.resolve().name
    people = people_of((analysed_recording(path) for path in options.recordings), options.source)
    about = NormAbout(options.title or name, source=f"own recordings ({len(options.recordings)})")
    norm = norm_of_people(name, people, about)
    write_norm_set(norm, options.out)
    print(f"{options.out} written: {len(norm.curves)} curves, {norm.about.people}, model {norm.about.model}.")
    tell(norm.notices, least=Severity.INFO)
    return 0


def keep_existing(folder: Path, force: bool) -> None:
    """Refuse a folder that holds something, unless it may be overwritten."""
    if folder.exists() and not force and (not folder.is_dir() or any(folder.iterdir())):
        raise FileError(folder.name, "it exists and was not overwritten. Use --force to overwrite a set of norms.")
