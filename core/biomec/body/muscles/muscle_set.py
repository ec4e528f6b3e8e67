"""What a set of muscles holds: elements with their parameters and paths, in the body frames of their source.

Left elements are written as right ones and carry their side: a path is mirrored when it is fitted to a person
(theory of muscles §1.3). Lengths in m, forces in N, angles in rad.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice
from biomec.recording.marker_set import Side

FIBRE_LENGTHS_A_SECOND = 10.0  # greatest shortening speed where a source gives none [Zajac1989]


@dataclass(frozen=True, eq=False)
class SetPoint:
    """A point of a path in a body of the source.

    at         : (3,) [m]
    coordinate : source coordinate on which it depends: it takes part only within ``range`` [rad]; empty if always
    curves     : of a moving point, for x, y, z: coordinate and spline rows (`simm_spline`), or None
    """

    body: str
    at: FloatArray
    coordinate: str = ""
    range: tuple[float, float] = (-float("inf"), float("inf"))
    curves: tuple[tuple[str, FloatArray] | None, ...] = (None, None, None)


@dataclass(frozen=True, eq=False)
class Wrap:
    """A surface of a source: kind of `biomec.engine.paths.cords.KINDS`, fixed in a body, sizes in m.

    attitude : (3, 3) columns are its axes in the body
    active   : "" or the side that paths pass, such as "-y"
    """

    name: str
    kind: str
    body: str
    centre: FloatArray
    attitude: FloatArray
    size: tuple[float, ...]
    active: str = ""


@dataclass(frozen=True, eq=False)
class WrapUse:
    """A surface that a muscle may touch between two of its points, counted from 0; −1 is the last.

    side, gives : as in `biomec.engine.paths.cords.Contact`
    """

    wrap: str
    first: int = 0
    last: int = -1
    side: float = 0.0
    gives: bool = False


@dataclass(frozen=True, eq=False)
class BodyMap:
    """Where a body of a source lies in a segment of Biomec: x = R (x_source − origin), right side (theory §1.1).

    segment      : name with a star for the side, such as ``* thigh``
    anchor       : (3,) source point that is laid exactly on ``anchor_point`` of the person; the origins if empty
    reference    : lengths of the source [m] that scaling compares with the person's, by the names of `scaling`
    landmarks    : source points (3,) that are laid on the person's landmarks of these names, without the side
    confidence   : how well the map is known, in words
    """

    body: str
    segment: str
    R: FloatArray
    origin: FloatArray
    anchor: FloatArray
    anchor_point: str = ""
    reference: Mapping[str, float] = field(default_factory=FrozenDict)
    landmarks: Mapping[str, FloatArray] = field(default_factory=FrozenDict)
    confidence: str = ""


@dataclass(frozen=True, eq=False)
class SourceCoordinate:
    """An angle of a source: sign · component of the sequence of the distal in the proximal source body, right side."""

    name: str
    proximal: str
    distal: str
    sequence: str
    component: int
    sign: float = 1.0


@dataclass(frozen=True, eq=False)
class MuscleSource:
    """The model that muscles come from: its frames, surfaces, coordinates, and who is to be named for its numbers.

    name         : as its frames are filed, such as ``gait2392``
    file         : file of the source, with ``commit``
    licence      : of the numbers; ``credit`` names their authors
    stress       : force per physiological cross-section [N/m²], only to show areas; NaN if unknown
    chain        : tables of its own joints and constraints, as read, for `shadow`
    """

    name: str
    title: str
    file: str
    commit: str
    licence: str
    credit: str
    stress: float
    maps: Mapping[str, BodyMap]
    coordinates: Mapping[str, SourceCoordinate]
    wraps: Mapping[str, Wrap]
    chain: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Muscle:
    """One element.

    name       : unique in its set, such as ``soleus_r``; the side is its ending
    title      : for people, without the side, such as "gluteus medius, anterior part"
    group      : the whole muscle it is a part of, such as "gluteus medius"
    fmax       : greatest isometric force [N]
    lopt, lts  : optimal fibre length and slack length of the tendon [m]
    pennation  : at the optimal fibre length [rad]
    vmax       : greatest shortening speed [lopt/s]
    curve      : constants of its force curves in the source, by their names there
    region     : part of the body, such as "leg"
    """

    name: str
    title: str
    group: str
    region: str
    side: Side | None
    source: MuscleSource
    fmax: float
    lopt: float
    lts: float
    pennation: float
    vmax: float
    points: tuple[SetPoint, ...]
    wraps: tuple[WrapUse, ...] = ()
    curve: Mapping[str, float] = field(default_factory=FrozenDict)

    @property
    def sided_title(self) -> str:
        """Title with the side, such as "right soleus"."""
        return f"{self.side.value} {self.title}" if self.side else self.title

    @property
    def area(self) -> float:
        """Physiological cross-section [m²], Fmax over the stress of its source: for display; NaN if that is unknown."""
        return self.fmax / self.source.stress


@dataclass(frozen=True, eq=False)
class MuscleSet:
    """Muscles of one or several sources, right and left, with names that are unique.

    notices : what a user should know about it, such as the elements that its sign screen flags
    """

    name: str
    title: str
    muscles: tuple[Muscle, ...]
    notices: tuple[Notice, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all elements."""
        return tuple(muscle.name for muscle in self.muscles)

    @property
    def sources(self) -> tuple[MuscleSource, ...]:
        """Sources of the elements, each once."""
        return tuple({muscle.source.name: muscle.source for muscle in self.muscles}.values())

    @property
    def groups(self) -> tuple[str, ...]:
        """Groups in their order, each once."""
        return tuple(dict.fromkeys(muscle.group for muscle in self.muscles))

    def __getitem__(self, name: str) -> Muscle:
        for muscle in self.muscles:
            if muscle.name == name:
                return muscle
        raise BiomecError(f"The muscle set {self.title} has no muscle {name}; there are {', '.join(self.names)}.")
