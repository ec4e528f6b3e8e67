"""Landmarks in words, for people who know their anatomy and their labels but not Biomec's codes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from biomec.body.anatomy.model_landmarks import CANONICAL, landmark_pattern
from biomec.io.marker_set_file import LANDMARK_SIDES, load_marker_set, shipped_marker_sets
from biomec.recording.marker_set import SIDE, MarkerSet, Side

COMPUTED = {
    "CAP_*": "centre of the wrist",
    "CAT_*": "centre of the ankle",
    "KJC_*": "centre of the knee",
    "PHA": "middle of the front of the head",
    "PHL_*": "side of the head",
    "PHP": "middle of the back of the head",
    "PMCH_*": "middle of the hand",
    "PME_*": "centre of the elbow",
    "PMM_*": "middle of the malleoli",
    "PMT_*": "middle of the forefoot",
    "PTA": "middle of the front of the thorax",
    "PTI": "lower middle of the thorax",
    "PTP": "middle of the back of the thorax",
    "PTS": "upper middle of the thorax",
    "T12L1": "centre between the 12th thoracic and the 1st lumbar vertebra",
}  # points that models compute and no marker marks


def in_words(marker_set: MarkerSet) -> Callable[[str], str]:
    """Return what writes a landmark or a measure in words, with the marker that gives it in the set, or with its code.

    ``CMED_D`` is "medial femoral condyle, right (marker RKNM)" for Plug-in Gait, and "… (CMED_D)" for a set that has
    no other name for it.
    """

    def told(code: str) -> str:
        markers = marker_set.landmarks[code][0] if code in marker_set.landmarks else ()
        known = shipped_words()
        words = known.get(code, "")
        if is_measure(code):
            name = code.removesuffix("_D").removesuffix("_E")
            return f"{_sided(name.replace('_', ' '), _side(code))} ({code})"
        if not words:
            return f"marker {' and '.join(markers)}" if markers else code
        if markers and markers != (code,):
            return f"{words} (marker{'s' if len(markers) > 1 else ''} {' and '.join(markers)})"
        return f"{words} ({code})"

    return told


def is_measure(code: str) -> bool:
    """Whether a code is of a measure of the person, such as knee_width_D, and not of a landmark."""
    return code[:1].islower()


@cache
def shipped_words() -> dict[str, str]:
    """Landmark -> where it is, in words and with its side, for all that Biomec's models and marker sets speak of."""
    found: dict[str, str] = {}
    sets = [load_marker_set(name) for name in (CANONICAL, *shipped_marker_sets())]
    for marker in sets[0].markers:
        found[marker.name] = _sided(marker.landmark.split(",")[0], marker.side)
    for pattern, words in COMPUTED.items():
        for side in Side if SIDE in pattern else (None,):
            found[LANDMARK_SIDES.write(pattern, side) if side else pattern] = _sided(words, side)
    for marker_set in sets[1:]:
        for landmark, ((first, *_), *_) in marker_set.landmarks.items():
            found.setdefault(landmark, _sided(marker_set[first].landmark.split(",")[0], _side(landmark)))
    return {name: words for name, words in found.items() if words}


def _sided(words: str, side: Side | None) -> str:
    return words if side is None or not words else f"{words}, {side}"


def _side(landmark: str) -> Side | None:
    if landmark_pattern(landmark) == landmark:
        return None
    return Side.RIGHT if landmark.endswith(LANDMARK_SIDES.right) else Side.LEFT
