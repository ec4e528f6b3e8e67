"""The window from the command line: `biomec`, `biomec FILE…`, `biomec --screenshot OUT.png [FILE]`."""

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from biomec.base.errors import BiomecError
from biomec.base.garbage import without_search

SCREENSHOT = "--screenshot"
EXTENSIONS, NO_EXTENSIONS = "--extensions", "--no-extensions"


def asked_for(arguments: Sequence[str], commands: Sequence[str]) -> bool:
    """Whether the arguments open the window instead of naming a command."""
    arguments = _without_switches(arguments)
    if not arguments:
        return True
    return arguments[0] == SCREENSHOT or not (arguments[0] in commands or arguments[0].startswith("-"))


def open_window(arguments: Sequence[str]) -> int:
    """Open the window, or draw it into a picture, where extensions run only if they are asked for."""
    extensions, refused = EXTENSIONS in arguments, NO_EXTENSIONS in arguments
    arguments = _without_switches(arguments)
    if arguments and arguments[0] == SCREENSHOT:
        if not 2 <= len(arguments) <= 3:
            raise BiomecError(f"Give the picture and perhaps a recording: biomec {SCREENSHOT} OUT.png [FILE]")
        without_screen()
        program().screenshot(
            Path(arguments[1]),
            Path(arguments[2]) if len(arguments) == 3 else None,
            extensions=extensions and not refused,
        )
        return 0
    files = [Path(argument) for argument in arguments]
    for file in files:
        if not file.exists():
            command = "command or " if file is files[0] else ""
            raise BiomecError(f"{file}: there is no such {command}file. For the commands: biomec --help")
    if not has_screen():
        raise BiomecError(
            "There is no screen to show the window on. Use the commands (biomec --help), or draw it into a picture: "
            f"biomec {SCREENSHOT} OUT.png [FILE]"
        )
    return int(program().run(*files, extensions=not refused))


def show_demo(extensions: bool = True) -> int:
    """Open the window on the demonstration."""
    return int(program().run(demo=True, extensions=extensions))


def _without_switches(arguments: Sequence[str]) -> list[str]:
    return [argument for argument in arguments if argument not in (EXTENSIONS, NO_EXTENSIONS)]


def has_screen() -> bool:
    """Whether a window can be shown here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def without_screen() -> None:
    """Let Qt and VTK draw without a screen."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if sys.platform.startswith("linux"):
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")


def program() -> ModuleType:
    """The desktop program; a sentence if it is not installed."""
    # By name, at run time: the library does not depend on the desktop program.
    try:
        with without_search():  # 0.25 of 1.55 s
            return importlib.import_module("biomec_app.shell.main")
    except ImportError as error:
        raise BiomecError(
            f"The window cannot open, because the desktop part of Biomec cannot be loaded ({error}). Install it with "
            f'pip install "biomec[app]"; biomec doctor says what is missing.'
        ) from error
