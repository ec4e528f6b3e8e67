"""What was done in the window as a Python script that does it again: from the file on the disk to the same numbers."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from biomec._version import __version__
from biomec.base.errors import BiomecError
from biomec.base.fields import named_files
from biomec.base.plain_text import comment
from biomec.pipeline.analysis import STEPS, Analysis
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Authority

HOMES = (
    "dataclasses",
    "datetime",
    "pathlib",
    "biomec.io",
    "biomec.io.project",
    "biomec.io.evidence",
    "biomec.io.session_import",
    "biomec.recording",
    "biomec.recording.label_map",
    "biomec.signals",
    "biomec.body.anatomy.ellipsoids",
    "biomec.body.anatomy.inertia",
    "biomec.body.anatomy.subject_model",
    "biomec.body.kinematics.consistency_options",
    "biomec.body.kinematics.joint_angles",
    "biomec.body.kinematics.weights",
    "biomec.engine.position",
    "biomec.body.loads.options",
    "biomec.body.loads.residual_reduction",
    "biomec.body.loads.mass_adjustment",
    "biomec.body.loads.motion_correction",
    "biomec.engine.forward.formulation",
    "biomec.body.tracking.what_if",
    "biomec.pipeline.settings",
    "biomec.pipeline.analysis",
    "biomec.pipeline.notes",
    "biomec.reporting.statistics.conditions",
    "biomec.pipeline.functional",
    "biomec.reporting.files.analysis_files",
    "biomec.pipeline.reopen",
    "biomec.pipeline.simulation",
    "biomec.pipeline.simulation_settings",
)
"""Modules whose names lines of a history may use; the first that has a name gives it."""


_RUN = re.compile(r"\.run(?:_until)?\(\"(\w+)\"")


def run_line(analysis: Analysis) -> str:
    """Line that runs an analysis as far as this one is up to date; empty where no step is."""
    reached = next((step.name for step in reversed(STEPS) if analysis.is_current(step.name)), "")
    return f'analysis = analysis.run_until("{reached}")' if reached else ""


def script(analysis: Analysis, lines: Iterable[str], project: Path | None = None, folder: Path | None = None) -> str:
    """Python script of a history.

    lines   : what was done since the recording was opened; ``analysis`` is the name of the analysis in them
    project : project file that was opened, if it was one
    folder  : where the imported files lie; their names are known from the session

    Where no line makes the analysis itself, the script opens the project or imports the files again; and where no line
    runs them, it runs the steps whose results are current.
    """
    body = [line.rstrip() for line in lines if line.strip()]
    if not any(_makes(line, "analysis") for line in body):
        body = [*_opening(analysis, project, folder), *body]
    names = [step.name for step in STEPS]
    current = [name for name in names if analysis.is_current(name)]
    run = [names.index(name) for line in body for name in _RUN.findall(line) if name in names]
    if current and not any("run_all(" in line for line in body) and max(run, default=-1) < names.index(current[-1]):
        body.append(f'analysis = analysis.run_until("{current[-1]}")')
    imports = _imports(body)
    head = "# " + comment(f"Made by Biomec {__version__} from the history of {analysis.session.dynamic.source.name}.")
    text = "\n".join([head, "", *imports, "", *body]) + "\n"
    ast.parse(text)  # a line that is not valid Python is a mistake of ours, and is found here rather than by the user
    return text


def settings_line(before: AnalysisSettings, after: AnalysisSettings) -> str:
    """Line that changes settings as a dialog did: only what differs is named."""
    changed = _difference("analysis.settings", before, after)
    return f"analysis = analysis.with_settings({changed})"


def python_text(value: Any) -> str:
    """Python expression of a setting: plain data, dates, paths, enumerations, arrays and frozen dataclasses.

    Fields of a dataclass that have their default are left out.
    """
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if is_dataclass(value) and not isinstance(value, type):
        parts = []
        for field in fields(value):
            mine = getattr(value, field.name)
            if field.init and not _same(mine, _default(field)):
                parts.append(f"{field.name}={python_text(mine)}")
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, np.ndarray):
        return python_text(value.tolist())
    if isinstance(value, np.generic):
        return python_text(value.item())
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{python_text(k)}: {python_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(python_text(item) for item in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    if isinstance(value, float) and not np.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, Path):
        return f"Path({str(value)!r})"
    if isinstance(value, date):
        return f"date({value.year}, {value.month}, {value.day})"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    raise BiomecError(f"A {type(value).__name__} cannot be written as a line of Python.")


# ------------------------------------------------------------------------------------------------------------- opening
def _opening(analysis: Analysis, project: Path | None, folder: Path | None) -> list[str]:
    session = analysis.session
    if project is not None:
        more = ", files=True" if named_files(analysis.settings) else ""
        return [f"analysis = open_again(load_project({str(project)!r}){more})"]
    place = Path() if folder is None else folder
    files: Mapping[str, str] = {"dynamic": session.dynamic.source.name}
    for record in session.provenance:
        if record.step == "import":
            files = record.settings.get("files", files)
    given = [repr(str(place / files["dynamic"]))]
    for kind in ("static", "plates", "emg"):
        given.append(f"{kind}={str(place / files[kind])!r}" if kind in files else f"{kind}=SKIP")
    given.append(f"subject={python_text(session.subject)}")
    if session.recorded is not None:
        given.append(f"recorded={python_text(session.recorded)}")
    if session.emg_alignment is not None:
        given.append(f"saved_frames={python_text(session.emg_alignment)}")
    axes = session.dynamic.axes
    if Authority.USER in (axes.authority, axes.forward_authority):
        given.append(f"axes={python_text(axes)}")
    parts = "".join(f"    {part},\n" for part in given)
    chosen = "" if analysis.settings == AnalysisSettings() else f", {python_text(analysis.settings)}"
    return [f"session = import_session(\n{parts})", f"analysis = Analysis(session{chosen})"]


def _makes(line: str, name: str) -> bool:
    """Whether a line makes a variable without using its older value."""
    try:
        tree = ast.parse(line)
    except SyntaxError:
        return False
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    stores = any(isinstance(node.ctx, ast.Store) for node in names)
    return stores and not any(isinstance(node.ctx, ast.Load) for node in names)


def _imports(lines: list[str]) -> list[str]:
    """Imports of all names that the lines use and do not make."""
    nodes = [node for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.Name)]
    made = {node.id for node in nodes if isinstance(node.ctx, ast.Store)} | set(dir(builtins))
    wanted: dict[str, list[str]] = {}
    for name in sorted({node.id for node in nodes} - made):
        home = next((home for home in HOMES if _offers(home, name)), None)
        if home is None and name != "analysis":
            raise BiomecError(f"The history uses {name}, which no part of Biomec is known to have.")
        if home is not None:
            wanted.setdefault(home, []).append(name)
    return [f"from {home} import {', '.join(names)}" for home, names in sorted(wanted.items())]


def _offers(home: str, name: str) -> bool:
    """Whether a module makes a name, or passes it on as its own."""
    module = import_module(home)
    found = getattr(module, name, None)
    return name in getattr(module, "__all__", ()) or (found is not None and getattr(found, "__module__", home) == home)


# ------------------------------------------------------------------------------------------------------------ settings
def _default(field: Any) -> Any:
    if field.default is not MISSING:
        return field.default
    return field.default_factory() if field.default_factory is not MISSING else MISSING


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return dict(a) == dict(b)
    return type(a) is type(b) and bool(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b)


def _difference(name: str, before: Any, after: Any) -> str:
    """Expression that makes ``after`` of ``before``, which is called ``name``."""
    if not is_dataclass(after) or type(before) is not type(after):
        return python_text(after)
    parts = []
    for field in fields(after):
        old, new = getattr(before, field.name), getattr(after, field.name)
        if not _same(old, new):
            parts.append(f"{field.name}={_difference(f'{name}.{field.name}', old, new)}")
    return f"replace({name}, {', '.join(parts)})" if parts else name
