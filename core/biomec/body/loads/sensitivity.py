"""A band around every joint's loads: what they would be with a slightly different body, ground or filter.

Loads are linear in the masses and in where the ground pushes, and nearly so in the other parameters of the segments, so
that their effect has a closed form; what passes through filters and consistency is computed again with other settings.
Sources of error are taken as independent of each other, and the two sides of a table as wrong alike.
The band is read component by component, like the loads, or as one number for each joint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.body.anatomy.model import BodyModel
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.balance import body_wrench
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.joint_verdict import JointVerdict
from biomec.body.loads.load_axes import force_axes, joint_frames, torque_axes
from biomec.body.loads.load_components import FORCE, MOMENT, LoadReading, divisors
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.tree.joint_tree import JointTree, path_signs
from biomec.recording import Result
from biomec.recording.step import step_result

EVERY = slice(None)
MASS, CENTRE, RADIUS, PRESSURE, JOINT = (
    "segment masses",
    "centres of mass",
    "radii of gyration",
    "centre of pressure",
    "joint centres",
)


@dataclass(frozen=True)
class SensitivityOptions:
    """How wrong the data may be; one of them at a time is varied up and down by this much. 0 leaves a source out.

    mass       : of every segment, as a share of it; its tensor with it
    centre     : of mass along the segment's own axes, as a share of the radius of gyration about them
    radius     : of gyration, as a share of it
    pressure_m : of the centre of pressure along X and Z, contact by contact [m]
    joint_m    : of every joint's centre, in every direction [m]
    """

    mass: float = 0.05
    centre: float = 0.05
    radius: float = 0.05
    pressure_m: float = 0.005
    joint_m: float = 0.0

    def __post_init__(self) -> None:
        sizes = (self.mass, self.centre, self.radius, self.pressure_m, self.joint_m)
        if not (np.isfinite(sizes).all() and min(sizes) >= 0.0):
            raise BiomecError("Sensitivity: errors that are assumed cannot be negative.")


@dataclass(frozen=True, eq=False)
class LoadBand:
    """How far the loads of J joints may be off in T frames, by source.

    joints : (J,) names
    force, torque : source -> (T, J, 3, 3) Σ δ δᵀ over its variations δ, in laboratory axes [N²], [N² m²]. So the
                    half-width is known along any axis.
    """

    joints: tuple[str, ...]
    force: Mapping[str, FloatArray]
    torque: Mapping[str, FloatArray]
    options: SensitivityOptions

    def __post_init__(self) -> None:
        for name in ("force", "torque"):
            object.__setattr__(self, name, FrozenDict(dict(getattr(self, name))))

    @property
    def sources(self) -> tuple[str, ...]:
        """What was varied."""
        return tuple(self.force)

    def half_width(self, what: str, source: str | None = None, axes: FloatArray | None = None) -> FloatArray:
        """(T, J, 3) half-width of the band of "force" [N] or "torque" [N m].

        source : one of ``sources``; None: all together, the root of the sum of their squares
        axes   : (T, J, 3, 3) whose columns are the axes of the components; None: laboratory
        """
        parts = {"force": self.force, "torque": self.torque}.get(what)
        if parts is None or (source is not None and source not in parts):
            raise BiomecError(f"There is no band of {what} for {source}; there are {', '.join(self.sources)}.")
        shape = (*next(iter(parts.values())).shape[:2], 3, 3) if parts else (0, len(self.joints), 3, 3)
        squares = sum(parts.values(), np.zeros(shape)) if source is None else parts[source]
        if axes is not None:
            squares = np.einsum("tjki,tjkl,tjli->tji", axes, squares, axes)
        else:
            squares = np.einsum("tjii->tji", squares)
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))

    def to_result(self) -> Result:
        """Return what a session stores: the half-widths in laboratory axes, by source."""
        arrays = {
            f"{what}, {source}": self.half_width(what, source)
            for what in ("force", "torque")
            for source in self.sources
        }
        return step_result(arrays, self.options, (), joints=self.joints, sources=self.sources)


def load_band(
    tree: JointTree,
    motion: SegmentMotion,
    loads: JointLoads,
    external: ExternalLoads,
    options: SensitivityOptions = SensitivityOptions(),
    repeated: Mapping[str, Sequence[JointLoads]] | None = None,
) -> LoadBand:
    """Band around loads that Newton and Euler's equations gave, or any method that agrees with them.

    repeated : source -> loads of the same recording with other settings (such as a lower and a higher cut-off
               frequency); their mean square difference from ``loads`` is the square of the half-width

    With the way of every segment to the root known, what a change of its wrench (δf, δh about its centre of mass) does
    to a joint on that way is ±δf and ±(δh + (r − c) × δf), c being the joint's centre.
    """
    if not loads.frames == motion.frames == external.frames or loads.joints != tree.names:
        raise BiomecError("Sensitivity: loads, motion and external loads must be of the same joints and frames.")
    spread = _Spread(tree, motion, loads)
    wrench = body_wrench(tree.system, motion)
    groups = both_sides(motion.names)
    nothing = np.zeros_like(wrench.force)
    if options.mass > 0.0:
        for group in groups:
            spread.add(MASS, group, options.mass * wrench.force, options.mass * wrench.moment)
    if options.radius > 0.0:
        for group in groups:
            spread.add(RADIUS, group, nothing, 2.0 * options.radius * wrench.moment)  # J goes with the radius squared
    if options.centre > 0.0:
        _vary_centres(spread, tree, motion, wrench.force, groups, options.centre)
    if options.pressure_m > 0.0:
        _vary_pressure(spread, motion, external, options.pressure_m)
    if options.joint_m > 0.0:
        f = loads.force
        across = np.einsum("tji,tji->tj", f, f)[..., None, None] * np.eye(3) - f[..., :, None] * f[..., None, :]
        spread.squares(JOINT, np.zeros_like(across), options.joint_m**2 * across)  # Σ over the axes of (d e × f)(…)ᵀ
    for source, others in (repeated or {}).items():
        for other in others:
            if other.joints != loads.joints or other.frames != loads.frames:
                raise BiomecError(f"Sensitivity to {source}: the repeated loads are of other joints or frames.")
            share = 1.0 / np.sqrt(len(others))
            difference = [share * (getattr(other, name) - getattr(loads, name)) for name in ("force", "torque")]
            spread.squares(source, *(d[..., :, None] * d[..., None, :] for d in difference))
    return LoadBand(
        loads.joints,
        {name: read_only(value) for name, value in spread.force.items()},
        {name: read_only(value) for name, value in spread.torque.items()},
        options,
    )


class _Spread:
    """Collects Σ δ δᵀ of the joints' loads, source by source."""

    def __init__(self, tree: JointTree, motion: SegmentMotion, loads: JointLoads) -> None:
        self.signs = path_signs(tree)  # (S, J)
        self.motion, self.centre = motion, loads.centre
        self.force: dict[str, FloatArray] = {}
        self.torque: dict[str, FloatArray] = {}

    def squares(self, source: str, force: FloatArray, torque: FloatArray, joints: IntArray | slice = EVERY) -> None:
        """Add (T, J, 3, 3) to a source, or (T, some, 3, 3) to some of its joints."""
        for mine, more in ((self.force, force), (self.torque, torque)):
            if source not in mine:
                mine[source] = np.zeros((*self.centre.shape, 3))
            mine[source][:, joints] += more

    def add(self, source: str, segments: Sequence[int], force: FloatArray, moment: FloatArray) -> None:
        """Add one variation: segments need ``force`` and ``moment`` (T, S, 3) more, about their centres of mass."""
        joints = np.flatnonzero(self.signs[segments].any(axis=0))  # only they feel it
        df, dh = np.zeros((2, len(self.centre), len(joints), 3))
        for s in segments:
            passed = np.flatnonzero(self.signs[s, joints])
            sign = self.signs[s, joints[passed]][:, None]
            arm = self.motion.p_com[:, s, None] - self.centre[:, joints[passed]]
            df[:, passed] += sign * force[:, s, None]
            dh[:, passed] += sign * (moment[:, s, None] + np.cross(arm, force[:, s, None]))
        self.squares(source, df[..., :, None] * df[..., None, :], dh[..., :, None] * dh[..., None, :], joints)


def both_sides(names: Sequence[str]) -> list[list[int]]:
    """Numbers of the segments, right and left together."""
    groups: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        groups.setdefault(name.removeprefix("right ").removeprefix("left "), []).append(k)
    return list(groups.values())


def _vary_centres(
    spread: _Spread, tree: JointTree, motion: SegmentMotion, force: FloatArray, groups: list[list[int]], share: float
) -> None:
    """Shift centres of mass along the axes of their segments; to first order in the shift d:

    δf = m (ω̇ × d + ω × (ω × d)),   δh about the old centre = d × f
    """
    for axis in range(3):
        shift = np.zeros_like(force)
        for s, body in enumerate(tree.system.bodies):
            if body.mass > 0.0:
                length = share * np.sqrt(max(body.inertia_matrix.trace() / 2.0, 0.0) / body.mass)
                shift[:, s] = length * motion.R_WB[:, s, :, axis]
        swung = np.cross(motion.alpha, shift) + np.cross(motion.omega, np.cross(motion.omega, shift))
        changed = motion.mass[:, None] * swung
        turned = np.cross(shift, force)
        for group in groups:
            spread.add(CENTRE, group, changed, turned)


def _vary_pressure(spread: _Spread, motion: SegmentMotion, external: ExternalLoads, size: float) -> None:
    """Shift the point of every contact along X and Z: the ground's moment on the segment grows by d × f."""
    for k, name in enumerate(external.segments):
        s = motion.index(name)
        for axis in (0, 2):
            moment = np.zeros((motion.frames, len(motion.names), 3))
            moment[:, s] = -np.cross(size * np.eye(3)[axis], external.force[:, k])
            spread.add(PRESSURE, [s], np.zeros_like(moment), moment)


@dataclass(frozen=True)
class JointDoubt:
    """How far a joint's loads may be off.

    moment, force : half-width of their band, root mean square over time of its length [N m], [N]; where the joint was
                    judged with a contact, the moment's expected error instead (`joint_verdict`)
    moment_share, force_share : as a part of the greatest moment and force; NaN where there is none
    worst : source of error that counts most for the moment
    """

    joint: str
    moment: float
    moment_share: float
    force: float
    force_share: float
    worst: str


def joint_doubts(
    loads: JointLoads, band: LoadBand, judged: Mapping[str, JointVerdict] | None = None, mass_kg: float = np.nan
) -> tuple[JointDoubt, ...]:
    """Joints, the most doubtful moment first.

    judged, mass_kg : joint -> its worst verdict over the contacts with plates, and the mass of it [kg]. Where there is
                      one, its expected error is the moment's: it knows of missing force and of markers off the model,
                      which the band does not.
    """
    if loads.joints != band.joints:
        raise BiomecError("The band is of other joints than the loads.")
    half = {what: _rms(band.half_width(what)) for what in ("force", "torque")}
    by_source = {source: _rms(band.half_width("torque", source)) for source in band.sources}
    peaks = {what: _peak(getattr(loads, what)) for what in ("force", "torque")}
    doubts = []
    for j, joint in enumerate(loads.joints):
        worst = max(by_source, key=lambda source: float(np.nan_to_num(by_source[source][j])))
        moment, peak = float(half["torque"][j]), float(peaks["torque"][j])
        verdict = (judged or {}).get(joint)
        if verdict is not None:
            moment, peak, worst = verdict.error * mass_kg, verdict.peak * mass_kg, verdict.source
        doubts.append(
            JointDoubt(
                joint,
                moment,
                moment / peak if peak > 0.0 else np.nan,
                float(half["force"][j]),
                float(half["force"][j] / peaks["force"][j]) if peaks["force"][j] > 0.0 else np.nan,
                worst,
            )
        )
    return tuple(sorted(doubts, key=lambda one: -float(np.nan_to_num(one.moment_share))))


def _rms(values: FloatArray) -> FloatArray:
    """(J,) root mean square over the frames of the length of vectors (T, J, 3)."""
    squares = (values**2).sum(axis=2)
    known = np.isfinite(squares)
    return np.asarray(np.sqrt(np.where(known, squares, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)))


def _peak(values: FloatArray) -> FloatArray:
    """(J,) greatest length of vectors (T, J, 3)."""
    return np.asarray(np.nan_to_num(np.linalg.norm(values, axis=2)).max(axis=0, initial=0.0))


def band_components(
    band: LoadBand,
    motion: SegmentMotion,
    model: BodyModel,
    reading: LoadReading = LoadReading(),
    *,
    hinges: Mapping[str, FloatArray] | None = None,
    mass_kg: float | None = None,
    height_m: float | None = None,
    joints: Iterable[str] | None = None,
    source: str | None = None,
) -> FloatArray:
    """Half-widths (T, C) of the components of `load_components`, in the same order and units.

    Arguments as there; ``source``: one source of error of the band alone. A direction e sees √(eᵀ (Σ δ δᵀ) e).
    """
    divisor = divisors(reading, mass_kg, height_m)
    found: list[FloatArray] = []
    for joint in band.joints if joints is None else joints:
        j = band.joints.index(joint)
        frames = joint_frames(model, motion, joint, hinges or {}, reading.angles)
        one = LoadBand(
            (joint,),
            {name: part[:, [j]] for name, part in band.force.items()},
            {name: part[:, [j]] for name, part in band.torque.items()},
            band.options,
        )
        for quantity, what, axes in (
            (FORCE, "force", force_axes(frames, reading.axes)),
            (MOMENT, "torque", torque_axes(frames, reading.axes)),
        ):
            columns = np.swapaxes(axes.axes, 1, 2)[:, None]
            found.append(one.half_width(what, source, columns)[:, 0] / divisor[quantity])
    return read_only(np.concatenate(found, axis=1) if found else np.empty((motion.frames, 0)))
