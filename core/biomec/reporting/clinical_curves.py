"""Curves of an analysis as a clinical report shows them: per cycle of the same side, in clinical signs and units.

Pelvis and foot count from the way of walking, the heading: the direction in which the pelvis moves from the first to
the last frame of a cycle. Their attitudes are turned by it before they become angles by the definitions of Plug-in
Gait, so that no number depends on how the laboratory lies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.frozen import FrozenDict
from biomec.body.kinematics.joint_angles import AngleOptions, JointAngles, joint_angles
from biomec.body.loads.load_components import MOMENT as LOAD_MOMENT
from biomec.body.loads.load_components import LoadComponents, LoadReading
from biomec.body.plug_in_gait.angles import CONVENTION, STANDING, definitions
from biomec.body.plug_in_gait.comparison import Curves
from biomec.body.plug_in_gait.legs import SIDES, LegSide
from biomec.engine.rotations import elementary
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import cycles_of_joint
from biomec.pipeline.load_reading import read_loads
from biomec.pipeline.plug_in_gait import file_curves, file_static_curves, vicon_curves, vicon_static_curves
from biomec.pipeline.steps.angles import angles
from biomec.pipeline.steps.segments import belt_of
from biomec.reporting.clinical_presentation import ANGLE, CURVES, FORCE, MOMENT, POWER, ClinicalCurve, orientation
from biomec.signals.cycle_average import FEWEST_SAMPLES, CycleCurves, channel, joined, resample_cycles, resample_spans
from biomec.signals.cycles import Cycles

OWN, VICON, STORED = "own", "vicon", "stored"
"""Whose curves: of our model; of Plug-in Gait as Vicon computes it; of Plug-in Gait as the file stores it."""
UP, VERTICAL = 1, np.array([0.0, 1.0, 0.0])
LEAST_WAY_M = 0.3  # a pelvis that moves less in a cycle walks on the spot or on a belt
LEAST_BELT_M_S = 0.1


@dataclass(frozen=True, eq=False)
class ClinicalCycles:
    """Clinical curves of one recording.

    model  : model of the body that gave them
    curves : (side, curve), such as ("right", "hip adduction") -> its cycles on 0 to 100 %, in the curve's unit
    speeds_m_s : side -> (K,) speed of the pelvis over the ground or the belt in every valid cycle [m/s]
    """

    model: str
    curves: Mapping[tuple[str, str], CycleCurves]
    speeds_m_s: Mapping[str, FloatArray]

    @property
    def speed_m_s(self) -> float | None:
        """Mean over the cycles of both sides [m/s]; None without any."""
        every = np.concatenate([np.zeros(0), *self.speeds_m_s.values()])
        return float(every.mean()) if every.size else None


def clinical_cycles(analysis: Analysis, source: str = OWN) -> ClinicalCycles:
    """Clinical curves of the valid cycles of both sides; cycles must have run. A curve without any is left out."""
    ways = {side.word: _cycles(analysis, side) for side in SIDES}
    speeds = {
        word: np.array([way_of_walking(analysis, first, last)[1] for first, last in found.spans[found.valid]])
        for word, found in ways.items()
        if found is not None
    }
    made = dict(_own(analysis) if source == OWN else _plug_in_gait(analysis, source))
    model = analysis.body.person.model.name if source == OWN else "Plug-in Gait"
    return ClinicalCycles(
        model, FrozenDict({key: one for key, one in made.items() if int(one.count)}), FrozenDict(speeds)
    )


def _cycles(analysis: Analysis, leg: LegSide) -> Cycles | None:
    return analysis.cycles.groups.get(leg.word.capitalize())


# ----------------------------------------------------------------------------------------------------- our own model
Named = Iterator[tuple[tuple[str, str], CycleCurves]]


def _resampled(cycles: Cycles, side: str, found: Sequence[tuple[str, FloatArray]]) -> Named:
    """Curves (T,) of a side over the same cycles, by name, all by one spline a cycle."""
    if found:
        every = resample_cycles(cycles, np.stack([values for _, values in found], axis=-1))
        for k, (name, _) in enumerate(found):
            yield (side, name), channel(every, k)


def _own(analysis: Analysis) -> Named:
    found = _clinical_angles(analysis)
    loads = powers = None
    if "loads" in analysis.done and analysis.loads.multibody.frames == len(analysis.motion.q):
        reading = LoadReading(axes="distal", convention="internal", normalisation="mass")
        loads, powers = read_loads(analysis, reading), analysis.loads.power
    for leg in SIDES:
        cycles = _cycles(analysis, leg)
        if cycles is None or not cycles.valid.any():
            continue
        yield from _along_the_way(analysis, leg, cycles)
        moved: list[tuple[str, FloatArray]] = []
        loaded: dict[str, list[tuple[str, FloatArray]]] = {}
        for row in CURVES:
            joint = leg.name(row.joint)
            if row.kind == ANGLE and row.own:
                values = own_angle(row, found, joint)
                if values is not None:
                    moved.append((row.name, values))
            elif loads is not None and powers is not None and row.kind in (MOMENT, POWER) and joint in powers.joints:
                mass = float(analysis.body.person.measures["mass"])
                power = powers.joint[:, powers.joints.index(joint)] / mass
                values = power if row.kind == POWER else own_moment(row, loads, joint)
                if values is not None:
                    loaded.setdefault(joint, []).append((row.name, values))
        yield from _resampled(cycles, leg.word, moved)
        for joint, of_joint in loaded.items():
            counted = cycles_of_joint(analysis, joint)[leg.word.capitalize()]
            if counted.valid.any():
                yield from _resampled(counted, leg.word, of_joint)


def _clinical_angles(analysis: Analysis) -> JointAngles:
    """Angles by the convention of Plug-in Gait, and by the standard one where the model has no such angles."""
    known = {one.convention for one in analysis.body.person.model.angles}
    options = AngleOptions(CONVENTION) if CONVENTION in known else AngleOptions()
    return angles(analysis.body, analysis.motion, analysis.signals.trial.first_frame, options)


def own_angle(row: ClinicalCurve, found: JointAngles, joint: str) -> FloatArray | None:
    """Clinical angle (T,) [°] among those of a joint such as "right hip"; None where the model does not have it."""
    for k, name in enumerate(found.joint):
        sign = orientation(row, found.positive[k], found.negative[k]) if name == joint else 0.0
        if sign:
            return np.asarray(sign * np.degrees(found.values[:, k]))
    return None


def own_moment(row: ClinicalCurve, loads: LoadComponents, joint: str) -> FloatArray | None:
    """Clinical moment (T,) [N·m/kg] among the internal ones per kilogram, about the axes of the distal segment."""
    for name in loads.of(joint, LOAD_MOMENT):
        k = loads.index(name)
        sign = orientation(row, loads.positive[k], loads.negative[k])
        if sign:
            return np.asarray(sign * loads.values[:, k])
    return None


def _along_the_way(analysis: Analysis, leg: LegSide, cycles: Cycles) -> Named:
    """Pelvis and foot, cycle by cycle, each in its own heading."""
    rows = [row for row in CURVES if row.kind == ANGLE and not row.own]
    parts: dict[str, list[CycleCurves]] = {}
    spans = cycles.spans
    used = np.flatnonzero(cycles.valid & (spans[:, 1] - spans[:, 0] >= FEWEST_SAMPLES - 1))
    for first, last in spans[used]:
        seen = _turned(analysis, leg, int(first), int(last))
        there = [row for row in rows if row.plug_in_gait_name(leg.word) in seen]
        if there:
            values = np.stack([np.degrees(seen[row.plug_in_gait_name(leg.word)]) for row in there], axis=-1)
            every = resample_spans(values, [[0, last - first]])
            for k, row in enumerate(there):
                parts.setdefault(row.name, []).append(channel(every, k))
    for name, found in parts.items():
        yield (leg.word, name), replace(joined(found), numbers=read_only(used, np.int64))


def _turned(analysis: Analysis, leg: LegSide, first: int, last: int) -> JointAngles:
    """Angles of pelvis and foot over the frames of a cycle, in axes whose X is the heading."""
    way, _ = way_of_walking(analysis, first, last)
    motion = analysis.segments
    return _in_heading(
        {name: motion.R_WB[first : last + 1, k] for k, name in enumerate(motion.names)}, leg, way, last + 1 - first
    )


def _in_heading(segments: Mapping[str, FloatArray], leg: LegSide, way: FloatArray, frames: int) -> JointAngles:
    """Angles of pelvis and foot, attitudes (T, 3, 3), in axes whose X is ``way`` (3,), a level unit vector."""
    heading = np.stack([way, VERTICAL, np.cross(way, VERTICAL)], axis=-1)
    attitudes = {name: heading.T @ segments[name] for name in ("pelvis", leg.name("foot")) if name in segments}
    attitudes[STANDING] = np.broadcast_to(elementary(-0.5 * np.pi, 2), (frames, 3, 3))
    wanted = [one for one in definitions() if one.side is leg.side and one.distal in attitudes]
    wanted = [one for one in wanted if one.joint.endswith(("pelvis", "foot progression"))]
    return joint_angles(attitudes, wanted, static={}, options=AngleOptions(CONVENTION, unwrap=False))


def way_of_walking(analysis: Analysis, first: int, last: int) -> tuple[FloatArray, float]:
    """Heading (3,) of a cycle, a level unit vector, and the speed over the ground [m/s].

    Where the pelvis stays in its place, the belt says it, and without a belt the mean forward axis of the pelvis.
    """
    motion = analysis.segments
    seconds = (last - first) / analysis.signals.trial.rate_hz
    if "pelvis" not in motion.names:
        return np.array([1.0, 0.0, 0.0]), float("nan")
    at = motion.index("pelvis")
    moved = motion.p_com[last, at] - motion.p_com[first, at]
    belt = belt_velocity(analysis)
    if belt is not None and float(np.linalg.norm(belt)) > LEAST_BELT_M_S:
        moved = moved - np.asarray(belt) * seconds
    speed = float(np.linalg.norm(_level(moved))) / seconds
    if float(np.linalg.norm(_level(moved))) < LEAST_WAY_M:
        moved = motion.R_WB[first : last + 1, at, :, 0].mean(axis=0)
    way = _level(moved)
    size = float(np.linalg.norm(way))
    return (way / size if size > 0.0 else np.array([1.0, 0.0, 0.0])), speed


def belt_velocity(analysis: Analysis) -> FloatArray | None:
    """Velocity (3,) of a treadmill's belt in the laboratory [m/s]; None where nothing tells that there is one."""
    return analysis.derived(_belt)


def _belt(analysis: Analysis) -> FloatArray | None:
    return belt_of(analysis.signals, analysis.body)


def _level(vector: FloatArray) -> FloatArray:
    level = np.array(vector, dtype=np.float64)
    level[UP] = 0.0
    return level


def static_angles(analysis: Analysis, source: str = OWN) -> Mapping[tuple[str, str], float]:
    """(side, curve) -> angle in the static pose, clinical signs [°]; empty where there was no static.

    Pelvis and feet count from the way that the pelvis faces, so that its rotation is zero and not among them. What a
    file stores of a static counts from the axes of the laboratory: rotation and foot progression are left out of it.
    """
    if analysis.preparation.static_is_dynamic:
        return FrozenDict()
    return _own_static(analysis) if source == OWN else _plug_in_gait_static(analysis, source)


def _plug_in_gait_static(analysis: Analysis, source: str) -> Mapping[tuple[str, str], float]:
    """Means over the frames of the static."""
    every = vicon_static_curves(analysis) if source == VICON else file_static_curves(analysis)
    known = {name: np.degrees(values[np.isfinite(values)]) for name, kind, values in every if kind == ANGLE}
    turned = ("pelvis rotation",) if source == VICON else ("pelvis rotation", "foot progression")
    found = {
        (leg.word, row.name): known.get(row.plug_in_gait_name(leg.word))
        for leg in SIDES
        for row in CURVES
        if row.kind == ANGLE and row.name not in turned
    }
    return FrozenDict({key: float(np.mean(one)) for key, one in found.items() if one is not None and one.size})


def _own_static(analysis: Analysis) -> Mapping[tuple[str, str], float]:
    found = _clinical_angles(analysis)
    person = analysis.body.person
    standing = {name: R[None] for name, R in person.attitudes(person.system.reference).items()}
    made: dict[tuple[str, str], float] = {}
    for leg in SIDES:
        still = replace(found, values=found.static[None])
        seen = None
        if "pelvis" in standing:
            ahead = _level(standing["pelvis"][0, :, 0])
            size = float(np.linalg.norm(ahead))
            seen = _in_heading(standing, leg, ahead / size, 1) if size > 0.0 else None
        for row in CURVES:
            value: FloatArray | None = None
            if row.kind == ANGLE and row.own:
                value = own_angle(row, still, leg.name(row.joint))
            elif row.kind == ANGLE and row.name != "pelvis rotation" and seen is not None:
                name = row.plug_in_gait_name(leg.word)
                value = np.degrees(seen[name]) if name in seen else None
            if value is not None and np.isfinite(value[0]):
                made[leg.word, row.name] = float(value[0])
    return FrozenDict(made)


# ------------------------------------------------------------------------------------------------------ Plug-in Gait
def _plug_in_gait(analysis: Analysis, source: str) -> Named:
    """Curves of Plug-in Gait, which are in clinical signs already."""
    every: Curves = vicon_curves(analysis) if source == VICON else file_curves(analysis)
    known = {name: values for name, _, values in every}
    for leg in SIDES:
        cycles = _cycles(analysis, leg)
        if cycles is None or not cycles.valid.any():
            continue
        found = []
        for row in CURVES:
            values = None if row.kind == FORCE else known.get(row.plug_in_gait_name(leg.word))
            if values is not None and len(values) == cycles.frames:
                scale = np.degrees(1.0) if row.kind == ANGLE else 1.0
                found.append((row.name, scale * values))
        yield from _resampled(cycles, leg.word, found)
