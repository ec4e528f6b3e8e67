"""What a laboratory's report consists of: title, logo, paper, colours, norm and pages, in a TOML file.

A page that is not known and a logo that is not a picture cost themselves, with a sentence in the report; everything
else that is wrong in the file is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from biomec.base.description_file import Descriptions, beside, read_text
from biomec.base.errors import FileError
from biomec.base.frozen import FrozenDict
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.svg_file import svg_fault
from biomec.base.toml_table import TomlTable, did_you_mean, read_toml, shown
from biomec.reporting.clinical.comparison import COMPARED, GPS
from biomec.reporting.indices.discrete_values import WINDOWS
from biomec.reporting.statistics.time_and_distance import PARAMETERS

KINDS = (
    "summary", "measured", "time and distance", "kinematics", "kinematics of every cycle", "kinetics",
    "kinetics of every cycle", "ground reaction", "indices", "emg", "muscles", "trunk and arms", "comparison",
    "quality",
)  # fmt: skip
"""Every kind of page, in the usual order."""
PAPERS = ("A4", "Letter")
COLOURS = ("blue and orange", "red and green", "red and blue", "grey")
NEAREST, NONE = "nearest", "none"
"""Norms: the one nearest in age and speed, and none; any other word is the name of a set, or a folder with one."""
KEYS = ("title", "laboratory", "logo", "paper", "colours", "norm", "band_sd", "deviation_strips")
PAGE_KEYS = ("kind", "title", "nine_curves", "six_right")
WIDEST_BAND = 3.0  # standard deviations
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM", b"RIFF")
SHIPPED = "clinical"
VALUES = (GPS, *(PARAMETERS[key].title for key in COMPARED), *(window.name for window in WINDOWS))
"""Values that are compared between visits."""


@dataclass(frozen=True)
class PageEntry:
    """A page that is asked for.

    title : "" for the usual one;  nine_curves : only those of the Gait Profile Score instead of twelve
    six_right : the Gait Profile Score of the right side leaves the pelvis out, as Visual3D does
    """

    kind: str
    title: str = ""
    nine_curves: bool = False
    six_right: bool = False


@dataclass(frozen=True)
class ReportDefinition:
    """What a report consists of.

    norm    : `NEAREST`, `NONE`, or the name of a set
    band_sd : half the width of the norm's band, in standard deviations
    deviation_strips : whether strips below the panels show how far the mean is from the norm
    detectable_change : value, such as "Gait Profile Score" -> smallest change that the laboratory can tell from none
    notices : sentences about what was wrong in the file and left out
    """

    title: str = "Movement analysis"
    laboratory: str = ""
    logo: Path | None = None
    paper: str = "A4"
    colours: str = COLOURS[0]
    norm: str = NEAREST
    band_sd: float = 1.0
    deviation_strips: bool = False
    detectable_change: Mapping[str, float] = field(default_factory=FrozenDict)
    pages: tuple[PageEntry, ...] = tuple(PageEntry(kind) for kind in KINDS)
    notices: tuple[str, ...] = ()


def parse_definition(text: str, source: str, folder: Path | None = None) -> ReportDefinition:
    """Definition from the text of a file; messages call it ``source``. A logo is sought in ``folder``."""
    top = read_toml(text, source)
    top.only(("report", "page", "detectable_change"))
    report = top.table("report")
    report.only(KEYS)
    notices: list[str] = []
    pages = []
    for table in top.tables("page"):
        table.only(PAGE_KEYS)
        kind = table.text("kind")
        if kind not in KINDS:
            notices.append(
                f'{source}: there is no page "{kind}"{did_you_mean(kind, KINDS)} It is left out; '
                f"pages are {', '.join(KINDS)}."
            )
            continue
        title = table.text("title") if "title" in table else ""
        pages.append(PageEntry(kind, title, _switch(table, "nine_curves"), _switch(table, "six_right")))
    if top.tables("page") and not pages:
        notices.append(f"{source} names no page that is known; the usual ones are made.")
    logo = None
    if "logo" in report:
        logo, fault = checked_logo(report.text("logo"), folder)
        notices += [fault] if fault else []
    usual = ReportDefinition()
    return ReportDefinition(
        report.text("title") if "title" in report else usual.title,
        report.text("laboratory") if "laboratory" in report else "",
        logo,
        _choice(report, "paper", PAPERS),
        _choice(report, "colours", COLOURS),
        report.text("norm") if "norm" in report else usual.norm,
        _deviations(report),
        _switch(report, "deviation_strips"),
        _detectable(top.table("detectable_change"), notices),
        tuple(pages) or usual.pages,
        tuple(notices),
    )


def read_definition(name: str = SHIPPED) -> ReportDefinition:
    """Return one that comes with Biomec, or the one in a file if ``name`` ends with .toml."""
    if not name.endswith(".toml"):
        return DEFINITIONS.load(name)
    path = Path(name)
    return parse_definition(read_text(path), path.name, path.parent)


def checked_logo(name: str, folder: Path | None = None) -> tuple[Path | None, str]:
    """A logo's file, or a sentence about why the report is made without it.

    folder : of the file that names it, which names no file of another folder; None where the user has chosen it
    """
    path = Path(name) if folder is None else beside(folder, name)
    without = "The report is made without it."
    if path is None:
        return None, f"The logo {shown(name)} must lie beside the file that names it, without a folder. {without}"
    try:
        if not path.is_file():
            return None, f"The logo {path.name} was not found. {without}"
        with path.open("rb") as file:
            start = file.read(1024)
        drawing = b"<svg" in start
        if not (drawing or start.startswith(_PICTURES)):
            return None, f"The logo {path.name} is not a picture; use PNG, JPEG or SVG. {without}"
        fault = svg_fault(whole_file(path, most=LONGEST_DESCRIPTION)) if drawing else ""
    except OSError as error:
        return None, f"The logo {path.name} cannot be read ({error.strerror or error}). {without}"
    except FileError as error:
        return None, f"The logo {path.name} cannot be read: {error.fault} {without}"
    if fault:
        return None, f"The logo {path.name} {fault}. {without}"
    return path, ""


def _choice(table: TomlTable, key: str, known: tuple[str, ...]) -> str:
    if key not in table:
        return known[0]
    value = table.text(key)
    if value not in known:
        raise table.refusal(f'{key} is "{value}"{did_you_mean(value, known)} Choose one of {", ".join(known)}.', key)
    return value


def _switch(table: TomlTable, key: str) -> bool:
    value = table.values.get(key, False)
    if not isinstance(value, bool):
        raise table.refusal(f"{key} must be true or false.", key)
    return value


def _detectable(table: TomlTable, notices: list[str]) -> Mapping[str, float]:
    """Changes that the laboratory can detect; those of values that are not compared are left out with a sentence."""
    found = {}
    for key in table.values:
        change = float(table.numbers(key, ()))
        if not change > 0.0:
            raise table.refusal(f'detectable_change of "{key}" is {change:g}; it must be more than 0.', key)
        if key in VALUES:
            found[key] = change
        else:
            notices.append(
                f'{table.where}: no value "{key}" is compared{did_you_mean(key, VALUES)} Its change is not used.'
            )
    return FrozenDict(found)


def _deviations(table: TomlTable) -> float:
    value = float(table.numbers("band_sd", ())) if "band_sd" in table else 1.0
    if not 0.0 < value <= WIDEST_BAND:
        raise table.refusal(f"band_sd is {value:g}; choose more than 0 and at most {WIDEST_BAND:g}.", "band_sd")
    return value


DEFINITIONS = Descriptions("report definition", ("reports",), parse_definition)
