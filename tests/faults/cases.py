"""What Biomec writes, each in two versions, and how to tell which of them lies in a folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np

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
    """

    name: str
    write: Callable[[Path, int], None]
    found: Callable[[Path], int | None]
    together: bool = False


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


def _of_one_result(write: Callable[[Path, int], None], last: str) -> Callable[[Path], int | None]:
    @cache
    def whole(version: int) -> Disk:
        import tempfile

        with tempfile.TemporaryDirectory() as place:
            write(Path(place), version)
            return disk(Path(place))

    def found(folder: Path) -> int | None:
        there = {name: one for name, one in disk(folder).items() if ".part" not in name and one is not None}
        versions = [{name: one for name, one in whole(version).items() if one is not None} for version in (0, 1)]
        for name, content in there.items():
            assert content in [one.get(name) for one in versions], f"{name} is damaged"
        if f"results/{last}" not in there:
            return None
        assert there in versions, "a mixture of both"
        return versions.index(there)

    return found


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
    Case("tables", _tables, _of_one_result(_tables, "summary.json"), together=True),
    Case("report", _report, _of_one_result(_report, "report.html"), together=True),
    Case("results", _results, _of_one_result(_results, "summary.json"), together=True),
)  # fmt: skip


def temporary_files(folder: Path) -> list[str]:
    """What a save that is over must not leave."""
    with suppress(FileNotFoundError):
        return sorted(name for name in disk(folder) if ".part" in name or name.endswith(".lock"))
    return []
