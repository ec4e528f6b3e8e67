"""Models that do not suit a recording: refused, or told beside one that suits it better."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.anatomy.availability import Recorded
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.subject_model import ModelOptions, build_subject_model
from biomec.cli import main
from biomec.io.marker_set_file import load_marker_set
from biomec.virtual.person import VirtualPerson
from tests.core.body.anatomy.test_shipped_models import gait_person
from tests.real_data import recording

PERSON = VirtualPerson(75.0, 1.77, "male")
FULL, GAIT = load_marker_set("biomec-full"), load_marker_set("plug-in-gait")
LOWER = {"pelvis", "right thigh", "left thigh", "right leg", "left leg", "right foot", "left foot"}
LEGS = [marker.name for marker in FULL.markers if LOWER & set(marker.segments)]
PELVIS = [marker.name for marker in FULL.markers if "pelvis" in marker.segments]


def chosen(model: str, **how):
    return build_subject_model(load_model(model), PERSON.markers, FULL, PERSON.subject, **how)


def better(body) -> list[str]:
    return [notice.sentence for notice in body.notices if notice.code == "other-model-fits-better"]


def test_a_model_of_which_only_the_root_can_be_followed_is_refused_with_the_one_that_fits():
    # What the user saw: 1 of the 7 segments of legs was followed on a Plug-in Gait recording, and all frames "obeyed".
    markers, subject = gait_person()
    with pytest.raises(BiomecError) as refused:
        build_subject_model(load_model("legs"), markers, GAIT, subject)
    sentence = str(refused.value)
    assert "The model legs does not suit this recording: of its 7 segments only 1 can be followed (pelvis)." in sentence
    assert "The static pose lacks medial femoral condyle, right (marker RKNM), " in sentence
    assert "The model plug-in-gait would keep 15: choose it, or check" in sentence
    assert "--" not in sentence  # the window shows it too
    assert refused.value.remedy == ("model", "plug-in-gait")


def test_fewer_than_a_quarter_of_the_segments_are_refused_and_a_third_is_not():
    with pytest.raises(BiomecError, match=r"of its 17 segments only 1 can be followed .pelvis."):
        chosen("m17", seen=PELVIS)
    assert len(chosen("m21", seen=LEGS).system.bodies) == 7  # of 21


def test_a_recording_of_one_shoulder_is_judged_by_that_side():
    seen = [m.name for m in FULL.markers if {"thorax", "right scapula", "right humerus"} & set(m.segments)]
    seen = [name for name in seen if not name.startswith(("EC", "CLBR"))]
    body = chosen("upper-limb", seen=seen)
    assert [part.name for part in body.system.bodies] == ["thorax", "right scapula", "right humerus"]  # 3 of 13


def test_the_static_of_another_is_told_as_what_the_motion_lacks():
    with pytest.raises(BiomecError) as refused:
        chosen("m21", seen=PELVIS)
    assert "The dynamic trial lacks " in str(refused.value)
    assert "The static pose lacks" not in str(refused.value)
    assert "would keep" not in str(refused.value)
    assert "Check the marker set, the labels and whether the static is of the same person" in str(refused.value)


def test_who_leaves_segments_out_on_request_may_keep_only_the_root():
    others = tuple(s.name for s in load_model("legs").segments if s.name != "pelvis")
    assert [part.name for part in chosen("legs", options=ModelOptions(without=others)).system.bodies] == ["pelvis"]


def test_a_model_that_loses_most_of_its_segments_names_one_that_keeps_more():
    arm = ("thorax", "right clavicle", "right scapula", "right humerus", "right forearm", "right ulna", "right radius",
           "right hand")  # fmt: skip
    seen = [m.name for m in FULL.markers if set(arm) & set(m.segments)]
    body = chosen("m17", seen=seen)
    (sentence,) = better(body)
    kept, most = len(body.system.bodies), len(chosen("upper-limb", seen=seen).system.bodies)
    assert most > kept
    assert f"Only {kept} of the 17 segments of the model m17 can be followed" in sentence
    assert f"the model upper-limb would keep {most}" in sentence


def test_no_model_is_recommended_that_the_motion_cannot_follow_or_that_is_in_use():
    # What the user saw: "Only 1 of the 7 segments of the model legs can be followed; the model legs would keep 7".
    assert better(chosen("m21", seen=LEGS)) == []  # the static shows all, the motion only the legs
    recorded = Recorded(PERSON.markers, FULL, PERSON.subject, seen=LEGS)
    assert recorded.segments_kept(load_model("m17")) == recorded.segments_kept(load_model("legs")) == 7
    assert Recorded(PERSON.markers, FULL, PERSON.subject).segments_kept(load_model("m17")) == 17
    assert recorded.segments_kept(load_model("upper-limb")) == 0
    assert better(chosen("m17")) == []
    nowhere = {name: p for name, p in PERSON.markers.items() if name.startswith("MT")}
    assert Recorded(nowhere, FULL, PERSON.subject).segments_kept(load_model("legs")) == 0
    assert np.isfinite(next(iter(nowhere.values()))).all()


def test_without_a_static_the_refusal_asks_for_one():
    markers, subject = gait_person()
    with pytest.raises(BiomecError) as refused:
        build_subject_model(load_model("legs"), markers, GAIT, subject, alone="walk.c3d")
    sentence = str(refused.value)
    assert "No static was found beside walk.c3d; the movement, which stands in for it, lacks medial" in sentence
    assert "The static pose lacks" not in sentence
    assert "whether the static" not in sentence
    assert refused.value.remedy == ("model", "plug-in-gait")  # another model would do without


def test_real_a_walk_without_a_static_is_refused_with_the_option_to_give_one(capsys, tmp_path):
    walk = recording("gait_rajagopal", "motion_capture_walk.trc")
    assert main(["analyze", str(walk), "--static", "none", "--out", str(tmp_path)]) == 1
    printed = capsys.readouterr().err
    assert "No static was found beside motion_capture_walk.trc" in printed
    assert "Give the static acquisition, or check the marker set and the labels. (--static FILE)" in printed
