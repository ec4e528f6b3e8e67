"""Who may import whom."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT

BLOCKED = ["PySide6", "shiboken6", "vtk", "vtkmodules", "pyqtgraph", "matplotlib", "biomec_app"]

IMPORT_EVERYTHING = f"""
import importlib, pkgutil, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {BLOCKED!r}:
            raise ModuleNotFoundError(f"{{name}} is blocked", name=name)

sys.meta_path.insert(0, Blocker())
try:
    import matplotlib
except ModuleNotFoundError:
    pass
else:
    sys.exit("the blocker does not block")

import biomec
for module in pkgutil.walk_packages(biomec.__path__, "biomec."):
    importlib.import_module(module.name)
    print(module.name)
"""


def test_the_library_imports_without_any_graphics():
    run = subprocess.run([sys.executable, "-c", IMPORT_EVERYTHING], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert {"biomec.cli", "biomec.doctor"} <= set(run.stdout.split())


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Judge the packages under `folder` by the contracts in its pyproject.toml."""
    pytest.importorskip("importlinter")
    roots = os.pathsep.join(str(folder / root) for root in ("core", "app", "resources"))
    script = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", script, "--no-cache"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": roots},
        capture_output=True,
        text=True,
    )


TRUNK = "One trunk, two branches"


def test_the_import_contracts_hold():
    run = lint_imports(ROOT)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("base/system_libraries", "import PySide6", "The library knows no window"),
        ("base/system_libraries", "import biomec.cli", TRUNK),
        ("unheard_of", "import math", TRUNK),
        ("engine/body", "import biomec.recording", TRUNK),
        ("machines/motion", "import biomec.body", TRUNK),
        ("machines/motion", "import biomec.signals", "Machines stand on the engine alone"),
    ],
    ids=[
        "Qt in the library",
        "a folder that looks up",
        "a folder without a place",
        "people in the engine",
        "people in machines",
        "recordings in machines",
    ],
)
def test_a_broken_contract_is_noticed(module, line, contract, tmp_path):
    for folder in ("core", "app", "resources"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / "core" / "biomec" / f"{module}.py").open("a", encoding="utf-8") as source:
        source.write(f"\n{line}\n")
    run = lint_imports(tmp_path)
    assert run.returncode == 1, run.stdout + run.stderr
    assert any(contract in said and "BROKEN" in said for said in run.stdout.splitlines()), run.stdout
