"""C3D, the format of motion-capture laboratories [C3D2021]: points, analog channels, plates, events."""

from biomec.io.c3d.reader import read_c3d
from biomec.io.c3d.writer import write_c3d

__all__ = ["read_c3d", "write_c3d"]
