"""Compiled code: kept on disk, and never older than its sources."""

import subprocess
import sys
from pathlib import Path

import biomec.compiled

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
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("")
    (package / "compiled.py").write_text(Path(biomec.compiled.__file__).read_text())
    head = "from biomec.compiled import compiled\n"
    (package / "callee.py").write_text(f"{head}@compiled\ndef inner(x):\n    return x + {added}\n")
    (package / "caller.py").write_text(
        f"{head}from biomec.callee import inner\n@compiled\ndef outer(x):\n    return 2.0 * inner(x)\n"
    )


def _run(root: Path, cache: Path) -> str:
    command = [sys.executable, "-c", PROGRAM, str(root)]
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
    assert len(list(cache.glob("compiled-*"))) == 2
    assert list(cache.rglob("*.nbi"))


def test_only_the_newest_caches_are_kept(tmp_path):
    for k in range(6):
        (tmp_path / f"compiled-{k}").mkdir()
    current = tmp_path / "compiled-3"
    biomec.compiled._forget_old(tmp_path, current)
    assert current.exists()
    assert len(list(tmp_path.iterdir())) == biomec.compiled.KEPT_CACHES
