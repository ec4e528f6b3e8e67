"""Landmarks of a recording: those its markers give, and the points that a model computes from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, info, warning
from biomec.body.anatomy.centres import CENTRE_METHODS
from biomec.body.anatomy.frames import Points
from biomec.body.anatomy.functional import FunctionalOptions
from biomec.body.anatomy.model import BodyModel, PointDefinition
from biomec.body.anatomy.model_landmarks import landmark_pattern
from biomec.recording import Markers
from biomec.recording.marker_set import SIDE, MarkerSet, Side
from biomec.signals.local_frames import Donors, PoseMethod

SMALLEST_HEIGHT = 0.010  # m; three landmarks lower than this are nearly a line and carry nothing
GIVEN = "given"
Measures = Mapping[str, float | str]


def recorded_landmarks(markers: Mapping[str, FloatArray], marker_set: MarkerSet) -> dict[str, FloatArray]:
    """Landmarks that markers (name -> (..., 3) [m]) give, by the table of the marker set or by their own name."""
    found = dict(markers)
    for landmark, ways in marker_set.landmarks.items():
        for way in ways:
            if all(name in markers for name in way):
                places = [markers[name] for name in way]
                found[landmark] = places[0] if len(places) == 1 else np.mean(places, axis=0)
                break
    return found


def trajectories(markers: Markers) -> dict[str, FloatArray]:
    """Marker -> (T, 3) [m]."""
    return {name: markers.p_WM[:, k] for k, name in enumerate(markers.names)}


@dataclass(frozen=True)
class PointPlan:
    """How every computed point of a model is obtained from what a recording has.

    steps   : the points that can be computed, in their order
    methods : point -> method that was taken ("mean", "opposite", "beyond", "given", or a name in `CENTRE_METHODS`);
              points that the recording itself has are not in it
    lacking : point that cannot be computed -> the ways to it, each the landmarks and measures that are not known
    given   : point -> where it is in the static pose (3,) [m], known by other means such as a functional trial
    """

    steps: tuple[PointDefinition, ...]
    methods: Mapping[str, str]
    lacking: Mapping[str, tuple[tuple[str, ...], ...]]
    given: Mapping[str, FloatArray]

    def at_static(self, recorded: Points, measures: Measures) -> dict[str, FloatArray]:
        """Recorded and computed points of a pose; every array (..., 3) [m]."""
        points = dict(recorded)
        for step in self.steps:
            points[step.name] = self._compute(step, points, measures)
        return points

    def in_motion(self, recorded: Points, static: Points, measures: Measures) -> dict[str, FloatArray]:
        """Recorded and computed points of every frame (T, 3) [m]; carried points move with their segment.

        static : points of the static pose (3,), from `at_static`. A point that the frames cannot give is not in the
        result.
        """
        points = dict(recorded)
        rebuilt: dict[tuple[str, ...], dict[str, FloatArray]] = {}  # by carriers, so that each frame is fitted once
        for step in self.steps:
            carriers = tuple(name for name in step.carried_by if name in points and name in static)
            if carriers not in rebuilt:
                fellows = [one.name for one in self.steps if set(carriers) <= set(one.carried_by)]
                rebuilt[carriers] = _carried(carriers, fellows, points, static)
            if step.name in rebuilt[carriers]:
                points[step.name] = rebuilt[carriers][step.name]
            elif self.methods[step.name] != GIVEN and all(name in points for name in self.needs(step)):
                points[step.name] = self._compute(step, points, measures)
        return points

    def needs(self, step: PointDefinition) -> tuple[str, ...]:
        """Landmarks from which a point is computed."""
        method = self.methods[step.name]
        if method in CENTRE_METHODS:
            return tuple(_sided(need, step.side) for need in CENTRE_METHODS[method].needs)
        return step.of or step.opposite or step.beyond

    def _compute(self, step: PointDefinition, points: Points, measures: Measures) -> FloatArray:
        method = self.methods[step.name]
        if method == GIVEN:
            return np.asarray(self.given[step.name], dtype=np.float64)
        if method == "mean":
            return np.asarray(np.mean([points[name] for name in step.of], axis=0))
        if method == "opposite":
            first, middle = step.opposite
            return np.asarray(2.0 * points[middle] - points[first])
        if method == "beyond":
            start, through = (np.asarray(points[name]) for name in step.beyond)
            along = through - start
            length = np.linalg.norm(along, axis=-1, keepdims=True)
            with np.errstate(divide="ignore", invalid="ignore"):  # two points at one place have no line: NaN
                return np.asarray(through + step.distance_m * along / length)
        return CENTRE_METHODS[method].compute(points, measures, _code(step.side))


def _carried(
    carriers: Sequence[str], names: Sequence[str], points: Points, static: Points
) -> dict[str, FloatArray]:  # fmt: skip
    """Point -> where its carriers put it in every frame (T, 3) [m]; none where the carriers span no frame."""
    p_static = np.array([static[name] for name in carriers]).reshape(-1, 3)
    donors = Donors.at(p_static, SMALLEST_HEIGHT, PoseMethod.LEAST_SQUARES)
    if not len(donors.triads):
        return {}
    p = np.stack([points[name] for name in carriers], axis=1)
    moved = donors.rebuild(p, np.stack([static[name] for name in names]))
    return {name: moved[:, k] for k, name in enumerate(names)}


def plan_points(
    model: BodyModel,
    recorded: Iterable[str],
    measures: Measures,
    choices: Mapping[str, str] | None = None,
    given: Mapping[str, FloatArray] | None = None,
    revised: Mapping[str, str] | None = None,
) -> PointPlan:
    """Choose, for every point of the model, the first method whose landmarks and measures are known.

    choices : point or pattern (``CAQ_*``) -> method to be taken whatever the recording has
    given   : point -> where it is in the static pose (3,) [m]; it must be one that a segment carries
    revised : method of the model -> method that replaces it
    """
    known, places = set(recorded), dict(given or {})
    _check_given(model, places)
    wanted = dict(choices or {})
    _check_choices(model, wanted)
    steps, methods = [], {}
    lacking: dict[str, tuple[tuple[str, ...], ...]] = {}
    for defined in model.points:
        point = replace(defined, methods=tuple((revised or {}).get(name, name) for name in defined.methods))
        if point.name in places:
            steps.append(point)
            methods[point.name] = GIVEN
            known.add(point.name)
            continue
        choice = wanted.get(point.name, wanted.get(_pattern(point)))
        if point.name in known and choice is None:
            continue
        tries: list[tuple[str, tuple[str, ...], tuple[str, ...]]]
        geometric = {"mean": point.of, "opposite": point.opposite, "beyond": point.beyond}
        if any(geometric.values()):
            tries = [(way, tuple(dict.fromkeys(needs)), ()) for way, needs in geometric.items() if needs]
        else:
            tries = [
                (
                    name,
                    tuple(_sided(need, point.side) for need in CENTRE_METHODS[name].needs),
                    tuple(_sided(need, point.side) for need in CENTRE_METHODS[name].measures),
                )
                for name in ([choice] if choice else point.methods)
            ]
        why = []
        for method, needs, figures in tries:
            absent = [need for need in needs if need not in known]
            unknown = [figure for figure in figures if measures.get(figure) is None]
            if not absent and not unknown:
                steps.append(point)
                methods[point.name] = method
                known.add(point.name)
                break
            why.append((*absent, *unknown))
        else:
            if not _needs_itself(point.name, why, lacking):  # else it is a landmark, and absent
                lacking[point.name] = tuple(dict.fromkeys(why))
    return PointPlan(tuple(steps), FrozenDict(methods), FrozenDict(lacking), FrozenDict(places))


def static_only(
    model: BodyModel, markers: Mapping[str, FloatArray], marker_set: MarkerSet, seen: Iterable[str] | None
) -> dict[str, FloatArray]:
    """Points (3,) [m] that a segment carries, and that only the static pose has: centres computed by the laboratory.

    markers, seen : as for `points_in_motion`
    """
    if seen is None:
        return {}
    there = set(seen)
    held = recorded_landmarks(markers, marker_set)
    shown = recorded_landmarks({name: p for name, p in markers.items() if name in there}, marker_set)
    carried = [point.name for point in model.points if point.carried_by]
    return {name: np.asarray(held[name]) for name in carried if name in held and name not in shown}


def believable_centres(
    stored: Points, own: Points, words: Callable[[str], str]
) -> tuple[dict[str, FloatArray], list[Notice]]:
    """Stored centres (3,) [m] that are taken, and what is said about them.

    own : points by the model's own methods. A stored centre may be as far from them as a functional one may.
    """
    farthest = FunctionalOptions().farthest
    apart = {name: float(np.linalg.norm(point - own[name])) for name, point in stored.items() if name in own}
    taken = {name: point for name, point in stored.items() if apart.get(name, 0.0) <= farthest}
    notices: list[Notice] = []
    if taken:
        away = {name: f" ({1e3 * apart[name]:.0f} mm from the model's own)" if name in apart else "" for name in taken}
        listed = ", ".join(f"{words(name)}{away[name]}" for name in taken)
        sentence = (
            f"Joint centres that the static recording holds were taken: {listed}. To take the model's own, switch off "
        )
        sentence += "“Centres of the recording” in the settings of the body model."
        notices.append(info("centres-stored", sentence, *taken))
    for name in stored.keys() - taken.keys():
        sentence = (
            f"{words(name)} as the static recording holds it lies {1e3 * apart[name]:.0f} mm from the model's own "
        )
        sentence += f"(limit {1e3 * farthest:.0f} mm), so it was not used. Check the unit and the static."
        notices.append(warning("centre-stored-implausible", sentence, name))
    return taken, notices


def points_in_motion(
    plan: PointPlan,
    static: Points,
    markers: Mapping[str, FloatArray],
    marker_set: MarkerSet,
    seen: Iterable[str] | None,
    measures: Measures,
) -> Points:
    """Points that the frames can give, tried on the static pose with the markers that the motion shows.

    static  : points of the static pose (3,) [m], from `PointPlan.at_static`
    markers : marker -> (3,) position in the static pose [m]
    seen    : markers of the motion; None for all of the static pose
    """
    if seen is None:
        return static
    there = set(seen)
    shown = recorded_landmarks({name: p for name, p in markers.items() if name in there}, marker_set)
    return plan.in_motion({name: np.asarray(p)[None] for name, p in shown.items()}, static, measures)


def _needs_itself(
    name: str, ways: Iterable[tuple[str, ...]], lacking: Mapping[str, tuple[tuple[str, ...], ...]]
) -> bool:
    """Whether every way to a point leads back to it: C7 as the opposite of IJ at a middle that is computed from C7."""
    return all(
        any(need == name or (need in lacking and _needs_itself(name, lacking[need], lacking)) for need in way)
        for way in ways
    )


def _check_given(model: BodyModel, given: Mapping[str, FloatArray]) -> None:
    carried = [point.name for point in model.points if point.carried_by]
    for name in given:
        if name not in carried:
            raise BiomecError(
                f"The model {model.name} has no point {name} that a segment carries, so that it cannot be given. "
                f"There are {', '.join(carried) or 'none'}."
            )


def _check_choices(model: BodyModel, choices: Mapping[str, str]) -> None:
    for point, method in choices.items():
        known = {_pattern(one) for one in model.points} | {one.name for one in model.points}
        if point not in known:
            raise BiomecError(
                f"The model {model.name} computes no point {point}; it computes {', '.join(sorted(known))}."
            )
        if method not in CENTRE_METHODS:
            raise BiomecError(f"There is no method {method} for a joint centre; see the list of methods in the manual.")
        given = CENTRE_METHODS[method].centre
        if given not in (point, landmark_pattern(point)):
            raise BiomecError(f"The method {method} gives {given}, not {point}.")


def _code(side: Side | None) -> str | None:
    return None if side is None else "D" if side is Side.RIGHT else "E"


def _sided(pattern: str, side: Side | None) -> str:
    return pattern.replace(SIDE, _code(side) or SIDE)


def _pattern(point: PointDefinition) -> str:
    return point.name if point.side is None else landmark_pattern(point.name)
