"""Set up the environment of a source checkout: `python3 installer/environment.py --extras app,test`.

This is what `make` calls. It needs Python, and is not an installer for people without it; there is none yet.

It creates a virtual environment with Biomec installed from this folder, and installs the system libraries that Qt and
VTK load, if it runs as root or sudo needs no password. Otherwise it prints the command to type and carries on. It uses
only the standard library.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  this script is the first thing an older Python meets
    sys.exit(
        "Biomec needs Python 3.11 or newer, and this is Python {}.{}. Install a newer one and say which, for example: "
        "make run PYTHON=python3.12".format(*sys.version_info[:2])  # no f-string: an old Python must understand it
    )

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "core"))

from biomec.base.system_libraries import (  # noqa: E402  found through the line above
    BROWSING,
    COMPARING,
    DRAWING,
    SCREEN,
    TESTING,
    apt_command,
    missing_packages,
)


class Refused(Exception):
    """Something that only the person at the keyboard can put right; the message says what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make or renew the environment and return the exit code: 0 when it can be used."""
    parser = argparse.ArgumentParser(description="Make the environment of this checkout.")
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", help="where (default: %(default)s)")
    parser.add_argument("--extras", default="app", help="optional parts, separated by commas (default: %(default)s)")
    parser.add_argument("--stamp", type=Path, help="file to touch when all is done")
    options = parser.parse_args(arguments)
    try:
        ensure_venv(options.venv)
        install_biomec(options.venv, options.extras)
        ensure_system_libraries(options.extras)
    except Refused as refusal:
        print(f"\n{refusal}", file=sys.stderr)
        return 1
    if options.stamp:
        options.stamp.touch()
    return 0


def ensure_venv(folder: Path) -> None:
    """Make the virtual environment unless a working one of this Python is there."""
    if _works(folder):
        return
    if importlib.util.find_spec("ensurepip") is None and not apt_install(["python3-venv"]):
        raise Refused(
            "This Python cannot make virtual environments, because its venv package is missing. "
            f"Install it and try again: {apt_command(['python3-venv'])}"
        )
    print(f"Making the environment in {folder.name} with Python {sys.version_info.major}.{sys.version_info.minor} ...")
    # In a process of its own: an ensurepip that was installed a moment ago is not seen by this one.
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)


def install_biomec(folder: Path, extras: str) -> None:
    """Install this checkout, editable, with its optional parts. The whole conversation goes to a log in `folder`."""
    print(f"Installing the Python packages of Biomec ({extras}); the first time takes some minutes ...", flush=True)
    command = [str(_python(folder)), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += ["--editable", f"{ROOT}[{extras}]"]
    log = folder / "install.log"
    with log.open("w", encoding="utf-8") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode
    if code != 0:
        raise Refused(
            f"The Python packages could not be installed. The end of {log} says:\n\n"
            f"{last_words(log.read_text(encoding='utf-8', errors='replace'))}\n\n"
            "Check the network connection and the free space on the disk, and try again."
        )


def ensure_system_libraries(extras: str) -> None:
    """Install the shared libraries that the optional parts need, or say how; only inform about those for a screen."""
    parts = extras.split(",")
    needed = missing_packages(DRAWING) + (missing_packages(COMPARING) if "oracles" in parts else [])
    if needed and not apt_install(needed):
        print(advice("Qt, VTK or the engines to compare with cannot start yet", needed))
    tested = missing_packages(TESTING) if "test" in parts else []
    if tested and not apt_install(tested):
        print(advice("Tests of the window on a screen in memory will be left out", tested))
    browser = missing_packages(BROWSING) if "test" in parts else []
    if browser and not apt_install(browser):
        print(advice("The test of reports in a browser will be left out", browser))
    wished = missing_packages(SCREEN)
    if wished and os.environ.get("DISPLAY"):
        print(advice("Windows on this screen may not open yet", wished))


def advice(trouble: str, packages: Sequence[str]) -> str:
    """The sentence for someone who has to install system packages by hand."""
    return f"{trouble}: libraries of the system are missing. On Debian or Ubuntu type: {apt_command(packages)}"


def apt_install(packages: Sequence[str]) -> bool:
    """Install Debian packages if that is permitted without asking; whether it was done."""
    prefix = apt_prefix()
    if prefix is None:
        return False
    print(f"Installing system packages: {' '.join(packages)} ...", flush=True)
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    for command in (["apt-get", "update", "-qq"], install):
        if _run_quietly([*prefix, "env", "DEBIAN_FRONTEND=noninteractive", *command]) != 0 and command is install:
            return False
    return True


def apt_prefix() -> list[str] | None:
    """What to put before apt-get so that it may install: nothing as root, sudo where it asks nothing, else None."""
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and _run_quietly(["sudo", "-n", "true"]) == 0:
        return ["sudo", "-n"]
    return None


def last_words(log: str, lines: int = 12) -> str:
    """The end of an installer's log, without warnings and addresses."""
    kept = [line for line in log.splitlines() if line.strip() and not line.startswith("WARNING")]
    return "\n".join(re.sub(r"\b(?:https?|file)://\S+", "<address>", line) for line in kept[-lines:])


def _run_quietly(command: Sequence[str]) -> int:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def _works(folder: Path) -> bool:
    """Whether `folder` holds an environment of the running Python's version with pip in it."""
    python = _python(folder)
    question = "import sys, pip; print('%d.%d' % sys.version_info[:2])"
    if not python.exists():
        return False
    answer = subprocess.run([str(python), "-c", question], capture_output=True, text=True)
    return answer.stdout.strip() == f"{sys.version_info.major}.{sys.version_info.minor}"


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


if __name__ == "__main__":
    sys.exit(main())
