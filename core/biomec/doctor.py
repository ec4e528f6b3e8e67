"""What is installed, and can it draw? The facts behind `biomec doctor`.

Qt and VTK are tried in a process of their own, because a missing graphics library ends the process instead of raising
an error. What they do there is in `biomec_app.graphics_probe`.
"""

import json
import os
import platform
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib import metadata

from biomec._version import __version__
from biomec.base.system_libraries import DRAWING, apt_command, missing_packages

__all__ = ["Extra", "Package", "Probe", "Report", "examine", "probe"]

PROBES = {"qt": "Qt", "vtk": "VTK"}
PROBE_LIMIT_S = 60.0
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9._-]+)")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")


@dataclass(frozen=True)
class Package:
    """A Python package that Biomec can use; `version` is None when it is not installed."""

    name: str
    version: str | None


@dataclass(frozen=True)
class Extra:
    """An optional part of Biomec and the packages it stands on."""

    name: str
    packages: tuple[Package, ...]

    @property
    def installed(self) -> bool:
        """Whether every package of this part is there."""
        return all(package.version for package in self.packages)


@dataclass(frozen=True)
class Probe:
    """One attempt to draw: did it work, what was seen, and what to do if it did not."""

    name: str
    works: bool
    seen: str
    remedy: str = ""


@dataclass(frozen=True)
class Report:
    """Everything `biomec doctor` says."""

    biomec: str
    python: str
    system: str
    required: tuple[Package, ...]
    extras: tuple[Extra, ...]
    probes: tuple[Probe, ...]  # empty when the desktop part is not installed

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence for each thing that is broken, with its remedy. Optional parts left out are not a problem."""
        absent = [package.name for package in self.required if package.version is None]
        sentences = []
        if absent:
            sentences.append(f"The library needs {', '.join(absent)}. Install again with: pip install biomec")
        sentences += [f"{PROBES[p.name]} cannot draw: {p.seen}. {p.remedy}" for p in self.probes if not p.works]
        return tuple(sentences)

    @property
    def healthy(self) -> bool:
        """Whether all that is installed works."""
        return not self.problems

    def as_json(self) -> str:
        """The report for programs."""
        return json.dumps(asdict(self) | {"healthy": self.healthy, "problems": self.problems}, indent=2)

    def as_text(self) -> str:
        """The report for people."""
        lines = [f"Biomec {self.biomec}, Python {self.python}, {self.system}", "", "Required"]
        lines += [f"  {package.name:<12} {package.version or 'missing'}" for package in self.required]
        lines += ["", "Optional parts"]
        for extra in self.extras:
            if extra.installed:
                state = ", ".join(f"{package.name} {package.version}" for package in extra.packages)
            else:
                state = f'not installed; to add it: pip install "biomec[{extra.name}]"'
            lines.append(f"  {extra.name:<12} {state}")
        lines += ["", "Drawing"]
        lines += [f"  {PROBES[p.name]:<12} {'works' if p.works else 'does not work'}: {p.seen}" for p in self.probes]
        if not self.probes:
            lines.append("  not tried, because the part `app` is not installed")
        lines += ["", *(self.problems or ("Everything that is installed works.",))]
        return "\n".join(lines)


def examine() -> Report:
    """Look at this installation."""
    required, extras = _declared_packages()
    app_installed = any(extra.name == "app" and extra.installed for extra in extras)
    return Report(
        biomec=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        required=required,
        extras=extras,
        probes=tuple(probe(name) for name in PROBES) if app_installed else (),
    )


def probe(name: str, limit_s: float = PROBE_LIMIT_S) -> Probe:
    """Draw a small picture with "qt" or "vtk", without a screen, in a process of its own [limit_s in s]."""
    command = [sys.executable, "-m", "biomec_app.graphics_probe", name]
    environment = {"QT_QPA_PLATFORM": "offscreen"}
    if sys.platform.startswith("linux"):
        environment["VTK_DEFAULT_OPENGL_WINDOW"] = "vtkEGLRenderWindow"
    try:
        run = subprocess.run(command, env=environment | os.environ, capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        return Probe(name, False, f"no picture after {limit_s:.0f} s", _remedy())
    if run.returncode == 0:
        return Probe(name, True, run.stdout.strip())
    if run.returncode < 0:
        return Probe(name, False, f"the process died with signal {-run.returncode}", _remedy())
    last_words = (run.stderr.strip() or run.stdout.strip() or f"exit code {run.returncode}").splitlines()[-1]
    return Probe(name, False, last_words.rstrip("."), _remedy())


def _remedy() -> str:
    packages = missing_packages(DRAWING)
    if packages:
        return f"Libraries of the system are missing. On Debian or Ubuntu: {apt_command(packages)}"
    return "No library of the system is missing; a Python package may be broken. Install Biomec in a new environment."


def _declared_packages() -> tuple[tuple[Package, ...], tuple[Extra, ...]]:
    """The packages that the installed Biomec asks for: the required ones, and those of each optional part."""
    try:
        requirements = metadata.requires("biomec") or []
    except metadata.PackageNotFoundError:  # run from the source tree without installing
        return (), ()
    groups: dict[str, list[Package]] = {}
    for requirement in requirements:
        name, extra = _REQUIREMENT.match(requirement), _EXTRA.search(requirement)
        assert name is not None, requirement
        groups.setdefault(extra[1] if extra else "", []).append(Package(name[1], _version_of(name[1])))
    required = tuple(groups.pop("", []))
    return required, tuple(Extra(name, tuple(packages)) for name, packages in sorted(groups.items()))


def _version_of(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
