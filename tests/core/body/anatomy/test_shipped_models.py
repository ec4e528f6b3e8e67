"""The models that come with Biomec: their counts on any adult, and the marker sets that they can be built from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.body.anatomy.model_file import load_model, parse_model
from biomec.body.anatomy.subject_model import ModelOptions, SubjectModel, build_subject_model
from biomec.engine.structure import structure
from biomec.io.marker_set_file import load_marker_set
from biomec.recording import Subject
from biomec.virtual.person import VirtualPerson
from biomec.virtual.wearing import static_markers

FULL = load_marker_set("biomec-full")
PERSON = VirtualPerson(81.6, 1.79, "male")
ADULTS = st.builds(
    lambda sex, height, index: VirtualPerson(index * height**2, height, sex),
    st.sampled_from(["male", "female"]),
    st.floats(1.45, 2.05),
    st.floats(18.0, 32.0),
)


def built(model: str, person: VirtualPerson = PERSON, without: tuple[str, ...] = ()) -> SubjectModel:
    markers = {name: p for name, p in person.markers.items() if name not in without}
    return build_subject_model(load_model(model), markers, FULL, person.subject)


# 12 coordinates and 6 rigid rows a segment; spherical joints have 3 rows, universal 4, hinges 6 with one redundant,
# contacts 1. Coordinates, rows, redundant rows, degrees of freedom:
COUNTS = {
    "m17": (204, 102 + 3 * 6 + 4 * 4 + 6 * 6, 6, 38),
    "legs": (84, 42 + 3 * 2 + 6 * 2 + 4 * 2, 2, 18),
    "legs-trunk": (96, 48 + 3 * 3 + 6 * 2 + 4 * 2, 2, 21),
    "upper-limb": (156, 78 + 4 * 4 + 3 * 4 + 6 * 4 + 4, 4, 26),
}


@settings(deadline=None, max_examples=3)
@given(person=ADULTS)
@pytest.mark.parametrize("model", COUNTS)
def test_any_adult_has_the_coordinates_rows_and_freedoms_of_the_model(model, person):
    counts = structure(built(model, person).system)
    redundant = len(counts.redundant)
    assert (counts.coordinates, counts.rows, redundant, counts.degrees_of_freedom) == COUNTS[model]
    assert counts.residual < 1e-12


def test_m17_is_m21_without_the_girdle():
    m17, m21 = load_model("m17"), load_model("m21")
    assert [s for s in m21.segments if "clavicle" not in s.name and "scapula" not in s.name] == list(m17.segments)
    assert not m17.contacts
    shoulder = next(joint for joint in m17.joints if joint.name == "left shoulder")
    assert (shoulder.type, shoulder.proximal, shoulder.distal) == ("spherical", "thorax", "left humerus")
    body = built("m17")
    assert body.plan.methods["GU_D"] == "shoulder-dumas-2007"
    assert sum(part.mass for part in body.system.bodies) == pytest.approx(81.6, rel=1e-12)


def test_legs_have_the_pelvis_as_root_and_no_angle_of_what_is_not_there():
    model = load_model("legs")
    assert model.roots == ("pelvis",)
    assert {angle.joint for angle in model.angles} == {
        "pelvis in the laboratory",
        *(f"{side} {joint}" for side in ("right", "left") for joint in ("hip", "knee", "ankle")),
    }


def test_a_recording_of_legs_alone_leaves_m21_with_the_pelvis_as_root():
    upper = {m.name for m in FULL.markers if not {"pelvis", "right thigh", "left thigh", "right leg", "left leg",
             "right foot", "left foot"} & set(m.segments)}  # fmt: skip
    body = built("m21", without=tuple(upper))
    legs = built("legs")
    assert [part.name for part in body.system.bodies] == [part.name for part in legs.system.bodies]
    assert_allclose(body.system.reference, legs.system.reference, atol=1e-15)
    said = {notice.about[0]: notice.sentence for notice in body.notices if notice.code == "segment-left-out"}
    assert set(said) == {s.name for s in load_model("m21").segments} - {part.name for part in legs.system.bodies}
    assert said["right clavicle"] == (
        "The right clavicle is left out of the model: most ventral point of the sternoclavicular joint, right (EC_D), "
        "most dorsal point of the acromioclavicular joint, right (AC_D) are absent; upper middle of the thorax (PTS) "
        "needs deepest point of the jugular notch (IJ), spinous process of the 7th cervical vertebra (C7); lower "
        "middle of the thorax (PTI) needs lowest point of the xiphoid process (PX), spinous process of the 8th "
        "thoracic vertebra (T8)."
    )
    assert "The pelvis carries the body, because there is no thorax." in [str(notice) for notice in body.notices]


@pytest.mark.parametrize("sex", ["male", "female"])
def test_the_trunk_of_legs_trunk_is_the_upper_body_of_the_whole_model(sex):
    """Its row of the inertia table stands for torso, neck, head and hanging arms, which `m18` has one by one."""
    person = VirtualPerson(mass_kg=70.0, height_m=1.72, sex=sex)
    worn_37 = static_markers(person, "gait-37")
    bodies = {
        name: build_subject_model(load_model(name), worn_37.places, worn_37.marker_set, person.subject)
        for name in ("legs-trunk", "m18")
    }
    mine = bodies["legs-trunk"].inertia.segments
    lower = set(mine) | {"right toes", "left toes"}
    upper = [one for name, one in bodies["m18"].inertia.segments.items() if name not in lower]
    mass = sum(one.mass for one in upper)
    com = np.sum([one.mass * one.com_W for one in upper], axis=0) / mass
    J = np.zeros((3, 3))
    for one in upper:
        d = one.com_W - com
        J += one.J_W + one.mass * (d @ d * np.eye(3) - np.outer(d, d))
    assert sum(one.mass for one in mine.values()) == pytest.approx(70.0, rel=1e-9)
    assert mine["trunk"].mass == pytest.approx(mass, rel=1e-9)
    assert_allclose(mine["trunk"].com_W, com, atol=0.01)  # m: the row has one figure for all statures
    assert_allclose(np.diag(mine["trunk"].J_W), np.diag(J), rtol=0.06)


# ------------------------------------------------------------------------------------------- landmarks of marker sets
def worn(name: str, person: VirtualPerson = PERSON) -> dict[str, np.ndarray]:
    """Markers of a set on a person: at the landmarks they give; two that give one landmark, 3 cm to its sides."""
    found = {}
    for landmark, ways in load_marker_set(name).landmarks.items():
        place = person.landmarks.get(landmark)
        for number, marker in enumerate(ways[0] if place is not None else ()):
            aside = 0.0 if len(ways[0]) == 1 else 0.03 * (1 - 2 * number)
            found[marker] = place + np.array([0.0, 0.0, aside])
    return found


@pytest.mark.parametrize("name", ["dumas-isb", "ior-cast", "opensim-gait2354"])
def test_legs_are_the_same_from_the_landmarks_of_every_set(name):
    body = build_subject_model(load_model("legs"), worn(name), load_marker_set(name), PERSON.subject)
    legs = built("legs")
    assert not body.left_out
    assert_allclose(body.system.reference, legs.system.reference, atol=1e-12)
    assert body.followed  # its own markers, on its own names for the segments
    assert set(body.followed.values()) == {part.name for part in body.system.bodies}


def test_m17_can_be_built_from_the_landmarks_of_dumas():
    markers = worn("dumas-isb") | {name: PERSON.markers[name] for name in ("C7", "T8", "IJ", "PX")}
    body = build_subject_model(load_model("m17"), markers, load_marker_set("dumas-isb"), PERSON.subject)
    assert not body.left_out
    assert_allclose(body.system.reference, built("m17").system.reference, atol=1e-12)


def test_the_upper_limb_takes_a_set_without_sides_as_the_right_arm():
    shoulder = load_marker_set("shoulder-isb")
    markers = {marker: PERSON.landmarks[landmark] for landmark, ((marker,),) in shoulder.landmarks.items()
               if landmark in PERSON.landmarks}  # fmt: skip
    markers |= {name: PERSON.markers[name] for name in ("C7", "T8", "IJ", "PX")}
    body = build_subject_model(load_model("upper-limb"), markers, shoulder, PERSON.subject)
    both = built("upper-limb")
    assert [part.name for part in body.system.bodies] == [
        part.name for part in both.system.bodies if not part.name.startswith("left")
    ]
    assert body.followed["TS"] == "right scapula"
    assert body.followed["RS"] == "right radius"


def test_a_scapula_without_clavicle_glides_on_the_thorax():
    without = ("EC_D", "EC_E")
    counts = structure(built("upper-limb", without=without).system)
    # less two clavicles (12 coordinates each) with their joints (4 + 3 rows) and rigid rows (6)
    assert (counts.coordinates, counts.rows) == (156 - 24, 134 - 26)
    assert counts.degrees_of_freedom == 26 + 2  # a scapula has 4 freedoms instead of the 3 with a clavicle


# -------------------------------------------------------------------------------------------------------- Plug-in Gait
RADIUS = 0.007


def gait_person() -> tuple[dict[str, np.ndarray], Subject]:
    """Plug-in Gait markers on the virtual person, and measures by which its knee and ankle centres must be found."""
    p, found = PERSON.landmarks, {}
    for letter, side, outward in (("R", "D", 1.0), ("L", "E", -1.0)):
        out = np.array([0.0, 0.0, outward])
        found |= {
            f"{letter}FHD": p["GLAB"] + 0.07 * out - [0.03, 0.0, 0.0],
            f"{letter}BHD": p["GLAB"] + 0.07 * out - [0.16, 0.0, 0.0],
            f"{letter}SHO": p[f"AC_{side}"], f"{letter}ELB": p[f"EL_{side}"], f"{letter}WRA": p[f"ER_{side}"],
            f"{letter}WRB": p[f"EU_{side}"], f"{letter}FIN": p[f"MC2_{side}"], f"{letter}ASI": p[f"CIAS_{side}"],
            f"{letter}KNE": p[f"CLAT_{side}"], f"{letter}ANK": p[f"ML_{side}"], f"{letter}HEE": p[f"CALC_{side}"],
            f"{letter}TOE": 0.5 * (p[f"MT1_{side}"] + p[f"MT5_{side}"]) + [0.0, 0.02, 0.0],
        }  # fmt: skip
        for stick, top, bottom, lateral in (("THI", "CAQ", "KJC", "CLAT"), ("TIB", "KJC", "PMM", "ML")):
            aside = p[f"{lateral}_{side}"] - p[f"{bottom}_{side}"]  # a stick in the plane of bone and lateral landmark
            found[f"{letter}{stick}"] = 0.5 * (p[f"{top}_{side}"] + p[f"{bottom}_{side}"]) + 2.0 * aside
    found |= {"C7": p["C7"], "T10": p["T8"], "CLAV": p["IJ"], "STRN": p["PX"], "SACR": p["PMCP"]}
    half = {key: float(np.linalg.norm(p[f"{a}_D"] - p[f"{b}_D"])) for key, a, b in
            (("knee_width", "CLAT", "KJC"), ("ankle_width", "ML", "PMM"))}  # fmt: skip
    lengths = {key: 2.0 * (length - RADIUS) for key, length in half.items()}
    lengths |= {"shoulder_offset": 0.04, "elbow_width": 0.08, "wrist_width": 0.05, "hand_thickness": 0.03}
    measures = {f"{key}_{side}": value for key, value in lengths.items() for side in "DE"}
    return found, Subject("Demo", "male", 81.6, 1.79, measures=measures)


def test_plug_in_gait_has_15_segments_and_48_degrees_of_freedom():
    markers, subject = gait_person()
    body = build_subject_model(load_model("plug-in-gait"), markers, load_marker_set("plug-in-gait"), subject)
    counts = structure(body.system)
    assert not body.left_out
    assert (counts.coordinates, counts.rows, counts.degrees_of_freedom) == (180, 90 + 3 * 14, 6 + 3 * 14)
    assert sum(part.mass for part in body.system.bodies) == pytest.approx(81.6, rel=1e-12)
    for name, R in body.attitudes(body.system.reference).items():
        # the elbow's axis is that of flexion, which leaves the frontal plane in a hanging arm
        assert (np.diag(R) > (0.0 if any(word in name for word in ("humerus", "forearm", "hand")) else 0.8)).all(), name


def test_the_lower_body_of_plug_in_gait_stands_on_its_own():
    markers, subject = gait_person()
    low = ("ASI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE")
    lower = {name: place for name, place in markers.items() if name[1:] in low or name == "SACR"}
    body = build_subject_model(load_model("plug-in-gait"), lower, load_marker_set("plug-in-gait"), subject)
    assert [part.name for part in body.system.bodies] == [segment.name for segment in load_model("legs").segments]
    assert structure(body.system).degrees_of_freedom == 6 + 3 * 6


def test_plug_in_gait_finds_the_knee_from_its_width_and_the_marker_beside_it():
    markers, subject = gait_person()
    hips = {name: PERSON.landmarks[name] for name in ("CAQ_D", "CAQ_E")}
    body = build_subject_model(load_model("plug-in-gait"), markers | hips, load_marker_set("plug-in-gait"), subject)
    for side in "DE":  # the condyles of this person lie on a line normal to the thigh, as the chord supposes
        assert_allclose(body.static[f"KJC_{side}"], PERSON.landmarks[f"KJC_{side}"], atol=1e-12)
        assert_allclose(body.static[f"CMED_{side}"], PERSON.landmarks[f"CMED_{side}"], atol=1e-12)


def test_without_widths_medial_markers_place_knee_and_ankle():
    markers, _ = gait_person()
    p = PERSON.landmarks
    medial = {f"{letter}{name}": p[f"{landmark}_{side}"] for letter, side in (("R", "D"), ("L", "E"))
              for name, landmark in (("KNM", "CMED"), ("MMA", "MM"))}  # fmt: skip
    body = build_subject_model(
        load_model("plug-in-gait"), markers | medial, load_marker_set("plug-in-gait"), PERSON.subject
    )
    assert_allclose(body.static["KJC_E"], p["KJC_E"], atol=1e-12)
    assert body.plan.methods["CAT_D"] == "ankle-midpoint"
    assert any("knee, right (KJC_D) was found by knee-midpoint" in notice.sentence for notice in body.notices)


def test_without_widths_and_medial_markers_the_limbs_cannot_be_followed_and_it_says_what_to_enter():
    markers, _ = gait_person()
    gait = load_marker_set("plug-in-gait")
    with pytest.raises(
        BiomecError,
        match=r"only 3 can be followed \([^)]*\)\. Enter these measures .* knee width, right \(knee_width_D\)",
    ):
        build_subject_model(load_model("plug-in-gait"), markers, gait, PERSON.subject)
    only = ModelOptions(without=("head",))  # who leaves segments out on request gets what there is
    body = build_subject_model(load_model("plug-in-gait"), markers, gait, PERSON.subject, only)
    assert "knee width, right (knee_width_D)" in body.left_out["right thigh"]
    assert "right shank" in body.left_out


# ---------------------------------------------------------------------------------------------------- models on others
def test_parts_of_the_base_are_replaced_in_place_and_new_ones_added():
    text = """
name = "mine"
title = "Legs with hinged ankles, without the left foot"
base = "legs"
without = ["left foot"]
joint = [
  { name = "right ankle", type = "revolute", axis = "z", proximal = "right shank", distal = "right foot", centre = "CAT_D" }
]
"""  # noqa: E501
    model, legs = parse_model(text, "mine.toml"), load_model("legs")
    assert [segment.name for segment in model.segments] == [s.name for s in legs.segments if s.name != "left foot"]
    assert [joint.name for joint in model.joints] == [j.name for j in legs.joints if j.name != "left ankle"]
    assert next(joint for joint in model.joints if joint.name == "right ankle").type == "revolute"
    assert "left ankle" not in {angle.joint for angle in model.angles}
    assert model.roots == legs.roots
    body = build_subject_model(model, PERSON.markers, FULL, PERSON.subject)
    assert structure(body.system).degrees_of_freedom == 18 - 2 - 1


def test_a_recording_that_fits_no_segment_is_refused_with_the_reason():
    with pytest.raises(
        BiomecError,
        match=r"none of the segments that carry it can be followed .pelvis: centre of the lumbar joint .CAL. needs "
        r"anterior superior iliac spine, right .CIAS_D., ",
    ):
        build_subject_model(load_model("legs"), {"AC_D": np.zeros(3)}, FULL, Subject("A", "male", 70.0, 1.7))


def test_a_segment_can_be_left_out_on_request():
    body = build_subject_model(load_model("m17"), PERSON.markers, FULL, PERSON.subject, ModelOptions(without=("head",)))
    assert body.left_out == {"head": "it was left out on request"}
