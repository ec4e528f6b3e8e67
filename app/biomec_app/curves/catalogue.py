"""Every curve that can be shown, and those that are shown at first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

import numpy as np

from biomec.base.errors import BiomecError
from biomec.body.loads.load_components import LoadReading
from biomec.pipeline.analysis import Analysis
from biomec_app.curves import measured as curves_measured
from biomec_app.curves import motion as curves_motion
from biomec_app.curves import plug_in_gait as curves_plug_in_gait
from biomec_app.curves import quality as curves_quality
from biomec_app.curves.curve import MAIN, Curve

__all__ = ["FINDERS", "PROVIDERS", "Catalogue", "Curve", "catalogue", "list_curves", "register_curves"]

Provider = Callable[[Analysis], Iterable[Curve]]
Finder = Callable[[Analysis], Callable[[str], Curve | None]]


class Catalogue:
    """Curves by key, and their keys by kind and group, in the order of the providers.

    more : finds curves that are not listed, because there would be too many, such as loads in other units
    """

    def __init__(self, curves: Iterable[Curve], more: Callable[[str], Curve | None] = lambda key: None) -> None:
        self._more = more
        self._curves: dict[str, Curve] = {}
        self.kinds: dict[str, dict[str, list[str]]] = {}
        for curve in curves:
            if curve.key in self._curves:
                raise BiomecError(f"Two curves are called {curve.key}.")
            self._curves[curve.key] = curve
            self.kinds.setdefault(curve.kind, {}).setdefault(curve.group, []).append(curve.key)

    def __getitem__(self, key: str) -> Curve:
        found = self._found(key)
        if found is None:
            raise BiomecError(f"There is no curve {key} in this analysis.")
        return found

    def __contains__(self, key: str) -> bool:
        return self._found(key) is not None

    def _found(self, key: str) -> Curve | None:
        return self._curves[key] if key in self._curves else self._more(key)

    def __iter__(self) -> Iterator[Curve]:
        return iter(self._curves.values())

    def __len__(self) -> int:
        return len(self._curves)

    def found(self, keys: Iterable[str]) -> list[Curve]:
        """Return the curves of these keys; those that the analysis does not have are left out."""
        return [curve for key in keys if (curve := self._found(key)) is not None]

    def of_point(self, point: str) -> list[str]:
        """Keys of the curves of a marker or landmark, given by its name or as ``segment.name``."""
        name = point.rpartition(".")[2]
        kinds = ("Markers", "Landmarks")
        for kind in kinds:
            if name in self.kinds.get(kind, {}):
                return [key for key in self.kinds[kind][name] if self[key].variant == MAIN]
        return []

    def of_segment(self, segment: str) -> list[str]:
        """Keys of the motion of a segment's centre of mass."""
        keys = self.kinds.get("Segments", {}).get(segment, [])
        return [key for key in keys if self[key].component.startswith("position")]


PROVIDERS: list[Provider] = [
    curves_motion.joint_angles,
    curves_plug_in_gait.plug_in_gait,
    curves_motion.segments,
    curves_motion.whole_body,
    curves_measured.markers,
    curves_motion.landmarks,
    curves_measured.plates,
    curves_measured.emg,
    curves_motion.coordinates,
    curves_quality.solution,
    curves_quality.violations,
    curves_quality.shifts,
    curves_plug_in_gait.stored_results,
]
"""What lists curves, in the order of the kinds."""

FINDERS: list[Finder] = []
"""What finds curves that are not listed, because there would be too many, such as loads in other units."""


def register_curves(*providers: Provider, after: str = "", finder: Finder | None = None) -> None:
    """Offer curves, after those of the provider of a name, or last; ``finder`` gives those that are not listed."""
    place = next((k for k, known in enumerate(PROVIDERS, 1) if known.__name__ == after), len(PROVIDERS))
    PROVIDERS[place:place] = providers
    if finder is not None:
        FINDERS.append(finder)


def list_curves(analysis: Analysis) -> Catalogue:
    """List every curve that the steps which have run, and the recording itself, can give."""
    finders = [finder(analysis) for finder in FINDERS]

    def more(key: str) -> Curve | None:
        return next((curve for find in finders if (curve := find(key)) is not None), None)

    return Catalogue((curve for provider in PROVIDERS for curve in provider(analysis)), more)


def catalogue(analysis: Analysis) -> Catalogue:
    """List the curves of the open analysis; the same list for all who ask."""
    return analysis.derived(_listed(analysis.settings.load_reading))


@cache
def _listed(reading: LoadReading) -> Callable[[Analysis], Catalogue]:
    """What lists the curves of analyses whose settings read loads in this way."""
    return lambda analysis: list_curves(analysis)


ARMS = ("elbow", "shoulder", "scapulothoracic")
LEGS = ("hip", "knee", "ankle")
MOST = 18  # curves that are shown without being asked for


def kind_of_movement(analysis: Analysis) -> str:
    """What recordings have in common that are looked at alike: the model, and what borders the cycles; "" before."""
    if "cycles" not in analysis.done:
        return ""
    return f"{analysis.body.person.model.name}, {analysis.cycles.by}"


def default_curves(analysis: Analysis, catalogue: Catalogue) -> tuple[str, ...]:
    """Keys of the curves to begin with: angles of arms or legs, or what there is of markers or forces before."""
    if "angles" in analysis.done:
        by_joint = {joint: _angles(catalogue, joint) for joint in (*ARMS, *LEGS)}
        limbs = _limbs(analysis, by_joint)
        keys = [curve.key for joint in limbs for curve in by_joint[joint]]
        if keys:
            return tuple(keys[:MOST])
        return tuple(curve.key for curve in catalogue if curve.key.startswith("angle/"))[:MOST]
    up = analysis.session.dynamic.axes.up[1].upper()  # plates as recorded are in the axes of their file
    for start, end in (("plate/", "/force Y"), ("plate raw/", f"/force {up}")):
        keys = [curve.key for curve in catalogue if curve.key.startswith(start) and curve.key.endswith(end)]
        if keys:
            return tuple(keys[:MOST])
    for kind in ("Markers", "Markers, as recorded"):
        groups = list(catalogue.kinds.get(kind, {}).values())
        if groups:
            return tuple(groups[0])
    return tuple(curve.key for curve in catalogue)[:3]


def _angles(catalogue: Catalogue, joint: str) -> list[Curve]:
    """Angles of a joint, both sides of each side by side."""
    names = (joint, f"right {joint}", f"left {joint}")
    found = [c for c in catalogue if c.key.startswith("angle/") and c.label.removesuffix(f" {c.component}") in names]
    order = list(dict.fromkeys(curve.component for curve in found))
    return sorted(found, key=lambda curve: order.index(curve.component))


def _limbs(analysis: Analysis, by_joint: dict[str, list[Curve]]) -> tuple[str, ...]:
    """Arms or legs: by what borders the cycles, else those that move more."""
    arms, legs = (tuple(joint for joint in limb if by_joint[joint]) for limb in (ARMS, LEGS))
    if not arms or not legs:
        return arms or legs
    by = analysis.cycles.by if "cycles" in analysis.done else ""
    if by == "events" or by.startswith("knee"):
        return legs
    if by.startswith(("elbow", "shoulder")):
        return arms
    return max((arms, legs), key=lambda limb: max(_range(curve) for joint in limb for curve in by_joint[joint]))


def _range(curve: Curve) -> float:
    values = curve.values[np.isfinite(curve.values)]
    return float(np.ptp(values)) if values.size else 0.0
