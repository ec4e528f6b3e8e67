"""Screen of a fitted muscle set: does every muscle turn its joints the way it must (theory of muscles §1.4)?

`biomec_resources/muscles/signs.toml` lists, for an angle of a joint, groups that pull it in its named direction and
groups that pull it in the other one. The person's segments are laid straight, the joint is held at five angles, and the
moment arm of every listed muscle is compared with its direction. A path that runs through a bone, or a wrapped point
that lies inside its surface, shows up here before anybody reads a muscle force.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from biomec.base.arrays import FloatArray, read_only, rotation_about
from biomec.base.notices import Notice, warning
from biomec.base.toml_table import read_toml
from biomec.body.anatomy.model import STANDARD, AngleComponent, AngleDefinition
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.joint_angles import HINGE
from biomec.body.muscles.crossings import pulls_beyond
from biomec.body.muscles.muscle_set import Muscle
from biomec.engine.paths.cords import CordPaths, Cords
from biomec.engine.rotations import cardan, joint_coordinate_system, rotation
from biomec.engine.tree.joint_tree import JointTree, chained_origins, joint_tree, path_signs
from biomec.recording.marker_set import Side
from biomec_resources import resource

LEAST_ARM = 0.002  # m: a prime mover with less leverage than this is listed, too
SHOWN = 6  # elements that the notice lists
SourceAngles = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class Sweep:
    """An angle of a joint held at several values, and the groups that must pull it one way or the other.

    joint, angle : names of the body model, without the side, such as "knee" and "flexion"
    degrees      : (5,) angles, from straight segments, or from the static pose if ``from_static``
    """

    joint: str
    angle: str
    degrees: tuple[float, ...]
    toward: tuple[str, ...]
    against: tuple[str, ...]
    from_static: bool

    def sign(self, group: str) -> float:
        """+1 where a group must pull toward the angle, −1 against it, 0 where nothing is expected."""
        for sign, patterns in ((1.0, self.toward), (-1.0, self.against)):
            if any(fnmatch.fnmatchcase(group, pattern) for pattern in patterns):
                return sign
        return 0.0


@dataclass(frozen=True, eq=False)
class SignFinding:
    """A muscle that pulls a joint the wrong way, or hardly at all, at some of the angles.

    title   : of the muscle, without the side
    angle   : such as "right elbow flexion"; ``expected`` is the direction it must pull, such as "extension"
    degrees : (5,) of that angle
    arms    : (5,) moment arms in the expected direction [m]: a positive arm is right
    """

    muscle: str
    title: str
    angle: str
    expected: str
    degrees: FloatArray
    arms: FloatArray

    @property
    def sided_title(self) -> str:
        """What people call the muscle, such as "right soleus"."""
        side = {"_r": "right ", "_l": "left "}.get(self.muscle[-2:], "")
        return f"{side}{self.title}"

    @property
    def wrong_way(self) -> bool:
        """Whether it pulls the other way by more than what counts as nothing."""
        return bool(self.arms.min() < -LEAST_ARM)


@cache
def expected_signs() -> tuple[Sweep, ...]:
    """The table that comes with Biomec."""
    top = read_toml(resource("muscles", "signs.toml").read_text("utf-8"), "signs.toml", with_lines=True)
    found = []
    for table in top.tables("sweep"):
        table.only(("joint", "angle", "degrees", "toward", "against", "from"))
        degrees = tuple(float(value) for value in table.numbers("degrees", (5,)))
        found.append(
            Sweep(table.text("joint"), table.text("angle"), degrees, tuple(table.texts("toward")),
                  tuple(table.texts("against")), "from" in table and table.text("from") == "static")
        )  # fmt: skip
    return tuple(found)


def screen_signs(
    person: SubjectModel, muscles: Sequence[Muscle], cords: Cords, source_angles: SourceAngles
) -> tuple[SignFinding, ...]:
    """Muscles that turn a joint the wrong way, the worst first.

    cords         : their paths over the bodies of the person's system
    source_angles : attitudes R (T, B, 3, 3) to the coordinates that paths depend on, and their axes
    """
    table = expected_signs()
    if not any(sweep.sign(muscle.group) for sweep in table for muscle in muscles):
        return ()
    skeleton = _Skeleton(person, {sweep.joint for sweep in table if not sweep.from_static})
    found: list[SignFinding] = []
    for sweep in table:
        held = {side: angle for side in Side if (angle := skeleton.angle(side, sweep)) is not None}
        wanted = np.array([sweep.sign(muscle.group) for muscle in muscles])
        if not held or not wanted.any():
            continue
        degrees = np.array(sweep.degrees)
        R, p = skeleton.poses(list(held.values()), np.radians(degrees), sweep.from_static)
        theta, turning = source_angles(R)
        paths = cords.trace(R, p, theta=np.nan_to_num(theta), turning=np.nan_to_num(turning))
        for side, angle in held.items():
            arms = skeleton.arms(paths, angle, R, p)
            for m, muscle in enumerate(muscles):
                if not wanted[m] or muscle.side not in (side, None) or not arms[:, m].any():
                    continue
                right = wanted[m] * arms[:, m]
                if right.min() < LEAST_ARM:
                    expected = angle.component.positive if wanted[m] > 0.0 else angle.component.negative
                    found.append(SignFinding(
                        muscle.name, muscle.title, angle.name, expected, read_only(degrees), read_only(right)
                    ))  # fmt: skip
    return tuple(sorted(found, key=lambda one: float(one.arms.min())))


def sign_notices(findings: Sequence[SignFinding]) -> list[Notice]:
    """One sentence about the muscles that the screen found; nothing if there are none."""
    if not findings:
        return []
    worst: dict[tuple[str, str], SignFinding] = {}
    sides: dict[tuple[str, str], set[str]] = {}
    for one in findings:
        key = one.title, one.expected
        worst.setdefault(key, one)
        sides.setdefault(key, set()).add(one.muscle)
    sentences = []
    for key, one in list(worst.items())[:SHOWN]:
        k = int(one.arms.argmin())
        name = f"{one.title} of both sides" if len(sides[key]) > 1 else one.sided_title
        words = "against" if one.wrong_way else "hardly toward"
        figures = f"{1e3 * one.arms[k]:.0f} mm at {one.degrees[k]:g}° of {one.angle}".replace("-", "−")
        sentences.append(f"{name} {words} {one.expected} ({figures})")
    more = f", and {len(worst) - SHOWN} more" if len(worst) > SHOWN else ""
    names = tuple(dict.fromkeys(one.sided_title for one in findings))
    sentence = (
        f"{len(names)} muscles pull a joint the wrong way, or hardly at all, somewhere in its range: "
        f"{'; '.join(sentences)}{more}. Judge their forces with care, or remove them in a copy of the muscle set."
    )
    return [warning("muscle-sign-screen", sentence, *names)]


@dataclass(frozen=True, eq=False)
class _Angle:
    """An angle of the person that is swept: definition, component, number of the joint of the tree that turns."""

    definition: AngleDefinition
    component: AngleComponent
    joint: int

    @property
    def name(self) -> str:
        """Joint and positive direction."""
        return f"{self.definition.joint} {self.component.positive}"


class _Skeleton:
    """The person's segments, laid straight one after the other from the root outwards."""

    def __init__(self, person: SubjectModel, straight: set[str]) -> None:
        self.tree: JointTree = joint_tree(person.system, person.model.roots)
        self.names = tuple(person.system.layout.bodies)
        self.bodies = [person.system.layout.bodies[name] for name in self.names]
        self.static = np.stack([np.asarray(body.attitude) for body in self.bodies])
        self.axes = person.joint_axes()
        children = {self.names[joint.child]: k for k, joint in enumerate(self.tree.joints) if joint.sign > 0.0}
        self.angles = [
            (one, children[one.distal])
            for one in person.model.angles
            if one.convention == STANDARD and one.proximal in self.names and one.distal in children
        ]
        self.straight = {
            joint: one
            for one, joint in self.angles
            if one.side and one.sequence != HINGE and one.joint.removeprefix(f"{one.side.value} ") in straight
        }

    def angle(self, side: Side, sweep: Sweep) -> _Angle | None:
        """The angle of a sweep on one side; None if the model lacks it."""
        for definition, joint in self.angles:
            if definition.joint == f"{side.value} {sweep.joint}":
                for component in definition.components:
                    if component.positive == sweep.angle:
                        return _Angle(definition, component, joint)
        return None

    def poses(self, held: Sequence[_Angle], radians: FloatArray, from_static: bool) -> tuple[FloatArray, FloatArray]:
        """Attitudes (T, B, 3, 3) and origins (T, B, 3) with angles held at T values, all other joints straight."""
        swept = {angle.joint: angle for angle in held}
        R = np.empty((len(radians), len(self.names), 3, 3))
        R[:, self.tree.root] = self.static[self.tree.root]
        for k in reversed(range(len(self.tree.joints))):
            joint = self.tree.joints[k]
            definition = swept[k].definition if k in swept else self.straight.get(k)
            above = joint.parent if definition is None else self.names.index(definition.proximal)
            relative = self.static[above].T @ self.static[joint.child]
            if k in swept:
                R[:, joint.child] = R[:, above] @ self._turned(swept[k], relative, radians, from_static)
            else:
                R[:, joint.child] = R[:, above] @ (np.eye(3) if definition is not None else relative)
        return R, chained_origins(self.tree, R)

    def _turned(self, angle: _Angle, relative: FloatArray, radians: FloatArray, from_static: bool) -> FloatArray:
        """Attitudes (T, 3, 3) of the distal in the proximal segment at T values of an angle."""
        definition, component = angle.definition, angle.component
        if definition.sequence == HINGE:
            zero = component.sign * float(cardan(relative, definition.zero)[component.index])
            axis = self._hinge(angle)
            return np.stack([rotation_about(axis, component.sign * (one - zero)) @ relative for one in radians])
        angles = np.zeros((len(radians), 3))
        if from_static:
            angles += cardan(relative, definition.sequence)
        angles[:, component.index] += component.sign * radians
        return rotation(angles, definition.sequence)

    def _hinge(self, angle: _Angle) -> FloatArray:
        """Axis (3,) of a hinge in the proximal segment, in the sense of the axis of its angle."""
        definition = angle.definition
        P, D = (self.static[self.names.index(name)] for name in (definition.proximal, definition.distal))
        e = joint_coordinate_system(np.eye(3), P.T @ D, definition.zero)[angle.component.index]
        axis = self.axes.get(definition.joint, e)
        return axis if axis @ e >= 0.0 else -axis

    def arms(self, paths: CordPaths, angle: _Angle, R: FloatArray, p: FloatArray) -> FloatArray:
        """Moment arms (T, M) about the axis of an angle [m]."""
        joint = self.tree.joints[angle.joint]
        beyond = path_signs(self.tree)[:, angle.joint] != 0.0
        wrench = pulls_beyond(paths.pull, paths.pair_cord, paths.pair_body, len(paths.cords.cords), beyond)
        at = np.asarray(self.bodies[joint.parent].points[joint.parent_point.partition(".")[2]])
        centre = p[:, joint.parent] + R[:, joint.parent] @ at
        torque = wrench[..., 3:] - np.cross(centre[:, None], wrench[..., :3])
        P, D = (R[:, self.names.index(name)] for name in (angle.definition.proximal, angle.definition.distal))
        if angle.definition.sequence == HINGE:
            e = P @ self._hinge(angle)
        else:
            e = joint_coordinate_system(P, D, angle.definition.sequence)[angle.component.index]
        return np.asarray(np.einsum("ti,tmi->tm", angle.component.sign * e, torque))
