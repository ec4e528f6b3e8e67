"""Marker sets that the virtual person can wear: Biomec's full set, or Plug-in Gait on the same body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.engine.rotations import unit
from biomec.io.marker_set_file import load_marker_set
from biomec.recording import Subject
from biomec.recording.marker_set import MarkerSet
from biomec.virtual.person import MARKER_SET, MIRROR, VirtualPerson

MARKER_RADIUS = 0.007
WRIST_THICKNESS, HAND_THICKNESS = 0.040, 0.026  # of an adult of 1.77 m


@dataclass(frozen=True, eq=False)
class Worn:
    """Markers on a standing person.

    places  : marker -> (3,) [m];  owner : marker -> segment of the 21-segment model that it is fixed in
    subject : the person, with the measures that the set's models ask for
    """

    marker_set: MarkerSet
    places: Mapping[str, FloatArray]
    owner: Mapping[str, str]
    subject: Subject


def worn(person: VirtualPerson, model: SubjectModel, name: str = MARKER_SET) -> Worn:
    """A marker set on a person; ``model`` is the person's own (`model_of`)."""
    if name not in SETS:
        raise BiomecError(f"The virtual person cannot wear the marker set {name}; it can wear {', '.join(SETS)}.")
    return SETS[name](person, model)


def _full(person: VirtualPerson, model: SubjectModel) -> Worn:
    return Worn(person.full_set, person.markers, model.followed, person.subject)


def _plug_in_gait(person: VirtualPerson, _model: SubjectModel) -> Worn:
    """Plug-in Gait with head and arms: sticks in the planes of their joints, wrist bars on the back of the wrist."""
    scale = person.height_m / 1.77
    p = {name.removesuffix("_D"): np.asarray(place) for name, place in person.landmarks.items() if name[-2:] != "_E"}
    dorsal = unit(np.cross(p["CAP"] - p["PME"], p["ER"] - p["EU"]))
    knuckles = 0.5 * (p["MC2"] + p["MC5"])
    wrist_bar = (0.5 * scale * WRIST_THICKNESS + MARKER_RADIUS) * dorsal
    finger = (0.5 * scale * HAND_THICKNESS + MARKER_RADIUS) * dorsal
    ball = 0.65 * p["MT1"] + 0.35 * p["MT5"] + scale * np.array([0.0, 0.022, 0.0])
    right = {
        "*FHD": (scale * np.array([0.075, 1.664, 0.062]), "head"),
        "*BHD": (scale * np.array([-0.085, 1.664, 0.062]), "head"),
        "*SHO": (p["AC"], "* scapula"),
        "*UPA": (p["CLBR_D_21"], "* humerus"),
        "*ELB": (p["EL"], "* humerus"),
        "*FRM": (p["CLAB_D_11"], "* radius"),
        "*WRA": (p["ER"] + wrist_bar, "* radius"),
        "*WRB": (p["EU"] + wrist_bar, "* radius"),
        "*FIN": (0.5 * (knuckles + p["MC2"]) + finger, "* hand"),
        "*ASI": (p["CIAS"], "pelvis"),
        "*PSI": (p["PMCP"] + scale * np.array([0.0, 0.0, 0.048]), "pelvis"),
        "*THI": (p["KJC"] + 0.40 * (p["CAQ"] - p["KJC"]) + 0.13 * scale * unit(p["CLAT"] - p["KJC"]), "* thigh"),
        "*KNE": (p["CLAT"], "* thigh"),
        "*TIB": (p["PMM"] + 0.45 * (p["KJC"] - p["PMM"]) + 0.11 * scale * unit(p["ML"] - p["PMM"]), "* shank"),
        "*ANK": (p["ML"], "* shank"),
        "*HEE": (np.array([p["CALC"][0], ball[1], p["CALC"][2]]), "* foot"),
        "*TOE": (ball, "* foot"),
    }
    T10 = scale * np.array([-0.118, 1.290, 0.0])
    places = {
        "C7": (p["C7"], "thorax"),
        "T10": (T10, "thorax"),
        "CLAV": (p["IJ"], "thorax"),
        "STRN": (p["PX"], "thorax"),
    }
    for pattern, (place, segment) in right.items():
        places[pattern.replace("*", "R")] = (place, segment.replace("*", "right"))
        places[pattern.replace("*", "L")] = (MIRROR * place, segment.replace("*", "left"))
    return Worn(
        load_marker_set("plug-in-gait"),
        FrozenDict({name: read_only(place) for name, (place, _) in places.items()}),
        FrozenDict({name: segment for name, (_, segment) in places.items()}),
        replace(person.subject, measures=_measures(p, scale)),
    )


BONES = {"arm": "humerus", "forearm": "radius", "toes": "foot"}  # words of a set -> segments of the 21-segment model
GRIP_BELOW, CRUTCH = 0.10, 0.87  # upper marker under the grip, and grip to tip, of an adult of 1.77 m [m]
LOWER_MARKER = 0.20  # above the tip, as the model m18-crutches has it [m]
SHAFT = np.array([0.36, -0.92, -0.06])  # direction of the right crutch under a hanging arm


def _gait(person: VirtualPerson, model: SubjectModel | None, name: str) -> Worn:
    """A set whose markers are landmarks of the person, with or without crutches; hands are marked on their knuckles."""
    landmarks = {**person.landmarks, **_crutch(person)}
    landmarks |= {f"PMCH_{side}": person.landmarks[f"MC3_{side}"] for side in "DE"}
    marker_set = load_marker_set(name)
    of = {ways[0][0]: landmark for landmark, ways in marker_set.landmarks.items()}
    places = {marker: read_only(landmarks[of.get(marker, marker)]) for marker in marker_set.placed}
    owner = {} if model is None else {name: _bone(name, of.get(name, name), marker_set, model) for name in places}
    return Worn(marker_set, FrozenDict(places), FrozenDict(owner), person.subject)


def _bone(marker: str, landmark: str, marker_set: MarkerSet, model: SubjectModel) -> str:
    """Segment of a person's model that a marker rides on, by itself, by its landmark, or by the words of the set."""
    for name in (marker, landmark):
        if name in model.followed:
            return model.followed[name]
    segment = marker_set[marker].segments[0]
    side, _, part = segment.rpartition(" ")
    there = model.system.layout.bodies
    return next((name for name in (segment, f"{side} {BONES.get(part, part)}".strip()) if name in there), "thorax")


def _crutch(person: VirtualPerson) -> dict[str, FloatArray]:
    """Markers of the crutches, held so that the tips are near the floor."""
    scale, grip = person.height_m / 1.77, np.asarray(person.landmarks["MC3_D"])
    shaft = unit(SHAFT)
    out = unit(np.array([1.0, 0.0, 0.0]) - shaft[0] * shaft)
    right = {
        "CR1": grip + scale * GRIP_BELOW * shaft,
        "CR2": grip + (scale * CRUTCH - LOWER_MARKER) * shaft,
    }
    right["CR3"] = right["CR1"] + 0.12 * out
    return {f"{name}_{side}": sign * p for name, p in right.items() for side, sign in (("D", 1.0), ("E", MIRROR))}


def _measures(p: Mapping[str, FloatArray], scale: float) -> dict[str, float]:
    """What is taken with tape and callipers for Plug-in Gait [m]; markers stand out by their radius."""

    def between(a: str, b: str) -> float:
        return float(np.linalg.norm(p[a] - p[b]))

    both = {
        "leg_length": between("CIAS", "MM"),
        "knee_width": between("CLAT", "CMED") - 2 * MARKER_RADIUS,
        "ankle_width": between("ML", "MM") - 2 * MARKER_RADIUS,
        "shoulder_offset": between("AC", "GU") - MARKER_RADIUS,
        "elbow_width": between("EL", "EM") - 2 * MARKER_RADIUS,
        "wrist_width": scale * WRIST_THICKNESS,
        "hand_thickness": scale * HAND_THICKNESS,
    }
    return {f"{name}_{side}": value for name, value in both.items() for side in "DE"}


SETS: Mapping[str, Callable[[VirtualPerson, SubjectModel], Worn]] = FrozenDict(
    {
        MARKER_SET: _full,
        "plug-in-gait": _plug_in_gait,
        "gait-37": lambda person, model: _gait(person, model, "gait-37"),
        "gait-43": lambda person, model: _gait(person, model, "gait-43"),
    }
)


def static_markers(person: VirtualPerson, name: str) -> Worn:
    """A set on a standing person before there is a model of the person: markers, without who carries them."""
    return _gait(person, None, name) if name.startswith("gait-") else _full_static(person)


def _full_static(person: VirtualPerson) -> Worn:
    return Worn(person.full_set, person.markers, FrozenDict({}), person.subject)
