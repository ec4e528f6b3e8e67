"""A person's multibody system from a model and a static pose."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.base.errors import BiomecError
from biomec.body.anatomy.ellipsoids import EllipsoidOptions
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.subject_model import ModelOptions, SubjectModel, build_subject_model
from biomec.engine.contacts import PointContacts
from biomec.engine.structure import structure
from biomec.io.marker_set_file import load_marker_set
from biomec.recording import Subject
from biomec.virtual.person import VirtualPerson

M21 = load_model("m21")
SET = load_marker_set("biomec-full")
PERSON = VirtualPerson(81.6, 1.79, "male")
MIRROR = np.diag([1.0, 1.0, -1.0])


def built(person: VirtualPerson = PERSON, **options) -> SubjectModel:
    return build_subject_model(M21, person.markers, SET, person.subject, ModelOptions(**options))


@pytest.fixture(scope="module")
def body() -> SubjectModel:
    return built()


@settings(deadline=None, max_examples=8)
@given(st.sampled_from(["male", "female"]), st.floats(1.45, 2.05), st.floats(18.0, 32.0))
def test_any_adult_has_252_coordinates_214_rows_6_of_them_redundant_and_44_degrees_of_freedom(sex, height, index):
    counts = structure(built(VirtualPerson(index * height**2, height, sex)).system)
    assert (counts.coordinates, counts.rows, len(counts.redundant), counts.degrees_of_freedom) == (252, 214, 6, 44)
    assert counts.rows_by_type == {"rigid": 126, "spherical": 60, "universal": 6, "revolute": 18, "ellipsoid": 4}
    assert counts.residual < 1e-12  # the static pose obeys the model that was made of it


def test_hands_and_feet_on_the_ground_leave_32_degrees_of_freedom(body):
    system, q = body.system, body.system.reference[None]
    ends = {f"{side} {part}": point for side in ("right", "left") for part, point in (("hand", "MC2"), ("foot", "MT1"))}
    places = {
        end: body.static[f"{point}_{'D' if end.startswith('right') else 'E'}"][None] for end, point in ends.items()
    }
    rows = np.vstack([system.jacobian(q)[0], PointContacts.at(system.layout, q, places).jacobian(system.n)[0]])
    assert rows.shape == (226, 252)
    assert np.linalg.matrix_rank(rows, tol=1e-9 * np.linalg.norm(rows, 2)) == 220


def test_coordinates_stand_in_the_published_order(body):
    order = [
        "head", "thorax", *(f"{side} {part}" for part in ("clavicle", "scapula", "humerus", "ulna", "radius", "hand")
        for side in ("right", "left")), "pelvis",
        *(f"{side} {part}" for part in ("thigh", "shank", "foot") for side in ("right", "left")),
    ]  # fmt: skip
    assert [part.name for part in body.system.bodies] == order
    starts = {part.name: int(body.system.layout.columns(part.name)[0]) for part in body.system.bodies}
    assert (starts["right hand"], starts["pelvis"], starts["left foot"]) == (144, 168, 240)


def test_axes_point_forward_up_and_to_the_right_on_both_sides(body):
    """A person in the anatomical position: no axis is further than 40° from its laboratory direction, none reversed."""
    for name, R in body.attitudes(body.system.reference).items():
        assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
        assert np.linalg.det(R) > 0.0
        if "clavicle" not in name and "scapula" not in name:  # these lie oblique to all directions
            assert (np.diag(R) > np.cos(np.radians(40.0))).all(), name
        assert (np.diag(R) > 0.5).all(), name


def test_the_left_side_is_the_mirror_image_of_the_right(body):
    system = body.system
    for right in [part for part in system.bodies if part.name.startswith("right")]:
        left = system.layout.bodies[right.name.replace("right", "left")]
        assert_allclose(left.attitude_matrix, MIRROR @ right.attitude_matrix @ MIRROR, atol=1e-12)
        assert_allclose(left.points["com"], MIRROR @ right.points["com"], atol=1e-12)
        assert_allclose(left.inertia_matrix, MIRROR @ right.inertia_matrix @ MIRROR, atol=1e-12)
        assert left.mass == pytest.approx(right.mass, abs=1e-12)


def test_the_body_weighs_what_the_subject_weighs(body):
    assert sum(part.mass for part in body.system.bodies) == pytest.approx(81.6, rel=1e-12)
    values = np.linalg.eigvalsh(body.system.mass_matrix.toarray())
    assert values.min() > 0.0


def test_measured_coordinates_of_the_static_pose_are_the_reference(body):
    markers = {name: np.repeat(p[None], 3, axis=0) for name, p in PERSON.markers.items()}
    q = body.measured_coordinates(body.points_in_motion(markers))
    assert_allclose(q, np.repeat(body.system.reference[None], 3, axis=0), atol=1e-12)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_turning_the_laboratory_turns_the_coordinates_and_nothing_else(seed):
    rng = np.random.default_rng(seed)
    turn, shift = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    moved = build_subject_model(
        M21, {name: turn @ p + shift for name, p in PERSON.markers.items()}, SET, PERSON.subject
    )
    still = built()
    for name, R in still.attitudes(still.system.reference).items():
        # lengths of order 1 m and a chain of normalised cross products: rounding of some 1e-13
        assert_allclose(moved.attitudes(moved.system.reference)[name], turn @ R, atol=1e-11)
        for point, local in still.system.layout.bodies[name].points.items():
            assert_allclose(moved.system.layout.bodies[name].points[point], local, atol=1e-11)
        assert_allclose(
            moved.system.layout.bodies[name].inertia_matrix, still.system.layout.bodies[name].inertia_matrix, atol=1e-11
        )


def test_joint_centres_carried_by_a_segment_stay_in_it_when_the_body_moves(body):
    """The hip belongs to the pelvis, however the legs move."""
    turn = Rotation.from_euler("y", 40, degrees=True).as_matrix()
    markers = {
        name: (turn @ p if name in ("CIAS_D", "CIAS_E", "PMCP", "AuxP_D", "AuxP_E") else p)[None]
        for name, p in PERSON.markers.items()
    }
    points = body.points_in_motion(markers)
    assert_allclose(points["CAQ_D"][0], turn @ body.static["CAQ_D"], atol=1e-12)


def test_a_chosen_method_replaces_the_models_own():
    other = built(centres={"CAQ_*": "hip-bell-1990"})
    assert other.plan.methods["CAQ_E"] == "hip-bell-1990"
    assert np.linalg.norm(other.static["CAQ_D"] - built().static["CAQ_D"]) > 1e-3
    published = built(centres={"CAQ_*": "hip-vaughan-1999"})
    assert published.plan.methods["CAQ_D"] == "hip-vaughan-1999"
    pelvis = {name: published.static[name] for name in ("CIAS_D", "CIAS_E", "CAQ_D", "CAQ_E")}
    width = np.linalg.norm(pelvis["CIAS_D"] - pelvis["CIAS_E"])  # the hips lie ± 0.344 of it beside the middle
    assert_allclose(np.linalg.norm(pelvis["CAQ_D"] - pelvis["CAQ_E"]), 0.688 * width, rtol=1e-6)
    with pytest.raises(BiomecError, match="There is no method hip-nobody"):
        built(centres={"CAQ_*": "hip-nobody"})
    with pytest.raises(BiomecError, match=r"gives CAQ_\*, not GU_\*"):
        built(centres={"GU_*": "hip-bell-1990"})
    with pytest.raises(BiomecError, match="computes no point KNEE"):
        built(centres={"KNEE": "hip-bell-1990"})


@pytest.mark.parametrize("preset", ["epfl", "delft", "tsm"])
def test_every_ellipsoid_preset_passes_through_the_contact_points(preset):
    other = built(ellipsoid=EllipsoidOptions(preset=preset))
    assert structure(other.system).residual < 1e-12
    assert structure(other.system).degrees_of_freedom == 44


def test_crossed_axes_may_be_set_to_a_right_angle():
    asked, usual = built(universal_zero=True).system, built().system
    rows = usual.row_types["universal"]
    assert np.abs(usual.residual(usual.reference)[rows]).max() < 1e-12
    assert np.abs(asked.residual(asked.reference)[rows]).max() > 1e-4  # the static angles are not exactly 90°


def test_a_segment_can_be_left_out_on_request():
    without = built(without=("right hand", "head"))
    assert without.system.n == 228
    assert without.left_out["head"] == "it was left out on request"
    with pytest.raises(BiomecError, match="has no segment nose"):
        built(without=("nose",))


def test_what_nobody_said_of_the_subject_is_assumed_and_told():
    other = build_subject_model(M21, PERSON.markers, SET, Subject())
    codes = {notice.code for notice in other.notices}
    assert {"sex-assumed", "mass-assumed", "height-assumed"} <= codes
    assert abs(other.measures["height"] - 1.79) < 0.06


def test_a_body_that_cannot_be_followed_at_all_is_told_with_what_to_do():
    feet = {name: p for name, p in PERSON.markers.items() if name.startswith(("CALC", "MT"))}
    with pytest.raises(BiomecError, match=r"cannot be built from this recording.*Check the mapping of the labels"):
        build_subject_model(M21, feet, SET, PERSON.subject)
