"""Joint angles of a motion by the definitions of a body model: floating axis, hinges, gimbal flag, unwrapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError, DescriptionError
from biomec.base.fields import setting
from biomec.base.notices import Notice, problem, warning
from biomec.body.anatomy.model import GROUND, STANDARD, AngleComponent, AngleDefinition
from biomec.engine.rotations import (
    cardan,
    gimbal,
    is_symmetric,
    joint_coordinate_system,
    other_solution,
    rotation_about_axis,
    unwrapped,
    wrapped,
)
from biomec.recording.marker_set import Side
from biomec.recording.session import Result
from biomec.recording.step import step_result

HINGE = "hinge"
MIDDLE = 1  # the second rotation of a sequence, which its singularity leaves alone
RAISED = np.radians(70.0)  # abduction beyond which the arm is better described by plane and elevation
ISB = "isb"
OBLIQUE = 0.2  # cosine between a hinge and the axis of its angle, below which the two have little to do with each other
ANGLE_CONVENTIONS = {STANDARD: "standard", ISB: "ISB", "plug-in-gait": "Plug-in Gait"}
"""Convention of joint angles -> what people call it."""


@dataclass(frozen=True)
class AngleOptions:
    """How joint angles are reported.

    convention       : "standard", or another one that the definitions know, such as "isb"; joints without angles by it
                       keep their standard ones
    subtract_static  : whether angles count from the static pose instead of from aligned axes
    gimbal_limit_deg : angles nearer to the singularity of their sequence are flagged [°]
    unwrap           : whether curves are continued beyond ±180° and through the singularity
    """

    convention: str = setting(
        STANDARD, "Convention", "How angles are decomposed; joints without angles by it keep the standard ones.",
        choices=ANGLE_CONVENTIONS, others="or another one of the model")  # fmt: skip
    subtract_static: bool = setting(False, "Count from the static pose", "Otherwise angles count from aligned axes.")
    gimbal_limit_deg: float = setting(
        10.0, "Flag near the singularity", "Angles nearer to it are flagged as unreliable.", unit="°", least=0.0
    )
    unwrap: bool = setting(True, "Continue beyond ±180°", "Curves go on instead of jumping by a whole turn.")

    def __post_init__(self) -> None:
        if not 0.0 <= self.gimbal_limit_deg <= 45.0:
            raise BiomecError(
                f"Joint angles: the limit of the gimbal flag is {self.gimbal_limit_deg}°; give 0° to 45°."
            )


@dataclass(frozen=True, eq=False)
class JointAngles:
    """Angles of all joints; arrays are read-only.

    names    : (A,) joint and positive direction, such as "right elbow flexion"
    values   : (T, A) [rad]; NaN in frames that are not valid or lack a segment
    gimbal   : (T, A) where the angle is near the singularity of its sequence and should not be read: the first and the
               third angle of a joint, never the second
    positive, negative : (A,) names of the two directions
    joint, side        : (A,) joint, and side of the body or None
    static   : (A,) angles of the static pose [rad], NaN where unknown; subtracted from ``values`` if the options say so
    """

    names: tuple[str, ...]
    values: FloatArray
    gimbal: BoolArray
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    joint: tuple[str, ...]
    side: tuple[Side | None, ...]
    static: FloatArray
    options: AngleOptions
    notices: tuple[Notice, ...]

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> FloatArray:
        """Angle (T,) of that name [rad]."""
        if name not in self.names:
            raise BiomecError(f"There is no angle {name}; there are {', '.join(self.names) or 'none'}.")
        return np.asarray(self.values[:, self.names.index(name)])

    def to_result(self) -> Result:
        """Return what a session stores: angles, flags, static pose, names, options, notices."""
        return step_result(
            {"values": self.values, "gimbal": self.gimbal, "static": self.static},
            self.options,
            self.notices,
            names=self.names,
            positive=self.positive,
            negative=self.negative,
            joints=self.joint,
            sides=self.side,
            unit="rad",
        )


@dataclass(frozen=True)
class _Curves:
    """Angles of one definition: values (T, C), near the singularity or not (T, C), static pose (C,)."""

    values: FloatArray
    gimbal: BoolArray
    static: FloatArray


def joint_angles(
    attitudes: Mapping[str, FloatArray],
    definitions: Sequence[AngleDefinition],
    *,
    static: Mapping[str, FloatArray],
    valid: BoolArray | None = None,
    axes: Mapping[str, FloatArray] | None = None,
    first_frame: int = 1,
    options: AngleOptions = AngleOptions(),
) -> JointAngles:
    """Angles of every definition whose two segments are there.

    attitudes : segment -> R_WB (T, 3, 3); "ground" is the laboratory and needs none
    static    : segment -> R_WB (3, 3) in the static pose
    valid     : (T,) frames to use; the others give NaN. All by default.
    axes      : joint -> axis (3,) of a hinge, in the local axes of the proximal segment
    first_frame : number of the first frame, for the sentences of notices

    The angles are those of R = R_WPᵀ R_WD by the sequence of the definition (`rotations.cardan`; [GroodSuntay1983],
    [Wu2002], [Wu2005]), multiplied by the sign of the component. Of the two solutions of YXY and its like the one with
    a positive second component is taken: an elevation is never negative unless the curve passes through zero.

    A hinge turns about its own axis n, however oblique, from the static pose R0:

        angle = zero + sign · θ,   θ = `rotation_about_axis`(R R0ᵀ, n),   zero = the component by ``zero`` of R0

    where n is taken in the sense of the axis e_k that the component turns about in the static pose.
    """
    frames = _frames(attitudes, valid)
    used = np.ones(frames, dtype=np.bool_) if valid is None else np.asarray(valid, dtype=np.bool_)
    limit = np.radians(options.gimbal_limit_deg)
    notices: list[Notice] = []
    done: list[tuple[AngleDefinition, _Curves]] = []
    for definition in _chosen(definitions, options.convention):
        R = _relative(attitudes, definition, (frames, 3, 3))
        if R is None:
            continue
        R = np.where(used[:, None, None], R, np.nan)
        R0 = _relative(static, definition, (3, 3))
        R0 = np.full((3, 3), np.nan) if R0 is None else R0
        if definition.sequence == HINGE:
            curves = _hinge(definition, R, R0, (axes or {}).get(definition.joint), limit, options.unwrap, notices)
        else:
            curves = _by_sequence(definition, definition.sequence, R, R0, limit, options.unwrap)
        notices += _gimbal_notice(definition, curves, options, first_frame)
        done.append((definition, curves))
    notices += _raised_notice(definitions, done, first_frame)
    return _collected(done, frames, options, notices)


def _frames(attitudes: Mapping[str, FloatArray], valid: BoolArray | None) -> int:
    """Number of frames, the same in all attitudes and in ``valid``."""
    counts = {name: len(R) for name, R in attitudes.items()}
    if valid is not None:
        counts["the list of valid frames"] = len(valid)
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise BiomecError(f"Joint angles need the same number of frames of every segment; there are: {listed}.")
    return next(iter(counts.values()), 0)


def _chosen(definitions: Sequence[AngleDefinition], convention: str) -> list[AngleDefinition]:
    """Every joint by the convention asked for, or by the standard one if that does not define it."""
    known = dict.fromkeys([STANDARD, *(one.convention for one in definitions)])
    if convention not in known:
        raise DescriptionError(
            f"No joint has angles by the convention {convention}; the conventions are {', '.join(known)}."
        )
    special = {one.joint for one in definitions if one.convention == convention}
    return [d for d in definitions if d.convention == (convention if d.joint in special else STANDARD)]


def _relative(
    attitudes: Mapping[str, FloatArray], definition: AngleDefinition, shape: tuple[int, ...]
) -> FloatArray | None:
    """Return R_WPᵀ R_WD, or None if a segment is absent."""
    pair = []
    for segment in (definition.proximal, definition.distal):
        if segment == GROUND:
            pair.append(np.broadcast_to(np.eye(3), shape))
        elif segment not in attitudes:
            return None
        else:
            R = np.asarray(attitudes[segment], dtype=np.float64)
            if R.shape != shape:
                raise BiomecError(f"Joint angles: attitudes of {segment} need the shape {shape}, not {R.shape}.")
            pair.append(R)
    return np.asarray(np.swapaxes(pair[0], -1, -2) @ pair[1])


def _by_sequence(
    definition: AngleDefinition, sequence: str, R: FloatArray, R0: FloatArray, limit: float, unwrap: bool
) -> _Curves:
    """Components of three successive rotations."""
    raw, raw_static = cardan(R, sequence), cardan(R0, sequence)
    middle = [c.sign for c in definition.components if c.index == MIDDLE]
    if is_symmetric(sequence) and middle and middle[0] < 0.0:
        raw, raw_static = other_solution(raw, sequence), other_solution(raw_static, sequence)
    if unwrap:
        raw = _in_first_turn(unwrapped(raw, sequence))
        raw_static = unwrapped(raw_static[None], sequence)[0]
    index, sign = _columns(definition.components)
    near = (gimbal(R, sequence) < limit)[:, None] & (index != MIDDLE)
    return _Curves(raw[:, index] * sign, near, raw_static[index] * sign)


def _hinge(
    definition: AngleDefinition,
    R: FloatArray,
    R0: FloatArray,
    axis: ArrayLike | None,
    limit: float,
    unwrap: bool,
    notices: list[Notice],
) -> _Curves:
    """Rotation about the joint's own axis since the static pose; by the sequence ``zero`` if either is unknown."""
    if len(definition.components) != 1:
        raise DescriptionError(
            f"Angles of {definition.joint}: a hinge has one angle, not {len(definition.components)}; use a sequence."
        )
    (component,) = definition.components
    missing = "its axis is not known" if axis is None else "the static pose lacks its segments"
    if axis is None or not np.isfinite(R0).all():
        sentence = (
            f"The {definition.joint} is measured by the sequence {definition.zero} instead of about its own axis, "
            f"because {missing}; {component.positive} may be off by a degree."
        )
        notices.append(warning("hinge-by-sequence", sentence, definition.joint))
        return _by_sequence(definition, definition.zero, R, R0, limit, unwrap)
    n = np.asarray(axis, dtype=np.float64)
    if n.shape != (3,) or not np.linalg.norm(n) > 0.0:
        raise BiomecError(f"The axis of the {definition.joint} needs three numbers that are not all zero, not {axis}.")
    n = n / np.linalg.norm(n)
    e = joint_coordinate_system(np.eye(3), R0, definition.zero)[component.index]
    cosine = float(n @ e)
    if not abs(cosine) >= OBLIQUE:
        sentence = (
            f"The axis of the {definition.joint} is nearly normal to the axis of its {component.positive}, so the sign "
            f"of that angle is uncertain. Check the axis and the markers of the static pose."
        )
        notices.append(problem("hinge-oblique", sentence, definition.joint))
    theta = rotation_about_axis(R @ R0.T, n if cosine >= 0.0 else -n)
    zero = cardan(R0, definition.zero)[component.index]
    raw = theta[:, None] + zero
    raw = _in_first_turn(unwrapped(raw)) if unwrap else wrapped(raw)
    return _Curves(raw * component.sign, np.zeros(raw.shape, dtype=np.bool_), np.array([zero * component.sign]))


def _columns(components: Sequence[AngleComponent]) -> tuple[IntArray, FloatArray]:
    return np.array([c.index for c in components], dtype=np.int64), np.array([c.sign for c in components])


def _in_first_turn(raw: FloatArray) -> FloatArray:
    """Curves (T, k) moved by whole turns, so that most of each lies between −180° and 180°."""
    known = np.isfinite(raw).any(axis=0)
    middle = np.zeros(raw.shape[1])
    middle[known] = np.nanmedian(raw[:, known], axis=0)
    return np.asarray(raw - (middle - wrapped(middle)))


def _gimbal_notice(definition: AngleDefinition, curves: _Curves, options: AngleOptions, start: int) -> list[Notice]:
    """One sentence about a joint that comes near its singularity."""
    at = np.flatnonzero(curves.gimbal.any(axis=1))
    if not at.size:
        return []
    first, last = int(at[0]), int(at[-1])
    where = f"{at.size} frames (from {start + first} to {start + last})" if at.size > 1 else f"frame {start + first}"
    unsure = " and ".join(c.positive for c in definition.components if c.index != MIDDLE)
    sentence = (
        f"The {definition.joint} is within {options.gimbal_limit_deg:g}° of gimbal lock in {where}: two "
        f"axes of the sequence {definition.sequence} nearly coincide there, so do not read {unsure} in those "
        f"frames, or choose another convention of angles."
    )
    return [warning("gimbal-lock", sentence, definition.joint, frames=(first, last))]


def _raised_notice(
    definitions: Sequence[AngleDefinition], done: Sequence[tuple[AngleDefinition, _Curves]], start: int
) -> list[Notice]:
    """One sentence about all arms that are raised so far that ISB's plane and elevation describe them better."""
    with_isb = {one.joint for one in definitions if one.convention == ISB}
    joints, frames = [], []
    for definition, curves in done:
        if definition.convention != STANDARD or definition.joint not in with_isb:
            continue
        for component, curve in zip(definition.components, curves.values.T, strict=True):
            at = np.flatnonzero(np.abs(curve) > RAISED)
            if component.positive == "abduction" and at.size:
                joints.append(definition.joint)
                frames += [int(at[0]), int(at[-1])]
    if not joints:
        return []
    first, last = min(frames), max(frames)
    sentence = (
        f"{' and '.join(joints)} {'passes' if len(joints) == 1 else 'pass'} {np.degrees(RAISED):g}° of abduction "
        f"(frames {start + first} to {start + last}). Flexion and rotation of a raised arm depend on each other and "
        f"may jump by 180° near 90°; read them with care, or choose the convention {ISB} (plane and elevation)."
    )
    return [warning("raised-arm", f"The {sentence}", *joints, frames=(first, last))]


def _collected(
    done: Sequence[tuple[AngleDefinition, _Curves]], frames: int, options: AngleOptions, notices: list[Notice]
) -> JointAngles:
    """All curves side by side, with their names."""
    each = [(definition, component) for definition, _ in done for component in definition.components]
    names = tuple(f"{definition.joint} {component.positive}" for definition, component in each)
    if len(set(names)) < len(names):
        twice = ", ".join(sorted({name for name in names if names.count(name) > 1}))
        raise DescriptionError(f"The angle {twice} is defined more than once; name joints and directions differently.")
    values = np.concatenate([np.zeros((frames, 0)), *(curves.values for _, curves in done)], axis=1)
    flags = np.concatenate([np.zeros((frames, 0), dtype=np.bool_), *(curves.gimbal for _, curves in done)], axis=1)
    static = np.concatenate([np.zeros(0), *(curves.static for _, curves in done)])
    if options.subtract_static:
        unknown = [name for name, angle in zip(names, static, strict=True) if np.isnan(angle)]
        if unknown:
            sentence = f"The static pose does not give {', '.join(unknown)}, so nothing can be counted from it."
            notices.append(problem("static-angle-missing", sentence, *unknown))
        difference = values - static
        values = _in_first_turn(difference) if options.unwrap else wrapped(difference)
    return JointAngles(
        names,
        read_only(values),
        read_only(flags, np.bool_),
        tuple(component.positive for _, component in each),
        tuple(component.negative for _, component in each),
        tuple(definition.joint for definition, _ in each),
        tuple(definition.side for definition, _ in each),
        read_only(static),
        options,
        tuple(notices),
    )
