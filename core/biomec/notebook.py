"""The few functions that a notebook needs: open a recording, analyse it, take its curves; open a study.

They are attributes of the package itself: ``import biomec; biomec.open("walk.c3d")``. Everything else is a module away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.base.toml_table import did_you_mean
from biomec.io.project import load_project
from biomec.io.registry import PROJECT, find_format
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import KINEMATICS, Analysis, run_first
from biomec.pipeline.reopen import open_again
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Session, Subject
from biomec.study.study import Study
from biomec.study.study import open_study as _open_study
from biomec.study.trial_tables import curves_of, cycles_of

__all__ = ["Curves", "analyse", "angles", "contacts", "loads", "muscles", "open", "open_study"]


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves of one analysis over its frames; arrays are read-only, missing samples NaN.

    time_s : (T,) from the start of the recording;  names, units : (C,)
    values : (T, C) in those units: degrees, N and N m or as the settings show loads
    """

    time_s: FloatArray
    names: tuple[str, ...]
    units: tuple[str, ...]
    values: FloatArray
    _cycles: Callable[[], dict[str, FloatArray]] = field(repr=False)

    def __getitem__(self, name: str) -> FloatArray:
        """(T,) one curve, by its name."""
        if name not in self.names:
            raise BiomecError(f"There is no curve {name}{did_you_mean(name, self.names)}")
        return self.values[:, self.names.index(name)]

    def matching(self, *words: str) -> Curves:
        """Only the curves with one of these words in their names."""
        places = [c for c, name in enumerate(self.names) if any(word.casefold() in name.casefold() for word in words)]
        if not places:
            raise BiomecError(f"No curve has {' or '.join(words)} in its name. There are {', '.join(self.names)}.")

        def cycles() -> dict[str, FloatArray]:
            return {side: read_only(curves[:, :, places]) for side, curves in self._cycles().items()}

        names, units = (tuple(some[c] for c in places) for some in (self.names, self.units))
        return Curves(self.time_s, names, units, read_only(self.values[:, places]), cycles)

    def cycles(self) -> dict[str, FloatArray]:
        """Side ("right", "left" or "both") -> (K, 101, C) its valid cycles, 0 to 100 %; NaN where one does not count.

        They are what the tables of a study hold: loads need a ground reaction that was measured throughout.
        """
        return self._cycles()


def open(path: Path | str, *, static: Path | str | None = None, subject: Subject | None = None) -> Session:
    """Read a recording with the static, plates and EMG beside it, or a project.

    static  : file of the static, if it is not the one that is found beside the recording
    subject : what is known of the person: sex, mass [kg], height [m], birth date
    """
    path = Path(path)
    if find_format(path)[0].name == PROJECT:
        return load_project(path)
    return import_session(path, static=None if static is None else Path(static), subject=subject)


def analyse(
    recording: Session | Path | str,
    settings: AnalysisSettings | None = None,
    *,
    muscles: bool = False,
    progress: Progress | None = None,
) -> Analysis:
    """Analyse a recording: angles and cycles; loads where there are plates; with ``muscles``, muscle forces too.

    settings : of the analysis; a project keeps its own, if none are given
    progress : takes the share that is done; what it raises stops the analysis
    """
    session = recording if isinstance(recording, Session) else open(recording)
    analysis = open_again(session) if settings is None and session.settings else Analysis(
        session, settings or AnalysisSettings()
    )  # fmt: skip
    last = "muscles" if muscles else "loads" if session.dynamic.plates else KINEMATICS
    return analysis.run_until(last, progress)


def angles(analysis: Analysis) -> Curves:
    """Joint angles [deg]."""
    return _table(analysis, "angles", "angles")


def loads(analysis: Analysis) -> Curves:
    """Joint forces and moments, as the settings show loads."""
    return _table(analysis, "loads", "loads")


def muscles(analysis: Analysis) -> Curves:
    """Activation [1] and force [N] of every muscle."""
    return _table(analysis, "muscles", "muscles")


def contacts(analysis: Analysis) -> Curves:
    """Contact force of every joint, and its joint force without muscles [N]."""
    return _table(analysis, "contacts", "muscles")


def open_study(path: Path | str, results: Path | None = None) -> Study:
    """The study of a folder: trials with their states; see `biomec.study` for batch, tables, comparison and report."""
    return _open_study(path, results)


def _table(analysis: Analysis, name: str, step: str) -> Curves:
    if step not in analysis.done:
        raise BiomecError(run_first(step))
    curves = dict(curves_of(analysis))[name]

    def cycles() -> dict[str, FloatArray]:
        return {side.lower(): read_only(some.curves) for side, _, some in cycles_of(analysis, curves)}

    return Curves(_time_s(analysis), curves.names, curves.units, read_only(curves.values), cycles)


def _time_s(analysis: Analysis) -> FloatArray:
    return read_only(np.asarray(analysis.signals.trial.time_s, dtype=np.float64))
