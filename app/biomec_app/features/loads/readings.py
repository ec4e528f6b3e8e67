"""Loads of an analysis, read joint by joint when somebody asks for them, and kept. Knows no Qt.

All joints together take longer than the window may wait; one joint takes some milliseconds. The band around the loads
takes seconds: `panel` lets it be found in the background and gives it to `Readings.keep_band`. Parts of the loads take
some tens of milliseconds, and some hundreds where all constraints are kept: `panel` has them found there as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.joint_stress import JointStress, joint_stress
from biomec.body.loads.load_components import (
    MULTIBODY,
    LoadComponents,
    LoadReading,
    ResidualComponents,
    load_components,
    residual_components,
)
from biomec.body.loads.power import LoadPower
from biomec.body.loads.sensitivity import JointDoubt, LoadBand, band_components
from biomec.pipeline.analysis import Analysis, Done
from biomec.pipeline.load_reading import chosen_loads, chosen_power, motion_of_loads, named_loads, part_of
from biomec.pipeline.load_sensitivity import doubts_of
from biomec.pipeline.steps.loads import LoadResult

KEPT = 8  # analyses whose readings are kept: the open one, those compared with it, and some that can be undone
STEPS = ("loads", "segments", "body")


@dataclass(eq=False)
class _Kept:
    """What was read of one result."""

    components: dict[tuple[str, str, str, str, str], LoadComponents] = field(default_factory=dict)
    words: dict[str, LoadComponents] = field(default_factory=dict)
    parts: dict[tuple[str, str], JointLoads] = field(default_factory=dict)
    stress: dict[str, JointStress] = field(default_factory=dict)
    residual: dict[tuple[str, str, str], ResidualComponents] = field(default_factory=dict)
    band: LoadBand | None = None
    doubts: tuple[JointDoubt, ...] | None = None
    half_widths: dict[tuple[str, str, str], FloatArray] = field(default_factory=dict)


@lru_cache(maxsize=KEPT)
def _kept(angles: str, *made_of: Done) -> _Kept:
    """Readings of these results, in axes of these angles; results are compared by identity."""
    return _Kept()


def has_loads(analysis: Analysis) -> bool:
    """Whether there are loads, of as many frames as the motion has now."""
    if not all(step in analysis.done for step in STEPS):
        return False
    return analysis.loads.newton_euler.frames == analysis.segments.frames


class Readings:
    """Loads of an analysis in all axes and units; equal analyses share what was read."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.reading = analysis.settings.load_reading
        self._known = _kept(self.reading.angles, *(analysis.done[step] for step in STEPS))

    @property
    def found(self) -> LoadResult:
        """The result itself."""
        return self.analysis.loads

    @property
    def mass_kg(self) -> float:
        """Of the person."""
        return float(self.analysis.body.person.measures["mass"])

    @property
    def joints(self) -> tuple[str, ...]:
        """From the root to the ends of the limbs, the right side before the left."""
        names = self.found.newton_euler.joints[::-1]
        first = {name: k for k, name in enumerate(names)}
        return tuple(sorted(names, key=lambda name: (_rank(name, first), name.startswith("left "))))

    @property
    def power(self) -> LoadPower:
        """Of the loads of the method that the settings choose."""
        return chosen_power(self.analysis)

    def part(self, name: str) -> JointLoads:
        """What one of `PARTS` asks of the joints."""
        key = self.reading.method, name
        if key not in self._known.parts:
            self._known.parts[key] = part_of(self.analysis, name)
        return self._known.parts[key]

    def components(
        self, joint: str, axes: str, normalisation: str, method: str = MULTIBODY, part: str = ""
    ) -> LoadComponents:
        """Force and moment of a joint; of one of `PARTS` only, if it is named."""
        key = joint, axes, normalisation, method, part
        if key not in self._known.components:
            reading = LoadReading(axes, "internal", normalisation, method, self.reading.angles)
            loads = self.part(part) if part else self.found.by_method(method)
            self._known.components[key] = named_loads(self.analysis, loads, reading, (joint,))
        return self._known.components[key]

    def words(self, axes: str) -> LoadComponents:
        """Names and senses of all components; the values are those of the first frame."""
        if axes not in self._known.words:
            body, loads, motion = self.analysis.body.person, self.found.newton_euler, motion_of_loads(self.analysis)
            centre, force, torque = (read_only(table[:1]) for table in (loads.centre, loads.force, loads.torque))
            one = replace(loads, centre=centre, force=force, torque=torque)
            moment = replace(motion, R_WB=motion.R_WB[:1])
            reading = LoadReading(axes=axes, angles=self.reading.angles)
            self._known.words[axes] = load_components(one, moment, body.model, reading, hinges=body.joint_axes())
        return self._known.words[axes]

    @property
    def stress(self) -> JointStress:
        """Compression, traction, shear, torque off the axis of hinges."""
        method, body = self.reading.method, self.analysis.body.person
        if method not in self._known.stress:
            self._known.stress[method] = joint_stress(
                chosen_loads(self.analysis), motion_of_loads(self.analysis), body.model, body.joint_axes()
            )
        return self._known.stress[method]

    def residual(self, axes: str, normalisation: str = "none") -> ResidualComponents:
        """Residual force and moment, in axes of the root or of the laboratory."""
        key = self.reading.method, axes, normalisation
        if key not in self._known.residual:
            measures = self.analysis.body.person.measures
            self._known.residual[key] = residual_components(
                chosen_loads(self.analysis),
                motion_of_loads(self.analysis),
                axes,
                normalisation,
                mass_kg=self.mass_kg,
                height_m=float(measures["height"]),
            )
        return self._known.residual[key]

    def usable(self, joint: str) -> BoolArray | None:
        """(T,) frames in which the loads of a joint can be relied on; None where that is not known."""
        frames = self.found.trust.frames_of.get(joint)
        return None if frames is None else frames.reliable

    @property
    def plates(self) -> str:
        """How the forces of the plates were filtered; empty without plates."""
        return f"plate forces {self.found.plate_words}" if self.analysis.signals.trial.plates else ""

    def made(self, reading: LoadReading | None = None) -> tuple[str, ...]:
        """What the head of a plot says of loads: method, axes and sign, or the method alone; filter of the plates."""
        how = reading.words if reading is not None else self.reading.method
        return tuple(words for words in (how, self.plates) if words)

    # ------------------------------------------------------------------ band

    @property
    def band(self) -> LoadBand | None:
        """How far the loads may be off; None until it was found."""
        return self._known.band

    def keep_band(self, band: LoadBand, doubts: tuple[JointDoubt, ...] | None = None) -> None:
        """Keep a band that was found, and what it says of the joints, if that was found beside it."""
        self._known.band, self._known.doubts = band, doubts
        self._known.half_widths.clear()

    @property
    def doubts(self) -> tuple[JointDoubt, ...]:
        """Joints, the most doubtful first; none until the band was found."""
        if self._known.doubts is None and self.band is not None:
            self._known.doubts = doubts_of(self.found, self.band)
        return self._known.doubts or ()

    def half_width(self, joint: str, axes: str, normalisation: str, column: int) -> FloatArray | None:
        """(T,) half-width of a component of a joint, by its number; None until the band was found."""
        if self.band is None:
            return None
        key = joint, axes, normalisation
        if key not in self._known.half_widths:
            body = self.analysis.body.person
            self._known.half_widths[key] = band_components(
                self.band,
                motion_of_loads(self.analysis),
                body.model,
                LoadReading(axes, normalisation=normalisation, angles=self.reading.angles),
                hinges=body.joint_axes(),
                mass_kg=self.mass_kg,
                height_m=float(body.measures["height"]),
                joints=(joint,),
            )
        return np.asarray(self._known.half_widths[key][:, column])


def stem(joint: str) -> str:
    """A joint without its side."""
    return joint.removeprefix("right ").removeprefix("left ")


def _rank(name: str, first: dict[str, int]) -> int:
    """Place of a joint, the same for both sides."""
    return min(place for other, place in first.items() if stem(other) == stem(name))
