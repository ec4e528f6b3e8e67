"""What kinematic consistency tells its user: how many frames converged, and where the measured motion is worst."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.base.notices import Notice, Scope, info, problem, warning
from biomec.body.anatomy.frames import Points
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.engine.joint_kinds import TREE_KINDS
from biomec.engine.position import FrameStatus, PositionResult
from biomec.recording import Markers
from biomec.signals.stretches import stretches

LARGE_SHIFT = 0.030  # m: a landmark that consistency moves further than this, on average, gets a notice
LARGE_RESIDUAL = 0.020  # m: root mean square of all markers above this is a warning; OpenSim's rule of thumb
LARGEST_RESIDUAL = 0.040  # m: the same of one marker; OpenSim's rule of thumb for the largest error
SHAPE_CHANGE = 0.015  # m: root mean square of changes of distance within a segment above which it gets a notice
WORST = 3  # landmarks and markers listed by name
TYPES = {
    "rigid": "the segments' lengths and right angles",
    **{key: f"the {kind.plural}" for key, kind in TREE_KINDS.items()},
    "ellipsoid": "the scapulae's contact with the thorax",
    "temporary": "the contacts with the ground",
}


@dataclass(frozen=True, eq=False)
class Reporter:
    """Words about one consistent motion; fields as in `ConsistentMotion`.

    points : raw landmarks (T, 3) [m]
    free   : (T, S) segments that can move without moving any marker in sight; the undetermined ones among them
    """

    body: SubjectModel
    markers: Markers
    points: Points
    position: PositionResult
    valid: BoolArray
    free: BoolArray
    undetermined: BoolArray
    landmarks: tuple[str, ...]
    distance: FloatArray
    seen: tuple[str, ...]
    residual: FloatArray
    joints: tuple[str, ...]
    gap: FloatArray
    first_frame: int = 0

    def notices(self, options: ConsistencyOptions) -> list[Notice]:
        """Everything worth telling, the frames first."""
        notices = [self.converged(), *self.unsolved(options)]
        if options.method == "markers":
            notices += [*self.not_determined(), *self.free_to_turn()]
            if options.weights.kind == "sigma-mu":
                notices.append(info("weights-alike", "Weights by σ/μ are for coordinates; here markers weigh alike."))
        return [
            *notices,
            *self.worst_type(),
            *self.worst_joints(),
            *self.worst_landmarks(),
            *self.worst_markers(),
            *self.changing_shapes(),
        ]

    # ------------------------------------------------------------------ frames

    def converged(self) -> Notice:
        """How many frames obey the model."""
        count, total = int(self.valid.sum()), len(self.valid)
        if not count:
            return problem("consistency", f"None of the {total} frames could be made to obey the model.")
        mean = float(self.position.iterations[self.valid].mean())
        worst = float(self.position.violation[self.valid].max())
        words = f"{count} of {total} frames obey the model ({mean:.1f} iterations on average, ‖Φ‖ at most {worst:.1e})."
        return info("consistency", words) if count == total else warning("consistency", words)

    def unsolved(self, options: ConsistencyOptions) -> list[Notice]:
        """Frames that do not, stretch by stretch, and why."""
        notices: list[Notice] = []
        status = self.position.status
        for kind in map(FrameStatus, np.unique(status[~self.valid]).tolist()):
            for first, stop in stretches(np.asarray(status == kind)).tolist():
                why = kind.sentence
                if kind is FrameStatus.MISSING:
                    why = self._missing(first, stop, options)
                notices.append(
                    problem(
                        f"frames-{kind.name.lower().replace('_', '-')}",
                        f"{self._frames(first, stop)} cannot be used. {why}",
                        *(self._absent(first, stop) if kind is FrameStatus.MISSING else ()),
                        frames=(first, stop - 1),
                    )
                )
        return notices

    def _frames(self, first: int, stop: int) -> str:
        """Frames by the numbers of the file."""
        begin, end = self.first_frame + first, self.first_frame + stop - 1
        if begin == end:
            return f"Frame {begin}"
        return f"Frames {begin} to {end} ({(stop - first) / self.markers.rate_hz:.2f} s)"

    def _absent(self, first: int, stop: int) -> tuple[str, ...]:
        """Landmarks that frames and coordinates need and that are missing in some frame of a stretch."""
        needed = dict.fromkeys(
            name
            for segment in self.body.segments
            for name in (*self.body.frames[segment.name].landmarks, *segment.basic_points)
        )
        return tuple(name for name in needed if not np.isfinite(self.points[name][first:stop]).all())

    def _missing(self, first: int, stop: int, options: ConsistencyOptions) -> str:
        if options.method == "markers":
            return "No marker of the model is in sight."
        computed = {step.name for step in self.body.plan.steps}
        absent = self._absent(first, stop)
        recorded = [name for name in absent if name not in computed] or list(absent)
        if not absent:
            return (
                f"The frame of {' and '.join(self._without_frame(first, stop))} cannot be built, because its landmarks "
                "lie at one place or on a line. Check their labels."
            )
        frames = stop - first
        lost = []
        for name in recorded:
            count = int((~np.isfinite(self.points[name][first:stop]).all(axis=1)).sum())
            lost.append(name if count == frames else f"{name} (in {count} of them)")
        return (
            f"Landmarks are missing: {', '.join(lost)}. Fill the gaps of their markers, or use global optimisation, "
            "which needs only some markers."
        )

    def _without_frame(self, first: int, stop: int) -> list[str]:
        """Segments that have no attitude in some frame of a stretch."""
        part = {name: points[first:stop] for name, points in self.points.items()}
        return [
            f"the {segment.name}"
            for segment in self.body.segments
            if not np.isfinite(self.body.frames[segment.name].attitude(part, segment.sign)).all()
        ]

    def not_determined(self) -> list[Notice]:
        """Segments that neither markers nor constraints hold, stretch by stretch."""
        notices = []
        for s, name in enumerate(self.body.system.layout.bodies):
            here = self.undetermined[:, s] & self.valid
            if not here.any():
                continue
            parts = stretches(here).tolist()
            first, stop = max(parts, key=lambda part: part[1] - part[0])
            where = self._frames(first, stop).lower()
            if len(parts) > 1:
                where = f"{int(here.sum())} frames, the longest stretch being {where},"
            notices.append(
                problem(
                    "segment-undetermined",
                    f"Too few markers of the {name} and its neighbours are in sight in {where} to tell where it is; "
                    "what is shown of it there only continues its motion. Do not use its angles there, or leave the "
                    "segment out.",
                    name,
                    frames=(first, stop - 1),
                )
            )
        return notices

    def free_to_turn(self) -> list[Notice]:
        """Segments that markers leave some freedom, where their landmarks decide instead."""
        some = np.asarray((self.free & ~self.undetermined & self.valid[:, None]).any(axis=0))
        names = [name for name, free in zip(self.body.system.layout.bodies, some, strict=True) if free]
        if not names:
            return []
        return [
            info(
                "segment-free",
                f"The markers in sight leave some freedom to {', '.join(names)}; there the nearest place to the "
                "landmarks is taken.",
                *names,
            )
        ]

    # ------------------------------------------------------------------ where the measured motion is worst

    def worst_type(self) -> list[Notice]:
        """Which constraints the measured coordinates violated most."""
        before = {
            kind: float(values[self.valid].mean())
            for kind, values in self.position.before.items()
            if kind != "temporary" and self.valid.any()
        }
        if not before or max(before.values()) < 1e-6:
            return []
        kind = max(before, key=lambda name: before[name])
        return [
            info(
                "worst-constraints",
                f"The start disagreed most with {TYPES.get(kind, kind)} (mean violation {before[kind]:.1e} a row).",
                kind,
            )
        ]

    def worst_joints(self) -> list[Notice]:
        """Joints whose two ends the measured coordinates put farthest apart."""
        worst = _worst(self.joints, self.gap)
        if not worst or worst[0][1] < 1e-6:
            return []
        listed = ", ".join(f"{name} {1e3 * mean:.1f} mm (at most {1e3 * top:.1f})" for name, mean, top in worst)
        return [info("joints-apart", f"Measured joints come apart most, on average: {listed}.", worst[0][0])]

    def worst_landmarks(self) -> list[Notice]:
        """Landmarks that consistency moved most."""
        worst = _worst(self.landmarks, self.distance)
        if not worst:
            return []
        listed = ", ".join(f"{name} {1e3 * mean:.1f} mm (at most {1e3 * top:.1f})" for name, mean, top in worst)
        sentence = f"Landmarks moved most from where they were measured, on average: {listed}."
        if worst[0][1] > LARGE_SHIFT:
            words = f"{sentence} Check their markers and the static."
            return [warning("landmarks-moved", words, worst[0][0], scope=Scope.JOINTS)]
        return [info("landmarks-moved", sentence, *(name for name, *_ in worst))]

    def worst_markers(self) -> list[Notice]:
        """Markers that are farthest from where the model has them."""
        worst = _worst(self.seen, self.residual, power=2)
        if not worst:
            return []
        known = self.residual[np.isfinite(self.residual)]
        rms = 1e3 * float(np.sqrt(np.mean(known**2)))
        listed = ", ".join(f"{name} {1e3 * each:.1f} mm (at most {1e3 * top:.1f})" for name, each, top in worst)
        sentence = f"Markers are {rms:.1f} mm (rms) from where the model has them; the worst: {listed}."
        if rms > 1e3 * LARGE_RESIDUAL or worst[0][1] > LARGEST_RESIDUAL:
            return [warning("marker-residuals", f"{sentence} Check their labels and the static.", worst[0][0])]
        return [info("marker-residuals", sentence, *(name for name, *_ in worst))]

    def changing_shapes(self) -> list[Notice]:
        """Segments whose raw landmarks do not keep their distances: skin, a wrong label or a badly rebuilt marker.

        For every pair of a segment's landmarks the distance is compared with that of the static pose; a landmark's
        change is the root mean square over frames and partners. Points that the model lets move on purpose are not
        judged, such as a shoulder centre that follows the acromion.
        """
        shapes = self.body.system.derived(("shapes", *self.landmarks), self._shapes)
        if not shapes:
            return []
        used = list(dict.fromkeys(name for names, _ in shapes.values() for name in names))
        place = {name: k for k, name in enumerate(used)}
        changes = _changes_of_distance(
            np.stack([self.points[name] for name in used]),
            np.array([place[name] for names, _ in shapes.values() for name in names]),
            np.concatenate([local for _, local in shapes.values()]),
            np.cumsum([0, *(len(names) for names, _ in shapes.values())]),
        )
        notices, stop = [], 0
        for segment, (names, _) in shapes.items():
            rms = np.sqrt(changes[stop : stop + len(names)])
            stop += len(names)
            worst = int(np.argmax(rms))
            if rms[worst] > SHAPE_CHANGE:
                notices.append(
                    warning(
                        "segment-changes-shape",
                        f"The {segment} does not keep its shape: the distances of {self._origin(names[worst])} "
                        f"from its other landmarks differ by {1e3 * rms[worst]:.0f} mm (rms) from the static. Markers "
                        "slip, are mislabelled, or were rebuilt badly.",
                        segment,
                        names[worst],
                    )
                )
        return notices

    def _shapes(self) -> dict[str, tuple[list[str], FloatArray]]:
        """Segment -> its landmarks (L), two or more, that should not move in it, and their local places (L, 3) [m]."""
        moving, shapes = self._moving_points(), {}
        for segment in self.body.segments:
            here = self.body.system.layout.bodies[segment.name].points
            names = [name for name in self.landmarks if name in here and name not in moving]
            if len(names) > 1:
                shapes[segment.name] = (names, np.stack([here[name] for name in names]))
        return shapes

    def _origin(self, name: str) -> str:
        """Landmark, with those that it is computed from in every frame."""
        step = next((step for step in self.body.plan.steps if step.name == name), None)
        if step is None:
            return name
        return f"{name} (from {', '.join(step.carried_by or self.body.plan.needs(step))})"

    def _moving_points(self) -> set[str]:
        """Points computed anew in every frame from landmarks that no single segment of theirs holds together."""
        bodies = self.body.system.layout.bodies.values()
        return {
            step.name
            for step in self.body.plan.steps
            if not step.carried_by
            and not any(step.name in b.points and set(self.body.plan.needs(step)) <= set(b.points) for b in bodies)
        }


@compiled
def _changes_of_distance(p: FloatArray, which: IntArray, local: FloatArray, first: IntArray) -> FloatArray:
    """Mean square change (L,) of the distances of points from the others of their segment, beside those in it.

    p : (K, T, 3) places [m], of which the points are ``which`` (L,); local : (L, 3); segment s has the points first[s]
    to first[s + 1].
    """
    square, count = np.zeros(which.size), np.zeros(which.size)
    for s in range(first.size - 1):
        for i in range(first[s], first[s + 1]):
            for j in range(i + 1, first[s + 1]):
                length = 0.0
                for c in range(3):
                    length += (local[i, c] - local[j, c]) ** 2
                length = np.sqrt(length)
                total, known, a, b = 0.0, 0, which[i], which[j]
                for t in range(p.shape[1]):
                    apart = 0.0
                    for c in range(3):
                        apart += (p[a, t, c] - p[b, t, c]) ** 2
                    change = np.sqrt(apart) - length
                    if np.isfinite(change):
                        total += change * change
                        known += 1
                for k in (i, j):
                    square[k] += total
                    count[k] += known
    for k in range(which.size):
        square[k] /= max(count[k], 1.0)
    return square


def _worst(names: tuple[str, ...], values: FloatArray, power: int = 1) -> list[tuple[str, float, float]]:
    """Names with the largest mean, or root mean square, of a column of ``values`` (T, K), that, and the largest value.

    Values are lengths, not negative; those that are not known do not count.
    """
    if not names:
        return []
    size, top, count = _columns(values, power)
    order = np.argsort(-size, kind="stable")
    return [(names[k], float(size[k]), float(top[k])) for k in order if count[k]][:WORST]


@compiled
def _columns(values: FloatArray, power: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean (power 1) or root mean square (2), largest value and number of the known values of every column (T, K)."""
    size, top, count = np.zeros(values.shape[1]), np.zeros(values.shape[1]), np.zeros(values.shape[1])
    for t in range(values.shape[0]):
        for k in range(values.shape[1]):
            known = 1.0 if np.isfinite(values[t, k]) else 0.0
            value = values[t, k] if known > 0.5 else 0.0
            size[k] += value if power == 1 else value * value
            top[k] = value if value > top[k] else top[k]
            count[k] += known
    for k in range(size.size):
        size[k] /= max(count[k], 1.0)
        size[k] = size[k] if power == 1 else np.sqrt(size[k])
    return size, top, count
