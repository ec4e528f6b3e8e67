"""Biomec: what a motion-capture laboratory cannot measure, computed from what it can.

A whole-body multibody model in natural coordinates turns recorded markers, force plates and EMG into joint angles,
joint forces and torques, muscle forces and simulations. Everything the desktop program does can be done from this
package.

Inside the library all quantities are in SI units and radians, time is the first axis of every array, and a missing
sample is NaN.
"""

from biomec._version import __version__

__all__ = ["__version__"]
