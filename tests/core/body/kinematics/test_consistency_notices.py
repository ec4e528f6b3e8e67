"""What a consistent motion tells about markers: slips are told, and what a model lets move on purpose is not."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.notices import Notice
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.subject_model import SubjectModel, build_subject_model
from biomec.body.kinematics.consistency import consistent_motion
from biomec.body.kinematics.consistency_notices import Reporter
from biomec.recording import Markers
from biomec.virtual import VirtualPerson, push_up, record
from biomec.virtual.acquisition import RecordOptions


@pytest.fixture(scope="module")
def pushing_up():
    """Noise-free markers of a push-up, during which the acromia move by centimetres on the thorax."""
    options = RecordOptions(rate_hz=50, plate_rate_hz=500, removed=False)
    return record(push_up("closed", cycles=1), VirtualPerson(), options)


@pytest.fixture(scope="module")
def m17(pushing_up) -> SubjectModel:
    person = pushing_up.person
    return build_subject_model(load_model("m17"), person.markers, person.full_set, person.subject)


def shape_changes(body: SubjectModel, markers: Markers) -> list[Notice]:
    return [one for one in consistent_motion(body, markers).notices if one.code == "segment-changes-shape"]


def test_a_shoulder_that_follows_the_acromion_is_no_slipping_marker(pushing_up, m17, monkeypatch):
    """It was: "The thorax does not keep its shape: … GU_D … Its markers slip, are mislabelled, or were rebuilt …"."""
    markers = pushing_up.dynamic.markers
    assert not shape_changes(m17, markers)
    monkeypatch.setattr(Reporter, "_moving_points", lambda self: set())  # as if none were let move
    monkeypatch.setattr(m17.system, "_derived", {})
    assert "of GU_" in shape_changes(m17, markers)[0].sentence  # the motion is one that would have been blamed


def test_a_marker_of_the_thorax_that_slips_is_told(pushing_up, m17):
    markers = pushing_up.dynamic.markers
    p = np.array(markers.p_WM)
    p[:, markers.index("T8")] += [-0.05, 0.0, 0.0]
    (change,) = shape_changes(m17, replace(markers, p_WM=p))
    assert change.about == ("thorax", "T8")


def test_a_computed_point_is_told_with_the_markers_that_it_comes_from(pushing_up, m17):
    markers = pushing_up.dynamic.markers
    p = np.array(markers.p_WM)
    for name in ("EM_D", "EL_D"):  # both slip alike: the humerus keeps their distance, the ulna gets longer
        p[:, markers.index(name)] += [0.0, 0.04, 0.0]
    sentences = [one.sentence for one in shape_changes(m17, replace(markers, p_WM=p)) if one.about[0] == "right ulna"]
    assert len(sentences) == 1
    assert "EU_D" in sentences[0] or "PME_D (from EM_D, EL_D)" in sentences[0]
