"""Ground reaction of a visit: force of each foot in body weight, and where it acts, over the stance of single cycles.

Only cycles count whose foot stood alone on sound plates. Forward is the way of walking, medial is towards the other
foot; paths of the centre of pressure start from the heel as it lands, and on a treadmill go with the belt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.frozen import FrozenDict
from biomec.base.physics import GRAVITY
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import load_cycles
from biomec.recording.limb_names import limb_of
from biomec.reporting.clinical.blocks import CycleOrigin, Grid, Panel, PathOfPressure, course_of
from biomec.reporting.clinical.panels import norm_band, norm_note
from biomec.reporting.clinical.visit import SIDES, Visit
from biomec.reporting.clinical_curves import VERTICAL as UP
from biomec.reporting.clinical_curves import belt_velocity, way_of_walking
from biomec.reporting.clinical_presentation import BY_NAME
from biomec.reporting.norms.norm import NormSet
from biomec.signals.cycle_average import FEWEST_SAMPLES, resample_spans
from biomec.signals.kinematic_events import gait_markers

VERTICAL, FORWARD, MEDIAL = "ground reaction vertical", "ground reaction forward", "ground reaction medial"
PANELS = (
    (VERTICAL, "Vertical", "Up", "Down", 0.0, 1.5, 0.5),
    (FORWARD, "Forward", "Fwd", "Back", -0.3, 0.3, 0.1),
    (MEDIAL, "Medial", "Med", "Lat", -0.2, 0.2, 0.1),
)
"""Curve, title, words, and range of the axis with the step by which it grows [body weight]."""
LEAST_SHARE = 0.05  # of the body's weight below which the point of a force is not known well
MILLIMETRE = 1e3


@dataclass(frozen=True, eq=False)
class Reaction:
    """Forces of one foot, cycle by cycle; arrays are read-only.

    forces   : curve -> (K, 101) over 0 to 100 % of the cycle [body weight]
    paths    : (K,) each (T, 2) across, to the person's right, and along the way, from the heel [mm]
    foot_off : (K,) [% of the cycle]; NaN where no event tells
    from_heel : whether paths start from the heel, not from their own first point
    """

    forces: Mapping[str, FloatArray]
    paths: tuple[FloatArray, ...]
    foot_off: FloatArray
    origins: tuple[CycleOrigin, ...]
    from_heel: bool

    def whole(self, name: str) -> FloatArray:
        """Curves (K, 101), also after foot off."""
        return self.forces[name]

    def stance(self, name: str) -> FloatArray:
        """Curves (K, 101), NaN after foot off."""
        percent = np.linspace(0.0, 100.0, self.forces[name].shape[1])
        late = percent[None, :] > np.where(np.isfinite(self.foot_off), self.foot_off, 100.0)[:, None]
        return np.asarray(np.where(late, np.nan, self.forces[name]))


def ground_reactions(visit: Visit) -> Mapping[str, Reaction]:
    """Side, "right" or "left" -> ground reaction of its foot; sides without a cycle that counts are not in it."""
    found: dict[str, list[tuple[dict[str, FloatArray], FloatArray, float, CycleOrigin, bool]]] = {}
    for k, trial in enumerate(visit.trials):
        analysis = trial.analysis
        if trial.excluded or "loads" not in analysis.done or analysis.loads.multibody.frames != len(analysis.motion.q):
            continue
        kinds = pooled_strides(visit, k)
        for side in SIDES:
            judged = load_cycles(analysis).get(side.capitalize())
            joint = f"{side} ankle"
            if judged is None or joint not in judged.ground:
                continue
            for number in np.flatnonzero(judged.counts(joint)):
                first, last = (int(frame) for frame in judged.cycles.spans[number])
                if last - first >= FEWEST_SAMPLES - 1 and kinds.get((side, first), True):
                    origin = CycleOrigin(k, int(number), first, last)
                    found.setdefault(side, []).append(_one(analysis, side, origin, judged.cycles.phase_changes_percent))
    return FrozenDict({side: _joined(rows) for side, rows in found.items()})


def pooled_strides(visit: Visit, trial: int) -> dict[tuple[str, int], bool]:
    """(side, first frame) -> whether the stride is of the kind that the visit pools."""
    one = visit.trials[trial]
    walked, rate = one.time_and_distance, one.analysis.signals.trial.rate_hz
    strides = () if walked is None else walked.strides
    return {
        (stride.side.lower(), round(stride.start_s * rate)): stride.kind is visit.kind
        for stride in strides
        if stride.number is not None
    }


def _one(
    analysis: Analysis, side: str, origin: CycleOrigin, turns: FloatArray
) -> tuple[dict[str, FloatArray], FloatArray, float, CycleOrigin, bool]:
    """Forces (101,), path (T, 2), foot off [%], origin, and whether the heel was seen, of one cycle."""
    first, last = origin.first, origin.last
    external = analysis.loads.external
    weight = GRAVITY * float(analysis.body.person.measures["mass"])
    way, _ = way_of_walking(analysis, first, last)
    right = np.cross(way, UP)
    medial = -right if side == "right" else right
    mine = [k for k, segment in enumerate(external.segments) if _is_foot(segment, side)]
    force = external.force[first : last + 1, mine]
    total = force.sum(axis=1) / weight
    axes = {VERTICAL: UP, FORWARD: way, MEDIAL: medial}
    forces = {name: resample_spans(total @ axis, [[0, last - first]]).curves[0] for name, axis in axes.items()}
    off = float(turns[origin.number])
    stop = last - first + 1 if not np.isfinite(off) else int(np.ceil(0.01 * off * (last - first))) + 1
    up = force @ UP
    loaded = np.flatnonzero(up[:stop].sum(axis=1) > LEAST_SHARE * weight)
    share = up[loaded] / up[loaded].sum(axis=1, keepdims=True)
    point = np.einsum("tk,tki->ti", share, external.point[first : last + 1, mine][loaded])
    belt = belt_velocity(analysis)
    if belt is not None:  # the ground under the foot moves: the path is on the belt
        point = point - loaded[:, None] / analysis.signals.trial.rate_hz * np.asarray(belt)
    heel = _heel(analysis, side, first)
    start = heel if heel is not None else point[0] if len(point) else np.zeros(3)
    path = MILLIMETRE * np.column_stack([(point - start) @ right, (point - start) @ way])
    return forces, path, off, origin, heel is not None


def _heel(analysis: Analysis, side: str, frame: int) -> FloatArray | None:
    """Marker at the heel (3,) in a frame [m]; None where it is not seen."""
    clean, marker_set = analysis.signals, analysis.preparation.marker_set
    if marker_set.gait is None:
        return None
    name = gait_markers(marker_set, clean.markers.names).heel.get(side.capitalize(), "")
    if name not in clean.markers.names:
        return None
    place = np.asarray(clean.markers[name][frame])
    return place if np.isfinite(place).all() else None


def _is_foot(segment: str, side: str) -> bool:
    limb = limb_of(segment)
    return limb is not None and limb.kind == "foot" and segment.startswith(side)


def _joined(rows: list[tuple[dict[str, FloatArray], FloatArray, float, CycleOrigin, bool]]) -> Reaction:
    forces = {name: read_only(np.array([one[0][name] for one in rows])) for name, *_ in PANELS}
    return Reaction(
        FrozenDict(forces),
        tuple(read_only(one[1]) for one in rows),
        read_only([one[2] for one in rows]),
        tuple(one[3] for one in rows),
        all(one[4] for one in rows),
    )


def ground_grid(found: Mapping[str, Reaction], norm: NormSet | None, visit: Visit, deviations: float = 1.0) -> Grid:
    """Three components over stance, right and left in one panel."""
    panels = []
    for name, title, up, down, low, high, step in PANELS:
        courses, every = [], [np.zeros(0)]
        for side, one in found.items():
            curves = one.stance(name)
            off = one.foot_off[np.isfinite(one.foot_off)]
            course = course_of(side, curves, side.capitalize(), 0, one.origins)
            courses.append(replace(course, foot_off=float(off.mean()) if off.size else None))
            every.append(curves[np.isfinite(curves)])
        values = np.concatenate(every)
        least = min(low, step * np.floor(values.min() / step)) if values.size else low
        most = max(high, step * np.ceil(values.max() / step)) if values.size else high
        grown = (least, most) != (low, high)
        band = norm_band(BY_NAME[name], visit, norm, deviations) if name in BY_NAME else None
        panels.append(
            Panel(name, f"{title} [body weight]", "body weight", up, down, float(least), float(most), grown,
                  tuple(courses), band)
        )  # fmt: skip
    counts = ", ".join(f"{len(found[side].origins) if side in found else 0} {side}" for side in SIDES)
    note = f"Cycles: {counts}. From contact to foot off, in % of the whole cycle. Medial: towards the other foot."
    if any(panel.band is not None for panel in panels):
        note = f"{note} {norm_note(norm, visit, deviations)}"
    return Grid("Ground reaction", (tuple(panels),), note=note)


def pressure_paths(found: Mapping[str, Reaction]) -> PathOfPressure | None:
    """Paths of the centre of pressure of all cycles; None without any."""
    paths = [
        (side, f"{side.capitalize()}, cycle {k + 1}", path)
        for side, one in found.items()
        for k, path in enumerate(one.paths)
        if len(path)
    ]
    if not paths:
        return None
    start = "the heel marker at contact" if all(one.from_heel for one in found.values()) else "its own first point"
    note = f"Along the way of walking and to the person's right, from {start}; the dot is where the path begins."
    return PathOfPressure("Centre of pressure", tuple(paths), note)
