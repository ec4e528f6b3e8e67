"""How the three families of processors that wrote C3D files store numbers."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Processor(Enum):
    """Byte 4 of the parameter section says whose numbers these are."""

    INTEL = 84
    DEC = 85
    MIPS = 86

    @property
    def integer(self) -> np.dtype[Any]:
        """16-bit signed integers."""
        return np.dtype(">i2" if self is Processor.MIPS else "<i2")

    def reals(self, data: bytes | memoryview) -> NDArray[np.float32]:
        """Single-precision numbers of a stretch of bytes, whose length is a multiple of four.

        A DEC number has its two 16-bit words exchanged and an exponent that is larger by two, hence the quarter.
        """
        if self is Processor.INTEL:
            return np.frombuffer(data, "<f4")
        if self is Processor.MIPS:
            return np.frombuffer(data, ">f4").astype(np.float32)
        words = np.frombuffer(data, "<u2").reshape(-1, 2)[:, ::-1]
        with np.errstate(all="ignore"):  # what is not a number stays so
            return np.asarray(np.ascontiguousarray(words).view("<f4")[:, 0] * np.float32(0.25))

    def real(self, data: bytes) -> float:
        """One number of four bytes."""
        return float(self.reals(data)[0])
