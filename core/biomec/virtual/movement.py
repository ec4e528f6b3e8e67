"""What a movement is to the virtual laboratory: something that a person's skeleton performs at given times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.body.loads.ground_reaction import SharedContact
from biomec.recording import Event
from biomec.virtual.jets import Jet
from biomec.virtual.skeleton import Placed, Skeleton

SIDES = {"right": ("D", 1.0), "left": ("E", -1.0)}


@dataclass(frozen=True, eq=False)
class PlatePlace:
    """A force plate in the floor: its name and its four corners (4, 3) [m], counter-clockwise seen from above."""

    name: str
    corners: FloatArray

    @classmethod
    def rectangle(cls, name: str, centre: tuple[float, float], size: tuple[float, float]) -> PlatePlace:
        """Plate in the floor Y = 0; ``centre`` and ``size`` along X and Z."""
        (x, z), (length, width) = centre, size
        around = ((-0.5, 0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, -0.5))
        return cls(name, np.array([(x + a * length, 0.0, z + b * width) for a, b in around]))


@dataclass(frozen=True, eq=False)
class Performance:
    """A movement as performed: where everything is at every time, and what touches the ground.

    time_s   : (T,)
    placed   : segment -> where it is
    contacts : hands and feet that may bear load
    plates   : force plates in the floor, and ``borne_by`` contact -> plate that it presses on
    efforts  : muscle group and side (``triceps_D``) -> (T,) activity from 0 to 1, for the EMG
    events   : what a laboratory would mark
    """

    time_s: FloatArray
    placed: Mapping[str, Placed]
    contacts: tuple[SharedContact, ...]
    plates: tuple[PlatePlace, ...]
    borne_by: Mapping[str, str]
    efforts: Mapping[str, FloatArray] = field(default_factory=dict)
    events: tuple[Event, ...] = ()

    def __post_init__(self) -> None:
        for name in ("placed", "borne_by", "efforts"):
            object.__setattr__(self, name, FrozenDict(dict(getattr(self, name))))


class Movement(Protocol):
    """A movement that a skeleton can perform."""

    @property
    def name(self) -> str:
        """Word for the file's name."""

    @property
    def duration_s(self) -> float:
        """How long it takes [s]."""

    @property
    def sharp(self) -> bool:
        """True if forces change too fast to be interpolated between frames, as when a foot strikes the ground."""

    @property
    def model(self) -> str:
        """Body model of who performs it."""

    @property
    def marker_set(self) -> str:
        """Marker set from which that model is built."""

    def perform(self, skeleton: Skeleton, time_s: FloatArray) -> Performance:
        """Perform it at these times (T,) [s]."""


class WholeBody:
    """A movement of the 21-segment model."""

    model: ClassVar[str] = "m21"
    marker_set: ClassVar[str] = "biomec-full"


class RepeatedMovement(WholeBody):
    """Cycles of equal length between two leads, in which forces change slowly."""

    cycles: int
    cycle_s: float
    lead_s: float
    sharp = False

    @property
    def duration_s(self) -> float:
        """Cycles and leads [s]."""
        return self.cycles * self.cycle_s + 2.0 * self.lead_s


def positive(what: str, **values: float) -> None:
    """Refuse settings of a movement that are not positive numbers."""
    for name, value in values.items():
        if not 0.0 < value < np.inf:
            raise BiomecError(f"{what}: {name} is {value:g}; it must be a positive number.")


def ground(frames: int) -> Placed:
    """The laboratory as something that other things can be placed on."""
    return Placed(Jet.still(np.broadcast_to(np.eye(3), (frames, 3, 3))), np.zeros(3), Jet.still(np.zeros((frames, 3))))
