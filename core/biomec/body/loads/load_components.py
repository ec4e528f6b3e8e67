"""Joint loads and the residual as curves with names: every component states its axes, sense, convention and unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.physics import GRAVITY
from biomec.body.anatomy.model import STANDARD, BodyModel
from biomec.body.kinematics.joint_angles import ANGLE_CONVENTIONS
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_axes import AXES, LETTERS, force_axes, joint_frames, torque_axes
from biomec.recording.marker_set import Side
from biomec.recording.session import Result
from biomec.recording.step import step_result

FORCE, MOMENT = "force", "moment"
QUANTITIES = (FORCE, MOMENT)
MULTIBODY, NEWTON_EULER = "multibody", "Newton-Euler"
METHODS = (MULTIBODY, NEWTON_EULER)
CONVENTIONS = ("internal", "external")
NORMALISATIONS = ("none", "mass", "weight")
AXES_WORDS = {axes: f"{axes} axes" for axes in AXES}
UNITS = {
    ("none", FORCE): "N",
    ("none", MOMENT): "N·m",
    ("mass", FORCE): "N/kg",
    ("mass", MOMENT): "N·m/kg",
    ("weight", FORCE): "% of body weight",
    ("weight", MOMENT): "% of body weight × height",
}


@dataclass(frozen=True)
class LoadReading:
    """How joint loads are read.

    axes          : "joint" (those about which the angles turn), "proximal" or "distal" segment, "laboratory"
    convention    : "internal" is what the proximal segment, with muscles and ligaments, does to the distal one;
                    "external" is the load that this resists, of opposite sign
    normalisation : "none" [N, N·m], "mass" [per kg of the person] or "weight" [% of body weight; moments: × height]
    method        : "multibody", which knows what the ribs bear where all constraints are kept, or "Newton-Euler"
    angles        : convention of the angles whose axes are taken for "joint"
    """

    axes: str = setting(
        "joint", "Axes", "Axes of the joint's angles, of a segment, or of the laboratory.",
        choices={"joint": "axes of the joint", "proximal": "axes of the proximal segment",
        "distal": "axes of the distal segment", "laboratory": "axes of the laboratory"})  # fmt: skip
    convention: str = setting(
        "internal", "Sign",
        "Internal: what joint, muscles and ligaments do to the distal segment; external: the load that they resist.",
        choices={"internal": "internal", "external": "external"})  # fmt: skip
    normalisation: str = setting(
        "none", "Scale", "As they are, by body mass, or by body weight (moments: and height).",
        choices={"none": "N and N·m", "mass": "per kg", "weight": "% of body weight"})  # fmt: skip
    method: str = setting(
        MULTIBODY, "Method",
        "Multibody knows what the ribs bear where all constraints are kept; otherwise both give the same.",
        choices={MULTIBODY: "multibody", NEWTON_EULER: "Newton-Euler"})  # fmt: skip
    angles: str = setting(
        STANDARD, "Angles", "Convention of the joint angles whose axes are the axes of the joint.",
        choices=ANGLE_CONVENTIONS)  # fmt: skip

    def __post_init__(self) -> None:
        for name, known in (
            ("axes", AXES), ("convention", CONVENTIONS), ("normalisation", NORMALISATIONS), ("method", METHODS),
        ):  # fmt: skip
            if getattr(self, name) not in known:
                raise BiomecError(f'Joint loads: {name} is {", ".join(known)}, not "{getattr(self, name)}".')

    @property
    def sense(self) -> float:
        """Sign by which internal loads are multiplied."""
        return 1.0 if self.convention == "internal" else -1.0

    @property
    def words(self) -> str:
        """Method, axes and sign for a heading: "multibody, joint axes, internal"."""
        return f"{self.method}, {AXES_WORDS[self.axes]}, {self.convention}"

    @property
    def sentence(self) -> str:
        """What a load means, for a note."""
        acting = {
            "internal": "Force and moment of the proximal on the distal segment (internal: joint, muscles and "
            "ligaments)",
            "external": "Force and moment that joint, muscles and ligaments resist (external: opposite to those of the "
            "proximal on the distal segment)",
        }[self.convention]
        axes = {
            "joint": "the axes about which the joint's angles turn",
            "proximal": "the axes of the proximal segment",
            "distal": "the axes of the distal segment",
            "laboratory": "the axes of the laboratory",
        }[self.axes]
        return (
            f"{acting}, at the joint's centre, in {axes}, by the {self.method} method; a moment is positive in the "
            "direction of its name."
        )


@dataclass(frozen=True, eq=False)
class LoadComponents:
    """Curves of joint loads; values are read-only.

    names    : (C,) "right knee flexion moment", "right knee anterior force"
    values   : (T, C) in ``units``
    joint, side, quantity : (C,) joint, side of the body or None, "force" or "moment"
    positive, negative    : (C,) names of the two senses
    """

    names: tuple[str, ...]
    values: FloatArray
    units: tuple[str, ...]
    joint: tuple[str, ...]
    side: tuple[Side | None, ...]
    quantity: tuple[str, ...]
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    reading: LoadReading

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> FloatArray:
        """Curve (T,) of that name."""
        return np.asarray(self.values[:, self.index(name)])

    def index(self, name: str) -> int:
        """Number of a component, or a sentence that lists what there is."""
        if name not in self.names:
            raise BiomecError(f"There is no load {name}; there are {', '.join(self.names) or 'none'}.")
        return self.names.index(name)

    def of(self, joint: str, quantity: str) -> tuple[str, ...]:
        """Names of the three components of a joint's force or moment."""
        each = zip(self.names, self.joint, self.quantity, strict=True)
        return tuple(name for name, one, what in each if (one, what) == (joint, quantity))

    def label(self, name: str) -> str:
        """Text of an axis or a column: "Right knee flexion moment, internal (extension −) [N·m/kg]"."""
        k = self.index(name)
        return f"{name[0].upper()}{name[1:]}, {self.reading.convention} ({self.negative[k]} −) [{self.units[k]}]"

    @property
    def headings(self) -> tuple[str, ...]:
        """Headings of the columns of a table: "right knee flexion moment [multibody, joint axes, internal] (N m)"."""
        each = zip(self.names, self.units, strict=True)
        return tuple(f"{name} [{self.reading.words}] ({unit.replace('·', ' ')})" for name, unit in each)

    def chosen(self, names: Iterable[str]) -> LoadComponents:
        """Return these components only."""
        which = [self.index(name) for name in names]

        def pick(column: Sequence[str]) -> tuple[str, ...]:
            return tuple(column[k] for k in which)

        return LoadComponents(
            pick(self.names), read_only(self.values[:, which]), pick(self.units), pick(self.joint),
            tuple(self.side[k] for k in which), pick(self.quantity), pick(self.positive), pick(self.negative),
            self.reading,
        )  # fmt: skip

    def to_result(self) -> Result:
        """Return what a session stores: curves, names, units, senses, and how they were read."""
        return step_result(
            {"values": self.values},
            self.reading,
            (),
            names=self.names,
            units=self.units,
            joints=self.joint,
            sides=self.side,
            quantities=self.quantity,
            positive=self.positive,
            negative=self.negative,
        )


def load_components(
    loads: JointLoads,
    motion: SegmentMotion,
    model: BodyModel,
    reading: LoadReading = LoadReading(),
    *,
    hinges: Mapping[str, FloatArray] | None = None,
    mass_kg: float | None = None,
    height_m: float | None = None,
    joints: Iterable[str] | None = None,
) -> LoadComponents:
    """Components of force and moment of every joint, in the axes, convention and unit asked for.

    hinges   : hinge -> its axis (3,) in the proximal segment, for angles that are measured about it
    mass_kg, height_m : of the person, for normalised values
    joints   : only these; all if not given
    """
    if loads.frames != motion.frames:
        raise BiomecError(f"There are {loads.frames} frames of loads and {motion.frames} of motion; they must match.")
    divisor = divisors(reading, mass_kg, height_m)
    values: list[FloatArray] = []
    about: list[tuple[str, str, str, Side | None, str, str, str]] = []
    for joint in loads.joints if joints is None else joints:
        j = loads.index(joint)
        frames = joint_frames(model, motion, joint, hinges or {}, reading.angles)
        for quantity, axes, vector in (
            (FORCE, force_axes(frames, reading.axes), loads.force[:, j]),
            (MOMENT, torque_axes(frames, reading.axes), loads.torque[:, j]),
        ):
            values.append(axes.components(vector) * (reading.sense / divisor[quantity]))
            unit = UNITS[reading.normalisation, quantity]
            for positive, negative in zip(axes.positive, axes.negative, strict=True):
                name = load_name(joint, positive, quantity, reading.axes)
                about.append((name, unit, joint, frames.side, quantity, positive, negative))
    names, units, joints, sides, quantities, positives, negatives = zip(*about, strict=True) if about else ((),) * 7
    return LoadComponents(
        names, read_only(np.concatenate(values, axis=1) if values else np.empty((loads.frames, 0))), units, joints,
        sides, quantities, positives, negatives, reading,
    )  # fmt: skip


def load_name(joint: str, positive: str, quantity: str, axes: str) -> str:
    """Name a component: "right knee flexion moment"; in the laboratory "right knee moment about X"."""
    return f"{joint} {quantity} {positive}" if axes == "laboratory" else f"{joint} {positive} {quantity}"


def divisors(reading: LoadReading, mass_kg: float | None, height_m: float | None) -> dict[str, float]:
    """What loads are divided by: 1, the mass, or a hundredth of weight (moments: × height) [Hof1996]."""
    if reading.normalisation == "none":
        return dict.fromkeys(QUANTITIES, 1.0)
    if mass_kg is None or not mass_kg > 0.0:
        raise BiomecError("Loads relative to the person need the body mass in kilograms; enter it for the subject.")
    if reading.normalisation == "mass":
        return dict.fromkeys(QUANTITIES, mass_kg)
    if height_m is None or not height_m > 0.0:
        raise BiomecError("Moments in % of body weight × height need the person's height; enter it for the subject.")
    weight = 0.01 * mass_kg * GRAVITY
    return {FORCE: weight, MOMENT: weight * height_m}


RESIDUAL_AXES = ("root", "laboratory")


@dataclass(frozen=True, eq=False)
class ResidualComponents:
    """Curves of the residual; values are read-only.

    names    : (6,) "residual force along X" … "residual moment about Z"
    values   : (T, 6) in ``units``;  quantity : (6,) "force" or "moment"
    """

    names: tuple[str, ...]
    values: FloatArray
    units: tuple[str, ...]
    quantity: tuple[str, ...]


def residual_components(
    loads: JointLoads,
    motion: SegmentMotion,
    axes: str = "root",
    normalisation: str = "none",
    *,
    mass_kg: float | None = None,
    height_m: float | None = None,
) -> ResidualComponents:
    """Residual force and moment of the root segment.

    axes : "root" are those of the segment that carries it (X forward, Y up, Z right), "laboratory" the laboratory's
    """
    if axes not in RESIDUAL_AXES:
        raise BiomecError(f'The residual is read in the axes {" or ".join(RESIDUAL_AXES)}, not "{axes}".')
    divisor = divisors(LoadReading(normalisation=normalisation), mass_kg, height_m)
    R = motion.R_WB[:, motion.index(loads.root)]
    values, names, units = [], [], []
    for quantity, how, vector in (
        (FORCE, "along", loads.residual_force),
        (MOMENT, "about", loads.residual_torque),
    ):
        seen = vector if axes == "laboratory" else np.einsum("tik,ti->tk", R, vector)
        values.append(seen / divisor[quantity])
        names += [f"residual {quantity} {how} {letter}" for letter in LETTERS]
        units += [UNITS[normalisation, quantity]] * 3
    quantities = (FORCE,) * 3 + (MOMENT,) * 3
    return ResidualComponents(tuple(names), read_only(np.concatenate(values, axis=1)), tuple(units), quantities)
