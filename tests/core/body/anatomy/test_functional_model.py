"""Functional joint centres and axes in a person's model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.base.errors import BiomecError
from biomec.base.notices import Severity
from biomec.body.anatomy.functional_model import functional_joint
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.subject_model import ModelOptions, SubjectModel, build_subject_model
from biomec.engine.structure import structure
from biomec.io.marker_set_file import load_marker_set
from biomec.virtual.person import VirtualPerson

PERSON = VirtualPerson(75.0, 1.77, "male")
M21, SET = load_model("m21"), load_marker_set("biomec-full")
OFFSET = np.array([0.006, -0.004, 0.009])  # of the true hip centre from the regression [m]


def built(options: ModelOptions = ModelOptions()) -> SubjectModel:
    return build_subject_model(M21, PERSON.markers, SET, PERSON.subject, options)


def turned(body: SubjectModel, segment: str, centre: np.ndarray, rotvecs: np.ndarray) -> dict[str, np.ndarray]:
    """Markers of the static pose, those of one segment turned about a point."""
    R = Rotation.from_rotvec(rotvecs).as_matrix()
    return {
        name: centre + np.einsum("tij,j->ti", R, p - centre)
        if body.followed.get(name) == segment
        else np.repeat(p[None], len(R), axis=0)
        for name, p in PERSON.markers.items()
    }


def circling(frames: int = 60) -> np.ndarray:
    t = np.linspace(0.0, 2.0 * np.pi, frames)
    return np.stack([0.4 * np.cos(t), 0.2 * np.sin(2 * t), 0.5 * np.sin(t)], axis=1)


def test_a_circling_thigh_gives_its_true_centre_to_the_model():
    body = built()
    true = body.static["CAQ_D"] + OFFSET
    found = functional_joint(body, "right hip", turned(body, "right thigh", true, circling()))
    assert found.moved_m == pytest.approx(np.linalg.norm(OFFSET), abs=1e-9)
    other = built(found.options)
    assert_allclose(other.static["CAQ_D"], true, atol=1e-9)
    assert other.plan.methods["CAQ_D"] == "given"
    assert_allclose(other.static["CAQ_E"], body.static["CAQ_E"], atol=1e-12)
    assert structure(other.system).degrees_of_freedom == 44
    # it moves with the pelvis, as any hip centre does
    shift = np.array([0.1, 0.2, 0.3])
    moved = other.points_in_motion({name: (p + shift)[None] for name, p in PERSON.markers.items()})
    assert_allclose(moved["CAQ_D"][0], true + shift, atol=1e-9)


def test_a_bending_knee_gives_its_true_axis_to_the_model():
    body = built()
    usual = body.system.layout.bodies["right thigh"].attitude_matrix[:, 2]
    true = Rotation.from_euler("y", 5, degrees=True).as_matrix() @ usual
    angles = np.linspace(0.0, 1.2, 40)
    movement = turned(body, "right shank", body.static["KJC_D"], -np.outer(angles, true))
    found = functional_joint(body, "right knee", movement)
    assert np.degrees(found.turned) == pytest.approx(np.degrees(np.arccos(usual @ true)), abs=1e-6)
    other = built(found.options)
    R = other.system.layout.bodies["right thigh"].attitude_matrix
    assert_allclose(R @ other.joint_axes()["right knee"], true, atol=1e-9)
    assert structure(other.system).degrees_of_freedom == 44


@pytest.mark.parametrize(
    ("off_mm", "shake_mm", "code"),
    [
        (20.0, 0.0, "functional-centre"),
        (38.0, 0.0, "functional-centre-far"),
        (97.0, 0.0, "functional-centre-implausible"),
        (0.0, 60.0, "functional-centre-implausible"),
    ],
)
def test_a_centre_far_from_the_regression_or_of_a_loose_segment_is_refused(off_mm, shake_mm, code):
    """What the user saw: a centre 97 mm from the regression, with 24 mm of residual, was used without a word."""
    body = built()
    true = body.static["CAQ_D"] + 1e-3 * off_mm * np.array([0.6, 0.0, 0.8])
    markers = turned(body, "right thigh", true, circling())
    shake = 1e-3 * shake_mm * np.random.default_rng(1).normal(size=(60, 3)) / np.sqrt(3.0)  # all of the thigh slides
    markers = {n: p + shake if body.followed.get(n) == "right thigh" else p for n, p in markers.items()}
    found = functional_joint(body, "right hip", markers)
    assert code in {notice.code for notice in found.notices}
    refused = code == "functional-centre-implausible"
    assert (found.options is body.options) == refused
    if refused:
        (notice,) = found.notices
        assert notice.severity is Severity.PROBLEM
        assert "The model keeps its own centre. Check the labels" in notice.sentence
        assert ("97 mm from the centre of the model (limit 45 mm)" if off_mm else "(limit 20 mm)") in notice.sentence


def test_a_movement_about_one_axis_gives_no_hip_centre_and_says_what_to_record():
    body = built()
    about_z = np.outer(np.linspace(0.0, 1.0, 30), [0.0, 0.0, 1.0])
    found = functional_joint(body, "right hip", turned(body, "right thigh", body.static["CAQ_D"], about_z))
    assert found.options is body.options
    assert "Record slow flexion, abduction and circling" in found.notices[0].sentence


@pytest.mark.parametrize(("joint", "segment"), [("right hip", "right thigh"), ("right knee", "right thigh")])
def test_a_trial_with_too_few_markers_leaves_the_model_its_own_centre_and_axis(joint, segment):
    # What the user saw: a functional trial in which two markers of the thigh were lost stopped the whole analysis.
    body = built()
    markers = turned(body, "right thigh", body.static["CAQ_D"], circling())
    few = {name: p for name, p in markers.items() if name not in ("CLCX_D_11", "CLCX_D_12")}
    found = functional_joint(body, joint, few)
    assert found.options is body.options
    assert (found.found, found.moved_m, found.turned) == (None, None, None)
    (notice,) = found.notices
    assert (notice.severity, notice.about) == (Severity.PROBLEM, (joint, segment))
    assert f"{joint} keeps the centre or axis of the model" in notice.sentence
    assert "shows 2 markers of the right thigh (CLCX_D_21, CLCX_D_22); three are needed" in notice.sentence


def test_markers_on_one_line_leave_the_model_its_own_centre():
    places = {name: p.copy() for name, p in PERSON.markers.items()}
    for step, name in enumerate(("CLCX_D_11", "CLCX_D_12", "CLCX_D_21", "CLCX_D_22")):
        places[name] = PERSON.markers["CLCX_D_11"] + np.array([0.0, -0.03 * step, 0.0])
    body = build_subject_model(M21, places, SET, PERSON.subject)
    found = functional_joint(body, "right hip", {name: np.repeat(p[None], 60, axis=0) for name, p in places.items()})
    assert found.options is body.options
    assert "do not span it" in found.notices[0].sentence


def test_a_trial_of_too_few_frames_leaves_the_model_its_own_centre():
    body = built()
    markers = turned(body, "right thigh", body.static["CAQ_D"], circling(2))
    found = functional_joint(body, "right hip", markers)
    assert found.options is body.options
    assert found.notices[0].severity is Severity.PROBLEM


def test_what_cannot_be_done_is_a_sentence():
    body = built()
    markers = turned(body, "right thigh", body.static["CAQ_D"], circling())
    with pytest.raises(BiomecError, match="has no joint right ear here"):
        functional_joint(body, "right ear", markers)
    with pytest.raises(BiomecError, match="universal joint; functional methods know ball joints and hinges"):
        functional_joint(body, "right ankle", markers)
    with pytest.raises(BiomecError, match="has no point KJC_D that a segment carries"):
        built(ModelOptions(points={"KJC_D": (0.0, 0.0, 0.0)}))
    with pytest.raises(BiomecError, match="has no hinge right hip"):
        built(ModelOptions(axes={"right hip": (0.0, 0.0, 1.0)}))


def with_stored(centre: np.ndarray, options: ModelOptions = ModelOptions()) -> SubjectModel:
    """The person whose static holds the right hip, computed by the laboratory; the motion does not show it."""
    markers = {**PERSON.markers, "CAQ_D": centre}
    return build_subject_model(M21, markers, SET, PERSON.subject, options, seen=list(PERSON.markers))


def test_a_centre_that_only_the_static_holds_is_taken_and_moves_with_its_segment():
    own = built().static["CAQ_D"]
    body = with_stored(own + OFFSET)
    assert body.plan.methods["CAQ_D"] == "given"
    assert_allclose(body.static["CAQ_D"], own + OFFSET, atol=1e-12)
    (notice,) = [notice for notice in body.notices if notice.code == "centres-stored"]
    assert notice.about == ("CAQ_D",)
    assert f"{1e3 * np.linalg.norm(OFFSET):.0f} mm" in notice.sentence
    shift = np.array([0.1, 0.2, 0.3])
    moved = body.points_in_motion({name: (p + shift)[None] for name, p in PERSON.markers.items()})
    assert_allclose(moved["CAQ_D"][0], own + OFFSET + shift, atol=1e-9)


@pytest.mark.parametrize(
    ("options", "method"),
    [
        (ModelOptions(stored_centres=False), "hip-harrington-2007"),
        (ModelOptions(centres={"CAQ_*": "hip-bell-1990"}), "hip-bell-1990"),
    ],
)
def test_the_settings_win_over_a_stored_centre(options, method):
    body = with_stored(built().static["CAQ_D"] + OFFSET, options)
    assert body.plan.methods["CAQ_D"] == method
    assert_allclose(body.static["CAQ_D"], built(options).static["CAQ_D"], atol=1e-12)


def test_a_stored_centre_far_from_the_regression_is_refused_by_the_limit_of_functional_ones():
    own = built().static["CAQ_D"]
    body = with_stored(own + np.array([0.0, 0.0, 0.046]))
    assert body.plan.methods["CAQ_D"] == "hip-harrington-2007"
    (notice,) = [notice for notice in body.notices if notice.code == "centre-stored-implausible"]
    assert "46 mm" in notice.sentence
    assert "limit 45 mm" in notice.sentence
