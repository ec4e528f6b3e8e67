"""Forces of gliding contacts in numbers, and what they change in the joints."""

from __future__ import annotations

from dataclasses import dataclass

from biomec.base.arrays import BoolArray


@dataclass(frozen=True, eq=False)
class ContactLoad:
    """One contact over the frames with a motion, its ends left out; forces along the normal, pressing is positive [N].

    mean, highest, lowest : NaN without a frame
    pulls : (T,) frames in which the ribs would have to pull; read-only
    share : of the frames in which they would
    worst : first and last frame of the stretch of them that holds the largest pull; None if there is none
    """

    contact: str
    mean: float
    highest: float
    lowest: float
    pulls: BoolArray
    share: float
    worst: tuple[int, int] | None


@dataclass(frozen=True)
class ContactEffect:
    """Mean size of a joint's force over the same frames [N], with the contacts and without them."""

    joint: str
    force: float
    force_without: float
