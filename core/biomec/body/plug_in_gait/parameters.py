"""What Plug-in Gait knows of a person: entered measures, and what the static acquisition adds."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, info, warning
from biomec.body.anatomy.centres.method import MARKER_DIAMETER, measure_words
from biomec.body.anatomy.frames import Points
from biomec.body.plug_in_gait.legs import DEVICE, SIDES, LegSide, rotations_by_device, static_offsets
from biomec.body.plug_in_gait.segments import LEG_MEASURES, OFFSETS, Segments, segments
from biomec.body.plug_in_gait.trunk import HEAD, head_offset

AUTO, FLAT, AS_WORN = "auto", "flat", "as-worn"
FOOT_FLAT = {
    AUTO: ("automatic", "As the stored offsets of the foot say; flat where nothing is stored."),
    FLAT: ("flat", "The heel counts as being at the height of the toe marker: the foot stands flat on the floor."),
    AS_WORN: ("as the markers are worn", "The line from heel to toe marker is the foot."),
}
SAME_RAD = 0.01  # offsets of one static agree to 1e-6 rad; the two options differ by 0.03 to 0.1
MOVED_RAD = np.radians(2.0)  # a stored offset that differs by more from both options belongs to another static
TEXTS = {
    "entered": "entered or stored in the file",
    "derived": "derived from the stored knee centres",
    "static": "measured in the static",
    "default": "assumed",
}


@dataclass(frozen=True)
class PlugInGaitOptions:
    """Whether and how Plug-in Gait is computed as Vicon does it, beside Biomec's own model.

    compute   : where the markers allow it
    foot_flat : which foot the static shows
    """

    compute: bool = setting(
        True, "Compute as Vicon does",
        "Angles, moments and powers of Plug-in Gait, beside those of our own model of the same markers.")  # fmt: skip
    foot_flat: str = setting(
        AUTO, "Foot in the static", "Whether the foot stood flat; Vicon asks it, and it moves dorsiflexion by degrees.",
        choices=FOOT_FLAT)  # fmt: skip

    def __post_init__(self) -> None:
        if self.foot_flat not in FOOT_FLAT:
            raise BiomecError(f"The foot in the static is {', '.join(FOOT_FLAT)}, not {self.foot_flat}.")


@dataclass(frozen=True, eq=False)
class Calibration:
    """Measures of a person [m, rad], complete as far as they can be, with where each of them comes from.

    sources : measure -> "entered", "derived", "static" or "default"
    flat    : side "D", "E" -> whether the foot of the static counts as flat; absent where no static gave offsets
    """

    measures: Mapping[str, float]
    sources: Mapping[str, str]
    flat: Mapping[str, bool]
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        for name in ("measures", "sources", "flat"):
            object.__setattr__(self, name, FrozenDict(dict(getattr(self, name))))


def calibrate(
    entered: Mapping[str, float],
    static: Points | None,
    options: PlugInGaitOptions = PlugInGaitOptions(),
    derived: Collection[str] = (),
) -> Calibration:
    """Complete the entered measures [m, rad] by a static acquisition, landmark -> (T, 3) [m], or None without one.

    The distance of the anterior spines is between their mean places over the frames that show both. A static with a
    knee alignment device gives thigh and shank rotation. The offsets of the feet are always those of the static if
    there is one: what a file stores may belong to an older static. ``derived`` names the measures that no one entered
    and no file states, because they follow from stored results.
    """
    measures = {key: float(value) for key, value in entered.items()}
    sources = {name: "derived" if name in derived else "entered" for name in measures}
    flat: dict[str, bool] = {}
    notices: list[Notice] = []
    _refuse_without_legs(measures)
    if "marker_diameter" not in measures:
        measures["marker_diameter"], sources["marker_diameter"] = MARKER_DIAMETER, "default"
        words = f"The diameter of the markers is not known; {1e3 * MARKER_DIAMETER:g} mm is taken, as Vicon does."
        notices.append(info("marker-diameter-assumed", words))
    if static is None:
        return Calibration(measures, sources, flat, tuple(notices))
    found: dict[str, float] = {}
    if "asis_distance" not in measures and "CIAS_D" in static and "CIAS_E" in static:
        found["asis_distance"] = _spine_distance(static)
    if "head_offset" not in measures and all(name in static for name in HEAD):
        found["head_offset"] = head_offset(static)
    measures |= found
    for leg in SIDES:
        if all(leg.key(name) in static for name in DEVICE):
            turned = rotations_by_device(static, measures, leg)
            found |= turned
            measures |= turned
    built = segments(static, measures)
    for leg in SIDES:
        offsets, is_flat, said = _offsets(static, built, measures, leg, options)
        notices += said
        if offsets:
            found |= offsets
            flat[leg.code] = is_flat
    sources |= dict.fromkeys(found, "static")
    return Calibration(measures | found, sources, flat, tuple(notices))


def _refuse_without_legs(measures: Mapping[str, float]) -> None:
    """Raise a sentence if the measures that Plug-in Gait cannot do without are missing for both legs."""
    absent = {leg: [name for name in map(leg.key, LEG_MEASURES) if not measures.get(name)] for leg in SIDES}
    if all(absent.values()):
        names = ", ".join(measure_words(name) for leg in SIDES for name in absent[leg])
        raise BiomecError(
            f"Plug-in Gait cannot be computed as Vicon does without these measures of the subject: {names}. Enter them."
        )


def _spine_distance(static: Points) -> float:
    """‖mean RASI − mean LASI‖ [m] over the frames that show both."""
    right, left = (np.atleast_2d(static[name]) for name in ("CIAS_D", "CIAS_E"))
    both = np.isfinite(right).all(axis=1) & np.isfinite(left).all(axis=1)
    return float(np.linalg.norm(right[both].mean(axis=0) - left[both].mean(axis=0))) if both.any() else float("nan")


def _offsets(
    static: Points, built: Segments, measures: Mapping[str, float], leg: LegSide, options: PlugInGaitOptions
) -> tuple[dict[str, float], bool, list[Notice]]:
    """Offsets of a foot by the static, whether it counts as flat, and what is worth knowing about the choice."""
    shank = built.attitudes.get(leg.name("shank"))
    if shank is None or any(leg.key(name) not in static for name in ("TOE", "CALC")):
        return {}, False, []
    ankle = built.centres[leg.key("CAT")]
    names = [leg.key(name) for name in OFFSETS]
    ways = {flat: static_offsets(static, shank, ankle, leg, flat) for flat in (True, False)}
    if not np.isfinite([*ways[True], *ways[False]]).all():
        return {}, False, []
    stored = [measures[name] for name in names if name in measures]
    known = len(stored) == len(names)
    apart = {way: float(np.linalg.norm(np.subtract(offsets, stored))) for way, offsets in ways.items()} if known else {}
    if options.foot_flat == AUTO:
        flat = not (known and apart[False] < min(SAME_RAD, apart[True]))
    else:
        flat = options.foot_flat == FLAT
    notices = []
    if known and min(apart.values()) > MOVED_RAD:
        degrees = ", ".join(f"{np.degrees(value):.1f}°" for value in stored)
        ours = ", ".join(f"{np.degrees(value):.1f}°" for value in ways[flat])
        words = (
            f"The stored offsets of the {leg.word} foot ({degrees}) are not those of the static ({ours}), which are "
            f"used. They probably belong to an older static; dorsiflexion and foot rotation differ by as much."
        )
        notices.append(warning("foot-offsets-stale", words))
    return dict(zip(names, ways[flat], strict=True)), flat, notices
