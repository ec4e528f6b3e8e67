"""Import by name: which static, plates and EMG belong to a dynamic file, by the names of the files beside it.

    20150408_Arthur_Aberto1.emt        date, subject, trial
    20150408_Arthur_Estatico.emt       static of all trials of that subject and date
    20150408_Arthur_Aberto1.mot        plates of the trial
    20150408_Arthur_Aberto1_EMG.emt    EMG of the trial

Other laboratories: ``subject01_walk1.trc`` with ``subject01_static.trc`` and ``subject01_walk1_grf.mot``;
``motion_capture_walk.trc`` with ``grf_walk.mot``, if no other movement there ends in "walk";
``HC030A05.c3d`` with ``Static01.c3d``, or with the lower-numbered ``HC030A01.c3d`` if the subject stands still in it.
``motion_capture_walk.trc`` with ``static_walk_1.trc``, whose name says static but not of what, if it holds the same
body: the same markers, as far apart.
Capitals, accents and the format do not matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice, info, warning
from biomec.io.registry import FORMATS, read_trial
from biomec.recording import Markers

STATIC_WORDS = frozenset(
    {"estatico", "estatica", "static", "statico", "statica", "statique", "statisch", "cal", "calib", "calibration"}
    | {"calibracao", "calibracion", "tpose", "npose"}
)
PLATE_ENDINGS = ("grf", "grw", "force", "forces", "plates", "plataformas")
MARKER_FILES = tuple(one.extensions[0] for one in FORMATS if one.static)
PLATE_FILES = tuple(ending for one in FORMATS if one.plates for ending in one.extensions)
EMG_FILES = tuple(
    ending for one in sorted(FORMATS, key=lambda one: one.emg) if one.emg for ending in one.extensions
)  # the preferred first
STILL_M = 0.05  # in a static the typical marker stays within this
RIGID_M = 0.005  # standard deviation of the distance of two markers that keep it
SAME_M = 0.006  # median difference of such distances; 1.7 to 3.1 mm for one person, 48 to 77 mm for two
LABELS, PAIRS, LOOKED = 0.8, 10, 50  # share of labels in common; pairs and frames that are compared


@dataclass(frozen=True)
class Found:
    """A file that belongs to the dynamic one, and why."""

    path: Path
    reason: str


@dataclass(frozen=True)
class Companions:
    """What was found beside a dynamic file; None is what is missing."""

    dynamic: Path
    static: Found | None
    plates: Found | None
    emg: Found | None
    subject_name: str = ""
    recorded: date | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Kinds of files that were not found."""
        return tuple(kind for kind in ("static", "plates", "emg") if getattr(self, kind) is None)


@dataclass(frozen=True)
class Name:
    """What the name of a file says. ``words`` are letters or digits in lower case; the date is also in ``recorded``."""

    plain: str  # stem in lower case without accents
    words: tuple[str, ...]
    recorded: date | None
    subject: str  # as written; empty where the name has no three fields
    trial: str

    @property
    def static(self) -> bool:
        """True if the name says that this is a calibration."""
        return not STATIC_WORDS.isdisjoint(_words(self.trial) if self.subject else self.words)

    @property
    def without_static(self) -> tuple[str, ...]:
        """The words around the static word, without the number of the static."""
        kept: list[str] = []
        behind = False  # the word before was a static word
        for word in self.words:
            if word not in STATIC_WORDS and not (behind and word.isdigit()):
                kept.append(word)
            behind = word in STATIC_WORDS
        return tuple(kept)


def parse_name(stem: str) -> Name:
    """Understand the stem of a file name."""
    fields = re.split(r"[_]+", stem)
    recorded = _day(fields[0])
    if recorded is not None and len(fields) >= 3:
        return Name(_plain(stem), _words(stem), recorded, "_".join(fields[1:-1]), fields[-1])
    return Name(_plain(stem), _words(stem), recorded, "", "")


def find_companions(dynamic: Path | str) -> Companions:
    """Look beside a dynamic file for the files that belong to it; only the folder of the file is searched."""
    dynamic = Path(dynamic)
    try:
        beside = (p for p in dynamic.parent.iterdir() if p.is_file() and p.name != dynamic.name)
        files = sorted(beside, key=natural_order)
    except OSError as error:
        raise FileError(dynamic.name, f"its folder cannot be read: {error.strerror or error}.") from error
    name = parse_name(dynamic.stem)
    notices: list[Notice] = []
    static = None
    if name.static:
        notices.append(
            info("static-as-dynamic", f"By its name, {dynamic.name} is itself a static; none was looked for.")
        )
    else:
        static, notices = _find_static(dynamic, name, files)
    emg_name = _plain(dynamic.stem) + "_emg"
    emg = _first(files, EMG_FILES, lambda p: _plain(p.stem) == emg_name, dynamic, "has the same name with _EMG")
    plates = None
    if dynamic.suffix.lower() not in PLATE_FILES:
        plates = _first(files, PLATE_FILES, lambda p: _plain(p.stem) == name.plain, dynamic, "has the same name")
        endings = {f"{name.plain}_{ending}" for ending in PLATE_ENDINGS}
        plates = plates or _first(
            files,
            PLATE_FILES,
            lambda p: _plain(p.stem) in endings,
            dynamic,
            "has the same name with an ending for plates",
        )
        plates = plates or _prefixed_plates(dynamic, name, files)
    return Companions(dynamic, static, plates, emg, name.subject, name.recorded, tuple(notices))


def _prefixed_plates(dynamic: Path, name: Name, files: Iterable[Path]) -> Found | None:
    """``grf_walk.mot``: a word for plates, then how the name of this movement ends, and of no other one here."""
    files = list(files)
    others = [_words(path.stem) for path in files if path.suffix.lower() in MARKER_FILES and not is_emg(path)]

    def belongs(path: Path) -> bool:
        first, *rest = _words(path.stem) or ("",)
        if first not in PLATE_ENDINGS or all(word.isdigit() for word in rest):
            return False
        ends = tuple(rest)
        return name.words[-len(ends) :] == ends and not any(other[-len(ends) :] == ends for other in others)

    found = [path for path in files if path.suffix.lower() in PLATE_FILES and belongs(path)]
    if len({_plain(path.stem) for path in found}) > 1:
        return None
    return _first(found, PLATE_FILES, belongs, dynamic, "begins with a word for plates and ends like this one")


# ------------------------------------------------------------------------------------------------------------- static
def _find_static(dynamic: Path, name: Name, files: Iterable[Path]) -> tuple[Found | None, list[Notice]]:
    candidates = [
        (path, parse_name(path.stem)) for path in files if path.suffix.lower() in MARKER_FILES and not is_emg(path)
    ]
    statics = [(path, other) for path, other in candidates if other.static]

    def is_dated(other: Name) -> bool:
        same = (other.recorded, _plain(other.subject)) == (name.recorded, _plain(name.subject))
        return bool(name.subject) and same

    def is_prefix(other: Name) -> bool:
        rest = other.without_static
        return not name.subject and bool(rest) and name.words[: len(rest)] == rest

    def is_bare(other: Name) -> bool:
        return not other.without_static

    for rule, reason in (
        (is_dated, "is the static of the same subject and date"),
        (is_prefix, "is a static whose name begins like this one"),
        (is_bare, "is the static of this folder"),
    ):
        found = [path for path, other in statics if rule(other)]
        if found:
            return _chosen(found, dynamic, reason)
    if not name.subject:
        same = [path for path, _ in statics if path.suffix.lower() == dynamic.suffix.lower()]
        same = _same_body(dynamic, same) if same else []
        if same:
            return _chosen(same, dynamic, "is a static of the same markers, as far apart as here")
    numbered = _numbered(dynamic, [path for path, other in candidates if not other.static])
    if numbered is not None:
        return numbered, []
    elsewhen = [path.name for path, other in statics if name.subject and _plain(other.subject) == _plain(name.subject)]
    if elsewhen:
        words = (
            f"{', '.join(elsewhen)} is a static of {name.subject} on another date; give it by hand if it belongs here."
        )
        return None, [warning("static-other-date", words)]
    return None, []


def _chosen(found: list[Path], dynamic: Path, reason: str) -> tuple[Found, list[Notice]]:
    """The same format as the dynamic first, then the first by name; a notice where there was a choice."""
    found = sorted(found, key=lambda path: path.suffix.lower() != dynamic.suffix.lower())
    others = [path.name for path in found[1:] if _plain(path.stem) != _plain(found[0].stem)]
    notices = []
    if others:
        words = f"{found[0].name} was taken as the static; {', '.join(others)} would do too."
        notices.append(info("static-choice", words))
    return Found(found[0], reason), notices


def _numbered(dynamic: Path, candidates: list[Path]) -> Found | None:
    """Vicon's habit: the first number of a series is the static. Believed only if the subject stands still in it."""
    head, number = _series(dynamic)
    if not number:
        return None
    earlier = []
    for path in candidates:
        other_head, other = _series(path)
        if other_head == head and other and int(other) < int(number) and path.suffix.lower() == dynamic.suffix.lower():
            earlier.append((int(other), path))
    if not earlier:
        return None
    first = min(earlier)[1]
    return Found(first, "is the first of this series, and the subject stands still in it") if _is_still(first) else None


def _same_body(dynamic: Path, statics: list[Path]) -> list[Path]:
    """Statics in which somebody stands still with the markers of the movement at the same distances."""
    moving = _markers_of(dynamic)
    if moving is None:
        return []
    still = ((path, _markers_of(path)) for path in statics)
    return [path for path, one in still if one is not None and stands_still(one) and same_body(moving, one)]


def same_body(one: Markers, other: Markers) -> bool:
    """Whether two recordings hold the same markers on the same body.

    Markers of one segment keep their distance, and that distance is a person's own, and that of one day's markers.
    """
    names = [name for name in one.names if name in other.names]
    if len(names) < LABELS * len(one.names):
        return False
    (a, spread_a), (b, spread_b) = (_distances(markers, names) for markers in (one, other))
    apart = np.abs(a - b)[(spread_a < RIGID_M) & (spread_b < RIGID_M)]  # NaN compares as False
    return bool(len(apart) >= PAIRS and np.median(apart) <= SAME_M)


def _distances(markers: Markers, names: list[str]) -> tuple[FloatArray, FloatArray]:
    """(K,) mean distance of every pair of markers, and its standard deviation [m]; NaN if seldom seen together."""
    some = np.unique(np.linspace(0, markers.frames - 1, LOOKED).astype(int))
    p = markers.p_WM[some][:, [markers.index(name) for name in names]]
    first, second = np.triu_indices(len(names), 1)
    apart = np.linalg.norm(p[:, first] - p[:, second], axis=2)
    seen = np.isfinite(apart)
    count = np.where(seen.sum(axis=0) >= 3, seen.sum(axis=0), np.nan)
    mean = np.where(seen, apart, 0.0).sum(axis=0) / count
    return mean, np.sqrt((np.where(seen, apart - mean, 0.0) ** 2).sum(axis=0) / count)


def _markers_of(path: Path) -> Markers | None:
    try:
        return read_trial(path, examine=False).markers
    except BiomecError:
        return None


def _series(path: Path) -> tuple[str, str]:
    match = re.fullmatch(r"(.*?)(\d{1,3})", _plain(path.stem))
    return (match.group(1), match.group(2)) if match else (_plain(path.stem), "")


def _is_still(path: Path) -> bool:
    markers = _markers_of(path)
    return markers is not None and stands_still(markers)


def stands_still(markers: Markers, part: float = 0.5) -> bool:
    """Whether that part of the markers stays within a few centimetres throughout; too few markers tell nothing."""
    seen = markers.visible.sum(axis=0) > 1
    if seen.sum() < 3:
        return False
    p = markers.p_WM[:, seen]
    with np.errstate(over="ignore", invalid="ignore"):
        reach = np.linalg.norm(np.nanmax(p, axis=0) - np.nanmin(p, axis=0), axis=1)
        return bool(np.quantile(reach, part) < STILL_M)


# -------------------------------------------------------------------------------------------------------------- names
def _first(
    files: Iterable[Path], endings: tuple[str, ...], fits: Callable[[Path], bool], dynamic: Path, reason: str
) -> Found | None:
    found = [path for path in files if path.suffix.lower() in endings and fits(path)]
    found.sort(key=lambda path: (path.suffix.lower() != dynamic.suffix.lower(), endings.index(path.suffix.lower())))
    return Found(found[0], reason) if found else None


def is_emg(path: Path) -> bool:
    """Whether a file says by its name that it holds EMG."""
    return _plain(path.stem).endswith("_emg")


def _plain(text: str) -> str:
    """Lower case without accents, whatever way the disk stores them."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()


def _words(text: str) -> tuple[str, ...]:
    """Runs of letters and runs of digits; a capital after a small letter begins a word."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain)
    return tuple(word.casefold() for word in re.findall(r"[^\W\d_]+|\d+", spaced))


def natural_order(path: Path) -> tuple[tuple[int, int, str], ...]:
    """Order in which 2 comes before 10."""
    return tuple((0, int(w), "") if w.isdigit() else (1, 0, w) for w in _words(path.name))


def _day(field: str) -> date | None:
    match = re.fullmatch(r"(\d{4})-?(\d{2})-?(\d{2})", field)
    if match is None:
        return None
    try:
        return date(*map(int, match.groups()))
    except ValueError:
        return None
