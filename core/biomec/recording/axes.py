"""Which way a laboratory's axes point, and how we know.

Biomec computes with X forward, Y up, Z to the right (right-handed). Files come Y-up or Z-up; nothing is turned when a
file is read: the trial says how its axes point and who said so, and `Trial.turned` turns it when that is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError

DIRECTIONS: dict[str, FloatArray] = {
    sign + axis: (1.0 if sign == "+" else -1.0) * np.eye(3)[k] for k, axis in enumerate("xyz") for sign in "+-"
}


class Authority(StrEnum):
    """Whose word a unit or an axis rests on, strongest last."""

    ASSUMED = "assumed"  # the usual value for this kind of file
    EVIDENCE = "evidence"  # deduced from the data
    FILE = "file"  # the file says so
    USER = "user"  # the user says so


@dataclass(frozen=True)
class LabAxes:
    """Directions of the laboratory: which axis points up, and which way the subject faces or walks.

    up, forward       : one of +x −x +y −y +z −z, written ``+z``, ``-x``
    authority         : whose word ``up`` rests on
    forward_authority : whose word ``forward`` rests on; files hardly ever say it
    """

    up: str = "+y"
    forward: str = "+x"
    authority: Authority = Authority.ASSUMED
    forward_authority: Authority = Authority.ASSUMED

    def __post_init__(self) -> None:
        for name, value in (("up", self.up), ("forward", self.forward)):
            if value not in DIRECTIONS:
                raise BiomecError(f"Axis {name} = {value!r} is not one of {', '.join(DIRECTIONS)}.")
        if self.up[1] == self.forward[1]:
            raise BiomecError(f"The up axis {self.up} and the forward axis {self.forward} must differ.")

    @property
    def up_vector(self) -> FloatArray:
        """Unit vector (3,) against gravity."""
        return DIRECTIONS[self.up].copy()

    @property
    def forward_vector(self) -> FloatArray:
        """Unit vector (3,) of the forward direction."""
        return DIRECTIONS[self.forward].copy()

    def rotation_to(self, other: LabAxes) -> FloatArray:
        """R (3, 3) that turns components in these axes into components in ``other``: x_other = R x_here."""

        def frame(axes: LabAxes) -> FloatArray:
            f, u = axes.forward_vector, axes.up_vector
            return np.stack([f, u, np.cross(f, u)])  # rows: forward, up, right

        return np.asarray(frame(other).T @ frame(self))

    def turn(self, vectors: FloatArray, other: LabAxes) -> FloatArray:
        """Components (..., 3) in these axes written in ``other``; exact, for it only swaps and negates components."""
        R = self.rotation_to(other)
        source = np.abs(R).argmax(axis=1)  # the component here that becomes each component there
        return np.asarray(vectors[..., source] * R[np.arange(3), source])


BIOMEC_AXES = LabAxes("+y", "+x", Authority.USER, Authority.USER)
