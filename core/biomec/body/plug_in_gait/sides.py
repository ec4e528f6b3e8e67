"""The two sides: their letter in landmarks, their word in names, and their sign."""

from __future__ import annotations

from typing import NamedTuple

from biomec.recording.marker_set import Side


class LegSide(NamedTuple):
    """code: of landmarks and measures; vicon: of Vicon's names; sign: s, +1 right and −1 left."""

    code: str
    word: str
    vicon: str
    sign: float
    side: Side

    def name(self, part: str) -> str:
        """``right thigh``."""
        return f"{self.word} {part}"

    def key(self, stem: str) -> str:
        """``knee_width_D``, ``KJC_D``."""
        return f"{stem}_{self.code}"


SIDES = (LegSide("D", "right", "R", 1.0, Side.RIGHT), LegSide("E", "left", "L", -1.0, Side.LEFT))
