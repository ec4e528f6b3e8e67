"""What Biomec writes, each in two versions, and how to tell which of them lies in a folder.

"results" are the files of an analysis; a batch writes these, one recording after the other.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import numba
import numpy as np

from biomec.base import compiled, compiled_cache
from biomec.base.atomic import atomic_path
from biomec.base.errors import FileError
from biomec.base.together import replaced_together
from biomec.io.project import load_project, save_project
from biomec.io.registry import read_trial, write_trial
from biomec.io.shared_project import save_as_read
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.settings_file import read_settings, write_settings
from biomec.recording import Session, Subject
from biomec.reporting.files.analysis_files import write_analysis
from biomec.study.decisions import decide, read_decisions
from biomec.study.people import keep_people, read_people
from tests.core.pipeline.standing import swaying_session
from tests.core.recording.examples import full_trial
from tests.faults.layer import Disk, disk

NAMES = ("Version 0", "Version 1")


@dataclass(frozen=True)
class Case:
    """One thing that is written.

    write    : write version 0 or 1 into a folder; raises `FileError`
    found    : version that lies in a folder, None if none does; raises if it is neither or a mixture
    together : several files; a program that dies in between leaves some of each, without the one that vouches for them
    lost     : it may be gone, because it can be made again
    cheap    : quick enough to fail at every operation in every run of the tests
    """

    name: str
    write: Callable[[Path, int], None]
    found: Callable[[Path], int | None]
    together: bool = False
    lost: bool = False
    cheap: bool = True


@cache
def _session(version: int) -> Session:
    return Session(full_trial(frames=6), subject=Subject(NAMES[version]))


@cache
def _analysis(version: int) -> Analysis:
    subject = replace(swaying_session(0.1).subject, name=NAMES[version])
    return Analysis(swaying_session(0.4, subject=subject)).run_all()


def _version_of(path: Path) -> int | None:
    return NAMES.index(load_project(path).subject.name) if path.exists() else None


# ------------------------------------------------------------------------------------------------------- single files
def _save(folder: Path, version: int) -> None:
    save_project(_session(version), folder / "a.biomec")


def _save_shared(folder: Path, version: int) -> None:
    save_as_read(_session(version), folder / "a.biomec", None)


def _export(folder: Path, version: int, suffix: str) -> None:
    write_trial(full_trial(frames=6, seed=version), folder / f"a{suffix}", overwrite=True)


def _exported(folder: Path, suffix: str) -> int | None:
    path = folder / f"a{suffix}"
    if not path.exists():
        return None
    found = read_trial(path).markers.p_WM
    for version in (0, 1):
        if np.allclose(found, full_trial(frames=6, seed=version).markers.p_WM, atol=1e-4, equal_nan=True):
            return version
    raise AssertionError("neither of both")


def _settings(folder: Path, version: int) -> None:
    settings = AnalysisSettings()
    write_settings(replace(settings, body=replace(settings.body, model=NAMES[version])), folder / "settings.json")


def _found_settings(folder: Path) -> int | None:
    path = folder / "settings.json"
    return NAMES.index(read_settings(path)[0].body.model or "") if path.exists() else None


# -------------------------------------------------------------------------------------------------------------- studies
def _decide(folder: Path, version: int) -> None:
    decide(folder, "trial", NAMES[version])


def _decided(folder: Path) -> int | None:
    found = read_decisions(folder).trials.get("trial")
    return None if found is None else NAMES.index(found)


def _keep_people(folder: Path, version: int) -> None:
    keep_people(folder, {f"folder {NAMES[k]}": f"P{k:03d}" for k in range(version + 1)})


def _kept_people(folder: Path) -> int | None:
    return len(read_people(folder)) - 1 if (folder / "people.csv").exists() else None


# ----------------------------------------------------------------------------------------------------------- autosave
RECOVERY = "1-ab.biomec"


def _autosave(folder: Path, version: int) -> None:
    from biomec_app.shell.autosave import _Write

    about = {"name": NAMES[version], "project": f"/home/{NAMES[version]}.biomec"}
    faults: list[str] = []
    work = _Write(SimpleNamespace(stored=lambda: _session(version)), folder / RECOVERY, about)
    work.talk.ended.connect(lambda analysis, fault: faults.append(fault))
    work.run()
    if faults != [""]:
        assert "Error" not in faults[0], faults
        raise FileError(RECOVERY, faults[0])


def _recovered(folder: Path) -> int | None:
    """The work that a crash left, and that its project is never that of other work."""
    from biomec_app.shell.autosave import leftovers

    version = _version_of(folder / RECOVERY)
    for left in leftovers(folder):
        assert version is not None
        assert left.project in (None, Path(f"/home/{NAMES[version]}.biomec"))
        assert left.name in (Path(RECOVERY).stem, NAMES[version])
    return version


# ------------------------------------------------------------------------------------------------------ several files
def _tables(folder: Path, version: int) -> None:
    """A result as small as can be: a table that only the old one has, one that both have, a folder, a project."""
    with replaced_together(folder / "results", "summary.json", ("old.csv", "a.csv", "summary.json")) as stage:
        (stage / "pictures").mkdir()
        (stage / "pictures" / "p.png").write_text(NAMES[version])
        (stage / "summary.json").write_text(NAMES[version])
        (stage / "a.csv").write_text(NAMES[version])
        if version == 0:
            (stage / "old.csv").write_text(NAMES[version])
        save_project(_session(version), stage / "session.biomec")


def _results(folder: Path, version: int) -> None:
    write_analysis(_analysis(version), folder / "results", overwrite=True)


@cache
def _report_parts(version: int) -> tuple[bytes, object]:
    from biomec.reporting.content.report import report_content

    return f"picture of {NAMES[version]}".encode() * 50, report_content(_analysis(version))


def _report(folder: Path, version: int) -> None:
    """The report as the program writes it, with pictures that are drawn already."""
    from biomec_app.figures.report import demo_pictures

    picture, content = _report_parts(version)

    def drawn(analysis: Analysis, key: str, path: Path) -> None:
        with atomic_path(path) as temporary:
            temporary.write_bytes(picture)

    def body(analysis: Analysis, path: Path) -> str:
        drawn(analysis, "", path)
        return ""

    with (
        patch.object(demo_pictures, "draw_figure", drawn),
        patch.object(demo_pictures, "_draw_body", body),
        patch.object(demo_pictures, "report_content", lambda analysis, truth: content),
    ):
        demo_pictures.draw(_analysis(version), folder / "results")


def _beside(name: str) -> bool:
    """Whether a file is one of those that stand beside a result only while it is written."""
    return ".part" in name or name.endswith(".lock")


@cache
def _clinical_bytes(version: int) -> bytes:
    return f"report of {NAMES[version]}".encode() * 50


def _clinical(folder: Path, version: int) -> None:
    """A clinical report, made already."""
    from biomec_app.figures.report import writers

    made = SimpleNamespace(writer=lambda: lambda report, options, progress: _clinical_bytes(version))
    with patch.object(writers, "WRITERS", {".xlsx": made}):
        writers.write_report(SimpleNamespace(), folder / "visit.xlsx")


def _found_clinical(folder: Path) -> int | None:
    path = folder / "visit.xlsx"
    return [_clinical_bytes(version) for version in (0, 1)].index(path.read_bytes()) if path.exists() else None


OWNERS: dict[str, bytes] = {}  # of projects that were read, by their hash


def _owner(path: Path, content: bytes) -> bytes:
    key = hashlib.sha256(content).hexdigest()
    if key not in OWNERS:
        OWNERS[key] = load_project(path).subject.name.encode()
    return OWNERS[key]


def _of_one_result(write: Callable[[Path, int], None], last: str) -> Callable[[Path], int | None]:
    def written_parts(folder: Path) -> Disk:
        """Files of a result; of a project, which holds the time of its making, whose it is."""
        there = {name: one for name, one in disk(folder).items() if not _beside(name) and one is not None}
        projects = [name for name in there if name.endswith(".biomec")]
        return there | {name: _owner(folder / name, there[name]) for name in projects}

    @cache
    def whole(version: int) -> Disk:
        import tempfile

        with tempfile.TemporaryDirectory() as place:
            write(Path(place), version)
            return written_parts(Path(place))

    def found(folder: Path) -> int | None:
        there, versions = written_parts(folder), [whole(version) for version in (0, 1)]
        for name, content in there.items():
            assert content in [one.get(name) for one in versions], f"{name} is damaged"
        if f"results/{last}" not in there:
            return None
        assert there in versions, "a mixture of both"
        return versions.index(there)

    return found


# ------------------------------------------------------------------------------------------------------ compiled code
TYPES = (numba.int64,)


def twice(x: int) -> int:
    return x + x


@contextmanager
def _cache_below(folder: Path) -> Iterator[None]:
    compiled._cache_folder.cache_clear()
    with (
        patch.dict(os.environ, {"BIOMEC_CACHE_DIR": str(folder / "cache")}),
        patch.object(compiled_cache, "_told", set()),
    ):
        yield
        warnings = sorted(compiled_cache._told)
    compiled._cache_folder.cache_clear()
    if warnings:
        raise FileError("cache", warnings[0])


@cache
def _machine_code() -> object:
    made = numba.njit(nogil=True)(twice)
    made.compile(TYPES)
    return made.overloads[TYPES]


def _keep(folder: Path, version: int) -> None:
    """Keep code that was compiled before."""
    code = _machine_code()
    with _cache_below(folder):
        compiled.compiled(twice)._cache.save_overload(TYPES, code)


def _compile(folder: Path, version: int) -> None:
    """Compile as a program does that has no cache yet."""
    for entry in folder.rglob("*.nbc"):
        entry.unlink()
    with _cache_below(folder):
        assert compiled.compiled(twice)(21) == 42


def _kept(folder: Path) -> int | None:
    """1 if there is code that works, None if it will be compiled again."""
    with _cache_below(folder):
        made = compiled.compiled(twice)
        if made._cache.load_overload(TYPES, made.targetctx) is None:
            return None
        assert made(21) == 42
        assert sum(made.stats.cache_hits.values()) == 1
        return 1


CASES: tuple[Case, ...] = (
    Case("project", _save, lambda folder: _version_of(folder / "a.biomec")),
    Case("shared project", _save_shared, lambda folder: _version_of(folder / "a.biomec")),
    Case("autosave", _autosave, _recovered),
    Case("settings", _settings, _found_settings),
    *(
        Case(suffix, lambda folder, version, end=suffix: _export(folder, version, end),
             lambda folder, end=suffix: _exported(folder, end))
        for suffix in (".c3d", ".trc", ".emt", ".mat")
    ),
    Case("decisions of a study", _decide, _decided),
    Case("people of a study", _keep_people, _kept_people),
    Case("clinical report", _clinical, _found_clinical),
    Case("tables", _tables, _of_one_result(_tables, "summary.json"), together=True),
    Case("report", _report, _of_one_result(_report, "report.html"), together=True),
    Case("results", _results, _of_one_result(_results, "summary.json"), together=True, cheap=False),
    Case("compiled code", _keep, _kept, lost=True),
    Case("compilation", _compile, _kept, lost=True, cheap=False),
)  # fmt: skip


def temporary_files(folder: Path) -> list[str]:
    """What a save that is over must not leave."""
    with suppress(FileNotFoundError):
        return sorted(filter(_beside, disk(folder)))
    return []
