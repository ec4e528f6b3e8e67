"""Shared libraries of the operating system that Qt, VTK and Pinocchio load, and the Debian packages that bring them.

Python packages cannot bring these. On Linux, when one is missing, Qt refuses to start and VTK crashes without a word,
so both the installer and `biomec doctor` look for them first. This module uses the standard library only, because the
installer reads it before anything is installed.
"""

import ctypes
import glob
import sys
from collections.abc import Callable, Iterable

__all__ = ["BROWSING", "COMPARING", "DRAWING", "SCREEN", "TESTING", "apt_command", "is_present", "missing_packages"]

# What is loaded -> the Debian package. A name with a slash is a file pattern: drivers are found by path, not by name.
DRAWING = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "/usr/lib/*/dri/swrast_dri.so": "libgl1-mesa-dri",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
}
"""Needed to draw at all, also without a screen."""

SCREEN = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
"""Needed besides to open a window on an X screen."""


COMPARING = {"libgomp.so.1": "libgomp1"}
"""Needed by the independent engines that the tests compare with (Pinocchio)."""

TESTING = SCREEN | {"/usr/bin/cc": "gcc", "/usr/include/math.h": "libc6-dev", "/usr/bin/Xvfb": "xvfb"}
"""Needed by the tests that compile exported C, and by those that use the window on a screen that is in memory only."""


BROWSING = {"/usr/bin/chromium*": "chromium"}
"""Needed by the test that opens the page that moves in a browser; by itself, because not every system has it."""


def is_present(library: str) -> bool:
    """Whether the system can load `library` (a soname), or has the file when it is a pattern with a slash."""
    if "/" in library:
        return bool(glob.glob(library))
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_packages(table: dict[str, str], present: Callable[[str], bool] = is_present) -> list[str]:
    """Debian packages of the libraries in `table` that are not present, each once, in the order of the table.

    Empty on systems other than Linux, where Qt and VTK bring all they need.
    """
    if not sys.platform.startswith("linux"):
        return []
    return list(dict.fromkeys(package for library, package in table.items() if not present(library)))


def apt_command(packages: Iterable[str]) -> str:
    """The command a person types on Debian or Ubuntu to install `packages`."""
    return "sudo apt-get install --no-install-recommends " + " ".join(packages)
