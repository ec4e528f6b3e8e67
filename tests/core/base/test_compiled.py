"""Compiled code: kept on disk, and never older than its sources."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import biomec.base.compiled

PROGRAM = """
import shutil, sys
from pathlib import Path
root = Path(sys.argv[1])
sys.path.insert(0, str(root))
from biomec.caller import outer
print(outer(1.0))
"""


def _package(root: Path, added: str) -> None:
    """A small package with the real decorator, and a compiled function that calls one from another file."""
    package = root / "biomec"
    shutil.copytree(Path(biomec.base.compiled.__file__).parent, package / "base", dirs_exist_ok=True)
    (package / "__init__.py").write_text("")
    (package / "base" / "__init__.py").write_text("")
    head = "from biomec.base.compiled import compiled\n"
    (package / "callee.py").write_text(f"{head}@compiled\ndef inner(x):\n    return x + {added}\n")
    (package / "caller.py").write_text(
        f"{head}from biomec.callee import inner\n@compiled\ndef outer(x):\n    return 2.0 * inner(x)\n"
    )


def _run(root: Path, cache: Path, program: str = PROGRAM) -> str:
    command = [sys.executable, "-c", program, str(root)]
    done = subprocess.run(
        command, env={"BIOMEC_CACHE_DIR": str(cache), "PATH": ""}, capture_output=True, text=True, check=True, cwd=root
    )
    return done.stdout.strip()


def test_a_change_in_a_called_file_is_not_missed(tmp_path):
    """Numba's own cache would print 4.0 twice: it looks at the file of the calling function only."""
    cache = tmp_path / "cache"
    _package(tmp_path, "1.0")
    assert _run(tmp_path, cache) == "4.0"
    _package(tmp_path, "10.0")
    assert _run(tmp_path, cache) == "22.0"
    assert len(list(cache.glob("compiled/caller-*"))) == 2
    assert list(cache.rglob("*.nbc"))


def test_what_does_not_depend_on_a_change_is_not_compiled_again(tmp_path):
    cache = tmp_path / "cache"
    _package(tmp_path, "1.0")
    (tmp_path / "biomec" / "caller.py").write_text(
        "from biomec.base.compiled import compiled\nimport biomec.callee\n"
        "@compiled\ndef outer(x):\n    return 2.0 * x\n"
    )
    (tmp_path / "biomec" / "lonely.py").write_text(
        "from biomec.base.compiled import compiled\n@compiled\ndef alone(x):\n    return x\n"
    )
    program = PROGRAM + "from biomec.lonely import alone\nalone(1.0)\n"
    for added in ("1.0", "10.0"):
        head = "from biomec.base.compiled import compiled\n"
        (tmp_path / "biomec" / "callee.py").write_text(f"{head}@compiled\ndef inner(x):\n    return x + {added}\n")
        _run(tmp_path, cache, program)
    assert len(list(cache.glob("compiled/lonely-*"))) == 1
    assert len(list(cache.glob("compiled/caller-*"))) == 2


def test_only_the_newest_caches_of_a_file_are_kept(tmp_path):
    for k in range(9):
        (tmp_path / f"rows-{k}").mkdir()
        (tmp_path / f"normal-{k}").mkdir()
    current = tmp_path / "rows-3"
    biomec.base.compiled._forget_old(tmp_path, current, "rows")
    assert current.exists()
    assert len(list(tmp_path.glob("rows-*"))) == biomec.base.compiled.KEPT_CACHES
    assert len(list(tmp_path.glob("normal-*"))) == 9


def test_no_import_is_overlooked():
    """The quick search for imports finds at least what Python's own parser finds, in every file of the package."""
    package = Path(biomec.base.compiled.__file__).parent
    for file in package.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        parsed = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
        places = [package.joinpath(*node.module.split(".")[1:]) for node in parsed if node.module.startswith("biomec.")]
        wanted = {path for place in places for path in (place.with_suffix(".py"), place / "__init__.py")}
        assert {path for path in wanted if path.is_file()} <= set(biomec.base.compiled._imported(file)), file
