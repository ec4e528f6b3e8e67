"""A person's multibody system: a body model given lengths, joint centres and masses by a static acquisition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice
from biomec.body.anatomy.availability import Available, Recorded, available_parts, check_model, degenerate_parts
from biomec.body.anatomy.centres import centre_choices
from biomec.body.anatomy.ellipsoids import (
    ContactSurface,
    EllipsoidOptions,
    SurfaceSensitivity,
    contact_surfaces,
    sensitivity,
)
from biomec.body.anatomy.frames import Direction, FixedDirection, FrameDefinition, Points
from biomec.body.anatomy.inertia import REVISED_CENTRES, BodyInertia, InertiaOptions, UnplacedInertia, body_inertia
from biomec.body.anatomy.landmarks import (
    Measures,
    PointPlan,
    believable_centres,
    plan_points,
    points_in_motion,
    recorded_landmarks,
    static_only,
)
from biomec.body.anatomy.measures import known_measures
from biomec.body.anatomy.model import (
    BodyModel,
    DeviceDefinition,
    GlidingContact,
    JointDefinition,
    SegmentDefinition,
    SpringDefinition,
)
from biomec.body.anatomy.model_landmarks import in_words, landmark_pattern
from biomec.body.anatomy.sagittal import SagittalPlane, sagittal_plane
from biomec.body.anatomy.subject_devices import (
    available_springs,
    beside_prostheses,
    cuff_points,
    in_one,
    laid_into,
    passive_joints,
    spring_elements,
    with_devices,
    with_given,
)
from biomec.body.anatomy.subject_notices import about_centres, upside_down
from biomec.engine.body import Body
from biomec.engine.forces.springs import Element
from biomec.engine.joint_kinds import TREE_KINDS
from biomec.engine.joints import Constraint, EllipsoidContact
from biomec.engine.system import System
from biomec.recording import Subject
from biomec.recording.marker_set import MarkerSet, Side


@dataclass(frozen=True)
class ModelOptions:
    """How a person's model is built.

    centres        : point (``CAQ_D``) or pattern (``CAQ_*``) -> method for its joint centre, instead of the model's own
    points         : joint centre (``CAQ_D``) -> where it is in the static pose (3,) [m], such as a functional centre
    axes           : hinge (``right knee``) -> its direction in the static pose (3,), such as a functional axis
    stored_centres : take joint centres that only the static pose holds, computed by its laboratory, before any method
    universal_zero : crossed axes of universal joints stand at exactly 90°, as printed in [Nunes2017]; otherwise they
                     keep the angle of the static pose
    without        : segments to leave out
    """

    centres: Mapping[str, str] = setting(
        factory=dict, label="Joint centres", help="Method for every centre; otherwise the model's own is taken.",
        each=centre_choices)  # fmt: skip
    inertia: InertiaOptions = setting(
        factory=InertiaOptions, label="Masses and inertia",
        help="Table that gives mass, centre of mass and inertia of every segment.")  # fmt: skip
    ellipsoid: EllipsoidOptions = setting(
        factory=EllipsoidOptions, label="Ribcage under the scapulae",
        help="Ellipsoid on which the shoulder blades glide.")  # fmt: skip
    stored_centres: bool = setting(
        True, "Centres of the recording", "Joint centres that the static recording holds replace the model's methods."
    )
    points: Mapping[str, tuple[float, float, float]] = setting(
        factory=dict, label="Functional centres", help="Found in movements made for it; they replace the methods."
    )
    axes: Mapping[str, tuple[float, float, float]] = setting(
        factory=dict, label="Functional axes", help="Axes of hinges found in movements made for it."
    )
    universal_zero: bool = setting(
        False, "Crossed axes at exactly 90°",
        "Universal joints as printed in the source; otherwise they keep the angle of the static pose.")  # fmt: skip
    without: tuple[str, ...] = setting(
        (), "Segments to leave out", "Names with commas between them; what hangs on them drops out too."
    )

    def __post_init__(self) -> None:
        for name in ("centres", "points", "axes"):
            object.__setattr__(self, name, FrozenDict(dict(getattr(self, name))))
        object.__setattr__(self, "without", tuple(self.without))


@dataclass(frozen=True, eq=False)
class SubjectModel:
    """A model of one person.

    system       : bodies named after their segments, joints and scapulothoracic contacts
    static       : all points of the static pose (3,) [m], recorded and computed
    plan         : which method gave each computed point
    frames       : segment -> definition of its frame that was used
    followed     : marker -> segment that it is fixed in, for global optimisation
    inertia      : masses, centres of mass and tensors, with their source
    surfaces     : scapulothoracic contact -> its ellipsoid, with its source
    left_out     : segment of the model -> why it is not in the system
    measures     : what is known of the person; lengths that nobody took were measured on the static pose
    devices      : what segments carry; their masses are in the system
    in_space     : points of the static pose before a planar model laid them into the sagittal plane; else None
    springs      : of devices, and ``elements``, the same as forces of the engine
    """

    model: BodyModel
    system: System
    static: Points
    plan: PointPlan
    frames: Mapping[str, FrameDefinition]
    followed: Mapping[str, str]
    inertia: BodyInertia
    surfaces: Mapping[str, ContactSurface]
    left_out: Mapping[str, str]
    measures: Measures
    marker_set: MarkerSet
    options: ModelOptions
    notices: tuple[Notice, ...]
    devices: tuple[DeviceDefinition, ...] = ()
    springs: tuple[SpringDefinition, ...] = ()
    elements: tuple[Element, ...] = ()
    in_space: Points | None = None

    @property
    def segments(self) -> tuple[SegmentDefinition, ...]:
        """Segments that are in the system, in the order of the coordinates."""
        return tuple(segment for segment in self.model.segments if segment.name in self.system.layout.bodies)

    @property
    def device_kg(self) -> float:
        """Mass of all devices, which is not the person's; a prosthesis is."""
        given = [one.given.mass for one in self.segments if one.given is not None and not one.replaces]
        return sum(given) + sum(device.inertia.mass for device in self.devices)

    @property
    def passive_joints(self) -> tuple[str, ...]:
        """Joints that nobody moves: of devices that cuffs or struts hold to the body."""
        return passive_joints(self.model, self.system, self.springs)

    def points_in_motion(self, markers: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        """Landmarks and computed points (T, 3) [m] of markers (T, 3), in axes X forward, Y up, Z right.

        Those of a planar model lie in the sagittal plane of the movement (`plane_of`).
        """
        points = self._points(markers)
        return sagittal_plane(points).points(points) if self.in_space is not None else points

    def plane_of(self, markers: Mapping[str, FloatArray]) -> SagittalPlane | None:
        """Sagittal plane of a movement of markers (T, 3); None for a model in space."""
        return None if self.in_space is None else sagittal_plane(self._points(markers))

    def _points(self, markers: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        recorded = recorded_landmarks(markers, self.marker_set)
        return self.plan.in_motion(recorded, self.in_space or self.static, self.measures)

    def measured_coordinates(self, points: Points) -> FloatArray:
        """q* (T, n): natural coordinates straight from the points (T, 3) of every frame; NaN where one is missing."""
        parts = []
        for segment in self.segments:
            R_WB = self.frames[segment.name].attitude(points, segment.sign)
            parts += [R_WB[..., "xyz".index(e)] if e in "xyz" else points[e] for e in segment.basis]
        return np.concatenate(parts, axis=-1)

    def attitudes(self, q: FloatArray) -> dict[str, FloatArray]:
        """Segment -> R_WB (..., 3, 3), columns are its axes, in configurations q (..., n)."""
        layout = self.system.layout
        return {
            name: np.stack([layout.local_vector(name, axis)(q) for axis in np.eye(3)], axis=-1)
            for name in layout.bodies
        }

    def joint_axes(self) -> dict[str, FloatArray]:
        """Hinge -> its axis (3,) in the local axes of the proximal segment."""
        found = {}
        for joint in self.model.joints:
            if joint.type == "revolute" and any(one.name == joint.name for one in self.system.constraints):
                given = joint.name in self.options.axes
                name = joint.axis if isinstance(joint.axis, str) and not given else _axis_name(joint)
                found[joint.name] = np.asarray(self.system.layout.bodies[joint.proximal].vectors[name])
        return found

    def points_of(self, q: FloatArray) -> dict[str, FloatArray]:
        """``segment.point`` -> (..., 3) [m], for all points fixed in segments, in configurations q (..., n)."""
        layout = self.system.layout
        return {
            f"{body.name}.{point}": layout.point(f"{body.name}.{point}")(q)
            for body in self.system.bodies
            for point in body.points
        }


def build_subject_model(
    model: BodyModel,
    static_markers: Mapping[str, FloatArray],
    marker_set: MarkerSet,
    subject: Subject,
    options: ModelOptions = ModelOptions(),
    *,
    seen: Iterable[str] | None = None,
    alone: str = "",
) -> SubjectModel:
    """Make a person's multibody system.

    static_markers : marker -> (3,) position in the static pose [m], in axes X forward, Y up, Z right
    seen           : markers that the motion to be analysed shows in some frame, rebuilt ones included; segments that
                     cannot be followed drop out. None: all of the static pose.
    alone          : file of the movement of which a frame stands in for the static pose; empty where there is a static
    """
    recorded = recorded_landmarks(static_markers, marker_set)
    measures, notices = known_measures(subject, recorded)
    given = {name: np.array(point, dtype=np.float64) for name, point in options.points.items()}
    revised = REVISED_CENTRES.get(options.inertia.table)
    stored = static_only(model, static_markers, marker_set, seen)
    recorded = {name: point for name, point in recorded.items() if name not in stored}
    plan = plan_points(model, recorded, measures, options.centres, given, revised)
    if options.stored_centres:
        left = {name: p for name, p in stored.items() if not {name, landmark_pattern(name)} & options.centres.keys()}
        taken, judged = believable_centres(left, plan.at_static(recorded, measures), in_words(marker_set))
        notices += judged
        plan = plan_points(model, recorded, measures, options.centres, {**taken, **given}, revised)
    static = {name: read_only(point) for name, point in plan.at_static(recorded, measures).items()}
    motion = points_in_motion(plan, static, static_markers, marker_set, seen, measures)
    in_space = static
    static = sagittal_plane(static).points(static) if model.planar else static
    words = in_words(marker_set)
    _check_axes(model, options.axes)
    parts, inertia = _buildable(model, static, in_space, set(motion), plan, measures, options, words)
    if not options.without:
        notices += check_model(model, parts, Recorded(static_markers, marker_set, subject, seen, alone), words)
    inertia = in_one(inertia, parts.segments)
    inertia, more = beside_prostheses(inertia, model, measures)
    notices += more
    inertia = with_given(inertia, parts.segments, static)
    kept = {segment.name for segment, _ in parts.segments}
    inertia, devices, more = with_devices(inertia, model.devices, static, kept, words)
    if model.planar:
        inertia = laid_into(inertia, sagittal_plane(in_space))
    notices += more
    followed = {} if model.planar else _followed(parts, static_markers, marker_set)
    builder = _Builder(parts, static, measures, {name: static_markers[name] for name in followed}, followed, options)
    bodies, surfaces, more = builder.bodies(inertia)
    constraints = _constraints(parts, surfaces, options)
    notices += [*more, *parts.notices]
    notices += about_centres(plan, {name for body in bodies for name in body.points}, words)
    notices += upside_down(parts, builder.attitude)
    system = System(bodies, constraints, name=model.name)
    springs, more = available_springs(model, system, static)
    notices += more
    hinged = {j.name: (j.proximal, j.distal, _hinge_axis(j)) for j in parts.joints}
    return SubjectModel(
        model=model,
        system=system,
        static=FrozenDict(static),
        plan=plan,
        frames=FrozenDict({segment.name: frame for segment, frame in parts.segments}),
        followed=FrozenDict(followed),
        inertia=inertia,
        surfaces=FrozenDict(surfaces),
        left_out=parts.left_out,
        measures=FrozenDict(dict(measures)),
        marker_set=marker_set,
        options=options,
        notices=tuple(dict.fromkeys(notices)),
        devices=devices,
        springs=springs,
        in_space=FrozenDict(in_space) if model.planar else None,
        elements=spring_elements(springs, hinged, system),
    )


def _buildable(
    model: BodyModel,
    static: Points,
    in_space: Points,
    motion: set[str],
    plan: PointPlan,
    measures: Measures,
    options: ModelOptions,
    words: Callable[[str], str],
) -> tuple[Available, BodyInertia]:
    """Parts that can be followed, have a frame and a place for their mass; and their inertia. The others drop out."""
    without = dict.fromkeys(options.without, "it was left out on request")
    while True:  # every turn leaves out another segment, until all is well or nothing carries the body
        parts = available_parts(model, set(static), motion, plan.lacking, without, words)
        parts = replace(parts, joints=tuple(_with_axis(joint, options.axes) for joint in parts.joints))
        flat = degenerate_parts(parts.segments, parts.joints, static)
        without |= flat
        if flat:
            continue
        rows = {s.name: (s.inertia[0], _code(s.side), s.inertia[1]) for s, _ in parts.segments if s.inertia}
        more = {f"{s.name}, {row}": (row, _code(s.side), 1.0) for s, _ in parts.segments for row in s.inertia_with}
        try:
            return parts, body_inertia(
                rows | more,
                in_space,
                mass_kg=float(measures["mass"]),
                height_m=float(measures["height"]),
                sex=str(measures["sex"]),
                options=options.inertia,
            )
        except UnplacedInertia as unplaced:
            without[unplaced.segment.partition(",")[0]] = unplaced.why


def _with_axis(joint: JointDefinition, axes: Mapping[str, tuple[float, float, float]]) -> JointDefinition:
    return replace(joint, axis=FixedDirection.of(axes[joint.name])) if joint.name in axes else joint


def _check_axes(model: BodyModel, axes: Mapping[str, tuple[float, float, float]]) -> None:
    hinges = [joint.name for joint in model.joints if joint.type == "revolute"]
    for name in axes:
        if name not in hinges:
            raise BiomecError(
                f"The model {model.name} has no hinge {name}, so that no axis can be given for it. "
                f"There are {', '.join(hinges) or 'none'}."
            )


def surface_sensitivity(body: SubjectModel) -> tuple[SurfaceSensitivity, ...]:
    """What the contacts of the scapulae would be with other ellipsoids, and with other radii of the one in use."""
    found: list[SurfaceSensitivity] = []
    contacts = [contact for contact in body.model.contacts if contact.name in body.surfaces]
    for side in dict.fromkeys(contact.side for contact in contacts):
        places = {
            contact.name: body.system.layout.bodies[contact.on].attitude_matrix.T
            @ (body.static[contact.point] - body.static[contact.origin])
            for contact in contacts
            if contact.side is side
        }
        height = float(body.measures["height"])
        found += sensitivity(places, side=_code(side) or "D", height_m=height, options=body.options.ellipsoid)
    return tuple(found)


def _followed(parts: Available, markers: Mapping[str, FloatArray], marker_set: MarkerSet) -> dict[str, str]:
    """Marker -> segment of the system that it moves with, by the segments of the marker set.

    A set without sides calls its segments scapula, humerus …: these are the segments of the one side that is there.
    """
    named = {name: segment.name for segment, _ in parts.segments for name in (segment.name, *segment.follows)}
    sides = {segment.side for segment, _ in parts.segments if segment.side is not None}
    if len(sides) == 1:
        (side,) = sides
        named |= {name.removeprefix(f"{side} "): owner for name, owner in named.items()}
    found = {}
    for marker in marker_set.markers:
        if marker.name in markers:  # also computed points, where the recording holds them in place of what was seen
            owner = next((named[name] for name in marker.segments if name in named), None)
            if owner is not None:
                found[marker.name] = owner
    return found


class _Builder:
    """Bodies of the segments that are available."""

    def __init__(
        self,
        parts: Available,
        static: Points,
        measures: Measures,
        markers: Points,
        followed: Mapping[str, str],
        options: ModelOptions,
    ) -> None:
        self.parts, self.static, self.measures, self.options = parts, static, measures, options
        self.markers, self.followed = markers, followed
        self.attitude = {s.name: frame.attitude(static, s.sign) for s, frame in parts.segments}
        self.origin = {s.name: np.asarray(static[frame.origin]) for s, frame in parts.segments}

    def local(self, segment: str, point: FloatArray) -> FloatArray:
        return np.asarray(self.attitude[segment].T @ (point - self.origin[segment]))

    def bodies(self, inertia: BodyInertia) -> tuple[list[Body], dict[str, ContactSurface], list[Notice]]:
        names = {segment.name: segment for segment, _ in self.parts.segments}
        surfaces, notices = self.surfaces()
        points = {name: self.points(segment) for name, segment in names.items()}
        vectors: dict[str, dict[str, FloatArray]] = {name: {} for name in names}
        for contact in self.parts.contacts:
            origin = self.local(contact.on, np.asarray(self.static[contact.origin]))
            points[contact.on][_centre_name(contact)] = origin + surfaces[contact.name].centre
        for joint in self.parts.joints:
            for end, axis in ((joint.proximal, joint.axis), (joint.distal, joint.distal_axis)):
                if isinstance(axis, Direction):
                    direction = axis.unit(self.static, -1.0 if joint.side is Side.LEFT else 1.0)
                    vectors[end][_axis_name(joint)] = self.attitude[end].T @ direction
        bodies = []
        for name, segment in names.items():
            R, part = self.attitude[name], inertia.segments.get(name)
            bodies.append(
                Body(
                    name=name,
                    points=points[name],
                    vectors=vectors[name],
                    basis=segment.basis,
                    mass=0.0 if part is None else part.mass,
                    centre_of_mass=None if part is None else self.local(name, part.com_W),
                    inertia=None if part is None else R.T @ part.J_W @ R,
                    position=self.origin[name],
                    attitude=R,
                )
            )
        return bodies, surfaces, [*inertia.notices, *notices]

    def points(self, segment: SegmentDefinition) -> dict[str, FloatArray]:
        """Local coordinates of everything that is fixed in a segment: basis, joint centres, landmarks, markers."""
        centres = [j.centre for j in self.parts.joints if segment.name in (j.proximal, j.distal)]
        glides = [c.point for c in self.parts.contacts if segment.name == c.segment]
        landmarks = [name for name in segment.points if name in self.static]
        landmarks += [name for name in cuff_points(self.parts.springs, segment.name) if name in self.static]
        wanted = dict.fromkeys([*segment.basic_points, *centres, *glides, *landmarks])
        found = {name: self.local(segment.name, np.asarray(self.static[name])) for name in wanted}
        for marker, owner in self.followed.items():
            if owner == segment.name:
                found.setdefault(marker, self.local(segment.name, np.asarray(self.markers[marker])))
        return found

    def surfaces(self) -> tuple[dict[str, ContactSurface], list[Notice]]:
        """Ellipsoid of every scapulothoracic contact, from the places of its points in the static pose."""
        found: dict[str, ContactSurface] = {}
        notices: list[Notice] = []
        for side in dict.fromkeys(contact.side for contact in self.parts.contacts):
            here = [contact for contact in self.parts.contacts if contact.side is side]
            places = {
                contact.name: self.attitude[contact.on].T @ (self.static[contact.point] - self.static[contact.origin])
                for contact in here
            }
            surfaces, remarks = contact_surfaces(
                places, side=_code(side) or "D", height_m=float(self.measures["height"]), options=self.options.ellipsoid
            )
            found.update(surfaces)
            notices += remarks
        return found, notices


def _constraints(parts: Available, surfaces: Mapping[str, ContactSurface], options: ModelOptions) -> list[Constraint]:
    found: list[Constraint] = []
    for joint in parts.joints:
        proximal, distal = f"{joint.proximal}.{joint.centre}", f"{joint.distal}.{joint.centre}"
        kind = TREE_KINDS.get(joint.type)
        if kind is None:
            raise BiomecError(f"The joint {joint.name} has the unknown type {joint.type}.")
        places = {"axis": (joint.proximal, joint.axis), "distal_axis": (joint.distal, joint.distal_axis)}
        axes = [_axis(joint, *places[key]) for key in kind.axes]
        crossed = {"cosine": 0.0 if options.universal_zero else None} if "cosine" in dict(kind.numbers) else {}
        found.append(kind.type(joint.name, proximal, distal, *axes, **crossed))
    for contact in parts.contacts:
        surface = surfaces[contact.name]
        centre = f"{contact.on}.{_centre_name(contact)}"
        point = f"{contact.segment}.{contact.point}"
        found.append(EllipsoidContact(contact.name, point, centre, surface.radii, surface.attitude))
    return found


def _axis(joint: JointDefinition, owner: str, axis: Direction | str | None) -> str:
    return f"{owner}.{axis if isinstance(axis, str) else _axis_name(joint)}"


def _hinge_axis(joint: JointDefinition) -> str:
    """Vector of the proximal segment about which a hinge turns; empty for other joints."""
    if joint.type != "revolute":
        return ""
    return joint.axis if isinstance(joint.axis, str) else _axis_name(joint)


def _axis_name(joint: JointDefinition) -> str:
    return f"axis of {joint.name}"


def _centre_name(contact: GlidingContact) -> str:
    return f"ellipsoid of {contact.name}"


def _code(side: Side | None) -> str | None:
    return None if side is None else "D" if side is Side.RIGHT else "E"
