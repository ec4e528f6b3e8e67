"""Biomec: what a motion-capture laboratory cannot measure, computed from what it can.

A whole-body multibody model in natural coordinates turns recorded markers, force plates and EMG into joint angles,
joint forces and torques, muscle forces and simulations. Everything the desktop program does can be done from this
package.

Inside the library all quantities are in SI units and radians, time is the first axis of every array, and a missing
sample is NaN.

What a notebook needs most is here: `open`, `analyse`, `angles`, `loads`, `muscles`, `contacts`, `open_study`
(`biomec.notebook`). It is loaded when it is first asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

from biomec._version import __version__

if TYPE_CHECKING:
    from biomec.notebook import Curves, analyse, angles, contacts, loads, muscles, open, open_study

__all__ = [
    "Curves", "__version__", "analyse", "angles", "contacts", "loads", "muscles", "open", "open_study",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """What a notebook needs, from its module."""
    if name in __all__:
        return getattr(importlib.import_module("biomec.notebook"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
