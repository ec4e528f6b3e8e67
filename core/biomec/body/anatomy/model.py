"""A body model as data: segments, landmarks, joints, contacts, angles. Read from a TOML file by `model_file`.

A model speaks in canonical landmarks (``C7``, ``AC_D``); a marker set says which of its markers give them. Nothing here
belongs to a person: `subject_model` makes a person's multibody system of a model and a static acquisition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from biomec.base.errors import DescriptionError
from biomec.base.frozen import FrozenDict
from biomec.body.anatomy.frames import Direction, FrameDefinition
from biomec.recording.marker_set import Side

GROUND = "ground"  # stands for the laboratory where an angle names a proximal segment
STANDARD = "standard"  # convention of the angles that are reported unless another one is asked for


@dataclass(frozen=True)
class PointDefinition:
    """A point that is computed from others: the middle of some, or a joint centre by one of several methods.

    A landmark of that name in the recording takes precedence.

    of         : landmarks whose mean it is
    opposite   : (A, B): it lies opposite to A, as far behind B
    beyond     : (A, B): it lies on the line from A through B, ``distance_m`` behind B
    methods    : names in `anatomy.centres.CENTRE_METHODS`, the preferred one first; one is taken if its landmarks exist
    carried_by : landmarks of the segment that it is fixed in. It is then computed once, in the static pose, and moves
                 with them; without any it is computed anew in every frame.
    """

    name: str
    side: Side | None = None
    of: tuple[str, ...] = ()
    opposite: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    carried_by: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()
    distance_m: float = 0.0


@dataclass(frozen=True)
class GivenInertia:
    """Mass of a device, as it was weighed or taken from its drawing, in axes of the part on the right side.

    mass   : [kg]
    com    : (3,) centre of mass from the origin of the frame [m]
    tensor : xx, yy, zz, xy, xz, yz about the centre of mass [kg m²]; off-diagonals are −∫xy dm
    """

    mass: float
    com: tuple[float, ...]
    tensor: tuple[float, ...]


@dataclass(frozen=True)
class SegmentDefinition:
    """A segment: how its frame, its natural coordinates and its inertia follow from landmarks.

    frames  : the preferred one first; one is taken if its landmarks exist
    basis   : two points and two axes, or one point and three axes; the order of the natural coordinates
    points  : further landmarks that are fixed in the segment
    follows : names that marker sets give to the same segment; markers of a segment so called move with it
    inertia : row of the inertia table and its share of that row's mass, or None for a massless segment
    inertia_with : further rows of the table whose mass it carries, such as a pelvis that is one with the trunk
    given   : mass of a device that is a body of its own, in place of a row of the table
    replaces : row of the table that a given mass stands for: a prosthesis; empty for what is worn beside the body
    draw    : lines between landmarks, for pictures
    """

    name: str
    side: Side | None
    frames: tuple[FrameDefinition, ...]
    basis: tuple[str, ...]
    points: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    inertia: tuple[str, float] | None = None
    draw: tuple[tuple[str, ...], ...] = ()
    given: GivenInertia | None = None
    inertia_with: tuple[str, ...] = ()
    replaces: str = ""

    @property
    def sign(self) -> float:
        """−1 on the left side, +1 elsewhere."""
        return -1.0 if self.side is Side.LEFT else 1.0

    @property
    def basic_points(self) -> tuple[str, ...]:
        """Landmarks of the basis."""
        return tuple(name for name in self.basis if name not in ("x", "y", "z"))


@dataclass(frozen=True)
class CompressionAxis:
    """Which way the proximal segment pushes the distal one when the joint is compressed: ± a local axis.

    of   : "proximal" or "distal", whose axis it is
    axis : 0, 1 or 2
    sign : +1 or −1, the side already taken into account
    """

    of: str
    axis: int
    sign: float


@dataclass(frozen=True)
class JointDefinition:
    """A joint. Its axes are local axes (``z``) or directions in terms of landmarks at the static pose.

    type : "spherical", "universal" (axis of the proximal, distal_axis of the distal segment) or "revolute" (axis)
    compression : what tells compression from traction and shear, if the model says so
    """

    name: str
    side: Side | None
    type: str
    proximal: str
    distal: str
    centre: str
    axis: Direction | str | None = None
    distal_axis: Direction | str | None = None
    compression: CompressionAxis | None = None


@dataclass(frozen=True)
class GlidingContact:
    """A point of a segment that glides on an ellipsoid fixed in another segment, given relative to ``origin``."""

    name: str
    side: Side | None
    point: str
    segment: str
    on: str
    origin: str


@dataclass(frozen=True)
class DeviceDefinition:
    """Something rigid that a segment carries and that adds no freedom: a crutch in the hand, a brace on the shank.

    on       : segment that carries it
    frame    : axes in which its mass is given
    points   : landmarks that are fixed in it, such as the tip of a crutch
    body     : counted as a body of its own, which is fixed to the segment; otherwise as a part of the segment
    tip      : point by which it stands on the floor; empty if it does not
    """

    name: str
    side: Side | None
    on: str
    frame: FrameDefinition
    inertia: GivenInertia
    points: tuple[str, ...] = ()
    body: bool = True
    tip: str = ""
    draw: tuple[tuple[str, ...], ...] = ()

    @property
    def sign(self) -> float:
        """−1 on the left side, +1 elsewhere."""
        return -1.0 if self.side is Side.LEFT else 1.0


@dataclass(frozen=True)
class SpringDefinition:
    """A spring and damper of a device.

    kind      : "hinge", about an axis of a joint; "cuff", which holds a landmark of two segments together; "strut",
                along the line between two points
    joint, axis : of a hinge: the joint, and the axis of its proximal segment
    supports    : joint of the person that a hinge helps: the same joint, or that beside a hinge of the device
    first, second : ``segment.point`` of a cuff or strut
    stiffness : [N m/rad] of a hinge, [N/m] of the others
    damping   : [N m s/rad] of a hinge, [N s/m] of the others
    free      : angle [rad] or length [m] without force; None for that of the static pose
    acts      : "both", or "above" or "below" if the spring resists only beyond its free angle or length
    """

    name: str
    side: Side | None
    kind: str
    stiffness: float
    damping: float = 0.0
    free: float | None = None
    acts: str = "both"
    joint: str = ""
    axis: str = "z"
    supports: str = ""
    first: str = ""
    second: str = ""


@dataclass(frozen=True)
class AngleComponent:
    """One angle of a joint: which of the three of its sequence, and which way is positive.

    positive, negative : names of the directions, such as flexion and extension
    index              : 0, 1 or 2: the first, second or third rotation of the sequence
    sign               : +1 or −1, the side already taken into account
    """

    positive: str
    negative: str
    index: int
    sign: float


@dataclass(frozen=True)
class AngleDefinition:
    """Angles of a segment relative to another one, or to the laboratory (``ground``).

    sequence   : "ZXY", "YXZ", "YXY" …, axes of successive rotations; "hinge" measures about the axis of the joint of
                 the same name, from the zero that the sequence ``zero`` gives in the static pose
    convention : STANDARD, or the name of an alternative such as "isb"
    """

    joint: str
    side: Side | None
    proximal: str
    distal: str
    sequence: str
    components: tuple[AngleComponent, ...]
    convention: str = STANDARD
    zero: str = "ZXY"


@dataclass(frozen=True)
class BodyModel:
    """A whole model. Constant data, checked when it is built; patterns of sides are already written out.

    roots : segments that may be the reference of the body, the preferred one first
    lines : ``[[segment]]`` and other tables -> line of the file, for messages
    devices, springs : what segments carry, such as crutches, and what acts between segments
    planar : the body moves in its sagittal plane
    """

    name: str
    title: str
    sources: tuple[str, ...]
    roots: tuple[str, ...]
    points: tuple[PointDefinition, ...]
    segments: tuple[SegmentDefinition, ...]
    joints: tuple[JointDefinition, ...]
    contacts: tuple[GlidingContact, ...] = ()
    angles: tuple[AngleDefinition, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)
    devices: tuple[DeviceDefinition, ...] = ()
    springs: tuple[SpringDefinition, ...] = ()
    planar: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", FrozenDict(dict(self.lines)))

    def segment(self, name: str) -> SegmentDefinition:
        """Return the segment of that name."""
        for segment in self.segments:
            if segment.name == name:
                return segment
        there = ", ".join(segment.name for segment in self.segments)
        raise DescriptionError(f"The model {self.name} has no segment {name}; it has {there}.")

    @property
    def aids(self) -> bool:
        """Whether it has devices, which nobody wears unless somebody says so."""
        return bool(self.devices or self.springs or any(segment.given for segment in self.segments))

    @property
    def conventions(self) -> tuple[str, ...]:
        """Conventions of angles that the model knows, `STANDARD` first."""
        return tuple(dict.fromkeys([STANDARD, *(angle.convention for angle in self.angles)]))
